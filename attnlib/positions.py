"""How does it know the order? Numbers that say where a word stands."""

import numpy as np

from attnlib._inputs import (
    as_count,
    as_dtype,
    as_floats,
    as_positive,
    broadcast_array,
    refuse,
    require_axes,
)
from attnlib.masks import steps_ahead


def sinusoidal_positions(n_positions, d_model, *, base=10_000.0):
    """Positions as the hands of clocks: each pair of features turns at its own speed.

    Feature 2i holds ``sin(position / base**(2i / d_model))`` and feature 2i + 1 the cosine of the
    same angle: the parity is the feature's, not the position's.

    Parameters
    ----------
    n_positions : int
    d_model : int
        Where it is odd, the last feature is a sine without its cosine.
    base : float
        Above 0; one so small that an angle is beyond the floats is refused: it has no sine.

    Returns
    -------
    np.ndarray of float64, (n_positions, d_model)

    Raises
    ------
    ValueError, TypeError
        Where n_positions is negative, d_model below 1, a size no integer, base not positive, or an
        angle not finite.

    References
    ----------
    Vaswani et al., "Attention is all you need" (2017), section 3.5.

    Examples
    --------
    >>> sinusoidal_positions(3, 4).round(2)
    array([[ 0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.84,  0.54,  0.01,  1.  ],
           [ 0.91, -0.42,  0.02,  1.  ]])
    """
    n_positions = as_count("n_positions", n_positions)
    d_model = as_count("d_model", d_model, least=1)
    angles = _angles(np.arange(n_positions), d_model, base)  # (n_positions, pairs)
    table = np.empty((n_positions, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return table


def one_hot_positions(n_positions):
    """Positions as one-hot rows: row i is 1 at i and 0 elsewhere.

    Parameters
    ----------
    n_positions : int

    Returns
    -------
    np.ndarray of float64, (n_positions, n_positions)

    Raises
    ------
    ValueError, TypeError
        Where n_positions is negative, or no integer.

    Examples
    --------
    >>> one_hot_positions(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return np.eye(as_count("n_positions", n_positions))


def rotate(x, positions=None, *, base=10_000.0, layout="interleaved"):
    """Rotary positions: turn each pair of features by an angle that grows with the position.

    The dot product of a rotated query and a rotated key depends on their positions through the
    signed distance between them alone.

    Parameters
    ----------
    x : array_like, (..., n, d)
        Queries or keys, d even.
    positions : array_like, broadcastable to (..., n), optional
        0 to n - 1 where it is left out. They need be neither whole nor positive.
    base : float
        Pair i turns by ``position / base**(2i / d)``, counter-clockwise.
    layout : {"interleaved", "half"}
        Which features are a pair: (2i, 2i + 1), or (i, i + d/2).

    Returns
    -------
    np.ndarray, (..., n, d)
        In x's dtype. Lengths are kept.

    Raises
    ------
    ValueError, TypeError
        Where d is odd, x or positions are no real arrays, positions do not broadcast or are not
        finite, base is not positive, an angle is not finite, or the layout is unknown.

    References
    ----------
    Su et al., "RoFormer" (2021), section 3.2.2 (interleaved). GPT-NeoX and its kin pair the halves.

    Examples
    --------
    >>> rotate([[1.0, 0.0], [1.0, 0.0]]).round(2)
    array([[1.  , 0.  ],
           [0.54, 0.84]])
    """
    (x,), dtype = as_floats(x=x)
    require_axes("n, d", x=x)
    n, d = x.shape[-2:]
    if d % 2:
        refuse("rotate turns pairs of features, so x needs an even number, d", f"{d} is odd", x=x)
    angles = _angles(_as_positions(np.arange(n) if positions is None else positions, x), d, base)
    cos, sin = (as_dtype(f(angles), x.dtype) for f in (np.cos, np.sin))  # (..., n, d // 2)
    first, second = _pairs(d, layout)
    a, b = x[..., first], x[..., second]  # (..., n, d // 2)
    rotated = np.empty_like(x)
    with np.errstate(all="ignore"):  # a row that will be hidden may hold anything
        rotated[..., first] = a * cos - b * sin
        rotated[..., second] = a * sin + b * cos
    return as_dtype(rotated, dtype)


def alibi_bias(n_heads, n_queries, n_keys=None, *, offset=0):
    """Positions as a penalty for distance: ``-slope * |i + offset - j|``, one slope per head.

    Parameters
    ----------
    n_heads, n_queries, n_keys : int
        As many keys as queries where n_keys is left out.
    offset : int
        How many keys came before the first query.

    Returns
    -------
    np.ndarray of float64, (n_heads, n_queries, n_keys)
        For `attention`'s bias. Slopes are 2**(-8/n), 2**(-16/n), … for n heads, n a power of two;
        for another number, those of the power of two below, then every other slope of the next.

    Raises
    ------
    ValueError, TypeError
        Where n_heads is below 1, a size is negative, or anything is no integer, or one of more than
        60 bits.

    References
    ----------
    Press, Smith & Lewis, "Train short, test long" (2022), section 3, and the published code.

    Examples
    --------
    >>> alibi_bias(8, 1, 4)[0]
    array([[-0. , -0.5, -1. , -1.5]])
    """
    slopes = _slopes(as_count("n_heads", n_heads, least=1))[:, None, None]  # (n_heads, 1, 1)
    return -slopes * np.abs(steps_ahead(n_queries, n_keys, offset))


def _slopes(n_heads):
    """ALiBi's slopes, (n_heads,)."""
    power = 2 ** (n_heads.bit_length() - 1)  # the largest power of two that is not above n_heads
    slopes = 2.0 ** (-8 / power * np.arange(1, power + 1))
    between = 2.0 ** (-4 / power * np.arange(1, 2 * power, 2))  # every other of the next power
    return np.concatenate([slopes, between[: n_heads - power]])


def _angles(positions, d, base):
    """Angles of the clock hands, (..., n, pairs): position / base**(2i / d)."""
    base, pairs = as_positive("base", base), np.arange((d + 1) // 2)
    with np.errstate(all="ignore"):
        angles = positions[..., None] / base ** (2 * pairs / d)
    if not np.isfinite(angles).all():  # in the last pair at the latest: base is below 1
        clash = f"{np.abs(positions).max():.6g} / {base}**{2 * pairs[-1] / d:.3g} is not"
        refuse("angles, position / base**(2i / d), must be finite", clash, base=base)
    return angles


def _as_positions(positions, x):
    """Return positions as finite floats, one for each row of x."""
    (positions,), _ = as_floats(positions=positions)
    if not np.isfinite(positions).all():
        clash = f"{positions[~np.isfinite(positions)].flat[0]} is not"
        refuse("positions must be finite", clash, positions=positions)
    return broadcast_array("positions", positions, "the rows of x", "(..., n)", x.shape[:-1])


def _pairs(d, layout):
    """Which features are first and which are second of their pair, as two slices."""
    if layout == "interleaved":
        return slice(0, d, 2), slice(1, d, 2)
    if layout == "half":
        return slice(0, d // 2), slice(d // 2, d)
    rule = 'layout must be "interleaved" or "half"'
    refuse(rule, "it is neither of the two", layout=repr(layout))
