"""Learning: a recorded training, shown as it was recorded; and what its words and pictures say."""

import json
from itertools import product

import numpy as np
import pytest

from attnlib import text
from attnlib.widgets import Goal, Learning
from attnlib.widgets._base import quoted
from attnlib.widgets._packing import unpacked
from attnlib.widgets.learning import WHY
from tests.lessons import sampled
from tests.widgets.still import is_readable, shapes, texts, written
from tests.widgets.training import N_SEEDS, SENTENCES, STEPS, made_up

RECORD = made_up()
TAGGER, SPOKEN = "attention", SENTENCES[0]
WORDS = tuple(SPOKEN.split())


def example():
    return Learning(made_up(["a saw"], [0, 9], 1), step=0)


def made(record=RECORD, **inputs):
    return Learning(record, **inputs)


def told(widget):
    return quoted(widget._told())


def changed(**parts):
    """Return the record with some of its parts replaced; `weights` and `verb` are SPOKEN's."""
    long = {"weights": f"weights/{TAGGER}/{SPOKEN}", "verb": f"verb/{TAGGER}/{SPOKEN}",
            "votes": f"votes/{TAGGER}/{SPOKEN}",
            "truth": f"truth/{SPOKEN}", "loss": f"loss/{TAGGER}",
            "accuracy": f"accuracy/{TAGGER}"}  # fmt: skip
    return RECORD | {long.get(name, name): part for name, part in parts.items()}


# What follows from the inputs


@pytest.mark.parametrize(("model", "seed", "sentence", "word", "step"),
                         [(0, 0, 0, 7, 150), (0, 2, 2, 5, 20), (1, 1, 1, 0, 0)])  # fmt: skip
def test_derived_traits_are_what_was_recorded_at_that_place(model, seed, sentence, word, step):
    widget = made(model=model, seed=seed, sentence=sentence, word=word, step=step)
    name, words = (TAGGER, "word by word")[model], SENTENCES[sentence].split()
    at = STEPS.index(step)
    weights = RECORD[f"weights/{name}/{SENTENCES[sentence]}"]
    for i in range(len(words)):
        for j in range(len(words)):
            assert widget.weights[i, j] == weights[seed, at, i, j] / 255
        asked = words[i] in ("saw", "duck", "fish")
        assert np.isnan(widget.verb[i]) != asked
        if asked:
            verb = RECORD[f"verb/{name}/{SENTENCES[sentence]}"][seed, at, i]
            assert widget.verb[i] == pytest.approx(verb, abs=1.01e-5)
    votes = RECORD[f"votes/{name}/{SENTENCES[sentence]}"][seed, at]
    np.testing.assert_allclose(widget.votes, votes, atol=0.51 / 255)
    for k in range(len(STEPS)):
        assert np.array_equal(widget.history[k], weights[seed, k, word] / 255)
    assert widget.loss == pytest.approx(RECORD[f"loss/{name}"][seed, at], abs=1e-5)
    assert widget.accuracy == pytest.approx(RECORD[f"accuracy/{name}"][seed, at], abs=1e-5)
    assert widget.words == tuple(words)


def test_it_opens_at_the_end_on_the_last_ambiguous_word():
    widget = made()
    assert (widget.model, widget.seed, widget.sentence) == (0, 0, 0)
    assert (widget.step, widget.word) == (150, 7)
    assert made(sentence=1).word == 1
    assert made(sentence=2).word == 10
    assert made(word=3, step=0).word == 3


def test_another_sentence_comes_with_its_word():
    widget = made()
    with pytest.raises(ValueError, match=r"To change them together: .set\(sentence=…, word=…\)"):
        widget.sentence = 1
    widget.set(sentence=1, word=1)
    assert widget.words[widget.word] == "duck"


def test_reset_goes_to_no_word_of_another_sentence():
    widget = made(sentence=2)
    widget.set_state({"word": 3, "step": 20, "_untouched": {"word": 10, "step": 150}})
    widget.sentence = 0  # of eight words
    assert widget._untouched == {"step": 150}


