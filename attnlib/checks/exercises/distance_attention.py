"""Attention in which nearness decides, and not the angle."""

from dataclasses import replace

import numpy as np

import attnlib
from attnlib.checks import promises, watched
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import (
    Case,
    End,
    Exercise,
    Fact,
    Promise,
    Remark,
    close,
    mistake,
    wrongly_set,
)
from attnlib.checks.exercises.attention import between
from attnlib.checks.shapes import Shapes

FAR = Promise(
    "queries near their keys and far from all of them are right",
    "Where all keys are far away, every score lies far below 0, and `np.exp` makes 0 of each: the "
    "sum is 0 as well. Subtract from each row its own largest score first.",
)
WIDTHS = Promise(
    "widths from 0.01 to 100 are right",
    "A small width makes small distances count, a large one makes all keys much alike. Take the "
    "width as it is: whatever you add to it or cut off shows at one end.",
)
AWAY = Promise(
    "points far from the origin are right",
    "Far from the origin |q|² + |k|² - 2 q·k is a small difference of huge numbers, and rounding "
    "swallows it. Distances stay the same if all points move together: move them to where the "
    "numbers are small before you multiply.",
)

NEARNESS = replace(promises.SCORES, most=0.0)
WIDTH = End("from 0.01 to 100", 0.01, 100, Remark("widths of 0.001 or 1,000"), ("width",))
POINTS = End(
    "up to 1,000,000 from the origin", 0, 1e6,
    Remark("points a thousand million from the origin"), ("query", "key"),
)  # fmt: skip

SHAPES = Shapes(
    "(..., n_queries, d_key), (..., n_keys, d_key), (..., n_keys, d_value), () "
    "-> (..., n_queries, d_value)"
)


def distance_attention(query, key, value, width):
    """Near keys score high and far ones low; but for rounding, no score is above 0.

    A squared distance is |q|² + |k|² - 2 q·k, which far from the origin is a small difference of
    huge numbers. So places are measured from the first key: that changes no distance.
    """
    origin = key[..., :1, :]
    query, key = query - origin, key - origin
    q_squared = (query**2).sum(axis=-1)[..., :, np.newaxis]  # (..., n_queries, 1)
    k_squared = (key**2).sum(axis=-1)[..., np.newaxis, :]  # (..., 1, n_keys)
    squared = q_squared + k_squared - 2 * query @ key.swapaxes(-1, -2)
    scores = -squared / (2 * width**2)  # (..., n_queries, n_keys)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value


def answer(query, key, value, width):
    """Give what is right, by which answers are judged."""
    return attnlib.softmax(-by_feature(query, key) / (2 * width**2)) @ value


def by_feature(query, key):
    """Give all squared distances, and make no array of all differences."""
    features = zip(np.moveaxis(query, -1, 0), np.moveaxis(key, -1, 0), strict=True)
    return sum((q[..., :, None] - k[..., None, :]) ** 2 for q, k in features)


def cases():
    """Two queries and five keys by hand; as many of both; a batch."""
    rng = np.random.default_rng(25)

    def given(width, lead=(), **sizes):
        return *SHAPES.given(rng)(lead, **sizes)[:3], width

    query = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])
    key = np.array([[1.0, 0, 1], [0, 1, 0], [2, 0, 0], [0, 2, 1], [3, 1, 4]])
    value = np.array([[4.0, 0, 0, 0, 1, 0, 0], [0, 4, 0, 0, 0, 1, 0], [0, 0, 4, 0, 0, 0, 1],
                      [0, 0, 0, 4, 1, 0, 0], [2, 0, 0, 0, 0, 2, 0]])  # fmt: skip
    yield Case("the small example is right", (query, key, value, 2.0))
    yield Case(
        "as many queries as keys are right", given(1.5, n_queries=7, n_keys=7, d_key=5, d_value=3)
    )
    yield Case(
        "more queries than keys are right", given(1.7, n_queries=11, n_keys=5, d_key=7, d_value=3)
    )
    yield Case(
        "works with leading batch axes",
        given(3.0, (2,), n_queries=3, n_keys=5, d_key=7, d_value=11),
    )


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(125)
    query, key, value = np.split(SMALL, [3, 6], axis=1)
    given = SHAPES.given(rng, lambda *inputs: (*inputs[:3], 1.5))

    def stretched(by, width):
        query, key, value, _ = given()
        return by * query, by * key, value, width

    return promises.of_shapes(SHAPES, given, none="n_queries") | {
        FAR: [(*far(rng, level, apart), 1.0) for level, apart in DISTANCES],
        WIDTHS: [stretched(w, w) for w in (0.01, 0.0125, 0.1, 10.0, 100.0)]
        + [stretched(20.0, 1.0), stretched(1.0, 100.0), stretched(1.0, 30.0)],
        AWAY: [
            (9.9e5 * FIRST + NEAR * query[:1], 9.9e5 * FIRST + NEAR * key, value, 2 * NEAR),
            *((*away(rng, level, apart), 2 * apart) for level, apart in PLACES),
            *((*on_both_sides(away(rng, 9.9e5, apart)), 2 * apart) for apart in (NEAR, 1.0)),
        ],
        WIDTH.beyond: [stretched(w, w) for w in (1e-3, 1e3)],
        NEARNESS.beyond: [(*far(rng, 2000.0, 1.0), 1.0)],
        POINTS.beyond: [(*away(rng, 2.0**30, 1.0), 2.0)],
    }


