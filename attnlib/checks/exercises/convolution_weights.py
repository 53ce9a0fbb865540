"""The heads of a convolution: each looks at one distance, and nowhere else."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

ANY_OFFSETS = Promise(
    "offsets in any order are right, and far ones, too",
    "An offset may be positive, negative or 0, come twice, and lead out of the sentence from every "
    "word. Let each head follow from its own offset alone.",
)

SHAPES = Shapes("n, (n_heads) -> (n_heads, n, n)")


def convolution_weights(n, offsets):
    """Give each head its offset: word i looks at word i + offset, and at no other.

    How far key j stands behind query i is j - i. Where that is the offset of the head, the weight
    is 1. A word whose i + offset lies outside meets it nowhere, so its row is 0 by itself.
    """
    i = np.arange(n)[:, None]  # (n, 1)
    j = np.arange(n)  # (n,)
    return (j - i == np.array(offsets)[:, None, None]) * 1.0  # (n_heads, n, n)


def answer(n, offsets):
    """Give what is right, by which answers are judged."""
    return np.stack([np.eye(n, k=offset) for offset in offsets])


def cases():
    """Three words and the nearest neighbours; a wide window; offsets that all lead back."""
    yield Case("the small example is right", (3, np.array([-1, 0, 1])))
    yield Case("one offset is right", (5, np.array([2, -3])))
    yield Case("more words than heads are right", (11, np.array([0, 1, -1, 2, -2])))
    yield Case("offsets that lead back are right", (7, np.array([-3, -2, -1])))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(133)
    given = SHAPES.given(rng, chosen)
    return promises.of_shapes(SHAPES, given) | {
        promises.SAME_SHAPES: [
            (7, np.array(offsets)) for offsets in ([0, 1, 2], [-1, -2, 3], [6, -6, 0], [2, 0, 1])
        ],
        ANY_OFFSETS: [
            (5, np.array([2, 0, -4, 1, 4, -1])),
            (5, np.array([1, 1, 0])),
            (3, np.array([3, -3, 40, -40, 0])),
            (7, np.array([-1])),
        ],
    }  # fmt: skip


def chosen(n, numbers):
    """Make whole numbers of any."""
    return n, np.floor(2 * numbers).astype(int)


def steps(n):
    """How far key j stands behind query i."""
    return np.arange(n) - np.arange(n)[:, np.newaxis]


def turned(n, offsets, *, taken=np.array, compare=np.equal, last=np.positive):
    """Answer with knobs, each of which can be set wrong."""
    return last(compare(steps(n), taken(offsets)[:, np.newaxis, np.newaxis]) * 1.0)


backwards = wrongly_set(
    turned,
    "sign of the offset",
    "Your heads look the other way: offset 1 is the word after, and they look at the one before.",
    "Query i looks at key i + offset. Rows are queries.",
    taken=np.negative,
)


@mistake("wrapped at the edge")
def wrapped(n, offsets):
    """At the edge your heads go round, from the last word to the first.

    A sentence is not a ring: beyond its ends stands no word, and the row is 0. What `np.roll` and a
    remainder with `%` push out at one end comes in again at the other.
    """
    return np.stack([np.roll(np.eye(n), offset, axis=1) for offset in offsets])


@mistake("from the other end")
def negative_indices(n, offsets):
    """Before the first word your heads found the last: NumPy counts a negative index from the end.

    Check that i + offset is not below 0 before you write there.
    """
    i = np.arange(n)
    weights = np.zeros((len(offsets), n, n))
    for head, offset in zip(weights, offsets, strict=True):
        inside = (i + offset < n) & (i + offset >= -n)
        head[i[inside], i[inside] + offset] = 1
    return weights


@mistake("held at the edge")
def clipped(n, offsets):
    """Where an offset leads out, your heads look at the word at the edge.

    There is nobody to look at, so the whole row is 0.
    """
    reached = np.clip(np.arange(n) + offsets[:, np.newaxis], 0, n - 1)
    return np.eye(n)[reached]


shared_out = wrongly_set(
    turned,
    "rows that sum to 1 outside",
    "Where an offset leads out, your row still sums to 1: it is spread over all words.",
    'A softmax cannot say "nobody". A convolution can: the row is 0.',
    last=lambda w: w + (w.sum(axis=-1, keepdims=True) == 0) / w.shape[-1],
)

summed = wrongly_set(
    turned,
    "all offsets in one head",
    "You put all offsets into one matrix, but each has a head of its own.",
    "The heads have different matrices later, so they must not be mixed now: (n_heads, n, n).",
    last=lambda weights: weights.sum(axis=0),
)

averaged = wrongly_set(
    turned,
    "divided by the number of heads",
    "You divided the weights by the number of heads.",
    "Each head looks at its own word with weight 1. What it makes of that word is its matrix's "
    "business.",
    last=lambda weights: weights / len(weights),
)

heads_last = wrongly_set(
    turned,
    "heads last",
    "Your heads stand along the last axis; they come first, as in lesson 06.",
    "The shape is (n_heads, n, n), so that `@` meets one matrix for each head.",
    last=lambda weights: np.moveaxis(weights, 0, -1),
)

up_to = wrongly_set(
    turned,
    "everything up to the offset",
    "Your heads look at every word up to the offset, and not at that one alone.",
    "The weight is 1 where j - i equals the offset, and 0 where it is less.",
    compare=np.less_equal,
)

numbered = wrongly_set(
    turned,
    "numbered by the heads",
    "Your heads follow their number and not their offset.",
    "Head 0 has the offset `offsets[0]`, which need not be the smallest.",
    taken=lambda offsets: np.arange(len(offsets)) - len(offsets) // 2,
)

from_minus_1 = wrongly_set(
    turned,
    "numbered from -1",
    "Your heads follow their number, less 1, and not their offset.",
    "Head 0 has the offset `offsets[0]`, which need not be -1.",
    taken=lambda offsets: np.arange(len(offsets)) - 1,
)

from_0 = wrongly_set(
    turned,
    "numbered from 0",
    "Your heads follow their number and not their offset.",
    "Head 0 has the offset `offsets[0]`, which need not be 0.",
    taken=lambda offsets: np.arange(len(offsets)),
)


@mistake("the other way, and round")
def rolled_back(n, offsets):
    """Your heads look the other way, and at the edge they go round.

    Word i looks at word i + offset. A sentence is not a ring: beyond its ends the row is 0.
    """
    return np.stack([np.roll(np.eye(n), offset, axis=0) for offset in offsets])


written_over = wrongly_set(
    turned,
    "all offsets written into one head",
    "You wrote all offsets into one matrix, but each has a head of its own.",
    "The heads have different matrices later, so they must not be mixed now: (n_heads, n, n).",
    last=lambda weights: weights.max(axis=0, initial=0.0),
)

ordered = wrongly_set(
    turned,
    "sorted",
    "You put the offsets in order, but a head stays where its offset stands.",
    "Take them as they come. Their matrices will come in the same order.",
    taken=np.sort,
)


unsigned = wrongly_set(
    turned,
    "offsets without their sign",
    "You took each offset without its sign, so heads that look back look ahead.",
    "Offset -1 is the word before: i + offset is less than i.",
    taken=np.abs,
)

one_further = wrongly_set(
    turned,
    "one word too far",
    "Your heads look one word too far: offset 0 is the word itself.",
    "Word i looks at word i + offset, both counted from 0.",
    taken=lambda offsets: offsets + 1,
)

both_ways = wrongly_set(
    turned,
    "both directions",
    "Each of your heads looks in both directions, and an offset names one.",
    "Word i looks at word i + offset, and not at word i - offset as well.",
    compare=lambda steps, offsets: np.abs(steps) == np.abs(offsets),
)

itself = wrongly_set(
    turned,
    "itself outside",
    "Where an offset leads out, your word looks at itself.",
    "There is nobody to look at, so the whole row is 0.",
    last=lambda w: w + (w.sum(axis=-1, keepdims=True) == 0) * np.eye(w.shape[-1]),
)

never_first = wrongly_set(
    turned,
    "the first word left out",
    "Nobody looks at word 0 in your answer, and it is a word of the sentence.",
    "Words are counted from 0, so i + offset may be 0.",
    last=lambda w: w * (np.arange(w.shape[-1]) > 0),
)

never_last = wrongly_set(
    turned,
    "the last word left out",
    "Nobody looks at the last word in your answer, and it is a word of the sentence.",
    "The last of n words, counted from 0, is word n - 1.",
    last=lambda w: w * (np.arange(w.shape[-1]) < w.shape[-1] - 1),
)

first_head = wrongly_set(
    turned,
    "the first head alone",
    "Your first head has weights, and all others are left at 0.",
    "Does the loop over the offsets go to its end, or does it return in its first round?",
    last=lambda w: w * (np.arange(len(w)) == 0)[:, np.newaxis, np.newaxis],
)

opposite = wrongly_set(
    turned,
    "0 and 1 exchanged",
    "You exchanged 0 and 1: each word looks at all words but the one that it should look at.",
    "The weight is 1 where j - i is the offset.",
    last=lambda weights: 1 - weights,
)


@mistake("the offset for the weight")
def offset_as_weight(n, offsets):
    """You wrote the offset where a weight of 1 belongs.

    The offset says where to look. How much is looked at is 1.
    """
    return answer(n, offsets) * offsets[:, np.newaxis, np.newaxis]


def inside(n, offsets):
    """Say of each word whether the word that an offset names is in the sentence: 1, or 0."""
    due = np.arange(n) + np.asarray(offsets)[:, np.newaxis]
    return ((due >= 0) & (due < n)) * 1.0


def looks_there(f, n, offsets):
    """Each word that stands at i + offset is found with weight 1."""
    found = f(n, offsets) @ np.arange(1, n + 1)  # 0 where nobody is looked at
    due = np.arange(n) + np.asarray(offsets)[:, None]
    return bool((found == np.where((due >= 0) & (due < n), due + 1, 0)).all())


EXERCISE = Exercise(
    solution=convolution_weights,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("word i looks at word i + offset, and at nobody where there is none", looks_there),
        Fact("each weight is 0 or 1", lambda f, n, o: bool(np.isin(f(n, o), (0, 1)).all())),
        Fact("each row sums to 1, and to 0 where the offset leads out", lambda f, n, o: (
            np.array_equal(f(n, o).sum(axis=-1), inside(n, o)))),
        Fact("the opposite offsets give the transposes", lambda f, n, o: np.array_equal(
            f(n, -o), f(n, o).swapaxes(-1, -2))),
        Fact("a head follows from its own offset", lambda f, n, o: np.array_equal(
            f(n, o[::-1]), f(n, o)[::-1])),
    ),
    hints=(
        "Take one head, with offset 1. Word 0 looks at word 1, word 1 at word 2. Where in its "
        "matrix do the ones stand, and what is left for the last word?",
        "Number the queries down and the keys across, as for a mask. j - i says how far a key "
        "stands behind a query, and the weight is 1 where that equals the offset. Stand the "
        "offsets up along an axis in front, with two new axes behind it.",
    ),
)  # fmt: skip
