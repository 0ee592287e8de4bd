#!/usr/bin/env python3
"""Writes tests/parity/data/image.txt: PyTorch's results and gradients for operations on images and windows.

A group is one function of tests/unit/ops/image_*.cpp, in f64. Run: python tests/parity/generate_image.py (PyTorch 2.x,
CPU).
"""
import torch
import torch.nn.functional as F

from traced import Traced, numbers

torch.manual_seed(20250811)
group = Traced()
inf, nan = float("inf"), float("nan")

# ---- frames
x1, x2, x3, none = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 3, 4, 3), numbers(0, 3, 4, 5)
group("pad", [x1, x2, x3], lambda a, b, c: [
    F.pad(a, (2, 3), mode="reflect"), F.pad(a, (4, 0), mode="reflect"), F.pad(a, (0, 7), mode="replicate"),
    F.pad(a, (5, 5), mode="circular"), F.pad(a, (-1, 2), mode="reflect"), F.pad(a, (2, -2), mode="replicate"),
    F.pad(a, (-1, 3), mode="circular"), F.pad(b, (1, 2, 3, 0), mode="reflect"), F.pad(b, (3, 0, 1, 5), mode="replicate"),
    F.pad(b, (0, 4, 2, 2), mode="circular"), F.pad(b, (1, 1, -1, 2), mode="reflect"),
    F.pad(c, (1, 2, 0, 3, 1, 1), mode="reflect"), F.pad(c, (1, 2, 0, 3, 1, 1), mode="replicate"),
    F.pad(c, (3, 1, 4, 0, 2, 3), mode="circular")])
group("pad_empty", [none], lambda a: [F.pad(a, (1, 2, 3, 0), mode=m) for m in ("reflect", "replicate", "circular")])
odd = torch.tensor([[1.0, nan, inf, -0.0]], dtype=torch.float64)
group("pad_special", [odd], lambda a: [F.pad(a, (2, 3), mode=m) for m in ("reflect", "replicate", "circular")], order=0)
group("pad_layers", [x2, x3], lambda b, c: [
    torch.nn.ConstantPad1d((1, 2), 3.5)(b), torch.nn.ConstantPad2d(2, -1)(b), torch.nn.ZeroPad2d((1, 0, -1, 2))(b),
    torch.nn.ReflectionPad1d(2)(b), torch.nn.ReflectionPad2d((1, 2, 3, 0))(b), torch.nn.ReplicationPad3d(1)(c),
    torch.nn.CircularPad2d((1, 2, 0, 3))(b), torch.nn.ConstantPad3d((1, 0, 0, 2, 1, 1), 0.5)(c)])

# ---- pixels and channels
p, q = numbers(2, 8, 2, 3), numbers(2, 6, 4, 6)
group("pixels", [p, q], lambda a, b: [
    F.pixel_shuffle(a, 2), F.pixel_shuffle(a[0], 1), F.pixel_unshuffle(b, 2), F.pixel_unshuffle(b[1, 0:1], 2),
    F.channel_shuffle(b, 3), F.channel_shuffle(a, 4), F.channel_shuffle(b.flatten(2), 2), F.pixel_shuffle(a.reshape(1, 2, 1, 8, 2, 3), 2)])
group("pixels_empty", [numbers(0, 8, 2, 3), numbers(2, 8, 0, 3)], lambda a, b: [
    F.pixel_shuffle(a, 2), F.pixel_shuffle(b, 2), F.channel_shuffle(a, 4)], order=0)

# ---- windows as columns
image, plain = numbers(2, 3, 5, 6), numbers(2, 4, 5)
group("unfold", [image, plain], lambda a, b: [
    F.unfold(a, (2, 3)), F.unfold(a, 2, padding=1), F.unfold(a, (3, 2), stride=(2, 1), padding=(0, 1)),
    F.unfold(a, 2, dilation=(2, 3)), F.unfold(a, (1, 6)), F.unfold(b, 2), F.unfold(a, 2, stride=2), F.unfold(b, 2, stride=2, padding=1)])
