"""What may be left out of a lesson, and what its code takes from where: read from syntax trees."""

import ast
import re
import symtable
from collections.abc import Iterator
from typing import NamedTuple

from nbformat import NotebookNode

from course.lesson.minutes import HARDER, OPTIONAL


class Taken(NamedTuple):
    """A name that a part uses, and the part that it was last given a value in."""

    part: str
    name: str
    given_in: str

    def __str__(self) -> str:
        return f"{self.part or 'the core'} takes {self.name} of {self.given_in}"


def parts(cells: list[NotebookNode]) -> list[tuple[str, NotebookNode]]:
    """Say of each cell which optional section it ends in, by the heading; "" for the core."""
    found, part, level = [], "", 0
    for cell in cells:
        headings = re.findall(r"(?m)^(#+) (.+)$", cell.source if cell.cell_type != "code" else "")
        for depth, title in headings:
            if not part or len(depth) <= level:
                part = title if title.startswith((OPTIONAL, HARDER)) else ""
                level = len(depth)
        found.append((part, cell))
    return found


def taken(cells: list[NotebookNode]) -> list[Taken]:
    """List what a part takes of an optional section that is another one, each name once."""
    given_in: dict[str, str] = {}
    found = {}
    for part, cell in parts(cells):
        for name, stored in _names(cell.source) if cell.cell_type == "code" else ():
            if stored:
                given_in[name] = part
            elif given_in.get(name, "") not in ("", part):
                found[Taken(part, name, given_in[name])] = None
    return list(found)


def _names(code: str) -> Iterator[tuple[str, bool]]:
    """Go through the names that a cell uses, and those that it gives a value, in their order."""
    code = re.sub(r"(?m)^[%!].*$", "pass", code)
    for statement in ast.parse(code).body:
        yield from _of_statement(statement)


def _of_statement(one: ast.stmt) -> Iterator[tuple[str, bool]]:
    match one:
        case ast.For(target=target, iter=looped):
            heads, targets = [looped], [target]
        case ast.While(test=test) | ast.If(test=test):
            heads, targets = [test], []
        case ast.With(items=items):
            heads = [item.context_expr for item in items]
            targets = [item.optional_vars for item in items if item.optional_vars]
        case ast.Try():
            heads, targets = [], []
        case _:
            yield from _of_simple(one)
            return
    for head in heads:
        yield from _of_simple(ast.Expr(head))
    yield from ((node.id, True) for target in targets for node in ast.walk(target)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))  # fmt: skip
    inner = [*one.body, *getattr(one, "orelse", []), *getattr(one, "finalbody", [])]
    inner += [stmt for handler in getattr(one, "handlers", []) for stmt in handler.body]
    for stmt in inner:
        yield from _of_statement(stmt)


def _of_simple(one: ast.stmt) -> Iterator[tuple[str, bool]]:
    """Name first what a statement uses, or its functions will; then what it gives a value."""
    table = symtable.symtable(ast.unparse(one), "cell", "exec")
    here = table.get_symbols()
    used = {symbol.get_name() for symbol in here if symbol.is_referenced()}
    if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
        used.add(one.target.id)
    used |= set(_globals_within(table)) - {getattr(one, "name", "")}  # it may call itself
    yield from ((name, False) for name in sorted(used))
    yield from ((s.get_name(), True) for s in here if s.is_assigned() or s.is_imported())


def _globals_within(table: symtable.SymbolTable) -> Iterator[str]:
    for inner in table.get_children():
        yield from (symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global())
        yield from _globals_within(inner)
