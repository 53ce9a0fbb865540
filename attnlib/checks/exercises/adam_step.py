"""One step of Adam: as far for a number with small gradients as for one with large ones."""

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
from attnlib.checks.exercises.sgd_step import ANY_AXES, RATE, RATES
from attnlib.checks.shapes import Shapes

FIRST = Promise(
    "the first step is right",
    "Before it both memories are 0, so they are too small at first: after step 1, a tenth and a "
    "hundredth of what they should be. What they are divided by makes up for that.",
)
LATER = Promise(
    "steps up to 100,000 are right",
    "Later the memories are full, and what they are divided by is nearly 1. Take the step as it "
    "comes.",
)
ZERO = Promise(
    "what never had a gradient stays",
    "Its memories are 0, so 0 is divided by the small number alone. Does it stand outside the "
    "root, and below the line?",
)

STEP = End("from 1 to 100,000", 1, 1e5, Remark("a step of 1,000,000"), ("step",))
SMALL = 1e-8  # keeps what is divided by above 0

SHAPES = Shapes("(...), (...), (...), (...), (), () -> (...), (...), (...)")


def adam_step(w, grad, mean, square, step, rate):
    """Divide the usual direction of the gradient by its usual size; the rate says how far to go.

    Both memories began at 0. After some steps they hold only the share 1 - 0.9**step, or 1 -
    0.99**step, of what they will hold, and are divided by that.
    """
    mean = 0.9 * mean + 0.1 * grad
    square = 0.99 * square + 0.01 * grad**2
    direction = mean / (1 - 0.9**step)
    size = np.sqrt(square / (1 - 0.99**step))
    return w - rate * direction / (size + 1e-8), mean, square


def answer(w, grad, mean, square, step, rate):
    """Give what is right, by which answers are judged."""
    mean, square = remembered(grad, mean, square)
    return moved(w, mean / (1 - 0.9**step), square / (1 - 0.99**step), rate), mean, square


def remembered(grad, mean, square, of_mean=0.9, of_square=0.99):
    """Give both memories after a gradient, each with what it keeps of what it was."""
    mean = of_mean * mean + (1 - of_mean) * grad
    return mean, of_square * square + (1 - of_square) * grad**2


def moved(w, direction, squared, rate):
    """Go along a direction, divided by the root of something squared."""
    return w - rate * direction / (np.sqrt(squared) + SMALL)


def cases():
    """Three numbers at step 2 by hand; a matrix; a vector later on; three axes."""
    rng = np.random.default_rng(38)
    w, grad = np.array([1.0, 2.0, -1.0]), np.array([1.0, -2.0, 0.5])
    mean, square = np.array([0.1, -0.2, 0.3]), np.array([0.01, 0.04, 0.09])
    yield Case("the small example is right", (w, grad, mean, square, 2, 0.1))
    yield Case("a larger matrix is right", random_inputs(rng, 5, 7, step=3, rate=0.1))
    yield Case("a vector is right", random_inputs(rng, 11, step=1, rate=0.3))
    yield Case("three axes are right", random_inputs(rng, 2, 3, 5, step=40, rate=1.7))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(138)
    w, grad, mean, square, step, rate = random_inputs(rng, 31)

    def first(grad, rate):
        return w, grad, 0 * mean, 0 * square, 1, rate

    def long(length):
        grown = promises.long(grad, length)
        return promises.long(w, length), grown, 0.5 * grown, 0.3 * grown**2, 3, rate

    usual = np.sign(grad) * (0.5 + np.abs(grad))  # none so small that 1e-5 beside it would show
    shapes = (), (1,), (7,), *promises.SIZE_PAIRS, (3, 2, 5), (2, 1, 3, 5)
    nothing = grad * (np.abs(grad) > 0.5)
    return {
        ANY_AXES: [random_inputs(rng, *shape) for shape in shapes],
        FIRST: [first(usual, 0.1), first(0.9 * usual, 1.0), first(-3 * usual, 0.003)],
        LATER: [(w, grad, mean, square, n, rate) for n in (1, 2, 10, 300, 4000, 100_000)],
        STEP.beyond: [(w, grad, mean, square, 10**6, rate)],
        ZERO: [
            (np.array([1.0, 2]), np.array([0.0, 3]), np.zeros(2), np.zeros(2), 1, 0.1),
            first(nothing, 0.1), (w, 0 * grad, 0 * mean, 0 * square, 5, 1.0),
        ],
        RATES: [
            (promises.long(w, promises.SHORT), grad, mean, square, 4, 1e-4),
            (w, grad, mean, square, 4, 1.0),
            (w, grad, mean, square, 4, 100.0),
        ],
        RATE.beyond: [(1e-6 * w, grad, mean, square, 4, 1e-6), (w, grad, mean, square, 4, 1e4)],
        promises.SCALE: [
            *map(long, (promises.SHORT, promises.LONG)),
            first(promises.long(grad, promises.SHORT), 1.0),
        ],
        promises.VECTORS.beyond: [*map(long, promises.FAR_OFF)],
        promises.SAME_SHAPES: [
            *promises.again(lambda: random_inputs(rng, 5, 7)), (w, grad, mean, square, step, 0.3),
            (w, grad, mean, square, 6, rate),
        ],
    }  # fmt: skip


