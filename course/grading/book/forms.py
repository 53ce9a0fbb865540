"""A function's form: what is left of it when names, comments and the order of lines are not told.

Two functions have one form if one becomes the other by renaming, by comments, docstrings and
annotations, and by moving statements that do not need each other. Constants count. Where a name
stands, its form has what was put there last: a parameter's place, or the statement that made it.

What a student wrote is parsed here, so this runs in a process of its own, as notebooks are read.
"""

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from course.grading.reading import apart, bound, write
from course.grading.submission import UngradedError, parse

UNTOLD = {"annotation", "ctx", "decorator_list", "kind", "returns", "type_comment", "type_params"}
BODIES = ("body", "orelse", "finalbody", "handlers")  # of statements that hold statements


@dataclass(frozen=True)
class Form:
    """A function's form, as a digest, and of how many statements it is."""

    digest: str
    n: int


def forms_apart(data: bytes) -> dict[str, Form]:
    """Return the forms of the functions in a notebook's bytes, which a process of its own reads.

    Raises
    ------
    UngradedError
        If they are none, or too much.
    """
    found = apart(data, "course.grading.book.forms")
    if not isinstance(found, dict):
        raise UngradedError(str(found))
    return {name: Form(*one) for name, one in found.items()}


def main() -> None:
    """Read a notebook from standard input; write its functions' forms, or why there are none."""
    bound()
    try:
        cells = parse(sys.stdin.buffer.read()).all_cells
        found = forms(one.source for one in cells if one.kind == "code")
        write({name: (one.digest, one.n) for name, one in found.items()})
    except UngradedError as why:
        write(str(why))


def forms(cells: Iterable[str]) -> dict[str, Form]:
    """Return the form of each function that cells define; the last one of a name counts.

    A cell that is no Python, and a function that is too deep, are left out.
    """
    module, found = [one for cell in cells for one in _statements(cell)], {}
    names: dict[str, str] = {}
    for _ in range(2):  # once more, for what is called may stand below
        for one in module:
            try:
                _statement(one, names)
            except RecursionError:
                continue
            if isinstance(one, ast.FunctionDef):
                found[one.name] = Form(names[one.name], _size(one))
    return found


