"""`python -m course class`: make a class's folder."""

import argparse
import sys
from pathlib import Path

from course import BuildError
from course.files import write
from course.grading.book.late import zone_of
from course.grading.book.tables import write_table
from course.grading.classroom.arguments import ending
from course.grading.classroom.settings import NAME, is_class
from course.grading.intake.people import enrolled

ROSTER = ("student", "name", "id", "team")
TEXT = """\
# What every command reads that is run in this folder, or is handed it.
# A line that begins with # says nothing; take the # away, and it does.

zone = "{zone}"              # of deadlines, and of the times in the platform's tables
take = "last"             # of several hand-ins, "last" or "first" counts
per_day = 0               # percent of the points that a day of lateness costs
grace = 0                 # minutes that nobody calls late
roster = "roster.csv"     # student, name, id; and team, group, zone, and days as hw1
# source = "../assignments" # the folder of assignments of your own

# [hw1]
# due = "2026-11-30T23:59"  # by the clock on the wall; and what is other than above
# per_day = 10
"""
UNSEEN = "# students' names and marks are in here: no git takes them in\n*\n"
DONE = """\
{0} is a class's folder now. Fill in {1} and roster.csv there; then, in that folder:

  python -m course collect hw1 DOWNLOAD --worksheet CSV   # Moodle's; Canvas has none
  python -m course grade hw1
  python -m course gradebook feedback hw1"""

TEAMS = "The platform's groups are the roster's teams: empty that column where they are no teams."


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    options = _parser().parse_args(argv)
    try:
        zone_of(options.zone)
        rows = enrolled(options.roster) if options.roster else []
        _make(options.folder.absolute(), options.zone, rows)
    except (BuildError, OSError) as error:
        print(f"error: {ending(error)}", file=sys.stderr)
        return 1
    print(DONE.format(options.folder, NAME))
    if any(team for *_, team in rows):
        print(f"\n{TEAMS}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m course class",
        description=f"Make a folder for a class, with its settings in {NAME}. Commands that are "
        "run in it know its gradebook, its hand-ins, its deadlines and its roster.",
        epilog="Exit code: 0 if it was made, 1 if not, 2 for a wrong option.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="best outside of the clone")
    parser.add_argument("--zone", default="UTC", help="Europe/Berlin, say")
    parser.add_argument(
        "--roster", type=Path, metavar="CSV",
        help="Moodle's grading worksheet or list of participants, or Canvas's exported gradebook",
    )  # fmt: skip
    return parser


def _make(folder: Path, zone: str, rows: list[tuple]) -> None:
    """Make the folder, for its owner alone; what is there already is left as it is."""
    if is_class(folder):
        raise BuildError(f"{folder} is a class's folder already; its settings are in {NAME}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write(folder / ".gitignore", UNSEEN.encode())
    if rows or not (folder / "roster.csv").exists():
        wide = 4 if any(team for *_, team in rows) else 3
        write_table(folder / "roster.csv", ROSTER[:wide], [row[:wide] for row in rows])
    write(folder / NAME, TEXT.format(zone=zone).encode())
