"""Two mistakes at once: functions with several knobs, every setting but the first one wrong."""

import itertools

import numpy as np

import attnlib


def softmaxes():
    def columns(s):
        return attnlib.softmax(s, axis=-2)

    def everything(s):
        return attnlib.softmax(s.reshape(*s.shape[:-2], -1)).reshape(s.shape)

    def hard(s):
        return 1.0 * (s == s.max(axis=-1, keepdims=True))

    def unshifted(s):
        return np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)

    def raw(s):
        return np.where(s == -np.inf, 0, s)

    return attnlib.softmax, columns, everything, np.exp, hard, unshifted, raw


def scales():
    return (
        lambda q, k: 1 / np.sqrt(q.shape[-1]),
        lambda q, k: 1.0,
        lambda q, k: 1 / q.shape[-1],
        lambda q, k: 1 / np.sqrt(k.shape[-2]),
        lambda q, k: np.sqrt(q.shape[-1]),
    )


def masks():
    return (
        lambda s, m: np.where(m, s, -np.inf),
        lambda s, m: s,
        lambda s, m: np.where(m, -np.inf, s),
        lambda s, m: s * m,
        lambda s, m: s + m,
    )


def scores(query, key, scale):
    return query @ key.swapaxes(-1, -2) * scale(query, key)


def attention(query, key, value, *, scale, weigh, mixed):
    return weigh(scores(query, key, scale)) @ (value if mixed == "right" else key)


def distance_attention(query, key, value, width, *, power, weigh, mixed, divisor):
    squares = 0
    for i in range(query.shape[-1]):
        squares = squares + (query[..., :, None, i] - key[..., None, :, i]) ** 2
    nearness = -(squares ** (power / 2)) / divisor(width)
    return weigh(nearness) @ (value if mixed == "right" else key)


def self_attention(x, w_query, w_key, w_value, *, scale, weigh, value, query):
    v = {"right": x @ w_value, "x": x, "key": x @ w_key}[value]
    q = x @ (w_query if query == "right" else w_key)
    return weigh(scores(q, x @ w_key, scale)) @ v


def masked_attention(query, key, value, mask, *, scale, weigh, hide, mixed):
    return weigh(hide(scores(query, key, scale), mask)) @ (value if mixed == "right" else key)


def cross_attention(target, source, w_query, w_key, w_value, *, scale, weigh, reader, value):
    asks, answers = (target, source) if reader == "right" else (source, target)
    v = answers @ (w_value if value == "right" else w_key)
    return weigh(scores(asks @ w_query, answers @ w_key, scale)) @ v


def multi_head_attention(x, wq, wk, wv, wo, n_heads, *, scale, weigh, split, merge, last):
    def heads(array):
        if split == "right":
            return attnlib.split_heads(array, n_heads)
        return array.reshape(n_heads, len(array), -1)

    output = weigh(scores(heads(x @ wq), heads(x @ wk), scale)) @ heads(x @ wv)
    merged = attnlib.merge_heads(output) if merge == "right" else output.reshape(len(x), -1)
    return merged @ wo if last == "right" else merged


def pairwise_distances(x, y, *, products, left, right, after):
    squares = left((x**2).sum(axis=-1))[:, None] + right((y**2).sum(axis=-1))
    return after(np.maximum(squares + products * x @ y.T, 0))


def score_spread(query, key, *, number, centre, mean, after):
    q, k = (x - x.mean(axis=0) if centre == "first" else x for x in (query, key))
    squares = ((q.T @ q) * (k.T @ k)).sum() / number(query, key)
    return after(np.maximum(squares - mean(query.mean(axis=0) @ key.mean(axis=0)), 0))


def sample(s, u, *, weigh, axis, ends, first):
    weights = weigh(s)
    sums = weights.cumsum(axis=axis) if ends == "added" else weights
    sums = sums / (sums[..., -1:] if ends == "added" else 1)
    return first(sums, np.expand_dims(u, axis=-1))


