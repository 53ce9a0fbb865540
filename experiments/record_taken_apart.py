"""What lesson 13 says of thirty sentences, anew: ``python -m experiments.record_taken_apart``.

It writes ``recorded/taken_apart.json`` (two minutes), and needs the model's package. What it does
to the model are the lesson's experiments: a part or a head taken out, words deleted, turned round,
or hidden. The functions are those of `attnlib`, nobody's own. `tests.test_taken_apart` measures a
part of it again, and holds the lesson's sentences to it.
"""

import json
import os
import platform
from functools import cache
from itertools import combinations
from pathlib import Path

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # small arrays: one is faster

import numpy as np

import attnlib
from attnlib import encoder
from experiments import record_learning as recording

RECORD = Path(__file__).parent / "recorded" / "taken_apart.json"
# Each word is one piece, so that the rank of a word is that of a row.
SENTENCES = (
    "The cat sat on the mat",
    "My sister plays the piano every evening",
    "The old house at the corner is for sale",
    "We bought fresh bread and cheese at the market",
    "The moon was bright over the desert",
    "An apple fell from the tree",
    "He borrowed money from the bank",
    "Trees grew on the bank of the river",
    "The animal did not cross the street because it was tired",
    "I saw a saw",
    "The children played football in the park after school",
    "A strange noise woke her in the night",
    "Our train was late because of the heavy snow",
    "The doctor told him to drink more water",
    "She wrote a long letter to her mother",
    "Two birds built a nest under the roof",
    "The soup needs a little more salt",
    "Nobody knows where the king hid his gold",
    "They walked along the beach until sunset",
    "The museum opens at nine in the morning",
    "His new car broke down on the bridge",
    "The teacher asked a very difficult question",
    "Rain fell on the village for three days",
    "The judge did not believe the witness",
    "I forgot my umbrella in the restaurant",
    "The company will build a factory near the lake",
    "Her grandfather was a famous pilot in the war",
    "You can buy tickets at the station",
    "The actor learned his lines on the plane",
    "Strong winds damaged the harbor last winter",
)
# A sentence, the same with two words exchanged, what it says in the passive, and in other words.
TURNED = (
    ("The dog bites the man", "The man bites the dog", "The man is bitten by the dog",
     "A dog bit a man"),
    ("The teacher praised the student", "The student praised the teacher",
     "The student was praised by the teacher", "A teacher said good things about her student"),
    ("The king feared the bishop", "The bishop feared the king",
     "The bishop was feared by the king", "The ruler was afraid of the head of the church"),
    ("The girl followed the stranger", "The stranger followed the girl",
     "The stranger was followed by the girl", "A young woman walked behind an unknown man"),
    ("The bank sued the farmer", "The farmer sued the bank", "The farmer was sued by the bank",
     "The bank took the farmer to court"),
    ("The car hit the truck", "The truck hit the car", "The truck was hit by the car",
     "A car crashed into a truck"),
    ("Germany invaded France", "France invaded Germany", "France was invaded by Germany",
     "German troops marched into France"),
    ("The mother woke the child", "The child woke the mother", "The child was woken by the mother",
     "A mother made her son get up"),
    ("The lion killed the hunter", "The hunter killed the lion",
     "The hunter was killed by the lion", "A lion took the life of a hunter"),
    ("The actor called the doctor", "The doctor called the actor",
     "The doctor was called by the actor", "The actor phoned a physician"),
)  # fmt: skip
# What *it* stands for is told by the last word: each of two nouns has one.
PRONOUNS = (
    ("The animal did not cross the street because it was {}", "animal tired", "street wide"),
    ("The trophy did not fit in the box because it was too {}", "trophy large", "box small"),
    ("The dog did not cross the river because it was too {}", "dog lazy", "river deep"),
    ("The truck did not pass the bridge because it was too {}", "truck heavy", "bridge weak"),
    ("The boat did not reach the harbor because it was {}", "boat slow", "harbor frozen"),
    ("The horse did not climb the mountain because it was {}", "horse sick", "mountain steep"),
    ("The ball broke the window because it was {}", "ball heavy", "window thin"),
    ("The cat did not eat the fish because it was {}", "cat full", "fish rotten"),
    ("The child did not drink the milk because it was {}", "child asleep", "milk sour"),
    ("The bird did not leave the cage because it was {}", "bird afraid", "cage locked"),
)
PARTS = "positions", "attention", "networks", "the adding of x", "norms"
TELLERS = "hidden", "last layer", "all layers", "rarity", "rollout"
N_RESAMPLED = 2000


