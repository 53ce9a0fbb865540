"""What honest work meets: things that are not here, ends, kinds of results, answers in words."""

import array
import hashlib
import importlib
import json
import sys
from collections import deque
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from attnlib.checks.calling import read
from attnlib.checks.exercise import Edge
from course.grading.answers import HandedOut, Written, is_words
from course.grading.book.gradebook import Gradebook
from course.grading.book.scores import scores
from course.grading.book.summary import of_class, told_of_class
from course.grading.causes import NEARLY, cause, one_cell
from course.grading.judge import Mark, examine
from course.grading.replies import Ran, Reply
from course.grading.results import readable
from course.grading.stand_ins import Absent, Anything, Files, Finder
from course.grading.submission import Cell, Submission, find, parse
from course.grading.wire import decode, encode
from course.homework.task import find_task, is_empty
from tests.grading.test_judge import marked
from tests.grading.toy import HONEST, graded, hand_in, notebook

# What is not here


NOT_PART = (
    "Code cell {} of the notebook imports `{}`, and the answer needs it. `{}` is not part of this "
    "homework: there are NumPy, `attnlib` and Python itself."
)
TO_COME = "Code cell 1 of the notebook {}, and `{}` was to come of it."


@pytest.mark.needs("bwrap")
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("before", "body", "reason"),  # of cells before both functions: what a student reads
    [
        (["x = 1", "import scipy, numpy as np"], "return scipy.multiply(x, 2)",
         NOT_PART.format(2, "scipy", "scipy")),
        ([], "import torch; return torch.tensor(x) * 2", NOT_PART.format(1, "torch", "torch")),
        (["from my_helpers import *"], "return doubled(x)",
         TO_COME.format("imports `my_helpers`, which is not here", "doubled")),
    ],
    ids=["a package for the answer", "a package that a function imports", "a file of one's own"],
)  # fmt: skip
def test_a_reason_names_the_cell_and_the_package_that_are_to_blame(
    runner, assignment, before, body, reason
):
    functions = (
        f"def twice(x):\n    {body}",
        "import numpy as np\ndef sums(x): return np.sum(x, -1)",
    )
    submission = Submission((*before, *functions))
    twice, sums = examine(assignment, b"secret", "ada", submission, runner)
    assert (twice.verdict, twice.reason) == ("exception", reason)
    assert (sums.verdict, sums.points) == ("correct", 3)


@pytest.mark.needs("bwrap")
@pytest.mark.timeout(300)
def test_an_import_that_fails_takes_no_function_away(runner, assignment):
    cells = (
        *HONEST,
        "from my_solutions import twice\nimport sums",
        "from theirs import sums as np",
    )
    marks = examine(assignment, b"secret", "ada", Submission(cells), runner)
    assert [mark.verdict for mark in marks] == ["correct", "correct"]


def test_no_reason_names_what_no_cell_of_the_notebook_does(assignment):
    def leak(x):
        raise NameError(f"name 'x{abs(hash(x.tobytes()))}' is not defined")

    def package(x):
        raise ModuleNotFoundError(f"No module named 'x{abs(hash(x.tobytes()))}'")

    for function in (leak, package):
        told = [(0, "raised", "ModuleNotFoundError", "No module named 'x123'", 1)]
        reason = marked(assignment, function, told=told)["twice"].reason
        assert "x1" not in reason
        assert "stands in your notebook" in reason


def test_a_package_that_is_not_here_is_anything_in_cells_and_missing_in_calls(monkeypatch):
    torch = Absent("torch")
    assert not torch.cuda.is_available()
    assert f"{torch.tensor([1.0]).mean():.3f}" == ""
    assert [*torch.nn.Linear(3, 4).parameters()]
    assert not isinstance(np.ones(2), torch.Tensor)
    assert Absent("jaxtyping").Float[np.ndarray, "n d"] | None  # as hints have it
    assert [len(np.ravel(one)) for one in (torch, Anything())] == [2, 2]  # and at once

    @torch.no_grad()
    def mine(x):
        return x + 1

    assert mine(1) == 2
    monkeypatch.setattr(Absent, "in_calls", True)
    assert not isinstance(np.ones(2), torch.Tensor)
    for use in (
        lambda: torch.tensor(1), lambda: torch + 1, lambda: 1 @ torch, lambda: float(torch),
        lambda: bool(torch), lambda: [*torch], lambda: torch.Tensor(1), lambda: torch[0],
    ):  # fmt: skip
        with pytest.raises(ModuleNotFoundError, match="No module named 'torch'"):
            use()


