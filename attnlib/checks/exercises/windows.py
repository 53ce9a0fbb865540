"""Cutting windows out of a long text, each with the letter that comes after each of its letters."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

ENDS = Promise(
    "windows at the very beginning and the very end are right",
    "A window may begin with the first letter, and the last letter of the text may be the answer "
    "to a window's last one. Only answers lie one further on, and no window needs more.",
)
MANY = Promise(
    "any number of windows of any length is right, 1 among them",
    "A single window is still a table of one row, and a window of one letter a table of one "
    "column. There may be more windows than letters in one, or fewer.",
)
ANYWHERE = Promise(
    "windows that overlap, or come twice, are right",
    "Windows are drawn at random, so the same letters may be in several. Each begins where it is "
    "told to, in the order in which it is told.",
)

SHAPES = Shapes("(n_letters), (n_windows), n -> (n_windows, n), (n_windows, n)")


def windows(ids, starts, n):
    """Look up n letters from each start, and the n that lie one place further on.

    What comes after a letter is in the text already. So each letter of a window is a question, and
    the one behind it the answer: a window of n letters teaches n times.
    """
    places = starts[:, None] + np.arange(n)  # (n_windows, n)
    return ids[places], ids[places + 1]


def answer(ids, starts, n):
    """Give what is right, by which answers are judged."""
    return turned(ids, starts, n)


def turned(
    ids, starts, n, *, first=0, ahead=1, steps=np.arange, both=lambda asked, due: (asked, due),
):  # fmt: skip
    """Cut with knobs, each of which can be set wrong."""
    places = starts[:, np.newaxis] + steps(n) + first
    asked, due = (np.take(ids, at, mode="wrap") for at in (places, places + ahead))
    return both(asked, due)


def chosen(rng):
    """Return what makes inputs of drawn ones: letters, and starts from which windows fit in."""

    def inputs(ids, starts, n):
        ids = rng.integers(0, 70, size=len(ids) + n + 2)
        return ids, rng.integers(0, len(ids) - n, size=len(starts)), n

    return inputs


def cases():
    """Two windows by hand; many short ones; a few long ones; one."""
    rng = np.random.default_rng(51)
    given = SHAPES.given(rng, chosen(rng))
    ids = np.array([5, 0, 4, 1, 5, 2, 2, 3, 0, 4])
    yield Case("the small example is right", (ids, np.array([4, 1]), 3))
    yield Case("many short windows are right", given(n_letters=31, n_windows=11, n=2))
    yield Case("a few long windows are right", given(n_letters=23, n_windows=3, n=13))
    yield Case("a single window is right", given(n_letters=17, n_windows=1, n=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(151)
    given = SHAPES.given(rng, chosen(rng))
    ids = rng.integers(0, 70, size=13)
    shapes = promises.of_shapes(SHAPES, given)
    del shapes[promises.SIZES]  # a text is longer than its windows
    return shapes | {
        MANY: [
            given(n_letters=5, n_windows=many, n=n)
            for many, n in ((1, 1), (1, 7), (7, 1), (3, 3), (5, 2), (2, 5), (5, 64))
        ],
        ENDS: [
            (ids, np.array([0, 7]), 5),
            (ids, np.array([7, 0, 7]), 5),
            (ids, np.array([0]), 12),
            (ids, np.array([11, 0]), 1),
        ],
        ANYWHERE: [
            (ids, np.array([3, 4, 5, 4]), 5),
            (ids, np.array([6, 6]), 3),
            (ids, np.arange(10)[::-1], 2),
            (ids[:7], np.arange(7) % 5, 2),
            (ids[:5], np.arange(7) % 3, 2),
        ],
    }


not_ahead = wrongly_set(
    turned,
    "answers not one further on",
    "Your answers are the letters that are asked.",
    "The answer to a letter is the one behind it, one place further on in the text.",
    ahead=0,
)

two_ahead = wrongly_set(
    turned,
    "answers two further on",
    "Your answers lie two places further on, and one letter is left out.",
    "The answer to a letter is the very next one.",
    ahead=2,
)

before = wrongly_set(
    turned,
    "answers one before",
    "Your answer to a letter is the one before it, which the model has seen already.",
    "It is to say what comes next: one place further on.",
    ahead=-1,
)

late = wrongly_set(
    turned,
    "begun one too late",
    "Your windows begin one letter behind their starts.",
    "A window's first letter is the one at its start, and places are counted from 0.",
    first=1,
)

early = wrongly_set(
    turned,
    "begun one too early",
    "Your windows begin one letter before their starts.",
    "A window's first letter is the one at its start.",
    first=-1,
)

ending = wrongly_set(
    turned,
    "start taken for the end",
    "Your windows end at the starts, and they should begin there.",
    "From a start on, count up: 0, 1, 2, and so on, up to n - 1.",
    steps=lambda n: np.arange(n) - n + 1,
)

exchanged = wrongly_set(
    turned,
    "questions and answers exchanged",
    "You returned the answers first, and the letters that are asked after them.",
    "First the windows, and then what comes after each of their letters.",
    both=lambda asked, due: (due, asked),
)

twice = wrongly_set(
    turned,
    "answers twice",
    "You returned the answers twice, and the letters that are asked not at all.",
    "First the windows as they stand in the text.",
    both=lambda asked, due: (due, due),
)

transposed = wrongly_set(
    turned,
    "windows down the columns",
    "Your windows run down the columns, and a window should be a row.",
    "Give starts a new axis, the last one, and add the steps as a row.",
    both=lambda asked, due: (asked.T, due.T),
)

last_alone = wrongly_set(
    turned,
    "one answer for a window",
    "You gave each window a single answer, the letter behind its end.",
    "Each of its n letters is a question of its own, so there are n answers.",
    both=lambda asked, due: (asked, due[:, -1]),
)


@mistake("next window for an answer")
def next_window(ids, starts, n):
    """Your answers are the window behind, n letters further on.

    The answer to each letter is the very next one: the same places, and 1.
    """
    places = starts[:, np.newaxis] + np.arange(n)
    return ids[places], np.take(ids, places + n, mode="wrap")


@mistake("one letter too few")
def short(ids, starts, n):
    """You cut n letters and shared them out, so that n - 1 are asked and n - 1 are due.

    n questions have n answers, and the last of them lies behind the window: cut n + 1.
    """
    rows = ids[starts[:, np.newaxis] + np.arange(n)]
    return rows[:, :-1], rows[:, 1:]


@mistake("one letter too many")
def long(ids, starts, n):
    """You returned n + 1 letters for a window, its last answer among them.

    That letter is an answer only. Leave it out of the questions.
    """
    rows = ids[starts[:, np.newaxis] + np.arange(n + 1)]
    return rows, rows[:, 1:]


@mistake("first and last window left out")
def along_first(ids, starts, n):
    """You cut along the first axis, so that windows are missing, and no letters.

    A window is a row: leave out its last letter, or its first, along the last axis.
    """
    rows = ids[starts[:, np.newaxis] + np.arange(n + 1)]
    return rows[:-1], rows[1:]


@mistake("places in place of letters")
def places_alone(ids, starts, n):
    """You returned the places, and the letters that stand there are asked for.

    Look them up: a table of places, given to ids, becomes a table of letters.
    """
    places = starts[:, np.newaxis] + np.arange(n)
    return places, places + 1


@mistake("starts ignored")
def one_after_another(ids, starts, n):
    """You cut the text into windows from its beginning, and starts has no part in it.

    Each window begins where its start says. They may overlap, and need not be in order.
    """
    places = n * np.arange(len(starts))[:, np.newaxis] + np.arange(n)
    return tuple(np.take(ids, at, mode="wrap") for at in (places, places + 1))


@mistake("all at the first start")
def first_start(ids, starts, n):
    """You cut all windows at the first start.

    Each has a start of its own: add a column of starts to a row of steps.
    """
    return turned(ids, np.full_like(starts, starts[0]), n)


EXERCISE = Exercise(
    solution=windows,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("a window's answers are its letters, moved by one", lambda f, ids, starts, n: bool(
            (f(ids, starts, n)[0][:, 1:] == f(ids, starts, n)[1][:, :-1]).all())),
        Fact("a window begins at its start", lambda f, ids, starts, n: bool(
            (f(ids, starts, n)[0][:, 0] == ids[starts]).all())),
    ),
    hints=(
        "First the places: a window's letters stand at its start, one behind it, two behind it, up "
        "to n - 1. What is at each of them, and what one place further on?",
        "A column of starts, `starts[:, None]`, plus a row of steps, `np.arange(n)`, is a table of "
        "places, a row for each window. `ids[table]` looks all of them up.",
    ),
    parts=("asked", "due"),
)  # fmt: skip