@cache
def model():
    """Return the model, its layers with 15 digits: so all machines give the same numbers."""
    found = encoder.read_model()
    layers = [{name: x.astype(float) for name, x in p.items()} for p in found["layers"]]
    return found | {"layers": layers}


def pieces_of(sentence):
    return encoder.tokenize(sentence, model()["vocabulary"])


def enter(pieces, positions=True, rows=None):
    """Return what goes into the first layer, (n, 384); `rows` says which positions are added."""
    ids = [model()["vocabulary"][piece] for piece in pieces]
    x = model()["words"][ids].astype(float) + model()["segments"][0]
    if positions:
        x += model()["positions"][np.arange(len(pieces)) if rows is None else rows]
    return encoder.layer_norm(x, model()["gain"], model()["bias"])


def attend(x, p):
    """Return the weights of the heads, (..., 12, n, n), and what each writes, (..., 12, n, 384)."""
    split = (
        attnlib.split_heads(x @ p[f"w_{r}"] + p[f"b_{r}"], 12) for r in ("query", "key", "value")
    )
    query, key, value = split
    weights = attnlib.attention_weights(query, key)
    return weights, weights @ value @ p["w_output"].reshape(12, 32, -1)


def leave(x, brought, p, norm=encoder.layer_norm, stays=1.0):
    """Return what a block makes of x and what its attention brought."""
    x = norm(stays * x + brought, p["gain_attention"], p["bias_attention"])
    made = encoder.gelu(x @ p["w_up"] + p["b_up"]) @ p["w_down"] + p["b_down"]
    return norm(stays * x + made, p["gain_network"], p["bias_network"])


def run(x, change=dict, first=0, **exchanged):
    """Return the states from x on, into a layer and out of each, with a part exchanged."""
    states = [x]
    for layer in model()["layers"][first:]:
        p = change(layer)
        brought = attend(states[-1], p)[1].sum(axis=-3) + p["b_output"]
        states.append(leave(states[-1], brought, p, **exchanged))
    return np.stack(states)


def vector(sentence):
    return run(enter(pieces_of(sentence)))[-1].mean(axis=0)


def no(*names):
    return lambda p: p | {name: 0 * p[name] for name in names}


def without(part):
    """Return what is handed to `run` to take a part out; positions are taken out before it."""
    return {
        "nothing": {},
        "positions": {},
        "attention": {"change": no("w_output", "b_output")},
        "networks": {"change": no("w_down", "b_down")},
        "the adding of x": {"stays": 0.0},
        "norms": {"norm": lambda x, gain, bias: x * gain + bias},
    }[part]


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def rank(numbers):
    x = np.asarray(numbers)
    return (x[:, None] > x).sum(axis=1) + (x[:, None] == x).sum(axis=1) / 2


def correlation(a, b):
    return float(np.corrcoef(rank(a), rank(b))[0, 1])


def partial(ab, ac, bc):
    """Return the correlation of a and b that is left when that of each with c is taken out."""
    return (ab - ac * bc) / np.sqrt((1 - ac**2) * (1 - bc**2))


# A part taken out


def vector_without(sentence, *parts):
    exchanged = {name: way for part in parts for name, way in without(part).items()}
    return run(enter(pieces_of(sentence), "positions" not in parts), **exchanged)[-1].mean(axis=0)


def parts(sentence):
    """Return what is left of a sentence's vector without each part, and how large states get."""
    whole = run(enter(pieces_of(sentence)))
    end, found = whole[-1].mean(axis=0), {}
    for part in ("nothing", *PARTS):
        states = run(enter(pieces_of(sentence), part != "positions"), **without(part))
        less = states[-1].mean(axis=0)
        found[part] = {
            "cosine": cosine(less, end),
            "moved": np.linalg.norm(less - end),
            "length": np.linalg.norm(less),
            "size of numbers, at most": np.sqrt((states**2).mean(axis=(1, 2))).max(),
        }
    for first in ("nothing", "the adding of x", "norms"):
        base = vector_without(sentence, first)
        found[f"besides {first}"] = {
            part: cosine(base, vector_without(sentence, first, part)) for part in PARTS[:3]
        }
    return found


