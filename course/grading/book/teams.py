"""Teams: who handed in one file together. It is one work, wherever it is laid out."""

from collections.abc import Iterable, Mapping

from course.grading.book.gradebook import Gradebook
from course.grading.intake.record import Collected
from course.grading.run import Handed

Teams = Mapping[str, set[tuple[str, str]]]  # by student, what all of a team have in common
PARTED = "handed in one file as a team, and each is judged by their own group's sheet: {0}"
REMEDY = "give a team one group in the roster"


def teams(book: Gradebook, kept: Mapping[str, Collected]) -> Teams:
    """Return who is in a team, as the roster says, or what was collected as one hand-in."""
    everybody = book.left() | book.students()
    found = {who: {("", one.team.casefold())} for who, one in everybody.items() if one.team}
    for who, one in kept.items():
        if one.place:
            found.setdefault(who, set()).add((one.platform, one.place))
    return found


def together(handed_in: Iterable[Handed], known: Teams) -> list[list[Handed]]:
    """Put those together who handed in the very same file as a team; all others stand alone."""
    made: list[list[Handed]] = []
    for one in handed_in:
        mine = known.get(one.student, set())
        for team in made:
            theirs = set().union(*(known.get(other.student, ()) for other in team))
            if team[0].content == one.content and mine & theirs:
                team.append(one)
                break
        else:
            made.append([one])
    return made


def told_of_parted(handed_in: Iterable[Handed], known: Teams) -> list[str]:
    """Say which teams get several marks for one file, for they span groups."""
    said = []
    for team in together(handed_in, known):
        if len({one.group for one in team}) > 1:
            names = " and ".join(f"{one.student} ({one.group})" for one in team)
            said.append(f"{names} {PARTED.format(REMEDY)}")
    return said
