"""`python -m course new`: a skeleton works as it stands, and no end of one stays open."""

import base64
import contextlib
import io
import json
import re
import runpy
import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from nbformat.v4 import new_output

import attnlib
from attnlib import widgets
from attnlib.checks import exercises
from course import BuildError
from course.files import ROOT
from course.grading.judge import Assignment, examine
from course.grading.submission import Submission
from course.homework.__main__ import main as homework
from course.homework.sheet import Sheet
from course.html.page import page as html_page
from course.lesson.series import find_lessons
from course.new.__main__ import main
from course.new.skeleton import KINDS, SHARED, WIDGETS, open_ends, skeleton, written_by_hand
from course.slides.deck import deck
from images.page import save
from tests.grading.toy import Calling
from tests.lessons import WALK
from tests.toys import put_lesson


@pytest.fixture
def root(tmp_path):
    """Return a folder with what a skeleton is seen beside."""
    for name in ("notebooks/src/04_self_attention.md", "images/04_whole.png", WIDGETS, SHARED):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def new(root, kind, name):
    """Write a skeleton, and return what is printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main([kind, name], root) == 0
    return printed.getvalue()


def outputs(code):
    """Return what stands for the outputs of a cell that draws, prints or checks."""
    picture = base64.b64encode((ROOT / "images/01_shadow.png").read_bytes()).decode()
    alt = {"image/png": {"alt": "Drawn."}}
    drawn = new_output("display_data", {"image/png": picture}, metadata=alt)
    told = new_output("stream", text="told\n")
    return [drawn] * ("plt.show" in code) + [told] * ("print" in code or "check(" in code)


def test_no_end_is_left_open():
    ends = open_ends(written_by_hand())
    assert not ends, "\n".join(ends)


def test_files_that_a_skeleton_begins_are_read_to_find_its_open_ends():
    found = {path.as_posix() for path in written_by_hand()}
    for path in [path for files in KINDS.values() for path in files.values()]:
        known = path.replace("NN_my_name", WALK[1] if path.endswith(".md") else "01_shadow")
        assert known.replace("my_name", "softmax") in found


def test_a_lesson_has_all_its_parts_and_is_shown_in_every_face(root, monkeypatch, agg):
    new(root, "lesson", "11_row_means")
    drawn = runpy.run_path(str(root / "images/11_row_means.py"))
    alt = " ".join(drawn["__doc__"].partition("\n\n")[2].split())
    save(drawn["draw"](), root / "images/11_row_means.png", alt)
    text = (root / "notebooks/src/11_row_means.md").read_text("utf-8").replace("{{ next }}", "")
    code = re.findall(r"^```{code-cell}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lesson = put_lesson(root, "11_row_means", text, [outputs(cell) for cell in code])
    assert (lesson.exercises, lesson.harder) == (["row_means"], ["row_means"])
    assert (lesson.number, lesson.picture, lesson.found[0]) == ("11", "11_row_means", "my name")
    assert "`row_means`, as a harder task" in lesson.notebook.cells[0].source
    assert alt in html_page(lesson)
    assert len(lesson.slides) == 6  # five of its own, and what the lesson before has left
    parts = shutil.ignore_patterns("src", "__pycache__")
    shutil.copytree(ROOT / "attnlib", root / "attnlib", ignore=parts, dirs_exist_ok=True)
    assert deck(lesson, measured=False).count("<section") >= 6
    monkeypatch.setattr(exercises, "__path__", [str(root / "attnlib/checks/exercises")])
    monkeypatch.setattr(plt, "show", lambda: None)
    names = {}
    for cell in lesson.notebook.cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
    assert names["together"].tolist() == [3, 4]


def test_an_exercise_tells_its_mistakes_apart(root, monkeypatch):
    new(root, "exercise", "row_means")
    folder = str(root / "attnlib/checks/exercises")
    monkeypatch.setattr(exercises, "__path__", [folder])
    spec = runpy.run_path(f"{folder}/row_means.py")["EXERCISE"]
    own = runpy.run_path(str(root / "tests/checks/exercises/row_means.py"))
    for right in (spec.solution, *own["VARIANTS"]):
        assert attnlib.check("row_means", right).status == "passed"
    assert len(spec.mistakes) >= 5
    for mistake in spec.mistakes:
        assert attnlib.check("row_means", mistake.function).mistake == mistake.name
    for _, wrong in own["wrong"]():
        report = attnlib.check("row_means", wrong)
        assert (report.status, report.mistake) == ("failed", None)


def test_a_widget_is_public_and_passes_the_tests_that_come_with_it(root, monkeypatch):
    new(root, "widget", "number_line")
    listed = (root / WIDGETS).read_text("utf-8")
    assert "mask import Mask\n    from attnlib.widgets.number_line import NumberLine\n" in listed
    assert '    "Mask",\n    "NumberLine",\n    "Positions",\n' in listed
    defaults = json.loads((root / SHARED).read_text("utf-8"))["defaults"]
    made = runpy.run_path(str(root / "attnlib/widgets/number_line.py"))["NumberLine"]
    assert defaults["NumberLine"] == {"x": made().x}
    monkeypatch.setattr(widgets, "NumberLine", made, raising=False)
    own = runpy.run_path(str(root / "tests/widgets/test_number_line.py"))
    own["test_the_square_follows_the_number"]()
    own["test_nonsense_is_refused_in_three_parts"]()
    own["test_the_still_shows_the_number_and_its_square"](-3)
    view = (root / "attnlib/widgets/src/number_line.jsx").read_text("utf-8")
    assert 'from "./number_line.css"' in view
    assert "export function View(" in view  # by which the bundle finds it


def test_what_is_open_is_told_one_by_one_with_file_and_line(root):
    printed = new(root, "lesson", "11_row_means")
    assert "attnlib/checks/exercises/row_means.py: written\n" in printed
    ends = open_ends(written_by_hand(root), root)
    told = re.findall(r"^ *(\d+)\. (.*)$", printed.partition("What is open:\n")[2], re.MULTILINE)
    assert [int(number) for number, _ in told] == list(range(1, len(told) + 1))
    assert {end for _, end in told} > set(ends)
    assert "notebooks/src/11_row_means.md:14: which one question does this lesson answer?" in ends


def test_a_line_of_any_language_ends_with_what_is_open(tmp_path):
    lines = {
        '"""Draw. OPEN: all of it."""': "all of it.",
        "/* OPEN: colours */": "colours",
        "*OPEN: which one?*": "which one?",
        ':alt: "OPEN: what is seen."': "what is seen.",
        "x = 1  # OPEN: numbers": "numbers",
    }
    Path(tmp_path / "a").write_text("nothing\n" + "\n".join(lines))
    assert open_ends([Path("a")], tmp_path) == [
        f"a:{number}: {what}" for number, what in enumerate(lines.values(), 2)
    ]


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("lesson", "row_means", "like 12_my_name: 'row_means' came in"),
        ("lesson", "11_RowMeans", "like 12_my_name: '11_RowMeans' came in"),
        ("lesson", "04_row_means", "came in, and 04 is 04_self_attention"),
        ("lesson", "11_self_attention", "and self_attention stands in 04_self_attention"),
        ("exercise", "lambda", "like my_name: 'lambda' came in"),
        ("exercise", "11_row_means", "like my_name: '11_row_means' came in"),
        ("widget", "RowMeans", "like my_name: 'RowMeans' came in"),
        ("widget", "../x", r"like my_name: '\.\./x' came in"),
    ],
)
def test_a_name_that_will_not_do_is_refused_in_three_parts(root, kind, name, told):
    with pytest.raises(BuildError, match=told) as error:
        skeleton(kind, name, root)
    assert str(error.value).startswith(f"the name of a new {kind} is like ")


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_that_is_there_is_written_over(root, kind, capsys):
    name = "11_row_means" if kind == "lesson" else "row_means"
    last = list(KINDS[kind].values())[-1].replace("NN_my_name", name).replace("my_name", name)
    (root / last).parent.mkdir(parents=True, exist_ok=True)
    (root / last).write_text("mine")
    before = {p: p.read_bytes() for p in root.rglob("*") if p.is_file()}
    assert main([kind, name], root) == 1
    assert capsys.readouterr().err.endswith(f"{last} is there already\n")
    assert {p: p.read_bytes() for p in root.rglob("*") if p.is_file()} == before


def test_a_lesson_takes_an_exercise_that_is_there_and_stands_nowhere(root):
    new(root, "exercise", "row_means")
    assert "exercises/row_means.py: written" not in new(root, "lesson", "11_row_means")
    assert find_lessons(root / "notebooks")["11_row_means"].exercises == ["row_means"]


def test_an_assignment_builds_and_grades_as_it_is(tmp_path, capsys):
    named = ["assignment", "hw7_my_sheet", "--into", str(tmp_path), "--tasks", "one", "two_more"]
    assert main(named) == 0
    told = capsys.readouterr().out
    assert "tasks/two_more.py: written" in told
    assert "src/hw7_my_sheet.md:8: what it is called\n" in told
    assert homework(["hw7", "--source", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "hw7_my_sheet: written, 2 tasks, 30 points\n"
    sheet = Sheet(tmp_path / "src/hw7_my_sheet.md", "B")
    cells = [cell.source for cell in sheet.cells if cell.cell_type == "code"]
    for group, due in (("B", "correct"), ("A", "wrong")):
        judged = Assignment("hw7", tmp_path).of(group)
        marks = examine(judged, b"secret", "ada", Submission(tuple(cells)), Calling())
        assert {mark.task: mark.verdict for mark in marks} == dict.fromkeys(
            ["one", "two_more"], due
        )
    for wrong, why in (
        (named, "hw7_my_sheet.md, "),
        ([*named[:1], "my_sheet", *named[2:]], "the name of a new assignment is like hw1_my_name"),
        ([*named[:-1], "one"], "no two alike"),
    ):
        assert main(wrong) == 1
        assert why in capsys.readouterr().err
