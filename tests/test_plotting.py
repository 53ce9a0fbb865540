"""Pictures are read by their labels, limits and data, not by their pixels."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text

from attnlib import plotting

WORDS = ["I", "saw", "a"]


@pytest.fixture(autouse=True)
def style():
    with plt.style.context("attnlib.style"):
        yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def luminance(color):
    return np.dot(to_rgb(color), (0.299, 0.587, 0.114))


def test_the_roles_have_colors_that_nothing_else_wears():
    assert list(plotting.COLORS) == ["query", "key", "scores", "value", "output"]
    cycle = {to_hex(color).upper() for color in plt.rcParams["axes.prop_cycle"].by_key()["color"]}
    assert len(cycle) == 4
    assert not cycle & set(plotting.COLORS.values())


# What a reader without the first or the second kind of cone sees, in linear RGB: Machado, Oliveira
# and Fernandes (2009), "A physiologically-based model for simulation of color vision deficiency".
SEEN = {
    "all cones": np.eye(3),
    "no L cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no M cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def linear(color):
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return linear RGB as CIE L*a*b*, white D65."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    part = xyz @ rgb / xyz.sum(axis=1)
    x, y, z = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("cones", SEEN)
def test_colour_blind_readers_tell_the_roles_apart(cones):
    seen = [lab(np.clip(SEEN[cones] @ linear(c), 0, 1)) for c in plotting.COLORS.values()]
    distances = [np.linalg.norm(a - b) for a, b in combinations(seen, 2)]
    assert min(distances) > 17  # about 2 can be noticed side by side


def test_bars_of_scores_stand_out_from_white_and_from_dark_paper():
    bar = np.array(to_rgb(plotting.COLORS["scores"]))
    for color, paper in ((bar, "#ffffff"), ((bar + 1) / 2, "#16181d")):  # as widgets mix it
        low, high = sorted(linear(c) @ (0.2126, 0.7152, 0.0722) for c in (color, paper))
        assert (high + 0.05) / (low + 0.05) >= 3  # WCAG 2.2, 1.4.11


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        (plotting.vectors, ([[1, 2], [3, 4]], ["p"])),
        (plotting.histograms, ([[1, 2], [3, 4]], ["p"])),
        (plotting.curves, ([1, 2], [[1, 2], [3, 4]], ["p"])),
    ],
)
def test_nothing_is_left_out_for_want_of_a_name(draw, arguments):
    with pytest.raises(ValueError, match="zip"):
        draw(*arguments)


def ends_of(figure):
    """Return what the figure's last Axes, a bar of colours, says at each of its ends."""
    bar = figure.axes[-1]
    labels = [label.get_text() for label in bar.get_yticklabels()]
    return dict(zip(bar.get_yticks(), labels, strict=True))


def test_heads_share_their_colours_and_name_their_words_at_the_first():
    weights = np.zeros((5, 3, 2))
    weights[4, 0, 1] = 0.7
    drawn = plotting.head_grid(weights, WORDS, ["x", "y"], across=3)
    for ax, table in zip(drawn, weights, strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), table)
        assert ax.images[0].get_clim() == (0, 1)
    assert [ax.get_title(loc="center") for ax in drawn] == [f"head {h}" for h in range(5)]
    assert [t.get_text() for t in drawn[0].get_yticklabels()] == WORDS
    sides = [ax.yaxis.get_tick_params()["labelleft"] for ax in drawn]
    assert sides == [True, False, False, False, False]
    above = [ax.xaxis.get_major_ticks()[0].label2.get_visible() for ax in drawn]
    assert above == [True, False, False, False, False]
    assert ends_of(drawn[0].figure) == {0: "0", 1: "1"}
    assert len(drawn[0].figure.axes) == 6  # the sixth map's place is empty; a bar


def test_differences_of_heads_are_centred_at_zero_in_all_maps():
    difference = np.array([np.full((2, 2), -0.2), np.full((2, 2), 0.4)])
    drawn = plotting.head_grid(difference, ["p", "q"], names=["3", "7"], ends=("less", "more"))
    assert [ax.images[0].get_clim() for ax in drawn] == [(-0.4, 0.4)] * 2
    assert ends_of(drawn[0].figure) == {-0.4: "less", 0.4: "more"}


