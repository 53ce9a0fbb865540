"""What a learner's function raises is told as what it is, and a mistake is named on evidence."""

import inspect
import re
from dataclasses import replace

import numpy as np
import pytest

from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.exercise import Promise
from attnlib.checks.raised import unfitting
from attnlib.checks.raised.failing import Failure, failure
from tests.checks.by_hand import softened
from tests.checks.specs import NAMES, load


def told(name, function):
    return str(examine(load(name), function)).replace("\n", " ")


def misspelt(scores):
    e = np.exp(socres)  # noqa: F821
    return e / e.sum()


def without_width(query, key):
    return query @ key.T / np.sqrt(d_key)  # noqa: F821


def of_no_matrix(x, w_query, w_key, w_value):
    return x @ w_query, x @ w_key, value  # noqa: F821


def unbound(a, b):
    for i in range(len(a)):
        total += a[i] * b[i]  # noqa: F821
    return total


def own_sum(a, b):
    sum = sum(a * b)  # noqa: F823
    return sum


def by_key(x, w_query, w_key, w_value):
    made = {"query": x @ w_query, "key": x @ w_key, "value": x @ w_value}
    return made["qeury"], made["key"], made["value"]


NAMES_AND_USES = [
    ("softmax", misspelt, "there is no `socres`, at the line `e = np.exp(socres)", "`scores`?"),
    ("scaled_scores", without_width, "there is no `d_key`", "Where does it get its value?"),
    ("project_qkv", of_no_matrix, "there is no `value`", "Where does it get its value?"),
    ("dot_product", lambda a, b: sqrt(a @ b), "no `sqrt`", "Did you mean `np.sqrt`?"),  # noqa: F821
    ("dot_product", lambda a, b: torch.dot(a, b), "no `torch`", "not been imported"),  # noqa: F821
    ("dot_product", unbound, "`total` is read before it has a value", "its first value?"),
    ("dot_product", own_sum, "`sum` is read before it has a value", "is a variable of its own"),
    ("dot_product", lambda a, b: np.dott(a, b), "`np` has no `dott`", "`np.dot`"),
    ("dot_product", lambda a, b: np.sqr(a), "no `sqr`", "`np.sqrt` or `np.square`?"),
    ("dot_product", lambda a, b: np.norm(a), "no `norm`", "Did you mean `np.linalg.norm`?"),
    ("softmax", lambda s: s.exp(), "`s` is an array of shape (2, 3), which has no `exp`", "`np.e"),
    ("softmax", lambda s: s.unsqueeze(0), "no `unsqueeze`", "NumPy says `np.expand_dims`."),
    ("softmax", lambda s: s.sum(dim=-1), "`s.sum(dim=-1)` has no option `dim`", "says `axis`."),
    ("softmax", lambda s: sum(s, axis=-1), "no option `axis`", "NumPy's has it: `np.sum`."),
    ("project_qkv", by_key, "there is no 'qeury' in `made`", "Did you mean 'query'?"),
    ("softmax", lambda s: s.shape(0), "`s.shape` is a tuple, and round brackets", "Square br"),
    ("softmax", lambda s: np.exp[s], "`np.exp` is a function, and square", "Round brackets call"),
    ("softmax", lambda s: s / s.shape[2], "`s.shape[2]`: (2, 3) has 2 entries", ""),
    ("softmax", lambda s: s.max(axis=2), "has 2 axes, 0 to 1, and no axis 2", ""),
    ("softmax", lambda s: np.zeros(2, 3) + s, "a shape of several sizes goes in brackets", ""),
    ("dot_product", lambda a, b: a[: len(a) / 1], "a whole number is needed", "`/` gives one"),
    ("split_heads", lambda x, n: x.reshape(n, 4), "shape (2, 15) holds 30 numbers, and (3, 4)", ""),
    ("split_heads", lambda x, n: x.reshape(..., n, 5), "`...` stands for axes between square", ""),
    ("dot_product", lambda a, b: sum(a[i] for i in a), "an index counts places", "run over"),
]


@pytest.mark.parametrize(("name", "function", "said", "asked"), NAMES_AND_USES)
def test_an_error_of_a_name_or_a_use_is_told_as_what_it_is(name, function, said, asked):
    text = told(name, function)
    assert said in text
    assert asked in text
    assert examine(load(name), function).mistake is None
    assert "still a stub" not in text


def test_where_the_words_say_all_nothing_else_is_hinted_at():
    assert "never uses" not in told("softmax", misspelt)  # the name that was meant
    assert "Hint:" not in told("dot_product", unbound)
    assert "Did you mean `np.arange`? " in told("padding_mask", lambda x, n: np.arrange(n) < x)


