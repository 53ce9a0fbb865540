"""Words that choose each other, when two sentences are aligned in both directions.

Och & Ney, "A systematic comparison of various statistical alignment models" (2003), Computational
Linguistics 29(1), intersect two alignments so: only links that both directions found are kept.
"""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

FIRST = Promise(
    "of equal weights the first counts",
    "Where a word gives its largest weight to several others, one of them is its best: the first. "
    "`argmax` decides so by itself; a comparison with the maximum keeps them all.",
)
NARROW = Promise(
    "the best counts, by however little it leads",
    "In a long sentence every weight is small and the best is ahead by a little only. Look for the "
    "largest itself: no threshold, and no rounding.",
)

SHAPES = Shapes("(n_target, n_source), (n_source, n_target) -> (n_target, n_source)")


def mutual_best(weights, weights_back):
    """Each direction first chooses by itself: one source word a row, one target word a row.

    The way back has its axes the other way round, so its table is transposed before the two are
    compared. What both have marked are the pairs of words that chose each other.
    """
    n_target, n_source = weights.shape
    forth = np.arange(n_source) == weights.argmax(axis=-1)[:, None]  # (n_target, n_source)
    back = np.arange(n_target) == weights_back.argmax(axis=-1)[:, None]  # (n_source, n_target)
    return forth & back.T  # (n_target, n_source)


def answer(weights, weights_back):
    """Give what is right, by which answers are judged."""
    best, back = list(map(np.argmax, weights)), list(map(np.argmax, weights_back))
    rows, columns = np.indices(weights.shape)
    return (np.take(best, rows) == columns) & (np.take(back, columns) == rows)


def cases():
    """Two words and three by hand, then five and three; then longer sentences, unequal or not."""
    rng = np.random.default_rng(17)
    weights = np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
    weights_back = np.array([[0.75, 0.25], [0.25, 0.75], [0.625, 0.375]])
    yield Case("the small example is right", (weights, weights_back))
    weights = np.array([[0.125, 0.75, 0.125], [0.5, 0.25, 0.25], [0.25, 0.5, 0.25],
                        [0.125, 0.125, 0.75], [0.125, 0.25, 0.625]])  # fmt: skip
    weights_back = np.array([[0.125, 0.5, 0.125, 0.125, 0.125], [0.375, 0.125, 0.25, 0.125, 0.125],
                             [0.125, 0.125, 0.125, 0.25, 0.375]])  # fmt: skip
    yield Case("two words that choose the same one are told apart", (weights, weights_back))
    yield Case("a longer source is right", both_ways(rng, 3, 7))
    yield Case("as many words on either side are right", both_ways(rng, 5, 5))
    yield Case("longer sentences are right", both_ways(rng, 13, 11))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(117)
    given = SHAPES.given(rng, lambda weights, _: both_ways(rng, *weights.shape))
    return promises.of_shapes(SHAPES, given) | {
        FIRST: [
            (np.full((3, 5), 0.2), np.full((5, 3), 1 / 3)),
            (np.full((4, 4), 0.25), np.full((4, 4), 0.25)),
            (np.eye(3), np.full((3, 3), 1 / 3)),
            (np.full((3, 3), 1 / 3), np.eye(3)[::-1]),
            *(tied(rng, n, m) for n, m in ((3, 5), (7, 4), (5, 5), (6, 11))),
        ],
        NARROW: [
            (np.array([[0.4999, 0.5001]]), np.ones((2, 1))),
            *(narrow(rng, *size) for size in ((5, 40), (40, 7), (30, 30), (140, 150))),
        ],
    }


def both_ways(rng, n_target, n_source):
    """Give weights there and back that agree in part: softmaxes of scores that are related."""
    scores = 2 * rng.normal(size=(n_target, n_source))
    other = scores.T + rng.normal(size=(n_source, n_target))
    return tuple(soft(s) for s in (scores, other))


def soft(scores):
    """Softmax along the last axis."""
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


def tied(rng, n_target, n_source):
    """Give weights of a few sizes only, so that many rows hold their largest more than once."""
    counts = (rng.integers(1, 4, size=size) for size in ((n_target, n_source),
                                                         (n_source, n_target)))  # fmt: skip
    return tuple(c / c.sum(axis=-1, keepdims=True) for c in counts)


