"""Writes tests/parity/nn/f64_training.safetensors: training steps of a network of doubles under torch.optim.

usage: generate_f64.py       (needs torch and safetensors)

The optimisers' numbers are floats exactly, as weft's are, so that trajectories can agree to f64's rounding.
"""

import pathlib

import torch
from safetensors.torch import save_file
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(7)
out = {"x": torch.randn(8, 5, dtype=torch.float64), "target": torch.randn(8, 3, dtype=torch.float64)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Linear(5, 6), nn.LayerNorm(6), nn.Linear(6, 3)

    def forward(self, x):
        return self.fc2(torch.nn.functional.gelu(self.norm(self.fc1(x))))


start = Net().double()
with torch.no_grad():  # a gain of 1 and an offset of 0 would hide mistakes
    start.norm.weight.add_(torch.randn(6, dtype=torch.float64) / 4)
    start.norm.bias.add_(torch.randn(6, dtype=torch.float64) / 4)
out.update({f"start.{k}": v.clone() for k, v in start.state_dict().items()})


def run(name, make, clip=None, micro=1):
    model = Net().double()
    model.load_state_dict({k: out[f"start.{k}"] for k in start.state_dict()})
    optimizer = make(model.parameters())
    for _ in range(10):
        optimizer.zero_grad()
        for part in range(micro):  # the second half of an update has other targets
            (nn.functional.mse_loss(model(out["x"]), out["target"] * (1 - part)) / micro).backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
    out.update({f"{name}.{k}": v.clone() for k, v in model.state_dict().items()})


run("adamw", lambda p: torch.optim.AdamW(p, lr=2**-6, betas=(0.875, 0.9375), eps=2**-20, weight_decay=2**-5), clip=0.5)
run("sgd", lambda p: torch.optim.SGD(p, lr=2**-4, momentum=0.75, nesterov=True, weight_decay=2**-7), micro=2)
run("adafactor", lambda p: torch.optim.Adafactor(p, lr=2**-4, beta2_decay=-0.5, eps=(2**-20, 2**-10), d=1.0, weight_decay=0.25))
save_file({k: v.detach().contiguous() for k, v in out.items()},
          pathlib.Path(__file__).parent / "nn" / "f64_training.safetensors")
