"""A task of a homework as its judge knows it: references, cases, promises and known mistakes.

A task's file is `course/homework/tasks/NAME.py`, called like the function that a student writes; it
holds one `Exercise` by the name TASK. What a student reads of it, its points and a teacher's
solution stand in the sheet (`course.homework.sheet`).
"""

import ast
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType, ModuleType

import numpy as np

from attnlib.checks.calling import read
from attnlib.checks.exercise import Exercise, Mistake, Promise
from course import BuildError
from course.homework.variants import Values, set_constants

NONE: Values = MappingProxyType({})
TASKS = Path(__file__).parent / "tasks"
MOST_AXES, LONGEST = 4, 9  # of an example's arrays
# Sheets promise these where they say that an axis may have the length 0; lessons never do.
EMPTY = Promise(
    "an empty batch gives an empty answer",
    "Nothing comes in and nothing comes out, but the answer still has a shape. A loop that never "
    "runs loses it, and a reshape cannot work out what -1 stands for, so write every size out.",
)
NO_QUERIES = Promise(
    "no queries give an answer without rows",
    "With no queries there are no rows to fill, and yet the answer keeps all its axes. Work on "
    "whole arrays, or begin with `np.zeros` of the right shape.",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Example(Exercise):
    """A task that asks for an example: an input that shows a bug, or refutes a claim.

    Many examples are right. So the function to write has no parameters and returns one, and it is
    judged by what `shows` finds in it. That is what `answer` and the known mistakes give: a row of
    1 and -1, each a thing that it shows or does not. A judge calls `shows` on its own side, so
    there is no more of an example than a person would write: `MOST_AXES`, each up to `LONGEST`.
    """

    example: tuple[str, ...]  # the names of its arrays
    shows: Callable[..., np.ndarray]  # `shows(*arrays)`
    draw: None = None  # nothing comes in

    def found(self, result: object) -> object:
        """Return what is judged of a result; a stub and None stay what they are."""
        kind, arrays, _ = read(result, self.example)
        if kind != "answer":
            return result if kind in ("stub", "nothing") else ""
        sizes = [n for x in arrays for n in x.shape]
        is_small = all(0 < n <= LONGEST for n in sizes) and max(x.ndim for x in arrays) <= MOST_AXES
        if is_small and all(np.isfinite(x).all() for x in arrays):
            with np.errstate(all="ignore"), contextlib.suppress(ValueError, IndexError):
                return self.shows(*arrays)
        return -np.ones_like(self.answer())


def judged(task: Exercise, function: Callable) -> Callable:
    """Return what of a function is held against a task: itself, or what its example shows."""
    return (lambda: task.found(function())) if isinstance(task, Example) else function


def finite(made: Callable, numbers: str, sentence: str, hint: str) -> list[Mistake]:
    """Make known mistakes of numbers in place of -inf; ``made(number)`` gives the wrong function.

    One of each kind is enough: two that are low enough in the same cases answer alike.
    """
    return [
        Mistake(f"{number}, say, for -inf", made(float(number)), sentence, hint)
        for number in numbers.split()
    ]


def halved_width(answer: Callable) -> Mistake:
    """Make the mistake of ``/ d ** 1 / 2`` in a task whose first input is the query."""

    def wrong(query, *others):
        return answer(query / (2 * np.sqrt(query.shape[-1])), *others)

    return Mistake(
        "divided by the width, and by 2",
        wrong,
        "You divided the scores by the width, and then by 2.",
        "`** 1 / 2` is a power of 1, and then a half of it. The square root is `** 0.5`, or "
        "`np.sqrt`.",
    )


def is_empty(*inputs) -> bool:
    """Whether one of the arrays holds nothing."""
    return any(isinstance(x, np.ndarray) and not x.size for x in inputs)


def find_file(name: str, folder: Path | None = None) -> Path:
    """Find the file of a function's task in a folder of such files, or among ours.

    Raises
    ------
    BuildError
        If there is none.
    """
    folders = [folder, TASKS] if folder else [TASKS]
    paths = [path for one in folders if (path := one / f"{name}.py").is_file()]
    if not paths:
        looked = " or ".join(str(one) for one in folders)
        raise BuildError(f"the task {name} has no file {name}.py in {looked}")
    return paths[0]


def find_task(name: str, folder: Path | None = None, values: Values = NONE) -> Exercise:
    """Read the task of a function from a folder of such files, or from ours.

    The values are of a group's variants: a constant of the file that has a variant's name has its
    value, whatever the file says there.

    Raises
    ------
    BuildError
        If there is no such file, or it holds no Exercise.
    """
    path = find_file(name, folder)
    module = ModuleType(f"course.homework.tasks.{name}")
    module.__file__ = str(path)
    try:
        tree = ast.parse(path.read_bytes(), str(path))
        set_constants(tree, values)
        exec(compile(tree, str(path), "exec"), module.__dict__)
    except Exception as error:
        raise BuildError(f"reading {path}: {type(error).__name__}: {error}") from error
    if not isinstance(getattr(module, "TASK", None), Exercise):
        raise BuildError(f"reading {path}: it holds no TASK, an attnlib.checks.exercise.Exercise")
    return module.TASK


def taken(name: str, folder: Path | None, values: Values) -> Values:
    """Return those of the values that the task of a function takes."""
    return set_constants(ast.parse(find_file(name, folder).read_bytes()), values)


def with_neighbours(
    task: Exercise, folder: Path | None, groups: Mapping[str, Values], group: str
) -> Exercise:
    """Return a group's task that knows the other groups' answers for mistakes."""
    own, others = taken(task.name, folder, groups[group]), {}
    for letter, values in groups.items():
        if (theirs := tuple(taken(task.name, folder, values).items())) != tuple(own.items()):
            others.setdefault(theirs, []).append(letter)
    neighbours = [
        Mistake(
            f"the answer for group {' or '.join(letters)}",
            find_task(task.name, folder, dict(theirs)).answer,
            f"This is the answer for group {' or '.join(letters)}, and not for yours.",
            "Its head says whose your sheet is. If it is not your group's, take the one that is; "
            "if it is, read the task in it again.",
        )
        for theirs, letters in others.items()
    ]
    return replace(task, mistakes=(*task.mistakes, *neighbours)) if neighbours else task
