"""Wrong answers, made by the hundred: a right one, perturbed in each way that breaks a promise."""

import numpy as np

import attnlib
from tests.checks.pairs import KNOBS, turned
from tests.checks.specs import load

SOFTMAXES = (
    "softmax", "softmax_with_temperature", "self_attention", "cross_attention",
    "masked_attention", "multi_head_attention", "sample", "attention", "distance_attention",
    "head_contributions", "attention_backward",
)  # fmt: skip
LEADING = (
    "softmax", "softmax_with_temperature", "scaled_scores", "weighted_average", "split_heads",
    "merge_heads", "sample", "attention", "distance_attention", "softmax_backward",
    "attention_backward", "cross_entropy", "linear_backward",
)  # fmt: skip
ROWS = {
    "softmax": 1, "softmax_with_temperature": 1, "softmax_backward": 1, "cross_entropy": 1,
    "linear_backward": 1,
}  # fmt: skip


def own_axes(name):
    """How many axes the first input has where none is leading."""
    return {**ROWS, "sample": 1, "merge_heads": 3}.get(name, 2)


def parted(result, change):
    """Change an answer, or each of its parts."""
    return tuple(map(change, result)) if isinstance(result, tuple) else change(result)


# Shifts, clips and repairs of a softmax.


def shifted(by):
    def softmax(s):
        e = np.exp(s - by(s))
        return e / e.sum(axis=-1, keepdims=True)

    return softmax


def row(statistic):
    return lambda s: statistic(s, axis=-1, keepdims=True)


def top(s):
    return s.max(axis=-1, keepdims=True)


SHIFTS = {
    "nothing": lambda s: 0.0,
    "700": lambda s: 700.0,
    "the row's mean": row(np.mean),
    "the row's minimum": row(np.min),
    "the row's median": row(np.median),
    "the row's spread": row(np.ptp),
    "the row's sum": row(np.sum),
    "the row's first score": lambda s: s[..., :1],
    "the row's last score": lambda s: s[..., -1:],
    "the row's largest absolute value": lambda s: np.abs(s).max(axis=-1, keepdims=True),
    "half the row's maximum": lambda s: top(s) / 2,
    "the maximum, at least 0": lambda s: np.maximum(top(s), 0),
    "the maximum, at most 700": lambda s: np.minimum(top(s), 700),
    "the maximum, at most 1e6": lambda s: np.minimum(top(s), 1e6),
    "everything's maximum": np.max,
    "everything's mean": np.mean,
    "everything's minimum": np.min,
    "the columns' maxima": lambda s: s.max(axis=-2, keepdims=True),
}


def clipped(low, high):
    return lambda s: attnlib.softmax(np.clip(s, low, high))


def repaired(s):
    return np.nan_to_num(SHIFTED["nothing"](s))


def repaired_evenly(s):
    weights = SHIFTED["nothing"](s)
    return np.where(np.isfinite(weights), weights, 1 / s.shape[-1])


def hard_if_large(s):
    return attnlib.softmax(s) if np.abs(s).max(initial=0) < 500 else 1.0 * (s == top(s))


SHIFTED = {f"shifted by {name}": shifted(by) for name, by in SHIFTS.items()}
SHIFTED["nothing"] = SHIFTED.pop("shifted by nothing")
WEIGHERS = SHIFTED | {
    "clipped at 700": clipped(-700, 700),
    "clipped at 1e3": clipped(-1e3, 1e3),
    "clipped above 700": clipped(-np.inf, 700),
    "clipped below 0": clipped(0, np.inf),
    "clipped at 30": clipped(-30, 30),
    "nan made 0": repaired,
    "nan made even": repaired_evenly,
    "hard where large": hard_if_large,
    "in float16": lambda s: attnlib.softmax(s.astype(np.float16)),
    "scores rounded": lambda s: attnlib.softmax(np.round(s, 1)),
    "weights rounded": lambda s: np.round(attnlib.softmax(s), 2),
    "a floor below the sum": lambda s: (
        np.exp(s - top(s)) / np.maximum(np.exp(s - top(s)).sum(axis=-1, keepdims=True), 1.5)
    ),
}


def softmaxes(name):
    for label, weigh in WEIGHERS.items():
        if name == "softmax":
            yield label, weigh
        elif name == "softmax_with_temperature":
            yield label, lambda s, t, weigh=weigh: weigh(s / t)
        else:
            function = next(f for f in KNOBS if f.__name__ == name)
            first = {knob: options[0] for knob, options in KNOBS[function].items()}
            yield label, turned(function, first | {"weigh": weigh})


# Batches, sizes and what is empty.


def leading(name):
    answer, own = load(name).answer, own_axes(name)

    def at_most(most):
        def function(x, *rest):
            if x.ndim - own > most:
                raise ValueError("too many axes")
            return answer(x, *rest)

        return function

    def never(number):
        def function(x, *rest):
            return parted(answer(x, *rest), lambda part: part * (1 + (x.ndim - own == number)))

        return function

    def then(change):
        return lambda *inputs: parted(answer(*inputs), lambda part: change(part, inputs[0]))

    def first_only(part, x):
        if part.ndim > own and len(part):
            part[1:] = part[:1]
        return part

    def joined(part, x):
        spare = part.ndim - answer_axes(name)
        return part.reshape(-1, *part.shape[spare:]) if spare > 1 else part

    def turned_round(part, x):
        return part.swapaxes(0, 1) if x.ndim - own > 1 and part.ndim > 1 else part

    for most in (0, 1, 2):
        yield f"at most {most} leading axes", at_most(most)
    for number in (0, 1, 2, 3):
        yield f"wrong with {number} leading axes", never(number)
    yield "the first of a batch for all", then(first_only)
    yield "leading axes joined", then(joined)
    yield "leading axes swapped", then(turned_round)
    yield "axes of length 1 dropped", then(lambda part, x: np.squeeze(part))


def answer_axes(name):
    return {**ROWS, "sample": 0, "split_heads": 3}.get(name, 2)


def is_empty(inputs):
    return any(np.size(x) == 0 for x in inputs) or any(x == 0 for x in inputs if type(x) is int)


def empties(name):
    answer = load(name).answer

    def refused(*inputs):
        if is_empty(inputs):
            raise ValueError("nothing came in")
        return answer(*inputs)

    def then(change):
        def function(*inputs):
            result = answer(*inputs)
            return parted(result, change) if is_empty(inputs) else result

        return function

    def none(*inputs):
        return None if is_empty(inputs) else answer(*inputs)

    yield "empty refused", refused
    yield "empty has lost its axes", then(lambda part: np.zeros(0, part.dtype))
    yield "empty is None", none
    yield "empty has a row", then(lambda part: np.zeros((1, *part.shape[1:]), part.dtype))


WITHOUT_EMPTY = (
    "dot_product", "cosine_similarity", "projection", "project_qkv", "self_attention",
    "multi_head_attention", "sinusoidal_positions", "rotate", "pairwise_distances", "score_spread",
    "head_contributions", "mutual_best", "grid_positions", "cross_entropy", "sgd_step",
)  # fmt: skip