# A head taken out


@cache
def heads(sentence):
    """Return for each layer and head what it writes, and how far states move without it."""
    names = "largest", "written", "own", "own angle", "end", "angle"
    states = run(enter(pieces_of(sentence)))
    end, found = states[-1].mean(axis=0), {name: np.zeros((6, 12)) for name in names}
    at_once = np.zeros(6)
    for i, p in enumerate(model()["layers"]):
        x, after = states[i], states[i + 1].mean(axis=0)
        weights, writes = attend(x, p)
        brought = writes.sum(axis=0) + p["b_output"]
        own = leave(x, brought - writes, p)
        ends = run(own, first=i + 1)[-1].mean(axis=-2)
        found["largest"][i] = weights.max(axis=-1).mean(axis=-1)
        found["written"][i] = np.linalg.norm(writes, axis=-1).mean(axis=-1)
        found["own"][i] = np.linalg.norm(own.mean(axis=-2) - after, axis=-1)
        found["own angle"][i] = [1 - cosine(x, after) for x in own.mean(axis=-2)]
        found["end"][i] = np.linalg.norm(ends - end, axis=-1)
        found["angle"][i] = [1 - cosine(x, end) for x in ends]
        none = leave(x, p["b_output"], p)
        at_once[i] = np.linalg.norm(run(none, first=i + 1)[-1].mean(axis=0) - end)
    return found | {"at once": at_once, "lengths": np.linalg.norm(states.mean(axis=1), axis=-1)[1:]}


def costs(sentence):
    found = heads(sentence)
    rows = {}
    for i in range(6):
        own, end = found["own"][i], found["end"][i]
        rows[f"layer {i}"] = {
            "cost": end.mean(),
            "cost, 1 - cosine": found["angle"][i].mean(),
            "moved at its own layer": own.mean(),
            "moved at its own layer, 1 - cosine": found["own angle"][i].mean(),
            "of that left at the end": end.mean() / own.mean(),
            "written": found["written"][i].mean(),
            "length of the mean": found["lengths"][i],
            "twelve at once": found["at once"][i],
            "twelve costs added": end.sum(),
        }
    pairs = {
        "largest weight and cost": ("largest", "end"),
        "largest weight and what is written": ("largest", "written"),
        "what is written and cost": ("written", "end"),
        "largest weight and moved at its own layer": ("largest", "own"),
    }
    ranks = {
        row: {
            "all layers": correlation(found[a].ravel(), found[b].ravel()),
            "without the last layer": correlation(found[a][:5].ravel(), found[b][:5].ravel()),
            "within a layer": np.mean(
                [correlation(*ab) for ab in zip(found[a], found[b], strict=True)]
            ),
        }
        for row, (a, b) in pairs.items()
    }
    return rows, ranks


# Words deleted, hidden, looked at


def hide(pieces, i):
    """Return a sentence's vector where nobody sees the piece i, which does not count either."""
    seen = np.arange(len(pieces)) != i
    x = enter(pieces)
    for layer in model()["layers"]:
        x = encoder.encoder_block(x, layer, 12, seen[None])
    return encoder.mean_pool(x, seen)


def roll_out(layers):
    """Return what flows from each word to each, half of it to itself in each layer: (n, n)."""
    flow = np.eye(layers.shape[-1])
    for weights in layers:
        flow = (weights + np.eye(len(flow))) / 2 @ flow
    return flow