def test_weights_as_numbers_and_as_whole_steps_are_the_same():
    floats = made_up(whole=False)
    assert floats[f"weights/{TAGGER}/{SPOKEN}"].dtype == np.float64
    one, other = made(), made(floats)
    assert np.array_equal(one.weights, other.weights)
    assert one.recorded() == other.recorded()


def test_a_record_that_was_judged_is_not_judged_again():
    record = made().record
    assert made(record, step=0).record is record


def test_a_file_that_numpy_wrote_is_a_record(tmp_path):
    np.savez(tmp_path / "record.npz", **RECORD)
    with np.load(tmp_path / "record.npz") as record:
        assert made(record).recorded() == made().recorded()


# What is sent


def test_what_is_sent_is_short_and_comes_back_as_it_was():
    widget = made()
    state = json.loads(json.dumps(widget.recorded()))["traits"]["record"]
    n_bytes = sum(x.size for name, x in RECORD.items() if name.startswith(("weights/", "votes/")))
    assert len(json.dumps(state)) < 1.34 * n_bytes + 6000
    packed = state["weights"][TAGGER][0]
    assert np.array_equal(unpacked(packed), widget.record[f"weights/{TAGGER}/{SPOKEN}"])
    again = made()
    again.set_state({"record": state})
    assert again.recorded() == widget.recorded()
    assert np.array_equal(again.verb, widget.verb, equal_nan=True)


def test_the_lessons_record_is_shown():
    record = text.trainings()
    assert len(json.dumps(Learning(record).recorded())) < 250_000
    for model in range(len(record["models"])):
        for sentence in range(len(record["sentences"])):
            is_readable(Learning(record, model=model, sentence=sentence)._draw())


# Bad input

N = len(WORDS)
SHAPE = (N_SEEDS, len(STEPS), N)
# In words


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({}, "At step 150, the second “saw” gives 0.96 of its attention to “a”, 3 words back (0.13 "
             "at step 0). It is taken for a noun (0.98): right."),
        ({"word": 3}, "At step 150, the first “saw” gives 0.96 of its attention to “I”, 3 words "
                      "back (0.25 at step 0). It is taken for a verb (0.98): right."),
        ({"sentence": 1}, "At step 150, “duck” gives 0.98 of its attention to “the”, 1 word back "
                          "(0.50 at step 0). It is taken for a noun (0.98): right."),
        ({"step": 0}, "At step 0, the second “saw” looks everywhere: no word gets more than 0.13 "
                      "of its attention. Untrained, it can only guess."),
        ({"word": 1}, "At step 150, “um” gives 0.50 of its attention to “I”, 1 word back (0.50 at "
                      "step 0). It is not ambiguous, so nothing is asked of it."),
        ({"word": 0}, "At step 150, “I” gives 1.00 of its attention to itself (1.00 at step 0). It "
                      "is not ambiguous, so nothing is asked of it."),
        ({"model": 1}, "At step 150, the second “saw” looks everywhere: no word gets more than "
                       "0.13 of its attention. It is taken for neither: verb and noun have 0.50 "
                       "each."),
    ],
)  # fmt: skip
def test_a_sentence_says_where_the_word_looks_and_what_follows(inputs, sentence):
    assert told(made(**inputs)) == sentence


def test_a_wrong_answer_is_told_as_one():
    truth = np.where(RECORD[f"truth/{SPOKEN}"] < 0, -1, 1)
    widget = made(changed(truth=truth))
    assert told(widget).endswith("It is taken for a noun (0.98): wrong, it is a verb.")
    assert "noun 0.98 ✗" in widget._alt()


def test_a_word_that_looks_at_nothing_and_one_that_looks_ahead():
    weights = np.zeros((*SHAPE, N))
    assert told(made(changed(weights=weights))).startswith(
        "At step 150, the second “saw” looks at nothing. It"
    )
    weights[..., 7] = 1
    ahead = told(made(changed(weights=weights), word=5))
    assert "1.00 of its attention to “saw”, 2 words on (1.00" in ahead


