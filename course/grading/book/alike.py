"""Who wrote alike: pairs whose functions have the same forms more often than chance explains.

Many right answers to a short task are equal, and nobody copied. So what is counted is not that two
functions have one form, but how rare that form is in the class: where a share p of the others wrote
it, it counts -log2(p). Two students have the sum over their tasks. How often chance makes such a
sum follows from the class as well: each of two strangers has some form of each task, as often as
the class has it. No mark hangs on any of this, and none of it is kept.
"""

import math
import os
import textwrap
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, combinations
from pathlib import Path

from course.grading.book.forms import Form, forms_apart
from course.grading.book.gradebook import Gradebook
from course.grading.book.teams import teams, together
from course.grading.book.words import count, one_line, shorten
from course.grading.intake.record import Collected
from course.grading.judge import Assignment, Mark
from course.grading.run import handed, students
from course.grading.submission import UngradedError, load

FEW = 0.1  # pairs that chance makes in a class like this: what is listed is rarer
SELDOM = 1_000_000  # classes; what is rarer is told as this
NOTHING_WRITTEN = {"not attempted", "missing", "syntax error"}
WIDTH = 80  # letters of a terminal's line
NO_PROOF = """\
Look at their notebooks, and ask them, before you think anything of it: two may have learned \
together, or from one page. Who copied a task or two, or changed more than names, comments and the \
order of lines, is not in this list."""
NOBODY = "Nobody wrote alike more often than chance explains."


@dataclass(frozen=True)
class Same:
    """A task in which two students wrote the same."""

    task: str
    n: int  # how many in the class did
    of: int  # of how many who wrote something
    statements: int


@dataclass(frozen=True)
class Pair:
    """Two students, and what they wrote alike."""

    students: tuple[str, str]
    same: tuple[Same, ...]
    # How many pairs of a class that writes as this one, by chance, are at least so alike.
    by_chance: float


Written = Mapping[str, Mapping[str, Form]]  # by task and student


@dataclass(frozen=True)
class Compared:
    """What a class wrote; of a team that handed in one file, its first alone."""

    written: Written
    left: Sequence[str] = ()  # who was left out
    teams: Sequence[Sequence[str]] = ()  # who handed in one file together


def alike(written: Written, most: float = FEW) -> list[Pair]:
    """Return the pairs that are more alike than chance explains, the least likely first.

    Parameters
    ----------
    written
        The form of each student's answer, by task and student.
    most
        How many pairs chance may make that are at least as alike as one that is listed.
    """
    held = {task: Counter(one.digest for one in of.values()) for task, of in written.items()}
    sums, tails = _chances(held.values())
    who = sorted({student for of in written.values() for student in of})
    found = []
    for pair in combinations(who, 2):
        same = tuple(_same(written, held, pair))
        place = bisect_left(sums, sum(_weight(one.n, one.of) for one in same))
        by_chance = math.comb(len(who), 2) * tails[place]
        if by_chance <= most:
            found.append(Pair(pair, same, by_chance))
    return sorted(found, key=lambda one: one.by_chance)


def _same(written: Written, held: Mapping[str, Counter], pair: tuple[str, str]) -> Iterator[Same]:
    for task, of in written.items():
        one, other = map(of.get, pair)
        if one and other and one.digest == other.digest:
            yield Same(task, held[task][one.digest], held[task].total(), one.n)


def _weight(n: int, of: int) -> int:
    """Return what it counts that another one wrote what n of so many do, in hundredths."""
    return round(-100 * math.log2((n - 1) / (of - 1)))


def _chances(held: Iterable[Counter[str]]) -> tuple[list[int], list[float]]:
    """Return the sums that two strangers may have, and how likely is each of them, or more."""
    likely = {0: 1.0}
    for counts in held:
        of, each = counts.total(), Counter({0: 1.0})
        for n in counts.values():
            if n > 1:
                p = n * (n - 1) / (of * (of - 1))
                each[_weight(n, of)] += p
                each[0] -= p
        more: Counter[int] = Counter()
        for much, p in likely.items():
            for weight, q in each.items():
                more[much + weight] += p * q
        likely = dict(more)
    sums = sorted(likely)
    tails = [*accumulate(likely[much] for much in reversed(sums))]
    return sums, tails[::-1]


def compared(
    book: Gradebook, assignment: Assignment, folder: Path, kept: Mapping[str, Collected]
) -> Compared:
    """Read what was handed in and graded, given what was collected.

    Each notebook is read in a process of its own.
    """
    marks, last = book.marks(assignment.number), book.last(assignment.number)
    found = [handed(folder, name, assignment) for name in students(folder, assignment.number)]
    graded = [one for one in found if one.student in marks]
    as_graded = [one for one in graded if last[one.student].content == one.content]
    left = [one.student for one in graded if one not in as_graded]
    as_one = together(as_graded, teams(book, kept))
    of_each = [team[0] for team in as_one]
    written: dict[str, dict[str, Form]] = {task: {} for task in assignment.points}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for one, forms in zip(of_each, pool.map(_read, of_each), strict=True):
            if forms is None:
                left.append(one.student)
                continue
            for mark in marks[one.student]:
                if mark.verdict not in NOTHING_WRITTEN and mark.task in forms:
                    written[mark.task][one.student] = forms[mark.task]
    return Compared(written, left, [[one.student for one in team] for team in as_one if team[1:]])


def _read(one) -> dict[str, Form] | None:
    try:
        return forms_apart(load(one.path))
    except UngradedError:
        return None


def told_alike(found: Compared, marks: Mapping[str, Sequence[Mark]]) -> str:
    """Return who wrote alike, with the share of the class that writes so, and how the class does.

    Parameters
    ----------
    found
        What the class wrote.
    marks
        Of the students.
    """
    lines, pairs = _told_class(found.written), alike(found.written)
    for pair in pairs:
        lines += ["", " and ".join(map(shorten, pair.students)), f"  {_told_chance(pair)}"]
        verdicts = {one.task: one.mistake or one.verdict for one in marks[pair.students[0]]}
        for one in pair.same:
            words = (
                f"{one.task}: {one.n} of {one.of} write so, in {count(one.statements, 'statement')}"
            )
            verdict = verdicts[one.task]
            words += "" if verdict == "correct" else f" ({verdict})"
            lines.append(f"  {one_line(words)}")
    lines += ["", *textwrap.wrap(NO_PROOF if pairs else NOBODY, WIDTH)]
    for team in found.teams:
        words = f"A team with one file, so counted as one: {', '.join(map(shorten, team))}"
        lines += ["", *textwrap.wrap(words, WIDTH)]
    if found.left:
        names = ", ".join(map(shorten, found.left))
        words = f"Not compared, for what lies there is not what was graded: {names}"
        lines += ["", *textwrap.wrap(words, WIDTH)]
    return "\n".join(lines)


def _told_class(written: Written) -> list[str]:
    """Say how alike a class writes each task."""
    wide = max(map(len, written))
    lines = [f"{'Task':<{wide}}  {'written':>8}  {'ways':>5}  {'commonest':>10}"]
    for task, of in written.items():
        held = Counter(one.digest for one in of.values())
        most = max(held.values(), default=0)
        lines.append(f"{task:<{wide}}  {len(of):>8}  {len(held):>5}  {most:>10}")
    return lines


def _told_chance(pair: Pair) -> str:
    classes = min(SELDOM, round(1 / pair.by_chance))
    more = "more than " if classes == SELDOM else ""
    return f"by chance, one such pair in {more}{classes:,} classes that write as this one"
