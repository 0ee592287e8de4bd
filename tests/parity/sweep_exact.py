"""Functions whose values and derivatives mpmath gives where PyTorch in f64 overflows, underflows or cancels.

For each row named here the reference at finite operands is this function's; what PyTorch gives in f64 stands beside it.
Sums of derivatives are weighted as in generate_sweep.py.
"""
import functools
import math
from fractions import Fraction

import mpmath as mp
import torch


def softplus(x):
    return mp.log1p(mp.exp(x))


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


unary = {
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "softplus": softplus,
    "softplus beta": lambda x: softplus(2 * x) / 2,
    "logsigmoid": lambda x: -softplus(-x),
    "mish": lambda x: x * mp.tanh(softplus(x)),
    "gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2,
    "gelu_tanh": lambda x: x * sigmoid(mp.sqrt(8 / mp.pi) * (x + mp.mpf(0.044715) * x**3)),
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "asinh": mp.asinh,
    "acosh": lambda x: mp.acosh(x) if x > 1 else mp.mpc(0, 1),
    "atanh": mp.atanh,
    "logit": lambda x: mp.log(x / (1 - x)) if 0 < x < 1 else mp.mpc(0, 1),
    "log2": lambda x: mp.log(x) / mp.log(2),
    "log10": lambda x: mp.log10(x),
    "sinc": lambda x: mp.sinc(mp.pi * x),
    "softsign": lambda x: x / (1 + x) if x >= 0 else x / (1 - x),
    "tanhshrink": lambda x: x - mp.tanh(x),
    "pow inverse": lambda x: 1 / x,
    "erfinv": lambda y: mp.erfinv(y) if abs(y) < 1 else mp.mpc(0, 1),
    "lgamma": lambda x: mp.loggamma(x) if x > 0 else mp.log(abs(mp.gamma(x))),
    "digamma": mp.digamma,
}
large = {"sinc": 1e6, "lgamma": 1e5, "digamma": 1e5, "gelu": 30, "gelu_tanh": 1e4, "erf": 30, "erfc": 30}  # beyond: PyTorch alone
precise = {"lgamma": 300, "digamma": 300, "erfinv": 400, "erf": 400, "erfc": 400, "gelu": 400}  # bits that are enough


def difference(x, y):
    return x - y


binary = {
    "logaddexp": (lambda x, y: mp.log(mp.exp(x) + mp.exp(y)), lambda x, y: sigmoid(x - y), lambda x, y: sigmoid(y - x)),
    "logaddexp2": (lambda x, y: mp.log(mp.mpf(2) ** x + mp.mpf(2) ** y) / mp.log(2),
                   lambda x, y: sigmoid((x - y) * mp.log(2)), lambda x, y: sigmoid((y - x) * mp.log(2))),
    "hypot": (lambda x, y: mp.sqrt(x * x + y * y), lambda x, y: x / mp.sqrt(x * x + y * y), lambda x, y: y / mp.sqrt(x * x + y * y)),
    "ldexp": (lambda x, y: x * mp.mpf(2) ** y, lambda x, y: mp.mpf(2) ** y, lambda x, y: x * mp.mpf(2) ** y * mp.log(2)),
    "bce_with_logits": (lambda x, t: softplus(x) - x * t, lambda x, t: sigmoid(x) - t, lambda x, t: -x),
}


def rational(f):
    def g(x, y):
        return f(Fraction(x), Fraction(y))

    return g


