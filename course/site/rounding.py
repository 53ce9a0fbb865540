"""Rounds the real encoder to one byte a number, for the page on which one types a sentence.

`python -m course.site.rounding ROOT FOLDER` writes the model as scripts into FOLDER, since a page
that is opened from a folder may load those and nothing else, and `facts.json`: what they are, what
the rounding costs, and what the page shows before it has loaded them. ROOT holds `attnlib`, which
runs in this process of its own. `attnlib/widgets/src/encoder.js` reads what is written here.
"""

import base64
import hashlib
import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

GROUP = 32  # numbers that share a scale
LARGEST = 127
PLACES = 64  # pieces of a sentence that the page reads; the model has 512
FILES = 4  # for the vectors of words, which are half of the model
MATRICES = "w_query", "w_key", "w_value", "w_output", "w_up", "w_down"
FIRST = "The animal did not cross the street because it was tired"
LAYER, HEAD, WORD = 3, 1, "it"  # what the page shows of it
SENTENCES = (  # of many kinds, on which the costs are measured
    FIRST,
    "I saw a saw",
    "The dog bites the man",
    "She sat on the bank of the river and counted her money",
    "He deposited the cheque at the bank before it closed",
    "What is attention?",
    "Time flies like an arrow; fruit flies like a banana.",
    "The trophy does not fit into the suitcase because it is too large",
    "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo",
    "antidisestablishmentarianism",
    "Zürich, Łódź and Ångström: naïve façades",
    "注意 is attention",
    "😀 means that somebody is glad",
    "x = 3.14 * (y + 2)",
    "Please don't forget to call your mother tomorrow!",
    "It was the best of times, it was the worst of times",
    "The old man the boat.",
    "NumPy multiplies two matrices in a few milliseconds",
    "The nurse told the doctor that she had seen the patient whom the other doctor had sent home "
    "the day before, although nobody had asked her to",
    "yes",
)


