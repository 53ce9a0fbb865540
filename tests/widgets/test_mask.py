"""Mask: what a painted mask does to weights and outputs, and who notices what it hides."""

import json
import re
from itertools import product

import numpy as np
import pytest

import attnlib
from attnlib import causal_mask
from attnlib.pictures.colours import COLORS
from attnlib.pictures.shades import LINE
from attnlib.widgets import Mask
from attnlib.widgets._base import quoted
from tests.lessons import sampled
from tests.widgets.still import is_readable, shapes, texts

N, D_KEY, D_VALUE = 5, 3, 2
WORDS = ["the", "cat", "sat", "the", "mat"]
RNG = np.random.default_rng(5)
QUERY, KEY, VALUE = (RNG.standard_normal((N, d)) for d in (D_KEY, D_KEY, D_VALUE))
HOLES = RNG.random((N, N)) < 0.5
HOLES[1] = False  # the second query sees nothing


def example():
    column = [[1.0], [0.0], [2.0]]
    return Mask(column, column, column, words=["I", "saw", "it"], when="after")


def made(query=QUERY, key=KEY, value=VALUE, **inputs):
    return Mask(query, key, value, **{"words": WORDS} | inputs)


def lesson(**inputs):
    """Return lesson 05's widget: scores that are logarithms of whole numbers."""
    query = np.log([[1, 2, 1], [1, 1, 2], [1, 3, 1]]) * np.sqrt(3)
    value = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    return Mask(query, np.eye(3), value, words=["the", "cat", "sat"], **inputs)


def attended(query, key, value, mask, when):
    """Weights and output in plain loops."""
    weights, output = np.zeros((N, N)), np.zeros((N, D_VALUE))
    for i in range(N):
        seen = [j for j in range(N) if mask[i, j] or when == "after"]
        powers = {j: np.exp(np.dot(query[i], key[j]) / np.sqrt(D_KEY)) for j in seen}
        for j in range(N):
            if mask[i, j]:
                weights[i, j] = powers[j] / sum(powers.values())
                output[i] += weights[i, j] * value[j]
    return weights, output


# What follows from the inputs


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("mask", [causal_mask(N), HOLES, np.ones((N, N), bool)])
@pytest.mark.parametrize("changed", [0, 3])
def test_derived_traits_are_those_of_plain_loops(when, mask, changed):
    widget = made(mask=mask, when=when, changed=changed)
    weights, output = attended(QUERY, KEY, VALUE, mask, when)
    key, value = KEY.copy(), VALUE.copy()
    key[changed] += 1
    value[changed] += 1
    _, other = attended(QUERY, key, value, mask, when)
    assert np.allclose(widget.weights, weights)
    assert np.allclose(widget.row_sums, [sum(row) for row in weights])
    assert np.allclose(widget.output, output)
    for i in range(N):
        assert np.isclose(widget.changes[i], max(abs(other[i, c] - output[i, c]) for c in (0, 1)))


def test_before_the_softmax_nothing_hidden_is_noticed_and_after_it_is():
    before, after = lesson(), lesson(when="after")
    assert np.allclose(before.row_sums, 1)
    assert before.changes[:2].tolist() == [0, 0]
    assert np.allclose(after.row_sums, [1 / 4, 2 / 4, 1])
    assert np.allclose(after.changes[:2], [1 / 4 - 1 / 5, 1 / 4 - 1 / 6])
    assert np.isclose(before.changes[2], 1 - 2 / 5)
    assert np.isclose(after.changes[2], before.changes[2])


def test_left_out_the_mask_is_causal_and_the_last_word_changes():
    widget = made()
    assert np.array_equal(widget.mask, causal_mask(N))
    assert (widget.when, widget.changed) == ("before", N - 1)
    assert made(words=iter(WORDS)).words == tuple(WORDS)


def test_one_word_and_forty_and_numbers_that_saturate():
    one = Mask([[1.0]], [[1.0]], [[2.0]], words=["saw"])
    assert (one.weights.tolist(), one.changes.tolist()) == ([[1]], [1])
    alone = Mask([[1.0]], [[1.0]], [[2.0]], words=["saw"], mask=[[False]], when="after")
    assert (alone.row_sums.tolist(), alone.output.tolist()) == ([0], [[0]])
    many = Mask(*np.ones((3, 40, 4)), words=["w"] * 40, changed=39)
    large = made(query=1e200 * QUERY, key=1e200 * KEY, when="after")  # inf - inf: nan, told as nan
    assert np.isnan(large.changes).any()
    assert re.search(r": sum nan, nan[;.]", large._alt())
    far = np.array([[1.7e308], [-1.7e308]])  # the change is beyond the largest float
    far = Mask([[99], [99]], [[0], [0.5]], far, words=["to", "fro"], changed=0, mask=np.eye(2) < 2)
    assert far.changes.tolist() == [np.inf, np.inf]
    for widget in (one, alone, many, large, far):
        assert widget.still().startswith(b"\x89PNG")


# The reader's own function


def late(query, key, value, mask):
    """Hide after the softmax."""
    return attnlib.attention_weights(query, key) * mask @ value


def test_a_function_is_drawn_with_its_leaks_and_its_weights():
    widget = made(mask=HOLES, attention=late)
    wanted = made(mask=HOLES, when="after")
    assert np.allclose(widget.answer["output"], wanted.output)
    assert np.allclose(widget.answer["changes"], wanted.changes)
    assert np.allclose(widget.answer["weights"], wanted.weights)
    told = widget._answer
    assert told["name"] == "late"
    assert told["said"] == "The numbers are those of your own function."
    assert told["changes"] == widget.answer["changes"].tolist()
    assert np.allclose(widget.weights, made(mask=HOLES).weights)  # these are attnlib's


