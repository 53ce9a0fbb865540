"""A learned bias for each distance, near ones by themselves and far ones in buckets that double.

Raffel et al., "Exploring the limits of transfer learning with a unified text-to-text transformer"
(2020), section 2.1; their buckets grow by the square root of 2.
"""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set

EDGES = Promise(
    "a distance of n_exact, twice that, four times that, … begins a bucket",
    "Look at the distances n_exact, 2 · n_exact, 4 · n_exact, and at each one before them. Whole "
    "numbers are compared without rounding, and logarithms are not.",
)
FAR = Promise(
    "the last bucket takes all that is further",
    "However far a key is, there is no bucket behind the last one.",
)
SIDES = Promise(
    "keys before and after a query have each their table, and distance 0 is one of `before`",
    "A key at the query's own place is not after it, so `after[:, 0]` is never used. A text may be "
    "so short on one side that one table is hardly read.",
)
BUCKETS = Promise(
    "any numbers of buckets and of exact ones are right",
    "n_exact may be 1, and it may be one less than the number of buckets, so that all far "
    "distances share the only bucket that is left.",
)


def answer(before, after, n_exact, n_queries, n_keys):
    """Give what is right, by which answers are judged: pair by pair, doubling an edge."""
    bias = np.zeros((len(before), n_queries, n_keys))
    for i in range(n_queries):
        for j in range(n_keys):
            table = after if j > i else before
            bias[:, i, j] = table[:, _bucket(abs(i - j), n_exact, before.shape[1])]
    return bias


def _bucket(distance, n_exact, n_buckets):
    if distance < n_exact:
        return distance
    bucket, end = n_exact, 2 * n_exact
    while distance >= end:
        bucket, end = bucket + 1, 2 * end
    return min(bucket, n_buckets - 1)


def given(rng, n_heads, n_buckets, n_exact, n_queries, n_keys):
    """Give tables of one decimal, in which no number of a row is there twice, and sizes."""
    before, after = (
        np.stack([(rng.permutation(99)[:n_buckets] - 50) / 10 for _ in range(n_heads)])
        for _ in range(2)
    )
    return before, after, n_exact, n_queries, n_keys


def cases():
    """Give the example of the sheet, then two heads and three exact distances."""
    before = np.array([[0.0, -1.0, -2.0, -3.0]])
    after = np.array([[9.0, 1.0, 2.0, 3.0]])
    yield Case("the example done by hand", (before, after, 2, 3, 7))
    rng = np.random.default_rng(71)
    yield Case("two heads, and more queries than keys", given(rng, 2, 5, 3, 7, 2))
    yield Case("one exact distance", given(rng, 1, 5, 1, 2, 11))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(72)
    return {
        EDGES: [
            given(rng, 1, 7, 1, 1, 70),
            given(rng, 1, 7, 1, 67, 2),
            given(rng, 1, 7, 2, 1, 70),
            given(rng, 1, 6, 2, 1, 37),
            given(rng, 1, 8, 3, 60, 1),
            given(rng, 1, 10, 6, 1, 41),
            given(rng, 1, 7, 3, 1, 53),
            given(rng, 1, 7, 3, 50, 2),
            given(rng, 1, 8, 5, 2, 43),
            given(rng, 1, 11, 7, 1, 60),
            given(rng, 1, 12, 3, 3, 1000),
            given(rng, 1, 14, 1, 2, 5000),
        ],
        FAR: [
            given(rng, 1, 3, 1, 1, 41),
            given(rng, 1, 4, 2, 43, 1),
            given(rng, 2, 4, 2, 3, 3000),
        ],
        SIDES: [
            given(rng, 2, 5, 2, 7, 7),
            given(rng, 1, 4, 2, 1, 1),
            given(rng, 1, 5, 2, 19, 1),
            given(rng, 1, 5, 2, 1, 19),
        ],
        BUCKETS: [
            given(rng, 1, 2, 1, 5, 7),
            given(rng, 1, 4, 3, 7, 5),
            given(rng, 2, 8, 7, 3, 17),
            given(rng, 1, 23, 2, 3, 11),
            given(rng, 1, 23, 19, 7, 11),
            given(rng, 1, 40, 1, 1, 50),
        ],
        promises.SIZES: [
            *(given(rng, 2, 4, 2, *pair) for pair in promises.SIZE_PAIRS),
            given(rng, 5, 5, 2, 5, 5),
            given(rng, 7, 3, 2, 2, 3),
        ],
        promises.SAME_SHAPES: promises.again(lambda: given(rng, 2, 5, 2, 5, 11)),
    }


