"""The values of the sweep's operands (tests/sweep/operands.hpp has their shapes), for each dtype's name."""
import math

import torch

from groups import NAMES

dtypes = {name: t for t, name in NAMES.items()}
elementwise = {"unary", "binary", "ternary", "probabilities", "signs", "variances"}
inf, nan = float("inf"), float("nan")

def filled(t, n, fill=0):
    """A result of `n` places, those that were not found filled."""
    return torch.cat([t, torch.full((n - t.shape[0], *t.shape[1:]), fill, dtype=t.dtype)])


def counts(x, n):
    inside = (x >= 0) & (x < n)
    return torch.bincount(x[inside].flatten().long(), minlength=n)


def one_hot(x, n):
    """Of what is no class, zeros."""
    return (x[..., None] == torch.arange(n)).long()


def confusion(predicted, labels, n):
    m = torch.zeros(n, n, dtype=torch.int64)
    for p, y in zip(predicted.tolist(), labels.tolist()):
        m[y, p] += 1
    return m


def rotary(x):
    """Halves turned by the position times 10000^(-i / n) (Su et al., 2021)."""
    n = x.shape[-1] // 2
    angle = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * 10000.0 ** (-torch.arange(n, dtype=torch.float64) / n)
    c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., :n], x[..., n:]
    return torch.cat([a * c - b * s, b * c + a * s], -1)


# what the tables' spellings may call beside torch and F
helpers = {"filled": filled, "counts": counts, "confusion": confusion, "one_hot": one_hot, "rotary": rotary}


def facts(t):
    """(least subnormal, least normal, distance of 1 to the next, greatest) of a floating dtype."""
    if t == torch.float8_e4m3fn:
        return 2.0**-9, 2.0**-6, 2.0**-3, 448.0
    if t == torch.float8_e5m2:
        return 2.0**-16, 2.0**-14, 2.0**-2, 57344.0
    f = torch.finfo(t)
    return f.smallest_normal * f.eps, f.smallest_normal, f.eps, f.max


def distinct(values, t):
    """Rounded to t; finite, positive, each once."""
    seen = []
    for v in values:
        r = torch.tensor(v, dtype=torch.float64).to(t).double().item()
        if r > 0 and r != inf and r == r and r not in seen:
            seen.append(r)
    return seen


def unary_floats(t):
    least, normal, eps, most = facts(t)
    wide = t == torch.float64
    values = [least, normal / 2, normal, eps / 2, eps, 1e-3, 0.1, 0.25, 0.3, 0.5 - eps / 4, 0.5, 0.5 + eps / 2, 0.75,
              1 - eps / 2, 1, 1 + eps, 1.25, 1.5, torch.pi / 2, 2, 2.5, 3, torch.pi, 3.5, 4.5, 6, 7.25, 9.5, 12, 16.5,
              20, 20.5, 33, 50, 88.5, 89, 100, 150, 1000.5, 65504, 2.0**23 + 0.5, 1e10, most / 2, most]
    values += ([1e-300, 1e-160, 1e-30, 1e-10, 300, 709.5, 710, 745, 750, 1e15, 2.0**52 + 1, 1e100, 1.4e154, 1e160, 1e300]
               if wide else [1e-30, 1e-20, 1e-10, 1e-5, 87, 103.5, 104, 300, 5000, 1e5, 1e6, 1e15, 1.9e19, 1e25, 1e30])
    found = distinct(values, t)
    k = 0
    while len(found) < 62 and k < 4000:  # what is left: evenly spread exponents
        k += 1
        for v in distinct([float(normal * (most / normal) ** ((k * 0.6180339887) % 1))], t):
            if v not in found and len(found) < 62:
                found.append(v)
    found = (found * 62)[:62]
    return [0.0, -0.0] + found + [-v for v in found] + [inf, -inf]


