"""`python -m course gradebook`: what a teacher does with a gradebook."""

import argparse
import contextlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

from course import BuildError
from course.files import HOMEWORK, write
from course.grading.book.export import WHO, fill, new_table
from course.grading.book.feedback import of_student
from course.grading.book.gradebook import Gradebook, Student
from course.grading.book.late import Policy, read_times, zone_of
from course.grading.book.scores import scores
from course.grading.book.students import told_of_students
from course.grading.book.summary import of_class, told_of_class
from course.grading.book.tables import read_table, write_table
from course.grading.book.words import clean, one_line
from course.grading.judge import Assignment

WRITTEN = ("student", "question", "answer", "rubric", "most", "points", "comment", "digest")
EXPORTS = (*WHO, "nbgrader")
AS_FOUND = "auto"  # in place of points: those that the grader found


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    options = _parser().parse_args(argv)
    try:
        if not options.gradebook.exists():
            raise BuildError(f"there is no {options.gradebook}; `python -m course grade` makes one")
        with Gradebook(options.gradebook) as book:
            options.act(book, options)
    except (BuildError, OSError) as error:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        print(f"error: {clean(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m course gradebook",
        description="Read and write a gradebook, as `python -m course grade` fills it.",
        epilog="Exit code: 0, or 1 if it could not be done (nothing is changed then), 2 for a "
        "wrong option, 130 after Ctrl-C.",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    def action(name: str, act: Callable, text: str, *, assignment: bool = True):
        one = actions.add_parser(name, help=text, description=text)
        one.add_argument("gradebook", metavar="GRADEBOOK", type=Path)
        if assignment:
            one.add_argument("assignment", metavar="ASSIGNMENT")
            one.add_argument("--source", type=Path, default=HOMEWORK, metavar="DIR")
        one.set_defaults(act=act)
        return one

    def table(one, text: str):
        one.add_argument("csv", metavar="CSV", type=Path, help=text)

    table(
        action("roster", _roster, "read who is in the class", assignment=False),
        "student; and name, id, zone, and for more time a column as hw2, in days",
    )
    due = action("due", _due, "say when an assignment is due, and what being late costs")
    due.add_argument(
        "when", metavar="WHEN", nargs="?", help="by the clock on the wall: 2026-11-30T23:59"
    )
    due.add_argument("--never", action="store_true", help="take the deadline back")
    due.add_argument("--zone", default="UTC", help="Europe/Berlin, say; a roster's zones go first")
    due.add_argument(
        "--per-day",
        type=float,
        default=0.0,
        metavar="PERCENT",
        help="of the points that were earned",
    )
    due.add_argument("--grace", type=float, default=0.0, metavar="MINUTES")
    table(
        action("times", _times, "read when students handed in"),
        "student, submitted; a time without a zone is UTC",
    )
    table(action("written", _written, "write the answers that a person reads"), "to be written")
    mark = action("mark", _mark, "read what a person gave for them, or for functions")
    table(
        mark,
        "as `written` wrote it; a row with a function's name as its question gives points for "
        f"that, and {AS_FOUND!r} there takes them back",
    )
    export = action("export", _export, "write marks for a learning platform")
    export.add_argument("--to", choices=EXPORTS, required=True)
    table(export, "to be written")
    export.add_argument("--into", type=Path, metavar="CSV", help="the platform's own table")
    export.add_argument("--column", default="", help="its column for the points")
    feedback = action("feedback", _feedback, "write a page for each student")
    feedback.add_argument("folder", metavar="FOLDER", type=Path)
    feedback.add_argument(
        "--rubrics", action="store_true", help="with model answers: when nobody hands in any more"
    )
    summary = action("summary", _summary, "say how the class did")
    summary.add_argument("--page", type=Path, metavar="HTML", help="write it as a page, too")
    action("students", _students, "list everybody, with points and what is to be known")
    action("missing", _missing, "say who is on the roster and handed nothing in")
    student = action("student", _student, "print all about a student", assignment=False)
    student.add_argument("student", metavar="STUDENT")
    student.add_argument("--delete", action="store_true", help="and delete it, in here")
    return parser


def _roster(book: Gradebook, options) -> None:
    students, extensions = [], {}
    for row in read_table(options.csv, ["student"]):
        zone = row.get("zone", "")
        if zone:
            zone_of(zone)
        students.append(Student(row["student"], row.get("name", ""), row.get("id", ""), zone))
        for name, cell in row.items():
            if name.startswith("hw") and cell:
                extensions[name, row["student"]] = _number(cell, options.csv, row["student"])
    if twice := _twice(one.student for one in students):
        raise BuildError(f"reading {options.csv}: {twice} is there twice")
    before, now = {*book.students()}, {one.student for one in students}
    book.set_students(students, extensions)
    print(f"{len(now)} students, in place of those who were there before")
    for what, who in (("new", now - before), ("no longer there", before - now)):
        if before and who:
            print(one_line(f"{what}: {', '.join(sorted(who))}"))
    for name, n in sorted(Counter(name for name, _ in extensions).items()):
        print(f"more time for {name}: {n}")


def _due(book: Gradebook, options) -> None:
    if options.never:
        book.set_policy(options.assignment, None)
    elif options.when:
        book.set_policy(options.assignment, _policy(options))
    policy = book.policy(options.assignment)
    print(f"{options.assignment}: {policy.told() if policy else 'no deadline'}")


def _policy(options) -> Policy:
    zone_of(options.zone)
    try:
        when = datetime.strptime(options.when, "%Y-%m-%dT%H:%M")
    except ValueError as error:
        words = f"{options.when!r} is no day and time without a zone, as 2026-11-30T23:59"
        raise BuildError(words) from error
    if not 0 <= options.per_day <= 100:
        raise BuildError(f"a day costs 0 to 100 percent, not {options.per_day:g}")
    if not options.grace >= 0:
        raise BuildError(f"there are 0 minutes of grace or more, not {options.grace:g}")
    grace = timedelta(minutes=options.grace)
    return Policy(when, options.zone, options.per_day / 100, grace)


def _times(book: Gradebook, options) -> None:
    times = read_times(options.csv)
    known = book.submitted(options.assignment)
    book.set_times(options.assignment, {who: t for who, t in times.items() if who in known})
    print(f"{sum(who in known for who in times)} times")
    if strangers := [who for who in times if who not in known]:
        print(one_line(f"left out, for nothing of theirs was graded: {', '.join(strangers)}"))


def _written(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    rows = []
    for student, answers in book.answers(assignment.number).items():
        for one in answers:
            asked = assignment.written[one.question]
            row = (student, one.question, one.text, asked["rubric"], asked["points"])
            rows.append((*row, one.points, one.comment, one.digest))
    write_table(options.csv, WRITTEN, rows)
    waiting = sum(row[5] is None for row in rows)
    print(f"{len(rows)} answers, {waiting} of them not marked yet")


def _mark(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    known = {
        (student, one.question): one.digest
        for student, answers in book.answers(assignment.number).items()
        for one in answers
    }
    known |= {
        (student, mark.task): None
        for student, marks in book.marks(assignment.number).items()
        for mark in marks
    }
    answers, tasks, left = {}, {}, []
    for row in read_table(options.csv, ["student", "question", "points"]):
        where = row["student"], row["question"]
        if not row["points"]:
            continue
        if where not in known:
            words = f"{where[1]!r} of {where[0]!r}: there is no such answer, and no such function"
            raise BuildError(f"reading {options.csv}: {words}")
        points = _points(row, assignment, options.csv)
        if where[1] in assignment.points:
            tasks[where] = points, row.get("comment", "")
        elif known[where] == row.get("digest"):
            answers[where] = points, row.get("comment", "")
        else:
            left.append(row["student"])
    book.give(assignment.number, answers, tasks)
    print(f"{len(answers)} answers marked, {len(tasks)} functions by hand")
    if left:
        print(one_line(f"left as they were, for the answer has changed since: {', '.join(left)}"))


def _points(row: dict[str, str], assignment: Assignment, path: Path) -> float | None:
    """Return the points of a row; None where a function's are the grader's again."""
    question, student = row["question"], row["student"]
    is_task = question in assignment.points
    if is_task and row["points"].lower() == AS_FOUND:
        return None
    points = _number(row["points"], path, student)
    most = assignment.points[question] if is_task else assignment.written[question]["points"]
    if not 0 <= points <= most:
        raise BuildError(f"reading {path}: {student} has {points:g} points of {most}")
    return points


def _export(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    found = scores(book, assignment)
    if options.into is None:
        write_table(options.csv, *new_table(options.to, assignment, found))
    elif options.to not in WHO:
        raise BuildError(f"--into is for {' and '.join(WHO)}")
    else:
        n, strangers = fill(
            options.to, options.into, options.csv, assignment, found, options.column
        )
        print(f"{n} rows filled in")
        if strangers:
            print(one_line(f"not in {options.into}: {', '.join(strangers)}"))
    states = [score.state for score in found]
    print(
        f"{states.count('graded')} graded, {states.count('ungraded')} ungraded and "
        f"{states.count('missing')} missing: their cells are left empty, not 0"
    )
    if waiting := sum(score.waiting for score in found):
        print(f"{waiting} answers are not marked yet")


def _feedback(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    marks, answers = book.marks(assignment.number), book.answers(assignment.number)
    n = 0
    for score in scores(book, assignment):
        if score.state == "missing":
            continue
        student = score.student
        theirs = marks.get(student, []), answers.get(student, [])
        page = of_student(assignment, score, *theirs, rubrics=options.rubrics)
        folder = options.folder / student / assignment.number
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / "feedback.html", page)
        n += 1
    print(f"{n} pages below {options.folder}")


def _summary(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    found = assignment, scores(book, assignment), book.marks(assignment.number)
    print(told_of_class(*found))
    if options.page:
        write(options.page, of_class(*found))


def _students(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    print(told_of_students(assignment, scores(book, assignment), book.marks(assignment.number)))


def _missing(book: Gradebook, options) -> None:
    if not book.students():
        raise BuildError("nobody is on the roster: `python -m course gradebook roster` reads one")
    found = [s for s in scores(book, _assignment(options)) if s.state == "missing"]
    for score in found:
        print(one_line(f"{score.student} {score.name}"))
    if not found:
        print("nobody is missing")


def _student(book: Gradebook, options) -> None:
    found = book.of_student(options.student)
    if not any(found.values()):
        raise BuildError(f"nothing is known of {options.student!r}")
    print(json.dumps(found, indent=1))
    if options.delete:
        n = book.forget(options.student)
        print(
            f"{n} rows deleted. What was handed in, pages and tables are files of their own: "
            "delete those, too, or the next `grade` brings it back",
            file=sys.stderr,
        )


def _assignment(options) -> Assignment:
    return Assignment(options.assignment, options.source)


def _graded(book: Gradebook, options) -> Assignment:
    assignment = _assignment(options)
    if not book.submitted(assignment.number):
        raise BuildError(f"nothing of {assignment.number} is in {book.path}: `grade` it first")
    return assignment


def _number(cell: str, path: Path, student: str) -> float:
    try:
        return float(cell.replace(",", "."))
    except ValueError as error:
        raise BuildError(f"reading {path}: {cell!r} of {student} is no number") from error


def _twice(names: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


if __name__ == "__main__":
    sys.exit(main())
