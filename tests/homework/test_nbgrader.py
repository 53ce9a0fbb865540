"""Assignments in the real nbgrader, as a teacher uses it: release, collect, grade."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest

from course.files import HOMEWORK
from course.homework.sheet import find_sheets

pytestmark = [pytest.mark.needs("nbgrader"), pytest.mark.full, pytest.mark.timeout(600)]

SHEETS = {sheet.number: sheet for sheet in find_sheets()}
GRADED = "hw2"  # one will do: what stored tests make of answers, tests/homework/test_tasks.py tells
every_assignment = pytest.mark.parametrize("number", SHEETS)
SCORES = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as gradebook:
    print(json.dumps({
        one.student.id: {grade.name: grade.auto_score for grade in one.notebooks[0].grades}
        for one in gradebook.assignment_submissions(sys.argv[1])
    }))
"""


def nbgrader(folder, *command, code=0):
    """Run a command of nbgrader's in a course's folder; return what it prints."""
    return _run(folder, "-m", "nbgrader", *command, code=code)


def _run(folder, *arguments, code=0):
    scripts = Path(sys.executable).parent  # nbgrader calls alembic by its name
    # Sockets in a private folder: no port to lose to another kernel.
    with tempfile.TemporaryDirectory(prefix="kernels-") as room:
        sockets = {"KernelManager": {"transport": "ipc", "ip": str(Path(room, "kernel"))}}
        Path(room, "jupyter_config.json").write_text(json.dumps(sockets))
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env=os.environ
            | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}
            | {"JUPYTER_RUNTIME_DIR": room, "JUPYTER_CONFIG_DIR": room},
            capture_output=True,
            text=True,
            timeout=500,
        )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def notebook(kind, number):
    return HOMEWORK / kind / number / f"{SHEETS[number].name}.ipynb"


def sources(path):
    return [
        (
            cell.cell_type,
            cell.source,
            {**cell.metadata.get("nbgrader", {}), "checksum": 0, "cell_type": 0},
        )
        for cell in nbformat.read(path, 4).cells
    ]


def released(number, folder):
    """Make a course's folder with one assignment, and hand that out."""
    shutil.copy(HOMEWORK / "nbgrader_config.py", folder)
    shutil.copytree(HOMEWORK / "teacher" / number, folder / "teacher" / number)
    nbgrader(folder, "generate_assignment", number)
    return folder / "student" / number / f"{SHEETS[number].name}.ipynb"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course's folder with one assignment: released, handed in by many, and graded."""
    number, folder = GRADED, tmp_path_factory.mktemp(GRADED)
    released(number, folder)
    for student, cells in submissions(SHEETS[number]).items():
        place = folder / "submitted" / student / number
        place.mkdir(parents=True)
        submitted = nbformat.read(folder / "student" / number / notebook("student", number).name, 4)
        for cell in submitted.cells:
            cell.source = cells.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        nbformat.write(submitted, place / notebook("student", number).name)
    nbgrader(folder, "autograde", number)
    return SHEETS[number], folder, json.loads(_run(folder, "-c", SCORES, number))


def submissions(sheet):
    """Give what students put into the cells of their tasks, by student and task."""
    right = {item.name: sheet.cells[item.cell].source for item in sheet.tasks}
    wrong = {
        item.name: sheet.stub(item).replace("return ...", "return 0.5") for item in sheet.tasks
    }
    return {
        "all-right": right,
        "untouched": {},
        **{f"wrong-{name}": right | {name: wrong[name]} for name in right},
    }


@every_assignment
def test_our_notebook_for_students_is_what_nbgrader_makes_of_the_teachers(number, tmp_path):
    assert sources(released(number, tmp_path)) == sources(notebook("student", number))


def test_marks_are_those_that_were_earned(course):
    sheet, _, scores = course
    full = {f"{item.name}-tests": item.points for item in sheet.tasks}
    (question,) = (item.name for item in sheet.items if item.written)
    for student, earned in scores.items():
        marks = {name: mark for name, mark in earned.items() if name != question}
        wrong = student.removeprefix("wrong-")
        due = {"untouched": dict.fromkeys(full, 0)}.get(student, full | {f"{wrong}-tests": 0})
        due.pop("all-right-tests", None)
        assert marks == due, student
    assert len(scores) == len(sheet.tasks) + 2


def test_validate_says_that_the_teachers_notebook_passes(tmp_path):
    passed = nbgrader(tmp_path, "validate", str(notebook("teacher", GRADED)))
    assert "Success! Your notebook passes all the tests." in passed


@every_assignment
def test_validate_says_what_is_not_attempted(number, tmp_path):
    failed = nbgrader(tmp_path, "validate", str(notebook("student", number)))
    assert f"VALIDATION FAILED ON {len(SHEETS[number].tasks)} CELL(S)!" in failed
    told = re.findall(r"^ *(\w+) \(.*\n *Not attempted yet\.\n", failed, re.MULTILINE)
    assert told == [item.name for item in SHEETS[number].tasks]
