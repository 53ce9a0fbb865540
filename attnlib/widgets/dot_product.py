"""Two arrows to take by their heads."""

import numpy as np

from attnlib import cosine_similarity, projection
from attnlib._inputs import require_equal
from attnlib.pictures.paper import Axes, Paper, number, room
from attnlib.pictures.shades import FIRST, LINE, PAPER, SECOND, SOFT, WARN, shade, tint
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget
from attnlib.widgets._traits import Derived, DerivedNumber, Flag, Numbers

LIMIT, MEANING, TINT, SIDES, BETWEEN = shared(
    "dot_product", "LIMIT", "MEANING", "TINT", "SIDES", "BETWEEN"
)
SHADOW = tint(SOFT, 0.55)[0]
BEHIND = tint(WARN, 0.55)[0]  # the shadow, where the arrows point apart
POSITIVE, NEGATIVE = shade(TINT, two_sided=True)[0], shade(-TINT, two_sided=True)[0]


class DotProduct(Widget):
    """Two arrows in the plane, and what their dot product measures.

    Parameters
    ----------
    a, b : array_like, (2,)
        Where the arrows point to, each number from -5 to 5.
    snap : bool
        Whether a dragged head keeps to halves.

    Attributes
    ----------
    dot, length_a, length_b, cosine : float
        The cosine is 0 where an arrow has no length.
    angle : float or None
        In degrees; None where an arrow has no length.
    projection : ndarray (2,) or None
        The component of a along b; None where b is zero.

    Examples
    --------
    >>> DotProduct([1.0, 3.0], [4.0, 2.0]).dot
    10.0
    """

    a = Numbers("d", least=-LIMIT, most=LIMIT)
    b = Numbers("d", least=-LIMIT, most=LIMIT)
    snap = Flag(True)
    dot = DerivedNumber(least=-2 * LIMIT**2, most=2 * LIMIT**2)
    length_a, length_b = (DerivedNumber(least=0, most=2**0.5 * LIMIT) for _ in range(2))
    cosine, angle = DerivedNumber(least=-1, most=1), DerivedNumber(least=0, most=180)
    projection = Derived()
    _movable = ("a", "b")

    def __init__(self, a=(1.0, 3.0), b=(4.0, 2.0), *, snap=True, goal=None, moments=()):
        super().__init__(a=a, b=b, snap=snap, goal=goal, moments=moments)

    def _agree(self):
        for name in ("a", "b"):
            x = getattr(self, name)
            rule = "an arrow in the plane has two numbers"
            require_equal(rule, x.shape[0], 2, **{name: x})

    def _derive(self):
        a, b = self.a, self.b
        cosine = float(cosine_similarity(a[None], b[None])[0, 0])
        directed = a.any() and b.any()
        return {
            "dot": float(a @ b),
            "length_a": float(np.linalg.norm(a)),
            "length_b": float(np.linalg.norm(b)),
            "cosine": cosine,
            "angle": float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))) if directed else None,
            "projection": projection(a, b) if b.any() else None,
        }

    def _measured(self):
        return {"a": self.a, "b": self.b} | super()._measured()

    def _draw(self):
        paper = Paper(470, 500)
        plane = Axes(paper, 42, 40, 420, 420, (-LIMIT, LIMIT), (-LIMIT, LIMIT))
        whole = range(-int(LIMIT), int(LIMIT) + 1)
        for side, color in ((self.b, POSITIVE), (-self.b, NEGATIVE)):
            if self.b.any():
                paper.area(plane.at(*_half(side).T), color)
        plane.ticks(whole, whole, grid=True)
        paper.line(plane.at([-LIMIT, LIMIT], 0), LINE)
        paper.line(plane.at(0, [-LIMIT, LIMIT]), LINE)
        if self.b.any():
            between = plane.at(*_border(self.b, [90, -90]).T)
            paper.line(between, SOFT, width=1.5)
        origin, a, b = (plane.at(*point) for point in ((0, 0), self.a, self.b))
        if self.projection is not None:
            shadow = plane.at(*self.projection)
            color = BEHIND if self._sign() == "negative" else SHADOW
            paper.line([origin, shadow], color, width=8)
            paper.line([a, shadow], SOFT, dash=(5, 4))
        along, taken = np.linspace(0, 1, 50)[:, None], []
        arrows = np.vstack([origin + along * (head - origin) for head in (a, b)])
        names = [
            (f"a = {_point(self.a)}", a, FIRST),
            (f"b = {_point(self.b)}", b, SECOND),
        ]
        for _, head, color in names:
            paper.arrow(origin, head, color, width=2.5, head=12)
        if self.projection is not None and np.linalg.norm(self.projection) > 0.2:
            names.append(("shadow of a", (origin + shadow) / 2, SOFT))
            arrows = np.vstack([arrows, shadow + along * (a - shadow)])
        line = between[0] + along * (between[1] - between[0]) if self.b.any() else arrows[:0]
        for words, head, color in names:
            words = words.replace("-", "−")
            middle = _beside(plane, words, head, np.vstack([arrows, line]), taken)
            taken.append((middle, words))
            paper.write(*middle, words, color, at="mm")
        words, shares = BETWEEN
        sides = [(words, np.multiply.outer(shares, _border(self.b, [90])[0]), arrows)]
        for words, turns in SIDES:
            sides.append((words, _border(self.b, turns), np.vstack([arrows, line])))
        for words, places, drawn in sides if self.b.any() else ():
            middles = _within(plane, words, plane.at(*places.T))
            taken.append((_clearest(middles, words, drawn, taken), words))
            if words == BETWEEN[0]:  # it stands on its line
                (x, y), half = taken[-1][0], room(words, size=12) / 2 + 3
                paper.box(x - half, y - 8, 2 * half, 16, fill=PAPER)
            paper.write(*taken[-1][0], words, at="mm", size=12)
        meaning = MEANING["none" if self.angle is None else self._sign()]
        paper.write(10, 18, f"a · b = {number(self.dot)}: {meaning}", bold=True)
        return paper

    def _sign(self):
        return "zero" if abs(self.dot) < 1e-9 else "positive" if self.dot > 0 else "negative"

    def _alt(self):
        angle = "no angle" if self.angle is None else f"an angle of {self.angle:.1f} degrees"
        shadow = (
            "b is zero, so a casts no shadow on it"
            if self.projection is None
            else f"the shadow of a on the line of b ends at {_point(self.projection)}"
        )
        sides = (
            " Marked is where the head of a makes the dot product positive, the side to which b "
            "points, where negative, and the line between, where it is 0."
            if self.b.any()
            else ""
        )
        return (
            f"Two arrows from the origin, a to {_point(self.a)} and b to {_point(self.b)}, with "
            f"{angle} between them; {shadow}. The dot product is {self.dot:.2f}, the cosine "
            f"{self.cosine:.2f}.{sides}"
        )


