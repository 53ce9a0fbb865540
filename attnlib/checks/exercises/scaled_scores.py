"""How well each query matches each key, on a scale that does not grow with d_key."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(..., n_queries, d_key), (..., n_keys, d_key) -> (..., n_queries, n_keys)")


def scaled_scores(query, key):
    """Divide by sqrt(d_key), for the spread of a sum of d_key products grows like that.

    Swapping the last two axes of key leaves leading batch axes where they are.
    """
    scores = query @ key.swapaxes(-1, -2)  # (..., n_queries, n_keys)
    return scores / np.sqrt(query.shape[-1])


def answer(query, key):
    """Give what is right, by which answers are judged."""
    return attnlib.attention_scores(query, key)


def cases():
    """Two queries and five keys by hand; as many of both; with batch axes; large scores."""
    rng = np.random.default_rng(4)
    query = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    key = np.array([[2.0, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, -3], [-1, 2, 0]])
    yield Case("the small example is right", (query, key))
    yield Case(
        "as many queries as keys are right", (rng.normal(size=(7, 11)), rng.normal(size=(7, 11)))
    )
    batch = rng.normal(size=(2, 5, 13)), rng.normal(size=(2, 7, 13))
    yield Case("works with leading batch axes", batch)
    query, key = 100 * rng.normal(size=(3, 17)), rng.normal(size=(11, 17))
    yield Case("large entries are right", (query, key))


def promised():
    """Give the inputs that hold an answer to each promise."""
    pair = SHAPES.given(np.random.default_rng(104))
    lengths = promises.SHORT, promises.LONG

    def long(*lengths):
        return tuple(map(promises.long, pair(), lengths))

    return promises.of_shapes(SHAPES, pair, none="n_queries") | {
        promises.SCALE: [long(one, other) for one in lengths for other in lengths],
        promises.VECTORS.beyond: [long(1, length) for length in promises.FAR_OFF],
    }


def scores(query, key):
    """Unscaled scores."""
    return query @ key.swapaxes(-1, -2)


def root_width(query, key):
    """Give what scores are divided by."""
    return np.sqrt(query.shape[-1])


def turned(query, key, *, met=scores, by=root_width, after=np.positive):
    """Answer with knobs, each of which can be set wrong."""
    return after(met(query, key) / by(query, key))


no_scaling = wrongly_set(
    turned,
    "no scaling",
    "You did not scale the scores: these are plain dot products.",
    "One step is left, a division by the square root of d_key. d_key is the length of the last "
    "axis of query and of key.",
    by=lambda query, key: 1,
)

by_width = wrongly_set(
    turned,
    "divided by the width",
    "All in all, you divided by d_key, where its square root is needed.",
    "The spread of the scores grows only with the square root of d_key. Is the root missing, or is "
    "there a division by it in two places?",
    by=lambda query, key: query.shape[-1],
)

by_n_keys = wrongly_set(
    turned,
    "square root of n_keys",
    "You divided by the square root of the number of keys.",
    "d_key is how many features a key has. That is the length of its last axis.",
    by=lambda query, key: np.sqrt(key.shape[-2]),
)

by_n_queries = wrongly_set(
    turned,
    "square root of n_queries",
    "You divided by the square root of the number of queries.",
    "d_key is how many features a query has. That is the length of its last axis.",
    by=lambda query, key: np.sqrt(query.shape[-2]),
)

by_length = wrongly_set(
    turned,
    "divided by the keys' lengths",
    "You divided each score by the length of its key.",
    "The scale is one number for all scores: the square root of d_key, which is how many features "
    "a key has. A long key may have large scores.",
    by=lambda query, key: np.linalg.norm(key, axis=-1)[..., np.newaxis, :],
)

multiplied = wrongly_set(
    turned,
    "multiplied by the scale",
    "You multiplied by the square root of d_key, where you should divide by it.",
    "Wide queries make large scores, and the scale is there to make them smaller again.",
    by=lambda query, key: 1 / np.sqrt(query.shape[-1]),
)


@mistake("key not transposed")
def not_transposed(query, key):
    """Query and key met as they are, but one of the two has to be transposed.

    Every query should meet every key, feature by feature. Both keep their features along the last
    axis, and a matrix product joins the last axis of its left side with the second to last of its
    right.
    """
    return query @ key / np.sqrt(key.shape[-1])


swapped = wrongly_set(
    turned,
    "query and key swapped",
    "You swapped query and key: the rows of your answer belong to the keys.",
    "Each row of the answer should belong to a query, so `query` comes first in the product, and "
    "`key` is the one to transpose.",
    met=lambda query, key: scores(key, query),
)

weights = wrongly_set(
    turned,
    "softmax applied",
    "You went one step further than asked: these are weights, after a softmax.",
    "Return the scaled scores themselves. The softmax comes in the next lesson.",
    after=attnlib.softmax,
)


@mistake("cosines")
def cosines(query, key):
    """You divided by the lengths of the vectors, so these are cosines.

    Here one number divides all scores, the square root of d_key. A longer query keeps its larger
    scores.
    """
    return attnlib.cosine_similarity(query, key)


standardised = wrongly_set(
    turned,
    "divided by the measured spread",
    "You divided by the spread that these scores happen to have.",
    "Divide by the square root of d_key instead, which is known before anything is measured.",
    by=lambda query, key: scores(query, key).std(),
)


@mistake("batch axes forgotten")
def matrices_only(query, key):
    """Your answer is right for two matrices, and wrong or an error with batch axes in front.

    With a batch, the first axis counts the examples and `key.T` turns that round as well. Count
    from the end and exchange the last two axes alone; `@` multiplies matrix by matrix.
    """
    return query @ key.T / np.sqrt(key.shape[-1])


by_axis_1 = wrongly_set(
    turned,
    "axis 1 for the width",
    "Your answer is right for two matrices; with a batch, `query.shape[1]` counts the queries.",
    "Count from the end: the width is always the length of the last axis.",
    by=lambda query, key: np.sqrt(query.shape[1]),
)

by_axis_1_of_key = wrongly_set(
    turned,
    "axis 1 of the key for the width",
    "Your answer is right for two matrices; with a batch, `key.shape[1]` counts the keys.",
    "Count from the end: the width is always the length of the last axis.",
    by=lambda query, key: np.sqrt(key.shape[1]),
)


by_half = wrongly_set(
    turned,
    "divided by half the width",
    "You divided by half of d_key, where its square root is needed.",
    "In `d ** 1 / 2` the power comes first, so it is half of d. `d ** 0.5` and `np.sqrt(d)` are "
    "the root.",
    by=lambda query, key: query.shape[-1] / 2,
)

by_double = wrongly_set(
    turned,
    "divided by twice the width",
    "You divided by d_key and by 2, where its square root is needed.",
    "In `scores / d ** 1/2` the power comes first, and then one division after the other: it is "
    "`scores / d / 2`. `d ** 0.5` and `np.sqrt(d)` are the root.",
    by=lambda query, key: query.shape[-1] * 2,
)

by_2 = wrongly_set(
    turned,
    "always divided by 2",
    "You divided by 2, whatever the width.",
    "2 is the root of 4 only. Take the root of the width that comes in, the length of the last "
    "axis.",
    by=lambda query, key: 2,
)

by_size = wrongly_set(
    turned,
    "square root of the size",
    "You divided by the square root of how many numbers the query holds.",
    "d_key is how many features one query has. That is the length of its last axis.",
    by=lambda query, key: np.sqrt(query.size),
)

by_one_less = wrongly_set(
    turned,
    "square root of d_key - 1",
    "You divided by the square root of d_key - 1.",
    "All d_key products are added up, so take the square root of d_key itself.",
    by=lambda query, key: np.sqrt(np.maximum(query.shape[-1] - 1, 1)),
)

by_whole = wrongly_set(
    turned,
    "root rounded down",
    "You rounded the square root of d_key down to a whole number.",
    "Divide by the root as it is, with what comes behind the point.",
    by=lambda query, key: np.floor(np.sqrt(query.shape[-1])),
)


def spread_stays(answer, query, key):
    """Scores of standard normal entries have a spread near 1, whatever d_key."""
    rng = np.random.default_rng(5)
    q, k = rng.normal(size=(2, 61, 10 * key.shape[-1]))
    return abs(answer(q, k).std() - 1) < 0.2


EXERCISE = Exercise(
    solution=scaled_scores,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("query", "key"),),
    facts=(
        Fact("twice the query, twice the scores", lambda f, q, k: close(f(2 * q, k), 2 * f(q, k))),
        Fact("the spread does not grow with d_key", spread_stays),
        Fact("reordered keys reorder the columns", lambda f, q, k: close(
            f(q, k[..., ::-1, :]), f(q, k)[..., ::-1])),
    ),
    hints=(
        "All dot products of queries with keys are one matrix product. Which of the two has to be "
        "transposed? Then divide by one number.",
        "Transpose the key with `key.swapaxes(-1, -2)`, so that it also works with batch axes in "
        "front. d_key is the last axis of the query, and its square root is what you divide by.",
    ),
)  # fmt: skip
