"""The small world: what can come next, with which chance, and the floor by two ways."""

from itertools import product

import numpy as np
import pytest

from attnlib import world

BEGUN = "the black cat finds Ann . the grey hen finds Tom . the white dog finds Eva ."
OPENING = BEGUN.split()


def after(*words):
    place = world.World()
    for word in (*OPENING, *" ".join(words).split()):
        place.hear(word)
    return place.next_words()


@pytest.mark.parametrize(
    ("words", "chances"),
    [
        ("", {"the": 1}),
        ("the", {"black": 1 / 3, "grey": 1 / 3, "white": 1 / 3}),
        ("the grey", {"hen": 1}),
        ("the grey hen", {"finds": 1 / 2, "likes": 1 / 2}),
        ("the grey hen finds", {"Ann": 1 / 3, "Tom": 1 / 3, "Eva": 1 / 3}),
        ("the grey hen likes", {"Tom": 1}),
        ("the grey hen likes Tom", {".": 1}),
        ("the grey hen likes Tom .", {"the": 1}),  # glad is only who has been found
        ("the grey hen finds Eva .", {"the": 2 / 3, "she": 1 / 3}),
        ("the grey hen finds Tom .", {"the": 2 / 3, "he": 1 / 3}),
        ("the grey hen finds Eva . she", {"is": 1}),
        ("the grey hen finds Eva . she is", {"glad": 1}),
        ("the grey hen finds Eva . she is glad", {".": 1}),
        ("the grey hen finds Eva . she is glad .", {"the": 1}),
        ("the grey hen finds Eva . the black cat finds Tom . the grey hen likes", {"Eva": 1}),
    ],
)
def test_what_can_come_next(words, chances):
    assert after(words) == pytest.approx(chances)


def test_an_opening_uses_no_colour_animal_or_name_twice():
    place, chances = world.World(), []
    for word in OPENING:
        chances.append(len(place.next_words()))
        place.hear(word)
    assert chances == [1, 4, 4, 1, 4, 1, 1, 3, 3, 1, 3, 1, 1, 2, 2, 1, 2, 1]


def test_a_drawn_story_is_possible_and_comes_as_often_as_its_chances_say():
    rng = np.random.default_rng(3)
    told = [world.story(rng, 31) for _ in range(600)]
    assert all((world.chances(words) > 0).all() for words in told)
    assert {len(words) for words in told} == {31}
    after_hen = [words[i + 3] for words in told for i in range(18, 26, 6) if words[i] == "the"]
    assert 0.4 < np.mean([word == "finds" for word in after_hen]) < 0.6


def test_chances_multiply_to_those_of_whole_sentences():
    begun = f"{BEGUN} the grey hen finds Eva .".split()
    endings = [s.split() for s in ("she is glad .", "the black cat likes Ann .")]
    found = [world.chances(begun + ending)[len(begun) :].prod() for ending in endings]
    assert found == pytest.approx([1 / 3, 2 / 3 / 3 / 2])


def test_from_the_first_impossible_word_on_all_chances_are_0():
    wrong = f"{BEGUN} the grey cat likes Ann .".split()
    assert (world.chances(wrong)[20:] == 0).all()
    assert (world.chances(wrong)[:20] > 0).all()


def exact_floor(first=18, last=49):
    """Return the mean entropy of the words from first to last, from rates alone.

    After the opening there are four places at which the world chooses: how a sentence begins, where
    somebody may be glad; the colour; the verb; and whom an animal finds.
    """
    ln, choosing = np.log, 0.0
    begins = {(first, False): 1.0}  # where a sentence begins, and whether somebody may be glad
    for at, may in product(range(first, last), (True, False)):
        p = begins.pop((at, may), 0.0)
        choosing += p * (ln(3) - 2 / 3 * ln(2)) * may  # 1/3 or 2/3
        glad, told = (p / 3, 2 * p / 3) if may else (0.0, p)
        choosing += told * (ln(3) * (at + 1 < last) + ln(2) * (at + 3 < last))
        choosing += told / 2 * ln(3) * (at + 4 < last)
        for length, share, then in ((4, glad, False), (6, told / 2, True), (6, told / 2, False)):
            begins[at + length, then] = begins.get((at + length, then), 0.0) + share
    return choosing / (last - first)


def test_the_floor_of_drawn_stories_is_the_entropy_of_the_choices():
    rng = np.random.default_rng(13)
    losses = [-np.log(world.chances(world.story(rng))[18:]).mean() for _ in range(2000)]
    error = np.std(losses) / np.sqrt(len(losses))
    assert np.mean(losses) == pytest.approx(exact_floor(), abs=4 * error)
    assert error < 2e-3


def test_short_stories_enumerated_have_the_same_floor():
    def entropy(words, n_more):
        if not n_more:
            return 0.0
        place = world.World()
        for word in words:
            place.hear(word)
        chances = place.next_words()
        here = -sum(p * np.log(p) for p in chances.values())
        return here + sum(p * entropy([*words, word], n_more - 1) for word, p in chances.items())

    assert entropy(OPENING, 9) / 9 == pytest.approx(exact_floor(18, 27))


def test_words_and_their_places():
    assert len(set(world.VOCABULARY)) == len(world.VOCABULARY) == 20
    told = [OPENING, OPENING[::-1]]
    assert (np.array(world.VOCABULARY)[world.encode(told)] == told).all()
    assert world.spell([*OPENING, "the"]).endswith("The white dog finds Eva.")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: world.World().hear("cat"),
            ValueError,
            "a story goes on with a possible word: the word is 'cat', and only 'the' can.",
        ),
        (
            lambda: world.encode(["the", "zebra"]),
            ValueError,
            "words must be of the world's 20: the word is zebra, and 'zebra' is none of Ann, Eva,",
        ),
        (
            lambda: world.encode("the cat"),
            TypeError,
            "words must be a list of words, like ['the', 'cat']: words is 'the cat', and str is no",
        ),
        (
            lambda: world.chances("the cat"),
            TypeError,
            "words must be a list of words, like ['the', 'cat']: words is 'the cat', and str is no",
        ),
        (
            lambda: world.story(0),
            TypeError,
            "rng must be a numpy.random.Generator: rng is 0, and int is no Generator.",
        ),
        (
            lambda: world.story(np.random.default_rng(0), -1),
            ValueError,
            "n_words must be at least 0: n_words is -1, and -1 < 0.",
        ),
    ],
    ids=["impossible", "no word", "one string", "a string's chances", "no generator", "too short"],
)
def test_what_the_world_cannot_take_is_refused_in_three_parts(call, error, message):
    with pytest.raises(error) as told:
        call()
    assert str(told.value).startswith(message)
