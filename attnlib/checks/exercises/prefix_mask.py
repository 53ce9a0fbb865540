"""A beginning that is read both ways, and a rest that is written from left to right.

Raffel et al., "Exploring the limits of transfer learning with a unified text-to-text transformer"
(2020), section 3.2.1, call a language model with such a mask a prefix LM.
"""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

LENGTHS = Promise(
    "lengths from 0 to n are right",
    "A sentence of length 0 has nothing to look at, so everything in its matrix is False. One of "
    "length n has no padding at all.",
)
PREFIXES = Promise(
    "prefixes from 0 to beyond the sentence are right",
    "With a prefix of 0 the mask is causal. A prefix that reaches beyond its sentence still shows "
    "no padding: the length has the last word.",
)

SHAPES = Shapes("(batch), (batch), n -> (batch, n, n)")


def prefix_mask(prefix_lengths, lengths, n):
    """Every word may be seen that is written already, or that belongs to the prefix.

    Either reason is enough, so the two are joined by `|`. The length comes in last and by `&`,
    because padding is no word: whatever else speaks for it, it stays hidden.
    """
    j = np.arange(n)  # (n,)
    i = j[:, None]  # (n, 1)
    in_prefix = j < prefix_lengths[:, None, None]  # (batch, 1, n)
    is_word = j < lengths[:, None, None]  # (batch, 1, n)
    return ((j <= i) | in_prefix) & is_word  # (batch, n, n)


def answer(prefix_lengths, lengths, n):
    """Give what is right, by which answers are judged."""
    prefix = attnlib.padding_mask(np.minimum(prefix_lengths, n), n)
    return (attnlib.causal_mask(n) | prefix) & attnlib.padding_mask(lengths, n)


def cases():
    """Batches of 2, 3 and 5 sentences whose prefixes end inside them."""
    yield Case("two sentences are right", given([2, 1], [3, 2], 3))
    yield Case("three sentences are right", given([3, 1, 2], [7, 5, 3], 7))
    yield Case("five sentences are right", given([4, 2, 6, 1, 3], [11, 6, 9, 2, 10], 11))
    yield Case("rows that no sentence fills are right", given([2, 3, 1], [5, 4, 3], 6))


def given(prefix_lengths, lengths, n):
    """Give inputs whose lengths are arrays of integers."""
    return np.array(prefix_lengths, dtype=int), np.array(lengths, dtype=int), n


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(131)
    drawn = SHAPES.given(rng, lambda p, x, n: (*rng.integers(n + 1, size=(2, len(x))), n))
    return promises.of_shapes(SHAPES, drawn) | {
        LENGTHS: [
            given([1, 2, 1], [0, 5, 3], 5),
            given([2, 0], [0, 0], 3),
            given([3, 3, 2, 2, 1, 1], [5, 4, 3, 2, 1, 0], 5),
            given([2], [7], 7),
        ],
        PREFIXES: [
            given([0, 0], [3, 5], 5),
            given([0, 5, 2], [5, 5, 5], 5),
            given([5, 4, 3], [3, 2, 3], 5),
            given([9, 6], [5, 2], 5),
            given([1000], [4], 4),
            given([3, 12], [13, 14], 14),
        ],
        promises.EMPTY: [given([], [], 5), given([], [], 1)],
        promises.SAME_SHAPES: [
            given(prefixes, lengths, n)
            for n in (7, 9)
            for prefixes, lengths in (
                ([3, 1, 2], [7, 4, 5]),
                ([1, 3, 2], [7, 4, 5]),
                ([3, 1, 2], [5, 7, 6]),
            )
        ],
    }


def turned(
    prefix_lengths, lengths, n, *, step=0, further=0, longer=0,
    join=lambda causal, prefix, word: (causal | prefix) & word, after=np.array,
):  # fmt: skip
    """Join a causal mask, prefixes and words, with knobs, each of which can be set wrong."""
    j = np.arange(n)
    causal, prefix, word = np.broadcast_arrays(  # (batch, n, n) each
        j <= j[:, None] + step,
        j < prefix_lengths[:, None, None] + further,
        j < lengths[:, None, None] + longer,
    )
    return after(join(causal, prefix, word))


