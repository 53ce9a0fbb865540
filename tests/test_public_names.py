"""The public names: that they are there, how they are called, and what importing them costs."""

import inspect
import subprocess
import sys

import pytest

import attnlib

SIGNATURES = {
    "cosine_similarity": "(x, y=None)",
    "projection": "(x, onto)",
    "softmax": "(scores, *, axis=-1, temperature=1.0)",
    "entropy": "(weights, *, axis=-1)",
    "causal_mask": "(n_queries, n_keys=None, *, offset=0)",
    "padding_mask": "(lengths, n_keys)",
    "window_mask": "(n_queries, n_keys=None, *, width, offset=0)",
    "attention_scores": "(query, key, *, scale=None)",
    "attention_weights": "(query, key, *, mask=None, bias=None, scale=None)",
    "attention": "(query, key, value, *, mask=None, bias=None, scale=None)",
    "softmax_backward": "(grad_weights, weights, *, axis=-1)",
    "attention_backward": "(grad_output, query, key, value, *, mask=None, bias=None, scale=None)",
    "split_heads": "(x, n_heads)",
    "merge_heads": "(heads)",
    "MultiHeadAttention": "(w_query, w_key, w_value, w_output, *, n_heads, n_kv_heads=None, "
    "b_query=None, b_key=None, b_value=None, b_output=None)",
    "MultiHeadAttention.random": "(rng, *, d_model, n_heads, n_kv_heads=None, d_source=None, "
    "d_key=None, d_value=None)",
    "MultiHeadAttention.__call__": "(self, x, source=None, *, mask=None, bias=None)",
    "MultiHeadAttention.weights": "(self, x, source=None, *, mask=None, bias=None)",
    "sinusoidal_positions": "(n_positions, d_model, *, base=10000.0)",
    "one_hot_positions": "(n_positions)",
    "rotate": "(x, positions=None, *, base=10000.0, layout='interleaved')",
    "alibi_bias": "(n_heads, n_queries, n_keys=None, *, offset=0)",
    "check": "(name, function)",
    "hint": "(name, level=1)",
    "solution": "(name)",
}


def find(name):
    found = attnlib
    for part in name.split("."):
        found = getattr(found, part)
    return found


def run_python(code):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name):
    signature = inspect.signature(find(name))
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    signature = signature.replace(parameters=plain, return_annotation=signature.empty)
    assert str(signature) == SIGNATURES[name]


def test_all_lists_the_public_names_and_no_other():
    assert sorted(attnlib.__all__) == sorted(name for name in SIGNATURES if "." not in name)
    assert dir(attnlib) == sorted(attnlib.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'attnlib' has no attribute 'sofmax'"):
        _ = attnlib.sofmax


@pytest.mark.parametrize("name", [name for name in SIGNATURES if not name.endswith("__call__")])
def test_every_public_name_has_its_docstring(name):
    assert (find(name).__doc__ or "").strip(), f"{name} has no docstring"


def test_importing_attnlib_leaves_numpys_settings_as_they_are():
    state = "numpy.geterr(), numpy.get_printoptions()"
    assert run_python(f"import numpy; old = {state}; import attnlib; print(old == ({state}))") == (
        "True"
    )
