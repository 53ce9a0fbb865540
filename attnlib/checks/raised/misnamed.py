"""Names that are not there, and the one that was meant, where one is near."""

from __future__ import annotations

import builtins
import difflib
import types

import numpy as np

import attnlib

NEAR = 0.7  # how alike two names are, from 0 to 1: `socres` and `scores` are .83
ROUGHLY = 0.65  # of NumPy's many names two are told: `sqr` is as near to `square` as to `sqrt`
MODULES = ("torch", "math", "scipy", "tf", "F", "nn", "random", "einops", "functools", "itertools")

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


def meant(name: str, frame: types.FrameType) -> str:
    """Say which name was meant instead of one that is not there, if one is near."""
    if name == "numpy":
        return "NumPy is called `np` here."
    if name in MODULES:
        return "It has not been imported; NumPy, `np`, has all that is needed here."
    code = frame.f_code
    own = [*frame.f_locals, *code.co_varnames, *code.co_freevars]
    outside = [n for n in frame.f_globals if not n.startswith("_") and n != code.co_name]
    for names, form in ((own, "{}"), (outside, "{}"), (dir(builtins), "{}"), (dir(np), "np.{}")):
        if form == "np.{}" and name in names and not name.startswith("_"):
            return f"Did you mean `np.{name}`?"
        if near := _near(name, names):
            return f"Did you mean `{form.format(near[0])}`?"
    if name in attnlib.__all__:
        return f"Is it attnlib's that is meant? It comes with `from attnlib import {name}`."
    return "Where does it get its value?"


def attribute(thing, name: str, text: str) -> tuple[str, str]:
    """Tell an attribute that a thing does not have, and what may have been meant."""
    if isinstance(thing, types.ModuleType):
        called = "np" if thing is np else thing.__name__
        return f"`{called}` has no `{name}`", _of_module(thing, called, name)
    written = text.rpartition(".")[0]
    which = f"`{written}` is {kind(thing)}, which" if written else kind(thing)
    said = f"{which} has no `{name}`"
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
    if name in attnlib.__all__ and module is np:
        return f"You write `{name}` yourself; or take attnlib's: `from attnlib import {name}`."
    if module is np and name == "ln":
        return "The natural logarithm is `np.log`."
    names = [n for n in dir(module) if not n.startswith("_")]
    near = difflib.get_close_matches(name, names, 2, ROUGHLY)
    ratios = [difflib.SequenceMatcher(None, name, n).ratio() for n in near]
    if near and ratios[0] > NEAR:
        near = [n for n, ratio in zip(near, ratios, strict=True) if ratio > ratios[0] - 0.2]
        return f"Did you mean {' or '.join(f'`{called}.{n}`' for n in near)}?"
    if module is np and hasattr(np.linalg, name):
        return f"Did you mean `np.linalg.{name}`?"
    return torch(name) if name in TORCH else ""


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
    near = difflib.get_close_matches(name, keys, 1, NEAR) if keys else []
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
    near = difflib.get_close_matches(name, names, 3, NEAR)
    return [n for n in near if _misspelt(name.split("_"), n.split("_"))][:1]


def _misspelt(parts: list[str], meant: list[str]) -> bool:
    if len(parts) != len(meant):
        if {*parts} & {*meant}:
            return False  # `value` is another name than `w_value`, as well spelt
        return difflib.SequenceMatcher(None, "".join(parts), "".join(meant)).ratio() > 0.9
    pairs = zip(parts, meant, strict=True)
    return all(difflib.SequenceMatcher(None, *pair).ratio() >= NEAR for pair in pairs)


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
