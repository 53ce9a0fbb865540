"""An exception of a learner's function in words: what failed, in which line, and what was meant."""

from __future__ import annotations

import ast
import linecache
import math
import re
import types
from dataclasses import dataclass

import numpy as np

from attnlib.checks.raised import misnamed, unfitting
from attnlib.checks.raised.failing import (
    ELEMENTWISE,
    Failure,
    Sight,
    Unknown,
    failure,
    last,
    parsed,
    source,
)
from attnlib.checks.report import tidy

AMBIGUOUS = "an array gives one yes or no for each of its numbers"


@dataclass(frozen=True)
class Raised:
    """What a call raised."""

    words: str  # the exception's type, what failed, and the line
    # What to go on with: a name that may have been meant, or what to ask of two shapes.
    question: str = ""
    # Whether the words say all there is to do, so that no further hint is needed.
    plain: bool = False
    # Whether one yes or no was asked of a whole array, as Python's own `max` and `if` do.
    ambiguous: bool = False
    failure: Failure | None = None  # the operation that failed, by which mistakes are told apart


def raised(error: BaseException, code: types.CodeType | None) -> Raised:
    """Tell an exception in words: its type, what failed, and the learner's line it came from.

    Parameters
    ----------
    error : BaseException
        What was raised.
    code : code object, optional
        That of the learner's function, if it has one: lines of its file are the learner's.
    """
    file = getattr(code, "co_filename", None)
    trace = last(error, lambda code: code.co_filename == file)
    line = _line(trace)
    try:
        message = str(error)
    except Exception:  # an exception class of the learner's own may fail to say anything
        message = ""
    try:
        failed = failure(error)
        said, question, plain = _told(error, tidy(message), trace, failed, line)
    except Exception:  # what is read here may be of the learner's own making
        failed, (said, question, plain) = None, (tidy(message), "", False)
    text = f"Your function raised {tidy(type(error).__name__, 40)}"
    text += f": {tidy(said).rstrip('.')}" if said else ""
    text += f", at the line `{line}`." if line else "."
    asks = question or _stub(said, message, line)
    return Raised(text, asks, plain, AMBIGUOUS in text, failed)


def _told(error, message: str, trace, failed, line: str) -> tuple[str, str, bool]:
    """Give what was wrong, a question to go on with, and whether that says it all."""
    text = " ".join(source(trace).split()) if trace is not None else ""
    if isinstance(error, RecursionError):
        return "it calls itself again and again, without end", "", False
    if isinstance(error, SystemExit):
        return "it ends Python", "", False
    if named := _named(error, message, trace, text):
        return *named, True
    if "truth value of an array" in message:
        own = [f for f in ("max", "min", "sorted") if re.search(rf"(?<![.\w]){f}\(", line)]
        said = f"Python's own `{own[0]}` compares whole rows" if own else "one yes or no was needed"
        return f"{said}, and {AMBIGUOUS}", "", False
    if failed is not None and (fits := unfitting.told(failed, message)):
        return f"`{_quoted(failed.text)}`: {fits}", _question(failed), False
    if trace is not None and (misused := _misused(message, trace, text)):
        return *misused, False
    return _plainly(message), "", False


def _question(failed: Failure) -> str:
    shapes = [side for side in failed.sides if isinstance(side, tuple)]
    if failed.operation == "@":
        return unfitting.asked(*shapes, failed.text)
    if failed.operation in ("*", "**") and (question := unfitting.multiplied(shapes)):
        return question
    return unfitting.lost(shapes) if failed.operation in ELEMENTWISE else ""


def _named(error, message, trace, text) -> tuple[str, str] | None:
    """Tell an error of a name: one that is not there, where another is meant."""
    found = re.search(r"'(\w+)'", message)
    if isinstance(error, UnboundLocalError) and found and trace is not None:
        return misnamed.unbound(found[1], trace.tb_frame)
    if isinstance(error, NameError) and found and trace is not None:
        name = getattr(error, "name", None) or found[1]
        return f"there is no `{name}`", misnamed.meant(name, trace.tb_frame, _whole_line(trace))
    if isinstance(error, AttributeError) and getattr(error, "name", None) and trace is not None:
        return misnamed.attribute(error.obj, tidy(error.name, 40), text)
    if isinstance(error, KeyError) and error.args and trace is not None:
        return _key(error.args[0], trace, text)
    if wrong := re.search(r"unexpected keyword argument '(\w+)'|^'(\w+)' is an invalid", message):
        option = wrong[1] or wrong[2]
        return f"`{_quoted(text)}` has no option `{option}`", misnamed.keyword(option, text)
    return None


