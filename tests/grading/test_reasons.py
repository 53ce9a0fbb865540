"""Right code that comes to nothing, and what is raised: each is told for what it is."""

import json
import sys
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from course.grading import child
from course.grading.book.tally import mistakes
from course.grading.causes import one_cell
from course.grading.judge import Examination, Mark, examine
from course.grading.oddities import NO_POOL, instead, oddity
from course.grading.replies import Ran, Reply, from_tree, to_tree
from course.grading.run import _looks, _read, handed
from course.grading.runner import _reply
from course.grading.submission import Cell, Submission, UngradedError, made_of, parse
from course.grading.wire import Budget, decode, encode
from tests.grading.toy import hand_in, notebook

HERE = "{}.{}".format(*sys.version_info[:2])
LATER = (sys.version_info[0], sys.version_info[1] + 1)
NUMPY = "import numpy as np"
TWICE = "def twice(x):\n    return np.add(x, x)"
STUB = "def twice(x):\n    return ..."
SUMS = "def sums(x):\n    return x.sum(-1)"
RAISED = "It fails an example that stands in your notebook: three numbers. It raised {}, line {}"
TOOK = "Code cell {} of the notebook puts something else in the place of `{}`"
NEEDS = f"{TOOK}, and the answer needs what stood there."


@pytest.fixture
def examination(assignment):
    """What is asked of one student."""
    return Examination(assignment, b"secret", "ada")


@pytest.fixture
def marked(examination, monkeypatch):
    """Return a function that judges cells that run here as a sandbox runs them."""
    monkeypatch.setattr(sys, "modules", dict(sys.modules))  # which a notebook's own name joins
    line = SimpleNamespace(send=lambda what: said.append(what))
    said: list[tuple] = []
    left: dict[str, object] = {}

    def replies(versions, calls):
        for inputs in calls.inputs if versions else ():
            vars(sys.modules["__main__"]).update(left)
            data = child.call(versions[-1], tuple(np.copy(x) for x in inputs))
            yield _reply("answered", np.frombuffer(data, "u1"), inputs, Budget(1000))

    def judged(*cells, python=(), text=()):
        with np.errstate(all="ignore"):
            versions = child.run(line, cells, (), (), [one.function for one in examination.calls])
            left.update(vars(sys.modules["__main__"]))  # for each call is made in a process
            found = {
                one.function: [*replies(versions[one.function], one)] for one in examination.calls
            }
        every = [*(Cell(*one) for one in text), *(Cell("code", "", "", one) for one in cells)]
        return examination.marks(made_of(tuple(every), python), Ran(found, [*said[-1][-1]]))

    return judged


NAMED = ["RuntimeError", "StopIteration", "KeyboardInterrupt", "ExceptionGroup('x', [KeyError()])"]
CASES = {  # cells, and what is told of `twice`: its verdict, the beginning of a reason, its rest
    **{
        name: ([f"def twice(x):\n    raise {name}"], "exception",
               RAISED.format(name.partition("(")[0], 2), "of its cell.")
        for name in NAMED
    },
    "an exception of the notebook's": (
        ["class Oh(Exception): pass\ndef twice(x):\n    raise Oh"], "exception",
        RAISED.format("an exception that is not built in", 3), "",
    ),
    "sys.exit": (
        ["import sys\ndef twice(x):\n    sys.exit(1)"], "exited", "A call ended Python", "`exit`",
    ),
    "NumPy taken above": (
        ["import numpy as np", "np = 5", "def twice(x):\n    return np.add(x, x)"], "exception",
        NEEDS.format(3, "np"), "Give that one another name.",
    ),
    "NumPy taken below, and a fault of its own": (
        ["import numpy as np\ndef twice(x):\n    return np.addd(x, x)", "np = 5"], "exception",
        RAISED.format("AttributeError", 3), "",
    ),
    "a helper from below, taken": (
        ["def twice(x):\n    return double(x)", "def double(x):\n    return x + x",
         "double = double(3)"],
        "exception", NEEDS.format(4, "double"), "",
    ),
    "a helper deleted": (
        ["def twice(x):\n    return double(x)", "def double(x):\n    return x + x", "del double"],
        "exception", NEEDS.format(4, "double"), "",
    ),
    "async": (
        ["async def twice(x):\n    return 2 * x"], "wrong", "It is an `async def`", "Leave out",
    ),
    "non-breaking spaces": (
        ["def twice(x):\n\u00a0\u00a0return 2 * x"], "syntax error",
        "Code cell 2 of the notebook holds U+00A0 (no-break space) at line 2", "Type it anew",
    ),
    "quotes that curl": (
        ["def twice(x):\n    print(“here”)\n    return 2 * x"], "syntax error",
        "Code cell 2 of the notebook holds U+201C (left double quotation mark) at line 2", "",
    ),
    "a near name": (
        ["def Twice(x):\n    return 2 * x"], "missing",
        "The notebook has no function called twice. ",
        "Code cell 2 of the notebook has one that is called `Twice`.",
    ),
    "a near name, the stub left": (
        [STUB, "def twice_2(x):\n    return 2 * x"], "not attempted",
        "The function is as it was handed out.", "one that is called `twice_2`.",
    ),
    "in a class": (
        ["class Mine:\n    def twice(x):\n        return 2 * x"], "missing",
        "The notebook has no function called twice. Code cell 2", "inside of something else",
    ),
    "in comments": (
        ["# def twice(x):\n#     return 2 * x"], "missing",
        "The notebook has no function called twice. Code cell 2", "inside of something else",
    ),
    "other inputs": (
        ["def twice(x, axis):\n    return 2 * x"], "exception",
        "It fails an example that stands in your notebook: three numbers. It takes another number "
        "of inputs than the task gives.", "",
    ),
    "other inputs than another function's": (
        ["import numpy as np\ndef twice(x):\n    return np.add(x)"], "exception",
        RAISED.format("TypeError", 3), "",
    ),
    "a name of Greek letters": (
        ["α = open('a.txt').read()", "def twice(x):\n    return α * x"], "exception",
        "Code cell 2 of the notebook raised FileNotFoundError at line 1, and `α` was to come", "",
    ),
    "a cell that is no Python": (
        ["factor = = 2", "def twice(x):\n    return factor * x"], "exception",
        f"Code cell 2 of the notebook is no Python {HERE} at line 1, and `factor` was to come", "",
    ),
    "another task's name is none that is near": (
        ["x = 1"], "missing", "The notebook has no function called twice.", "",
    ),
}  # fmt: skip
NO_ODDITY = (
    *NAMED, "an exception of", "sys.exit", "another task's", "other", "a name of", "a cell that",
)  # fmt: skip