# How far off a query is, and how far apart the keys are. All numbers are small integers times a
# power of two, and so is every squared distance: exact in float32, too, however it is computed.
DISTANCES = (64.0, 1.0), (141.0, 1.0), (64.0, 32.0)


def far(rng, level, apart):
    """Give queries on either side of the keys and among them; some keys are equally near."""
    query = np.array([[level, 0, 0, 0], [-level, 0, 0, apart], [0, apart, 0, 0]])
    key = np.zeros((7, 4))
    key[:, 1:] = apart * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 2], [1, 1, 0],
                                   [0, 2, 1]])  # fmt: skip
    return query, key, rng.normal(size=(7, 2))


# How far from the origin all points are moved, and how far apart they are: exact in float32, too.
FIRST = np.array([1.0, 0.0, 0.0])  # the feature in which three keys and a query lie far off
SMALL = np.array([[0.0, 2, 1, 0, 2, 0, 3, 0], [0, 0, 0, 0, -1, 1, 0, 3], [0, 0, 0, 0, 3, 3, 1, 1]])
NEAR = 2.0**-7  # how far apart they are there
PLACES = (9.9e5, NEAR), (9.9e5, 1.0), (-9.9e5, 0.5), (9.9e5, 2.0)


def away(rng, level, apart):
    """Give queries among keys; one feature of all is the level, and two are large, too."""
    query, key = rng.integers(-3, 4, size=(5, 4)), rng.integers(-3, 4, size=(7, 4))
    far = np.array([level, 0, 0, 0]) + np.array([0, 2.0**16, 0, -(2.0**16)])
    query[:, 0] = key[:, 0] = 0
    return apart * query + far, apart * key + far, rng.normal(size=(7, 2))


def on_both_sides(inputs):
    """Give a batch of two: the same points on one side of the origin, and on the other."""
    query, key, value = inputs
    return np.stack([query, -query]), np.stack([key, -key]), np.stack([value, value[::-1]])


def squares(query, key):
    """Give all squared distances: (..., n_queries, n_keys)."""
    return ((query[..., :, None, :] - key[..., None, :, :]) ** 2).sum(axis=-1)


