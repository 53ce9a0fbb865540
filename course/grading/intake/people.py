"""Who is who: by the class's roster, and by the worksheet that came with a download."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from course import BuildError
from course.grading.book.late import moment
from course.grading.book.tables import read_table
from course.grading.intake.names import Named
from course.grading.submission import composed

PARTICIPANT = "participant "
NO_TEAM = "Default group"  # what Moodle calls the group of those who are in none
LONGEST = 200  # bytes of a folder's name
KEYS = ("username", "id number", "email address", "id", "sis user id", "sis login id", "student")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
SAID = re.compile(  # Wednesday, 10 June 2026, 2:14 PM; or with the month before the day
    r"\w+, (?:(?P<day>\d+) (?P<month>\w+),?|(?P<month2>\w+) (?P<day2>\d+),?) (?P<year>\d{4}), "
    r"(?P<hour>\d+):(?P<minute>\d\d)\s*(?P<half>[AaPp][Mm])?"
)


@dataclass(frozen=True)
class Row:
    """A line of a worksheet: a participant, and when they handed in."""

    participant: str
    name: str
    keys: tuple[str, ...]
    team: str
    submitted: datetime | None
    unread: str = ""  # a time that nobody can read


def read_worksheet(path: Path, zone: ZoneInfo) -> list[Row]:
    """Read Moodle's grading worksheet, or a table of one's own, with student and submitted.

    Raises
    ------
    BuildError
        If it cannot be read, or says of nobody when.
    """
    rows = [_row(one, zone) for one in read_table(path, [])]
    if not any(row.submitted or row.unread for row in rows):
        raise BuildError(
            f"reading {path}: nobody's time is in it. It is to have Moodle's columns Identifier "
            "and Last modified (submission), or student and submitted"
        )
    return rows


def _row(cells: dict[str, str], zone: ZoneInfo) -> Row:
    said = cells.get("last modified (submission)", cells.get("submitted", "")).strip()
    try:
        time = time_said(said, zone) if said not in ("", "-") else None
        unread = ""
    except ValueError:
        time, unread = None, said
    participant = cells.get("identifier", "").lower().removeprefix(PARTICIPANT)
    keys = tuple(cells[key] for key in KEYS if cells.get(key))
    name = cells.get("full name", cells.get("name", ""))
    return Row(participant, name, keys, cells.get("group", cells.get("team", "")), time, unread)


def time_said(text: str, zone: ZoneInfo) -> datetime:
    """Read a time as Moodle writes it in English, or as ISO 8601 has it; without a zone, in ours.

    Raises
    ------
    ValueError
        If it is none.
    """
    if found := SAID.fullmatch(text):
        month = MONTHS.index((found["month"] or found["month2"]).lower()) + 1
        hour = int(found["hour"])
        if found["half"]:
            hour = hour % 12 + 12 * (found["half"].lower() == "pm")
        day, year = int(found["day"] or found["day2"]), int(found["year"])
        return datetime(year, month, day, hour, int(found["minute"]), tzinfo=zone).astimezone(UTC)
    return moment(text, zone)


def enrolled(path: Path) -> list[tuple[str, str, str, str]]:
    """Read student, name, id and team of each in a platform's table, of grades or participants.

    A student is called by the name they log in with, else as their address begins, else by their
    number, and where two would be called alike, by their name and what the platform knows them by.

    Raises
    ------
    BuildError
        If it cannot be read, or tells of nobody.
    """
    found = []
    for cells in read_table(path, []):
        name = (
            cells.get("full name")
            or cells.get("name")
            or cells.get("student")
            or " ".join(cells.get(part, "") for part in ("first name", "last name"))
        )
        if name.strip() in ("", "Points Possible", "Student, Test"):
            continue
        last, _, first = name.partition(", ")
        name = f"{first} {last}".strip()
        address = cells.get("email address", "")
        number = cells.get("id number", "")
        login = cells.get("username") or cells.get("sis login id") or address
        calls = (login.partition("@")[0], number, cells.get("sis user id", ""))
        known = cells.get("id") or number or address
        team = cells.get("groups") or cells.get("group", "")
        team = "" if team == NO_TEAM else team
        found.append((next(filter(None, calls), name), name, known, team))
    if not found:
        raise BuildError(
            f"reading {path}: nobody's name is in it. It is to be Moodle's grading worksheet or "
            "list of participants, or the gradebook that Canvas exports"
        )
    often = Counter(_key(student) for student, *_ in found)
    return [
        (folder_name(called if often[_key(called)] == 1 else f"{name} {known}"), name, known, team)
        for called, name, known, team in found
    ]


class People:
    """Those of a class, as a roster and a worksheet know them.

    Parameters
    ----------
    roster
        Rows with student, and with name, id and team where they are known.
    worksheet
        The platform's own, of one assignment.
    """

    def __init__(self, roster: Sequence[dict[str, str]], worksheet: Sequence[Row] = ()):
        self.is_known = bool(roster)
        self._keys = {}
        for row in roster:
            for key in ("student", "id", "email"):
                self._keys.setdefault(_key(row.get(key, "")), row["student"])
        self._keys.pop("", None)
        self._called = {row["student"]: _spoken(row.get("name", "")) for row in roster}
        named = [(name, row["student"]) for row in roster for name in self._called[row["student"]]]
        often = Counter(name for name, _ in named)
        self._names = {name: student for name, student in named if often[name] == 1}
        self._rows = {row.participant: self._of_row(row) for row in worksheet if row.participant}
        self._times, self._teams = {}, {}
        for row in worksheet:
            owner = self._of_row(row)
            if owner.is_known or not row.participant:
                self._times.setdefault(owner.student, row)
            if row.team:
                self._teams.setdefault(_key(row.team), {})[owner.student] = owner
        for row in roster:
            if team := _key(row.get("team", "")):
                owner = Owner(row["student"], True, self._times.get(row["student"]))
                self._teams.setdefault(team, {}).setdefault(row["student"], owner)

    def _of_row(self, row: Row) -> "Owner":
        keys = map(_key, row.keys)
        found = next((self._keys[key] for key in keys if key in self._keys), None)
        found = found or self._by_number(row.participant, row.name)
        if found := found or self._names.get(_squeezed(row.name)):
            return Owner(found, True, row)
        return Owner(folder_name(row.name or (row.keys or ("",))[0]), False, row)

    def find(self, one: Named) -> list["Owner"]:
        """Return whose it is; what a group handed in is everybody's who is in it."""
        if (owner := self._rows.get(one.ident)) and _may_be(owner.row.name, one.name):
            return [replace(owner, place=one.place)]
        if team := self._teams.get(_key(one.name)):
            return [replace(owner, place=_place(owner.row)) for owner in team.values()]
        if one.platform == "moodle":
            known = self._by_number(one.ident, one.name)
        else:
            known = self._keys.get(_key(one.ident))
        known = known or self._keys.get(_key(one.name)) or self._names.get(_squeezed(one.name))
        student = known or stranger(one)
        # It may be a group, and Moodle would take a group's number for a participant's.
        is_sure = not self._rows and (known or not self.is_known)
        place = one.place if is_sure else ""
        return [Owner(student, known is not None, self._times.get(student), place)]

    def knows(self, student: str) -> bool:
        """Tell whether they are on the roster."""
        return student in self._called

    def _by_number(self, participant: str, name: str) -> str | None:
        """Find a student by Moodle's number, where the name agrees: each assignment has others."""
        found = self._keys.get(_key(participant))
        called = self._called.get(found, ())
        return found if not called or _is_blind(name) or _squeezed(name) in called else None


