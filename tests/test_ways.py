"""The two ways through the series: which lessons they have, and how long they take."""

import re
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from course import BuildError
from course.lesson import ways
from course.lesson.minutes import seconds
from course.site import syllabus
from tests.lessons import SERIES, WALK
from tests.toys import toy_lesson

ROOT = Path(__file__).parent.parent
KNOWN = {lesson.number: lesson for lesson in SERIES.values()}
# What people who have not met the series type into a search.
SEARCHED = ("positional encoding", "RoPE", "ALiBi", "multi-head", "backpropagation", "KV cache",
            "GPT", "BERT")  # fmt: skip

A_LESSON = (
    new_markdown_cell("# 01 · One\n\nFirst words.\n\n## One\n\nSome more."),
    new_code_cell("1"),
    new_markdown_cell("### Within one\n\nWords.\n\n## Two\n\nLeft out.\n\n## Three\n\nWords."),
    new_code_cell("2"),
    new_markdown_cell("### Within three\n\nWords."),
    new_code_cell("3"),
    new_markdown_cell("## Four\n\nLeft out."),
    new_code_cell("4"),
    new_markdown_cell("## Optional: five\n\nLeft out."),
)  # fmt: skip


def test_a_stop_has_what_leads_to_the_end_of_a_section(tmp_path):
    lesson = toy_lesson(tmp_path, *A_LESSON)
    kept = [new_markdown_cell("# 01 · One\n\nFirst words.\n\n## One\n\nSome more."),
            new_markdown_cell("### Within one\n\nWords."), new_code_cell("1")]  # fmt: skip
    stop = ways.Stop("01", "One")
    assert ways.minutes(stop, lesson) == pytest.approx(seconds(kept) / 60)
    assert ways.minutes(ways.Stop("01"), lesson) > ways.minutes(stop, lesson)


def test_a_section_that_is_not_there_is_told(tmp_path):
    with pytest.raises(BuildError, match=r"01_one: the short way has .* not there: Six"):
        ways.minutes(ways.Stop("01", "Six"), toy_lesson(tmp_path, *A_LESSON))


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(10, "½ hour"), (50, "1 hour"), (80, "1½ hours"), (301, "5 hours"), (1040, "17½ hours")],
)
def test_hours_are_rounded_to_a_half(minutes, told):
    assert ways.hours(minutes) == told


def test_the_short_way_is_as_long_as_its_lessons():
    parts = [ways.minutes(stop, KNOWN[stop.number]) for stop in ways.SHORT]
    assert 0 < parts[0] < seconds(KNOWN["00"].notebook.cells) / 60
    assert ways.short_hours(SERIES) == ways.hours(sum(parts))
    whole = sum(SERIES[name].minutes.core for name in WALK)
    assert ways.whole_hours(SERIES)[0] == ways.hours(whole)
    assert sum(parts) < whole / 2


def test_the_short_way_goes_forward_and_each_of_its_lessons_links_the_next():
    numbers = [stop.number for stop in ways.SHORT]
    assert [*numbers, *ways.THEN] == sorted({*numbers, *ways.THEN})
    for number in numbers:
        closing = KNOWN[number].notebook.cells[-1].source
        (links,) = re.findall(r"^\*\*Next:\*\* .+", closing, re.MULTILINE)
        assert all(KNOWN[one].link() in links for one in ways.goes_on(number))
        assert (ways.choice() in links) == (ways.goes_on(number) == tuple(ways.THEN))
    assert ways.goes_on("01") == ()


def test_all_that_tells_of_the_short_way_tells_the_same(tmp_path):
    readme = (ROOT / "README.md").read_text("utf-8")
    assert ways.both(SERIES, "notebooks/") in readme
    listed = re.findall(r"^\| \[(\d\d) ·.*\| (\d+) \|$", readme, re.MULTILINE)
    assert listed == [(stop.number, str(ways.rounded_minutes(KNOWN[stop.number])))
                      for stop in ways.SHORT]  # fmt: skip
    lectures = [part.number for (part,) in syllabus.FIVE.lectures]
    assert lectures == [*(stop.number for stop in ways.SHORT[1:]), "12"]


@pytest.mark.parametrize("page", ["README.md", "course/site/pages/index.md.j2"])
def test_the_first_pages_have_the_words_that_people_search_for(page):
    text = (ROOT / page).read_text("utf-8")
    assert [words for words in SEARCHED if words not in text] == []
