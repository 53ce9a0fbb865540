"""Writer in a page: the longest story within a screen, and a model of one's own."""

import pytest
from playwright.sync_api import expect

from attnlib.widgets import Writer
from tests.browser.test_learning import HIDDEN
from tests.browser.visit import one_widget
from tests.widgets.test_writer import FULL, TOLD, own

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]


def test_the_longest_story_is_seen_on_one_screen_and_whole_on_a_phone(chromium, tmp_path):
    with chromium.visit(viewport={"width": 1280, "height": 900}) as visit:
        one_widget(visit, tmp_path, Writer([*FULL[:-2], "Ben", "."]))
        assert visit.widget().bounding_box()["height"] <= 900
        for width in (776, 390):
            visit.page.set_viewport_size({"width": width, "height": 900})
            visit.page.wait_for_function(
                f"() => !({HIDDEN})(document.querySelector('.attnlib-live')).length"
            )
            visit.fits(width)
        assert visit.errors == visit.outside == []


def test_a_model_of_ones_own_writes_without_a_training(chromium, tmp_path):
    with chromium.visit() as visit:
        one_widget(visit, tmp_path, Writer(TOLD, {"mine": own()}))
        widget = visit.widget()
        expect(widget.locator(".story")).to_contain_text("the model expects ")
        widget.locator("summary").click()
        expect(widget.locator(".course")).to_have_count(0)
        widget.get_by_role("button", name="Write a word").click()
        expect(widget.locator(".tale > span:not(.next)")).to_have_count(len(TOLD) + 1)
        assert visit.errors == []
