"""Lesson 11's networks against PyTorch: its recorded answers, itself where it is installed."""

import numpy as np
import pytest

from attnlib import mine
from experiments import record_networks as oracle
from experiments import record_reach

KINDS = pytest.mark.parametrize("kind", oracle.KINDS)


def ask_lesson(kind, case):
    lesson = record_reach.lesson()
    functions = {"plain": lesson.plain, "gated": lesson.gated, "convolution": lesson.convolve}
    return functions[kind](**case)


def as_heads(x, w, offsets):
    return (mine.convolution_weights(len(x), offsets) @ x @ w).sum(axis=0)


def assert_agree(found, answer):
    np.testing.assert_allclose(found, answer, rtol=1e-10, atol=1e-12)


@pytest.fixture(scope="module")
def recorded():
    with np.load(oracle.RECORDED) as file:
        return dict(file)


def case_of(recorded, kind):
    start = f"{kind}/case/"
    return {name.removeprefix(start): x for name, x in recorded.items() if name.startswith(start)}


@KINDS
def test_equals_what_pytorch_answered_when_it_was_recorded(recorded, kind):
    case, answer = case_of(recorded, kind), recorded[f"{kind}/answer"]
    assert np.abs(answer).max() > 0.1
    assert_agree(ask_lesson(kind, case), answer)


def test_heads_equal_pytorchs_convolution(recorded):
    case = case_of(recorded, "convolution")
    assert len(case["offsets"]) > 1
    assert_agree(as_heads(**case), recorded["convolution/answer"])


def test_the_recording_tells_its_version(recorded):
    assert str(recorded["torch_version"]).startswith("2.13.0")


@pytest.mark.needs("torch")
@KINDS
def test_equals_pytorch_on_random_shapes_and_values(kind):
    for seed in range(20):
        case = oracle.make_case(kind, np.random.default_rng([1, seed]))
        answer = oracle.ask_torch(kind, case)
        assert_agree(ask_lesson(kind, case), answer)
        if kind == "convolution":
            assert_agree(as_heads(**case), answer)


@pytest.mark.needs("torch")
@KINDS
def test_pytorch_still_answers_as_recorded(recorded, kind):
    assert_agree(oracle.ask_torch(kind, case_of(recorded, kind)), recorded[f"{kind}/answer"])
