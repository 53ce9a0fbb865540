"""Right answers to cross_entropy, and wrong ones."""

import functools
import math

import numpy as np

import attnlib
from attnlib.checks.exercises.cross_entropy import (
    EXERCISE,
    FINITE,
    TARGETS,
    log_softmax,
    one_hot,
    turned,
)
from tests.checks.by_hand import softened
from tests.checks.knobs import set_to
from tests.checks.promised import inputs_of
from tests.checks.sweep import spoiled
from tests.checks.weighers import SHIFTS


def losses_by_loop(logits, targets):
    rows, places = logits.reshape(-1, logits.shape[-1]).tolist(), np.ravel(targets).tolist()
    loss, grads = 0.0, []
    for row, target in zip(rows, places, strict=True):
        total = math.fsum(math.exp(z - max(row)) for z in row)
        loss += math.log(total) + (max(row) - row[target])
        grads.append([
            (math.exp(z - max(row)) / total - (k == target)) / len(rows) for k, z in enumerate(row)
        ])  # fmt: skip
    return loss / len(rows), np.reshape(grads, logits.shape)


def losses_by_index(logits, targets):
    flat, places = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    n, rows = len(places), np.arange(len(places))
    shifted = flat - flat.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1)
    loss = np.mean(np.log(total) - shifted[rows, places])
    grad = np.exp(shifted) / total[:, None]
    grad[rows, places] -= 1
    return loss, (grad / n).reshape(logits.shape)


def losses_by_eye(logits, targets):
    target = np.eye(logits.shape[-1])[targets]
    shifted = logits - np.max(logits, axis=-1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))
    n = np.prod(logits.shape[:-1])
    return [-np.sum(np.where(target == 1, log_p, 0)) / n, np.exp(log_p) / n - target / n]


def losses_from_the_target(logits, targets):
    place = targets[..., None]
    beyond = logits - np.take_along_axis(logits, place, axis=-1)
    top = beyond.max(axis=-1, keepdims=True)
    loss = top + np.log(np.exp(beyond - top).sum(axis=-1, keepdims=True))
    grad = np.exp(beyond - loss)
    np.put_along_axis(grad, place, np.take_along_axis(grad, place, -1) - 1, axis=-1)
    return loss.mean(), grad / loss.size


def losses_by_probability(logits, targets):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    e, target = np.exp(shifted), np.arange(logits.shape[-1]) == np.expand_dims(targets, -1)
    total = e.sum(axis=-1, keepdims=True)
    lost = np.log(total[..., 0]) - np.sum(shifted * target, axis=-1)
    return np.array(np.mean(lost)), (e / total - 1.0 * target) / lost.size


def losses_by_logsumexp(logits, targets):
    top = logits.max(axis=-1, keepdims=True)
    total = top + np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
    chosen = np.take_along_axis(logits, targets[..., None], axis=-1)
    grad = np.exp(logits - total) - (np.arange(logits.shape[-1]) == targets[..., None])
    return np.mean(total - chosen), grad / np.size(targets)


VARIANTS = (
    losses_by_loop,
    losses_by_index,
    losses_by_eye,
    losses_from_the_target,
    losses_by_probability,
    losses_by_logsumexp,
)


KNOBS = {
    "log_p_of": (
        *(functools.partial(log_softmax, axis=axis) for axis in (0, None)), np.positive,
        lambda z: log_softmax(np.exp(log_softmax(z))),
    ),
    "gather": (np.median, np.max),
}  # fmt: skip


