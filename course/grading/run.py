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
from course.grading.book.records import ELSEWHERE, ONE_CELL
from course.grading.book.words import shorten
from course.grading.causes import one_cell
from course.grading.cluster import Cluster
from course.grading.judge import Assignment, Mark, examine, is_late
from course.grading.runner import Runner, StoppedError
from course.grading.sandbox import NotStartedError
from course.grading.submission import Submission, UngradedError, find, read, readable
from course.grading.suspicion import suspicious

MOST_REFUSED = 10  # submissions in a row for which no sandbox starts


@dataclass(frozen=True)
class Handed:
    """What a student handed in.

    Attributes
    ----------
    student : str
        The folder's name, as far as it is text.
    digest, content : str
        Of the notebook and of what was asked, and of the notebook alone. What has the first of
        them is not graded again.
    submission : Submission or UngradedError
    submitted : str
        When, or nothing where nobody knows.
    """

    student: str
    digest: str
    content: str
    submission: Submission | UngradedError
    submitted: str


def students(folder: Path, number: str) -> list[str]:
    """Return the names of those who handed something in.

    Raises
    ------
    BuildError
        If there is no such folder, or nobody did.
    """
    if not folder.is_dir():
        raise BuildError(f"{folder} is no folder")
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


def handed(folder: Path, student: str, assignment: Assignment) -> Handed:
    """Read what a student handed in."""
    place = folder / student / assignment.number
    try:
        if os.path.islink(place):
            raise UngradedError("its folder is a link")
        path, *others = find(place, assignment.notebook)
        submission = read(path)
        if not any(name in cell for name in assignment.points for cell in submission.cells):
            raise UngradedError(
                f"none of the functions of {assignment.number} is named in it; is it another "
                "assignment's notebook?"
            )
        beside = tuple(readable(other.name) for other in others)
        data, submission = submission.data, replace(submission, data=b"", beside=beside)
    except UngradedError as why:
        submission, data = why, str(why).encode("utf-8", "replace")
    content = hashlib.sha256(data).hexdigest()
    digest = assignment.digest_of(content)
    time = stamped(place)
    return Handed(readable(student), digest, content, submission, time.isoformat() if time else "")


def grade(
    handed_in: Iterable[Handed],
    assignment: Assignment,
    book: Gradebook,
    runner: Runner,
    *,
    jobs: int,
    on_done: Callable[[Handed], None],
) -> None:
    """Grade submissions, a few at a time; the gradebook is written by this thread alone.

    What took too long, or found no sandbox, is run once more at the end, when nothing else runs. If
    it is stopped, what was judged is kept, and what is running or waits for that is not.

    Raises
    ------
    StoppedError
        After Ctrl-C.
    """
    with _ended_by_hand(runner):
        _grade(handed_in, assignment, book, runner, jobs, on_done)


@contextlib.contextmanager
def _ended_by_hand(runner: Runner) -> Iterator[None]:
    """Let Ctrl-C stop the runner, where Python would raise amid whatever this thread is doing.

    It may be taking or leaving a lock that the pool shares, and that is no place for an exception.
    A second Ctrl-C raises.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # no other thread hears signals
        return

    def stop(*_) -> None:
        signal.signal(signal.SIGINT, before)
        runner.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _grade(
    handed_in: Iterable[Handed], assignment: Assignment, book: Gradebook, runner: Runner,
    jobs: int, on_done: Callable[[Handed], None],
) -> None:  # fmt: skip
    seed, ahead, late, n_refused = book.seed, iter(handed_in), [], 0
    running: dict[Future, Handed] = {}
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while _fill(running, ahead, pool, jobs, (assignment, seed, runner)):
                for job in wait(running, return_when=FIRST_COMPLETED).done:
                    one = running.pop(job)
                    found = job.result()
                    n_refused = n_refused + 1 if isinstance(found, NotStartedError) else 0
                    if n_refused > MOST_REFUSED:
                        raise found
                    if n_refused or (isinstance(found, list) and any(map(is_late, found))):
                        late.append(one)
                        continue
                    _keep(book, assignment, one, found)
                    on_done(one)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()
            raise
    for one in late:
        found = _judge(one, assignment, seed, getattr(runner, "home", runner))
        if isinstance(found, NotStartedError):
            raise found
        _keep(book, assignment, one, found)
        on_done(one)


def _fill(running: dict, ahead: Iterator[Handed], pool, jobs: int, what: tuple) -> bool:
    """Give the pool something to do; return whether anything is running."""
    while len(running) < 2 * jobs and (one := next(ahead, None)):
        running[pool.submit(_judge, one, *what)] = one
    return bool(running)


def _judge(
    one: Handed, assignment: Assignment, seed: bytes, runner: Runner
) -> list[Mark] | UngradedError | NotStartedError:
    if isinstance(one.submission, UngradedError):
        return one.submission
    home = runner.home if isinstance(runner, Cluster) else None
    try:
        return examine(assignment, seed, one.student, one.submission, runner, home)
    except NotStartedError as error:
        return error
    except (BuildError, StoppedError):
        raise
    except Exception as error:  # whatever it is: it is this submission's, and stops no other
        return UngradedError(f"the grader could not judge it ({type(error).__name__})")


def _keep(
    book: Gradebook, assignment: Assignment, one: Handed, found: list[Mark] | UngradedError
) -> None:
    marks = [] if isinstance(found, UngradedError) else found
    where = (assignment.number, one.student, one.digest, marks)
    known = {"content": one.content, "submitted": one.submitted}
    if isinstance(found, UngradedError):
        why = str(found)
        if before := book.marks(assignment.number).get(one.student):
            had = sum(mark.points for mark in before)
            why += f" (what was handed in before had {had:g} points for functions)"
        book.keep(*where, {}, **known, ungraded=why)
        return
    answers = assignment.handed_out.find(one.submission)
    strange = ", ".join([*suspicious(one.submission.cells), *_beside(one.submission)])
    failed = one_cell((mark.verdict, mark.reason) for mark in found)
    looks = {ELSEWHERE: _elsewhere(answers), ONE_CELL: failed}
    looks = {what: words for what, words in looks.items() if words}
    book.keep(*where, answers, **known, suspicious=strange, looks=looks)


def _elsewhere(answers: Mapping[str, Written]) -> str:
    """Say which answers have 0 points though there is text that was not handed out."""
    return "; ".join(
        f"{question}: {shorten(one.elsewhere)}"
        for question, one in answers.items()
        if one.is_as_handed_out and one.elsewhere
    )


def _beside(submission: Submission) -> list[str]:
    return [f"another notebook lies beside it: {name}" for name in submission.beside[:5]]
