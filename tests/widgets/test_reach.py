"""Reach: who reaches whom, in how many steps, how strongly, and the still."""

from itertools import pairwise, product

import numpy as np
import pytest

from attnlib import softmax, window_mask
from attnlib.pictures.colours import COLORS
from attnlib.pictures.shades import INK
from attnlib.pictures.shared import shared
from attnlib.widgets import Reach
from attnlib.widgets._base import quoted
from attnlib.widgets._network import flows_to, layered, widest_path
from attnlib.widgets.scaling import normals
from tests.lessons import sampled
from tests.widgets.still import height, is_readable, shapes, texts

N, WIDTH, DEPTH, BIAS, SHARP = 7, 5, 2, 1.5, 3.0
WORDS = [f"w{i}" for i in range(N)]
SCORES = np.random.default_rng(3).normal(size=(N, N))
KINDS = ["recurrent", "gated", "convolution", "attention", "causal", "windowed"]
DECAY, SEED, BAR, FULL = shared("reach", "DECAY", "SEED", "BAR", "FULL")

BOTH = list(product(KINDS, ["in", "out"]))

every_kind = pytest.mark.parametrize("kind", KINDS)


def example():
    return Reach(["I", "saw", "it"], 1, "windowed", 5, 2, gate_bias=1.5, sharpness=2.5,
                 scores=SCORES[:3, :3].round(1), way="out")  # fmt: skip


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
def test_steps_are_the_edges_on_the_way_and_waits_the_longest_chain(kind):
    widget = made(kind)
    network = widget._network()
    first = network.nodes - N
    for j in range(N):
        edges = {j: 0}  # how many lead from the word to each node
        for start, to in network.edges:
            if start in edges:
                edges[to] = max(edges.get(to, 0), edges[start] + 1)
        assert widget.steps[:, j].tolist() == [edges.get(first + i, 0) for i in range(N)]
    assert widget.waits == widget.steps.max()
    assert np.array_equal(widget.steps > 0, widget.shares > 0)


@pytest.mark.parametrize(("kind", "way"), BOTH)
def test_what_flows_adds_up_to_the_shares(kind, way):
    widget = made(kind, way=way)
    network, flows, told = widget._flows()
    start, to = network.edges.T
    end, first = widget._ends()[1], network.nodes - N
    brought = np.bincount(start, flows, network.nodes)[:N]
    taken = np.bincount(to, flows, network.nodes)[first:]
    assert np.allclose(brought if way == "in" else taken, widget._parts()[0])
    assert told[to == first + end].sum() == pytest.approx(widget.shares[widget._ends()[::-1]])
    assert (told <= flows + 1e-12).all()


def test_attention_reaches_all_in_one_step_and_dilutes_as_a_gate_that_stands_open():
    fan, chain, gated = (Reach(kind=kind) for kind in ("attention", "recurrent", "gated"))
    n = len(fan.words)
    assert (fan.waits, fan.longest, chain.waits, chain.longest) == (1, 1, n, n)
    assert chain.shares[-1, 0] == pytest.approx(DECAY**n / (1 - DECAY**n))
    assert gated.shares[-1, 0] > 1 / n > 100 * chain.shares[-1, 0]
    fan.sharpness = 0
    assert np.allclose(fan.shares, 1 / n)


def test_the_longest_path_is_that_to_the_picked_word_or_from_it():
    assert (made("gated", 4).longest, made("gated", 4, way="out").longest) == (5, 3)


def test_of_ways_that_bring_as_much_the_first_is_drawn():
    network = layered(window_mask(N, width=1) / 3, 2)
    path = widest_path(network, flows_to(network, 2 * N + 3, 3), 2 * N + 3)
    assert network.edges[path].tolist() == [[N + 2, 2 * N + 3], [3, N + 2]]
    assert widest_path(network, flows_to(network, 2 * N + 6, 0), 2 * N + 6) == []


def test_left_out_inputs_and_what_code_and_the_hand_change():
    widget = Reach()
    assert (widget.word, widget.kind, widget.way) == (len(widget.words) - 1, "attention", "in")
    assert Reach(iter(WORDS)).words == tuple(WORDS)
    assert np.allclose(Reach(WORDS).shares, softmax(normals(N * N, SEED + 1).reshape(N, N)))
    widget.set_state({"kind": "convolution", "depth": 2, "word": 0, "way": "out"})
    assert np.array_equal(np.flatnonzero(widget.shares[:, 0]), [0, 1, 2])
    assert widget.longest == widget.waits == 2


SAID = [
    ({"kind": "attention"}, 0, "“w4” hears of “w0” after 1 step: “w0” is "),
    ({"kind": "recurrent", "way": "out"}, 6, "“w6” hears of “w4” after 3 steps: “w4” is 0.1260 of "
     "its output. An even share would be 0.1429."),
    ({"kind": "causal"}, 5, "“w4” does not hear of “w5”, which comes later."),
    ({"kind": "convolution", "width": 3, "depth": 1}, 0,
     "“w4” does not hear of “w0”: 1 layer does not reach so far."),
    ({"kind": "windowed", "width": 3}, 0,
     "“w4” does not hear of “w0”: 2 layers do not reach so far."),
]  # fmt: skip


