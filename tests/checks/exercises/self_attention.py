"""Right answers to self_attention, wrong ones, and what it promises."""

import numpy as np

from tests.checks.by_hand import self_by_columns, self_by_loop, softened
from tests.checks.knobs import ATTENTION, RIGHT, scaled_scores
from tests.checks.weighers import weighed

VARIANTS = (self_by_loop, self_by_columns)


def turned(x, w_query, w_key, w_value, *, scale, weigh, value, query):
    v = {"right": x @ w_value, "x": x, "key": x @ w_key}[value]
    q = x @ (w_query if query == "right" else w_key)
    return weigh(scaled_scores(q, x @ w_key, scale)) @ v


KNOBS = ATTENTION | {"value": (*RIGHT, "x", "key"), "query": (*RIGHT, "key")}


def scores(x, w_query, w_key, _):
    query, key = x @ w_query, x @ w_key
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def wrong():
    yield from weighed(turned, KNOBS)


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
