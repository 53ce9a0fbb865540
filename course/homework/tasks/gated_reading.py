"""Two sources read side by side, and a gate for each word that says how much to take from which.

Arevalo et al., "Gated multimodal units for information fusion" (2017), mix two
sources by such a gate.
"""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import (
    Case,
    Edge,
    Exercise,
    Fact,
    Mistake,
    Promise,
    close,
    mistake,
    wrongly_set,
)
from attnlib.checks.shapes import Shapes
from course.homework.task import finite

MISSING = Promise(
    "where one source is empty, all comes from the other",
    "A length of 0 means that there is nothing to read. Then the gate has nothing to decide, and "
    "the other source counts in full; where both are empty, the output is 0.",
)
FILLING = Promise(
    "what stands behind a source's length does not count",
    "Hide the filling of each source by a mask of its own: column 0 of `lengths` is the first "
    "source's, column 1 the second's.",
)
GATES = Promise(
    "gates far open and far shut are right",
    "`np.exp` overflows above 709, and inf / inf is nan. A gate is a softmax over two scores, s "
    "and 0: `attnlib.softmax` stays finite whatever s is.",
)

SHAPES = Shapes(
    "(batch, n_queries, d_key), (batch, n_1, d_key), (batch, n_1, d_value), "
    "(batch, n_2, d_key), (batch, n_2, d_value), (batch, 2), (d_key) -> (batch, n_queries, d_value)"
)


def answer(query, key_1, value_1, key_2, value_2, lengths, w_gate):
    """Give what is right, by which answers are judged: one word of one pair at a time."""
    output = np.zeros((*query.shape[:-1], value_1.shape[-1]))
    for b, i in np.ndindex(query.shape[:-1]):
        reads = []
        for key, value, n in zip((key_1, key_2), (value_1, value_2), lengths[b], strict=True):
            found = attnlib.attention(query[b, i : i + 1], key[b, :n], value[b, :n])[0]
            reads.append(found if n else None)
        gate = 0.5 * (1 + np.tanh(query[b, i] @ w_gate / 2))
        if reads[0] is not None and reads[1] is not None:
            output[b, i] = gate * reads[0] + (1 - gate) * reads[1]
        else:
            output[b, i] = next((read for read in reads if read is not None), 0)
    return output


def cases():
    """One word by hand, then two pairs with a filling, then one with a source that is empty."""
    rng = np.random.default_rng(101)
    values = np.array([[[8.0, 0.0]]]), np.array([[[0.0, 4.0]]])
    query, ones = np.array([[[0.0], [2.0]]]), np.ones((1, 1, 1))
    lengths, w_gate = np.array([[1, 1]]), np.array([np.log(3) / 2])
    yield Case("two words", (query, ones, values[0], ones, values[1], lengths, w_gate))
    *rest, _ = given(rng, 2, 3, 4, 2, 3, [[2, 4], [3, 2]])
    yield Case("a filling on both sides", (*rest, np.array([0.4, -0.3])))
    yield Case("sources that are empty", given(rng, 1, 2, 3, 2, 1, [[0, 2], [2, 0], [0, 0]]))


