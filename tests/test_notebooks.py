"""The committed lessons: made from their sources, linked, in the series' rhythm."""

import pkgutil
import platform
import re
from itertools import pairwise

import pytest

from attnlib.checks import exercises
from course.lesson.minutes import core_and_rest
from course.notebook import build as builder
from tests.conftest import weekly
from tests.lessons import NAMES, SERIES, WALK, quickly

TAUGHT = [name for name in WALK if SERIES[name].exercises]  # all but the one on how to use them
EVENING = "01", "08"  # from the first lesson to the last whose core is an hour at most
every_notebook = pytest.mark.parametrize("name", NAMES)
every_lesson = pytest.mark.parametrize("name", TAUGHT)


def cells(name, kind):
    return [c for c in SERIES[name].executed().cells if c.cell_type == kind]


def core(name):
    """Return a lesson's cells without what a reader may leave out."""
    return core_and_rest(SERIES[name].executed().cells)[0]


def words(found):
    """Count the words of text cells without formulas, tables and code."""
    return len(prose_of(cell for cell in found if cell.cell_type == "markdown").split())


def prose(name):
    """Return a lesson's text without formulas, tables and code."""
    return prose_of(cells(name, "markdown"))


def prose_of(found):
    text = "\n\n".join(cell.source for cell in found)
    return re.sub(r"\$\$[^$]*\$\$|\$[^$]*\$|`[^`]*`|^\|[^\n]*|!\[[^\]]*\]", " ", text, flags=re.M)


def test_there_are_lessons_and_each_notebook_has_a_source():
    assert TAUGHT
    assert sorted(path.stem for path in builder.NOTEBOOKS.glob("*.ipynb")) == NAMES


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", quickly(NAMES, takes=[5]))
def test_rebuilt_lesson_equals_the_committed_notebook(name, monkeypatch, request):
    # With an older one of OpenBLAS's kernels, weekly the plainest, which takes a third longer: what
    # another processor rounds otherwise shows here.
    # This is the strict comparison of each lesson, pictures too; nbval, which runs a lesson once
    # more and compares no picture, has two of them in a full run, and all in a weekly one.
    if platform.machine().lower() in ("x86_64", "amd64"):
        kernel = "Nehalem" if weekly(request.config) else "Sandybridge"
        monkeypatch.setenv("OPENBLAS_CORETYPE", kernel)
    found = builder.compare(SERIES[name], cell_seconds=300)
    assert not found, "\n".join(found)
    if reason := builder.why_inexact():
        pytest.skip(f"equal in text, pictures not compared: {reason}")


@every_notebook
def test_links_lead_to_files_beside_the_lesson(name):
    targets = re.findall(r"\]\(([^)]+)\)", "\n".join(c.source for c in cells(name, "markdown")))
    assert targets
    targets = [target for target in targets if not target.startswith("#moment:")]
    outside = [target for target in targets if not (builder.NOTEBOOKS / target).exists()]
    assert outside == []
    # In my/ and in notebooks/ alike, only lessons and pictures are where these links say.
    assert all(re.fullmatch(r"\d\d_\w+\.ipynb|\.\./images/\w+\.png", t) for t in targets)


@every_lesson
def test_a_lesson_opens_and_closes_as_all_do(name):
    first, *_, last = (cell.source for cell in cells(name, "markdown"))
    title, question, picture, *_ = [line for line in first.splitlines() if line]
    assert re.fullmatch(rf"# {SERIES[name].number} · \w.+", title)
    assert re.fullmatch(r"\*.+\?\*", question)
    assert re.fullmatch(r"!\[.{40,}\]\(\.\./images/\w+\.png\)", picture)
    opening = "\n".join(c.source for c in cells(name, "markdown")[:3])
    for part in ("**After this lesson you can**", "**You need**"):
        assert part in opening
    assert "**Left out.**" in last
    assert "**Next:** [" in last
    assert "*Predict" in prose(name)


@pytest.mark.parametrize("name", WALK)
def test_a_lesson_says_the_time_that_is_reckoned(name):
    assert "**Time:** {{ minutes }}." in SERIES[name].text
    opening = "\n".join(cell.source for cell in cells(name, "markdown")[:3])
    assert f"**Time:** {SERIES[name].minutes.told()}." in opening


@every_lesson
def test_a_lesson_keeps_to_its_size(name, budget):
    minutes, n_words = (60, 1600) if EVENING[0] <= name[:2] <= EVENING[1] else (130, 2500)
    budget(f"{name}, minutes of its core", SERIES[name].minutes.core, most=minutes)
    budget(f"{name}, words of its core", words(core(name)), most=n_words)
    budget(f"{name}, bytes", SERIES[name].notebook_path.stat().st_size, most=620_000)
    assert max(len(cell.source.splitlines()) for cell in cells(name, "code")) <= 15  # one glance


@every_notebook
def test_words_that_belittle_the_reader_are_not_used(name):
    belittling = r"\b(simply|just(?! below| above)|obviously|of course|clearly)\b"
    assert re.findall(belittling, prose(name), flags=re.I) == []


def test_every_exercise_stands_in_one_lesson_untouched_with_its_check():
    found = []
    for name in TAUGHT:
        here = []
        for stub, check in pairwise(cell.source for cell in cells(name, "code")):
            if match := re.fullmatch(r'check\("(\w+)", \1\)', check):
                assert re.fullmatch(rf'def {match[1]}\(.*\):\n    """.+"""\n    \.\.\.', stub)
                here.append(match[1])
        assert here == SERIES[name].exercises
        found += here
    assert sorted(found) == sorted(
        module.name for module in pkgutil.iter_modules(exercises.__path__)
    )


@every_lesson
def test_an_exercise_says_how_hard_it_is_and_a_lesson_closes_with_a_harder_one(name):
    sections = re.split(r"^#{1,6} ", SERIES[name].prose, flags=re.MULTILINE)
    tasks = [section for section in sections if re.search(r"^check\(", section, re.M)]
    for task in tasks:
        told = re.findall(r"^\*(Easy|Medium|Hard), about \d+ minutes\.\*", task, re.M)
        assert len(told) == 1, task.partition("\n")[0]
    if len(SERIES[name].exercises) > 1:
        last = SERIES[name].exercises[-1:]
        assert SERIES[name].harder == last, f"{last[0]} stands below `## A harder task: …`"


@every_notebook
def test_what_links_call_a_lesson_is_what_it_is_called(name):
    links = re.findall(
        r"\[([^\]]+)\]\((\d\d_\w+)\.ipynb\)", "\n".join(c.source for c in cells(name, "markdown"))
    )
    for words, target in links:
        if number := re.match(r"(?:lesson )?(\d\d)\b", words):
            assert number[1] == SERIES[target].number, f"[{words}] leads to {target}"
        if " · " in words:
            assert words == SERIES[target].title
