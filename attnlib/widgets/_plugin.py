"""Widgets that draw what the reader's own function answers."""

import numpy as np
import traitlets

from attnlib._inputs import as_real
from attnlib.widgets._base import Widget


class Plugged(Widget):
    """A widget into which a function can be plugged.

    Python calls it whenever an input changes, and the picture follows. Whatever goes wrong in it is
    told in the widget, in words; the widget stays alive.

    Attributes
    ----------
    answer : dict of ndarray, or None
        What the function answered last, by name; None without a function, or where it failed.
    """

    _plugged = traitlets.Bool(False).tag(sync=True)
    _asked = traitlets.Int(0).tag(sync=True)  # counts the hand's questions
    _answer = traitlets.Dict().tag(sync=True)  # "asked" tells which of them it answers
    answer = traitlets.Any(None, read_only=True)

    def __init__(self, function, **inputs):
        if function is not None and not callable(function):
            kind = type(function).__name__
            shown = " ".join(repr(function).split())  # an array's has lines
            raise TypeError(
                f"a function must be plugged in: {shown} came in, and {kind} is no function."
            )
        self._function = function
        super().__init__(_plugged=function is not None, **inputs)

    def _accepted(self):
        names = super()._accepted()
        return names if self._function else [n for n in names if n not in self._to_function]

    def _ask(self, function):
        """Call the function on copies of the inputs; return arrays by name, "said" in words."""
        raise NotImplementedError

    def _snapshot(self):
        return super()._snapshot() | {"_asked": self._asked}

    def _follow(self):
        super()._follow()
        if self._function is None:
            return
        reply = {"asked": self._asked, "name": name_of(self._function)}
        try:
            with np.errstate(all="ignore"):
                answer, note = self._ask(self._function)
            reply |= {name: _as_json(x) for name, x in answer.items()} | {"said": note}
        except Misfit as misfit:
            answer = None
            reply["error"] = f"{reply['name']}{misfit}"
        self.set_trait("answer", answer)
        self._answer = reply

    def recorded(self):
        """Return what `Widget.recorded` does; a page without a kernel cannot call the function."""
        state = super().recorded()
        if self._plugged:
            state["traits"] |= {"_plugged": True, "_answer": {"name": name_of(self._function)}}
        return state


class Misfit(Exception):  # noqa: N818  (it ends a sentence that begins with the function's name)
    """What is wrong with a function, in words that follow its name."""


def called(function, shape, *arrays):
    """Call the reader's function on copies and return its answer as floats of this shape.

    Raises
    ------
    Misfit
        If it raises, returns nothing, or something that is no array of this shape.
    """
    result = answered(function, *(x.copy() for x in arrays))
    try:
        result = as_real("it", result)
    except Exception as error:
        raise Misfit(f" returns what is no array of numbers ({_message(error)})") from None
    if result.shape != shape:
        raise Misfit(
            f" returns an array of another shape: {result.shape} came back, {shape} was wanted."
        )
    return result.astype(float)


def answered(function, *given):
    """Call the reader's function; raise Misfit if it raises, or returns nothing."""
    try:
        result = function(*given)
    except KeyboardInterrupt as error:
        raise Misfit(" was interrupted before it answered.") from error
    except BaseException as error:  # SystemExit too: the reader's code may not end the kernel
        raise Misfit(f" raised {type(error).__name__}: {_message(error)}") from error
    if result is None or result is Ellipsis:
        raise Misfit(" returns None: its body is still to be written, or its return is missing.")
    return result


def _message(error):
    try:
        return str(error).strip() or "without a message"
    except Exception:  # the reader's own class of error may be broken too
        return "without a message"


def name_of(function):
    """Return how a function is called in a sentence."""
    return getattr(function, "__name__", type(function).__name__)


def _as_json(x):
    """Return an array as lists; JSON has no nan and no inf, so these go as words."""
    words = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return np.vectorize(lambda v: v if np.isfinite(v) else words[str(v)], otypes=[object])(
        x
    ).tolist()
