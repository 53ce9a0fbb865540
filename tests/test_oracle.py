"""attnlib against PyTorch: its recorded answers everywhere, itself where it is installed.

Both compute in the same precision and differ in the order of their sums only: float64 has to agree
to 1e-10 of a number and 1e-12 beside zero, float32 to 1e-4 and 1e-5.
"""

import numpy as np
import pytest

from attnlib import MultiHeadAttention, attention, attention_backward, causal_mask
from experiments.record_oracle import (
    ATTENTION_KINDS,
    GRADIENT_KINDS,
    KINDS,
    RECORDED,
    ask_torch,
    make_case,
)

N_SEEDS = 20


def ask_attnlib(kind, case):
    case = dict(case)
    if kind.endswith("causal"):
        case["mask"] = causal_mask(case["query"].shape[-2], case["key"].shape[-2])
    if kind in GRADIENT_KINDS:
        arrays = [case.pop(name) for name in ("grad_output", "query", "key", "value")]
        grads = attention_backward(*arrays, **case)
        return dict(zip(("grad_query", "grad_key", "grad_value"), grads, strict=True))
    if kind in ATTENTION_KINDS:
        arrays = [case.pop(name) for name in ("query", "key", "value")]
        return {"output": attention(*arrays, **case)}
    call = {name: case.pop(name) for name in ("x", "source", "mask") if name in case}
    matrices = [case.pop(f"w_{role}") for role in ("query", "key", "value", "output")]
    layer = MultiHeadAttention(*matrices, **case)
    return {"output": layer(**call), "weights": layer.weights(**call)}


def assert_agree(found, answers):
    assert set(answers) <= set(found)
    for name, answer in answers.items():
        single = answer.dtype == np.float32
        close = {"rtol": 1e-4, "atol": 1e-5} if single else {"rtol": 1e-10, "atol": 1e-12}
        assert found[name].dtype == answer.dtype
        np.testing.assert_allclose(found[name], answer, **close)


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED) as file:
        return dict(file)


def part(recorded, kind, what):
    start = f"{kind}/{what}/"
    return {name.removeprefix(start): x for name, x in recorded.items() if name.startswith(start)}


@pytest.mark.parametrize("kind", KINDS)
def test_equals_what_pytorch_answered_when_it_was_recorded(recorded, kind):
    case, answers = part(recorded, kind, "case"), part(recorded, kind, "answer")
    assert all(np.isfinite(x).all() for x in answers.values())
    assert_agree(ask_attnlib(kind, case), answers)


def test_rows_with_everything_hidden_are_zero_in_the_recording_too(recorded):
    for kind in ("hidden_rows", "minus_infinity"):
        output = part(recorded, kind, "answer")["output"]
        assert not output[..., ::2, :].any()
        assert output[..., 1::2, :].any()


def test_the_recording_tells_its_version(recorded):
    assert str(recorded["torch_version"]).startswith("2.13.0")


@pytest.mark.needs("torch")
@pytest.mark.parametrize("kind", KINDS)
def test_equals_pytorch_on_random_shapes_values_and_masks(kind):
    for seed in range(N_SEEDS):
        case = make_case(kind, np.random.default_rng([1, seed]))
        assert_agree(ask_attnlib(kind, case), ask_torch(kind, case))


@pytest.mark.needs("torch")
@pytest.mark.parametrize("kind", KINDS)
def test_pytorch_still_answers_as_recorded(recorded, kind):
    answers = ask_torch(kind, part(recorded, kind, "case"))
    assert_agree(answers, part(recorded, kind, "answer"))
