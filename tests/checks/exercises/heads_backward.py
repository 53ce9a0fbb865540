"""Right answers to heads_backward, and wrong ones."""

import numpy as np

from attnlib.checks.exercises import softmax_backward
from attnlib.checks.exercises.heads_backward import merge, split


def by_head(grad_output, query, key, value, weights):
    d_head, found = query.shape[-1], []
    for h in range(query.shape[-3]):
        grad = grad_output[..., h * d_head : (h + 1) * d_head]
        w = weights[..., h, :, :]
        gain = grad @ value[..., h, :, :].swapaxes(-1, -2)
        scores = w * (gain - (w * gain).sum(-1, keepdims=True))
        found.append((
            scores @ key[..., h, :, :] / d_head**0.5,
            scores.swapaxes(-1, -2) @ query[..., h, :, :] / d_head**0.5,
            w.swapaxes(-1, -2) @ grad,
            scores,
        ))  # fmt: skip
    *three, scores = zip(*found, strict=True)
    return [*(np.concatenate(each, axis=-1) for each in three), np.stack(scores, axis=-3)]


def by_einsum(grad_output, query, key, value, weights):
    lead, (n_heads, n, d_head) = query.shape[:-3], query.shape[-3:]
    grad = grad_output.reshape(*lead, n, n_heads, d_head)
    gain = np.einsum("...ihd,...hjd->...hij", grad, value)
    scores = weights * (gain - np.einsum("...hij,...hij->...hi", weights, gain)[..., None])
    to_query = np.einsum("...hij,...hjd->...ihd", scores, key / np.sqrt(d_head))
    to_key = np.einsum("...hij,...hid->...jhd", scores, query / np.sqrt(d_head))
    to_value = np.einsum("...hij,...ihd->...jhd", weights, grad)
    return *(x.reshape(grad_output.shape) for x in (to_query, to_key, to_value)), scores


VARIANTS = (by_head, by_einsum)

KNOBS = {
    "scale": (lambda q: np.sqrt(q.shape[-2]), lambda q: q.shape[-1], lambda q: q.shape[-1] ** -0.5),
    "through": tuple(
        getattr(softmax_backward, name).function for name in ("plain_sum", "plain_mean")
    ),
    "cut": (lambda x, n_heads: split(x, n_heads)[..., ::-1, :, :],),
    "join": (lambda heads: merge(heads[..., ::-1, :, :]),),
}