@dataclass(frozen=True)
class Owner:
    """A student of whom a hand-in is: whether we know them, and their line in the worksheet."""

    student: str
    is_known: bool
    row: Row | None = None
    place: str = ""  # the folder by which Moodle takes a page back for them alone; or nothing


def stranger(one: Named) -> str:
    """Return what somebody is called whom no roster knows."""
    apart = f"_{one.ident}" if one.platform == "canvas" and one.ident != one.name else ""
    return folder_name(one.name + apart)


def folder_name(name: str) -> str:
    """Make a folder's name of somebody's: no path, no control, and not too long."""
    text = "".join("-" if c in "/\\" or not c.isprintable() else c for c in composed(name))
    text = text.strip(" '.") or "nameless"
    while len(text.encode()) > LONGEST:
        text = text[:-1]
    return text


def _is_blind(name: str) -> bool:
    """Tell whether Moodle hides who it is."""
    return _key(name) == PARTICIPANT.strip()


def _may_be(name: str, other: str) -> bool:
    """Tell whether a participant of this name may be called so in a download: no group is."""
    parts = other.split("-")  # an older Moodle puts the group and a hyphen before the name
    called = {_squeezed("-".join(parts[n:])) for n in range(len(parts))}
    return not name or _is_blind(other) or _squeezed(name) in called


def _place(row: Row | None) -> str:
    there = row is not None and row.participant
    return f"{row.name}_{row.participant}_assignsubmission_file_" if there else ""


def _key(text: str) -> str:
    return " ".join(composed(text).casefold().split()).removeprefix(PARTICIPANT)


def _squeezed(name: str) -> str:
    """Return a name as Canvas writes it, without what is no letter."""
    return re.sub(r"[\W_]", "", composed(name).casefold())


def _spoken(name: str) -> set[str]:
    """Return a name squeezed, however its words are turned: the last name first, say."""
    words = name.replace(",", " ").split()
    return {_squeezed(" ".join(words[n:] + words[:n])) for n in range(len(words))}
