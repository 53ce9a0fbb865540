"""Who is who: by the class's roster, and by the worksheet that came with a download."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from course import BuildError
from course.grading.book.late import moment
from course.grading.book.tables import read_table
from course.grading.intake.names import Named
from course.grading.submission import composed

PARTICIPANT = "participant "
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
    try:
        bare = datetime.fromisoformat(text)
    except ValueError:
        return moment(text)
    return (bare.replace(tzinfo=zone) if bare.tzinfo is None else bare).astimezone(UTC)


def enrolled(path: Path) -> list[tuple[str, str, str]]:
    """Read student, name and id of each in a platform's own table, of grades or participants.

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
        found.append((next(filter(None, calls), name), name, known))
    if not found:
        raise BuildError(
            f"reading {path}: nobody's name is in it. It is to be Moodle's grading worksheet or "
            "list of participants, or the gradebook that Canvas exports"
        )
    often = Counter(_key(student) for student, *_ in found)
    return [
        (folder_name(student if often[_key(student)] == 1 else f"{name} {known}"), name, known)
        for student, name, known in found
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
        self._keys, self._teams = {}, {}
        for row in roster:
            for key in ("student", "id", "email"):
                self._keys.setdefault(_key(row.get(key, "")), row["student"])
            if row.get("team"):
                self._teams.setdefault(_key(row["team"]), []).append((row["student"], None))
        self._keys.pop("", None)
        self._called = {row["student"]: _spoken(row.get("name", "")) for row in roster}
        named = [(name, row["student"]) for row in roster for name in self._called[row["student"]]]
        often = Counter(name for name, _ in named)
        self._names = {name: student for name, student in named if often[name] == 1}
        self._rows = {row.participant: row for row in worksheet if row.participant}
        self._times = {}
        for row in worksheet:
            self._times.setdefault(self._of_row(row), row)
            if row.team:
                member = self._of_row(row), row
                self._teams.setdefault(_key(row.team), []).append(member)

    def _of_row(self, row: Row) -> str:
        keys = map(_key, (row.participant, *row.keys))
        found = next((self._keys[key] for key in keys if key in self._keys), None)
        return (
            found
            or self._names.get(_squeezed(row.name))
            or folder_name(row.name or (row.keys or ("",))[0])
        )

    def find(self, one: Named) -> list[tuple[str, str, bool]]:
        """Return whose it is: each student, their place on the platform, and if they are known.

        What a group handed in is everybody's who is in it.
        """
        if row := self._rows.get(one.ident):
            return [(self._of_row(row), one.place, True)]
        if team := self._teams.get(_key(one.name)):
            return [(who, _place(row) if row else "", True) for who, row in team]
        known = self._by_number(one) or self._keys.get(_key(one.name))
        if known := known or self._names.get(_squeezed(one.name)):
            return [(known, one.place, True)]
        apart = f"_{one.ident}" if one.platform == "canvas" and one.ident != one.name else ""
        return [(folder_name(one.name + apart), one.place, False)]

    def _by_number(self, one: Named) -> str | None:
        """Find a student by the platform's number; Moodle has others for each assignment."""
        found = self._keys.get(_key(one.ident))
        called = self._called.get(found, ())
        is_right = one.platform != "moodle" or not called or one.name.lower() in PARTICIPANT
        return found if is_right or _squeezed(one.name) in called else None

    def time(self, student: str) -> tuple[datetime | None, str]:
        """Return when a student handed in, and what the worksheet says where nobody can read it."""
        row = self._times.get(student)
        return (row.submitted, row.unread) if row else (None, "")


def folder_name(name: str) -> str:
    """Make a folder's name of somebody's: no path, no control, and not too long."""
    text = "".join("-" if c in "/\\" or not c.isprintable() else c for c in composed(name))
    text = text.strip(" '.") or "nameless"
    while len(text.encode()) > LONGEST:
        text = text[:-1]
    return text


def _place(row: Row) -> str:
    return f"{row.name}_{row.participant}_assignsubmission_file_" if row.participant else ""


def _key(text: str) -> str:
    return " ".join(composed(text).casefold().split()).removeprefix(PARTICIPANT)


def _squeezed(name: str) -> str:
    """Return a name as Canvas writes it, without what is no letter."""
    return re.sub(r"[\W_]", "", composed(name).casefold())


def _spoken(name: str) -> set[str]:
    """Return a name squeezed, however its words are turned: the last name first, say."""
    words = name.replace(",", " ").split()
    return {_squeezed(" ".join(words[n:] + words[:n])) for n in range(len(words))}
