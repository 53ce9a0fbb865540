"""Right answers to dot_product, and wrong ones."""

import numpy as np


def dot_by_loop(a, b):
    a, b = a.tolist(), b.tolist()
    total = 0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


VARIANTS = (dot_by_loop, np.dot, np.inner)