def draw(rng):
    """Give random tables, of sizes that are random too."""
    n_exact = int(rng.integers(1, 6))
    sizes = map(int, rng.integers(1, 60, 2))
    return given(rng, int(rng.integers(1, 4)), n_exact + int(rng.integers(1, 7)), n_exact, *sizes)


def steps(n_queries, n_keys):
    """Give how far each key lies ahead of each query: (n_queries, n_keys)."""
    return np.arange(n_keys) - np.arange(n_queries)[:, None]


def looked_up(before, after, buckets, ahead):
    """Give the entries of these buckets, those of `after` where ahead is True."""
    buckets = np.clip(buckets, 0, before.shape[1] - 1).astype(int)
    return np.where(ahead, after[:, buckets], before[:, buckets])


def bucket(distances, n_exact, *, side="right"):
    """Give the number of each distance's bucket, as if there were as many as one likes."""
    edges = np.concatenate([np.arange(1, n_exact), n_exact * 2.0 ** np.arange(50)])
    return np.searchsorted(edges, distances, side=side)


def by_logarithm(distances, n_exact, log, whole):
    """Give the number of each distance's bucket by a logarithm that is made whole."""
    far = whole(log(np.maximum(distances, n_exact) / n_exact)) + n_exact
    return np.where(distances < n_exact, distances, far)


def turned(
    before, after, n_exact, n_queries, n_keys, *, bucket=bucket, later=lambda ahead: ahead > 0
):
    """Answer with knobs, each of which can be set wrong."""
    ahead = steps(n_queries, n_keys)
    return looked_up(before, after, bucket(abs(ahead), n_exact), later(ahead))


swapped = wrongly_set(
    turned,
    "the sides swapped",
    "You took `after` for keys before the query, and `before` for those after it.",
    "Rows are queries: in row i, the keys j > i come after the query. With i - j the signs are "
    "the other way round.",
    later=lambda ahead: ahead < 0,
)

zero_after = wrongly_set(
    turned,
    "distance 0 among those after",
    "You took the query's own place from `after`.",
    "A key at the query's own place is not after it: `before[:, 0]` is for distance 0.",
    later=lambda ahead: ahead >= 0,
)


@mistake("transposed")
def transposed(before, after, n_exact, n_queries, n_keys):
    """Your queries run across and your keys run down.

    The answer is (n_heads, n_queries, n_keys): the keys' numbers run along the last axis.
    """
    return answer(before, after, n_exact, n_queries, n_keys).swapaxes(1, 2)


@mistake("one table")
def one_table(before, after, n_exact, n_queries, n_keys):
    """You took everything from `before`.

    What lies ahead of a query has a table of its own: `after`.
    """
    return answer(before, before, n_exact, n_queries, n_keys)


exact_alone = wrongly_set(
    turned,
    "no buckets",
    "You gave each distance a bucket of its own, up to the last.",
    "Only the distances below n_exact have one each. Each bucket after those is wider: it ends "
    "where twice its first distance begins the next.",
    bucket=lambda distances, n_exact: distances,
)

one_far = wrongly_set(
    turned,
    "everything far in one bucket",
    "You put all distances from n_exact on into one bucket.",
    "The first far bucket ends before 2 · n_exact, the next one before 4 · n_exact, and so on.",
    bucket=np.minimum,
)

