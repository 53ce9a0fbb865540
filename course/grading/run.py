"""Grade a class: many submissions at a time, each into the gradebook as soon as it is judged."""

import contextlib
import hashlib
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path

from course import BuildError
from course.grading.answers import Written
from course.grading.book.gradebook import Gradebook
from course.grading.book.late import stamped
from course.grading.book.records import ELSEWHERE, ONE_CELL, Last
from course.grading.book.words import shorten
from course.grading.causes import one_cell
from course.grading.cluster import Cluster, Home
from course.grading.judge import Assignment, Mark, asked, examine, is_late
from course.grading.reading import read_apart
from course.grading.runner import Runner, StoppedError
from course.grading.sandbox import NotStartedError
from course.grading.submission import (
    ANOTHERS,
    Submission,
    UngradedError,
    composed,
    find,
    load,
    readable,
)
from course.grading.suspicion import suspicious
from course.grading.trust import Trust
from course.grading.trust import examine as elsewhere

DEF = "def "  # in text that was to be code
MOST_REFUSED = 10  # submissions in a row for which no sandbox starts


@dataclass(frozen=True)
class Handed:
    """What a student handed in."""

    student: str  # the folder's name, as far as it is text
    # Of the notebook and of what was asked, and of the notebook alone. What has the first of them
    # is not graded again.
    digest: str
    content: str
    # Its notebook, which nobody has read yet, or why there is none to be read.
    path: Path | UngradedError
    submitted: str  # when, or nothing where nobody knows
    beside: tuple[str, ...] = ()  # the names of other notebooks in its folder
    group: str = ""  # whose sheet it is judged by


def students(folder: Path, number: str) -> list[str]:
    """Return the names of those who handed something in.

    Raises
    ------
    BuildError
        If there is no such folder, or nobody did.
    """
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        raise BuildError(
            f"students hand in to a folder, STUDENT/{number}: {folder} is none, {found} is there"
        )
    names = [path.name for path in folder.iterdir() if not path.is_symlink()]
    found = sorted(name for name in names if _may_be_there(folder / name / number))
    if not found:
        above = f"; is {folder.parent} meant?" if (folder / number).is_dir() else ""
        raise BuildError(f"there is nothing to grade: no folder {folder}/STUDENT/{number}{above}")
    return found


def _may_be_there(place: Path) -> bool:
    try:
        return place.is_dir()
    except OSError:
        return True  # it cannot be looked at, and its student is to hear that


def handed(
    folder: Path, student: str, assignment: Assignment, *, is_stamped: bool = False
) -> Handed:
    """Find what a student handed in, and whether it has changed; nothing of it is read yet.

    Whether the time beside it is believed is for a teacher to say: a student can write one, too.
    """
    place, beside = folder / student / assignment.number, ()
    try:
        if os.path.islink(place):
            raise UngradedError("its folder is a link")
        path, *others = find(place, assignment.notebook)
        beside = tuple(readable(other.name) for other in others)
        data = load(path)
    except UngradedError as why:
        path, data = why, str(why).encode("utf-8", "replace")
    content = hashlib.sha256(data).hexdigest()
    digest = assignment.digest_of(content)
    time = stamped(place) if is_stamped else None
    name = name_of(folder, student)
    when = time.isoformat() if time else ""
    return Handed(name, digest, content, path, when, beside, assignment.group)


def n_stamped(folder: Path, found: list[str], number: str) -> int:
    """Return beside how many there is a time."""
    return sum(stamped(folder / student / number) is not None for student in found)


def name_of(folder: Path, student: str) -> str:
    """Return a folder's name as text, composed where no other folder has that name."""
    name = composed(student)
    if name != student and sum(composed(other) == name for other in os.listdir(folder)) > 1:
        return ascii(student)[1:-1]
    return readable(name)


def _read(one: Handed, assignment: Assignment) -> tuple[Submission, Handed]:
    """Read what a student handed in, and say of what it is.

    Raises
    ------
    UngradedError
        If it is no notebook of this assignment, or too much.
    """
    if isinstance(one.path, UngradedError):
        raise one.path
    data = load(one.path)
    submission = read_apart(data)
    cells = [one.source for one in submission.all_cells if one.kind == "code" or DEF in one.source]
    if not any(name in cell for name in assignment.points for cell in cells):
        words = f"none of the functions of {assignment.number} is named in it"
        raise UngradedError(f"{words}; {ANOTHERS}")
    content = hashlib.sha256(data).hexdigest()  # it may have been handed in anew
    one = replace(one, content=content, digest=assignment.digest_of(content))
    return replace(submission, beside=one.beside), one


