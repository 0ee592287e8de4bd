"""Writes tests/parity/nn/layer_dtypes.safetensors: layers whose parameters are doubles, or of 16 bits.

usage: generate_layer_dtypes.py       (needs torch and safetensors)

For the networks Image and Text: three steps of SGD in f64 ("Image.f64.start.", "Image.f64.after."), and of the
same start in bf16 what a forward pass in training mode gives and leaves in the buffers, and one in evaluation.
Numbers are floats exactly, as weft's are, so that f64 can agree to its rounding.
"""

import pathlib

import torch
from safetensors.torch import save_file
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(17)
out = {}
eps, momentum = 2**-17, 0.125


class Image(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 6, 3, padding=1)
        self.batch = nn.BatchNorm2d(6, eps=eps, momentum=momentum)
        self.group = nn.GroupNorm(3, 6, eps=eps)
        self.single = nn.InstanceNorm2d(6, eps=eps, momentum=momentum, affine=True, track_running_stats=True)
        self.up = nn.ConvTranspose2d(6, 4, 2, stride=2, bias=False)
        self.row = nn.LayerNorm(16, eps=eps, bias=False)

    def forward(self, x):
        return self.row(self.up(self.single(torch.tanh(self.group(torch.tanh(self.batch(self.conv(x))))))))


class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 8, padding_idx=0)
        self.layer = nn.TransformerEncoderLayer(8, 2, 12, 0.0, "gelu", eps, batch_first=True)
        self.rms = nn.RMSNorm(8, eps=eps)
        self.layer_norm = nn.LayerNorm(8, eps=eps)

    def forward(self, index):
        return self.layer_norm(torch.tanh(self.rms(self.layer(self.table(index)))))


def record(name, make, x):
    start = make().double()
    with torch.no_grad():  # gains of 1 and offsets of 0 would hide mistakes
        for key, p in start.named_parameters():
            p.copy_(torch.randn_like(p) * 0.5)
        if name == "Text":
            start.table.weight[0] = 0

    out[f"{name}.x"] = x
    out.update({f"{name}.f64.start.{k}": v.clone() for k, v in start.state_dict().items()})
    small = make().bfloat16()
    small.load_state_dict(start.state_dict())
    out.update({f"{name}.bf16.start.{k}": v.clone() for k, v in small.state_dict().items()})
    small_x = x if x.dtype == torch.int64 else x.bfloat16()
    small(small_x)
    out.update({f"{name}.bf16.after.{k}": v.clone() for k, v in small.named_buffers()})
    small.eval()
    out[f"{name}.bf16.eval_y"] = small(small_x)
    exact = make().double()
    exact.load_state_dict({k: v.double() if v.is_floating_point() else v for k, v in small.state_dict().items()})
    exact.eval()
    out[f"{name}.bf16.exact_y"] = exact(small_x if x.dtype == torch.int64 else small_x.double())

    upstream = torch.randn_like(start(x).detach())  # moves the buffers once
    start.load_state_dict({k.removeprefix(f"{name}.f64.start."): v for k, v in out.items() if k.startswith(f"{name}.f64.start.")})
    optimizer = torch.optim.SGD(start.parameters(), lr=2**-4)
    out[f"{name}.upstream"] = upstream
    for _ in range(3):
        optimizer.zero_grad()
        (start(x) * upstream).sum().backward()
        optimizer.step()
    out.update({f"{name}.f64.after.{k}": v.clone() for k, v in start.state_dict().items()})


record("Image", Image, torch.randn(3, 4, 8, 8, dtype=torch.float64))
record("Text", Text, torch.randint(0, 9, (2, 5)))
save_file({k: v.detach().contiguous() for k, v in out.items()},
          pathlib.Path(__file__).parent / "nn" / "layer_dtypes.safetensors")
