"""A table of sinusoids continued by turning: each row from the one before, without a sine."""

import math

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Edge, Exercise, Fact, Promise, close, mistake, wrongly_set

COUNTS = Promise(
    "any number of rows is right, 0 and 1 among them",
    "The first row is `row` itself, and `n_positions` counts it. For 0 the answer has no rows, and "
    "still d columns.",
)
SPEEDS = Promise(
    "hands of any speed are right, also those that stand still or turn back",
    "A hand may turn by any angle in a step: by none, by half a turn, or the other way round. Take "
    "sine and cosine from `step` as they are, signs included.",
)
LONG = Promise(
    "a thousand rows further the hands still stand right",
    "Every row is made from the one before, so what you round or cut off on the way adds up. Keep "
    "all digits.",
)
WHOLE = Promise(
    "arrays of whole numbers are right",
    "If the row holds whole numbers, so do its copies and `np.zeros_like(row)`, and decimals have "
    "no room there. Begin with `row.astype(float)`, and make the table with `np.zeros`.",
)
WIDTHS = Promise(
    "any even width is right, and any number of rows beside it",
    "Each pair of features has a step of its own, and d may be 2, or equal to the number of rows.",
)

# Pairs (sine, cosine) of length 1 that four digits write without rounding.
EXACT = ((0.6, 0.8), (0.28, 0.96), (0.8, 0.6), (0.352, 0.936), (0.8432, 0.5376), (0.96, -0.28))

OF_ANGLES = ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "angle")
OF_ANGLES += ("asin", "acos", "atan", "atan2")


def answer(row, step, n_positions):
    """Give what is right, by which answers are judged: from the angles."""
    table = np.zeros((n_positions, len(row)))
    for i in range(0, len(row), 2):
        start, turn = (math.atan2(float(x[i]), float(x[i + 1])) for x in (row, step))
        for t in range(n_positions):
            angle = start + t * turn
            table[t, i : i + 2] = [round(f(angle), 12) for f in (math.sin, math.cos)]
    return table


def hands(*chosen):
    """Give a row of hands; each is the number of an exact pair, negative ones mirrored."""
    pairs = [np.array(EXACT[abs(k)]) * (-1 if k < 0 else 1, 1) for k in chosen]
    return np.concatenate(pairs)


def at(places, speeds):
    """Give hands that have turned by places times speeds."""
    angles = places * np.asarray(speeds)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(-1)


def cases():
    """Give one hand to turn by hand, then two that start somewhere."""
    one = np.array([0.0, 1.0]), np.array([0.6, 0.8])
    yield Case("the example done by hand", (*one, 3))
    yield Case("two hands, from a place on the way", (hands(3, -1), hands(0, 1), 5))
    yield Case("one row", (hands(1, 2), hands(0, 3), 1))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(74)
    paper = 10_000.0 ** (-np.arange(0, 8, 2) / 8)

    def other():
        pick = rng.integers(-5, 6, (2, 3))
        return hands(*pick[0]), hands(*pick[1]), 5

    return {
        COUNTS: [(hands(1, 3), hands(2, 0), n) for n in (0, 1, 2, 3, 17)]
        + [(hands(2), hands(1), n) for n in (0, 1, 2)],
        SPEEDS: [
            (hands(1, 4), np.array([0.0, 1.0, 0.0, -1.0]), 7),
            (hands(3, 1, 2), np.array([1.0, 0.0, -1.0, 0.0, 0.6, -0.8]), 7),
            (hands(0, 1), hands(-1, -3), 11),
            (hands(0, 2), np.array([-0.6, -0.8, 0.02, 0.9998]), 11),
            (np.array([0.0, -1.0, -1.0, 0.0]), hands(5, -5), 7),
        ],
        LONG: [
            (at(1000, paper), at(1, paper), 2000),
            (at(0, (3.0, 0.001)), at(1, (3.0, 0.001)), 5000),
            (at(7, (-1.0, 0.3)), at(1, (-1.0, 0.3)), 1009),
        ],
        WHOLE: [
            (np.array([0, 1, 0, 1]), hands(0, 1), 5),
            (np.array([0, 1, 1, 0]), np.array([1, 0, 0, -1]), 7),
            (hands(1, 3), np.array([-1, 0, 0, 1]), 5),
        ],
        WIDTHS: [
            (hands(1), hands(3), 2),
            (hands(4, 1, 3), hands(2, 0, -1), 6),
            (hands(0, 1, 2, 3, 4), hands(4, -3, 2, 1, 0), 3),
            (hands(1, 2), hands(3, 0), 4),
            (hands(2, 2), hands(1, 1), 3),
        ],
        promises.SAME_SHAPES: promises.again(other),
    }