def head_contributions(x, wq, wk, wv, wo, n_heads, *, scale, weigh, rows, last):
    heads = [attnlib.split_heads(x @ w, n_heads) for w in (wq, wk, wv)]
    blocks = wo.reshape(n_heads, -1, wo.shape[1])
    if rows == "strided":
        blocks = np.stack([wo[h::n_heads] for h in range(n_heads)])
    return last(weigh(scores(*heads[:2], scale)) @ heads[2] @ blocks)


def mutual_best(weights, back, *, axis, pick, join, turn):
    def chosen(w):
        numbers = np.expand_dims(pick(w, axis=axis), axis)
        return np.moveaxis(np.arange(w.shape[axis]) == np.moveaxis(numbers, axis, -1), -1, axis)

    return turn(join(chosen(weights), chosen(back).T))


def scaled_scores(query, key, *, scale, order, after):
    q, k = (query, key) if order == "right" else (key, query)
    return after(scores(q, k, scale))


def softmax(s, *, axis, shift, total, place):
    along = {"right": -1, "columns": 0, "everything": None}[axis]
    rows = s if place == "in place" else s.copy()
    if shift != "none":
        rows -= s.max(axis=along, keepdims=True) if shift == "right" else s.max()
    e = np.exp(rows)
    return e / e.sum(axis=along, keepdims=True) if total == "right" else e


def softmax_with_temperature(s, t, *, temper, axis, shift):
    along = {"right": -1, "columns": 0, "everything": None}[axis]
    s = {"right": s / t, "multiplied": s * t, "ignored": s, "root": s / np.sqrt(t)}[temper]
    e = np.exp(s - s.max(axis=along, keepdims=True) if shift == "right" else s)
    return e / e.sum(axis=along, keepdims=True)


def causal_mask(n, m, *, step, inverted, transposed, dtype):
    mask = np.arange(m) - np.arange(n)[:, None] <= step
    mask = ~mask if inverted else mask
    return (mask.T if transposed else mask).astype(dtype)


def padding_mask(lengths, n, *, step, inverted, axis, dtype):
    mask = np.arange(n) < lengths[:, None] + step
    mask = ~mask if inverted else mask
    return (mask if axis is None else np.expand_dims(mask, axis)).astype(dtype)


def prefix_mask(prefix_lengths, lengths, n, *, prefix, length, step, join, dtype):
    j = np.arange(n)
    before = j <= j[:, None] + step
    read = j < prefix_lengths[:, None, None] + prefix
    return (join(before, read) & (j < lengths[:, None, None] + length)).astype(dtype)


def sinusoidal_positions(n, d, *, start, exponent, even, layout):
    angle = (np.arange(n)[:, None] + start) * 10_000.0 ** (exponent * np.arange(0, d, 2) / d)
    pair = (np.sin(angle), np.cos(angle)) if even == "sin" else (np.cos(angle), np.sin(angle))
    return np.stack(pair, axis=-1).reshape(n, d) if layout == "right" else np.hstack(pair)


def rotate(x, p, *, start, exponent, sign, layout):
    d, half = x.shape[1], x.shape[1] // 2
    angle = sign * (p[:, None] + start) * 10_000.0 ** (exponent * np.arange(0, d, 2) / d)
    a, b = (x[:, 0::2], x[:, 1::2]) if layout != "half" else (x[:, :half], x[:, half:])
    pair = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return np.hstack(pair) if layout != "right" else np.stack(pair, axis=-1).reshape(x.shape)


def grid_positions(n_rows, n_columns, d, *, start, exponent, order, read, layout):
    across = n_columns if read == "right" else n_rows
    first, second = np.divmod(np.arange(n_rows * n_columns), across)
    first, second = (first, second) if order == "right" else (second, first)
    speed = 10_000.0 ** (exponent * np.arange(0, d, 4) / d)
    halves = [(p[:, None] + start) * speed for p in (first, second)]
    pairs = [np.stack([np.sin(angle), np.cos(angle)], axis=-1) for angle in halves]
    if layout != "right":
        pairs = [pair.swapaxes(1, 2) for pair in pairs]
    return np.hstack([pair.reshape(len(first), -1) for pair in pairs])


