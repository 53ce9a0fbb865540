"""What lesson 11 says of 20 seeds is recorded, and one seed is measured again."""

import json

import numpy as np
import pytest

from experiments import record_reach as recording

RECORD = json.loads(recording.RECORD.read_text("utf-8"))
TABLES = RECORD["tables"]


@pytest.mark.parametrize("name", recording.TABLES)
def test_a_table_tells_of_20_seeds_and_a_seed_measured_again_is_within_its_range(name):
    assert list(TABLES) == [*recording.TABLES, recording.SPEED]
    assert TABLES[name]["seeds"] == list(recording.SEEDS) == list(range(20))
    again, rows = recording.measured(name, seeds=[7]), TABLES[name]["rows"]
    assert {row: list(columns) for row, columns in again.items()} == {
        row: list(columns) for row, columns in rows.items()
    }
    for row, columns in rows.items():
        for column, told in columns.items():
            assert len(told["each"]) == 20
            assert (told["min"], told["max"]) == (min(told["each"]), max(told["each"]))
            assert told["mean"] == pytest.approx(np.mean(told["each"]), rel=1e-3)
            # The last of what a plain network keeps is rounding.
            assert again[row][column]["mean"] == pytest.approx(told["each"][7], rel=0.02, abs=1e-9)


def test_on_one_core_the_recurrence_is_done_first():
    rows = TABLES["speed"]["rows"]
    recurrence, attention = (rows[way]["1024"]["min"] for way in ("recurrence", "attention"))
    assert 0 < 1.5 * recurrence < attention


def means(name):
    return {
        row: {column: told["mean"] for column, told in columns.items()}
        for row, columns in TABLES[name]["rows"].items()
    }


def test_random_attention_dilutes_as_one_over_n_and_a_gate_keeps_as_much():
    strength = means("strength")
    spread = strength["attention, random"]
    assert 0.25 < spread["128"] * 128 < 4
    assert strength["gated, bias 4"]["128"] > spread["128"] > strength["gated, bias 2"]["128"]
    assert strength["attention, looks at word 1"]["128"] > 0.5 > 1e-9 > strength["plain"]["128"]


def test_the_window_wins_where_the_truth_is_local_and_they_cross_where_a_link_is_far():
    hunger = means("hunger")
    local, far = ([hunger[f"{kind}, {truth}"] for kind in ("window", "table")]
                  for truth in ("local", "one far link"))  # fmt: skip
    assert all(local[0][m] < local[1][m] for m in local[0])
    assert [far[0][m] < far[1][m] for m in ("32", "64", "128", "512")] == [
        True,
        False,
        False,
        False,
    ]
