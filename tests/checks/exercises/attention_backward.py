"""Right answers to attention_backward, and wrong ones."""

import functools
import math
import re

import numpy as np

import attnlib
from attnlib.checks import wrong_attention
from attnlib.checks.engine import examine
from attnlib.checks.exercises import softmax_backward
from attnlib.checks.exercises.attention_backward import BURIED, EXERCISE, hidden, turned
from tests.checks.by_hand import (
    dot,
    softened,
    softmax_back_by_jacobian,
    softmax_by_logs,
    softmax_row,
)
from tests.checks.knobs import set_to
from tests.checks.sweep import in_halves
from tests.checks.weighers import top, weighed


def attention_back_by_loop(grad_output, query, key, value, mask):
    if query.ndim > 2:
        masks = np.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))
        inputs = (grad_output, query, key, value, masks)
        each = [attention_back_by_loop(*x) for x in zip(*inputs, strict=True)]
        return [np.array([grads[i] for grads in each]).reshape(x.shape) for i, x in enumerate(
            inputs[1:4])]  # fmt: skip
    scale = query.shape[-1] ** -0.5
    grad_query, grad_key, grad_value = (np.zeros(x.shape) for x in (query, key, value))
    for i, q in enumerate(query):
        seen = np.flatnonzero(np.broadcast_to(mask, (len(query), len(key)))[i])
        weights = softmax_row([scale * dot(q, key[j]) for j in seen])
        gained = [dot(grad_output[i], value[j]) for j in seen]
        for j, w, gain in zip(seen, weights, gained, strict=True):
            grad_score = w * (gain - dot(weights, gained)) * scale
            grad_query[i] += grad_score * key[j]
            grad_key[j] += grad_score * q
            grad_value[j] += w * grad_output[i]
    return grad_query, grad_key, grad_value


def attention_back_by_einsum(grad_output, query, key, value, mask):
    scores = np.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1)[..., None])
    weights = weights / weights.sum(-1)[..., None]
    grad = np.einsum("...if,...jf->...ij", grad_output, value)
    grad = weights * (grad - np.einsum("...ij,...ij->...i", weights, grad)[..., None])
    return (
        np.einsum("...ij,...jd->...id", grad, key) / math.sqrt(query.shape[-1]),
        np.einsum("...ij,...id->...jd", grad, query) / math.sqrt(query.shape[-1]),
        np.einsum("...ij,...if->...jf", weights, grad_output),
    )


def attention_back_by_output(grad_output, query, key, value, mask):
    # A row's mean gradient is what grad_output makes of the output: so it is done block by block.
    query = query / np.sqrt(query.shape[-1])
    weights = softmax_by_logs(np.where(mask, query @ np.swapaxes(key, -1, -2), -1e300))
    mean = ((weights @ value) * grad_output).sum(-1, keepdims=True)
    grad_scores = weights * (grad_output @ np.swapaxes(value, -1, -2) - mean)
    grad_query = grad_scores @ key / np.sqrt(query.shape[-1])
    return iter((
        grad_query, np.swapaxes(grad_scores, -1, -2) @ query,
        np.swapaxes(weights, -1, -2) @ grad_output,
    ))  # fmt: skip


def attention_back_by_columns(grad_output, query, key, value, mask):
    scores = key @ query.swapaxes(-1, -2) / np.sqrt(key.shape[-1])  # (..., n_keys, n_queries)
    scores[~np.broadcast_to(mask, scores.swapaxes(-1, -2).shape).swapaxes(-1, -2)] = -np.inf
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    weights = e / e.sum(axis=-2, keepdims=True)
    product = weights * (value @ grad_output.swapaxes(-1, -2))
    grad_scores = (product - weights * product.sum(axis=-2, keepdims=True)) / np.sqrt(key.shape[-1])
    return [grad_scores.swapaxes(-1, -2) @ key, grad_scores @ query, weights @ grad_output]


