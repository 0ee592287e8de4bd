#!/usr/bin/env python3
"""Writes tests/parity/nn/f8_training.safetensors: steps of SGD of a small network whose inner products are taken
in e4m3 and whose gradients in e5m2, with delayed scaling, by PyTorch's own conversions to 8 bits and bf16.

Everything is f32, rounded where include/weft/transforms/delayed_scaling.hpp says; sums are made in f64 and
rounded once. Of every step: the loss, all parameters, and of each tensor the scale and the magnitudes behind it.
Run: python tests/parity/generate_f8_training.py (PyTorch 2.x, CPU).
"""
import pathlib

import torch
from safetensors.torch import save_file

HISTORY, MARGIN, STEPS, RATE = 3, 1, 7, 0.03125
LARGEST = {torch.float8_e4m3fn: 448.0, torch.float8_e5m2: 57344.0}
torch.manual_seed(20261125)


def bf16(x):
    return x.to(torch.bfloat16).float()


def product(a, b):
    return (a.double() @ b.double()).float()


class Scaled:
    """A tensor's scale; round(x) takes x to 8 bits at the scale of the steps before and remembers x."""

    def __init__(self, name, dtype):
        self.name, self.dtype = name, dtype
        self.scale, self.history = torch.tensor(1.0), torch.zeros(HISTORY)

    def round(self, x):
        most, self.used = LARGEST[self.dtype], self.scale
        self.history = torch.cat([x.abs().max().reshape(1), self.history[:-1]])
        top = self.history.max()
        rounded = (x * self.scale).clamp(-most, most).to(self.dtype).float()
        if top > 0:
            self.scale = torch.tensor(most / 2 ** MARGIN) / top
        return rounded

    def inverse(self):
        return 1 / self.used


class Layer8:
    """y = x w^T + bias in 8 bits; `keeps`: y is added to a residual, and not rounded."""

    def __init__(self, name, keeps=False):
        self.name, self.keeps = name, keeps
        self.weight, self.gradient = Scaled(f"weight.{name}.weight", torch.float8_e4m3fn), \
            Scaled(f"gradient.{name}.weight", torch.float8_e5m2)

    def forward(self, input, x8, p):
        self.input, self.x8, self.w8 = input, x8, self.weight.round(p[self.name + ".weight"])
        y = product(x8, self.w8.T) * input.inverse() * self.weight.inverse()
        return (y if self.keeps else bf16(y)) + p[self.name + ".bias"]

    def backward(self, g, grads):
        g8 = self.gradient.round(g)
        grads[self.name + ".weight"] = product(g8.T, self.x8) * self.input.inverse() * self.gradient.inverse()
        grads[self.name + ".bias"] = g.double().sum(0).float()
        return bf16(product(g8, self.w8) * self.weight.inverse() * self.gradient.inverse())


def layer16(x, name, p):
    return bf16(product(bf16(x), bf16(p[name + ".weight"]).T)) + p[name + ".bias"]


def main():
    rows, width = 12, 16
    shapes = {"first": (width, 8), "b": (width, width), "c": (width, width), "d": (width, width), "last": (4, width)}
    p = {}
    for name, shape in shapes.items():
        p[name + ".weight"] = torch.randn(shape) * shape[1] ** -0.5
        p[name + ".bias"] = torch.randn(shape[0]) * 0.1
    out = {"start." + k: v.clone() for k, v in p.items()}
    h_scale, z_scale = Scaled("input.b.weight", torch.float8_e4m3fn), Scaled("input.d.weight", torch.float8_e4m3fn)
    b, c, d = Layer8("b"), Layer8("c"), Layer8("d", keeps=True)
    scaled = [h_scale, z_scale] + [s for layer in (b, c, d) for s in (layer.weight, layer.gradient)]
    for step in range(STEPS):
        # magnitudes that rise and fall: the scales must follow
        x = torch.randn(rows, 8) * (4.0 if step in (2, 3) else 0.5)
        y = torch.randn(rows, 4) * (8.0 if step == 4 else 1.0)
        first = layer16(x, "first", p)
        h = first.relu()
        h8 = h_scale.round(h)
        u_in, v = b.forward(h_scale, h8, p), c.forward(h_scale, h8, p)
        u = u_in.relu()
        uv = u * v
        z = h + d.forward(z_scale, z_scale.round(uv), p)
        last = layer16(z, "last", p)
        error = last - y
        loss = (error * error).double().mean().float()
        grads = {}
        g = error * torch.tensor(2 / error.numel(), dtype=torch.float32)
        grads["last.weight"] = product(bf16(g).T, bf16(z))
        grads["last.bias"] = g.double().sum(0).float()
        dz = bf16(product(bf16(g), bf16(p["last.weight"])))
        duv = d.backward(dz, grads)
        dh = dz + (b.backward(duv * v * (u_in > 0), grads) + c.backward(duv * u, grads))
        dfirst = dh * (first > 0)
        grads["first.weight"] = product(bf16(dfirst).T, bf16(x))
        grads["first.bias"] = dfirst.double().sum(0).float()
        for key in p:
            p[key] = p[key] - RATE * grads[key]
        out |= {f"{step}.x": x, f"{step}.y": y, f"{step}.loss": loss}
        out |= {f"{step}.{k}": v.clone() for k, v in p.items()}
        for s in scaled:
            out |= {f"{step}.f8.scale.{s.name}": s.scale.clone(), f"{step}.f8.magnitudes.{s.name}": s.history.clone()}
        print(step, float(loss))
    save_file(out, pathlib.Path(__file__).parent / "nn" / "f8_training.safetensors")


main()