inverted = wrongly_set(
    turned,
    "inverted",
    "Your mask is inverted: it is True where a query may not look.",
    'In this course True means "may look". Turn the mask round with `~`.',
    after=np.logical_not,
)


@mistake("no new axis")
def flat(prefix_lengths, lengths, n):
    """You compared two rows entry by entry, but every length has to meet every key.

    Let the lengths run along another axis than the keys, the first one, and leave an axis between
    the two for the queries. `None` in an index makes a new axis.
    """
    j = np.arange(n)
    return ((j <= j[:, None]) | (j < prefix_lengths)) & (j < lengths)


@mistake("the middle axis missing")
def no_middle(prefix_lengths, lengths, n):
    """You gave the lengths one new axis, so their rows fall upon the queries' rows.

    The prefix of a sentence is the same for all its queries. Leave an axis for them between the
    batch and the keys: two new axes, not one.
    """
    j = np.arange(n)
    return ((j <= j[:, None]) | (j < prefix_lengths[:, None])) & (j < lengths[:, None])


no_prefix = wrongly_set(
    turned,
    "prefix ignored",
    "Your mask is causal throughout: the words of a prefix do not see those that follow in it.",
    "Ask a second question of every key: is its number below the prefix length of its sentence? A "
    "query may look if either answer is yes.",
    join=lambda causal, prefix, word: causal & word,
)

no_padding = wrongly_set(
    turned,
    "lengths ignored",
    "You left out the lengths, so queries look at the padding behind their sentence.",
    "Keep only those keys whose number is below the length of the sentence.",
    join=lambda causal, prefix, word: causal | prefix,
)

prefix_alone = wrongly_set(
    turned,
    "nothing after the prefix",
    "Your queries see the prefix and nothing else: what was written after it is hidden.",
    "Behind the prefix the sentence is written from left to right, so a query there also sees "
    "what came before it, and itself.",
    join=lambda causal, prefix, word: prefix & word,
)

both_needed = wrongly_set(
    turned,
    "causal and prefix joined by and",
    "You asked for both at once: a key in the prefix that also comes before the query.",
    "One of the two is enough, because a word may be seen for either reason: join them with `|`.",
    join=lambda causal, prefix, word: causal & prefix & word,
)

either = wrongly_set(
    turned,
    "lengths joined by or",
    "You joined all three conditions with `|`, so one of them alone opens a key.",
    "To be a word of the sentence is not enough for being seen, and yet it is always necessary: "
    "join this condition with `&`, and mind the brackets.",
    join=lambda causal, prefix, word: causal | prefix | word,
)

no_brackets = wrongly_set(
    turned,
    "brackets missing",
    "Your lengths limit one of the two reasons only, and the other one shows padding.",
    "In Python `&` binds more tightly than `|`. Put brackets round the two reasons for being "
    "seen, then cut off the padding from both.",
    join=lambda causal, prefix, word: causal | (prefix & word),
)

other_brackets = wrongly_set(
    turned,
    "the prefix not cut to the sentence",
    "Your mask shows padding wherever a prefix reaches beyond its sentence.",
    "The length limits the prefix, too: whichever of the two reasons a word is seen for, it has to "
    "stand before the sentence's length, as that came in.",
    join=lambda causal, prefix, word: (causal & word) | prefix,
)

future = wrongly_set(
    turned,
    "the future shown",
    "Your triangle lies the wrong way round: behind the prefix, queries look ahead, not back.",
    "Query i may look at key j where j is at most i: the lower triangle.",
    join=lambda causal, prefix, word: (causal.swapaxes(1, 2) | prefix) & word,
)

strict = wrongly_set(
    turned,
    "the diagonal hidden",
    "Behind the prefix, your queries do not see themselves.",
    "A word may look at itself: the comparison should hold for equal numbers, too.",
    step=-1,
)

long_prefix = wrongly_set(
    turned,
    "prefix one key too long",
    "Your prefixes are one key too long.",
    "Keys are counted from 0, so a prefix of length 2 holds the keys 0 and 1. Compare with `<`.",
    further=1,
)