def attention_back_by_jacobian(grad_output, query, key, value, mask):
    root = np.sqrt(query.shape[-1])
    weights = softmax_by_logs(np.where(mask, query @ key.swapaxes(-1, -2) / root, -1e300))
    grad_weights = grad_output @ value.swapaxes(-1, -2)
    grad_scores = softmax_back_by_jacobian(grad_weights, weights)
    to_key = grad_scores.swapaxes(-1, -2)
    return grad_scores @ (key / root), to_key @ (query / root), (
        weights.swapaxes(-1, -2) @ grad_output)  # fmt: skip


VARIANTS = (
    attention_back_by_loop,
    attention_back_by_einsum,
    attention_back_by_output,
    attention_back_by_columns,
    attention_back_by_jacobian,
)


SCALES = (lambda q, k, v: 1 / np.sqrt(k.shape[-2]), lambda q, k, v: np.sqrt(q.shape[-1]))
KNOBS = {
    "hide": (np.add,),
    "weigh": (
        wrong_attention.over_everything, np.exp, wrong_attention.one_hot,
        lambda s: np.where(s == -np.inf, 0, s),
    ),
    "scale": (lambda q, k, v: 1 / q.shape[-1], *SCALES),
    "through": tuple(
        getattr(softmax_backward, name).function
        for name in ("without_mean", "plain_sum", "plain_mean", "diagonal")
    ),
    "back": SCALES,
}  # fmt: skip


def scores(_, query, key, *__):
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


HARMLESS = {
    "grad_key of the mean of all": "that mean is 0",
}


def by_mean(grad_weights, weights):
    return weights * (grad_weights - (weights * grad_weights).sum(axis=-1, keepdims=True))


def wrong():
    yield from weighed(functools.partial(turned, through=by_mean))
    answer, parts = EXERCISE.answer, EXERCISE.parts

    def then(change, which):
        def function(*inputs):
            grads = list(answer(*inputs))
            grads[which] = change(grads[which])
            return grads

        return function

    changes = {
        "0": np.zeros_like,
        "turned": np.negative,
        "doubled": lambda g: 2 * g,
        "at most 1": lambda g: np.clip(g, -1, 1),
        "at most 100": lambda g: np.clip(g, -100, 100),
        "rounded": lambda g: np.round(g, 3),
        "in float16": lambda g: g.astype(np.float16),
        "in reverse order": lambda g: g[..., ::-1, :],
        "of the mean of all": lambda g: g - g.mean(axis=-2, keepdims=True),
        "divided by their number": lambda g: g / g.shape[-2],
    }
    for which, part in enumerate(parts):
        for label, change in changes.items():
            yield f"{part} {label}", then(change, which)

    for n in (1, 3, 7):
        yield (
            f"the first {n} queries alone",
            lambda g, q, *x, n=n: answer(
                np.where(np.arange(q.shape[-2])[:, None] < n, g, 0), q, *x
            ),
        )  # fmt: skip
    yield "grad_output rounded", lambda g, *rest: answer(np.round(g, 2), *rest)
    masked = {
        "causal": lambda g, q, k, v, m: m & attnlib.causal_mask(*scores(g, q, k).shape[-2:]),
        "the mask of the first query": lambda *x: np.atleast_2d(x[4])[..., :1, :],
        "the mask of the first of a batch": lambda *x: x[4][(0,) * (x[4].ndim - 2)],
        "all visible taken for none": lambda *x: x[4] & ~x[4].all(axis=-1, keepdims=True),
    }
    for label, change in masked.items():
        yield label, lambda *x, change=change: answer(*x[:4], change(*x))
    yield "the mask of a batch refused", lambda *x: None if x[4].ndim > 2 else answer(*x)
    yield "a mask of one row refused", lambda *x: None if x[4].ndim < 2 else answer(*x)
    for by in (-10, -100, -1e3):
        yield f"{by} for -inf", set_to(turned, {"hide": lambda s, m, by=by: np.where(m, s, by)})
    for by in (-30, -1e3, -1e4, -2e4):
        lowered = set_to(turned, {"hide": lambda s, m, by=by: s + np.where(m, 0, by)})
        yield f"hidden scores lowered by {-by}", lowered
    for label, shift in {"the row's": top, "everything's": np.max}.items():
        yield f"hidden after the exponential, shifted by {label} largest", hidden_late(shift)
    yield from in_halves(EXERCISE)


