"""Right answers to decode_step, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.exercises.decode_step import EXERCISE, appended
from tests.checks.by_hand import loops
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


KNOBS = {
    "weigh": (
        np.exp,
        lambda s: attnlib.softmax(s) * (np.arange(s.shape[-1]) < s.shape[-1] - 1),
        lambda s: attnlib.softmax(s)[..., ::-1],
    ),
    "asks": (lambda query, key: query + key,),
    "order": (lambda k, v, ks, vs: (np.vstack([ks, k]), np.vstack([v, vs])),),
}  # fmt: skip


def copied_row(query, key, value, keys, values):
    output, _, after = EXERCISE.answer(query, key, value, keys, values)
    return output, np.vstack([keys, [*keys, key][max(len(keys) - 1, 0)]]), after


def wrong():
    answer = EXERCISE.answer

    outputs = {
        f"the last {n} alone": lambda *x, n=n: answer(*x[:3], *(kept[-n:] for kept in x[3:]))[0]
        for n in (1, 2, 5)
    }
    outputs["values without the scale"] = lambda *x: answer(*x)[0] * np.sqrt(len(x[2]))
    for label, output in outputs.items():
        yield label, lambda *x, output=output: (output(*x), *answer(*x)[1:])
    yield "a copy of the last row", copied_row
    yield spoiled(EXERCISE, "wrong where nothing was kept", lambda q, k, v, ks, vs: len(ks) == 0)


def by_hstack(query, key, value, keys, values):
    keys, values = np.hstack([keys, key[:, None]]), np.hstack([values, value[:, None]])
    return attnlib.attention(query[None], keys, values)[0], keys, values


NAMED = ((by_hstack, "the wrong axis"),)
