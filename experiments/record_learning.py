"""Train the small models of lesson 10 from ten seeds each, and record what comes of it.

``python -m experiments.record_learning`` makes every table anew, ``attnlib/data/learning.json``,
and the recorded training that the widget shows, ``attnlib/data/learning.npz``. With names of
tables, or ``widget``, it makes these alone. The functions that train are the lesson's own: they are
read from the cells that define them. What only the tables need is here.
"""

import ast
import json
import os
import platform
import sys
import time
from functools import cache, partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # small steps: one is faster
os.environ["ATTNLIB_MINE"] = ""  # nobody's own functions: the references

import numpy as np

import attnlib
from attnlib import mine, widgets, world
from course.lesson.source import parse

LESSON = Path(__file__).parent.parent / "notebooks/src/10_learning_to_attend.md"
DATA = Path(attnlib.__file__).parent / "data"
RECORD, TRAINING = DATA / "learning.json", DATA / "learning.npz"
SEEDS = range(10)
WIDTH, LONGER = 24, 42  # of padded sentences: three hesitations of 6 fillers at most, or 12


@cache
def lesson(path=LESSON, mine=mine):
    """Return the functions of the lesson's cells, and its names in capitals."""
    names = {"np": np, "attnlib": attnlib, "mine": mine, "widgets": widgets, "world": world}
    for cell in parse(path, path.read_text("utf-8")).notebook.cells:
        if cell.cell_type == "code":
            kept = [part for part in ast.parse(cell.source).body if is_kept(part)]
            exec(compile(ast.Module(kept, []), path.name, "exec"), names)
    return SimpleNamespace(**names)


def is_kept(part):
    """Tell whether this defines a function that is more than a stub, or a name in capitals."""
    if isinstance(part, ast.Assign):
        names = [name for target in part.targets for name in ast.walk(target) if is_name(name)]
        return bool(names) and all(name.id.isupper() for name in names)
    return isinstance(part, ast.FunctionDef) and ast.unparse(part.body[-1]) != "..."


def is_name(part):
    return isinstance(part, ast.Name)


# The tagger: how it may read.


def in_a_window(width, n):
    window = attnlib.causal_mask(n) & attnlib.window_mask(n, width=width)
    return lesson().sinusoids(n) | {"mask": window}


def everywhere_without_positions(n):
    return {"mask": np.ones((n, n), bool)}


def without_positions(n):
    return {"mask": attnlib.causal_mask(n)}


def alibi(n):
    """The steepest of eight heads: one step more costs half a point."""
    bias = attnlib.alibi_bias(8, n)[0]
    return {"mask": attnlib.causal_mask(n), "bias": bias, "layer": by_attnlib}


def said(sentence, words):
    """Return which rows of words have this sentence somewhere."""
    sought = lesson().ids(sentence.split())
    windows = np.lib.stride_tricks.sliding_window_view(words, len(sought), axis=1)
    return (windows == sought).all(axis=-1).any(axis=-1)


@cache
def sentences(seed):
    """Return sentences to train on, unseen ones, and unseen ones that hesitate for longer."""
    rng = np.random.default_rng(seed)
    words, tags = lesson().hesitate(rng, 1000)
    kept = ~said("I saw a saw", words)
    unseen, longer = lesson().hesitate(rng, 500), lesson().hesitate(rng, 500, fewest=7, most=12)
    return (words[kept], tags[kept]), unseen, longer


def tagged(read, seed):
    """Train a tagger, and try it on unseen and on longer sentences, and on the held-out one."""
    data, unseen, longer = sentences(seed)
    model = lesson().learn(data, seed, **read(WIDTH))
    asked = lesson().ids(["I", "saw", "a", "saw"])
    verb = lesson().verb_probability(model, asked[None], **read(4))[0]
    return {
        "unseen": lesson().accuracy(model, *unseen, **read(WIDTH)),
        "longer": lesson().accuracy(model, *longer, **read(LONGER)),
        "I saw a saw, first saw": verb[1],
        "I saw a saw, second saw": verb[3],
    }


