"""A task of a homework as its judge knows it: references, cases, promises and known mistakes.

A task's file is `course/homework/tasks/NAME.py`, called like the function that a student writes; it
holds one `Task` by the name TASK. What a student reads of it, its points and a teacher's solution
stand in the sheet (`course.homework.sheet`).
"""

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attnlib.checks.exercise import Case, Exercise, Fact, Mistake, Promise
from course import BuildError

TASKS = Path(__file__).parent / "tasks"
N_DRAWN = 40
ANY = Promise(
    "random inputs of random sizes are right",
    "Some input that the statement allows has another answer than yours. Try sizes of 1, several "
    "leading axes, and large numbers together with things that are hidden, tied or missing.",
)
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
READ_AGAIN = ("The statement of the task says what holds.", "Its hints stand below the statement.")


@dataclass(frozen=True)
class Edge:
    """An end of what a task allows to come in, and what an answer that is wrong there alone costs.

    Parameters
    ----------
    words : str
        What is so there, after "where".
    holds : callable
        ``holds(*inputs) -> bool``: whether these inputs lie there.
    costs_a_point : bool
        Or nothing but a remark. What is no edge costs all of the task's points.
    hint : str
        What to think of there.
    """

    words: str
    holds: Callable[..., bool]
    costs_a_point: bool = True
    hint: str = "Nothing comes in there, and the answer still has a shape."


def is_empty(*inputs) -> bool:
    """Whether one of the arrays holds nothing."""
    return any(isinstance(x, np.ndarray) and not x.size for x in inputs)


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is known of a function to write; everything is as in `attnlib.checks.exercise.Exercise`.

    Parameters
    ----------
    answer : callable
        The reference; its parameters are those of the student's function.
    cases : callable
        Gives the plain examples afresh. They stand in the student's notebook, so they are few,
        small, and of few digits.
    promises : callable
        Gives afresh, for each promise, the inputs that hold an answer to it; no student sees them.
    draw : callable
        ``draw(rng)`` gives random inputs, of sizes that are random too. A judge tries some.
    mistakes : tuple of Mistake
        The known ones, four at least.
    facts : tuple of Fact
        What else holds for right answers.
    parts : tuple of str
        Names of the arrays to return, where there are several.
    edges : tuple of Edge
        Where a wrong answer does not cost all of the task's points. All edges together cost one.
    """

    answer: Callable
    cases: Callable[[], Iterable[Case]]
    promises: Callable[[], Mapping[Promise, Iterable[tuple]]]
    draw: Callable[[np.random.Generator], tuple]
    mistakes: tuple[Mistake, ...]
    facts: tuple[Fact, ...] = ()
    parts: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()

    def edge_of(self, inputs: tuple) -> Edge | None:
        """Return the edge at which inputs lie, if they lie at one."""
        return next((edge for edge in self.edges if edge.holds(*inputs)), None)

    def exercise(self, solution: Callable) -> Exercise:
        """Return it as an exercise with a solution, such as the sheet's."""
        return Exercise(
            solution=solution,
            answer=self.answer,
            cases=self.cases,
            promises=self._all_promises,
            facts=self.facts,
            mistakes=self.mistakes,
            hints=READ_AGAIN,
            parts=self.parts,
        )

    def _all_promises(self) -> dict[Promise, Iterable[tuple]]:
        """Give those of the task, and random inputs, the same every time."""
        rng = np.random.default_rng(2017)
        return {**self.promises(), ANY: [self.draw(rng) for _ in range(N_DRAWN)]}


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


def find_task(name: str, folder: Path | None = None) -> Task:
    """Read the task of a function from a folder of such files, or from ours.

    Raises
    ------
    BuildError
        If there is no such file, or it holds no Task.
    """
    path = find_file(name, folder)
    spec = importlib.util.spec_from_file_location(f"homework_task_{name}", path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BuildError(f"reading {path}: {type(error).__name__}: {error}") from error
    if not isinstance(getattr(module, "TASK", None), Task):
        raise BuildError(f"reading {path}: it holds no TASK, a course.homework.task.Task")
    return module.TASK
