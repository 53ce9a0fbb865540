"""Positions in Python: its numbers, what it refuses, what it sends, its still picture."""

import json
import math

import numpy as np
import pytest

from attnlib import alibi_bias, text
from attnlib.pictures.colours import COLORS
from attnlib.pictures.shades import FIRST, PAPER, SECOND
from attnlib.widgets import Positions
from attnlib.widgets.positions import CLOCK, DIAL, LEFT, ROUND, WHY, WIDTH
from attnlib.widgets.scaling import normals
from tests.widgets.still import is_readable, shapes, texts

SCHEMES = ["sinusoidal", "learned", "rotary", "alibi"]
TABLE = np.random.default_rng(0).standard_normal((13, 7))
INPUTS = ["n_positions", "d_model", "first", "second", "scheme", "head"]


def example():
    return Positions(n_positions=6, d_model=4, first=1, second=3, scheme="rotary")


def inputs(widget):
    return [getattr(widget, name) for name in INPUTS]


def cosine(a, b):
    return sum(a * b) / math.sqrt(sum(a * a) * sum(b * b))


def clock_row(position, d):
    turned = [position / 10_000 ** (2 * i / d) for i in range(d // 2)]
    return np.array([f(angle) for angle in turned for f in (math.sin, math.cos)])


def turned(x, position):
    """Turn pairs as complex numbers, which attnlib does not."""
    pairs = x[::2] + 1j * x[1::2]
    angles = position / 10_000 ** (np.arange(0, len(x), 2) / len(x))
    pairs = pairs * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=-1).ravel()


def test_sinusoidal_rows_and_cosines_are_those_of_a_loop():
    widget = Positions(n_positions=17, d_model=10, first=5, second=11)
    rows = [clock_row(5, 10), clock_row(11, 10)]
    np.testing.assert_allclose(widget.rows, rows, atol=1e-12)
    expected = [cosine(rows[0], clock_row(p, 10)) for p in range(17)]
    np.testing.assert_allclose(widget.curve, expected, atol=1e-12)
    assert widget.similarity == pytest.approx(expected[11])


def test_learned_rows_are_those_of_the_table():
    widget = Positions(TABLE, first=2, second=12, scheme="learned")
    assert widget.n_positions == 13
    np.testing.assert_array_equal(widget.rows, TABLE[[2, 12]])
    expected = [cosine(TABLE[2], row) for row in TABLE]
    np.testing.assert_allclose(widget.curve, expected)
    assert widget.similarity == pytest.approx(expected[12])


def test_rotary_turns_always_the_same_query_and_key():
    widget = Positions(n_positions=17, d_model=10, first=4, second=9, scheme="rotary")
    query, key = normals(20, 8).reshape(2, 10)
    np.testing.assert_allclose(widget.rows, [turned(query, 4), turned(key, 9)], atol=1e-12)
    expected = [turned(query, 4) @ turned(key, p) for p in range(17)]
    np.testing.assert_allclose(widget.curve, expected, atol=1e-12)
    assert widget.similarity == pytest.approx(widget.rows[0] @ widget.rows[1])


@pytest.mark.parametrize("head", range(8))
def test_alibi_has_a_slope_for_each_head_and_no_rows(head):
    widget = Positions(n_positions=17, first=4, second=9, scheme="alibi", head=head)
    expected = [-(2.0 ** -(head + 1)) * abs(p - 4) for p in range(17)]
    np.testing.assert_array_equal(widget.curve, expected)
    assert widget.similarity == expected[9]
    assert widget.rows is None


def test_where_the_distance_alone_counts_a_common_step_changes_nothing():
    for scheme in ("sinusoidal", "rotary", "alibi"):
        widget = Positions(first=3, second=10, scheme=scheme)
        before = widget.similarity
        widget.first, widget.second = 43, 50
        assert widget.similarity == pytest.approx(before, abs=1e-12)
        widget.first, widget.second = 50, 43
        assert (widget.similarity == pytest.approx(before)) == (scheme != "rotary")


def test_a_table_of_zeros_has_cosines_of_zero():
    widget = Positions(np.zeros((3, 4)), first=1, second=1, scheme="learned")
    assert widget.similarity == 0
    assert widget.still()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_position_is_enough(scheme):
    widget = Positions([[1.0, 2.0]], scheme=scheme)
    assert (widget.n_positions, widget.first, widget.second) == (1, 0, 0)
    assert widget.curve.shape == (1,)
    assert widget.still()


def test_left_out_positions_lie_among_those_there_are():
    assert inputs(Positions())[:4] == [64, 16, 3, 10]
    assert inputs(Positions(n_positions=np.int64(7)))[:4] == [7, 16, 3, 6]


def test_a_page_is_sent_the_real_table_reduced_and_nothing_that_differs():
    real = text.position_vectors()
    state = Positions(real).recorded()
    assert state == Positions(real).recorded()
    assert state["class"] == "Positions"
    assert set(state["traits"]) == {"learned", "n_positions", "first", "second"}
    for i in (0, 1, 40, 63):
        cosines = np.array(state["traits"]["learned"][i].split(), int) / 10_000
        expected = [cosine(real[i], real[j]) for j in range(i + 1)]
        np.testing.assert_allclose(cosines, expected, atol=0.51e-4)  # as many as are expected
    assert len(json.dumps(state, allow_nan=False)) < 15_000


def test_a_comm_is_sent_what_a_page_is():
    widget = Positions(TABLE)
    assert widget.get_state("learned")["learned"] == widget.recorded()["traits"]["learned"]
    assert Positions().get_state("learned")["learned"] is None


TOLD = {
    "sinusoidal": "Places 3 and 10 are 7 apart and 0.74 alike: the mean of all clocks.",
    "learned": "Places 3 and 10 are 7 apart, and their learned rows are 0.51 alike.",
    "rotary": "Query at 3, key at 10: query · key is 0.69, the sum of all clocks.",
    "alibi": "Query at 3, key at 10: head 0 adds −3.50 to their score.",
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_still_picture_says_what_the_two_have(scheme):
    widget = Positions(text.position_vectors(), scheme=scheme)
    paper = widget._draw()
    assert widget._told() == TOLD[scheme]
    for words in (TOLD[scheme], WHY[scheme]):
        assert words in " ".join(texts(paper))
        assert words in widget._alt()
    asked = scheme in ("rotary", "alibi")
    names = ["query", "key"] if asked else ["first", "second"]
    colors = (COLORS["query"], COLORS["key"]) if asked else (FIRST, SECOND)
    assert widget._ends() == (tuple(names), colors)
    assert [word for word in texts(paper) if word in (*names, "both")] == [*names, "both"]
    assert texts(paper, bold=True, size=11) == ["3", "10", "↔"]
    first, second, both = (disc.points.mean(axis=0)[0] for disc in shapes(paper, "disc", PAPER)[:3])
    assert both == pytest.approx((first + second) / 2)
    assert second - first == pytest.approx(7 * (WIDTH - LEFT - 18) / 64)


@pytest.mark.parametrize(("scheme", "mean"), [("sinusoidal", True), ("rotary", False)])
def test_each_clock_has_two_hands_and_says_what_they_have(scheme, mean):
    widget = Positions(n_positions=17, d_model=10, first=5, second=11, scheme=scheme)
    paper, name = widget._draw(), CLOCK[scheme]
    pairs = widget.rows.reshape(2, 5, 2)
    values = (pairs[0] * pairs[1]).sum(axis=1)
    assert (values.mean() if mean else values.sum()) == pytest.approx(widget.similarity)
    below = [name.format(value=f"{value:.2f}".replace("-", "−")) for value in values]
    assert texts(paper, bold=True, size=12) == below
    rounds = [f"{2 * math.pi * 10_000 ** (i / 5):.{int(i < 2)}f}" for i in range(5)]
    above = [ROUND.format(places=places) for places in rounds]
    assert texts(paper, size=12, bold=False) == above
    assert "; ".join(map(", ".join, zip(above, below, strict=True))) in widget._alt()
    _, _, _, *discs = (disc.points for disc in shapes(paper, "disc"))  # three are the sliders'
    longest = np.linalg.norm(pairs, axis=-1).max()
    for i, (dial, *tips) in enumerate(zip(discs[::3], discs[1::3], discs[2::3], strict=True)):
        assert np.ptp(dial, axis=0).tolist() == [2 * DIAL, 2 * DIAL]
        drawn = [tip.mean(axis=0) - dial.mean(axis=0) for tip in tips]
        expected = 0.92 * DIAL / longest * pairs[:, i] * [1, -1]  # y points down
        np.testing.assert_allclose(drawn, expected, atol=1e-9)


@pytest.mark.parametrize("scheme", ["sinusoidal", "rotary"])
def test_what_lies_between_two_hands_stays_where_both_move_on(scheme):
    spans = []
    for first in (3, 40):
        paper = Positions(first=first, second=first + 7, scheme=scheme)._draw()
        wedges = [area.points for area in shapes(paper, "area")]
        assert len(wedges) == 8
        spans.append([np.linalg.norm(wedge[1] - wedge[-1]) for wedge in wedges])
    np.testing.assert_allclose(*spans, atol=1e-9)


@pytest.mark.parametrize("scheme", ["learned", "alibi"])
def test_a_scheme_without_hands_has_a_line_over_all_places(scheme):
    widget = Positions(TABLE, first=3, second=9, scheme=scheme, head=1)
    paper = widget._draw()
    curves = [line.points for line in shapes(paper, "line") if len(line.points) == 13]
    assert len(curves) == (8 + 1 if scheme == "alibi" else 1)
    up = curves[-1][:, 1] - curves[-1][0, 1]
    ratio = up @ (widget.curve - widget.curve[0]) / (up @ up)
    np.testing.assert_allclose(ratio * up, widget.curve - widget.curve[0], atol=1e-9)
    assert ratio < 0  # y points down
    mark = shapes(paper, "disc", PAPER)[-1].points.mean(axis=0)
    np.testing.assert_allclose(mark, curves[-1][9])
    assert f"{widget.curve.max():.2f}" in widget._alt()


def test_a_distance_has_no_sign_but_for_rotary():
    assert "7 apart" in Positions(first=10, second=3)._told()
    assert "query · key is −2.84" in Positions(first=10, second=3, scheme="rotary")._told()
    assert "head 7 adds −0.03" in Positions(first=9, second=2, scheme="alibi", head=7)._told()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_in_the_still_picture_overlaps(scheme):
    for widget in (
        Positions(text.position_vectors(), scheme=scheme),
        Positions(TABLE, d_model=64, scheme=scheme),
        Positions(text.position_vectors(), first=63, second=0, scheme=scheme),
        Positions(np.full((2, 99), -0.1), d_model=64, scheme=scheme),
        Positions(TABLE, n_positions=3, d_model=2, scheme=scheme),
        Positions(TABLE, n_positions=1, scheme=scheme),
    ):
        is_readable(widget._draw())


@pytest.mark.parametrize("scheme", ["sinusoidal", "rotary", "alibi"])
def test_five_hundred_positions_have_room(scheme):
    for head in (0, 7):
        is_readable(Positions(n_positions=512, d_model=64, scheme=scheme, head=head)._draw())


def test_alibi_is_what_attnlib_adds():
    bias = alibi_bias(8, 13)
    for head in (0, 5):
        widget = Positions(TABLE, first=4, scheme="alibi", head=head)
        np.testing.assert_array_equal(widget.curve, bias[head, 4])
