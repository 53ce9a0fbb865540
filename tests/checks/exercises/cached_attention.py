"""Right answers to cached_attention, and wrong ones."""

import functools

import numpy as np

import attnlib
from attnlib.checks.exercises.cached_attention import EXERCISE, appended
from tests.checks.exercises import decode_step
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


def by_einsum(query, keys, values, key, value, power=-0.5):
    keys = np.append(keys, np.expand_dims(key, -2), axis=-2)
    values = np.append(values, np.expand_dims(value, -2), axis=-2)
    weights = attnlib.softmax(np.einsum("...d,...nd->...n", query, keys) * query.shape[-1] ** power)
    return np.einsum("...n,...nd->...d", weights, values), keys, values


VARIANTS = (head_by_head, by_einsum)


KNOBS = {
    "weigh": (
        np.exp,
        lambda s: attnlib.softmax(s) * (np.arange(s.shape[-1]) < s.shape[-1] - 1),
        lambda s: attnlib.softmax(s)[..., ::-1],
    ),
    "asks": (lambda query, key: query + key,),
}  # fmt: skip


def of_one_head(divisor):
    """Attention that knows no heads, and divides by something: right for one head, or so wrong."""

    def cached_attention(query, keys, values, key, value):
        keys, values = np.vstack([keys, key]), np.vstack([values, value])
        return attnlib.softmax(keys @ query / divisor(query, keys)) @ values, keys, values

    return cached_attention


NAMED = (
    (functools.partial(by_einsum, power=-1.0), "divided by the width"),
    (of_one_head(lambda q, k: len(q)), "divided by the width"),
    (of_one_head(lambda q, k: np.sqrt(len(k))), "scaled by the number of words"),
)


def wrong():
    answer = EXERCISE.answer

    outputs = {
        f"the last {n} alone": lambda q, ks, vs, *new, n=n: answer(
            q, ks[..., -n:, :], vs[..., -n:, :], *new
        )[0]
        for n in (1, 2, 5)
    }
    outputs["values without the scale"] = lambda *x: answer(*x)[0] * np.sqrt(x[-1].shape[-1])
    for label, output in outputs.items():
        yield label, lambda *x, output=output: (output(*x), *answer(*x)[1:])
    yield spoiled(EXERCISE, "wrong where nothing was kept", lambda q, ks, *_: ks.shape[-2] == 0)
