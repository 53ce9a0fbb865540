"""The record of a training, read and judged: what a tagger did at each step that was kept."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from attnlib._inputs import as_array, as_real, refuse
from attnlib.widgets._packing import COARSE, FINE, in_steps, packed, unpacked
from attnlib.widgets._traits import MOST_WORDS, Synced

MOST_WEIGHTS = 150_000  # are 200 kB of a page, and what comes with them 50 more at most
SLACK = 1e-2  # of the sum of a row, beside what whole steps of 1/255 may add up to


class Record(dict):
    """A record that has been judged: read-only arrays, and `models` and `sentences` as tuples."""

    @property
    def n_seeds(self):
        """How many trainings there are of each model."""
        return len(self[f"loss/{self['models'][0]}"])


def as_record(name, given):
    """Return what was given as a `Record`; what is one stays as it is."""
    return given if isinstance(given, Record) else _Reader(name, given).read()


class TrainingRecord(Synced):
    """A training's record, weights in steps of 1/255 and probabilities in steps of 1/50000."""

    default_value = None

    def __init__(self, **metadata):
        super().__init__(**metadata)
        as_json = {"to_json": lambda x, owner: sent(x), "from_json": lambda x, owner: received(x)}
        self.tag(**as_json)

    def validate(self, owner, value):
        """Return value as a Record."""
        return as_record(self.name, value)


def sent(record):
    """Return a record as JSON has it: by name of the model, then in the order of the sentences."""
    models, sentences = record["models"], record["sentences"]
    curves = {
        what: {model: record[f"{what}/{model}"].tolist() for model in models}
        for what in ("loss", "accuracy")
    }
    tables = {
        what: {model: [packed(record[f"{what}/{model}/{one}"], steps) for one in sentences]
               for model in models}
        for what, steps in (("weights", COARSE), ("verb", FINE), ("votes", COARSE))
    }  # fmt: skip
    lists = {"steps": record["steps"].tolist(), "models": list(models)}
    lists["sentences"] = [one.split() for one in sentences]
    truth = [record[f"truth/{one}"].tolist() for one in sentences]
    return lists | {"truth": truth} | curves | tables


def received(told):
    """Return what `sent` was given."""
    sentences = [" ".join(words) for words in told["sentences"]]
    record = {"steps": told["steps"], "models": told["models"], "sentences": sentences}
    record |= {f"truth/{one}": x for one, x in zip(sentences, told["truth"], strict=True)}
    for model in told["models"]:
        for what in ("loss", "accuracy"):
            record[f"{what}/{model}"] = told[what][model]
        for what in ("weights", "verb", "votes"):
            for one, table in zip(sentences, told[what][model], strict=True):
                record[f"{what}/{model}/{one}"] = unpacked(table)
    return record