def sizes_in(inputs):
    found = [x.shape for x in inputs if isinstance(x, np.ndarray)]
    return [n for shape in found for n in shape] + [x for x in inputs if type(x) is int]


def pair_of_sizes(name, inputs):
    """The two sizes of an exercise that may be above, below or at each other."""
    if name in (
        "scaled_scores", "masked_attention", "pairwise_distances", "score_spread", "attention",
        "distance_attention",
    ):  # fmt: skip
        return inputs[0].shape[-2], inputs[1].shape[-2]
    if name == "attention_backward":
        return inputs[1].shape[-2], inputs[2].shape[-2]
    if name == "cross_attention":
        return len(inputs[0]), len(inputs[1])
    if name in ("causal_mask", "sinusoidal_positions"):
        return inputs
    if name in ("padding_mask", "prefix_mask"):
        return len(inputs[0]), inputs[-1]
    if name == "grid_positions":
        return inputs[:2]
    if name in ("dot_product", "projection"):
        return len(inputs[0]), 6
    if name == "merge_heads":
        return inputs[0].shape[-3:-1]
    return np.atleast_2d(inputs[0]).shape[-2:]


def spoiled(name, label, condition):
    """A right answer, but for inputs that meet a condition."""
    exercise = load(name)

    def function(*inputs):
        result = exercise.answer(*inputs)
        if not condition(*inputs):
            return result
        parts = result if exercise.parts else (result,)
        wrong = tuple(~part if np.asarray(part).dtype == bool else 2 * part + 1 for part in parts)
        return wrong if exercise.parts else wrong[0]

    return label, function


FIRST_AXIS_ALONE = (
    "rotate", "padding_mask", "multi_head_attention", "head_contributions", "grid_positions",
)  # fmt: skip


def sizes(name):
    def compares(how):
        return lambda *inputs: how(*pair_of_sizes(name, inputs))

    yield spoiled(name, "wrong above", compares(lambda n, m: n > m))
    yield spoiled(name, "wrong below", compares(lambda n, m: n < m))
    if name not in ("dot_product", "projection"):
        yield spoiled(name, "wrong at", compares(lambda n, m: n == m))
    if name != "sinusoidal_positions":
        yield (
            spoiled(name, "wrong for a last axis of 1", lambda *x: sizes_in(x)[-1:] == [1])
            if name not in FIRST_AXIS_ALONE
            else spoiled(name, "wrong for a first axis of 1", lambda *x: sizes_in(x)[:1] == [1])
        )
    yield spoiled(name, "wrong for a first size of 1", lambda *x: sizes_in(x)[:1] == [1])


# What is kept from an earlier call.


def memories(name):
    exercise = load(name)
    answer, n_inputs = exercise.answer, len(exercise.parameters)
    arrays = [isinstance(x, np.ndarray) for x in next(iter(exercise.cases())).inputs]

    def keeping(key):
        kept = {}

        def function(*inputs):
            return kept.setdefault(key(inputs), answer(*inputs))

        return function

    if not any(arrays):
        for i in range(n_inputs):
            yield f"kept for input {i}", keeping(lambda inputs, i=i: inputs[i])
        return
    yield "kept for shapes", keeping(lambda inputs: tuple(map(described, inputs)))
    yield (
        "kept for the last shape",
        keeping(lambda inputs: described(inputs[np.flatnonzero(arrays)[-1]])),
    )
    for i in np.flatnonzero(arrays) if sum(arrays) > 1 else ():

        def key(inputs, i=i):
            others = tuple(described(x) for x in inputs)
            return inputs[i].tobytes(), others

        yield f"kept for the numbers of input {i}", keeping(key)


def described(x):
    return x.shape if isinstance(x, np.ndarray) else x


# Ranges of what comes in.


def scaled(name):
    answer = load(name).answer

    def then(change):
        return lambda *inputs: parted(answer(*inputs), change)

    def before(change):
        return lambda *inputs: answer(
            *(change(x) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x for x in inputs)
        )

    yield "rounded to 3 decimals", then(lambda y: np.round(y, 3))
    yield "small answers made 0", then(lambda y: np.where(np.abs(y) < 1e-4, 0, y))
    yield "inputs rounded to 2 decimals", before(lambda x: np.round(x, 2))
    yield "small inputs made 0", before(lambda x: np.where(np.abs(x) < 5e-3, 0, x))
    yield "inputs cut at 100", before(lambda x: np.clip(x, -100, 100))
    yield "inputs in float16", before(lambda x: x.astype(np.float16).astype(float))
    yield "inputs made whole", before(np.trunc)
    yield "inputs made positive", before(np.abs)


def in_halves(name):
    """Each array that comes in, in float16."""
    exercise = load(name)
    arrays = [isinstance(x, np.ndarray) for x in next(iter(exercise.cases())).inputs]
    for i in np.flatnonzero(arrays):

        def half(*inputs, i=i):
            cut = inputs[i].astype(np.float16).astype(float)
            return exercise.answer(*inputs[:i], cut, *inputs[i + 1 :])

        yield f"{exercise.parameters[i]} in float16", half


def lengths_of_vectors(name):
    def along(a, onto, square):
        return a @ onto / square * onto

    if name == "projection":
        for eps in (1e-8, 1e-6, 1e-3):
            yield f"{eps} added", lambda a, o, eps=eps: along(a, o, o @ o + eps)
        for least in (1e-4, 1e-2, 1.0):
            yield f"at least {least}", lambda a, o, least=least: along(a, o, max(o @ o, least))
        yield "not below 1e-3", lambda a, o: along(a, o, o @ o) * (np.linalg.norm(o) > 1e-2)
        yield "cut at 100", lambda a, o: along(a, o, min(o @ o, 1e4))
        yield "never longer than onto", lambda a, o: o * np.clip(a @ o / (o @ o), -1, 1)
    if name == "cosine_similarity":
        norm = lambda x: np.linalg.norm(x, axis=-1, keepdims=True)  # noqa: E731
        for least in (0.1, 0.5, 1.0):

            def floored(x, least=least):
                y = x / np.maximum(norm(x), least)
                return y @ y.T

            yield f"lengths at least {least}", floored
        for eps in (1e-5, 1e-3):

            def softened(x, eps=eps):
                y = x / (norm(x) + eps)
                return y @ y.T

            yield f"{eps} added to lengths", softened

        def capped(x):
            y = x / np.minimum(norm(x), 100)
            return y @ y.T

        yield "lengths at most 100", capped


def temperatures(name):
    changes = {
        "at least 0.01": lambda t: max(t, 0.01),
        "at least 0.1": lambda t: max(t, 0.1),
        "at most 100": lambda t: min(t, 100),
        "at most 10": lambda t: min(t, 10),
        "made whole": lambda t: max(round(t), 1),
        "0.01 added": lambda t: t + 0.01,
        "0.001 added": lambda t: t + 1e-3,
        "rounded to 2 decimals": lambda t: max(round(t, 2), 1e-9),
        "in thousandths, from 1": lambda t: max(t, 1),
        "at most 1": lambda t: min(t, 1),
    }
    for label, change in changes.items():
        yield label, lambda s, t, change=change: attnlib.softmax(s, temperature=change(t))
    yield "a power of the weights", lambda s, t: powered(attnlib.softmax(s), 1 / t)
    yield "a power of the exponentials", lambda s, t: powered(np.exp(s), 1 / t)
    yield "divided after the clip", lambda s, t: attnlib.softmax(np.clip(s, -700, 700) / t)
    yield "clipped after division", lambda s, t: attnlib.softmax(np.clip(s / t, -700, 700))