def random_inputs(rng, *shape, step=5, rate=0.2):
    """Give an array, its gradient, both memories, the step and a rate."""
    w, grad, mean, root = (np.asarray(rng.normal(size=shape)) for _ in range(4))
    return w, grad, mean, 0.1 + root**2, step, rate


def turned(
    w, grad, mean, square, step, rate, *, keeps=(0.9, 0.99), counts=lambda n: (n, n), sign=1,
    asks=lambda mean, grad: mean, squares=lambda mean, grad: grad**2,
    size=lambda square: np.sqrt(square) + SMALL, kept=lambda new, old: new,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    (a, b), (n, m), old = keeps, counts(step), (mean.copy(), square.copy())
    mean = a * mean + (1 - a) * grad
    square = b * square + (1 - b) * squares(mean, grad)
    direction = asks(mean / (1 - a**n), grad) / size(square / (1 - b**m))
    return w - sign * rate * direction, *kept((mean, square), old)


uncorrected = wrongly_set(
    turned,
    "memories taken as they are",
    "Your memories make the same step whatever `step` says, and both began at 0.",
    "After the first step the mean is a tenth of the gradient. The share that has come together "
    "is 1 - 0.9**step, and for the squares 1 - 0.99**step: divide by these.",
    counts=lambda n: (np.inf, np.inf),
)

mean_uncorrected = wrongly_set(
    turned,
    "the mean taken as it is",
    "You divided the squares by the share that has come together, but not the mean.",
    "Both memories began at 0, so both are too small at first.",
    counts=lambda n: (np.inf, n),
)

square_uncorrected = wrongly_set(
    turned,
    "the squares taken as they are",
    "You divided the mean by the share that has come together, but not the squares.",
    "Both memories began at 0, so both are too small at first.",
    counts=lambda n: (n, np.inf),
)


@mistake("corrected memories returned")
def corrected_kept(w, grad, mean, square, step, rate):
    """Your w is right, but you returned the memories divided, and they are to go on as they are.

    What they are divided by changes from step to step. Divide for the step alone.
    """
    mean, square = remembered(grad, mean, square)
    mean, square = mean / (1 - 0.9**step), square / (1 - 0.99**step)
    return moved(w, mean, square, rate), mean, square


from_0 = wrongly_set(
    turned,
    "steps counted from 0",
    "You took one step less for the share, as if steps were counted from 0.",
    "At step 1 one gradient has come in, and the share is 1 - 0.9.",
    counts=lambda n: (n - 1, n - 1),
)

one_more = wrongly_set(
    turned,
    "one step too many",
    "You took one step more for the share, but this step is counted already.",
    "At step 1 one gradient has come in, and the share is 1 - 0.9.",
    counts=lambda n: (n + 1, n + 1),
)


@mistake("old memories used")
def too_early(w, grad, mean, square, step, rate):
    """You stepped by the memories as they were, before this gradient came in.

    First remember, then step.
    """
    new = remembered(grad, mean, square)
    return moved(w, mean / (1 - 0.9**step), square / (1 - 0.99**step), rate), *new


@mistake("squares divided behind the root")
def root_first(w, grad, mean, square, step, rate):
    """You divided by the share of the squares behind the root, and it belongs under it.

    The share tells how much of the squares has come together. Divide first, and take the root then.
    """
    mean, square = remembered(grad, mean, square)
    size = np.sqrt(square) / (1 - 0.99**step)
    return w - rate * (mean / (1 - 0.9**step)) / (size + SMALL), mean, square


nothing_below = wrongly_set(
    turned,
    "nothing added to the size",
    "You divided by the size alone, and where no gradient came in yet, 0 / 0 is nan.",
    "Add 1e-8 to the size before you divide. `/` goes before `+`, so the sum needs brackets.",
    size=np.sqrt,
)

squared = wrongly_set(
    turned,
    "square root forgotten",
    "You divided by the squares, and not by their root.",
    "A gradient twice as large would then make a step half as long. By the root, it does not "
    "matter.",
    size=lambda square: square + SMALL,
)

small_inside = wrongly_set(
    turned,
    "small number inside the root",
    "You put the small number inside the root, where it is large: the root of 1e-8 is 1e-4.",
    "Take the root first, and add then.",
    size=lambda square: np.sqrt(square + SMALL),
)

one_size = wrongly_set(
    turned,
    "one size for the whole array",
    "You took one size for the whole array, and each number has its own.",
    "A number with small gradients would hardly get on beside one with large ones. Take the root "
    "number by number.",
    size=lambda square: np.sqrt(square.mean()) + SMALL,
)

one_length = wrongly_set(
    turned,
    "the length of all for the size",
    "You took the length of the whole array for the size, and each number has its own.",
    "A number with small gradients would hardly get on beside one with large ones. Take the root "
    "number by number.",
    size=lambda square: np.sqrt(square.sum()) + SMALL,
)

times_size = wrongly_set(
    turned,
    "multiplied by the size",
    "In your answer the direction is multiplied by the size, and it should be divided by it.",
    "A gradient that is usually large should not make a large step.",
    size=lambda square: 1 / (np.sqrt(square) + SMALL),
)


def remembering(
    w, grad, mean, square, step, rate, *, keep=(0.9, 0.99), take=(0.1, 0.01),
    share=lambda n: (1 - 0.9**n, 1 - 0.99**n), kept=lambda now, full: now,
):  # fmt: skip
    """Answer with knobs for the memories and their shares, which need not fit each other."""
    now = keep[0] * mean + take[0] * grad, keep[1] * square + take[1] * grad**2
    full = tuple(memory / by for memory, by in zip(now, share(step), strict=True))
    return moved(w, *full, rate), *kept(now, full)


mean_kept_full = wrongly_set(
    remembering,
    "the mean returned divided",
    "Your w is right, but you returned the mean divided, and it is to go on as it is.",
    "What it is divided by changes from step to step. Divide for the step alone.",
    kept=lambda now, full: (full[0], now[1]),
)

square_kept_full = wrongly_set(
    remembering,
    "the squares returned divided",
    "Your w is right, but you returned the squares divided, and they are to go on as they are.",
    "What they are divided by changes from step to step. Divide for the step alone.",
    kept=lambda now, full: (now[0], full[1]),
)

size_kept = wrongly_set(
    remembering,
    "the size returned for the squares",
    "Your w is right, but you returned the size where the memory of the squares belongs.",
    "The memory goes on as it is: neither divided nor its root.",
    kept=lambda now, full: (now[0], np.sqrt(full[1])),
)

taken_crosswise = wrongly_set(
    remembering,
    "0.01 and 0.1 exchanged",
    "You let 0.01 of the gradient into the mean and 0.1 of its square into the other.",
    "0.9 and 0.1 belong to the mean, 0.99 and 0.01 to the squares.",
    take=(0.01, 0.1),
)

mean_whole = wrongly_set(
    remembering,
    "the whole gradient in the mean",
    "You let the whole gradient into the mean, and 0.1 of it comes in.",
    "What stays and what comes in are 1 together: 0.9 and 0.1.",
    take=(1.0, 0.01),
)

square_whole = wrongly_set(
    remembering,
    "the whole square",
    "You let the whole square of the gradient in, and 0.01 of it comes in.",
    "What stays and what comes in are 1 together: 0.99 and 0.01.",
    take=(0.1, 1.0),
)

square_too_small = wrongly_set(
    remembering,
    "0.01 squared, too",
    "You squared 0.01 with the gradient, so hardly anything comes in.",
    "The gradient alone is squared: 0.01 times its square.",
    take=(0.1, 1e-4),
)

mean_forgets = wrongly_set(
    remembering,
    "0.1 and 0.9 exchanged",
    "You kept 0.1 of the mean and took 0.9 of the gradient: it is the other way round.",
    "Nine tenths of the old mean stay, and one tenth of the gradient comes in.",
    keep=(0.1, 0.99),
    take=(0.9, 0.01),
)

square_forgets = wrongly_set(
    remembering,
    "0.01 and 0.99 exchanged",
    "You kept 0.01 of the squares and took 0.99 of the new one: it is the other way round.",
    "0.99 of what it was stays, and 0.01 of the gradient's square comes in.",
    keep=(0.9, 0.01),
    take=(0.1, 0.99),
)

square_as_mean = wrongly_set(
    remembering,
    "0.9 for the squares",
    "You let the squares keep 0.9 of what they were, as the mean does, and here it is 0.99.",
    "The usual size is to be steady: 0.99 stays, and 0.01 comes in.",
    keep=(0.9, 0.9),
    take=(0.1, 0.1),
)

square_keeps_more = wrongly_set(
    remembering,
    "0.999 in the memory, 0.99 in its share",
    "You let the squares keep 0.999 of what they were, and here it is 0.99.",
    "0.99 stays and 0.01 comes in, and the share is 1 - 0.99**step.",
    keep=(0.9, 0.999),
    take=(0.1, 0.001),
)

share_of_mean = wrongly_set(
    remembering,
    "the mean's share for both",
    "You divided the squares by the mean's share, 1 - 0.9**step.",
    "Each memory has a share of its own: for the squares it is 1 - 0.99**step.",
    share=lambda n: (1 - 0.9**n, 1 - 0.9**n),
)

share_of_squares = wrongly_set(
    remembering,
    "the squares' share for both",
    "You divided the mean by the share of the squares, 1 - 0.99**step.",
    "Each memory has a share of its own: for the mean it is 1 - 0.9**step.",
    share=lambda n: (1 - 0.99**n, 1 - 0.99**n),
)

shares_exchanged = wrongly_set(
    remembering,
    "the shares exchanged",
    "You divided the mean by the share of the squares, and the squares by that of the mean.",
    "Each share is 1 less what is left of the beginning: 0.9**step for the mean, 0.99**step for "
    "the squares.",
    share=lambda n: (1 - 0.99**n, 1 - 0.9**n),
)

by_what_comes_in = wrongly_set(
    remembering,
    "shares of what comes in",
    "You made the shares of 0.1 and 0.01, what comes in; they follow from what stays.",
    "After n steps 0.9**n is left of the beginning, so 1 - 0.9**n has come together.",
    share=lambda n: (1 - 0.1**n, 1 - 0.01**n),
)

times_step = wrongly_set(
    remembering,
    "0.9 times the step",
    "You multiplied 0.9 and 0.99 by the step, where a power is meant.",
    "Each step leaves 0.9 of what was left: 0.9 * 0.9 after two. In Python a power is `**`.",
    share=lambda n: (1 - 0.9 * n, 1 - 0.99 * n),
)

times_share = wrongly_set(
    remembering,
    "multiplied by the shares",
    "You multiplied the memories by their shares, and they are too small already.",
    "A memory that holds a tenth of what it should is divided by a tenth.",
    share=lambda n: (1 / (1 - 0.9**n), 1 / (1 - 0.99**n)),
)

without_mean = wrongly_set(
    turned,
    "the gradient in place of its mean",
    "You divided this gradient by its usual size, so the mean of the gradients is not used.",
    "One batch says this and the next one that. The mean is what they agree on.",
    asks=lambda mean, grad: grad,
)

momentum = wrongly_set(
    turned,
    "not divided by the size",
    "You stepped along the mean, and did not divide it by the usual size.",
    "A number with small gradients gets on slowly then. Divide each by its own root.",
    size=np.ones_like,
)

square_of_mean = wrongly_set(
    turned,
    "square of the mean",
    "You remembered the square of the mean, where the mean of the squares is asked for.",
    "Gradients of 1 and -1 have the mean 0, and still the usual size 1. Square each gradient.",
    squares=lambda mean, grad: mean**2,
)

absolute = wrongly_set(
    turned,
    "absolute value for the square",
    "You remembered the gradient without its sign, and its square is asked for.",
    "Square each gradient, and take the root of what is remembered.",
    squares=lambda mean, grad: np.abs(grad),
)

one_square = wrongly_set(
    turned,
    "one square for the whole array",
    "You remembered the sum of all squares, and each number has its own.",
    "A number with small gradients would hardly get on beside one with large ones. Square number "
    "by number.",
    squares=lambda mean, grad: (grad**2).sum(),
)

sign_alone = wrongly_set(
    turned,
    "the sign of the mean",
    "You took the sign of the mean alone, and divided that by the size.",
    "The direction is the mean itself, divided by its share.",
    asks=lambda mean, grad: np.sign(mean),
)

not_squared = wrongly_set(
    turned,
    "gradient not squared",
    "You remembered the gradient twice, and a root of something negative is nan.",
    "What is remembered of the size is the gradient's square.",
    squares=lambda mean, grad: grad,
)

exchanged = wrongly_set(
    turned,
    "0.9 and 0.99 exchanged",
    "You exchanged the two: the mean keeps 0.9 of what it was, the squares 0.99.",
    "The direction may change soon, the usual size is to be steady.",
    keeps=(0.99, 0.9),
)

longer_memory = wrongly_set(
    turned,
    "0.999 in place of 0.99",
    "You let the squares keep 0.999 of what they were, and here it is 0.99.",
    "0.999 is what lesson 10 took, and what most programs take. The task lets the squares forget "
    "sooner: 0.99 stays, 0.01 comes in, and the share is 1 - 0.99**step.",
    keeps=(0.9, 0.999),
)


@mistake("new and old exchanged")
def forgetful(w, grad, mean, square, step, rate):
    """You kept little of what was, and took much of the new gradient: it is the other way round.

    Nine tenths of the old mean stay, and one tenth of the gradient comes in.
    """
    mean, square = remembered(grad, mean, square, 0.1, 0.01)
    return moved(w, mean / (1 - 0.9**step), square / (1 - 0.99**step), rate), mean, square


uphill = wrongly_set(
    turned,
    "uphill",
    "You went uphill: the gradient points to where the loss grows.",
    "To make the loss smaller, go the other way.",
    sign=-1,
)


@mistake("rate missing")
def without_rate(w, grad, mean, square, step, rate):
    """You took a whole step for each number, so the rate is not used.

    The direction divided by the size is about 1, however large the gradient is. The rate says how
    far to go.
    """
    return answer(w, grad, mean, square, step, 1.0)


@mistake("w alone")
def w_alone(w, grad, mean, square, step, rate):
    """You returned the new w alone, and the memories are lost.

    The next step needs them: return all three, with commas between them.
    """
    return answer(w, grad, mean, square, step, rate)[0]


not_kept = wrongly_set(
    turned,
    "memories returned as they were",
    "Your w is right, but you returned the memories as they were before.",
    "What has come in at this step is to be remembered at the next. Return the new ones.",
    kept=lambda new, old: old,
)

crossed = wrongly_set(
    turned,
    "memories in the wrong order",
    "You returned the right arrays, but the square before the mean.",
    "Whoever calls your function hands them in again, in the order of the task: w, mean, square.",
    kept=lambda new, old: new[::-1],
)


def whatever_its_size(answer, w, grad, mean, square, step, rate):
    """See that gradients a hundred times as large make no longer step."""
    first = answer(w, grad, mean, square, step, rate)[0]
    return close(first, answer(w, 100 * grad, 100 * mean, 1e4 * square, step, rate)[0])


def as_far_as_the_rate(answer, w, grad, mean, square, step, rate):
    """See that at first only the sign of a gradient counts."""
    found = answer(w, grad, 0 * mean, 0 * square, 1, rate)[0]
    return close(found, w - rate * np.sign(grad))


EXERCISE = Exercise(
    solution=adam_step,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("grad"), STEP, RATE),
    facts=(
        Fact("at the first step each number goes as far as the rate says", as_far_as_the_rate),
        Fact("gradients a hundred times as large make the same step", whatever_its_size),
        Fact("the mean keeps nine tenths of what it was", lambda f, w, g, m, s, n, r: close(
            f(w, g, m, s, n, r)[1], 0.9 * m + 0.1 * g)),
        Fact("twice the rate goes twice as far", lambda f, w, g, m, s, n, r: close(
            f(w, g, m, s, n, 2 * r)[0] - w, 2 * (f(w, g, m, s, n, r)[0] - w))),
    ),
    hints=(
        "Five lines, in the order of the task: the new mean, the new square, the direction, the "
        "size, the new w. Which of these are returned, and which are for this step alone?",
        "The direction is the new mean, divided by `1 - 0.9**step`. The size is the root of the "
        "new square, divided by `1 - 0.99**step` first. Subtract the rate times the direction, "
        "divided by the size plus 1e-8.",
    ),
    parts=("w", "mean", "square"),
)  # fmt: skip
