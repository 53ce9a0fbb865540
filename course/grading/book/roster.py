"""Who is in a class: a table becomes the gradebook's roster."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from course import BuildError
from course.grading.book.gradebook import Gradebook
from course.grading.book.late import zone_of
from course.grading.book.records import Student
from course.grading.book.tables import number, read_table
from course.grading.book.words import count
from course.homework.variants import FIRST

Extensions = dict[str, dict[str, float]]  # days, by assignment and student


def read_roster(path: Path) -> tuple[list[Student], Extensions]:
    """Read who is in the class, and who has more time.

    Raises
    ------
    BuildError
        If it cannot be read, a group is none, or somebody is there twice.
    """
    students, extensions = [], {}
    for row in read_table(path, ["student"]):
        zone = row.get("zone", "")
        if zone:
            zone_of(zone)
        names = row["student"], row.get("name", ""), row.get("id", "")
        students.append(Student(*names, zone, _group(row, path), row.get("team", "")))
        for name, cell in row.items():
            if name.startswith("hw"):
                more = extensions.setdefault(name, {})
                if cell:
                    more[row["student"]] = number(cell, path, row["student"])
    for twice in (
        _twice(one.student for one in students),
        _twice(one.other_id for one in students),
    ):
        if twice:
            raise BuildError(f"reading {path}: {twice} is there twice")
    return students, extensions


def is_other(book: Gradebook, students: Iterable[Student], extensions: Extensions) -> bool:
    """Tell whether this is not what the gradebook has."""
    now = {one.student: one for one in students}
    return now != book.students() or any(
        {who: days for who, days in book.extensions(name).items() if who in now} != more
        for name, more in extensions.items()
    )


def put(book: Gradebook, students: Iterable[Student], extensions: Extensions) -> list[str]:
    """Put a roster in the place of the old one; return lines that say what is new."""
    before, now = {*book.students()}, {one.student for one in students}
    had = {name: now & {*book.extensions(name)} for name in extensions}
    book.set_students(students, extensions)
    lines = [count(len(now), "student") + ", in place of those who were there" * bool(before)]
    told = {"new": now - before, "no longer there": before - now} if before else {}
    told |= {f"more time for {name}": {*more} for name, more in sorted(extensions.items())}
    told |= {f"no more time for {name}": had[name] - {*extensions[name]} for name in sorted(had)}
    told["in one team, but of several groups"] = _parted(students)
    told["handed in, but not here"] = book.known() - now
    return lines + [f"{what}: {', '.join(sorted(who))}" for what, who in told.items() if who]


def _parted(students: Iterable[Student]) -> set[str]:
    """Return who is in a team whose one file would be judged by several groups' sheets."""
    teams: dict[str, dict[str, str]] = {}
    for one in students:
        if one.team:
            teams.setdefault(one.team.casefold(), {})[one.student] = one.group or FIRST
    return {who for team in teams.values() if len({*team.values()}) > 1 for who in team}


def _twice(names: Iterable[str]) -> str:
    return next((name for name, n in Counter(names).items() if name and n > 1), "")


def _group(row: Mapping[str, str], path: Path) -> str:
    """Read whose sheet is a student's; nothing where no group is named."""
    group = row.get("group", "").strip().upper()
    if not re.fullmatch("[A-Z]?", group):
        raise BuildError(
            f"reading {path}: a group is a letter, A, B, C and so on, as the sheets have it: "
            f"{row['student']} is in {group}"
        )
    return group
