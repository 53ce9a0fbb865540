"""`python -m course COMMAND`: what turns the sources into what people are handed."""

import argparse
import sys
from importlib import import_module

COMMANDS = {  # each is a room of this package, whose `__main__` has `main(argv) -> exit code`
    "build": "execute the lessons' sources and write the notebooks",
    "class": "make a folder for a class, with its settings",
    "collect": "lay out what a class handed in, from a platform's download",
    "edition": "bring an edition in another language up to date with the lessons",
    "grade": "grade a class's notebooks, each in a sandbox",
    "gradebook": "read written answers, export marks, write feedback",
    "homework": "make assignments: the students' notebooks, and the teacher's",
    "html": "write lessons as pages that need neither kernel nor network",
    "lab": "open JupyterLab on a working copy of the lessons",
    "new": "begin a lesson, an exercise, a widget or an assignment: write its skeleton",
    "site": "write the web site, which needs no server",
    "slides": "write lessons as decks, and print handouts",
}
ROOMS = {  # where a room is not called as its command is
    "build": "notebook",
    "class": "grading.classroom",
    "collect": "grading.intake",
    "grade": "grading",
    "gradebook": "grading.book",
}


def main(argv: list[str] | None = None) -> int:
    """Hand the arguments to a command's module, imported only now; return its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(
        prog="python -m course",
        description="Attention, step by step: build the lessons, or work through them.",
        epilog="commands:\n"
        + "\n".join(f"  {name:<11}{what}" for name, what in COMMANDS.items())
        + "\n\npython -m course COMMAND -h tells a command's options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [-h] COMMAND [...]",
    )
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS, help=argparse.SUPPRESS)
    if not argv:
        parser.print_help()
        return 0
    command = parser.parse_args(argv[:1]).command
    try:
        room = ROOMS.get(command, command)
        return import_module(f"course.{room}.__main__").main(argv[1:])
    except KeyboardInterrupt:  # while importing, say, which takes a second or two
        return 130
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] in ("course", "attnlib", ""):
            raise
        print(
            f"error: `course {command}` needs {missing.name}, and lessons alone do not. Is .venv "
            "active (`source .venv/bin/activate`)? If it is, `python -m course.environment whole` "
            "adds what is missing.",
            file=sys.stderr,
        )
        return 1


if __name__ == "__main__":
    sys.exit(main())
