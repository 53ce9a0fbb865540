"""What a widget owes to those who hold it: observers, links, and boxes with a layout."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

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


def _laid_out(init):
    @wraps(init)
    def init_with_layout(self, *args, layout=None, **inputs):
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
