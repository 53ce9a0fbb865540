"""GELU, which lets a number through by the chance of a normal random number to be smaller."""

import math

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes
from attnlib.models import encoder

FAR = Promise(
    "numbers far from 0 are right",
    "Far above 0 nothing is taken away, and far below 0 nothing comes through. `math.erf` knows "
    "both ends: it is 1 there, and -1. Cut nothing off yourself: at 3.2 and at -3.2 a little is "
    "still taken away, or comes through.",
)
KINDS = Promise(
    "whatever comes first, the others keep their decimals",
    "`np.vectorize` makes an array of the kind of its first answer. Where your function gives a "
    "whole number for that one, such as 0, all others are cut to whole numbers. Give 0.0 there, or "
    "tell `np.vectorize` what kind its answers are.",
)

SHAPES = Shapes("(...) -> (...)")


def gelu(x):
    """Multiply each number by the chance that a standard normal random number is below it.

    A large number passes as it is, one far below 0 hardly at all, and between them there is no
    corner. The error function gives that chance, and NumPy has none: `math.erf` takes the numbers
    one by one.
    """
    chance = 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))
    return x * chance


def answer(x):
    """Give what is right, by which answers are judged."""
    return encoder.gelu(x)


def cases():
    """Four numbers by hand; a table; numbers close to 0, where tanh would do; around its valley."""
    rng = np.random.default_rng(44)
    yield Case("the small example is right", (np.array([-1.0, 0.0, 1.0, 2.0]),))
    yield Case("a table of numbers is right", (rng.normal(size=(5, 7)),))
    yield Case("numbers close to 0 are right", (rng.normal(size=(3, 2)) / 10,))
    yield Case("negative numbers are right", (-2.0 - rng.random((11, 3)),))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(144)
    given = SHAPES.given(rng)
    return promises.of_shapes(SHAPES, given) | {
        FAR: [
            (np.array([-1000.0, 1000.0]),),
            (np.array([[7.0, -7.0, 30.0], [-30.0, 100.0, -100.0]]),),
            (np.array(-50.0),),
            (np.array([3.2, -3.2, 3.6, -3.6]),),
            (np.array([-4.1, 2.5, -3.1]),),
        ],
        KINDS: [(np.array([first, 0.5, -1.5]),) for first in (0.0, 1.0, -1.0, 20.0, -20.0)],
    }


def turned(
    x, *, wide=lambda x: x / math.sqrt(2), half=lambda erf: 0.5 * (1 + erf), factor=np.positive
):
    """Answer with knobs, each of which can be set wrong."""
    return factor(x) * half(np.vectorize(math.erf, otypes=[float])(wide(x)))


@mistake("tanh form")
def by_tanh(x):
    """You took the form with tanh, which comes close and is another function.

    This model was trained with the exact one: `math.erf`, for each number.
    """
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@mistake("sigmoid form")
def by_sigmoid(x):
    """You took a sigmoid for the chance, which comes close and is another function.

    The exact chance is made of `math.erf`.
    """
    return x * 0.5 * (1 + np.tanh(1.702 * x / 2))


@mistake("tanh form without its cube")
def by_tanh_alone(x):
    """You took a form with tanh that leaves out the cube of x, and is farther off still.

    This model was trained with the exact one: `math.erf`, for each number.
    """
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * x))


@mistake("SiLU")
def silu(x):
    """You took the sigmoid of x for the chance, which makes SiLU, another function.

    The chance is that of the bell curve, and `math.erf` gives it.
    """
    return x * 0.5 * (1 + np.tanh(x / 2))


@mistake("ReLU")
def relu(x):
    """You set what is below 0 to 0, as in lesson 12.

    GELU lets a little through there. How much is the chance that a random number is smaller still.
    """
    return np.maximum(x, 0)


no_root = wrongly_set(
    turned,
    "root of 2 forgotten",
    "You gave `erf` the number itself.",
    "It wants it divided by the square root of 2. Otherwise the bell curve is too narrow.",
    wide=np.positive,
)

by_two = wrongly_set(
    turned,
    "divided by 2",
    "You gave `erf` half of the number.",
    "It wants it divided by the square root of 2. Otherwise the bell curve is too wide.",
    wide=lambda x: x / 2,
)

