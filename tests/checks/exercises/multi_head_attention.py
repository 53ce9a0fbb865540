"""Right answers to multi_head_attention, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.exercises.multi_head_attention import in_heads as turned
from tests.checks.by_hand import multi_by_sum, self_by_loop, softened
from tests.checks.weighers import weighed


def multi_by_slices(x, w_query, w_key, w_value, w_output, n_heads):
    d, outputs = w_query.shape[1] // n_heads, []
    for h in range(n_heads):
        part = slice(h * d, (h + 1) * d)
        outputs.append(self_by_loop(x, w_query[:, part], w_key[:, part], w_value[:, part]))
    return np.concatenate(outputs, axis=1) @ w_output


VARIANTS = (multi_by_slices, multi_by_sum)


def scores(x, w_query, w_key, _, __, n_heads):
    query, key = (attnlib.split_heads(x @ w, n_heads) for w in (w_query, w_key))
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def wrong():
    yield from weighed(turned)


def heads_turned_round(x, w_query, w_key, w_value, w_output, n_heads):
    n, d = x.shape
    query, key, value = (
        (x @ w).reshape(n, n_heads, d // n_heads).swapaxes(0, 1) for w in (w_query, w_key, w_value)
    )
    output = softened(query @ key.T / np.sqrt(d // n_heads)) @ value
    return output.swapaxes(0, 1).reshape(n, d) @ w_output


NAMED = ((heads_turned_round, "key.T on all heads"),)
