"""What the generators of layers record of a torch.nn.Module."""
import torch


def flat(*tensors):
    return torch.cat([t.reshape(-1) for t in tensors])


def record(out, name, module, *shapes):
    """Into `out`: parameters, inputs, the result, and gradients of sum(y * upstream) by inputs and parameters."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.4)
    for key, value in module.state_dict().items():
        out[f"{name}.{key}"] = value.clone()
    leaves = [torch.randn(*shape, requires_grad=True) for shape in shapes]
    y = module(*leaves)
    upstream = torch.randn_like(y)
    (y * upstream).sum().backward()
    out[f"{name}.y"], out[f"{name}.upstream"] = y, upstream
    for k, leaf in enumerate(leaves):
        out[f"{name}.x{k}"], out[f"{name}.dx{k}"] = leaf, leaf.grad
    for key, parameter in module.named_parameters():
        out[f"{name}.d{key}"] = parameter.grad
