"""The syllabus: which lessons, and which of their sections, fill which lectures.

Only the choice stands here. Minutes are those of the slides, objectives and exercises those of the
lessons, and what is to be handed out follows from the assignments.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from course import BuildError
from course.lesson.lecture import Slide
from course.lesson.minutes import HARDER, OPTIONAL
from course.lesson.series import TURN, Lesson

ASIDE = {  # sections that a lecture of 45 minutes has no time for
    "01": ("What the number measures",),
    "03": ("When the weights stop moving",),
    "04": ("Does any word have to wait?", "The real model reads *bank* and *saw*"),
    "05": ("Test that nothing leaks", "Write a sentence, word by word"),
    "06": ("Why heads differ",),
    "07": ("One word reads", "Words read a picture"),
    "08": ("When both move on",),
}


class Part(NamedTuple):
    """What of a lesson a lecture shows: all of its deck, its core, or some sections alone."""

    number: str
    how: str = "whole"
    only: tuple[str, ...] = ()


class Plan(NamedTuple):
    """A course: how long a lecture of it is at most, and what each one shows."""

    title: str
    most: int
    lectures: tuple[tuple[Part, ...], ...]


def _core(*numbers: str) -> tuple[Part, ...]:
    return tuple(Part(number, "core") for number in numbers)


SHORT = Plan(
    "Eight lectures of 45 minutes",
    45,
    tuple(_core(number) for number in ("01", "02", "03", "04", "05", "06", "07", "08")),
)
LONG = Plan(
    "Eight lectures of 90 minutes",
    90,
    (
        (Part("01"),),
        _core("02", "03"),
        (Part("04"),),
        (Part("05"),),
        (Part("06"),),
        _core("07", "08"),
        (Part("09"),),
        (Part("10"),),
    ),
)
EVENING = Plan(
    "One evening",
    70,
    (
        (
            Part("00", "some", ("Why attention?", "Attention in three lines")),
            Part("01", "some", ("A sentence with a problem", "One number for two arrows")),
            Part("03", "some", ("What weights must be", "Temperature")),
        ),
        (
            Part("04", "core"),
            Part("06", "some", ("Twelve real heads",)),
            Part("08", "some", ("A bag of words",)),
        ),
    ),
)


def shown(part: Part, lesson: Lesson) -> list[Slide]:
    """Choose the slides of a lesson that a part of a lecture shows.

    Its core is without optional sections, the harder task and what stands in `ASIDE`; without
    *Your turn*, too, as are single sections: those exercises are for at home.

    Raises
    ------
    BuildError
        If the syllabus names a section that the lesson has no slide of.
    """
    aside = ASIDE.get(part.number, ()) if part.how == "core" else ()
    sections = {slide.section for slide in lesson.slides}
    for name in {*part.only, *aside} - sections:
        raise BuildError(f"the syllabus names a section of {lesson.name} without a slide: {name}")
    if part.how == "whole":
        return lesson.slides
    return [
        slide
        for slide in lesson.slides
        if not slide.section.startswith((OPTIONAL, HARDER))
        and not slide.title.startswith(TURN)
        and slide.section not in aside
        and (not part.only or slide.section in part.only)
    ]


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
                f"{plan.title}, lecture {number}: it may take {plan.most} minutes, and its slides "
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
    """Say of a part what is left out of the lesson, and which exercises stay for at home."""
    return {
        "lesson": lesson,
        "minutes": f"{minutes(part, lesson):g}",
        "only": part.only,
        "aside": ASIDE.get(part.number, ()) if part.how == "core" else (),
        "at_home": lesson.harder if part.how == "whole" else lesson.exercises,
    }
