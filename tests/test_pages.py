"""The site's own pages in another language: their units, and what an edition has of them."""

import re

import pytest

from course.lesson.catalogue import Entry
from course.lesson.pages import FOLDER, in_edition, translated_page


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_a_page_comes_apart_and_together_again_unchanged(path):
    text = path.read_text("utf-8")
    assert translated_page(text, lambda unit: unit.text) == text


def test_templates_and_code_are_no_units():
    page = "# A page\n\n{% if x %}\n{{ widget }}\n<div class='a b'>\n```sh\nls\n```\n| {{ x }} |\n"
    turned = translated_page(page, lambda unit: f"<{unit.kind}>")
    assert turned == page.replace("A page", "<heading>")


def test_a_page_is_in_an_edition_once_its_title_is_and_says_what_is_still_english():
    entries = {"Home": Entry("heading", "首页"), "word": Entry("text", "词")}
    page = "# Home\n\nA {term}`word`.\n\nA line.\n\n```{glossary}\nword\n  What.\n```\n"
    said = in_edition(page, entries)
    assert said.startswith('# 首页\n\nA {term}`词 <word>`.\n\n<span lang="en">A line.</span>\n')
    assert "\n词\nword\n" in said
    assert in_edition(page, {**entries, "Home": Entry("heading", "首页", was="House")}) == ""
    assert not re.search("[\u4e00-\u9fff]", in_edition(page, {}))
