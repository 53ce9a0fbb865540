"""Heads: the weights of several heads, given as they are and told apart."""

import json
import re

import numpy as np
import pytest

import attnlib
from attnlib import text
from attnlib.widgets import Heads
from attnlib.widgets._paper import RAMP
from tests.widgets.still import is_readable, shapes, texts, written

N_HEADS, N = 3, 5
WORDS = ["the", "cat", "sat", "the", "mat"]


def random_weights(n_heads=N_HEADS, n=N, seed=0):
    return attnlib.softmax(2 * np.random.default_rng(seed).standard_normal((n_heads, n, n)))


def made(**inputs):
    return Heads(**{"weights": random_weights(), "words": WORDS} | inputs)


def lesson():
    """Return lesson 06's widget."""
    sentence = text.sentences()[2]
    tokens, states = text.tokens(sentence), text.states(sentence)
    weights = attnlib.MultiHeadAttention(**text.layer(3), n_heads=12).weights(states[3])
    return Heads(weights, tokens, head=1, other=3, word=tokens.index("animal"))


# What follows from the inputs


@pytest.mark.parametrize(("head", "other", "word"), [(0, 1, 0), (2, 0, 4), (1, 1, 3)])
def test_derived_traits_are_those_of_plain_loops(head, other, word):
    heads = made(head=head, other=other, word=word)
    weights = random_weights()
    for h in range(N_HEADS):
        nats = 0.0
        for j in range(N):
            assert abs(heads.row_weights[h, j] - weights[h, word, j]) <= 5e-6
            nats -= weights[h, word, j] * np.log(weights[h, word, j])
        assert abs(heads.entropies[h] - nats) < 1e-4
    for i in range(N):
        for j in range(N):
            wanted = weights[head, i, j] - weights[other, i, j]
            assert abs(heads.difference[i, j] - wanted) <= 1e-5
    assert heads.row_weights.shape == (N_HEADS, N)
    assert heads.entropies.shape == (N_HEADS,)
    assert heads.difference.shape == (N, N)


def test_derived_traits_follow_from_the_numbers_that_are_recorded():
    heads = made(head=2, word=1)
    weights = np.array(heads.recorded()["traits"]["weights"])
    assert np.array_equal(weights, random_weights().round(5))
    assert np.array_equal(heads.row_weights, weights[:, 1])
    assert np.array_equal(heads.entropies, attnlib.entropy(weights[:, 1]))
    assert np.array_equal(heads.difference, weights[2] - weights[1])


def test_derived_traits_follow_when_an_input_is_set():
    heads = made()
    heads.word, heads.head, heads.other = 4, 2, 0
    assert np.array_equal(heads.row_weights, heads.weights[:, 4])
    assert np.array_equal(heads.difference, heads.weights[2] - heads.weights[0])
    heads.weights = np.broadcast_to(np.eye(N), (N_HEADS, N, N))
    assert np.array_equal(heads.row_weights, np.broadcast_to(np.eye(N)[4], (N_HEADS, N)))
    assert not heads.entropies.any()
    assert not heads.difference.any()


def test_what_the_hand_changes_comes_back_at_once():
    heads = made()
    heads.set_state({"word": 3, "head": 1, "other": 2})
    assert np.array_equal(heads.row_weights, heads.weights[:, 3])
    assert np.array_equal(heads.difference, heads.weights[1] - heads.weights[2])


def test_the_callers_array_is_neither_kept_nor_changed():
    weights = random_weights()
    before = weights.copy()
    heads = made(weights=weights)
    assert np.array_equal(weights, before)
    weights[:] = 0
    assert heads.weights.any()
    with pytest.raises(ValueError, match="read-only"):
        heads.weights[0] = 0


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_weights_of_fewer_digits_are_welcome(dtype):
    weights = random_weights(16, 37, seed=1).astype(dtype)
    heads = made(weights=weights, words=[f"w{i}" for i in range(37)])
    assert heads.weights.dtype == np.float64
    assert np.allclose(heads.weights, weights, atol=1e-5)


def test_a_query_that_sees_nothing_has_weights_of_zero():
    weights = random_weights()
    weights[:, 2] = 0
    heads = made(weights=weights, word=2)
    assert heads.entropies.tolist() == [0, 0, 0]
    assert "head 0 nothing (entropy 0.00)" in heads._alt()
    assert heads.still().startswith(b"\x89PNG")


def test_one_token_and_forty_and_one_head_and_sixteen():
    one = Heads(np.ones((2, 1, 1)), ["saw"])
    assert one.row_weights.tolist() == [[1], [1]]
    assert one.difference.tolist() == [[0]]
    alone = made(weights=random_weights(1), other=0)
    assert alone.row_weights.shape == (1, N)
    many = made(weights=random_weights(16, 40), words=[f"w{i}" for i in range(40)], other=15)
    assert many.difference.shape == (40, 40)
    for heads in (one, alone, many):
        assert heads.still().startswith(b"\x89PNG")


