#!/usr/bin/env python3
"""Writes tests/parity/data/functions.txt: PyTorch's results and gradients for functions beside those of ops.txt.

A group is one function of tests/unit/ops/**.cpp, in f64 where nothing else is said. Run: python
tests/parity/generate_functions.py (PyTorch 2.x, CPU).
"""
import torch
import torch.nn.functional as F

from traced import Traced, numbers

torch.manual_seed(20250812)
group = Traced()
inf, nan = float("inf"), float("nan")
f32, f64 = torch.float32, torch.float64

# ---- reductions with all their options, norms over several axes
x, one, cube = numbers(2, 3, 4), numbers(2, 1), numbers(2, 3, 4, 5)
group("spread", [x, one], lambda a, b: [
    a.var(2, correction=0, keepdim=True), a.var(2, correction=2), a.var((0, 2), correction=3, keepdim=True), a.std(1, correction=0, keepdim=True),
    a.std(correction=0), a.std((1, 2), correction=2, keepdim=True), *torch.var_mean(a, 1, correction=0, keepdim=True), *torch.var_mean(a, (0, 1), correction=2),
    *torch.std_mean(a, 2, correction=0, keepdim=True), *torch.std_mean(a, correction=3), *torch.aminmax(a, dim=1, keepdim=True), *torch.aminmax(a),
    *torch.median(a, 1, keepdim=True), *torch.nanmedian(a, -1, keepdim=True), torch.nanquantile(a, 0.3, 1, keepdim=True)], order=2)
group("spread_none", [one], lambda b: [b.var(1), b.var(1, correction=0), b.var(0, correction=2), b.var(0, correction=5), torch.var_mean(b, 1, keepdim=True)[0], b.std(0, correction=2)], order=0)
w1, b1, w2, b2 = numbers(5), numbers(5), numbers(4, 5), numbers(4, 5)
group("layer_norm", [cube, w1, b1, w2, b2], lambda a, w, b, v, c: [
    F.layer_norm(a, (5,), w, b), F.layer_norm(a, (4, 5), v, c), F.layer_norm(a, (4, 5), v, None, 0.1), F.layer_norm(a, (3, 4, 5)), F.layer_norm(a[0, 0], (4, 5), v, c),
    F.rms_norm(a, (4, 5), v, 1e-3), F.rms_norm(a, (3, 4, 5), None, 1e-3), F.rms_norm(a, (5,), w, 1e-3)], order=2)
cw, cb, mean, variance = numbers(3), numbers(3), numbers(3), numbers(3, low=0.1, high=2)
six = numbers(2, 6, 3)
group("channel_norm", [cube, six, cw, cb, mean, variance], lambda a, s, w, b, m, v: [
    F.group_norm(s, 3), F.group_norm(s, 2, torch.cat([w, w]), torch.cat([b, b]), 0.1), F.group_norm(a, 1, w, b), F.group_norm(s[:, :, 0], 3), F.instance_norm(a), F.instance_norm(a, weight=w, bias=b, eps=0.1),
    F.batch_norm(a, None, None, training=True), F.batch_norm(a, m.detach(), v.detach()), F.batch_norm(a, m.detach(), v.detach(), w, b, eps=0.1),
    F.batch_norm(a[:, :, 0, 0], None, None, training=True, eps=0.1)], order=2)
group("norms_empty", [numbers(0, 3, 4), numbers(2, 0, 4)], lambda a, b: [F.layer_norm(a, (3, 4)), F.rms_norm(b, (4,)), F.group_norm(a, 3), F.layer_norm(b, (4,))], order=0)

