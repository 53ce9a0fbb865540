"""Command lines in a class's folder: what its settings say need not be said again."""

import argparse
import errno
from pathlib import Path

from course import BuildError
from course.files import HOMEWORK
from course.grading.book.words import clean
from course.grading.classroom.settings import NAME, Settings, above, is_class, read

GRADEBOOKS = (".sqlite", ".sqlite3", ".db")
FULL = """\
the disk is full. What was written before is there, each file whole; make room, and give the same \
command again"""
MAGIC = b"SQLite format 3\0"


class Parser(argparse.ArgumentParser):
    """A parser that takes options before, between and behind what has no dashes."""

    _is_mixing = False

    def parse_known_args(self, args=None, namespace=None):
        """Parse; of a parser with actions, each action's own parser mixes."""
        if self._is_mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_mixing = False


def placed(argv: list[str], here: Path) -> list[str]:
    """Put the class's folder behind an action, where one is run inside it and names no gradebook.

    A folder in the place of a gradebook is a class's, so it stands for its gradebook.
    """
    folder = above(here)
    if folder is None or not argv or argv[0].startswith("-"):
        return argv
    if argv[1:] and _is_gradebook(Path(argv[1])):
        return argv
    return [argv[0], str(folder), *argv[1:]]


def _is_gradebook(path: Path) -> bool:
    if is_class(path) or path.suffix in GRADEBOOKS:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def settings_of(place: Path | None, here: Path) -> Settings | None:
    """Return the settings of a class: of the folder that was given, or of the one we are in.

    Raises
    ------
    BuildError
        If its file cannot be read.
    """
    if place is not None:
        return read(place) if is_class(place) else None
    folder = above(here)
    return read(folder) if folder else None


def ending(error: Exception) -> str:
    """Say in a line why a command ends; of a full disk, what is there, and what to do."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FULL
    return clean(error)


def source_for(options, settings: Settings | None) -> Path:
    """Return where an assignment is: as it was said, as the class says, or the course's own."""
    if options.source is not None:
        return options.source
    return settings.source(options.assignment) if settings else HOMEWORK


def needed(place: Path | None, what: str) -> Path:
    """Return it, or say that it is to be named outside of a class's folder.

    Raises
    ------
    BuildError
        If it is None.
    """
    if place is None:
        raise BuildError(f"name {what}; only in a class's folder, with a {NAME}, is it known")
    return place
