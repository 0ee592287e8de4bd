"""Writes what PyTorch's FlexAttention computes, uncompiled, to tests/parity/nn/flex_attention.safetensors: results, and
gradients of sum(y * g) with respect to query, key, value and every float tensor that a function reads.

usage: generate_flex_attention.py [FOLDER]      (default: the folder nn beside this file; needs torch and safetensors)
The seeds are fixed: the same PyTorch gives the same file. tests/unit/ops/nn/flex_attention.cpp reads it.
"""

import math
import pathlib
import sys
import warnings

import torch
from safetensors.torch import save_file
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

warnings.filterwarnings("ignore")
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "nn"
out = {}


def vmapped(f, score, places, tensors):
    """f of every score, as FlexAttention's documentation defines it: one vmap for each axis."""
    grid = torch.broadcast_tensors(*places) if score is None else torch.broadcast_tensors(score, *places)
    for _ in range(4):
        f = torch.vmap(f, in_dims=(0,) * len(grid) + (None,) * len(tensors))
    return f(*grid, *tensors)


def composed(q, k, v, score, mask, tensors, scale, groups):
    """The definition, which has gradients on every device."""
    k, v = (x.repeat_interleave(groups, 1) for x in (k, v))
    s = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    sizes = (*s.shape[:3], s.shape[3])
    places = [torch.arange(n).reshape([-1 if a == d else 1 for a in range(4)]) for d, n in enumerate(sizes)]
    if score is not None:
        s = vmapped(score, s, places, tensors)
    if mask is not None:
        s = torch.where(vmapped(mask, None, [p.expand(sizes) for p in places], tensors), s, float("-inf"))
    open_rows = (s != float("-inf")).any(-1, keepdim=True)
    return torch.softmax(torch.where(open_rows, s, 0), -1).where(open_rows, 0) @ v


def case(name, q, k, v, score=None, mask=None, tensors=(), scale=None):
    leaves = {"q": torch.randn(*q), "k": torch.randn(*k), "v": torch.randn(*v)}
    leaves |= {f"t{i}": t.detach().clone() for i, t in enumerate(tensors)}
    for value in leaves.values():
        value.requires_grad_(value.is_floating_point())
    held = [leaves[f"t{i}"] for i in range(len(tensors))]
    groups = q[1] // k[1]
    y = composed(leaves["q"], leaves["k"], leaves["v"], score, mask, held, scale, groups)
    with torch.no_grad():  # what FlexAttention itself says; it has no gradients without a GPU
        block = create_block_mask(lambda b, h, i, j: mask(b, h, i, j, *held), q[0], q[1], q[2], k[2], "cpu",
                                  BLOCK_SIZE=16) if mask else None
        modified = (lambda s, b, h, i, j: score(s, b, h, i, j, *held)) if score else None
        flex = flex_attention(*(leaves[x].detach() for x in "qkv"), modified, block, scale, groups > 1)
    torch.testing.assert_close(flex, y.detach())
    g = torch.randn_like(y)
    (y * g).sum().backward()
    out[f"{name}.y"], out[f"{name}.g"] = flex, g
    for key, value in leaves.items():
        out[f"{name}.{key}"] = value.int() if value.dtype == torch.int64 else value
        if value.grad is not None:
            out[f"{name}.d{key}"] = value.grad


def t5_bucket(distance):
    """T5's bucket of key - query, bidirectional, of 32 buckets and distances to 128."""
    far = distance.abs()
    large = 8 + (torch.log(far.float() / 8) / math.log(128 / 8) * 8).to(torch.long)
    return 16 * (distance > 0) + torch.where(far < 8, far, torch.clamp(large, max=15))


torch.manual_seed(17)
small = ((2, 4, 6, 8), (2, 4, 6, 8), (2, 4, 6, 8))
case("alibi", *small, lambda s, b, h, i, j, t: s + t[h] * (j - i), tensors=[torch.rand(4)])
case("soft_cap", *small, lambda s, b, h, i, j: 0.5 * torch.tanh(s / 0.5))
case("window", (1, 2, 70, 8), (1, 2, 70, 8), (1, 2, 70, 8), None, lambda b, h, i, j: (j <= i) & (i - j < 9))
case("prefix", *small, None, lambda b, h, i, j, t: (j < t[b]) | (j <= i), [torch.tensor([1, 4])])
documents = torch.tensor([[0, 0, 0, 1, 1, 2], [0, 1, 1, 1, 1, 1]])
case("documents", *small, None, lambda b, h, i, j, t: (t[b, i] == t[b, j]) & (j <= i), [documents])
case("relative", (2, 4, 5, 8), (2, 4, 7, 8), (2, 4, 7, 3), lambda s, b, h, i, j, t: s + t[h, i - j + 6],
     tensors=[torch.randn(4, 11)])
case("wraps", *small, lambda s, b, h, i, j, t: s + t[h, i - j], tensors=[torch.randn(4, 6)])
case("gate", *small, lambda s, b, h, i, j, t, u: s * torch.tanh(t[h]) + u[h, i, j], lambda b, h, i, j, t, u: i != 3,
     [torch.randn(4), torch.randn(4, 6, 6)])
case("grouped", (2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 6), lambda s, b, h, i, j, t: s - t[b, h] * (i - j).abs(),
     lambda b, h, i, j, t: j <= i + 2, [torch.rand(2, 4)], 0.7)
long_one = ((1, 2, 70, 8), (1, 2, 70, 8), (1, 2, 70, 8))
case("t5", *long_one, lambda s, b, h, i, j, t: s + t[t5_bucket(j - i), h], tensors=[torch.randn(32, 2)])
save_file({key: value.detach().clone().contiguous() for key, value in out.items()},
          folder / "flex_attention.safetensors", {"torch": torch.__version__})
