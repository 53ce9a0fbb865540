"""What the formula of `attention` leaves out: small memory, and NaN and inf."""

import math

import numpy as np

BLOCK = 2**20  # numbers in one array: 4 MB of float32, about what a processor keeps close by


def blocks(query, key, value, mask, bias):
    """Yield places in query that are small enough to be computed at once, and what is `at` each.

    All arrays have the same leading axes. Each query has n_keys scores, d_key numbers of
    query * scale, on the way to them, and d_value of weights @ value, on the way from them. Other
    arrays are as large as key or value, which may be one that a whole batch shares: where there are
    several heads, these too must fit.
    """
    counts, n_keys, d = query.shape[:-1], key.shape[-2], max(key.shape[-1], value.shape[-1])
    of_head = max(counts[-1] * max(n_keys, d), n_keys * d)
    axis, n_held = len(counts) - 1, max(n_keys, d)  # queries are cut: so much for one of them
    while axis and (n_of_one := math.prod(counts[axis:-1]) * of_head) <= BLOCK:
        axis, n_held = axis - 1, n_of_one  # one of the axis before fits whole: step back to that
    step = max(BLOCK // max(n_held, 1), 1)
    for one in np.ndindex(counts[:axis]):
        for start in range(0, counts[axis], step):
            place = (*one, slice(start, start + step), *[slice(None)] * (len(counts) - 1 - axis))
            yield place, *at(place, query, key, value, mask, bias)


def at(place, query, key, value, mask, bias):
    """Return views of a place's queries, and of all that these meet; None stays None.

    A place has the heads, and last which of their queries: each of these meets all keys.
    """
    pairs = (None if x is None else x[place] for x in (mask, bias))
    return query[place], key[place[:-1]], value[place[:-1]], *pairs


def weighted_sum(weights, value, mask, keys=-1):
    """Return weights @ value, in which a hidden value counts for nothing, whatever it holds.

    The weights may be negative, as gradients are. Along their axis `keys` stand the weights of one
    query: where these are all 0, it looks at nothing. On the way back, where a key sums over
    queries, it adds nothing.
    """
    finite = np.isfinite(value)
    if finite.all():
        return weights @ value
    output = weights @ np.where(finite, value, 0)  # (..., n_queries, d_value)
    # What that left out, as IEEE arithmetic has it: w * inf is inf, 0 * inf and w * NaN are NaN.
    looks = (weights != 0).any(axis=keys, keepdims=True)
    visible = np.broadcast_to(looks if mask is None else looks & mask, weights.shape)
    above, below, plus, minus = weights > 0, weights < 0, value == np.inf, value == -np.inf
    output[above @ plus | below @ minus] += np.inf
    output[above @ minus | below @ plus] -= np.inf
    output[visible @ np.isnan(value)] = np.nan
    output[(visible & (weights == 0)) @ np.isinf(value)] = np.nan
    return output
