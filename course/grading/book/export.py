"""Points for a learning platform: into the table that it handed out, or into a new one."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from course import BuildError
from course.grading.book.late import Policy
from course.grading.book.scores import Score
from course.grading.book.tables import delimiter_of, harmless, read_text, write_table
from course.grading.book.tally import most_points
from course.grading.intake.names import number_in
from course.grading.intake.record import Collected
from course.grading.judge import Assignment

# Where a platform's own table says who a student is, where points go, and where words go.
WHO = {
    "canvas": ("SIS Login ID", "SIS User ID", "ID"),
    "moodle": ("Identifier", "Username", "ID number", "Email address"),
}
CALLED = {"canvas": "Student", "moodle": "Full name"}
MOODLES_GRADE, MOODLES_WORDS = "Grade", "Feedback comments"
MOODLES_MOST = ("Maximum grade", "Maximum Grade")  # today, and before
NUMBERED = {"canvas": "ID", "moodle": "Identifier"}  # by a number of the platform's own
NBGRADERS = (  # as `nbgrader export` has them
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
POSSIBLE = "Points Possible"  # in place of a student, in Canvas
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
PARTICIPANT = "Participant "  # with which Moodle begins an identifier


def points(score: Score) -> float | None:
    """Return what a student has; None where that is not known, which is no 0."""
    return score.total if score.state == "graded" else None


def new_table(
    platform: str,
    assignment: Assignment,
    scores: Iterable[Score],
    column: str = "",
    policy: Policy | None = None,
    times: Mapping[str, str] = MappingProxyType({}),
):
    """Return the names and rows of a table of our own, with the columns that a platform documents.

    Canvas may be told the points' column; nbgrader hears of the deadline and of times, in UTC.
    """
    most = most_points(assignment)
    if platform == "canvas":
        known = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
        names = (*known, column or assignment.title)
        rows = [(f"    {POSSIBLE}", "", "", "", "", most)]
        return names, rows + [(s.name, s.other_id, "", s.student, "", points(s)) for s in scores]
    if platform == "moodle":
        names = ("Username", "ID number", "Full name", MOODLES_GRADE, MOODLES_WORDS)
        return names, [(s.student, s.other_id, s.name, points(s), words(s)) for s in scores]
    due = policy.due.isoformat(" ") if policy else ""
    rows = []
    for s in scores:
        earned = s.code + s.written
        known = (earned, earned - s.total, s.total) if s.state == "graded" else (None,) * 3
        named = (s.student, s.name, "", s.other_id if "@" in s.other_id else "")
        rows.append((assignment.number, due, times.get(s.student, ""), *named, *known, most))
    return NBGRADERS, rows


def numbers(platform: str, known: Mapping[str, Collected]) -> dict[str, str]:
    """Return whose the numbers are by which a platform named the hand-ins of an assignment."""
    there = {student: one.place for student, one in known.items() if one.platform == platform}
    return {number: who for who, place in there.items() if (number := number_in(place))}


def words(score: Score) -> str:
    """Return what a platform may show beside the points: why there are none, or being late."""
    return f"Not graded: {score.why}." if score.state == "ungraded" else score.late


def fill(
    platform: str,
    theirs: Path,
    target: Path,
    assignment: Assignment,
    scores: Sequence[Score],
    *,
    column: str = "",
    scaled: bool = False,
    numbers: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, list[str], list[str]]:
    """Write a platform's own table with our points in it.

    Nothing else is changed, but for empty cells where Moodle wants words.

    Parameters
    ----------
    platform
        Whose table it is.
    theirs, target
        The table that was downloaded, and the one to upload.
    assignment, scores
        What is filled in. Who has no points keeps what stands there.
    column
        The points' column; without it, in Canvas the one with the assignment's title or number.
    scaled
        Whether points become the same share of the column's maximum, where that is another.
    numbers
        Students by the platform's own numbers, where they are known of its download.

    Returns
    -------
    n : int
        How many rows have points now.
    strangers : list of str
        Students with points whom the table does not have.
    others : list of str
        Whom the table has, and nobody here knows.

    Raises
    ------
    BuildError
        If the table has no such column, or another maximum and `scaled` is not said, if two rows
        are of the same student, or none is of anybody.
    """
    text = read_text(theirs)
    delimiter = delimiter_of(text)
    names, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    at = _column(names, platform, assignment, column, theirs)
    told = names.index(MOODLES_WORDS) if platform == "moodle" and MOODLES_WORDS in names else None
    for row in rows:
        row += [""] * (len(names) - len(row))
    students = [row for row in rows if row[0].strip() != POSSIBLE]
    factor = _factor(names, rows, at, most_points(assignment), theirs, scaled=scaled)
    found: dict[str, int] = {}
    others = []
    for row, score in zip(students, _who(platform, names, students, scores, numbers), strict=True):
        if score is None:
            others.append(" ".join(cell for cell in row[:2] if cell.strip()))
            continue
        if found.setdefault(score.student, id(row)) != id(row):
            raise BuildError(f"reading {theirs}: two rows are of {score.student}")
        if (value := points(score)) is not None:
            row[at] = f"{round(value * factor, 2):g}"
        if told is not None:
            row[told] = row[told] or harmless(words(score))
    graded = [score.student for score in scores if points(score) is not None]
    if not found:
        raise BuildError(f"reading {theirs}: no row is of anybody here; is it {platform}'s?")
    write_table(target, names, rows, delimiter=delimiter, is_theirs=True)
    strangers = [student for student in graded if student not in found]
    return len({*graded} & {*found}), strangers, [one for one in others if one]


def _column(names, platform: str, assignment: Assignment, column: str, path: Path) -> int:
    """Find the points' column; Canvas writes a number in brackets behind an assignment's title."""
    ours = (column,) if column else (assignment.title, assignment.number)
    any_of = "|".join(map(re.escape, ours))
    shape = (
        rf"({any_of})( \(\d+\))?" if platform == "canvas" else re.escape(column or MOODLES_GRADE)
    )
    wanted = [name for name in names if re.fullmatch(shape, name.strip())]
    if len(wanted) != 1:
        raise BuildError(
            f"reading {path}: {len(wanted)} columns may be that of the points; its columns are "
            f"{', '.join(names)}. Say which with --column"
        )
    return names.index(wanted[0])


def _factor(names, rows, at: int, most: float, path: Path, *, scaled: bool) -> float:
    """Return what points are multiplied by, so that full marks are the column's maximum."""
    there = [row[at] for row in rows if row[0].strip() == POSSIBLE]
    for name in {*MOODLES_MOST} & {*names}:
        there = [row[names.index(name)] for row in rows]
    found = {float(cell.replace(",", ".")) for cell in there if NUMBER.fullmatch(cell.strip())}
    if found <= {float(most)}:
        return 1.0
    if len(found) > 1 or not scaled or 0 in found:
        told = " and ".join(f"{one:g}" for one in sorted(found))
        raise BuildError(
            f"reading {path}: its column is for {told} points, and there are {most:g} here; "
            "change that on the platform, or say --scale"
        )
    return found.pop() / most


