"""Correct answers written in other ways, which every check has to accept."""

import math

import numpy as np


def dressed(exercise):
    """The same function with other habits: dtype, containers, parameters, prints."""
    function = exercise.solution

    def in_float32(*inputs):
        named = zip(exercise.parameters, inputs, strict=True)
        # u stays as it is: below 1, where float32 may make it 1.
        small = [x.astype(np.float32) if is_float(x) and name != "u" else x for name, x in named]
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


def distances_by_loop(x, y):
    return [[math.dist(a, b) for b in y.tolist()] for a in x.tolist()]


def distances_by_difference(x, y):
    return np.linalg.norm(x[:, None] - y[None], axis=2)


def distances_by_einsum(x, y):
    squares = -2 * np.einsum("id,jd->ij", x, y)
    squares += np.einsum("id,id->i", x, x)[:, None]
    squares += np.einsum("jd,jd->j", y, y)
    return np.sqrt(np.abs(squares))


def distances_by_clip(x, y):
    squares = np.add.outer((x * x).sum(1), (y * y).sum(1)) - 2 * np.dot(x, y.T)
    squares[squares < 0] = 0
    return squares**0.5


def distances_row_by_row(x, y):
    out = np.zeros((len(x), len(y)))
    for i, row in enumerate(x):
        out[i] = np.sqrt(((row - y) ** 2).sum(axis=1))
    return out


def scores_by_einsum(query, key):
    return np.einsum("...qd,...kd->...qk", query / np.sqrt(query.shape[-1]), key)


def scores_split_scale(query, key):
    fourth = key.shape[-1] ** 0.25
    return (query / fourth) @ np.moveaxis(key / fourth, -1, -2)


def spread_by_loop(query, key):
    n, total, squares = len(query) * len(key), 0.0, 0.0
    keys = key.tolist()
    for q in query.tolist():
        for k in keys:
            score = dot(q, k)
            total += score
            squares += score * score
    return math.sqrt(max(squares / n - (total / n) ** 2, 0))


def spread_by_rows(query, key):
    total = squares = 0.0
    for q in query:
        scores = key @ q
        total, squares = total + scores.sum(), squares + (scores**2).sum()
    n = len(query) * len(key)
    return np.sqrt(max(squares / n - (total / n) ** 2, 0))


def spread_by_blocks(query, key):
    mean, squares = query.mean(0) @ key.mean(0), 0.0
    for start in range(0, len(query), 100):
        squares += ((query[start : start + 100] @ key.T - mean) ** 2).sum()
    return np.sqrt(squares / len(query) / len(key))


def spread_by_trace(query, key):
    n, mean = len(query) * len(key), query.sum(axis=0) @ key.sum(axis=0)
    square = np.trace((query.T @ query) @ (key.T @ key)) / n - (mean / n) ** 2
    return np.maximum(square, 0) ** 0.5


def spread_by_einsum(query, key):
    squares = np.einsum("if,ig,jf,jg->", query, query, key, key, optimize=["einsum_path", (0, 1), (
        0, 1), (0, 1)]) / len(query) / len(key)  # fmt: skip
    return np.sqrt(np.abs(squares - np.dot(query.mean(axis=0), key.mean(axis=0)) ** 2))


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


def sample_by_loop(scores, u):
    if np.ndim(scores) > 1:
        return [sample_by_loop(row, each) for row, each in zip(scores, u, strict=True)]
    row = softmax_row(scores.tolist())
    left = float(u) * math.fsum(row)
    for i, weight in enumerate(row):
        left -= weight
        if left < 0:
            return i
    return max(i for i, weight in enumerate(row) if weight > 0)


def sample_by_search(scores, u):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    ends = np.cumsum(e, axis=-1)
    ends = (ends / ends[..., -1:]).reshape(-1, scores.shape[-1])
    found = [np.searchsorted(row, each, side="right") for row, each in zip(ends, np.ravel(u),
             strict=True)]  # fmt: skip
    return np.array(found, dtype=int).reshape(np.shape(u))


