"""Functions whose values and derivatives mpmath gives where PyTorch in f64 overflows, underflows or cancels.

For each row named here the reference at finite operands is this function's; what PyTorch gives in f64 stands beside it.
Sums of derivatives are weighted as in generate_sweep.py.
"""
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