def expected_in_a_window(width, n_fillers):
    """Return the accuracy of whoever knows the tag where the window holds its opener, or guesses.

    The opener stands a step further back than the fillers that come after it.
    """
    held = np.mean([n + 1 <= width for n in n_fillers])
    return held + (1 - held) / 2


def expected_by_counting(looks_ahead):
    """Return the accuracy of the best guess where openers can be counted, not put in order."""
    right = words = 0.0
    for n in (2, 3):  # a sentence has two or three chunks, each with a coin of its own
        for coins in product((0, 1), repeat=n):
            seen = [coins if looks_ahead else coins[: i + 1] for i in range(n)]
            right += sum(max(np.mean(c), 1 - np.mean(c)) for c in seen) / 2**n
            words += n / 2**n
    return right / words


def expected_of_taggers():
    windows = {f"window {w}": expected_in_a_window(w, range(7)) for w in (1, 2, 3, 7)}
    return {
        "word by word": expected_in_a_window(0, range(7)),
        **windows,
        "no positions, looks ahead": expected_by_counting(looks_ahead=True),
        "no positions": expected_by_counting(looks_ahead=False),
    }


def taggers():
    windows = {f"window {width}": partial(in_a_window, width) for width in (1, 2, 3, 7)}
    return {
        "word by word": partial(in_a_window, 0),
        **windows,
        "no positions, looks ahead": everywhere_without_positions,
        "no positions": without_positions,
        "sinusoids": lesson().sinusoids,
        "ALiBi": alibi,
    }


# Attention by attnlib, which takes a bias, a scale and a way back of ours.


def by_attnlib(x, matrices, backward=attnlib.attention_backward, **options):
    """Return the output of attention, and a function that goes back."""
    qkv = [x @ w for w in matrices]

    def back(grad_output):
        grads = backward(grad_output, *qkv, **options)
        pairs = zip(grads, matrices, strict=True)
        ways = [mine.linear_backward(grad, x, w) for grad, w in pairs]
        return sum(to_x for to_x, _ in ways), *(to_w for _, to_w in ways)

    return attnlib.attention(*qkv, **options), back


# Ways back that are wrong.


def forgets_scale(*args, **options):
    """Return gradients where that of the scores was not multiplied by the scale."""
    grad_query, grad_key, grad_value = attnlib.attention_backward(*args, **options)
    scale = np.sqrt(grad_query.shape[-1])
    return grad_query * scale, grad_key * scale, grad_value


def forgets(forgotten, *args, **options):
    """Return gradients of which these are 0: 0 query, 1 key, 2 value."""
    grads = attnlib.attention_backward(*args, **options)
    return [0 * grad if i in forgotten else grad for i, grad in enumerate(grads)]


def exchanges(*args, **options):
    grad_query, grad_key, grad_value = attnlib.attention_backward(*args, **options)
    return grad_key, grad_query, grad_value


def ways_back():
    return {
        "no mistake": attnlib.attention_backward,
        "scale forgotten": forgets_scale,
        "query's gradient 0": partial(forgets, (0,)),
        "key's gradient 0": partial(forgets, (1,)),
        "value's gradient 0": partial(forgets, (2,)),
        "query's and key's 0": partial(forgets, (0, 1)),
        "query's and key's exchanged": exchanges,
    }


def led_back(backward, seed):
    data, unseen, _ = sentences(seed)
    read = lesson().sinusoids(WIDTH)
    wrongly = {"layer": by_attnlib, "backward": backward}
    model = lesson().learn(data, seed, **wrongly, **read)
    loss, _ = lesson().tagger_loss(model, *unseen, **read)
    return {"unseen": lesson().accuracy(model, *unseen, **read), "loss": loss}


# What is learned first, and what the keys are.


def learned_in_order(seed):
    """Return from which steps on votes and gaze are there, and by how much keys score higher."""
    data, unseen, _ = sentences(seed)
    course = []
    model = lesson().learn(data, seed, seen=course, **lesson().sinusoids(WIDTH))
    opened = [lesson().votes_and_gaze(model) for _, model in course[::2]]
    of_i, of_a, gaze = np.transpose(opened)
    articles, fillers = (lesson().mean_scores(model, *unseen, x) for x in ("article", "filler"))
    return {
        "votes 1 apart": for_good(of_i - of_a > 1),
        "weight above .4": for_good(gaze > 0.4),
        "articles above fillers": articles[0] - fillers[0],
        "articles fall": articles[0] - articles[-1],
    }


