"""`python -m course grade`: grade the notebooks of a class."""

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from course import BuildError
from course.grading.book.gradebook import Gradebook
from course.grading.book.known import groups, hold, keep, told_of_changes
from course.grading.book.locks import alone
from course.grading.book.scores import scores
from course.grading.book.summary import told_of_class
from course.grading.book.teams import teams, told_of_parted
from course.grading.book.words import clean
from course.grading.classroom.apply import apply
from course.grading.classroom.arguments import Parser, ending, needed, settings_of, source_for
from course.grading.cluster import SECONDS, Cluster, Home
from course.grading.groups import Groups
from course.grading.image import Image
from course.grading.intake.record import collected
from course.grading.judge import Assignment
from course.grading.run import Handed, grade, handed, n_stamped, name_of, students
from course.grading.runner import Runner, StoppedError
from course.grading.sandbox import check
from course.grading.trust import CONFIRMED, Trust

UNSAFE = """\
--unsafe-no-sandbox: the notebooks' code runs as you, here. It can read and delete your files, use
the network, and change the marks. Use it for a notebook of your own, and for nobody else's."""

STAMPED = """\
{0} of them have a timestamp.txt, which is not believed, for a student can write one; where
`nbgrader collect` wrote them, say --timestamps"""

GONE = "their marks stay; `python -m course gradebook student` deletes them"
BESIDE = "it is not read: the notebook that counts has the name that was handed out"


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    options = _parser().parse_args(argv)
    try:
        options.settings = settings = settings_of(options.submitted, Path.cwd())
        if settings:
            options.submitted = settings.submitted
            options.gradebook = options.gradebook or settings.gradebook
        needed(options.submitted, "the folder with STUDENT/hwN in it")
        needed(options.gradebook, "the gradebook, --gradebook FILE")
        assignment = Assignment(options.assignment, source_for(options, settings))
        found = students(options.submitted, assignment.number)
        if options.gradebook.exists():  # before anything that takes long
            with Gradebook(options.gradebook, _say) as book:
                book.touch()
        with Image() as image:
            if options.unsafe_no_sandbox:
                print(UNSAFE, file=sys.stderr)
            else:
                check(image)
            with Gradebook(options.gradebook, _say) as book, alone(book.path), Groups() as groups:
                hold(book, assignment)
                if settings:
                    apply(book, settings, assignment.number, _say)
                runner = Runner(image, groups=groups, is_open=options.unsafe_no_sandbox)
                is_first = not (options.unsafe_no_sandbox or book.known())
                if is_first and (told := groups.told()):
                    _say(told)
                if not options.dask:
                    return _grade(assignment, found, options, book, runner)
                return _grade_elsewhere(assignment, found, options, book, runner)
    except (BuildError, OSError) as error:
        print(f"error: {ending(error)}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, StoppedError):
        print("stopped: what was graded is kept, and the same command goes on")
        return 130


def _say(words: str) -> None:
    print(clean(words), file=sys.stderr)


def _grade_elsewhere(assignment, found: list[str], options, book: Gradebook, runner) -> int:
    with Cluster(options.dask, Home(runner, options.jobs), options.dask_seconds) as cluster:
        options.jobs += cluster.n_slots
        trust = Trust(options.confirm, two=options.trust == "two")
        code = _grade(assignment, found, options, book, cluster, trust)
        for told in filter(None, (cluster.told(), trust.told())):
            print(told, file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m course grade",
        description="Grade SUBMITTED/STUDENT/ASSIGNMENT/*.ipynb, each in a sandbox of its own, "
        "and keep marks and reasons in a gradebook. What is there already, and has not changed, "
        "is not graded again.",
        epilog="Exit code: 0 if all were graded, 1 if nothing could be, 2 for a wrong option, 3 if "
        "some submissions could not be graded (they are listed), 130 after Ctrl-C.",
    )
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="hw2, say")
    parser.add_argument(
        "submitted", metavar="SUBMITTED", type=Path, nargs="?",
        help="the students' folder, or the class's; inside that, nothing",
    )  # fmt: skip
    parser.add_argument("--gradebook", type=Path, metavar="FILE")
    parser.add_argument(
        "--jobs", type=_at_least_1, default=os.cpu_count() or 1, metavar="N", help="at a time"
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="of the scheduler of a Dask cluster")
    parser.add_argument(
        "--dask-seconds", type=_at_least_1, default=SECONDS, metavar="N",
        help="how long to wait for a worker before somebody else is asked (%(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--confirm", type=_percent, default=CONFIRMED, metavar="PERCENT",
        help="of what workers decide, run at home, too (%(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--trust", choices=("one", "two"), default="one",
        help="one worker for what is right (what is not is run at home), or two that agree",
    )  # fmt: skip
    parser.add_argument(
        "--again",
        action="store_true",
        help="grade what has not changed, too, and show what differs",
    )
    parser.add_argument("--source", type=Path, metavar="DIR", help="where the assignments are")
    parser.add_argument(
        "--timestamps",
        action="store_true",
        help="believe each timestamp.txt: only where `nbgrader collect` wrote them",
    )
    parser.add_argument(
        "--unsafe-no-sandbox", action="store_true", help="for a notebook of your own alone"
    )
    return parser


