"""Attention by explicit loops over Python floats: slow, plain, and written without attnlib."""

import math

import numpy as np


def attention_by_loops(query, key, value, mask=None, bias=None, scale=None):
    """Attention of (n_queries, d_key), (n_keys, d_key), (n_keys, d_value) arrays.

    Returns weights (n_queries, n_keys) and output (n_queries, d_value). Hidden keys are skipped,
    so whatever they hold is never read.
    """
    n_queries, n_keys, d_value = len(query), len(key), value.shape[1]
    scale = 1 / math.sqrt(query.shape[1]) if scale is None else scale
    weights, output = np.zeros((n_queries, n_keys)), np.zeros((n_queries, d_value))
    for i in range(n_queries):
        scores = {}
        for j in range(n_keys):
            if mask is None or mask[i, j]:
                score = sum(float(q) * float(k) for q, k in zip(query[i], key[j], strict=True))
                scores[j] = score * scale + (0.0 if bias is None else float(bias[i, j]))
        largest = max(scores.values(), default=-math.inf)
        if largest == -math.inf:
            continue
        exponentials = {j: math.exp(score - largest) for j, score in scores.items()}
        total = sum(exponentials.values())
        for j, exponential in exponentials.items():
            weights[i, j] = exponential / total
            for f in range(d_value):
                output[i, f] += exponential / total * float(value[j, f])
    return weights, output
