"""Right answers to self_attention_backward, and wrong ones."""

import functools

import numpy as np

import attnlib
from attnlib.checks.exercises import attention_backward as attend
from attnlib.checks.exercises import linear_backward
from attnlib.checks.exercises.self_attention_backward import EXERCISE, turned
from tests.checks.exercises.attention_backward import KNOBS as MORE
from tests.checks.exercises.attention_backward import attention_back_by_loop, by_mean, gone_back
from tests.checks.weighers import weighed

linear = linear_backward.EXERCISE.solution


def layer_back(backward, add=sum, linear=linear):
    """Back through a layer: by a way back through attention, and one through a product."""

    def self_attention_backward(grad_output, x, w_query, w_key, w_value, mask):
        matrices = w_query, w_key, w_value
        grads = backward(grad_output, *(x @ w for w in matrices), mask)
        pairs = zip(grads, matrices, strict=True)
        to_x, to_w = zip(*(linear(grad, x, w) for grad, w in pairs), strict=True)
        return add(to_x), *to_w

    return self_attention_backward


def layer_back_at_once(grad_output, x, w_query, w_key, w_value, mask):
    # One wide matrix, as some libraries have it, cut into three on the way back.
    d_key = w_query.shape[1]
    whole = np.concatenate([w_query, w_key, w_value], axis=1)
    query, key, value = np.split(x @ whole, [d_key, 2 * d_key], axis=-1)
    grads = attnlib.attention_backward(grad_output, query, key, value, mask=mask)
    grad = np.concatenate(grads, axis=-1)
    leading = [*range(x.ndim - 1)]
    grad_whole = np.tensordot(x, grad, axes=(leading, leading))
    return [grad @ whole.T, *np.split(grad_whole, [d_key, 2 * d_key], axis=1)]


VARIANTS = (layer_back(attention_back_by_loop), layer_back(gone_back()), layer_back_at_once)


KNOBS = MORE | {
    "scale": (*MORE["scale"], *attend.scaled_back_only.setting.values()),
    "back": (*MORE["back"], *attend.scaled_twice.setting.values()),
}


def scores(_, x, w_query, w_key, *__):
    query, key = x @ w_query, x @ w_key
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def wrong():
    yield from weighed(functools.partial(turned, through=by_mean))
    answer = EXERCISE.answer
    for which, part in enumerate(EXERCISE.parts):
        for label, change in {"0": np.zeros_like, "doubled": lambda g: 2 * g}.items():

            def changed(*inputs, which=which, change=change):
                grads = list(answer(*inputs))
                grads[which] = change(grads[which])
                return grads

            yield f"{part} {label}", changed
    yield "the mask of the first query", lambda *x: answer(*x[:5], np.atleast_2d(x[5])[..., :1, :])
    yield "the mask of a batch refused", lambda *x: None if x[5].ndim > 2 else answer(*x)
    yield "a mask of one row refused", lambda *x: None if x[5].ndim < 2 else answer(*x)


def overwriting(grad_output, x, w_query, w_key, w_value, mask):
    matrices = w_query, w_key, w_value
    grads = gone_back()(grad_output, *(x @ w for w in matrices), mask)
    found = []
    for grad, w in zip(grads, matrices, strict=True):
        grad_x, grad_w = linear(grad, x, w)
        found.append(grad_w)
    return grad_x, *found


NAMED = (
    (overwriting, "only the value's way to x"),
    (layer_back(gone_back(), add=lambda ways: ways[0] + ways[2]), "key's way to x forgotten"),
    (layer_back(gone_back(hide=lambda s, m: s)), "mask ignored"),
    (layer_back(gone_back(back=0)), "scale forgotten"),
    (
        layer_back(gone_back(), linear=lambda g, x, w: (g @ w.T, x.T @ g)),
        "batch axes forgotten",
    ),
)
