"""One vector for a sentence: the mean of the words that count."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes
from attnlib.models import encoder

COUNTS = Promise(
    "one word that counts or all of them are right",
    "Where one word counts, it is the mean. Where all do, it is the mean of all. Divide by how "
    "many are True, whichever they are.",
)

SHAPES = Shapes("(..., n, d_model), (..., n) -> (..., d_model)")


def mean_pool(states, mask):
    """Add up the rows that the mask keeps, and divide by how many these are.

    Sentences that are read together are filled up to one length. What they were filled up with is
    no word of theirs, so it must count neither in the sum nor in the number.
    """
    counts = mask[..., None]  # (..., n, 1)
    return (states * counts).sum(axis=-2) / counts.sum(axis=-2)


def answer(states, mask):
    """Give what is right, by which answers are judged."""
    return encoder.mean_pool(states, mask)


def kept(numbers):
    """Return a mask of the shape of some numbers: about a third hidden, and never all of a row."""
    return (numbers > -0.4) | (numbers == numbers.max(axis=-1, keepdims=True))


def cases():
    """Three words by hand, two of which count; a sentence; sentences of two lengths; any mask."""
    rng = np.random.default_rng(45)
    states = np.array([[1.0, 2.0], [3.0, -4.0], [9.0, -9.0]])
    yield Case("the small example is right", (states, np.array([True, True, False])))
    yield Case("a whole sentence is right", (rng.normal(size=(7, 5)), np.ones(7, bool)))
    lengths = np.array([[7], [3]])
    padded = np.where((np.arange(7) < lengths)[..., None], rng.normal(size=(2, 7, 5)), 100.0)
    yield Case("sentences of two lengths are right", (padded, np.arange(7) < lengths))
    given = SHAPES.given(rng, lambda states, numbers: (states, kept(numbers)))
    yield Case("words anywhere may be left out", given(n=11, d_model=3))
    some = np.array([[0.0, 2.0], [5.0, 0.0], [0.0, 0.0], [1.0, 4.0]])
    yield Case("words with zeros count", (some, np.array([True, False, True, True])))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(145)
    given = SHAPES.given(rng, lambda states, numbers: (states, kept(numbers)))
    states = rng.normal(size=(5, 3))
    return promises.of_shapes(SHAPES, given) | {
        COUNTS: [
            *((states, np.arange(5) == place) for place in (0, 2, 4)),
            (states, np.ones(5, bool)),
            (np.stack([states, states]), np.stack([np.ones(5, bool), np.arange(5) == 3])),
        ],
    }


def turned(states, mask, *, chosen=np.array, count=lambda mask: mask.sum(axis=-1, keepdims=True)):
    """Take the mean with knobs, each of which can be set wrong."""
    mask = chosen(mask)
    return (states * mask[..., None]).sum(axis=-2) / count(mask)


unmasked = wrongly_set(
    turned,
    "mask ignored",
    "You took the mean of all rows, of those that do not count as well.",
    "The mask says which rows count: both the sum and the number are theirs.",
    chosen=np.ones_like,
)

by_all = wrongly_set(
    turned,
    "divided by all",
    "You added up the rows that count, and divided by the number of all.",
    "What does not count must not be counted either: divide by how many are True.",
    count=lambda mask: mask.shape[-1],
)

total = wrongly_set(
    turned,
    "sum",
    "You added up the rows that count, and did not divide.",
    "So a long sentence has a long vector. Divide by how many rows count.",
    count=lambda mask: 1,
)

inverted = wrongly_set(
    turned,
    "the rows that do not count",
    "You took the rows where the mask is False.",
    'True is "counts", as it is "may look" elsewhere.',
    chosen=lambda mask: np.where(mask.all(axis=-1, keepdims=True), mask, ~mask),
)


one_too_many = wrongly_set(
    turned,
    "one too many",
    "You divided by one more than there are rows that count.",
    "How many are True is how many count.",
    count=lambda mask: 1 + mask.sum(axis=-1, keepdims=True),
)

one_too_few = wrongly_set(
    turned,
    "one too few",
    "You divided by one less than there are rows that count.",
    "How many are True is how many count.",
    count=lambda mask: np.maximum(mask.sum(axis=-1, keepdims=True) - 1, 1),
)


whole_batch = wrongly_set(
    turned,
    "the words of all sentences counted",
    "You divided by the number of all words of all sentences together.",
    "Each sentence has its own number: count along the last axis of the mask, and keep that axis.",
    count=lambda mask: mask.sum(),
)


@mistake("made 1 long")
def made_1_long(states, mask):
    """You divided the mean by its length, so each vector is 1 long.

    That comes later, where vectors are compared. Here the mean is asked for as it is.
    """
    found = answer(states, mask)
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


@mistake("first and last word left out")
def without_ends(states, mask):
    """You left out the first and the last row that count, as if they were no words.

    The mask says which rows count, and says it of `[CLS]` and `[SEP]`, too.
    """
    before, behind = mask.cumsum(axis=-1), mask[..., ::-1].cumsum(axis=-1)[..., ::-1]
    inner = mask & (((before > 1) & (behind > 1)) | (mask.sum(axis=-1, keepdims=True) < 3))
    return turned(states, inner, count=lambda _: np.maximum(inner.sum(axis=-1, keepdims=True), 1))


@mistake("first row left out")
def without_first(states, mask):
    """You left out the first row, though it counts.

    The mask says which rows count, and says it of `[CLS]`, too.
    """
    inner = mask & (np.arange(mask.shape[-1]) > 0)
    return turned(states, inner, count=lambda _: np.maximum(inner.sum(axis=-1, keepdims=True), 1))


@mistake("the last row")
def last(states, mask):
    """You took the last row, as if it stood for the whole sentence.

    This model was trained with the mean of all rows that count.
    """
    return states[..., -1, :]


@mistake("the others added up")
def others(states, mask):
    """You added up the rows where the mask is False, and divided by the number of the others.

    True is "counts": the rows in the sum are those that are counted.
    """
    return (states * ~mask[..., None]).sum(axis=-2) / mask[..., None].sum(axis=-2)


@mistake("as many rows from the beginning")
def from_the_beginning(states, mask):
    """You took as many rows as count, but from the beginning, whichever these are.

    Rows anywhere may be left out: the mask says which.
    """
    order = np.arange(mask.shape[-1]) < mask.sum(axis=-1, keepdims=True)
    return answer(states, order)


@mistake("zeros not counted")
def without_zeros(states, mask):
    """You did not count the numbers that are 0, though their rows count.

    A 0 is a number as any other. What counts is told by the mask alone.
    """
    kept_ones = states * mask[..., None]
    return kept_ones.sum(axis=-2) / np.maximum((kept_ones != 0).sum(axis=-2), 1)


@mistake("-inf for what does not count")
def infinite(states, mask):
    """You put -inf where a row does not count, and a mean with -inf is -inf.

    A softmax makes 0 of -inf, and a sum does not: put 0 there, and divide by the others' number.
    """
    return np.where(mask[..., None], states, -np.inf).mean(axis=-2)


@mistake("the first row")
def first(states, mask):
    """You took the first row, as if it stood for the whole sentence.

    Some models are trained so that their first piece, `[CLS]`, says it all. This one was trained
    with the mean.
    """
    return states[..., 0, :]


@mistake("the largest of each feature")
def largest(states, mask):
    """You took the largest number of each feature, where the mean is wanted."""
    return np.where(mask[..., None], states, -np.inf).max(axis=-2)


@mistake("mean over the features")
def over_features(states, mask):
    """You took the mean along the last axis, and got a number for each word.

    Every feature keeps its place. It is the words that are averaged: axis -2.
    """
    return states.mean(axis=-1)


one_count = wrongly_set(
    turned,
    "one number of words for all",
    "You divided every sentence by the same number of words.",
    "Each has its own: count along the last axis of the mask, and keep that axis.",
    count=lambda mask: mask.sum(axis=-1).max(initial=1),
)


EXERCISE = Exercise(
    solution=mean_pool,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("rows that do not count can be anything", lambda f, s, m: close(
            f(np.where(m[..., None], s, 7.0), m), f(s, m))),
        Fact("where all rows are alike, the mean is that row", lambda f, s, m: close(
            f(np.broadcast_to(s[..., :1, :], s.shape).copy(), m), s[..., 0, :])),
        Fact("the order of the words makes no difference", lambda f, s, m: close(
            f(s[..., ::-1, :].copy(), m[..., ::-1].copy()), f(s, m))),
    ),
    hints=(
        "What is to be added up, and by how many is it divided? Both depend on the mask.",
        "`mask[..., None]` has the shape (..., n, 1): times the states, it leaves the rows that "
        "count, and its own sum over the words says how many they are.",
    ),
)  # fmt: skip
