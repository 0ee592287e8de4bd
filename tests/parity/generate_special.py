#!/usr/bin/env python3
"""Writes tests/parity/data/special.txt: references for what weft/special.hpp and weft/signal.hpp have.

Windows and the ends of the functions are PyTorch's. Bessel functions and their derivatives are mpmath's, because PyTorch's
bessel_j0, j1, y0 and y1 are wrong from the fifth digit on and it has no derivatives of many; polynomials and their
derivatives are scipy's. A group is one function of tests/unit/ops/special_functions.cpp. Run: python
tests/parity/generate_special.py (PyTorch 2.x, mpmath, scipy).
"""
import mpmath
import scipy.special
import torch

from traced import Groups, Traced, numbers, weights

torch.manual_seed(20250813)
mpmath.mp.dps = 40
group = Traced()
f64 = torch.float64
inf, nan = float("inf"), float("nan")


def elementwise(name, x, derivatives):
    """x, f(x), and what traced.py has for gradients: of functions f, f', f'' of one number each."""
    f, *slopes = [torch.tensor([float(g(float(v))) for v in x], dtype=f64) for g in derivatives]
    rows = [("0", f)]
    factor = torch.ones_like(x)
    for n, slope in enumerate(slopes):
        factor = factor * weights(0 if n == 0 else 100, x)
        rows.append((f"gradient{n + 1}_0", factor * slope))
    Groups.__call__(group, name, [x], rows)


def by_mpmath(name, x, f, order=2):
    elementwise(name, x, [f] + [lambda v, n=n: mpmath.diff(f, mpmath.mpf(v), n) for n in range(1, order + 1)])


points = torch.tensor([0.01, 0.3, 1.0, 1.999, 2.001, 2.405, 3.8, 4.999, 5.001, 7.016, 7.999, 8.001, 12.5, 40.25, 100.0], dtype=f64)
both = torch.cat([-points[1:13], points[:13]])
j, y, i, k = mpmath.besselj, mpmath.bessely, mpmath.besseli, mpmath.besselk
for n in (0, 1):
    by_mpmath(f"bessel_j{n}", torch.cat([both, points[13:]]), lambda v: j(n, v))
    by_mpmath(f"bessel_y{n}", points, lambda v: y(n, v))
    by_mpmath(f"i{n}", both, lambda v: i(n, v))
    by_mpmath(f"i{n}e", both, lambda v: i(n, v) * mpmath.exp(-abs(v)))
    by_mpmath(f"modified_bessel_k{n}", points, lambda v: k(n, v))
    by_mpmath(f"scaled_modified_bessel_k{n}", points, lambda v: k(n, v) * mpmath.exp(v))
by_mpmath("spherical_bessel_j0", torch.cat([both, points[13:]]), lambda v: mpmath.sinc(v))
by_mpmath("airy_ai", torch.cat([both, -points[13:14], torch.tensor([2.0899, 2.0901, -2.0899, -2.0901, 8.33], dtype=f64)]), mpmath.airyai)
# at 0, where formulae that are even or odd fold
zero = torch.zeros(1, dtype=f64)
for name, values in (("bessel_j0", (1, 0, -0.5)), ("bessel_j1", (0, 0.5, 0)), ("i0", (1, 0, 0.5)), ("i1", (0, 0.5, 0)), ("spherical_bessel_j0", (1, 0, -1 / 3)),
                     ("airy_ai", (mpmath.airyai(0), mpmath.airyai(0, derivative=1), 0))):
    elementwise(name + "_zero", zero, [lambda v, r=r: r for r in values])
ends = torch.tensor([0.0, nan, -1.0], dtype=f64)
for name in ("bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1"):
    group(name + "_ends", [ends], getattr(torch.special, name), order=0)
far = torch.tensor([inf, -inf, nan, 750.0, -800.0], dtype=f64)
for name in ("i0", "i0e", "i1", "i1e", "spherical_bessel_j0"):
    group(name + "_ends", [far], getattr(torch.special, name), order=0)

