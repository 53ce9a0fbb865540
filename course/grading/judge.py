"""Judge what a submission's functions answered; inputs, answers and marks never leave here.

A task's inputs are its plain examples, which stand in the student's notebook and carry no marks,
the cases of its promises, and random ones, which come of a secret number, the student, the task and
how often the student has handed in: the same again when a submission is graded again, and others
for everybody else, and when more is handed in.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path

import numpy as np

from attnlib.checks.calling import Outcome, read
from attnlib.checks.engine import changed_words, in_place, recognise
from attnlib.checks.exercise import ANY, Case, Exercise, Mistake
from attnlib.checks.raised import Raised
from attnlib.checks.raised.failing import Failure
from course import BuildError
from course.grading.answers import HandedOut
from course.grading.basis import basis
from course.grading.causes import NEARLY, cause, gone, why_missing
from course.grading.oddities import hindrance, instead, oddity, put_back, told_raised
from course.grading.replies import ENDINGS, Calls, Ran, Reply
from course.grading.runner import Runner
from course.grading.submission import Submission
from course.homework.task import Example, find_file, find_task, with_neighbours
from course.homework.variants import FIRST, Values, handed_out

N_DRAWN = 40
MOST_LINES = 200  # of a cell that a line is told of
PROMISED = "It fails where this was promised: {}."
ENDED = {  # what is said of a call that gave no answer
    "timed out": "A call took too long. Is there a loop that does not end?",
    "late": "A call was not done in time. Does it wait, for input or asleep?",
    "out of memory": "A call needed more memory than there is. Is an array far larger than its "
    "inputs, or does a list grow without end?",
    "exited": "A call ended Python, so nothing came back. Is there an `exit` in it?",
    "crashed": "A call made Python crash, so nothing came back.",
    "bad result": "What came back is no array and nothing that could be made one, or far too much.",
}

# What keeps an answer from printing puts other streams in the place of the whole process's, so two
# threads that judge at once might leave them there.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Mark:
    """What a task earned.

    Attributes
    ----------
    task : str
        The function's name.
    points, most : int
        How many there are, and how many there could be.
    verdict : str
        "correct", `course.grading.causes.NEARLY`, "wrong", "not attempted", "missing", "syntax
        error", "exception", one of `course.grading.replies.ENDINGS`, or "by hand", where a person
        gave the points.
    reason : str
        For the student. It names no hidden input and no expected value.
    mistake : str
        The name of the known mistake, where it is one.
    look : str
        For the teacher, and not kept with the mark: why right code may stand behind it.
    """

    task: str
    points: int
    most: int
    verdict: str
    reason: str
    mistake: str = ""
    look: str = field(default="", compare=False)


class Assignment:
    """An assignment as the judge knows it.

    Parameters
    ----------
    number
        ``hw2``, say.
    folder
        Where the assignments are: `hwN.json`, and `tasks` where they are a teacher's own.
    group
        Whose sheet is meant, where it has variants.

    Raises
    ------
    BuildError
        If the list of its tasks is not there, or a task has no judge, or there is no such group.
    """

    def __init__(self, number: str, folder: Path, group: str = FIRST):
        self.number, self.folder = number, folder
        path = folder / f"{number}.json"
        try:
            listed = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            found = sorted(one.stem for one in folder.glob("*.json"))
            raise BuildError(
                f"there is no {number} in {folder}, but: {', '.join(found) or 'nothing'}; "
                "`python -m course homework` makes what has a sheet"
            ) from error
        self.notebook: str = listed["notebook"]
        self.title: str = listed["title"]
        self.points = {one["function"]: int(one["points"]) for one in listed["tasks"]}
        self.titles = {one["function"]: one["title"] for one in listed["tasks"]}
        self.written = {one["question"]: one for one in listed["written"]}
        self.groups: dict[str, Values] = listed.get("groups", {FIRST: {}})
        self.group = group if self.varies else FIRST
        if self.group not in self.groups:
            raise BuildError(
                f"{number} has a sheet for each of the groups {', '.join(self.groups)}, and the "
                f"roster has a group {group}: mend the roster, or add a value to each variant"
            )
        sheets = {one: handed_out(folder, number, one) / self.notebook for one in self.groups}
        self.handed_out = HandedOut(sheets.pop(self.group), self.written, sheets.values())
        own = folder / "tasks"
        self.basis = basis(listed, {name: find_file(name, own) for name in self.points})
        self.tasks = {
            name: with_neighbours(
                find_task(name, own, self.groups[self.group]), own, self.groups, self.group
            )
            for name in self.points
        }
        self._sheets = {self.group: self}
        self.fixed = {
            name: _with_answers(task, fixed_cases(task)) for name, task in self.tasks.items()
        }

    def of(self, group: str) -> "Assignment":
        """Return the assignment as the judge of a group's sheet knows it; "" is as good as A."""
        group = (group or FIRST) if self.varies else self.group
        if group not in self._sheets:
            self._sheets[group] = Assignment(self.number, self.folder, group)
        return self._sheets[group]

    @property
    def varies(self) -> bool:
        """Whether groups have sheets of their own."""
        return bool(self.groups[FIRST])

    @cached_property
    def digest(self) -> str:
        """A number of all that its marks rest on: another one if a task is mended."""
        rests = [self.basis, self.groups[self.group]] if self.varies else self.basis
        return hashlib.sha256(json.dumps(rests, sort_keys=True).encode()).hexdigest()

    def digest_of(self, content: str) -> str:
        """Return the number of a submission that is graded by it, given its content's."""
        return hashlib.sha256(f"{self.digest} {content}".encode()).hexdigest()


