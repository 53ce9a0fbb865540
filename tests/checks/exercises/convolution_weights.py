"""Right answers to convolution_weights, wrong ones, and what it promises."""

import numpy as np

from attnlib.checks.exercises.convolution_weights import EXERCISE, steps
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


def turned(n, offsets, *, sign, compare, share, turn):
    weights = compare(steps(n), sign * offsets[:, None, None]) * 1.0
    return turn(weights / share(offsets))


KNOBS = {
    "sign": (1, -1),
    "compare": (np.equal, np.less_equal, np.greater_equal, np.not_equal),
    "share": (lambda offsets: 1, len),
    "turn": (lambda w: w, lambda w: w.sum(axis=0), lambda w: np.moveaxis(w, 0, -1)),
}


def wrong():
    answer = EXERCISE.answer
    for most in (1, 2, 4):
        yield (
            f"offsets at most {most}",
            lambda n, o, most=most: answer(n, np.clip(o, -most, most)),
        )
    yield "offsets one further", lambda n, o: answer(n, o + 1)
    yield (
        "offsets once each",
        lambda n, o: answer(n, o) * ~np.triu(o == o[:, None], 1).any(0)[:, None, None],
    )
    yield "size of an offset", lambda n, o: answer(n, np.abs(o))
    yield "remainder of an offset", lambda n, o: answer(n, np.fmod(o, n))
    yield spoiled(EXERCISE, "wrong where all lead out", lambda n, o: (abs(o) >= n).any())
    yield spoiled(EXERCISE, "wrong where one comes twice", lambda n, o: len({*o}) < len(o))


def rolled(n, offsets):
    return np.stack([np.roll(np.eye(n), offset, axis=1) for offset in offsets])


def clipped(n, offsets):
    heads = np.zeros((len(offsets), n, n))
    for h, offset in enumerate(offsets):
        for i in range(n):
            heads[h, i, min(max(i + offset, 0), n - 1)] = 1
    return heads


NAMED = (
    (rolled, "wrapped at the edge"),
    (clipped, "held at the edge"),
    (lambda n, offsets: np.stack([np.eye(n, k=-o) for o in offsets]), "sign of the offset"),
)
