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
THEN = {  # to one of which it leads, and who chooses it
    WRITES: "to build and train a model that writes",
    "13": "to run a published one (`make lab MODEL=1` brings it; without it, take 12)",
    "14": "to train one on a text of yours",
}


def stop_at(number: str) -> Stop | None:
    """Return the stop of the short way at a lesson, if it has one."""
    return next((stop for stop in SHORT if stop.number == number), None)


def goes_on(number: str) -> tuple[str, ...]:
    """Return the lessons, one or several to choose from, that follow one on the short way."""
    numbers = [stop.number for stop in SHORT]
    if number not in numbers:
        return ()
    place = numbers.index(number) + 1
    return tuple(numbers[place : place + 1]) or tuple(THEN)


def minutes(stop: Stop, lesson: "Lesson") -> float:
    """Reckon how long a lesson takes on the short way."""
    core, _ = core_and_rest(parse(lesson.path, lesson.text).notebook.cells)
    pieces = [piece for cell in core for piece in _at_headings(cell)]
    return seconds(_on_the_way(stop, pieces, lesson.name)) / 60


def rounded_minutes(lesson: "Lesson") -> int | None:
    """Say how many minutes a lesson takes on the short way; None where it is not on it."""
    stop = stop_at(lesson.number)
    return stop and max(ROUNDED_TO * round(minutes(stop, lesson) / ROUNDED_TO), ROUNDED_TO)


def short_hours(series: Mapping[str, "Lesson"]) -> str:
    """Say how many hours the short way takes."""
    known = {lesson.number: lesson for lesson in series.values()}
    return hours(sum(minutes(stop, known[stop.number]) for stop in SHORT))


def whole_hours(series: Mapping[str, "Lesson"]) -> tuple[str, str]:
    """Say how many hours the whole way takes, and how many more with all that is optional."""
    walk = [lesson.minutes for lesson in series.values() if not lesson.is_summary]
    return hours(sum(one.core for one in walk)), hours(sum(one.rest for one in walk))


def hours(minutes: float) -> str:
    """Write minutes as hours, rounded to a half; at least that."""
    halves = max(round(minutes / 30), 1)
    whole = str(halves // 2) if halves > 1 else ""
    return f"{whole}{'½' * (halves % 2)} hour{'s' * (halves > 2)}"


def told(series: Mapping[str, "Lesson"], folder: str = "") -> str:
    """Say which lessons the short way has, and where it leads, in links."""
    known = {lesson.number: lesson for lesson in series.values()}

    def link(number: str) -> str:
        return f"[{number}]({folder}{known[number].name}.ipynb)"

    first, *others = SHORT
    named, ends = [link(stop.number) for stop in others], [link(number) for number in THEN]
    return (
        f"{link(first.number)} to the end of *{first.up_to}*, then {', '.join(named[:-1])} and "
        f"{named[-1]}; from there {one_of(ends)}"
    )


def both(series: Mapping[str, "Lesson"], folder: str = "") -> str:
    """Say what the two ways are and how long they take, in two paragraphs."""
    whole, more = whole_hours(series)
    return (
        f"**The whole way** is all lessons, one after the other: about {whole}, and {more} more "
        "with all that is optional.\n\n"
        "**The short way** is for you if you have met dot products and softmax before: ten minutes "
        f"in 00 tell. It takes about {short_hours(series)} without its last lesson: "
        f"{told(series, folder)}. {choice()}"
    )


def one_of(named: list[str]) -> str:
    """Name what one is to be chosen of."""
    return " or ".join(filter(None, (", ".join(named[:-1]), named[-1])))


def choice() -> str:
    """Say which of the lessons that the short way leads to is for whom."""
    *wishes, last = (f"{number} {wish}" for number, wish in THEN.items())
    return f"Take {', '.join(wishes)}, or {last}."


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
