"""What lesson 13 says of thirty sentences is recorded, and a part of it is measured again."""

import json
import re

import numpy as np
import pytest

from attnlib import encoder
from experiments import record_taken_apart as recording
from tests.lessons import SERIES

RECORD = json.loads(recording.RECORD.read_text("utf-8"))
TABLES = RECORD["tables"]
AGAIN = 9  # the sentence that is measured again, a short one
whole = pytest.mark.needs(encoder.PACKAGE)


def test_the_record_is_of_the_sentences_as_they_are():
    assert RECORD["sentences"] == list(recording.SENTENCES)
    assert len(set(recording.SENTENCES)) == 30
    assert len(recording.TURNED) == len(recording.PRONOUNS) == 10


def test_mean_and_range_are_those_of_each_sentence():
    for name, rows in TABLES.items():
        for row, columns in rows.items():
            for column, told in columns.items():
                if "each" in told:
                    n = len(recording.TURNED if name == "turned" else recording.SENTENCES)
                    assert len(told["each"]) == n, (name, row, column)
                    assert (told["min"], told["max"]) == (min(told["each"]), max(told["each"]))
                    assert told["mean"] == pytest.approx(np.mean(told["each"]), rel=1e-3, abs=1e-12)


@whole
def test_a_sentence_measured_again_gives_what_was_recorded():
    again = recording.of_one(recording.SENTENCES[AGAIN])
    for name, rows in again.items():
        assert list(TABLES[name]) == list(rows)
        for row, columns in rows.items():
            assert list(TABLES[name][row]) == list(columns)
            for column, number in columns.items():
                recorded = TABLES[name][row][column]["each"][AGAIN]
                assert number == pytest.approx(recorded, rel=1e-3, abs=1e-9), (name, row, column)


@whole
def test_the_whole_that_parts_are_taken_out_of_is_the_model():
    pieces = recording.pieces_of(recording.SENTENCES[AGAIN])
    states = encoder.states(recording.model(), pieces)
    np.testing.assert_allclose(recording.run(recording.enter(pieces)), states, rtol=0, atol=1e-5)
    pairs = zip(states, recording.model()["layers"], strict=False)
    weights = [recording.attend(x, p)[0] for x, p in pairs]
    np.testing.assert_allclose(weights, encoder.weights(recording.model(), pieces), atol=1e-5)


@whole
def test_one_turned_round_and_one_with_a_pronoun_measured_again():
    again = recording.turned(recording.TURNED[0])
    for row, columns in again.items():
        for column, number in columns.items():
            assert number == pytest.approx(TABLES["turned"][row][column]["each"][0], rel=1e-3)
    of_it, of_others = recording.stands_for(*recording.PRONOUNS[0])
    row = TABLES["it"]["layer 3, head 1"]
    assert of_it[0, 0, 3, 1] == pytest.approx(row["tired: it to animal"]["mean"], rel=1e-3)
    assert of_others[1, 0, 3, 1] == pytest.approx(row["wide: others to animal"]["mean"], rel=1e-3)


# What the lesson says

LESSON = SERIES["13_a_real_model"].path.read_text("utf-8")
TALKS = re.compile(r"(?i)\b(thirty|ten) (sentences|pairs)\b|\bof (the )?thirty\b")
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+")


def unmarked(source):
    """Return, of each paragraph that talks of the recorded sentences, numbers that no mark names.

    Marks stand directly above the paragraph, a line each.
    """
    prose, found = re.sub(r"(?ms)^```.*?^```", "", source), []
    for paragraph in prose.split("\n\n"):
        lines = paragraph.strip().splitlines()
        marks = [line for line in lines if line.startswith("% rests on taken apart: ")]
        says = " ".join(line for line in lines if not line.startswith("%"))
        if TALKS.search(says) or marks:
            named = NUMBER.findall(" ".join(mark.partition(" = ")[2] for mark in marks))
            lost = [number for number in NUMBER.findall(says) if number not in named]
            found += [(number, says[:60]) for number in lost]
    return found


def test_each_number_that_the_lesson_gives_of_the_thirty_rests_on_the_record():
    assert "% rests on taken apart: " in LESSON
    assert unmarked(LESSON) == []


def test_a_number_that_rests_on_nothing_is_found():
    mark = "% rests on taken apart: parts · norms · cosine = 0.03 (-0.08 to 0.11)\n"
    says = "With thirty sentences it is 0.03, from -0.08 to 0.11."
    assert unmarked(f"It is 0.5.\n\n{mark}{says}") == []
    assert unmarked(f"```\n0.1\n```\n\n{says}") == [
        (x, says[:60]) for x in ("0.03", "-0.08", "0.11")
    ]
    assert unmarked(f"{mark}{says} And 0.04.")[0][0] == "0.04"