def given(rng, n_queries, n_1, n_2, d_key, d_value, lengths, *, filling=2.0):
    """Give inputs of these sizes and one digit; rows behind a length hold louder numbers."""
    lengths = np.array(lengths, dtype=int).reshape(-1, 2)
    batch, sources = len(lengths), []
    query = rng.normal(size=(batch, n_queries, d_key)).round(1) + 0.0
    for n, column in ((n_1, 0), (n_2, 1)):
        loud = np.where(np.arange(n)[:, None] < lengths[:, column, None, None], 1, filling)
        for width in (d_key, d_value):
            sources.append((loud * rng.normal(size=(batch, n, width))).round(1) + 0.0)
    return (query, *sources, lengths, rng.normal(size=d_key).round(1) + 0.0)


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(102)
    sizes = (  # n_queries, n_1, n_2, d_key, d_value, lengths
        (1, 1, 1, 1, 1, [[1, 1]]), (3, 2, 2, 2, 2, [[2, 2], [1, 1]]), (1, 5, 2, 3, 1, [[5, 2]]),
        (5, 1, 3, 2, 2, [[1, 3]]), (2, 3, 1, 1, 3, [[3, 1], [2, 1]]),
        (2, 2, 3, 2, 2, [[2, 3], [1, 3]]), (3, 3, 3, 3, 3, [[3, 3]]),
        (1, 2, 2, 2, 1, [[1, 2], [2, 1], [2, 2]]), (2, 4, 3, 2, 3, [[4, 3]]),
    )  # fmt: skip
    far = given(rng, 3, 2, 3, 2, 2, [[2, 2], [1, 3]])
    far_missing = given(rng, 2, 2, 3, 2, 2, [[0, 2], [2, 0]])
    loud = given(rng, 2, 3, 4, 1, 2, [[2, 3], [1, 2]], filling=1e3)
    return {
        MISSING: [
            given(rng, 2, 2, 3, 2, 2, [[0, 3]]),
            given(rng, 2, 2, 3, 2, 2, [[2, 0]]),
            given(rng, 2, 2, 3, 2, 2, [[0, 0]]),
            given(rng, 2, 1, 1, 2, 1, [[0, 1], [1, 1], [0, 0], [1, 0]], filling=1e3),
            silent(rng),
        ],
        FILLING: [
            loud,
            given(rng, 2, 3, 2, 2, 1, [[1, 2], [3, 1]], filling=1e3),
            given(rng, 1, 3, 3, 2, 2, [[3, 1], [1, 3]], filling=-1e6),
        ],
        GATES: [
            (*inputs[:6], size * np.array([1.0, -0.7]))
            for inputs in (far, far_missing)
            for size in (30, 3e3)
        ],
        promises.LARGE: [
            (level * inputs[0], *inputs[1:])
            for level in (300, 2e3)
            for inputs in [given(rng, 2, 2, 3, 2, 2, [[2, 2]])]
        ]
        + [low(rng, level) for level in (300, 1e4, 1e10)]
        + [high_and_low(rng)],
        promises.SIZES: [given(rng, *size) for size in sizes],
        promises.SAME_SHAPES: promises.again(
            lambda: given(rng, 2, 2, 3, 2, 1, lengths_of(rng, 2, 2, 3))
        ),
    }


def low(rng, level):
    """Give scores that are far below 0, and alike, where a source has words and not filling."""
    query, *sources, lengths, w_gate = given(rng, 2, 3, 2, 1, 2, [[2, 1], [1, 2]])
    sources[0], sources[2] = np.ones_like(sources[0]), np.ones_like(sources[2])
    return np.full_like(query, -level), *sources, lengths, w_gate / level


def silent(rng):
    """Give a source that is there, and whose values are all 0."""
    query, key_1, value_1, *rest = given(rng, 2, 2, 3, 2, 2, [[2, 3]])
    return query, key_1, np.zeros_like(value_1), *rest


def high_and_low(rng):
    """Give a word whose scores are far above 0, and one whose scores are far below."""
    query, key_1, value_1, key_2, value_2, lengths, _ = given(rng, 2, 2, 3, 1, 2, [[2, 3]])
    query[0, :, 0], key_1[0, :, 0], key_2[0, :, 0] = (1e3, -1e3), (1, 1.001), (1, 1, 1.002)
    return query, key_1, value_1, key_2, value_2, lengths, np.array([0.001])


def lengths_of(rng, batch, n_1, n_2):
    """Give random lengths, 0 among them."""
    return np.stack([rng.integers(0, n + 1, size=batch) for n in (n_1, n_2)], axis=1)


def draw(rng):
    """Give random inputs, of sizes that are random too."""
    batch, n_queries, n_1, n_2, d_key, d_value = rng.integers(1, 6, 6)
    lengths = lengths_of(rng, batch, n_1, n_2)
    *rest, w_gate = given(rng, n_queries, n_1, n_2, d_key, d_value, lengths)
    return (*rest, w_gate * 10.0 ** rng.integers(-1, 3))


def read(query, key, value, lengths):
    """Read one source, its filling hidden."""
    mask = attnlib.padding_mask(np.minimum(lengths, key.shape[-2]), key.shape[-2])
    return attnlib.attention(query, key, value, mask=mask)


def gates(query, w_gate):
    """Give the gate of every word, (batch, n_queries, 1)."""
    return 0.5 * (1 + np.tanh(query @ w_gate / 2))[..., None]


def combined(gate, read_1, read_2, lengths):
    """Mix two readings; where a source is empty, the other counts in full."""
    there = lengths[:, None, :] > 0
    gate = np.where(there[..., 1:], gate, 1)
    gate = np.where(there[..., :1], gate, 0)
    return gate * read_1 + (1 - gate) * read_2


def turned(
    query, key_1, value_1, key_2, value_2, lengths, w_gate, *, gate=gates, mixed=combined, read=read
):
    """Answer with knobs, each of which can be set wrong."""
    first = read(query, key_1, value_1, lengths[:, 0])
    second = read(query, key_2, value_2, lengths[:, 1])
    return mixed(gate(query, w_gate), first, second, lengths)


