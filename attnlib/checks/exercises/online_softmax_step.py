"""One block more of a softmax that runs: what is kept is measured by the highest score so far."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

FIRST = Promise(
    "the first block, before which nothing was seen, is right",
    "Begun with a top of -inf, and 0 for total and output, the block's own highest score becomes "
    "the top. `np.exp` of -inf less any number is 0, so what was kept adds nothing.",
)
HIDDEN = Promise(
    "a block that is all hidden changes nothing, even as the first",
    "Where all scores so far are -inf, so is the highest of them, and -inf less -inf is `nan`. "
    "Subtract something else there, such as 0: `np.where` chooses it. Then every `np.exp` is 0.",
    "A score of -inf is never the highest beside another, and its exponential is 0. Where nothing "
    "but such scores was seen, top is still -inf, and total and output are 0.",
)
LARGE = Promise(
    "large scores are right",
    "`np.exp` overflows above 709. Subtract the highest score so far, that of the block and of all "
    "blocks before it, from every score: then no exponent is above 0. Cut nothing off.",
    "Your numbers stay finite there, so nothing overflows. Is something cut off or rounded? Far "
    "below the top an exponential is 0, and what was kept may become 0, too.",
)

SHAPES = Shapes(
    "(..., n_queries), (..., n_queries), (..., n_queries, d_value), (..., n_queries, n_block), "
    "(..., n_block, d_value) -> (..., n_queries), (..., n_queries), (..., n_queries, d_value)"
)


def online_softmax_step(top, total, output, scores, value):
    """Bring what is kept down to the new maximum, and add the block, measured by the same.

    A sum of exp(score - top) is taken from one top to a higher one by a single factor,
    exp(old - new), whatever went into it. So no score has to be seen again. Where all are hidden
    so far, the top is -inf, and 0 is subtracted: -inf less -inf would be NaN.
    """
    new = np.maximum(top, scores.max(axis=-1))  # (..., n_queries)
    shift = np.where(new == -np.inf, 0, new)
    factor = np.exp(top - shift)  # 1 where the top stays
    exponentials = np.exp(scores - shift[..., None])  # (..., n_queries, n_block)
    total = factor * total + exponentials.sum(axis=-1)
    output = factor[..., None] * output + exponentials @ value
    return new, total, output


def answer(top, total, output, scores, value):
    """Give what is right, by which answers are judged."""
    return turned(top, total, output, scores, value)


def begun(n_queries, d_value, lead=()):
    """Give what is kept before anything was seen: top, total, output."""
    rows = (*lead, n_queries)
    return np.full(rows, -np.inf), np.zeros(rows), np.zeros((*rows, d_value))


def highest(top, scores):
    """Give the highest score so far."""
    return np.maximum(top, scores.max(axis=-1))


def shown(new):
    """Give what is subtracted: the top, or 0 where nothing was shown."""
    return np.where(np.isneginf(new), 0.0, new)


def lessened(scores, shift, _):
    """Subtract from each row its own number."""
    return scores - shift[..., np.newaxis]


def ratio(top, shift):
    """Give the factor from the old top to the new one."""
    return np.exp(top - shift)


def added(kept, factor, found):
    """Add what a block brings to what was kept, brought down by a factor."""
    return factor * kept + found


def turned(
    top, total, output, scores, value, *, highest=highest, shift=shown, less=lessened, power=np.exp,
    factor=ratio, to_total=added, to_output=added, kept=lambda old, new: new,
):  # fmt: skip
    """Take the step with knobs, each of which can be set wrong."""
    new = highest(top, scores)
    by = shift(new)
    made, brought = power(less(scores, by, top)), factor(top, by)
    now = to_total(total, brought, made.sum(axis=-1))
    mixed = to_output(output, brought[..., np.newaxis], made @ value)
    return kept((top, total, output), (new, now, mixed))


def cases():
    """Two queries by hand, one of which finds a higher score; few and many keys; a batch."""
    given = SHAPES.given(np.random.default_rng(54), met)
    top, total = np.array([1.0, 3.0]), np.array([1.5, 2.0])
    output = np.array([[2.0, 0, 1, 0, 1], [0, 4, 0, 1, 2]])
    scores = np.array([[2.0, 0.0, 1.0], [1.0, 2.5, 0.0]])
    value = np.array([[1.0, 0, 0, 2, 1], [0, 1, 0, 0, 3], [0, 0, 2, 1, 0]])
    yield Case("the small example is right", (top, total, output, scores, value))
    yield Case("more queries than keys are right", given(n_queries=11, n_block=3, d_value=5))
    yield Case("more keys than queries are right", given(n_queries=3, n_block=13, d_value=2))
    yield Case("works with leading batch axes", given((2,), n_queries=3, n_block=5, d_value=7))


def met(top, total, output, scores, value):
    """Let totals be at least 1, as they are: the highest score's own exponential is in them."""
    return top, 1 + np.abs(total), output, scores, value


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(154)
    given = SHAPES.given(rng, met)

    def first(lead=(), hidden=0, **sizes):
        *_, scores, value = given(lead, **sizes)
        scores[..., :hidden, :] = -np.inf
        return *begun(scores.shape[-2], value.shape[-1], lead), scores, value

    def hidden(rows, lead=()):
        top, total, output, scores, value = given(lead)
        scores[..., rows, :] = -np.inf
        return top, total, output, scores, value

    def partly():
        top, total, output, scores, value = given()
        return top, total, output, np.where(np.tri(*scores.shape, 2), scores, -np.inf), value

    def steep(scores, old):
        top, total, output, _, value = given(n_queries=len(scores), n_block=scores.shape[-1])
        return np.round(top) + old, total, output, scores, value  # exact in float32, too

    large = promises.steep_scores()
    tops = -9990.0, 0.0, 9990.0
    return promises.of_shapes(SHAPES, given, none="n_queries") | {
        FIRST: [first(), first((2,)), first(n_queries=1, n_block=1, d_value=1)],
        HIDDEN: [
            first(hidden=1, n_queries=2, n_block=3, d_value=2), first(hidden=5), first(hidden=2),
            first((2,), hidden=1), hidden(slice(None)), hidden(slice(3)), hidden(slice(2), (3,)),
            partly(),
        ],
        LARGE: [steep(scores, old) for scores in large for old in tops],
        promises.SCORES.beyond: [
            steep(scores, old)
            for scores in promises.steep_scores([promises.BEYOND])
            for old in (0.0, promises.BEYOND)
        ],
    }  # fmt: skip


