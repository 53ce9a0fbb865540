"""Attention rollout: from which words of the input each word of the last layer comes.

Abnar & Zuidema, "Quantifying attention flow in Transformers" (2020), section 3.
"""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Edge, Exercise, Fact, Promise, close, mistake, wrongly_set
from course.homework.task import is_empty

NOTHING_SEEN = Promise(
    "a query that saw nothing keeps itself whole",
    "A row of zeros in all heads leaves `own` alone in that row. Divide each row by its sum, so "
    "that it sums to 1 before it is passed on.",
)
OWN = Promise(
    "any share from just above 0 to 1 is right",
    "`own` is the share that a word keeps, and 1 - own what it takes from the heads. With 1, "
    "nobody takes anything from anybody.",
)
DEPTH = Promise(
    "any number of layers is right, none among them",
    "Begin with the identity, where every word comes from itself, and let each layer in its turn "
    "be multiplied from the left. With no layers the identity is the answer.",
)


def answer(weights, own):
    """Give what is right, by which answers are judged: walk down from each word of the top."""
    n_layers, n_heads, n, _ = weights.shape
    result = np.zeros((n, n))
    for top in range(n):
        held = {top: 1.0}
        for layer in reversed(range(n_layers)):
            below = dict.fromkeys(range(n), 0.0)
            for i, amount in held.items():
                row = [(1 - own) * sum(weights[layer, :, i, j]) / n_heads for j in range(n)]
                row[i] += own
                for j in range(n):
                    below[j] += amount * row[j] / sum(row)
            held = below
        for j, amount in held.items():
            result[top, j] = amount
    return result


def cases():
    """Two layers by hand, three layers of two heads, and a mask that hides all from one word."""
    rng = np.random.default_rng(111)
    weights = np.array([[[[0.0, 1.0], [0.0, 1.0]]], [[[1.0, 0.0], [0.5, 0.5]]]])
    yield Case("two layers of one head", (weights, 0.5))
    yield Case("three layers of two heads", (tenths(rng, 3, 2, 3), 0.3))
    partly = np.array([[[[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]]]])
    yield Case("a word that sees nothing in one of two heads", (partly, 0.5))
    blind = tenths(rng, 2, 2, 3)
    blind[:, :, 1] = 0
    yield Case("a word that sees nothing in any head", (blind, 0.4))


def tenths(rng, n_layers, n_heads, n):
    """Give weights that are whole tenths, and sum to 1 all the same."""
    shares = rng.multinomial(10, np.full(n, 1 / n), size=(n_layers, n_heads, n))
    return shares / 10  # (n_layers, n_heads, n, n)


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(112)
    sizes = (  # n_layers, n_heads, n
        (1, 1, 1), (2, 3, 1), (1, 2, 5), (3, 1, 2), (2, 2, 2), (3, 3, 3), (2, 5, 3), (5, 2, 3),
    )  # fmt: skip
    blind = tenths(rng, 3, 2, 4)
    blind[1, :, 2] = blind[2, :, 0] = 0
    half_blind = tenths(rng, 2, 2, 3)
    half_blind[0, 1, 1] = half_blind[1, 0] = 0
    causal = np.tri(5) / np.arange(1, 6)[:, None]
    return {
        NOTHING_SEEN: [(x, own) for x in (blind, half_blind) for own in (0.25, 0.9)]
        + [(np.zeros((2, 3, 3, 3)), 0.5), (np.zeros((1, 1, 2, 2)), 0.001)],
        OWN: [(tenths(rng, 2, 3, 3), own) for own in (1.0, 0.001, 0.05, 0.75)]
        + [(tenths(rng, 2, 2, 3), 1)],
        DEPTH: [
            (np.zeros((0, 2, 3, 3)), 0.5),
            (np.zeros((0, 1, 1, 1)), 0.25),
            (tenths(rng, 1, 3, 3), 0.5),
            (tenths(rng, 13, 1, 3), 0.5),
            (np.broadcast_to(causal, (4, 1, 5, 5)).copy(), 0.5),
        ],
        promises.SIZES: [(tenths(rng, *size), 0.6) for size in sizes],
        promises.SAME_SHAPES: promises.again(lambda: (tenths(rng, 2, 3, 3), 0.45)),
    }


def draw(rng):
    """Give random weights, of sizes that are random too; some queries see nothing."""
    n_layers, n_heads, n = rng.integers(1, 7, 3)
    weights = attnlib.softmax(2 * rng.normal(size=(n_layers, n_heads, n, n)))
    hidden = rng.random((n_layers, 1, n, 1)) < rng.choice([0, 0.2])
    return np.where(hidden, 0, weights), rng.uniform(0.05, 1)


