"""Makes of what a function returned what can be sent: arrays, numbers, and lists of them.

What `attnlib.check` takes for an answer is taken here, too: whatever NumPy makes an array of real
numbers of, and, for a task that asks for several arrays, whatever gives them one by one.
"""

import itertools
from collections.abc import Iterable

import numpy as np

from course.grading.wire import MOST_THINGS, SIZES

MANY = 64  # arrays are asked for of no function, and numbers are sent as an array
NO_ANSWERS = str | bytes | bytearray | dict | set | frozenset


def readable(result):
    """Make of a result what can be sent, as far as it is one."""
    if result is None or result is Ellipsis or isinstance(result, bool | int | float | str):
        return result
    if isinstance(result, list | tuple) and len(result) > MANY:
        return _array(result)
    if isinstance(result, list):
        return list(map(_part, result))
    if isinstance(result, memoryview):
        return result.tolist()
    if isinstance(result, np.ndarray | np.generic) or hasattr(result, "__array__"):
        return _sendable(np.array(result, subok=False))
    if isinstance(result, Iterable) and not isinstance(result, NO_ANSWERS):
        return _all(result)
    return _array(result)


def _all(things: Iterable) -> tuple:
    """Read what gives its things one by one, as ranges, deques and generators do."""
    return tuple(map(_part, itertools.islice(things, MOST_THINGS)))


def _part(thing):
    """Read one of several things: a row of numbers becomes an array, where it can be one."""
    return thing if isinstance(thing, bool | int | float | NO_ANSWERS) else _array(thing)


def _array(thing):
    """Return an array of real numbers, or the thing itself where it makes none."""
    try:
        array = np.array(thing, subok=False)
    except (ValueError, TypeError, RecursionError):  # rows of several lengths, a list in itself
        return thing
    return _sendable(array) if array.dtype.kind in "biufc" else thing


def _sendable(array: np.ndarray) -> np.ndarray:
    """Bring numbers of more digits than can be sent to those of a float."""
    if array.dtype.kind == "f" and array.dtype.itemsize > SIZES["f8"]:
        return array.astype(np.float64)
    return array