def _key(name, trace, text) -> tuple[str, str] | None:
    node = parsed(text)
    if not isinstance(node, ast.Subscript):
        return None
    held = Sight(trace).of(node.value)
    if not isinstance(held, dict):
        return None
    said = f"there is no {tidy(repr(name), 40)} in `{_quoted(ast.unparse(node.value))}`"
    return said, misnamed.key(name, held)


def _misused(message: str, trace, text: str) -> tuple[str, str] | None:
    """Tell what was called, indexed or unpacked in a way that it cannot be."""
    node, seen = parsed(text), Sight(trace)
    if told := _of_dictionaries(message, trace, seen):
        return told
    if "is not callable" in message and isinstance(node, ast.Call):
        written, thing = _quoted(ast.unparse(node.func)), seen.of(node.func)
        is_told = thing is Unknown and "'" in message
        what = message.split("'")[1] if is_told else misnamed.kind(thing)
        said = f"`{written}` is {what}, and round brackets behind it call it like a function"
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("size", "view"):
            return said, misnamed.torch(node.func.attr)
        more = "" if isinstance(thing, tuple) else "Is an operator missing in front of them? "
        return said, f"{more}Square brackets take a part of something."
    if "is not subscriptable" in message and isinstance(node, ast.Subscript):
        if re.search("function|method|ufunc|Dispatcher", message):
            said = f"`{_quoted(ast.unparse(node.value))}` is a function, and square brackets take a"
            return f"{said} part of an array or a list", "Round brackets call a function."
        return f"`{_quoted(ast.unparse(node.value))}` is no array or list: {message}", ""
    if re.search("unsupported operand.*(function|method|Dispatcher|ufunc|'type')", message):
        return message, "A function is named there and not called: its round brackets are missing."
    if "'float' object cannot be interpreted as" in message or "slice indices must" in message:
        return "a whole number is needed, and a fraction came", "`/` gives one, even of 6 / 2."
    if re.search("only (length-1|0-dim|size-1) ?\\w* arrays? can be converted", message):
        own = "`math` works on one number at a time, and NumPy's functions on whole arrays."
        return "one number was needed, and an array came", own if "math." in text else ""
    if "only integer scalar arrays can be converted to a scalar index" in message:
        said = "a whole number was needed, for an axis or a size, and an array came"
        return (f"`{_quoted(text)}`: {said}" if isinstance(node, ast.Call) else said), ""
    if found := re.search(r"ufunc 'bitwise_(and|or|xor)' not supported", message):
        sign = {"and": "&", "or": "|", "xor": "^"}[found[1]]
        power = " A power is `**`." if sign == "^" else ""
        return f"`{sign}` joins True with False, and here stand other numbers", power.strip()
    if "'ellipsis' object cannot be interpreted as an integer" in message and "..." in text:
        said = "`...` stands for axes between square brackets, and not in a shape"
        return f"`{_quoted(text)}`: {said}", ""
    if "Cannot cast ufunc" in message and "to dtype('int" in message:
        return "an array of whole numbers cannot take fractions in place", ""
    if "as a data type" in message and isinstance(node, ast.Call):
        return f"`{_quoted(text)}`: a shape of several sizes goes in brackets of its own", ""
    if isinstance(node, ast.Subscript) and re.search("ind(ex|ices)", message):
        return _index(message, node, seen)
    if "values to unpack" in message:
        return _unpacked(trace, seen)
    return None


def _of_dictionaries(message: str, trace, seen) -> tuple[str, str] | None:
    """Tell a dictionary that was taken for an array, or whose names were taken for its arrays."""
    by_name = "`for name, array in x.items()` goes through the names and the arrays of a dictionary"
    if re.search(r"operand.*'dict'|not 'dict'|type dict\b", message):
        return "arithmetic needs arrays, and here is a dictionary of them", f"{by_name} `x`."
    loop = re.match(r"for \w+, ?\w+ in (\w+):", _line(trace))
    if loop and "unpack" in message and isinstance(seen.of(parsed(loop[1])), dict):
        held = loop[1]
        return f"a loop over the dictionary `{held}` gives its names alone", f"{by_name} `x`."
    held = map(type, trace.tb_frame.f_locals.values())  # for `x in d` in brackets, its iterator
    if re.search(r"operand.*'str'|dtype\('<U", message) and {dict, type(iter({}))} & {*held}:
        return "arithmetic needs numbers, and here is a name", f"{by_name} `x`."
    return None


