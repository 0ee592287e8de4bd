// Bessel, Airy and orthogonal functions and windows: bessel.hpp, modified_bessel.hpp, airy.hpp,
// polynomial.hpp, window.hpp.

#include "support/traced_parity.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/signal.hpp"
#include "weft/special.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

template <i64 N, class F>
void check_smooth(const std::string& name, const F& f) {
  check_traced<2>("special/" + name, f, in<f64, N>);
}
template <class F>
void check_ends(const std::string& name, const F& f, i64 count = 3) {
  if (count == 3)
    check_traced<0>("special/" + name + "_ends", f, in<f64, 3>);
  else
    check_traced<0>("special/" + name + "_ends", f, in<f64, 5>);
}
// Degrees 0, 1, 2 and 5, with derivatives.
template <class F>
void check_degrees(const std::string& name, const F& f) {
  const auto one = [&]<int N>(std::integral_constant<int, N> n) {
    check_traced<2>(
        "special/" + name + "_" + std::to_string(N), [&](auto x) { return f(n, x); }, in<f64, 8>);
  };
  one(std::integral_constant<int, 0>{});
  one(std::integral_constant<int, 1>{});
  one(std::integral_constant<int, 2>{});
  one(std::integral_constant<int, 5>{});
}

}  // namespace

TEST_CASE("special functions: Bessel and Airy functions and their derivatives, as mpmath") {
  check_smooth<27>("bessel_j0", [](auto x) { return bessel_j0(x); });
  check_smooth<27>("bessel_j1", [](auto x) { return bessel_j1(x); });
  check_smooth<15>("bessel_y0", [](auto x) { return bessel_y0(x); });
  check_smooth<15>("bessel_y1", [](auto x) { return bessel_y1(x); });
  check_smooth<27>("spherical_bessel_j0", [](auto x) { return spherical_bessel_j0(x); });
  check_smooth<25>("i0", [](auto x) { return i0(x); });
  check_smooth<25>("i1", [](auto x) { return modified_bessel_i1(x); });
  check_smooth<25>("i0e", [](auto x) { return i0e(x); });
  check_smooth<25>("i1e", [](auto x) { return i1e(x); });
  check_smooth<15>("modified_bessel_k0", [](auto x) { return modified_bessel_k0(x); });
  check_smooth<15>("modified_bessel_k1", [](auto x) { return modified_bessel_k1(x); });
  check_smooth<15>("scaled_modified_bessel_k0", [](auto x) { return scaled_modified_bessel_k0(x); });
  check_smooth<15>("scaled_modified_bessel_k1", [](auto x) { return scaled_modified_bessel_k1(x); });
  check_smooth<31>("airy_ai", [](auto x) { return airy_ai(x); });
}

TEST_CASE("special functions: at 0 and at the ends") {
  check_smooth<1>("bessel_j0_zero", [](auto x) { return bessel_j0(x); });
  check_smooth<1>("bessel_j1_zero", [](auto x) { return bessel_j1(x); });
  check_smooth<1>("i0_zero", [](auto x) { return modified_bessel_i0(x); });
  check_smooth<1>("i1_zero", [](auto x) { return i1(x); });
  check_smooth<1>("spherical_bessel_j0_zero", [](auto x) { return spherical_bessel_j0(x); });
  check_smooth<1>("airy_ai_zero", [](auto x) { return airy_ai(x); });
  check_ends("bessel_y0", [](auto x) { return bessel_y0(x); });
  check_ends("bessel_y1", [](auto x) { return bessel_y1(x); });
  check_ends("modified_bessel_k0", [](auto x) { return modified_bessel_k0(x); });
  check_ends("modified_bessel_k1", [](auto x) { return modified_bessel_k1(x); });
  check_ends("scaled_modified_bessel_k0", [](auto x) { return scaled_modified_bessel_k0(x); });
  check_ends("scaled_modified_bessel_k1", [](auto x) { return scaled_modified_bessel_k1(x); });
  check_ends(
      "i0", [](auto x) { return i0(x); }, 5);
  check_ends(
      "i0e", [](auto x) { return i0e(x); }, 5);
  check_ends(
      "i1", [](auto x) { return i1(x); }, 5);
  check_ends(
      "i1e", [](auto x) { return i1e(x); }, 5);
  check_ends(
      "spherical_bessel_j0", [](auto x) { return spherical_bessel_j0(x); }, 5);
}

