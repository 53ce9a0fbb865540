"""A causal band, and some words that may look at everybody before them and be seen by all after.

Beltagy, Peters & Cohan, "Longformer" (2020), section 3.1, has both, and looks both ways.
"""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set

WIDTHS = Promise(
    "widths from 0 to beyond the text are right",
    "With width 0 a word sees itself, and global words. With a width of n or more the band is the "
    "whole causal mask.",
)
GLOBALS = Promise(
    "no global word, some, or all of them are right",
    "Without global words the band is left, and if all are global the mask is causal. The first "
    "word may be one, and so may the last.",
)
ROWS = Promise(
    "one row of words, or any leading axes of rows, are right",
    "`is_global` may be of shape (n,), (batch, n) or more. Make of it one view with an axis for "
    "queries and one with an axis for keys, both counted from the end: `[..., :, None]` and "
    "`[..., None, :]`.",
)


def answer(is_global, width):
    """Give what is right, by which answers are judged: pair by pair."""
    *lead, n = is_global.shape
    mask = np.zeros((*lead, n, n), dtype=bool)
    for at in np.ndindex(*lead):
        for i in range(n):
            for j in range(i + 1):
                mask[(*at, i, j)] = i - j <= width or is_global[(*at, i)] or is_global[(*at, j)]
    return mask


def given(marks, width):
    """Give inputs; global words are marked by 1."""
    return np.array(marks, dtype=bool), width


def cases():
    """Give the example of the sheet, a batch with global words side by side, and width 0."""
    yield Case("the example drawn by hand", given([0, 0, 0, 1, 0, 0], 1))
    two_texts = [[1, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 1, 1]]
    yield Case("two texts, global words beside each other and apart", given(two_texts, 2))
    yield Case("width 0", given([0, 1, 0, 0, 0], 0))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(53)
    return {
        WIDTHS: [given([0, 0, 1, 0, 0, 0, 0], width) for width in (0, 1, 3, 5, 6, 7, 20)]
        + [given(np.zeros((2, 3)), 3), given(np.zeros(29), 23)],
        GLOBALS: [
            given([0] * 7, 2),
            given([0] * 5, 0),
            given([[0] * 3, [0] * 3], 1),
            given([1] * 5, 0),
            given(np.ones((2, 3)), 0),
            given([1, 0, 0, 0, 0], 1),
            given([0, 0, 0, 0, 1], 1),
            given([0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0], 1),
        ],
        ROWS: [(rng.random((*lead, 5)) < 0.3, 1) for lead in ((1,), (2,), (5,), (3, 2), (2, 1, 3))],
        promises.SIZES: [
            given([0], 0),
            given([1], 3),
            given([0, 1], 1),
            given([[0, 1], [1, 0]], 0),
            given([[0], [1], [1]], 0),
            *((rng.random(n) < 0.2, width) for n, width in ((13, 2), (17, 4), (23, 3))),
        ],
        promises.SAME_SHAPES: [
            *(given(marks, 1) for marks in ([0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0])),
            *(given(marks, 2) for marks in ([0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0])),
        ],
    }


def draw(rng):
    """Give random marks and a random width."""
    lead = tuple(rng.integers(1, 4, rng.integers(0, 3)))
    n = int(rng.integers(1, 12))
    return rng.random((*lead, n)) < rng.choice([0.1, 0.4]), int(rng.integers(0, n + 2))


def opened(causal, near, keys, queries):
    """Give what is right of the four conditions: nobody ahead, and any of three reasons."""
    return causal & (near | keys | queries)


def turned(is_global, width, *, more=0, joined=opened, after=np.asarray):
    """Answer with knobs, each of which can be set wrong."""
    n = is_global.shape[-1]
    back = np.arange(n)[:, None] - np.arange(n)
    keys, queries = is_global[..., None, :], is_global[..., :, None]
    mask = joined(back >= 0, np.abs(back) <= width + more, keys, queries)
    return after(np.broadcast_to(mask, (*is_global.shape, n)))


ahead = wrongly_set(
    turned,
    "global words look ahead",
    "Your global words look ahead, or are seen by words that come before them.",
    "Nobody looks ahead, global or not. Put brackets round the three reasons for being seen, then "
    "cut off the future from all of them.",
    joined=lambda causal, near, keys, queries: (causal & near) | keys | queries,
)

keys_ahead = wrongly_set(
    turned,
    "global keys ahead",
    "Your words see global words that come after them.",
    "A global word, too, is hidden until it is there: the causal condition limits it as well.",
    joined=lambda causal, near, keys, queries: (causal & (near | queries)) | keys,
)

queries_ahead = wrongly_set(
    turned,
    "global queries ahead",
    "Your global words look ahead.",
    "A global word may look at everybody *before* it: the causal condition limits it as well.",
    joined=lambda causal, near, keys, queries: (causal & (near | keys)) | queries,
)

two_sided = wrongly_set(
    turned,
    "not causal",
    "Your mask looks both ways.",
    "Keep only the keys that do not come after the query, j <= i.",
    joined=lambda causal, near, keys, queries: near | keys | queries,
)

all_ahead = wrongly_set(
    turned,
    "not causal, and no end ahead",
    "Your mask shows all that comes after a word.",
    "i - j is below 0 there, and so below any width. Keep only the keys with j <= i.",
    joined=lambda causal, near, keys, queries: near | ~causal | keys | queries,
)

keys_alone = wrongly_set(
    turned,
    "global words seen and not seeing",
    "Your global words are seen by everybody after them, but do not themselves see further.",
    "There are two ways to be global: as a key, and as a query. Either of them opens a pair.",
    joined=lambda causal, near, keys, queries: causal & (near | keys),
)

