"""Nothing in a working copy, and nothing on a page, tells what a reader has not yet tried."""

import ast
import itertools
import json
import re
from importlib import import_module
from inspect import getsource, signature

import nbformat
import numpy as np
import pytest

import attnlib
import attnlib.mine
import attnlib.text
from attnlib.checks.engine import examine
from course import BuildError
from course.html.page import page
from course.lab.copy import working_copy
from course.notebook.normalise import normalise, record_folds, to_bytes
from course.site.stage import stage_lesson
from tests.lessons import SERIES
from tests.toys import put_lesson

HEAD = "---\nfound: [one, What it is about.]\n---\n\n"
TEXT = """# 01 · One

*Predict* the sum. Take your time.

```{code-cell}
print(1 + 1)
```

% note
It is two:

$$
1 + 1

= 2
$$

% answered

Go on.

### Your turn: `add`

% fold A formula, <for> all
% show
$$a + b$$

% fold The lesson's own version
% show code
```{code-cell}
total = a + b
print(total)
```
"""

every_lesson = pytest.mark.parametrize("lesson", SERIES.values(), ids=SERIES)
PRINTED = [[nbformat.v4.new_output("stream", text=text)] for text in ("2\n", "3\n")]


@pytest.fixture
def built(tmp_path):
    """A lesson as a build writes it."""
    put_lesson(tmp_path, "00_none", "# 00 · None\n\n*Why?*\n")
    put_lesson(tmp_path, "99_summary", "# 99 · All\n\n*What?*\n")
    lesson = put_lesson(
        tmp_path, "01_one", HEAD + TEXT.replace("One\n", "One\n\n*Why?*\n"), PRINTED
    )
    notebook = nbformat.read(lesson.notebook_path, as_version=4)
    normalise(lesson, notebook, tmp_path)
    record_folds(lesson, notebook)
    lesson.notebook_path.write_bytes(to_bytes(notebook))
    return lesson


def copy_of(lesson):
    return nbformat.reads(working_copy(lesson.notebook_path.read_bytes()).decode(), as_version=4)


def copied(lesson):
    """Return a copy with the cells that the lesson has, and no other."""
    copy = copy_of(lesson)
    copy.cells = [cell for cell in copy.cells if not cell.id.endswith("-keep")]
    return copy


def test_a_copy_holds_answers_below_a_title_and_own_code_hidden_below_its_own(built):
    question, first, said, own = copied(built).cells
    assert question.source.endswith("Take your time.")
    assert first.source == "print(1 + 1)"
    assert said.source == (
        "<details><summary>The answer</summary>\n\nIt is two:\n\n$$\n1 + 1\n\n= 2\n$$\n\n</details>"
        "\n\n\nGo on.\n\n### Your turn: `add`\n\n"
        "<details><summary>A formula, &lt;for&gt; all</summary>\n\n$$a + b$$\n\n</details>"
    )
    assert own.metadata == {"jupyter": {"source_hidden": True}}
    assert own.source.startswith("# The lesson's own version: click to open\ntotal = a + b\n")
    _, _, said, own = nbformat.read(built.notebook_path, as_version=4).cells  # it stays open
    assert "<details" not in said.source
    title = "A formula, <for> all"
    assert said.metadata == {"attnlib": {"folds": [[0, 7, "The answer"], [13, 1, title]]}}
    assert own.metadata == {"attnlib": {"fold": "The lesson's own version"}}
    assert said.source.split("\n")[13] == "$$a + b$$"


