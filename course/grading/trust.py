"""What the word of a cluster's workers is worth, and what is run at home to know it.

A worker sees the notebooks that it is sent, so it could answer for a wrong one as a right one does.
A share of what workers decide is run once more at home, chosen when they have answered. Where two
submissions do not hold what a machine's workers said of them, none of their words counts any more.
"""

import secrets
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from course.grading.cluster import Cluster, NobodyError
from course.grading.courier import host_of
from course.grading.judge import Assignment, Examination, Mark
from course.grading.submission import Submission

CONFIRMED = 10  # percent of what workers decide, which is run at home, too
MOST_DOUBTS = 2  # submissions of which a machine said what home does not find
TOLD = "machine {0} said what home does not find, of the work of: {1}"
LOST = """
so all that rested on its word in this run was run again at home; what an earlier run took from it,
`--again` does"""


@dataclass
class Trust:
    """How far workers are trusted, and who turned out not to be."""

    percent: float = CONFIRMED  # how much of what workers decide is confirmed at home
    # Whether two workers, on two machines, have to agree; then a task that is lost with both is
    # lost, too. Else home runs it.
    two: bool = False
    _doubts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _rests: dict[str, set[str]] = field(default_factory=dict)  # a student's marks on whose word
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def is_chosen(self, machines: Iterable[str]) -> bool:
        """Choose whether home confirms what these said."""
        with self._lock:
            if any(len(self._doubts.get(one, ())) >= MOST_DOUBTS for one in machines):
                return True
        return secrets.randbelow(10_000) < 100 * self.percent

    def doubt(self, student: str, machine: str) -> None:
        """Note that home found something else in a student's work."""
        with self._lock:
            self._doubts[machine].add(student)

    def believe(self, student: str, machines: Iterable[str]) -> None:
        """Note that a student's marks rest on what these said."""
        with self._lock:
            self._rests[student] = {*machines}

    def doubtful(self) -> set[str]:
        """Return whose marks rest on what somebody said whose word no longer counts."""
        with self._lock:
            doubted = {one for one, found in self._doubts.items() if len(found) >= MOST_DOUBTS}
            return {student for student, by in self._rests.items() if by & doubted}

    def settled(self, student: str) -> None:
        """Note that a student's marks are home's."""
        with self._lock:
            self._rests.pop(student, None)

    def told(self) -> str:
        """Say who said what home does not find; nothing if nobody did."""
        return "\n".join(
            TOLD.format(machine, ", ".join(sorted(found)))
            + (LOST if len(found) >= MOST_DOUBTS else "")
            for machine, found in self._doubts.items()
        )


def examine(
    assignment: Assignment,
    seed: bytes,
    student: str,
    submission: Submission,
    cluster: Cluster,
    trust: Trust,
) -> list[Mark]:
    """Have a submission run elsewhere, and at home what may not rest on that.

    One worker decides what has full marks, so that it takes no points; two that agree, all.
    """
    examination = Examination(assignment, seed, student)
    said = _said(examination, submission, cluster, 1 + trust.two)
    known, *others = said.values() if said else ([],)
    decided = {mark.task for mark in known if trust.two or mark.points == mark.most}
    are_agreed = all(_points(marks) == _points(known) for marks in others)
    if not said or not are_agreed or trust.is_chosen(said):
        todo = examination.calls
    else:
        todo = [one for one in examination.calls if one.function not in decided]
        trust.believe(student, said)
    if not todo:
        return known
    ran = cluster.home.run(submission.cells, todo)
    asked = {one.function for one in todo}
    at_home = {m.task: m for m in examination.marks(submission, ran) if m.task in asked}
    found = _points(at_home.values())
    for machine, marks in said.items():
        if any(found[name] != n for name, n in _points(marks).items() if name in asked & decided):
            trust.doubt(student, machine)
    return [at_home.get(mark.task, mark) for mark in known] or [*at_home.values()]


def _said(
    examination: Examination, submission: Submission, cluster: Cluster, n: int
) -> Mapping[str, list[Mark]]:
    """Return the marks by what each of so many machines says; nothing if not so many say it."""
    said: dict[str, list[Mark]] = {}
    try:
        for _ in range(n):
            worker, ran = cluster.run(submission.cells, examination.calls, tuple(said))
            said[host_of(worker)] = examination.marks(submission, ran)
    except NobodyError:
        return {}
    return said


def _points(marks: Iterable[Mark]) -> dict[str, int]:
    return {mark.task: mark.points for mark in marks}
