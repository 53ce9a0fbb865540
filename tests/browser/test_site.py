"""The site in a browser: as files and below an address, light and dark, narrow and wide."""

import pytest
from playwright.sync_api import expect

from attnlib.encoder import PACKAGE
from course.homework.sheet import find_sheets
from tests.browser.lessons import n_widgets
from tests.browser.many import all_have
from tests.browser.plays import dot_product
from tests.conftest import is_here
from tests.lessons import NAMES, quickly

# Whoever comes first waits until the whole site is built.
pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full, pytest.mark.timeout(400)]

PAGES = ["index", "glossary", "reference", "run", "search", "slides", "homework", "docs/grading"]
PAGES += ["docs/learn", "docs/lecture", "docs/homework", "syllabus", "sentence", "docs/defended"]
PAGES += [f"notebooks/homework/student/{sheet.number}/{sheet.name}" for sheet in find_sheets()]
CHINESE = ["zh/index", "zh/glossary", "zh/notebooks/04_self_attention", "zh/search", "zh/syllabus"]
CHINESE += ["zh/sentence", "zh/letters", "zh/run", "zh/slides", "zh/homework"]
OF_EACH_KIND = {*PAGES[:7], "docs/learn", PAGES[14]}  # whose colours are judged
LESSONS = [f"notebooks/{lesson}" for lesson in NAMES]


def widgets_on(name):
    name = name.removeprefix("zh/")
    if name in ("index", "sentence"):
        return {"index": 1, "sentence": 2 * is_here(PACKAGE)}[name]
    lesson = name.removeprefix("notebooks/")
    return n_widgets(lesson) if lesson in NAMES else 0


SCROLLED = """() => [...document.querySelectorAll("pre, .cell_output > .output")].every(
  (one) => one.scrollWidth <= one.clientWidth || one.tabIndex === 0  // the theme sees to it, soon
)"""
COLOURS = "color-contrast"  # the rule that takes by far the longest
# A lesson's own text is judged by every rule on its page of `course html`, each in a weekly run.
FRAMED = ["page-has-heading-one", "landmark-one-main", "duplicate-id-aria", "heading-order"]


@pytest.mark.parametrize("name", quickly(PAGES, takes=[], full=range(14)))  # of sheets the first
def test_a_page_asks_nobody_errs_nowhere_and_can_be_read_by_all(visit, addresses, name):
    show(visit, addresses["host"], name, 360, "dark")
    if name in OF_EACH_KIND:
        assert judged(visit, name) == []
    else:  # colours are the style's, and that has been judged on another page of its kind
        assert visit.violations(but=[COLOURS], preload=False) == []
    look(visit, name, 1280, "light")


@pytest.mark.parametrize("name", quickly(LESSONS, takes=[], full=[0, 5, 13]))
def test_a_lesson_asks_nobody_errs_nowhere_and_fits(visit, addresses, name):
    show(visit, addresses["files"], name, 360, "dark")
    if name == LESSONS[0]:  # the frame, and a lesson's colours in the dark
        assert visit.violations(rules=[COLOURS, *FRAMED], preload=False) == []
    look(visit, name, 1280, "light")


@pytest.mark.parametrize("name", quickly(CHINESE, takes=[], full=range(3)))
def test_a_page_in_chinese_asks_nobody_errs_nowhere_and_can_be_read_by_all(visit, addresses, name):
    show(visit, addresses["files"], name, 360, "dark")
    assert judged(visit, name) == []
    look(visit, name, 1280, "light")


@pytest.mark.weekly
@pytest.mark.parametrize("name", [*sorted(OF_EACH_KIND), *LESSONS])
def test_axe_objects_to_nothing_in_any_light(visit, addresses, name):
    for width, scheme in ((1280, "light"), (360, "dark")):
        show(visit, addresses["files"], name, width, scheme)
        rules = [COLOURS, *FRAMED] if name in LESSONS else None
        assert judged(visit, name, rules) == []


@pytest.fixture(scope="module")
def visit(chromium):
    """One for all pages; `failed` grows by what they ask for in vain."""
    with chromium.visit(reduced_motion="reduce") as visit:
        visit.failed = []
        visit.page.on(
            "requestfailed",  # but not where the next page was opened meanwhile
            lambda asked: "ABORTED" in (asked.failure or "") or visit.failed.append(asked.url),
        )
        visit.page.on("response", lambda got: got.status < 400 or visit.failed.append(got.url))
        yield visit


@pytest.fixture(autouse=True)
def nothing_goes_wrong(visit):
    """Demand that nothing at all goes wrong while a page is there."""
    for heard in (visit.errors, visit.outside, visit.failed):
        heard.clear()  # each page tells of its own
    yield
    assert visit.errors == visit.outside == visit.failed == []


def show(visit, address, name, width, scheme):
    """Open a page of the site, and look at it."""
    visit.page.emulate_media(color_scheme=scheme)
    visit.page.goto(f"{address}/{name}.html")
    look(visit, name, width, scheme)


def look(visit, name, width, scheme):
    """Look at a page with all its answers, in a window of this width and in this light."""
    visit.page.emulate_media(color_scheme=scheme)
    visit.page.set_viewport_size({"width": width, "height": 900})
    expect(visit.page.locator("html")).to_have_attribute("data-theme", scheme)
    expect(visit.widgets).to_have_count(widgets_on(name))
    themes = visit.page.locator(".attnlib-live .widget")
    all_have(themes, "data-theme", [scheme] * themes.count())
    visit.ask()
    visit.fits(width)
    visit.page.wait_for_function(SCROLLED)


