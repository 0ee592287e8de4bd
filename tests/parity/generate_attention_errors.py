"""Writes how far PyTorch's attention of f16 and bf16 is from f64 to tests/parity/data/attention_errors.txt: for
each dtype, order and result the greatest and the root mean square error of flash attention, which PyTorch takes, and
those of its other way, products and softmax one by one in f32.

usage: generate_attention_errors.py      (needs torch; tests/unit/ops/nn/attention_errors.cpp reads it)
The operands are numbers that the test makes anew (values).
"""

import pathlib

import numpy
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

SHAPE = (2, 2, 128, 64)  # batch, heads, tokens, features


def values(seed):
    mask = numpy.uint64(0xFFFFFFFF)
    h = (numpy.arange(numpy.prod(SHAPE), dtype=numpy.uint64) * numpy.uint64(2654435761) + numpy.uint64(seed * 40503)) & mask
    h ^= h >> numpy.uint64(15)
    h = (h * numpy.uint64(2246822519)) & mask
    h ^= h >> numpy.uint64(13)
    h = (h * numpy.uint64(3266489917)) & mask
    h ^= h >> numpy.uint64(16)
    sum_of_two = (h & numpy.uint64(0xFFFF)).astype(numpy.float64) + (h >> numpy.uint64(16)).astype(numpy.float64)
    return torch.from_numpy(((sum_of_two - 65535) / 32768).reshape(SHAPE))


def run(operands, g, causal):
    leaves = [x.clone().requires_grad_(True) for x in operands]
    y = F.scaled_dot_product_attention(*leaves, is_causal=causal)
    y.backward(g)
    return [y.detach()] + [x.grad for x in leaves]


torch.set_num_threads(1)
lines = [f"# dtype order result, max and rms of flash attention, max and rms in f32, PyTorch {torch.__version__}"]
for name, dtype in (("bf16", torch.bfloat16), ("f16", torch.float16)):
    for order in ("full", "causal"):
        operands, g = [values(seed).to(dtype) for seed in (1, 2, 3)], values(4).to(dtype)
        with sdpa_kernel(SDPBackend.MATH):
            truth = run([x.double() for x in operands], g.double(), order == "causal")
        kinds = []
        for kind in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
            with sdpa_kernel(kind):
                kinds.append(run(operands, g, order == "causal"))
        for result, wanted, *given in zip(("y", "dq", "dk", "dv"), truth, *kinds):
            errors = [(x.double() - wanted).abs() for x in given]
            numbers = [f"{e.max().item():.6g} {e.pow(2).mean().sqrt().item():.6g}" for e in errors]
            lines.append(" ".join([name, order, result, *numbers]))
path = pathlib.Path(__file__).parent / "data/attention_errors.txt"
path.write_text("\n".join(lines) + "\n")
