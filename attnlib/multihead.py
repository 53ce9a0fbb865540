"""Why look several ways at once? Several small attentions side by side, mixed by one matrix."""

import numpy as np

from attnlib._inputs import (
    as_count,
    as_divisible,
    as_dtype,
    as_floats,
    as_mask,
    as_real,
    broadcast_array,
    broadcast_leading,
    require_axes,
    require_equal,
    require_generator,
)
from attnlib.attention import attention, attention_weights


def split_heads(x, n_heads):
    """Cut the features of x into heads: contiguous slices, each with all the rows.

    Parameters
    ----------
    x : array_like, (..., n, d_model)
    n_heads : int
        A divisor of d_model.

    Returns
    -------
    np.ndarray, (..., n_heads, n, d_head)
        Head h holds features ``h * d_head`` to ``(h + 1) * d_head`` of x.

    Raises
    ------
    ValueError, TypeError
        Where d_model is no multiple of n_heads, or x is no real array of at least two axes.

    References
    ----------
    Vaswani et al., "Attention is all you need" (2017), section 3.2.2.

    Examples
    --------
    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], n_heads=2)
    array([[[1., 2.],
            [5., 6.]],
    <BLANKLINE>
           [[3., 4.],
            [7., 8.]]])
    """
    (x,), dtype = as_floats(x=x)
    require_axes("n, d_model", x=x)
    n_heads = as_count("n_heads", n_heads, least=1)
    d_head = as_divisible("d_model", x.shape[-1], "n_heads", n_heads)
    heads = x.reshape(*x.shape[:-1], n_heads, d_head)  # (..., n, n_heads, d_head)
    return heads.swapaxes(-3, -2).astype(dtype)  # (..., n_heads, n, d_head)


def merge_heads(heads):
    """Lay heads side by side again: the inverse of `split_heads`.

    Parameters
    ----------
    heads : array_like, (..., n_heads, n, d_head)

    Returns
    -------
    np.ndarray, (..., n, n_heads * d_head)

    Raises
    ------
    ValueError, TypeError
        Where heads is no real array of at least three axes.

    Examples
    --------
    >>> merge_heads(split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], n_heads=2))
    array([[1., 2., 3., 4.],
           [5., 6., 7., 8.]])
    """
    (heads,), dtype = as_floats(heads=heads)
    require_axes("n_heads, n, d_head", heads=heads)
    *leading, n_heads, n, d_head = heads.shape
    x = heads.swapaxes(-3, -2)  # (..., n, n_heads, d_head)
    return x.reshape(*leading, n, n_heads * d_head).astype(dtype)