def rounded(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round rows to whole numbers from -127 to 127 times a scale for each group of 32.

    Returns
    -------
    counts : ndarray of int8, (n, d)
    scales : ndarray of float32, (n, d / 32)
        The lower halves of their bits are zeros, so that two bytes hold one.
    """
    groups = x.reshape(len(x), -1, GROUP)
    least = np.abs(groups).max(axis=-1) / LARGEST
    bits = least.astype(np.float32).view(np.uint32)
    scales = ((bits + 0xFFFF) & 0xFFFF0000).view(np.float32)  # upwards: no count is above 127
    whole = np.rint(groups / np.where(scales > 0, scales, 1)[..., None])
    return whole.astype(np.int8).reshape(x.shape), scales


def widened(counts: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Return the numbers that `rounded` made its counts and scales of, as they are now."""
    return counts * np.repeat(scales, GROUP, axis=-1)


def as_rounded(model: Mapping) -> dict:
    """Return a model as `attnlib.encoder` has it, its large arrays rounded."""
    layers = [
        layer | {name: widened(*rounded(layer[name].T)).T for name in MATRICES}
        for layer in model["layers"]
    ]
    return {**model, "words": widened(*rounded(model["words"])), "layers": layers}


def parts(model: Mapping) -> Iterator[tuple[str, dict]]:
    """Go through the parts of a model, a script each: a name, and what the script hands over."""
    yield "pieces", {"pieces": "\n".join(model["vocabulary"])}
    places = model["positions"][:PLACES] + model["segments"][0]
    yield "places", _packed({"places": places, "gain": model["gain"], "bias": model["bias"]})
    rows = -(-len(model["words"]) // FILES)
    for k in range(FILES):
        yield f"words_{k}", _packed({"words": model["words"][k * rows : (k + 1) * rows]}, "words")
    for k, layer in enumerate(model["layers"]):
        turned = {name: x.T if name in MATRICES else x for name, x in layer.items()}
        yield f"layer_{k}", _packed(turned, *MATRICES)


def _packed(arrays: Mapping[str, np.ndarray], *to_round: str) -> dict:
    """Put arrays behind each other, and say what they are."""
    listed, data = [], b""
    for name, x in arrays.items():
        x = np.atleast_2d(x)
        said = {"name": name, "rows": x.shape[0], "columns": x.shape[1]}
        listed.append(said | {"rounded": name in to_round})
        if name in to_round:
            counts, scales = rounded(x)
            halves = (scales.view(np.uint32) >> 16).astype("<u2")
            data += counts.tobytes() + halves.tobytes()
        else:
            data += x.astype("<f4").tobytes()
    return {"arrays": listed, "data": base64.b64encode(data).decode()}


def write_scripts(model: Mapping, folder: Path) -> dict:
    """Write a model's scripts into a folder; return what a page must know of them."""
    made = dict(parts(model))
    build = hashlib.sha256(json.dumps(made).encode()).hexdigest()[:12]
    listed, n_bytes = [], 0
    for name, part in made.items():
        script = f"attnlibModel({json.dumps({'name': name, 'build': build} | part)});\n"
        (folder / f"{name}.js").write_text(script, encoding="utf-8")
        n_bytes += len(script)
        size = len(part.get("data") or part["pieces"])
        listed.append({"name": name, "address": f"model/{name}.js", "size": size})
    plain = sum(len(base64.b64decode(part.get("data", ""))) for part in made.values())
    page = {"most": PLACES, "build": build, "parts": listed}
    return {"page": page, "megabytes": n_bytes / 1e6, "plain": plain / 1e6}


def costs(encoder, model: Mapping) -> dict:
    """Measure what the rounding changes, over `SENTENCES`."""
    less = as_rounded(model)
    states, weights, same, vectors = [], [], [], []
    for sentence in SENTENCES:
        pieces = encoder.tokenize(sentence, model["vocabulary"])
        exact, found = (encoder.states(one, pieces) for one in (model, less))
        states.append(np.abs(exact - found).max())
        ours, theirs = (encoder.weights(one, pieces) for one in (model, less))
        weights.append(np.abs(ours - theirs).max())
        same += (ours.argmax(axis=-1) == theirs.argmax(axis=-1)).ravel().tolist()
        one, other = (encoder.mean_pool(x[-1]) for x in (exact, found))
        vectors.append(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
    return {
        "sentences": len(SENTENCES),
        "state": float(max(states)),
        "weight": float(max(weights)),
        "same": float(np.mean(same)),
        "cosine": float(min(vectors)),
    }


def shown(encoder, multihead, widgets, model: Mapping) -> list[dict]:
    """Make the two widgets of the page, as they are before the model is loaded: unrounded."""
    pieces = encoder.tokenize(FIRST, model["vocabulary"])
    into = encoder.states(model, pieces)[:-1]

    def of_heads(role):
        layers = zip(into, model["layers"], strict=True)
        made = (x @ layer[f"w_{role}"] + layer[f"b_{role}"] for x, layer in layers)
        return np.stack([multihead.split_heads(x, encoder.N_HEADS) for x in made])

    query, key, value = map(of_heads, ("query", "key", "value"))
    word = pieces.index(WORD)
    heads = widgets.Heads(
        encoder.weights(model, pieces), pieces, value, layer=LAYER, head=HEAD, word=word
    )
    at = LAYER, HEAD
    flow = widgets.SelfAttention(query[at], key[at], value[at], words=pieces, word=word, step="mix")
    return [_recorded(widget) for widget in (heads, flow)]


def _recorded(widget) -> dict:
    data, metadata = widget._repr_mimebundle_()
    kept = {kind: x for kind, x in data.items() if "widget-view" not in kind}
    return {"data": kept, "metadata": {"image/png": metadata["image/png"]}}


def main(root: str, folder: str) -> None:
    """Write all of it."""
    sys.path.insert(0, root)
    encoder, multihead, widgets = (
        importlib.import_module(f"attnlib.{name}") for name in ("encoder", "multihead", "widgets")
    )
    model = encoder.read_model()
    facts = write_scripts(model, Path(folder))
    licence = Path(root, "attnlib", "data", "LICENSE-Apache-2.0.txt")
    (Path(folder) / "LICENSE.txt").write_bytes(licence.read_bytes())
    facts["first"] = FIRST
    facts["costs"] = costs(encoder, model)
    facts["shown"] = shown(encoder, multihead, widgets, model)
    (Path(folder) / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
