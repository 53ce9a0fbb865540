"""What a function to write is declared by: cases, facts, known mistakes, and what holds them.

A lesson's exercise and a homework's task are both an `Exercise`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import EllipsisType
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from attnlib.checks.entries import leaves
from attnlib.checks.shapes import Shapes

if TYPE_CHECKING:
    from attnlib.checks.calling import Outcome

# One tolerance for every answer, whatever its dtype. float32 rounds at 6e-8, and sums over a dozen
# entries lose at most two further digits, so 1e-4 passes honest float32 work and the usual "+ 1e-8"
# in a denominator; every listed mistake is off by far more, which the tests hold.
RELATIVE, ABSOLUTE = 1e-4, 1e-5

# An answer is held against the largest number that is due, and that against 1e-3: the dot product
# of short vectors is small, and must still be right. Sums that cancel need the 1e-3.
LEAST = 1e-3

N_DRAWN = 40
READ_AGAIN = ("The statement of the task says what holds.", "Its hints stand below the statement.")


@dataclass(frozen=True)
class Promise:
    """What an exercise promises beyond its plain examples."""

    name: str  # what holds for a right answer, in a few words
    hint: str  # what to think of where it does not hold
    finite: str = ""  # the same, where an answer came that is finite, if that makes a difference


ANY = Promise(
    "random inputs of random sizes are right",
    "Some input that the statement allows has another answer than yours. Try sizes of 1, several "
    "leading axes, and large numbers together with things that are hidden, tied or missing.",
)


@dataclass(frozen=True)
class Remark:
    """What an exercise does not promise, and a right answer may still be told of."""

    given: str  # what comes in there, after "with"


@dataclass(frozen=True)
class End:
    """How far one thing that comes in may go: the range in which answers are judged."""

    words: str  # the range as the exercise's task states it, in its lesson
    least: float  # of the range
    most: float
    beyond: Remark  # what is told of an answer that is right within it, and wrong beyond
    # The parameters that it holds for; none where it is of what they make, such as scores.
    inputs: tuple[str, ...] = ()

    def of(self, *inputs: str) -> End:
        """Give the same range for some parameters."""
        return replace(self, inputs=inputs)


@dataclass(frozen=True)
class Edge:
    """An end of what may come in, by the task, and what it costs to be wrong there alone."""

    words: str  # what is so there, after "where"
    holds: Callable[..., bool]  # `holds(*inputs) -> bool`: whether these inputs lie there
    # Else it costs nothing but a remark. What is no edge costs all of the task's points.
    costs_a_point: bool = True
    # What to think of there.
    hint: str = "Nothing comes in there, and the answer still has a shape."


@dataclass(frozen=True)
class Earlier:
    """A form that an exercise once had, without the last of its inputs."""

    n_inputs: int  # how many it had
    suffices: Callable[..., bool]  # `suffices(*inputs) -> bool`: whether those say all
    plain: Callable[..., tuple]  # `plain(*inputs)` gives inputs like these of which they do
    remark: str  # what is told of a right answer in that form
    silent: tuple[str, ...] = ()  # the facts that it says nothing of, by name


@dataclass(frozen=True, eq=False)
class Case:
    """One call of the learner's function."""

    shows: str  # the fact that a right answer here establishes; cases may share one
    # The positional arguments: arrays, numbers, strings, or dictionaries of arrays or numbers.
    inputs: tuple
    # The promise that it belongs to; a plain example belongs to none.
    promise: Promise | Remark | None = None

    @property
    def size(self) -> int:
        """How many numbers and letters go in, whole numbers that came in counted as so many."""
        own = [len(x) if isinstance(x, str) else x for x in self.inputs]
        return sum(x if isinstance(x, int) else sum(map(np.size, leaves(x))) for x in own)

    @property
    def order(self) -> tuple:
        """By what cases are ordered: plain ones first, then small ones, empty ones last."""
        empty = any(np.size(value) == 0 for value in self._arrays()) or 0 in [
            value for value in self.inputs if isinstance(value, int)
        ]
        return self.promise is not None, empty, self.size

    @property
    def axes(self) -> int:
        """The axes of the deepest input: batch axes add to them."""
        return max(map(np.ndim, self._arrays()), default=0)

    def _arrays(self) -> list:
        return [x for value in self.inputs for x in leaves(value)]