def powered(weights, power):
    e = weights**power
    return e / e.sum(axis=-1, keepdims=True)


def stand_ins(name):
    def scores(q, k):
        return q @ k.T / np.sqrt(q.shape[-1])

    for by in (-1, -10, -20, -50, -100, -700, -1e3, -1e4, -1e5, -1e6):
        yield (
            f"{by} for -inf",
            lambda q, k, v, m, by=by: attnlib.softmax(np.where(m, scores(q, k), by)) @ v,
        )
    for by in (-10, -20, -100, -1e3, -1e4, -1e9, -1e12):
        yield (
            f"{by} added",
            lambda q, k, v, m, by=by: attnlib.softmax(scores(q, k) + np.where(m, 0, by)) @ v,
        )
    for slack in (1e-9, 1e-3):
        yield (
            f"hidden after the softmax, {slack} below",
            lambda q, k, v, m, slack=slack: (
                (w := attnlib.softmax(scores(q, k)) * m)
                / (w.sum(axis=-1, keepdims=True) + slack)
                @ v
            ),
        )
    yield (
        "the lowest score for -inf",
        lambda q, k, v, m: (
            attnlib.softmax(np.where(m, scores(q, k), scores(q, k).min(initial=0) - 20)) @ v
        ),
    )
    yield (
        "the mask of the first query",
        lambda q, k, v, m: attnlib.attention(
            q, k, v, mask=np.broadcast_to(m[:1], m.shape) if len(m) else m
        ),
    )
    yield (
        "all visible taken for none",
        lambda q, k, v, m: attnlib.attention(q, k, v, mask=m & ~m.all(axis=-1, keepdims=True)),
    )
    yield (
        "one visible taken for all",
        lambda q, k, v, m: attnlib.attention(
            q, k, v, mask=m | (m.sum(axis=-1, keepdims=True) == 1)
        ),
    )


def coinciding(name):
    def squares(x, y):
        return (x**2).sum(axis=-1)[:, None] + (y**2).sum(axis=-1) - 2 * x @ y.T

    def nearest(x, y):
        away = ((x[:, None] - y) ** 2).sum(axis=-1)
        return np.sqrt(np.where(away == away.min(axis=-1, keepdims=True), -1.0, away))

    yield "no number lifted", lambda x, y: np.sqrt(squares(x, y))
    yield "in another order", lambda x, y: np.sqrt(-2 * y @ x.T + (x**2).sum(-1)).T
    for least in (1e-3, 1e-2, 1.0):
        yield f"{least} at least", lambda x, y, s=least: np.sqrt(np.maximum(squares(x, y), s))
        yield f"{least} added", lambda x, y, s=least: np.sqrt(np.maximum(squares(x, y), 0) + s)
    for by in (1.0, np.inf, 100.0):
        yield (
            f"nan made {by}",
            lambda x, y, by=by: np.nan_to_num(np.sqrt(squares(x, y)), nan=by, posinf=np.inf),
        )
    yield "no root below 0 or near it", nearest
    yield (
        "equal rows taken for the farthest",
        lambda x, y: np.where(squares(x, y) < 1e-6, 1e3, np.sqrt(np.maximum(squares(x, y), 0))),
    )
    yield (
        "a diagonal of 0",
        lambda x, y: np.linalg.norm(x[:, None] - y, axis=-1) * (1 - np.eye(len(x), len(y))),
    )


def tables(name):
    answer = load(name).answer

    def unheld(q, k):
        squares = ((q.T @ q) * (k.T @ k)).sum() / (len(q) * len(k))
        return np.sqrt(squares - (q.mean(axis=0) @ k.mean(axis=0)) ** 2)

    yield "the table", lambda q, k: np.std(q @ k.T)
    yield "the table in float32", lambda q, k: np.std((q @ k.T).astype(np.float32))
    yield "the table in lists", lambda q, k: np.std((q @ k.T).tolist())
    yield "the table by einsum", lambda q, k: np.einsum("id,jd->ij", q, k).std()
    yield "every product", lambda q, k: (q[:, None] * k).sum(axis=-1).std()
    yield (
        "the table, squared",
        lambda q, k: np.sqrt(np.maximum(((q @ k.T) ** 2).mean() - (q.mean(0) @ k.mean(0)) ** 2, 0)),
    )
    for most in (20, 50, 100):
        yield f"the first {most} words", lambda q, k, most=most: answer(q[:most], k[:most])
        yield f"the last {most} keys", lambda q, k, most=most: answer(q, k[-most:])
    yield "every other of many", lambda q, k: answer(q[:: 1 + (len(q) > 60)], k)
    yield "at least 1e-3", lambda q, k: np.maximum(answer(q, k), 1e-3)
    yield "at most 1e3", lambda q, k: np.minimum(answer(q, k), 1e3)
    yield "1e-3 added", lambda q, k: answer(q, k) + 1e-3
    yield "not held above 0", unheld
    yield (
        "not held above 0, by trace",
        lambda q, k: np.sqrt(
            np.trace((q.T @ q) @ (k.T @ k)) / len(q) / len(k) - (q.mean(0) @ k.mean(0)) ** 2
        ),
    )
    yield (
        "not held above 0 unless for one score",
        lambda q, k: np.zeros(()) if len(q) * len(k) == 1 else unheld(q, k),
    )
    yield "1 for one score", lambda q, k: answer(q, k) + (len(q) == len(k) == 1)
    yield "nan for one score", lambda q, k: np.where(len(q) * len(k) == 1, np.nan, answer(q, k))


