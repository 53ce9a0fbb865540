"""Backward: slopes that nudges find, the routes that add up, and the reader's own way back."""

import numpy as np
import pytest

from attnlib import softmax
from attnlib.pictures.shades import FIRST, SECOND, WARN
from attnlib.widgets import Backward
from attnlib.widgets.backward import AGREES
from tests.widgets.still import is_readable, shapes, texts

WORDS, VOTES = ["a", "um", "saw", "duck"], ["noun", "verb"]
SCORES = [0.5**0.5, 0.0, 2**0.5, -np.inf]
VALUE = [[2.0, 0.0], [0.0, 0.0], [0.0, 3.0], [5.0, 0.0]]


def example():
    inputs = {"right": 1, "number": 2, "nudge": -1.0}
    return Backward([1.0, 0.5], [[2.0, 0.0], [1.0, 3.0]], ["a", "saw"], VOTES, **inputs)


def lesson(**inputs):
    return Backward(SCORES, VALUE, WORDS, VOTES, **inputs)


def test_each_slope_is_what_a_short_nudge_finds():
    shown = lesson(nudge=1e-6)
    for number, name in enumerate(shown.numbers):
        shown.number = number
        assert shown.change == pytest.approx(shown.promised, abs=1e-10), name
    grads = np.concatenate([shown.grad_scores, shown.grad_weights, shown.grad_output])
    assert shown.slope == grads[-1]
    expected = [-0.683, -0.124, 0.807, 0, -1.523, 0, 2.284, -3.807, -0.761, 0.761]
    assert grads == pytest.approx(expected, abs=1e-3)


def test_the_loss_is_the_surprise_by_the_right_vote():
    shown = lesson()
    output = softmax(SCORES) @ np.array(VALUE)
    assert shown.output == pytest.approx(output)
    assert shown.loss == pytest.approx(-np.log(softmax(output)[0]))
    shown.right = 1
    assert shown.loss == pytest.approx(-np.log(softmax(output)[1]))


def test_a_number_moves_what_comes_after_it_alone():
    shown = lesson(number=6, nudge=0.25)  # the weight of saw
    before, after = shown._layers(), shown._layers(0.25)
    moved = [(b - a).tolist() for a, b in zip(before[1:3], after[1:3], strict=True)]
    assert moved == [pytest.approx([0, 0, 0.25, 0]), pytest.approx([0, 0.75])]
    np.testing.assert_array_equal(before[0], after[0])
    assert shown.change == after[3][0] - before[3][0] > 0


def test_the_right_vote_is_nudged_where_nothing_is_said():
    for right in (0, 1):
        assert lesson(right=right).numbers[lesson(right=right).number] == (
            f"the vote for “{VOTES[right]}”"
        )


def test_a_hidden_word_has_no_slope_and_is_told_as_hidden():
    shown = lesson(number=3, nudge=3)
    assert (shown.slope, shown.change) == (0, 0)
    assert shown._told().startswith("“duck” is hidden: however you nudge its score")


def test_what_is_surprising_without_end_has_a_loss_all_the_same():
    shown = Backward([0.0], [[-100.0, 100.0]], ["a"], VOTES)
    assert shown.loss == pytest.approx(200)
    assert shown.slope == pytest.approx(-1)


@pytest.mark.parametrize(
    ("number", "nudge", "told"),
    [
        (0, 3, "Nudge the score of “a” by 3.00: the weights share anew, and the loss moves by "
         "−1.23. Slope times nudge says −0.68 · 3.00 = −2.05, which is off by 0.82."),
        (6, -0.1, "Nudge the weight of “saw” by −0.10, and it alone: the votes move, and the loss "
         "by −0.22. Slope times nudge says 2.28 · −0.10 = −0.23, which is off by 0.01."),
        (9, 0, "Nothing is nudged: the loss is 1.43. Drag the dot."),
    ],
)  # fmt: skip
def test_it_says_what_a_nudge_does_and_how_far_the_slope_is_off(number, nudge, told):
    assert lesson(number=number, nudge=nudge)._told() == told


# The reader's own way back


def right(grad_weights, weights):
    mean = (weights * grad_weights).sum(axis=-1, keepdims=True)
    return weights * (grad_weights - mean)


def test_the_readers_own_function_is_handed_a_row_and_held_against_the_nudge():
    shown = lesson(softmax_backward=right)
    assert shown.answer["grad_scores"] == pytest.approx(shown.grad_scores)
    assert shown._answer["said"] == AGREES
    wrong = lesson(softmax_backward=lambda grad_weights, weights: weights * grad_weights)
    assert wrong._answer["said"] == (
        "For the score of “a” your function says −0.432, and a short nudge finds −0.683."
    )
    assert wrong.grad_scores == pytest.approx(shown.grad_scores)
    lost = lesson(softmax_backward=lambda grad_weights, weights: np.full((1, 4), np.nan))
    assert "“a” your function says nan" in lost._answer["said"]


# The still


@pytest.mark.parametrize("number", range(10))
def test_the_still_shows_the_routes_of_the_number_and_slopes_as_far_as_one_is_back(number):
    shown = lesson(number=number, nudge=2)
    paper = shown._draw()
    is_readable(paper)
    layer = min(number // 4, 2)
    local = shown._locals()[layer][number - 4 * layer]
    lines = shapes(paper, "line", FIRST), shapes(paper, "line", SECOND)
    assert [len(of) for of in lines] == [1 + (local > 0).sum(), (local < 0).sum()]
    known = [words for words in texts(paper) if words.startswith("slope ")]
    assert len(known) == [10, 6, 2][layer]
    (miss,) = shapes(paper, "line", WARN)
    high = abs(miss.points[0, 1] - miss.points[1, 1])
    assert (high < 1) == (abs(shown.change - shown.promised) < 0.01)


def test_its_alt_text_says_every_number():
    told = lesson(number=4)._alt()
    assert "weights: a 0.78 slope −1.52, um 0.14 slope 0.00" in told
    assert "scores: a 0.71, um 0.00, saw 1.41, duck −inf;" in told
    assert told.count("slope −0.76") == 1