@cache
def told(sentence):
    """Return what deleting each word does to a vector, and what five things say of it."""
    pieces, words = pieces_of(sentence), sentence.split()
    assert len(pieces) == len(words) + 2, sentence
    states, places = run(enter(pieces)), range(1, len(words) + 1)
    end = states[-1].mean(axis=0)
    pairs = zip(states[:-1], model()["layers"], strict=True)
    layers = np.stack([attend(x, p)[0].mean(axis=0) for x, p in pairs])
    deleted = [vector(" ".join(words[:i] + words[i + 1 :])) for i in range(len(words))]
    hidden = [hide(pieces, i) for i in places]
    kept = []  # deleted, but all others keep their positions
    for i in places:
        rest = [k for k in range(len(pieces)) if k != i]
        kept.append(run(enter([pieces[k] for k in rest], rows=rest))[-1].mean(axis=0))
    says = {
        "hidden": [np.linalg.norm(x - end) for x in hidden],
        "last layer": layers[-1].mean(axis=0)[1:-1],
        "all layers": layers.mean(axis=(0, 1))[1:-1],
        "rarity": [model()["vocabulary"][pieces[i]] for i in places],
        "rollout": roll_out(layers).mean(axis=0)[1:-1],
    }
    return {
        "moved": [np.linalg.norm(x - end) for x in deleted],
        "angle": [1 - cosine(x, end) for x in deleted],
        "says": says,
        "deleted and whole": [cosine(x, end) for x in deleted],
        "deleted and hidden": [cosine(x, y) for x, y in zip(deleted, hidden, strict=True)],
        "hidden, and deleted in place": np.abs(np.subtract(hidden, kept)).max(),
    }


def explained(sentence):
    found = told(sentence)
    rarity = found["says"]["rarity"]
    by_rarity = correlation(found["moved"], rarity)
    rows = {}
    for name, says in found["says"].items():
        r, with_rarity = correlation(found["moved"], says), correlation(says, rarity)
        rows[name] = {
            "correlation": r,
            "correlation, 1 - cosine": correlation(found["angle"], says),
        }
        if name != "rarity":
            given = partial(r, with_rarity, by_rarity)
            rows[name] |= {"correlation with rarity": with_rarity, "given rarity": given}
    rows["a word"] = {
        "deleted moves": np.mean(found["moved"]),
        "cosine of deleted and whole": np.mean(found["deleted and whole"]),
        "cosine of deleted and hidden": np.mean(found["deleted and hidden"]),
        "the least of these": min(found["deleted and hidden"]),
        "hidden, and deleted in place: largest difference": found["hidden, and deleted in place"],
        "words": len(found["moved"]),
        "spread of a chance correlation": 1 / np.sqrt(len(found["moved"]) - 1),
    }
    return rows


def pooled():
    """Return correlations over all words, ranked within sentences.

    Smallest and largest hold 95 % of what sentences drawn anew give.
    """
    ranked = []
    for found in map(told, SENTENCES):
        columns = found["moved"], *(found["says"][name] for name in TELLERS)
        ranked.append([rank(column) / len(column) - 0.5 for column in columns])
    rng, n = np.random.default_rng(0), len(ranked)
    drawn = [range(n), *rng.integers(n, size=(N_RESAMPLED, n))]
    found = [correlated([ranked[i] for i in draw]) for draw in drawn]
    return {
        row: {name: between([one[row][name] for one in found]) for name in columns}
        for row, columns in found[0].items()
    }


def correlated(ranked):
    """Return for what tells something of deleting how it goes with it, alone and beside rarity."""
    r = np.corrcoef(np.hstack(ranked))
    rarity, rows = TELLERS.index("rarity") + 1, {}
    for k, name in enumerate(TELLERS, start=1):
        rows[name] = {"correlation": r[0, k]}
        if k != rarity:
            of_both = r[k, rarity]
            rows[name] |= {
                "given rarity": partial(r[0, k], of_both, r[0, rarity]),
                "rarity, given this": partial(r[0, rarity], of_both, r[0, k]),
            }
    return rows


def between(numbers):
    """Return what is told of a number and of those that resampled sentences gave."""
    low, high = np.quantile(numbers[1:], [0.025, 0.975])
    told = {"mean": numbers[0], "min": low, "max": high}
    return {name: recording.rounded(x) for name, x in told.items()}


# Biases taken out


def biases(sentence):
    """Return by how much weights and states differ at most without a bias."""
    x, found = enter(pieces_of(sentence)), {}
    whole = run(x)
    for role in ("query", "key"):
        change = no(f"b_{role}")
        pairs = list(zip(whole[:-1], model()["layers"], strict=True))
        off = [np.abs(attend(x, change(p))[0] - attend(x, p)[0]).max() for x, p in pairs]
        found[role] = {"weights": max(off), "states": np.abs(run(x, change) - whole).max()}
    return found


