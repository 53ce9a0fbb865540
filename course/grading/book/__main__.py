"""`python -m course gradebook`: what a teacher does with a gradebook."""

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from course import BuildError
from course.files import HOMEWORK, write
from course.grading.book.alike import compared, told_alike
from course.grading.book.export import WHO, fill, new_table, numbers
from course.grading.book.feedback import of_student
from course.grading.book.gradebook import Gradebook
from course.grading.book.known import fits, hold, keep, notes, source_of, told_of_changes
from course.grading.book.late import Policy, read_times, zone_of
from course.grading.book.marking import AS_FOUND, mark, read_share, rows
from course.grading.book.marking import table as table_of
from course.grading.book.packing import PLATFORMS, folder_of, pack
from course.grading.book.roster import put, read_roster
from course.grading.book.scores import scores
from course.grading.book.students import told_of_students
from course.grading.book.summary import of_class, to_show, told_of_class
from course.grading.book.tables import write_table
from course.grading.book.totals import table as table_of_totals
from course.grading.book.totals import told as told_totals
from course.grading.book.totals import totals
from course.grading.book.words import count as _count
from course.grading.book.words import one_line
from course.grading.classroom.apply import apply
from course.grading.classroom.arguments import (
    Parser,
    ending,
    needed,
    placed,
    settings_of,
    source_for,
)
from course.grading.classroom.leaving import cleared
from course.grading.classroom.settings import NAME, OF_DEADLINE
from course.grading.intake.record import Collected, collected
from course.grading.judge import Assignment
from course.grading.submission import composed

