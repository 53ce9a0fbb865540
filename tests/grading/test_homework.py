"""The assignments themselves, through the sandbox: what is right, untouched, and commonly wrong."""

from dataclasses import replace
from functools import cache

import nbformat
import numpy as np
import pytest

from course.files import HOMEWORK
from course.grading import judge
from course.grading.judge import Assignment, Examination, examine
from course.grading.replies import Ran, Reply
from course.grading.submission import Submission, parse
from course.homework.sheet import find_sheets
from course.homework.task import Example, taken
from tests.grading.toy import Calling

pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.timeout(120)]

NUMBERS = [
    pytest.param(sheet.number, marks=() if sheet.number == "hw2" else pytest.mark.weekly)
    for sheet in find_sheets()
]
NOISE = """\
%matplotlib inline
import warnings
import matplotlib.pyplot as plt
from IPython.display import HTML, display
from attnlib.widgets import Mask
warnings.warn("careful")
fig, axes = plt.subplots(1, 2, figsize=(4, 3))
axes[0].imshow(np.eye(3))
display(HTML("<b>here</b>"), Mask("I saw a saw"))
print("x" * 100_000)
!pip install numpy
plt.show()
"""
COMMON = [  # of hw2: the function, what is written in place of what, and how that is called
    ("additive_attention", "np.tanh(asks", "(asks", "no tanh"),
    ("additive_attention", "scores = hidden", "scores = 0.5 * hidden", ""),  # not a known one
    ("additive_attention", "attnlib.softmax(scores) @", "scores @", "no softmax"),
    (
        "additive_attention",
        "softmax(scores) @",
        "softmax(scores, axis=1) @",
        "softmax along axis 1",
    ),
    ("packed_mask", "(lengths, axis=1)", "(lengths, axis=0)", "summed along the batch, throughout"),
    ("packed_mask", "& (places <= places[:, None])", "", "the future shown"),
    ("packed_mask", "same &", "True &", "sentences not kept apart, and seen by filling"),
    ("band_mask", "(j <= i) & ", "", "not causal, and no end ahead"),
    ("band_mask", "<= width", "< width", "the band one word too narrow"),
    ("capped_attention", "cap * np.tanh(scores / cap)", "scores", "no cap"),
    ("capped_attention", " / np.sqrt(key.shape[-1])", "", "no scaling"),
    ("capped_attention", "weights = attnlib.softmax(scores, axis=-1)",
     "p = np.exp(scores - scores.max(-1)[..., None]); weights = p / p.sum(-1)[..., None]",
     "NaN where nothing is seen"),
    ("sink_attention", " + np.exp(-top)", "", "no sink"),
    ("sink_attention", "np.exp(-top)", "1", "1 for the sink, whatever was subtracted"),
]  # fmt: skip


@cache
def assignment_of(number):
    return Assignment(number, HOMEWORK)


def notebook_of(number, whose):
    (path,) = (HOMEWORK / whose / number).glob("*.ipynb")
    return nbformat.read(path, 4)


def graded(runner, number, cells):
    marks = examine(assignment_of(number), b"secret", "ada", Submission(tuple(cells)), runner)
    return {mark.task: mark for mark in marks}


def cells_of(number, whose):
    return parse(nbformat.writes(notebook_of(number, whose)).encode()).cells


@pytest.mark.parametrize("number", NUMBERS)
def test_a_solution_with_prints_warnings_plots_and_magics_has_full_marks(
    runner, number, monkeypatch
):
    """That it is right everywhere, the build has seen."""
    monkeypatch.setattr(judge, "N_DRAWN", 6)
    cells = cells_of(number, "teacher")
    noisy = [part for cell in cells for part in (cell, f"import numpy as np\n{NOISE}")]
    marks = graded(runner, number, noisy)
    assert {mark.verdict for mark in marks.values()} == {"correct"}, marks
    assert {task: mark.points for task, mark in marks.items()} == assignment_of(number).points


@pytest.mark.parametrize("number", [sheet.number for sheet in find_sheets()])
def test_an_untouched_sheet_was_not_attempted(runner, number):
    marks = graded(runner, number, cells_of(number, "student"))
    assert {mark.verdict for mark in marks.values()} == {"not attempted"}, marks


@pytest.mark.parametrize("sheet", find_sheets(), ids=lambda sheet: sheet.number)
def test_a_neighbours_answer_is_wrong_and_named(sheet, monkeypatch):
    monkeypatch.setattr(judge, "N_DRAWN", 2)
    varied = {one.name for one in sheet.tasks if taken(one.name, None, sheet.values)}
    assert varied
    for group, theirs in (("A", "C"), ("D", "B")):
        own, cells = assignment_of(sheet.number).of(group), sheet.of(theirs)
        cells = [cell.source for cell in cells.cells if cell.cell_type == "code"]
        marks = examine(own, b"secret", "ada", Submission(tuple(cells)), Calling())
        due = {one: "" for one in own.points} | dict.fromkeys(
            varied, f"the answer for group {theirs}"
        )
        assert {mark.task: mark.mistake for mark in marks} == due
        assert {mark.task for mark in marks if mark.verdict != "correct"} == varied