def sample_by_argmax(scores, u):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    ends = np.cumsum(weights / weights.sum(-1, keepdims=True), axis=-1)
    ends = ends / ends[..., -1:]
    return np.argmax(ends > np.asarray(u)[..., None], axis=-1)


def sample_by_starts(scores, u):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    ends = e.cumsum(-1)
    inside = (ends - ends[..., -1:] * np.expand_dims(u, -1) > 0) & (e > 0)
    return inside.argmax(axis=-1)


def sample_as_floats(scores, u):
    return 1.0 * sample_by_argmax(scores, u)


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


def attention_by_loop(query, key, value):
    if query.ndim == 2:
        rows = loops(query.tolist(), key.tolist(), value.tolist())
        return np.array(rows).reshape(len(query), value.shape[-1])
    rows = [attention_by_loop(*each) for each in zip(query, key, value, strict=True)]
    return np.array(rows).reshape(*query.shape[:-1], value.shape[-1])


def attention_by_einsum(query, key, value):
    scores = np.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5
    e = np.exp(scores - scores.max(axis=-1)[..., None])
    return np.einsum("...qk,...kd->...qd", e / e.sum(axis=-1)[..., None], value)


def attention_divided_last(query, key, value):
    scores = query / np.sqrt(key.shape[-1]) @ np.swapaxes(key, -2, -1)
    e = np.exp(scores - np.max(scores, -1, keepdims=True))
    return (e @ value) / np.sum(e, -1, keepdims=True)


def attention_by_columns(query, key, value):
    scores = key @ query.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return (e / e.sum(axis=-2, keepdims=True)).swapaxes(-1, -2) @ value


def nearness_by_loop(query, key, value, width):
    if query.ndim > 2:
        rows = [nearness_by_loop(*x, width) for x in zip(query, key, value, strict=True)]
        return np.array(rows).reshape(*query.shape[:-1], value.shape[-1])
    out = np.zeros((len(query), value.shape[-1]))
    for i, q in enumerate(query):
        row = softmax_row([-dot(q - k, q - k) / (2 * width**2) for k in key])
        out[i] = mix(row, value)
    return out


def nearness_by_feature(query, key, value, width):
    scores = np.zeros((*query.shape[:-1], key.shape[-2]))
    for i in range(query.shape[-1]):
        scores -= ((query[..., None, i] - key[..., None, :, i]) / width) ** 2 / 2
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e @ value / e.sum(axis=-1, keepdims=True)


def nearness_by_norm(query, key, value, width):
    away = np.zeros((*query.shape[:-1], key.shape[-2]))
    for i in range(query.shape[-2]):
        away[..., i, :] = np.linalg.norm(query[..., i, None, :] - key, axis=-1)
    e = np.exp(-0.5 * (away**2 - away.min(axis=-1, keepdims=True) ** 2) / width**2)
    return e / e.sum(axis=-1, keepdims=True) @ value


def nearness_from_the_mean(query, key, value, width):
    mean = key.mean(axis=-2, keepdims=True)
    q, k = (query - mean) / width, (key - mean) / width
    squared = (q**2).sum(-1, keepdims=True) + (k**2).sum(-1)[..., None, :]
    return softmax_by_logs(q @ k.swapaxes(-1, -2) - squared / 2) @ value


def nearness_without_query(query, key, value, width):
    middle = (key.max(axis=-2, keepdims=True) + key.min(axis=-2, keepdims=True)) / 2
    query, key = query - middle, key - middle
    scores = (query @ key.swapaxes(-1, -2) - (key**2).sum(axis=-1)[..., None, :] / 2) / width**2
    return softmax_by_logs(scores) @ value


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


def prefix_by_loop(prefix_lengths, lengths, n):
    return [
        [[j < length and (j <= i or j < prefix) for j in range(n)] for i in range(n)]
        for prefix, length in zip(prefix_lengths.tolist(), lengths.tolist(), strict=True)
    ]