def words_apart(sentence):
    """Return the mean cosine of two pieces of a sentence, into each layer and out of the last."""
    found = {}
    for row, part in (("whole", "nothing"), ("without attention", "attention")):
        states = run(enter(pieces_of(sentence)), **without(part))
        unit = states / np.linalg.norm(states, axis=-1, keepdims=True)
        n = states.shape[1]
        alike = (unit @ np.swapaxes(unit, 1, 2))[:, *np.triu_indices(n, 1)]
        found[row] = {f"through {i}": alike[i].mean() for i in range(7)}
    return found


def of_one(sentence):
    """Return all that is measured of one sentence, as {table: {row: {column: number}}}."""
    by_layer, ranks = costs(sentence)
    return {
        "parts": parts(sentence),
        "heads": by_layer,
        "ranks of heads": ranks,
        "explained": explained(sentence),
        "biases": biases(sentence),
        "two pieces": words_apart(sentence),
    }


# What compares sentences


def together():
    """Return what is told of the thirty together."""
    whole = np.stack([vector(sentence) for sentence in SENTENCES])
    unit = whole / np.linalg.norm(whole, axis=1, keepdims=True)
    alike = [float(unit[i] @ unit[k]) for i, k in combinations(range(len(unit)), 2)]
    rows = {
        "two sentences": {"cosine": span(alike)},
        "a sentence": {"length": span(np.linalg.norm(whole, axis=1))},
    }
    for part in PARTS:
        less = np.stack([vector_without(sentence, part) for sentence in SENTENCES])
        less /= np.linalg.norm(less, axis=1, keepdims=True)
        nearest = (less @ unit.T).argmax(axis=1) == np.arange(len(unit))
        others = (less @ unit.T)[~np.eye(len(unit), dtype=bool)]
        rows[f"without {part}"] = {
            "is nearest to itself": span(nearest.astype(float)),
            "cosine with others, whole": span(others),
        }
    found = [heads(sentence) for sentence in SENTENCES]
    largest, end = (np.mean([one[name] for one in found], axis=0) for name in ("largest", "end"))
    rows["means of heads: largest weight and cost"] = {
        "all layers": span([correlation(largest.ravel(), end.ravel())]),
        "without the last layer": span([correlation(largest[:5].ravel(), end[:5].ravel())]),
    }
    return rows


def span(numbers):
    told = recording.summary(list(numbers))
    return {name: told[name] for name in ("mean", "min", "max")}


def turned(four):
    """Return how alike a sentence is to the same turned round, in the passive, said otherwise."""
    pieces = [pieces_of(sentence) for sentence in four]
    x, y, *others = (run(enter(cut)) for cut in pieces)
    a, b = pieces[:2]
    there = [b.index(piece) if piece != b[i] else i for i, piece in enumerate(a)]
    assert sorted(a) == [b[i] for i in np.argsort(b)] == sorted(b[i] for i in there), four
    each = [cosine(x[-1, i], y[-1, k]) for i, k in enumerate(there)]
    moved = [i != k for i, k in enumerate(there)]
    assert sum(moved) == 2, four
    by_layer = [cosine(x[i].mean(axis=0), y[i].mean(axis=0)) for i in range(7)]
    rows = {
        "turned round": {
            "cosine": by_layer[-1],
            "of [CLS]": cosine(x[-1, 0], y[-1, 0]),
            "of a word that moved": np.mean(np.compress(moved, each)),
            "of a piece that stayed": np.mean(np.compress(np.invert(moved), each)),
            "of all states, word by word": cosine(x[-1].ravel(), y[-1, there].ravel()),
        },
        "turned round, the mean": {f"through {i}": c for i, c in enumerate(by_layer)},
    }
    for name, z in zip(("in the passive", "said otherwise"), others, strict=True):
        end = cosine(x[-1].mean(axis=0), z[-1].mean(axis=0))
        rows[name] = {"cosine": end, "of [CLS]": cosine(x[-1, 0], z[-1, 0])}
    return rows


