"""The component of one vector along another."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(d), (d) -> (d)")


def projection(a, onto):
    """How far a reaches along onto, in units of onto, is a·onto / onto·onto: a number.

    That many times onto is the vector asked for. Dividing by onto·onto, the squared length, makes
    it independent of how long onto is.
    """
    share = (a @ onto) / (onto @ onto)  # a number
    return share * onto  # (d,)


def answer(a, onto):
    """Give what is right, by which answers are judged."""
    return attnlib.projection(a, onto)


def cases():
    """Along an axis, by hand; then any direction, the angle acute and obtuse."""
    rng = np.random.default_rng(3)
    yield Case("the small example is right", (np.array([2.0, 3.0]), np.array([4.0, 0.0])))
    yield Case(
        "vectors that point apart are right",
        (np.array([1.0, -2.0, 1.0]), np.array([0.0, 3.0, 1.0])),
    )
    for length in (7, 13):
        a, onto = rng.normal(size=(2, length))
        yield Case("longer vectors are right", (a, onto))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(103)
    pair = SHAPES.given(rng)
    short, wide = promises.SHORT, promises.LONG

    def long(*lengths):
        return tuple(map(promises.long, pair(), lengths))

    return {
        promises.LENGTHS_OF_VECTORS: [pair(d=length) for length in promises.LENGTHS],
        promises.SCALE: [
            long(*lengths)
            for lengths in ((short, 1), (1, short), (1, wide), (wide, 1), 2 * (short,), 2 * (wide,))
        ],
        promises.VECTORS.beyond: [long(1, length) for length in promises.FAR_OFF],
        promises.SAME_SHAPES: promises.again(pair),
    }


def turned(
    a, onto, *, order=lambda a, onto: (a, onto), below=lambda a, onto: onto @ onto, after=np.array
):
    """Project with knobs, each of which can be set wrong."""
    a, onto = order(a, onto)
    return after(a @ onto / below(a, onto)) * onto


swapped = wrongly_set(
    turned,
    "projected the wrong way round",
    "You projected onto along a: the two vectors have changed places.",
    "The answer should point along `onto`, so it is some number times `onto`.",
    order=lambda a, onto: (onto, a),
)


@mistake("scalar projection")
def scalar(a, onto):
    """You returned how long the component is, a number; the vector itself is asked for.

    Give that length a direction. Which vector points along onto and is 1 long?
    """
    return a @ onto / np.linalg.norm(onto)


@mistake("only the coefficient")
def coefficient(a, onto):
    """You returned how many times onto fits, a number; the vector itself is asked for.

    One step is left: that many times `onto`.
    """
    return a @ onto / (onto @ onto)


once = wrongly_set(
    turned,
    "divided by the length once",
    "You divided by the length of onto, and it should be its squared length.",
    "The `onto` at the end of your formula brings its length in once more, so it has to be "
    "divided out twice.",
    below=lambda a, onto: np.linalg.norm(onto),
)

undivided = wrongly_set(
    turned,
    "not divided",
    "You left the division out, so the answer grows with the length of onto.",
    "Only the direction of onto should count. How often does its length come into your formula? "
    "Divide that out.",
    below=lambda a, onto: 1,
)

by_a = wrongly_set(
    turned,
    "divided by a's squared length",
    "You divided by the squared length of a, where that of onto is needed.",
    "It is the length of onto that comes in twice and has to be divided out.",
    below=lambda a, onto: a @ a,
)


@mistake("the remainder instead")
def remainder(a, onto):
    """You returned what is left of a, the part perpendicular to onto.

    The part along onto is asked for. You have it already: it is what you subtracted.
    """
    return a - attnlib.projection(a, onto)


unsigned = wrongly_set(
    turned,
    "sign lost",
    "You lost the sign: where a points away from onto, its component points backwards.",
    "Leave the absolute value out, and the number may be negative.",
    after=np.abs,
)


@mistake("elementwise product")
def elementwise(a, onto):
    """You multiplied a and onto entry by entry, where a single number is needed.

    Every entry of onto is stretched by the same number. Add the products up first.
    """
    return a * onto / (onto @ onto) * onto


cosine = wrongly_set(
    turned,
    "the cosine as coefficient",
    "You multiplied onto by the cosine of the angle, so the length of a has dropped out.",
    "A longer a has a longer shadow. Divide by the length of onto alone, as often as it comes in.",
    below=lambda a, onto: np.linalg.norm(a) * np.linalg.norm(onto),
)


opposite = wrongly_set(
    turned,
    "sign turned",
    "Your answer points the wrong way: it has the other sign.",
    "Take the dot product as it is, and let what is left be a less the answer.",
    after=np.negative,
)

halved = wrongly_set(
    turned,
    "divided by the number of entries",
    "You divided by the number of entries, where the squared length of onto is needed.",
    "It is the dot product of onto with itself that makes the answer independent of its length.",
    below=lambda a, onto: len(onto),
)

summed = wrongly_set(
    turned,
    "divided by the sum of onto",
    "You divided by the sum of onto's entries, where its squared length is needed.",
    "The squared length is the sum of the squares: the dot product of onto with itself.",
    below=lambda a, onto: onto.sum(),
)

within_onto = wrongly_set(
    turned,
    "cut to the arrow",
    "You cut the number off at 0 or at 1, so your answer ends where the arrow onto ends.",
    "The component lies on the whole line through onto. Let the number be what it is.",
    after=lambda t: np.clip(t, 0, 1),
)

whole = wrongly_set(
    turned,
    "rounded down",
    "You rounded the number that onto is multiplied by down to a whole one.",
    "`//` drops what comes behind the point, and `/` keeps it.",
    after=np.floor,
)

only_two = wrongly_set(
    turned,
    "two entries of onto",
    "You took the squared length from two entries of onto, and it may have more.",
    "The dot product of onto with itself counts all of them.",
    below=lambda a, onto: (onto[:2] ** 2).sum(),
)

mean_product = wrongly_set(
    turned,
    "mean of the products",
    "You took the mean of the products above the line, and their sum below it.",
    "Above the line belongs the dot product of a and onto: the sum of the products.",
    after=lambda t: t,
    below=lambda a, onto: len(a) * (onto @ onto),
)


@mistake("times a")
def of_a(a, onto):
    """You multiplied a by the number, and it is onto that has to be multiplied.

    The answer points along onto: it is as many times onto as the number says.
    """
    return a @ onto / (onto @ onto) * a


@mistake("the cosine times a")
def cosine_of_a(a, onto):
    """You multiplied a by the cosine of the angle, so your answer points along a.

    The answer points along onto. Its length is that of a times the cosine.
    """
    return a @ onto / np.linalg.norm(a) / np.linalg.norm(onto) * a


@mistake("a added")
def with_a(a, onto):
    """You added a to its component along onto.

    The component alone is asked for. Leave a out.
    """
    return a + a @ onto / (onto @ onto) * onto


@mistake("the remainder turned round")
def remainder_turned(a, onto):
    """You subtracted a from its component, which leaves the part that is perpendicular to onto.

    The component alone is asked for. Leave the last subtraction out.
    """
    return a @ onto / (onto @ onto) * onto - a


@mistake("brackets missing")
def unbracketed(a, onto):
    """Your division ends too early: it divides by onto itself, entry by entry.

    Python works from left to right, so `x / onto @ onto` is `(x / onto) @ onto`. Put what stands
    below the line in brackets.
    """
    return a @ onto / onto @ onto * onto


EXERCISE = Exercise(
    solution=projection,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("a", "onto"),),
    facts=(
        Fact("what is left over is perpendicular to onto", lambda f, a, o: close(
            (a - f(a, o)) @ o, 0)),
        Fact("a longer onto changes nothing", lambda f, a, o: close(f(a, 3 * o), f(a, o))),
        Fact("projecting twice changes nothing more", lambda f, a, o: close(
            f(f(a, o), o), f(a, o))),
        Fact("twice as long a vector, twice the answer", lambda f, a, o: close(
            f(2 * a, o), 2 * f(a, o))),
    ),
    hints=(
        "The answer is some number times `onto`. Which number brings you closest to the tip of a?",
        "That number is the dot product of a with onto, divided by the dot product of onto with "
        "itself. The division makes sure that a longer `onto` changes nothing.",
    ),
)  # fmt: skip
