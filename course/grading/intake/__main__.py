"""`python -m course collect`: lay out what a class handed in, from a platform's download."""

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from course import BuildError
from course.grading.book.gradebook import Gradebook
from course.grading.book.late import zone_of
from course.grading.book.tables import read_table
from course.grading.book.words import one_line, shorten
from course.grading.classroom.arguments import Parser, ending, settings_of, source_for
from course.grading.classroom.settings import NAME, TAKES, Settings
from course.grading.intake.downloads import Downloads, Line
from course.grading.intake.layout import Layout
from course.grading.intake.people import People, folder_name, read_worksheet
from course.grading.intake.record import collected, keep
from course.grading.judge import Assignment

SPOOL = ".collecting-"  # with which the name begins of where notebooks wait
WIDEST = 48  # letters of a file's name in the table
MOST_ALIKE = 3  # lines that say the same of the same student
UNTOLD = "Canvas tells it in no table, but a table of your own can: student, submitted."
NO_CLASS = """\
there is no class to collect for: `python -m course class DIR` makes a folder for one; collect in \
it, or say --into DIR"""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    options = _parser().parse_args(argv)
    try:
        settings = settings_of(options.into, Path.cwd())
        if settings is None:
            raise BuildError(NO_CLASS)
        _collect(settings, options)
    except (BuildError, OSError) as error:
        print(f"error: {ending(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped: what was laid out is there, and the same command goes on")
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m course collect",
        description="Lay out what a class handed in as submitted/STUDENT/ASSIGNMENT, from what "
        "Moodle or Canvas gives to download, or from nbgrader's exchange, and say what was done "
        "with each file.",
        epilog="Exit code: 0 if all was read, 1 if nothing could be, 2 for a wrong option, 130 "
        "after Ctrl-C.",
    )
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="hw2, say")
    parser.add_argument(
        "downloads", metavar="DOWNLOAD", nargs="+", type=Path, help="a zip, or a folder"
    )
    parser.add_argument(
        "--into", type=Path, metavar="CLASS", help=f"the class's folder, with its {NAME}"
    )
    parser.add_argument(
        "--worksheet", type=Path, metavar="CSV",
        help="when each handed in: Moodle's grading worksheet, or a table of student, submitted",
    )  # fmt: skip
    parser.add_argument("--take", choices=TAKES, help="which of several hand-ins counts")
    parser.add_argument("--source", type=Path, metavar="DIR", help="where the assignments are")
    parser.add_argument(
        "--timestamps",
        action="store_true",
        help="believe each timestamp.txt in a folder: only where `nbgrader collect` wrote them",
    )
    return parser


def _collect(settings: Settings, options) -> None:
    number = options.assignment
    assignment = Assignment(number, source_for(options, settings))
    roster = read_table(settings.roster, ["student"]) if settings.roster else []
    if bad := [row["student"] for row in roster if folder_name(row["student"]) != row["student"]]:
        words = "a student's name is that of a folder, without slashes, and no dot at its ends"
        raise BuildError(f"reading {settings.roster}: {words}: {bad[0]!r} is none")
    zone = zone_of(settings.of(number, "zone"))
    sheet = read_worksheet(options.worksheet, zone) if options.worksheet else []
    settings.submitted.mkdir(parents=True, exist_ok=True)
    for left in settings.folder.glob(f"{SPOOL}*"):  # by a run that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=SPOOL, dir=settings.folder) as spool:
        downloads = Downloads(number, Path(spool), is_stamped=options.timestamps)
        for download in options.downloads:
            downloads.read(download)
        people = People(roster, sheet)
        take = options.take or settings.of(number, "take")
        layout = Layout(
            settings, number, assignment.notebook, take, people, _graded(settings, number)
        )
        now = layout.lay(downloads.found, collected(settings.folder, number))
        keep(settings.folder, number, now)
    lines = [_known(line, people) for line in downloads.lines] + layout.lines
    print(_told(lines))
    for what, n in downloads.passed.items():
        print(f"passed over: {n} {what}")
    _count(now, lines)


def _known(line: Line, people: People) -> Line:
    """Say whose a file is by the class's names."""
    who = ", ".join(owner.student for owner in people.find(line.named)) if line.named else ""
    return replace(line, who=who)


def _graded(settings: Settings, number: str) -> dict[str, tuple[str, str]]:
    """Return of each student the digest of what was graded, and with how many points."""
    if not settings.gradebook.exists():
        return {}
    with Gradebook(settings.gradebook) as book:
        points = {who: sum(m.points for m in marks) for who, marks in book.marks(number).items()}
        return {
            student: (last.content, f"graded: {points.get(student, 0):g} points for functions")
            for student, last in book.last(number).items()
        }


def _told(lines: Sequence[Line]) -> str:
    """Return a table of what was done with each file, what is to be looked at behind all others."""
    lines = sorted(_shortened(lines), key=lambda line: line.is_notable)
    rows = [(shorten(one.who) or "?", _end(one.file), one_line(one.what)) for one in lines]
    wide = [max((len(row[at]) for row in rows), default=0) for at in (0, 1)]
    told = [f"{who:<{wide[0]}}  {file:<{wide[1]}}  {what}" for who, file, what in rows]
    if looks := sum(one.is_notable for one in lines):
        told.insert(len(told) - looks, "\nLook at these:")
    return "\n".join(told)


def _end(name: str) -> str:
    """Return a path in one line, and of a long one the end, which says most."""
    line = one_line(name)
    return line if len(line) <= WIDEST else f"…{line[-WIDEST + 1 :]}"


def _shortened(lines: Sequence[Line]) -> Iterator[Line]:
    """Tell the first few of one's files of which the same is to be said, and count the others."""
    seen = Counter()
    for line in lines:
        seen[line.who, line.what] += 1
        if seen[line.who, line.what] <= MOST_ALIKE:
            yield line
    for (who, what), n in seen.items():
        if n > MOST_ALIKE:
            alike = next(line for line in lines if (line.who, line.what) == (who, what))
            yield replace(alike, file=f"and {n - MOST_ALIKE} others")


def _count(now, lines: Sequence[Line]) -> None:
    counts = {
        what: sum(line.what.startswith(what) for line in lines)
        for what in ("taken", "as it was", "stays", "left", "refused", "not read")
    }
    said = ", ".join(f"{n} {what}" for what, n in counts.items() if n)
    untimed = Counter(one.platform == "canvas" for one in now.values() if not one.submitted)
    without = sum(not one.content for one in now.values())
    more = f", and of {without} one without a notebook" if without else ""
    print(f"\n{said or 'nothing'}. Of {len(now) - without} students there is a hand-in now{more}.")
    if untimed[False]:
        print(f"When {untimed[False]} of them handed in is not known: --worksheet tells it.")
    if untimed[True]:
        print(f"When {untimed[True]} of them handed in is not known: {UNTOLD}")


if __name__ == "__main__":
    sys.exit(main())