class Examination:
    """One student's inputs and what is due, for all tasks of an assignment.

    Parameters
    ----------
    assignment
        What is asked.
    seed
        The secret number.
    student
        Whose it is.
    """

    def __init__(self, assignment: Assignment, seed: bytes, student: str):
        self.assignment = assignment
        self.cases = {
            name: [case for case, _ in assignment.fixed[name]]
            + drawn_cases(task, _generators(seed, student, name))
            for name, task in assignment.tasks.items()
        }
        self._answers: dict[str, list[Outcome]] = {}

    @property
    def calls(self) -> list[Calls]:
        """What is asked of the submission's functions."""
        return [
            Calls(name, tuple(case.inputs for case in cases)) for name, cases in self.cases.items()
        ]

    def due(self, name: str) -> list[Outcome]:
        """Return what is right for each case of a task."""
        if name not in self._answers:
            fixed, task = self.assignment.fixed[name], self.assignment.tasks[name]
            drawn = _with_answers(task, self.cases[name][len(fixed) :])
            self._answers[name] = [due for _, due in (*fixed, *drawn)]
        return self._answers[name]

    def marks(self, submission: Submission, ran: Ran) -> list[Mark]:
        """Judge what came of it."""
        with _one_at_a_time:
            return [self._mark(name, submission, ran) for name in self.cases]

    def _mark(self, name: str, submission: Submission, ran: Ran) -> Mark:
        most, replies = self.assignment.points[name], ran.replies.get(name, [])
        verdict, reason, mistake = self._judged(name, replies, submission, ran)
        points = {"correct": most, NEARLY: max(0, most - 1)}.get(verdict, 0)
        code = self.assignment.handed_out.code
        look = put_back(name, submission.cells, ran)
        if not points:
            look = look or oddity(name, replies, submission, ran) or gone(replies, submission, code)
        return Mark(name, points, most, verdict, reason, mistake, look)

    def _judged(self, name, replies: list[Reply], submission, ran: Ran) -> tuple[str, str, str]:
        if ran.broken:
            how = replies[0].kind if replies and replies[0].kind in ENDINGS else "exited"
            return how, f"The notebook could not be run: {ran.broken}.", ""
        if not replies or replies[0].kind == "not there":
            return *why_missing(name, submission, ran), ""
        if replies[0].is_stub:
            words = f"The function is as it was handed out. {instead(name, submission, ran)}"
            return "not attempted", words.rstrip(), ""
        if (last := replies[-1]).kind in ENDINGS:
            words = f"{ENDED[last.kind]} {hindrance(name, last, submission, ran)}"
            return last.kind, words.rstrip(), ""
        task, cases = self.assignment.tasks[name], self.cases[name]
        if len(replies) < len(cases):
            return "exited", ENDED["exited"], ""
        found = task.found if isinstance(task, Example) else None
        got, due = [outcome(reply, task.parts, found) for reply in replies], self.due(name)
        wrong = [i for i in range(len(cases)) if not got[i].agrees(due[i])]
        wrong = [i for i in wrong if cases[i].promise] and wrong
        if not wrong:
            return "correct", "", ""
        known = _known(task, cases, got, due, wrong)
        if all(task.edge_of(cases[i].inputs) for i in wrong):
            return _at_edges(task, [cases[i] for i in wrong], known)
        at = next((i for i in wrong if not got[i].answers(due[i])), wrong[0])
        first = replies[at]
        if (first.kind, first.name) == ("raised", "SystemExit"):
            return "exited", ENDED["exited"], ""
        if first.kind == "raised" and (found := cause(first, submission, ran)):
            return ("late" if "late" in ran.ended.values() else "exception"), found, ""
        code = self.assignment.handed_out.code
        if found := hindrance(name, first, submission, ran) or gone([first], submission, code):
            return ("exception" if first.kind == "raised" else "wrong"), found, ""
        raised = all(got[i].kind == "raised" for i in wrong)
        reason = told(cases[at], first, got[at], due[at], known)
        if not known and first.kind != "raised":
            reason = f"{reason} {put_back(name, submission.cells, ran)}".rstrip()
        touched = next((one for one in got if one.changed), None)
        if touched and not (known and "in place" in known.name):
            reason += f" It also {changed_words(task, touched)}"
        return ("exception" if raised else "wrong"), reason, known.name if known else ""


