"""How far the scores of many queries and keys spread, without making them."""

import numpy as np

from attnlib.checks import promises, watched
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises import scaled_scores
from attnlib.checks.shapes import Shapes

MANY = Promise(
    "hundreds of words are right",
    "Every query meets every key, and each of their scores counts alike: take in all the words.",
)
FLAT = Promise(
    "where all scores are equal the spread is 0",
    "Nothing is left of the variance then, and two numbers that should cancel are each rounded. "
    "What does your last step make of a difference that comes out a little below 0?",
)

SHAPES = Shapes("(n_queries, d_key), (n_keys, d_key) -> ()")


def score_spread(query, key):
    """Means can be taken apart: that of all scores is the mean query times the mean key.

    The mean of their squares needs two tables of features by features, however many words there
    are. What it exceeds the squared mean by is the variance.
    """
    n_scores = len(query) * len(key)
    mean = query.mean(axis=0) @ key.mean(axis=0)
    squares = (query.T @ query) * (key.T @ key)  # (d_key, d_key)
    variance = squares.sum() / n_scores - mean**2
    return np.sqrt(np.maximum(variance, 0))  # where scores are equal, rounding may go below 0


def answer(query, key):
    """Give what is right, by which answers are judged."""
    (a, q), (b, k) = ((x.mean(axis=0), (x - x.mean(axis=0)) / len(x) ** 0.5) for x in (query, key))
    return np.sqrt(((q @ b) ** 2).sum() + ((k @ a) ** 2).sum() + ((q.T @ q) * (k.T @ k)).sum())


# Entries whose q² k² is rounded below (q k)², in 64 bits and in 32.
SHORT = ((0.07, 0.27), (0.11, 0.51), (0.15, 0.37), (0.33, 0.21))


def cases():
    """Two queries and five keys by hand; as many of both; more queries than keys."""
    rng = np.random.default_rng(22)
    query = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]])
    key = np.array([[2.0, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, -3], [-1, 2, 0]])
    yield Case("the small example is right", (query, key))
    query, key = rng.normal(size=(7, 11)), rng.normal(size=(7, 11)) + 0.5
    yield Case("as many queries as keys are right", (query, key))
    query, key = rng.normal(size=(17, 3)) - 0.7, rng.normal(size=(5, 3)) + 0.3
    yield Case("more queries than keys are right", (query, key))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(122)

    def moved(query, key):
        if len(query) == len(key) == 1:  # the one score is whole, and nothing is left of its spread
            d_key = query.shape[-1]
            return np.arange(1.0, d_key + 1)[None], np.arange(2.0, d_key + 2)[None] % 3
        return query + 0.3, key - 0.4

    pair = SHAPES.given(rng, moved)
    short, wide = promises.SHORT, promises.LONG

    def long(*lengths):
        return tuple(map(promises.long, pair(), lengths))

    flat = {
        # Without sums every machine rounds alike: the mean square of one short score is too small.
        FLAT: [(np.array([[q]]), np.array([[k]])) for q, k in SHORT]
        + [(np.full((n, d), 0.01), np.full((n, d), 1e-3)) for n in (3, 7, 10) for d in (1, 2)]
        + [tuple(3e-3 * rng.random((2, 1, d))) for d in (3, 3, 5, 5, 7)],
    }
    return (
        flat
        | promises.of_shapes(SHAPES, pair)
        | {
            promises.SCALE: [
                long(*pair) for pair in ((short, short), (0.02, 0.02), (short, wide), (wide, wide))
            ],
            promises.VECTORS.beyond: [long(1, length) for length in promises.FAR_OFF],
            MANY: [
                pair(n_queries=n_queries, n_keys=n_keys)
                for n_queries, n_keys in ((31, 211), (101, 67), (1013, 3), (5, 1009))
            ],
        }
    )


def mean_of(query, key):
    """Give the mean of all scores."""
    return query.mean(axis=0) @ key.mean(axis=0)