def for_good(holds):
    """Return the step from which something holds; every other step was looked at."""
    return 2 * int(np.flatnonzero(~holds).max(initial=-1) + 1)


# What trainable matrices add.


def trained_in_part(make, frozen, steps, seed):
    data, unseen, _ = sentences(seed)
    read = lesson().sinusoids(WIDTH)
    how = {"make": make, "frozen": frozen, "steps": steps}
    model = lesson().learn(data, seed, **how, **read)
    return {"unseen": lesson().accuracy(model, *unseen, **read)}


def rows_of_matrices():
    simple, whole = lesson().without_matrices, lesson().with_matrices
    vectors, compared = ("vectors",), ("w_query", "w_key")
    rows = {
        "vectors frozen, no matrices": (simple, vectors + compared, 300),
        "vectors frozen, matrices trained": (whole, vectors, 300),
        "vectors trained, no matrices": (simple, compared, 300),
        "vectors trained, no matrices, 1500 steps": (simple, compared, 1500),
        "vectors and matrices trained": (whole, (), 300),
    }
    return {name: partial(trained_in_part, *row) for name, row in rows.items()}


# The scale.


def scaled(d_key, scale, smaller, rate, seed, longest=np.inf):
    """Train with a scale, and perhaps with a start whose raw scores are as wide as scaled ones."""
    data, unseen, _ = sentences(seed)
    rng = np.random.default_rng(seed)
    model = lesson().start(rng, d_key=d_key)
    for name in ("w_query", "w_key"):
        model[name] *= smaller
    options = lesson().sinusoids(WIDTH) | {"scale": scale, "layer": by_attnlib}
    found, done = {}, 0
    for steps in (100, 300):
        training = {"steps": steps - done, "rate": rate, "longest": longest}
        model = lesson().train(lesson().tagger_loss, model, data, rng, **training, **options)
        found[f"after {steps}"], done = lesson().accuracy(model, *unseen, **options), steps
    return found


def rows_of_scale():
    for rate, d_key in product((1, 3), (16, 64, 256)):
        starts = {"raw": (1.0, 1.0), "raw, smaller start": (1.0, d_key**-0.25), "scaled": (None, 1)}
        for start, scale in starts.items():
            yield f"rate {rate}, d_key {d_key}, {start}", partial(scaled, d_key, *scale, rate)
    yield "rate 3, d_key 64, raw, clipped at 0.3", partial(scaled, 64, 1.0, 1.0, 3, longest=0.3)


# The library.


def right_answers(asked, books, answers, model):
    """Return the share of the asked contents that are answered as they should be."""
    sources = {"w_query": asked, "w_key": books, "w_value": books}
    output = attnlib.attention(*(x @ model[name] for name, x in sources.items()))
    logits = output.sum(axis=1).reshape(*answers.shape, 10)
    return (logits.argmax(axis=-1) == answers).mean()


def found_in_the_library(stepping, rate, steps, seed):
    rng = np.random.default_rng(seed)
    data, unseen = lesson().shelves(rng, 1000), lesson().shelves(rng, 500)
    model = lesson().begin(rng)
    before = lesson().weights_on_asked(model, *unseen)[0, 0]
    training = {"steps": steps, "step": stepping(), "rate": rate}
    model = lesson().train(lesson().librarian_loss, model, data, rng, **training)
    after = lesson().weights_on_asked(model, *unseen)[0, 0]
    right = right_answers(*unseen, model)
    return {"weight at first": before, "weight": after, "unseen": right}