def prefix_by_fill(prefix_lengths, lengths, n):
    mask = np.zeros((len(lengths), n, n), dtype=bool)
    mask[:] = np.tri(n, dtype=bool)
    for b, (prefix, length) in enumerate(zip(prefix_lengths, lengths, strict=True)):
        mask[b, :, :prefix] = True
        mask[b, :, length:] = False
    return mask


def prefix_by_reach(prefix_lengths, lengths, n):
    reach = np.maximum(np.arange(1, n + 1), prefix_lengths[:, None])  # (batch, n)
    return np.arange(n) < np.minimum(reach, lengths[:, None])[..., None]


def prefix_by_numbers(prefix_lengths, lengths, n):
    j = np.arange(n)
    first = np.einsum("bk,q->bqk", j < prefix_lengths[:, None], np.ones(n)) + np.tri(n)
    return (first * (j < lengths[:, None])[:, None, :]).astype(bool)


def prefix_by_where(prefix_lengths, lengths, n):
    i, j = np.indices((n, n))
    reach = np.where(i[None] < prefix_lengths[:, None, None], prefix_lengths[:, None, None], i + 1)
    return np.logical_and(j < reach, j < lengths[:, None, None])


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


def shares_by_slices(x, w_query, w_key, w_value, w_output, n_heads):
    d, shares = w_query.shape[1] // n_heads, []
    for h in range(n_heads):
        part = slice(h * d, (h + 1) * d)
        head = self_by_loop(x, w_query[:, part], w_key[:, part], w_value[:, part])
        shares.append(np.array(head) @ w_output[part])
    return shares


def shares_by_silence(x, w_query, w_key, w_value, w_output, n_heads):
    owner = np.arange(len(w_output)) // (len(w_output) // n_heads)
    return np.array([
        multi_by_sum(x, w_query, w_key, w_value, w_output * (owner == h)[:, None], n_heads)
        for h in range(n_heads)
    ])  # fmt: skip


def shares_by_difference(x, w_query, w_key, w_value, w_output, n_heads):
    d, so_far, shares = len(w_output) // n_heads, 0, []
    for h in range(1, n_heads + 1):
        w = np.concatenate([w_output[: h * d], np.zeros_like(w_output[h * d :])])
        more = multi_by_sum(x, w_query, w_key, w_value, w, n_heads)
        shares.append(more - so_far)
        so_far = more
    return np.stack(shares)


def shares_by_einsum(x, w_query, w_key, w_value, w_output, n_heads):
    parts = (w.reshape(len(w), n_heads, -1) for w in (w_query, w_key, w_value))
    query, key, value = (np.einsum("nm,mhd->hnd", x, w) for w in parts)
    scores = np.einsum("hqd,hkd->hqk", query, key) / math.sqrt(query.shape[-1])
    e = np.exp(scores - scores.max(-1, keepdims=True))
    rows = w_output.reshape(n_heads, -1, w_output.shape[1])
    return np.einsum("hqk,hkd,hdo->hqo", e / e.sum(-1, keepdims=True), value, rows)


def shares_by_value(x, w_query, w_key, w_value, w_output, n_heads):
    d, shares = w_query.shape[1] // n_heads, ()
    for h in range(n_heads):
        part = slice(h * d, (h + 1) * d)
        value_to_output = w_value[:, part] @ w_output[part]  # one matrix a head
        shares += (self_by_columns(x, w_query[:, part], w_key[:, part], value_to_output),)
    return shares


def cross_by_loop(target, source, w_query, w_key, w_value):
    return loops(
        (target @ w_query).tolist(), (source @ w_key).tolist(), (source @ w_value).tolist()
    )


def cross_by_late_value(target, source, w_query, w_key, w_value):
    scores = target @ (w_query @ w_key.T / w_key.shape[1] ** 0.5) @ source.T
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True) @ source) @ w_value


def mutual_by_loop(weights, weights_back):
    n, m = weights.shape
    there = [row.index(max(row)) for row in weights.tolist()]
    back = [row.index(max(row)) for row in weights_back.tolist()]
    return [[there[i] == j and back[j] == i for j in range(m)] for i in range(n)]


