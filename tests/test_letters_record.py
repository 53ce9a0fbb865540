"""What lesson 14 says of models that learn its prose is recorded, and is what would be made."""

import builtins
import dis
import inspect
import json
import re
from itertools import chain, repeat
from unittest.mock import patch

import numpy as np
import pytest

from attnlib import text
from course.lesson.source import parse
from experiments import record_letters as recording
from tests.lessons import quickly

RECORD = json.loads(recording.RECORD.read_text("utf-8"))
RUNS = {f"{row}:{seed}": (row, seed) for row, seeds in recording.SEEDS.items() for seed in seeds}
LOSSES = "learned", "held out"
TEXT = recording.LESSON.read_text("utf-8")
CELLS = [cell.source for cell in parse(recording.LESSON, TEXT).notebook.cells]


def functions():
    """Return the lesson's own functions, as the recorder has them, by name."""
    own = recording.LESSON.name
    codes = {name: getattr(x, "__code__", None) for name, x in recording.lesson().items()}
    return {name: code for name, code in codes.items() if code and code.co_filename == own}


def test_whatever_recorder_and_cells_ask_for_is_there_and_no_stub_is_among_it():
    there = {*recording.lesson(), *vars(builtins)}
    asked = re.findall(r'(?:names|lesson\(\))\["(\w+)"\]', inspect.getsource(recording))
    assert {"train", "go_on"} <= {*asked} <= there
    for name, code in functions().items():
        assert code.co_names, f"{name} does nothing"
        called = {one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"}
        assert called <= there, name


def test_a_stub_is_not_read_and_what_the_lesson_shows_later_is_not_run():
    stubs = [cell for cell in CELLS if cell.rstrip().endswith("...") and "def " in cell]
    assert len(stubs) >= 4
    assert not any(map(recording.needed, [*stubs, 'def train(run, told):\n    """Do."""\n    ...']))
    assert recording.needed("def train(run, told):\n    return run")
    assert not any(recording.needed(cell) for cell in CELLS if "text.letters" in cell)


def test_all_runs_are_recorded_with_all_their_steps():
    assert list(RECORD["runs"]) == list(RUNS)
    steps = [*range(0, recording.WRITTEN[-1] + 1, recording.EVERY)]
    for name, run in RECORD["runs"].items():
        assert run["steps"] == steps, name
        assert len(run["learned"]) == len(run["held out"]) == len(run["steps"]), name
        assert [*map(int, run["written"])] == [*recording.WRITTEN], name
        assert {len(written) for written in run["written"].values()} == {300}, name
        assert run["seconds"] > 0


def test_the_prose_that_was_learned_is_the_one_that_is_here():
    assert RECORD["letters"] == len(text.text_of())
    assert {row: len(each) for row, each in RECORD["counts"].items()} == dict.fromkeys(
        recording.SHARES, 7
    )
    assert RECORD["counts"]["whole"] == pytest.approx(recording.lesson()["by_counts"], abs=1e-3)


def test_the_model_of_the_file_is_that_of_its_run():
    """It is rounded to float16, and loses nothing by that."""
    told = RECORD["runs"][f"whole:{recording.SEED}"]["held out"][-1]
    assert recording.lesson()["loss_held_out"](text.letters()) == pytest.approx(told, abs=2e-3)


def first(function, n, then):
    """Return a function that does the same n times, and then something else."""
    turns = chain(repeat(function, n), repeat(then))
    return lambda *given, **more: next(turns)(*given, **more)


def idle(run, told, n_steps, **_):
    """Go on without training."""
    run["losses"] = [*run["losses"], *[0.0] * n_steps]


@pytest.mark.parametrize("row", quickly(list(recording.SEEDS), takes=[0], full=[0, -1]))
def test_training_again_begins_as_it_was_recorded(row):
    """Ten steps of seed 1: the losses before them, and what is written before and after."""
    names = recording.lesson()
    ten_steps = {
        "train": first(names["train"], 1, idle),
        "loss_held_out": first(names["loss_held_out"], 1, lambda model: 0.0),
        "go_on": first(names["go_on"], 2, lambda *given: "\n"),
    }
    with patch.dict(names, ten_steps):
        again, _ = recording.trained(row, 1)
    told = RECORD["runs"][f"{row}:1"]
    assert again["steps"] == told["steps"]
    assert [again[name][0] for name in LOSSES] == [told[name][0] for name in LOSSES]
    written = {step: words for step, words in again["written"].items() if words}
    assert written == {step: told["written"][step] for step in ("0", "10")}


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Have the recorder work on a copy, where no training takes long; return what it trains."""
    made = []

    def trained(row, seed):
        made.append(f"{row}:{seed}")
        return {"learned": [1.0], "held out": [seed], "seconds": 0.0}, {"letters": np.ones(2)}

    for name in ("RECORD", "MODEL"):
        path = getattr(recording, name)
        monkeypatch.setattr(recording, name, tmp_path / path.name)
    monkeypatch.setattr(recording, "trained", trained)
    monkeypatch.setattr(recording, "counted", lambda: {"whole": [2.0]})
    monkeypatch.setattr(recording, "kept", lambda n_letters: {})
    return made


def runs():
    """Return what the copy has of each run that is held out."""
    found = json.loads(recording.RECORD.read_text("utf-8"))
    return {name: run["held out"] for name, run in found["runs"].items()}


def test_what_is_missing_is_made_and_a_run_that_is_there_is_not_made_again(made):
    recording.main(["half:1"])
    recording.main([])
    assert sorted(made) == sorted(RUNS)
    assert runs() == {name: [seed] for name, (_, seed) in RUNS.items()}
    assert list(runs()) == list(RUNS)
    found = json.loads(recording.RECORD.read_text("utf-8"))
    assert (found["letters"], found["counts"]) == (len(text.text_of()), {"whole": [2.0]})
    recording.main([])
    assert len(made) == len(RUNS)


def test_what_is_named_is_made_anew_and_nothing_else(made):
    recording.main(["half"])
    assert made == [name for name, (row, _) in RUNS.items() if row == "half"]
    assert not recording.MODEL.exists()
    recording.main(["half:2", f"whole:{recording.SEED}"])
    assert made[-2:] == [f"whole:{recording.SEED}", "half:2"]
    with np.load(recording.MODEL) as arrays:
        assert arrays["letters"].dtype == np.float16


@pytest.mark.parametrize("name", ["whole:7", "harmony"])
def test_an_unknown_run_is_refused(made, name):
    with pytest.raises(SystemExit, match=rf"There is no run \['{name}'\]; there are \['whole:0'"):
        recording.main(["half", name])
    assert made == []
    assert not recording.RECORD.exists()
