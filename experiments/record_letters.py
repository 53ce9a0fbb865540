"""Train the model of lesson 14 from several seeds, on less text and without parts, and record it.

``python -m experiments.record_letters`` makes every run of ``attnlib/data/letters.json`` that is
not there yet, and the model that the lesson reads, ``attnlib/data/letters.npz``: two minutes of one
core for each run. With names of rows it makes the runs of these anew, and ``whole:0`` is one of
them. The functions that train are the lesson's own, read from the cells that define them.
"""

import json
import os
import platform
import sys
import time
from functools import cache
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # small steps: one is faster
os.environ["ATTNLIB_MINE"] = ""  # nobody's own functions: the references

import numpy as np

import attnlib
from attnlib import checks, text
from course.lesson.source import parse
from experiments.record_learning import pretty, rounded
from tests.checks import specs

LESSON = Path(__file__).parent.parent / "notebooks/src/14_a_text_of_your_own.md"
DATA = Path(attnlib.__file__).parent / "data"
RECORD, MODEL = DATA / "letters.json", DATA / "letters.npz"
EVERY = 100  # steps after which both losses are noted
WRITTEN = (0, 10, 100, 1000, 2500)  # steps after which it writes
SEED = 0  # of the model in the file
SHARES = {"whole": 1, "half": 2, "quarter": 4, "eighth": 8}  # of the text to learn
LEFT_OUT = ("heads", "networks", "norms", "places")
SEEDS = {row: range(5) if row == "whole" else range(3) for row in (*SHARES, *LEFT_OUT)}


@cache
def lesson():
    """Return the names of the lesson's cells, up to the model: its functions and its text."""
    solutions = ModuleType("solutions")
    vars(solutions).update({name: checks.find(name).solution for name in specs.NAMES})
    names = {"__name__": "lesson"}
    for cell in parse(LESSON, LESSON.read_text("utf-8")).notebook.cells:
        if cell.cell_type == "code" and needed(cell.source):
            exec(compile(cell.source, LESSON.name, "exec"), names)
            names["mine"] = solutions
    return names


def needed(source):
    """Tell whether a cell imports, reads the text, or defines what is no stub."""
    kept = (
        "import numpy",
        "prose = text",
        "asked_at =",
        "PARTS, ROLES",
        "def start",
        "def of_part",
        "def heads",
    )
    kept += "def network", "def added", "def read", "def loss_and", "def rate_at", "def train("
    kept += "def loss_held_out", "def count", "def chance"
    return any(words in source for words in kept) and not source.rstrip().endswith("...")


def trained(row, seed):
    """Return what came of one training: its losses on both parts, and what it wrote."""
    names = lesson()
    told = names["learned"][: len(names["learned"]) // SHARES.get(row, 1)]
    run = names["begin"](seed)
    run["model"], instead = left_out(row, run["model"])
    found, spent = {"steps": [], "learned": [], "held out": [], "written": {}}, 0.0
    with patch.dict(names, instead):
        while True:
            step, model = len(run["losses"]), run["model"]
            if step in WRITTEN:
                found["written"][str(step)] = wrote(model)
            if step % EVERY == 0:
                found["steps"].append(step)
                recent = run["losses"][-EVERY:] or [np.log(len(names["letters"]))]
                found["learned"].append(rounded(float(np.mean(recent))))
                found["held out"].append(rounded(float(names["loss_held_out"](model))))
            if step == names["N_STEPS"]:
                return found | {"seconds": round(spent, 1)}, model
            began = time.process_time()
            names["train"](run, told, 10)
            spent += time.process_time() - began


def left_out(row, model):
    """Return a model without what a row leaves out, and names of the lesson that say so, too."""
    names = lesson()
    if row == "places":  # they are zeros, and stay so
        return model | {row: 0 * model[row]}, {"loss_and_gradients": unmoved(row)}
    if row == "norms":
        kept = {name: w for name, w in model.items() if not name.endswith(("/gain", "/bias"))}
        return kept, {"norm": lambda x, model, part: (x, lambda grad: (grad, {}))}
    out = {part for part in names["PARTS"] if part.startswith(row.removesuffix("s"))}
    kept = {name: w for name, w in model.items() if name.partition("/")[0] not in out}
    return kept, {"PARTS": [part for part in names["PARTS"] if part not in out]}


def unmoved(name):
    """Return the lesson's function for loss and gradients, with none for an array that stays."""
    loss_and_gradients = lesson()["loss_and_gradients"]

    def without(*given):
        loss, grads = loss_and_gradients(*given)
        return loss, grads | {name: np.zeros_like(grads[name])}

    return without


def wrote(model):
    """Return 300 letters that a model writes after the end of a line."""
    return lesson()["go_on"](model, "\n", 300, np.random.default_rng(1))[1:]


def counted():
    """Return the loss of counts of one to seven letters, by how much of the text was counted."""
    names = lesson()
    cut = names["cut"]
    return {
        row: [
            rounded(float(names["losses_by_counts"](names["prose"][: cut // share], most).mean()))
            for most in range(1, 8)
        ]
        for row, share in SHARES.items()
    }


def kept(n_letters):
    """Return seconds of writing so many letters, three times: each read once, and all again."""
    names = lesson()
    found = {"kept": [], "read again": []}
    with patch.dict(names, {"N_PLACES": n_letters}):
        for seed in range(3):
            model = names["begin"](seed)["model"]
            none = np.zeros((2, names["N_HEADS"], 0, names["WIDTH"] // names["N_HEADS"]))
            u = np.random.default_rng(seed).random(n_letters)
            began = time.process_time()
            written, *_ = names["mine"].generate(0, none, none, model, 1.0, u)
            between = time.process_time()
            first, again = names["letters"][0], np.random.default_rng(seed)
            plain_way = names["go_on"](model, first, n_letters, again)
            found["kept"].append(round(between - began, 3))
            found["read again"].append(round(time.process_time() - between, 3))
            assert first + "".join(names["letters"][i] for i in written) == plain_way
    return found


def main(chosen):
    found = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"runs": {}}
    runs = found["runs"]
    every = [f"{row}:{seed}" for row in SEEDS for seed in SEEDS[row]]
    if unknown := set(chosen).difference([*every, *SEEDS]):
        raise SystemExit(f"There is no run {sorted(unknown)}; there are {every}.")
    if "kept" not in found or not chosen:
        found["counts"] = counted()
        found["kept"] = {f"{n} letters": kept(n) for n in (64, 500)}
        RECORD.write_text(pretty(found) + "\n", "utf-8")
    wanted = [one for one in every if one in chosen or one.partition(":")[0] in chosen]
    order = [one for seed in "01234" for one in every if one.endswith(seed)]
    for one in wanted or [one for one in order if one not in runs]:
        row, _, seed = one.partition(":")
        runs[one], model = trained(row, int(seed))
        found["versions"] = {"python": platform.python_version(), "numpy": np.__version__}
        found["letters"] = len(text.text_of())
        found["runs"] = runs = {name: runs[name] for name in every if name in runs}
        RECORD.write_text(pretty(found) + "\n", "utf-8")
        if one == f"whole:{SEED}":
            np.savez_compressed(MODEL, **{k: w.astype(np.float16) for k, w in model.items()})
        last = {name: runs[one][name][-1] for name in ("learned", "held out")}
        print(one, last, runs[one]["seconds"], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