# ---- aliases
u, p, q = numbers(2, 3, low=-0.9, high=0.9), numbers(2, 3, low=1.1, high=3), numbers(3, low=0.5, high=2)
group("alias", [u, p, q], lambda a, b, c: [
    torch.absolute(a), torch.arccos(a), torch.arccosh(b), torch.arcsin(a), torch.arcsinh(a), torch.arctan(a), torch.arctanh(a), torch.fix(b), torch.negative(a), torch.sgn(a),
    a.detach() * b, torch.special.expit(a), torch.special.gammaln(b), torch.special.psi(b), torch.positive(a), torch.clone(a), torch.arctan2(a, b), torch.divide(a, b), torch.true_divide(a, b),
    torch.greater(a, 0), torch.greater_equal(a, c), torch.less(a, c), torch.less_equal(a, b), torch.not_equal(a, b), torch.multiply(a, c), torch.subtract(a, c), torch.ger(a[0], c), torch.vdot(c, a[1]),
    torch.clip(a, -0.5, 0.3), torch.concat([a, b], 1), torch.concatenate([a, b]), torch.row_stack([c, a]), torch.swapdims(a, 0, 1), torch.moveaxis(a, 0, 1), torch.linalg.multi_dot([a, b.t(), a]),
    torch.trapz(a), F.binary_cross_entropy(a * 0.5 + 0.5, a.detach() * 0 + 0.25), F.binary_cross_entropy_with_logits(a, b / 4), F.binary_cross_entropy(a * 0.5 + 0.5, b / 4, reduction="sum")])
group("argwhere", [torch.tensor([[0.0, 2, 0], [1, 0, nan]], dtype=f64)], lambda a: torch.argwhere(a), order=0)

# ---- rearranged, joined
four = numbers(2, 3, 4, 5)
group("moved", [four, x], lambda a, b: [
    torch.movedim(a, (0, 1), (2, 3)), torch.movedim(a, (3, 0), (0, -1)), torch.movedim(a, (1,), (0,)), torch.movedim(a, 3, 1), torch.movedim(a, (0, 1, 2, 3), (3, 2, 1, 0)), torch.moveaxis(b, (-1, 0), (0, 1)),
    *torch.split(a, [1, 0, 4], 3), *torch.split(b, [1, 2], 1)])
def rising(t, n=None):  # torch.vander has no gradient of its own that works
    return torch.linalg.vander(t, N=n or len(t))
v2, v3, m1 = numbers(2), numbers(3), numbers(2, 2)
group("combined", [v2, v3, m1], lambda a, b, m: [
    *torch.broadcast_tensors(a.reshape(2, 1), b, m[0, 0]), torch.block_diag(m, b, a[0], m[:, :1]), torch.cartesian_prod(a, b), torch.cartesian_prod(a, b, m[0]), rising(b).flip(1), rising(b, 5).flip(1),
    rising(b, 2), rising(a, 4), torch.block_diag(a)], order=2)
ints = torch.tensor([[0, 2, 1], [3, 0, 4]])
group("one_hot", [ints, ints.to(torch.int32)], lambda i, j: [F.one_hot(i, 5), F.one_hot(i[0], 3), F.one_hot(i[1, 2], 7), F.one_hot(i[:, :0], 4)], order=0)
group("unravel_index", [torch.tensor([[0, 5, 23], [7, 13, 22]]), torch.tensor([3])], lambda i, j: [*torch.unravel_index(i, (2, 3, 4)), *torch.unravel_index(i, (24,)), *torch.unravel_index(j, (2, 2))], order=0)

# ---- written into views
y, row, diagonal = numbers(2, 3, 4), numbers(2, 4), numbers(4, 2)
mask = torch.tensor([[True, False, True, False], [False, True, True, True], [True, False, False, False]])
source = numbers(20)
group("views", [y, row, diagonal, mask, source], lambda a, r, d, m, s: [
    torch.select_scatter(a, r, 1, 2), torch.select_scatter(a, r, 1, -3), torch.select_scatter(a, a[0] * a[1], 0, 1),
    torch.slice_scatter(a, r.reshape(2, 1, 4), 1, 1, 2), torch.slice_scatter(a, a[:, :, :2] * 2, 2, 0, 4, 2), torch.slice_scatter(a, a[:, :, :1] * 3, 2, 1, 4, 3), torch.slice_scatter(a, a[:, :2] * 3, 1, -2),
    torch.slice_scatter(a, a * a, 0), torch.diagonal_scatter(a, d), torch.diagonal_scatter(a, r[:, :3], 0, 1, 2), torch.diagonal_scatter(a, r[:, :2], 2, 1, 2), torch.diagonal_scatter(a[0], r[0, :2], -1),
    torch.masked_scatter(a, m, s), torch.masked_scatter(a[0], m, s), torch.masked_scatter(a[:, 0], m[0], s), torch.put(a, torch.tensor([[0, 5], [-1, 7]]), r[0].reshape(2, 2)), torch.put(a, torch.tensor([3, 3, 0]), s[:3], accumulate=True)], order=2)
