"""Writes what PyTorch computes for attention and Transformer layers to tests/parity/nn: attention.safetensors,
transformer.safetensors and transformer_state.safetensors (a state_dict as it is saved).

usage: generate_attention.py [FOLDER]      (default: the folder nn beside this file; needs torch and safetensors)
The seeds are fixed: the same PyTorch gives the same files. tests/unit/ops/nn/attention.cpp and
tests/unit/ops/nn/rotary_embedding.cpp and tests/unit/nn/attention.cpp, transformer_layer.cpp and transformer.cpp read them.
"""

import pathlib
import sys
import warnings

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

from modules import flat, record

warnings.filterwarnings("ignore")
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "nn"
out = {}


def write(name):
    data = {key: value.detach().clone().contiguous() for key, value in out.items()}
    save_file(data, folder / f"{name}.safetensors", {"torch": torch.__version__})
    out.clear()


def causal(length):
    return torch.triu(torch.full((length, length), float("-inf")), diagonal=1)


def functional(name, q, k, v, mask=None, **options):
    """Result, and gradients of sum(y * g) with respect to all floating operands."""
    leaves = {"q": torch.randn(*q), "k": torch.randn(*k), "v": torch.randn(*v)}
    if mask is not None:
        leaves["mask"] = mask
    for value in leaves.values():
        value.requires_grad_(value.is_floating_point())
    y = F.scaled_dot_product_attention(leaves["q"], leaves["k"], leaves["v"], leaves.get("mask"), **options)
    g = torch.randn_like(y)
    (y * g).sum().backward()
    out[f"{name}.y"], out[f"{name}.g"] = y, g
    for key, value in leaves.items():
        out[f"{name}.{key}"] = value
        if value.grad is not None:
            out[f"{name}.d{key}"] = value.grad


torch.manual_seed(11)
functional("plain", (2, 3, 4, 8), (2, 3, 6, 8), (2, 3, 6, 5))
functional("causal", (3, 6, 8), (3, 4, 8), (3, 4, 8), is_causal=True)
functional("scaled", (5, 8), (7, 8), (7, 3), scale=0.5)
keys = torch.rand(2, 1, 4, 6) < 0.6
keys[..., 0] = True
keys[0, 0, 2] = False  # a query that may attend to no key
functional("masked", (2, 3, 4, 8), (2, 3, 6, 8), (2, 3, 6, 8), keys)
bias = torch.randn(4, 6)
bias[1, 2:4] = bias[3] = float("-inf")
functional("added", (2, 3, 4, 8), (2, 3, 6, 8), (2, 3, 6, 8), bias)
functional("grouped", (2, 6, 4, 8), (2, 2, 5, 8), (2, 2, 5, 8), is_causal=True, enable_gqa=True)
functional("multi_query", (2, 3, 4, 8), (2, 1, 5, 8), (2, 1, 5, 4), torch.rand(3, 4, 5) < 0.8, enable_gqa=True)


class Attentions(nn.Module):
    """Self attention with weights, and a cross attention over other features."""

    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(8, 2)
        self.cross = nn.MultiheadAttention(8, 4, kdim=6, vdim=3, bias=False, batch_first=True)
        mask = torch.rand(5, 5) < 0.4
        mask.fill_diagonal_(False)
        self.register_buffer("mask", mask)
        self.register_buffer("padding", torch.tensor([[False] * 6 + [True], [False, True, False, False, True, True, False]]))

    def forward(self, x, other):
        y, w = self.attn(x, x, x, attn_mask=self.mask)
        z, u = self.cross(x.transpose(0, 1), other[..., :6], other[..., 6:], key_padding_mask=self.padding,
                          average_attn_weights=False)
        return flat(y, w, z, u)


class Longer(nn.Module):
    """Keys behind the sequence, key and value in one, and no batch."""

    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True)
        self.shared = nn.MultiheadAttention(8, 2)
        bias = torch.randn(4, 5, 5)
        bias[0, 1, 2] = bias[3, 4, 0] = float("-inf")
        self.register_buffer("bias", bias)
        padding = torch.zeros(2, 5)
        padding[0, 3:] = float("-inf")
        self.register_buffer("padding", padding)
        mask = torch.zeros(5, 3, dtype=torch.bool)
        mask[2] = True  # a query that may attend to no key
        self.register_buffer("mask", mask)

    def forward(self, x):
        y, w = self.attn(x, x, x, attn_mask=self.bias, key_padding_mask=self.padding)
        memory = x[1:4]
        z, _ = self.shared(x, memory, memory, attn_mask=self.mask, need_weights=False)
        one = x[:, 0]
        u, _ = self.shared(one, one, one, attn_mask=causal(5), is_causal=True, need_weights=False)
        return flat(y, w, z, u)




