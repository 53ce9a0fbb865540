"""What a layer's output loses with a head: silenced, or kept to what it says of every word.

Michel, Levy & Neubig, "Are sixteen heads really better than one?" (2019), section 3, remove heads
by zeros; the mean in place of a head's output is known as mean ablation.
"""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

STEADY = Promise(
    "a head that says the same of every word is not missed when averaged",
    "Average over the words, feature by feature: a head that brings every word the same row is its "
    "own mean. With one word, every head is.",
)
EQUAL = Promise(
    "equal heads, and heads that cancel, are measured one by one",
    "Each head is removed by itself, with all the others in their places.",
)

SHAPES = Shapes("(n_heads, n, d_value), (n_heads*d_value, d_out) -> (n_heads), (n_heads)")


def answer(heads, w_output):
    """Give what is right, by which answers are judged: remove each head and look."""
    n_heads = len(heads)

    def output(heads):
        return np.hstack(list(heads)) @ w_output

    losses = np.zeros((2, n_heads))
    for h in range(n_heads):
        for which, instead in enumerate((np.zeros(heads.shape[2]), heads[h].mean(axis=0))):
            fewer = heads.astype(float)
            fewer[h] = instead
            change = output(fewer) - output(heads)
            losses[which, h] = np.mean([np.sqrt(row @ row) for row in change])
    return losses[0], losses[1]


def cases():
    """Two heads by hand, then three of width 2, two of which are equal."""
    rng = np.random.default_rng(91)
    heads = np.array([[[3.0], [3.0]], [[0.0], [2.0]]])
    yield Case("two heads of width 1", (heads, np.array([[1.0, 0, 0], [0, 3, 4]])))
    heads = rng.integers(-3, 4, size=(3, 5, 2)).astype(float)
    heads[2] = heads[0]
    yield Case("equal heads, not equally connected", (heads, rng.integers(-2, 3, (6, 7)) + 0.0))


def given(rng, n_heads, n, d_value, d_out):
    """Give inputs of these sizes."""
    steady = rng.normal(size=(n_heads, 1, d_value))
    heads = steady + rng.normal(size=(n_heads, n, d_value))
    return heads, rng.normal(size=(n_heads * d_value, d_out))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(92)
    sizes = (  # n_heads, n, d_value, d_out
        (3, 1, 2, 5), (1, 5, 2, 3), (2, 3, 1, 5), (2, 5, 3, 1), (1, 1, 1, 1), (3, 3, 3, 3),
        (5, 2, 2, 3), (2, 7, 2, 4), (4, 3, 2, 2), (6, 2, 1, 1),
    )  # fmt: skip
    heads, w_output = (np.round(2 * x) for x in given(rng, 3, 4, 2, 3))  # exact in float32, too
    one_sided, same = heads + 0.0, heads + 0.0
    one_sided[1] = one_sided[1, :1]
    same[:] = same[:, :1]
    return {
        STEADY: [(one_sided, w_output), (same, w_output), (same[:, :1], w_output)],
        EQUAL: [
            (np.stack([heads[0], heads[0]]), np.vstack([w_output[:2], w_output[:2]])),
            (np.stack([heads[0], -heads[0]]), np.vstack([w_output[:2], w_output[:2]])),
            (np.zeros((2, 3, 2)), w_output[:4]),
            (heads, 0 * w_output),
        ],
        promises.SCALE: [
            (size * heads, other * w_output)
            for size, other in ((1e-4, 1), (1e5, 1), (1, 1e-4), (1, 1e5))
        ]
        + [(1e5 + 0.001 * heads, w_output)],
        promises.SIZES: [given(rng, *size) for size in sizes],
        promises.SAME_SHAPES: promises.again(lambda: given(rng, 3, 5, 2, 3)),
    }


def draw(rng):
    """Give random inputs, of sizes that are random too."""
    return given(rng, *rng.integers(1, 7, 4))


def parts(heads, w_output):
    """Give what each head adds to the output, (n_heads, n, d_out)."""
    return heads @ w_output.reshape(len(heads), -1, w_output.shape[1])


def mean_length(x):
    """Give the mean over the words of how long each row is: (n_heads,)."""
    return np.linalg.norm(x, axis=-1).mean(axis=1)


def own_mean(heads):
    """Give what stands in the place of a head that is averaged."""
    return heads.mean(axis=1, keepdims=True)


def turned(heads, w_output, *, parts=parts, measure=mean_length, instead=own_mean):
    """Answer with knobs, each of which can be set wrong."""
    return tuple(measure(parts(x, w_output)) for x in (heads, heads - instead(heads)))


