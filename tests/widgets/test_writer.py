"""Writer: what the model expects, what the world knows, which head matters, and the still."""

import numpy as np
import pytest

from attnlib import softmax, text, world, writer
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import number
from attnlib.pictures.shades import INK, WARN
from attnlib.pictures.shared import shared
from attnlib.widgets import Goal, Writer
from attnlib.widgets._models import MOST_WORDS, PARTS, SHAPES, STEPS, UNMASKED, received, sent
from attnlib.widgets.writer import BAR
from tests.widgets.still import is_readable, shapes, texts

OPENING = "the white cat finds Eva . the grey dog finds Ben . the black fox finds Tom ."
TOLD = f"{OPENING} the white cat finds Tom . the white cat likes".split()
FULL = f"{OPENING} {'the white cat finds Tom . he is glad . ' * 3}".split()
TOM = world.VOCABULARY.index("Tom")
ENDS = [1, 3, 18, 24, len(TOLD)]  # where a story may stop
(ROWS,) = shared("writer", "ROWS")


def example():
    training = {"steps": [0, 50], "loss": [3, 0.5], "stages": {"plateau": 50}}
    return Writer(TOLD, ["plateau", "no mask"], model=1, off=[2, 9], training=training)


def own(seed=0):
    """Return a model of random numbers."""
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape) / 5 for name, shape in SHAPES.items()}


def test_the_front_end_has_the_same_vocabulary_and_shapes():
    words, told = shared("writer", "VOCABULARY", "SHAPES")
    assert words.split() == world.VOCABULARY
    assert [tuple(shape) for shape in told] == list(SHAPES.values())[:9]
    assert shared("writer", "STEPS", "UNMASKED") == [STEPS, UNMASKED]


@pytest.mark.parametrize("stage", ["trained", "untrained", "no mask"])
@pytest.mark.parametrize("end", ENDS)
def test_it_expects_what_the_model_does(stage, end):
    words, model = TOLD[:end], text.writer(stage)
    shown = Writer(words, [stage])
    mask = np.ones((end, end), bool) if stage == UNMASKED else None
    logits = writer.read(shown.models[stage], words, mask=mask)
    assert np.allclose(shown.chances, softmax(logits[-1]))
    near = softmax(writer.read(model, words, mask=mask)[-1])  # of the model as it is recorded
    assert np.abs(shown.chances - near).max() < 0.01
    if stage != UNMASKED:
        looks = writer.looks(shown.models[stage], words)
        assert np.allclose(shown.weights, looks[:, :, -1])


def without(model, part):
    """Return the model with a part that brings nothing, as its arrays would say it."""
    model = {name: x.copy() for name, x in model.items()}
    if part < 8:
        model[f"w_output_{part // 4}"].reshape(4, 8, 32)[part % 4] = 0
    elif part < 10:
        model[f"w_down_{part - 8}"][:] = 0
    else:
        model["near_0"][:] = model["near_1"][:] = 0
    return model


@pytest.mark.parametrize("part", range(len(PARTS)))
def test_a_part_that_is_taken_out_brings_nothing(part):
    shown = Writer(TOLD, ["trained"], off=[part])
    model = without(shown.models["trained"], part)
    assert np.allclose(shown.chances, softmax(writer.read(model, TOLD)[-1]))
    whole = Writer(TOLD, ["trained"])
    assert not np.allclose(shown.weights, whole.weights) or part in (*range(4, 8), 9)
    if 4 <= part < 8:
        assert np.allclose(whole.without[part - 4], shown.chances)


def test_the_world_judges_the_story_word_by_word():
    shown = Writer(TOLD)
    assert (shown.exact == np.eye(20)[TOM]).all()
    shown.words = TOLD[:-1]
    exact = {world.VOCABULARY[j]: shown.exact[j] for j in np.flatnonzero(shown.exact)}
    assert exact == {"finds": 0.5, "likes": 0.5}
    assert shown.n_possible == len(shown.words)
    shown.words = [*TOLD, "Ann", ".", "the"]
    assert (shown.n_possible, shown.exact.max()) == (len(TOLD), 0)


def test_at_each_place_of_a_story_the_chances_are_those_of_the_world():
    words = world.story(np.random.default_rng(4), MOST_WORDS)
    exact = [Writer(words[:n], ["untrained"]).exact for n in range(1, MOST_WORDS)]
    told = [chances[world.VOCABULARY.index(word)]
            for chances, word in zip(exact, words[1:], strict=True)]  # fmt: skip
    assert np.allclose(told, world.chances(words)[1:])


def test_a_model_goes_to_the_page_in_two_characters_a_number_and_comes_back():
    model = Writer(["the"], {"mine": own()}).models["mine"]
    told = sent("mine", model)
    assert len(told["data"]) == 2 * sum(x.size for x in model.values())
    name, again = received(told)
    assert name == "mine"
    assert all((again[part] == model[part]).all() for part in SHAPES)
    assert all(
        np.abs(x - own()[part]).max() <= np.abs(x).max() / STEPS for part, x in model.items()
    )