columns, flat = numbers(2, 12, 20), numbers(8, 6)
group("fold", [columns, flat], lambda a, b: [
    F.fold(a, (5, 6), 2), F.fold(a, (6, 5), 2), F.fold(a[:, :, :6], (4, 6), 2, stride=2), F.fold(a[:, :, :12], (5, 4), (2, 3), padding=1, stride=(2, 1)),
    F.fold(b, (3, 4), 2), F.fold(b[:, :4], (4, 4), 2, stride=2), F.fold(b[:, :4], (3, 3), 2, stride=3, padding=1), F.fold(b, (4, 5), 2, dilation=(2, 2))])
group("unfold_empty", [numbers(0, 3, 5, 6), numbers(0, 12, 20)], lambda a, b: [F.unfold(a, (2, 3)), F.fold(b, (5, 6), 2)])

# ---- pooling with places
tied = torch.tensor([[[1.0, 3, 3, 2], [3, 3, 0, 2], [-inf, -inf, 5, nan], [-inf, -inf, nan, 4]]], dtype=torch.float64)
line, cube = numbers(2, 2, 9), numbers(1, 2, 4, 3, 4)
def places(pool, *arguments, **named):
    return lambda a: list(pool(a, *arguments, return_indices=True, **named))
for name, t, f in [
        ("plain", image, places(F.max_pool2d, 2)), ("window", image, places(F.max_pool2d, 3, stride=(2, 1), padding=1)),
        ("dilated", image, places(F.max_pool2d, 2, stride=1, dilation=(2, 3))), ("ceil", image, places(F.max_pool2d, 2, ceil_mode=True)),
        ("unbatched", plain, places(F.max_pool2d, (3, 2))), ("line", line, places(F.max_pool1d, 3, stride=2, padding=1)),
        ("cube", cube, places(F.max_pool3d, (2, 3, 2), stride=(2, 1, 1))), ("adaptive", image, places(F.adaptive_max_pool2d, (3, 4))),
        ("adaptive_line", line, places(F.adaptive_max_pool1d, 4)), ("adaptive_cube", cube, places(F.adaptive_max_pool3d, (3, 2, 2)))]:
    group("places_" + name, [t], f)
group("places_tied", [tied], lambda a: list(F.max_pool2d(a, 2, return_indices=True)) + list(F.max_pool2d(a, 2, stride=1, return_indices=True)), order=0)
pooled, where = F.max_pool2d(image, 2, ceil_mode=True, return_indices=True)
small, at = F.max_pool1d(line, 3, stride=3, return_indices=True)
deep, inside = F.max_pool3d(cube, 2, return_indices=True)
group("unpool", [pooled, where, small, at, deep, inside], lambda a, i, b, j, c, k: [
    F.max_unpool2d(a, i, 2, output_size=(5, 6)), F.max_unpool1d(b, j, 3), F.max_unpool1d(b[0], j[0], 3), F.max_unpool3d(c, k, 2, output_size=(4, 3, 4)),
    F.max_unpool2d(a, i, 2, padding=0, stride=3)])

# ---- pooling by a norm, of random windows
positive = numbers(2, 3, 5, 6, low=0.1, high=2)
group("lp_pool", [positive, line.abs(), cube.abs()], lambda a, b, c: [
    F.lp_pool2d(a, 2, 2), F.lp_pool2d(a, 1, (2, 3), stride=1), F.lp_pool2d(a, 3.5, 2, ceil_mode=True), F.lp_pool1d(b, 3, 2), F.lp_pool3d(c, 2, 2),
    torch.nn.LPPool2d(1.5, 3, stride=2)(a)], order=2)
group("lp_pool_signs", [numbers(2, 3, 4, 4), torch.zeros(1, 2, 4, dtype=torch.float64)], lambda a, b: [F.lp_pool2d(a, 2, 2), F.lp_pool1d(b, 2, 2), F.lp_pool1d(b, 3, 2)])
u2, u3 = numbers(2, 3, 2, low=0, high=0.999), numbers(1, 2, 3, low=0, high=0.999)
group("fractional", [image, cube, u2, u3], lambda a, b, u, v: [
    *F.fractional_max_pool2d(a, 2, output_size=(3, 4), return_indices=True, _random_samples=u.detach()),
    F.fractional_max_pool2d(a, (3, 2), output_ratio=(0.5, 0.7), _random_samples=u.detach()),
    F.fractional_max_pool2d(a[0], 2, output_size=(4, 1), _random_samples=u[:1].detach()),
    *F.fractional_max_pool3d(b, (2, 1, 2), output_size=(2, 2, 2), return_indices=True, _random_samples=v.detach())])

