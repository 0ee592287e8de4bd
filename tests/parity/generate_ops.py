#!/usr/bin/env python3
"""Writes tests/parity/data/ops.txt: inputs and PyTorch's results for the operations of weft/ops.

A group is one compiled program in tests/unit/ops/**.cpp: `in` lines in the order of its inputs, `out` lines in the
order of its results. Run: python tests/parity/generate_ops.py (PyTorch 2.x, CPU).
"""
import torch
import torch.nn.functional as F

from groups import Groups

torch.manual_seed(20240607)
group = Groups()


def gradients(f, *inputs):
    """The gradients of sum(f(inputs) * (1, 2, 3, ...))."""
    xs = [x.clone().requires_grad_() for x in inputs]
    y = f(*xs)
    w = torch.arange(1, y.numel() + 1, dtype=y.dtype).reshape(y.shape)
    (y * w).sum().backward()
    return [torch.zeros_like(x) if x.grad is None else x.grad for x in xs]


r = torch.randn
inf, nan = float("inf"), float("nan")

# ---- one operand
x, p, u = r(3, 7) * 2, torch.rand(3, 7) * 4 + 0.05, torch.rand(3, 7) * 1.9 - 0.95
special = torch.tensor([0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 0.5, 1.5, 2.5, -2.5, 30.0, -30.0])
anywhere = ["neg", "abs", "sign", "floor", "ceil", "round", "trunc", "exp", "expm1", "sin", "cos", "tan", "atan", "sinh",
            "cosh", "tanh", "erf", "erfc", "asinh", "exp2", "square", "sigmoid", "frac"]
group("unary", [x], [(n, getattr(torch, n)(x)) for n in anywhere])
positive = ["log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal"]
group("unary_domain", [p, u], [(n, getattr(torch, n)(p)) for n in positive] + [("acosh", torch.acosh(p + 1))] +
      [(n, getattr(torch, n)(u)) for n in ["asin", "acos", "atanh"]] + [("logit", torch.logit(u * 0.5 + 0.5))])
group("unary_special", [special], [(n, getattr(torch, n)(special)) for n in
      ["abs", "sign", "floor", "ceil", "round", "trunc", "exp", "log", "sqrt", "tanh", "erf", "sigmoid", "isnan", "isfinite", "isinf"]] +
      [("clamp", special.clamp(-1, 2)), ("relu", torch.relu(special)), ("log1p", torch.log1p(special))])

# ---- two and three operands, broadcasting in every position
a, b, s = r(3, 1, 5), r(4, 5), torch.tensor(0.75)
w = torch.rand(3, 4, 1)
group("binary", [a, b, s, w], [
    ("add", a + b), ("sub", a - b), ("mul", a * b), ("div", a / b), ("maximum", torch.maximum(a, b)), ("minimum", torch.minimum(a, b)),
    ("atan2", torch.atan2(a, b)), ("hypot", torch.hypot(a, b)), ("pow", a.abs() ** b), ("fmod", torch.fmod(a, b)),
    ("remainder", torch.remainder(a, b)), ("floor_divide", torch.floor_divide(a, b)), ("logaddexp", torch.logaddexp(a, b)),
    ("copysign", torch.copysign(a, b)), ("lerp", torch.lerp(a.expand(3, 4, 5), b, w)), ("where", torch.where(a < b, a, b * 2)),
    ("masked_fill", a.expand(3, 4, 5).masked_fill(b > 0, -1.5)), ("isclose", torch.isclose(a, a + b * 1e-4, rtol=1e-4)),
    ("addcmul", torch.addcmul(a, b, w, value=0.5)), ("addcdiv", torch.addcdiv(a, b, w + 1, value=2)), ("scalar", (a + s) * 2 - 1 / s)])
group("compare", [a, b], [("eq", a == b), ("ne", a != b), ("lt", a < b), ("le", a <= b), ("gt", a > b), ("ge", a >= b),
                          ("and", torch.logical_and(a > 0, b > 0)), ("or", torch.logical_or(a > 0, b > 0)),
                          ("xor", torch.logical_xor(a > 0, b > 0)), ("not", torch.logical_not(a > 0))])
i, j = torch.randint(-20, 20, (3, 5)), torch.tensor([3, -4, 7, -1, 2])
i32 = torch.randint(-9, 9, (5,), dtype=torch.int32)
group("integers", [i, j, i32], [
    ("add", i + i32), ("mul", i * j), ("div", i / j), ("remainder", torch.remainder(i, j)), ("fmod", torch.fmod(i, j)),
    ("floor_divide", torch.floor_divide(i, j)), ("abs", i.abs()), ("sum", i32.sum()), ("mean", i.float().mean(0)), ("max", i.amax(1)),
    ("clamp", i.clamp(-5, 5)), ("less", i < i32), ("scaled", i * 0.5), ("argmin", i.argmin(1))])

# ---- movement
m, n = r(2, 3, 5), r(2, 1, 5)
group("movement", [m, n], [
    ("reshape", m.reshape(5, -1)), ("flatten", m.flatten(1)), ("flatten_all", m.flatten()), ("transpose", m.transpose(0, -1)),
    ("permute", m.permute(2, 0, 1)), ("t", m[0].t()), ("squeeze", n.squeeze(1)), ("unsqueeze", m.unsqueeze(-2)), ("expand", n.expand(2, 3, 5)),
    ("expand_as", n.expand_as(m)), ("repeat", n.repeat(2, 1, 3, 1)), ("tile", m.tile(2, 2)), ("flip", m.flip(0, 2)), ("roll", m.roll(2, -1)),
    ("roll_back", m.roll(-1, 1)), ("narrow", m.narrow(1, 1, 2)), ("select", m.select(2, -2)), ("slice", m[:, :, 1:5:2]),
    ("slice_negative", m[:, -2:]), ("permuted_reshape", m.permute(1, 2, 0).reshape(3, 10))])
