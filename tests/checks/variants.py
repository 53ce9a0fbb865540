"""Correct answers written in other ways, which every check has to accept."""

import math

import numpy as np


def dressed(exercise):
    """The same function with other habits: dtype, containers, parameters, prints."""
    function = exercise.solution

    def in_float32(*inputs):
        small = [x.astype(np.float32) if is_float(x) else x for x in inputs]
        result = function(*small)
        if exercise.parts:
            return tuple(part.astype(np.float32) for part in result)
        return result if result.dtype == bool else result.astype(np.float32)

    def lists_out(*inputs):
        result = function(*inputs)
        return [part.tolist() for part in result] if exercise.parts else result.tolist()

    def optional_extra(*inputs, verbose=False, axis=-1):
        return function(*inputs)

    def prints(*inputs):
        print("shapes:", [np.shape(x) for x in inputs])
        return function(*inputs)

    def remembers_nothing(*inputs):
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in inputs]
        result = function(*copies)
        kept = tuple(map(np.copy, result)) if exercise.parts else np.copy(result)
        for x in copies:
            if isinstance(x, np.ndarray):
                x[...] = 0  # a function may do with copies of its own what it likes
        return kept

    return [function, in_float32, lists_out, optional_extra, prints, remembers_nothing]


def is_float(x):
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def softmax_row(row):
    top = max(row)
    e = [math.exp(score - top) for score in row]
    return [x / sum(e) for x in e]


def mix(row, values):
    return [sum(w * value[f] for w, value in zip(row, values, strict=True)) for f in range(
        len(values[0]))]  # fmt: skip


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def loops(query, key, value, mask=None):
    """Attention over lists of lists."""
    out = []
    for i, q in enumerate(query):
        seen = [j for j in range(len(key)) if mask is None or mask[i][j]]
        row = softmax_row([dot(q, key[j]) / len(q) ** 0.5 for j in seen])
        out.append(mix(row, [value[j] for j in seen]))
    return out


def dot_by_loop(a, b):
    a, b = a.tolist(), b.tolist()
    total = 0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def cosine_by_loop(x):
    rows = x.tolist()
    norm = [math.hypot(*row) for row in rows]
    return [[dot(a, b) / (norm[i] * norm[j]) for j, b in enumerate(rows)] for i, a in enumerate(
        rows)]  # fmt: skip


def cosine_with_epsilon(x):
    norms = np.linalg.norm(x, axis=1)
    return np.einsum("id,jd->ij", x, x) / (np.outer(norms, norms) + 1e-8)


def projection_by_unit(a, onto):
    unit = onto / np.linalg.norm(onto)
    return (a @ unit) * unit


def projection_by_matrix(a, onto):
    return np.outer(onto, onto) / np.sum(onto**2) @ a


def scores_by_einsum(query, key):
    return np.einsum("...qd,...kd->...qk", query / np.sqrt(query.shape[-1]), key)


def scores_split_scale(query, key):
    fourth = key.shape[-1] ** 0.25
    return (query / fourth) @ np.moveaxis(key / fourth, -1, -2)


def softmax_by_loop(scores):
    if np.ndim(scores) == 1:
        return softmax_row(list(scores))
    return [softmax_by_loop(part) for part in scores]


def softmax_by_logs(scores):
    top = scores.max(axis=-1)[..., None]
    return np.exp(scores - top - np.log(np.sum(np.exp(scores - top), axis=-1))[..., None])


def tempered_by_loop(scores, temperature):
    if np.ndim(scores) > 1:
        return tuple(tempered_by_loop(part, temperature) for part in scores)
    return tuple(softmax_row([s / temperature for s in scores.tolist()]))


def tempered_by_shift_first(scores, temperature):
    shifted = scores - scores.max(-1, keepdims=True)
    return np.exp(shifted / temperature - np.log(np.exp(shifted / temperature).sum(-1))[..., None])


def average_by_einsum(weights, values):
    return np.einsum("...nm,...md->...nd", weights, values)