def nearness(
    query, key, value, width, *, away=squares, divisor=lambda width: 2 * width**2,
    weigh=attnlib.softmax, mixed="value",
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong; it makes an array of all differences."""
    weights = weigh(-away(query, key) / divisor(width))
    return weights @ {"value": value, "key": key}[mixed]


def as_dot_products(query, key, value, width):
    """Give a query and a key with more features, whose scaled scores are those of distances."""
    own = [(x**2).sum(axis=-1, keepdims=True) for x in (query, key)]
    ones = [np.ones_like(x) for x in own]
    longer = np.concatenate([query, own[0], ones[0]], axis=-1) * np.sqrt(query.shape[-1] + 2)
    keys = np.concatenate([2 * key, -ones[1], -own[1]], axis=-1) / (2 * width**2)
    return longer, keys, value


@mistake("key not transposed")
def not_transposed(query, key, value, width):
    """Query and key met as they are, but one of the two has to be transposed.

    Every query should meet every key, feature by feature. Both keep their features along the last
    axis, and a matrix product joins the last axis of its left side with the second to last of its
    right.
    """
    products = query @ key
    own = [(x**2).sum(axis=-1) for x in (query, key)]
    squared = own[0][..., :, None] + own[1][..., None, :] - 2 * products
    weights = attnlib.softmax(-squared / (2 * width**2))
    return weights @ value


@mistake("dot products")
def dots(query, key, value, width):
    """Your weights are those of dot products: long keys win, even if they lie far away.

    A squared distance has three terms, and |k|² differs from key to key, so softmax does not forget
    it. Subtract it, too.
    """
    return attnlib.attention(query, key, value, scale=1 / width**2)


farthest = wrongly_set(
    nearness,
    "sign forgotten",
    "Your weights favour the keys that are farthest away, because a sign is missing.",
    "The farther a key is, the lower its score should be: put a minus in front.",
    divisor=lambda width: -2 * width**2,
)

plain_distance = wrongly_set(
    nearness,
    "distance not squared",
    "You took the distance itself; the score is made from its square.",
    "Leave the square root out.",
    away=lambda query, key: np.sqrt(squares(query, key)),
)

without_2 = wrongly_set(
    nearness,
    "2 forgotten",
    "You divided by width²; it is 2 width² that the squared distance is divided by.",
    "With the 2, width is the standard deviation of a normal curve around the query.",
    divisor=lambda width: width**2,
)

plain_width = wrongly_set(
    nearness,
    "width not squared",
    "You divided by the width, where you should divide by its square.",
    "A squared distance is measured in squared widths: then it does not matter in which unit you "
    "measure both.",
    divisor=lambda width: 2 * width,
)

no_width = wrongly_set(
    nearness,
    "width ignored",
    "Your answer does not depend on the width.",
    "Divide the squared distances by 2 width²: the width says how far a query looks.",
    divisor=lambda width: 2,
)

multiplied = wrongly_set(
    nearness,
    "multiplied by the width",
    "You multiplied by width², where you should divide by it.",
    "A wide view takes in keys that are far away, so a large width has to make the scores smaller.",
    divisor=lambda width: 2 / width**2,
)

scaled = wrongly_set(
    nearness,
    "scaled by sqrt(d_key) too",
    "You also divided by the square root of d_key, as for dot products.",
    "Here the width takes the place of that scale, so leave it out.",
    away=lambda query, key: squares(query, key) / np.sqrt(query.shape[-1]),
)

mean_square = wrongly_set(
    nearness,
    "mean instead of sum",
    "You took the mean of the squared differences over the features, not their sum.",
    "A squared distance is the sum over all features.",
    away=lambda query, key: squares(query, key) / query.shape[-1],
)

manhattan = wrongly_set(
    nearness,
    "sum of absolute differences",
    "You added the absolute differences of the features and squared the sum.",
    "A squared distance is the sum of the squared differences: square first, then add.",
    away=lambda query, key: np.abs(query[..., :, None, :] - key[..., None, :, :]).sum(axis=-1) ** 2,
)

unshifted = wrongly_set(
    nearness,
    "no max shift",
    "Your formula is right, but a query far from all keys gets `nan`: each exponential is 0 there.",
    "Subtract each row's largest score before `np.exp`, or call your own `softmax`.",
    weigh=wrong.unshifted,
)

mixed_keys = wrongly_set(
    nearness,
    "weights @ key",
    "You mixed the keys: the weights are right, but they must be multiplied with value.",
    "A key is compared, a value is handed over.",
    mixed="key",
)


@mistake("weights returned")
def only_weights(query, key, value, width):
    """You returned the weights, which say where each query looks; the output is asked for.

    One step is left: mix the values with these weights, and each query takes its mixture home.
    """
    return attnlib.softmax(-squares(query, key) / (2 * width**2))


@mistake("batch axes forgotten")
def matrices_only(query, key, value, width):
    """Your output is right for matrices, and wrong or an error with batch axes in front.

    `key.T` turns all axes round, the batch as well. Count axes from the end, and exchange the last
    two alone.
    """
    own = (query**2).sum(axis=-1, keepdims=True)
    squared = own + (key**2).sum(axis=-1) - 2 * query @ key.T
    return attnlib.softmax(-squared / (2 * width**2)) @ value


@mistake("measured from afar")
def uncentred(query, key, value, width):
    """Your formula is right, but far from the origin |q|² + |k|² - 2 q·k is lost to rounding.

    It is a small difference of huge numbers there. Distances stay the same if all points move
    together: subtract one point from all of them first, for instance the first key.
    """
    own = (query**2).sum(axis=-1)[..., :, None] + (key**2).sum(axis=-1)[..., None, :]
    squared = own - 2 * query @ key.swapaxes(-1, -2)
    return attnlib.softmax(-squared / (2 * width**2)) @ value


doubled_width = wrongly_set(
    nearness,
    "2 width, squared",
    "You squared 2 width; it is the width alone that is squared, and then doubled.",
    "The power comes before the product: `2 * width**2`, without brackets around `2 * width`.",
    divisor=lambda width: (2 * width) ** 2,
)

softened_width = wrongly_set(
    nearness,
    "a thousandth added below",
    "You added a small number to 2 width², which changes much where the width is small.",
    "A width is 0.01 or more, so that nothing is divided by 0. Take it as it comes in.",
    divisor=lambda width: 2 * width**2 + 1e-3,
)

signed = wrongly_set(
    nearness,
    "differences with their signs",
    "You added up the differences with their signs, so that they cancel.",
    "A squared distance is the sum of the squared differences: square first, then add.",
    away=lambda query, key: (query[..., :, None, :] - key[..., None, :, :]).sum(axis=-1),
)

sums_squared = wrongly_set(
    nearness,
    "sum of the differences squared",
    "You added up the differences first and squared their sum.",
    "A squared distance is the sum of the squared differences: square first, then add.",
    away=lambda query, key: (query[..., :, None, :] - key[..., None, :, :]).sum(axis=-1) ** 2,
)

streets = wrongly_set(
    nearness,
    "absolute differences",
    "You added up the absolute differences, and the score is made from their squares.",
    "A squared distance is the sum of the squared differences: square first, then add.",
    away=lambda query, key: np.abs(query[..., :, None, :] - key[..., None, :, :]).sum(axis=-1),
)

own_lengths = wrongly_set(
    nearness,
    "difference of the lengths",
    "You took the difference of the two lengths; points as far from 0 may lie far apart.",
    "Subtract the vectors, feature by feature, and take the length of the difference.",
    away=lambda query, key: (
        (np.linalg.norm(query, axis=-1)[..., :, None] - np.linalg.norm(key, axis=-1)[..., None, :])
        ** 2
    ),
)

own_means = wrongly_set(
    nearness,
    "each moved by its own mean",
    "You moved the queries by one point and the keys by another, which changes their distances.",
    "Subtract one and the same point from both, for instance the first key.",
    away=lambda query, key: squares(
        query - query.mean(axis=-2, keepdims=True), key - key.mean(axis=-2, keepdims=True)
    ),
)


def terms(query, key, *, of_key=1, products=-2):
    """Give squared distances multiplied out, measured from the first key, with other factors."""
    query, key = query - key[..., :1, :], key - key[..., :1, :]
    own = (query**2).sum(axis=-1)[..., :, None] + of_key * (key**2).sum(axis=-1)[..., None, :]
    return own + products * query @ key.swapaxes(-1, -2)


single_products = wrongly_set(
    nearness,
    "2 before the products forgotten",
    "You subtracted the dot products once; they come twice.",
    "(q - k)·(q - k) has four terms. Two of them are the same, -q·k and -k·q.",
    away=lambda query, key: terms(query, key, products=-1),
)

added_products = wrongly_set(
    nearness,
    "dot products added",
    "You added the dot products; they must be subtracted.",
    "Multiply (q - k)·(q - k) out on paper, and mind the signs.",
    away=lambda query, key: terms(query, key, products=2),
)

no_key = wrongly_set(
    nearness,
    "squared lengths of the keys forgotten",
    "Your squared distances lack the squared lengths of the keys.",
    "|k|² differs from key to key, so the softmax does not forget it, as it does |q|².",
    away=lambda query, key: terms(query, key, of_key=0),
)


@mistake("the height of a normal curve")
def heights(query, key, value, width):
    """You took the height of a normal curve for the weight, and its rows do not sum to 1.

    The factor before the curve cancels. Divide each row by its sum: a softmax does so.
    """
    near = np.exp(-squares(query, key) / (2 * width**2)) / (width * np.sqrt(2 * np.pi))
    return near @ value


@mistake("moved by one point for the whole batch")
def moved_together(query, key, value, width):
    """Your formula is right, but you measure all sentences of a batch from one and the same point.

    Where they lie far from each other, that is far from some of them. Let each sentence have a
    point of its own: keep the axes in front.
    """
    origin = key.reshape(-1, key.shape[-1])[:1]
    query, key = query - origin, key - origin
    own = (query**2).sum(axis=-1)[..., :, None] + (key**2).sum(axis=-1)[..., None, :]
    squared = own - 2 * query @ key.swapaxes(-1, -2)
    return attnlib.softmax(-squared / (2 * width**2)) @ value


@mistake("dot products from the mean key")
def centred_dots(query, key, value, width):
    """Your weights are those of dot products: long keys win, even if they lie far away.

    A squared distance has three terms, and |k|² differs from key to key, so softmax does not forget
    it. Subtract it, too.
    """
    origin = key.mean(axis=-2, keepdims=True)
    return attnlib.attention(query - origin, key - origin, value, scale=1 / width**2)


def of_nearness(known):
    """Make a mistake in the step from scores to weights with scores of distances."""
    return replace(known, function=lambda *inputs: nearness(*inputs, **known.setting))


def no_array_of_differences(answer, query, key, value, width):
    """Measure what is held at once for long vectors: far less than all their differences.

    Once is enough, so the smallest example does it.
    """
    if query.shape[:-1] != (2,):
        return True
    query, key, value = np.resize(query, (61, 101)), np.resize(key, (61, 101)), np.ones((61, 1))
    return watched.held(answer, query, key, value, width) < 8 * 61 * 61 * 101 / 4


def same_as_dot_products(answer, query, key, value, width):
    """Make all keys 1 long, so that softmax forgets their lengths."""
    key = key / np.linalg.norm(key, axis=-1, keepdims=True)
    due = attnlib.attention(query, key, value, scale=1 / width**2)
    return close(answer(query, key, value, width), due)


EXERCISE = Exercise(
    solution=distance_attention,
    answer=answer,
    returns="output",
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(NEARNESS, WIDTH, POINTS),
    facts=(
        Fact("no output leaves the range of the values", lambda f, q, k, v, w: between(
            lambda q, k, v: f(q, k, v, w), q, k, v)),
        Fact("moving queries and keys together changes nothing", lambda f, q, k, v, w: close(
            f(q + 1, k + 1, v, w), f(q, k, v, w))),
        Fact("twice the distances, twice the width: nothing changes", lambda f, q, k, v, w: close(
            f(2 * q, 2 * k, v, 2 * w), f(q, k, v, w))),
        Fact("for keys of one length, it is dot-product attention", same_as_dot_products),
        Fact(
            "no array of n_queries x n_keys x d_key numbers is made",
            no_array_of_differences,
            "With many wide vectors that array would not fit into memory. Get the squared "
            "distances from dot products, or add them up feature by feature.",
        ),
    ),
    mistakes=(
        *map(of_nearness, (wrong.columns, wrong.everything, wrong.not_normalised, wrong.hard,
                           wrong.raw, wrong.half_shift, wrong.only_shifted, wrong.softened_twice)),
        *(m.around(as_dot_products) for m in (
            wrong.value_first, wrong.no_keepdims, wrong.no_keepdims_in_sum, wrong.transposed)),
    ),
    hints=(
        "Only the scores are new; from there on it is the attention that you know. How did the "
        "harder task of lesson 01 get squared distances out of dot products?",
        "A squared distance is |q|² + |k|² - 2 q·k. Give |q|² a last axis of length 1 and |k|² one "
        "before its last, so that they meet the scores by rows and by columns. Then mind the sign: "
        "near should score high.",
        "Far from the origin these three terms are huge and nearly cancel. No distance changes if "
        "one and the same point is subtracted from all queries and keys, so begin with that. And a "
        "query far from every key needs a softmax that subtracts each row's largest score.",
    ),
)  # fmt: skip
