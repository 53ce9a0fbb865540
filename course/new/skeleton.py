"""A skeleton: files that work as they stand, and the ends in them that are open.

A template is such a file for `my_name`, `MyName` and lesson `NN`. What is left to say in it is
marked with the word `OPEN:`, and runs to the end of its line.
"""

import re
from collections.abc import Iterable
from keyword import iskeyword
from pathlib import Path

from course import BuildError
from course.files import ROOT
from course.lesson.series import find_lessons

TEMPLATES = Path(__file__).parent / "templates"
KINDS = {  # what a skeleton of each kind consists of, file by template
    "lesson": {
        "lesson.md": "notebooks/src/NN_my_name.md",
        "picture.py": "images/NN_my_name.py",
    },
    "exercise": {
        "exercise.py": "attnlib/checks/exercises/my_name.py",
        "exercise_tests.py": "tests/checks/exercises/my_name.py",
    },
    "widget": {
        "widget.py": "attnlib/widgets/my_name.py",
        "widget.jsx": "attnlib/widgets/src/my_name.jsx",
        "widget.css": "attnlib/widgets/src/my_name.css",
        "widget_tests.py": "tests/widgets/test_my_name.py",
        "widget_play.py": "tests/browser/plays/my_name.py",
    },
}
OPEN = re.compile(r"OPEN: (?P<what>.*?)(?: ?[*\"]*(?:\*/|\"\]?)?[,)>;]*)$")
WIDGETS = "attnlib/widgets/__init__.py"
SHARED = "attnlib/pictures/shared.json"


def skeleton(kind: str, name: str, root: Path = ROOT) -> dict[Path, str]:
    """Return the files of a skeleton, by their paths below `root`; nothing is written.

    A lesson closes with an exercise that is called as it is: where there is none of that name, its
    files are among them.

    Raises
    ------
    BuildError
        If the name is not formed as it should be, is taken, or a file is there already.
    """
    number, words = _parted(kind, name, root)
    kinds = ["lesson", "exercise"] if kind == "lesson" else [kind]
    if kind == "lesson" and (root / _filled(_spec(), "", words)).exists():
        kinds.remove("exercise")
    files = {
        Path(_filled(path, number, words)): _filled(
            (TEMPLATES / template).read_text(encoding="utf-8"), number, words
        )
        for one in kinds
        for template, path in KINDS[one].items()
    }
    there = [path.as_posix() for path in files if (root / path).exists()]
    if there:
        raise BuildError(
            f"a skeleton takes no file's place: {kind} {name} would write {len(files)} files, and "
            f"{' and '.join(there)} {'are' if there[1:] else 'is'} there already"
        )
    if kind == "widget":
        files[Path(WIDGETS)] = _registered((root / WIDGETS).read_text("utf-8"), words)
        files[Path(SHARED)] = _with_defaults((root / SHARED).read_text("utf-8"), words)
    return files


def open_ends(paths: Iterable[Path], root: Path = ROOT) -> list[str]:
    """List what is left to say in files below `root`, as `file:line: what`."""
    return [
        f"{path.as_posix()}:{number}: {found['what']}"
        for path in paths
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1)
        if (found := OPEN.search(line))
    ]


def written_by_hand(root: Path = ROOT) -> list[Path]:
    """Return all files that a skeleton may have begun, from `root`."""
    patterns = {
        path.replace("NN_my_name", "[0-9][0-9]_*").replace("my_name", "*")
        for files in KINDS.values()
        for path in files.values()
    }
    found = (path for pattern in patterns for path in root.glob(pattern))
    return sorted(path.relative_to(root) for path in found)


def _parted(kind: str, name: str, root: Path) -> tuple[str, str]:
    """Return a lesson's number, empty for all else, and the name without it."""
    rule, pattern = f"the name of a new {kind} is like my_name", r"()([a-z]+(?:_[a-z0-9]+)*)"
    if kind == "lesson":
        rule, pattern = "the name of a new lesson is like 12_my_name", r"(\d\d)_([a-z]+[a-z0-9_]*)"
    found = re.fullmatch(pattern, name)
    if not found or iskeyword(found[2]):
        raise BuildError(f"{rule}: {name!r} came in, which no file and function can be called")
    number, words = found.groups()
    for lesson in find_lessons(root / "notebooks").values() if number else ():
        if lesson.number == number:
            raise BuildError(
                f"{rule}, with a free number: {name!r} came in, and {number} is {lesson.name}"
            )
        if words in lesson.exercises:
            raise BuildError(
                f"{rule}, and it closes with an exercise {words}: {name!r} came in, and {words} "
                f"stands in {lesson.name}"
            )
    return number, words


def _spec() -> str:
    return KINDS["exercise"]["exercise.py"]


def _filled(text: str, number: str, words: str) -> str:
    """Put a name where a template has its own."""
    in_one = "".join(word.capitalize() for word in words.split("_"))
    return text.replace("NN", number).replace("my_name", words).replace("MyName", in_one)


def _registered(text: str, words: str) -> str:
    """Add a widget to the imports and to `__all__`, in their order."""
    in_one = _filled("MyName", "", words)
    lines = text.splitlines(keepends=True)
    for new, alike in (
        (
            f"    from attnlib.widgets.{words} import {in_one}\n",
            r"    from attnlib\.widgets\.[a-z]",
        ),
        (f'    "{in_one}",\n', r'    "[A-Z]\w+",'),
    ):
        places = [at for at, line in enumerate(lines) if re.match(alike, line)]
        after = [at for at in places if lines[at] < new]
        lines.insert(after[-1] + 1 if after else places[0], new)
    return "".join(lines)


def _with_defaults(text: str, words: str) -> str:
    """Add the default of a widget's input to those of the others."""
    first = '    "Widget": {'
    return text.replace(first, f'    "{_filled("MyName", "", words)}": {{ "x": 1 }},\n{first}')
