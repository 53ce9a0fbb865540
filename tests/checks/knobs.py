"""Functions with several knobs: set right, with one turned, with two; knobs that many have."""

import itertools

import numpy as np

import attnlib


def set_to(function, choices):
    return lambda *inputs: function(*inputs, **choices)


def right_but(function, knobs, **choices):
    """Set every knob to the first of its options, which is right, but for some."""
    first = {knob: options[0] for knob, options in knobs.items()}
    return set_to(function, first | choices)


def pairs(function, knobs):
    """Every function with exactly two knobs set wrong, and which."""
    for a, b in itertools.combinations(knobs, 2):
        for i, j in itertools.product(range(1, len(knobs[a])), range(1, len(knobs[b]))):
            choices = {a: knobs[a][i], b: knobs[b][j]}
            yield f"{a} {i}, {b} {j}", right_but(function, knobs, **choices)


def softmaxes():
    def columns(s):
        return attnlib.softmax(s, axis=-2)

    def everything(s):
        return attnlib.softmax(s.reshape(*s.shape[:-2], -1)).reshape(s.shape)

    def hard(s):
        return 1.0 * (s == s.max(axis=-1, keepdims=True))

    def unshifted(s):
        return np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)

    def raw(s):
        return np.where(s == -np.inf, 0, s)

    return attnlib.softmax, columns, everything, np.exp, hard, unshifted, raw


def scales():
    return (
        lambda q, k: 1 / np.sqrt(q.shape[-1]),
        lambda q, k: 1.0,
        lambda q, k: 1 / q.shape[-1],
        lambda q, k: 1 / np.sqrt(k.shape[-2]),
        lambda q, k: np.sqrt(q.shape[-1]),
    )


def scaled_scores(query, key, scale):
    return query @ key.swapaxes(-1, -2) * scale(query, key)


def masks():
    return (
        lambda s, m: np.where(m, s, -np.inf),
        lambda s, m: s,
        lambda s, m: np.where(m, -np.inf, s),
        lambda s, m: s * m,
        lambda s, m: s + m,
    )


def means():
    return (
        lambda g, w: (w * g).sum(axis=-1, keepdims=True),
        lambda g, w: 0.0,
        lambda g, w: g.sum(axis=-1, keepdims=True),
        lambda g, w: g.mean(axis=-1, keepdims=True),
        lambda g, w: w * g,
    )


def same(x):
    return x


def made_1_long(x):
    return x / np.linalg.norm(x)


RIGHT = ("right",)
ATTENTION = {"scale": scales(), "weigh": softmaxes()}
