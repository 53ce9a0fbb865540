"""Right answers to mutual_best, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.mutual_best import EXERCISE, chosen, ties
from tests.checks.sweep import spoiled


def mutual_by_loop(weights, weights_back):
    n, m = weights.shape
    there = [row.index(max(row)) for row in weights.tolist()]
    back = [row.index(max(row)) for row in weights_back.tolist()]
    return [[there[i] == j and back[j] == i for j in range(m)] for i in range(n)]


def mutual_by_fill(weights, weights_back):
    table = np.zeros(weights.shape, dtype=bool)
    for i, j in enumerate(weights.argmax(axis=1)):
        table[i, j] = np.argmax(weights_back[j]) == i
    return table


def mutual_by_index(weights, weights_back):
    best, i = weights.argmax(axis=-1), np.arange(len(weights))
    table = np.zeros_like(weights, dtype=bool)
    table[i, best] = weights_back.argmax(axis=-1)[best] == i
    return table


def mutual_by_eye(weights, weights_back):
    n, m = weights.shape
    there, back = np.eye(m)[weights.argmax(1)], np.eye(n)[weights_back.argmax(1)]
    return np.einsum("ij,ji->ij", there, back) > 0


def mutual_by_first_maximum(weights, weights_back):
    def first(w):
        largest = w == w.max(axis=-1, keepdims=True)
        return largest & (largest.cumsum(axis=-1) == 1)

    return np.logical_and(first(weights), first(weights_back).T)


def mutual_by_sorting(weights, weights_back):
    pairs = enumerate(np.argsort(-weights, axis=1, kind="stable")[:, 0])
    back = enumerate(np.argsort(-weights_back, axis=1, kind="stable")[:, 0])
    agreed = set(pairs) & {(i, j) for j, i in back}
    return [[(i, j) in agreed for j in range(len(weights_back))] for i in range(len(weights))]


VARIANTS = (
    mutual_by_loop,
    mutual_by_fill,
    mutual_by_index,
    mutual_by_eye,
    mutual_by_first_maximum,
    mutual_by_sorting,
)


KNOBS = {"after": (np.logical_not,)}


def wrong():
    answer = EXERCISE.answer
    changes = {f"rounded to {k} decimals": lambda w, k=k: np.round(w, k) for k in (1, 2, 3, 4)}
    changes |= {
        "in float16": lambda w: w.astype(np.float16),
        "at most 0.3": lambda w: np.minimum(w, 0.3),
        "at most 0.1": lambda w: np.minimum(w, 0.1),
        "at least 0.2": lambda w: np.maximum(w, 0.2),
        "in hundredths": lambda w: np.floor(100 * w),
        "sorted": lambda w: np.sort(w, axis=-1),
        "less the mean of each column": lambda w: w - w.mean(axis=0),
        "over the sum of each column": lambda w: w / w.sum(axis=0),
        "the latter preferred": lambda w: w + 1e-9 * np.arange(w.shape[-1]),
        "the middle preferred": lambda w: (
            w - 1e-9 * np.abs(np.arange(w.shape[-1]) - w.shape[-1] / 2)
        ),
        "the diagonal preferred": lambda w: w + 1e-9 * np.eye(*w.shape),
    }
    for label, change in changes.items():
        yield f"both ways {label}", lambda w, b, change=change: answer(change(w), change(b))
        yield f"weights {label}", lambda w, b, change=change: answer(change(w), b)
        yield f"weights_back {label}", lambda w, b, change=change: answer(w, change(b))

    largest = ties.setting["choose"]

    def clear(lead):
        def only(w):
            top = np.sort(w, axis=-1)[:, -2:]
            return chosen(w) & (top[:, :1] + lead < top[:, -1:] + (w.shape[-1] == 1))

        return only

    yield "equals kept one way", lambda w, b: largest(w) & chosen(b).T
    yield "equals kept the other way", lambda w, b: chosen(w) & largest(b).T
    for slack in (1e-2, 1e-3, 1e-5):

        def near(w, slack=slack):
            return w >= w.max(axis=-1, keepdims=True) - slack

        yield f"within {slack} of the largest", lambda w, b, near=near: near(w) & near(b).T
    for lead in (0, 1e-4, 1e-2, 0.1):
        only = clear(lead)
        yield f"ahead by more than {lead}", lambda w, b, only=only: only(w) & only(b).T
    for least in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4):
        yield (
            f"only above {least}",
            lambda w, b, least=least: answer(w, b) & (w > least) & (b > least).T,
        )
    yield (
        "where the mean of both is best",
        lambda w, b: chosen(w + b.T) & chosen((w + b.T).T).T,
    )
    yield "where the product is best", lambda w, b: chosen(w * b.T) & chosen((w * b.T).T).T
    yield "those without a partner take their best", without_partner
    yield "the first pair alone", lambda w, b: pair_number(answer(w, b), 1)
    yield "the first two pairs alone", lambda w, b: pair_number(answer(w, b), 2)
    yield "no two pairs crossing", uncrossed
    yield "as int8", lambda w, b: answer(w, b).astype(np.int8)
    yield "axes of length 1 dropped", lambda w, b: np.squeeze(answer(w, b))
    yield (
        "numbers up to 127",
        lambda w, b: answer(w, b) & (np.arange(w.shape[1]) <= 127),
    )
    yield spoiled(EXERCISE, "wrong for one source word", lambda w, b: len(b) == 1)
    yield spoiled(EXERCISE, "wrong for one target word", lambda w, b: len(w) == 1)


def without_partner(w, b):
    table = EXERCISE.answer(w, b)
    return table | (chosen(w) & ~table.any(axis=1, keepdims=True))


def pair_number(table, most):
    return table & (table.any(axis=1).cumsum() <= most)[:, None]


def uncrossed(w, b):
    table, last = EXERCISE.answer(w, b), -1
    for row in table:
        row[: last + 1] = False
        last = max(last, row.argmax() if row.any() else -1)
    return table
