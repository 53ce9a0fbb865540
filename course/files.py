"""Files as all faces write them: whole or not at all, and only where something changed."""

import hashlib
import os
import re
import shutil
from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COURSE = ROOT / "course"
HOMEWORK = ROOT / "notebooks" / "homework"
BUNDLE = ROOT / "attnlib" / "widgets" / "widgets.js"
COMMON = (COURSE / "files.py", COURSE / "lesson", COURSE / "render")  # what every face is made with


# Reading what a command line names


def folder(name: str) -> Path:
    """Return the whole path of a folder that is there, for all that is made beside it."""
    path = Path(os.path.abspath(name))  # not `resolve`: what is beside a link is meant
    if not path.is_dir():
        found = "a file" if path.exists() else "nothing"
        raise ArgumentTypeError(f"a folder is needed: {name!r} is {path}, and {found} is there")
    return path


# Writing


@contextmanager
def draft(path: Path) -> Iterator[Path]:
    """Name a file to write beside `path`; it takes the place of `path` unless something fails."""
    new = path.with_name(f".new.{path.name}")  # the ending stays: a browser goes by it
    try:
        yield new
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def write(path: Path, data: bytes) -> bool:
    """Write a file, and leave it alone if it holds these bytes already; return if it changed."""
    if path.exists() and path.read_bytes() == data:
        return False
    with draft(path) as new:
        new.write_bytes(data)
    return True


def read_folder(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder, by their path below it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def fill(folder: Path, files: Mapping[str, bytes]) -> int:
    """Make a folder hold these files and no others; return how many others there were."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, data)
    others = read_folder(folder).keys() - files.keys()
    for name in others:
        (folder / name).unlink()
    return len(others)


def publish(files: Mapping[str, Path], folder: Path) -> tuple[int, int]:
    """Put a folder of copies of these files in the place of `folder`, or leave that as it was.

    What is there with the same bytes stays the same file, with its time.

    Returns
    -------
    tuple of int
        How many files were written, and how many were deleted.
    """
    folder = folder.resolve()  # a link stays one
    new, old = folder.with_name(f".{folder.name}.new"), folder.with_name(f".{folder.name}.old")
    _undo(folder, new, old)  # what a run left that was killed
    there = read_folder(folder)
    same = {name for name, path in files.items() if there.get(name) == path.read_bytes()}
    written, deleted = len(files) - len(same), len(there.keys() - files.keys())
    if written or deleted:
        try:
            for name, path in files.items():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                if name in same:
                    _link(folder / name, new / name)
                else:
                    shutil.copyfile(path, new / name)
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
        finally:
            _undo(folder, new, old)
    return written, deleted


def _undo(folder: Path, new: Path, old: Path) -> None:
    """Bring the old folder back where no new one took its place, and delete what is beside it."""
    if old.exists() and not folder.exists():
        old.rename(folder)
    for beside in (new, old):
        shutil.rmtree(beside, ignore_errors=True)


def _link(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:  # some file systems have no links
        shutil.copy2(path, target)


# Making anew, or not: one rule for every face
#
# What is made carries a number, its digest: of the files it was made from, the code of the room
# that made it and of what all rooms share, the widgets' bundle, and the installed packages.
# Where the number would be the same today, it is not made again.


def digest(contents: Mapping[str, bytes]) -> str:
    """Return a number for contents with their names; another number, other contents."""
    number = hashlib.sha256()
    for name, content in sorted(contents.items()):
        number.update(f"{name}\0{len(content)}\0".encode() + content)
    return number.hexdigest()


def made_from(room: str, inputs: Iterable[Path]) -> str:
    """Return the digest of what a room of `course`, such as "slides", makes of these files."""
    parts = {f"input {path.name}": path.read_bytes() for path in inputs if path.is_file()}
    return digest(parts | {"makers": makers(room).encode()})


def made_of(page: Path) -> str:
    """Return the digest that a page carries in its first line of HTML; empty where it has none."""
    if not page.exists():
        return ""
    with page.open(encoding="utf-8") as lines:
        found = re.search(r'data-made-from="(\w+)"', lines.read(1000))
    return found[1] if found else ""


def is_current(page: Path, room: str, inputs: Iterable[Path]) -> bool:
    """Tell whether a room would make this page of these files today."""
    return made_of(page) == made_from(room, inputs)


def is_printed_from(pdf: Path, page: Path) -> bool:
    """Tell whether a PDF, which carries no number, is there and not older than its page."""
    return pdf.exists() and pdf.stat().st_mtime_ns >= page.stat().st_mtime_ns


@cache
def makers(room: str) -> str:
    """Return the digest of what makes a room's files: code, templates, bundle, packages."""
    folders = (*COMMON, COURSE / room)
    paths = [p for folder in folders for p in (folder.rglob("*") if folder.is_dir() else [folder])]
    code = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in (*paths, BUNDLE)
        if path.is_file() and path.suffix != ".pyc"
    }
    return digest(code | {"packages": "\n".join(_packages()).encode()})


@cache
def _packages() -> tuple[str, ...]:
    return tuple(sorted(f"{found.name} {found.version}" for found in distributions()))
