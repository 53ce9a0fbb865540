"""The one place that turns what a caller hands in into arrays, and words what is wrong with it.

Every message has three parts: the rule, what came in, and the numbers (or types) that disagree.
"""

import contextlib
import math
import operator
from numbers import Real

import numpy as np

BITS = np.iinfo(np.intp).bits - 4  # of a size: no array of 8-byte numbers can be longer, here 2**60


def refuse(rule, clash, error=ValueError, /, **came_in):
    """Raise error in three parts; an array that came in is shown by its shape."""
    parts = [f"{name} is {getattr(x, 'shape', ()) or x}" for name, x in came_in.items()]
    raise error(f"{rule}: {', '.join(parts)}, and {clash}.")


def require_equal(rule, n, m, **came_in):
    """Raise ValueError unless n equals m."""
    if n != m:
        refuse(rule, f"{n} != {m}", **came_in)


def require_names(what, names, given):
    """Raise ValueError unless the one dictionary, {its name: it}, has all of these names."""
    ((called, found),) = given.items()
    missing = [name for name in names if name not in found]
    if missing:
        came_in = ", ".join(map(str, found)) or "empty"
        refuse(f"{called} must have {what}", f"{missing[0]!r} is missing", **{called: came_in})


def require_generator(rng):
    """Raise TypeError unless rng is a Generator of NumPy's."""
    if not isinstance(rng, np.random.Generator):
        clash = f"{type(rng).__name__} is no Generator"
        refuse("rng must be a numpy.random.Generator", clash, TypeError, rng=rng)


def require_axes(axes, **array):
    """Raise ValueError unless the one array has at least the axes that `axes`, "n, d", lists."""
    ((name, x),) = array.items()
    needed = axes.count(",") + 1
    if x.ndim < needed:
        rule = f"{name} needs at least {needed} {'axes' if needed > 1 else 'axis'}, (..., {axes})"
        refuse(rule, f"{x.ndim} < {needed}", **array)


def as_floats(optional=None, /, **arrays):
    """Return the arrays in the dtype to compute in, and the dtype of results.

    float32 and float64 are kept, integers and bools become float64, a mixture is promoted as NumPy
    does. Where all are float16 they are computed in float32, and results come back as float16.
    `optional` names arrays that may be None, and stay None; they come last.
    """
    given = arrays | {name: x for name, x in (optional or {}).items() if x is not None}
    found = {name: as_real(name, x) for name, x in given.items()}
    dtype = np.result_type(*(x.dtype for x in found.values()))
    compute = np.result_type(dtype, np.float32)
    found = {name: x.astype(compute, copy=False) for name, x in found.items()}
    return [found.get(name) for name in (*arrays, *(optional or ()))], dtype


def as_real(name, x):
    """Return x as an array of float16, float32 or float64; one of these is not copied."""
    x = as_array(name, x)
    if x.dtype.kind in "iub":
        return x.astype(np.float64)
    if x.dtype.kind == "f" and x.dtype.itemsize <= 8:
        return x.astype(x.dtype.newbyteorder("="), copy=False)
    rule = f"{name} must hold floats (of 16, 32 or 64 bits), integers or bools"
    refuse(rule, f"{_kind(x)} is none of these", TypeError, **{name: _described(x)})


@np.errstate(all="ignore")
def as_dtype(x, dtype):
    """Return x in this dtype; what is too small or large for it becomes 0 or inf."""
    return x.astype(dtype, copy=False)


def as_mask(mask):
    """Return mask as a boolean array, or None; numbers are refused, they may mean the opposite."""
    mask = None if mask is None else as_array("mask", mask)
    if mask is not None and mask.dtype != bool:
        rule = "mask must be boolean, True where a query may look (numbers to add go into bias)"
        refuse(rule, f"{_kind(mask)} is not bool", TypeError, mask=_described(mask))
    return mask


