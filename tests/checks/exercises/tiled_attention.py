"""Right answers to tiled_attention, and wrong ones."""

import re

import numpy as np

import attnlib
from attnlib.checks.engine import examine
from attnlib.checks.exercises import online_softmax_step as online
from attnlib.checks.exercises.tiled_attention import EXERCISE, blocks, taken, turned
from tests.checks.knobs import set_to
from tests.checks.weighers import WEIGHERS


def by_steps(query, key, value, size):
    kept = online.begun(query.shape[-2], value.shape[-1], query.shape[:-2])
    for start in range(0, key.shape[-2], size):
        keys, values = (x[..., start : start + size, :] for x in (key, value))
        found = query @ np.swapaxes(keys, -1, -2) * key.shape[-1] ** -0.5
        kept = online.online_softmax_step(*kept, found, values)
    return kept[2] / kept[1][..., None]


def in_rows_too(query, key, value, size):
    parts = [by_steps(taken(query, rows), key, value, size)
             for rows in blocks(query.shape[-2], size)]  # fmt: skip
    return np.concatenate(parts or [0 * query @ key.swapaxes(-1, -2) @ value], axis=-2)


def in_two_rounds(query, key, value, size):
    """Look for the highest score first, so that nothing has to be rescaled."""
    cut = blocks(key.shape[-2], size)
    query = query / np.sqrt(query.shape[-1])
    top = np.max([(query @ taken(key, b).swapaxes(-1, -2)).max(axis=-1) for b in cut], axis=0)
    total, output = 0.0, 0.0
    for block in cut:
        made = np.exp(query @ taken(key, block).swapaxes(-1, -2) - top[..., None])
        total = total + made.sum(axis=-1, keepdims=True)
        output = output + made @ taken(value, block)
    return output / total


def of_two_parts(query, key, value, size):
    """Weigh what each part found by the logarithm of its sum."""
    output, weight = None, None
    for block in blocks(key.shape[-2], size):
        found = query @ taken(key, block).swapaxes(-1, -2) / np.sqrt(query.shape[-1])
        own = found.max(axis=-1, keepdims=True)
        made = np.exp(found - own)
        given = made.sum(axis=-1, keepdims=True)
        mean, here = made @ taken(value, block) / given, own + np.log(given)
        if output is None:
            output, weight = mean, here
            continue
        both = np.logaddexp(weight, here)
        output = np.exp(weight - both) * output + np.exp(here - both) * mean
        weight = both
    return output


VARIANTS = (by_steps, in_rows_too, in_two_rounds, of_two_parts)


KNOBS = {
    "scale": (lambda query, key, size: -1 / np.sqrt(query.shape[-1]),),
    "cut": (lambda n, size: blocks(n, size)[::2],),
}


def scores_of(query, key):
    return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def scores(query, key, value, size):
    """Give the lowest and the highest with each key, for a table would be held, too."""
    found = (scores_of(query, taken(key, block)) for block in blocks(key.shape[-2], 1))
    return [end for x in found for end in (x.min(), x.max())]


def wrong():
    for label, weigh in WEIGHERS.items():
        yield label, lambda q, k, v, size, weigh=weigh: weigh(scores_of(q, k)) @ v
    answer = EXERCISE.answer
    for label, change in {
        "blocks of 2 at least": lambda n, size: blocks(n, size) if size > 1 else [slice(1)],
        "no more than there are": lambda n, size: blocks(n, size) if size <= n else [],
        "blocks that fit": lambda n, size: blocks(n - n % size or n, size),
    }.items():
        yield label, set_to(turned, {"cut": change})
    yield "size left out", lambda q, k, v, size: answer(q, k, v, k.shape[-2])


def mean_of_matrices(query, key, value, size):
    found = []
    for i in range(0, len(key), size):
        weights = attnlib.softmax(query @ key[i : i + size].T / np.sqrt(query.shape[1]))
        found.append(weights @ value[i : i + size])
    return sum(found) / len(found)


def mean_so_far(query, key, value, size):
    output, seen = 0, 0
    for block in blocks(key.shape[-2], size):
        keys, values = taken(key, block), taken(value, block)
        n, more = seen, keys.shape[-2]
        seen = n + more
        found = attnlib.softmax(scores_of(query, keys)) @ values
        output = (n * output + more * found) / seen
    return output


def whole_blocks_alone(query, key, value, size):
    n = key.shape[-2] // size * size
    return by_steps(query, key[..., :n, :], value[..., :n, :], size)


NAMED = (
    (mean_of_matrices, "mean over the blocks"),
    (mean_so_far, "mean over the blocks, by their keys"),
    (whole_blocks_alone, "last block dropped"),
)


def formula(query, key, value, size):
    return attnlib.softmax(scores_of(query, key)) @ value


def all_blocks_kept(query, key, value, size):
    cut = blocks(key.shape[-2], size)
    found = [scores_of(query, taken(key, block)) for block in cut]
    top = np.max([x.max(axis=-1, keepdims=True) for x in found], axis=0)
    made = [np.exp(x - top) for x in found]
    total = sum(x.sum(axis=-1, keepdims=True) for x in made)
    return sum(x @ taken(value, block) for x, block in zip(made, cut, strict=True)) / total


def some_queries(query, key, value, size):
    cut = blocks(query.shape[-2], size)
    return np.concatenate([formula(taken(query, rows), key, value, size) for rows in cut], axis=-2)


def test_what_holds_too_much_is_told_how_much_and_what_is_allowed():
    for function, room in (
        (formula, "the whole table"),
        (all_blocks_kept, "the whole table"),
        (some_queries, "many blocks at once"),
    ):
        report = examine(EXERCISE, function)
        told = " ".join(str(report).split())
        assert report.status == "failed"
        assert "✗ the scores of all keys are never held at once With 256 queries" in told
        held = float(re.search(r"your function held ([\d.]+) MB at once, and 1 MB is", told)[1])
        assert 2 < held < 20
        assert "a table of 4.2 MB, and those of one block take 0.1 MB" in told
        assert f"what you held is room for {room}. Hint: Work out a block's" in told


def test_an_answer_is_attention():
    for case in EXERCISE.all_cases():
        due = attnlib.attention(*case.inputs[:3])
        np.testing.assert_allclose(EXERCISE.answer(*case.inputs), due, rtol=1e-9, atol=1e-9)
