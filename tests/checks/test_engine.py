"""Whatever a learner hands in, a report comes back that helps."""

import functools
import re
import subprocess
import sys

import numpy as np
import pytest

from attnlib.checks import check, find
from attnlib.checks.engine import examine
from attnlib.checks.exercises.dot_product import EXERCISE as DOT
from attnlib.checks.exercises.masked_attention import EXERCISE as MASKED
from attnlib.checks.exercises.merge_heads import EXERCISE as MERGE
from attnlib.checks.exercises.padding_mask import EXERCISE as PADDING
from attnlib.checks.exercises.project_qkv import EXERCISE as PROJECT
from attnlib.checks.exercises.scaled_scores import EXERCISE as SCORES
from attnlib.checks.exercises.self_attention import EXERCISE as SELF
from attnlib.checks.exercises.sgd_step import EXERCISE as STEP
from attnlib.checks.exercises.softmax import EXERCISE as SOFTMAX
from attnlib.checks.exercises.split_heads import EXERCISE as SPLIT
from attnlib.checks.report import numbers
from tests.checks.by_hand import softened
from tests.checks.hostile import Hostile, HostileCall, HostileTuple, SilentError


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
    said = "`query @ key`: (2, 3) meets (5, 3); the last axis of the left must be as long as the "
    assert said + "second to last of the right, and 3 is not 5, at the line" in text
    assert "at the line `return query @ key / np.sqrt(3)`" in text
    assert "It was called with query (2, 3) and key (5, 3)." in text


def words(text):
    return lambda a, b: text


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
    assert "NumPy has tools for whole arrays: its own `max` finds the largest of each row" in text
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
    assert "Hint:" not in text
    assert 'More help: `hint("split_heads", 2)`' in text


