"""What the command lines of all rooms that make something of lessons have in common."""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping

from course import BuildError
from course.files import folder
from course.lesson.editions import LANGUAGES, Edition
from course.lesson.series import NOTEBOOKS, Lesson, choose_lessons, find_lessons

STOPPED = "stopped: what was written is whole, the rest is as it was"


def add_lesson_options(parser: argparse.ArgumentParser) -> None:
    """Let a command take lessons by name, and another folder than the repository's."""
    parser.add_argument(
        "lessons",
        metavar="LESSON",
        nargs="*",
        help="a number (04), a name (04_self_attention) or a path; all lessons if none is given",
    )
    parser.add_argument(
        "--folder",
        type=folder,
        default=NOTEBOOKS,
        help="where the notebooks are; their sources are in its src/ (default: notebooks)",
    )


def add_edition_option(parser: argparse.ArgumentParser) -> None:
    """Let a command take the lessons in another language."""
    parser.add_argument("--edition", choices=sorted(LANGUAGES), help="in another language")


def ended(act: Callable[[], int], stopped: str = STOPPED) -> int:
    """Do what a command line asks for; return its exit code, and say what ended it early."""
    try:
        return act()
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(stopped, file=sys.stderr)
        return 130


def write_all(face: str, lessons: Iterable[Lesson], write: Callable[[Lesson], str]) -> int:
    """Write what a face makes of lessons, and say how it went; return 1 if one could not be."""
    failed = False
    for lesson in lessons:
        try:
            place = lesson.built(face, "html").relative_to(lesson.folder.parent).with_suffix("")
            print(f"{place.as_posix()}: {write(lesson)}", flush=True)
        except (BuildError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            failed = True
    return int(failed)


def chosen_lessons(options: argparse.Namespace) -> list[Lesson]:
    """Return the lessons that a command line names, all if it names none, in its language.

    Raises
    ------
    BuildError
        As `find_lessons` and `choose_lessons` do.
    """
    return choose_lessons(series_of(options), options.lessons)


def series_of(options: argparse.Namespace) -> Mapping[str, Lesson]:
    """Return all lessons of a command line's folder, in its language.

    Raises
    ------
    BuildError
        As `find_lessons` does.
    """
    series = find_lessons(options.folder)
    name = getattr(options, "edition", None)
    return Edition(name, series).lessons if name else series