@pytest.mark.parametrize("words", CASES)
def test_each_is_told_for_what_it_is(marked, words):
    cells, verdict, begins, rest = CASES[words]
    twice, sums = marked(SUMS, *cells)
    assert (twice.points, twice.verdict) == (0, verdict)
    assert twice.reason.startswith(begins)
    assert rest in twice.reason
    assert sums.points == 3
    is_odd = not words.startswith(NO_ODDITY)
    assert bool(twice.look) is is_odd


BACK = f"twice: {TOOK}"
ONCE_MORE = ". Where a call raised, it was made once more with what stood there"
TAKEN = {  # cells whose functions are right as long as these names are what they were, and the cell
    "NumPy": (["import numpy as np\ndef twice(x):\n    return np.add(x, x)", "np = 5"], "np", 3),
    "a builtin": (["def twice(x):\n    return sum([x, x])", "x = 1", "sum = 3"], "sum", 4),
    "builtins, by a star": (
        ["def twice(x):\n    return max([x, x], key=id) + x", "from numpy import *"], "max", 3,
    ),
    "NumPy deleted": (
        ["import numpy as np", "def twice(x):\n    return np.add(x, x)", "del np"], "np", 4,
    ),
    "by a function's own answer": (
        ["def twice(x):\n    return x + x", "twice = twice(3)"], "twice", 3,
    ),
    "a helper, in a lambda of a decorated one": (
        ["import functools\ndef same(f):\n    return functools.wraps(f)(lambda *a: f(*a))",
         "def double(x):\n    return x + x\n@same\ndef twice(x):\n    return (lambda: double(x))()",
         "for double in range(3): pass"],
        "double", 4,
    ),
    "what a helper uses": (
        ["import numpy as np\ndef double(x):\n    return np.add(x, x)",
         "def twice(x):\n    return double(x)", "np = 5"],
        "np", 4,
    ),
    "the first call changed what came in": (
        ["def twice(x):\n    x *= 2\n    y = sum([x, 0])\n    x /= 2\n    return y", "sum = 3"],
        "sum", 3,
    ),
}  # fmt: skip


def test_a_cell_that_was_handed_out_and_is_gone_is_told(marked, examination):
    """To the student, to the teacher, and once for all functions; and no other name is told."""
    examination.assignment.handed_out.code = ("x = 1", f"{NUMPY}\nimport secrets")
    both = TWICE, "def sums(x):\n    return np.sum(x, -1)"
    told = (
        "Code cell 2 of the notebook that was handed out is not there as it was, and `np` was to "
        "come of it. Put it back."
    )
    marks = marked(*both)
    assert [(mark.verdict, mark.reason, mark.look) for mark in marks] == [
        ("exception", told, told)
    ] * 2
    assert one_cell((mark.verdict, mark.reason) for mark in marks) == told
    for cells in (
        [TWICE.replace("np", "mine")],
        [f"if False:\n    {NUMPY}", TWICE],
        ["def twice(x):\n    raise NameError(\"name 'hidden' is not defined\")"],
    ):
        twice, _ = marked(*cells, SUMS)
        assert twice.reason.startswith("It fails an example that stands in your notebook")
        assert twice.look == ""


