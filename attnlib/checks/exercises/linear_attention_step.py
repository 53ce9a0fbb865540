"""One word of linear attention: it is written into the state, and then the state is asked."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

START = Promise(
    "the first word, before which nothing was written, is right",
    "State and total are all 0 then. The word writes itself into both, and only after that it "
    "asks, so there is something to divide by. Add nothing small to it.",
)

SHAPES = Shapes(
    "(d_key, d_value), (d_key), (d_key), (d_key), (d_value) -> (d_value), (d_key, d_value), (d_key)"
)


def linear_attention_step(state, total, query, key, value):
    """Write the word's key and value into the state, and then ask it with the query.

    Every feature of the key meets every feature of the value in the state. The total adds up keys
    alone: asked with the same query, it says by what to divide. New arrays are made, and whoever
    called still has the old ones.
    """
    state = state + np.outer(key, value)  # (d_key, d_value)
    total = total + key  # (d_key,)
    return query @ state / (query @ total), state, total


def answer(state, total, query, key, value):
    """Give what is right, by which answers are judged."""
    state, total = state + key[:, np.newaxis] * value, total + key
    return query @ state / (query @ total), state, total


def cases():
    """Two features by hand; a state higher than wide; one wider than high; a square one."""
    given = SHAPES.given(np.random.default_rng(34), positive)
    state, total = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]), np.array([1.0, 2.0])
    query, key, value = np.array([1.0, 2.0]), np.array([2.0, 1.0]), np.array([1.0, 0.0, -1.0])
    yield Case("the small example is right", (state, total, query, key, value))
    yield Case("more features of a key are right", given(d_key=7, d_value=3))
    yield Case("more features of a value are right", given(d_key=3, d_value=11))
    yield Case("a square state is right", given(d_key=5, d_value=5))


def begun_and_long(given, *sizes):
    """Give what one word and a chunk promise alike: nothing read before, and vectors' lengths."""

    def begun(**sizes):
        state, total, *rows = given(**sizes)
        return 0 * state, 0 * total, *rows

    def long(query, key, value):
        inputs = given()
        rows = map(promises.long, inputs[2:], (query, key, value))
        return (key * value * inputs[0], key * inputs[1], *rows)

    (short, wide), (tiny, huge) = (promises.SHORT, promises.LONG), promises.FAR_OFF
    return {
        START: [begun(**each) for each in sizes],
        promises.SCALE: [
            long(short, wide, 1), long(wide, short, wide), long(1, short, short), long(1, 1, short),
            long(short, 1, wide), long(short, short, 1), long(wide, wide, 1),
        ],
        promises.VECTORS.beyond: [long(tiny, huge, huge), long(huge, tiny, tiny)],
    }  # fmt: skip


def promised():
    """Give the inputs that hold an answer to each promise."""
    given = SHAPES.given(np.random.default_rng(134), positive)
    sizes = {}, {"d_key": 3, "d_value": 7}, {"d_key": 1, "d_value": 1}
    return promises.of_shapes(SHAPES, given) | begun_and_long(given, *sizes)


def positive(state, total, query, key, value):
    """Make query and key positive, as feature maps do, and the total, which adds up keys."""
    return state, *(0.1 + np.abs(x) for x in (total, query, key)), value


def written(state, total, key, value):
    """Give state and total after the word."""
    return state + np.outer(key, value), total + key


def turned(
    state, total, query, key, value, *, asks=lambda query, key: query,
    asked=lambda old, new: new, share=lambda query, old, new: query @ new,
    kept=lambda old, new: new,
):  # fmt: skip
    """Take the step with knobs, each of which can be set wrong."""
    new, grown = written(state, total, key, value)
    query = asks(query, key)
    output = query @ asked(state, new) / share(query, total, grown)
    return output, *kept((state, total), (new, grown))


asked_first = wrongly_set(
    turned,
    "output before the update",
    "You asked the state first and updated it then, so the word does not hear itself.",
    "A word may look at itself, as under the causal mask. Write it into state and total, and ask "
    "these.",
    asked=lambda old, new: old,
    share=lambda query, old, new: query @ old,
)

