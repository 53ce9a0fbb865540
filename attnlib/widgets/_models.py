"""The models of a writer: judged, sent in few bytes, and read with some of their parts taken out.

Of a text the widget asks what comes next alone, so the last layer is computed for the last word
alone. The browser has the same in `src/writing.js`; `attnlib.writer` reads at every word.
"""

import base64
import functools
from collections.abc import Mapping

import numpy as np

from attnlib import causal_mask, merge_heads, softmax, split_heads, text
from attnlib._inputs import as_real, refuse
from attnlib.models import world
from attnlib.models.writer import N_HEADS, N_LAYERS, layer, nearness
from attnlib.widgets._traits import Synced

MOST_WORDS, N_VOCABULARY, D, HIDDEN = 48, 20, 32, 128
MOST_MODELS = 5  # of some 52 kB each, which a page holds
STEPS = 2047  # of the largest number of an array: twelve bits, two characters of base64
UNMASKED = "no mask"  # a model of this name looks ahead, too: so it was trained
PARTS = [
    *(f"block {i + 1}, head {h}" for i in range(N_LAYERS) for h in range(N_HEADS)),
    *(f"network of block {i + 1}" for i in range(N_LAYERS)),
    "how far back",
]
FAR = len(PARTS) - 1
SHAPES = {"words": (N_VOCABULARY, D)} | {
    f"{name}_{i}": shape
    for i in range(N_LAYERS)
    for name, shape in {
        "w_query": (D, D),
        "w_key": (D, D),
        "w_value": (D, D),
        "w_output": (D, D),
        "near": (N_HEADS, MOST_WORDS),
        "w_up": (D, HIDDEN),
        "b_up": (HIDDEN,),
        "w_down": (HIDDEN, D),
    }.items()
}


class Models(Mapping):
    """Models by name, each a dict of read-only arrays; `recorded` if they are the record's."""

    __eq__, __hash__ = object.__eq__, object.__hash__  # arrays have no truth

    def __init__(self, models, *, recorded=False):
        self._models, self.recorded = models, recorded

    def __getitem__(self, name):
        return self._models[name]

    def __iter__(self):
        return iter(self._models)

    def __len__(self):
        return len(self._models)

    def __repr__(self):
        models = ", ".join(f"{name!r}: <{len(SHAPES)} arrays>" for name in self)
        return repr(list(self)) if self.recorded else f"{{{models}}}"


class Model(Models):
    """The read-only arrays of one model; `recorded` is its name, if it is of the record."""

    def __repr__(self):
        return repr(self.recorded) if self.recorded else f"<{len(self)} arrays>"


class WriterModels(Synced):
    """Models by name, in the order in which they came; kept in steps of 1/2047 of their largest."""

    default_value = None

    def __init__(self, **metadata):
        super().__init__(**metadata)
        self.tag(
            to_json=lambda models, owner: [sent(*item) for item in models.items()],
            from_json=lambda told, owner: dict(map(received, told)),
        )

    def validate(self, owner, value):
        """Return value as `Models`; names alone are those of the record."""
        if isinstance(value, Models):
            return value
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            rule = "models must be names of the record, or a mapping of names to models"
            kind = type(value).__name__
            refuse(rule, f"{kind} is neither", TypeError, **{self.name: repr(value)})
        given = value if isinstance(value, Mapping) else tuple(value)
        if not 1 <= len(given) <= MOST_MODELS:
            clash = f"{len(given)} > {MOST_MODELS}" if given else "0 < 1"
            rule = f"a page holds 1 to {MOST_MODELS} models"
            refuse(rule, clash, **{self.name: f"{len(given)} of them"})
        if isinstance(given, Mapping):
            return Models({str(name): _kept(str(name), model) for name, model in given.items()})
        return Models({name: _of_record(name) for name in given}, recorded=True)


class WriterModel(Synced):
    """One model, by a name of the record or as its arrays; kept as `WriterModels` keeps each."""

    default_value = None

    def __init__(self, **metadata):
        super().__init__(**metadata)
        self.tag(
            to_json=lambda model, owner: sent(self.name, model),
            from_json=lambda told, owner: received(told)[1],
        )

    def validate(self, owner, value):
        """Return value as `Model`."""
        if isinstance(value, Model):
            return value
        if isinstance(value, str):
            return Model(_of_record(value), recorded=value)
        return Model(_kept(self.name, value))


@functools.cache
def _of_record(name):
    return _kept(name, text.writer(name))


@np.errstate(all="ignore")  # numbers of a training that has diverged may overflow
def _kept(name, model):
    """Return a model in whole steps, if it has all its arrays, and chances."""
    if not isinstance(model, Mapping):
        kind = type(model).__name__
        refuse("a model must be a mapping of names to arrays", f"{kind} is no mapping", TypeError,
               **{name: f"of type {kind}"})  # fmt: skip
    kept = {}
    for part, shape in SHAPES.items():
        if part not in model:
            held = f"a mapping of {len(model)} names"
            refuse(f"a model must hold {part}", f"{part} is none of them", **{name: held})
        x = as_real(part, model[part]).astype(np.float64)
        if x.shape != shape:
            refuse(f"{part} of “{name}” must be {shape}", f"{x.shape} != {shape}", **{part: x})
        if not np.isfinite(x).all():
            place = tuple(map(int, np.argwhere(~np.isfinite(x))[0]))
            rule = f"{part} of “{name}” must hold finite numbers"
            refuse(rule, f"{x[place]:g} at {place} is not finite", **{part: x})
        step = _step(x)
        kept[part] = np.rint(x / step) * step
        kept[part].flags.writeable = False
    if np.isnan(read(kept, np.arange(N_VOCABULARY))[0]).any():
        largest = max(np.abs(model[part]).max() for part in SHAPES)
        refuse("the chances must be finite", "nan is not finite", **{name: f"of up to {largest:g}"})
    return kept


