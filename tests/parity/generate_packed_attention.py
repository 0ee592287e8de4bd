"""Writes what PyTorch computes in f64 for attention of sequences of other lengths, one sequence at a time, to
tests/parity/nn/packed_attention.safetensors: results, and gradients of sum(y * g), rounded to f32.

usage: generate_packed_attention.py [FOLDER]      (default: the folder nn beside this file; needs torch and safetensors)
The seeds are fixed: the same PyTorch gives the same file. tests/unit/ops/nn/attention.cpp, varlen_attention.cpp and
paged_attention.cpp read it.
"""

import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "nn"
out = {}


def attend(q, k, v, causal):
    """(H, L, E) by (H, S, E); the last query attends to the last key. No key: zeros."""
    if k.shape[1] == 0 or q.shape[1] == 0:
        return q[..., :1].expand(-1, -1, v.shape[2]) * 0 + (q.sum() + k.sum() + v.sum()) * 0
    k, v = (x.repeat_interleave(q.shape[0] // k.shape[0], 0) for x in (k, v))
    i, j = torch.arange(q.shape[1])[:, None], torch.arange(k.shape[1])
    mask = j - k.shape[1] <= i - q.shape[1] if causal else torch.ones(q.shape[1], k.shape[1], dtype=torch.bool)
    y = F.scaled_dot_product_attention(q, k, v, mask | ~mask.any(-1, keepdim=True))
    return torch.where(mask.any(-1, keepdim=True), y, 0)


def write(name, leaves, y, **integers):
    g = torch.randn_like(y).float().double()
    (y * g).sum().backward()
    out[f"{name}.y"], out[f"{name}.g"] = y, g
    for key, value in leaves.items():
        out[f"{name}.{key}"], out[f"{name}.d{key}"] = value, value.grad
    for key, value in integers.items():
        out[f"{name}.{key}"] = torch.tensor(value, dtype=torch.int32)


def leaves_of(**shapes):
    return {key: torch.randn(*shape).double().requires_grad_() for key, shape in shapes.items()}


def padded(name, q, k, v, lengths):
    leaves = leaves_of(q=q, k=k, v=v)
    rows = [attend(leaves["q"][b], leaves["k"][b, :, :n], leaves["v"][b, :, :n], False) for b, n in enumerate(lengths)]
    write(name, leaves, torch.stack(rows), lengths=lengths)


def packed(name, q, k, v, queries, keys, causal):
    """Sequences of so many queries and keys; tokens behind the last are of none."""
    leaves = leaves_of(q=q, k=k, v=v)
    parts, i, j = [], 0, 0
    for m, n in zip(queries, keys):
        x = [leaves["q"][i:i + m], leaves["k"][j:j + n], leaves["v"][j:j + n]]
        parts.append(attend(*(t.transpose(0, 1) for t in x), causal).transpose(0, 1))
        i, j = i + m, j + n
    parts.append(torch.zeros(q[0] - i, q[1], v[2], dtype=torch.double))
    offsets = lambda x: [0] + torch.tensor(x).cumsum(0).tolist()
    write(name, leaves, torch.cat(parts), cu_seqlens_q=offsets(queries), cu_seqlens_k=offsets(keys))


def paged(name, q, k, v, table, lengths, causal):
    """Pages (P, page, H, x); what of the table lies behind a length may be anything."""
    leaves = leaves_of(q=q, k=k, v=v)
    rows = []
    for b, n in enumerate(lengths):
        used = [leaves[x][[table[b][t // k[1]] for t in range(n)], [t % k[1] for t in range(n)]] for x in "kv"]
        rows.append(attend(leaves["q"][b], *(x.transpose(0, 1) for x in used), causal))
    write(name, leaves, torch.stack(rows), table=table, lengths=lengths)


torch.manual_seed(23)
padded("lengths", (4, 4, 9, 8), (4, 2, 140, 8), (4, 2, 140, 6), [140, 129, 0, 1])
packed("packed", (150, 2, 8), (150, 2, 8), (150, 2, 8), [70, 0, 1, 64], [70, 0, 1, 64], False)
packed("causal", (150, 4, 8), (150, 2, 8), (150, 2, 6), [70, 0, 1, 64], [70, 0, 1, 64], True)
packed("crossed", (90, 2, 8), (140, 1, 8), (140, 1, 8), [3, 40, 20, 5], [64, 30, 0, 40], True)
paged("paged", (3, 4, 2, 8), (9, 16, 2, 8), (9, 16, 2, 6), [[7, 2, 4], [0, -1, 99], [1, 8, -5]], [48, 5, 17], True)
paged("pages", (3, 4, 1, 8), (9, 16, 2, 8), (9, 16, 2, 6), [[7, 2, 4], [-3, -1, 99], [1, 7, -5]], [33, 0, 32], False)
save_file({key: (value.detach().float() if value.is_floating_point() else value).clone().contiguous()
           for key, value in out.items()}, folder / "packed_attention.safetensors", {"torch": torch.__version__})
