"""Calling a learner's function, which may do anything, and reading what comes back."""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import inspect
import io
import itertools
import math
import re
import sys
import textwrap
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

import attnlib
from attnlib.checks.entries import Change, changed, changes, copied
from attnlib.checks.exercise import LEAST, differs
from attnlib.checks.raised import Raised, raised
from attnlib.checks.report import number, tidy
from attnlib.checks.stopping import Limit, Stopped

RETURNED = "Your function returned"
Parts = tuple[str, ...] | type[dict] | type[str]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one call led to."""

    # `"answer"`; `"stub"` (the Ellipsis came back); `"nothing"` (None did); `"odd"` (no array of
    # numbers); `"raised"`.
    kind: str
    # The answer, boolean or float64; where strings are due, an array of these, as objects.
    arrays: tuple[np.ndarray, ...] = ()
    words: str = ""  # what to say about an odd answer or an exception
    changed: tuple[int, ...] = ()  # which inputs were changed in place
    left: tuple[np.ndarray | dict, ...] = ()  # what those inputs hold since
    # Where dictionaries are among them, what became of their entries.
    altered: tuple[Change, ...] = ()
    # Of an answer that is a dictionary, the names of its arrays, in alphabetical order.
    names: tuple[str, ...] = ()
    printed: str = ""  # the beginning of what was printed
    # Whether lists or tuples came back, which cannot tell the later sizes of an empty array.
    listed: bool = False
    several: int = 0  # how many arrays came back in a tuple, where one was asked for
    # Whether whole numbers came back, where one array was asked for: they can be an index.
    whole: bool = False
    # Of each array, whether it came as whole numbers; () where that is not known.
    stored_whole: tuple[bool, ...] = ()
    # What was raised: in words, with a question to go on with, and the operation that failed.
    raised: Raised | None = None

    @property
    def finite(self) -> bool:
        """Whether there is an answer without NaN and inf."""
        numbers = [array for array in self.arrays if array.dtype != object]
        return self.kind == "answer" and all(np.isfinite(array).all() for array in numbers)

    def as_asked(self, parts: Parts):
        """Give the answer in the form that is due: an array, several, a dictionary, or strings."""
        if parts is dict:
            return dict(zip(self.names, self.arrays, strict=True))
        if parts is str:
            return self.arrays[0].tolist()
        if parts:
            return self.arrays
        return self.arrays[0].astype(int) if self.whole else self.arrays[0]

    def agrees(self, other: Outcome) -> bool:
        """Whether two calls led to the same, exceptions of any wording included."""
        mine, theirs = ((one.kind, one.changed, one.altered) for one in (self, other))
        return mine == theirs and self.answers(other)

    def answers(self, other: Outcome) -> bool:
        """Whether what came back is the same, whatever became of the inputs."""
        mine, theirs = ((one.names, len(one.arrays)) for one in (self, other))
        return mine == theirs and all(map(self._same, self.arrays, other.arrays))

    def _same(self, mine: np.ndarray, theirs: np.ndarray) -> bool:
        if self.listed and mine.size == theirs.size == 0:
            return mine.shape == theirs.shape[: mine.ndim]  # [] is all that a list can say
        return same_array(mine, theirs)


def same_array(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether shape, booleanness and values agree."""
    return a.shape == b.shape and a.dtype == b.dtype and not differs(a, b, LEAST).any()


