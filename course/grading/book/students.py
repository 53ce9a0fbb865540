"""Everybody in a class, a line each: points, being late, and what is to be known."""

from collections.abc import Sequence

from course.grading.book.scores import Score
from course.grading.book.tally import most_points
from course.grading.book.words import count, one_line, shorten
from course.grading.judge import Assignment


def told_of_students(assignment: Assignment, scores: Sequence[Score]) -> str:
    """Return a line for each student."""
    most = most_points(assignment)
    names = [shorten(one.student) for one in scores]
    wide = max(map(len, names), default=0)
    lines = []
    for name, one in zip(names, scores, strict=True):
        points = f"{one.total:>6g} of {most}" if one.state == "graded" else f"{one.state:>9}"
        lines.append(f"{name:<{wide}}  {points:<12}  {known(one)}")
    return "\n".join(line.rstrip() for line in lines)


def known(one: Score, *, is_named: bool = True) -> str:
    """Say what a teacher should know of a student's points, behind the name where that is told."""
    said = [one_line(one.name)] if one.name and is_named else []
    if one.why:
        said.append(one_line(one.why))
    if one.state == "missing":
        said.append("nothing handed in")
    if one.is_stranger:
        said.append("not on the roster")
    if one.state == "graded":
        said += [words for words in [_late(one)] if words]
        if one.waiting:
            said.append("an answer is to be read")
        if one.by_hand:
            said.append(f"by hand: {one.by_hand}")
    return "; ".join(said)


def _late(one: Score) -> str:
    if one.called_late:
        return "late, says Canvas, and not when, so counted as in time"
    if one.days_late is None:
        return "time unknown, so counted as in time"
    if not one.days_late:
        return ""
    lost = one.code + one.written - one.total
    return f"{count(one.days_late, 'day')} late, {lost:g} points less"