def test_a_promise_that_does_not_hold_is_told_with_its_hint():
    def by_mean(scores):
        e = np.exp(scores - scores.mean(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    text = str(examine(SOFTMAX, by_mean)).replace("\n", " ")
    assert (
        "the exercise asks for more: large scores are right. Here that does not hold yet." in text
    )
    assert "Subtract from each row its own largest score" in text


def test_an_empty_list_is_an_empty_answer():
    def listed(scores):
        return softened(scores).tolist()

    assert examine(SOFTMAX, listed).remarks == ()


def test_what_goes_wrong_with_an_empty_batch_is_a_remark():
    lost = examine(SOFTMAX, lambda s: softened(s) if s.size else np.zeros(0))
    assert lost.status == "passed"
    said = (
        "With an empty batch, your answer has shape (0,), where shape (0, 5) is expected. "
        "The exercise does not ask for that, so your function is right all the same."
    )
    assert lost.remarks == (said,)
    joined = examine(MERGE, lambda h: h.swapaxes(-3, -2).reshape(*h.shape[:-3], h.shape[-2], -1))
    assert "nothing says what -1 stands for in (0,7,-1)" in joined.remarks[0]


def test_remarks_stand_below_the_facts_in_text_and_html_and_there_are_mostly_none():
    def only_so_far(scores):
        if not scores.size:
            raise ValueError("nothing came in")
        return softened(np.clip(scores, -1e5, 1e5))

    report = examine(SOFTMAX, only_so_far)
    first = "One more thing: with scores of two million, your answer is another one"
    facts, _, rest = str(report).replace("\n", " ").partition(first)
    assert "✓ the inputs stay unchanged" in facts
    assert "And: with an empty batch, your function raised ValueError: nothing came in" in rest
    assert len(report.remarks) == 2
    assert first in report._repr_html_()
    plain = examine(SOFTMAX, softened)
    assert (plain.remarks, "One more thing" in str(plain)) == ((), False)


def test_nothing_is_tried_for_a_remark_while_something_is_wrong():
    seen = []

    def noted(scores):
        seen.append(scores.size)
        return np.exp(scores)

    assert examine(SOFTMAX, noted).remarks == ()
    assert 0 not in seen


def test_a_remark_never_makes_a_right_function_wrong():
    def silent(scores):
        return softened(scores) if scores.size else None

    def patient(scores):
        if not scores.size:
            raise KeyboardInterrupt
        return softened(scores)

    for function, said in (
        (silent, "your function returned nothing"),
        (patient, "your function was still running when you stopped it"),
        (lambda s: softened(s) if s.size else ..., "your function returned nothing"),
        (lambda s: softened(s) if s.size else "none", "your function returned"),
        (
            lambda s: softened(s) if np.abs(s[s > -np.inf]).max(initial=0) < 1e5 else s / 0,
            "is not finite",
        ),
    ):
        report = examine(SOFTMAX, function)
        assert report.status == "passed"
        assert said in report.remarks[0]


def test_what_is_wrong_without_leading_axes_is_not_told_to_be_about_them():
    def twice_wrong(scores):
        level = scores.shape == (2, 5) and not scores.any()
        return softened(scores) + 0.1 * (scores.shape == (5,) or level)

    cases = [case.inputs[0] for case in SOFTMAX.all_cases() if case.promise is not None]
    wrong = [x.shape for x in cases if not np.allclose(twice_wrong(x), softened(x))]
    assert wrong == [(5,), (2, 5)], "the smaller one is of leading axes"
    text = " ".join(str(examine(SOFTMAX, twice_wrong)).split())
    assert "asks for more: equal scores get equal weights." in text


def test_a_finite_answer_is_told_of_no_overflow():
    def cut(query, key, value):
        scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
        return softened(np.clip(scores, -30, 30)) @ value

    text = " ".join(str(examine(find("attention"), cut)).split())
    assert "large scores are right. Here that does not hold yet." in text
    assert "Your numbers stay finite there, so nothing overflows." in text
    assert "overflows above 709" not in text


def test_two_odd_answers_are_not_taken_for_one_another():
    exercise = find("adam_step")

    def in_one(*inputs):
        found = np.empty(3, dtype=object)
        found[:] = exercise.answer(*inputs)
        return found

    assert examine(exercise, in_one).mistake is None
    assert examine(exercise, lambda *inputs: np.stack(exercise.answer(*inputs))).mistake is None
    alone = examine(exercise, lambda *inputs: exercise.answer(*inputs)[0])
    assert alone.mistake == "w alone"


def test_arrays_one_by_one_are_counted():
    def endless_arrays(x, *matrices):
        while True:
            yield x

    text = str(examine(PROJECT, endless_arrays)).replace("\n", " ")
    assert "returned more than 3 things, where 3 arrays are expected" in text


def test_hostile_objects_do_no_harm():
    assert examine(DOT, lambda a, b: Hostile()).status == "failed"
    assert examine(DOT, Hostile()).status == "failed"
    assert examine(DOT, HostileCall()).status == "failed"
    assert examine(PROJECT, lambda *inputs: HostileTuple()).status == "failed"
    assert examine(DOT, functools.partial(lambda c, a, b: a @ b, 0)).status == "passed"


def test_truncated_answers_are_told():
    text = str(examine(SOFTMAX, lambda s: SOFTMAX.answer(s).astype(int)))
    assert "Your numbers lost their decimals" in text


def test_small_numbers_are_shown_and_what_is_made_0_of_them_did_not_lose_decimals():
    text = str(examine(DOT, lambda a, b: 0.0 if abs(a @ b) < 1e-4 else a @ b))
    shown = [line for line in text.splitlines() if line.startswith(("  a ", "  b "))]
    assert len(shown) == 2
    assert all(re.search(r"0\.00[01]", line) for line in shown)  # and not a row of zeros
    assert "decimals" not in text


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
    assert "Your function changed its input `w` in place." in text
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


def test_shapes_that_do_not_fit_are_told_plainly():
    text = str(examine(SCORES, lambda q, k: q * k[0, :2])).replace("\n", " ")
    assert "ValueError: `q * k[0, :2]`: (2, 3) meets (2,); counted from the end, 3 meets 2" in text


def test_other_exceptions_are_not_taken_for_a_known_one():
    assert examine(SOFTMAX, raising(ValueError("something else"))).mistake is None


def test_without_docstrings_explanations_are_there():
    program = """
import attnlib, numpy as np
print(attnlib.check.__doc__)
attnlib.check("softmax", lambda scores: np.exp(scores) / np.exp(scores).sum())
attnlib.solution("softmax")
"""
    command = [sys.executable, "-OO", "-c", program]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert text.startswith("None\n")
    assert "You normalised over the whole array" in text
    assert "Why: Exponentials are positive" in text


def test_plural_names_have_a_shape():
    text = str(examine(find("decode_step"), lambda q, k, v, keys, values: (v, k, values)))
    assert "Your keys have shape" in text
    text = str(examine(find("cross_entropy"), lambda logits, targets: (0.0, targets)))
    assert "Your grad_logits has shape" in text


def test_a_number_near_0_is_not_shown_as_0():
    assert numbers(np.array(1e-12), 4) == "1e-12"
    assert numbers(np.array(0.0), 4) == "0"
    assert numbers(np.array([1e-12, 1.0]), 4) == "[0 1]"


def test_parameters_in_another_order_are_told():
    def cached(query, key, value, keys, values):
        return query[:1] + value[:1], np.concatenate([keys, key[..., None, :]], axis=-2), values

    text = " ".join(str(examine(find("cached_attention"), cached)).split())
    assert "Your parameters are (query, key, value, keys, values), and the inputs come in" in text
    assert "Write the parameters in the order in which the task names them." in text
    text = str(examine(find("cached_attention"), lambda query, keys, values, key, value: keys))
    assert "in another order" not in text
