"""The real encoder in JavaScript, as the site's page runs it, beside attnlib's."""

import base64
import json
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

from attnlib import encoder, split_heads
from attnlib.widgets._packing import unpacked
from attnlib.widgets.heads import _received
from course.files import ROOT
from course.site import rounding
from experiments import record_encoder as record
from tests.lessons import SERIES
from tests.widgets.test_bundle import SOURCES

pytestmark = [pytest.mark.needs("npm", encoder.PACKAGE), pytest.mark.full]

MOST = 40
TOO_LONG = "so " * MOST
NEVER, NEWEST = 901, 902  # asked for at once: the second overtakes the first
CHINESE = (
    "4e00-9fff 3400-4dbf f900-faff 20000-2a6df 2a700-2b73f 2b740-2b81f 2b920-2ceaf 2f800-2fa1f"
)
# The first and the last of each range of letters that are a word each, and those beside them.
EDGES = [
    (edge, edge + step)
    for ends in CHINESE.split()
    for edge, step in zip((int(end, 16) for end in ends.split("-")), (-1, 1), strict=True)
]
SCRIPT = ROOT / "course" / "site" / "sentence.js"
DRIVER = ROOT / "tests" / "widgets" / "read_sentences.mjs"


@pytest.fixture(scope="module")
def model():
    return encoder.read_model()


@pytest.fixture(scope="module")
def lines():
    """Return what all lessons say, line by line, the sentences of the record, and rare letters."""
    told = "\n".join(lesson.path.read_text(encoding="utf-8") for lesson in SERIES.values())
    letters = [f"a{chr(first)}a{chr(second)}a" for first, second in EDGES]
    return [*record.sentences(), *dict.fromkeys(told.splitlines()), *letters]


@pytest.fixture(scope="module")
def answers(rounded, lines, tmp_path_factory):
    """Return what the worker answers to everything that is asked here."""
    folder = tmp_path_factory.mktemp("scripts")
    for address, path in rounded.files.items():
        (folder / path.name).symlink_to(path) if address.endswith(".js") else None
    asks = [{"asked": k, "sentence": s, "most": 512} for k, s in enumerate(rounding.SENTENCES, 1)]
    both = [{"asked": k, "sentence": "I saw", "most": MOST} for k in (NEVER, NEWEST)]
    groups = [*([one] for one in asks), both, [{"asked": 999, "sentence": TOO_LONG, "most": MOST}]]
    done = subprocess.run(
        ["node", *map(str, (DRIVER, SOURCES, SCRIPT, folder))],
        input=json.dumps({"lines": lines, "asked": groups}),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return SimpleNamespace(
        begun=found["begun"],
        ended=found["ended"],
        held=found["held"],
        pieces=found["pieces"],
        asked={one["asked"]: one for one in found["answered"]},
    )


def numbers(layers, n):
    """Return the numbers that the driver sent of several layers, (n_layers, n, d)."""
    arrays = [np.frombuffer(base64.b64decode(x), np.float32) for x in layers]
    return np.stack(arrays).reshape(len(arrays), n, -1)


def test_a_program_that_cannot_run_is_told(answers):
    told, began = answers.begun
    assert "WebAssembly.Module()" in told
    assert began is True


def test_where_memory_is_lacking_the_worker_ends(answers):
    assert answers.ended == "no room"


def test_all_parts_of_the_model_are_held(answers, rounded):
    assert sorted(answers.held) == sorted(part["name"] for part in rounded.facts["page"]["parts"])


def test_pieces_are_those_of_attnlib_in_every_line(answers, lines, model):
    assert len(lines) > 1_000
    assert encoder.tokenize(lines[-1], {"a"}) == ["[CLS]", "a", "[UNK]", "[UNK]", "[SEP]"]
    for line, pieces in zip(lines, answers.pieces, strict=True):
        assert pieces == encoder.tokenize(line, model["vocabulary"]), line


def test_it_computes_what_numpy_does_with_the_same_rounded_numbers(answers, model):
    less = rounding.as_rounded(model)
    for k, sentence in enumerate(rounding.SENTENCES, 1):
        told, pieces = answers.asked[k], encoder.tokenize(sentence, model["vocabulary"])
        assert told["pieces"] == pieces
        assert told["unknown"] == pieces.count("[UNK]")
        states = encoder.states(less, pieces)
        np.testing.assert_allclose(numbers(told["states"], len(pieces)), states, rtol=0, atol=1e-4)
        weights = encoder.weights(less, pieces)
        np.testing.assert_allclose(unpacked(told["weights"]), weights, rtol=0, atol=4e-5)
        layer = less["layers"][3]
        value = split_heads(states[3] @ layer["w_value"] + layer["b_value"], encoder.N_HEADS)
        np.testing.assert_allclose(_received(told["values"])[3], value, rtol=0, atol=3e-4)
        query = states[3] @ layer["w_query"] + layer["b_query"]
        np.testing.assert_allclose(numbers(told["query"], len(pieces))[3], query, rtol=0, atol=5e-4)


def test_it_differs_from_the_unrounded_model_by_what_the_page_says(answers, rounded, model):
    said, same, far = rounded.facts["costs"], [], {"state": 0, "weight": 0}
    for k, sentence in enumerate(rounding.SENTENCES, 1):
        told, pieces = answers.asked[k], encoder.tokenize(sentence, model["vocabulary"])
        found, weights = numbers(told["states"], len(pieces)), unpacked(told["weights"])
        exact = encoder.weights(model, pieces)
        far["state"] = max(far["state"], np.abs(found - encoder.states(model, pieces)).max())
        far["weight"] = max(far["weight"], np.abs(weights - exact).max())
        same += (weights.argmax(axis=-1) == exact.argmax(axis=-1)).ravel().tolist()
    for name, most in far.items():
        assert abs(most - said[name]) < 1e-3, name
    assert abs(np.mean(same) - said["same"]) < 1e-3
    assert 0 < said["state"] < 0.1
    assert 0 < said["weight"] < 0.05
    assert 0.99 < said["same"] < 1


def test_a_newer_sentence_overtakes_an_older_one(answers):
    assert NEVER not in answers.asked
    assert answers.asked[NEWEST]["pieces"] == ["[CLS]", "i", "saw", "[SEP]"]


def test_a_sentence_that_is_too_long_is_not_read(answers):
    assert answers.asked[999] == {"asked": 999, "tooMany": MOST + 2}
