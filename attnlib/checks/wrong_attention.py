"""The mistakes anyone can make between query, key, value and the output, made once for all.

Every wrong function here takes ``(query, key, value, mask=None)``; an exercise puts its own first
and last steps around it with `Mistake.around`.
"""

import numpy as np

import attnlib
from attnlib.checks.exercise import Mistake, mistake, wrongly_set


def scores_of(query, key, mask=None, *, scale=None):
    """Give scores at any scale, a number or ``scale(query, key)``, and -inf where hidden."""
    scale = scale(query, key) if callable(scale) else scale
    scores = attnlib.attention_scores(query, key, scale=scale)
    return scores if mask is None else np.where(mask, scores, -np.inf)


def attend(query, key, value, mask=None, *, scale=None, weigh=attnlib.softmax, mixed="value"):
    """Attend with a scale, a step from scores to weights, and what they mix, which may be wrong."""
    weights = weigh(scores_of(query, key, mask, scale=scale))
    return weights @ {"value": value, "key": key}[mixed]


def over_everything(scores):
    """Softmax over all of the last two axes together."""
    weights = np.exp(scores - scores.max(axis=(-2, -1), keepdims=True))
    return weights / weights.sum(axis=(-2, -1), keepdims=True)


def flattened(scores):
    """Softmax whose maxima and sums have lost their axis."""
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=-1)


def divided_flat(scores):
    """Softmax whose sums have lost their axis."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1)


def one_hot(scores):
    """All the weight on the highest score of each row, the first of several."""
    return np.eye(scores.shape[-1])[scores.argmax(axis=-1)]


def shifted_above(scores):
    """Softmax that subtracts each row's largest score above the line, and not below it."""
    return np.exp(scores - scores.max(axis=-1, keepdims=True)) / np.exp(scores).sum(
        axis=-1, keepdims=True
    )


def unshifted(scores):
    """Softmax that overflows."""
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


no_scaling = wrongly_set(
    attend,
    "no scaling",
    "You did not scale the scores.",
    "Divide them by the square root of the width of a query, before the softmax: a wide query "
    "sums up more products, so its scores come out larger.",
    scale=1.0,
)

by_width = wrongly_set(
    attend,
    "divided by the width",
    "All in all, your scores are divided by the width of a query; it has to be its square root.",
    "A sum of d products spreads with the square root of d only. Is the root missing, or is there "
    "a division by it in two places?",
    scale=lambda query, key: 1 / query.shape[-1],
)

by_n_keys = wrongly_set(
    attend,
    "square root of n_keys",
    "You divided the scores by the square root of the number of keys.",
    "How many keys there are makes no score larger. The width of a query counts, which is its "
    "last axis.",
    scale=lambda query, key: 1 / np.sqrt(key.shape[-2]),
)

multiplied = wrongly_set(
    attend,
    "multiplied by the scale",
    "You multiplied the scores by the square root of the width, but they have to be divided by it.",
    "Wide queries make large scores, so the scale has to make them smaller.",
    scale=lambda query, key: np.sqrt(query.shape[-1]),
)

columns = wrongly_set(
    attend,
    "softmax down the columns",
    "You normalised down the columns: axis -2 (axis 0 of a matrix).",
    "Each row belongs to one query, and its weights have to sum to 1, so the softmax runs along "
    "the last axis.",
    weigh=lambda s: attnlib.softmax(s, axis=-2),
)

everything = wrongly_set(
    attend,
    "softmax over everything",
    "You normalised over all scores at once: together they sum to 1, not each row.",
    "Every query has a whole of its own to share out. Take the largest score and the sum of each "
    "row, which is the last axis, and keep that axis.",
    weigh=over_everything,
)

not_normalised = wrongly_set(
    attend,
    "weights not normalised",
    "You took the exponential and did not divide by each row's sum.",
    "The weights of a query are shares of one whole: divided by the sum of their row, they sum to "
    "1.",
    weigh=np.exp,
)

hard = wrongly_set(
    attend,
    "hard argmax",
    "You gave all the weight to the highest score.",
    "A softmax gives every key that may be looked at a share, so that the output is a mixture of "
    "the values.",
    weigh=one_hot,
)

raw = wrongly_set(
    attend,
    "no softmax",
    "You mixed the values with the raw scores, so the softmax is missing.",
    "A softmax along each row first makes weights of the scores: positive numbers that sum to 1.",
    weigh=lambda s: np.where(s == -np.inf, 0, s),
)


@mistake("scaled after the softmax")
def scaled_late(query, key, value, mask=None):
    """You scaled the weights, after the softmax, but the scores are what has to be scaled.

    Divide before the softmax. Afterwards you only take away from weights that summed to 1.
    """
    return attend(query, key, value, mask, scale=1.0) / np.sqrt(query.shape[-1])


mixed_keys = wrongly_set(
    attend,
    "weights @ key",
    "You mixed the keys: the weights are right, but the values are what they should mix.",
    "A key is there to be compared, and a value is what is handed over.",
    mixed="key",
)


@mistake("value @ weights")
def value_first(query, key, value, mask=None):
    """You multiplied in the wrong order: the weights come first.

    With a token in each row, (n_queries, n_keys) times (n_keys, d_value) gives one row for each
    query.
    """
    return value @ attnlib.attention_weights(query, key, mask=mask)


