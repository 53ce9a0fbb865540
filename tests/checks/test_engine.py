"""Whatever a learner hands in, a report comes back that helps."""

import contextlib
import functools
import os
import re
import signal
import subprocess
import sys
import textwrap
import tracemalloc
import warnings

import numpy as np
import pytest

from attnlib.checks import check
from attnlib.checks.calling import call, unread
from attnlib.checks.engine import examine
from attnlib.checks.exercises.attention_backward import EXERCISE as ATTENTION_BACK
from attnlib.checks.exercises.causal_mask import EXERCISE as CAUSAL
from attnlib.checks.exercises.cosine_similarity import EXERCISE as COSINE
from attnlib.checks.exercises.cross_attention import EXERCISE as CROSS
from attnlib.checks.exercises.cross_entropy import EXERCISE as LOSS
from attnlib.checks.exercises.dot_product import EXERCISE as DOT
from attnlib.checks.exercises.linear_backward import EXERCISE as LINEAR_BACK
from attnlib.checks.exercises.masked_attention import EXERCISE as MASKED
from attnlib.checks.exercises.merge_heads import EXERCISE as MERGE
from attnlib.checks.exercises.multi_head_attention import EXERCISE as MULTI
from attnlib.checks.exercises.padding_mask import EXERCISE as PADDING
from attnlib.checks.exercises.project_qkv import EXERCISE as PROJECT
from attnlib.checks.exercises.projection import EXERCISE as PROJECTION
from attnlib.checks.exercises.sample import EXERCISE as SAMPLE
from attnlib.checks.exercises.scaled_scores import EXERCISE as SCORES
from attnlib.checks.exercises.score_spread import EXERCISE as SPREAD
from attnlib.checks.exercises.self_attention import EXERCISE as SELF
from attnlib.checks.exercises.sgd_step import EXERCISE as STEP
from attnlib.checks.exercises.sinusoidal_positions import EXERCISE as SINUSOIDS
from attnlib.checks.exercises.softmax import EXERCISE as SOFTMAX
from attnlib.checks.exercises.softmax_backward import EXERCISE as SOFTMAX_BACK
from attnlib.checks.exercises.softmax_with_temperature import EXERCISE as TEMPERED
from attnlib.checks.exercises.split_heads import EXERCISE as SPLIT
from attnlib.checks.exercises.weighted_average import EXERCISE as AVERAGE


def stub(a, b): ...


def documented_stub(a, b):
    """Multiply."""
    ...


def returned_stub(a, b):
    # Your code here.
    return ...


async def async_stub(a, b): ...


def half_done(a, b):
    product = a * b
    product = ...
    return product


@pytest.mark.parametrize(
    "function", [stub, documented_stub, returned_stub, async_stub, half_done, ..., lambda a, b: ...]
)
def test_stub_is_not_attempted(function):
    report = examine(DOT, function)
    assert (report.status, report.mistake) == ("not attempted", None)
    assert 'hint("dot_product")' in str(report)


def test_stub_typed_into_a_console_is_not_attempted():
    names = {}
    exec("def dot_product(a, b): ...", names)  # leaves no source behind
    assert examine(DOT, names["dot_product"]).status == "not attempted"


def explicit_none(a, b):
    return None


def forgotten_return(a, b):
    a @ b


def passed_over(a, b):
    pass


def printed_only(a, b):
    print("the result is", a @ b)


NONE = [explicit_none, forgotten_return, passed_over, printed_only, lambda a, b: None]


@pytest.mark.parametrize("function", NONE)
def test_returning_none_is_failed(function):
    report = examine(DOT, function)
    assert (report.status, report.mistake) == ("failed", None)
    assert "Your function returned nothing. Is the `return` missing?" in str(report)


def raising(error):
    def function(*inputs):
        raise error

    return function


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError


def endless(a, b):
    return endless(a, b)


RAISING = [
    (raising(ValueError("no luck")), "Your function raised ValueError: no luck, at the line"),
    (raising(SystemExit(1)), "raised SystemExit"),
    (raising(GeneratorExit()), "raised GeneratorExit"),
    (raising(SilentError()), "raised SilentError"),
    (raising(MemoryError()), "raised MemoryError"),
    (raising(ValueError("\ud800\x1b[31m" + 999 * "x")), "raised ValueError: ??[31mxxx"),
    (endless, "raised RecursionError: it calls itself again and again, without end, at the line"),
    (lambda a, b: a.missing, "raised AttributeError"),
    (lambda a, b: sys.exit(), "raised SystemExit"),
]


@pytest.mark.parametrize(("function", "words"), RAISING)
def test_exception_is_told_in_words(function, words):
    report = examine(DOT, function)
    assert report.status == "failed"
    assert words in str(report).replace("\n", " ")
    assert "called with a (2,) and b (2,)" in str(report).replace("\n", " ")


def test_exception_names_the_line_and_the_shapes():
    def scaled(query, key):
        return query @ key / np.sqrt(3)

    text = str(check("scaled_scores", scaled)).replace("\n", " ")
    assert "two sizes in a matrix product do not fit, 5 and 3" in text
    assert "at the line `return query @ key / np.sqrt(3)`" in text
    assert "It was called with query (2, 3) and key (5, 3)." in text


def words(text):
    return lambda a, b: text


class Hostile:
    def __array__(self, *args, **kwargs):
        raise RuntimeError

    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        raise RuntimeError(name)

    __hash__ = None


