"""Right answers to attention, and wrong ones."""

import numpy as np

from attnlib.checks.wrong_attention import attend as turned
from tests.checks.by_hand import loops
from tests.checks.weighers import weighed, weighed_beyond


def attention_by_loop(query, key, value):
    if query.ndim == 2:
        rows = loops(query.tolist(), key.tolist(), value.tolist())
        return np.array(rows).reshape(len(query), value.shape[-1])
    rows = [attention_by_loop(*each) for each in zip(query, key, value, strict=True)]
    return np.array(rows).reshape(*query.shape[:-1], value.shape[-1])


def attention_by_einsum(query, key, value):
    scores = np.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5
    e = np.exp(scores - scores.max(axis=-1)[..., None])
    return np.einsum("...qk,...kd->...qd", e / e.sum(axis=-1)[..., None], value)


def attention_divided_last(query, key, value):
    scores = query / np.sqrt(key.shape[-1]) @ np.swapaxes(key, -2, -1)
    e = np.exp(scores - np.max(scores, -1, keepdims=True))
    return (e @ value) / np.sum(e, -1, keepdims=True)


def attention_by_columns(query, key, value):
    scores = key @ query.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return (e / e.sum(axis=-2, keepdims=True)).swapaxes(-1, -2) @ value


VARIANTS = (attention_by_loop, attention_by_einsum, attention_divided_last, attention_by_columns)


def scores(query, key, _):
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def untransposed(query, key, value):
    scores = np.matmul(query, key) / np.sqrt(key.shape[-1])
    return np.exp(scores) @ value


NAMED = (
    (untransposed, "key not transposed"),
    (lambda q, k, v: v @ (q @ k.swapaxes(-1, -2)), "value @ weights"),
)


def wrong():
    yield from weighed(turned)


def beyond():
    yield from weighed_beyond(turned)