frobenius = wrongly_set(
    turned,
    "one length for the whole sentence",
    "You took the length of all the words' changes together, as of one long vector.",
    "Each word's row has a length of its own; the loss is the mean of these lengths.",
    measure=lambda x: np.sqrt((x**2).sum(axis=(1, 2))),
)

root_mean_square = wrongly_set(
    turned,
    "the root of the mean square",
    "You averaged squared lengths and took the root at the end.",
    "Take the root first: the mean of lengths is asked for.",
    measure=lambda x: np.sqrt((x**2).sum(axis=2).mean(axis=1)),
)

over_numbers = wrongly_set(
    turned,
    "the root of the mean of all squares",
    "You took the root of the mean over all numbers.",
    "A row's length is the root of the *sum* of its squares. What is averaged are the lengths.",
    measure=lambda x: np.sqrt((x**2).mean(axis=(1, 2))),
)

along_words = wrongly_set(
    turned,
    "lengths along the words",
    "You took a length for each feature, along the words.",
    "A word's row has a length: the last axis, that of the features, goes.",
    measure=lambda x: np.linalg.norm(x, axis=1).mean(axis=1),
)

largest = wrongly_set(
    turned,
    "the largest change",
    "You took the word that changes most.",
    "The mean over all words is asked for.",
    measure=lambda x: np.linalg.norm(x, axis=2).max(axis=1),
)

whole = wrongly_set(
    turned,
    "whole losses",
    "Your losses are stored as whole numbers, and decimals have no room there.",
    "An array made with `dtype=int`, or like one of whole numbers, cuts decimals off. `np.zeros` "
    "holds floats.",
    measure=lambda x: np.trunc(mean_length(x)),
)

two_decimals = wrongly_set(
    turned,
    "two decimals",
    "You rounded the losses to two decimals.",
    "Small heads have small losses, and four digits of them count. Return them as they are.",
    measure=lambda x: mean_length(x).round(2),
)

squared = wrongly_set(
    turned,
    "squared lengths",
    "You averaged squared lengths.",
    "A length has a root: the square root of the sum of squares.",
    measure=lambda x: (x**2).sum(axis=2).mean(axis=1),
)

summed = wrongly_set(
    turned,
    "the sum over words",
    "You added the lengths up over the words.",
    "The mean is asked for, so that long and short sentences can be compared.",
    measure=lambda x: np.linalg.norm(x, axis=2).sum(axis=1),
)

mean_first = wrongly_set(
    turned,
    "the length of the mean change",
    "You averaged the changes first, and then took a length.",
    "Changes of different words cancel that way. Take each word's length first.",
    measure=lambda x: np.linalg.norm(x.mean(axis=1), axis=-1),
)

absolute = wrongly_set(
    turned,
    "absolute numbers in place of a length",
    "You averaged or added absolute numbers, where a length is asked for.",
    "The length of a row is the square root of its sum of squares.",
    measure=lambda x: np.abs(x).sum(axis=2).mean(axis=1),
)

no_output = wrongly_set(
    turned,
    "w_output left out",
    "You measured the heads themselves, before w_output.",
    "What counts is what changes in the output.",
    parts=lambda heads, w_output: heads,
)

first_rows = wrongly_set(
    turned,
    "the first rows of w_output for every head",
    "You let every head meet the first rows of w_output.",
    "Head h meets rows h * d_value to (h + 1) * d_value.",
    parts=lambda heads, w_output: heads @ w_output[: heads.shape[2]],
)

dealt_rows = wrongly_set(
    turned,
    "rows of w_output dealt out in turn",
    "You dealt the rows of w_output out in turn, one to each head.",
    "Heads lie side by side, so each meets d_value neighbouring rows.",
    parts=lambda heads, w_output: (
        heads @ np.stack([w_output[h :: len(heads)] for h in range(len(heads))])
    ),
)

others_mean = wrongly_set(
    turned,
    "the mean of the other words",
    "In place of a head's row you put the mean of its rows at all *other* words.",
    "The mean is over all the words, and the word itself is one of them: `heads.mean(axis=1)`.",
    instead=lambda heads: (heads.sum(axis=1, keepdims=True) - heads) / max(heads.shape[1] - 1, 1),
)

middle = wrongly_set(
    turned,
    "the median of the lengths",
    "You took the median of the words' lengths.",
    "The mean over all words is asked for.",
    measure=lambda x: np.median(np.linalg.norm(x, axis=-1), axis=1),
)