def draw(rng):
    """Give a random row and a random step."""
    start, turn = rng.uniform(-4, 4, (2, rng.integers(1, 6)))
    return at(1, start), at(1, turn), int(rng.integers(0, 40))


def interleaved(sine, cosine):
    """Give pairs of neighbours."""
    return np.stack([sine, cosine], axis=-1).reshape(-1)


def rotated(row, step):
    """Turn each hand of a row by that of a step."""
    (s, c), (sine, cosine) = ((x[0::2], x[1::2]) for x in (row, step))
    return interleaved(s * cosine + c * sine, c * cosine - s * sine)


def turned(row, step, n_positions, *, go_on=rotated):
    """Answer row by row, each made of the one before in a way that can be set wrong."""
    table = np.zeros((n_positions, len(row)))
    for t in range(n_positions):
        table[t] = row
        row = go_on(np.array(row, dtype=float), step)
    return table


backwards = wrongly_set(
    turned,
    "the wrong way round",
    "Your hands turn the wrong way round.",
    "sin(α + θ) = sin α cos θ + cos α sin θ, and cos(α + θ) = cos α cos θ - sin α sin θ. Look at "
    "your signs.",
    go_on=lambda row, step: rotated(row, step * np.resize([-1, 1], len(step))),
)


@mistake("begins one step late")
def late(row, step, n_positions):
    """Your table begins one step after `row`.

    The first row is `row` itself. Write it down before you turn it.
    """
    return answer(rotated(row, step), step, n_positions)


@mistake("begins at position 0")
def from_zero(row, step, n_positions):
    """Your table begins at place 0, whatever `row` is.

    Begin with `row`. It may belong to any place.
    """
    return answer(np.resize([0.0, 1.0], len(row)), step, n_positions)


@mistake("the new sine used too early")
def overwritten(row, step, n_positions):
    """You made the new cosine with the new sine, where it needs the old one.

    Take sines and cosines of the old row before you write anything over them.
    """

    def go_on(r, s):
        r[0::2] = r[0::2] * s[1::2] + r[1::2] * s[0::2]
        r[1::2] = r[1::2] * s[1::2] - r[0::2] * s[0::2]
        return r

    return turned(row, step, n_positions, go_on=go_on)


@mistake("features half the width apart")
def halves(row, step, n_positions):
    """You paired each feature of the first half with one of the second.

    Neighbours are a pair: feature 2i is a sine, and 2i + 1 its cosine.
    """
    order = np.arange(len(row)).reshape(2, -1).T.ravel()
    back = np.argsort(order)
    return turned(row, step, n_positions, go_on=lambda r, s: rotated(r[order], s[order])[back])


@mistake("sine and cosine swapped")
def cosine_first(row, step, n_positions):
    """You took the first feature of a pair for the cosine.

    A hand's tip is (sin, cos), in this order: feature 2i is the sine.
    """
    flip = np.arange(len(row)) ^ 1
    return turned(row, step, n_positions, go_on=lambda r, s: rotated(r[flip], s[flip])[flip])


products = wrongly_set(
    turned,
    "rows multiplied number by number",
    "You multiplied feature by feature.",
    "To turn a hand, both of its features are needed for each of the new ones: the addition "
    "formulas of sine and cosine.",
    go_on=np.multiply,
)

sums = wrongly_set(
    turned,
    "the step added",
    "You added the step to the row.",
    "Angles are added, and their sines are not. Use the addition formulas.",
    go_on=np.add,
)


@mistake("the cosine's sign")
def plus(row, step, n_positions):
    """You added in the cosine, where its second product has to be subtracted.

    cos(α + θ) = cos α cos θ - sin α sin θ: products of sines come with a minus.
    """

    def go_on(r, s):
        sine = r[0::2] * s[1::2] + r[1::2] * s[0::2]
        return interleaved(sine, r[1::2] * s[1::2] + r[0::2] * s[0::2])

    return turned(row, step, n_positions, go_on=go_on)


@mistake("sines first, then cosines")
def side_by_side(row, step, n_positions):
    """You put all new sines first and all new cosines behind them.

    Sine and cosine of a hand are neighbours: `np.stack([...], axis=-1)`, then a reshape.
    """

    def go_on(r, s):
        new = rotated(r, s)
        return np.concatenate([new[0::2], new[1::2]])

    return turned(row, step, n_positions, go_on=go_on)


@mistake("the step's cosine first")
def step_swapped(row, step, n_positions):
    """You took the first number of each pair of `step` for the cosine.

    The sine comes first: `step[0::2]` are the sines, `step[1::2]` the cosines.
    """
    return answer(row, step[np.arange(len(step)) ^ 1], n_positions)