old_total = wrongly_set(
    turned,
    "total not updated before it is asked",
    "You divided by the total as it came in, which does not have this word's key yet.",
    "State and total grow together. Divide by what the query finds in the new total.",
    share=lambda query, old, new: query @ old,
)

undivided = wrongly_set(
    turned,
    "total missing",
    "You did not divide, so your output is a sum of values and no mean.",
    "What the query finds in the total says how much weight it gave away. Divide by that.",
    share=lambda query, old, new: 1,
)

unasked = wrongly_set(
    turned,
    "divided by the sum of the total",
    "You divided by the sum of the total's entries; the query has a say in it.",
    "Each entry counts as much as the query's feature says: ask the total with the query, as you "
    "asked the state.",
    share=lambda query, old, new: new.sum(),
)


@mistake("divided entry by entry")
def by_entries(state, total, query, key, value):
    """You divided the state by the total, row by row, before the query asked.

    First ask both with the query, and then divide once: one number for all features of the value.
    """
    new, grown = written(state, total, key, value)
    return query @ (new / grown[:, np.newaxis]), new, grown


stale_total = wrongly_set(
    turned,
    "total not returned with the word",
    "Your output is right, but the total that you return is the old one.",
    "The next word needs it with this word's key in it.",
    kept=lambda old, new: (new[0], old[1].copy()),
)

stale_state = wrongly_set(
    turned,
    "state not returned with the word",
    "Your output is right, but the state that you return is the old one.",
    "The next word needs it with this word in it.",
    kept=lambda old, new: (old[0].copy(), new[1]),
)


@mistake("state replaced")
def replaced(state, total, query, key, value):
    """You put this word in the place of the state, so all that came before is forgotten.

    Add it to what is there.
    """
    new, grown = np.outer(key, value), total + key
    return query @ new / (query @ grown), new, grown


@mistake("query and key exchanged")
def exchanged(state, total, query, key, value):
    """You exchanged query and key: the query was written, and the key has asked.

    The key is what the word can be found by, so it is written, together with the value.
    """
    return answer(state, total, key, query, value)


@mistake("state on its side")
def sideways(state, total, query, key, value):
    """Your product of value and key lies on its side: the state is (d_key, d_value).

    The key's features run down the state, and the value's across.
    """
    new, grown = state + np.outer(value, key), total + key
    return query @ new / (query @ grown), new, grown


@mistake("entry by entry")
def along(state, total, query, key, value):
    """You multiplied key and value entry by entry, but every feature meets every other.

    Two vectors of lengths d_key and d_value make a table, (d_key, d_value); `np.outer` does it.
    """
    new, grown = state + key * value, total + key
    return query @ new / (query @ grown), new, grown


softened = wrongly_set(
    turned,
    "softmax of the query",
    "You took exponentials of the query, as a softmax does; nothing is left to be done to it.",
    "Query and key come feature-mapped, and the total does what the sum in a softmax does.",
    asks=lambda query, key: attnlib.softmax(query),
)


old_state = wrongly_set(
    turned,
    "state not updated before it is asked",
    "You asked the state as it came in, which does not have this word yet.",
    "State and total grow together, and both are asked as they are then.",
    asked=lambda old, new: old,
)

own_share = wrongly_set(
    turned,
    "divided by the word's own weight",
    "You divided by the weight of this word alone, and the words before have weight, too.",
    "The total knows the weights of all: divide by what the query finds there.",
    share=lambda query, old, new: query @ (new - old),
)

key_asks = wrongly_set(
    turned,
    "the key asks",
    "You let the word's key ask, and its query is not used.",
    "The key is what the word can be found by. Its query asks, state and total both.",
    asks=lambda query, key: key,
)

total_stays = wrongly_set(
    turned,
    "key not added to the total",
    "You did not add this word's key to the total.",
    "State and total grow together, each by its part of the word.",
    share=lambda query, old, new: query @ old,
    kept=lambda old, new: (new[0], old[1].copy()),
)


