"""Right answers to mean_pool, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.mean_pool import EXERCISE


def by_weights(states, mask):
    weights = mask / mask.sum(axis=-1, keepdims=True)
    return (weights[..., None, :] @ states)[..., 0, :]


def by_einsum(states, mask):
    total = np.einsum("...nd,...n->...d", states, mask)
    return total / np.count_nonzero(mask, axis=-1)[..., None]


VARIANTS = (by_weights, by_einsum)


KNOBS = {
    "chosen": (lambda m: m[..., ::-1],),
    "count": (lambda m: m.shape[-1] + 1,),
}


def wrong():
    answer = EXERCISE.answer

    def few(mask):
        return (mask.sum(axis=-1) == 1).any()

    yield "one word that counts is not enough", lambda s, m: answer(s, m) * (0 if few(m) else 1)
    yield "the last word never counts", lambda s, m: answer(s, but_last(m))
    yield "the first word never counts", lambda s, m: answer(s, but_last(m[..., ::-1])[..., ::-1])


def but_last(mask):
    return mask & (
        (np.arange(mask.shape[-1]) < mask.shape[-1] - 1) | (mask.sum(axis=-1) == 1)[..., None]
    )