def test_the_alt_text_tells_answers_curves_and_what_is_seen():
    alt = made(seed=1)._alt()
    assert alt.startswith(f"The training of attention, seed 1, on “{SPOKEN}”. At step 150, the")
    assert "saw (word 3) verb 0.98 ✓, saw (word 7) noun 0.98 ✓" in alt
    assert "at 11 steps from 0 to 150" in alt
    assert "loss from 0.70 to 0.01 and accuracy from 0.50 to 1.00" in alt
    assert "Is “saw” a verb or a noun?" in alt
    assert WHY[0] in made(word=1)._alt()  # nothing is asked of "um"


# The still picture


def test_the_still_shows_the_numbers_of_the_step():
    widget = made(step=20)
    paper = widget._draw()
    shown = texts(paper)
    for x in widget.weights[7]:
        assert f"{x:.2f}" in shown
    assert {"training step", "20"} <= set(shown)
    assert widget._why() in " ".join(shown)
    assert [shape.alpha for shape in shapes(paper, "area")] == [
        round(0.25 + 0.7 * x, 2) for x in widget.weights[7] if x >= 0.02
    ]
    (picture,) = shapes(paper, "picture")
    top, bottom = picture.points[:, 1]
    for i, word in enumerate(WORDS):  # on one row with what stands left of it
        rows = [w.y for w in written(paper) if w.words == word]
        middle = top + (i + 0.5) * (bottom - top) / len(WORDS)
        assert rows.count(middle) == 2


def test_each_word_has_its_vote_in_the_alt_text():
    widget = made(step=20)
    assert widget.votes[0] > 0.5 > widget.votes[4]
    assert f"I {widget.votes[0]:.2f}, um 0.50" in widget._alt()


def test_the_frame_and_the_handle_stand_at_the_step():
    places = []
    for step in (0, 20, 150):
        paper = made(step=step)._draw()
        (frame,) = [
            shape.points
            for shape in shapes(paper, "box", None)
            if np.ptp(shape.points[:, 0]) < 60 and np.ptp(shape.points[:, 1]) > 150
        ]
        (handle,) = shapes(paper, "disc")
        assert handle.points[:, 0].mean() == pytest.approx(frame[:, 0].mean())
        places.append(frame[:, 0].mean())
    (picture,) = shapes(paper, "picture")
    left, wide = picture.points[0, 0], np.ptp(picture.points[:, 0])
    columns = [left + (STEPS.index(step) + 0.5) * wide / len(STEPS) for step in (0, 20, 150)]
    assert places == pytest.approx(columns, abs=0.3)


@pytest.mark.parametrize(("steps", "said"), [(range(0, 30, 5), 0), ([0, 1, 2, 4, 9], 1)])
def test_steps_that_grow_are_said_to_be_drawn_unevenly(steps, said):
    shown = texts(Learning(made_up(steps=steps))._draw())
    assert sum("drawn wider" in words for words in shown) == said


@pytest.mark.parametrize(
    ("n", "n_steps"), sampled(product([1, 2, 8, 12, 13, 16, 17, 40], [1, 2, 45]), 6)
)
def test_a_still_of_any_size_is_readable(n, n_steps):
    sentence = " ".join(["a", *["um"] * (n - 2), *["saw"] * (n > 1)])
    record = made_up([sentence], range(0, 7 * n_steps, 7), 1)
    is_readable(Learning(record)._draw())


def test_long_words_and_models_leave_the_still_readable():
    record = made_up(["I Donaudampfschifffahrt Donaudampfschifffahrt saw"])
    is_readable(Learning(record, step=20)._draw())


# What a goal may ask


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"weights": {(7, 4): (0.99, None)}},
         r"weights\[7, 4\] is to be at least 0.99, and it is at most 0.9\d+"),
        ({"verb": {1: (0.5, None)}, "votes": {0: (0.9, None)}}, None),
        ({"verb": {2: (0.5, None)}}, r"verb\[2\] is to be at least 0.5, and it is at most 0"),
        ({"accuracy": (None, 0.4)}, "accuracy is to be at most 0.4, and it is at least 0.5"),
    ],
)  # fmt: skip
def test_a_goal_asks_for_what_some_training_reaches(asked, said):
    goal = Goal("Find it.", **asked)
    if said is None:  # of another sentence, whose second word is asked
        assert not made(goal=goal).done
        return
    with pytest.raises(ValueError, match=said):
        made(goal=goal)
