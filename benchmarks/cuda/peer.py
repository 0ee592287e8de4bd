#!/usr/bin/env python3
"""The cases of `./weft bench cuda` in PyTorch, one a process: `peer.py NAME:WAY` speaks as host/worker.hpp does.

WAY is eager, compile (torch.compile) or graph (torch.compile with mode="reduce-overhead", which replays a CUDA graph).
Times are of events around some milliseconds of executions, by execution.
"""

import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F

WARM_UP = 10


def optimizer_of(model, **options):
    return torch.optim.AdamW(model.parameters(), fused=True, **options)


def classifier(model, image, classes=10, dtype=None):
    """A training step: the forward and backward pass may be compiled, the fused update is one kernel. Products are in
    `dtype` where it is given."""
    model = model.cuda()
    optimizer = optimizer_of(model, lr=1e-3, weight_decay=0.01)
    x = torch.randn(*image, device="cuda")
    label = torch.randint(0, classes, (image[0],), device="cuda")

    def make(way):
        def value():
            with torch.autocast("cuda", dtype, enabled=dtype is not None):
                return F.cross_entropy(model(x), label)

        loss = way(value)

        def run():
            optimizer.zero_grad(set_to_none=True)
            loss().backward()
            optimizer.step()

        return run

    return make


def mlp(widths, batch):
    layers = []
    for n_in, n_out in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(n_in, n_out), torch.nn.ReLU()]
    return classifier(torch.nn.Sequential(*layers[:-1]), (batch, widths[0]))


class ResidualBlock(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up, self.down = torch.nn.Linear(width, width), torch.nn.Linear(width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x)), approximate="tanh"))


def residual_mlp():
    blocks = [ResidualBlock(1024) for _ in range(12)]
    model = torch.nn.Sequential(*blocks, torch.nn.LayerNorm(1024), torch.nn.Linear(1024, 10))
    return classifier(model, (1024, 1024), dtype=torch.bfloat16)


def adamw():
    """The parameters of GPT-2 124M (positions apart), the gradient of the sum of their squares, a clipped norm."""
    block = [(2304, 768), (2304,), (768, 768), (768,), (3072, 768), (3072,), (768, 3072), (768,)] + [(768,)] * 4
    weights = torch.nn.ParameterList([torch.nn.Parameter(0.02 * torch.randn(*s, device="cuda"))
                                      for s in [(50257, 768)] + block * 12])
    optimizer = torch.optim.AdamW(weights, lr=1e-3, weight_decay=0.1, fused=True)

    def make(way):
        loss = way(lambda: sum(p.square().sum() for p in weights))

        def run():
            optimizer.zero_grad(set_to_none=True)
            loss().backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()

        return run

    return make


def conv_net():
    return classifier(torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 3), torch.nn.ReLU(), torch.nn.Conv2d(32, 64, 3), torch.nn.ReLU(),
        torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(64 * 12 * 12, 128), torch.nn.ReLU(),
        torch.nn.Linear(128, 10)), (64, 1, 28, 28))


def forward(function, *shapes, dtype=torch.float32):
    x = [torch.randn(*shape, device="cuda", dtype=dtype) for shape in shapes]

    def make(way):
        f = way(function)

        @torch.no_grad()
        def run():
            f(*x)

        return run

    return make


def both_ways(function, *arguments, upstream=None):
    """The value, and the gradients by all arguments of floating-point numbers."""
    leaves = [a.requires_grad_() if a.is_floating_point() else a for a in arguments]

    def make(way):
        f = way(function)

        def run():
            for leaf in leaves:
                leaf.grad = None
            f(*leaves).backward(upstream)

        return run

    return make


def layer_norm():
    x, weight, bias, upstream = (torch.randn(*s, device="cuda") for s in ((32768, 1024), (1024,), (1024,), (32768, 1024)))
    return both_ways(lambda x, w, b: F.layer_norm(x, (1024,), w, b), x, weight, bias, upstream=upstream)


def rms_norm():
    x, weight, upstream = (torch.randn(*s, device="cuda") for s in ((32768, 1024), (1024,), (32768, 1024)))
    return both_ways(lambda x, w: F.rms_norm(x, (1024,), w), x, weight, upstream=upstream)


def cross_entropy():
    return both_ways(F.cross_entropy, torch.randn(16384, 50257, device="cuda", dtype=torch.bfloat16),
                     torch.randint(0, 50257, (16384,), device="cuda"))


def causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def attention(*shape, gradients):
    if not gradients:
        return forward(causal, *[shape] * 3, dtype=torch.bfloat16)
    q, k, v, upstream = (torch.randn(*shape, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    return both_ways(causal, q, k, v, upstream=upstream)


def conv(x, weight):
    return F.conv2d(x, weight, padding=1)


def conv_both():
    x, weight, upstream = (torch.randn(*s, device="cuda", dtype=torch.bfloat16)
                           for s in ((64, 256, 28, 28), (256, 256, 3, 3), (64, 256, 28, 28)))
    return both_ways(conv, x, weight, upstream=upstream)


def linear_gelu(x, weight, bias):
    return F.gelu(F.linear(x, weight, bias), approximate="tanh")


def linear_residual(x, weight, bias, residual):
    return residual + F.linear(x, weight, bias)


class Block(torch.nn.Module):
    def __init__(self, c, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(c), torch.nn.LayerNorm(c)
        self.c_attn, self.c_proj = torch.nn.Linear(c, 3 * c), torch.nn.Linear(c, c)
        self.c_fc, self.c_out = torch.nn.Linear(c, 4 * c), torch.nn.Linear(4 * c, c)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2)
                   for y in self.c_attn(self.ln_1(x)).split(c, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1, is_causal=True)
        x = x + F.dropout(self.c_proj(y.transpose(1, 2).reshape(b, t, c)), 0.1)
        return x + F.dropout(self.c_out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")), 0.1)


class Gpt2(torch.nn.Module):
    def __init__(self, t=1024, c=768, heads=12, vocabulary=50257, layers=12):
        super().__init__()
        self.wte, self.wpe = torch.nn.Embedding(vocabulary, c), torch.nn.Embedding(t, c)
        self.h = torch.nn.ModuleList(Block(c, heads) for _ in range(layers))
        self.ln_f = torch.nn.LayerNorm(c)

    def forward(self, tokens):
        x = F.dropout(self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device)), 0.1)
        for block in self.h:
            x = block(x)
        return F.linear(self.ln_f(x), self.wte.weight)


def gpt2():
    model = Gpt2().cuda()
    optimizer = optimizer_of(model, lr=3e-4, weight_decay=0.1)
    tokens, targets = (torch.randint(0, 50257, (16, 1024), device="cuda") for _ in range(2))

    def make(way):
        def value():
            with torch.autocast("cuda", torch.bfloat16):
                return F.cross_entropy(model(tokens).view(-1, 50257), targets.view(-1))

        loss = way(value)

        def run():
            optimizer.zero_grad(set_to_none=True)
            loss().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

        return run

    return make


def copy():
    x = torch.randn(1 << 28, device="cuda")
    y = torch.empty_like(x)
    return lambda way: lambda: y.copy_(x)


CASES = {
    "copy": copy,
    "product_f32": lambda: forward(torch.matmul, (4096, 4096), (4096, 4096)),
    "product_bf16": lambda: forward(torch.matmul, (8192, 8192), (8192, 8192), dtype=torch.bfloat16),
    "chain": lambda: forward(lambda x, a, b: F.gelu(x * a + b) * torch.sigmoid(x), *[(8192, 4096)] * 3),
    "softmax": lambda: forward(lambda x: F.softmax(x, -1), (32768, 1024)),
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "cross_entropy": cross_entropy,
    "linear_gelu": lambda: forward(linear_gelu, (16384, 768), (3072, 768), (3072,), dtype=torch.bfloat16),
    "linear_residual": lambda: forward(linear_residual, (16384, 3072), (768, 3072), (768,), (16384, 768),
                                       dtype=torch.bfloat16),
    "attention": lambda: attention(16, 12, 1024, 64, gradients=False),
    "attention_both": lambda: attention(16, 12, 1024, 64, gradients=True),
    "attention_long": lambda: attention(4, 16, 4096, 128, gradients=False),
    "attention_long_both": lambda: attention(4, 16, 4096, 128, gradients=True),
    "conv": lambda: forward(conv, (64, 256, 28, 28), (256, 256, 3, 3), dtype=torch.bfloat16),
    "conv_both": conv_both,
    "adamw": adamw,
    "residual_mlp": residual_mlp,
    "mlp": lambda: mlp((784, 512, 256, 10), 128),
    "small_mlp": lambda: mlp((64, 128, 10), 32),
    "conv_net": conv_net,
    "gpt2": gpt2,
}
WAYS = {
    "eager": lambda f: f,
    "compile": torch.compile,
    "graph": lambda f: torch.compile(f, mode="reduce-overhead"),
}


def span(run, count):
    """Milliseconds of `count` executions."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(count):
        run()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def main():
    if len(sys.argv) < 2:
        if torch.cuda.is_available():
            print(json.dumps({"torch": torch.__version__, "python": sys.version.split()[0], "cuda": torch.version.cuda}))
        return
    name, _, way = sys.argv[1].partition(":")
    torch.manual_seed(0)
    torch.cuda.init()
    free = torch.cuda.mem_get_info()[0]
    run = CASES[name]()(WAYS[way])
    span(run, WARM_UP)
    print(json.dumps({"way": way, "growth_kib": (free - torch.cuda.mem_get_info()[0]) // 1024}), flush=True)
    for line in sys.stdin:
        count = max(1, min(1000, math.floor(5 * WARM_UP / span(run, WARM_UP))))
        end, found = time.perf_counter() + float(line.split()[1]), []
        while len(found) < 3 or time.perf_counter() < end:
            found.append(span(run, count) / count)
        print(json.dumps({"ms": statistics.median(found), "runs": len(found) * count}), flush=True)


main()
