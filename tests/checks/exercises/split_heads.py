"""Right answers to split_heads, and wrong ones."""

import numpy as np


def split_by_slices(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=-3)


def split_by_fill(x, n_heads):
    d = x.shape[-1] // n_heads
    return np.moveaxis([x[..., h * d : (h + 1) * d] for h in range(n_heads)], 0, -3)


VARIANTS = (split_by_slices, split_by_fill)


def two_axes(x, n_heads):
    n, d = x.shape
    return x.reshape(n, n_heads, d // n_heads).swapaxes(0, 1)


NAMED = (
    (lambda x, h: x.reshape(h, len(x), -1), "reshape alone"),
    (lambda x, h: x.reshape(len(x), h, -1), "heads not moved to the front"),
    (two_axes, "batch axes forgotten"),
)