def narrow(rng, n_target, n_source):
    """Give nearly equal weights, the best a little ahead; half of the choices are mutual."""
    there = rng.integers(n_source, size=n_target)
    back = rng.integers(n_target, size=n_source)
    back[there[::2]] = np.arange(n_target)[::2]
    tables = np.zeros((n_target, n_source)), np.zeros((n_source, n_target))
    for table, best in zip(tables, (there, back), strict=True):
        table[:] = 1 + 1e-5 * rng.integers(9, size=table.shape)
        table[np.arange(len(best)), best] = 1 + 1e-4
    return tuple(table / table.sum(axis=-1, keepdims=True) for table in tables)


def chosen(weights):
    """Mark where each row is largest, for the first time."""
    return np.arange(weights.shape[-1]) == weights.argmax(axis=-1)[:, None]


def turned(weights, weights_back, *, choose=chosen, join=np.logical_and, after=np.array):
    """Compare two choices, with knobs, each of which can be set wrong."""
    return after(join(choose(weights), choose(weights_back).T))


@mistake("the way back not transposed")
def not_turned(weights, weights_back):
    """You laid the two tables upon each other as they are, but their axes are not the same.

    In `weights_back` the rows are source words and the columns target words. Its choices have to be
    transposed before you compare them with the others.
    """
    return chosen(weights) & chosen(weights_back)


forth_alone = wrongly_set(
    turned,
    "one direction alone",
    "You marked every target word's best source word, whether or not it chose back.",
    "Do the same with `weights_back`, and keep only what both have marked.",
    join=lambda forth, back: forth,
)

back_alone = wrongly_set(
    turned,
    "the way back alone",
    "You marked every source word's best target word; the other direction is not used.",
    "Do the same with `weights`, and keep only what both have marked.",
    join=lambda forth, back: back,
)

either = wrongly_set(
    turned,
    "either direction",
    "You kept what one direction or the other has marked; they have to agree.",
    "A pair counts when both words chose each other: `&` in place of `|`.",
    join=np.logical_or,
)

disagreed = wrongly_set(
    turned,
    "only where they disagree",
    "You marked the pairs about which the two directions disagree.",
    "Wanted are those on which they agree to say yes: `&`.",
    join=np.logical_xor,
)

same = wrongly_set(
    turned,
    "agreement on no counted as well",
    "You marked every pair about which both directions say the same, even where both say no.",
    "A pair is marked when both say yes: join the two tables with `&`, not with `==`.",
    join=np.equal,
)

columns = wrongly_set(
    turned,
    "down the columns",
    "You looked for the largest weight of each column; the words that choose are the rows.",
    "The weights of a row belong together, because they are what one word has to give: look along "
    "the last axis.",
    choose=lambda weights: chosen(weights.T).T,
)


@mistake("both from weights")
def one_table(weights, weights_back):
    """You took both directions from `weights`: its rows for one, its columns for the other.

    What the source words choose is written in the rows of `weights_back`, and a column of
    `weights` is something else, because its numbers do not sum to 1.
    """
    return chosen(weights) & chosen(weights.T).T


@mistake("both from weights_back")
def other_table(weights, weights_back):
    """You took both directions from `weights_back`: its rows for one, its columns for the other.

    What the target words choose is written in the rows of `weights`.
    """
    return chosen(weights_back.T) & chosen(weights_back).T


@mistake("the two tables multiplied")
def product(weights, weights_back):
    """You multiplied the two tables and took the largest product of each row.

    That always finds a partner, and some words have none. Let each direction choose by itself
    first, and compare the choices afterwards.
    """
    return chosen(weights * weights_back.T)


@mistake("the two tables multiplied, and chosen from both ways")
def product_both_ways(weights, weights_back):
    """You multiplied the two tables before anyone had chosen.

    A large weight of one direction then decides for both. Let each direction choose by itself
    first, and compare the choices afterwards.
    """
    both = weights * weights_back.T
    return chosen(both) & chosen(both.T).T


@mistake("the two tables averaged")
def averaged(weights, weights_back):
    """You added the two tables, or took their mean, before anyone had chosen.

    A large weight of one direction then decides for both. Let each direction choose by itself
    first, and compare the choices afterwards.
    """
    both = weights + weights_back.T
    return chosen(both) & chosen(both.T).T


@mistake("weights_back down the columns")
def back_by_columns(weights, weights_back):
    """You looked for the largest weight of each column of weights_back; its rows are what chooses.

    The weights of a row belong together, because they are what one word has to give: look along
    the last axis, in both tables.
    """
    return chosen(weights) & chosen(weights_back.T)


