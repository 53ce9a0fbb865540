"""Where a call failed: at which operation, and with which shapes.

The instruction that failed knows its place in the source, and the frame that it failed in still
holds its variables. So the shapes that met there are read off, and nothing is run a second time:
names are looked up, and for what is computed of them on the way stands an array of its shape, which
holds nothing but zeros.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import os
import re
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LARGEST = 10**6  # entries of a stand-in: nothing that a learner sees is larger

SYMBOLS = {
    ast.MatMult: "@", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
    ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
FUNCTIONS = {
    "matmul": "@", "dot": "@", "add": "+", "subtract": "-", "multiply": "*", "divide": "/",
    "true_divide": "/", "power": "**", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "equal": "==", "logical_and": "&", "logical_or": "|",
}  # fmt: skip
ELEMENTWISE = {*SYMBOLS.values()} - {"@"} | {"where", "maximum", "minimum", "hypot"}
ALONG = {"sum", "prod", "mean", "std", "var", "norm"}
ALONG |= {"max", "amax", "argmax", "min", "amin", "argmin"}
EITHER_WAY = {"+", "*", "&", "|", "==", "!="}
TURNED = {">": "<", ">=": "<="}
OF_EACH = {"exp", "sqrt", "log", "abs", "absolute", "square", "sin", "cos", "tanh", "isfinite"}
TURNS = {"swapaxes", "transpose", "moveaxis", "reshape", "expand_dims", "squeeze", "ravel"}
KEPT = {"T", "mT", "shape", "ndim", "size"}


@dataclass(frozen=True)
class Failure:
    """One operation that failed."""

    error: str  # the name of the exception's type
    operation: str  # a symbol, such as `@`, or the name of a function
    text: str  # the expression, as it was written
    # What met there: a shape for an array, anything else as it is; None where nothing tells.
    sides: tuple = ()
    known: bool = False  # whether everything that met there is known
    message: str = ""  # the exception's own words: NumPy's name lengths that did not fit

    def like(self, other: Failure | None) -> bool:
        """Whether two calls failed in the same way, at the same operation, with the same shapes."""
        if other is None or self.error != other.error or self.met[0] != other.met[0]:
            return False
        if self.known and other.known:
            return self.met == other.met
        if self.message != other.message or not any(map(str.isdigit, self.message)):
            return False
        if self.operation != "@":
            return True
        # Of a product NumPy names two lengths alone, and many products have these.
        met = [(a, b) for a, b in zip(self.sides, other.sides, strict=False) if None not in (a, b)]
        return bool(met) and all(a == b for a, b in met)

    @property
    def met(self) -> tuple:
        """What met at which operation, the same for ``a < b`` and ``b > a``."""
        if self.operation in TURNED:
            return TURNED[self.operation], self.sides[::-1]
        if self.operation in EITHER_WAY:
            return self.operation, tuple(sorted(self.sides, key=repr))
        return self.operation, self.sides


def failure(error: BaseException) -> Failure | None:
    """Find the operation at which a call failed; None where the source does not tell.

    Parameters
    ----------
    error : BaseException
        What was raised. The deepest line outside NumPy counts.
    """
    within = os.path.dirname(np.__file__) + os.sep
    trace = last(error, lambda code: not code.co_filename.startswith((within, "<__array_f")))
    if trace is None:
        return None
    text = source(trace)
    node = parsed(text)
    if node is None:
        return None
    operation, operands = _taken_apart(node)
    if not operation:
        return None
    seen = Sight(trace)
    sides = [x for x in map(seen.of, operands) if not isinstance(x, types.ModuleType)]
    told = [x.shape if isinstance(x, np.ndarray | np.generic) else x for x in sides]
    if operation in ELEMENTWISE | {"@"}:
        told = [() if isinstance(x, int | float) else x for x in told]  # any number will do
    known = bool(sides) and not any(x is Unknown for x in _flat(told))
    kept = tuple(None if x is Unknown else _plain(x) for x in told)
    name, words = type(error).__name__, str(error)
    if met := _met(words, len(kept)):
        kept, known = met, True
    return Failure(name, operation, " ".join(text.split()), kept, known, words)


def _met(message: str, number: int) -> tuple:
    """Read from NumPy's words which shapes met; of `x -= y` it names a third, of the answer."""
    found = re.match(r"operands could not be broadcast together with shapes (.*)", message)
    shapes = re.findall(r"\([\d,]*\)", found[1])[:number] if found else []
    return tuple(tuple(int(n) for n in re.findall(r"\d+", shape)) for shape in shapes)


