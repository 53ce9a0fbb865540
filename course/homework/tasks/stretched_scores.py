"""Rotary scores of a text that is too long: slow hands turn slower, fast ones as they did.

Chen et al., "Extending context window of large language models via positional interpolation"
(2023), slow all hands down; Peng et al., "YaRN" (2023), section 3.2, only those that never came
round in training, with a ramp where this has a step.
"""

import math
import operator

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes
from course.homework.task import halved_width
from course.homework.variants import Variant

HANDS = Promise(
    "each hand is slowed down or left alone by its own wavelength",
    "A hand goes round in 2π · base^(2i/d) steps. Compare that with n_trained, hand by hand: in "
    "one model some of them are slow, in another all or none.",
)
SHORT = Promise(
    "a text of n_trained words or fewer is left as it was",
    "Nothing is too long there, so no hand is slowed down, and none is hurried either.",
)
SCALED = Promise(
    "short and long vectors are right",
    "A score is a dot product divided by √d, however long query and key are.",
)

BASE: Variant = 1000  # of the hands' speeds

SHAPES = Shapes("(..., n, 2*hands), (..., n, 2*hands), () -> (..., n, n)")


def answer(query, key, n_trained):
    """Give what is right, by which answers are judged: each pair turned by what lies between."""
    *lead, n, d = query.shape
    scores = np.zeros((*lead, n, n))
    for h in range(d // 2):
        speed = BASE ** (-2 * h / d)
        if n > n_trained and 2 * math.pi > n_trained * speed:
            speed *= n_trained / n
        (a, b), (x, y) = ((z[..., 2 * h], z[..., 2 * h + 1]) for z in (query, key))
        for i in range(n):
            for j in range(n):
                c, s = math.cos((j - i) * speed), math.sin((j - i) * speed)
                along = a[..., i] * x[..., j] + b[..., i] * y[..., j]
                across = b[..., i] * x[..., j] - a[..., i] * y[..., j]
                scores[..., i, j] += (along * c + across * s) / math.sqrt(d)
    return scores


def given(rng, n, d, n_trained, *, lead=(), scale=1.0):
    """Give queries and keys of one decimal."""
    query, key = (scale * rng.normal(size=(*lead, n, d)).round(1) for _ in range(2))
    return query, key, n_trained


def cases():
    """Give two words of one hand each, then two hands of which one is slowed down; a batch."""
    query, key = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 3.0]])
    yield Case("two words of width 2, trained on one", (query, key, 1))
    rng = np.random.default_rng(77)
    yield Case("a fast hand and a slow one", given(rng, 8, 4, 7))
    yield Case("two texts that are not too long", given(rng, 3, 6, 5, lead=(2,)))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(78)
    return {
        HANDS: [
            given(rng, 7, 4, 6),
            given(rng, 11, 4, 7),
            given(rng, 7, 6, 2),
            given(rng, 11, 2, 5),
            given(rng, 11, 2, 7),
            given(rng, 67, 8, 62),
            given(rng, 67, 8, 63),
            given(rng, 41, 6, 13),
            given(rng, 5, 10, 1),
        ],
        SHORT: [
            given(rng, 5, 4, 5),
            given(rng, 5, 4, 7),
            given(rng, 3, 4, 512),
            given(rng, 2, 6, 3),
            given(rng, 7, 6, 7),
        ],
        promises.LEADING: [
            given(rng, n, d, n_trained, lead=lead)
            for n, d, n_trained, lead in (
                (3, 4, 2, (2,)),
                (2, 2, 1, (7,)),
                (5, 2, 3, (5,)),
                (2, 4, 1, (3, 2)),
                (3, 2, 2, (2, 1, 3)),
                (11, 4, 7, (3,)),
                (1, 2, 1, (2,)),
            )
        ],
        promises.SIZES: [
            given(rng, 1, 2, 1),
            given(rng, 1, 6, 3),
            given(rng, 2, 2, 1),
            given(rng, 4, 4, 2),
            given(rng, 2, 14, 1),
        ],
        SCALED: [given(rng, 5, 4, 3, scale=scale) for scale in (0.01, 100.0)],
        promises.SAME_SHAPES: promises.again(lambda: given(rng, 9, 4, 7)),
    }