def as_bias(bias):
    """Return bias as an array of floats, or None; True and False are refused, they mean a mask."""
    if bias is None:
        return None
    bias = as_array("bias", bias)
    if bias.dtype.kind not in "iuf":
        rule = "bias must hold floats or integers to add to scores (True and False go into mask)"
        refuse(rule, f"{_kind(bias)} is neither", TypeError, bias=_described(bias))
    return as_real("bias", bias)


def as_array(name, x):
    """Return x as an array; ragged lists are refused by naming the first row that differs.

    Masked arrays are refused, and lists deeper than an array has axes: they may hold themselves.
    """
    first, depth, whole = x, name.count("["), name.split("[")[0]
    while isinstance(first, list | tuple) and first and depth <= 64:
        first, depth = first[0], depth + 1
    if depth > 64:  # here, since NumPy might fill the memory before it says so
        rule = f"{whole} must be nested at most 64 deep (does a list hold itself?)"
        refuse(rule, f"{depth} > 64", **{whole: f"a {type(x).__name__}"})
    if isinstance(first, np.ma.MaskedArray):
        rule = f"{name} must be a plain array (fill a masked one; what to hide goes into mask)"
        refuse(rule, "MaskedArray is not ndarray", TypeError, **{name: _described(first)})
    with contextlib.suppress(ValueError):  # a rectangle, as nearly always
        return _read(name, x)
    if isinstance(x, list | tuple):
        shapes = [as_array(f"{name}[{i}]", row).shape for i, row in enumerate(x)]
        for i, shape in enumerate(shapes):
            rows = {f"{name}[0]": shapes[0], f"{name}[{i}]": shape}
            require_equal(f"the rows of {name} must have one shape", shapes[0], shape, **rows)
    return np.asarray(x)


def _read(name, x):
    """Return what NumPy reads, of PyTorch's tensors without the gradients that they hold."""
    if hasattr(x, "detach"):
        x = x.detach()
        x = x.cpu() if hasattr(x, "cpu") else x
        with contextlib.suppress(TypeError):
            return np.asarray(x)
        rule = f"{name} must be a tensor that NumPy can read (x.float() makes such a one)"
        refuse(rule, f"NumPy has no {x.dtype}", TypeError, **{name: f"{x.dtype} {tuple(x.shape)}"})
    try:
        return np.asarray(x)
    except RuntimeError:
        if not isinstance(x, list | tuple):
            raise
    return np.asarray([as_array(f"{name}[{i}]", part) for i, part in enumerate(x)])


def _described(x):
    """Tell a lone value as Python prints it, and an array by what it holds and its shape."""
    if not isinstance(x, np.generic | np.ndarray):
        return repr(x)
    return f"{_kind(x)} {x.shape}" if x.shape else repr(x.item())


def _kind(x):
    """Name what the array x holds: str and NoneType, where NumPy says <U3 and object."""
    if x.shape == ():
        return type(x.item()).__name__
    return "str" if x.dtype.kind == "U" else str(x.dtype)


def broadcast_leading(n_last, **arrays):
    """Return the shape that the axes of all arrays before their last `n_last` broadcast to."""
    leading = [x.shape[:-n_last] for x in arrays.values()]
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        clash = f"{_listed(leading)} do not"
    refuse(f"the leading axes of {_listed(arrays)} must broadcast", clash, **arrays)


def _listed(items):
    """Write items in a sentence: a, b and c."""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}"


def broadcast_array(name, x, what, axes, shape):
    """Return a view of x (None stays None) with the shape of `what`, whose axes are named."""
    if x is None:
        return None
    try:
        return np.broadcast_to(x, shape)
    except ValueError:
        pairs = zip(x.shape[::-1], shape[::-1], strict=False)
        clash = next((f"{n} != {m}" for n, m in pairs if n not in (1, m)), None)
    clash = clash or f"{x.ndim} axes > {len(shape)}"
    came_in = {name: x, f"the shape of {what}": shape}
    refuse(f"{name} must broadcast to {what}, {axes}", clash, **came_in)


