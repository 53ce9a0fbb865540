"""Alignment of many words: all of it within a screen, its controls in sight, and quick."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib.widgets import Alignment
from attnlib.widgets._base import quoted
from tests.browser.visit import one_widget
from tests.lessons import quickly

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]
SCREEN = 900
LEAVING = """
(host) => {  // ribbons that are not seen from end to end
  const picture = host.shadowRoot.querySelector(".arcs svg").getBoundingClientRect();
  const inside = (box) =>
    box.left >= picture.left - 1 && box.right <= picture.right + 1 &&
    box.top >= picture.top - 1 && box.bottom <= picture.bottom + 1;
  return [...host.shadowRoot.querySelectorAll(".ribbon.strong")]
    .map((one) => one.getBoundingClientRect())
    .filter((box) => !inside(box));
}
"""


def many(n):
    weights = np.random.default_rng(n).dirichlet(np.full(n, 0.3), n)
    return Alignment(weights, [f"t{i}" for i in range(n)], [f"s{i}" for i in range(n)])


@pytest.mark.parametrize(
    ("n", "width"),
    quickly([(40, 390), (12, 900), (12, 390), (40, 900), (7, 700)], takes=[], full=[0, 1]),
)
def test_controls_words_and_table_are_within_one_screen(chromium, tmp_path, n, width):
    with chromium.visit(viewport={"width": width, "height": SCREEN}) as visit:
        one_widget(visit, tmp_path, many(n))
        widget = visit.widget()
        visit.fits(width)
        assert widget.bounding_box()["height"] <= SCREEN
        assert widget.evaluate(LEAVING) == []
        _last_word(widget).check()
        expect(widget.locator(".story")).to_be_in_viewport(ratio=1)
        _thin(widget)
        visit.page.mouse.move(0, 0)
        _reads(widget, many(n), n - 1)
        table = widget.get_by_role("region")
        if width > 390:  # all columns are in sight
            assert table.evaluate("(t) => t.scrollWidth <= t.clientWidth")
        assert visit.errors == []


def test_forty_words_by_mouse_keys_and_touch(chromium, tmp_path):
    shown = many(40)
    with chromium.visit(has_touch=True) as visit:
        one_widget(visit, tmp_path, shown)
        widget = visit.widget()
        widget.get_by_role("row").nth(21).get_by_role("cell").nth(3).hover()
        _reads(widget, shown, 20)
        widget.get_by_role("row").nth(31).get_by_role("cell").nth(3).click()
        _reads(widget, shown, 30)
        widget.get_by_role("radio").nth(30).focus()
        visit.page.mouse.move(0, 0)
        visit.page.keyboard.press("ArrowDown")
        _reads(widget, shown, 31)
        _thin(widget).focus()
        visit.page.mouse.move(0, 0)
        for key, threshold in (("Home", 0), ("ArrowRight", 0.01), ("End", 1)):
            visit.page.keyboard.press(key)
            shown.threshold = threshold
            _reads(widget, shown, 31)
            _draws(widget, shown)
        widget.get_by_role("button", name="hide ").first.click()
        shown.set(threshold=1, mask=np.arange(40) != shown._folded()[0])
        _draws(widget, shown)
        row = widget.get_by_role("row").nth(8).get_by_role("rowheader").bounding_box()
        visit.page.touchscreen.tap(row["x"] + 3, row["y"] + row["height"] / 2)
        _reads(widget, shown, 7)


def _thin(widget):
    """Open what holds the threshold."""
    if not widget.get_by_role("slider").is_visible():
        widget.locator("summary").click()
    return widget.get_by_role("slider")


def _reads(widget, shown, target):
    shown.target = target
    said = quoted(shown._told()).replace("“", "").replace("”", "")
    expect(widget.locator(".story")).to_have_text(said)
    expect(widget.get_by_role("row").nth(target + 1)).to_have_class("marked")


def _draws(widget, shown):
    expect(widget.locator(".count")).to_have_text(f"{len(shown.links)} of 1600 links drawn")
    links = shown.reads[shown.target, shown._folded()] >= shown.threshold
    expect(widget.locator("path.ribbon")).to_have_count(int(links.sum()))
    expect(widget.locator("td.hidden")).to_have_count(1600 - len(shown.links))
    names = [shown.sources[j] for j in shown._folded()]
    expect(widget.locator(".answering bdi")).to_have_text(names)


def _last_word(widget):
    return widget.get_by_role("radio").last
