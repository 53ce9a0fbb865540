"""The gradebook: an SQLite file, in which a submission is there whole or not at all."""

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

from course import BuildError
from course.grading.answers import Written
from course.grading.book.late import Policy
from course.grading.book.locks import waiting
from course.grading.book.records import LATE, Answer, Asked, ByHand, Change, Last, Student, Version
from course.grading.book.schema import OF_STUDENTS, VERSION, statements
from course.grading.judge import Mark

STOPPED = """\
the gradebook {0} cannot be written: {1}. What was kept before is there, whole, and the same \
command goes on from it."""
NOTHING = "Nothing was written here."  # the comment where an answer is as it was handed out


class Gradebook:
    """A gradebook's file, made if it is not there; used as a context.

    Parameters
    ----------
    path
        Of the file. Nobody but its owner may read it.
    told
        Is told for whom this waits, where another process holds the file, as often as that is
        another one.

    Attributes
    ----------
    is_patient : bool
        Whether it waits; otherwise it ends as Ctrl-C would end it.

    Raises
    ------
    BuildError
        If it cannot be opened, or is none.
    """

    def __init__(self, path: Path, told: Callable[[str], None] = lambda words: None):
        self.path, self.told, self.is_patient = path, told, True
        try:
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            self._base = sqlite3.connect(path, isolation_level=None, timeout=1)
            self._do("PRAGMA synchronous = FULL")
            with self._transaction():
                if not self._do("SELECT name FROM sqlite_master").fetchall():
                    self._make()
                version = self._renewed()
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

    def touch(self) -> None:
        """Write what is there already: so a file that cannot be written is noticed at once.

        Raises
        ------
        BuildError
            If it cannot.
        """
        self._do("UPDATE meta SET value = value")

    # What grading writes

    def keep(
        self,
        assignment: str,
        student: str,
        digest: str,
        marks: Iterable[Mark],
        answers: Mapping[str, Written],
        *,
        asking: int = 0,
        content: str = "",
        submitted: str = "",
        ungraded: str = "",
        suspicious: str = "",
        looks: Mapping[str, str] = MappingProxyType({}),
    ) -> bool:
        """Write what came of a submission, in one transaction.

        A written answer that is as it was keeps its points; one that changed has none yet, and
        what the old one had stands in the history. Where a cell is as it was handed out there are
        0; where it is not, and no text was found, a person decides.

        Where it was graded before, has not changed, and points would be taken or given, it waits
        beside its marks until a person has said yes; return whether it does.
        """
        where, marks = (assignment, student), list(marks)
        found = {
            "marks": [astuple(mark)[:-1] for mark in marks],
            "answers": {name: astuple(one) for name, one in answers.items()},
            "ungraded": ungraded,
            "suspicious": suspicious,
            "looks": dict(looks),
            "asking": asking,
        }
        with self._transaction():
            number = self._round(assignment)
            if waits := self._changes(where, content, marks, answers, ungraded):
                self._do(
                    "INSERT OR REPLACE INTO regraded VALUES (?, ?, ?, ?, ?, ?)",
                    *where, digest, content, number, json.dumps(found),
                )  # fmt: skip
                self._set_stamp(where, submitted)
            else:
                self._keep(where, digest, content, number, found | {"submitted": submitted})
        return waits

    def _keep(self, where: tuple[str, str], digest: str, content: str, number: int, found) -> None:
        ungraded = found["ungraded"]
        self._do(
            "INSERT OR REPLACE INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *where, digest, content, ungraded, found["suspicious"], found["submitted"], _now(),
            number, found["asking"],
        )  # fmt: skip
        for table in ("marks", "regraded", "looks"):
            rest = f" AND what != '{LATE}'" if table == "looks" else ""  # it is not the grader's
            self._do(f"DELETE FROM {table} WHERE assignment = ? AND student = ?{rest}", *where)
        for place, mark in enumerate(found["marks"]):
            self._do("INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *where, place, *mark)
        for what, words in found["looks"].items():
            self._do("INSERT INTO looks VALUES (?, ?, ?, ?)", *where, what, words)
        total = sum(points for _, points, *_ in found["marks"])
        for question, one in found["answers"].items():
            self._keep_answer(where, question, Written(*one))
        self._note(where, f"ungraded: {ungraded}" if ungraded else f"graded: {total:g} points")

    def _changes(self, where, content: str, marks: list[Mark], answers, ungraded: str) -> bool:
        """Whether this would change the points of what was graded before, and is as it was."""
        query = "SELECT content, ungraded FROM submissions WHERE assignment = ? AND student = ?"
        if self._do(query, *where).fetchone() != (content, "") or not content:
            return False  # there are none, or of something else
        query = "SELECT task, points, most FROM marks WHERE assignment = ? AND student = ?"
        had = sorted(self._do(query, *where).fetchall())
        found = sorted((mark.task, mark.points, mark.most) for mark in marks)
        return bool(ungraded or had != found or self._reread(where, answers))

    def _reread(self, where: tuple[str, str], answers: Mapping[str, Written]) -> list[str]:
        """Return the questions whose answers have points, and would lose them."""
        query = "SELECT question, digest FROM answers WHERE assignment = ? AND student = ?"
        query += " AND points IS NOT NULL AND comment != ?"
        marked = self._do(query, *where, NOTHING).fetchall()
        return [
            name for name, digest in marked if name in answers and answers[name].digest != digest
        ]

    def changes(self, assignment: str) -> list[Change]:
        """Return whose marks wait to be changed, and to what."""
        query = "SELECT student, found FROM regraded WHERE assignment = ? ORDER BY student"
        changes = []
        for student, text in self._do(query, assignment).fetchall():
            found = json.loads(text)
            marks = [Mark(*mark) for mark in found["marks"]]
            answers = {name: Written(*one) for name, one in found["answers"].items()}
            answers = self._reread((assignment, student), answers)
            changes.append(Change(student, marks, found["ungraded"], answers))
        return changes

    def accept(self, assignment: str) -> int:
        """Put what waits in the place of the marks that are there; return of how many students."""
        query = "SELECT student, digest, content, round, found FROM regraded WHERE assignment = ?"
        with self._transaction():
            rows = self._do(query, assignment).fetchall()
            times = self._stamps(assignment)
            for student, digest, content, number, text in rows:
                found = json.loads(text) | {"submitted": times[student]}
                self._keep((assignment, student), digest, content, number, found)
            return len(rows)

    def set_asked(self, assignment: str, source: str, basis: Mapping[str, str]) -> None:
        """Write what an assignment is made of."""
        self._do(
            "INSERT INTO assignments (assignment, source, basis) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET source = excluded.source, basis = excluded.basis",
            assignment, source, json.dumps(basis),
        )  # fmt: skip

    def asking(self, assignment: str, student: str, content: str) -> int:
        """Return the how manieth asking of a student this is.

        What has been asked already, and is as it was, is the same asking again: so its inputs are
        the same, and any mark can be made again from the secret and this number.
        """
        query = "SELECT content, asking FROM submissions WHERE assignment = ? AND student = ?"
        before, number = self._do(query, assignment, student).fetchone() or ("", 0)
        return number if before == content else number + 1

    def unsettle(self, assignment: str, student: str, *, is_new: bool) -> None:
        """Have a submission graded again, for its marks rest on a word that does not count.

        Nobody has seen marks that are new, so others may come in their place; else those wait.
        """
        where, content = (assignment, student), ", content = ''" if is_new else ""
        with self._transaction():
            self._do("DELETE FROM regraded WHERE assignment = ? AND student = ?", *where)
            query = f"UPDATE submissions SET digest = ''{content}"
            self._do(f"{query} WHERE assignment = ? AND student = ?", *where)

    def begin_round(self, assignment: str) -> None:
        """Have all graded again, those who were already in an earlier round, too."""
        query = "UPDATE assignments SET round = round + 1, is_open = 1 WHERE assignment = ?"
        self._do(query, assignment)

    def end_round(self, assignment: str) -> None:
        """Write that all were graded again."""
        self._do("UPDATE assignments SET is_open = 0 WHERE assignment = ?", assignment)

    def _round(self, assignment: str) -> int:
        query = "SELECT round FROM assignments WHERE assignment = ?"
        return (self._do(query, assignment).fetchone() or (0,))[0]

    def _keep_answer(self, where: tuple[str, str], question: str, one: Written) -> None:
        old = self._do(
            "SELECT digest, points, comment FROM answers"
            " WHERE assignment = ? AND student = ? AND question = ?",
            *where, question,
        ).fetchone()  # fmt: skip
        if old and old[0] == one.digest:
            return
        if old and old[1] is not None:
            self._note(where, f"{question} changed; the old answer had {old[1]:g} points: {old[2]}")
        points, comment = (0.0, NOTHING) if one.is_as_handed_out else (None, "")
        self._do(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, '')",
            *where, question, one.digest, one.text, points, comment,
        )  # fmt: skip

    # What is in it

    def asked(self, assignment: str) -> Asked | None:
        """Return what is known of an assignment; None where nothing was ever graded of it."""
        query = "SELECT source, basis, round, is_open FROM assignments WHERE assignment = ?"
        if (row := self._do(query, assignment).fetchone()) is None:
            return None
        source, parts, number, is_open = row
        return Asked(source, json.loads(parts), number, bool(is_open))

    def sources(self) -> dict[str, str]:
        """Return the folders of all assignments of which something was handed in, in order."""
        query = (
            "SELECT DISTINCT assignment, COALESCE(source, '')"
            " FROM submissions LEFT JOIN assignments USING (assignment)"
            " ORDER BY length(assignment), assignment"
        )
        return dict(self._do(query).fetchall())

    def last(self, assignment: str) -> dict[str, Last]:
        """Return of each student what was graded last, whether it counts already or waits."""
        query = "SELECT student, content, digest, round, {} FROM {} WHERE assignment = ?"
        rows = [
            row
            for waits, table in enumerate(("submissions", "regraded"))
            for row in self._do(query.format(waits, table), assignment).fetchall()
        ]
        return {student: Last(*others, bool(waits)) for student, *others, waits in rows}

    def versions(self, assignment: str) -> dict[str, Version]:
        """Return of each student what was graded, and when it was handed in.

        What a person said of the same file goes before the time that lay beside it.
        """
        query = (
            "SELECT student, content, COALESCE(times.submitted, submissions.submitted), graded"
            " FROM submissions LEFT JOIN times USING (assignment, student, content)"
            " WHERE assignment = ? ORDER BY student"
        )
        return {row[0]: Version(*row[1:]) for row in self._do(query, assignment)}

    def submitted(self, assignment: str) -> dict[str, str]:
        """Return when each student handed in, or nothing where nobody knows."""
        return {who: one.submitted for who, one in self.versions(assignment).items()}

    def ungraded(self, assignment: str) -> dict[str, str]:
        """Return who could not be graded, and why."""
        query = "SELECT student, ungraded FROM submissions WHERE assignment = ? AND ungraded != ''"
        return dict(self._do(query, assignment).fetchall())

    def suspicious(self, assignment: str) -> dict[str, str]:
        """Return whose code a teacher may want to look at, and what it uses."""
        query = "SELECT student, suspicious FROM submissions"
        query += " WHERE assignment = ? AND suspicious != ''"
        return dict(self._do(query, assignment).fetchall())

    def looks(self, assignment: str, what: str) -> dict[str, str]:
        """Return of whom a teacher should look at something, and what is said of it."""
        query = "SELECT student, words FROM looks WHERE assignment = ? AND what = ?"
        return dict(self._do(query, assignment, what).fetchall())

    def set_late(self, assignment: str, students: Iterable[str]) -> None:
        """Write whose hand-in the platform calls late; nobody else's is any more."""
        with self._transaction():
            self._do("DELETE FROM looks WHERE assignment = ? AND what = ?", assignment, LATE)
            for student in students:
                self._do("INSERT INTO looks VALUES (?, ?, ?, '')", assignment, student, LATE)

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

    def by_hand(self, assignment: str) -> dict[tuple[str, str], ByHand]:
        """Return the points that a person gave for functions, by student and function."""
        query = (
            "SELECT student, task, given.points, found, marks.points"
            " FROM given JOIN marks USING (assignment, student, task) WHERE assignment = ?"
        )
        return {(row[0], row[1]): ByHand(*row[2:]) for row in self._do(query, assignment)}

    def answers(self, assignment: str) -> dict[str, list[Answer]]:
        """Return each student's written answers."""
        query = (
            "SELECT student, question, text, digest, points, comment, lines FROM answers"
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
        return self._students(has_left=False)

    def left(self) -> dict[str, Student]:
        """Return who was on the roster, is there no more, and handed something in."""
        return self._students(has_left=True)

    def _students(self, *, has_left: bool) -> dict[str, Student]:
        query = (
            'SELECT student, name, other_id, zone, "group", team FROM students'
            " WHERE has_left = ? ORDER BY student"
        )
        return {row[0]: Student(*row) for row in self._do(query, has_left)}

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

        Extensions, by assignment and student, replace those of these assignments alone. Who handed
        something in and is there no more keeps group, zone and extensions: so their marks stay.
        """
        with self._transaction():
            self._do("UPDATE students SET has_left = 1")
            for one in students:
                self._do(
                    "INSERT OR REPLACE INTO students VALUES (?, ?, ?, ?, ?, ?, 0)", *astuple(one),
                )  # fmt: skip
            of_others = "student NOT IN (SELECT student FROM submissions)"
            self._do(f"DELETE FROM students WHERE has_left AND {of_others}")
            staying = "student NOT IN (SELECT student FROM students WHERE has_left)"
            for assignment, more in extensions.items():
                self._do(f"DELETE FROM extensions WHERE assignment = ? AND {staying}", assignment)
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
            return sum(self._set_stamp((assignment, who), stamp) for who, stamp in stamps.items())

    def _set_stamp(self, where: tuple[str, str], stamp: str) -> int:
        """Write a time, where there is one and it is another than before; return in how many."""
        query = "UPDATE submissions SET submitted = ?"
        query += " WHERE assignment = ? AND student = ? AND submitted != ?"
        return self._do(query, stamp, *where, stamp).rowcount if stamp else 0

    def _stamps(self, assignment: str) -> dict[str, str]:
        query = "SELECT student, submitted FROM submissions WHERE assignment = ?"
        return dict(self._do(query, assignment).fetchall())

    def give(
        self,
        assignment: str,
        answers: Mapping[tuple[str, str], tuple[float, str | None, str]],
        tasks: Mapping[tuple[str, str], tuple[float | None, str | None]],
    ) -> None:
        """Write what a person gave, all of it or nothing.

        Parameters
        ----------
        assignment
            Of which assignment.
        answers
            Points, a comment, and those of a rubric's lines, by student and question.
        tasks
            Points and a comment by student and function; None gives back what was found.

        Where there is no comment, not even an empty one, the earlier one stays.
        """
        with self._transaction():
            for (student, question), (points, comment, lines) in answers.items():
                self._do(
                    "UPDATE answers SET points = ?, comment = COALESCE(?, comment), lines = ?"
                    " WHERE assignment = ? AND student = ? AND question = ?",
                    points, comment, lines, assignment, student, question,
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
            query = "SELECT points FROM marks WHERE assignment = ? AND student = ? AND task = ?"
            (found,) = self._do(query, *where).fetchone() or (None,)
            self._do("INSERT INTO given VALUES (?, ?, ?, ?, ?, ?)", *where, points, comment, found)
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
        for statement in statements():
            self._do(statement)
        self._do("INSERT INTO meta VALUES ('version', ?)", str(VERSION))
        self._do("INSERT INTO meta VALUES ('seed', ?)", secrets.token_hex(32))

    def _renewed(self) -> str:
        """Make a gradebook of an earlier version one of today; return what it is now."""
        version = self._meta("version")
        if not version.isdecimal() or not 0 < int(version) < VERSION:
            return version
        for statement in statements(int(version)):
            self._do(statement)
        self._do("UPDATE meta SET value = ? WHERE name = 'version'", str(VERSION))
        return str(VERSION)

    def _meta(self, name: str) -> str:
        row = self._do("SELECT value FROM meta WHERE name = ?", name).fetchone()
        return row[0] if row else ""

    def _do(self, statement: str, *values) -> sqlite3.Cursor:
        """Have a statement carried out, as soon as nobody else holds the file.

        Raises
        ------
        BuildError
            If it cannot be written or read: on a full disk, say.
        """
        wait = waiting(self.path, self.told)
        while True:
            try:
                return self._base.execute(statement, values)
            except sqlite3.OperationalError as error:
                code = error.sqlite_errorcode & 0xFF
                if code not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    why = "the disk is full" if code == sqlite3.SQLITE_FULL else str(error)
                    raise BuildError(STOPPED.format(self.path, why)) from error
                if not self.is_patient:
                    raise KeyboardInterrupt from error
                next(wait)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._do("BEGIN IMMEDIATE")
        try:
            yield
            self._do("COMMIT")
        except BaseException:
            if self._base.in_transaction:  # after some errors SQLite has rolled it back itself
                self._base.execute("ROLLBACK")
            raise


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
