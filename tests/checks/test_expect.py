"""What the tests in a homework say."""

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from attnlib.checks import expect
from attnlib.checks.known import pack, trace


def message(answer, expected, call="f(x)"):
    with pytest.raises(AssertionError) as caught:
        expect(answer, expected, call)
    return str(caught.value)


def test_a_known_mistake_is_named_by_what_it_answers_in_this_call():
    doubled, squared = (trace([2.0, 5.0]), "You doubled it."), (trace([9.0]), "You squared it.")
    stopped, counted = (trace([7.0, 7.0]), "You stopped."), (trace([1, 2, 3]), "You counted.")
    known = pack({"f(x)": [doubled, squared], "f(y)": [stopped, counted]})
    due = np.array([1.0, 2.0])
    for answer, call, words in (
        ([2.00001, 5.0], "f(x)", "You doubled it."),
        ([5.0, 2.0], "f(x)", ""),  # the same numbers in other places
        ([2.01, 5.0], "f(x)", ""),
        ([3.0, 5 - np.cos(1) / np.cos(2)], "f(x)", ""),  # the first sum is the same
        ([1, 2, 3] + np.cross(np.ones(3), np.cos([1, 2, 3])) / 2, "f(y)", ""),  # and the sizes
        ([1, 2, 3], "f(y)", "You counted."),
        ([7.0, 7.0], "f(x)", ""),
        ([7.0, 7.0], "f(y)", "You stopped."),
        ([np.nan, 7.0], "f(y)", ""),
        ([], "f(y)", ""),
        (9, "f(x)", "You squared it."),
    ):
        with pytest.raises(AssertionError) as caught:
            expect(answer, due, call, known)
        said = str(caught.value)
        assert said.startswith(f"{call}:\n")
        assert ("You" in said.replace("Your", "")) == bool(words)
        assert said.endswith(words)
    assert expect(due, due, "f(x)", known) is None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (1.0, 1),
        ([1, 2], np.array([1.0, 2.0])),
        (np.float32([0.1, 0.2]), np.array([0.1, 0.2])),
        ([True, False], np.array([True, False])),
        ((np.ones(2), 3), (np.ones(2), np.array(3.0))),
        (np.array([np.nan, -np.inf]), np.array([np.nan, -np.inf])),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        ([], np.zeros((0, 3))),
        ([[], []], np.zeros((2, 0))),
    ],
)
def test_what_is_right_says_nothing(answer, expected):
    assert expect(answer, expected, "f(x)") is None


@pytest.mark.parametrize(
    ("answer", "expected", "words"),
    [
        (..., 1.0, "f(x):\nNot attempted yet."),
        (None, 1.0, "f(x):\nNothing came back. Is the `return` missing?"),
        ("word", 1.0, "a str, where an array of numbers is expected"),
        (np.ones((2, 1)), np.ones(2), "has the shape (2, 1), and (2,) is due."),
        (np.zeros(0), np.zeros((0, 3)), "has the shape (0,), and (0, 3) is due."),
        ([1, 0], np.array([True, False]), "made of numbers, not of True and False."),
        ([True, True], np.array([True, False]), "True is not False at [1]."),
        ([True], np.array([1.0]), "made of True and False, not of numbers."),
        ([1.0, 2.5], np.array([1.0, 2.0]), "2.5 is not 2 at [1]."),
        (0.30001, 0.3001, "0.30001 is not 0.3001."),
        ((1.0, 2.0), (1.0, 3.0), "part 1 of f(x)"),
        (1.0, (1.0, 3.0), "2 arrays are expected"),
        ((np.ones(2), np.ones(2)), np.ones(2), "2 things came back, where one array is due."),
        ((np.ones(2),), np.ones(2), "One thing and a comma came back, where one array is due."),
        (np.float64(1e-7), 3e-7, "1e-07 is not 3e-07."),
        (np.zeros((2, 1, 2)), np.arange(4).reshape(2, 1, 2), "at [0, 0, 1]. yours[0] = [[0 0]]"),
    ],
)
def test_what_is_wrong_is_told_in_lines_that_nbgrader_does_not_cut(answer, expected, words):
    said = message(answer, expected)
    assert words in said or words in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 80


def test_jupyter_shows_the_line_and_the_words_and_no_traceback():
    shell, shown = InteractiveShell(), []
    shell._showtraceback = lambda kind, error, lines: shown.extend(lines)
    shell.run_cell("from attnlib.checks import expect\nx = 1\nexpect(x, 2, 'f(x)')")
    assert shown[:3] == ["Line 3 of this cell expects otherwise.", "f(x):", "1 is not 2."]
    assert not [line for line in shown if "expect.py" in line]


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        ("word", "expected must hold floats"),
        (None, "NoneType is none of these"),
        ([[1], [1, 2]], "expected"),
        ((1.0, 1j), "complex is none of these"),
    ],
)
def test_what_cannot_be_expected_is_told_in_three_parts(expected, told):
    with pytest.raises((TypeError, ValueError), match=told):
        expect(1.0, expected, "f(x)")
