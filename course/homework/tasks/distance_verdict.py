"""Whether scores that were measured depend on the distance of two places alone."""

import itertools

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set

PLACES = Promise(
    "places in any order, with gaps, and below 0 are right",
    "The distance is the difference of two *places*, not of two indices: query_places and "
    "key_places say where a row and a column belong. Neighbouring rows may stand far apart.",
)
WORDS = Promise(
    "one pair of words that disagrees is enough, and different pairs are not compared",
    "Scores are compared within one table. If a single table refutes a rule, it is refuted, "
    "whatever the other tables say.",
)
ROUNDING = Promise(
    "scores that differ by rounding count as equal",
    "Ask whether the difference is at most 1e-6, and not whether it is 0.",
)
SMALL = Promise(
    "a small difference is a difference",
    "Scores that are a thousandth apart are not equal. Do not round them, and do not compare in "
    "proportion to their size.",
)
SILENT = Promise(
    "an experiment that can refute nothing gives 2",
    "Where no distance is there twice, nothing is refuted. Then even a table of a single score "
    "gives an answer.",
)


def answer(scores, query_places, key_places):
    """Give what is right, by which answers are judged: each pair of pairs, in every table."""
    verdicts = np.full(scores.shape[:-3], 2)
    pairs = list(itertools.product(range(len(query_places)), range(len(key_places))))
    for at in np.ndindex(scores.shape[:-2]):
        for (i, j), (k, l) in itertools.combinations(pairs, 2):  # noqa: E741
            if abs(scores[at][i, j] - scores[at][k, l]) <= 1e-6:
                continue
            one, other = (int(key_places[b] - query_places[a]) for a, b in ((i, j), (k, l)))
            if one == other:
                verdicts[at[:-1]] = 0
            elif one == -other:
                verdicts[at[:-1]] = min(verdicts[at[:-1]], 1)
    return verdicts


def measured(rng, query_places, key_places, kinds, n_words=1):
    """Give made-up scores of the schemes of these kinds, (n_schemes, n_words, …), and the places.

    The kinds are the verdicts: 0 for scores without any rule, 1 and 2 for such with one.
    """
    query_places, key_places = np.array(query_places), np.array(key_places)
    ahead = key_places - query_places[:, None]
    reach = int(np.abs(ahead).max())
    tables = np.zeros((len(kinds), n_words, *ahead.shape))
    for scheme, kind in zip(tables, kinds, strict=True):
        for table in scheme:
            table += rng.integers(-40, 40, table.shape) / 8
            if kind:
                line = rng.permutation(8 * reach + 8)[: 2 * reach + 1] / 8
                table[:] = line[ahead + reach if kind == 1 else np.abs(ahead)]
    return tables, query_places, key_places


def one(table, query_places, key_places):
    """Give a single table of a single scheme."""
    return np.array(table, dtype=float)[None, None], np.array(query_places), np.array(key_places)


