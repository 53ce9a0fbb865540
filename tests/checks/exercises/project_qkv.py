"""Right answers to project_qkv, and wrong ones."""

import numpy as np

QUICK = True


def project_by_einsum(x, w_query, w_key, w_value):
    return [np.einsum("nm,md->nd", x, w) for w in (w_query, w_key, w_value)]


def project_by_dot(x, w_query, w_key, w_value):
    return np.dot(x, w_query), np.dot(x, w_key), (w_value.T @ x.T).T


def project_by_generator(x, *matrices):
    return (x @ w for w in matrices)


def project_by_map(x, *matrices):
    return map(x.__matmul__, matrices)


VARIANTS = (project_by_einsum, project_by_dot, project_by_generator, project_by_map)


NAMED = (
    (lambda x, a, b, c: np.array([x @ a, x @ b, x @ c]), "three arrays in one"),
    (lambda x, a, b, c: (a @ x, b @ x, c @ x), "order of the product"),
)
