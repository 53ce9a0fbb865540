"""Attention: every query looks at every key, and takes home a weighted mean of the values."""

import math

import numpy as np

from attnlib._inputs import (
    as_floats,
    as_mask,
    as_positive,
    as_real,
    as_result,
    broadcast_array,
    broadcast_leading,
    require_axes,
    require_equal,
)
from attnlib.softmax import softmax_in_place

BLOCK = 2**20  # scores held at one time: 4 MB of float32, about what a processor keeps close by


def attention(query, key, value, *, mask=None, bias=None, scale=None):
    r"""Scaled dot-product attention.

    .. math:: \text{softmax}(Q K^T / \sqrt{d_{key}} + \text{bias}) V

    Parameters
    ----------
    query : array_like, (..., n_queries, d_key)
    key : array_like, (..., n_keys, d_key)
    value : array_like, (..., n_keys, d_value)
    mask : array_like of bool, broadcastable to (..., n_queries, n_keys), optional
        True means "may look".
    bias : array_like of float, broadcastable to (..., n_queries, n_keys), optional
        Added to the scaled scores, in their dtype.
    scale : float, optional
        What the scores are multiplied by; 1 / sqrt(d_key) where it is left out.

    Returns
    -------
    np.ndarray, (..., n_queries, d_value)
        In the common dtype of query, key and value (float16 is computed in float32, integers in
        float64).
        A query that may look at nothing, or whose scores are all -inf, gets zeros.
        What a query may not look at cannot influence it, whatever it holds, NaN and inf included.
        A visible value that is not finite reaches its own feature of that query's output alone.
        Memory beyond inputs and output grows with n_keys, not with n_queries * n_keys.

    Raises
    ------
    ValueError, TypeError
        Where shapes disagree, an input is no real array, the mask is not boolean, or the scale is
        not positive.

    References
    ----------
    Vaswani et al., "Attention is all you need" (2017), section 3.2.1. In little memory: Rabe &
    Staats, "Self-attention does not need O(n^2) memory" (2021).

    Examples
    --------
    >>> attention([[9.0, 0.0]], [[9.0, 0.0], [0.0, 9.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    array([[1., 2., 3.]])
    """
    (query, key, value), dtype = as_floats(query=query, key=key, value=value)
    query = _scaled(query, key, scale)
    require_axes("n_keys, d_value", value=value)
    rule = "key and value must share n_keys, their second-last axis"
    require_equal(rule, key.shape[-2], value.shape[-2], key=key, value=value)
    leading = broadcast_leading(2, query=query, key=key, value=value)
    mask, bias = _as_scores(leading, query, key, mask, bias)
    query, key, value = (np.broadcast_to(x, leading + x.shape[-2:]) for x in (query, key, value))
    output = np.empty((*leading, query.shape[-2], value.shape[-1]), dtype)
    _fill(output, query, mask, bias, key, value)
    return output


def attention_weights(query, key, *, mask=None, bias=None, scale=None):
    """Weights of `attention`: how much each query looks at each key.

    Parameters
    ----------
    query, key, mask, bias, scale
        As for `attention`.

    Returns
    -------
    np.ndarray, (..., n_queries, n_keys)
        Rows sum to 1, or are all zero for a query that may look at nothing. A visible score of NaN
        or +inf makes that query's visible weights NaN.

    Raises
    ------
    ValueError, TypeError
        As for `attention`.

    Examples
    --------
    >>> attention_weights([[0.0, 1.0]], [[5.0, 0.0], [0.0, 0.0]])
    array([[0.5, 0.5]])
    """
    (query, key), dtype = as_floats(query=query, key=key)
    query = _scaled(query, key, scale)
    mask, bias = _as_scores(broadcast_leading(2, query=query, key=key), query, key, mask, bias)
    return as_result(_weigh(_dot(query, key), mask, bias), dtype)


