"""Makes tests/parity/gpt2_tiny.safetensors: a two-layer GPT-2 with random parameters, a batch, PyTorch's loss and the
gradient of every parameter. The model is written here with torch alone; names are those of the published
checkpoints, with weights (out, in).  Run: python3 generate_gpt2.py"""

import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

T, C, H, V, L, B = 8, 16, 2, 32, 2, 2
torch.manual_seed(7)
p = {"wte.weight": torch.randn(V, C) * 0.5, "wpe.weight": torch.randn(T, C) * 0.5}
for i in range(L):
    for name, (o, n) in {"attn.c_attn": (3 * C, C), "attn.c_proj": (C, C), "mlp.c_fc": (4 * C, C), "mlp.c_proj": (C, 4 * C)}.items():
        p[f"h.{i}.{name}.weight"] = torch.randn(o, n) * 0.3
        p[f"h.{i}.{name}.bias"] = torch.randn(o) * 0.1
    for name in ("ln_1", "ln_2"):
        p[f"h.{i}.{name}.weight"] = 1 + torch.randn(C) * 0.1
        p[f"h.{i}.{name}.bias"] = torch.randn(C) * 0.1
p["ln_f.weight"] = 1 + torch.randn(C) * 0.1
p["ln_f.bias"] = torch.randn(C) * 0.1
tokens = torch.randint(0, V, (B, T))
targets = torch.randint(0, V, (B, T))
targets[1, 3] = -100

q = {k: v.double().requires_grad_() for k, v in p.items()}


def norm(x, name):
    return F.layer_norm(x, (C,), q[name + ".weight"], q[name + ".bias"])


def linear(x, name):
    return F.linear(x, q[name + ".weight"], q[name + ".bias"])


x = q["wte.weight"][tokens] + q["wpe.weight"]
mask = torch.tril(torch.ones(T, T, dtype=torch.bool))
for i in range(L):
    a = linear(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").reshape(B, T, 3, H, C // H).permute(2, 0, 3, 1, 4)
    s = (a[0] @ a[1].transpose(-1, -2)) / 8.0
    w = torch.where(mask, s, torch.tensor(-1e9, dtype=torch.float64)).softmax(-1)
    x = x + linear((w @ a[2]).permute(0, 2, 1, 3).reshape(B, T, C), f"h.{i}.attn.c_proj")
    m = F.gelu(linear(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh")
    x = x + linear(m, f"h.{i}.mlp.c_proj")
logits = norm(x, "ln_f") @ q["wte.weight"].T
loss = F.cross_entropy(logits.reshape(-1, V), targets.reshape(-1))
loss.backward()

out = {k: v.contiguous() for k, v in p.items()}
out.update({"grad." + k: v.grad.float().contiguous() for k, v in q.items()})
out["loss"] = loss.detach().float().reshape(())
out["tokens"] = tokens.int()
out["targets"] = targets.int()
save_file(out, str(pathlib.Path(__file__).parent / "gpt2_tiny.safetensors"))
print("loss", loss.item())
