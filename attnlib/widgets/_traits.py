"""The kinds of traits that widgets have, each refusing nonsense in three parts."""

import numpy as np
import traitlets

from attnlib._inputs import as_array, as_integer, as_mask, as_real, refuse

MOST_WORDS = 40


class Numbers(traitlets.TraitType):
    """Finite numbers in an array of the axes that are named, kept as read-only float64.

    float32 comes in with the seven digits that it holds, so that Python and the browser compute
    with the same numbers. Where `hidden` is True, a number may be -inf, the score of a key that
    cannot get weight; JSON, which has no -inf, is told null.
    """

    default_value = ()

    def __init__(self, axes, *, least=None, most=None, optional=False, hidden=False, **metadata):
        super().__init__(**metadata)
        self.axes, self.least, self.most, self.optional = axes, least, most, optional
        self.hidden = hidden
        if metadata.get("read_only") is None:
            self.tag(sync=True, to_json=lambda value, owner: recorded(value))
        if hidden:
            self.tag(from_json=lambda value, owner: _unhidden(value))

    def validate(self, owner, value):
        """Return value as an array."""
        if value is None and self.optional:
            return None
        x = as_real(self.name, value)
        if x.ndim != len(self.axes.split(", ")):
            rule = f"{self.name} must have the axes ({self.axes})"
            refuse(rule, f"{x.ndim} != {len(self.axes.split(', '))}", **{self.name: x})
        if x.dtype != np.float64:
            x = np.array([float(f"{number:.7g}") for number in x.flat]).reshape(x.shape)
        self._refuse_outside(x)
        x = x.copy()
        x.flags.writeable = False
        return x

    def _refuse_outside(self, x):
        rule = f"{self.name} must hold finite numbers"
        rule += ", or -inf for a key that is hidden" if self.hidden else ""
        hidden = (x == -np.inf) & self.hidden
        wrong, what = ~np.isfinite(x) & ~hidden, "is not finite"
        if not wrong.any() and self.least is not None:
            rule = f"{self.name} must lie between {self.least:g} and {self.most:g}"
            wrong, what = ((x < self.least) | (x > self.most)) & ~hidden, "does not"
        if wrong.any():
            place = tuple(map(int, np.argwhere(wrong)[0]))
            where = f"{self.name}[{', '.join(map(str, place))}]"
            refuse(rule, f"{where} = {x[place]:g} {what}", **{self.name: x})


class Synced(traitlets.TraitType):
    """What the browser has, too."""

    def __init__(self, *default, **metadata):
        super().__init__(*default, **metadata)
        self.tag(sync=True)


class Bounded(Synced):
    """One number from `least` to `most`."""

    def __init__(self, default, *, least, most, **metadata):
        super().__init__(default, **metadata)
        self.least, self.most = least, most


class Number(Bounded):
    """One number from `least` to `most`, kept as a float."""

    def validate(self, owner, value):
        """Return value as a float."""
        x = as_real(self.name, value)
        if x.shape or isinstance(value, bool | np.bool_):
            refuse(f"{self.name} must be one number", "it is not one", **{self.name: repr(value)})
        x = float(x)
        if not self.least <= x <= self.most:
            rule = f"{self.name} must lie between {self.least:g} and {self.most:g}"
            refuse(rule, f"{x:g} does not", **{self.name: x})
        return x


class Integer(Bounded):
    """One whole number from `least` to `most`, kept as an int."""

    def validate(self, owner, value):
        """Return value as an int."""
        n = as_integer(self.name, value, bits=np.inf)
        if not self.least <= n <= self.most:
            rule = f"{self.name} must lie between {self.least} and {self.most}"
            refuse(rule, f"{n} does not", **{self.name: f"{n}"})
        return n


class Index(Synced):
    """One of the items that another trait lists, by its place from 0."""

    def __init__(self, default, *, of, **metadata):
        super().__init__(default, **metadata)
        self.of = of

    def validate(self, owner, value):
        """Return value as an int; whether there are so many, `require_index` judges."""
        return as_integer(self.name, value)


class Places(Index):
    """Several of the items that another trait lists, each by its place from 0."""

    def validate(self, owner, value):
        """Return value as a tuple in order, without repetitions; `require_index` judges them."""
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            kind, rule = type(value).__name__, f"{self.name} must be a sequence of places"
            refuse(rule, f"{kind} is no sequence of int", TypeError, **{self.name: repr(value)})
        return tuple(sorted({as_integer(self.name, place) for place in value}))


class Flag(Synced):
    """True or False."""

    def validate(self, owner, value):
        """Return value as a bool."""
        if not isinstance(value, bool | np.bool_):
            kind = type(value).__name__
            rule = f"{self.name} must be True or False"
            refuse(rule, f"{kind} is not bool", TypeError, **{self.name: repr(value)})
        return bool(value)


