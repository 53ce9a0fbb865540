"""`python -m course html`: write lessons as pages that need neither kernel nor network."""

import argparse

from course.files import is_current, write
from course.html.page import page
from course.lesson.options import (
    add_edition_option,
    add_lesson_options,
    chosen_lessons,
    ended,
    write_all,
)
from course.lesson.series import Lesson


def write_page(lesson: Lesson) -> str:
    """Write the page of a lesson if it is not up to date; return what there is to say."""
    path = lesson.built("html", "html")
    if is_current(path, "html", lesson.inputs):
        return "up to date"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = page(lesson).encode()
    write(path, data)
    return f"written, {len(data) / 1000:.0f} kB"


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course html",
        description="Write lessons as pages, build/html/NN_name.html: each is one file that needs "
        "neither kernel nor network, and its widgets move.",
        epilog="Exit code: 0 if every page is there, 1 if one could not be made (it stays as it "
        "was), 2 for a wrong option, 130 after Ctrl-C.",
    )
    add_lesson_options(parser)
    add_edition_option(parser)
    options = parser.parse_args(argv)
    return ended(lambda: write_all("html", chosen_lessons(options), write_page))
