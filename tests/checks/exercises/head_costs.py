"""Right answers to head_costs, and wrong ones."""

import numpy as np

from attnlib import encoder
from attnlib.checks.exercises.head_costs import cut, states, vectors


def sentence_by_sentence(x, parameters, n_heads, mask):
    d_head, found = x.shape[-1] // n_heads, []
    for head in range(n_heads):
        far = 0.0
        for words, counts in zip(x, mask, strict=True):
            one, other = (
                encoder.encoder_block(words, p, n_heads, counts)[counts].mean(axis=0)
                for p in (parameters, cut(parameters, head, d_head))
            )
            far += np.sqrt(((one - other) ** 2).sum())
        found.append(far / len(x))
    return found


def all_at_once(x, parameters, n_heads, mask):
    """Remove a head from what is merged: its numbers meet zeros, or are zeros."""
    d_head = x.shape[-1] // n_heads
    off = [cut(parameters, head, d_head) for head in range(n_heads)]
    moved = np.stack([vectors(x, p, n_heads, mask) for p in off])
    return np.linalg.norm(moved - vectors(x, parameters, n_heads, mask), axis=-1).mean(axis=1)


VARIANTS = (sentence_by_sentence, all_at_once)


KNOBS = {
    "without": (
        lambda p, *head: cut(p, *head, lambda h, d_head: slice(0, d_head)),
        lambda p, *head: cut(p, *head, lambda h, d_head: slice(None)),
    ),
    "pool": (lambda *inputs: states(*inputs)[:, -1],),
    "apart": (lambda one, other: np.linalg.norm(one - other, axis=-1).min(),),
}