class HostileCall(Hostile):
    def __call__(self, a, b):
        raise SilentError


class HostileTuple(tuple):
    def __len__(self):
        raise SystemExit

    __iter__ = __len__


async def waiting(a, b):
    return a @ b


ODD = [
    (words("11"), "returned a str, where an array of numbers is expected"),
    (words([1, [2, 3]]), "rows of different lengths"),
    (words({"a": 1}), "returned a dict"),
    (words({1}), "returned a set"),
    (words(object()), "returned an object"),
    (words(np.array([1, None])), "an array of dtype object"),
    (words(1j), "complex numbers"),
    (words(np.datetime64("2020-01-01")), "where an array of numbers is expected"),
    (lambda a, b: (x for x in a), "returned a generator"),
    (lambda a, b: zip(a, b, strict=True), "returned a zip"),
    (lambda a, b: lambda: 1, "returned a function"),
    (waiting, "`async`"),
    (
        lambda a, b: [a @ b],
        "Your answer has shape (1,), where a single number, shape (), is expected.",
    ),
    (lambda a, b: [], "Your answer has shape (0,)"),
    (lambda a, b: np.nan, "there is a `nan` or an `inf` in it"),
    (lambda a, b: 10**400, "an array of numbers is expected"),
    (
        lambda a, b: a @ b > 0,
        "Your answer is made of `True` and `False`, where numbers are expected.",
    ),
]


@pytest.mark.parametrize(("function", "said"), ODD)
def test_odd_answer_is_told_in_words(function, said):
    report = examine(DOT, function)
    assert (report.status, report.mistake) == ("failed", None)
    assert said in str(report).replace("\n", " ")


def test_a_factor_is_told_of_arrays_alone():
    # Any two numbers have a ratio: it says nothing of how one of them came about.
    text = str(examine(DOT, lambda a, b: 2.5 * (a @ b)))
    assert "yours    = -5" in text
    assert "times" not in text.partition("Hint:")[0]
    text = str(examine(SOFTMAX, lambda s: 2 * SOFTMAX.answer(s))).replace("\n", " ")
    assert "Every number of yours is 2 times the expected one." in text
    assert "Hint: The pattern is right already. Look for a factor too many" in text


def both(x, w_query, w_key, w_value):
    scores = x @ w_query @ (x @ w_key).T / np.sqrt(w_key.shape[1])
    weights = softened(scores)
    return weights @ x @ w_value, weights


def test_the_weights_beside_the_output_are_told():
    text = str(examine(SELF, both)).replace("\n", " ")
    assert (
        "returned 2 arrays, with a comma between them, but only one is asked for, the output."
        in text
    )
    assert "Hint: Return that one by itself" in text
    twice = str(examine(SOFTMAX, lambda s: (softened(s), s))).replace("\n", " ")
    assert (
        "returned 2 arrays, with a comma between them, but only one is asked for, the answer."
        in twice
    )
    rows = examine(SOFTMAX, lambda s: tuple(softened(s)) if s.ndim == 2 and len(s) else softened(s))
    assert rows.status == "passed", "a tuple of rows is an array, too"


def by_pythons_max(scores):
    e = np.exp(scores - max(scores))
    return e / e.sum(axis=-1, keepdims=True)


def by_pythons_if(scores):
    return scores if scores > 0 else -scores


def test_pythons_own_max_is_told():
    report = examine(SOFTMAX, by_pythons_max)
    text = str(report).replace("\n", " ")
    assert report.mistake is None
    assert "ValueError: Python's own `max` compares whole rows, and an array gives one yes" in text
    assert "`x.max(axis=-1, keepdims=True)` finds the largest of each row" in text
    text = str(examine(SOFTMAX, by_pythons_if)).replace("\n", " ")
    assert "ValueError: one yes or no was needed, and an array gives one yes or no for" in text


def test_nothing_is_said_to_hold_of_nan():
    text = str(examine(MASKED, lambda q, k, v, m: np.full((len(q), v.shape[-1]), np.nan)))
    assert "Already right" not in text
    text = str(examine(SELF, lambda x, a, b, c: np.inf * SELF.answer(x, a, b, c))).replace(
        "\n", " "
    )
    assert "Already right" not in text
    assert "Hint: `nan` comes from inf - inf, 0 * inf or 0 / 0." in text


def test_a_hint_does_not_tell_what_was_done():
    nothing = str(examine(SCORES, lambda q, k: np.ones((len(q), len(k)))))
    assert SCORES.hints[0][:40] in nothing
    assert 'More help: `hint("scaled_scores", 2)`' in nothing
    text = str(examine(SPLIT, lambda x, n_heads: SPLIT.answer(x, n_heads) + (x.shape[0] > 2)))
    assert SPLIT.hints[1][:40] in text
    assert 'More help: `solution("split_heads")`' in text


def test_a_table_of_scores_is_told_where_the_spread_is_right():
    text = str(examine(SPREAD, lambda q, k: (q @ k.T).std())).replace("\n", " ")
    assert "are right, but this should hold as well:   ✗ the table of scores is never made" in text
    assert "Hint: For a long text, that table would not fit into memory." in text


def test_memory_is_measured_beside_another_measurement():
    tracemalloc.start()
    try:
        assert examine(SPREAD, SPREAD.solution).status == "passed"
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    assert examine(SPREAD, SPREAD.solution).status == "passed"
    assert not tracemalloc.is_tracing()


