"""The reader's own function in a widget: what it answers is drawn, what goes wrong is told."""

import functools
import json

import numpy as np
import pytest

from attnlib import softmax
from attnlib.widgets import Softmax
from attnlib.widgets._plugin import Misfit, called
from tests.widgets.test_base import make

SCORES = [2.0, 1.0, 0.0]


def halves(scores):
    return np.full(scores.shape, 0.5)


def made(function, **inputs):
    return Softmax(SCORES, softmax=function, **inputs)


def error_of(function):
    """Return the words for what went wrong in a widget that lives on."""
    widget = made(function)
    assert widget.answer is None
    assert widget.weights == pytest.approx(softmax(SCORES))
    assert widget._answer.keys() == {"asked", "name", "error"}
    assert json.loads(json.dumps(widget._answer)) == widget._answer
    return widget._answer["error"]


# A function that answers


def test_the_function_drives_the_answer():
    widget = made(halves)
    assert widget.answer["weights"].tolist() == [0.5] * 3
    assert widget.weights == pytest.approx(softmax(SCORES))
    assert widget._answer == {
        "asked": 0,
        "name": "halves",
        "weights": [0.5] * 3,
        "said": "The weights are those of your own function.",
    }


def test_the_function_is_asked_again_whenever_an_input_changes():
    asked = []

    def told(scores):
        asked.append(scores.tolist())
        return scores / 4

    widget = made(told, temperature=2.0)
    widget.shift = 4.0
    widget.set_state({"scores": [0.0, 0.0, 4.0], "temperature": 1.0})
    assert asked == [[1, 0.5, 0], [3, 2.5, 2], [4, 4, 8]]
    assert widget.answer["weights"].tolist() == [1, 1, 2]
    assert widget._answer["weights"] == [1, 1, 2]


def test_without_a_function_nothing_is_asked():
    widget = Softmax(SCORES)
    assert (widget._plugged, widget.answer, widget._answer) == (False, None, {})
    assert made(halves)._plugged is True


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ([1, 0, 0], [1.0, 0.0, 0.0]),
        ((True, False, False), [1.0, 0.0, 0.0]),
        (np.float16([0.5, 0.25, 0.25]), [0.5, 0.25, 0.25]),
        (np.float32([0.5, 0.25, 0.25]), [0.5, 0.25, 0.25]),
    ],
)
def test_whatever_is_an_array_of_numbers_is_an_answer(answer, kept):
    widget = made(lambda scores: answer)
    assert widget.answer["weights"].dtype == np.float64
    assert widget._answer["weights"] == kept


def test_a_masked_answer_is_told_in_words_since_its_mask_would_be_lost():
    told = made(lambda scores: np.ma.array([0.5, 0.25, 0.25]))._answer["error"]
    assert told.startswith("<lambda> returns what is no array of numbers (it must be a plain array")


def test_numbers_that_json_lacks_travel_as_words():
    widget = made(lambda scores: [np.nan, np.inf, -np.inf])
    assert widget._answer["weights"] == ["NaN", "Infinity", "-Infinity"]
    json.dumps(widget._answer, allow_nan=False)
    assert [float(word) for word in widget._answer["weights"][1:]] == [np.inf, -np.inf]
    np.testing.assert_array_equal(widget.answer["weights"], [np.nan, np.inf, -np.inf])


def test_a_function_that_overflows_is_not_scolded_by_numpy():
    def naive(scores):
        return np.exp(scores) / np.exp(scores).sum()

    widget = made(naive, shift=800)
    assert widget._answer["weights"] == ["NaN"] * 3
    assert "error" not in widget._answer


def test_the_function_gets_copies():
    seen = []

    def spoiling(scores):
        assert scores.flags.writeable
        seen.append(scores)
        scores[:] = 7
        return scores

    widget = made(spoiling)
    assert widget.scores.tolist() == SCORES
    assert widget.weights == pytest.approx(softmax(SCORES))
    widget.shift = 0.5
    assert seen[0] is not seen[1]
    x = np.zeros(2)
    called(lambda given: given.__setitem__(0, 1) or given, (2,), x)
    assert x.tolist() == [0, 0]