@dataclass(frozen=True)
class Fact:
    """A property of right answers, tried on the inputs of every case."""

    name: str  # what holds, in a few words
    # `holds(answer, *inputs) -> bool`, where `answer` calls the learner's function and gives its
    # answer as an array (a tuple of arrays where several are due, or a dictionary). Where it does
    # not hold, a sentence may come in place of False, which says what was found.
    holds: Callable[..., bool | str]
    # What to think of where all the cases are right, and yet this does not hold.
    hint: str = "Does your function remember an earlier call, or draw random numbers?"


@dataclass(frozen=True, eq=False)
class Mistake:
    """A known mistake, executable: the engine recognises it by running it."""

    name: str  # short name, given as `report.mistake`
    function: Callable  # the wrong function, called as the learner's is
    # What went wrong, and what to do about it.
    sentence: str
    hint: str
    # Where it is a function with knobs, which of them are set wrong, and to what.
    setting: Mapping[str, object] = field(default_factory=dict)

    def around(self, before: Callable, after: Callable | None = None) -> Mistake:
        """Make the same mistake in a longer function.

        Parameters
        ----------
        before : callable
            ``before(*inputs)`` gives the arguments of this mistake's function.
        after : callable, optional
            ``after(result, *inputs)`` makes the answer from its result.
        """

        def wrong(*inputs):
            result = self.function(*before(*inputs))
            return result if after is None else after(result, *inputs)

        return replace(self, function=wrong)


def mistake(name: str) -> Callable[[Callable], Mistake]:
    """Turn a wrong function into a `Mistake`; its docstring is the sentence, then the hint."""

    def made(function):
        sentence, _, hint = (docstring(function) or name).partition("\n\n")
        return Mistake(name, function, sentence, " ".join(hint.split()))

    return made


def docstring(function: Callable) -> str:
    """Give a function's docstring, from its source where Python leaves docstrings out (-OO)."""
    if function.__doc__ is not None:
        return inspect.getdoc(function)
    source = textwrap.dedent(inspect.getsource(function))
    return ast.get_docstring(ast.parse(source).body[0]) or ""


def wrongly_set(
    turned: Callable, name: str, sentence: str, hint: str, /, **setting: object
) -> Mistake:
    """Make a known mistake of a function with knobs: keyword arguments, right by default.

    Parameters
    ----------
    turned : callable
        ``turned(*inputs, **knobs)`` answers right where no knob is turned.
    name, sentence, hint : str
        As of every `Mistake`.
    **setting
        What one knob is set to, or several.
    """

    def wrong(*inputs):
        return turned(*inputs, **setting)

    return Mistake(name, wrong, sentence, hint, setting)


