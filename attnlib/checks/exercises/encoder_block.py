"""A block of the encoder: attention, added and normalised; a network, added and normalised."""

import math

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises import gelu
from attnlib.checks.exercises.attention_backward import hidden, seen
from attnlib.checks.exercises.block import HIDDEN, OF_HEADS, high_and_hidden
from attnlib.checks.shapes import Shapes
from attnlib.models import encoder

MASKS = Promise(
    "any mask is right that lets every word see one",
    "One mask may stand for all sentences and one row of it for all words, and each sentence may "
    "have its own. Give it an axis for the heads, third from the end, and NumPy does the rest.",
)

TINY = Promise(
    "each norm has eps 1e-12, and rows of tiny numbers are right",
    "Where a row's variance is 1e-12 itself, it counts how much is added to it: 1e-12 in both "
    "norms, below the root. Many programs take 1e-5.",
)

SHAPES = Shapes("(..., n, n_heads*d_head), {}, n_heads, ~(n, n) -> (..., n, n_heads*d_head)")
ROLES = ("query", "key", "value", "output")
EPS = 1e-12


def encoder_block(x, parameters, n_heads, mask):
    """Add what the heads bring and normalise; add what the network makes of it, and normalise.

    It is the block of lesson 12 with a bias behind each matrix, a norm behind each sum, and GELU.
    """
    p, d_head = parameters, x.shape[-1] // n_heads

    def norm(z, which):
        z = z - z.mean(axis=-1, keepdims=True)
        z = z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-12)
        return z * p[f"gain_{which}"] + p[f"bias_{which}"]

    projected = [x @ p[f"w_{role}"] + p[f"b_{role}"] for role in ("query", "key", "value")]
    heads = [z.reshape(*x.shape[:-1], n_heads, d_head).swapaxes(-2, -3) for z in projected]
    query, key, value = heads  # (..., n_heads, n, d_head)
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(d_head)
    scores = np.where(mask[..., None, :, :], scores, -np.inf)  # (..., n_heads, n, n)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    merged = (weights @ value).swapaxes(-2, -3).reshape(x.shape)
    x = norm(x + merged @ p["w_output"] + p["b_output"], "attention")
    raw = x @ p["w_up"] + p["b_up"]
    hidden = raw * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(raw / math.sqrt(2)))
    return norm(x + hidden @ p["w_down"] + p["b_down"], "network")


def answer(x, parameters, n_heads, mask):
    """Give what is right, by which answers are judged."""
    return encoder.encoder_block(x, parameters, n_heads, mask)


def attended(x, parameters, n_heads, mask):
    """Give what attention brings to each word."""
    heads = heads_of(x, parameters, n_heads)
    output = attnlib.attention(*heads, mask=mask[..., np.newaxis, :, :])
    return attnlib.merge_heads(output) @ parameters["w_output"] + parameters["b_output"]


def heads_of(x, parameters, n_heads, split=attnlib.split_heads):
    """Give the queries, keys and values of all heads."""
    p = parameters
    return [split(x @ p[f"w_{role}"] + p[f"b_{role}"], n_heads) for role in ROLES[:3]]


def network(x, parameters, active=encoder.gelu):
    """Give what the network makes of each word."""
    hidden = active(x @ parameters["w_up"] + parameters["b_up"])
    return hidden @ parameters["w_down"] + parameters["b_down"]


def normed(x, parameters, which):
    """Normalise each word by the norm that stands behind attention, or the network."""
    return encoder.layer_norm(x, parameters[f"gain_{which}"], parameters[f"bias_{which}"], EPS)


def parameters_for(rng, d_model, d_hidden=7):
    """Give a block's arrays, of usual size."""
    shapes = {f"w_{role}": (d_model, d_model) for role in ROLES}
    shapes |= {"w_up": (d_model, d_hidden), "w_down": (d_hidden, d_model)}
    found = {name: rng.normal(size=s) / np.sqrt(s[0]) for name, s in shapes.items()}
    found |= {f"b_{name[2:]}": 0.5 * rng.normal(size=s[1]) for name, s in shapes.items()}
    for norm in ("attention", "network"):
        found[f"gain_{norm}"] = 1 + 0.5 * rng.normal(size=d_model)
        found[f"bias_{norm}"] = 0.5 * rng.normal(size=d_model)
    return found