def test_an_answer_is_not_changed_behind_the_widgets_back():
    mine = np.full(3, 0.25)
    widget = made(lambda scores: mine)
    mine[:] = 9
    assert widget.answer["weights"].tolist() == [0.25] * 3


def test_the_hands_question_is_echoed_with_its_answer():
    widget = made(halves)
    widget.set_state({"temperature": 2.0, "_asked": 5})
    assert widget._answer["asked"] == 5
    widget.set_state({"_asked": 6})
    assert widget._answer["asked"] == 6
    failing = made(lambda scores: 1 / 0)
    failing.set_state({"temperature": 2.0, "_asked": 3})
    assert failing._answer["asked"] == 3
    assert "error" in failing._answer


# A function that does not


class Answerless:
    """What NumPy can make no array of."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no numbers here")


class Wordless(Exception):
    """What cannot even say what is wrong."""

    def __str__(self):
        raise RuntimeError("no words either")


def raising(error):
    def mine(scores):
        raise error

    return mine


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("too cold"), "mine raised ValueError: too cold"),
        (ValueError("  "), "mine raised ValueError: without a message"),
        (SystemExit(1), "mine raised SystemExit: 1"),
        (SystemExit(), "mine raised SystemExit: without a message"),
        (KeyboardInterrupt(), "mine was interrupted before it answered."),
        (StopIteration(), "mine raised StopIteration: without a message"),
        (GeneratorExit(), "mine raised GeneratorExit: without a message"),
        (Misfit(" is mine"), "mine raised Misfit: is mine"),
    ],
)
def test_whatever_is_raised_is_told(error, words):
    assert error_of(raising(error)) == words


def test_an_error_without_words_is_told_as_well():
    assert "mine raised Wordless" in error_of(raising(Wordless()))


def test_endless_recursion_is_told():
    def mine(scores):
        return mine(scores)

    assert error_of(mine).startswith("mine raised RecursionError: maximum recursion depth")


@pytest.mark.parametrize("answer", [None, ...])
def test_a_body_still_to_be_written_is_told(answer):
    assert error_of(lambda scores: answer) == (
        "<lambda> returns None: its body is still to be written, or its return is missing."
    )


@pytest.mark.parametrize(
    ("answer", "shape"),
    [
        (0.5, "()"),
        ([0.5, 0.5], "(2,)"),
        ([[0.5, 0.5, 0]], "(1, 3)"),
        ([], "(0,)"),
    ],
)
def test_an_answer_of_another_shape_is_told(answer, shape):
    assert error_of(lambda scores: answer) == (
        f"<lambda> returns an array of another shape: {shape} came back, (3,) was wanted."
    )


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("words", "str is none of these"),
        (["a", "b", "c"], "str is none of these"),
        ({"weights": 1}, "dict is none of these"),
        ([1, 2, 1j], "complex128 is none of these"),
        ([1, 2, None], "object is none of these"),
        ([[1], [1, 2], [3]], "(1,) != (2,)"),
        (len, "builtin_function_or_method is none of these"),
    ],
)
def test_an_answer_that_is_no_array_of_numbers_is_told(answer, why):
    told = error_of(lambda scores: answer)
    assert told.startswith("<lambda> returns what is no array of numbers (")
    assert why in told


def test_an_answer_that_no_array_can_be_made_of_is_told():
    told = error_of(lambda scores: Answerless())
    assert told.startswith("<lambda> returns what is no array of numbers (")


def test_the_wrong_number_of_parameters_is_told():
    assert error_of(lambda: [1, 0, 0]).startswith("<lambda> raised TypeError: ")
    assert "takes 0 positional arguments but 1 was given" in error_of(lambda: [1, 0, 0])


def test_the_widget_is_usable_after_a_failure_and_after_the_next_answer():
    def picky(scores):
        if scores[0] > 5:
            raise ValueError("too large")
        return scores

    widget = made(picky)
    assert widget.answer["weights"].tolist() == SCORES
    widget.scores = [6.0, 0.0, 0.0]
    assert widget.answer is None
    assert widget._answer["error"] == "picky raised ValueError: too large"
    assert widget.scores.tolist() == [6, 0, 0]
    assert widget.still() == Softmax([6, 0, 0]).still()
    widget.scores = [3.0, 0.0, 0.0]
    assert widget.answer["weights"].tolist() == [3, 0, 0]
    assert "error" not in widget._answer


PLUGGED = {"Mask": "attention", "SelfAttention": "attention", "Softmax": "softmax"}


def greedy(*arrays, **more):
    for array in (*arrays, *more.values()):
        array[...] = 0
    return np.nan * (arrays[2] if len(arrays) > 1 else arrays[0])  # values, or scores


@pytest.mark.parametrize("name", PLUGGED)
def test_in_every_widget_a_broken_function_is_told_and_the_widget_lives(name):
    plain = make(name)
    inputs = {trait: getattr(plain, trait) for trait in plain._inputs}
    for function, words in (
        (lambda *given, **more: ..., "<lambda> returns None: its body is still to be written, or"),
        (lambda *given, **more: 1 / 0, "<lambda> raised ZeroDivisionError: division by zero"),
        (lambda *given, **more: exit(), "<lambda> raised SystemExit"),
        (lambda *given, **more: np.ones((7, 5)), "another shape: (7, 5) came back, ("),
        (lambda *given, **more: "words", "<lambda> returns what is no array of numbers"),
        (lambda: 1, "<lambda> raised TypeError"),
    ):
        widget = type(plain)(**inputs, **{PLUGGED[name]: function})
        assert words in widget._answer["error"]
        assert widget.answer is None
        widget.set_state({"_asked": 5})
        assert widget._answer["asked"] == 5
        assert widget.still() == plain.still()
        assert widget.recorded()["traits"]["_answer"] == {"name": "<lambda>"}
    spoilt = type(plain)(**inputs, **{PLUGGED[name]: greedy})
    assert repr(spoilt) == repr(plain)
    assert "NaN" in json.dumps(spoilt._answer, allow_nan=False)
    with pytest.raises(TypeError, match="a function must be plugged in: 3 came in"):
        type(plain)(**inputs, **{PLUGGED[name]: 3})


# What is no function, and what is recorded of one


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (3, "a function must be plugged in: 3 came in, and int is no function."),
        ("softmax", "a function must be plugged in: 'softmax' came in, and str is no function."),
        ([], "a function must be plugged in: [] came in, and list is no function."),
        (False, "a function must be plugged in: False came in, and bool is no function."),
    ],
)
def test_what_cannot_be_called_is_refused(function, message):
    with pytest.raises(TypeError) as told:
        made(function)
    assert str(told.value) == message


class Machine:
    """Something with no name of its own that can be called."""

    def __call__(self, scores):
        return scores


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (halves, "halves"),
        (lambda scores: scores, "<lambda>"),
        (functools.partial(softmax, axis=0), "partial"),
        (Machine(), "Machine"),
        (np.exp, "exp"),
    ],
)
def test_recorded_names_the_function_and_holds_neither_code_nor_answer(function, name):
    widget = made(function)
    traits = widget.recorded()["traits"]
    plain = Softmax(SCORES).recorded()["traits"]
    assert traits == plain | {"_plugged": True, "_answer": {"name": name}}
    assert widget._answer["name"] == name
    assert "softmax" not in repr(widget)


def test_a_failing_function_is_recorded_like_any_other():
    state = made(raising(ValueError("secret"))).recorded()
    assert state["traits"]["_answer"] == {"name": "mine"}
    assert "secret" not in json.dumps(state)
