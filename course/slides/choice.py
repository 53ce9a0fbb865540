"""A lecture of one's own: slides that somebody chose of lessons, a line for each choice.

    # Attention in an hour
    04
    05 Before the softmax
    08 Give each place a vector

A lesson's number alone means its core, and with ``whole`` all of it. With words it means each slide
of the section in whose heading they stand, or else the slide in whose title they stand. What stands
around a lesson's lecture, *Last time* and *Where to read on*, comes only by such words.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from course import BuildError
from course.lesson.lecture import Slide, core_of
from course.lesson.series import Lesson, choose_lessons

CORE, WHOLE = "core", "whole"
CHOICE = re.compile(r"(\w+)(?:\s+(.+))?")
NAMED = "My lecture"


class Choice(NamedTuple):
    """What somebody chose, and where it stands, if it is in a file."""

    text: str
    where: str = ""


def read_choices(given: Iterable[str]) -> tuple[str, list[Choice]]:
    """Read choices, and files of them, as a command line names them; return a title, too."""
    title, choices = NAMED, []
    for one in given:
        path = Path(one)
        if path.suffix != ".txt":
            choices.append(Choice(one))
            continue
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BuildError(f"reading {path}: {error}") from error
        for number, line in enumerate(map(str.strip, lines), start=1):
            if line.startswith("#"):
                title = line.lstrip("# ") or title
            elif line:
                choices.append(Choice(line, f"{path} line {number}: "))
    return title, choices


def chosen(series: Mapping[str, Lesson], choice: Choice) -> list[tuple[Lesson, Slide]]:
    """Return the slides that a choice means.

    Raises
    ------
    BuildError
        If it means none, or its words fit several; it says where it stands, and what there is.
    """
    found = CHOICE.fullmatch(choice.text.strip())
    try:
        if not found:
            raise BuildError(
                f"{choice.text!r}: a choice is `04`, `04 whole`, or `04` and a heading's words"
            )
        (lesson,) = choose_lessons(series, [found[1]])
        return [(lesson, slide) for slide in _slides(lesson, found[2], choice.text)]
    except BuildError as error:
        raise BuildError(f"{choice.where}{error}") from error


def _slides(lesson: Lesson, words: str | None, choice: str) -> list[Slide]:
    inner = [slide for slide in lesson.slides if not slide.is_around]
    if words in (None, CORE):
        return core_of(inner)
    if words == WHOLE:
        return inner
    sections = list(dict.fromkeys(lesson.shown(slide.section) for slide in inner if slide.section))
    for names, name in (
        (sections, lambda slide: lesson.shown(slide.section)),
        ([lesson.shown(slide.title) for slide in lesson.slides], lambda s: lesson.shown(s.title)),
    ):
        fitting = [one for one in names if _plain(words) in _plain(one)]
        if len(fitting) > 1:
            exact = [one for one in fitting if _plain(one) == _plain(words)]
            fitting = exact or fitting
        if len(fitting) == 1:
            return [slide for slide in lesson.slides if name(slide) == fitting[0]]
        if fitting:
            raise BuildError(f"{choice!r} fits several: {'; '.join(fitting)}")
    raise BuildError(
        f"{choice!r}: no heading of {lesson.name} has these words; its sections are: "
        f"{'; '.join(sections)}"
    )


def _plain(heading: str) -> str:
    return re.sub(r"[*`$]", "", heading).casefold()
