#!/usr/bin/env python3
"""Writes tests/parity/data/dtypes.txt: what PyTorch gives for operations on every dtype.

A group FAMILY_DTYPE is one compiled program in tests/unit/ops/dtypes_*.cpp, with the same operations in the same
order. Where PyTorch refuses integers or booleans for want of fractions (a mean, a softmax), weft computes them in f32,
and the reference is PyTorch's result for the operands as float32.
Run: python tests/parity/generate_dtypes.py (PyTorch 2.x, CPU).
"""
import warnings

import torch
import torch.nn.functional as F

from groups import Groups

warnings.filterwarnings("ignore")
dtypes = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}
groups = Groups(lambda v: "%.17g" % v)


class Operands:
    """x, y: (2, 6) of both signs; d: (2, 6), positive; m: (3, 3); big: (2, 6), where 8-bit integers overflow."""

    def __init__(self, dtype):
        x = torch.tensor([[1, -2, 3, 0, 2, -1], [0, 1, -3, 2, 4, 1]])
        y = torch.tensor([[2, 1, -3, 0, 1, -1], [3, 0, -2, 2, -4, 1]])
        d = torch.tensor([[1, 2, 3, 1, 2, 5], [4, 3, 1, 2, 3, 6]])
        big = torch.tensor([[100, -100, 127, 3, 64, -128], [99, 1, -2, 77, -77, 0]])
        if dtype == torch.uint8:
            x, y, big = x.abs(), y.abs(), big.abs()
        scale = 0.75 if dtype.is_floating_point else 1
        self.x, self.y, self.d, self.big = [(t * scale).to(dtype) for t in (x, y, d, big)]
        self.m = self.x.flatten()[:9].reshape(3, 3)

    inputs = property(lambda self: [self.x, self.y, self.d, self.big])

    def floats(self):
        wide = Operands.__new__(Operands)
        wide.x, wide.y, wide.d, wide.big, wide.m = [t.float() for t in (self.x, self.y, self.d, self.big, self.m)]
        return wide


i = torch.tensor([[0, 2, 2, 5, 1, 0], [3, 3, 4, 0, 5, 1]])  # indices along the last axis
j = torch.tensor([5, 0, 3, 1, 4, 2])  # a permutation
p = torch.stack([j, torch.arange(6)])
b = torch.tensor([[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 1, 1]]) > 0


def padded(t, n):
    return torch.cat([t, torch.zeros(n - len(t), dtype=t.dtype)])


def family(name, wanted, rows):
    for short in wanted.split():
        e = Operands(dtypes[short])
        groups.lines.append(f"group {name}_{short}")
        for t in e.inputs:
            groups.tensor("in", t)
        for key, f in rows.items():
            try:
                result = f(e)
            except (RuntimeError, NotImplementedError):
                if e.x.dtype.is_floating_point and key not in ("quantile",):
                    raise
                result = f(e.floats()).to(e.x.dtype if e.x.dtype.is_floating_point else torch.float32)
            groups.tensor("out " + key, result)


def unary(*wanted):
    return {n: (lambda e, f=getattr(torch, n): f(e.x)) for n in wanted}


def binary(*wanted):
    return {n: (lambda e, f=getattr(torch, n): f(e.x, e.y)) for n in wanted}


def positive(*wanted):
    return {n: (lambda e, f=getattr(torch, n): f(e.d)) for n in wanted}


floats, integers = "f64 f16 bf16", "i64 i32 i8 u8"
every = f"{floats} {integers} bool"

