"""Every promise of every exercise has the cases that cover it, and wrong answers that break it."""

import numpy as np
import pytest

import attnlib
from attnlib.checks import promises
from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.exercises import (
    cross_entropy,
    distance_attention,
    linear_backward,
    masked_attention,
    mutual_best,
    padding_mask,
    pairwise_distances,
    prefix_mask,
    rotate,
    sample,
    score_spread,
    sgd_step,
    sinusoidal_positions,
    softmax_backward,
)
from tests.checks.specs import FEW, NAMES, load
from tests.checks.sweep import own_axes, sweep
from tests.lessons import quickly

EVERY = {promises.SAME_SHAPES}
ROWS = {promises.LEADING, promises.SIZES, promises.EMPTY} | EVERY
MATRICES = ROWS | {promises.NO_QUERIES, promises.SCALE}
SOFT = {promises.SIZES, promises.LARGE} | EVERY

PROMISED = {
    "dot_product": {promises.LENGTHS_OF_VECTORS, promises.SCALE} | EVERY,
    "cosine_similarity": {promises.SIZES, promises.SCALE} | EVERY,
    "projection": {promises.LENGTHS_OF_VECTORS, promises.SCALE} | EVERY,
    "pairwise_distances": {promises.SIZES, promises.SCALE, pairwise_distances.COINCIDE} | EVERY,
    "scaled_scores": MATRICES,
    "score_spread": {promises.SIZES, promises.SCALE, score_spread.MANY, score_spread.FLAT} | EVERY,
    "softmax": ROWS | {promises.LARGE, promises.TIES},
    "softmax_with_temperature": ROWS | {promises.LARGE, promises.TIES, promises.TEMPERATURES},
    "weighted_average": MATRICES,
    "sample": ROWS | {promises.LARGE, promises.TIES, sample.ENDS, sample.WEIGHTLESS},
    "project_qkv": {promises.SIZES, promises.SCALE} | EVERY,
    "attention": MATRICES | {promises.LARGE},
    "self_attention": SOFT,
    "distance_attention": ROWS
    | {promises.NO_QUERIES, distance_attention.FAR, distance_attention.WIDTHS}
    | {distance_attention.AWAY},
    "causal_mask": {promises.SIZES, promises.NO_QUERIES},
    "padding_mask": {padding_mask.LENGTHS, promises.SIZES, promises.EMPTY} | EVERY,
    "masked_attention": SOFT
    | {promises.NO_QUERIES, masked_attention.VISIBLE, masked_attention.HIDDEN},
    "prefix_mask": {prefix_mask.LENGTHS, prefix_mask.PREFIXES, promises.SIZES, promises.EMPTY}
    | EVERY,
    "split_heads": ROWS,
    "merge_heads": ROWS,
    "multi_head_attention": SOFT,
    "head_contributions": SOFT,
    "cross_attention": SOFT | {promises.NO_QUERIES},
    "mutual_best": {promises.SIZES, mutual_best.FIRST, mutual_best.NARROW} | EVERY,
    "sinusoidal_positions": {promises.SIZES, sinusoidal_positions.FAR},
    "rotate": {promises.SIZES, rotate.BETWEEN, rotate.ANY_ORDER} | EVERY,
    "grid_positions": {promises.SIZES, sinusoidal_positions.FAR} | EVERY,
    "softmax_backward": ROWS | {promises.SCALE, softmax_backward.CERTAIN},
    "attention_backward": MATRICES | {promises.LARGE},
    "cross_entropy": {promises.LEADING, promises.SIZES, cross_entropy.FINITE, cross_entropy.TARGETS}
    | EVERY,
    "sgd_step": {sgd_step.SHAPES, sgd_step.RATES, promises.SCALE} | EVERY,
    "linear_backward": {linear_backward.SUMMED, linear_backward.NO_ROWS, promises.SIZES}
    | {promises.SCALE}
    | EVERY,
}


LENGTHS_ALONE = ("padding_mask", "prefix_mask")  # their arrays are (batch,): no axis of keys


def cases(name, promise):
    return [case.inputs for case in load(name).all_cases() if case.promise is promise]


def having(promise):
    return [name for name in NAMES if promise in PROMISED[name]]


@pytest.mark.parametrize("name", NAMES)
def test_every_promise_has_its_cases_and_no_other_is_tested(name):
    found = load(name).promises()
    assert set(found) == PROMISED[name]
    assert all(len(list(inputs)) >= 2 for inputs in found.values())


@pytest.mark.parametrize(
    ("name", "promise"),
    [(name, promises.LEADING) for name in having(promises.LEADING)]
    + [("linear_backward", linear_backward.SUMMED)],
)
def test_leading_axes_are_none_one_two_and_three(name, promise):
    axes = {np.ndim(first) - own_axes(name) for first, *_ in cases(name, promise)}
    assert axes >= {0, 1, 2, 3}


