"""README, CONTRIBUTING and the pages of docs/: what they show and point at is there."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import attnlib
from course.lesson.series import fill_in_readme
from tests.lessons import NAMES, SERIES

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
READMES = {"README.md": "README.zh.md", "README.zh.md": "README.md"}  # each and the other
DOCUMENTS = [*(ROOT / name for name in READMES), ROOT / "CONTRIBUTING.md", *DOCS]
SITE = sorted((ROOT / "course/site/pages").iterdir())
every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def test_the_readme_is_a_front_door():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 100


@pytest.mark.parametrize(("name", "other"), READMES.items())
def test_each_readme_names_the_other_on_its_first_line(name, other):
    assert f"]({other})" in (ROOT / name).read_text("utf-8").partition("\n")[0]


@pytest.mark.parametrize("page", [*DOCS, *SITE], ids=lambda path: path.name)
def test_no_page_sends_its_reader_back_to_the_readme(page):
    assert "README" not in page.read_text("utf-8")


def test_the_report_in_the_readme_is_what_check_says():
    examples = doctest.DocTestParser().get_examples((ROOT / "README.md").read_text("utf-8"))
    (example,) = [x for x in examples if x.source.startswith("check(")]
    report = eval(example.source, {"np": np, "check": attnlib.check})
    assert example.want.removesuffix("```\n").strip() == str(report)


def places(text):
    """List the anchors that GitHub gives a page's headings, and so does the site."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"(?ms)^```.*?^```", "", text), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]


@every_document
def test_links_lead_somewhere(document):
    text = document.read_text("utf-8")
    links = re.findall(r"\]\(([^)]+)\)|src(?:set)?=\"([^\"]+)", text)
    inside = [link for pair in links for link in pair if link and not link.startswith("http")]
    assert inside
    for link in inside:
        path, _, place = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        assert not place or place in places(target.read_text("utf-8")), link


def test_the_readmes_list_of_lessons_is_made_from_their_sources():
    text = (ROOT / "README.md").read_text("utf-8")
    assert fill_in_readme(text, SERIES, ROOT) == text, "make notebooks writes it anew"
    listed = re.findall(r"^\| \[.*\]\(notebooks/(\d\d_\w+)\.ipynb\)", text, re.MULTILINE)
    assert listed == NAMES


COUNTED = "(lessons|stations|decks|widgets|exercises|functions|notebooks|pictures)"


def test_nothing_says_how_many_lessons_or_exercises_there_are():
    numbers = r"\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eighteen|twenty"
    counts = re.compile(rf"(?i)(?<![-–\w])({numbers}) {COUNTED}\b(?! (?:of|with|from) )")
    texts = {path.name: path.read_text("utf-8") for path in DOCUMENTS}
    texts |= {path.name: path.read_text("utf-8") for path in SITE}
    opening = {name: lesson.prose[:4000] for name, lesson in SERIES.items()}
    found = {name: counts.findall(text) for name, text in (texts | opening).items()}
    assert {name: counted for name, counted in found.items() if counted} == {}


@every_document
def test_make_commands_exist(document):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    text = document.read_text("utf-8")
    named = re.findall(r"(?:^|`)make ([a-z]+)\b(?=[` ]|$)", text, re.MULTILINE)
    targets = re.findall(r"^([\w-]+(?: [\w-]+)*):", makefile, re.MULTILINE)
    assert named
    assert set(named) <= {target for line in targets for target in line.split()}