sp, ch = m.split(2, 2), m.chunk(2, 1)
group("concat", [m, n], [("cat", torch.cat([m, n, m], 1)), ("cat_last", torch.cat([m.transpose(1, 2), m.transpose(1, 2) * 2], -1)),
                       ("stack", torch.stack([m, m * m], 1)), ("stack_last", torch.stack([m, -m], -1)),
                       ("split0", sp[0]), ("split2", sp[2]), ("chunk0", ch[0]), ("chunk1", ch[1]),
                       ("pad", F.pad(m, (1, 2))), ("pad_value", F.pad(m, (0, 1, 2, 0), value=-3)), ("pad_crop", F.pad(m, (-1, 1))),
                       ("cat_sum", torch.cat([m, n], 1).sum(1))])

# ---- reductions: primes, extent 1, views before the reduction
q, long = r(3, 1, 7, 5), r(2, 131)
group("reduce_sum", [q], [
    ("all", q.sum()), ("last", q.sum(-1)), ("first", q.sum(0)), ("middle", q.sum(2)), ("two", q.sum((0, 3))), ("one", q.sum(1)),
    ("keepdim", q.sum(2, keepdim=True)), ("permuted", q.permute(3, 0, 2, 1).sum(0)), ("permuted_last", q.permute(0, 3, 1, 2).sum(-1)),
    ("sliced", q[:, :, 1::2].sum((2, 3))), ("expanded", q.expand(3, 4, 7, 5).sum((1, 2))), ("flipped", (q.flip(2) * q).sum(2)),
    ("mean", q.mean((1, 2))), ("mean_all", q.mean()), ("softmax_sum", torch.softmax(q, 2).sum(3))])
group("reduce_order", [q], [
    ("amax", q.amax(3)), ("amax_first", q.amax(0)), ("amin_two", q.amin((0, 2))), ("max_all", q.max()), ("min_all", q.min()),
    ("prod", q.prod(2)), ("prod_all", (q * 0.1 + 1).prod()), ("argmax", q.argmax(-1)), ("argmax_first", q.argmax(0)), ("argmax_keep", q.argmax(2, keepdim=True)),
    ("argmin_all", q.argmin()), ("any", (q > 1.5).any(3)), ("all", (q > -1.5).all(2)), ("any_all", (q > 9).any()), ("count", torch.count_nonzero(q > 0, 2))])
group("reduce_spread", [q, long], [
    ("var", q.var(3)), ("var_two", q.var((0, 2))), ("var_biased", q.var(2, unbiased=False)), ("var_all", q.var()), ("std", q.std(0)), ("std_keep", q.std(3, keepdim=True)),
    ("logsumexp", q.logsumexp(3)), ("logsumexp_two", q.logsumexp((0, 2))), ("logsumexp_keep", long.logsumexp(1, keepdim=True)),
    ("norm", q.norm(dim=2)), ("norm_all", q.norm()), ("norm1", torch.linalg.vector_norm(q, 1, 3)), ("norm3", torch.linalg.vector_norm(q, 3, (0, 3))),
    ("norm_inf", torch.linalg.vector_norm(q, inf, 2)), ("norm0", torch.linalg.vector_norm(q.relu(), 0, 2))])
odd = torch.tensor([[1.0, nan, 3.0], [inf, 2.0, -inf], [-inf, -inf, -inf], [0.0, -0.0, 0.0]])
group("reduce_special", [odd], [("sum", odd.sum(1)), ("amax", odd.amax(1)), ("amin", odd.amin(1)), ("argmax", odd.argmax(1)), ("argmin", odd.argmin(1)),
                                ("logsumexp", odd.logsumexp(1)), ("prod", odd.prod(1)), ("amax_first", odd.amax(0))])

# ---- matrices
A, B, v, C = r(3, 4, 5), r(5, 7), r(5), r(2, 1, 5, 3)
group("linalg", [A, B, v, C], [
    ("matrix", A[0] @ B), ("batch", A @ B), ("vector", A @ v), ("dot", v @ v), ("vector_matrix", v @ B), ("broadcast", A @ C),
    ("transposed", B.t() @ A[1].t()), ("bmm", torch.bmm(A, A.transpose(1, 2))), ("addmm", torch.addmm(B[0], A[2], B, beta=0.5, alpha=2)),
    ("outer", torch.outer(v, B[0])), ("linear", F.linear(A, B.t(), B[1])), ("trace", torch.trace(B)),
    ("expanded", v.expand(4, 5) @ B), ("permuted", A.permute(2, 0, 1).reshape(5, 12).t() @ B)])
group("triangular", [A, B], [
    ("tril", A.tril()), ("triu", A.triu(1)), ("tril_low", B.tril(-1)), ("triu_low", B.triu(-2)), ("diagonal", B.diagonal()), ("diagonal_up", B.diagonal(2)),
    ("diagonal_down", B.diagonal(-3)), ("diagonal_batch", A.diagonal(1, 1, 2)), ("diagonal_view", B.t().diagonal(-1))])

# ---- activations, normalisation
y = torch.cat([r(2, 6) * 3, torch.tensor([[0.0, -0.0, 3.0, -3.0, 6.0, 40.0], [-40.0, 1.0, -1.0, 1e-6, 88.0, -88.0]])])
group("activation", [y], [
    ("relu", F.relu(y)), ("gelu", F.gelu(y)), ("gelu_tanh", F.gelu(y, approximate="tanh")), ("silu", F.silu(y)), ("mish", F.mish(y)), ("elu", F.elu(y, 0.7)),
    ("selu", F.selu(y)), ("celu", F.celu(y, 1.3)), ("leaky_relu", F.leaky_relu(y, 0.2)), ("softplus", F.softplus(y)), ("softplus_beta", F.softplus(y, beta=2)),
    ("logsigmoid", F.logsigmoid(y)), ("relu6", F.relu6(y)), ("hardswish", F.hardswish(y)), ("hardsigmoid", F.hardsigmoid(y)), ("hardtanh", F.hardtanh(y, -2, 1.5)),
    ("softsign", F.softsign(y)), ("prelu", F.prelu(y, torch.tensor([0.3])))])
