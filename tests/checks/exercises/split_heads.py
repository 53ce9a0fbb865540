"""Right answers to split_heads, wrong ones, and what it promises."""

import numpy as np

from tests.checks.knobs import RIGHT


def split_by_slices(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=-3)


def split_by_fill(x, n_heads):
    d = x.shape[-1] // n_heads
    return np.moveaxis([x[..., h * d : (h + 1) * d] for h in range(n_heads)], 0, -3)


VARIANTS = (split_by_slices, split_by_fill)


def turned(x, n_heads, *, order, flip, moved):
    d_head = x.shape[-1] // n_heads
    parts = (n_heads, d_head) if order == "right" else (d_head, n_heads)
    heads = x.reshape(*x.shape[:-1], *parts)
    heads = heads if order == "right" else heads.swapaxes(-1, -2)
    heads = heads[..., ::-1, :] if flip else heads
    return heads.swapaxes(-3, -2) if moved else heads


KNOBS = {"order": (*RIGHT, "strided"), "flip": (False, True), "moved": (True, False)}


def two_axes(x, n_heads):
    n, d = x.shape
    return x.reshape(n, n_heads, d // n_heads).swapaxes(0, 1)


NAMED = (
    (lambda x, h: x.reshape(h, len(x), -1), "reshape alone"),
    (lambda x, h: x.reshape(len(x), h, -1), "heads not moved to the front"),
    (two_axes, "batch axes forgotten"),
)