PRODUCTS = [
    (lambda w, v: w @ v.T, "`w @ v.T`: (2, 3) meets (5, 3); the last axis of the left must be as "
     "long as the second to last of the right, and 3 is not 5", "transposed that should not be?"),
    (lambda w, v: w[:, None] @ v[1:], "(2, 1, 3) meets (2, 5)", ""),
    (lambda w, v: v @ np.ones(3), "(3, 5) meets (3,)", "the only one of the right"),
    (lambda w, v: (2 * w) @ w, "`(2 * w) @ w`: (2, 3) meets (2, 3)", "Is one of the two to be"),
    (lambda w, v: 3 @ v, "() meets (3, 5); `@` takes arrays", ""),
    (lambda w, v: w * v, "(2, 3) meets (3, 5); counted from the end, 3 meets 5 in the last axis",
     "Is a matrix product meant, `@`?"),
    (lambda w, v: w / w.sum(axis=1), "(2, 3) meets (2,)", "Has (2,) lost an axis on the way"),
    (lambda w, v: np.einsum("nm,dm->nd", w, v), "`m` stands for 3 and for 5", ""),
    (lambda w, v: softened(w).T @ v, "last axis of the left has length 2, and the second", ""),
]  # fmt: skip


@pytest.mark.parametrize(("function", "said", "asked"), PRODUCTS)
def test_shapes_that_met_are_told_with_what_they_should_be(function, said, asked):
    text = told("weighted_average", function)
    assert said in text
    assert asked in text


def test_of_a_batch_that_is_turned_whole_the_last_two_axes_are_asked_for():
    assert "`.T` reverses all axes." in unfitting.asked((3, 1, 5), (5, 8, 3), "query @ keys.T")
    assert "transposed that should not" in unfitting.asked((2, 3), (3, 8, 3), "query.T @ keys")
    text = told("scaled_scores", lambda q, k: q @ k.swapaxes(0, 1) / np.sqrt(k.shape[-1]))
    assert "`swapaxes(0, 1)` counts axes from the front." in text


def test_of_several_arrays_the_one_that_lacks_an_axis_is_told():
    def joined(query, key, value, keys, values):
        return query, np.concatenate([key, keys], axis=-2), values

    text = told("decode_step", joined)
    assert "an array of shape (2,) has 1 axis, number 0, and no axis -2" in text


def test_two_products_are_no_like_failures_by_two_lengths_alone():
    def of(*sides, known=False):
        return Failure("ValueError", "@", "a @ b", sides, known, "size 3 is different from 4")

    assert not of(None, None).like(of((2, 4), (3, 4), known=True))
    assert not of(None, (3, 5)).like(of((2, 4), (3, 4), known=True))
    assert of(None, (3, 4)).like(of((2, 4), (3, 4), known=True))


def test_nothing_is_asked_about_an_order_of_axes():
    # It may have turned one axis, all of them, or none.
    text = told("weighted_average", lambda w, v: w @ v.transpose(0, 1).transpose())
    assert "(2, 3) meets (5, 3)" in text
    assert "transposed" not in text


def through(scores):
    """A right step, whose result the check cannot know without calling it again."""
    through.calls += 1
    return scores


def test_nothing_of_the_learners_is_called_a_second_time():
    through.calls = 0
    outcome = call(lambda q, k: through(q) @ k, (np.ones((2, 3)), np.ones((5, 3))))
    assert through.calls == 1
    assert "has length 3, and the second to last of the right 5" in outcome.words


def test_a_function_without_its_source_is_told_in_numpys_words():
    names = {"np": np}
    exec("def softmax(scores):\n    return scores @ scores", names)
    text = told("softmax", names["softmax"])
    assert "the last axis of the left has length 3, and the second to last of the right 2" in text


def no_names_at_all(x):
    return x @ x.T / np.linalg.norm(x, axis=1)[:, None] @ np.linalg.norm(x, axis=1)[None, :]


def loops_over_queries(query, key, value):
    return softened(np.array([q * key for q in query[:, :2]])) @ value


# Each was told the first known mistake that raises anything at all.
UNNAMED = [
    ("weighted_average", lambda w, v: w * v),
    ("weighted_average", lambda w, v: np.average(v, axis=0, weights=w)),
    ("cosine_similarity", no_names_at_all),
    ("project_qkv", lambda x, q, k, v: (x * q, x * k, x * v)),
    ("project_qkv", lambda x, q, k, v: np.split(x @ np.hstack([q, k, v]), 3, axis=-1)),
    ("attention", lambda q, k, v: softened(np.einsum("qd,dk->qk", q, k)) @ v),
    ("attention", loops_over_queries),
    ("self_attention", lambda x, q, k, v: softened((q @ x) @ (x @ k).T) @ (x @ v)),
    ("padding_mask", lambda lengths, n: [[[True] * int(m)] for m in lengths] + np.zeros(n)),
    ("multi_head_attention", lambda x, q, k, v, o, n: (x.reshape(n, -1, 2) @ q) @ o),
    ("mutual_best", lambda w, back: w == w.max(axis=1)),
    ("score_spread", lambda q, k: np.std(q.T @ k)),
    ("softmax_backward", lambda g, w: w * (g - w @ g)),
]


