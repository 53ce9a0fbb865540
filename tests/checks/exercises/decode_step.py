"""Right answers to decode_step, wrong ones, and what it promises."""

import numpy as np

import attnlib
from attnlib.checks.exercises.decode_step import EXERCISE, appended
from tests.checks.by_hand import loops
from tests.checks.knobs import softmaxes
from tests.checks.sweep import spoiled


def scores(query, key, value, keys, values):
    keys, _ = appended(key, value, keys, values)
    return (keys @ query / np.sqrt(len(query)))[None]


def decoded_by_loop(query, key, value, keys, values):
    keys, values = [*keys.tolist(), key.tolist()], [*values.tolist(), value.tolist()]
    (output,) = loops([query.tolist()], keys, values)
    return output, keys, values


def decoded_by_concatenating(query, key, value, keys, values):
    keys, values = np.concatenate([keys, key[None]]), np.concatenate([values, value[None]])
    return attnlib.attention(query[None], keys, values)[0], keys, values


def decoded_by_last_row(query, key, value, keys, values):
    keys, values = np.append(keys, [key], axis=0), np.append(values, [value], axis=0)
    n = len(keys)
    queries = np.resize(query, (n, len(query)))
    mask = attnlib.causal_mask(n)
    return attnlib.attention(queries, keys, values, mask=mask)[-1], keys, values


VARIANTS = (decoded_by_loop, decoded_by_concatenating, decoded_by_last_row)


def turned(query, key, value, keys, values, *, scale, weigh, asks, seen, order):
    keys, values = order(key, value, keys, values)
    found = (asks(query, key) @ keys.T * scale(query, keys))[None]
    return seen(weigh(found)[0]) @ values, keys, values


KNOBS = {
    "scale": (
        lambda q, k: 1 / np.sqrt(len(q)),
        lambda q, k: 1.0,
        lambda q, k: 1 / len(q),
        lambda q, k: 1 / np.sqrt(len(k)),
    ),
    "weigh": [softmax for i, softmax in enumerate(softmaxes()) if i not in (1, 2)],  # of one row
    "asks": (lambda q, k: q, lambda q, k: k, lambda q, k: q + k),
    "seen": (lambda w: w, lambda w: w * (np.arange(len(w)) < len(w) - 1), lambda w: w[::-1]),
    "order": (
        appended,
        lambda k, v, ks, vs: (np.vstack([k, ks]), np.vstack([v, vs])),
        lambda k, v, ks, vs: (np.vstack([ks, k]), np.vstack([v, vs])),
    ),
}


def wrong():
    answer = EXERCISE.answer

    def last(n):
        return lambda q, k, v, ks, vs: (
            answer(q, k, v, ks[-n:], vs[-n:])[0],
            *answer(q, k, v, ks, vs)[1:],
        )

    for n in (1, 2, 5):
        yield f"the last {n} alone", last(n)
    yield (
        "a copy of the last row",
        lambda q, k, v, ks, vs: (
            answer(q, k, v, ks, vs)[0],
            np.vstack([ks, (ks if len(ks) else k[None])[-1]]),
            answer(q, k, v, ks, vs)[2],
        ),
    )
    yield (
        "values without the scale",
        lambda q, k, v, ks, vs: (
            answer(q, k, v, ks, vs)[0] * np.sqrt(len(v)),
            *answer(q, k, v, ks, vs)[1:],
        ),
    )
    yield spoiled(EXERCISE, "wrong where nothing was kept", lambda q, k, v, ks, vs: len(ks) == 0)


def by_hstack(query, key, value, keys, values):
    keys, values = np.hstack([keys, key[:, None]]), np.hstack([values, value[:, None]])
    return attnlib.attention(query[None], keys, values)[0], keys, values


NAMED = ((by_hstack, "the wrong axis"),)
