"""Heads: the weights of several heads, given as they are and told apart."""

import itertools
import math
import re

import numpy as np
import pytest

import attnlib
from attnlib import text
from attnlib.pictures.shades import HEADS, LINE
from attnlib.widgets import Heads
from attnlib.widgets._base import quoted
from attnlib.widgets._packing import unpacked
from attnlib.widgets._record import revived
from attnlib.widgets.heads import BAR, FULL, _small
from tests.lessons import quickly, sampled
from tests.widgets.still import is_readable, shapes, texts, written

N_HEADS, N, D_VALUE = 3, 5, 7
WORDS = ["the", "cat", "sat", "the", "mat"]


def example():
    return Heads([[[1, 0], [0.5, 0.5]]] * 2, ["I", "saw"], [[[1], [3]], [[2], [1]]], word=1)


def random_weights(n_heads=N_HEADS, n=N, seed=0):
    return attnlib.softmax(2 * np.random.default_rng(seed).standard_normal((n_heads, n, n)))


def made(**inputs):
    return Heads(**{"weights": random_weights(), "words": WORDS} | inputs)


def random_values(n_heads=N_HEADS, n=N, seed=1):
    return np.random.default_rng(seed).standard_normal((n_heads, n, D_VALUE))


def lesson(**inputs):
    """Return lesson 06's widget, without its goal and its moments."""
    sentence = text.sentences()[2]
    tokens, states = text.tokens(sentence), text.states(sentence)[3].astype(float)
    layer = text.layer(3)
    weights = attnlib.MultiHeadAttention(**layer, n_heads=12).weights(states)
    values = attnlib.split_heads(states @ layer["w_value"] + layer["b_value"], 12)
    return Heads(**{"weights": weights, "words": tokens, "values": values, "head": 1} | inputs)


# What follows from the inputs


@pytest.mark.parametrize(("off", "word"), [((), 0), ((1,), 4), ((2, 0), 3), ((0, 1, 2), 1)])
def test_derived_traits_are_those_of_plain_loops(off, word):
    weights, values = random_weights(), random_values()
    heads = made(values=values, off=off, word=word)
    assert np.allclose(heads.row_weights, weights[:, word], atol=1.01e-5)
    on = [h for h in range(N_HEADS) if h not in off]
    for j in range(N):
        most = max((weights[h, word, j] for h in on), default=0)
        assert heads.seen[j] == pytest.approx(most, abs=1.01e-5)
    for i in range(N):
        merged, gone = [], []
        for h in range(N_HEADS):
            part = sum(weights[h, i, j] * values[h, j] for j in range(N))
            merged.extend(part)
            gone.extend(part if h in off else 0 * part)
        share = np.dot(gone, gone) / np.dot(merged, merged)
        assert heads.lost[i] == pytest.approx(share, abs=1e-4)
    assert heads.shares.shape == (N_HEADS, N)
    assert np.allclose(heads.shares.sum(axis=0), 1)


def test_without_values_nothing_is_said_of_how_much_a_head_brings():
    heads = made(off=[1])
    assert heads.shares is None
    assert heads.lost is None
    assert "1 of 3 parts of the merged output is all zeros." in heads._alt()
    assert "Shares" not in heads._alt()


def test_disagreement_is_the_mean_share_elsewhere_of_all_pairs_of_heads():
    heads = made(weights=random_weights(5))
    pairs = list(itertools.combinations(range(5), 2))
    for i in range(N):
        apart = [np.abs(heads.weights[a, i] - heads.weights[b, i]).sum() / 2 for a, b in pairs]
        assert heads.disagreements[i] == pytest.approx(np.mean(apart), abs=1e-12)


