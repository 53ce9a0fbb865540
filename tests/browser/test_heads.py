"""Heads with the weights of a whole model: how large it is, what is drawn, what keys reach."""

import numpy as np
import pytest
from playwright.sync_api import expect

import attnlib
from attnlib.widgets import Heads
from tests.browser.visit import one_widget
from tests.lessons import quickly

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]

BEYOND = """
(host) => {  // parts that end outside the widget, and do not scroll
  const edge = host.getBoundingClientRect().right + 1;
  const all = [...host.shadowRoot.querySelectorAll(".widget *")];
  return all.filter((part) => part.getBoundingClientRect().right > edge && !part.closest(".eye"))
    .map((part) => part.outerHTML.slice(0, 80));
}
"""

HEIGHTS = "(all) => [...new Set(all.map((one) => one.offsetHeight))]"


def random_heads(n_layers, n_heads, n, **inputs):
    rng = np.random.default_rng(0)
    scores = 2 * rng.standard_normal((n_layers, n_heads, n, n))
    words, values = [f"word{i}" for i in range(n)], rng.standard_normal((n_layers, n_heads, n, 4))
    return Heads(attnlib.softmax(scores), words, values, **inputs)


SIZES = [(12, 12, 40), (1, 32, 9), (1, 12, 40), (24, 16, 16), (1, 1, 2), (6, 12, 13)]


@pytest.mark.parametrize("sizes", quickly([(size,) for size in SIZES], takes=[], full=[0, 1]))
def test_a_model_is_seen_on_one_screen_and_whole_on_a_phone(chromium, tmp_path, sizes):
    with chromium.visit(viewport={"width": 1280, "height": 900}) as visit:
        one_widget(visit, tmp_path, random_heads(*sizes, off=[0]))
        assert visit.widget().bounding_box()["width"] == 864
        assert len(visit.widget().locator(".part button").evaluate_all(HEIGHTS)) == 1
        assert visit.widget().bounding_box()["height"] <= 900
        assert visit.widget().evaluate(BEYOND) == []
        visit.page.set_viewport_size({"width": 390, "height": 900})
        expect(visit.widget().locator(".look")).to_be_visible()
        visit.page.wait_for_function("() => document.documentElement.scrollWidth === 390")
        visit.page.wait_for_function(
            f"() => !({BEYOND})(document.querySelector('.attnlib-live')).length"
        )
        assert visit.errors == []


def test_keys_go_through_layers_and_heads(chromium, tmp_path):
    with chromium.visit() as visit:
        one_widget(visit, tmp_path, random_heads(3, 4, 5, layer=1, head=2))
        widget = visit.widget()
        chosen = widget.locator("[aria-selected=true]")
        chosen.focus()
        for key, name in (
            ("ArrowDown", "layer 2, head 2"),
            ("ArrowDown", "layer 2, head 2"),
            ("ArrowRight", "layer 2, head 3"),
            ("ArrowRight", "layer 2, head 3"),
            ("Home", "layer 2, head 0"),
            ("ArrowLeft", "layer 1, head 3"),
            ("ArrowUp", "layer 0, head 3"),
        ):
            visit.page.keyboard.press(key)
            expect(chosen).to_have_attribute("aria-label", name)
            expect(chosen).to_be_focused()
            expect(widget.locator(".story")).to_contain_text(f"In {name}, word")


def test_one_head_has_a_line_for_each_weight_and_all_have_one_each(chromium, tmp_path):
    weights = np.tile(np.eye(4)[[1, 2, 3, 0]], (3, 1, 1))
    weights[1, 0] = [0.25, 0.25, 0.49, 0.01]  # the least draws no line
    with chromium.visit() as visit:
        one_widget(visit, tmp_path, Heads(weights, ["a", "b", "c", "d"], head=1, word=0))
        widget = visit.widget()
        lines = widget.locator(".look path")
        expect(lines).to_have_count(3)
        widths = lines.evaluate_all("(all) => all.map((one) => one.getAttribute('stroke-width'))")
        assert np.allclose(np.array(widths, float) / float(widths[0]), [1, 1, 1.96], atol=1e-3)
        widget.get_by_role("button", name="all at once").click()
        expect(lines).to_have_count(3)
        widget.locator("summary").click()
        widget.get_by_role("button", name="head 1", exact=True).click()
        expect(lines).to_have_count(2)
        expect(widget.locator(".story")).to_have_text(
            "Without head 1, 1 of 3 parts of the merged output is all zeros. "
            "No other head gives c more than 0.00."
        )


def test_of_many_words_those_that_are_named_are_in_view(chromium, tmp_path):
    with chromium.visit() as visit:
        one_widget(visit, tmp_path, random_heads(1, 2, 300, word=290, off=[1]))
        widget = visit.widget()
        last = widget.get_by_role("group", name="word that asks").get_by_role("radio").nth(290)
        expect(last).to_be_checked()
        sentence, word = widget.locator(".sentence").bounding_box(), last.bounding_box()
        assert sentence["y"] <= word["y"] <= sentence["y"] + sentence["height"]  # scrolled to
        assert widget.bounding_box()["height"] <= 900
        keys = widget.locator(".keys label bdi")
        expect(keys).to_have_count(5)
        named = widget.locator(".story b, .loss b").all_inner_texts()
        assert set(named) <= {*keys.all_inner_texts(), "word290"}
        assert len(set(named)) == 3  # who asks, who gets most, and who is missed
        last.focus()
        visit.page.keyboard.press("ArrowUp")
        expect(widget.locator(".asks")).to_have_text("word289")
        assert visit.errors == []
