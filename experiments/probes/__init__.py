"""Facts about other libraries, each asked by a small function: what they do at attention's edges.

A file a library; its `probes` are pairs of a name and a function without arguments that returns
the answer in a word or two. A name is made of the conditions, ``layer · all hidden · boolean · …``,
so that facts can be looked up by some of them. `experiments.record_probes` runs and records them.
"""

BETWEEN = " · "
MODULES = {
    "PyTorch": "pytorch",
    "JAX": "jax_nn",
    "Keras on torch": "keras_ops",
    "Keras on jax": "keras_ops",
    "ONNX reference": "onnx_reference",
    "ONNX Runtime": "onnx_runtime",
    "Transformers": "transformers_eager",
}