not_rescaled = wrongly_set(
    turned,
    "nothing rescaled",
    "You added the block to what was kept as it was, and that is measured by the old top.",
    "Multiply total and output by exp(old top - new top) first. That is 1 where the top stays.",
    factor=lambda top, shift: np.ones_like(shift),
)

total_not_rescaled = wrongly_set(
    turned,
    "total not rescaled",
    "You added to the total as it was, and it is measured by the old top.",
    "Sums of exponentials can be added where all were measured by one top. The factor that brings "
    "output there brings total there.",
    to_total=lambda kept, factor, found: kept + found,
)

output_not_rescaled = wrongly_set(
    turned,
    "output not rescaled",
    "You added to the output as it was, and it is measured by the old top.",
    "The output is a sum of exponentials times values. The factor that brings total to the new "
    "top brings output there, with an axis for its columns.",
    to_output=lambda kept, factor, found: kept + found,
)

upside_down = wrongly_set(
    turned,
    "factor upside down",
    "You multiplied by exp(new - old), where it is exp(old - new).",
    "A higher top makes every exponential smaller. So the factor is never above 1.",
    factor=lambda top, shift: np.exp(shift - top),
)

by_the_new = wrongly_set(
    turned,
    "factor of the new top alone",
    "You multiplied what was kept by exp(-new), as if nothing had been subtracted before.",
    "The old top has been subtracted already. What is left to subtract is new - old.",
    factor=lambda top, shift: np.exp(-shift),
)

