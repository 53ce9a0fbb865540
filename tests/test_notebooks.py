"""The committed lessons: made from their sources, linked, in the series' rhythm."""

import pkgutil
import re
from itertools import pairwise

import nbformat
import pytest

from attnlib.checks import exercises
from course import build as builder

NOTEBOOKS = builder.NOTEBOOKS
SOURCES = sorted((NOTEBOOKS / "src").glob("*.md"))
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
LESSONS = [path for path in PATHS if "01" <= path.name[:2] <= "08"]


def by_name(path):
    return path.stem


def cells(path, kind):
    return [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == kind]


def prose(path):
    """Return a lesson's text cells without formulas, tables and code."""
    text = "\n\n".join(cell.source for cell in cells(path, "markdown"))
    return re.sub(r"\$\$[^$]*\$\$|\$[^$]*\$|`[^`]*`|^\|[^\n]*|!\[[^\]]*\]", " ", text, flags=re.M)


def test_there_are_lessons_and_each_notebook_has_a_source():
    assert [path.stem for path in SOURCES] == [path.stem for path in PATHS]
    assert len(LESSONS) == 8


@pytest.mark.parametrize("source", SOURCES, ids=by_name)
def test_rebuilt_lesson_equals_the_committed_notebook(source):
    found = builder.compare(source, NOTEBOOKS / f"{source.stem}.ipynb")
    assert not found, "\n".join(found)
    if reason := builder.why_inexact():
        pytest.skip(f"equal in text, pictures not compared: {reason}")


@pytest.mark.parametrize("path", PATHS, ids=by_name)
def test_links_lead_to_files_beside_the_lesson(path):
    targets = re.findall(r"\]\(([^)]+)\)", "\n".join(c.source for c in cells(path, "markdown")))
    assert targets
    outside = [target for target in targets if not (NOTEBOOKS / target).exists()]
    assert outside == []
    # In my/ and in notebooks/ alike, only lessons and pictures are where these links say.
    assert all(re.fullmatch(r"\d\d_\w+\.ipynb|\.\./images/\w+\.png", t) for t in targets)


@pytest.mark.parametrize("path", LESSONS, ids=by_name)
def test_a_lesson_opens_and_closes_as_all_do(path):
    first, *_, last = (cell.source for cell in cells(path, "markdown"))
    title, question, picture, *_ = [line for line in first.splitlines() if line]
    assert re.fullmatch(rf"# {path.name[:2]} · \w.+", title)
    assert re.fullmatch(r"\*.+\?\*", question)
    assert re.fullmatch(r"!\[.{40,}\]\(\.\./images/\w+\.png\)", picture)
    opening = "\n".join(c.source for c in cells(path, "markdown")[:3])
    for part in ("**After this lesson you can**", "**You need**", "**Time:**"):
        assert part in opening
    assert "**Left out.**" in last
    assert "(09_summary.ipynb)" in last
    assert "*Predict" in prose(path)


@pytest.mark.parametrize("path", LESSONS, ids=by_name)
def test_a_lesson_keeps_to_its_size(path):
    code = cells(path, "code")
    assert 35 <= len(code) + len(cells(path, "markdown")) <= 75
    assert max(len(cell.source.splitlines()) for cell in code) <= 15
    assert 900 <= len(prose(path).split()) <= 2400
    assert path.stat().st_size < 500_000


@pytest.mark.parametrize("path", PATHS, ids=by_name)
def test_words_that_belittle_the_reader_are_not_used(path):
    belittling = r"\b(simply|just(?! below| above)|obviously|of course|clearly)\b"
    assert re.findall(belittling, prose(path), flags=re.I) == []


def test_every_exercise_stands_in_one_lesson_untouched_with_its_check():
    names = {module.name for module in pkgutil.iter_modules(exercises.__path__)}
    assert len(names) == 18
    found = {}
    for path in LESSONS:
        code = [cell.source for cell in cells(path, "code")]
        for stub, check in pairwise(code):
            if match := re.fullmatch(r'check\("(\w+)", \1\)', check):
                assert re.fullmatch(rf'def {match[1]}\(.*\):\n    """.+"""\n    \.\.\.', stub)
                found[match[1]] = path.name[:2]
    assert set(found) == names
