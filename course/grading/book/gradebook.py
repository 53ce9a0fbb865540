"""The gradebook: an SQLite file, in which a submission is there whole or not at all."""

import hashlib
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from course import BuildError
from course.grading.book.late import Policy
from course.grading.judge import Mark

VERSION = 1
TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE students (
    student TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    other_id TEXT NOT NULL,           -- as the learning platform calls them
    zone TEXT NOT NULL
) STRICT;
CREATE TABLE extensions (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    days REAL NOT NULL,
    PRIMARY KEY (assignment, student)
) STRICT;
CREATE TABLE policies (
    assignment TEXT PRIMARY KEY,
    due TEXT NOT NULL,                -- by the clock on the wall, without a zone
    zone TEXT NOT NULL,
    per_day REAL NOT NULL,
    grace REAL NOT NULL               -- in minutes
) STRICT;
CREATE TABLE submissions (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    digest TEXT NOT NULL,             -- of what was handed in and of what was asked
    content TEXT NOT NULL,            -- the digest of what was handed in, alone
    ungraded TEXT NOT NULL,           -- why, or nothing
    suspicious TEXT NOT NULL,         -- what to look at, or nothing
    submitted TEXT NOT NULL,          -- in UTC, or nothing where nobody knows
    graded TEXT NOT NULL,
    PRIMARY KEY (assignment, student)
) STRICT;
CREATE TABLE times (                  -- when it was handed in, as a person says
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    content TEXT NOT NULL,            -- of this and of nothing that is handed in later
    submitted TEXT NOT NULL,
    PRIMARY KEY (assignment, student)
) STRICT;
CREATE TABLE marks (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    place INTEGER NOT NULL,           -- among the tasks
    task TEXT NOT NULL,
    points REAL NOT NULL,
    most REAL NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    mistake TEXT NOT NULL,
    PRIMARY KEY (assignment, student, task)
) STRICT;
CREATE TABLE given (                  -- by a person, in place of what the grader found
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    task TEXT NOT NULL,
    points REAL NOT NULL,
    comment TEXT NOT NULL,
    PRIMARY KEY (assignment, student, task)
) STRICT;
CREATE TABLE answers (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    question TEXT NOT NULL,
    digest TEXT NOT NULL,             -- of the text: another text is marked anew
    text TEXT NOT NULL,
    points REAL,                      -- NULL until somebody has marked it
    comment TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (assignment, student, question)
) STRICT;
CREATE TABLE history (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    what TEXT NOT NULL
) STRICT;
"""
OF_STUDENTS = (
    "students", "extensions", "submissions", "times", "marks", "given", "answers", "history",
)  # fmt: skip
NOTHING = "Nothing was written here."  # the comment where an answer is as it was handed out


@dataclass(frozen=True)
class Answer:
    """A written answer and what it was given.

    Attributes
    ----------
    question, text : str
    digest : str
        Of the text.
    points : float or None
        None until somebody has marked it.
    comment : str
    """

    question: str
    text: str
    digest: str
    points: float | None
    comment: str


@dataclass(frozen=True)
class Student:
    """Somebody of the class: as folders call them, as people do, as a platform does, and where."""

    student: str
    name: str = ""
    other_id: str = ""
    zone: str = ""


class Gradebook:
    """A gradebook's file, made if it is not there; used as a context.

    Parameters
    ----------
    path
        Of the file. Nobody but its owner may read it.

    Raises
    ------
    BuildError
        If it cannot be opened, or is none.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            self._base = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._base.execute("PRAGMA synchronous = FULL")
            with self._transaction():
                if not self._base.execute("SELECT name FROM sqlite_master").fetchall():
                    self._make()
            version = self._meta("version")
        except (OSError, sqlite3.Error) as error:
            raise BuildError(
                f"opening the gradebook {path}: {error}; is it another file?"
            ) from error
        if version != str(VERSION):
            raise BuildError(f"the gradebook {path} is of version {version}, not {VERSION}")

    def __enter__(self) -> "Gradebook":
        return self

    def __exit__(self, *error) -> None:
        self._base.close()

    @property
    def seed(self) -> bytes:
        """The secret number from which random inputs come."""
        return bytes.fromhex(self._meta("seed"))

    # What grading writes

    def keep(
        self,
        assignment: str,
        student: str,
        digest: str,
        marks: Iterable[Mark],
        answers: Mapping[str, str],
        *,
        content: str = "",
        submitted: str = "",
        ungraded: str = "",
        suspicious: str = "",
    ) -> None:
        """Write what came of a submission, in one transaction.

        A written answer that is as it was keeps its points; one that changed has none yet, and
        what the old one had stands in the history. Where nothing was written there are 0.
        """
        where = (assignment, student)
        with self._transaction():
            self._do(
                "INSERT OR REPLACE INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                *where, digest, content, ungraded, suspicious, submitted, _now(),
            )  # fmt: skip
            self._do("DELETE FROM marks WHERE assignment = ? AND student = ?", *where)
            total = 0.0
            for place, mark in enumerate(marks):
                total += mark.points
                self._do(
                    "INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    *where, place, mark.task, mark.points, mark.most, mark.verdict, mark.reason,
                    mark.mistake,
                )  # fmt: skip
            for question, text in answers.items():
                self._keep_answer(where, question, text)
            self._note(where, f"ungraded: {ungraded}" if ungraded else f"graded: {total:g} points")

    def _keep_answer(self, where: tuple[str, str], question: str, text: str) -> None:
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        old = self._do(
            "SELECT digest, points, comment FROM answers"
            " WHERE assignment = ? AND student = ? AND question = ?",
            *where, question,
        ).fetchone()  # fmt: skip
        if old and old[0] == digest:
            return
        if old and old[1] is not None:
            self._note(where, f"{question} changed; the old answer had {old[1]:g} points: {old[2]}")
        points, comment = (None, "") if text else (0.0, NOTHING)
        self._do(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)",
            *where, question, digest, text, points, comment,
        )  # fmt: skip

    # What is in it

    def digests(self, assignment: str) -> dict[str, str]:
        """Return of each student what was graded last."""
        query = "SELECT student, digest FROM submissions WHERE assignment = ?"
        return dict(self._do(query, assignment).fetchall())

    def submitted(self, assignment: str) -> dict[str, str]:
        """Return when each student handed in, or nothing where nobody knows.

        What a person said of the same file goes before the time that lay beside it.
        """
        query = (
            "SELECT student, COALESCE(times.submitted, submissions.submitted)"
            " FROM submissions LEFT JOIN times USING (assignment, student, content)"
            " WHERE assignment = ? ORDER BY student"
        )
        return dict(self._do(query, assignment).fetchall())

    def ungraded(self, assignment: str) -> dict[str, str]:
        """Return who could not be graded, and why."""
        query = "SELECT student, ungraded FROM submissions WHERE assignment = ? AND ungraded != ''"
        return dict(self._do(query, assignment).fetchall())

    def suspicious(self, assignment: str) -> dict[str, str]:
        """Return whose code a teacher may want to look at, and what it uses."""
        query = (
            "SELECT student, suspicious FROM submissions WHERE assignment = ? AND suspicious != ''"
        )
        return dict(self._do(query, assignment).fetchall())

    def marks(self, assignment: str) -> dict[str, list[Mark]]:
        """Return each student's marks; what a person gave for a task goes before what was found."""
        query = (
            "SELECT student, task, COALESCE(given.points, marks.points), most,"
            " CASE WHEN given.points IS NULL THEN verdict ELSE 'by hand' END,"
            " COALESCE(comment, reason), mistake"
            " FROM marks LEFT JOIN given USING (assignment, student, task)"
            " WHERE assignment = ? ORDER BY student, place"
        )
        found: dict[str, list[Mark]] = {}
        for student, *mark in self._do(query, assignment):
            found.setdefault(student, []).append(Mark(*mark))
        return found

    def answers(self, assignment: str) -> dict[str, list[Answer]]:
        """Return each student's written answers."""
        query = (
            "SELECT student, question, text, digest, points, comment FROM answers"
            " WHERE assignment = ? ORDER BY student, question"
        )
        found: dict[str, list[Answer]] = {}
        for student, *answer in self._do(query, assignment):
            found.setdefault(student, []).append(Answer(*answer))
        return found

    def known(self) -> set[str]:
        """Return who handed in anything."""
        return {row[0] for row in self._do("SELECT DISTINCT student FROM submissions")}

    def students(self) -> dict[str, Student]:
        """Return the roster."""
        query = "SELECT student, name, other_id, zone FROM students ORDER BY student"
        return {row[0]: Student(*row) for row in self._do(query)}

    def extensions(self, assignment: str) -> dict[str, float]:
        """Return who has more time, and how many days."""
        query = "SELECT student, days FROM extensions WHERE assignment = ?"
        return dict(self._do(query, assignment).fetchall())

    def policy(self, assignment: str) -> Policy | None:
        """Return what being late costs; None where nobody has said."""
        query = "SELECT due, zone, per_day, grace FROM policies WHERE assignment = ?"
        if (row := self._do(query, assignment).fetchone()) is None:
            return None
        due, zone, per_day, grace = row
        return Policy(datetime.fromisoformat(due), zone, per_day, timedelta(minutes=grace))

    def of_student(self, student: str) -> dict[str, list[dict]]:
        """Return everything about a student, by table."""
        found = {}
        for table in OF_STUDENTS:
            rows = self._do(f"SELECT * FROM {table} WHERE student = ?", student)
            names = [column[0] for column in rows.description]
            found[table] = [dict(zip(names, row, strict=True)) for row in rows]
        return found

    # What a teacher writes

    def set_students(
        self, students: Iterable[Student], extensions: Mapping[str, Mapping[str, float]]
    ) -> None:
        """Put a roster in the place of the old one.

        Extensions, by assignment and student, replace those of these assignments alone.
        """
        with self._transaction():
            self._do("DELETE FROM students")
            for one in students:
                self._do(
                    "INSERT INTO students VALUES (?, ?, ?, ?)",
                    one.student, one.name, one.other_id, one.zone,
                )  # fmt: skip
            for assignment, more in extensions.items():
                self._do("DELETE FROM extensions WHERE assignment = ?", assignment)
                for student, days in more.items():
                    self._do("INSERT INTO extensions VALUES (?, ?, ?)", assignment, student, days)

    def set_policy(self, assignment: str, policy: Policy | None) -> None:
        """Write what being late costs; None where nobody is."""
        if policy is None:
            self._do("DELETE FROM policies WHERE assignment = ?", assignment)
            return
        row = (policy.due.isoformat(), policy.zone, policy.per_day)
        minutes = policy.grace / timedelta(minutes=1)
        with self._transaction():
            self._do(
                "INSERT OR REPLACE INTO policies VALUES (?, ?, ?, ?, ?)", assignment, *row, minutes
            )

    def set_times(self, assignment: str, times: Mapping[str, datetime]) -> None:
        """Write when students handed in what is graded now, as a person says."""
        with self._transaction():
            for student, time in times.items():
                self._do(
                    "INSERT OR REPLACE INTO times SELECT assignment, student, content, ?"
                    " FROM submissions WHERE assignment = ? AND student = ?",
                    time.isoformat(), assignment, student,
                )  # fmt: skip

    def set_stamps(self, assignment: str, stamps: Mapping[str, str]) -> int:
        """Write the times that lie beside what is graded; return how many are others than before.

        Where none lies there any more, the old one stays.
        """
        with self._transaction():
            return sum(
                self._do(
                    "UPDATE submissions SET submitted = ?"
                    " WHERE assignment = ? AND student = ? AND submitted != ?",
                    stamp, assignment, student, stamp,
                ).rowcount
                for student, stamp in stamps.items()
                if stamp
            )  # fmt: skip

    def give(
        self,
        assignment: str,
        answers: Mapping[tuple[str, str], tuple[float, str | None]],
        tasks: Mapping[tuple[str, str], tuple[float | None, str | None]],
    ) -> None:
        """Write what a person gave, all of it or nothing.

        Parameters
        ----------
        assignment
            Of which assignment.
        answers
            Points and a comment by student and question.
        tasks
            Points and a comment by student and function; None gives back what was found.

        Where there is no comment, not even an empty one, the earlier one stays.
        """
        with self._transaction():
            for (student, question), (points, comment) in answers.items():
                self._do(
                    "UPDATE answers SET points = ?, comment = COALESCE(?, comment)"
                    " WHERE assignment = ? AND student = ? AND question = ?",
                    points, comment, assignment, student, question,
                )  # fmt: skip
                self._note((assignment, student), f"{question}: {points:g} points: {comment or ''}")
            for (student, task), (points, comment) in tasks.items():
                self._give_for_task((assignment, student, task), points, comment)

    def _give_for_task(self, where: tuple[str, str, str], points, comment: str | None) -> None:
        if comment is None:
            query = "SELECT comment FROM given WHERE assignment = ? AND student = ? AND task = ?"
            comment = (self._do(query, *where).fetchone() or [""])[0]
        self._do("DELETE FROM given WHERE assignment = ? AND student = ? AND task = ?", *where)
        if points is not None:
            self._do("INSERT INTO given VALUES (?, ?, ?, ?, ?)", *where, points, comment)
        words = "as it was found" if points is None else f"{points:g} points by hand: {comment}"
        self._note(where[:2], f"{where[2]}: {words}")

    def forget(self, student: str) -> int:
        """Delete everything about a student; return how many rows there were."""
        with self._transaction():
            n = sum(
                self._do(f"DELETE FROM {table} WHERE student = ?", student).rowcount
                for table in OF_STUDENTS
            )
        self._do("VACUUM")  # or it could still be read in the file
        return n

    def _note(self, where: tuple[str, str], what: str) -> None:
        self._do(
            "INSERT INTO history (at, assignment, student, what) VALUES (?, ?, ?, ?)",
            _now(), *where, what,
        )  # fmt: skip

    def _make(self) -> None:
        for statement in TABLES.split(";\n"):
            self._do(statement)
        self._do("INSERT INTO meta VALUES ('version', ?)", str(VERSION))
        self._do("INSERT INTO meta VALUES ('seed', ?)", secrets.token_hex(32))

    def _meta(self, name: str) -> str:
        row = self._do("SELECT value FROM meta WHERE name = ?", name).fetchone()
        return row[0] if row else ""

    def _do(self, statement: str, *values) -> sqlite3.Cursor:
        return self._base.execute(statement, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._do("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._do("ROLLBACK")
            raise
        self._do("COMMIT")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