by_the_old = wrongly_set(
    turned,
    "factor of the old top alone",
    "You multiplied what was kept by exp(old), which takes back what was subtracted.",
    "Then the new top is still to be subtracted: the factor is exp(old - new).",
    factor=lambda top, shift: np.exp(top),
)

positive_new = wrongly_set(
    turned,
    "factor of the new top, with the other sign",
    "You multiplied what was kept by exp(new), where it is exp(old - new).",
    "What was kept is measured by the old top. The factor leads from there to the new one.",
    factor=lambda top, shift: np.exp(shift),
)

factor_squared = wrongly_set(
    turned,
    "rescaled twice",
    "You multiplied what was kept by the factor twice.",
    "One factor, exp(old - new), leads from the old top to the new one.",
    factor=lambda top, shift: np.exp(2 * (top - shift)),
)

block_rescaled = wrongly_set(
    turned,
    "block rescaled, and not what was kept",
    "You multiplied what the block brings by the factor, and not what was kept.",
    "The block is measured by the new top already. What was kept is not.",
    to_total=lambda kept, factor, found: kept + factor * found,
    to_output=lambda kept, factor, found: kept + factor * found,
)

both_rescaled = wrongly_set(
    turned,
    "block rescaled, too",
    "You multiplied the whole sums by the factor, the block's part, too.",
    "The block is measured by the new top already. Rescale first, and add then.",
    to_total=lambda kept, factor, found: factor * (kept + found),
    to_output=lambda kept, factor, found: factor * (kept + found),
)

block_alone = wrongly_set(
    turned,
    "highest score of the block alone",
    "You took the block's own highest score for the top, even where an earlier one was higher.",
    "The top never falls: of the old one and of the block's highest, it is the higher.",
    highest=lambda top, scores: scores.max(axis=-1),
)

old_top = wrongly_set(
    turned,
    "top not updated",
    "You went on with the old top, so that a higher score has an exponential above 1.",
    "The top is the higher of two: the old one, and the block's highest score.",
    highest=lambda top, scores: top,
)

old_top_returned = wrongly_set(
    turned,
    "old top returned",
    "Your total and output are right, but the top that you return is the old one.",
    "The next block needs the top by which total and output are measured now.",
    kept=lambda old, new: (old[0].copy(), *new[1:]),
)

lowest = wrongly_set(
    turned,
    "lowest score",
    "You took the lowest score of the block, and the highest is asked for.",
    "What is subtracted is the highest score, so that no exponential is above 1.",
    highest=lambda top, scores: np.maximum(top, scores.min(axis=-1)),
)

one_for_all = wrongly_set(
    turned,
    "one top for all queries",
    "You took one highest score for all queries.",
    "Each query has its own row of scores, and its own top: the maximum along the last axis.",
    highest=lambda top, scores: np.maximum(top, scores.max(initial=-np.inf)),
)

divided = wrongly_set(
    turned,
    "divided already",
    "You divided the output by the total, and the next block would be added to a mean.",
    "Return the sums. Whoever calls divides once, after the last block.",
    kept=lambda old, new: (*new[:2], new[2] / new[1][..., np.newaxis]),
)

unshifted = wrongly_set(
    turned,
    "scores of the block not shifted",
    "You took exponentials of the block's scores as they are.",
    "They are added to sums that are measured by the top. So subtract it from each score first.",
    less=lambda scores, shift, top: scores,
)

nothing_subtracted = wrongly_set(
    turned,
    "nothing subtracted",
    "You took exponentials of scores as they are, and added to what was kept as it was.",
    "What was kept is measured by the old top, and large scores overflow. So subtract the new top "
    "from each score, and bring total and output to it first.",
    less=lambda scores, shift, top: scores,
    factor=lambda top, shift: np.ones_like(shift),
)

shifted_by_old = wrongly_set(
    turned,
    "block shifted by the old top",
    "You subtracted the old top from the block's scores, and what was kept is measured by the new.",
    "All of it is measured by one top in the end, which is the new one.",
    less=lambda scores, shift, top: scores - shown(top)[..., np.newaxis],
)

