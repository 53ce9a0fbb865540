"""A class's settings: a file of one table, and a table for each assignment that has its own."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from course import BuildError
from course.files import HOMEWORK
from course.grading.book.late import Policy

NAME = "class.toml"
TAKES = ("last", "first")
KINDS = {  # what may be said
    "source": (str,), "take": (str,), "per_day": (int, float), "grace": (int, float),
    "zone": (str,), "due": (str, datetime), "roster": (str,), "gradebook": (str,),
    "submitted": (str,), "feedback": (str,),
}  # fmt: skip
OF_ONE = {"source", "take", "per_day", "grace", "zone", "due"}  # what an assignment may have
OF_DEADLINE = ("due", "zone", "per_day", "grace")
OF_ALL = KINDS.keys() - {"due"}
DEFAULTS = {
    "gradebook": "grades.sqlite", "submitted": "submitted", "feedback": "feedback",
    "take": "last", "zone": "UTC", "per_day": 0, "grace": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What a class's folder says, with paths from that folder on."""

    folder: Path
    values: Mapping

    def _path(self, name: str) -> Path:
        return self.folder / self.values.get(name, DEFAULTS[name])

    @property
    def gradebook(self) -> Path:
        """The gradebook's file."""
        return self._path("gradebook")

    @property
    def submitted(self) -> Path:
        """The folder with `STUDENT/hwN/` in it."""
        return self._path("submitted")

    @property
    def feedback(self) -> Path:
        """Where pages for students go."""
        return self._path("feedback")

    @property
    def roster(self) -> Path | None:
        """Who is in the class, if it says so and the table is there."""
        path = self.folder / self.values.get("roster", "")
        return path if path.is_file() else None

    def of(self, number: str, name: str):
        """Return what holds for an assignment: its own, or everybody's; None if nothing is said."""
        own = self.values.get(number, {})
        return own.get(name, self.values.get(name, DEFAULTS.get(name)))

    def source(self, number: str) -> Path:
        """Return the folder that an assignment is made of."""
        found = self.of(number, "source")
        return self.folder / Path(found).expanduser() if found else HOMEWORK

    def policy(self, number: str) -> Policy | None:
        """Return when an assignment is due, and what being late costs; None if it does not say."""
        if "due" not in self.values.get(number, {}):
            return None
        said = {name: self.of(number, name) for name in OF_DEADLINE}
        return Policy(datetime.min).changed(**said)


def is_class(folder: Path) -> bool:
    """Tell whether a folder is a class's."""
    return (folder / NAME).is_file()


def above(place: Path) -> Path | None:
    """Return the class's folder that this one is, or lies in."""
    place = place.absolute()
    return next((one for one in (place, *place.parents) if is_class(one)), None)


def read(folder: Path) -> Settings:
    """Read a class's settings.

    Raises
    ------
    BuildError
        If they cannot be read, or say what nobody knows.
    """
    path = folder / NAME
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BuildError(f"reading {path}: {error}") from error
    for name, value in values.items():
        if isinstance(value, dict):
            _look(path, value, OF_ONE, f"[{name}] ")
        else:
            _look(path, {name: value}, OF_ALL, "")
    return Settings(folder, values)


def _look(path: Path, values: Mapping, known: set[str], where: str) -> None:
    """Refuse what a teacher may have mistyped."""
    for name, value in values.items():
        if name not in known:
            words = f"{where}{name!r} is no setting; there are: {', '.join(sorted(known))}"
        elif not isinstance(value, KINDS[name]) or isinstance(value, bool):
            kinds = " or ".join(kind.__name__ for kind in KINDS[name])
            words = f"{where}{name} = {value!r} is no {kinds}"
        elif name == "take" and value not in TAKES:
            words = f"{where}take = {value!r}: {' or '.join(TAKES)} is possible"
        else:
            words = _wrong(name, value)
        if words:
            raise BuildError(f"reading {path}: {words}")


def _wrong(name: str, value) -> str:
    """Say what is wrong with a part of a deadline, if anything is."""
    if name in OF_DEADLINE:
        try:
            Policy(datetime.min).changed(**{name: value})
        except BuildError as error:
            return str(error)
    return ""
