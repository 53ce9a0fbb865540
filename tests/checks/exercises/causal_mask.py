"""Right answers to causal_mask, and wrong ones."""

import numpy as np

QUICK = True


def causal_by_tri(n_queries, n_keys):
    return np.tri(n_queries, n_keys, dtype=bool)


def causal_by_loop(n_queries, n_keys):
    return [[j <= i for j in range(n_keys)] for i in range(n_queries)]


def causal_by_tril(n_queries, n_keys):
    return np.tril(np.ones((n_queries, n_keys), dtype=bool))


VARIANTS = (causal_by_tri, causal_by_tril, causal_by_loop)


NAMED = (
    (lambda n, m: np.arange(n) >= np.arange(m), "no new axis"),
    (lambda n, m: np.tri(3, 3, dtype=bool), "always 3 by 3"),
)
