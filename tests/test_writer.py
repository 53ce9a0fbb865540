"""The recorded writer: that it attends as anybody's attention would, and what it writes."""

import numpy as np
import pytest

import attnlib
from attnlib import checks, text, world, writer

BEGUN = "the black cat finds Ann . the grey hen finds Tom . the white dog finds Eva ."
OPENING = BEGUN.split()


@pytest.fixture(scope="module")
def model():
    return text.writer()


def by_block(model, words, mask=None):
    """Read by the answer to lesson 12's exercise."""
    block, n = checks.find("block").answer, len(words)
    x = model["words"][world.encode(words)]
    for i in range(writer.N_LAYERS):
        mask = attnlib.causal_mask(n) if mask is None else mask
        x = block(x, writer.layer(model, i), writer.N_HEADS, mask)
    return x @ model["words"].T / np.sqrt(32)


def masked(query, key, value, mask):
    return attnlib.attention(query, key, value, mask=mask)


def test_it_reads_as_lesson_12_does_by_its_own_attention_and_by_anybodys(model):
    words = world.story(np.random.default_rng(1), 41)
    expected = by_block(model, words)
    np.testing.assert_allclose(writer.read(model, words), expected, atol=1e-10)
    np.testing.assert_allclose(writer.read(model, words, attend=masked), expected, atol=1e-9)


def test_a_mask_of_ones_own_is_used(model):
    words, everywhere = world.story(np.random.default_rng(2), 23), np.ones((23, 23), bool)
    found = writer.read(model, words, mask=everywhere)
    np.testing.assert_allclose(found, by_block(model, words, everywhere), atol=1e-10)
    assert np.abs(found - by_block(model, words)).max() > 0.1


def test_looks_are_weights_that_see_nothing_to_come(model):
    looks = writer.looks(model, OPENING)
    assert looks.shape == (2, 4, 18, 18)
    np.testing.assert_allclose(looks.sum(axis=-1), 1)
    assert (np.triu(looks, 1) == 0).all()


def test_what_it_writes_is_possible_and_another_chance_gives_another_story(model):
    told = [writer.write(model, OPENING, 48, rng=np.random.default_rng(seed)) for seed in range(5)]
    told.append(writer.write(model, OPENING, 48))
    assert all((world.chances(words) > 0).all() for words in told)
    assert len({*map(tuple, told)}) == len(told)
    assert writer.write(model, OPENING, 48) == told[-1]
    cold = writer.write(model, OPENING, 48, rng=np.random.default_rng(0), temperature=0.001)
    assert cold == told[-1]


def test_it_knows_the_chances_of_the_world_nearly(model):
    words = world.story(np.random.default_rng(3), 48)
    place, worst = world.World(), 0.0
    chances = attnlib.softmax(writer.read(model, words))
    for i, word in enumerate(words):
        place.hear(word)
        if i >= world.N_OPENING:
            exact = [place.next_words().get(name, 0) for name in world.VOCABULARY]
            worst = max(worst, np.abs(chances[i] - exact).max())
    assert worst < 0.1


def test_a_text_that_is_too_long_is_told_in_three_parts(model):
    with pytest.raises(ValueError, match="a text must have at most 48 words: words is 49 of them"):
        writer.read(model, world.story(np.random.default_rng(4)))


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (
            lambda model: writer.read({"words": model["words"]}, OPENING),
            ValueError,
            "a model must have all arrays of a writer: a model is words, and 'w_query_0' is",
        ),
        (
            lambda model: writer.read(model, []),
            ValueError,
            "a text must have at least one word: words is empty, and 0 < 1.",
        ),
        (
            lambda model: writer.looks(model, OPENING, mask=np.ones((18, 18))),
            TypeError,
            "mask must be boolean, True where a query may look",
        ),
        (
            lambda model: writer.write(model, OPENING, 20, rng=0),
            TypeError,
            "rng must be a numpy.random.Generator: rng is 0, and int is no Generator.",
        ),
        (
            lambda model: writer.write(model, OPENING, 20.5),
            TypeError,
            "n_words must be an integer: n_words is 20.5, and float is not int.",
        ),
    ],
    ids=["no layers", "no words", "a mask of numbers", "no generator", "half a word"],
)
def test_what_a_writer_cannot_take_is_refused_in_three_parts(model, call, error, told):
    with pytest.raises(error) as raised:
        call(model)
    assert str(raised.value).startswith(told)
