"""What a student handed in: a notebook, whatever state it is in."""

import hashlib
import json
import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 20 << 20
MOST_CELLS = 1_000
DEEPEST, MOST_FOLDERS = 3, 20  # where a notebook is looked for below its folder
MOST_FILES = 5_000  # notebooks and folders in one of them
VERSION = re.compile(r"(\d{1,2})\.(\d{1,3})\b", re.ASCII)  # 3.12 of 3.12.1
PICTURE = re.compile(r"(data:[\w/+.-]{1,60};base64,)([A-Za-z0-9+/=]+)")

ANOTHERS = "it may be another assignment's notebook"  # where none of its functions is named


class UngradedError(Exception):
    """A submission that cannot be graded; the message says why, for the student and the teacher."""


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook."""

    kind: str  # `"code"`, or what it is instead
    name: str  # what nbgrader calls it, where students write in it
    ident: str  # its id, where it has one
    source: str


@dataclass(frozen=True)
class Submission:
    """The parts of a notebook that matter."""

    cells: tuple[str, ...]  # its code, in order
    all_cells: tuple[Cell, ...] = ()  # all of it, in order
    beside: tuple[str, ...] = ()  # the names of other notebooks in its folder, which are not read
    python: tuple[int, ...] = ()  # the version that ran it, where it says so: 3, 12, say


def find(folder: Path, name: str) -> list[Path]:
    """Find the notebook of a folder: that with the assignment's name, or the only one.

    It comes first, and others that lie beside it after it. Where there is none, the folders in it
    are looked at: a zip may have brought one. What a Mac or an editor puts beside a notebook is
    none, and a browser may have called one otherwise.

    Raises
    ------
    UngradedError
        If there is none, or nothing says which.
    """
    try:
        found, folders = _notebooks(folder)
        for _ in range(DEEPEST):
            if found or not folders:
                break
            pairs = [_notebooks(one) for one in folders[:MOST_FOLDERS]]
            found = [path for paths, _ in pairs for path in paths]
            folders = [one for _, below in pairs for one in below]
    except OSError as error:
        raise UngradedError(f"its folder cannot be read: {error.strerror}") from error
    if named := [path for path in found if _plain(path.name) == _plain(name)]:
        first = min(named, key=lambda path: (path.name != name, path))
        return [first, *(path for path in found if path != first)]
    if not found:
        raise UngradedError(f"there is no notebook; {name} is expected")
    if found[1:]:
        names = ", ".join(readable(path.name) for path in found[:5])
        raise UngradedError(f"there are several notebooks ({names}), and none is called {name}")
    return found


def _notebooks(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the notebooks of a folder and the folders in it, without what is hidden."""
    found, folders = [], []
    with os.scandir(folder) as there:
        for one in there:
            if one.name[0] in "._":
                continue
            if one.is_dir(follow_symlinks=False):
                folders.append(folder / one.name)
            if _plain(one.name).endswith(".ipynb"):
                found.append(folder / one.name)
            if len(found) + len(folders) > MOST_FILES:
                raise UngradedError(
                    f"one folder holds more than {MOST_FILES:,} notebooks, or folders"
                )
    return sorted(found), sorted(folders)


def _plain(name: str) -> str:
    """Return a name however a system spells it, without what a browser puts behind it."""
    name = unicodedata.normalize("NFC", name).casefold()
    return name.removesuffix(".txt").removesuffix(".json")


def read(path: Path) -> Submission:
    """Read a notebook.

    Raises
    ------
    UngradedError
        If it is none, or too large, or not a file of its own.
    """
    return parse(load(path))


def load(path: Path) -> bytes:
    """Return the bytes of a notebook's file.

    Raises
    ------
    UngradedError
        If it is too large, or not a file of its own.
    """
    try:
        data = contents(path, MOST_BYTES)
    except OSError as error:
        raise UngradedError(f"it cannot be read: {error.strerror}") from error
    if data is None:
        raise UngradedError("it is a link or a folder, not a file")
    if len(data) > MOST_BYTES:
        raise UngradedError(f"it has more than {MOST_BYTES >> 20} MB, and those are not read")
    return data