reversed_gate = wrongly_set(
    turned,
    "the gate the wrong way round",
    "Your gate opens to the second source where it should open to the first.",
    "The gate says how much comes from source 1; source 2 gets what is left, 1 minus the gate.",
    gate=lambda query, w_gate: 1 - gates(query, w_gate),
)

no_fallback = wrongly_set(
    turned,
    "an empty source mixed in",
    "Where a source is empty you mix in its zeros, so the word gets too little.",
    "There the gate has nothing to decide: all comes from the other source.",
    mixed=lambda gate, read_1, read_2, lengths: gate * read_1 + (1 - gate) * read_2,
)


fallback_exchanged = wrongly_set(
    turned,
    "all from the empty source",
    "Where a source is empty you take everything from it, and nothing from the other.",
    "There is nothing in the empty one. All comes from the other.",
    mixed=lambda gate, read_1, read_2, lengths: combined(
        np.where((lengths[:, None, :] > 0).all(axis=-1, keepdims=True), gate,
                 np.where(lengths[:, None, :1] > 0, 0.0, 1.0)),
        read_1, read_2, np.ones_like(lengths),
    ),
)  # fmt: skip

second_alone = wrongly_set(
    turned,
    "only an empty source 2 looked after",
    "You look after an empty source 2, and not after an empty source 1.",
    "Where source 1 is empty, all comes from source 2.",
    mixed=lambda gate, read_1, read_2, lengths: combined(
        gate, read_1, read_2, np.maximum(lengths, [1, 0])
    ),
)

first_alone = wrongly_set(
    turned,
    "only an empty source 1 looked after",
    "You look after an empty source 1, and not after an empty source 2.",
    "Where source 2 is empty, all comes from source 1.",
    mixed=lambda gate, read_1, read_2, lengths: combined(
        gate, read_1, read_2, np.maximum(lengths, [0, 1])
    ),
)

whole_batch = wrongly_set(
    turned,
    "one empty source for the whole batch",
    "Where a source of one pair is empty you leave out that source in the whole batch.",
    "Each pair has lengths of its own. Decide pair by pair, with `np.where` on an array of truths.",
    mixed=lambda gate, read_1, read_2, lengths: combined(
        gate, read_1, read_2, np.where((lengths == 0).any(axis=0), 0, np.ones_like(lengths))
    ),
)

turned_last = wrongly_set(
    turned,
    "shares exchanged, those of an empty source, too",
    "You give the share of source 1 to source 2, and the other way round.",
    "The gate says how much comes from source 1; source 2 gets what is left, 1 minus the gate.",
    mixed=lambda gate, read_1, read_2, lengths: combined(gate, read_2, read_1, lengths),
)

whole_second = wrongly_set(
    turned,
    "all of source 2",
    "You took all of source 2, and added the gate's share of source 1.",
    "Source 2 gets what the gate leaves: 1 minus the gate.",
    mixed=lambda gate, read_1, read_2, lengths: (
        combined(gate, read_1, 0 * read_2, lengths) + read_2
    ),
)

halves_of_zeros = wrongly_set(
    turned,
    "half of each, of an empty one, too",
    "You took half of each source.",
    "Each word has a gate of its own: 1 / (1 + exp(-s)) with s its query times w_gate.",
    mixed=lambda gate, read_1, read_2, lengths: (read_1 + read_2) / 2,
)

cut_gate = wrongly_set(
    turned,
    "the score cut off at 0 and 1",
    "You cut the score s off at 0 and 1.",
    "A share lies between 0 and 1: make it of s with 1 / (1 + exp(-s)).",
    gate=lambda query, w_gate: np.clip(query @ w_gate, 0, 1)[..., None],
)

scaled_gate = wrongly_set(
    turned,
    "the gate's score scaled",
    "You divided the gate's score by the square root of d_key, and it is not scaled.",
    "The gate's score is the query times w_gate as it is. What is scaled are the scores of keys.",
    gate=lambda query, w_gate: gates(query / np.sqrt(query.shape[-1]), w_gate),
)


@mistake("filling set to 0")
def zeroed(query, key_1, value_1, key_2, value_2, lengths, w_gate):
    """You set the filling to 0, and a key of zeros still gets a weight.

    Its score is 0, and the exponential of 0 is 1. Hide it by a mask: then its weight is 0.
    """

    def read(query, key, value, lengths):
        words = (np.arange(key.shape[1]) < lengths[:, None])[..., None]
        return attnlib.attention(query, key * words, value * words)

    return turned(query, key_1, value_1, key_2, value_2, lengths, w_gate, read=read)