def test_it_opens_on_the_word_about_which_the_heads_disagree_most():
    weights = np.tile(np.eye(N), (N_HEADS, 1, 1))
    weights[2, 3] = [1, 0, 0, 0, 0]
    weights[0, 1] = [0.5, 0.5, 0, 0, 0]
    assert made(weights=weights).word == 3
    assert made(weights=weights, word=0).word == 0
    layers = np.stack([weights[:, ::-1], weights])
    assert [made(weights=layers, layer=layer).word for layer in (0, 1)] == [1, 3]
    assert made(weights=weights[:1]).word == 0


def test_a_layer_is_chosen_as_a_head_is():
    weights = random_weights(7 * 3).reshape(7, 3, N, N)
    values = random_values(7 * 3).reshape(7, 3, N, D_VALUE)
    heads = made(weights=weights, values=values, layer=4, head=2, word=3)
    assert (len(heads.layers), len(heads.heads)) == (7, 3)
    assert np.array_equal(heads.row_weights, heads.weights[4, :, 3])
    alone = made(weights=weights[4], values=values[4])
    assert np.allclose(heads.shares, alone.shares, atol=1e-3)
    heads.layer = 6
    assert np.array_equal(heads.row_weights, heads.weights[6, :, 3])
    assert "7 layers of 3 heads" in heads._alt()
    assert heads._alt().startswith("In layer 6, head 2, “the” gives ")


def test_derived_traits_follow_from_the_numbers_that_are_recorded():
    given = random_values()
    heads = made(values=given, word=1, off=[2])
    traits = heads.recorded()["traits"]
    weights = unpacked(traits["weights"])
    assert np.abs(weights - random_weights()).max() <= 1.01e-5
    assert np.array_equal(heads.weights, weights)
    assert np.array_equal(heads.row_weights, weights[:, 1])
    values = (2 * unpacked(traits["values"]) - 1) * traits["values"]["most"]
    assert np.array_equal(heads.values, values)
    assert traits["values"]["most"] == 4.0  # and one processor's last digits are another's
    assert np.abs(values - given).max() <= 4.0 / 49_999
    assert np.array_equal(made(values=values).values, values)


def test_numbers_of_four_decimals_are_recorded_as_they_are():
    rows = [[0.1, 0.2, 0.7], [0.0001, 0, 0.9999], [0.125, 0.25, 0.625]]
    heads = Heads([rows], ["a", "b", "c"])
    assert np.abs(heads.weights[0] - rows).max() < 1e-15
    again = Heads([rows], ["a", "b", "c"])
    again.set_state({"weights": heads.get_state()["weights"]})
    assert np.array_equal(again.weights, heads.weights)


def test_values_that_are_all_zero_bring_nothing():
    heads = made(values=np.zeros((N_HEADS, N, D_VALUE)), off=[0])
    assert not heads.values.any()
    assert not heads.shares.any()
    assert not heads.lost.any()
    assert heads.still().startswith(b"\x89PNG")


def test_another_sentence_and_other_heads_come_in_one_call():
    heads = made(head=2, word=4, off=[2])
    heads.set(weights=random_weights(2, 3), words=["a", "b", "c"], head=1, word=0, off=[])
    assert heads.row_weights.shape == (2, 3)
    with pytest.raises(ValueError, match=r"To change them together: .set\(words=…, weights=…\)"):
        heads.words = ["a"]


# What is said


def test_in_the_lesson_it_opens_on_it_and_animal():
    heads = lesson()
    assert heads.words[heads.word] == "it"
    story = "In head 1, “it” gives “animal” 0.66 of its attention. Beside it, "
    assert heads._alt().startswith(story)
    heads.head = None
    assert heads._alt().startswith("8 of 12 heads look from “it” most at “[CLS]”.")