# ---- polynomials: degrees 0, 1, 2, 5
x = torch.tensor([-1.5, -1.0, -0.3, 0.0, 0.25, 0.9, 1.0, 2.0], dtype=f64)
families = {"chebyshev_polynomial_t": scipy.special.chebyt, "chebyshev_polynomial_u": scipy.special.chebyu, "hermite_polynomial_h": scipy.special.hermite,
            "hermite_polynomial_he": scipy.special.hermitenorm, "laguerre_polynomial_l": scipy.special.laguerre, "legendre_polynomial_p": scipy.special.legendre,
            "shifted_chebyshev_polynomial_t": scipy.special.sh_chebyt, "shifted_chebyshev_polynomial_u": scipy.special.sh_chebyu}
for name, family in families.items():
    for n in (0, 1, 2, 5):
        p = family(n)
        elementwise(f"{name}_{n}", x, [p, p.deriv(), p.deriv(2)])
inside = torch.tensor([-1.0, -0.3, 0.0, 0.25, 0.9, 1.0], dtype=f64)
for name in ("chebyshev_polynomial_v", "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w"):
    f = getattr(torch.special, name)
    t = inside * 0.5 + 0.5 if "shifted" in name else inside
    group(name, [t], lambda v: [f(v.detach(), torch.tensor(float(n), dtype=f64)) for n in (0, 1, 2, 5)], order=0)

# ---- windows; the input is only there because a group has one
w, none = torch.signal.windows, [torch.zeros(1)]
group("windows", none, lambda _: [
    getattr(w, n)(m, sym=s, dtype=f64) for n in ("bartlett", "blackman", "cosine", "exponential", "gaussian", "general_hamming", "hamming", "hann", "kaiser", "nuttall")
    for m, s in ((7, True), (6, False))] + [
    w.exponential(5, tau=0.5, dtype=f64), w.exponential(4, center=1.0, tau=2.0, sym=False, dtype=f64), w.gaussian(6, std=2.5, dtype=f64), w.general_cosine(5, a=[0.5, 0.3, 0.2], dtype=f64),
    w.general_cosine(4, a=[0.7, 0.3], sym=False, dtype=f64), w.general_hamming(5, alpha=0.6, dtype=f64), w.kaiser(5, beta=3.5, sym=False, dtype=f64)], order=0)
group("windows_short", none, lambda _: [getattr(w, n)(m, sym=s, dtype=f64) for n in ("bartlett", "cosine", "exponential", "gaussian", "hann", "kaiser") for m, s in ((1, True), (1, False), (2, True), (0, True))], order=0)
group("windows_torch", none, lambda _: [
    torch.bartlett_window(6, dtype=f64), torch.bartlett_window(6, False, dtype=f64), torch.blackman_window(5, dtype=f64), torch.blackman_window(5, False, dtype=f64), torch.hamming_window(6, dtype=f64), torch.hamming_window(6, False, 0.6, 0.4, dtype=f64),
    torch.hann_window(6, dtype=f64), torch.hann_window(6, False, dtype=f64), torch.kaiser_window(6, dtype=f64), torch.kaiser_window(6, False, 3.0, dtype=f64)], order=0)

# ---- some of each as a compiled program, in f32
few = numbers(6, low=0.2, high=6, dtype=torch.float32)
wide = few.double()
Groups.__call__(group, "compiled", [few], [(n, torch.tensor([float(f(float(v))) for v in wide]).float()) for n, f in (
    ("bessel_j1", lambda v: j(1, v)), ("bessel_y0", lambda v: y(0, v)), ("airy", mpmath.airyai), ("i1", lambda v: i(1, v)), ("k0e", lambda v: k(0, v) * mpmath.exp(v)),
    ("legendre", scipy.special.legendre(4)), ("slope", lambda v: -j(1, v)))] + [
    ("kaiser", w.kaiser(4)), ("hann", torch.hann_window(5)), ("gaussian", w.gaussian(4)), ("bartlett", w.bartlett(3)), ("cosine", w.cosine(3)), ("exponential", w.exponential(3))])

group.write("special.txt")