def _point(v):
    return f"({v[0]:.2f}, {v[1]:.2f})"


def _half(side):
    """Return the corners of that part of the plane that lies to one side of the origin: (n, 2)."""
    square = LIMIT * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = []
    for here, there in zip(square, np.roll(square, -1, axis=0), strict=True):
        ahead, next_ahead = here @ side, there @ side
        corners += [here] if ahead >= 0 else []
        if ahead * next_ahead < 0:
            corners.append(here + (there - here) * ahead / (ahead - next_ahead))
    return np.array(corners)


def _border(b, turns):
    """Return where the plane ends in directions that are turned from b's, in degrees: (n, 2)."""
    angles = np.arctan2(b[1], b[0]) + np.radians(turns)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return LIMIT * ways / np.abs(ways).max(axis=-1, keepdims=True)


def _beside(plane, words, head, arrows, taken):
    """Return the middle of the words that name an arrow: near its head, away from what is drawn.

    Parameters
    ----------
    plane : Axes
    words : str
    head : ndarray (2,)
    arrows : ndarray (n, 2)
        Places along the arrows.
    taken : list of (ndarray (2,), str)
        The middles of other names, and what they are.
    """
    half = np.array([room(words) / 2, 9.0])
    near = [(0, -1), (1, 0), (0, 1), (-1, 0), (0.6, -1), (0.6, 1), (-0.6, 1), (-0.6, -1)]
    near += [(1, 1), (-1, 1)]
    far = [(-1, 2), (1, 2), (-1, -2), (1, -2), (1.7, 0), (-1.7, 0), (1, 3), (-1, 3), (1, -3)]
    ways = np.array([*near, *far])
    return _clearest(_within(plane, words, head + ways * (half + 8)), words, arrows, taken)


def _within(plane, words, middles):
    """Return the middles of words, moved into the plane where they would reach beyond it."""
    left, top, width, height = plane.frame
    half = np.array([room(words) / 2, 9.0])
    low, high = np.array([left, top]) + half + 3, np.array([left + width, top + height]) - half - 3
    return np.clip(middles, low, high)


def _clearest(middles, words, arrows, taken):
    """Return that middle at which the words are clear of arrows and of other names."""
    half = np.array([room(words) / 2, 9.0])
    free = [_least(middles, arrows, half)]
    for other, name in taken:
        free.append(_least(middles, other[None], half + np.array([room(name) / 2, 9.0])))
    return middles[np.min(np.minimum(free, 8), axis=0).argmax()]


def _least(middles, points, half):
    """Return how far boxes around the middles are from the nearest of the points."""
    apart = np.abs(middles[:, None] - points) - half  # (n_middles, n_points, 2)
    return apart.max(axis=-1).min(axis=1)