def average_by_sum(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum(axis=-2)


def project_by_einsum(x, w_query, w_key, w_value):
    return [np.einsum("nm,md->nd", x, w) for w in (w_query, w_key, w_value)]


def project_by_dot(x, w_query, w_key, w_value):
    return np.dot(x, w_query), np.dot(x, w_key), (w_value.T @ x.T).T


def project_by_generator(x, *matrices):
    return (x @ w for w in matrices)


def project_by_map(x, *matrices):
    return map(x.__matmul__, matrices)


def self_by_loop(x, w_query, w_key, w_value):
    return loops(*((x @ w).tolist() for w in (w_query, w_key, w_value)))


def self_by_columns(x, w_query, w_key, w_value):
    query, key, value = w_query.T @ x.T, w_key.T @ x.T, w_value.T @ x.T
    scores = key.T @ query / np.sqrt(len(key))
    e = np.exp(scores - scores.max(axis=0))
    return (value @ (e / e.sum(axis=0))).T


def causal_by_tri(n_queries, n_keys):
    return np.tri(n_queries, n_keys, dtype=bool)


def causal_by_loop(n_queries, n_keys):
    return [[j <= i for j in range(n_keys)] for i in range(n_queries)]


def padding_by_loop(lengths, n_keys):
    return [[[j < length for j in range(n_keys)]] for length in lengths.tolist()]


def padding_by_fill(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, :length] = True
    return mask


def masked_by_loop(query, key, value, mask):
    return loops(query.tolist(), key.tolist(), value.tolist(), mask.tolist())


def masked_by_finite(query, key, value, mask):
    scores = query @ key.T / np.sqrt(key.shape[1])
    scores[~mask] = -1e9
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e @ value / e.sum(axis=1, keepdims=True)


def masked_by_bias(query, key, value, mask):
    with np.errstate(divide="ignore"):
        scores = query @ key.T / np.sqrt(key.shape[1]) + np.log(mask)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ value


def split_by_slices(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=-3)


def split_by_fill(x, n_heads):
    d = x.shape[-1] // n_heads
    return np.moveaxis([x[..., h * d : (h + 1) * d] for h in range(n_heads)], 0, -3)


def merge_by_concatenate(heads):
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


def merge_by_fill(heads):
    n_heads, n, d = heads.shape[-3:]
    out = np.empty((*heads.shape[:-3], n, n_heads * d))
    for h in range(n_heads):
        out[..., h * d : (h + 1) * d] = heads[..., h, :, :]
    return out


def multi_by_slices(x, w_query, w_key, w_value, w_output, n_heads):
    d, outputs = w_query.shape[1] // n_heads, []
    for h in range(n_heads):
        part = slice(h * d, (h + 1) * d)
        outputs.append(self_by_loop(x, w_query[:, part], w_key[:, part], w_value[:, part]))
    return np.concatenate(outputs, axis=1) @ w_output


def multi_by_sum(x, w_query, w_key, w_value, w_output, n_heads):
    d, total = w_query.shape[1] // n_heads, 0
    for h in range(n_heads):
        part = slice(h * d, (h + 1) * d)
        head = self_by_columns(x, w_query[:, part], w_key[:, part], w_value[:, part])
        total = total + head @ w_output[part]
    return total


def cross_by_loop(target, source, w_query, w_key, w_value):
    return loops(
        (target @ w_query).tolist(), (source @ w_key).tolist(), (source @ w_value).tolist()
    )


def cross_by_late_value(target, source, w_query, w_key, w_value):
    scores = target @ (w_query @ w_key.T / w_key.shape[1] ** 0.5) @ source.T
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True) @ source) @ w_value


def sinusoids_by_loop(n_positions, d_model):
    def entry(p, f):
        angle = p / 10000 ** (2 * (f // 2) / d_model)
        return math.cos(angle) if f % 2 else math.sin(angle)

    return [[entry(p, f) for f in range(d_model)] for p in range(n_positions)]


def sinusoids_by_phase(n_positions, d_model):
    f = np.arange(d_model)
    rate = np.exp(-np.log(10000) * (f - f % 2) / d_model)
    return np.sin(np.arange(n_positions)[:, None] * rate + np.pi / 2 * (f % 2))


def rotate_by_complex(x, positions):
    d = x.shape[1]
    turn = np.exp(1j * positions[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d))
    z = (x[:, ::2] + 1j * x[:, 1::2]) * turn
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def rotate_by_loop(x, positions):
    out = x.tolist()
    for row, p in zip(out, positions.tolist(), strict=True):
        for i in range(0, len(row), 2):
            angle, (a, b) = p / 10000 ** (i / len(row)), row[i : i + 2]
            row[i] = a * math.cos(angle) - b * math.sin(angle)
            row[i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return out


OTHER_ALGORITHMS = {
    "dot_product": [dot_by_loop, np.dot, np.inner],
    "cosine_similarity": [cosine_by_loop, cosine_with_epsilon],
    "projection": [projection_by_unit, projection_by_matrix],
    "scaled_scores": [scores_by_einsum, scores_split_scale],
    "softmax": [softmax_by_loop, softmax_by_logs],
    "softmax_with_temperature": [tempered_by_loop, tempered_by_shift_first],
    "weighted_average": [average_by_einsum, average_by_sum],
    "project_qkv": [
        project_by_einsum,
        project_by_dot,
        project_by_generator,
        project_by_map,
    ],
    "self_attention": [self_by_loop, self_by_columns],
    "causal_mask": [causal_by_tri, causal_by_loop],
    "padding_mask": [padding_by_loop, padding_by_fill],
    "masked_attention": [masked_by_loop, masked_by_finite, masked_by_bias],
    "split_heads": [split_by_slices, split_by_fill],
    "merge_heads": [merge_by_concatenate, merge_by_fill],
    "multi_head_attention": [multi_by_slices, multi_by_sum],
    "cross_attention": [cross_by_loop, cross_by_late_value],
    "sinusoidal_positions": [sinusoids_by_loop, sinusoids_by_phase],
    "rotate": [rotate_by_complex, rotate_by_loop],
}


def correct_variants(exercise):
    """Everything right that is tried on an exercise, the reference apart."""
    return OTHER_ALGORITHMS[exercise.name] + dressed(exercise)
