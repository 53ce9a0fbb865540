"""Right answers to padding_mask, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.padding_mask import EXERCISE, LENGTHS
from tests.checks.promised import inputs_of


def padding_by_loop(lengths, n_keys):
    return [[[j < length for j in range(n_keys)]] for length in lengths.tolist()]


def padding_by_fill(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, :length] = True
    return mask


def padding_by_outer(lengths, n_keys):
    return np.greater.outer(lengths, np.arange(n_keys))[:, None]


def padding_by_sum(lengths, n_keys):
    ones = np.ones((len(lengths), 1, n_keys))
    return np.cumsum(ones, axis=-1) <= np.expand_dims(lengths, (1, 2))


VARIANTS = (padding_by_outer, padding_by_sum, padding_by_loop, padding_by_fill)


def of_lengths(n):
    """What may be done to lengths, where `n` is the name of the largest."""
    return {
        "at least 1": lambda x, n: np.maximum(x, 1),
        f"at most {n} - 1": lambda x, n: np.minimum(x, n - 1),
        f"0 taken for {n}": lambda x, n: np.where(x == 0, n, x),
        f"{n} taken for 0": lambda x, n: np.where(x == n, 0, x),
        "sorted": lambda x, n: np.sort(x),
        "reversed": lambda x, n: x[::-1],
        "all of the first": lambda x, n: np.full_like(x, x[0] if len(x) else 0),
        "all of the longest": lambda x, n: np.full_like(x, x.max(initial=0)),
        f"modulo {n}": lambda x, n: x % n,
        "at most 9": lambda x, n: np.minimum(x, 9),
    }


def wrong():
    changes = of_lengths("n_keys") | {"without repeats": lambda x, n: np.unique(x)}
    for label, change in changes.items():
        yield label, lambda x, n, change=change: EXERCISE.answer(change(x, n), n)
    yield "as wide as the longest", lambda x, n: EXERCISE.answer(x, int(x.max(initial=0)))


def test_lengths_reach_their_ends():
    found = inputs_of(EXERCISE, LENGTHS)
    assert any((x == 0).any() and (x == n).any() for x, n in found)
    assert any((x == 0).all() for x, n in found)
    assert all(x.max(initial=0) <= n for x, n in found)


NAMED = ((lambda x, n: np.arange(n) < x, "no new axis"),)
