"""What lessons show as one writes it in PyTorch: their own lines, run."""

import ast
import re

import numpy as np
import pytest

from attnlib import attention, encoder, masks, mine, text, world, writer
from experiments import record_learning, record_letters
from tests.lessons import SERIES

MOST_LINES = 6
TABLES = "letters", "places"
NORM = {"weight": "gain", "bias": "bias"}


def found(number, pattern):
    """Return what a pattern finds in a lesson, once."""
    (lesson,) = (lesson for lesson in SERIES.values() if lesson.number == number)
    (piece,) = re.findall(pattern, lesson.text, re.M | re.S)
    return piece


def lines_of(number):
    """Return the lines in PyTorch that a lesson shows."""
    return found(number, r"^```python\n(.+?)^```")


def in_pytorch(number, **inputs):
    """Return what these lines make of arrays and of dictionaries of them, in 64 bits."""
    import torch

    def tensor(x):
        if isinstance(x, dict):
            return {key: torch.tensor(np.asarray(array, float)) for key, array in x.items()}
        return torch.tensor(x) if isinstance(x, np.ndarray) else x

    known = {name: tensor(x) for name, x in inputs.items()}
    return run_in_pytorch(lines_of(number), known)["y"].detach().numpy()


def run_in_pytorch(lines, known):
    """Return all names that lines know, and those that they make, in 64 bits."""
    import torch

    known = known | {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    usual = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        exec(lines, known)
    finally:
        torch.set_default_dtype(usual)
    return known


def by_us(number):
    """Return what a lesson's lines are given, by name, and what ours make of the same."""
    rng = np.random.default_rng(int(number))
    x, *square = (rng.standard_normal(shape) for shape in ((7, 6), *[(6, 6)] * 3))
    query, key, value = (x @ w for w in square)
    parts, mask = dict(query=query, key=key, value=value), masks.causal_mask(7)
    matrices = dict(zip(("w_query", "w_key", "w_value"), square, strict=True))
    if number == "04":
        return dict(x=x, **matrices), mine.self_attention(x, *square)
    if number == "05":
        return dict(parts, mask=mask), mine.masked_attention(query, key, value, mask)
    if number == "06":
        w_output = rng.standard_normal((6, 5))
        due = mine.multi_head_attention(x, *square, w_output, 3)
        return dict(matrices, x=x, w_output=w_output, n_heads=3), due
    if number == "08":
        places = rng.permutation(50)[:7]
        return dict(x=x, positions=places), mine.rotate(x, places)
    grad = rng.standard_normal((7, 6))
    grad_query, *_ = mine.attention_backward(grad, query, key, value, mask)
    return dict(parts, mask=mask, grad_output=grad), grad_query


def taken(part):
    """Return a block's arrays by the names of PyTorch's layer, each matrix transposed."""
    roles = "query", "key", "value"
    found = {
        "self_attn.in_proj_weight": np.vstack([part[f"w_{role}"].T for role in roles]),
        "self_attn.in_proj_bias": np.concatenate([part[f"b_{role}"] for role in roles]),
    }
    names = {"self_attn.out_proj": "output", "linear1": "up", "linear2": "down"}
    for theirs, ours in names.items():
        found |= {f"{theirs}.weight": part[f"w_{ours}"].T, f"{theirs}.bias": part[f"b_{ours}"]}
    for theirs, ours in {"norm1": "attention", "norm2": "network"}.items():
        found |= {f"{theirs}.weight": part[f"gain_{ours}"], f"{theirs}.bias": part[f"bias_{ours}"]}
    return found


def blocks_of(arrays, lesson):
    """Return arrays of lesson 14's blocks by the names of PyTorch's, each matrix transposed."""
    found = {f"norm.{theirs}": arrays[f"end/{ours}"] for theirs, ours in NORM.items()}
    for i in range(2):
        heads, network = (lesson.of_part(arrays, f"{part}_{i}") for part in ("heads", "network"))
        layer = {
            "self_attn.in_proj_weight": np.vstack([heads[role].T for role in lesson.ROLES]),
            "self_attn.out_proj.weight": heads["w_output"].T,
            "linear1.weight": network["w_up"].T,
            "linear1.bias": network["b_up"],
            "linear2.weight": network["w_down"].T,
        }
        for theirs, ours in NORM.items():
            layer |= {f"norm1.{theirs}": heads[ours], f"norm2.{theirs}": network[ours]}
        found |= {f"layers.{i}.{name}": array for name, array in layer.items()}
    return found


@pytest.mark.needs("torch")
@pytest.mark.parametrize("number", ["04", "05", "06", "08", "09"])
def test_what_the_lines_give_is_ours(number):
    inputs, due = by_us(number)
    np.testing.assert_allclose(in_pytorch(number, **inputs), due, rtol=0, atol=1e-10)


@pytest.mark.parametrize("number", ["04", "05", "06", "08", "09", "12", "13", "14", "15"])
def test_the_lines_are_few(number):
    assert len(lines_of(number).splitlines()) <= MOST_LINES


@pytest.mark.needs("torch")
def test_the_writers_block_is_ours_and_gives_what_the_lesson_says():
    said = found("12", r"^by_pytorch = \[([^]]+)\]")
    story = ast.literal_eval(found("12", r"^told = (\(.+?\))\.split")).split()[:-2]
    n, model = len(story), text.writer("trained")
    x, part = model["words"][world.encode([story])], writer.layer(model, 0)
    mask, apart = masks.causal_mask(n), np.abs(np.arange(n)[:, None] - np.arange(n))
    answer = in_pytorch("12", x=x, p=part, n_heads=4, mask=mask, apart=apart)
    np.testing.assert_allclose(answer, mine.block(x, part, 4, mask), rtol=0, atol=1e-12)
    np.testing.assert_allclose(answer[0, -1, :4], [*map(float, said.split(","))], atol=1e-11)


@pytest.mark.needs("torch")
def test_the_encoders_block_is_ours_and_padding_is_hidden():
    rng = np.random.default_rng(13)
    shapes = dict.fromkeys(("query", "key", "value", "output"), (384, 384))
    shapes |= {"up": (384, 1536), "down": (1536, 384)}
    part = {f"w_{name}": rng.standard_normal(shape) / 20 for name, shape in shapes.items()}
    part |= {f"b_{name}": rng.standard_normal(shape[1]) for name, shape in shapes.items()}
    for where in ("attention", "network"):
        part |= {f"{what}_{where}": rng.standard_normal(384) for what in ("gain", "bias")}
    x, mask = rng.standard_normal((2, 7, 384)), masks.padding_mask([7, 5], 7)
    answer = in_pytorch("13", taken=taken(part), x=x, mask=mask[:, 0])
    counts = mask[:, 0]
    due = mine.encoder_block(x, part, 12, mask)
    np.testing.assert_allclose(answer[counts], due[counts], rtol=0, atol=1e-10)


@pytest.mark.needs(encoder.PACKAGE)
@pytest.mark.needs("torch")
def test_the_encoders_block_gives_what_is_recorded():
    record, part = text.states("I saw a saw").astype(float), encoder.read_model()["layers"][0]
    mask = np.ones((1, 6), bool)
    answer = in_pytorch("13", taken=taken(part), x=record[:1], mask=mask)
    np.testing.assert_allclose(answer[0], record[1], rtol=0, atol=1e-5)


@pytest.mark.needs("torch")
def test_the_letters_model_has_pytorchs_loss_and_all_of_its_gradients():
    import torch

    lesson, rng = record_learning.lesson(record_letters.LESSON), np.random.default_rng(14)
    begun = lesson.start(rng, 7).items()
    model = {name: x + 0.1 * rng.standard_normal(x.shape) for name, x in begun}  # no gain is 1
    asked, due = rng.integers(7, size=(2, 3, 13))
    loss, grads = lesson.loss_and_gradients(model, asked, due)

    made, hidden, used = lines_of("14").partition("hidden =")
    known = run_in_pytorch(made, {"n": 13, "asked": torch.tensor(asked), "due": torch.tensor(due)})
    weights = dict(known["blocks"].named_parameters())
    with torch.no_grad():
        for name, weight in weights.items():
            weight[:] = torch.tensor(blocks_of(model, lesson).get(name, np.zeros(weight.shape)))
    for name in TABLES:
        known[name] = torch.nn.Embedding.from_pretrained(torch.tensor(model[name]), freeze=False)
        weights[name] = known[name].weight
    known = run_in_pytorch(hidden + used, known)
    np.testing.assert_allclose(loss, known["loss"].item(), rtol=1e-12)
    expected = blocks_of(grads, lesson) | {name: grads[name] for name in TABLES}
    for name, grad in expected.items():
        answer = weights[name].grad.numpy()
        np.testing.assert_allclose(grad, answer, rtol=0, atol=1e-12, err_msg=name)
    more = "self_attn.in_proj_bias", "self_attn.out_proj.bias", "linear2.bias"  # as the lesson says
    assert weights.keys() - expected.keys() == {
        f"layers.{i}.{name}" for i in (0, 1) for name in more
    }


@pytest.mark.needs("torch")
def test_masked_heads_and_heads_that_share_are_ours():
    import torch

    shapes = dict.fromkeys(("query", "key", "value"), (2, 32, 7, 6))
    shapes |= dict.fromkeys(("few_keys", "few_values"), (2, 8, 7, 6))  # so many as the lesson says
    rng = np.random.default_rng(15)
    given = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    tensors = {name: torch.tensor(x) for name, x in given.items()}
    known = run_in_pytorch(lines_of("15"), tensors)
    query, key, value, *few = given.values()
    output = attention(query, key, value, mask=masks.causal_mask(7))
    shared = attention(query, *(np.repeat(x, 4, axis=1) for x in few))
    for name, due in {"output": output, "shared": shared}.items():
        np.testing.assert_allclose(known[name], due, rtol=0, atol=1e-12, err_msg=name)


def test_a_step_of_adam_is_at_most_so_many_rates_as_lesson_12_says():
    most = float(found("12", r"never above ([\d.]+) times that"))
    # The mean is largest beside the root where each gradient is its share of both: Cauchy-Schwarz.
    ages = np.arange(2000)
    of_mean, of_square = 0.1 * 0.9**ages, 0.01 * 0.99**ages
    grads = (of_mean / of_square)[::-1]
    w, memories = 0.0, (0.0, 0.0)
    for step, grad in enumerate(grads, start=1):
        before = w
        w, *memories = mine.adam_step(*map(np.array, (w, grad, *memories)), step, 1.0)
    assert most - 0.01 < abs(w - before) < most