@dataclass(frozen=True, kw_only=True, eq=False)
class Exercise:
    """A function to write, in a lesson or in a homework, and everything needed to judge one.

    It stands at the end of a module, whose known mistakes are its own and need no second list.
    """

    # The reference by which answers are judged; in a lesson at most three lines of attnlib.
    answer: Callable
    # Gives the plain examples afresh; random ones from a seeded Generator. Those of a task stand in
    # the student's notebook, so they are few, small, and of few digits.
    cases: Callable[[], Iterable[Case]]
    # The NumPy that a reader would write, as `attnlib.solution` shows it. Its name is the
    # exercise's, its parameters name the inputs, and its docstring is the reason. A homework's
    # stands in its sheet: then the name is the module's, and the reference's parameters count.
    solution: Callable | None = None
    # Gives afresh, for each `Promise`, the inputs that hold an answer to it, and for each `Remark`
    # those that are tried when all else is right. No student sees those of a task.
    promises: Callable[[], Mapping[Promise | Remark, Iterable[tuple]]] = dict
    # `draw(rng)` gives random inputs, of sizes that are random too. A judge tries some.
    draw: Callable[[np.random.Generator], tuple] | None = None
    # The ranges that answers are judged in; the lesson's task states them, too.
    ends: tuple[End, ...] = ()
    # Where a wrong answer does not cost all of a task's points. All edges together cost one.
    edges: tuple[Edge, ...] = ()
    facts: tuple[Fact, ...] = ()  # what else holds for right answers; tried on the plain examples
    # Known ones that have no name in its module, such as those of another exercise. `...` stands
    # for its own, in the order in which they are defined, where these do not come first.
    mistakes: tuple[Mistake | EllipsisType, ...] = ()
    # Graded; the last one comes as near to the body as words do.
    hints: tuple[str, ...] = READ_AGAIN
    # Names of the arrays to return, where there are several; `dict` where a dictionary of arrays is
    # to be returned, whose names depend on what comes in; `str` where a list of strings is.
    parts: tuple[str, ...] | type[dict] | type[str] = ()
    returns: str = "answer"  # what the one array is, in a word
    # The shapes of inputs and answers; promises and tests are made from them.
    shapes: Shapes | None = None
    earlier: Earlier | None = None  # the form that it once had
    # What the reference and known mistakes did in a case, by case and function: for the engine.
    answered: WeakKeyDictionary[Case, dict[Callable, Outcome]] = field(
        init=False, default_factory=WeakKeyDictionary
    )

    def __post_init__(self):
        made = getattr(self.answer, "__globals__", {}).values()
        own = [x for x in made if isinstance(x, Mistake) and x not in self.mistakes]
        named = self.mistakes if ... in self.mistakes else (..., *self.mistakes)
        found = tuple(known for one in named for known in (own if one is ... else [one]))
        object.__setattr__(self, "mistakes", found)

    @property
    def name(self) -> str:
        """The exercise's name, which is its function's and its file's."""
        return self.solution.__name__ if self.solution else self.answer.__module__.split(".")[-1]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return tuple(inspect.signature(self.solution or self.answer).parameters)

    def edge_of(self, inputs: tuple) -> Edge | None:
        """Return the edge at which inputs lie, if they lie at one."""
        return next((edge for edge in self.edges if edge.holds(*inputs)), None)

    def all_cases(self) -> tuple[Case, ...]:
        """Give the plain examples and then what the promises add, small ones first.

        They are made once, so their arrays cannot be written into.

        Raises
        ------
        TypeError
            If the inputs of a case are no tuple: an array would be taken for its rows.
        """
        return self._judged

    def remarked(self) -> tuple[Case, ...]:
        """Give the cases that are tried for a remark only, small ones first."""
        return self._remarked

    @cached_property
    def _judged(self) -> tuple[Case, ...]:
        promised = dict(self.promises())
        if self.draw:
            rng = np.random.default_rng(2017)
            promised[ANY] = [self.draw(rng) for _ in range(N_DRAWN)]
        return self._checked([*self.cases(), *_cases(promised, Promise)])

    @cached_property
    def _remarked(self) -> tuple[Case, ...]:
        return self._checked(_cases(self.promises(), Remark))

    def _checked(self, cases: list[Case]) -> tuple[Case, ...]:
        for case in cases:
            if not isinstance(case.inputs, tuple):
                raise TypeError(
                    "the inputs of a case are a tuple, one entry for each parameter: where "
                    f"{self.name} says {case.shows!r}, they are of type "
                    f"{type(case.inputs).__name__}, for {len(self.parameters)} parameters."
                )
            for value in case.inputs:
                kept(leaves(value))
        return tuple(sorted(cases, key=lambda case: case.order))


def _cases(promised: Mapping, kind: type) -> list[Case]:
    return [
        Case(one.name if kind is Promise else one.given, inputs, one)
        for one, found in promised.items()
        if isinstance(one, kind)
        for inputs in found
    ]


def kept(values: Iterable) -> None:
    """Let no array among these be written into any more."""
    for value in values:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


def differs(got, expected, least=1.0) -> np.ndarray:
    """Say entry by entry where two arrays of one shape differ; NaN agrees with NaN.

    Numbers are compared on the scale of the largest that is expected, or of `least`. Strings, in
    arrays of objects, are equal or not.
    """
    if np.asarray(expected).dtype == object:
        return np.asarray(np.asarray(got, object) != expected, bool)
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    with np.errstate(all="ignore"):
        finite = np.abs(expected[np.isfinite(expected)])
        slack = RELATIVE * np.abs(expected) + ABSOLUTE * np.max(finite, initial=least)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        return ~(same | (np.abs(got - expected) <= np.where(np.isfinite(slack), slack, 0.0)))


def direction(x) -> np.ndarray:
    """Give a step for every entry of an array, no two alike: where facts look for a slope."""
    return np.cos(1.0 + np.arange(np.size(x))).reshape(np.shape(x))


def close(got, expected) -> bool:
    """Whether two arrays (or an array and a number) agree to the tolerance of the checks."""
    return not differs(*np.broadcast_arrays(got, expected)).any()