def _statements(cell: str) -> Iterator[ast.stmt]:
    """Give what a cell defines, its magics left out."""
    lines = ("" if line.startswith(("%", "!")) else line for line in cell.split("\n"))
    try:
        body = ast.parse("\n".join(lines)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    kinds = ast.FunctionDef | ast.Assign | ast.Import | ast.ImportFrom
    yield from (one for one in body if isinstance(one, kinds))


def _size(function: ast.FunctionDef) -> int:
    inner = (one for one in ast.walk(function) if isinstance(one, ast.stmt))
    return sum(not _says_nothing(one) for one in inner) - 1


def _says_nothing(one: ast.stmt) -> bool:
    is_text = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
    return is_text or isinstance(one, ast.Pass)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _block(body: list[ast.stmt], names: dict[str, str]) -> list[str]:
    """Tell statements, in no order: what needs another one has it in its own form."""
    return sorted(_statement(one, names) for one in body if not _says_nothing(one))


def _statement(one, names: dict[str, str]) -> str:
    """Tell a statement, and put what it makes under its names."""
    if isinstance(one, ast.Import | ast.ImportFrom):
        before = f"{one.module}." if isinstance(one, ast.ImportFrom) else ""
        for each in one.names:
            names[each.asname or each.name.partition(".")[0]] = before + each.name
        return "import"
    if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
        names[one.name] = _function(one, names)
        return names[one.name]
    if isinstance(one, ast.Assign):
        value = _told(one.value, names)
        return _digest("=", [_put(target, value, names) for target in one.targets])
    if isinstance(one, ast.AnnAssign) and one.value:
        return _digest("=", [_put(one.target, _told(one.value, names), names)])
    if isinstance(one, ast.AugAssign):
        return _changed(one.target, _digest(*_parts(one, names)), names)
    if any(hasattr(one, body) for body in BODIES):
        return _compound(one, names)
    told = _digest(*_parts(one, names))
    is_call = isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
    return _changed(one.value.func, told, names) if is_call else told


def _function(one, names: dict[str, str]) -> str:
    """Tell a function, or what is written as one in a line."""
    given, is_line = one.args, isinstance(one, ast.Lambda)
    listed = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    inputs = {each.arg: f"input {place}" for place, each in enumerate(listed) if each}
    inner = names | ({} if is_line else {one.name: "itself"}) | inputs
    body = [_told(one.body, inner)] if is_line else _block(one.body, inner)
    defaults = [_told(each, names) for each in (*given.defaults, *given.kw_defaults) if each]
    return _digest("function", [bool(each) for each in listed], defaults, body)


def _compound(one, names: dict[str, str]) -> str:
    """Tell a loop, a condition and the like; what it makes hangs on it as a whole."""
    inner, parts = dict(names), [type(one).__name__]
    if isinstance(one, ast.For | ast.AsyncFor):
        parts.append(_put(one.target, _told(one.iter, names), inner))
    if isinstance(one, ast.With | ast.AsyncWith):
        for each in one.items:
            told = _told(each.context_expr, inner)
            parts.append(_put(each.optional_vars, told, inner) if each.optional_vars else told)
    if isinstance(one, ast.ExceptHandler) and one.name:
        inner[one.name] = "raised"
    known = {*BODIES, "target", "iter", "items", "name"}
    parts += _parts(one, inner, known if not isinstance(one, ast.ClassDef) else {*BODIES})
    made: dict[str, list[str]] = {}
    for field in BODIES:
        branch = dict(inner)
        parts.append((field, _block(getattr(one, field, []), branch)))
        for name, what in branch.items():
            if names.get(name) != what:
                made.setdefault(name, []).append(what)
    told = _digest(*parts)
    names |= {name: _digest(told, what) for name, what in made.items()}
    return told


def _put(target, value: str, names: dict[str, str]) -> str:
    """Put a value under the names of a target, each by its place in it; tell what is put."""
    if isinstance(target, ast.Name):
        names[target.id] = _digest("made", value)
        return value
    if isinstance(target, ast.Tuple | ast.List):
        pairs = enumerate(target.elts)
        return _digest([_put(each, _digest(value, place), names) for place, each in pairs])
    if isinstance(target, ast.Starred):
        return _put(target.value, f"*{value}", names)
    return _changed(target, _digest("into", _told(target, names), value), names)


def _changed(target, told: str, names: dict[str, str]) -> str:
    """Note that what stands under a target's first name was changed in place."""
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Call):
        target = target.func if isinstance(target, ast.Call) else target.value
    if isinstance(target, ast.Name) and target.id in names:
        names[target.id] = _digest(told, names[target.id])
    return told


def _told(node, names: dict[str, str]) -> str:
    """Tell an expression."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        return f"{_told(node.value, names)}.{node.attr}"
    if isinstance(node, ast.Lambda):
        return _function(node, names)
    if isinstance(node, ast.NamedExpr):
        return _put(node.target, _told(node.value, names), names)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        inner, heads = dict(names), []
        for one in node.generators:
            heads.append(_put(one.target, _told(one.iter, inner), inner))
            heads += [_told(each, inner) for each in one.ifs]
        return _digest(*_parts(node, inner, {"generators"}), heads)
    return _digest(*_parts(node, names))


def _parts(node: ast.AST, names: dict[str, str], known: Iterable[str] = ()) -> list:
    """Tell the parts of a node that are not told yet, behind its kind."""
    parts: list = [type(node).__name__]
    for field, value in ast.iter_fields(node):
        if field in UNTOLD or field in known:
            continue
        if isinstance(value, ast.AST):
            parts.append(_told(value, names))
        elif isinstance(value, list):
            told = [_told(one, names) if isinstance(one, ast.AST) else one for one in value]
            parts.append(sorted(told) if field == "keywords" else told)
        else:
            parts.append(repr(value))
    return parts
