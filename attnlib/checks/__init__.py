"""Checked exercises: `check` diagnoses a function, `hint` and `solution` help out.

Each exercise is one file in `attnlib/checks/exercises`, named after its function and imported only
when it is asked for.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable

from attnlib.checks import exercises
from attnlib.checks.engine import examine
from attnlib.checks.exercise import Exercise, docstring
from attnlib.checks.exercises import names
from attnlib.checks.expect import expect
from attnlib.checks.report import Code, Hint, Report, Shown, Solution, Words, handed_on

__all__ = ["check", "expect", "hint", "solution"]


def check(name: str, function: Callable) -> Report:
    """Check a function you wrote, show what was found and return it.

    Parameters
    ----------
    name : str
        The exercise, such as ``"softmax"``.
    function : callable
        Your function, not called. It is called with copies, so that nothing of yours can change.
        What it prints is shown only where its answer is wrong. A call that has taken ten seconds of
        processor, or a minute by the clock, is stopped; only one long call of C, such as a product
        of huge matrices, or code that catches every exception in a loop within a loop, holds out.

    Returns
    -------
    Report
        Its ``status`` is ``"not attempted"``, ``"passed"`` or ``"failed"``, its ``mistake`` the
        short name of a known mistake or None, and ``str(report)`` the text. A function is judged
        within the ranges that the exercise states. Where one that passed goes wrong beyond them, or
        with an empty batch, say, its ``remarks`` tell, a tuple of sentences. A notebook cell that
        ends in a check shows the report once, and so does ``print(check(...))``: what is handed
        straight to another function is left to it.

    Raises
    ------
    TypeError, ValueError
        If there is no exercise of that name. Nothing that the function does raises an error.

    Examples
    --------
    >>> from attnlib import check
    >>> def dot_product(a, b): ...
    >>> report = check("dot_product", dot_product)
    dot_product: not attempted yet.
    Put your code in place of the `...` and run the cell again. A first step: `hint("dot_product")`.
    """
    return _shown(examine(find(name), function))


def hint(name: str, level: int = 1) -> Hint:
    """Show a hint; each level says more, and the last one as much as words can.

    Parameters
    ----------
    name : str
        The exercise.
    level : int
        1 for the first hint. Beyond the last, you are told where the solution is.

    Raises
    ------
    TypeError, ValueError
        If there is no exercise of that name, or the level is not 1 or more.
    """
    exercise = find(name)
    if isinstance(level, bool) or not isinstance(level, int) or level < 1:
        raise ValueError(f"hint counts levels 1, 2, 3: level is {level!r}, and the first is 1.")
    last = len(exercise.hints)
    if level > last:
        note = Hint(f"{name}: no further hints.", [Words(_beyond(name, last))])
    else:
        note = Hint(f"{name}: hint {level} of {last}.", [Words(exercise.hints[level - 1])])
    return _shown(note)


def solution(name: str) -> Solution:
    """Show an answer in NumPy and its reason; ``.function`` of what is returned is that function.

    Parameters
    ----------
    name : str
        The exercise.

    Raises
    ------
    TypeError, ValueError
        If there is no exercise of that name.
    """
    exercise = find(name)
    reason = " ".join(docstring(exercise.solution).split())
    more = f'To go on with this one: `{name} = solution("{name}").function`.'
    blocks = [Code(_source(exercise.solution)), Words(f"Why: {reason}"), Words(more)]
    return _shown(Solution(f"{name}: a solution.", blocks, exercise.solution))


def _shown(document: Shown) -> Shown:
    """Show it, unless the call that asked for it stands inside another, such as `print`."""
    if not handed_on(sys._getframe(2)):
        document.show()
    return document


def find(name: str) -> Exercise:
    """Give an exercise by its name.

    Raises
    ------
    TypeError, ValueError
        If there is none of that name.
    """
    known = names()
    if not isinstance(name, str):
        raise TypeError(
            "an exercise is looked up by its name, a string such as 'softmax': "
            f"got an object of type {type(name).__name__}, which is not a string."
        )
    if name not in known:
        near = difflib.get_close_matches(name, known)
        guess = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(
            f"an exercise is looked up by its name: got {name!r}, which is none of the "
            f"{len(known)} known.{guess} Known are: {', '.join(known)}."
        )
    return importlib.import_module(f"{exercises.__name__}.{name}").EXERCISE


def _beyond(name: str, last: int) -> str:
    return f'There are no more than {last} hints. What is left is the answer: `solution("{name}")`.'


def _source(function: Callable) -> str:
    """Give a function's real source, without the docstring that is shown beside it."""
    source = textwrap.dedent(inspect.getsource(function))
    lines = source.splitlines()
    docstring = ast.parse(source).body[0].body[0]
    return "\n".join(lines[: docstring.lineno - 1] + lines[docstring.end_lineno :])
