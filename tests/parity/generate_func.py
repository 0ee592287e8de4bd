#!/usr/bin/env python3
"""Writes tests/parity/data/func.txt: what torch.func makes of functions, for tests/unit/ops/transform/vmap.cpp, vjp.cpp and jacobian.cpp.

The format is that of groups.py. Run: python tests/parity/generate_func.py (PyTorch 2.x, CPU).
"""
import torch
import torch.nn.functional as F
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

from groups import Groups

torch.manual_seed(20250301)
torch.set_default_dtype(torch.float64)
group = Groups(repr)


r = torch.randn

# ---- gradients of each sample's loss
w1, b1, w2, x, y = r(6, 4), r(6), r(2, 6), r(5, 4), r(5, 2)


def loss(w1, b1, w2, x, y):
    return ((w2 @ torch.tanh(w1 @ x + b1) - y) ** 2).mean()


per_sample = vmap(grad(loss, argnums=(0, 1, 2)), in_dims=(None, None, None, 0, 0))(w1, b1, w2, x, y)
total = grad(lambda *a: vmap(loss, in_dims=(None, None, None, 0, 0))(*a).sum())(w1, b1, w2, x, y)
group("func_per_sample", [w1, b1, w2, x, y],
      [("w1", per_sample[0]), ("b1", per_sample[1]), ("w2", per_sample[2]), ("total", total)])

# ---- Jacobians and Hessians
w, v = r(3, 4), r(4)
f = lambda v: torch.tanh(w @ v) * v.sum()
g = lambda v: (f(v) ** 2).sum()
group("func_jacobian", [w, v], [("rev", jacrev(f)(v)), ("fwd", jacfwd(f)(v)), ("hessian", hessian(g)(v))])

# ---- products with Jacobians, several arguments and results
a, b, ta, tb, ca, cb = r(2, 3), r(3), r(2, 3), r(3), r(2), r(2, 3)
h = lambda a, b: ((a * b).exp().sum(1), torch.sin(a) / (1 + b * b))
value, tangent = jvp(h, (a, b), (ta, tb))
_, pull = vjp(h, a, b)
da, db = pull((ca, cb))
group("func_products", [a, b, ta, tb, ca, cb],
      [("y0", value[0]), ("y1", value[1]), ("t0", tangent[0]), ("t1", tangent[1]), ("da", da), ("db", db)])

# ---- axes other than the first, nested, operands that are the same for all
p, q = r(4, 3, 2), r(2, 5, 3)
d1, d2 = r(4, 3), r(5, 3)
group("func_axes", [p, q, d1, d2],
      [("axes", vmap(lambda m, n: m @ n, in_dims=(1, 2))(p, q)),
       ("pairs", vmap(vmap(lambda s, t: ((s - t) ** 2).sum(), in_dims=(None, 0)), in_dims=(0, None))(d1, d2)),
       ("last", vmap(lambda m: m.softmax(0), in_dims=-1)(p))])

# ---- what nets are made of, one sample at a time
image, kernel = r(3, 2, 5, 5), r(3, 4, 2, 3, 3)
rows, table, place = r(3, 4, 6), r(3, 5, 2), torch.randint(0, 5, (3, 4))
conv1 = lambda i, k: F.conv2d(i[None], k, stride=2, padding=1)[0]
group("func_layers", [image, kernel, rows, table, place],
      [("conv", vmap(conv1)(image, kernel)),
       ("conv_shared", vmap(conv1, in_dims=(0, None))(image, kernel[0])),
       ("conv_kernels", vmap(conv1, in_dims=(None, 0))(image[0], kernel)),
       ("conv_gradient", vmap(grad(lambda i, k: (conv1(i, k) ** 2).sum(), argnums=1))(image, kernel)),
       ("norm", vmap(lambda m: F.layer_norm(m, (6,)))(rows)),
       ("sorted", vmap(lambda m: m.sort(1).values)(rows)),
       ("cumsum", vmap(lambda m: m.cumsum(0))(rows)),
       ("rows", vmap(lambda t, i: t[i])(table, place)),
       ("rows_gradient", vmap(grad(lambda t, i: (t[i] ** 3).sum()))(table, place)),
       ("argmax", vmap(lambda m: m.argmax(1))(rows))])

# ---- a running logarithm, from that of every beginning: inner gradients that are zero, elements far apart
z, tz = r(2, 5), r(2, 5)
z[1] = torch.tensor([-300.0, 2, 1, 400, 399])
tz[0, 1] = 0
running = lambda z: torch.stack([z[:, :k + 1].logsumexp(1) for k in range(5)], 1)
above = lambda z: ((running(z) - 1).relu() ** 2).sum()
assert torch.equal(running(z).isclose(z.logcumsumexp(1)), torch.ones(2, 5, dtype=torch.bool)) and (running(z) < 1).any()
group("func_running_logarithm", [z, tz],
      [("tangent", jvp(running, (z,), (tz,))[1]), ("second", jvp(grad(above), (z,), (tz,))[1]),
       ("second_reverse", vjp(grad(above), z)[1](tz)[0]),
       ("of_cotangent", vjp(running, z)[1](tz)[0]), ("of_no_cotangent", 0 * tz)])

# ---- products whose axes lie in memory in other orders than in the result, more of them than a product walks
a, w = r(2, 2, 2, 3, 2, 2, 2, 2), r(3, 2)
p, q = r(2, 3, 2, 2, 2, 2, 3), r(2, 2, 3, 2, 2, 3, 2)
many = lambda a, w: torch.sin(a.permute(6, 4, 2, 0, 7, 1, 5, 3) @ w)
mm = lambda p, q: p @ q
batched = vmap(vmap(vmap(vmap(vmap(mm, (0, 0)), (1, 0)), (1, 2)), (3, 1)), (0, 4))
group("func_many_axes", [a, w, p, q],
      [("free", many(a, w)), *zip(("da", "dw"), grad(lambda a, w: many(a, w).sum(), argnums=(0, 1))(a, w)),
       ("batch", batched(p, q)),
       *zip(("dp", "dq"), grad(lambda p, q: torch.sin(batched(p, q)).sum(), argnums=(0, 1))(p, q))])

# ---- Jacobians of matrices, by one of several arguments, of each sample, of derivatives
a, b, samples = r(2, 3), r(3, 2), r(5, 3)
f2 = lambda a, b: torch.tanh(a @ b) * a.sum(1, keepdim=True)
net = lambda x: torch.tanh(a @ x).cumsum(0)
group("func_jacobian_shapes", [a, b, samples],
      [("first", jacrev(f2)(a, b)), ("second", jacfwd(f2, argnums=1)(a, b)), ("hessian", hessian(f2)(a, b)),
       ("second_hessian", hessian(f2, argnums=1)(a, b)), ("each", vmap(jacrev(net))(samples)),
       ("third", jacfwd(hessian(lambda x: net(x).exp().sum()))(samples[0])),
       ("norms", grad(lambda x: (jacfwd(net)(x) ** 2).sum())(samples[0]))])

group.write("func.txt")