def mean_square(query, key):
    """Give the mean of all squared scores."""
    return ((query.T @ query) * (key.T @ key)).sum() / len(query) / len(key)


def root(variance):
    """Take the root of what rounding may have left below 0."""
    return np.sqrt(np.maximum(variance, 0))


def turned(query, key, *, squares=mean_square, less=lambda *x: mean_of(*x) ** 2, last=root):
    """Answer with knobs, each of which can be set wrong."""
    return last(squares(query, key) - less(query, key))


unguarded = wrongly_set(
    turned,
    "rounding went below 0",
    "Your formula is right, but where all scores are equal it can give nan in place of 0.",
    "The mean square and the squared mean should cancel there. Each of them is rounded, so their "
    "difference may come out a little below 0, and such a number has no square root.",
    last=np.sqrt,
)

uncentred = wrongly_set(
    turned,
    "mean not subtracted",
    "You took the root of the mean square: how far scores lie from 0, not from their mean.",
    "Subtract the square of their mean before you take the root.",
    less=lambda query, key: 0,
)

variance = wrongly_set(
    turned,
    "variance",
    "You returned the variance; the standard deviation is its square root.",
    "One step is left, `np.sqrt`: it brings the number back to the scale of the scores.",
    last=lambda variance: np.maximum(variance, 0),
)

plain_mean = wrongly_set(
    turned,
    "mean not squared",
    "You subtracted the mean itself; what is subtracted from the mean square is its square.",
    "Square the mean score first. The mean of the squares and the square of the mean are numbers "
    "of one kind.",
    less=mean_of,
)


@mistake("scaled")
def scaled(query, key):
    """You divided by the square root of d_key, but the spread of the raw scores is asked for.

    Leave the scaling out: it is the spread without it that the lesson wants to know.
    """
    return answer(query, key) / np.sqrt(query.shape[-1])


@mistake("divided by one less")
def sample_spread(query, key):
    """You divided by one less than the number of scores, as one does for a sample.

    These are all the scores there are, so divide by their number, n_queries times n_keys.
    """
    n = len(query) * len(key)
    return answer(query, key) * np.sqrt(n / np.maximum(n - 1, 1))


@mistake("features centred first")
def centred(query, key):
    """You subtracted each feature's mean from query and key, which takes away part of the spread.

    Some queries have larger scores with every key, because the mean key is not 0. That belongs to
    the spread, too: leave query and key as they are, and subtract at the end.
    """
    return answer(query - query.mean(axis=0), key - key.mean(axis=0))


mixed_features = wrongly_set(
    turned,
    "one mean for all features",
    "You took one mean over all entries; every feature has a mean of its own.",
    "Take the mean along axis 0, over the words: one vector for the queries and one for the keys.",
    less=lambda query, key: (query.mean() * key.mean()) ** 2,
)

independent = wrongly_set(
    turned,
    "features taken as independent",
    "You squared each feature's products and left out those of two different features.",
    "The square of a sum has mixed terms as well. `query.T @ query` holds them beside its "
    "diagonal.",
    squares=lambda query, key: ((query**2).mean(axis=0) * (key**2).mean(axis=0)).sum(),
)

matrix_product = wrongly_set(
    turned,
    "matrix product of the two tables",
    "You multiplied the two tables of features as matrices and added all entries.",
    "Feature pair by feature pair, the entries belong together: multiply them entry by entry.",
    squares=lambda query, key: (query.T @ query @ key.T @ key).sum() / len(query) / len(key),
)

undivided = wrongly_set(
    turned,
    "sum of the squares",
    "You took the sum of all squared scores, where their mean is needed.",
    "Divide it by the number of scores, n_queries times n_keys.",
    squares=lambda query, key: ((query.T @ query) * (key.T @ key)).sum(),
)

