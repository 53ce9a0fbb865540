"""`python -m course build`: execute the lessons' sources and write the notebooks."""

import argparse

from course.lesson.options import add_lesson_options
from course.notebook.build import CELL_SECONDS, build


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course build",
        description="Execute the lessons' sources, notebooks/src/NN_name.md, and write the "
        "notebooks that readers open, notebooks/NN_name.ipynb. Building again changes no byte.",
        epilog="Exit code: 0 if every lesson was built, 1 if one was not (its notebook stays as "
        "it was), 2 for a wrong option, 130 after Ctrl-C.",
    )
    add_lesson_options(parser)
    parser.add_argument(
        "--jobs",
        type=_positive,
        metavar="N",
        help="lessons to run at a time (default: the number of processors)",
    )
    parser.add_argument(
        "--cell-seconds",
        type=_positive,
        default=CELL_SECONDS,
        metavar="S",
        help="seconds that one cell may take (default: %(default)s)",
    )
    options = parser.parse_args(argv)
    return build(
        options.folder, options.lessons, jobs=options.jobs, cell_seconds=options.cell_seconds
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)