class MultiHeadAttention:
    """Multi-head attention: project, split into heads, attend in each, merge, project back.

    Parameters
    ----------
    w_query : array_like, (d_model, n_heads * d_key)
    w_key : array_like, (d_source, n_kv_heads * d_key)
    w_value : array_like, (d_source, n_kv_heads * d_value)
    w_output : array_like, (n_heads * d_value, d_out)
    n_heads : int
    n_kv_heads : int, optional
        Heads of keys and values: n_heads where it is left out, fewer for grouped-query attention,
        1 for multi-query attention. Query head h reads key-value head
        ``h // (n_heads // n_kv_heads)``.
    b_query, b_key, b_value, b_output : array_like, optional
        One number per column of their matrix, added to every row.

    Raises
    ------
    ValueError, TypeError
        Where shapes or numbers of heads do not fit each other, or a matrix is no real array.

    References
    ----------
    Vaswani et al., "Attention is all you need" (2017), section 3.2.2. Fewer key-value heads:
    Shazeer, "Fast Transformer decoding" (2019), section 3; Ainslie et al., "GQA" (2023), section 2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> layer = MultiHeadAttention.random(rng, d_model=12, n_heads=3)
    >>> layer
    MultiHeadAttention(d_model=12, n_heads=3, d_key=4, d_value=4, d_out=12)
    >>> layer(rng.standard_normal((5, 12))).shape
    (5, 12)
    """

    def __init__(
        self,
        w_query,
        w_key,
        w_value,
        w_output,
        *,
        n_heads,
        n_kv_heads=None,
        b_query=None,
        b_key=None,
        b_value=None,
        b_output=None,
    ):
        self.n_heads = as_count("n_heads", n_heads, least=1)
        n_kv_heads = self.n_heads if n_kv_heads is None else n_kv_heads
        self.n_kv_heads = as_count("n_kv_heads", n_kv_heads, least=1)
        as_divisible("n_heads", self.n_heads, "n_kv_heads", self.n_kv_heads)
        self.w_query, self.b_query = _as_map("query", w_query, b_query)
        self.w_key, self.b_key = _as_map("key", w_key, b_key)
        self.w_value, self.b_value = _as_map("value", w_value, b_value)
        self.w_output, self.b_output = _as_map("output", w_output, b_output)
        self.d_model, n_columns = self.w_query.shape
        self.d_key = as_divisible("columns of w_query", n_columns, "n_heads", self.n_heads)
        self.d_source, n_columns = self.w_key.shape
        rule = "w_key must have n_kv_heads * d_key columns"
        came_in = {"w_key": self.w_key, "n_kv_heads": self.n_kv_heads, "d_key": self.d_key}
        require_equal(rule, n_columns, self.n_kv_heads * self.d_key, **came_in)
        n_rows, n_columns = self.w_value.shape
        rule = "w_key and w_value must share d_source, their first axis"
        require_equal(rule, self.d_source, n_rows, w_key=self.w_key, w_value=self.w_value)
        self.d_value = as_divisible("columns of w_value", n_columns, "n_kv_heads", self.n_kv_heads)
        n_rows, self.d_out = self.w_output.shape
        rule = "w_output must have n_heads * d_value rows"
        came_in = {"w_output": self.w_output, "n_heads": self.n_heads, "d_value": self.d_value}
        require_equal(rule, n_rows, self.n_heads * self.d_value, **came_in)

    @classmethod
    def random(
        cls, rng, *, d_model, n_heads, n_kv_heads=None, d_source=None, d_key=None, d_value=None
    ):
        """Make a layer of independent random matrices, as before training, without biases.

        Parameters
        ----------
        rng : np.random.Generator
        d_model, n_heads, n_kv_heads, d_source, d_key, d_value : int
            Where they are left out, n_kv_heads is n_heads, d_source is d_model, d_key is
            d_model // n_heads, and d_value is d_key. The output is d_model wide.

        Returns
        -------
        MultiHeadAttention
            Entries are normal with variance 1 / (rows of their matrix), so that what a matrix
            makes of inputs of unit variance has unit variance too. The layer's output has less,
            for attention takes means: among 17 random rows about a seventh.
        """
        require_generator(rng)
        d_model, n_heads = _counts(d_model=d_model, n_heads=n_heads)
        if d_key is None:
            d_key = as_divisible("d_model", d_model, "n_heads", n_heads)
        n_kv_heads, d_source, d_key, d_value = _counts(
            n_kv_heads=n_heads if n_kv_heads is None else n_kv_heads,
            d_source=d_model if d_source is None else d_source,
            d_key=d_key,
            d_value=d_key if d_value is None else d_value,
        )
        shapes = (
            (d_model, n_heads * d_key),
            (d_source, n_kv_heads * d_key),
            (d_source, n_kv_heads * d_value),
            (n_heads * d_value, d_model),
        )
        matrices = (rng.standard_normal(shape) / np.sqrt(shape[0]) for shape in shapes)
        return cls(*matrices, n_heads=n_heads, n_kv_heads=n_kv_heads)

    def __call__(self, x, source=None, *, mask=None, bias=None):
        """Attend from the rows of x to the rows of source.

        Parameters
        ----------
        x : array_like, (..., n_queries, d_model)
        source : array_like, (..., n_keys, d_source), optional
            x itself where it is left out: self-attention.
        mask : array_like of bool, broadcastable to (..., n_queries, n_keys), optional
            True means "may look". The same for all heads.
        bias : array_like of float, broadcastable to (..., n_heads, n_queries, n_keys), optional
            Added to the scaled scores.

        Returns
        -------
        np.ndarray, (..., n_queries, d_out)
            With the guarantees of `attention`.

        Raises
        ------
        ValueError, TypeError
            As for `attention`, and where x or source has another width than the matrices.
        """
        query, key, value, output, dtype = self._project(x, source)
        heads = attention(query, key, value, mask=_for_all_heads(mask, query, key), bias=bias)
        return as_dtype(_affine(merge_heads(heads), *output), dtype)

    def weights(self, x, source=None, *, mask=None, bias=None):
        """Weights of every head, (..., n_heads, n_queries, n_keys); parameters as for a call."""
        query, key, _, _, dtype = self._project(x, source)
        weights = attention_weights(query, key, mask=_for_all_heads(mask, query, key), bias=bias)
        return as_dtype(weights, dtype)

    def _project(self, x, source):
        """Return query, key and value by head, the map to the output, and the results' dtype."""
        w = {name: getattr(self, name) for name in ("w_query", "w_key", "w_value", "w_output")}
        b = {name: getattr(self, name) for name in ("b_query", "b_key", "b_value", "b_output")}
        (x, *maps, source), dtype = as_floats({**b, "source": source}, x=x, **w)
        to_query, to_key, to_value, to_output = zip(maps[:4], maps[4:], strict=True)
        require_axes("n_queries, d_model", x=x)
        came_in = {"x": x, "w_query": self.w_query}
        require_equal("x must be d_model wide", x.shape[-1], self.d_model, **came_in)
        name, source = ("x", x) if source is None else ("source", source)
        require_axes("n_keys, d_source", **{name: source})
        came_in = {name: source, "w_key": self.w_key}
        require_equal(f"{name} must be d_source wide", source.shape[-1], self.d_source, **came_in)
        broadcast_leading(2, x=x, source=source)
        query = split_heads(_affine(x, *to_query), self.n_heads)  # (..., n_heads, n_queries, d_key)
        key = split_heads(_affine(source, *to_key), self.n_kv_heads)
        value = split_heads(_affine(source, *to_value), self.n_kv_heads)
        group = self.n_heads // self.n_kv_heads  # query heads that share one key-value head
        key, value = (np.repeat(x, group, axis=-3) for x in (key, value))
        return query, key, value, to_output, dtype

    def __repr__(self):
        sizes = {"d_model": self.d_model}
        if self.d_source != self.d_model:
            sizes["d_source"] = self.d_source
        sizes["n_heads"] = self.n_heads
        if self.n_kv_heads != self.n_heads:
            sizes["n_kv_heads"] = self.n_kv_heads
        sizes |= {"d_key": self.d_key, "d_value": self.d_value, "d_out": self.d_out}
        return f"MultiHeadAttention({', '.join(f'{name}={n}' for name, n in sizes.items())})"


def _counts(**sizes):
    return [as_count(name, n, least=1) for name, n in sizes.items()]


def _as_map(role, w, b):
    """Return the matrix and the bias of one affine map, checked against each other."""
    w = as_real(f"w_{role}", w)
    require_equal(f"w_{role} must be a matrix, of two axes", w.ndim, 2, **{f"w_{role}": w})
    if b is not None:
        b = as_real(f"b_{role}", b)
        rule = f"b_{role} must hold one number per column of w_{role}"
        require_equal(rule, b.shape, w.shape[1:], **{f"b_{role}": b, f"w_{role}": w})
    return w, b


@np.errstate(all="ignore")  # a hidden row may hold anything: not even a warning may come of it
def _affine(x, w, b):
    return x @ w if b is None else x @ w + b


def _for_all_heads(mask, query, key):
    """Give a mask of (..., n_queries, n_keys) the axis of heads."""
    if mask is None:
        return None
    leading = np.broadcast_shapes(query.shape[:-3], key.shape[:-3])
    shape = (*leading, query.shape[-2], key.shape[-2])
    scores = ("the scores of each head", "(..., n_queries, n_keys)", shape)
    return np.expand_dims(broadcast_array("mask", as_mask(mask), *scores), -3)
