"""Who may look at whom, when the future is hidden."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("n_queries, n_keys -> (n_queries, n_keys)")


def causal_mask(n_queries, n_keys):
    """Each query may look at what came before it and at itself, which is to say where j <= i.

    A column of query numbers compared with a row of key numbers gives the whole matrix at once,
    because NumPy stretches each of them along the other.
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
    return promises.of_shapes(SHAPES, SHAPES.given(None), none="n_queries")


def steps(n_queries, n_keys):
    """How far key j lies after query i."""
    return np.arange(n_keys) - np.arange(n_queries)[:, None]


def turned(n_queries, n_keys, *, seen=lambda steps: steps <= 0, last=np.array):
    """Answer with knobs, each of which can be set wrong."""
    return last(seen(steps(n_queries, n_keys)))


inverted = wrongly_set(
    turned,
    "inverted",
    "Your mask is inverted: it is True exactly where a query may not look.",
    'In this course True means "may look", so `~`, which turns every True into False and every '
    "False into True, mends it.",
    seen=lambda steps: steps > 0,
)

future = wrongly_set(
    turned,
    "looks at the future",
    "Your triangle lies the wrong way round: a query sees itself and everything that comes after.",
    "The past lies to the left: in row i, the keys up to number i should be True.",
    seen=lambda steps: steps >= 0,
)

strict = wrongly_set(
    turned,
    "the diagonal hidden",
    "You hid the diagonal, but a token may look at itself.",
    "`<` leaves out the place where both numbers are equal. As it is, the first token sees "
    "nothing at all, and a softmax would have nobody to give its weight to.",
    seen=lambda steps: steps < 0,
)

peeking = wrongly_set(
    turned,
    "one key too many",
    "Each query sees one key too many, the one right after it.",
    "Query i may see the keys up to number i, and key i + 1 belongs to the future already. If you "
    "used `np.tri` or `np.tril`, look at its k.",
    seen=lambda steps: steps <= 1,
)


@mistake("counted from the end")
def from_the_end(n_queries, n_keys):
    """You lined up the last query with the last key, but here both are counted from the start.

    Query 0 sees key 0 alone, however many keys there are. Compare the numbers as they are, without
    the difference of n_keys and n_queries.
    """
    return steps(n_queries, n_keys) <= n_keys - n_queries


ones = wrongly_set(
    turned,
    "numbers instead of booleans",
    "Your triangle is right, but it is made of 0 and 1, and a mask holds True and False.",
    "Comparing numbers gives booleans by itself, and `.astype(bool)` turns 0 and 1 into them.",
    last=lambda mask: mask.astype(float),
)

additive = wrongly_set(
    turned,
    "an additive mask",
    "You made an additive mask of 0 and -inf; here a boolean one is asked for.",
    "Return True where a query may look, which is where your zeros are, and False where you have "
    "-inf.",
    last=lambda mask: np.where(mask, 0.0, -np.inf),
)


@mistake("square")
def square(n_queries, n_keys):
    """You left out n_keys, so your mask is as wide as it is high.

    There is one row for each query and one column for each key: shape (n_queries, n_keys).
    """
    return steps(n_queries, n_queries) <= 0


sideways = wrongly_set(
    turned,
    "rows and columns swapped",
    "You swapped rows and columns: your mask has the shape (n_keys, n_queries).",
    "Rows are queries. Let the numbers of the queries run down, as a column, and those of the "
    "keys across.",
    last=np.transpose,
)


@mistake("no new axis")
def flat(n_queries, n_keys):
    """You compared two rows entry by entry, but every query has to meet every key.

    Stand the queries' numbers up as a column, of shape (n_queries, 1): a column and a row make a
    matrix.
    """
    return np.arange(n_keys) <= np.arange(n_queries)


@mistake("always 3 by 3")
def three(n_queries, n_keys):
    """Your mask is 3 by 3, whatever size is asked for.

    Let the sizes come from `n_queries` and `n_keys`, where the number 3 stands now.
    """
    return steps(3, 3) <= 0


everything = wrongly_set(
    turned,
    "nothing hidden",
    "Your mask hides nothing: every query sees every key, the future too.",
    "A key that comes after the query has to be False. Which two numbers tell you whether it does?",
    seen=lambda steps: np.ones_like(steps, bool),
)

diagonal = wrongly_set(
    turned,
    "only itself",
    "Each token sees itself and nothing else.",
    "`==` is True in only one place of a row. What came before the token may be seen as well.",
    seen=lambda steps: steps == 0,
)


next_only = wrongly_set(
    turned,
    "only the next key hidden",
    "You hid the one key right after the query, and those behind it are seen.",
    "All that comes later is the future: compare with `<=`, and not with `!=`.",
    seen=lambda steps: steps != 1,
)

window = wrongly_set(
    turned,
    "neighbours only",
    "Your queries see their neighbours only.",
    "A query may look at all keys before it, however far, and at none after it.",
    seen=lambda steps: np.abs(steps) <= 1,
)

upside_down = wrongly_set(
    turned,
    "upside down",
    "Your mask stands on its head: the first query sees most, and the last one least.",
    "The first query sees the first key alone. Leave the rows in their order.",
    last=lambda mask: mask[::-1],
)

mirrored = wrongly_set(
    turned,
    "left and right exchanged",
    "Your keys run from right to left.",
    "The first query sees the first key, which stands at the left. Leave the columns in their "
    "order.",
    last=lambda mask: mask[:, ::-1],
)


EXERCISE = Exercise(
    solution=causal_mask,
    answer=answer,
    shapes=SHAPES,
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
    hints=(
        "Number the queries 0, 1, 2, … from the top down and the keys 0, 1, 2, … from left to "
        "right. Then ask at every place: does this key come after this query, or not?",
        "Stood up as a column with `[:, None]`, the queries' numbers can be compared with the row "
        "of the keys' numbers, and NumPy fills a whole matrix with True and False. It should be "
        "True where the key comes no later than the query.",
    ),
)  # fmt: skip
