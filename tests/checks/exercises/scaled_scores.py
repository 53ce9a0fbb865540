"""Right answers to scaled_scores, and wrong ones."""

import numpy as np


def scores_by_einsum(query, key):
    return np.einsum("...qd,...kd->...qk", query / np.sqrt(query.shape[-1]), key)


def scores_split_scale(query, key):
    fourth = key.shape[-1] ** 0.25
    return (query / fourth) @ np.moveaxis(key / fourth, -1, -2)


def scores_by_loop(query, key):
    scores = np.zeros((*query.shape[:-1], key.shape[-2]))
    for j in range(key.shape[-2]):
        scores[..., j] = (query * key[..., j : j + 1, :]).sum(axis=-1)
    return scores / np.sqrt(query.shape[-1])


VARIANTS = (scores_by_einsum, scores_split_scale, scores_by_loop)


NAMED = (
    (lambda q, k: np.dot(q, k.T), "no scaling"),
    (lambda q, k: np.dot(q, k.T) / np.sqrt(len(k)), "square root of n_keys"),
    (lambda q, k: q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[1]), "axis 1 for the width"),
)
