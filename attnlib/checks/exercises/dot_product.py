"""The dot product of two vectors."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(d), (d) -> ()")


def dot_product(a, b):
    """Multiply what stands at the same place and add up: `@` does both, for vectors of any length.

    The result is one number. It is positive where the vectors point the same way.
    """
    return (a * b).sum()  # the same as a @ b


def answer(a, b):
    """Give what is right, by which answers are judged."""
    return a @ b


def cases():
    """Vectors of length 2, 3, 7 and 13."""
    rng = np.random.default_rng(1)
    yield Case("the small example is right", (np.array([1.0, 2.0]), np.array([4.0, -3.0])))
    perpendicular = np.array([2.0, 1.0, -1.0]), np.array([1.0, -3.0, -1.0])
    yield Case("perpendicular vectors give 0", perpendicular)
    for length in (7, 13):
        a, b = rng.normal(size=(2, length))
        yield Case("longer vectors are right", (a, b))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(101)
    pair = SHAPES.given(rng)
    short, wide = promises.SHORT, promises.LONG
    return {
        promises.LENGTHS_OF_VECTORS: [pair(d=length) for length in promises.LENGTHS],
        promises.SCALE: [
            tuple(map(promises.long, pair(), lengths))
            for lengths in ((short, short), (wide, short), (short, wide), (wide, wide))
        ],
        promises.VECTORS.beyond: [
            tuple(map(promises.long, pair(), (length, 1))) for length in promises.FAR_OFF
        ],
        promises.SAME_SHAPES: promises.again(pair),
    }


def turned(a, b, *, meet=np.multiply, gather=np.sum, after=np.positive):
    """Answer with knobs, each of which can be set wrong."""
    return after(gather(meet(a, b)))


elementwise = wrongly_set(
    turned,
    "elementwise product",
    "You multiplied the entries and stopped there: the products have to be added up as well.",
    "`a * b` holds one product per entry, and the dot product is a single number. What makes one "
    "number of many?",
    gather=np.positive,
)

outer = wrongly_set(
    turned,
    "outer product",
    "You multiplied every entry of a with every entry of b, which is the outer product.",
    "Here only entries at the same place meet, `a[0]` with `b[0]` and so on. Then their products "
    "are added up.",
    meet=np.outer,
    gather=np.positive,
)


@mistake("cosine instead of the dot product")
def cosine(a, b):
    """You divided by the lengths, which makes a cosine; a later exercise asks for that.

    The dot product keeps the lengths, so that long vectors give large numbers. Leave the division
    out.
    """
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


mean = wrongly_set(
    turned,
    "mean of the products",
    "You took the mean of the products, but it is their sum that is asked for.",
    "A mean is a sum divided by the number of entries. Leave that division out.",
    gather=np.mean,
)


@mistake("product of the lengths")
def lengths(a, b):
    """You multiplied the two lengths, and the directions of the vectors play no part.

    Two long vectors may well have a dot product of 0, if they are perpendicular. Multiply entry by
    entry and add up.
    """
    return np.linalg.norm(a) * np.linalg.norm(b)


@mistake("summed before multiplying")
def sums(a, b):
    """You added up each vector first and then multiplied the two sums.

    Turn it round: multiply the entries at the same place first, and add up the products after that.
    """
    return a.sum() * b.sum()


added = wrongly_set(
    turned,
    "added instead of multiplied",
    "You added the entries of a to those of b, where the two should be multiplied.",
    "Look at the step where `a[i]` meets `b[i]`: a `*` belongs between them.",
    meet=np.add,
)

short = wrongly_set(
    turned,
    "last entry left out",
    "You left out the last entry.",
    "A `range` stops before its end by itself, so there is no need to subtract 1.",
    gather=lambda products: products[:-1].sum(),
)

first = wrongly_set(
    turned,
    "only the first product",
    "You returned the first product only.",
    "If a `return` stands inside the loop, it ends the function in its first round. Move it to the "
    "left, so that it comes after the loop.",
    gather=lambda products: products[0],
)

last = wrongly_set(
    turned,
    "only the last product",
    "You kept the last product only, and all the others are lost.",
    "Start a total at 0 before the loop, and let each round add its product to it, not take its "
    "place.",
    gather=lambda products: products[-1],
)

unsigned = wrongly_set(
    turned,
    "sign lost",
    "You lost the sign: for vectors that point away from each other, the dot product is negative.",
    "Leave the absolute value out, or the square that had the same effect.",
    after=np.abs,
)


@mistake("distance instead of the dot product")
def distance(a, b):
    """You computed the distance between the two points.

    A distance looks at differences. The dot product multiplies what stands at the same place, and
    adds up.
    """
    return np.linalg.norm(a - b)


pair = wrongly_set(
    turned,
    "two entries only",
    "You used two entries of each vector, and the others play no part.",
    "Vectors may be of any length. Ask for it, with `len(a)`, or multiply whole arrays.",
    gather=lambda products: products[:2].sum(),
)

largest = wrongly_set(
    turned,
    "largest product",
    "You took the largest of the products, but it is their sum that is asked for.",
    "All products count. Add them up.",
    gather=np.max,
)

multiplied = wrongly_set(
    turned,
    "products multiplied",
    "You multiplied the products with each other, where they should be added up.",
    "Let a `sum` stand where your `prod` is, or a `+=` where your `*=` is.",
    gather=np.prod,
)

from_one = wrongly_set(
    turned,
    "1 too much",
    "Your number is 1 too large.",
    "A sum begins at 0. Where does your total begin?",
    after=lambda total: total + 1,
)

squared = wrongly_set(
    turned,
    "squared",
    "You returned the square of the dot product.",
    "The products are added up, and that is all. Leave the square out.",
    after=np.square,
)

rooted = wrongly_set(
    turned,
    "root of the dot product",
    "You took a square root, which the dot product does not have.",
    "The root of a vector's dot product with itself is its length. Here you need no root, and a "
    "negative number has none.",
    after=np.sqrt,
)

unsigned_products = wrongly_set(
    turned,
    "signs of the products lost",
    "You added up the products without their signs.",
    "A product of numbers of different signs is negative, and takes away from the sum.",
    meet=lambda a, b: np.abs(a * b),
)

subtracted = wrongly_set(
    turned,
    "subtracted instead of multiplied",
    "You subtracted the entries of b from those of a, where the two should be multiplied.",
    "Look at the step where `a[i]` meets `b[i]`: a `*` belongs between them.",
    meet=np.subtract,
)


@mistake("divided by the length of b")
def along_b(a, b):
    """You divided by the length of b, which tells how far a reaches along it.

    The dot product keeps both lengths. Leave the division out.
    """
    return a @ b / np.linalg.norm(b)


@mistake("divided by the length of a")
def along_a(a, b):
    """You divided by the length of a, which tells how far b reaches along it.

    The dot product keeps both lengths. Leave the division out.
    """
    return a @ b / np.linalg.norm(a)


EXERCISE = Exercise(
    solution=dot_product,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("a", "b"),),
    facts=(
        Fact("the order of the two does not matter", lambda f, a, b: close(f(a, b), f(b, a))),
        Fact("twice as long a vector, twice the number", lambda f, a, b: close(
            f(2 * a, b), 2 * f(a, b))),
        Fact("with itself: its length, squared", lambda f, a, b: close(f(a, a), (a**2).sum())),
    ),
    hints=(
        "Which entries of the two vectors belong together, and what becomes of each pair? At the "
        "end a single number should be left.",
        "Entries at the same place are multiplied, and the products are added up. For `a = [1, "
        "2]` and `b = [4, -3]` that is 1·4 + 2·(-3) = -2. A loop over `range(len(a))` can do it, "
        "and so can one operator of NumPy.",
    ),
)  # fmt: skip
