"""What the command lines of all rooms that make something of lessons have in common."""

import argparse

from course.files import folder
from course.lesson.series import NOTEBOOKS, Lesson, choose_lessons, find_lessons


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


def chosen_lessons(options: argparse.Namespace) -> list[Lesson]:
    """Return the lessons that a command line names, all if it names none.

    Raises
    ------
    BuildError
        As `find_lessons` and `choose_lessons` do.
    """
    return choose_lessons(find_lessons(options.folder), options.lessons)
