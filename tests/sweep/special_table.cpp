#include <doctest/doctest.h>

#include "sweep/sweep.hpp"
#include "weft/ops.hpp"
#include "weft/signal.hpp"
#include "weft/special.hpp"

using namespace weft;

// of the normal distribution
ROW("ndtr", fraction, unary, "torch.special.ndtr(x)", ndtr(x));
ROW("log_ndtr", fraction, unary, "torch.special.log_ndtr(x)", log_ndtr(x));
ROW("ndtri", fraction, unary, "torch.special.ndtri(x)", ndtri(x));
ROW("ndtri inside", loss, probabilities, "torch.special.ndtri(x)", ndtri(x));
ROW("erfcx", fraction, unary, "torch.special.erfcx(x)", erfcx(x));
ROW("entr", fraction, unary, "torch.special.entr(x)", entr(x));

// Bessel functions and Airy's
ROW("bessel_j0", fraction, unary, "torch.special.bessel_j0(x)", bessel_j0(x));
ROW("bessel_j1", fraction, unary, "torch.special.bessel_j1(x)", bessel_j1(x));
ROW("bessel_y0", fraction, unary, "torch.special.bessel_y0(x)", bessel_y0(x));
ROW("bessel_y1", fraction, unary, "torch.special.bessel_y1(x)", bessel_y1(x));
ROW("spherical_bessel_j0", fraction, unary, "torch.special.spherical_bessel_j0(x)", spherical_bessel_j0(x));
ROW("i0", fraction, unary, "torch.special.i0(x)", i0(x));
ROW("i0e", fraction, unary, "torch.special.i0e(x)", i0e(x));
ROW("i1", fraction, unary, "torch.special.i1(x)", i1(x));
ROW("i1e", fraction, unary, "torch.special.i1e(x)", i1e(x));
ROW("modified_bessel_i0", fraction, unary, "torch.special.modified_bessel_i0(x)", modified_bessel_i0(x));
ROW("modified_bessel_i1", fraction, unary, "torch.special.modified_bessel_i1(x)", modified_bessel_i1(x));
ROW("modified_bessel_k0", fraction, unary, "torch.special.modified_bessel_k0(x)", modified_bessel_k0(x));
ROW("modified_bessel_k1", fraction, unary, "torch.special.modified_bessel_k1(x)", modified_bessel_k1(x));
ROW("scaled_modified_bessel_k0", fraction, unary, "torch.special.scaled_modified_bessel_k0(x)",
    scaled_modified_bessel_k0(x));
ROW("scaled_modified_bessel_k1", fraction, unary, "torch.special.scaled_modified_bessel_k1(x)",
    scaled_modified_bessel_k1(x));
ROW("airy_ai", fraction, unary, "torch.special.airy_ai(x)", airy_ai(x));

// orthogonal polynomials
ROW("chebyshev_polynomial_t", fraction, unary, "torch.special.chebyshev_polynomial_t(x, 5)",
    chebyshev_polynomial_t<5>(x));
ROW("chebyshev_polynomial_u", fraction, unary, "torch.special.chebyshev_polynomial_u(x, 4)",
    chebyshev_polynomial_u<4>(x));
ROW("chebyshev_polynomial_v", fraction, unary, "torch.special.chebyshev_polynomial_v(x, 3)",
    chebyshev_polynomial_v<3>(x));
ROW("chebyshev_polynomial_w", fraction, unary, "torch.special.chebyshev_polynomial_w(x, 3)",
    chebyshev_polynomial_w<3>(x));
ROW("shifted_chebyshev_polynomial_t", fraction, unary, "torch.special.shifted_chebyshev_polynomial_t(x, 3)",
    shifted_chebyshev_polynomial_t<3>(x));
ROW("shifted_chebyshev_polynomial_u", fraction, unary, "torch.special.shifted_chebyshev_polynomial_u(x, 3)",
    shifted_chebyshev_polynomial_u<3>(x));
ROW("shifted_chebyshev_polynomial_v", fraction, unary, "torch.special.shifted_chebyshev_polynomial_v(x, 3)",
    shifted_chebyshev_polynomial_v<3>(x));
ROW("shifted_chebyshev_polynomial_w", fraction, unary, "torch.special.shifted_chebyshev_polynomial_w(x, 3)",
    shifted_chebyshev_polynomial_w<3>(x));
