"""A block: what attention brings is added to a word, and then what a network makes of it."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises.attention_backward import hidden, seen
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

HIDDEN = Promise(
    "hidden words get no weight, however high their scores and however low all others",
    "Scores may be as low as -10,000, so a number to hide by has to be far below that, as -inf is. "
    "And the score to subtract from a row is the largest that is seen: hide first.",
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


def attended(x, parameters, n_heads, mask):
    """Give what attention brings to each word."""
    near = nearness(parameters["near"], x.shape[-2])
    output = attnlib.attention(*heads_of(x, parameters, n_heads), mask=mask, bias=near)
    return attnlib.merge_heads(output) @ parameters["w_output"]


def heads_of(x, parameters, n_heads, split=attnlib.split_heads):
    """Give the queries, keys and values of all heads."""
    return [split(x @ parameters[f"w_{role}"], n_heads) for role in ("query", "key", "value")]


def nearness(near, n):
    """Give each head's liking for each pair of words: (n_heads, n, n)."""
    return near[:, np.abs(np.arange(n)[:, np.newaxis] - np.arange(n))]


def with_network(x, parameters):
    """Add what the network makes of each word."""
    return x + network(x, parameters)


def relu(raw):
    """Let nothing below 0 through."""
    return np.maximum(raw, 0)


def network(x, parameters, active=relu):
    """Give what the network makes of each word."""
    return active(x @ parameters["w_up"] + parameters["b_up"]) @ parameters["w_down"]


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
    """One head by hand, and two; a text under the causal mask; a batch; a narrow network."""
    rng = np.random.default_rng(41)
    given = SHAPES.given(rng, filled(rng))
    x = np.array([[1.0, 0.0], [0.0, 2.0]])
    by_hand = {
        "w_query": np.array([[1.0, 0], [0, 1]]), "w_key": np.array([[0.0, 1], [2, 1]]),
        "w_value": np.array([[2.0, 0], [1, 1]]), "w_output": np.array([[1.0, 1], [0, 1]]),
        "near": np.array([[0.0, 1.0, 3.0]]), "w_up": np.array([[1.0, -1], [0, -1]]),
        "b_up": np.array([0.5, 2.0]), "w_down": np.array([[1.0, 0], [1, -1]]),
    }  # fmt: skip
    yield Case("the small example is right", (x, by_hand, 1, np.tri(2, dtype=bool)))
    x = np.array([[1.0, 0.5], [0.0, 2.0], [-1.0, 1.0]])
    two_heads = by_hand | {
        "w_query": np.array([[1.0, 0], [2, 1]]), "near": np.array([[0.0, 1, -1], [2, 0, 0.5]]),
        "w_up": np.array([[1.0], [-2]]), "b_up": np.array([1.5]), "w_down": np.array([[2.0, -1]]),
    }  # fmt: skip
    seen_of = np.array([[True, False, True], [True, True, False], [False, True, True]])
    yield Case("two heads and any mask are right", (x, two_heads, 2, seen_of))
    x, parameters, n_heads, _ = given(n=7, n_heads=3, d_head=2)
    yield Case("a causal mask is right", (x, parameters, n_heads, attnlib.causal_mask(7)))
    yield Case("heads as many as features are right", given(n=5, n_heads=5, d_head=1))
    yield Case("works with leading batch axes", given((2,), n=5, n_heads=2, d_head=3))
    narrow = SHAPES.given(rng, filled(rng, d_hidden=2))
    yield Case("a narrow network is right", narrow(n=11, n_heads=2, d_head=5))