def test_a_bar_gives_what_it_goes_around():
    tqdm = Finder().create_module(SimpleNamespace(name="tqdm")).tqdm
    bar = tqdm(["a", "b"], desc="rows")
    bar.set_postfix(row=1)
    assert [*bar] == ["a", "b"]
    assert len(tqdm(range(7))) == 7
    assert [*tqdm(3)] == [0, 1, 2]
    with tqdm(total=3) as bar:
        bar.update(1)
    tqdm.write("so far")


def test_a_file_that_cells_wrote_is_found_in_its_folder(monkeypatch):
    monkeypatch.setattr(Files, "sources", {})
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Files()])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    Files.keep("/content/of_ada/first.py", "K = 2\n")
    Files.keep("/content/of_ada/first.py", "def twice(x):\n    return K * x\n", below=True)
    Files.keep("./second_of_ada.py", "from of_ada.first import twice as again\n")
    for name, made in (("first", "twice"), ("of_ada.first", "twice"), ("second_of_ada", "again")):
        assert getattr(importlib.import_module(name), made)(3) == 6
    assert Files.source("first.py").startswith("K = 2")
    assert Files.source("none.py") == ""


@pytest.mark.parametrize("base", [Anything(), Absent("torch").nn.Module])
def test_what_is_drawn_may_be_a_class_and_a_table(base):
    class Mine(base):
        def __init__(self, *sizes):
            super().__init__()

    made = Mine(3)
    made.table[1] = 2
    del made.table[1]


def test_all_functions_fail_because_one_cell_failed_is_a_list(tmp_path, assignment):
    reason = "Code cell 1 of the notebook raised KeyError at line 2, and `np` was to come of it."
    other = reason.replace("cell 1", "cell 2")
    assert one_cell([("exception", reason), ("exception", reason)]) == reason
    assert one_cell([("exception", reason), ("missing", "…"), ("exception", reason)]) == reason
    text = "Cell 2 of the notebook, counted with those of text, was to bring `{}`, and it is text."
    assert one_cell([("exception", text.format(name)) for name in "ab"]) == text.format("a")
    for verdicts in ([reason], [reason, other], [reason, ""], []):
        assert not one_cell([("exception", one) for one in verdicts])
    with Gradebook(tmp_path / "grades.sqlite") as book:
        marks = [Mark(name, 0, 3, "exception", reason) for name in ("twice", "sums")]
        looks = {"one cell": reason, "elsewhere": "why: Because <b>of</b> x"}
        answers = {"why": Written(is_as_handed_out=True)}
        book.keep("hw1", "ada", "d", marks, answers, looks=looks)
        found = scores(book, assignment)
        said = told_of_class(assignment, found, book.marks("hw1"))
        shown = of_class(assignment, found, book.marks("hw1")).decode()
        assert "All functions fail because one cell failed\n  ada: Code cell 1" in said
        assert "0 points, but text was found elsewhere\n  ada: why: Because" in said
        assert "All functions fail because one cell failed" in shown
        assert "Because &lt;b&gt;of&lt;/b&gt; x" in shown
        book.keep("hw1", "ada", "d2", [], {})
        assert not book.looks("hw1", "one cell")


# What comes back


