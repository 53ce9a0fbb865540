"""Rotary positions."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises.sinusoidal_positions import FAR
from attnlib.checks.shapes import Shapes

BETWEEN = Promise(
    "positions between whole numbers are right",
    "A position is a number like any other: 2.5 turns by an angle halfway between those of 2 and "
    "3. Compute the angle from it, and do not look it up in a table.",
)
ANY_ORDER = Promise(
    "positions in any order are right",
    "Positions may fall, repeat or leave gaps. Each row turns by its own position, whatever the "
    "rows around it have.",
)

SHAPES = Shapes("(n, 2*pairs), (n) -> (n, 2*pairs)")


def rotate(x, positions):
    """Each pair of neighbouring features is turned by an angle that grows with the position.

    When query and key are both turned, only the difference of their angles is left in their dot
    product, so it stays as it is when both move on together.
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
    given = SHAPES.given(rng, lambda x, p: (x, rng.permutation(3 * len(p))[: len(p)] / 1.0))
    return promises.of_shapes(SHAPES, given) | {
        BETWEEN: [
            (rng.normal(size=(5, 6)), np.array([0.5, 0.25, 3.75, 2.5, 0.125])),
            (rng.normal(size=(3, 10)), 20 * rng.random(3)),
            (rng.normal(size=(3, 4)), np.array([9999.75, 4999.5, 0.5])),
        ],
        ANY_ORDER: [
            (rng.normal(size=(5, 6)), np.array(positions))
            for positions in ([4, 3, 2, 1, 0], [7, 7, 0, 7, 0], [0, 0, 0, 0, 0], [300, 2, 41, 0, 9])
        ],
        FAR: [
            (rng.normal(size=(5, 4)), np.array([10_000, 0, 4999, 9998, 3])),
            (rng.normal(size=(3, 2)), np.array([9998, 10_000, 9999])),
        ],
        promises.POSITIONS.beyond: [(rng.normal(size=(3, 4)), np.array([20_000, 0, 12_345.5]))],
    }


def turn(x, angle):
    """Rotate each pair of neighbours by its angle."""
    even, odd = x[:, 0::2], x[:, 1::2]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


def angles(x, positions, power=-1):
    """Give an angle for each pair of features: position times 10000 to 2i / d, to some power."""
    d = x.shape[-1]
    return positions[:, None] * 10_000.0 ** (power * np.arange(0, d, 2) / d)


def parted(x):
    """Put the first feature of each pair in front, and the second behind."""
    return np.concatenate([x[:, 0::2], x[:, 1::2]], axis=1)


def combined(x, partner, angle):
    """Join each feature with a partner, by the cosine and the sine of its angle."""
    return x * np.cos(angle) + partner * np.sin(angle)


def next_to(x, *, sign=1):
    """Give each feature's neighbour, the other one of its pair, and the second with a sign."""
    return np.stack([sign * x[:, 1::2], x[:, 0::2]], axis=-1).reshape(x.shape)


def half_away(x):
    """Give the feature that is d/2 away, and with a minus in the first half."""
    first, second = np.split(x, 2, axis=1)
    return np.concatenate([-second, first], axis=1)


def turned(x, positions, *, start=0, power=-1, sign=1, turn=turn):
    """Rotate with knobs, each of which can be set wrong."""
    return turn(x, sign * angles(x, positions + start, power))


backwards = wrongly_set(
    turned,
    "turned the wrong way round",
    "You turned clockwise: the signs of the two sines are the other way round.",
    "The pair (a, b) becomes (a cos - b sin, a sin + b cos): at a quarter turn, (1, 0) arrives at "
    "(0, 1).",
    sign=-1,
)

half = wrongly_set(
    turned,
    "half layout",
    "You paired feature i with feature i + d/2, as some models do.",
    "Here neighbours are a pair: features 0 and 1, features 2 and 3, and so on. A slice with a "
    "step of 2 takes the first or the second of every pair.",
    turn=lambda x, angle: parted(
        turn(x.reshape(len(x), 2, -1).swapaxes(1, 2).reshape(x.shape), angle)
    ),
)


