"""Reach: whom a word reaches, in how many steps, how strongly, and the still."""

from itertools import product

import numpy as np
import pytest

from attnlib import softmax
from attnlib.pictures.colours import COLORS
from attnlib.pictures.shades import INK
from attnlib.pictures.shared import shared
from attnlib.widgets import Reach
from attnlib.widgets._base import quoted
from attnlib.widgets.scaling import normals
from tests.lessons import sampled
from tests.widgets.still import is_readable, shapes, texts

N, WIDTH, DEPTH, BIAS, SHARP = 7, 5, 2, 1.5, 3.0
WORDS = [f"w{i}" for i in range(N)]
SCORES = np.random.default_rng(3).normal(size=(N, N))
KINDS = ["recurrent", "gated", "convolution", "attention", "causal", "windowed"]
DECAY, SEED = shared("reach", "DECAY", "SEED")

every_kind = pytest.mark.parametrize("kind", KINDS)


def example():
    return Reach(["I", "saw", "it"], 1, "windowed", 5, 2, gate_bias=1.5, sharpness=2.5,
                 scores=SCORES[:3, :3].round(1))  # fmt: skip


def made(kind, word=4, **inputs):
    given = {"width": WIDTH, "depth": DEPTH, "gate_bias": BIAS, "sharpness": SHARP}
    return Reach(WORDS, word, kind, **given | {"scores": SCORES} | inputs)


