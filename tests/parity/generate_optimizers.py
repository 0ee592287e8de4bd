"""Writes tests/parity/nn/optimizers_linear.safetensors: 20 steps of a linear model under torch.optim's optimisers
with the options that generate_nn.py leaves out, averages of weights, Muon and L-BFGS.

usage: generate_optimizers.py       (needs torch and safetensors; reads nn/optimizers.safetensors)
"""

import pathlib
from unittest import mock

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.optim import swa_utils

F, optim = torch.nn.functional, torch.optim
torch.set_num_threads(1)
folder = pathlib.Path(__file__).parent / "nn"
start = load_file(folder / "optimizers.safetensors")
x, target = start["x"], start["target"]
out = {}


def linear():
    model = nn.Linear(5, 3)
    model.load_state_dict({"weight": start["weight"], "bias": start["bias"]})
    return model


def run(name, make, average=None):
    model = linear()
    optimizer = make(model.parameters())
    averaged = average(model) if average else None
    losses = []
    for step in range(20):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        if averaged and (name != "swa" or (step + 1 >= 4 and (step + 1 - 4) % 3 == 0)):
            averaged.update_parameters(model)
    out[f"{name}.losses"] = torch.stack(losses)
    out[f"{name}.weight"], out[f"{name}.bias"] = model.weight, model.bias
    if averaged:
        out[f"{name}.average.weight"], out[f"{name}.average.bias"] = averaged.module.weight, averaged.module.bias


run("adam_amsgrad", lambda p: optim.Adam(p, lr=0.05, betas=(0.5, 0.6), amsgrad=True))
run("adamw_amsgrad", lambda p: optim.AdamW(p, lr=0.05, betas=(0.5, 0.6), weight_decay=0.3, amsgrad=True))
run("sgd_maximize", lambda p: optim.SGD(p, lr=0.01, momentum=0.5, weight_decay=0.1, maximize=True))
run("adamw_maximize", lambda p: optim.AdamW(p, lr=0.01, maximize=True))
run("rmsprop_centered_all", lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9, eps=1e-3, weight_decay=0.1, momentum=0.5, centered=True))
run("adagrad_start", lambda p: optim.Adagrad(p, lr=0.1, lr_decay=0.05, initial_accumulator_value=0.3))
run("adadelta", lambda p: optim.Adadelta(p, lr=0.7, rho=0.8, eps=1e-3, weight_decay=0.1))
run("adamax", lambda p: optim.Adamax(p, lr=0.02, betas=(0.8, 0.9), eps=1e-4, weight_decay=0.1))
run("radam", lambda p: optim.RAdam(p, lr=0.02, betas=(0.8, 0.95), weight_decay=0.1))
run("nadam", lambda p: optim.NAdam(p, lr=0.02, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1, momentum_decay=0.01))
run("nadamw", lambda p: optim.NAdam(p, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True))
run("radamw", lambda p: optim.RAdam(p, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True))
run("ema", lambda p: optim.AdamW(p, lr=0.02),
    lambda m: swa_utils.AveragedModel(m, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.8)))
run("swa", lambda p: optim.SGD(p, lr=0.05), lambda m: swa_utils.AveragedModel(m))
run("asgd", lambda p: optim.ASGD(p, lr=0.05))
run("rprop", lambda p: optim.Rprop(p, lr=0.01))
run("rprop_all", lambda p: optim.Rprop(p, lr=0.05, etas=(0.4, 1.5), step_sizes=(1e-3, 0.1)))
run("adafactor", lambda p: optim.Adafactor(p, lr=0.05))
run("adafactor_all", lambda p: optim.Adafactor(p, lr=0.2, beta2_decay=-0.6, eps=(1e-2, 0.4), d=1.3, weight_decay=0.3))


def averages(**options):
    """The parameters' averages that ASGD keeps."""
    model = linear()
    optimizer = optim.ASGD(model.parameters(), **options)
    for _ in range(20):
        optimizer.zero_grad()
        F.mse_loss(model(x), target).backward()
        optimizer.step()
    out["asgd_all.average.weight"], out["asgd_all.average.bias"] = (optimizer.state[p]["ax"] for p in model.parameters())