by_queries = wrongly_set(
    turned,
    "divided by the number of queries only",
    "You divided the sum of squares by the number of queries only.",
    "Every query meets every key: there are n_queries times n_keys scores.",
    squares=lambda query, key: mean_square(query, key) * len(key),
)

by_keys = wrongly_set(
    turned,
    "divided by the number of keys only",
    "You divided the sum of squares by the number of keys only.",
    "Every query meets every key: there are n_queries times n_keys scores.",
    squares=lambda query, key: mean_square(query, key) * len(query),
)


not_transposed = scaled_scores.not_transposed.around(
    lambda *inputs: inputs,
    lambda scores, query, _: np.std(scores) * np.sqrt(query.shape[-1]),
)

words_by_words = wrongly_set(
    turned,
    "words by words",
    "Your tables are words by words: n_queries by n_queries, and n_keys by n_keys.",
    "These do not fit each other. Transpose the other way round, and both are features by "
    "features.",
    squares=lambda query, key: ((query @ query.T) * (key @ key.T)).sum() / len(query) / len(key),
)


@mistake("mean of the rows' spreads")
def row_by_row(query, key):
    """You took the spread of each query's scores by itself, and then the mean of those.

    How the queries differ from one another is lost that way. All scores share one mean.
    """
    return np.std(query @ key.T, axis=-1).mean()


@mistake("product of the two spreads")
def spreads_multiplied(query, key):
    """You multiplied the spread of query by the spread of key.

    That is right only for independent features whose means are 0. Work out the mean of the scores
    and the mean of their squares.
    """
    return np.sqrt(query.shape[-1]) * query.std() * key.std()


added = wrongly_set(
    turned,
    "mean added",
    "You added the square of the mean, where it has to be subtracted.",
    "A variance is the mean of the squares less the square of the mean.",
    less=lambda query, key: -(mean_of(query, key) ** 2),
)

squared_difference = wrongly_set(
    turned,
    "difference squared",
    "You squared the difference, and it is the mean alone that has to be squared.",
    "Square the mean score first, and then subtract it from the mean of the squares.",
    squares=lambda query, key: (mean_square(query, key) - mean_of(query, key)) ** 2,
    less=lambda query, key: 0,
)

feature_means = wrongly_set(
    turned,
    "means squared feature by feature",
    "You squared the products of the means feature by feature, and added up after that.",
    "The mean score is one number, the dot product of two mean vectors. Square that number.",
    less=lambda query, key: ((query.mean(axis=0) * key.mean(axis=0)) ** 2).sum(),
)

mean_of_means = wrongly_set(
    turned,
    "mean over the features",
    "You took the mean over the features where a score is their sum.",
    "The mean score is the dot product of the mean query and the mean key: add up, and do not "
    "divide.",
    less=lambda query, key: (query.mean(axis=0) * key.mean(axis=0)).mean() ** 2,
)

both_by_queries = wrongly_set(
    turned,
    "the number of queries for both",
    "You divided by the number of queries twice, and it is the keys' number the second time.",
    "There are n_queries times n_keys scores, and the two numbers need not be equal.",
    squares=lambda query, key: mean_square(query, key) * len(key) / len(query),
)

numbers_added = wrongly_set(
    turned,
    "numbers of words added",
    "You divided by the number of queries plus that of the keys.",
    "Every query meets every key: there are n_queries times n_keys scores.",
    squares=lambda query, key: (
        mean_square(query, key) * len(query) * len(key) / (len(query) + len(key))
    ),
)

mean_of_tables = wrongly_set(
    turned,
    "mean of the tables",
    "You took the mean over all pairs of features, and a squared score is their sum.",
    "Multiply the tables entry by entry, add everything up, and divide by the number of scores "
    "alone.",
    squares=lambda query, key: mean_square(query, key) / query.shape[-1] ** 2,
)

by_features = wrongly_set(
    turned,
    "divided by the pairs of features",
    "You divided by the number of pairs of features, and not by that of the scores.",
    "Each of n_queries times n_keys scores counts once in the mean.",
    squares=lambda query, key: (
        mean_square(query, key) * len(query) * len(key) / query.shape[-1] ** 2
    ),
)

