"""How do you stop it looking? Boolean masks: True where a query may look at a key."""

import numpy as np

from attnlib._inputs import as_array, as_count, as_integer, refuse


def causal_mask(n_queries, n_keys=None, *, offset=0):
    """Mask that hides the future: query i may look at key j where j <= i + offset.

    Parameters
    ----------
    n_queries, n_keys : int
        As many keys as queries where n_keys is left out.
    offset : int
        How many keys came before the first query: ``n_keys - n_queries`` when new words are added
        to a text whose keys are kept.

    Returns
    -------
    np.ndarray of bool, (n_queries, n_keys)

    Raises
    ------
    ValueError, TypeError
        Where a size is negative, or anything is no integer, or one of more than 60 bits.

    References
    ----------
    Vaswani et al., "Attention is all you need" (2017), section 3.2.3.

    Examples
    --------
    >>> causal_mask(2, 4, offset=2).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    return steps_ahead(n_queries, n_keys, offset) <= 0


def window_mask(n_queries, n_keys=None, *, width, offset=0):
    """Mask that shows the neighbours: query i may look at key j if ``|i + offset - j| <= width``.

    Parameters
    ----------
    n_queries, n_keys, offset : int
        As for `causal_mask`.
    width : int
        How far to either side, any number; 0 leaves each word itself alone.

    Returns
    -------
    np.ndarray of bool, (n_queries, n_keys)

    Raises
    ------
    ValueError, TypeError
        Where a size or the width is negative, anything is no integer, or a size or the offset one
        of more than 60 bits.

    References
    ----------
    Beltagy, Peters & Cohan, "Longformer" (2020), section 3.1.

    Examples
    --------
    >>> window_mask(3, width=1).astype(int)
    array([[1, 1, 0],
           [1, 1, 1],
           [0, 1, 1]])
    """
    return np.abs(steps_ahead(n_queries, n_keys, offset)) <= as_count("width", width, bits=np.inf)


def padding_mask(lengths, n_keys):
    """Mask that hides the padding after each sentence of a batch.

    Parameters
    ----------
    lengths : array_like of int, (batch,)
        How many real words each sentence has, from 0 to n_keys.
    n_keys : int
        The length that all were padded to.

    Returns
    -------
    np.ndarray of bool, (batch, 1, n_keys)
        True where key j < length. The middle axis is for the queries: they all see the same.

    Raises
    ------
    ValueError, TypeError
        Where lengths is not one-dimensional, a length is negative, beyond n_keys or no integer, or
        n_keys is negative, no integer or one of more than 60 bits.

    Examples
    --------
    >>> padding_mask([3, 1], n_keys=4).astype(int)
    array([[[1, 1, 1, 0]],
    <BLANKLINE>
           [[1, 0, 0, 0]]])
    """
    n_keys = as_count("n_keys", n_keys)
    if (n_axes := as_array("lengths", lengths).ndim) != 1:
        rule = "lengths must hold one length per sentence, (batch,)"
        refuse(rule, f"{n_axes} axes != 1", lengths=lengths)
    lengths = [as_count(f"lengths[{i}]", length) for i, length in enumerate(lengths)]
    for i, length in enumerate(lengths):
        if length > n_keys:
            came_in = {f"lengths[{i}]": length, "n_keys": n_keys}
            refuse("no length may be beyond n_keys", f"{length} > {n_keys}", **came_in)
    return np.arange(n_keys) < np.array(lengths, dtype=int)[:, None, None]  # (batch, 1, n_keys)


def steps_ahead(n_queries, n_keys, offset):
    """How far key j lies after query i, j - (i + offset), as (n_queries, n_keys) integers."""
    n_queries = as_count("n_queries", n_queries)
    n_keys = n_queries if n_keys is None else as_count("n_keys", n_keys)
    return np.arange(n_keys) - (np.arange(n_queries)[:, None] + as_integer("offset", offset))
