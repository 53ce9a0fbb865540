"""A student leaves: what a class's folder has of them is deleted."""

import shutil
from pathlib import Path

from course.grading.book.packing import folder_of
from course.grading.book.roster import read_roster
from course.grading.classroom.settings import Settings
from course.grading.intake.record import forget

KEPT = """\
What was handed in, pages and tables are files of their own: delete those, too, or the next \
`grade` brings it back, and the next `roster` does, if their line is still in its table."""
TABLES = "Tables and zips that you had written are your own to delete, and so are downloads."


def cleared(student: str, settings: Settings | None) -> str:
    """Delete a student's files, where there is a class's folder; say what a person has to."""
    if settings is None:
        return KEPT
    forget(settings.folder, student)
    for above in (settings.submitted, settings.feedback, settings.folder / "earlier"):
        if student == Path(student).name:
            shutil.rmtree(above / folder_of(student), ignore_errors=True)
    path = settings.roster
    is_there = path and student in {one.student for one in read_roster(path)[0]}
    back = f"Their line in {path} brings them back as missing: take it out. " if is_there else ""
    return f"So are what they handed in, and their pages. {back}{TABLES}"