g, rows = r(2, 6, 3), r(4, 37) * 4
lw, lb = r(37), r(37)
group("softmax", [g, rows], [("softmax_last", g.softmax(-1)), ("softmax_middle", g.softmax(1)), ("softmax_first", g.softmax(0)), ("log_softmax", rows.log_softmax(1)),
                             ("log_softmax_first", rows.log_softmax(0)), ("glu", F.glu(g, 1)), ("softmax_rows", rows.softmax(1)), ("softmax_view", g.transpose(1, 2).softmax(-1))])
group("norm", [rows, lw, lb], [("layer_norm", F.layer_norm(rows, (37,), lw, lb)), ("plain", F.layer_norm(rows, (37,))), ("eps", F.layer_norm(rows * 1e-3, (37,), lw, lb, 1e-2)),
                               ("rms_norm", F.rms_norm(rows, (37,), lw, 1e-6))])

# ---- losses and their gradients
labels = torch.tensor([3, -100, 36, 0])
target, logits, prob = r(4, 5), r(4, 5) * 3, torch.rand(4, 5)
soft = (torch.rand(4, 5) > 0.5).float()
prob[0, 0], soft[0, 0], logits[1, 1] = 1.0, 0.0, 0.0
group("loss", [rows, labels, target, logits, prob, soft], [
    ("cross_entropy", F.cross_entropy(rows, labels)), ("nll", F.nll_loss(rows.log_softmax(1), labels)), ("mse", F.mse_loss(logits, target)), ("l1", F.l1_loss(logits, target)),
    ("huber", F.huber_loss(logits, target, delta=0.8)), ("smooth_l1", F.smooth_l1_loss(logits, target, beta=0.5)), ("bce", F.binary_cross_entropy(prob, soft)),
    ("bce_with_logits", F.binary_cross_entropy_with_logits(logits, soft))])
group("loss_gradient", [rows, labels, logits, target, soft], [
    ("cross_entropy", gradients(lambda z: F.cross_entropy(z, labels), rows)[0]), ("nll", gradients(lambda z: F.nll_loss(z, labels), rows)[0]),
    ("mse", gradients(F.mse_loss, logits, target)[1]), ("l1", gradients(F.l1_loss, logits, target)[0]),
    ("huber", gradients(F.huber_loss, logits, target)[0]), ("bce_with_logits", gradients(lambda z: F.binary_cross_entropy_with_logits(z, soft), logits)[0])])

# ---- gradients at kinks and ties
k = torch.tensor([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 40.0, -40.0, 100.0, -100.0])
ties = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
zero_row = torch.tensor([[0.0, 0.0], [3.0, 4.0]])
group("kinks", [k, ties, zero_row], [
    ("relu", gradients(F.relu, k)[0]), ("abs", gradients(torch.abs, k)[0]), ("clamp", gradients(lambda z: z.clamp(-1, 1), k)[0]), ("elu", gradients(F.elu, k)[0]),
    ("leaky_relu", gradients(F.leaky_relu, k)[0]), ("softplus", gradients(F.softplus, k)[0]), ("sigmoid", gradients(torch.sigmoid, k)[0]),
    ("gelu", gradients(F.gelu, k)[0]), ("mish", gradients(F.mish, k)[0]), ("silu", gradients(F.silu, k)[0]), ("logsigmoid", gradients(F.logsigmoid, k)[0]),
    ("amax", gradients(lambda z: z.amax(1), ties)[0]), ("maximum", gradients(lambda z: torch.maximum(z, ties.flip(1)), ties)[0]), ("norm", gradients(lambda z: z.norm(dim=1), zero_row)[0]),
    ("prod", gradients(lambda z: z.prod(1), zero_row)[0])])
layer = gradients(lambda z, w2, b2: F.layer_norm(z, (37,), w2, b2), rows, lw, lb)
group("row_gradient", [rows, lw, lb], [("x", layer[0]), ("weight", layer[1]), ("bias", layer[2]), ("softmax", gradients(lambda z: z.softmax(1), rows)[0]),
                                       ("log_softmax", gradients(lambda z: z.log_softmax(1), rows)[0]), ("logsumexp", gradients(lambda z: z.logsumexp(1), rows)[0])])

# ---- tensors made from nothing
group("creation", [r(2, 3)], [
    ("zeros", torch.zeros(2, 3)), ("ones", torch.ones(2, 3)), ("full", torch.full((2, 3), 1.25)), ("arange", torch.arange(6.0)), ("arange_step", torch.arange(2, 13, 3)),
    ("arange_down", torch.arange(5, -3, -2)), ("linspace", torch.linspace(-1, 2, 7)), ("linspace_one", torch.linspace(3, 9, 1)), ("eye", torch.eye(3)), ("eye_wide", torch.eye(2, 4)),
    ("ones_like", torch.ones(2, 3)), ("full_like", torch.full((2, 3), 7.0))])

# ---- running folds, order
z = r(2, 7, 3)
z[0, 2, 1], z[1, 3, 2] = 0.0, 0.0
spread = torch.tensor([[1.0, nan, 3.0, 3.0], [inf, 2.0, -inf, 2.0], [-inf, -inf, 1.0, nan], [0.0, -0.0, -1.0, 0.0]])
whole = torch.randint(-5, 6, (3, 6))
group("scan", [z, spread, whole], [
    ("cumsum", z.cumsum(1)), ("cumsum_first", z.cumsum(0)), ("cumsum_last", z.cumsum(-1)), ("cumsum_view", z.transpose(0, 2).cumsum(1)),
    ("cumsum_flip", z.flip(1)[:, ::2].cumsum(1)), ("cumprod", z.cumprod(1)), ("cummax", z.cummax(1)[0]), ("cummax_places", z.cummax(1)[1]),
    ("cummin", z.cummin(-1)[0]), ("cummin_places", z.cummin(-1)[1]), ("logcumsumexp", z.logcumsumexp(1)), ("diff", z.diff(dim=1)), ("diff2", z.diff(2, dim=1)),
    ("special_sum", spread.cumsum(1)), ("special_max", spread.cummax(1)[0]), ("special_max_places", spread.cummax(1)[1]), ("special_min", spread.cummin(1)[0]),
    ("special_log", spread.logcumsumexp(1)), ("integers", whole.cumsum(0)), ("integer_products", whole.cumprod(1)), ("integer_max", whole.cummax(1)[0]),
    ("integer_max_places", whole.cummax(1)[1]), ("booleans", (whole > 0).cumsum(1)), ("one", z[:, :1].cumsum(1))])
