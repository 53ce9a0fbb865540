"""A name that is not there: which one is meant, and that none is guessed."""

import linecache

import numpy as np
import pytest

import attnlib
from attnlib import mine
from attnlib.checks import find
from attnlib.checks.engine import examine

# What stands in a notebook beside the function, too.
AROUND = {
    "np": np, "attnlib": attnlib, "mine": mine, "words": ["I", "saw"], "weights": np.eye(2),
    "soft": np.eye(2), "plain_scores": np.eye(2), "project_loop": np.dot,
}  # fmt: skip

QKV, MATRICES = "query, key, value", "x, w_query, w_key, w_value"
YOURS = "`mine.softmax` is yours, or `attnlib.softmax`."
NOTHING = "Where does it get its value?"
MEANT = [
    ("attention", QKV, "softmax(query @ key.T)", YOURS),
    ("attention", QKV, "sofmax(query @ key.T)", f"Did you mean `softmax`? {YOURS}"),
    ("attention", QKV, "np.softmax(query @ key.T)", YOURS),
    ("attention", QKV, "mine.softmx(query)", "Did you mean `mine.softmax`?"),
    ("attention", QKV, "scaled_scores(query, key)", "`mine.scaled_scores` is yours."),
    ("attention", QKV, "attention_weights(query)", "That is `attnlib.attention_weights`."),
    ("attention", QKV, "projection @ value", "`mine.projection` is yours, or `attnlib.projection`"),
    ("attention", QKV, "q @ key.T", "Did you mean `query`?"),
    ("attention", QKV, "query @ keys.T", "Did you mean `key`?"),
    ("attention", QKV, "scores(query, key)", NOTHING),
    ("attention", QKV, "weigths @ value", "Did you mean `weights`?"),
    ("attention", QKV, "wieghts(value)", NOTHING),
    ("attention", QKV, "query / d_k", NOTHING),
    ("attention", QKV, "query / sqrt(3)", "Did you mean `np.sqrt`?"),
    ("project_qkv", MATRICES, "x @ w_q", "Did you mean `w_query`?"),
    ("project_qkv", MATRICES, "x @ wk", "Did you mean `w_key`?"),
    ("project_qkv", MATRICES, "X @ w_key", "Did you mean `x`?"),
    ("project_qkv", MATRICES, "x @ w", NOTHING),
    ("project_qkv", MATRICES, "query", NOTHING),
    ("sgd_step", "w, grad_w, rate", "w - rate * grad", "Did you mean `grad_w`?"),
    ("sgd_step", "w, grad_w, rate", "w - lr * grad_w", NOTHING),
    ("sgd_step", "w, grad_w, rate", "w - rate * gradw", "Did you mean `grad_w`?"),
    ("adam_step", "w, grad_a, grad_b, square, step, rate", "grad", NOTHING),
    ("cross_entropy", "logits, targets", "loss, prob", NOTHING),
    ("cross_entropy", "logits, targets", "prob, 1", NOTHING),
    ("cross_entropy", "logits, targets", "logit + 1", "Did you mean `logits`?"),
    ("cross_entropy", "logits, targets", "-log(logits)", "Did you mean `np.log`?"),
    ("causal_mask", "n_queries, n_keys", "tri", NOTHING),
    ("causal_mask", "n_queries, n_keys", "tri(n_keys)", "Did you mean `np.tri`?"),
    ("causal_mask", "n_queries, n_keys", "np.trill(n_keys)", "Did you mean `np.tril`?"),
    ("split_heads", "x, n_heads", "x.reshape(n_head, -1)", "Did you mean `n_heads`?"),
    ("split_heads", "x, n_heads", "x.swapaxis(0, 1)", "Did you mean `.swapaxes`?"),
    ("gelu", "x", "relu(x)", NOTHING),
    ("gelu", "x", "np.tahn(x)", "Did you mean `np.tanh`?"),
    ("gelu", "x", "tahn(x)", "Did you mean `np.tanh`?"),
    ("gelu", "x", "erf(x)", "Did you mean `math.erf`? It works on one number at a time."),
    ("gelu", "x", "np.erf(x)", "Did you mean `math.erf`?"),
    ("gelu", "x", "norm(x)", "Did you mean `np.linalg.norm`?"),
    ("mean_pool", "states, mask", "out", NOTHING),
    ("mean_pool", "states, mask", "word", "Did you mean `words`?"),
    ("mean_pool", "states, mask", "-inf", "Did you mean `np.inf`?"),
    ("wordpiece", "word, vocabulary", "word in vocab", "Did you mean `vocabulary`?"),
    ("wordpiece", "word, vocabulary", "[i for i in rang(3)]", "Did you mean `range`?"),
    ("gelu", "x", "x * scipy.special.erf(x)", "brings Python's own `math`. It works on"),
    ("block", "x, parameters, h, mask", "parameters.w_key", "That is `parameters['w_key']`."),
    ("block", "x, parameters, h, mask", "params", "Did you mean `parameters`?"),
    ("block", "x, parameters, h, mask", "parameters['w_out']", "Did you mean 'w_output'?"),
]  # fmt: skip


def written(name, parameters, expression):
    """Make a function as a notebook's cell does, whose source can be read."""
    source = f"def {name}({parameters}):\n    return {expression}\n"
    file = f"<a cell: {source}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    names = dict(AROUND)
    exec(compile(source, file, "exec"), names)
    return names[name]


@pytest.mark.parametrize(("name", "parameters", "expression", "said"), MEANT)
def test_the_name_that_was_meant_is_told_and_no_other(name, parameters, expression, said):
    text = " ".join(str(examine(find(name), written(name, parameters, expression))).split())
    assert said in text
    assert ("Did you mean" in text) == ("Did you mean" in said)
