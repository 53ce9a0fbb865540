"""What is asked of every function that computes attention, whichever library it is from.

`attend` takes NumPy arrays, (n_heads, n, d), and at most one of three options: `mask`, handed on as
it is where the library takes booleans; `bias`, where it takes numbers to add; `causal=True`.
"""

from functools import partial

import numpy as np

HOW = {
    "boolean": {"mask": np.array([[False] * 3, [True] * 3])},
    "-inf": {"bias": np.array([[-np.inf] * 3, [0.0] * 3], np.float32)},
    "smallest finite": {"bias": np.array([[np.finfo(np.float32).min] * 3, [0.0] * 3], np.float32)},
}
ONE_HIDDEN = np.array([[True, False, True]] * 2)


def probes(attend):
    """Go through names and questions; two queries, three keys, where nothing else is said."""
    yield "True means", partial(meaning_of_true, attend)
    yield "integer mask", partial(integer_mask, attend)
    yield "causal · one query, five keys", partial(causal, attend)
    for how, option in HOW.items():
        yield f"all hidden · {how}", partial(all_hidden, attend, **option)
    for place, role in enumerate(("key", "value"), start=1):
        yield f"NaN in a hidden {role}", partial(hidden_nan, attend, place)
    yield "no keys", partial(no_keys, attend)
    yield "integer query, key, value", partial(integers, attend)
    for size in (100, 150):
        yield f"float16 · 16 features of {size}", partial(half, attend, size)


def grouped(attend):
    """Tell which of two key-value heads each of four query heads reads."""
    query, key = arrays(n_heads=4)[0], arrays(n_heads=2)[1]
    value = np.broadcast_to(np.arange(2, dtype=np.float32)[:, None, None], (2, 3, 4))
    return " ".join(f"h{round(head)}" for head in np.asarray(attend(query, key, value))[:, 0, 0])


def arrays(n_queries=2, n_keys=3, n_heads=1):
    rng = np.random.default_rng(0)
    sizes = (n_queries, n_keys, n_keys)
    return [rng.standard_normal((n_heads, n, 4)).astype(np.float32) for n in sizes]


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def told(row, **known):
    """Name a row of the output: which of those known it is."""
    if np.isnan(row).all():
        return "NaN"
    names = [name for name, one in known.items() if np.allclose(row, one, atol=1e-3)]
    return names[0].replace("_", " ") if names else "something else"


def by_hand(query, key, value, added=0.0):
    return softmax(query[0] @ key[0].T / 2 + added) @ value[0]


def finite(output):
    return "finite" if np.isfinite(output).all() else "NaN"


def meaning_of_true(attend):
    query, key, value = arrays()
    mask = np.array([[True, False, False]] * 2)
    row = attend(query, key, value, mask=mask)[0, 0]
    shown = by_hand(query, key[:, 1:], value[:, 1:])[0]
    return told(row, may_look=value[0, 0], hidden=shown)


def integer_mask(attend):
    query, key, value = arrays()
    row = attend(query, key, value, mask=np.array([[1, 0, 0]] * 2))[0, 0]
    added = by_hand(query, key, value, np.array([1.0, 0.0, 0.0]))[0]
    return told(row, as_boolean=value[0, 0], added_as_a_number=added)


def causal(attend):
    query, key, value = arrays(n_queries=1, n_keys=5)
    row = attend(query, key, value, causal=True)[0, 0]
    return told(row, from_the_start=value[0, 0], from_the_end=by_hand(query, key, value)[0])


def all_hidden(attend, **option):
    query, key, value = arrays()
    row = attend(query, key, value, **option)[0, 0]
    unmasked = by_hand(query, key, value)[0]
    return told(row, **{"0": 0, "mean": value[0].mean(axis=0), "as if nothing were": unmasked})


def hidden_nan(attend, place):
    inputs = arrays()
    inputs[place][:, 1] = np.nan
    return finite(attend(*inputs, mask=ONE_HIDDEN))


def no_keys(attend):
    return told(attend(*arrays(n_keys=0))[0, 0], **{"0": 0})


def integers(attend):
    query, key, value = (np.arange(1, 5).reshape(1, 2, 2) + i for i in range(3))
    scores = query[0] @ key[0].T / np.sqrt(2)
    return told(attend(query, key, value)[0], **{"0": 0, "right": softmax(scores) @ value[0]})


def half(attend, size):
    wide = np.full((1, 1, 16), size, np.float16)
    with np.errstate(all="ignore"):
        return finite(attend(wide, wide, wide))