def cases():
    """Give three places and their tables: one of each verdict, then others with gaps."""
    tables = [
        [[[5.0, 3.0, 1.0], [3.0, 5.0, 3.0], [1.0, 3.0, 5.0]]],
        [[[5.0, 3.0, 1.0], [4.0, 5.0, 3.0], [0.0, 4.0, 5.0]]],
        [[[5.0, 3.0, 1.0], [3.0, 5.0, 2.0], [1.0, 3.0, 5.0]]],
    ]
    places = np.arange(3)
    yield Case("the example done by hand", (np.array(tables), places, places))
    one_breaks = np.array([[[5.0, 3.0], [3.0, 5.0]], [[2.0, 1.0], [1.0, 4.0]]])
    two = np.stack([one_breaks, one_breaks[::-1]])  # once the second one, and once the first
    yield Case("two pairs of words, of which one contradicts", (two, places[:2], places[:2]))
    rounded = [[0.3, 4.0], [2.0, 0.1 + 0.2 + 1e-9]]
    yield Case("two scores that differ by rounding", one(rounded, [4, 7], [5, 8]))
    rng = np.random.default_rng(79)
    yield Case("places with gaps", measured(rng, [0, 4, 1], [3, 0, 5, 2], (1, 0, 2), 2))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(80)
    far = [0, 5, 3], [8, 3, -2]
    all_kinds = (2, 1, 0, 1, 0, 2)

    def spoilt(by, kind, *, words=3, where=0, at=(-1, -1)):
        scores, *places = measured(rng, [0, 1, 2], [0, 1, 2], (kind,), words)
        scores[0, where][at] += by
        return (scores, *places)

    def one_word_breaks(kind, where):
        scores, *places = measured(rng, *far, (2,), 3)
        scores[:, where] = measured(rng, *far, (kind,))[0][:, 0]
        return (scores, *places)

    def cancelling(kind):
        scores, *places = measured(rng, [0, 1, 2], [0, 1, 2], (kind,), 2)
        scores[0, :, 2, 1] += 1.0, -1.0
        return (scores, *places)

    noisy = measured(rng, range(4), range(5), all_kinds, 2)
    noisy[0][...] += rng.uniform(-1, 1, noisy[0].shape) * 1e-8
    return {
        PLACES: [
            *(measured(rng, *far, (kind,)) for kind in (0, 1)),
            measured(rng, *far, all_kinds),
            measured(rng, [2, 0, 1], [1, 2, 0], all_kinds),
            measured(rng, [-3, -9, 0], [0, -6, 3, 9], all_kinds),
            measured(rng, [10, 20, 30], [10, 20, 30], all_kinds),
            measured(rng, [0, 1, 2, 3], [5, 6, 7, 8], (0, 2, 0, 2)),
            measured(rng, [0, 7, 2], [14, 3, 7], all_kinds),
        ],
        WORDS: [
            measured(rng, [0, 1, 2], [0, 1, 2], all_kinds, 2),
            *(one_word_breaks(kind, where) for kind in (0, 1) for where in range(3)),
            measured(rng, [0, 1], [0, 1], (1, 2, 0), 5),
            *map(cancelling, (1, 2)),
        ],
        ROUNDING: [
            noisy,
            one([[0.3, 7.0], [7.0, 0.1 + 0.2]], [0, 1], [0, 1]),
            one([[0.3, 7.0], [6.0, 0.1 + 0.2]], [0, 1], [0, 1]),
            one([[0.12345 + 3e-8, 7.0], [7.0, 0.12345 - 3e-8]], [0, 1], [0, 1]),
            one([[0.123455 + 3e-8, 7.0], [7.0, 0.123455 - 3e-8]], [0, 1], [0, 1]),
            one([[0.5, 7.0], [7.0, 0.5 + 9e-8]], [0, 1], [0, 1]),
            one([[0.1234555 + 3e-8, 7.0], [7.0, 0.1234555 - 3e-8]], [0, 1], [0, 1]),
        ],
        SMALL: [
            *(spoilt(0.001, kind, where=where) for kind in (1, 2) for where in (0, 2)),
            spoilt(-0.001, 2, words=1, at=(0, 0)),
            spoilt(0.001, 2, words=1, at=(2, 0)),
            one([[900.0, 800.0], [700.0, 900.002]], [0, 1], [0, 1]),
            one([[800.0, 900.002], [900.0, 800.0]], [0, 1], [0, 1]),
            one([[9.0, 8.0], [7.0, 9.001]], [0, 1], [0, 1]),
            one([[8.0, 9.001], [9.0, 8.0]], [0, 1], [0, 1]),
            one([[0.002, 0.004], [0.004, 0.001]], [0, 1], [0, 1]),
            one([[0.5, 3.0], [3.0, 0.5002]], [0, 1], [0, 1]),
            one([[900.0, 3.0], [3.0, 900.0005]], [0, 1], [0, 1]),
            one([[5.0, 1.0, 2.0], [1.0, 6.0, 1.0], [2.0, 1.0, 4.0]], [0, 1, 2], [0, 1, 2]),
        ],
        SILENT: [
            one([[3.0]], [0], [5]),
            one([[3.0, 1.0, 4.0]], [0], [0, 1, 2]),
            one([[3.0], [1.0], [4.0]], [7, 1, 0], [9]),
            one([[3.0, 1.0, 4.0]], [1], [0, 1, 2]),
            one([[3.0, 1.0], [4.0, 7.0]], [0, 1], [5, 11]),
        ],
        promises.LEADING: [
            tuple(
                x.reshape(*lead, *x.shape[1:]) if x.ndim > 1 else x
                for x in measured(rng, [0, 1, 2], [0, 1, 2], kinds, 1)
            )
            for lead, kinds in (
                ((), (0,)),
                ((), (1,)),
                ((), (2,)),
                ((3,), (1, 2, 0)),
                ((3, 2), (2, 0, 1, 1, 0, 2)),
                ((2, 1, 3), (0, 2, 1, 2, 2, 1)),
            )
        ],
        promises.SIZES: [
            measured(rng, range(n), range(m), (1, 2, 0, 2), 2) for n, m in promises.SIZE_PAIRS
        ]
        + [measured(rng, range(7), range(7), (1, 2, 0))],
        promises.SAME_SHAPES: [
            measured(rng, [0, 1, 2], [0, 1, 3], kinds) for kinds in ((0, 1, 2), (2, 1, 0))
        ]
        + [measured(rng, [0, 2, 4], [0, 1, 3], (0, 1, 2))],
    }


