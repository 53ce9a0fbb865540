"""Alignment of many words: within a screen, what is asked and its row in sight."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib.widgets import Alignment
from tests.browser.hand import draw_a_finger, spot
from tests.browser.visit import one_widget
from tests.lessons import quickly

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]
SCREEN = 900


def many(n):
    scores = 3 * np.random.default_rng(n).normal(size=(n, n))
    names = ([f"{side}{i}" for i in range(n)] for side in "ts")
    return Alignment(scores, *names, target=n - 2)


@pytest.mark.parametrize(
    ("n", "width"), quickly([(40, 390), (12, 390), (40, 900), (12, 900)], takes=[], full=[0])
)
def test_bars_and_the_row_that_they_make_are_within_one_screen(chromium, tmp_path, n, width):
    with chromium.visit(viewport={"width": width, "height": SCREEN}) as visit:
        one_widget(visit, tmp_path, many(n))
        widget = visit.widget()
        visit.fits(width)
        assert widget.bounding_box()["height"] <= SCREEN
        seen = widget.locator(".marked th")
        expect(seen).to_be_in_viewport(ratio=1)
        sizes = "(all) => all.map((one) => Math.min(one.offsetWidth, one.offsetHeight))"
        for kind in (".choice label", ".scores td"):  # a finger needs as much
            assert min(widget.locator(kind).evaluate_all(sizes)) >= 24
        # A finger that draws a bar moves the bar, and not the page.
        score = widget.get_by_role("slider").first
        start, end = spot(score, down=0.5), spot(score, down=0.01)
        draw_a_finger(visit.page, start, *((end[0], start[1] - k) for k in (10, 30, 50)), end)
        expect(score).to_have_value(score.get_attribute("max"))
        assert visit.errors == []
