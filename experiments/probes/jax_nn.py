"""JAX: `jax.nn.dot_product_attention`."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from experiments.probes import questions

VERSION = {"jax": jax.__version__}


def attend(query, key, value, mask=None, bias=None, causal=False):
    swapped = (jnp.asarray(x).swapaxes(0, 1)[None] for x in (query, key, value))
    options = {"mask": mask, "bias": bias}  # (batch, heads, queries, keys)
    options = {k: None if x is None else jnp.asarray(x)[None, None] for k, x in options.items()}
    output = jax.nn.dot_product_attention(*swapped, is_causal=causal, **options)
    return np.asarray(output[0].swapaxes(0, 1))


def probes():
    yield from questions.probes(attend)
    yield "grouped", partial(questions.grouped, attend)
