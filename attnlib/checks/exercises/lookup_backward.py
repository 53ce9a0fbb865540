"""Back through a look-up: a word that stands in many places has one vector."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import (
    Case,
    Exercise,
    Fact,
    Promise,
    close,
    direction,
    mistake,
    wrongly_set,
)
from attnlib.checks.shapes import Shapes

MANY_PLACES = Promise(
    "a word that stands in many places gets what comes back to all of them",
    "A word may be the first of the vocabulary or the last, stand in every place or in none. What "
    "comes back to its places adds up. Assigning to chosen rows, with `=` or with `+=`, keeps the "
    "last of several places.",
)

SHAPES = Shapes("(..., n, d), (..., n), n_words -> (n_words, d)")


def lookup_backward(grad_x, words, n_words):
    """Add up in each word's row what comes back to the places where it stands.

    Its vector was handed out to all of these places, so a step of it moves them all.
    """
    grad_vectors = np.zeros((n_words, grad_x.shape[-1]))
    np.add.at(grad_vectors, words, grad_x)  # += would keep one of a word's places only
    return grad_vectors


def answer(grad_x, words, n_words):
    """Give what is right, by which answers are judged."""
    rows = grad_x.reshape(words.size, grad_x.shape[-1])
    return one_hot(words.ravel(), n_words).T @ rows


def one_hot(words, n_words):
    """Give a row for each place, with a 1 at its word: (..., n_words)."""
    return (np.expand_dims(words, -1) == np.arange(n_words)) + 0.0


def cases():
    """Three places and a vocabulary of five by hand; more words than places; fewer; a batch."""
    given = SHAPES.given(np.random.default_rng(32), chosen)
    grad_x = np.array([[1.5, 0.0], [0.0, 2.0], [2.75, 1.5]])
    yield Case("the small example is right", (grad_x, np.array([4, 1, 4]), 5))
    yield Case("more words than places are right", given(n=5, d=3, n_words=11))
    yield Case("more places than words are right", given(n=17, d=5, n_words=3))
    yield Case("a batch is added up", given((2,), n=7, d=3, n_words=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(132)
    given = SHAPES.given(rng, chosen)
    grad_x = rng.normal(size=(7, 3))

    def long(length):
        return promises.long(grad_x, length), np.array([3, 1, 3, 3, 0, 1, 4]), 5

    shapes = promises.of_shapes(SHAPES, given)
    return shapes | {
        MANY_PLACES: [
            *((grad_x, np.full(7, word), 5) for word in (0, 2, 4)),
            (grad_x, np.array([0, 4, 4, 0, 1, 4, 0]), 5),
            (np.stack([grad_x, grad_x]), np.tile(np.arange(7), (2, 1)), 7),
        ],
        promises.SCALE: [*map(long, (promises.SHORT, promises.LONG))],
        promises.VECTORS.beyond: [*map(long, promises.FAR_OFF)],
    }


def chosen(grad_x, numbers, n_words):
    """Choose a word for each place, by a number."""
    return grad_x, np.floor(7 * np.abs(numbers)).astype(int) % n_words, n_words


def turned(
    grad_x, words, n_words, *, sent=np.array, add=lambda spots, rows: spots.T @ rows,
    share=lambda spots: 1, turn=np.array,
):  # fmt: skip
    """Add up with knobs, each of which can be set wrong."""
    rows, spots = grad_x.reshape(words.size, grad_x.shape[-1]), one_hot(words.ravel(), n_words)
    return turn(add(spots, sent(rows)) / share(spots))


@mistake("last place alone")
def last_place(grad_x, words, n_words):
    """Of a word that stands in several places, the last place alone counts in your answer.

    What comes back to all of them adds up. `=` writes over what stood there, in a loop as well. So
    does `+=` where rows are chosen by an array, for NumPy reads them all first and then writes.
    `np.add.at` adds one after the other.
    """
    grad_vectors = np.zeros((n_words, grad_x.shape[-1]))
    grad_vectors[words] = grad_x
    return grad_vectors


@mistake("first place alone")
def first_place(grad_x, words, n_words):
    """Of a word that stands in several places, the first place alone counts in your answer.

    What comes back to all of its places adds up, and each place is to be visited.
    """
    found, at = np.unique(words, return_index=True)
    grad_vectors = np.zeros((n_words, grad_x.shape[-1]))
    grad_vectors[found] = grad_x.reshape(words.size, -1)[at]
    return grad_vectors


@mistake("table of whole numbers")
def whole_table(grad_x, words, n_words):
    """Your table is of whole numbers, so what is added to it loses its decimals.

    `np.zeros(shape)` makes a table that keeps decimals. With `dtype=int`, or made like `words`, it
    does not.
    """
    grad_vectors = np.zeros((n_words, grad_x.shape[-1]))
    for word, row in zip(words.ravel(), grad_x.reshape(words.size, -1), strict=True):
        grad_vectors[word] = np.trunc(grad_vectors[word] + row)
    return grad_vectors


averaged = wrongly_set(
    turned,
    "mean over a word's places",
    "You took the mean over the places of a word.",
    "A step of its vector moves all of these places at once, and each in full: add up.",
    share=lambda spots: np.maximum(spots.sum(axis=0), 1)[:, np.newaxis],
)


@mistake("one row for each place")
def by_place(grad_x, words, n_words):
    """You returned a row for each place; a row for each word of the vocabulary is asked for.

    Make zeros for the whole vocabulary, and add each place's row to that of its word.
    """
    return grad_x.copy()


@mistake("only the words that occur")
def occurring(grad_x, words, n_words):
    """You gave rows only to the words that occur.

    The others have gradient 0, in rows of their own: the gradient has the shape of the whole table
    of vectors.
    """
    return answer(grad_x, words, n_words)[np.unique(words)]


@mistake("one table for each of the batch")
def kept_apart(grad_x, words, n_words):
    """You gave each sentence of a batch a table of its own, but there is one table for all.

    What comes back to a word adds up over all places of all sentences.
    """
    return one_hot(words, n_words).swapaxes(-1, -2) @ grad_x


@mistake("batch axes forgotten")
def one_sentence(grad_x, words, n_words):
    """Your table is right for one sentence, and an error with batch axes in front.

    A loop along the first axis meets whole sentences there. For the vocabulary, all places of all
    sentences are one long list.
    """
    spots = words[:, np.newaxis] == np.arange(n_words)
    return (spots + 0.0).T @ grad_x


whole_rows = wrongly_set(
    turned,
    "rows cut to whole numbers",
    "You cut what comes back to whole numbers before you add it, and it loses its decimals.",
    "Gradients have decimals. A table made by `np.zeros(shape)` takes them as they are.",
    sent=np.trunc,
)

from_ones = wrongly_set(
    turned,
    "begun with ones",
    "You began with a table of ones, so each number is 1 too large.",
    "A sum begins with 0: a word that stands nowhere has gradient 0.",
    turn=lambda table: table + 1,
)


@mistake("places and features mixed")
def mixed(grad_x, words, n_words):
    """You made one long list of rows by a reshape that mixes places and features.

    The features stay the last axis: `reshape(-1, d)` joins the places alone.
    """
    d = grad_x.shape[-1]
    return one_hot(words.ravel(), n_words).T @ grad_x.reshape(d, -1).T


@mistake("word 0 left out")
def without_word_0(grad_x, words, n_words):
    """You left out word 0, whose row stays 0.

    Words are counted from 0, so 0 is a word as any other.
    """
    return answer(grad_x * (words > 0)[..., np.newaxis], words, n_words)


@mistake("mean over the batch")
def over_batch(grad_x, words, n_words):
    """You divided by the number of sentences, and took the mean over the batch.

    A step of a word's vector moves its places in all sentences, and each in full: add up.
    """
    return answer(grad_x, words, n_words) / (words[..., 0].size or 1)


counted = wrongly_set(
    turned,
    "counted and not added",
    "You counted how often each word stands somewhere, and grad_x is not used.",
    "Each place adds its own row of grad_x to the row of its word.",
    sent=np.ones_like,
)

downwards = wrongly_set(
    turned,
    "sign",
    "Your numbers are right, but each has the wrong sign.",
    "A gradient says where the loss grows. To walk the other way is the optimiser's business.",
    sent=np.negative,
)

from_the_end = wrongly_set(
    turned,
    "rows in reverse order",
    "You gave each word the row of another one, counted from the end of the vocabulary.",
    "Word 0 has the first row.",
    turn=np.flipud,
)


def slope(answer, grad_x, words, n_words):
    """Move the table a little, and see how far the places have moved along grad_x."""
    step = direction(np.zeros((n_words, grad_x.shape[-1])))
    return close((answer(grad_x, words, n_words) * step).sum(), (grad_x * step[words]).sum())


EXERCISE = Exercise(
    solution=lookup_backward,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("grad_x"),),
    facts=(
        Fact("it is the slope that a small step of the vectors finds", slope),
        Fact("all rows together are what came back", lambda f, g, words, n: close(
            f(g, words, n).sum(axis=0), g.reshape(-1, g.shape[-1]).sum(axis=0))),
        Fact("the order of the places does not matter", lambda f, g, words, n: close(
            f(g[..., ::-1, :], words[..., ::-1], n), f(g, words, n))),
        Fact("a word that stands nowhere has gradient 0", lambda f, g, words, n: close(
            f(g, words, n + 1)[n], 0)),
    ),
    hints=(
        "`vectors[words]` hands a word's vector to every place where it stands. If that vector "
        "moves a little, which rows of x move with it?",
        "Begin with zeros in the shape of the table of vectors. Each place adds its row of grad_x "
        "to the row of its word. `np.add.at(table, words, rows)` does it one after the other, "
        "whatever the number of axes; a loop over all places does it, too.",
    ),
)  # fmt: skip
