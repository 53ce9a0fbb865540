"""Softmax: weights as loops compute them, the naive formula's failures, and words of all kinds."""

import json
import math
from itertools import product

import numpy as np
import pytest

from attnlib import entropy, softmax
from attnlib.pictures.shades import INK
from attnlib.plotting import COLORS
from attnlib.widgets import Softmax
from attnlib.widgets.softmax import PALER
from tests.lessons import sampled
from tests.widgets.still import bar_lengths, is_readable, shapes, texts, written

LONG = "Donaudampfschifffahrtsgesellschaft" * 6


def example():
    return Softmax([2.0, 1.0], ["I", "saw"], temperature=0.5, shift=3, naive=True)


def loop_weights(scores):
    top = max(scores)
    exponentials = [math.exp(score - top) for score in scores]
    return [number / math.fsum(exponentials) for number in exponentials]


# What follows from the inputs


@pytest.mark.parametrize("naive", [False, True])
@pytest.mark.parametrize("temperature", [0.5, 1, 20])
@pytest.mark.parametrize("shift", [-3, 0, 2.5])
def test_weights_and_entropy_are_what_loops_compute(naive, temperature, shift):
    scores = [2.0, -1.0, 0.5, 2.0, -7.25]
    shown = Softmax(scores, temperature=temperature, shift=shift, naive=naive)
    weights = loop_weights([score / temperature for score in scores])
    assert shown.weights == pytest.approx(weights)
    assert shown.entropy == pytest.approx(-math.fsum(w * math.log(w) for w in weights))


def test_weights_and_entropy_are_those_of_attnlib():
    rng = np.random.default_rng(3)
    for n in (1, 2, 40):
        scores = rng.uniform(-100, 100, n)
        shown = Softmax(scores, temperature=30)
        np.testing.assert_array_equal(shown.weights, softmax(scores, temperature=30))
        assert shown.entropy == pytest.approx(entropy(shown.weights))
        assert shown.weights.sum() == pytest.approx(1)


def test_one_score_takes_all_the_weight():
    shown = Softmax([-100], temperature=0.01)
    assert (shown.weights.tolist(), shown.entropy, shown.names) == ([1], 0, ("key 0",))
    assert shown.still()[:4] == b"\x89PNG"


def test_names_count_the_keys_where_they_are_left_out():
    assert Softmax([1, 2, 3]).names == ("key 0", "key 1", "key 2")
    assert Softmax([1, 2], ["I", "saw"]).names == ("I", "saw")


@pytest.mark.parametrize(
    ("temperature", "weights"), [(0.01, [1, 0]), (100, loop_weights([0.01, 0]))]
)
def test_temperature_at_its_limits(temperature, weights):
    for naive in (False, True):
        shown = Softmax([1, 0], temperature=temperature, naive=naive)
        assert shown.weights == pytest.approx(weights, abs=1e-15)


@pytest.mark.parametrize("shift", [-1000, 1000])
@pytest.mark.parametrize("temperature", [0.01, 100])
def test_shift_at_its_limits_changes_no_weight(shift, temperature):
    scores = [100, 99.5, -100]
    shown = Softmax(scores, shift=shift, temperature=temperature)
    plain = softmax(scores, temperature=temperature)
    np.testing.assert_allclose(shown.weights, plain, rtol=1e-10, atol=1e-300)
    assert np.isfinite(shown.entropy)


# The naive formula


def test_the_naive_formula_overflows():
    shown = Softmax([1, 2, -100], shift=800, naive=True)
    assert str(shown.weights) == "[nan nan  0.]"
    assert math.isnan(Softmax([1, 2], shift=800, naive=True).entropy)
    shown.naive = False
    assert shown.weights == pytest.approx(loop_weights([1, 2, -100]))


def test_the_naive_formula_underflows():
    shown = Softmax([1, 2], shift=-800, naive=True)
    assert np.isnan(shown.weights).all()
    assert math.isnan(shown.entropy)
    cold = Softmax([-10, -9], temperature=0.01, naive=True)
    assert np.isnan(cold.weights).all()


def test_the_naive_formula_holds_until_the_range_of_floats_ends():
    largest = math.log(np.finfo(float).max)  # 709.78
    assert Softmax([0, -5], shift=largest - 0.1, naive=True).weights == pytest.approx(
        loop_weights([0, -5])
    )
    assert np.isnan(Softmax([0, -5], shift=largest + 1e-3, naive=True).weights[0])
    sum_is_lost = Softmax([0, 0], shift=largest - 0.1, naive=True)
    assert sum_is_lost.weights.tolist() == [0, 0]
    one_is_lost = Softmax([0, -100], shift=-700, naive=True)
    assert one_is_lost.weights.tolist() == [1, 0]