over_heads = wrongly_set(
    turned,
    "averaged over the heads",
    "In place of a head you put the mean of all heads.",
    "A head's own mean over the words is to stand there.",
    instead=lambda heads: heads.mean(axis=0),
)

over_features = wrongly_set(
    turned,
    "averaged over the features",
    "You averaged each word's features, and gave it that one number everywhere.",
    "The mean is over the words: each feature keeps a mean of its own.",
    instead=lambda heads: heads.mean(axis=2, keepdims=True),
)

over_both = wrongly_set(
    turned,
    "one number for a whole head",
    "You averaged a head over words and features at once.",
    "The mean is over the words alone: each feature keeps a mean of its own.",
    instead=lambda heads: heads.mean(axis=(1, 2), keepdims=True),
)


@mistake("what is left in place of what is lost")
def left_over(heads, w_output):
    """You measured the output that is left, in place of the change.

    Take the difference between the output with the head and without it.
    """
    found = parts(heads, w_output)
    whole = found.sum(axis=0)
    return mean_length(whole - found), mean_length(whole - found + own_mean(found))


@mistake("mean lengths subtracted")
def mean_lengths_subtracted(heads, w_output):
    """You compared how long the output is on average with and without the head.

    A row can change and keep its length. Subtract the outputs first, then take the length.
    """
    found = parts(heads, w_output)
    whole = found.sum(axis=0)
    left = whole - found, whole - found + own_mean(found)
    length = np.linalg.norm(whole, axis=-1).mean()
    return tuple(length - mean_length(x) for x in left)


@mistake("one head after the other, for good")
def for_good(heads, w_output):
    """You took the heads away one after the other, and put none of them back.

    Each time, all the other heads are in their places: begin with a new copy for each head.
    """
    found = parts(heads, w_output)
    apart = found - own_mean(found)
    return mean_length(found.cumsum(axis=0)), mean_length(apart.cumsum(axis=0))


@mistake("laid side by side by reshape")
def reshaped(heads, w_output):
    """You laid the heads side by side with `reshape`, which mixes up heads and words.

    A reshape keeps the numbers in their order. Exchange the axes of heads and words first, or use
    `attnlib.merge_heads`.
    """
    losses = np.zeros((2, len(heads)))
    for h in range(len(heads)):
        for which, instead in enumerate((0.0, heads[h].mean(axis=0))):
            change = np.zeros(heads.shape)
            change[h] = heads[h] - instead
            rows = change.reshape(heads.shape[1], -1) @ w_output
            losses[which, h] = np.linalg.norm(rows, axis=1).mean()
    return losses[0], losses[1]


@mistake("the mean of a head that is silent")
def silent_mean(heads, w_output):
    """You took the mean of a head that you had silenced already, and that is 0.

    Take the mean of the head as it came in.
    """
    silenced = answer(heads, w_output)[0]
    return silenced, silenced.copy()


@mistake("lengths subtracted")
def lengths_subtracted(heads, w_output):
    """You compared how long the output is with and without the head.

    A row can change and keep its length. Subtract the outputs first, then take the length.
    """
    found = parts(heads, w_output)
    whole = found.sum(axis=0)
    left = whole - found, whole - found + own_mean(found)
    lengths = (np.linalg.norm(x, axis=-1) for x in left)
    return tuple(np.abs(np.linalg.norm(whole, axis=-1) - x).mean(axis=1) for x in lengths)


@mistake("a share of the output")
def relative(heads, w_output):
    """You divided by the length of the output.

    The loss itself is asked for; what it is compared with comes later.
    """
    silenced, averaged = answer(heads, w_output)
    length = np.linalg.norm(parts(heads, w_output).sum(axis=0), axis=-1).mean()
    return silenced / length, averaged / length


@mistake("the two exchanged")
def exchanged(heads, w_output):
    """You returned the two arrays in the other order.

    First what is lost when a head is silenced, then when it is averaged.
    """
    return answer(heads, w_output)[::-1]


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    shapes=SHAPES,
    facts=(
        Fact("renumbered heads bring their losses along", lambda f, x, w: all(
            close(a[::-1], b) for a, b in zip(f(x[::-1], last_first(x, w)), f(x, w), strict=True))),
        Fact("the words' order does not matter", lambda f, x, w: all(
            close(a, b) for a, b in zip(f(x[:, ::-1], w), f(x, w), strict=True))),
    ),
    parts=("silenced", "averaged"),
)  # fmt: skip


def last_first(heads, w_output):
    """Give the rows of w_output head by head, the last head first."""
    return w_output.reshape(len(heads), -1, w_output.shape[1])[::-1].reshape(w_output.shape)
