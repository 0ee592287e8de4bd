#!/usr/bin/env python3
"""Writes tests/parity/schedules.hpp: learning rates of PyTorch's schedulers, step by step.

usage: python tests/parity/schedules.py > tests/parity/schedules.hpp        (needs torch)
"""
import math
import textwrap
import warnings

import torch
from torch.optim import lr_scheduler as s

warnings.filterwarnings("ignore")
STEPS = 40


def optimizer(lr):
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr, momentum=0.9)


def rates(make, lr, steps=STEPS):
    opt = optimizer(lr)
    scheduler = make(opt)
    out = []
    for i in range(steps):
        out.append(opt.param_groups[0]["lr"])
        opt.step()
        if i + 1 < steps:
            scheduler.step()
    return out


def warmup(w, total, floor, decay):
    """transformers.optimization's lambdas, as factors of the peak."""

    def factor(step):
        if step < w:
            return step / max(1, w)
        part = min(1.0, (step - w) / max(1, total - w))
        fall = 0.5 * (1 + math.cos(math.pi * part)) if decay == "cosine" else 1 - part
        return floor + (1 - floor) * fall

    return factor


CASES = {
    "constant_factor": lambda: rates(lambda o: s.ConstantLR(o, factor=1 / 3, total_iters=5), 0.05),
    "linear": lambda: rates(lambda o: s.LinearLR(o, start_factor=0.25, end_factor=0.75, total_iters=9), 0.05),
    "linear_default": lambda: rates(lambda o: s.LinearLR(o), 0.05),
    "step": lambda: rates(lambda o: s.StepLR(o, step_size=7, gamma=0.3), 0.05),
    "multistep": lambda: rates(lambda o: s.MultiStepLR(o, milestones=[4, 9, 9, 30], gamma=0.5), 0.05),
    "exponential": lambda: rates(lambda o: s.ExponentialLR(o, gamma=0.9), 0.05),
    "polynomial": lambda: rates(lambda o: s.PolynomialLR(o, total_iters=30, power=2.5), 0.05),
    "cosine": lambda: rates(lambda o: s.CosineAnnealingLR(o, T_max=15, eta_min=1e-4), 0.05),
    "cosine_restarts": lambda: rates(lambda o: s.CosineAnnealingWarmRestarts(o, T_0=7, eta_min=1e-3), 0.05),
    "cosine_restarts_2": lambda: rates(lambda o: s.CosineAnnealingWarmRestarts(o, T_0=5, T_mult=2), 0.05),
    "one_cycle": lambda: rates(lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=STEPS), 0.05),
    "one_cycle_linear": lambda: rates(
        lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=STEPS, pct_start=0.37, anneal_strategy="linear",
                               div_factor=10, final_div_factor=100), 0.05),
    "one_cycle_three": lambda: rates(
        lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=STEPS, three_phase=True), 0.05),
    "one_cycle_three_linear": lambda: rates(
        lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=STEPS, three_phase=True, anneal_strategy="linear"), 0.05),
    "cyclic": lambda: rates(lambda o: s.CyclicLR(o, 0.001, 0.01, step_size_up=5), 0.05),
    "cyclic_2": lambda: rates(
        lambda o: s.CyclicLR(o, 0.001, 0.01, step_size_up=4, step_size_down=7, mode="triangular2"), 0.05),
    "cyclic_exp": lambda: rates(
        lambda o: s.CyclicLR(o, 0.001, 0.01, step_size_up=5, mode="exp_range", gamma=0.97), 0.05),
    "warmup_cosine": lambda: rates(lambda o: s.LambdaLR(o, warmup(6, 30, 0, "cosine")), 0.05),
    "warmup_cosine_floor": lambda: rates(lambda o: s.LambdaLR(o, warmup(6, 30, 0.1, "cosine")), 0.05),
    "warmup_linear": lambda: rates(lambda o: s.LambdaLR(o, warmup(6, 30, 0, "linear")), 0.05),
    "lambda": lambda: rates(lambda o: s.LambdaLR(o, lambda t: 1 / (1 + t)), 0.05),
    "sequential": lambda: rates(
        lambda o: s.SequentialLR(o, [s.LinearLR(o, start_factor=0.1, total_iters=6),
                                     s.CosineAnnealingLR(o, T_max=20, eta_min=1e-3),
                                     s.ExponentialLR(o, gamma=0.8)], milestones=[6, 25]), 0.05),
}

METRICS = [1.0, 0.8, 0.79999, 0.8, 0.81, 0.7, 0.71, 0.72, 0.73, 0.74, 0.75, 0.6, 0.65, 0.65, 0.65, 0.65, 0.65, 0.65,
           0.65, 0.59, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7]


def plateau(metrics, **options):
    opt = optimizer(0.05)
    scheduler = s.ReduceLROnPlateau(opt, **options)
    out = []
    for metric in metrics:
        scheduler.step(metric)
        out.append(opt.param_groups[0]["lr"])
    return out


PLATEAUS = {
    "plateau": plateau(METRICS, patience=2, factor=0.5),
    "plateau_cooldown": plateau(METRICS, patience=1, factor=0.3, cooldown=3, min_lr=1e-3),
    "plateau_max_abs": plateau([-m for m in METRICS], mode="max", patience=2, factor=0.5, threshold=0.05,
                               threshold_mode="abs"),
    "plateau_max_rel": plateau([1 / m for m in METRICS], mode="max", patience=0, factor=0.7, eps=1e-3),
}


def array(name, values):
    body = ", ".join(repr(float(v)) for v in values)
    text = f"inline constexpr double {name}[] = {{{body}}};"
    return "\n".join(textwrap.wrap(text, 110, subsequent_indent="    "))


def main():
    print("#pragma once")
    print(f"// Learning rates of PyTorch {torch.__version__}, made by tests/parity/schedules.py; edit that.")
    print()
    print("namespace schedule_reference {")
    print()
    print("// clang-format off")
    for name, make in CASES.items():
        print(array(name, make()))
    print(array("metrics", METRICS))
    for name, values in PLATEAUS.items():
        print(array(name, values))
    print("// clang-format on")
    print()
    print("}  // namespace schedule_reference")


if __name__ == "__main__":
    main()