@pytest.mark.parametrize(("name", "function"), UNNAMED)
def test_another_failure_is_no_known_mistake(name, function):
    report = examine(load(name), function)
    assert (report.status, report.mistake) == ("failed", None), str(report)


def row_of_scores(query, key):
    return np.array([[q @ k for k in key] for q in query]) / np.sqrt(query.shape[-1])


def test_what_fails_with_batch_axes_alone_is_told_as_that():
    text = told("scaled_scores", row_of_scores)
    assert "right for the plain examples, but the exercise asks for more: works with lead" in text
    assert "`q @ k`: (5, 13) meets (7, 13)" in text
    assert "asks for more" not in told("scaled_scores", lambda q, k: row_of_scores(q, k) * 2)


X, Y = np.ones((4, 3)), np.ones((5, 2))


def beside_one_of_its_name():
    p = X
    return {i: p @ q for i, p in enumerate(p) for q in Y}


IN_BRACKETS = [
    (lambda: [[p @ q for p in X] for q in Y], "p @ q", ((3,), (2,))),
    (lambda: [p @ q for p, q in zip(X, Y, strict=False)], "p @ q", ((3,), (2,))),
    (lambda: [q for p in X if p @ Y[0] for q in p], "p @ Y[0]", ((3,), (2,))),
    (lambda: [p for p in X @ Y for q in Y], "X @ Y", ((4, 3), (5, 2))),
    (lambda: sum(p @ q for p in X for q in Y), "p @ q", ((3,), (2,))),
    (lambda: [(lambda r: r @ p)(X[0]) for p in Y], "r @ p", ((3,), (2,))),
    (beside_one_of_its_name, "p @ q", ((3,), (2,))),
]


@pytest.mark.parametrize(("function", "text", "met"), IN_BRACKETS)
def test_what_brackets_bind_is_known_though_it_is_gone(function, text, met):
    """From Python 3.12 on a comprehension has no frame of its own."""
    with pytest.raises(ValueError, match="matmul") as caught:
        function()
    found = failure(caught.value)
    assert (found.text, found.sides) == (text, met)


def test_of_two_mistakes_that_fail_alike_none_is_named():
    exercise = load("scaled_scores")
    one = next(known for known in exercise.mistakes if known.name == "key not transposed")
    both = replace(exercise, mistakes=(one, replace(one, name="another")))
    plain = lambda q, k: q @ k  # noqa: E731
    assert examine(exercise, plain).mistake == one.name
    assert examine(both, plain).mistake is None
    once = lambda q, k: q @ k if q.shape == (2, 3) else q @ k.swapaxes(-1, -2)  # noqa: E731
    assert examine(exercise, once).mistake == one.name
    assert examine(both, once).mistake is None


def of_query_and_key(name):
    return re.search(r"key\.(T\b|swapaxes)", inspect.getsource(load(name).solution))


def test_key_not_transposed_is_known_wherever_a_query_meets_a_key():
    meet = [name for name in NAMES if of_query_and_key(name)]
    known = [n for n in NAMES if "key not transposed" in [m.name for m in load(n).mistakes]]
    assert meet
    assert {*meet} <= {*known}


def untransposed(query, key, value):
    scores = query @ key
    e = np.exp(scores)  # two mistakes more: neither scale nor sum
    return e @ value


def test_of_two_mistakes_the_first_is_told():
    report = examine(load("attention"), untransposed)
    assert report.mistake == "key not transposed"
    assert "Which of the two" not in str(report), "its sentence says so already"


CODE = re.compile(r"`([^`]*\w[^`]*[(=\[][^`]*)`")


@pytest.mark.parametrize("name", NAMES)
def test_a_report_gives_the_idea_and_leaves_the_code_to_the_second_hint(name):
    exercise = load(name)
    body = "".join(inspect.getsource(exercise.solution).split())
    hints = [known.hint for known in exercise.mistakes] + [
        p.hint for p in exercise.promises() if isinstance(p, Promise)
    ]
    quoted = [code for text in [*hints, exercise.hints[0]] for code in CODE.findall(text)]
    assert not [code for code in quoted if "".join(code.split()).strip(".") in body]
