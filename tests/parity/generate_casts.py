#!/usr/bin/env python3
"""Writes tests/parity/safetensors/casts.safetensors: floating-point tensors and what PyTorch converts them to, read by
tests/unit/exec/load.cpp. `from.T` holds numbers of dtype T where rounding has to decide, `from.T.to.U` the same as U.
Run: python tests/parity/generate_casts.py (PyTorch 2.15, CPU; earlier ones overflow float8_e4m3fn to NaN).
"""
import pathlib

import torch
from safetensors.torch import save_file

KINDS = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
         "F8_E4M3": torch.float8_e4m3fn, "F8_E5M2": torch.float8_e5m2}
PATH = pathlib.Path(__file__).with_name("safetensors") / "casts.safetensors"


def numbers():
    """In f64: the middle between neighbours of the narrow dtypes, one step beside it, ends of the ranges, subnormals."""
    values = [0.0, 1.0, 1 / 3, 100.0, 448.0, 464.0, 57344.0, 61440.0, 65504.0, 65520.0, 3.4e38, 3.5e38, 1e300, 6e-8, 2.9e-8,
              1e-40, 1.4e-45, 6e-46, 5e-324, torch.inf, torch.nan]
    for bits in (2, 3, 7, 10, 23):
        for start in (1.0, 1.0 + 2.0 ** -bits):
            middle = start + 2.0 ** -(bits + 1)
            values += [middle, middle - 2.0 ** -50, middle + 2.0 ** -50]
    generator = torch.Generator().manual_seed(3)
    random = torch.exp2(torch.rand(40, generator=generator, dtype=torch.float64) * 50 - 30)
    x = torch.cat([torch.tensor(values, dtype=torch.float64), random])
    return torch.cat([x, -x])


tensors = {}
for name, dtype in KINDS.items():
    tensors[f"from.{name}"] = x = numbers().to(dtype)
    for other, to in KINDS.items():
        if other != name:
            tensors[f"from.{name}.to.{other}"] = x.to(to)
save_file(tensors, PATH)
