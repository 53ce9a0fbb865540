"""Keras: `keras.ops.dot_product_attention`, on the backend that KERAS_BACKEND names."""

import keras

from experiments.probes import questions

BACKEND = keras.backend.backend()
VERSION = {"keras": keras.__version__, BACKEND: __import__(BACKEND).__version__}


def attend(query, key, value, mask=None, bias=None, causal=False):
    swapped = (keras.ops.convert_to_tensor(x.swapaxes(0, 1)[None]) for x in (query, key, value))
    options = {"mask": mask, "bias": bias}  # (batch, heads, queries, keys)
    options = {
        k: None if x is None else keras.ops.convert_to_tensor(x[None, None])
        for k, x in options.items()
    }
    output = keras.ops.dot_product_attention(*swapped, is_causal=causal, **options)
    return keras.ops.convert_to_numpy(output)[0].swapaxes(0, 1)


def probes():
    yield from questions.probes(attend)