def test_neighbours_of_one_title_open_together(tmp_path):
    same = TEXT.replace("A formula, <for> all", "The lesson's own version")
    found = put_lesson(tmp_path, "01_one", same).answers
    (piece,) = [piece for piece in found.prose[2] if piece.lines == ("$$a + b$$",)]
    assert (piece.answer, piece.title) == found.code[3] == (2, "The lesson's own version")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("% fold\ntext", "`% fold` says a title"),
        ("% fold A title\n\ntext", "directly above what it marks"),
        ("text\n% fold A title\nmore", "leave a blank line above this mark"),
        ("text\n\n% fold A title", "nothing follows this mark"),
    ],
)
def test_a_wrong_fold_is_told(tmp_path, text, told):
    with pytest.raises(BuildError, match=rf"line \d+: .*{told}"):
        _ = put_lesson(tmp_path, "01_one", f"# 01 · One\n\n{text}\n").answers


def test_pages_and_the_site_fold_the_same_places(built):
    html = page(built)
    site = stage_lesson(built, {})[0]["notebooks/01_one.ipynb"].decode()
    cells = json.loads(site)["cells"]
    staged = "".join("".join(cell["source"]) + "\n" for cell in cells)
    for text in (html, staged):
        waiting = re.findall(r'<div class="answer" data-answer="(\d)" data-title="([^"]+)"', text)
        assert waiting == [("1", "The answer"), ("2", "A formula, &lt;for&gt; all")]
    assert '<div class="output answer" data-answer="1">' in html
    assert 'class="input answer" data-answer="3" data-title="The lesson\'s own version"' in html
    assert [cell["metadata"].get("tags") for cell in cells if cell["cell_type"] == "code"] == [
        ["answer-1"],
        ["fold-3-The%20lesson%27s%20own%20version"],
    ]


# The lessons


@every_lesson
def test_below_each_check_of_a_copy_stands_a_cell_that_keeps_what_passes(lesson):
    cells = copy_of(lesson).cells
    asked = re.findall(r'^check\("\w+", \w+\)$', lesson.text, re.MULTILINE)
    below = [(one.source, two.source) for one, two in itertools.pairwise(cells)]
    ready = [pair for pair in below if pair[1].startswith("mine.keep(")]
    assert ready == [(check, check.replace("check(", "mine.keep(")) for check in asked]
    assert [c.id for c in copied(lesson).cells] == [c.id for c in lesson.notebook.cells]
    assert len({cell.id for cell in cells}) == len(cells)
    imports = next(cell.source for cell in cells if "from attnlib import" in cell.source)
    assert not asked or re.search(r"from attnlib import .*\bmine\b", imports)


@pytest.mark.parametrize(
    "source",
    ['check("mean", lambda x: x)', 'report = check("mean", mean)', 'check("mean", mean).status'],
)
def test_where_a_check_has_no_function_to_keep_there_is_no_such_cell(tmp_path, source):
    text = f"# 01 · One\n\n*Why?*\n\n```{{code-cell}}\n{source}\n```\n"
    lesson = put_lesson(tmp_path, "01_one", text, [[]])
    assert [cell.source for cell in copy_of(lesson).cells if cell.cell_type == "code"] == [source]


def visible(lesson):
    """Return a copy's cells with what can be read in them without opening anything."""
    cells = []
    for cell in copied(lesson).cells:
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
        text = re.sub("<details>.*?</details>", "", cell.source, flags=re.DOTALL)
        cells.append((cell.cell_type, "" if hidden else text))
    return cells


def numbers(text):
    """The numbers of a text that somebody could recognise: of two digits or more."""
    found = re.findall(r"(?<![\w.])\d*\.?\d+(?![\w])", text.replace(",", ""))
    return {float(one) for one in found if len(one.replace(".", "").lstrip("0")) > 1}


def shown_by(cell):
    return "".join(output.get("text", "") for output in cell.outputs)


def first_outputs(lesson):
    """Return for each answer the first cell whose output is of it."""
    return {answer: place for place, answer in reversed(lesson.answers.outputs.items())}