group("scan_gradient", [z, spread], [
    ("cumsum", gradients(lambda t: t.cumsum(1), z)[0]), ("cumprod", gradients(lambda t: t.cumprod(1), z)[0]), ("cummax", gradients(lambda t: t.cummax(1)[0], z)[0]),
    ("cummin", gradients(lambda t: t.cummin(-1)[0], z)[0]), ("logcumsumexp", gradients(lambda t: t.logcumsumexp(1), z)[0]), ("ties", gradients(lambda t: t.cummax(1)[0], spread[3:])[0])])
so, so_down, tk, tk_low = z.sort(dim=1, stable=True), spread.sort(dim=1, descending=True, stable=True), z.topk(3, 1), z.topk(2, -1, largest=False)
si, sw = spread.sort(dim=1, stable=True), whole.sort(dim=1, stable=True)
group("sort", [z, spread, whole], [
    ("values", so[0]), ("places", so[1]), ("special", si[0]), ("special_places", si[1]), ("special_down", so_down[0]), ("special_down_places", so_down[1]),
    ("integers", sw[0]), ("integer_places", sw[1]), ("argsort_first", z.argsort(dim=0, stable=True)), ("argsort_down", whole.argsort(dim=1, descending=True, stable=True)), ("msort", z.msort()),
    ("topk", tk[0]), ("topk_places", tk[1]), ("topk_low", tk_low[0]), ("topk_low_places", tk_low[1]), ("kth", z.kthvalue(3, 1)[0]), ("kth_places", z.kthvalue(3, 1)[1]),
    ("kth_keep", z.kthvalue(2, 0, keepdim=True)[0]), ("median", z.median(1)[0]), ("median_places", z.median(1)[1]), ("median_all", z.median()), ("median_special", spread.median(1)[0]),
    ("nanmedian", spread.nanmedian(1)[0]), ("median_even", z.median(0)[0]), ("quantile", z.quantile(0.3, 1)), ("quantile_all", z.quantile(0.75)), ("quantile_special", spread[:, :2].quantile(0.5, 1)),
    ("nanquantile", spread[:2, :1].nanquantile(0.5, 1)), ("quantile_keep", z.quantile(0.5, 2, keepdim=True))])
group("sort_gradient", [z], [
    ("sort", gradients(lambda t: t.sort(1)[0], z)[0]), ("topk", gradients(lambda t: t.topk(2, 2)[0], z)[0]), ("kth", gradients(lambda t: t.kthvalue(3, 1)[0], z)[0]),
    ("median", gradients(lambda t: t.median(1)[0], z)[0]), ("quantile", gradients(lambda t: t.quantile(0.3, 1), z)[0])])
boundaries, wanted = torch.tensor([-1.0, 0.0, 0.0, 0.5, 2.0, inf]), torch.tensor([[0.0, -1.0, 3.0], [nan, 0.25, inf]])
lines2, wanted2 = r(2, 5).sort(1)[0], r(2, 3)
group("search", [boundaries, wanted, lines2, wanted2], [
    ("left", torch.searchsorted(boundaries, wanted)), ("right", torch.searchsorted(boundaries, wanted, right=True)), ("lines", torch.searchsorted(lines2, wanted2)),
    ("bucketize", torch.bucketize(wanted, boundaries)), ("bucketize_right", torch.bucketize(wanted, boundaries, right=True)), ("isin", torch.isin(wanted, boundaries))])

# ---- by index
tab, ix, ix_small = r(4, 5, 3), torch.randint(0, 5, (4, 6, 3)), torch.randint(0, 5, (3, 2, 2))
vec = torch.tensor([3, 0, 3, 1], dtype=torch.int32)
upd, upd_rows = r(4, 6, 3), r(4, 4, 3)
group("gather", [tab, ix, ix_small, vec], [
    ("gather", tab.gather(1, ix)), ("gather_small", tab.gather(1, ix_small)), ("gather_view", tab.transpose(1, 2).gather(2, ix.transpose(1, 2))), ("take_along", tab.take_along_dim(ix[:, :2, :1], 1)),
    ("take_along_flat", tab.take_along_dim(ix[0])), ("index_select", tab.index_select(1, vec)), ("index_select_first", tab.index_select(0, vec)),
    ("index_select_last", tab.transpose(0, 2).index_select(2, vec)), ("take", tab.take(ix_small * 7 + 3)), ("take_negative", tab.take(-1 - ix_small)),
    ("integers", ix.gather(0, (ix % 4)[:, :5])), ("booleans", (tab > 0).gather(1, ix))])
group("scatter", [tab, ix, upd, ix_small, vec, upd_rows], [
    ("add", tab.scatter_add(1, ix, upd)), ("add_small", tab.scatter_add(1, ix_small, upd)), ("set_number", tab.scatter(1, ix_small, 2.5)),
    ("sum", tab.scatter_reduce(1, ix, upd, "sum")), ("prod", tab.scatter_reduce(1, ix, upd, "prod")), ("mean", tab.scatter_reduce(1, ix, upd, "mean")),
    ("amax", tab.scatter_reduce(1, ix, upd, "amax")), ("amin", tab.scatter_reduce(1, ix, upd, "amin")), ("sum_new", tab.scatter_reduce(1, ix, upd, "sum", include_self=False)),
    ("prod_new", tab.scatter_reduce(1, ix, upd, "prod", include_self=False)), ("mean_new", tab.scatter_reduce(1, ix, upd, "mean", include_self=False)),
    ("amax_new", tab.scatter_reduce(1, ix, upd, "amax", include_self=False)), ("index_add", tab.index_add(1, vec, upd_rows, alpha=0.5)),
    ("index_fill", tab.index_fill(1, vec.long(), -3)), ("index_copy", tab.index_copy(1, torch.tensor([4, 0, 2, 1]), upd_rows)),
    ("index_reduce", tab.index_reduce(1, vec.long(), upd_rows, "amax")), ("integers", ix.scatter_add(1, ix % 6, ix))])
