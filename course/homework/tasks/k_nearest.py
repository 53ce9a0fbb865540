"""The k words most similar to each word, itself left out, and equal similarities in their order."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Edge, Exercise, Fact, Promise, mistake
from course.homework.task import is_empty

OWN = Promise(
    "a word is left out wherever it comes in its own row",
    "By the dot product, a word need not be the first in its own row: it may tie with a twin, or "
    "come last. Leave out the column that `own` names, whatever stands in it.",
)
TIES = Promise(
    "equal similarities come in the order of their columns",
    "Among equal numbers the smaller column comes first. Not every way of sorting keeps to that; "
    '`np.argsort(..., kind="stable")` leaves equal numbers in the order in which it found them.',
)
NEARLY = Promise(
    "numbers that are nearly equal are not equal",
    "Two similarities may differ in a digit that is not shown. Compare them as they are, without "
    "rounding them and without a tolerance.",
)


ANY_K = Promise(
    "k from 0 to all the others is right",
    "With k = m - 1 the answer holds every column but the word's own, so the own column has to be "
    "behind all others, not only behind the good ones. With k = 0 it has no columns: (n, 0).",
)
ANY_SIZE = Promise(
    "similarities of any size and sign are right",
    "Similarities may all be negative, or far from 0. Whatever you put in place of a word's own "
    "similarity has to lie below all of them.",
)

NO_WORDS = Promise(
    "without words, the answer has no rows",
    "With no rows in the table there is nothing to find, and yet the answer has k columns: its "
    "shape is (0, k). Work on whole arrays, or begin with `np.zeros` of the right shape.",
)


def answer(similarity, own, k):
    """Give what is right, by which answers are judged."""
    found = np.zeros((len(similarity), k), dtype=int)
    for i, row in enumerate(similarity.tolist()):
        others = [(-value, j) for j, value in enumerate(row) if j != own[i]]
        found[i] = [j for _, j in sorted(others)[:k]]
    return found


def given(similarity, own, k):
    """Give inputs, with columns that are whole numbers."""
    return np.array(similarity, dtype=float), np.array(own, dtype=int), k


def cases():
    """Two tables to do by hand: words without ties, and a sentence in which a word comes twice."""
    yield Case(
        "two words among five",
        given([[0.3, 1.0, -0.2, 0.7, 0.1], [0.1, 0.4, 0.6, 0.2, 1.0]], [1, 4], 3),
    )
    yield Case(
        "I saw a saw",
        given(
            [[1.25, 0.5, 0, 0.5], [0.5, 1, -1, 1], [0, -1, 1.25, -1], [0.5, 1, -1, 1]],
            [0, 1, 2, 3],
            2,
        ),
    )
    yield Case(
        "a word that is not the best in its own row",
        given([[2.0, 5.0, 3.0, -1.0, 4.0], [1.0, 0.5, -2.0, 0.5, 1.5]], [2, 1], 2),
    )
    yield Case("twenty words, many of which tie", given([[3.0, 1.0, 2.0, 1.0] * 5], [4], 12))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(41)
    few = np.tile([0.25, 0.5, -0.25, 0.5, 0.25, -0.5, 0.5], 9)
    return {
        OWN: [
            given([[2.0, 2.0, 1.0], [2.0, 2.0, 1.0]], [0, 1], 1),
            given([[5.0, 4.0, -9.0, 3.0, 2.0]], [2], 4),
            given([[0.3, 0.9, 0.4, 0.9, 0.9]], [3], 3),
            given(
                [[3.0, 1.0, 2.0], [3.0, 1.0, 2.0], [3.0, 1.0, 2.0], [3.0, 1.0, 2.0]],
                [2, 0, 1, 2],
                2,
            ),
        ],
        TIES: [
            given([few[:61]], [7], 30),
            given([few[:33], few[7:40]], [5, 32], 19),
            given([np.zeros(43), np.ones(43)], [3, 42], 5),
            given([few[:41]], [1], 40),
            given([np.zeros(5)], [0], 2),
        ],
        NEARLY: [given([[0.0, 0.3, 0.3 + 5e-13]], [0], 2)],
        ANY_K: [
            given(rng.normal(size=(3, 7)).round(2), [6, 0, 3], 6),
            given([[-0.5, -0.2, -0.9, -0.4]], [1], 3),
            given(rng.normal(size=(2, 5)).round(2), [1, 4], 0),
        ],
        ANY_SIZE: [
            given([[-3e300, -2e300, -5e300, -4e300]], [1], 3),
            given([[-70.0, 20.0, -3.0, -5.0, -900.0]], [2], 4),
            given([[7e300, 2e12, 3e12, -1e12, 5e300, -8e300]], [3], 5),
            given([[3e-9, 5e-9, 2e-9, 4e-9, -1e-9]], [0], 4),
            given([[-1.0, -1.0, -2.0]], [2], 2),
        ],
        promises.SIZES: [
            given([[0.5]], [0], 0),
            given([[0.5, 0.2]], [0], 1),
            given([[0.5], [0.1], [-0.3]], [0, 0, 0], 0),
            given(rng.normal(size=(7, 2)).round(2), [0, 1, 1, 0, 0, 1, 0], 1),
            given(rng.normal(size=(5, 5)).round(2), [0, 1, 2, 3, 4], 3),
            given(rng.normal(size=(5, 5)).round(2), [4, 4, 0, 2, 2], 2),
            given(rng.normal(size=(3, 11)).round(2), [10, 5, 0], 4),
        ],
        NO_WORDS: [given(np.zeros((0, 5)), [], 2)],
        promises.SAME_SHAPES: promises.again(
            lambda: given(rng.normal(size=(3, 5)).round(2), rng.integers(0, 5, 3), 2)
        ),
    }


def draw(rng):
    """Give random similarities of few values, so that many are equal."""
    n, m = rng.integers(1, 12, 2)
    values = rng.integers(-3, 4, size=(n, m)) * 10.0 ** rng.integers(-3, 4)
    return values, rng.integers(0, m, n), int(rng.integers(0, m))


def apart(similarity, own):
    """Give a copy in which each word's own similarity lies below all others."""
    copy = similarity.copy()
    copy[np.arange(len(own)), own] = -np.inf
    return copy