def test_a_weight_that_is_no_number_is_drawn_and_told_as_none():
    shown = Softmax([1, 2, -100], shift=800, naive=True)
    paper = shown._draw()
    powers = ["inf", "inf", f"{math.exp(700):.1e}"]
    assert texts(paper, size=12) == ["1.00", "2.00", "−100.00", *powers, "nan", "nan", "0.00"]
    titles = ["The weights are not numbers", "scores + 800, temperature 1", "exp(score)"]
    titles += ["weights, entropy nan"]
    assert texts(paper, bold=True) == titles
    assert bar_lengths(paper, INK) == []
    assert shown.still()[:4] == b"\x89PNG"
    assert "key 0 1.00 becomes nan, key 1 2.00 becomes nan, key 2 -100.00 becomes 0.00" in (
        shown._alt()
    )
    json.dumps(shown.recorded(), allow_nan=False)


# What does not fit


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([], "scores must hold at least one score: scores is (0,), and 0 < 1."),
        (
            [0] * 200,
            "a picture holds at most 40 words (show a part of the sentence): names is a sequence "
            "of 200, and 200 > 40.",
        ),
        (
            [[1], [1, 2]],
            "the rows of scores must have one shape: scores[0] is (1,), scores[1] is (2,), "
            "and (1,) != (2,).",
        ),
    ],
)
def test_scores_without_names_are_refused_in_the_same_words(scores, message):
    with pytest.raises(ValueError, match=", and ") as told:
        Softmax(scores)
    assert str(told.value) == message


# Hidden keys


def test_a_hidden_key_has_the_weight_0_and_the_others_share_the_rest():
    shown = Softmax([2, -np.inf, 1], ["I", "saw", "it"], shift=800, temperature=2)
    of_i, of_it = loop_weights([1, 0.5])
    assert shown.weights == pytest.approx([of_i, 0, of_it])
    assert shown.recorded()["traits"]["scores"] == [2, None, 1]  # JSON has no inf
    paper = shown._draw()
    assert texts(paper, at="rm") == ["I", "saw, hidden", "it"] * 3
    assert "−inf" in texts(paper, size=12)
    assert len(bar_lengths(paper, COLORS["scores"])) == 2
    is_readable(paper)
    assert "saw −inf, hidden, becomes 0.00" in shown._alt()


def test_the_hand_hides_a_key_and_shows_it_again():
    shown = Softmax([0, -np.inf, 0])
    shown.set_state({"scores": [None, None, 0.0]})
    assert shown.weights.tolist() == [0, 0, 1]
    shown.set_state({"scores": [0.0, 0.0, None]})
    assert shown.weights.tolist() == [0.5, 0.5, 0]


def test_where_all_keys_are_hidden_the_weights_are_0_and_that_is_said():
    shown = Softmax([-np.inf] * 3)
    assert (shown.weights.tolist(), shown.entropy) == ([0, 0, 0], 0)
    assert texts(shown._draw(), bold=True)[0] == "Every key is hidden: all weights are 0"
    is_readable(shown._draw())
    shown.naive = True  # 0 / 0
    assert np.isnan(shown.weights).all()
    assert texts(shown._draw(), bold=True)[0] == "The weights are not numbers"


@pytest.mark.parametrize(
    ("scores", "title"),
    [
        ([2, 1], "key 0 gets the largest weight, 0.73"),
        ([2, 2, 0], "key 0 and 1 more get the largest weight, 0.47"),
        ([1, 1, 1], "Equal scores: 3 equal weights of 0.33"),
        ([1], "key 0 gets the largest weight, 1.00"),
    ],
)
def test_the_still_says_what_is_seen(scores, title):
    assert texts(Softmax(scores)._draw(), bold=True)[0] == title


# What is shown where nothing runs


def test_the_still_prints_every_score_and_weight_beside_its_name():
    shown = Softmax([2, 1, 0], ["I", "saw", "it"], temperature=0.5)
    paper = shown._draw()
    powers = ["54.60", "7.39", "1.00"]
    assert texts(paper, size=12) == ["2.00", "1.00", "0.00", *powers, "0.87", "0.12", "0.02"]
    assert texts(paper, at="rm") == ["I", "saw", "it"] * 3
    titles = ["scores, temperature 0.5", "exp(score / 0.5)"]
    titles += [f"weights, entropy {shown.entropy:.2f}"]
    assert texts(paper, bold=True) == ["I gets the largest weight, 0.87", *titles]
    for name in ("I", "saw", "it"):
        rows = {word.y for word in written(paper) if word.words == name}
        assert len(rows) == 1
    is_readable(paper)


