"""How do scores become weights? Softmax, and how spread out its weights are."""

import numpy as np

from attnlib._inputs import as_dtype, as_floats, as_integer, as_positive, refuse, require_axes


def softmax(scores, *, axis=-1, temperature=1.0):
    r"""Positive weights that sum to 1 and keep the order of the scores.

    .. math:: w_j = e^{s_j / T} / \sum_k e^{s_k / T}

    Parameters
    ----------
    scores : array_like, (..., n)
    axis : int
        The axis along which the weights sum to 1.
    temperature : float
        T, above 0: small ones sharpen, large ones flatten.

    Returns
    -------
    np.ndarray
        Weights, shaped like scores. Finite scores of any size give finite weights, without a
        warning. A row of all -inf gives zeros: nothing to look at. A NaN or +inf makes its row NaN
        and no other. float16 is computed in float32 and comes back as float16.

    Raises
    ------
    ValueError, TypeError
        Where scores is no real array or has no such axis, or the temperature is not positive.

    References
    ----------
    Blanchard, Higham & Higham, "Accurately computing the log-sum-exp and softmax functions" (2021).

    Examples
    --------
    >>> softmax([0.0, 1.0, 2.0]).round(3)
    array([0.09 , 0.245, 0.665])
    >>> softmax([1000.0, 1001.0, 1002.0]).round(3)
    array([0.09 , 0.245, 0.665])
    """
    (scores,), dtype = as_floats(scores=scores)
    axis = as_axis(axis, scores=scores)
    rows = np.array(np.moveaxis(scores, axis, -1))  # a copy: inputs are never changed
    rows = softmax_in_place(rows, as_positive("temperature", temperature))
    return as_dtype(np.moveaxis(rows, -1, axis), dtype)


@np.errstate(all="ignore")  # what IEEE arithmetic answers is the answer: inf - inf is NaN
def softmax_in_place(rows, temperature=1.0):
    """Softmax along the last axis, written over `rows` (a float array of our own) and returned."""
    if temperature > 1:  # halves of both, or the shift of scores as large as 1e308 overflows
        rows *= 0.5
        temperature *= 0.5
    top = rows.max(axis=-1, keepdims=True, initial=-np.inf)
    rows -= np.where(top == -np.inf, 0, top)  # so exp cannot overflow; -inf - -inf would be NaN
    if temperature != 1.0:
        # After the shift, or large scores overflow; in float64, or float32 makes 1e-300 a 0.
        rows /= np.float64(temperature)
    np.exp(rows, out=rows)
    total = rows.sum(axis=-1, keepdims=True)
    rows /= np.where(total == 0, 1, total)  # a row of all -inf stays zeros
    return rows


def masked_softmax_in_place(scores, mask):
    """Softmax over what mask shows (all where it is None), written over `scores` and returned."""
    if mask is None:
        return softmax_in_place(scores)
    hidden = ~mask
    np.copyto(scores, -np.inf, where=hidden)  # after the bias: a hidden bias may be NaN
    weights = softmax_in_place(scores)
    np.copyto(weights, 0, where=hidden)  # a visible NaN has spread over its whole row
    return weights


@np.errstate(all="ignore")  # what is too large is no sum of 1, and is told as that
def entropy(weights, *, axis=-1):
    r"""How spread out weights are, in nats: 0 for one word alone, log(n) for n words alike.

    .. math:: H = -\sum_j w_j \log w_j, \quad 0 \log 0 = 0

    Parameters
    ----------
    weights : array_like, (..., n)
        Not negative, summing to 1 along `axis`, or all zero there (entropy 0).
    axis : int

    Returns
    -------
    np.ndarray
        Shaped like weights without `axis`, and never below 0, also where rounded weights sum to a
        little more than 1. A NaN makes its row NaN and no other.

    Raises
    ------
    ValueError, TypeError
        Where weights is no real array, has no such axis, is negative somewhere, or sums to
        something else than 1 or 0: these may be scores that have not been through softmax.

    References
    ----------
    Shannon, "A mathematical theory of communication" (1948), section 6.

    Examples
    --------
    >>> entropy([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]).round(3)
    array([0.693, 0.   ])
    """
    (weights,), dtype = as_floats(weights=weights)
    rows = np.moveaxis(weights, as_axis(axis, weights=weights), -1)
    least = np.nanmin(rows, initial=0)  # a NaN in one row hides no negative in another
    if least < 0:
        rule = "weights must not be negative (are these scores, before softmax?)"
        refuse(rule, f"its least entry is {least:.6g} < 0", weights=weights)
    total = rows.sum(axis=-1)
    # Rows of n float16 weights miss 1 by up to 1e-3, and by 2**-25 for each that is tiny.
    slack = 1e-2 + rows.shape[-1] * 2.0**-25 * (dtype == np.float16)
    wrong = (np.abs(total - 1) > slack) & (total != 0)
    if wrong.any():
        rule = "weights must sum to 1, or to 0 (are these scores, before softmax?)"
        refuse(rule, f"a sum along axis {axis} is {total[wrong].flat[0]:.6g}", weights=weights)
    logs = np.log(np.where(rows == 0, 1, rows))
    entropies = 0 - (rows * logs).sum(axis=-1)  # 0 - x: never prints -0.0
    return as_dtype(np.maximum(entropies, 0), dtype)  # a weight above 1 would count below 0


def as_axis(axis, **array):
    """Return axis as an int that the one array has."""
    ((name, x),) = array.items()
    require_axes("n", **array)
    axis = as_integer("axis", axis)
    if not -x.ndim <= axis < x.ndim:
        clash = f"{axis} is not between {-x.ndim} and {x.ndim - 1}"
        refuse(f"axis must be one of the axes of {name}", clash, axis=axis, **array)
    return axis