perm = torch.stack([torch.stack([torch.randperm(5) for _ in range(3)], 1) for _ in range(4)])
group("scatter_set", [tab, perm, upd[:, :5].contiguous()], [("set", tab.scatter(1, perm, upd[:, :5])), ("set_part", tab.scatter(1, perm[:, :2], upd)), ("bool", (tab > 0).scatter(1, perm[:, :2], upd > 0))])
w5 = upd[:, :5].contiguous()
group("index_gradient", [tab, ix, upd, vec, perm, w5], [
    ("gather", gradients(lambda t: t.gather(1, ix), tab)[0]), ("index_select", gradients(lambda t: t.index_select(1, vec), tab)[0]), ("scatter_add_x", gradients(lambda t, u: t.scatter_add(1, ix, u), tab, upd)[0]),
    ("scatter_add_src", gradients(lambda t, u: t.scatter_add(1, ix, u), tab, upd)[1]), ("scatter_x", gradients(lambda t, u: t.scatter(1, perm[:, :2], u[:, :2]), tab, w5)[0]),
    ("scatter_src", gradients(lambda t, u: t.scatter(1, perm[:, :2], u[:, :2]), tab, w5)[1]), ("amax_src", gradients(lambda t, u: t.scatter_reduce(1, ix, u, "amax", include_self=False), tab, upd)[1]),
    ("prod_src", gradients(lambda t, u: t.scatter_reduce(1, ix, u, "prod"), tab, upd)[1]), ("mean_src", gradients(lambda t, u: t.scatter_reduce(1, ix, u, "mean"), tab, upd)[1]),
    ("take_along", gradients(lambda t: t.take_along_dim(ix[:, :2, :1], 1), tab)[0])])

i1, i2, ir2 = torch.tensor([1, -1, 0]), torch.tensor([[2, 0, -2]]), torch.tensor([[0, 1], [-1, 1]])
mask2, four = tab[0] > 0.2, r(2, 4, 5, 3)
def bounded(t, n):
    out = torch.zeros((n,) + t.shape[1:], dtype=t.dtype)
    out[:min(n, len(t))] = t[:n]
    return out
group("index", [tab, i1, i2, ir2, mask2, four], [
    ("slices", tab[1:3, ::2]), ("negative", tab[-3:, 4, -1:]), ("ellipsis", tab[..., 1]), ("new_axis", tab[:, None, 2:, ..., None]), ("places", tab[-1, 2]), ("all_places", tab[1, 2, 0]),
    ("tensor", tab[i1]), ("tensor_middle", tab[:, i2]), ("tensor_matrix", tab[..., ir2]), ("two", tab[i1, i2]), ("two_last", tab[:, i1, i2 % 3]), ("apart", tab[i1, :, i2 % 3]),
    ("with_slice", four[1, i1, 1:4:2]), ("apart_place", four[i1 % 2, 2, :, i1]), ("apart_four", four[i1 % 2, :, i1]), ("mask", bounded(tab[:, 0][:, 0:3][mask2[:4, 0]], 4)), ("mask_axes", bounded(tab.transpose(0, 2).transpose(0, 1)[mask2], 20)),
    ("mask_short", bounded(tab.transpose(0, 2).transpose(0, 1)[mask2], 2)), ("mask_last", bounded(tab.permute(1, 2, 0)[mask2], 10).t())])
def put(t, key, v, accumulate=False):
    t = t.clone()
    t.index_put_(key, v, accumulate) if isinstance(key, tuple) and all(isinstance(k, torch.Tensor) for k in key) else t.__setitem__(key, v)
    return t
twice = torch.tensor([1, 1, -1])
group("index_put", [tab, i1, twice, i2], [
    ("slice", put(tab, (slice(1, 3), slice(None, None, 2)), 2.0)), ("tensor", put(tab, (slice(None), i1), tab[:, :3] * 2)), ("two", put(tab, (i1, i2[0]), torch.tensor([[1.0], [2.0], [3.0]]))),
    ("accumulate", put(tab, (twice,), tab[:3], True)), ("place", put(tab, (2, Ellipsis, 0), 9.0))])
group("index_put_gradient", [tab, i1, twice], [
    ("index", gradients(lambda t: t[i1, :, i1.abs()], tab)[0]), ("put_x", gradients(lambda t, u: torch.index_put(t, (i1,), u), tab, tab[:3])[0]), ("put_value", gradients(lambda t, u: torch.index_put(t, (i1,), u), tab, tab[:3])[1]),
    ("accumulate_value", gradients(lambda t, u: torch.index_put(t, (twice,), u, accumulate=True), tab, tab[:3])[1])])

# ---- results whose size depends on the data: cut or filled up to a capacity
some = torch.tensor([[3.0, -1.0, 3.0, 0.0], [0.0, 2.0, -1.0, 7.0]])
ids, weights = torch.tensor([2, 0, 5, 2, 9, 2]), r(6)
un, uc = some.unique(return_inverse=True, return_counts=True), ids.sort()[0].unique_consecutive(return_inverse=True, return_counts=True)
nz = some.nonzero()
tenth = torch.tensor([0.05, -1.0, 2.0, nan, 0.999, 1.0, 0.0, 0.5, 0.5])
group("padded_results", [some, ids, weights, tenth], [
    ("masked_select", bounded(some[some > 0], 6)), ("masked_count", (some > 0).sum()), ("masked_short", bounded(some[some > 0], 2)), ("masked_broadcast", bounded(some[(some[:, :1] > 1).expand(2, 4)], 8)),
    ("nonzero", torch.cat([nz, -torch.ones(8 - len(nz), 2, dtype=torch.int64)])), ("nonzero_count", torch.tensor(len(nz))), ("unique", bounded(un[0], 8)), ("unique_count", torch.tensor(len(un[0]))),
    ("unique_inverse", un[1]), ("unique_counts", bounded(un[2], 8)), ("consecutive", bounded(uc[0], 6)), ("consecutive_inverse", uc[1]), ("consecutive_counts", bounded(uc[2], 6)),
    ("bincount", torch.bincount(ids, minlength=10)), ("bincount_weights", torch.bincount(ids, weights, minlength=10)), ("histc", torch.histc(tenth, 4, 0, 1)),
    ("masked_gradient", gradients(lambda t: bounded(t[some > 0], 6), some)[0])])

