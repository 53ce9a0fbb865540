"""What a widget asks of the hand, and the moments through which it leads."""

import re
from difflib import get_close_matches

import numpy as np

from attnlib._inputs import as_array, as_integer, as_real, refuse
from attnlib.widgets._traits import printed, recorded

MOST_MOMENTS = 5
MOST_TITLE = 6  # words of a moment's title


class Goal:
    """A task that a widget sets: numbers that the hand is to reach.

    Parameters
    ----------
    words : str
        The task, as the widget says it to whoever uses it.
    changing : int, optional
        How many numbers of the inputs may differ from the start, at most.
    **asked
        Quantities that follow from the inputs, by name. Of an array, a dict from places to ends:
        ``weights={0: (0.49, 0.51)}``, ``weights={(3, 1): (0.9, None)}``; of a single number, its
        ends alone: ``entropy=(0, 0.5)``. Ends are the least and the most; None stands for no end.

    Examples
    --------
    >>> from attnlib.widgets import Softmax
    >>> picture = Softmax(
    ...     [2.0, 1.0, 0.0], goal=Goal("Give key 1 half of the weight.", weights={1: (0.49, 0.51)})
    ... )
    >>> picture.done
    False
    >>> picture.scores = [2.0, 2.15, 0.0]
    >>> picture.done
    True
    """

    def __init__(self, words, *, changing=None, **asked):
        if not isinstance(words, str):
            refuse("a goal needs words", f"{type(words).__name__} is not str", TypeError,
                   words=repr(words))  # fmt: skip
        if not words.strip():
            refuse("a goal needs words", "it is empty", words=repr(words))
        if not asked:
            refuse("a goal must ask for at least one quantity", "0 < 1", asked="nothing")
        if changing is not None and (changing := as_integer("changing", changing)) < 1:
            refuse("changing must be at least 1", f"{changing} < 1", changing=f"{changing}")
        self.words, self.changing = words, changing
        self.asked = {name: _ends_by_place(name, ends) for name, ends in asked.items()}

    def __repr__(self):
        asked = [f"{name}={_shown(ends)}" for name, ends in self.asked.items()]
        changing = [f"changing={self.changing}"] if self.changing is not None else []
        return f"Goal({', '.join([repr(self.words), *asked, *changing])})"

    def __eq__(self, other):
        return isinstance(other, Goal) and repr(self) == repr(other)

    __hash__ = None

    def agree(self, kind, numbers, movable, reach):
        """Raise ValueError in three parts unless a widget of this kind has what is asked.

        What a quantity can be at a place, `reach` tells: the least and the most, None for no end.
        """
        for name, ends in self.asked.items():
            if name not in numbers:
                close = get_close_matches(name, numbers, n=1)
                hint = f" (did you mean {close[0]}?)" if close else ""
                rule = f"a goal of {kind} can ask about {', '.join(numbers)}"
                refuse(rule, f"{name} is none of them{hint}", asked=name)
            for place in ends:
                _require_place(name, np.asarray(numbers[name]), place)
                _require_reached(name, place, ends[place], reach(name, place))
        if self.changing is not None and not movable:
            rule = f"changing counts numbers that a hand can move, and {kind} has none"
            refuse(rule, f"{self.changing} > 0", changing=f"{self.changing}")

    def missing(self, numbers):
        """Return what is asked and not there, ``[(name, place), …]``."""
        return [
            (name, place)
            for name, ends in self.asked.items()
            for place, (least, most) in ends.items()
            if not _lies(np.asarray(numbers.get(name)), place, least, most)
        ]

    def met(self, numbers, moved):
        """Tell whether all is there, with `moved` numbers that differ from the start."""
        return (self.changing is None or moved <= self.changing) and not self.missing(numbers)

    def recorded(self, inputs):
        """Return the goal as JSON, with the inputs that a hand moves as they are at the start."""
        asked = [
            [name, list(place), least, most]
            for name, ends in self.asked.items()
            for place, (least, most) in ends.items()
        ]
        start = {name: recorded(x) for name, x in inputs.items()}
        return {"words": self.words, "changing": self.changing, "asked": asked, "start": start}


def differing(start, inputs):
    """Return how many numbers of the inputs differ from the start."""
    return sum(_differing(np.asarray(x), np.asarray(start[name])) for name, x in inputs.items())


def _differing(x, y):
    x, y = x.ravel(), y.ravel()
    n = min(x.size, y.size)
    return int((x[:n] != y[:n]).sum()) + max(x.size, y.size) - n


def _ends_by_place(name, ends):
    if not isinstance(ends, dict):
        return {(): _ends(name, ends)}
    if not ends:
        refuse(f"{name} needs at least one place that a goal asks about", "0 < 1", **{name: "{}"})
    return {_place(name, place): _ends(f"{name}[{place}]", pair) for place, pair in ends.items()}


def _place(name, place):
    places = place if isinstance(place, tuple) else (place,)
    return tuple(as_integer(f"a place of {name}", k) for k in places)