@pytest.mark.parametrize(("inputs", "near", "said"), SAID)
def test_it_says_how_one_word_reaches_the_other(inputs, near, said):
    widget = made(**inputs)
    assert quoted(widget._told(near)).startswith(said)


@pytest.mark.parametrize(
    ("depth", "told"),
    [(1, "more than 1 layer"), (5, "more than 5 layers"), (6, "6 layers"), (9, "6 layers")],
)
def test_how_many_layers_it_takes_is_told_once_they_are_there(depth, told):
    assert made("convolution", width=3, depth=depth)._facts()["from end to end"] == told


def test_a_share_too_small_to_print_is_not_printed_as_nothing():
    far = Reach(["w"] * 20, kind="recurrent")
    assert quoted(far._told()).startswith(
        "“w (19)” hears of “w (0)” after 20 steps: “w (0)” is less than 0.0001 of its output."
    )
    assert "<.01" in texts(far._draw())


@pytest.mark.parametrize(("kind", "way"), BOTH)
def test_the_still_shows_the_shares_as_bars_and_the_steps(kind, way):
    widget = made(kind, way=way)
    paper = widget._draw()
    is_readable(paper)
    shares, steps = widget._parts()
    bars = [box.points for box in shapes(paper, "box", COLORS["value"])]
    assert [height(bar) for bar in bars] == pytest.approx(BAR * shares[steps > 0])
    drawn = texts(paper, size=11)
    assert [word for word in drawn if word == "–"] == ["–"] * (steps == 0).sum()
    assert len([word for word in drawn if word.startswith(("<", "."))]) == (steps > 0).sum()
    traced = shapes(paper, "area", INK) + [
        line for line in shapes(paper, "line", INK) if len(line.points) == 2
    ]
    assert bool(traced) == bool(widget.steps[widget._ends()[::-1]])


@pytest.mark.parametrize(("kind", "n_bands"), [("attention", N), ("convolution", 3 + 9)])
def test_bands_are_as_wide_as_what_flows_and_stand_side_by_side(kind, n_bands):
    widget = made(kind, 3, sharpness=0, width=3)
    bands = [band.points for band in shapes(widget._draw(), "area", COLORS["value"])]
    assert len(bands) == n_bands
    for end in (np.max, np.min):  # below, and above
        ends = [band[np.isclose(band[:, 1], end(band[:, 1]))] for band in bands]
        for level in {round(corners[0, 1]) for corners in ends}:
            here = [corners[:, 0] for corners in ends if round(corners[0, 1]) == level]
            edges = sorted((x.min(), x.max()) for x in here)
            assert sum(right - left for left, right in edges) == pytest.approx(FULL)
            assert all(one[1] <= other[0] + 1e-9 for one, other in pairwise(edges))
    low, high = (
        np.array([band[np.isclose(band[:, 1], end(band[:, 1])), 0].mean() for band in bands])
        for end in (np.max, np.min)
    )
    for one, other in ((low, high), (high, low)):  # those of one node do not cross
        apart, beyond = (x[:, None] - x for x in (one, other))
        near = (abs(apart) < FULL) & (apart != 0)
        assert near.any() == (one is high or kind == "convolution")
        assert (np.sign(apart) == np.sign(beyond))[near].all()


@pytest.mark.parametrize(("word", "broken"), [(5, False), (6, True)])  # of which w0 is .019, .004
def test_a_path_by_which_hardly_anything_comes_is_a_broken_line(word, broken):
    paper = made("convolution", word, width=3, depth=6)._draw()
    assert len(shapes(paper, "area", INK)) == (0 if broken else 6)
    assert len(shapes(paper, "line", INK)) == (6 if broken else 0)


SENTENCES = [["one"], ["long" * 9, "", "a\nb", "注意力", "שלום"], ["w"] * 20]


@pytest.mark.parametrize(("words", "kind"), sampled(product(SENTENCES, KINDS), 6))
def test_words_of_any_number_and_script_are_drawn_and_told(words, kind):
    widget = Reach(words, kind=kind, width=11, depth=12)
    is_readable(widget._draw())
    assert widget._name(len(words) - 1)[:2] in widget._alt()


def test_alt_text_holds_the_numbers():
    alt = made("recurrent", word=2)._alt()
    assert alt.startswith(
        "Recurrent over a sentence, drawn step above step: how much of the output of “w2” comes "
        "from each word: w0 .14, w1 .29, w2 .57, w3 none, "
    )
    assert "is reached by 3 of 7 words; longest path 3 steps; one after another 7 steps" in alt