def rotary(name, shape, positions, base, dims, interleaved):
    """Turned features, and the gradient of sum(y * g); as the complex numbers of Su et al., in f64."""
    x = torch.randn(*shape, requires_grad=True)
    angles = positions.double()[..., None] * base ** (-torch.arange(0, dims, 2).double() / dims)
    turn = torch.polar(torch.ones_like(angles), angles)
    pairs = x[..., :dims].double()
    if interleaved:
        pairs = pairs.unflatten(-1, (-1, 2))
    else:
        pairs = torch.stack(pairs.chunk(2, -1), -1)
    turned = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turn)
    turned = turned.flatten(-2) if interleaved else torch.cat(turned.unbind(-1), -1)
    y = torch.cat([turned.float(), x[..., dims:]], -1)
    g = torch.randn_like(y)
    (y * g).sum().backward()
    out[f"{name}.x"], out[f"{name}.y"], out[f"{name}.g"], out[f"{name}.dx"] = x, y, g, x.grad
    out[f"{name}.positions"] = positions


record(out, "attentions", Attentions(), (5, 2, 8), (2, 7, 9))
record(out, "longer", Longer(), (5, 2, 8))
rotary("half", (2, 3, 5, 8), torch.arange(5), 10000.0, 8, False)
rotary("pairs", (2, 3, 5, 8), torch.arange(5), 10000.0, 8, True)
rotary("part", (2, 3, 4, 10), torch.tensor([[0, 1, 2, 3], [70, 71, 3, 900]])[:, None], 500.0, 6, False)
write("attention")

torch.manual_seed(12)


class Encoders(nn.Module):
    def __init__(self):
        super().__init__()
        self.post_norm = nn.TransformerEncoderLayer(8, 2, 12, 0.0)
        self.pre_norm = nn.TransformerEncoderLayer(8, 2, 12, 0.0, "gelu", 1e-3, True, True, False)
        self.register_buffer("padding", torch.tensor([[False, False, False, True, True], [False] * 4 + [True]]))

    def forward(self, x):
        y = self.post_norm(x, src_mask=causal(5), src_key_padding_mask=torch.zeros(2, 5), is_causal=True)
        z = self.pre_norm(x.transpose(0, 1), src_key_padding_mask=self.padding)
        return flat(y, z)


class Decoders(nn.Module):
    def __init__(self):
        super().__init__()
        self.post_norm = nn.TransformerDecoderLayer(8, 2, 12, 0.0, F.silu)
        self.pre_norm = nn.TransformerDecoderLayer(8, 2, 12, 0.0, norm_first=True, batch_first=True)
        mask = torch.rand(5, 4) < 0.4
        mask[:, 0] = False
        self.register_buffer("mask", mask)
        self.register_buffer("padding", torch.tensor([[False, False, False, True], [False, False, True, False]]))

    def forward(self, x, memory):
        y = self.post_norm(x, memory, tgt_mask=causal(5), tgt_is_causal=True, memory_mask=self.mask)
        z = self.pre_norm(x.transpose(0, 1), memory.transpose(0, 1), memory_key_padding_mask=self.padding)
        return flat(y, z)


record(out, "encoders", Encoders(), (5, 2, 8))
record(out, "decoders", Decoders(), (5, 2, 8), (4, 2, 8))


class Stacks(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 2, 1, 12, 0.0, F.gelu, layer_norm_eps=1e-4, batch_first=True)
        self.register_buffer("padding", torch.tensor([[False, False, False, True, True], [False] * 4 + [True]]))

    def forward(self, src, tgt):
        return self.transformer(src, tgt, tgt_mask=causal(4), tgt_is_causal=True,
                                src_key_padding_mask=self.padding, memory_key_padding_mask=self.padding)


record(out, "stacks", Stacks(), (2, 5, 8), (2, 4, 8))

encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, norm_first=True), 3, nn.LayerNorm(8), False)
with torch.no_grad():
    for parameter in encoder.parameters():
        parameter.copy_(torch.randn_like(parameter) * 0.4)
encoder.eval()
x = torch.randn(5, 2, 8)
out["saved.x"], out["saved.y"] = x, encoder(x)
write("transformer")
out.update(encoder.state_dict())
write("transformer_state")
