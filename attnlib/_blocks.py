"""What the formula of `attention` leaves out: small memory, extreme scales, and NaN and inf."""

import math

import numpy as np

BLOCK = 2**20  # numbers held at one time: 4 MB of float32, about what a processor keeps close by


def blocks(output, query, key, value, mask, bias):
    """Yield the arrays cut alike, halved until a block is small enough.

    All have the same leading axes (mask and bias may be None), and blocks are views: nothing is
    copied. A block's scores are n_keys wide; the arrays made on the way to them and from them,
    query * scale and weights @ value, are as wide as d_key and d_value. Others are as large as key
    or value, which may be one that a whole batch shares: these too must fit.
    """
    n, widest = len(output), max(*key.shape[-2:], value.shape[-1])
    held = max(math.prod(output.shape[:-1]) * widest, (output.ndim > 2) * max(key.size, value.size))
    if held <= BLOCK or (n == 1 and output.ndim == 2):
        yield output, query, key, value, mask, bias
        return
    for part in (slice(n // 2), slice(n // 2, n)) if n > 1 else (0,):
        # No leading axis left: the queries are cut, and each half sees all keys.
        keys = (key, value) if output.ndim == 2 else (key[part], value[part])
        options = (None if x is None else x[part] for x in (mask, bias))
        yield from blocks(output[part], query[part], *keys, *options)


def extreme_scores(query, key, scale):
    """Return query @ key.T * scale, also where query * scale would overflow or vanish."""
    (rows, a), (columns, b), (scale, c) = _mantissas(query), _mantissas(key), math.frexp(scale)
    scores = scale * (rows @ columns.swapaxes(-1, -2))  # (..., n_queries, n_keys)
    return np.ldexp(scores, a + b.swapaxes(-1, -2) + c).astype(query.dtype)


def _mantissas(x):
    """Return rows of x in float64, made shorter than 1, and by which power of two, (..., n, 1)."""
    x = x.astype(np.float64)
    power = np.frexp(np.abs(x).max(axis=-1, keepdims=True, initial=0, where=np.isfinite(x)))[1]
    return np.ldexp(x, -power), power


def weighted_sum(weights, value, mask):
    """Return weights @ value, in which a hidden value counts for nothing, whatever it holds."""
    output = weights @ np.where(np.isfinite(value), value, 0)  # (..., n_queries, d_value)
    # What that left out, as IEEE arithmetic has it: w * inf is inf, 0 * inf and w * NaN are NaN.
    looks = (weights != 0).any(axis=-1, keepdims=True)  # a row of zeros looks at nothing
    visible = np.broadcast_to(looks if mask is None else looks & mask, weights.shape)
    output[(weights > 0) @ (value == np.inf)] += np.inf
    output[(weights > 0) @ (value == -np.inf)] -= np.inf
    output[visible @ np.isnan(value)] = np.nan
    output[(visible & (weights == 0)) @ np.isinf(value)] = np.nan
    return output
