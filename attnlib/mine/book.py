"""A `mine.py` as a text: what it defines, what belongs to a function, and how one is put in."""

from __future__ import annotations

import ast
import dis
import json
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attnlib import checks

TITLE = '"""What I wrote. Lessons run it as mine.softmax and so on, and I may change it here."""'


class Unreadable(Exception):  # noqa: N818  (a fact about the file, and no error of ours)
    """The file is no Python; the message says where."""


@dataclass(frozen=True)
class Entry:
    """What is to be kept: a function, and what it needs."""

    name: str  # the exercise
    # The source of the function and of its helpers, by name, the function last.
    definitions: Mapping[str, str]
    imports: tuple[str, ...] = ()  # the lines that give it its modules


@dataclass(frozen=True, eq=False)
class _Chunk:
    """A line's statements (one, as a rule) with the comments above them."""

    text: str
    nodes: tuple[ast.stmt, ...] = ()
    first: int = 0

    @property
    def imports(self) -> bool:
        return any(isinstance(node, ast.Import | ast.ImportFrom) for node in self.nodes)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset().union(*map(_bound, self.nodes))

    @cached_property
    def reads(self) -> frozenset[str]:
        return frozenset().union(*map(reads, self.nodes))

    @property
    def code(self) -> str:
        return "\n".join(map(ast.unparse, self.nodes))


class Book:
    """The text of a `mine.py`, read and never run as a whole.

    Parameters
    ----------
    text : str
        The file; "" where there is none yet.

    Raises
    ------
    Unreadable
        If it is no Python.
    """

    def __init__(self, text: str):
        self.text = text
        self._title, self._chunks = _read(text)

    def __contains__(self, name: str) -> bool:
        return any(name in chunk.names and not chunk.imports for chunk in self._chunks)

    @property
    def exercises(self) -> set[str]:
        """The exercises that are defined here."""
        return {name for name in checks.names() if name in self}

    def defines(self, name: str) -> str | None:
        """Give the source that binds a name, without the comments above it; None if none does."""
        found = [chunk for chunk in self._chunks if name in chunk.names]
        return found[-1].code if found else None

    def part(self, name: str) -> str:
        """Give the source of a function with all that it needs from the file, and no more."""
        return "\n\n".join(chunk.code for chunk in self._needed(name))

    def load(self, name: str, path: Path) -> Callable:
        """Run what belongs to a function, and give it; errors will show the lines of the file."""
        body = [node for chunk in self._needed(name) for node in chunk.nodes]
        namespace = {"__name__": "mine"}
        exec(compile(ast.Module(body, []), str(path), "exec"), namespace)
        return namespace[name]

    def _needed(self, name: str) -> list[_Chunk]:
        needed, open_names = set(), {name}
        while open_names:
            wanted = open_names.pop()
            for i, chunk in enumerate(self._chunks):
                if i not in needed and chunk.names & {wanted, "*"}:
                    needed.add(i)
                    open_names |= chunk.reads
        return [self._chunks[i] for i in sorted(needed)]

    def with_(self, entry: Entry, order: list[str]) -> Book:
        """Put a function in, each definition in the place of an older one, all else as it was.

        Parameters
        ----------
        entry : Entry
            What to put in.
        order : list of str
            The exercises in the lessons' order, which is that of the file.
        """
        imports = [chunk.text for chunk in self._chunks if chunk.imports]
        imports += [line for line in entry.imports if line not in imports]
        chunks = [chunk for chunk in self._chunks if not chunk.imports]
        names, texts = [chunk.names for chunk in chunks], [chunk.text for chunk in chunks]
        place = _place(entry.name, names, order)
        for name, source in entry.definitions.items():
            old = max((i for i, bound in enumerate(names) if name in bound), default=None)
            if old is not None and names[old] == {name} and _is_simple(texts[old]):
                texts[old] = _comments(texts[old]).removesuffix(_comments(source)) + source
                place = max(place, old + 1)
            else:  # what binds more than this name stays, and the new one stands below it
                place = place if old is None else max(place, old + 1)
                names.insert(place, frozenset([name]))
                texts.insert(place, source)
                place += 1
        parts = [self._title or TITLE, "\n".join(imports)]
        head = "\n\n".join(part for part in parts if part)
        return Book("\n\n\n".join([head, *texts]) + "\n")


