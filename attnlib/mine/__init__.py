"""What you wrote and kept: `mine.keep` keeps a function, and `mine.softmax`, say, is yours.

Kept functions stand in `mine.py`, beside the notebook; or in the folder that the variable
ATTNLIB_MINE names, and nowhere if that is empty. None of it runs before a lesson asks for it by
name.
"""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np

from attnlib import checks
from attnlib.checks.calling import is_quarantined
from attnlib.checks.earlier import adapted
from attnlib.checks.engine import examine
from attnlib.mine.book import Book, Unreadable, lesson_order
from attnlib.mine.memory import alone, digest, remember, verdict
from attnlib.mine.source import CannotKeep, written
from attnlib.mine.trial import Verdict, tried

__all__ = ["keep", "whose"]

SLOW = 20  # times as long as the reference: worth a word before a long cell begins
NONE_YET = "the reference, until you keep one of your own"


def keep(name: str, function: Callable, *helpers: Callable) -> None:
    """Keep a function that you wrote, for the lessons to come; one sentence says what was done.

    It is checked first. Then its source goes into `mine.py`, with the imports that it needs, and is
    tried once more from there. A newer version replaces the older one.

    Parameters
    ----------
    name : str
        The exercise, such as ``"softmax"``.
    function : callable
        Your function, not called: one written with ``def``, since its source is what is kept.
    *helpers : callable
        Functions of your own that it calls and that are no exercises.

    Raises
    ------
    TypeError, ValueError
        If there is no exercise of that name. Nothing else raises: what cannot be kept is said.

    Examples
    --------
    >>> from attnlib import mine
    >>> def dot_product(a, b): ...
    >>> mine.keep("dot_product", dot_product)
    dot_product: not attempted yet.
    Put your code in place of the `...` and run the cell again. A first step: `hint("dot_product")`.
    Not kept: mine.py takes only what passes its check.
    """
    exercise = checks.find(name)
    report = examine(exercise, function)
    if report.status != "passed":
        report.show()
        print("Not kept: mine.py takes only what passes its check.")
        return
    try:
        print(_kept(name, function, helpers))
    except CannotKeep as why:
        print(f"Not kept: {why}")
    except OSError as error:
        print(
            f"Not kept: mine.py cannot be written here ({error.strerror}). "
            "The lessons go on with the reference."
        )


def _kept(name: str, function: Callable, helpers: tuple[Callable, ...]) -> str:
    path = _place()
    if path is None:
        raise CannotKeep("the variable ATTNLIB_MINE is empty, so nothing is kept here.")
    while True:
        before = _text(path)
        try:
            book = Book(before)
        except Unreadable as error:
            raise CannotKeep(f"mine.py cannot be read: {error}. Correct that line first.") from None
        after = book.with_(written(name, function, helpers, book), lesson_order(path.parent))
        if after.text == before:
            return f"mine.py has this {name} already."
        found = _try_all(name, book, after)
        with alone(path.parent):
            if _text(path) != before:
                continue  # another lesson has kept something meanwhile
            _write(path, after.text)
            remember(path.parent, after, found)
        newer = f"your new {name} replaces the older one" if name in book else f"your {name}"
        return f"Kept in mine.py: {newer}. From now on mine.{name} runs it."


def _try_all(name: str, before: Book, after: Book) -> dict[str, Verdict]:
    """Try a function, and what is kept and calls it; both from the text that would be written."""
    found = tried(name, after.part(name))
    if not found.passed:
        raise CannotKeep(f"in a file of its own it does not pass. {found.why}")
    verdicts = {digest(name, after): found}
    for other in before.exercises - {name}:
        if before.part(other) != after.part(other) and tried(other, before.part(other)).passed:
            found = tried(other, after.part(other))
            if not found.passed:
                raise CannotKeep(
                    f"your {other} in mine.py would fail with it. {found.why} "
                    "If both have a helper of the same name, give one of them another."
                )
            verdicts[digest(other, after)] = found
    return verdicts


def _place() -> Path | None:
    """Say where `mine.py` is, or would be; nowhere, where nobody's own functions shall run."""
    folder = os.environ.get("ATTNLIB_MINE", os.curdir)
    return _path(os.getcwd(), folder) if folder else None


