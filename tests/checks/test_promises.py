"""Every promise of every exercise has the cases that cover it, and wrong answers that break it."""

from dataclasses import replace

import numpy as np
import pytest

from attnlib.checks import promises
from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.exercise import Promise
from attnlib.checks.exercises.decode_step import FIRST
from attnlib.checks.exercises.linear_backward import ONE_VECTOR
from attnlib.checks.exercises.masked_attention import STRETCHED
from attnlib.checks.shapes import size_of
from tests.checks import specs
from tests.checks.promised import inputs_of
from tests.checks.specs import NAMES, each, few
from tests.checks.sweep import beyond, is_empty, measured, sweep
from tests.checks.values import arrays_of, parted

PROMISED = {name: {*specs.load(name).promises()} for name in NAMES}


def having(promise):
    """Parametrize by the exercises that promise this."""
    names = [name for name in NAMES if promise in PROMISED[name]]
    return pytest.mark.parametrize("name", names, scope="module")


@each
def test_every_promise_has_its_cases_and_every_end_its_remark(exercise):
    found = exercise.promises()
    assert {end.beyond for end in exercise.ends} <= {*found}
    for promise, inputs in found.items():
        assert len(list(inputs)) >= (2 if isinstance(promise, Promise) else 1)


@each
def test_inputs_and_answers_have_the_shapes_of_the_line(exercise):
    for case in [*exercise.all_cases(), *exercise.remarked()]:
        if case.promise in (STRETCHED, ONE_VECTOR):
            continue  # a mask stands for several there, or an axis is missing
        result = exercise.answer(*case.inputs)
        parts = result if isinstance(result, tuple) else (result,)
        shapes = tuple(parted(x, np.shape) for x in parts if not isinstance(x, list))
        assert shapes == exercise.shapes.due(case.inputs), case.shows


@each
def test_leading_axes_are_none_one_two_and_three(exercise):
    for i, place in enumerate(exercise.shapes.inputs):
        cases = exercise.all_cases() if place.leading else []
        found = {np.ndim(case.inputs[i]) - len(place.axes) for case in cases}
        assert found >= {0, 1, 2, 3} or not place.leading


@having(promises.SIZES)
def test_each_size_is_1_and_every_two_are_above_below_and_at_each_other(exercise):
    shapes = exercise.shapes
    found = [shapes.sizes(inputs) for inputs in inputs_of(exercise, promises.SIZES)]
    for name in shapes.names:
        assert 1 in {sizes[name] for sizes in found}, name
    for a, b in shapes.pairs():
        signs = {np.sign(size_of(a, sizes) - size_of(b, sizes)) for sizes in found}
        assert signs == {-1, 0, 1}, (a, b)


OTHERWISE = {  # what is not promised, though it would follow from the shapes
    "adam_step": {promises.SIZES, promises.EMPTY},  # number by number: shapes of its own
    "sgd_step": {promises.SIZES, promises.EMPTY},
    "dot_product": {promises.SIZES},  # vectors of any length are a promise by themselves
    "projection": {promises.SIZES},
    "wordpiece": {promises.SAME_SHAPES},  # a word has none
    "cached_attention": {promises.EMPTY},  # nobody keeps what no batch was told
    "cross_entropy": {promises.EMPTY},  # a mean over nothing is no number
    "linear_backward": {promises.EMPTY},  # no rows at all, it says
    "windows": {promises.SIZES},  # a text is longer than its windows
    "mutual_best": {promises.NO_QUERIES},  # no word of the one has a best in the other
}


@each
def test_what_follows_from_the_shapes_is_promised_or_remarked_on(exercise):
    found, shapes = {*exercise.promises()}, exercise.shapes
    due = {promises.SIZES} if shapes.names else set()
    due |= {promises.SAME_SHAPES} if shapes.arrays else set()
    due |= {promises.EMPTY} if shapes.leading or "batch" in shapes.names else set()
    asks = {*shapes.answers[0].axes[:1]} & {"n_queries", "n_target"}
    due |= {promises.NO_QUERIES} if asks else set()
    assert due - found == OTHERWISE.get(exercise.name, set())


@each
def test_what_is_empty_is_tried_for_a_remark_only_and_no_sequence_is_without_keys(exercise):
    judged = [case.inputs for case in exercise.all_cases() if case.promise is not FIRST]
    assert not any(np.size(x) == 0 for inputs in judged for x in arrays_of(inputs))
    for case in exercise.remarked():
        if is_empty(case.inputs):
            sizes = exercise.shapes.sizes(case.inputs)
            none = {name for name, size in sizes.items() if size == 0} - {"..."}
            assert none <= {*exercise.shapes.answers[0].axes[:1]}, "no keys, or no features"