class OneOf(Synced):
    """One of several words."""

    def __init__(self, *choices, **metadata):
        super().__init__(choices[0], **metadata)
        self.choices = choices

    def validate(self, owner, value):
        """Return value if it is a choice."""
        if not isinstance(value, str) or value not in self.choices:
            rule = f"{self.name} must be one of {', '.join(map(repr, self.choices))}"
            refuse(rule, "it is none of them", **{self.name: repr(value)})
        return str(value)


class Words(Synced):
    """The words of a sentence, a tuple of str; one at least."""

    default_value = ()

    def __init__(self, *, most=MOST_WORDS, optional=False, **metadata):
        super().__init__(**metadata)
        self.most, self.optional = most, optional

    def validate(self, owner, value):
        """Return value as a tuple."""
        if value is None and self.optional:
            return None
        rule = f"{self.name} must be a sequence of words"
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            kind = type(value).__name__
            refuse(rule, f"{kind} is no sequence of str", TypeError, **{self.name: repr(value)})
        words = tuple(value)
        for place, word in enumerate(words):
            if not isinstance(word, str):
                clash = f"{type(word).__name__} is not str"
                refuse(rule, clash, TypeError, **{f"{self.name}[{place}]": repr(word)})
        if not words:
            refuse(f"{self.name} must hold at least one word", "0 < 1", **{self.name: "()"})
        if len(words) > self.most:
            rule = f"a picture holds at most {self.most} words (show a part of the sentence)"
            clash = f"{len(words)} > {self.most}"
            refuse(rule, clash, **{self.name: f"a sequence of {len(words)}"})
        return tuple(map(str, words))


class MaskGrid(Synced):
    """A boolean array of these axes, (n_queries, n_keys) say, True where a query may look."""

    default_value = ()

    def __init__(self, *axes, **metadata):
        super().__init__(**metadata)
        self.axes = axes
        self.tag(to_json=lambda value, owner: recorded(value))

    def validate(self, owner, value):
        """Return value as a read-only array of bools."""
        mask = as_mask(as_array(self.name, value))
        if mask.ndim != len(self.axes):
            rule = f"{self.name} must have the axes ({', '.join(self.axes)})"
            refuse(rule, f"{mask.ndim} != {len(self.axes)}", **{self.name: mask})
        mask = mask.copy()
        mask.flags.writeable = False
        return mask


class Derived(traitlets.Any):
    """What follows from the inputs: read-only, and not sent anywhere.

    What it can be lies between `least` and `most`, where it has ends. Its last axis `shares` out 1.
    """

    def __init__(self, *, least=None, most=None, shares=False):
        super().__init__(None, read_only=True)
        self.least, self.most = (0, 1) if shares else (least, most)
        self.shares = shares


class DerivedNumber(Derived):
    """A number that follows from the inputs: read-only, and sent, so that others link to it.

    JSON has no nan and no inf: the browser is told None.
    """

    def __init__(self, **ends):
        super().__init__(**ends)
        self.tag(sync=True, to_json=lambda x, owner: x if x is None or np.isfinite(x) else None)


def require_index(widget, name):
    """Raise ValueError unless the trait, an Index or Places, is of what it indexes."""
    value, of = getattr(widget, name), widget.traits()[name].of
    n, several = len(getattr(widget, of)), isinstance(value, tuple)
    for place in value if several else (value,):
        if not 0 <= place < n:
            what = f"places of {of}" if several else f"the place of one of the {of}"
            clash = f"{place} > {n - 1}" if place >= n else f"{place} < 0"
            rule = f"{name} must be {what}, counted from 0"
            refuse(rule, clash, **{name: value, f"the number of {of}": n})


def recorded(value):
    """Return a trait's value as JSON has it, with None where a score is -inf."""
    if isinstance(value, np.ndarray):
        hidden = value == -np.inf
        return (np.where(hidden, None, value) if hidden.any() else value).tolist()
    return list(value) if isinstance(value, tuple) else value


def _unhidden(value):
    """Undo `recorded`: None in lists, as the browser sends it, is -inf."""
    if isinstance(value, list):
        return [-np.inf if x is None else _unhidden(x) for x in value]
    return value


def printed(value):
    """Return a trait's value as code that would make it, or its shape where that is long."""
    if isinstance(value, np.ndarray):
        short = value.size <= 16
        code = repr(value.tolist()).replace("-inf", "-np.inf")
        return code if short else f"<{' × '.join(map(str, value.shape))}>"
    if isinstance(value, dict):
        if any(np.size(x) > 16 for x in value.values()):
            return f"<{len(value)} arrays>"
        return f"{{{', '.join(f'{name!r}: {printed(x)}' for name, x in value.items())}}}"
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
