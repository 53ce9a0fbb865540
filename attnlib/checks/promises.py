"""What exercises promise beyond their plain examples, and the inputs that hold them to it.

A spec maps each of its promises to inputs: what several exercises promise is worded, and its inputs
are built, here. What follows from the shapes of inputs alone is drawn by `of_shapes`.
"""

import numpy as np

from attnlib.checks.exercise import End, Promise, Remark

LEADING = Promise(
    "works with leading batch axes",
    "Each of a batch should come out as it does alone. Count axes from the end, where the last one "
    "is -1, so that it does not matter how many stand in front. `@` multiplies matrix by matrix, "
    "however many there are.",
)
SIZES = Promise(
    "any sizes are right, 1 among them",
    "Two sizes may be equal, either of them may be the larger one, and an axis of length 1 is "
    "still an axis. Does your function take one size for another, lose an axis, or need one size "
    "to be the larger?",
)
LENGTHS_OF_VECTORS = Promise(
    "vectors of any length are right",
    "A vector may have any number of entries. Ask it how many, with `len(a)`, or use an operation "
    "that works on whole arrays.",
)
LARGE = Promise(
    "large scores are right",
    "`np.exp` overflows above 709, and far below 0 it gives nothing but zeros. Subtract from each "
    "row its own largest score first: then the largest exponent is 0, and neither can happen. Cut "
    "nothing off.",
    "Your numbers stay finite there, so nothing overflows. Is something cut off, rounded or added? "
    "And is a number that stands for no score at all, such as -1e9, still one beside large scores?",
)
TEMPERATURES = Promise(
    "temperatures from 0.01 to 100 are right",
    "A temperature of 0.01 makes scores a hundred times larger, so no exponent should be above 0 "
    "when `np.exp` meets it. Divide, subtract each row's largest, and cut nothing off.",
    "Your numbers stay finite there, so nothing overflows. Is something cut off, rounded or added, "
    "or is another temperature taken than the one that comes in?",
)
TIES = Promise(
    "equal scores get equal weights",
    "Where scores are equal, none of them comes before another, so each gets the same share.",
)
SCALE = Promise(
    "short and long vectors are right",
    "The formula is the same for short vectors and for long ones. Where you add a small number, "
    "cut something off or round, the answer changes at one end or the other.",
)
SAME_SHAPES = Promise(
    "other numbers in the same shapes are right",
    "Does your function keep something from an earlier call, or take part of its answer from the "
    "shapes alone? Everything should follow from the numbers that come in this time.",
)

# What no exercise asks for: an answer that is right up to there is told what it does with it.
EMPTY = Remark("an empty batch")
NO_QUERIES = Remark("no queries at all")

# The ends of the promises: an answer that is wrong only beyond them is right.
SCORES = End("up to 10,000 in size", -1e4, 1e4, Remark("scores of two million"))
VECTORS = End("from 0.001 to 1,000 long", 1e-3, 1e3, Remark("vectors of length 0.00001 or 100,000"))
POSITIONS = End("from 0 to 10,000", 0, 1e4, Remark("positions beyond 10,000"))

LEADING_AXES = ((), (2,), (3, 2), (2, 1, 3))
LEADING_ROWS = (*LEADING_AXES, (3,), (2, 3, 5))  # of scores: a single row, rows, a batch, ...
EMPTY_BATCHES = ((0,), (2, 0))
LENGTHS = (1, 2, 5, 11)
SIZE_PAIRS = ((2, 5), (5, 2), (3, 3), (1, 4), (4, 1), (1, 1))  # below, above and at each other