def contents(path: Path, most: int) -> bytes | None:
    """Return what is in a file of its own, one byte more than `most` at most; None if it is none.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    if path.is_symlink():
        return None
    # It may be another thing by now, and one that never ends.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        return file.read(most + 1)


def composed(name: str) -> str:
    """Return a name as most systems write it: a Mac's *é* is an *e* and an accent (NFC)."""
    return unicodedata.normalize("NFC", name)


def readable(name: str) -> str:
    """Write a file's name so that it is text, in one line, and no other name is written so."""
    text = os.fsencode(name).decode("utf-8", "surrogateescape").replace("\\", "\\\\")
    inner = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
    bare = inner.strip(" '")
    before, _, after = inner.partition(bare) if bare else (inner, "", "")
    return _told(before) + bare + _told(after)


def _told(outer: str) -> str:
    return outer.replace(" ", "\\x20").replace("'", "\\x27")


def parse(data: bytes) -> Submission:
    """Read a notebook's bytes.

    Raises
    ------
    UngradedError
        If they are none.
    """
    if not data.strip():
        raise UngradedError("the file is empty")
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UngradedError("it is not text in UTF-8") from error
    except RecursionError as error:
        raise UngradedError("it is nested too deep") from error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(data.decode("utf-8-sig").rstrip()) - 1
        raise UngradedError(
            "it ends in the middle" if cut else "it is damaged, or no notebook"
        ) from error
    except ValueError as error:
        raise UngradedError("there is a number in it of thousands of digits") from error
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if version not in (None, 4):
        raise UngradedError(f"it is of version {version!r:.20}; save it as version 4")
    if version is None or not isinstance(notebook.get("cells"), list):
        raise UngradedError("it is no notebook")
    if len(notebook["cells"]) > MOST_CELLS:
        raise UngradedError(f"it has more than {MOST_CELLS:,} cells")
    cells = tuple(map(cell_of, notebook["cells"]))
    return made_of(cells, _python(notebook.get("metadata")))


def made_of(cells: tuple[Cell, ...], python: tuple[int, ...]) -> Submission:
    """Make a submission of a notebook's cells, and of the Python that ran them."""
    code = tuple(one.source for one in cells if one.kind == "code")
    return Submission(code, cells, python=python)


def _python(metadata) -> tuple[int, ...]:
    """Return the version of Python that a notebook says it was run with, as far as it says so."""
    told = metadata.get("language_info") if isinstance(metadata, dict) else None
    told = told.get("version") if isinstance(told, dict) else None
    found = VERSION.match(told) if isinstance(told, str) else None
    return tuple(map(int, found.groups())) if found else ()


def cell_of(cell) -> Cell:
    """Read a cell, as JSON has it.

    Raises
    ------
    UngradedError
        If it is none.
    """
    if not isinstance(cell, dict):
        raise UngradedError("one of its cells is none")
    source = cell.get("source", "")
    source = "".join(map(str, source)) if isinstance(source, list) else source
    if not isinstance(source, str):
        raise UngradedError("one of its cells has no text")
    source = source.encode("utf-8", "replace").decode("utf-8")  # JSON may hold half a letter
    source = source.replace("\r\n", "\n")
    kind = str(cell.get("cell_type"))[:20]
    if kind != "code":
        source = PICTURE.sub(_sign, source)
    return Cell(kind, _name(cell), str(cell.get("id"))[:200], source)


def _sign(picture: re.Match) -> str:
    """Put a sign for a picture that stands in a text, as Colab has it: it may hide the words."""
    return f"{picture[1]}{hashlib.sha256(picture[2].encode()).hexdigest()[:12]}"


def _name(cell: dict) -> str:
    """Return the name that nbgrader gave to a cell in which students write, if it has one."""
    marks = cell.get("metadata")
    marks = marks.get("nbgrader") if isinstance(marks, dict) else None
    if not isinstance(marks, dict) or not marks.get("solution"):
        return ""
    return str(marks.get("grade_id", ""))[:200]