def floored(x, y):
    return x - y * (x // y)


def truncated(x, y):
    q = abs(x) // abs(y)
    return x - y * (q if (x < 0) == (y < 0) else -q)


remainders = {"fmod": rational(truncated), "remainder": rational(floored)}


values = {"logit eps": lambda x: mp.log(min(max(x, 0.1), 0.9) / (1 - min(max(x, 0.1), 0.9))), "hardswish": lambda x: x * min(max(x + 3, 0), 6) / 6}  # without derivatives


def number(v):
    """As a double; None for what is no real number."""
    if isinstance(v, mp.mpc):
        return None
    try:
        return float(v)
    except OverflowError:
        return float("inf") if v > 0 else float("-inf")


def derivatives(f, x, bits):
    with mp.workprec(bits):
        v = mp.mpf(x)
        y = f(v)
        if isinstance(y, mp.mpc) or not mp.isfinite(y):
            return None
        return [number(r) for r in (y, mp.diff(f, v, 1, relative=True), mp.diff(f, v, 2, relative=True))]


@functools.cache
def bessel(kind, n, x, _):
    """Of order 0 to 3, the last two by the recurrence where that is quick and cancels nothing."""
    if kind in (mp.besselj, mp.besseli) or n < 2:
        return kind(n, x)
    sign = 1 if kind == mp.besselk else -1
    return 2 * (n - 1) / x * bessel(kind, n - 1, x, _) + sign * bessel(kind, n - 2, x, _)


def waves(kind, n, x):
    """A Bessel function of the first or second kind and its derivatives, without cancellation."""
    c = [bessel(kind, k, x, mp.mp.prec) for k in range(4)]
    return (c[0], -c[1], (c[2] - c[0]) / 2) if n == 0 else (c[1], (c[0] - c[2]) / 2, (c[3] - 3 * c[1]) / 4)


def first_kind(n, x):
    c = [bessel(mp.besseli, k, x, mp.mp.prec) for k in range(4)]
    return (c[0], c[1], (c[0] + c[2]) / 2) if n == 0 else (c[1], (c[0] + c[2]) / 2, (3 * c[1] + c[3]) / 4)


def second_kind(n, x):
    c = [bessel(mp.besselk, k, x, mp.mp.prec) for k in range(4)]
    return (c[0], -c[1], (c[0] + c[2]) / 2) if n == 0 else (c[1], -(c[0] + c[2]) / 2, (3 * c[1] + c[3]) / 4)


def scaled(f, x, s):
    """exp(s x) f and its derivatives."""
    e = mp.exp(s * x)
    return e * f[0], e * (f[1] + s * f[0]), e * (f[2] + 2 * s * f[1] + f[0])


def positive(x, f):
    return f() if x > 0 else None


def spherical(x):
    if x == 0:
        return mp.mpf(1), mp.mpf(0), mp.mpf(-1) / 3
    s, c = mp.sin(x), mp.cos(x)
    return s / x, c / x - s / x**2, -s / x - 2 * c / x**2 + 2 * s / x**3


def area(x):
    density = mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
    return mp.erfc(-x / mp.sqrt(2)) / 2, density, -x * density


def log_area(x):
    y, d, _ = area(x)
    r = d / y
    return mp.log(y) if x < 0 else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2), r, -r * (x + r)


def place_of_area(p):
    if not 0 < p < 1:
        return None
    x = mp.mpf(torch.special.ndtri(torch.tensor(float(p), dtype=torch.float64)).item())
    for _ in range(6):  # Newton's iteration, of what is below or of what is above
        y, d, _ = area(x) if p < 0.5 else area(-x)
        x -= (y - p) / d if p < 0.5 else ((1 - p) - y) / d
    d = area(x)[1]
    return x, 1 / d, x / d**2


def scaled_tail(x):
    if x > 1e100:
        return 1 / (x * mp.sqrt(mp.pi)), -1 / (x**2 * mp.sqrt(mp.pi)), 2 / (x**3 * mp.sqrt(mp.pi))
    y = mp.exp(x * x) * mp.erfc(x)
    first = 2 * x * y - 2 / mp.sqrt(mp.pi)
    return y, first, 2 * y + 2 * x * first


