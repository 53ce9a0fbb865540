"""Scaling: sampled scores as loops compute them, and a generator that the browser can repeat."""

import math

import numpy as np
import pytest

from attnlib import entropy, softmax
from attnlib.pictures.shades import INK
from attnlib.plotting import COLORS
from attnlib.widgets import Scaling, scaling
from attnlib.widgets.scaling import ACROSS, LEFT, normals
from tests.widgets.still import bar_lengths, is_readable, shapes, texts

DIVISORS = {"none": lambda d: 1, "sqrt d": math.sqrt, "d": lambda d: d, "sqrt n": lambda d: 8**0.5}


def example():
    return Scaling(d=9, divisor="sqrt d", seed=1)


def loop_scores(d, divisor, seed):
    numbers = normals(100 * 9 * 512, seed)
    scores = np.empty((100, 8))
    for i in range(100):
        block = numbers[i * 9 * 512 : (i + 1) * 9 * 512]
        query = block[:d]
        for j in range(8):
            key = block[(j + 1) * 512 : (j + 1) * 512 + d]
            scores[i, j] = sum(q * k for q, k in zip(query, key, strict=True)) / divisor
    return scores


@pytest.mark.parametrize("divisor", DIVISORS)
@pytest.mark.parametrize("d", [1, 7, 512])
def test_what_follows_is_what_loops_say(d, divisor):
    widget = Scaling(d=d, divisor=divisor, seed=3)
    scores = loop_scores(d, DIVISORS[divisor](d), 3)
    np.testing.assert_allclose(widget.scores, scores, atol=1e-11)
    np.testing.assert_allclose(widget.weights, softmax(scores[0]), atol=1e-11)
    mean = sum(scores.flat) / 800
    assert widget.spread == pytest.approx(
        math.sqrt(sum((x - mean) ** 2 for x in scores.flat) / 800)
    )
    assert widget.expected == pytest.approx(math.sqrt(d) / DIVISORS[divisor](d))
    assert widget.entropy == pytest.approx(entropy(softmax(scores[0])), abs=1e-11)
    assert widget.mean_entropy == pytest.approx(np.mean([entropy(softmax(row)) for row in scores]))


@pytest.mark.parametrize("d", [1, 4, 64, 512])
def test_the_spread_is_near_what_the_theory_expects(d):
    spreads = [Scaling(d=d, divisor="sqrt d", seed=seed).spread for seed in range(20)]
    assert np.mean(spreads) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**31, 2**32 - 1])
def test_the_generator_is_the_one_of_the_front_end(seed):
    def mixed(counter):  # as arithmetic.js has it, in whole numbers that never wrap by themselves
        x = (counter + seed * 0x9E3779B9) % 2**32
        x = (x ^ x >> 16) * 0x7FEB352D % 2**32
        x = (x ^ x >> 15) * 0x846CA68B % 2**32
        return ((x ^ x >> 16) + 0.5) / 2**32

    for i in (0, 2, 460_798):
        radius, angle = math.sqrt(-2 * math.log(mixed(i))), 2 * math.pi * mixed(i + 1)
        pair = normals(460_800, seed)[i : i + 2]
        assert pair == pytest.approx([radius * math.cos(angle), radius * math.sin(angle)])


def test_the_numbers_are_normal_and_independent():
    x = normals(460_800, 0)
    assert np.isfinite(x).all()
    assert [x.mean(), x.std(), (x**4).mean()] == pytest.approx([0, 1, 3], abs=0.03)
    for apart in (1, 2, 512):
        assert np.corrcoef(x[:-apart], x[apart:])[0, 1] == pytest.approx(0, abs=0.01)
    assert np.abs(np.corrcoef(x, normals(460_800, 1))[0, 1]) < 0.01


def test_an_odd_count_of_numbers_begins_like_an_even_one():
    assert normals(0, 5).shape == (0,)
    np.testing.assert_array_equal(normals(7, 5), normals(8, 5)[:7])


def test_moving_d_draws_no_new_numbers_and_another_seed_does(monkeypatch):
    drawn = []
    monkeypatch.setattr(scaling, "normals", lambda n, seed: drawn.append(seed) or normals(n, seed))
    widget = Scaling(seed=4)
    for d in (1, 2, 512):
        widget.d = d
    assert drawn == [4]
    widget.seed = 5
    assert drawn == [4, 5]


def test_the_first_look_is_a_question():
    first = Scaling()
    assert (first.d, first.divisor) == (64, "none")


@pytest.mark.parametrize(("d", "divisor"), [(512, "none"), (512, "d"), (1, "sqrt d"), (64, "none")])
def test_the_still_picture_shows_scores_on_one_axis_and_every_weight(d, divisor):
    widget = Scaling(d, divisor=divisor, seed=2)
    paper = widget._draw()
    columns = [box.points for box in shapes(paper, "box", COLORS["scores"])]
    counts, _ = np.histogram(widget.scores, range(-30, 31))
    beyond = int((abs(widget.scores) > 30).sum())
    assert counts.sum() == 800 - beyond
    places = [round((corners[0, 0] - LEFT) / (ACROSS / 60)) for corners in columns]
    assert places == np.flatnonzero(counts).tolist()
    heights = np.array([corners[1, 1] - corners[0, 1] for corners in columns])
    np.testing.assert_allclose(heights / heights.max(), counts[counts > 0] / counts.max())
    told = [word for word in texts(paper) if "beyond" in word]
    assert told == ([f"{beyond} lie beyond ±30"] if beyond else [])
    divided = {"none": "not divided", "d": "divided by d", "sqrt d": "divided by √d"}[divisor]
    told = f"scores spread ± {widget.spread:.2f} ({divided})"
    vectors = f"Vectors of d = {d} number{'s' * (d > 1)}"
    best = f"the best of 8 keys gets a share of {widget.weights.max():.2f}."
    assert texts(paper)[0] == f"{vectors}: {told}, so {best}"
    assert f"{vectors} …" in texts(paper, bold=True)
    assert f"spread ± {widget.spread:.2f}" in texts(paper, bold=True)
    strips = [np.ptp(strip.points[:, 0]) for strip in shapes(paper, "picture")]
    assert strips == pytest.approx(
        [142 * d / 512] * 2
    )  # a query and a key, as long as they are wide
    reach = min(widget.spread, 30) * ACROSS / 60
    ends = [line.points[:, 0].tolist() for line in shapes(paper, "line")]
    middle = LEFT + ACROSS / 2
    assert pytest.approx([middle - reach, middle + reach]) in ends  # the bracket
    weights = [word for word in texts(paper, size=12, at="lm") if "." in word]
    assert weights == [f"{w:.2f}" for w in widget.weights]
    lengths = np.array(bar_lengths(paper, INK))
    shown = widget.weights[widget.weights > 0]
    np.testing.assert_allclose(lengths / lengths.max(), shown / shown.max(), atol=1e-9)
    is_readable(paper)


def test_the_alt_text_holds_the_numbers():
    widget = Scaling(d=512, seed=2)
    _, metadata = widget._repr_mimebundle_()
    alt = metadata["image/png"]["alt"]
    assert "d = 512, not divided" in alt
    beyond = int((abs(widget.scores) > 30).sum())
    assert f"spread is {widget.spread:.2f}, and {beyond} lie beyond ±30" in alt
    assert ", ".join(f"{w:.2f}" for w in widget.weights) in alt
    assert "divided by √n, n = 8 keys" in Scaling(divisor="sqrt n")._alt()