def test_a_function_answers_again_when_the_hand_paints():
    widget = made(attention=late)
    widget.set_state({"mask": HOLES.tolist(), "_asked": 7})
    assert np.allclose(widget.answer["weights"], made(mask=HOLES, when="after").weights)
    assert widget._answer["asked"] == 7


def test_weights_that_cannot_be_read_off_are_left_out_and_it_is_said():
    def two_features(query, key, value, mask):
        if value.shape[1] != 2:
            raise ValueError("two features, please")
        return attnlib.attention(query, key, value, mask=mask)

    widget = made(attention=two_features)
    assert sorted(widget.answer) == ["changes", "output"]
    assert widget._answer["said"] == (
        "The numbers are those of your own function. Its weights are not shown: handed the "
        "identity matrix as values, it raised ValueError: two features, please"
    )
    assert "weights" not in widget._answer


def test_nan_of_a_function_is_told_as_nan():
    def divides(query, key, value, mask):
        weights = attnlib.attention_weights(query, key) * mask
        return weights / weights.sum(axis=1, keepdims=True) @ value

    widget = made(mask=HOLES, attention=divides)
    assert np.isnan(widget.answer["changes"][1])
    assert widget._answer["changes"][1] == "NaN"
    json.dumps(widget._answer, allow_nan=False)


# What is told and drawn


def test_alt_text_holds_the_numbers():
    alt = lesson(when="after")._alt()
    assert "6 of 9 pairs may look" in alt
    assert "laid on after the softmax" in alt
    assert "the key and value of sat change" in alt
    assert (
        "the: sum 0.25, changes by 0.05; cat: sum 0.50, changes by 0.08; "
        "sat: sum 1.00, changes by 0.60." in alt
    )
    assert "cat: sum 1.00, untouched" in lesson()._alt()
    _, metadata = lesson()._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == lesson()._alt()


TOLD = {
    "before": (
        {},
        0,
        "“the” may look at “the” alone: “the” gets all of its weight, and the others get none.",
    ),
    "after": (
        {"when": "after"},
        0,
        "“the” may look at “the” alone: it loses 0.75 of weight, which no other word gets. "
        "Its row sums to 0.25, not 1.",
    ),
    "one cell": (
        {"mask": np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1]], bool)},
        2,
        "“sat” may not look at “cat”: the 0.60 it would give there goes to “the”, “sat”.",
    ),
    "nothing hidden": (
        {"mask": np.ones((3, 3), bool)},
        None,
        "Nothing is hidden: every word may look at every word.",
    ),
    "a blind row": (
        {"mask": np.array([[1, 1, 1], [0, 0, 0], [1, 1, 1]], bool)},
        1,
        "“cat” may not look at “the”, “cat”, “sat”: it sees nothing now, so its weights are 0, and "
        "its output is 0.",
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_cause_and_effect_are_told_in_one_sentence(name):
    inputs, row, sentence = TOLD[name]
    widget = lesson(**inputs)
    assert (widget._told()[0], quoted(widget._told()[1])) == (row, sentence)
    assert sentence in widget._alt()
    lines = texts(widget._draw())
    assert " ".join(lines[:-1]).startswith(sentence)


def test_many_words_are_counted_not_listed():
    mask = np.ones((18, 18), bool)
    mask[0, 1:9] = False
    widget = Mask(*np.ones((3, 18, 1)), words=[f"w{i}" for i in range(18)], mask=mask)
    assert quoted(widget._told()[1]) == (
        "“w0” may not look at “w1”, “w2”, “w3” and 5 more: the 0.44 it would give there goes to "
        "“w0”, “w9”, “w10” and 7 more."
    )


def test_the_picture_shows_the_weights_and_hatches_what_is_hidden():
    widget = lesson(when="after")
    paper = widget._draw()
    hatched = np.array([shape.points[0] for shape in shapes(paper, "hatch", LINE)])
    cells = (hatched - hatched[0]) / (84, 50.4) + (1, 0)  # column and row; (0, 1) is the first
    assert cells.round(9).tolist() == [[1, 0], [2, 0], [2, 1]]
    numbers = [word for word in texts(paper, at="mm") if "." in word]
    assert numbers == [f"{x:.2f}" for x in widget.weights.flat]
    beside = [word for word in texts(paper, size=12) if "changes by" in word]
    assert beside == ["0.25  changes by 0.05", "0.50  changes by 0.08", "1.00  changes by 0.60"]
    assert "sum, and its output if sat changes" in texts(paper)
    for role in ("key", "query"):
        assert len(shapes(paper, "box", COLORS[role])) == 1
    assert widget.still() == lesson(when="after").still()
    is_readable(paper)


def test_before_the_softmax_the_picture_is_of_the_weights_alone():
    told = texts(lesson()._draw(), size=12)
    assert "sum" in told
    assert told.count("1.00") == 3 + 1  # of each row, and the weight that the first one gives
    assert not any("changes" in word or "untouched" in word for word in told)


def test_a_row_that_sees_nothing_says_so():
    paper = lesson(mask=np.zeros((3, 3), bool))._draw()
    assert texts(paper).count("sees nothing: weights 0, output 0") == 3
    is_readable(paper)


@pytest.mark.parametrize(
    ("n", "word"), sampled(product([1, 2, 6, 12, 13, 40], ["it", "W" * 30]), 5)
)
def test_the_picture_has_room_for_any_sentence(n, word):
    arrays = 1e3 * RNG.standard_normal((3, n, 2))
    is_readable(Mask(*arrays, words=[word] * n, when="after")._draw())
