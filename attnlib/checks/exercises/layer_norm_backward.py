"""Back through a norm, whose mean and spread are made of the row that they change."""

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
from attnlib.checks.exercises.layer_norm import EPS
from attnlib.checks.exercises.linear_backward import one_after_another
from attnlib.checks.shapes import Shapes

SUMMED = Promise(
    "leading axes of any number are summed into grad_gain and grad_bias",
    "There is one gain and one bias for all rows, so what the rows ask of them adds up. To these "
    "sums a batch of sentences is one long list of rows.",
)
FLAT = Promise(
    "rows whose numbers are all alike are right",
    "Such a row has no variance, and only eps keeps you from dividing by 0. Divide by the root of "
    "variance and eps together, as on the way there.",
)

SHAPES = Shapes(
    "(..., d_model), (..., d_model), (d_model), () -> (..., d_model), (d_model), (d_model)"
)


def layer_norm_backward(grad_y, x, gain, eps):
    """Go back by three ways: through x itself, through its mean, and through its spread.

    A step that moves a whole row changes nothing, for the mean goes along; nor, but for eps, does
    one that stretches it, for the spread does. So both parts are taken out of what comes back.
    """
    size = np.sqrt(x.var(axis=-1, keepdims=True) + eps)  # (..., 1)
    z = (x - x.mean(axis=-1, keepdims=True)) / size  # (..., d_model): before gain and bias
    grad = grad_y * gain
    by_mean = grad.mean(axis=-1, keepdims=True)
    by_size = z * (grad * z).mean(axis=-1, keepdims=True)
    grad_x = (grad - by_mean - by_size) / size

    def added(a):
        return a.reshape(-1, a.shape[-1]).sum(axis=0)  # over the rows of all sentences

    return grad_x, added(grad_y * z), added(grad_y)


def answer(grad_y, x, gain, eps):
    """Give what is right, by which answers are judged."""
    return turned(grad_y, x, gain, eps)


def mean_of(a):
    """Give each row's mean."""
    return a.mean(axis=-1, keepdims=True)


def by_column(a):
    """Add up all rows."""
    return a.reshape(-1, a.shape[-1]).sum(axis=0)


def spread_of(x, eps):
    """Give the root of each row's variance and eps."""
    return np.sqrt(x.var(axis=-1, keepdims=True) + eps)


def turned(
    grad_y, x, gain, eps, *, to_z=np.multiply, by_mean=mean_of,
    by_size=lambda grad, z, gain: z * mean_of(grad * z), spread=spread_of,
    undo=np.divide, of_gain=lambda grad_y, z, x, gain: grad_y * z,
    of_bias=lambda grad_y, gain: grad_y, added=by_column,
):  # fmt: skip
    """Go back with knobs, each of which can be set wrong."""
    size = spread(x, eps)
    z, grad = (x - mean_of(x)) / size, to_z(grad_y, gain)
    grad_x = undo(grad - by_mean(grad) - by_size(grad, z, gain), size)
    return grad_x, added(of_gain(grad_y, z, x, gain)), added(of_bias(grad_y, gain))


