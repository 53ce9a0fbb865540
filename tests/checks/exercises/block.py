"""Right answers to block, wrong ones, and what it promises."""

import numpy as np

import attnlib
from attnlib.checks.exercises.block import EXERCISE, attended, nearness, network
from tests.checks.knobs import masks, right_but, scales, softmaxes
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


def turned(x, parameters, n_heads, mask, *, scale, near, hide, weigh, added, active):
    p = parameters
    query, key, value = (
        attnlib.split_heads(x @ p[f"w_{role}"], n_heads) for role in ("query", "key", "value")
    )
    scores = query @ key.swapaxes(-1, -2) * scale(query, key)
    weights = weigh(hide(scores + near(p["near"], x.shape[-2]), mask))
    x = added(x, attnlib.merge_heads(weights @ value) @ p["w_output"])
    return added(x, active(x @ p["w_up"] + p["b_up"]) @ p["w_down"])


KNOBS = {
    "scale": scales()[:2],
    "near": (nearness, lambda near, n: 0, lambda near, n: nearness(near[:, ::-1], n)),
    "hide": masks()[:3],
    "weigh": softmaxes()[:2],
    "added": (lambda x, more: x + more, lambda x, more: more),
    "active": (lambda raw: np.maximum(raw, 0), lambda raw: raw),
}


def beside_the_heads(scores, mask):
    return np.where(mask[..., None, :, :], scores, -np.inf)


VARIANTS = (head_by_head, by_a_layer, right_but(turned, KNOBS, hide=beside_the_heads))


def key_looks(x, parameters, n_heads, mask):
    p, n = parameters, x.shape[-2]

    def heads(w):
        return (x @ w).reshape(*x.shape[:-1], n_heads, -1).swapaxes(-2, -3)

    scores = heads(p["w_key"]) @ heads(p["w_query"]).swapaxes(-1, -2)
    scores = scores / np.sqrt(x.shape[-1] // n_heads) + nearness(p["near"], n)
    weights = attnlib.softmax(np.where(mask, scores, -np.inf))
    x = x + attnlib.merge_heads(weights @ heads(p["w_value"])) @ p["w_output"]
    return x + network(x, p)


def returned_with_x(x, parameters, n_heads, mask):
    first = x + attended(x, parameters, n_heads, mask)
    second = first + network(first, parameters)
    return x + second


NAMED = (
    (key_looks, "query and key exchanged"),
    (right_but(turned, KNOBS, hide=lambda s, m: s * m), "0 in place of -inf"),
    (returned_with_x, "x added again at the end"),
)


def scores(x, parameters, n_heads, mask):
    query, key = (attnlib.split_heads(x @ parameters[w], n_heads) for w in ("w_query", "w_key"))
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def wrong():
    yield from weighed(turned, KNOBS)
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