by_four = wrongly_set(
    turned,
    "divided by 4",
    "You gave `erf` a quarter of the number.",
    "It wants it divided by the square root of 2, `2 ** 0.5`. A power comes before `/`, so "
    "`x / 2 ** 1 / 2` is a quarter of x.",
    wide=lambda x: x / 4,
)

multiplied = wrongly_set(
    turned,
    "multiplied by the root of 2",
    "You gave `erf` the number times the square root of 2.",
    "It wants it divided by that. Otherwise the bell curve is too narrow.",
    wide=lambda x: x * math.sqrt(2),
)

half_of_erf = wrongly_set(
    turned,
    "1 forgotten",
    "You halved erf, and did not add 1 before, so your chance goes from -1/2 to 1/2.",
    "A chance goes from 0 to 1: add 1, and halve then.",
    half=lambda erf: 0.5 * erf,
)

half_too_early = wrongly_set(
    turned,
    "1 not halved",
    "You halved erf and added 1 then, so your chance goes from 1/2 to 3/2.",
    "A chance goes from 0 to 1: add first, in brackets, and halve the sum.",
    half=lambda erf: 1 + 0.5 * erf,
)


mirrored = wrongly_set(
    turned,
    "the sign forgotten",
    "You gave `erf` the number without its sign, so -2 has the chance of 2.",
    "The chance to be below a negative number is less than a half. Take x as it is.",
    wide=lambda x: np.abs(x) / math.sqrt(2),
)


@mistake("brackets forgotten")
def without_brackets(x):
    """You multiplied x by 1 alone, and added half of erf then.

    The sum 1 + erf stands in brackets: x is multiplied by all of it, and halved.
    """
    return x + 0.5 * np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))


@mistake("tanh for erf")
def tanh_for_erf(x):
    """You took tanh for erf, which also goes from -1 to 1, and is another curve.

    `math.erf` takes the numbers one by one.
    """
    return x * 0.5 * (1 + np.tanh(x / math.sqrt(2)))


@mistake("nothing below 0")
def cut_at_0(x):
    """You let nothing through below 0.

    GELU lets a little through there, at most 0.17: a random number may be smaller still.
    """
    return np.maximum(answer(x), 0)


no_half = wrongly_set(
    turned,
    "half forgotten",
    "You forgot to halve 1 + erf, which goes up to 2.",
    "A chance is 1 at most.",
    half=lambda erf: 1 + erf,
)

erf_alone = wrongly_set(
    turned,
    "erf for the chance",
    "You multiplied by erf itself, which goes from -1 to 1.",
    "A chance goes from 0 to 1: add 1, and halve.",
    half=np.positive,
)

chance_alone = wrongly_set(
    turned,
    "the chance alone",
    "You returned the chance, and x is not in your answer.",
    "The number is multiplied by it.",
    factor=np.ones_like,
)

above = wrongly_set(
    turned,
    "the chance of being above",
    "You took the chance that a random number is above x.",
    "So large numbers hardly pass. It is the chance to be below.",
    half=lambda erf: 0.5 * (1 - erf),
)


@mistake("density for the chance")
def density(x):
    """You took the height of the bell curve at x, and not the area to the left of it.

    The area is the chance, and `math.erf` gives it.
    """
    return x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


EXERCISE = Exercise(
    solution=gelu,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("what x gets is what -x loses: gelu(x) - gelu(-x) is x", lambda f, x: close(
            f(x) - f(-x), x)),
        Fact("nothing below -0.17 comes out", lambda f, x: bool((f(x) > -0.1701).all())),
        Fact("half of a number close to 0 passes", lambda f, x: close(
            1e4 * f(1e-4 * np.ones_like(x)), 0.5 + 0 * x)),
    ),
    hints=(
        "Two factors: x, and the chance that a standard normal random number is below x. How is "
        "that chance made of `math.erf`?",
        "The chance is `0.5 * (1 + erf(x / sqrt(2)))`. `math.erf` takes one number at a time, so "
        "go through the entries, or let `np.vectorize(math.erf)` do it.",
    ),
)  # fmt: skip
