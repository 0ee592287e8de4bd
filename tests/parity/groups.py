"""The text format of data/*.txt: groups of input tensors and PyTorch's results, which tests/support/parity.hpp reads.

A group is `group NAME`, its `in` lines in the order of a program's inputs, its `out KEY` lines in the order of the
results. A line has a dtype, the extents as AxBxC (- for a scalar) and the elements.
"""
import pathlib

import torch

NAMES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
         torch.int32: "i32", torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool", torch.float8_e4m3fn: "f8e4m3",
         torch.float8_e5m2: "f8e5m2"}


class Groups:
    """Collects groups and writes them; `real` makes the text of a float."""

    def __init__(self, real=lambda v: "%.9g" % v):
        self.real, self.lines = real, []

    def number(self, v):
        return str(int(v)) if isinstance(v, bool) else repr(v) if isinstance(v, int) else self.real(v)

    def tensor(self, kind, t):
        values = [self.number(v) for v in t.detach().contiguous().flatten().tolist()]
        self.lines.append(" ".join([kind, NAMES[t.dtype], "x".join(map(str, t.shape)) or "-"] + values))

    def __call__(self, name, inputs, outputs):
        self.lines.append("group " + name)
        for t in inputs:
            self.tensor("in", t)
        for key, t in outputs:
            self.tensor("out " + key, t)

    def write(self, name):
        path = pathlib.Path(__file__).parent / "data" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(self.lines) + "\n")
        print(f"{path}: {len(self.lines)} lines")