def _percent(text: str) -> float:
    if not 0 <= (number := float(text)) <= 100:
        raise ValueError(text)
    return number


def _at_least_1(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def _grade(
    assignment: Assignment, found: list[str], options, book: Gradebook, runner, trust=None
) -> int:
    last, number = book.last(assignment.number), _begun(assignment, book, again=options.again)
    new, stamps, anew, every, of_roster = [], {}, [], [], groups(book)
    kept = collected(options.settings.folder, assignment.number) if options.settings else {}
    names = [name_of(options.submitted, student) for student in found]
    for student, name in zip(found, names, strict=True):
        own = assignment.of(of_roster.get(name, ""))
        one = handed(options.submitted, student, own, is_stamped=options.timestamps)
        if (known := kept.get(one.student)) and known.content == one.content:
            one = replace(one, submitted=known.submitted)
        every.append(one)
        before = last.get(one.student)
        if before and before.digest == one.digest and before.round >= number:
            stamps[one.student] = one.submitted
            _tell_beside(one)
        else:
            new.append(one)
            anew += [one.student] if before and before.content not in ("", one.content) else []
    if assignment.varies and (n := sum(not of_roster.get(one) for one in names)):
        _say(
            f"{n} of {len(found)} are in no group of the roster, and are judged by group A's sheet"
        )
    for told in told_of_parted(every, teams(book, kept)):
        _say(told)
    if stamps:
        print(f"{len(stamps)} are graded already", file=sys.stderr)
    if n := book.set_stamps(assignment.number, stamps):
        print(f"{n} of them with another time than before", file=sys.stderr)
    if anew:
        _say(f"handed in anew, so graded anew: {', '.join(anew)}")
    if gone := sorted({*last} - {*stamps} - {one.student for one in new}):
        _say(f"graded before, and no folder of theirs is there now: {', '.join(gone)}; {GONE}")
    is_stamped = options.timestamps or options.settings
    if not is_stamped and (n := n_stamped(options.submitted, found, assignment.number)):
        _say(STAMPED.format(n))
    progress = Progress(len(new))
    grade(new, assignment, book, runner, jobs=options.jobs, on_done=progress.done, trust=trust)
    progress.end()
    book.end_round(assignment.number)
    found = scores(book, assignment)
    print(told_of_class(assignment, found, book.marks(assignment.number)))
    if changes := told_of_changes(book, assignment):
        source = f" --source {options.source}" if options.source else ""
        print(WAITING.format(changes, options.gradebook, f"{assignment.number}{source}"))
    return 3 if any(one.state == "ungraded" for one in found) else 0


def _tell_beside(one: Handed) -> None:
    """Say that what lies beside what is graded already is not read."""
    if one.beside:
        _say(f"{one.student}: beside what is graded lies {', '.join(one.beside)}; {BESIDE}")


def _begun(assignment: Assignment, book: Gradebook, *, again: bool) -> int:
    """Note what is graded, and say what has changed in it; return in which round all is again."""
    if what := keep(book, assignment):
        print(f"{assignment.number} has changed: {', '.join(what)}", file=sys.stderr)
    asked = book.asked(assignment.number)
    assert asked is not None
    if asked.is_open:
        print("going on with grading all again", file=sys.stderr)
    elif again:
        book.begin_round(assignment.number)
    return asked.round + (again and not asked.is_open)


WAITING = """
These marks would change. They have not yet:
{0}
To change them: python -m course gradebook regraded {1} {2} --accept"""


class Progress:
    """A line that says how many are done, and how long the others may take."""

    def __init__(self, n: int):
        self.n, self.n_done, self.begun = n, 0, time.monotonic()
        self.out = sys.stderr  # while a thread judges, there is another

    def done(self, one: Handed) -> None:
        """Count one, and write the line anew."""
        self.n_done += 1
        left = (time.monotonic() - self.begun) / self.n_done * (self.n - self.n_done)
        bar = "█" * (20 * self.n_done // self.n)
        minutes, seconds = divmod(int(left), 60)
        words = f"{bar:·<20} {self.n_done} of {self.n}, about {minutes} min {seconds} s"
        if self.out.isatty():
            print(f"\r{words} left ", end="", file=self.out, flush=True)
        elif self.n_done in (1, self.n) or self.n_done % max(1, self.n // 10) == 0:
            print(f"{words} left", file=self.out, flush=True)

    def end(self) -> None:
        """End the line."""
        if self.n_done and self.out.isatty():
            print(file=self.out)


if __name__ == "__main__":
    sys.exit(main())