@every_lesson
def test_no_number_that_answers_can_be_read_before(lesson):
    cells, executed = visible(lesson), lesson.executed().cells
    for answer, place in first_outputs(lesson).items():
        before = "".join(text + shown_by(executed[i]) if kind == "code" else text
                         for i, (kind, text) in enumerate(cells[:place]))  # fmt: skip
        asked = cells[place][1]
        told = numbers(shown_by(executed[place])) - numbers(before) - numbers(asked)
        below = itertools.takewhile(lambda cell: not re.match("#+ ", cell[1]), cells[place + 1 :])
        said = "\n".join(text for kind, text in below if kind == "markdown")
        said = re.split(r"^#+ |\*Predict", said, flags=re.MULTILINE)[0]
        assert not told & numbers(said), (answer, asked)


@every_lesson
def test_the_first_thing_said_of_an_answer_is_folded(lesson):
    cells = copied(lesson).cells
    for place in first_outputs(lesson).values():
        said = next(cell.source for cell in cells[place + 1 :] if cell.cell_type == "markdown")
        assert said.startswith("<details><summary>The answer</summary>"), said


@every_lesson
def test_no_code_of_an_exercise_can_be_read(lesson):
    everything = {"np": np, "attnlib": attnlib, "product": itertools.product}
    everything |= {"text": attnlib.text, "mine": attnlib.mine}
    for cell in lesson.notebook.cells:
        for node in definitions(cell.source) if cell.cell_type == "code" else []:
            exec(ast.unparse(node), everything)
    cells = visible(lesson)
    named = {node.name for kind, text in cells if kind == "code" for node in definitions(text)}
    for name in lesson.exercises:
        exercise = import_module(f"attnlib.checks.exercises.{name}").EXERCISE
        n_inputs = len(signature(exercise.solution).parameters)
        answers = [everything[one] for one in named]
        answers += expressions(section(cells, name), n_inputs, everything)
        passing = [answer for answer in answers if fits(answer, n_inputs)
                   and examine(exercise, answer).status == "passed"]  # fmt: skip
        assert [answer.__name__ for answer in passing] == [], name


@every_lesson
def test_no_code_below_an_exercise_is_compared_with_its_reference(lesson):
    cells = visible(lesson)
    for name in lesson.exercises:
        module = ast.parse(getsource(import_module(f"attnlib.checks.exercises.{name}")))
        (reference,) = [node for node in definitions(module) if node.name == "answer"]
        known = {ast.unparse(node) for node in ast.walk(reference)
                 if isinstance(node, ast.Attribute) and node.attr != "softmax"}  # fmt: skip
        for text in section(cells, name):
            compared = {ast.unparse(node) for test in ast.walk(ast.parse(text))
                        if isinstance(test, ast.Assert) for node in ast.walk(test)}  # fmt: skip
            assert not {one for one in known & compared if one.startswith("attnlib.")}, (name, text)


def definitions(code):
    """The functions that a text, or a parsed one, defines."""
    tree = ast.parse(code) if isinstance(code, str) else code
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def section(cells, name):
    """Return the visible code below an exercise's check, up to the next heading or question."""
    start = next(i for i, (_, text) in enumerate(cells) if text.startswith(f'check("{name}"'))
    below = itertools.takewhile(
        lambda cell: cell[0] == "code" or not re.search(r"^#+ |\*Predict", cell[1], re.MULTILINE),
        cells[start + 1 :],
    )
    return [text for kind, text in below if kind == "code" and not text.startswith("%")]


def expressions(texts, n_inputs, namespace):
    """Make functions of the expressions in a code that have so many names in them."""
    for node in itertools.chain.from_iterable(ast.walk(ast.parse(text)) for text in texts):
        if not isinstance(node, ast.BinOp | ast.Call | ast.Compare | ast.Subscript):
            continue
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        names -= {"np", "attnlib", "text", "plotting", "widgets", *dir(__builtins__)}
        if len(names) == n_inputs <= 3:
            for order in itertools.permutations(sorted(names)):
                yield eval(f"lambda {', '.join(order)}: {ast.unparse(node)}", dict(namespace))


def fits(function, n_inputs):
    return len(signature(function).parameters) == n_inputs