def high_and_hidden():
    """Give tokens, w_query, w_key and a mask: whoever sees low scores has high ones hidden.

    Scores are plus or minus the most that they may be, or 0.
    """
    for n in (3, 7):
        tokens = promises.steep_tokens(n) * np.array([1, 1, 0, 0])
        asks, found = tokens[:, 0], tokens[:, 1]
        matrices = promises.steep_matrices(promises.SCORES.most)
        yield tokens, *matrices, asks[:, np.newaxis] * found <= 0


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
            yield x, parameters, 1, np.ones((n, n), bool)

    def hiding():
        for x, w_query, w_key, mask in high_and_hidden():
            parameters = parameters_for(rng, 4, 1, len(x))
            parameters |= {"w_query": w_query, "w_key": w_key, "near": np.zeros((1, len(x)))}
            yield x, parameters, 1, mask

    return promises.of_shapes(SHAPES, given) | {
        LONGER: [
            SHAPES.given(rng, filled(rng, longer=more))(**sizes | {"n": n})
            for n, more in ((1, 0), (1, 7), (5, 0), (5, 11), (11, 1))
        ],
        MASKS: [(*given(**sizes)[:3], mask) for mask in masks],
        promises.LARGE: list(steep(promises.LEVELS)),
        HIDDEN: list(hiding()),
        promises.SCORES.beyond: list(steep([promises.BEYOND])),
    }