def _index(message, node, seen) -> tuple[str, str] | None:
    written, held = _quoted(ast.unparse(node)), seen.of(node.value)
    at = seen.of(node.slice)
    if isinstance(at, float | np.floating):
        said = f"`{written}`: an index counts places, in whole numbers, and here it is {at}"
        return said, "Does a loop run over the entries, where it should count them?"
    if isinstance(held, tuple):
        return f"`{written}`: {held} has {_count(len(held))}, counted from 0", ""
    if isinstance(held, np.ndarray) and "too many indices" in message:
        return f"`{written}`: more axes are asked for than {misnamed.kind(held)} has", ""
    beyond = r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)"
    if isinstance(held, np.ndarray) and (found := re.search(beyond, message)):
        said = f"`{written}`: axis {found[2]} of {misnamed.kind(held)} has {_count(int(found[3]))}"
        return f"{said}, counted from 0, and {found[1]} is none of them", ""
    return None


def _unpacked(trace, seen) -> tuple[str, str] | None:
    statement = parsed(_line(trace))
    if not isinstance(statement, ast.Assign):
        return None
    value, target = seen.of(statement.value), statement.targets[0]
    if not isinstance(value, tuple | np.ndarray) or not isinstance(target, ast.Tuple):
        return None
    what = f"the shape {value}" if isinstance(value, tuple) else misnamed.kind(value)
    return f"{len(target.elts)} names are given, and {what} has {_count(len(value))}", ""


def _count(n: int) -> str:
    return f"{n} entr{'y' if n == 1 else 'ies'}"


def _quoted(text: str) -> str:
    return tidy(text, 60).replace("`", "'")


def _stub(said: str, message: str, line: str) -> str:
    """Ask about another function where None, or an Ellipsis, was met."""
    # np.einsum says "no '...' ellipsis" of its own letters, and an index may be None: no stubs.
    if "indices" in message or ("ellipsis" in message and "..." in line):
        return ""
    message = said if said.endswith("or None") else message
    if not re.search(r"\bNone(Type)?\b|(?<!'\.\.\.' )\bellipsis\b", message):
        return ""
    gives = "`...`" if "ellipsis" in message else "None"
    asks = "Does your function call another one that is still a stub, or has no `return`?"
    return f"{asks} What comes back from it is {gives}."


def _plainly(message: str) -> str:
    """Say it without core dimensions, gufuncs and operands, which are NumPy's own words."""
    if sizes := re.search(r"matmul.*\(size (\d+) is different from (\d+)\)", message):
        return (
            f"in a matrix product, the last axis of the left has length {sizes[2]}, and the second "
            f"to last of the right {sizes[1]}; these two must be equal"
        )
    if re.search(r"matmul.*does not have enough dimensions \(has 0", message):
        return "one side of a matrix product is a single number, or None"
    if found := re.match(r"cannot reshape array of size 0 into shape (\(.*newaxis.*\))", message):
        shape = found[1].replace("newaxis", "-1")
        return f"the array has no numbers, so nothing says what -1 stands for in {shape}"
    if found := re.match(r"cannot reshape array of size (\d+) into shape \(([\d,]*)\)", message):
        sizes = [int(n) for n in found[2].split(",") if n]
        wanted = ", ".join(map(str, sizes))
        return f"there are {found[1]} numbers, and the shape ({wanted}) holds {math.prod(sizes)}"
    if found := re.match(r"operands could not be broadcast together with shapes (.*)", message):
        shapes = re.findall(r"\([\d,]*\)", found[1])
        if len(shapes) == 3 and shapes[2] == shapes[0]:
            del shapes[2]  # of `-=` and its like, which tells where the answer was to go
        return f"the shapes {', '.join(shapes[:-1])} and {shapes[-1]} do not fit together"
    return message


def _line(trace) -> str:
    """Give the line of the learner's own file that the traceback stands at, fit to show."""
    return tidy(_whole_line(trace), 80).replace("`", "'")


def _whole_line(trace) -> str:
    if trace is None:
        return ""
    return linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
