"""Positions in Python: its numbers, what it refuses, what it sends, its still picture."""

import itertools
import json
import math
import re

import numpy as np
import pytest
from PIL import ImageColor

from attnlib import alibi_bias, text
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import FINER
from attnlib.pictures.shades import FIRST, SECOND, shade
from attnlib.widgets import Positions
from attnlib.widgets.positions import ENDS, LEFT, WHY
from attnlib.widgets.scaling import normals
from tests.widgets.still import is_readable, shapes, texts

SCHEMES = ["sinusoidal", "learned", "rotary", "alibi"]
TABLE = np.random.default_rng(0).standard_normal((13, 7))
INPUTS = ["n_positions", "d_model", "first", "second", "scheme", "head", "pairs"]


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
    hands = (widget.rows[0] * widget.rows[1]).reshape(-1, 2).sum(axis=1)
    assert hands.mean() == pytest.approx(widget.similarity)  # as the picture says


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
    learned = state["traits"]["learned"]
    assert learned["d"] == 384
    features = [row.split() for row in learned["features"]]
    np.testing.assert_allclose(np.array(features, float), real[:, :16], rtol=1e-3)
    for i in (0, 1, 40, 63):
        cosines = np.array(learned["cosines"][i].split(), int) / 10_000
        expected = [cosine(real[i], real[j]) for j in range(i + 1)]
        np.testing.assert_allclose(cosines, expected, atol=0.51e-4)  # as many as are expected
    assert len(json.dumps(state, allow_nan=False)) < 25_000


def test_a_comm_is_sent_what_a_page_is():
    widget = Positions(TABLE)
    assert widget.get_state("learned")["learned"] == widget.recorded()["traits"]["learned"]
    assert Positions().get_state("learned")["learned"] is None


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_still_picture_shows_the_numbers(scheme):
    widget = Positions(TABLE, first=3, second=9, scheme=scheme, head=1)
    paper = widget._draw()
    asked = scheme in ("rotary", "alibi")
    (start, end), colors = widget._ends()
    assert (start, end) == (("query", "key") if asked else ("first", "second"))
    assert colors == ((COLORS["query"], COLORS["key"]) if asked else (FIRST, SECOND))
    value = f"{widget.similarity:.2f}".replace("-", "−")
    assert texts(paper, bold=True) == [value, "3", "9"]
    assert {start, end, "↔ 6 apart"} <= set(texts(paper))
    told = " ".join(texts(paper))
    assert widget._told() in told
    assert WHY[scheme] in told
    assert (" alike" in texts(paper)) != asked
    assert set(ENDS.values()) <= set(texts(paper)) or asked
    curves = [line.points for line in shapes(paper, "line") if len(line.points) == 13]
    assert len(curves) == (8 + 1 if scheme == "alibi" else 0)  # what the folded part draws, is not
    first, second, mark = (disc.points.mean(axis=0) for disc in shapes(paper, "disc", "#ffffff"))
    assert mark[0] == second[0] > first[0]  # the number stands below the second
    if scheme == "alibi":
        curve = curves[-1]
        up = curve[:, 1] - curve[0, 1]
        ratio = up @ (widget.curve - widget.curve[0]) / (up @ up)
        np.testing.assert_allclose(ratio * up, widget.curve - widget.curve[0], atol=1e-9)
        assert ratio < 0  # y points down
        np.testing.assert_allclose(mark, curve[9])
    assert len(shapes(paper, "picture")) == (scheme != "alibi")
    for word in (widget._seen(), widget._told(), scheme):
        assert word in widget._alt()


@pytest.mark.parametrize("scheme", ["sinusoidal", "rotary"])
def test_the_more_alike_the_higher_the_mark(scheme):
    heights = []
    for second in range(13):
        widget = Positions(TABLE, first=3, second=second, scheme=scheme)
        *_, mark = shapes(widget._draw(), "disc", "#ffffff")
        heights.append((widget.similarity, mark.points.mean(axis=0)[1]))
    for (value, y), (other, lower) in itertools.pairwise(sorted(heights)):
        assert y > lower or value == other


def test_elsewhere_are_all_pairs_that_stand_so():
    for scheme in SCHEMES:
        for first, second in ((2, 6), (6, 2), (5, 5), (0, 12)):
            widget = Positions(TABLE, first=first, second=second, scheme=scheme)
            starts = [p for p in range(13) if 0 <= p + second - first < 13]
            expected = []
            for p in starts:
                widget.set(first=p, second=p + second - first)
                expected.append(widget.similarity)
            np.testing.assert_allclose(widget.elsewhere, expected, atol=1e-12)


