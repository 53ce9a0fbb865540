"""Three views of every token."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(n, d_model), (d_model, d_key), (d_model, d_key), (d_model, d_value) "
    "-> (n, d_key), (n, d_key), (n, d_value)"
)


def project_qkv(x, w_query, w_key, w_value):
    """Each matrix makes its own view of every token: what it asks, how it is found, what it gives.

    A token is a row, so the matrix stands on the right; value may be of another width.
    """
    query = x @ w_query  # (n, d_key)
    key = x @ w_key  # (n, d_key)
    value = x @ w_value  # (n, d_value)
    return query, key, value


def answer(x, w_query, w_key, w_value):
    """Give what is right, by which answers are judged."""
    return x @ w_query, x @ w_key, x @ w_value


def cases():
    """Two tokens by hand; then n tokens, d_model, d_key and d_value all different."""
    given = SHAPES.given(np.random.default_rng(9), kept_in_spread)
    x = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
    w_query = np.array([[1.0, 0, 0, 2, 0], [0.0, 1, 0, 0, 1], [0.0, 0, 1, 0, 0]])
    w_key = np.array([[0.0, 1, 0, 0, 1], [2.0, 0, 0, 1, 0], [0.0, 0, 1, 1, 0]])
    w_value = np.array([[1.0, 0, 0, 0, 0, 0, 1], [0.0, 1, 0, 0, 1, 0, 0], [0.0, 0, 0, 3, 0, 1, 1]])
    yield Case("the small example is right", (x, w_query, w_key, w_value))
    yield Case("a longer sentence is right", given(n=7, d_model=11, d_key=5, d_value=13))
    yield Case("more tokens than features are right", given(n=17, d_model=3, d_key=7, d_value=2))


def promised():
    """Give the inputs that hold an answer to each promise."""
    given = SHAPES.given(np.random.default_rng(109), kept_in_spread)

    def long(length):
        x, *matrices = given()
        return promises.long(x, length), *matrices

    return promises.of_shapes(SHAPES, given) | {
        promises.SCALE: [*map(long, (promises.SHORT, promises.LONG))],
        promises.VECTORS.beyond: [*map(long, promises.FAR_OFF)],
    }


def kept_in_spread(x, *matrices):
    """Scale each matrix so that it keeps the spread of what it multiplies."""
    return x, *(w / np.sqrt(len(w)) for w in matrices)


def turned(x, w_query, w_key, w_value, *, order=(0, 1, 2), scale=lambda w_query: 1, after=np.array):
    """Project with knobs, each of which can be set wrong."""
    views = x @ w_query / scale(w_query), x @ w_key, x @ w_value
    return tuple(after(views[i]) for i in order)


queries_keys = wrongly_set(
    turned,
    "query and key swapped",
    "You swapped query and key.",
    "The first of the three should come from w_query and the second from w_key.",
    order=(1, 0, 2),
)

keys_values = wrongly_set(
    turned,
    "key and value swapped",
    "You swapped key and value.",
    "Return them in the order query, key, value.",
    order=(0, 2, 1),
)

value_first = wrongly_set(
    turned,
    "value first",
    "You returned the value first.",
    "Return them in the order query, key, value.",
    order=(2, 0, 1),
)

shared = wrongly_set(
    turned,
    "one matrix for query and key",
    "You used w_query for the key as well.",
    "Each of the three has a matrix of its own, and that of the key is w_key.",
    order=(0, 0, 2),
)


@mistake("value is x itself")
def bare_value(x, w_query, w_key, w_value):
    """You returned x itself as the value, so w_value is not used.

    The value is projected like the other two, with a matrix of its own.
    """
    return x @ w_query, x @ w_key, x


sideways = wrongly_set(
    turned,
    "a token per column",
    "Your three arrays lie on their side: in them, a token is a column.",
    "A token is a row here. Let x come first in each product, and transpose nothing.",
    after=np.transpose,
)

scaled = wrongly_set(
    turned,
    "query scaled already",
    "You scaled the query already, so the scores would be scaled twice later on.",
    "Return the bare projections. The scaling comes with the scores.",
    scale=lambda w_query: np.sqrt(w_query.shape[-1]),
)


@mistake("matrices transposed")
def transposed(x, w_query, w_key, w_value):
    """You transposed the matrices, and now the widths do not fit.

    x is (n, d_model) and a matrix is (d_model, d_key): they fit as they are.
    """
    return x @ w_query.T, x @ w_key.T, x @ w_value.T


@mistake("order of the product")
def reversed_product(x, w_query, w_key, w_value):
    """You multiplied in the wrong order: a token is a row, so x comes first.

    Look at the shapes: (n, d_model) times (d_model, d_key) gives one row per token.
    """
    return w_query @ x, w_key @ x, w_value @ x


@mistake("three arrays in one")
def one_array(x, w_query, w_key, w_value):
    """You put the three into one array, but value has another width and does not fit in.

    Return three arrays, with commas between them: `return query, key, value`.
    """
    return np.array([x @ w_query, x @ w_key, x @ w_value])


@mistake("three arrays stacked")
def stacked(x, w_query, w_key, w_value):
    """You stacked the three into one array, but value has another width and does not fit in.

    Return three arrays, with commas between them: `return query, key, value`.
    """
    return np.stack([x @ w_query, x @ w_key, x @ w_value])


shared_value = wrongly_set(
    turned,
    "key in the value's place",
    "You returned the key where the value belongs, so w_value is not used.",
    "The third of the three comes from w_value.",
    order=(0, 1, 1),
)

softened = wrongly_set(
    turned,
    "softmax applied",
    "You went further than asked: these are weights, after a softmax.",
    "A query, a key and a value are plain products of x with a matrix.",
    after=attnlib.softmax,
)

cut_at_0 = wrongly_set(
    turned,
    "negative numbers made 0",
    "You made 0 of every negative number.",
    "A query, a key and a value are plain products of x with a matrix. Their signs count.",
    after=lambda view: np.maximum(view, 0),
)


@mistake("lengths of x lost")
def directions(x, w_query, w_key, w_value):
    """You divided the rows of x by their lengths first.

    A long vector makes a long query. Multiply x as it is.
    """
    return turned(x / np.linalg.norm(x, axis=-1, keepdims=True), w_query, w_key, w_value)


EXERCISE = Exercise(
    solution=project_qkv,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("x"),),
    facts=(
        Fact("one row per token in each of the three", lambda f, x, *w: all(
            len(array) == len(x) for array in f(x, *w))),
        Fact("query and key share a width, value has its own", lambda f, x, *w: [
            array.shape[-1] for array in f(x, *w)] == [m.shape[-1] for m in w]),
        Fact("reordered tokens give reordered rows", lambda f, x, *w: all(
            close(a, b[::-1]) for a, b in zip(f(x[::-1], *w), f(x, *w), strict=True))),
        Fact("each uses its own matrix", lambda f, x, *w: all(
            close(f(x, *(m * (1 + (j == i)) for j, m in enumerate(w)))[i], 2 * f(x, *w)[i])
            for i in range(3))),
    ),
    hints=(
        "A query, a key and a value are made of x in the same way, each by its own matrix. Which "
        "operation makes one row per token of them?",
        "x is (n, d_model), w_query is (d_model, d_key): in which order do the two fit? Return "
        "the three with commas between them, in the order query, key, value.",
    ),
    parts=("query", "key", "value"),
)  # fmt: skip
