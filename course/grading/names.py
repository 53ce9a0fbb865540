"""Which names of a notebook a cell took away from its functions, and what stood there before.

`np = 5`, in a cell in which somebody tried something, takes NumPy from all functions. So it is kept
which cell did so. And a function that raises is called once more with what stood when it was
defined, as it was when the cells around it ran. All of this is done where the submission's own
code lives, and nothing is judged by it: what comes back is an answer like any other.
"""

import builtins
import dis
import types
from collections.abc import Iterator
from functools import cached_property

import numpy as np

MOST_TAKEN = 20  # names that are told
BUILT_IN = vars(builtins)
KNOWN = ("attnlib", "builtins", "numpy")  # whose things nobody means to replace


class Names:
    """What stands in a notebook's names, cell by cell.

    Parameters
    ----------
    space
        The names, with what stands there.
    """

    def __init__(self, space: dict[str, object]):
        self.space = space
        self.things: dict[str, object] = {}  # where no thing stands any more: None
        self.takers: dict[str, int] = {}  # the cell that put there what does

    def see(self, index: int) -> None:
        """See what a cell has left."""
        for name in {*self.space, *self.things}:
            thing, before = self.now(name), self.things.get(name, BUILT_IN.get(name))
            if thing is not before:
                self.things[name], self.takers[name] = thing, index

    def now(self, name: str) -> object:
        """Return the function, class or module that a name has; None where it has another thing."""
        found = self.space.get(name, BUILT_IN.get(name))
        return found if callable(found) or isinstance(found, types.ModuleType) else None

    def told(self, versions: dict[str, list["Version"]]) -> list[tuple]:
        """Tell which cells took what from the functions, as far as there is room to tell it."""
        takes: dict[tuple[str, bool], list[str]] = {}
        for function, found in versions.items():
            for name, stood in found[-1].taken.items() if found else ():
                takes.setdefault((name, stood is not None), []).append(function)
        told = [
            (self.takers[name], "took", name, " ".join(functions), int(is_back))
            for (name, is_back), functions in takes.items()
        ]
        return [one for one in told if len(one[2]) <= 60 and len(one[3]) <= 300][:MOST_TAKEN]


class Version:
    """A function as a cell left it, to be called.

    Parameters
    ----------
    name, function
        What the cell defined.
    names
        What stands around it.
    """

    def __init__(self, name: str, function, names: Names):
        self.name, self.function, self._names = name, function, names
        self._stood = dict(names.things)

    @cached_property
    def taken(self) -> dict[str, object]:
        """The names of which a cell took what the function uses, and what stood there."""
        found = {}
        for name in sorted({self.name, *used(self.function, self._names.space)}):
            stood, now = self._stood.get(name, BUILT_IN.get(name)), self._names.now(name)
            is_taken = now is None or (stood is not now and is_known(stood))
            if is_taken and name in self._names.takers:
                found[name] = stood
        return found

    def __call__(self, *inputs):
        """Call it; where it raises, once more, if what stood when it was defined was taken."""
        if not (stood := {name: one for name, one in self.taken.items() if one is not None}):
            return self.function(*inputs)
        before = [np.copy(x) if isinstance(x, np.ndarray) else x for x in inputs]
        try:
            return self.function(*inputs)
        except Exception:
            self._names.space.update(stood)
        for now, then in zip(inputs, before, strict=True):
            if isinstance(now, np.ndarray):
                now[...] = then
        return self.function(*inputs)


def is_known(thing: object) -> bool:
    """Whether it is Python's own, or NumPy's, or this library's."""
    module = isinstance(thing, types.ModuleType)
    where = getattr(thing, "__name__" if module else "__module__", "")
    return isinstance(where, str) and where.partition(".")[0] in KNOWN


def used(function, space: dict[str, object]) -> set[str]:
    """Return the notebook's names that a function uses, and that those functions use."""
    found: set[str] = set()
    todo, seen = [function], set()
    while todo:
        one = todo.pop()
        if not isinstance(one, types.FunctionType) or id(one) in seen:
            continue
        seen.add(id(one))
        names = {*_globals(one.__code__)}
        found |= names
        todo += [space.get(name) for name in names]
        todo += [cell.cell_contents for cell in one.__closure__ or () if _is_full(cell)]
    return found


def _globals(code: types.CodeType) -> Iterator[str]:
    for one in dis.get_instructions(code):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield one.argval
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _globals(const)


def _is_full(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
