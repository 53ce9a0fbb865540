"""Right answers to head_contributions, and wrong ones."""

import math

import numpy as np

import attnlib
from attnlib.checks.exercises.head_contributions import EXERCISE, project
from attnlib.checks.exercises.head_contributions import shares as turned
from attnlib.checks.wrong_attention import unshifted
from tests.checks.by_hand import multi_by_sum, self_by_columns, self_by_loop
from tests.checks.knobs import set_to
from tests.checks.sweep import in_halves, spoiled
from tests.checks.weighers import weighed


def shares_by_slices(x, w_query, w_key, w_value, w_output, n_heads):
    d, shares = w_query.shape[1] // n_heads, []
    for h in range(n_heads):
        part = slice(h * d, (h + 1) * d)
        head = self_by_loop(x, w_query[:, part], w_key[:, part], w_value[:, part])
        shares.append(np.array(head) @ w_output[part])
    return shares


def shares_by_silence(x, w_query, w_key, w_value, w_output, n_heads):
    owner = np.arange(len(w_output)) // (len(w_output) // n_heads)
    return np.array([
        multi_by_sum(x, w_query, w_key, w_value, w_output * (owner == h)[:, None], n_heads)
        for h in range(n_heads)
    ])  # fmt: skip


def shares_by_difference(x, w_query, w_key, w_value, w_output, n_heads):
    d, so_far, shares = len(w_output) // n_heads, 0, []
    for h in range(1, n_heads + 1):
        w = np.concatenate([w_output[: h * d], np.zeros_like(w_output[h * d :])])
        more = multi_by_sum(x, w_query, w_key, w_value, w, n_heads)
        shares.append(more - so_far)
        so_far = more
    return np.stack(shares)


def shares_by_einsum(x, w_query, w_key, w_value, w_output, n_heads):
    parts = (w.reshape(len(w), n_heads, -1) for w in (w_query, w_key, w_value))
    query, key, value = (np.einsum("nm,mhd->hnd", x, w) for w in parts)
    scores = np.einsum("hqd,hkd->hqk", query, key) / math.sqrt(query.shape[-1])
    e = np.exp(scores - scores.max(-1, keepdims=True))
    rows = w_output.reshape(n_heads, -1, w_output.shape[1])
    return np.einsum("hqk,hkd,hdo->hqo", e / e.sum(-1, keepdims=True), value, rows)


def shares_by_value(x, w_query, w_key, w_value, w_output, n_heads):
    d, shares = w_query.shape[1] // n_heads, ()
    for h in range(n_heads):
        part = slice(h * d, (h + 1) * d)
        value_to_output = w_value[:, part] @ w_output[part]  # one matrix a head
        shares += (self_by_columns(x, w_query[:, part], w_key[:, part], value_to_output),)
    return shares


VARIANTS = (
    shares_by_slices,
    shares_by_silence,
    shares_by_difference,
    shares_by_einsum,
    shares_by_value,
)


KNOBS = {"weigh": (unshifted,)}


def scores(*inputs):
    return attnlib.attention_scores(*project(*inputs)[:2])


def wrong():
    yield from weighed(turned)

    def between_heads(y):
        y = y.copy()
        y[0], y[-1] = y[0] + 0.01, y[-1] - 0.01  # the sum stays
        return y if len(y) > 1 else y * 2

    changes = {
        "something handed from head to head": between_heads,
        "head 0 takes all": lambda y: y.sum(axis=0) * (np.arange(len(y)) == 0)[:, None, None],
        "heads in reverse order": lambda y: y[::-1],
        "sorted by size": lambda y: y[np.argsort(np.abs(y).sum(axis=(1, 2)))],
        "negative shares made 0": lambda y: np.maximum(y, 0),
        "shares made positive": np.abs,
        "as parts of 1": lambda y: y / (np.abs(y).sum(axis=0) + 1e-9),
        "the mean of all left out": lambda y: y - y.mean(axis=0),
        "tokens in reverse order": lambda y: y[:, ::-1],
        "axes of length 1 dropped": np.squeeze,
        "side by side": lambda y: np.concatenate(list(y), axis=-1),
        "below each other": lambda y: y.reshape(-1, y.shape[-1]),
        "shares rounded": lambda y: np.round(y, 3),
        "shares in float16": lambda y: y.astype(np.float16),
        "shares at most 1": lambda y: np.clip(y, -1, 1),
    }
    for label, change in changes.items():
        yield label, set_to(turned, {"last": change})
    yield spoiled(EXERCISE, "wrong for one head", lambda *x: x[-1] == 1)
    yield spoiled(EXERCISE, "wrong for more than 7 heads", lambda *x: x[-1] > 7)
    yield spoiled(EXERCISE, "wrong for heads of width 1", lambda *x: x[1].shape[1] == x[-1])
    yield spoiled(EXERCISE, "wrong where w_output is square", lambda *x: len({*x[4].shape}) == 1)
    yield spoiled(EXERCISE, "wrong for one output feature", lambda *x: x[4].shape[1] == 1)
    yield from in_halves(EXERCISE)