# ---- rows put together in bags
table, bags, flat_bags, starts, each = r(7, 4), torch.randint(0, 7, (3, 5)), torch.randint(0, 7, (9,)), torch.tensor([0, 2, 2, 7]), torch.rand(3, 5)
bags[1] = 2
bag_of = F.embedding_bag
group("embedding_bag", [table, bags, flat_bags, starts, each], [
    ("sum", bag_of(bags, table, mode="sum")), ("mean", bag_of(bags, table)), ("max", bag_of(bags, table, mode="max")), ("padded_sum", bag_of(bags, table, mode="sum", padding_idx=2)),
    ("padded_mean", bag_of(bags, table, padding_idx=2)), ("padded_max", bag_of(bags, table, mode="max", padding_idx=2)), ("weighted", bag_of(bags, table, mode="sum", per_sample_weights=each)),
    ("flat_sum", bag_of(flat_bags, table, starts, mode="sum")), ("flat_mean", bag_of(flat_bags, table, starts)), ("flat_max", bag_of(flat_bags, table, starts, mode="max")),
    ("flat_padded", bag_of(flat_bags, table, starts, mode="mean", padding_idx=2)), ("padded", F.embedding(bags, table, padding_idx=2)),
    ("padded_gradient", gradients(lambda t: F.embedding(bags, t, padding_idx=2), table)[0]), ("mean_gradient", gradients(lambda t: bag_of(bags, t, padding_idx=2), table)[0]),
    ("flat_gradient", gradients(lambda t: bag_of(flat_bags, t, starts), table)[0])])

# ---- einsum: every form that PyTorch takes
E1, E2, E3, E4, E5 = r(3, 4), r(4, 5), r(3, 3, 4), r(2, 3, 4), r(2, 5, 4)
es = torch.einsum
group("einsum", [E1, E2, E3, E4, E5], [
    ("product", es("ij,jk->ik", E1, E2)), ("implicit", es("ij,jk", E1, E2)), ("implicit_order", es("ba,ac", E1, E2)), ("transpose", es("ij->ji", E1)), ("implicit_transpose", es("ba", E1)),
    ("sum", es("ij->", E1)), ("rows", es("ij->i", E1)), ("trace", es("ii", E3[:, :, 0])), ("diagonal", es("iij->ij", E3)), ("diagonal_apart", es("iji->ij", E3.transpose(1, 2))), ("diagonal_product", es("iij,jk->ik", E3, E2)),
    ("batch", es("bsd,btd->bst", E4, E5)), ("batch_turned", es("bsd,btd->tsb", E4, E5)), ("outer", es("i,j->ij", E1[0], E2[0])), ("hadamard", es("ij,ij->ij", E1, E1)), ("inner", es("ij,ij", E1, E1)),
    ("three", es("ij,jk,bik->b", E1, E2, r(1) * 0 + es("ij,jk->ik", E1, E2)[None].expand(2, 3, 5))), ("chain", es("ij,jk,kl,lm->im", E1, E2, E2.t(), E1.t())), ("ellipsis", es("...ij,...kj->...ik", E4, E5)),
    ("ellipsis_one", es("...i,ij", E4, E2)), ("ellipsis_summed", es("...j->j", E4)), ("ellipsis_last", es("b...->...b", E4)), ("ellipsis_broadcast", es("...ij,...jk->...ik", E4[:, None], E2.expand(3, 4, 5))), ("capitals", es("Bs,sB->sB", E1, E1.t())),
    ("implicit_capitals", es("bA,As", E1, E2)), ("spaces", es(" i j , j k -> k i ", E1, E2)), ("one_extent", es("ij,ij->ij", E1[:, :1], E1)), ("summed_alone", es("ij,kl->il", E1, E2)), ("scalar", es(",ij->ij", E1[0, 0], E1)),
    ("bilinear", es("bn,anm,bm->ba", E4[:, 0], r(3, 4, 5)[:0].new_ones(3, 4, 5) * E1[:, :, None], E5[:, :, 0])), ("many", es("abc,dbc,ad->", E3, E4, E4[:, :, 0].t()))])
group("einsum_gradient", [E1, E2, E3, E4, E5], [
    ("product", gradients(lambda a, b: es("ij,jk->ik", a, b), E1, E2)[1]), ("diagonal", gradients(lambda t: es("iji->ij", t), E3.transpose(1, 2))[0]), ("three", gradients(lambda a, b: es("ij,jk,ik->i", a, b, a @ b), E1, E2)[0]),
    ("ellipsis", gradients(lambda a, b: es("...ij,...kj->...ik", a, b), E4, E5)[0]), ("summed", gradients(lambda a, b: es("ij,kl->il", a, b), E1, E2)[1])])

