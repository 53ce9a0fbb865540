"""The stills' paper: the live widgets' colours and numbers, places, and what its words cover."""

import io
import math

import numpy as np
import pytest
from PIL import Image

from attnlib.pictures.paper import STILL, Axes, Paper, Table, _dashes, bars, number, room, spaced
from attnlib.pictures.shades import FIRST, INK, SIDES, shade
from attnlib.pictures.shared import shared
from tests.widgets.still import bar_lengths, clashes, cut_off, is_readable, shapes, texts, written

# What interpolateLab of d3-interpolate 3.0.1 gives from stop to stop, at 0, 0.05, …, 1.
RAMP_OF_D3 = """
ffffff f5f9fc ecf3fa e2edf7 d9e7f5 cfe1f2 bcd7ec a9cce7 95c2e1 80b8dc 6aaed6
5ea1cf 5195c8 4388c2 337cbb 2070b4 1c63a5 175596 134987 0e3c79 08306b
"""
SIDES_OF_D3 = """
8a4b00 9e5f15 b27427 c78939 db9e4a f0b45c f6c37d fad29d fde0bd fff0de ffffff
e6f2fa cce5f5 b2d8f0 97cceb 79bfe6 64a6ce 508eb7 3c76a1 26608b 0b4a75
"""
# A number, its decimals, its words: here and in the browser.
NUMBERS = [
    (0, 2, "0.00"), (-0.0, 2, "0.00"), (-0.001, 2, "0.00"), (-0.004999, 2, "0.00"),
    (0.006, 2, "0.01"), (1.005, 2, "1.00"), (-2.5, 0, "−3"), (-2.5, 1, "−2.5"),
    (99999.99, 2, "99999.99"), (100000, 2, "1.0e+5"), (-123456, 2, "−1.2e+5"),
    (1e300, 2, "1.0e+300"), (-1.5e-9, 3, "0.000"), (12.3456, 3, "12.346"),
    (math.inf, 2, "inf"), (-math.inf, 2, "−inf"), (math.nan, 2, "nan"), (0.125, 2, "0.13"),
    (0.5, 0, "1"), (1.5, 0, "2"), (2.5, 0, "3"), (0.375, 2, "0.38"),
]  # fmt: skip


def picture(paper):
    return np.asarray(Image.open(io.BytesIO(paper.png())).convert("RGB"))


# As the live widgets have it


def test_colours_are_mixed_as_by_an_eye():
    assert [shade(i / 20)[0] for i in range(21)] == [f"#{x}" for x in RAMP_OF_D3.split()]
    sides = [shade(i / 10 - 1, two_sided=True)[0] for i in range(21)]
    assert sides == [f"#{x}" for x in SIDES_OF_D3.split()]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_lines_are_told_from_their_paper(theme):
    (colors,) = shared("colors", theme)
    wanted = {"ink": 12, "soft": 6, "line": 3, "warn": 7, "focus": 12, "first": 3, "second": 3}
    found = {name: contrast(colors[name], colors["paper"]) for name in wanted}
    assert {name for name in wanted if found[name] < wanted[name]} == set()


def contrast(*colors):
    """Return WCAG's contrast of two colours."""
    dark, light = sorted(map(luminance, colors))
    return (light + 0.05) / (dark + 0.05)


