"""What a reader may leave out can be left out, and what a reader keeps is called as promised."""

from copy import copy

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from attnlib import mine
from course import BuildError
from course.files import ROOT
from course.lesson.series import Lesson
from course.notebook.execute import Executor
from tests import watched
from tests.lessons import NAMES, SERIES, quickly
from tests.optional import parts, taken
from tests.toys import toy_lesson


def lesson_of(*sections):
    """Make cells: a heading, and what its cells of code say."""
    cells = []
    for heading, *codes in sections:
        cells += [new_markdown_cell(f"## {heading}"), *map(new_code_cell, codes)]
    return cells


@pytest.mark.parametrize(
    "code",
    [
        "print(a)",
        "a += 1",
        "for i in a:\n    pass",
        "for i in range(3):\n    x = a",
        "with open(a) as f:\n    pass",
        "if a:\n    pass",
        "try:\n    a\nexcept ValueError:\n    pass",
        "x = [a for i in range(3)]",
        "def f(x=a):\n    return x",
        "def f(x):\n    return x + a",
        "f = lambda: [a for b in range(3)]",
        "a[0] = 1",
        "a.x = 1",
        "%matplotlib inline\na",
    ],
)
def test_what_is_taken_of_another_optional_section_is_found(code):
    cells = lesson_of(("One", "a = 1"), ("Optional: two", "a = 2"), ("Optional: three", code))
    assert [*map(str, taken(cells))] == ["Optional: three takes a of Optional: two"]
    cells = lesson_of(("One", "a = 1"), ("A harder task: `f`", "a = 2"), ("Three", code))
    assert [*map(str, taken(cells))] == ["the core takes a of A harder task: `f`"]


@pytest.mark.parametrize(
    "code",
    [
        "a = 3\nprint(a)",
        "for a in range(3):\n    print(a)",
        "for x, a in []:\n    print(a)",
        "with open('x') as a:\n    a.read()",
        "import a\na.b()",
        "def a():\n    return a()",
        "x = [a for a in range(3)]",
        "f = lambda a: a",
        "def f(a):\n    return a",
        "def f():\n    a = 1\n    return a",
        "x.a",
        "dict(a=1)",
    ],
)
def test_what_only_looks_like_it_is_not(code):
    cells = lesson_of(("One", "x = 1"), ("Optional: two", "a = 2"), ("Optional: three", code))
    assert taken(cells) == []


def test_a_section_has_what_is_its_own_and_the_cores():
    assert taken(lesson_of(("One", "a = 1"), ("Optional: two", "b = a", "print(a + b)"))) == []
    cells = lesson_of(("Optional: one", "a = 1"), ("Two", "a = 2"), ("Optional: three", "print(a)"))
    assert taken(cells) == []
    cells = lesson_of(("Optional: one",))
    cells += [new_markdown_cell("### Within it"), new_code_cell("a = 1"), new_code_cell("a")]
    assert [part for part, _ in parts(cells)] == ["Optional: one"] * 4


@pytest.mark.parametrize("name", NAMES)
def test_no_part_takes_from_an_optional_section_that_is_another(name):
    assert [*map(str, taken(SERIES[name].notebook.cells))] == []


def executed(whole, kept, *before):
    """Run some of a lesson's cells, by their places, below other code; its asserts judge."""
    notebook = copy(whole.notebook)
    notebook.cells = [*map(new_code_cell, before), *(whole.notebook.cells[at] for at in kept)]
    lines = (1,) * len(before) + tuple(whole.lines[at] for at in kept)
    lesson = Lesson(whole.path, whole.series)
    lesson.__dict__["source"] = whole.source._replace(notebook=notebook, lines=lines)
    return Executor(whole.folder, cell_seconds=240).execute(lesson)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", quickly(NAMES, takes=[], full=[4]))
def test_a_lesson_runs_without_all_that_is_optional(name):
    found = parts(SERIES[name].notebook.cells)
    kept = [at for at, (part, _) in enumerate(found) if not part]
    assert len(kept) < len(found) or not SERIES[name].minutes.rest
    executed(SERIES[name], kept)


WATCHED = f"import sys\nsys.path.append({str(ROOT)!r})\nfrom tests.watched import watch\nwatch()"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", quickly(NAMES, takes=[], full=[]))
def test_a_lesson_calls_what_readers_keep_only_as_tasks_promise(name):
    executed(SERIES[name], range(len(SERIES[name].notebook.cells)), WATCHED)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("dot_product([1.0], [1.0])", "dot_product: input 1 is list, not 1-axis array"),
        ("project_qkv(*[np.ones((2, 2, 2))] * 4)", "input 1 is 3-axis array, not 2-axis array"),
        ("softmax(np.float64(1))", "softmax: input 1 is number, not 1-axis array or 2-axis array"),
        ("cosine_similarity(np.zeros((2, 2)))", "cosine_by_loop, which is right: .* ZeroDivision"),
    ],
)
def test_what_no_task_promises_is_told(tmp_path, call, told):
    code = f"import numpy as np\nfrom attnlib import mine\nmine.{call}"
    lesson = toy_lesson(tmp_path, new_markdown_cell("# 01 · One"), new_code_cell(code))
    with pytest.raises(BuildError, match=told):
        executed(lesson, [0, 1], WATCHED)


def test_what_watches_a_lesson_watches_nothing_here():
    assert mine._stand_in is watched.made
