"""Choosing the next word of a text, at a temperature, with a random number that is given."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.exercises import sample
from attnlib.checks.exercises.softmax_with_temperature import TEMPERATURE
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(..., n_words), (), (...) -> (...)")


def next_word(logits, temperature, u):
    """Divide the logits by the temperature, and draw one word: u falls on one of the chances.

    The colder it is, the further apart the logits are, and the more often the likeliest word comes.
    """
    scores = (logits - logits.max(axis=-1, keepdims=True)) / temperature
    ends = np.exp(scores).cumsum(axis=-1)  # (..., n_words): where each chance ends
    return (ends <= np.expand_dims(u, axis=-1) * ends[..., -1:]).sum(axis=-1)


def answer(logits, temperature, u):
    """Give what is right, by which answers are judged."""
    return sample.answer(logits / temperature, u)


def at(temperature):
    """Return what makes inputs of logits: a temperature, and a u well inside a chance."""

    def inputs(logits, *_):
        rng = np.random.default_rng(logits.size)
        return logits, temperature, sample.drawn(rng, logits / temperature)[1]

    return inputs


def cases():
    """Two rows by hand at temperature 2; colder; hotter; one text; a batch."""
    rng = np.random.default_rng(39)
    logits = np.array([[0.0, 2.0, 4.0], [6.0, 2.0, 6.0]])
    yield Case("the small example is right", (logits, 2.0, np.array([0.6, 0.2])))
    yield Case("a low temperature is right", at(0.5)(rng.normal(size=(19, 7))))
    yield Case("a high temperature is right", at(3.0)(rng.normal(size=(17, 5))))
    yield Case("a single text is right", at(0.7)(rng.normal(size=7)))
    yield Case("works with leading batch axes", at(2.0)(rng.normal(size=(2, 3, 5))))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(139)
    given = SHAPES.given(rng, at(2.0))
    spread = rng.normal(size=(3, 5))
    return promises.of_shapes(SHAPES, given) | {
        promises.TEMPERATURES: [
            at(temperature)(factor * spread)
            for temperature in (0.01, 0.0125, 0.5, 1.0, 20.0, 100.0)
            for factor in (1.0, temperature)
        ],
        TEMPERATURE.beyond: [at(t)(t * spread) for t in (1e-3, 1e3)],
        promises.LARGE: [
            at(t)(logits) for logits in promises.steep_scores() for t in (1.0, 0.5)
        ],
        promises.SCORES.beyond: [
            at(1.0)(logits) for logits in promises.steep_scores([promises.BEYOND])
        ],
        sample.ENDS: [
            (np.zeros((3, 10)), 2.0, np.array([0.0, 0.55, sample.ALMOST_1])),
            (np.zeros((3, 13)), 0.5, np.array([sample.ALMOST_1, 1e-12, 1 - 1e-12])),
            (rng.normal(size=(11, 47)), 1.0, np.full(11, sample.ALMOST_1)),
        ],
        sample.WEIGHTLESS: [
            (np.array([-2e3, 0.0, 1.0, 0.0, -3e3]), 0.5, np.float64(u))
            for u in (0.0, sample.ALMOST_1)
        ],
    }  # fmt: skip


def turned(
    logits, temperature, u, *, temper=np.divide,
    weigh=attnlib.softmax, ends=sample.whole, find=sample.first_above,
):  # fmt: skip
    """Choose with knobs, each of which can be set wrong."""
    return sample.turned(temper(logits, temperature), u, weigh=weigh, ends=ends, find=find)


multiplied = wrongly_set(
    turned,
    "temperature multiplied",
    "You multiplied by the temperature, where you should divide by it.",
    "A high temperature brings the logits closer together, so that more words have a chance.",
    temper=np.multiply,
)

ignored = wrongly_set(
    turned,
    "temperature ignored",
    "The temperature makes no difference in your answer.",
    "Divide the logits by it before they become chances. Chances that are divided by one number "
    "keep their shares.",
    temper=lambda logits, temperature: logits,
)


@mistake("chances divided")
def too_late(logits, temperature, u):
    """You divided the chances by the temperature, and not the logits.

    Chances divided by one number keep their shares. Divide before the exponentials.
    """
    ends = sample.added_up(attnlib.softmax(logits) / temperature)
    return sample.passed(ends, u).clip(max=logits.shape[-1] - 1)


@mistake("chances divided, and u not")
def too_late_for_u(logits, temperature, u):
    """You divided the chances by the temperature, so they add up to 1 no more, and u goes to 1.

    Divide the logits, before they become chances.
    """
    return sample.passed(sample.added_up(attnlib.softmax(logits) / temperature), u)


@mistake("measured from the other end")
def from_the_end(logits, temperature, u):
    """You measured u from the right end of the line, as if it were 1 - u.

    Count the pieces that end at u or before: the word is the next one.
    """
    ends = sample.added_up(attnlib.softmax(logits / temperature))
    return sample.passed(ends, (1 - u) * ends[..., -1])


@mistake("pieces behind u counted")
def behind(logits, temperature, u):
    """You counted the pieces that end behind u, and those that end at u or before are due.

    As many words are passed as pieces have ended: the next one is the word.
    """
    ends = sample.added_up(attnlib.softmax(logits / temperature))
    return logits.shape[-1] - sample.passed(ends, u * ends[..., -1])


@mistake("logits for chances")
def no_softmax(logits, temperature, u):
    """You laid the logits end to end, and they are no chances: some are negative.

    A softmax makes chances of them.
    """
    ends = sample.added_up(logits / temperature)
    ends = ends / ends[..., -1:]
    return sample.passed(ends, u * ends[..., -1])


@mistake("always the likeliest")
def greedy(logits, temperature, u):
    """You took the likeliest word whatever the temperature, and u has no part in it.

    That would tell one story only. Let u decide, so that each word can come.
    """
    return logits.argmax(axis=-1)


@mistake("chances added up over everything")
def over_everything(logits, temperature, u):
    """You laid the chances of all texts end to end: without an axis, `np.cumsum` makes one row.

    Each text is a line of its own: add up along the last axis.
    """
    ends = np.cumsum(attnlib.softmax(logits / temperature))
    return (ends <= np.expand_dims(u, axis=-1) * ends[-1:]).sum(axis=-1)


@mistake("chances added up down the columns")
def down_columns(logits, temperature, u):
    """You added the chances up along the first axis, across texts that have nothing in common.

    Each text is a line of its own: add up along the last axis.
    """
    ends = np.cumsum(attnlib.softmax(logits / temperature), axis=0)
    return (ends <= np.expand_dims(u, axis=-1) * ends[..., -1:]).sum(axis=-1)


@mistake("one u for all")
def first_u(logits, temperature, u):
    """You took the first u for all texts, and each has one of its own.

    Give u one more axis, the last one, of length 1: then each row meets its own.
    """
    return answer(logits, temperature, np.full_like(u, np.ravel(u)[0] if np.size(u) else 0))


def scaled(logits, temperature, u):
    """Give what `sample` is called with."""
    return logits / temperature, u


def as_often(answer, logits, temperature, u):
    """Count at the temperature that is given, as `sample` counts."""
    return sample.as_often_as_its_weight(
        lambda s, many: answer(temperature * s, temperature, many), logits / temperature, u
    )


def always_a_word(answer, logits, temperature, u):
    """See that each answer is a place in its row, and that ten equal logits have a last one."""
    equal = np.zeros((*np.shape(u), 10))
    found = [(answer(logits, temperature, u), logits.shape[-1])]
    found += [(answer(equal, temperature, np.full_like(u, sample.ALMOST_1)), 10)]
    return all(bool(((words >= 0) & (words < n)).all()) for words, n in found)


EXERCISE = Exercise(
    solution=next_word,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES.of("logits"), TEMPERATURE),
    facts=(
        Fact("over all u, each word comes as often as its chance says", as_often),
        sample.WHOLE,
        Fact("every answer is a word, however near u is to 1", always_a_word),
        Fact("logits that are all higher by one number choose alike", lambda f, z, t, u: close(
            f(z + 3, t, u), f(z, t, u))),
    ),
    mistakes=(*(m.around(scaled) for m in (
            sample.not_added, sample.raw, sample.exponentials, sample.bare_exponentials,
            sample.early, sample.late, sample.backwards, sample.mirrored, sample.uniform,
            sample.no_new_axis, sample.rows_of_a_matrix, sample.inclusive, sample.overrun,
            sample.weight, sample.unshifted, sample.unshifted_sums, sample.wrapped,
            sample.held_back, sample.sorted_down, sample.sorted_up)),),
    hints=(
        "There are two steps: what does a temperature do to the logits, and how does a u between "
        "0 and 1 draw an index, each with its share?",
        "If you have written `sample(scores, u)`, it draws an index: give it the logits, divided "
        "by the temperature. Without it: exponentials, laid end to end by `cumsum`, and the "
        "number of ends that lie at u times the last end, or below.",
    ),
)  # fmt: skip
