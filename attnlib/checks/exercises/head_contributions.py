"""What each head adds to the output."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.exercises.multi_head_attention import (
    IN_HEADS,
    by_reshape,
    by_rows,
    joined,
    kept_in_spread,
    project,
    steep_inputs,
    turned,
    two_tokens,
)
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(n, n_heads*d_head), (n_heads*d_head, n_heads*d_head), (n_heads*d_head, n_heads*d_head), "
    "(n_heads*d_head, n_heads*d_head), (n_heads*d_head, d_out), n_heads -> (n_heads, n, d_out)"
)


def head_contributions(x, w_query, w_key, w_value, w_output, n_heads):
    """Each head reaches the output through d_head rows of w_output, which no other head meets.

    The product with w_output adds up what comes through. So the output is a sum over heads, and
    what a head adds is its own result times its own rows: the first d_head rows for head 0, the
    next d_head for head 1.
    """
    n, d_model = x.shape
    d_head = d_model // n_heads
    query, key, value = (
        (x @ w).reshape(n, n_heads, d_head).swapaxes(0, 1) for w in (w_query, w_key, w_value)
    )  # (n_heads, n, d_head) each
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(d_head)  # (n_heads, n, n)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    rows = w_output.reshape(n_heads, d_head, -1)  # (n_heads, d_head, d_out)
    return weights @ value @ rows  # (n_heads, n, d_out)


def answer(x, w_query, w_key, w_value, w_output, n_heads):
    """Give what is right, by which answers are judged."""
    query, key, value = (attnlib.split_heads(x @ w, n_heads) for w in (w_query, w_key, w_value))
    return attnlib.attention(query, key, value) @ np.stack(np.split(w_output, n_heads))


def cases():
    """Three heads of width 2 on small whole numbers; then other sizes."""
    given = SHAPES.given(np.random.default_rng(18), kept_in_spread)
    x = np.array([[1.0, 0, 2, 0, 1, 0], [0, 2, 0, 1, 0, 1], [2, 0, 0, 0, 1, 2],
                  [0, 1, 1, 2, 0, 0], [1, 1, 0, 0, 0, 2]])  # fmt: skip
    eye = np.eye(6)
    w_output = np.eye(6, 7) + np.eye(6, 7, 1)
    small = x, eye[[1, 0, 2, 4, 3, 5]], eye[[0, 2, 1, 3, 5, 4]], 2 * eye, w_output, 3
    yield Case("the small example is right", small)
    yield Case("a longer sentence is right", given(n=11, n_heads=3, d_head=5, d_out=13))
    yield Case("more tokens than features are right", given(n=17, n_heads=2, d_head=3, d_out=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(118)

    def steep(levels):
        return [steep_inputs(rng, *way) for way in promises.steep_ways(levels)]

    given = SHAPES.given(rng, kept_in_spread)
    shapes = promises.of_shapes(SHAPES, given)
    more = (5, 1, 6, 6), (2, 11, 1, 5), (3, 8, 2, 16)  # n, n_heads, d_head, d_out
    return shapes | {
        promises.SIZES: [
            *shapes[promises.SIZES],
            *(given(**dict(zip(SHAPES.names, sizes, strict=True))) for sizes in more),
        ],
        promises.LARGE: [two_tokens(100.0), two_tokens(-100.0), *steep(promises.LEVELS)],
        promises.SCORES.beyond: steep([promises.BEYOND]),
    }


def finish(heads, x, w_query, w_key, w_value, w_output, n_heads):
    """Multiply each head by its own rows of w_output."""
    return heads @ rows_of(w_output, n_heads)


def rows_of(w_output, n_heads):
    """Cut w_output into n_heads blocks of neighbouring rows: (n_heads, d_head, d_out)."""
    return w_output.reshape(n_heads, -1, w_output.shape[-1])


def shares(
    x, w_query, w_key, w_value, w_output, n_heads, *, split=attnlib.split_heads, scale=None,
    weigh=attnlib.softmax, rows=rows_of, last=np.positive,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    heads = (split(x @ w, n_heads) for w in (w_query, w_key, w_value))
    return last(wrong.attend(*heads, scale=scale, weigh=weigh) @ rows(w_output, n_heads))


summed = wrongly_set(
    shares,
    "the sum of all heads",
    "You returned the output itself, in which the heads are added up already.",
    "What is asked for is each head's share, before the adding: an array for every head, so that "
    "their sum is what you have now.",
    last=lambda shares: shares.sum(axis=0),
)


@mistake("w_output forgotten")
def no_output(x, w_query, w_key, w_value, w_output, n_heads):
    """You stopped at what the heads attend to: w_output is not used.

    A head's share of the output is d_out wide. Multiply each head by those rows of w_output that
    its features would meet.
    """
    return attnlib.attention(*project(x, w_query, w_key, w_value, w_output, n_heads))


shared = wrongly_set(
    shares,
    "divided among the heads",
    "You divided the output by the number of heads, so that each head has the same share.",
    "Heads add what they have found, one much and another little. Multiply each of them by its "
    "own rows of w_output.",
    last=lambda shares: np.broadcast_to(shares.mean(axis=0), shares.shape),
)

averaged = wrongly_set(
    shares,
    "shares divided by the number of heads",
    "Every share is too small by the number of heads: the output is their sum, not their mean.",
    "Leave the division out.",
    last=lambda shares: shares / len(shares),
)

left_out = wrongly_set(
    shares,
    "the output without the head",
    "You computed what is left of the output when a head is taken away.",
    "Its share is the other part: what it adds, with all the others silent.",
    last=lambda shares: shares.sum(axis=0) - shares,
)

cumulative = wrongly_set(
    shares,
    "added up head by head",
    "You went on adding: each of your entries holds the heads before it as well.",
    "Start afresh for every head.",
    last=lambda shares: shares.cumsum(axis=0),
)

first_rows = wrongly_set(
    shares,
    "every head with the first rows of w_output",
    "You multiplied every head by the first d_head rows of w_output.",
    "Each head has rows of its own: head h begins at row h * d_head.",
    rows=lambda w_output, n_heads: rows_of(w_output, n_heads)[:1],
)

strided_rows = wrongly_set(
    shares,
    "every n_heads-th row of w_output",
    "You gave each head every n_heads-th row of w_output; a head's rows are neighbours.",
    "Merged heads lie side by side, all of head 0 first, so head 0 meets the first d_head rows.",
    rows=lambda w_output, n_heads: np.stack([w_output[h::n_heads] for h in range(n_heads)]),
)

last_of_all = wrongly_set(
    shares,
    "the last head's share for all",
    "Every share of yours is that of the last head.",
    "An array that is filled anew for each head stays one array, however often you keep it. Make "
    "a new one for each head.",
    last=lambda shares: np.broadcast_to(shares[-1:], shares.shape),
)


def by_columns(shares):
    """Give each head some columns of the output, and 0 in all others."""
    whole, n_heads = shares.sum(axis=0), len(shares)
    owner = np.arange(whole.shape[-1]) // max(whole.shape[-1] // n_heads, 1)
    return np.where(owner == np.arange(n_heads)[:, np.newaxis, np.newaxis], whole, 0)


shared_columns = wrongly_set(
    shares,
    "columns of the output shared out",
    "You gave each head some columns of the output, and every head has a share in all of them.",
    "What is cut into parts is the rows of w_output, which the features of one head meet.",
    last=by_columns,
)

reversed_rows = wrongly_set(
    shares,
    "rows of w_output in reverse order",
    "You gave the heads their rows of w_output in reverse order.",
    "Head 0 comes first, and with it the first d_head rows.",
    rows=lambda w_output, n_heads: rows_of(w_output, n_heads)[::-1],
)

tokens_first = wrongly_set(
    shares,
    "tokens in front of the heads",
    "Your shares are right, but their axes are (n, n_heads, d_out): tokens come first.",
    "The heads are the first axis here, so that the share of head 0 is `shares[0]`: swap the "
    "first two axes.",
    last=lambda shares: shares.swapaxes(0, 1),
)

by_d_model = wrongly_set(
    shares,
    "square root of d_model",
    "You divided the scores by the square root of d_model, but a head is only d_head wide.",
    "A score is a sum of d_head products here, so the square root of d_head is what keeps its "
    "size in check.",
    scale=lambda query, key: 1 / np.sqrt(len(query) * query.shape[-1]),
)

by_n_heads = wrongly_set(
    shares,
    "square root of n_heads",
    "You divided the scores by the square root of the number of heads.",
    "The width of one head counts, because that is how many products a score sums, and the root "
    "of it is the scale.",
    scale=lambda query, key: 1 / np.sqrt(len(query)),
)

split_by_reshape = wrongly_set(
    shares,
    "heads split by reshape alone",
    "You split the heads by a reshape alone, which cuts the sentence up and not the features.",
    "A head is one slice of every token: reshape to (n, n_heads, d_head), then swap the first two "
    "axes. Your `split_heads` does it.",
    split=by_reshape,
)

strided = wrongly_set(
    shares,
    "every n_heads-th feature",
    "You gave each head every n_heads-th feature; a head gets neighbouring ones.",
    "Reshape to (n, n_heads, d_head), in this order, then swap the first two axes.",
    split=lambda z, n_heads: np.moveaxis(z.reshape(len(z), -1, n_heads), -1, 0),
)


@mistake("one set of weights for all heads")
def same_weights(x, w_query, w_key, w_value, w_output, n_heads):
    """You computed one set of weights from all the features and used it in every head.

    Each head compares its own slices of query and key, so each has weights of its own.
    """
    scale = 1 / np.sqrt(w_query.shape[-1] // n_heads)
    weights = attnlib.attention_weights(x @ w_query, x @ w_key, scale=scale)
    return weights @ attnlib.split_heads(x @ w_value, n_heads) @ rows_of(w_output, n_heads)


@mistake("heads merged by reshape alone")
def merged_by_reshape(x, w_query, w_key, w_value, w_output, n_heads):
    """You merged the heads by a reshape alone, so a row reads on from token to token.

    Let heads and tokens change places first, so that a token's heads are neighbours; or leave the
    heads apart, and let each of them meet its own rows of w_output.
    """
    merged = joined(attnlib.attention(*project(x, w_query, w_key, w_value, w_output, n_heads)))
    return attnlib.split_heads(merged, n_heads) @ rows_of(w_output, n_heads)


@mistake("matrices cut by reshape alone")
def cut_matrices(x, w_query, w_key, w_value, w_output, n_heads):
    """You cut the matrices into heads by a reshape alone; a head is some neighbouring columns.

    A reshape reads on from number to number, and mixes the columns. Multiply first, and split what
    comes out.
    """
    heads = (x @ by_rows(w, n_heads) for w in (w_query, w_key, w_value))
    return attnlib.attention(*heads) @ rows_of(w_output, n_heads)


@mistake("key.T on all heads")
def all_axes_turned(x, w_query, w_key, w_value, w_output, n_heads):
    """You turned all three axes of the keys round, that of the heads as well.

    `.T` does that. The heads should stay in front: exchange the last two axes alone.
    """
    inputs = x, w_query, w_key, w_value, w_output, n_heads
    query, key, value = project(*inputs)
    scores = query @ key.T / np.sqrt(query.shape[-1])
    return finish(attnlib.softmax(scores) @ value, *inputs)


over_heads = wrongly_set(
    shares,
    "softmax over the heads",
    "You normalised over the heads, the first axis.",
    "A head shares nothing out with the others: each row of each head sums to 1, so the softmax "
    "runs along the last axis.",
    weigh=lambda scores: attnlib.softmax(scores, axis=0),
)


EXERCISE = Exercise(
    solution=head_contributions,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    facts=(
        Fact("one share for each head, (n_heads, n, d_out)", lambda f, x, q, k, v, o, h: f(
            x, q, k, v, o, h).shape == (h, len(x), o.shape[1])),
        Fact("together they are the output", lambda f, x, q, k, v, o, h: close(
            f(x, q, k, v, o, h).sum(axis=0),
            attnlib.MultiHeadAttention(q, k, v, o, n_heads=h)(x))),
        Fact("a head whose rows of w_output are 0 adds nothing", lambda f, x, q, k, v, o, h: close(
            f(x, q, k, v, np.where(np.arange(len(o))[:, None] < len(o) - len(o) // h, o, 0), h)[-1],
            0)),
        Fact("twice w_output, twice every share", lambda f, x, q, k, v, o, h: close(
            f(x, q, k, v, 2 * o, h), 2 * f(x, q, k, v, o, h))),
        Fact("renumbered heads bring their shares along", lambda f, x, q, k, v, o, h: close(
            f(x, *(turned(w, h) for w in (q, k, v)), turned(o.T, h).T, h)[::-1],
            f(x, q, k, v, o, h))),
    ),
    mistakes=tuple(
        m.around(project, finish)
        for m in (*wrong.family(), wrong.transposed, wrong.swapped, *IN_HEADS)
    ),
    hints=(
        "Go as far as in `multi_head_attention`, up to the moment before the heads are merged. "
        "Which rows of w_output would the features of head 0 have met, had you merged and "
        "multiplied?",
        "Head h lies in columns h * d_head to (h + 1) * d_head of the merged heads, so it meets "
        "the rows of w_output with the same numbers and no others. Cut w_output into such blocks "
        "of rows, one for each head, and let every head meet its own.",
    ),
)  # fmt: skip
