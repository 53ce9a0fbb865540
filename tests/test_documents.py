"""README and CONTRIBUTING: what they show and point at is there."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import attnlib
from course.lesson.series import fill_in_readme
from tests.lessons import NAMES, SERIES

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]


def test_the_report_in_the_readme_is_what_check_says():
    examples = doctest.DocTestParser().get_examples((ROOT / "README.md").read_text("utf-8"))
    (example,) = [x for x in examples if x.source.startswith("check(")]
    report = eval(example.source, {"np": np, "check": attnlib.check})
    assert example.want.removesuffix("```\n").strip() == str(report)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    links = re.findall(r"\]\(([^)#]+)|src=\"([^\"]+)", document.read_text("utf-8"))
    inside = [link for pair in links for link in pair if link and not link.startswith("http")]
    assert inside
    assert [link for link in inside if not (ROOT / link).exists()] == []


def test_the_readmes_list_of_lessons_is_made_from_their_sources():
    text = (ROOT / "README.md").read_text("utf-8")
    assert fill_in_readme(text, SERIES, ROOT) == text, "make notebooks writes it anew"
    listed = re.findall(r"\]\(notebooks/(\d\d_\w+)\.ipynb\)", text)
    assert listed == NAMES


COUNTED = "(lessons|stations|decks|widgets|exercises|functions|notebooks|pictures)"


def test_nothing_says_how_many_lessons_or_exercises_there_are():
    numbers = r"\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eighteen|twenty"
    counts = re.compile(rf"(?i)(?<![-–\w])({numbers}) {COUNTED}\b(?! (?:of|with|from) )")
    texts = {path.name: path.read_text("utf-8") for path in DOCUMENTS}
    texts |= {p.name: p.read_text("utf-8") for p in (ROOT / "course/site/pages").iterdir()}
    opening = {name: lesson.prose[:4000] for name, lesson in SERIES.items()}
    found = {name: counts.findall(text) for name, text in (texts | opening).items()}
    assert {name: counted for name, counted in found.items() if counted} == {}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_make_commands_exist(document):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = re.findall(r"make (lab|test|[a-z]+)\b(?=[` ]|$)", document.read_text("utf-8"), re.M)
    targets = re.findall(r"^(\w+):", makefile, re.M)
    assert named
    assert set(named) <= set(targets)