def stands_for(frame, *pairs):
    """Return for each head how much *it* gives to each noun, with each of the two last words.

    The same for the mean of all other pieces that ask: both (2, 2, 6, 12), last word by noun.
    """
    nouns, lasts = zip(*(pair.split() for pair in pairs), strict=True)
    found, others = np.zeros((2, 2, 2, 6, 12))
    for i, last in enumerate(lasts):
        pieces = pieces_of(frame.format(last))
        assert len(pieces) == len(frame.split()) + 2, pieces
        weights, it = encoder.weights(model(), pieces), pieces.index("it")
        for k, noun in enumerate(nouns):
            to = weights[..., pieces.index(noun)]
            found[i, k] = to[..., it]
            others[i, k] = np.delete(to, it, axis=-1).mean(axis=-1)
    return found, others


def pronouns():
    """Return where *it* looks in the lesson's sentence, and in how many others a head is right."""
    of_it, of_others = np.swapaxes([stands_for(*case) for case in PRONOUNS], 0, 1)
    right = [of_it[:, i, i] > of_it[:, i, 1 - i] for i in (0, 1)]
    follows = of_it[:, 0, 0] - of_it[:, 0, 1] > of_it[:, 1, 0] - of_it[:, 1, 1]
    counts = {"right with the first": right[0], "right with the second": right[1]}
    counts |= {"right with both": right[0] & right[1], "moves the right way": follows}
    pieces = pieces_of(PRONOUNS[0][0].format("tired"))
    most = encoder.weights(model(), pieces).argmax(axis=-1) == pieces.index("animal")
    it, rows = pieces.index("it"), {}
    for layer, head in np.argwhere(most[..., it]):
        row = {
            f"{last}: {asker} to {noun}": to[0, i, k, layer, head]
            for i, last in enumerate(("tired", "wide"))
            for k, noun in enumerate(("animal", "street"))
            for asker, to in (("it", of_it), ("others", of_others))
        }
        row["askers that look most at animal"] = most[layer, head].sum()
        row |= {name: one[:, layer, head].sum() for name, one in counts.items()}
        rows[f"layer {layer}, head {head}"] = row
    by_asker = most.sum(axis=(0, 1))
    rows["heads"] = {
        "most at animal, from it": by_asker[it],
        "most at animal, from another, mean": np.delete(by_asker, it).mean(),
        "most at animal, from another, most": np.delete(by_asker, it).max(),
        "right with both, the best": counts["right with both"].sum(axis=0).max(),
        "sentences": len(PRONOUNS),
    }
    return {
        row: {name: {"mean": recording.rounded(x)} for name, x in columns.items()}
        for row, columns in rows.items()
    }


def saws():
    """Return the cosines of *saw* with others of *I saw a saw*, layer by layer."""
    pieces = pieces_of("I saw a saw")
    states, alone = (run(enter(pieces), **without(part)) for part in ("nothing", "attention"))
    first, second = (i for i, piece in enumerate(pieces) if piece == "saw")
    pairs = {"the two saw": (states, second), "the two saw, without attention": (alone, second)}
    pairs |= {f"saw and {piece}": (states, pieces.index(piece)) for piece in ("[CLS]", "i", "a")}
    return {
        row: {
            f"through {i}": {"mean": recording.rounded(cosine(x[first], x[other]))}
            for i, x in enumerate(found)
        }
        for row, (found, other) in pairs.items()
    }


def gathered(runs):
    """Return of each row and column what is told of one number of each run."""
    return {
        row: {column: recording.summary([run[row][column] for run in runs]) for column in columns}
        for row, columns in runs[0].items()
    }


def tables():
    found = [of_one(sentence) for sentence in SENTENCES]
    made = {name: gathered([one[name] for one in found]) for name in found[0]}
    return made | {
        "all words": pooled(),
        "together": together(),
        "turned": gathered([turned(four) for four in TURNED]),
        "it": pronouns(),
        "saw": saws(),
    }


def main():
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    made = {"versions": versions, "sentences": SENTENCES, "tables": tables()}
    RECORD.write_text(recording.pretty(made) + "\n", "utf-8")
    print(f"{RECORD.name}: {len(made['tables'])} tables, {RECORD.stat().st_size:,} bytes")


def read_table(name):
    return json.loads(RECORD.read_text("utf-8"))["tables"][name]


if __name__ == "__main__":
    main()
