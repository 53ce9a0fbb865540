"""What lesson 15 says of the time that tiles take is recorded, and can be measured anew."""

import json

from attnlib import text
from experiments import record_tiles as recording


def test_the_table_has_each_way_and_each_length_and_tiles_win_where_the_text_is_long():
    table = text.tiles_table("time")
    assert list(table) == ["formula", "formula, in place", "your tiles", "attnlib"]
    for row in table.values():
        assert list(row) == [f"{n:,}" for n in recording.ROUNDS]
    assert set(table["formula"].values()) == {1.0}
    in_place, tiles, library = (row["4,096"] for row in [*table.values()][1:])
    assert abs(in_place - tiles) < 0.1  # "about level", says the lesson
    assert library < min(in_place, tiles) < max(in_place, tiles) < 1


def test_to_measure_anew_writes_the_same_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(recording, "RECORD", tmp_path / "tiles.json")
    recording.main({8: 1, 16: 1})
    rows = json.loads(recording.RECORD.read_text("utf-8"))["tables"]["time"]["rows"]
    assert list(rows) == list(text.tiles_table("time"))
    assert all(list(row) == ["8", "16"] for row in rows.values())
    assert min(rows["attnlib"].values()) > 0
    assert "16 {" in capsys.readouterr().out
