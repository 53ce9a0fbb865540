"""Drawing a letter among the k likeliest alone, with a random number that is given."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises import sample
from attnlib.checks.shapes import Shapes

BORDERS = Promise(
    "k of 1 always draws the largest, and k of all letters leaves nothing out",
    "Between 1 and the number of letters, both included, k letters stay. Of a row that is sorted "
    "upwards, the last is the largest, and the k-th from the end is the smallest that stays.",
)
LEVELS = Promise(
    "rows whose logits are all negative, or all large, are right",
    "Only how far logits lie apart counts, and not where 0 lies. What is left out has to have no "
    "chance, whatever the others are.",
)

SHAPES = Shapes("(..., n_letters), (), (...) -> (...)")


def top_k(logits, k, u):
    """Leave out all logits below the k-th largest of their row, and draw one of the others by u.

    What is hardly ever right, letter by letter, is a good part of all when taken together. It gets
    no chance, and the k that stay share it, each as it did before.
    """
    least = np.sort(logits, axis=-1)[..., -k, None]  # (..., 1): the smallest that stays
    scores = np.where(logits >= least, logits, -np.inf)
    ends = np.exp(scores - scores.max(axis=-1, keepdims=True)).cumsum(axis=-1)
    return (ends <= np.expand_dims(u, axis=-1) * ends[..., -1:]).sum(axis=-1)


def answer(logits, k, u):
    """Give what is right, by which answers are judged."""
    return sample.answer(left(logits, k), u)


def kth(logits, k):
    """Give the k-th largest logit of each row, and keep the axis."""
    return np.sort(logits, axis=-1)[..., -k, np.newaxis]


def left(logits, k, border=kth, stays=np.greater_equal, out=-np.inf):
    """Give the logits of those that stay, and -inf for the others."""
    return np.where(stays(logits, border(logits, k)), logits, out)


def turned(
    logits, k, u, *, border=kth, stays=np.greater_equal, weigh=attnlib.softmax,
    ends=sample.whole, find=sample.first_above,
):  # fmt: skip
    """Draw with knobs, each of which can be set wrong."""
    scores = left(logits, k, border, stays)
    return sample.turned(scores, u, weigh=weigh, ends=ends, find=find)


def at(k):
    """Return what makes inputs of logits: so many stay, at most all, and u is well inside one."""

    def inputs(logits, *_):
        some = min(k, logits.shape[-1])
        rng = np.random.default_rng(logits.size)
        return logits, some, sample.drawn(rng, left(logits, some))[1]

    return inputs


def cases():
    """Two rows by hand; few of many; nearly all; one row; a batch."""
    rng = np.random.default_rng(52)
    logits = np.array([[2.0, -1.0, 0.5, 3.0, 1.0], [0.0, 4.0, -2.0, 3.5, 1.0]])
    yield Case("the small example is right", (logits, 2, np.array([0.5, 0.8])))
    yield Case("few of many are right", at(3)(rng.normal(size=(19, 47))))
    yield Case("nearly all are right", at(10)(rng.normal(size=(17, 11))))
    yield Case("a single row is right", at(5)(rng.normal(size=13)))
    yield Case("works with leading batch axes", at(4)(rng.normal(size=(2, 3, 7))))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(152)
    given = SHAPES.given(rng, at(3))
    logits = rng.normal(size=(11, 7))
    return promises.of_shapes(SHAPES, given) | {
        BORDERS: [at(k)(rng.normal(size=(11, n))) for n in (7, 2, 1) for k in (1, 2, 6, 7)],
        LEVELS: [at(3)(logits + level) for level in (-50.0, 50.0)],
        sample.ENDS: [
            (logits, 3, np.full(11, u)) for u in (0.0, 1e-12, 1 - 1e-12, sample.ALMOST_1)
        ],
    }


smallest = wrongly_set(
    turned,
    "the k smallest kept",
    "You kept the k smallest logits, and the k largest should stay.",
    "`np.sort` puts the smallest first, so count from the end.",
    border=lambda logits, k: np.sort(logits, axis=-1)[..., k - 1, np.newaxis],
    stays=np.less_equal,
)

from_the_front = wrongly_set(
    turned,
    "counted from the front",
    "You counted k from the small end of the sorted row, so that too many stay, or too few.",
    "`np.sort` puts the smallest first. The k-th largest is the k-th from the end.",
    border=lambda logits, k: np.sort(logits, axis=-1)[..., k - 1, np.newaxis],
)

one_less = wrongly_set(
    turned,
    "the k-th left out",
    "You left out the k-th largest, too, so k - 1 stay.",
    "What is as large as the border stays: compare with `>=`.",
    stays=lambda logits, border: (logits > border) | (logits == logits.max(axis=-1)[..., None]),
)

one_more = wrongly_set(
    turned,
    "one too many",
    "You kept one logit more than k.",
    "Python counts from 0 in front, and from -1 at the end: the k-th from the end is at -k.",
    border=lambda logits, k: np.sort(logits, axis=-1)[..., -min(k + 1, logits.shape[-1]), None],
)

the_others = wrongly_set(
    turned,
    "the largest left out",
    "You left out the k largest logits and drew among the others.",
    "The likeliest letters are those that may be drawn.",
    stays=lambda logits, border: (logits < border) | (logits == logits.min(axis=-1)[..., None]),
)

nothing_out = wrongly_set(
    turned,
    "k ignored",
    "You drew among all letters, and k has no part in your answer.",
    "Leave out what is below the k-th largest first, by -inf, which gets no chance.",
    border=lambda logits, k: np.full((*logits.shape[:-1], 1), -np.inf),
)

alike = wrongly_set(
    turned,
    "equal chances for all that stay",
    "You gave all that stay the same chance.",
    "They keep the logits that they have: the likeliest of them stays the likeliest.",
    weigh=lambda scores: attnlib.softmax(np.where(np.isfinite(scores), 0.0, scores)),
)

of_all_rows = wrongly_set(
    turned,
    "k of all rows together",
    "You took the k largest of all rows together.",
    "Each row is a choice of its own: sort along the last axis.",
    border=lambda logits, k: np.sort(logits, axis=None)[-k],
)

down_columns = wrongly_set(
    turned,
    "sorted down the columns",
    "You sorted down the columns, across rows that have nothing to do with each other.",
    "Each row is a choice of its own: sort along the last axis.",
    border=lambda logits, k: np.sort(logits, axis=0)[-min(k, len(logits))],
)


@mistake("0 in place of -inf")
def zeros(logits, k, u):
    """You set the logits that are left out to 0, and a logit of 0 has a chance like any other.

    Its exponential is 1. Only that of -inf is 0.
    """
    return sample.answer(left(logits, k, out=0.0), u)


@mistake("the likeliest alone")
def greedy(logits, k, u):
    """You took the likeliest letter whatever k is, and u has no part in it.

    That would write one text only. Let u decide among the k that stay.
    """
    return logits.argmax(axis=-1)


@mistake("chances that no longer add up to 1")
def not_shared(logits, k, u):
    """You set chances to 0, and what is left adds up to less than 1, while u goes to 1.

    Leave letters out before the softmax, or measure u by what is left.
    """
    weights = np.where(logits >= kth(logits, k), attnlib.softmax(logits), 0.0)
    return sample.passed(sample.added_up(weights), u).clip(max=logits.shape[-1] - 1)


@mistake("a place among the k")
def of_the_sorted(logits, k, u):
    """You gave a place among the k that stay, sorted, and not which letter stands there.

    A letter is a place in the row as it came in. Leave the row in its order, with -inf in it.
    """
    return sample.answer(np.sort(logits, axis=-1)[..., ::-1][..., :k], u)


@mistake("a place among the k, smallest first")
def of_the_sorted_up(logits, k, u):
    """You gave a place among the k that stay, the smallest first, and not which letter is there.

    A letter is a place in the row as it came in. Leave the row in its order, with -inf in it.
    """
    return sample.answer(np.sort(logits, axis=-1)[..., -k:], u)


@mistake("the first k letters")
def first_k(logits, k, u):
    """You drew among the first k letters, whatever their logits are.

    The k *largest* should stay, wherever they stand.
    """
    return sample.answer(logits[..., :k], u)


@mistake("largest first")
def largest_first(logits, k, u):
    """You laid the largest chance first, so that u falls on another letter.

    Each comes as often as it should, but the task lays them in the order in which they stand.
    """
    order = np.argsort(-logits, axis=-1)
    at = sample.answer(np.take_along_axis(logits, order, axis=-1)[..., :k], u)
    return np.take_along_axis(order, at[..., np.newaxis], axis=-1)[..., 0]


@mistake("right for one row")
def of_a_row(logits, k, u):
    """Your answer is right for one row; of several, you took the k-th row for the k-th logit.

    Count from the end along the last axis, and keep that axis, so that each row meets its own.
    """
    border = np.sort(logits, axis=-1)[-min(k, len(logits))]
    return sample.answer(np.where(logits >= border, logits, -1e9), u)


def cut(logits, k, u):
    """Give what `sample` is called with."""
    return left(logits, k), u


def as_often(answer, logits, k, u):
    """Count as `sample` counts, among those that stay."""
    return sample.as_often_as_its_weight(
        lambda s, many: answer(s, k, many), np.where(np.isinf(x := left(logits, k)), -30.0, x), u
    )


def always_of_the_k(answer, logits, k, u):
    """See that each letter is among the k likeliest of its row, however near u is to 1."""
    stay = np.isfinite(left(logits, k))
    found = [answer(logits, k, x) for x in (u, np.full_like(u, sample.ALMOST_1))]
    return all(
        bool(np.take_along_axis(stay, np.asarray(x)[..., None].astype(int), axis=-1).all())
        for x in found
    )


EXERCISE = Exercise(
    solution=top_k,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("each letter comes as often as its chance among those that stay", as_often),
        sample.WHOLE,
        Fact("every letter is one of the k likeliest", always_of_the_k),
        Fact("logits that are all higher by one number choose alike", lambda f, z, k, u: close(
            f(z + 3, k, u), f(z, k, u))),
    ),
    mistakes=(..., *(m.around(cut) for m in (
            sample.not_added, sample.early, sample.late, sample.backwards, sample.mirrored,
            sample.no_new_axis, sample.rows_of_a_matrix, sample.weight)),),
    hints=(
        "Find the border first: the k-th largest logit of each row. What is below it is left out, "
        "and everything else stays as it is. Then draw as `next_word` does.",
        "`np.sort(logits, axis=-1)` puts the largest last, so the border is at `-k` along the last "
        "axis. Give it one more axis, so that each row meets its own.",
        "`np.where(logits >= border, logits, -np.inf)`, and your `next_word` at temperature 1.",
    ),
)  # fmt: skip
