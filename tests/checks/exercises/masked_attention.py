"""Right answers to masked_attention, wrong ones, and what it promises."""

import numpy as np

import attnlib
from attnlib.checks.engine import examine
from attnlib.checks.exercises.masked_attention import EXERCISE, HIDDEN, VISIBLE
from attnlib.checks.promises import LARGE, NO_QUERIES, SAME_SHAPES, SIZES
from tests.checks.by_hand import loops, softened
from tests.checks.knobs import ATTENTION, RIGHT, scaled_scores
from tests.checks.weighers import weighed

PROMISED = {SIZES, LARGE, SAME_SHAPES, NO_QUERIES, VISIBLE, HIDDEN}


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


VARIANTS = (masked_by_loop, masked_by_finite, masked_by_bias)


def masks():
    return (
        lambda s, m: np.where(m, s, -np.inf),
        lambda s, m: s,
        lambda s, m: np.where(m, -np.inf, s),
        lambda s, m: s * m,
        lambda s, m: s + m,
    )


def turned(query, key, value, mask, *, scale, weigh, hide, mixed):
    return weigh(hide(scaled_scores(query, key, scale), mask)) @ (
        value if mixed == "right" else key
    )


KNOBS = ATTENTION | {"hide": masks(), "mixed": (*RIGHT, "key")}


def scores(query, key, *_):
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def wrong():
    yield from weighed(turned, KNOBS)

    def scores(q, k):
        return q @ k.T / np.sqrt(q.shape[-1])

    for by in (-1, -10, -20, -50, -100, -700, -1e3, -1e4, -1e5, -1e6):
        yield (
            f"{by} for -inf",
            lambda q, k, v, m, by=by: attnlib.softmax(np.where(m, scores(q, k), by)) @ v,
        )
    for by in (-10, -20, -100, -1e3, -1e4, -1e9, -1e12):
        yield (
            f"{by} added",
            lambda q, k, v, m, by=by: attnlib.softmax(scores(q, k) + np.where(m, 0, by)) @ v,
        )
    for slack in (1e-9, 1e-3):
        yield (
            f"hidden after the softmax, {slack} below",
            lambda q, k, v, m, slack=slack: (
                (w := attnlib.softmax(scores(q, k)) * m)
                / (w.sum(axis=-1, keepdims=True) + slack)
                @ v
            ),
        )
    yield (
        "the lowest score for -inf",
        lambda q, k, v, m: (
            attnlib.softmax(np.where(m, scores(q, k), scores(q, k).min(initial=0) - 20)) @ v
        ),
    )
    yield (
        "the mask of the first query",
        lambda q, k, v, m: attnlib.attention(
            q, k, v, mask=np.broadcast_to(m[:1], m.shape) if len(m) else m
        ),
    )
    yield (
        "all visible taken for none",
        lambda q, k, v, m: attnlib.attention(q, k, v, mask=m & ~m.all(axis=-1, keepdims=True)),
    )
    yield (
        "one visible taken for all",
        lambda q, k, v, m: attnlib.attention(
            q, k, v, mask=m | (m.sum(axis=-1, keepdims=True) == 1)
        ),
    )


def masked_by_a_product(query, key, value, mask):
    return softened(query @ key.T / np.sqrt(key.shape[1]) + (1 - mask) * -np.inf) @ value


def lowered(by):
    def masked(query, key, value, mask):
        scores = query @ key.T / np.sqrt(query.shape[1])
        return softened(scores + np.where(mask, 0, by)) @ value

    return masked


def stood_in(by):
    def masked(query, key, value, mask):
        scores = query @ key.T / np.sqrt(query.shape[1])
        return softened(np.where(mask, scores, by)) @ value

    return masked


NAMED = (
    (lowered(-1e9), "a finite number added"),
    (lowered(-1e30), "a finite number added"),
    (stood_in(-10), "-10 for -inf"),
    (masked_by_a_product, "0 times -inf"),
)


def test_a_stand_in_in_the_place_of_a_hidden_score_passes():
    for by in (-np.inf, -1e9, np.finfo(np.float32).min):
        assert examine(EXERCISE, stood_in(by)).status == "passed", by