def judged(visit, name, rules=None):
    """Judge a page by some rules or all; of the reference, which is long, a part by its colours."""
    if name != "reference":
        return visit.violations(rules=rules, preload=False)
    rest = rules and [rule for rule in rules if rule != COLOURS]
    found = visit.violations(rules=rest, but=[] if rest else [COLOURS], preload=False)
    return found + visit.violations("dl.py:nth-of-type(-n+2)", [COLOURS], preload=False)


def test_a_lessons_widget_obeys_keys(visit, addresses):
    # The site's own keys are beside it; how a page hosts widgets, tests of other pages tell.
    visit.page.goto(f"{addresses['files']}/notebooks/01_dot_product_similarity.html")
    visit.ask()
    dot_product.by_keys(visit.page, visit.widget())


def test_the_button_turns_page_and_widgets_dark_and_print_has_the_still(chromium, addresses):
    with chromium.visit(color_scheme="light") as visit:
        visit.page.goto(f"{addresses['files']}/index.html")
        place, still = visit.widget().locator(".widget"), visit.page.locator(".attnlib-widget img")
        expect(place).to_have_attribute("data-theme", "light")
        expect(still).not_to_be_visible()
        visit.page.locator(".theme-switch-button:visible").click()
        visit.page.locator(".theme-change-button[data-mode=dark]:visible").click()
        expect(visit.page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(place).to_have_attribute("data-theme", "dark")
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
    "padding": "05_masking.html#sentences-of-two-lengths",
    "BERT": "04_self_attention.html#the-real-model-reads-bank",
    "RNN": "11_recurrence_and_convolution.html#a-state-is-a-weighted-sum-too",
    "CNN": "11_recurrence_and_convolution.html#a-convolution-is-made-of-heads",
    "multi-head": "06_multi_head.html#many-small-matrices-are-one-large-one",
    "query key value": "04_self_attention.html#ask-be-matched-hand-over",
    "gradient descent": "09_the_way_back.html#downhill",
    "PyTorch": "99_summary.html#in-pytorch",
}


@pytest.mark.parametrize("where", quickly(["files", "host"], takes=[], full=[0]))
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
        for words, term in {"LSTM": "LSTM", "Q K V": "Q-K-V", "LLM": "language-model"}.items():
            page.evaluate("(words) => Search.performSearch(words)", words)
            assert found.first.get_attribute("href").endswith(f"glossary.html#term-{term}"), words
        page.evaluate("() => Search.performSearch('zzzz')")
        expect(page.get_by_role("status")).to_have_text("Nothing found")
        page.evaluate("() => Search.performSearch('softmax temperature')")
        expect(page.locator("#search-results li").first.locator("mark").first).to_be_visible()
        found.first.click()
        expect(page.locator("#temperature h2")).to_be_in_viewport()
        assert visit.errors == visit.outside == []


IN_CHINESE = {  # in which lesson this is explained
    "查询": "04",
    "自注意力": "04",
    "掩码": "05",
    "为什么除以根号": "02",
    "位置编码": "08",
    "多头": "06",
    "softmax": "03",
    "KV 缓存": "05",
    "交叉注意力": "07",
    "梯度": "09",
    "反向传播": "09",
    "RNN": "11",
}


@pytest.mark.parametrize("segmenter", [True, False])
def test_a_search_in_chinese_leads_to_the_lesson_with_words_or_with_letters(
    chromium, addresses, segmenter
):
    with chromium.visit() as visit:
        page = visit.page
        if not segmenter:  # as in older browsers
            page.add_init_script("delete Intl.Segmenter")
        page.goto(f"{addresses['files']}/zh/search.html?q=自注意力")
        found = page.locator("#search-results a")
        expect(found.first).to_be_visible()
        shown = "注意力" if segmenter else "注意"
        expect(page.locator("#search-results mark").first).to_have_text(shown)
        for words, number in IN_CHINESE.items():
            page.evaluate("(words) => Search.performSearch(words)", words)
            first = [one.get_attribute("href") for one in found.all()[:3]]
            assert any(f"notebooks/{number}_" in one for one in first), words
        page.evaluate("() => Search.performSearch('zzzz')")
        expect(page.get_by_role("status")).to_have_text("什么也没找到")
        assert visit.errors == visit.outside == []


def test_a_link_leads_to_the_same_section_in_the_other_language_by_keys(chromium, addresses):
    with chromium.visit() as visit:
        page = visit.page
        page.goto(f"{addresses['files']}/notebooks/04_self_attention.html")
        expect(page.locator("button.ask").first).to_be_visible()  # the page has its length
        page.locator("#all-words-look-at-once").evaluate("(one) => one.scrollIntoView()")
        page.get_by_role("link", name="中文").press("Enter")
        page.wait_for_url("**/zh/notebooks/04_self_attention.html#all-words-look-at-once")
        expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
        expect(page.locator("#all-words-look-at-once > h2")).to_be_in_viewport()
        expect(page.locator("button.ask").first).to_be_visible()
        page.locator("#all-words-look-at-once").evaluate("(one) => one.scrollIntoView()")
        page.get_by_role("link", name="English").press("Enter")
        page.wait_for_url(lambda url: "/zh/" not in url and url.endswith("#all-words-look-at-once"))