@mistake("itself not left out")
def itself(similarity, own, k):
    """Your words find themselves: their own column is still among the candidates.

    Each row leaves out another column, the one that `own` names. In a copy of the table, give the
    places `[np.arange(n), own]` a similarity that cannot win.
    """
    return np.argsort(-similarity, axis=-1, kind="stable")[:, :k]


@mistake("the best one dropped")
def first_dropped(similarity, own, k):
    """You dropped the first of each row's order, and that need not be the word itself.

    A twin with a smaller column may come before it, and by the dot product a longer vector may
    win. Leave out the column that `own` names.
    """
    return np.argsort(-similarity, axis=-1, kind="stable")[:, 1 : k + 1]


@mistake("ties in reverse")
def reversed_ties(similarity, own, k):
    """You sorted upwards and turned the order round, so equal similarities come in reverse.

    Sort the negated similarities in place of turning the result round, with `kind="stable"`.
    """
    order = np.argsort(apart(similarity, own), axis=-1, kind="stable")
    return order[:, ::-1][:, :k]


@mistake("ties in reverse, from the end")
def reversed_from_the_end(similarity, own, k):
    """You sorted upwards and turned the order round, so equal similarities come in reverse.

    Sort the negated similarities in place of turning the result round, with `kind="stable"`.
    """
    return np.argsort(apart(similarity, own), axis=-1, kind="stable")[:, -k:][:, ::-1]


@mistake("the first column of equal ones, again and again")
def index_of(similarity, own, k):
    """You looked up where each number stands, and of equal ones found the first one each time.

    `row.index(number)` knows one place of a number. Sort the columns, not the numbers:
    `np.argsort`.
    """
    copy = apart(similarity, own)
    ordered = -np.sort(-copy, axis=-1)[:, :k]
    return (copy[:, None, :] == ordered[:, :, None]).argmax(axis=-1)


@mistake("sorting that is not stable")
def unstable(similarity, own, k):
    """You sorted in NumPy's default way, which may put equal numbers in any order.

    `np.argsort` has an option that leaves equal numbers in the order in which it found them:
    `kind="stable"`.
    """
    return np.argsort(-apart(similarity, own), axis=-1)[:, :k]


@mistake("the least similar")
def least(similarity, own, k):
    """You found the least similar words, because sorting goes upwards.

    Sort the negated similarities: then the largest one comes first.
    """
    return np.argsort(-apart(-similarity, own), axis=-1, kind="stable")[:, :k]


@mistake("upwards, itself first")
def upwards(similarity, own, k):
    """You sorted upwards, so the least similar come first, and the word itself before all of them.

    Sort the negated similarities: then the largest one comes first, and `-np.inf` last.
    """
    return np.argsort(apart(similarity, own), axis=-1, kind="stable")[:, :k]