asgd_all = dict(lr=0.1, lambd=0.05, alpha=0.6, t0=6, weight_decay=0.1)
run("asgd_all", lambda p: optim.ASGD(p, **asgd_all))
averages(**asgd_all)


def convolution(name, make):
    """A parameter of three axes."""
    torch.manual_seed(9)
    model = nn.Conv1d(2, 3, 3)
    out.update({f"{name}.start.{key}": value.clone() for key, value in model.state_dict().items()})
    optimizer, losses = make(model.parameters()), []
    for _ in range(20):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x.reshape(4, 2, 5)).mean(-1), target[:4])
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    out[f"{name}.losses"], out[f"{name}.weight"], out[f"{name}.bias"] = torch.stack(losses), model.weight, model.bias


convolution("adafactor_conv", lambda p: optim.Adafactor(p, lr=0.05, weight_decay=0.1))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(5, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


def full_precision(grad, coefficients, steps, eps):
    """torch.optim.Muon's iteration in f32; PyTorch rounds every product to bf16."""
    a, b, c = coefficients
    g = grad.T if grad.size(0) > grad.size(1) else grad
    g = g / g.norm().clamp(min=eps)
    for _ in range(steps):
        gram = g @ g.T
        g = a * g + (b * gram + c * gram @ gram) @ g
    return g.T if grad.size(0) > grad.size(1) else g


torch.manual_seed(6)
first = Mlp().state_dict()
out |= {f"muon.start.{key}": value.clone() for key, value in first.items()}


def muon(name, **options):
    model = Mlp()
    model.load_state_dict(first)
    matrices = [p for p in model.parameters() if p.ndim == 2]
    others = [p for p in model.parameters() if p.ndim != 2]
    optimizers = [optim.Muon(matrices, **options), optim.AdamW(others, lr=0.01)]
    losses = []
    for _ in range(20):
        model.zero_grad()
        loss = F.mse_loss(model(x), target)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        losses.append(loss.detach())
    out[f"{name}.losses"] = torch.stack(losses)
    out.update({f"{name}.{key}": value for key, value in model.state_dict().items()})


muon("muon_bf16", lr=0.02)
with mock.patch("torch.optim._muon._zeropower_via_newtonschulz", full_precision):
    muon("muon", lr=0.02)
    muon("muon_rms", lr=0.05, momentum=0.8, nesterov=False, weight_decay=0.3, adjust_lr_fn="match_rms_adamw")
    muon("muon_spectral", lr=0.02, momentum=0.9, adjust_lr_fn="spectral_unclamped",
         ns_coefficients=(3.0, -3.2, 1.2))


def lbfgs(name, steps, double=True, **options):
    """Of the Mlp; the losses before every step."""
    model = Mlp()
    model.load_state_dict(first)
    optimizer = optim.LBFGS(model.parameters(), **options)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), target)
        loss.backward()
        return loss

    for _ in range(steps):
        losses.append(optimizer.step(closure).detach())
    losses.append(closure().detach())
    out[f"{name}.losses"] = torch.stack(losses)
    out[f"{name}.evaluations"] = torch.tensor(optimizer.state_dict()["state"][0]["func_evals"])


lbfgs("lbfgs", 4, lr=0.3, max_iter=5)
lbfgs("lbfgs_short", 5, lr=0.2, max_iter=4, history_size=2)
lbfgs("lbfgs_wolfe", 4, max_iter=6, line_search_fn="strong_wolfe")

data = {key: value.detach().clone().contiguous() for key, value in out.items()}
save_file(data, folder / "optimizers_linear.safetensors", {"format": "pt", "torch": torch.__version__})
for key, value in data.items():
    if key.endswith("losses"):
        print(key, [round(v, 5) for v in value.tolist()][:6], value[-1].item())
