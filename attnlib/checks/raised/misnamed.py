"""Names that are not there, and the one that was meant, where one is near."""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import math
import re
import types

import numpy as np

import attnlib
from attnlib.checks import exercises

MODULES = ("torch", "math", "scipy", "tf", "F", "nn", "random", "einops", "functools", "itertools")
ONE = " It works on one number at a time."

# What PyTorch calls otherwise. An empty one has no single name in NumPy.
TORCH = {
    "dim": "axis", "keepdim": "keepdims", "view": "reshape", "permute": "transpose", "t": "T",
    "unsqueeze": "np.expand_dims", "cat": "np.concatenate", "bmm": "@", "mm": "@",
    "masked_fill": "np.where", "masked_fill_": "np.where", "clamp": "np.clip", "numel": "size",
    "size": "shape", "pow": "**", "norm": "np.linalg.norm", "expand": "np.broadcast_to", "item": "",
    "detach": "", "contiguous": "", "softmax": "", "float": "astype", "bool": "astype",
    "chunk": "np.split", "gather": "np.take_along_axis", "repeat_interleave": "np.repeat",
    "backward": "", "grad": "", "requires_grad": "", "tensor": "np.array", "div": "/", "mul": "*",
    "add": "+", "sub": "-", "matmul": "@", "eq": "==", "add_": "+", "div_": "/", "mul_": "*",
    "sub_": "-",
}  # fmt: skip


def unbound(name: str, frame: types.FrameType) -> tuple[str, str]:
    """Tell a variable of the function's own that is read before it has a value."""
    said = f"`{name}` is read before it has a value"
    if hasattr(builtins, name) or name in frame.f_globals:
        whose = "Python's" if name not in frame.f_globals else "the one outside"
        return said, (
            f"The function gives a value to `{name}` further on, so all through it `{name}` is a "
            f"variable of its own and not {whose}. Call yours by another name."
        )
    near = _near(name, frame.f_locals)
    return said, f"Did you mean `{near[0]}`?" if near else "Where should it get its first value?"


def meant(name: str, frame: types.FrameType, line: str) -> str:
    """Say which name was meant instead of one that is not there, if one is near.

    An exercise's own name comes first, then the function's parameters and variables, then the
    notebook's. Of Python's and NumPy's many names one must be a letter away, and the call must fit.

    Parameters
    ----------
    name : str
        What is not there.
    frame : frame
        Where it was looked for.
    line : str
        The line that asks for it: it tells a call.
    """
    if name == "numpy":
        return "NumPy is called `np` here."
    called = _call(name, line)
    own = name in exercises.names()
    if own and called is not None:
        return _exercise(name)
    if name in attnlib.__all__ and not own:
        return f"Is it attnlib's that is meant? That is `attnlib.{name}`."
    if name in MODULES and (name == "math" or re.search(r"\berf\b", line)):
        return f"It has not been imported. `import math` brings Python's own `math`.{ONE}"
    if name in MODULES:
        return "It has not been imported; NumPy, `np`, has all that is needed here."
    code, around = frame.f_code, frame.f_globals
    n_parameters = code.co_argcount + code.co_kwonlyargcount
    parameters = code.co_varnames[:n_parameters]
    inside = [*frame.f_locals, *code.co_varnames, *code.co_freevars]
    if called is None and (near := _cut_short(name, parameters) or _near(name, inside)):
        return f"Did you mean `{near[0]}`?"
    outside = [
        other
        for other, x in around.items()
        if not other.startswith("_") and other != code.co_name and _is_of_kind(x, called)
    ]
    if near := _near(name, outside):
        return f"Did you mean `{near[0]}`?"
    if own:
        return _exercise(name)
    if called is not None:
        if near := [n for n in exercises.names() if len(n) > 5 and _apart(name, n) == 1]:
            return f"Did you mean `{near[0]}`? {_exercise(near[0])}"
        for module, form in ((np, "np"), (np.linalg, "np.linalg"), (math, "math")):
            if hasattr(module, name) and _fits(called, getattr(module, name)):
                return f"Did you mean `{form}.{name}`?{ONE if module is math else ''}"
        for module, form in ((builtins, "{}"), (np, "np.{}")):
            near = [n for n in _a_letter_away(name, module) if _fits(called, getattr(module, n))]
            near = [n for n in near if sorted(n) == sorted(name)] or near  # letters exchanged
            if len(near) == 1:
                return f"Did you mean `{form.format(near[0])}`?"
    elif isinstance(getattr(np, name, None), float | type(None)) and hasattr(np, name):
        return f"Did you mean `np.{name}`?"
    return "Where does it get its value?"


