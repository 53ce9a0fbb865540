"""Answers in words, for those who mark them: a table without names, and what comes back of it.

A row is an answer, and not a student: who gave the same one has the same row, and is marked once.
Nobody who marks learns whose it is. Whichever answers come later, a row stays with its marker.
"""

import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from course import BuildError
from course.grading.book.gradebook import Gradebook
from course.grading.book.records import Answer
from course.grading.book.tables import number, read_table
from course.grading.book.words import count, one_line
from course.grading.judge import Assignment

BEFORE = ("question", "answer", "written by", "rubric", "most")
BEHIND = ("points", "comment", "digest")
AS_FOUND = "auto"  # in place of points: those that the grader found
LINE = re.compile(r"^[-*] (?=[\d.,½]+ points?\b)", re.MULTILINE)  # of a rubric


@dataclass(frozen=True)
class Row:
    """An answer to be marked, with all that is equal to it but for spaces and case."""

    question: str
    answers: tuple[Answer, ...]
    key: str  # the words of it

    @property
    def digests(self) -> str:
        """The answers' digests, by which they are known when the table comes back."""
        return " ".join(sorted({one.digest for one in self.answers}))

    @property
    def given(self) -> tuple[str, str, str]:
        """What they were given: points, comment and lines; nothing where that is not the same."""
        given = {
            (f"{a.points:g}", a.comment, a.lines) for a in self.answers if a.points is not None
        }
        return given.pop() if len(given) == 1 else ("", "", "")

    @property
    def n_known(self) -> int:
        """How many have no points yet, and stand beside points that the same answer was given."""
        return sum(one.points is None for one in self.answers) if self.given[0] else 0

    def is_of(self, share: int, of: int) -> bool:
        """Whether it is in this share, of so many."""
        digest = hashlib.sha256(f"{self.question} {self.key}".encode("utf-8", "replace")).digest()
        return int.from_bytes(digest) % of == share - 1


def rows(book: Gradebook, assignment: Assignment) -> list[Row]:
    """Return a row for each answer; those that begin alike stand together."""
    found: dict[tuple[str, str], list[Answer]] = {}
    for answers in book.answers(assignment.number).values():
        for one in answers:
            if one.question in assignment.written:
                key = " ".join(one.text.split()).casefold() or one.digest
                found.setdefault((one.question, key), []).append(one)
    order = [*assignment.written]
    in_order = sorted(found, key=lambda where: (order.index(where[0]), where[1]))
    return [Row(where[0], tuple(found[where]), where[1]) for where in in_order]


def read_share(words: str) -> tuple[int, int]:
    """Read which share of the rows is meant, and of how many: ``2/3``.

    Raises
    ------
    BuildError
        If it is none.
    """
    found = re.fullmatch(r"(\d{1,3})/(\d{1,3})", words)
    share, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= share <= of:
        raise BuildError(f"{words!r} is no share of the rows; the second of three is 2/3")
    return share, of


def numbered(rubric: str) -> tuple[str, int]:
    """Return a rubric in which each line that gives points has its number, and how many do."""
    numbers = itertools.count(1)
    told = LINE.sub(lambda _: f"line {next(numbers)}: ", rubric)
    return told, next(numbers) - 1


def earned(rubric: str, lines: str) -> str:
    """Return a rubric in which each line says what it gave; as it is, where nobody wrote that."""
    each = iter(lines.split())
    told = LINE.sub(lambda found: f"{found[0]}**{next(each, '?')} of** ", rubric)
    return told if lines else rubric


def table(
    assignment: Assignment, found: Sequence[Row], path: Path
) -> tuple[list[str], list[tuple], int]:
    """Return the names and rows of a table for who marks.

    What somebody has filled in, in the table that is there, stays.

    Returns
    -------
    names, lines : list
        What is written.
    n_kept : int
        In how many rows there is something filled in that nobody has read.
    """
    rubrics = {name: numbered(asked["rubric"]) for name, asked in assignment.written.items()}
    columns = [f"line {i}" for i in range(1, 1 + max((n for _, n in rubrics.values()), default=0))]
    there, lines, n_kept = _filled_in(path), [], 0
    for row in found:
        points, comment, given = row.given
        by_line = given.split() + [""] * (len(columns) - len(given.split()))
        known = (*_whole(by_line), "" if given else points, comment)
        before = (there.get((row.question, one)) for one in row.digests.split())
        filled = next((one for one in before if one and len(one) == len(known)), known)
        n_kept += filled != known
        asked = rubrics[row.question][0], assignment.written[row.question]["points"]
        about = row.question, row.answers[0].text, len(row.answers), *asked
        lines.append((*about, *filled, row.digests))
    return [*BEFORE, *columns, *BEHIND], lines, n_kept