@pytest.mark.parametrize("name", having(promises.EMPTY))
def test_an_empty_batch_has_keys(name):
    found = [np.shape(inputs[0]) for inputs in cases(name, promises.EMPTY)]
    assert all(0 in shape and shape[-1] != 0 for shape in found) or name in LENGTHS_ALONE
    for known in LENGTHS_ALONE:
        assert all(inputs[-1] > 0 for inputs in cases(known, promises.EMPTY))


def queries_and_keys(name, inputs):
    if name == "causal_mask":
        return inputs
    if name == "weighted_average":
        return inputs[0].shape[-2:]
    query, key = inputs[1:3] if name == "attention_backward" else inputs[:2]
    return query.shape[-2], key.shape[-2]


@pytest.mark.parametrize("name", having(promises.NO_QUERIES))
def test_queries_are_none_more_fewer_and_as_many_as_keys(name):
    for inputs in cases(name, promises.NO_QUERIES):
        n_queries, n_keys = queries_and_keys(name, inputs)
        assert n_queries == 0 < n_keys
    pairs = [queries_and_keys(name, inputs) for inputs in cases(name, promises.SIZES)]
    assert {np.sign(n - m) for n, m in pairs} == {-1, 0, 1}
    assert {1} <= {n for n, _ in pairs} & {m for _, m in pairs}


def rows_of_scores(name, inputs):
    """The scaled scores that a softmax meets, rows last."""
    if name in ("softmax", "sample"):
        return inputs[0]
    if name == "softmax_with_temperature":
        return inputs[0] / inputs[1]
    if name in ("attention", "masked_attention"):
        query, key = inputs[:2]
    elif name == "attention_backward":
        query, key = inputs[1:3]
    elif name == "cross_attention":
        query, key = inputs[0] @ inputs[2], inputs[1] @ inputs[3]
    else:
        query, key = inputs[0] @ inputs[1], inputs[0] @ inputs[2]
    if name in ("multi_head_attention", "head_contributions"):
        n, n_heads = len(query), inputs[-1]
        query, key = (x.reshape(n, n_heads, -1).swapaxes(0, 1) for x in (query, key))
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


@pytest.mark.parametrize("name", having(promises.LARGE))
def test_large_scores_lie_high_low_far_apart_and_close_together(name):
    found = [rows_of_scores(name, inputs) for inputs in cases(name, promises.LARGE)]
    rows = [row for scores in found for row in scores.reshape(-1, scores.shape[-1])]
    assert any(row.min() > 800 and np.ptp(row) < 10 for row in rows)
    assert any(row.max() < -800 for row in rows)
    assert any(row.max() - row.mean() > 800 and row.max() - row.min() > 800 for row in rows)
    assert any(np.abs(row).max() > 1e29 for row in rows)
    assert any(np.ptp(scores.max(axis=-1)) > 800 for scores in found)  # rows far from each other


@pytest.mark.parametrize("name", having(promises.SCALE))
def test_numbers_are_small_and_large(name):
    sizes = [np.abs(inputs[i]).max() for inputs in cases(name, promises.SCALE) for i in (0, -1)]
    assert min(sizes) < 0.1
    assert max(sizes) > 1e3


def test_temperatures_and_positions_and_lengths_reach_their_ends():
    temperatures = [t for _, t in cases("softmax_with_temperature", promises.TEMPERATURES)]
    assert (min(temperatures), max(temperatures)) == (1e-3, 1e3)
    positions = [p for case in load("rotate").all_cases() for p in case.inputs[1]]
    assert min(positions) == 0, "negative positions are promised nowhere"
    assert any(p % 1 for p in positions)
    found = cases("padding_mask", padding_mask.LENGTHS)
    assert any((x == 0).any() and (x == n).any() for x, n in found)
    assert any((x == 0).all() for x, n in found)
    assert all(x.max(initial=0) <= n for x, n in found)


def test_logits_are_far_apart_and_targets_the_likeliest_and_the_least_likely():
    found = cases("cross_entropy", cross_entropy.FINITE)
    gaps = [z.max(axis=-1) - np.take_along_axis(z, t[:, None], -1)[:, 0] for z, t in found]
    assert any((gap == 0).all() for gap in gaps)
    assert any(800 < gap.max() < 1e4 for gap in gaps)
    assert any(gap.max() > 1e29 for gap in gaps)
    assert max(z.max() for z, _ in found) > 1e29
    assert min(z.max(axis=-1).min() for z, _ in found) < -1e29
    ends = [set(np.unique(t)) for _, t in cases("cross_entropy", cross_entropy.TARGETS)]
    assert {0} in ends
    assert {6} in ends