def two_books(n_heads, apart, seed):
    """Ask for two books at once, of heads that start so far apart (None: each at random)."""
    rng = np.random.default_rng(seed)
    data, unseen = lesson().shelves(rng, 2000, 2), lesson().shelves(rng, 500, 2)
    model = lesson().begin(rng, 2, n_heads)
    for w in model.values():
        if apart is not None:
            w[1] = w[0] + apart * rng.standard_normal(w[0].shape)
    found = {}
    for steps in (0, 200, 400, 600, 800, 1000, 1200):
        if steps:
            model = lesson().train(lesson().librarian_loss, model, data, rng, steps=200, rate=5.0)
        found[f"apart after {steps}"] = max(np.ptp(w, axis=0).max() for w in model.values())
    weights = lesson().weights_on_asked(model, *unseen)  # (n_heads, 2)
    found["unseen"] = right_answers(*unseen, model)
    return found | {"a head's larger weight": weights.max(axis=1).mean()}


# Layers that copy.


def copied(n_layers, n_heads, seed):
    rng = np.random.default_rng(seed)
    data, (letters, following) = lesson().songs(rng, 2000), lesson().songs(rng, 500)
    model = lesson().start_of_layers(rng, n_layers, n_heads)
    model = lesson().train(lesson().copier, model, data, rng, steps=1000, rate=0.5)
    logits, layers = lesson().through_layers(model, letters)
    found = {"unseen": right_letters(logits, following)}
    if n_layers == 2:
        before = np.eye(lesson().SUNG, k=-1, dtype=bool)
        hidden, _ = lesson().through_layers(model, letters, first_mask=~before)
        found |= looks(letters, following, layers) | {"hidden": right_letters(hidden, following)}
    return found


def right_letters(logits, following):
    return (logits.argmax(axis=-1) == following)[following >= 0].mean()


def looks(letters, following, layers):
    """Return how much of its weight each of two layers puts where a copying pair would look."""
    mask = attnlib.causal_mask(lesson().SUNG)
    first, second = (
        attnlib.attention_weights(query, key, mask=mask)[:, 0] for _, _, (query, key, _) in layers
    )
    after = np.zeros(second.shape, bool)  # (batch, query, key): the key comes after the same letter
    after[..., 1:] = letters[:, :, None] == letters[:, None, :-1]
    copied = (second * after).sum(axis=-1)[following >= 0]
    return {
        "layer 1 on the letter before": np.diagonal(first, -1, 1, 2).mean(),
        "layer 2 on what came after the same letter": copied.mean(),
    }


# A twin to be found: has the last of eight letters another like it among the others?


def with_a_twin(rng, n_rows):
    """Return letters, all different but for a twin, whether there is one, and its place."""
    letters = np.argsort(rng.random((n_rows, 10)), axis=1)[:, :8]
    has_twin, place = rng.integers(2, size=n_rows), rng.integers(7, size=n_rows)
    letters[has_twin == 1, place[has_twin == 1]] = letters[has_twin == 1, -1]
    return letters, has_twin, place


def start_of_finder(rng, size, n_hidden=128):
    """Return a model whose query's and key's matrix begin in this size."""
    shapes = {"words": (10, 16), "w_value": (16, 16), "w_output": (n_hidden, 2)}
    model = {name: 0.3 * rng.standard_normal(shape) for name, shape in shapes.items()}
    model |= {name: size * rng.standard_normal((16, 16)) for name in ("w_query", "w_key")}
    return model | {"w_hidden": rng.standard_normal((32, n_hidden)), "b_hidden": np.zeros(n_hidden)}


def look_for_a_twin(model, letters):
    """Return the logits and all that the way back needs."""
    x = model["words"][letters]
    last, others = x[:, -1:], x[:, :-1]
    qkv = last @ model["w_query"], others @ model["w_key"], others @ model["w_value"]
    features = np.concatenate([last, attnlib.attention(*qkv)], axis=-1)[:, 0]  # (batch, 32)
    hidden = np.maximum(features @ model["w_hidden"] + model["b_hidden"], 0)
    return hidden @ model["w_output"], x, qkv, features, hidden