def polynomial(first, step, degree, inner=lambda x: x):
    """Coefficients by the recurrence, the value of fractions."""
    def times(a, b):
        r = [Fraction(0)] * (len(a) + len(b) - 1)
        for i, v in enumerate(a):
            for k, w in enumerate(b):
                r[i + k] += v * w
        return r

    def plus(a, b):
        n = max(len(a), len(b))
        return [(a[k] if k < len(a) else 0) + (b[k] if k < len(b) else 0) for k in range(n)]

    before, now = [Fraction(1)], [Fraction(v) for v in first]
    for k in range(1, degree):
        factor, constant, divisor = step(k)
        r = plus(times([Fraction(v) for v in factor], now), [-constant * v for v in before])
        before, now = now, [v / divisor for v in r]
    if degree == 0:
        now = before
    scale = 2 if inner(1) != 1 or inner(2) != 2 else 1

    def f(x):
        t, c, found, by = inner(Fraction(float(x))), now, [], 1
        for _ in range(3):
            v = sum((a * t**k for k, a in enumerate(c)), Fraction(0)) * by
            found.append(mp.mpf(v.numerator) / v.denominator)
            c, by = [k * a for k, a in enumerate(c)][1:] or [Fraction(0)], by * scale
        return found

    return f


def chebyshev(k):
    return [0, 2], 1, 1


def shifted(x):
    return 2 * x - 1


def laguerre(k):
    return [2 * k + 1, -1], k, k + 1


def legendre(k):
    return [0, 2 * k + 1], k, k + 1


# (value, first and second derivative) at a number, None outside the domain
closed = {
    "bessel_j0": lambda x: waves(mp.besselj, 0, x),
    "bessel_j1": lambda x: waves(mp.besselj, 1, x),
    "bessel_y0": lambda x: positive(x, lambda: waves(mp.bessely, 0, x)),
    "bessel_y1": lambda x: positive(x, lambda: waves(mp.bessely, 1, x)),
    "spherical_bessel_j0": spherical,
    "i0": lambda x: first_kind(0, x),
    "i1": lambda x: first_kind(1, x),
    "modified_bessel_i0": lambda x: first_kind(0, x),
    "modified_bessel_i1": lambda x: first_kind(1, x),
    "i0e": lambda x: scaled(first_kind(0, x), x, -mp.sign(x)),
    "i1e": lambda x: scaled(first_kind(1, x), x, -mp.sign(x)),
    "modified_bessel_k0": lambda x: positive(x, lambda: second_kind(0, x)),
    "modified_bessel_k1": lambda x: positive(x, lambda: second_kind(1, x)),
    "scaled_modified_bessel_k0": lambda x: positive(x, lambda: scaled(second_kind(0, x), x, 1)),
    "scaled_modified_bessel_k1": lambda x: positive(x, lambda: scaled(second_kind(1, x), x, 1)),
    "airy_ai": lambda x: (mp.airyai(x), mp.airyai(x, derivative=1), x * mp.airyai(x)),
    "ndtr": area,
    "log_ndtr": log_area,
    "ndtri": place_of_area,
    "erfcx": scaled_tail,
    "entr": lambda x: positive(x, lambda: (-x * mp.log(x), -mp.log(x) - 1, -1 / x)),
    "chebyshev_polynomial_t": polynomial([0, 1], chebyshev, 5),
    "chebyshev_polynomial_u": polynomial([0, 2], chebyshev, 4),
    "chebyshev_polynomial_v": polynomial([-1, 2], chebyshev, 3),
    "chebyshev_polynomial_w": polynomial([1, 2], chebyshev, 3),
    "shifted_chebyshev_polynomial_t": polynomial([0, 1], chebyshev, 3, shifted),
    "shifted_chebyshev_polynomial_u": polynomial([0, 2], chebyshev, 3, shifted),
    "shifted_chebyshev_polynomial_v": polynomial([-1, 2], chebyshev, 3, shifted),
    "shifted_chebyshev_polynomial_w": polynomial([1, 2], chebyshev, 3, shifted),
    "hermite_polynomial_h": polynomial([0, 2], lambda k: ([0, 2], 2 * k, 1), 5),
    "hermite_polynomial_he": polynomial([0, 1], lambda k: ([0, 1], k, 1), 5),
    "laguerre_polynomial_l": polynomial([1, -1], laguerre, 4),
    "legendre_polynomial_p": polynomial([0, 1], legendre, 5),
    "legendre_polynomial_p zero": polynomial([0, 1], legendre, 0),
}
# bits that are enough, and the numbers beyond which nothing is known but what PyTorch says
bits = {"spherical_bessel_j0": 4600, "log_ndtr": 2600, "erfcx": 2600, "ndtr": 2600, "ndtri": 200}
beyond = {"ndtr": 1e100, "log_ndtr": 1e100}
# of which PyTorch has no derivatives, or takes them for constants
alone = {key for key in closed if "bessel" in key or "polynomial" in key or key == "airy_ai"}


