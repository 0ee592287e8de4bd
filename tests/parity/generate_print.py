"""What PyTorch prints for some tensors: tests/parity/data/print.txt, read by tests/unit/exec/print.cpp.

Each case is a name on a line of its own, "== name", then the text with weft's names of dtypes.
"""
import pathlib
import torch

f32, f64, i32, i64, u8 = torch.float32, torch.float64, torch.int32, torch.int64, torch.uint8
nan, inf = float("nan"), float("inf")
cases = {
    "fractions": torch.tensor([[1, 2, 3], [4, 5, 6.5]]),
    "whole": torch.tensor([1.0, 2, -3]),
    "negative_zero": torch.tensor([-0.0, 0.0]),
    "i32": torch.tensor([[1, -200], [3, 4]], dtype=i32),
    "u8": torch.tensor([0, 255], dtype=u8),
    "bool": torch.tensor([[True, False], [False, False]]),
    "spread": torch.tensor([1e-5, 2, 3, 4, 5, 6, 7, 8], dtype=f64).reshape(2, 2, 2),
    "large": torch.tensor([1.0, 123456789.0]),
    "odd": torch.tensor([1.5, nan, inf, -inf]),
    "odd_alone": torch.tensor([nan, inf]),
    "odd_whole": torch.tensor([1.0, nan, -inf, 0.0]),
    "zeros": torch.zeros(2, 3),
    "scalar": torch.tensor(3.5),
    "scalar_i64": torch.tensor(7),
    "empty": torch.zeros(0, 3),
    "empty_line": torch.zeros(0),
    "lines": torch.arange(30),
    "wide": torch.arange(60.0).reshape(2, 30) / 8,
    "long": torch.arange(2000.0),
    "matrix": torch.arange(2000.0).reshape(40, 50),
    "deep": torch.arange(1200.0).reshape(8, 5, 30),
    "half": torch.tensor([[0.1, 2.0], [3.0, 4.0]], dtype=torch.float16),
    "bf16": torch.tensor([0.1, 2.0, 1024.0], dtype=torch.bfloat16),
    "four": torch.arange(24.0).reshape(2, 2, 2, 3),
    "edge": torch.arange(1000.0).reshape(10, 100),
}
names = {"torch.float64": "f64", "torch.int32": "i32", "torch.uint8": "u8", "torch.float16": "f16", "torch.bfloat16": "bf16"}
out = ""
for name, tensor in cases.items():
    text = str(tensor)
    for torch_name, own in names.items():
        text = text.replace(torch_name, own)
    out += f"== {name}\n{text}\n"
(pathlib.Path(__file__).parent / "data" / "print.txt").write_text(out)