def _known(task: Exercise, cases: list[Case], got, due, wrong: list[int]) -> Mistake | None:
    """Find the mistake that was made: of several the one in the answers, before that in place."""
    if all(got[i].answers(due[i]) for i in wrong):
        return in_place(task, got[wrong[0]], due[wrong[0]])
    if found := recognise(task, cases, got, due):
        return found
    answers = [replace(one, changed=()) for one in got]
    return recognise(task, cases, answers, due) if any(one.changed for one in got) else None


def _at_edges(task: Exercise, wrong: list[Case], known: Mistake | None) -> tuple[str, str, str]:
    """Say of a function that is right but for edges what that costs it."""
    edges = [*dict.fromkeys(task.edge_of(case.inputs) for case in wrong)]
    told = f"It is right, but not where {', or where '.join(edge.words for edge in edges)}."
    hint = f"{known.sentence} {known.hint}" if known else edges[0].hint
    verdict = NEARLY if any(edge.costs_a_point for edge in edges) else "correct"
    return verdict, f"{told} {hint}", known.name if known else ""


def fixed_cases(task: Exercise) -> list[Case]:
    """Return a task's plain examples, then its promises' cases: the same for everybody."""
    promised = [
        Case(promise.name, tuple(inputs), promise)
        for promise, found in task.promises().items()
        for inputs in found
    ]
    in_order = attrgetter("order")
    return [*sorted(task.cases(), key=in_order), *sorted(promised, key=in_order)]


def drawn_cases(task: Exercise, generators: Iterable[np.random.Generator]) -> list[Case]:
    """Return random cases, one of each generator."""
    drawn = [Case(ANY.name, tuple(task.draw(rng)), ANY) for rng in generators if task.draw]
    return sorted(drawn, key=attrgetter("order"))


def _with_answers(task: Exercise, cases: Iterable[Case]) -> list[tuple[Case, Outcome]]:
    return [(case, _due(task, case)) for case in cases]


def _due(task: Exercise, case: Case) -> Outcome:
    given = (x.copy() if isinstance(x, np.ndarray) else x for x in case.inputs)
    with np.errstate(all="ignore"):
        return Outcome(*read(task.answer(*given), task.parts))