def test_a_promise_that_does_not_hold_is_told_with_its_hint():
    def by_mean(scores):
        e = np.exp(scores - scores.mean(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    text = str(examine(SOFTMAX, by_mean)).replace("\n", " ")
    assert (
        "the exercise asks for more: large scores stay finite. Here that does not hold yet." in text
    )
    assert "Subtract from each row its own largest score" in text


def test_an_empty_list_is_an_empty_answer():
    def listed(scores):
        return softened(scores).tolist()

    assert examine(SOFTMAX, listed).status == "passed"
    lost = examine(SOFTMAX, lambda s: softened(s) if s.size else np.zeros(0))
    assert "an empty batch gives an empty answer" in str(lost).replace("\n", " ")
    joined = str(examine(MERGE, lambda h: h.swapaxes(-3, -2).reshape(
        *h.shape[:-3], h.shape[-2], -1))).replace("\n", " ")  # fmt: skip
    assert "the array has no numbers, so nothing says what -1 stands for in (0,5,-1)" in joined


def test_arrays_one_by_one_are_counted():
    def endless_arrays(x, *matrices):
        while True:
            yield x

    text = str(examine(PROJECT, endless_arrays)).replace("\n", " ")
    assert "returned more than 3 things, where 3 arrays are expected" in text


def heads_turned_round(x, w_query, w_key, w_value, w_output, n_heads):
    n, d = x.shape
    query, key, value = (
        (x @ w).reshape(n, n_heads, d // n_heads).swapaxes(0, 1) for w in (w_query, w_key, w_value)
    )
    output = softened(query @ key.T / np.sqrt(d // n_heads)) @ value
    return output.swapaxes(0, 1).reshape(n, d) @ w_output


def masked_by_a_product(query, key, value, mask):
    return softened(query @ key.T / np.sqrt(key.shape[1]) + (1 - mask) * -np.inf) @ value


def test_hostile_objects_do_no_harm():
    assert examine(DOT, lambda a, b: Hostile()).status == "failed"
    assert examine(DOT, Hostile()).status == "failed"
    assert examine(DOT, HostileCall()).status == "failed"
    assert examine(PROJECT, lambda *inputs: HostileTuple()).status == "failed"
    assert examine(DOT, functools.partial(lambda c, a, b: a @ b, 0)).status == "passed"


def test_truncated_answers_are_told():
    text = str(examine(SOFTMAX, lambda s: SOFTMAX.answer(s).astype(int)))
    assert "Your numbers lost their decimals" in text


def test_scalar_for_an_array_is_told():
    said = "Your answer is a single number, shape (), where shape (2, 3) is expected."
    assert said in str(examine(SOFTMAX, lambda s: 1))
    assert said in str(examine(SOFTMAX, lambda s: np.sum(s)))


def test_mask_of_numbers_is_told():
    text = str(examine(PADDING, lambda lengths, n: 2 * PADDING.answer(lengths, n)))
    assert "a mask is made of `True` and `False`" in text


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (
            lambda x, a, b, c: x @ a,
            "one array of shape (2, 5), where 3 arrays are expected: query, key",
        ),
        (lambda x, a, b, c: (x @ a, x @ b), "returned 2 things, where 3 arrays are expected"),
        (lambda x, a, b, c: (x @ a, None, x @ c), "returned None, where an array of numbers"),
        (lambda x, a, b, c: {"query": x}, "returned a dict, where 3 arrays are expected"),
    ],
)
def test_several_arrays_are_asked_for_in_words(function, said):
    assert said in str(examine(PROJECT, function)).replace("\n", " ")


def test_only_the_wrong_one_of_several_is_shown():
    text = str(examine(PROJECT, lambda x, a, b, c: (x @ a, x @ b + 1, x @ c)))
    assert "your key" in text
    assert "your query" not in text


def step_in_place(w, grad_w, rate):
    w[...] = w - rate * grad_w
    return w


def uphill_in_place(w, grad_w, rate):
    w += rate * grad_w
    return w


def test_an_input_that_was_changed_is_shown_before_and_after():
    text = str(examine(STEP, step_in_place))
    assert re.search(r"w before +=", text)
    assert re.search(r"your w after +=", text)
    assert re.search(r"expected w after +=", text)
    assert not re.search(r"(yours|expected) +=", text), "the answer is right"
    text = str(examine(STEP, uphill_in_place))
    assert re.search(r"yours +=", text)
    assert re.search(r"your w after +=", text)
    assert " after" not in str(examine(STEP, lambda w, g, r: w + r * g))


def test_an_input_that_became_another_kind_of_array_does_no_harm():
    def bytes_in_place(w, grad_w, rate):
        there = w - rate * grad_w
        w.dtype = "S8"
        return there

    def longer_in_place(w, grad_w, rate):
        there = w - rate * grad_w
        w.shape = -1
        return there

    for function in (bytes_in_place, longer_in_place):
        report = examine(STEP, function)
        assert report.mistake == "input changed in place"
        assert report._repr_html_()


@pytest.mark.parametrize("thing", [None, 3.0, "dot_product", np.ones(3), [len]])
def test_no_function_is_told(thing):
    report = examine(DOT, thing)
    assert report.status == "failed"
    assert 'Write `check("dot_product", dot_product)`' in str(report).replace("\n", " ")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda a: 1, "2 inputs (a, b): its parameters are (a)"),
        (lambda: 1, "its parameters are ()"),
        (lambda a, b, c: 1, "its parameters are (a, b, c)"),
        (lambda a, *, b: 1, "its parameters are (a, b)"),
    ],
)
def test_wrong_parameters_are_told(function, said):
    assert said in str(examine(DOT, function)).replace("\n", " ")