def passed(weights, own):
    """Give what each layer lets through, (n_layers, n, n)."""
    return own * np.eye(weights.shape[-1]) + (1 - own) * weights.mean(axis=1)


def divided(matrices):
    """Divide each row by its sum."""
    return matrices / matrices.sum(axis=-1, keepdims=True)


def steps(weights, own):
    """Give what each layer does to the words, (n_layers, n, n), rows that sum to 1."""
    return divided(passed(weights, own))


def chained(matrices, n):
    """Multiply the layers, each from the left."""
    result = np.eye(n)
    for matrix in matrices:
        result = matrix @ result
    return result


def turned(weights, own, *, steps=steps, joined=chained):
    """Answer with knobs, each of which can be set wrong."""
    return joined(steps(weights, own), weights.shape[-1])


wrong_order = wrongly_set(
    turned,
    "layers in the wrong order",
    "You multiplied the layers in the other order, so the first one has the last word.",
    "Row i of the last layer says where word i has looked last. It stands on the left: A_last @ "
    "... @ A_first.",
    joined=lambda layers, n: chained(layers[::-1], n),
)

no_own = wrongly_set(
    turned,
    "nothing kept of oneself",
    "You multiplied the weights alone: no word keeps anything of itself.",
    "Every layer adds what was read to what was there: own times the identity, and 1 - own times "
    "the mean of the heads.",
    steps=lambda weights, own: weights.mean(axis=1),
)

exchanged = wrongly_set(
    turned,
    "the shares exchanged",
    "You gave the heads the share `own`, and the word itself what is left.",
    "`own` is what a word keeps of itself.",
    steps=lambda weights, own: steps(weights, 1 - own),
)

whole_identity = wrongly_set(
    turned,
    "the identity added in full",
    "You added the whole identity to the mean of the heads, whatever `own` says.",
    "A word keeps `own` of itself and takes 1 - own from the heads.",
    steps=lambda weights, own: steps(weights, 0.5),
)

heads_summed = wrongly_set(
    turned,
    "heads added up",
    "You added the heads up, so that together they count n_heads times.",
    "Take their mean: together they have the share 1 - own.",
    steps=lambda weights, own: steps(weights * weights.shape[1], own),
)

largest_head = wrongly_set(
    turned,
    "the largest head counts",
    "You took the largest weight of all heads.",
    "Each head has the same say here: take their mean.",
    steps=lambda weights, own: steps(weights.max(axis=1, keepdims=True), own),
)


first_head = wrongly_set(
    turned,
    "the first head alone",
    "You followed the first head, and left out the others.",
    "Each head has the same say here: take their mean.",
    steps=lambda weights, own: steps(weights[:, :1], own),
)

seeing_heads = wrongly_set(
    turned,
    "heads that see something count in full",
    "Where some heads see nothing, you let the others count in full before `own` was added.",
    "All heads count. What is missing where one sees nothing, the division by the row's sum makes "
    "good.",
    steps=lambda weights, own: steps(
        (
            weights.sum(axis=1)
            / np.maximum((weights.sum(axis=-1, keepdims=True) > 0).sum(axis=1), 1)
        )[:, None],
        own,
    ),
)

own_and_whole = wrongly_set(
    turned,
    "the whole identity and a share of the heads",
    "You added the whole identity to what is taken from the heads.",
    "Itself has the share `own`: it is own times the identity.",
    steps=lambda weights, own: divided(
        np.eye(weights.shape[-1]) + (1 - own) * weights.mean(axis=1)
    ),
)

own_everywhere = wrongly_set(
    turned,
    "own added everywhere",
    "You added `own` to every place, and a word keeps it of itself alone.",
    "It belongs on the diagonal: own times `np.eye(n)`.",
    steps=lambda weights, own: divided(own + (1 - own) * weights.mean(axis=1)),
)

along_columns = wrongly_set(
    turned,
    "sums that lost their axis",
    "You divided by the rows' sums, but these have lost their axis and lie along the columns.",
    "Keep the axis, `keepdims=True`: then a row's sum divides all of that row.",
    steps=lambda *x: passed(*x) / passed(*x).sum(axis=-1)[:, None, :],
)

first_whole = wrongly_set(
    turned,
    "layer 0 without what is kept",
    "You began with the weights of layer 0 as they are, so nothing is kept of oneself there.",
    "Begin with the identity, and let layer 0 be multiplied to it as all the others are.",
    joined=lambda layers, n: chained(layers[1:], n) @ layers[0] if len(layers) else np.eye(n),
    steps=lambda weights, own: np.concatenate([weights[:1].mean(axis=1), steps(weights[1:], own)]),
)

first_left_out = wrongly_set(
    turned,
    "layer 0 left out",
    "You left out layer 0.",
    "Layers are counted from 0, and layer 0 reads the input.",
    joined=lambda layers, n: chained(layers[1:], n),
)

