"""One word more: it asks, and the keys and values of all words before it were kept."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

FIRST = Promise(
    "the first word, before which nothing was kept, is right",
    "keys and values have no rows then. The word appends its own to them and looks at itself.",
)
STEEP = Promise(
    "large scores are right",
    "`np.exp` overflows above 709, and far below 0 it gives nothing but zeros. Subtract the "
    "largest score first, or call your own `attention`, with a matrix of one query.",
    promises.LARGE.finite,
)

LONG_TEXT = Promise(
    "all words that were kept are looked at, however many",
    "Every key that was kept counts, from the first to the last. Does your function look at the "
    "last few alone? A key of zeros was kept, too, and its score is 0.",
)

SHAPES = Shapes(
    "(d_key), (d_key), (d_value), (n, d_key), (n, d_value) "
    "-> (d_value), (n+1, d_key), (n+1, d_value)"
)


def decode_step(query, key, value, keys, values):
    """Append the word's own key and value, and let its query look at all that is there then.

    What the words before have made stays as it is: under a causal mask they never look at the new
    one. So a single row of scores is computed, and all that has to be kept is keys and values.
    """
    keys = np.vstack([keys, key])  # (n + 1, d_key)
    values = np.vstack([values, value])  # (n + 1, d_value)
    scores = keys @ query / np.sqrt(len(query))  # (n + 1,)
    weights = np.exp(scores - scores.max())
    return weights @ values / weights.sum(), keys, values


def answer(query, key, value, keys, values):
    """Give what is right, by which answers are judged."""
    keys, values = appended(key, value, keys, values)
    return looked(query, keys, values), keys, values


def cases():
    """Two words kept by hand; a longer text; a shorter one than a key is wide; equal widths."""
    given = SHAPES.given(np.random.default_rng(35))
    query, key, value = np.array([1.0, 2.0]), np.array([2.0, 0.0]), np.array([0.0, 1.0, 3.0])
    keys, values = np.array([[0.0, 1.0], [-1.0, 1.0], [1.0, 1.0]]), np.eye(3) + 1.0
    yield Case("the small example is right", (query, key, value, keys, values))
    yield Case("a longer text is right", given(n=7, d_key=5, d_value=11))
    yield Case("fewer words than features are right", given(n=2, d_key=7, d_value=3))
    yield Case("keys and values of one width are right", given(n=7, d_key=5, d_value=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(135)
    given = SHAPES.given(rng)

    def steep(levels):
        pairs = [pair for pair in promises.steep_pairs(levels) if len(pair[1]) == 7]
        return [
            (query, key[-1], *rows(rng.normal(size=(7, 2)), key[:-1]))
            for queries, key in pairs
            for query in queries
        ]

    def rows(values, keys):
        return values[-1], keys, values[:-1]

    def blank(inputs):
        *others, keys, values = inputs
        return *others, np.zeros_like(keys), values

    shapes = promises.of_shapes(SHAPES, given)
    some = {name: shapes[name] for name in (promises.SIZES, promises.SAME_SHAPES)}
    return some | {
        FIRST: [given(n=0), given(n=0, d_key=1, d_value=1), given(n=0, d_key=3, d_value=5)],
        LONG_TEXT: [blank(given(n=1)), *(given(n=n) for n in (31, 101))],
        STEEP: steep(promises.LEVELS),
        promises.SCORES.beyond: steep([promises.BEYOND]),
    }


def appended(key, value, keys, values):
    """Give keys and values with the word's own."""
    return np.vstack([keys, key]), np.vstack([values, value])


def looked(query, keys, values):
    """Let one query look."""
    return attnlib.attention(query[np.newaxis], keys, values)[0]


