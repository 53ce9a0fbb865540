"""Tests that a notebook carries: stored inputs and stored answers, and no reference."""

import inspect
import pprint
import re
from collections.abc import Sequence

import numpy as np

from attnlib.checks.calling import call
from attnlib.checks.exercise import Case, Exercise
from attnlib.checks.known import Trace, is_same, pack, trace
from course import BuildError
from course.homework.task import Example

WIDTH = 96
DIGITS = 8  # of an answer, the same on every machine; the tests compare four
VISIBLE_DIGITS, HIDDEN_DIGITS = 12, 8  # of inputs: chosen by hand, or drawn
NOTHING = 1e-13  # of the largest number: what rounding leaves where there is 0
MOST_NUMBERS = 120  # in a hidden case: the others are left to a judge that makes them anew
CASES = "### CASES"
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


def stored_tests(
    name: str, task: Exercise, asserted: list[str], varied: Sequence[str] = (), *, hidden: bool
) -> str:
    """Write the tests of a task as code.

    Parameters
    ----------
    name
        The function.
    task
        What judges it.
    asserted
        Code that asserts properties, as the sheet has it. The visible cases stand in front of it,
        or where it has the line ``### CASES``.
    varied
        Lines for the teacher alone: what is each group's own in this task.
    hidden
        Whether the cases of the promises are there too, between the marks by which nbgrader
        takes them out.
    """
    cases, known = [*task.cases()], ""
    if found := _known(name, task, cases):
        known = f'# known mistakes, for what is said when a test fails\nknown = "{pack(found)}"\n\n'
    tests = (_test(name, task, case, VISIBLE_DIGITS, known=bool(found)) for case in cases)
    cases = known + "\n\n".join(tests)
    code = "\n\n".join(asserted)
    code = code.replace(CASES, cases) if CASES in code else f"{cases}\n\n{code}".strip()
    code += f'\n\nprint("{name} passes the tests that you see")'
    if hidden and (more := [*varied, *_promised(name, task)]):
        code = "\n".join([code, BEGIN_HIDDEN, *more, END_HIDDEN])
    return code


def _promised(name: str, task: Exercise) -> list[str]:
    """Write the small ones among the promises' cases; what an example shows is not stored."""
    if isinstance(task, Example):
        return []
    cases = [
        Case(promise.name, inputs, promise)
        for promise, found in task.promises().items()
        for inputs in found
    ]
    return [_test(name, task, case, HIDDEN_DIGITS) for case in cases if case.size <= MOST_NUMBERS]


def _known(name: str, task: Exercise, cases: list[Case]) -> dict[str, list[tuple[Trace, str]]]:
    """Give for each case what the mistakes answer that are right in all cases before it.

    Of those that answer alike nobody knows which it is, so these are left out.
    """
    found: dict[str, list] = {}
    for known in task.mistakes:
        for case in cases:
            due, got = (call(f, case.inputs, task.parts) for f in (task.answer, known.function))
            if not got.answers(due):
                if got.kind == "answer" and (mine := trace(got.arrays)):
                    words = f"{known.sentence} {known.hint}"
                    found.setdefault(_label(name, case), []).append((mine, words))
                break
    alone = {
        label: [one for one in some if sum(is_same(one[0], x, 10) for x, _ in some) == 1]
        for label, some in found.items()
    }
    return {label: some for label, some in alone.items() if some}


def _label(name: str, case: Case) -> str:
    return f"{name} ({case.shows})"


def _test(name: str, task: Exercise, case: Case, digits: int, *, known: bool = False) -> str:
    """Write one call and what it should return; inputs keep so many digits."""
    inputs = tuple(_rounded(x, digits) if isinstance(x, np.ndarray) else x for x in case.inputs)
    outcome = call(task.answer, inputs, task.parts)
    if outcome.kind != "answer":
        raise BuildError(f"the reference of {name} has no answer for {case.shows}: {outcome.words}")
    lines, arguments = [f"# {case.shows}"], []
    names = inspect.signature(task.answer).parameters
    for parameter, value in zip(names, inputs, strict=True):
        if isinstance(value, np.ndarray):
            lines.append(_assigned(parameter, literal(value)))
            arguments.append(parameter)
        else:
            arguments.append(literal(value))
    called, label = f"{name}({', '.join(arguments)})", f'"{_label(name, case)}"'
    due = tuple(_whole(_rounded(x, DIGITS, nothing=NOTHING)) for x in outcome.arrays)
    lines.append(_assigned("expected", literal(due if task.parts else due[0])))
    given = [called, "expected", label, *["known"] * known]
    checked = f"expect({', '.join(given)})"
    if len(checked) > WIDTH:
        checked = "\n".join(["expect(", *(f"    {one}," for one in given), ")"])
    return "\n".join([*lines, checked])


def literal(value) -> str:
    """Write a value as code that gives it again."""
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if not isinstance(value, np.ndarray):
        return _named(repr(value.item() if isinstance(value, np.generic) else value))
    if value.ndim == 0:
        return literal(value.item())
    if not value.size:
        kind = "" if value.dtype == np.float64 else f", dtype=np.{value.dtype.name}"
        return f"np.zeros({value.shape}{kind})"
    return f"np.array({_named(pprint.pformat(value.tolist(), width=WIDTH - 24, compact=True))})"


def _assigned(name: str, code: str) -> str:
    """Write an assignment; lines below the first stand below its bracket."""
    first, *others = code.split("\n")
    indent = " " * (len(name) + len(" = np.array("))
    return "\n".join(
        [f"{name} = {first}", *(indent + line.lstrip(" ").rjust(len(line)) for line in others)]
    )


def _named(code: str) -> str:
    return re.sub(r"(?<![\w.'\"])(inf|nan)\b", r"np.\1", code)


def _rounded(x: np.ndarray, digits: int, *, nothing: float = 0.0) -> np.ndarray:
    """Keep the digits that count; what is smaller than a share of the largest becomes 0."""
    if x.dtype.kind != "f":
        return x
    least = nothing * np.max(np.abs(x[np.isfinite(x)]), initial=0)
    rounded = [0.0 if abs(number) < least else float(f"{number:.{digits}g}") for number in x.flat]
    return np.array(rounded).reshape(x.shape)


def _whole(x: np.ndarray) -> np.ndarray:
    """Make an array of whole numbers of one that holds no others."""
    is_whole = x.dtype.kind == "f" and x.size and ((x == np.rint(x)) & (np.abs(x) < 2**53)).all()
    return x.astype(np.int64) if is_whole else x
