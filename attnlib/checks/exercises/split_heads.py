"""One wide array into several narrow ones."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(..., n, n_heads*d_head), n_heads -> (..., n_heads, n, d_head)")


def split_heads(x, n_heads):
    """Each head gets d_head neighbouring features of every token, head h those from h * d_head on.

    Splitting the last axis in two gives (..., n, n_heads, d_head). Then heads and tokens change
    places, so that each head holds a whole sentence.
    """
    d_head = x.shape[-1] // n_heads
    heads = x.reshape(*x.shape[:-1], n_heads, d_head)  # (..., n, n_heads, d_head)
    return heads.swapaxes(-3, -2)  # (..., n_heads, n, d_head)


def answer(x, n_heads):
    """Give what is right, by which answers are judged."""
    return attnlib.split_heads(x, n_heads)


def cases():
    """Two tokens and three heads by hand; then other sizes; then with batch axes."""
    rng = np.random.default_rng(12)
    yield Case("the small example is right", (np.arange(30.0).reshape(2, 15), 3))
    yield Case("a longer sentence is right", (rng.normal(size=(7, 2 * 11)), 2))
    yield Case("works with leading batch axes", (rng.normal(size=(2, 3, 5 * 7)), 5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    given = SHAPES.given(np.random.default_rng(112))
    shapes, (x, _) = promises.of_shapes(SHAPES, given), given(n_heads=6)
    return shapes | {
        promises.SAME_SHAPES: [*shapes[promises.SAME_SHAPES], (x, 2), (x, 3)],
    }


def cut(x, n_heads):
    """Split the features: (..., n, n_heads, d_head)."""
    return x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)


def forward(heads):
    """Let heads and tokens change places."""
    return heads.swapaxes(-3, -2)


def turned(x, n_heads, *, cut=cut, step=1, moved=forward):
    """Answer with knobs, each of which can be set wrong."""
    return moved(cut(x, n_heads)[..., ::step, :])


@mistake("reshape alone")
def reshaped(x, n_heads):
    """You reshaped alone: the shape is right, but a head is now a stretch of tokens, cut in pieces.

    A head should be one slice of every token, and a reshape by itself only reads on from number to
    number. Split the last axis into (n_heads, d_head) first, then let the axes of tokens and heads
    change places.
    """
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads)


not_moved = wrongly_set(
    turned,
    "heads not moved to the front",
    "You split the features, but the heads still stand behind the tokens.",
    "One step is left: let the axis of tokens and the axis of heads change places.",
    moved=np.asarray,
)

strided = wrongly_set(
    turned,
    "every n_heads-th feature",
    "You gave each head every n_heads-th feature, but a head gets neighbouring ones.",
    "Head h has the features from h * d_head on, d_head of them. A slice takes them so, and so "
    "does a reshape to (n_heads, d_head), in this order, if NumPy's own way of counting is kept.",
    cut=lambda x, n_heads: cut(x, x.shape[-1] // n_heads).swapaxes(-1, -2),
)

confused = wrongly_set(
    turned,
    "n_heads taken for d_head",
    "You exchanged two sizes: you made d_head heads, each of them n_heads wide.",
    "There should be n_heads heads. Their width, d_head, is the number of features divided by "
    "n_heads.",
    cut=lambda x, n_heads: cut(x, x.shape[-1] // n_heads),
)

sideways = wrongly_set(
    turned,
    "tokens and features swapped",
    "Within each head, tokens and features have changed places, so that a token is a column.",
    "Tokens and heads change places, and nothing else does. In (..., n, n_heads, d_head) these "
    "are the axes -3 and -2, and the last axis stays where it is.",
    moved=lambda heads: forward(heads).swapaxes(-1, -2),
)

heads_last = wrongly_set(
    turned,
    "heads as the last axis",
    "You put the heads last, but each head has to be a whole (n, d_head) array.",
    "The order is heads, tokens, features: (..., n_heads, n, d_head).",
    moved=lambda heads: heads.swapaxes(-1, -2),
)


@mistake("the first features for every head")
def first_again(x, n_heads):
    """Every head of yours holds the first features.

    Head 0 begins at feature 0, head 1 at feature d_head, and so on: head h at h * d_head.
    """
    d_head = x.shape[-1] // n_heads
    return np.stack([x[..., :d_head]] * n_heads, axis=-3)


@mistake("heads that overlap")
def overlapping(x, n_heads):
    """Your heads overlap: each begins one feature after the one before.

    A head is d_head features wide, and the next begins behind it: head h at h * d_head.
    """
    d_head = x.shape[-1] // n_heads
    return np.stack([x[..., h : h + d_head] for h in range(n_heads)], axis=-3)


before_batch = wrongly_set(
    turned,
    "heads in front of the batch",
    "Your answer is right for one sentence, but with a batch the heads stand in front of it.",
    "Leading axes stay in front. The heads come right before the tokens, which is axis -3 if you "
    "count from the end.",
    moved=lambda heads: np.moveaxis(heads, -2, 0),
)


@mistake("batch axes forgotten")
def matrices_only(x, n_heads):
    """Your answer is right for one sentence, but batch axes in front of it raise an error.

    Let them pass through, however many there are: a shape can be cut into its last sizes and all
    that stand before them. Axes counted from the end are the same for any number of them.
    """
    n, d_model = x.shape
    return x.reshape(n, n_heads, d_model // n_heads).transpose(1, 0, 2)


@mistake("batch taken for the tokens")
def first_axis(x, n_heads):
    """Your answer is right for one sentence, but in a batch the first axis is not the tokens.

    Keep what stands in front, every size of the shape but the last, and count axes from the end,
    where they are the same with a batch and without.
    """
    return x.reshape(len(x), n_heads, -1).transpose(1, 0, 2)


backwards = wrongly_set(
    turned,
    "heads in reverse order",
    "Your heads stand in reverse order.",
    "Head 0 holds the first d_head features, head 1 the next ones, and so on.",
    step=-1,
)


EXERCISE = Exercise(
    solution=split_heads,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("the shape is (..., n_heads, n, d_head)", lambda f, x, h: f(x, h).shape == (
            *x.shape[:-2], h, x.shape[-2], x.shape[-1] // h)),
        Fact("head 0 holds the first features of every token", lambda f, x, h: close(
            f(x, h)[..., 0, :, :], x[..., : x.shape[-1] // h])),
        Fact("the last head holds the last features", lambda f, x, h: close(
            f(x, h)[..., -1, :, :], x[..., -(x.shape[-1] // h) :])),
        Fact("one head is everything", lambda f, x, h: close(f(x, 1), x[..., None, :, :])),
    ),
    hints=(
        "Two steps do it. Cut the last axis into n_heads pieces of d_head features each; then move "
        "the heads in front of the tokens, so that each of them holds a whole sentence.",
        "A reshape can cut the last axis in two if you carry all the other sizes along, and "
        "`*x.shape[:-1]` is all of them. The axes are then (..., n, n_heads, d_head), and two of "
        "them have to change places: `swapaxes(-3, -2)`.",
    ),
)  # fmt: skip