def test_of_large_names_every_second_has_room():
    names = [f"word {k}" for k in range(13)]
    with plt.rc_context({"font.size": 15}):
        first = plotting.head_grid(np.zeros((2, 13, 13)), names)[0]
    assert [t.get_text() for t in first.get_yticklabels()] == names[::2]
    assert [t.get_text() for t in first.get_xticklabels()] == names[::2]
    assert first.get_yticklabels()[0].get_fontsize() == 12.75


def test_head_grid_wants_three_axes():
    with pytest.raises(
        ValueError, match=r"\(n_heads, n_queries, n_keys\): .* \(2, 2\), and 2 != 3"
    ):
        plotting.head_grid(np.zeros((2, 2)), ["p", "q"])


@pytest.mark.parametrize("ends", ["ab", ("less",), ("less", "even", "more")])
def test_the_ends_of_the_colours_are_a_pair(ends):
    with pytest.raises(ValueError, match=r"ends must say .* and that is no pair\."):
        plotting.head_grid(np.zeros((4, 2, 2)), ["p", "q"], ends=ends)


def test_head_grid_wants_a_name_for_each_word_and_head():
    with pytest.raises(ValueError, match=r"the array is \(2, 2\), there are 3 and 3 names"):
        plotting.head_grid(np.zeros((4, 2, 2)), WORDS)
    with pytest.raises(ValueError, match="zip"):
        plotting.head_grid(np.zeros((4, 2, 2)), ["p", "q"], names=["head 0"])


def test_roles_are_drawn_in_their_colors_each_after_what_it_is_made_of():
    ax = plotting.roles()
    edges = {t.get_text(): t.get_bbox_patch() for t in ax.texts if t.get_bbox_patch()}
    colors = {role: to_hex(edge.get_edgecolor()).upper() for role, edge in edges.items()}
    assert colors.pop("weights") == to_hex(plt.get_cmap()(0.85)).upper()
    assert colors == plotting.COLORS
    place = {t.get_text(): t.get_position() for t in ax.texts if t.get_bbox_patch()}
    name = {where: role for role, where in place.items()}
    arrows = [t for t in ax.texts if getattr(t, "arrow_patch", None)]
    made = {(name[t.xyann], name[t.xy]) for t in arrows}
    assert made == {
        ("query", "scores"),
        ("key", "scores"),
        ("scores", "weights"),
        ("weights", "output"),
        ("value", "output"),
    }


def test_a_wrong_number_of_names_is_told_in_three_parts():
    message = (
        r"a grid needs one name for each row and column: "
        r"the array is \(2, 2\), there are 3 and 3 names, and \(2, 2\) != \(3, 3\)\."
    )
    with pytest.raises(ValueError, match=message):
        plotting.head_grid(np.eye(2)[None], WORDS)


def test_bars_print_their_numbers_first_on_top():
    ax = plotting.bars([0.82, -0.2], ["cats", "stone"], color=["k", "r"])
    assert [patch.get_width() for patch in ax.patches] == [0.82, -0.2]
    assert texts(ax) == ["0.82", "-0.20"]
    top, bottom = ax.transData.transform([(0, 0), (0, 1)])[:, 1]
    assert top > bottom
    assert [t.get_text() for t in ax.get_yticklabels()] == ["cats", "stone"]


def test_vectors_hold_all_arrows_and_the_origin_at_equal_scale():
    ax = plotting.vectors([[3, 1], [1, 2]], ["a", "b"], tails=[[0, 0], [-1, -2]])
    assert ax.get_aspect() == 1
    for low, high, points in zip(
        *np.transpose([ax.get_xlim(), ax.get_ylim()]), ((0, 3, -1), (1, 2, -2)), strict=True
    ):
        assert low < min(points)
        assert high > max(points)
    heads = [text.xy for text in ax.texts if text.get_text() == ""]
    np.testing.assert_array_equal(heads, [[3, 1], [1, 2]])
    assert {"a", "b"} <= set(texts(ax))


def test_vectors_without_colors_never_run_out_of_them():
    assert len(plotting.vectors(np.ones((9, 2))).texts) == 18


def test_arcs_are_as_wide_as_their_weights():
    weights = np.array([[0.5, 0.25, 0.25], [0.99, 0.01, 0.0], [0.0, 0.0, 1.0]])
    ax = plotting.arcs(weights, WORDS)
    widths = [patch.get_linewidth() for patch in ax.patches]
    assert len(widths) == 5  # 0.01 and 0 are left out
    np.testing.assert_allclose(np.array(widths) / widths[0] * 0.5, [0.5, 0.25, 0.25, 0.99, 1.0])
    ends = [tuple(patch.get_path().vertices[[0, -1], 0]) for patch in ax.patches]
    assert ends == [(0, 0), (0, 1), (0, 2), (1, 0), (2, 2)]