def luminance(color):
    parts = [x / 255 for x in channels(color)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return np.dot([0.2126, 0.7152, 0.0722], linear)


def channels(color):
    return [int(color.lstrip("#")[i : i + 2], 16) for i in (0, 2, 4)]


@pytest.mark.parametrize("share", [-3, -0.5, 0, 1, 7, math.nan, math.inf])
def test_a_share_outside_is_the_nearest_and_one_that_is_no_number_is_white(share):
    within = min(max(share, 0), 1) if math.isfinite(share) else 0
    assert shade(share) == shade(within)
    assert shade(math.nan, two_sided=True)[0] == "#ffffff"


def test_ink_is_the_one_that_is_read_better():
    for place in np.linspace(-1, 1, 101):
        for paper, ink in (shade(place), shade(place, two_sided=True)):
            assert contrast(paper, ink) >= 4.5


@pytest.mark.parametrize(("x", "decimals", "words"), NUMBERS)
def test_numbers_are_written_as_the_browser_does(x, decimals, words):
    assert number(x, decimals) == words
    assert number(np.float64(x), decimals) == words


# Places


def test_axes_turn_numbers_into_places():
    axes = Axes(Paper(300, 300), 50, 20, 200, 100, (-1, 3), (0, 10))
    assert axes.at(-1, 0).tolist() == [50, 120]
    assert axes.at(3, 10).tolist() == [250, 20]
    assert axes.at([0, 1], 5).tolist() == [[100, 70], [150, 70]]


def test_ticks_stand_below_and_beside_the_frame():
    paper = Paper(300, 300)
    axes = Axes(paper, 70, 20, 200, 100, (-1, 1), (-500, 500))
    axes.ticks([-1, 0, 1], [-500, 0, 500], labels=("score", "how many"))
    assert texts(paper, at="mt") == ["−1", "0", "1", "score"]
    assert texts(paper, at="rm") == ["−500", "0", "500"]
    assert [word.words for word in written(paper, turned=True)] == ["how many"]
    is_readable(paper)


@pytest.mark.parametrize(
    ("low", "high", "most", "wanted"),
    [
        (0, 10, 5, [0, 2, 4, 6, 8, 10]),
        (-30, 30, 6, [-30, -20, -10, 0, 10, 20, 30]),
        (0.2, 1.04, 4, [0.5, 1]),
        (0, 511, 10, [0, 100, 200, 300, 400, 500]),
        (-0.03, -0.01, 4, [-0.03, -0.025, -0.02, -0.015, -0.01]),
        (3, 3, 6, [3]),
    ],
)
def test_spaced_numbers_are_round_and_lie_within(low, high, most, wanted):
    found = spaced(low, high, most)
    assert all(low <= x <= high for x in found)
    assert len(found) <= most + 1
    if (low, high) != (-0.03, -0.01):
        assert found == wanted
    else:
        assert set(np.round(np.diff(found), 9)) == {0.005}


@pytest.mark.parametrize("dash", [(5, 3), (2, 3), (200, 1)])
def test_dashes_lie_on_the_line_and_cover_their_share(dash):
    strokes = _dashes(np.array([(0.0, 0.0), (80.0, 60.0)]), dash)
    lengths = [float(np.hypot(*(end - start))) for start, end in strokes]
    assert all(length <= dash[0] + 1e-9 for length in lengths)
    starts = [float(np.hypot(*start)) for start, _ in strokes]
    assert starts == pytest.approx(np.arange(0, 100, sum(dash)).tolist())
    assert max(float(np.hypot(*end)) for _, end in strokes) <= 100 + 1e-9
    assert all(abs(x * 0.75 - y) < 1e-9 for stroke in strokes for x, y in stroke)


def test_a_point_has_no_dashes_and_an_arrow_without_length_is_none():
    assert _dashes(np.zeros((2, 2)), (5, 3)) == []
    paper = Paper(50, 50)
    paper.arrow((3, 3), (3, 3))
    assert paper.shapes == []


# Ink


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("at", [x + y for x in "lmr" for y in "tmsb"])
def test_words_are_where_their_box_says(at, turned):
    paper = Paper(400, 300)
    paper.write(200, 150, "gently, Quark", at=at, turned=turned)
    (word,) = written(paper)
    rows, columns = np.nonzero(picture(paper)[:300].min(axis=-1) < 250)
    left, top, right, bottom = word.box
    assert left <= columns.min() <= columns.max() < right
    assert top <= rows.min() <= rows.max() < bottom
    tight, loose = ((top, bottom), (left, right)) if turned else ((left, right), (top, bottom))
    ink = ((rows, columns) if turned else (columns, rows))[0]
    assert ink.min() - tight[0] <= 1 and tight[1] - ink.max() <= 2  # noqa: PT018
    assert tight[1] - tight[0] == pytest.approx(room("gently, Quark"), abs=3)
    assert loose[1] - loose[0] <= 18
    near = {"l": tight[0], "m": sum(tight) / 2, "r": tight[1]}
    if turned:
        near = {"l": tight[1], "m": sum(tight) / 2, "r": tight[0]}
    assert near[at[0]] == pytest.approx(150 if turned else 200, abs=2)


def test_words_stand_on_one_line_whatever_their_letters():
    paper = Paper(300, 60)
    for i, word in enumerate(("I", "saw", "gypsy", "it")):
        paper.write(20 + 60 * i, 30, word, at="mt")
    assert len({(word.box[1], word.box[3]) for word in written(paper)}) == 1


def test_bold_words_are_wider_and_several_are_as_wide_as_the_widest():
    assert room("animal", bold=True) > room("animal") > room("animal", size=10)
    assert room(["it", "animal"]) == room("animal")
    assert room([]) == 0


def test_nothing_is_written_where_there_are_no_words():
    paper = Paper(100, 100)
    paper.write(5, 5, "  ")
    assert [word.words for word in paper.words] == [STILL]


def test_the_foot_fits_on_the_narrowest_paper():
    paper = Paper(1, 1)
    assert cut_off(paper) == clashes(paper) == []


@pytest.mark.parametrize(("n", "most"), [(60, 3), (199, 8)])  # more than 256 must share
def test_white_stays_white_and_fills_keep_their_colour(n, most):
    paper = Paper(1000, 300)
    places = np.linspace(-1, 1, n)
    colors = [shade(place, two_sided=side)[0] for side in (False, True) for place in places]
    for i, color in enumerate(colors):
        paper.box(4 * (i % 200), 20 * (i // 200), 4, 20, fill=color)
    paper.write(100, 200, "many letters with soft rims", FIRST, size=30)
    image = picture(paper)
    assert (image[150, 5] == 255).all()
    found = [image[20 * (i // 200) + 9, 4 * (i % 200) + 2] for i in range(len(colors))]
    off = np.abs(np.array(found, int) - list(map(channels, colors)))
    assert off.max() <= most
    assert len(np.unique(image.reshape(-1, 3), axis=0)) <= 256


@pytest.mark.parametrize("line", [[(10, 10), (10, 40)], [(10, 40), (10, 10)], [(10, 10), (40, 10)],
                                  [(40, 10), (10, 10)]])  # fmt: skip
def test_an_upright_or_level_line_is_one_sharp_pixel_wide(line):
    paper = Paper(60, 60)
    paper.line(line, "#000000")
    assert picture(paper)[25, 10 if line[0][0] == line[1][0] else 25].tolist() in (
        [0, 0, 0], [255, 255, 255])  # fmt: skip
    black = (picture(paper)[:60] < 128).all(axis=-1)
    assert min(black.any(axis=0).sum(), black.any(axis=1).sum()) == 1


def test_a_hatched_cell_has_lines_that_run_on_in_the_next():
    alone, parted = Paper(200, 100), Paper(200, 100)
    alone.hatch(20, 10, 120, 60, INK)
    for i in range(6):
        parted.hatch(20 + 20 * i, 10, 20, 60, INK)
    difference = picture(alone).astype(int) - picture(parted)
    assert (difference != 0).any(axis=-1).mean() < 0.01
    assert 0.1 < (picture(alone)[10:70, 20:140] < 250).any(axis=-1).mean() < 0.6


# Bars and tables


def test_bars_share_a_unit_and_their_numbers_are_clear_of_names():
    paper = Paper(400, 200)
    bars(paper, 8, 4, 380, [2, -1, 0.5, math.nan], ["a", "long name", "b", "c"], color=FIRST)
    lengths = bar_lengths(paper, FIRST)
    assert np.divide(lengths, lengths[0]) == pytest.approx([1, 0.5, 0.25])
    assert texts(paper, size=12) == ["2.00", "−1.00", "0.50", "nan"]
    is_readable(paper)


def test_a_table_prints_numbers_only_where_all_fit():
    values = [[0.25, 1], [0.5, 123.456]]
    for cell, printed in ((46, True), (60, True), (24, False), (10, False)):
        paper = Paper(300, 200)
        Table(values, ["a", "b"], ["c", "d"], cell=cell).draw(paper, 8, 6)
        numbers = [word for word in texts(paper) if "." in word]
        assert numbers == (["0.25", "1.00", "0.50", "123.46"] if printed else [])


def test_a_table_turns_names_that_are_wider_than_their_column():
    short, long = (Table([[1, 0]], ["q"], ["it", name], cell=40) for name in ("was", "because"))
    assert (short.turned, long.turned) == (False, True)
    width, height = long.size
    assert height > short.size[1]
    paper = Paper(width + 20, height + 10)
    long.draw(paper, 8, 6)
    assert [word.words for word in written(paper, turned=True)] == ["it", "because"]
    is_readable(paper)


def test_a_table_has_a_bold_row_hatched_cells_and_colours_by_sign():
    table = Table([[1, -1], [0, 0.5]], ["a", "b"], ["c", "d"], marked=1,
                  hidden=np.array([[False, False], [True, False]]))  # fmt: skip
    paper = Paper(300, 200)
    table.draw(paper, 8, 6)
    assert texts(paper, bold=True) == ["b"]
    (hatched,) = shapes(paper, "hatch")
    assert hatched.points[0].tolist() == pytest.approx(np.add(table.place(1, 0), (8, 6)).tolist())
    colors = [box.color for box in shapes(paper, "box") if box.color]
    assert colors == [SIDES[-1], SIDES[0], SIDES[3]]