@functools.lru_cache(maxsize=8)  # a training loop asks some thousand times
def _path(here: str, folder: str) -> Path:
    return Path(here, folder, "mine.py")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")  # with every end of a line as "\n"
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise CannotKeep("mine.py holds bytes that are no text in UTF-8.") from None


def _write(path: Path, text: str) -> None:
    """Put the whole file in place at once, so that whoever reads it finds the old one or this."""
    path = path.resolve()  # a link stays one
    beside = path.with_name(".mine.new")
    beside.write_bytes(text.encode())
    os.replace(beside, path)


def whose(*names: str) -> None:
    """Say of exercises which function runs: yours, or the reference, and why.

    Parameters
    ----------
    *names : str
        The exercises. Each function is tried here, unless it has been tried before.

    Raises
    ------
    AttributeError
        If there is no exercise of a name.

    Examples
    --------
    >>> from attnlib import mine
    >>> mine.whose("softmax", "rotate")
    mine.softmax: the reference, until you keep one of your own.
    mine.rotate: the reference, until you keep one of your own.
    """
    for name in names:
        __getattr__(name)
        _say(name, _found(name)[1], again=True)


def __getattr__(name: str) -> Callable:
    """Give what runs the function kept under a name, or the exercise's reference."""
    if name not in _exercises():
        raise AttributeError(
            f"mine has a function for each exercise, and no exercise is called {name!r}. "
            "dir(mine) lists them; what none of them asks for is in attnlib itself."
        )
    return _stand_in(name)


def __dir__() -> list[str]:
    return ["keep", "whose", *sorted(_exercises())]


@functools.cache
def _exercises() -> frozenset[str]:
    return frozenset(checks.names())


@functools.cache
def _stand_in(name: str) -> Callable:
    """Make what finds the function when it is called, and not before.

    Completion, help and ``hasattr`` look at every name: they run nothing of a reader's.
    """
    exercise = checks.find(name)

    def run(*inputs, **options):
        function, words = _found(name)
        _say(name, words)
        result = function(*inputs, **options)
        if exercise.parts is dict:
            return {name: _array(array) for name, array in result.items()}
        if exercise.parts is str:
            return list(result)
        return tuple(map(_array, result)) if exercise.parts else _array(result)

    run.__name__ = run.__qualname__ = name  # with which pickle finds it, too
    run.__doc__ = f"Run your {name} from mine.py, or the exercise's reference: see `mine.whose`."
    run.__signature__ = inspect.signature(exercise.answer)
    return run


def _array(x):
    """Make an array of the lists that a function may answer with, as its check does."""
    return np.array(x) if isinstance(x, list | tuple) else x


def _found(name: str) -> tuple[Callable, str]:
    path = _place()
    try:
        stamp = path and os.stat(path)
    except OSError:
        stamp = None
    if stamp is None:
        return _reference(name), NONE_YET
    return _of_file(path, (stamp.st_mtime_ns, stamp.st_size, stamp.st_ino), name)


@functools.lru_cache(maxsize=128)
def _of_file(path: Path, version: tuple, name: str) -> tuple[Callable, str]:
    reference = _reference(name)
    try:
        book = Book(_text(path))
    except (OSError, CannotKeep, Unreadable) as error:
        return reference, f"the reference, because mine.py cannot be read: {error}"
    if name not in book:
        return reference, NONE_YET
    found = verdict(path.parent, name, book)
    if not found.passed:
        return reference, f"the reference, because yours in mine.py does not pass. {found.why}"
    slow = f", {found.times:.0f} times as slow as the reference, so long cells take longer"
    function = adapted(checks.find(name), book.load(name, path))
    return function, "yours" + (slow if found.times >= SLOW else "")


@functools.cache
def _reference(name: str) -> Callable:
    """Give what answers are judged by, under the name by which Python will tell its errors."""
    answer = checks.find(name).answer
    own = types.FunctionType(answer.__code__, answer.__globals__, name, answer.__defaults__)
    own.__qualname__ = name
    return own


def _say(name: str, words: str, again: bool = False) -> None:
    """Say which function runs: once, unless that has changed or somebody asks.

    In the middle of a check nobody would hear it: then it is said at the next call.
    """
    said = _said()
    if not is_quarantined() and (again or said.get(name) != words):
        said[name] = words
        print(f"mine.{name}: {words}" + ("" if words.endswith((".", "?")) else "."))


@functools.cache
def _said() -> dict[str, str]:
    return {}