TOLD = {
    "sinusoidal": "Places 3 and 10 are 7 apart: their columns are 0.74 alike, as for all 57 pairs "
    "that are 7 apart.",
    "learned": "Places 3 and 10 are 7 apart: their columns are 0.51 alike; the 57 pairs that are 7 "
    "apart have 0.30 to 0.59.",
    "rotary": "Query at 3, key at 10: query · key is 0.69, as for all 57 pairs with the key 7 "
    "ahead. With the key 7 behind, it is −2.84.",
    "alibi": "Query at 3, key at 10: head 0 adds −3.50 to the score, as for all 57 pairs with the "
    "key 7 ahead.",
}
SEEN = {
    "sinusoidal": "Each position is a column of 16 numbers, each a wave: the fastest "
    "repeats after 6.3 positions, the slowest after 19869.",
    "learned": "Each position is a column of 384 learned numbers (the first 16 are shown), from "
    "−0.09 to 0.10.",
    "rotary": "One key, turned by its position: its 16 numbers are waves; the fastest repeats "
    "after 6.3 positions, the slowest after 19869.",
    "alibi": "No rows: for each step between query and key, head 0 takes 0.5 off the score.",
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_seen_and_what_follows_are_told_in_numbers(scheme):
    widget = Positions(text.position_vectors(), first=3, second=10, scheme=scheme)
    assert widget._told() == TOLD[scheme]
    assert widget._seen() == SEEN[scheme]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_widget_that_asks_tells_of_no_other_pair(scheme):
    asks = Positions(TABLE, first=2, second=8, scheme=scheme, pairs=False)
    tells = Positions(TABLE, first=2, second=8, scheme=scheme)
    told = asks._told()
    assert re.search(r"[^.]\d( alike| to the score)?\.$", told)
    assert tells._told().startswith(told.removesuffix("."))
    assert "pairs" not in told + asks._alt() + " ".join(texts(asks._draw()))
    assert "a dot for each of the 7 pairs" in tells._alt()
    assert any(words.startswith("7 pairs") for words in texts(tells._draw(), size=11))
    alone = Positions(TABLE, first=0, second=12, scheme=scheme, pairs=False)
    assert alone._told().endswith("; no other two stand so.")


@pytest.mark.parametrize("scheme", ["sinusoidal", "learned", "rotary"])
def test_a_widget_that_tells_of_no_pairs_shows_how_its_number_comes_about(scheme):
    widget = Positions(TABLE, first=3, second=9, d_model=8, scheme=scheme, pairs=False)
    a, b = widget.rows
    paper = widget._draw()
    most = abs(widget._table()).max()
    *_, first, second, product, _, _ = shapes(paper, "picture")  # the last explain the colours
    for column, shares in ((first, a / most), (second, b / most), (product, a * b / most**2)):
        (left, top), (right, bottom) = column.points * FINER
        middles = top + (bottom - top) * (np.arange(len(shares)) + 0.5) / len(shares)
        drawn = [paper._image.getpixel((round((left + right) / 2), round(y))) for y in middles]
        asked = [ImageColor.getrgb(shade(share, two_sided=True)[0]) for share in shares]
        np.testing.assert_allclose(drawn, asked, atol=8)  # of 255: a picture has 64 steps
    told = texts(paper)
    minus = [line for line in shapes(paper, "line", "#ffffff") if np.ptp(line.points[:, 0]) == 8]
    assert len(minus) == (np.stack([a, b, a * b]) < 0).sum() + 1  # and where it is explained
    asked = scheme == "rotary"
    value = sum(a * b) / (1 if asked else math.sqrt(sum(a * a) * sum(b * b)))
    said = told.index(f"products added up{'' if asked else ', as a cosine'}:")
    assert told[said + 1] == f"{value:.2f}".replace("-", "−")
    gauge = [
        disc.points.mean(axis=0)[0]
        for disc in shapes(paper, "disc")
        if np.ptp(disc.points[:, 0]) == 14
    ]
    least = min(0, widget._reach()[0])
    places = [] if asked else [LEFT + 330 + 8 + 300 * (value - least) / (1 - least)]
    assert gauge == pytest.approx(places)
    assert "↔ 6 apart" in told


def test_of_a_wide_table_the_products_are_not_added_up():
    table = np.random.default_rng(2).standard_normal((13, 17))
    told = texts(Positions(table, scheme="learned", pairs=False)._draw())
    assert "all 17 added up, as a cosine:" in told


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_dot_stands_for_each_pair_where_its_second_stands(scheme):
    asks = Positions(TABLE, first=2, second=8, scheme=scheme, pairs=False)
    tells = Positions(TABLE, first=2, second=8, scheme=scheme)
    color, paper = tells._ends()[1][1], tells._draw()
    before = {tuple(disc.points.mean(axis=0)) for disc in shapes(asks._draw(), "disc", color)}
    discs = [tuple(disc.points.mean(axis=0)) for disc in shapes(paper, "disc", color)]
    *dots, _ = (disc for disc in discs if disc not in before)  # the last is the legend's
    rails = [disc.points.mean(axis=0)[0] for disc in shapes(paper, "disc", "#ffffff")[:2]]
    column = (rails[1] - rails[0]) / 6
    np.testing.assert_allclose([x for x, _ in dots], rails[0] + column * np.arange(4, 11))
    mark = shapes(paper, "disc", "#ffffff")[-1].points.mean(axis=0)
    np.testing.assert_allclose(dots[2], mark)
    assert (np.ptp([y for _, y in dots]) < 1e-9) == (scheme != "learned")


def test_pairs_that_stand_alone_or_together_are_told_too():
    assert Positions(first=0, second=63)._told().endswith("; no other two stand so.")
    widget = Positions(first=9, second=2, scheme="alibi", head=7)
    assert "adds −0.03 to the score, as for all 57 pairs with the key 7 behind." in widget._told()
    assert "takes 0.0039 off" in widget._seen()
    widget = Positions(first=4, second=4, scheme="rotary")
    assert widget._told().endswith(", as for all 64 pairs at one place.")
    assert Positions(d_model=2)._seen().endswith("the fastest repeats after 6.3 positions.")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_in_the_still_picture_overlaps(scheme):
    for widget in (
        Positions(text.position_vectors(), scheme=scheme, pairs=False),
        Positions(TABLE, d_model=64, scheme=scheme, pairs=False),
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
