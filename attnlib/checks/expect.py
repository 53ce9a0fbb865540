"""Holding one answer against a stored one, for sheets that carry the tests they are judged by."""

from __future__ import annotations

import numpy as np

from attnlib.checks.calling import read
from attnlib.checks.exercise import LEAST, differs
from attnlib.checks.report import Array, Arrays, numbers

MOST_DIGITS = 6


def expect(answer, expected, call: str) -> None:
    """Assert that an answer is the expected one, or say in words how it is not.

    Numbers are compared as `attnlib.check` does: to about four digits.

    Parameters
    ----------
    answer : array_like, or a tuple of several
        What the function returned.
    expected : array_like, or a tuple of several
        What is right.
    call : str
        How the function was called, for the message.

    Raises
    ------
    AssertionError
        If the answer is of another shape or kind, or other numbers.

    Examples
    --------
    >>> from attnlib.checks import expect
    >>> expect(1 + 1, 2, "1 + 1")
    """
    due = expected if isinstance(expected, tuple) else (expected,)
    names = [f"part {k} of {call}" for k in range(len(due))] if due[1:] else [call]
    kind, arrays, words = read(answer, tuple(names) if due[1:] else ())
    if kind == "stub":
        raise AssertionError(f"{call} is not attempted yet: your function still returns `...`.")
    if kind == "nothing":
        raise AssertionError(f"{call} returned nothing. Is the `return` missing?")
    if kind == "odd":
        raise AssertionError(f"{call}: {words}")
    for name, mine, right in zip(names, arrays, map(np.asarray, due), strict=True):
        if message := _difference(mine, right):
            raise AssertionError(f"{name} {message}")


def _difference(mine, right) -> str:
    """Say how an array differs from the right one; nothing where it does not."""
    right = right if right.dtype == bool else right.astype(np.float64)
    if mine.shape != right.shape:
        return f"has the shape {mine.shape}, and {right.shape} is expected."
    if mine.dtype != right.dtype:
        kinds = ["of numbers", "of True and False"]
        return f"is made {kinds[mine.dtype == bool]}, and {kinds[right.dtype == bool][3:]} is due."
    wrong = differs(mine, right, LEAST)
    if not wrong.any():
        return ""
    digits = 2
    while digits < MOST_DIGITS and numbers(mine, digits) == numbers(right, digits):
        digits += 1
    shown = Arrays((Array("yours", mine, digits), Array("expected", right, digits)))
    first = ", ".join(map(str, np.argwhere(wrong)[0]))
    where = f"; the first difference is at [{first}]" if first else ""
    return f"is not right{where}:\n{shown.as_text()}"
