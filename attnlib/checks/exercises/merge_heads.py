"""The heads of a token side by side again."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(..., n_heads, n, d_head) -> (..., n, n_heads*d_head)")


def merge_heads(heads):
    """Move the heads back behind the tokens, then make the last two axes one.

    The swap has to come first, because a reshape can only join axes that are neighbours.
    """
    *batch, n_heads, n, d_head = heads.shape
    rows = heads.swapaxes(-3, -2)  # (..., n, n_heads, d_head)
    return rows.reshape(*batch, n, n_heads * d_head)  # (..., n, d_model)


def answer(heads):
    """Give what is right, by which answers are judged."""
    return attnlib.merge_heads(heads)


def cases():
    """Three heads of two tokens by hand; other sizes; with batch axes."""
    rng = np.random.default_rng(13)
    yield Case("the small example is right", (np.arange(30.0).reshape(3, 2, 5),))
    yield Case("a longer sentence is right", (rng.normal(size=(2, 7, 11)),))
    yield Case("works with leading batch axes", (rng.normal(size=(2, 5, 3, 7)),))


def promised():
    """Give the inputs that hold an answer to each promise."""
    return promises.of_shapes(SHAPES, SHAPES.given(np.random.default_rng(113)))


def flat(array):
    """Join the last two axes."""
    return array.reshape(*array.shape[:-2], -1)


def turned(heads, *, order=np.array, move=lambda heads: heads.swapaxes(-3, -2), after=np.array):
    """Merge with knobs, each of which can be set wrong."""
    *batch, n_heads, n, d_head = heads.shape
    return after(move(order(heads)).reshape(*batch, n, n_heads * d_head))


reshaped = wrongly_set(
    turned,
    "reshape alone",
    "You reshaped alone: the shape is right, but a row now reads on from token to token.",
    "A row belongs to one token and holds its heads side by side. Let tokens and heads change "
    "places first, so that a token's heads are neighbours, and then join them.",
    move=np.array,
)


sideways_first = wrongly_set(
    turned,
    "tokens and features exchanged",
    "You let tokens and features change places; it is heads and tokens that should.",
    "A token's heads have to be neighbours before they are joined: exchange the axes -3 and -2.",
    move=lambda heads: heads.swapaxes(-2, -1),
)


@mistake("features of the heads interleaved")
def strided(heads):
    """You interleaved the heads: feature 0 of every head, then feature 1 of every head.

    All of head 0 comes first, then all of head 1. Before you join the last two axes, they should be
    (n_heads, d_head), in this order.
    """
    return flat(np.moveaxis(heads, -3, -1))


@mistake("heads summed")
def summed(heads):
    """You added the heads up, but they go side by side.

    Nothing is added here, and the answer is n_heads times as wide as one head.
    """
    return heads.sum(axis=-3)


@mistake("heads averaged")
def averaged(heads):
    """You took the mean of the heads, but they go side by side.

    Nothing is averaged here, and the answer is n_heads times as wide as one head.
    """
    return heads.mean(axis=-3)


@mistake("heads below each other")
def stacked(heads):
    """You put the heads below each other, as if they were further tokens.

    There is one row for each token, in which its heads lie side by side: n_heads times as wide as
    one head.
    """
    *batch, n_heads, n, d_head = heads.shape
    return heads.reshape(*batch, n_heads * n, d_head)


sideways = wrongly_set(
    turned,
    "answer transposed",
    "Your answer is transposed, but each token should be a row.",
    "Return (..., n, d_model), with the tokens along the axis before the last.",
    after=lambda rows: rows.swapaxes(-1, -2),
)


@mistake("axes not joined")
def not_joined(heads):
    """You moved the heads behind the tokens, and one step is left: joining the last two axes.

    A reshape turns (n_heads, d_head) into one axis of n_heads * d_head numbers. Keep the sizes in
    front of it as they are.
    """
    return heads.swapaxes(-3, -2)


backwards = wrongly_set(
    turned,
    "heads in reverse order",
    "You joined the heads in reverse order.",
    "Head 0 gives the first d_head features, head 1 the next ones, and so on.",
    order=lambda heads: heads[..., ::-1, :, :],
)


@mistake("batch joined instead of heads")
def first_axis(heads):
    """Your answer is right for one sentence, but with a batch you joined sentences, not heads.

    The first axis of a batch counts its sentences, so these are what a loop over it, or
    `np.concatenate`, meets. The heads are axis -3, counted from the end.
    """
    return np.concatenate(list(heads), axis=-1)


@mistake("joined along axis 1")
def hstack(heads):
    """Your answer is right for one sentence, but with a batch you put sentences side by side.

    `np.hstack` and `axis=1` count axes from the front, where the batch stands. Count from the end:
    let the axes -3 and -2 change places, and then reshape.
    """
    return np.concatenate(list(heads), axis=1)


@mistake("batch axes forgotten")
def matrices_only(heads):
    """Your answer is right for one sentence, but batch axes in front of it raise an error.

    Let them pass through, however many there are: a shape can be cut into its last sizes and all
    that stand before them. Axes counted from the end are the same for any number of them.
    """
    return flat(heads.transpose(1, 0, 2))


EXERCISE = Exercise(
    solution=merge_heads,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("the shape is (..., n, n_heads * d_head)", lambda f, x: f(x).shape == (
            *x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])),
        Fact("it undoes the split", lambda f, x: close(
            attnlib.split_heads(f(x), x.shape[-3]), x)),
        Fact("head 0 gives the first features", lambda f, x: close(
            f(x)[..., : x.shape[-1]], x[..., 0, :, :])),
    ),
    hints=(
        "Go back the way that `split_heads` came, last step first: the heads move behind the "
        "tokens again, and then two axes become one.",
        "After `swapaxes(-3, -2)` the axes are (..., n, n_heads, d_head), where a token's heads "
        "are neighbours. A reshape can now join the last two, as long as you write out the sizes "
        "in front of them, batch axes included.",
    ),
)  # fmt: skip