def unary(name):
    t = dtypes[name]
    if t == torch.bool:
        return torch.arange(128) % 2 == 1
    if not t.is_floating_point:
        low, high = torch.iinfo(t).min, torch.iinfo(t).max
        values = [low, low + 1, low // 2, -1000, -100, -65, -17, -8, high // 2, high - 1, high, 1000, 100]
        values += list(range(-7, 9))
        values = [v for v in values if low <= v <= high]
        while len(values) < 128:
            values.append(low + (high - low) * (2 * len(values) + 1) // 256)
        return torch.tensor(values[:128], dtype=t)
    values = unary_floats(t)
    values[-1], values[63] = nan, -inf
    return torch.tensor(values, dtype=torch.float64).to(t)


def sixteen(name):
    t = dtypes[name]
    if t == torch.bool:
        return torch.tensor([False, True] * 8)
    if t == torch.uint8:
        return torch.tensor([0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 63, 127, 128, 255], dtype=t)
    if not t.is_floating_point:
        low, high = torch.iinfo(t).min, torch.iinfo(t).max
        return torch.tensor([low, low + 1, -7, -3, -2, -1, 0, 1, 2, 3, 7, 8, 31, 63, high - 1, high], dtype=t)
    least, _, _, most = facts(t)
    large = min(most**0.5 * 8, most / 4)
    values = [0.0, -0.0, 1, -1, 0.5, -2, 3, -2.5, 1e-3 if most > 500 else 0.125, least, most, -most, inf, -inf, nan, large]
    return torch.tensor(values, dtype=torch.float64).to(t)


def triples(name):
    t = dtypes[name]
    five = [0, 1, -2.5, 3, inf]
    if t == torch.bool:
        five = [0, 1, 0, 1, 1]
    elif not t.is_floating_point:
        five = [0, 1, torch.iinfo(t).min, 3, torch.iinfo(t).max]
    all_three = [[a, b, c] for a in five for b in five for c in five]
    all_three += [[nan, 1, 2], [1, nan, 2], [1, 2, nan]] if t.is_floating_point else [[1, 2, 3], [3, 2, 1], [2, 1, 3]]
    columns = [[row[k] for row in all_three] for k in range(3)]
    return [torch.tensor(c, dtype=torch.float64 if t.is_floating_point else torch.int64).to(t) for c in columns]


def lines(name):
    t = dtypes[name]
    if t == torch.bool:
        k = torch.arange(24).unsqueeze(1)
        return (k >> torch.arange(6)) % 2 == 1
    if not t.is_floating_point:
        low, high = torch.iinfo(t).min, torch.iinfo(t).max
        n = [0, 1, 2, 3, 5, 7] if t == torch.uint8 else [0, 1, -2, 3, -5, 7]
        some = [[0] * 6, [1] * 6, n, [low] * 6, [high] * 6, [low, high] * 3, [high, 1, 0, 2, low, 3], [2, 0, 3, 0, 1, 1],
                [2, 2, 1, 1, 2, 2], [low, low + 1, low + 2, high, high - 1, high - 2], [100, 100, 27, 1, 3, 9]]
        rows = (some * 3)[:24]
        return torch.tensor(rows, dtype=t)
    least, normal, eps, most = facts(t)
    big = 100
    rows = [[0] * 6, [2.5] * 6, [0.0, -0.0] * 3, [1, 2, 3, 4, 5, 6], [1, 2, inf, 4, 5, 6], [1, -inf, 3, 4, 5, 6], [-inf] * 6,
            [inf] * 6, [inf, -inf, 1, 2, 3, 4], [nan, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, nan], [big] * 6,
            [big, 0, 1, -2, 0.5, -big], [least, 2 * least, 0, least, 3 * least, -least],
            [big, 1, -big, 0.5, 1, big], [2, 0, 3, -1, 0.5, 1.5], [2, 0, 3, 0, 0.5, 1.5], [3, 1, 3, 2, 3, 1],
            [1, 4, 1, 2, 1, 3], [1, 1 + eps, 1, 1 - eps / 2, 1, 1], [-1, -2, -3, -4, -5.5, -6], [1, -1, 1, -1, 1, -1],
            [89, -89, 12, -12, 0, 3], [0.3, -1.7, 2.2, 0.01, -0.4, 1.1]]
    return torch.tensor(rows, dtype=torch.float64).to(t)


def edges(name, n):
    """The first of the numbers that a rearrangement must not touch."""
    t = dtypes[name]
    if t == torch.bool:
        return torch.arange(n) % 3 == 0
    if not t.is_floating_point:
        low, high = torch.iinfo(t).min, torch.iinfo(t).max
        return torch.tensor(([low, high, 0, 1, 3, 2] + [7, 5, 100, low + 1, high - 1, 4] * 3)[:n], dtype=t)
    least, normal, eps, most = facts(t)
    v = [0.0, -0.0, inf, nan, most, least, -inf, 1, -1, 0.5, -most, 1 + eps] + [2, 3, -3, 4, 1.5, 0.25, -2, 7, 6, 5, -5, 0.75]
    return torch.tensor(v[:n], dtype=torch.float64).to(t)


def small(t, n):
    """Numbers whose products are exact in every dtype."""
    v = [1, -2, 0.5, 3, 0, 1.5, -1, 2, -0.25, 1, -3, 0.75, 2] * 10
    if not t.is_floating_point:
        v = [abs(int(4 * k)) if t == torch.uint8 else int(4 * k) for k in v]
    return torch.tensor(v[:n]).to(t)


def huge(t):
    """Finite rows whose sums or squares overflow, and some that are small."""
    most, least = facts(t)[3], facts(t)[0]
    rows = [[most] * 6, [most, 0, 1, -2, 0.5, 3], [-most, -most, 1, 2, 3, 4], [most / 2, most, most / 2, 0, 1, -1],
            [least, 2 * least, 0, least, 3 * least, -least], [-most, 5, -most, 4, 2, 1]]
    return torch.tensor(rows, dtype=torch.float64).to(t)


def distinct_lines(t):
    """No two elements of a row are equal."""
    if not t.is_floating_point:
        low, high = torch.iinfo(t).min, torch.iinfo(t).max
        rows = [[low, 1, high, 5, 3, 100], [9, 2, 7, 4, 11, 0], [high, high - 1, high - 2, low, low + 1, low + 2],
                [100, 50, 25, 12, 6, 3]]
        return torch.tensor(rows, dtype=t).repeat(6, 1)
    most, least = facts(t)[3], facts(t)[0]
    rows = [[1, inf, 3, -inf, 5, 6], [nan, 2, 1, 4, 3, 0], [most, 1, -most, 0.5, 2, 0], [least, -least, 1, 2, 3 * least, -1],
            [0.5, 6, 0.25, -3, 1.5, -2], [6, 5, 4, 3, 2, 1], [-inf, -1, -2, -3, nan, 1], [0.25, 0.5, 1, 2, 4, 8]]
    return torch.tensor(rows, dtype=torch.float64).to(t).repeat(3, 1) if t not in (dtypes["f8e4m3"], dtypes["f8e5m2"]) \
        else torch.tensor(rows * 3, dtype=torch.float64).to(t)


def tame(t):
    v = [[1, 2, 3, 4, 5, 6], [0.5, -1, 2, -3, 0.25, 1.5], [2, 0, 2, 1, -1, 2], [-0.75, 3, 1, 1, 0, -2]]
    if t == torch.bool:
        return torch.tensor(v) > 1
    if not t.is_floating_point:
        v = [[int(4 * k) for k in row] for row in v]
        v = [[abs(k) for k in row] for row in v] if t == torch.uint8 else v
    return torch.tensor(v).to(t)


def make(operands, name):
    """{letter: tensor}"""
    if operands == "none":
        return {}
    if operands == "unary":
        return {"x": unary(name)}
    if operands == "binary":
        v = sixteen(name)
        return {"x": v.repeat_interleave(16), "y": v.repeat(16)}
    if operands == "ternary":
        return dict(zip("xyz", triples(name)))
    if operands == "probabilities":
        eps = facts(dtypes[name])[2]
        p = torch.tensor([0, 1, 0.5, 0.25, eps, 1 - eps / 2, 0.9, 0.0625], dtype=torch.float64).to(dtypes[name])
        return {"x": p.repeat_interleave(8), "y": torch.tensor([0, 1, 0.5, 0.25, 0.75, 0, 1, 0.125]).to(dtypes[name]).repeat(8)}
    if operands == "signs":
        return {"x": sixteen(name).repeat(2), "y": torch.tensor([1, -1]).to(dtypes[name]).repeat_interleave(16)}
    if operands == "variances":
        x, y, z = triples(name)
        return {"x": x, "y": y, "z": z.abs()}
    x = lines(name)
    t = dtypes[name]
    y, z = [torch.cat([x[n:], x[:n]])[:, [(k + n) % 6 for k in range(6)]] for n in (5, 11)]
    if operands == "lines":
        return {"x": x}
    if operands == "two_small":
        return {"x": small(t, 3), "y": small(t, 7)[3:]}
    if operands in ("matrices", "matrices_nan", "batches", "batches_nan"):
        shapes = [(4, 3), (3, 4), (4, 4), (4, 4)] if operands[0] == "m" else [(2, 3, 4), (2, 4, 3), (3, 3)]
        found = {}
        for k, (letter, shape) in enumerate(zip("xyzw", shapes if "nan" in operands else shapes[:3])):
            n = math.prod(shape)
            v = small(t, n + k)[k:].clone()
            if letter == "x" and t.is_floating_point and "nan" not in operands:
                v[1], v[n - 1] = inf, nan
            if letter == "z" and "nan" in operands and t.is_floating_point:
                v = torch.full((n,), nan).to(t)
            found[letter] = v.reshape(shape)
        return found
    if operands in ("signals", "images", "volumes", "heads"):
        shapes = {"signals": [(2, 2, 6), (2, 2, 3), (2,)], "images": [(1, 2, 4, 5), (2, 2, 3, 3), (2,)],
                  "volumes": [(1, 1, 3, 4, 3), (1, 1, 2, 2, 2)], "heads": [(1, 2, 3, 4)] * 3}[operands]
        return {letter: small(t, math.prod(s) + 5 * k)[5 * k :].reshape(s) for k, (letter, s) in enumerate(zip("xyz", shapes))}
    if operands == "places":  # centres, ends of the range, the image's edges, beyond, between
        line = torch.tensor([0, 1, -1, 0.5, -0.25, 1.25, -1.5, 0.2, -0.8, 0.75], dtype=torch.float64)
        y = torch.stack([line.repeat(2), torch.cat([line.roll(3), line.roll(-2)])], -1)
        return {"x": small(t, 40).reshape(1, 2, 4, 5), "y": y.reshape(1, 4, 5, 2).to(t)}
    if operands == "edge_signals":
        return {"x": edges("f64", 24).to(t).reshape(2, 2, 6)}
    if operands == "edge_images":
        return {"x": torch.cat([edges("f64", 24), tame(torch.float64).flatten()[:16]]).to(t).reshape(1, 2, 4, 5)}
    if operands.endswith("empties") or operands.endswith("_empty"):
        shapes = {"empties": [(0,), (0, 5), (5, 0), (2, 0, 3), (5,)], "images_empty": [(0, 2, 4, 5), (2, 2, 3, 3), (2,)],
                  "volumes_empty": [(0, 2, 4, 4, 4)], "heads_empty": [(0, 2, 3, 4), (0, 2, 5, 4), (1, 2, 0, 4)]}[operands]
        return {letter: small(t, math.prod(s)).reshape(s) for letter, s in zip("xyzwu", shapes)}
    if operands == "point":
        return {"x": torch.tensor(0.75).to(t), "i": torch.tensor(0)}
    if operands == "vector":
        return {"x": edges(name, 6)}
    if operands == "two_vectors":
        return {"x": edges(name, 6), "y": edges(name, 12)[6:]}
    if operands == "square":
        return {"x": edges(name, 16).reshape(4, 4)}
    if operands == "cube":
        return {"x": edges(name, 24).reshape(2, 3, 4)}
    if operands == "two_cubes":
        return {"x": edges(name, 24).reshape(2, 3, 4), "y": tame(t).reshape(2, 3, 4)}
    if operands == "indices":
        i = torch.tensor([[0, 5, 2], [3, 3, 1], [4, 0, 4], [2, 2, 2]])
        y = tame(t)[:, [5, 1, 3]]
        return {"x": tame(t), "i": i, "j": torch.tensor([3, 0, 2]), "y": y, "z": tame(t)[[1, 3, 0]]}
    if operands == "huge":
        return {"x": huge(t)}
    if operands == "distinct":
        return {"x": distinct_lines(t)}
    if operands == "two_lines":
        return {"x": x, "y": y}
    if operands == "three_lines":
        return {"x": x, "y": y, "z": z}
    if operands == "signed_lines":
        return {"x": x, "y": y, "z": torch.tensor([1, -1] * 12).to(t)}
    if operands == "tame":
        return {"x": tame(t)}
    if operands == "two_tame":
        y = tame(torch.float64).abs().to(t) if t.is_floating_point else tame(t)
        return {"x": tame(t), "y": y[:, [5, 4, 3, 2, 1, 0]]}
    if operands == "sorted":
        low = torch.iinfo(t).min if t in (torch.int64, torch.int32, torch.int8) else -3
        v = [False] * 4 + [True] * 4 if t == torch.bool else [low, -1, 0, 0, 1, 2, 2, 7]
        v = [abs(k) for k in v[2:]] + [9, 255] if t == torch.uint8 else v
        return {"x": torch.tensor(v).to(t), "y": unary(name)}
    if operands == "affine":
        return {"x": x, "y": torch.tensor([1, -2, 0, 0.5, 3, 1]).to(t), "z": torch.tensor([0, 1, -1, 0.5, 2, 0]).to(t)}
    if operands == "labelled":
        return {"x": x, "i": torch.arange(24) % 6, "y": torch.tensor([1, 2, 0, 0.5, 3, 1]).to(t)}
    if operands == "labelled_tame":
        return {"x": tame(t), "i": torch.tensor([0, 2, 5, 1])}
    if operands == "multilabelled":
        i = torch.tensor([[0, 3, -1, 1, 1, 1], [5, -1, 0, 0, 0, 0], [-1, 0, 1, 2, 3, 4], [1, 2, 4, 0, 5, 3]])
        return {"x": x, "i": i.repeat(6, 1)}
    if operands == "alignments":
        generator = torch.Generator().manual_seed(1)
        p = torch.log_softmax(torch.randn(6, 4, 3, generator=generator, dtype=torch.float64), -1)
        p[2, 1] = torch.tensor([-inf, 0, -inf])
        return {"x": p.to(t), "i": torch.tensor([[1, 2], [1, 1], [2, 2], [2, 1]]), "j": torch.tensor([6, 6, 2, 5]),
                "k": torch.tensor([2, 2, 2, 1])}
    raise KeyError(operands)
