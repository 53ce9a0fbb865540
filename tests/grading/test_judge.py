"""What a mark is, and what a student is told."""

from dataclasses import replace

import numpy as np
import pytest

from course import BuildError
from course.grading import judge
from course.grading.judge import Assignment, Examination
from course.grading.replies import Calls, Ran, Reply, from_tree, to_tree
from course.grading.results import failed
from course.grading.submission import Submission
from course.grading.wire import WireError, decode, encode
from tests.grading.toy import HONEST, answering

SEED = b"secret"


@pytest.fixture
def examination(assignment):
    """What is asked of one student."""
    return Examination(assignment, SEED, "ada")


def answering_all(examination, reply, cells=HONEST):
    """Reply to each call alike; return the marks."""
    ran = answering(examination.calls, lambda *_: reply)
    return examination.marks(Submission(cells), ran)


def answered(function):
    """Reply as a sandbox does in which this function was defined."""

    def reply(inputs):
        given = tuple(np.copy(x) for x in inputs)
        try:
            result = function(*given)
        except Exception as error:
            return Reply("raised", None, type(error).__name__, str(error), 7, (), failed(error))
        changed = tuple(i for i, x in enumerate(given) if not np.array_equal(x, inputs[i]))
        return Reply("answer", result, changed=changed)

    return reply


def marked(assignment, twice, sums=lambda x: x.sum(-1), cells=HONEST, **ran):
    examination = Examination(assignment, SEED, "ada")
    functions = {"twice": answered(twice), "sums": answered(sums)}
    found = answering(examination.calls, lambda name, *inputs: functions[name](inputs))
    return {m.task: m for m in examination.marks(Submission(cells), replace(found, **ran))}


def test_an_assignment_that_is_not_there_is_told(tmp_path):
    with pytest.raises(BuildError, match="there is no hw1 in"):
        Assignment("hw1", tmp_path)


def test_the_same_student_gets_the_same_inputs_and_everybody_else_others(assignment):
    def inputs(seed=SEED, student="ada", task="twice"):
        cases = Examination(assignment, seed, student).cases[task]
        return [array for case in cases for array in case.inputs]

    def same(a, b):
        return len(a) == len(b) and all(map(np.array_equal, a, b))

    assert same(inputs(), inputs())
    assert len(inputs()) > 40
    for other in (inputs(student="bob"), inputs(seed=b"another"), inputs(task="sums")):
        assert not same(inputs(), other)


