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


def cases():
    """Two short sentences and two heads; longer ones of one length; a corpus; many heads."""
    rng = np.random.default_rng(47)
    given = SHAPES.given(rng, filled(rng))
    small = SHAPES.given(rng, filled(rng, d_hidden=2))
    x, parameters, n_heads, _ = small(n_sentences=2, n=3, n_heads=2, d_head=1)
    lengths = np.array([[3], [2]])
    yield Case("the small example is right", (x, parameters, n_heads, np.arange(3) < lengths))
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
    """Let the first head bring nothing, and see that it costs nothing."""
    without = cut(parameters, 0, x.shape[-1] // n_heads)
    return close(answer(x, without, n_heads, mask)[0], 0)


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
