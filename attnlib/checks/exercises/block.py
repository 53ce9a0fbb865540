"""A block: what attention brings is added to a word, and then what a network makes of it."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake
from attnlib.checks.exercises.attention_backward import seen
from attnlib.checks.shapes import Shapes

LONGER = Promise(
    "any length is right, up to the one that `near` knows",
    "`near` has a number for each distance up to the longest, and a text may be shorter. Only the "
    "distances between its words are looked up.",
)
MASKS = Promise(
    "any mask is right that lets every word see one",
    "A word may be kept from looking anywhere, ahead or back, itself included. Use the mask as it "
    "comes, beside the scores of all heads.",
)

SHAPES = Shapes("(..., n, n_heads*d_head), {}, n_heads, (n, n) -> (..., n, n_heads*d_head)")


def block(x, parameters, n_heads, mask):
    """Add what the heads bring to each word, and then what the network makes of that word.

    Nothing is replaced: the word goes on with what it was, and with more. A head's score has two
    parts, what query and key say, and how much this head likes a word at that distance.
    """
    p, n = parameters, x.shape[-2]

    def heads_of(w):  # (..., n, d_model) -> (..., n_heads, n, d_head)
        return (x @ w).reshape(*x.shape[:-1], n_heads, -1).swapaxes(-2, -3)

    query, key, value = heads_of(p["w_query"]), heads_of(p["w_key"]), heads_of(p["w_value"])
    distance = np.abs(np.arange(n)[:, None] - np.arange(n))  # (n, n)
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]) + p["near"][:, distance]
    scores = np.where(mask, scores, -np.inf)  # (..., n_heads, n, n)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    merged = (weights @ value).swapaxes(-2, -3).reshape(x.shape)  # (..., n, d_model)
    x = x + merged @ p["w_output"]
    return x + np.maximum(x @ p["w_up"] + p["b_up"], 0) @ p["w_down"]


def answer(x, parameters, n_heads, mask):
    """Give what is right, by which answers are judged."""
    return with_network(x + attended(x, parameters, n_heads, mask), parameters)


def attended(x, parameters, n_heads, mask, *, near=None, scale=None, split=attnlib.split_heads):
    """Give what attention brings to each word."""
    roles = (parameters[f"w_{role}"] for role in ("query", "key", "value"))
    query, key, value = (split(x @ w, n_heads) for w in roles)
    near = nearness(parameters["near"], x.shape[-2]) if near is None else near
    output = attnlib.attention(query, key, value, mask=mask, bias=near, scale=scale)
    return attnlib.merge_heads(output) @ parameters["w_output"]


def nearness(near, n):
    """Give each head's liking for each pair of words: (n_heads, n, n)."""
    return near[:, np.abs(np.arange(n)[:, np.newaxis] - np.arange(n))]


def weighed(x, parameters, n_heads, weights_of):
    """Give what attention brings, where something else makes weights of products and nearness."""
    query, key, value = (
        attnlib.split_heads(x @ parameters[f"w_{role}"], n_heads)
        for role in ("query", "key", "value")
    )
    products, near = attnlib.attention_scores(query, key), nearness(parameters["near"], x.shape[-2])
    return attnlib.merge_heads(weights_of(products, near) @ value) @ parameters["w_output"]


def with_network(x, parameters):
    """Add what the network makes of each word."""
    return x + network(x, parameters)


def network(x, parameters):
    """Give what the network makes of each word."""
    hidden = np.maximum(x @ parameters["w_up"] + parameters["b_up"], 0)
    return hidden @ parameters["w_down"]


def parameters_for(rng, d_model, n_heads, n, d_hidden=7):
    """Give a layer's arrays, of usual size."""
    matrices = {f"w_{role}": (d_model, d_model) for role in ("query", "key", "value", "output")}
    matrices |= {"w_up": (d_model, d_hidden), "w_down": (d_hidden, d_model)}
    found = {name: rng.normal(size=s) / np.sqrt(s[0]) for name, s in matrices.items()}
    return found | {"near": rng.normal(size=(n_heads, n)), "b_up": rng.normal(size=d_hidden)}


def filled(rng, longer=2, d_hidden=7):
    """Return what makes inputs of drawn ones: a layer's arrays, and a mask that hides a third."""

    def inputs(x, _, n_heads, numbers):
        n, d_model = x.shape[-2:]
        parameters = parameters_for(rng, d_model, n_heads, n + longer, d_hidden)
        return x, parameters, n_heads, seen(numbers)

    return inputs