def of_shapes(shapes, given, *, none=None):
    """Give what follows from shapes: leading axes, sizes, other numbers; remarks on nothing at all.

    Parameters
    ----------
    shapes : attnlib.checks.shapes.Shapes
        The shapes of an exercise.
    given : callable
        ``given(lead=(), **sizes)`` gives inputs; what `Shapes.given` returns, as a rule.
    none : str, optional
        A size that may be 0, as it is where nobody asks.
    """
    found = {SIZES: [given(**sizes) for sizes in shapes.choices()]}
    if shapes.arrays:
        rows = {"...": 7} if "..." in shapes.names else {}
        found[SAME_SHAPES] = again(lambda: given(**rows))
    if shapes.leading:
        leads = LEADING_ROWS if "..." in shapes.names else LEADING_AXES
        found[LEADING] = [given(lead=lead) for lead in leads]
        found[EMPTY] = [given(lead=lead) for lead in EMPTY_BATCHES]
    if none:
        found[NO_QUERIES] = [
            given(**{none: 0}),
            given(**dict.fromkeys(shapes.names, 1) | {none: 0}),
            *([given(lead=(2,), **{none: 0})] if shapes.leading else []),
        ]
    return found


def again(make):
    """Give inputs twice, all of other numbers, and once more with each of the arrays exchanged.

    Parameters
    ----------
    make : callable
        Gives inputs of the same shapes and whole numbers, of new random numbers at each call.
    """
    first, second = make(), make()
    arrays = [i for i, x in enumerate(first) if isinstance(x, np.ndarray | dict)]
    mixed = [(*first[:i], second[i], *first[i + 1 :]) for i in arrays] if arrays[1:] else []
    return [first, second, *mixed]


def scores_and_sizes(rng):
    """Give arrays of scores, (n, m), of all pairs of sizes."""
    return [rng.normal(size=pair) for pair in SIZE_PAIRS]


def long(x, length):
    """Make each row of an array so long, and let one entry hold nearly all of it.

    So what is cut off a little within the end shows, and not only the length as a whole.
    """
    first = np.eye(x.shape[-1])[np.arange(x.size // x.shape[-1]) % x.shape[-1]].reshape(x.shape)
    x = x + 20 * np.sign(x) * first
    return length * x / np.linalg.norm(x, axis=-1, keepdims=True)


SHORT, LONG = VECTORS.least, VECTORS.most
FAR_OFF = 1e-5, 1e5  # lengths beyond both ends

# Scores that lie far apart or far from 0, while those that share a row's weight lie close together.
# All numbers are small whole ones and halves: exact in float32, too, at any width of 4.
LEVELS = 2000.0, 9990.0  # the latter just within the end: up to 9 more are added
BEYOND = 2e6


def steep_tokens(n, *, one_sign=False):
    """Tokens of width 4: as a query high, low or level, as a key high or low, and two small ones.

    Where `one_sign` is set, all keys are high: a query then finds all its scores at one level.
    """
    asks, found = np.resize([1.0, -1, 0], n), np.resize([1.0] if one_sign else [1.0, -1], n)
    small = np.resize([0.0, 1, 2, 1, 3], n), np.resize([2.0, 0, 1, 1, 3, 0, 2], n)
    return np.stack([asks, found, *small], axis=-1)


def steep_matrices(level, *, high=20.0):
    """Give w_query and w_key, both 4 by 4, for tokens of `steep_tokens`; keys are so high."""
    w_query, w_key = np.zeros((2, 4, 4))
    w_query[0, 0], w_key[1, 0] = 2 * level / high, high
    w_query[2, 1] = w_query[3, 2] = w_key[3, 1] = w_key[2, 2] = 1
    return w_query, w_key


def steep(n_queries, n_keys, level, *, one_sign=False):
    """Give query and key whose scores are near plus and minus a level, and near 0."""
    w_query, w_key = steep_matrices(level)
    return (
        steep_tokens(n_queries) @ w_query,
        steep_tokens(n_keys, one_sign=one_sign) @ w_key,
    )


def steep_ways(levels):
    """Give how long a sentence is, its level, and whether its keys have one sign: all of these."""
    return [(n, level, one_sign) for n in (3, 7) for level in levels for one_sign in (False, True)]


def steep_pairs(levels=LEVELS):
    """Give a query and a key for every way in which a softmax can overflow or vanish."""
    return [
        steep(n_queries, n_keys, level, one_sign=one_sign)
        for n_queries, n_keys in ((3, 7), (5, 3))
        for level in levels
        for one_sign in (False, True)
    ]


def steep_scores(levels=LEVELS):
    """Give arrays of scores that are large, close together in a row, and far from the next row."""
    return [query @ key.T / 2 for query, key in steep_pairs(levels)]
