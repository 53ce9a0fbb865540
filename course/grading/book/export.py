"""Points for a learning platform: into the table that it handed out, or into a new one."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from course import BuildError
from course.grading.book.scores import Score
from course.grading.book.tables import delimiter_of, harmless, read_text, write_table
from course.grading.book.tally import most_points
from course.grading.judge import Assignment

# Where a platform's own table says who a student is, where points go, and where words go.
WHO = {
    "canvas": ("SIS Login ID", "SIS User ID", "ID", "Student"),
    "moodle": ("Identifier", "Username", "ID number", "Email address", "Full name"),
}
MOODLES_GRADE, MOODLES_WORDS = "Grade", "Feedback comments"
PARTICIPANT = "Participant "  # with which Moodle begins an identifier


def points(score: Score) -> float | None:
    """Return what a student has; None where that is not known, which is no 0."""
    return score.total if score.state == "graded" else None


def new_table(platform: str, assignment: Assignment, scores: Iterable[Score]):
    """Return the names and rows of a table of our own."""
    most = most_points(assignment)
    if platform == "canvas":
        names = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment.title)
        rows = [("    Points Possible", "", "", "", "", most)]
        return names, rows + [(s.name, s.other_id, "", s.student, "", points(s)) for s in scores]
    if platform == "moodle":
        names = ("Username", "ID number", "Full name", MOODLES_GRADE, MOODLES_WORDS)
        return names, [(s.student, s.other_id, s.name, points(s), words(s)) for s in scores]
    names = ("assignment", "student_id", "score", "max_score", "raw_score", "late_days")
    return names, [
        (assignment.number, s.student, points(s), most, _raw(s), _days(s)) for s in scores
    ]


def words(score: Score) -> str:
    """Return what a platform may show beside the points: why there are none, or being late."""
    return f"Not graded: {score.why}." if score.state == "ungraded" else score.late


def fill(
    platform: str,
    theirs: Path,
    target: Path,
    assignment: Assignment,
    scores: Sequence[Score],
    column: str = "",
) -> tuple[int, list[str]]:
    """Write a platform's own table with our points in it, and nothing else changed.

    Parameters
    ----------
    platform
        Whose table it is.
    theirs, target
        The table that was downloaded, and the one to upload.
    assignment, scores
        What is filled in. Who has no points keeps what stands there.
    column
        The points' column in Canvas; without it, the one that begins with the assignment's title
        or its number.

    Returns
    -------
    n : int
        How many rows have points now.
    strangers : list of str
        Students with points whom the table does not have.

    Raises
    ------
    BuildError
        If the table has no such column, or two rows are of the same student.
    """
    text = read_text(theirs)
    delimiter = delimiter_of(text)
    names, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    at = _column(names, platform, assignment, column, theirs)
    told = names.index(MOODLES_WORDS) if MOODLES_WORDS in names else None
    who = [names.index(name) for name in WHO[platform] if name in names]
    known = {key: score for score in scores for key in _keys(score)}
    found: dict[str, int] = {}
    for row in rows:
        row += [""] * (len(names) - len(row))
        keys = (row[i].strip().removeprefix(PARTICIPANT) for i in who)
        score = next((known[key] for key in keys if key in known), None)
        if score is None or points(score) is None:
            continue
        if found.setdefault(score.student, id(row)) != id(row):
            raise BuildError(f"reading {theirs}: two rows are of {score.student}")
        row[at] = f"{points(score):g}"
        if told is not None and platform == "moodle":
            row[told] = row[told] or harmless(words(score))
    write_table(target, names, rows, delimiter=delimiter, is_theirs=True)
    graded = [score.student for score in scores if points(score) is not None]
    return len(found), [student for student in graded if student not in found]


def _column(names, platform: str, assignment: Assignment, column: str, path: Path) -> int:
    if platform == "moodle":
        wanted = [name for name in names if name == (column or MOODLES_GRADE)]
    else:
        starts = (column,) if column else (assignment.title, assignment.number)
        wanted = [name for name in names if name.strip().startswith(starts)]
    if len(wanted) != 1:
        raise BuildError(
            f"reading {path}: {len(wanted)} columns may be that of the points; its columns are "
            f"{', '.join(names)}. Say which with --column"
        )
    return names.index(wanted[0])


def _keys(score: Score) -> set[str]:
    ours = (score.student, score.other_id.removeprefix(PARTICIPANT), score.name)
    return {key for key in ours if key}


def _raw(score: Score) -> float | None:
    return score.code + score.written if score.state == "graded" else None


def _days(score: Score) -> int | None:
    return score.days_late if score.state == "graded" else None
