"""`python -m course gradebook`: what a teacher does with a gradebook."""

import argparse
import contextlib
import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from course import BuildError
from course.files import HOMEWORK, write
from course.grading.book.alike import compared, told_alike
from course.grading.book.export import WHO, fill, new_table
from course.grading.book.feedback import of_student
from course.grading.book.gradebook import Gradebook
from course.grading.book.known import fits, hold, keep, notes, source_of, told_of_changes
from course.grading.book.late import Policy, read_times, zone_of
from course.grading.book.marking import AS_FOUND, mark, read_share, rows
from course.grading.book.marking import table as table_of
from course.grading.book.records import Student
from course.grading.book.scores import scores
from course.grading.book.students import told_of_students
from course.grading.book.summary import of_class, to_show, told_of_class
from course.grading.book.tables import number, read_table, write_table
from course.grading.book.totals import table as table_of_totals
from course.grading.book.totals import told as told_totals
from course.grading.book.totals import totals
from course.grading.book.words import clean, one_line
from course.grading.book.words import count as _count
from course.grading.judge import Assignment
from course.grading.submission import composed

EXPORTS = (*WHO, "nbgrader")
LONGEST = 255  # bytes of a folder's name; letters that are written out may make one longer


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    options = _parser().parse_args(argv)
    try:
        if not options.gradebook.exists():
            raise BuildError(f"there is no {options.gradebook}; `python -m course grade` makes one")
        with Gradebook(options.gradebook) as book:
            options.act(book, options)
    except BrokenPipeError:  # whoever reads what is printed has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
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
        "student; and name, id, zone, group, and for more time a column as hw2, in days: an empty "
        "cell takes it back",
    )
    due = action("due", _due, "say when an assignment is due, and what being late costs")
    due.add_argument(
        "when", metavar="WHEN", nargs="?", help="by the clock on the wall: 2026-11-30T23:59"
    )
    due.add_argument("--never", action="store_true", help="take the deadline back")
    due.add_argument(
        "--zone", help="Europe/Berlin, say (UTC, where none was given); a roster's zones go first"
    )
    due.add_argument(
        "--per-day", type=float, metavar="PERCENT", help="of the points that were earned"
    )
    due.add_argument("--grace", type=float, metavar="MINUTES")
    table(
        action("times", _times, "read when students handed in"),
        "student, submitted; a time without a zone is UTC",
    )
    written = action("written", _written, "write the answers that a person reads, without names")
    table(written, "to be written")
    written.add_argument("--share", metavar="2/3", help="the second of three markers' rows")
    table(
        action("mark", _mark, "read what a person gave for them, or for functions"),
        "as `written` wrote it; a row with a student, and a function's name as its question, gives "
        f"points for that, and {AS_FOUND!r} there takes them back",
    )
    export = action("export", _export, "write marks for a learning platform")
    export.add_argument("--to", choices=EXPORTS, required=True)
    table(export, "to be written")
    export.add_argument("--into", type=Path, metavar="CSV", help="the platform's own table")
    export.add_argument("--column", default="", help="its column for the points")
    export.add_argument(
        "--scale", action="store_true", help="where its maximum is another, to that of its column"
    )
    feedback = action("feedback", _feedback, "write a page for each student")
    feedback.add_argument("folder", metavar="FOLDER", type=Path)
    feedback.add_argument(
        "--rubrics", action="store_true", help="with model answers: when nobody hands in any more"
    )
    summary = action("summary", _summary, "say how the class did")
    summary.add_argument("--page", type=Path, metavar="HTML", help="write it as a page, too")
    same = action("alike", _alike, "show who wrote alike more often than chance explains")
    same.add_argument("folder", metavar="FOLDER", type=Path, help="with what was handed in")
    summary.add_argument("--show", metavar="HTML", type=Path, help="write one without names")
    of_all = action(
        "totals", _totals, "list everybody's points in all assignments", assignment=False
    )
    of_all.add_argument("csv", metavar="CSV", type=Path, nargs="?", help="write a table, too")
    action("students", _students, "list everybody, with points and what is to be known")
    action("missing", _missing, "say who is on the roster and handed nothing in")
    regraded = action("regraded", _regraded, "show which marks grading again would change")
    regraded.add_argument("--accept", action="store_true", help="and change them")
    action("moved", _moved, "say that an assignment's folder is this one now")
    student = action("student", _student, "print all about a student", assignment=False)
    student.add_argument("student", metavar="STUDENT")
    student.add_argument("--delete", action="store_true", help="and delete it, in here")
    return parser