def call(
    function: Callable, inputs: tuple, parts: Parts = (), within: Limit | None = None
) -> Outcome:
    """Call a function on copies of the inputs; nothing but an end from outside comes through.

    Parameters
    ----------
    function : callable
        Anything callable.
    inputs : tuple
        Positional arguments.
    parts : tuple of str, or dict, or str
        Names of the arrays due, where several are; ``dict`` where a dictionary of arrays is, and
        ``str`` where a list of strings is.
    within : Limit, optional
        What stops a call that does not end.

    Raises
    ------
    KeyboardInterrupt, Stopped
        If the call was interrupted, or stopped.
    """
    given = tuple(map(copied, inputs))
    handed = tuple(dict(x) if isinstance(x, dict) else x for x in given)
    with quarantine() as printed:
        result, error = _attempt(within, function, *given)
    told, whole, stored = None, False, ()
    with quarantine():  # what came back may run code of the learner's, too
        if error is None:
            (kind, arrays, words), error = _attempt(within, read, result, parts)
            held = _attempt(within, _stored_whole, result, parts)[0] if kind == "answer" else ()
            stored = held if held and all(type(x) is bool for x in held) else ()
            whole = not parts and stored == (True,)
        if error is not None:
            told = raised(error, code_of(function))
            kind, arrays, words = "raised", (), told.words
    altered = tuple(
        change
        for i, x in enumerate(inputs)
        if isinstance(x, dict)
        for change in changes(i, given[i], handed[i], x)
    )
    dictionaries = {change.i for change in altered}
    written = {
        i for i, x in enumerate(inputs) if isinstance(x, np.ndarray) and changed(given[i], x)
    }
    touched = tuple(sorted(dictionaries | written))
    return Outcome(
        kind,
        arrays,
        words,
        changed=touched,
        left=tuple(copied(given[i]) for i in touched),
        altered=altered,
        names=tuple(sorted(dict.keys(result))) if kind == "answer" and parts is dict else (),
        printed=printed.getvalue(),
        listed=isinstance(result, list | tuple),
        several=0 if parts else _several(result),
        whole=whole,
        stored_whole=stored,
        raised=told,
    )


def _attempt(within: Limit | None, function, *inputs) -> tuple:
    try:
        return within(function, *inputs) if within else function(*inputs), None
    except (KeyboardInterrupt, Stopped):
        raise
    except BaseException as error:  # SystemExit and GeneratorExit are mistakes here, too
        return ("", (), ""), error


class _Beginning(io.StringIO):
    """Keeps the first lines of what is printed; an endless loop may print endlessly."""

    def write(self, text: str) -> int:
        if self.tell() < 2000:
            super().write(text[:2000])
        return len(text)


def is_quarantined() -> bool:
    """Whether what is printed now goes into a report, and to nobody else."""
    return isinstance(sys.stdout, _Beginning)


