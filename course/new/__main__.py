"""`python -m course new`: write a skeleton, and tell its open ends."""

import argparse
import sys
from pathlib import Path

from course import BuildError
from course.files import HOMEWORK, ROOT, write
from course.new.assignment import assignment
from course.new.skeleton import open_ends, skeleton

NEXT = {
    "lesson": (
        "say more, if there is more to say (repeat the beat): its core has at most 2,500 words, "
        "and the core of its deck takes at most 45 minutes",
        "draw: python images/draw.py 00_map {name}",
        "build: python -m course build; then html {number} and slides {number}, and look at them",
        "test: make test LESSON={number}",
    ),
    "exercise": (
        "place it: each exercise stands in one lesson, its stub and its check below a heading "
        "`### Your turn: …`",
        "test: .venv/bin/python -m pytest tests/checks --weekly -k {name}; then make test "
        "LESSON=NN, where NN is the lesson",
    ),
    "widget": (
        "bundle it: make widgets",
        "place it: widgets.{Name}() in a cell of a lesson, below `% show widget`, and build that",
        "test: python -m pytest tests/widgets -k {name}, and tests/browser/test_static_page.py",
    ),
    "assignment": (
        "build: python -m course homework {hw} --source {into}",
        "do it as a student: {into}/student/{hw}/{name}.ipynb",
        "grade: python -m course grade {hw} SUBMITTED --gradebook FILE --source {into}",
    ),
}


def main(argv: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command line, on the repository at `root`; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course new",
        description="Write the files of a new lesson (12_my_name), exercise or widget (my_name), "
        "or assignment (hw1_my_name). They work as they stand; what is left to say is marked OPEN: "
        "in them, and listed.",
        epilog="Exit code: 0 if all files were written, 1 if none was, 2 for a wrong option.",
    )
    parser.add_argument("kind", choices=NEXT, help=", ".join(NEXT), metavar="KIND")
    parser.add_argument("name", metavar="NAME", help="what it is to be called")
    parser.add_argument(
        "--tasks", nargs="+", default=["first_task", "second_task"], metavar="FUNCTION",
        help="the functions that an assignment asks for",
    )  # fmt: skip
    parser.add_argument(
        "--into", type=Path, default=HOMEWORK, metavar="DIR",
        help="where an assignment is to be (notebooks/homework)",
    )  # fmt: skip
    options = parser.parse_args(argv)
    try:
        if options.kind == "assignment":
            root = options.into
            files = assignment(options.name, options.tasks, root)
        else:
            files = skeleton(options.kind, options.name, root)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for path, text in files.items():
        new = not (root / path).exists()
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        write(root / path, text.encode())
        print(f"{path.as_posix()}: {'written' if new else 'one name added'}")
    print("\nWhat is open:")
    facts = {"name": options.name, "number": options.name[:2], "into": options.into}
    facts["hw"] = options.name.partition("_")[0]
    facts["Name"] = "".join(word.capitalize() for word in options.name.split("_"))
    ends = open_ends(files, root)
    ends += [line.format(**facts) for line in NEXT[options.kind]]
    for number, end in enumerate(ends, 1):
        print(f"{number:3}. {end}")
    return 0