def _roster(book: Gradebook, options) -> None:
    students, extensions = [], {}
    rows = read_table(options.csv, ["student"])
    for row in rows:
        zone = row.get("zone", "")
        if zone:
            zone_of(zone)
        names = row["student"], row.get("name", ""), row.get("id", "")
        students.append(Student(*names, zone, _group(row, options.csv)))
        for name, cell in row.items():
            if name.startswith("hw"):
                more = extensions.setdefault(name, {})
                if cell:
                    more[row["student"]] = number(cell, options.csv, row["student"])
    for twice in (
        _twice(one.student for one in students),
        _twice(one.other_id for one in students),
    ):
        if twice:
            raise BuildError(f"reading {options.csv}: {twice} is there twice")
    had = {name: {*book.extensions(name)} for name in extensions}
    before, now = {*book.students()}, {one.student for one in students}
    book.set_students(students, extensions)
    print(f"{_count(len(now), 'student')}{', in place of those who were there' if before else ''}")
    told = {"new": now - before, "no longer there": before - now} if before else {}
    told |= {f"more time for {name}": {*more} for name, more in sorted(extensions.items())}
    told |= {f"no more time for {name}": had[name] - {*extensions[name]} for name in sorted(had)}
    told["handed in, but not here"] = book.known() - now
    for what, who in told.items():
        if who:
            print(one_line(f"{what}: {', '.join(sorted(who))}"))


def _group(row: Mapping[str, str], path: Path) -> str:
    """Read whose sheet is a student's; nothing where no group is named."""
    group = row.get("group", "").strip().upper()
    if not re.fullmatch("[A-Z]?", group):
        raise BuildError(
            f"reading {path}: a group is a letter, A, B, C and so on, as the sheets have it: "
            f"{row['student']} is in {group}"
        )
    return group


def _due(book: Gradebook, options) -> None:
    policy = book.policy(options.assignment)
    if options.never:
        book.set_policy(options.assignment, None)
    elif options.when:
        book.set_policy(options.assignment, _policy(options, policy or Policy(datetime.min)))
    elif {options.zone, options.per_day, options.grace} != {None}:
        raise BuildError("say when it is due, too: 2026-11-30T23:59")
    policy = book.policy(options.assignment)
    print(f"{options.assignment}: {policy.told() if policy else 'no deadline'}")


def _policy(options, before: Policy) -> Policy:
    """Read a policy; what is not said is as it was before."""
    zone = options.zone or before.zone
    zone_of(zone)
    try:
        when = datetime.strptime(options.when, "%Y-%m-%dT%H:%M")
    except ValueError as error:
        words = f"{options.when!r} is no day and time without a zone, as 2026-11-30T23:59"
        raise BuildError(words) from error
    per_day = 100 * before.per_day if options.per_day is None else options.per_day
    if not 0 <= per_day <= 100:
        raise BuildError(f"a day costs 0 to 100 percent, not {per_day:g}")
    minutes = before.grace / timedelta(minutes=1) if options.grace is None else options.grace
    if not minutes >= 0:
        raise BuildError(f"there are 0 minutes of grace or more, not {minutes:g}")
    return Policy(when, zone, per_day / 100, timedelta(minutes=minutes))


def _times(book: Gradebook, options) -> None:
    times = read_times(options.csv)
    known = book.submitted(options.assignment)
    book.set_times(options.assignment, {who: t for who, t in times.items() if who in known})
    print(_count(sum(who in known for who in times), "time"))
    if strangers := [who for who in times if who not in known]:
        print(one_line(f"left out, for nothing of theirs was graded: {', '.join(strangers)}"))


