"""Right answers to my_name, wrong ones, and what it promises."""

import numpy as np

from attnlib.checks import promises
from tests.checks.knobs import same


def by_loop(x):
    rows = x.reshape(-1, x.shape[-1])
    less = [row - sum(row) / len(row) for row in rows]
    return np.array(less).reshape(x.shape)


def by_product(x):
    d = x.shape[-1]
    return x @ (np.eye(d) - np.full((d, d), 1 / d))


VARIANTS = (by_loop, by_product)  # OPEN: right answers that are written in other ways


def turned(x, *, sign, along, after):
    """Answer as these choices say. OPEN: the choices that a reader makes, one right in each."""
    return after(x + sign * x.mean(axis=along, keepdims=True))


KNOBS = {"sign": (-1, 1, 0), "along": (-1, -2), "after": (same, np.abs)}

PROMISED = {promises.LEADING, promises.EMPTY, promises.SIZES, promises.SAME_SHAPES, promises.SCALE}


def wrong():
    """Give wrong answers that nobody listed as mistakes. OPEN: shortcuts that look right."""
    yield "the first number of each row", lambda x: x - x[..., :1]
    yield "the median", lambda x: x - np.median(x, axis=-1, keepdims=True)
