"""Right answers to self_attention, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.self_attention import turned
from tests.checks.by_hand import self_by_columns, self_by_loop, softened
from tests.checks.weighers import weighed

VARIANTS = (self_by_loop, self_by_columns)


KNOBS = {
    "made": (lambda x, q, k, v: (x @ k, x @ k, x @ v), lambda x, q, k, v: (x @ k, x @ k, x)),
}


def scores(x, w_query, w_key, _):
    query, key = x @ w_query, x @ w_key
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def wrong():
    yield from weighed(turned)


def mixed_the_other_way(x, w_query, w_key, w_value):
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    return value @ softened(query @ key.T / np.sqrt(query.shape[-1]))


def column_by_column(x, w_query, w_key, w_value):
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    return softened(query @ key.T / np.sqrt(key.shape[1]), keepdims=False) @ value


NAMED = (
    (mixed_the_other_way, "value @ weights"),
    (column_by_column, "keepdims forgotten"),
)
