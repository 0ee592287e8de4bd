"""Writes tests/parity/nn/adaptive.safetensors: what PyTorch's AdaptiveLogSoftmaxWithLoss computes.

usage: generate_adaptive.py       (needs torch and safetensors; the seed is fixed)
For each case: parameters, input, target, output, loss and the gradients of loss + sum(output * upstream), then the
log probabilities of all classes and predictions. tests/unit/nn/adaptive_softmax.cpp reads it.
"""

import pathlib

import torch
from safetensors.torch import save_file
from torch import nn

torch.manual_seed(17)
folder = pathlib.Path(__file__).parent / "nn"
out = {}


def record(name, module, shape, target):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.8)
    x = torch.randn(shape, requires_grad=True)
    output, loss = module(x, target)
    upstream = torch.randn_like(output)
    (loss + (output * upstream).sum()).backward()
    out.update({f"{name}.{key}": value for key, value in module.state_dict().items()})
    for key, value in module.named_parameters():  # none: a cluster without a target
        out[f"{name}.d{key}"] = torch.zeros_like(value) if value.grad is None else value.grad
    out.update({f"{name}.x0": x, f"{name}.dx0": x.grad, f"{name}.target": target, f"{name}.upstream": upstream,
                f"{name}.output": output, f"{name}.loss": loss})
    if x.dim() > 1:  # PyTorch's log_prob and predict take no single row
        out[f"{name}.log_prob"], out[f"{name}.predict"] = module.log_prob(x), module.predict(x)


record("one", nn.AdaptiveLogSoftmaxWithLoss(6, 9, [4], div_value=2.0), (5, 6), torch.tensor([0, 3, 4, 8, 6]))
record("three", nn.AdaptiveLogSoftmaxWithLoss(8, 20, [3, 7, 12], div_value=1.5, head_bias=True), (12, 8),
       torch.tensor([0, 19, 3, 6, 7, 11, 12, 2, 15, 1, 4, 8]))
record("row", nn.AdaptiveLogSoftmaxWithLoss(6, 9, [2, 5], div_value=2.0), (6,), torch.tensor(7))

data = {key: value.detach().clone().contiguous() for key, value in out.items()}
save_file(data, folder / "adaptive.safetensors", {"format": "pt", "torch": torch.__version__})