def test_weights_are_0_and_1_and_rates_reach_their_ends():
    found = [weights for _, weights in cases("softmax_backward", softmax_backward.CERTAIN)]
    assert any((weights.max(axis=-1) == 1).all() for weights in found)
    assert any((~weights.any(axis=-1)).any() for weights in found)
    shared = [weights[(weights > 0).sum(axis=-1) > 1] for weights in found]
    assert any((weights == 0).any() for weights in shared)
    rates = [rate for *_, rate in cases("sgd_step", sgd_step.RATES)]
    assert (min(rates), max(rates)) == (1e-4, 100)


def test_widths_reach_their_ends_and_queries_stand_near_and_far():
    found = cases("distance_attention", distance_attention.WIDTHS)
    widths = [width for *_, width in found]
    assert (min(widths), max(widths)) == (1e-3, 1e3)
    far = cases("distance_attention", distance_attention.FAR)
    rows = [-s / 2 for q, k, *_ in far for s in distance_attention.squares(q, k)]
    assert any(row.max() < -800 for row in rows)
    assert any(row.max() < -800 and np.ptp(row) < 10 for row in rows)
    assert any(row.max() == 0 for row in rows)
    assert any(row.min() < -1e29 for row in rows)


def test_points_lie_far_from_the_origin_and_near_each_other():
    found = cases("distance_attention", distance_attention.AWAY)
    for query, key, _, width in found:
        assert np.abs(key).min(axis=0).max() > 1e6
        assert np.sqrt(distance_attention.squares(query, key).max()) < 10 * width
        assert all((x == x.astype(np.float32)).all() for x in (query, key))


def test_equal_scores_are_rounded_below_0_on_every_machine():
    for q, k in score_spread.SHORT:
        assert (q * q) * (k * k) < (q * k) * (q * k)
        assert q * q * k * k < (q * k) * (q * k)
    flat = cases("score_spread", score_spread.FLAT)
    assert {len(q) for q, _ in flat} == {1, 3, 7, 10}
    assert all(np.ptp(q @ k.T) < 1e-15 for q, k in flat)
    with np.errstate(invalid="ignore"):
        nan = [bool(np.isnan(score_spread.unguarded.function(q, k))) for q, k in flat]
    assert sum(nan) >= 4


def test_u_reaches_its_ends_and_else_lies_inside_a_weight():
    us = [u for _, u in cases("sample", sample.ENDS)]
    assert min(map(np.min, us)) == 0
    assert max(map(np.max, us)) == np.nextafter(1, 0)
    for case in load("sample").all_cases():
        scores, u = case.inputs
        if case.promise not in (sample.ENDS, sample.WEIGHTLESS):
            gaps = np.abs(sample.ends_of(scores) - np.expand_dims(u, -1))
            assert gaps.min(initial=1) > 1e-4
    shares = [attnlib.softmax(s) for s, _ in cases("sample", sample.WEIGHTLESS)]
    for place in (0, 3, -1):  # at the beginning, in the middle and at the end of a row
        assert any((weights[..., place] == 0).all() for weights in shares)


@pytest.mark.parametrize("name", NAMES)
def test_no_sequence_is_without_keys(name):
    nothing = {promises.EMPTY, promises.NO_QUERIES, linear_backward.NO_ROWS}
    first_axis_may_be_empty = nothing & PROMISED[name]
    for case in load(name).all_cases():
        empty = [x for x in case.inputs if np.size(x) == 0]
        assert not empty or case.promise in first_axis_may_be_empty


@pytest.mark.parametrize("name", having(promises.SAME_SHAPES))
def test_same_shapes_come_with_other_numbers(name):
    found = cases(name, promises.SAME_SHAPES)
    shapes = [tuple(map(np.shape, inputs)) for inputs in found]
    assert len(set(shapes)) < len(shapes)


def sweep_of(name):
    """Judge all wrong answers of the sweep: which passed, and which promises caught one alone."""
    exercise, passed, caught = load(name), [], set()
    all_cases = exercise.all_cases()
    expected = [call(exercise.answer, case.inputs, exercise.parts) for case in all_cases]
    for label, function in sweep(name):
        wrong = {
            case.promise
            for case, due in zip(all_cases, expected, strict=True)
            if not call(function, case.inputs, exercise.parts).agrees(due)
        }
        caught |= set() if None in wrong else wrong
        if examine(exercise, function).status != "failed":
            passed.append(label)
    return passed, caught


@pytest.mark.parametrize("name", quickly(NAMES, takes=FEW))
def test_no_wrong_answer_of_the_sweep_passes_and_each_promise_catches_some(name):
    passed, caught = sweep_of(name)
    assert passed == []
    assert caught == PROMISED[name]


def test_the_sweep_is_wide_and_repeats_nothing():
    labels = [(name, label) for name in NAMES for label, _ in sweep(name)]
    assert len(set(labels)) == len(labels) >= 300
