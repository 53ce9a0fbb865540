"""How many bytes the keys and values take that a writer keeps."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

NOTHING = Promise(
    "nothing read yet takes no bytes",
    "With no tokens there are no keys and no values. Multiply by the number of tokens as it is.",
)
PUBLISHED = Promise(
    "models of the usual sizes are right",
    "Such a cache takes thousands of millions of bytes, and Python's own whole numbers grow as "
    "they have to. Multiply them as they come in, and cut nothing off.",
)

SHAPES = Shapes("n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number -> ()")


def cache_bytes(n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number):
    """Count a key and a value for each token, in each layer, in each head that has its own.

    Several query heads may share a key–value head. Then there are fewer to keep, and that is all
    that sharing saves here: how many heads ask is no part of it.
    """
    numbers = 2 * n_layers * n_kv_heads * d_head * n_tokens  # keys and values
    return numbers * bytes_per_number


def answer(n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number):
    """Give what is right, by which answers are judged."""
    factors = [2, n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number]
    return np.prod(factors, dtype=np.int64)


def cases():
    """Two small layers by hand; more of each."""
    yield Case("the small example is right", (2, 3, 5, 7, 2))
    yield Case("many layers are right", (13, 2, 7, 3, 4))
    yield Case("many heads are right", (3, 11, 2, 5, 1))
    yield Case("many tokens are right", (2, 5, 3, 101, 8))


def promised():
    """Give the inputs that hold an answer to each promise."""
    return promises.of_shapes(SHAPES, SHAPES.given(None)) | {
        NOTHING: [(2, 3, 5, 0, 2), (1, 1, 1, 0, 1)],
        PUBLISHED: [(32, 32, 128, 4096, 2), (80, 8, 128, 131_072, 2), (61, 128, 192, 8192, 1)],
    }


def same(n):
    """Leave a number as it is."""
    return n


def turned(
    n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number, *, both=2, layers=same, heads=same,
    width=same, tokens=same, size=same, last=same,
):  # fmt: skip
    """Count with knobs, each of which can be set wrong."""
    found = both * layers(n_layers) * heads(n_kv_heads) * width(d_head) * tokens(n_tokens)
    return last(found * size(bytes_per_number))


def one(_):
    """Leave a number out."""
    return 1


keys_alone = wrongly_set(
    turned,
    "2 forgotten",
    "You counted the keys alone, or the values alone.",
    "Both are kept, and both are as large.",
    both=1,
)

bits_taken = wrongly_set(
    turned,
    "divided by 8",
    "You divided by 8, as if the last input were in bits.",
    "It says how many bytes a number takes: 4 in float32, 2 in float16.",
    size=lambda size: size / 8,
)

in_bits = wrongly_set(
    turned,
    "counted in bits",
    "You multiplied by 8, so that yours is a number of bits.",
    "Bytes are asked for, and what a number takes comes in bytes already.",
    size=lambda size: 8 * size,
)

squared = wrongly_set(
    turned,
    "n_tokens squared",
    "You squared the number of tokens, which is what a table of scores takes.",
    "Each token leaves one key and one value behind. Scores are not kept.",
    tokens=lambda n: n * n,
)

no_layers = wrongly_set(
    turned,
    "n_layers forgotten",
    "You counted one layer.",
    "Each layer has its own keys and values, and all of them are kept.",
    layers=one,
)

no_heads = wrongly_set(
    turned,
    "n_kv_heads forgotten",
    "You counted one head in each layer.",
    "Each key–value head has its own keys and values.",
    heads=one,
)

no_width = wrongly_set(
    turned,
    "d_head forgotten",
    "You counted a key as one number, and it is a row of them.",
    "A key of a head has d_head numbers, and so has a value.",
    width=one,
)

no_tokens = wrongly_set(
    turned,
    "n_tokens forgotten",
    "You counted what a single token leaves behind.",
    "Every token that was read or written stays: multiply by how many they are.",
    tokens=one,
)

numbers_alone = wrongly_set(
    turned,
    "numbers counted",
    "You counted the numbers, and not the bytes that they take.",
    "Each number takes bytes_per_number of them.",
    size=one,
)

queries_too = wrongly_set(
    turned,
    "queries counted, too",
    "You counted three things for each token, and two are kept.",
    "A query asks once, when its token is written. Nobody needs it later.",
    both=3,
)

twice_doubled = wrongly_set(
    turned,
    "2 taken twice",
    "You doubled it twice.",
    "There is one factor of 2: keys, and values.",
    both=4,
)

width_squared = wrongly_set(
    turned,
    "d_head squared",
    "You squared the width of a head, as a matrix of weights would.",
    "A key is a row of d_head numbers. Matrices do not belong to the cache.",
    width=lambda d: d * d,
)

heads_squared = wrongly_set(
    turned,
    "n_kv_heads squared",
    "You multiplied by the number of heads twice.",
    "d_head is the width of one head already, so the heads count once.",
    heads=lambda n: n * n,
)

added_up = wrongly_set(
    turned,
    "added up over all steps",
    "You added up the cache of every step, from the first token to the last.",
    "It grows: what it holds at the end has the earlier tokens in it. Count that.",
    tokens=lambda n: n * (n + 1) // 2,
)

all_but_last = wrongly_set(
    turned,
    "last token left out",
    "You left out the last token.",
    "All n_tokens are kept: count each of them.",
    tokens=lambda n: n - 1,
)

in_kilobytes = wrongly_set(
    turned,
    "in thousands",
    "You divided by a thousand.",
    "The number of bytes is asked for. Divide where you print it.",
    last=lambda n: n / 10**3,
)

in_kibibytes = wrongly_set(
    turned,
    "divided by 1,024",
    "You divided by 1,024.",
    "The number of bytes is asked for. Divide where you print it.",
    last=lambda n: n / 2**10,
)

in_megabytes = wrongly_set(
    turned,
    "in millions",
    "You divided by a million.",
    "The number of bytes is asked for. Divide where you print it.",
    last=lambda n: n / 10**6,
)

in_gigabytes = wrongly_set(
    turned,
    "in thousand millions",
    "You divided by a thousand million.",
    "The number of bytes is asked for. Divide where you print it.",
    last=lambda n: n / 10**9,
)


@mistake("sizes added")
def added(n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number):
    """You added sizes where they have to be multiplied.

    Each layer has so many heads, and each head so many rows: every one of them counts in full.
    """
    return 2 * (n_layers + n_kv_heads + d_head + n_tokens) * bytes_per_number


@mistake("power of 2")
def power(n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number):
    """You took a power of 2 for each number, and it takes bytes_per_number bytes.

    How many bytes a number takes is said. Multiply by it.
    """
    return turned(n_layers, n_kv_heads, d_head, n_tokens, 2**bytes_per_number)


EXERCISE = Exercise(
    solution=cache_bytes,
    answer=answer,
    returns="number of bytes",
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("twice the tokens take twice the bytes", lambda f, layers, heads, d, n, size: close(
            f(layers, heads, d, 2 * n, size), 2 * f(layers, heads, d, n, size))),
        Fact("two heads take as much as one that is twice as wide",
            lambda f, layers, heads, d, n, size: close(
                f(layers, 2 * heads, d, n, size), f(layers, heads, 2 * d, n, size))),
        Fact(
            "bytes come as a whole number",
            lambda f, *inputs: f(*inputs).dtype.kind == "i",
            "All that comes in is whole. `*` keeps it so, and `/` and `2.0` do not.",
        ),
    ),
    hints=(
        "Begin with one token in one head of one layer. Which two rows does it leave behind, and "
        "how many numbers has each?",
        "All of it is one product: two kinds of rows, the width of a row, and how many tokens, "
        "heads and layers there are, are numbers; the last input makes bytes of them.",
    ),
)  # fmt: skip
