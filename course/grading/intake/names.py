"""Whose a file is, by the name that a learning platform gave it in a download.

Moodle (4.1 and before) has folders `Ada Lovelace_12345_assignsubmission_file_/`, or puts that
before each file's name; with it may come `…_assignsubmission_onlinetext_`. Canvas has
`lovelaceada_LATE_512_9931_name-2.ipynb`: who, whether late, the user's and the file's number.
nbgrader's exchange has `ada+hw1+2026-11-30 22:10:00 UTC+…/`, and what it collects `ada/hw1/`.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

MOODLE = re.compile(
    r"(?P<name>[^_]+)(?:_(?P<id>\d+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<rest>.*))?",
    re.DOTALL,
)
CANVAS = re.compile(
    r"(?:(?!LATE_)(?P<name>.+?)_)?(?P<late>LATE_)?(?P<id>\d+|anon_\w{5})_(?P<file>\d+)_(?P<rest>.+)",
    re.DOTALL,
)
CANVAS_TEXT = re.compile(
    r"(?P<name>.+?)_(?P<late>LATE_)?(?P<id>\d+)_(?:text|link)\.html", re.DOTALL
)
EXCHANGE = re.compile(
    r"(?P<name>.+?)\+(?P<number>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+]*)"
    r"(?:\+[\w=-]+)?"
)
ASSIGNMENT = re.compile(r"hw\d+")
COPY = re.compile(r"(?:-\d+|[ _]?\(\d+\)| - Copy| copy)*(?=\.ipynb)")  # what a second one is called


@dataclass(frozen=True)
class Named:
    """What a file's name in a download says."""

    platform: str  # "moodle", "canvas", "nbgrader", or nothing
    # Whose it is: as the platform names them, and the number by which it knows them.
    name: str
    ident: str = ""
    inner: str = ""  # the file's own name
    place: str = ""  # what the platform would know it again by, when feedback is handed in
    typed: bool = False  # whether it is text typed into the platform, and no file
    late: bool = False
    serial: int = 0  # a number that grows from one hand-in to the next
    time: str = ""  # when it was handed in, as the exchange has it
    number: str = ""  # the assignment's, where the exchange says it

    @property
    def owner(self) -> tuple[str, str, str]:
        """What is the same for all files of one hand-in."""
        return self.name, self.ident, self.time


def named(path: str, number: str) -> Named | None:
    """Read a file's path in a download; None where it does not say whose it is."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    for at, part in enumerate(parts):  # what is further out was not named by a student
        below = parts[at + 1 :]
        if found := _moodles(part, below) or _exchanged(part, below) or _laid(part, below, number):
            return found
    return _canvases(parts[-1]) if parts else None


def _laid(part: str, below: tuple[str, ...], number: str) -> Named | None:
    if not below[1:] or not (below[0] == number or ASSIGNMENT.fullmatch(below[0])):
        return None
    return Named("nbgrader", part, inner=below[-1], number=below[0])


def _moodles(part: str, below: tuple[str, ...]) -> Named | None:
    if not (found := MOODLE.fullmatch(part)):
        return None
    inner = below[-1] if below else found["rest"]
    if not inner:
        return None
    place = f"{found['name']}_{found['id']}_assignsubmission_file_" if found["id"] else ""
    typed = found["plugin"] == "onlinetext"
    return Named("moodle", found["name"], found["id"] or "", inner, place, typed)


def _exchanged(part: str, below: tuple[str, ...]) -> Named | None:
    if not below or not (found := EXCHANGE.fullmatch(part)):
        return None
    return Named(
        "nbgrader", found["name"], inner=below[-1], time=found["time"], number=found["number"]
    )


def _canvases(name: str) -> Named | None:
    if found := CANVAS_TEXT.fullmatch(name):
        about = {"typed": True, "late": bool(found["late"])}
        return Named("canvas", found["name"], found["id"], name, **about)
    if not (found := CANVAS.fullmatch(name)):
        return None
    called, late = found["name"] or found["id"], bool(found["late"])
    return Named(
        "canvas", called, found["id"], found["rest"], name, late=late, serial=int(found["file"])
    )


def number_in(place: str) -> str:
    """Return the platform's number in a place, of a participant or a user; nothing without one."""
    found = MOODLE.fullmatch(place) or CANVAS.fullmatch(place)
    return (found and found["id"]) or ""


def plain(name: str) -> str:
    """Return a notebook's name without what tells a second one of the same name from the first."""
    return COPY.sub("", name, count=1)
