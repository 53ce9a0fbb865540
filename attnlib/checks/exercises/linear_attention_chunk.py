"""Several words of linear attention at once: a matrix within the chunk, a state before it."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.exercises.linear_attention_step import begun_and_long, positive
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(d_key, d_value), (d_key), (n, d_key), (n, d_key), (n, d_value) "
    "-> (n, d_value), (d_key, d_value), (d_key)"
)


def linear_attention_chunk(state, total, query, key, value):
    """Ask the state about all that came before the chunk, and the chunk's own words by a matrix.

    Within the chunk each word looks at itself and at those before it, so the matrix of weights is
    a triangle. The two sums are added before anything is divided, and the state takes in the whole
    chunk at the end, by one product.
    """
    weights = np.tril(query @ key.T)  # (n, n)
    mixed = query @ state + weights @ value  # (n, d_value)
    given = query @ total + weights.sum(axis=1)  # (n,)
    return mixed / given[:, None], state + key.T @ value, total + key.sum(axis=0)


def answer(state, total, query, key, value):
    """Give what is right, by which answers are judged."""
    states = state + np.cumsum(key[:, :, np.newaxis] * value[:, np.newaxis], axis=0)
    totals = total + np.cumsum(key, axis=0)
    return divided(query, states, totals), states[-1], totals[-1]


def divided(query, states, totals):
    """Ask for each word its own state and total."""
    mixed = np.einsum("na,nab->nb", query, states)
    return mixed / (query * totals).sum(axis=1, keepdims=True)


def cases():
    """Two words by hand; a long chunk; a short one; as many words as features."""
    given = SHAPES.given(np.random.default_rng(36), positive)
    state, total = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]), np.array([1.0, 2.0])
    query, key = np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([[2.0, 1.0], [1.0, 1.0]])
    value = np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 5.0]])
    yield Case("the small example is right", (state, total, query, key, value))
    yield Case("a long chunk is right", given(n=11, d_key=5, d_value=3))
    yield Case("a short chunk is right", given(n=2, d_key=7, d_value=5))
    yield Case("as many words as features are right", given(n=5, d_key=5, d_value=3))


def promised():
    """Give the inputs that hold an answer to each promise."""
    given = SHAPES.given(np.random.default_rng(136), positive)
    sizes = {}, {"n": 2, "d_key": 3, "d_value": 7}, {"n": 1, "d_key": 1, "d_value": 1}
    return promises.of_shapes(SHAPES, given) | begun_and_long(given, *sizes)


def weighed(state, total, query, key, value, weights, *, before=1.0):
    """Give the answer with some other weights within the chunk."""
    mixed = before * (query @ state) + weights @ value
    given = before * (query @ total) + weights.sum(axis=1)
    return mixed / given[:, np.newaxis], state + key.T @ value, total + key.sum(axis=0)


def turned(
    state, total, query, key, value, *, cut=np.tril, before=lambda old, new: old,
    share=lambda before, own: (before + own)[:, np.newaxis], kept=lambda old, new: new,
):  # fmt: skip
    """Take the chunk with knobs, each of which can be set wrong."""
    weights, old = cut(query @ key.T), (state, total)
    new = state + key.T @ value, total + key.sum(axis=0)
    asked, counted = before(old, new)
    divisor = share(query @ counted, weights.sum(axis=1))
    return (query @ asked + weights @ value) / divisor, *kept(old, new)


uncausal = wrongly_set(
    turned,
    "future of the chunk seen",
    "Within the chunk your words see the future: each hears the whole chunk.",
    "Word i may hear the words up to i. Of the weights within the chunk, `np.tril` keeps that "
    "triangle; and the state is asked as it came in, before the chunk is written into it.",
    cut=np.positive,
)

strict = wrongly_set(
    turned,
    "itself hidden",
    "Within the chunk your words do not see themselves.",
    "A word may look at itself, as under the causal mask. The diagonal belongs to the triangle, "
    "and where words are taken one by one, each is written before it asks.",
    cut=lambda weights: np.tril(weights, -1),
)

forgets = wrongly_set(
    turned,
    "state before the chunk not asked",
    "Your words look at their own chunk alone; what came before it is in the state.",
    "Ask the state with the same queries, and add what you get before you divide.",
    before=lambda old, new: (0 * old[0], 0 * old[1]),
)

twice = wrongly_set(
    turned,
    "chunk counted twice",
    "You asked the state with the chunk in it, and the chunk by its matrix: it counts twice.",
    "Ask the state as it came in, and let it grow after that.",
    before=lambda old, new: new,
)


@mistake("two means added")
def means_added(state, total, query, key, value):
    """You divided what comes from the state and what comes from the chunk, and then added.

    Two means are no mean. Add what is to be divided, add what it is divided by, and divide once.
    """
    weights = np.tril(query @ key.T)
    own = weights @ value / weights.sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        before = query @ state / (query @ total)[:, np.newaxis]
    return own + before, state + key.T @ value, total + key.sum(axis=0)


own_total = wrongly_set(
    turned,
    "total of the state missing",
    "You divided by the chunk's own weights alone.",
    "The words before gave values as well, and the total knows their weights: add what the query "
    "finds in it.",
    share=lambda before, own: own[:, np.newaxis],
)

undivided = wrongly_set(
    turned,
    "not divided",
    "You did not divide, so your output is a sum of values and no mean.",
    "What the query finds in the total, and the sum of its weights within the chunk, say by what.",
    share=lambda before, own: 1,
)

softened = wrongly_set(
    turned,
    "softmax within the chunk",
    "You put the chunk's weights through a softmax, but linear attention has none.",
    "The products of query and key are the weights themselves, as positive features make them.",
    cut=lambda scores: attnlib.softmax(np.where(np.tri(len(scores)), scores, -np.inf)),
)


@mistake("key not transposed")
def not_transposed(state, total, query, key, value):
    """Query and key met as they are, but one of the two has to be transposed.

    Within the chunk every query meets every key, feature by feature, and both keep their features
    along the last axis.
    """
    return weighed(state, total, query, key, value, np.tril(query @ key))


@mistake("last word alone kept")
def last_kept(state, total, query, key, value):
    """Your output is right, but state and total took in the last word alone.

    All words of the chunk are written into them: `key.T @ value` adds up their tables.
    """
    output, *_ = answer(state, total, query, key, value)
    return output, state + np.outer(key[-1], value[-1]), total + key[-1]


@mistake("only this chunk kept")
def replaced(state, total, query, key, value):
    """Your output is right, but you returned this chunk's state and total alone.

    Add them to what came in, or the next chunk knows nothing of the words before this one.
    """
    return answer(state, total, query, key, value)[0], key.T @ value, key.sum(axis=0)


summed_up = wrongly_set(
    turned,
    "one mean for all",
    "You divided all words by one number; each has a sum of its own.",
    "Let the sum run along each row of the weights, and stand the sums up as a column.",
    share=lambda before, own: (before + own).sum(),
)


one_further = wrongly_set(
    turned,
    "one word of the future seen",
    "Within the chunk each of your words sees the next one, too.",
    "Word i may hear the words up to i, and no further.",
    cut=lambda weights: np.tril(weights, 1),
)

other_triangle = wrongly_set(
    turned,
    "the other triangle",
    "Within the chunk your words hear those that come after, and not those before.",
    "Rows are queries: row i keeps the columns up to i, which lie below the diagonal.",
    cut=np.triu,
)

met_wrongly = wrongly_set(
    turned,
    "query and key exchanged",
    "Within the chunk you exchanged query and key, so the words before ask.",
    "Row i belongs to query i: it comes first in the product, and the keys are transposed.",
    cut=lambda weights: np.tril(weights.T),
)

total_alone = wrongly_set(
    turned,
    "total asked, state not",
    "You divide by what is found in the total, and the state is not asked.",
    "What the words before gave is in the state. Ask it with the same queries, and add that above.",
    before=lambda old, new: (0 * old[0], old[1]),
)

not_kept = wrongly_set(
    turned,
    "state and total returned as they came",
    "Your output is right, but the state and the total that you return are the old ones.",
    "The next chunk needs them with this chunk in them.",
    kept=lambda old, new: (old[0].copy(), old[1].copy()),
)

total_not_kept = wrongly_set(
    turned,
    "total returned as it came",
    "Your output is right, but the total that you return is the old one.",
    "The next chunk needs it with the keys of this chunk in it.",
    kept=lambda old, new: (new[0], old[1].copy()),
)

state_not_kept = wrongly_set(
    turned,
    "state returned as it came",
    "Your output is right, but the state that you return is the old one.",
    "The next chunk needs it with the words of this chunk in it.",
    kept=lambda old, new: (old[0].copy(), new[1]),
)


@mistake("last key alone in the total")
def last_key(state, total, query, key, value):
    """Your output is right, but the total took in the last key of the chunk alone.

    All keys of the chunk are added to it.
    """
    output, grown, _ = answer(state, total, query, key, value)
    return output, grown, total + key[-1]


exponentials = wrongly_set(
    turned,
    "exponentials within the chunk",
    "You took the exponentials of the chunk's weights, but linear attention has none.",
    "The products of query and key are the weights themselves, as positive features make them.",
    cut=lambda scores: np.tril(np.exp(scores)),
)


shifted = wrongly_set(
    turned,
    "exponentials below each row's largest",
    "You took exponentials of the chunk's weights, as a softmax does; linear attention has none.",
    "The products of query and key are the weights themselves, as positive features make them.",
    cut=lambda scores: np.tril(
        np.exp(scores - np.where(np.tri(len(scores)), scores, -np.inf).max(axis=1, keepdims=True))
    ),
)


@mistake("scaled within the chunk")
def scaled(state, total, query, key, value):
    """You scaled the chunk's weights, and what the state gives is not scaled.

    Linear attention has no scale: what multiplies every weight is divided away again.
    """
    return weighed(state, total, query, key, value, np.tril(query @ key.T) / np.sqrt(len(total)))


@mistake("queries written into the state")
def queries_written(state, total, query, key, value):
    """Your output is right, but you wrote the queries into the state, where the keys belong.

    The key is what later words find a word by. Its query asks once.
    """
    output, _, grown = answer(state, total, query, key, value)
    return output, state + query.T @ value, grown


@mistake("mean of the keys in the total")
def mean_key(state, total, query, key, value):
    """Your output is right, but the total took in the mean of the keys.

    All keys of the chunk are added to it.
    """
    output, grown, _ = answer(state, total, query, key, value)
    return output, grown, total + key.mean(axis=0)


@mistake("divided by hidden weights, too")
def all_counted(state, total, query, key, value):
    """You divided by the weights of the whole chunk, also of words that are not heard.

    What is mixed and what is divided by go by the same triangle.
    """
    weights = query @ key.T
    mixed = query @ state + np.tril(weights) @ value
    given = query @ total + weights.sum(axis=1)
    return mixed / given[:, np.newaxis], state + key.T @ value, total + key.sum(axis=0)


@mistake("chunk divided first")
def chunk_first(state, total, query, key, value):
    """You divided the chunk's weights by their own sum first, and added the state then.

    The weights of the chunk and those before it share one whole: add both, and divide once.
    """
    weights = np.tril(query @ key.T)
    weights = weights / weights.sum(axis=1, keepdims=True)
    return query @ state + weights @ value, state + key.T @ value, total + key.sum(axis=0)


def in_two(answer, state, total, query, key, value):
    """Cut the chunk in two, and hand state and total on."""
    first, *kept = answer(state, total, query[:1], key[:1], value[:1])
    second, *kept = answer(*kept, query[1:], key[1:], value[1:])
    whole, *due = answer(state, total, query, key, value)
    return close(np.vstack([first, second]), whole) and all(map(close, kept, due))


def equal_values(answer, state, total, query, key, value):
    """See equal values come out as they are, in the chunk and before it."""
    before = total[:, np.newaxis] * np.ones_like(state)
    output, *_ = answer(before, total, query, key, np.ones_like(value))
    return close(output, 1)


EXERCISE = Exercise(
    solution=linear_attention_chunk,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("query", "key", "value"),),
    facts=(
        Fact("a chunk cut in two gives the same", in_two),
        Fact("weights sum to 1: equal values come out as they are", equal_values),
        Fact("the first word of a chunk gets the same whatever follows", lambda f, s, t, q, k, v: (
            close(f(s, t, q, k, v)[0][0], f(s, t, q[:1], k[:1], v[:1])[0][0]))),
        Fact("the order in a chunk does not matter to the state", lambda f, s, t, q, k, v: close(
            f(s, t, q, k[::-1], v[::-1])[1], f(s, t, q, k, v)[1])),
    ),
    hints=(
        "A word of the chunk hears two kinds of words: those before the chunk, which are in the "
        "state, and those of the chunk up to itself, which a triangle of weights can find at once.",
        "`np.tril(query @ key.T)` has the weights within the chunk. Mix the values with them, and "
        "add what the queries find in the state. Add up the weights along each row, and add what "
        "the queries find in the total. Divide the one by the other.",
        "`query @ state` and `query @ total` ask for all words at once, both as they came in. At "
        "the end the state grows by `key.T @ value`, and the total by the sum of the keys.",
    ),
    parts=("output", "state", "total"),
)  # fmt: skip
