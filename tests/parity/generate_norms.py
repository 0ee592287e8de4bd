"""Writes tests/parity/nn/norms.safetensors: what PyTorch's normalisations compute with every option.

usage: generate_norms.py       (needs torch and safetensors; the seed is fixed)
For each case: the output and the gradients of sum(y * upstream) in training mode, the buffers after four
training batches x0, x1, x2, x3, and what evaluation makes of eval_x then. tests/unit/nn reads it.
"""

import pathlib

import torch
from safetensors.torch import save_file
from torch import nn

torch.manual_seed(11)
torch.set_num_threads(1)
out = {}


def record(name, module, shape, spread=2.0, shift=1.0):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    for key, value in module.state_dict().items():
        out[f"{name}.{key}"] = value.clone()
    for k in range(4):
        x = (torch.randn(shape) * spread + shift).requires_grad_()
        y = module(x)
        out[f"{name}.x{k}"] = x
        if k == 0:
            upstream = torch.randn_like(y)
            (y * upstream).sum().backward()
            out[f"{name}.y"], out[f"{name}.upstream"], out[f"{name}.dx0"] = y, upstream, x.grad
            for key, parameter in module.named_parameters():
                out[f"{name}.d{key}"] = parameter.grad
    for key, value in module.named_buffers():
        out[f"{name}.after.{key}"] = value.clone()
    module.eval()
    out[f"{name}.eval_x"] = torch.randn(shape)
    out[f"{name}.eval_y"] = module(out[f"{name}.eval_x"])


record("batch_1d", nn.BatchNorm1d(6), (8, 6))
record("batch_line", nn.BatchNorm1d(6), (4, 6, 5))
record("batch_2d", nn.BatchNorm2d(5), (3, 5, 4, 2))
record("batch_3d", nn.BatchNorm3d(3, eps=1e-2, momentum=0.3), (2, 3, 2, 3, 2))
record("batch_plain", nn.BatchNorm1d(6, affine=False, track_running_stats=False), (8, 6))
record("batch_cumulative", nn.BatchNorm2d(3, momentum=None, affine=False), (4, 3, 2, 2))


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x) * self.norm(x * x)


record("batch_twice", Twice(), (6, 3))
record("instance_1d", nn.InstanceNorm1d(4), (3, 4, 5))
record("instance_2d", nn.InstanceNorm2d(3, affine=True, track_running_stats=True, momentum=0.2), (2, 3, 4, 3))
record("instance_3d", nn.InstanceNorm3d(2, affine=True), (2, 2, 2, 3, 2))
record("instance_single", nn.InstanceNorm1d(4, track_running_stats=True), (4, 5))
record("group_plain", nn.GroupNorm(2, 4, affine=False), (2, 4, 3, 2))
record("layer_no_bias", nn.LayerNorm(7, bias=False, eps=1e-3), (4, 7))
record("layer_plain", nn.LayerNorm((3, 4), elementwise_affine=False), (2, 3, 4))
record("rms_plain", nn.RMSNorm(6, elementwise_affine=False, eps=1e-4), (3, 6))

data = {key: value.detach().clone().contiguous() for key, value in out.items()}
save_file(data, pathlib.Path(__file__).parent / "nn/norms.safetensors", {"format": "pt", "torch": torch.__version__})