# ---- special functions and the rest of the pointwise ones
sp_x = torch.tensor([0.0, -0.0, 1.0, 2.0, 0.5, -0.5, -1.5, -2.0, 3.7, 10.0, 30.0, 1e-3, -7.25, 100.0, inf, -inf, nan, 0.25, 6.5, -0.001])
sp_u = torch.tensor([0.0, 0.5, -0.5, 0.9, -0.99, 0.999999, 1.0, -1.0, 1.5, nan, 1e-6, 0.01])
zx, zy = torch.tensor([0.0, 0.0, 2.0, 1.0, 0.0, nan, 0.5]), torch.tensor([0.0, inf, 3.0, 0.0, nan, 1.0, -1.0])
bits, by = torch.randint(-100, 100, (6,), dtype=torch.int32), torch.randint(0, 5, (6,), dtype=torch.int32)
group("special", [sp_x, sp_u, zx, zy, bits, by], [
    ("lgamma", torch.lgamma(sp_x)), ("digamma", torch.digamma(sp_x)), ("erfinv", torch.erfinv(sp_u)), ("sinc", torch.sinc(sp_x[:14])), ("logit", torch.logit(sp_u, 0.1)), ("xlogy", torch.xlogy(zx, zy)),
    ("xlog1py", torch.special.xlog1py(zx, zy)), ("logaddexp2", torch.logaddexp2(sp_x[:14], sp_x[1:15])), ("heaviside", torch.heaviside(sp_x, torch.tensor(0.25))), ("nan_to_num", torch.nan_to_num(sp_x)), ("nan_to_num_given", torch.nan_to_num(sp_x, 2, 7, -7)),
    ("fmax", torch.fmax(zx, zy)), ("fmin", torch.fmin(zx, zy)), ("ldexp", torch.ldexp(sp_x[:8], by[:1])), ("isposinf", torch.isposinf(sp_x)), ("isneginf", torch.isneginf(sp_x)), ("signbit", torch.signbit(sp_x)), ("copysign", torch.copysign(zx + 1, -sp_x[:7])),
    ("deg2rad", torch.deg2rad(sp_x)), ("rad2deg", torch.rad2deg(sp_x)), ("left", bits << by), ("right", bits >> by), ("not", ~bits), ("not_bool", ~(bits > 0)), ("and", bits & by), ("lerp_end", torch.lerp(zx[:4], sp_x[2:6], 0.9))])
group("special_gradient", [sp_x, sp_u, zx, zy], [
    ("lgamma", gradients(torch.lgamma, sp_x[8:14])[0]), ("erfinv", gradients(torch.erfinv, sp_u[:5])[0]), ("sinc", gradients(torch.sinc, sp_x[:11])[0]), ("xlogy_x", gradients(torch.xlogy, zx[2:4], zy[2:4] + 1)[0]),
    ("xlogy_y", gradients(torch.xlogy, zx[:4], zy[:4] + 1)[1]), ("nan_to_num", gradients(torch.nan_to_num, sp_x)[0]), ("copysign", gradients(torch.copysign, sp_x[2:9], -sp_u[2:9])[0])])

# ---- reductions that skip NaN, several statistics, whole tensors
holes = torch.tensor([[1.0, nan, 3.0], [nan, nan, nan], [-inf, 2.0, 5.0]])
vm = torch.var_mean(q, (0, 2))
group("reduce_nan", [holes, q], [
    ("nansum", holes.nansum(1)), ("nansum_all", holes[:1].nansum()), ("nanmean", holes.nanmean(1)), ("nanmean_keep", holes.nanmean(0, keepdim=True)), ("aminmax", torch.stack(list(q.aminmax(dim=2)))), ("var_mean", torch.stack(vm)),
    ("std_mean", torch.stack(torch.std_mean(q))), ("var_2", q.var(2, correction=2)), ("std_0", q.std(3, correction=0)), ("dist", torch.dist(q, q * 0.5)), ("dist_1", torch.dist(q[0], q[1], 1)),
    ("equal", torch.tensor(torch.equal(q, q))), ("unequal", torch.tensor(torch.equal(q, q + 1))), ("allclose", torch.tensor(torch.allclose(q, q + 1e-7))), ("not_allclose", torch.tensor(torch.allclose(q, q + 1e-2)))])

# ---- more movement
cube4 = r(2, 3, 4)
group("axes", [cube4, m], [
    ("movedim", cube4.movedim(0, 2)), ("movedim_back", cube4.movedim(-1, 0)), ("swapaxes", cube4.swapaxes(0, 2)), ("unflatten", cube4.unflatten(2, (2, -1))), ("ravel", cube4.ravel()), ("interleave", cube4.repeat_interleave(3, 1)),
    ("unfold", cube4.unfold(2, 2, 1)), ("unfold_step", cube4.unfold(1, 2, 1)), ("unfold_apart", cube4.unfold(2, 2, 2)), ("rot90", cube4.rot90()), ("rot90_back", cube4.rot90(-1, (1, 2))), ("rot180", cube4.rot90(2, (0, 2))), ("flipud", cube4.flipud()), ("fliplr", cube4.fliplr()),
    ("unbind", cube4.unbind(1)[2]), ("tensor_split", m.tensor_split(3, 2)[0]), ("tensor_split_last", m.tensor_split(3, 2)[2]), ("split_at", m.tensor_split((1, 3), 2)[1]), ("hsplit", cube4.hsplit(3)[1]), ("vsplit", cube4.vsplit(2)[1]), ("dsplit", cube4.dsplit(2)[0]),
    ("atleast_3d", torch.atleast_3d(cube4[0])), ("atleast_2d", torch.atleast_2d(cube4[0, 0])), ("hstack", torch.hstack([cube4[0, 0], cube4[1, 1]])), ("vstack", torch.vstack([cube4[0, 0], cube4[1, 1]])), ("dstack", torch.dstack([cube4[0], cube4[1]])),
    ("column_stack", torch.column_stack([cube4[0, :, 0], cube4[1]])), ("roll_two", cube4.roll((1, 2), (0, 2)))])
group("rearrange_gradient", [cube4], [("unfold", gradients(lambda t: t.unfold(2, 3, 1), cube4)[0]), ("interleave", gradients(lambda t: t.repeat_interleave(3, 1), cube4)[0])])

