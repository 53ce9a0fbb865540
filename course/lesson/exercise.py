"""What a lecturer has of an exercise: its solution and its known mistakes.

Both stand in the exercise's spec, `attnlib/checks/exercises/NAME.py`, which is read as data:
nothing of it runs.
"""

import ast
import inspect
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
    functions = {
        one.name: one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef)
    }
    mistakes = []
    for one in functions.values():
        names = (ast.unparse(decorator) for decorator in one.decorator_list)
        if any(name.startswith("mistake(") for name in names):
            done, _, reply = inspect.cleandoc(ast.get_docstring(one) or "").partition("\n\n")
            mistakes.append((" ".join(done.split()), " ".join(reply.split())))
    solution = functions[spec.stem]
    lines = source.splitlines()[solution.lineno - 1 : solution.end_lineno]  # comments and all
    return Taught(spec.stem, "\n".join(lines), mistakes)