EXPORTS = (*WHO, "nbgrader")


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    argv = sys.argv[1:] if argv is None else argv
    options = _parser().parse_args(placed(argv, Path.cwd()))
    try:
        options.settings = settings = settings_of(options.gradebook, Path.cwd())
        path = settings.gradebook if settings else options.gradebook
        if not path.exists() and options.act not in (_roster, _due):
            raise BuildError(
                f"there is no {path}; `python -m course grade` makes one, and so do the actions "
                "`roster` and `due`"
            )
        with Gradebook(path) as book:
            if of := getattr(options, "assignment", ""):
                options.source = source_for(options, settings)
            if settings and options.act is not _roster:
                apply(book, settings, of, _say)
            options.act(book, options)
    except BrokenPipeError:  # whoever reads what is printed has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (BuildError, OSError) as error:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        print(f"error: {ending(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m course gradebook",
        description="Read and write a gradebook, as `python -m course grade` fills it.",
        epilog="Exit code: 0, or 1 if it could not be done (nothing is changed then), 2 for a "
        "wrong option, 130 after Ctrl-C.",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    def action(name: str, act: Callable, text: str, *, assignment: bool = True):
        one = actions.add_parser(name, help=text, description=text)
        one.add_argument(
            "gradebook", metavar="GRADEBOOK", type=Path,
            help="its file, or the class's folder; inside that, nothing",
        )  # fmt: skip
        if assignment:
            one.add_argument("assignment", metavar="ASSIGNMENT")
            one.add_argument("--source", type=Path, metavar="DIR")
        one.set_defaults(act=act)
        return one

    def table(one, text: str, **more):
        one.add_argument("csv", metavar="CSV", type=Path, help=text, **more)

    table(
        action("roster", _roster, "read who is in the class", assignment=False),
        "student; and name, id, zone, group, and for more time a column as hw2, in days: an empty "
        "cell takes it back; without it, the one that a class's settings name",
        nargs="?",
    )
    due = action("due", _due, "say when an assignment is due, and what being late costs")
    due.add_argument(
        "due", metavar="WHEN", nargs="?", help="by the clock on the wall: 2026-11-30T23:59"
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
    feedback.add_argument(
        "folder", metavar="FOLDER", type=Path, nargs="?", help="in a class's folder: its feedback"
    )
    feedback.add_argument(
        "--rubrics", action="store_true", help="with model answers: when nobody hands in any more"
    )
    feedback.add_argument(
        "--zip", choices=PLATFORMS, help="pack them, too, as this platform takes them back"
    )
    summary = action("summary", _summary, "say how the class did")
    summary.add_argument("--page", type=Path, metavar="HTML", help="write it as a page, too")
    summary.add_argument("--show", metavar="HTML", type=Path, help="write one without names")
    same = action("alike", _alike, "show who wrote alike more often than chance explains")
    same.add_argument(
        "folder", metavar="FOLDER", type=Path, nargs="?",
        help="with what was handed in; in a class's folder: its submitted",
    )  # fmt: skip
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


def _say(words: str) -> None:
    print(one_line(words), file=sys.stderr)


def _roster(book: Gradebook, options) -> None:
    path = options.csv or (options.settings and options.settings.roster)
    for line in put(book, *read_roster(needed(path, "the roster's table"))):
        print(one_line(line))


def _due(book: Gradebook, options) -> None:
    policy, settings, said = book.policy(options.assignment), options.settings, _said(options)
    if (said or options.never) and settings and settings.policy(options.assignment):
        path = settings.folder / NAME
        raise BuildError(f"{options.assignment}'s deadline stands in {path}: change it there")
    if options.never:
        book.set_policy(options.assignment, None)
    elif "due" in said:
        before = policy or Policy(datetime.min)
        book.set_policy(options.assignment, before.changed(**said))
    elif said:
        raise BuildError("say when it is due, too: 2026-11-30T23:59")
    policy = book.policy(options.assignment)
    print(f"{options.assignment}: {policy.told() if policy else 'no deadline'}")


def _said(options) -> dict:
    """Return what was said of a deadline; what was not is left as it is."""
    found = {name: getattr(options, name) for name in OF_DEADLINE}
    return {name: value for name, value in found.items() if value is not None}


def _times(book: Gradebook, options) -> None:
    of = options.settings
    times = read_times(options.csv, zone_of(of.of(options.assignment, "zone") if of else "UTC"))
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
    if n := sum(row.n_known for row in found):
        words = "in rows with the points of an equal answer: `mark` the table, and they count"
        print(f"of these, {n} {words}")
    if n_kept:
        print(f"{n_kept} as filled in in {options.csv}, and not yet read by `mark`")


def _mark(book: Gradebook, options) -> None:
    for line in mark(book, _graded(book, options), options.csv):
        print(line)


def _export(book: Gradebook, options) -> None:
    assignment = _graded(book, options)
    found = scores(book, assignment)
    if options.into is None:
        about = {"column": options.column, "policy": book.policy(assignment.number)}
        about["times"] = book.submitted(assignment.number)
        write_table(options.csv, *new_table(options.to, assignment, found, **about))
    elif options.to not in WHO:
        raise BuildError(f"--into is for {' and '.join(WHO)}")
    else:
        if options.csv.exists() and options.csv.samefile(options.into):
            raise BuildError(f"{options.into} is the platform's own: name another file to write")
        how = {"column": options.column, "scaled": options.scale}
        how["numbers"] = numbers(options.to, _collected(options))
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
    above = needed(options.folder or (options.settings and options.settings.feedback), "a folder")
    marks, answers = book.marks(assignment.number), book.answers(assignment.number)
    pages = {}
    for score in scores(book, assignment):
        if score.state == "missing":
            continue
        student = score.student
        theirs = marks.get(student, []), answers.get(student, [])
        pages[student] = of_student(assignment, score, *theirs, rubrics=options.rubrics)
        folder = above / folder_of(student) / assignment.number
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / "feedback.html", pages[student])
    print(f"{len(pages)} pages below {above}")
    if options.zip:
        path = above / f"{assignment.number}-{options.zip}.zip"
        left = pack(path, options.zip, pages, _collected(options))
        print(f"{len(pages) - len(left)} of them in {path}")
        if left:
            print(
                one_line(
                    f"not in it, for {options.zip} has no name for them alone: {', '.join(left)}"
                )
            )


def _collected(options) -> dict[str, Collected]:
    """Return what was collected of an assignment, where there is a class's folder."""
    return collected(options.settings.folder, options.assignment) if options.settings else {}


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
    folder = needed(options.folder or (options.settings and options.settings.submitted), "a folder")
    found = compared(book, assignment, folder, _collected(options))
    print(told_alike(found, book.marks(assignment.number)))


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
        print(f"{n} rows deleted. {cleared(student, options.settings)}", file=sys.stderr)


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


if __name__ == "__main__":
    sys.exit(main())