def hidden_late(shift):
    """Back through attention that multiplies exponentials by the mask."""

    def attention_backward(grad_output, query, key, value, mask):
        s = scores(grad_output, query, key)
        e = np.exp(s - shift(s)) * mask if s.size else s
        weights = e / e.sum(axis=-1, keepdims=True)
        grad_scores = by_mean(grad_output @ value.swapaxes(-1, -2), weights)
        grad_scores = grad_scores / np.sqrt(query.shape[-1])
        to_key = grad_scores.swapaxes(-1, -2)
        return grad_scores @ key, to_key @ query, weights.swapaxes(-1, -2) @ grad_output

    return attention_backward


def gone_back(scale=0.5, weigh=softened, back=0.5, wrong=None, hide=hidden):
    """Back through attention, step by step; `wrong` changes what the steps gave."""

    def attention_backward(grad_output, query, key, value, mask):
        scale_of = query.shape[-1] ** -scale
        weights = weigh(hide(query @ key.swapaxes(-1, -2) * scale_of, mask))
        grad_weights = grad_output @ value.swapaxes(-1, -2)
        grad_scores = by_mean(grad_weights, weights) * query.shape[-1] ** -back
        if wrong:
            return wrong(weights, grad_scores, grad_output, query, key, value)
        to_key = grad_scores.swapaxes(-1, -2)
        return grad_scores @ key, to_key @ query, weights.swapaxes(-1, -2) @ grad_output

    return attention_backward


def by_values_width(grad_output, query, key, value, mask):
    scale = 1 / np.sqrt(value.shape[-1])
    weights = softened(np.where(mask, query @ key.T * scale, -np.inf))
    grad_scores = by_mean(grad_output @ value.T, weights) * scale
    return grad_scores @ key, grad_scores.T @ query, weights.T @ grad_output


def scaled_at_last(w, gs, g, q, k, v):
    scale, to_value = 1 / np.sqrt(v.shape[-1]), w.swapaxes(-1, -2) @ g
    return gs @ k * scale, gs.swapaxes(-1, -2) @ q * scale, to_value


def columns_for_queries_alone(w, gs, g, q, k, v):
    return gs.swapaxes(-1, -2) @ k, gs @ q, w @ g


def weights_on_their_side(w, gs, g, q, k, v):
    gs = by_mean(v @ g.swapaxes(-1, -2), w) * q.shape[-1] ** -0.5
    return gs @ k, gs.swapaxes(-1, -2) @ q, w.swapaxes(-1, -2) @ g


MULTIPLIED = {
    "scores not transposed for the key": lambda w, gs, g, q, k, v: (
        gs @ k, gs @ q, w.swapaxes(-1, -2) @ g
    ),
    "scores transposed for the wrong one of the two": lambda w, gs, g, q, k, v: (
        gs.swapaxes(-1, -2) @ k, gs @ q, w.swapaxes(-1, -2) @ g
    ),
    "scores transposed for the query": lambda w, gs, g, q, k, v: (
        gs.swapaxes(-1, -2) @ k, gs.swapaxes(-1, -2) @ q, w.swapaxes(-1, -2) @ g
    ),
    "neither weights nor scores transposed": lambda w, gs, g, q, k, v: (gs @ k, gs @ q, w @ g),
    "query transposed": lambda w, gs, g, q, k, v: (
        gs @ k, gs.swapaxes(-1, -2) @ q.swapaxes(-1, -2), w.swapaxes(-1, -2) @ g
    ),
    "grad_output transposed": lambda w, gs, g, q, k, v: (
        gs @ k, gs.swapaxes(-1, -2) @ q, w.swapaxes(-1, -2) @ g.swapaxes(-1, -2)
    ),
    "gradient of the weights transposed": weights_on_their_side,
    "query and key exchanged": lambda w, gs, g, q, k, v: (
        gs @ q, gs.swapaxes(-1, -2) @ k, w.swapaxes(-1, -2) @ g
    ),
}  # fmt: skip