def test_a_head_that_is_off_is_missed_where_its_weight_was_the_largest():
    heads = lesson(off=[1])
    it, animal = heads.words.index("it"), heads.words.index("animal")
    lost = heads.shares[1, it]
    assert lost == heads.lost[it] == heads.shares[:, it].max()
    left = np.delete(heads.weights[:, it, animal], 1).max()
    said = f"Without head 1, “it” loses {lost:.2f} of what all heads bring it."
    said += f" No other head gives “animal” more than {left:.2f}."
    assert said in heads._alt()
    assert "In head 1 (off), “it” gives" in heads._alt()
    heads.head = None
    assert heads._alt().startswith(said)
    assert "8 of 11 heads that are on look from" in heads._alt()


@pytest.mark.parametrize(
    ("off", "said"),
    [([0, 3], "Without heads 0 and 3, "), ([0, 2, 3, 4], "Without heads 0, 2, 3 and 4, "),
     ([0, 1, 2, 3, 4], "Without these 5 heads, "),
     (range(12), "Without any head, the merged output of “it” is all zeros."),
     ([5], "Without head 5, “it” loses 0.00 of what all heads bring it. "),
     ([], "All heads are on. Turn one off: what does “it” lose?")],
)  # fmt: skip
def test_heads_that_are_off_are_named_where_they_are_few(off, said):
    heads = lesson(off=off)
    assert said in quoted(heads._loss())
    assert (said in heads._alt()) == bool(off)


def test_nobody_is_missed_where_another_head_looks_as_hard():
    heads = Heads([[[1, 0], [0.5, 0.5]]] * 2, ["I", "saw"], word=1, off=[1])
    assert "No other head" not in heads._alt()
    assert "No head that is on looks anywhere" in made(off=[0, 1, 2], head=None)._alt()
    one_each = Heads(np.eye(2)[:, None].repeat(2, axis=1), ["I", "saw"], head=None)
    assert one_each._alt().startswith("From “I”, each of the 2 heads looks most at another word.")


def test_a_goal_may_ask_what_is_seen_what_is_lost_and_how_many_are_off():
    heads = made(values=random_values(), off=[2])
    assert heads._measured().keys() == {"seen", "lost", "n_off"}
    assert heads._measured()["n_off"] == 1


