"""Heads: the weights of several heads, given as they are and told apart."""

import itertools
import json
import math
import re

import numpy as np
import pytest

import attnlib
from attnlib import text
from attnlib._shades import HEADS, SOFT
from attnlib.widgets import Heads
from attnlib.widgets._packing import unpacked
from attnlib.widgets.heads import _small
from tests.widgets.still import is_readable, shapes, texts, written

N_HEADS, N = 3, 5
WORDS = ["the", "cat", "sat", "the", "mat"]


def example():
    return Heads([[[1, 0], [0.5, 0.5]]] * 2, ["I", "saw"], word=1)


def random_weights(n_heads=N_HEADS, n=N, seed=0):
    return attnlib.softmax(2 * np.random.default_rng(seed).standard_normal((n_heads, n, n)))


def made(**inputs):
    return Heads(**{"weights": random_weights(), "words": WORDS} | inputs)


def lesson():
    """Return lesson 06's widget."""
    sentence = text.sentences()[2]
    tokens, states = text.tokens(sentence), text.states(sentence)
    weights = attnlib.MultiHeadAttention(**text.layer(3), n_heads=12).weights(states[3])
    return Heads(weights, tokens, head=1)


# What follows from the inputs


@pytest.mark.parametrize(("head", "other", "word"), [(0, 1, 0), (2, 0, 4), (1, 1, 3)])
def test_derived_traits_are_those_of_plain_loops(head, other, word):
    heads = made(head=head, other=other, word=word)
    weights = random_weights()
    for h in range(N_HEADS):
        nats = 0.0
        for j in range(N):
            assert abs(heads.row_weights[h, j] - weights[h, word, j]) <= 1.01e-5
            nats -= weights[h, word, j] * np.log(weights[h, word, j])
        assert abs(heads.entropies[h] - nats) < 2e-4
    for i in range(N):
        for j in range(N):
            wanted = weights[head, i, j] - weights[other, i, j]
            assert abs(heads.difference[i, j] - wanted) <= 2.01e-5
    assert heads.row_weights.shape == (N_HEADS, N)
    assert heads.entropies.shape == (N_HEADS,)
    assert heads.difference.shape == (N, N)


@pytest.mark.parametrize("shown", [None, (0, 2), (0, 1, 2, 3, 4), (3,), ()])
def test_disagreement_is_the_mean_share_elsewhere_of_all_pairs_of_shown_heads(shown):
    heads = made(weights=random_weights(5), shown=shown)
    pairs = list(itertools.combinations(range(5) if shown is None else shown, 2))
    for i in range(N):
        apart = [np.abs(heads.weights[a, i] - heads.weights[b, i]).sum() / 2 for a, b in pairs]
        assert heads.disagreements[i] == pytest.approx(np.mean(apart) if pairs else 0, abs=1e-12)


def test_it_opens_on_the_word_about_which_the_shown_heads_disagree_most():
    weights = np.tile(np.eye(N), (N_HEADS, 1, 1))
    weights[2, 3] = [1, 0, 0, 0, 0]
    weights[0, 1] = [0.5, 0.5, 0, 0, 0]
    assert made(weights=weights).word == 3
    assert made(weights=weights, shown=[0, 1]).word == 1
    assert made(weights=weights, word=0).word == 0
    layers = np.stack([weights[:, ::-1], weights])
    assert [made(weights=layers, layer=layer).word for layer in (0, 1)] == [1, 3]
    assert made(weights=weights[:1]).word == 0


def test_in_the_lesson_that_word_is_it():
    heads = lesson()
    assert heads.words[heads.word] == "it"
    assert heads.disagreements[heads.word] == heads.disagreements.max() > 0.45


def test_without_another_head_the_difference_is_the_head_itself():
    heads = made(head=2)
    assert heads.other is None
    assert np.array_equal(heads.difference, heads.weights[2])
    heads.other = 0
    assert np.array_equal(heads.difference, heads.weights[2] - heads.weights[0])


