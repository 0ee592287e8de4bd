"""Groups that tests/support/traced_parity.hpp reads: inputs, the results of a function of them, and gradients.

The gradients are those of sum(result * weights) by every floating input and, where the order is 2, those of
sum(gradient * weights) by the same; zeros where PyTorch gives none.
"""
import torch

from groups import Groups

DIGITS = {torch.float64: "%.12g", torch.float32: "%.8g"}


def weights(number, t):
    """What parity_weight of traced_parity.hpp gives."""
    i = torch.arange(t.numel(), dtype=torch.float64)
    return (0.5 + ((7 * i + 3 * number) % 11) / 11).reshape(t.shape).to(t.dtype)


def gradients(of, number, inputs, again):
    total = None
    for k, t in enumerate(of):
        if t.dtype.is_floating_point and t.requires_grad:
            loss = (t * weights(number + k, t)).sum()
            total = loss if total is None else total + loss
    if total is None or not total.requires_grad:
        return [torch.zeros_like(t) for t in inputs]
    found = torch.autograd.grad(total, inputs, create_graph=again, allow_unused=True)
    return [torch.zeros_like(t) if g is None else g for t, g in zip(inputs, found)]


class Traced(Groups):
    def tensor(self, kind, t):
        self.real = lambda v: DIGITS.get(t.dtype, "%.8g") % v
        super().tensor(kind, t)

    def __call__(self, name, inputs, function, order=1):
        """`function` of the inputs gives a tensor, a list of tensors or a dictionary of named ones."""
        variables = [t.clone().requires_grad_() if t.dtype.is_floating_point else t for t in inputs]
        results = function(*variables)
        if torch.is_tensor(results):
            results = [results]
        if not isinstance(results, dict):
            results = {str(k): t for k, t in enumerate(results)}
        rows = list(results.items())
        wanted = [t for t in variables if t.dtype.is_floating_point]
        of = list(results.values())
        for n in range(1, order + 1):
            of = gradients(of, 0 if n == 1 else 100, wanted, n < order)
            rows += [(f"gradient{n}_{k}", t) for k, t in enumerate(of)]
        super().__call__(name, inputs, rows)


def numbers(*shape, low=-2.0, high=2.0, dtype=torch.float64):
    """Random numbers of three decimals, so that the files stay small."""
    return ((torch.rand(*shape, dtype=torch.float64) * (high - low) + low) * 1000).round().div(1000).to(dtype)
