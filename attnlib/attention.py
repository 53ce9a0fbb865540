"""Attention: every query looks at every key, and gets a weighted mean of the values.

The formula comes first, in three lines. The public functions below check what comes in and hand
out the output, the weights or the scores. From 256 queries and keys on (`FASTER_FROM`) `_tiles`
does what the formula does, and takes less time for it; a few rows it leaves to the formula. Where
exp2 is fast (`_ways`: from NumPy 2.1, with AVX-512) and a head has at most 128 features, it shares
out what is worth it to at most 8 threads: OMP_NUM_THREADS=1 keeps it to one.
"""

import numpy as np

from attnlib import _tiles
from attnlib._blocks import at, blocks, weighted_sum
from attnlib._inputs import as_attention, as_dtype
from attnlib.softmax import masked_softmax_in_place


@np.errstate(all="ignore")  # where inf meets 0 the answer is NaN, and no warning
def _fill_by_formula(output, inputs, scale):
    """Fill output by the formula, some queries at a time: all scores may need much memory."""
    for place, query, key, value, mask, bias in blocks(*inputs):
        scores = scores_of(query, key, bias, scale)  # (..., n_queries, n_keys)
        weights = masked_softmax_in_place(scores, mask)  # (..., n_queries, n_keys)
        output[place] = weighted_sum(weights, value, mask)  # weights @ value


@np.errstate(all="ignore")  # a hidden key may hold anything: not even a warning may come of it
def scores_of(query, key, bias, scale):
    """Return the scores of inputs that are checked."""
    scores = (query * scale) @ key.swapaxes(-1, -2)  # (..., n_queries, n_keys)
    if bias is not None:
        scores += bias  # in the dtype of the scores
    return scores


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
        What the scores are multiplied by, from 2**-32 to 2**32; 1 / sqrt(d_key) where it is left
        out. It is multiplied into the query, which must not overflow by it.

    Returns
    -------
    np.ndarray, (..., n_queries, d_value)
        In the common dtype of query, key and value (float16 is computed in float32, integers in
        float64).
        A query that may look at nothing, or whose scores are all -inf, gets zeros.
        What a query may not look at cannot influence it, whatever it holds, NaN and inf included.
        A visible value that is not finite reaches its own feature of that query's output alone.
        Memory beyond inputs and output, but for a byte a query, grows with n_keys, not with
        n_queries or leading axes, nor with n_queries * n_keys; only inputs in another dtype than
        the one to compute in are copied whole.

    Raises
    ------
    ValueError, TypeError
        Where shapes disagree, an input is no real array or a masked one (np.ma), the mask is not
        boolean, or the scale is not from 2**-32 to 2**32.

    References
    ----------
    Vaswani et al., "Attention is all you need" (2017), section 3.2.1. In little memory: Rabe &
    Staats, "Self-attention does not need O(n^2) memory" (2021).

    Examples
    --------
    >>> attention([[9.0, 0.0]], [[9.0, 0.0], [0.0, 9.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    array([[1., 2., 3.]])
    """
    *inputs, scale, dtype = as_attention(query, key, value, mask=mask, bias=bias, scale=scale)
    query, key, value, *_ = inputs
    output = np.empty((*query.shape[:-1], value.shape[-1]), dtype)
    if not _tiles.are_faster(query, key):
        _fill_by_formula(output, inputs, scale)
        return output
    # Tiles answer as the formula does, and sooner; some rows of some strips they leave to it.
    for place, for_formula in _tiles.attend(output, *inputs, scale):
        redone = np.empty_like(output[place])  # whole: with fewer rows BLAS may round differently
        _fill_by_formula(redone, at(place, *inputs), scale)
        output[place][for_formula] = redone[for_formula]
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
    query, key, mask, bias, scale, dtype = as_attention(
        query, key, mask=mask, bias=bias, scale=scale
    )
    return as_dtype(masked_softmax_in_place(scores_of(query, key, bias, scale), mask), dtype)


def attention_scores(query, key, *, scale=None):
    """Scores of `attention` before any bias: scaled dot product of every query with every key.

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
    query, key, _, bias, scale, _ = as_attention(query, key, scale=scale)
    return scores_of(query, key, bias, scale)
