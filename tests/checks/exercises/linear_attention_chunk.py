"""Right answers to linear_attention_chunk, and wrong ones."""

import numpy as np

from attnlib.checks.exercises import linear_attention_step as step
from attnlib.checks.exercises.linear_attention_chunk import EXERCISE
from tests.checks.sweep import in_halves


def chunked_word_by_word(state, total, query, key, value):
    outputs = []
    for words in zip(query, key, value, strict=True):
        output, state, total = step.EXERCISE.solution(state, total, *words)
        outputs.append(output)
    return np.array(outputs), state, total


def chunked_in_halves(state, total, query, key, value):
    if len(query) == 1:
        return chunked_word_by_word(state, total, query, key, value)
    outputs = []
    for part in (slice(0, len(query) // 2), slice(len(query) // 2, None)):
        words = query[part], key[part], value[part]
        output, state, total = chunked_in_halves(state, total, *words)
        outputs.append(output)
    return np.vstack(outputs), state, total


def chunked_by_mask(state, total, query, key, value):
    weights = query @ key.T * (np.arange(len(key)) <= np.arange(len(query))[:, None])
    both = np.hstack([value, np.ones((len(value), 1))])  # a column of ones adds up the weights
    mixed = query @ np.hstack([state, total[:, None]]) + weights @ both
    grown = np.hstack([state, total[:, None]]) + np.einsum("na,nb->ab", key, both)
    return mixed[:, :-1] / mixed[:, -1:], grown[:, :-1], grown[:, -1]


VARIANTS = (chunked_word_by_word, chunked_in_halves, chunked_by_mask)


KNOBS = {
    "cut": (lambda w: np.exp(np.tril(w) / 10),),
}


def wrong():
    answer = EXERCISE.answer
    for by in (1e-3, 1e-1):

        def slack(state, total, query, key, value, by=by):
            output, new, grown = answer(state, total, query, key, value)
            return output / (1 + by / (query @ grown))[:, None], new, grown

        yield f"{by} added to the divisor", slack
    yield "a state that fades", lambda s, t, q, k, v: answer(0.99 * s, 0.99 * t, q, k, v)
    yield (
        "the chunk in reverse",
        lambda s, t, q, k, v: (
            answer(s, t, q[::-1], k[::-1], v[::-1])[0][::-1],
            *answer(s, t, q, k, v)[1:],
        ),
    )
    yield from in_halves(EXERCISE)


def grown_in_place(state, total, query, key, value):
    output, *_ = EXERCISE.answer(state, total, query, key, value)
    state += key.T @ value
    total += key.sum(axis=0)
    return output, state, total


NAMED = ((grown_in_place, "input changed in place"),)
