"""Writes tests/parity/nn/{conv,pool,upsample,interpolate}.safetensors: what PyTorch computes for convolutions, pooling
and upsampling, values and gradients.

usage: generate_conv.py [FOLDER]       (default: the folder nn beside this file; needs torch and safetensors)
The seeds are fixed: the same PyTorch gives the same files. tests/unit/nn/{conv,pool,upsample}.cpp
and tests/unit/ops/nn/interpolate.cpp read them.
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



def pooling():
    torch.manual_seed(12)
    out = {}

    def coarse(*shape):
        """Few distinct values, so that windows hold several greatest elements."""
        return torch.randint(-2, 3, shape).float() / 2

    modules = {
        "max": (nn.MaxPool2d(2), coarse(2, 3, 6, 8)),
        "max_rest": (nn.MaxPool2d((3, 2)), coarse(2, 3, 7, 5)),
        "max_overlapping": (nn.MaxPool2d(3, stride=2, padding=1), coarse(2, 3, 7, 8)),
        "max_ceil": (nn.MaxPool2d(3, stride=2, ceil_mode=True), coarse(2, 2, 6, 8)),
        "max_dilated": (nn.MaxPool2d((2, 3), stride=1, dilation=(2, 1), padding=(0, 1)), coarse(2, 2, 5, 6)),
        "max_large": (nn.MaxPool2d((4, 5), stride=(2, 1), padding=(2, 1)), coarse(2, 2, 7, 8)),
        "max_unbatched": (nn.MaxPool2d(2), coarse(3, 4, 4)),
        "max_one": (nn.MaxPool1d(3, stride=1), coarse(2, 3, 7)),
        "max_three": (nn.MaxPool3d(2, stride=(2, 1, 2)), coarse(2, 2, 4, 3, 4)),
        "average": (nn.AvgPool2d(2), image(2, 3, 6, 7)),
        "average_overlapping": (nn.AvgPool2d(3, stride=(1, 2), padding=1), image(2, 3, 6, 7)),
        "average_uncounted": (nn.AvgPool2d(3, 2, padding=1, count_include_pad=False), image(2, 3, 7, 6)),
        "average_ceil": (nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True), image(2, 2, 6, 8)),
        "average_divisor": (nn.AvgPool2d((2, 3), divisor_override=5), image(2, 2, 6, 8)),
        "average_large": (nn.AvgPool2d((6, 4)), image(2, 2, 12, 8)),
        "average_one": (nn.AvgPool1d(3, stride=2), image(2, 3, 8)),
        "average_three": (nn.AvgPool3d((2, 3, 2), stride=1), image(1, 2, 3, 4, 4)),
        "adaptive_average": (nn.AdaptiveAvgPool2d((2, 4)), image(2, 3, 6, 8)),
        "adaptive_average_all": (nn.AdaptiveAvgPool2d(1), image(2, 3, 5, 7)),
        "adaptive_average_uneven": (nn.AdaptiveAvgPool2d((3, 2)), image(2, 3, 7, 5)),
        "adaptive_average_one": (nn.AdaptiveAvgPool1d(4), image(3, 6)),
        "adaptive_average_three": (nn.AdaptiveAvgPool3d((1, 2, 2)), image(1, 2, 3, 4, 6)),
        "adaptive_max": (nn.AdaptiveMaxPool2d((3, 2)), coarse(2, 3, 6, 8)),
        "adaptive_max_all": (nn.AdaptiveMaxPool2d(1), coarse(2, 3, 5, 7)),
        "adaptive_max_uneven": (nn.AdaptiveMaxPool2d((3, 2)), coarse(2, 3, 7, 5)),
        "adaptive_max_one": (nn.AdaptiveMaxPool1d(2), coarse(2, 3, 6)),
        "adaptive_max_three": (nn.AdaptiveMaxPool3d((1, 2, 1)), coarse(1, 2, 2, 4, 3)),
    }
    for name, (module, x) in modules.items():
        record(out, name, module, x)
    # what is not a number wins; the gradient of y's sum
    x = image(1, 2, 6, 6)
    x[0, 0, 1, 1] = x[0, 1, 2, 3] = x[0, 1, 3, 2] = float("nan")
    x[0, 0, 4, :] = -float("inf")
    out["special.x"] = x
    for name, module in (("special", nn.MaxPool2d(2)), ("special_large", nn.MaxPool2d(4, stride=1))):
        leaf = x.clone().requires_grad_()
        y = module(leaf)
        y.backward(torch.ones_like(y))
        out[f"{name}.y"], out[f"{name}.dx"] = y, leaf.grad
    save("pool", out)


def upsampling():
    torch.manual_seed(13)
    out = {}
    modules = {
        "nearest": (nn.Upsample(scale_factor=2), image(2, 3, 3, 4)),
        "nearest_size": (nn.Upsample(size=(5, 7)), image(2, 2, 3, 4)),
        "nearest_smaller": (nn.Upsample(size=(3, 2)), image(2, 2, 7, 5)),
        "nearest_one": (nn.Upsample(scale_factor=3), image(2, 3, 4)),
        "nearest_three": (nn.Upsample(scale_factor=(1, 2, 3)), image(1, 2, 2, 3, 2)),
        "linear": (nn.Upsample(scale_factor=2, mode="linear"), image(2, 3, 5)),
        "linear_aligned": (nn.Upsample(size=9, mode="linear", align_corners=True), image(2, 3, 5)),
        "bilinear": (nn.Upsample(scale_factor=2, mode="bilinear"), image(2, 2, 3, 4)),
        "bilinear_aligned": (nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), image(2, 2, 3, 4)),
        "bilinear_size": (nn.Upsample(size=(7, 3), mode="bilinear"), image(2, 2, 4, 5)),
        "bilinear_size_aligned": (nn.Upsample(size=(7, 1), mode="bilinear", align_corners=True), image(2, 2, 4, 5)),
        "trilinear": (nn.Upsample(scale_factor=2, mode="trilinear"), image(1, 2, 2, 3, 2)),
    }
    for name, (module, x) in modules.items():
        record(out, name, module, x)
    save("upsample", out)


def interpolation():
    """Of inputs of one to three spatial axes; the gradient is that of sum(y * upstream's first elements)."""
    torch.manual_seed(14)
    out = {"x1": image(2, 3, 7), "x2": image(2, 2, 5, 7), "x3": image(1, 2, 3, 4, 5), "upstream": image(600)}
    cases = {
        "nearest": ("x1", dict(size=10)),
        "nearest_factor": ("x1", dict(scale_factor=1.7)),
        "exact": ("x1", dict(size=4, mode="nearest-exact")),
        "exact_factor": ("x1", dict(scale_factor=0.65, mode="nearest-exact")),
        "linear_smaller": ("x1", dict(size=4, mode="linear")),
        "linear_factor": ("x1", dict(scale_factor=1.7, mode="linear")),
        "linear_recomputed": ("x1", dict(scale_factor=1.7, mode="linear", recompute_scale_factor=True)),
        "linear_aligned": ("x1", dict(scale_factor=1.7, mode="linear", align_corners=True)),
        "area": ("x1", dict(scale_factor=0.5, mode="area")),
        "exact_two": ("x2", dict(scale_factor=(2, 1.3), mode="nearest-exact")),
        "bilinear_factors": ("x2", dict(scale_factor=(1.5, 0.7), mode="bilinear")),
        "bilinear_antialias": ("x2", dict(size=(3, 9), mode="bilinear", antialias=True)),
        "bicubic": ("x2", dict(size=(8, 4), mode="bicubic")),
        "bicubic_factor": ("x2", dict(scale_factor=(2, 1.1), mode="bicubic")),
        "bicubic_aligned": ("x2", dict(size=(3, 10), mode="bicubic", align_corners=True)),
        "bicubic_antialias": ("x2", dict(scale_factor=(0.6, 0.5), mode="bicubic", antialias=True)),
        "nearest_three": ("x3", dict(size=(2, 6, 8))),
        "trilinear": ("x3", dict(size=(5, 3, 7), mode="trilinear")),
        "trilinear_aligned": ("x3", dict(scale_factor=1.5, mode="trilinear", align_corners=True)),
        "area_three": ("x3", dict(size=(2, 4, 3), mode="area")),
    }
    for name, (x, options) in cases.items():
        leaf = out[x].clone().requires_grad_()
        y = nn.functional.interpolate(leaf, **options)
        (y * out["upstream"][:y.numel()].reshape(y.shape)).sum().backward()
        out[f"{name}.y"], out[f"{name}.dx"] = y, leaf.grad
    save("interpolate", out)


convolutions()
pooling()
upsampling()
interpolation()