def counted(which):
    """Read both sources with other lengths."""

    def wrong(query, key_1, value_1, key_2, value_2, lengths, w_gate):
        first, second = which(lengths)
        reads = read(query, key_1, value_1, first), read(query, key_2, value_2, second)
        return combined(gates(query, w_gate), *reads, lengths)

    return wrong


first_for_both, second_for_both = (
    Mistake(
        f"the lengths of source {side + 1} for both",
        counted(lambda lengths, side=side: (lengths[:, side],) * 2),
        f"You took the lengths of source {side + 1} for both sources.",
        "Column 0 of `lengths` belongs to source 1, and column 1 to source 2.",
    )
    for side in (0, 1)
)

one_row_more = Mistake(
    "one row of filling",
    counted(lambda lengths: (lengths + 1).T),
    "You read one row more than the lengths say.",
    "Rows are counted from 0, so row j counts where j is below the length: `<`, not `<=`.",
)


def one_side(side):
    """Read one source with its filling."""

    def wrong(query, key_1, value_1, key_2, value_2, lengths, w_gate):
        whole = lengths.copy()
        whole[:, side] = (key_1, key_2)[side].shape[1]
        reads = [
            read(query, key, value, counted)
            for key, value, counted in zip((key_1, key_2), (value_1, value_2), whole.T, strict=True)
        ]
        return combined(gates(query, w_gate), *reads, lengths)

    return wrong


first_unmasked, second_unmasked = (
    Mistake(
        f"the filling of source {side + 1}",
        one_side(side),
        f"You read the filling of source {side + 1} along with its words.",
        "Hide what stands behind each length, with a mask for each source.",
    )
    for side in (0, 1)
)


@mistake("the largest of all scores, hidden ones too")
def top_of_all(query, key_1, value_1, key_2, value_2, lengths, w_gate):
    """You subtracted the largest of all scores, those of the filling too, so words may vanish.

    Where a score of the filling is the largest by far, the exponentials of all the others are 0.
    Hide first, with -inf, and let `attnlib.softmax` find the largest of what is left.
    """

    def read(query, key, value, lengths):
        scores = attnlib.attention_scores(query, key)
        words = attnlib.padding_mask(lengths, key.shape[1])
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True)) * words
        total = powers.sum(axis=-1, keepdims=True)
        return powers / np.where(total > 0, total, 1) @ value

    return turned(query, key_1, value_1, key_2, value_2, lengths, w_gate, read=read)


def filled(number):
    """Read with a number in place of the scores of filling."""

    def read(query, key, value, lengths):
        scores = attnlib.attention_scores(query, key)
        words = attnlib.padding_mask(np.minimum(lengths, key.shape[1]), key.shape[1])
        return attnlib.softmax(np.where(words, scores, number)) @ value

    return lambda *inputs: turned(*inputs, read=read)


@mistake("an empty source read in full")
def whole_if_empty(query, key_1, value_1, key_2, value_2, lengths, w_gate):
    """Where a source is empty you read its filling.

    A length of 0 hides every row: nothing comes from that source, and all from the other.
    """
    full = np.where(lengths == 0, [key_1.shape[1], key_2.shape[1]], lengths)
    return answer(query, key_1, value_1, key_2, value_2, full, w_gate)


unmasked = wrongly_set(
    turned,
    "lengths ignored",
    "You read the filling of the sources along with their words.",
    "Hide what stands behind each length, with a mask for each source.",
    read=lambda query, key, value, lengths: attnlib.attention(query, key, value),
)


unmasked_but_empty = wrongly_set(
    turned,
    "lengths asked for what is empty alone",
    "You read the filling of the sources along with their words, but for empty sources.",
    "Hide what stands behind each length, with a mask for each source.",
    read=lambda query, key, value, lengths: (
        attnlib.attention(query, key, value) * (lengths > 0)[:, None, None]
    ),
)


@mistake("lengths exchanged")
def lengths_exchanged(query, key_1, value_1, key_2, value_2, lengths, w_gate):
    """You took the first source's lengths for the second, and the other way round.

    Column 0 of `lengths` belongs to source 1.
    """
    sizes = [key_1.shape[1], key_2.shape[1]]
    return answer(
        query, key_1, value_1, key_2, value_2, np.minimum(lengths[:, ::-1], sizes), w_gate
    )