# ---- any dtype: nothing is computed, or PyTorch says what it means for booleans, too
family("view", every, {
    "cat": lambda e: torch.cat([e.x, e.y]), "stack": lambda e: torch.stack([e.x, e.y]), "reshape": lambda e: e.x.reshape(3, 4),
    "permute": lambda e: e.x.permute(1, 0), "expand": lambda e: e.x.expand(2, 2, 6), "repeat": lambda e: e.x.repeat(2, 1),
    "flip": lambda e: e.x.flip(1), "roll": lambda e: e.x.roll(2, 1), "slice": lambda e: e.x[:, 1:6:2], "pad": lambda e: F.pad(e.x, (1, 2), value=1),
    "tril": lambda e: e.m.tril(), "diagonal": lambda e: e.m.diagonal(), "diag": lambda e: torch.diag(e.m[0]),
    "unfold": lambda e: e.x.unfold(1, 3, 1), "ones_like": lambda e: torch.ones_like(e.x), "full_like": lambda e: torch.full_like(e.x, 1)})
family("index", every, {
    "gather": lambda e: e.x.gather(1, i), "index_select": lambda e: e.x.index_select(1, i[0]), "take": lambda e: e.x.take(i),
    "index": lambda e: e.x[1, i[0]], "index_put": lambda e: e.x.index_put((torch.arange(2)[:, None], j), e.y),
    "scatter": lambda e: e.x.scatter(1, p, e.y), "scatter_add": lambda e: e.x.scatter_add(1, i, e.y), "index_add": lambda e: e.x.index_add(1, j, e.y),
    "index_copy": lambda e: e.x.index_copy(1, j, e.y), "index_fill": lambda e: e.x.index_fill(1, i[0], 1),
    "amax": lambda e: e.x.scatter_reduce(1, i, e.y, "amax"), "prod": lambda e: e.x.scatter_reduce(1, i, e.y, "prod"),
    "where": lambda e: torch.where(b, e.x, e.y), "masked_fill": lambda e: e.x.masked_fill(b, 1),
    "masked_select": lambda e: padded(e.x.masked_select(b), 12), "nonzero": lambda e: torch.tensor(len(e.x.nonzero())),
    "unique": lambda e: padded(e.x.unique(), 12)})