@mistake("positions ignored")
def ignored(x, positions):
    """You counted the rows 0, 1, 2, … yourself, and the positions that came in are not used.

    A row's position may be any number, so take it from `positions`.
    """
    return attnlib.rotate(x, np.arange(len(x)))


@mistake("positions left as a row")
def flat(x, positions):
    """You divided two rows entry by entry, but every position has to meet every pair.

    Stand the positions up as a column: `None` in an index makes a new axis. Divided by a row, a
    column gives an angle for each row and each pair.
    """
    return positions / 10_000 ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])


@mistake("positions left as a row, and multiplied")
def flat_times(x, positions):
    """You multiplied two rows entry by entry, but every position has to meet every pair.

    Stand the positions up as a column: `None` in an index makes a new axis. A column times a row is
    a table.
    """
    return positions * 10_000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])


@mistake("positions sorted")
def in_order(x, positions):
    """You sorted the positions, so that rows no longer have their own.

    Each row turns by the position that stands beside it, in whatever order they come.
    """
    return attnlib.rotate(x, np.sort(positions))


from_one = wrongly_set(
    turned,
    "positions from 1",
    "You added 1 to the positions.",
    "At position 0 nothing turns: use the positions as they are.",
    start=1,
)

same = wrongly_set(
    turned,
    "one angle for all pairs",
    "You turned every pair by the same angle.",
    "Each pair has a speed of its own. The first turns by one radian per position and the later "
    "ones more and more slowly, pair i by 10000^(-2i/d).",
    power=0,
)

slow = wrongly_set(
    turned,
    "exponent i / d",
    "You used the exponent i / d for pair i, so the 2 is missing.",
    "Pair i has the exponent 2i / d: these are the numbers 0, 2, 4, … divided by d.",
    power=-0.5,
)

growing = wrongly_set(
    turned,
    "multiplied by the wavelength",
    "You multiplied by 10000^(2i/d), but the position has to be divided by it.",
    "The pairs turn more slowly one after the other, and yours turn faster and faster.",
    power=1,
)


@mistake("sinusoids added")
def added(x, positions):
    """You added the sinusoidal table to x.

    Rotary positions add nothing. They turn each pair of features, so that its length stays as it
    is.
    """
    return x + attnlib.sinusoidal_positions(int(positions.max()) + 1, x.shape[-1])[positions]


fast = wrongly_set(
    turned,
    "exponent 4i / d",
    "You used the exponent 4i / d for pair i, which is twice as large as it should be.",
    "Counted in steps of two, 0, 2, 4, …, a number is 2i already. Divide it by d, the width of x.",
    power=-2,
)

degrees = wrongly_set(
    turned,
    "angles taken for degrees",
    "You took the angles for degrees.",
    "The position divided by 10000^(2i/d) is an angle in radians, and NumPy's sine and cosine take "
    "radians.",
    turn=lambda x, angle: turn(x, np.deg2rad(angle)),
)

two_sums = wrongly_set(
    turned,
    "no minus",
    "Both numbers of a turned pair are sums in your answer, and one of the two is a difference.",
    "The pair (a, b) becomes (a cos - b sin, a sin + b cos): at a quarter turn, (0, 1) arrives at "
    "(-1, 0).",
    turn=lambda x, angle: combined(x, next_to(x), np.repeat(angle, 2, axis=1)),
)

halves_in_pairs = wrongly_set(
    turned,
    "halves turned, and then interleaved",
    "You paired feature i with feature i + d/2, and put the two side by side afterwards.",
    "Here neighbours are a pair, before and after: features 0 and 1, features 2 and 3, and so on. "
    "A slice with a step of 2 takes the first or the second of every pair.",
    turn=lambda x, angle: turn(x.reshape(len(x), 2, -1).swapaxes(1, 2).reshape(x.shape), angle),
)

