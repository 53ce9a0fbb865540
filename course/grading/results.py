"""Makes of what a function returned what can be sent: arrays, numbers, and lists of them.

And of what it raised: at which operation it failed, and which shapes met there.

What `attnlib.check` takes for an answer is taken here, too: whatever NumPy makes an array of real
numbers of, and, for a task that asks for several arrays, whatever gives them one by one.
"""

import itertools
from collections.abc import Iterable

import numpy as np

from attnlib.checks.raised.failing import failure
from course.grading.wire import MOST_THINGS, SIZES

MANY = 64  # arrays are asked for of no function, and numbers are sent as an array
MOST_MET, MOST_DEEP, MOST_LETTERS = 50, 4, 40  # things that met, in each other; of a word
LARGEST = 10**9  # whole number among them
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


def failed(error: BaseException) -> tuple | None:
    """Tell the operation that failed, what met there, and whether that is all that did.

    None where the source does not tell, or there is more of it than is sent.
    """
    try:
        found = failure(error)
        tree = found and (found.operation, _sent(found.sides), found.known)
    except Exception:  # what is read here is of the submission's own making
        return None
    return tree if is_failed(tree) else None


def is_failed(tree) -> bool:
    """Whether this may be the operation of an exception, and what met there, or nothing told."""
    match tree:
        case None:
            return True
        case (str(operation), tuple(sides), bool()) if isinstance(tree, tuple):
            return len(operation) <= MOST_LETTERS and _n_met(sides, 0) <= MOST_MET
    return False


def _sent(thing):
    """Make plain a number or a word that may be NumPy's."""
    if isinstance(thing, tuple):
        return tuple(map(_sent, thing))
    plain = (kind for kind in (bool, int, float, str) if isinstance(thing, kind))
    return next(plain, lambda it: it)(thing)


def _n_met(thing, depth: int) -> int:
    """Count the shapes, numbers and words in it; what is none of these counts for too many."""
    if isinstance(thing, tuple) and depth < MOST_DEEP and len(thing) <= MOST_MET:
        return 1 + sum(_n_met(one, depth + 1) for one in thing)
    is_small = thing is None or isinstance(thing, bool | float)
    is_small = is_small or (isinstance(thing, int) and abs(thing) <= LARGEST)
    is_small = is_small or (isinstance(thing, str) and len(thing) <= MOST_LETTERS)
    return 1 if is_small else MOST_MET + 1