def _ends(name, pair):
    """Return the least and the most, each a float or None."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        rule = f"a goal names the least and the most of {name}, (least, most)"
        refuse(rule, "it is no pair", **{name: repr(pair)})
    ends = tuple(None if x is None else float(as_real(name, x)) for x in pair)
    least, most = ends
    if ends == (None, None):
        refuse(f"{name} needs a least or a most", "there is none", **{name: "(None, None)"})
    for x in ends:
        if x is not None and not np.isfinite(x):
            rule = f"the ends of {name} must be finite numbers, or None for no end"
            refuse(rule, f"{x} is not finite", **{name: repr(tuple(pair))})
    if None not in ends and least > most:
        rule = f"the least of {name} must not be above its most"
        refuse(rule, f"{least:g} > {most:g}", **{name: f"({least:g}, {most:g})"})
    return ends


def _require_place(name, x, place):
    if x.ndim != len(place):
        rule = f"a place of {name} needs one number for each of its axes"
        refuse(rule, f"{len(place)} != {x.ndim}", **{name: x if x.ndim else "one number"},
               place=f"({', '.join(map(str, place))})")  # fmt: skip
    for k, n in zip(place, x.shape, strict=True):
        if not 0 <= k < n:
            rule = f"a goal must ask about a place of {name}, counted from 0"
            clash = f"{k} > {n - 1}" if k >= n else f"{k} < 0"
            refuse(rule, clash, **{name: x}, place=f"{', '.join(map(str, place))}")


def _require_reached(name, place, ends, reach):
    """Raise ValueError where no number that the quantity can be lies within the ends."""
    low, high = reach
    where = f"{name}[{', '.join(map(str, place))}]" if place else name
    (least, most), rule = ends, f"a goal must ask for what {where} can be"
    if least is not None and high is not None and least > high:
        refuse(rule, f"it is at most {high:g}", **{where: f"to be at least {least:g}"})
    if most is not None and low is not None and most < low:
        refuse(rule, f"it is at least {low:g}", **{where: f"to be at most {most:g}"})


def require_shared(name, asked):
    """Raise ValueError where the places of a row ask together for more than the 1 it shares out."""
    leasts = {}
    for place, (least, _) in asked.items():
        leasts[place[:-1]] = leasts.get(place[:-1], 0) + max(0, least or 0)
    most = max(leasts.values())
    if most > 1 + 1e-9:
        rule = f"the places of a row of {name} share 1"
        refuse(rule, f"{most:g} > 1", **{"what a goal asks of them": f"{most:g}"})


def _lies(x, place, least, most):
    """Tell whether a number lies within its ends; one that is not there or is nan does not."""
    inside = x.dtype != object and x.ndim == len(place)
    if not inside or any(k >= n for k, n in zip(place, x.shape, strict=True)):
        return False
    number = float(x[place])  # nan is neither at least nor at most anything
    return (least is None or number >= least) and (most is None or number <= most)


def _shown(ends):
    if () in ends:
        return repr(ends[()])
    return repr({place[0] if len(place) == 1 else place: pair for place, pair in ends.items()})


def as_moments(moments):
    """Return moments as a list of pairs, a title and a dict; what is neither is refused."""
    if isinstance(moments, str | dict) or not hasattr(moments, "__iter__"):
        rule = "moments must be a sequence of pairs, (title, {input: value})"
        refuse(rule, f"{type(moments).__name__} is no sequence of pairs", TypeError,
               moments=repr(moments))  # fmt: skip
    moments = list(moments)
    if len(moments) > MOST_MOMENTS:
        rule = f"a widget has at most {MOST_MOMENTS} moments"
        refuse(rule, f"{len(moments)} > {MOST_MOMENTS}", moments=f"a sequence of {len(moments)}")
    slugs = {}
    for nth, moment in enumerate(moments):
        name = f"moments[{nth}]"
        pair = isinstance(moment, tuple | list) and len(moment) == 2
        if not pair or not isinstance(moment[0], str) or not isinstance(moment[1], dict):
            rule = "a moment must be a pair, (title, {input: value})"
            refuse(rule, "it is none", TypeError, **{name: repr(moment)})
        title, n = moment[0], len(moment[0].split())
        if not 1 <= n <= MOST_TITLE or not slug(title):
            rule = f"a moment's title must have 1 to {MOST_TITLE} words"
            clash = f"{n} > {MOST_TITLE}" if n > MOST_TITLE else "there is none"
            refuse(rule, clash, **{name: repr(title)})
        if slug(title) in slugs:
            first = slugs[slug(title)]
            rule, clash = "each moment needs a title of its own", f"{slug(title)} stands twice"
            refuse(rule, clash, **{f"moments[{first}]": repr(moments[first][0]), name: repr(title)})
        slugs[slug(title)] = nth
    return [(str(title), dict(state)) for title, state in moments]


def slug(title):
    """Return a title as a link names it: in lower case, its words joined by hyphens."""
    return "-".join(re.findall(r"\w+", title.lower()))


def printed_moments(moments):
    """Return moments as code that would make them."""
    listed = []
    for title, state in moments:
        inputs = ", ".join(f"{name!r}: {printed(x)}" for name, x in state.items())
        listed.append(f"({title!r}, {{{inputs}}})")
    return f"[{', '.join(listed)}]"


def as_numbers(values):
    """Return those values that are numbers or arrays of them, by name, as arrays."""
    arrays = {name: as_array(name, x) for name, x in values.items() if x is not None}
    return {name: x for name, x in arrays.items() if x.dtype.kind in "fiub"}
