"""One sequence reads another."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(n_target, d_target), (n_source, d_source), (d_target, d_key), (d_source, d_key), "
    "(d_source, d_value) -> (n_target, d_value)"
)


def cross_attention(target, source, w_query, w_key, w_value):
    """Let the target ask and the source answer: one output row for every row of the target.

    Keys and values both come from the source, because what was found is also what has to be handed
    over.
    """
    query, key, value = target @ w_query, source @ w_key, source @ w_value
    scores = query @ key.T / np.sqrt(query.shape[-1])  # (n_target, n_source)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value  # (n_target, d_value)


def answer(target, source, w_query, w_key, w_value):
    """Give what is right, by which answers are judged."""
    return attnlib.attention(target @ w_query, source @ w_key, source @ w_value)


def cases():
    """Two target tokens and five source tokens by hand; then of different widths."""
    given = SHAPES.given(np.random.default_rng(15), kept_in_spread)
    target = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])
    source = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 2], [1, 1, 1], [0, 1, 1]])
    w_query, w_key = np.eye(3, 7), np.eye(3, 7)[[1, 0, 2]]
    w_value = np.array([[2.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], [0.0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0],
                        [0.0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1]])  # fmt: skip
    yield Case("the small example is right", (target, source, w_query, w_key, w_value))
    yield Case(
        "target and source may differ in width",
        given(n_target=5, n_source=7, d_target=3, d_source=11, d_key=13, d_value=2),
    )
    yield Case(
        "the target may be longer than its source",
        given(n_target=13, n_source=3, d_target=11, d_source=7, d_key=2, d_value=5),
    )


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(115)
    w_value = rng.normal(size=(4, 3))

    def two_tokens(w_key):
        """Give two source tokens whose scores lie at one end, close together."""
        one = np.ones((1, 1))
        return one, np.array([[1.0], [1 - 2.0**-13]]), 100 * one, w_key * one, one

    def steep(levels):
        return [
            (promises.steep_tokens(n), promises.steep_tokens(m, one_sign=one),
             *promises.steep_matrices(level), w_value)
            for n, m in ((3, 7), (5, 3))
            for level in levels
            for one in (False, True)
        ]  # fmt: skip

    return promises.of_shapes(SHAPES, SHAPES.given(rng, kept_in_spread), none="n_target") | {
        promises.LARGE: [two_tokens(100.0), two_tokens(-100.0), *steep(promises.LEVELS)],
        promises.SCORES.beyond: steep([promises.BEYOND]),
    }


def kept_in_spread(target, source, *matrices):
    """Scale each matrix so that it keeps the spread of what it multiplies."""
    return target, source, *(w / np.sqrt(len(w)) for w in matrices)


def project(target, source, w_query, w_key, w_value):
    """Give query, key and value."""
    return target @ w_query, source @ w_key, source @ w_value


@mistake("target and source swapped")
def roles_swapped(target, source, w_query, w_key, w_value):
    """You swapped the two sequences: the source asks, and the output has a row per source token.

    The target asks, so the queries come from it. The source answers, so keys and values come from
    there.
    """
    return attnlib.attention(source @ w_query, target @ w_key, target @ w_value)


@mistake("self-attention of the target")
def target_only(target, source, w_query, w_key, w_value):
    """You took keys and values from the target as well, so the source is not read at all.

    What a query is compared with and what is handed over both come from the source.
    """
    return attnlib.attention(target @ w_query, target @ w_key, target @ w_value)


@mistake("self-attention of the source")
def source_only(target, source, w_query, w_key, w_value):
    """You took the queries from the source as well, so the target does not ask anything.

    The one who asks gives the queries, and the output has a row for each of them. Here that is the
    target.
    """
    return attnlib.attention(source @ w_query, source @ w_key, source @ w_value)


@mistake("value from the target")
def target_value(target, source, w_query, w_key, w_value):
    """You took the values from the target, but they come from the source, as the keys do.

    A weight says how much to take from a source token, and what is taken is that token's
    value.
    """
    return attnlib.attention_weights(target @ w_query, source @ w_key) @ (target @ w_value)


@mistake("keys from the target")
def target_keys(target, source, w_query, w_key, w_value):
    """You took the keys from the target, but they come from the source, as the values do.

    The target looks for something in the source, so its queries are compared with the source's
    keys.
    """
    return attnlib.attention_weights(target @ w_query, target @ w_key) @ (source @ w_value)


@mistake("w_query and w_key swapped")
def matrices_swapped(target, source, w_query, w_key, w_value):
    """You swapped w_query and w_key.

    The target asks, so it goes with w_query. The source is compared, so it goes with w_key.
    """
    return attnlib.attention(target @ w_key, source @ w_query, source @ w_value)


@mistake("square root of the target's width")
def by_d_target(target, source, w_query, w_key, w_value):
    """You divided by the square root of the width of the target.

    A score is the dot product of a query and a key, so their width counts, d_key, and not the width
    of the tokens that they were made from.
    """
    query, key, value = project(target, source, w_query, w_key, w_value)
    return wrong.attend(query, key, value, scale=1 / np.sqrt(target.shape[-1]))


@mistake("square root of the source's width")
def by_d_source(target, source, w_query, w_key, w_value):
    """You divided by the square root of the width of the source.

    A score is the dot product of a query and a key, so their width counts, d_key, and not the width
    of the tokens that they were made from.
    """
    query, key, value = project(target, source, w_query, w_key, w_value)
    return wrong.attend(query, key, value, scale=1 / np.sqrt(source.shape[-1]))


@mistake("divided by the sum over everything")
def whole_sum(target, source, w_query, w_key, w_value):
    """You divided by the sum of all exponentials, not of each row's own.

    Every query has a whole of its own to share out: the sum runs along the last axis, which is
    kept.
    """
    scores = attnlib.attention_scores(target @ w_query, source @ w_key)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum() @ (source @ w_value)


@mistake("square root of the number of queries")
def by_n_queries(target, source, w_query, w_key, w_value):
    """You divided by the square root of the number of queries.

    How many queries there are makes no score larger. The width of a query counts, which is its last
    axis, not its first.
    """
    query, key, value = project(target, source, w_query, w_key, w_value)
    return wrong.attend(query, key, value, scale=1 / np.sqrt(len(query)))


@mistake("weights returned")
def only_weights(target, source, w_query, w_key, w_value):
    """You returned the weights, but the output is asked for.

    One step is left. The weights say how much of each value to take, and the output is that mixture
    of values.
    """
    return attnlib.attention_weights(target @ w_query, source @ w_key)


@mistake("value is the source itself")
def bare_value(target, source, w_query, w_key, w_value):
    """You mixed the source itself, so w_value is not used.

    What is handed over is a token's value, which means that the source goes through w_value first.
    """
    return attnlib.attention(target @ w_query, source @ w_key, source)


def between(answer, target, source, w_query, w_key, w_value):
    """No output leaves the range that the source's values span."""
    output, value = answer(target, source, w_query, w_key, w_value), source @ w_value
    slack = 1e-4 * np.abs(value).max()
    low, high = value.min(axis=0) - slack, value.max(axis=0) + slack
    return bool(((low <= output) & (output <= high)).all())


EXERCISE = Exercise(
    solution=cross_attention,
    answer=answer,
    returns="output",
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    facts=(
        Fact("the output is as long as the target", lambda f, t, s, *w: len(f(t, s, *w)) == len(t)),
        Fact("no output leaves the range of the source's values", between),
        Fact("each value goes with its own key", lambda f, t, s, *w: close(
            f(t, s[::-1], *w), f(t, s, *w))),
        Fact("each target token reads on its own", lambda f, t, s, *w: close(
            f(t[:1], s, *w), f(t, s, *w)[:1])),
    ),
    mistakes=tuple(
        m.around(project)
        for m in (*wrong.family(), wrong.transposed, wrong.swapped, *wrong.single())
    ),
    hints=(
        "It is self-attention with two inputs. Go through the three projections and ask of each: "
        "does it belong to the one who asks, or to the one who is read?",
        "The target gives the queries, the source gives keys and values. The scores are then "
        "(n_target, n_source), each row goes through a softmax by itself, and the output has a row "
        "for each target token. `key.T` turns the keys, and `axis=-1, keepdims=True` keeps a row's "
        "maximum and sum beside it.",
    ),
)  # fmt: skip
