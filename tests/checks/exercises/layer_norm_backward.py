"""Right answers to layer_norm_backward, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.layer_norm_backward import EXERCISE, mean_of
from tests.checks.sweep import in_halves


def by_jacobian(grad_y, x, gain, eps):
    d = x.shape[-1]
    grad_x, grad_gain, grad_bias = np.zeros(x.shape), np.zeros(d), np.zeros(d)
    for place in np.ndindex(x.shape[:-1]):
        size = np.sqrt(x[place].var() + eps)
        z = (x[place] - x[place].mean()) / size
        jacobian = (np.eye(d) - 1 / d - np.outer(z, z) / d) / size
        grad_x[place] = jacobian @ (grad_y[place] * gain)
        grad_gain += grad_y[place] * z
        grad_bias += grad_y[place]
    return grad_x, grad_gain, grad_bias


def line_by_line(grad_y, x, gain, eps):
    centred = x - mean_of(x)
    variance = mean_of(centred**2)
    power = (variance + eps) ** -0.5
    grad = grad_y * gain
    grad_power = (grad * centred).sum(axis=-1, keepdims=True)
    grad_variance = grad_power * -0.5 * (variance + eps) ** -1.5
    grad_centred = grad * power + grad_variance * 2 * centred / x.shape[-1]
    axes = tuple(range(x.ndim - 1))
    return (
        grad_centred - mean_of(grad_centred),
        (grad_y * centred * power).sum(axis=axes),
        grad_y.sum(axis=axes),
    )


VARIANTS = (by_jacobian, line_by_line)


KNOBS = {
    "by_size": (lambda grad, z, gain: z * mean_of(grad) * mean_of(z + 1),),
    "undo": (lambda grad, size: grad * size**2,),
    "of_bias": (lambda grad_y, gain: -grad_y,),
}


def wrong():
    answer = EXERCISE.answer
    for which, part in enumerate(EXERCISE.parts):
        for label, change in {"0": np.zeros_like, "doubled": lambda g: 2 * g}.items():

            def changed(*inputs, which=which, change=change):
                grads = list(answer(*inputs))
                grads[which] = change(grads[which])
                return tuple(grads)

            yield f"{part} {label}", changed
    changes = {
        "at least 1e-4": lambda eps: max(eps, 1e-3),
        "at most 0.5": lambda eps: min(eps, 0.5),
    }
    for label, change in changes.items():
        yield f"an eps {label}", lambda g, x, w, e, change=change: answer(g, x, w, change(e))
    yield from in_halves(EXERCISE)
