"""Two positions that slide along all places: what is seen on the way, and what a hand stops."""

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import expect

from attnlib.widgets import Positions
from tests.browser.visit import one_widget

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]
BEGAN = datetime(2000, 1, 1)
ASKS = {"n_positions": 40, "first": 3, "second": 10, "pairs": False}
TOLD = "Places {} and {} are 7 apart: their columns are 0.74 alike"
ALL = ", as for all 33 pairs that are 7 apart."


@pytest.fixture
def shown(chromium, tmp_path):
    """Return what shows a widget that asks, where time passes only by `clock.run_for`."""

    def show(visit):
        visit.page.clock.install(time=BEGAN)
        one_widget(visit, tmp_path, Positions(**ASKS))
        visit.widget()
        visit.page.clock.pause_at(BEGAN + timedelta(hours=1))
        expect(_story(visit)).to_have_text(f"{TOLD.format(3, 10)}.")
        return visit

    return show


def test_the_number_stays_while_both_slide_and_they_come_back(chromium, shown):
    with chromium.visit(reduced_motion="no-preference") as visit:
        shown(visit)
        _slide(visit)
        visit.page.clock.run_for(700)
        first = int(visit.widget().locator(".bubble").first.inner_text())
        assert 3 < first < 33
        expect(_story(visit)).to_have_text(f"{TOLD.format(first, first + 7)}.")
        columns = visit.widget().locator(".pair")
        expect(columns).to_contain_text(f"place {first}")
        expect(columns).to_contain_text("0.74 alike")
        visit.page.clock.run_for(5000)
        expect(_story(visit)).to_have_text(TOLD.format(3, 10) + ALL)
        _dots(visit, 33)
        assert visit.errors == []


def test_a_hand_that_moves_both_keeps_the_columns_and_stops_a_slide(chromium, shown):
    with chromium.visit(reduced_motion="no-preference") as visit:
        shown(visit)
        visit.widget().locator("summary").click()
        on = visit.widget().get_by_role("button", name="both one on")
        on.click()
        visit.page.clock.run_for(700)
        expect(_story(visit)).to_have_text(TOLD.format(4, 11) + ".")
        expect(visit.widget().locator(".pair")).to_contain_text("place 11")
        _slide(visit)
        visit.page.clock.run_for(700)
        expect(_story(visit)).not_to_contain_text("all")
        on.click()
        visit.page.clock.run_for(700)
        expect(_story(visit)).to_have_text(TOLD.format(5, 12) + ALL)
        _dots(visit, 33)


def test_where_motion_is_reduced_nothing_slides(chromium, shown):
    with chromium.visit(reduced_motion="reduce") as visit:
        shown(visit)
        _slide(visit)
        expect(_story(visit)).to_have_text(TOLD.format(3, 10) + ALL)
        _dots(visit, 33)
        visit.page.clock.run_for(700)
        expect(visit.widget().locator(".bubble")).to_have_text(["3", "10"])


def _story(visit):
    return visit.widget().locator(".story")


def _slide(visit):
    visit.widget().get_by_role("button", name="slide both along").click()


def _dots(visit, n):
    """Wait until so many pairs have a dot."""
    dots = visit.widget().locator("path.dots")
    expect(dots).to_have_attribute("d", re.compile(f"^(M[^M]+){{{n}}}$"))