lengths_multiplied = wrongly_set(
    turned,
    "lengths multiplied",
    "You multiplied all squares of query by all squares of key, as if all pointed the same way.",
    "How long two vectors are does not tell their score. Which features meet has to count, and "
    "two tables of features by features say it.",
    squares=lambda query, key: (query**2).sum() * (key**2).sum() / len(query) / len(key),
)


@mistake("spread of the rows' means")
def spread_of_means(query, key):
    """You took the mean score of each query and then the spread of these means.

    Within a row the scores differ, too. All scores share one mean, and one spread.
    """
    return np.std(query @ key.mean(axis=0))


@mistake("spread within the rows")
def within_rows(query, key):
    """You measured each score from the mean of its query's scores, not from the mean of all.

    How the queries differ from one another is lost that way. All scores share one mean.
    """
    return np.sqrt(np.var(query @ key.T, axis=-1).mean())


@mistake("spreads of the entries multiplied")
def entries_multiplied(query, key):
    """You multiplied the spread of all entries of query by that of key.

    A score adds up d_key products, and the means of the features count as well. Work out the mean
    of the scores and the mean of their squares.
    """
    return query.std() * key.std()


softened = wrongly_set(
    turned,
    "a millionth under the root",
    "You added a small number under the root, so equal scores have a spread that is not 0.",
    "It keeps `nan` away, but the root of 1e-6 is 1e-3. Lift only what lies below 0.",
    last=lambda variance: np.sqrt(np.maximum(variance, 0) + 1e-6),
)


queries_throughout = wrongly_set(
    turned,
    "the number of queries throughout",
    "You divided by the number of queries twice, and it is the keys' number the second time.",
    "There are n_queries times n_keys scores, and the two numbers need not be equal.",
    squares=lambda query, key: mean_square(query, key) * len(key) / len(query),
    less=lambda query, key: (mean_of(query, key) * len(key) / len(query)) ** 2,
)


def no_table(answer, query, key):
    """Measure what is held at once for many words: far less than all their scores.

    Once is enough, so the smallest example does it.
    """
    if len(query) > 2:
        return True
    query, key = np.resize(query, (307, 3)), np.resize(key, (397, 3))
    return watched.held(answer, query, key) < 8 * len(query) * len(key) / 2


EXERCISE = Exercise(
    solution=score_spread,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("query", "key"),),
    facts=(
        Fact("query and key may change places", lambda f, q, k: close(f(k, q), f(q, k))),
        Fact("twice the query, twice the spread", lambda f, q, k: close(f(2 * q, k), 2 * f(q, k))),
        Fact("the order of the words does not matter", lambda f, q, k: close(
            f(q[::-1], k), f(q, k))),
        Fact("every query twice: the spread stays", lambda f, q, k: close(
            f(np.concatenate([q, q]), k), f(q, k))),
        Fact(
            "the table of scores is never made",
            no_table,
            "For a long text, that table would not fit into memory. Neither the mean of the scores "
            "nor the mean of their squares needs it: the first hint shows how to begin.",
        ),
    ),
    hints=(
        "A variance is the mean of the squares less the square of the mean. Begin with the mean: "
        "what becomes of the mean of all q·k if you first take the mean over the queries, and then "
        "over the keys?",
        "Now a squared score: (q·k)² is the sum of q_f q_g k_f k_g over all pairs of features f "
        "and g. Added up over all words, the q part is an entry of one table of features by "
        "features, and the k part is the same entry of another.",
        "Those tables are `query.T @ query` and `key.T @ key`. Multiply them entry by entry, add "
        "everything up, and divide by the number of scores. Rounding may leave a variance a little "
        "below 0: `np.maximum` lifts it to 0 before you take the root.",
    ),
)  # fmt: skip
