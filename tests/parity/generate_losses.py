#!/usr/bin/env python3
"""Writes tests/parity/data/losses.txt: PyTorch's losses with their options, and metrics by their definitions.

The format is that of groups.py. A `name.dK` line is the gradient, with respect to input K, of
sum(loss * (1, 2, 3, ...)). Run: python tests/parity/generate_losses.py (PyTorch 2.x, CPU).
"""
import torch
import torch.nn.functional as F

from groups import Groups

torch.manual_seed(20250211)
group = Groups()


def losses(name, inputs, cases, wrt=(0,)):
    """Every case: the value, then its gradients with respect to the inputs `wrt`."""
    outputs = []
    for key, f in cases:
        xs = [x.clone().requires_grad_() if k in wrt else x for k, x in enumerate(inputs)]
        y = f(*xs)
        (y * torch.arange(1, y.numel() + 1, dtype=y.dtype).reshape(y.shape)).sum().backward()
        outputs.append((key, y))
        outputs += [(f"{key}.d{k}", xs[k].grad) for k in wrt]
    group(name, inputs, outputs)


r = torch.randn

# ---- cross entropy: every option
x, labels = r(5, 7) * 3, torch.tensor([3, -100, 6, 0, 2])
w, soft = torch.rand(7) + 0.2, r(5, 7).softmax(1)
ce = F.cross_entropy
losses("cross_entropy", [x, labels, w, soft], [
    ("none", lambda z, y, w, t: ce(z, y, reduction="none")),
    ("sum", lambda z, y, w, t: ce(z, y, reduction="sum")),
    ("ignore_index", lambda z, y, w, t: ce(z.roll(1, 0), y.clamp(min=0), ignore_index=0)),
    ("smoothing", lambda z, y, w, t: ce(z, y, label_smoothing=0.1)),
    ("smoothing_none", lambda z, y, w, t: ce(z, y, label_smoothing=0.3, reduction="none")),
    ("weight", lambda z, y, w, t: ce(z, y, w)),
    ("weight_none", lambda z, y, w, t: ce(z, y, w, reduction="none")),
    ("weight_smoothing", lambda z, y, w, t: ce(z, y, w, label_smoothing=0.2)),
    ("soft", lambda z, y, w, t: ce(z, t)),
    ("soft_all", lambda z, y, w, t: ce(z, t, w, label_smoothing=0.2, reduction="none"))])
image, pixels = r(2, 3, 2, 4) * 2, torch.randint(0, 3, (2, 2, 4))
pixels[0, 1, 2] = -100
losses("cross_entropy_axis", [image, pixels, w[:3]], [
    ("mean", lambda z, y, w: ce(z, y)),
    ("all", lambda z, y, w: ce(z, y, w, label_smoothing=0.1, reduction="none")),
    ("nll", lambda z, y, w: F.nll_loss(z, y, w))])
ignored = torch.where(labels < 0, 2, labels)
losses("nll", [x, labels, w], [
    ("none", lambda z, y, w: F.nll_loss(z, y, reduction="none")),
    ("sum", lambda z, y, w: F.nll_loss(z, y, w, reduction="sum")),
    ("weight", lambda z, y, w: F.nll_loss(z, y, w)),
    ("ignore_index", lambda z, y, w: F.nll_loss(z, ignored, w, ignore_index=2))])

# ---- losses of two tensors
a, b, v = r(3, 4) * 2, r(3, 4), torch.rand(4) + 0.5
prob, hard, pos = torch.rand(3, 4) * 0.9 + 0.05, (torch.rand(3, 4) > 0.4).float(), torch.rand(4) * 3
losses("elements", [a, b, v], [
    ("mse_none", lambda a, b, v: F.mse_loss(a, b, reduction="none")),
    ("mse_sum", lambda a, b, v: F.mse_loss(a, b, reduction="sum")),
    ("l1_none", lambda a, b, v: F.l1_loss(a, b, reduction="none")),
    ("huber_sum", lambda a, b, v: F.huber_loss(a, b, delta=0.7, reduction="sum")),
    ("smooth_l1_none", lambda a, b, v: F.smooth_l1_loss(a, b, beta=0.6, reduction="none")),
    ("soft_margin", lambda a, b, v: F.soft_margin_loss(a, b.sign())),
    ("poisson", lambda a, b, v: F.poisson_nll_loss(a, b.exp())),
    ("poisson_full", lambda a, b, v: F.poisson_nll_loss(a.exp(), b.exp() * 2, log_input=False, full=True, reduction="none")),
    ("soft_margin_sum", lambda a, b, v: F.soft_margin_loss(a, b.sign(), reduction="sum"))])
