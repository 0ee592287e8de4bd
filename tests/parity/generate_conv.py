"""Writes tests/parity/nn/conv.safetensors and pool.safetensors: what PyTorch computes for convolutions, pooling
and upsampling, values and gradients.

usage: generate_conv.py [FOLDER]       (default: the folder nn beside this file; needs torch and safetensors)
The seeds are fixed: the same PyTorch gives the same files. tests/unit/nn/{conv,pool,upsample}.cpp read them.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from torch import nn

folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "nn"


def save(name, tensors):
    data = {key: value.detach().clone().contiguous() for key, value in tensors.items()}
    save_file(data, folder / f"{name}.safetensors", {"format": "pt", "torch": torch.__version__})


def record(out, name, module, x):
    """Output and gradients of sum(y * upstream). Values are multiples of 1/64, so that sums are exact in f32."""

    def coarse(like, scale):
        return torch.round(torch.randn(like.shape) * scale * 64) / 64

    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(coarse(parameter, 0.5))
    for key, value in module.state_dict().items():
        out[f"{name}.{key}"] = value.clone()
    leaf = x.clone().requires_grad_()
    y = module(leaf)
    upstream = coarse(y, 1)
    (y * upstream).sum().backward()
    out[f"{name}.y"], out[f"{name}.upstream"] = y, upstream
    out[f"{name}.x0"], out[f"{name}.dx0"] = leaf, leaf.grad
    for key, parameter in module.named_parameters():
        out[f"{name}.d{key}"] = parameter.grad


def image(*shape):
    return torch.round(torch.randn(shape) * 64) / 64


def convolutions():
    torch.manual_seed(11)
    out = {}
    record(out, "plain", nn.Conv2d(3, 5, 3), image(2, 3, 7, 6))
    record(out, "strided", nn.Conv2d(3, 16, (3, 2), stride=(2, 1), padding=(1, 2)), image(2, 3, 8, 7))
    record(out, "dilated", nn.Conv2d(2, 4, 3, padding=2, dilation=2, bias=False), image(1, 2, 7, 8))
    record(out, "grouped", nn.Conv2d(4, 6, 3, padding=1, groups=2), image(2, 4, 5, 5))
    record(out, "depthwise", nn.Conv2d(4, 8, 3, stride=2, padding=1, groups=4), image(2, 4, 8, 7))
    record(out, "pointwise", nn.Conv2d(6, 4, 1), image(2, 6, 3, 5))
    record(out, "pointwise_grouped", nn.Conv2d(6, 4, 1, groups=2), image(2, 6, 3, 3))
    record(out, "pointwise_strided", nn.Conv2d(3, 4, 1, stride=2), image(2, 3, 5, 4))
    record(out, "same", nn.Conv2d(2, 3, (4, 3), padding="same", dilation=(1, 2)), image(2, 2, 6, 7))
    record(out, "valid", nn.Conv2d(2, 3, 2, padding="valid"), image(2, 2, 4, 4))
    record(out, "reflect", nn.Conv2d(2, 3, 3, padding=(2, 1), padding_mode="reflect"), image(2, 2, 5, 4))
    record(out, "replicate", nn.Conv2d(2, 3, 3, padding=(1, 3), padding_mode="replicate"), image(2, 2, 5, 4))
    record(out, "circular", nn.Conv2d(2, 3, 3, padding=(2, 1), padding_mode="circular"), image(2, 2, 5, 4))
    record(out, "circular_same", nn.Conv1d(2, 3, 4, padding="same", padding_mode="circular"), image(2, 2, 6))
    record(out, "unbatched", nn.Conv2d(2, 3, 3), image(2, 5, 4))
    record(out, "one", nn.Conv1d(3, 4, 3, stride=2, padding=2), image(2, 3, 9))
    record(out, "one_unbatched", nn.Conv1d(3, 4, 3), image(3, 6))
    record(out, "three", nn.Conv3d(2, 3, (2, 3, 2), stride=(1, 2, 1), padding=(1, 0, 1)), image(1, 2, 3, 5, 4))
    record(out, "wide", nn.Conv2d(5, 17, 3, padding=1), image(1, 5, 6, 6))
    transposed = nn.ConvTranspose2d
    record(out, "transposed", transposed(3, 2, 3), image(2, 3, 4, 5))
    record(
        out,
        "transposed_strided",
        transposed(4, 6, (3, 2), stride=(2, 3), padding=(1, 0), output_padding=(1, 2), groups=2, dilation=(1, 2)),
        image(2, 4, 4, 3),
    )
    record(out, "transposed_unbatched", transposed(3, 2, 2, stride=2, bias=False), image(3, 4, 5))
    record(out, "transposed_one", nn.ConvTranspose1d(3, 2, 4, stride=3, padding=1), image(2, 3, 5))
    record(out, "transposed_three", nn.ConvTranspose3d(2, 2, 2, stride=(1, 2, 2)), image(1, 2, 2, 3, 2))
    save("conv", out)


convolutions()