group("views_empty", [numbers(2, 0, 4), numbers(2, 4, 0)], lambda a, b: [torch.slice_scatter(a, a * 2, 2), torch.masked_scatter(a, a > 0, b), torch.slice_scatter(b, b, 1)], order=0)

# ---- products and norms
A, B, C, D = numbers(2, 5), numbers(5, 3), numbers(3, 4), numbers(4)
t1, t2 = numbers(2, 3, 4), numbers(4, 3, 2)
group("products", [A, B, C, D, t1, t2], lambda a, b, c, d, s, t: [
    torch.linalg.multi_dot([a, b]), torch.linalg.multi_dot([a, b, c]), torch.linalg.multi_dot([a, b, c, d]), torch.linalg.multi_dot([d, c.t(), b.t(), a.t()]), torch.linalg.multi_dot([d, c.t(), b.t(), a.t(), a, b, c, d]), torch.linalg.multi_dot([d, d]),
    torch.tensordot(s, t, ([1, 2], [1, 0])), torch.tensordot(s, t, ([0], [2])), torch.tensordot(s, t, ([2, 0, 1], [0, 2, 1])), torch.tensordot(s, t, ([-1], [0])), torch.linalg.vecdot(s, s * 2, dim=1), torch.linalg.vecdot(s, s[0])], order=2)
group("norms", [t1], lambda a: [
    torch.linalg.matrix_norm(a), torch.linalg.matrix_norm(a, 1), torch.linalg.matrix_norm(a, -1, keepdim=True), torch.linalg.matrix_norm(a, inf), torch.linalg.matrix_norm(a, -inf), torch.linalg.matrix_norm(a, 1, (2, 0)),
    torch.linalg.matrix_norm(a, inf, (2, 0), keepdim=True), torch.linalg.matrix_norm(a, "fro", (0, 1)), torch.linalg.matrix_norm(a, "fro", keepdim=True), torch.linalg.vector_norm(a), torch.linalg.vector_norm(a, 1, 2), torch.linalg.vector_norm(a, 2.5, (0, 1), keepdim=True),
    torch.linalg.vector_norm(a, 0.5, 1), torch.linalg.vector_norm(a, -inf, 2), torch.linalg.vector_norm(a, inf), torch.linalg.vector_norm(a, 3, 0, keepdim=True), torch.linalg.vector_norm(a, -1, 0)], order=2)
P, R = numbers(2, 3, 4), numbers(2, 5, 4)
group("renorm", [t1], lambda a: [torch.renorm(a, 2, 1, 1.2), torch.renorm(a, 1, 0, 3), torch.renorm(a, 3, -1, 0.9), torch.renorm(a[0], inf, 0, 0.5)], order=2)
group("distance", [P, R], lambda a, b: [torch.cdist(a, b), torch.cdist(a, b, 1), torch.cdist(a, b, 3), torch.cdist(a, b, inf), torch.cdist(a[0], b), F.pdist(a[0]), F.pdist(a[0], 1)])
group("covariance", [P, numbers(5)], lambda a, b: [torch.cov(a[0]), torch.cov(b), torch.cov(a[1], correction=0), torch.corrcoef(a[0]), torch.corrcoef(b)], order=2)