def test_a_layer_is_chosen_as_a_head_is():
    weights = random_weights(7 * 3).reshape(7, 3, N, N)
    heads = made(weights=weights, layer=4, head=2, other=1, word=3)
    assert (len(heads.layers), len(heads.heads)) == (7, 3)
    assert np.array_equal(heads.row_weights, heads.weights[4, :, 3])
    assert np.array_equal(heads.difference, heads.weights[4, 2] - heads.weights[4, 1])
    heads.layer = 6
    assert np.array_equal(heads.row_weights, heads.weights[6, :, 3])
    assert "7 layers of 3 heads" in heads._alt()
    assert "in full layer 6, head 2 minus head 1" in heads._alt()


def test_derived_traits_follow_from_the_numbers_that_are_recorded():
    heads = made(head=2, other=1, word=1)
    weights = unpacked(heads.recorded()["traits"]["weights"])
    assert np.abs(weights - random_weights()).max() <= 1.01e-5
    assert np.array_equal(heads.weights, weights)
    assert np.array_equal(heads.row_weights, weights[:, 1])
    assert np.array_equal(heads.entropies, attnlib.entropy(weights[:, 1]))
    assert np.array_equal(heads.difference, weights[2] - weights[1])


def test_numbers_of_four_decimals_are_recorded_as_they_are():
    rows = [[0.1, 0.2, 0.7], [0.0001, 0, 0.9999], [0.125, 0.25, 0.625]]
    heads = Heads([rows], ["a", "b", "c"])
    assert np.abs(heads.weights[0] - rows).max() < 1e-15
    again = Heads([rows], ["a", "b", "c"])
    again.set_state({"weights": heads.get_state()["weights"]})
    assert np.array_equal(again.weights, heads.weights)


def test_derived_traits_follow_when_an_input_is_set():
    heads = made(other=1)
    heads.word, heads.head, heads.other = 4, 2, 0
    assert np.array_equal(heads.row_weights, heads.weights[:, 4])
    assert np.array_equal(heads.difference, heads.weights[2] - heads.weights[0])
    heads.weights = np.broadcast_to(np.eye(N), (N_HEADS, N, N))
    assert np.array_equal(heads.row_weights, np.broadcast_to(np.eye(N)[4], (N_HEADS, N)))
    assert not heads.entropies.any()
    assert not heads.difference.any()
    assert not heads.disagreements.any()


def test_what_the_hand_changes_comes_back_at_once():
    heads = made()
    heads.set_state({"word": 3, "head": 1, "other": 2, "shown": [1]})
    assert np.array_equal(heads.row_weights, heads.weights[:, 3])
    assert np.array_equal(heads.difference, heads.weights[1] - heads.weights[2])
    assert heads.shown == (1,)
    heads.set_state({"other": None, "shown": None})
    assert (heads.other, heads.shown) == (None, None)


def test_another_sentence_and_other_heads_come_in_one_call():
    heads = made(head=2, other=1, word=4, shown=[2])
    heads.set(weights=random_weights(2, 3), words=["a", "b", "c"], head=1, other=None, word=0,
              shown=None)  # fmt: skip
    assert heads.row_weights.shape == (2, 3)
    with pytest.raises(ValueError, match=r"To change them together: .set\(words=…, weights=…\)"):
        heads.words = ["a"]


def test_the_callers_array_is_neither_kept_nor_changed():
    weights = random_weights()
    before = weights.copy()
    heads = made(weights=weights)
    assert np.array_equal(weights, before)
    weights[:] = 0
    assert heads.weights.any()
    with pytest.raises(ValueError, match="read-only"):
        heads.weights[0] = 0


# Weights of any model


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_weights_of_fewer_digits_are_welcome(dtype):
    weights = random_weights(16, 37, seed=1).astype(dtype)
    heads = made(weights=weights, words=[f"w{i}" for i in range(37)])
    assert heads.weights.dtype == np.float64
    assert np.allclose(heads.weights, weights, atol=1.1e-5)


