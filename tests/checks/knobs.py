"""Functions with several knobs, whose defaults are right: with some turned, with two."""

import itertools


def set_to(function, choices):
    return lambda *inputs: function(*inputs, **choices)


def pairs(function, knobs):
    """Every function with exactly two knobs set wrong, and which."""
    for a, b in itertools.combinations(knobs, 2):
        for i, j in itertools.product(range(1, len(knobs[a])), range(1, len(knobs[b]))):
            yield f"{a} {i}, {b} {j}", set_to(function, {a: knobs[a][i], b: knobs[b][j]})