def wrong():
    answer = EXERCISE.answer

    def by_probability(log):
        def function(z, t):
            p, target = attnlib.softmax(z), one_hot(z, t)
            return -log((p * target).sum(axis=-1)).mean(), (p - target) / t.size

        return function

    def shifted(by):
        return lambda z: z - by(z) - np.log(np.exp(z - by(z)).sum(axis=-1, keepdims=True))

    for label, by in SHIFTS.items():
        yield f"shifted by {label}", set_to(turned, {"log_p_of": shifted(by)})
    for least in (1e-300, 1e-15, 1e-9, 1e-7):
        yield (
            f"{least} added below the logarithm",
            by_probability(lambda p, least=least: np.log(p + least)),
        )
        yield (
            f"probabilities of {least} at least",
            by_probability(lambda p, least=least: np.log(np.maximum(p, least))),
        )
    yield "-inf made 0", by_probability(lambda p: np.where(p > 0, np.log(p), 0))
    yield "-inf made the smallest number", by_probability(lambda p: np.nan_to_num(np.log(p)))
    yield "logits cut at 30", lambda z, t: answer(np.clip(z, -30, 30), t)
    yield "logits cut at 700", lambda z, t: answer(np.clip(z, -700, 700), t)
    yield "logits rounded", lambda z, t: answer(np.round(z, 1), t)
    targets = {
        "from 1 on": lambda z, t: np.maximum(t, 1),
        "before the last": lambda z, t: np.minimum(t, max(z.shape[-1] - 2, 0)),
        "one on": lambda z, t: (t + 1) % z.shape[-1],
        "counted from the end": lambda z, t: z.shape[-1] - 1 - t,
        "at most 2": lambda z, t: np.minimum(t, 2),
        "sorted": lambda z, t: np.sort(t, axis=None).reshape(t.shape),
        "in reverse order": lambda z, t: t[..., ::-1] if t.ndim else t,
        "all the first": lambda z, t: np.full_like(t, t.flat[0]),
        "the best guesses": lambda z, t: z.argmax(axis=-1),
    }
    for label, change in targets.items():
        yield f"targets {label}", lambda z, t, change=change: answer(z, change(z, t))

    changes = {
        "loss for each place": lambda loss, grad, z, t: (np.full(t.shape, loss), grad),
        "loss in a list": lambda loss, grad, z, t: (np.array([loss]), grad),
        "loss rounded": lambda loss, grad, z, t: (np.round(loss, 3), grad),
        "loss in float16": lambda loss, grad, z, t: (loss.astype(np.float16), grad),
        "gradient in float16": lambda loss, grad, z, t: (loss, grad.astype(np.float16)),
        "loss of 20 at most": lambda loss, grad, z, t: (np.minimum(loss, 20), grad),
        "perplexity": lambda loss, grad, z, t: (np.exp(loss), grad),
        "divided by the different targets": lambda loss, grad, z, t: (
            loss, grad * t.size / len(np.unique(t))
        ),
        "the mean over the different targets": lambda loss, grad, z, t: (
            np.mean([answer(z[t == k], t[t == k])[0] for k in np.unique(t)]), grad
        ),
        "nothing to learn for the right guesses": lambda loss, grad, z, t: (
            loss, grad * (z.argmax(axis=-1) != t)[..., None]
        ),
    }  # fmt: skip
    for label, change in changes.items():
        yield label, lambda z, t, change=change: change(*answer(z, t), z, t)
    yield spoiled(EXERCISE, "wrong for one class alone", lambda z, t: z.shape[-1] == 1)
    yield spoiled(EXERCISE, "wrong for one place alone", lambda z, t: t.size == 1)
    yield spoiled(EXERCISE, "wrong for equal targets", lambda z, t: t.size > 1 and np.ptp(t) == 0)
    yield spoiled(EXERCISE, "wrong if nobody is the first class", lambda z, t: t.all())
    yield spoiled(EXERCISE, "wrong for a certain guess", lambda z, t: attnlib.softmax(z).max() == 1)


def test_logits_are_far_apart_and_targets_the_likeliest_and_the_least_likely():
    found = inputs_of(EXERCISE, FINITE)
    gaps = [z.max(axis=-1) - np.take_along_axis(z, t[:, None], -1)[:, 0] for z, t in found]
    assert any((gap == 0).all() for gap in gaps)
    assert any(800 < gap.max() < 1e4 for gap in gaps)
    assert max(z.max() for z, _ in found) == -min(z.min() for z, _ in found) == 1e4
    assert min(z.max(axis=-1).min() for z, _ in found) < -1e3
    ends = [set(np.unique(t)) for _, t in inputs_of(EXERCISE, TARGETS)]
    assert {0} in ends
    assert {6} in ends


def looked_up(logits, targets, rows=None, n=len, weigh=softened):
    p = weigh(logits)
    rows, grad = np.arange(len(targets)) if rows is None else rows, p.copy()
    grad[rows, targets] -= 1
    return -np.log(p[rows, targets]).mean(), grad / n(targets)


def by_eye(logits, targets):
    p, target = softened(logits), np.eye(logits.shape[-1])[targets]
    return -(target * np.log(p)).sum() / len(targets), (p - target) / len(targets)


def mean_of_all(logits, targets):
    p, target = softened(logits), np.eye(logits.shape[-1])[targets]
    return -(target * np.log(p)).mean(), (p - target) / targets.size


def by_number(logits, targets):
    p = softened(logits)
    return -np.log(p[np.arange(len(targets)), targets]).mean(), (p - targets) / targets.size


def both_raveled(logits, targets):
    p, rows = softened(logits).reshape(-1, logits.shape[-1]), np.arange(targets.size)
    target = np.eye(logits.shape[-1])[targets.ravel()]
    return -np.log(p[rows, targets.ravel()]).mean(), (p - target) / targets.size


def above_0(kept):
    """Losses of probabilities that are kept above 0."""

    def cross_entropy(logits, targets):
        p = softened(logits)
        target = np.arange(p.shape[-1]) == targets[..., None]
        return -np.log(kept((p * target).sum(axis=-1))).mean(), (p - target) / targets.size

    return cross_entropy


NAMED = (
    (above_0(lambda p: p + 1e-9), "a small number, 1e-9, below the logarithm"),
    (above_0(lambda p: np.maximum(p, 1e-12)), "a small number below the logarithm"),
    (looked_up, "batch axes forgotten"),
    (functools.partial(looked_up, n=lambda targets: 1), "gradient not divided by n"),
    (functools.partial(looked_up, rows=slice(None)), "every target in every row, and its gradient"),
    (functools.partial(looked_up, weigh=lambda z: softened(z, axis=0)), "softmax down the columns"),
    (functools.partial(looked_up, weigh=functools.partial(softened, keepdims=False)),
     "keepdims forgotten"),
    (by_number, "class numbers subtracted"),
    (both_raveled, "gradient as one list of places"),
    (by_eye, "both divided by the first axis"),
    (mean_of_all, "loss divided by the classes, too"),
)  # fmt: skip
