"""Lesson 12's way back: against slopes in any direction, and against PyTorch's gradients."""

import numpy as np
import pytest

from attnlib import masks, mine, writer
from experiments import record_gradients as oracle
from experiments import record_writer

MASK = masks.causal_mask(48)


def ask_lesson(model, stories):
    return record_writer.lesson().writer_loss(model, stories, MASK)


def assert_agree(found, answer):
    assert found.keys() == answer.keys()
    for name, numbers in answer.items():
        np.testing.assert_allclose(found[name], numbers, rtol=1e-8, atol=1e-10, err_msg=name)


@pytest.fixture
def recorded():
    with np.load(oracle.RECORDED) as file:
        return dict(file)


def test_gradients_are_the_slopes_of_the_loss_in_any_direction():
    model, stories = oracle.make_case(1)
    _, grads = ask_lesson(model, stories)
    rng, step = np.random.default_rng(2), 1e-6
    for name, grad in grads.items():
        way = rng.standard_normal(grad.shape)
        way /= np.linalg.norm(way)
        up, down = (
            ask_lesson(model | {name: model[name] + sign * step * way}, stories)[0]
            for sign in (1, -1)
        )
        slope = (up - down) / (2 * step)
        assert (grad * way).sum() == pytest.approx(slope, rel=1e-5, abs=1e-8), name


def test_loss_and_gradients_equal_what_pytorch_answered_when_it_was_recorded(recorded):
    assert str(recorded.pop("torch_version")).startswith("2.13.0")
    assert_agree(oracle.kept(*ask_lesson(*oracle.make_case(0))), recorded)


@pytest.mark.needs("torch")
def test_pytorch_still_answers_as_recorded_and_as_the_lesson_does(recorded):
    recorded.pop("torch_version")
    assert_agree(oracle.kept(*oracle.ask_torch(*oracle.make_case(0))), recorded)
    case = oracle.make_case(3)
    (loss, grads), (due, answer) = ask_lesson(*case), oracle.ask_torch(*case)
    assert loss == pytest.approx(due, rel=1e-10)
    assert_agree(grads, answer)


@pytest.mark.needs("torch")
def test_what_the_summary_says_of_pytorchs_block_and_adam_is_so():
    import torch

    model, _ = oracle.make_case(5)
    part = writer.layer(model, 0) | {"near": np.zeros((4, 48))}
    x = np.random.default_rng(6).standard_normal((2, 9, 32))
    theirs = torch.nn.TransformerEncoderLayer(
        32, 4, 128, dropout=0, norm_first=True, batch_first=True, dtype=torch.float64
    )
    theirs.norm1, theirs.norm2 = torch.nn.Identity(), torch.nn.Identity()
    matrices = {
        theirs.self_attn.in_proj_weight: np.hstack([part[role] for role in writer.ROLES]),
        theirs.self_attn.out_proj.weight: part["w_output"],
        theirs.linear1.weight: part["w_up"],
        theirs.linear2.weight: part["w_down"],
    }
    biases = theirs.self_attn.in_proj_bias, theirs.self_attn.out_proj.bias, theirs.linear2.bias
    with torch.no_grad():
        for weight, w in matrices.items():
            weight[:] = torch.tensor(w.T)
        for bias in biases:
            bias[:] = 0
        theirs.linear1.bias[:] = torch.tensor(part["b_up"])
        mask = masks.causal_mask(9)
        answer = theirs(torch.tensor(x), src_mask=torch.tensor(~mask)).numpy()
    np.testing.assert_allclose(mine.block(x, part, 4, mask), answer, atol=1e-12)

    w, memories = x[0], (np.zeros_like(x[0]), np.zeros_like(x[0]))
    moved = torch.tensor(w, requires_grad=True)
    adam = torch.optim.Adam([moved], lr=0.01, betas=(0.9, 0.99))
    for step in range(1, 6):
        w, *memories = mine.adam_step(w, x[1] * step, *memories, step, 0.01)
        moved.grad = torch.tensor(x[1] * step)
        adam.step()
    np.testing.assert_allclose(w, moved.detach().numpy(), atol=1e-12)