@mistake("one softmax over both sources")
def joined(query, key_1, value_1, key_2, value_2, lengths, w_gate):
    """You laid the two sources end to end and shared one weight of 1 out among all rows.

    Each source is read by itself, with weights that sum to 1; how much counts, the gate decides.
    """
    key, value = np.concatenate([key_1, key_2], axis=1), np.concatenate([value_1, value_2], axis=1)
    masks = [attnlib.padding_mask(lengths[:, k], x.shape[1]) for k, x in enumerate((key_1, key_2))]
    return attnlib.attention(query, key, value, mask=np.concatenate(masks, axis=-1))


@mistake("one softmax for both, and gates")
def joined_and_gated(query, key_1, value_1, key_2, value_2, lengths, w_gate):
    """You shared one weight of 1 out among the rows of both sources, before the gate.

    Each source is read by itself, with weights that sum to 1; how much counts, the gate decides.
    """
    key, n_1 = np.concatenate([key_1, key_2], axis=1), key_1.shape[1]
    masks = [attnlib.padding_mask(lengths[:, k], x.shape[1]) for k, x in enumerate((key_1, key_2))]
    weights = attnlib.attention_weights(query, key, mask=np.concatenate(masks, axis=-1))
    reads = weights[..., :n_1] @ value_1, weights[..., n_1:] @ value_2
    return combined(gates(query, w_gate), *reads, lengths)


summed = wrongly_set(
    turned,
    "no gate, the sum",
    "You added the two readings up.",
    "The gate takes a share of each, and the shares sum to 1.",
    mixed=lambda gate, read_1, read_2, lengths: read_1 + read_2,
)

halved = wrongly_set(
    turned,
    "no gate, half of each",
    "You took half of each source.",
    "Each word has a gate of its own: 1 / (1 + exp(-s)) with s its query times w_gate.",
    gate=lambda query, w_gate: 0.5,
)

hard = wrongly_set(
    turned,
    "a gate that is open or shut",
    "Your gate is fully open or fully shut.",
    "It may stand anywhere between: 1 / (1 + exp(-s)).",
    gate=lambda query, w_gate: (query @ w_gate > 0).astype(float)[..., None],
)

score_itself = wrongly_set(
    turned,
    "the gate's score itself",
    "You mixed with the score s itself, which may be anything.",
    "A share lies between 0 and 1: make it of s with 1 / (1 + exp(-s)).",
    gate=lambda query, w_gate: (query @ w_gate)[..., None],
)

tanh = wrongly_set(
    turned,
    "tanh in place of the gate",
    "Your gate goes from -1 to 1.",
    "A share lies between 0 and 1: 1 / (1 + exp(-s)).",
    gate=lambda query, w_gate: np.tanh(query @ w_gate)[..., None],
)

overflowing = wrongly_set(
    turned,
    "exp(s) / (1 + exp(s))",
    "Your gate is nan where its score is large: `np.exp` overflows.",
    "Take the softmax of the two scores s and 0, which stays finite.",
    gate=lambda query, w_gate: (np.exp(query @ w_gate) / (1 + np.exp(query @ w_gate)))[..., None],
)

one_gate = wrongly_set(
    turned,
    "one gate for all words",
    "You made one gate for all the words of a sentence.",
    "Each word has a gate of its own, made of its own query.",
    gate=lambda query, w_gate: gates(query.mean(axis=1, keepdims=True), w_gate),
)

over_words = wrongly_set(
    turned,
    "a gate shared out among the words",
    "Your gates sum to 1 over the words of a sentence.",
    "The two that share are the sources: for each word, a softmax over its scores s and 0.",
    gate=lambda query, w_gate: attnlib.softmax(query @ w_gate)[..., None],
)


def turned_round(f, query, key_1, value_1, key_2, value_2, lengths, w_gate):
    """Exchange the sources and turn the gate: the outputs stay."""
    turned = f(query, key_2, value_2, key_1, value_1, lengths[:, ::-1], -w_gate)
    return close(turned, f(query, key_1, value_1, key_2, value_2, lengths, w_gate))


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    mistakes=(
        ...,
        *finite(
            filled,
            "-1e9 -1e12 -1e4 -100",
            "Where nothing is there to be read your function reads the filling, as it does where a "
            "finite number stands in place of its scores.",
            "With -inf, `attnlib.softmax` gives zeros to such a row, and no score is below it.",
        ),
    ),
    shapes=SHAPES,
    facts=(
        Fact("exchange the sources and turn the gate, and nothing changes", turned_round),
        Fact("words read by themselves", lambda f, q, *rest: close(
            f(q[:, ::-1], *rest)[:, ::-1], f(q, *rest))),
    ),
    edges=(Edge("a source has no words", lambda *inputs: (inputs[5] == 0).any()),),
)  # fmt: skip
