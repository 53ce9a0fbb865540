"""Right answers to prefix_mask, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.prefix_mask import EXERCISE
from tests.checks.exercises.padding_mask import of_lengths
from tests.checks.sweep import spoiled


def prefix_by_loop(prefix_lengths, lengths, n):
    return [
        [[j < length and (j <= i or j < prefix) for j in range(n)] for i in range(n)]
        for prefix, length in zip(prefix_lengths.tolist(), lengths.tolist(), strict=True)
    ]


def prefix_by_fill(prefix_lengths, lengths, n):
    mask = np.zeros((len(lengths), n, n), dtype=bool)
    mask[:] = np.tri(n, dtype=bool)
    for b, (prefix, length) in enumerate(zip(prefix_lengths, lengths, strict=True)):
        mask[b, :, :prefix] = True
        mask[b, :, length:] = False
    return mask


def prefix_by_reach(prefix_lengths, lengths, n):
    reach = np.maximum(np.arange(1, n + 1), prefix_lengths[:, None])  # (batch, n)
    return np.arange(n) < np.minimum(reach, lengths[:, None])[..., None]


def prefix_by_numbers(prefix_lengths, lengths, n):
    j = np.arange(n)
    first = np.einsum("bk,q->bqk", j < prefix_lengths[:, None], np.ones(n)) + np.tri(n)
    return (first * (j < lengths[:, None])[:, None, :]).astype(bool)


def prefix_by_where(prefix_lengths, lengths, n):
    i, j = np.indices((n, n))
    reach = np.where(i[None] < prefix_lengths[:, None, None], prefix_lengths[:, None, None], i + 1)
    return np.logical_and(j < reach, j < lengths[:, None, None])


VARIANTS = (prefix_by_loop, prefix_by_fill, prefix_by_reach, prefix_by_numbers, prefix_by_where)


KNOBS = {
    "step": (1,),
    "further": (-1,),
    "longer": (-1,),
    "join": (lambda causal, prefix, word: (causal ^ prefix) & word,),
}


HARMLESS = {
    "prefixes at least 1": "every query sees the first key in any case",
}


def wrong():
    answer = EXERCISE.answer
    shortest = {"all of the shortest": lambda x, n: np.full_like(x, x.min(initial=n))}
    for label, change in (of_lengths("n") | shortest).items():
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
    yield spoiled(EXERCISE, "wrong for a length of 0", lambda p, x, n: 0 in x)
    yield spoiled(EXERCISE, "wrong for a length of n", lambda p, x, n: n in x)
    yield spoiled(EXERCISE, "wrong for a prefix of 0", lambda p, x, n: 0 in p)
    yield spoiled(EXERCISE, "wrong for a prefix of 1", lambda p, x, n: 1 in p)
    yield spoiled(EXERCISE, "wrong for a prefix of n", lambda p, x, n: n in p)
    yield spoiled(EXERCISE, "wrong for a prefix beyond n", lambda p, x, n: (p > n).any())
    yield spoiled(EXERCISE, "wrong for a whole sentence as prefix", lambda p, x, n: (p == x).any())
    yield spoiled(EXERCISE, "wrong for a prefix beyond its sentence", lambda p, x, n: (p > x).any())
    yield spoiled(EXERCISE, "wrong for one sentence", lambda p, x, n: len(x) == 1)
    for dtype in (np.int8, np.float32):
        yield f"as {dtype.__name__}", lambda p, x, n, dtype=dtype: answer(p, x, n).astype(dtype)