queries_alone = wrongly_set(
    turned,
    "global words seeing and not seen",
    "Your global words see everybody before them, but later words do not see them.",
    "There are two ways to be global: as a query, and as a key. Either of them opens a pair.",
    joined=lambda causal, near, keys, queries: causal & (near | queries),
)

both_needed = wrongly_set(
    turned,
    "global to each other only",
    "Your global words see each other, and otherwise keep to the band.",
    "One global word is enough to open a pair: join the two conditions with `|`, not with `&`.",
    joined=lambda causal, near, keys, queries: causal & (near | keys & queries),
)

narrow = wrongly_set(
    turned,
    "the band one word too narrow",
    "Your band is one word too narrow.",
    "A width of 2 shows a word itself and *two* words before it: i - j is at most 2.",
    more=-1,
)

wide = wrongly_set(
    turned,
    "the band one word too wide",
    "Your band is one word too wide.",
    "A width of 2 shows a word itself and two words before it: i - j is at most 2.",
    more=1,
)

no_band = wrongly_set(
    turned,
    "no band",
    "Your words see global words alone, and not the words shortly before them.",
    "A pair is open where j lies in the band, too.",
    joined=lambda causal, near, keys, queries: (
        causal & (keys | queries | np.eye(len(near), dtype=bool))
    ),
)

band_alone = wrongly_set(
    turned,
    "no global words",
    "Your mask is the band alone: global words are ignored.",
    "Ask two more questions of each pair: is the key global, is the query?",
    joined=lambda causal, near, keys, queries: causal & near,
)

all_needed = wrongly_set(
    turned,
    "band and global joined by and",
    "You asked for everything at once: in the band, and global.",
    "Either is enough to open a pair: join these conditions with `|`.",
    joined=lambda causal, near, keys, queries: causal & near & (keys | queries),
)

strict = wrongly_set(
    turned,
    "the diagonal hidden",
    "Your words do not see themselves.",
    "A word may look at itself: compare the places with `<=`, not with `<`.",
    after=lambda mask: mask & ~np.eye(mask.shape[-1], dtype=bool),
)

exactly = wrongly_set(
    turned,
    "one word of the band",
    "Of the words before it, each word sees only the one that stands `width` places back.",
    "The band is all of them from there on: i - j is at most `width`.",
    joined=lambda causal, near, keys, queries: (
        causal & ((near & ~np.roll(near, 1, axis=0)) | keys | queries)
    ),
)

either_alone = wrongly_set(
    turned,
    "two global words hidden from each other",
    "Your global words do not see each other, where both words of a pair are global.",
    "Either of them opens a pair, and so do both: join the conditions with `|`, not with `^`.",
    joined=lambda causal, near, keys, queries: causal & (near | (keys ^ queries)),
)

added_numbers = wrongly_set(
    turned,
    "0 and -inf",
    "Your pattern is right, but it holds 0 and -inf, and a mask holds True and False.",
    "Return the condition itself, and not what would be added to scores.",
    after=lambda mask: np.where(mask, 0.0, -np.inf),
)

no_end = wrongly_set(
    turned,
    "a band without end",
    "Your words see everybody before them, however far away.",
    "j - i is below any width where j comes before i. How far a key lies back is i - j.",
    joined=lambda causal, near, keys, queries: causal,
)


@mistake("a slice that begins below 0")
def from_below_0(is_global, width):
    """Your band is missing in the first rows, where a slice begins below 0.

    A start of -1 means the last place. Begin at `max(0, i - width)`.
    """
    n = is_global.shape[-1]
    band = np.zeros((n, n), dtype=bool)
    for i in range(n):
        band[i, i - width : i + 1] = True
    pairs = is_global[..., None, :] | is_global[..., :, None]
    return np.tri(n, dtype=bool) & (band | pairs)


@mistake("global queries along the last axis")
def queries_along_keys(is_global, width):
    """You gave the axis of the queries its place from the front, and in a batch it is another.

    Count from the end: `is_global[..., :, None]`.
    """
    n = is_global.shape[-1]
    back = np.arange(n)[:, None] - np.arange(n)
    return (back >= 0) & ((back <= width) | is_global[..., None, :] | is_global[:, None])


@mistake("global in one text, global in all")
def global_in_all(is_global, width):
    """You took a place that is global in one text for global in all of them.

    Each text has global words of its own. Keep the axes in front: `is_global[..., None, :]`.
    """
    anywhere = is_global.reshape(-1, is_global.shape[-1]).any(axis=0)
    return answer(np.broadcast_to(anywhere, is_global.shape), width)


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
    "Your mask is transposed: words look ahead, and not back.",
    "Rows are queries. The places of the keys run along the last axis.",
    after=lambda mask: mask.swapaxes(-1, -2),
)

ones = wrongly_set(
    turned,
    "numbers instead of booleans",
    "Your pattern is right, but it is made of numbers, and a mask holds True and False.",
    "Comparisons give booleans by themselves. Join them with `&` and `|`.",
    after=lambda mask: mask.astype(float),
)


def nobody_ahead(f, is_global, width):
    """No key after its query is seen."""
    return not np.triu(f(is_global, width), 1).any()


def all_are_seen(f, is_global, width):
    """Global keys are seen by everybody from them on."""
    mask = f(is_global, width)
    due = np.tril(np.broadcast_to(is_global[..., None, :], mask.shape))
    return bool(mask[due].all())


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("the mask is boolean", lambda f, *x: f(*x).dtype == bool),
        Fact("nobody looks ahead", nobody_ahead),
        Fact("everybody from a global word on sees it", all_are_seen),
    ),
)
