"""Every token looks at every token."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.exercises import attention
from attnlib.checks.exercises.project_qkv import kept_in_spread
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(n, d_model), (d_model, d_key), (d_model, d_key), (d_model, d_value) -> (n, d_value)"
)


def self_attention(x, w_query, w_key, w_value):
    """Project, score, scale, softmax, mix: query asks, key is matched, value is handed over.

    All three come from the same x. Every row of the output is a weighted mean of the values.
    """
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    scores = query @ key.T / np.sqrt(query.shape[-1])  # (n, n)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)  # each row sums to 1
    return weights @ value  # (n, d_value)


def answer(x, w_query, w_key, w_value):
    """Give what is right, by which answers are judged."""
    return attnlib.attention(x @ w_query, x @ w_key, x @ w_value)


def cases():
    """Two tokens with small whole numbers; a sentence; more tokens than features."""
    given = SHAPES.given(np.random.default_rng(10), kept_in_spread)
    x = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])
    w_query = np.array([[1.0, 0, 0, 0, 1], [0.0, 1, 0, 0, 0], [0.0, 0, 0, 1, 0]])
    w_key = np.array([[0.0, 0, 0, 1, 0], [1.0, 1, 0, 0, 0], [0.0, 0, 1, 0, 1]])
    w_value = np.array([[2.0, 0, 0, 0, 1, 0, 0], [0.0, 4, 0, 1, 0, 0, 2], [0.0, 0, 2, 0, 0, 1, 0]])
    yield Case("the small example is right", (x, w_query, w_key, w_value))
    yield Case("a longer sentence is right", given(n=7, d_model=11, d_key=5, d_value=13))
    yield Case("more tokens than features are right", given(n=17, d_model=3, d_key=7, d_value=2))
    x, *matrices = given(n=5, d_model=7, d_key=3, d_value=11)
    yield Case("large scores are right", (40 * x, *matrices))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(110)
    w_value = rng.normal(size=(4, 3))

    def steep(levels):
        return [
            (promises.steep_tokens(n, one_sign=one), *promises.steep_matrices(level), w_value)
            for n in (3, 7)
            for level in levels
            for one in (False, True)
        ]

    return promises.of_shapes(SHAPES, SHAPES.given(rng, kept_in_spread)) | {
        promises.LARGE: steep(promises.LEVELS),
        promises.SCORES.beyond: steep([promises.BEYOND]),
    }


def project(x, w_query, w_key, w_value):
    """Give query, key and value."""
    return x @ w_query, x @ w_key, x @ w_value


def turned(
    x, w_query, w_key, w_value, *, scale=None, weigh=attnlib.softmax, mixed="value", made=project
):
    """Answer with knobs, each of which can be set wrong."""
    return wrong.attend(*made(x, w_query, w_key, w_value), scale=scale, weigh=weigh, mixed=mixed)


@mistake("square root of d_model")
def by_d_model(x, w_query, w_key, w_value):
    """You divided by the square root of d_model, the width of x.

    The scores are dot products of queries and keys, so it is the width of a query that makes them
    large: divide by the square root of d_key.
    """
    return wrong.attend(*project(x, w_query, w_key, w_value), scale=1 / np.sqrt(x.shape[-1]))


bare_value = wrongly_set(
    turned,
    "value is x itself",
    "You mixed x itself, so w_value is not used.",
    "What a token hands over is its value, which w_value makes of x.",
    made=lambda x, w_query, w_key, w_value: (x @ w_query, x @ w_key, x),
)

bare = wrongly_set(
    turned,
    "nothing projected",
    "You compared and mixed x itself, so none of the three matrices is used.",
    "Begin with the query, the key and the value, each made of x by its own matrix, as in "
    "`project_qkv`.",
    made=lambda x, *_: (x, x, x),
)

shared = wrongly_set(
    turned,
    "one matrix for query and key",
    "You used w_query for the key as well.",
    "Each of the three has a matrix of its own, and that of the key is w_key.",
    made=lambda x, w_query, w_key, w_value: (x @ w_query, x @ w_query, x @ w_value),
)

unshifted = wrongly_set(
    turned,
    "no max shift",
    "Your formula is right, but large scores overflow in `np.exp`, and inf / inf is nan.",
    "Subtract each row's largest score before `np.exp`, or call your own `softmax`.",
    weigh=wrong.unshifted,
)


shared_key = wrongly_set(
    turned,
    "w_key for the query",
    "You used w_key for the query as well.",
    "Each of the three has a matrix of its own, and that of the query is w_query.",
    made=lambda x, w_query, w_key, w_value: (x @ w_key, x @ w_key, x @ w_value),
)

shared_value = wrongly_set(
    turned,
    "w_value for all three",
    "You used w_value for query and key as well.",
    "Each of the three has a matrix of its own: w_query, w_key, w_value.",
    made=lambda x, w_query, w_key, w_value: (x @ w_value, x @ w_value, x @ w_value),
)

others = wrongly_set(
    turned,
    "itself left out",
    "Your tokens do not look at themselves, and here every token may look at all.",
    "Leave the diagonal of the scores as it is: a token is one of the keys of its sentence.",
    weigh=lambda s: attnlib.softmax(np.where(np.eye(len(s), dtype=bool), -np.inf, s)),
)


@mistake("value added")
def residual(x, w_query, w_key, w_value):
    """You added each token's own value to what it gets.

    What attention mixes is all that is asked for. Later lessons add something to it.
    """
    return x @ w_value + attnlib.attention(*project(x, w_query, w_key, w_value))


@mistake("weights returned")
def only_weights(x, w_query, w_key, w_value):
    """You returned the weights, which say where each token looks; the output is asked for.

    One step is left: mix the values with these weights.
    """
    return attnlib.attention_weights(x @ w_query, x @ w_key)


def between(answer, x, w_query, w_key, w_value):
    """No output leaves the range that the values span."""
    output, value = answer(x, w_query, w_key, w_value), x @ w_value
    slack = 1e-4 * np.abs(value).max()
    low, high = value.min(axis=0) - slack, value.max(axis=0) + slack
    return bool(((low <= output) & (output <= high)).all())


EXERCISE = Exercise(
    solution=self_attention,
    answer=answer,
    returns="output",
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    facts=(
        Fact("no output leaves the range of the values", between),
        Fact("reordered tokens give reordered outputs", lambda f, x, *w: close(
            f(x[::-1], *w), f(x, *w)[::-1])),
        Fact("a token alone gets its own value", lambda f, x, q, k, v: close(
            f(x[:1], q, k, v), x[:1] @ v)),
        Fact("twice w_value, twice the output", lambda f, x, q, k, v: close(
            f(x, q, k, 2 * v), 2 * f(x, q, k, v))),
    ),
    mistakes=(
        *(m.around(project) for m in (*wrong.family(), wrong.transposed, wrong.swapped)),
        ...,
        *(m.around(project) for m in (*wrong.single(), attention.global_shift)),
    ),
    hints=(
        "You have met every step already: projections, scores, the softmax and the weighted "
        "average. In which order do they follow each other?",
        "Project x three times. Compare every query with every key, by `query @ key.T`, divide "
        "by the square root of a query's width, and let a softmax run along each row, with "
        "`axis=-1, keepdims=True`. Then mix the values with the weights.",
    ),
)  # fmt: skip
