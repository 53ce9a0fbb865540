"""Train the model of lesson 12 from several seeds, with and without its parts, and record it.

``python -m experiments.record_writer`` makes every row of ``attnlib/data/writer.json`` anew, and
with it the model that the lessons and the widget read, ``attnlib/data/writer.npz``: some twenty
minutes of one core. With names of rows it makes these alone. The functions that train are the
lesson's own: they are read from the cells that define them. What only the record needs is here.
"""

import json
import os
import platform
import sys
import time
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # small steps: one is faster
os.environ["ATTNLIB_MINE"] = ""  # nobody's own functions: the references

import numpy as np

import attnlib
from attnlib import checks, world
from experiments import record_learning as recording
from experiments.record_learning import pretty, rounded, summary
from tests.checks import specs

LESSON = Path(__file__).parent.parent / "notebooks/src/12_a_model_that_writes.md"
DATA = Path(attnlib.__file__).parent / "data"
RECORD, MODEL = DATA / "writer.json", DATA / "writer.npz"
STEPS, KEPT = 4000, 100  # of training; the model is kept every so many
SEED = 4  # of the model in the file: it knows early
CHEAT = 0  # of the one without a mask
STAGES = {"untrained": 0, "plateau": 500, "learning": 700, "trained": STEPS}
MEAN_OF = 20  # steps are one number of the recorded loss
ROWS = {  # what is left out, and what that is to the model's start and to its training
    "nothing": ({}, {}),
    "attention": ({}, {"frozen": "attention"}),
    "the second block": ({"n_layers": 1}, {}),
    "one wide block": ({"n_layers": 1, "n_hidden": 322}, {}),  # as many numbers as two
    "one wide head": ({"n_heads": 1}, {}),  # in each block, of the same matrices
    "near": ({}, {"frozen": "near"}),
    "the mask": ({}, {"mask": np.ones((48, 48), bool)}),
}
SEEDS = {row: range(5 if row == "nothing" else 3) for row in ROWS}


@cache
def lesson():
    """Return the functions of the lesson's cells, and its names in capitals.

    In place of what readers keep stand the solutions, as they would write them: they are a third
    quicker than the references, which look at what comes in first.
    """
    solutions = ModuleType("solutions")
    vars(solutions).update({name: checks.find(name).solution for name in specs.NAMES})
    return recording.lesson(LESSON, solutions)


@cache
def data():
    """Return stories to train on, and others to measure by."""
    return lesson().stories(np.random.default_rng(12), 20_000), held_out()


@cache
def held_out():
    return lesson().stories(np.random.default_rng(13), 3_000)


def trained(row, seed):
    """Return the losses of a training, and the models that were kept, by their steps."""
    shape, how = ROWS[row]
    rng, how = np.random.default_rng(seed), dict(how)
    model = lesson().start(rng, **shape)
    if how.get("frozen") == "attention":  # what its heads bring is 0, and stays so
        model |= {name: 0 * w for name, w in model.items() if name.startswith("w_output")}
        how["frozen"] = [name for name in model if name.startswith(("w_output", "near"))]
    elif how.get("frozen") == "near":
        how["frozen"] = [name for name in model if name.startswith("near")]
    losses, kept = [], {0: model}
    seen = SimpleNamespace(append=lambda one: seen_at(losses, kept, *one))
    began = time.process_time()
    lesson().train(model, data()[0], rng, range(STEPS), {}, seen=seen, **how)
    return SimpleNamespace(losses=losses, kept=kept, seconds=time.process_time() - began)


def seen_at(losses, kept, loss, model):
    losses.append(loss)
    if len(losses) % KEPT == 0:
        kept[len(losses)] = model


def measured(row, seed, run=trained):
    """Return what becomes of one training: the columns of its row."""
    found, mask = run(row, seed), ROWS[row][1].get("mask")
    model = found.kept[STEPS]
    told = {"loss": loss(model, mask), "seconds": found.seconds} | skills(model, mask)
    told["above the floor"] = told["loss"] - floor()
    told["stories right"] = stories_right(model, mask)
    smooth = np.convolve(found.losses, np.ones(50) / 50, "valid")
    known = smooth < floor() + 0.04
    return told | {"knows from step": int(known.argmax()) if known.any() else STEPS}


def logits_of(model, mask):
    """Return the logits after each of the 48 words of the stories that were held out."""
    parts = np.split(held_out()[:, :-1], 20)
    return np.concatenate([lesson().read(model, part, mask) for part in parts])


def loss(model, mask):
    """Return the mean loss, in nats, of the words after the opening."""
    logits, opening = logits_of(model, mask), world.N_OPENING
    chances = attnlib.softmax(logits[:, opening - 1 :])
    due = np.take_along_axis(chances, held_out()[:, opening:, None], axis=-1)
    return -np.log(due).mean()