def grade(
    handed_in: Iterable[Handed],
    assignment: Assignment,
    book: Gradebook,
    runner: Runner | Cluster,
    *,
    jobs: int,
    on_done: Callable[[Handed], None],
    trust: Trust | None = None,
) -> None:
    """Grade submissions, a few at a time; the gradebook is written by this thread alone.

    What took too long, or found no sandbox, is run once more at the end, when nothing else runs. If
    it is stopped, what was judged is kept, and what is running or waits for that is not.

    Raises
    ------
    StoppedError
        After Ctrl-C.
    NotStartedError
        If no sandbox starts here any more, whatever is in it.
    """
    with _ended_by_hand(runner, book):
        _grade(handed_in, assignment, book, runner, jobs, on_done, trust or Trust())


@contextlib.contextmanager
def _ended_by_hand(runner: Runner | Cluster, book: Gradebook) -> Iterator[None]:
    """Let Ctrl-C stop the runner, where Python would raise amid whatever this thread is doing.

    It may be taking or leaving a lock that the pool shares, and that is no place for an exception.
    A second Ctrl-C raises.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # no other thread hears signals
        return

    def stop(*_) -> None:
        signal.signal(signal.SIGINT, before)
        book.is_patient = False
        runner.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _grade(
    handed_in: Iterable[Handed], assignment: Assignment, book: Gradebook,
    runner: Runner | Cluster, jobs: int, on_done: Callable[[Handed], None], trust: Trust,
) -> None:  # fmt: skip
    ahead, late, n_refused = iter(handed_in), [], 0
    running: set[Future] = set()
    before = book.last(assignment.number)
    kept: dict[str, Judged] = {}

    def keep(judged: Judged) -> None:
        _keep(book, assignment, judged)
        if judged.one.student not in kept:
            on_done(judged.one)
        kept[judged.one.student] = judged

    with ThreadPoolExecutor(jobs) as pool:
        try:
            while _fill(running, ahead, pool, jobs, (assignment, book, runner, trust)):
                done = wait(running, return_when=FIRST_COMPLETED).done
                # What ends all comes last, so that nothing that is judged is lost.
                for job in sorted(done, key=lambda job: job.exception() is not None):
                    running.discard(job)
                    judged = job.result()
                    n_refused = n_refused + 1 if judged.is_refused else 0
                    if n_refused > MOST_REFUSED:
                        runner.probe()  # or are they to blame themselves?
                        n_refused = 0
                    if judged.is_refused or judged.is_late:
                        late.append(judged)
                    else:
                        keep(judged)
                late += _doubted(book, assignment, trust, kept, before)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()
            raise
    home = getattr(runner, "home", runner)
    for last in late:
        before = last if home is runner else None  # a worker's word is none at home
        judged = _judge(last.one, assignment, book.seed, last.asking, home, trust, before)
        if judged.is_refused:
            home.probe()
            judged = replace(judged, found=UngradedError(f"it could not be run: {judged.found}"))
        keep(judged)


def _doubted(
    book: Gradebook, assignment: Assignment, trust: Trust, kept: dict[str, "Judged"],
    before: Mapping[str, Last],
) -> list["Judged"]:  # fmt: skip
    """Take back what rests on a word that no longer counts; return what is to be run at home.

    It is taken back in the gradebook, too, so that it is run again even if this run ends.
    """
    found = [kept[student] for student in trust.doubtful() if student in kept]
    for one in (judged.one for judged in found):
        last = before.get(one.student)
        is_new = last is None or last.content != one.content
        book.unsettle(assignment.number, one.student, is_new=is_new)
        trust.settled(one.student)
    return found


def _fill(running: set, ahead: Iterator[Handed], pool, jobs: int, what: tuple) -> bool:
    """Give the pool something to do; return whether anything is running."""
    assignment, book, runner, trust = what
    while len(running) < 2 * jobs and (one := next(ahead, None)):
        asking = book.asking(assignment.number, one.student, one.content)
        running.add(pool.submit(_judge, one, assignment, book.seed, asking, runner, trust))
    return bool(running)


@dataclass(frozen=True)
class Judged:
    """What came of a submission."""

    one: Handed
    found: list[Mark] | UngradedError | NotStartedError
    asking: int  # the number from which, and the secret, its random inputs follow
    submission: Submission | None = None  # what was read of it

    def marks_of(self, one: Handed) -> list[Mark]:
        """Return what it was found to earn, if this is what was handed in."""
        is_same = self.one.content == one.content
        return self.found if isinstance(self.found, list) and is_same else []

    @property
    def is_refused(self) -> bool:
        """Whether no sandbox started for it."""
        return isinstance(self.found, NotStartedError)

    @property
    def is_late(self) -> bool:
        """Whether it is to be run once more when nothing else runs."""
        return isinstance(self.found, list) and any(map(is_late, self.found))


def _judge(
    one: Handed, assignment: Assignment, secret: bytes, asking: int,
    runner: Runner | Cluster | Home, trust: Trust, before: Judged | None = None,
) -> Judged:  # fmt: skip
    submission, found, assignment = None, None, assignment.of(one.group)
    try:
        submission, one = _read(one, assignment)
        what = assignment, asked(secret, asking), one.student, submission
        if isinstance(runner, Cluster):
            found = elsewhere(*what, runner, trust)
        else:
            found = examine(*what, runner, before.marks_of(one) if before else ())
    except (NotStartedError, UngradedError) as why:
        found = why
    except OSError as error:  # no descriptors or processes are left: the machine's fault
        found = NotStartedError(f"the machine gave out: {error.strerror}")
    except (BuildError, StoppedError):
        raise
    except Exception as error:  # whatever it is: it is this submission's, and stops no other
        found = UngradedError(f"the grader could not judge it ({type(error).__name__})")
    return Judged(one, found, asking, submission)


def _keep(book: Gradebook, assignment: Assignment, judged: Judged) -> None:
    try:
        _write(book, assignment, judged)
    except BuildError:
        raise
    except Exception as error:  # what nobody foresaw in it, a text that no file can hold, say
        why = UngradedError(f"what came of it could not be kept ({type(error).__name__})")
        _write(book, assignment, replace(judged, found=why))


def _write(book: Gradebook, assignment: Assignment, judged: Judged) -> None:
    one, found, submission = judged.one, judged.found, judged.submission
    where = (assignment.number, one.student, one.digest)
    known = {"content": one.content, "submitted": one.submitted, "asking": judged.asking}
    if not isinstance(found, list) or submission is None:
        why = str(found)
        if before := book.marks(assignment.number).get(one.student):
            had = sum(mark.points for mark in before)
            why += f" (what was handed in before had {had:g} points for functions)"
        book.keep(*where, [], {}, **known, ungraded=why)
        return
    answers = assignment.of(one.group).handed_out.find(submission)
    beside = (f"another notebook lies beside it: {name}" for name in submission.beside[:5])
    each = (", ".join(suspicious(submission.cells)), *_looks(found), *beside)
    strange = "; ".join(filter(None, each))
    failed = one_cell((mark.verdict, mark.reason) for mark in found)
    looks = {ELSEWHERE: _elsewhere(answers), ONE_CELL: failed}
    looks = {what: words for what, words in looks.items() if words}
    book.keep(*where, found, answers, **known, suspicious=strange, looks=looks)


def _looks(marks: Iterable[Mark]) -> Iterator[str]:
    """Say behind which marks right code may stand, and why; of several tasks the same once."""
    tasks: dict[str, list[str]] = {}
    for mark in marks:
        tasks.setdefault(mark.look, []).append(mark.task)
    return (f"{', '.join(of)}: {look.rstrip('.')}" for look, of in tasks.items() if look)


def _elsewhere(answers: Mapping[str, Written]) -> str:
    """Say which answers have 0 points though there is text that was not handed out."""
    return "; ".join(
        f"{question}: {shorten(one.elsewhere)}"
        for question, one in answers.items()
        if one.is_as_handed_out and one.elsewhere
    )