def matrices_back(grad_output, query, key, value, mask):
    d, n_keys = query.shape[-1], key.shape[0]
    weights = softened(np.where(mask, query @ key.T / np.sqrt(d), -np.inf))
    grad_weights = grad_output @ value.T
    grad_scores = np.zeros((len(query), n_keys))
    for i, w in enumerate(weights):
        grad_scores[i] = (np.diag(w) - np.outer(w, w)) @ grad_weights[i]
    return grad_scores @ key, grad_scores.T @ query / np.sqrt(d), weights.T @ grad_output


def masked_late(grad_output, query, key, value, mask):
    weights = softened(query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])) * mask
    grad_scores = by_mean(grad_output @ value.swapaxes(-1, -2), weights) / np.sqrt(query.shape[-1])
    to_key = grad_scores.swapaxes(-1, -2)
    return grad_scores @ key, to_key @ query, weights.swapaxes(-1, -2) @ grad_output


NAMED = (
    (gone_back(hide=lambda s, m: s), "mask ignored"),
    (gone_back(hide=lambda s, m: np.where(m, -np.inf, s)), "mask inverted"),
    (gone_back(hide=lambda s, m: np.where(m.T, s, -np.inf)), "mask transposed"),
    (gone_back(hide=lambda s, m: s * m), "0 for hidden scores"),
    (masked_late, "masked after the softmax"),
    (hidden_late(top), "masked after the exponential"),
    (gone_back(hide=lambda s, m: np.where(m, -1e9, s)), "mask inverted"),
    (gone_back(hide=lambda s, m: np.where(m, s, 0)), "0 for hidden scores"),
    (gone_back(back=0), "scale forgotten"),
    (gone_back(back=1), "divided by d_key on the way back"),
    (gone_back(scale=0), "scaled back only"),
    (gone_back(scale=0, back=0), "no scaling"),
    (gone_back(weigh=lambda s: softened(s, axis=-2)), "forward softmax down the columns"),
    (by_values_width, "scale of d_value"),
    (gone_back(back=0, wrong=scaled_at_last), "scale of d_value on the way back"),
    *((gone_back(wrong=wrong), name) for name, wrong in MULTIPLIED.items()),
    (matrices_back, "scale forgotten for the query"),
)


def test_what_is_hidden_by_a_number_is_told_so_in_an_example_of_one_query():
    for hide in (lambda s, m: np.where(m, s, -1e4), lambda s, m: s + np.where(m, 0, -1e4)):
        text = str(examine(EXERCISE, gone_back(hide=hide))).replace("\n", " ")
        assert f"the exercise asks for more: {BURIED.name}" in text
        assert "query               = [[100]]" in text


def test_the_same_exception_in_one_example_does_not_make_the_same_mistake():
    # Where shapes do not fit, many mistakes raise the same; where they do, the numbers tell.
    assert examine(EXERCISE, gone_back(wrong=columns_for_queries_alone)).mistake is None


def test_a_line_that_raises_in_another_example_is_told_too():
    # With as many queries as keys the shapes fit; elsewhere the line tells where they do not.
    odd = gone_back(wrong=columns_for_queries_alone)
    text = str(examine(EXERCISE, odd)).replace("\n", " ")
    assert "your grad_query" in text
    assert "In another example, your function raised ValueError: `gs.swapaxes(-1, -2) @ k`" in text
    assert "at the line `return gs.swapaxes(-1, -2) @ k, gs @ q, w @ g`. It was called" in text
    plain = gone_back(wrong=MULTIPLIED["scores not transposed for the key"])
    assert "another example" not in str(examine(EXERCISE, plain))


def test_a_scale_of_the_values_width_is_shown_where_the_widths_differ():
    known = {known.name: known for known in EXERCISE.mistakes}
    for name in ("scale of d_value", "scale of d_value on the way back"):
        text = str(examine(EXERCISE, known[name].function))
        query, value = (re.search(rf"  {x} += \[(\[.+\])\n", text)[1] for x in ("query", "value"))
        assert len(query.split()) != len(value.split())