# Bad input


def with_entry(at, value):
    weights = random_weights()
    weights[at] = value
    return weights


def with_row(at, row):
    weights = random_weights()
    weights[at] = row
    return weights


BAD = {
    "nan": (
        {"weights": with_entry((2, 3, 1), np.nan)},
        "weights must hold finite numbers: weights is (3, 5, 5), and weights[2, 3, 1] = nan is "
        "not finite.",
    ),
    "inf": (
        {"weights": with_entry((0, 4, 2), np.inf)},
        "weights must hold finite numbers: weights is (3, 5, 5), and weights[0, 4, 2] = inf is "
        "not finite.",
    ),
    "negative": (
        {"weights": with_row((2, 3), [1.5, -0.5, 0, 0, 0])},
        "weights must not be negative (are these scores, before softmax?): weights is (3, 5, 5), "
        "and row 3 of head 2 holds -0.5 < 0.",
    ),
    "does not sum to 1": (
        {"weights": with_row((1, 4), [0.5, 0.25, 0, 0, 0])},
        "each row of weights must sum to 1, or be all 0 where a query sees nothing: weights is "
        "(3, 5, 5), and row 4 of head 1 sums to 0.75 != 1.",
    ),
    "one head's matrix": (
        {"weights": random_weights()[0]},
        "weights must have the axes (n_heads, n, n): weights is (5, 5), and 2 != 3.",
    ),
    "not as many rows as words": (
        {"weights": random_weights()[:, :4]},
        "each word needs one row of weights in every head: weights is (3, 4, 5), words is 5 words, "
        "and 4 != 5.",
    ),
    "not as many columns as words": (
        {"weights": np.full((3, 5, 4), 0.25)},
        "each word needs one column of weights in every head: weights is (3, 5, 4), words is "
        "5 words, and 4 != 5.",
    ),
    "no heads": (
        {"weights": np.ones((0, 5, 5))},
        "a picture holds from 1 to 16 heads (show some of them): weights is (0, 5, 5), and 0 < 1.",
    ),
    "seventeen heads": (
        {"weights": random_weights(17)},
        "a picture holds from 1 to 16 heads (show some of them): weights is (17, 5, 5), and "
        "17 > 16.",
    ),
    "no words": ({"words": []}, "words must hold at least one word: words is (), and 0 < 1."),
    "two hundred words": (
        {"weights": np.full((3, 200, 200), 0.005), "words": ["w"] * 200},
        "a picture holds at most 40 words (show a part of the sentence): words is a sequence of "
        "200, and 200 > 40.",
    ),
    "head": (
        {"head": 3},
        "head must be the place of one of the heads, counted from 0: head is 3, the number of "
        "heads is 3, and 3 > 2.",
    ),
    "other": (
        {"other": -1},
        "other must be the place of one of the heads, counted from 0: other is -1, the number of "
        "heads is 3, and -1 < 0.",
    ),
    "word": (
        {"word": 5},
        "word must be the place of one of the words, counted from 0: word is 5, the number of "
        "words is 5, and 5 > 4.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_three_parts(name):
    inputs, message = BAD[name]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        made(**inputs)


@pytest.mark.parametrize(
    ("name", "value"),
    [("weights", "many"), ("weights", None), ("words", "cat"), ("words", [1]), ("words", 7),
     ("head", 1.0), ("other", True), ("word", "cat"), ("word", None)],
)  # fmt: skip
def test_nonsense_is_a_type_error(name, value):
    with pytest.raises(TypeError, match=rf"^{name}.* must .+, and .+\.$"):
        made(**{name: value})


NONSENSE = [(name, value) for inputs, _ in BAD.values() for name, value in inputs.items()]
NONSENSE += [("weights", "many"), ("words", "cat"), ("head", 0.5), ("word", None)]
NONSENSE += [("words", WORDS[:4]), ("weights", random_weights(2)[:, :4, :4])]


@pytest.mark.parametrize(("name", "value"), NONSENSE)
def test_a_trait_set_to_nonsense_leaves_all_inputs_as_they_were(name, value):
    heads = made(head=2, other=0, word=4)
    before, difference = heads.recorded(), heads.difference
    with pytest.raises((TypeError, ValueError)):
        setattr(heads, name, value)
    assert heads.recorded() == before
    assert heads.difference is difference
    heads.word = 0  # alive
    assert np.array_equal(heads.row_weights, heads.weights[:, 0])


def test_fewer_heads_than_the_chosen_one_are_refused():
    heads = made(head=2)
    with pytest.raises(ValueError, match="head must be the place of one of the heads"):
        heads.weights = random_weights(2)
    assert heads.weights.shape == (3, 5, 5)


@pytest.mark.parametrize("name", ["row_weights", "entropies", "difference"])
def test_derived_traits_cannot_be_set(name):
    with pytest.raises(Exception, match="read-only"):
        setattr(made(), name, 0)


# Words, and what is recorded


ODD_WORDS = ["<b>bold</b>&amp;", "$x_1$ costs $5", "שלום עולם", "注意力机制", "long" * 30]


def test_words_of_any_script_are_recorded_and_drawn_to_the_letter():
    heads = made(words=ODD_WORDS, word=1)
    assert heads.recorded()["traits"]["words"] == ODD_WORDS
    assert heads.still().startswith(b"\x89PNG")
    assert "From the word $x_1$ costs $5," in heads._alt()


def test_a_dollar_is_a_dollar_in_the_picture_and_long_words_are_cut():
    paper = made(words=ODD_WORDS, word=1)._draw()
    shown = ["$x_1$ costs…", "שלום עולם", "注意力机制", "longlonglon…"]
    assert all(texts(paper).count(word) == 5 for word in shown)  # in three tables, by two sides
    assert "every head's weights of $x_1$ costs…, printed from 0.1" in texts(paper, bold=True)
    is_readable(paper)


def test_it_is_recorded_as_json_without_ids_in_few_bytes():
    heads = lesson()
    recorded = heads.recorded()
    assert set(recorded) == {"class", "traits"}
    inputs = {"weights", "words", "head", "other", "word"}
    assert set(recorded["traits"]) == inputs | {"_colors"}
    bytes_ = json.dumps(recorded, allow_nan=False)
    assert len(bytes_) < 20_000
    assert heads.model_id not in bytes_
    assert json.dumps(lesson().recorded()) == bytes_
    assert all(len(str(x)) <= 7 for x in np.ravel(recorded["traits"]["weights"]))


def test_the_picture_is_the_same_each_time_and_light():
    assert lesson().still() == lesson().still()
    assert len(lesson().still()) < 125_000  # lesson 06 has room for no more


def test_repr_is_by_value():
    assert repr(made(word=2)) == (
        "Heads(weights=<3 × 5 × 5>, words=['the', 'cat', 'sat', 'the', 'mat'], head=0, other=1, "
        "word=2)"
    )
    small = Heads([[[1.0]], [[1.0]]], ["saw"])
    said = "Heads(weights=[[[1.0]], [[1.0]]], words=['saw'], head=0, other=1, word=0)"
    assert repr(small) == said
    assert repr(eval(repr(small))) == repr(small)


def test_alt_text_holds_the_numbers():
    heads = lesson()
    alt = heads._alt()
    animal = heads.words.index("animal")
    for h in range(12):
        row = heads.weights[h, animal]
        told = f"head {h} {heads.words[row.argmax()]} {row.max():.2f}"
        assert f"{told} (entropy {attnlib.entropy(row):.2f})" in alt
    apart = 0.5 * sum(abs(a - b) for a, b in zip(*heads.weights[[1, 3], animal], strict=True))
    assert f"for this word {apart:.2f} of the weight lies elsewhere." in alt
    _, metadata = heads._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == alt


def test_the_picture_shows_the_three_tables():
    heads = made(word=1, head=2, other=0)
    paper = heads._draw()
    titles = ["every head's weights of cat, printed from 0.1", "head 2", "head 2 minus head 0"]
    assert texts(paper, bold=True) == [titles[0], titles[1], "cat", titles[2], "cat"]
    names = [word.words for word in written(paper, at="rm") if word.words.startswith("head")]
    assert names == ["head 0", "head 1", "head 2"]
    values = [heads.row_weights, heads.weights[2], heads.difference]
    wanted = [f"{x:.2f}".replace("-", "−") for x in np.concatenate(values).flat if abs(x) >= 0.1]
    assert [word for word in texts(paper, at="mm") if "." in word] == wanted
    is_readable(paper)


def test_a_cell_has_the_colour_of_its_weight():
    (one, half) = [1, 0], [0.5, 0.5]
    paper = Heads([[one, half]] * 2, ["a", "saw"])._draw()
    full, middle = RAMP[-1], RAMP[2]
    assert len(shapes(paper, "box", full)) == 2 + 1  # both heads' rows of "a", and head 0 in full
    assert len(shapes(paper, "box", middle)) == 2
    assert not {shape.color for shape in shapes(paper, "box")} - {full, middle, None}


@pytest.mark.parametrize(("n_heads", "n"), [(1, 1), (2, 2), (16, 5), (12, 13), (12, 40), (16, 40)])
@pytest.mark.parametrize("word", ["it", "because", "W" * 30])
def test_the_picture_has_room_for_any_sentence(n_heads, n, word):
    other = min(1, n_heads - 1)
    heads = Heads(random_weights(n_heads, n), [word] * n, word=n - 1, other=other)
    is_readable(heads._draw())