def mutual_by_fill(weights, weights_back):
    table = np.zeros(weights.shape, dtype=bool)
    for i, j in enumerate(weights.argmax(axis=1)):
        table[i, j] = np.argmax(weights_back[j]) == i
    return table


def mutual_by_index(weights, weights_back):
    best, i = weights.argmax(axis=-1), np.arange(len(weights))
    table = np.zeros_like(weights, dtype=bool)
    table[i, best] = weights_back.argmax(axis=-1)[best] == i
    return table


def mutual_by_eye(weights, weights_back):
    n, m = weights.shape
    there, back = np.eye(m)[weights.argmax(1)], np.eye(n)[weights_back.argmax(1)]
    return np.einsum("ij,ji->ij", there, back) > 0


def mutual_by_first_maximum(weights, weights_back):
    def first(w):
        largest = w == w.max(axis=-1, keepdims=True)
        return largest & (largest.cumsum(axis=-1) == 1)

    return np.logical_and(first(weights), first(weights_back).T)


def mutual_by_sorting(weights, weights_back):
    pairs = enumerate(np.argsort(-weights, axis=1, kind="stable")[:, 0])
    back = enumerate(np.argsort(-weights_back, axis=1, kind="stable")[:, 0])
    agreed = set(pairs) & {(i, j) for j, i in back}
    return [[(i, j) in agreed for j in range(len(weights_back))] for i in range(len(weights))]


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