def cosine_similarity(x, *, power, axis, sides, after):
    y = x / np.sqrt((x**2).sum(axis=axis, keepdims=True)) ** power
    return after(y @ (y if sides == 2 else x).T)


def dot_product(a, b, *, last, gather, after):
    return after(gather(a[:last] * b[:last]))


def projection(a, onto, *, order, below, after):
    a, onto = (a, onto) if order == "right" else (onto, a)
    divisor = {"right": onto @ onto, "once": np.sqrt(onto @ onto), "none": 1}[below]
    return after(a @ onto / divisor) * onto


def split_heads(x, n_heads, *, order, flip, moved):
    d_head = x.shape[-1] // n_heads
    parts = (n_heads, d_head) if order == "right" else (d_head, n_heads)
    heads = x.reshape(*x.shape[:-1], *parts)
    heads = heads if order == "right" else heads.swapaxes(-1, -2)
    heads = heads[..., ::-1, :] if flip else heads
    return heads.swapaxes(-3, -2) if moved else heads


def merge_heads(heads, *, moved, flip, after):
    *batch, n_heads, n, d = heads[..., ::-1, :, :].shape
    heads = heads[..., ::-1, :, :] if flip else heads
    rows = heads.swapaxes(-3, -2) if moved else heads
    return after(rows.reshape(*batch, n, n_heads * d))


def weighted_average(weights, values, *, soften, divide, after):
    weights = attnlib.softmax(weights) if soften else weights
    return after(weights @ values / (values.shape[-2] if divide else 1))


def project_qkv(x, wq, wk, wv, *, order, scale, sideways):
    parts = [x @ wq / scale, x @ wk, x @ wv]
    return [parts[i].T if sideways else parts[i] for i in order]


def softmax_backward(grad, weights, *, mean, first, last, sign):
    return sign * last(first(grad) - mean(grad, weights), weights)


def means():
    return (
        lambda g, w: (w * g).sum(axis=-1, keepdims=True),
        lambda g, w: 0.0,
        lambda g, w: g.sum(axis=-1, keepdims=True),
        lambda g, w: g.mean(axis=-1, keepdims=True),
        lambda g, w: w * g,
    )


def attention_backward(grad, query, key, value, *, weigh, scale, mean, back, sent):
    weights = weigh(scores(query, key, scale))
    grad_weights = grad @ value.swapaxes(-1, -2)
    grad_scores = weights * (grad_weights - mean(grad_weights, weights)) * back(query, key)
    grad_query, grad_key = grad_scores @ key, grad_scores.swapaxes(-1, -2) @ query
    return grad_query, grad_key, weights.swapaxes(-1, -2) @ sent(grad)


def cross_entropy(logits, targets, *, weigh, unit, gather, divisor, sign):
    target = np.arange(logits.shape[-1]) == targets[..., None]
    log_p = weigh(logits)
    loss = gather(-log_p[target] / unit)
    return loss, sign * (np.exp(log_p) - target) / divisor(logits)


def log_softmaxes():
    def along(axis):
        def log_softmax(z):
            shifted = z - z.max(axis=axis, keepdims=True)
            return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))

        return log_softmax

    right = along(-1)
    return right, along(0), along(None), same, lambda z: right(np.exp(right(z)))


def sgd_step(w, grad_w, rate, *, sign, gradient, size, start):
    return start(w, rate) + sign * size(rate) * gradient(grad_w)


def linear_backward(grad_y, x, w, *, forward, backward, size, turn):
    rows, grads = x.reshape(-1, x.shape[-1]), grad_y.reshape(-1, grad_y.shape[-1])
    grad_w = forward(rows).T @ backward(grads) / size(x)
    return turn((grad_y @ w.T, grad_w))


