"""Right answers to top_k, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.exercises import sample
from attnlib.checks.exercises.top_k import EXERCISE


def by_partition(logits, k, u):
    found = np.full(logits.shape, -np.inf)
    at = np.argpartition(logits, -k, axis=-1)[..., -k:]
    np.put_along_axis(found, at, np.take_along_axis(logits, at, axis=-1), axis=-1)
    return sample.answer(found, u)


def by_chances(logits, k, u):
    weights = attnlib.softmax(logits)
    larger = (logits[..., None, :] > logits[..., :, None]).sum(axis=-1)
    ends = np.where(larger < k, weights, 0).cumsum(axis=-1)
    return (ends <= (u * ends[..., -1])[..., None]).sum(axis=-1)


VARIANTS = (by_partition, by_chances)


KNOBS = {
    "border": (lambda logits, k: np.median(logits, axis=-1, keepdims=True),),
    "find": (lambda ends, u: sample.first_above(ends, u) * 0,),
}


def wrong():
    answer = EXERCISE.answer
    for label, change in {
        "at least 2": lambda k, n: min(max(k, 2), n),
        "at most n - 1": lambda k, n: max(min(k, n - 1), 1),
        "all but k": lambda k, n: max(n - k, 1),
    }.items():
        yield (
            f"k {label}",
            lambda z, k, u, change=change: answer(z, change(k, z.shape[-1]), u),
        )
    yield "as floats", lambda z, k, u: answer(z, k, u).astype(float)