neighbours_angles = wrongly_set(
    turned,
    "partners by halves, angles by neighbours",
    "You mixed two layouts: your partners are i and i + d/2, and your angles those of neighbours.",
    "Here neighbours are a pair: features 0 and 1 share an angle and turn with each other, and so "
    "do features 2 and 3.",
    turn=lambda x, angle: combined(x, half_away(x), np.repeat(angle, 2, axis=1)),
)

halves_angles = wrongly_set(
    turned,
    "partners by neighbours, angles by halves",
    "You mixed two layouts: your partners are neighbours, and your angles those of i and i + d/2.",
    "Here neighbours share an angle: each angle is used for two features in a row, as `np.repeat` "
    "does it, and not for one in each half.",
    turn=lambda x, angle: combined(x, next_to(x, sign=-1), np.tile(angle, 2)),
)

apart = wrongly_set(
    turned,
    "halves not interleaved again",
    "You turned the right pairs, but all first features now stand in front and all second behind.",
    "Put each number back where it came from: the first of every pair at the even features, the "
    "second at the odd ones.",
    turn=lambda x, angle: parted(turn(x, angle)),
)


@mistake("a feature overwritten too early")
def overwritten(x, positions):
    """You overwrote the even features and then used the new ones for the odd ones.

    Both numbers of a turned pair are made of both old ones. Keep those under names of their own, or
    write the new ones into a new array.
    """
    cos, sin = np.cos(angles(x, positions)), np.sin(angles(x, positions))
    y = x.copy()
    y[:, 0::2] = y[:, 0::2] * cos - y[:, 1::2] * sin
    y[:, 1::2] = y[:, 0::2] * sin + y[:, 1::2] * cos
    return y


@mistake("a feature of the input overwritten too early")
def overwritten_in_place(x, positions):
    """You wrote into `x` itself, and made the odd features from even ones that were new already.

    `out = x` gives the same array a second name, and a slice of it still looks
    into it. Write into a new array of its own.
    """
    x[:] = overwritten.function(x, positions)
    return x


@mistake("input changed in place")
def in_place(x, positions):
    """Your rotation is right, but it wrote into the caller's `x`.

    Whoever called may still need x as it was. Start from a new array, and write into that.
    """
    x[:] = attnlib.rotate(x, positions)
    return x


@mistake("cosine and sine swapped")
def swapped(x, positions):
    """You swapped cosine and sine.

    The pair (a, b) becomes (a cos - b sin, a sin + b cos). At position 0 the cosine is 1 and the
    sine is 0, so nothing moves.
    """
    return turn(x, np.pi / 2 - angles(x, positions))


@mistake("second half of the pair lost")
def one_sided(x, positions):
    """You multiplied each feature by its cosine alone, without the other feature of its pair.

    To turn a point, each new coordinate needs both old ones: (a, b) becomes (a cos - b sin, a sin +
    b cos).
    """
    return x * np.repeat(np.cos(angles(x, positions)), 2, axis=1)


def moved_on(answer, x, positions):
    """Compare the dot products of turned rows here and seven positions further."""
    here, there = answer(x, positions), answer(x, positions + 7)
    return close(here @ here.T, there @ there.T)


EXERCISE = Exercise(
    solution=rotate,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.POSITIONS.of("positions"),),
    facts=(
        Fact("position 0 turns nothing", lambda f, x, p: close(f(x, 0 * p), x)),
        Fact("lengths stay as they are", lambda f, x, p: close(
            np.linalg.norm(f(x, p), axis=-1), np.linalg.norm(x, axis=-1))),
        Fact("dot products stay when all positions move on", moved_on),
        Fact("turning twice is turning by the sum", lambda f, x, p: close(
            f(f(x, p), p), f(x, 2 * p))),
    ),
    hints=(
        "Take each pair of neighbours (a, b) as a point in the plane and turn it by an angle. What "
        "the angle is depends on the row's position and on the number of the pair.",
        "The angle of pair i is position * 10000^(-2i/d), and (a, b) becomes (a cos - b sin, a sin "
        "+ b cos). `x[:, 0::2]` holds every a; find every b likewise, and put the turned numbers "
        "where they came from, in `np.zeros(x.shape)`, not in x itself.",
    ),
)  # fmt: skip