@each
def test_cases_reach_both_ends_and_remarks_go_beyond(exercise, known):
    for end in exercise.ends:
        found = reached(exercise, known, end, exercise.all_cases())
        slack = 1e-9 * end.most  # of a length that was made so long
        assert end.least - slack <= min(found) <= end.least + 0.01 * abs(end.least or end.most), end
        assert end.most - 0.01 * abs(end.most or end.least) <= max(found) <= end.most + slack, end
        remarked = [case for case in exercise.remarked() if case.promise is end.beyond]
        beyond = reached(exercise, known, end, remarked)
        assert max(beyond) > 1.5 * end.most or min(beyond) < 1.5 * end.least < 0


def reached(exercise, known, end, cases):
    return np.concatenate([measured(exercise, known, end, case.inputs) for case in cases])


@having(promises.NO_QUERIES)
def test_where_nobody_asks_there_are_still_keys(exercise):
    asking = exercise.shapes.answers[0].axes[0]
    for inputs in inputs_of(exercise, promises.NO_QUERIES):
        sizes = exercise.shapes.sizes(inputs)
        assert sizes.pop(asking) == 0 < min(sizes.values())


@having(promises.LARGE)
def test_large_scores_lie_high_low_far_apart_and_close_together(exercise, known):
    found = [known.scores(*inputs) for inputs in inputs_of(exercise, promises.LARGE)]
    rows = [row for scores in found for row in scores.reshape(-1, scores.shape[-1])]
    assert any(row.min() > 800 and np.ptp(row) < 10 for row in rows)
    assert any(row.max() < -800 for row in rows)
    assert any(row.max() - row.mean() > 800 and row.max() - row.min() > 800 for row in rows)
    assert any(np.ptp(scores.max(axis=-1)) > 800 for scores in found)  # rows far from each other


@having(promises.SCALE)
def test_numbers_are_small_and_large(exercise):
    found = inputs_of(exercise, promises.SCALE)
    sizes = [np.abs(inputs[i]).max() for inputs in found for i in (0, -1)]
    assert min(sizes) < 1e-3
    assert max(sizes) > 900


@having(promises.SAME_SHAPES)
def test_same_shapes_come_with_other_numbers(exercise):
    found = inputs_of(exercise, promises.SAME_SHAPES)
    shapes = [tuple(map(np.shape, inputs)) for inputs in found]
    assert len(set(shapes)) < len(shapes)


OWN = [(name, test) for name in NAMES for test in specs.known(name).tests]


@pytest.mark.parametrize(("name", "test"), OWN, ids=[f"{n}-{t.__name__}" for n, t in OWN])
def test_own_tests_of_an_exercise_hold(name, test):
    test()


@few
def test_no_wrong_answer_of_the_sweep_passes_and_each_promise_catches_some(exercise, known):
    cases = exercise.all_cases()

    def outcomes(function):
        return [call(function, case.inputs, exercise.parts) for case in cases]

    due, passed, caught = outcomes(exercise.answer), [], set()
    for label, function in sweep(exercise, known):
        found = zip(cases, outcomes(function), due, strict=True)
        wrong = {case.promise for case, got, right in found if not got.agrees(right)}
        caught |= set() if None in wrong else wrong
        if not wrong and examine(exercise, function).status != "failed":  # no fact stops it either
            passed.append(label)
    told = "passes: add a case that it gets wrong, or say in HARMLESS why it is right"
    assert passed == [], told
    assert caught == {promise for promise in exercise.promises() if isinstance(promise, Promise)}


@few
def test_what_is_wrong_beyond_the_promises_alone_passes_with_a_remark(exercise, known, judge):
    found = []
    for label, function in beyond(exercise, known):
        report = judge(function)[1]
        assert report.status == "passed", f"{label}: {report}"
        assert report.remarks, label
        found += report.remarks
    for case in exercise.remarked():
        assert any(told.startswith(f"With {case.shows}, ") for told in found), case.shows


@each
def test_the_sweep_is_wide_and_repeats_nothing(exercise, known):
    labels = [label for label, _ in [*sweep(exercise, known), *beyond(exercise, known)]]
    assert len(set(labels)) == len(labels) >= 8


@each
def test_every_harmless_answer_is_made_and_has_its_reason(exercise, known):
    without = replace(known, harmless={})
    labels = {label for label, _ in sweep(exercise, without)}
    assert {*known.harmless} <= labels
    assert all(known.harmless.values())
