"""Rotary scores of a text that is too long: slow hands turn slower, fast ones as they did.

Chen et al., "Extending context window of large language models via positional interpolation"
(2023), slow all hands down; Peng et al., "YaRN" (2023), section 3.2, only those that never came
round in training, with a ramp where this has a step.
"""

import math

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake

HANDS = Promise(
    "each hand is slowed down or left alone by its own wavelength",
    "A hand goes round in 2π · 10000^(2i/d) steps. Compare that with n_trained, hand by hand: in "
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


def answer(query, key, n_trained):
    """Give what is right, by which answers are judged: each pair turned by what lies between."""
    *lead, n, d = query.shape
    scores = np.zeros((*lead, n, n))
    for h in range(d // 2):
        speed = 10_000 ** (-2 * h / d)
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
    query, key = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 3.0]])
    yield Case("two words of width 2, trained on one", (query, key, 1))
    rng = np.random.default_rng(77)
    yield Case("a fast hand and a slow one", given(rng, 8, 4, 7))
    yield Case("two texts that are not too long", given(rng, 3, 4, 5, lead=(2,)))


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


def with_speeds(query, key, speeds, *, places=None, turns=(1, 1), scale=True):
    """Give the scores of queries and keys whose hands turn at these speeds."""
    n, d = query.shape[-2:]
    places = np.arange(n) if places is None else places
    angles = places[:, None] * speeds
    query, key = (turned(x, sign * angles) for x, sign in zip((query, key), turns, strict=True))
    return query @ key.swapaxes(-1, -2) / (np.sqrt(d) if scale else 1)


def turned(x, angles):
    """Turn each pair of neighbours counter-clockwise."""
    a, b, c, s = x[..., 0::2], x[..., 1::2], np.cos(angles), np.sin(angles)
    return np.stack([a * c - b * s, a * s + b * c], axis=-1).reshape(x.shape)


def speeds_of(query, n_trained, *, factor=None, slow=None, always=False):
    """Give the speeds of the hands; what is slow, by what factor, and when may be wrong."""
    n, d = query.shape[-2:]
    speeds = 10_000 ** (-np.arange(0, d, 2) / d)
    factor = n_trained / n if factor is None else factor
    slow = 2 * np.pi / speeds > n_trained if slow is None else slow
    return np.where(slow, speeds * factor, speeds) if always or n > n_trained else speeds


@mistake("all hands slowed down")
def all_slow(query, key, n_trained):
    """You slowed down all hands, the fast ones as well.

    A hand whose wavelength is n_trained or less has been everywhere already, and stays as it is.
    """
    return with_speeds(query, key, speeds_of(query, n_trained, slow=True))


@mistake("no hand slowed down")
def none_slow(query, key, n_trained):
    """Your text is too long, and no hand is slowed down.

    Where n is above n_trained, multiply the angles of the slow hands by n_trained / n.
    """
    return with_speeds(query, key, speeds_of(query, n_trained, slow=False))


@mistake("the fast hands slowed down")
def fast_slow(query, key, n_trained):
    """You slowed down the fast hands and left the slow ones.

    The slow hands have long wavelengths, above n_trained. They are the ones that would point
    where they never did.
    """
    speeds = speeds_of(query, n_trained, slow=False)
    return with_speeds(
        query, key, speeds_of(query, n_trained, slow=2 * np.pi / speeds <= n_trained)
    )


@mistake("short texts stretched")
def stretched(query, key, n_trained):
    """You changed short texts, too: there n_trained / n is above 1, and hurries the hands.

    A text of n_trained words or fewer is left as it was.
    """
    return with_speeds(query, key, speeds_of(query, n_trained, always=True))


@mistake("hurried where slower is needed")
def hurried(query, key, n_trained):
    """Your slow hands turn faster than before, and they should turn slower.

    The factor is n_trained / n, which is below 1.
    """
    factor = query.shape[-2] / n_trained
    return with_speeds(query, key, speeds_of(query, n_trained, factor=factor))


@mistake("the last place matched")
def last_matched(query, key, n_trained):
    """Your factor is (n_trained - 1) / (n - 1), which brings the last place to the last place.

    The factor that is asked for is n_trained / n.
    """
    factor = (n_trained - 1) / max(query.shape[-2] - 1, 1)
    return with_speeds(query, key, speeds_of(query, n_trained, factor=factor))


@mistake("the wavelength without 2π")
def no_circle(query, key, n_trained):
    """Your wavelengths are too short: 2π is missing.

    In one step a hand turns by 1 / 10000^(2i/d) of a radian, and once round is 2π radians.
    """
    speeds = speeds_of(query, n_trained, slow=False)
    return with_speeds(query, key, speeds_of(query, n_trained, slow=1 / speeds > n_trained))


@mistake("compared with the longer text")
def long_text(query, key, n_trained):
    """You compared the wavelengths with n, and they have to be compared with n_trained.

    What counts is whether a hand came round in *training*.
    """
    wavelengths = 2 * np.pi / speeds_of(query, n_trained, slow=False)
    return with_speeds(query, key, speeds_of(query, n_trained, slow=wavelengths > query.shape[-2]))


@mistake("the queries turned alone")
def queries_alone(query, key, n_trained):
    """You turned the queries and not the keys.

    Both are turned, each by its own place. Then what is left in the score is the distance.
    """
    return with_speeds(query, key, speeds_of(query, n_trained), turns=(1, 0))


@mistake("turned against each other")
def opposite(query, key, n_trained):
    """You turned keys the other way round, so that the sum of both places counts.

    Query and key turn in the same sense.
    """
    return with_speeds(query, key, speeds_of(query, n_trained), turns=(1, -1))


@mistake("both turned clockwise")
def clockwise(query, key, n_trained):
    """You turned queries and keys clockwise.

    (a, b) becomes (a cos θ - b sin θ, a sin θ + b cos θ).
    """
    return with_speeds(query, key, speeds_of(query, n_trained), turns=(-1, -1))


@mistake("not scaled")
def unscaled(query, key, n_trained):
    """You did not divide by the square root of d.

    These are scaled scores: the width is `query.shape[-1]`.
    """
    return with_speeds(query, key, speeds_of(query, n_trained), scale=False)


@mistake("features half the width apart")
def halves(query, key, n_trained):
    """You turned features that are half the width apart.

    Here neighbours are a pair, features 2i and 2i + 1.
    """
    order = np.arange(query.shape[-1]).reshape(2, -1).T.ravel()
    speeds = speeds_of(query, n_trained)
    return with_speeds(query[..., order], key[..., order], speeds)


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
    facts=(
        Fact("a word's score with itself is that without positions", own_place),
        Fact("the score depends on the signed distance alone", by_distance),
    ),
)  # fmt: skip