spread = torch.rand(3, 4) + 0.05
losses("gaussian", [a, b, spread], [
    ("mean", lambda a, b, v: F.gaussian_nll_loss(a, b, v)),
    ("full", lambda a, b, v: F.gaussian_nll_loss(a, b, v, full=True, eps=0.3, reduction="none"))], (0, 2))
losses("binary", [a, hard, v, pos], [
    ("logits_sum", lambda x, t, w, q: F.binary_cross_entropy_with_logits(x, t, reduction="sum")),
    ("logits_weight", lambda x, t, w, q: F.binary_cross_entropy_with_logits(x, t, w)),
    ("logits_pos", lambda x, t, w, q: F.binary_cross_entropy_with_logits(x, t, pos_weight=q)),
    ("logits_both", lambda x, t, w, q: F.binary_cross_entropy_with_logits(x, t, w, pos_weight=q, reduction="none"))])
losses("probabilities", [prob, hard, v], [
    ("bce_none", lambda p, t, w: F.binary_cross_entropy(p, t, reduction="none")),
    ("bce_weight", lambda p, t, w: F.binary_cross_entropy(p, t, w))])
logp, target = r(3, 4).log_softmax(1), r(3, 4).softmax(1)
target[0, 1] = 0
losses("kl_div", [logp, target, target.clamp(min=0.01).log()], [
    ("mean", lambda x, t, u: F.kl_div(x, t)),
    ("batchmean", lambda x, t, u: F.kl_div(x, t, reduction="batchmean")),
    ("none", lambda x, t, u: F.kl_div(x, t, reduction="none")),
    ("log_target", lambda x, t, u: F.kl_div(x, u, log_target=True, reduction="sum"))])

# ---- margins
p1, p2, p3 = r(4, 6), r(4, 6), r(4, 6)
sign, many = torch.tensor([1.0, -1.0, -1.0, 1.0]), torch.tensor([[1, 4, -1, 0, 2, 3], [0, -1, 1, 1, 1, 1], [5, 4, 3, 2, 1, 0], [-1, 2, 3, 4, 5, 0]])
few = (p3 > 0.3).float()
which, w6 = torch.tensor([0, 5, 2, 2]), torch.rand(6) + 0.5
losses("margins", [p1, p2, p3, sign], [
    ("ranking", lambda a, b, c, y: F.margin_ranking_loss(a, b, c.sign(), margin=0.3)),
    ("hinge", lambda a, b, c, y: F.hinge_embedding_loss(a, c.sign(), margin=0.8, reduction="none")),
    ("cosine", lambda a, b, c, y: F.cosine_embedding_loss(a, b, y)),
    ("cosine_margin", lambda a, b, c, y: F.cosine_embedding_loss(a, b, y, margin=-0.6, reduction="none")),
    ("triplet", lambda a, b, c, y: F.triplet_margin_loss(a, b, c)),
    ("triplet_1", lambda a, b, c, y: F.triplet_margin_loss(a, b, c, margin=2, p=1, reduction="none")),
    ("triplet_swap", lambda a, b, c, y: F.triplet_margin_loss(a, b, c, margin=1.5, swap=True, reduction="sum"))])
losses("margin_labels", [p1, which, many, few, w6], [
    ("multi", lambda a, y, m, t, w: F.multi_margin_loss(a, y)),
    ("multi_2", lambda a, y, m, t, w: F.multi_margin_loss(a, y, p=2, margin=0.7, reduction="none")),
    ("multi_weight", lambda a, y, m, t, w: F.multi_margin_loss(a, y, weight=w)),
    ("multilabel", lambda a, y, m, t, w: F.multilabel_margin_loss(a, m)),
    ("multilabel_none", lambda a, y, m, t, w: F.multilabel_margin_loss(a, m, reduction="none")),
    ("multilabel_soft", lambda a, y, m, t, w: F.multilabel_soft_margin_loss(a, t)),
    ("multilabel_soft_weight", lambda a, y, m, t, w: F.multilabel_soft_margin_loss(a, t, w, reduction="none"))])

# ---- metrics: scikit-learn's
import numpy as np  # noqa: E402
from sklearn import metrics as M  # noqa: E402