def run(kind, values, scores=SCORES):
    """Run such a network in plain loops, on a number for each word."""
    state, outputs = 0.0, []
    if kind in ("recurrent", "gated"):
        for value, noise in zip(values, normals(N, SEED), strict=True):
            gate = 1 / (1 + np.exp(-(BIAS + noise))) if kind == "gated" else DECAY
            state = gate * state + (1 - gate) * value
            outputs.append(state)
        return outputs
    for _ in range(DEPTH if kind in ("convolution", "windowed") else 1):
        outputs = []
        for i in range(N):
            near = [j for j in range(N) if abs(i - j) <= WIDTH // 2]
            seen = {"attention": range(N), "causal": range(i + 1)}.get(kind, near)
            powers = [np.exp(SHARP * scores[i, j]) for j in seen]
            weights = [1 / WIDTH] * len(seen) if kind == "convolution" else powers / sum(powers)
            outputs.append(sum(w * values[j] for w, j in zip(weights, seen, strict=True)))
        values = outputs
    return outputs


@every_kind
def test_shares_are_what_a_word_leaves_in_a_run_of_the_network(kind):
    left = np.stack([run(kind, one) for one in np.eye(N)], axis=1)  # (output, word)
    assert np.allclose(made(kind).shares, left / left.sum(axis=1, keepdims=True))


@every_kind
def test_news_goes_along_the_edges_a_step_each_and_waits_is_the_longest_chain(kind):
    widget = made(kind)
    for widget.word in range(N):
        reached = widget._news(kind)
        last = {i: max(step for step, j in reached if j == i) for _, i in reached}
        ends = [step for i, step in last.items() if i != widget.word]
        assert np.array_equal(widget.steps[:, widget.word] > 0, widget._heard(kind))
        waited = widget.word if kind in ("recurrent", "gated") else 0
        came = [int(step) - waited for step in ends]
        assert came == [widget.steps[i, widget.word] for i in last if i != widget.word]
    assert widget.waits == widget.steps.max() == max(step for _, (step, _) in widget._edges(kind))
    assert np.array_equal(widget.steps > 0, widget.shares > 0)


def test_attention_reaches_all_in_one_step_and_dilutes_as_a_gate_that_stands_open():
    fan, chain, gated = (Reach(kind=kind) for kind in ("attention", "recurrent", "gated"))
    n = len(fan.words)
    assert (fan.waits, fan.longest, chain.waits, chain.longest) == (1, 1, n, n)
    assert chain.shares[-1, 0] == pytest.approx(DECAY**n / (1 - DECAY**n))
    assert gated.shares[-1, 0] > 1 / n > 100 * chain.shares[-1, 0]
    fan.sharpness = 0
    assert np.allclose(fan.shares, 1 / n)


def test_the_longest_path_is_that_from_the_pressed_word():
    assert (made("gated", 4).longest, made("gated", 0).longest) == (3, 7)


def test_left_out_inputs_and_what_code_and_the_hand_change():
    widget = Reach()
    assert (widget.word, widget.kind) == (0, "attention")
    assert Reach(iter(WORDS)).words == tuple(WORDS)
    assert np.allclose(Reach(WORDS).shares, softmax(normals(N * N, SEED + 1).reshape(N, N)))
    widget.set_state({"kind": "convolution", "depth": 2, "word": 0})
    assert np.array_equal(np.flatnonzero(widget.shares[:, 0]), [0, 1, 2])
    assert widget.longest == widget.waits == 2


SAID = [
    ({"kind": "attention"}, "“w0” hears of “w4” after 1 step."),
    ({"kind": "windowed", "width": 9}, "“w0” hears of “w4” after 2 steps."),
    ({"kind": "recurrent"}, "“w6” hears of “w4” after 3 steps, one after another; before that “w4” "
     "waits for 4 steps."),
    ({"kind": "gated", "word": 0}, "“w6” hears of “w0” after 7 steps, one after another."),
    ({"kind": "causal"}, "“w6” hears of “w4” after 1 step."),
    ({"kind": "convolution", "width": 3, "depth": 1},
     "“w0” does not hear of “w4”: 1 layer does not reach so far."),
    ({"kind": "windowed", "width": 3, "word": 0},
     "“w6” does not hear of “w0”: 2 layers do not reach so far."),
]  # fmt: skip


@pytest.mark.parametrize(("inputs", "said"), SAID)
def test_it_says_how_the_word_reaches_the_farthest(inputs, said):
    assert quoted(made(**inputs)._told()) == said


def test_how_much_arrives_is_told_apart():
    told = "“w4” is 0.1260 of the output of “w6”. An even share would be 0.1429."
    widget = made("recurrent")
    assert quoted(widget._amount()) == told
    assert widget._amounts() == ["–"] * 4 + ["0.52", "0.25", "0.13"]
    deaf = made("convolution", width=3, depth=1)
    assert quoted(deaf._amount()) == "Nothing of “w4” arrives at “w0”."


def test_a_share_too_small_to_print_is_not_printed_as_nothing():
    far = Reach(["w"] * 20, kind="recurrent")
    assert quoted(far._amount()).startswith("“w (0)” is less than 0.0001 of the output of “w (19)”")
    assert far._amounts()[-1] == "<0.01"


@every_kind
def test_the_still_shows_three_lanes_how_far_the_news_comes_and_who_does_not_hear(kind):
    widget = made(kind)
    paper = widget._draw()
    is_readable(paper)
    lanes = widget._lanes()
    headings = [words for one in lanes for words in widget._heading(one)]
    assert [words for words in texts(paper) if words in headings] == headings
    reached = [end for one in lanes for end in widget._news(one)]
    discs = shapes(paper, "disc", COLORS["value"]) + shapes(paper, "disc", COLORS["output"])
    assert len(discs) == len(reached)
    news = [
        (start, end)
        for one in lanes
        for start, end in widget._edges(one)
        if {start, end} <= widget._news(one)
    ]
    assert len(shapes(paper, "line", COLORS["value"])) == len(news)
    deaf = [np.diff(np.r_[0, ~widget._heard(one), 0]) for one in lanes]
    assert texts(paper).count("not heard") == sum((edge > 0).sum() for edge in deaf)
    assert len(shapes(paper, "line", INK)) == 1  # the wait of a chain


SENTENCES = [["one"], ["long" * 9, "", "a\nb", "注意力", "שלום"], ["w"] * 20]


@pytest.mark.parametrize(("words", "kind"), sampled(product(SENTENCES, KINDS), 6))
def test_words_of_any_number_and_script_are_drawn_and_told(words, kind):
    widget = Reach(words, kind=kind, width=11, depth=12)
    is_readable(widget._draw())
    assert widget._name(len(words) - 1)[:2] in widget._alt()


def test_alt_text_tells_of_all_lanes():
    assert made("gated", word=2, width=3, depth=1)._alt() == (
        "“w2”: how its news goes through three networks side by side. "
        "Gated, step 7 of 7, 5 of 7 words heard; not heard by w0, w1. "
        "Convolution, step 1 of 1, 3 of 7 words heard; not heard by w0, w4, w5, w6. "
        "Attention, step 1 of 1, 7 of 7 words heard. "
        "“w6” hears of “w2” after 5 steps, one after another; before that “w2” waits for 2 steps."
    )