def test_arcs_of_one_query_print_its_weights():
    ax = plotting.arcs([[0.9, 0.1], [0.2, 0.8]], ["p", "q"], ["x", "y"], only=1)
    assert len(ax.patches) == 2
    assert [t for t in texts(ax) if "." in t] == ["0.20", "0.80"]


def test_histograms_share_their_bins_and_have_area_one():
    rng = np.random.default_rng(0)
    ax = plotting.histograms([rng.normal(size=700), 3 * rng.normal(size=(11, 7))], ["p", "q"])
    first, second = (patch.get_data() for patch in ax.patches)
    np.testing.assert_array_equal(first.edges, second.edges)
    for stairs in (first, second):
        assert np.isclose((stairs.values * np.diff(stairs.edges)).sum(), 1)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["p", "q"]


def test_curves_differ_by_dashes_too():
    x = np.arange(5)
    ax = plotting.curves(x, [x, x**2], ["p", "q"])
    styles = [line.get_linestyle() for line in ax.lines]
    assert styles[0] != styles[1]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), x**2)


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        (plotting.roles, ()),
        (plotting.bars, ([1, 2], ["p", "q"])),
        (plotting.vectors, ([[1, 2]],)),
        (plotting.arcs, (np.eye(2), ["p", "q"])),
        (plotting.histograms, ([[1, 2, 3]], ["p"])),
        (plotting.curves, ([1, 2], [[1, 2]], ["p"])),
    ],
)
def test_each_draws_into_the_axes_it_is_given_and_returns_them(draw, arguments):
    _, ax = plt.subplots()
    assert draw(*arguments, ax=ax) is ax
    assert len(plt.get_fignums()) == 1
    assert draw(*arguments) is not ax


LONG = ["the", "incomprehensibility", "of", "constitutional", "transformation"]


def test_words_of_arcs_that_would_meet_are_turned():
    weights = np.full((5, 5), 0.2)
    flat = plotting.arcs(weights, ["I", "saw", "a", "red", "saw"], only=1)
    assert {text.get_rotation() for text in flat.texts} == {0}
    turned = plotting.arcs(weights, LONG, only=1)
    assert {text.get_rotation() for text in turned.texts[:10]} == {90}
    assert [text.get_text() for text in turned.texts[:5]] == LONG
    assert turned.figure.get_figheight() > flat.figure.get_figheight()
    assert met(turned.texts) == []


def test_turned_words_of_arcs_are_cut_where_their_axes_are_given():
    _, (ax, _) = plt.subplots(1, 2, figsize=(7, 2.4), layout="constrained")
    plotting.arcs(np.full((5, 5), 0.2), LONG, ax=ax)
    assert [text.get_text() for text in ax.texts[:3:2]] == ["the", "of"]
    assert ax.texts[1].get_text().startswith("incom")
    assert ax.texts[1].get_text().endswith("…")
    assert met(ax.texts) == []


def test_names_of_vectors_keep_off_the_numbers_beside_them_and_off_each_other():
    heads = [[1, 1], [1, 0.98], [-1, 1], [0, -1]]
    ax = plotting.vectors(heads, ["notwithstanding", "of", "constitutional", "below"])
    numbers = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    assert met([*ax.texts, *numbers]) == []


def test_maps_of_heads_have_room_beside_long_names():
    weights = np.zeros((2, 5, 5))
    plain, long = (plotting.head_grid(weights, words)[0] for words in (list("abcde"), LONG))
    for ax in (plain, long):
        ax.figure.draw_without_rendering()
    wide, wider = (ax.get_window_extent().width for ax in (plain, long))
    assert wider > 0.9 * wide


def extent(text):
    return Text.get_window_extent(text)  # of the words alone, without an arrow


def met(texts):
    """Return the words that run into each other."""
    texts = [text for text in texts if text.get_text()]
    texts[0].figure.draw_without_rendering()
    return [
        (a.get_text(), b.get_text())
        for a, b in combinations(texts, 2)
        if extent(a).padded(-1).overlaps(extent(b).padded(-1))
    ]
