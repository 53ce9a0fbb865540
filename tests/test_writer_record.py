"""What lesson 12 says of models that write is recorded, and what is quick is measured again."""

import json

import numpy as np
import pytest

from attnlib import text
from experiments import record_writer as recording

RECORD = json.loads(recording.RECORD.read_text("utf-8"))
TABLE = RECORD["tables"]["left out"]
ROWS = TABLE["rows"]


def test_the_table_has_all_rows_and_seeds():
    assert list(ROWS) == list(recording.ROWS)
    assert TABLE["held out"] >= 3000
    for row, columns in ROWS.items():
        for name, column in columns.items():
            if name != "seconds":
                assert len(column["each"]) == len(recording.SEEDS[row]), (row, name)
                assert (column["min"], column["max"]) == (min(column["each"]), max(column["each"]))
                assert column["mean"] == pytest.approx(np.mean(column["each"]), rel=1e-3)


def test_the_floor_is_that_of_the_stories_that_were_held_out():
    told = TABLE["floor"], text.writer_training()["floor"]
    assert told == pytest.approx([recording.floor()] * 2, rel=1e-3)


def test_the_model_of_the_file_is_that_of_its_seed_in_the_table():
    """It is rounded to float16, and loses nothing by that."""
    model = text.writer()
    each = ROWS["nothing"]["loss"]["each"][recording.SEED]
    assert recording.loss(model, None) == pytest.approx(each, abs=2e-3)


def test_training_again_begins_as_it_was_recorded():
    lesson, rng, losses = recording.lesson(), np.random.default_rng(recording.SEED), []
    lesson.train(lesson.start(rng), recording.data()[0], rng, range(20), {}, seen=losses)
    recorded = text.writer_training()["loss"][0]
    assert np.mean([loss for loss, _ in losses]) == pytest.approx(recorded, rel=1e-4)


def test_the_whole_model_knows_what_it_must_remember_and_without_a_part_it_does_not():
    kinds = "animal", "first friend", "changed friend", "somebody found later", "pronoun"
    assert all(ROWS["nothing"][kind]["min"] > 0.99 for kind in kinds)
    assert ROWS["nothing"]["above the floor"]["max"] < 0.005
    for row in ("attention", "the second block", "one wide block", "one wide head", "near"):
        assert min(ROWS[row][kind]["mean"] for kind in kinds) < 0.9, row
        assert ROWS[row]["above the floor"]["min"] > 0.005, row


def test_without_a_mask_the_loss_is_impossible_and_the_stories_are_wrong():
    cheat = ROWS["the mask"]
    assert cheat["loss"]["max"] < 0.1 < TABLE["floor"]
    assert cheat["stories right"]["max"] < 0.5