def finder(model, letters, has_twin, place):
    """Return the loss, and its gradient for each array of the model."""
    logits, x, qkv, features, hidden = look_for_a_twin(model, letters)
    loss, grad_logits = lesson().cross_entropy_at(logits, has_twin)
    grad_hidden = (grad_logits @ model["w_output"].T) * (hidden > 0)
    grads = {"w_output": hidden.T @ grad_logits, "b_hidden": grad_hidden.sum(axis=0)}
    grads["w_hidden"] = features.T @ grad_hidden
    grad_last, grad_output = np.split(grad_hidden @ model["w_hidden"].T, 2, axis=-1)
    grad_x = np.zeros_like(x)
    grad_x[:, -1] = grad_last
    back = attnlib.attention_backward(grad_output[:, None], *qkv)
    asking = slice(-1, None), slice(None, -1), slice(None, -1)
    for name, rows, grad in zip(lesson().MATRICES, asking, back, strict=True):
        grads[name] = (x[:, rows].swapaxes(-1, -2) @ grad).sum(axis=0)
        grad_x[:, rows] += grad @ model[name].T
    grads["words"] = np.zeros_like(model["words"])
    np.add.at(grads["words"], letters, grad_x)
    return loss, grads


def found_twin(size, seed):
    """Return how often it is right, and how much it looks at the twin where there is one."""
    rng = np.random.default_rng(seed)
    data, (letters, has_twin, place) = with_a_twin(rng, 4000), with_a_twin(rng, 1000)
    model = start_of_finder(rng, size)
    model = lesson().train(finder, model, data, rng, steps=2000, rate=0.1)
    logits, _, (query, key, _), *_ = look_for_a_twin(model, letters)
    weights = attnlib.attention_weights(query, key)[:, 0]  # (batch, 7)
    on_twin = weights[has_twin == 1, place[has_twin == 1]].mean()
    return {"unseen": (logits.argmax(axis=-1) == has_twin).mean(), "weight on the twin": on_twin}


def tables():
    """Return each table's rows, each a function of a seed that returns the row's columns."""
    return {
        "taggers": {name: partial(tagged, read) for name, read in taggers().items()},
        "ways back": {name: partial(led_back, way) for name, way in ways_back().items()},
        "order": {"sinusoids": learned_in_order},
        "matrices": rows_of_matrices(),
        "scale": dict(rows_of_scale()),
        "library": {
            "descent, 600 steps": partial(
                found_in_the_library, lambda: mine.clipped_step, 20.0, 600
            ),
            "Adam, 200 steps": partial(found_in_the_library, lesson().adam, 0.02, 200),
        },
        "two books": {
            "one head": partial(two_books, 1, None),
            "twin heads": partial(two_books, 2, 0.0),
            "twin heads, 1e-6 apart": partial(two_books, 2, 1e-6),
            "two heads at random": partial(two_books, 2, None),
        },
        "copying": {
            "one layer": partial(copied, 1, 1),
            "one layer, two heads": partial(copied, 1, 2),
            "two layers": partial(copied, 2, 1),
        },
        "twin": {
            f"query and key begin at {size:g}": partial(found_twin, size)
            for size in (0.3, 0.03, 0.0001)
        },
    }


def measure(row, seeds=SEEDS):
    """Return the columns of a row, and the seconds that a seed takes."""
    began = time.perf_counter()
    runs = [row(seed) for seed in seeds]
    seconds = rounded((time.perf_counter() - began) / len(runs), 2)
    return {name: summary([run[name] for run in runs]) for name in runs[0]} | {"seconds": seconds}


def summary(numbers):
    """Return what is told of one number of each seed."""
    told = {"mean": np.mean(numbers), "min": min(numbers), "max": max(numbers)}
    told = {name: rounded(x) for name, x in told.items()}
    return told | {"each": [rounded(x) for x in numbers]}


def rounded(x, digits=4):
    return float(f"{x:.{digits}g}")


def make_table(name):
    rows = {row: measure(function) for row, function in tables()[name].items()}
    seconds = rounded(len(SEEDS) * sum(row["seconds"] for row in rows.values()), 2)
    table = {"seeds": list(SEEDS), "seconds": seconds, "rows": rows}
    if name == "taggers":
        table["expected"] = {row: rounded(x) for row, x in expected_of_taggers().items()}
    return table


