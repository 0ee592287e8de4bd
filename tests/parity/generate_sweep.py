#!/usr/bin/env python3
"""Writes tests/parity/data/sweep_TABLE.bin: operands and references of the rows of tests/sweep/TABLE.cpp.

A reference is PyTorch's result for the operands as f64, or mpmath's (sweep_exact.py), rounded to the result's dtype;
beside it, where they differ, what PyTorch gives in f64 and in the dtype itself: a result may be any of them. Integers
and booleans have the last alone. The
first derivative is the gradient of sum(w y) over the results y, the second that of sum(u g) over the gradients g; the
weights are `weights` below.

Run: python tests/parity/generate_sweep.py [TABLE ...] (PyTorch 2.x, CPU).
"""
import math
import pathlib
import re
import struct
import sys
import warnings

import torch
import torch.nn.functional as F

import sweep_operands
from groups import NAMES
from sweep_exact import alone, exact

warnings.filterwarnings("ignore")
torch.manual_seed(0)
root = pathlib.Path(__file__).resolve().parents[2]
dtypes = {name: t for t, name in NAMES.items()}
floats = ["f64", "f32", "f16", "bf16"]
small = ["f8e4m3", "f8e5m2"]
integers = ["i64", "i32", "i8", "u8"]
nan = float("nan")
relative = {"f64": 1e-7, "f32": 1.3e-6, "f16": 1e-3, "bf16": 1.6e-2, "f8e4m3": 0.07, "f8e5m2": 0.15}


def taken(family):
    """As dtypes_of in tests/sweep/sweep.hpp."""
    if family in ("number", "product", "real"):
        return floats + small + integers
    if family == "single":
        return ["f32"]
    if family == "wide":
        return floats + integers
    if family == "bits":
        return integers + ["bool"]
    if family == "integer":
        return integers
    if family == "loss":
        return floats
    if family == "float":
        return floats + small
    return floats + small + integers + ["bool"]


def table_rows(path):
    """(key, family, operands, PyTorch's spelling) of every row."""
    text = re.sub(r"^\s*//.*", "", path.read_text(), flags=re.M)
    pattern = r'\bROW\(\s*"([^"]+)",\s*(\w+),\s*(\w+),\s*((?:"(?:\\.|[^"\\])*"\s*)+),'
    for key, family, operands, spelling in re.findall(pattern, text):
        yield key, family, operands, "".join(re.findall(r'"((?:\\.|[^"\\])*)"', spelling)).replace('\\"', '"')


def flat(results):
    if isinstance(results, torch.Tensor):
        return [results]
    return [t for r in results for t in flat(r)]


def weights(t, elementwise, number, first):
    """Of result or gradient `number`; the same as in tests/sweep/check.cpp."""
    if elementwise:
        return torch.full_like(t, 1.0 if first else 0.5**number)
    pattern = torch.tensor([1, -0.5, 2, 0.75, -1.5, 0.25, 1.25], dtype=torch.float64)
    k = torch.arange(t.numel()) + (0 if first else 3) + number
    return pattern[k % 7].reshape(t.shape).to(t.dtype)


def attempt(spelling, given, dtype, elementwise, orders):
    """{quantity: tensor} of a row; None where PyTorch refuses its operands."""
    leaves = {k: v.clone().requires_grad_(v.is_floating_point() and orders > 0) for k, v in given.items()}
    names = dict(torch=torch, F=F, math=math, T=dtype, **sweep_operands.helpers, **leaves)
    try:
        results = flat(eval(spelling, names))
    except (RuntimeError, NotImplementedError, TypeError, IndexError) as e:
        return None, e
    found = {f"v{k}": t.detach() for k, t in enumerate(results)}
    wanted = [t for t in leaves.values() if t.requires_grad]
    try:
        ys = [(k, t) for k, t in enumerate(results) if t.is_floating_point() and t.requires_grad]
        if orders < 1 or not wanted:
            return found, None
        gs = [torch.zeros_like(t) for t in wanted]
        if ys:
            given_to = [weights(t, elementwise, k, True) for k, t in ys]
            gs = torch.autograd.grad([t for _, t in ys], wanted, given_to, create_graph=True, allow_unused=True)
            gs = [torch.zeros_like(t) if g is None else g for g, t in zip(gs, wanted)]
        found.update({f"g{k}": g.detach() for k, g in enumerate(gs)})
        live = [(k, g) for k, g in enumerate(gs) if g.requires_grad]
        hs = [torch.zeros_like(t) for t in wanted]
        if live:
            given_to = [weights(g, elementwise, k, False) for k, g in live]
            hs = torch.autograd.grad([g for _, g in live], wanted, given_to, allow_unused=True)
            hs = [torch.zeros_like(t) if h is None else h for h, t in zip(hs, wanted)]
        found.update({f"h{k}": h.detach() for k, h in enumerate(hs)})
    except (RuntimeError, NotImplementedError) as e:
        return found, e
    return found, None


def by_elements(spelling, given, dtype):
    """The value of an elementwise row, one place at a time: (tensor, mask of what PyTorch refuses)."""
    n = next(iter(given.values())).numel()
    values = []
    for k in range(n):
        found, _ = attempt(spelling, {name: t[k : k + 1] for name, t in given.items()}, dtype, True, 0)
        values.append(found["v0"] if found else None)
    like = next((v for v in values if v is not None), None)
    if like is None:
        return None
    return (torch.cat([torch.zeros_like(like) if v is None else v for v in values]),
            torch.tensor([v is None for v in values]))


def close(a, b, name):
    """Whether a native result says the same as the reference."""
    x, y = a.double(), b.double()
    same = (x == y) & (torch.signbit(x) == torch.signbit(y)) | (x.isnan() & y.isnan())
    return same | ((x != y) & ((x - y).abs() <= relative[name] * y.abs()))


