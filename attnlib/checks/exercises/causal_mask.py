"""Who may look at whom, when the future is hidden."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, mistake


def causal_mask(n_queries, n_keys):
    """Query i may look at key j where j <= i: at what came before, and at itself.

    Comparing a row of key numbers with a column of query numbers gives the whole matrix.
    """
    i = np.arange(n_queries)[:, None]  # (n_queries, 1)
    j = np.arange(n_keys)  # (n_keys,)
    return j <= i  # (n_queries, n_keys)


def answer(n_queries, n_keys):
    """Give what is right, by which answers are judged."""
    return attnlib.causal_mask(n_queries, n_keys)


def cases():
    """Fewer queries than keys, more, and as many."""
    yield Case("fewer queries than keys are right", (2, 3))
    yield Case("more queries than keys are right", (5, 2))
    yield Case("as many queries as keys are right", (7, 7))
    yield Case("many tokens are right", (11, 13))


def promised():
    """Give the inputs that hold an answer to each promise."""
    more = (2, 7), (7, 2), (3, 7), (7, 3), (1, 5), (6, 1), (5, 5), (1, 1)
    return {
        promises.SIZES: [*more, (13, 13)],
        promises.NO_QUERIES: [(0, 3), (0, 1)],
    }


def steps(n_queries, n_keys):
    """How far key j lies after query i."""
    return np.arange(n_keys) - np.arange(n_queries)[:, None]


@mistake("inverted")
def inverted(n_queries, n_keys):
    """Your mask is inverted: it is True where the query may not look.

    True means "may look" here: turn it round with `~`.
    """
    return steps(n_queries, n_keys) > 0


@mistake("looks at the future")
def future(n_queries, n_keys):
    """Your triangle lies the wrong way round: each query sees itself and what comes after it.

    Query i may look at key j where j <= i: the lower triangle.
    """
    return steps(n_queries, n_keys) >= 0


@mistake("the diagonal hidden")
def strict(n_queries, n_keys):
    """You hid the diagonal: a token may look at itself.

    Compare with `<=`, not `<`. As it is, the first token sees nothing at all.
    """
    return steps(n_queries, n_keys) < 0


@mistake("one key too many")
def peeking(n_queries, n_keys):
    """Each query sees one key too many, the next one.

    Compare j <= i; `np.tri` with k=0.
    """
    return steps(n_queries, n_keys) <= 1


@mistake("counted from the end")
def from_the_end(n_queries, n_keys):
    """You lined up the last query with the last key; here both are counted from the start.

    Compare the numbers themselves: True where j <= i, whatever n_queries and n_keys are.
    """
    return steps(n_queries, n_keys) <= n_keys - n_queries


@mistake("numbers instead of booleans")
def ones(n_queries, n_keys):
    """Your triangle is right, but it is made of 0 and 1: a mask is boolean.

    A comparison such as `j <= i` gives True and False; `.astype(bool)` turns numbers into them.
    """
    return (steps(n_queries, n_keys) <= 0).astype(float)


@mistake("an additive mask")
def additive(n_queries, n_keys):
    """You made an additive mask of 0 and -inf; a boolean one is asked for.

    Return True where a query may look: the places of your zeros.
    """
    return np.where(steps(n_queries, n_keys) <= 0, 0.0, -np.inf)


@mistake("square")
def square(n_queries, n_keys):
    """You left n_keys out: your mask is as wide as it is high.

    One row per query, one column per key: shape (n_queries, n_keys).
    """
    return steps(n_queries, n_queries) <= 0


@mistake("rows and columns swapped")
def sideways(n_queries, n_keys):
    """You swapped rows and columns: your mask is (n_keys, n_queries).

    Rows are queries: let `np.arange(n_queries)[:, None]` run down and `np.arange(n_keys)` across.
    """
    return (steps(n_queries, n_keys) <= 0).T


@mistake("no new axis")
def flat(n_queries, n_keys):
    """You compared two rows, entry by entry: a column and a row make a matrix.

    Stand the queries' numbers up: `np.arange(n_queries)[:, None]` is (n_queries, 1).
    """
    return np.arange(n_keys) <= np.arange(n_queries)


@mistake("always 3 by 3")
def three(n_queries, n_keys):
    """Your mask is 3 by 3, whatever is asked for.

    Use `n_queries` and `n_keys` where the number stands.
    """
    return steps(3, 3) <= 0


@mistake("nothing hidden")
def everything(n_queries, n_keys):
    """Your mask hides nothing.

    Make it False where the key comes after the query.
    """
    return np.ones((n_queries, n_keys), bool)


@mistake("only itself")
def diagonal(n_queries, n_keys):
    """Each token sees itself alone: you compared with `==`.

    What came before may be seen, too: j <= i.
    """
    return steps(n_queries, n_keys) == 0


EXERCISE = Exercise(
    solution=causal_mask,
    answer=answer,
    cases=cases,
    promises=promised,
    facts=(
        Fact("the mask is boolean", lambda f, n, m: f(n, m).dtype == bool),
        Fact("the first query sees the first key alone", lambda f, n, m: list(
            np.flatnonzero(f(n, m)[0])) == [0]),
        Fact("nobody sees the future", lambda f, n, m: not np.triu(f(n, m), 1).any()),
        Fact("each token sees itself", lambda f, n, m: bool(np.diag(f(n, m)).all())),
        Fact("what one query sees, the next one sees too", lambda f, n, m: bool(
            (f(n, m)[:-1] <= f(n, m)[1:]).all())),
    ),
    mistakes=(
        inverted, future, strict, peeking, from_the_end, ones, additive, square, sideways,
        flat, three, everything, diagonal,
    ),
    hints=(
        "Number the queries 0, 1, 2, … down and the keys 0, 1, 2, … across, and compare.",
        "`np.arange(n_queries)[:, None]` is a column, `np.arange(n_keys)` a row: comparing them "
        "gives a matrix of True and False. True where the key's number is at most the query's.",
    ),
)  # fmt: skip