long_sentence = wrongly_set(
    turned,
    "sentence one key too long",
    "Your sentences are one key too long.",
    "Keys are counted from 0, so a sentence of length 2 holds the keys 0 and 1. Compare with `<`.",
    longer=1,
)

apart = wrongly_set(
    turned,
    "prefix and rest kept apart",
    "Your mask has two blocks, and the words behind the prefix no longer see it.",
    "What comes later reads everything that came before, so the prefix is open to every query of "
    "its sentence.",
    join=lambda causal, prefix, word: (causal & ~prefix | prefix & prefix.swapaxes(1, 2)) & word,
)

by_query = wrongly_set(
    turned,
    "prefix of queries",
    "You compared the prefix length with the query's number; it has to be the key's.",
    "As it is, the queries of the prefix see everything, up to the end of the sentence. Let the "
    "numbers that you compare run along the last axis.",
    join=lambda causal, prefix, word: (causal | prefix.swapaxes(1, 2)) & word,
)

rows_hidden = wrongly_set(
    turned,
    "queries hidden as well",
    "You hid the rows of the padding as well, so that these queries see nothing at all.",
    "A query from the padding does no harm, because nobody looks at it. Hide keys only.",
    join=lambda causal, prefix, word: (causal | prefix) & word & word.swapaxes(1, 2),
)

swapped = wrongly_set(
    turned,
    "prefix and length swapped",
    "You swapped the two lengths: the sentence ends where its prefix ends.",
    "The first argument says how far the prefix reaches, the second how long the sentence is.",
    join=lambda causal, prefix, word: (causal | word) & prefix,
)


@mistake("the first prefix for all")
def first_prefix(prefix_lengths, lengths, n):
    """You gave every sentence the prefix of the first one.

    Each sentence of the batch has a prefix of its own: compare with the whole array of lengths,
    after giving it axes for queries and keys.
    """
    return answer(np.resize(prefix_lengths[:1], len(lengths)), lengths, n)


transposed = wrongly_set(
    turned,
    "transposed",
    "Each of your matrices is transposed: queries run across and keys run down.",
    "Rows are queries. The numbers of the keys run along the last axis.",
    after=lambda mask: mask.swapaxes(1, 2),
)

ones = wrongly_set(
    turned,
    "numbers instead of booleans",
    "Your pattern is right, but it is made of 0 and 1, and a mask holds True and False.",
    "Comparisons give booleans by themselves. If you multiplied and added conditions, use `&` and "
    "`|` in their place.",
    after=lambda mask: mask.astype(float),
)

additive = wrongly_set(
    turned,
    "an additive mask",
    "You made an additive mask of 0 and -inf; here a boolean one is asked for.",
    "Return True where a query may look, which is where your zeros are.",
    after=lambda mask: np.where(mask, 0.0, -np.inf),
)


exactly_one = wrongly_set(
    turned,
    "one of the two, not both",
    "You hid the keys for which both hold: those of the prefix that also come before the query.",
    "`^` asks for exactly one of two. `|` is True where both hold, too.",
    join=lambda causal, prefix, word: (causal ^ prefix) & word,
)

others = wrongly_set(
    turned,
    "itself left out",
    "Your queries do not see themselves.",
    "Query i may look at key i: leave the diagonal as it is.",
    join=lambda causal, prefix, word: (
        (causal | prefix) & word & ~np.eye(word.shape[-1], dtype=bool)
    ),
)

short_prefix = wrongly_set(
    turned,
    "prefix one key too short",
    "Your prefixes are one key too short.",
    "Keys are counted from 0, so a prefix of length 2 holds the keys 0 and 1. Nothing has to be "
    "subtracted.",
    further=-1,
)

short_sentence = wrongly_set(
    turned,
    "sentence one key too short",
    "Your sentences are one key too short.",
    "Keys are counted from 0, so a sentence of length 2 holds the keys 0 and 1. Nothing has to be "
    "subtracted.",
    longer=-1,
)


@mistake("triangle moved by the prefix")
def moved(prefix_lengths, lengths, n):
    """You moved the triangle by the prefix, so every query sees that many keys ahead of it.

    The prefix is a fixed part at the beginning. Compare its length with the key's number alone.
    """
    j = np.arange(n)
    seen = j <= j[:, None] + prefix_lengths[:, None, None]
    return seen & (j < lengths[:, None, None])


