"""A skeleton of an assignment: a sheet with variants, and a task's file for each function."""

import re
from collections.abc import Sequence
from keyword import iskeyword
from pathlib import Path

from course import BuildError
from course.new.skeleton import TEMPLATES

NAME = re.compile(r"(hw\d+)_([a-z][a-z0-9_]*)")
FUNCTION = re.compile(r"[a-z]+(?:_[a-z0-9]+)*")


def assignment(name: str, tasks: Sequence[str], folder: Path) -> dict[Path, str]:
    """Return the files of an assignment, by their paths below its folder; nothing is written.

    It builds and grades as it is. Its tasks share 20 points, and a question in words has 10.

    Raises
    ------
    BuildError
        If a name is not formed as it should be, or taken, or a task is there already.
    """
    found = NAME.fullmatch(name)
    if not found:
        raise BuildError(f"the name of a new assignment is like hw1_my_name: {name!r} came in")
    wrong = [one for one in tasks if not FUNCTION.fullmatch(one) or iskeyword(one)]
    if wrong or len({*tasks}) < len(tasks):
        raise BuildError(
            "each task is named as its function is, like my_task, and no two alike: "
            f"{', '.join(tasks)} came in"
        )
    taken = [*folder.glob(f"src/{found[1]}_*.md")]
    taken += [path for one in tasks if (path := folder / "tasks" / f"{one}.py").exists()]
    if taken:
        raise BuildError(
            f"a skeleton takes no file's place: {', '.join(map(str, taken))} is there already; "
            "choose another number, or other names"
        )
    sheet, section, task = (
        (TEMPLATES / f"assignment{part}").read_text(encoding="utf-8")
        for part in (".md", "_task.md", "_task.py")
    )
    points = [20 // len(tasks) + (k < 20 % len(tasks)) for k in range(len(tasks))]
    sections = [
        section.replace("## K", f"## {k}").replace("(10 points)", f"({points[k - 1]} points)")
        .replace("my_name", one)
        for k, one in enumerate(tasks, 1)
    ]  # fmt: skip
    sheet = sheet.replace("Homework N", f"Homework {found[1][2:]}")
    sheet = sheet.replace("## LAST", f"## {len(tasks) + 1}").replace(
        "SECTIONS\n", "".join(sections)
    )
    return {Path("src", f"{name}.md"): sheet} | {
        Path("tasks", f"{one}.py"): task.replace("my_name", one) for one in tasks
    }
