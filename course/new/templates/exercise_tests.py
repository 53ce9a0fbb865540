"""Right answers to my_name, and wrong ones."""

import numpy as np


def by_loop(x):
    rows = x.reshape(-1, x.shape[-1])
    less = [row - sum(row) / len(row) for row in rows]
    return np.array(less).reshape(x.shape)


def by_product(x):
    d = x.shape[-1]
    return x @ (np.eye(d) - np.full((d, d), 1 / d))


VARIANTS = (by_loop, by_product)  # OPEN: right answers that are written in other ways

KNOBS = {"sign": (0,), "after": (np.abs,)}  # OPEN: wrong settings that no mistake is made for


def wrong():
    """Give wrong answers that nobody listed as mistakes. OPEN: shortcuts that look right."""
    yield "the first number of each row", lambda x: x - x[..., :1]
    yield "the median", lambda x: x - np.median(x, axis=-1, keepdims=True)
