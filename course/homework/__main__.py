"""`python -m course homework`: make assignments of their sheets."""

import argparse
import sys

from course import BuildError
from course.files import HOMEWORK, folder
from course.homework.build import build
from course.homework.sheet import HINTS, find_sheets
from course.lesson.options import ended


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course homework",
        description="Make of each sheet, src/hwN_name.md, the students' notebook, the teacher's "
        "with solutions, executed, and the list of tasks that a grader reads. Building again "
        "changes no byte.",
        epilog="Exit code: 0 if every assignment was made, 1 if one was not (its files stay as "
        "they were), 2 for a wrong option, 130 after Ctrl-C.",
    )
    parser.add_argument("assignments", metavar="ASSIGNMENT", nargs="*", help="hw1, say; else all")
    parser.add_argument(
        "--source",
        type=folder,
        default=HOMEWORK,
        metavar="DIR",
        help="where the assignments are: sheets in its src/, tasks of your own in its tasks/ "
        "(default: notebooks/homework)",
    )
    parser.add_argument(
        "--hints", type=int, choices=range(10), default=HINTS, metavar="N",
        help="how many of each task's hints are handed out (%(default)s)",
    )  # fmt: skip
    options = parser.parse_args(argv)
    return ended(lambda: _build(options))


def _build(options: argparse.Namespace) -> int:
    sheets = find_sheets(options.source, options.hints)
    known = [sheet.number for sheet in sheets]
    if unknown := [name for name in options.assignments if name not in known]:
        raise BuildError(f"{unknown[0]!r} is no assignment; there are: {', '.join(known)}")
    failed = False
    for sheet in sheets:
        if options.assignments and sheet.number not in options.assignments:
            continue
        try:
            changed = build(sheet, options.source)
            verb = "written" if changed else "unchanged"
            n_tasks = len(sheet.tasks)
            print(f"{sheet.name}: {verb}, {n_tasks} tasks, {sheet.points} points", flush=True)
        except BuildError as error:
            print(f"error: {sheet.name}: {error}", file=sys.stderr)
            failed = True
    return int(failed)