RESULTS = {
    "longdouble": np.ones((2, 3), np.longdouble),
    "one longdouble": np.longdouble(0.5),
    "longdoubles in lists": [[np.longdouble(1), np.longdouble(2)], [np.longdouble(0)] * 2],
    "float16": np.ones(2, np.float16),
    "other byte order": np.ones((2, 2), ">f8"),
    "a range": range(5),
    "a deque of lists": deque([[1, 2], [3, 4]]),
    "a memoryview": memoryview(np.arange(6.0).reshape(2, 3)),
    "an array of Python's": array.array("d", [1.0, 2.0]),
    "a long list of lists": np.arange(120_000.0).reshape(-1, 4).tolist(),
    "arrays in a list": [np.ones(3), np.zeros(3)],
    "nothing in a list": [[], []],
    "a bool": True,
    "ragged": [[1], [1, 2]],
    "text": "0.5",
    "texts": ["a", "b"],
    "bytes": b"12",
    "complex": np.ones(2) * 1j,
    "complex longdouble": np.ones(2, np.clongdouble),
    "a set": {1, 2},
    "a dictionary": {0: 1},
}
SEVERAL = {  # arrays, made anew each time: some are used up when they are read
    "dictionary values": lambda: {"a": np.ones(2), "b": [1, 2]}.values(),
    "a generator": lambda: (np.ones(2) * k for k in range(2)),
    "a map": lambda: map(np.ones, (2, 3)),
    "a deque": lambda: deque([np.ones(2), np.longdouble(3)]),
    "a tuple of ranges and deques": lambda: (range(3), deque([1, 2])),
    "a range": lambda: range(2),
    "a memoryview": lambda: memoryview(np.arange(2.0)),
    "three": lambda: (1, 2, 3),
    "an array": lambda: np.ones((2, 2)),
}


