"""Every promise of every exercise has the cases that cover it, and wrong answers that break it."""

import numpy as np
import pytest

from attnlib.checks import promises
from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.exercises import masked_attention, padding_mask, rotate, sinusoidal_positions
from tests.checks.specs import NAMES, load
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
    "scaled_scores": MATRICES,
    "softmax": ROWS | {promises.LARGE, promises.TIES},
    "softmax_with_temperature": ROWS | {promises.LARGE, promises.TIES, promises.TEMPERATURES},
    "weighted_average": MATRICES,
    "project_qkv": {promises.SIZES, promises.SCALE} | EVERY,
    "self_attention": SOFT,
    "causal_mask": {promises.SIZES, promises.NO_QUERIES},
    "padding_mask": {padding_mask.LENGTHS, promises.SIZES, promises.EMPTY} | EVERY,
    "masked_attention": SOFT
    | {promises.NO_QUERIES, masked_attention.VISIBLE, masked_attention.HIDDEN},
    "split_heads": ROWS,
    "merge_heads": ROWS,
    "multi_head_attention": SOFT,
    "cross_attention": SOFT | {promises.NO_QUERIES},
    "sinusoidal_positions": {promises.SIZES, sinusoidal_positions.FAR},
    "rotate": {promises.SIZES, rotate.BETWEEN, rotate.ANY_ORDER} | EVERY,
}


def cases(name, promise):
    return [case.inputs for case in load(name).all_cases() if case.promise is promise]


def having(promise):
    return [name for name in NAMES if promise in PROMISED[name]]


@pytest.mark.parametrize("name", NAMES)
def test_every_promise_has_its_cases_and_no_other_is_tested(name):
    found = load(name).promises()
    assert set(found) == PROMISED[name]
    assert all(len(list(inputs)) >= 2 for inputs in found.values())


@pytest.mark.parametrize("name", having(promises.LEADING))
def test_leading_axes_are_none_one_two_and_three(name):
    axes = {np.ndim(first) - own_axes(name) for first, *_ in cases(name, promises.LEADING)}
    assert axes >= {0, 1, 2, 3}


@pytest.mark.parametrize("name", having(promises.EMPTY))
def test_an_empty_batch_has_keys(name):
    found = [np.shape(inputs[0]) for inputs in cases(name, promises.EMPTY)]
    assert all(0 in shape and shape[-1] != 0 for shape in found) or name == "padding_mask"
    assert all(inputs[1] > 0 for inputs in cases("padding_mask", promises.EMPTY))


def queries_and_keys(name, inputs):
    if name == "causal_mask":
        return inputs
    if name == "weighted_average":
        return inputs[0].shape[-2:]
    return inputs[0].shape[-2], inputs[1].shape[-2]


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
    if name == "softmax":
        return inputs[0]
    if name == "softmax_with_temperature":
        return inputs[0] / inputs[1]
    if name == "masked_attention":
        query, key = inputs[:2]
    elif name == "cross_attention":
        query, key = inputs[0] @ inputs[2], inputs[1] @ inputs[3]
    else:
        query, key = inputs[0] @ inputs[1], inputs[0] @ inputs[2]
    if name == "multi_head_attention":
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


@pytest.mark.parametrize("name", NAMES)
def test_no_sequence_is_without_keys(name):
    first_axis_may_be_empty = {promises.EMPTY, promises.NO_QUERIES} & PROMISED[name]
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


@pytest.mark.parametrize("name", quickly(NAMES, takes=[0, 1, 3]))
def test_no_wrong_answer_of_the_sweep_passes_and_each_promise_catches_some(name):
    passed, caught = sweep_of(name)
    assert passed == []
    assert caught == PROMISED[name]


def test_the_sweep_is_wide_and_repeats_nothing():
    labels = [(name, label) for name in NAMES for label, _ in sweep(name)]
    assert len(set(labels)) == len(labels) >= 300
