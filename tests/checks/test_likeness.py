"""What wrong answers have to do with the right ones is computed, and holds in every example."""

import numpy as np
import pytest

from attnlib.checks.engine import examine
from attnlib.checks.exercise import Case, Exercise, Mistake, Promise
from tests.checks.by_hand import softened
from tests.checks.specs import load


def told(name, function):
    return " ".join(str(examine(load(name), function)).split())


def right(name):
    return load(name).answer


STEPS = [  # what is made of the right answer, and what is told
    (lambda x: 0 * x, "Your numbers are 0, all of them"),
    (lambda x: 3 * x, "Every number of yours is 3 times the expected one."),
    (lambda x: x * x.size, "is 6 times the expected one here; in other examples"),
    (lambda x: x + 2, "Every number of yours is the expected one and 2 more."),
    (lambda x: x + x.mean(), "All numbers of yours are off by the same"),
    (lambda x: -x, "Every number of yours has the wrong sign."),
    (np.abs, "right but for the signs of some of them"),
    (lambda x: np.maximum(x, 0), "or 0 where that is below 0"),
    (np.square, "is the square of the expected one"),
    (lambda x: x[..., ::-1], "the expected ones, in reverse order along the last axis"),
    (lambda x: np.roll(x, 1, -1), "moved on by one place along the last axis"),
    (np.ravel, "the expected ones, in the same order, in another shape"),
    (lambda x: x.T.reshape(x.shape), "in another order. Was an array reshaped where"),
    (np.round, "the expected ones, rounded to whole numbers"),
    (lambda x: x.astype(int), "lost their decimals, because they were stored as whole numbers"),
    (np.trunc, "lost their decimals: were they stored as whole numbers?"),
]


@pytest.mark.parametrize(("change", "said"), STEPS)
def test_what_numbers_have_to_do_with_the_right_ones_is_told(change, said):
    assert said in told("sgd_step", lambda w, g, r: change(w - r * g))


def by_rows(weights, value):
    return weights @ value * np.arange(2, 2 + weights.shape[-2])[:, None]


def reshaped(query, key):
    turned = key.reshape(*key.shape[:-2], key.shape[-1], -1)
    return query @ turned / np.sqrt(query.shape[-1])


def without_bias(x, parameters, n_heads, mask):
    p = parameters | {"bias_network": 0 * parameters["bias_network"]}
    return right("encoder_block")(x, p, n_heads, mask)


def but(name, where):
    """The right answer, but for a part of it."""

    def function(*inputs):
        found = right(name)(*inputs)
        rows, columns = np.indices(found.shape[-2:])
        return found ^ where(rows, columns) if found.dtype == bool else found + where(rows, columns)

    return function


def heads_last(*inputs):
    return np.moveaxis(right("head_contributions")(*inputs), 0, -1)


def lengths(*inputs):
    return np.linalg.norm(right("head_contributions")(*inputs), axis=-1)


def losses(logits, targets):
    rows = np.expand_dims(softened(logits), -2)
    places = np.expand_dims(targets, (-1, -2))
    lost = -np.log(np.take_along_axis(rows, places, axis=-1))[..., 0, 0]
    return lost, right("cross_entropy")(logits, targets)[1]


def of_each(grad_output, x, *weights):
    """The gradients of a network's weights, one for each sentence."""
    if x.ndim == 2:
        return right("network_backward")(grad_output, x, *weights)
    grad_x, *_ = right("network_backward")(grad_output, x, *weights)
    each = [right("network_backward")(g, y, *weights)[1:] for g, y in zip(grad_output, x)]  # noqa: B905
    return grad_x, *map(np.stack, zip(*each))  # noqa: B905


def crossed(*inputs):
    grad_query, grad_key, grad_value = right("attention_backward")(*inputs)
    return grad_query, grad_value, grad_key