def draws(name):
    answer, softmax = load(name).answer, attnlib.softmax

    def counted(weigh, first=None):
        def function(s, u):
            ends, u = weigh(s).cumsum(axis=-1), np.expand_dims(u, -1)
            return (ends <= u).sum(axis=-1) if first is None else first(ends, u)

        return function

    us = {
        "u cut at 0.01": lambda u: np.clip(u, 0.01, 0.99),
        "u cut at 1e-9": lambda u: np.clip(u, 1e-9, 1 - 1e-9),
        "u below 0.9": lambda u: np.minimum(u, 0.9),
        "u above 0.1": lambda u: np.maximum(u, 0.1),
        "u in tenths": lambda u: np.floor(10 * u) / 10,
        "u in hundredths": lambda u: np.round(u, 2),
        "u in halves": lambda u: np.floor(2 * u) / 2,
        "u squared": np.square,
        "the first u for all": lambda u: np.full_like(u, np.ravel(u)[0]) if np.size(u) else u,
        "u sorted": lambda u: np.sort(u, axis=-1) if np.ndim(u) else u,
        "u reversed": lambda u: u[..., ::-1] if np.ndim(u) else u,
        "0.5 for u": lambda u: 0 * u + 0.5,
        "u of 1 taken for 0": lambda u: np.where(u > 0.9999, 0.0, u),
    }
    for label, change in us.items():
        yield label, lambda s, u, change=change: answer(s, change(u))
    weights = {
        "small weights left out": lambda w: np.where(w < 0.1, 0, w),
        "weights of 1e-3 at least": lambda w: np.maximum(w, 1e-3),
        "weights squared": np.square,
        "roots of weights": np.sqrt,
        "weights in tenths": lambda w: np.round(w, 1),
        "weights sorted": lambda w: np.sort(w, axis=-1),
        "weights in float16": lambda w: w.astype(np.float16),
        "the mean of a weight and even": lambda w: (w + 1 / w.shape[-1]) / 2,
        "1e-12 more for each": lambda w: w + 1e-12,
    }
    for label, change in weights.items():

        def changed(s, change=change):
            w = change(softmax(s)).astype(float)
            return w / np.maximum(w.sum(axis=-1, keepdims=True), 1e-300)

        yield label, counted(changed)
    yield "not divided at the end", counted(softmax)
    yield "nothing above u is 0", counted(softmax, lambda e, u: (e > u).argmax(axis=-1))
    yield (
        "nothing above u is the last",
        counted(softmax, lambda e, u: (e <= u).sum(axis=-1).clip(max=e.shape[-1] - 1)),
    )
    yield "the last sum made 1", counted(softmax, last_made_1)
    yield "u may be reached", counted(softmax, lambda e, u: (e / e[..., -1:] >= u).argmax(axis=-1))
    yield "1e-6 early", counted(softmax, lambda e, u: (e > u - 1e-6).argmax(axis=-1))
    yield "1e-6 late", counted(softmax, lambda e, u: (e > u + 1e-6).argmax(axis=-1))
    yield "never the last", lambda s, u: np.minimum(answer(s, u), max(s.shape[-1] - 2, 0))
    yield "never the first", lambda s, u: np.maximum(answer(s, u), min(s.shape[-1] - 1, 1))
    yield (
        "of equals, the first",
        lambda s, u: np.argmax(s == np.take_along_axis(s, answer(s, u)[..., None], -1), axis=-1),
    )
    yield (
        "by a random number of its own",
        lambda s, u: answer(s, np.random.default_rng(0).random(np.shape(u))),
    )


def last_made_1(ends, u):
    ends[..., -1] = 1
    return (ends > u).argmax(axis=-1)