def draw(rng):
    """Give schemes of random kinds, measured at random places."""
    n_queries, n_keys = rng.integers(1, 6, 2)
    places = (rng.choice(np.arange(-5, 6), n, replace=False) for n in (n_queries, n_keys))
    return measured(rng, *places, rng.integers(0, 3, rng.integers(1, 5)), int(rng.integers(1, 4)))


def spreads(scores, groups):
    """Give the largest spread within a group: (..., n_words)."""
    return np.max([np.ptp(scores[..., groups == g], axis=-1) for g in np.unique(groups)], axis=0)


def ahead(query_places, key_places):
    """Give how far each key is ahead of each query."""
    return key_places - query_places[:, None]


def turned(
    scores, query_places, key_places, *,
    steps=ahead, over=np.max, most=1e-6, before=np.asarray, after=np.asarray,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    signed = steps(query_places, key_places)
    kinds, scores = (signed, np.abs(signed)), before(scores)
    spread = (over(spreads(scores, groups), axis=-1) for groups in kinds)
    return after(sum((of_words <= most).astype(int) for of_words in spread))


by_index = wrongly_set(
    turned,
    "distances of indices",
    "You took row and column numbers for places.",
    "Row i belongs to a query at query_places[i], and column j to a key at key_places[j].",
    steps=lambda *places: ahead(*(np.arange(len(x)) for x in places)),
)


@mistake("places sorted, and rows not")
def sorted_places(scores, query_places, key_places):
    """You sorted the places, and rows and columns of the scores stay in their old order.

    Row i belongs to a query at query_places[i], and column j to a key at key_places[j].
    """
    return turned(scores, np.sort(query_places), np.sort(key_places))


@mistake("a verdict for each pair of words")
def for_each_word(scores, query_places, key_places):
    """You gave a verdict for each pair of words, and one for each scheme is asked for.

    A rule holds if it holds in every table: put the axis of the pairs of words, -3, together.
    """
    return turned(scores[..., None, :, :], query_places, key_places)


by_sum = wrongly_set(
    turned,
    "sums of places",
    "You grouped pairs by the sum of their places.",
    "The distance is a difference: key_places[j] - query_places[i].",
    steps=lambda query_places, key_places: key_places + query_places[:, None],
)

exact = wrongly_set(
    turned,
    "exactly equal",
    "You asked for scores that are exactly equal, and rounding sets them apart.",
    "Count two scores as equal if they differ by at most 1e-6.",
    most=0,
)


@mistake("compared in proportion")
def in_proportion(scores, query_places, key_places):
    """You compared scores in proportion to their size, as `np.isclose` does.

    Whether 900 and 900.002 are equal is a question of the difference alone: it is more than 1e-6.
    """
    steps = ahead(query_places, key_places)
    verdicts = np.zeros(scores.shape[:-3], dtype=int)
    for groups in (steps, np.abs(steps)):
        holds = [
            np.isclose(scores[..., groups == g], scores[..., groups == g][..., :1])
            for g in np.unique(groups)
        ]
        verdicts += np.concatenate(holds, axis=-1).all(axis=(-1, -2))
    return verdicts


@mistake("words compared with each other")
def across_words(scores, query_places, key_places):
    """You compared scores of one pair of words with those of another.

    Other words have other scores. Compare within one table, then put the tables together.
    """
    steps = ahead(query_places, key_places)
    together = np.moveaxis(scores, -3, -1)  # (..., n_queries, n_keys, n_words)
    spread = [
        [np.ptp(together[..., groups == g, :], axis=(-2, -1)) for g in np.unique(groups)]
        for groups in (steps, np.abs(steps))
    ]
    return sum((np.max(s, axis=0) <= 1e-6).astype(int) for s in spread)


any_word = wrongly_set(
    turned,
    "one pair of words is enough",
    "You were content if one table follows the rule.",
    "A rule holds if it holds in every table; one that breaks it refutes it.",
    over=np.min,
)


@mistake("the first pair of words alone")
def first_word(scores, query_places, key_places):
    """You looked at the first table of each scheme, and left out the others.

    A rule holds if it holds in every table; one that breaks it refutes it.
    """
    return turned(scores[..., :1, :, :], query_places, key_places)


@mistake("the last pair of words alone")
def last_word(scores, query_places, key_places):
    """Your verdict is that of the last table of each scheme, whatever the others say.

    A rule holds if it holds in every table; one that breaks it refutes it.
    """
    return turned(scores[..., -1:, :, :], query_places, key_places)


rounded = wrongly_set(
    turned,
    "rounded, then compared",
    "You rounded the scores first, and rounding sets some apart that differ by next to nothing.",
    "Two numbers on both sides of a rounding point become unequal. Ask whether the difference is "
    "at most 1e-6.",
    before=lambda scores: scores.round(6),
    most=0,
)


@mistake("the mean of all words")
def mean_word(scores, query_places, key_places):
    """You averaged the tables first, and compared the averages.

    In an average, differences may cancel. Compare in each table.
    """
    return turned(scores.mean(axis=-3, keepdims=True), query_places, key_places)


swapped = wrongly_set(
    turned,
    "1 and 2 swapped",
    "Your verdicts 1 and 2 are swapped.",
    "2 is for the stronger rule: the distance alone, whatever its sign.",
    after=lambda verdicts: np.array([0, 2, 1])[verdicts],
)

turned_round = wrongly_set(
    turned,
    "verdicts turned round",
    "Your verdicts are turned round: you give 2 where all is refuted, and 0 where nothing is.",
    "2 is for the stronger rule: the distance alone, whatever its sign.",
    after=lambda verdicts: 2 - verdicts,
)

unsigned_alone = wrongly_set(
    turned,
    "the sign left out",
    "You never look at the signed distance, so that a scheme with a sense of direction gets a 0.",
    "Two questions are asked, one of distances with a sign and one of distances without.",
    after=lambda verdicts: 2 * (verdicts == 2),
)

signed_alone = wrongly_set(
    turned,
    "the sign never looked at",
    "You never ask whether the sign of the distance matters.",
    "If no signed distance has two different scores, group the pairs once more, by the absolute "
    "value of the distance.",
    after=lambda verdicts: 2 * (verdicts > 0),
)


@mistake("symmetry of the table")
def by_transpose(scores, query_places, key_places):
    """You looked at whether the table is symmetrical.

    Row i and column i may belong to different places, and there may be more of one than of the
    other. Group the pairs by their distance.
    """
    kept = answer(scores, query_places, key_places)
    if scores.shape[-1] != scores.shape[-2]:
        return np.minimum(kept, 1)
    apart = np.abs(scores - scores.swapaxes(-1, -2)).max(axis=(-1, -2, -3))
    return np.where(kept == 0, 0, np.where(apart <= 1e-6, 2, 1))


one_for_all = wrongly_set(
    turned,
    "one verdict for all",
    "You gave one verdict for all schemes together.",
    "Only the axis of the words is put together. Every leading axis in front of it stays.",
    after=lambda verdicts: np.full_like(verdicts, verdicts.min()),
)


def of_verdicts(f, scores, query_places, key_places):
    """Every verdict is 0, 1 or 2."""
    return bool(np.isin(f(scores, query_places, key_places), (0, 1, 2)).all())


def moved_on(f, scores, query_places, key_places):
    """If all places move on, the verdicts stay."""
    before = f(scores, query_places, key_places)
    return np.array_equal(before, f(scores, query_places + 11, key_places + 11))


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("every verdict is 0, 1 or 2", of_verdicts),
        Fact("moving all places on makes no difference", moved_on),
    ),
)  # fmt: skip
