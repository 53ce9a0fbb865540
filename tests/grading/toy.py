"""A small assignment, and submissions to it."""

import json
from contextlib import suppress

import numpy as np

from course.grading.book.gradebook import Gradebook
from course.grading.judge import Assignment
from course.grading.replies import Ran, Reply
from course.grading.run import grade, handed, students

TWICE = """
import numpy as np
from attnlib.checks.exercise import Case, Exercise, Promise, mistake

ROWS = Promise("tables of any size are right", "Does it work without rows, too?")

def answer(x):
    return x + x

@mistake("squared")
def squared(x):
    \"\"\"You squared it.

    Twice a number is the number and the number.
    \"\"\"
    return x * x

TASK = Exercise(
    answer=answer,
    cases=lambda: [Case("three numbers", (np.array([1.0, 0.5, -2.0]),))],
    promises=lambda: {ROWS: [(np.ones((3, 2)),), (np.zeros((0, 5)),)]},
    draw=lambda rng: (rng.normal(size=rng.integers(1, 6, size=2)),),
)
"""
MENDED = TWICE.replace("return x + x", "return x * x", 1).replace('@mistake("squared")\n', "")
SUMS = """
import numpy as np
from attnlib.checks.exercise import Case, Exercise, Promise, mistake

WIDE = Promise("wide tables are right", "Which axis is summed?")

@mistake("an axis too far")
def an_axis_too_far(x):
    \"\"\"You summed along an axis that is not there.

    Axes are counted from 0.
    \"\"\"
    return x.sum(axis=x.ndim)

TASK = Exercise(
    answer=lambda x: x.sum(axis=-1),
    cases=lambda: [Case("a table", (np.array([[1.0, 2.0], [3.0, 4.0]]),))],
    promises=lambda: {WIDE: [(np.arange(12.0).reshape(2, 6),)]},
    draw=lambda rng: (rng.normal(size=rng.integers(1, 6, size=2)),),
)
"""
LISTED = {
    "assignment": "hw1",
    "notebook": "hw1_toy.ipynb",
    "title": "A toy",
    "points": 10,
    "tasks": [
        {"function": "twice", "title": "Twice", "points": 4},
        {"function": "sums", "title": "Sums", "points": 3},
    ],
    "written": [{"question": "why", "title": "Why", "points": 3, "rubric": "Because."}],
}
HONEST = (
    "import numpy as np",
    "def twice(x):\n    return 2 * x",
    "def sums(x):\n    return x.sum(-1)",
)


def put_assignment(folder, copies=()):
    """Write the assignment, which asks for `twice` by other names as well; return the folder."""
    (folder / "tasks").mkdir(parents=True)
    (folder / "tasks" / "sums.py").write_text(SUMS)
    for name in ("twice", *copies):
        (folder / "tasks" / f"{name}.py").write_text(TWICE)
    more = [{"function": name, "title": name, "points": 1} for name in copies]
    (folder / "hw1.json").write_text(json.dumps(LISTED | {"tasks": [*LISTED["tasks"], *more]}))
    return folder


def notebook(*cells, answer="Because."):
    """Make a notebook of code cells, with a written answer."""
    made = [
        {"cell_type": "code", "id": f"code-{number}", "source": source, "metadata": {}}
        for number, source in enumerate(cells)
    ]
    given = {"nbgrader": {"solution": True, "grade": True, "grade_id": "why"}}
    made.append({"cell_type": "markdown", "id": "why", "source": answer, "metadata": given})
    book = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1)


def hand_in(folder, student, *cells, name="hw1_toy.ipynb", answer="Because."):
    """Put a student's notebook where the grader looks for it; return its path."""
    place = folder / student / "hw1"
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(notebook(*cells, answer=answer), encoding="utf-8")
    return place / name


def command(room, *options):
    """Return what `grade` is told, to grade the class of a room."""
    return ["hw1", str(room / "in"), "--gradebook", str(room / "grades.sqlite"), "--source",
            str(room / "hw"), "--jobs", "2", *options]  # fmt: skip


def points(room):
    """Return each student's points in a room's gradebook, or why there are none."""
    with Gradebook(room / "grades.sqlite") as book:
        found = {who: [mark.points for mark in of] for who, of in book.marks("hw1").items()}
        return found | book.ungraded("hw1")


def graded(room, runner, *, jobs=1, **more):
    """Grade all who handed in, in a room with an assignment; return their points."""
    assignment = Assignment("hw1", room / "hw")
    found = [handed(room / "in", who, assignment) for who in students(room / "in", "hw1")]
    counted = []
    with Gradebook(room / "grades.sqlite") as book:
        grade(found, assignment, book, runner, jobs=jobs, on_done=counted.append, **more)
    assert len(counted) == len(found)
    return points(room)


def called(cells, calls):
    """Call what cells define, here and at once; return what came of it."""
    names = {}
    with np.errstate(all="ignore"):
        for cell in cells:
            with suppress(Exception):  # of a notebook's own tests
                exec(cell, names)
        return answering(calls, lambda name, *x: Reply("answer", names[name](*x)))


def answering(calls, reply):
    """Reply to each call in this way, given the function's name and what comes in."""
    return Ran({one.function: [reply(one.function, *x) for x in one.inputs] for one in calls})


class StandIn:
    """In place of a runner: what a class of this kind says when it is asked, without a sandbox."""

    def probe(self):
        """Whatever is asked for a sandbox, there is one."""

    def stop(self):
        """Nothing runs."""


class Calling(StandIn):
    """Calls what the cells define, here."""

    def run(self, cells, calls):
        return called(cells, calls)