def _who(
    platform: str, names, rows, scores: Sequence[Score], numbers: Mapping[str, str]
) -> list[Score | None]:
    """Return whose rows these are: by what was collected, by their ids, by their folders, by name.

    A name counts that nobody shares. Who has an id is not known by name: another one may be called
    the same.
    """
    by_id = {score.other_id.removeprefix(PARTICIPANT): score for score in scores if score.other_id}
    by_folder = {score.student: score for score in scores}
    named = Counter(score.name for score in scores)
    by_name = {s.name: s for s in scores if s.name and not s.other_id and named[s.name] == 1}
    ids = [names.index(name) for name in WHO[platform] if name in names]
    called = names.index(CALLED[platform]) if CALLED[platform] in names else None
    twice = Counter(row[called] for row in rows) if called is not None else Counter()
    at = names.index(NUMBERED[platform]) if NUMBERED[platform] in names else None
    found = []
    for row in rows:
        number = "" if at is None else row[at].strip().removeprefix(PARTICIPANT)
        if score := by_folder.get(numbers.get(number, "")):
            found.append(score)
            continue
        keys = [row[i].strip().removeprefix(PARTICIPANT) for i in ids]
        score = next((of[key] for of in (by_id, by_folder) for key in keys if key in of), None)
        if score is None and called is not None and twice[row[called]] == 1:
            score = by_name.get(row[called].strip())
        found.append(score)
    return found