def turned(
    query, key, value, keys, values, *, order=appended, asks=lambda query, key: query, scale=None,
    weigh=attnlib.softmax,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    keys, values = order(key, value, keys, values)
    query = asks(query, key)[np.newaxis]
    return wrong.attend(query, keys, values, scale=scale, weigh=weigh)[0], keys, values


@mistake("own key left out")
def without_itself(query, key, value, keys, values):
    """You let the word look at those before it alone, and its own key and value are left out.

    Under the causal mask a word may look at itself. Append first, and look then.
    """
    output = looked(query, keys, values) if len(keys) else np.full_like(value, np.nan)
    return output, *appended(key, value, keys, values)


@mistake("own key not kept")
def not_kept(query, key, value, keys, values):
    """Your output is right, but the keys and values that you return lack this word's.

    The next word will want to look at this one. Return what you have appended to.
    """
    return looked(query, *appended(key, value, keys, values)), keys.copy(), values.copy()


in_front = wrongly_set(
    turned,
    "appended in front",
    "You put the new rows in front of the old ones, and the text runs backwards.",
    "The output does not notice, as attention knows no order. But a row is a place, and the next "
    "mask or position will be wrong. Append below.",
    order=lambda key, value, keys, values: (np.vstack([key, keys]), np.vstack([value, values])),
)


@mistake("the wrong axis")
def beside(query, key, value, keys, values):
    """You appended along the wrong axis: a word is a row, and stands below the others.

    `np.vstack` puts rows below each other, `np.hstack` puts columns side by side. With
    `np.concatenate`, the new row needs two axes, `key[None]`, and the axis is 0.
    """
    return np.hstack([keys, key[:, np.newaxis]])


@mistake("in one long row")
def flattened(query, key, value, keys, values):
    """You appended to one long row: `np.append` without an axis flattens what it gets.

    A word is a row. `np.vstack` keeps the rows apart.
    """
    keys, values = np.append(keys, key), np.append(values, value)
    return values @ query


unscaled = wrongly_set(
    turned,
    "no scale",
    "You did not divide the scores by the square root of d_key.",
    "It is the attention that you know, with a single query.",
    scale=1.0,
)

scaled_by_n = wrongly_set(
    turned,
    "scaled by the number of words",
    "You took the square root of the number of words for the scale.",
    "How many keys there are makes no score larger. Take the width of the query.",
    scale=lambda query, keys: 1 / np.sqrt(len(keys)),
)

unshifted = wrongly_set(
    turned,
    "no max shift",
    "Your formula is right, but large scores overflow in `np.exp`, and inf / inf is nan.",
    "Subtract the largest score before `np.exp`, or call your own `softmax` of lesson 03.",
    weigh=wrong.unshifted,
)

unnormalised = wrongly_set(
    turned,
    "not normalised",
    "You did not divide by the sum of the exponentials, so the weights do not sum to 1.",
    "It is a softmax over all keys, the new one among them.",
    weigh=lambda s: np.exp(s - s.max(axis=-1, keepdims=True)),
)

key_asks = wrongly_set(
    turned,
    "the new key asks",
    "You let the word's key ask, and its query is not used.",
    "The query asks, and the key is what later words find it by.",
    asks=lambda query, key: key,
)


@mistake("query kept as the key")
def query_kept(query, key, value, keys, values):
    """You kept the query where the key belongs.

    A query asks once and is never needed again. Nobody looks for it: keys are what is looked for.
    """
    keys, values = appended(query, value, keys, values)
    return looked(query, keys, values), keys, values


@mistake("a row too many")
def two_axes(query, key, value, keys, values):
    """Your output has two axes, (1, d_value), for one word gets one row of numbers.

    A matrix of one query gives a matrix of one output. Take its row 0.
    """
    keys, values = appended(key, value, keys, values)
    return attnlib.attention(query[np.newaxis], keys, values), keys, values


@mistake("key in front, value below")
def out_of_step(query, key, value, keys, values):
    """You put the new key in front and the new value below, so each key has another word's value.

    Append both in the same place: below.
    """
    keys, values = np.vstack([key, keys]), np.vstack([values, value])
    return looked(query, keys, values), keys, values


@mistake("scale of d_value")
def by_values(query, key, value, keys, values):
    """You divided the scores by the square root of d_value, and d_key is what counts.

    A score adds up the d_key products of a query and a key. Values have no part in it.
    """
    keys, values = appended(key, value, keys, values)
    scale = 1 / np.sqrt(len(value))
    return wrong.attend(query[np.newaxis], keys, values, scale=scale)[0], keys, values


def as_matrices(query, key, value, keys, values):
    """Give a matrix of one query, and keys and values with the word's own."""
    return query[np.newaxis], *appended(key, value, keys, values)


def as_rows(output, query, key, value, keys, values):
    """Give the answer from a matrix of one output."""
    return output[0], *appended(key, value, keys, values)


# Mistakes of any attention that show with a single query.
OF_ONE_QUERY = (
    wrong.by_width, wrong.multiplied, wrong.scaled_late, wrong.raw, wrong.hard, wrong.mixed_keys,
    wrongly_set(
        wrong.attend,
        "largest score taken off above the line alone",
        "You subtracted the largest score above the line, and not in the sum below it.",
        "What is subtracted cancels out only where it is subtracted from every exponent.",
        weigh=lambda s: np.exp(s - s.max(axis=-1, keepdims=True))
        / np.exp(s).sum(axis=-1, keepdims=True),
    ),
    wrongly_set(
        wrong.attend,
        "divided by the width and by 2",
        "You divided the scores by twice the width of a query; its square root is the scale.",
        "A power comes before `/`, so `x / d ** 1 / 2` is half of x / d. The root is `d ** 0.5`.",
        scale=lambda query, key: 0.5 / query.shape[-1],
    ),
    wrongly_set(
        wrong.attend,
        "the first word alone",
        "Your output is the value of the first word alone.",
        "The new word comes last, so it may look at all. The first row of a causal mask is the "
        "first word's, and the last row is its own.",
        weigh=lambda s: (np.arange(s.shape[-1]) == 0) + 0 * s,
    ),
    wrongly_set(
        wrong.attend,
        "values added up",
        "Your output is the sum of all values: each word got a weight of 1.",
        "The softmax runs along the words, so that the weights of one query sum to 1.",
        weigh=np.ones_like,
    ),
    wrongly_set(
        wrong.attend,
        "equal weights",
        "You gave all words the same weight, whatever their scores.",
        "The softmax of the scores says how much of each value is mixed.",
        weigh=lambda s: np.ones_like(s) / s.shape[-1],
    ),
)  # fmt: skip


def as_in_full(answer, query, key, value, keys, values):
    """Compare with the last row of causal attention over the whole text."""
    keys, values = np.vstack([keys, key]), np.vstack([values, value])
    n = len(keys)
    queries = np.vstack([np.ones((n - 1, len(query))), query])
    full = attnlib.attention(queries, keys, values, mask=attnlib.causal_mask(n))
    return close(answer(query, key, value, keys[:-1], values[:-1])[0], full[-1])


EXERCISE = Exercise(
    solution=decode_step,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    mistakes=(..., *(known.around(as_matrices, as_rows) for known in OF_ONE_QUERY)),
    facts=(
        Fact("it is the last row of causal attention over the whole text", as_in_full),
        Fact("equal values come out as they are", lambda f, q, k, v, ks, vs: close(
            f(q, k, v, ks, 0 * vs + v)[0], v)),
        Fact("the new rows are the last", lambda f, q, k, v, ks, vs: close(
            f(q, k, v, ks, vs)[1][-1], k) and close(f(q, k, v, ks, vs)[2][-1], v)),
        Fact("what was kept stays as it is", lambda f, q, k, v, ks, vs: close(
            f(q, k, v, ks, vs)[1][: len(ks)], ks)),
    ),
    hints=(
        "The last row of the causal mask is True everywhere. So which keys may the new word look "
        "at, and is its own among them?",
        "`np.vstack([keys, key])` appends a row. Do the same for the values. Then it is attention "
        "with one query: one score for each key, scaled, softmax, and a mixture of all values. "
        "Return the output, and both arrays as they are now.",
    ),
    parts=("output", "keys", "values"),
)  # fmt: skip
