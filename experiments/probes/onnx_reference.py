"""ONNX: its operator Attention, by the reference evaluator; how it rotates."""

from functools import partial

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from experiments.probes import questions

VERSION = {"onnx": onnx.__version__}
OPSET = 23  # the first that has attention


def model_of(operator, inputs, **attributes):
    """Return a model of one node, for inputs of these names, types and shapes."""
    described = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in inputs.items()
    ]
    kind = described[0].type.tensor_type.elem_type
    output = helper.make_tensor_value_info("output", kind, None)
    node = helper.make_node(operator, list(inputs), ["output"], **attributes)
    graph = helper.make_graph([node], "probe", described, [output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11)


def attend(query, key, value, mask=None, bias=None, causal=False, run=None):
    inputs = {"query": query[None], "key": key[None], "value": value[None]}
    mask = mask if bias is None else bias
    inputs |= {} if mask is None else {"mask": mask}
    model = model_of("Attention", inputs, is_causal=int(causal))
    return (run or by_reference)(model, inputs)[0]


def by_reference(model, inputs):
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, inputs)[0]


def rotated():
    """Tell which feature makes a pair with feature 0 unless it is told otherwise."""
    x = np.zeros((1, 1, 1, 8), np.float32)
    x[..., 0] = 1
    turned = {"cos": np.zeros((1, 4)), "sin": np.ones((1, 4))}  # a quarter turn
    inputs = {"x": x} | {name: table.astype(np.float32) for name, table in turned.items()}
    inputs["places"] = np.zeros((1, 1), np.int64)
    output = by_reference(model_of("RotaryEmbedding", order(inputs)), order(inputs))
    return f"features 0 and {np.flatnonzero(output)[0]} of 8"


def order(inputs):
    return {name: inputs[name] for name in ("x", "cos", "sin", "places")}


def probes():
    yield from questions.probes(attend)
    yield "grouped", partial(questions.grouped, attend)
    yield "rotary · pairs", rotated