@mistake("a word taken by the first that asks")
def crossed_out(weights, weights_back):
    """You took each source word away from the target words that come after the first to choose it.

    A target word's best stays its best, whoever else has chosen it. Who gets it is decided by the
    other direction alone.
    """
    left, table = weights.astype(float), np.zeros(weights.shape, bool)
    for i, row in enumerate(left):
        j = row.argmax()
        table[i, j] = weights_back[j].argmax() == i
        left[:, j] = -1
    return table


ties = wrongly_set(
    turned,
    "ties all kept",
    "Where a row holds its largest weight several times, you marked all of these places.",
    "Only the first counts. `argmax` finds it; a comparison with the maximum finds all.",
    choose=lambda weights: weights == weights.max(axis=-1, keepdims=True),
)

last = wrongly_set(
    turned,
    "the last of equals",
    "Where weights are equal, you took the last of them.",
    "The first counts, as `argmax` has it. Sorting, or `>=` in a loop, finds the last.",
    choose=lambda weights: chosen(weights[:, ::-1])[:, ::-1],
)

threshold = wrongly_set(
    turned,
    "weights above a half",
    "You marked pairs whose weights are above 0.5 in both directions.",
    "The best of a row may well be smaller than that. Look for the largest, whatever it is.",
    choose=lambda weights: weights > 0.5,
)

smallest = wrongly_set(
    turned,
    "the smallest chosen",
    "You chose the smallest weight of each row.",
    "The best word is the one with the largest: `argmax`, not `argmin`.",
    choose=lambda weights: chosen(-weights),
)

single = wrongly_set(
    turned,
    "the best of all alone",
    "You looked for the largest weight of the whole table, so one pair is left at most.",
    "Each word chooses for itself: look for the largest of each row, along the last axis.",
    choose=lambda weights: np.arange(weights.size).reshape(weights.shape) == weights.argmax(),
)

sideways = wrongly_set(
    turned,
    "answer transposed",
    "Your answer is transposed: its rows are source words.",
    "Rows are target words here: transpose the way back, and leave the way there as it is.",
    after=np.transpose,
)

ones = wrongly_set(
    turned,
    "numbers instead of booleans",
    "You marked the right pairs, but with 1 and 0; True and False are asked for.",
    "A comparison gives booleans by itself, and `&` joins them.",
    after=lambda table: table.astype(float),
)


@mistake("indices instead of a table")
def indices(weights, weights_back):
    """You returned the number of each target word's partner; a table is asked for.

    Compare these numbers with those of all source words: a column and a row make a table of
    (n_target, n_source).
    """
    best = weights.argmax(axis=-1)
    return np.where(weights_back.argmax(axis=-1)[best] == np.arange(len(best)), best, -1)


def follows_the_weights(f, weights, weights_back):
    """Every mark stands where its row of weights is largest."""
    marked = f(weights, weights_back)
    return not (marked & (weights < weights.max(axis=-1, keepdims=True))).any()


def at_most_one(answer, weights, weights_back):
    """Count the partners of each word, there and back, and where all weights are equal."""
    level = np.full_like(weights, 1 / weights.shape[1]), np.full_like(weights_back, 0.25)
    tables = answer(weights, weights_back), answer(*level)
    return all(t.sum(axis=0).max() <= 1 and t.sum(axis=1).max() <= 1 for t in tables)


EXERCISE = Exercise(
    solution=mutual_best,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("the table is boolean, (n_target, n_source)", lambda f, w, b: (
            f(w, b).dtype, f(w, b).shape) == (bool, w.shape)),
        Fact("no word has more than one partner", at_most_one),
        Fact("a partner is the best of its row", follows_the_weights),
        Fact("read the other way, the pairs are the same", lambda f, w, b: bool(
            (f(w, b) == f(b, w).T).all())),
    ),
    hints=(
        "Take one direction at a time. For every row of `weights`, which source word is the best? "
        "And for every row of `weights_back`, which target word? A pair counts when each is the "
        "other's answer.",
        "`argmax` along the last axis gives one number a row. Stood up as a column and compared "
        "with a row of all numbers, it becomes a table that is True once in each row. Make one "
        "such table for each direction, bring the second into the shape of the first, and keep "
        "what is True in both.",
    ),
)  # fmt: skip