def test_a_model_of_ones_own_is_shown_without_the_recorded_training():
    shown = Writer(TOLD, {"mine": own(1)})
    assert (shown.names, shown.training) == (("mine",), None)
    assert "models={'mine': <17 arrays>}" in repr(shown)
    assert Writer(TOLD, ["trained"]).training["loss"][-1] > 0


def test_it_says_what_comes_next_what_the_world_says_and_which_head_matters():
    shown = Writer(TOLD)
    head = int(shown.without[:, TOM].argmin())
    assert TOLD[shown.weights[1, head].argmax()] == "Tom"
    assert shown._told() == (
        "By the rules of these stories, an animal likes whom it found last. After “the white "
        f"cat likes”, the model expects “Tom” ({number(shown.chances[TOM])}), and "
        "by the rules nothing else can come."
    )
    assert shown._matters() == (
        f"Coloured above: block 2, head {head}. Without it, “Tom” would have "
        f"{number(shown.without[head, TOM])}."
    )
    shown.words = TOLD[:24]
    assert " At the start of a sentence, the model expects “the” (" in shown._told()
    assert shown._told().endswith("; the rules give it 0.67.")
    shown.set(words=TOLD, model=2)
    assert ", but only “Tom” can come." in shown._told()
    shown.set(model=0, off=[4 + head], words=[*TOLD, "Ann"])
    assert "the model (trained less 1 part) expects" in shown._told()
    assert ". “Ann” could not come by the rules." in shown._told()


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (0.997, "No head of block 2 matters alone."),
        (0.97, "No head of block 2 matters alone."),
        (0.5, "Without it, “Tom” would have 0.50."),
    ],
)
def test_how_much_a_head_matters_is_said_with_care(left, said):
    shown = Writer(TOLD)
    without = np.tile(shown.chances, (4, 1))
    without[2, TOM] = left
    shown.set_trait("without", without)
    assert shown._matters() == f"Coloured above: block 2, head 2. {said}"


def test_words_that_can_come_have_a_bar_however_little_the_model_gives_them():
    shown = Writer(TOLD[:22], model=2)
    listed = shown._listed()
    assert len(listed) == ROWS
    assert set(np.flatnonzero(shown.exact)) <= set(listed)
    assert (np.diff(shown.chances[listed]) <= 0).all()


STORIES = {"one word": TOLD[:1], "as it opens": TOLD, "full": FULL,
           "astray": [*TOLD, "Ann", ".", "the"]}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("model", range(4))
def test_the_still_shows_story_chances_and_heads(story, model):
    shown = Writer(STORIES[story], model=model)
    paper = shown._draw()
    is_readable(paper)
    assert [*STORIES[story], "?"] == [word for word in texts(paper, size=15)]
    listed = [world.VOCABULARY[place] for place in shown._listed()]
    assert [word for word in texts(paper, size=13) if word in world.VOCABULARY] == listed
    bars = [box.points for box in shapes(paper, "box", COLORS["output"])]
    drawn = [x for x in shown.chances[shown._listed()] if x >= 0.005]
    assert np.allclose([bar[1, 0] - bar[0, 0] for bar in bars], BAR * np.array(drawn))
    told = [line for line in shapes(paper, "line", WARN)]
    assert len(told) == (shown.n_possible < len(shown.words))
    assert shapes(paper, "box")
    assert INK in {word.color for word in paper.words}


def test_alt_text_holds_the_story_and_the_numbers():
    shown = Writer(TOLD)
    alt = shown._alt()
    assert alt.startswith(f"A story of {len(TOLD)} words: “the white cat finds Eva . ")
    assert shown._told() in alt
    assert f"Tom {number(shown.chances[TOM])} (1.00), " in alt
    assert "block" not in alt
    head = int(shown.without[:, TOM].argmin())
    assert f"Darkest is “Tom”, 5 words back, {number(shown.weights[1, head].max())}." in alt
    shown.off = [0]
    assert "block 1, head 0 (taken out): " in shown._alt()
    assert shown._alt().count("block 2, head") == 4 + 1  # and which of them has its look in colour


@pytest.mark.parametrize("temperature", [0.01, 0.5, 3])
def test_the_temperature_divides_the_logits_and_is_said(temperature):
    shown = Writer(TOLD[:22], ["trained"], temperature=temperature)
    logits = writer.read(shown.models["trained"], TOLD[:22])[-1]
    assert np.allclose(shown.chances, softmax(logits, temperature=temperature))
    assert f"the model at temperature {number(temperature)} expects" in shown._told()
    assert "temperature" not in Writer(TOLD)._told()


def test_a_goal_asks_for_no_more_than_chances_can_be():
    with pytest.raises(ValueError, match=r"a row of chances share 1: .* and 1\.2 > 1"):
        Writer(TOLD, goal=Goal("Be sure of both.", chances={0: (0.6, None), 1: (0.6, None)}))