def _written(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    found = rows(book, assignment)
    if options.share:
        found = [one for one in found if one.is_of(*read_share(options.share))]
    names, lines, n_kept = table_of(assignment, found, options.csv)
    write_table(options.csv, names, lines)
    answers = [answer for row in found for answer in row.answers]
    waiting = sum(one.points is None for one in answers)
    alike = f" in {_count(len(found), 'row')}" if len(found) < len(answers) else ""
    print(f"{_count(len(answers), 'answer')}{alike}, {waiting} of them without points")
    if n_kept:
        print(f"{n_kept} as filled in in {options.csv}, and not yet read by `mark`")


def _mark(book: Gradebook, options) -> None:
    for line in mark(book, _graded(book, options), options.csv):
        print(line)


def _export(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    found = scores(book, assignment)
    if options.into is None:
        write_table(options.csv, *new_table(options.to, assignment, found, options.column))
    elif options.to not in WHO:
        raise BuildError(f"--into is for {' and '.join(WHO)}")
    else:
        if options.csv.exists() and options.csv.samefile(options.into):
            raise BuildError(f"{options.into} is the platform's own: name another file to write")
        how = {"column": options.column, "scaled": options.scale}
        n, *unknown = fill(options.to, options.into, options.csv, assignment, found, **how)
        print(f"{_count(n, 'row')} filled in")
        for what, who in zip(
            (f"not in {options.into}", "there, but not here"), unknown, strict=True
        ):
            if who:
                print(one_line(f"{what}: {', '.join(who)}"))
    states = [score.state for score in found]
    print(
        f"{states.count('graded')} graded, {states.count('ungraded')} ungraded and "
        f"{states.count('missing')} missing: their cells are left empty, not 0"
    )
    if waiting := sum(score.waiting for score in found):
        print(f"{_count(waiting, 'answer')} not marked yet")


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
        folder = options.folder / _folder(student) / assignment.number
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / "feedback.html", page)
        n += 1
    print(f"{n} pages below {options.folder}")


def _folder(student: str) -> str:
    """Return a student's name, or as much of it as a file system takes for one."""
    if len(student.encode()) <= LONGEST:
        return student
    return f"{student[:40]}…{hashlib.sha256(student.encode()).hexdigest()[:16]}"


def _summary(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    found = assignment, scores(book, assignment), book.marks(assignment.number)
    print(told_of_class(*found))
    if options.page:
        write(options.page, of_class(*found))
    if options.show:
        write(options.show, to_show(*found))


def _totals(book: Gradebook, options) -> None:
    found = totals(book)
    if not found.most:
        raise BuildError(f"nothing is in {book.path}: `grade` it first")
    print(told_totals(found))
    if options.csv:
        write_table(options.csv, *table_of_totals(found))


def _students(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    print(told_of_students(assignment, scores(book, assignment)))


def _alike(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    written, left = compared(book, assignment, options.folder)
    print(told_alike(written, book.marks(assignment.number), left))


def _missing(book: Gradebook, options) -> None:
    if not book.students():
        raise BuildError("nobody is on the roster: `python -m course gradebook roster` reads one")
    found = [s for s in scores(book, _assignment(book, options)) if s.state == "missing"]
    for score in found:
        print(one_line(f"{score.student} {score.name}"))
    if not found:
        print("nobody is missing")


def _student(book: Gradebook, options) -> None:
    student = composed(options.student)
    found = book.of_student(student)
    if not any(found.values()):
        raise BuildError(f"nothing is known of {options.student!r}")
    print(json.dumps(found, indent=1))
    if options.delete:
        n = book.forget(student)
        print(
            f"{n} rows deleted. What was handed in, pages and tables are files of their own: "
            "delete those, too, or the next `grade` brings it back",
            file=sys.stderr,
        )


def _regraded(book: Gradebook, options) -> None:
    assignment = _assignment(book, options)
    print(told_of_changes(book, assignment) or "no mark waits to be changed")
    if options.accept and (n := book.accept(assignment.number)):
        print(f"{_count(n, 'student')} changed, as listed above")


def _moved(book: Gradebook, options) -> None:
    assignment = Assignment(options.assignment, options.source)
    keep(book, assignment)
    print(f"{assignment.number} is made of {source_of(assignment.folder) or HOMEWORK} now")


def _assignment(book: Gradebook, options) -> Assignment:
    """Read an assignment, if it is the one that the gradebook knows."""
    assignment = Assignment(options.assignment, options.source)
    hold(book, assignment)
    return assignment


def _graded(book: Gradebook, options) -> Assignment:
    assignment = _assignment(book, options)
    if not book.submitted(assignment.number):
        raise BuildError(f"nothing of {assignment.number} is in {book.path}: `grade` it first")
    fits(book, assignment)
    for note in notes(book, assignment):
        print(f"note: {note}", file=sys.stderr)
    return assignment


def _twice(names: Iterable[str]) -> str:
    return next((name for name, n in Counter(names).items() if name and n > 1), "")


if __name__ == "__main__":
    sys.exit(main())
