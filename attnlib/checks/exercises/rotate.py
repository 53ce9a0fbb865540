"""Rotary positions."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake

BETWEEN = Promise(
    "positions between whole numbers are right",
    "A position is a number like any other: 2.5 turns by an angle halfway between those of 2 and "
    "3. Multiply by it, do not look it up.",
)
ANY_ORDER = Promise(
    "positions in any order are right",
    "Positions may fall, repeat or leave gaps: each row turns by its own, wherever it stands.",
)


def rotate(x, positions):
    """Each pair of neighbouring features is turned by an angle that grows with the position.

    Turning query and key alike leaves a dot product that depends on their distance alone.
    """
    d = x.shape[-1]
    angle = positions[:, None] / 10_000 ** (np.arange(0, d, 2) / d)  # (n, d / 2)
    a, b = x[:, 0::2], x[:, 1::2]  # (n, d / 2) each
    turned = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return np.stack(turned, axis=-1).reshape(x.shape)  # (n, d / 2, 2), then neighbours again


def answer(x, positions):
    """Give what is right, by which answers are judged."""
    return attnlib.rotate(x, positions)


def cases():
    """Two rows by hand, then positions in any order, with gaps, far from 0."""
    rng = np.random.default_rng(16)
    x = np.array([[1.0, 0, 0, 2, 3, 0], [1.0, 0, 0, 2, 3, 0]])
    yield Case("the small example is right", (x, np.array([0, 1])))
    gaps = np.array([3, 0, 7, 2, 19])
    yield Case("positions in any order are right", (rng.normal(size=(5, 14)), gaps))
    yield Case("more rows than features are right", (rng.normal(size=(13, 10)), 5 + np.arange(13)))
    yield Case("far positions are right", (rng.normal(size=(3, 22)), np.array([101, 53, 97])))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(116)

    def given(n=5, d=6):
        return rng.normal(size=(n, d)), rng.permutation(3 * n)[:n] / 1.0

    return {
        promises.SIZES: [
            given(n, d) for n, d in ((1, 2), (1, 6), (2, 2), (4, 4), (7, 2), (2, 14), (6, 6))
        ],
        BETWEEN: [
            (rng.normal(size=(5, 6)), np.array([0.5, 0.25, 3.75, 2.5, 0.125])),
            (rng.normal(size=(3, 10)), 20 * rng.random(3)),
        ],
        ANY_ORDER: [
            (rng.normal(size=(5, 6)), np.array(positions))
            for positions in ([4, 3, 2, 1, 0], [7, 7, 0, 7, 0], [0, 0, 0, 0, 0], [300, 2, 41, 0, 9])
        ],
        promises.SAME_SHAPES: promises.again(given),
    }


def pairs(x):
    """Give 2i / d for each pair of features."""
    d = x.shape[-1]
    return np.arange(0, d, 2) / d


def turn(x, angle):
    """Rotate each pair of neighbours by its angle."""
    even, odd = x[:, 0::2], x[:, 1::2]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


def angles(x, positions, exponents=None):
    """Give position times 10000 to the minus exponents."""
    return positions[:, None] * 10_000.0 ** -(pairs(x) if exponents is None else exponents)


@mistake("turned the wrong way round")
def backwards(x, positions):
    """You turned clockwise: the signs of the two sines are swapped.

    The pair (a, b) becomes (a cos - b sin, a sin + b cos).
    """
    return turn(x, -angles(x, positions))


@mistake("half layout")
def half(x, positions):
    """You paired feature i with feature i + d/2, as some models do.

    Here neighbours are a pair: features 2i and 2i + 1, `x[:, 0::2]` and `x[:, 1::2]`.
    """
    return attnlib.rotate(x, positions, layout="half")


@mistake("positions ignored")
def ignored(x, positions):
    """You counted the rows 0, 1, 2, … yourself: the positions that came in are not used.

    A row's position may be any number: take it from `positions`.
    """
    return attnlib.rotate(x, np.arange(len(x)))


@mistake("positions from 1")
def from_one(x, positions):
    """You added 1 to the positions.

    Position 0 turns nothing: use them as they are.
    """
    return attnlib.rotate(x, positions + 1)


@mistake("one angle for all pairs")
def same(x, positions):
    """You turned every pair by the same angle.

    Pair i turns by position * 10000^(-2i/d): the first fastest, the last slowest.
    """
    return turn(x, angles(x, positions, 0 * pairs(x)))


@mistake("exponent i / d")
def slow(x, positions):
    """You used the exponent i / d for pair i: the 2 is missing.

    Pair i has the exponent 2i / d: `np.arange(0, d, 2) / d`.
    """
    return turn(x, angles(x, positions, pairs(x) / 2))


@mistake("multiplied by the wavelength")
def growing(x, positions):
    """You multiplied by 10000^(2i/d); divide by it.

    The hands slow down from pair to pair: the exponent is negative.
    """
    return turn(x, angles(x, positions, -pairs(x)))


@mistake("sinusoids added")
def added(x, positions):
    """You added the sinusoidal table to x.

    Rotary positions turn each pair instead: lengths stay as they are.
    """
    return x + attnlib.sinusoidal_positions(int(positions.max()) + 1, x.shape[-1])[positions]


@mistake("halves not interleaved again")
def apart(x, positions):
    """You turned the right pairs, but put all first features in front and all second ones behind.

    Put them back where they came from: into `[:, 0::2]` and `[:, 1::2]` of a new array.
    """
    y = attnlib.rotate(x, positions)
    return np.concatenate([y[:, 0::2], y[:, 1::2]], axis=1)


@mistake("a feature overwritten too early")
def overwritten(x, positions):
    """You overwrote the even features and then used the new ones for the odd ones.

    Keep the old ones: `even, odd = x[:, 0::2], x[:, 1::2]`, and write into a new array.
    """
    cos, sin = np.cos(angles(x, positions)), np.sin(angles(x, positions))
    y = x.copy()
    y[:, 0::2] = y[:, 0::2] * cos - y[:, 1::2] * sin
    y[:, 1::2] = y[:, 0::2] * sin + y[:, 1::2] * cos
    return y


@mistake("input changed in place")
def in_place(x, positions):
    """Your rotation is right, but it wrote into the caller's `x`.

    Start from a new array: `out = np.empty_like(x)`, or `x.copy()`.
    """
    x[:] = attnlib.rotate(x, positions)
    return x


@mistake("cosine and sine swapped")
def swapped(x, positions):
    """You swapped cosine and sine.

    The pair (a, b) becomes (a cos - b sin, a sin + b cos): at position 0 nothing moves.
    """
    return turn(x, np.pi / 2 - angles(x, positions))


@mistake("second half of the pair lost")
def one_sided(x, positions):
    """You multiplied each feature by its cosine alone: the other feature of the pair is missing.

    The pair (a, b) becomes (a cos - b sin, a sin + b cos).
    """
    return x * np.repeat(np.cos(angles(x, positions)), 2, axis=1)


def distance_alone(answer, x, positions):
    """Dot products of turned rows stay when all positions move on."""
    here, there = answer(x, positions), answer(x, positions + 7)
    return close(here @ here.T, there @ there.T)


EXERCISE = Exercise(
    solution=rotate,
    answer=answer,
    cases=cases,
    promises=promised,
    facts=(
        Fact("position 0 turns nothing", lambda f, x, p: close(f(x, 0 * p), x)),
        Fact("lengths stay as they are", lambda f, x, p: close(
            np.linalg.norm(f(x, p), axis=-1), np.linalg.norm(x, axis=-1))),
        Fact("dot products depend on the distance alone", distance_alone),
        Fact("turning twice is turning by the sum", lambda f, x, p: close(
            f(f(x, p), p), f(x, 2 * p))),
    ),
    mistakes=(
        backwards, half, ignored, from_one, same, slow, growing, added, apart, overwritten,
        in_place, swapped, one_sided,
    ),
    hints=(
        "Take each pair of neighbours (a, b) as a point in the plane and turn it by an angle.",
        "The angle of pair i is position * 10000^(-2i/d), and (a, b) becomes "
        "(a cos - b sin, a sin + b cos). `x[:, 0::2]` holds every a, `x[:, 1::2]` every b.",
    ),
)  # fmt: skip
