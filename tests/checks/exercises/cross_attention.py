"""Right answers to cross_attention, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.exercises.cross_attention import project
from attnlib.checks.wrong_attention import attend, unshifted
from tests.checks.by_hand import loops, softened
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


def turned(*inputs, made=project, scale=None, weigh=attnlib.softmax, mixed="value"):
    return attend(*made(*inputs), scale=scale, weigh=weigh, mixed=mixed)


KNOBS = {
    "made": (lambda target, source, *matrices: project(source, target, *matrices),),
    "weigh": (unshifted,),
}


def scores(target, source, w_query, w_key, _):
    return attnlib.attention_scores(target @ w_query, source @ w_key)


def wrong():
    yield from weighed(turned)


def attended(query, key, value):
    return softened(query @ key.T / np.sqrt(key.shape[1])) @ value


def weights_turned(target, source, w_query, w_key, w_value):
    query, key = target @ w_query, source @ w_key
    return softened(query @ key.T / np.sqrt(key.shape[1])).T @ (source @ w_value)


NAMED = (
    (weights_turned, "weights transposed"),
    (lambda t, s, q, k, v: attended(t @ q, s @ k, t @ v), "value from the target"),
    (lambda t, s, q, k, v: attended(t @ q, t @ k, s @ v), "keys from the target"),
)