@mistake("keepdims forgotten")
def no_keepdims(query, key, value, mask=None):
    """You took a row's maximum and sum without `keepdims=True`: they were used column by column.

    With its axis kept, at length 1, a row's number is used all along that row. Without it, NumPy
    lines the numbers up with the columns.
    """
    return attend(query, key, value, mask, weigh=flattened)


@mistake("keepdims forgotten in the sum")
def no_keepdims_in_sum(query, key, value, mask=None):
    """You divided by each row's sum, but the sums have lost their axis and lie along the columns.

    A sum along an axis takes that axis away, unless it is told to keep it. Kept, at length 1, a
    row's sum is used all along that row.
    """
    return attend(query, key, value, mask, weigh=divided_flat)


@mistake("key not transposed")
def not_transposed(query, key, value, mask=None):
    """Query and key met as they are, but one of the two has to be transposed.

    Every query should meet every key, feature by feature. Both keep their features along the last
    axis, and a matrix product joins the last axis of its left side with the second to last of its
    right.
    """
    scores = query @ key / np.sqrt(query.shape[-1])
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    weights = attnlib.softmax(scores)
    return weights @ value


@mistake("weights transposed")
def transposed(query, key, value, mask=None):
    """You transposed the weights before mixing the values.

    Rows are queries and columns are keys already, which is what the product with the values needs.
    """
    return attnlib.attention_weights(query, key, mask=mask).swapaxes(-1, -2) @ value


@mistake("query and key swapped")
def swapped(query, key, value, mask=None):
    """Each row of your scores belongs to a key, and it should belong to a query.

    Each query needs a row of scores: it comes first in the product, and the key is the one to
    transpose. The scores themselves are not.
    """
    return attend(key, query, value, mask)


by_half = wrongly_set(
    attend,
    "divided by half the width",
    "You divided the scores by half the width of a query; it has to be its square root.",
    "In `d ** 1 / 2` the power comes first, so it is half of d. `d ** 0.5` and `np.sqrt(d)` are "
    "the root.",
    scale=lambda query, key: 2 / query.shape[-1],
)

by_double = wrongly_set(
    attend,
    "divided by twice the width",
    "You divided the scores by the width of a query and by 2; it has to be its square root.",
    "In `scores / d ** 1/2` the power comes first, and then one division after the other: it is "
    "`scores / d / 2`. `d ** 0.5` and `np.sqrt(d)` are the root.",
    scale=lambda query, key: 1 / (2 * query.shape[-1]),
)

half_shift = wrongly_set(
    attend,
    "largest score subtracted above alone",
    "You subtracted each row's largest score above the line, and not below it.",
    "What is subtracted from the exponents has to be the same in both: work out the exponentials "
    "once, and divide them by their own sum.",
    weigh=shifted_above,
)

only_shifted = wrongly_set(
    attend,
    "shifted but not normalised",
    "You subtracted each row's largest score and took exponentials; dividing by their sum is "
    "missing.",
    "The weights of a query are shares of one whole: divided by the sum of their row, they sum to "
    "1.",
    weigh=lambda s: np.exp(s - s.max(axis=-1, keepdims=True)),
)

softened_twice = wrongly_set(
    attend,
    "softmax taken twice",
    "You took the softmax of the weights once more, which makes them nearly even.",
    "One softmax makes weights of scores. After it they are ready to mix the values.",
    weigh=lambda s: attnlib.softmax(attnlib.softmax(s)),
)


@mistake("key reshaped")
def reshaped(query, key, value, mask=None):
    """You reshaped the keys, where they have to be transposed.

    A reshape keeps the numbers in their order, so no row becomes a column by it. Let the last two
    axes change places.
    """
    scores = query @ key.reshape(*key.shape[:-2], *key.shape[:-3:-1]) / np.sqrt(query.shape[-1])
    return attnlib.softmax(scores if mask is None else np.where(mask, scores, -np.inf)) @ value


@mistake("causal")
def causal(query, key, value, mask=None):
    """You hid from every query the keys that come after it, which nobody asked for here.

    Every query looks at all the keys that it may see, wherever they stand. Leave that mask out.
    """
    seen = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
    return attend(query, key, value, seen)


@mistake("output scaled as well")
def scaled_again(query, key, value, mask=None):
    """You divided the output by the square root of the width, on top of the scores.

    The scale belongs to the scores alone. The output is a mean of the values, as large as they are.
    """
    return attend(query, key, value, mask) / np.sqrt(query.shape[-1])


@mistake("divided by the number of keys")
def divided(query, key, value, mask=None):
    """You divided the output by the number of keys, and the weights sum to 1 already.

    A weighted mean whose weights sum to 1 is complete. Leave that division out.
    """
    return attend(query, key, value, mask) / key.shape[-2]


@mistake("square root of d_value")
def by_d_value(query, key, value, mask=None):
    """You divided the scores by the square root of the width of a value.

    Values are not part of a score, however wide they are: take the width of a query.
    """
    return attend(query, key, value, mask, scale=1 / np.sqrt(value.shape[-1]))


def single() -> tuple[Mistake, ...]:
    """Give those that are added where attention stands alone, without heads."""
    return (
        by_half, by_double, half_shift, only_shifted, softened_twice, reshaped, causal,
        scaled_again, divided, by_d_value,
    )  # fmt: skip


def family() -> tuple[Mistake, ...]:
    """Give those that make sense with a mask and without, whatever the number of keys."""
    made = (known for known in globals().values() if isinstance(known, Mistake))
    return tuple(known for known in made if known not in (transposed, swapped, *single()))