@mistake("state faded")
def faded(state, total, query, key, value):
    """You let the state fade before this word is written, as a plain recurrent network does.

    Here nothing fades: the old state stays as it is, and the word is added.
    """
    new, grown = 0.5 * state + np.outer(key, value), total + key
    return query @ new / (query @ grown), new, grown


@mistake("state and total faded")
def both_faded(state, total, query, key, value):
    """You let state and total fade before this word is written, as a plain recurrent network does.

    Here nothing fades: both stay as they are, and the word is added.
    """
    return answer(0.5 * state, 0.5 * total, query, key, value)


@mistake("state divided for good")
def divided_for_good(state, total, query, key, value):
    """Your output is right, but the state that you return is divided already.

    What it is divided by belongs to this query. The next word adds to the state as it was.
    """
    output, new, grown = answer(state, total, query, key, value)
    return output, new / (query @ grown), grown


@mistake("total replaced")
def total_replaced(state, total, query, key, value):
    """You put this word's key in the place of the total, so the keys before it are forgotten.

    Add it to what is there.
    """
    new = state + np.outer(key, value)
    return query @ new / (query @ key), new, key.copy()


@mistake("state and total replaced")
def both_replaced(state, total, query, key, value):
    """You put this word in the place of what was there, so all that came before is forgotten.

    Add to the state, and add to the total.
    """
    return value.copy(), np.outer(key, value), key.copy()


@mistake("query added to the total")
def query_added(state, total, query, key, value):
    """You added the query to the total, and the keys are what it adds up.

    What was written into the state by a key is counted in the total by the same key.
    """
    new, grown = state + np.outer(key, value), total + query
    return query @ new / (query @ grown), new, grown


@mistake("query written into the state")
def query_written(state, total, query, key, value):
    """You wrote the query into the state, where the key belongs.

    The key is what later words find this one by. The query asks once.
    """
    new, grown = state + np.outer(query, value), total + key
    return query @ new / (query @ grown), new, grown


@mistake("words counted in the total")
def words_counted(state, total, query, key, value):
    """You added 1 to the total, as if it counted words; it adds up their keys.

    How much a word weighs depends on its key, and on the query that asks.
    """
    new, grown = state + np.outer(key, value), total + 1
    return query @ new / (query @ grown), new, grown


def between(answer, state, total, query, key, value):
    """Begin with nothing: the first word gets its own value, whatever it asks."""
    output, *_ = answer(0 * state, 0 * total, query, key, value)
    return close(output, value)


def as_weights(answer, state, total, query, key, value):
    """Write two words, and see the weights of both in what the second gets."""
    _, *kept = answer(0 * state, 0 * total, query, key, value)
    output, *_ = answer(*kept, query, key[::-1], 2 + value)
    weights = np.array([query @ key, query @ key[::-1]])
    return close(output, weights @ np.stack([value, 2 + value]) / weights.sum())


EXERCISE = Exercise(
    solution=linear_attention_step,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("query", "key", "value"),),
    facts=(
        Fact("the first word gets its own value", between),
        Fact("the second gets a weighted mean of two values", as_weights),
        Fact("a longer query gets the same", lambda f, s, t, q, k, v: close(
            f(s, t, 3 * q, k, v)[0], f(s, t, q, k, v)[0])),
        Fact("the state has grown by key times value", lambda f, s, t, q, k, v: close(
            f(s, t, q, k, v)[1] - s, k[:, None] * v)),
        Fact("the total has grown by the key", lambda f, s, t, q, k, v: close(
            f(s, t, q, k, v)[2] - t, k)),
    ),
    hints=(
        "Two things are kept: a table in which each key has met its value, and the sum of the "
        "keys. What does this word add to each of them? And when may it ask?",
        "`np.outer(key, value)` is what the word adds to the state, and its key is what it adds to "
        "the total. Then ask both with the query, and divide the first answer by the second.",
    ),
    parts=("output", "state", "total"),
)  # fmt: skip
