"""DotProduct: what follows from two arrows, as loops compute it, and how it is told."""

import math
from itertools import product

import numpy as np
import pytest

from attnlib import cosine_similarity, projection
from attnlib.pictures.shades import FIRST, SECOND, SOFT
from attnlib.widgets import DotProduct
from attnlib.widgets.dot_product import BEHIND, SHADOW
from tests.lessons import sampled
from tests.widgets.still import is_readable, shapes, texts, written

INKS = (FIRST, SECOND)  # of the arrows
PAIRS = [([1, 3], [4, 2]), ([-0.5, 2], [3, -4]), ([5, 5], [-5, -5]), ([0, 2], [3, 0])]


# What follows from the inputs


def example():
    return DotProduct([0.5, -2.0], [4.0, 0.0], snap=False)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_what_follows_is_what_loops_say(a, b):
    shown = DotProduct(a, b)
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    along = dot / sum(y * y for y in b)
    cosine = dot / (math.hypot(*a) * math.hypot(*b))
    assert shown.dot == pytest.approx(dot)
    assert (shown.length_a, shown.length_b) == pytest.approx((math.hypot(*a), math.hypot(*b)))
    assert shown.cosine == pytest.approx(cosine)
    assert shown.angle == pytest.approx(math.degrees(math.acos(max(-1, min(1, cosine)))))
    assert shown.projection == pytest.approx([along * y for y in b])


def test_what_follows_is_what_attnlib_says():
    rng = np.random.default_rng(1)
    for a, b in rng.uniform(-5, 5, (20, 2, 2)):
        shown = DotProduct(a, b)
        assert shown.cosine == pytest.approx(cosine_similarity(a[None], b[None])[0, 0])
        assert shown.projection == pytest.approx(projection(a, b))
        assert shown.dot == pytest.approx(shown.cosine * shown.length_a * shown.length_b)


@pytest.mark.parametrize(
    ("a", "b", "angle"),
    [
        ([1, 0], [2, 0], 0),
        ([1, 0], [0, -2], 90),
        ([1, 1], [-2, -2], 180),
        ([0.1, 0.7], [0.3, 2.1], 0),
        ([1, 1], [3, 0], 45),
    ],
)
def test_angles_at_their_limits(a, b, angle):
    assert DotProduct(a, b).angle == pytest.approx(angle, abs=1e-5)


def test_snap_is_the_hands_and_code_sets_any_number():
    shown = DotProduct([0.1, 0.2], [0.3, 0.4], snap=True)
    assert shown.dot == pytest.approx(0.11)
    assert shown.a.tolist() == [0.1, 0.2]
    shown.snap = False
    assert shown.recorded()["traits"]["snap"] is False


# Arrows without a length


def test_a_zero_arrow_casts_no_shadow_and_has_no_angle():
    shown = DotProduct([0, 0], [3, 4])
    assert (shown.dot, shown.length_a, shown.length_b, shown.cosine) == (0, 0, 5, 0)
    assert shown.angle is None
    assert shown.projection.tolist() == [0, 0]
    assert "no angle between them; the shadow of a on the line of b ends at (0.00, 0.00)" in (
        shown._alt()
    )


def test_nothing_falls_on_a_zero_arrow():
    for a in ([3, 4], [0, 0]):
        shown = DotProduct(a, [0, 0])
        assert (shown.dot, shown.length_b, shown.cosine) == (0, 0, 0)
        assert shown.angle is None
        assert shown.projection is None
        assert "no angle between them; b is zero, so a casts no shadow on it." in shown._alt()
        lines, others = (shapes(w._draw(), "line") for w in (shown, DotProduct(a, [1, 0])))
        assert {line.color for line in others} - {line.color for line in lines} >= {SHADOW}
        assert shown.still()[:4] == b"\x89PNG"
    shown.b = [1, 0]  # and back
    assert shown.projection.tolist() == [0, 0]


# What is shown where nothing runs


def test_the_still_shows_the_arrows_the_shadow_and_the_numbers():
    paper = DotProduct([1, 3], [4, 2])._draw()
    assert texts(paper, color=FIRST) == ["a = (1.00, 3.00)"]
    assert texts(paper, color=SECOND) == ["b = (4.00, 2.00)"]
    assert texts(paper, bold=True) == ["a · b = 10.00: the angle is less than 90°"]
    (shadow,) = (line.points for line in shapes(paper, "line", SHADOW))
    between, fall = (line.points for line in shapes(paper, "line", SOFT))
    assert units(between) == pytest.approx(np.array([[-2.5, 5], [2.5, -5]]))
    assert units(shadow) == pytest.approx(np.array([[0, 0], [2, 1]]))
    assert units(fall) == pytest.approx(np.array([[1, 3], [2, 1]]))
    tips = [units(head.points[0]).tolist() for head in shapes(paper, "area") if head.color in INKS]
    assert tips == [[1, 3], [4, 2]]


