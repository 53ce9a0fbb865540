"""PyTorch: its function, its layer with and without the fast path, and what the summary says."""

from functools import partial
from itertools import product

import numpy as np
import torch
import torch.nn.functional as F

from experiments.probes import questions

VERSION = {"torch": torch.__version__}
ROLES = ("query", "key", "value")


def function(query, key, value, mask=None, bias=None, causal=False, **options):
    query, key, value = (torch.from_numpy(x)[None] for x in (query, key, value))
    mask = mask if bias is None else bias
    if mask is not None:
        mask = torch.from_numpy(mask)
    output = F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=causal, **options
    )
    return output[0].numpy()


# The layer. Its first query may see nothing.

MASKS = {
    "boolean": {"attn_mask": torch.tensor([[True] * 3, [False] * 3, [False] * 3])},
    "-inf": {"attn_mask": torch.tensor([[-torch.inf] * 3, [0.0] * 3, [0.0] * 3])},
    "smallest finite": {"attn_mask": torch.tensor([[torch.finfo().min] * 3, [0.0] * 3, [0.0] * 3])},
    "boolean, of filling": {"key_padding_mask": torch.tensor([[True] * 3])},
}
CHOICES = {  # what stands first in all of them, with a boolean mask, is the fast path
    "training": {"eval": False, "train": True},
    "gradients": {"no gradients": False, "gradients": True},
    "batch_first": {"batch first": True, "batch second": False},
    "one": {"one tensor": True, "three tensors": False},
    "weights": {"without weights": False, "with weights": True},
}


def make_layer(d_model=4, dtype=torch.float32, batch_first=True):
    """Return a layer of two heads that changes nothing on the way in, and adds 1, 2, … last."""
    layer = torch.nn.MultiheadAttention(d_model, 2, batch_first=batch_first, dtype=dtype)
    eye = torch.eye(d_model, dtype=dtype)
    with torch.no_grad():
        layer.in_proj_weight[:], layer.out_proj.weight[:] = torch.cat([eye] * 3), eye
        layer.out_proj.bias[:] = torch.arange(d_model) + 1
    return layer


def sees_nothing(mask, training, gradients, batch_first, one, weights):
    layer = make_layer(batch_first=batch_first).train(training)
    x = torch.from_numpy(questions.arrays(n_keys=3)[1])  # (batch 1, 3, 4)
    x = x if batch_first else x.transpose(0, 1)
    inputs = [x] * 3 if one else [x.clone() for _ in range(3)]
    with torch.set_grad_enabled(gradients):
        output, _ = layer(*inputs, need_weights=weights, **mask)
    row = (output if batch_first else output.transpose(0, 1))[0, 0].detach().numpy()
    bias = layer.out_proj.bias.detach().numpy()
    mean = x.reshape(3, 4).numpy().mean(axis=0)
    return questions.told(row, output_bias=bias, mean=mean + bias)


def nearly_fast(n_heads=2, bias=True, batched=True):
    """Ask with all choices of the fast path, and perhaps one thing more that it needs left out."""
    layer = torch.nn.MultiheadAttention(4, n_heads, batch_first=True, bias=bias).eval()
    x = torch.from_numpy(questions.arrays(n_keys=3)[1])
    x = x if batched else x[0]
    with torch.no_grad():
        output, _ = layer(x, x, x, need_weights=False, **MASKS["boolean"])
    return questions.told(output.reshape(3, 4)[0].numpy(), output_bias=0)  # at first it is 0


def true_in_the_layer(name):
    x = torch.from_numpy(questions.arrays(n_keys=3)[1])
    mask = torch.tensor([[True, False, False]])
    mask = mask.expand(3, 3) if name == "attn_mask" else mask
    _, weights = make_layer()(x, x, x, **{name: mask})
    return {0.0: "hidden", 1.0: "may look"}[weights[0, 1, 0].item()]


def integer_mask_in_the_layer():
    x = torch.from_numpy(questions.arrays(n_keys=3)[1])
    make_layer()(x, x, x, attn_mask=torch.tensor([[0, 1, 1]] * 3))
    return "taken"


def half_in_the_layer(size, weights):
    layer = make_layer(32, torch.float16)  # two heads of 16 features
    x = torch.full((1, 1, 32), size, dtype=torch.float16)
    return questions.finite(layer(x, x, x, need_weights=weights)[0].detach().numpy())


# What the summary and lesson 02 say.

ONE_BY_ONE = {"average_attn_weights": False}


def names_of_the_layer():
    layer = torch.nn.MultiheadAttention(12, 4, batch_first=True)
    shapes = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    return ", ".join(f"{name} {shape}" for name, shape in shapes.items())