def draw(rng):
    """Give random queries and keys, of random sizes."""
    lead = tuple(rng.integers(1, 4, rng.integers(0, 3)))
    n, half, n_trained = (int(k) for k in rng.integers(1, (14, 5, 12)))
    return given(rng, n, 2 * half, n_trained, lead=lead)


def rotated(x, angles):
    """Turn each pair of neighbours counter-clockwise."""
    a, b, c, s = x[..., 0::2], x[..., 1::2], np.cos(angles), np.sin(angles)
    return np.stack([a * c - b * s, a * s + b * c], axis=-1).reshape(x.shape)


def too_slow(speeds, n, n_trained):
    """Say which hands never came round in training."""
    return 2 * np.pi / speeds > n_trained


def turned(
    query, key, n_trained, *, turns=(1, 1), scale=np.sqrt, slow=too_slow, longer=operator.gt,
    factor=lambda n, n_trained: n_trained / n, exponent=lambda i, d: 2 * i / d,
    base=BASE,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    n, d = query.shape[-2:]
    speeds = float(base) ** -exponent(np.arange(d // 2), d)
    if longer(n, n_trained):
        slowed = slow(speeds, n, n_trained)
        speeds = np.where(slowed, speeds * factor(n, n_trained), speeds)
    angles = np.arange(n)[:, None] * speeds
    query, key = (rotated(x, sign * angles) for x, sign in zip((query, key), turns, strict=True))
    return query @ key.swapaxes(-1, -2) / scale(d)


all_slow = wrongly_set(
    turned,
    "all hands slowed down",
    "You slowed down all hands, the fast ones as well.",
    "A hand whose wavelength is n_trained or less has been everywhere already, and stays as it is.",
    slow=lambda speeds, n, n_trained: True,
)

papers_base = wrongly_set(
    turned,
    "the paper's base",
    "Your speeds are those of base 10,000, and your sheet says another.",
    "`attnlib.rotate` takes it: `base=...`.",
    base=10_000,
)

none_slow = wrongly_set(
    turned,
    "no hand slowed down",
    "Your text is too long, and no hand is slowed down.",
    "Where n is above n_trained, multiply the angles of the slow hands by n_trained / n.",
    slow=lambda speeds, n, n_trained: False,
)

fast_slow = wrongly_set(
    turned,
    "the fast hands slowed down",
    "You slowed down the fast hands and left the slow ones.",
    "The slow hands have long wavelengths, above n_trained. They are the ones that would point "
    "where they never did.",
    slow=lambda *hands: ~too_slow(*hands),
)

stretched = wrongly_set(
    turned,
    "short texts stretched",
    "You changed short texts, too: there n_trained / n is above 1, and hurries the hands.",
    "A text of n_trained words or fewer is left as it was.",
    longer=lambda n, n_trained: True,
)

hurried = wrongly_set(
    turned,
    "hurried where slower is needed",
    "Your slow hands turn faster than before, and they should turn slower.",
    "The factor is n_trained / n, which is below 1.",
    factor=lambda n, n_trained: n / n_trained,
)

last_matched = wrongly_set(
    turned,
    "the last place matched",
    "Your factor is (n_trained - 1) / (n - 1), which brings the last place to the last place.",
    "The factor that is asked for is n_trained / n.",
    factor=lambda n, n_trained: (n_trained - 1) / max(n - 1, 1),
)

no_circle = wrongly_set(
    turned,
    "the wavelength without 2π",
    "Your wavelengths are too short: 2π is missing.",
    "In one step a hand turns by 1 / base^(2i/d) of a radian, and once round is 2π radians.",
    slow=lambda speeds, n, n_trained: 1 / speeds > n_trained,
)

inverse_wavelength = wrongly_set(
    turned,
    "the wavelength multiplied by the speed",
    "You multiplied 2π by the speed, and a wavelength is 2π divided by it.",
    "The slower a hand, the more steps it takes to go round.",
    slow=lambda speeds, n, n_trained: 2 * np.pi * speeds > n_trained,
)

half_exponent = wrongly_set(
    turned,
    "i in place of 2i",
    "Your speeds are base^(-i/d), and they should be base^(-2i/d).",
    "i counts hands, and each has two features: `np.arange(0, d, 2) / d`.",
    exponent=lambda i, d: i / d,
)

double_exponent = wrongly_set(
    turned,
    "4i in place of 2i",
    "Your speeds are base^(-4i/d), and they should be base^(-2i/d).",
    "`np.arange(0, d, 2)` is 2i already: divide it by d, and leave out the other 2.",
    exponent=lambda i, d: 4 * i / d,
)

to_the_last = wrongly_set(
    turned,
    "divided by d - 2",
    "You divided the exponent by d - 2, so that the last hand's speed is 1 / base.",
    "The exponent is 2i / d, and the last hand does not quite come there.",
    exponent=lambda i, d: 2 * i / max(d - 2, 1),
)

whole_exponent = wrongly_set(
    turned,
    "a whole exponent",
    "Your exponents are whole numbers, because `//` divides and rounds down: all hands but perhaps "
    "the first turn alike.",
    "The exponent is -2i / d, a number between -1 and 0.",
    exponent=lambda i, d: -(-2 * i // d),
)

no_exponent = wrongly_set(
    turned,
    "an exponent of 0",
    "All your hands turn at speed 1.",
    "The first hand has speed 1, and each one after it is slower: base^(-2i/d). With `//` in the "
    "exponent it is 0.",
    exponent=lambda i, d: 0 * i,
)


growing = wrongly_set(
    turned,
    "speeds that grow",
    "Your speeds grow from hand to hand, because the minus in the exponent is missing.",
    "The first hand is the fastest, with speed 1: base^(-2i/d).",
    exponent=lambda i, d: -2 * i / d,
)

all_or_none = wrongly_set(
    turned,
    "slowed down only where all hands are slow",
    "You slowed down hands only where all of them are slow.",
    "Decide hand by hand, with `np.where` on an array of truths.",
    slow=lambda *hands: too_slow(*hands).all(),
)

any_slow = wrongly_set(
    turned,
    "all slowed down where one is slow",
    "You slowed down all hands where one of them is slow.",
    "Decide hand by hand, with `np.where` on an array of truths.",
    slow=lambda *hands: too_slow(*hands).any(),
)

whole_factor = wrongly_set(
    turned,
    "a whole factor",
    "Your slow hands stand still, because n_trained // n is 0.",
    "`//` divides and rounds down. The factor is n_trained / n, between 0 and 1.",
    factor=lambda n, n_trained: n_trained // n,
)

clockwise_queries = wrongly_set(
    turned,
    "turned against each other, the queries clockwise",
    "You turned queries and keys against each other, so that the sum of both places counts.",
    "Query and key turn in the same sense.",
    turns=(-1, 1),
)


def spun(query, key, n_trained, *, n=None, at=np.asarray, turn=rotated, old=()):
    """Answer with other knobs: the number of words, their places, the turn, who keeps speed."""
    length, d = query.shape[-2:]
    n = n or length
    usual = float(BASE) ** -(np.arange(0, d, 2) / d)
    slowed = np.where(too_slow(usual, n, n_trained), usual * n_trained / n, usual)
    rows = []
    for name, x in (("query", query), ("key", key)):
        speeds = usual if n <= n_trained or name in old else slowed
        rows.append(turn(x, at(np.arange(length))[:, None] * speeds))
    return rows[0] @ rows[1].swapaxes(-1, -2) / np.sqrt(d)


@mistake("the keys not slowed down")
def old_keys(query, key, n_trained):
    """You slowed down the queries' hands, and the keys turn at the old speeds.

    Both turn at the same speeds. Then what is left in the score is the distance.
    """
    return spun(query, key, n_trained, old=("key",))


@mistake("the queries not slowed down")
def old_queries(query, key, n_trained):
    """You slowed down the keys' hands, and the queries turn at the old speeds.

    Both turn at the same speeds. Then what is left in the score is the distance.
    """
    return spun(query, key, n_trained, old=("query",))


@mistake("the number of texts")
def number_of_texts(query, key, n_trained):
    """You took the length of the first axis for n, and in a batch that is the number of texts.

    Count from the end: n is `query.shape[-2]`.
    """
    return spun(query, key, n_trained, n=len(query))


@mistake("places cut off")
def cut_off(query, key, n_trained):
    """You cut the places off at the last one of training, so the words behind it all share one.

    Every word keeps its place. What is changed are the speeds of slow hands.
    """
    short = {"at": lambda places: np.minimum(places, n_trained - 1), "old": ("query", "key")}
    return spun(query, key, n_trained, **short)


@mistake("the minus forgotten")
def no_minus(query, key, n_trained):
    """You added where a rotation subtracts: the first of a pair became a cos θ + b sin θ.

    (a, b) becomes (a cos θ - b sin θ, a sin θ + b cos θ).
    """

    def turn(x, angles):
        a, b, c, s = x[..., 0::2], x[..., 1::2], np.cos(angles), np.sin(angles)
        return np.stack([a * c + b * s, a * s + b * c], axis=-1).reshape(x.shape)

    return spun(query, key, n_trained, turn=turn)


@mistake("the scores transposed")
def transposed(query, key, n_trained):
    """You put the keys in rows and the queries in columns.

    Rows are queries: `query @ key.swapaxes(-1, -2)`, once both are turned.
    """
    return answer(key, query, n_trained)


@mistake("weights in place of scores")
def weights(query, key, n_trained):
    """You returned weights, and the scores are asked for.

    The softmax comes later. Return what goes into it.
    """
    return attnlib.softmax(answer(query, key, n_trained))


long_text = wrongly_set(
    turned,
    "compared with the longer text",
    "You compared the wavelengths with n, and they have to be compared with n_trained.",
    "What counts is whether a hand came round in *training*.",
    slow=lambda speeds, n, n_trained: too_slow(speeds, n, n),
)

queries_alone = wrongly_set(
    turned,
    "the queries turned alone",
    "You turned the queries and not the keys.",
    "Both are turned, each by its own place. Then what is left in the score is the distance.",
    turns=(1, 0),
)

opposite = wrongly_set(
    turned,
    "turned against each other",
    "You turned keys the other way round, so that the sum of both places counts.",
    "Query and key turn in the same sense.",
    turns=(1, -1),
)

clockwise = wrongly_set(
    turned,
    "both turned clockwise",
    "You turned queries and keys clockwise.",
    "(a, b) becomes (a cos θ - b sin θ, a sin θ + b cos θ).",
    turns=(-1, -1),
)

unscaled = wrongly_set(
    turned,
    "not scaled",
    "You did not divide by the square root of d.",
    "These are scaled scores: the width is `query.shape[-1]`.",
    scale=lambda d: 1,
)


@mistake("features half the width apart")
def halves(query, key, n_trained):
    """You turned features that are half the width apart.

    Here neighbours are a pair, features 2i and 2i + 1.
    """
    order = np.arange(query.shape[-1]).reshape(2, -1).T.ravel()
    return turned(query[..., order], key[..., order], n_trained)


@mistake("not turned")
def plain(query, key, n_trained):
    """You did not turn anything.

    Turn queries and keys by their places first, then take their dot products.
    """
    return attnlib.attention_scores(query, key)


def own_place(f, query, key, n_trained):
    """At one place query and key turn alike, and their score is that of the plain vectors."""
    scores, plain = f(query, key, n_trained), attnlib.attention_scores(query, key)
    own = np.arange(query.shape[-2])
    return close(scores[..., own, own], plain[..., own, own])


def by_distance(f, query, key, n_trained):
    """Words that are the same everywhere get scores by the signed distance alone."""
    rows = [np.repeat(x[..., :1, :], x.shape[-2], axis=-2) for x in (query, key)]
    scores = f(*rows, n_trained)
    return close(scores[..., 1:, 1:], scores[..., :-1, :-1])


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    mistakes=(..., halved_width(answer)),
    shapes=SHAPES,
    facts=(
        Fact("a word's score with itself is that without positions", own_place),
        Fact("the score depends on the signed distance alone", by_distance),
    ),
)  # fmt: skip
