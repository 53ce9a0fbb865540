"""Every task of every assignment: right answers pass, wrong ones do not, promises are held."""

import functools

import numpy as np
import pytest

import attnlib
from attnlib.checks import expect
from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.exercise import ANY, Promise
from attnlib.checks.promises import LEADING
from course.homework.sheet import asserted, find_sheets
from course.homework.stored import stored_tests
from course.homework.task import Example, judged
from tests.lessons import quickly

SHEETS = {sheet.number: sheet for sheet in find_sheets()}
TASKS = {item.name: (sheet, item) for sheet in SHEETS.values() for item in sheet.tasks}
MISTAKES = [
    (name, mistake)
    for name, (sheet, item) in TASKS.items()
    for mistake in sheet.judge(item).mistakes
]
DRAWS = 60
# A quick run takes the first task of each assignment, and a full one every third known mistake.
FEW = {sheet.tasks[0].name for sheet in SHEETS.values()}
every_task = pytest.mark.parametrize(
    "name", quickly([*TASKS], takes=[i for i, name in enumerate(TASKS) if name in FEW])
)


def task_of(name):
    sheet, item = TASKS[name]
    return sheet.judge(item)


def solution_of(name):
    """Return a sheet's solution; what stands in the cells above it is there for it."""
    sheet, item = TASKS[name]
    names = {}
    for index, cell in enumerate(sheet.cells[: item.cell + 1]):
        if cell.cell_type == "code" and "tests" not in cell.metadata:
            exec(compile(cell.source, f"{sheet.name} cell {index + 1}", "exec"), names)
    return names[item.name]


@functools.cache
def stored(name, *, hidden):
    """Return a function that runs a task's stored tests on a function."""
    sheet, item = TASKS[name]
    own = [code for _, code in asserted(sheet, item)]
    code = compile(stored_tests(name, task_of(name), own, hidden=hidden), name, "exec")

    def run(function):
        names = {"np": np, "attnlib": attnlib, "expect": expect, name: function}
        exec(code, names)

    return run


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_an_assignment_has_thirty_points_five_or_six_tasks_and_a_question(sheet):
    assert sheet.points == 30
    assert len(sheet.tasks) in (5, 6)
    assert [item.written for item in sheet.items].count(True) == 1


@every_task
def test_the_sheets_solution_passes_every_case_and_stored_test(name):
    solution = solution_of(name)
    report = examine(task_of(name), judged(task_of(name), solution))
    assert report.status == "passed", str(report)
    stored(name, hidden=True)(solution)


@every_task
def test_solution_and_reference_agree_on_random_inputs(name):
    """They are written independently, one for students and one for the judge."""
    solution, task, rng = solution_of(name), task_of(name), np.random.default_rng(12)
    for _ in range(DRAWS if task.draw else 0):
        inputs = task.draw(rng)
        mine, due = (call(f, inputs, task.parts) for f in (solution, task.answer))
        assert due.kind == "answer", due.words
        assert mine.agrees(due), inputs


@every_task
def test_random_inputs_differ_in_size(name):
    task, rng = task_of(name), np.random.default_rng(5)
    drawn = [task.draw(rng) for _ in range(30 if task.draw else 0)]
    assert (
        not drawn
        or len({tuple(np.shape(x) if np.ndim(x) else x for x in inputs) for inputs in drawn}) > 5
    )


def test_clocks_that_ask_for_a_sine_are_told_of_it_and_numpy_has_its_own_again():
    def next_rows(row, step, n_positions):
        turns = [np.arctan2(x[0::2], x[1::2]) for x in (row, step)]
        angles = turns[0] + np.arange(n_positions)[:, None] * turns[1]
        hands = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        return hands.reshape(n_positions, len(row))

    sine = np.sin
    report = examine(task_of("next_rows"), next_rows)
    assert report.status == "failed"
    assert "no function of angles is called" in str(report)
    assert np.sin is sine


@every_task
def test_shapes_that_a_task_states_are_those_of_its_inputs_and_answers(name):
    task = task_of(name)
    for case in task.all_cases() if task.shapes else ():
        sizes = task.shapes.sizes(case.inputs)
        assert len(task.shapes.inputs) == len(case.inputs)
        for place, x in zip(task.shapes.inputs, case.inputs, strict=True):
            lead = np.shape(x)[: np.ndim(x) - len(place.axes)] if place.leading else ()
            assert place.stretched or np.shape(x) == place.shape(lead, sizes), case.shows
        found = [x.shape for x in call(task.answer, case.inputs, task.parts).arrays]
        assert found == [*task.shapes.due(case.inputs)], case.shows


@every_task
def test_what_fails_for_want_of_an_axis_is_told_of_axes_and_of_nothing_else(name):
    task = task_of(name)
    fewest = min((case.axes for case in task.all_cases() if case.promise is None), default=0)
    fewer = {case.promise for case in task.all_cases() if case.axes < fewest}
    assert LEADING not in task.promises() or fewer <= {LEADING, ANY}


@every_task
def test_a_stub_fails_its_tests_and_says_that_it_is_one(name):
    sheet, item = TASKS[name]
    names = {}
    exec(sheet.stub(item), names)
    with pytest.raises(AssertionError, match="Not attempted yet"):
        stored(name, hidden=False)(names[name])


@every_task
def test_at_least_four_mistakes_are_known_and_no_promise_that_its_file_makes_is_forgotten(name):
    task = task_of(name)
    mistakes = [mistake.name for mistake in task.mistakes]
    assert len(set(mistakes)) == len(mistakes) >= 4
    made = task.answer.__globals__.values()
    assert {x for x in made if isinstance(x, Promise)} <= {*task.promises()}


@pytest.mark.parametrize(
    ("name", "mistake"),
    quickly(
        MISTAKES,
        takes=[i for i, (name, _) in enumerate(MISTAKES) if name in FEW],
        full=range(0, len(MISTAKES), 3),
    ),
    ids=[f"{name}-{mistake.name}" for name, mistake in MISTAKES],
)
def test_a_mistake_is_rejected_by_stored_tests_and_named(name, mistake):
    task = task_of(name)
    report = examine(task, mistake.function)
    assert (report.status, report.mistake) == ("failed", mistake.name), str(report)
    if isinstance(task, Example):
        return  # a known mistake is what an example shows, and no example
    with pytest.raises(Exception) as caught:  # noqa: PT011  (whatever a wrong function leads to)
        stored(name, hidden=True)(mistake.function)
    said = " ".join(str(caught.value).split())
    told = {one.sentence for one in task.mistakes if f"{one.sentence} {one.hint}" in said}
    assert told <= {mistake.sentence}