# ---- integrals and differences
g, places, grid = numbers(3, 5), torch.tensor([0.0, 0.5, 0.75, 2.0, 2.25], dtype=f64), numbers(3, 5).cumsum(1)
group("trapezoid", [g, places, grid], lambda a, p, q: [
    torch.trapezoid(a), torch.trapezoid(a, dx=0.5), torch.trapezoid(a, p), torch.trapezoid(a, q), torch.trapezoid(a, p[:3], dim=0), torch.trapezoid(a[0], p), torch.trapezoid(a, q, dim=0), torch.cumulative_trapezoid(a), torch.cumulative_trapezoid(a, p, dim=1),
    torch.cumulative_trapezoid(a, dx=2.0, dim=0), torch.cumulative_trapezoid(a, q), torch.trapezoid(a[:, :1])], order=2)
group("gradient", [g, places], lambda a, p: [
    *torch.gradient(a), *torch.gradient(a, spacing=0.5), *torch.gradient(a, spacing=2.0, dim=1, edge_order=2), *torch.gradient(a, spacing=(p[:3], p)), *torch.gradient(a, spacing=(p,), dim=1, edge_order=2),
    *torch.gradient(a, spacing=(0.5, 2.0), edge_order=2), *torch.gradient(a[:, :2], dim=1), *torch.gradient(p, spacing=(p * p + p,), edge_order=2)])
h, hw, edges = numbers(4, 6), numbers(4, 6, low=0, high=1), torch.tensor([-2.0, -0.5, 0.25, 1.0], dtype=f64)
group("histogram", [h, hw, edges], lambda a, w, e: [
    *torch.histogram(a.detach(), 5), *torch.histogram(a.detach(), 4, range=(-1.0, 1.5)), *torch.histogram(a.detach(), 4, range=(-1.0, 1.5), weight=w.detach()), *torch.histogram(a.detach(), e.detach()), *torch.histogram(a.detach(), e.detach(), weight=w.detach(), density=True),
    *torch.histogram(a.detach(), 3, density=True), *torch.histogram(a.detach(), 2, range=(0.5, 0.5)), *torch.histogram(a[:0].detach(), 2), *torch.histogram(torch.full_like(a, 0.7).detach(), 4)], order=0)

# ---- functions of the normal distribution
z = torch.cat([numbers(8, low=-6, high=6), torch.tensor([0.0, -0.0, 1.0, -1.0, 0.3, 0.46875, 4.0, 4.5, 11.0, -11.0, 1e3, -25.0], dtype=f64)])
pr = torch.tensor([0.5, 0.25, 0.9, 0.99, 0.1353, 0.8647, 1e-6, 1 - 1e-6, 1e-15, 0.013, 0.43], dtype=f64)
en = torch.tensor([0.5, 1.0, 2.5, 1e-3, 3.0], dtype=f64)
ends = torch.tensor([inf, -inf, nan, 0.0, 1.0, -0.5, 1.5], dtype=f64)
for name, t in (("ndtr", z), ("log_ndtr", z), ("erfcx", z[:18]), ("ndtri", pr), ("entr", en)):
    f = getattr(torch.special, name)
    group(name, [t], f, order=1)
    group(name + "_second", [t[:11]], f, order=2)
    group(name + "_ends", [ends], f, order=0)
group("entr_gradient", [torch.tensor([0.0, -1.0, nan, 2.0], dtype=f64)], lambda a: torch.special.entr(a))

# ---- cross entropy of a layer
features, weights, bias, classes, cw2 = numbers(4, 3), numbers(5, 3), numbers(5), torch.tensor([4, 0, -100, 2]), numbers(5, low=0.2, high=1)
deep, deep_bias, spots = numbers(5, 2, 3), numbers(5, 2), torch.tensor([[4, 0], [1, -100], [2, 2], [3, 1]])
soft = torch.softmax(numbers(4, 5), 1).mul(1000).round().div(1000)
L = F.linear_cross_entropy
group("linear_cross_entropy", [features, weights, bias, classes, cw2, deep, deep_bias, spots, soft], lambda x, w, b, y, c, d, e, s, t: [
    L(x, w, y), L(x, w, y, linear_bias=b), L(x, w, y, linear_bias=b, weight=c.detach()), L(x, w, y, linear_bias=b, reduction="sum", label_smoothing=0.1), L(x, w, y.clamp(min=0), ignore_index=0), L(x, w, y, linear_bias=b, reduction="none"), L(x, d, s, linear_bias=e), L(x, d, s), L(x, w, t.detach(), linear_bias=b),
    L(x[0], w, y[0])], order=2)