SIDES = ["a · b = 0", "a ends here: a · b > 0", "a ends here: a · b < 0"]


@pytest.mark.parametrize("b", [(1, 3), (-2, 0), (0, 5), (0.5, -0.5), (-4, -3)])
def test_the_plane_is_divided_where_the_product_is_0(b):
    paper = DotProduct([4, 2], b)._draw()
    sides = [units(area.points) for area in shapes(paper, "area") if area.color not in INKS]
    for corners, sign in zip(sides, (1, -1), strict=True):
        products = sign * corners @ b
        assert products.min() == pytest.approx(0)  # it reaches to the line, and not beyond
        assert np.abs(corners).max() == pytest.approx(5)
        center = corners.mean(axis=0)
        assert np.sign(DotProduct(np.clip(center, -5, 5), b).dot) == sign
    assert sum(map(area_of, sides)) == pytest.approx(100)  # all of the plane
    named = {word.words: units((word.x, word.y)) @ b for word in written(paper, size=12)}
    assert [words for words in named if words in SIDES] == SIDES
    assert named[SIDES[0]] == pytest.approx(0, abs=1e-9)  # it stands on its line
    assert named[SIDES[1]] > 0 > named[SIDES[2]]


def area_of(corners):
    x, y = corners.T
    return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2


def test_an_arrow_without_a_length_divides_nothing():
    shown = DotProduct([4, 2], [0, 0])
    assert not {area.color for area in shapes(shown._draw(), "area")} - {*INKS}
    assert not {*SIDES} & {*texts(shown._draw())}
    assert "Marked" not in shown._alt()


@pytest.mark.parametrize(
    ("a", "b", "color", "meaning"),
    [
        ([1, 3], [4, 2], SHADOW, "10.00: the angle is less than 90°"),
        ([1, 3], [-4, -2], BEHIND, "−10.00: the angle is more than 90°"),
        ([0, 3], [4, 0], SHADOW, "0.00: the arrows stand at right angles"),
        ([0, 0], [4, 0], SHADOW, "0.00: a zero vector has no direction"),
    ],
)
def test_the_still_says_what_the_sign_means_as_the_live_view_does(a, b, color, meaning):
    paper = DotProduct(a, b)._draw()
    assert texts(paper, bold=True) == [f"a · b = {meaning}"]
    assert len(shapes(paper, "line", color)) == 1
    named = texts(paper, color=SOFT, at="mm")
    assert ("shadow of a" in named) == (meaning[0] != "0")


@pytest.mark.parametrize(
    ("apart", "length"), sampled(product([0, 5, 20, 90, 175, 180], [0.5, 2, 4.5]), 4)
)
def test_the_names_keep_apart_at_every_angle(apart, length):
    for angle in range(0, 360, 15):
        turned = np.radians([angle, angle + apart])
        a, b = np.stack([np.cos(turned), np.sin(turned)], axis=1)
        is_readable(DotProduct(length * a, 4 * b)._draw())


def units(points):
    """Turn places on the paper into numbers of the plane: 42 pixels are 1, up is positive."""
    return (np.asarray(points) - (252, 250)) / (42, -42)


PLACES = [(5, 5), (-5, 5), (5, -5), (-5, -5), (0, 0), (0.5, 0), (0, -5), (-5, 0), (3, 3)]


@pytest.mark.parametrize(("a", "b"), sampled(product(PLACES, PLACES), 16))
def test_the_names_of_the_arrows_are_read_wherever_they_point(a, b):
    is_readable(DotProduct(a, b)._draw())


def test_the_alt_text_holds_the_numbers():
    assert DotProduct([1, 3], [4, 2])._alt() == (
        "Two arrows from the origin, a to (1.00, 3.00) and b to (4.00, 2.00), with an angle of "
        "45.0 degrees between them; the shadow of a on the line of b ends at (2.00, 1.00). The "
        "dot product is 10.00, the cosine 0.71. Marked is where the head of a makes the dot "
        "product positive, the side to which b points, where negative, and the line between, where "
        "it is 0."
    )