def grid_by_loop(n_rows, n_columns, d_model):
    rows = sinusoids_by_loop(n_rows, d_model // 2)
    columns = sinusoids_by_loop(n_columns, d_model // 2)
    return [row + column for row in rows for column in columns]


def grid_by_entry(n_rows, n_columns, d_model):
    half, table = d_model // 2, []
    for patch in range(n_rows * n_columns):
        place = patch // n_columns, patch % n_columns
        table.append([])
        for f in range(d_model):
            angle = place[f // half] / 10000 ** (f % half // 2 * 2 / half)
            table[-1].append(math.cos(angle) if f % 2 else math.sin(angle))
    return table


def grid_by_fill(n_rows, n_columns, d_model):
    half = d_model // 2
    grid = np.empty((n_rows, n_columns, d_model))
    grid[..., :half] = sinusoids_by_phase(n_rows, half)[:, None]
    grid[..., half:] = sinusoids_by_phase(n_columns, half)
    return grid.reshape(-1, d_model)


def grid_by_meshgrid(n_rows, n_columns, d_model):
    row, column = np.meshgrid(np.arange(n_rows), np.arange(n_columns), indexing="ij")
    table = sinusoids_by_phase(max(n_rows, n_columns), d_model // 2)
    return np.concatenate([table[row.ravel()], table[column.ravel()]], axis=1)


def grid_by_complex(n_rows, n_columns, d_model):
    place = np.stack(np.divmod(np.arange(n_rows * n_columns), n_columns), axis=1)
    speed = np.exp(-np.log(10000.0) * np.arange(0, d_model, 4) / d_model)
    hands = 1j * np.exp(-1j * place[..., None] * speed)  # sine + i cosine
    return np.stack([hands.real, hands.imag], axis=-1).reshape(len(place), d_model)


def grid_by_kron(n_rows, n_columns, d_model):
    row, column = (sinusoids_by_phase(n, d_model // 2) for n in (n_rows, n_columns))
    return np.hstack([np.kron(row, np.ones((n_columns, 1))), np.kron(np.ones((n_rows, 1)), column)])


def softmax_back_by_loop(grad_weights, weights):
    if np.ndim(weights) > 1:
        return [softmax_back_by_loop(*rows) for rows in zip(grad_weights, weights, strict=True)]
    mean = dot(weights, grad_weights)
    return [float(w * (g - mean)) for w, g in zip(weights, grad_weights, strict=True)]


def softmax_back_by_jacobian(grad_weights, weights):
    jacobian = weights[..., None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
    return (jacobian @ grad_weights[..., None])[..., 0]


def softmax_back_by_difference(grad_weights, weights):
    product = grad_weights * weights
    return product - weights * np.sum(product, -1, keepdims=True)


def softmax_back_by_einsum(grad_weights, weights):
    mean = np.einsum("...j,...j->...", weights, grad_weights)
    return weights * (grad_weights - np.expand_dims(mean, -1))


def softmax_back_by_pairs(grad_weights, weights):
    apart = grad_weights[..., :, None] - grad_weights[..., None, :]  # score i against weight j
    return (weights[..., :, None] * weights[..., None, :] * apart).sum(axis=-1)


def attention_back_by_loop(grad_output, query, key, value):
    if query.ndim > 2:
        inputs = (grad_output, query, key, value)
        each = [attention_back_by_loop(*x) for x in zip(*inputs, strict=True)]
        return [np.array([grads[i] for grads in each]).reshape(x.shape) for i, x in enumerate(
            inputs[1:])]  # fmt: skip
    scale = query.shape[-1] ** -0.5
    grad_query, grad_key, grad_value = (np.zeros(x.shape) for x in (query, key, value))
    for i, q in enumerate(query):
        weights = softmax_row([scale * dot(q, k) for k in key])
        gained = [dot(grad_output[i], v) for v in value]
        for j, w in enumerate(weights):
            grad_score = w * (gained[j] - dot(weights, gained)) * scale
            grad_query[i] += grad_score * key[j]
            grad_key[j] += grad_score * q
            grad_value[j] += w * grad_output[i]
    return grad_query, grad_key, grad_value


def attention_back_by_einsum(grad_output, query, key, value):
    scores = np.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.shape[-1])
    weights = np.exp(scores - scores.max(-1)[..., None])
    weights = weights / weights.sum(-1)[..., None]
    grad = np.einsum("...if,...jf->...ij", grad_output, value)
    grad = weights * (grad - np.einsum("...ij,...ij->...i", weights, grad)[..., None])
    return (
        np.einsum("...ij,...jd->...id", grad, key) / math.sqrt(query.shape[-1]),
        np.einsum("...ij,...id->...jd", grad, query) / math.sqrt(query.shape[-1]),
        np.einsum("...ij,...if->...jf", weights, grad_output),
    )


def attention_back_by_output(grad_output, query, key, value):
    # A row's mean gradient is what grad_output makes of the output: so it is done block by block.
    query = query / np.sqrt(query.shape[-1])
    weights = softmax_by_logs(query @ np.swapaxes(key, -1, -2))
    mean = ((weights @ value) * grad_output).sum(-1, keepdims=True)
    grad_scores = weights * (grad_output @ np.swapaxes(value, -1, -2) - mean)
    grad_query = grad_scores @ key / np.sqrt(query.shape[-1])
    return iter((
        grad_query, np.swapaxes(grad_scores, -1, -2) @ query,
        np.swapaxes(weights, -1, -2) @ grad_output,
    ))  # fmt: skip


def attention_back_by_columns(grad_output, query, key, value):
    scores = key @ query.swapaxes(-1, -2) / np.sqrt(key.shape[-1])  # (..., n_keys, n_queries)
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    weights = e / e.sum(axis=-2, keepdims=True)
    product = weights * (value @ grad_output.swapaxes(-1, -2))
    grad_scores = (product - weights * product.sum(axis=-2, keepdims=True)) / np.sqrt(key.shape[-1])
    return [grad_scores.swapaxes(-1, -2) @ key, grad_scores @ query, weights @ grad_output]


def attention_back_by_jacobian(grad_output, query, key, value):
    root = np.sqrt(query.shape[-1])
    weights = softmax_by_logs(query @ key.swapaxes(-1, -2) / root)
    grad_weights = grad_output @ value.swapaxes(-1, -2)
    grad_scores = softmax_back_by_jacobian(grad_weights, weights)
    to_key = grad_scores.swapaxes(-1, -2)
    return grad_scores @ (key / root), to_key @ (query / root), (
        weights.swapaxes(-1, -2) @ grad_output)  # fmt: skip


def losses_by_loop(logits, targets):
    rows, places = logits.reshape(-1, logits.shape[-1]).tolist(), np.ravel(targets).tolist()
    loss, grads = 0.0, []
    for row, target in zip(rows, places, strict=True):
        total = math.fsum(math.exp(z - max(row)) for z in row)
        loss += math.log(total) + (max(row) - row[target])
        grads.append([
            (math.exp(z - max(row)) / total - (k == target)) / len(rows) for k, z in enumerate(row)
        ])  # fmt: skip
    return loss / len(rows), np.reshape(grads, logits.shape)


def losses_by_index(logits, targets):
    flat, places = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    n, rows = len(places), np.arange(len(places))
    shifted = flat - flat.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1)
    loss = np.mean(np.log(total) - shifted[rows, places])
    grad = np.exp(shifted) / total[:, None]
    grad[rows, places] -= 1
    return loss, (grad / n).reshape(logits.shape)


def losses_by_eye(logits, targets):
    target = np.eye(logits.shape[-1])[targets]
    shifted = logits - np.max(logits, axis=-1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))
    n = np.prod(logits.shape[:-1])
    return [-np.sum(np.where(target == 1, log_p, 0)) / n, np.exp(log_p) / n - target / n]


def losses_from_the_target(logits, targets):
    place = targets[..., None]
    beyond = logits - np.take_along_axis(logits, place, axis=-1)
    top = beyond.max(axis=-1, keepdims=True)
    loss = top + np.log(np.exp(beyond - top).sum(axis=-1, keepdims=True))
    grad = np.exp(beyond - loss)
    np.put_along_axis(grad, place, np.take_along_axis(grad, place, -1) - 1, axis=-1)
    return loss.mean(), grad / loss.size


def losses_by_probability(logits, targets):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    e, target = np.exp(shifted), np.arange(logits.shape[-1]) == np.expand_dims(targets, -1)
    total = e.sum(axis=-1, keepdims=True)
    lost = np.log(total[..., 0]) - np.sum(shifted * target, axis=-1)
    return np.array(np.mean(lost)), (e / total - 1.0 * target) / lost.size


def losses_by_logsumexp(logits, targets):
    top = logits.max(axis=-1, keepdims=True)
    total = top + np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
    chosen = np.take_along_axis(logits, targets[..., None], axis=-1)
    grad = np.exp(logits - total) - (np.arange(logits.shape[-1]) == targets[..., None])
    return np.mean(total - chosen), grad / np.size(targets)


def step_by_loop(w, grad_w, rate):
    if np.ndim(w) == 0:
        return float(w) - rate * float(grad_w)
    return [step_by_loop(a, b, rate) for a, b in zip(w, grad_w, strict=True)]


def step_in_a_copy(w, grad_w, rate):
    w = np.copy(w)
    w -= rate * grad_w
    return w


def step_by_adding(w, grad_w, rate):
    return np.add(w, np.multiply(-rate, grad_w))


def step_by_step(w, grad_w, rate):
    step = grad_w * rate
    return -(step - w)


def linear_back_by_loop(grad_y, x, w):
    if x.ndim == 1:
        return [dot(grad_y, row) for row in w], np.outer(x, grad_y)
    grad_x, grad_w = np.zeros(x.shape), np.zeros(w.shape)
    for i in range(len(x)):
        grad_x[i], asked = linear_back_by_loop(grad_y[i], x[i], w)
        grad_w += asked
    return grad_x, grad_w


def linear_back_by_einsum(grad_y, x, w):
    rows, grad_rows = x.reshape(-1, len(w)), grad_y.reshape(-1, w.shape[1])
    pairs = ("...o,io->...i", grad_y, w), ("ni,no->io", rows, grad_rows)
    return (np.einsum(*pair) for pair in pairs)


def linear_back_by_sum(grad_y, x, w):
    asked = x[..., :, np.newaxis] * grad_y[..., np.newaxis, :]  # a table for each row
    return [np.matmul(grad_y, w.T), asked.sum(axis=tuple(range(asked.ndim - 2)))]


def linear_back_batch_by_batch(grad_y, x, w):
    rows, grad_rows = np.atleast_2d(x), np.atleast_2d(grad_y)
    grad_w = rows.swapaxes(-1, -2) @ grad_rows
    while grad_w.ndim > 2:
        grad_w = grad_w.sum(axis=0)
    return (w @ grad_y[..., None])[..., 0], grad_w


OTHER_ALGORITHMS = {
    "dot_product": [dot_by_loop, np.dot, np.inner],
    "cosine_similarity": [cosine_by_loop, cosine_with_epsilon],
    "projection": [projection_by_unit, projection_by_matrix],
    "pairwise_distances": [
        distances_by_loop, distances_by_difference, distances_by_einsum, distances_by_clip,
        distances_row_by_row,
    ],
    "scaled_scores": [scores_by_einsum, scores_split_scale],
    "score_spread": [
        spread_by_rows, spread_by_blocks, spread_by_trace, spread_by_einsum, spread_by_loop,
    ],
    "softmax": [softmax_by_loop, softmax_by_logs],
    "softmax_with_temperature": [tempered_by_loop, tempered_by_shift_first],
    "weighted_average": [average_by_einsum, average_by_sum],
    "sample": [
        sample_by_loop, sample_by_search, sample_by_argmax, sample_by_starts, sample_as_floats,
    ],
    "project_qkv": [
        project_by_einsum,
        project_by_dot,
        project_by_generator,
        project_by_map,
    ],
    "attention": [
        attention_by_loop, attention_by_einsum, attention_divided_last, attention_by_columns,
    ],
    "self_attention": [self_by_loop, self_by_columns],
    "distance_attention": [
        nearness_by_loop, nearness_by_feature, nearness_by_norm, nearness_from_the_mean,
        nearness_without_query,
    ],
    "causal_mask": [causal_by_tri, causal_by_loop],
    "padding_mask": [padding_by_loop, padding_by_fill],
    "masked_attention": [masked_by_loop, masked_by_finite, masked_by_bias],
    "prefix_mask": [
        prefix_by_loop,
        prefix_by_fill,
        prefix_by_reach,
        prefix_by_numbers,
        prefix_by_where,
    ],
    "split_heads": [split_by_slices, split_by_fill],
    "merge_heads": [merge_by_concatenate, merge_by_fill],
    "multi_head_attention": [multi_by_slices, multi_by_sum],
    "head_contributions": [
        shares_by_slices,
        shares_by_silence,
        shares_by_difference,
        shares_by_einsum,
        shares_by_value,
    ],
    "cross_attention": [cross_by_loop, cross_by_late_value],
    "mutual_best": [
        mutual_by_loop,
        mutual_by_fill,
        mutual_by_index,
        mutual_by_eye,
        mutual_by_first_maximum,
        mutual_by_sorting,
    ],
    "sinusoidal_positions": [sinusoids_by_loop, sinusoids_by_phase],
    "rotate": [rotate_by_complex, rotate_by_loop],
    "grid_positions": [
        grid_by_loop,
        grid_by_entry,
        grid_by_fill,
        grid_by_meshgrid,
        grid_by_complex,
        grid_by_kron,
    ],
    "softmax_backward": [
        softmax_back_by_loop, softmax_back_by_jacobian, softmax_back_by_difference,
        softmax_back_by_einsum, softmax_back_by_pairs,
    ],
    "attention_backward": [
        attention_back_by_loop, attention_back_by_einsum, attention_back_by_output,
        attention_back_by_columns, attention_back_by_jacobian,
    ],
    "cross_entropy": [
        losses_by_loop, losses_by_index, losses_by_eye, losses_from_the_target,
        losses_by_probability, losses_by_logsumexp,
    ],
    "sgd_step": [step_by_loop, step_in_a_copy, step_by_adding, step_by_step],
    "linear_backward": [
        linear_back_by_loop, linear_back_by_einsum, linear_back_by_sum,
        linear_back_batch_by_batch,
    ],
}  # fmt: skip


def correct_variants(exercise):
    """Everything right that is tried on an exercise, the reference apart."""
    return OTHER_ALGORITHMS[exercise.name] + dressed(exercise)
