"""README and CONTRIBUTING: what they show and point at is there."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import attnlib

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


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


def test_the_lesson_table_lists_every_lesson_once_in_order():
    listed = re.findall(
        r"\]\(notebooks/(\d\d_\w+)\.ipynb\)", (ROOT / "README.md").read_text("utf-8")
    )
    assert listed == [path.stem for path in LESSONS]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_make_commands_exist(document):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = re.findall(r"make (lab|test|[a-z]+)\b(?=[` ]|$)", document.read_text("utf-8"), re.M)
    targets = re.findall(r"^(\w+):", makefile, re.M)
    assert named
    assert set(named) <= set(targets)
