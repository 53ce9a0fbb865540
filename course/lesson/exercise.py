"""What a lecturer has of an exercise: its solution and its known mistakes.

Both stand in the exercise's spec, `attnlib/checks/exercises/NAME.py`, which is read as data:
nothing of it runs.
"""

import ast
from pathlib import Path
from typing import NamedTuple

SPECS = Path("attnlib/checks/exercises")  # below the folder that holds `notebooks`


class Taught(NamedTuple):
    """Its name, the code that is right, and what goes wrong: what was done, and what to reply."""

    name: str
    solution: str
    mistakes: list[tuple[str, str]]


def read_exercise(spec: Path) -> Taught:
    """Read a spec; its mistakes come in its order."""
    source = spec.read_text(encoding="utf-8")
    body = ast.parse(source).body
    mistakes = [said for one in body if (said := _mistake(one))]
    (solution,) = [
        one for one in body if isinstance(one, ast.FunctionDef) and one.name == spec.stem
    ]
    lines = source.splitlines()[solution.lineno - 1 : solution.end_lineno]  # comments and all
    return Taught(spec.stem, "\n".join(lines), mistakes)


def _mistake(one: ast.stmt) -> tuple[str, str] | None:
    """Read what a known mistake says, whether it is a function or a knob's wrong setting."""
    match one:
        case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name("mistake"))]):
            done, _, reply = (ast.get_docstring(one) or "").partition("\n\n")
            return " ".join(done.split()), " ".join(reply.split())
        case ast.Assign(value=ast.Call(func=ast.Name("wrongly_set"), args=[_, _, done, reply])):
            return ast.literal_eval(done), ast.literal_eval(reply)
    return None
