"""Right answers to convolution_weights, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.convolution_weights import EXERCISE, turned
from tests.checks.sweep import spoiled


def shifted_by_loop(n, offsets):
    return [
        [[float(j == i + offset) for j in range(n)] for i in range(n)]
        for offset in offsets.tolist()
    ]


def shifted_by_padding(n, offsets):
    heads = np.zeros((len(offsets), n, n))
    for head, offset in zip(heads, offsets, strict=True):
        for i in range(n):
            if 0 <= i + offset < n:
                head[i, i + offset] = 1
    return heads


def shifted_by_diagonals(n, offsets):
    def diagonal(offset):
        return np.diag(np.ones(n - abs(offset)), offset) if abs(offset) < n else np.zeros((n, n))

    return np.array([diagonal(offset) for offset in offsets])


VARIANTS = (shifted_by_loop, shifted_by_padding, shifted_by_diagonals)


KNOBS = {"compare": (np.greater_equal, np.not_equal)}


def wrong():
    for most in (1, 2, 4):
        yield f"offsets at most {most}", lambda n, o, k=most: turned(n, np.clip(o, -k, k))
    yield (
        "offsets once each",
        lambda n, o: turned(n, o) * ~np.triu(o == o[:, None], 1).any(0)[:, None, None],
    )
    yield "remainder of an offset", lambda n, o: turned(n, np.fmod(o, n))
    yield spoiled(EXERCISE, "wrong where all lead out", lambda n, o: (abs(o) >= n).any())
    yield spoiled(EXERCISE, "wrong where one comes twice", lambda n, o: len({*o}) < len(o))


def clipped(n, offsets):
    heads = np.zeros((len(offsets), n, n))
    for h, offset in enumerate(offsets):
        for i in range(n):
            heads[h, i, min(max(i + offset, 0), n - 1)] = 1
    return heads


NAMED = (
    (lambda n, offsets: np.stack([np.roll(np.eye(n), o, axis=1) for o in offsets]),
     "wrapped at the edge"),
    (clipped, "held at the edge"),
    (lambda n, offsets: np.stack([np.eye(n, k=-o) for o in offsets]), "sign of the offset"),
)  # fmt: skip