class _Reader:
    """Takes from a mapping what a record must hold, and judges each part."""

    def __init__(self, name, given):
        if not isinstance(given, Mapping):
            kind = type(given).__name__
            rule = f"{name} must be a mapping of names to arrays (attnlib.text.trainings() is one)"
            refuse(rule, f"{kind} is no mapping", TypeError, **{name: f"of type {kind}"})
        self.name, self.given = name, given

    def read(self):
        """Return the record."""
        self.steps = steps = self._steps()
        models = self._names("models")
        sentences = self._names("sentences")
        kept = Record(steps=steps, models=models, sentences=sentences)
        self.n_seeds = None
        for model in models:
            kept[f"loss/{model}"] = self._curve(f"loss/{model}", len(steps), {})
            bounds = {"least": 0, "most": 1}
            kept[f"accuracy/{model}"] = self._curve(f"accuracy/{model}", len(steps), bounds)
        for sentence in sentences:
            n = self._n_words(sentence)
            kept[f"truth/{sentence}"] = self._truth(f"truth/{sentence}", n)
            for model in models:
                shape = (self.n_seeds, len(steps), n)
                weights, verb, votes = (
                    f"{what}/{model}/{sentence}" for what in ("weights", "verb", "votes")
                )
                kept[weights] = self._weights(weights, (*shape, n))
                kept[verb] = in_steps(self._shares(verb, shape, "n_seeds, n_steps, n"))
                kept[votes] = in_steps(self._shares(votes, shape, "n_seeds, n_steps, n"), COARSE)
        self._require_few(kept)
        return kept

    def _part(self, name):
        if name not in self.given:
            rule = f"{self.name} must hold {name}"
            held = f"a mapping of {len(self.given)} names"
            refuse(rule, f"{name} is none of them", **{self.name: held})
        return as_array(name, self.given[name])

    def _steps(self):
        steps = self._part("steps")
        if steps.ndim != 1 or not len(steps):
            rule = "steps must have the axis (n_steps), with at least one step"
            clash = f"{steps.ndim} != 1" if steps.ndim != 1 else "0 < 1"
            refuse(rule, clash, steps=steps)
        if steps.dtype.kind not in "iu":
            clash = f"{steps.dtype} is not int"
            refuse("steps must hold integers", clash, TypeError, steps=steps)
        for before, after in pairwise(steps):
            if not before < after:
                refuse("steps must increase", f"{after} comes after {before}", steps=steps)
        if steps[0] < 0:
            refuse("steps must be counted from 0", f"{steps[0]} < 0", steps=steps)
        steps = steps.astype(np.int64)
        steps.flags.writeable = False
        return steps

    def _names(self, what):
        names = self._part(what)
        if names.dtype.kind != "U" or names.ndim != 1:
            kind = "str" if names.dtype.kind == "U" else names.dtype
            clash = f"{kind} is not str" if kind != "str" else f"{names.ndim} != 1"
            refuse(f"{what} must be a row of str", clash, TypeError, **{what: names})
        if not len(names):
            refuse(f"{what} must hold at least one name", "0 < 1", **{what: names})
        return tuple(map(str, names))

    def _n_words(self, sentence):
        n = len(sentence.split())
        if not 1 <= n <= MOST_WORDS:
            rule = f"a sentence must have 1 to {MOST_WORDS} words"
            clash = f"{n} > {MOST_WORDS}" if n else "0 < 1"
            refuse(rule, clash, sentences=f"one of {n} words")
        return n

    def _numbers(self, name, shape, axes):
        """Return an array of finite numbers; of the first with seeds, take how many there are."""
        x = as_real(name, self._part(name))
        if self.n_seeds is None and x.ndim == len(shape) and len(x):
            self.n_seeds = len(x)
        shape = tuple(self.n_seeds if size is None else size for size in shape)
        if x.shape != shape:
            rule = f"{name} must have the axes ({axes})"
            refuse(rule, f"{x.shape} != {shape}".replace("None", "n_seeds"), **{name: x})
        if not np.isfinite(x).all():
            place = tuple(map(int, np.argwhere(~np.isfinite(x))[0]))
            rule = f"{name} must hold finite numbers"
            refuse(rule, f"{x[place]:g} at {place} is not finite", **{name: x})
        return x.astype(np.float64)

    def _curve(self, name, n_steps, bounds):
        x = self._numbers(name, (self.n_seeds, n_steps), "n_seeds, n_steps")
        x = np.round(_between(name, x, **bounds), 5)
        x.flags.writeable = False
        return x

    def _truth(self, name, n):
        x = self._numbers(name, (n,), "n")
        wrong = ~np.isin(x, (-1, 0, 1))
        if wrong.any():
            rule = f"{name} must hold 1 for a verb, 0 for a noun, -1 for any other word"
            refuse(rule, f"{x[wrong][0]:g} is none of these", **{name: x})
        x = x.astype(np.int8)
        x.flags.writeable = False
        return x

    def _shares(self, name, shape, axes):
        return _between(name, self._numbers(name, shape, axes), least=0, most=1)

    def _weights(self, name, shape):
        whole = self._part(name).dtype == np.uint8
        x = self._numbers(name, shape, "n_seeds, n_steps, n, n") / (COARSE if whole else 1)
        totals = _between(name, x, least=0, most=1).sum(axis=-1)
        wrong = (totals != 0) & (np.abs(totals - 1) > SLACK + shape[-1] / (2 * COARSE))
        if wrong.any():
            seed, step, row = map(int, np.argwhere(wrong)[0])
            rule = f"each row of {name} must sum to 1, or be all 0 where a query sees nothing"
            where = f"row {row} of seed {seed} at step {self.steps[step]}"
            refuse(rule, f"{where} sums to {totals[seed, step, row]:g} != 1", **{name: x})
        return in_steps(x, COARSE)

    def _require_few(self, kept):
        n = sum(x.size for name, x in kept.items() if name.startswith("weights/"))
        if n > MOST_WEIGHTS:
            rule = f"a page holds at most {MOST_WEIGHTS} weights (leave out steps, or seeds)"
            refuse(rule, f"{n} > {MOST_WEIGHTS}", **{self.name: f"one of {n} weights"})


def _between(name, x, *, least=-np.inf, most=np.inf):
    """Return x if it lies between; else say where it does not."""
    wrong = (x < least) | (x > most)
    if wrong.any():
        place = tuple(map(int, np.argwhere(wrong)[0]))
        rule = f"{name} must lie between {least} and {most}"
        refuse(rule, f"{x[place]:g} at {place} does not", **{name: x})
    return x