def test_bars_are_as_long_as_their_numbers_and_of_their_roles_colour():
    shown = Softmax([4, 2, -1], ["I", "saw", "it"])
    colors = (COLORS["scores"], PALER, INK)
    scores, powers, weights = (bar_lengths(shown._draw(), color) for color in colors)
    np.testing.assert_allclose(np.divide(scores, scores[0]), [1, 0.5, 0.25])
    for lengths in (powers, weights):
        shares = np.divide(lengths, lengths[0])
        np.testing.assert_allclose(shares, shown.weights / shown.weights[0])


def test_a_negative_score_lies_left_of_zero_where_the_others_begin():
    paper = Softmax([4, 2, -1], ["I", "saw", "it"])._draw()
    ends = [box.points[:, 0].tolist() for box in shapes(paper, "box", COLORS["scores"])]
    (zero, _), (also, _), (_, end) = ends
    assert zero == also == pytest.approx(end)


@pytest.mark.parametrize(
    ("inputs", "power", "numbers"),
    [
        ({}, "exp(score)", [math.e**2, math.e]),
        ({"temperature": 2}, "exp(score / 2)", [math.e, math.e**0.5]),
        ({"shift": 800}, "exp(score − largest)", [1, 1 / math.e]),
        ({"shift": -800, "temperature": 2}, "exp((score − largest) / 2)", [1, math.e**-0.5]),
        ({"shift": -800, "naive": True}, "exp(score)", [0, 0]),
    ],
)
def test_the_still_shows_the_exponentials_that_are_easy_to_read(inputs, power, numbers):
    paper = Softmax([2, 1], **inputs)._draw()
    assert texts(paper, bold=True)[2] == power
    assert texts(paper, size=12)[2:4] == [f"{number:.2f}" for number in numbers]


def test_of_many_keys_the_still_shows_the_largest_scores_and_the_others_together():
    scores = [2, 5, -np.inf, 5, 4, 0, 4.5, 2, 3]
    shown = Softmax(scores, list("abcdefghi"))
    paper = shown._draw()
    assert texts(paper, at="rm") == [*"bdegi"] + [*"bdegi", "4 others"] * 2
    rest = [f"{x[[0, 2, 5, 7]].sum():.2f}" for x in (np.exp(scores), shown.weights)]
    assert rest == ["15.78", "0.03"]
    assert [texts(paper, size=12)[place] for place in (10, 16)] == rest
    assert "i 3.00 becomes 0.04, and 4 others together get 0.03. Their ent" in shown._alt()
    eight = Softmax(scores[:8])._draw()
    assert "others" not in "".join(texts(eight))
    is_readable(paper)


def test_a_long_word_leaves_room_for_the_bars():
    shown = Softmax([1, 2], [LONG, "it"])
    assert shown.recorded()["traits"]["names"] == [LONG, "it"]
    paper = shown._draw()
    assert texts(paper, at="rm") == ["Donaudampfsch…", "it"] * 3
    assert max(bar_lengths(paper, COLORS["scores"])) > 100
    is_readable(paper)


def test_forty_words_keep_apart_in_the_still():
    shown = Softmax(np.linspace(-3, 3, 40), [f"word {i}" for i in range(40)])
    is_readable(shown._draw())


RANGES = [[-100, 100], [-1, -2], [0, 0], [-100, -99.99, 50]]


@pytest.mark.parametrize(("scores", "name"), sampled(product(RANGES, ["it", LONG]), 4))
def test_numbers_of_negative_bars_are_clear_of_names(scores, name):
    shown = Softmax(scores, [name] * len(scores), shift=-1000, temperature=0.01)
    is_readable(shown._draw())


def test_the_alt_text_holds_the_numbers():
    shown = Softmax([2, 1], ["I", "saw"], temperature=0.5)
    assert shown._alt() == (
        "Scores as bars from 0, their exponentials, and the weights that softmax makes of them at "
        "temperature 0.5: I 2.00 becomes 0.88, saw 1.00 becomes 0.12. Their entropy is 0.37 nats."
    )
    shown.naive = True
    assert "the weights that the naive formula makes of them" in shown._alt()
