"""What a student has in all: code, written answers, and what being late costs."""

from dataclasses import dataclass
from datetime import datetime

from course.grading.book.gradebook import Gradebook
from course.grading.book.records import ELSEWHERE, LATE, ONE_CELL, Student, Version
from course.grading.book.words import count
from course.grading.judge import Assignment


@dataclass(frozen=True)
class Score:
    """A student's result."""

    student: str
    name: str
    other_id: str
    # Points for functions, and for answers as far as they are marked.
    code: float
    written: float
    total: float  # what is left of both after being late
    waiting: int  # how many answers nobody has marked
    days_late: int | None  # None where nobody knows when it was handed in
    state: str  # "graded", "ungraded" or "missing"
    why: str = ""  # why it is ungraded
    suspicious: str = ""  # what its code uses that no task needs, for a teacher to look at
    is_stranger: bool = False  # whether there is a roster, and they are not on it
    by_hand: str = ""  # the functions for which a person gave points, with what the grader finds
    # Those of them for which the grader finds something else now than when that was.
    parted: str = ""
    # The text that was found elsewhere, where there are 0 points for an answer in words.
    elsewhere: str = ""
    one_cell: str = ""  # the cell because of which all functions failed, if there is one
    # What was graded, and until when they have time; by their own clock, where that is known.
    version: Version | None = None
    due: datetime | None = None
    zone: str = "UTC"
    called_late: bool = False  # whether the platform says so, and nobody knows when it came

    @property
    def late(self) -> str:
        """What being late came to, in words; nothing where it came to nothing."""
        if self.called_late:
            return "Canvas calls this late, and does not say when it came: it counts as in time."
        if self.days_late is None:
            return "It is not known when this was handed in, so it counts as in time."
        if not self.days_late:
            return ""
        days, lost = count(self.days_late, "day"), self.code + self.written - self.total
        return f"{days} late: {lost:g} points less, so {self.total:g} are left."


def scores(book: Gradebook, assignment: Assignment) -> list[Score]:
    """Return the results of all who handed in or are on the roster, by their names as folders."""
    number = assignment.number
    marks, answers, roster = book.marks(number), book.answers(number), book.students()
    versions, ungraded, gone = book.versions(number), book.ungraded(number), book.left()
    suspicious = book.suspicious(number)
    given_by_hand = _by_hand(book, number)
    elsewhere, one_cell, late = (book.looks(number, what) for what in (ELSEWHERE, ONE_CELL, LATE))
    policy, extensions = book.policy(number), book.extensions(number)
    found = []
    for student in sorted({*versions, *roster}):
        who = roster.get(student) or gone.get(student) or Student(student)
        code = sum(mark.points for mark in marks.get(student, ()))
        given = [answer.points for answer in answers.get(student, ())]
        written = sum(points or 0.0 for points in given)
        days: int | None = 0
        own, version = (who.zone, extensions.get(student, 0.0)), versions.get(student)
        if policy is not None and version is not None:
            days = None
            if version.submitted:
                days = policy.days_late(datetime.fromisoformat(version.submitted), *own)
        share = policy.share(days or 0) if policy else 1.0
        state = "graded" if version else "missing"
        state = "ungraded" if student in ungraded else state
        left = round((code + written) * share, 2)
        is_stranger = bool(roster) and student not in roster
        why, uses = ungraded.get(student, ""), suspicious.get(student, "")
        by_hand = given_by_hand.get(student, ("", ""))
        looks = elsewhere.get(student, ""), one_cell.get(student, "")
        result = code, written, left, given.count(None), days, state, why
        named = student, who.name, who.other_id
        due, zone = policy.deadline(*own) if policy else None, policy.zone if policy else "UTC"
        called_late = student in late and version is not None and not version.submitted
        time = version, due, who.zone or zone, called_late
        found.append(Score(*named, *result, uses, is_stranger, *by_hand, *looks, *time))
    return found


def _by_hand(book: Gradebook, number: str) -> dict[str, tuple[str, str]]:
    """Say of each student what a person gave for functions, and what of it is to be read again."""
    said: dict[str, tuple[list[str], list[str]]] = {}
    for (student, task), one in book.by_hand(number).items():
        then = f"{one.then:g} then, " if one.is_parted else ""
        words = f"{task} {one.points:g} (the grader: {then}{one.now:g}{' now' if then else ''})"
        every, parted = said.setdefault(student, ([], []))
        every.append(words)
        parted += [words] if one.is_parted else []
    return {who: (", ".join(every), ", ".join(parted)) for who, (every, parted) in said.items()}
