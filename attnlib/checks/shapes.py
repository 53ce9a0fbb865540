"""The shapes of what goes into a function and of what comes out, in one line.

Promises draw their inputs from it, and tests the wrong answers that mistake one size for another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

USUAL = (5, 7, 3, 2, 11, 13, 17)  # sizes that nobody asked for, no two of them equal
SMALL = (2, 3, 5, 7, 11, 13, 17)
ENTRIES = {"w": (5, 7), "b": (7,), "v": (7, 3)}  # of a dictionary that is drawn
PLACE = r"~?\([^()]*\)|[^\s,()~]+"
STRINGS = '""', '[""]'  # one, and a list of them


@dataclass(frozen=True)
class Place:
    """One input or one part of an answer: an array, a single number, or a size as a number."""

    # What stands along each of its own axes: names, whole numbers, or products of them.
    axes: tuple[str, ...]
    leading: bool = False  # whether any number of axes may stand in front
    # Whether it is no array, but the number that its one entry of `axes` stands for.
    whole: bool = False
    # Whether it may be anything that NumPy stretches to its shape, leading axes included.
    stretched: bool = False
    keyed: bool = False  # whether it is a dictionary of arrays, of which nothing is said
    # Whether it is a string, or a list of strings, of which nothing is said either.
    worded: bool = False

    def shape(self, lead: tuple[int, ...], sizes: dict[str, int]) -> tuple[int, ...]:
        """Give its shape where all sizes are known."""
        own = tuple(size_of(axis, sizes) for axis in self.axes)
        return (*lead, *own) if self.leading else own

    def fits(self, shape: tuple[int, ...], lead: tuple[int, ...], sizes: dict[str, int]) -> bool:
        """Say whether it may have this shape, where all sizes are known."""
        if self.keyed or self.worded:
            return True
        if not self.stretched:
            return shape == self.shape(lead, sizes)
        whole = (*lead, *self.shape(lead, sizes))
        ends = zip(reversed(shape), reversed(whole), strict=False)
        return len(shape) <= len(whole) and all(n in (1, size) for n, size in ends)

    def draw(self, rng: np.random.Generator, lead: tuple[int, ...], sizes: dict[str, int]):
        """Give standard normal numbers of its shape; a size where it is one; 1 for one number.

        A dictionary gets three arrays. A string is not drawn: whoever needs one puts it there.
        """
        if self.worded:
            return ""
        if self.keyed:
            return {name: rng.normal(size=shape) for name, shape in ENTRIES.items()}
        shape = self.shape(lead, sizes)
        if self.whole:
            return shape[0]
        return np.asarray(rng.normal(size=shape)) if self.axes or self.leading else 1.0


@dataclass(frozen=True)
class Shapes:
    """What the shapes of inputs and answers have to do with each other.

    Parameters
    ----------
    line : str
        Inputs, an arrow, answers, such as ``"(..., n, d), (d) -> (..., n)"``. ``...`` stands for
        any number of leading axes, the same wherever it stands; ``2*d`` for twice the size d, and,
        in an answer, ``n+1`` for one more than n.
        ``~(n, m)`` is anything that NumPy stretches to leading axes and these, and ``(n, m)``
        where it is drawn. ``()`` is a single number, and a name without brackets, such as
        ``n_heads``, a whole one which is that size. ``{}`` is a dictionary of arrays; as an
        answer, it has the names and shapes of the first that comes in. ``""`` is a string,
        ``[""]`` a list of them.

    Raises
    ------
    ValueError
        If the line cannot be read.

    Examples
    --------
    >>> shapes = Shapes("(..., n, n_heads*d_head), n_heads -> (..., n_heads, n, d_head)")
    >>> shapes.names
    ('n', 'n_heads', 'd_head')
    >>> shapes.sizes((np.zeros((7, 6)), 3))
    {'n': 7, 'n_heads': 3, 'd_head': 2}
    """

    line: str

    def __post_init__(self):
        sides = self.line.split("->")
        pattern = rf"\s*({PLACE})(\s*,\s*({PLACE}))*\s*"
        odd = [side.strip() for side in sides if not re.fullmatch(pattern, side)]
        if odd or len(sides) != 2:
            unread = f", and in it {odd[0]!r}, which is no list of shapes" if odd else ""
            raise ValueError(
                "shapes are written as inputs, one arrow, answers, such as '(n, d), (d) -> (n)': "
                f"got {self.line!r} with {len(sides) - 1} arrows{unread}."
            )

    @cached_property
    def inputs(self) -> tuple[Place, ...]:
        """What goes in, in order."""
        return _places(self.line.split("->")[0])

    @cached_property
    def answers(self) -> tuple[Place, ...]:
        """What comes out, in order."""
        return _places(self.line.split("->")[1])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The sizes that can be chosen, in the order in which they are met.

        Where a single row may come in, ``...`` is among them: how many rows there are.
        """
        factors = [f for place in self.inputs for axis in place.axes for f in axis.split("*")]
        rows = self.leading and len(self.inputs[0].axes) < 2
        return tuple(dict.fromkeys(f for f in ["..."] * rows + factors if not f.isdigit()))

    @cached_property
    def products(self) -> tuple[str, ...]:
        """The axes of inputs that are as long as a product, such as ``n_heads*d_head``."""
        axes = [axis for place in self.inputs for axis in place.axes]
        return tuple(dict.fromkeys(axis for axis in axes if "*" in axis))

    @property
    def leading(self) -> bool:
        """Whether there may be leading axes."""
        return any(place.leading for place in self.inputs)

    @property
    def arrays(self) -> bool:
        """Whether any input is an array."""
        return any(not place.whole for place in self.inputs)

    def pairs(self) -> list[tuple[str, str]]:
        """Give every two names or products of which either may be the larger one."""
        found = (*self.names, *self.products)
        return [
            (a, b)
            for i, a in enumerate(found)
            for b in found[i + 1 :]
            if not {*a.split("*")} & {*b.split("*")}
        ]

    def choices(self) -> Iterator[dict[str, int]]:
        """Choose sizes: each 1 alone, every two above, below and at each other, all equal."""
        k = len(self.names)
        small = SMALL[:k]
        rows = [small, small[::-1], (3,) * k, (1,) * k]
        rows += [(*small[:i], 1, *small[i + 1 :]) for i in range(k)]
        # As in a tournament: in each round, each size equals another one, and every two meet once.
        rows += [tuple(small[min(i, (r - i) % k)] for i in range(k)) for r in range(k)]
        for product, other in self.pairs():
            if other in self.products and product not in self.products:
                product, other = other, product
            if product in self.products and other in self.names:
                at = size_of(product, dict(zip(self.names, small, strict=True)))
                i = self.names.index(other)
                rows += [(*small[:i], size, *small[i + 1 :]) for size in (at, at + 1)]
        yield from (dict(zip(self.names, row, strict=True)) for row in dict.fromkeys(rows))

    def given(self, rng: np.random.Generator, change: Callable | None = None) -> Callable:
        """Return a function that draws inputs: ``given(lead=(), **sizes)``.

        It takes ``...`` for a size, too: so many rows, and no further leading axes.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the numbers come from: standard normal ones, input by input.
        change : callable, optional
            ``change(*inputs)`` gives the inputs that are meant, where those are special.
        """
        usual = dict(zip((name for name in self.names if name != "..."), USUAL, strict=False))

        def given(lead=(), **sizes):
            lead = (sizes["..."],) if "..." in sizes else lead
            inputs = [place.draw(rng, lead, usual | sizes) for place in self.inputs]
            return tuple(change(*inputs) if change else inputs)

        return given

    def sizes(self, inputs: tuple) -> dict[str, int]:
        """Measure inputs.

        Raises
        ------
        ValueError
            If they do not fit the line.
        """
        return self._measured(inputs)[1]

    def due(self, inputs: tuple) -> tuple[tuple[int, ...], ...]:
        """Give the shape of each answer to some inputs; none for a list of strings."""
        lead, sizes = self._measured(inputs)
        held = next((x for x in inputs if isinstance(x, dict)), {})
        entries = {name: np.shape(array) for name, array in held.items()}
        known = [p for p in self.answers if not p.worded]
        return tuple(entries if p.keyed else p.shape(lead, sizes) for p in known)

    def _measured(self, inputs) -> tuple[tuple[int, ...], dict[str, int]]:
        """Give the leading axes of some inputs, and their sizes."""
        shapes = [np.shape(x) or ((x,) if p.whole else ()) for p, x in self._zipped(inputs)]
        lead: tuple[int, ...] = ()
        known: dict[str, int] = {}
        found = []
        for place, shape in zip(self.inputs, shapes, strict=True):
            if place.stretched or place.keyed or place.worded:
                continue  # it need not have these sizes
            n_leading = len(shape) - len(place.axes)
            lead = shape[: max(n_leading, 0)] if place.leading else lead
            found += zip(place.axes, shape[max(n_leading, 0) :], strict=False)
        for axis, size in sorted(found, key=lambda pair: pair[0].count("*")):
            *others, last = sorted(axis.split("*"), key=lambda f: not (f.isdigit() or f in known))
            if not last.isdigit():
                known.setdefault(last, size // max(size_of("*".join(others), known), 1))
        places = zip(self.inputs, shapes, strict=True)
        if not all(place.fits(shape, lead, known) for place, shape in places):
            raise ValueError(f"inputs have the shapes {self.line}: got {shapes}, where {known}.")
        known["..."] = lead[-1] if lead else 1
        return lead, {name: known[name] for name in self.names}

    def _zipped(self, inputs):
        if len(inputs) != len(self.inputs):
            raise ValueError(
                f"inputs have the shapes {self.line}: got {len(inputs)} of them, "
                f"which is not {len(self.inputs)}."
            )
        return zip(self.inputs, inputs, strict=True)


def _places(text: str) -> tuple[Place, ...]:
    """Read one side of a line."""
    found = []
    for word in re.findall(PLACE, text):
        axes = tuple(axis.strip() for axis in word.strip("~()").split(",") if axis.strip())
        own = axes[1:] if axes[:1] == ("...",) else axes
        whole, stretched = "(" not in word, word.startswith("~")
        leading = own != axes
        found.append(
            Place((), keyed=True)
            if word == "{}"
            else Place((), worded=True)
            if word in STRINGS
            else Place(own, leading=leading, whole=whole, stretched=stretched)
        )
    return tuple(found)


def size_of(axis: str, sizes: dict[str, int]) -> int:
    """Give the size that a name, a number, a product, or a sum of these stands for."""
    if "+" in axis:
        return sum(size_of(part, sizes) for part in axis.split("+"))
    factors = [f for f in axis.split("*") if f]
    return math.prod(int(f) if f.isdigit() else sizes[f] for f in factors)
