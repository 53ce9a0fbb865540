"""Attention several times at once."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(n, n_heads*d_head), (n_heads*d_head, n_heads*d_head), (n_heads*d_head, n_heads*d_head), "
    "(n_heads*d_head, n_heads*d_head), (n_heads*d_head, d_out), n_heads -> (n, d_out)"
)


def multi_head_attention(x, w_query, w_key, w_value, w_output, n_heads):
    """Each head compares its own slice of the features, so its width, d_head, sets the scale.

    All heads attend at once, because `@` multiplies matrix by matrix along the axis of heads. Then
    w_output mixes what they bring home, and sets the width of the output.
    """
    n, d_model = x.shape
    d_head = d_model // n_heads
    query, key, value = (
        (x @ w).reshape(n, n_heads, d_head).swapaxes(0, 1) for w in (w_query, w_key, w_value)
    )  # (n_heads, n, d_head) each
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(d_head)  # (n_heads, n, n)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    merged = (weights @ value).swapaxes(0, 1).reshape(n, d_model)
    return merged @ w_output  # (n, d_out)


def answer(x, w_query, w_key, w_value, w_output, n_heads):
    """Give what is right, by which answers are judged."""
    layer = attnlib.MultiHeadAttention(w_query, w_key, w_value, w_output, n_heads=n_heads)
    return layer(x)


def cases():
    """Two heads of width 3 on small whole numbers; then other sizes."""
    given = SHAPES.given(np.random.default_rng(14), kept_in_spread)
    x = np.array([[1.0, 0, 2, 0, 1, 0], [0, 2, 0, 1, 0, 1], [2, 0, 0, 0, 1, 2],
                  [0, 1, 1, 2, 0, 0], [1, 1, 0, 0, 0, 2]])  # fmt: skip
    eye = np.eye(6)
    w_output = np.eye(6, 7) + np.eye(6, 7, 1)
    small = x, eye[[1, 0, 2, 4, 3, 5]], eye[[0, 2, 1, 3, 5, 4]], 2 * eye, w_output, 2
    yield Case("the small example is right", small)
    yield Case("a longer sentence is right", given(n=11, n_heads=3, d_head=5, d_out=13))
    yield Case("more tokens than features are right", given(n=17, n_heads=2, d_head=3, d_out=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(114)

    def steep(levels):
        return [steep_inputs(rng, *way) for way in promises.steep_ways(levels)]

    return promises.of_shapes(SHAPES, SHAPES.given(rng, kept_in_spread)) | {
        promises.LARGE: [two_tokens(100.0), two_tokens(-100.0), *steep(promises.LEVELS)],
        promises.SCORES.beyond: steep([promises.BEYOND]),
    }


def two_tokens(w_key):
    """Give two tokens and one head, whose scores lie at one end, close together."""
    one = np.ones((1, 1))
    return np.array([[1.0], [1 - 2.0**-13]]), 100 * one, w_key * one, one, one, 1


def steep_inputs(rng, n, level, one_sign):
    """Three heads of width 4: large scores in two of them, ordinary ones in the last."""
    tokens = promises.steep_tokens(n, one_sign=one_sign)
    x = np.concatenate([tokens, tokens[::-1], tokens], axis=1)
    steep, gentle = promises.steep_matrices(level), promises.steep_matrices(0.5, high=1.0)
    w_query, w_key = (np.zeros((12, 12)) for _ in range(2))
    for h, (ask, found) in enumerate((steep, steep, gentle)):
        head = slice(4 * h, 4 * h + 4)
        w_query[head, head], w_key[head, head] = ask, found
    return x, w_query, w_key, rng.normal(size=(12, 12)), rng.normal(size=(12, 5)), 3


def kept_in_spread(x, *matrices_and_heads):
    """Scale each matrix so that it keeps the spread of what it multiplies."""
    *matrices, n_heads = matrices_and_heads
    return x, *(w / np.sqrt(len(w)) for w in matrices), n_heads


def project(x, w_query, w_key, w_value, w_output, n_heads):
    """Give query, key and value, split into heads."""
    return tuple(attnlib.split_heads(x @ w, n_heads) for w in (w_query, w_key, w_value))


def finish(output, x, w_query, w_key, w_value, w_output, n_heads):
    """Merge the heads and mix them."""
    return attnlib.merge_heads(output) @ w_output


def by_reshape(x, n_heads):
    """Cut an array into heads as `reshape` alone does."""
    return x.reshape(n_heads, len(x), -1)


def by_rows(w, n_heads):
    """Cut a matrix as `reshape` alone does, into stretches of its numbers: one for each head."""
    return w.reshape(n_heads, len(w), -1)


def joined(heads):
    """Merge heads as `reshape` alone does."""
    return heads.reshape(heads.shape[1], -1)


def in_heads(
    x, w_query, w_key, w_value, w_output, n_heads, *, scale=None, weigh=attnlib.softmax,
    split=attnlib.split_heads, merge=attnlib.merge_heads, mix=np.matmul,
):  # fmt: skip
    """Attend in heads with knobs, each of which can be set wrong."""
    heads = (split(x @ w, n_heads) for w in (w_query, w_key, w_value))
    return mix(merge(wrong.attend(*heads, scale=scale, weigh=weigh)), w_output)


by_d_model = wrongly_set(
    in_heads,
    "square root of d_model",
    "You divided the scores by the square root of d_model, but each head is only d_head wide.",
    "A score is a sum of d_head products here, so its size grows with d_head, which is d_model // "
    "n_heads.",
    scale=lambda query, key: 1 / np.sqrt(len(query) * query.shape[-1]),
)

by_n_heads = wrongly_set(
    in_heads,
    "square root of n_heads",
    "You divided the scores by the square root of the number of heads.",
    "How many heads there are makes no score larger. What counts is how many products a score "
    "sums, and that is the width of one head.",
    scale=lambda query, key: 1 / np.sqrt(len(query)),
)

split_by_reshape = wrongly_set(
    in_heads,
    "heads split by reshape alone",
    "You split the heads by a reshape alone, so a head is a stretch of tokens, cut in pieces.",
    "It should be one slice of every token: reshape to (n, n_heads, d_head), then let the first "
    "two axes change places. Your `split_heads` does both.",
    split=by_reshape,
)

merged_by_reshape = wrongly_set(
    in_heads,
    "heads merged by reshape alone",
    "You merged the heads by a reshape alone, so a row reads on from token to token.",
    "Let heads and tokens change places first, so that a token's heads are neighbours. Your "
    "`merge_heads` does it.",
    merge=joined,
)

reshaped = wrongly_set(
    in_heads,
    "split and merged by reshape alone",
    "You split and merged the heads by reshapes alone, so a head is a stretch of tokens, cut up.",
    "A swap of axes is missing both times, after the reshape when you split and before it when "
    "you merge. Your `split_heads` and `merge_heads` have it.",
    split=by_reshape,
    merge=joined,
)

strided = wrongly_set(
    in_heads,
    "every n_heads-th feature",
    "You gave each head every n_heads-th feature, but a head gets neighbouring ones.",
    "In a reshape the last axis runs fastest, so d_head has to come last: (n, n_heads, d_head). "
    "Then the first two axes change places.",
    split=lambda x, n_heads: np.moveaxis(x.reshape(len(x), -1, n_heads), -1, 0),
    merge=lambda heads: np.moveaxis(heads, 0, -1).reshape(heads.shape[1], -1),
)

strided_apart = wrongly_set(
    in_heads,
    "every n_heads-th feature, merged in order",
    "You gave each head every n_heads-th feature, but a head gets neighbouring ones.",
    "In a reshape the last axis runs fastest, so d_head has to come last: (n, n_heads, d_head). "
    "Then the first two axes change places.",
    split=lambda x, n_heads: np.moveaxis(x.reshape(len(x), -1, n_heads), -1, 0),
)

interleaved = wrongly_set(
    in_heads,
    "merged heads interleaved",
    "You interleaved the heads when you merged them: feature 0 of every head, then feature 1.",
    "All of head 0 comes first, then all of head 1. Before the last two axes are joined, they "
    "should be (n_heads, d_head), in this order.",
    merge=lambda heads: np.moveaxis(heads, 0, -1).reshape(heads.shape[1], -1),
)

not_moved = wrongly_set(
    in_heads,
    "heads behind the tokens",
    "Your heads stand behind the tokens, so the heads of one token look at each other.",
    "Attention runs over the axis before the last, which has to be that of the tokens: let the "
    "first two axes change places after the split, and again before the heads are merged.",
    split=lambda x, n_heads: x.reshape(len(x), n_heads, -1),
    merge=lambda heads: heads.reshape(len(heads), -1),
)

no_output = wrongly_set(
    in_heads,
    "w_output forgotten",
    "You stopped at the merged heads, so w_output is not used.",
    "One step is left. The heads only lie side by side so far, and w_output is what mixes them.",
    mix=lambda merged, w_output: merged,
)

single = wrongly_set(
    in_heads,
    "a single head",
    "You attended once with all the features, so n_heads makes no difference.",
    "Split query, key and value into heads first, attend in each head by itself, and merge.",
    split=lambda x, n_heads: x[np.newaxis],
)


@mistake("key.T on all heads")
def all_axes_turned(x, w_query, w_key, w_value, w_output, n_heads):
    """You turned all three axes of the keys round, that of the heads as well.

    `.T` does that. The heads should stay in front: exchange the last two axes alone.
    """
    inputs = x, w_query, w_key, w_value, w_output, n_heads
    query, key, value = project(*inputs)
    scores = query @ key.T / np.sqrt(query.shape[-1])
    return finish(attnlib.softmax(scores) @ value, *inputs)


@mistake("matrices cut by reshape alone")
def cut_matrices(x, w_query, w_key, w_value, w_output, n_heads):
    """You cut the matrices into heads by a reshape alone; a head is some neighbouring columns.

    A reshape reads on from number to number, and mixes the columns. Multiply first, and split what
    comes out.
    """
    heads = (x @ by_rows(w, n_heads) for w in (w_query, w_key, w_value))
    return attnlib.merge_heads(attnlib.attention(*heads)) @ w_output


over_heads = wrongly_set(
    in_heads,
    "softmax over the heads",
    "You normalised over the heads, the first axis.",
    "Heads share nothing out among themselves. Within each head the weights of one query sum to "
    "1, and they lie along the last axis.",
    weigh=lambda scores: attnlib.softmax(scores, axis=0),
)

averaged = wrongly_set(
    in_heads,
    "heads averaged",
    "You used the mean of the heads in place of each of them.",
    "Heads lie side by side, so that each of them meets rows of its own in w_output.",
    merge=lambda heads: attnlib.merge_heads(0 * heads + heads.mean(axis=0)),
)


@mistake("every head with the same weights")
def same_weights(x, w_query, w_key, w_value, w_output, n_heads):
    """You computed one set of weights from all the features and used it in every head.

    Each head compares its own slices of query and key, so it has scores and weights of its own.
    """
    scale = 1 / np.sqrt(w_query.shape[-1] // n_heads)
    return wrong.attend(x @ w_query, x @ w_key, x @ w_value, scale=scale) @ w_output


def turned(w, n_heads):
    """Give the columns of the last head the first place, and so on."""
    return np.concatenate(np.split(w, n_heads, axis=1)[::-1], axis=1)


IN_HEADS = (  # what can go wrong in each head by itself
    wrong.by_half, wrong.half_shift, wrong.only_shifted, wrong.softened_twice, wrong.reshaped,
    wrong.causal,
)  # fmt: skip


EXERCISE = Exercise(
    solution=multi_head_attention,
    answer=answer,
    returns="output",
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    facts=(
        Fact("the output is as wide as w_output", lambda f, x, q, k, v, o, h: f(
            x, q, k, v, o, h).shape == (len(x), o.shape[1])),
        Fact("reordered tokens give reordered outputs", lambda f, x, *w: close(
            f(x[::-1], *w), f(x, *w)[::-1])),
        Fact("twice w_output, twice the output", lambda f, x, q, k, v, o, h: close(
            f(x, q, k, v, 2 * o, h), 2 * f(x, q, k, v, o, h))),
        Fact("one head is attention, then w_output", lambda f, x, q, k, v, o, h: close(
            f(x, q, k, v, o, 1), attnlib.attention(x @ q, x @ k, x @ v) @ o)),
        Fact("renumbering the heads changes nothing", lambda f, x, q, k, v, o, h: close(
            f(x, *(turned(w, h) for w in (q, k, v)), turned(o.T, h).T, h), f(x, q, k, v, o, h))),
    ),
    mistakes=tuple(
        m.around(project, finish)
        for m in (*wrong.family(), wrong.transposed, wrong.swapped, *IN_HEADS)
    ),
    hints=(
        "You have all the parts already: project x three times, split each result into heads, "
        "attend, merge the heads and multiply by w_output. Which of these steps can be done for "
        "all heads at once?",
        "After `split_heads` the arrays are (n_heads, n, d_head), and `@` works head by head, as "
        "long as you turn only the last two axes of the keys, with `key.swapaxes(-1, -2)`. The "
        "width of one head, `key.shape[-1]`, sets the scale. `merge_heads` and w_output come last.",
    ),
)  # fmt: skip