def last(error: BaseException, counts: Callable[[types.CodeType], bool]):
    """Find the deepest entry of an exception's traceback whose code counts."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if counts(trace.tb_frame.f_code):
            found = trace
        trace = trace.tb_next
    return found


def place(trace: types.TracebackType) -> tuple:
    """Give the lines and columns where the expression that failed begins and ends, or Nones."""
    places = itertools.islice(trace.tb_frame.f_code.co_positions(), trace.tb_lasti // 2, None)
    return next(places, (None,) * 4)


def source(trace: types.TracebackType) -> str:
    """Give the text of the expression that failed, or nothing where there is no source."""
    code = trace.tb_frame.f_code
    line, end, column, end_column = place(trace)
    if None in (line, end, column, end_column):
        return ""
    lines = [linecache.getline(code.co_filename, n).encode() for n in range(line, end + 1)]
    if not all(lines):
        return ""
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    return b"".join(lines).decode("utf-8", "replace")


def parsed(text: str) -> ast.AST | None:
    """Read an expression, or a statement such as ``x -= y``."""
    for form, mode in ((f"({text}\n)", "eval"), (text, "exec")):
        try:
            body = ast.parse(form, mode=mode).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return body if mode == "eval" else next(iter(body), None)
    return None


def comprehensions(trace: types.TracebackType) -> list[ast.AST]:
    """Give those around the place that failed that have no frame of their own, the outermost first.

    From Python 3.12 on that is all but generators, and what they bind is gone once one has failed.
    """
    found, (line, _, column, _) = [], place(trace)
    if sys.version_info < (3, 12) or column is None:
        return found
    try:
        node = ast.parse("".join(linecache.getlines(trace.tb_frame.f_code.co_filename)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    while node is not None:
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.GeneratorExp):
            found.clear()
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
            found.append(node)
        node = next((x for x in _below(node) if _is_within(line, column, x)), None)
    return found


def _below(node):
    """Yield the nodes below one that have a place of their own."""
    for child in ast.iter_child_nodes(node):
        yield from [child] if hasattr(child, "lineno") else _below(child)


def _is_within(line, column, node) -> bool:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return begin <= (line, column) < end


class Unknown:
    """Stands for what cannot be told without running the learner's code."""


class Sight:
    """What names stand for where a call failed, and the shapes of what is made of them."""

    def __init__(self, trace: types.TracebackType):
        self.frame, self.bound = trace.tb_frame, {}
        line, _, column, _ = place(trace)
        for around in comprehensions(trace):
            for part in around.generators:
                if _is_within(line, column, part.iter):
                    break
                self._bind(part.target, self._one_of(part.iter))

    def _bind(self, target, value):
        """Let names stand for a value, or for its parts."""
        if isinstance(target, ast.Name):
            self.bound[target.id] = value
        for i, name in enumerate(getattr(target, "elts", ())):
            self._bind(name, self._part(value, i))

    def _one_of(self, node):
        """Give a stand-in for each thing that a loop over an expression goes through."""
        match node:
            case ast.Call(func=ast.Name("zip")):
                return tuple(map(self._one_of, node.args))
            case ast.Call(func=ast.Name("enumerate")):
                return Unknown, self._one_of(node.args[0])
        value = self.of(node)
        whole = isinstance(value, np.ndarray) and value.ndim
        return stand_in(value.shape[1:]) if whole else Unknown

    def of(self, node: ast.AST):
        """Give the value of an expression, a stand-in of its shape, or Unknown."""
        try:
            with np.errstate(all="ignore"):
                return self._value(node)
        except Exception:  # whatever does not work out is not known
            return Unknown

    def _value(self, node):
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._named(node.id)
            case ast.Tuple() | ast.List():
                return tuple(self.of(x) for x in node.elts)
            case ast.Slice():
                return slice(*(None if x is None else self.of(x) for x in vars(node).values()
                               if x is None or isinstance(x, ast.expr)))  # fmt: skip
            case ast.UnaryOp():
                return self._minus(node)
            case ast.Attribute():
                return self._attribute(self.of(node.value), node.attr)
            case ast.Subscript():
                return self._part(self.of(node.value), self.of(node.slice))
            case ast.BinOp():
                return computed(SYMBOLS[type(node.op)], [self.of(node.left), self.of(node.right)])
            case ast.Compare(ops=[op]):
                return computed(SYMBOLS[type(op)], [self.of(node.left), self.of(*node.comparators)])
            case ast.Call():
                return self._call(node)
        return Unknown

    def _named(self, name):
        for names in (self.bound, self.frame.f_locals, self.frame.f_globals):
            if name in names:
                return names[name]
        return Unknown

    def _minus(self, node):
        value = self.of(node.operand)
        if isinstance(value, np.ndarray):
            return stand_in(value.shape)
        return -value if isinstance(node.op, ast.USub) and type(value) in (int, float) else Unknown

    def _attribute(self, value, name):
        if type(value) is np.ndarray and name in KEPT:
            return getattr(value, name)
        if value is np and name in ("newaxis", "inf", "nan", "pi", "e", "linalg"):
            return getattr(np, name)
        return Unknown

    def _part(self, value, index):
        if type(value) is dict:
            return value[index] if type(index) is str else Unknown  # nobody's own hash is asked
        if type(value) in (tuple, np.ndarray) and not any(x is Unknown for x in _flat([index])):
            return value[index]
        return Unknown

    def _call(self, node):
        if not isinstance(node.func, ast.Attribute):
            return Unknown
        name, base = node.func.attr, self.of(node.func.value)
        given = [self.of(x) for x in node.args]
        given = given if isinstance(base, types.ModuleType) else [base, *given]
        options = {option.arg: self.of(option.value) for option in node.keywords}
        if not given or any(x is Unknown for x in _flat([*given, *options.values()])):
            return Unknown
        if name in FUNCTIONS or name in ELEMENTWISE:
            return computed(FUNCTIONS.get(name, name), given)
        if name not in ALONG | OF_EACH | TURNS or not isinstance(given[0], np.ndarray | np.generic):
            return Unknown
        if np.size(given[0]) > LARGEST:
            return Unknown
        first, *rest = stand_in(np.shape(given[0])), *given[1:]
        if name in TURNS and base is not np:
            return getattr(first, name)(*rest, **options)
        return getattr(np.linalg if name == "norm" else np, name)(first, *rest, **options)


