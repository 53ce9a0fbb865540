"""Widgets in pages: odd words, narrow and wide, light and dark, in print and where nothing runs."""

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib import attention_weights, plotting, widgets
from course.html.page import page
from tests.browser.visit import widget_page
from tests.lessons import quickly
from tests.toys import toy_lesson
from tests.widgets.training import made_up

pytestmark = pytest.mark.needs("chromium")

ODD = ["<img src=x onerror=alert(1)>", "مرحبا", "漢字", "Donaudampfschifffahrt" * 3]
QUERY, KEY, VALUE = np.random.default_rng(0).normal(size=(3, 4, 2))
WEIGHTS = attention_weights(QUERY, KEY)
EACH = {
    "DotProduct": lambda: widgets.DotProduct([0, 0], [4, 2]),
    "Scaling": lambda: widgets.Scaling(d=512),
    "Softmax": lambda: widgets.Softmax([9, 1, 0, -9], ODD, shift=710, naive=True),
    "SelfAttention": lambda: widgets.SelfAttention(QUERY, KEY, VALUE, words=ODD, step="mix"),
    "Mask": lambda: widgets.Mask(QUERY, KEY, VALUE, words=ODD, when="after"),
    "Heads": lambda: widgets.Heads(np.stack([WEIGHTS, WEIGHTS[::-1]]), ODD),
    "Alignment": lambda: widgets.Alignment(WEIGHTS, ODD, ODD),
    "Positions": lambda: widgets.Positions(d_model=64, scheme="rotary"),
    "Backward": lambda: widgets.Backward(range(4), VALUE, ODD, ODD[2:], number=3, nudge=-3),
    "Block": lambda: widgets.Block(["black", "finds", "Ben"] * 16, "trained", off=range(3, 15)),
    "Learning": lambda: widgets.Learning(made_up([" ".join(["I", *ODD, "saw"])]), step=20),
    "Reach": lambda: widgets.Reach([*ODD, "saw"] * 4, kind="convolution", width=5, depth=3),
    "Tiles": lambda: widgets.Tiles([-20] * 12, [[-10, -9.9]] * 12, read=3, rescale=False),
    "Writer": lambda: widgets.Writer(["the", *["black", "cat", "finds", "Ben"] * 11]),
    "one word": lambda: widgets.SelfAttention(QUERY[:1], KEY[:1], VALUE[:1], words=["one"]),
    "forty words": lambda: widgets.Alignment(np.eye(40), ["w"] * 40, ["w"] * 40),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return a function that writes a page of one widget."""
    folder = tmp_path_factory.mktemp("pages")

    def write(name, **options):
        path = folder / f"{name.replace(' ', '_')}.html"
        return widget_page(path, EACH[name](), **options)

    return write


@pytest.mark.parametrize("name", quickly([*EACH], takes=[]))
def test_a_widget_is_readable_narrow_and_wide_light_and_dark(chromium, pages, name):
    # Colours follow the scheme and sizes the width: each is seen with both of the other's.
    with chromium.visit(color_scheme="light", reduced_motion="reduce") as visit:
        dialogs = []
        visit.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        visit.page.goto(pages(name))
        widget = visit.widget()
        if "ODD" in EACH[name].__code__.co_names:
            expect(widget.get_by_text(ODD[0]).first).to_be_attached()  # shown, not interpreted
        assert dialogs == []
        for width, scheme in ((360, "light"), (1920, "dark")):
            visit.page.set_viewport_size({"width": width, "height": 900})
            visit.page.emulate_media(color_scheme=scheme)
            expect(widget.locator(".widget")).to_have_attribute("data-theme", scheme)
            visit.fits(width)
            assert visit.page.evaluate("document.getAnimations().length") == 0
        assert visit.violations() == []  # in the dark; in the light its lesson's page is judged
        assert visit.errors == visit.outside == []


def test_print_shows_the_still_and_the_screen_does_not(chromium, pages):
    with chromium.visit() as visit:
        visit.page.goto(pages("Mask"))
        still = visit.page.get_by_role("img", name="A mask, queries down and keys across")
        expect(visit.widget()).to_be_visible()
        expect(still).not_to_be_visible()
        visit.page.emulate_media(media="print")
        expect(still).to_be_visible()
        expect(visit.widgets.first).not_to_be_visible()


@pytest.mark.full
def test_on_paper_lines_of_code_wrap_and_a_grid_stays_whole(chromium, tmp_path):
    data, metadata = plotting.grid(WEIGHTS)._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    cells = [
        nbformat.v4.new_markdown_cell("# A page"),
        nbformat.v4.new_code_cell("grid(weights)  # " + 90 * "w", outputs=[output]),
    ]
    path = tmp_path / "paper.html"
    path.write_text(page(toy_lesson(tmp_path, *cells)), encoding="utf-8")
    with chromium.visit(viewport={"width": 500, "height": 900}) as visit:
        visit.page.goto(path.as_uri())
        code = visit.page.locator("pre").first
        assert code.evaluate("e => e.scrollWidth > e.clientWidth")  # it scrolls on a screen
        visit.page.emulate_media(media="print")
        assert code.evaluate("e => e.scrollWidth <= e.clientWidth")
        table = visit.page.locator(".attnlib-grid table")
        assert table.evaluate("e => getComputedStyle(e).breakInside") == "avoid"


def test_without_scripts_the_still_stays(chromium, pages):
    with chromium.visit(java_script_enabled=False) as visit:
        visit.page.goto(pages("Softmax"))
        expect(visit.page.get_by_role("img", name="Scores as bars")).to_be_visible()
        expect(visit.widgets).to_have_count(0)


def test_a_state_that_nobody_knows_leaves_the_still(chromium, pages):
    with chromium.visit() as visit:
        visit.page.goto(pages("Softmax", change=lambda state: state.update({"class": "Unknown"})))
        expect(visit.page.get_by_role("img", name="Scores as bars")).to_be_visible()
        assert [error.partition(":")[0] for error in visit.errors] == [
            "a widget could not be brought to life"
        ]


def test_a_broken_number_is_told_in_the_widgets_place(chromium, pages):
    with chromium.visit() as visit:
        visit.page.goto(pages("Softmax", change=lambda state: state["traits"].update(scores=None)))
        expect(visit.widget()).to_contain_text("This widget could not be drawn")


@pytest.mark.full
def test_a_page_that_turns_dark_takes_its_widgets_along(chromium, pages):
    with chromium.visit(color_scheme="light") as visit:
        visit.page.goto(pages("Scaling"))
        place = visit.widget().locator(".widget")
        expect(place).to_have_attribute("data-theme", "light")
        visit.page.evaluate("document.documentElement.dataset.theme = 'dark'")
        expect(place).to_have_attribute("data-theme", "dark")


MANY = """(style) => {
  for (const one of document.querySelectorAll(".many")) one.remove();
  const texts = Array.from({ length: 30 }, () => document.createElement("p"));
  for (const one of texts) Object.assign(one, { className: "many", textContent: "as all others" });
  texts[20].style.cssText = style;
  document.querySelector("h1").after(...texts);
}"""


@pytest.mark.full
def test_a_single_text_that_is_too_pale_is_found_among_many(chromium, pages):
    with chromium.visit() as visit:
        visit.page.goto(pages("Softmax"))
        for style in ("color: #999", "background: #555", "opacity: 0.5"):
            visit.page.evaluate(MANY, style)
            (told,) = visit.violations(rules=["color-contrast"])
            assert told.startswith("color-contrast")
            assert "as all others" in told
