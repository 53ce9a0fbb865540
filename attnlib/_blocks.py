"""What the formula of `attention` leaves out: small memory, and NaN and inf."""

import math

import numpy as np

BLOCK = 2**20  # numbers held at one time: 4 MB of float32, about what a processor keeps close by


def blocks(by_query, by_key, by_pair):
    """Yield the arrays cut alike, halved until a block is small enough.

    They come in three tuples: (..., n_queries, d), (..., n_keys, d) and (..., n_queries, n_keys),
    the last of which may be None. All have the same leading axes, and blocks are views: nothing is
    copied. A block's scores are n_keys wide; the arrays made on the way to them and from them,
    query * scale and weights @ value, are as wide as d_key and d_value. Others are as large as key
    or value, which may be one that a whole batch shares: these too must fit.
    """
    n, n_axes = len(by_query[0]), by_query[0].ndim
    widest = max(by_key[0].shape[-2], *(x.shape[-1] for x in by_key))
    held = math.prod(by_query[0].shape[:-1]) * widest
    if max(held, (n_axes > 2) * max(x.size for x in by_key)) <= BLOCK or (n == 1 and n_axes == 2):
        yield by_query, by_key, by_pair
        return
    for part in (slice(n // 2), slice(n // 2, n)) if n > 1 else (0,):
        # No leading axis left: the queries are cut, and each half sees all keys.
        keys = by_key if n_axes == 2 else tuple(x[part] for x in by_key)
        pairs = tuple(None if x is None else x[part] for x in by_pair)
        yield from blocks(tuple(x[part] for x in by_query), keys, pairs)


def weighted_sum(weights, value, mask):
    """Return weights @ value, in which a hidden value counts for nothing, whatever it holds.

    The weights may be negative, as gradients are.
    """
    finite = np.isfinite(value)
    if finite.all():
        return weights @ value
    output = weights @ np.where(finite, value, 0)  # (..., n_queries, d_value)
    # What that left out, as IEEE arithmetic has it: w * inf is inf, 0 * inf and w * NaN are NaN.
    looks = (weights != 0).any(axis=-1, keepdims=True)  # a row of zeros looks at nothing
    visible = np.broadcast_to(looks if mask is None else looks & mask, weights.shape)
    above, below, plus, minus = weights > 0, weights < 0, value == np.inf, value == -np.inf
    output[above @ plus | below @ minus] += np.inf
    output[above @ minus | below @ plus] -= np.inf
    output[visible @ np.isnan(value)] = np.nan
    output[(visible & (weights == 0)) @ np.isinf(value)] = np.nan
    return output
