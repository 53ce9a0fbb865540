"""What every engine is asked of pages: widgets obey, the site is whole, its search answers."""

import os
import shutil
from importlib import import_module

import pytest

from attnlib.encoder import PACKAGE, read_model
from course.site.rounding import as_rounded
from tests.browser import hand
from tests.browser.lessons import PLAYS, n_widgets
from tests.browser.plays import sentence
from tests.browser.test_site import FIRST
from tests.browser.visit import StaticPage
from tests.engines.hands import Page, expect
from tests.engines.window import bring

SITE = ["index", "glossary", "slides", "docs/learn", "notebooks/08_positional_encoding"]
WIDTHS = (1280, 600)
# A widget measures its place, then draws anew.
FITS = "(width) => innerWidth === width && document.documentElement.scrollWidth <= width"
LEADS = """(place) =>
  document.querySelector("#search-results a")?.getAttribute("href").endsWith(place)"""
ASK = 'document.querySelectorAll(".ask[aria-expanded=false]").forEach((button) => button.click())'


BAD = """<head></head>
<script>console.error("said")</script>
<script>throw new Error("thrown")</script>
<script>Promise.reject(new Error("refused"))</script>
<img src="missing.png">
<script>fetch("http://outside.invalid/asked").catch(() => {})</script>
"""


class InPages:
    """Tests of pages, for an engine's own file."""

    def test_what_goes_wrong_in_a_page_is_heard(self, window, tmp_path):
        (tmp_path / "bad.html").write_text(BAD, encoding="utf-8")
        window.open(bring(tmp_path / "bad.html", tmp_path))
        for what in ("said", "thrown", "refused", "missing.png", "outside.invalid/asked"):
            told = "(what) => [...heard.errors, ...heard.outside()].some((x) => x.includes(what))"
            window.until(told, what)

    @pytest.mark.parametrize(("lesson", "nth", "play"), PLAYS)
    def test_a_lessons_widget_obeys_mouse_and_keys(
        self, window, made, tmp_path, monkeypatch, lesson, nth, play
    ):
        plays = import_module(f"tests.browser.plays.{play}")
        for module in (plays, hand):
            monkeypatch.setattr(module, "expect", expect)
        with made("pages") as folder:
            path = StaticPage(folder).write(lesson)
        window.open(bring(path, tmp_path), height=900)
        page = Page(window)
        widgets = page.locator(".attnlib-live")
        expect(widgets).to_have_count(n_widgets(lesson))
        window.run(ASK)
        widgets.nth(nth).scroll_into_view_if_needed()
        for way in (plays.by_mouse, plays.by_keys):  # keys go on where the mouse ends
            page.mouse.move(0, 0)
            way(page, widgets.nth(nth))
        assert window.heard() == []

    @pytest.mark.timeout(400)  # whoever comes first waits until the whole site is built
    def test_the_sites_pages_are_whole_and_its_search_answers(self, window, site, tmp_path):
        here = tmp_path / "site"
        shutil.copytree(site, here, copy_function=os.link)
        for name in SITE:
            page = here / f"{name}.html"
            bring(page, page.parent)
            for width in WIDTHS:
                window.open(page, width=width, height=900)
                window.run(ASK)
                window.until(FITS, width)
                assert window.heard() == []
        window.open(here / "docs" / "learn.html", height=900)
        window.press("Control+k", *"RoPE")
        window.until(LEADS, f"notebooks/{FIRST['RoPE']}")  # as one types
        for words, place in FIRST.items():
            window.run("Search.performSearch(arguments[0])", words)
            window.until(LEADS, f"notebooks/{place}")
        assert window.heard() == []

    @pytest.mark.needs(PACKAGE)
    @pytest.mark.timeout(400)
    def test_a_sentence_of_ones_own_is_read_as_one_types(self, window, site, tmp_path, monkeypatch):
        monkeypatch.setattr(sentence, "expect", expect)
        here, model = tmp_path / "site", as_rounded(read_model())
        shutil.copytree(site, here, copy_function=os.link)
        window.open(bring(here / "sentence.html", here), height=900)
        page = Page(window)
        widgets = page.locator(".attnlib-live")
        for way in (sentence.by_mouse, sentence.by_keys):
            way(page, widgets, model)
        assert window.heard() == []
