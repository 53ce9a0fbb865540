"""Right answers to online_softmax_step, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.engine import examine
from attnlib.checks.exercises.online_softmax_step import (
    EXERCISE,
    in_blocks,
    online_softmax_step,
    shown,
    turned,
)
from tests.checks.knobs import set_to
from tests.checks.sweep import in_halves


def query_by_query(top, total, output, scores, value):
    new, now, mixed = top.copy(), total.copy(), output.copy()
    for at in np.ndindex(top.shape):
        for score, row in zip(scores[at], value[at[:-1]], strict=True):
            if score == -np.inf:
                continue
            higher = max(new[at], score)
            factor = np.exp(new[at] - higher)
            now[at] = factor * now[at] + np.exp(score - higher)
            mixed[at] = factor * mixed[at] + np.exp(score - higher) * row
            new[at] = higher
    return new, now, mixed


def of_two_blocks(top, total, output, scores, value):
    """Sum the block by itself, and bring both to the higher top."""
    own = scores.max(axis=-1)
    made = np.exp(scores - shown(own)[..., None])
    new = np.where(own > top, own, top)
    old, here = (np.exp(x - shown(new)) for x in (top, own))
    mixed = old[..., None] * output + here[..., None] * (made @ value)
    return new, old * total + here * made.sum(axis=-1), mixed


def with_a_column_more(top, total, output, scores, value):
    """Take what is kept for one key more, whose score is the top."""
    longer = np.concatenate([top[..., None], scores], axis=-1)
    new = longer.max(axis=-1)
    made = np.exp(longer - shown(new)[..., None])
    kept, block = made[..., :1], made[..., 1:]
    return new, kept[..., 0] * total + block.sum(-1), kept * output + block @ value


VARIANTS = (query_by_query, of_two_blocks, with_a_column_more)


KNOBS = {
    "highest": (lambda top, scores: top + scores.max(axis=-1),),
    "power": (np.exp2,),
}


def scores(top, total, output, scores, value):
    return scores


def wrong():
    answer = EXERCISE.answer
    for label, change in {
        "cut at 700": lambda x: np.clip(x, -700, 700),
        "cut at 9,000": lambda x: np.clip(x, -9e3, 9e3),
        "-1e9 for -inf": lambda x: np.maximum(x, -1e9),
        "3 below the top at least": lambda x: np.maximum(x, x.max(axis=-1, keepdims=True) - 3),
    }.items():
        yield f"scores {label}", lambda a, b, c, s, v, change=change: answer(a, b, c, change(s), v)
    for by in (1e-3, 1e-1):
        yield (
            f"{by} added to the total",
            lambda *x, by=by: (lambda a, b, c: (a, b + by, c))(*answer(*x)),
        )
    yield (
        "a top of 0 at least",
        set_to(turned, {"highest": lambda top, s: np.maximum(np.maximum(top, s.max(axis=-1)), 0)}),
    )
    yield from in_halves(EXERCISE)


def in_place(top, total, output, scores, value):
    new = np.maximum(top, scores.max(axis=-1))
    factor = np.exp(top - new)
    made = np.exp(scores - new[..., None])
    total *= factor
    total += made.sum(axis=-1)
    return new, total, output * factor[..., None] + made @ value


def with_nan(top, total, output, scores, value):
    new = np.maximum(top, np.max(scores, axis=-1))
    made = np.exp(scores - new[..., None])
    total = total * np.exp(top - new) + np.sum(made, axis=-1)
    return new, total, output * np.exp(top - new)[..., None] + made @ value


def on_matrices(top, total, output, scores, value):
    new = np.maximum(top, scores.max(axis=1))
    made = np.exp(scores - new[:, None])
    return new, total + made.sum(axis=1), output + made @ value


def without_a_top(top, total, output, scores, value):
    made = np.exp(scores)
    return np.maximum(top, scores.max(axis=-1)), total + made.sum(axis=-1), output + made @ value


NAMED = (
    (in_place, "input changed in place"),
    (with_nan, "-inf less -inf"),
    (on_matrices, "nothing rescaled"),
    (without_a_top, "nothing subtracted"),
)


def test_a_top_of_minus_infinity_that_is_due_is_not_told():
    def counted(*inputs):
        top, total, output = EXERCISE.answer(*inputs)
        return top, total + (top == -np.inf), output

    report = " ".join(str(examine(EXERCISE, counted)).split())
    assert "a block that is all hidden changes nothing" in report
    assert "not finite" not in report

    def lost(*inputs):
        top, total, output = EXERCISE.answer(*inputs)
        return np.where(top == -np.inf, np.nan, top), total, output + np.where(output, 0, np.nan)

    assert "not finite" in str(examine(EXERCISE, lost))


def test_no_way_to_go_through_the_keys_warns_or_changes_the_output():
    rng = np.random.default_rng(0)
    query, key, value = (rng.normal(size=(n, d)) for n, d in ((5, 3), (13, 3), (13, 7)))
    mask = rng.random((5, 13)) < 0.5
    mask[0], mask[1, :11] = False, False
    for scale in (1, 1000):
        found = np.where(mask, scale * (query @ key.T), -np.inf)
        due = attnlib.attention(query, key, value, mask=mask, scale=scale)
        for size in (1, 2, 5, 13):
            with np.errstate(all="raise", under="ignore"):
                _, total, output = in_blocks(online_softmax_step, found, value, size)
            output = output / np.where(total == 0, 1, total)[:, None]
            np.testing.assert_allclose(output, due, rtol=1e-9, atol=1e-12)
