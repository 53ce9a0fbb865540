"""The way back: how fast a loss grows with each score, query, key and value.

A gradient has the shape of what it belongs to. The loss's gradient comes in at the output and goes
back through the formula of `attention`, its last line first.
"""

import numpy as np

from attnlib import _tiles
from attnlib._blocks import at, blocks, weighted_sum
from attnlib._inputs import as_attention, as_dtype, as_floats, as_real, require_equal
from attnlib.attention import scores_of
from attnlib.softmax import as_axis, masked_softmax_in_place


@np.errstate(all="ignore")
def _through_softmax(grad_weights, weights):
    hidden = weights == 0  # and has no gradient, whatever is there
    grad = np.where(hidden, 0, grad_weights)
    grad -= (weights * grad).sum(axis=-1, keepdims=True)
    return np.where(hidden, 0, weights * grad)


@np.errstate(all="ignore")  # as in attention
def _add_by_formula(grad_query, grad_key, grad_value, grad_output, inputs, scale):
    """Add to the first three by the formula, as many queries at a time as in attention."""
    for place, query, key, value, mask, bias in blocks(*inputs):
        heads, grad = place[:-1], grad_output[place]
        weights = masked_softmax_in_place(scores_of(query, key, bias, scale), mask)
        seen_by = None if mask is None else mask.swapaxes(-1, -2)  # (..., n_keys, n_queries)
        grad_weights = grad @ value.swapaxes(-1, -2)  # output = weights @ value
        grad_value[heads] += weighted_sum(weights.swapaxes(-1, -2), grad, seen_by, keys=-2)
        grad_products = _through_softmax(grad_weights, weights) * scale  # of query @ key.T
        grad_query[place] += weighted_sum(grad_products, key, mask)
        grad_key[heads] += weighted_sum(grad_products.swapaxes(-1, -2), query, seen_by, keys=-2)


def softmax_backward(grad_weights, weights, *, axis=-1):
    r"""Gradient of a loss with respect to scores, from its gradient with respect to their softmax.

    .. math:: g^{score}_j = w_j \Big(g_j - \sum_k w_k g_k\Big)

    Parameters
    ----------
    grad_weights : array_like, (..., n)
        How fast the loss grows with each weight.
    weights : array_like, (..., n)
        What `attnlib.softmax` returned.
    axis : int
        The axis along which the weights sum to 1.

    Returns
    -------
    np.ndarray
        grad_scores, shaped like weights; it sums to 0 along the axis. Where a weight is 0, it is 0,
        whatever grad_weights holds there. At a temperature T, divide it by T.

    Raises
    ------
    ValueError, TypeError
        Where shapes differ, an input is no real array or has no such axis.

    References
    ----------
    Goodfellow, Bengio & Courville, "Deep learning" (2016), section 6.2.2.3.

    Examples
    --------
    >>> softmax_backward([1.0, 0.0], [0.25, 0.75])
    array([ 0.1875, -0.1875])
    """
    (grad_weights, weights), dtype = as_floats(grad_weights=grad_weights, weights=weights)
    rule, came_in = "grad_weights must have the shape of weights", {"grad_weights": grad_weights}
    require_equal(rule, grad_weights.shape, weights.shape, **came_in, weights=weights)
    axis = as_axis(axis, weights=weights)
    moved = (np.moveaxis(x, axis, -1) for x in (grad_weights, weights))
    return as_dtype(np.moveaxis(_through_softmax(*moved), -1, axis), dtype)


def attention_backward(grad_output, query, key, value, *, mask=None, bias=None, scale=None):
    """Gradients of a loss with respect to query, key and value, from its gradient at the output.

    Parameters
    ----------
    grad_output : array_like, (..., n_queries, d_value)
        How fast the loss grows with each number that `attention` returns for the same inputs.
    query, key, value, mask, bias, scale
        As for `attention`.

    Returns
    -------
    grad_query, grad_key, grad_value : np.ndarray
        Each shaped like its input: where leading axes of an input were broadcast, the gradients of
        all that it took part in are summed. In the dtype that `attention` answers in.
        What no query may look at has gradient 0, whatever it holds, and so has a query that may
        look at nothing. Memory beyond inputs and gradients, but for a byte a query, grows with
        n_keys, not with n_queries. But what comes in another dtype than the one to compute in is
        copied whole, gradients in float16 are made whole in float32, and the gradient of an input
        that is broadcast is made whole before it is summed.

    Raises
    ------
    ValueError, TypeError
        As for `attention`, and where grad_output has not the shape of the output.

    References
    ----------
    Dao et al., "FlashAttention" (2022), appendix B.2, where the same formulas are derived.

    Examples
    --------
    >>> query, key, value = [[0.0]], [[1.0], [2.0]], [[3.0], [5.0]]
    >>> grad_query, grad_key, grad_value = attention_backward([[1.0]], query, key, value)
    >>> grad_query, grad_key.ravel(), grad_value.ravel()
    (array([[0.5]]), array([0., 0.]), array([0.5, 0.5]))
    """
    given = query, key, value
    *inputs, scale, dtype = as_attention(*given, mask=mask, bias=bias, scale=scale)
    query, key, value, *_ = inputs
    grad_output = as_dtype(as_real("grad_output", grad_output), query.dtype)
    expected = (*query.shape[:-1], value.shape[-1])
    rule, came_in = "grad_output must have the shape of the output", {"grad_output": grad_output}
    require_equal(rule, grad_output.shape, expected, **came_in)
    grads = [np.zeros(x.shape, x.dtype) for x in inputs[:3]]
    grad_query, *of_keys = grads
    if not _tiles.are_faster(query, key):
        _add_by_formula(*grads, grad_output, inputs, scale)
    else:
        for place, for_formula in _tiles.add_gradients(*grads, grad_output, *inputs, scale):
            redone, grad_of_rest = np.zeros_like(grad_query[place]), grad_output[place].copy()
            grad_of_rest[~for_formula] = 0  # whole, as in attention; but others add nothing to keys
            to_keys = [grad[place[:-1]] for grad in of_keys]
            _add_by_formula(redone, *to_keys, grad_of_rest, at(place, *inputs), scale)
            grad_query[place][for_formula] = redone[for_formula]
    summed = (_summed_to(np.shape(x), grad) for x, grad in zip(given, grads, strict=True))
    return tuple(as_dtype(grad, dtype) for grad in summed)


def _summed_to(shape, grad):
    """Sum over the axes along which an input of this shape was broadcast."""
    n_new = grad.ndim - len(shape)
    stretched = (n_new + i for i, n in enumerate(shape) if n == 1 != grad.shape[n_new + i])
    axes = (*range(n_new), *stretched)
    return grad.sum(axis=axes).reshape(shape) if axes else grad