def widths(name):
    answer = load(name).answer
    changes = {
        "at least 0.01": lambda w: max(w, 0.01),
        "at least 0.1": lambda w: max(w, 0.1),
        "at most 100": lambda w: min(w, 100),
        "at most 10": lambda w: min(w, 10),
        "made whole": lambda w: max(round(w), 1),
        "0.01 added": lambda w: w + 0.01,
        "0.001 added": lambda w: w + 1e-3,
        "rounded to 2 decimals": lambda w: max(round(w, 2), 1e-9),
        "at most 1": lambda w: min(w, 1),
        "at least 1": lambda w: max(w, 1),
        "its root": np.sqrt,
        "1": lambda w: 1.0,
    }
    for label, change in changes.items():
        yield (
            f"a width {label}",
            lambda q, k, v, w, change=change: answer(q, k, v, float(change(w))),
        )

    def mixed(q, k, v, w, change):
        away = change(((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(axis=-1), w)
        return attnlib.softmax(-away / (2 * w**2)) @ v

    squares = {
        "1e-3 added to distances, squared": lambda s, w: (np.sqrt(s) + 1e-3) ** 2,
        "squares at most 1e4": lambda s, w: np.minimum(s, 1e4),
        "squares at most 1e9": lambda s, w: np.minimum(s, 1e9),
        "squares at least 1e-3": lambda s, w: np.maximum(s, 1e-3),
        "squares rounded": lambda s, w: np.round(s, 3),
        "nothing beyond 3 widths": lambda s, w: np.where(s > 9 * w**2, np.inf, s),
        "in widths, cut at 30": lambda s, w: np.minimum(s, 900 * w**2),
        "squares in float16": lambda s, w: s.astype(np.float16).astype(float),
        "the nearest at 0": lambda s, w: np.where(s == s.min(-1, keepdims=True), 0, s),
    }
    for label, change in squares.items():
        yield label, lambda q, k, v, w, change=change: mixed(q, k, v, w, change)
    yield (
        "keys of one length",
        lambda q, k, v, w: answer(
            q, k / np.maximum(np.linalg.norm(k, axis=-1, keepdims=True), 1e-9), v, w
        ),
    )
    yield "keys' lengths forgotten", lambda q, k, v, w: attnlib.attention(q, k, v, scale=1 / w**2)


def lengths(name):
    changes = {
        "at least 1": lambda x, n: np.maximum(x, 1),
        "at most n_keys - 1": lambda x, n: np.minimum(x, n - 1),
        "0 taken for n_keys": lambda x, n: np.where(x == 0, n, x),
        "n_keys taken for 0": lambda x, n: np.where(x == n, 0, x),
        "sorted": lambda x, n: np.sort(x),
        "reversed": lambda x, n: x[::-1],
        "all of the first": lambda x, n: np.full_like(x, x[0] if len(x) else 0),
        "all of the longest": lambda x, n: np.full_like(x, x.max(initial=0)),
        "without repeats": lambda x, n: np.unique(x),
        "modulo n_keys": lambda x, n: x % n,
        "at most 9": lambda x, n: np.minimum(x, 9),
    }
    for label, change in changes.items():
        yield label, lambda x, n, change=change: attnlib.padding_mask(change(x, n), n)
    yield "as wide as the longest", lambda x, n: attnlib.padding_mask(x, int(x.max(initial=0)))


def prefixes(name):
    answer = load(name).answer
    changes = {
        "at least 1": lambda x, n: np.maximum(x, 1),
        "at most n - 1": lambda x, n: np.minimum(x, n - 1),
        "0 taken for n": lambda x, n: np.where(x == 0, n, x),
        "n taken for 0": lambda x, n: np.where(x == n, 0, x),
        "sorted": lambda x, n: np.sort(x),
        "reversed": lambda x, n: x[::-1],
        "all of the first": lambda x, n: np.full_like(x, x[0] if len(x) else 0),
        "all of the longest": lambda x, n: np.full_like(x, x.max(initial=0)),
        "all of the shortest": lambda x, n: np.full_like(x, x.min(initial=n)),
        "modulo n": lambda x, n: x % n,
        "at most 9": lambda x, n: np.minimum(x, 9),
    }
    for label, change in changes.items():
        yield f"prefixes {label}", lambda p, x, n, change=change: answer(change(p, n), x, n)
        yield f"lengths {label}", lambda p, x, n, change=change: answer(p, change(x, n), n)
    yield "prefixes beyond n for 0", lambda p, x, n: answer(np.where(p > n, 0, p), x, n)
    yield "prefixes beyond the sentence for 0", lambda p, x, n: answer(np.where(p > x, 0, p), x, n)
    yield "a sentence as long as its prefix", lambda p, x, n: answer(p, np.maximum(p, x), n)
    yield (
        "a word sees itself, padding too",
        lambda p, x, n: answer(p, x, n) | np.eye(n, dtype=bool),
    )
    yield (
        "a row that sees nothing sees everything",
        lambda p, x, n: (mask := answer(p, x, n)) | ~mask.any(axis=-1, keepdims=True),
    )
    yield (
        "a row that sees nothing sees itself",
        lambda p, x, n: (
            (mask := answer(p, x, n)) | (~mask.any(axis=-1, keepdims=True) & np.eye(n, dtype=bool))
        ),
    )
    yield spoiled(name, "wrong for a length of 0", lambda p, x, n: 0 in x)
    yield spoiled(name, "wrong for a length of n", lambda p, x, n: n in x)
    yield spoiled(name, "wrong for a prefix of 0", lambda p, x, n: 0 in p)
    yield spoiled(name, "wrong for a prefix of 1", lambda p, x, n: 1 in p)
    yield spoiled(name, "wrong for a prefix of n", lambda p, x, n: n in p)
    yield spoiled(name, "wrong for a prefix beyond n", lambda p, x, n: (p > n).any())
    yield spoiled(name, "wrong for a whole sentence as prefix", lambda p, x, n: (p == x).any())
    yield spoiled(name, "wrong for a prefix beyond its sentence", lambda p, x, n: (p > x).any())
    yield spoiled(name, "wrong for one sentence", lambda p, x, n: len(x) == 1)
    for dtype in (np.int8, np.float32):
        yield f"as {dtype.__name__}", lambda p, x, n, dtype=dtype: answer(p, x, n).astype(dtype)


def shares(name):
    answer = load(name).answer

    def then(change):
        return lambda *inputs: change(answer(*inputs))

    def between_heads(y):
        y = y.copy()
        y[0], y[-1] = y[0] + 0.01, y[-1] - 0.01  # the sum stays
        return y if len(y) > 1 else y * 2

    yield "something handed from head to head", then(between_heads)
    yield (
        "head 0 takes all",
        then(lambda y: y.sum(axis=0) * (np.arange(len(y)) == 0)[:, None, None]),
    )
    yield "heads in reverse order", then(lambda y: y[::-1])
    yield "sorted by size", then(lambda y: y[np.argsort(np.abs(y).sum(axis=(1, 2)))])
    yield "negative shares made 0", then(lambda y: np.maximum(y, 0))
    yield "shares made positive", then(np.abs)
    yield "as parts of 1", then(lambda y: y / (np.abs(y).sum(axis=0) + 1e-9))
    yield "the mean of all left out", then(lambda y: y - y.mean(axis=0))
    yield "tokens in reverse order", then(lambda y: y[:, ::-1])
    yield "axes of length 1 dropped", then(np.squeeze)
    yield "side by side", then(lambda y: np.concatenate(list(y), axis=-1))
    yield "below each other", then(lambda y: y.reshape(-1, y.shape[-1]))
    yield "shares rounded", then(lambda y: np.round(y, 3))
    yield "shares in float16", then(lambda y: y.astype(np.float16))
    yield "shares at most 1", then(lambda y: np.clip(y, -1, 1))
    yield spoiled(name, "wrong for one head", lambda *x: x[-1] == 1)
    yield spoiled(name, "wrong for more than 7 heads", lambda *x: x[-1] > 7)
    yield spoiled(name, "wrong for heads of width 1", lambda *x: x[1].shape[1] == x[-1])
    yield spoiled(name, "wrong where w_output is square", lambda *x: len({*x[4].shape}) == 1)
    yield spoiled(name, "wrong for one output feature", lambda *x: x[4].shape[1] == 1)
    yield from in_halves(name)


def choices(name):
    answer = load(name).answer
    changes = {f"rounded to {k} decimals": lambda w, k=k: np.round(w, k) for k in (1, 2, 3, 4)}
    changes |= {
        "in float16": lambda w: w.astype(np.float16),
        "at most 0.3": lambda w: np.minimum(w, 0.3),
        "at most 0.1": lambda w: np.minimum(w, 0.1),
        "at least 0.2": lambda w: np.maximum(w, 0.2),
        "in hundredths": lambda w: np.floor(100 * w),
        "sorted": lambda w: np.sort(w, axis=-1),
        "less the mean of each column": lambda w: w - w.mean(axis=0),
        "over the sum of each column": lambda w: w / w.sum(axis=0),
        "the latter preferred": lambda w: w + 1e-9 * np.arange(w.shape[-1]),
        "the middle preferred": lambda w: (
            w - 1e-9 * np.abs(np.arange(w.shape[-1]) - w.shape[-1] / 2)
        ),
        "the diagonal preferred": lambda w: w + 1e-9 * np.eye(*w.shape),
    }
    for label, change in changes.items():
        yield f"both ways {label}", lambda w, b, change=change: answer(change(w), change(b))
        yield f"weights {label}", lambda w, b, change=change: answer(change(w), b)
        yield f"weights_back {label}", lambda w, b, change=change: answer(w, change(b))

    def largest(w):
        return w == w.max(axis=-1, keepdims=True)

    def first(w):
        return np.arange(w.shape[-1]) == w.argmax(axis=-1)[:, None]

    def clear(lead):
        def only(w):
            top = np.sort(w, axis=-1)[:, -2:]
            return first(w) & (top[:, :1] + lead < top[:, -1:] + (w.shape[-1] == 1))

        return only

    yield "equals kept one way", lambda w, b: largest(w) & first(b).T
    yield "equals kept the other way", lambda w, b: first(w) & largest(b).T
    for slack in (1e-2, 1e-3, 1e-5):

        def near(w, slack=slack):
            return w >= w.max(axis=-1, keepdims=True) - slack

        yield f"within {slack} of the largest", lambda w, b, near=near: near(w) & near(b).T
    for lead in (0, 1e-4, 1e-2, 0.1):
        only = clear(lead)
        yield f"ahead by more than {lead}", lambda w, b, only=only: only(w) & only(b).T
    for least in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4):
        yield (
            f"only above {least}",
            lambda w, b, least=least: answer(w, b) & (w > least) & (b > least).T,
        )
    yield (
        "where the mean of both is best",
        lambda w, b: first(w + b.T) & first((w + b.T).T).T,
    )
    yield "where the product is best", lambda w, b: first(w * b.T) & first((w * b.T).T).T
    yield "those without a partner take their best", without_partner(answer, first)
    yield "the first pair alone", lambda w, b: pair_number(answer(w, b), 1)
    yield "the first two pairs alone", lambda w, b: pair_number(answer(w, b), 2)
    yield "no two pairs crossing", uncrossed(answer)
    yield "as int8", lambda w, b: answer(w, b).astype(np.int8)
    yield "axes of length 1 dropped", lambda w, b: np.squeeze(answer(w, b))
    yield (
        "numbers up to 127",
        lambda w, b: answer(w, b) & (np.arange(w.shape[1]) <= 127),
    )
    yield spoiled(name, "wrong for one source word", lambda w, b: len(b) == 1)
    yield spoiled(name, "wrong for one target word", lambda w, b: len(w) == 1)


def without_partner(answer, first):
    def function(w, b):
        table = answer(w, b)
        return table | (first(w) & ~table.any(axis=1, keepdims=True))

    return function


def pair_number(table, most):
    return table & (table.any(axis=1).cumsum() <= most)[:, None]


def uncrossed(answer):
    def function(w, b):
        table, last = answer(w, b).copy(), -1
        for row in table:
            row[: last + 1] = False
            last = max(last, row.argmax() if row.any() else -1)
        return table

    return function


def positions(name):
    changes = {
        "rounded": np.round,
        "rounded down": np.floor,
        "rounded up": np.ceil,
        "sorted": np.sort,
        "from the first": lambda p: p - p[:1],
        "from the smallest": lambda p: p - p.min(),
        "counted": lambda p: np.arange(len(p)),
        "ranked": lambda p: p.argsort().argsort(),
        "modulo 100": lambda p: p % 100,
        "at most 100": lambda p: np.minimum(p, 100),
        "in halves": lambda p: np.round(2 * p) / 2,
        "added up": np.cumsum,
    }
    for label, change in changes.items():
        yield label, lambda x, p, change=change: attnlib.rotate(x, change(np.asarray(p, float)))

    def looked_up(x, p):
        d, table = x.shape[-1], np.arange(1000)[:, None]
        angle = (table / 10_000 ** (np.arange(0, d, 2) / d))[np.asarray(p).astype(int)]
        a, b = x[:, 0::2], x[:, 1::2]
        pair = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
        return np.stack(pair, axis=-1).reshape(x.shape)

    yield "looked up in a table", looked_up


def far(name):
    for most in (100, 200, 300):
        yield (
            f"{most} positions at most",
            lambda n, d, most=most: attnlib.sinusoidal_positions(min(n, most), d),
        )
        yield (
            f"again after {most}",
            lambda n, d, most=most: attnlib.sinusoidal_positions(most, d)[np.arange(n) % most],
        )
    yield "in float16", lambda n, d: attnlib.sinusoidal_positions(n, d).astype(np.float16)


def grids(name):
    answer = load(name).answer

    def table(places, d, base=10_000.0):
        speed = base ** -(np.arange(0, d, 4) / d)
        pairs = (np.asarray(p, float)[:, None] * speed for p in places)
        pairs = [np.stack([np.sin(angle), np.cos(angle)], axis=-1) for angle in pairs]
        return np.hstack([pair.reshape(len(pair), -1) for pair in pairs])

    def placed(change):
        def function(n_rows, n_columns, d):
            row, column = np.divmod(np.arange(n_rows * n_columns), n_columns)
            return table(change(row, column, n_rows, n_columns), d)

        return function

    for most in (3, 10, 100, 200, 300, 500):
        yield f"rows at most {most}", placed(lambda r, c, n, m, k=most: (np.minimum(r, k), c))
        yield f"columns at most {most}", placed(lambda r, c, n, m, k=most: (r, np.minimum(c, k)))
        yield f"rows again after {most}", placed(lambda r, c, n, m, k=most: (r % k, c))
        yield f"columns again after {most}", placed(lambda r, c, n, m, k=most: (r, c % k))
    changes = {
        "from the middle": lambda r, c, n, m: (r - n // 2, c - m // 2),
        "from the bottom": lambda r, c, n, m: (n - 1 - r, c),
        "from the right": lambda r, c, n, m: (r, m - 1 - c),
        "between 0 and 1": lambda r, c, n, m: (r / n, c / m),
        "up to 1": lambda r, c, n, m: (r / max(n - 1, 1), c / max(m - 1, 1)),
        "the middles of patches": lambda r, c, n, m: (r + 0.5, c + 0.5),
        "there and back": lambda r, c, n, m: (r, np.where(r % 2, m - 1 - c, c)),
        "a step a patch": lambda r, c, n, m: (r, c + r * m),
        "a step a row": lambda r, c, n, m: (r * m, c),
        "diagonals": lambda r, c, n, m: (r + c, r - c),
        "distance from the corner": lambda r, c, n, m: (r, np.hypot(r, c)),
        "as the longer side lies": lambda r, c, n, m: (r, c) if n <= m else (c, r),
        "as wide as high": lambda r, c, n, m: np.divmod(np.arange(n * m), round((n * m) ** 0.5)),
        "as wide as the longer side": lambda r, c, n, m: np.divmod(np.arange(n * m), max(n, m)),
        "as wide as the shorter side": lambda r, c, n, m: np.divmod(np.arange(n * m), min(n, m)),
        "read by columns": lambda r, c, n, m: np.divmod(np.arange(n * m), n)[::-1],
    }
    for label, change in changes.items():
        yield label, placed(change)
    for base in (1_000.0, 100.0, 5_000.0, 20_000.0):

        def based(n, m, d, base=base):
            return table(np.divmod(np.arange(n * m), m), d, base)

        yield f"base {base}", based
    kept = {}
    yield "kept for the shape", lambda n, m, d: kept.setdefault((n * m, d), answer(n, m, d))
    yield "axes of length 1 dropped", lambda n, m, d: np.squeeze(answer(n, m, d))
    yield "in float16", lambda n, m, d: answer(n, m, d).astype(np.float16)
    yield "halves exchanged", lambda n, m, d: np.roll(answer(n, m, d), d // 2, axis=1)
    yield "one feature on", lambda n, m, d: np.roll(answer(n, m, d), 1, axis=1)
    yield "features in reverse order", lambda n, m, d: answer(n, m, d)[:, ::-1]
    yield "rounded to 3 decimals", lambda n, m, d: np.round(answer(n, m, d), 3)
    yield spoiled(name, "wrong for one row", lambda n, m, d: n == 1)
    yield spoiled(name, "wrong for one column", lambda n, m, d: m == 1)
    yield spoiled(name, "wrong for one patch", lambda n, m, d: n * m == 1)
    yield spoiled(name, "wrong for four features", lambda n, m, d: d == 4)
    yield spoiled(name, "wrong for a square", lambda n, m, d: n == m)
    yield spoiled(name, "wrong for n_rows * n_columns as d_model", lambda n, m, d: n * m == d)


# The way back.


def certainties(name):
    answer = load(name).answer
    changes = {
        "of 1e-3 at least": lambda w: np.maximum(w, 1e-3),
        "of 1e-6 at least": lambda w: np.maximum(w, 1e-6),
        "of 0.9 at most": lambda w: np.minimum(w, 0.9),
        "of 0.999 at most": lambda w: np.minimum(w, 0.999),
        "rounded": lambda w: np.round(w, 2),
        "sorted": lambda w: np.sort(w, axis=-1),
        "even": lambda w: np.full_like(w, 1 / w.shape[-1]),
        "below 0.1 left out": lambda w: np.where(w < 0.1, 0, w),
        "divided by their sum": lambda w: w / w.sum(axis=-1, keepdims=True),
    }
    for label, change in changes.items():
        yield f"weights {label}", lambda g, w, change=change: answer(g, change(w))

    def divided(g, w):
        return w * (w * g / w - (w * g).sum(axis=-1, keepdims=True))

    def by_others(g, w):
        others = (w * g).sum(axis=-1, keepdims=True) - w * g
        return w * (1 - w) * (g - others / (1 - w))

    yield "divided by the weights", divided
    yield "divided by what the others have", by_others
    yield "the largest weight as all", lambda g, w: answer(g, 1.0 * (w == top(w)))
    yield "gradients at most 10", lambda g, w: answer(np.clip(g, -10, 10), w)
    yield spoiled(name, "wrong for a weight of 0", lambda g, w: 0 in w)
    yield spoiled(name, "wrong for a weight of 1", lambda g, w: w.shape[-1] > 1 and 1 in w)
    yield spoiled(name, "wrong for a row of 0", lambda g, w: (~w.any(axis=-1)).any())


def ways_back(name):
    answer, parts = load(name).answer, load(name).parts

    def then(change, which):
        def function(*inputs):
            grads = list(answer(*inputs))
            grads[which] = change(grads[which])
            return grads

        return function

    changes = {
        "0": np.zeros_like,
        "turned": np.negative,
        "doubled": lambda g: 2 * g,
        "at most 1": lambda g: np.clip(g, -1, 1),
        "at most 100": lambda g: np.clip(g, -100, 100),
        "1e-5 long at least": lambda g: g if np.linalg.norm(g) > 1e-5 else g + 1e-5,
        "rounded": lambda g: np.round(g, 3),
        "in float16": lambda g: g.astype(np.float16),
        "in reverse order": lambda g: g[..., ::-1, :],
        "of the mean of all": lambda g: g - g.mean(axis=-2, keepdims=True),
        "divided by their number": lambda g: g / g.shape[-2],
    }
    for which, part in enumerate(parts):
        for label, change in changes.items():
            yield f"{part} {label}", then(change, which)

    def first(n):
        return lambda g, q, *rest: answer(np.where(np.arange(q.shape[-2])[:, None] < n, g, 0), q,
                                          *rest)  # fmt: skip

    for n in (1, 3, 7):
        yield f"the first {n} queries alone", first(n)
    yield "grad_output rounded", lambda g, *rest: answer(np.round(g, 2), *rest)
    yield (
        "causal",
        lambda g, q, k, v: attnlib.attention_backward(
            g, q, k, v, mask=attnlib.causal_mask(q.shape[-2], k.shape[-2])
        ),
    )
    yield from in_halves(name)


def surprises(name):
    answer = load(name).answer

    def target_of(z, t):
        return 1.0 * (np.arange(z.shape[-1]) == np.expand_dims(t, -1))

    def by_probability(log):
        def function(z, t):
            p, target = attnlib.softmax(z), target_of(z, t)
            return -log((p * target).sum(axis=-1)).mean(), (p - target) / t.size

        return function

    def shifted_by(by):
        def function(z, t):
            total, target = np.exp(z - by(z)).sum(axis=-1, keepdims=True), target_of(z, t)
            log_p = z - by(z) - np.log(total)
            return -(log_p * target).sum(axis=-1).mean(), (np.exp(log_p) - target) / t.size

        return function

    for label, by in SHIFTS.items():
        yield f"shifted by {label}", shifted_by(by)
    for least in (1e-300, 1e-15, 1e-9, 1e-7):
        yield (
            f"{least} added below the logarithm",
            by_probability(lambda p, least=least: np.log(p + least)),
        )
        yield (
            f"probabilities of {least} at least",
            by_probability(lambda p, least=least: np.log(np.maximum(p, least))),
        )
    yield "-inf made 0", by_probability(lambda p: np.where(p > 0, np.log(p), 0))
    yield "-inf made the smallest number", by_probability(lambda p: np.nan_to_num(np.log(p)))
    yield "logits cut at 30", lambda z, t: answer(np.clip(z, -30, 30), t)
    yield "logits cut at 700", lambda z, t: answer(np.clip(z, -700, 700), t)
    yield "logits rounded", lambda z, t: answer(np.round(z, 1), t)
    targets = {
        "from 1 on": lambda z, t: np.maximum(t, 1),
        "before the last": lambda z, t: np.minimum(t, max(z.shape[-1] - 2, 0)),
        "one on": lambda z, t: (t + 1) % z.shape[-1],
        "counted from the end": lambda z, t: z.shape[-1] - 1 - t,
        "at most 2": lambda z, t: np.minimum(t, 2),
        "sorted": lambda z, t: np.sort(t, axis=None).reshape(t.shape),
        "in reverse order": lambda z, t: t[..., ::-1] if t.ndim else t,
        "all the first": lambda z, t: np.full_like(t, t.flat[0]),
        "the best guesses": lambda z, t: z.argmax(axis=-1),
    }
    for label, change in targets.items():
        yield f"targets {label}", lambda z, t, change=change: answer(z, change(z, t))

    def then(change):
        return lambda z, t: change(*answer(z, t), z, t)

    yield "loss for each place", then(lambda loss, grad, z, t: (np.full(t.shape, loss), grad))
    yield "loss in a list", then(lambda loss, grad, z, t: (np.array([loss]), grad))
    yield "loss rounded", then(lambda loss, grad, z, t: (np.round(loss, 3), grad))
    yield "loss in float16", then(lambda loss, grad, z, t: (loss.astype(np.float16), grad))
    yield "gradient in float16", then(lambda loss, grad, z, t: (loss, grad.astype(np.float16)))
    yield "loss of 20 at most", then(lambda loss, grad, z, t: (np.minimum(loss, 20), grad))
    yield "perplexity", then(lambda loss, grad, z, t: (np.exp(loss), grad))
    yield (
        "divided by the different targets",
        then(lambda loss, grad, z, t: (loss, grad * t.size / len(np.unique(t)))),
    )
    yield (
        "the mean over the different targets",
        lambda z, t: (
            np.mean([answer(z[t == k], t[t == k])[0] for k in np.unique(t)]), answer(z, t)[1]
        ),
    )  # fmt: skip
    yield (
        "nothing to learn for the right guesses",
        lambda z, t: (
            answer(z, t)[0], answer(z, t)[1] * (z.argmax(axis=-1) != t)[..., None]
        ),
    )  # fmt: skip
    yield spoiled(name, "wrong for one class alone", lambda z, t: z.shape[-1] == 1)
    yield spoiled(name, "wrong for one place alone", lambda z, t: t.size == 1)
    yield spoiled(name, "wrong for equal targets", lambda z, t: t.size > 1 and np.ptp(t) == 0)
    yield spoiled(name, "wrong if nobody is the first class", lambda z, t: t.all())
    yield spoiled(name, "wrong for a certain guess", lambda z, t: attnlib.softmax(z).max() == 1)


def steps(name):
    answer = load(name).answer
    rates = {
        "at least 1e-3": lambda r: max(r, 1e-3),
        "at least 0.01": lambda r: max(r, 0.01),
        "at most 1": lambda r: min(r, 1),
        "at most 10": lambda r: min(r, 10),
        "rounded to 2 decimals": lambda r: round(r, 2),
        "made whole": round,
        "0.1": lambda r: 0.1,
        "its root": np.sqrt,
        "its square": np.square,
        "1e-3 more": lambda r: r + 1e-3,
    }
    for label, change in rates.items():
        yield f"a rate {label}", lambda w, g, r, change=change: answer(w, g, change(r))
    gradients = {
        "of 1 at most": lambda g: np.clip(g, -1, 1),
        "of 10 at most": lambda g: np.clip(g, -10, 10),
        "of length 10 at most": lambda g: g * min(1, 10 / max(np.linalg.norm(g), 1e-9)),
        "below 0.01 left out": lambda g: np.where(np.abs(g) < 0.01, 0, g),
        "less their mean": lambda g: g - np.mean(g),
        "of each row the mean": lambda g: np.mean(g, axis=-1, keepdims=True) + 0 * g,
        "in reverse order": lambda g: g[::-1],
        "transposed": lambda g: g.T.reshape(g.shape),
    }
    for label, change in gradients.items():
        yield f"gradients {label}", lambda w, g, r, change=change: answer(w, change(g), r)

    def then(change):
        return lambda w, g, r: change(answer(w, g, r))

    yield "weights that shrink", lambda w, g, r: answer(w, g, r) - 1e-2 * r * w
    yield "a step at most 1 long", lambda w, g, r: w - np.clip(r * g, -1, 1)
    yield "weights at most 100", then(lambda w: np.clip(w, -100, 100))
    yield "weights never below 0", then(lambda w: np.maximum(w, 0))
    yield (
        "weights that keep their sign",
        lambda w, g, r: np.abs(answer(w, g, r)) * np.where(w < 0, -1, 1),
    )
    yield "two steps", lambda w, g, r: answer(answer(w, g, r), g, r)
    yield "axes of length 1 dropped", then(np.squeeze)
    yield "one axis at least", then(np.atleast_1d)
    yield "two axes at least", then(np.atleast_2d)
    yield "one long row", then(np.ravel)
    yield spoiled(name, "wrong for a single number", lambda w, g, r: w.ndim == 0)
    yield spoiled(name, "wrong for four axes", lambda w, g, r: w.ndim == 4)
    yield spoiled(name, "wrong for a gradient of 0", lambda w, g, r: not g.any())
    yield from in_halves(name)


def rows_added_up(name):
    answer = load(name).answer

    def with_w(change):
        def function(g, x, w):
            grad_x, grad_w = answer(g, x, w)
            return grad_x, change(grad_w, x)

        return function

    def first(n):
        return lambda g, x, w: (
            answer(g, x, w)[0],
            x.reshape(-1, len(w))[:n].T @ g.reshape(-1, w.shape[1])[:n],
        )

    for n in (1, 2, 7, 11):
        yield f"the first {n} rows alone", first(n)
    yield "grad_w at most 100", with_w(lambda grad, x: np.clip(grad, -100, 100))
    yield "grad_w rounded", with_w(lambda grad, x: np.round(grad, 3))
    yield (
        "grad_w divided by the length of a sentence",
        with_w(lambda grad, x: grad / x.shape[-2] if x.ndim > 1 else grad),
    )
    yield (
        "grad_w divided by the number of sentences",
        with_w(lambda grad, x: grad / max(np.prod(x.shape[:-2]), 1)),
    )
    yield "grad_w with an axis for the batch", with_w(lambda grad, x: grad[None])
    yield (
        "grad_w for each of a batch",
        lambda g, x, w: (
            answer(g, x, w)[0],
            np.atleast_2d(x).swapaxes(-1, -2) @ np.atleast_2d(g),
        ),
    )
    yield (
        "grad_w of the sum over the first axis",
        lambda g, x, w: (
            answer(g, x, w)[0],
            (x.swapaxes(-1, -2) @ g).sum(axis=0) if x.ndim > 2 else answer(g, x, w)[1],
        ),
    )
    yield (
        "grad_x as one list of rows",
        lambda g, x, w: (
            answer(g, x, w)[0].reshape(-1, len(w)),
            answer(g, x, w)[1],
        ),
    )
    yield spoiled(name, "wrong for a single row", lambda g, x, w: x.ndim == 1)
    yield spoiled(name, "wrong for more than three axes", lambda g, x, w: x.ndim > 3)
    yield spoiled(name, "wrong where w is a row", lambda g, x, w: len(w) == 1)
    yield spoiled(name, "wrong where w is a column", lambda g, x, w: w.shape[1] == 1)
    yield spoiled(name, "wrong where w is square", lambda g, x, w: len({*w.shape}) == 1)
    yield from in_halves(name)


SCALED = (
    "dot_product", "cosine_similarity", "projection", "scaled_scores", "weighted_average",
    "project_qkv", "pairwise_distances", "score_spread", "attention", "softmax_backward",
    "attention_backward", "sgd_step", "linear_backward",
)  # fmt: skip
HARMLESS = {
    ("cosine_similarity", "small answers made 0"),  # a cosine of 1e-4 is 0, to a reader
    ("distance_attention", "clipped above 700"),  # no such score is above 0
    ("distance_attention", "shifted by the maximum, at most 700"),
    ("distance_attention", "shifted by the maximum, at most 1e6"),
    ("sample", "a floor below the sum"),  # u is measured by the last sum, whatever it is
    ("attention_backward", "grad_key of the mean of all"),  # that mean is 0
    ("prefix_mask", "prefixes at least 1"),  # every query sees the first key in any case
}


def sweep(name):
    """Wrong answers to one exercise, each with what is wrong."""
    makers = [memories, sizes]
    makers += [softmaxes] * (name in SOFTMAXES)
    makers += [leading] * (name in LEADING)
    makers += [empties] * (name not in WITHOUT_EMPTY)
    makers += [scaled] * (name in SCALED)
    makers += {
        "projection": [lengths_of_vectors],
        "cosine_similarity": [lengths_of_vectors],
        "softmax_with_temperature": [temperatures],
        "masked_attention": [stand_ins],
        "padding_mask": [lengths],
        "prefix_mask": [prefixes],
        "head_contributions": [shares],
        "mutual_best": [choices],
        "rotate": [positions],
        "pairwise_distances": [coinciding],
        "score_spread": [tables],
        "sample": [draws],
        "distance_attention": [widths],
        "sinusoidal_positions": [far],
        "grid_positions": [grids],
        "softmax_backward": [certainties],
        "attention_backward": [ways_back],
        "cross_entropy": [surprises],
        "sgd_step": [steps],
        "linear_backward": [rows_added_up],
    }.get(name, [])
    found = [pair for maker in makers for pair in maker(name)]
    return [(label, f) for label, f in found if (name, label) not in HARMLESS]
