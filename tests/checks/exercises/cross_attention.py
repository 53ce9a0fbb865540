"""Right answers to cross_attention, wrong ones, and what it promises."""

import numpy as np

from tests.checks.by_hand import loops, softened
from tests.checks.knobs import ATTENTION, RIGHT, scaled_scores
from tests.checks.weighers import weighed


def cross_by_loop(target, source, w_query, w_key, w_value):
    return loops(
        (target @ w_query).tolist(), (source @ w_key).tolist(), (source @ w_value).tolist()
    )


def cross_by_late_value(target, source, w_query, w_key, w_value):
    scores = target @ (w_query @ w_key.T / w_key.shape[1] ** 0.5) @ source.T
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True) @ source) @ w_value


VARIANTS = (cross_by_loop, cross_by_late_value)


def turned(target, source, w_query, w_key, w_value, *, scale, weigh, reader, value):
    asks, answers = (target, source) if reader == "right" else (source, target)
    v = answers @ (w_value if value == "right" else w_key)
    return weigh(scaled_scores(asks @ w_query, answers @ w_key, scale)) @ v


KNOBS = ATTENTION | {"reader": (*RIGHT, "source"), "value": (*RIGHT, "key")}


def scores(target, source, w_query, w_key, _):
    query, key = target @ w_query, source @ w_key
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def wrong():
    yield from weighed(turned, KNOBS)


def values_of_the_target(target, source, w_query, w_key, w_value):
    query, key, value = target @ w_query, source @ w_key, target @ w_value
    return softened(query @ key.T / np.sqrt(key.shape[1])) @ value


def keys_of_the_target(target, source, w_query, w_key, w_value):
    query, key, value = target @ w_query, target @ w_key, source @ w_value
    return softened(query @ key.T / np.sqrt(key.shape[1])) @ value


def weights_turned(target, source, w_query, w_key, w_value):
    query, key = target @ w_query, source @ w_key
    return softened(query @ key.T / np.sqrt(key.shape[1])).T @ (source @ w_value)


NAMED = (
    (weights_turned, "weights transposed"),
    (values_of_the_target, "value from the target"),
    (keys_of_the_target, "keys from the target"),
)
