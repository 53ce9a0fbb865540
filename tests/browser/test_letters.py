"""The page that goes on with a text, in Chromium."""

from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib import text
from experiments import record_letters
from tests.browser.hand import keys

pytestmark = [
    pytest.mark.needs("chromium"),
    pytest.mark.full,
    pytest.mark.timeout(400),  # whoever comes first waits until the whole site is built
]

N = 20  # letters of which each is held to the lesson's


def test_a_text_is_begun_and_the_model_goes_on_until_it_is_stopped(chromium, site):
    with chromium.visit() as visit:
        page, record = visit.page, text.letters_training()
        page.goto((site / "letters.html").as_uri())
        place = page.locator(".own-text")
        field, status, first = place.get_by_role("textbox"), place.get_by_role("status"), row(place)
        expect(first).to_have_text(["s", "", "0.57", "0.41"])
        expect(page.get_by_role("main")).to_contain_text(
            f"the model loses {record['held out'][-1]:.2f} nats a letter, and counts of five "
            f"letters lose {record['counts'][4]:.2f}"
        )
        field.fill("é")  # nothing that is known, so a line begins
        expect(first).to_have_text(["T", "", "0.16", "0.17"])
        expect(status).to_contain_text("No letters of its text, so left out: é")
        field.press_sequentially("The weight")
        expect(first).to_have_text(["s", "", "0.57", "0.41"])
        expect(status).to_contain_text("gives “s” 0.57, counts give it 0.41: nowhere is it further")
        field.fill("(the weight")
        expect(status).to_contain_text("gives “s” 0.73, counts give it 0.41: done.")
        for scheme, width in (("light", 1366), ("dark", 390)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            expect(page.locator("html")).to_have_attribute("data-theme", scheme)
            visit.fits(width)
            assert visit.violations(".own-text", preload=False) == []
        drawn = np.random.default_rng(3).random(N)
        page.evaluate("(drawn) => (Math.random = () => drawn.shift() ?? 0.5)", drawn.tolist())
        place.get_by_label("Temperature").focus()
        keys(page, *["ArrowLeft"] * 2, "Tab", "Home", *["ArrowRight"] * 4)
        field.focus()
        keys(page, "Tab", "Enter")
        page.wait_for_function(
            "(n) => document.querySelector('.own-text textarea').value.length > n",
            arg=len("(the weight") + N,
        )
        keys(page, "Enter")
        expect(place.get_by_role("button", name="Write on")).to_be_focused()
        expect(status).to_contain_text("the model most expects")  # some time after the last letter
        written = field.input_value()
        page.wait_for_timeout(200)
        assert field.input_value() == written
        given = SimpleNamespace(random=lambda n: drawn)
        go_on = record_letters.lesson()["go_on"]
        due = go_on(text.letters(), "(the weight", N, given, temperature=0.8, k=5)
        assert written.startswith(due)
        assert visit.errors == visit.outside == []


def row(place):
    """Return the cells of the likeliest letter."""
    return place.locator("tbody tr").first.locator("th, td")
