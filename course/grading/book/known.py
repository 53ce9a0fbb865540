"""Whether an assignment is the one that a gradebook knows, and what has changed since."""

from pathlib import Path

from course import BuildError
from course.files import HOMEWORK
from course.grading.basis import changed, is_same
from course.grading.book.gradebook import Gradebook
from course.grading.book.records import Change
from course.grading.book.words import one_line, shorten
from course.grading.judge import Assignment, Mark

OURS = ""  # the course's own assignments, wherever it lies
ANOTHER = """\
{number} in {book} is the one of {was}, and {now} has another.
Nothing was read or written. {instead}. Or, if that folder was moved and its tasks mended at once,
say so: `python -m course gradebook moved {book} {number} --source {folder}`"""
UNFIT = """\
{number} in {book} was graded when other points were given for other tasks ({what}).
Grade it again, and accept what changes: `python -m course gradebook regraded {book} {number}`"""


def hold(book: Gradebook, assignment: Assignment) -> None:
    """Refuse an assignment of another source than the gradebook's, unless it is the same there.

    Raises
    ------
    BuildError
        If it is; the message says which is meant.
    """
    asked, here = book.asked(assignment.number), source_of(assignment.folder)
    if asked is None or asked.source == here or is_same(asked.basis, assignment.basis):
        return
    instead = f"Add --source {asked.source}" if asked.source else "Leave --source out"
    raise BuildError(
        ANOTHER.format(
            number=assignment.number, book=book.path, was=_told(asked.source), now=_told(here),
            instead=instead, folder=assignment.folder,
        )
    )  # fmt: skip


def keep(book: Gradebook, assignment: Assignment) -> list[str]:
    """Write what an assignment is made of; return what has changed since it was graded."""
    asked = book.asked(assignment.number)
    book.set_asked(assignment.number, source_of(assignment.folder), assignment.basis)
    return changed(asked.basis, assignment.basis) if asked else []


def fits(book: Gradebook, assignment: Assignment) -> None:
    """Refuse marks for other tasks, or of other points, than those of the assignment.

    Raises
    ------
    BuildError
        If there are any.
    """
    for marks in book.marks(assignment.number).values():
        had = {mark.task: mark.most for mark in marks}
        if had != assignment.points:
            what = ", ".join(
                f"{task}: {had.get(task, 0):g}, now {assignment.points.get(task, 0):g}"
                for task in {**had, **assignment.points}
                if had.get(task) != assignment.points.get(task)
            )
            words = {"number": assignment.number, "book": book.path, "what": what}
            raise BuildError(UNFIT.format(**words))


def groups(book: Gradebook) -> dict[str, str]:
    """Return the group of each student who has one in the roster, or had when they left it."""
    return {name: one.group for name, one in (book.left() | book.students()).items() if one.group}


def notes(book: Gradebook, assignment: Assignment) -> list[str]:
    """Say which marks are not those that `grade` would give now, as far as that is known."""
    last, asked, said = book.last(assignment.number), book.asked(assignment.number), []
    of_roster = groups(book)
    old = [
        student
        for student, one in last.items()
        if one.content
        and one.digest != assignment.of(of_roster.get(student, "")).digest_of(one.content)
    ]
    if old and asked:
        what = changed(asked.basis, assignment.basis)
        because = f"{assignment.number} changed ({', '.join(what)})"
        if not what:  # it may be that grading all again was stopped
            because = f"{assignment.number} {'or their group ' * assignment.varies}changed"
        said.append(f"{len(old)} of {len(last)} were graded before {because}: `grade` it again")
    if n := sum(one.waits for one in last.values()):
        said.append(
            f"the marks of {n} wait to be changed: `python -m course gradebook regraded "
            f"{book.path} {assignment.number}` shows them"
        )
    return said


def told_of_changes(book: Gradebook, assignment: Assignment) -> str:
    """Return a line for each mark that waits to be changed."""
    marks, lines = book.marks(assignment.number), []
    for change in book.changes(assignment.number):
        before = marks.get(change.student, [])
        parts = [*_parts(before, change), *(f"{name}: read anew" for name in change.answers)]
        lines.append(f"{shorten(change.student)}  {'; '.join(map(one_line, parts))}")
    return "\n".join(lines)


def _parts(before: list[Mark], change: Change) -> list[str]:
    """Say of each task what it had and would have."""
    if change.ungraded:
        return [f"{sum(mark.points for mark in before):g} points → not graded: {change.ungraded}"]
    had = {mark.task: mark for mark in before}
    found = {mark.task: mark for mark in change.marks}
    return [
        f"{task} {_mark(had.get(task))} → {_mark(found.get(task))}"
        for task in {**had, **found}
        if _mark(had.get(task)) != _mark(found.get(task))
    ]


def _mark(mark: Mark | None) -> str:
    if mark is None:
        return "none"
    return f"{mark.points:g} of {mark.most:g} ({mark.mistake or mark.verdict})"


def source_of(folder: Path) -> str:
    """Name a folder of assignments as a gradebook keeps it."""
    return OURS if folder.resolve() == HOMEWORK.resolve() else str(folder.resolve())


def _told(source: str) -> str:
    return source or "the course itself (notebooks/homework)"
