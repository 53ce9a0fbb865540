"""Right answers to cached_attention, wrong ones, and what it promises."""

import numpy as np

import attnlib
from attnlib.checks.exercises.cached_attention import EXERCISE, appended
from tests.checks.exercises import decode_step
from tests.checks.knobs import right_but, softmaxes
from tests.checks.sweep import spoiled


def scores(query, keys, values, key, value):
    return (appended(keys, key) @ query[..., None])[..., 0][..., None, :] / np.sqrt(len(query.T))


def head_by_head(query, keys, values, key, value):
    lead = query.shape[:-1]
    found = [decode_step.decoded_by_loop(query[at], key[at], value[at], keys[at], values[at])
             for at in np.ndindex(lead)]  # fmt: skip
    parts = zip(*found, strict=True) if found else [[]] * 3
    ends = (value.shape[-1:], *((keys.shape[-2] + 1, a.shape[-1]) for a in (keys, values)))
    return [np.reshape(list(part), lead + end) for part, end in zip(parts, ends, strict=True)]


def by_einsum(query, keys, values, key, value):
    keys = np.append(keys, np.expand_dims(key, -2), axis=-2)
    values = np.append(values, np.expand_dims(value, -2), axis=-2)
    weights = attnlib.softmax(np.einsum("...d,...nd->...n", query, keys) * query.shape[-1] ** -0.5)
    return np.einsum("...n,...nd->...d", weights, values), keys, values


VARIANTS = (head_by_head, by_einsum)


def turned(query, keys, values, key, value, *, scale, weigh, asks, seen, order):
    keys, values = order(keys, key), order(values, value)
    found = asks(query, key)[..., None, :] @ keys.swapaxes(-1, -2) * scale(query, keys)
    return (seen(weigh(found)) @ values)[..., 0, :], keys, values


KNOBS = {
    "scale": (
        lambda q, k: 1 / np.sqrt(q.shape[-1]),
        lambda q, k: 1.0,
        lambda q, k: 1 / q.shape[-1],
        lambda q, k: 1 / np.sqrt(k.shape[-2]),
    ),
    "weigh": [softmax for i, softmax in enumerate(softmaxes()) if i not in (1, 2)],  # of one row
    "asks": (lambda q, k: q, lambda q, k: k, lambda q, k: q + k),
    "seen": (
        lambda w: w,
        lambda w: w * (np.arange(w.shape[-1]) < w.shape[-1] - 1),
        lambda w: w[..., ::-1],
    ),
    "order": (
        appended,
        lambda kept, new: np.concatenate([new[..., None, :], kept], axis=-2),
    ),
}


def of_one_head(divisor):
    """Attention that knows no heads, and divides by something: right for one head, or so wrong."""

    def cached_attention(query, keys, values, key, value):
        keys, values = np.vstack([keys, key]), np.vstack([values, value])
        return attnlib.softmax(keys @ query / divisor(query, keys)) @ values, keys, values

    return cached_attention


NAMED = (
    (right_but(turned, KNOBS, scale=lambda q, k: 1 / q.shape[-1]), "divided by d_key"),
    (of_one_head(lambda q, k: len(q)), "divided by d_key"),
    (of_one_head(lambda q, k: np.sqrt(len(k))), "scaled by the number of words"),
)


def wrong():
    answer = EXERCISE.answer

    def last(n):
        return lambda q, ks, vs, k, v: (
            answer(q, ks[..., -n:, :], vs[..., -n:, :], k, v)[0],
            *answer(q, ks, vs, k, v)[1:],
        )

    for n in (1, 2, 5):
        yield f"the last {n} alone", last(n)
    yield (
        "values without the scale",
        lambda q, ks, vs, k, v: (
            answer(q, ks, vs, k, v)[0] * np.sqrt(v.shape[-1]),
            *answer(q, ks, vs, k, v)[1:],
        ),
    )
    yield spoiled(EXERCISE, "wrong where nothing was kept", lambda q, ks, *_: ks.shape[-2] == 0)
