"""MyName: what follows from its inputs, and the still. OPEN: test what your widget promises."""

import pytest

from attnlib.pictures.colours import COLORS
from attnlib.widgets import MyName
from tests.widgets.still import is_readable, shapes, texts


def example():
    return MyName(x=-1.5)


def test_the_square_follows_the_number():
    widget = example()
    assert widget.square == 2.25
    widget.set_state({"x": 3.0})
    assert widget.square == 9


def test_nonsense_is_refused_in_three_parts():
    with pytest.raises(
        ValueError, match=r"^x must lie between -3 and 3: x is 4\.0, and 4 does not"
    ):
        MyName(x=4)


@pytest.mark.parametrize("x", [-3, 0, 3])
def test_the_still_shows_the_number_and_its_square(x):
    paper = MyName(x=x)._draw()
    is_readable(paper)
    assert texts(paper, bold=True) == [f"{x}.00 squared is {x**2}.00".replace("-", "−")]
    assert len(shapes(paper, "disc", COLORS["output"])) == 1
