"""Decks in Chinese in a real browser: every slide fits, and the help and the notes are Chinese."""

import re

import pytest
from playwright.sync_api import expect

from course.lesson.editions import Edition
from course.slides.browser import Browser
from course.slides.deck import deck
from course.slides.seen import LEAST_LETTERS
from tests.browser.test_slides import LARGE, Watched, opened
from tests.lessons import DECKS, SERIES, sampled
from tests.test_chinese import put_chinese

pytestmark = pytest.mark.needs("chromium")
HELP = ".r-overlay-help"
FAMILY = "(element) => getComputedStyle(element).fontFamily"


@pytest.mark.parametrize("name", sampled(DECKS, 2))
def test_every_slide_of_a_deck_in_chinese_fits(chromium, tmp_path, name):
    path = tmp_path / "deck.html"
    path.write_text(deck(Edition("zh", SERIES).lessons[name]), encoding="utf-8")
    watched = Watched(chromium.browser)
    measured = Browser(watched).measure(path)
    assert measured.overflows == []
    assert len(measured.letters) == len(SERIES[name].slides)
    assert min(measured.letters) >= (LEAST_LETTERS, "")
    (visit,) = watched.visits
    assert visit.outside == visit.errors == []


def test_a_decks_help_and_its_speakers_window_are_in_chinese(chromium, tmp_path):
    path = tmp_path / "deck.html"
    path.write_text(deck(put_chinese(tmp_path)), encoding="utf-8")
    with chromium.visit(**LARGE) as visit:
        page = opened(visit, path)
        assert page.evaluate("document.fonts.check('400 20px \"Course Han\"', '预测')")
        page.keyboard.press("Shift+?")
        told = page.locator(HELP).inner_text()
        assert {"键盘快捷键", "下一页", "讲者窗口", "总览", "答案：练习的解答"} <= set(
            re.split(r"[\t\n]+", told)
        )
        assert re.findall(r"\b[a-z]{2,}", told) == ["and", "to"]
        page.keyboard.press("Escape")
        page.keyboard.press("End")
        page.keyboard.press("t")
        expect(page.locator(".present .timer")).to_contain_text("还剩 5:5")
        with page.context.expect_page() as opening:
            page.keyboard.press("s")
        speaker = opening.value
        notes = speaker.locator(".speaker-controls-notes")
        expect(notes).to_contain_text("走下去看看。", timeout=15_000)
        expect(notes).to_contain_text("备注")
        assert speaker.evaluate("document.fonts.check('400 20px \"Course Han\"', '预测')")
        labels = speaker.locator(".label, option, .speaker-layout-label").all_inner_texts()
        assert re.findall("[A-Za-z]+", "".join(labels)) == []
        page.goto(f"{path.as_uri()}?print-pdf&showNotes=separate-page")
        on_paper = page.locator(".speaker-notes-pdf").first
        expect(on_paper).to_contain_text("他们忘了。")
        for words in (on_paper, speaker.locator("body")):
            assert words.evaluate(FAMILY).startswith('"Course Han"')
        assert visit.errors == []
