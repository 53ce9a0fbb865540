"""Right answers to encoder_block, and wrong ones."""

import numpy as np

import attnlib
from attnlib import encoder
from attnlib.checks.exercises.encoder_block import (
    EXERCISE,
    ROLES,
    attended,
    heads_of,
    network,
    normed,
    turned,
)
from tests.checks.weighers import weighed


def head_by_head(x, parameters, n_heads, mask):
    p, brought = parameters, parameters["b_output"]
    d_head = x.shape[-1] // n_heads
    for head in range(n_heads):
        own = slice(head * d_head, (head + 1) * d_head)
        query, key, value = (x @ p[f"w_{r}"][:, own] + p[f"b_{r}"][own] for r in ROLES[:3])
        output = attnlib.attention(query, key, value, mask=mask)
        brought = brought + output @ p["w_output"][own]
    x = normed(x + brought, p, "attention")
    return normed(x + network(x, p), p, "network")


def by_a_layer(x, parameters, n_heads, mask):
    taken = {f"{kind}_{role}": parameters[f"{kind}_{role}"] for kind in "wb" for role in ROLES}
    x = np.add(x, attnlib.MultiHeadAttention(**taken, n_heads=n_heads)(x, mask=mask))
    x = encoder.layer_norm(x, parameters["gain_attention"], parameters["bias_attention"])
    raw = np.add(np.matmul(x, parameters["w_up"]), parameters["b_up"])
    x = x + encoder.gelu(raw) @ parameters["w_down"] + parameters["b_down"]
    return encoder.layer_norm(x, parameters["gain_network"], parameters["bias_network"])


VARIANTS = (head_by_head, by_a_layer)


def scores(x, parameters, n_heads, mask):
    return attnlib.attention_scores(*heads_of(x, parameters, n_heads)[:2])


def wrong():
    answer = EXERCISE.answer
    yield from weighed(turned)
    yield "two blocks", lambda *x: answer(answer(*x), *x[1:])
    yield "one head", lambda x, p, h, m: answer(x, p, 1, m)
    yield "the mask of the first word", lambda x, p, h, m: answer(x, p, h, m[..., :1, :])
    yield "the mask of the first sentence", lambda x, p, h, m: answer(x, p, h, first(m))
    yield "the network first", network_first
    yield (
        "one bias for query and value",
        lambda x, p, h, m: answer(x, {**p, "b_value": p["b_query"]}, h, m),
    )


def first(mask):
    return mask[:1] if mask.ndim > 2 else mask


def network_first(x, parameters, n_heads, mask):
    x = normed(x + network(x, parameters), parameters, "attention")
    brought = attended(x, parameters, n_heads, mask)
    return normed(x + brought, parameters, "network")