# Weights of any model


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_weights_of_fewer_digits_are_welcome(dtype):
    weights = random_weights(16, 37, seed=1).astype(dtype)
    heads = made(weights=weights, words=[f"w{i}" for i in range(37)])
    assert heads.weights.dtype == np.float64
    assert np.allclose(heads.weights, weights, atol=1.1e-5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_values_of_fewer_digits_are_welcome(dtype):
    values = random_values().astype(dtype)
    heads = made(values=values)
    assert heads.values.dtype == np.float64
    assert np.array_equal(heads.values, made(values=values.astype(np.float64)).values)


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
    assert heads._alt().startswith("In head 0, “sat” looks at nothing.")
    assert "Where sat looks most: head 0 nothing, head 1 nothing" in heads._alt()
    assert heads.still().startswith(b"\x89PNG")


SIZES = [(1, 1, 1), (1, 2, 1), (1, 1, 40), (12, 12, 40), (24, 16, 40), (1, 32, 41), (2, 8, 300)]


@pytest.mark.parametrize(("n_layers", "n_heads", "n"), quickly(SIZES, takes=[1, 5], full=[2, 6]))
def test_sizes_of_all_kinds(n_layers, n_heads, n):
    weights = random_weights(n_layers * n_heads, n).reshape(n_layers, n_heads, n, n)
    values = random_weights(n_layers * n_heads, n).reshape(weights.shape)[..., :3]
    heads = Heads(weights, [f"w{i}" for i in range(n)], values, layer=n_layers - 1)
    assert heads.row_weights.shape == (n_heads, n)
    for heads.head in (n_heads - 1, None):
        is_readable(heads._draw())
    packed = heads.recorded()["traits"]["weights"]
    assert len(packed["data"]) <= 2.7 * weights.size + 4


def test_the_picture_is_the_same_each_time_and_light():
    assert lesson().still() == lesson().still()
    assert len(lesson().still()) < 60_000


def test_alt_text_holds_the_numbers():
    heads = lesson(off=[3])
    alt = heads._alt()
    it = heads.words.index("it")
    for h in range(12):
        row = heads.weights[h, it]
        assert f"head {h} {heads.words[row.argmax()]} {row.max():.2f}" in alt
        assert f"head {h} {heads.shares[h, it]:.2f}" in alt
    _, metadata = heads._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == alt


# A sentence, and whoever reads it


def reader(sentence):
    """Read a sentence of at most five words, each of which looks at all, in two heads."""
    words = sentence.split()
    if "saw" in words[:1]:
        raise ValueError("too short")
    rows = np.full((2, len(words), len(words)), 1 / len(words))
    return {5: (rows[0, 0], words), 4: None, 3: rows}.get(len(words), (rows, words))


def asked(**inputs):
    return Heads(**{"sentence": "the cat", "encoder": reader} | inputs)


def test_a_sentence_is_read_when_it_changes_and_no_other_input_asks_again():
    told = []

    def listening(sentence):
        told.append(sentence)
        return reader(sentence)

    heads = asked(encoder=listening, word=1, off=[1])
    heads.set_state({"word": 0, "_asked": 1})
    heads.sentence = "a"
    heads.set_state({"sentence": "the dog", "word": 1, "_asked": 2})
    heads.set_state({"off": [], "_asked": 3})
    assert told == ["the cat", "a", "the dog"]
    assert heads.words == ("the", "dog")
    assert heads.row_weights.tolist() == [[0.5, 0.5]] * 2
    assert (heads.word, heads.off) == (1, ())
    assert heads._answer == {
        "asked": 3,
        "name": "listening",
        "said": "listening made 2 pieces of it.",
    }
    assert heads.still() == Heads(heads.weights, heads.words, word=1).still()


def test_the_hands_word_may_stand_beyond_the_end_of_the_next_sentence():
    heads = asked(word=1)
    heads.sentence = "ran"
    assert (heads.words, heads.word) == (("ran",), 0)
    assert heads._answer["said"] == "reader made 1 piece of it."


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("", "reader reads a sentence of 1 to 400 letters, and this one has 0."),
        (" \n", "reader reads a sentence of 1 to 400 letters, and this one has 0."),
        ("w" * 401, "reader reads a sentence of 1 to 400 letters, and this one has 401."),
        ("saw it", "reader raised ValueError: too short"),
        ("one of four words", "reader returns None: its body is still to be written"),
        ("one of three", "reader must return weights, words, and values if it has them: ndarray"),
        ("a sentence of five words", "reader returns what cannot be shown: weights must have the"),
    ],
)
def test_what_cannot_be_read_is_told_and_the_picture_stays(sentence, words):
    heads = asked()
    before = heads.still()
    heads.set_state({"sentence": sentence, "_asked": 1})
    assert heads._answer["error"].startswith(words)
    assert heads._answer["asked"] == 1
    assert (heads.words, heads.sentence) == (("the", "cat"), sentence)
    assert heads.still() == before
    heads.set_state({"sentence": "a dog", "_asked": 2})
    assert heads.words == ("a", "dog")
    assert "error" not in heads._answer


def test_what_an_encoder_raises_at_first_is_raised_with_its_cause():
    with pytest.raises(ValueError, match=r"^reader raised ValueError: too short$") as told:
        asked(sentence="saw it")
    assert str(told.value.__cause__) == "too short"
    with pytest.raises(ValueError, match=r"^weights must have the axes"):
        asked(sentence="a sentence of five words")


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (Heads, TypeError, "or a sentence and its encoder: sentence is None"),
        (lambda: Heads(sentence="saw"), TypeError, "one of them is missing."),
        (lambda: asked(words=WORDS), TypeError, "weights, words or values came in as well."),
        (lambda: asked(encoder=3), TypeError, "a function must be plugged in: 3 came in"),
        (lambda: asked(sentence=3), TypeError, "a sentence must be a string: sentence is 3"),
        (lambda: asked().set(sentence=None), TypeError, "NoneType is not str."),
        (lambda: setattr(made(), "sentence", "saw"), ValueError, "a sentence needs an encoder"),
        (
            lambda: asked(moments=[("another", {"sentence": "a"})]),
            ValueError,
            "a moment must leave the sentence as it is: moments[0] is 'another'",
        ),
    ],
)
def test_a_sentence_without_a_reader_and_the_other_way_round_is_refused(make, error, words):
    with pytest.raises(error, match=re.escape(words)):
        make()


