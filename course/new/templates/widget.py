"""A number and its square. OPEN: what the widget shows, in a line."""

import numpy as np

from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Axes, Paper, number
from attnlib.widgets._base import Widget
from attnlib.widgets._traits import DerivedNumber, Number

LIMIT = 3.0


class MyName(Widget):
    """A number on a slider, and its square. OPEN: what is shown, and what the hand moves.

    Parameters
    ----------
    x : float
        From -3 to 3. OPEN: the inputs.

    Attributes
    ----------
    square : float
        OPEN: what follows from them, computed by attnlib.

    Examples
    --------
    >>> MyName(x=2).square
    4.0
    """

    x = Number(1.0, least=-LIMIT, most=LIMIT)
    square = DerivedNumber()
    _movable = ("x",)  # OPEN: the inputs that a hand moves; choosing what to look at is no move

    def __init__(self, x=1.0, *, goal=None, moments=()):
        super().__init__(x=x, goal=goal, moments=moments)

    def _derive(self):
        return {"square": self.x**2}

    def _draw(self):
        """Draw what the live view shows. OPEN: the still picture."""
        paper = Paper(470, 300)
        frame = Axes(paper, 42, 40, 400, 200, (-LIMIT, LIMIT), (0, LIMIT**2))
        frame.ticks(range(-3, 4), range(0, 10, 3), labels=("x", "its square"))
        along = np.linspace(-LIMIT, LIMIT, 61)
        paper.line(frame.at(along, along**2))
        paper.disc(*frame.at(self.x, self.square), 7, fill=COLORS["output"])
        paper.write(10, 16, self._headline(), bold=True)
        return paper

    def _headline(self):
        """Say what is seen, as the live view does."""
        return f"{number(self.x)} squared is {number(self.square)}"

    def _alt(self):
        """Say what the still shows. OPEN: in words and numbers, for whoever cannot see it."""
        return (
            f"The curve of squares from -{LIMIT:g} to {LIMIT:g}, and a dot on it: the square of "
            f"{self.x:.2f} is {self.square:.2f}."
        )