@contextlib.contextmanager
def quarantine() -> Iterator[io.StringIO]:
    """Keep what a function does to the process from outliving the call.

    NumPy's error state and print options, warning filters, the recursion limit, and names replaced
    in numpy, numpy.linalg, attnlib and builtins are put back; warnings are silent, prints caught.
    """
    before = [(vars(module), dict(vars(module))) for module in (builtins, np, np.linalg, attnlib)]
    limit, printed = sys.getrecursionlimit(), _Beginning()
    with (
        np.errstate(all="ignore"),
        np.printoptions(),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        warnings.simplefilter("ignore")
        try:
            yield printed
        finally:
            # Nothing but methods here: the names of builtins may be the learner's own by now.
            for namespace, names in before:
                namespace.update(names)
            sys.setrecursionlimit(limit)


class _OddError(Exception):
    """An answer that is no array of numbers; the message says what it is."""


def read(result, parts: Parts = ()) -> tuple[str, tuple[np.ndarray, ...], str]:
    """Read what a function returned: its kind, its arrays, and words about an odd one.

    The arrays of a dictionary come in the alphabetical order of their names.
    """
    if result is Ellipsis:
        return "stub", (), ""
    if result is None:
        return "nothing", (), ""
    try:
        if parts is dict:
            return "answer", _entries(result), ""
        if parts is str:
            return "answer", (_strings(result),), ""
        return "answer", tuple(map(_numbers, _pieces(result, parts))), ""
    except _OddError as odd:
        return "odd", (), str(odd)


def _entries(result) -> tuple:
    if not isinstance(result, dict):
        raise _OddError(f"{RETURNED} {_kind_of(result)}, where a dictionary of arrays is expected.")
    entries = dict(dict.items(result))  # of a dictionary that a learner's class may have changed
    if odd := [name for name in entries if type(name) is not str]:
        name = tidy(repr(odd[0]), 40)
        raise _OddError(f"Your dictionary has an entry {name}, and a name is a string.")
    return tuple(
        _numbers(entries[name], f"Under {tidy(repr(name), 40)} your function returned")
        for name in sorted(entries)
    )


def _strings(result) -> np.ndarray:
    due = "where a list of strings is expected"
    if not isinstance(result, list | tuple | np.ndarray):
        raise _OddError(f"{RETURNED} {_kind_of(result)}, {due}.")
    if odd := [x for x in result if not isinstance(x, str)]:
        raise _OddError(f"{RETURNED} a list with {_kind_of(odd[0])} in it, {due}.")
    return np.array([str.__str__(x) for x in result], dtype=object)


def _pieces(result, parts) -> tuple:
    if not parts:
        return (result,)
    due = f"{len(parts)} arrays are expected: {', '.join(parts)}"
    if isinstance(result, np.ndarray | str | dict | set) or not isinstance(result, Iterable):
        raise _OddError(f"{RETURNED} {_kind_of(result)}, where {due}.")
    found = tuple(itertools.islice(result, len(parts) + 1))  # a generator need not end
    if len(found) != len(parts):
        number = f"more than {len(parts)}" if len(found) > len(parts) else len(found)
        raise _OddError(f"{RETURNED} {number} things, where {due}.")
    return found


def _several(result) -> int:
    if type(result) is not tuple or not all(isinstance(x, np.ndarray) and x.ndim for x in result):
        return 0
    return len(result) if result[1:] else 0


def _stored_whole(result, parts: Parts) -> tuple[bool, ...]:
    if parts is str:
        return ()
    if parts is dict:
        arrays = [result[name] for name in sorted(result)]
    else:
        arrays = result if parts and isinstance(result, list | tuple) else () if parts else [result]
    return tuple(np.array(x, subok=False).dtype.kind in "iu" for x in arrays)


def _numbers(thing, said: str = RETURNED) -> np.ndarray:
    if inspect.iscoroutine(thing):
        thing.close()  # or Python warns, later and elsewhere, that nobody awaited it
        raise _OddError("Your function is `async`. Take that word away, and it returns an array.")
    try:
        array = np.array(thing, subok=False)
    except ValueError:
        words = "rows of different lengths, and those do not make an array."
        raise _OddError(f"{said} {words}") from None
    if array.dtype.kind in "biuf":
        return array if array.dtype == bool else array.astype(np.float64)
    if array.dtype.kind == "c":
        raise _OddError(f"{said} complex numbers, where real ones are expected.")
    raise _OddError(f"{said} {_kind_of(thing)}, where an array of numbers is expected.")


def _kind_of(thing) -> str:
    if isinstance(thing, np.ndarray) and thing.dtype.kind in "biufc":
        return f"one array of shape {thing.shape}"
    if isinstance(thing, np.ndarray):
        return f"an array of dtype {thing.dtype}"
    if isinstance(thing, type(None)):
        return "None"
    word = tidy(type(thing).__name__, 40)
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"


def code_of(function) -> types.CodeType | None:
    """Give a function's code; None for other callables."""
    try:
        code = getattr(function, "__code__", None)
    except Exception:  # an object of the learner's own may answer in its own way
        return None
    return code if isinstance(code, types.CodeType) else None


def misfit(function: Callable, parameters: tuple[str, ...]) -> str:
    """Say why a function cannot be called with these parameters, or nothing if it can."""
    try:
        signature = inspect.signature(function)
    except Exception:  # some built-in functions have none; calling them will tell
        return ""
    try:
        signature.bind(*parameters)
    except TypeError:
        wanted, has = ", ".join(parameters), tidy(", ".join(signature.parameters))
        n = f"{len(parameters)} input{'s' if parameters[1:] else ''}"
        return f"Your function cannot be called with {n} ({wanted}): its parameters are ({has})."
    return ""


def unread(function: Callable, n_inputs: int) -> tuple[list[str], list[str]]:
    """Find the parameters that can make no difference: those never read, those overwritten first.

    Told from the bytecode, which is there without the source, too. In doubt, a parameter counts as
    read.
    """
    code = code_of(function)
    if code is None or {"locals", "vars", "eval", "exec"} & set(code.co_names):
        return [], []
    try:
        names = [*inspect.signature(function).parameters][:n_inputs]
    except Exception:  # no signature, nothing to say
        return [], []
    read, overwritten = set(code.co_cellvars), set()  # a function inside may read a cell
    straight = not code.co_exceptiontable  # so far, every line is run
    for instruction in dis.get_instructions(code):
        straight &= instruction.opcode not in (*dis.hasjrel, *dis.hasjabs)
        for verb, name in _mentions(instruction):
            if verb == "LOAD" and name not in overwritten:
                read.add(name)
            elif verb == "STORE" and name not in read and straight:
                overwritten.add(name)
    own = code.co_varnames[: code.co_argcount]
    never = [name for name in names if name in own and name not in read]
    return [n for n in never if n not in overwritten], [n for n in never if n in overwritten]


def _mentions(instruction: dis.Instruction) -> list[tuple[str, str]]:
    """Give which local variables an instruction loads and stores; some do two things at once."""
    if "_FAST" not in instruction.opname:
        return []
    names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
    return [*zip(re.findall("LOAD|STORE", instruction.opname), names, strict=False)]


def arrays_outside(function: Callable) -> list[str]:
    """Name the arrays that a function reads from around it, such as a notebook's."""
    if not isinstance(function, types.FunctionType):
        return []
    loads = [i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL"]
    around = function.__globals__
    return [name for name in dict.fromkeys(loads) if isinstance(around.get(name), np.ndarray)]


def numbers_outside(function: Callable) -> list[tuple[str, str]]:
    """Name the numbers and arrays that a function reads from around it, and say what each is.

    Those that Python, NumPy or `math` have under the same name, such as `pi`, are no notebook's.
    """
    if not isinstance(function, types.FunctionType):
        return []
    around = function.__globals__
    read = itertools.chain.from_iterable(map(_globals_of, _codes(function.__code__)))
    found = {name: around[name] for name in dict.fromkeys(read) if name in around}
    return [(name, told) for name, x in found.items() if (told := _number_told(name, x))]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _globals_of(code: types.CodeType) -> list[str]:
    return [i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"]


def _number_told(name: str, x) -> str:
    if isinstance(x, np.ndarray):
        return f"an array of shape {x.shape}" if x.dtype.kind in "biuf" else ""
    if type(x) not in (int, float) and not isinstance(x, np.integer | np.floating):
        return ""
    if any(getattr(module, name, None) == x for module in (math, np)):
        return ""
    return number(x, 4)


def is_stub(function: Callable) -> bool:
    """Whether a function is untouched: a body of `...` or `return ...`, below its docstring."""
    code = code_of(function)
    if code is None or code.co_names:
        return False  # whatever names something does something
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except Exception:
        # Typed into a console, which keeps no source. `...` and `return None` compile to the same.
        return code.co_code == _empty.__code__.co_code and code.co_name != "<lambda>"
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return all(map(_does_nothing, definition.body))


def _empty(): ...


def _does_nothing(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr | ast.Return):
        return False
    value = statement.value
    if isinstance(statement, ast.Return):
        return isinstance(value, ast.Constant) and value.value is Ellipsis
    return isinstance(value, ast.Constant) and (value.value is Ellipsis or type(value.value) is str)
