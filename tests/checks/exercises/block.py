"""Right answers to block, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.exercises.block import (
    EXERCISE,
    attended,
    heads_of,
    nearness,
    network,
    turned,
)
from tests.checks.knobs import set_to
from tests.checks.weighers import weighed


def head_by_head(x, parameters, n_heads, mask):
    n, brought, p = x.shape[-2], 0, parameters
    d_head = x.shape[-1] // n_heads
    places = np.arange(n)
    for head in range(n_heads):
        own = slice(head * d_head, (head + 1) * d_head)
        query, key, value = (x @ p[f"w_{role}"][:, own] for role in ("query", "key", "value"))
        bias = p["near"][head][np.abs(places[:, None] - places)]
        output = attnlib.attention(query, key, value, mask=mask, bias=bias)
        brought = brought + output @ p["w_output"][own]
    x = x + brought
    return x + np.clip(x @ p["w_up"] + p["b_up"], 0, None) @ p["w_down"]


def by_a_layer(x, parameters, n_heads, mask):
    matrices = [parameters[f"w_{role}"] for role in ("query", "key", "value", "output")]
    layer = attnlib.MultiHeadAttention(*matrices, n_heads=n_heads)
    x = np.add(x, layer(x, mask=mask, bias=nearness(parameters["near"], x.shape[-2])))
    raw = np.add(np.matmul(x, parameters["w_up"]), parameters["b_up"])
    return x + np.where(raw > 0, raw, 0) @ parameters["w_down"]


def beside_the_heads(scores, mask):
    return np.where(mask[..., None, :, :], scores, -np.inf)


VARIANTS = (head_by_head, by_a_layer, set_to(turned, {"hide": beside_the_heads}))


def key_looks(x, parameters, n_heads, mask):
    query, key, value = heads_of(x, parameters, n_heads)
    scores = key @ query.swapaxes(-1, -2) / np.sqrt(x.shape[-1] // n_heads)
    scores = scores + nearness(parameters["near"], x.shape[-2])
    weights = attnlib.softmax(np.where(mask, scores, -np.inf))
    x = x + attnlib.merge_heads(weights @ value) @ parameters["w_output"]
    return x + network(x, parameters)


def returned_with_x(x, parameters, n_heads, mask):
    first = x + attended(x, parameters, n_heads, mask)
    second = first + network(first, parameters)
    return x + second


NAMED = (
    (key_looks, "query and key exchanged"),
    (set_to(turned, {"hide": np.multiply}), "0 in place of -inf"),
    (returned_with_x, "x added again at the end"),
)


def scores(x, parameters, n_heads, mask):
    return attnlib.attention_scores(*heads_of(x, parameters, n_heads)[:2])


def wrong():
    yield from weighed(turned)
    yield "two blocks", lambda *x: EXERCISE.answer(EXERCISE.answer(*x), *x[1:])
    yield "one head", lambda x, p, h, m: EXERCISE.answer(x, p | {"near": p["near"][:1]}, 1, m)
    yield (
        "the mask of the first word",
        lambda x, p, h, m: EXERCISE.answer(x, p, h, np.atleast_2d(m)[..., :1, :]),
    )
    yield "the network first", network_first


def network_first(x, parameters, n_heads, mask):
    x = x + network(x, parameters)
    return x + attended(x, parameters, n_heads, mask)