def test_other_callables_pass():
    class Product:
        def __call__(self, a, b):
            return a @ b

        def method(self, x, y):
            return x @ y

    for function in (
        np.dot,
        Product(),
        Product().method,
        np.vecdot if hasattr(np, "vecdot") else np.dot,
    ):
        assert examine(DOT, function).status == "passed"


def test_what_is_printed_shows_where_the_answer_is_wrong_only(capsys):
    def noisy(a, b):
        print("half way\x1b[1m")
        print("on stderr", file=sys.stderr)
        return a @ b + 1

    text = str(examine(DOT, noisy))
    assert "There your function printed:\n    half way?[1m\n    on stderr" in text
    assert examine(DOT, lambda a, b: print("hello") or a @ b).status == "passed"
    assert capsys.readouterr() == ("", "")


def test_endless_printing_is_cut():
    def flood(a, b):
        for _ in range(5000):
            print("flood")
        print("flood" * 5000)
        return 0

    assert len(str(examine(DOT, flood))) < 1000
    assert len(call(flood, (1, 2)).printed) <= 4000
    assert len(call(lambda: print("flood" * 5000), ()).printed) <= 4000


def test_warnings_stay_silent():
    def warned(a, b):
        warnings.warn("careful", stacklevel=1)
        np.log(np.zeros(2))
        warnings.simplefilter("error")
        return a @ b

    before = list(warnings.filters)
    assert examine(DOT, warned).status == "passed"
    assert warnings.filters == before


MEDDLING = """
import builtins, sys
import numpy as np
import attnlib
from attnlib.checks import _find
from attnlib.checks.engine import examine

def meddling(a, b):
    np.seterr(all="raise")
    np.set_printoptions(precision=1)
    np.dot = np.allclose = np.array = np.abs = lambda *a, **k: True
    np.linalg.norm = attnlib.softmax = None
    builtins.len = builtins.all = builtins.any = lambda x: True
    sys.setrecursionlimit(5000)
    sys.stdout = None
    return a @ b + 1

def state():
    names = np.dot, np.allclose, np.abs, np.array, np.linalg.norm, attnlib.softmax, len, all
    return names, np.geterr(), np.get_printoptions(), sys.getrecursionlimit(), sys.stdout

before = state()
status = examine(_find("dot_product"), meddling).status
print(status, state() == before)
"""


def test_state_of_numpy_and_python_is_put_back():
    # In a process of its own, whose other threads a false `len` may confuse.
    command = [sys.executable, "-c", MEDDLING]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "failed True\n"


def test_learners_error_state_does_not_matter():
    with np.errstate(all="raise"):
        assert examine(MASKED, MASKED.answer).status == "passed"


def test_wrong_in_one_input_of_a_fact_has_a_counterexample():
    def only_several(x, n_heads):
        return SPLIT.answer(x, n_heads) + (n_heads == 1)

    text = str(examine(SPLIT, only_several))
    assert "n_heads  = 1" in text
    assert "expected" in text


def test_remembering_function_is_told():
    seen = set()

    def answers_once(a, b):
        seen.add(len(seen))
        return a @ b if len(seen) <= 4 else 0.0

    assert examine(DOT, answers_once).status == "failed"


def test_function_that_overflows_and_is_wrong_is_named_by_what_it_did():
    def naive_columns(scores):
        e = np.exp(scores)
        return e / e.sum(axis=0)

    assert examine(SOFTMAX, naive_columns).mistake == "softmax down the columns"


NO_BATCH = [
    (SPLIT, lambda x, h: x.reshape(h, len(x), -1), "reshape alone"),
    (SPLIT, lambda x, h: x.reshape(len(x), h, -1), "heads not moved to the front"),
    (MERGE, lambda h: h.reshape(h.shape[1], -1), "reshape alone"),
    (MERGE, lambda h: h.sum(axis=0), "heads summed"),
    (SCORES, lambda q, k: np.dot(q, k.T), "no scaling"),
    (SCORES, lambda q, k: np.dot(q, k.T) / np.sqrt(len(k)), "square root of n_keys"),
    (AVERAGE, lambda w, v: np.dot(w, v) / len(v), "divided by the number of values"),
]


@pytest.mark.parametrize(("exercise", "function", "name"), NO_BATCH)
def test_mistake_is_named_where_batch_axes_are_forgotten_too(exercise, function, name):
    assert examine(exercise, function).mistake == name


def softened(scores, axis=-1, keepdims=True):
    e = np.exp(scores - scores.max(axis=axis, keepdims=keepdims))
    return e / e.sum(axis=axis, keepdims=keepdims)


def divided_in_place(scores):
    e = np.exp(scores)
    e /= e.sum(axis=1)
    return e