shifted_by_own = wrongly_set(
    turned,
    "block shifted by its own highest score",
    "You subtracted the block's own highest score, even where the top is higher.",
    "What is added is to be measured by one top, the new one, as all that was kept is.",
    less=lambda scores, shift, top: scores - shown(scores.max(axis=-1))[..., np.newaxis],
)

twice_exponential = wrongly_set(
    turned,
    "exponential taken twice",
    "You took the exponential of exponentials.",
    "One `np.exp` of score less top is what total adds up, and what meets the values.",
    power=lambda x: np.exp(np.exp(x)),
)

no_exponential = wrongly_set(
    turned,
    "no exponential",
    "You added up scores, and their exponentials are asked for.",
    "`np.exp` of score less top comes first.",
    power=lambda x: np.where(np.isneginf(x), 0, x),
)

normalised = wrongly_set(
    turned,
    "softmax of the block",
    "You divided the block's exponentials by their sum, as a softmax does.",
    "What a block's sum is counts beside the other blocks' sums. Leave them undivided, and add.",
    power=attnlib.softmax,
)

total_replaced = wrongly_set(
    turned,
    "total replaced",
    "Your total is that of the block alone.",
    "Add it to the old one, once that is brought to the new top.",
    to_total=lambda kept, factor, found: found,
)

output_replaced = wrongly_set(
    turned,
    "output replaced",
    "Your output is that of the block alone.",
    "Add it to the old one, once that is brought to the new top.",
    to_output=lambda kept, factor, found: found,
)

both_replaced = wrongly_set(
    turned,
    "total and output replaced",
    "Your total and output are those of the block alone, and what was kept is lost.",
    "Bring the old ones to the new top, and add the block's to them.",
    factor=lambda top, shift: np.zeros_like(shift),
)

infinite = wrongly_set(
    turned,
    "-inf less -inf",
    "Where all is hidden so far, you subtracted -inf from -inf, and that is nan.",
    "Choose what is subtracted by `np.where`: the top, and 0 where the top is -inf.",
    shift=lambda new: new,
)


@mistake("mean in place of the sum")
def mean_total(top, total, output, scores, value):
    """You added the mean of the block's exponentials to the total.

    Blocks may be of any size, and each key counts once: add up.
    """

    def mean_added(kept, factor, found):
        return factor * kept + found / scores.shape[-1]

    return turned(top, total, output, scores, value, to_total=mean_added)


@mistake("summed over the queries")
def over_queries(top, total, output, scores, value):
    """You added up along the queries, and each query has a total of its own.

    A row of scores is one query's. The keys of the block stand along the last axis.
    """
    new = np.maximum(top, scores.max(axis=-1))
    shift = np.where(new == -np.inf, 0, new)
    factor = np.exp(top - shift)
    made = np.exp(scores - shift[..., None])
    total = factor * total + made.sum(axis=-2)
    return new, total, factor[..., None] * output + made @ value


@mistake("maximum over the queries")
def top_over_queries(top, total, output, scores, value):
    """You took the maximum along the queries, and each query has a top of its own.

    A row of scores is one query's. The keys of the block stand along the last axis.
    """
    new = np.maximum(top, scores.max(axis=-2))
    factor = np.exp(top - new)
    made = np.exp(scores - new[..., None])
    total = factor * total + made.sum(axis=-1)
    return new, total, factor[..., None] * output + made @ value


@mistake("value transposed")
def value_transposed(top, total, output, scores, value):
    """You transposed the values, and a key's value is a row of them already.

    (n_queries, n_block) times (n_block, d_value) gives one row for each query.
    """
    new = np.maximum(top, scores.max(axis=-1))
    shift = np.where(new == -np.inf, 0, new)
    factor = np.exp(top - shift)
    made = np.exp(scores - shift[..., None])
    total = factor * total + made.sum(axis=-1)
    return new, total, factor[..., None] * output + made @ value.swapaxes(-1, -2)


