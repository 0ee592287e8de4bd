"""The cases of `./weft bench host` in PyTorch, one a process: `peer.py NAME THREADS` speaks as worker.hpp does.

The settings that make PyTorch fast are the caller's (benchmarks/host/run), since they are of the environment.
"""

import gc
import json
import sys
import time

import torch
import torch.nn.functional as F

WARM_UP = 10


def status_kib(name):
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1])
    return 0


class MemoryWatch:
    """The most memory resident since it began, beyond what was resident then."""

    def __init__(self):
        try:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
        except OSError:
            pass
        self.start = status_kib("VmHWM")

    def growth_kib(self):
        return status_kib("VmHWM") - self.start


def training(widths, batch, **adamw):
    layers = []
    for n_in, n_out in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(n_in, n_out), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, **adamw)
    batches = [(torch.randn(batch, widths[0]), torch.randint(0, widths[-1], (batch,))) for _ in range(4)]
    turn = 0

    def run():
        nonlocal turn
        x, label = batches[turn]
        turn = (turn + 1) % len(batches)
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(x), label).backward()
        optimizer.step()

    return run


def lstm():
    model = torch.nn.LSTM(128, 128, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(64, 32, 128), torch.randn(64, 32, 128)

    def run():
        optimizer.zero_grad(set_to_none=True)
        F.mse_loss(model(x)[0], y).backward()
        optimizer.step()

    return run


def conv_net():
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 3), torch.nn.ReLU(), torch.nn.Conv2d(32, 64, 3), torch.nn.ReLU(),
        torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(64 * 12 * 12, 128), torch.nn.ReLU(),
        torch.nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, label = torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,))

    def run():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(x), label).backward()
        optimizer.step()

    return run


def chain():
    x, a, b = (torch.randn(4096, 1024) for _ in range(3))

    @torch.no_grad()
    def run():
        return F.gelu(x * a + b) * torch.sigmoid(x)

    return run


def layer_norm():
    x = torch.randn(4096, 768, requires_grad=True)
    weight = torch.randn(768, requires_grad=True)
    bias = torch.randn(768, requires_grad=True)
    upstream = torch.randn(4096, 768)

    def run():
        x.grad = weight.grad = bias.grad = None
        F.layer_norm(x, (768,), weight, bias).backward(upstream)

    return run


def layer(module, *shape):
    def make():
        x = torch.randn(*shape, requires_grad=True)
        upstream = torch.randn(*shape)

        def run():
            x.grad = None
            module.zero_grad(set_to_none=True)
            module(x).backward(upstream)

        return run

    return make


def both_ways(function, upstream, *shapes):
    def make():
        arguments = [torch.randn(*shape, requires_grad=True) for shape in shapes]
        g = torch.randn(*upstream)

        def run():
            for x in arguments:
                x.grad = None
            function(*arguments).backward(g)

        return run

    return make


def attention(shape, both, window=0, **options):
    """The flash kernel; of a window, a mask."""
    def make():
        q, k, v = (torch.randn(*shape, requires_grad=both) for _ in range(3))
        g = torch.randn(*shape)
        i = torch.arange(shape[2])
        mask = (i[None] <= i[:, None]) & (i[:, None] - i[None] < window) if window else None

        def run():
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, **options)
            if both:
                torch.autograd.grad(y, (q, k, v), g)

        return run

    return make


def embedding():
    table = torch.randn(50000, 256, requires_grad=True)
    rows = F.embedding(torch.randint(0, 50000, (8192,)), table)
    upstream = torch.randn(8192, 256)

    def run():
        table.grad = None
        rows.backward(upstream, retain_graph=True)

    return run


def topk():
    x = torch.randn(1024, 10000)

    @torch.no_grad()
    def run():
        return torch.topk(x, 500)

    return run


def cross_entropy():
    x = torch.randn(2048, 50257, requires_grad=True)
    target = torch.randint(0, 50257, (2048,))

    def run():
        x.grad = None
        F.cross_entropy(x, target).backward()

    return run