@mistake("prefix added to the length")
def lengthened(prefix_lengths, lengths, n):
    """You added the prefix to the length of the sentence, and padding is seen.

    The prefix is a part of its sentence: the length counts it already.
    """
    whole = np.minimum(lengths + prefix_lengths, n)
    return answer(prefix_lengths, whole, n)


@mistake("the longest sentence for all")
def longest(prefix_lengths, lengths, n):
    """You gave every sentence the length of the longest one.

    Each sentence has its own length, and what lies behind it is padding.
    """
    return answer(prefix_lengths, np.full_like(lengths, lengths.max(initial=0)), n)


@mistake("the last sentence's mask for all")
def last_for_all(prefix_lengths, lengths, n):
    """Every sentence of yours has the mask of the last one.

    If you filled one array again and again, all of them are that array. Make a new one for each, or
    let arrays of lengths meet all keys at once.
    """
    at = np.full(len(lengths), -1)
    return (
        answer(prefix_lengths[at], lengths[at], n) if len(lengths) else answer(lengths, lengths, n)
    )


rows_only = wrongly_set(
    turned,
    "queries hidden in the place of keys",
    "You hid the rows of the padding, and it is the columns that have to be hidden.",
    "Nobody may look at the padding: compare the length with the keys' numbers, along the last "
    "axis.",
    join=lambda causal, prefix, word: (causal | prefix) & word.swapaxes(1, 2),
)


@mistake("one array for all sentences")
def one_array(prefix_lengths, lengths, n):
    """You filled one array again and again, so every sentence has what was done for all of them.

    Make a new array for each sentence, or let arrays of lengths meet all keys at once.
    """
    mask = np.tri(n, dtype=bool)
    for prefix, length in zip(prefix_lengths, lengths, strict=True):
        mask[:, :prefix] = True
        mask[:, length:] = False
    return np.broadcast_to(mask, (len(lengths), n, n)).copy()


def square_matrices(f, prefix_lengths, lengths, n):
    """One matrix of n by n for each sentence."""
    return f(prefix_lengths, lengths, n).shape == (len(lengths), n, n)


def shows_its_prefix(f, prefix_lengths, lengths, n):
    """Every query sees the words of the prefix."""
    mask, ends = f(prefix_lengths, lengths, n), np.minimum(prefix_lengths, lengths)
    return all(matrix[:, :end].all() for matrix, end in zip(mask, ends, strict=True))


def hides_the_future(f, prefix_lengths, lengths, n):
    """Behind the prefix, no key after the query is seen."""
    mask = f(prefix_lengths, lengths, n)
    return not any(
        np.triu(matrix, 1)[:, end:].any() for matrix, end in zip(mask, prefix_lengths, strict=True)
    )


def hides_the_padding(f, prefix_lengths, lengths, n):
    """No key behind the sentence is seen."""
    mask = f(prefix_lengths, lengths, n)
    return not any(matrix[:, end:].any() for matrix, end in zip(mask, lengths, strict=True))


EXERCISE = Exercise(
    solution=prefix_mask,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("the mask is boolean", lambda f, *x: f(*x).dtype == bool),
        Fact("each sentence has a matrix of its own, (batch, n, n)", square_matrices),
        Fact("everybody sees the prefix", shows_its_prefix),
        Fact("behind the prefix, nobody sees the future", hides_the_future),
        Fact("nobody sees the padding", hides_the_padding),
    ),
    hints=(
        "You know two of the parts already: a causal mask and a padding mask. Think of the prefix "
        "as a second row of lengths, and ask what it takes for a key to be seen: which conditions "
        "are enough by themselves, and which one has to be met in any case?",
        "Number the keys along the last axis and the queries along the one before it, and give "
        "both arrays of lengths two further axes, so that they run along the first. You get three "
        "conditions that broadcast to (batch, n, n). Join first those two of which either is "
        "enough, and then the one that has to hold in any case; mind the brackets.",
    ),
)  # fmt: skip
