"""Holding one answer against a stored one, for sheets that carry the tests they are judged by."""

from __future__ import annotations

import textwrap
import traceback

import numpy as np

from attnlib._inputs import as_array, as_real
from attnlib.checks.calling import read
from attnlib.checks.exercise import LEAST, differs
from attnlib.checks.known import named
from attnlib.checks.report import Array, Arrays, numbers

MOST_DIGITS = 6
WIDTH = 72  # nbgrader cuts longer lines off


class UnexpectedAnswerError(AssertionError):
    """An answer that is not the expected one; Jupyter shows its words, and no traceback."""

    def _render_traceback_(self) -> list[str]:
        """Return what IPython prints: the line that failed, and the words."""
        _, line = list(traceback.walk_tb(self.__traceback__))[-2]  # the last is in expect
        return [f"Line {line} of this cell expects otherwise.", *str(self).splitlines()]


def expect(answer, expected, call: str, known: str = "") -> None:
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
    known : str, optional
        What known mistakes answer in such calls, as `attnlib.checks.known.pack` wrote it: where
        the answer is one of these, the message says what went wrong.

    Raises
    ------
    UnexpectedAnswerError
        An AssertionError, if the answer is of another shape or kind, or other numbers.
    TypeError, ValueError
        If `expected` holds no real numbers or is ragged.

    Examples
    --------
    >>> from attnlib.checks import expect
    >>> expect(1 + 1, 2, "1 + 1")
    """
    due = expected if isinstance(expected, tuple) and expected else (expected,)
    due = tuple(_expected(one) for one in due)
    names = [f"part {k} of {call}" for k in range(len(due))] if due[1:] else [call]
    kind, arrays, words = read(answer, tuple(names) if due[1:] else ())
    if kind == "stub":
        raise UnexpectedAnswerError(f"{call}:\nNot attempted yet.")
    if kind == "nothing":
        raise UnexpectedAnswerError(f"{call}:\nNothing came back. Is the `return` missing?")
    if kind == "odd":
        raise UnexpectedAnswerError(f"{call}:\n{textwrap.fill(words, WIDTH)}")
    for name, mine, right in zip(names, arrays, due, strict=True):
        if type(answer) is tuple and not due[1:] and mine.shape != right.shape:
            n = f"{len(answer)} things" if answer[1:] else "One thing and a comma"
            raise UnexpectedAnswerError(f"{call}:\n{n} came back, where one array is due.")
        if message := _difference(mine, right, listed=isinstance(answer, list | tuple)):
            words = textwrap.fill(named(arrays, call, known), WIDTH)
            raise UnexpectedAnswerError(f"{name}:\n{message}\n{words}".rstrip())


def _expected(right) -> np.ndarray:
    """Read what is right, which a reader may have written, too."""
    right = as_array("expected", right)
    return right if right.dtype == bool else as_real("expected", right).astype(np.float64)


def _difference(mine, right, *, listed) -> str:
    """Say how an array differs from the right one; nothing where it does not."""
    if listed and mine.size == right.size == 0:  # [] is all that a list can say
        mine = mine.reshape(right.shape) if mine.shape == right.shape[: mine.ndim] else mine
    if mine.shape != right.shape:
        return f"Your answer has the shape {mine.shape}, and {right.shape} is due."
    if mine.dtype != right.dtype:
        kinds = ["of numbers", "of True and False"]
        return f"Your answer is made {kinds[mine.dtype == bool]}, not {kinds[right.dtype == bool]}."
    wrong = differs(mine, right, LEAST)
    if not wrong.any():
        return ""
    first = tuple(map(int, np.argwhere(wrong)[0]))
    told = f"{_told(mine[first])} is not {_told(right[first])}"
    if not first:
        return f"{told}."
    part = first[:-2]  # of more than two axes, the table in which it stands
    mine, right = mine[part], right[part]
    digits = 2
    while digits < MOST_DIGITS and numbers(mine, digits) == numbers(right, digits):
        digits += 1
    at = "".join(f"[{i}]" for i in part)
    shown = Arrays((Array(f"yours{at}", mine, digits), Array(f"expected{at}", right, digits)))
    return f"{told} at {list(first)}.\n{shown.as_text()}"


def _told(x) -> str:
    return str(x) if isinstance(x, np.bool_) else f"{x:.6g}"
