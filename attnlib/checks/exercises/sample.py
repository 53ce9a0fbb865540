"""Drawing an index from the weights of a softmax, with a random number that is given."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

ENDS = Promise(
    "u of 0 and u just below 1 are right",
    "Added up, rounded weights need not reach 1 exactly: ten times 0.1 stops just short of it. "
    "Which index do you give if u is nearer to 1 than your last sum is?",
)
WEIGHTLESS = Promise(
    "an index of weight 0 is never drawn",
    "What has no weight takes up no room on the line, so u can never land on it, not even at the "
    "very beginning or end. An index is drawn only where the sum rises above u.",
)
ALMOST_1 = np.nextafter(1.0, 0.0)  # the largest number that a generator gives

SHAPES = Shapes("(..., n), (...) -> (...)")


def sample(scores, u):
    """Laid end to end, weights cover a line; u falls on each as often as its weight says.

    The index is the number of weights that end at u or before. u is measured by the last sum, for
    rounding may leave that just below 1.
    """
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    ends = e.cumsum(axis=-1)  # (..., n): where each weight ends, not divided by the total yet
    u = np.expand_dims(u, axis=-1)  # (..., 1)
    return (ends <= u * ends[..., -1:]).sum(axis=-1)


def answer(scores, u):
    """Give what is right, by which answers are judged."""
    return first_above(whole(attnlib.softmax(scores)), u)


def cases():
    """Two rows by hand; more columns, more rows; one row; a batch; large scores."""
    rng = np.random.default_rng(23)
    scores = np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 3.0]])
    yield Case("the small example is right", (scores, np.array([0.6, 0.2])))
    yield Case("more columns than rows are right", drawn(rng, rng.normal(size=(5, 7))))
    yield Case("more rows than columns are right", drawn(rng, rng.normal(size=(11, 3))))
    yield Case("a single row is right", drawn(rng, rng.normal(size=7)))
    yield Case("works with leading batch axes", drawn(rng, rng.normal(size=(2, 3, 5))))
    large = np.array([[1000.0, 1001, 1002, 999, 1001], [0.0, 1, 2, 1, 0], 5 * [-3000.0]])
    yield Case("large scores are right", (large, np.array([0.2, 0.8, 0.5])))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(123)
    even = np.zeros((3, 10))
    ends = np.concatenate([np.full((3, 2), -2e3), even, np.full((3, 2), -3e3)], axis=-1)
    between = np.where(np.arange(7) % 2, 1.0, -2e3) + np.arange(7) % 3
    given = SHAPES.given(rng, lambda scores, _: drawn(rng, scores))
    return promises.of_shapes(SHAPES, given) | {
        promises.LARGE: [drawn(rng, scores) for scores in promises.steep_scores()]
        + [drawn(rng, np.array([[800.0, 801, 802, 801], [-900.0, -901, -900, -902]]))],
        promises.TIES: [
            (np.zeros((4, 5)), np.array([0.1, 0.3, 0.7, 0.9])),
            (np.array([[1.0, 3, 3], [3, 3, 1], [2, 2, 2]]), np.array([0.3, 0.7, 0.5])),
        ],
        ENDS: [
            (even, np.array([0.0, 0.55, ALMOST_1])),
            (np.zeros((3, 13)), np.array([ALMOST_1, 1e-12, 1 - 1e-12])),  # 13 / 13 is less still
            (rng.normal(size=7), np.float64(0)),
            (np.zeros(4), np.float64(0.25 + 5e-7)),  # a hair above the first sum
            (np.array([-25.0, 0, 1]), np.float64(0)),
            (rng.normal(size=(11, 47)), np.full(11, ALMOST_1)),
        ],
        WEIGHTLESS: [
            (ends, np.array([0.0, 0.45, ALMOST_1])),
            (between[None].repeat(3, axis=0), np.array([0.0, 0.5, ALMOST_1])),
            (np.array([-9990.0, 0, 9990, 0, -9990]), np.float64(0)),
        ],
        promises.SCORES.beyond: [
            drawn(rng, scores) for scores in promises.steep_scores([promises.BEYOND])
        ],
    }


def drawn(rng, scores):
    """Give scores with a u for each row, well inside a weight: no rounding moves it out."""
    weights = attnlib.softmax(scores)
    ends = weights.cumsum(axis=-1)
    at = np.where(weights > 0.02, rng.random(scores.shape), 0).argmax(axis=-1)[..., None]
    end, weight = (np.take_along_axis(x, at, axis=-1)[..., 0] for x in (ends, weights))
    return scores, end - weight * rng.uniform(0.3, 0.7, size=end.shape)


def added_up(weights):
    """Say where each weight ends."""
    return weights.cumsum(axis=-1)


def whole(weights):
    """Say where each weight ends, the last of them at 1."""
    ends = added_up(weights)
    return ends / ends[..., -1:]


def first_above(ends, u):
    """Give the first index where the ends rise above u."""
    return (ends > np.expand_dims(u, axis=-1)).argmax(axis=-1)


def by_size(ends, u):
    """Give the first index where the ends of weights in falling order rise above u."""
    weights = np.diff(ends, axis=-1, prepend=0)
    order = np.argsort(-weights, axis=-1, kind="stable")
    at = first_above(added_up(np.take_along_axis(weights, order, axis=-1)), u)
    return np.take_along_axis(order, at[..., None], axis=-1)[..., 0]


def passed(ends, u):
    """Count the ends that lie at u or below."""
    return (ends <= np.expand_dims(u, axis=-1)).sum(axis=-1)


def turned(scores, u, *, weigh=attnlib.softmax, ends=whole, find=first_above):
    """Draw with knobs, each of which can be set wrong."""
    return find(ends(weigh(scores)), u)


@mistake("the highest score")
def greedy(scores, u):
    """You gave the index of the highest score, which u has no part in.

    That would give the same word every time. Let u decide, so that each index can come up.
    """
    return scores.argmax(axis=-1)


not_added = wrongly_set(
    turned,
    "weights not added up",
    "You compared u with each weight by itself; it is the sum of the weights so far that counts.",
    "Lay the weights end to end before you look where u lands: `np.cumsum` does that.",
    ends=lambda weights: weights,
)


def downwards(scores):
    """Give the weights of each row in a new order, the largest first."""
    return np.sort(attnlib.softmax(scores), axis=-1)[..., ::-1]


sorted_down = wrongly_set(
    turned,
    "a place among the sorted weights",
    "You sorted the weights, the largest first, and gave a place in that order.",
    "Each index belongs to a place in the row as it came in. Leave the weights in their order, or "
    "sort the indices with them, by `argsort`, and look up which one it was.",
    weigh=downwards,
)

sorted_up = wrongly_set(
    turned,
    "a place among the weights, sorted upwards",
    "You sorted the weights, the smallest first, and gave a place in that order.",
    "Each index belongs to a place in the row as it came in. Leave the weights in their order.",
    weigh=lambda scores: np.sort(attnlib.softmax(scores), axis=-1),
)

raw = wrongly_set(
    turned,
    "raw scores added up",
    "You added up the scores themselves: they need not be positive, and their sum is not 1.",
    "Make weights of them first, with a softmax along the last axis.",
    weigh=lambda scores: scores,
    ends=added_up,
)

exponentials = wrongly_set(
    turned,
    "not normalised",
    "You added up the exponentials, and their total is not 1, while u lies between 0 and 1.",
    "Divide by the total, or measure u by it.",
    weigh=lambda scores: np.exp(scores - scores.max(axis=-1, keepdims=True)),
    ends=added_up,
)

bare_exponentials = wrongly_set(
    turned,
    "exponentials of the bare scores not normalised",
    "You added up the exponentials, and their total is not 1, while u lies between 0 and 1.",
    "Divide by the total, or measure u by it. Subtract the largest score first, so that nothing "
    "overflows.",
    weigh=np.exp,
    ends=added_up,
)

early = wrongly_set(
    turned,
    "one index too early",
    "You stopped one too early: this is the last weight that ends before u.",
    "u lands on the one after it, the first whose end lies beyond u.",
    find=lambda ends, u: first_above(ends, u) - 1,
)

late = wrongly_set(
    turned,
    "one index too late",
    "You went one too far: this is the weight after the one that u lands on.",
    "Python counts from 0, so if no weight ends before u, the index is 0.",
    find=lambda ends, u: first_above(ends, u) + 1,
)

backwards = wrongly_set(
    turned,
    "from the other end",
    "You added the weights up from the last to the first.",
    "Begin with the first weight: the sums grow from left to right.",
    ends=lambda weights: added_up(weights[..., ::-1]),
)

mirrored = wrongly_set(
    turned,
    "1 - u in place of u",
    "You measured u from the right end of the line, as if it were 1 - u.",
    "The due index is the first whose sum exceeds u, so look for the sums above u.",
    find=lambda ends, u: first_above(ends, 1 - u),
)


@mistake("every index alike")
def uniform(scores, u):
    """You cut the line into equal parts, so every index comes up equally often.

    A weight should get as much of the line as it is large: add up the weights.
    """
    return np.floor(u * scores.shape[-1]).astype(int)


down_columns = wrongly_set(
    turned,
    "cumsum down the columns",
    "You added the weights up along the first axis, across rows that have nothing to do with it.",
    "Each row is a line of its own: add up along the last axis.",
    ends=lambda weights: weights.cumsum(axis=0),
)

column_weights = wrongly_set(
    turned,
    "softmax down the columns",
    "Your softmax ran down the columns, so your rows do not sum to 1.",
    "Each row is a choice of its own: softmax along the last axis, and add up along it, too.",
    weigh=lambda scores: attnlib.softmax(scores, axis=0),
    ends=added_up,
)

everything = wrongly_set(
    turned,
    "softmax over everything",
    "Your softmax ran over the whole array, so all numbers together sum to 1, not each row.",
    "Each row is a choice of its own: softmax along the last axis.",
    weigh=lambda scores: attnlib.softmax(scores.ravel()).reshape(scores.shape),
    ends=added_up,
)

flat_sums = wrongly_set(
    turned,
    "cumsum over everything",
    "You added up over the whole array: without an axis, `np.cumsum` makes one long row of it.",
    "Say along which axis: a row runs along the last.",
    ends=np.cumsum,
)

flat_rows = wrongly_set(
    turned,
    "cumsum over everything, cut into rows",
    "You added up over the whole array, so each row goes on where the one before it ended.",
    "Say along which axis: a row runs along the last.",
    ends=lambda weights: np.cumsum(weights).reshape(weights.shape),
)

no_new_axis = wrongly_set(
    turned,
    "no new axis",
    "Your u has one axis less than the weights, so the two do not meet row by row.",
    "Give u one more axis, the last one, of length 1.",
    find=lambda ends, u: (ends > u).argmax(axis=-1),
)

rows_of_a_matrix = wrongly_set(
    turned,
    "u[:, None]",
    "Your indices are right for a matrix of scores, but a single row comes with a single u.",
    "A single number has no axis that `:` could stand for, and a batch has several. `...` stands "
    "for however many there are.",
    find=lambda ends, u: (ends <= u[:, None]).sum(axis=-1),
)

unshifted = wrongly_set(
    turned,
    "no max shift",
    "Your formula is right, but large scores overflow in `np.exp`, and inf / inf is nan.",
    "Subtract each row's largest score before `np.exp`, or call your own `softmax`.",
    weigh=wrong.unshifted,
    ends=added_up,
)

unshifted_sums = wrongly_set(
    turned,
    "no max shift, counted",
    "Your formula is right, but large scores overflow in `np.exp`, and inf / inf is nan.",
    "Subtract each row's largest score before `np.exp`, or call your own `softmax`.",
    weigh=np.exp,
    ends=added_up,
    find=lambda ends, u: passed(ends, u * ends[..., -1]),
)

inclusive = wrongly_set(
    turned,
    "stopped at u itself",
    "You let u count where the sum reaches it; the sum must exceed u.",
    "At u = 0 that makes a difference: an index of weight 0 would be drawn. Compare with `>`.",
    find=lambda ends, u: (ends >= np.expand_dims(u, axis=-1)).argmax(axis=-1),
)

bare_inclusive = wrongly_set(
    turned,
    "stopped at u itself, on bare sums",
    "You let u count where the sum reaches it; the sum must exceed u.",
    "At u = 0 that makes a difference: an index of weight 0 would be drawn. Count the weights "
    "that end at u or before, so that one that ends at u itself is passed.",
    ends=added_up,
    find=lambda ends, u: (ends < np.expand_dims(u, axis=-1)).sum(axis=-1),
)

wrapped = wrongly_set(
    turned,
    "beyond the last sum, the first index",
    "Where u lies above all your sums, `argmax` finds nothing and gives 0.",
    "Rounded weights may add up to a little less than 1, and u may come nearer to 1 than they do. "
    "Your last sum should stand for the whole line.",
    ends=added_up,
)

overrun = wrongly_set(
    turned,
    "beyond the last sum, no index",
    "Where u lies above all your sums, you give an index that does not exist.",
    "Rounded weights may add up to a little less than 1, and u may come nearer to 1 than they do. "
    "Your last sum should stand for the whole line.",
    ends=added_up,
    find=passed,
)

held_back = wrongly_set(
    turned,
    "beyond the last sum, the last index",
    "Where u lies above all your sums, you give the last index, even if its weight is 0.",
    "Rounded weights may add up to a little less than 1, and the last of them may be 0. Leave the "
    "index as it is and look at the sums: how far should u be allowed to go?",
    ends=added_up,
    find=lambda ends, u: np.minimum(passed(ends, u), ends.shape[-1] - 1),
)


shifted_sums = wrongly_set(
    turned,
    "where each weight begins",
    "Your sums say where each weight begins, and it is where it ends that counts.",
    "The first sum is the first weight, not 0. `np.cumsum` gives them so.",
    ends=lambda weights: added_up(weights) - weights,
)

sorted_weights = wrongly_set(
    turned,
    "weights sorted",
    "You sorted the weights first, so an index no longer tells whose weight it is.",
    "Lay them end to end in the order in which they come.",
    weigh=lambda scores: np.sort(attnlib.softmax(scores), axis=-1),
    ends=added_up,
)

largest_first = wrongly_set(
    turned,
    "largest weight first",
    "You laid the largest weight first, so that u falls on another one.",
    "Each comes up as often as it should, but the task lays them in the order in which they come.",
    ends=added_up,
    find=lambda ends, u: by_size(ends, u),
)

nearest = wrongly_set(
    turned,
    "nearest end",
    "You took the sum that is nearest to u, before it or behind.",
    "u falls on the weight that ends behind it: the first sum that exceeds u.",
    ends=added_up,
    find=lambda ends, u: np.abs(ends - np.expand_dims(u, axis=-1)).argmin(axis=-1),
)

last_above = wrongly_set(
    turned,
    "the last sum above u",
    "You took the last sum that exceeds u, which is always that of the last index.",
    "All sums from some place on exceed u. The first of them is the one.",
    find=lambda ends, u: np.full(ends.shape[:-1], ends.shape[-1] - 1),
)

first_below = wrongly_set(
    turned,
    "the first sum not above u",
    "You took the first sum that does not exceed u, and asked is for the first that does.",
    "`argmax` finds the first True, and `argmin` the first False.",
    find=lambda ends, u: (ends > np.expand_dims(u, axis=-1)).argmin(axis=-1),
)


late_and_cut = wrongly_set(
    turned,
    "one index too late, the last one at most",
    "You went one too far: this is the weight after the one that u lands on.",
    "Python counts from 0, so if no weight ends before u, the index is 0.",
    ends=added_up,
    find=lambda ends, u: np.minimum(passed(ends, u) + 1, ends.shape[-1] - 1),
)


@mistake("the weight in place of its index")
def weight(scores, u):
    """You gave the weight that u lands on; its index is asked for.

    Return where it stands in the row, counted from 0.
    """
    at = first_above(added_up(attnlib.softmax(scores)), u)
    return np.take_along_axis(attnlib.softmax(scores), at[..., None], axis=-1)[..., 0]


def as_often_as_its_weight(answer, scores, u):
    """Send a thousand u, evenly spread, through a row, and count: the first row, and the last."""
    rows = scores.reshape(-1, scores.shape[-1])
    many, places = (np.arange(1000) + 0.5) / 1000, np.arange(scores.shape[-1])
    two = np.stack([rows[:1], rows[-1:]]).repeat(1000, axis=1)
    drawn = answer(two.reshape(2000, -1), np.tile(many, 2)).reshape(2, 1000, 1)
    shares = (drawn == places).mean(axis=1)
    return bool(np.abs(shares - attnlib.softmax(two[:, 0])).max() < 3e-3)


def never_back(answer, scores, u):
    """Let each u go half of the way to 1, and nearly all of it."""
    found = [answer(scores, x) for x in (u, (1 + u) / 2, np.full_like(u, ALMOST_1))]
    return bool((found[1] >= found[0]).all() and (found[2] >= found[0]).all())


WHOLE = Fact(
    "the answer is of whole numbers",
    lambda f, *inputs: f(*inputs).dtype == int,
    "An index is a whole number: NumPy looks nothing up by 2.0. A sum of True and False is whole, "
    "and so is what `argmax` gives. Of floats, `astype(int)` makes whole numbers.",
)
EXERCISE = Exercise(
    solution=sample,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES.of("scores"),),
    facts=(
        Fact("over all u, each index comes as often as its weight says", as_often_as_its_weight),
        WHOLE,
        Fact("every index is one of the row's", lambda f, s, u: bool(
            ((f(s, u) >= 0) & (f(s, u) < s.shape[-1])).all())),
        Fact("a larger u never gives a smaller index", never_back),
        Fact("adding a number to a row changes nothing", lambda f, s, u: close(
            f(s - s.max(axis=-1, keepdims=True), u), f(s, u))),
    ),
    hints=(
        "Lay the weights end to end: `np.cumsum` along the last axis says where each one ends, and "
        "u falls on the first that ends above it. The last end should be 1, but rounding can leave "
        "it just below, so think of a u between the two as well.",
        "Compare all ends of a row with its u at once: for that u needs a last axis of length 1, "
        "`u[..., None]`. The index is the number of ends that lie at u or below, or the place of "
        "the first end above u, which `argmax` finds. Neither is right yet for a u beyond the "
        "last end.",
        "For a u beyond the last end, make the last end stand for 1: divide all ends of a row by "
        "the last one, or compare with u times the last one. Then u never reaches it.",
    ),
)  # fmt: skip