@mistake("read in pairs, and written the other way round")
def written_swapped(row, step, n_positions):
    """You wrote each new cosine where the sine belongs, and the sine where the cosine does.

    A hand's tip is (sin, cos), in this order: feature 2i is the sine.
    """
    flip = np.arange(len(row)) ^ 1
    return turned(row, step, n_positions, go_on=lambda r, s: rotated(r, s)[flip])


@mistake("the last row missing")
def last_missing(row, step, n_positions):
    """You left the last row of the table at 0.

    There are n_positions rows, `row` among them: `range(n_positions)`.
    """
    table = answer(row, step, n_positions)
    table[-1:] = 0
    return table


@mistake("a row of zeros first")
def zeros_first(row, step, n_positions):
    """You left the first row of the table at 0, and `row` stands in the second.

    Rows are counted from 0: row 0 is `row` itself.
    """
    return np.concatenate([np.zeros((1, len(row))), answer(row, step, n_positions)])[:n_positions]


@mistake("the same row again and again")
def the_same(row, step, n_positions):
    """You wrote the same row into the whole table.

    Turn the row in each round of the loop, and keep what comes of it for the next.
    """
    return turned(row, step, n_positions, go_on=lambda r, s: r)


@mistake("decimals cut off on the way")
def three_decimals(row, step, n_positions):
    """You rounded each row to three decimals, and the next one is made of it.

    What is lost in one row is lost in all that follow. Keep all digits.
    """
    return turned(row, step, n_positions, go_on=lambda r, s: rotated(r, s).round(3))


@mistake("four decimals")
def four_decimals(row, step, n_positions):
    """You rounded each row to four decimals, and the next one is made of it.

    What is lost in one row is lost in all that follow. Keep all digits.
    """
    return turned(row, step, n_positions, go_on=lambda r, s: rotated(r, s).round(4))


@mistake("the sign of the cosine lost")
def unsigned(row, step, n_positions):
    """You made the cosine of the sine, and it lost its sign.

    √(1 - sin²) is never negative, and a hand may point down. Take the cosine from the addition
    formulas, too.
    """

    def go_on(r, s):
        sine = rotated(r, s)[0::2]
        return interleaved(sine, np.sqrt(np.maximum(1 - sine**2, 0)))

    return turned(row, step, n_positions, go_on=go_on)


@mistake("whole numbers changed in place")
def in_place(row, step, n_positions):
    """You change copies of `row` in place, and where it holds whole numbers, so do they.

    Begin with floats, `row.astype(float)`, or make new arrays: `s = s * ...` and not `s *= ...`.
    """
    s, c = row[0::2].copy(), row[1::2].copy()
    table = np.zeros((n_positions, len(row)))
    for t in range(n_positions):
        table[t, 0::2], table[t, 1::2] = s, c
        old = s.copy()
        s *= step[1::2]
        s += c * step[0::2]
        c *= step[1::2]
        c -= old * step[0::2]
    return table


@mistake("one step, then no more")
def once(row, step, n_positions):
    """You turned `row` by one step for every further row, and not each row by one more.

    Row t is made of row t - 1.
    """
    return turned(row, step, n_positions, go_on=lambda r, s: rotated(np.asarray(row, float), s))


@mistake("the first hand's step for all")
def first_step(row, step, n_positions):
    """You turned all hands by the first one's step.

    Each hand has a step of its own: `step[0::2]` are all the sines, `step[1::2]` all the cosines.
    """
    return answer(row, np.resize(step[:2], len(step)), n_positions)


@mistake("whole numbers")
def truncated(row, step, n_positions):
    """Your table holds whole numbers where `row` does, and cuts the decimals off.

    `np.zeros_like(row)` and `np.full_like` keep the row's kind of numbers. `np.zeros(shape)` holds
    floats.
    """
    return answer(row, step, n_positions).astype(row.dtype)


def without_angles(f, row, step, n_positions):
    """Do without sine, cosine and their inverses: they are taken away for a while."""

    def taken(*_, **__):
        raise NotImplementedError

    names = [(module, name) for module in (np, math) for name in OF_ANGLES if hasattr(module, name)]
    kept = [getattr(module, name) for module, name in names]
    try:
        for module, name in names:
            setattr(module, name, taken)
        f(row, step, n_positions)
    finally:
        for (module, name), function in zip(names, kept, strict=True):
            setattr(module, name, function)
    return True


def unit(f, row, step, n_positions):
    """Hands keep their length."""
    table = f(row, step, n_positions)
    return close(table[:, 0::2] ** 2 + table[:, 1::2] ** 2, 1.0)


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("every hand keeps its length", unit),
        Fact(
            "no function of angles is called",
            without_angles,
            "The addition formulas need products and sums of the sines and cosines that came in.",
        ),
    ),
    edges=(Edge("no rows are asked for", lambda row, step, n_positions: n_positions == 0),),
)  # fmt: skip