def names_of_another_width():
    layer = torch.nn.MultiheadAttention(12, 4, kdim=5, vdim=7, bias=False)
    shapes = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    return ", ".join(f"{name} {shape}" for name, shape in shapes.items())


def returned_weights():
    x = torch.zeros(2, 3, 4)
    shapes = [tuple(make_layer()(x, x, x, **how)[1].shape) for how in ({}, ONE_BY_ONE)]
    return f"{shapes[0]}, each head's {shapes[1]}"


def mask_with_a_batch():
    """Tell whether a mask for each sentence is repeated head by head: batch 2, two heads."""
    x = torch.from_numpy(np.random.default_rng(1).standard_normal((2, 3, 4), np.float32))
    hidden = torch.tensor([[[False, True, False]] * 3, [[False, False, True]] * 3])
    mask = torch.from_numpy(np.repeat(hidden.numpy(), 2, axis=0))
    _, weights = make_layer()(x, x, x, attn_mask=mask, **ONE_BY_ONE)
    held = torch.equal(weights == 0, hidden[:, None].expand(2, 2, 3, 3))
    return "np.repeat(mask, n_heads, axis=0)" if held else "something else"


def softmax_without_dim():
    return str(tuple(torch.softmax(torch.zeros(3)).shape))


def axis_of_classes():
    """Tell on which axis of (2, 5, 3) there are classes: targets have the other two."""
    logits = torch.zeros(2, 5, 3)
    loss = F.cross_entropy(logits, torch.full((2, 3), 4))
    return f"axis 1, loss {tuple(loss.shape)}, {loss.item():.3f}"


def gradients_of_two_calls():
    w = torch.ones(1, requires_grad=True)
    (2 * w).backward()
    (3 * w).backward()
    return {5.0: "added", 3.0: "the last"}[w.grad.item()]


def way_back():
    """Return the gradients of lesson 10's three words: of query, key and value, one by one."""
    query, key = [[1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]]
    value = [[2.0, 0.0], [0.0, 0.0], [0.0, 3.0]]
    inputs = [torch.tensor([x], dtype=torch.float64) for x in (query, key, value)]
    for x in inputs:
        x.requires_grad_()
    output = F.scaled_dot_product_attention(*inputs)
    F.cross_entropy(output[0], torch.tensor([0])).backward()
    return " ".join(f"{number:.12f}" for x in inputs for number in x.grad.flatten().tolist())


def descent_in_place():
    w = torch.ones(1, requires_grad=True)
    address = w.data_ptr()
    (2 * w).backward()
    torch.optim.SGD([w], lr=0.25).step()
    return "in place" if (w.data_ptr(), w.item()) == (address, 0.5) else "something else"


def spread_at_first(make):
    torch.manual_seed(0)
    weight = make()
    return f"{weight.std().item() * 384**0.5:.2f} / √384"


def probes():
    for name, ask in questions.probes(function):
        yield f"function · {name}", ask
    yield "function · grouped", partial(questions.grouped, partial(function, enable_gqa=True))
    for kind, *chosen in product(MASKS, *CHOICES.values()):
        how = {key: CHOICES[key][word] for key, word in zip(CHOICES, chosen, strict=True)}
        name = " · ".join(["layer", "all hidden", kind, *chosen])
        yield name, partial(sees_nothing, MASKS[kind], **how)
    yield "layer · nothing left out", nearly_fast
    yield "layer · left out · heads in pairs", partial(nearly_fast, n_heads=1)
    yield "layer · left out · biases", partial(nearly_fast, bias=False)
    yield "layer · left out · batch axis", partial(nearly_fast, batched=False)
    for name in ("attn_mask", "key_padding_mask"):
        yield f"layer · True means · {name}", partial(true_in_the_layer, name)
    yield "layer · integer mask", integer_mask_in_the_layer
    for size, (word, weights) in product((100, 150), CHOICES["weights"].items()):
        name = f"layer · float16 · 16 features of {size} · {word}"
        yield name, partial(half_in_the_layer, size, weights)
    yield "layer · parameters", names_of_the_layer
    yield "layer · parameters, other widths, no bias", names_of_another_width
    yield "layer · weights returned", returned_weights
    yield "layer · a mask for each sentence", mask_with_a_batch
    yield "softmax without dim", softmax_without_dim
    yield "cross_entropy · classes", axis_of_classes
    yield "backward · called twice", gradients_of_two_calls
    yield "backward · three words", way_back
    yield "SGD · step", descent_in_place
    layers = {
        "layer": lambda: torch.nn.MultiheadAttention(384, 12).in_proj_weight,
        "linear": lambda: torch.nn.Linear(384, 384).weight,
    }
    for name, make in layers.items():
        yield f"{name} · entries at first", partial(spread_at_first, make)
