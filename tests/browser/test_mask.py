"""Mask of many words: all of it within a screen, or of a narrow one the row under the hand."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib.widgets import Mask
from tests.browser.visit import one_widget

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]
SCREEN = 900


@pytest.mark.parametrize("width", [900, 390])
def test_forty_words_are_within_one_screen(chromium, tmp_path, width):
    rows = np.random.default_rng(5).normal(size=(3, 40, 3))
    shown = Mask(*rows, words=[f"w{i}" for i in range(40)])
    with chromium.visit(viewport={"width": width, "height": SCREEN}) as visit:
        one_widget(visit, tmp_path, shown)
        widget = visit.widget()
        visit.fits(width)
        assert widget.bounding_box()["height"] <= SCREEN
        cell = widget.get_by_role("button", name="w30 may look at w7,")
        cell.focus()
        visit.page.keyboard.press("Space")
        shown.mask = shown.mask & ~((np.arange(40) == 30)[:, None] & (np.arange(40) == 7))
        expect(cell).to_have_attribute("aria-pressed", "false")
        if width > 390:  # nothing scrolls
            parts = widget.locator(".scroll")
            for part in parts.all():
                fits = "(e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight"
                assert part.evaluate(fits)
        else:
            largest = np.argsort(-shown.weights[30], kind="stable")[:5]
            told = [f"w{j} {shown.weights[30, j]:.2f}" for j in largest]
            expect(widget.locator(".largest li")).to_have_text(told)
        assert visit.errors == []


def test_whose_output_notices_is_folded_until_a_moment_asks_or_a_hand(chromium, tmp_path):
    leaks = [("hidden before", {}), ("hidden after", {"when": "after"})]
    rows = np.random.default_rng(5).normal(size=(3, 4, 3))
    shown = Mask(*rows, words=list("abcd"), moments=leaks)
    with chromium.visit() as visit:
        one_widget(visit, tmp_path, shown)
        widget = visit.widget()
        output = widget.get_by_role("columnheader", name="output, if d changes")
        more = widget.get_by_role("radio", name="after the softmax")
        for ask in (widget.get_by_role("button", name="hidden after"), widget.locator("summary")):
            expect(output).to_have_count(0)
            expect(more).to_be_hidden()
            ask.click()
            expect(output).to_have_count(1)
            expect(more).to_be_visible()
            widget.get_by_role("button", name="Reset").click()
        assert visit.errors == []