@cache
def exact():
    """Return the exact chance of each word of the stories that were held out."""
    return np.array([world.chances(words) for words in held_out_words()])


@cache
def held_out_words():
    return [[world.VOCABULARY[i] for i in row] for row in held_out()]


@cache
def floor():
    """Return the mean loss of whoever knows the chances, on the stories that were held out."""
    return -np.log(exact()[:, world.N_OPENING :]).mean()


@cache
def asked():
    """Return where each thing is asked in the stories: {what: pairs of story and place}.

    The word at that place is the answer, and the logits of the place before it are asked.
    """
    kinds = "animal", "first friend", "changed friend", "somebody found later", "pronoun"
    places = {kind: [] for kind in kinds}
    for row, words in enumerate(held_out_words()):
        for place, kind in kinds_of(words):
            places[kind].append((row, place))
    return places


def kinds_of(words):
    """Yield where a word after the opening shows what a writer has kept in mind, and what."""
    place = world.World()
    first, found_at = {}, {}
    for i, word in enumerate(words):
        before = place.sentence
        if i >= world.N_OPENING and len(before) == 2 and before[0] == "the":
            yield i, "animal"
        if before[-1:] == ["likes"]:
            animal = before[-2]
            changed = place.friend[animal] != first[animal]
            yield i, "changed friend" if changed else "first friend"
            if changed and max(found_at.values()) > found_at[animal]:
                yield i, "somebody found later"
        if not before and word in world.PRONOUNS.values():
            yield i, "pronoun"
        if before[-1:] == ["finds"]:
            found_at[before[-2]] = i
            first.setdefault(before[-2], word)
        place.hear(word)


def skills(model, mask):
    """Return how often the right word is likelier than all others that could be meant."""
    logits = logits_of(model, mask)
    among = {"animal": world.ANIMALS, "pronoun": ["she", "he"]}
    found = {}
    for kind, places in asked().items():
        rows, columns = np.transpose(places)
        names = world.encode(among.get(kind, world.NAMES))
        chosen = names[logits[rows, columns - 1][:, names].argmax(axis=-1)]
        found[kind] = (chosen == held_out()[rows, columns]).mean()
    return found


def stories_right(model, mask, n_stories=200):
    """Return the share of stories, written at temperature 1, that hold no impossible word."""
    openings = held_out()[:n_stories, : world.N_OPENING]
    written = lesson().go_on(model, openings, 1.0, np.random.default_rng(5), mask)
    words = [[world.VOCABULARY[i] for i in row] for row in written]
    return np.mean([world.chances(story)[-1] > 0 for story in words])


def make_row(row, run=trained):
    runs = [measured(row, seed, run) for seed in SEEDS[row]]
    columns = {name: summary([run[name] for run in runs]) for name in runs[0]}
    return columns | {"seconds": columns["seconds"]["mean"]}


def make_model(run=trained):
    """Return the arrays of the model's file: stages in float16, and the loss on the way."""
    whole, cheat = run("nothing", SEED), run("the mask", CHEAT)
    stages = {name: whole.kept[step] for name, step in STAGES.items()}
    stages["no mask"] = cheat.kept[STEPS]
    arrays = {
        f"{stage}/{name}": array.astype(np.float16)
        for stage, model in stages.items()
        for name, array in model.items()
    }
    losses = np.reshape(whole.losses, (-1, MEAN_OF)).mean(axis=1)
    arrays["floor"] = floor()
    arrays |= {"steps": MEAN_OF * np.arange(1, len(losses) + 1), "loss": losses.astype(np.float32)}
    return arrays | {"stages": list(STAGES), "stage_steps": list(STAGES.values())}


def main(chosen):
    if unknown := set(chosen).difference([*ROWS, "model"]):
        raise SystemExit(f"There is no row {sorted(unknown)}; there are {[*ROWS, 'model']}.")
    run = cache(trained)
    rows = (
        json.loads(RECORD.read_text("utf-8"))["tables"]["left out"]["rows"]
        if RECORD.exists()
        else {}
    )
    for row in chosen or ROWS:
        if row in ROWS:
            rows[row] = make_row(row, run)
            write(rows)
            print(row, pretty(rows[row]))
    if not chosen or "model" in chosen:
        np.savez_compressed(MODEL, **make_model(run))
        print(f"{MODEL.name}: {MODEL.stat().st_size:,} bytes")


def write(rows):
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    in_order = {row: rows[row] for row in ROWS if row in rows}
    table = {
        "steps": STEPS,
        "held out": len(held_out()),
        "floor": rounded(floor()),
        "rows": in_order,
    }
    RECORD.write_text(pretty({"versions": versions, "tables": {"left out": table}}) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
