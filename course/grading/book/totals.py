"""Everybody's points in all assignments, side by side, with what is missing or late."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from course.files import HOMEWORK
from course.grading.book.gradebook import Gradebook
from course.grading.book.known import fits
from course.grading.book.scores import Score, scores
from course.grading.book.students import known
from course.grading.book.tally import most_points
from course.grading.book.words import one_line, shorten
from course.grading.judge import Assignment

MISSING = "missing"


@dataclass(frozen=True)
class Totals:
    """A class in all assignments of a gradebook."""

    most: dict[str, int]  # how many points each assignment has
    students: dict[
        str, dict[str, Score]
    ]  # by student and assignment; who is missing may be left out

    def total(self, of: Mapping[str, Score]) -> float:
        """Return what somebody has in all; what is missing or not graded adds nothing."""
        return sum(one.total for one in of.values() if one.state == "graded")

    def notes(self, of: Mapping[str, Score]) -> str:
        """Say what is to be known of somebody's points, assignment by assignment."""
        said = []
        for number in self.most:
            one = of.get(number)
            if one is None or one.state == MISSING:
                said.append(f"{number}: {MISSING}")
            elif words := known(one, is_named=False):
                said.append(f"{number}: {words}")
        return "; ".join(said)


def totals(book: Gradebook) -> Totals:
    """Return everybody's results in whatever was graded.

    Raises
    ------
    BuildError
        If an assignment is not where it was, or marks are for other tasks than its own.
    """
    most, students = {}, {}
    for number, source in book.sources().items():
        assignment = Assignment(number, Path(source) if source else HOMEWORK)
        fits(book, assignment)
        most[number] = most_points(assignment)
        for one in scores(book, assignment):
            students.setdefault(one.student, {})[number] = one
    return Totals(most, dict(sorted(students.items())))


def table(found: Totals) -> tuple[list[str], list[list]]:
    """Return the names and rows of a table; a cell without points is empty, not 0."""
    of = [f"{number} (of {most})" for number, most in found.most.items()]
    names = ["student", "name", "id", *of, f"total (of {sum(found.most.values())})", "to be known"]
    rows = []
    for student, each in found.students.items():
        who = next(iter(each.values()))
        points = [one and one.total for one in _graded(found, each)]
        rows.append(
            [student, who.name, who.other_id, *points, found.total(each), found.notes(each)]
        )
    return names, rows


def _graded(found: Totals, each: Mapping[str, Score]) -> list[Score | None]:
    """Return somebody's results in order, with nothing where there are no points."""
    every = (each.get(number) for number in found.most)
    return [one if one and one.state == "graded" else None for one in every]


def told(found: Totals) -> str:
    """Return a line for each student."""
    heads = [f"{number}/{most}" for number, most in found.most.items()]
    heads.append(f"all/{sum(found.most.values())}")
    lines = [["", *heads, ""]]
    for student, each in found.students.items():
        points = [f"{one.total:g}" if one else "–" for one in _graded(found, each)]
        lines.append(
            [shorten(student), *points, f"{found.total(each):g}", one_line(found.notes(each))]
        )
    return "\n".join(_line(cells, lines) for cells in lines)


def _line(cells: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Set a line: the first cell on the left, numbers on the right, the last as it is."""
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numbers = (f"{cell:>{n}}" for cell, n in zip(cells[1:-1], wide[1:-1], strict=True))
    return "  ".join([f"{cells[0]:<{wide[0]}}", *numbers, cells[-1]]).rstrip()