# ---- more matrices
three, three2 = r(2, 3), r(2, 3)
bb = torch.bmm(A, A.transpose(1, 2))
group("products", [A, B, v, three, three2, cube4], [
    ("diagonal_axes", cube4.diagonal(0, 0, 1)), ("diagonal_apart", cube4.diagonal(-1, 0, 2)), ("diagonal_turned", cube4.diagonal(1, 2, 1)), ("diag", torch.diag(v, 1)), ("diag_matrix", torch.diag(B, -1)), ("diag_embed", torch.diag_embed(three)), ("diag_embed_axes", torch.diag_embed(three, -1, 0, 2)),
    ("diagflat", torch.diagflat(three, 1)), ("kron", torch.kron(three, B[:2, :2])), ("kron_vector", torch.kron(v, three)), ("cross", torch.linalg.cross(three, three2)), ("cross_axis", torch.linalg.cross(three.t(), three2.t(), dim=0)), ("inner", torch.inner(A, v)), ("inner_matrix", torch.inner(three, three2)), ("dot", torch.dot(v, v)),
    ("tensordot", torch.tensordot(A, B, 1)), ("tensordot2", torch.tensordot(A.movedim(0, 2), A, 0)[0, 0, 0]), ("baddbmm", torch.baddbmm(bb, A, A.transpose(1, 2), beta=0.5, alpha=2)), ("addmv", torch.addmv(A[0, :, 0], A[0], v)), ("addr", torch.addr(B, v, B[0], beta=2)),
    ("addbmm", torch.addbmm(bb[0], A, A.transpose(1, 2))), ("matrix_power", torch.linalg.matrix_power(bb[0], 5))])
mg, mx = torch.meshgrid(torch.arange(3), torch.arange(4) * 2, indexing="ij"), torch.meshgrid(torch.arange(3), torch.arange(4) * 2, indexing="xy")
group("coordinates", [v], [("logspace", torch.logspace(-1, 2, 4)), ("logspace2", torch.logspace(0, 5, 6, 2)), ("tril_indices", torch.tril_indices(3, 4, -1)), ("triu_indices", torch.triu_indices(3, 4, 1)),
                            ("mesh0", mg[0]), ("mesh1", mg[1]), ("mesh_xy0", mx[0]), ("mesh_xy1", mx[1])])

# ---- names that the groups above reach only through operators, and empty or single extents
na, nb, ni, nj = r(2, 3), r(3), torch.tensor([5, -3, 12]), torch.tensor([3, 6, -1])
group("names", [na, nb, ni, nj], [
    ("add", torch.add(na, nb)), ("sub", torch.sub(na, nb)), ("mul", torch.mul(na, nb)), ("div", torch.div(na, nb)), ("le", torch.le(na, nb)), ("gt", torch.gt(na, nb)), ("ge", torch.ge(na, nb)),
    ("bitwise_and", torch.bitwise_and(ni, nj)), ("bitwise_or", torch.bitwise_or(ni, nj)), ("bitwise_xor", torch.bitwise_xor(ni, nj)), ("bitwise_not", torch.bitwise_not(ni)), ("logical_not", torch.logical_not(na > 0)),
    ("mm", torch.mm(na, na.t())), ("mv", torch.mv(na, nb)), ("clamp_min", torch.clamp_min(na, 0.1)), ("clamp_max", torch.clamp_max(na, nb)), ("float_power", torch.float_power(na.abs(), nb)), ("atleast_1d", torch.atleast_1d(nb.sum())),
    ("fma", na * nb + 1), ("broadcast_to", nb.broadcast_to(2, 3)), ("zeros_like", torch.zeros_like(na)), ("empty", torch.zeros(2, 3)), ("contiguous", na.t().contiguous()), ("view", na.view(3, 2))])
ze, on = r(3, 0), r(1, 1)
group("extents", [nb, on], [
    ("empty_sum", ze.cumsum(1)), ("empty_sum_first", ze.cumsum(0)), ("empty_sort", ze.sort(1)[1]), ("empty_take", nb.gather(0, torch.zeros(0, dtype=torch.int64))), ("empty_index", nb[nb[:0].long()]), ("empty_slice", nb[2:1]),
    ("empty_einsum", torch.einsum("ij,ik->jk", ze[:, :0], r(3, 2))), ("empty_contracted", torch.einsum("ij,kj->ik", ze, r(2, 0))), ("empty_scatter", nb.scatter_add(0, torch.zeros(0, dtype=torch.int64), nb[:0])),
    ("one_sum", on.cumsum(0)), ("one_sort", on.sort(0)[0]), ("one_places", on.sort(0)[1]), ("one_max", on.cummax(1)[1]), ("one_kth", on.kthvalue(1, 1)[0]), ("one_median", on.median()), ("one_diff", on.diff(dim=0)), ("one_einsum", torch.einsum("ij,ij->", on, on)),
    ("one_index", on[:, torch.tensor([0, -1])])])

# ---- shrinking and gated activations, each with its gradient
sh = torch.cat([r(3, 8) * 2, torch.tensor([[0.5, -0.5, 0.0, 1.0, -1.0, 0.7, -0.7, 20.0]])])
halves = lambda f: (lambda t: f(t.chunk(2, 1)[0]) * t.chunk(2, 1)[1])
shrinks = [("softshrink", lambda t: F.softshrink(t, 0.7)), ("hardshrink", lambda t: F.hardshrink(t, 0.7)), ("tanhshrink", F.tanhshrink),
           ("threshold", lambda t: F.threshold(t, 0.1, -3)), ("rrelu", F.rrelu), ("softmin", lambda t: F.softmin(t, 1)),
           ("swiglu", halves(F.silu)), ("geglu", halves(F.gelu)), ("reglu", halves(F.relu)),
           ("cosine", lambda t: F.cosine_similarity(t[:2], t[2:], 1)), ("distance", lambda t: F.pairwise_distance(t[:2], t[2:])),
           ("normalize", lambda t: F.normalize(t, dim=1))]
group("shrink", [sh], [(n, f(sh)) for n, f in shrinks] + [("d" + n, gradients(f, sh)[0]) for n, f in shrinks])

group.write("ops.txt")