def at(eps):
    """Return what makes inputs of drawn ones: rows with a mean and a spread of their own."""

    def inputs(grad_y, x, gain, _):
        spread = 1.5 + 0.5 * np.cos(np.arange(x.size // x.shape[-1])).reshape(*x.shape[:-1], 1)
        return grad_y, x * spread + 3 * spread - 4, gain, eps

    return inputs


def cases():
    """Two rows by hand; one row; many features; a small eps; a batch."""
    rng = np.random.default_rng(50)
    grad_y = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, -1.0, 3.0]])
    x = np.array([[0.0, 4.0, 0.0, 0.0], [5.0, -3.0, 1.0, 1.0]])
    given = SHAPES.given(rng, at(0.3))
    yield Case("the small example is right", (grad_y, x, np.array([1.0, -1.0, 2.0, 1.0]), 1.0))
    yield Case("a single row is right", given(d_model=7))
    yield Case("many features are right", given((3,), d_model=47))
    yield Case("a small eps is right", SHAPES.given(rng, at(1e-5))((5,), d_model=11))
    yield Case("a batch is summed into gain and bias", given((2, 3), d_model=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(150)
    given = SHAPES.given(rng, at(0.3))
    grad_y, x, gain, _ = inputs = given((3,), d_model=5)
    flat = np.where(np.arange(3)[:, None] == 1, 4.0, x)
    shapes = promises.of_shapes(SHAPES, given)
    return {
        SUMMED: shapes.pop(promises.LEADING),
        FLAT: [
            (grad_y, flat, gain, 1e-4),
            (grad_y[:2], np.full((2, 5), -0.5), gain, 1e-5),
            (grad_y[0], np.zeros(5), gain, 0.5),
        ],
        EPS: [(grad_y, x, gain, eps) for eps in (1e-12, 1e-5, 0.1, 1.0)],
        **one_after_another(inputs, (0,)),
        **shapes,
    }


fixed = wrongly_set(
    turned,
    "mean and spread taken for fixed",
    "You went back as if mean and spread were fixed numbers, and they are made of x.",
    "A step of one number of a row moves its mean and its spread, and so all the others. Take both "
    "ways, too: what comes back by them is subtracted.",
    by_mean=np.zeros_like,
    by_size=lambda grad, z, gain: 0 * z,
)

spread_fixed = wrongly_set(
    turned,
    "spread taken for fixed",
    "You went back through the mean, and took the spread for a fixed number.",
    "A step along z stretches the row, and the spread undoes that. How much of what comes back "
    "lies along z?",
    by_size=lambda grad, z, gain: 0 * z,
)

mean_fixed = wrongly_set(
    turned,
    "mean taken for fixed",
    "You went back through the spread, and took the mean for a fixed number.",
    "A step that moves the whole row changes nothing, so each row of grad_x adds up to 0.",
    by_mean=np.zeros_like,
)

no_gain = wrongly_set(
    turned,
    "gain forgotten",
    "The gain has no part in your grad_x, and on the way there it came last.",
    "So on the way back it comes first: each feature of grad_y times its gain.",
    to_z=lambda grad_y, gain: grad_y,
)

by_gain = wrongly_set(
    turned,
    "divided by the gain",
    "You divided grad_y by the gain.",
    "A gain of 2 makes a step twice as large, so what comes back is twice as large, too.",
    to_z=np.divide,
)


@mistake("gain after mean and spread")
def gain_last(grad_y, x, gain, eps):
    """You took mean and spread out of grad_y, and multiplied by the gain then.

    The way back begins with what came last on the way there: first the gain.
    """
    grad_x, *others = turned(grad_y, x, gain, eps, to_z=lambda grad_y, gain: grad_y)
    return grad_x * gain, *others


undivided = wrongly_set(
    turned,
    "not divided by the spread",
    "You did not divide by the spread.",
    "On the way there a step was divided by it, so what comes back is, too.",
    undo=lambda grad, size: grad,
)

multiplied = wrongly_set(
    turned,
    "multiplied by the spread",
    "You multiplied by the spread, and it is to be divided by.",
    "A product's way back is the same product: what was divided on the way there is divided again.",
    undo=np.multiply,
)

by_variance = wrongly_set(
    turned,
    "divided by the variance",
    "You divided by variance plus eps at the end, and not by their root.",
    "What stood below on the way there was the root. Keep it in a variable, and use it twice.",
    undo=lambda grad, size: grad / size**2,
)

no_eps = wrongly_set(
    turned,
    "eps forgotten",
    "The eps that came in has no part in your answer.",
    "It was added to the variance below the root. Compute the root as it was.",
    spread=lambda x, eps: np.sqrt(x.var(axis=-1, keepdims=True)),
)

eps_outside = wrongly_set(
    turned,
    "eps outside the root",
    "You added eps to the root of the variance.",
    "It belongs below the root, beside the variance.",
    spread=lambda x, eps: np.sqrt(x.var(axis=-1, keepdims=True)) + eps,
)

less_one = wrongly_set(
    turned,
    "divided by n - 1",
    "You divided the sum of the squares by one less than there are: d_model - 1.",
    "Here the variance is the mean of the squares, as NumPy's `var` takes it.",
    spread=lambda x, eps: np.sqrt(
        x.var(axis=-1, keepdims=True) * x.shape[-1] / max(x.shape[-1] - 1, 1) + eps
    ),
)

summed = wrongly_set(
    turned,
    "sum in place of the mean for the spread",
    "You took the sum of grad times z, where its mean is due.",
    "The variance is a mean, so each number has a share of 1 / d_model in it.",
    by_size=lambda grad, z, gain: z * (grad * z).sum(axis=-1, keepdims=True),
)

mean_summed = wrongly_set(
    turned,
    "sum in place of the mean for the mean",
    "You subtracted the sum of what comes back, where its mean is due.",
    "Each number has a share of 1 / d_model in the mean.",
    by_mean=lambda grad: grad.sum(axis=-1, keepdims=True),
)

added_on = wrongly_set(
    turned,
    "part of the spread added",
    "You added what comes back through the spread, and it is to be subtracted.",
    "A larger spread makes every number smaller.",
    by_size=lambda grad, z, gain: -z * mean_of(grad * z),
)

mean_added = wrongly_set(
    turned,
    "part of the mean added",
    "You added what comes back through the mean, and it is to be subtracted.",
    "On the way there the mean was subtracted.",
    by_mean=lambda grad: -mean_of(grad),
)

z_forgotten = wrongly_set(
    turned,
    "not times z again",
    "You subtracted the mean of grad times z, and not z times it.",
    "How far a number is from the mean decides how much it stretches the row: times z once more.",
    by_size=lambda grad, z, gain: mean_of(grad * z),
)

y_for_z = wrongly_set(
    turned,
    "y for z in the part of the spread",
    "You took y, which has the gain in it, for z in the part of the spread.",
    "Mean and spread were done before the gain came. What is divided by the size is z.",
    by_size=lambda grad, z, gain: z * gain * mean_of(grad * z * gain),
)

y_in_front = wrongly_set(
    turned,
    "times y in place of z",
    "You multiplied the mean of grad times z by y, and z is due there, too.",
    "What the spread does to a number depends on how far it is from the mean, and y has the gain "
    "in it.",
    by_size=lambda grad, z, gain: z * gain * mean_of(grad * z),
)

y_inside = wrongly_set(
    turned,
    "mean of grad times y",
    "You took the mean of grad times y, so the gain is in it twice.",
    "The gain is in grad already. What meets grad is z, or else y meets grad_y.",
    by_size=lambda grad, z, gain: z * mean_of(grad * z * gain),
)

by_x = wrongly_set(
    turned,
    "x for z in grad_gain",
    "You multiplied by x for grad_gain, and the gain met z.",
    "A number is asked for by what it multiplied: x without its mean, divided by its spread.",
    of_gain=lambda grad_y, z, x, gain: grad_y * x,
)

centred_alone = wrongly_set(
    turned,
    "not divided, in grad_gain",
    "For grad_gain you took x without its mean, and forgot that it was divided, too.",
    "A number is asked for by what it multiplied: that is z, the row before gain and bias.",
    of_gain=lambda grad_y, z, x, gain: grad_y * (x - mean_of(x)),
)

gain_by_gain = wrongly_set(
    turned,
    "gain times gain",
    "You multiplied grad_gain by the gain itself.",
    "The slope of a product is the other factor: z, without the gain.",
    of_gain=lambda grad_y, z, x, gain: grad_y * z * gain,
)

as_bias = wrongly_set(
    turned,
    "grad_gain without z",
    "You gave the gain what the bias gets.",
    "The bias was added, and the gain multiplied z: so what comes back is multiplied by z.",
    of_gain=lambda grad_y, z, x, gain: grad_y,
)

bias_by_gain = wrongly_set(
    turned,
    "gain in grad_bias",
    "You multiplied grad_bias by the gain.",
    "The bias was added after the gain, so it gets what comes back as it is.",
    of_bias=lambda grad_y, gain: grad_y * gain,
)

by_grad = wrongly_set(
    turned,
    "gain in grad_gain and grad_bias",
    "You multiplied both grad_gain and grad_bias by the gain.",
    "What has the gain in it is what comes to z. Gain and bias made y of z, so they get what "
    "comes to y.",
    of_gain=lambda grad_y, z, x, gain: grad_y * z * gain,
    of_bias=lambda grad_y, gain: grad_y * gain,
)

averaged = wrongly_set(
    turned,
    "mean over the rows",
    "You took the mean over the rows for gain and bias, but what they ask adds up.",
    "If the loss is a mean, its division is in grad_y already.",
    added=lambda a: by_column(a) / max(a[..., 0].size, 1),
)

by_row = wrongly_set(
    turned,
    "gain and bias by row",
    "You gave each row a gradient of gain and bias, but there is one of each for all.",
    "What the rows ask of them adds up: sum over all axes but the last.",
    added=lambda a: a,
)

by_sentence = wrongly_set(
    turned,
    "gain and bias by sentence",
    "You summed over the rows of a sentence, and the batch is left.",
    "All sentences meet one gain and one bias. Make one long list of rows, and sum that.",
    added=lambda a: a.sum(axis=-2) if a.ndim > 1 else a,
)

over_last_but_one = wrongly_set(
    turned,
    "summed over axis -2",
    "You summed gain's and bias's gradients over axis -2, the rows of one sentence.",
    "A row by itself has no such axis, and in a batch of sentences one more is left. Make one long "
    "list of rows first.",
    added=lambda a: a.sum(axis=-2),
)

over_first = wrongly_set(
    turned,
    "summed over the first axis alone",
    "You summed gain's and bias's gradients over the first axis alone, as for a matrix.",
    "A row by itself has no axis of rows, so that its own numbers were added up, and a batch of "
    "sentences has two. Make one long list of rows first.",
    added=lambda a: a.sum(axis=0),
)


@mistake("along the first axis")
def first_axis(grad_y, x, gain, eps):
    """You took means and variance along the first axis, where the rows are.

    Each word is by itself: along the last axis, and keep that axis.
    """
    size, mean = np.sqrt(x.var(axis=0) + eps), x.mean(axis=0)
    z, grad = (x - mean) / size, grad_y * gain
    grad_x = (grad - grad.mean(axis=0) - z * (grad * z).mean(axis=0)) / size
    return grad_x, by_column(grad_y * z), by_column(grad_y)


@mistake("of everything")
def of_everything(grad_y, x, gain, eps):
    """You took one mean and one variance of all numbers together.

    Each row has its own: take them along the last axis, and keep that axis.
    """
    size = np.sqrt(x.var() + eps)
    z, grad = (x - x.mean()) / size, grad_y * gain
    grad_x = (grad - grad.mean() - z * (grad * z).mean()) / size
    return grad_x, by_column(grad_y * z), by_column(grad_y)


@mistake("of everything, on the way there")
def z_of_everything(grad_y, x, gain, eps):
    """You made z with one mean and one variance of all numbers together.

    Each row of x has its own mean and variance, as each row of grad has its own means.
    """
    size = np.sqrt(x.var() + eps)
    z, grad = (x - x.mean()) / size, grad_y * gain
    grad_x = (grad - mean_of(grad) - z * mean_of(grad * z)) / size
    return grad_x, by_column(grad_y * z), by_column(grad_y)


mean_of_all = wrongly_set(
    turned,
    "one mean of grad",
    "You subtracted one mean of grad, of all rows together.",
    "A row's mean moves with that row's numbers alone. Take grad's mean of each row, and keep that "
    "axis.",
    by_mean=np.mean,
)

spread_of_all = wrongly_set(
    turned,
    "one mean of grad times z",
    "You took one mean of grad times z, of all rows together.",
    "How much lies along z is a question to each row. Take the mean along the last axis, and keep "
    "that axis.",
    by_size=lambda grad, z, gain: z * (grad * z).mean(),
)

both_of_all = wrongly_set(
    turned,
    "both means of everything, on the way back",
    "You took one mean of grad, and one of grad times z, of all rows together.",
    "On the way there each row had a mean and a spread of its own, so it has two means of its own "
    "on the way back: along the last axis, and keep that axis.",
    by_mean=np.mean,
    by_size=lambda grad, z, gain: z * (grad * z).mean(),
)


def slope(which):
    """Move one of the inputs a little, one way and the other, and see how the loss has changed."""

    def holds(answer, grad_y, x, gain, eps):
        moved = [x, gain, np.zeros_like(gain)]
        step = direction(moved[which])

        def along(size):
            row, stretch, bias = (a + size * step if i == which else a for i, a in enumerate(moved))
            return (grad_y * ((row - mean_of(row)) / spread_of(row, eps) * stretch + bias)).sum()

        gradient = answer(grad_y, x, gain, eps)[which]
        alike = gradient.shape == step.shape  # or a sum over more than it would hide it
        return alike and close((gradient * step).sum(), (along(1e-4) - along(-1e-4)) / 2e-4)

    return holds


EXERCISE = Exercise(
    solution=layer_norm_backward,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("grad_y"),),
    facts=(
        Fact("each gradient has the shape of what it is for", lambda f, g, x, gain, eps: [
            array.shape for array in f(g, x, gain, eps)] == [x.shape, gain.shape, gain.shape]),
        *(Fact(f"grad_{name} is the slope that a small step of {name} finds", slope(which))
            for which, name in enumerate(("x", "gain", "bias"))),
        Fact("each row of grad_x adds up to 0", lambda f, g, x, gain, eps: close(
            f(g, x, gain, eps)[0].sum(axis=-1), 0)),
    ),
    hints=(
        "Write the way there as lines: mean, size (the root), z = (x - mean) / size, and y = z * "
        "gain + bias. Gain and bias are asked for by what they met. For x, first ask what comes "
        "back to z: call it grad.",
        "x reaches z by three ways: itself, through the mean, and through the size. Through the "
        "mean comes grad's mean of the row, through the size z times the mean of grad * z. Both "
        "are subtracted.",
        "`(grad - grad.mean(axis=-1, keepdims=True) - z * (grad * z).mean(axis=-1, "
        "keepdims=True)) / size`. grad_gain and grad_bias are sums over all rows, of grad_y * z "
        "and of grad_y.",
    ),
    parts=("grad_x", "grad_gain", "grad_bias"),
)  # fmt: skip
