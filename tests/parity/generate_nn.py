"""Writes tests/parity/nn/*.safetensors: what PyTorch computes for modules, optimisers and a training run.

usage: generate_nn.py [FOLDER]       (default: the folder nn beside this file; needs torch and safetensors)
The seeds are fixed: the same PyTorch gives the same files. The unit tests of nn, optim and train read them.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from torch import nn

F = torch.nn.functional
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "nn"


def save(name, tensors):
    data = {key: value.detach().clone().contiguous() for key, value in tensors.items()}
    save_file(data, folder / f"{name}.safetensors", {"format": "pt", "torch": torch.__version__})


def activations():
    torch.manual_seed(1)
    x = torch.randn(5, 8) * 2
    x[0] = torch.tensor([0.0, 1.0, -1.0, 30.0, -30.0, 2.5, -2.5, 1e-3])
    upstream = torch.randn(5, 8)
    out = {"x": x, "upstream": upstream}
    modules = {
        "relu": nn.ReLU(),
        "gelu": nn.GELU(),
        "gelu_tanh": nn.GELU(approximate="tanh"),
        "silu": nn.SiLU(),
        "sigmoid": nn.Sigmoid(),
        "tanh": nn.Tanh(),
        "leaky_relu": nn.LeakyReLU(0.2),
        "elu": nn.ELU(0.7),
        "softplus": nn.Softplus(beta=2.0, threshold=15.0),
        "mish": nn.Mish(),
        "hardswish": nn.Hardswish(),
        "softmax": nn.Softmax(-1),
        "log_softmax": nn.LogSoftmax(0),
        "relu6": nn.ReLU6(),
        "log_sigmoid": nn.LogSigmoid(),
        "softsign": nn.Softsign(),
        "hardsigmoid": nn.Hardsigmoid(),
        "hardtanh": nn.Hardtanh(-0.5, 1.5),
        "celu": nn.CELU(0.6),
        "selu": nn.SELU(),
        "prelu": nn.PReLU(8),
    }
    with torch.no_grad():
        modules["prelu"].weight.copy_(torch.randn(8))
    out["prelu.weight"] = modules["prelu"].weight
    for name, module in modules.items():
        leaf = x.clone().requires_grad_()
        y = module(leaf)
        (y * upstream).sum().backward()
        out[f"{name}.y"], out[f"{name}.dx"] = y, leaf.grad
    out["prelu.dweight"] = modules["prelu"].weight.grad
    leaf = x.clone().requires_grad_()
    out["glu.y"] = nn.GLU(-1)(leaf)
    out["glu.upstream"] = torch.randn(5, 4)
    (out["glu.y"] * out["glu.upstream"]).sum().backward()
    out["glu.dx0"], out["glu.x0"] = leaf.grad, x
    save("activations", out)


def layers():
    torch.manual_seed(2)
    out = {}

    def record(name, module, *inputs):
        """Output and gradients of sum(y * upstream); floating inputs are differentiated too."""
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(torch.randn_like(parameter) * 0.5)
        for key, value in module.state_dict().items():
            out[f"{name}.{key}"] = value.clone()
        leaves = [i.clone().requires_grad_() if i.is_floating_point() else i for i in inputs]
        y = module(*leaves)
        upstream = torch.randn_like(y)
        (y * upstream).sum().backward()
        out[f"{name}.y"], out[f"{name}.upstream"] = y, upstream
        for k, leaf in enumerate(leaves):
            out[f"{name}.x{k}"] = leaf
            if leaf.is_floating_point():
                out[f"{name}.dx{k}"] = leaf.grad
        for key, parameter in module.named_parameters():
            out[f"{name}.d{key}"] = parameter.grad

    record("linear", nn.Linear(5, 3), torch.randn(2, 4, 5))
    record("bilinear", nn.Bilinear(4, 3, 2), torch.randn(6, 4), torch.randn(6, 3))
    record("embedding", nn.Embedding(7, 4), torch.randint(0, 7, (3, 5), dtype=torch.int32))
    record("layer_norm", nn.LayerNorm((3, 8)), torch.randn(4, 3, 8) * 3 + 1)
    record("rms_norm", nn.RMSNorm(8), torch.randn(4, 8) * 2 + 0.5)
    record("group_norm", nn.GroupNorm(3, 6), torch.randn(2, 6, 5) * 2 - 1)
    save("layers", out)


class Lion(torch.optim.Optimizer):
    """Chen et al. (2023), algorithm 2; PyTorch has none."""

    def __init__(self, params, lr, betas, weight_decay):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            first, second = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                update = torch.sign(first * m + (1 - first) * p.grad)
                p.sub_(group["lr"] * (update + group["weight_decay"] * p))
                m.copy_(second * m + (1 - second) * p.grad)


def optimizers():
    torch.manual_seed(4)
    x, target = torch.randn(8, 5), torch.randn(8, 3)
    weight, bias = torch.randn(3, 5) * 0.5, torch.randn(3) * 0.5
    out = {"x": x, "target": target, "weight": weight, "bias": bias}

    def run(name, make, schedule=None, clip=None):
        model = nn.Linear(5, 3)
        with torch.no_grad():
            model.weight.copy_(weight)
            model.bias.copy_(bias)
        optimizer = make(model)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule) if schedule else None
        losses = []
        for _ in range(20):
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), target)
            loss.backward()
            if clip:
                clip(model.parameters())
            optimizer.step()
            if scheduler:
                scheduler.step()
            losses.append(loss.detach())
        out[f"{name}.losses"] = torch.stack(losses)
        out[f"{name}.weight"], out[f"{name}.bias"] = model.weight, model.bias

    optim = torch.optim
    run("sgd", lambda m: optim.SGD(m.parameters(), lr=0.05))
    run("sgd_decay", lambda m: optim.SGD(m.parameters(), lr=0.05, weight_decay=0.1))
    run("sgd_momentum", lambda m: optim.SGD(m.parameters(), lr=0.05, momentum=0.9))
    run("sgd_all", lambda m: optim.SGD(m.parameters(), lr=0.05, momentum=0.8, dampening=0.3, weight_decay=0.1))
    run("nesterov", lambda m: optim.SGD(m.parameters(), lr=0.05, momentum=0.9, weight_decay=0.1, nesterov=True))
    run("adam", lambda m: optim.Adam(m.parameters(), lr=0.02))
    run("adam_all", lambda m: optim.Adam(m.parameters(), lr=0.02, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1))
    run("adamw", lambda m: optim.AdamW(m.parameters(), lr=0.02))
    run("adamw_all", lambda m: optim.AdamW(m.parameters(), lr=0.02, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.5))
    run("rmsprop", lambda m: optim.RMSprop(m.parameters(), lr=0.01))
    run("rmsprop_all", lambda m: optim.RMSprop(m.parameters(), lr=0.01, alpha=0.9, eps=1e-3, weight_decay=0.1,
                                               momentum=0.7))
    run("rmsprop_centered", lambda m: optim.RMSprop(m.parameters(), lr=0.01, alpha=0.9, momentum=0.5, centered=True))
    run("adagrad", lambda m: optim.Adagrad(m.parameters(), lr=0.1))
    run("adagrad_all", lambda m: optim.Adagrad(m.parameters(), lr=0.1, lr_decay=0.1, weight_decay=0.1, eps=1e-4))
    run("lion", lambda m: Lion(m.parameters(), 0.01, (0.9, 0.99), 0.1))
    run("groups", lambda m: optim.AdamW([{"params": [m.weight]}, {"params": [m.bias], "weight_decay": 0.0}],
                                        lr=0.02, weight_decay=0.5))
    # multiplied by the base rate: a warm-up of 5 updates, then a straight line to 0 at update 15
    run("schedule", lambda m: optim.SGD(m.parameters(), lr=0.1),
        schedule=lambda t: t / 5 if t < 5 else max(0.0, (15 - t) / 10))
    run("clip_norm", lambda m: optim.SGD(m.parameters(), lr=0.1), clip=lambda p: nn.utils.clip_grad_norm_(p, 0.3))
    run("clip_value", lambda m: optim.SGD(m.parameters(), lr=0.1), clip=lambda p: nn.utils.clip_grad_value_(p, 0.1))
    save("optimizers", out)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.fc = nn.Linear(16, 16)

    def forward(self, x):
        return x + F.gelu(self.fc(self.norm(x)))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 16)
        self.h = nn.ModuleList([Block(), Block()])
        self.tail = nn.Sequential(nn.ReLU(), nn.Linear(16, 4, bias=False))

    def forward(self, x):
        x = self.fc1(x)
        for block in self.h:
            x = block(x)
        return self.tail(x)


def training():
    torch.manual_seed(5)
    model = Mlp()
    out = {f"start.{key}": value.clone() for key, value in model.state_dict().items()}
    out["x"] = torch.randn(20, 12, 6)
    out["labels"] = torch.randint(0, 4, (20, 12), dtype=torch.int32)
    out["labels"][3, 5] = out["labels"][7, 0] = -100
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1)
    losses = []
    for x, labels in zip(out["x"], out["labels"]):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), labels.long())
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    out["losses"] = torch.stack(losses)
    out |= {f"end.{key}": value for key, value in model.state_dict().items()}
    save("training", out)
    save_file(model.state_dict(), folder / "mlp.safetensors", {"format": "pt"})


folder.mkdir(exist_ok=True)
torch.set_num_threads(1)
activations()
layers()
optimizers()
training()
