"""SelfAttention: its steps as loops compute them; what it refuses; the reader's own function."""

import math
import re

import numpy as np
import pytest

from attnlib import attention, attention_weights, text
from attnlib.pictures.shades import PAPER, SOFT
from attnlib.plotting import COLORS
from attnlib.widgets import Goal, SelfAttention
from tests.lessons import quickly
from tests.widgets.still import is_readable, shapes, texts, written

STEPS = ("project", "score", "scale", "softmax", "mix")


def example():
    column = [[1.0], [0.0], [2.0]]
    return SelfAttention(column, column, column, words=["a", "b", "c"], word=2)


def toy(**changes):
    words, x = text.toy_sentence()
    query, key, value = (x @ w for w in text.toy_projections())
    inputs = {"query": query, "key": key, "value": value, "words": words, "x": x, "word": 1}
    return SelfAttention(**(inputs | changes))


def random(n, d_key, d_value, *, seed=0, **changes):
    rng = np.random.default_rng(seed)
    arrays = [rng.standard_normal((n, d)) for d in (d_key, d_key, d_value)]
    return SelfAttention(*arrays, **({"words": [f"w{i}" for i in range(n)]} | changes))


def numbers_in(paper):
    return [word for word in texts(paper) if re.fullmatch(r"−?\d+\.\d\d", word)]


# What follows from the inputs


@pytest.mark.parametrize("seed", range(5))
def test_scores_weights_and_output_are_what_loops_compute(seed):
    shown = random(5, 7, 3, seed=seed)
    n, d_key = shown.query.shape
    output = np.zeros((n, 3))
    for i in range(n):
        scores = [math.fsum(shown.query[i] * shown.key[j]) / math.sqrt(d_key) for j in range(n)]
        exponentials = [math.exp(score) for score in scores]
        weights = [number / math.fsum(exponentials) for number in exponentials]
        for j in range(n):
            output[i] += weights[j] * shown.value[j]
        assert shown.scores[i] == pytest.approx(scores)
        assert shown.weights[i] == pytest.approx(weights)
    assert shown.output == pytest.approx(output)


def test_one_word_looks_at_itself_whatever_it_holds():
    shown = SelfAttention([[1e6]], [[-1e6]], [[3, 4]], words=["alone"])
    assert shown.weights.tolist() == [[1]]
    assert shown.output.tolist() == [[3, 4]]


def test_the_largest_numbers_stay_finite():
    shown = SelfAttention([[1e6], [-1e6]], [[1e6], [-1e6]], [[1e6], [-1e6]], words=["a", "b"])
    assert shown.weights.tolist() == [[1, 0], [0, 1]]
    for step in STEPS:
        shown.step = step
        assert shown.still()[:4] == b"\x89PNG"


def test_numbers_are_kept_to_six_digits_as_copies_that_nobody_changes():
    query = np.full((1, 1), 1 / 3)
    shown = SelfAttention(query, [[1]], np.float32([[0.1]]), words=["a"])
    query[0, 0] = 7
    assert shown.query.tolist() == [[0.333333]]
    assert shown.value.tolist() == [[0.1]]
    with pytest.raises(ValueError, match="read-only"):
        shown.query[0, 0] = 7


def test_what_the_hand_makes_of_a_vector_is_there_and_reset_brings_it_back():
    shown = toy(attention=attention)
    key = [[2, 0], [0, 4.9], [0, -1], [0, 1]]
    heard = []
    shown.observe(lambda change: heard.append(change["new"][2, 1]), names="weights")
    shown.set_state({"key": key, "_untouched": {"key": toy().key.tolist()}, "_asked": 1})
    assert shown.key.tolist() == key
    assert heard == [shown.weights[2, 1]] == [pytest.approx(0.9009, abs=1e-3)]
    assert shown.answer["weights"] == pytest.approx(shown.weights)  # one's own function follows
    assert shown.output[2] == pytest.approx(shown.weights[2] @ shown.value)
    shown.set_state({"key": toy().key.tolist(), "_untouched": {}, "_asked": 2})
    assert repr(shown) == repr(toy())


# What is shown where nothing runs


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("project", ["first saw has the query (1.00, 0.00)", "x = (0.00, 1.00, 1.00)", "4 words"]),
        ("score", ["I 2.00, first saw 0.00, a 0.00, second saw 0.00."]),
        ("scale", ["square root of d_key = 2: I 1.41, first saw 0.00, a 0.00, second saw 0.00."]),
        (
            "softmax",
            ["first saw looks at each word: I 0.58, first saw 0.14, a 0.14, second saw 0.14."],
        ),
        ("mix", ["I 0.58", "the output (1.16, 0.28, 0.00)."]),
    ],
)
def test_alt_text_holds_the_numbers_of_the_step_and_tells_equal_words_apart(step, told):
    alt = toy(step=step)._alt()
    for part in told:
        assert part in alt


def test_alt_text_of_a_long_sentence_of_wide_vectors_stays_short():
    shown = random(40, 26, 27, step="mix")
    top = shown.weights[0].argsort()[::-1][:5]
    largest = ", ".join(f"w{j} {shown.weights[0, j]:.2f}" for j in top)
    assert f"the largest five are {largest}." in shown._alt()
    assert f"output of 27 numbers from {shown.output[0].min():.2f}" in shown._alt()
    assert len(shown._alt()) < 300