def unshifted_along_axis_1(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def row_by_row(scores):
    out = np.zeros(scores.shape)
    for i in range(len(scores)):
        out[i] = np.exp(scores[i] - scores[i].max()) / np.exp(scores[i] - scores[i].max()).sum()
    return out


def mixed_the_other_way(x, w_query, w_key, w_value):
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    return value @ softened(query @ key.T / np.sqrt(query.shape[-1]))


def column_by_column(x, w_query, w_key, w_value):
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    return softened(query @ key.T / np.sqrt(key.shape[1]), keepdims=False) @ value


def values_of_the_target(target, source, w_query, w_key, w_value):
    query, key, value = target @ w_query, source @ w_key, target @ w_value
    return softened(query @ key.T / np.sqrt(key.shape[1])) @ value


def keys_of_the_target(target, source, w_query, w_key, w_value):
    query, key, value = target @ w_query, target @ w_key, source @ w_value
    return softened(query @ key.T / np.sqrt(key.shape[1])) @ value


def lowered(by):
    def masked(query, key, value, mask):
        scores = query @ key.T / np.sqrt(query.shape[1])
        return softened(scores + np.where(mask, 0, by)) @ value

    return masked


def stood_in(by):
    def masked(query, key, value, mask):
        scores = query @ key.T / np.sqrt(query.shape[1])
        return softened(np.where(mask, scores, by)) @ value

    return masked


def feature_by_feature(n, d):
    table = np.zeros((n, d))
    for p in range(n):
        for i in range(d):
            angle = p / 10000 ** (2 * i / d)
            table[p, i] = np.sin(angle) if i % 2 == 0 else np.cos(angle)
    return table


def row_of_scores(query, key):
    return np.array([[q @ k for k in key] for q in query]) / np.sqrt(query.shape[-1])


def two_axes(x, n_heads):
    n, d = x.shape
    return x.reshape(n, n_heads, d // n_heads).swapaxes(0, 1)


def lengths(x):
    return np.linalg.norm(x, axis=1)


def gone_back(scale=0.5, weigh=softened, back=0.5, wrong=None):
    """Back through attention, step by step; `wrong` changes what the steps gave."""

    def attention_backward(grad_output, query, key, value):
        scale_of = query.shape[-1] ** -scale
        weights = weigh(query @ key.swapaxes(-1, -2) * scale_of)
        grad_weights = grad_output @ value.swapaxes(-1, -2)
        mean = (weights * grad_weights).sum(-1, keepdims=True)
        grad_scores = weights * (grad_weights - mean) * query.shape[-1] ** -back
        if wrong:
            return wrong(weights, grad_weights, grad_scores, grad_output, query, key, value)
        to_key = grad_scores.swapaxes(-1, -2)
        return grad_scores @ key, to_key @ query, weights.swapaxes(-1, -2) @ grad_output

    return attention_backward


def by_values_width(grad_output, query, key, value):
    scale = 1 / np.sqrt(value.shape[-1])
    weights = softened(query @ key.T * scale)
    grad_weights = grad_output @ value.T
    mean = (weights * grad_weights).sum(-1, keepdims=True)
    grad_scores = weights * (grad_weights - mean) * scale
    return grad_scores @ key, grad_scores.T @ query, weights.T @ grad_output


def scaled_at_last(w, gw, gs, g, q, k, v):
    scale, to_value = 1 / np.sqrt(v.shape[-1]), w.swapaxes(-1, -2) @ g
    return gs @ k * scale, gs.swapaxes(-1, -2) @ q * scale, to_value


def untransposed(w, gw, gs, g, q, k, v):
    return gs @ k, gs @ q, w.swapaxes(-1, -2) @ g


def keys_to_keys(w, gw, gs, g, q, k, v):
    return gs @ q, gs.swapaxes(-1, -2) @ k, w.swapaxes(-1, -2) @ g


def rows_of_keys(w, gw, gs, g, q, k, v):
    return gs.swapaxes(-1, -2) @ k, gs @ q, w.swapaxes(-1, -2) @ g


def columns_for_queries(w, gw, gs, g, q, k, v):
    to_key = gs.swapaxes(-1, -2)
    return to_key @ k, to_key @ q, w.swapaxes(-1, -2) @ g


def nothing_transposed(w, gw, gs, g, q, k, v):
    return gs @ k, gs @ q, w @ g


def columns_for_queries_alone(w, gw, gs, g, q, k, v):
    return gs.swapaxes(-1, -2) @ k, gs @ q, w @ g


def columns_of_queries(w, gw, gs, g, q, k, v):
    return gs @ k, gs.swapaxes(-1, -2) @ q.swapaxes(-1, -2), w.swapaxes(-1, -2) @ g


def columns_of_grad_output(w, gw, gs, g, q, k, v):
    to_key = gs.swapaxes(-1, -2)
    return gs @ k, to_key @ q, w.swapaxes(-1, -2) @ g.swapaxes(-1, -2)


def weights_on_their_side(w, gw, gs, g, q, k, v):
    table = v @ g.swapaxes(-1, -2)
    gs = w * (table - (w * table).sum(-1, keepdims=True)) * q.shape[-1] ** -0.5
    return gs @ k, gs.swapaxes(-1, -2) @ q, w.swapaxes(-1, -2) @ g


def matrices_back(grad_output, query, key, value):
    d, n_keys = query.shape[-1], key.shape[0]
    weights = softened(query @ key.T / np.sqrt(d))
    grad_weights = grad_output @ value.T
    grad_scores = np.zeros((len(query), n_keys))
    for i, w in enumerate(weights):
        grad_scores[i] = (np.diag(w) - np.outer(w, w)) @ grad_weights[i]
    return grad_scores @ key, grad_scores.T @ query / np.sqrt(d), weights.T @ grad_output


def jacobian_by_row(grad_weights, weights):
    return [(np.diag(w) - np.outer(w, w)) @ g for g, w in zip(grad_weights, weights, strict=True)]


def looked_up(logits, targets, rows=None, n=len, weigh=softened):
    p = weigh(logits)
    rows, grad = np.arange(len(targets)) if rows is None else rows, p.copy()
    grad[rows, targets] -= 1
    return -np.log(p[rows, targets]).mean(), grad / n(targets)


def by_eye(logits, targets):
    p, target = softened(logits), np.eye(logits.shape[-1])[targets]
    return -(target * np.log(p)).sum() / len(targets), (p - target) / len(targets)


def mean_of_all(logits, targets):
    p, target = softened(logits), np.eye(logits.shape[-1])[targets]
    return -(target * np.log(p)).mean(), (p - target) / targets.size


def raveled(logits, targets):
    """The targets as a list, and the logits as they come."""
    p, target = softened(logits), np.eye(logits.shape[-1])[targets.ravel()]
    return -np.log((p * target).sum(axis=-1)).mean(), (p - target) / targets.size


def both_raveled(logits, targets):
    p, rows = softened(logits).reshape(-1, logits.shape[-1]), np.arange(targets.size)
    target = np.eye(logits.shape[-1])[targets.ravel()]
    return -np.log(p[rows, targets.ravel()]).mean(), (p - target) / targets.size


def rows_by_einsum(grad_y, x, w):
    return grad_y @ w.T, np.einsum("ni,no->io", x, grad_y)


def rows_by_loop(grad_y, x, w):
    return grad_y @ w.T, sum(np.outer(a, b) for a, b in zip(x, grad_y, strict=True)) + 0 * w


def tables_added_up(grad_y, x, w):
    return grad_y @ w.T, np.einsum("...i,...o->...io", x, grad_y).sum(axis=0)


READERS = [
    (SOFTMAX_BACK, lambda g, w: w * (g - (w * g).sum(axis=1)[:, None]), "axis 1 for the last axis"),
    (SOFTMAX_BACK, lambda g, w: w * g - (w * g).mean(-1, keepdims=True) * w, "divided by n, too"),
    (SOFTMAX_BACK, lambda g, w: (np.diag(w) - np.outer(w, w)) @ g, "a single row alone"),
    (SOFTMAX_BACK, jacobian_by_row, "rows along the first axis"),
    (ATTENTION_BACK, gone_back(back=0), "scale forgotten"),
    (ATTENTION_BACK, gone_back(back=1), "scale twice"),
    (ATTENTION_BACK, gone_back(scale=0), "scaled back only"),
    (ATTENTION_BACK, gone_back(scale=0, back=0), "no scaling"),
    (
        ATTENTION_BACK,
        gone_back(weigh=lambda s: softened(s, axis=-2)),
        "forward softmax down the columns",
    ),
    (ATTENTION_BACK, by_values_width, "scale of d_value"),
    (ATTENTION_BACK, gone_back(back=0, wrong=scaled_at_last), "scale of d_value on the way back"),
    (ATTENTION_BACK, gone_back(wrong=untransposed), "scores not transposed for the key"),
    (
        ATTENTION_BACK,
        gone_back(wrong=rows_of_keys),
        "scores transposed for the wrong one of the two",
    ),
    (ATTENTION_BACK, gone_back(wrong=columns_for_queries), "scores transposed for the query"),
    (ATTENTION_BACK, gone_back(wrong=nothing_transposed), "neither weights nor scores transposed"),
    (ATTENTION_BACK, gone_back(wrong=columns_of_queries), "query transposed"),
    (ATTENTION_BACK, gone_back(wrong=columns_of_grad_output), "grad_output transposed"),
    (ATTENTION_BACK, gone_back(wrong=weights_on_their_side), "gradient of the weights transposed"),
    (ATTENTION_BACK, gone_back(wrong=keys_to_keys), "query and key exchanged"),
    (ATTENTION_BACK, matrices_back, "scale forgotten for the query"),
    (LOSS, looked_up, "batch axes forgotten"),
    (LOSS, functools.partial(looked_up, n=lambda targets: 1), "gradient not divided by n"),
    (
        LOSS,
        functools.partial(looked_up, rows=slice(None)),
        "every target in every row, and its gradient",
    ),
    (
        LOSS,
        functools.partial(looked_up, weigh=lambda z: softened(z, axis=0)),
        "softmax down the columns",
    ),
    (
        LOSS,
        functools.partial(looked_up, weigh=lambda z: softened(z, keepdims=False)),
        "keepdims forgotten",
    ),
    (LOSS, raveled, "batch axes forgotten"),
    (LOSS, both_raveled, "gradient as one list of places"),
    (LOSS, by_eye, "both divided by the first axis"),
    (LOSS, mean_of_all, "loss divided by the classes, too"),
    (LINEAR_BACK, lambda g, x, w: (g @ w.T, x.T @ g), "batch axes forgotten"),
    (LINEAR_BACK, rows_by_einsum, "batch axes forgotten"),
    (LINEAR_BACK, rows_by_loop, "batch axes forgotten"),
    (LINEAR_BACK, tables_added_up, "rows of the first axis summed"),
    (LINEAR_BACK, lambda g, x, w: (g @ w.T, x.T @ g / len(x)), "mean instead of sum"),
    (LINEAR_BACK, lambda g, x, w: (g @ w.T, g.T @ x), "grad_w transposed"),
    (LINEAR_BACK, lambda g, x, w: (g @ w, x.T @ g), "w not transposed"),
    (COSINE, lambda x: (x / lengths(x)) @ (x / lengths(x)).T, "keepdims forgotten"),
    (COSINE, lambda x: x @ x.T / (lengths(x) * lengths(x)), "one of the two lengths, squared"),
    (COSINE, lambda x: x @ x.T / lengths(x), "divided by the other of the two lengths"),
    (PROJECT, lambda x, a, b, c: np.array([x @ a, x @ b, x @ c]), "three arrays in one"),
    (PROJECT, lambda x, a, b, c: (a @ x, b @ x, c @ x), "order of the product"),
    (SELF, mixed_the_other_way, "value @ weights"),
    (SELF, column_by_column, "keepdims forgotten"),
    (SCORES, lambda q, k: q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[1]), "axis 1 for the width"),
    (SCORES, row_of_scores, "batch axes forgotten"),
    (SOFTMAX, lambda s: softened(s, keepdims=False), "keepdims forgotten"),
    (SOFTMAX, lambda s: softened(s, axis=1, keepdims=False), "keepdims forgotten"),
    (SOFTMAX, divided_in_place, "keepdims forgotten"),
    (SOFTMAX, lambda s: softened(s, axis=1), "axis 1 for the last axis"),
    (SOFTMAX, unshifted_along_axis_1, "axis 1 for the last axis"),
    (SOFTMAX, row_by_row, "rows along the first axis"),
    (SOFTMAX, lambda s: softened(s, axis=-2), "softmax down the columns"),
    (SOFTMAX, lambda s: np.exp(s) / np.exp(s).sum(), "softmax over everything"),
    (TEMPERED, lambda s, t: softened(s / t, keepdims=False), "keepdims forgotten"),
    (CROSS, values_of_the_target, "value from the target"),
    (CROSS, keys_of_the_target, "keys from the target"),
    (MASKED, lowered(-1e9), "a finite number added"),
    (MASKED, lowered(-1e30), "a finite number added"),
    (MASKED, stood_in(-10), "-10 for -inf"),
    (CAUSAL, lambda n, m: np.arange(n) >= np.arange(m), "no new axis"),
    (CAUSAL, lambda n, m: np.tri(3, 3, dtype=bool), "always 3 by 3"),
    (PADDING, lambda x, n: np.arange(n) < x, "no new axis"),
    (SINUSOIDS, feature_by_feature, "exponent 2i / d_model with the feature's number"),
    (SPLIT, two_axes, "batch axes forgotten"),
    (MULTI, heads_turned_round, "key.T on all heads"),
    (MASKED, masked_by_a_product, "0 times -inf"),
    (MERGE, np.hstack, "joined along axis 1"),
    (MERGE, lambda heads: np.concatenate(heads, axis=-1), "batch joined instead of heads"),
]


@pytest.mark.parametrize(("exercise", "function", "name"), READERS)
def test_what_readers_wrote_is_named(exercise, function, name):
    assert examine(exercise, function).mistake == name


def test_the_same_exception_in_one_example_does_not_make_the_same_mistake():
    # Where shapes do not fit, many mistakes raise the same; where they do, the numbers tell.
    assert examine(ATTENTION_BACK, gone_back(wrong=columns_for_queries_alone)).mistake is None


@pytest.mark.parametrize("by", [-np.inf, -1e9, np.finfo(np.float32).min])
def test_a_stand_in_in_the_place_of_a_hidden_score_passes(by):
    assert examine(MASKED, stood_in(by)).status == "passed"


b, mask, scores = np.array([1.0, 0.0]), np.tri(5, dtype=bool), np.zeros((2, 2))


def along_a_global(a, onto):
    return (a[0] * b[0] + a[1] * b[1]) * b


def with_its_own_mask(query, key, value, mask):
    own = np.tri(len(query), len(key), dtype=bool)
    return softened(np.where(own, query @ key.T / np.sqrt(query.shape[1]), -np.inf)) @ value


def with_another_mask(query, key, value, mask):
    mask = np.tri(len(query), len(key), dtype=bool)
    return softened(np.where(mask, query @ key.T / np.sqrt(query.shape[1]), -np.inf)) @ value


UNREAD = [
    (PROJECTION, along_a_global, "never uses its parameter `onto`; it reads `b` from outside."),
    (MASKED, with_its_own_mask, "Your function never uses its parameter `mask`."),
    (MASKED, with_another_mask, "overwrites its parameter `mask` before reading it."),
    (SOFTMAX, lambda s: scores, "never uses its parameter `s`; it reads `scores` from outside."),
    (DOT, lambda a, b: 3.0, "Your function never uses its parameters `a` and `b`."),
    (DOT, lambda a, b: a @ missing, "Your function never uses its parameter `b`."),  # noqa: F821
]


@pytest.mark.parametrize(("exercise", "function", "said"), UNREAD)
def test_parameter_that_is_never_read_is_told(exercise, function, said):
    text = str(examine(exercise, function)).replace("\n", " ")
    assert said in text
    assert re.search(r"Hint: Use `\w+`( and `b`)?: what comes in there differs", text)


def test_parameter_of_a_known_mistake_is_not_told():
    report = examine(MASKED, lambda q, k, v, mask: MASKED.mistakes[0].function(q, k, v, None))
    assert report.mistake == "mask ignored"
    assert "never uses" not in str(report)


def in_a_function_inside(a, b):
    def product(i):
        return a[i] * b[i]

    return sum(map(product, range(len(a) - 1)))


def in_a_comprehension(a, b):
    return [x * y for x, y in zip(a, b, strict=True)]


def in_one_branch(a, b):
    if len(a) > 2:
        b = a
    return a @ b


def as_a_default(a, b):
    b = b if len(a) > 2 else a
    return a @ b


def after_a_failure(a, b):
    try:
        b = np.linalg.inv(a)
    except ValueError:
        return a @ b


def by_name(a, b):
    return locals()["b"].sum()


def whatever(*inputs, b=None):
    return 0.0


@functools.wraps(in_one_branch)
def wrapped(*inputs):
    return 0.0


class Holder:
    def product(self, a, b):
        return a.sum()


READ = [
    in_a_function_inside, in_a_comprehension, in_one_branch, as_a_default, after_a_failure,
    by_name, whatever, wrapped, np.dot, functools.partial(by_name),
]  # fmt: skip


@pytest.mark.parametrize("function", READ)
def test_parameter_that_may_be_read_is_not_told(function):
    assert unread(function, 2) == ([], [])


def test_only_the_exercises_own_parameters_are_told():
    assert unread(lambda a, b, axis=-1: a @ b, 2) == ([], [])
    assert unread(Holder().product, 2) == (["b"], [])
    assert unread(HostileCall(), 2) == ([], [])


def unwritten(*inputs): ...


def unwritten_too(*inputs):
    return ...


def unpacks(function):
    def self_attention(x, w_query, w_key, w_value):
        query, key, value = function(x, w_query, w_key, w_value)
        return softened(query @ key.T) @ value

    return self_attention


HOLLOW = [
    (SELF, unpacks(unwritten), "What comes back from it is None."),
    (SELF, unpacks(unwritten_too), "What comes back from it is `...`."),
    (AVERAGE, lambda w, v: unwritten(w) @ v, "a matrix product is a single number, or None, at"),
    (SOFTMAX, lambda s: np.exp(unwritten(s)), "What comes back from it is None."),
    (TEMPERED, lambda s, t: unwritten(s) / t, "What comes back from it is None."),
    (TEMPERED, lambda s, t: unwritten(s).sum(), "What comes back from it is None."),
]


@pytest.mark.parametrize(("exercise", "function", "said"), HOLLOW)
def test_calling_a_stub_is_told(exercise, function, said):
    text = str(examine(exercise, function)).replace("\n", " ")
    assert "Does your function call another one that is still a stub, or has no `return`?" in text
    assert said in text


def test_a_line_that_raises_in_another_example_is_told_too():
    # With as many queries as keys the shapes fit; elsewhere the line tells where they do not.
    odd = gone_back(wrong=columns_for_queries_alone)
    text = str(examine(ATTENTION_BACK, odd)).replace("\n", " ")
    assert "your grad_query" in text
    assert "In another example, your function raised ValueError: two sizes in a matrix" in text
    assert "at the line `return gs.swapaxes(-1, -2) @ k, gs @ q, w @ g`. It was called" in text
    assert "another example" not in str(examine(ATTENTION_BACK, gone_back(wrong=untransposed)))


def test_a_scale_of_the_values_width_is_shown_where_the_widths_differ():
    known = {known.name: known for known in ATTENTION_BACK.mistakes}
    for name in ("scale of d_value", "scale of d_value on the way back"):
        text = str(examine(ATTENTION_BACK, known[name].function))
        query, value = (re.search(rf"  {x} += \[(\[.+\])\n", text)[1] for x in ("query", "value"))
        assert len(query.split()) != len(value.split())


def test_letters_of_einsum_are_not_taken_for_a_stub():
    text = str(examine(LINEAR_BACK, rows_by_einsum)).replace("\n", " ")
    assert "raised ValueError" in text
    assert "still a stub" not in text
    assert "`einsum` needs a letter for each axis" in text


def test_shapes_that_do_not_fit_are_told_plainly():
    text = str(examine(SCORES, lambda q, k: q * k[0, :2])).replace("\n", " ")
    assert "raised ValueError: the shapes (2,3) and (2,) do not fit together, at the line" in text


def test_other_exceptions_are_not_taken_for_a_known_one():
    assert examine(SOFTMAX, raising(ValueError("something else"))).mistake is None


def interrupted(a, b):
    while True:
        with contextlib.suppress(ValueError):
            a = a + 1
            signal.raise_signal(signal.SIGINT)


def test_interrupted_function_leaves_a_message():
    report = examine(DOT, interrupted)
    assert report.status == "failed"
    assert "Does it ever return?" in str(report)
    assert "a = [1 2]" in str(report)


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a process")
def test_interrupted_process_goes_on():
    program = textwrap.dedent("""
        from attnlib import check

        def dot_product(a, b):
            print("hidden")
            ready()
            while True:
                pass

        def ready(told=[]):
            import os
            told or os.write(1, b"running\\n")
            told.append(1)

        report = check("dot_product", dot_product)
        print("then", report.status)
    """)
    run = [sys.executable, "-c", program]
    with subprocess.Popen(
        run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert "You stopped the check while your function was still running." in out
    assert out.endswith("then failed\n")


def test_a_number_just_below_1_is_told_apart_from_1():
    known = {mistake.name: mistake for mistake in SAMPLE.mistakes}
    text = str(examine(SAMPLE, known["beyond the last sum, no index"].function))
    assert "Where `u` is shown as 1, it is just below 1." in text
    text = str(examine(SAMPLE, known["1 - u in place of u"].function))
    assert "just below 1." not in text