OTHERS = [
    ("head_contributions", heads_last, "expected ones, with the axes in another order."),
    ("causal_mask", but("causal_mask", lambda i, j: j == 0), "right but for the first column."),
    ("attention", but("attention", lambda i, j: (i == 0) * (j + 1)), "right but for the first row"),
    ("attention", but("attention", lambda i, j: (i > 0) * (j + 1)), "your rows, the first alone"),
    ("prefix_mask", but("prefix_mask", lambda i, j: i == j), "right but for the diagonal"),
    ("head_contributions", lengths, "Your numbers are the lengths of the expected rows."),
    ("cross_entropy", losses, "In loss, the mean of all of yours is the expected number."),
    ("network_backward", of_each, "In grad_w_up, added up along axis -3, your numbers are the"),
    ("attention_backward", crossed, "Your grad_key and grad_value stand in each other's place."),
    ("softmax", lambda s: np.round(softened(s), 4), "expected ones, rounded to 4 decimals."),
    ("weighted_average", by_rows, "multiplied by a number that differs from row to row"),
    ("dot_product", lambda a, b: a[1:] @ b[1:], "if the first number of `a` were 0: is it left"),
    ("sgd_step", lambda w, g, r: w - r**2 * g, "what is expected if `rate` were squared"),
    ("sgd_step", lambda w, g, r: w - 2 * r * g, "if `rate` were twice as large"),
    ("weighted_average", lambda w, v: w[..., ::-1] @ v, "`weights` had its last axis in reverse"),
    ("scaled_scores", reshaped, "the numbers of `key` stood in another order: is it reshaped"),
    ("encoder_block", without_bias, "if `parameters['bias_network']` were 0: is it left out?"),
    ("rotate", lambda x, at: right("rotate")(x, at - at[:1]), "`positions` were counted from the"),
    ("project_qkv", lambda x, q, k, v: (x @ q, -(x @ k), x @ v), "In key, every number of yours"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "function", "said"), OTHERS)
def test_what_an_answer_would_be_right_for_is_told(name, function, said):
    assert said in told(name, function)


def off(x):
    """Wrong where row and column have the same number."""
    return x + np.eye(*x.shape[-2:]) * np.arange(2, 2 + x.shape[-2])[:, None]


def test_of_an_array_without_a_diagonal_none_is_told():
    def keys(*inputs):
        written, keys, values = right("generate")(*inputs)
        return written, off(keys), values

    assert "diagonal" not in told("generate", keys)
    for shape in ((4, 4), (4, 2)):  # without names, sizes decide
        exercise = small(lambda x: x, lambda x: -x, np.arange(2.0, 6)[:, None] * np.ones(shape), [])
        assert ("diagonal" in str(examine(exercise, off))) == (shape == (4, 4))


def test_of_an_array_that_is_right_in_the_shown_example_nothing_is_told():
    def function(*inputs):
        """Wrong in grad_gain, and in a batch, in grad_bias, too."""
        grad_x, grad_gain, grad_bias = right("layer_norm_backward")(*inputs)
        by_sentence = inputs[0].sum(axis=-2) if inputs[0].ndim > 2 else grad_bias
        return grad_x, grad_gain**2 + 1, by_sentence

    text = told("layer_norm_backward", function)
    assert "your grad_gain" in text
    assert "In grad_bias" not in text


def test_a_factor_of_the_shown_example_alone_is_not_told():
    """The rows of mean_pool's example are multiples of each other, and so is much that is wrong."""

    def first(x, mask):
        return x[..., 0, :]

    text = told("mean_pool", first)
    assert "times the expected one" not in text
    assert "factor" not in text


def test_of_zeros_no_lost_decimals_are_told():
    text = told("layer_norm", lambda x, gain, bias, eps: np.zeros_like(x))
    assert "decimals" not in text
    assert "Your numbers are 0, all of them" in text


def test_another_answer_to_the_same_inputs_is_told():
    seen = []

    def growing(x, w):
        seen.append(x)
        return right("projection")(x, w) + len(seen)

    text = told("projection", growing)
    assert "Called with the same inputs again, your function gave another answer." in text
    assert "Does your function remember an earlier call" in text


def test_what_the_shown_example_breaks_is_not_already_right():
    def cut(scores):
        """Right but for a score of -inf beside a finite one, where rows sum to more than 1."""
        return softened(scores) + (1.0 * np.isneginf(scores) if np.isneginf(scores).any() else 0)

    text = told("softmax", cut)
    assert "Already right" in text
    assert "rows sum to 1" not in text
    assert "no weight is negative" in text


def test_of_a_function_that_remembers_nothing_is_said_to_hold():
    kept = []

    def remembering(x, w_query, w_key, w_value):
        kept.append(x.shape == (2, 1))
        return right("self_attention")(x, w_query, w_key, w_value) + sum(kept)

    text = told("self_attention", remembering)
    assert "gave another answer" in text
    assert "Already right" not in text
    assert "any sizes" not in text


def test_of_an_array_of_another_shape_nothing_is_said_to_hold():
    def stretched(grad_y, x, w):
        return grad_y @ w.T, x.swapaxes(-1, -2) @ grad_y

    text = told("linear_backward", stretched)
    assert "grad_x is the slope" in text
    assert "grad_w is the slope" not in text


