"""What a spec is made of: cases, facts, known mistakes, and the exercise that holds them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

# One tolerance for every answer, whatever its dtype. float32 rounds at 6e-8, and sums over a dozen
# entries lose at most two further digits, so 1e-4 passes honest float32 work and the usual "+ 1e-8"
# in a denominator; every listed mistake is off by far more, which the tests hold.
RELATIVE, ABSOLUTE = 1e-4, 1e-5


@dataclass(frozen=True, eq=False)
class Case:
    """One call of the learner's function.

    Parameters
    ----------
    shows : str
        The fact that a right answer here establishes; cases may share one.
    inputs : tuple
        The positional arguments: arrays, or whole numbers.
    """

    shows: str
    inputs: tuple

    @property
    def size(self) -> int:
        """How many numbers go in, by which cases are ordered."""
        return sum(value if isinstance(value, int) else np.size(value) for value in self.inputs)

    @property
    def axes(self) -> int:
        """The axes of the deepest input: batch axes add to them."""
        return max(map(np.ndim, self.inputs))


@dataclass(frozen=True)
class Fact:
    """A property of right answers, tried on the inputs of every case.

    Parameters
    ----------
    name : str
        What holds, in a few words.
    holds : callable
        ``holds(answer, *inputs) -> bool``, where ``answer`` calls the learner's function and
        gives its answer as an array (a tuple of arrays where several are due).
    """

    name: str
    holds: Callable[..., bool]


@dataclass(frozen=True)
class Mistake:
    """A known mistake, executable: the engine recognises it by running it.

    Parameters
    ----------
    name : str
        Short name, given as ``report.mistake``.
    function : callable
        The wrong function, called as the learner's is.
    sentence, hint : str
        What went wrong, and what to do about it.
    """

    name: str
    function: Callable
    sentence: str
    hint: str

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
        sentence, _, hint = (inspect.getdoc(function) or name).partition("\n\n")
        return Mistake(name, function, sentence, " ".join(hint.split()))

    return made


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A function to write, and everything needed to judge one.

    Parameters
    ----------
    answer : callable
        The reference, at most three lines of attnlib. Its name is the exercise's, its parameters
        name the inputs, and its docstring is the reason that `attnlib.solution` gives.
    cases : callable
        Gives the cases afresh; random ones from a seeded Generator.
    facts : tuple of Fact
        What else holds for right answers.
    mistakes : tuple of Mistake
        The known ones.
    hints : tuple of str
        Graded, in words.
    recipe : str
        The last hint: the body of the function, line by line.
    parts : tuple of str
        Names of the arrays to return, where there are several.
    """

    answer: Callable
    cases: Callable[[], Iterable[Case]]
    facts: tuple[Fact, ...]
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, ...]
    recipe: str
    parts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The exercise's name, which is its function's."""
        return self.answer.__name__

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return tuple(inspect.signature(self.answer).parameters)


def differs(got, expected) -> np.ndarray:
    """Say entry by entry where two arrays of one shape differ; NaN agrees with NaN."""
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    with np.errstate(all="ignore"):
        finite = np.abs(expected[np.isfinite(expected)])
        slack = RELATIVE * np.abs(expected) + ABSOLUTE * np.max(finite, initial=1.0)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        return ~(same | (np.abs(got - expected) <= np.where(np.isfinite(slack), slack, 0.0)))


def close(got, expected) -> bool:
    """Whether two arrays (or an array and a number) agree to the tolerance of the checks."""
    return not differs(*np.broadcast_arrays(got, expected)).any()
