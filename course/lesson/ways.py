"""The two ways through the series: the whole, and a short one.

Which lessons the short way has, and which parts of them, stands here alone. README, lessons, map,
site and syllabus are made from it, and hours are added up from the lessons' minutes.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from course import BuildError
from course.lesson.minutes import ROUNDED_TO, core_and_rest, seconds
from course.lesson.sentences import Say, all_of, one_of
from course.lesson.source import parse

if TYPE_CHECKING:
    from course.lesson.series import Lesson

HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


class Stop(NamedTuple):
    """A lesson on the short way: its core, or that up to the end of a section."""

    number: str
    up_to: str = ""


SHORT = (
    Stop("00", "Write, then check"),
    Stop("04"),
    Stop("05"),
    Stop("06"),
    Stop("08"),
)
WRITES = "12"  # a model of one's own
THEN = (WRITES, "13", "14")  # to one of which it leads; `choice` says who chooses it


def stop_at(number: str) -> Stop | None:
    """Return the stop of the short way at a lesson, if it has one."""
    return next((stop for stop in SHORT if stop.number == number), None)


def goes_on(number: str) -> tuple[str, ...]:
    """Return the lessons, one or several to choose from, that follow one on the short way."""
    numbers = [stop.number for stop in SHORT]
    if number not in numbers:
        return ()
    place = numbers.index(number) + 1
    return tuple(numbers[place : place + 1]) or THEN


def minutes(stop: Stop, lesson: "Lesson") -> float:
    """Reckon how long a lesson takes on the short way."""
    core, _ = core_and_rest(parse(lesson.path, lesson.text).notebook.cells)
    pieces = [piece for cell in core for piece in _at_headings(cell)]
    return seconds(_on_the_way(stop, pieces, lesson.name)) / 60


def rounded_minutes(lesson: "Lesson") -> int | None:
    """Say how many minutes a lesson takes on the short way; None where it is not on it."""
    stop = stop_at(lesson.number)
    return stop and max(ROUNDED_TO * round(minutes(stop, lesson) / ROUNDED_TO), ROUNDED_TO)


def short_hours(series: Mapping[str, "Lesson"], say: Say = str.format) -> str:
    """Say how many hours the short way takes."""
    known = {lesson.number: lesson for lesson in series.values()}
    return hours(sum(minutes(stop, known[stop.number]) for stop in SHORT), say)


def whole_hours(series: Mapping[str, "Lesson"], say: Say = str.format) -> tuple[str, str]:
    """Say how many hours the whole way takes, and how many more with all that is optional."""
    walk = [lesson.minutes for lesson in series.values() if not lesson.is_summary]
    core, rest = sum(one.core for one in walk), sum(one.rest for one in walk)
    return hours(core, say), hours(rest, say)


def hours(minutes: float, say: Say = str.format) -> str:
    """Write minutes as hours, rounded to a half; at least that."""
    halves = max(round(minutes / 30), 1)
    whole = str(halves // 2) if halves > 1 else ""
    n = f"{whole}{'½' * (halves % 2)}"
    return say("{n} hours", n=n) if halves > 2 else say("{n} hour", n=n)


def told(series: Mapping[str, "Lesson"], folder: str = "", say: Say = str.format) -> str:
    """Say which lessons the short way has, and where it leads, in links."""
    known = {lesson.number: lesson for lesson in series.values()}

    def link(number: str) -> str:
        return f"[{number}]({folder}{known[number].name}.ipynb)"

    first, *others = SHORT
    return say(
        "{first} to the end of *{section}*, then {others}; from there {ends}",
        first=link(first.number),
        section=known[first.number].in_words(first.up_to),
        others=all_of([link(stop.number) for stop in others], say),
        ends=one_of([link(number) for number in THEN], say),
    )


def both(series: Mapping[str, "Lesson"], folder: str = "", say: Say = str.format) -> str:
    """Say what the two ways are and how long they take, in two paragraphs."""
    core, more = whole_hours(series, say)
    whole = say(
        "**The whole way** is all lessons, one after the other: about {core}, and {more} more with "
        "all that is optional.",
        core=core,
        more=more,
    )
    short = say(
        "**The short way** is for you if you have met dot products and softmax before: ten minutes "
        "in 00 tell. It takes about {hours} without its last lesson: {lessons}. {choice}",
        hours=short_hours(series, say),
        lessons=told(series, folder, say),
        choice=choice(say),
    )
    return f"{whole}\n\n{short}"


def choice(say: Say = str.format) -> str:
    """Say which of the lessons that the short way leads to is for whom."""
    writes, runs, trains = THEN
    return say(
        "Take {writes} to build and train a model that writes, {runs} to run a published one "
        "(`make lab MODEL=1` brings it; without it, take {writes}), or {trains} to train one on a "
        "text of yours.",
        writes=writes,
        runs=runs,
        trains=trains,
    )


def _at_headings(cell: NotebookNode) -> Iterable[NotebookNode]:
    """Cut a cell of text before each heading."""
    if cell.cell_type == "code":
        return [cell]
    return [new_markdown_cell(text) for text in re.split(r"(?m)^(?=#+ )", cell.source) if text]


def _on_the_way(stop: Stop, pieces: list[NotebookNode], name: str) -> list[NotebookNode]:
    """Choose what a stop has of a lesson's pieces, each of which begins with a heading or none.

    Raises
    ------
    BuildError
        If there is no section of a name.
    """
    if not stop.up_to:
        return pieces
    chosen, level = [], 0  # of the section that it ends with, once we are in it
    for piece in pieces:
        heading = piece.cell_type == "markdown" and HEADING.match(piece.source)
        if heading and level and len(heading[1]) <= level:
            break
        if heading and heading[2] == stop.up_to:
            level = len(heading[1])
        chosen.append(piece)
    if not level:
        raise BuildError(f"{name}: the short way has a section that is not there: {stop.up_to}")
    return chosen