def raw(t):
    t = torch.empty_like(t, memory_format=torch.contiguous_format).copy_(t).flatten()
    return bytes(t.tolist()) if t.dtype == torch.bool else t.view(torch.uint8).numpy().tobytes()


def packed(data):
    """LZ77: a byte below 128 and that many bytes and one more as they are, or 128 and more: so many bytes and four
    from as far back as the next two bytes say."""
    out, known, literal, k = bytearray(), {}, bytearray(), 0

    def flush():
        for n in range(0, len(literal), 128):
            part = literal[n : n + 128]
            out.append(len(part) - 1)
            out.extend(part)
        literal.clear()

    while k < len(data):
        key = data[k : k + 4]
        at, known[key] = known.get(key, -1), k
        if len(key) < 4 or at < 0 or k - at > 65535:
            literal.append(data[k])
            k += 1
            continue
        n = 4
        while n < 131 and k + n < len(data) and data[at + n] == data[k + n]:
            n += 1
        flush()
        out.append(128 + n - 4)
        out.extend(struct.pack("<H", k - at))
        for j in range(k + 1, k + n):
            known[data[j : j + 4]] = j
        k += n
    flush()
    return bytes(out)


class Data:
    def __init__(self):
        self.out = []

    def line(self, *words):
        self.out.append(" ".join(map(str, words)).encode() + b"\n")

    def tensor(self, kind, name, t, refused=None, others=()):
        """`others`: more results; where they say something else, what they say."""
        different = []
        for other in others:
            for k in (~close(other, t, NAMES[t.dtype])).flatten().nonzero().flatten().tolist():
                different.append(struct.pack("<I", k) + raw(other.flatten()[k : k + 1]))
        self.line(kind, name, NAMES[t.dtype], t.dim(), *t.shape, int(refused is not None), len(different))
        self.out.append(raw(t))
        if refused is not None:
            self.out.append(raw(refused))
        self.out += different
        self.out.append(b"\n")


def run_row(data, key, family, spelling, operands, name):
    t, given = dtypes[name], sweep_operands.make(operands, name)
    elementwise = operands in sweep_operands.elementwise
    orders = 2 if name in floats else 0
    refused, reference, native = None, None, None
    if family == "single":
        reference, error = attempt(spelling, given, t, elementwise, orders)
        if reference is None:
            raise SystemExit(f"{key} {name}: {error}")
    elif name in floats + small:
        wide = {k: v.double() if v.is_floating_point() else v for k, v in given.items()}
        reference, error = attempt(spelling, wide, torch.float64, elementwise, orders)
        if reference is None:
            raise SystemExit(f"{key} {name}: {error}")
        native, _ = attempt(spelling, given, t, elementwise, orders)
        if native is None and name in small:  # which dtype the results have
            half = {k: v.half() if v.dtype == t else v for k, v in given.items()}
            likewise, _ = attempt(spelling, half, torch.float16, elementwise, 0)
    else:
        native, error = attempt(spelling, given, t, elementwise, 0)
        if native is None and elementwise:
            values = by_elements(spelling, given, t)
            if values is not None:
                native, refused = {"v0": values[0]}, values[1]
        if native is None:
            single = {k: v.float() if v.dtype == t else v for k, v in given.items()}
            native, error = attempt(spelling, single, torch.float32, elementwise, 0)
        if native is None:
            raise SystemExit(f"{key} {name}: {error}")
        if any(v.is_floating_point() for v in native.values()):
            double = {k: v.double() if v.dtype == t else v for k, v in given.items()}
            reference, _ = attempt(spelling, double, torch.float64, elementwise, 0)
            if reference is not None and any(r.dtype != torch.float64 for r in reference.values()):
                reference = None
    if key in alone and orders > 0:  # PyTorch has no such derivatives: mpmath's alone
        for side in filter(None, (reference, native)):
            side.update({q: torch.full_like(side["v0"], nan) for q in ("g0", "h0")})
    found = []
    known = exact(key, given, reference) if reference is not None and elementwise else None
    for quantity, r in (reference or native).items():
        others = []
        if reference is not None and r.is_floating_point():
            made = native[quantity].dtype if native and quantity in native else t
            if native is None and name in small and likewise and likewise[quantity].dtype != torch.float16:
                made = likewise[quantity].dtype
            if native and quantity in native:
                others.append(native[quantity])
            r = r.to(made)
            if known is not None:
                others.append(r)
                r = torch.where(known[quantity].isnan(), r, known[quantity].to(made))
                if key in alone and quantity != "v0":
                    others, unknown = [], known[quantity].isnan()
                    found.append((quantity, r, others, unknown))
                    continue
        found.append((quantity, r, others, refused))
    data.line("row", name, len(found), key)
    for quantity, r, others, refused in found:
        data.tensor("is", quantity, r, refused, others)


def main(wanted):
    for path in sorted((root / "tests/sweep").glob("*_table.cpp")):
        table = path.stem.removesuffix("_table")
        if wanted and table not in wanted:
            continue
        data, sets = Data(), []
        rows = list(table_rows(path))
        for _, family, operands, _ in rows:
            for name in taken(family):
                if (operands, name) not in sets:
                    sets.append((operands, name))
                    given = sweep_operands.make(operands, name)
                    data.line("operands", name, len(given), operands)
                    for letter, t in given.items():
                        data.tensor("is", letter, t)
        for key, family, operands, spelling in rows:
            for name in taken(family):
                run_row(data, key, family, spelling, operands, name)
        to = root / f"tests/parity/data/sweep_{table}.bin"
        to.write_bytes(b"weft sweep 2\n" + packed(b"".join(data.out)))
        print(f"{to.relative_to(root)}: {len(rows)} rows, {to.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