@pytest.mark.parametrize(
    ("shape", "kept"),
    [((5, 5), (1, 5, 5)), ((1, 5, 5), (1, 5, 5)), ((7, 5, 5), (7, 5, 5)),
     ((3, 7, 5, 5), (3, 7, 5, 5)), ((1, 1, 5, 5), (1, 1, 5, 5)), ((3, 1, 7, 5, 5), (3, 7, 5, 5))],
)  # fmt: skip
def test_one_head_many_and_layers_with_a_batch_of_one(shape, kept):
    weights = random_weights(math.prod(shape[:-2])).reshape(shape)
    heads = made(weights=weights)
    assert heads.weights.shape == kept
    assert np.allclose(heads.weights, weights.reshape(kept), atol=1.1e-5)
    assert heads.still().startswith(b"\x89PNG")
    assert np.allclose(made(weights=weights.tolist()).weights, heads.weights)
    assert np.allclose(made(weights=tuple(weights)).weights, heads.weights)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("gradient", [False, True])
def test_what_a_model_of_transformers_hands_out_is_welcome(dtype, gradient):
    import torch

    weights = random_weights(6 * 12).reshape(6, 1, 12, N, N)
    attentions = tuple(
        torch.tensor(layer, dtype=getattr(torch, dtype), requires_grad=gradient)
        for layer in weights
    )  # (1, n_heads, n, n) for each layer
    heads = made(weights=attentions, layer=5, head=11)
    assert heads.weights.shape == (6, 12, N, N)
    close = {"float64": 1.1e-5, "float32": 1.1e-5, "float16": 5e-4, "bfloat16": 4e-3}[dtype]
    assert np.abs(heads.weights - weights[:, 0]).max() <= close
    for given in (torch.stack(attentions), torch.stack(attentions)[:, 0], [*attentions]):
        assert np.array_equal(made(weights=given).weights, heads.weights)
    last = made(weights=attentions[-1][0]).weights  # (n_heads, n, n)
    assert np.array_equal(last, heads.weights[5])
    assert np.array_equal(made(weights=[*attentions[-1][0]]).weights, last)


def test_a_query_that_sees_nothing_has_weights_of_zero():
    weights = random_weights()
    weights[:, 2] = 0
    heads = made(weights=weights, word=2)
    assert heads.entropies.tolist() == [0, 0, 0]
    assert "head 0 nothing (entropy 0.00)" in heads._alt()
    assert heads.still().startswith(b"\x89PNG")


SIZES = [(1, 1, 1), (1, 2, 1), (1, 1, 40), (12, 12, 40), (24, 16, 40), (1, 32, 41), (2, 8, 300)]


