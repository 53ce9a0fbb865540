"""Sentences of unequal length, filled up."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

LENGTHS = Promise(
    "lengths from 0 to n_keys are right",
    "A sentence of length 0 has no word to look at, so its row is False throughout. One of length "
    "n_keys has no padding, so its row is True throughout.",
)

SHAPES = Shapes("(batch), n_keys -> (batch, 1, n_keys)")


def padding_mask(lengths, n_keys):
    """Key j of a sentence is a word where j < its length, and what follows is padding.

    The axis of length 1 in the middle stands for the queries. One row of the mask serves them all,
    however many there are.
    """
    j = np.arange(n_keys)  # (n_keys,)
    return j < lengths[:, None, None]  # (batch, 1, n_keys)


def answer(lengths, n_keys):
    """Give what is right, by which answers are judged."""
    return attnlib.padding_mask(lengths, n_keys)


def cases():
    """Batches of 2, 3 and 5 sentences, each with a full one among them."""
    yield Case("two sentences are right", (np.array([2, 3]), 3))
    yield Case("three sentences are right", (np.array([2, 7, 4]), 7))
    yield Case("five sentences are right", (np.array([11, 1, 6, 2, 9]), 11))
    yield Case("rows that no sentence fills are right", (np.array([4, 1, 3]), 5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(105)
    given = SHAPES.given(rng, lambda x, n_keys: (rng.integers(n_keys + 1, size=len(x)), n_keys))
    ends = {  # before random lengths, which may be 0, too
        LENGTHS: [
            (np.array(lengths), n_keys)
            for lengths, n_keys in (([0, 3], 3), ([0, 0, 0], 5), ([5, 0, 4, 1, 3, 2], 5), ([0], 1))
        ],
    }
    shapes = promises.of_shapes(SHAPES, given)
    return ends | shapes | {promises.EMPTY: [given(batch=0), given(batch=0, n_keys=1)]}


def turned(lengths, n_keys, *, compare=np.less, axes=lambda mask: mask[:, None], after=np.array):
    """Compare with knobs, each of which can be set wrong."""
    return after(axes(compare(np.arange(n_keys), lengths[:, None])))


inverted = wrongly_set(
    turned,
    "inverted",
    "Your mask is inverted: it is True at the padding and False at the words.",
    'In this course True means "may look", so `~`, which turns every True into False and every '
    "False into True, mends it.",
    after=np.logical_not,
)

too_many = wrongly_set(
    turned,
    "one key too many",
    "Each sentence shows one key too many, the first of its padding.",
    "Keys are counted from 0, so a sentence of length 2 has the keys 0 and 1, and key 2 is "
    "padding already. The comparison should not hold for equal numbers.",
    compare=np.less_equal,
)

too_few = wrongly_set(
    turned,
    "one key too few",
    "Each sentence shows one key too few, so its last word is hidden.",
    "Keys are counted from 0, so in a sentence of length 2 the last word is key 1. The comparison "
    "with `<` takes care of that, and nothing has to be subtracted.",
    compare=lambda j, length: j < length - 1,
)

flat = wrongly_set(
    turned,
    "the middle axis missing",
    "Your values are right, but the axis of length 1 is missing: yours is (batch, n_keys).",
    "The scores of a batch have the shape (batch, n_queries, n_keys). An axis of length 1 in the "
    "middle lets your row serve every query, and `None` in an index makes one.",
    axes=lambda mask: mask,
)


@mistake("no new axis")
def no_axis(lengths, n_keys):
    """You compared two rows entry by entry, but every length has to meet every key.

    Let the lengths run along another axis than the keys, the first one, and leave an axis between
    the two for the queries. `None` in an index makes a new axis.
    """
    return np.arange(n_keys) < lengths


@mistake("always 3 keys")
def three(lengths, n_keys):
    """Your mask is 3 keys wide, whatever size is asked for.

    Let the width come from `n_keys`, where the number 3 stands now.
    """
    return np.arange(3) < lengths[:, None, None]


@mistake("always 5 keys")
def five(lengths, n_keys):
    """Your mask is 5 keys wide, whatever size is asked for.

    Let the width come from `n_keys`, where the number 5 stands now.
    """
    return np.arange(5) < lengths[:, None, None]


last_axis = wrongly_set(
    turned,
    "the new axis at the end",
    "Your new axis stands at the end, (batch, n_keys, 1), where it would hide queries.",
    "Keys run along the last axis. The axis of length 1 is for the queries and belongs between "
    "the batch and the keys.",
    axes=lambda mask: mask[:, :, None],
)

first_axis = wrongly_set(
    turned,
    "the new axis in front",
    "Your new axis stands in front, (1, batch, n_keys): sentences would be taken for queries.",
    "The batch comes first, then the queries, then the keys, so the axis of length 1 belongs in "
    "the middle.",
    axes=lambda mask: mask[None],
)

left = wrongly_set(
    turned,
    "padding in front",
    "You hid the beginning of each sentence, but the padding is at the end.",
    "The words come first: a key is a word as long as its number is below the length.",
    after=lambda mask: mask[..., ::-1],
)

ones = wrongly_set(
    turned,
    "numbers instead of booleans",
    "Your mask is right, but it is made of 0 and 1, and a mask holds True and False.",
    "Comparing numbers gives booleans by itself, and `.astype(bool)` turns 0 and 1 into them.",
    after=lambda mask: mask.astype(float),
)

additive = wrongly_set(
    turned,
    "an additive mask",
    "You made an additive mask of 0 and -inf; here a boolean one is asked for.",
    "Return True where there is a word, which is where your zeros are, and False where you have "
    "-inf.",
    after=lambda mask: np.where(mask, 0.0, -np.inf),
)

both = wrongly_set(
    turned,
    "queries hidden as well",
    "You hid rows as well: yours is (batch, n_keys, n_keys), with queries that see nothing.",
    "A query from the padding does no harm, because nobody looks at it. Hide the padding as keys "
    "only: one row of (batch, 1, n_keys) is enough for that.",
    axes=lambda mask: mask[:, None] & mask[:, :, None],
)

only_one = wrongly_set(
    turned,
    "only the key at the length",
    "At most one key is left of each sentence, the one at its length.",
    "All keys before the length are words. Which comparison is True for every one of them?",
    compare=np.equal,
)


behind = wrongly_set(
    turned,
    "comparison turned round",
    "Your comparison is turned round: words are hidden, and padding is shown.",
    "A key is a word as long as its number is below the length.",
    compare=np.greater,
)

but_one = wrongly_set(
    turned,
    "only the key at the length hidden",
    "At most one key of each sentence is hidden, the one at its length.",
    "All keys from the length on are padding. Which comparison is False for every one of them?",
    compare=np.not_equal,
)


@mistake("the last sentence's mask for all")
def last_for_all(lengths, n_keys):
    """Every sentence of yours has the mask of the last one.

    If you made one row and repeated it, all of them are that row. Let each length meet all keys.
    """
    return answer(np.full_like(lengths, lengths[-1] if len(lengths) else 0), n_keys)


@mistake("the first sentence's mask for all")
def first_for_all(lengths, n_keys):
    """Every sentence of yours has the mask of the first one.

    Let each length meet all keys: the whole array of lengths, with two new axes behind it.
    """
    return answer(np.full_like(lengths, lengths[0] if len(lengths) else 0), n_keys)


@mistake("a full sentence hidden")
def from_the_end(lengths, n_keys):
    """You hide a sentence whole that fills its row.

    `-0` is 0, so `mask[-0:]` is all of it, and not nothing. Compare numbers of keys with lengths
    instead of counting from the end.
    """
    return answer(np.where(lengths == n_keys, 0, lengths), n_keys)


@mistake("causal")
def causal(lengths, n_keys):
    """You made a causal mask: sentence i shows i + 1 keys, whatever its length.

    It is the length that says how many keys of a sentence are words.
    """
    return answer(np.minimum(np.arange(len(lengths)) + 1, n_keys), n_keys)


@mistake("one key too few, from a slice")
def short_slice(lengths, n_keys):
    """Each sentence shows one key too few, and one of length 0 shows nearly all.

    A slice leaves out its end by itself, so nothing has to be subtracted; and with 0 - 1 it counts
    from the other end.
    """
    return answer(np.where(lengths == 0, n_keys - 1, lengths - 1), n_keys)


EXERCISE = Exercise(
    solution=padding_mask,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("the mask is boolean", lambda f, lengths, n: f(lengths, n).dtype == bool),
        Fact("one row for each sentence, (batch, 1, n_keys)", lambda f, lengths, n: f(
            lengths, n).shape == (len(lengths), 1, n)),
        Fact("each sentence shows as many keys as it has words", lambda f, lengths, n: bool(
            (f(lengths, n).sum(axis=(1, 2)) == lengths).all())),
        Fact("the padding is at the end", lambda f, lengths, n: bool(
            (f(lengths, n)[..., :-1] >= f(lengths, n)[..., 1:]).all())),
    ),
    hints=(
        "Number the keys 0, 1, 2, … and look at one sentence first: up to which number are they "
        "words? Then look for a way to ask this of all sentences at once.",
        "If the lengths stand in a column and the keys' numbers in a row, comparing the two gives "
        "a row for each sentence: (batch, n_keys). What is missing then is an axis of length 1 for "
        "the queries, between the two: `[:, None, None]` stands the lengths up behind both.",
    ),
)  # fmt: skip
