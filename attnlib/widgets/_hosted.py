"""What a widget owes to those who hold it: observers, links, and boxes with a layout."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from inspect import signature

import numpy as np
import traitlets


class Hosted(traitlets.HasTraits):
    """A widget that tells its observers of changes alone, is linked by arrays, and has a layout.

    traitlets compares with ``==``, which for arrays has no truth: it would tell of changes that are
    none, and its links would fail.
    """

    _silent = False  # while what was refused is put back

    def __init_subclass__(cls, **kwargs):
        """Let each constructor take ``layout=``, as all ipywidgets do."""
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = _laid_out(cls.__init__)

    def observe(self, handler, names=traitlets.All, type="change"):
        """Call the handler when a trait has changed."""
        super().observe(_told(handler), names, type)

    def unobserve(self, handler, names=traitlets.All, type="change"):
        """Call the handler no more."""
        super().unobserve(_told(handler), names, type)

    def _notify_observers(self, event):
        unchanged = "old" in event and same(event["old"], event["new"])
        if not (self._silent or unchanged):
            super()._notify_observers(event)


def same(a, b):
    """Tell whether two values of a trait are the same, arrays in them included; nan is nan."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(x, b[name]) for name, x in a.items())
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return False
    return bool(a == b or (a != a and b != b))


def none_of(kind, names, name):
    """Say that a name is none of those that a widget has, and which of them is close to it."""
    close = get_close_matches(name.lower(), names, n=1)
    hint = f"; did you mean {close[0]}?" if close else "."
    listed = ", ".join(names)
    return f"{kind} has the inputs {listed}: {name} came in, and it is none of them{hint}"


def _lacks(kind, needed, came):
    """Say what a widget cannot do without, and what of it did not come in."""
    missing = next(name for name in needed if name not in came)
    there = ", ".join(name for name in needed if name in came) or "nothing"
    return f"{kind} needs {', '.join(needed)}: {there} came in, and {missing} is missing."


def _laid_out(init):
    takes = signature(init).parameters
    names = [name for name, one in takes.items() if one.kind is not one.VAR_KEYWORD][1:]
    needed = [name for name in names if takes[name].default is takes[name].empty]

    @wraps(init)
    def init_with_layout(self, *args, layout=None, **inputs):
        kind, came = type(self), {*names[: len(args)], *inputs}
        wrong = [name for name in inputs if name not in names]
        if wrong and len(names) + 1 == len(takes):  # it hands on no others
            taken = [*signature(kind).parameters, "layout"]
            raise TypeError(none_of(kind.__name__, taken, wrong[0]))
        if not came.issuperset(needed):
            raise TypeError(_lacks(kind.__name__, needed, came))
        if layout is not None:
            self.layout = layout
        init(self, *args, **inputs)

    return init_with_layout


def _told(handler):
    """Return what is observed with: for a link of traitlets, one that can compare arrays."""
    owner = getattr(handler, "__self__", None)
    return _Linked(handler) if isinstance(owner, traitlets.link) else handler


@dataclass(frozen=True)
class _Linked:
    """What a link observes with; equal to another of the same link, so that it can be undone."""

    update: Callable

    def __call__(self, change):
        new = change.new
        whole = new.view(_Whole) if isinstance(new, np.ndarray) else new
        self.update(traitlets.Bunch(change | {"new": whole}))


class _Whole(np.ndarray):
    """An array that is true where any of it is: a link asks ``if value != change.new``."""

    def __bool__(self):
        return bool(np.asarray(self).any())
