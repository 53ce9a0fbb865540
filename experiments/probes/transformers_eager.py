"""Hugging Face's Transformers: its plain, eager formula, called by itself; how its models count."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import torch
import transformers
from transformers.models.gpt_neox import modeling_gpt_neox
from transformers.models.llama import modeling_llama
from transformers.models.marian import modeling_marian

from experiments.probes import questions

VERSION = {"transformers": transformers.__version__, "torch": torch.__version__}


def attend(query, key, value, mask=None, bias=None):
    query, key, value = (torch.from_numpy(x)[None] for x in (query, key, value))
    mask = mask if bias is None else bias
    mask = None if mask is None else torch.from_numpy(mask)[None, None]
    module = SimpleNamespace(num_key_value_groups=1, training=False)
    scale = query.shape[-1] ** -0.5
    output, _ = modeling_llama.eager_attention_forward(module, query, key, value, mask, scale)
    return output[0].transpose(0, 1).numpy()


def rotated(model):
    """Tell which feature makes a pair with feature 0."""
    x = torch.zeros(1, 1, 1, 8)
    x[..., 0] = 1
    cos, sin = torch.zeros(1, 1, 8), torch.ones(1, 1, 8)
    output, _ = model.apply_rotary_pos_emb(x, x, cos, sin)
    return f"features 0 and {np.flatnonzero(output.numpy())[0]} of 8"


def sinusoids():
    """Tell where Marian's cosines stand, and by what its exponents are divided."""
    table = modeling_marian.MarianSinusoidalPositionalEmbedding(2, 8)
    weight = table.create_weight() if hasattr(table, "create_weight") else table._init_weight()
    row = (table.weight if weight is None else weight).detach().numpy()[1]
    for below, name in ((4, "d/2"), (3, "d/2 - 1")):
        angles = 10_000 ** (-np.arange(4) / below)
        if np.allclose(row, [*np.sin(angles), *np.cos(angles)], atol=1e-5):
            return f"sines first, {name}"
    return "something else"


def probes():
    for name, ask in questions.probes(attend):
        if not name.startswith("causal"):  # it has no such switch
            yield name, ask
    for name, model in (("Llama", modeling_llama), ("GPT-NeoX", modeling_gpt_neox)):
        yield f"rotary · pairs · {name}", partial(rotated, model)
    yield "sinusoids · Marian", sinusoids