def reads(definition: ast.stmt) -> frozenset[str]:
    """Give the names that a definition reads from around it, builtins included.

    Told from its bytecode, which knows local variables from others.
    """
    codes = [compile(ast.Module([definition], []), "mine.py", "exec")]
    names = set()
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
        loads = (i for i in dis.get_instructions(code) if re.match("LOAD_(GLOBAL|NAME)", i.opname))
        names |= {i.argval for i in loads}
    return frozenset(name for name in names if not name.startswith("__"))


def hints(definition: ast.FunctionDef) -> frozenset[str]:
    """Give the names in the annotations of a function and of those inside it."""
    nodes = list(ast.walk(definition))
    hints = [getattr(node, "annotation", None) or getattr(node, "returns", None) for node in nodes]
    names = (name for hint in hints if hint for name in ast.walk(hint))
    return frozenset(name.id for name in names if isinstance(name, ast.Name))


def asks_of_mine(definition: ast.stmt) -> set[str]:
    """Give the names that a definition asks of `mine`, as ``mine.softmax`` does."""
    return {
        node.attr
        for node in ast.walk(definition)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("mine", "attnlib.mine")
    }


def lesson_order(folder: Path) -> list[str]:
    """List exercises as the lessons of a folder check them; one that is in none is left out."""
    found = []
    for path in sorted(folder.glob("[0-9][0-9]*.ipynb")):
        try:
            cells = json.loads(path.read_bytes())["cells"]
            code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        except (OSError, ValueError, LookupError, TypeError):
            continue  # a copy that is damaged says nothing about the order
        found += re.findall(r'^check\("(\w+)"', "\n".join(code), re.MULTILINE)
    return list(dict.fromkeys(found))


def _place(name: str, names: list[frozenset[str]], order: list[str]) -> int:
    """Say behind which definition a new one goes: the last of an earlier exercise."""
    if name not in order:
        return len(names)
    earlier = set(order[: order.index(name)])
    return max((i + 1 for i, others in enumerate(names) if others & earlier), default=0)


def _comments(text: str) -> str:
    return "".join(re.match(r"(?:\s*#.*\n|\s*\n)*", text).group())


def _read(text: str) -> tuple[str, list[_Chunk]]:
    """Cut a file into its title and its statements, with nothing left over."""
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        raise Unreadable(f"line {error.lineno}: {error.msg}") from None
    except ValueError as error:  # a null byte
        raise Unreadable(str(error)) from None
    lines, chunks, at = text.split("\n"), [], 0
    for node in body:
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        nodes = (node,)
        if start < at:  # behind a semicolon
            begun = chunks.pop()
            nodes, at = (*begun.nodes, node), begun.first
        end = _end(lines, node)
        chunks.append(_Chunk("\n".join(lines[at:end]).strip("\n"), nodes, at))
        at = end
    if rest := "\n".join(lines[at:]).strip("\n"):
        chunks.append(_Chunk(rest))
    title = chunks.pop(0).text if body and ast.get_docstring(ast.Module(body[:1], [])) else ""
    return title, chunks


def _end(lines: list[str], node: ast.stmt) -> int:
    """Say where a statement ends, with the comments below that are set in as its body is."""
    end = node.end_lineno
    for i in range(end, len(lines)):
        if re.match(r"\s+#", lines[i]):
            end = i + 1
        elif lines[i].strip():
            break
    return end


def _is_simple(text: str) -> bool:
    """Say whether a text binds its name by a definition or an assignment, and does no more."""
    (node, *more) = ast.parse(text).body
    return not more and isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign)


def _bound(node: ast.stmt) -> frozenset[str]:
    """Give the names that a statement binds; of what binds none, none is used."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return frozenset([node.name])
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset(a.asname or a.name.partition(".")[0] for a in node.names)
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        names = (name for name in ast.walk(node) if isinstance(name, ast.Name))
        return frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))
    if isinstance(node, ast.If | ast.Try):
        inside = (n for n in ast.walk(node) if isinstance(n, ast.stmt) and n is not node)
        return frozenset().union(*map(_bound, inside))
    return frozenset()