def test_a_page_knows_the_sentence_and_a_picture_made_again_needs_no_encoder():
    heads = asked(word=1)
    assert heads.recorded()["traits"]["sentence"] == "the cat"
    assert heads.recorded()["traits"]["_answer"] == {"name": "reader"}
    assert revived(heads.recorded()).still() == heads.still()
    assert "sentence" not in repr(heads)
    assert "sentence" not in made().recorded()["traits"]


# The still picture


def test_the_picture_shows_one_head_large_and_all_in_small():
    heads = made(word=1, head=2)
    paper = heads._draw()
    key = WORDS[heads.row_weights[2].argmax()]
    bold = ["cat", key, "All 3 heads: where “cat” looks most", f"2 {key}"]
    assert texts(paper, bold=True) == bold
    assert len(shapes(paper, "picture")) == 3  # a map for each head
    ribbons = shapes(paper, "area")
    assert len(ribbons) == (heads.row_weights[2] >= 0.02).sum()
    assert {ribbon.color for ribbon in ribbons} == {HEADS[2]}
    is_readable(paper)


def test_a_head_that_is_off_is_grey_its_map_hatched_and_its_bar_hollow():
    heads = made(values=random_values(), word=1, head=1, off=[1])
    paper = heads._draw()
    assert {ribbon.color for ribbon in shapes(paper, "area")} == {LINE}
    assert len(shapes(paper, "picture")) == 2
    assert len(shapes(paper, "hatch")) == 1
    bars = [box for box in shapes(paper, "box") if box.points[1, 1] == bar_floor(paper)]
    assert [bar.color for bar in bars] == [LINE, None, LINE]


def test_where_one_head_is_looked_at_it_alone_has_its_colour():
    def bars(**inputs):
        paper = made(values=random_values(), word=1, **inputs)._draw()
        boxes = [box for box in shapes(paper, "box") if box.points[1, 1] == bar_floor(paper)]
        return [bar.color for bar in boxes]

    assert bars(head=2, off=[0]) == [None, LINE, HEADS[2]]
    assert bars(head=None, off=[0]) == [None, *HEADS[1:3]]


def test_what_heads_bring_is_drawn_and_told_once_one_is_off():
    for off in ([], [1]):
        heads = made(values=random_values(), word=1, off=off)
        folded = all("each head brings" not in words for words in texts(heads._draw()))
        assert folded == ("Shares of its merged output" not in heads._alt()) == (not off)


def test_in_each_map_the_row_of_the_word_that_asks_is_framed():
    def frames(paper, thick):
        boxes = [box.points for box in shapes(paper, "box")]
        return [box for box in boxes if np.ptp(box[:, 1]) == pytest.approx(thick + 2)]

    paper = made(word=1, head=2)._draw()
    maps = [picture.points for picture in shapes(paper, "picture")]
    thick = np.ptp(maps[0][:, 1]) / N
    for corners, frame in zip(maps, frames(paper, thick), strict=True):
        assert frame[:, 1] == pytest.approx(corners[0, 1] + thick * np.array([1, 2]) + [-1, 1])
    small = made(weights=random_weights(3, 40), words=[*"ab"] * 20)._draw()
    assert frames(small, np.ptp(shapes(small, "picture")[0].points[:, 1]) / 40) == []  # too thin


