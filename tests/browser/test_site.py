"""The site in a browser: as files and below an address, light and dark, narrow and wide."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from attnlib.encoder import PACKAGE
from course.homework.sheet import find_sheets
from tests.browser.lessons import PLAYS, n_widgets
from tests.browser.many import all_have
from tests.browser.plays import dot_product
from tests.conftest import is_here
from tests.lessons import NAMES

# Whoever comes first waits until the whole site is built.
pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full, pytest.mark.timeout(400)]

PAGES = ["index", "glossary", "reference", "run", "search", "slides", "homework", "docs/grading"]
PAGES += ["docs/learn", "docs/lecture", "docs/homework", "syllabus", "sentence"]
PAGES += [f"notebooks/homework/student/{sheet.number}/{sheet.name}" for sheet in find_sheets()]
OF_EACH_KIND = {*PAGES[:7], "docs/learn", PAGES[13]}  # whose colours are judged, in any light
OF_EACH_KIND |= {f"notebooks/{next(iter(PLAYS))}"}
PAGES += [f"notebooks/{lesson}" for lesson in NAMES]


def widgets_on(name):
    if name in ("index", "sentence"):
        return {"index": 1, "sentence": 2 * is_here(PACKAGE)}[name]
    lesson = name.removeprefix("notebooks/")
    return n_widgets(lesson) if lesson in NAMES else 0


SCROLLED = """() => [...document.querySelectorAll("pre, .cell_output > .output")].every(
  (one) => one.scrollWidth <= one.clientWidth || one.tabIndex === 0  // the theme sees to it, soon
)"""
COLOURS = "color-contrast"  # the rule that takes by far the longest
DIFFERS = [COLOURS, "scrollable-region-focusable"]  # in the dark, and where narrow
# A lesson's own text has been judged by every rule on its page of `course html`.
FRAMED = ["page-has-heading-one", "landmark-one-main", "duplicate-id-aria", "heading-order"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_nobody_errs_nowhere_and_can_be_read_by_all(chromium, addresses, name):
    of_a_kind = name in OF_EACH_KIND
    with looked_at(chromium, addresses["files"], name, 1280, "light") as visit:
        if of_a_kind:
            assert judged(visit, name, None) == []
        else:  # colours are the style's, and that has been judged on another page of its kind
            is_lesson = name.removeprefix("notebooks/") in NAMES
            but = [] if is_lesson else [COLOURS]
            rules = FRAMED if is_lesson else None
            assert visit.violations(rules=rules, but=but, preload=False) == []
            look(visit, name, 360, "dark")
    if of_a_kind:
        with looked_at(chromium, addresses["host"], name, 360, "dark") as visit:
            assert judged(visit, name, DIFFERS) == []


@contextmanager
def looked_at(chromium, address, name, width, scheme):
    """Open a page of the site, and demand that nothing at all goes wrong while it is there."""
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}
    with chromium.visit(viewport={"width": width, "height": 900}, **options) as visit:
        failed = []
        visit.page.on("requestfailed", lambda request: failed.append(request.url))
        visit.page.on("response", lambda got: got.status < 400 or failed.append(got.url))
        visit.page.goto(f"{address}/{name}.html")
        look(visit, name, width, scheme)
        yield visit
        assert visit.errors == visit.outside == failed == []


def look(visit, name, width, scheme):
    """Look at a page with all its answers, in a window of this width and in this light."""
    visit.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    visit.page.set_viewport_size({"width": width, "height": 900})
    expect(visit.page.locator("html")).to_have_attribute("data-theme", scheme)
    expect(visit.widgets).to_have_count(widgets_on(name))
    themes = visit.page.locator(".attnlib-live .widget")
    all_have(themes, "data-theme", [scheme] * themes.count())
    visit.ask()
    visit.fits(width)
    visit.page.wait_for_function(SCROLLED)


def judged(visit, name, rules):
    """Judge a page by some rules or all; of the reference, which is long, a part by its colours."""
    if name != "reference":
        return visit.violations(rules=rules, preload=False)
    rest = rules and [rule for rule in rules if rule != COLOURS]
    found = visit.violations(rules=rest, but=[] if rest else [COLOURS], preload=False)
    return found + visit.violations("dl.py:nth-of-type(-n+2)", [COLOURS], preload=False)


def test_a_lessons_widget_obeys_mouse_and_keys(chromium, addresses):
    # The site's own keys are beside it; how a page hosts widgets, tests of other pages tell.
    with chromium.visit() as visit:
        visit.page.goto(f"{addresses['files']}/notebooks/01_dot_product_similarity.html")
        visit.ask()
        for way in (dot_product.by_mouse, dot_product.by_keys):  # keys go on where the mouse ends
            way(visit.page, visit.widget())
        assert visit.errors == visit.outside == []


def test_the_button_turns_page_and_widgets_dark(chromium, addresses):
    with chromium.visit(color_scheme="light") as visit:
        visit.page.goto(f"{addresses['files']}/index.html")
        place = visit.widget().locator(".widget")
        expect(place).to_have_attribute("data-theme", "light")
        visit.page.locator(".theme-switch-button:visible").click()
        visit.page.locator(".theme-change-button[data-mode=dark]:visible").click()
        expect(visit.page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(place).to_have_attribute("data-theme", "dark")


def test_print_shows_the_still_and_the_screen_does_not(chromium, addresses):
    with chromium.visit() as visit:
        visit.page.goto(f"{addresses['files']}/index.html")
        still = visit.page.locator(".attnlib-widget img")
        expect(visit.widget()).to_be_visible()
        expect(still).not_to_be_visible()
        visit.page.emulate_media(media="print")
        expect(still).to_be_visible()
        expect(visit.widgets.first).not_to_be_visible()


FIRST = {  # of what a student would type: where it is explained
    "kv cache": "06_multi_head.html#optional-share-keys-and-values",
    "why divide by sqrt d": "02_scaling.html#divide-by-the-square-root",
    "causal mask": "05_masking.html#do-not-look-ahead",
    "cross attention q k v": "07_cross_attention.html#your-turn-cross-attention",
    "RoPE": "08_positional_encoding.html#rotary-turn-do-not-add",
    "positional encoding": "08_positional_encoding.html#a-bag-of-words",
    "softmax temperature": "03_softmax.html#temperature",
    "gradient": "09_the_way_back.html#nudge-it-and-see",
    "padding": "05_masking.html#fill-up-and-hide-the-filling",
    "BERT": "04_self_attention.html#the-real-model-reads-bank-and-saw",
}


@pytest.mark.parametrize("where", ["files", "host"])
def test_a_search_leads_to_the_section_that_explains_it(chromium, addresses, where):
    with chromium.visit() as visit:
        page = visit.page
        page.goto(f"{addresses[where]}/docs/learn.html")
        page.keyboard.press("Control+k")
        page.keyboard.type("RoPE")
        found = page.locator("#search-results a")
        expect(found.first).to_have_text("Rotary: turn, do not add · RoPE")  # as one types
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?q=RoPE")
        expect(found.first).to_be_visible()
        for words, place in FIRST.items():
            page.evaluate("(words) => Search.performSearch(words)", words)
            assert found.first.get_attribute("href").endswith(f"notebooks/{place}"), words
        page.evaluate("() => Search.performSearch('zzzz')")
        expect(page.get_by_role("status")).to_have_text("Nothing found")
        page.evaluate("() => Search.performSearch('softmax temperature')")
        expect(page.locator("#search-results li").first.locator("mark").first).to_be_visible()
        found.first.click()
        expect(page.locator("#temperature h2")).to_be_in_viewport()
        assert visit.errors == visit.outside == []