RIGHT = "np.log([0.55, 0.15, 0.15, 0.15]), np.log([0.495, 0.495, 0.005, 0.005])"
BATCH = "*np.random.default_rng(25).normal(size=(2, 2, 3, 4))"  # queries and keys
NARROW, SEEN = "np.arange(6.0).reshape(2, 3, 1)", "np.tri(3, dtype=bool)"
EXAMPLES = [  # what a function returns, and the mistake that it is, or what is said
    ("refute_claim", RIGHT, "correct", ""),
    ("refute_claim", "[[0, -1.3, -1.3, -1.3], [0, 0, -5, -5]]", "correct", ""),
    ("refute_claim", "np.zeros(4), np.array([3.0, 0, 0, 0])", "wrong", "the claim confirmed"),
    ("refute_claim", "np.array([3.0, 0]), np.zeros(2)", "wrong", "less entropy, a larger weight"),
    ("refute_claim", "np.zeros(3), np.zeros(4)", "wrong", "no two rows"),
    ("refute_claim", "np.zeros((9, 0)), np.zeros((9, 0))", "wrong", "no two rows"),
    ("refute_claim", "np.ones(3)", "wrong", ""),  # what a right example is found to show
    ("refute_claim", "'a', 'b'", "wrong", ""),
    ("refute_claim", f"[np.pad(x, (0, 6), constant_values=-99) for x in ({RIGHT})]", "wrong",
     "no two rows"),  # longer than anybody writes by hand
    ("show_bugs", f"{BATCH}, {NARROW}, {SEEN}, 1", "correct", ""),
    ("show_bugs", f"{BATCH}, np.arange(24.0).reshape(2, 3, 4), {SEEN}, 1", "wrong",
     "not shown: width"),
    ("show_bugs", f"{BATCH}, {NARROW}, np.full((3, 3), True), 1", "wrong",
     "not shown: order"),
    ("show_bugs", f"{BATCH}, {NARROW} / 30, {SEEN}, 1", "wrong",
     "not shown: width"),  # which changes numbers, by 0.004 at most
    ("show_bugs", f"{BATCH}, {NARROW}, np.tri(3), 1", "wrong", "no bug shown"),
    ("show_bugs", f"{BATCH}, {NARROW}, {SEEN}, 0", "wrong",
     "no bug shown"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "returned", "verdict", "mistake"), EXAMPLES)
def test_an_example_is_judged_by_what_it_shows(name, returned, verdict, mistake):
    number = "hw1" if name == "refute_claim" else "hw2"
    cells = ("import numpy as np", f"def {name}():\n    return {returned}")
    marks = {mark.task: mark for mark in examine(
        assignment_of(number), b"secret", "ada", Submission(cells), Alone(name)
    )}  # fmt: skip
    assert (marks[name].verdict, marks[name].mistake) == (verdict, mistake)
    assert mistake.startswith("not shown") is (
        "changes no number by more than 0.01: " in marks[name].reason
    )


class Alone(Calling):
    """Calls one function alone."""

    def __init__(self, name):
        self.name = name

    def run(self, cells, calls):
        return super().run(cells, [one for one in calls if one.function == self.name])


def rounds():
    """Give the common mistakes so that each task has one of them at a time, and some have none."""
    left = [*COMMON]
    while left:
        taken = {one[0]: one for one in reversed(left)}
        left = [one for one in left if one not in taken.values()]
        yield taken


@pytest.mark.parametrize("taken", [*rounds()], ids=lambda taken: f"{len(taken)} tasks")
def test_common_wrong_answers_are_named_and_cost_no_other_task(taken):
    cells = cells_of("hw2", "teacher")
    for task, right, wrong, _ in taken.values():
        changed = [c.replace(right, wrong) if f"def {task}(" in c else c for c in cells]
        assert changed != cells
        cells = changed
    marks = graded(Calling(), "hw2", cells)
    found = {task: (mark.verdict, mark.mistake) for task, mark in marks.items()}
    due = dict.fromkeys(marks, ("correct", ""))
    assert found == due | {task: ("wrong", name) for task, _, _, name in taken.values()}


@pytest.mark.parametrize("number", [sheet.number for sheet in find_sheets()])
def test_a_function_that_only_changes_an_input_hears_that_and_which(number, monkeypatch):
    """In each task, each input that is an array: neither an answer nor an example is to blame."""
    monkeypatch.setattr(judge, "N_DRAWN", 2)
    examination = Examination(assignment_of(number), b"secret", "ada")
    for name, task in examination.assignment.tasks.items():
        right = [Reply("answer", due.as_asked(task.parts)) for due in examination.due(name)]
        at = [i for i, x in enumerate(examination.cases[name][0].inputs) if np.ndim(x)]
        for i in at:
            ran = Ran({name: [replace(one, changed=(i,)) for one in right]})
            marks = examination.marks(Submission(()), ran)
            (mark,) = (mark for mark in marks if mark.task == name)
            assert (mark.verdict, mark.mistake) == ("wrong", "input changed in place")
            said = f"is right, but your function changed its input `{task.parameters[i]}` in place"
            assert said in mark.reason
        assert at or isinstance(task, Example)  # whose functions are asked for an input
