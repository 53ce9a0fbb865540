"""Back through the network of a block, which was added to what went in."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import (
    Case,
    Exercise,
    Fact,
    Promise,
    close,
    direction,
    mistake,
    wrongly_set,
)
from attnlib.checks.exercises.linear_backward import answer as linear_backward
from attnlib.checks.exercises.linear_backward import one_after_another
from attnlib.checks.shapes import Shapes

SUMMED = Promise(
    "leading axes of any number are summed into the network's gradients",
    "There is one network for all rows, so each row adds its share to the gradients of w_up, b_up "
    "and w_down. To these sums a batch of sentences is one long list of rows.",
)

SHUT = Promise(
    "where the ReLU is given exactly 0, nothing comes back",
    "It gives 0 there, so nothing comes back: ask whether what it is given is above 0. A row of "
    "zeros and a bias that begins with zeros meet it at 0 exactly.",
)

SHAPES = Shapes(
    "(..., d_model), (..., d_model), (d_model, d_hidden), (d_hidden), (d_hidden, d_model) "
    "-> (..., d_model), (d_model, d_hidden), (d_hidden), (d_hidden, d_model)"
)


def network_backward(grad_output, x, w_up, b_up, w_down):
    """Go back through w_down, through the zeros of the ReLU, and through w_up.

    Where the ReLU gave 0, a small step of what came in changes nothing, so nothing comes back.
    The network was added to x: what comes back reaches x by the network, and also past it.
    """
    raw = x @ w_up + b_up  # (..., d_hidden)
    hidden = np.maximum(raw, 0)
    grad_raw = (grad_output @ w_down.T) * (raw > 0)  # (..., d_hidden)
    grad_x = grad_output + grad_raw @ w_up.T  # (..., d_model): past the network, and through it

    def rows(a):
        return a.reshape(-1, a.shape[-1])  # of all sentences

    grad_w_up = rows(x).T @ rows(grad_raw)  # (d_model, d_hidden)
    grad_w_down = rows(hidden).T @ rows(grad_output)  # (d_hidden, d_model)
    return grad_x, grad_w_up, rows(grad_raw).sum(axis=0), grad_w_down


def answer(grad_output, x, w_up, b_up, w_down):
    """Give what is right, by which answers are judged."""
    hidden = np.maximum(x @ w_up + b_up, 0)
    grad_hidden, grad_w_down = linear_backward(grad_output, hidden, w_down)
    return behind(grad_hidden * (hidden > 0), grad_w_down, grad_output, x, w_up)


def behind(grad_raw, grad_w_down, grad_output, x, w_up):
    """Go on from the gradient of what the ReLU was given."""
    grad_x, grad_w_up = linear_backward(grad_raw, x, w_up)
    return grad_output + grad_x, grad_w_up, by_column(grad_raw), grad_w_down


def by_column(grad):
    """Add up all rows."""
    return grad.reshape(-1, grad.shape[-1]).sum(axis=0)


def cases():
    """Two words by hand; a wide network; a narrow one; a square one; a batch."""
    given = SHAPES.given(np.random.default_rng(40), usual)
    grad_output = np.array([[1.0, -1, 2], [0, 3, 1]])
    x = np.array([[1.0, 2, 0], [0, 1, -1]])
    w_up = np.array([[1.0, 0, -1, 2], [0, 1, 1, -2], [1, 0, 0, 1]])
    b_up = np.array([0.5, -1.5, 0.5, 0.5])
    w_down = np.array([[1.0, 0, 2], [0, 1, 0], [-1, 1, 0], [0, 2, 1]])
    yield Case("the small example is right", (grad_output, x, w_up, b_up, w_down))
    yield Case("a wide network is right", given((7,), d_model=5, d_hidden=11))
    yield Case("a narrow network is right", given((11,), d_model=7, d_hidden=3))
    yield Case("square matrices are right", given((7,), d_model=5, d_hidden=5))
    yield Case("a batch is summed into the network's", given((2, 3), d_model=5, d_hidden=7))


def usual(grad_output, x, w_up, b_up, w_down):
    """Let matrices keep the spread of what they multiply, and no sum be near the kink at 0."""
    w_up = w_up / np.sqrt(len(w_up))
    raw = x @ w_up + b_up
    near = np.abs(raw).reshape(-1, len(b_up)).min(axis=0, initial=1) < 0.02
    return grad_output, x, w_up, np.where(near, b_up + 5, b_up), w_down / np.sqrt(len(w_down))


def promised():
    """Give the inputs that hold an answer to each promise."""
    given = SHAPES.given(np.random.default_rng(140), usual)
    inputs = given((7,))
    grad_output, x, w_up, b_up, w_down = given((3,), d_model=5, d_hidden=7)
    x, b_up = np.where(np.arange(3)[:, np.newaxis] == 1, 0.0, x), b_up * (np.arange(7) % 3 > 0)

    shapes = promises.of_shapes(SHAPES, given)
    return {
        SUMMED: shapes.pop(promises.LEADING),
        SHUT: [
            (grad_output, x, w_up, b_up, w_down),
            (grad_output, 0 * x, w_up, 0 * b_up, w_down),
        ],
        **one_after_another(inputs, (0, 4)),
        **shapes,
    }


def turned(
    grad_output, x, w_up, b_up, w_down, *,
    past=np.positive, gate=lambda back, raw: back * (raw > 0), of_up=lambda through, back: through,
    of_bias=lambda through, back: by_column(through), of_down=lambda raw: np.maximum(raw, 0),
):  # fmt: skip
    """Go back with knobs, each of which can be set wrong."""
    raw, back = x @ w_up + b_up, grad_output @ w_down.T
    through = gate(back, raw)
    grad_x, grad_b_up = past(grad_output) + through @ w_up.T, of_bias(through, back)
    _, grad_w_up = linear_backward(of_up(through, back), x, w_up)
    _, grad_w_down = linear_backward(grad_output, of_down(raw), w_down)
    return grad_x, grad_w_up, grad_b_up, grad_w_down


one_way = wrongly_set(
    turned,
    "the way past the network forgotten",
    "You went back through the network alone, and x was also handed on past it.",
    "The network was added to x. So a step of x reaches the output by two ways, and what comes "
    "back by them adds up.",
    past=np.zeros_like,
)

no_gate = wrongly_set(
    turned,
    "ReLU forgotten",
    "You let everything back through the ReLU, but where it gave 0 nothing comes back.",
    "Below 0 a small step changes nothing. Multiply by where what came in was above 0.",
    gate=lambda back, raw: back,
)

gate_of_gradient = wrongly_set(
    turned,
    "ReLU of the gradient",
    "You cut off the gradients below 0, where the numbers that came in decide.",
    "A gradient may have either sign. What matters is whether the way there was open: what the "
    "ReLU was given, above 0.",
    gate=lambda back, raw: np.maximum(back, 0),
)

by_its_output = wrongly_set(
    turned,
    "multiplied by what the ReLU gave",
    "You multiplied by what the ReLU gave, and its slope is 1 there, however large that is.",
    "Above 0 a step comes through as it is. Multiply by True or False.",
    gate=lambda back, raw: back * np.maximum(raw, 0),
)


by_its_input = wrongly_set(
    turned,
    "multiplied by what the ReLU was given",
    "You multiplied by what the ReLU was given, and its slope is 1 or 0.",
    "Above 0 a step comes through as it is, and below 0 nothing does. Multiply by True or False.",
    gate=lambda back, raw: back * raw,
)

turned_over = wrongly_set(
    turned,
    "ReLU the wrong way round",
    "You let back what met a closed ReLU, and kept back what met an open one.",
    "Open it is where it was given something above 0.",
    gate=lambda back, raw: back * (raw < 0),
)

by_sign = wrongly_set(
    turned,
    "multiplied by a sign",
    "You multiplied by the sign of what the ReLU was given, and its slope is 1 or 0.",
    "Below 0 a small step changes nothing, so nothing comes back.",
    gate=lambda back, raw: back * np.sign(raw),
)

open_at_0 = wrongly_set(
    turned,
    "open at 0",
    "You let something back where the ReLU was given exactly 0.",
    "It gave 0 there, so nothing comes back. Only above 0 it is open.",
    gate=lambda back, raw: back * (raw >= 0),
)


@mistake("bias left out where the ReLU is asked")
def gate_without_bias(grad_output, x, w_up, b_up, w_down):
    """You left out the bias when you asked which way was open.

    What the ReLU was given is x @ w_up + b_up.
    """
    _, _, _, grad_w_down = answer(grad_output, x, w_up, b_up, w_down)
    return *answer(grad_output, x, w_up, 0 * b_up, w_down)[:3], grad_w_down


@mistake("bias left out on the way there")
def no_bias(grad_output, x, w_up, b_up, w_down):
    """You left out the bias on the way there, so the ReLU was given other numbers.

    What it was given is x @ w_up + b_up. Compute it again as it was.
    """
    return answer(grad_output, x, w_up, 0 * b_up, w_down)


raw_for_down = wrongly_set(
    turned,
    "w_down's gradient without the ReLU",
    "For w_down's gradient you took what the ReLU was given, and w_down met what it gave.",
    "A matrix is asked for by what it multiplied.",
    of_down=np.positive,
)

slope_for_down = wrongly_set(
    turned,
    "w_down's gradient by True and False",
    "For w_down's gradient you took where the ReLU was open, and w_down met what it gave.",
    "A matrix is asked for by what it multiplied: the numbers themselves.",
    of_down=lambda raw: 1.0 * (raw > 0),
)

one_past = wrongly_set(
    turned,
    "1 for the way past the network",
    "You added 1 for the way past the network, and grad_output comes back by it.",
    "The slope of x itself is 1. Times what comes back, it is grad_output as it is.",
    past=np.ones_like,
)

past_twice = wrongly_set(
    turned,
    "the way past the network counted twice",
    "You added grad_output twice, and there is one way past the network.",
    "x reaches the output by two ways: past the network, and through it.",
    past=lambda grad: 2 * grad,
)


@mistake("x for the way past the network")
def x_past(grad_output, x, w_up, b_up, w_down):
    """You added x for the way past the network, and grad_output comes back by it.

    On the way back gradients are added, and not the numbers of the way there.
    """
    grads = answer(grad_output, x, w_up, b_up, w_down)
    return grads[0] - grad_output + x, *grads[1:]


@mistake("x without the ReLU")
def x_ungated(grad_output, x, w_up, b_up, w_down):
    """For x you took what comes back through w_down, and forgot the ReLU.

    On the way there x met w_up in front of the ReLU. What comes back reaches it only where the ReLU
    was open: multiply by that first.
    """
    grads = answer(grad_output, x, w_up, b_up, w_down)
    return grad_output + grad_output @ w_down.T @ w_up.T, *grads[1:]


@mistake("mean over the batch")
def over_batch(grad_output, x, w_up, b_up, w_down):
    """You took the mean over the batch for the network's gradients, but what is asked adds up.

    If the loss is a mean, its division is in grad_output already.
    """
    grads = answer(grad_output, x, w_up, b_up, w_down)
    n_sentences = x[..., 0, 0].size if x.ndim > 1 else 1
    return grads[0], *(grad / max(n_sentences, 1) for grad in grads[1:])


up_ungated = wrongly_set(
    turned,
    "w_up's gradient without the ReLU",
    "For w_up's gradient you took what comes back through w_down, and forgot the ReLU.",
    "On the way there w_up stands in front of the ReLU. So what comes back reaches it only where "
    "the ReLU was open: multiply by that first, as you do for x.",
    of_up=lambda through, back: back,
)

bias_ungated = wrongly_set(
    turned,
    "bias without the ReLU",
    "For the bias you added up what comes back before the ReLU's zeros.",
    "The bias was added in front of the ReLU, where w_up's product was, so it gets what that gets.",
    of_bias=lambda through, back: by_column(back),
)

bias_averaged = wrongly_set(
    turned,
    "mean for the bias",
    "You took the mean over the rows for the bias, but what they ask of it adds up.",
    "If the loss is a mean, its division is in grad_output already.",
    of_bias=lambda through, back: by_column(through) / max(through[..., 0].size, 1),
)


@mistake("mean for the network")
def averaged(grad_output, x, w_up, b_up, w_down):
    """You took the mean over the rows for the network's gradients, but what they ask adds up.

    If the loss is a mean, its division is in grad_output already.
    """
    grads = answer(grad_output, x, w_up, b_up, w_down)
    return grads[0], *(grad / max(x[..., 0].size, 1) for grad in grads[1:])


bias_as_a_row = wrongly_set(
    turned,
    "bias with an axis too many",
    "Your bias has a gradient of one row, (1, d_hidden), but b_up is no matrix: (d_hidden).",
    "A gradient has the shape of what it belongs to. Sum without `keepdims`.",
    of_bias=lambda through, back: by_column(through)[np.newaxis],
)

bias_by_row = wrongly_set(
    turned,
    "one bias for each row",
    "You gave each row a gradient of the bias, but there is one bias for all.",
    "What the rows ask of it adds up: sum over all axes but the last.",
    of_bias=lambda through, back: through,
)

bias_by_sentence = wrongly_set(
    turned,
    "bias summed over the sentence alone",
    "You summed the bias over the rows of a sentence, and the batch is left.",
    "All sentences meet one bias. Make one long list of rows, and sum that.",
    of_bias=lambda through, back: through.sum(axis=-2),
)


@mistake("batch axes forgotten")
def matrices_alone(grad_output, x, w_up, b_up, w_down):
    """Your gradients are right for matrices, and wrong or an error with batch axes in front.

    `.T` turns all axes round, the batch as well. Make one long list of rows first.
    """
    hidden = np.maximum(x @ w_up + b_up, 0)
    grad_raw = grad_output @ w_down.T * (hidden > 0)
    grad_x = grad_output + grad_raw @ w_up.T
    return grad_x, x.T @ grad_raw, grad_raw.sum(axis=0), hidden.T @ grad_output


@mistake("d_model meets d_hidden")
def down_untransposed(grad_output, x, w_up, b_up, w_down):
    """Two matrices met that do not fit: one ends in d_model, and the other begins with d_hidden.

    On the way back w_down is transposed, for it is (d_hidden, d_model), and grad_output ends in
    d_model. What comes back through w_down ends in d_hidden, and goes on to w_up.
    """
    return grad_output @ w_down


@mistake("d_hidden meets d_model")
def up_untransposed(grad_output, x, w_up, b_up, w_down):
    """Two matrices met that do not fit: one ends in d_hidden, and the other begins with d_model.

    On the way back w_up is transposed, for it is (d_model, d_hidden), and what comes back through
    w_down ends in d_hidden.
    """
    raw = x @ w_up + b_up
    return (grad_output @ w_down.T * (raw > 0)) @ w_up


def slope(which):
    """Move one of the inputs a little, one way and the other, and see how the loss has changed."""

    def holds(answer, grad_output, *inputs):
        step = direction(inputs[which])

        def along(size):
            moved = [x + size * step if i == which else x for i, x in enumerate(inputs)]
            x, w_up, b_up, w_down = moved
            return (grad_output * (x + np.maximum(x @ w_up + b_up, 0) @ w_down)).sum()

        gradient = answer(grad_output, *inputs)[which]
        alike = gradient.shape == step.shape  # or a sum over more than it would hide it
        return alike and close((gradient * step).sum(), (along(1e-4) - along(-1e-4)) / 2e-4)

    return holds


def closed(answer, grad_output, x, w_up, b_up, w_down):
    """See that a network whose ReLU gives 0 everywhere lets everything past, and nothing back."""
    grad_x, *others = answer(grad_output, x, w_up, np.full_like(b_up, -1e3), w_down)
    return close(grad_x, grad_output) and all(close(grad, 0) for grad in others)


EXERCISE = Exercise(
    solution=network_backward,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("grad_output", "w_down"),),
    facts=(
        Fact("each gradient has the shape of its input", lambda f, g, *x: [
            array.shape for array in f(g, *x)] == [array.shape for array in x]),
        *(Fact(f"grad_{name} is the slope that a small step of {name} finds", slope(which))
            for which, name in enumerate(("x", "w_up", "b_up", "w_down"))),
        Fact("where the ReLU gives 0 everywhere, all goes past the network", closed),
    ),
    hints=(
        "Write the way there as lines: the sum that the ReLU is given, what it gives, the product "
        "with w_down, and x added. Go back from the last to the first. Which line lets nothing "
        "back, and where?",
        "Your `linear_backward` of lesson 09 goes back through w_down and through w_up. Between "
        "them multiply by `raw > 0`. The bias gets the sum over all rows of what comes back there.",
        "x gets what came back through w_up, and grad_output as well, since x went past the "
        "network, too.",
    ),
    parts=("grad_x", "grad_w_up", "grad_b_up", "grad_w_down"),
)  # fmt: skip
