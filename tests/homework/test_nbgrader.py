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
from tests.conftest import weekly

pytestmark = [pytest.mark.needs("nbgrader"), pytest.mark.full, pytest.mark.timeout(600)]

SHEETS = {sheet.number: sheet for sheet in find_sheets()}
GRADED = "hw2"  # one will do: what stored tests make of answers, tests/homework/test_tasks.py tells
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A course's folder with all assignments, handed out at once: starting nbgrader takes long."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copy(HOMEWORK / "nbgrader_config.py", folder)
    for number in SHEETS:
        shutil.copytree(HOMEWORK / "teacher" / number, folder / "teacher" / number)
    nbgrader(folder, "generate_assignment", "*")
    return folder


def released(folder, number):
    """Return what nbgrader hands out of an assignment."""
    return folder / "student" / number / f"{SHEETS[number].name}.ipynb"


@pytest.fixture(scope="module")
def scores(folder):
    """What nbgrader gives for each student's tasks, once one assignment was handed in by many."""
    for student, cells in submissions(SHEETS[GRADED]).items():
        place = folder / "submitted" / student / GRADED
        place.mkdir(parents=True)
        submitted = nbformat.read(released(folder, GRADED), 4)
        for cell in submitted.cells:
            cell.source = cells.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        nbformat.write(submitted, place / released(folder, GRADED).name)
    nbgrader(folder, "autograde", GRADED)
    return json.loads(_run(folder, "-c", SCORES, GRADED))


def submissions(sheet):
    """Give what students put into the cells of their tasks, by student and task."""
    right = {item.name: sheet.cells[item.cell].source for item in sheet.tasks}
    wrong = {
        item.name: sheet.stub(item).replace("return ...", "return 0.5") for item in sheet.tasks
    }
    every_other = {name: wrong[name] for name in list(wrong)[::2]}
    return {
        "all-right": right,
        "untouched": {},
        "every-other-wrong": right | every_other,
        "the-others-wrong": wrong | {name: right[name] for name in every_other},
    }


@pytest.mark.parametrize("number", SHEETS)
def test_our_notebook_for_students_is_what_nbgrader_makes_of_the_teachers(number, folder):
    assert sources(released(folder, number)) == sources(notebook("student", number))


def test_marks_are_those_that_were_earned(scores):
    tasks = SHEETS[GRADED].tasks
    full = {f"{item.name}-tests": item.points for item in tasks}
    none = dict.fromkeys(full, 0)
    of_every_other = dict(list(full.items())[::2])
    due = {
        "all-right": full,
        "untouched": none,
        "every-other-wrong": full | dict.fromkeys(of_every_other, 0),
        "the-others-wrong": none | of_every_other,
    }
    (question,) = (item.name for item in SHEETS[GRADED].items if item.written)
    assert due == {
        student: {name: mark for name, mark in earned.items() if name != question}
        for student, earned in scores.items()
    }


def test_validate_says_what_passes_and_what_is_not_attempted(tmp_path, request):
    numbers = SHEETS if weekly(request.config) else [GRADED]
    notebooks = [notebook("teacher", GRADED), *(notebook("student", number) for number in numbers)]
    said = nbgrader(tmp_path, "validate", *map(str, notebooks))
    passed, *failed = re.split("^(?=VALIDATION FAILED ON)", said, flags=re.MULTILINE)
    assert passed.strip() == "Success! Your notebook passes all the tests."
    for sheet, told in zip(map(SHEETS.get, numbers), failed, strict=True):
        assert f"VALIDATION FAILED ON {len(sheet.tasks)} CELL(S)!" in told
        names = re.findall(r"^ *(\w+) \(.*\n *Not attempted yet\.\n", told, re.MULTILINE)
        assert names == [item.name for item in sheet.tasks]