@pytest.mark.parametrize(("n_layers", "n_heads", "n"), SIZES)
def test_sizes_of_all_kinds(n_layers, n_heads, n):
    weights = random_weights(n_layers * n_heads, n).reshape(n_layers, n_heads, n, n)
    heads = Heads(weights, [f"w{i}" for i in range(n)], layer=n_layers - 1, head=n_heads - 1)
    assert heads.row_weights.shape == (n_heads, n)
    assert heads.difference.shape == (n, n)
    is_readable(heads._draw())
    packed = heads.recorded()["traits"]["weights"]
    assert len(packed["data"]) <= 2.7 * weights.size + 4


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
    "does not sum to 1 in a layer": (
        {"weights": np.stack([random_weights(), with_row((1, 4), [0.5, 0.25, 0, 0, 0])])},
        "each row of weights must sum to 1, or be all 0 where a query sees nothing: weights is "
        "(2, 3, 5, 5), and row 4 of head 1 of layer 1 sums to 0.75 != 1.",
    ),
    "one row": (
        {"weights": random_weights()[0, 0]},
        "weights must have the axes (n_heads, n, n) or (n_layers, n_heads, n, n): weights is "
        "(5,), and 1 is neither 3 nor 4.",
    ),
    "a batch of two": (
        {"weights": np.stack([random_weights()] * 2)[None]},
        "weights must be those of one sentence ([layer[0] for layer in …], say): weights is "
        "(1, 2, 3, 5, 5), and a batch of 2 != 1.",
    ),
    "vectors in place of weights": (
        {"weights": np.ones((3, 5, 7))},
        "weights must be those of a sentence that looks at itself, (…, n, n): weights is "
        "(3, 5, 7), and 5 != 7.",
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
        "weights must hold at least one head: weights is (0, 5, 5), and 0 < 1.",
    ),
    "no layers": (
        {"weights": np.ones((0, 3, 5, 5))},
        "weights must hold at least one layer: weights is (0, 3, 5, 5), and 0 < 1.",
    ),
    "too many": (
        {"weights": np.broadcast_to(0.01, (13, 16, 100, 100)), "words": ["w"] * 100},
        "a page holds at most 2000000 weights (show some of the layers): weights is "
        "(13, 16, 100, 100), and 2080000 > 2000000.",
    ),
    "no words": ({"words": []}, "words must hold at least one word: words is (), and 0 < 1."),
    "layer": (
        {"layer": 1},
        "layer must be the place of one of the layers, counted from 0: layer is 1, the number of "
        "layers is 1, and 1 > 0.",
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
    "shown": (
        {"shown": [0, 3]},
        "shown must be places of heads, counted from 0: shown is (0, 3), the number of heads is "
        "3, and 3 > 2.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_three_parts(name):
    inputs, message = BAD[name]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        made(**inputs)


@pytest.mark.parametrize(
    ("name", "value"),
    [("weights", "many"), ("weights", None), ("weights", (None, None)), ("words", "cat"),
     ("words", [1]), ("words", 7), ("layer", "0"), ("head", 1.0), ("other", True),
     ("word", "cat"), ("shown", 1), ("shown", "12"), ("shown", [0.0])],
)  # fmt: skip
def test_nonsense_is_a_type_error(name, value):
    with pytest.raises(TypeError, match=rf"^{name}.* must .+, and .+\.$"):
        made(**{name: value})


NONSENSE = [(name, value) for inputs, _ in BAD.values() for name, value in inputs.items()]
NONSENSE += [("weights", "many"), ("words", "cat"), ("head", 0.5), ("word", None)]
NONSENSE += [("layer", None), ("head", None), ("shown", [1, None])]
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


@pytest.mark.parametrize("name", ["row_weights", "entropies", "difference", "disagreements"])
def test_derived_traits_cannot_be_set(name):
    with pytest.raises(Exception, match="read-only"):
        setattr(made(), name, 0)


# Words, and what is recorded


ODD_WORDS = ["<b>bold</b>&amp;", "$x_1$ costs $5", "שלום עולם", "注意力机制", "long" * 30]


def test_words_of_any_script_are_recorded_and_drawn_to_the_letter():
    heads = made(words=ODD_WORDS, word=1)
    assert heads.recorded()["traits"]["words"] == ODD_WORDS
    assert heads.still().startswith(b"\x89PNG")
    assert "Lines from the word $x_1$ costs $5 " in heads._alt()


def test_a_dollar_is_a_dollar_in_the_picture_and_long_words_are_cut():
    paper = made(words=ODD_WORDS, word=1)._draw()
    shown = ["$x_1$ costs…", "שלום עולם", "注意力机制", "longlonglon…"]
    assert all(texts(paper).count(word) == 4 for word in shown)  # lines and matrix, two sides each
    assert "Where “$x_1$ costs…” looks" in texts(paper, bold=True)
    is_readable(paper)


def test_it_is_recorded_as_json_without_ids_in_few_bytes():
    heads = lesson()
    recorded = heads.recorded()
    assert set(recorded) == {"class", "traits"}
    inputs = {"weights", "words", "layer", "head", "other", "word", "shown"}
    assert set(recorded["traits"]) == inputs | {"_colors"}
    bytes_ = json.dumps(recorded, allow_nan=False)
    assert len(bytes_) < 6_000
    assert heads.model_id not in bytes_
    assert json.dumps(lesson().recorded()) == bytes_


def test_the_picture_is_the_same_each_time_and_light():
    assert lesson().still() == lesson().still()
    assert len(lesson().still()) < 60_000


def test_repr_is_by_value():
    assert repr(made(word=2)) == (
        "Heads(weights=<3 × 5 × 5>, words=['the', 'cat', 'sat', 'the', 'mat'], layer=0, head=0, "
        "other=None, word=2, shown=None)"
    )
    small = Heads([[[1.0]], [[1.0]]], ["saw"], other=1, shown=[0])
    said = (
        "Heads(weights=[[[1.0]], [[1.0]]], words=['saw'], layer=0, head=0, other=1, word=0, "
        "shown=[0])"
    )
    assert repr(small) == said
    assert repr(eval(repr(small))) == repr(small)


def test_alt_text_holds_the_numbers():
    heads = lesson()
    heads.other = 3
    alt = heads._alt()
    it = heads.words.index("it")
    for h in range(12):
        row = heads.weights[h, it]
        told = f"head {h} {heads.words[row.argmax()]} {row.max():.2f}"
        assert f"{told} (entropy {attnlib.entropy(row):.2f})" in alt
    apart = 0.5 * sum(abs(a - b) for a, b in zip(*heads.weights[[1, 3], it], strict=True))
    assert f"for this word {apart:.2f} of the weight lies elsewhere." in alt
    assert f"disagreement about it is {heads.disagreements.max():.2f}." in alt
    _, metadata = heads._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == alt


def test_the_picture_shows_lines_the_words_weights_all_maps_and_one_in_full():
    heads = made(word=1, head=2, other=0)
    paper = heads._draw()
    titles = ["Where “cat” looks", "cat", "2", "All heads", "Head 2 minus head 0", "cat"]
    assert texts(paper, bold=True) == titles
    told = [
        word for word in written(paper, at="mm", size=10) if word.color in ("#000000", "#ffffff")
    ]
    wanted = [f"{x:.2f}".removeprefix("0") for x in heads.row_weights.flat]
    assert [word.words for word in told][: N_HEADS * N] == wanted
    nats = [word.words for word in written(paper, at="mm", size=10, color=SOFT)]
    assert nats[:N_HEADS] == [f"{x:.2f}".removeprefix("0") for x in heads.entropies]
    assert len(shapes(paper, "picture")) == 3  # a map for each head
    assert len(shapes(paper, "area")) == (heads.row_weights >= 0.02).sum()  # a line for each weight
    is_readable(paper)


def test_only_shown_heads_have_lines_and_all_have_weights():
    paper = made(word=1, shown=[1])._draw()
    assert {line.color for line in shapes(paper, "area")} == {HEADS[1]}
    below = [box.color for box in shapes(paper, "box") if box.points[1, 1] - box.points[0, 1] == 4]
    assert below == [None, HEADS[1], None]


def test_a_line_is_as_wide_as_its_weight_and_starts_at_the_word():
    weights = np.tile(np.eye(N), (1, 1, 1))
    weights[0, 1] = [0.6, 0, 0.3, 0, 0.1]
    paper = Heads(weights, WORDS, word=1)._draw()
    wide = [np.ptp(line.points[[0, -1], 1]) for line in shapes(paper, "area")]
    assert np.allclose(np.array(wide) / wide[0], [1, 1 / 2, 1 / 6])
    starts = {tuple(line.points[[0, -1]].mean(axis=0).round(6)) for line in shapes(paper, "area")}
    (cat,) = {word.y for word in written(paper, bold=True, at="rm") if word.x < 200}
    assert {y for _, y in starts} == {cat}


def test_a_cell_has_its_heads_colour_as_strong_as_its_weight():
    paper = Heads([[[1, 0], [0.5, 0.5]]] * 2, ["a", "saw"], word=1)._draw()
    for color, half in (("#1769aa", "#8bb4d4"), ("#c8550b", "#e4aa85")):
        assert color in HEADS
        assert len(shapes(paper, "box", half)) == 2


def test_a_map_is_coloured_by_the_square_root_and_keeps_the_largest_weight():
    assert np.array_equal(_small(np.eye(3)[None] / 4, 6), np.eye(3)[None] / 2)
    many = np.zeros((1, 100, 100))
    many[0, 50, 50] = 1
    assert np.array_equal(_small(many, 10), np.pad([[[1.0]]], ((0, 0), (5, 4), (5, 4))))


@pytest.mark.parametrize(("n_heads", "n"), [(1, 1), (2, 2), (16, 5), (12, 13), (12, 40), (16, 40)])
@pytest.mark.parametrize("word", ["it", "because", "W" * 30])
@pytest.mark.parametrize("n_layers", [1, 3])
def test_the_picture_has_room_for_any_sentence(n_layers, n_heads, n, word):
    weights = random_weights(n_layers * n_heads, n).reshape(n_layers, n_heads, n, n)
    heads = Heads(weights, [word] * n, word=n - 1, other=n_heads - 1)
    is_readable(heads._draw())
