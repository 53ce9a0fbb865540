"""One step downhill for a whole model, by a gradient that is not too long."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import (
    Case,
    End,
    Exercise,
    Fact,
    Promise,
    Remark,
    close,
    mistake,
    wrongly_set,
)
from attnlib.checks.exercises.sgd_step import RATE, RATES
from attnlib.checks.shapes import Shapes

ANY_ARRAYS = Promise(
    "models of any arrays are right",
    "A model may have one array or many, of any names, shapes and numbers of axes. Go through the "
    "dictionary by name, and take each array as a whole.",
)
ZERO = Promise(
    "gradients that are 0 change nothing",
    "Where the gradient is 0 long, nothing needs to be shorter, and nothing may be divided by 0. "
    "Ask first whether it is longer than the limit.",
)
LENGTHS = Promise(
    "short and long gradients are right",
    "Compare the length with the limit as both are. Where you add a small number, cut something "
    "off or round, the step comes out wrong at one end or the other.",
)
LIMITS = Promise(
    "limits from 0.01 to 100 are right",
    "Take the limit as it comes: it is small where whoever calls is careful. Where you cut "
    "something off or round, the step comes out wrong.",
)
NO_LIMIT = Promise(
    "with a limit of `np.inf` nothing is clipped",
    "Nothing is longer than infinity. Ask first whether the gradient is longer than the limit, for "
    "inf / inf is `nan`.",
)

LENGTH = End(
    "from 0.001 to 1,000 long", 1e-3, 1e3,
    Remark("gradients of length 0.000001 or 1,000,000"), ("grads",),
)  # fmt: skip
LIMIT = End("from 0.01 to 100", 0.01, 100, Remark("limits of 0.0001 or 10,000"), ("longest",))
NO_GRADIENTS = Remark("no gradients at all")

SHAPES = Shapes("{}, {}, (), () -> {}")


def clipped_step(model, grads, rate, longest):
    """Make the gradient shorter where it is too long, and keep its direction, which is downhill.

    So all arrays are multiplied by one and the same number, found from all of them together. What
    has no gradient comes back as it was, in a new dictionary.
    """
    length = np.sqrt(sum((grad**2).sum() for grad in grads.values()))  # of all arrays together
    factor = longest / length if length > longest else 1.0
    return model | {name: model[name] - rate * factor * grad for name, grad in grads.items()}


def answer(model, grads, rate, longest):
    """Give what is right, by which answers are judged."""
    length = length_of(grads)
    factor = longest / length if length > longest else 1.0
    return model | {name: model[name] - rate * factor * grad for name, grad in grads.items()}


def length_of(grads):
    """Give the length of the vector of all numbers."""
    return np.sqrt(sum((grad**2).sum() for grad in grads.values()))


def cases():
    """Two arrays by hand; a short gradient; an array without one; matrices and a vector."""
    rng = np.random.default_rng(33)
    model = {"w": np.array([1.0, 2.0]), "v": np.array([0.0, -1.0])}
    grads = {"v": np.array([-4.0, 2.0]), "w": np.array([1.0, -2.0])}
    yield Case("the small example is right", (model, grads, 0.5, 2.0))
    short = {"v": np.array([0.1, -0.4]), "w": np.array([0.3, 0.2])}
    yield Case("a short gradient is left as it is", (model, short, 0.5, 2.0))
    whole = model | {"frozen": np.array([5.0, 7.0, 6.0])}
    other = {"v": np.array([2.0, 1.0]), "w": np.array([-2.0, 4.0])}
    yield Case("an array without a gradient stays as it is", (whole, other, 0.2, 1.0))
    yield Case("two matrices and a vector are right", random_inputs(rng, rate=0.3))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(133)
    model, grads, rate, longest = random_inputs(rng)
    small, two = times(1e-3, model), {"w": np.array([1.0, -2.0]), "v": np.array([3.0])}

    def long(length, limit):
        return small, times(length / length_of(grads), grads), 1.0, limit

    return {
        ANY_ARRAYS: [
            of_arrays(rng, scale=()),
            of_arrays(rng, table=(1, 1)),
            of_arrays(rng, vectors=(19, 3), w_query=(3, 5), w_key=(3, 5), w_value=(3, 2), b=(2,)),
            of_arrays(rng, w_0=(2, 3, 5), w_1=(5, 3), scale=(), b=(1,)),
        ],
        ZERO: [
            (two, times(0, two), 0.5, 1.0),
            (two, two | {"v": np.zeros(1)}, 0.5, 1.0),
            (model, times(0, {"v": grads["v"]}), 1.0, 0.01),
        ],
        RATES: [
            (small, times(1e3 / length_of(grads), grads), 1e-4, 100.0),
            (model, grads, 1.0, longest),
            (model, grads, 100.0, longest),
        ],
        RATE.beyond: [(times(1e-6, model), grads, 1e-6, longest), (model, grads, 1e4, longest)],
        LENGTHS: [
            long(LENGTH.least, 100.0), long(0.02, 0.01), long(LENGTH.most, 0.01),
            long(LENGTH.most, 99.0), long(99.0, 100.0), long(1.1, 1.0), long(1.0, 1.1),
        ],
        LENGTH.beyond: [long(1e-6, 1.0), long(1e6, 1.0)],
        LIMITS: [
            (small, grads, 1.0, LIMIT.least),
            (model, grads, 1.0, 10.0),
            (small, times(1e3 / length_of(grads), grads), 1.0, LIMIT.most),
        ],
        NO_LIMIT: [(two, two, 0.5, np.inf), (model, grads, rate, np.inf)],
        LIMIT.beyond: [
            (times(1e-4, model), grads, 1.0, 1e-4), (model, times(1e5, grads), 1.0, 1e4),
        ],
        promises.SAME_SHAPES: [
            *promises.again(lambda: random_inputs(rng)),
            (model, grads, 0.3, longest), (model, grads, rate, 2 * longest),
        ],
        NO_GRADIENTS: [(model, {}, rate, longest)],
    }  # fmt: skip


def random_inputs(rng, rate=0.2, longest=1.5):
    """Give a model of three arrays, their gradients in another order, a rate and a limit."""
    model, grads, *_ = SHAPES.given(rng)()
    return model, {name: grads[name] for name in sorted(grads)}, rate, longest


def of_arrays(rng, **shapes):
    """Give a model of arrays of these shapes, with all gradients, which are clipped."""
    model, grads = (
        {name: np.asarray(rng.normal(size=shape)) for name, shape in shapes.items()}
        for _ in range(2)
    )
    return model, grads, 0.7, 0.6 * length_of(grads)


def times(factor, arrays):
    """Multiply each array of a dictionary."""
    return {name: factor * array for name, array in arrays.items()}


def stepped(model, grads, rate):
    """Take a step by gradients as they are."""
    return model | {name: model[name] - rate * grad for name, grad in grads.items()}


def shorter(grads, length, longest):
    """Clip by a length, however it was found."""
    return times(longest / length, grads) if length > longest else grads


def turned(model, grads, rate, longest, *, length=length_of, clip=shorter, sign=1, kept=True):
    """Answer with knobs, each of which can be set wrong."""
    after = {name: array for name, array in model.items() if kept or name in grads}
    return stepped(after, clip(grads, length(grads), longest), sign * rate)


each_alone = wrongly_set(
    turned,
    "each array clipped alone",
    "You clipped each array by its own length, so the whole step has another direction.",
    "The gradient of the model is one long vector, and its arrays are parts of it. Find one "
    "length from all of them first, and multiply each by the same number.",
    clip=lambda grads, length, longest: {
        n: shorter({n: g}, length_of({n: g}), longest)[n] for n, g in grads.items()
    },
)

added_up = wrongly_set(
    turned,
    "lengths added up",
    "You added up the lengths of the arrays, which gives more than the length of the whole.",
    "3 one way and 4 another way are 5 together, and not 7. Add up the squares of all numbers, "
    "and take the root at the end.",
    length=lambda grads: sum(np.sqrt((grad**2).sum()) for grad in grads.values()),
)

squared = wrongly_set(
    turned,
    "square root forgotten",
    "You compared the limit with the sum of the squares, which is the length squared.",
    "One operation is left before you compare.",
    length=lambda grads: length_of(grads) ** 2,
)

mean_of_squares = wrongly_set(
    turned,
    "mean of the squares",
    "You took the mean of the squares, where a length has their sum.",
    "Nothing is divided by how many numbers there are.",
    length=lambda grads: length_of(grads) / np.sqrt(sum(grad.size for grad in grads.values())),
)

largest = wrongly_set(
    turned,
    "largest number for the length",
    "You compared the limit with the largest number, and the whole gradient is longer than that.",
    "All numbers have a share in the length, by their squares.",
    length=lambda grads: max(np.abs(grad).max() for grad in grads.values()),
)

absolute = wrongly_set(
    turned,
    "absolute values added up",
    "You added up the numbers without their signs, which gives more than the length.",
    "3 one way and 4 another way are 5 together, and not 7. Square each number, add up, and take "
    "the root at the end.",
    length=lambda grads: sum(np.abs(grad).sum() for grad in grads.values()),
)

longest_array = wrongly_set(
    turned,
    "the longest array for the whole",
    "You compared the limit with the length of the longest array, and all together are longer.",
    "All numbers of all arrays have a share in the length, by their squares.",
    length=lambda grads: max(length_of({"": grad}) for grad in grads.values()),
)

first_array = wrongly_set(
    turned,
    "the first array for the whole",
    "You compared the limit with the length of the first array alone.",
    "All arrays have a share in the length, by their squares.",
    length=lambda grads: length_of(dict([*grads.items()][:1])),
)

stretch = wrongly_set(
    turned,
    "how much a matrix stretches",
    "You measured each matrix by its largest singular value, how much it stretches.",
    "`np.linalg.norm(x, 2)` gives that of a matrix. For its length, square all numbers, add them "
    "up, and take the root.",
    length=lambda grads: np.sqrt(sum(np.linalg.norm(grad, 2) ** 2 for grad in grads.values())),
)

last_array = wrongly_set(
    turned,
    "the last array for the whole",
    "You compared the limit with the length of the last array alone.",
    "All arrays have a share in the length. A sum over them begins before the loop, and each array "
    "adds to it.",
    length=lambda grads: length_of({"": [*grads.values()][-1]}),
)

each_number = wrongly_set(
    turned,
    "each number clipped",
    "You clipped each number for itself, so the step has another direction.",
    "Long numbers got shorter, and short ones did not. Multiply all by one number.",
    clip=lambda grads, length, longest: {
        n: np.clip(g, -longest, longest) for n, g in grads.items()
    },
)

always = wrongly_set(
    turned,
    "always as long as the limit",
    "You made every gradient as long as the limit, short ones too.",
    "Near the lowest point gradients get short, and so should the steps. Only what is longer than "
    "the limit is changed.",
    clip=lambda grads, length, longest: times(longest / length, grads),
)

never = wrongly_set(
    turned,
    "never clipped",
    "You took the gradient as it is, however long.",
    "Find its length first. Where that is more than the limit, make the gradient shorter.",
    clip=lambda grads, length, longest: grads,
)


turned_round = wrongly_set(
    turned,
    "short ones made longer",
    "You made short gradients as long as the limit, and left long ones as they are.",
    "It is the other way round: what is longer than the limit is made shorter, and nothing else is "
    "changed.",
    clip=lambda grads, length, longest: (
        times(longest / length, grads) if length < longest else grads
    ),
)

to_one = wrongly_set(
    turned,
    "made 1 long",
    "You made each long gradient 1 long, whatever the limit.",
    "Divided by its length it is 1 long, and it should be as long as the limit.",
    clip=lambda grads, length, longest: times(1 / length, grads) if length > longest else grads,
)

by_limit = wrongly_set(
    turned,
    "not divided by the length",
    "You multiplied each long gradient by the limit, and did not divide by its length.",
    "Divided by its own length it is 1 long. Times the limit, it is as long as that.",
    clip=lambda grads, length, longest: times(longest, grads) if length > longest else grads,
)


made_0 = wrongly_set(
    turned,
    "long ones made 0",
    "You took no step at all where the gradient is too long.",
    "Its direction is as good as any. Only its length is changed: it is made as long as the limit.",
    clip=lambda grads, length, longest: times(0.0, grads) if length > longest else grads,
)

clipped_twice = wrongly_set(
    turned,
    "made shorter twice",
    "You made a long gradient shorter twice, by the same number.",
    "Times the limit, divided by its length, it is as long as the limit: once is enough.",
    clip=lambda grads, length, longest: (
        times((longest / length) ** 2, grads) if length > longest else grads
    ),
)


@mistake("rate for short gradients alone")
def unrated(model, grads, rate, longest):
    """You left out the rate where the gradient is too long.

    The clipped gradient is multiplied by the rate, as a short one is.
    """
    clipped = length_of(grads) > longest
    found = shorter(grads, length_of(grads), longest)
    return stepped(model, found, 1.0 if clipped else rate)


@mistake("rate twice")
def rated_twice(model, grads, rate, longest):
    """You multiplied a long gradient by the rate twice.

    Clip first, and multiply by the rate then, once.
    """
    clipped = length_of(grads) > longest
    found = shorter(grads, length_of(grads), longest)
    return stepped(model, found, rate**2 if clipped else rate)


@mistake("the step alone")
def step_alone(model, grads, rate, longest):
    """You returned the step, and the model after it is asked for.

    Subtract it from the array of the model.
    """
    return model | times(rate, shorter(grads, length_of(grads), longest))


@mistake("the model measured")
def model_measured(model, grads, rate, longest):
    """You compared the limit with the length of the model, and not with that of its gradient.

    How long the step is depends on the gradient, so that is what may be too long.
    """
    return stepped(model, times(min(1.0, longest / length_of(model)), grads), rate)


@mistake("step clipped")
def step_clipped(model, grads, rate, longest):
    """You multiplied by the rate first, and clipped the step.

    The limit is the gradient's. Clip that, and multiply by the rate then.
    """
    return stepped(model, shorter(grads, rate * length_of(grads), longest), rate)


wrong_way_round = wrongly_set(
    turned,
    "divided the wrong way round",
    "A long gradient gets longer still in your answer: by its length, divided by the limit.",
    "A gradient twice as long as the limit is to be multiplied by one half.",
    clip=lambda grads, length, longest: times(max(1.0, length / longest), grads),
)

uphill = wrongly_set(
    turned,
    "uphill",
    "You went uphill: the gradient points to where the loss grows.",
    "To make the loss smaller, go the other way.",
    sign=-1,
)


@mistake("rate missing")
def without_rate(model, grads, rate, longest):
    """You subtracted the whole clipped gradient, so the rate is not used.

    The limit says how long the gradient may be, and the rate how far to go along it.
    """
    return stepped(model, shorter(grads, length_of(grads), longest), 1.0)


left_out = wrongly_set(
    turned,
    "arrays without a gradient left out",
    "You left out what has no gradient, so the model has lost an array.",
    "Such an array is not trained at present, and it is still a part of the model. Start from a "
    "new dictionary of all that is in the model.",
    kept=False,
)


@mistake("zeros without a gradient")
def zeros_left(model, grads, rate, longest):
    """You returned zeros for what has no gradient, and what that array had learned is lost.

    Without a gradient there is no step: it stays as it is.
    """
    return times(0, model) | {
        n: x for n, x in answer(model, grads, rate, longest).items() if n in grads
    }


@mistake("matched by order")
def by_order(model, grads, rate, longest):
    """You matched arrays and gradients by their order, so some got the gradient of another.

    They belong together by name: an array and its gradient stand under the same one, in whatever
    order. Go through the names.
    """
    found = shorter(grads, length_of(grads), longest)
    return model | {n: w - rate * g for (n, w), g in zip(model.items(), found.values())}  # noqa: B905


@mistake("dictionary changed in place")
def dictionary_in_place(model, grads, rate, longest):
    """You put the new arrays into the dictionary of whoever called you, who keeps the old model.

    Put them into a new dictionary: `dict(model)` makes one of the same arrays.
    """
    model.update(answer(model, grads, rate, longest))
    return model


@mistake("arrays changed in place")
def arrays_in_place(model, grads, rate, longest):
    """You wrote into the arrays of the old model, and whoever called you still has these.

    An expression with `-` makes a new array. `-=`, and assigning to `x[...]`, write into the old
    one, and it is the same one in every dictionary that holds it.
    """
    model = dict(model)
    for name, grad in shorter(grads, length_of(grads), longest).items():
        model[name] -= rate * grad
    return model


@mistake("gradients clipped in place")
def gradients_in_place(model, grads, rate, longest):
    """You stepped to the right place, but the gradients of whoever called you are clipped now.

    Multiply in the expression that makes the new array of the model, and put nothing back into
    what came in.
    """
    found = answer(model, grads, rate, longest)
    for name, grad in shorter(grads, length_of(grads), longest).items():
        grads[name][...] = grad
    return found


def steps(answer, *inputs):
    """Give the step of each array that has a gradient, all in one vector, and the gradient too."""
    model, grads, *_ = inputs
    found = answer(*inputs)
    step = [np.ravel(model[name] - found[name]) for name in grads]
    return np.concatenate(step), np.concatenate([np.ravel(grad) for grad in grads.values()])


def within_the_limit(answer, model, grads, rate, longest):
    """See that no step is longer than the rate times the limit."""
    step, _ = steps(answer, model, grads, rate, longest)
    return bool(np.linalg.norm(step) <= 1.001 * rate * longest)


def in_its_direction(answer, *inputs):
    """See that the step has the direction of the gradient."""
    step, grad = steps(answer, *inputs)
    return close(step, grad * (step @ grad) / (grad @ grad)) and bool(step @ grad > 0)


def same_however_long(answer, model, grads, rate, longest):
    """See that beyond the limit it does not matter by how much."""
    far = times(1.01 * max(1, longest / length_of(grads)), grads)
    first, second = (answer(model, times(n, far), rate, longest) for n in (1, 3))
    return all(close(first[name], second[name]) for name in model)


def others_stay(answer, model, grads, rate, longest):
    """See that an array stays where its gradient is taken away."""
    name = next(iter(grads))
    found = answer(model, {n: g for n, g in grads.items() if n != name}, rate, longest)
    return {*found} == {*model} and close(found[name], model[name])


EXERCISE = Exercise(
    solution=clipped_step,
    answer=answer,
    shapes=SHAPES,
    parts=dict,
    cases=cases,
    promises=promised,
    ends=(LENGTH, RATE, LIMIT),
    facts=(
        Fact("no step is longer than the rate times the limit", within_the_limit),
        Fact("the step has the gradient's direction", in_its_direction),
        Fact("beyond the limit it does not matter how long the gradient is", same_however_long),
        Fact("what has no gradient stays", others_stay),
    ),
    hints=(
        "Three things: how long is the gradient, all arrays together? Is that more than the limit, "
        "and by what is it to be multiplied then? And at last the step, array by array.",
        "Square all numbers of all arrays, add them up, and take the root: that is the length. "
        "Where it is above `longest`, all gradients are multiplied by `longest / length`.",
        "For each name in `grads` the new array is the old one less the rate times the clipped "
        "gradient. Put these into `dict(model)`, which is a new dictionary of the old arrays.",
    ),
)  # fmt: skip