@pytest.mark.parametrize("words", TAKEN)
def test_a_call_that_raised_is_made_with_what_stood_before_a_later_cell(marked, words):
    cells, name, at = TAKEN[words]
    marks = marked(SUMS, *cells)
    assert [(mark.points, mark.reason) for mark in marks] == [(4, ""), (3, "")]
    how = ", which was called still" if name == "twice" else ONCE_MORE
    assert [*_looks(marks)] == [BACK.format(at, name) + how]


def test_a_name_that_a_later_cell_means_to_give_stays_given(marked):
    """A helper that is mended, or that has a builtin's name, is not taken from anybody."""
    before = ["def sum(x):\n    return x", "def twice(x):\n    return round(x) + sum(x)"]
    after = ["def round(x):\n    return 0 * x", "def sum(x):\n    return 2 * x", "input = x = 3"]
    marks = marked(SUMS, *before, *after)
    assert [mark.points for mark in marks] == [4, 3]
    marks = marked(SUMS, "np = 5", f"{NUMPY}\n{TWICE}", "np = 5", NUMPY)
    assert [(mark.points, mark.look) for mark in marks] == [(4, ""), (3, "")]


def test_what_went_wrong_without_raising_is_told_with_what_was_taken(marked):
    """No call is made twice for its answer, or there would be a second guess."""
    cell = "def twice(x):\n    return x if any(0 for _ in 'abc') else 2 * x"
    twice, _ = marked(SUMS, cell, "from numpy import *")
    words = BACK.format(3, "any").removeprefix("twice: ") + ONCE_MORE
    assert twice.verdict == "wrong"
    assert words in twice.reason
    assert twice.look == f"{words}."


def test_what_is_new_in_a_later_python_names_both(marked):
    broken = "def twice(x):\n    return x ++++* 2"
    for python, said, look in (
        (LATER, f"is no Python {HERE} at line 2 (it was run with {'{}.{}'.format(*LATER)})", True),
        ((), f"is no Python {HERE} at line 2, so", False),
        (sys.version_info[:2], "is no Python at line 2, so", False),
        ((2, 7), "is no Python at line 2, so", False),
    ):
        twice, _ = marked(SUMS, broken, python=python)
        assert twice.reason.startswith(f"Code cell 2 of the notebook {said}")
        assert (f"write it as {HERE} has it" in twice.reason) is look
        assert (said in twice.look) is bool(twice.look) is look


@pytest.mark.parametrize(
    ("metadata", "python"),
    [
        ({"language_info": {"version": "3.12.1"}}, (3, 12)),
        ({"language_info": {"version": "3.13.0rc1"}}, (3, 13)),
        ({"language_info": {"version": "3.1" + "2" * 5000}}, ()),
        ({"language_info": {"version": 3.12}}, ()),
        ({"language_info": [3]}, ()),
        ({"kernelspec": {}}, ()),
        (None, ()),
    ],
)
def test_the_version_that_a_notebook_was_run_with_is_read(metadata, python):
    book = json.loads(notebook("x = 1")) | {"metadata": metadata}
    data = json.dumps(book).encode()
    assert parse(data).python == python


def test_code_that_stands_as_text_is_found(marked):
    text = "Mine:\n```python\ndef twice(x):\n    return 2 * x\n```"
    for kind, called in (("markdown", "text"), ("raw", "raw text")):
        each = [("markdown", "", "", "# A"), (kind, "", "", text)]
        for cell, verdict in (("x = 1", "missing"), (STUB, "not attempted")):
            twice, _ = marked(SUMS, cell, text=each)
            assert twice.verdict == verdict
            assert f" Cell 2 of the notebook, counted with those of text, has it as {called}" in (
                twice.reason
            )
            assert twice.look in twice.reason
    for kind in ("markdown", "raw"):
        text = [(kind, "", "", "import numpy as np")]
        twice, _ = marked(SUMS, "def twice(x):\n    return np.add(x, x)", text=text)
        assert twice.reason.startswith(
            "Cell 1 of the notebook, counted with those of text, was to bring `np`"
        )
        assert twice.look == twice.reason