TEST_CASE("special functions: orthogonal polynomials and their derivatives, as scipy and PyTorch") {
  check_degrees("chebyshev_polynomial_t",
                []<int N>(std::integral_constant<int, N>, auto x) { return chebyshev_polynomial_t<N>(x); });
  check_degrees("chebyshev_polynomial_u",
                []<int N>(std::integral_constant<int, N>, auto x) { return chebyshev_polynomial_u<N>(x); });
  check_degrees("hermite_polynomial_h",
                []<int N>(std::integral_constant<int, N>, auto x) { return hermite_polynomial_h<N>(x); });
  check_degrees("hermite_polynomial_he",
                []<int N>(std::integral_constant<int, N>, auto x) { return hermite_polynomial_he<N>(x); });
  check_degrees("laguerre_polynomial_l",
                []<int N>(std::integral_constant<int, N>, auto x) { return laguerre_polynomial_l<N>(x); });
  check_degrees("legendre_polynomial_p",
                []<int N>(std::integral_constant<int, N>, auto x) { return legendre_polynomial_p<N>(x); });
  check_degrees("shifted_chebyshev_polynomial_t", []<int N>(std::integral_constant<int, N>, auto x) {
    return shifted_chebyshev_polynomial_t<N>(x);
  });
  check_degrees("shifted_chebyshev_polynomial_u", []<int N>(std::integral_constant<int, N>, auto x) {
    return shifted_chebyshev_polynomial_u<N>(x);
  });
  check_traced<0>(
      "special/chebyshev_polynomial_v",
      [](auto x) {
        return std::tuple{chebyshev_polynomial_v<0>(x), chebyshev_polynomial_v<1>(x),
                          chebyshev_polynomial_v<2>(x), chebyshev_polynomial_v<5>(x)};
      },
      in<f64, 6>);
  check_traced<0>(
      "special/chebyshev_polynomial_w",
      [](auto x) {
        return std::tuple{chebyshev_polynomial_w<0>(x), chebyshev_polynomial_w<1>(x),
                          chebyshev_polynomial_w<2>(x), chebyshev_polynomial_w<5>(x)};
      },
      in<f64, 6>);
  check_traced<0>(
      "special/shifted_chebyshev_polynomial_v",
      [](auto x) {
        return std::tuple{shifted_chebyshev_polynomial_v<0>(x), shifted_chebyshev_polynomial_v<1>(x),
                          shifted_chebyshev_polynomial_v<2>(x), shifted_chebyshev_polynomial_v<5>(x)};
      },
      in<f64, 6>);
  check_traced<0>(
      "special/shifted_chebyshev_polynomial_w",
      [](auto x) {
        return std::tuple{shifted_chebyshev_polynomial_w<0>(x), shifted_chebyshev_polynomial_w<1>(x),
                          shifted_chebyshev_polynomial_w<2>(x), shifted_chebyshev_polynomial_w<5>(x)};
      },
      in<f64, 6>);
}

TEST_CASE("special functions: windows, as PyTorch") {
  namespace w = weft::signal::windows;
  check_traced<0>(
      "special/windows",
      [](auto) {
        return std::tuple{w::bartlett<f64, 7>(),
                          w::bartlett<f64, 6, false>(),
                          w::blackman<f64, 7>(),
                          w::blackman<f64, 6, false>(),
                          w::cosine<f64, 7>(),
                          w::cosine<f64, 6, false>(),
                          w::exponential<f64, 7>(),
                          w::exponential<f64, 6, false>(),
                          w::gaussian<f64, 7>(),
                          w::gaussian<f64, 6, false>(),
                          w::general_hamming<f64, 7>(),
                          w::general_hamming<f64, 6, false>(),
                          w::hamming<f64, 7>(),
                          w::hamming<f64, 6, false>(),
                          w::hann<f64, 7>(),
                          w::hann<f64, 6, false>(),
                          w::kaiser<f64, 7>(),
                          w::kaiser<f64, 6, false>(),
                          w::nuttall<f64, 7>(),
                          w::nuttall<f64, 6, false>(),
                          w::exponential<f64, 5>(0.5),
                          w::exponential<f64, 4, false>(2.0, 1.0),
                          w::gaussian<f64, 6>(2.5),
                          w::general_cosine<f64, 5>(0.5, 0.3, 0.2),
                          w::general_cosine<f64, 4, false>(0.7, 0.3),
                          w::general_hamming<f64, 5>(0.6),
                          w::kaiser<f64, 5, false>(3.5)};
      },
      in<f32, 1>);
  check_traced<0>(
      "special/windows_short",
      [](auto) {
        const auto short_ones = [](auto of) {
          return std::tuple{of.template operator()<1, true>(), of.template operator()<1, false>(),
                            of.template operator()<2, true>(), of.template operator()<0, true>()};
        };
        return std::tuple_cat(short_ones([]<i64 N, bool S>() { return w::bartlett<f64, N, S>(); }),
                              short_ones([]<i64 N, bool S>() { return w::cosine<f64, N, S>(); }),
                              short_ones([]<i64 N, bool S>() { return w::exponential<f64, N, S>(); }),
                              short_ones([]<i64 N, bool S>() { return w::gaussian<f64, N, S>(); }),
                              short_ones([]<i64 N, bool S>() { return w::hann<f64, N, S>(); }),
                              short_ones([]<i64 N, bool S>() { return w::kaiser<f64, N, S>(); }));
      },
      in<f32, 1>);
  check_traced<0>(
      "special/windows_torch",
      [](auto) {
        return std::tuple{bartlett_window<f64, 6>(), bartlett_window<f64, 6, false>(),
                          blackman_window<f64, 5>(), blackman_window<f64, 5, false>(),
                          hamming_window<f64, 6>(),  hamming_window<f64, 6, false>(0.6, 0.4),
                          hann_window<f64, 6>(),     hann_window<f64, 6, false>(),
                          kaiser_window<f64, 6>(),   kaiser_window<f64, 6, false>(3.0)};
      },
      in<f32, 1>);
}

TEST_CASE("special functions: some of each as a compiled program") {
  namespace w = weft::signal::windows;
  check_group(
      "special/compiled",
      [](auto x) {
        return std::tuple{bessel_j1(x),
                          bessel_y0(x),
                          airy_ai(x),
                          i1(x),
                          scaled_modified_bessel_k0(x),
                          legendre_polynomial_p<4>(x),
                          grad([](auto v) { return sum(bessel_j0(v)); })(x),
                          w::kaiser<f32, 4>(),
                          hann_window<f32, 5>(),
                          w::gaussian<f32, 4>(),
                          w::bartlett<f32, 3>(),
                          w::cosine<f32, 3>(),
                          w::exponential<f32, 3>()};
      },
      in<f32, 6>);
}
