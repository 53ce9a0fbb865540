"""`python -m course html`: write lessons as pages that need neither kernel nor network."""

import argparse
import sys

from course import BuildError
from course.files import is_current, write
from course.html.page import page
from course.lesson.options import add_lesson_options, chosen_lessons
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
    options = parser.parse_args(argv)
    failed = False
    try:
        lessons = chosen_lessons(options)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for lesson in lessons:
        try:
            print(f"build/html/{lesson.name}: {write_page(lesson)}", flush=True)
        except (BuildError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            failed = True
        except KeyboardInterrupt:
            print("stopped: what was written is whole, the rest is as it was", file=sys.stderr)
            return 130
    return int(failed)
