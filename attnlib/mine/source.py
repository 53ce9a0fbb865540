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
from attnlib.mine.book import Book, Entry, asks_of_mine, reads


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
    handed = {getattr(helper, "__name__", "") or repr(helper): helper for helper in helpers}
    finder = _Finder(name, function, handed, book)
    finder.add(name, function)
    return Entry(name, finder.definitions, tuple(sorted(finder.imports)))


class _Finder:
    def __init__(self, name: str, function: Callable, handed: dict[str, Callable], book: Book):
        self.name, self.function, self.handed, self.book = name, function, handed, book
        self.definitions: dict[str, str] = {}
        self.imports: set[str] = set()
        self._open: list[str] = []

    def add(self, name: str, function: Callable) -> None:
        source, node = _source(function)
        if node.name != name:
            source = re.sub(rf"\bdef {node.name}\b", f"def {name}", source, count=1)
        self._open.append(name)
        if self._open[0] in asks_of_mine(node) or node.name in reads(node):
            raise CannotKeep(f"{name} calls itself, and a kept function stands on its own.")
        for needed in sorted(reads(node)):
            self._need(needed, function.__globals__)
        self._open.pop()
        self.definitions[name] = source

    def _need(self, needed: str, around: dict) -> None:
        if needed in self._open:
            raise CannotKeep(f"{self.name} calls itself, by way of {self._open[-1]}.")
        if needed in self.definitions:
            return
        if needed in self.handed:
            self.add(needed, self.handed[needed])
        elif needed not in around:
            if not hasattr(builtins, needed):
                raise CannotKeep(f"it reads `{needed}`, and there is nothing of that name.")
        elif line := _import_of(needed, around[needed]):
            self._import(needed, line)
        elif not isinstance(around[needed], types.FunctionType | type):
            raise CannotKeep(
                f"it reads `{needed}` from the notebook, and a file of its own does not have it. "
                "Make it a parameter with a default, or a line of the function."
            )
        elif needed in checks.names():
            if needed not in self.book:
                raise CannotKeep(
                    f"it calls your `{needed}`, which is an exercise, too. "
                    f'Keep that first: `mine.keep("{needed}", {needed})`.'
                )
        elif self.book.defines(needed) is None or not self._same(needed, around[needed]):
            raise CannotKeep(
                f"it calls your `{needed}`. Hand that along: "
                f'`mine.keep("{self.name}", {_name(self.function)}, {needed})`.'
            )

    def _same(self, name: str, function: Callable) -> bool:
        return ast.unparse(_source(function)[1]) == self.book.defines(name)

    def _import(self, name: str, line: str) -> None:
        there = self.book.defines(name)
        if there is not None and there != line:
            raise CannotKeep(f"in mine.py `{name}` is something else: `{there.splitlines()[0]}`.")
        self.imports.add(line)


def _source(function: Callable) -> tuple[str, ast.FunctionDef]:
    if _name(function) == "<lambda>":
        raise CannotKeep("a lambda has no name to keep it by. Write it with `def`, and keep that.")
    if not isinstance(function, types.FunctionType):
        raise CannotKeep("only a function written with `def` has a source to keep.")
    if function.__code__.co_freevars:
        names = " and ".join(f"`{name}`" for name in function.__code__.co_freevars)
        raise CannotKeep(f"it reads {names} from the function around it. Define it on its own.")
    try:
        source = textwrap.dedent(inspect.getsource(function)).strip("\n")
        node = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        raise CannotKeep(
            "its source is not to be found. Run the cell that defines it again, and keep it then."
        ) from None
    if not isinstance(node, ast.FunctionDef):
        raise CannotKeep("only a function written with `def` has a source to keep.")
    return source, node


def _name(function: Callable) -> str:
    return getattr(function, "__name__", "")


def _import_of(name: str, value) -> str:
    """Give the line that imports a value under a name; "" where no module has it."""
    if isinstance(value, types.ModuleType):
        parent, _, child = value.__name__.rpartition(".")
        line = f"from {parent} import {child}" if parent else f"import {child}"
        return line if child == name else f"{line} as {name}"
    own = getattr(value, "__name__", None)
    for module in (getattr(value, "__module__", None), "numpy", "math"):
        if module in (None, "__main__", "builtins") or not isinstance(own, str):
            continue
        if getattr(sys.modules.get(module), own, None) is value:
            line = f"from {module} import {own}"
            return line if own == name else f"{line} as {name}"
    return ""