def test_a_bar_is_as_high_as_the_share_that_a_head_brings():
    heads = made(values=random_values(), word=1, off=[2])
    paper = heads._draw()
    bars = [box for box in shapes(paper, "box") if box.points[1, 1] == bar_floor(paper)]
    high = np.array([np.ptp(bar.points[:, 1]) for bar in bars])
    shares = heads.shares[:, 1]
    assert np.allclose(high, np.maximum(BAR * shares / shares.max(), 1.5))


def bar_floor(paper):
    """Return where the bars stand: four pixels above the numbers of the heads."""
    return max(box.points[0, 1] for box in shapes(paper, "box")) - 4


def test_all_at_once_each_head_has_a_line_to_the_word_it_looks_at_most():
    heads = made(word=1, head=None, off=[2])
    paper = heads._draw()
    assert [ribbon.color for ribbon in shapes(paper, "area")] == [HEADS[0], HEADS[1]]
    heights = {word.words: word.y for word in written(paper, at="lm") if word.words in WORDS[1:3]}
    for ribbon, row in zip(shapes(paper, "area"), heads.row_weights, strict=False):
        half = len(ribbon.points) // 2
        end = ribbon.points[half - 1 : half + 1].mean(axis=0)[1]
        if WORDS[row.argmax()] in heights:
            assert end == pytest.approx(heights[WORDS[row.argmax()]])
    is_readable(paper)


def test_of_many_words_the_five_largest_are_drawn_and_all_that_are_named():
    weights = random_weights(3, 40, seed=5)
    words = [f"w{i}" for i in range(40)]
    heads = Heads(weights, words, word=20, off=[1, 2])
    paper = heads._draw()
    drawn = [word for word in texts(paper, at="lm") if word in words]
    (missed,) = [part[0] for part in heads._loss()[1:] if isinstance(part, tuple)]
    largest = [words[k] for k in np.argsort(-heads.row_weights[0]) if words[k] != missed]
    assert missed not in largest[:4]
    assert sorted(drawn, key=words.index) == drawn
    assert set(drawn) == {missed, *largest[:4]}
    assert "35 others" in texts(paper)
    assert paper.height < 600


def test_a_ribbon_is_as_wide_as_its_weight_and_starts_at_the_word():
    weights = np.tile(np.eye(N), (1, 1, 1))
    weights[0, 1] = [0.6, 0, 0.3, 0, 0.1]
    paper = Heads(weights, WORDS, word=1)._draw()
    wide = [np.ptp(ribbon.points[[0, -1], 1]) for ribbon in shapes(paper, "area")]
    assert np.allclose(wide, FULL * np.array([0.6, 0.3, 0.1]))
    starts = {tuple(line.points[[0, -1]].mean(axis=0).round(6)) for line in shapes(paper, "area")}
    (cat,) = {word.y for word in written(paper, bold=True, at="rm")}
    assert {y for _, y in starts} == {cat}


def test_a_map_is_coloured_by_the_square_root_and_keeps_the_largest_weight():
    assert np.array_equal(_small(np.eye(3)[None] / 4, 6), np.eye(3)[None] / 2)
    many = np.zeros((1, 100, 100))
    many[0, 50, 50] = 1
    assert np.array_equal(_small(many, 10), np.pad([[[1.0]]], ((0, 0), (5, 4), (5, 4))))


ROOM = itertools.product([1, 3], [1, 2, 16], [1, 2, 13, 40], ["it", "because", "W" * 30])


@pytest.mark.parametrize(("n_layers", "n_heads", "n", "word"), sampled(ROOM, 10))
def test_the_picture_has_room_for_any_sentence(n_layers, n_heads, n, word):
    weights = random_weights(n_layers * n_heads, n).reshape(n_layers, n_heads, n, n)
    heads = Heads(weights, [word] * n, word=n - 1)
    is_readable(heads._draw())
