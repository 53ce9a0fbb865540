"""Right answers to softmax, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.softmax import EXERCISE
from tests.checks.by_hand import softened, softmax_by_logs, softmax_row
from tests.checks.weighers import WEIGHERS, WRONG_BEYOND

QUICK = True


def softmax_by_loop(scores):
    if np.ndim(scores) == 1:
        return softmax_row(list(scores))
    return [softmax_by_loop(part) for part in scores]


VARIANTS = (softmax_by_loop, softmax_by_logs)


def scores(s):
    return s


def wrong():
    yield from WEIGHERS.items()


def beyond():
    yield from WRONG_BEYOND.items()


def divided_in_place(scores):
    e = np.exp(scores)
    e /= e.sum(axis=1)
    return e


def unshifted_along_axis_1(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def row_by_row(scores):
    out = np.zeros(scores.shape)
    for i in range(len(scores)):
        out[i] = np.exp(scores[i] - scores[i].max()) / np.exp(scores[i] - scores[i].max()).sum()
    return out


NAMED = (
    (lambda s: softened(s, keepdims=False), "keepdims forgotten"),
    (lambda s: softened(s, axis=1, keepdims=False), "keepdims forgotten"),
    (divided_in_place, "keepdims forgotten in the sum"),
    (lambda s: softened(s, axis=1), "axis 1 for the last axis"),
    (unshifted_along_axis_1, "axis 1 for the last axis"),
    (row_by_row, "rows along the first axis"),
    (lambda s: softened(s, axis=-2), "softmax down the columns"),
    (lambda s: np.exp(s) / np.exp(s).sum(), "softmax over everything"),
)


def test_the_solution_keeps_scores_of_any_size():
    with np.errstate(over="ignore"):  # -inf is what the second score is due
        assert np.allclose(EXERCISE.solution(np.array([1e308, -1e308, 1e308])), [0.5, 0, 0.5])