def by_hand():
    """Give a block's arrays for words of three features, of numbers with few digits."""
    return {
        "w_query": np.array([[1.0, 0, 0], [0, 1, 1], [0, 1, 0]]), "b_query": np.array([0.5, 0, 1]),
        "w_key": np.array([[0.0, 1, 0], [1, 0, 0], [1, 0, 2]]), "b_key": np.array([0.0, 0.5, 0]),
        "w_value": np.array([[2.0, 0, 1], [1, 1, 0], [0, -1, 1]]),
        "b_value": np.array([0, -1, 1.5]),
        "w_output": np.array([[1.0, 1, 0], [0, 1, -1], [0, 0, 2]]),
        "b_output": np.array([1, 0, 0.5]),
        "gain_attention": np.array([1, 2, 0.5]), "bias_attention": np.array([0.0, -1, 0.5]),
        "w_up": np.array([[1.0], [-1], [1]]), "b_up": np.array([0.5]),
        "w_down": np.array([[1.0, -2, 0.5]]), "b_down": np.array([0.5, 1, -1]),
        "gain_network": np.array([1, 0.5, 2]), "bias_network": np.array([0, 0.5, 1]),
    }  # fmt: skip


def filled(rng, d_hidden=7):
    """Return what makes inputs of drawn ones: a block's arrays, and a mask that hides a third."""

    def inputs(x, _, n_heads, numbers):
        return x, parameters_for(rng, x.shape[-1], d_hidden), n_heads, seen(numbers)

    return inputs


