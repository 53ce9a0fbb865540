"""Wrong answers, made by the hundred: a right one, perturbed in each way that breaks a promise."""

import numpy as np

import attnlib
from tests.checks.pairs import KNOBS, turned
from tests.checks.specs import load

SOFTMAXES = (
    "softmax", "softmax_with_temperature", "self_attention", "cross_attention",
    "masked_attention", "multi_head_attention",
)  # fmt: skip
LEADING = (
    "softmax", "softmax_with_temperature", "scaled_scores", "weighted_average", "split_heads",
    "merge_heads",
)  # fmt: skip


def own_axes(name):
    """How many axes the first input has where none is leading."""
    return {"softmax": 1, "softmax_with_temperature": 1, "merge_heads": 3}.get(name, 2)


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
            return answer(x, *rest) * (1 + (x.ndim - own == number))

        return function

    def first_only(x, *rest):
        result = answer(x, *rest)
        if result.ndim > own and len(result):
            result[1:] = result[:1]
        return result

    def joined(x, *rest):
        result = answer(x, *rest)
        spare = result.ndim - answer_axes(name)
        return result.reshape(-1, *result.shape[spare:]) if spare > 1 else result

    def turned_round(x, *rest):
        result = answer(x, *rest)
        return result.swapaxes(0, 1) if x.ndim - own > 1 else result

    def squeezed(*inputs):
        return np.squeeze(answer(*inputs))

    for most in (0, 1, 2):
        yield f"at most {most} leading axes", at_most(most)
    for number in (0, 1, 2, 3):
        yield f"wrong with {number} leading axes", never(number)
    yield "the first of a batch for all", first_only
    yield "leading axes joined", joined
    yield "leading axes swapped", turned_round
    yield "axes of length 1 dropped", squeezed


def answer_axes(name):
    return {"softmax": 1, "softmax_with_temperature": 1, "split_heads": 3}.get(name, 2)


def is_empty(inputs):
    return any(np.size(x) == 0 for x in inputs) or any(x == 0 for x in inputs if type(x) is int)


def empties(name):
    answer = load(name).answer

    def refused(*inputs):
        if is_empty(inputs):
            raise ValueError("nothing came in")
        return answer(*inputs)

    def axes_lost(*inputs):
        result = answer(*inputs)
        return np.zeros(0, result.dtype) if is_empty(inputs) else result

    def none(*inputs):
        return None if is_empty(inputs) else answer(*inputs)

    def one_row(*inputs):
        result = answer(*inputs)
        return np.zeros((1, *result.shape[1:]), result.dtype) if is_empty(inputs) else result

    yield "empty refused", refused
    yield "empty has lost its axes", axes_lost
    yield "empty is None", none
    yield "empty has a row", one_row


WITHOUT_EMPTY = (
    "dot_product", "cosine_similarity", "projection", "project_qkv", "self_attention",
    "multi_head_attention", "sinusoidal_positions", "rotate",
)  # fmt: skip


def sizes_in(inputs):
    found = [x.shape for x in inputs if isinstance(x, np.ndarray)]
    return [n for shape in found for n in shape] + [x for x in inputs if type(x) is int]


def pair_of_sizes(name, inputs):
    """The two sizes of an exercise that may be above, below or at each other."""
    if name in ("scaled_scores", "masked_attention"):
        return inputs[0].shape[-2], inputs[1].shape[-2]
    if name == "cross_attention":
        return len(inputs[0]), len(inputs[1])
    if name in ("causal_mask", "sinusoidal_positions"):
        return inputs
    if name == "padding_mask":
        return len(inputs[0]), inputs[1]
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


def sizes(name):
    def compares(how):
        return lambda *inputs: how(*pair_of_sizes(name, inputs))

    yield spoiled(name, "wrong above", compares(lambda n, m: n > m))
    yield spoiled(name, "wrong below", compares(lambda n, m: n < m))
    if name not in ("dot_product", "projection"):
        yield spoiled(name, "wrong at", compares(lambda n, m: n == m))
    if name != "sinusoidal_positions":
        yield (
            spoiled(name, "wrong for a last axis of 1", lambda *x: sizes_in(x)[-1] == 1)
            if name not in ("rotate", "padding_mask", "multi_head_attention")
            else spoiled(name, "wrong for a first axis of 1", lambda *x: sizes_in(x)[0] == 1)
        )
    yield spoiled(name, "wrong for a first size of 1", lambda *x: sizes_in(x)[0] == 1)


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

    def parted(result, change):
        return tuple(map(change, result)) if isinstance(result, tuple) else change(result)

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


SCALED = (
    "dot_product", "cosine_similarity", "projection", "scaled_scores", "weighted_average",
    "project_qkv",
)  # fmt: skip
HARMLESS = {("cosine_similarity", "small answers made 0")}  # a cosine of 1e-4 is 0, to a reader


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
        "rotate": [positions],
        "sinusoidal_positions": [far],
    }.get(name, [])
    found = [pair for maker in makers for pair in maker(name)]
    return [(label, f) for label, f in found if (name, label) not in HARMLESS]