def attention_scores(query, key, *, scale=None):
    """Scores of `attention`: scaled dot product of every query with every key.

    Parameters
    ----------
    query, key, scale
        As for `attention`.

    Returns
    -------
    np.ndarray, (..., n_queries, n_keys)
        Scores of float16 inputs are float32: they overflow otherwise.

    Raises
    ------
    ValueError, TypeError
        As for `attention`.

    Examples
    --------
    >>> attention_scores([[1.0, 2.0, 3.0, 4.0]], [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 2.0]])
    array([[5., 4.]])
    """
    (query, key), _ = as_floats(query=query, key=key)
    query = _scaled(query, key, scale)
    broadcast_leading(2, query=query, key=key)
    return _dot(query, key)


def _scaled(query, key, scale):
    """Check query against key, and return query * scale: cheaper than to scale every score."""
    require_axes("n_queries, d_key", query=query)
    require_axes("n_keys, d_key", key=key)
    d_key = query.shape[-1]
    rule = "query and key must share d_key, their last axis"
    require_equal(rule, d_key, key.shape[-1], query=query, key=key)
    scale = 1 / math.sqrt(max(d_key, 1)) if scale is None else as_positive("scale", scale)
    with np.errstate(all="ignore"):
        return query * scale


def _as_scores(leading, query, key, mask, bias):
    """Return views of mask and bias that have the shape of the scores; None stays None."""
    shape = (*leading, query.shape[-2], key.shape[-2])
    scores = ("the scores", "(..., n_queries, n_keys)", shape)
    mask = broadcast_array("mask", as_mask(mask), *scores)
    bias = None if bias is None else as_real("bias", bias)
    return mask, broadcast_array("bias", bias, *scores)


@np.errstate(all="ignore")  # a hidden key may hold anything: not even a warning may come of it
def _dot(query, key):
    return query @ key.swapaxes(-1, -2)  # (..., n_queries, n_keys)


@np.errstate(all="ignore")
def _weigh(scores, mask, bias):
    """Turn scores (an array of our own) into weights, in place."""
    if bias is not None:
        scores += bias
    if mask is None:
        return softmax_in_place(scores)
    np.copyto(scores, -np.inf, where=~mask)  # after the bias: a hidden bias may be NaN
    weights = softmax_in_place(scores)
    np.copyto(weights, 0, where=~mask)  # a visible NaN has spread over its whole row
    return weights


def _fill(output, query, mask, bias, key, value):
    """Compute attention into output, halving the problem until its scores fit into a block.

    All arrays have the same leading axes, and all halves are views: nothing is copied.
    """
    n = len(output)
    n_scores = math.prod(output.shape[:-1]) * key.shape[-2]
    if n_scores <= BLOCK or (n == 1 and output.ndim == 2):
        weights = _weigh(_dot(query, key), mask, bias)
        output[...] = as_result(_mix(weights, value, mask), output.dtype)
        return
    for part in (slice(n // 2), slice(n // 2, n)) if n > 1 else (0,):
        rows = (None if x is None else x[part] for x in (query, mask, bias))
        # No leading axis left: the queries are cut, and each half sees all keys.
        keys = (key, value) if output.ndim == 2 else (key[part], value[part])
        _fill(output[part], *rows, *keys)


@np.errstate(all="ignore")
def _mix(weights, value, mask):
    """Return weights @ value, in which a hidden value counts for nothing, whatever it holds."""
    finite = np.isfinite(value)
    if finite.all():
        return weights @ value  # (..., n_queries, d_value)
    output = weights @ np.where(finite, value, 0)
    # What that left out, as IEEE arithmetic has it: w * inf is inf, 0 * inf and w * NaN are NaN.
    looks = (weights != 0).any(axis=-1, keepdims=True)  # a row of zeros looks at nothing
    visible = np.broadcast_to(looks if mask is None else looks & mask, weights.shape)
    output[(weights > 0) @ (value == np.inf)] += np.inf
    output[(weights > 0) @ (value == -np.inf)] -= np.inf
    output[visible @ np.isnan(value)] = np.nan
    output[(visible & (weights == 0)) @ np.isinf(value)] = np.nan
    return output
