"""The syllabus: which lessons, and which of their sections, fill which lectures.

Only the choice stands here. Minutes are those of the slides, objectives and exercises those of the
lessons, and what is to be handed out follows from the assignments.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from course import BuildError
from course.lesson import ways
from course.lesson.lecture import Slide, core_of
from course.lesson.minutes import HARDER, OPTIONAL
from course.lesson.series import Lesson


class Part(NamedTuple):
    """What of a lesson a lecture shows: all of its deck, its core, or what of this is told.

    `only` names the sections, where it is not all of them.
    """

    number: str
    how: str = "whole"
    only: tuple[str, ...] = ()


class Plan(NamedTuple):
    """A course: how long a lecture of it is at most, and what each one shows."""

    most: int
    lectures: tuple[tuple[Part, ...], ...]


def _core(*numbers: str) -> tuple[Part, ...]:
    return tuple(Part(number, "core") for number in numbers)


SHORT = Plan(
    45,
    tuple(_core(number) for number in ("01", "02", "03", "04", "05", "06", "07", "08")),
)
LONG = Plan(
    90,
    (
        (Part("01"),),
        _core("02", "03"),
        (Part("04"),),
        (Part("05"),),
        (Part("06"),),
        _core("07", "08"),
        _core("09", "10"),
        _core("11", "12"),
        (Part("13"),),
        _core("14", "15"),
    ),
)
FIVE = Plan(  # the short way: what precedes its second lesson is for at home
    45,
    tuple(_core(number) for number in (*(stop.number for stop in ways.SHORT[1:]), ways.WRITES)),
)
EVENING = Plan(
    70,
    (
        (
            Part("00", "told", ("Why attention?", "Attention in three lines")),
            Part("01", "told", ("A sentence with a problem", "One number for two arrows")),
            Part("03", "told", ("What weights must be", "Temperature")),
        ),
        (
            Part("04", "told"),
            Part("06", "told", ("Twelve real heads",)),
            Part("08", "told", ("A bag of words",)),
        ),
    ),
)


def shown(part: Part, lesson: Lesson) -> list[Slide]:
    """Choose the slides of a lesson that a part of a lecture shows.

    All of them, the core, or what of the core is told: without exercises, which are for at home.
    Of core and told, what stands in other sections than those that the part names is left out.

    Raises
    ------
    BuildError
        If the syllabus names a section that the lesson has no slide of.
    """
    for name in {*part.only} - {slide.section for slide in lesson.slides}:
        raise BuildError(f"the syllabus names a section of {lesson.name} without a slide: {name}")
    if part.how == "whole":
        return lesson.slides
    core = core_of(lesson.slides)
    if part.how == "told":
        core = [slide for slide in core if not slide.exercise]
    return [slide for slide in core if not part.only or slide.section in part.only]


def minutes(part: Part, lesson: Lesson) -> float:
    """Add up the minutes of a part's slides, as they stand in the speaker's notes."""
    return sum(slide.minutes for slide in shown(part, lesson))


def lectures(plan: Plan, lessons: Iterable[Lesson], sheets: list[Mapping[str, str]]) -> list[dict]:
    """Write a plan out: of each lecture its parts, its minutes, and what is handed out after it.

    An assignment is handed out once its last lesson has been lectured on, at most one a lecture.

    Raises
    ------
    BuildError
        If a lesson is not there, or a lecture takes longer than it may.
    """
    known = {lesson.number: lesson for lesson in lessons}
    told, waiting, heard = [], sorted(sheets, key=lambda sheet: sheet["after"]), ""
    for number, parts in enumerate(plan.lectures, start=1):
        if missing := [part.number for part in parts if part.number not in known]:
            raise BuildError(f"the syllabus names lesson {missing[0]}, which is not there")
        pairs = [(part, known[part.number]) for part in parts]
        total = sum(minutes(part, lesson) for part, lesson in pairs)
        if total > plan.most:
            raise BuildError(
                f"the syllabus, lecture {number}: it may take {plan.most} minutes, and its slides "
                f"take {total:g}"
            )
        heard = max(heard, parts[-1].number)
        ready = bool(waiting) and waiting[0]["after"] <= heard
        told.append(
            {
                "number": number,
                "parts": [_told(part, lesson) for part, lesson in pairs],
                "minutes": f"{total:g}",
                "sheet": waiting.pop(0) if ready else None,
            }
        )
    return told


def _told(part: Part, lesson: Lesson) -> dict:
    """Say of a part which sections are left out, and which exercises stay for at home.

    Sections that every reader may leave out are not named.
    """
    slides = shown(part, lesson)
    sections = dict.fromkeys(slide.section for slide in lesson.slides)
    left = [one for one in sections if one not in {slide.section for slide in slides}]
    tried = [slide.title for slide in slides if slide.exercise and slide.is_tried]
    return {
        "lesson": lesson,
        "minutes": f"{minutes(part, lesson):g}",
        "only": part.only,
        "aside": [one for one in left if not one.startswith((OPTIONAL, HARDER))],
        "at_home": [name for name in lesson.exercises if f"`{name}`" not in " ".join(tried)],
    }