scores = r(60, 7)
scores[:, 5:] -= 9  # never predicted; the last is no label either
truth = torch.randint(0, 5, (60,))
scores[torch.arange(60), truth] += 1.2
scores[7, :3] = scores[7].max() + 1  # a tie: the first of them counts as predicted
truth[7] = 1
truth[truth == 3] = 5  # 3 is predicted but no label
truth[11], truth[50] = -100, -1
seen = truth >= 0
guess = scores.argmax(1)
t, g = truth[seen].numpy(), guess[seen].numpy()
number32 = lambda v: torch.tensor(np.asarray(v), dtype=torch.float32)
scored = [M.precision_score, M.recall_score, M.f1_score]
group("metrics", [scores, truth], [
    ("accuracy", number32(M.accuracy_score(t, g))),
    ("top_1", number32(M.top_k_accuracy_score(t, scores[seen].numpy(), k=1, labels=range(7)))),
    ("top_2", number32(M.top_k_accuracy_score(t, scores[seen].numpy(), k=2, labels=range(7)))),
    ("top_4", number32(M.top_k_accuracy_score(t, scores[seen].numpy(), k=4, labels=range(7)))),
    ("confusion", torch.tensor(M.confusion_matrix(t, g, labels=range(7)), dtype=torch.int64))] +
    [(f"{f.__name__}_{kind}", number32(f(t, g, average=kind, zero_division=0)))
     for f in scored for kind in ("micro", "macro", "weighted")] +
    [(f"{f.__name__}_none", number32(f(t, g, average=None, labels=range(7), zero_division=0))) for f in scored] +
    [("perplexity", ce(scores[seen], truth[seen]).exp())])

# ---- CTC: of logits, since PyTorch's gradient is that behind a log_softmax
time = r(7, 4, 5)
long, spoken = torch.tensor([[1, 2, 2], [3, 9, -1], [4, 4, 4], [2, 0, 0]]), torch.tensor([7, 5, 4, 6])
said, enough = torch.tensor([3, 1, 3, 0]), torch.tensor([3, 1, 2, 0])  # 4 4 4 wants five steps
ctc = lambda z, y, i, n, **o: F.ctc_loss(z.log_softmax(-1), y, i, n, **o)
losses("ctc", [time, long, spoken, said, enough], [
    ("mean", lambda z, y, i, n, m: ctc(z, y, i, m)),
    ("sum", lambda z, y, i, n, m: ctc(z, y, i, m, reduction="sum")),
    ("none", lambda z, y, i, n, m: ctc(z, y, i, m, reduction="none")),
    ("zero_infinity", lambda z, y, i, n, m: ctc(z, y, i, n, zero_infinity=True)),
    ("zero_infinity_none", lambda z, y, i, n, m: ctc(z, y, i, n, zero_infinity=True, reduction="none")),
    ("blank", lambda z, y, i, n, m: ctc(z, y.clamp(0, 3), i, m, blank=4, reduction="none"))])
losses("ctc_one", [time[:, 0], long[0], spoken[0], said[0]], [
    ("mean", lambda z, y, i, n: ctc(z, y, i, n)),
    ("none", lambda z, y, i, n: ctc(z, y, i, n, reduction="none"))])
never = r(5, 2, 4).log_softmax(-1)
never[1, 0, 3], never[2, 1, 1], never[:, 1, 2] = -torch.inf, -torch.inf, -torch.inf
group("ctc_never", [never, torch.tensor([[1, 2], [1, 2]]), torch.tensor([5, 5]), torch.tensor([2, 2])], [
    ("none", F.ctc_loss(never, torch.tensor([[1, 2], [1, 2]]), torch.tensor([5, 5]), torch.tensor([2, 2]), reduction="none"))])


# ---- triplets with a distance
with_distance = F.triplet_margin_with_distance_loss
u1, u2, u3 = r(5, 6), r(5, 6), r(5, 6)
u3[3] = 9  # far away: no loss, no gradient
cosine = lambda a, b: 1 - F.cosine_similarity(a, b)
losses("distances", [u1, u2, u3], [
    ("mean", lambda a, p, n: with_distance(a, p, n)),
    ("margin", lambda a, p, n: with_distance(a, p, n, margin=1.5, reduction="none")),
    ("cosine", lambda a, p, n: with_distance(a, p, n, distance_function=cosine, reduction="sum")),
    ("swap", lambda a, p, n: with_distance(a, p, n, distance_function=cosine, swap=True, margin=0.7, reduction="none")),
    ("each", lambda a, p, n: with_distance(a, p, n, distance_function=lambda x, y: (x - y) ** 2, swap=True))], (0, 1, 2))

group.write("losses.txt")