class Block(torch.nn.Module):
    """A block of examples/gpt.hpp: RMS norms, rotary embedding, dropout of the branches."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = torch.nn.RMSNorm(width), torch.nn.RMSNorm(width)
        self.attn_in, self.attn_out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.mlp_in, self.mlp_out = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)
        self.drop = torch.nn.Dropout(0.1)

    def forward(self, x, turns, cache=None, position=0):
        n, length, width = x.shape
        q, k, v = self.attn_in(self.norm_1(x)).view(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = (self.turned(e, *turns) for e in (q, k))
        if cache is None:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            cache[0][:, :, position], cache[1][:, :, position] = k[:, :, 0], v[:, :, 0]
            y = F.scaled_dot_product_attention(q, cache[0][:, :, :position + 1], cache[1][:, :, :position + 1])
        x = x + self.drop(self.attn_out(y.transpose(1, 2).reshape(n, length, width)))
        return x + self.drop(self.mlp_out(F.gelu(self.mlp_in(self.norm_2(x)))))

    @staticmethod
    def turned(x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


class Gpt(torch.nn.Module):
    def __init__(self, context, vocabulary=128, width=128, heads=4, layers=4):
        super().__init__()
        self.tokens = torch.nn.Embedding(vocabulary, width)
        self.drop = torch.nn.Dropout(0.1)
        self.h = torch.nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = torch.nn.RMSNorm(width)
        half = width // heads // 2
        angles = torch.outer(torch.arange(context), 10000.0 ** (-torch.arange(half) / half))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, text):
        x = self.drop(self.tokens(text))
        for block in self.h:
            x = block(x, (self.cos, self.sin))
        return F.linear(self.norm(x), self.tokens.weight)

    def next(self, token, caches, position):
        x = self.tokens(token)
        for block, cache in zip(self.h, caches):
            x = block(x, (self.cos[position], self.sin[position]), cache, position)
        return F.linear(self.norm(x), self.tokens.weight)


class Vit(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = torch.nn.Conv2d(3, 128, 4, 4)
        self.position = torch.nn.Parameter(torch.randn(64, 128) / 50)
        layer = torch.nn.TransformerEncoderLayer(128, 4, 512, 0.1, "gelu", batch_first=True, norm_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.norm, self.head = torch.nn.LayerNorm(128), torch.nn.Linear(128, 10)

    def forward(self, picture):
        tokens = self.patches(picture).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.encoder(tokens + self.position)).mean(1))


class Bert(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(1000, 128)
        self.position = torch.nn.Parameter(torch.randn(128, 128) / 50)
        self.norm, self.drop = torch.nn.LayerNorm(128), torch.nn.Dropout(0.1)
        layer = torch.nn.TransformerEncoderLayer(128, 4, 512, 0.1, "gelu", batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.head = torch.nn.Linear(128, 1000)

    def forward(self, tokens):
        return self.head(self.encoder(self.drop(self.norm(self.words(tokens) + self.position))))


def transformer(make_model, make_x, classes, labels):
    """A training step on one batch."""
    def make(compiled=False, **adamw):
        model = make_model()
        if compiled:
            adamw["fused"] = True
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, **adamw)
        x, label = make_x(), torch.randint(0, classes, (labels,))

        def loss():
            return F.cross_entropy(model(x).view(-1, classes), label)

        loss = torch.compile(loss) if compiled else loss

        def run():
            optimizer.zero_grad(set_to_none=True)
            loss().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

        return run

    return make


def gpt_decode():
    model = Gpt(1024).eval()
    caches = [tuple(torch.randn(1, 4, 1024, 32) for _ in range(2)) for _ in range(4)]
    token = torch.full((1, 1), 5)

    @torch.no_grad()
    def run():
        return model.next(token, caches, 1023)

    return run


def tiny():
    """What every case loads once: modules that PyTorch imports late, the code of its operations."""
    training((2, 2, 2), 2)()
    training((2, 2, 2), 2, fused=True)()
    x = torch.randn(2, 2, requires_grad=True)
    F.layer_norm(F.gelu(x) * torch.sigmoid(x), (2,), torch.ones(2), torch.ones(2)).sum().backward()


CASES = {
    "mlp": lambda **kw: training((784, 512, 256, 10), 128, **kw),
    "small_mlp": lambda **kw: training((64, 128, 10), 32, **kw),
    "lstm": lstm,
    "conv_net": conv_net,
    "chain": chain,
    "layer_norm": layer_norm,
    "rms_norm": layer(torch.nn.RMSNorm(768), 4096, 768),
    "batch_norm": layer(torch.nn.BatchNorm2d(64), 64, 64, 28, 28),
    "group_norm": layer(torch.nn.GroupNorm(8, 64), 64, 64, 28, 28),
    "instance_norm": layer(torch.nn.InstanceNorm2d(64, affine=True), 64, 64, 28, 28),
    "depthwise": both_ways(lambda x, w: F.conv2d(x, w, padding=1, groups=128), (16, 128, 56, 56),
                           (16, 128, 56, 56), (128, 1, 3, 3)),
    "avg_pool": both_ways(lambda x: F.avg_pool2d(x, 3, 2, 1), (16, 64, 28, 28), (16, 64, 56, 56)),
    "attention": attention((8, 12, 1024, 64), False, is_causal=True),
    "attention_both": attention((8, 12, 1024, 64), True, is_causal=True),
    "attention_long": attention((2, 16, 4096, 64), False, is_causal=True),
    "attention_long_both": attention((2, 16, 4096, 64), True, is_causal=True),
    "attention_short_both": attention((16, 8, 128, 64), True),
    "attention_window": attention((2, 16, 4096, 64), False, window=512),
    "gpt": transformer(lambda: Gpt(128), lambda: torch.randint(0, 128, (32, 128)), 128, 32 * 128),
    "vit": transformer(Vit, lambda: torch.randn(32, 3, 32, 32), 10, 32),
    "bert": transformer(Bert, lambda: torch.randint(0, 1000, (32, 128)), 1000, 32 * 128),
    "gpt_decode": gpt_decode,
    "embedding": embedding,
    "topk": topk,
    "cross_entropy": cross_entropy,
}


def main():
    if len(sys.argv) < 2:
        print(json.dumps({"torch": torch.__version__, "python": sys.version.split()[0],
                          "config": torch.__config__.show()}))
        return
    name, _, option = sys.argv[1].partition(":")
    torch.set_num_threads(int(sys.argv[2]))
    torch.manual_seed(0)
    gc.disable()
    tiny()
    memory = MemoryWatch()
    run = CASES[name](**({option: True} if option else {}))
    for _ in range(WARM_UP):
        run()
    facts = {"threads": torch.get_num_threads(), "growth_kib": memory.growth_kib()}
    if option:
        facts["optimizer"] = option
    print(json.dumps(facts), flush=True)
    clock = time.perf_counter
    for line in sys.stdin:
        end = clock() + float(line.split()[1])
        found = []
        while len(found) < 3 or clock() < end:
            start = clock()
            run()
            found.append(clock() - start)
        found.sort()
        print(json.dumps({"ms": 1e3 * found[len(found) // 2], "runs": len(found)}), flush=True)


if __name__ == "__main__":
    main()
