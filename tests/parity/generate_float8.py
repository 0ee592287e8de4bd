#!/usr/bin/env python3
"""Writes tests/parity/data/float8.txt: what PyTorch gives for the 8-bit floats, read by tests/unit/ops/float8.cpp.

casts_T: every code in the order of its bits, as f64; to T, numbers between all neighbours (the middle, and one step to either side of
it), random ones, and what overflows. arithmetic_T, activations_T: operations, where PyTorch computes few: the operands as float32, the
result rounded once, and the same from PyTorch's own operation where it has one.
Run: python tests/parity/generate_float8.py (PyTorch 2.x, CPU).
"""
import torch
import torch.nn.functional as F

from groups import NAMES, Groups

groups = Groups(lambda v: "%.17g" % v)
kinds = {"f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2}
wider = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def codes(kind):
    return torch.arange(256, dtype=torch.uint8).view(kind)


def numbers(kind):
    """f32 numbers where rounding to `kind` has to decide, of both signs, and some that it cannot hold."""
    generator = torch.Generator().manual_seed(1)
    points = codes(kind).float()
    points = points[:128][points[:128].isfinite()]
    middle = (points[1:] + points[:-1]) / 2
    near = torch.cat([middle, middle.nextafter(torch.tensor(0.0)), middle.nextafter(torch.tensor(1e30))])
    random = torch.exp2(torch.rand(120, generator=generator) * 40 - 22)
    top = points[-1]
    edges = torch.tensor([top, top * 1.05, top * 1.125, top * 1.2, top * 1e6, 3.4e38, 1e-30, 1e-45, 0, torch.inf, torch.nan])
    x = torch.cat([near, random])
    sign = torch.where(torch.rand(len(x), generator=generator) < 0.5, -1.0, 1.0)
    return torch.cat([x * sign, edges, -edges])


for name, kind in kinds.items():
    other = kinds["f8e5m2" if name == "f8e4m3" else "f8e4m3"]
    c, x = codes(kind), numbers(kind)
    finite = torch.where(c.float().isfinite(), c.float(), 0).to(kind)  # integers have no NaN: what it gives is undefined
    # one part in 2^40 above or below: rounded to f32 first, it is gone
    x64 = x.double() * (1 + torch.tensor([1, -1, 0]).repeat(len(x))[:len(x)] * 2.0**-40)
    integers = torch.tensor([0, 1, -1, 17, 19, -500, 460, 70000, 10**9])
    for t in wider:
        assert torch.equal(c.to(t).double().nan_to_num(7), c.double().nan_to_num(7)), t  # all of them hold every code
    sources = [x, x64, x.half(), x.bfloat16(), integers.int(), codes(other)]
    groups("casts_" + name, sources,
           [("values", c.double()), ("bool", c.to(torch.bool)), ("i32", finite.to(torch.int32))]
           + [("of_" + NAMES[t.dtype], t.to(kind)) for t in sources])

    generator = torch.Generator().manual_seed(2)
    a, b = (torch.randn(4, 6, generator=generator) * 3).to(kind), (torch.randn(4, 6, generator=generator) * 3).to(kind)
    a.view(torch.uint8)[0, :3] = torch.tensor([0x00, 0x80, 0x01], dtype=torch.uint8)
    big, o = (a.float() * 100).to(kind), (torch.randn(4, 6, generator=generator) * 3).to(other)
    h, f = torch.randn(4, 6, generator=generator).bfloat16(), torch.randn(4, 6, generator=generator)
    n = torch.arange(-12, 12, dtype=torch.int32).reshape(4, 6)
    A, B = a.float(), b.float()
    kept = {"add": A + B, "sub": A - B, "mul": A * B, "div": A / B, "neg": -A, "abs": A.abs(), "maximum": A.maximum(B),
            "floor": A.floor(), "half": A * 0.5, "plus_integer": A + 3, "with_integers": A * n.to(kind).float(), "overflow": big.float() + big.float(),
            "overflow_product": -big.float() * big.float(), "exp": A.exp(), "tanh": A.tanh(), "sum": A.sum(1), "mean": A.mean(1),
            "amax": A.amax(1), "matmul": A @ B.T, "sort": A.sort(1)[0], "cat": torch.cat([A, B]),
            "where": torch.where(A > B, A, B), "gather": A[:, [5, 0, 0]]}
    activations = {"softmax": A.softmax(1), "log_softmax": A.log_softmax(1), "logsumexp": A.logsumexp(1), "stddev": A.std(1),
                   "norm": (big.float() / 4).to(kind).float().norm(dim=1), "sigmoid": A.sigmoid(), "layer_norm": F.layer_norm(A, (6,)),
                   **{f: getattr(F, f)(A) for f in ("gelu", "silu", "softplus", "mish", "elu", "selu", "softsign", "logsigmoid")}}
    for key, native in (("mul", a * b), ("abs", a.abs()), ("cat", torch.cat([a, b])), ("gather", a[:, [5, 0, 0]])):
        assert torch.equal(native.float(), kept[key].to(kind).float()), key
    others = {"eq": A == B, "less": A < B, "isnan": (big.float() - big.float() * 2).isnan(), "argmax": A.argmax(1),
              "with_other": A.half() + o.half(), "with_bf16": a.bfloat16() + h, "with_f32": A + f}
    groups("arithmetic_" + name, [a, b, big, o, h, f, n],
           [(key, t.to(kind)) for key, t in kept.items()] + list(others.items()))
    groups("activations_" + name, [a, (big.float() / 4).to(kind)], [(key, t.to(kind)) for key, t in activations.items()])

groups.write("float8.txt")
