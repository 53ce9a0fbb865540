"""What a class's settings say becomes what its gradebook holds."""

from collections.abc import Callable

from course.grading.book.gradebook import Gradebook
from course.grading.book.records import LATE
from course.grading.book.roster import is_other, put, read_roster
from course.grading.classroom.settings import Settings
from course.grading.intake.record import collected


def apply(book: Gradebook, settings: Settings, number: str, say: Callable[[str], None]) -> None:
    """Bring roster and deadline into a gradebook, where they are others than before, and say so.

    A roster without a student, and an assignment without a deadline, change nothing. What the
    platform called late when it was collected comes with them.

    Raises
    ------
    BuildError
        If the roster, or what was collected, cannot be read.
    """
    if settings.roster:
        students, extensions = read_roster(settings.roster)
        if students and is_other(book, students, extensions):
            for line in put(book, students, extensions):
                say(f"roster: {line}")
    late = {student for student, one in collected(settings.folder, number).items() if one.late}
    if late != book.looks(number, LATE).keys():
        book.set_late(number, late)
    policy = settings.policy(number)
    if policy and policy != book.policy(number):
        book.set_policy(number, policy)
        say(f"{number}: {policy.told()}")
