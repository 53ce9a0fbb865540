"""Right answers to masked_attention, and wrong ones."""

import numpy as np

from attnlib.checks.engine import examine
from attnlib.checks.exercise import close
from attnlib.checks.exercises.masked_attention import EXERCISE, STRETCHED, turned
from tests.checks.by_hand import loops, softened
from tests.checks.promised import inputs_of
from tests.checks.weighers import weighed, weighed_beyond


def masked_by_loop(query, key, value, mask):
    if query.ndim > 2:
        each = np.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))
        return [masked_by_loop(*x) for x in zip(query, key, value, each, strict=True)]
    return loops(query.tolist(), key.tolist(), value.tolist(), mask.tolist())


def masked_by_finite(query, key, value, mask):
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(key.shape[-1])
    scores[~np.broadcast_to(mask, scores.shape)] = -1e9
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e @ value / e.sum(axis=-1, keepdims=True)


def masked_by_bias(query, key, value, mask):
    with np.errstate(divide="ignore"):
        scores = np.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
        scores = scores + np.log(mask)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ value


VARIANTS = (masked_by_loop, masked_by_finite, masked_by_bias)


def scores(query, key, *_):
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def lowered(by):
    def masked(query, key, value, mask):
        return softened(scores(query, key) + np.where(mask, 0, by)) @ value

    return masked


def stood_in(by):
    def masked(query, key, value, mask):
        return softened(np.where(mask, scores(query, key), by)) @ value

    return masked


def masked_by_a_product(query, key, value, mask):
    return softened(scores(query, key) + (1 - mask) * -np.inf) @ value


NAMED = (
    (lowered(-1e4), "a finite number added"),
    (stood_in(-10), "-10 for -inf"),
    (masked_by_a_product, "0 times -inf"),
)


def masks():
    yield "the mask of the first query", lambda m: np.broadcast_to(m[:1], m.shape) if len(m) else m
    yield "all visible taken for none", lambda m: m & ~m.all(axis=-1, keepdims=True)
    yield "one visible taken for all", lambda m: m | (m.sum(axis=-1, keepdims=True) == 1)


def wrong():
    yield from weighed(turned)
    for by in (-1, -10, -20, -50, -100, -700, -1e3, -9990, -1e4):
        yield f"{by} for -inf", stood_in(by)
    for by in (-10, -20, -100, -1e3, -1e4):
        yield f"{by} added", lowered(by)
    for slack in (1e-9, 1e-3):

        def late(q, k, v, m, slack=slack):
            weights = softened(scores(q, k)) * m
            return weights / (weights.sum(axis=-1, keepdims=True) + slack) @ v

        yield f"hidden after the softmax, {slack} below", late
    yield (
        "the lowest score for -inf",
        lambda q, k, v, m: stood_in(scores(q, k).min(initial=0) - 5)(q, k, v, m),
    )
    for label, change in masks():
        yield label, lambda q, k, v, m, change=change: EXERCISE.answer(q, k, v, change(m))


def beyond():
    yield from weighed_beyond(turned)
    for by in (-1e5, -1e6):
        yield f"{by} for -inf", stood_in(by)


def test_a_stand_in_in_the_place_of_a_hidden_score_passes():
    for by in (-np.inf, -1e9, np.finfo(np.float32).min):
        report = examine(EXERCISE, stood_in(by))
        assert (report.status, report.remarks) == ("passed", ()), by
    assert examine(EXERCISE, lowered(-1e9)).status == "passed"  # scores end long before


def test_a_mask_that_is_stretched_is_the_same_as_a_whole_one():
    for query, key, value, mask in inputs_of(EXERCISE, STRETCHED):
        whole = np.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))
        assert mask.shape != whole.shape
        assert close(
            EXERCISE.answer(query, key, value, mask), EXERCISE.answer(query, key, value, whole)
        )