def told_in(array):
    return [f"{x:.2f}".replace("-0.00", "0.00").replace("-", "−") for x in np.ravel(array)]


def ribbons(paper, color):
    """Return how wide the ribbons of a colour are where they begin, from above."""
    bands = [area.points for area in shapes(paper, "area", color) if len(area.points) == 50]
    return np.array([band[-1, 1] - band[0, 1] for band in bands])


@pytest.mark.parametrize("step", STEPS)
def test_still_prints_the_number_of_each_word(step):
    shown = toy(step=step, word=2)
    sums = shown.query[2] @ shown.key.T
    weights = shown.weights[2]
    numbers = dict(zip(STEPS, ([], sums, shown.scores[2], weights, weights), strict=True))[step]
    ends = [*shown.query[2], *(shown.output[2] if step == "mix" else [])]
    assert numbers_in(shown._draw()) == told_in(numbers) + told_in(ends)


def test_ribbons_are_as_wide_as_weights_once_there_are_any():
    query, key, value = (COLORS[role] for role in ("query", "key", "value"))
    for step in ("score", "scale"):
        paper = toy(step=step, word=2)._draw()
        assert ribbons(paper, query).tolist() == [2] * 4  # the query meets every key alike
        assert len(ribbons(paper, key)) == len(ribbons(paper, value)) == 0
    paper = toy(step="softmax", word=2)._draw()
    full = 40 * toy().weights[2]
    np.testing.assert_allclose(ribbons(paper, query), np.maximum(full, 0.5))
    np.testing.assert_allclose(ribbons(paper, key), np.maximum(full, 0.5))
    assert len(ribbons(paper, value)) == 0
    paper = toy(step="mix", word=2)._draw()
    np.testing.assert_allclose(ribbons(paper, value), np.maximum(full, 0.5))


def test_vectors_are_bars_as_long_as_their_numbers():
    shown = random(3, 9, 5, step="mix")
    paper = shown._draw()
    low, parts = 40 / 2 - 3, shown.weights[0][:, None] * shown.value
    for role, rows in (
        ("key", low * shown.key),
        ("query", (78 / 2 - 3) * shown.query[:1]),
        ("output", np.vstack([low * parts, (0.56 * 224 / 2 - 3) * shown.output[:1]])),
        ("value", low * shown.value),
    ):
        of = (shown.value,) if role in ("value", "output") else (shown.query, shown.key)
        most = max(abs(rows_of).max() for rows_of in of)
        drawn = [a.points for a in shapes(paper, "area", COLORS[role]) if len(a.points) % 4 == 0]
        if role == "value":  # its parts add up elsewhere
            drawn = [points for points in drawn if len(points) > 4]
        lengths = np.concatenate([points[0::4, 1] - points[1::4, 1] for points in drawn])
        np.testing.assert_allclose(lengths, rows.ravel() / most)


def test_in_the_output_a_line_shows_where_one_weighted_value_ends_and_the_next_begins():
    shown = random(3, 2, 5, step="mix", word=1)
    high, middle = (0.56 * 224 / 2 - 3) / abs(shown.value).max(), 68 + 112
    tips = (shown.weights[1][:, None] * shown.value).cumsum(axis=0)[:-1]
    assert (abs(high * tips) > 1).all()  # nearer to zero, none is drawn
    lines = [line.points for line in shapes(shown._draw(), "line", PAPER)]
    np.testing.assert_allclose([middle - line[0, 1] for line in lines], high * tips.T.ravel())
    zero = toy(step="mix", word=2)  # nothing is a thing, and "I" does nothing
    assert len(shapes(zero._draw(), "line", PAPER)) == np.count_nonzero(
        np.cumsum(zero.weights[2][:, None] * zero.value, axis=0)[:-1]
    )


def test_a_long_sentence_is_folded_to_who_asks_the_largest_and_what_is_asked():
    def rows(shown):
        return [word for word in texts(shown._draw(), at="mm") if re.match(r"w\d|\d+ others", word)]

    shown = random(40, 2, 3, step="softmax", word=39)
    top = sorted([*shown.weights[39].argsort()[::-1][:5], 39])
    assert 39 not in shown.weights[39].argsort()[::-1][:5]
    assert rows(shown)[:-1] == [*(f"w{j}" for j in top), "34 others"]
    others = 1 - shown.weights[39][top].sum()
    assert numbers_in(shown._draw())[:7] == told_in([*shown.weights[39][top], others])
    low = shown.weights[39].argmin()
    goal = Goal("Let w39 look there.", weights={(39, low): (0.9, None)})
    asking = random(40, 2, 3, step="softmax", word=39, goal=goal)
    assert f"w{low}" in rows(asking)
    shown.step = "score"
    hidden = np.delete(shown.query[39] @ shown.key.T, top)
    assert f"≤ {told_in(hidden.max())[0]}" in texts(shown._draw())
    assert len(rows(random(12, 2, 3))) == 12 + 1
    assert shown._draw().height < 500


