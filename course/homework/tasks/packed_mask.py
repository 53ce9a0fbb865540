"""Several sentences in one row, one after the other, each read as if it stood there alone."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set

FILLING = Promise(
    "filling sees nothing and is seen by nobody",
    "What stands behind the last sentence belongs to none. It has no sentence in common with "
    "itself either: its rows and its columns are False throughout.",
)
EMPTY_SENTENCES = Promise(
    "sentences of length 0 take no place",
    "A length of 0 may stand anywhere, in front, in between or at the end. The sentences around "
    "it stay apart, each one whole.",
)
FULL = Promise(
    "rows without filling are right",
    "The lengths may sum to n exactly. Then the last word of the row is a word like any other.",
)


def answer(lengths, n):
    """Give what is right, by which answers are judged: one triangle laid after the other."""
    mask = np.zeros((len(lengths), n, n), dtype=bool)
    for row, own in zip(mask, lengths, strict=True):
        start = 0
        for length in own:
            for i in range(start, start + length):
                row[i, start : i + 1] = True
            start += length
    return mask


def given(lengths, n):
    """Give inputs whose lengths are an array of integers, (batch, most)."""
    return np.array(lengths, dtype=int), n


def cases():
    """Give a row to draw by hand, rows of other sentences each, and an empty sentence."""
    yield Case("the example drawn by hand", given([[3, 2]], 6))
    yield Case("two rows, neighbours of equal length", given([[2, 2, 1], [1, 4, 0]], 7))
    yield Case("an empty sentence in between", given([[2, 0, 3]], 5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    return {
        FILLING: [
            given([[1, 1], [2, 0], [0, 0]], 4),
            given([[2]], 7),
            given([[0]], 3),
            given([[1, 2, 2]], 11),
        ],
        EMPTY_SENTENCES: [
            given([[0, 2, 3]], 7),
            given([[2, 0, 0, 3], [0, 0, 1, 2], [3, 1, 0, 0]], 7),
            given([[2, 0, 2, 0]], 4),
            given([[0, 0], [0, 3]], 3),
        ],
        FULL: [given([[3, 2]], 5), given([[1, 1, 1]], 3), given([[5]], 5), given([[2, 3, 2]], 7)],
        promises.SIZES: [
            given([[1]], 1),
            given([[0]], 1),
            given([[4]], 4),
            given([[1, 0], [0, 1]], 2),
            given([[1, 1, 1, 1, 1]], 7),
            given([[1, 2], [2, 1], [0, 3]], 3),
            given([[2, 1], [1, 2], [1, 1], [3, 0], [0, 2]], 5),
            given([[4, 5, 2, 1], [7, 1, 3, 2]], 13),
        ],
        promises.SAME_SHAPES: [
            given([[3, 1, 2], [1, 1, 4]], 7),
            given([[1, 3, 2], [1, 1, 4]], 7),
            given([[3, 1, 2], [4, 1, 1]], 7),
            given([[2, 2, 3], [0, 5, 1]], 7),
        ],
    }


def draw(rng):
    """Give random lengths, with filling or without."""
    lengths = rng.integers(0, 5, size=rng.integers(1, 5, 2))
    return lengths, int(lengths.sum(axis=1).max() + rng.integers(0, 4)) or 1


def ends_of(lengths):
    """Give where each sentence ends: the place behind it."""
    return np.cumsum(lengths, axis=1)


def opened(causal, same, queries, keys):
    """Give what is right of the four conditions: all of them."""
    return causal & same & queries & keys


def turned(lengths, n, *, ends=ends_of, ended=np.less_equal, joined=opened, after=np.asarray):
    """Answer with knobs, each of which can be set wrong."""
    places = np.arange(n)
    sentence = ended(ends(lengths)[:, :, None], places).sum(axis=1)  # (batch, n)
    word = places < lengths.sum(axis=1)[:, None]  # (batch, n)
    same = sentence[:, :, None] == sentence[:, None, :]
    return after(joined(places <= places[:, None], same, word[:, :, None], word[:, None, :]))


both_ways = wrongly_set(
    turned,
    "the future shown",
    "Your sentences are apart, and yet their words look ahead.",
    "A word looks at its own sentence and not beyond itself: join both conditions with `&`.",
    joined=lambda causal, same, queries, keys: same & keys,
)

all_in_one = wrongly_set(
    turned,
    "sentences not kept apart",
    "Your words look at sentences before their own.",
    "Number the sentences, and let a query look only where the key's number is its own.",
    joined=lambda causal, same, queries, keys: causal & queries & keys,
)

causal_words = wrongly_set(
    turned,
    "sentences not kept apart, and seen by filling",
    "Your words look at sentences before their own, and so does the filling.",
    "Number the sentences, and let a query look only where the key's number is its own.",
    joined=lambda causal, same, queries, keys: causal & keys,
)

filling_too = wrongly_set(
    turned,
    "the filling a sentence of its own",
    "Your filling looks at itself, as if it were one more sentence.",
    "Places behind the last sentence see nothing: ask of each key also whether it is a word.",
    joined=lambda causal, same, queries, keys: causal & same,
)

filling_in_last = wrongly_set(
    turned,
    "the filling in the last sentence",
    "Your last sentence runs on into the filling.",
    "It has a length as the others have, and ends before the filling.",
    ends=lambda lengths: ends_of(lengths)[:, :-1],
    joined=lambda causal, same, queries, keys: causal & same,
)

late = wrongly_set(
    turned,
    "ends one place late",
    "You put the first word of each sentence with the sentence before it.",
    "Places are counted from 0, so sentences of 3 and 2 words hold the places 0 to 2 and 3 to 4. "
    "A sentence has ended before place j where the sum of the lengths so far is at most j: `<=`.",
    ended=np.less,
)

as_ends = wrongly_set(
    turned,
    "lengths taken for ends",
    "You took each length for the place where its sentence ends.",
    "Sentences stand one after the other: the second one ends where both lengths together say. "
    "`np.cumsum(lengths, axis=1)` sums them up.",
    ends=lambda lengths: lengths,
)

along_batch = wrongly_set(
    turned,
    "summed along the batch",
    "You summed the lengths down the batch, axis 0, where each row has sentences of its own.",
    "Sum along the last axis: `np.cumsum(lengths, axis=1)`.",
    ends=lambda lengths: np.cumsum(lengths, axis=0),
)


def keys_alone(causal, same, queries, keys):
    """Give all conditions but that of the queries, which follows where sentences are told apart."""
    return causal & same & keys


late_keys = wrongly_set(
    turned,
    "ends one place late, and seen by filling",
    "You put the first place behind each sentence with the sentence before it.",
    "Places are counted from 0, so sentences of 3 and 2 words hold the places 0 to 2 and 3 to 4. "
    "A sentence has ended before place j where the sum of the lengths so far is at most j: `<=`.",
    ended=np.less,
    joined=keys_alone,
)


def by_ends(lengths, n, *, ends=ends_of):
    """Answer with ends that may be wrong, the last of which tells words from filling."""
    places, found = np.arange(n), ends(lengths)
    sentence = (found[:, :, None] <= places).sum(axis=1)
    same = sentence[:, :, None] == sentence[:, None, :]
    return same & (places <= places[:, None]) & (places < found[:, -1:])[:, None, :]


as_all_ends = wrongly_set(
    by_ends,
    "lengths taken for ends, the last one for all words",
    "You took each length for the place where its sentence ends.",
    "Sentences stand one after the other: the second one ends where both lengths together say. "
    "`np.cumsum(lengths, axis=1)` sums them up.",
    ends=lambda lengths: lengths,
)

through_all_rows = wrongly_set(
    by_ends,
    "summed through all rows",
    "You summed the lengths of all rows as if they were one.",
    "Each row begins at place 0. Sum along the last axis: `np.cumsum(lengths, axis=1)`.",
    ends=lambda lengths: np.cumsum(lengths).reshape(lengths.shape),
)

along_batch_throughout = wrongly_set(
    by_ends,
    "summed along the batch, throughout",
    "You summed the lengths down the batch, axis 0, where each row has sentences of its own.",
    "Sum along the last axis: `np.cumsum(lengths, axis=1)`.",
    ends=lambda lengths: np.cumsum(lengths, axis=0),
)

filling_itself = wrongly_set(
    turned,
    "each place of filling sees itself",
    "Your filling looks at itself, each place at its own.",
    "Filling may look at nothing, itself included: its part of the diagonal is False, too.",
    after=lambda mask: mask | np.eye(mask.shape[-1], dtype=bool),
)

either = wrongly_set(
    turned,
    "joined by or",
    "You let a word look where one of the conditions holds, and all of them have to.",
    "Join them with `&`.",
    joined=lambda causal, same, queries, keys: causal | same,
)

added_numbers = wrongly_set(
    turned,
    "0 and -inf",
    "Your pattern is right, but it holds 0 and -inf, and a mask holds True and False.",
    "Return the condition itself, and not what would be added to scores.",
    after=lambda mask: np.where(mask, 0.0, -np.inf),
)


def drawn(lengths, n, *, step=np.add, anew=True, stop=False):
    """Draw one triangle after the other, with steps that can be wrong."""
    mask, start = np.zeros((len(lengths), n, n), dtype=bool), 0
    for row, own in zip(mask, lengths, strict=True):
        start = 0 if anew else start
        for length in own:
            if stop and length == 0:
                break
            places = np.arange(n)
            inside = (places >= start) & (places < start + length)
            row |= np.tri(n, dtype=bool) & inside & inside[:, None]
            start = step(start, length)
    return mask


not_moved_on = wrongly_set(
    drawn,
    "the start not moved on",
    "You let each sentence begin where the length of the one before it says.",
    "It begins where all sentences before it end: add up the lengths, `start += length`.",
    step=lambda start, length: length,
)

not_anew = wrongly_set(
    drawn,
    "the start not set back",
    "You go on in each row of the batch where the row before it ended.",
    "Every row begins at place 0: set the start back to 0 for each of them.",
    anew=False,
)

stopping = wrongly_set(
    drawn,
    "nothing behind an empty sentence",
    "You stop at a length of 0, and there may be sentences behind it.",
    "A sentence of length 0 takes up no room. Go on with the next one.",
    stop=True,
)


@mistake("neighbours of equal length made one")
def by_length(lengths, n):
    """You told sentences apart by their lengths, so two of the same length are one.

    Number the sentences, 0, 1, 2, and so on: then no two have the same number.
    """
    numbers = np.full((len(lengths), n), -1)
    for row, own in zip(numbers, lengths, strict=True):
        row[: own.sum()] = np.repeat(own, own)
    same = (numbers[:, :, None] == numbers[:, None, :]) & (numbers >= 0)[:, None, :]
    return same & np.tri(n, dtype=bool)


@mistake("the first sentence alone")
def first_alone(lengths, n):
    """You looked at the first sentence of each row alone.

    The others stand behind it, one after the other.
    """
    return answer(lengths[:, :1], n)


@mistake("the first row for all")
def first_row(lengths, n):
    """You gave every row of the batch the sentences of the first one.

    Each row holds sentences of its own, so the mask has a matrix for each.
    """
    return answer(np.repeat(lengths[:1], len(lengths), axis=0), n)


@mistake("one mask for all rows")
def merged(lengths, n):
    """You drew the sentences of all rows of the batch into one mask.

    Each row holds sentences of its own: begin with an empty matrix for each.
    """
    return np.repeat(answer(lengths, n).any(axis=0)[None], len(lengths), axis=0)


@mistake("begun one place early")
def early(lengths, n):
    """Your words see the last word of the sentence before their own.

    Sentences of 3 and 2 words hold the places 0 to 2 and 3 to 4: each begins where the ones before
    it end.
    """
    mask = answer(lengths, n)
    for row, own in zip(mask, lengths, strict=True):
        for start, length in zip(np.cumsum(own) - own, own, strict=True):
            row[start : start + length, max(start - 1, 0)] |= start > 0
    return mask


strict = wrongly_set(
    turned,
    "the diagonal hidden",
    "Your words do not see themselves.",
    "A word may look at itself: compare the places with `<=`, not with `<`.",
    after=lambda mask: mask & ~np.eye(mask.shape[-1], dtype=bool),
)

inverted = wrongly_set(
    turned,
    "inverted",
    "Your mask is inverted: it is True where a query may not look.",
    'In this course True means "may look". Turn the mask round with `~`.',
    after=np.logical_not,
)

transposed = wrongly_set(
    turned,
    "transposed",
    "Each of your matrices is transposed: words look ahead, and not back.",
    "Rows are queries. The places of the keys run along the last axis.",
    after=lambda mask: mask.swapaxes(1, 2),
)

ones = wrongly_set(
    turned,
    "numbers instead of booleans",
    "Your pattern is right, but it is made of numbers, and a mask holds True and False.",
    "Comparisons give booleans by themselves. Join them with `&`.",
    after=lambda mask: mask.astype(float),
)


def as_many_as_before(f, lengths, n):
    """Count: the word at place p of its sentence sees p + 1 words, and filling none."""
    counts = [[p + 1 for length in own for p in range(length)] for own in lengths]
    filled = np.array([[*row, *[0] * (n - len(row))] for row in counts])
    return np.array_equal(f(lengths, n).sum(axis=-1), filled)


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("the mask is boolean", lambda f, *x: f(*x).dtype == bool),
        Fact("each word sees as many words as its sentence has so far", as_many_as_before),
    ),
)  # fmt: skip
