"""What goes into a function or comes out of one: an array, several, or a dictionary of them."""

import numpy as np

from attnlib.checks.entries import leaves


def parted(value, change):
    """Change an array, each of several, each entry of a dictionary, or strings as an array."""
    if isinstance(value, list):
        return change(np.array(value, dtype=object))
    if isinstance(value, dict):
        return {name: change(array) for name, array in value.items()}
    return tuple(map(change, value)) if isinstance(value, tuple) else change(value)


def arrays_of(values):
    """Give all that inputs hold, the arrays of dictionaries among them."""
    return [x for value in values for x in leaves(value)]


def floats_changed(value, change):
    """Change what holds fractions, and leave all else as it is."""
    return parted(value, lambda x: change(x) if is_float(x) else x)


def is_float(x):
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def holds_arrays(value):
    return isinstance(value, np.ndarray | dict)


def described(value):
    """Give a shape, names and shapes, how many letters, or the number itself."""
    if isinstance(value, dict):
        return tuple((name, np.shape(array)) for name, array in value.items())
    if isinstance(value, str):
        return len(value)
    return value.shape if isinstance(value, np.ndarray) else value


def numbers_of(value):
    """Give the numbers of an array, or of all arrays of a dictionary, as one row."""
    return np.concatenate([np.ravel(x) for x in leaves(value)] or [np.empty(0)])