def read_of(result, parts=()):
    """Read what arrives of a result; what cannot be sent is no array."""
    try:
        return read(decode(encode(readable(result))), parts)
    except Exception:
        return "odd", (), ""


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        *(pytest.param(lambda one=one: one, (), id=kind) for kind, one in RESULTS.items()),
        *(pytest.param(make, ("one", "other"), id=f"2: {kind}") for kind, make in SEVERAL.items()),
    ],
)
def test_what_the_lessons_check_accepts_is_accepted(make, parts):
    (due, arrays, _), (got, mine, _) = read(make(), parts), read_of(make(), parts)
    assert got == due
    for a, b in zip(mine, arrays, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_list_in_itself_is_no_array():
    itself = []
    itself.append(itself)
    assert read_of(itself)[0] == "odd"


# Ends


def wrong_if(holds):
    return lambda x: 3 * x if holds(x) else 2 * x


@pytest.mark.parametrize(
    ("edge", "holds", "came"),
    [
        (Edge("a table has no rows", is_empty), is_empty, (3, NEARLY)),
        (Edge("a table has no rows", is_empty, costs_a_point=False), is_empty, (4, "correct")),
        (Edge("a table has no rows", is_empty), lambda x: x.ndim == 2, (0, "wrong")),
        (Edge("nothing", lambda x: False), is_empty, (0, "wrong")),
    ],
)
def test_an_end_costs_what_the_task_says(assignment, edge, holds, came):
    assignment.tasks["twice"] = replace(assignment.tasks["twice"], edges=(edge,))
    mark = marked(assignment, lambda x: None if holds(x) and not x.size else wrong_if(holds)(x))
    assert (mark["twice"].points, mark["twice"].verdict) == came
    if came[0]:
        assert mark["twice"].reason.startswith("It is right, but not where a table has no rows. ")


ENDS = {
    "k_nearest": lambda s, own, k: k == 0 or s.size == 0,
    "sink_attention": lambda q, k, v, m: k.size == 0,
    "grouped_attention": lambda *inputs: any(x.size == 0 for x in inputs),
    "gated_reading": lambda *inputs: (inputs[5] == 0).any(),
    "rollout": lambda w, own: w.size == 0,
    "next_rows": lambda row, step, n: n == 0,
    "log_softmax": is_empty,
    "top_k_softmax": is_empty,
    "sparsemax": is_empty,
}


@pytest.mark.parametrize("name", ENDS)
def test_nothing_that_comes_in_costs_a_point_at_most(name):
    """Cases with nothing in them are edges, others are not, and there are both."""
    task = find_task(name)
    inputs = [one for found in task.promises().values() for one in found]
    at_edge = [bool(task.edge_of(one)) for one in inputs]
    assert at_edge == [bool(ENDS[name](*one)) for one in inputs]
    assert 0 < sum(at_edge) < len(inputs) / 2


# Answers in words


ASKED = "## 3 · Why (3 points)\n\nSay why in 100 words.\n\nAnd how."
HERE = "*Write your answer here.*"
UNTOUCHED = Written(is_as_handed_out=True)
LONG = "because " * 30


@pytest.fixture
def handed_out(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": "# A toy\n\nTwo functions.", "metadata": {}},
        {"cell_type": "code", "source": "import numpy as np\n\nx = 1", "metadata": {}},
        {"cell_type": "markdown", "source": ASKED, "metadata": {}},
        {
            "cell_type": "markdown",
            "source": HERE,
            "id": "w",
            "metadata": {"nbgrader": {"solution": True, "grade_id": "why"}},
        },
    ]
    (tmp_path / "toy.ipynb").write_text(json.dumps({"cells": cells}))
    return HandedOut(tmp_path / "toy.ipynb", ["why"])


def of(*cells):
    found = [Cell(*one) if len(one) == 4 else Cell(one[0], "", "", one[1]) for one in cells]
    return Submission((), tuple(found))


TITLE, ASK = ("markdown", "# A toy\n\nTwo functions."), ("markdown", ASKED)
PLACE = ("markdown", "why", "w", HERE)
STAND = {
    "as handed out": ([TITLE, ASK, PLACE], UNTOUCHED),
    "as handed out, its mark lost": ([TITLE, ASK, ("markdown", HERE)], UNTOUCHED),
    "emptied": ([TITLE, ASK, ("markdown", "why", "w", " ")], Written("")),
    "deleted": ([TITLE, ASK], Written("")),
    "in its cell": ([TITLE, ASK, ("markdown", "why", "w", "So.\n\nYes.")], Written("So.\n\nYes.")),
    "its mark lost, by its id": ([ASK, TITLE, ("markdown", "", "w", "So.")], Written("So.")),
    "one word below": ([TITLE, ASK, PLACE, ("markdown", "So.")], Written("So.")),
    "raw, below": ([TITLE, ASK, PLACE, ("raw", "So.")], Written("So.")),
    "in the question": ([TITLE, ("markdown", f"{ASKED}\n\nSo."), PLACE], Written("So.")),
    "split and copied": (
        [ASK, ("markdown", "why", "", "So."), ("markdown", "why", "", "So."), ("markdown", "Yes.")],
        Written("So.\n\nYes."),
    ),
    "as comments": ([ASK, PLACE, ("code", "# So.\n# Yes.")], Written("# So.\n# Yes.")),
    "code below is none": ([ASK, PLACE, ("code", "x = 2\nprint(x)")], UNTOUCHED),
    "turned into code": ([ASK, ("code", "why", "w", "So it is")], Written("So it is")),
    "much, elsewhere": ([("markdown", LONG), TITLE, ASK, PLACE], Written(LONG)),
    "much, elsewhere, as code": ([("code", LONG), TITLE, ASK, PLACE], Written(LONG)),
    "little, elsewhere": (
        [("markdown", "My notes."), TITLE, ASK, PLACE],
        Written(is_as_handed_out=True, elsewhere="My notes."),
    ),
    "little, elsewhere, and no cell": ([("markdown", "My notes."), TITLE], Written("My notes.")),
    "a notice below another text that was handed out": (
        [ASK, PLACE, ("markdown", f"{TITLE[1]}\n\nMine.")],
        Written(is_as_handed_out=True, elsewhere="Mine."),
    ),
}  # fmt: skip


@pytest.mark.parametrize("where", STAND)
def test_an_answer_is_found_wherever_it_stands(handed_out, where):
    cells, due = STAND[where]
    assert handed_out.find(of(*cells)) == {"why": due}


def test_only_a_cell_as_it_was_handed_out_has_no_points(tmp_path, assignment):
    emptied, untouched = Written(""), UNTOUCHED
    assert len({emptied.digest, untouched.digest, Written("So.").digest}) == 3
    assert untouched.digest == hashlib.sha256(b"").hexdigest()
    with Gradebook(tmp_path / "grades.sqlite") as book:
        for one, points in ((untouched, 0.0), (emptied, None), (untouched, 0.0)):
            book.keep("hw1", "ada", one.digest, [], {"why": one})
            (answer,) = book.answers("hw1")["ada"]
            assert (answer.points, answer.text) == (points, "")


def test_without_what_was_handed_out_an_answer_is_known_by_its_mark(tmp_path):
    found = HandedOut(tmp_path / "none.ipynb", ["why"])
    assert found.find(of(("markdown", LONG), PLACE))["why"].is_as_handed_out
    assert found.find(of(("raw", "why", "", "So.")))["why"].text == "So."


@pytest.mark.timeout(60)  # with a loop over all in each of them it would take hours
def test_a_notebook_of_many_megabytes_is_looked_at_at_once(handed_out):
    cells = [("markdown", f"{n} " + "a " * 50_000) for n in range(500)]
    assert len(handed_out.find(of(*cells))["why"].text) <= 100_000
    cells = ["".join(f"x x x y {n}\n" for n in range(50_000))] * 200
    told = [(index, "raised", "NameError", "name 'x' is not defined", 1) for index in range(200)]
    reply = Reply("raised", None, "NameError", "name 'x' is not defined", 1)
    assert cause(reply, Submission(tuple(cells)), Ran(told=told)) == ""


@pytest.mark.parametrize(
    ("source", "is_text"),
    [
        ("The scores grow with the width.\nSo the softmax is hard.", True),
        ("# first\n\n   # second", True),
        ("'''The scores\ngrow.'''", True),
        ("print('The scores grow')\nprint(\"and grow\")", True),
        ("Markdown('''The scores\ngrow''')", True),
        ("for every query there is a key, and if there is none, the sink gets all", True),
        ("x = 1", False),
        ("def f(x):\n    return x", False),
        ("# my answer\ndef f(x):\n    return x", False),
        ("for k in range(3):\n    print(k)", False),
        ("plt.plot(x)\nplt.show()", False),
        ("", False),
        ("a(" + "(" * 50_000, False),
        (" " * 90_000 + "x", False),
        ("# x\n" * 20_000 + "y", False),
    ],
)
def test_words_are_told_from_code(source, is_text):
    assert is_words(source) is is_text


# Files


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["._mine.ipynb", "mine.ipynb", "__MACOSX/._mine.ipynb"], "mine.ipynb"),
        (["hw1/hw1_toy.ipynb", "__MACOSX/hw1/._hw1_toy.ipynb"], "hw1/hw1_toy.ipynb"),
        (["a/b/hw1_toy.ipynb"], "a/b/hw1_toy.ipynb"),
        (["mine.ipynb.txt"], "mine.ipynb.txt"),
        (["HW1_TOY.IPYNB", "other.ipynb"], "HW1_TOY.IPYNB"),
        (["hw1_toy.ipynb.json", "hw1_toy.ipynb"], "hw1_toy.ipynb"),
        (["mine.ipynb", ".ipynb_checkpoints/mine-checkpoint.ipynb"], "mine.ipynb"),
    ],
)
def test_a_notebook_is_found_as_systems_and_browsers_put_it(tmp_path, files, found):
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert str(find(tmp_path, "hw1_toy.ipynb")[0].relative_to(tmp_path)) == found