family("compare", every, {
    **binary("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "isclose"),
    **unary("logical_not", "isnan", "isinf", "isfinite", "signbit", "isposinf", "isneginf"),
    **binary("add", "mul", "maximum", "minimum", "fmax", "fmin", "heaviside"), **unary("sign", "nan_to_num"),
    "clamp": lambda e: e.x.clamp(0, 2), "pow": lambda e: e.x.pow(2), "plus_one": lambda e: e.x + 1, "half": lambda e: e.x * 0.5, "times_true": lambda e: e.x * True,
    "overflowing_sum": lambda e: e.big + e.big, "overflowing_product": lambda e: e.big * e.d})
family("fold", every, {
    "sum": lambda e: e.x.sum(1), "prod": lambda e: e.d.prod(1), "amax": lambda e: e.x.amax(1), "amin": lambda e: e.x.amin(1),
    "any": lambda e: e.x.bool().any(1), "all": lambda e: e.x.bool().all(1), "count_nonzero": lambda e: e.x.count_nonzero(1),
    "nansum": lambda e: e.x.nansum(1), "logsumexp": lambda e: e.x.logsumexp(1), "mean": lambda e: e.x.mean(1), "argmax": lambda e: e.x.byte().argmax(1) if e.x.dtype == torch.bool else e.x.argmax(1),
    "cumsum": lambda e: e.x.cumsum(1), "cumprod": lambda e: e.d.cumprod(1), "cummax": lambda e: e.x.cummax(1)[0], "cummin": lambda e: e.x.cummin(1)[1],
    "diff": lambda e: e.x.diff(dim=1), "sort": lambda e: e.x.sort(stable=True)[0], "argsort": lambda e: e.x.argsort(descending=True, stable=True)})

# ---- numbers: PyTorch refuses booleans, and so does weft, or answers with another dtype
numbers = f"{floats} {integers}"
family("number", numbers, {
    **binary("sub"), **unary("neg", "abs", "square", "relu", "floor", "ceil", "round", "trunc"),
    **{n: (lambda e, f=getattr(torch, n): f(e.x, e.d)) for n in ("floor_divide", "remainder", "fmod")},
    "addcmul": lambda e: torch.addcmul(e.x, e.x, e.y), "hardtanh": lambda e: F.hardtanh(e.x), "relu6": lambda e: F.relu6(e.x),
    "topk": lambda e: e.x.topk(2)[0].sort(descending=True)[0], "kthvalue": lambda e: e.x.kthvalue(2)[0], "median": lambda e: e.x.median(1)[0],
    "mean_of_places": lambda e: e.d.scatter_reduce(1, i, e.d, "mean"),
    "overflowing_difference": lambda e: -e.big - e.big})
family("product", numbers, {
    "matmul": lambda e: e.m @ e.m, "mv": lambda e: e.m.mv(e.m[0]), "dot": lambda e: e.m[0].dot(e.m[1]), "outer": lambda e: e.m[0].outer(e.m[1]),
    "einsum": lambda e: torch.einsum("ij,kj->ik", e.m, e.m), "addmm": lambda e: torch.addmm(e.m, e.m, e.m), "linear": lambda e: F.linear(e.x, e.y),
    "kron": lambda e: torch.kron(e.m, e.m), "cross": lambda e: torch.linalg.cross(e.m, e.m + 1), "trace": lambda e: e.m.trace()})

# ---- fractions: floats keep their dtype, integers and booleans give f32
fractions = f"{floats} i32 bool"
family("fraction", fractions, {
    **unary("exp", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "erf", "erfc", "asinh", "exp2", "sigmoid", "sinc", "deg2rad"),
    **positive("reciprocal", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "lgamma", "digamma"),
    "acosh": lambda e: torch.acosh(e.d + 1), "div": lambda e: e.x / e.d, "atan2": lambda e: torch.atan2(e.x, e.d), "xlogy": lambda e: torch.xlogy(e.x, e.d),
    "copysign": lambda e: torch.copysign(e.x, e.y), "logaddexp": lambda e: torch.logaddexp(e.x, e.y), "float_power": lambda e: torch.float_power(e.d, 2)})
family("activation", fractions, {
    **{n: (lambda e, f=getattr(F, n): f(e.x)) for n in ("gelu", "silu", "softplus", "logsigmoid", "mish", "elu", "selu", "leaky_relu", "hardsigmoid", "hardswish")},
    "gelu_tanh": lambda e: F.gelu(e.x, approximate="tanh"), "softmax": lambda e: torch.softmax(e.x, -1), "log_softmax": lambda e: torch.log_softmax(e.x, -1),
    "layer_norm": lambda e: F.layer_norm(e.x, (6,)), "rms_norm": lambda e: F.rms_norm(e.x, (6,)), "var": lambda e: e.x.var(1), "stddev": lambda e: e.x.std(1),
    "norm": lambda e: torch.linalg.vector_norm(e.x, dim=1), "quantile": lambda e: e.x.quantile(0.25, 1)})

# ---- floats alone
family("float", floats, {
    "conv2d": lambda e: F.conv2d(e.x.reshape(1, 1, 3, 4), e.y[:, :4].reshape(2, 1, 2, 2)), "max_pool2d": lambda e: F.max_pool2d(e.x.reshape(1, 1, 3, 4), 2),
    "avg_pool2d": lambda e: F.avg_pool2d(e.x.reshape(1, 1, 3, 4), 2), "adaptive_avg_pool2d": lambda e: F.adaptive_avg_pool2d(e.x.reshape(1, 1, 3, 4), 2),
    "interpolate": lambda e: F.interpolate(e.x.reshape(1, 1, 3, 4), scale_factor=2, mode="bilinear")})

# ---- integers and booleans: bits
family("bits", f"{integers} bool", {
    **binary("bitwise_and", "bitwise_or", "bitwise_xor"), **unary("bitwise_not"),
    "left": lambda e: torch.bitwise_left_shift(e.x, 1), "right": lambda e: torch.bitwise_right_shift(e.x, 1)})

groups.write("dtypes.txt")