@mistake("top without an axis for the keys")
def flat_top(top, total, output, scores, value):
    """You subtracted the tops without an axis for the keys, so they lie along the columns.

    Each top belongs to a row. `top[..., None]` is a column, and is used all along its row.
    """
    new = np.maximum(top, scores.max(axis=-1))
    made = np.exp(scores - new)
    factor = np.exp(top - new)
    total = factor * total + made.sum(axis=-1)
    return new, total, factor[..., None] * output + made @ value


@mistake("factor without an axis for the columns")
def flat_factor(top, total, output, scores, value):
    """You multiplied the output by the factors without an axis for its columns.

    Each factor belongs to a row. With an axis more, factors are a column, used all along the rows.
    """
    new = np.maximum(top, scores.max(axis=-1))
    shift = np.where(new == -np.inf, 0, new)
    factor = np.exp(top - shift)
    made = np.exp(scores - shift[..., None])
    total = factor * total + made.sum(axis=-1)
    return new, total, factor * output + made @ value


@mistake("axis 1 for the last axis")
def axis_1(top, total, output, scores, value):
    """Yours is right for matrices; with a batch, axis 1 is that of the queries.

    Count from the end: the keys of a query stand along the last axis, whatever stands in front.
    """
    new = np.maximum(top, scores.max(axis=1))
    shift = np.where(new == -np.inf, 0, new)
    factor = np.exp(top - shift)
    made = np.exp(scores - shift[..., None])
    total = factor * total + made.sum(axis=1)
    return new, total, factor[..., None] * output + made @ value


def in_blocks(answer, scores, value, size):
    """Give top, total and output after all blocks of a size, the last of which may be smaller."""
    kept = begun(scores.shape[-2], value.shape[-1], scores.shape[:-2])
    for start in range(0, scores.shape[-1], size):
        block = slice(start, start + size)
        kept = answer(*kept, scores[..., block], value[..., block, :])
    return kept


def is_attention(answer, top, total, output, scores, value):
    """Go through the block in blocks of 1, 2 and all keys, and see that each gives attention."""
    due = attnlib.softmax(scores) @ value
    for size in (1, 2, scores.shape[-1]):
        _, given, mixed = in_blocks(answer, scores, value, size)
        if not close(mixed / given[..., np.newaxis], due):
            return False
    return True


def in_two(answer, top, total, output, scores, value):
    """Take the block in two parts, one step for each."""
    kept = top, total, output
    for block in (slice(1), slice(1, None)):
        kept = answer(*kept, scores[..., block], value[..., block, :])
    return all(map(close, kept, answer(top, total, output, scores, value)))


def moved(answer, top, total, output, scores, value):
    """Let all scores be 5 more, those that were seen before, too."""
    before = answer(top, total, output, scores, value)
    after = answer(top + 5, total, output, scores + 5, value)
    return close(after[0], before[0] + 5) and all(map(close, after[1:], before[1:]))


EXERCISE = Exercise(
    solution=online_softmax_step,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES.of("scores"),),
    facts=(
        Fact("after all blocks, output / total is attention, for every size of block",
            is_attention),
        Fact("a block in two parts gives the same", in_two),
        Fact("all scores moved by 5 move the top by 5, and nothing else", moved),
        Fact("the top never falls", lambda f, top, *rest: close(
            np.minimum(f(top, *rest)[0], top), top)),
    ),
    hints=(
        "Three things are kept for each query: its highest score so far, and two sums of "
        "exponentials that are measured by it. What happens to them when a higher score comes? "
        "And what does the block add?",
        "exp(score - new) is exp(score - old) times exp(old - new), and the second factor is the "
        "same for all that a query has seen. So rescale total and output by it, and then add the "
        "block's exponentials, and their product with the values.",
        "New top: `np.maximum` of the old one and `scores.max(axis=-1)`. Subtract it from each row "
        "of scores, with `[..., None]`; where it is -inf, subtract 0. Then `np.exp`, a sum along "
        "the last axis for total, and `@ value` for output.",
    ),
    parts=("top", "total", "output"),
)  # fmt: skip
