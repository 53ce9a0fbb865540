"""Right answers to linear_attention_step, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.linear_attention_step import EXERCISE, turned
from tests.checks.knobs import set_to
from tests.checks.sweep import in_halves


def stepped_by_loop(state, total, query, key, value):
    state, total = state.copy(), total.copy()
    for a in range(len(key)):
        total[a] += key[a]
        for b in range(len(value)):
            state[a, b] += key[a] * value[b]
    given = sum(query[a] * total[a] for a in range(len(key)))
    mixed = [sum(query[a] * state[a, b] for a in range(len(key))) for b in range(len(value))]
    return np.array(mixed) / given, state, total


def stepped_by_einsum(state, total, query, key, value):
    state, total = state + np.einsum("a,b->ab", key, value), total + key
    mixed = np.einsum("a,ab->b", query, state)
    return mixed / np.einsum("a,a->", query, total), state, total


def stepped_with_a_column_of_ones(state, total, query, key, value):
    both = np.hstack([state, total[:, None]]) + np.outer(key, [*value, 1])
    mixed = query @ both
    return mixed[:-1] / mixed[-1], both[:, :-1], both[:, -1]


VARIANTS = (stepped_by_loop, stepped_by_einsum, stepped_with_a_column_of_ones)


KNOBS = {
    "asks": (lambda query, key: query**2,),
    "asked": (lambda old, new: new - old,),
}


def wrong():
    answer = EXERCISE.answer

    for by in (1e-3, 1e-1):
        share = {"share": lambda query, old, new, by=by: query @ new + by}
        yield f"{by} added to the divisor", set_to(turned, share)
    yield (
        "the total of all features",
        lambda s, t, q, k, v: (*answer(s, t, q, k, v)[:2], np.full_like(t, (t + k).mean())),
    )
    yield "keys made 1 long", lambda s, t, q, k, v: answer(s, t, q, k / np.linalg.norm(k), v)
    yield "a state that fades", lambda s, t, q, k, v: answer(0.99 * s, 0.99 * t, q, k, v)
    yield from in_halves(EXERCISE)


def by_outer_in_place(state, total, query, key, value):
    state += np.outer(key, value)
    total += key
    return query @ state / (query @ total), state, total


NAMED = (
    (by_outer_in_place, "input changed in place"),
    (
        lambda s, t, q, k, v: (q @ s / (q @ t), s + np.outer(k, v), t + k),
        "output before the update",
    ),
)