def turned(
    x, parameters, n_heads, mask, *, taken=dict, split=attnlib.split_heads, near=nearness,
    scale=lambda query: 1 / np.sqrt(query.shape[-1]), join=np.add, hide=hidden,
    weigh=attnlib.softmax, merge=attnlib.merge_heads, add_heads=np.add, active=relu,
    add_network=np.add,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    p = taken(parameters)
    query, key, value = heads_of(x, p, n_heads, split)
    products = query @ key.swapaxes(-1, -2) * scale(query)
    weights = weigh(hide(join(products, near(p["near"], x.shape[-2])), mask))
    x = add_heads(x, merge(weights @ value) @ p["w_output"])
    return add_network(x, network(x, p, active))


replaced = wrongly_set(
    turned,
    "attention not added",
    "You went on with what attention brings alone, and the word itself is lost.",
    "The block adds: x, and what the heads bring.",
    add_heads=lambda x, brought: brought,
)

network_alone = wrongly_set(
    turned,
    "network not added",
    "You returned what the network makes, and what went into it is lost.",
    "The network's output is added, as attention's was.",
    add_network=lambda x, made: made,
)


nothing_added = wrongly_set(
    turned,
    "nothing added",
    "You added neither what went into attention nor what went into the network.",
    "The block adds twice: x to what the heads bring, and that sum to what the network makes.",
    add_heads=lambda x, brought: brought,
    add_network=lambda x, made: made,
)


z_twice = wrongly_set(
    turned,
    "what went into the network added twice",
    "You added what went into the network twice.",
    "It is added once: if your network returns the sum, do not add again.",
    add_network=lambda x, made: 2 * x + made,
)


@mistake("attention has no part")
def network_only(x, parameters, n_heads, mask):
    """You went on with x as it came, and what the heads brought has no part in your answer.

    After attention x is another: give it the new value before the network reads it.
    """
    return with_network(x, parameters)


@mistake("x added too early")
def added_early(x, parameters, n_heads, mask):
    """You added x to the merged heads, before w_output, so x itself is projected.

    First the product with w_output, then the sum: x comes through as it is.
    """
    merged = attended(x, parameters | {"w_output": np.eye(x.shape[-1])}, n_heads, mask)
    return with_network((x + merged) @ parameters["w_output"], parameters)


@mistake("x added again at the end")
def x_again(x, parameters, n_heads, mask):
    """You added x once more at the end, but what went into the network has it in already.

    Each step adds to what it was given: attention to x, and the network to what came of that.
    """
    return x + answer(x, parameters, n_heads, mask)


x_twice = wrongly_set(
    turned,
    "x added twice before the network",
    "You added x twice to what attention brings, so the network reads too much of it.",
    "If your attention returns the sum with x, do not add x again.",
    add_heads=lambda x, brought: 2 * x + brought,
)


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


no_network = wrongly_set(
    turned,
    "no network",
    "You stopped after attention, and the network has no part in your answer.",
    "Three of the arrays are still to be used: w_up, b_up and w_down.",
    add_network=lambda x, made: x,
)

linear = wrongly_set(
    turned,
    "ReLU forgotten",
    "You left out the ReLU, and two matrices in a row are no more than one.",
    "What is below 0 becomes 0 between them: `np.maximum(…, 0)`.",
    active=np.positive,
)


with_abs = wrongly_set(
    turned,
    "absolute values for the ReLU",
    "You took the absolute values, where the ReLU makes 0 of what is negative.",
    "Below 0 nothing comes through: `np.maximum(…, 0)`.",
    active=np.abs,
)


@mistake("ReLU over the sum")
def relu_over_all(x, parameters, n_heads, mask):
    """You let nothing below 0 out of the block: one ReLU too many, behind the sum.

    It stands between the network's two matrices, and only there.
    """
    return relu(answer(x, parameters, n_heads, mask))


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


not_near = wrongly_set(
    turned,
    "near ignored",
    "You left out `near`, so nobody knows which word stands where.",
    "For each head it has a number for each distance. Add it to the scores.",
    near=lambda near, n: 0,
)

subtracted = wrongly_set(
    turned,
    "near subtracted",
    "You subtracted `near` from the scores, so a head likes least what it should like most.",
    "A head's liking is one more reason to look: add it.",
    join=np.subtract,
)

signed = wrongly_set(
    turned,
    "a distance with its sign",
    "You looked `near` up at i - j, and a negative index counts from the end.",
    "A word ahead is as far away as one behind: |i - j|, which `np.abs` gives.",
    near=lambda near, n: near[:, np.arange(n)[:, np.newaxis] - np.arange(n)],
)

backwards_only = wrongly_set(
    turned,
    "distance 0 for words ahead",
    "You took the distance 0 for all words ahead.",
    "A word ahead is as far away as one behind: |i - j|, which `np.abs` gives.",
    near=lambda near, n: near[:, np.maximum(np.arange(n)[:, np.newaxis] - np.arange(n), 0)],
)


@mistake("near added to the weights")
def near_late(x, parameters, n_heads, mask):
    """You added `near` to the weights, behind the softmax, so they no longer sum to 1.

    It belongs to the scores: a liking there makes a larger share.
    """
    query, key, value = heads_of(x, parameters, n_heads)
    weights = attnlib.attention_weights(query, key, mask=mask)
    weights = weights + nearness(parameters["near"], x.shape[-2])
    return with_network(
        x + attnlib.merge_heads(weights @ value) @ parameters["w_output"], parameters
    )


far = wrongly_set(
    turned,
    "near of the other end",
    "You took `near` from its other end: its first number is for the distance 0.",
    "Word i looks at word j over the distance |i - j|. That is the column to take.",
    near=lambda near, n: nearness(near[:, ::-1], n),
)

by_place = wrongly_set(
    turned,
    "near by the place of the key",
    "You took `near` by the place of the key, counted from the beginning of the text.",
    "What counts is how far it is from the word that looks: |i - j|.",
    near=lambda near, n: near[:, np.newaxis, :n],
)

off_by_one = wrongly_set(
    turned,
    "near one step off",
    "You took `near` one step off: the distance of a word to itself is 0.",
    "The first column is for the word itself, the second for its neighbours.",
    near=lambda near, n: nearness(np.roll(near, 1, axis=1), n),
)


@mistake("near before the scale")
def scaled_near(x, parameters, n_heads, mask):
    """You divided `near` by the square root of d_head, too.

    Only the products of query and key are scaled. Add `near` then, as it is.
    """
    scaled = parameters["near"] / np.sqrt(x.shape[-1] // n_heads)
    return answer(x, parameters | {"near": scaled}, n_heads, mask)


first_near = wrongly_set(
    turned,
    "one head's near for all",
    "You used the first head's `near` for all heads.",
    "Each head has a row of its own.",
    near=lambda near, n: nearness(near[:1], n),
)

unmasked = wrongly_set(
    turned,
    "mask ignored",
    "You did not use the mask, so a word hears of what it may not see.",
    "Where it is False, the score becomes -inf before the softmax.",
    hide=lambda scores, mask: scores,
)

inverted = wrongly_set(
    turned,
    "mask inverted",
    'You used the mask the wrong way round, but here True means "may look".',
    "Keep the score where the mask is True, and put -inf where it is False.",
    hide=lambda scores, mask: hidden(scores, ~mask),
)


@mistake("key not transposed")
def key_untransposed(x, parameters, n_heads, mask):
    """Query and key met as they are, but one of the two has to be transposed.

    Every query should meet every key, feature by feature, and in each head both keep their features
    along the last axis.
    """
    query, key, value = heads_of(x, parameters, n_heads)
    scores = query @ key / np.sqrt(query.shape[-1]) + nearness(parameters["near"], x.shape[-2])
    weights = attnlib.softmax(hidden(scores, mask))
    brought = attnlib.merge_heads(weights @ value) @ parameters["w_output"]
    return with_network(x + brought, parameters)


exchanged = wrongly_set(
    turned,
    "query and key exchanged",
    "You exchanged query and key, so each word asks what it should be found by.",
    "The word that looks has the query, and row i of the scores is its own: query @ key "
    "transposed.",
    taken=lambda p: p | {"w_query": p["w_key"], "w_key": p["w_query"]},
)

unscaled = wrongly_set(
    turned,
    "no scaling",
    "You did not divide the products by the square root of d_head.",
    "Each head has queries of width d_head. Its root is the scale.",
    scale=lambda query: 1.0,
)

scaled_by_model = wrongly_set(
    turned,
    "scale of d_model",
    "You divided by the square root of d_model, but a head's queries have d_head features.",
    "Take the width after the split.",
    scale=lambda query: 1 / np.sqrt(query.shape[-1] * query.shape[-3]),
)

reshaped = wrongly_set(
    turned,
    "heads split by reshape alone",
    "You cut the heads out of the words: a reshape alone mixes up words and features.",
    "Give the features two axes, (n_heads, d_head), and exchange words and heads then.",
    split=lambda z, n_heads: z.reshape(*z.shape[:-2], n_heads, z.shape[-2], -1),
)

no_output = wrongly_set(
    turned,
    "w_output forgotten",
    "You added the merged heads as they are, and w_output has no part in it.",
    "It mixes what the heads bring, before that is added.",
    taken=lambda p: p | {"w_output": np.eye(len(p["w_output"]))},
)

multiplied = wrongly_set(
    turned,
    "near multiplied",
    "You multiplied the scores by `near`, but a head's liking is one more reason to look: add it.",
    "A liking of 0 changes nothing then, and that is what all heads begin with.",
    join=np.multiply,
)


def flat(heads):
    """Merge heads by a reshape alone."""
    return heads.reshape(*heads.shape[:-3], heads.shape[-2], -1)


def in_turn(z, n_heads):
    """Give each head every n_heads-th feature."""
    return np.moveaxis(z.reshape(*z.shape[:-1], -1, n_heads), -1, -3)


def late(scores, mask):
    """Take the softmax, and multiply by the mask then."""
    return attnlib.softmax(scores) * mask


def by_the_largest_of_all(scores, mask):
    """Take a softmax that hides only after the largest score was subtracted."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    return e / e.sum(axis=-1, keepdims=True)


# Wrong settings within attention, each in a name, a sentence and a hint: of any block.
OF_HEADS = (
    (
        "0 in place of -inf",
        "You made hidden scores 0, but exp(0) is 1, so the hidden words still get weight.",
        "Only -inf becomes a weight of exactly 0 in the softmax: np.where(mask, scores, -np.inf).",
        {"hide": lambda scores, mask: np.where(mask, scores, 0)},
    ),
    (
        "masked after the softmax",
        "You made hidden weights 0 after the softmax, so those that are left no longer sum to 1.",
        "Hide the scores before the softmax: then what is left of a row shares the whole of it.",
        {"hide": late, "weigh": np.positive},
    ),
    (
        "the largest of all scores subtracted",
        "You subtracted a row's largest score, hidden ones too, and hid only then.",
        "Where the largest is hidden and all others are far below it, `np.exp` gives nothing but "
        "zeros. Hide first: then the largest is one that is seen.",
        {"hide": by_the_largest_of_all, "weigh": np.positive},
    ),
    (
        "heads merged by reshape alone",
        "You merged the heads by a reshape alone, which mixes up heads and words.",
        "Exchange the axes of heads and words first: then the features of a word's heads lie side "
        "by side, and two axes become one.",
        {"merge": flat},
    ),
    (
        "heads split and merged by reshape alone",
        "You split the heads and merged them by a reshape alone, so each head has pieces of some "
        "words, and not its features of all.",
        "Give the features two axes, (n_heads, d_head), and exchange words and heads then. Merging "
        "goes the same way back.",
        {"split": lambda z, h: z.reshape(*z.shape[:-2], h, z.shape[-2], -1), "merge": flat},
    ),
    (
        "features dealt out in turn",
        "You gave each head every n_heads-th feature, and they should lie side by side.",
        "The first d_head features are head 0's: the axis of the heads comes before that of their "
        "features, (n_heads, d_head).",
        {"split": in_turn},
    ),
    (
        "divided by the width",
        "You divided the products by d_head, and its square root is the scale.",
        "Divide once, by the root.",
        {"scale": lambda query: 1 / query.shape[-1]},
    ),
    (
        "mask transposed",
        "You turned the mask over: its rows are the words that look, and its columns the others.",
        "Use it as it comes, beside the scores: row i of both is word i's.",
        {"hide": lambda scores, mask: hidden(scores, mask.swapaxes(-1, -2))},
    ),
    (
        "a causal mask of one's own",
        "You hid what comes later, whatever the mask says.",
        "Not every mask is causal. Where `mask` is True a word may look, ahead or back.",
        {"hide": lambda s, mask: hidden(s, np.tri(*s.shape[-2:], dtype=bool))},
    ),
    (
        "softmax down the columns",
        "You took the softmax down the columns, along the words that look.",
        "Each row of scores belongs to one word, and its weights sum to 1: the last axis.",
        {"weigh": lambda s: attnlib.softmax(s, axis=-2)},
    ),
    (
        "weights not normalised",
        "You took the exponentials, and did not divide by each row's sum.",
        "The weights of a word are shares of one whole.",
        {"weigh": lambda s: np.exp(s - s.max(axis=-1, keepdims=True))},
    ),
    (
        "divided by the root of n_heads",
        "You divided the products by the square root of the number of heads.",
        "How many heads there are makes no score larger. Take the width of a head's query.",
        {"scale": lambda query: 1 / np.sqrt(query.shape[-3])},
    ),
    (
        "divided by d_head and by 2",
        "You divided the products by twice d_head, and its square root is the scale.",
        "A power comes before `/`, so `x / d ** 1 / 2` is half of x / d. The root is `d ** 0.5`.",
        {"scale": lambda query: 0.5 / query.shape[-1]},
    ),
    (
        "no max shift",
        "Your formula is right, but large scores overflow in `np.exp`, and inf / inf is nan.",
        "Subtract from each row its largest score before `np.exp`, or call your own `softmax`.",
        {"weigh": wrong.unshifted},
    ),
    (
        "w_output transposed",
        "You transposed w_output, and it is to be taken as it is.",
        "As in the other projections, the numbers of a word meet the rows of the matrix.",
        {"taken": lambda p: p | {"w_output": p["w_output"].T}},
    ),
    (
        "w_key for the queries",
        "You made the queries of w_key, too, so w_query has no part in it.",
        "Each of the three has a matrix of its own.",
        {"taken": lambda p: p | {"w_query": p["w_key"]}},
    ),
)


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
    mistakes=(..., *(wrongly_set(turned, *words, **sets) for *words, sets in OF_HEADS)),
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
