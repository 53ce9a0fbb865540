"""The source of a living function, with its imports: what goes into `mine.py`."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Callable, Sequence

from attnlib import checks
from attnlib.mine.book import Book, Entry, asks_of_mine, hints, reads

GIVES_NAMES = ("numpy", "math", "numpy.typing")  # also to what does not say where it comes from
NOTHING = object()
OF_MINE = "attnlib.mine"


class CannotKeep(Exception):  # noqa: N818  (an answer to the reader, and no error of ours)
    """A function cannot be kept; the message says why, and what would help."""


def written(name: str, function: Callable, helpers: Sequence[Callable], book: Book) -> Entry:
    """Find a function's source and all that it needs.

    Parameters
    ----------
    name : str
        The exercise, under which it is kept.
    function : callable
        The function.
    helpers : sequence of callable
        Functions that it calls, handed along.
    book : Book
        What is kept already: a function of it need not be handed along.

    Raises
    ------
    CannotKeep
        If there is no source, or something that it reads cannot be had from a file.
    """
    finder = _Finder(name, function, helpers, book)
    finder.add(name, function)
    return Entry(name, finder.definitions, tuple(sorted(finder.imports)))


class _Finder:
    def __init__(self, name: str, function: Callable, handed: Sequence[Callable], book: Book):
        self.name, self.function, self.handed, self.book = name, function, handed, book
        self.definitions: dict[str, str] = {}
        self.imports: set[str] = set()
        self._open: list[str] = []

    def add(self, name: str, function: Callable) -> None:
        function = inspect.unwrap(function)  # what is decorated: the decorator is a helper
        source, node = _source(name, function)
        around, lines = function.__globals__, source.split("\n")
        above = node.lineno - 1  # the lines of decorators
        lines[above] = re.sub(r"\bdef\s+[^\s(\[]+", f"def {name}", lines[above], count=1)
        self._open.append(name)
        if self._open[0] in asks_of_mine(node) or node.name in reads(node):
            raise CannotKeep(
                f"{name} calls itself, and such a function cannot be kept. Use a loop instead."
            )
        for needed in sorted(reads(node)):
            self._need(needed, around)
        for hint in sorted(hints(node) - reads(node)):  # for other readers: mine asks for none
            if line := _import_of(hint, around.get(hint)):
                self._import(hint, line)
        self._open.pop()
        self.definitions[name] = "\n".join(lines)

    def _need(self, needed: str, around: dict) -> None:
        if needed in self._open:
            raise CannotKeep(f"{self.name} calls itself, by way of {self._open[-1]}.")
        value = around.get(needed)
        if needed in self.definitions:
            return
        if any(value is helper for helper in self.handed):
            self.add(needed, value)
        elif needed not in around:
            if not hasattr(builtins, needed):
                raise CannotKeep(f"it reads `{needed}`, and there is nothing of that name.")
        elif _is_of_mine(value) and value.__name__ == self.name:
            raise CannotKeep(f"{self.name} calls itself, by way of mine.{self.name}.")
        elif _is_of_mine(value) and needed in self.book:
            return  # as it stands there
        elif line := _import_of(needed, value):
            self._import(needed, line)
        elif not isinstance(inspect.unwrap(value), types.FunctionType | type):
            raise CannotKeep(
                f"it reads `{needed}` from the notebook, and mine.py does not have it. "
                "Write its value into the function itself."
            )
        elif needed in checks.names():
            if needed not in self.book:
                raise CannotKeep(
                    f"it calls your `{needed}`, which is an exercise, too. "
                    f'Keep that first: `mine.keep("{needed}", {needed})`.'
                )
        elif self.book.defines(needed) is None or not self._same(needed, value):
            raise CannotKeep(
                f"it calls your `{needed}`. Keep that with it: "
                f'`mine.keep("{self.name}", {_name(self.function)}, {needed})`.'
            )

    def _same(self, name: str, function: Callable) -> bool:
        return ast.unparse(_source(name, function)[1]) == self.book.defines(name)

    def _import(self, name: str, line: str) -> None:
        there = self.book.defines(name)
        if there is not None and there != line:
            raise CannotKeep(f"in mine.py `{name}` is something else: `{there.splitlines()[0]}`.")
        self.imports.add(line)


def _source(name: str, function: Callable) -> tuple[str, ast.FunctionDef]:
    if _name(function) == "<lambda>":
        raise CannotKeep(f"`{name}` is a lambda. Write it with `def`, and keep that.")
    if _is_of_mine(function):
        raise CannotKeep(f"mine.{function.__name__} is what mine gives. Keep a function of yours.")
    if not isinstance(function, types.FunctionType):
        raise CannotKeep(f"`{name}` was not written with `def`, so there is no source to keep.")
    if function.__code__.co_freevars:
        names = " and ".join(f"`{name}`" for name in function.__code__.co_freevars)
        raise CannotKeep(
            f"it reads {names} from the function that stands around it. Define it outside of that."
        )
    try:
        above = inspect.getcomments(function) or ""
        source = above + textwrap.dedent(inspect.getsource(function)).strip("\n")
        node = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        raise CannotKeep(
            "its source cannot be found. Write it into a cell without a `%` line, run that cell, "
            "and keep it then."
        ) from None
    if not isinstance(node, ast.FunctionDef):
        raise CannotKeep(f"`{name}` was not written with `def`, so there is no source to keep.")
    return source, node


def _is_of_mine(value) -> bool:
    return getattr(value, "__module__", None) == OF_MINE


def _name(function: Callable) -> str:
    return getattr(function, "__name__", "")


def _import_of(name: str, value) -> str:
    """Give the line that imports a value under a name; "" where no module has it."""
    if isinstance(value, types.ModuleType):
        parent, _, child = value.__name__.rpartition(".")
        line = f"from {parent} import {child}" if parent else f"import {child}"
        return line if child == name else f"{line} as {name}"
    for own in (getattr(value, "__name__", None), name):  # a constant knows no name of its own
        for module in (getattr(value, "__module__", None), *GIVES_NAMES):
            if module in (None, "__main__", "builtins") or not isinstance(own, str):
                continue
            if getattr(sys.modules.get(module), own, NOTHING) is value:
                line = f"from {module} import {own}"
                return line if own == name else f"{line} as {name}"
    return ""