def test_of_short_vectors_nothing_is_said_to_hold():
    text = told("projection", lambda a, onto: a @ onto / (onto @ onto + 1e-8) * onto)
    assert "short and long vectors" in text
    assert "perpendicular" not in text


def test_what_the_right_answer_breaks_too_is_not_already_right():
    def colder(scores, temperature):
        return softened(scores / max(temperature, 0.1))

    text = told("softmax_with_temperature", colder)
    assert "rows sum to 1" in text
    assert "lowers each row's largest weight" not in text


def test_of_whole_numbers_no_overflow_is_denied():
    def overflowing(scores, u):
        e = np.exp(scores)
        places = np.cumsum(e / e.sum(axis=-1, keepdims=True), axis=-1) <= u[..., None]
        return np.minimum(places.sum(axis=-1), scores.shape[-1] - 1)

    text = told("sample", overflowing)
    assert "nothing overflows" not in text
    assert "adding a number to a row" not in text


def test_a_mistake_is_not_named_by_nan_alone():
    def by_mean(scores):
        e = np.exp(scores - scores.mean())
        return e / e.sum(axis=-1, keepdims=True)

    report = examine(load("softmax"), by_mean)
    assert report.mistake is None
    assert "`np.exp` overflows above 709" in " ".join(str(report).split())
    unshifted = examine(load("softmax"), lambda s: np.exp(s) / np.exp(s).sum(-1, keepdims=True))
    assert unshifted.mistake == "no max shift"


def small(answer, wrong, plain, promised):
    """An exercise of one known mistake, with one plain example and one promise."""
    promise = Promise("more is right", "Look again.")
    return Exercise(
        answer=answer,
        cases=lambda: [Case("a plain example is right", (np.array(plain),))],
        promises=lambda: {promise: [(np.array(x),) for x in promised]},
        mistakes=(Mistake("the known one", wrong, "You did that.", "Do not."),),
    )


def test_a_mistake_is_not_named_where_promises_examples_differ_from_it():
    exercise = small(lambda x: x, lambda x: x**2, [2.0, 0.0], [[3.0, 5.0], [1.5, 0.0]])
    assert examine(exercise, lambda x: x**2).mistake == "the known one"
    assert examine(exercise, lambda x: 2 * x).mistake is None


def test_two_overflows_are_told_apart_on_the_way_there():
    def unshifted(x, by=0.0):
        e = np.exp(x - by)
        return e / e.sum()

    exercise = small(lambda x: softened(x), unshifted, [1.0, 3.0], [[1000.0, 1.0]])
    assert examine(exercise, lambda x: unshifted(x)).mistake == "the known one"
    assert examine(exercise, lambda x: unshifted(x, by=100.0)).mistake is None


def test_a_mistake_that_a_promises_example_contradicts_is_not_named():
    exercise = load("distance_attention")

    def narrow(query, key, value, width):
        return exercise.answer(query, key, value, min(width, 1.0))

    assert examine(exercise, narrow).mistake is None
    ignored = lambda query, key, value, width: exercise.answer(query, key, value, 1.0)  # noqa: E731
    assert examine(exercise, ignored).mistake == "width ignored"


def test_what_is_too_large_to_show_is_in_the_report():
    exercise = load("network_backward")
    report = examine(exercise, lambda *inputs: exercise.answer(*inputs)[:3])
    assert len(report.inputs) == len(exercise.parameters)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(report.inputs, exercise.all_cases()[0].inputs, strict=True)
    )
    report.inputs[0][...] = 0  # a copy: nothing of the check's own is written into
    assert exercise.all_cases()[0].inputs[0].any()


def test_small_parameters_are_shown_number_by_number():
    text = str(examine(load("encoder_block"), lambda x, p, h, m: x))
    for name in load("encoder_block").all_cases()[0].inputs[1]:
        assert f"parameters[{name!r}]" in text
    assert ".inputs" not in text


D_KEY, ROWS, pi = 5, np.ones((2, 3)), np.pi


def of_the_notebook(query, key):
    return np.array([q @ key.T / D_KEY for q in query]) * pi


def test_a_number_of_the_notebook_is_told():
    text = told("scaled_scores", of_the_notebook)
    assert "Your function reads `D_KEY` (5) from outside, which is none of its inputs." in text
    assert "`pi`" not in text
    assert "reads `ROWS` (an array of shape (2, 3)) from outside" in told(
        "projection", lambda x, w: x @ w + ROWS.sum()
    )
