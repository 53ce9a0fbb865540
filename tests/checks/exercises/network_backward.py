"""Right answers to network_backward, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.network_backward import EXERCISE
from tests.checks.knobs import set_to
from tests.checks.sweep import in_halves


def back_row_by_row(grad_output, x, w_up, b_up, w_down):
    grads = [np.zeros(np.shape(a)) for a in (x, w_up, b_up, w_down)]
    for place in np.ndindex(x.shape[:-1]):
        hidden = [max(float(total), 0.0) for total in x[place] @ w_up + b_up]
        back = [
            float(row @ grad_output[place]) * (h > 0) for row, h in zip(w_down, hidden, strict=True)
        ]
        grads[0][place] = grad_output[place] + w_up @ back
        grads[1] += np.outer(x[place], back)
        grads[2] += back
        grads[3] += np.outer(hidden, grad_output[place])
    return grads


def back_by_einsum(grad_output, x, w_up, b_up, w_down):
    raw = np.einsum("...i,ih->...h", x, w_up) + b_up
    back = np.where(raw > 0, np.einsum("...o,ho->...h", grad_output, w_down), 0)
    axes = tuple(range(x.ndim - 1))
    return (
        grad_output + np.einsum("...h,ih->...i", back, w_up),
        np.einsum("ni,nh->ih", x.reshape(-1, x.shape[-1]), back.reshape(-1, back.shape[-1])),
        back.sum(axis=axes),
        np.tensordot(np.maximum(raw, 0), grad_output, axes=(axes, axes)),
    )


VARIANTS = (back_row_by_row, back_by_einsum)


KNOBS = {
    "past": (np.negative,),
}


def summed(a):
    return a.sum(axis=0)


def averaged(a):
    return a.mean(axis=0)


def as_a_row(a):
    return a.sum(axis=0, keepdims=True)


def of_matrices(grad_output, x, w_up, b_up, w_down, *, gathered=summed, gated=True):
    """Back through the network by `.T` and by sums over the first axis, as for matrices."""
    raw = x @ w_up + b_up
    back = grad_output @ w_down.T
    through = back * (raw > 0)
    grad_b_up, share = gathered(through), len(x) if gathered is averaged else 1
    grad_w_up, grad_w_down = x.T @ (through if gated else back), np.maximum(raw, 0).T @ grad_output
    return grad_output + through @ w_up.T, grad_w_up / share, grad_b_up, grad_w_down / share


NAMED = (
    (of_matrices, "batch axes forgotten"),
    (set_to(of_matrices, {"gathered": averaged}), "mean for the network"),
    (set_to(of_matrices, {"gathered": as_a_row}), "bias with an axis too many"),
    (set_to(of_matrices, {"gated": False}), "w_up's gradient without the ReLU"),
)


def wrong():
    answer = EXERCISE.answer
    for which, part in enumerate(EXERCISE.parts):
        for label, change in {"0": np.zeros_like, "doubled": lambda g: 2 * g}.items():

            def changed(*inputs, which=which, change=change):
                grads = list(answer(*inputs))
                grads[which] = change(grads[which])
                return grads

            yield f"{part} {label}", changed
    yield from in_halves(EXERCISE)
