"""When are two vectors alike? The cosine of their angle, and the shadow of one along the other."""

import numpy as np

from attnlib._inputs import (
    as_dtype,
    as_floats,
    broadcast_leading,
    refuse,
    require_axes,
    require_equal,
)


@np.errstate(all="ignore")  # a vector that is not finite has no direction: inf / inf is NaN
def cosine_similarity(x, y=None):
    """Cosine of the angle between every row of x and every row of y.

    Parameters
    ----------
    x : array_like, (..., n, d)
    y : array_like, (..., m, d), optional
        x itself where it is left out.

    Returns
    -------
    np.ndarray, (..., n, m)
        Between -1 and 1, in the inputs' dtype. A zero vector has similarity 0 to every finite one.
        A row that holds NaN or inf has no direction: it is NaN to all rows, and they are as they
        were to each other. No vector is too long or too short: the squares cannot overflow or
        vanish.

    Raises
    ------
    ValueError, TypeError
        Where rows differ in length, leading axes do not broadcast, or an input is no real array.

    References
    ----------
    Salton, Wong & Yang, "A vector space model for automatic indexing" (1975).

    Examples
    --------
    >>> cosine_similarity([[3.0, 4.0], [4.0, 3.0], [0.0, 0.0]]).round(2)
    array([[1.  , 0.96, 0.  ],
           [0.96, 1.  , 0.  ],
           [0.  , 0.  , 0.  ]])
    """
    (x, y), dtype = as_floats(x=x, y=x if y is None else y)
    require_axes("n, d", x=x)
    require_axes("m, d", y=y)
    require_equal("x and y must share d, their last axis", x.shape[-1], y.shape[-1], x=x, y=y)
    broadcast_leading(2, x=x, y=y)
    cosines = _directions(x) @ _directions(y).swapaxes(-1, -2)  # (..., n, m)
    return as_dtype(np.clip(cosines, -1, 1), dtype)


@np.errstate(all="ignore")
def projection(x, onto):
    """Component of x along `onto`: the shadow that x casts on its line, as a vector.

    Parameters
    ----------
    x, onto : array_like, (..., d)
        Leading axes broadcast. Of `onto` only the direction matters.

    Returns
    -------
    np.ndarray, (..., d)
        A multiple of `onto`; what is left of x, ``x - projection(x, onto)``, is at right angles.
        No vector is too long: where the result can be held, nothing on the way to it overflows.

    Raises
    ------
    ValueError, TypeError
        Where the vectors differ in length, leading axes do not broadcast, an input is no real
        array, or `onto` is zero: a zero vector has no direction.

    References
    ----------
    Strang, "Introduction to Linear Algebra", chapter 4, "Projections".

    Examples
    --------
    >>> projection([3.0, 4.0], onto=[10.0, 0.0])
    array([3., 0.])
    """
    (x, onto), dtype = as_floats(x=x, onto=onto)
    require_axes("d", x=x)
    require_axes("d", onto=onto)
    rule = "x and onto must share d, their last axis"
    require_equal(rule, x.shape[-1], onto.shape[-1], x=x, onto=onto)
    broadcast_leading(1, x=x, onto=onto)
    if not onto.any(axis=-1).all():
        rule = "projection needs a direction, and a zero vector has none"
        refuse(rule, "a row of it is zero, with length 0", onto=onto)
    direction = _directions(onto)
    along = (x * direction).sum(axis=-1, keepdims=True)  # (..., 1), signed length
    shadow = along * direction
    if not np.isfinite(along).all():  # d large terms, of which a small part can be summed
        part = 0.5 ** x.shape[-1].bit_length()
        whole = (x * part * direction).sum(axis=-1, keepdims=True) * direction / part
        shadow = np.where(np.isfinite(along), shadow, whole)
    return as_dtype(shadow, dtype)


def _directions(x):
    """Rows of x (..., d) made one long; a row of zeros stays zero."""
    largest = np.abs(x).max(axis=-1, keepdims=True, initial=0)
    x = x / np.where(largest == 0, 1, largest)  # first, or the squares overflow or vanish
    length = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    return x / np.where(length == 0, 1, length)