ROW("hermite_polynomial_h", fraction, unary, "torch.special.hermite_polynomial_h(x, 5)",
    hermite_polynomial_h<5>(x));
ROW("hermite_polynomial_he", fraction, unary, "torch.special.hermite_polynomial_he(x, 5)",
    hermite_polynomial_he<5>(x));
ROW("laguerre_polynomial_l", fraction, unary, "torch.special.laguerre_polynomial_l(x, 4)",
    laguerre_polynomial_l<4>(x));
ROW("legendre_polynomial_p", fraction, unary, "torch.special.legendre_polynomial_p(x, 5)",
    legendre_polynomial_p<5>(x));
ROW("legendre_polynomial_p zero", fraction, unary, "torch.special.legendre_polynomial_p(x, 0)",
    legendre_polynomial_p<0>(x));

// windows
ROW("signal::windows::bartlett", float, none, "torch.signal.windows.bartlett(6, dtype=torch.float64).to(T)",
    signal::windows::bartlett<T, 6>());
ROW("signal::windows::blackman", float, none, "torch.signal.windows.blackman(6, dtype=torch.float64).to(T)",
    signal::windows::blackman<T, 6>());
ROW("signal::windows::cosine", float, none, "torch.signal.windows.cosine(6, dtype=torch.float64).to(T)",
    signal::windows::cosine<T, 6>());
ROW("signal::windows::exponential", float, none,
    "torch.signal.windows.exponential(6, tau=2.5, dtype=torch.float64).to(T)",
    signal::windows::exponential<T, 6>(2.5));
ROW("signal::windows::gaussian", float, none,
    "torch.signal.windows.gaussian(6, std=1.5, dtype=torch.float64).to(T)",
    signal::windows::gaussian<T, 6>(1.5));
ROW("signal::windows::general_cosine", float, none,
    "torch.signal.windows.general_cosine(6, a=[0.5, 0.25, 0.25], dtype=torch.float64).to(T)",
    signal::windows::general_cosine<T, 6>(0.5, 0.25, 0.25));
ROW("signal::windows::general_hamming", float, none,
    "torch.signal.windows.general_hamming(6, alpha=0.75, dtype=torch.float64).to(T)",
    signal::windows::general_hamming<T, 6>(0.75));
ROW("signal::windows::hamming", float, none, "torch.signal.windows.hamming(6, dtype=torch.float64).to(T)",
    signal::windows::hamming<T, 6>());
ROW("signal::windows::hann", float, none, "torch.signal.windows.hann(6, dtype=torch.float64).to(T)",
    signal::windows::hann<T, 6>());
ROW("signal::windows::kaiser", float, none,
    "torch.signal.windows.kaiser(6, beta=8.0, dtype=torch.float64).to(T)",
    signal::windows::kaiser<T, 6>(8.0));
ROW("signal::windows::nuttall", float, none, "torch.signal.windows.nuttall(6, dtype=torch.float64).to(T)",
    signal::windows::nuttall<T, 6>());
ROW("bartlett_window", float, none, "torch.bartlett_window(7, dtype=torch.float64).to(T)",
    bartlett_window<T, 7>());
ROW("blackman_window", float, none, "torch.blackman_window(7, dtype=torch.float64).to(T)",
    blackman_window<T, 7>());
ROW("hamming_window", float, none, "torch.hamming_window(7, dtype=torch.float64).to(T)",
    hamming_window<T, 7>());
ROW("hann_window", float, none, "torch.hann_window(7, dtype=torch.float64).to(T)", hann_window<T, 7>());
ROW("kaiser_window", float, none, "torch.kaiser_window(7, dtype=torch.float64).to(T)", kaiser_window<T, 7>());
ROW("hann_window one", float, none,
    "(torch.hann_window(1, dtype=torch.float64).to(T), torch.signal.windows.cosine(1, "
    "dtype=torch.float64).to(T), "
    "torch.signal.windows.kaiser(1, dtype=torch.float64).to(T), torch.hann_window(0, "
    "dtype=torch.float64).to(T))",
    std::tuple{hann_window<T, 1>(), signal::windows::cosine<T, 1>(), signal::windows::kaiser<T, 1>(),
               hann_window<T, 0>()});

TEST_CASE("sweep: special functions and windows") { sweep::check_rows(__FILE__); }