@pytest.mark.parametrize(
    ("function", "verdict", "said"),
    [
        (lambda x: x * x, "wrong", "You squared it."),
        (lambda x: 3 * x, "wrong", "an example that stands in your notebook: three numbers"),
        (
            lambda x: np.add(x, x, out=x),
            "wrong",
            "Your answer is right, but your function changed its input `x` in place.",
        ),  # however right the answer is
        (lambda x: np.multiply(x, x, out=x), "wrong", "You squared it."),
        (lambda x: np.multiply(x, 3, out=x), "wrong", "It also changed its input `x` in place."),
        (lambda x: 2 * x if x.size == 3 else x, "wrong", "tables of any size are right"),
        (lambda x: 2 * x[:1], "wrong", "an example that stands"),
        (lambda x: 2 * x if x.ndim < 2 else x[0], "wrong", "another shape"),
        (lambda x: 2 * x if x.ndim < 2 else None, "wrong", "Nothing came back there"),
        (lambda x: 2 * x if x.ndim < 2 else x * np.nan, "wrong", "not finite"),
        (lambda x: 2 * x if x.ndim < 2 else "word", "wrong", "no array of numbers"),
        (lambda x: 1 / 0, "exception", "It raised ZeroDivisionError, line 7 of its cell."),
        (lambda x: 2 * x if x.ndim < 2 else 1 // 0, "exception", "ZeroDivisionError there"),
    ],
)
def test_a_reason_says_what_kind_of_input_failed(assignment, function, verdict, said):
    mark = marked(assignment, function)["twice"]
    assert (mark.points, mark.verdict) == (0, verdict)
    assert said in mark.reason
    named = {"squared": "squared", "is right, but": "input changed in place"}
    assert mark.mistake == next((name for words, name in named.items() if words in said), "")


def test_no_reason_carries_a_hidden_number_or_a_word_of_the_students_own(assignment):
    def leak(x):
        if x.ndim < 2:
            return 2 * x
        raise type("X_" + "_".join(map(str, x.ravel())), (Exception,), {})(str(x))

    def odd(x):
        return 2 * x if x.ndim < 2 else type("Y" + str(x.ravel()[:1]), (), {})()

    for function in (leak, odd):
        reason = marked(assignment, function)["twice"].reason
        assert not any(letter.isdigit() for letter in reason), reason
        assert "X_" not in reason
        assert "Y" not in reason


def test_no_exceptions_name_carries_what_another_call_was_given(examination):
    """A child that kept the inputs of one task could tell them in the next one's example."""
    leak = Reply("raised", None, "[0.25, -1.5]", "0.25", 10**5)
    for mark in answering_all(examination, leak):
        assert mark.verdict == "exception"
        assert not any(letter.isdigit() for letter in mark.reason), mark.reason


RAISING = [  # what `sums` does, and the known mistake that it is
    (lambda x: np.sum(x, axis=np.ndim(x)), "an axis too far"),
    (lambda x: x.sum(axis=5), ""),
    (lambda x: x.max(axis=-4), ""),
    (lambda x: x + np.ones(99), ""),
    (lambda x: x.sum(axis=axis_of(x)), ""),  # noqa: F821
    (lambda x: x.sum(axis=-1) if x.sum(axis=0) > 0 else x, ""),
    (lambda x: [][0], ""),
]


@pytest.mark.parametrize(("sums", "known"), RAISING)
def test_a_mistake_that_raises_is_named_where_the_same_failed_with_the_same_shapes(
    assignment, sums, known
):
    mark = marked(assignment, lambda x: x + x, sums)["sums"]
    assert (mark.points, mark.mistake) == (0, known), mark
    assert ("an axis that is not there" in mark.reason) is bool(known)


MANY = tuple(range(60))
FAILED = {  # what a child may say of an exception, and whether it can be
    "nothing": (None, True),
    "two shapes": (("@", ((2, 3), (2, 3)), True), True),
    "words, truths, an end": (("along", ((3,), "a", None, True, np.inf), False), True),
    "no tuple": (["@", (), True], False),
    "too few": (("@", ()), False),
    "a number for a word": ((7, (), True), False),
    "an array for a word": ((np.zeros(3), (), True), False),
    "a word of a million letters": (("@" * 10**6, (), True), False),
    "a million letters among them": (("@", ("x" * 10**6,), True), False),
    "a number for a truth": (("@", (), 1), False),
    "an array for a shape": (("@", (np.zeros(3),), True), False),
    "a list for a shape": (("@", ([3],), True), False),
    "a size of 400 digits": (("@", ((10**399,),), True), False),
    "a shape of many axes": (("@", (MANY,), True), False),
    "many shapes": (("@", ((1,),) * 60, True), False),
    "many in many": (("@", (MANY[:40], MANY[:40]), True), False),
    "shapes in shapes": (("@", ((((((1,),),),),),), True), False),
    "an end for a shape": (("@", (...,), True), False),
}


@pytest.mark.parametrize("failed", FAILED)
def test_what_cannot_have_failed_is_no_reply(failed):
    tree, can_be = FAILED[failed]
    calls = [Calls("sums", ((),))]
    ran = Ran({"sums": [Reply("raised", None, "ValueError", "", 1, (), tree)]})
    sent = decode(encode(to_tree(ran)))
    if can_be:
        assert from_tree(sent, calls).replies == ran.replies
    else:
        with pytest.raises(WireError):
            from_tree(sent, calls)


def test_an_input_that_is_not_there_was_not_changed():
    """Somebody who says so of a worker's would have nobody named, and the task not graded."""
    calls = [Calls("sums", ((np.ones(2), 3),))]
    for changed, can_be in [((), True), ((0, 1), True), ((2,), False), ((-1,), False),
                            ((0, 0), False), ((1, 0), False), ((True,), False),
                            ((np.ones(2),), False)]:  # fmt: skip
        tree = decode(encode(to_tree(Ran({"sums": [Reply("answer", 1.0, changed=changed)]}))))
        if can_be:
            assert from_tree(tree, calls).replies["sums"][0].changed == changed
        else:
            with pytest.raises(WireError):
                from_tree(tree, calls)


def test_nothing_that_is_said_of_an_operation_is_shown(examination):
    for tree in (("0.25", ((25, 0),), True), ("along", (25, "0.25"), False)):
        leak = Reply("raised", None, "ValueError", "no axis 25", 0, (), tree)
        for mark in answering_all(examination, leak):
            assert (mark.verdict, mark.mistake) == ("exception", "")
            assert "25" not in mark.reason


def test_what_failed_is_told_as_far_as_it_is_small_and_plain():
    def told(function, *inputs):
        try:
            function(*inputs)
        except Exception as error:
            return failed(error)

    x = np.ones((2, 3))
    assert told(lambda: x @ x) == ("@", ((2, 3), (2, 3)), True)
    word = type("Word", (str,), {"__len__": lambda self: 10**9})("two")
    found = told(lambda: x.sum(axis=word))
    assert found == ("along", ((2, 3), "two"), True)
    assert type(found[1][1]) is str  # and can be sent
    for too_much in ("y" * 41, (1,) * 51, 10**10):
        assert told(lambda: x.sum(axis=too_much)) is None  # noqa: B023


def test_a_text_among_numbers_makes_no_table_of_texts(examination):
    answer = Reply("answer", ["x" * 10**6, *[0.5] * 50_000])
    assert {mark.verdict for mark in answering_all(examination, answer)} == {"wrong"}


def test_a_cell_of_a_million_lines_is_searched_at_once(examination):
    cells = ("\n" * 10**6, " " * 10**6 + "twice", "\t\n" * 10**6)
    marks = answering_all(examination, Reply("not there"), cells)
    assert {mark.verdict for mark in marks} == {"missing"}


@pytest.mark.parametrize(
    ("cells", "ran", "verdict", "said"),
    [
        (("x = 1",), {}, "missing", "no function called twice"),
        (("x", "def twice(:"), {"told": [(1, "syntax", "S", "", 1)]}, "syntax error", "line 1"),
        (("def twice(x=1/0): 1",), {"told": [(0, "raised", "Z", "", 1)]}, "exception", "line 1"),
        (("def twice(x): 1\nexit",), {"ended": {0: "timed out"}}, "timed out", "took too long"),
    ],
)
def test_a_function_that_is_not_there_is_told_why(examination, cells, ran, verdict, said):
    found = Ran({"twice": [Reply("not there")], "sums": [Reply("answer", ...)]}, **ran)
    twice, sums = examination.marks(Submission(cells), found)
    assert (twice.verdict, twice.points) == (verdict, 0)
    assert said in twice.reason
    assert sums.verdict == "not attempted"


def test_what_a_cell_took_away_that_was_late_is_late_and_run_once_more(examination):
    """The machine may have been at work for others."""
    missing = Reply("raised", None, "NameError", "name 'factor' is not defined", 1)
    replies = {"twice": [missing] * len(examination.cases["twice"]), "sums": [Reply("not there")]}
    cells = ("factor = read()", "def twice(x):\n    return factor * x")
    for how, verdict in (("late", "late"), ("timed out", "exception")):
        twice, _ = examination.marks(Submission(cells), Ran(replies, ended={0: how}))
        assert (twice.verdict, judge.is_late(twice)) == (verdict, how == "late")
        assert twice.reason.startswith("Code cell 1 of the notebook ")
        assert "and `factor` was to come of it. " in twice.reason


def test_a_call_that_ended_ends_the_task(examination):
    replies = {"twice": [Reply("answer", 1.0), Reply("timed out")], "sums": []}
    twice, sums = examination.marks(Submission(HONEST), Ran(replies))
    assert twice.verdict == "timed out"
    assert sums.verdict == "missing"


def test_fewer_replies_than_calls_are_no_full_mark(examination):
    right = [Reply("answer", 2 * case.inputs[0]) for case in examination.cases["twice"]]
    twice, _ = examination.marks(Submission(HONEST), Ran({"twice": right[:-1]}))
    assert (twice.points, twice.verdict) == (0, "exited")


def test_what_is_asked_of_the_sandbox_holds_no_answer(examination):
    calls = examination.calls
    assert all(isinstance(one, Calls) for one in calls)
    assert {type(x) for one in calls for inputs in one.inputs for x in inputs} == {np.ndarray}