late = wrongly_set(
    turned,
    "buckets begin one later",
    "Your buckets begin one distance too late.",
    "A distance of n_exact is no longer exact, and one of 2 · n_exact is in the next bucket "
    'already: with `<=` where you have `<`, or `side="right"` for np.searchsorted.',
    bucket=lambda distances, n_exact: np.where(
        distances <= n_exact, distances, bucket(distances, n_exact, side="left")
    ),
)

all_late = wrongly_set(
    turned,
    "all buckets begin one later",
    "All of your buckets begin one distance too late, the exact ones, too.",
    "A distance that is equal to an edge has reached it: np.searchsorted needs "
    '`side="right"` for that.',
    bucket=lambda distances, n_exact: bucket(distances, n_exact, side="left"),
)

raised = wrongly_set(
    turned,
    "a logarithm that is rounded up",
    "You rounded the logarithm up, and it has to be rounded down.",
    "A bucket reaches up to twice its first distance: all logarithms from m up to m + 1 belong to "
    "it.",
    bucket=lambda distances, n_exact: by_logarithm(distances, n_exact, np.log2, np.ceil),
)

whole_distance = wrongly_set(
    turned,
    "the logarithm of the distance alone",
    "You took the logarithm of the distance, and it is that of the distance divided by n_exact.",
    "At n_exact itself the far buckets begin: there the logarithm has to be 0.",
    bucket=lambda distances, n_exact: np.where(
        distances < n_exact,
        distances,
        n_exact + np.floor(np.log2(np.maximum(distances, 1))),
    ),
)

one_width = wrongly_set(
    turned,
    "far buckets of one width",
    "All your far buckets are n_exact wide, and they should double.",
    "The first one ends before 2 · n_exact, the next before 4 · n_exact, then 8 · n_exact.",
    bucket=lambda distances, n_exact: np.where(
        distances < n_exact, distances, n_exact - 1 + distances // n_exact
    ),
)

by_root_2 = wrongly_set(
    turned,
    "buckets that grow by the root of 2",
    "Your buckets grow by the square root of 2, and they should double.",
    "That is how T5 does it. Here each edge is twice the one before.",
    bucket=lambda distances, n_exact: np.searchsorted(
        np.concatenate([np.arange(1, n_exact), n_exact * np.sqrt(2) ** np.arange(100)]),
        distances,
        side="right",
    ),
)

apart_by_doubling = wrongly_set(
    turned,
    "edges n_exact + 1, 2, 4, …",
    "You added 1, 2, 4 and so on to n_exact, where n_exact itself is to be doubled.",
    "The edges are n_exact, 2 · n_exact, 4 · n_exact: n_exact times a power of 2.",
    bucket=lambda distances, n_exact: np.searchsorted(
        np.concatenate([np.arange(1, n_exact), n_exact + 2.0 ** np.arange(50)]),
        distances,
        side="right",
    ),
)


missed_edge = wrongly_set(
    turned,
    "an edge missed by rounding",
    "Your logarithm falls just short of a whole number at some of the edges, by rounding.",
    "Compare distances with the edges n_exact, 2 · n_exact, 4 · n_exact themselves, or divide by "
    "n_exact first and take `np.log2`.",
    bucket=lambda distances, n_exact: np.where(
        distances < n_exact,
        distances,
        n_exact
        + ((np.log(np.maximum(distances, n_exact)) - np.log(n_exact)) / np.log(2)).astype(int),
    ),
)


@mistake("the last bucket never used")
def one_bucket_less(before, after, n_exact, n_queries, n_keys):
    """Your last bucket is never used: what is far ends in the one before it.

    Buckets are counted from 0, so the last of them is `before.shape[1] - 1`.
    """
    fewer = before[:, :-1], after[:, :-1]
    return turned(*fewer, n_exact, n_queries, n_keys)