def closed_form(key, x):
    """What is known at a finite number: three doubles or None."""
    if abs(x) > beyond.get(key, float("inf")):
        return None
    turns = 4 * max(0, math.frexp(x)[1]) if "i0e" in key or "i1e" in key or "scaled" in key else 0  # what cancels
    with mp.workprec(bits.get(key, 140) + turns):
        try:
            found = closed[key](mp.mpf(x))
        except (ValueError, ZeroDivisionError, OverflowError, mp.libmp.libhyper.NoConvergence):
            return None
        return found and [number(v) for v in found]

def exact(key, given, wanted):
    """{quantity: f64 tensor, NaN where nothing is known}, of an elementwise row."""
    wide = next(iter(given.values())).dtype == torch.float64  # where exp(-710) is a number
    xs = [t.double().tolist() for t in given.values()]
    n = len(xs[0])
    mp.mp.prec = 2300 if wide else 500
    found = {q: [float("nan")] * n for q in wanted}

    def put(q, k, v):
        if v is not None and q in found:
            found[q][k] = v

    def finite(k):
        return all(abs(x[k]) != float("inf") and x[k] == x[k] for x in xs)

    if key in closed:
        known = {}
        for k in range(n):
            x = xs[0][k]
            if not finite(k):
                continue
            if x not in known:
                known[x] = closed_form(key, x)
            for q, v in zip(("v0", "g0", "h0"), known[x] or ()):
                if q != "v0" or v != 0:
                    put(q, k, v)
        return {q: torch.tensor(v, dtype=torch.float64) for q, v in found.items()}
    none = {"erf": 0, "erfc": 0, "gelu": 0}  # derivatives where the function has come to its end
    if key in unary:
        f, known = unary[key], {}
        for k in range(n):
            x = xs[0][k]
            if finite(k) and abs(x) > large.get(key, float("inf")) and key in none:
                put("h0", k, 0.0)
            if not finite(k) or x == 0 or abs(x) > large.get(key, float("inf")):
                continue
            if x not in known:
                try:
                    known[x] = derivatives(f, x, precise.get(key, 2300 if wide else 500))
                except (ValueError, ZeroDivisionError, OverflowError, mp.libmp.libhyper.NoConvergence):
                    known[x] = None
            if known[x]:
                for q, v in zip(("v0", "g0", "h0"), known[x]):
                    put(q, k, v)
    elif key in binary:
        f, fx, fy = binary[key]
        for k in range(n):
            if not finite(k) or (xs[0][k] == 0 and xs[1][k] == 0 and key == "hypot"):
                continue
            x, y = mp.mpf(xs[0][k]), mp.mpf(xs[1][k])
            if key in ("logaddexp", "logaddexp2") and max(abs(x), abs(y)) > 1e4:
                continue
            half = mp.mpf(0.5)
            put("v0", k, number(f(x, y)))
            put("g0", k, number(fx(x, y)))
            put("g1", k, number(fy(x, y)))
            put("h0", k, number(mp.diff(lambda v: fx(v, y), x) + half * mp.diff(lambda v: fy(v, y), x)))
            put("h1", k, number(mp.diff(lambda v: fx(x, v), y) + half * mp.diff(lambda v: fy(x, v), y)))
    elif key in values:
        for k in range(n):
            if finite(k) and xs[0][k] != 0:
                put("v0", k, number(values[key](mp.mpf(xs[0][k]))))
    elif key in remainders:
        for k in range(n):
            if finite(k) and xs[1][k] != 0:
                v = float(remainders[key](xs[0][k], xs[1][k]))
                if v != 0:
                    put("v0", k, v)
    else:
        return None
    return {q: torch.tensor(v, dtype=torch.float64) for q, v in found.items()}