def _exercise(name: str) -> str:
    also = f", or `attnlib.{name}`" if name in attnlib.__all__ else ""
    return f"`mine.{name}` is yours{also}."


def _call(name: str, line: str) -> ast.Call | None:
    """Give the call of a name in a line, if it is called there."""
    if not re.search(rf"(?<![.\w]){name}\(", line):
        return None
    for text in (line, f"{line} pass", f"({line})"):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
                    return node
    return ast.Call(ast.Name(name), [], [])  # a part of a longer statement: with what is not known


def _fits(call: ast.Call, function) -> bool:
    """Whether a function can be called so, as far as can be told."""
    if not callable(function) or (isinstance(function, type) and issubclass(function, Exception)):
        return False
    if not call.args or any(isinstance(x, ast.Starred) for x in call.args):
        return True
    if isinstance(function, np.ufunc):
        return function.nin <= len(call.args) <= function.nargs
    try:
        inspect.signature(function).bind(*call.args)
    except TypeError:
        return False
    except ValueError:  # some of Python's own have no signature
        return True
    return True


def _is_of_kind(x, call: ast.Call | None) -> bool:
    """Whether a thing of the notebook is called where it is called, and else holds a value."""
    if call is not None:
        return callable(x) and not isinstance(x, types.ModuleType)
    return not callable(x) and not isinstance(x, types.ModuleType)


def _cut_short(name: str, parameters) -> list[str]:
    """Give the parameter that was cut short, as `grad` for `grad_w`, `q` for `query`."""
    if same := _near(name, parameters):
        return same
    parts = name.casefold().split("_")
    begun = [p for p in parameters if _begins(parts, p.casefold().split("_"))]
    initials = [p for p in parameters if "_" in p and _initials(p) == name.casefold()]
    found = initials or begun
    return found if len(found) == 1 else []


def _begins(parts: list[str], meant: list[str]) -> bool:
    """Whether a name is a parameter's beginning: of its first part, or of each of its parts."""
    if len(parts) == 1 and len(meant) == 1 and len(parts[0]) == 1:
        return parts[0] in "qkvwxyu" and meant[0].startswith(parts[0])
    if len(parts) == 1:
        begun = parts[0].removesuffix("s")
        return len(begun) > 2 and meant[0].startswith(begun)
    return len(parts) == len(meant) and all(b.startswith(a) for a, b in zip(parts, meant))  # noqa: B905


def _initials(name: str) -> str:
    return "".join(part[:1] for part in name.casefold().split("_"))


def _a_letter_away(name: str, module) -> list[str]:
    return [n for n in dir(module) if len(name) > 3 and n[:1] != "_" and _apart(name, n) == 1]


def attribute(thing, name: str, text: str) -> tuple[str, str]:
    """Tell an attribute that a thing does not have, and what may have been meant."""
    if isinstance(thing, types.ModuleType):
        called = "np" if thing is np else text.rpartition(".")[0] or thing.__name__
        return f"`{called}` has no `{name}`", _of_module(thing, called, name)
    written = text.rpartition(".")[0]
    which = f"`{written}` is {kind(thing)}, which" if written else kind(thing)
    said = f"{which} has no `{name}`"
    if type(thing) is dict and name in thing:
        said = f"{which} gives what it holds in square brackets"
        return said, f"That is `{written or '…'}[{name!r}]`."
    if name in TORCH:
        return said, torch(name)
    if isinstance(thing, np.ndarray) and hasattr(list, name):
        return said, "A list has it, and an array does not."
    if near := _near(name, [n for n in dir(thing) if not n.startswith("_")]):
        return said, f"Did you mean `.{near[0]}`?"
    if isinstance(thing, np.ndarray | np.generic) and callable(getattr(np, name, None)):
        return said, f"It is a function of NumPy: `np.{name}`."
    if isinstance(thing, list | tuple) and hasattr(np.ndarray, name):
        return said, f"An array has; `np.array` makes one of a {type(thing).__name__}."
    return said, ""