# What the widget shows.

MODELS = "no positions", "sinusoids", "ALiBi"
SHOWN = (
    "I saw a saw",
    "the duck um er I duck",
    "I um er saw a well oh saw",
    "you fish the um er well oh um er well oh fish",  # longer than any to train on
)
STEPS = (*range(0, 12, 2), *range(12, 30, 3), *range(30, 60, 5), *range(60, 120, 10))
STEPS = (*STEPS, *range(120, 200, 20), *range(200, 301, 50))


def record_training():
    """Return the arrays of the widget's file: weights in steps of 1/255."""
    arrays = {"steps": STEPS, "models": MODELS, "sentences": SHOWN}
    arrays |= {f"truth/{sentence}": truth(sentence) for sentence in SHOWN}
    for name in MODELS:
        runs = [list(watched(taggers()[name], seed)) for seed in SEEDS[:3]]
        for found in runs[0][0]:
            kind, *sentence = found.split("/")
            x = np.array([[stage[found] for stage in run] for run in runs])
            x = np.round(255 * x).astype(np.uint8) if kind == "weights" else np.float32(x)
            arrays["/".join((kind, name, *sentence))] = x
    return arrays


def truth(sentence):
    """Return what each word is: 1 a verb, 0 a noun, -1 where nobody asks."""
    kinds, is_verb, tags = lesson().KINDS, -1, []
    for word in sentence.split():
        if word in kinds["pronoun"] + kinds["article"]:
            is_verb = int(word in kinds["pronoun"])
        tags.append(is_verb if word in kinds["ambiguous"] else -1)
    return np.array(tags, np.int8)


def watched(read, seed):
    """Train a tagger, and yield what there is to be seen at each recorded step."""
    data, unseen, _ = sentences(seed)
    rng = np.random.default_rng(seed)
    model = lesson().start(rng)
    for before, now in zip((0, *STEPS), STEPS, strict=False):
        options = read(WIDTH) | {"steps": now - before}
        model = lesson().train(lesson().tagger_loss, model, data, rng, **options)
        loss, _ = lesson().tagger_loss(model, *unseen, **read(WIDTH))
        stage = {"loss": loss, "accuracy": lesson().accuracy(model, *unseen, **read(WIDTH))}
        for sentence in SHOWN:
            words = lesson().ids(sentence.split())
            options = read(len(words))
            verb = lesson().verb_probability(model, words[None], **options)[0]
            ambiguous = np.isin(words, lesson().ids(lesson().KINDS["ambiguous"]))
            stage[f"verb/{sentence}"] = np.where(ambiguous, verb, 0)
            options.pop("layer", None)
            x = model["vectors"][words[None]] + options.pop("positions", 0)
            query, key, value = (x @ w for w in lesson().matrices_of(model))
            stage[f"votes/{sentence}"] = attnlib.softmax(value)[0, :, 1].round(3)
            stage[f"weights/{sentence}"] = attnlib.attention_weights(query, key, **options)[0]
        yield stage


def pretty(value, indent=""):
    """Return JSON with a line for each of the innermost dictionaries."""
    if not isinstance(value, dict) or not any(isinstance(x, dict) for x in value.values()):
        return json.dumps(value, ensure_ascii=False)
    deeper = indent + "  "
    lines = [f"{deeper}{json.dumps(name)}: {pretty(x, deeper)}" for name, x in value.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def main(chosen):
    names = [*tables(), "widget"]
    if unknown := set(chosen).difference(names):
        raise SystemExit(f"There is no table {sorted(unknown)}; there are {names}.")
    made = json.loads(RECORD.read_text("utf-8"))["tables"] if RECORD.exists() else {}
    for name in chosen or names:
        if name == "widget":
            np.savez_compressed(TRAINING, **record_training())
            print(f"{TRAINING.name}: {TRAINING.stat().st_size:,} bytes")
        else:
            made[name] = make_table(name)
            write(made)
            print(name, pretty(made[name]))


def write(made):
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    in_order = {name: made[name] for name in tables() if name in made}
    RECORD.write_text(pretty({"versions": versions, "tables": in_order}) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
