"""The site in a browser: as files and below an address, light and dark, narrow and wide."""

import functools
import http.server
import threading

import pytest
from playwright.sync_api import expect

from course.homework.sheet import find_sheets
from tests.browser.lessons import PLAYS, n_widgets
from tests.browser.plays import positions
from tests.lessons import NAMES

# Whoever comes first waits until the whole site is built.
pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full, pytest.mark.timeout(400)]

PAGES = ["index", "glossary", "reference", "run", "search", "slides", "homework", "docs/grading"]
PAGES += ["docs/learn", "docs/lecture", "docs/homework"]
PAGES += [f"notebooks/homework/student/{sheet.number}/{sheet.name}" for sheet in find_sheets()]
OF_EACH_KIND = {*PAGES[:11], *(f"notebooks/{lesson}" for lesson in (NAMES[0], [*PLAYS][5]))}
PAGES += [f"notebooks/{lesson}" for lesson in NAMES]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that says nothing of what it is asked for."""

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def addresses(site, tmp_path_factory):
    """Return where the site is: as files, and on a host, below its root."""
    root = tmp_path_factory.mktemp("host")
    (root / "below").mkdir()
    (root / "below" / "deep").symlink_to(site)
    handler = functools.partial(Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}/below/deep"
        yield {"files": site.as_uri(), "host": host}
        server.shutdown()


def widgets_on(name):
    if name == "index":
        return 1
    lesson = name.removeprefix("notebooks/")
    return n_widgets(lesson) if lesson in NAMES else 0


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_nobody_errs_nowhere_and_can_be_read_by_all(chromium, addresses, name):
    differs = ["color-contrast", "scrollable-region-focusable"]  # in the dark, and where narrow
    # A lesson's own text has been judged by every rule on its page of `course html`.
    framed = ["page-has-heading-one", "landmark-one-main", "duplicate-id-aria", "heading-order"]
    one_of_a_kind = name in OF_EACH_KIND or name.startswith("notebooks/homework")
    ways = [
        ("files", 1280, "light", None if one_of_a_kind else framed),  # None: every rule
        ("host", 360, "dark", differs if name in OF_EACH_KIND else ["page-has-heading-one"]),
    ]
    for where, width, scheme, rules in ways:
        with chromium.visit(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        ) as visit:
            failed = []
            visit.page.on(
                "requestfailed", lambda request, failed=failed: failed.append(request.url)
            )
            visit.page.on(
                "response", lambda got, failed=failed: got.status < 400 or failed.append(got.url)
            )
            visit.page.goto(f"{addresses[where]}/{name}.html")
            expect(visit.page.locator("html")).to_have_attribute("data-theme", scheme)
            expect(visit.widgets).to_have_count(widgets_on(name))
            themes = visit.page.locator(".attnlib-live .widget")
            assert {t.get_attribute("data-theme") for t in themes.all()} <= {scheme}
            visit.ask()
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
            found = visit.violations(rules=rules, preload=False)  # files refuse to be fetched
            assert found == []
            assert visit.errors == visit.outside == failed == []


def test_a_lessons_widget_obeys_mouse_and_keys(chromium, addresses):
    # The site's own keys are beside it; how a page hosts widgets, tests of other pages tell.
    with chromium.visit() as visit:
        visit.page.goto(f"{addresses['files']}/notebooks/08_positional_encoding.html")
        visit.ask()
        for way in (positions.by_mouse, positions.by_keys):  # keys go on where the mouse ends
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


@pytest.mark.parametrize("where", ["files", "host"])
def test_search_finds_a_word(chromium, addresses, where):
    with chromium.visit() as visit:
        visit.page.goto(f"{addresses[where]}/index.html")
        visit.page.keyboard.press("Control+k")
        visit.page.keyboard.type("temperature")
        visit.page.keyboard.press("Enter")
        found = visit.page.locator("#search-results a")
        lesson = found.filter(has_text="03 · Turn scores into weights").first
        expect(lesson).to_be_visible()
        lesson.click()
        expect(visit.page.locator("article h1")).to_contain_text("03 · Turn scores into weights")
        assert visit.errors == visit.outside == []