def as_integer(name, n, *, bits=BITS):
    """Return n as an int of at most so many bits; bools, floats and strings are refused."""
    rule, whole = f"{name} must be an integer", None
    with contextlib.suppress(TypeError):
        whole = None if isinstance(n, bool | np.bool_) else operator.index(n)
    if whole is None:
        refuse(rule, f"{type(n).__name__} is not int", TypeError, **{name: _described(n)})
    if (found := whole.bit_length()) > bits:  # NumPy's integers would wrap
        refuse(f"{rule} of at most {bits} bits", f"{found} > {bits}", **{name: f"one of {found}"})
    return whole


def as_count(name, n, *, least=0, bits=BITS):
    """Return n as an int that is at least `least`, of at most so many bits."""
    n = as_integer(name, n, bits=bits)
    if n < least:
        refuse(f"{name} must be at least {least}", f"{n} < {least}", **{name: n})
    return n


def as_positive(name, x):
    """Return x as a float that is finite and greater than zero."""
    x = x.item() if isinstance(x, np.ndarray) and x.shape == () else x
    if not isinstance(x, Real) or isinstance(x, bool | np.bool_):
        rule, clash = f"{name} must be one positive number", f"{type(x).__name__} is no number"
        refuse(rule, clash, TypeError, **{name: _described(x)})
    try:
        x = float(x)
    except OverflowError:  # an integer beyond all floats
        x = math.copysign(math.inf, x > 0 or -1)
    if not (x > 0 and math.isfinite(x)):
        clash = f"{x} <= 0" if x <= 0 else f"{x} is not finite"
        refuse(f"{name} must be a positive, finite number", clash, **{name: x})
    return x


def as_scale(x, d_key):
    """Return the scale of scores as a float; beyond its ends query * scale may overflow.

    Where x is None, it is what keeps scores of any d_key equally wide.
    """
    if x is None:
        return 1 / math.sqrt(max(d_key, 1))
    x = as_positive("scale", x)
    if not 2**-32 <= x <= 2**32:
        clash = f"{x} < 2**-32" if x < 1 else f"{x} > 2**32"
        refuse("scale must be from 2**-32 to 2**32", clash, scale=x)
    return x


def as_divisible(name, n, name_by, by):
    """Return n // by; a remainder is refused."""
    if n % by:
        rule, came_in = f"{name} must be a multiple of {name_by}", {name: n, name_by: by}
        refuse(rule, f"{n} = {n // by} * {by} + {n % by}", **came_in)
    return n // by


def as_attention(query, key, *value, mask=None, bias=None, scale=None):
    """Return query, key[, value], mask, bias, scale, dtype; bias keeps its own dtype.

    All are checked against each other. The other arrays come in the dtype to compute in, and the
    dtype returned is that of results. Query, key and value are views with the same leading axes,
    mask and bias views with the shape of the scores (None stays None). Without a value none is
    returned; without a scale it is 1 / sqrt(d_key).
    """
    given = dict(zip(("query", "key", "value"), (query, key, *value), strict=False))
    arrays, dtype = as_floats(**given)
    given = dict(zip(given, arrays, strict=True))
    query, key, *value = arrays
    require_axes("n_queries, d_key", query=query)
    require_axes("n_keys, d_key", key=key)
    rule = "query and key must share d_key, their last axis"
    require_equal(rule, query.shape[-1], key.shape[-1], query=query, key=key)
    scale = as_scale(scale, query.shape[-1])
    for x in value:
        require_axes("n_keys, d_value", value=x)
        rule = "key and value must share n_keys, their second-last axis"
        require_equal(rule, key.shape[-2], x.shape[-2], key=key, value=x)
    leading = broadcast_leading(2, **given)
    arrays = [np.broadcast_to(x, leading + x.shape[-2:]) for x in arrays]
    shape = (*leading, query.shape[-2], key.shape[-2])
    scores = ("the scores", "(..., n_queries, n_keys)", shape)
    mask = broadcast_array("mask", as_mask(mask), *scores)
    return *arrays, mask, broadcast_array("bias", as_bias(bias), *scores), scale, dtype
