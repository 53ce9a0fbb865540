"""ONNX Runtime: the same operator, in the fast program for it."""

from functools import partial

import onnxruntime

from experiments.probes import questions
from experiments.probes.onnx_reference import attend

VERSION = {"onnxruntime": onnxruntime.__version__}


def run(model, inputs):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, inputs)[0]


def probes():
    onnxruntime.set_default_logger_severity(4)  # a refusal is an answer, and not to be shouted
    yield from questions.probes(partial(attend, run=run))
