"""Right answers to softmax_backward, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.softmax_backward import CERTAIN, EXERCISE
from tests.checks.by_hand import dot, softmax_back_by_jacobian
from tests.checks.promised import inputs_of
from tests.checks.sweep import spoiled
from tests.checks.weighers import top


def softmax_back_by_loop(grad_weights, weights):
    if np.ndim(weights) > 1:
        return [softmax_back_by_loop(*rows) for rows in zip(grad_weights, weights, strict=True)]
    mean = dot(weights, grad_weights)
    return [float(w * (g - mean)) for w, g in zip(weights, grad_weights, strict=True)]


def softmax_back_by_difference(grad_weights, weights):
    product = grad_weights * weights
    return product - weights * np.sum(product, -1, keepdims=True)


def softmax_back_by_einsum(grad_weights, weights):
    mean = np.einsum("...j,...j->...", weights, grad_weights)
    return weights * (grad_weights - np.expand_dims(mean, -1))


def softmax_back_by_pairs(grad_weights, weights):
    apart = grad_weights[..., :, None] - grad_weights[..., None, :]  # score i against weight j
    return (weights[..., :, None] * weights[..., None, :] * apart).sum(axis=-1)


VARIANTS = (
    softmax_back_by_loop,
    softmax_back_by_jacobian,
    softmax_back_by_difference,
    softmax_back_by_einsum,
    softmax_back_by_pairs,
)


KNOBS = {
    "first": (np.ones_like, np.abs),
    "last": (lambda g, w: g * w * w, lambda g, w: g / w),
}


HARMLESS = {"weights divided by their sum": "that sum is 1"}


def wrong():
    answer = EXERCISE.answer
    changes = {
        "of 1e-3 at least": lambda w: np.maximum(w, 1e-3),
        "of 1e-6 at least": lambda w: np.maximum(w, 1e-6),
        "of 0.9 at most": lambda w: np.minimum(w, 0.9),
        "of 0.999 at most": lambda w: np.minimum(w, 0.999),
        "rounded": lambda w: np.round(w, 2),
        "sorted": lambda w: np.sort(w, axis=-1),
        "even": lambda w: np.full_like(w, 1 / w.shape[-1]),
        "below 0.1 left out": lambda w: np.where(w < 0.1, 0, w),
        "divided by their sum": lambda w: w / w.sum(axis=-1, keepdims=True),
    }
    for label, change in changes.items():
        yield f"weights {label}", lambda g, w, change=change: answer(g, change(w))

    def divided(g, w):
        return w * (w * g / w - (w * g).sum(axis=-1, keepdims=True))

    def by_others(g, w):
        others = (w * g).sum(axis=-1, keepdims=True) - w * g
        return w * (1 - w) * (g - others / (1 - w))

    yield "divided by the weights", divided
    yield "divided by what the others have", by_others
    yield "the largest weight as all", lambda g, w: answer(g, 1.0 * (w == top(w)))
    yield "gradients at most 10", lambda g, w: answer(np.clip(g, -10, 10), w)
    yield spoiled(EXERCISE, "wrong for a weight of 0", lambda g, w: 0 in w)
    yield spoiled(EXERCISE, "wrong for a weight of 1", lambda g, w: w.shape[-1] > 1 and 1 in w)


def beyond():
    yield spoiled(EXERCISE, "wrong for a row of 0", lambda g, w: (~w.any(axis=-1)).any())
    yield "by NumPy's average", by_average


def by_average(g, w):
    return w * (g - np.average(g, axis=-1, weights=w)[..., None])


def test_weights_are_0_and_1():
    found = [weights for _, weights in inputs_of(EXERCISE, CERTAIN)]
    assert any((weights.max(axis=-1) == 1).all() for weights in found)
    shared = [weights[(weights > 0).sum(axis=-1) > 1] for weights in found]
    assert any((weights == 0).any() for weights in shared)


def jacobian_by_row(grad_weights, weights):
    return [(np.diag(w) - np.outer(w, w)) @ g for g, w in zip(grad_weights, weights, strict=True)]


NAMED = (
    (lambda g, w: w * (g - (w * g).sum(axis=1)[:, None]), "axis 1 for the last axis"),
    (lambda g, w: w * g - (w * g).mean(-1, keepdims=True) * w, "divided by n, too"),
    (lambda g, w: (np.diag(w) - np.outer(w, w)) @ g, "a single row alone"),
    (jacobian_by_row, "rows along the first axis"),
)
