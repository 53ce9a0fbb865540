"""What a head is worth: how far the vectors of sentences move without it."""

import math

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.exercises import encoder_block
from attnlib.checks.exercises.mean_pool import kept
from attnlib.checks.shapes import Shapes
from attnlib.models import encoder

SHAPES = Shapes("(n_sentences, n, n_heads*d_head), {}, n_heads, (n_sentences, n) -> (n_heads)")


def head_costs(x, parameters, n_heads, mask):
    """Let each head bring zeros in turn, and see how far the sentences' vectors move."""
    p, d_head = parameters, x.shape[-1] // n_heads

    def norm(z, which):
        z = z - z.mean(axis=-1, keepdims=True)
        z = z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-12)
        return z * p[f"gain_{which}"] + p[f"bias_{which}"]

    def vectors(heads):  # one for each sentence
        z = norm(x + heads @ p["w_output"] + p["b_output"], "attention")
        raw = z @ p["w_up"] + p["b_up"]
        chance = 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(raw / math.sqrt(2)))
        z = norm(z + (raw * chance) @ p["w_down"] + p["b_down"], "network")
        return (z * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)

    projected = [x @ p[f"w_{role}"] + p[f"b_{role}"] for role in ("query", "key", "value")]
    query, key, value = [z.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2) for z in projected]
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(d_head)
    scores = np.where(mask[:, None, None], scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    merged = (weights / weights.sum(axis=-1, keepdims=True) @ value).swapaxes(1, 2).reshape(x.shape)
    own = np.arange(x.shape[-1]) // d_head  # whose each number is
    moved = [vectors(merged * (own != head)) - vectors(merged) for head in range(n_heads)]
    return np.linalg.norm(moved, axis=-1).mean(axis=-1)


def answer(x, parameters, n_heads, mask):
    """Give what is right, by which answers are judged."""
    whole, d_head = vectors(x, parameters, n_heads, mask), x.shape[-1] // n_heads
    cuts = (cut(parameters, head, d_head) for head in range(n_heads))
    return np.array([apart(whole, vectors(x, other, n_heads, mask)) for other in cuts])


def rows_of(head, d_head):
    """Give the rows of w_output through which a head reaches the words."""
    return slice(head * d_head, (head + 1) * d_head)


def cut(parameters, head, d_head, rows=rows_of):
    """Give a block's arrays without a head: its rows of w_output are zeros."""
    w_output = parameters["w_output"].copy()
    w_output[rows(head, d_head)] = 0
    return parameters | {"w_output": w_output}


def states(x, parameters, n_heads, mask):
    """Give one vector for each word, behind the block."""
    return encoder.encoder_block(x, parameters, n_heads, mask[:, np.newaxis])


def vectors(x, parameters, n_heads, mask):
    """Give one vector for each sentence, behind the block."""
    return encoder.mean_pool(states(x, parameters, n_heads, mask), mask)


def apart(one, other):
    """Give the mean distance of sentences' vectors."""
    return np.linalg.norm(one - other, axis=-1).mean()


def turned(x, parameters, n_heads, mask, *, pool=vectors, without=cut, apart=apart):
    """Answer with knobs, each of which can be set wrong."""
    whole, d_head = pool(x, parameters, n_heads, mask), x.shape[-1] // n_heads
    cuts = (without(parameters, head, d_head) for head in range(n_heads))
    return np.array([apart(whole, pool(x, other, n_heads, mask)) for other in cuts])


def filled(rng, d_hidden=7):
    """Return what makes inputs of drawn ones: a block's arrays, and sentences of some lengths."""

    def inputs(x, _, n_heads, numbers):
        return x, encoder_block.parameters_for(rng, x.shape[-1], d_hidden), n_heads, kept(numbers)

    return inputs


def of_whole_numbers(rng):
    """Give two sentences of three features and a block's arrays, of whole numbers and halves."""
    x = rng.integers(-2, 4, size=(2, 3, 3)) + 0.0
    shapes = {f"w_{role}": (3, 3) for role in encoder_block.ROLES}
    shapes |= {"w_up": (3, 1), "w_down": (1, 3)}
    found = {name: rng.integers(-1, 2, size=shape) + 0.0 for name, shape in shapes.items()}
    found |= {f"b_{name[2:]}": rng.integers(-1, 2, size=s[1]) / 2 for name, s in shapes.items()}
    for norm, stretch in (("attention", 1.0), ("network", 2.0)):
        found[f"gain_{norm}"] = stretch * rng.integers(1, 4, size=3)
        found[f"bias_{norm}"] = rng.integers(-1, 2, size=3) / 2
    return x, found


def cases():
    """Two short sentences and three heads; longer ones of one length; a corpus; many heads."""
    rng = np.random.default_rng(47)
    given = SHAPES.given(rng, filled(rng))
    x, parameters = of_whole_numbers(np.random.default_rng(2631))
    lengths = np.array([[3], [2]])
    yield Case("the small example is right", (x, parameters, 3, np.arange(3) < lengths))
    x, parameters, n_heads, _ = given(n_sentences=3, n=5, n_heads=2, d_head=3)
    yield Case("sentences of one length are right", (x, parameters, n_heads, np.ones((3, 5), bool)))
    yield Case("a small corpus is right", given(n_sentences=7, n=5, n_heads=3, d_head=2))
    yield Case("many heads are right", given(n_sentences=2, n=7, n_heads=5, d_head=3))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(147)
    return promises.of_shapes(SHAPES, SHAPES.given(rng, filled(rng)))


columns = wrongly_set(
    turned,
    "columns of w_output",
    "You set columns of w_output to 0, which takes features away from all heads.",
    "A head's numbers meet *rows* of w_output: those with its own places.",
    without=lambda p, *head: (
        p | {"w_output": cut({"w_output": p["w_output"].T}, *head)["w_output"].T}
    ),
)

every_nth = wrongly_set(
    turned,
    "rows of all heads",
    "You took every n_heads-th row, so that each head loses a part.",
    "A head's rows stand together: d_head of them, one after the other.",
    without=lambda p, head, d_head: cut(
        p, head, d_head, lambda h, d: slice(h, None, len(p["w_output"]) // d)
    ),
)


@mistake("only that head kept")
def only(x, parameters, n_heads, mask):
    """You took all other heads away, and kept the one that was to be removed."""

    def without(parameters, head, d_head):
        own = np.zeros_like(parameters["w_output"])
        own[rows_of(head, d_head)] = parameters["w_output"][rows_of(head, d_head)]
        return parameters | {"w_output": own}

    return turned(x, parameters, n_heads, mask, without=without)


no_bias = wrongly_set(
    turned,
    "b_output removed, too",
    "You took b_output away with the head, but it belongs to no head.",
    "Only rows of w_output become 0.",
    without=lambda p, *head: cut(p, *head) | {"b_output": 0 * p["b_output"]},
)

padding_counted = wrongly_set(
    turned,
    "padding counted",
    "You took the mean of all rows, of the padding as well.",
    "The mask says which words count: `mean_pool(states, mask)`.",
    pool=lambda *inputs: states(*inputs).mean(axis=-2),
)

padding_seen = wrongly_set(
    turned,
    "padding looked at",
    "You let words look at the padding.",
    "The block needs the mask, too, with an axis for the words that look: `mask[:, None]`.",
    pool=lambda x, p, n_heads, mask: encoder.mean_pool(encoder.encoder_block(x, p, n_heads), mask),
)

total = wrongly_set(
    turned,
    "sum over the sentences",
    "You added up the distances, so that a larger corpus costs more.",
    "Take their mean.",
    apart=lambda one, other: np.linalg.norm(one - other, axis=-1).sum(),
)

of_the_means = wrongly_set(
    turned,
    "distance of the means",
    "You took the mean of the sentences first, and one distance then.",
    "Sentences that move in opposite directions hide each other there. First the distances.",
    apart=lambda one, other: np.linalg.norm((one - other).mean(axis=0)),
)

squared = wrongly_set(
    turned,
    "squares",
    "You took the squares of the distances.",
    "A distance is the root of the sum of the squares, as `np.linalg.norm` gives it.",
    apart=lambda one, other: ((one - other) ** 2).sum(axis=-1).mean(),
)


@mistake("no head removed")
def unmoved(x, parameters, n_heads, mask):
    """Each head costs 0 in your answer: the vectors are the same with it and without.

    Does the block get the changed w_output, under its name, and were the vectors of the whole
    computed before it was changed?
    """
    return np.zeros(n_heads)


@mistake("heads stay out")
def stay_out(x, parameters, n_heads, mask):
    """You took out one head after the other, and never put one back.

    Each head is taken out alone: begin with a new copy of w_output every time.
    """
    left, d_head, found = parameters, x.shape[-1] // n_heads, []
    for head in range(n_heads):
        left = cut(left, head, d_head)
        found.append(apart(vectors(x, parameters, n_heads, mask), vectors(x, left, n_heads, mask)))
    return np.array(found)


@mistake("compared with what came in")
def with_input(x, parameters, n_heads, mask):
    """You compared with the sentences as they came in, and the whole block has moved them, too.

    What a head is worth shows between the block with it and the block without it.
    """
    d_head, whole = x.shape[-1] // n_heads, encoder.mean_pool(x, mask)
    cuts = (cut(parameters, head, d_head) for head in range(n_heads))
    return np.array([apart(whole, vectors(x, other, n_heads, mask)) for other in cuts])


values_removed = wrongly_set(
    turned,
    "columns of w_value",
    "You set columns of w_value to 0, and what b_value brings is left of the head.",
    "A head is out where its rows of w_output are zeros: then nothing of it gets through.",
    without=lambda p, *head: (
        p | {"w_value": cut({"w_output": p["w_value"].T}, *head)["w_output"].T}
    ),
)

value_rows = wrongly_set(
    turned,
    "rows of w_value",
    "You set rows of w_value to 0, where rows of w_output are meant.",
    "A row of w_value belongs to a feature of the words, and all heads read it. What a head brings "
    "meets rows of w_output.",
    without=lambda p, *head: p | {"w_value": cut({"w_output": p["w_value"]}, *head)["w_output"]},
)

root_of_squares = wrongly_set(
    turned,
    "root of the mean square",
    "You took the root of the mean of the squared distances.",
    "The mean of the distances themselves is asked for: the root belongs to each sentence.",
    apart=lambda one, other: np.sqrt(((one - other) ** 2).sum(axis=-1).mean()),
)

one_row = wrongly_set(
    turned,
    "one row alone",
    "You set one row of w_output to 0, and a head has d_head of them.",
    "Head h has the rows from h * d_head on, d_head of them.",
    without=lambda p, *head: cut(p, *head, lambda h, d_head: slice(h, h + 1)),
)

begun_early = wrongly_set(
    turned,
    "rows from the head's number on",
    "You took d_head rows from row h on, which belong to several heads.",
    "Head h has the rows from h * d_head on.",
    without=lambda p, *head: cut(p, *head, lambda h, d_head: slice(h, h + d_head)),
)

whole_width = wrongly_set(
    turned,
    "rows by d_model",
    "You took d_model rows for each head, so head 0 has all of them and the others none.",
    "A head has d_head rows: d_model divided by the number of heads.",
    without=lambda p, head, d: cut(
        p, head, d, lambda h, _: slice(h * len(p["w_output"]), (h + 1) * len(p["w_output"]))
    ),
)

by_number = wrongly_set(
    turned,
    "rows by n_heads",
    "You took n_heads rows for each head.",
    "A head has d_head rows: d_model divided by the number of heads.",
    without=lambda p, head, d: cut(
        p,
        head,
        d,
        lambda h, _: slice(h * len(p["w_output"]) // d, (h + 1) * len(p["w_output"]) // d),
    ),
)

inverted = wrongly_set(
    turned,
    "mask inverted",
    "You used the mask the wrong way round in the block: words look at padding alone.",
    'True means "may look", and is a word: hand it over as it is, with an axis for the words.',
    pool=lambda x, p, n_heads, mask: encoder.mean_pool(
        encoder.encoder_block(x, p, n_heads, ~mask[:, np.newaxis]), mask
    ),
)


@mistake("w_output changed in place")
def in_place(x, parameters, n_heads, mask):
    """You wrote zeros into the w_output of whoever called you, and heads stay out.

    A new dictionary holds the same arrays. Begin with a copy of w_output for each head.
    """
    d_head, found = x.shape[-1] // n_heads, []
    whole = vectors(x, parameters, n_heads, mask)
    for head in range(n_heads):
        parameters["w_output"][rows_of(head, d_head)] = 0
        found.append(apart(whole, vectors(x, parameters, n_heads, mask)))
    return np.array(found)


cosine = wrongly_set(
    turned,
    "1 less the cosine",
    "You took 1 less the cosine, and the length of the difference is asked for.",
    "`np.linalg.norm` of the difference, along the last axis, gives it.",
    apart=lambda one, other: (
        1
        - (one * other).sum(axis=-1)
        / (np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1))
    ).mean(),
)

first_word = wrongly_set(
    turned,
    "the first row for the sentence",
    "You took the first row for the vector of a sentence.",
    "Here the vector of a sentence is the mean of its words: `mean_pool(states, mask)`.",
    pool=lambda *inputs: states(*inputs)[:, 0],
)

words_summed = wrongly_set(
    turned,
    "words added up",
    "You added up the words of a sentence, and did not divide.",
    "The vector of a sentence is the mean of its words: divide by how many they are.",
    pool=lambda *inputs: (states(*inputs) * inputs[-1][..., np.newaxis]).sum(axis=1),
)

by_all_rows = wrongly_set(
    turned,
    "divided by all rows",
    "You added up the words of a sentence, and divided by the padding, too.",
    "The vector of a sentence is the mean of its words: divide by how many are words.",
    pool=lambda *inputs: (states(*inputs) * inputs[-1][..., np.newaxis]).mean(axis=1),
)

one_length = wrongly_set(
    turned,
    "one length for all sentences",
    "You took one length of all differences together.",
    "Each sentence has a distance of its own: the norm along the last axis. Then their mean.",
    apart=lambda one, other: np.linalg.norm(one - other),
)

farthest = wrongly_set(
    turned,
    "the farthest sentence",
    "You took the largest distance of all sentences.",
    "Take their mean.",
    apart=lambda one, other: np.linalg.norm(one - other, axis=-1).max(),
)

first_sentence = wrongly_set(
    turned,
    "the first sentence alone",
    "You measured the first sentence alone.",
    "Take the mean of the distances over all sentences.",
    apart=lambda one, other: np.linalg.norm(one[0] - other[0]),
)

absolute = wrongly_set(
    turned,
    "absolute values",
    "You added up absolute values, and a length is the root of the sum of the squares.",
    "`np.linalg.norm` along the last axis gives it.",
    apart=lambda one, other: np.abs(one - other).sum(axis=-1).mean(),
)

mean_absolute = wrongly_set(
    turned,
    "mean of absolute values",
    "You took the mean of all absolute values, and a length is the root of a sum of squares.",
    "`np.linalg.norm` along the last axis gives it. Then take the mean over the sentences.",
    apart=lambda one, other: np.abs(one - other).mean(),
)

mean_squared = wrongly_set(
    turned,
    "mean of squares",
    "You took the mean of all squares, and a length is the root of their sum.",
    "`np.linalg.norm` along the last axis gives it. Then take the mean over the sentences.",
    apart=lambda one, other: ((one - other) ** 2).mean(),
)

of_lengths = wrongly_set(
    turned,
    "difference of lengths",
    "You compared how long the vectors are, and they may point elsewhere at the same length.",
    "First the difference of the vectors, and then its length.",
    apart=lambda one, other: (np.linalg.norm(one, axis=-1) - np.linalg.norm(other, axis=-1)).mean(),
)

relative = wrongly_set(
    turned,
    "divided by the length",
    "You divided each distance by the length of the sentence's vector.",
    "The length of the difference is asked for, as it is.",
    apart=lambda one, other: (
        np.linalg.norm(one - other, axis=-1) / np.linalg.norm(one, axis=-1)
    ).mean(),
)

by_feature = wrongly_set(
    turned,
    "along the sentences",
    "You took lengths along the first axis, over the sentences: one for each feature.",
    "Each sentence has a distance: the norm along the last axis, which is that of the features.",
    apart=lambda one, other: np.linalg.norm(one - other, axis=0).mean(),
)


@mistake("distances of words")
def of_words(x, parameters, n_heads, mask):
    """You measured how far each word moves, and took the mean of that.

    Words that move in opposite directions leave their sentence where it is. First `mean_pool`.
    """

    def apart(one, other):
        far = np.linalg.norm(one - other, axis=-1)[..., np.newaxis]
        return encoder.mean_pool(far, mask).mean()

    return turned(x, parameters, n_heads, mask, pool=states, apart=apart)


def idle(answer, x, parameters, n_heads, mask):
    """Let the last head bring nothing, and see that it costs nothing."""
    without = cut(parameters, n_heads - 1, x.shape[-1] // n_heads)
    costs = answer(x, parameters, n_heads, mask)
    return close(answer(x, without, n_heads, mask)[-1], 0) and bool((costs > 0).all())


def twice(answer, x, parameters, n_heads, mask):
    """Let every sentence come twice, and see that the costs stay."""
    doubled = np.concatenate([x, x]), parameters, n_heads, np.concatenate([mask, mask])
    return close(answer(*doubled), answer(x, parameters, n_heads, mask))


def doubled_end(answer, x, parameters, n_heads, mask):
    """Let the last norm stretch twice as much, and see that distances are twice as long."""
    longer = parameters | {"gain_network": 2 * parameters["gain_network"]}
    return close(answer(x, longer, n_heads, mask), 2 * answer(x, parameters, n_heads, mask))


untransposed = encoder_block.key_untransposed.around(
    lambda x, parameters, n_heads, mask: (x, parameters, n_heads, mask[:, np.newaxis])
)

EXERCISE = Exercise(
    solution=head_costs,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("a head that brings nothing costs nothing", idle),
        Fact("the same sentences twice give the same costs", twice),
        Fact("where the last norm stretches twice as much, heads cost twice as much", doubled_end),
    ),
    hints=(
        "You have both parts: `encoder_block` and `mean_pool`. Compute the sentences' vectors once "
        "with everything, and once for each head without it. How is one head removed?",
        "Copy w_output, set the rows `head * d_head` to `(head + 1) * d_head` to 0, and hand over "
        '`parameters | {"w_output": changed}`. The block takes the mask as `mask[:, None]`.',
        "For each head: `np.linalg.norm(without - whole, axis=-1).mean()`.",
    ),
)  # fmt: skip
