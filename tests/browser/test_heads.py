"""Heads with the weights of a whole model: how large it is, what is drawn, what keys reach."""

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

import attnlib
from attnlib.widgets import Heads
from course.html.page import page
from tests.toys import toy_lesson

pytestmark = pytest.mark.needs("chromium")

COUNT = """
(canvas, wanted) => {  // pixels about as blue, red or green as a head's colour
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width / 2, canvas.height);
  let found = 0;
  for (let k = 0; k < data.length; k += 4) {
    const near = wanted.every((part, c) => Math.abs(part - data[k + c]) < 24);
    found += near && data[k + 3] > 200;
  }
  return found;
}
"""
BEYOND = """
(host) => {  // parts that end outside the widget, and do not scroll
  const edge = host.getBoundingClientRect().right + 1;
  const all = [...host.shadowRoot.querySelectorAll(".widget *")];
  return all.filter((part) => part.getBoundingClientRect().right > edge && !part.closest(".eye"))
    .map((part) => part.outerHTML.slice(0, 80));
}
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Return a function that writes a page of one widget."""

    def write(widget):
        folder = tmp_path_factory.mktemp("heads")
        data, metadata = widget._repr_mimebundle_()
        output = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
        output.data.pop("application/vnd.jupyter.widget-view+json")
        code = nbformat.v4.new_code_cell("widget", outputs=[output], execution_count=1)
        cells = [nbformat.v4.new_markdown_cell("# A page"), code]
        path = folder / "page.html"
        path.write_text(page(toy_lesson(folder, *cells)), encoding="utf-8")
        return path.as_uri()

    return write


def random_heads(n_layers, n_heads, n, **inputs):
    scores = 2 * np.random.default_rng(0).standard_normal((n_layers, n_heads, n, n))
    return Heads(attnlib.softmax(scores), [f"word{i}" for i in range(n)], **inputs)


SIZES = [(6, 12, 13), (12, 12, 40), (24, 16, 16), (1, 1, 2), (1, 32, 9)]


@pytest.mark.parametrize(
    "sizes", SIZES[:1] + [pytest.param(x, marks=pytest.mark.full) for x in SIZES[1:]]
)
def test_a_model_is_seen_on_one_screen_and_whole_on_a_phone(chromium, address, sizes):
    uri = address(random_heads(*sizes))
    with chromium.visit(viewport={"width": 1280, "height": 900}) as visit:
        visit.page.goto(uri)
        assert visit.widget().bounding_box()["width"] == 864
        assert visit.widget().bounding_box()["height"] <= 900
        assert visit.widget().evaluate(BEYOND) == []
        assert visit.violations(".attnlib-live") == []
        visit.page.set_viewport_size({"width": 390, "height": 900})
        expect(visit.widget().locator(".names")).to_be_visible()
        visit.page.wait_for_function("() => document.documentElement.scrollWidth === 390")
        visit.page.wait_for_function(
            f"() => !({BEYOND})(document.querySelector('.attnlib-live')).length"
        )
        assert visit.violations(".attnlib-live") == []
        assert visit.errors == []


def test_keys_go_through_layers_and_heads(chromium, address):
    with chromium.visit() as visit:
        visit.page.goto(address(random_heads(3, 4, 5, layer=1, head=2)))
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
            title = name[0].upper() + name[1:]
            expect(widget.locator(".full .title")).to_have_text(title)


def test_a_head_that_is_hidden_has_no_line_and_one_that_is_shown_has(chromium, address):
    weights = np.tile(np.eye(4)[[1, 2, 3, 0]], (3, 1, 1))
    with chromium.visit() as visit:
        visit.page.goto(address(Heads(weights, ["a", "b", "c", "d"])))
        widget = visit.widget()
        lines = widget.locator(".sheet canvas")
        orange = [200, 85, 11]
        assert lines.evaluate(COUNT, orange) > 300
        widget.get_by_role("button", name="head 1: looks most at b 1.00").click()
        visit.page.mouse.move(0, 0)
        assert lines.evaluate(COUNT, orange) == 0
        widget.get_by_role("button", name="all heads").click()
        assert lines.evaluate(COUNT, orange) > 300


def test_hundreds_of_words_scroll_in_their_own_place(chromium, address):
    with chromium.visit() as visit:
        visit.page.goto(address(random_heads(1, 2, 300, word=290)))
        widget = visit.widget()
        last = widget.get_by_role("radio").nth(290)
        expect(last).to_be_checked()
        sheet, word = widget.locator(".sheet").bounding_box(), last.bounding_box()
        assert sheet["y"] <= word["y"] <= sheet["y"] + sheet["height"]  # scrolled to
        assert widget.bounding_box()["height"] <= 900
        last.focus()
        visit.page.keyboard.press("ArrowUp")
        expect(widget.get_by_role("radio").nth(289)).to_be_checked()
        assert visit.errors == []