@mistake("the best one last")
def best_last(similarity, own, k):
    """You found the most similar words, and gave them with the best one last.

    The most similar comes first. Sort the negated similarities, and take the first k columns.
    """
    order = np.argsort(apart(similarity, own), axis=-1, kind="stable")
    return order[:, order.shape[1] - k :]


@mistake("down the columns")
def down(similarity, own, k):
    """You sorted down the columns.

    Each row has an order of its own: sort along the last axis, `axis=-1`.
    """
    return np.argsort(-apart(similarity, own), axis=0, kind="stable")[:, :k]


@mistake("the own columns of all rows left out")
def all_own(similarity, own, k):
    """You left the own columns of all words out of every row.

    Row i leaves out `own[i]` alone. `copy[np.arange(n), own]` is one place in each row, and
    `copy[:, own]` is whole columns.
    """
    copy = similarity.copy()
    copy[:, own] = -np.inf
    return np.argsort(-copy, axis=-1, kind="stable")[:, :k]


@mistake("in the order of the columns")
def by_column(similarity, own, k):
    """You found the right columns, but they should come with the most similar one first.

    Of each row, return the first k columns of its order, and leave them in that order.
    """
    return np.sort(answer(similarity, own, k), axis=-1)


@mistake("in the order of the columns, any of those that tie")
def any_by_column(similarity, own, k):
    """You found the k best columns, but they should come with the most similar one first.

    Of each row, return the first k columns of its order, and leave them in that order. Among those
    that tie, the smaller column comes first: `np.argsort(..., kind="stable")`.
    """
    copy = -apart(similarity, own)
    found = np.argpartition(copy, min(k, copy.shape[1] - 1), axis=-1)[:, :k]
    return np.sort(found, axis=-1)


@mistake("the last 0 columns")
def last_0(similarity, own, k):
    """You took the last k columns of an order, and for k = 0 those are all of them.

    -0 is 0, so `[:, -0:]` begins at the start. Sort the negated similarities, and take the first k.
    """
    order = np.argsort(-apart(similarity, own), axis=-1, kind="stable")
    return order[:, ::-1][:, -k:][:, ::-1]


@mistake("columns counted anew")
def counted_anew(similarity, own, k):
    """You took the own column out of the row, and all columns behind it have moved by one.

    Columns are counted in the table that came in. Leave the row as long as it is, and give the own
    column a similarity that cannot win.
    """
    found = answer(similarity, own, k)
    return found - (found > own[:, None])


@mistake("similarities instead of columns")
def values(similarity, own, k):
    """You returned the similarities; asked for are the columns in which they stand.

    `np.sort` gives numbers in order, and `np.argsort` the places where they stood.
    """
    return np.take_along_axis(similarity, answer(similarity, own, k), axis=-1)


@mistake("the sign ignored")
def absolute(similarity, own, k):
    """You compared sizes and ignored the sign: a similarity of -1 is the lowest, not the best.

    Leave the sign in.
    """
    return answer(np.abs(similarity), own, k)


@mistake("the diagonal left out")
def diagonal(similarity, own, k):
    """You left column i out of row i, as if the words of the rows were the first columns.

    The column in which a word meets itself is given: `own[i]` for row i.
    """
    return answer(similarity, np.arange(len(similarity)), k)


@mistake("own similarity set to 0")
def zeroed(similarity, own, k):
    """You gave the own column the similarity 0, and negative ones come behind it.

    Nothing may come behind it. `-np.inf` is below every number.
    """
    copy = similarity.copy()
    copy[np.arange(len(own)), own] = 0
    return np.argsort(-copy, axis=-1, kind="stable")[:, :k]


@mistake("own similarity set to -1")
def minus_1(similarity, own, k):
    """You gave the own column the similarity -1, and there may be lower ones.

    No cosine is below -1, but a dot product may be. `-np.inf` is below every number.
    """
    copy = similarity.copy()
    copy[np.arange(len(own)), own] = -1
    return np.argsort(-copy, axis=-1, kind="stable")[:, :k]


def leaves_out(f, similarity, own, k):
    """Find out whether no word finds itself."""
    return not (f(similarity, own, k) == own[:, None]).any()


def goes_down(f, similarity, own, k):
    """Find out whether the most similar comes first."""
    found = f(similarity, own, k).astype(int)
    return (np.diff(np.take_along_axis(similarity, found, axis=-1), axis=-1) <= 0).all()


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("no word finds itself", leaves_out),
        Fact("the most similar comes first", goes_down),
    ),
    edges=(
        Edge("there are no words, or none is to be found", lambda s, own, k: is_empty(s) or k == 0),
    ),
)  # fmt: skip