def _of_module(module, called, name) -> str:
    if name in exercises.names() and module in (np, attnlib):
        return _exercise(name)
    if name in attnlib.__all__ and module is np:
        return f"Is it attnlib's that is meant? That is `attnlib.{name}`."
    if module is np and name == "ln":
        return "The natural logarithm is `np.log`."
    if module is np and hasattr(np.linalg, name):
        return f"Did you mean `np.linalg.{name}`?"
    if module is np and hasattr(math, name):
        return f"Did you mean `math.{name}`?{ONE}"
    if name in TORCH:
        return torch(name)
    names = [n for n in dir(module) if not n.startswith("_")]
    short = [n for n in names if _is_short_for(name, n)]
    near = _near(name, names) or []
    near = short if 0 < len(short) < 3 and {*near} <= {*short} else near
    return f"Did you mean {' or '.join(f'`{called}.{n}`' for n in near)}?" if near else ""


def _is_short_for(name: str, whole: str) -> bool:
    """Whether a name leaves out letters: `sqr` is as short for `square` as for `sqrt`."""
    letters = iter(whole)
    whole_is_near = name[0] == whole[0] and len(name) > 2 and len(name) < len(whole) < 7
    return whole_is_near and all(letter in letters for letter in name)


def keyword(name: str, text: str) -> str:
    """Say which option was meant instead of one that is not there."""
    own = text.partition("(")[0]
    if name in ("axis", "keepdims"):
        return f"NumPy's has it: `np.{own}`." if hasattr(builtins, own) and hasattr(np, own) else ""
    if name in TORCH:
        return torch(name)
    near = _near(name, ("axis", "keepdims", "dtype", "initial"))
    return f"Did you mean `{near[0]}`?" if near else ""


def key(name, held) -> str:
    """Say which key of a dictionary was meant, if one is near."""
    keys = [k for k in held if isinstance(k, str)] if isinstance(name, str) else []
    near = _cut_short(name, keys) if keys else []
    return f"Did you mean {near[0]!r}?" if near else ""


def torch(name: str) -> str:
    """Say what NumPy calls what PyTorch calls otherwise."""
    instead = TORCH[name]
    said = f", and NumPy says `{instead}`." if instead else ", and NumPy does without."
    return f"`{name}` is PyTorch's word{said}"


def _near(name: str, names) -> list[str]:
    """Give the name that was misspelt, part by part: `d_key` is no way to misspell `w_key`."""
    names = [n for n in dict.fromkeys(names) if n != name]
    if same := [n for n in names if n.casefold() == name.casefold()]:
        return same
    near = [n for n in names if _misspelt(name, n)]
    return sorted(near, key=lambda n: (_apart(name, n), sorted(n) != sorted(name)))[:1]


def _misspelt(name: str, meant: str) -> bool:
    """Whether a name is another one but for a letter, or for two where it is long."""
    allowed = 1 if len(name) < 7 else 2
    if min(len(name), len(meant)) < 3 or _apart(name, meant) > allowed:
        return False
    parts, others = name.split("_"), meant.split("_")
    if len(parts) != len(others):
        return not {*parts} & {*others}  # `value` is another name than `w_value`, as well spelt
    # A part that has nothing in common with its other one is another word.
    return all(a == b or _apart(a, b) < max(len(a), len(b)) for a, b in zip(parts, others))  # noqa: B905


def _apart(a: str, b: str) -> int:
    """Count the letters to change, add, leave out or exchange, up to 3."""
    if abs(len(a) - len(b)) > 2:
        return 3
    before, last = [], [*range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if before and j > 1 and (x, y) == (b[j - 2], a[i - 2]):
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return min(last[-1], 3)


def kind(thing) -> str:
    """Say what a thing is, in a word or two."""
    if isinstance(thing, np.ndarray):
        return f"an array of shape {thing.shape}"
    if isinstance(thing, bool | int | float | np.generic):
        return "a single number"
    if thing is None:
        return "None"
    if isinstance(thing, dict):
        return "a dictionary"
    if callable(thing):
        return "a function"
    word = type(thing).__name__
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"
