"""What lessons say of their widgets: a cell asks for it by a name, and attnlib has it in step."""

import re

import numpy as np
import pytest

from attnlib import text, writer
from attnlib.widgets import Goal, Scaling, Softmax
from course import BuildError
from course.files import ROOT
from course.lesson.widgets import LED, as_file
from tests.lessons import SERIES
from tests.toys import put_lesson
from tests.widgets.goals import TOLD, recorded_with, revived

SCORES = [2.0, 1.0, 0.5, -0.5]
SAYS = """\
  goal: {words: Share., weights: {"1": [0.4, null]}, changing: 1}
  moments:
  - the first wins: {}
  - all alike: {scores: [1, 1]}
  start: {temperature: 2}
"""


def test_what_attnlib_knows_is_what_the_sources_say():
    said = as_file(lesson.led for lesson in SERIES.values())
    assert (ROOT / LED).read_bytes() == said, "make notebooks writes it anew"


def test_a_cell_shows_its_widget_and_no_goal_or_moments():
    for name, lesson in SERIES.items():
        for cell in lesson.notebook.cells:
            code = cell.source if cell.cell_type == "code" else ""
            assert not re.search(r"\bGoal\(|\bmoments *=", code), f"{name}: {code}"


def test_a_widget_takes_what_its_lesson_says():
    widget = Softmax(SCORES, lesson="03")
    words = "Give key 3 half of all the weight, by moving one score."
    assert widget.goal == Goal(words, weights={3: (0.48, 0.52)}, changing=1)
    assert widget.moments[1] == ("5 added to every score", {"shift": 5})
    again = eval(repr(widget), {"Softmax": Softmax, "Goal": Goal})
    assert again.recorded() == widget.recorded()


def test_what_comes_in_goes_before_what_the_lesson_says():
    assert Scaling(lesson="02").seed == 2
    widget = Scaling(lesson="02", seed=5, goal=None, moments=[])
    assert (widget.seed, widget.goal, widget.moments) == (5, None, ())


@pytest.mark.parametrize(
    ("name", "hint"), [("3", " (did you mean 03?)"), (3, " (did you mean 03?)"), ("all", "")]
)
def test_a_lesson_that_is_not_there_is_refused(name, hint):
    with pytest.raises(ValueError, match="lesson must be one of 01, 02, 03, 03 own, ") as told:
        Softmax(SCORES, lesson=name)
    assert f"lesson is {name!r}, and there is none of this name{hint}." in str(told.value)


def test_a_lesson_of_another_widget_is_refused():
    with pytest.raises(ValueError, match="lesson is '02', and this one tells of Scaling"):
        Softmax(SCORES, lesson="02")


def led(root, says, code='widgets.Softmax([2.0, 1.0], lesson="01")'):
    cell = f"```{{code-cell}}\n---\nwidget:{says}---\n{code}\n```\n"
    return put_lesson(root, "01_one", f"# 01 · One\n\n{cell}").led


def test_a_source_is_read(tmp_path):
    goal = {"words": "Share.", "weights": {"1": [0.4, None]}, "changing": 1}
    moments = [{"the first wins": {}}, {"all alike": {"scores": [1, 1]}}]
    said = {"class": "Softmax", "goal": goal, "moments": moments, "start": {"temperature": 2}}
    assert led(tmp_path, f"\n{SAYS}") == {"01": said}


@pytest.mark.parametrize(
    ("says", "code", "problem"),
    [
        (SAYS, "widgets.Softmax([2.0, 1.0])", "is asked for once, by `lesson=\"01\"` in the code"),
        (SAYS, 'widgets.Scaling(lesson="02")', 'a widget here is `lesson="01"` or "01" and a word'),
        ("  goals: {}\n", None, "`widget` has goal, moments, start, or some of these"),
        ("  start: [2]\n", None, "start is a mapping, and [2] is not"),
        ("  moments:\n  - a wins\n", None, "a moment is `- title: {input: value}`, and 'a wins'"),
        ("  moments:\n  - a wins: {off: [1]}\n", None, "False is none; YAML takes off and on"),
    ],
)  # fmt: skip
def test_a_source_that_is_worded_wrongly_is_refused_with_its_line(tmp_path, says, code, problem):
    with pytest.raises(BuildError, match=r"01_one.md line \d+") as told:
        led(tmp_path, f"\n{says}", *[code] * bool(code))
    assert problem in str(told.value)


def test_a_name_is_asked_for_once(tmp_path):
    cell = '```{code-cell}\n---\nwidget: {start: {d: 4}}\n---\nwidgets.Scaling(lesson="01")\n```\n'
    with pytest.raises(BuildError, match='is asked for above, too; call this one "01 …"'):
        _ = put_lesson(tmp_path, "01_one", f"# 01 · One\n\n{cell}\n{cell}").led


def test_the_heads_that_a_moment_leaves_out_are_those_that_look():
    (heads,) = recorded_with("06_multi_head", "_moments")
    shown = revived(heads)
    first = np.flatnonzero(shown.weights[:, shown.word].argmax(axis=1) == 0)  # on [CLS]
    assert dict(shown.moments)["eight switched off"]["off"] == first.tolist()
    _, told = recorded_with("12_a_model_that_writes", "_moments")
    looks = writer.looks(text.writer("trained"), TOLD.split())[:, :, -1, 22].ravel()
    left_out = dict(revived(told).moments)["without the heads that look"]["off"]
    assert left_out == np.flatnonzero(looks > 0.5).tolist()