@mistake("the first head's tables for all")
def first_heads(before, after, n_exact, n_queries, n_keys):
    """You took the tables of head 0 for all heads.

    Each head has a row of its own in both tables: keep the axis, as in `before[:, buckets]`.
    """
    heads = np.zeros(len(before), dtype=int)
    return answer(before[heads], after[heads], n_exact, n_queries, n_keys)


@mistake("far buckets up to a distance of 128")
def up_to_128(before, after, n_exact, n_queries, n_keys):
    """You spread the far buckets evenly, by the logarithm, up to a distance of 128.

    That is how T5 does it. Here each edge is twice the one before, however many buckets there are.
    """
    ahead, n_far = steps(n_queries, n_keys), before.shape[1] - n_exact
    far = np.log(np.maximum(abs(ahead), n_exact) / n_exact) / np.log(128 / n_exact) * n_far
    buckets = np.where(abs(ahead) < n_exact, abs(ahead), n_exact + np.floor(far))
    return looked_up(before, after, buckets, ahead > 0)


@mistake("no absolute value")
def signed(before, after, n_exact, n_queries, n_keys):
    """You gave all keys before a query bucket 0, since their distance came out below 0.

    A distance is |i - j|: take the absolute value before you look for its bucket.
    """
    ahead = steps(n_queries, n_keys)
    return looked_up(before, after, bucket(np.maximum(ahead, 0), n_exact), ahead > 0)


@mistake("aligned at the last place")
def aligned_last(before, after, n_exact, n_queries, n_keys):
    """You placed the last query at the last key.

    Query i stands at place i and key j at place j, however many there are of each.
    """
    ahead = steps(n_queries, n_keys) - (n_keys - n_queries)
    return looked_up(before, after, bucket(abs(ahead), n_exact), ahead > 0)


@mistake("both tables added")
def both_added(before, after, n_exact, n_queries, n_keys):
    """You added what stands in both tables.

    A key stands before the query, or at its place, or after it: one table counts.
    """
    return answer(before + after, before + after, n_exact, n_queries, n_keys)


rounded = wrongly_set(
    turned,
    "a logarithm that is rounded",
    "You rounded the logarithm to the nearest whole number, and it has to be rounded down.",
    "A bucket reaches up to twice its first distance: all logarithms from m up to m + 1 belong to "
    "it.",
    bucket=lambda distances, n_exact: by_logarithm(distances, n_exact, np.log2, np.rint),
)

natural = wrongly_set(
    turned,
    "a natural logarithm",
    "Your buckets grow by 2.718 and not by 2.",
    "`np.log` is the natural logarithm. The edges double, so take base 2, or better, compare with "
    "the edges themselves.",
    bucket=lambda distances, n_exact: by_logarithm(distances, n_exact, np.log, np.floor),
)

doubling_alone = wrongly_set(
    turned,
    "buckets without exact ones",
    "Your buckets double from the start.",
    "The first n_exact buckets hold one distance each: 0, 1, …, n_exact - 1.",
    bucket=lambda distances, n_exact: bucket(distances, 1),
)


@mistake("nothing for what is furthest")
def furthest_left_out(before, after, n_exact, n_queries, n_keys):
    """You added 0 where a key is too far for the last bucket.

    The last bucket takes everything from its first distance on.
    """
    ahead = steps(n_queries, n_keys)
    inside = bucket(abs(ahead), n_exact) < before.shape[1]
    return inside * answer(before, after, n_exact, n_queries, n_keys)


def along_diagonals(f, before, after, n_exact, n_queries, n_keys):
    """Each pair has the bias of the pair one step further on."""
    bias = f(before, after, n_exact, n_queries, n_keys)
    return np.array_equal(bias[:, 1:, 1:], bias[:, :-1, :-1])


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(Fact("the bias depends on the signed distance alone", along_diagonals),),
)  # fmt: skip