@pytest.mark.needs("bwrap")
@pytest.mark.timeout(300)
def test_a_mistake_that_raises_is_named_and_nothing_else_that_raises(assignment, runner):
    for body, known in {
        "n = x.ndim\n    return np.sum(x, axis=n)": "an axis too far",
        "return x.sum(axis=7)": "",
        "return x.sum(axis=axis_of(x))": "",
    }.items():
        sums = f"%matplotlib inline\ndef sums(x):\n    {body}"
        _, mark = examine(assignment, b"s", "ada", Submission((*HONEST[:2], sums)), runner)
        assert (mark.verdict, mark.mistake) == ("exception", known), mark


def test_lines_end_as_on_windows():
    (first, *_) = parse(notebook("x = 1\r\ny = 2").encode()).cells
    assert first == "x = 1\ny = 2"


@pytest.mark.needs("bwrap")
@pytest.mark.timeout(300)
def test_an_answer_found_elsewhere_waits_and_few_words_are_told_to_the_teacher(
    tmp_path, assignment, runner
):
    (tmp_path / "hw" / "student" / "hw1").mkdir(parents=True)
    (tmp_path / "hw" / "student" / "hw1" / "hw1_toy.ipynb").write_text(notebook(answer=HERE))
    for student, *more in (("ada", "# " + LONG), ("bob", "# my notes"), ("eve",)):
        hand_in(tmp_path / "in", student, *HONEST, *more, answer=HERE)
    assert [*graded(tmp_path, runner, jobs=2).values()] == [[4, 3]] * 3
    with Gradebook(tmp_path / "grades.sqlite") as book:
        points = {who: answers[0].points for who, answers in book.answers("hw1").items()}
        assert points == {"ada": None, "bob": 0.0, "eve": 0.0}
        assert book.looks("hw1", "elsewhere") == {"bob": "why: # my notes"}