def stand_in(shape: tuple[int, ...]) -> np.ndarray:
    """Make an array of zeros that takes no room, to be asked for its shape."""
    return np.broadcast_to(0.0, shape)


def computed(symbol: str, sides: list):
    """Give what an operation makes of two sides: a number, or a stand-in."""
    if any(x is Unknown for x in sides):
        return Unknown
    if all(type(x) in (int, float) for x in sides):
        a, b = sides
        made = {"+": a + b, "-": a - b, "*": a * b}
        return a // b if symbol == "//" else a / b if symbol == "/" else made.get(symbol, 0.0)
    shapes = [np.shape(x) for x in sides]
    if symbol != "@":
        return stand_in(np.broadcast_shapes(*shapes))
    a, b = shapes
    if not a or not b or a[-1] != b[max(len(b) - 2, 0)]:
        return Unknown
    front = np.broadcast_shapes(a[:-2], b[:-2])
    return stand_in((*front, *a[-2:-1], *(b[-1:] if len(b) > 1 else ())))


def _taken_apart(node) -> tuple[str, list]:
    """Give the operation of an expression, and the expressions that meet in it."""
    match node:
        case ast.BinOp():
            return SYMBOLS.get(type(node.op), ""), [node.left, node.right]
        case ast.AugAssign():
            return SYMBOLS.get(type(node.op), ""), [node.target, node.value]
        case ast.Compare(ops=[op]):
            return SYMBOLS.get(type(op), ""), [node.left, *node.comparators]
        case ast.Subscript():
            return "[]", [node.value, node.slice]
        case ast.Call(func=ast.Attribute()):
            name = "along" if node.func.attr in ALONG else node.func.attr
            options = sorted(node.keywords, key=lambda option: option.arg or "")
            kept = [o.value for o in options if name != "along" or o.arg == "axis"]
            return FUNCTIONS.get(name, name), [node.func.value, *node.args, *kept]
        case ast.Tuple():  # names that a shape is unpacked into: there are more, or fewer
            return "unpack", [ast.Constant(len(node.elts))]
        case ast.Call(func=ast.Name()):
            return node.func.id, [*node.args, *(option.value for option in node.keywords)]
    return "", []


def _flat(values):
    for value in values:
        if isinstance(value, tuple | list):
            yield from _flat(value)
        elif isinstance(value, slice):
            yield from (value.start, value.stop, value.step)
        else:
            yield value


def _plain(value):
    """Give a shape, a number or None as it is, and of anything else its type's name."""
    if value is None or isinstance(value, int | float | str):
        return value
    if isinstance(value, tuple | list):
        return tuple(map(_plain, value))
    if isinstance(value, slice):
        return tuple(map(_plain, ("slice", value.start, value.stop, value.step)))
    return np.shape(value) if isinstance(value, np.ndarray) else type(value).__name__