# ---- images at places of one's own
grid2, grid3 = numbers(2, 3, 4, 2, low=-1.4, high=1.4), numbers(1, 2, 2, 3, 3, low=-1.3, high=1.3)
grid2[0, 0] = torch.tensor([[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [7.3, -3.1]], dtype=torch.float64)
volume, tiny = numbers(1, 2, 3, 4, 2), numbers(2, 1, 1, 3)
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        group(f"grid_{mode}_{padding}", [image[:, :2], grid2, tiny], lambda a, g, t: [
            F.grid_sample(a, g, mode=mode, padding_mode=padding, align_corners=False),
            F.grid_sample(a, g, mode=mode, padding_mode=padding, align_corners=True),
            F.grid_sample(t, g[:, :1], mode=mode, padding_mode=padding, align_corners=True),
            F.grid_sample(t, g[:, :1], mode=mode, padding_mode=padding, align_corners=False)])
group("grid_volume", [volume, grid3], lambda a, g: [
    F.grid_sample(a, g, mode=m, padding_mode=p, align_corners=c)
    for m, p, c in (("bilinear", "zeros", False), ("bilinear", "border", True), ("nearest", "reflection", False), ("bilinear", "reflection", True))])
wild = torch.tensor([[[[nan, 0.5], [inf, 0.0], [-inf, -inf], [1e30, -1e30], [0.25, nan]]]], dtype=torch.float64)
group("grid_wild", [image[:1], wild], lambda a, g: [F.grid_sample(a, g, padding_mode=p, align_corners=False) for p in ("border",)], order=0)
group("grid_empty", [numbers(0, 2, 3, 4), numbers(0, 2, 2, 2), image, numbers(2, 0, 3, 2)], lambda a, g, b, h: [
    F.grid_sample(a, g, align_corners=False), F.grid_sample(b, h, align_corners=False)])
theta2, theta3 = numbers(2, 2, 3), numbers(1, 3, 4)
group("affine_grid", [theta2, theta3], lambda a, b: [
    F.affine_grid(a, (2, 3, 4, 5), align_corners=False), F.affine_grid(a, (2, 1, 4, 5), align_corners=True), F.affine_grid(a, (2, 1, 1, 3), align_corners=True),
    F.affine_grid(b, (1, 2, 2, 3, 4), align_corners=False), F.affine_grid(b, (1, 2, 2, 3, 1), align_corners=True)])

# ---- across channels
group("local_response", [image, line], lambda a, b: [
    F.local_response_norm(a, 3), F.local_response_norm(a, 4, alpha=0.5, beta=0.6, k=2.0), F.local_response_norm(b, 1, alpha=0.3),
    torch.nn.LocalResponseNorm(5, alpha=0.2, beta=1.5, k=0.5)(b)], order=2)

# ---- a few of each as one compiled program in f32
single = [numbers(1, 2, 4, 4, dtype=torch.float32), numbers(1, 3, 3, 2, low=-1.2, high=1.2, dtype=torch.float32)]
def compiled(a, g):
    y, i = F.max_pool2d(a, 2, return_indices=True)
    return [F.pad(a, (1, 2, 3, 0), mode="reflect"), F.pad(a, (1, 2, 3, 0), mode="circular"), F.pixel_unshuffle(a, 2), F.channel_shuffle(a, 2),
            F.fold(F.unfold(a, 3, padding=1), (4, 4), 3, padding=1), y, i, F.max_unpool2d(y * y, i, 2), F.lp_pool2d(a.abs(), 3, 2), F.grid_sample(a, g, align_corners=False),
            F.grid_sample(a, g, mode="bicubic", padding_mode="reflection", align_corners=True), F.affine_grid(g.reshape(3, 2, 3), (3, 1, 2, 2), align_corners=False),
            F.local_response_norm(a, 3, alpha=0.5), F.adaptive_max_pool2d(a, 3, return_indices=True)[1]]
group("compiled", single, compiled, order=0)

group.write("image.txt")
