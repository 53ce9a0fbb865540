"""How surprised a guess is by what comes, and what it would have had to say instead."""

from dataclasses import replace

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import (
    Case,
    Exercise,
    Fact,
    Promise,
    Remark,
    close,
    direction,
    mistake,
    wrongly_set,
)
from attnlib.checks.shapes import Shapes
from attnlib.checks.wrong_attention import flattened

FINITE = Promise(
    "large logits give the right loss and gradient",
    "`np.exp` overflows above 709, and a probability may be rounded to 0. Its logarithm is -inf "
    "then; and where a small number is added to it, or put in its place, no loss is larger than "
    "that number allows. So take the logarithm of no probability: subtract each row's largest "
    "logit, and from what is left of the target's the logarithm of the row's sum.",
)
TARGETS = Promise(
    "any class may be the target",
    "A target is the number of a class, from 0 on. It may be the first or the last, and many "
    "places may have the same one.",
)

LOGITS = replace(promises.SCORES.of("logits"), beyond=Remark("logits of millions"))

SHAPES = Shapes("(..., n_classes), (...) -> (), (..., n_classes)")


def cross_entropy(logits, targets):
    """Take -log of the probability that a softmax gives the target, on average over all places.

    The logarithm of a softmax is a difference, so no probability that was rounded to 0 meets a
    logarithm. And the way back is short: a logit should go down by the probability that it has, and
    the target's should go up by 1.
    """
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))  # (..., n_classes)
    is_target = np.arange(logits.shape[-1]) == targets[..., np.newaxis]  # (..., n_classes)
    loss = -log_p[is_target].mean()
    grad_logits = (np.exp(log_p) - is_target) / targets.size  # of a mean, each has its share
    return loss, grad_logits


def answer(logits, targets):
    """Give what is right, by which answers are judged."""
    place, classes = np.expand_dims(targets, -1), np.arange(logits.shape[-1])
    lost = np.logaddexp.reduce(logits - np.take_along_axis(logits, place, axis=-1), axis=-1)
    return lost.mean(), (attnlib.softmax(logits) - (classes == place)) / lost.size


def cases():
    """Two places and three classes by hand; more classes, more places; a batch of sentences."""
    rng = np.random.default_rng(30)
    logits = np.array([[2.0, 1.0, -1.0], [0.0, 1.0, 0.0]])
    yield Case("the small example is right", (logits, np.array([0, 2])))
    yield Case("more classes than places are right", random_inputs(rng, 5, 7))
    yield Case("more places than classes are right", random_inputs(rng, 11, 3))
    yield Case("as many places as classes are right", random_inputs(rng, 5, 5))
    yield Case("works with leading batch axes", random_inputs(rng, 2, 3, 5))


def promised():
    """Give the inputs that hold an answer to each promise.

    None is of an empty batch: the mean of no losses is not a number.
    """
    rng = np.random.default_rng(130)
    given = SHAPES.given(rng, lambda logits, _: random_inputs(rng, *logits.shape))
    logits, _ = given((5,), n_classes=7)
    shapes = promises.of_shapes(SHAPES, given)
    del shapes[promises.EMPTY]
    return shapes | {
        FINITE: [
            (large, chosen)
            for large in (*promises.steep_scores(promises.LEVELS[:1]), HUGE)
            for chosen in (large.argmax(axis=-1), large.argmin(axis=-1))
        ],
        LOGITS.beyond: [
            (large, chosen)
            for large in (1e3 * HUGE,)
            for chosen in (large.argmax(axis=-1), large.argmin(axis=-1))
        ],
        TARGETS: [
            *((logits, np.full(5, target)) for target in (0, 3, 6)),
            (logits, np.array([0, 6, 0, 6, 6])),
        ],
    }


# No two in a row are close together: the logarithm of a sum is lost beside such numbers.
HUGE = 2e3 * np.array([[5.0, 1, -1, 2], [-2, -5, -3, -4], [0, -1, 1, 2]])


def random_inputs(rng, *shape):
    """Give logits, and a target for each place."""
    return 2 * rng.normal(size=shape), np.asarray(rng.integers(shape[-1], size=shape[:-1]))


def one_hot(logits, targets):
    """Give 1 at each target and 0 elsewhere, in the shape of the logits."""
    return (np.arange(logits.shape[-1]) == np.expand_dims(targets, -1)) + 0.0