def same(x):
    return x


def made_1_long(x):
    return x / np.linalg.norm(x)


def last_of_equals(w, axis):
    return w.shape[axis] - 1 - np.flip(w, axis=axis).argmax(axis=axis)


ATTENTION = {"scale": scales(), "weigh": softmaxes()}
RIGHT = ("right",)
KNOBS = {
    pairwise_distances: {
        "products": (-2, -1, 0, 2),
        "left": (same, np.sqrt, np.zeros_like),
        "right": (same, np.sqrt, np.zeros_like),
        "after": (np.sqrt, same),
    },
    score_spread: {
        "number": (lambda q, k: len(q) * len(k), lambda q, k: 1, lambda q, k: len(q)),
        "centre": ("last", "first"),
        "mean": (np.square, same, np.zeros_like),
        "after": (np.sqrt, same),
    },
    sample: {
        "weigh": softmaxes()[:3],
        "axis": (-1, 0),
        "ends": ("added", "not added"),
        "first": (
            lambda sums, u: (sums > u).argmax(axis=-1),
            lambda sums, u: (sums > u).argmax(axis=-1) + 1,
            lambda sums, u: (sums > 1 - u).argmax(axis=-1),
        ),
    },
    attention: ATTENTION | {"mixed": (*RIGHT, "key")},
    distance_attention: {
        "power": (2, 1),
        "weigh": softmaxes(),
        "mixed": (*RIGHT, "key"),
        "divisor": (lambda w: 2 * w**2, lambda w: w**2, lambda w: 2 * w, lambda w: -2 * w**2),
    },
    self_attention: ATTENTION | {"value": (*RIGHT, "x", "key"), "query": (*RIGHT, "key")},
    masked_attention: ATTENTION | {"hide": masks(), "mixed": (*RIGHT, "key")},
    cross_attention: ATTENTION | {"reader": (*RIGHT, "source"), "value": (*RIGHT, "key")},
    multi_head_attention: ATTENTION
    | {"split": (*RIGHT, "reshape"), "merge": (*RIGHT, "reshape"), "last": (*RIGHT, "none")},
    scaled_scores: {
        "scale": scales(),
        "order": (*RIGHT, "swapped"),
        "after": (same, attnlib.softmax),
    },
    softmax: {
        "axis": (*RIGHT, "columns", "everything"),
        "shift": (*RIGHT, "none", "global"),
        "total": (*RIGHT, "none"),
        "place": ("copy", "in place"),
    },
    softmax_with_temperature: {
        "temper": (*RIGHT, "multiplied", "ignored", "root"),
        "axis": (*RIGHT, "columns", "everything"),
        "shift": (*RIGHT, "none"),
    },
    causal_mask: {
        "step": (0, 1, -1),
        "inverted": (False, True),
        "transposed": (False, True),
        "dtype": (bool, float),
    },
    padding_mask: {
        "step": (0, 1, -1),
        "inverted": (False, True),
        "axis": (1, None, 0, 2),
        "dtype": (bool, int),
    },
    prefix_mask: {
        "prefix": (0, 1, -1),
        "length": (0, 1, -1),
        "step": (0, 1, -1),
        "join": (np.logical_or, np.logical_and, np.logical_xor),
        "dtype": (bool, float),
    },
    head_contributions: ATTENTION
    | {
        "rows": (*RIGHT, "strided"),
        "last": (same, lambda y: y.swapaxes(0, 1), lambda y: y.cumsum(axis=0)),
    },
    mutual_best: {
        "axis": (-1, 0),
        "pick": (np.argmax, np.argmin, last_of_equals),
        "join": (np.logical_and, np.logical_or, np.equal),
        "turn": (same, np.transpose, np.logical_not, lambda y: y.astype(int)),
    },
    sinusoidal_positions: {
        "start": (0, 1),
        "exponent": (-1, -0.5, -2, 0, 1),
        "even": ("sin", "cos"),
        "layout": (*RIGHT, "concatenated"),
    },
    rotate: {
        "start": (0, 1),
        "exponent": (-1, -0.5, 0, 1),
        "sign": (1, -1),
        "layout": (*RIGHT, "half", "apart"),
    },
    grid_positions: {
        "start": (0, 1),
        "exponent": (-1, -0.5, 0, 1),
        "order": (*RIGHT, "swapped"),
        "read": (*RIGHT, "by columns"),
        "layout": (*RIGHT, "apart"),
    },
    cosine_similarity: {
        "power": (1, 0, 2),
        "axis": (-1, 0, None),
        "sides": (2, 1),
        "after": (same, np.abs, np.arccos),
    },
    dot_product: {"last": (None, -1), "gather": (np.sum, np.mean), "after": (same, np.abs)},
    projection: {
        "order": (*RIGHT, "swapped"),
        "below": (*RIGHT, "once", "none"),
        "after": (same, np.abs),
    },
    split_heads: {"order": (*RIGHT, "strided"), "flip": (False, True), "moved": (True, False)},
    merge_heads: {
        "moved": (True, False),
        "flip": (False, True),
        "after": (same, lambda y: y.swapaxes(-1, -2)),
    },
    weighted_average: {
        "soften": (False, True),
        "divide": (False, True),
        "after": (same, lambda y: y.swapaxes(-1, -2)),
    },
    softmax_backward: {
        "mean": means(),
        "first": (same, np.ones_like, np.abs),
        "last": (np.multiply, lambda g, w: g, lambda g, w: g * w * w, lambda g, w: g / w),
        "sign": (1, -1),
    },
    attention_backward: {
        "weigh": softmaxes(),
        "scale": scales(),
        "mean": means(),
        "back": scales(),
        "sent": (same, np.negative, np.ones_like),
    },
    cross_entropy: {
        "weigh": log_softmaxes(),
        "unit": (1, np.log(2), -1),
        "gather": (np.mean, np.sum, np.median, np.max),
        "divisor": (lambda z: z[..., 0].size, lambda z: 1, lambda z: z.size),
        "sign": (1, -1),
    },
    sgd_step: {
        "sign": (-1, 1),
        "gradient": (same, np.sign, np.ones_like, np.square, made_1_long),
        "size": (same, lambda rate: 1, lambda rate: 1 / rate, np.sqrt),
        "start": (lambda w, rate: w, lambda w, rate: 0 * w, lambda w, rate: rate * w),
    },
    linear_backward: {
        "forward": (same, np.ones_like, made_1_long),
        "backward": (same, np.ones_like, np.negative),
        "size": (lambda x: 1, lambda x: x[..., 0].size, lambda x: len(x)),
        "turn": (same, lambda grads: grads[::-1], lambda grads: (grads[0], grads[1].T)),
    },
    project_qkv: {
        "order": ((0, 1, 2), (1, 0, 2), (0, 2, 1)),
        "scale": (1, 2),
        "sideways": (False, True),
    },
}


def turned(function, choices):
    return lambda *inputs: function(*inputs, **choices)


def right(name):
    """The knobs' function with every knob set right."""
    function = next(f for f in KNOBS if f.__name__ == name)
    return turned(function, {knob: options[0] for knob, options in KNOBS[function].items()})


def pairs(name):
    """Every function with exactly two knobs set wrong, and which."""
    function = next(f for f in KNOBS if f.__name__ == name)
    knobs = KNOBS[function]
    first = {knob: options[0] for knob, options in knobs.items()}
    for a, b in itertools.combinations(knobs, 2):
        for i, j in itertools.product(range(1, len(knobs[a])), range(1, len(knobs[b]))):
            choices = first | {a: knobs[a][i], b: knobs[b][j]}
            yield f"{a} {i}, {b} {j}", turned(function, choices)