def test_values_are_pale_until_they_are_mixed():
    def inks(step, role="value"):
        areas = shapes(toy(step=step)._draw(), "area", COLORS[role])
        return [area.alpha for area in areas if len(area.points) == 3 * 4]

    assert inks("project") == [1] * 4
    assert inks("score") == inks("softmax") == [0.4] * 4
    assert inks("mix") == [0.4] * 4
    assert inks("mix", "output") == [1] * 5  # on each value what its weight lets through; their sum


def test_the_word_that_asks_is_marked_and_x_belongs_to_the_first_step():
    paper = toy(step="project")._draw()
    assert "from x" in texts(paper)
    assert texts(paper, color="#ffffff") == ["first saw"]
    assert len(shapes(paper, "box", COLORS["query"])) == 2  # its name, and what heads the column
    assert texts(paper, bold=True) == [
        "1 project: first saw asks with its query; every word has a key and a value",
        "first saw",
    ]
    assert "from x" not in texts(toy(step="score")._draw())
    assert "from x" not in texts(toy(step="project", x=None)._draw())
    assert "gets" in texts(toy(step="mix")._draw())


def test_what_the_numbers_stand_for_is_written_above_them():
    names = {"key_features": ["someone", "thing"], "value_features": ["someone", "doing", "thing"]}
    shown = toy(step="mix", **names)
    named = [word.words for word in written(shown._draw(), color=SOFT, size=11) if word.at == "mm"]
    assert [name for name in named if name in names["value_features"]] == [
        *(2 * names["key_features"]), *names["value_features"],
    ]  # fmt: skip
    is_readable(shown._draw())
    shown.value_features = ["W" * 20] * 3  # no room
    assert "W" * 20 not in texts(shown._draw())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "In “I saw a saw”, first saw asks. I answers best: it takes 0.58 of what this word "
         "gives."),
        ({"word": 2}, "In “I saw a saw”, a asks. first saw and second saw answer best: it takes "
         "0.37 of what each gives."),
        ({"word": 0, "key": np.zeros((4, 2))}, "In “I saw a saw”, I asks. All words answer alike: "
         "it takes 0.25 of what each gives."),
    ],
)  # fmt: skip
def test_the_last_step_says_who_gives_most(changes, said):
    assert texts(toy(step="mix", **changes)._draw())[0] == said


def test_scores_are_bars_and_frames_show_what_they_were():
    shown = random(4, 2, 3, step="scale", word=1)
    boxes = [box.points for box in shapes(shown._draw(), "box", COLORS["scores"])]
    lengths = np.array([right[0] - left[0] for left, right in boxes[1:]])  # the first is the head
    np.testing.assert_allclose(lengths / lengths[0], abs(shown.scores[1] / shown.scores[1, 0]))


@pytest.mark.parametrize("step", quickly(STEPS, takes=[4], full=[0]))
def test_still_has_room_for_any_sentence_and_no_label_runs_into_another(step):
    for shape in ((1, 1, 1), (12, 8, 9), (40, 12, 5), (16, 64, 64)):
        is_readable(random(*shape, step=step, word=shape[0] - 1)._draw())
    long = random(3, 2, 8, words=["W" * 30] * 3, step=step)
    is_readable(long._draw())
    is_readable(toy(step=step)._draw())
    is_readable(toy(query=np.full((4, 2), -9e5), key=np.full((4, 2), 9e5), step=step)._draw())


# The reader's own function


def told(function):
    """Return the widget's answer, and what the page is told."""
    shown = toy(attention=function)
    return shown.answer, shown._answer


def test_a_right_function_gives_its_output_and_weights():
    answer, page = told(attention)
    assert answer["output"] == pytest.approx(toy().output)
    assert answer["weights"] == pytest.approx(toy().weights)
    assert page["weights"] == answer["weights"].tolist()
    assert page["said"].startswith("The weights and the output marked as yours are those")
    assert "not the sum" not in page["said"]


def test_a_wrong_function_shows_its_own_numbers():
    def down_the_columns(query, key, value):
        return attention_weights(key, query).T @ value

    answer, page = told(down_the_columns)
    assert answer["weights"] == pytest.approx(attention_weights(toy().key, toy().query).T)
    assert answer["output"] == pytest.approx(answer["weights"] @ toy().value)
    assert page["name"] == "down_the_columns"


def test_a_function_that_does_not_mix_values_is_told():
    answer, page = told(lambda query, key, value: attention(query, key, value) + 1)
    assert answer["output"] == pytest.approx(toy().output + 1)
    assert page["said"].endswith("Its output is not the sum of the values times these weights.")


def test_where_weights_cannot_be_read_off_the_output_is_shown_alone():
    def fixed(query, key, value):
        return attention(query, key, toy().value)

    answer, page = told(fixed)
    assert set(answer) == {"output"}
    assert "weights" not in page
    assert page["said"] == (
        "The output is that of your own function. Its weights cannot be read off: with the "
        "identity matrix as value, it returns an array of another shape: (4, 3) came back, "
        "(4, 4) was wanted."
    )