def from_probabilities(p, targets):
    """Give loss and gradient that belong to these probabilities."""
    target = one_hot(p, targets)
    return -np.log((p * target).sum(axis=-1)).mean(), (p - target) / targets.size


def kept_above_0(logits, targets, least):
    """Give the loss with a small number added to each probability, and the right gradient."""
    p, target = attnlib.softmax(logits), one_hot(logits, targets)
    return -np.log((p * target).sum(axis=-1) + least).mean(), (p - target) / targets.size


def log_softmax(logits, axis=-1):
    """Give the logarithms of the probabilities."""
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def turned(
    logits, targets, *, log_p_of=log_softmax, gather=np.mean,
    loss_times=lambda logits, targets: 1, grad_times=lambda logits, targets: 1,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    log_p, target = log_p_of(logits), one_hot(logits, targets)
    loss = gather(-(log_p * target).sum(axis=-1))
    grad_logits = (np.exp(log_p) - target) / targets.size
    return loss * loss_times(logits, targets), grad_logits * grad_times(logits, targets)


undivided = wrongly_set(
    turned,
    "gradient not divided by n",
    "Your loss is right, and each gradient is that of its own place's loss.",
    "The loss is a mean, so each place has only its share in it. Divide the gradient by the "
    "number of places as well.",
    grad_times=lambda logits, targets: targets.size,
)

summed = wrongly_set(
    turned,
    "sum instead of mean",
    "You added up the losses of all places, and your gradient is that of the sum.",
    "The mean is asked for, so that the loss does not grow with the batch. Divide both by the "
    "number of places.",
    loss_times=lambda logits, targets: targets.size,
    grad_times=lambda logits, targets: targets.size,
)

loss_summed = wrongly_set(
    turned,
    "loss summed",
    "Your gradient is that of the mean, but your loss is the sum over all places.",
    "Take the mean of the losses: then the two belong together.",
    loss_times=lambda logits, targets: targets.size,
)

loss_by_entries = wrongly_set(
    turned,
    "loss divided by the classes, too",
    "You took the mean over all classes of all places, though only the targets count.",
    "Every other class comes in as a 0 there, and makes the mean smaller. Add up along each row, "
    "or pick the targets out, and take the mean over the places.",
    loss_times=lambda logits, targets: 1 / logits.shape[-1],
)

by_entries = wrongly_set(
    turned,
    "gradient divided by the classes, too",
    "You divided the gradient by the number of all logits; it is the number of places that counts.",
    "The loss is a mean over places, each of which has one target. The classes of a place are not "
    "averaged.",
    grad_times=lambda logits, targets: 1 / logits.shape[-1],
)

both_by_entries = wrongly_set(
    turned,
    "both divided by the classes, too",
    "You divided by the number of all logits; it is the number of places that counts.",
    "The mean is over places, each of which has one target. The classes of a place are not "
    "averaged, neither in the loss nor in its gradient.",
    loss_times=lambda logits, targets: 1 / logits.shape[-1],
    grad_times=lambda logits, targets: 1 / logits.shape[-1],
)

both_negative = wrongly_set(
    turned,
    "both signs turned round",
    "Loss and gradient both have the wrong sign: a minus is missing.",
    "The logarithm of a probability is at most 0. A loss should be large where the target was "
    "thought unlikely, and its gradient points to where it grows.",
    loss_times=lambda *_: -1,
    grad_times=lambda *_: -1,
)

downwards = wrongly_set(
    turned,
    "target - p",
    "Your loss is right, but your gradient has the wrong sign.",
    "The target's logit should rise to make the loss smaller, so its gradient is negative: the "
    "gradient points to where the loss grows.",
    grad_times=lambda *_: -1,
)


@mistake("targets not subtracted")
def without_target(logits, targets):
    """Your gradient holds the probabilities alone, so it does not know what was right.

    Every logit is pushed down by its probability, and the target's is pushed up as well, by 1.
    """
    return answer(logits, targets)[0], attnlib.softmax(logits) / targets.size


@mistake("softmax missing in the gradient")
def raw_gradient(logits, targets):
    """Your loss is right, but in the gradient the logits themselves stand for the probabilities.

    A logit should go down by the probability that it has: the softmax comes first.
    """
    return answer(logits, targets)[0], (logits - one_hot(logits, targets)) / targets.size


@mistake("gradient at the targets alone")
def targets_alone(logits, targets):
    """Your loss is right, but only the targets' logits have a gradient.

    If another logit grows, the sum grows, and the target has less of it. So each of the others has
    a gradient as well: its probability.
    """
    loss, grad_logits = answer(logits, targets)
    return loss, grad_logits * one_hot(logits, targets)


@mistake("logarithm of the mean")
def log_of_mean(logits, targets):
    """You took the mean of the probabilities first, and then its logarithm.

    Each place has a loss of its own, and the mean is over these: logarithms first.
    """
    p, target = attnlib.softmax(logits), one_hot(logits, targets)
    return -np.log((p * target).sum(axis=-1).mean()), answer(logits, targets)[1]


@mistake("1 - p for the loss")
def missing_to_1(logits, targets):
    """Your loss is what the targets' probabilities lack to 1, without a logarithm.

    What is asked for is how surprised the guess is: minus the logarithm of the probability that it
    gave the target.
    """
    p, target = attnlib.softmax(logits), one_hot(logits, targets)
    return (1 - (p * target).sum(axis=-1)).mean(), answer(logits, targets)[1]


@mistake("entropy of the guess")
def entropy(logits, targets):
    """You let every class count by its own probability, so the loss does not know the targets.

    Of each row, only the target's logarithm counts, and it counts fully. Pick that one out.
    """
    p, log_p = attnlib.softmax(logits), log_softmax(logits)
    return -(p * log_p).sum(axis=-1).mean(), answer(logits, targets)[1]


@mistake("perplexity")
def perplexity(logits, targets):
    """You returned the exponential of the loss.

    That number is called perplexity. The loss is what stands in its exponent.
    """
    loss, grad_logits = answer(logits, targets)
    return np.exp(loss), grad_logits


@mistake("gradient for p")
def for_probabilities(logits, targets):
    """You gave the gradient for the probabilities; the one for the logits is asked for.

    One step further back is the softmax. With both steps together, most of it cancels: what is left
    is the probabilities less the target.
    """
    loss, _ = answer(logits, targets)
    return loss, -one_hot(logits, targets) / attnlib.softmax(logits) / targets.size


@mistake("logarithm of 0")
def log_of_0(logits, targets):
    """Your formula is right, but a probability can be rounded to 0, and its logarithm is -inf.

    Do not take the logarithm of a quotient. It is a difference: the shifted logit, less the
    logarithm of the sum of all exponentials.
    """
    return from_probabilities(attnlib.softmax(logits), targets)


@mistake("a small number below the logarithm")
def softened(logits, targets):
    """You kept the probability above 0 by a small number, so no loss is above 28 or so.

    Where a guess is certain and wrong, the loss should say how much. Work out the logarithm as a
    difference, the shifted logit less the logarithm of the sum: that needs no small number.
    """
    return kept_above_0(logits, targets, 1e-12)


@mistake("a small number, 1e-9, below the logarithm")
def softened_more(logits, targets):
    """You kept the probability above 0 by a small number, so no loss is above 21 or so.

    Where a guess is certain and wrong, the loss should say how much. Work out the logarithm as a
    difference, the shifted logit less the logarithm of the sum: that needs no small number.
    """
    return kept_above_0(logits, targets, 1e-9)


@mistake("largest logit subtracted in the sum alone")
def top_lost(logits, targets):
    """You subtracted each row's largest logit in the sum of exponentials, but not from the target.

    The loss is the logarithm of the sum, less the target's logit. What is subtracted from the one
    has to be subtracted from the other, or added back behind the logarithm.
    """
    loss, grad_logits = answer(logits, targets)
    return loss - logits.max(axis=-1).mean(), grad_logits


@mistake("no max shift")
def unshifted(logits, targets):
    """Your formula is right, but large logits overflow in `np.exp`.

    Subtract each row's largest logit first. It changes neither the loss nor the gradient.
    """
    total, target = np.exp(logits).sum(axis=-1, keepdims=True), one_hot(logits, targets)
    lost = np.log(total[..., 0]) - (logits * target).sum(axis=-1)
    return lost.mean(), (np.exp(logits) / total - target) / targets.size


@mistake("softmax down the columns")
def columns(logits, targets):
    """You normalised down the columns: axis 0.

    Each place has one row of logits, so it is the row whose probabilities sum to 1: take maximum
    and sum along the last axis.
    """
    return from_probabilities(attnlib.softmax(logits, axis=0), targets)


@mistake("softmax twice")
def twice(logits, targets):
    """You applied a softmax to the probabilities once more.

    The logits become probabilities by one softmax. A second one makes them nearly even.
    """
    return from_probabilities(attnlib.softmax(attnlib.softmax(logits)), targets)


@mistake("squared error")
def squares(logits, targets):
    """You took the squared distance between the probabilities and the targets.

    What is asked for is how surprised the guess is: minus the logarithm of the probability that it
    gave the target.
    """
    missed = attnlib.softmax(logits) - one_hot(logits, targets)
    return (missed**2).sum(axis=-1).mean(), 2 * missed / targets.size


bits = wrongly_set(
    turned,
    "bits",
    "You took the logarithm to base 2, so your loss is in bits.",
    "Nats are asked for, to which `np.log` leads. Your gradient is that of nats already.",
    loss_times=lambda *_: 1 / np.log(2),
)

powers_of_10 = wrongly_set(
    turned,
    "logarithm to base 10",
    "You took the logarithm to base 10.",
    "The natural one is asked for, which is `np.log`. Your gradient is that of it already.",
    loss_times=lambda *_: 1 / np.log(10),
)

negative = wrongly_set(
    turned,
    "minus forgotten",
    "Your loss is negative: it is the mean logarithm, and a minus is missing.",
    "The logarithm of a probability is at most 0. A loss should be large where the target was "
    "thought unlikely.",
    loss_times=lambda *_: -1,
)


@mistake("all classes in the loss")
def all_classes(logits, targets):
    """You took the mean over the logarithms of all classes, so the loss does not know the targets.

    Of each row, only the target's probability counts. Pick that one out.
    """
    p = attnlib.softmax(logits)
    return -np.log(p).mean(), answer(logits, targets)[1]


@mistake("every target in every row")
def all_pairs(logits, targets):
    """You looked up every target in every row.

    Each row has a target of its own, and a `:` or a `...` takes all the rows. Number the rows as
    well, one number beside each target, or compare the class numbers with the targets.
    """
    p = attnlib.softmax(logits)
    return -np.log(p[..., targets]).mean(), answer(logits, targets)[1]


@mistake("every target in every row, and its gradient")
def all_pairs_back(logits, targets):
    """You gave every row all targets, in the loss and in the gradient.

    Each row has a target of its own, and a `:` or a `...` takes all the rows. Number the rows as
    well, one number beside each target, or compare the class numbers with the targets.
    """
    p = attnlib.softmax(logits)
    grad_logits = p.copy()
    grad_logits[..., targets] -= 1
    return -np.log(p[..., targets]).mean(), grad_logits / targets.size


@mistake("every target in every row of the gradient")
def all_pairs_back_alone(logits, targets):
    """Your loss is right, but you took 1 from every row at all targets.

    Each row has a target of its own, and a `:` or a `...` takes all the rows. Number the rows as
    well, one number beside each target, or compare the class numbers with the targets.
    """
    return answer(logits, targets)[0], all_pairs_back.function(logits, targets)[1]


@mistake("back through the softmax once more")
def back_again(logits, targets):
    """Your loss is right, but you sent p - target back through the softmax once more.

    The probabilities less the target are the gradient of the logits already: the way through the
    softmax is in them.
    """
    loss, grad_logits = answer(logits, targets)
    return loss, attnlib.softmax_backward(grad_logits, attnlib.softmax(logits))


@mistake("batch axes forgotten")
def matrices_only(logits, targets):
    """Your answer is right for a list of places, and an error with a batch in front of it.

    The targets are a table there, with a row for each sentence, and the logits have one axis more.
    What suits a list no longer fits, be it `np.arange(len(targets))` or a `ravel` of one of the two
    alone. Compare the numbers of all classes with targets that have one more axis, behind the
    others: any shape will do.
    """
    loss, _ = answer(logits, targets)
    grad_logits = attnlib.softmax(logits)
    grad_logits[np.arange(len(targets)), targets] -= 1
    return loss, grad_logits / len(targets)


@mistake("gradient as one list of places")
def listed(logits, targets):
    """Your numbers are right, but in grad_logits all places are one list, without the batch.

    A gradient has the shape of what it belongs to: after all is done, give it the shape of the
    logits again.
    """
    loss, grad_logits = answer(logits, targets)
    return loss, grad_logits.reshape(-1, logits.shape[-1])


by_first_axis = wrongly_set(
    turned,
    "divided by the first axis",
    "Your loss is right, but you divided the gradient by the length of the first axis alone.",
    "In a batch of sentences that is the number of sentences, and so is `len(targets)`. Divide by "
    "the number of all places, `targets.size`.",
    grad_times=lambda logits, targets: targets.size / len(targets),
)

both_by_first_axis = wrongly_set(
    turned,
    "both divided by the first axis",
    "You divided by the length of the first axis alone: in a batch, that is too little.",
    "There it is the number of sentences, and so is `len(targets)`. The mean is over all places, "
    "and there are `targets.size` of them.",
    loss_times=lambda logits, targets: targets.size / len(targets),
    grad_times=lambda logits, targets: targets.size / len(targets),
)


@mistake("axis 1 for the last axis")
def axis_1(logits, targets):
    """Your answer is right for a matrix, but only there is `axis=1` the last axis.

    In a batch it runs over the places of a sentence. The classes stand along the last axis, however
    many axes there are.
    """
    return from_probabilities(attnlib.softmax(logits, axis=1), targets)


@mistake("keepdims forgotten")
def no_keepdims(logits, targets):
    """You took a maximum or a sum along an axis, and that axis is gone: the shapes do not fit.

    NumPy can keep it, as an axis of length 1. Each row then meets its own number.
    """
    return from_probabilities(flattened(logits), targets)


@mistake("classes counted from 1")
def from_1(logits, targets):
    """You took the class before the target's, as if classes were counted from 1.

    Class 0 is the first, and its number is the place where its logit stands.
    """
    return answer(logits, (targets - 1) % logits.shape[-1])


@mistake("class numbers subtracted")
def by_number(logits, targets):
    """You subtracted the number of each target itself, which says no more than which class it is.

    From a row of probabilities, 1 is subtracted, in the place of its target. Make a row of each
    target first that is 1 there and 0 elsewhere.
    """
    p = attnlib.softmax(logits)
    return answer(logits, targets)[0], (p - targets) / targets.size


@mistake("class numbers subtracted from all classes")
def by_number_in_columns(logits, targets):
    """You subtracted the number of its target from a whole row of probabilities.

    From a row of probabilities, 1 is subtracted, in the place of its target. Make a row of each
    target first that is 1 there and 0 elsewhere.
    """
    p = attnlib.softmax(logits)
    return answer(logits, targets)[0], (p - targets[..., np.newaxis]) / targets.size


@mistake("gradient first")
def exchanged(logits, targets):
    """You returned the gradient first.

    The loss comes first, and then its gradient.
    """
    return answer(logits, targets)[::-1]


def is_slope(answer, logits, targets):
    """Move the logits a little, and see your own loss change as your gradient says.

    Losses may come in float32: the step is wide enough for that, and so is the tolerance.
    """
    step = 0.01 * direction(logits)
    change = answer(logits + step, targets)[0] - answer(logits - step, targets)[0]
    expected = 2 * (answer(logits, targets)[1] * step).sum()
    return bool(abs(change - expected) < 1e-5)


EXERCISE = Exercise(
    solution=cross_entropy,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(LOGITS,),
    facts=(
        Fact("grad_logits is the slope of your loss", is_slope),
        Fact("no loss is negative", lambda f, z, t: bool(f(z, t)[0] >= 0)),
        Fact("equal logits: the loss is the logarithm of n_classes", lambda f, z, t: close(
            f(0 * z, t)[0], np.log(z.shape[-1]))),
        Fact("each row of grad_logits sums to 0", lambda f, z, t: close(
            f(z, t)[1].sum(axis=-1), 0)),
        Fact("every place twice, the same loss", lambda f, z, t: close(
            f(np.concatenate([z, z]), np.concatenate([t, t]))[0], f(z, t)[0])),
    ),
    hints=(
        "A softmax turns each row of logits into probabilities, and the loss of a place is minus "
        "the logarithm of the one that its target got. For the gradient: which logit should rise, "
        "which should fall, and by how much?",
        "The logarithm of a softmax is the logit, less the logarithm of the sum of all "
        "exponentials; subtract each row's largest logit first. The gradient is the probability, "
        "less 1 at the target, which is where the classes equal `targets[..., None]`. Both are of "
        "a mean over all places.",
    ),
    parts=("loss", "grad_logits"),
)  # fmt: skip
