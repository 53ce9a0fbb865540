"""A function that fits what an exercise once asked for passes, with a remark."""

import numpy as np
import pytest

import attnlib
from attnlib.checks.earlier import adapted
from attnlib.checks.engine import examine
from attnlib.checks.exercises.attention_backward import EXERCISE
from attnlib.checks.exercises.sgd_step import EXERCISE as WITHOUT


def without_a_mask(grad_output, query, key, value):
    return attnlib.attention_backward(grad_output, query, key, value)


def without_the_scale(grad_output, query, key, value):
    grad_query, grad_key, grad_value = without_a_mask(grad_output, query, key, value)
    scale = np.sqrt(query.shape[-1])
    return grad_query * scale, grad_key * scale, grad_value


def test_a_right_answer_without_a_mask_passes_with_a_remark_and_nothing_is_said_of_masks():
    report = examine(EXERCISE, without_a_mask)
    assert (report.status, report.mistake) == ("passed", None)
    (remark,) = report.remarks
    assert remark.startswith("Your function takes no mask")
    facts = str(report).partition("To keep ")[0]
    assert "mask" not in facts
    assert "hidden" not in facts
    assert "works with leading batch axes" in facts
    assert examine(EXERCISE, EXERCISE.solution).remarks == ()


def test_a_wrong_one_is_told_its_mistake():
    assert examine(EXERCISE, without_the_scale).mistake == "scale forgotten"


@pytest.mark.parametrize(
    ("exercise", "function"), [(EXERCISE, lambda a, b: a), (WITHOUT, lambda w, grad_w: w)]
)
def test_any_other_form_is_told_to_be_none(exercise, function):
    assert adapted(exercise, function) is function
    report = examine(exercise, function)
    assert report.status == "failed"
    assert "cannot be called with" in str(report)


def test_where_something_is_hidden_attnlib_answers():
    inputs = next(iter(EXERCISE.cases())).inputs
    called = []

    def counted(*inputs):
        called.append(len(inputs))
        return without_a_mask(*inputs)

    def old(grad_output, query, key, value):
        return counted(grad_output, query, key, value)

    for mask, n_calls in ((np.array([[True, True, False]] * 2), 0), (np.ones((2, 3), bool), 1)):
        got = adapted(EXERCISE, old)(*inputs[:4], mask)
        due = attnlib.attention_backward(*inputs[:4], mask=mask)
        assert all(map(np.array_equal, got, due))
        assert len(called) == n_calls