def cases():
    """Two words and one head; a text without a mask; a batch with padding; a narrow network."""
    rng = np.random.default_rng(46)
    given = SHAPES.given(rng, filled(rng))
    x = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0]])
    yield Case("the small example is right", (x, by_hand(), 1, np.tri(2, dtype=bool)))
    everything = np.ones((7, 7), bool)
    x, parameters, n_heads, _ = given(n=7, n_heads=3, d_head=2)
    yield Case("a mask that hides nothing is right", (x, parameters, n_heads, everything))
    yield Case("a mask that hides some is right", given(n=5, n_heads=2, d_head=5))
    yield Case("heads as many as features are right", given(n=5, n_heads=5, d_head=1))
    x, parameters, n_heads, _ = given((2,), n=7, n_heads=2, d_head=3)
    padding = attnlib.padding_mask(np.array([7, 3]), 7)
    yield Case("sentences of two lengths are right", (x, parameters, n_heads, padding))
    narrow = SHAPES.given(rng, filled(rng, d_hidden=2))
    yield Case("a narrow network is right", narrow(n=11, n_heads=2, d_head=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(146)
    given, sizes = SHAPES.given(rng, filled(rng)), {"n": 5, "n_heads": 2, "d_head": 3}
    masks = [seen(rng.normal(size=shape)) for shape in ((5, 5), (1, 5))]
    masks += [np.ones((5, 5), bool), np.eye(5, dtype=bool), np.tri(5, dtype=bool).T]
    own = [seen(rng.normal(size=shape)) for shape in ((2, 1, 5), (2, 5, 5))]

    def steep(levels):
        for n, level, one_sign in promises.steep_ways(levels):
            parameters = parameters_for(rng, 4)
            parameters["w_query"], parameters["w_key"] = promises.steep_matrices(level)
            parameters |= {"b_query": np.zeros(4), "b_key": np.zeros(4)}
            x = promises.steep_tokens(n, one_sign=one_sign)
            yield x, parameters, 1, np.ones((n, n), bool)

    def hiding():
        for x, w_query, w_key, mask in high_and_hidden():
            parameters = without(parameters_for(rng, 4), "b_query", "b_key")
            yield x, parameters | {"w_query": w_query, "w_key": w_key}, 1, mask

    def tiny(*names):
        """Give inputs of which one norm's sum is tiny: of x and these arrays."""
        x, parameters, n_heads, mask = given(**sizes)
        small = {name: 1e-6 * parameters[name] for name in names if name in parameters}
        return x * (1e-6 if "x" in names else 1), parameters | small, n_heads, mask

    return promises.of_shapes(SHAPES, given) | {
        TINY: [
            tiny("x", "w_output", "b_output"),
            tiny("gain_attention", "bias_attention", "w_down", "b_down"),
        ],
        HIDDEN: list(hiding()),
        MASKS: [(*given(**sizes)[:3], mask) for mask in masks]
        + [(*given((2,), **sizes)[:3], mask) for mask in own],
        promises.LARGE: list(steep(promises.LEVELS)),
        promises.SCORES.beyond: list(steep([promises.BEYOND])),
    }


def without(parameters, *names):
    """Give a block's arrays with zeros in place of some."""
    return parameters | {name: 0 * parameters[name] for name in names}


def turned(
    x, parameters, n_heads, mask, *, taken=dict, split=attnlib.split_heads,
    scale=lambda query: 1 / np.sqrt(query.shape[-1]), hide=hidden, weigh=attnlib.softmax,
    merge=attnlib.merge_heads, add_heads=np.add, norm=normed, active=encoder.gelu,
    add_network=np.add,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    p = taken(parameters)
    query, key, value = heads_of(x, p, n_heads, split)
    scores = query @ key.swapaxes(-1, -2) * scale(query)
    weights = weigh(hide(scores, mask[..., np.newaxis, :, :]))
    brought = merge(weights @ value) @ p["w_output"] + p["b_output"]
    x = norm(add_heads(x, brought), p, "attention")
    return norm(add_network(x, network(x, p, active)), p, "network")


@mistake("mask without an axis for the heads")
def of_other_heads(x, parameters, n_heads, mask):
    """You let the mask meet the scores of all heads as it came, without an axis for the heads.

    In a batch, what says which sentence a mask is for then counts heads. Give it an axis of length
    1 for them, third from the end.
    """
    query, key, value = heads_of(x, parameters, n_heads)
    brought = attnlib.merge_heads(attnlib.attention(query, key, value, mask=mask))
    z = x + brought @ parameters["w_output"] + parameters["b_output"]
    z = normed(z, parameters, "attention")
    return normed(z + network(z, parameters), parameters, "network")


@mistake("norm before")
def norm_before(x, parameters, n_heads, mask):
    """You normalised what goes into attention and into the network, as many newer models do.

    In this one the norm stands behind the sum: first add, then normalise.
    """
    x = x + attended(normed(x, parameters, "attention"), parameters, n_heads, mask)
    return x + network(normed(x, parameters, "network"), parameters)


replaced = wrongly_set(
    turned,
    "attention not added",
    "You went on with what attention brings alone, and the word itself is lost.",
    "Add it to x, and normalise the sum.",
    add_heads=lambda x, brought: brought,
)

network_alone = wrongly_set(
    turned,
    "network not added",
    "You normalised what the network makes alone, and what went into it is lost.",
    "The network's output is added, as attention's was.",
    add_network=lambda x, made: made,
)

no_first_norm = wrongly_set(
    turned,
    "first norm forgotten",
    "You did not normalise between attention and the network.",
    "Each of the two sums has a norm behind it.",
    norm=lambda x, p, which: x if which == "attention" else normed(x, p, which),
)

no_last_norm = wrongly_set(
    turned,
    "last norm forgotten",
    "You did not normalise at the end.",
    "The network's sum has a norm behind it, too.",
    norm=lambda x, p, which: x if which == "network" else normed(x, p, which),
)

no_norms = wrongly_set(
    turned,
    "norms forgotten",
    "You did not normalise at all.",
    "Each of the two sums has a norm behind it.",
    norm=lambda x, p, which: x,
)

one_norm = wrongly_set(
    turned,
    "one norm's numbers for both",
    "You took attention's gain and bias behind the network as well.",
    "The names say where each of them stands: the last norm has numbers of its own.",
    norm=lambda x, p, which: normed(x, p, "attention"),
)

no_gain = wrongly_set(
    turned,
    "gain forgotten",
    "You normalised, and did not stretch by the gain.",
    "A norm has three steps: minus the mean, divided by the spread, then gain and bias.",
    norm=lambda x, p, which: encoder.layer_norm(x, np.ones(x.shape[-1]), p[f"bias_{which}"], EPS),
)

no_norm_bias = wrongly_set(
    turned,
    "the norms' biases forgotten",
    "You left out bias_attention and bias_network.",
    "A norm has three steps: minus the mean, divided by the spread, then gain and bias.",
    norm=lambda x, p, which: encoder.layer_norm(x, p[f"gain_{which}"], np.zeros(x.shape[-1]), EPS),
)

spread_of_all = wrongly_set(
    turned,
    "one mean and spread for all words",
    "You took one mean and one spread for all words together.",
    "Each word is normalised by itself, along the last axis.",
    norm=lambda x, p, which: (
        (x - x.mean()) / np.sqrt(x.var() + EPS) * p[f"gain_{which}"] + p[f"bias_{which}"]
    ),
)

over_words = wrongly_set(
    turned,
    "norm over the words",
    "You normalised each feature over the words, along the last axis but one.",
    "Each word is normalised by itself, along the last axis.",
    norm=lambda x, p, which: (
        (x - x.mean(axis=-2, keepdims=True))
        / np.sqrt(x.var(axis=-2, keepdims=True) + EPS)
        * p[f"gain_{which}"]
        + p[f"bias_{which}"]
    ),
)

not_centred = wrongly_set(
    turned,
    "mean kept",
    "You divided by the spread in the norms, and did not take the mean away.",
    "A norm has three steps: minus the mean, divided by the spread, then gain and bias.",
    norm=lambda x, p, which: (
        x / np.sqrt(x.var(axis=-1, keepdims=True) + EPS) * p[f"gain_{which}"] + p[f"bias_{which}"]
    ),
)

bias_before_gain = wrongly_set(
    turned,
    "the norm's bias before its gain",
    "You added the norm's bias before you multiplied by its gain.",
    "First stretch, then move: the bias comes last.",
    norm=lambda x, p, which: encoder.layer_norm(
        x, p[f"gain_{which}"], p[f"gain_{which}"] * p[f"bias_{which}"], EPS
    ),
)

less_one = wrongly_set(
    turned,
    "variance divided by n - 1",
    "You divided the sum of the squares by one less than there are.",
    "Here the variance is the mean of the squares, as `mean` and NumPy's `var` take it.",
    norm=lambda x, p, which: (
        (x - x.mean(axis=-1, keepdims=True))
        / np.sqrt(x.var(axis=-1, keepdims=True) * x.shape[-1] / (x.shape[-1] - 1) + EPS)
        * p[f"gain_{which}"]
        + p[f"bias_{which}"]
    ),
)

no_spread_root = wrongly_set(
    turned,
    "root of the variance forgotten",
    "You divided by the variance in the norms, and not by its root.",
    "Whatever is twice as large has four times the variance, and should come out the same.",
    norm=lambda x, p, which: (
        (x - x.mean(axis=-1, keepdims=True))
        / (x.var(axis=-1, keepdims=True) + EPS)
        * p[f"gain_{which}"]
        + p[f"bias_{which}"]
    ),
)

larger_eps = wrongly_set(
    turned,
    "eps 1e-5",
    "You took an eps of 1e-5, and here it is 1e-12.",
    "1e-5 is what PyTorch takes by itself. This model was trained with 1e-12.",
    norm=lambda x, p, which: encoder.layer_norm(x, p[f"gain_{which}"], p[f"bias_{which}"], 1e-5),
)


@mistake("norm before the sum")
def norm_inside(x, parameters, n_heads, mask):
    """You normalised what the heads bring and what the network makes, and added then.

    The norm stands behind the sum: first add, then normalise.
    """
    x = x + normed(attended(x, parameters, n_heads, mask), parameters, "attention")
    return x + normed(network(x, parameters), parameters, "network")


norms_exchanged = wrongly_set(
    turned,
    "norms exchanged",
    "You took the network's gain and bias behind attention, and attention's behind the network.",
    "The names say where each of them stands.",
    norm=lambda x, p, which: normed(x, p, {"attention": "network"}.get(which, "attention")),
)


@mistake("network beside attention")
def parallel(x, parameters, n_heads, mask):
    """You let the network read x as it was before attention.

    It comes second, and reads words that know what the heads have brought.
    """
    first = normed(x + attended(x, parameters, n_heads, mask), parameters, "attention")
    return normed(first + network(x, parameters), parameters, "network")


@mistake("x for what went into the network")
def first_x(x, parameters, n_heads, mask):
    """You added the network's output to the x of the beginning, so what attention brought is lost.

    After the first norm x is another: give it the new value before the network reads it.
    """
    first = normed(x + attended(x, parameters, n_heads, mask), parameters, "attention")
    return normed(x + network(first, parameters), parameters, "network")


with_relu = wrongly_set(
    turned,
    "ReLU for GELU",
    "You set what is below 0 to 0, as in lesson 12.",
    "This network has GELU between its two matrices.",
    active=lambda raw: np.maximum(raw, 0),
)

linear = wrongly_set(
    turned,
    "nothing between the matrices",
    "You put nothing between the network's two matrices, which are then no more than one.",
    "GELU stands there.",
    active=np.positive,
)


by_tanh = wrongly_set(
    turned,
    "GELU's tanh form",
    "You took the form of GELU with tanh, which comes close and is another function.",
    "This model was trained with the exact one, made of `math.erf`: `mine.gelu` has it.",
    active=gelu.by_tanh.function,
)

by_sigmoid = wrongly_set(
    turned,
    "GELU's sigmoid form",
    "You took a sigmoid for GELU's chance, which comes close and is another function.",
    "The exact chance is made of `math.erf`: `mine.gelu` has it.",
    active=gelu.by_sigmoid.function,
)

too_narrow = wrongly_set(
    turned,
    "GELU without the root of 2",
    "Your GELU gives `erf` the number itself.",
    "It wants it divided by the square root of 2.",
    active=gelu.no_root.function,
)


with_silu = wrongly_set(
    turned,
    "SiLU for GELU",
    "You took x times the sigmoid of x, which is SiLU, another function than GELU.",
    "GELU's chance is that of the bell curve, made of `math.erf`: `mine.gelu` has it.",
    active=gelu.silu.function,
)

chance_alone = wrongly_set(
    turned,
    "GELU's chance alone",
    "Your GELU gives the chance, and the number itself is not multiplied by it.",
    "GELU is the number times that chance.",
    active=gelu.chance_alone.function,
)


@mistake("b_up behind GELU")
def late_bias(x, parameters, n_heads, mask):
    """You added b_up behind GELU, but it decides what GELU lets through.

    Product, bias, GELU, in this order.
    """
    p = parameters
    x = normed(x + attended(x, p, n_heads, mask), p, "attention")
    hidden = encoder.gelu(x @ p["w_up"]) + p["b_up"]
    return normed(x + hidden @ p["w_down"] + p["b_down"], p, "network")


@mistake("GELU at the end")
def late_gelu(x, parameters, n_heads, mask):
    """You put GELU behind w_down, but it stands between the network's two matrices.

    It acts on the d_hidden numbers, and w_down on what it leaves.
    """
    p = parameters
    x = normed(x + attended(x, p, n_heads, mask), p, "attention")
    raw = x @ p["w_up"] + p["b_up"]
    return normed(x + encoder.gelu(raw @ p["w_down"] + p["b_down"]), p, "network")


no_biases = wrongly_set(
    turned,
    "attention's biases forgotten",
    "You left out b_query, b_key and b_value.",
    "Each of the three matrices has a bias behind it.",
    taken=lambda p: without(p, "b_query", "b_key", "b_value"),
)


@mistake("b_output forgotten")
def no_output_bias(x, parameters, n_heads, mask):
    """You left out b_output, which is added behind w_output."""
    return answer(x, without(parameters, "b_output"), n_heads, mask)


no_network_biases = wrongly_set(
    turned,
    "the network's biases forgotten",
    "You left out b_up and b_down.",
    "Each of the network's matrices has a bias behind it, and b_up comes before GELU.",
    taken=lambda p: without(p, "b_up", "b_down"),
)


@mistake("b_up forgotten")
def no_up_bias(x, parameters, n_heads, mask):
    """You left out b_up, which is added before GELU."""
    return answer(x, without(parameters, "b_up"), n_heads, mask)


@mistake("b_down forgotten")
def no_down_bias(x, parameters, n_heads, mask):
    """You left out b_down, which is added behind w_down."""
    return answer(x, without(parameters, "b_down"), n_heads, mask)


@mistake("b_query forgotten")
def no_query_bias(x, parameters, n_heads, mask):
    """You left out b_query, which is added behind w_query."""
    return answer(x, without(parameters, "b_query"), n_heads, mask)


@mistake("b_value forgotten")
def no_value_bias(x, parameters, n_heads, mask):
    """You left out b_value, which is added behind w_value."""
    return answer(x, without(parameters, "b_value"), n_heads, mask)


all_biases = wrongly_set(
    turned,
    "all biases forgotten",
    "You left out the biases behind the matrices, all six of them.",
    "Each matrix has a bias behind it, whose name ends as the matrix's does.",
    taken=lambda p: without(p, *(f"b_{name}" for name in (*ROLES, "up", "down"))),
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
    p = parameters
    query, key, value = heads_of(x, p, n_heads)
    scores = hidden(query @ key / np.sqrt(query.shape[-1]), mask[..., None, :, :])
    heads = attnlib.merge_heads(attnlib.softmax(scores) @ value)
    x = normed(x + heads @ p["w_output"] + p["b_output"], p, "attention")
    return normed(x + network(x, p), p, "network")


exchanged = wrongly_set(
    turned,
    "query and key exchanged",
    "You exchanged query and key, so each word asks what it should be found by.",
    "The word that looks has the query, and row i of the scores is its own: query @ key "
    "transposed.",
    taken=lambda p: (
        p
        | {f"{kind}_query": p[f"{kind}_key"] for kind in "wb"}
        | {f"{kind}_key": p[f"{kind}_query"] for kind in "wb"}
    ),
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


def plain(parameters):
    """Give a block's arrays with a last norm that neither stretches nor moves."""
    d_model = len(parameters["gain_network"])
    return parameters | {"gain_network": np.ones(d_model), "bias_network": np.zeros(d_model)}


def unseen(answer, x, parameters, n_heads, mask):
    """Hide the last word from all others, change it, and see that no other row notices."""
    n = x.shape[-2]
    past = np.tri(n, dtype=bool)
    other = np.concatenate([x[..., :-1, :], 2 - x[..., -1:, :]], axis=-2)
    first, second = (answer(z, parameters, n_heads, past) for z in (x, other))
    return close(first[..., :-1, :], second[..., :-1, :])


EXERCISE = Exercise(
    solution=encoder_block,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    mistakes=(..., *(wrongly_set(turned, *words, **sets) for *words, sets in OF_HEADS)),
    facts=(
        Fact("where the last gain is 1 and its bias 0, each word comes out with mean 0",
             lambda f, x, p, h, m: close(f(x, plain(p), h, m).mean(axis=-1), 0)),
        Fact("where nothing is brought or made, x is normalised twice", lambda f, x, p, h, m: close(
            f(x, without(p, "w_output", "b_output", "w_down", "b_down"), h, m),
            normed(normed(x, p, "attention"), p, "network"))),
        Fact("what a word may not see changes nothing for it", unseen),
    ),
    hints=(
        "Two lines of the form `x = layer_norm(x + …)`: first with what attention brings, then "
        "with what the network makes of the new x.",
        "Attention is that of lesson 06, with a bias behind each of the four matrices: project, "
        "split, scores, mask (as in lesson 05), softmax, mix, merge, project. You have a function "
        "for each step but the mask, and `mine.layer_norm` and `mine.gelu`.",
        "The mask gets an axis for the heads: `np.where(mask[..., None, :, :], scores, -np.inf)`. "
        "The network is `mine.gelu(x @ w_up + b_up) @ w_down + b_down`.",
    ),
)  # fmt: skip