def cases():
    """Two words and one head by hand; a text under the causal mask; a batch; a narrow network."""
    rng = np.random.default_rng(41)
    given = SHAPES.given(rng, filled(rng))
    x = np.array([[1.0, 0.0], [0.0, 2.0]])
    by_hand = {
        "w_query": np.array([[1.0, 0], [0, 1]]), "w_key": np.array([[0.0, 1], [2, 1]]),
        "w_value": np.array([[2.0, 0], [1, 1]]), "w_output": np.array([[1.0, 1], [0, 1]]),
        "near": np.array([[0.0, 1.0, 3.0]]), "w_up": np.array([[1.0, -1, 0], [0, 1, 1]]),
        "b_up": np.array([0.5, 0.0, -1.0]), "w_down": np.array([[1.0, 0], [0, 1], [2, 1]]),
    }  # fmt: skip
    yield Case("the small example is right", (x, by_hand, 1, np.tri(2, dtype=bool)))
    x, parameters, n_heads, _ = given(n=7, n_heads=3, d_head=2)
    yield Case("a causal mask is right", (x, parameters, n_heads, attnlib.causal_mask(7)))
    yield Case("heads as many as features are right", given(n=5, n_heads=5, d_head=1))
    yield Case("works with leading batch axes", given((2,), n=5, n_heads=2, d_head=3))
    narrow = SHAPES.given(rng, filled(rng, d_hidden=2))
    yield Case("a narrow network is right", narrow(n=11, n_heads=2, d_head=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(141)
    given, sizes = SHAPES.given(rng, filled(rng)), {"n": 5, "n_heads": 2, "d_head": 3}
    masks = [seen(rng.normal(size=(5, 5))), np.ones((5, 5), bool), np.eye(5, dtype=bool)]
    masks += [np.tri(5, dtype=bool).T, np.arange(5) == rng.integers(5, size=(5, 1))]

    def steep(levels):
        for n, level, one_sign in promises.steep_ways(levels):
            parameters = parameters_for(rng, 4, 1, n)
            parameters["w_query"], parameters["w_key"] = promises.steep_matrices(level)
            x = promises.steep_tokens(n, one_sign=one_sign)
            yield x, parameters, 1, seen(rng.normal(size=(n, n)))

    return promises.of_shapes(SHAPES, given) | {
        LONGER: [
            SHAPES.given(rng, filled(rng, longer=more))(**sizes | {"n": n})
            for n, more in ((1, 0), (1, 7), (5, 0), (5, 11), (11, 1))
        ],
        MASKS: [(*given(**sizes)[:3], mask) for mask in masks],
        promises.LARGE: list(steep(promises.LEVELS)),
        promises.SCORES.beyond: list(steep([promises.BEYOND])),
    }


@mistake("attention not added")
def replaced(x, parameters, n_heads, mask):
    """You went on with what attention brings alone, and the word itself is lost.

    The block adds: x, and what the heads bring.
    """
    return with_network(attended(x, parameters, n_heads, mask), parameters)


@mistake("network not added")
def network_alone(x, parameters, n_heads, mask):
    """You returned what the network makes, and what went into it is lost.

    The network's output is added, as attention's was.
    """
    return network(x + attended(x, parameters, n_heads, mask), parameters)


@mistake("x added again at the end")
def x_again(x, parameters, n_heads, mask):
    """You added x once more at the end, but what went into the network has it in already.

    Each step adds to what it was given: attention to x, and the network to what came of that.
    """
    return x + answer(x, parameters, n_heads, mask)


@mistake("x added twice before the network")
def x_twice(x, parameters, n_heads, mask):
    """You added x twice to what attention brings, so the network reads too much of it.

    If your attention returns the sum with x, do not add x again.
    """
    return with_network(x + x + attended(x, parameters, n_heads, mask), parameters)


@mistake("x for what went into the network")
def first_x(x, parameters, n_heads, mask):
    """You added the network's output to the x of the beginning, so what attention brought is lost.

    After attention x is another: give it the new value before the network reads it.
    """
    return x + network(x + attended(x, parameters, n_heads, mask), parameters)


@mistake("network beside attention")
def parallel(x, parameters, n_heads, mask):
    """You let the network read x as it was before attention.

    It comes second, and reads a word that knows what the heads have brought.
    """
    return x + attended(x, parameters, n_heads, mask) + network(x, parameters)


@mistake("no network")
def no_network(x, parameters, n_heads, mask):
    """You stopped after attention, and the network has no part in your answer.

    Three of the arrays are still to be used: w_up, b_up and w_down.
    """
    return x + attended(x, parameters, n_heads, mask)


@mistake("ReLU forgotten")
def linear(x, parameters, n_heads, mask):
    """You left out the ReLU, and two matrices in a row are no more than one.

    What is below 0 becomes 0 between them: `np.maximum(…, 0)`.
    """
    x = x + attended(x, parameters, n_heads, mask)
    return x + (x @ parameters["w_up"] + parameters["b_up"]) @ parameters["w_down"]


@mistake("ReLU at the end")
def late_relu(x, parameters, n_heads, mask):
    """You put the ReLU behind w_down, but it stands between the two matrices.

    It acts on the d_hidden numbers, and w_down on what it leaves.
    """
    x = x + attended(x, parameters, n_heads, mask)
    hidden = x @ parameters["w_up"] + parameters["b_up"]
    return x + np.maximum(hidden @ parameters["w_down"], 0)


@mistake("bias forgotten")
def no_bias(x, parameters, n_heads, mask):
    """You left out b_up, which is added before the ReLU."""
    return answer(x, parameters | {"b_up": 0 * parameters["b_up"]}, n_heads, mask)


@mistake("bias behind the ReLU")
def late_bias(x, parameters, n_heads, mask):
    """You added b_up behind the ReLU, but it decides what the ReLU lets through.

    Product, bias, ReLU, in this order.
    """
    x = x + attended(x, parameters, n_heads, mask)
    hidden = np.maximum(x @ parameters["w_up"], 0) + parameters["b_up"]
    return x + hidden @ parameters["w_down"]


@mistake("near ignored")
def not_near(x, parameters, n_heads, mask):
    """You left out `near`, so nobody knows which word stands where.

    For each head it has a number for each distance. Add it to the scores.
    """
    return answer(x, parameters | {"near": 0 * parameters["near"]}, n_heads, mask)


@mistake("near of the other end")
def far(x, parameters, n_heads, mask):
    """You took `near` from its other end: its first number is for the distance 0.

    Word i looks at word j over the distance |i - j|. That is the column to take.
    """
    return answer(x, parameters | {"near": parameters["near"][:, ::-1]}, n_heads, mask)


@mistake("near by the place of the key")
def by_place(x, parameters, n_heads, mask):
    """You took `near` by the place of the key, counted from the beginning of the text.

    What counts is how far it is from the word that looks: |i - j|.
    """
    n = x.shape[-2]
    near = parameters["near"][:, np.newaxis, :n]
    return with_network(x + attended(x, parameters, n_heads, mask, near=near), parameters)


@mistake("near one step off")
def off_by_one(x, parameters, n_heads, mask):
    """You took `near` one step off: the distance of a word to itself is 0.

    The first column is for the word itself, the second for its neighbours.
    """
    near = np.roll(parameters["near"], 1, axis=1)
    return answer(x, parameters | {"near": near}, n_heads, mask)


@mistake("near before the scale")
def scaled_near(x, parameters, n_heads, mask):
    """You divided `near` by the square root of d_head, too.

    Only the products of query and key are scaled. Add `near` then, as it is.
    """
    d_head = x.shape[-1] // n_heads
    near = nearness(parameters["near"], x.shape[-2]) / np.sqrt(d_head)
    return with_network(x + attended(x, parameters, n_heads, mask, near=near), parameters)


@mistake("one head's near for all")
def first_near(x, parameters, n_heads, mask):
    """You used the first head's `near` for all heads.

    Each head has a row of its own.
    """
    near = np.broadcast_to(parameters["near"][:1], parameters["near"].shape)
    return answer(x, parameters | {"near": near}, n_heads, mask)


@mistake("mask ignored")
def unmasked(x, parameters, n_heads, mask):
    """You did not use the mask, so a word hears of what it may not see.

    Where it is False, the score becomes -inf before the softmax.
    """
    return answer(x, parameters, n_heads, np.ones_like(mask))


@mistake("mask inverted")
def inverted(x, parameters, n_heads, mask):
    """You used the mask the wrong way round, but here True means "may look".

    Keep the score where the mask is True, and put -inf where it is False.
    """
    return answer(x, parameters, n_heads, ~mask)


@mistake("0 in place of -inf")
def zeros(x, parameters, n_heads, mask):
    """You made hidden scores 0, but exp(0) is 1, so the hidden words still get weight.

    Only -inf becomes a weight of exactly 0 in the softmax: np.where(mask, scores, -np.inf).
    """

    def weights_of(products, near):
        return attnlib.softmax(np.where(mask, products + near, 0))

    return with_network(x + weighed(x, parameters, n_heads, weights_of), parameters)


@mistake("masked after the softmax")
def late_mask(x, parameters, n_heads, mask):
    """You multiplied the weights by the mask, so those that are left no longer sum to 1.

    Hide the scores before the softmax: then what is left of a row shares the whole of it.
    """

    def weights_of(products, near):
        return attnlib.softmax(products + near) * mask

    return with_network(x + weighed(x, parameters, n_heads, weights_of), parameters)


@mistake("key not transposed")
def key_untransposed(x, parameters, n_heads, mask):
    """Query and key met as they are, but one of the two has to be transposed.

    Every query should meet every key, feature by feature, and in each head both keep their features
    along the last axis.
    """
    query, key, value = (
        attnlib.split_heads(x @ parameters[f"w_{role}"], n_heads)
        for role in ("query", "key", "value")
    )
    scores = query @ key / np.sqrt(query.shape[-1]) + nearness(parameters["near"], x.shape[-2])
    weights = attnlib.softmax(np.where(mask, scores, -np.inf))
    brought = attnlib.merge_heads(weights @ value) @ parameters["w_output"]
    return with_network(x + brought, parameters)


@mistake("query and key exchanged")
def exchanged(x, parameters, n_heads, mask):
    """You exchanged query and key, so each word asks what it should be found by.

    The word that looks has the query, and row i of the scores is its own: query @ key transposed.
    """
    roles = {"w_query": parameters["w_key"], "w_key": parameters["w_query"]}
    return answer(x, parameters | roles, n_heads, mask)


@mistake("no scaling")
def unscaled(x, parameters, n_heads, mask):
    """You did not divide the products by the square root of d_head.

    Each head has queries of width d_head. Its root is the scale.
    """
    return with_network(x + attended(x, parameters, n_heads, mask, scale=1.0), parameters)


@mistake("scale of d_model")
def scaled_by_model(x, parameters, n_heads, mask):
    """You divided by the square root of d_model, but a head's queries have d_head features.

    Take the width after the split.
    """
    scale = 1 / np.sqrt(x.shape[-1])
    return with_network(x + attended(x, parameters, n_heads, mask, scale=scale), parameters)


@mistake("heads split by reshape alone")
def reshaped(x, parameters, n_heads, mask):
    """You cut the heads out of the words: a reshape alone mixes up words and features.

    Give the features two axes, (n_heads, d_head), and exchange words and heads then.
    """

    def split(z, n_heads):
        return z.reshape(*z.shape[:-2], n_heads, z.shape[-2], -1)

    return with_network(x + attended(x, parameters, n_heads, mask, split=split), parameters)


@mistake("w_output forgotten")
def no_output(x, parameters, n_heads, mask):
    """You added the merged heads as they are, and w_output has no part in it.

    It mixes what the heads bring, before that is added.
    """
    d_model = x.shape[-1]
    return answer(x, parameters | {"w_output": np.eye(d_model)}, n_heads, mask)


@mistake("near multiplied")
def multiplied(x, parameters, n_heads, mask):
    """You multiplied the scores by `near`, but a head's liking is one more reason to look: add it.

    A liking of 0 changes nothing then, and that is what all heads begin with.
    """

    def weights_of(products, near):
        return attnlib.softmax(np.where(mask, products * near, -np.inf))

    return with_network(x + weighed(x, parameters, n_heads, weights_of), parameters)


def causal(answer, x, parameters, n_heads, mask):
    """Change the last word, and see that under the causal mask no other row notices."""
    n = x.shape[-2]
    past = np.tri(n, dtype=bool)
    other = np.concatenate([x[..., :-1, :], x[..., -1:, :] + 1], axis=-2)
    first, second = (answer(z, parameters, n_heads, past) for z in (x, other))
    return close(first[..., :-1, :], second[..., :-1, :])


def added(answer, x, parameters, n_heads, mask):
    """Let both matrices that lead back be 0, and see that x comes through as it is."""
    nothing = {name: 0 * parameters[name] for name in ("w_output", "w_down")}
    return close(answer(x, parameters | nothing, n_heads, mask), x)


EXERCISE = Exercise(
    solution=block,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    facts=(
        Fact("where w_output and w_down are 0, x comes through as it is", added),
        Fact("under the causal mask no row hears of a later word", causal),
        Fact("a number added to all of a head's near changes nothing", lambda f, x, p, h, m: close(
            f(x, p | {"near": p["near"] + 1}, h, m), f(x, p, h, m))),
    ),
    hints=(
        "Two lines of the form `x = x + …`: first what attention brings, then what the network "
        "makes of the new x. What does each of them need?",
        "Attention is that of lesson 06, and you have its parts: project, `split_heads`, "
        "`scaled_scores`, `softmax`, `weighted_average`, `merge_heads`. Between scores and softmax "
        "two things happen: `near` is added, by distance, and the mask hides.",
        "Distances are `np.abs(np.arange(n)[:, None] - np.arange(n))`, and `near[:, distances]` "
        "has a table for each head. The network is `np.maximum(x @ w_up + b_up, 0) @ w_down`.",
    ),
)  # fmt: skip
