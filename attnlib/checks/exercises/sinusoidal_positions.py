"""Positions as clock hands."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

FAR = Promise(
    "positions far from 0 are right",
    "The hands go on turning, however far the position is: nothing is cut off, and nothing begins "
    "again.",
)

SHAPES = Shapes("n_positions, 2*pairs -> (n_positions, 2*pairs)")


def sinusoidal_positions(n_positions, d_model):
    """Each pair of features is a clock hand: sine at the even feature, cosine at the odd one.

    Hand i turns by 10000^(-2i/d_model) radians with every position, so the first hand is the
    fastest and the last the slowest.
    """
    position = np.arange(n_positions)[:, None]
    angle = position / 10_000 ** (np.arange(0, d_model, 2) / d_model)  # a row per position
    table = np.zeros((n_positions, d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


def answer(n_positions, d_model):
    """Give what is right, by which answers are judged."""
    return attnlib.sinusoidal_positions(n_positions, d_model)


def cases():
    """Two positions by hand; even widths; many positions."""
    yield Case("the first two positions are right", (2, 6))
    yield Case("wider tables are right", (5, 14))
    yield Case("tables wider than long are right", (3, 22))
    yield Case("far positions are right", (101, 10))


def promised():
    """Give the inputs that hold an answer to each promise."""
    return promises.of_shapes(SHAPES, SHAPES.given(None)) | {
        FAR: [(301, 6), (10_001, 2)],
        promises.POSITIONS.beyond: [(20_001, 2)],
    }


def angles(n_positions, exponents):
    """Give position times 10000 to the minus exponents."""
    return np.arange(n_positions)[:, None] * 10_000.0**-exponents


def interleave(even, odd):
    """Put two tables side by side, column by column."""
    return np.stack([even, odd], axis=-1).reshape(len(even), -1)


def pairs(d_model):
    """Give 2i / d_model for each pair of features."""
    return np.arange(0, d_model, 2) / d_model


def hand(turn):
    """Give the sine and the cosine of angles."""
    return np.sin(turn), np.cos(turn)


def turned(n_positions, d_model, *, first=0, exponents=pairs, shown=hand, layout=interleave):
    """Answer with knobs, each of which can be set wrong."""
    turn = angles(n_positions + first, exponents(d_model))[first:]
    return layout(*shown(turn))


@mistake("the position's parity")
def by_position(n_positions, d_model):
    """You gave even positions the sine and odd positions the cosine.

    It is the features that alternate: in every row, columns 0, 2, 4, … are sines and columns 1, 3,
    5, … cosines.
    """
    turn = np.repeat(angles(n_positions, pairs(d_model)), 2, axis=1)
    return np.where(np.arange(n_positions)[:, None] % 2 == 0, *hand(turn))


concatenated = wrongly_set(
    turned,
    "concatenated",
    "You put all sines first and all cosines after them.",
    "Here they alternate, so that the two numbers of one hand are neighbours. A slice with a step "
    "of 2 reaches every other column.",
    layout=lambda even, odd: np.concatenate([even, odd], axis=1),
)

from_one = wrongly_set(
    turned,
    "positions from 1",
    "You counted positions from 1.",
    "Position 0 comes first. No hand has moved yet, so its row is 0, 1, 0, 1, …",
    first=1,
)

swapped = wrongly_set(
    turned,
    "sine and cosine swapped",
    "You swapped sine and cosine.",
    "Feature 0 is a sine: even columns are sines, odd ones cosines.",
    shown=lambda turn: (np.cos(turn), np.sin(turn)),
)


@mistake("a frequency for every feature")
def unpaired(n_positions, d_model):
    """You gave every feature a speed of its own, but the two features of a pair share one.

    A pair is one hand, and a hand has one speed; its sine and its cosine together say where it
    points. Make d_model / 2 angles for each position and use each of them twice.
    """
    turn = angles(n_positions, np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2 == 0, *hand(turn))


@mistake("exponent 2i / d_model with the feature's number")
def doubled(n_positions, d_model):
    """You took i for the number of the feature, but in 2i / d_model it numbers the pairs.

    Features 2i and 2i + 1 share the exponent 2i / d_model. From feature to feature, the number on
    top of it goes 0, 0, 2, 2, 4, 4, …
    """
    turn = angles(n_positions, 2 * np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2 == 0, *hand(turn))


slow = wrongly_set(
    turned,
    "exponent i / d_model",
    "You used the exponent i / d_model for pair i, so the 2 is missing.",
    "The exponent of pair i is 2i / d_model. It comes near 1 at the last pair, and yours ends "
    "near a half.",
    exponents=lambda d_model: pairs(d_model) / 2,
)

fast = wrongly_set(
    turned,
    "exponent 4i / d_model",
    "You used the exponent 4i / d_model for pair i, which is twice as large as it should be.",
    "Counted in steps of two, 0, 2, 4, …, a number is 2i already. Divide it by d_model as it is.",
    exponents=lambda d_model: 2 * pairs(d_model),
)

growing = wrongly_set(
    turned,
    "multiplied by the wavelength",
    "You multiplied by 10000^(2i/d_model), but the position has to be divided by it.",
    "The hands slow down from pair to pair, and yours turn faster and faster.",
    exponents=lambda d_model: -pairs(d_model),
)

same = wrongly_set(
    turned,
    "one frequency",
    "All your hands turn at the same speed.",
    "What the position is divided by has to change from pair to pair: 10000^(2i/d_model), with i "
    "= 0, 1, 2, …",
    exponents=lambda d_model: 0 * pairs(d_model),
)

other_table = wrongly_set(
    turned,
    "half - 1 in the exponent",
    "Your exponents go up to 1 inclusive, as they do in another common table.",
    "That table divides by one less than the number of pairs. Here the exponent of pair i is 2i / "
    "d_model, and even the last one stays below 1.",
    exponents=lambda d_model: np.arange(d_model // 2) / (d_model // 2 - 1),
)


@mistake("positions left as a row")
def flat(n_positions, d_model):
    """You divided two rows entry by entry, but every position has to meet every pair.

    Stand the positions up as a column: `None` in an index makes a new axis. Divided by a row, a
    column gives a table.
    """
    return np.sin(np.arange(n_positions) / 10_000 ** pairs(d_model))


@mistake("positions left as a row, and multiplied")
def flat_times(n_positions, d_model):
    """You multiplied two rows entry by entry, but every position has to meet every pair.

    Stand the positions up as a column: `None` in an index makes a new axis. A column times a row is
    a table.
    """
    return np.sin(np.arange(n_positions) * 10_000.0 ** -pairs(d_model))


@mistake("table transposed")
def sideways(n_positions, d_model):
    """Your table is transposed, but each position should be a row.

    Return (n_positions, d_model).
    """
    return attnlib.sinusoidal_positions(n_positions, d_model).T


sines = wrongly_set(
    turned,
    "sines only",
    "You used sines in every column.",
    "Odd columns are cosines. A sine alone cannot say where a hand points, because it takes each "
    "of its values twice in a turn.",
    shown=lambda turn: (np.sin(turn), np.sin(turn)),
)

no_cosines = wrongly_set(
    turned,
    "cosines missing",
    "Your odd columns are still 0: the cosines are missing.",
    "A slice with a step of 2 that begins at 1 reaches columns 1, 3, 5, …",
    shown=lambda turn: (np.sin(turn), 0 * turn),
)

degrees = wrongly_set(
    turned,
    "angles taken for degrees",
    "You took the angles for degrees.",
    "The position divided by 10000^(2i/d_model) is an angle in radians, and NumPy's sine and "
    "cosine take radians.",
    shown=lambda turn: hand(np.deg2rad(turn)),
)

one_pair_on = wrongly_set(
    turned,
    "pairs counted from 1",
    "You counted the pairs from 1, so each hand has the speed of the next.",
    "The exponent of pair i is 2i / d_model, with i = 0, 1, 2, …: the first hand turns by one "
    "radian from position to position.",
    exponents=lambda d_model: pairs(d_model) + 2 / d_model,
)

backwards = wrongly_set(
    turned,
    "hands in reverse order",
    "Your slowest hand comes first.",
    "The first pair turns by one radian from position to position, and the later ones more and "
    "more slowly.",
    exponents=lambda d_model: pairs(d_model)[::-1],
)

reread = wrongly_set(
    turned,
    "sines and cosines joined by reshape",
    "You put all the sines in front of all the cosines, and reshaped that.",
    "A reshape keeps the numbers in their order, so the first rows hold sines alone. In every row, "
    "columns 0, 2, 4, … are sines and columns 1, 3, 5, … cosines.",
    layout=lambda even, odd: np.stack([even, odd]).reshape(len(even), -1),
)


no_turn = wrongly_set(
    turned,
    "no hand turns",
    "In your table no hand turns: every row is 0, 1, 0, 1, … or nearly so.",
    "Look at the angles. A power comes before a product and a quotient, so a whole exponent, as 2i "
    "/ d_model, has to stand in brackets.",
    shown=lambda turn: hand(1e-8 * turn),
)

turns = wrongly_set(
    turned,
    "turns instead of radians",
    "You multiplied the angles by 2π.",
    "The position divided by 10000^(2i/d_model) is an angle in radians already, so 2π has no "
    "place here.",
    shown=lambda turn: hand(2 * np.pi * turn),
)


def one_rotation(answer, n_positions, d_model):
    """Compare the steps of each hand, as rotations: all are the same."""
    table = answer(n_positions + 2, d_model)
    hands = table[:, 1::2] + 1j * table[:, 0::2]
    steps = hands[1:] * hands[:-1].conj()
    return (
        bool(hands.any(axis=-1).all())
        and close(steps.real, steps.real[:1])
        and close(steps.imag, steps.imag[:1])
    )


EXERCISE = Exercise(
    solution=sinusoidal_positions,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.POSITIONS.of("n_positions"),),
    facts=(
        Fact("position 0 is 0, 1, 0, 1, …", lambda f, n, d: close(f(n, d)[0], [0, 1] * (d // 2))),
        Fact("each pair lies on the unit circle", lambda f, n, d: close(
            f(n, d)[:, 0::2] ** 2 + f(n, d)[:, 1::2] ** 2, 1)),
        Fact("the first hand turns by 1 radian per position", lambda f, n, d: close(
            f(n, d)[:, 0], np.sin(np.arange(n)))),
        Fact("every hand turns at a steady speed", one_rotation),
    ),
    hints=(
        "Make a table of angles first, with a row for each position and a column for each pair of "
        "features. In the answer, their sines and cosines alternate.",
        "The angle of pair i is position / 10000^(2i/d_model): a column of positions, divided by a "
        "row of d_model / 2 numbers. Start the answer from zeros and fill its even and its odd "
        "columns one after the other; `[:, 0::2]` reaches the even ones.",
    ),
)  # fmt: skip