def _step(x):
    """Return what a step is of the numbers of an array; the same once more for what is kept."""
    return float(np.float32(np.abs(x).max(initial=0) / STEPS)) or 1.0


def require_vocabulary(words):
    """Raise ValueError unless the world knows each word of a text."""
    for place, word in enumerate(words):
        if word not in world.VOCABULARY:
            rule = f"words must be of the world's {len(world.VOCABULARY)}"
            clash = f"{word!r} is none of {', '.join(world.VOCABULARY)}"
            refuse(rule, clash, **{f"words[{place}]": repr(word)})


def sent(name, model):
    """Return a model as JSON has it: the step of each array, and all counts of steps in a row."""
    steps = [_step(x) for x in model.values()]
    counts = [np.rint(x / step).ravel() for x, step in zip(model.values(), steps, strict=True)]
    first, second = (np.concatenate(counts).astype(int) + STEPS + 1).reshape(-1, 2).T
    three = np.stack([first >> 4, (first & 15) << 4 | second >> 8, second & 255], axis=1)
    data = base64.b64encode(three.astype(np.uint8).tobytes()).decode()
    return {"name": name, "steps": steps, "data": data}


def received(told):
    """Return the name and the model that `sent` was given."""
    bytes_ = np.frombuffer(base64.b64decode(told["data"]), np.uint8).astype(int)
    one, two, three = bytes_.reshape(-1, 3).T
    counts = np.stack([one << 4 | two >> 4, (two & 15) << 8 | three], axis=1).ravel() - STEPS - 1
    sizes = [int(np.prod(shape)) for shape in SHAPES.values()]
    parts = np.split(counts, np.cumsum(sizes)[:-1])
    items = zip(SHAPES.items(), parts, told["steps"], strict=True)
    return told["name"], {name: x.reshape(shape) * step for (name, shape), x, step in items}


def read(model, ids, *, off=(), masked=True, temperature=1.0):
    """Return the chances of the next word, where the last word looks, and what each head is for.

    Parameters
    ----------
    model : dict
    ids : ndarray of int, (n,)
    off : sequence of int
        The parts that are taken out, by their places in `PARTS`.
    masked : bool
        Whether a word looks back alone.
    temperature : float
        What the logits are divided by.

    Returns
    -------
    chances : ndarray (20,)
    weights : ndarray (n_layers, n_heads, n)
        Of the last word.
    without : ndarray (n_heads, 20)
        The chances if one head of the last layer, each in turn, brought nothing.
    """
    n, x, looks = len(ids), model["words"][ids], []
    for i in range(N_LAYERS):
        last = slice(n - 1, None) if i == N_LAYERS - 1 else slice(None)
        parts = layer(model, i)
        weights, brought = attend(x, parts, i, off, last=last, masked=masked)
        looks.append(weights[:, -1])
        if i < N_LAYERS - 1:
            x = _onwards(x, merge_heads(brought), parts, N_LAYERS * N_HEADS + i not in off)
    merged = np.repeat(merge_heads(brought), N_HEADS + 1, axis=0)
    heads = range(N_HEADS)
    merged.reshape(-1, N_HEADS, D // N_HEADS)[1:][heads, heads] = 0  # row 0 stays whole
    x = _onwards(x[last], merged, parts, FAR - 1 not in off)
    chances = softmax(x @ model["words"].T / np.sqrt(D), temperature=temperature)
    return chances[0], np.stack(looks), chances[1:]


def attend(x, parts, i, off, *, last=slice(None), masked=True):
    """Return where the heads of layer i look, and what they bring, 0 where they are taken out.

    Parameters
    ----------
    x : ndarray, (n, d)
    parts : dict
        The arrays of the layer.
    i : int
    off : sequence of int
    last : slice
        The words that ask.
    masked : bool

    Returns
    -------
    weights : ndarray (n_heads, n_queries, n)
    brought : ndarray (n_heads, n_queries, d_head)
    """
    query, key, value = (
        split_heads(rows @ parts[role], N_HEADS)
        for rows, role in ((x[last], "w_query"), (x, "w_key"), (x, "w_value"))
    )
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(D // N_HEADS)
    if FAR not in off:
        scores = scores + nearness(parts["near"], len(x))[:, last]
    if masked:
        scores = np.where(causal_mask(len(x))[last], scores, -np.inf)
    weights = softmax(scores)
    brought = weights @ value
    brought[[place % N_HEADS for place in off if place // N_HEADS == i]] = 0
    return weights, brought


def _onwards(x, merged, parts, network):
    """Return x with what the heads bring, and then what the network makes of it."""
    x = x + merged @ parts["w_output"]
    if not network:
        return x
    return x + np.maximum(x @ parts["w_up"] + parts["b_up"], 0) @ parts["w_down"]
