"""What is counted in a class: what came of each task, mistakes by name, and where totals lie."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise

import numpy as np

from attnlib.checks.exercise import ANY
from course.grading.causes import BLAMED, NEARLY, UNTRIED
from course.grading.judge import PROMISED, Assignment, Mark

OUTCOMES = {  # what teachers tell apart at a glance, and the verdicts of each
    "right": ("correct", NEARLY),
    "wrong": ("wrong",),
    "exception": ("exception",),
    "timed out": ("timed out", "late"),
    "other": ("syntax error", "out of memory", "exited", "crashed", "bad result", "not there"),
    "not attempted": ("not attempted", "missing"),
    "by hand": ("by hand",),
}
AFTER_A_CELL = re.compile(r", (?:and|so) |\. ")  # what came of it, or what to do
MOST_BINS = 16
STEPS = (1, 2, 5)  # and these times 10, 100, …


@dataclass(frozen=True)
class OfTask:
    """How a class did in a task."""

    task: str  # the function's name
    verdicts: Counter[str]  # how often each was given

    @property
    def n(self) -> int:
        """How many were judged."""
        return self.verdicts.total()

    @property
    def outcomes(self) -> dict[str, int]:
        """How many had each outcome; those by hand are there only if somebody marked by hand."""
        counts = dict.fromkeys(OUTCOMES, 0)
        for verdict, n in self.verdicts.items():
            counts[outcome_of(verdict)] += n
        if not counts["by hand"]:
            del counts["by hand"]
        return counts

    def verdicts_of(self, outcome: str) -> list[tuple[str, int]]:
        """Return the verdicts behind an outcome, the commonest first."""
        return [pair for pair in self.verdicts.most_common() if outcome_of(pair[0]) == outcome]


@dataclass(frozen=True)
class Named:
    """Why points were lost, and how many lost some by it."""

    n: int
    task: str  # or the cell
    name: str
    # What went wrong, and what to do about it; nothing where nobody knows.
    sentence: str
    hint: str


def outcome_of(verdict: str) -> str:
    """Return the outcome that a verdict belongs to."""
    return next((outcome for outcome, of in OUTCOMES.items() if verdict in of), "other")


def by_task(assignment: Assignment, marks: Mapping[str, Sequence[Mark]]) -> list[OfTask]:
    """Count the verdicts of each task."""
    counts: dict[str, Counter[str]] = {task: Counter() for task in assignment.points}
    for found in marks.values():
        for mark in found:
            if mark.task in counts:
                counts[mark.task][mark.verdict] += 1
    return [OfTask(task, verdicts) for task, verdicts in counts.items()]


def mistakes(assignment: Assignment, marks: Mapping[str, Sequence[Mark]]) -> list[Named]:
    """Return why points were lost, the commonest reason first, and how many lost some by it.

    That is a mistake that has a name, a promise that does not hold, an example, how a call ended,
    or a cell of the notebook, which may cost several tasks.
    """
    lost = ({_lost_by(assignment, mark) for mark in of_student} for of_student in marks.values())
    counts = Counter(one for of_student in lost for one in of_student if one.name)
    return [
        replace(one, n=n)
        for one, n in sorted(counts.items(), key=lambda pair: (-pair[1], astuple(pair[0])))
    ]


def _lost_by(assignment: Assignment, mark: Mark) -> Named:
    """Say why a task's points were lost; without a name, where none were, or nobody tried."""
    if mark.mistake:
        known = known_mistake(assignment, mark.task, mark.mistake)
        return Named(0, mark.task, mark.mistake, *known)
    if mark.points == mark.most or mark.verdict in UNTRIED | {"by hand"}:
        return Named(0, mark.task, "", "", "")
    if found := BLAMED.match(mark.reason):
        what = AFTER_A_CELL.split(mark.reason)[0].rstrip(".")
        return Named(0, found[1].lower(), "a cell that failed", f"{what}.", "")
    cases = [case for case, _ in assignment.fixed.get(mark.task, ())]
    for promise in dict.fromkeys([*(case.promise for case in cases), ANY]):
        if promise and PROMISED.format(promise.name) in mark.reason:
            words = f"{promise.name[:1].upper()}{promise.name[1:]}."
            return Named(0, mark.task, "a promise that does not hold", words, promise.hint)
    sentence = mark.reason.partition(". ")[0].rstrip(".")
    return Named(0, mark.task, mark.verdict, f"{sentence}.", "")


def known_mistake(assignment: Assignment, task: str, name: str) -> tuple[str, str]:
    """Return a mistake's sentence and its hint, of a neighbour's answer too."""
    of_all = (assignment.of(group).tasks.get(task) for group in assignment.groups)
    known = (one for each in of_all if each for one in each.mistakes)
    return next(((one.sentence, one.hint) for one in known if one.name == name), ("", ""))


def most_points(assignment: Assignment) -> int:
    """Return how many points there are, those for answers in words included."""
    return sum(assignment.points.values()) + sum(q["points"] for q in assignment.written.values())


def quartiles(totals: Sequence[float]) -> tuple[float, float, float]:
    """Return what a quarter, half and three quarters of the totals do not exceed."""
    lower, middle, upper = np.quantile(totals, [0.25, 0.5, 0.75])
    return float(lower), float(middle), float(upper)


def bins(totals: Sequence[float], most: int) -> list[tuple[int, int, int]]:
    """Count totals in bands of equal width: from, below, how many; the last holds its end, too."""
    width = next(w for w in round_numbers() if most <= w * MOST_BINS)
    edges = range(0, max(most, 1) + width, width)
    counts, _ = np.histogram(np.clip(totals, 0, edges[-1]), edges)
    return [(low, high, int(n)) for (low, high), n in zip(pairwise(edges), counts, strict=True)]


def round_numbers():
    """Give 1, 2, 5, 10, 20, 50 and so on."""
    power = 1
    while True:
        yield from (step * power for step in STEPS)
        power *= 10
