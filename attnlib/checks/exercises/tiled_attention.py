"""Attention block by block: the same output, and never a table of all scores."""

import numpy as np

import attnlib
from attnlib.checks import promises, watched
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises import online_softmax_step as online
from attnlib.checks.exercises.attention import between
from attnlib.checks.exercises.online_softmax_step import LARGE
from attnlib.checks.shapes import Shapes

BLOCKS = Promise(
    "blocks of any size are right: of 1 key, of all, and where the last one is smaller",
    "The last block takes what is left, and a slice that ends beyond the last key stops there by "
    "itself. Where size is larger than the number of keys, one block holds them all.",
)

# What is measured, once: so many queries and keys, in blocks of so many, and what they may take.
N_QUERIES, N_KEYS, SIZE, ALLOWED = 256, 2048, 64, 10**6

SHAPES = Shapes(
    "(..., n_queries, d_key), (..., n_keys, d_key), (..., n_keys, d_value), size "
    "-> (..., n_queries, d_value)"
)


def tiled_attention(query, key, value, size):
    """Go through the keys once, block by block, and keep three things for each query.

    They are its highest score so far and two sums of exponentials, measured by that. A block's
    scores are forgotten when the next block comes, so memory no longer grows with n_queries times
    n_keys. Nothing is approximated: the factor makes up for whatever was subtracted too early.
    """
    rows = query.shape[:-1]  # (..., n_queries)
    top, total = np.full(rows, -np.inf), np.zeros(rows)
    output = np.zeros((*rows, value.shape[-1]))
    for start in range(0, key.shape[-2], size):
        block = slice(start, start + size)
        scores = query @ key[..., block, :].swapaxes(-1, -2) / np.sqrt(query.shape[-1])
        new = np.maximum(top, scores.max(axis=-1))
        factor, top = np.exp(top - new), new
        exponentials = np.exp(scores - top[..., None])  # (..., n_queries, size)
        total = factor * total + exponentials.sum(axis=-1)
        output = factor[..., None] * output + exponentials @ value[..., block, :]
    return output / total[..., None]


def answer(query, key, value, size):
    """Give what is right, by which answers are judged."""
    return turned(query, key, value, size)


def blocks(n, size):
    """Give the blocks of n keys, as slices."""
    return [slice(start, start + size) for start in range(0, n, size)]


def by_root(query, key, size):
    """Give the right scale."""
    return 1 / np.sqrt(query.shape[-1])


def taken(x, block):
    """Give a block's rows."""
    return x[..., block, :]


def divided(top, total, output):
    """Divide once, at the end."""
    return output / total[..., np.newaxis]


def turned(
    query, key, value, size, *, scale=by_root, cut=blocks, step=online.turned, mixed=taken,
    end=divided,
):  # fmt: skip
    """Go through the keys with knobs, each of which can be set wrong."""
    kept = online.begun(query.shape[-2], value.shape[-1], query.shape[:-2])
    for block in cut(key.shape[-2], size):
        scores = query @ taken(key, block).swapaxes(-1, -2) * scale(query, key, size)
        kept = step(*kept, scores, mixed(value, block))
    return end(*kept)


def cases():
    """Two queries and five keys by hand, in blocks of two; small and large blocks; a batch."""
    given = SHAPES.given(np.random.default_rng(55))
    query = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])
    key = np.array([[1.0, 0, 1], [0, 1, 0], [2, 0, 0], [0, 2, 1], [1, 1, 0]])
    value = np.array([[4.0, 0, 0, 0, 1, 0, 0], [0, 4, 0, 0, 0, 1, 0], [0, 0, 4, 0, 0, 0, 1],
                      [0, 0, 0, 4, 1, 0, 0], [2, 0, 0, 0, 0, 2, 0]])  # fmt: skip
    yield Case("the small example is right", (query, key, value, 2))
    yield Case(
        "many small blocks are right",
        given(n_queries=5, n_keys=23, d_key=7, d_value=3, size=3),
    )
    yield Case(
        "two large blocks are right",
        given(n_queries=13, n_keys=19, d_key=2, d_value=5, size=11),
    )
    yield Case(
        "works with leading batch axes",
        given((5,), n_queries=3, n_keys=7, d_key=2, d_value=11, size=3),
    )


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(155)
    given = SHAPES.given(rng)
    sizes = {"n_queries": 3, "d_key": 5, "d_value": 2}

    def steep(levels):
        for query, key in promises.steep_pairs(levels):
            for size in (1, 2, 7):
                yield query, key, rng.normal(size=(len(key), 2)), size

    return promises.of_shapes(SHAPES, given, none="n_queries") | {
        BLOCKS: [
            given(n_keys=n_keys, size=size, **sizes)
            for n_keys, size in ((7, 1), (7, 6), (7, 7), (7, 8), (7, 100), (12, 4), (12, 5), (1, 2))
        ],
        LARGE: [*steep(promises.LEVELS)],
        promises.SCORES.beyond: [*steep([promises.BEYOND])],
    }


def by_blocks(query, key, value, size):
    """Give the softmax attention of each block by itself."""
    return [
        attnlib.attention(query, taken(key, block), taken(value, block))
        for block in blocks(key.shape[-2], size)
    ]