group("pairs", [numbers(4, 3), numbers(4, 3), numbers(2, 3, 3), numbers(2)], lambda x, y, w, b: [
    F.bilinear(x, y, w), F.bilinear(x, y, w, b), F.cosine_similarity(x, y, 1, 0.1), F.pairwise_distance(x, y, 3, 0.01)], order=2)

# ---- some of each as a compiled program, in f32
group("compiled", [numbers(3, 4, dtype=f32), numbers(4, dtype=f32, low=0.1, high=2), ints[0]], lambda a, p, i: [
    F.layer_norm(a, (3, 4)), a.var(1, correction=2, keepdim=True), F.group_norm(a, 2), torch.clip(a, -1, 1), torch.movedim(a.reshape(3, 2, 2), (0, 2), (2, 0)), torch.block_diag(a, p), torch.vander(p, 3), torch.cartesian_prod(p, p[:2]), F.one_hot(i, 4), *torch.unravel_index(i, (2, 2)),
    torch.slice_scatter(a, a[:, :2] * 2, 1, 0, 4, 2), torch.diagonal_scatter(a, p[:3]), torch.masked_scatter(a, a > 0, a.abs()), torch.put(a, i, p[:3]), torch.linalg.multi_dot([a, a.t(), a]), torch.tensordot(a, a, ([0, 1], [0, 1])), torch.linalg.matrix_norm(a, 1), torch.linalg.vector_norm(a, 2.5, 1),
    torch.cdist(a, a.flip(0)), F.pdist(a), torch.cov(a), torch.trapezoid(a, p.cumsum(0)), torch.cumulative_trapezoid(a), *torch.gradient(a, spacing=0.5), *torch.histogram(a, 4), torch.special.ndtr(a), torch.special.log_ndtr(a), torch.special.erfcx(a), torch.special.ndtri(p / 3), torch.special.entr(p),
    F.linear_cross_entropy(a, a.t().reshape(3, 4), i.clamp(max=2)), torch.select_scatter(a, p, 0, 1), torch.instance_norm(a.reshape(1, 3, 4), None, None, None, None, True, 0.1, 1e-5, False), F.batch_norm(a, p.detach() * 0, p.detach())], order=0)

# ---- blocks whose place is known at run time
def inside(x, sizes, at):
    return tuple(slice(o, o + n) for o, n in zip((min(max(int(o), 0), e - n) for o, n, e in zip(at, sizes, x.shape)), sizes))
def read(x, sizes, *at):
    return x[inside(x, sizes, at)]
def write(x, y, *at):
    r = x.clone()
    r[inside(x, y.shape, at)] = y
    return r
block_x, block_y, offsets, single = numbers(6, 70), numbers(2, 64), torch.tensor([-3, 2, 9, 5]), torch.tensor([3], dtype=torch.int32)
group("dynamic_slice", [block_x, block_y, offsets, single], lambda a, b, i, j: [
    torch.narrow(a, 0, int(i[1]), 3), read(a, (2, 64), i[0], i[2]), read(a, (6, 5), i[1], j[0]) ** 2, read(a.t(), (64, 4), j[0], 1) * b[:, :4].sum(0), write(a, b, i[1], i[3]), write(a, b * b, i[2], i[0]) ** 2,
    write(a * a, b[:, :1].expand(2, 70), i[3], 0), write(a, b, 3, 4), write(a, a[:2, 3:67], j[0], i[1]), torch.slice_scatter(a, a[:, :2] * 3, 1, 5, 7)], order=2)

group.write("functions.txt")