def test_a_pool_is_told_where_one_is_waited_for_and_where_there_can_be_none(examination):
    pool = "from multiprocessing.pool import ThreadPool\npool = ThreadPool(2)"
    none = Reply("raised", None, "FileNotFoundError", NO_POOL, 2)
    missing = Reply("raised", None, "NameError", "name 'pool' is not defined", 2)
    n = len(examination.cases["twice"])
    for cell, replies, told, said in (
        (pool, [Reply("late")], [], "Code cell 1 of the notebook makes a pool, and its threads"),
        ("x = 1", [Reply("late")], [], ""),
        ("def twice(x):\n    ThreadPool(2)", [Reply("late")], [], ""),
        ("def twice(x):\n    Pool(2)", [none] * n, [], "makes a pool of processes, and there can"),
        ("open('')", [none] * n, [], ""),
        (pool, [missing] * n, [(0, "raised", "FileNotFoundError", NO_POOL, 2)],
         "Code cell 1 of the notebook makes a pool of processes at line 2, and there can be none"),
    ):  # fmt: skip
        ran = Ran({"twice": replies, "sums": []}, told)
        twice, _ = examination.marks(Submission((cell,)), ran)
        assert said in twice.reason
        assert said in twice.look
        assert bool(twice.look) is bool(said)


def test_the_commonest_reasons_are_counted_whatever_has_a_name(assignment):
    """By mistake, by promise, by how a call ended, and by cell, which costs two tasks at once."""

    def of(*reasons, verdict="wrong", mistake=""):
        named = zip(("twice", "sums"), reasons, strict=False)
        return [Mark(task, 0, 3, verdict, reason, mistake) for task, reason in named]

    cell = "Code cell 1 of the notebook raised KeyError at line {}, and `{}` was to come of it."
    promise = "It fails where this was promised: tables of any size are right."
    class_of = [
        *[of(f"{promise} {more}") for more in ("It raised KeyError there.", "", "") for _ in "xyz"],
        *[of(*[cell.format(2, name)] * 2, verdict="exception") for name in ("np", "k")],
        of("You squared it. Twice a number is …", mistake="squared"),
        of("A call took too long. Is there …", verdict="timed out"),
        of("The function is as it was handed out.", verdict="not attempted"),
        [Mark("twice", 4, 4, "correct", "It is right, but …")],
    ]
    found = mistakes(assignment, {f"s{i}": marks for i, marks in enumerate(class_of)})
    assert [(one.n, one.task, one.name, one.sentence) for one in found] == [
        (9, "twice", "a promise that does not hold", "Tables of any size are right."),
        (2, "code cell 1", "a cell that failed",
         "Code cell 1 of the notebook raised KeyError at line 2."),
        (1, "twice", "squared", "You squared it."),
        (1, "twice", "timed out", "A call took too long."),
    ]  # fmt: skip
    assert found[0].hint == "Does it work without rows, too?"


def test_a_notebook_whose_code_is_all_text_is_graded_and_another_ones_is_not(
    tmp_path, assignment, read_here
):
    for cell, is_this in ((TWICE, True), ("Mine is twice as good", False)):
        path = hand_in(tmp_path / "in", "ada", cell)
        path.write_text(path.read_text().replace('"code"', '"raw"'))
        with nullcontext() if is_this else pytest.raises(UngradedError, match="another assignm"):
            _read(handed(tmp_path / "in", "ada", assignment), assignment)


def test_the_other_tasks_are_no_near_names():
    submission = Submission(("def topk(x): ...", "def top_k(x): ..."))
    ran = Ran({"top_k": [Reply("not there")], "topk": [Reply("answer", 1.0)]})
    assert "comments" in instead("top_k", submission, ran)
    assert "`topk`" in instead("top_k", submission, replace(ran, replies={"top_k": []}))


@pytest.mark.timeout(60)  # if each reply's reason were looked for it would take minutes
def test_a_notebook_of_many_megabytes_is_looked_through_once():
    text = [Cell("raw", "", "", " " * 20_000) for _ in range(300)]
    submission = made_of((*text, Cell("code", "", "", "a " * 10_000)), ())
    missing = Reply("raised", None, "NameError", "name 'zz' is not defined", 1)
    took = [(0, "took", "zz", "twice", 0)] * 100_000
    assert oddity("twice", [missing] * 5_000, submission, Ran({}, took)) == ""


@pytest.mark.needs("bwrap")
def test_what_cells_took_comes_out_of_a_sandbox(runner, assignment):
    cells = (f"{NUMPY}\n{TWICE}\n1 / 0", "np = 5\n1 / 0", "1 / 0")
    twice, _ = examine(assignment, b"secret", "ada", Submission(cells), runner)
    assert (twice.points, [*_looks([twice])]) == (4, [BACK.format(2, "np") + ONCE_MORE])
    ran = Ran({}, [(1, "took", "np", "twice", 1)])
    assert from_tree(decode(encode(to_tree(ran))), ()).told == ran.told