first_alone = wrongly_set(
    turned,
    "layer 0 alone",
    "You stopped behind layer 0.",
    "Follow the words through all the layers: is a `return` inside the loop?",
    joined=lambda layers, n: chained(layers[:1], n),
)

zeros = wrongly_set(
    turned,
    "zeros everywhere",
    "Your result is 0 everywhere.",
    "Below layer 0 every word comes from itself: begin with `np.eye(n)`. Zeros stay 0, whatever is "
    "multiplied to them.",
    joined=lambda layers, n: np.zeros((n, n)),
)

diagonal = wrongly_set(
    turned,
    "multiplied entry by entry, from the identity on",
    "You multiplied entry by entry.",
    "A word may come from another by way of a third: it takes the product of matrices, `@`.",
    joined=lambda layers, n: np.eye(n) * np.prod(layers, axis=0),
)

added_up = wrongly_set(
    turned,
    "layers added up",
    "You added the layers up.",
    "One layer reads what the one below has made: that is a product of matrices.",
    joined=lambda layers, n: np.eye(n) + layers.sum(axis=0),
)


@mistake("each head rolled out by itself")
def head_by_head(weights, own):
    """You followed each head through all the layers by itself, and averaged at the end.

    The heads of a layer are merged before the next one looks: average in each layer.
    """
    n_heads, n = weights.shape[1:3]
    return sum(chained(steps(weights[:, [h]], own), n) for h in range(n_heads)) / n_heads


not_divided = wrongly_set(
    turned,
    "rows that do not sum to 1",
    "Where a query sees nothing your row sums to less than 1, and some of the word gets lost.",
    "Divide each row by its sum, layer by layer.",
    steps=passed,
)


@mistake("divided at the end alone")
def divided_late(weights, own):
    """You divided by the sums of the rows once, when all the layers were multiplied.

    Every layer's rows have to sum to 1 before they meet the next.
    """
    whole = not_divided.function(weights, own)
    return whole / whole.sum(axis=-1, keepdims=True)


columns_divided = wrongly_set(
    turned,
    "columns that sum to 1",
    "You divided each column by its sum.",
    "A row is what one word is made of, so it is the rows that sum to 1.",
    steps=lambda *x: passed(*x) / passed(*x).sum(axis=-2, keepdims=True),
)

last_alone = wrongly_set(
    turned,
    "the last layer alone",
    "You stopped at one layer.",
    "Follow the words all the way down: every layer is multiplied to those below.",
    joined=lambda layers, n: layers[-1] if len(layers) else np.eye(n),
)

layers_averaged = wrongly_set(
    turned,
    "layers averaged",
    "You took the mean of the layers.",
    "One layer reads what the one below has made: that is a product of matrices.",
    joined=lambda layers, n: layers.mean(axis=0) if len(layers) else np.eye(n),
)

entry_by_entry = wrongly_set(
    turned,
    "multiplied entry by entry",
    "You multiplied entry by entry.",
    "A word may come from another by way of a third: it takes the product of matrices, `@`.",
    joined=lambda layers, n: np.prod(layers, axis=0),
)

entries_divided = wrongly_set(
    turned,
    "multiplied entry by entry, then divided",
    "You multiplied entry by entry, and then divided rows by their sums.",
    "A word may come from another by way of a third: it takes the product of matrices, `@`.",
    joined=lambda layers, n: divided(np.prod(layers, axis=0)) if len(layers) else np.eye(n),
)

power = wrongly_set(
    turned,
    "the mean of the layers, over and over",
    "You took the mean of the layers, and multiplied it by itself.",
    "Each layer lets through something else. Multiply the layers themselves, each from the left.",
    joined=lambda layers, n: (
        np.linalg.matrix_power(layers.mean(axis=0), len(layers)) if len(layers) else np.eye(n)
    ),
)


transposed = wrongly_set(
    turned,
    "transposed",
    "Your result is transposed.",
    "Rows are words of the last layer, and columns are words of the input.",
    joined=lambda layers, n: chained(layers, n).T,
)


@mistake("what is kept counted once, at the end")
def kept_once(weights, own):
    """You multiplied the layers first, and let a word keep its share of itself once.

    Past every single layer, a word keeps `own` of what it was.
    """
    n = weights.shape[-1]
    if not len(weights):
        return np.eye(n)
    return own * np.eye(n) + (1 - own) * chained(weights.mean(axis=1), n)


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("every row sums to 1", lambda f, w, own: close(f(w, own).sum(axis=-1), 1)),
        Fact("upper layers are multiplied from the left", lambda f, w, own: close(
            f(w[1:], own) @ f(w[:1], own), f(w, own))),
    ),
    edges=(Edge("there are no layers", is_empty),),
)  # fmt: skip
