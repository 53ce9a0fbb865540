"""What is each group's own in a sheet: ``{{ variant("temperature", 0.4, 0.8, 2, 5) }}``.

A variant has a name, and a value for each group, A, B and so on. Where it is needed again,
``{{ variant("temperature") }}`` stands for the same value, and ``{{ group }}`` for the group's
letter. A task takes the value by a constant of this name in its file, which it calls a variant,
``TEMPERATURE: Variant = 0.4``; `set_constants` puts a group's value in its place.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase

from course import BuildError

FIRST = "A"  # the group of whoever has none
PLACE = re.compile(r"\{\{ (?:(?P<group>group)|variant\((?P<said>.*?)\)) \}\}")

Variant = int | float | str  # what a task's file calls a constant that is each group's own
Values = Mapping[str, Variant]  # a group's, by the names of the variants


def variants(lines: Sequence[str]) -> dict[str, Values]:
    """Read the variants of a sheet; return each group's values, of group A alone where none varies.

    Raises
    ------
    BuildError
        Naming the line, if one has no values or has two lists, or two have not as many values.
    """
    found: dict[str, tuple] = {}
    for number, line in enumerate(lines, 1):
        for place in PLACE.finditer(line):
            if place["group"]:
                continue
            name, *values = _read(place, number)
            there = found.setdefault(name, tuple(values))
            first = next(iter(found.values()))
            is_other = values and (tuple(values) != there or len(values) != len(first))
            if is_other or len(there) < 2:
                raise BuildError(
                    f"line {number}: where it is first met, a variant has a value for each group, "
                    f"as many as all others, and then the same or none: {place[0]} has "
                    f"{len(values)}; write {{{{ variant({name!r}, value of A, value of B, …) }}}}"
                )
    n_groups = max(map(len, found.values()), default=1)
    return {
        group: {name: values[k] for name, values in found.items()}
        for k, group in enumerate(ascii_uppercase[:n_groups])
    }


def filled(line: str, group: str, values: Values) -> str:
    """Put a group's values where a line of a sheet has their places."""
    return PLACE.sub(lambda place: group if place["group"] else str(values[_read(place)[0]]), line)


def handed_out(folder: Path, number: str, group: str) -> Path:
    """Return where the notebook of a group's students lies; group A's is where nbgrader's is."""
    return folder / ("student" if group == FIRST else f"student-{group}") / number


def set_constants(tree: ast.Module, values: Values) -> Values:
    """Put values in the place of the constants of these names; return those that there are."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "Variant":
            name = ast.unparse(node.target).lower()
            if name in values and node.value is not None:
                found[name] = values[name]
                node.value = ast.copy_location(ast.Constant(found[name]), node.value)
    return found


def _read(place: re.Match, number: int = 0) -> tuple:
    """Read what stands in a place: the name, and the values if they are there."""
    try:
        name, *values = ast.literal_eval(f"({place['said']},)")
        if isinstance(name, str) and all(isinstance(x, int | float | str) for x in values):
            return name, *values
    except (ValueError, SyntaxError):
        pass
    raise BuildError(
        f"line {number}: a variant is a name and then numbers or texts, and {place[0]} is not; "
        'write {{ variant("temperature", 0.5, 2) }}'
    )
