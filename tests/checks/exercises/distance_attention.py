"""Right answers to distance_attention, and wrong ones."""

import functools

import numpy as np

import attnlib
from attnlib.checks.exercises.distance_attention import (
    AWAY,
    EXERCISE,
    FAR,
    WIDTHS,
    by_feature,
    nearness,
    squares,
)
from tests.checks.by_hand import dot, mix, softmax_by_logs, softmax_row
from tests.checks.promised import inputs_of
from tests.checks.weighers import weighed


def nearness_by_loop(query, key, value, width):
    if query.ndim > 2:
        rows = [nearness_by_loop(*x, width) for x in zip(query, key, value, strict=True)]
        return np.array(rows).reshape(*query.shape[:-1], value.shape[-1])
    out = np.zeros((len(query), value.shape[-1]))
    for i, q in enumerate(query):
        row = softmax_row([-dot(q - k, q - k) / (2 * width**2) for k in key])
        out[i] = mix(row, value)
    return out


def nearness_by_feature(query, key, value, width):
    scores = np.zeros((*query.shape[:-1], key.shape[-2]))
    for i in range(query.shape[-1]):
        scores -= ((query[..., None, i] - key[..., None, :, i]) / width) ** 2 / 2
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e @ value / e.sum(axis=-1, keepdims=True)


def nearness_by_norm(query, key, value, width):
    away = np.zeros((*query.shape[:-1], key.shape[-2]))
    for i in range(query.shape[-2]):
        away[..., i, :] = np.linalg.norm(query[..., i, None, :] - key, axis=-1)
    e = np.exp(-0.5 * (away**2 - away.min(axis=-1, keepdims=True) ** 2) / width**2)
    return e / e.sum(axis=-1, keepdims=True) @ value


def nearness_from_the_mean(query, key, value, width):
    mean = key.mean(axis=-2, keepdims=True)
    q, k = (query - mean) / width, (key - mean) / width
    squared = (q**2).sum(-1, keepdims=True) + (k**2).sum(-1)[..., None, :]
    return softmax_by_logs(q @ k.swapaxes(-1, -2) - squared / 2) @ value


def nearness_without_query(query, key, value, width):
    middle = (key.max(axis=-2, keepdims=True) + key.min(axis=-2, keepdims=True)) / 2
    query, key = query - middle, key - middle
    scores = (query @ key.swapaxes(-1, -2) - (key**2).sum(axis=-1)[..., None, :] / 2) / width**2
    return softmax_by_logs(scores) @ value


VARIANTS = (
    nearness_by_loop,
    nearness_by_feature,
    nearness_by_norm,
    nearness_from_the_mean,
    nearness_without_query,
)


turned = functools.partial(nearness, away=by_feature)


HARMLESS = {
    "clipped above 700": "no such score is above 0",
    "shifted by the maximum, at most 700": "no such score is above 0",
    "shifted by the maximum, at most 9e3": "no such score is above 0",
}


def scores(query, key, _, width):
    return -by_feature(query, key) / (2 * width**2)


def wrong():
    yield from weighed(turned)
    answer = EXERCISE.answer
    changes = {
        "at least 0.011": lambda w: max(w, 0.011),
        "at least 0.1": lambda w: max(w, 0.1),
        "at most 99": lambda w: min(w, 99),
        "at most 10": lambda w: min(w, 10),
        "made whole": lambda w: max(round(w), 1),
        "0.01 added": lambda w: w + 0.01,
        "0.001 added": lambda w: w + 1e-3,
        "rounded to 2 decimals": lambda w: max(round(w, 2), 1e-9),
        "at most 1": lambda w: min(w, 1),
        "at least 1": lambda w: max(w, 1),
        "its root": np.sqrt,
        "1": lambda w: 1.0,
    }
    for label, change in changes.items():
        yield f"a width {label}", lambda *x, change=change: answer(*x[:3], float(change(x[3])))

    spoiled = {
        "1e-3 added to distances, squared": lambda s, w: (np.sqrt(s) + 1e-3) ** 2,
        "squares at most 1e4": lambda s, w: np.minimum(s, 1e4),
        "squares at most 1e9": lambda s, w: np.minimum(s, 1e9),
        "squares at least 1e-3": lambda s, w: np.maximum(s, 1e-3),
        "squares rounded": lambda s, w: np.round(s, 3),
        "nothing beyond 3 widths": lambda s, w: np.where(s > 9 * w**2, np.inf, s),
        "in widths, cut at 30": lambda s, w: np.minimum(s, 900 * w**2),
        "squares in float16": lambda s, w: s.astype(np.float16).astype(float),
        "the nearest at 0": lambda s, w: np.where(s == s.min(-1, keepdims=True), 0, s),
    }
    for label, change in spoiled.items():
        yield (
            label,
            lambda q, k, v, w, change=change: nearness(
                q, k, v, w, away=lambda q, k: change(squares(q, k), w)
            ),
        )
    yield (
        "keys of one length",
        lambda q, k, *x: answer(
            q, k / np.maximum(np.linalg.norm(k, axis=-1, keepdims=True), 1e-9), *x
        ),
    )  # fmt: skip
    yield "keys' lengths forgotten", lambda q, k, v, w: attnlib.attention(q, k, v, scale=1 / w**2)


def test_widths_reach_their_ends_and_queries_stand_near_and_far():
    widths = [width for *_, width in inputs_of(EXERCISE, WIDTHS)]
    assert (min(widths), max(widths)) == (0.01, 100)
    far = inputs_of(EXERCISE, FAR)
    rows = [-s / 2 for q, k, *_ in far for s in squares(q, k)]
    assert any(row.max() < -800 for row in rows)
    assert any(row.max() < -800 and np.ptp(row) < 10 for row in rows)
    assert any(row.max() == 0 for row in rows)
    assert any(row.min() < -9900 for row in rows)


def test_points_lie_far_from_the_origin_and_near_each_other():
    for query, key, _, width in inputs_of(EXERCISE, AWAY):
        assert np.abs(key).min(axis=0).max() > 9e5
        assert np.sqrt(squares(query, key).max()) < 10 * width
        assert all((x == x.astype(np.float32)).all() for x in (query, key))