@mistake("mean over the blocks")
def mean_of_blocks(query, key, value, size):
    """You took a softmax in each block, and the mean over all blocks.

    A block whose scores are high should count for more than one whose scores are low. Keep sums
    of exponentials, add those of all blocks up, and divide once.
    """
    return np.mean(by_blocks(query, key, value, size), axis=0)


@mistake("mean over the blocks, by their keys")
def mean_by_keys(query, key, value, size):
    """You took a softmax in each block, and a mean in which a block counts by its number of keys.

    What a block counts is told by its scores, and not by its size. Keep sums of exponentials, add
    those of all blocks up, and divide once.
    """
    found = by_blocks(query, key, value, size)
    n_keys = [len(range(key.shape[-2])[block]) for block in blocks(key.shape[-2], size)]
    return np.average(found, axis=0, weights=n_keys)


@mistake("blocks added up")
def sum_of_blocks(query, key, value, size):
    """You took a softmax in each block, and added the blocks up.

    So each block's weights sum to 1, and those of all blocks should. Keep sums of exponentials,
    and divide once, by the total of all.
    """
    return np.sum(by_blocks(query, key, value, size), axis=0)


last_dropped = wrongly_set(
    turned,
    "last block dropped",
    "You left out the keys of the last block, which is smaller than the others.",
    "Let the blocks begin at `range(0, n, size)`: a slice that ends beyond the last key stops "
    "there.",
    cut=lambda n, size: blocks(n // size * size, size),
)

first_dropped = wrongly_set(
    turned,
    "first block dropped",
    "You left out the first block.",
    "Begin with a top of -inf, and 0 for total and output; the first block is a block as all are.",
    cut=lambda n, size: blocks(n, size)[1:],
)

first_alone = wrongly_set(
    turned,
    "first block alone",
    "You returned after the first block.",
    "Does `return` stand within the loop? It belongs behind it.",
    cut=lambda n, size: blocks(n, size)[:1],
)

last_alone = wrongly_set(
    turned,
    "last block alone",
    "Yours is the attention of the last block alone, and what was kept is lost.",
    "Top, total and output begin before the loop, and go from one block to the next.",
    cut=lambda n, size: blocks(n, size)[-1:],
)

one_twice = wrongly_set(
    turned,
    "one key in two blocks",
    "Your blocks overlap by one key, which counts twice.",
    "A slice ends before its second number: from start to start + size, it has size keys.",
    cut=lambda n, size: [slice(b.start, b.stop + 1) for b in blocks(n, size)],
)

nothing_rescaled = wrongly_set(
    turned,
    "nothing rescaled",
    "You subtract another top in each block, and what was kept is not brought to the new one.",
    "Multiply total and output by exp(old top - new top) before the block is added.",
    step=online.not_rescaled.function,
)

total_not_rescaled = wrongly_set(
    turned,
    "total not rescaled",
    "You brought the output to the new top, and not the total.",
    "Both are sums of exponentials, measured by the top. One factor belongs to both.",
    step=online.total_not_rescaled.function,
)

output_not_rescaled = wrongly_set(
    turned,
    "output not rescaled",
    "You brought the total to the new top, and not the output.",
    "Both are sums of exponentials, measured by the top. One factor belongs to both.",
    step=online.output_not_rescaled.function,
)

upside_down = wrongly_set(
    turned,
    "factor upside down",
    "You multiplied by exp(new - old), where it is exp(old - new).",
    "A higher top makes every exponential smaller. So the factor is never above 1.",
    step=online.upside_down.function,
)

divided_each_time = wrongly_set(
    turned,
    "divided in each block",
    "You divided the output in each block, and again at the end.",
    "Sums can be brought to a new top and added, and means cannot. Divide behind the loop.",
    step=online.divided.function,
)

no_shift = wrongly_set(
    turned,
    "no max shift",
    "Your formula is right, but large scores overflow in `np.exp`, and inf / inf is nan.",
    "Subtract the highest score so far, and bring to it what was kept, in each block.",
    step=lambda top, total, output, scores, value: online.turned(
        top,
        total,
        output,
        scores,
        value,
        shift=np.zeros_like,
        factor=lambda top, _: np.ones_like(top),
    ),
)

undivided = wrongly_set(
    turned,
    "not divided",
    "You returned the sum of exponentials times values, and did not divide by the total.",
    "Once all blocks are in, one division makes weights of the exponentials.",
    end=lambda top, total, output: output,
)

unscaled = wrongly_set(
    turned,
    "no scaling",
    "You did not scale the scores.",
    "Divide them by the square root of the width of a query, in each block.",
    scale=lambda query, key, size: 1.0,
)

by_width = wrongly_set(
    turned,
    "divided by the width",
    "You divided the scores by the width of a query, and it is by its square root.",
    "A sum of d products spreads with the square root of d.",
    scale=lambda query, key, size: 1 / query.shape[-1],
)

by_size = wrongly_set(
    turned,
    "square root of size",
    "You divided the scores by the square root of the size of a block.",
    "How many keys a block has makes no score larger. Take the width of a query.",
    scale=lambda query, key, size: 1 / np.sqrt(size),
)

by_n_keys = wrongly_set(
    turned,
    "square root of n_keys",
    "You divided the scores by the square root of the number of keys.",
    "How many keys there are makes no score larger. Take the width of a query.",
    scale=lambda query, key, size: 1 / np.sqrt(key.shape[-2]),
)

last_values = wrongly_set(
    turned,
    "values from the end",
    "You took the blocks of keys from the front, and those of values from the end.",
    "A key's value stands in the same row. One slice cuts both.",
    mixed=lambda value, block: taken(value[..., ::-1, :], block),
)


@mistake("last block filled with zeros")
def filled(query, key, value, size):
    """You filled the last block up with keys of 0, and they get weight, too.

    The score of such a key is 0, and its exponential is not. Let the last block be smaller.
    """
    more = [(0, 0)] * (key.ndim - 2) + [(0, -key.shape[-2] % size), (0, 0)]
    return attnlib.attention_weights(query, np.pad(key, more)) @ np.pad(value, more)


@mistake("key not transposed")
def not_transposed(query, key, value, size):
    """Query and keys met as they are, but the block of keys has to be transposed.

    Every query should meet every key of the block, feature by feature: let the last two axes of
    the keys change places.
    """
    scores = query @ key[..., :size, :]
    weights = attnlib.softmax(scores / np.sqrt(query.shape[-1]))
    return weights @ value[..., :size, :]


@mistake("blocks along the first axis")
def first_axis(query, key, value, size):
    """Yours is right for matrices; with a batch, `key[start:stop]` cuts the batch.

    Count from the end: `key[..., start:stop, :]` cuts the keys, whatever stands in front.
    """
    kept = online.begun(query.shape[-2], value.shape[-1], query.shape[:-2])
    for block in blocks(len(key), size):
        scores = query @ key[block].swapaxes(-1, -2) / np.sqrt(query.shape[-1])
        kept = online.turned(*kept, scores, value[block])
    return divided(*kept)


@mistake("batch axes forgotten")
def matrices_only(query, key, value, size):
    """Yours is right for matrices; with a batch, slices cut the batch, and `.T` turns all axes.

    Count from the end: cut the keys along axis -2, and let their last two axes change places.
    """
    kept = online.begun(query.shape[-2], value.shape[-1], query.shape[:-2])
    for block in blocks(len(key), size):
        scores = query @ key[block].T / np.sqrt(query.shape[-1])
        kept = online.turned(*kept, scores, value[block])
    return divided(*kept)


def every_size(answer, query, key, value, size):
    """Cut the keys in other ways, and see that the output is the same."""
    due, n_keys = attnlib.attention(query, key, value), key.shape[-2]
    return all(close(answer(query, key, value, n), due) for n in (1, 2, n_keys - 1, n_keys + 1))


def no_table(answer, query, key, value, size):
    """Measure what is held at once for many keys, and say it where it is too much.

    Once is enough, so the smallest example does it.
    """
    if query.shape[-2] > 2:
        return True
    many = [np.resize(x, (n, 3)) for x, n in ((query, N_QUERIES), (key, N_KEYS), (value, N_KEYS))]
    held = watched.held(answer, *many, SIZE)
    table, block = (8e-6 * N_QUERIES * n for n in (N_KEYS, SIZE))
    room = "the whole table" if held / 1e6 >= table else "many blocks at once"
    return held <= ALLOWED or (
        f"With {N_QUERIES} queries and {N_KEYS:,} keys in blocks of {SIZE}, your function held "
        f"{held / 1e6:.1f} MB at once, and {ALLOWED / 1e6:.0f} MB is allowed. All scores are a "
        f"table of {table:.1f} MB, and those of one block take {block:.1f} MB: what you held is "
        f"room for {room}."
    )


EXERCISE = Exercise(
    solution=tiled_attention,
    answer=answer,
    returns="output",
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    facts=(
        Fact("every size of block gives the same", every_size),
        Fact("no output leaves the range of the values", lambda f, q, k, v, size: between(
            lambda *x: f(*x, size), q, k, v)),
        Fact("reordered keys and values change nothing", lambda f, q, k, v, size: close(
            f(q, k[..., ::-1, :], v[..., ::-1, :], size), f(q, k, v, size))),
        Fact(
            "the scores of all keys are never held at once",
            no_table,
            "Work out a block's scores within the loop, from its own keys, and keep none of them: "
            "what goes on to the next block is a top, a total and an output for each query.",
        ),
    ),
    hints=(
        "You have the step: `online_softmax_step`. What does it begin with, which scores and "
        "values does it get in each turn of a loop over blocks of keys, and what is left to do "
        "behind the loop?",
        "`range(0, n_keys, size)` gives where blocks begin, and a slice from start to start + size "
        "along axis -2 is one. Its scores are those of all queries with these keys, divided by the "
        "square root of d_key. Begin with -inf, 0 and 0, of the shapes that the step returns.",
        "Behind the loop divide output by total, with an axis for its columns. What a block made "
        "may be overwritten by the next one; no list of blocks is needed.",
    ),
)  # fmt: skip