def told(case: Case, reply: Reply, got: Outcome, due: Outcome, known) -> str:
    """Say what a student may know of a case that failed. This is the one place that decides it.

    Of a plain example everything is known to them. Of a hidden one they are told what kind of
    input it was, never a number of it nor of its answer, and no word of an exception, since their
    own code writes those.
    """
    if known is not None:
        return f"{known.sentence} {known.hint}"
    if case.promise is None:
        where = f"It fails an example that stands in your notebook: {case.shows}."
        if got.kind == "raised":
            line = f", line {reply.line} of its cell" if 0 < reply.line <= MOST_LINES else ""
            where += f" {told_raised(reply, line)}"
        return where
    words = PROMISED.format(case.promise.name)
    if got.kind == "raised":
        words += f" {told_raised(reply, ' there')}"
    elif got.kind == "nothing":
        words += " Nothing came back there: is a `return` missing on one of its ways?"
    elif got.kind == "odd":
        words += " What came back there is no array of numbers."
    elif [a.shape for a in got.arrays] != [a.shape for a in due.arrays]:
        words += " The answer has another shape there."
    elif not got.finite and due.finite:
        words += " The answer is not finite there."
    return f"{words} {case.promise.hint}"


def outcome(
    reply: Reply, parts: tuple[str, ...], found: Callable[[object], object] | None = None
) -> Outcome:
    """Read a reply as `attnlib.checks` reads what a function returned, or what is found in that."""
    if reply.kind == "raised":
        words = f"Your function raised {reply.name}: {reply.words.rstrip('.')}"
        return Outcome("raised", words=words, changed=reply.changed, raised=failing(reply, words))
    if reply.kind != "answer":
        return Outcome("odd", words="no array of numbers came back", changed=reply.changed)
    if isinstance(reply.result, list | tuple) and not _holds_numbers(reply.result):
        return Outcome("odd", words="there is more than numbers in it", changed=reply.changed)
    try:
        result = found(reply.result) if found else reply.result
        kind, arrays, words = read(result, parts)
    except Exception as error:  # a list may hold things that make no array, in many ways
        return Outcome("odd", words=type(error).__name__, changed=reply.changed)
    listed = isinstance(reply.result, list | tuple)
    return Outcome(kind, arrays, words, reply.changed, listed=listed)


def failing(reply: Reply, words: str) -> Raised:
    """Read at which operation a call failed, as known mistakes that raise are told apart by it."""
    failure = None
    if reply.failed is not None:
        operation, sides, known = reply.failed
        failure = Failure(reply.name, operation, "", sides, known, reply.words)
    return Raised(words, ambiguous="truth value of an array" in reply.words, failure=failure)


def examine(
    assignment: Assignment,
    seed: bytes,
    student: str,
    submission: Submission,
    runner: Runner,
    before: Iterable[Mark] = (),
) -> list[Mark]:
    """Run a submission and judge it; where it was run before, only what was late is asked again.

    On the same inputs, and what was not late keeps its mark: so nobody gets a second guess.
    """
    examination = Examination(assignment, seed, student)
    settled = {mark.task: mark for mark in before if not is_late(mark)}
    asked = [one for one in examination.calls if one.function not in settled]
    found = examination.marks(submission, runner.run(submission.cells, asked))
    return [settled.get(mark.task, mark) for mark in found]


def is_late(mark: Mark) -> bool:
    """Whether a task is to be run once more when nothing else runs: others may have kept it.

    A time-out by the processor's own clock is none of these.
    """
    return mark.verdict == "late"


def asked(secret: bytes, number: int) -> bytes:
    """Return the seed of a student's asking of this number; of those that had none, the secret."""
    if not number:
        return secret
    return hashlib.blake2b(str(number).encode(), key=secret, digest_size=32).digest()


def _generators(seed: bytes, student: str, task: str) -> list[np.random.Generator]:
    """Make a generator for each random case."""
    key = json.dumps([student, task]).encode()
    digest = hashlib.blake2b(key, key=seed, digest_size=32).digest()
    return [np.random.default_rng([*digest, case]) for case in range(N_DRAWN)]


def _holds_numbers(tree) -> bool:
    """Whether there is nothing but numbers in it: a text would make a wide table of all of them."""
    if isinstance(tree, list | tuple):
        return all(map(_holds_numbers, tree))
    return isinstance(tree, bool | int | float | np.ndarray)
