"""Hold a sheet's solution against its task's reference, and the known mistakes against the cases.

The two are written apart, one for students and one for the judge. Where they part, whoever answers
as the sheet does would lose the points.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from attnlib.checks.engine import examine
from attnlib.checks.exercise import Exercise
from course.files import ROOT
from course.homework.task import find_task, judged
from course.homework.variants import Values

CODE = """\
import sys

sys.path.insert(0, {root!r})
from course.homework.held import tell

tell({name!r}, {name}, {tasks!r}, {values!r})"""


def code_of(name: str, tasks: Path, values: Values) -> str:
    """Write a cell that holds a function where the sheet's cells have run, and prints what for.

    Its task has the same name, may be in the folder `tasks`, and takes a group's values.
    """
    return CODE.format(root=str(ROOT), name=name, tasks=str(tasks.absolute()), values=dict(values))


def tell(name: str, solution: Callable, tasks: str, values: Values) -> None:
    """Print, for `heard`, how a solution parts from its reference, and which mistakes pass."""
    task = find_task(name, Path(tasks), values)
    sys.stdout.write(json.dumps([parting(task, solution), uncaught(task)]))


def heard(cell) -> tuple[str, list[str]]:
    """Read what such a cell printed."""
    words, names = json.loads("".join(output.text for output in cell.outputs))
    return words, names


def parting(task: Exercise, solution: Callable) -> str:
    """Say where a solution is not what the task asks for; nothing if it is everywhere.

    It is tried on the examples, on all inputs of the promises and on random ones, and may change no
    input.
    """
    report = examine(task, judged(task, solution))
    return "" if report.status == "passed" else str(report)


def uncaught(task: Exercise) -> list[str]:
    """Name the known mistakes that are right in every case: nobody who makes them hears of it."""
    return [
        known.name for known in task.mistakes if examine(task, known.function).status == "passed"
    ]