def _filled_in(path: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return what somebody has filled in, by question and digest, in a table of ours.

    Raises
    ------
    BuildError
        If it is none, or has points for one student.
    """
    if not path.exists():
        return {}
    found = {}
    for row in read_table(path, ("question", "points", "comment", "digest")):
        by_line = [row[name].replace(",", ".") for name in _lines(row)]
        given = (*_whole(by_line), row["points"].replace(",", "."), row["comment"])
        if row.get("student"):
            words = f"it has points for {row['student']} alone, and the table has no names"
            raise BuildError(f"reading {path}: {words}: `mark` it, and name another file")
        if any(given[:-1]):
            found |= {(row["question"], one): given for one in row["digest"].split()}
    return found


def _whole(by_line: Sequence[str]) -> list[str]:
    """Return what lines give: where one is filled in, an empty one gives 0."""
    return [cell or "0" for cell in by_line] if any(by_line) else [*by_line]


def _lines(row: Mapping[str, str]) -> list[str]:
    return [name for name in row if name.startswith("line ")]


def mark(book: Gradebook, assignment: Assignment, path: Path) -> list[str]:
    """Read a table that came back, and give what stands in it; return what is to be said.

    Raises
    ------
    BuildError
        If something in it cannot be; nothing is given then.
    """
    marked = Marked(book, assignment, path)
    for row in read_table(path, ["question", "points"]):
        marked.read(row)
    book.give(assignment.number, marked.answers, marked.tasks)
    n_back = sum(points is None for points, _ in marked.tasks.values())
    counts = f"{count(len(marked.answers), 'answer')} marked, "
    counts += f"{count(len(marked.tasks) - n_back, 'function')} by hand"
    said = [f"{counts}, {n_back} as the grader found them" if n_back else counts]
    if marked.left:
        words = "left as they were, for the answer has changed since"
        said.append(one_line(f"{words}: {', '.join(marked.left)}"))
    return said


class Marked:
    """What a table gives, read row by row.

    Attributes
    ----------
    answers : dict
        Points, comment and lines by student and question.
    tasks : dict
        Points and comment by student and function.
    left : list of str
        Whose answers are others now.
    """

    def __init__(self, book: Gradebook, assignment: Assignment, path: Path):
        self.book, self.assignment, self.path = book, assignment, path
        self.answers: dict[tuple[str, str], tuple[float, str | None, str]] = {}
        self.tasks: dict[tuple[str, str], tuple[float | None, str | None]] = {}
        self.left: list[str] = []
        self._digests = {
            (student, one.question): one.digest
            for student, answers in book.answers(assignment.number).items()
            for one in answers
        }
        self._functions = {
            (student, one.task)
            for student, marks in book.marks(assignment.number).items()
            for one in marks
        }

    def read(self, row: Mapping[str, str]) -> None:
        """Read a row: of a student, or, where it names none, of all who gave that answer."""
        question, student = row["question"], row.get("student", "")
        by_line = [row[name] for name in _lines(row)]
        if not row["points"] and not any(by_line):
            return
        if (student, question) in self._functions:
            self.tasks[student, question] = self._points(row), row.get("comment")
            return
        if student and (student, question) not in self._digests:
            raise self._error(self._why_not(student, question))
        if question not in self.assignment.written:
            words = f"no question and no function {question!r}"
            raise self._error(f"{self.assignment.number} has {words}")
        if "digest" not in row:
            words = "there is no column 'digest', by which an answer is known that has changed"
            raise self._error(f"{words}: keep it as `written` wrote it")
        points, lines = self._of_answer(row, by_line)
        self._give(student, row, (points, row.get("comment"), lines))

    def _give(self, student: str, row: Mapping[str, str], given) -> None:
        """Give it to a student, or to all whose answer has one of the digests."""
        question, digests = row["question"], row["digest"].split()
        wanted = [
            one for one, digest in self._digests.items()
            if one[1] == question and digest in digests and student in ("", one[0])
        ]  # fmt: skip
        for where in wanted:
            if not student and self.answers.get(where, given)[0] != given[0]:
                points = " and ".join(f"{one:g}" for one in (self.answers[where][0], given[0]))
                raise self._error(f"two rows give {_whose(row)} {points} points")
            self.answers[where] = given
        if not wanted:
            self.left.append(_whose(row))

    def _of_answer(self, row: Mapping[str, str], by_line: list[str]) -> tuple[float, str]:
        """Return an answer's points, and those of the rubric's lines, in a text."""
        if not any(by_line):
            return self._points(row), ""
        each = [number(cell, self.path, _whose(row)) for cell in _whole(by_line)]
        each = each[: numbered(self.assignment.written[row["question"]]["rubric"])[1]]
        told = f"{sum(each):g}"
        if row["points"] and number(row["points"], self.path, _whose(row)) != sum(each):
            words = f"its lines give {told} points to {_whose(row)}, and its cell {row['points']}"
            raise self._error(f"{words}: leave one of them empty")
        if min(each, default=0) < 0:
            raise self._error(f"a line gives {_whose(row)} {min(each):g} points; 0 is the least")
        return self._points({**row, "points": told}), " ".join(f"{one:g}" for one in each)

    def _points(self, row: Mapping[str, str]) -> float | None:
        """Return the points of a row; None where a function's are the grader's again."""
        question, student = row["question"], _whose(row)
        is_task = question in self.assignment.points
        if is_task and row["points"].lower() == AS_FOUND:
            return None
        points = number(row["points"], self.path, student)
        asked = self.assignment.points if is_task else self.assignment.written
        most = asked[question] if is_task else asked[question]["points"]
        if not 0 <= points <= most:
            raise self._error(f"{student} has {points:g} points of {most}")
        return points

    def _why_not(self, student: str, question: str) -> str:
        """Say why nobody can give points there."""
        number = self.assignment.number
        if student not in self.book.submitted(number):
            return f"{student} handed in nothing of {number}"
        if student in self.book.ungraded(number):
            words = "could not be graded, and has no points: mend the file, and grade again"
            return f"{student} {words}"
        return f"{number} has no question and no function {question!r}"

    def _error(self, words: str) -> BuildError:
        return BuildError(f"reading {self.path}: {words}")


def _whose(row: Mapping[str, str]) -> str:
    """Name who is meant in a row, or quote the answer, where no name stands in it."""
    words = one_line(row.get("answer", ""))
    return row.get("student") or f"the answer {words[:40] + '…' * (len(words) > 40)!r}"
