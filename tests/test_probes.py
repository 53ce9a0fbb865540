"""What lessons and homework say of other libraries is what these answered when they were asked."""

import json
import re
import subprocess

import pytest

from experiments import record_probes
from experiments.probes import MODULES
from tests.lessons import SERIES

RECORD = record_probes.read()
HOW = ("boolean", "-inf", "smallest finite")
WORDS = {"as if nothing were": "as if nothing were hidden", "output bias": "its output bias"}
FAST = ("eval", "no gradients", "batch first", "one tensor", "without weights")


def prose(number):
    """Return a lesson's source as its readers get it."""
    (lesson,) = (lesson for lesson in SERIES.values() if lesson.number == number)
    return lesson.prose


def answers(library, *conditions):
    """Return the answers in the lessons' words, joined where they differ."""
    found = record_probes.found(RECORD, library, *conditions)
    assert found, f"no probe of {library} has the conditions {conditions}"
    return ", or ".join(sorted((WORDS.get(word, word) for word in found), key="NaN".__eq__))


def assert_row(row, number):
    row = f"| {' | '.join(row)} |"
    if row not in prose(number):
        pytest.fail(f"by the record, a table of lesson {number} has the row\n{row}", pytrace=False)


def hidden_rows():
    layer = {"asked for weights": "with weights", "without weights": "without weights"}
    for library in RECORD:
        if library != "PyTorch":
            yield [library, *(answers(library, "all hidden", how) for how in HOW)]
            continue
        yield ["PyTorch function", *(answers(library, "function", "all hidden", h) for h in HOW)]
        for name, asked in layer.items():
            row = [answers(library, "layer", "all hidden", how, asked) for how in HOW]
            yield [f"PyTorch layer, {name}", *row]


def test_the_table_of_05_says_what_libraries_answered_where_all_is_hidden():
    for row in hidden_rows():
        assert_row(row, "05")


def test_a_boolean_mask_without_weights_gives_nan_on_the_fast_path_alone():
    answers = RECORD["PyTorch"][-1]["answers"]
    asked = {frozenset(name.split(" · ")): word for name, word in answers.items()}
    for conditions, word in asked.items():
        if {"layer", "all hidden", "boolean", "without weights"} <= conditions:
            assert (word == "NaN") == (set(FAST) <= conditions), conditions


def half_rows():
    keras = "jax.nn, keras on torch or jax"
    for name, library, *conditions in (
        ("torch: scaled_dot_product_attention", "PyTorch", "function"),
        ("torch: MultiheadAttention, not asked for its weights", "PyTorch", "without weights"),
        (keras, "JAX"),
        (keras, "Keras on torch"),
        (keras, "Keras on jax"),
        ("torch: MultiheadAttention, asked for its weights", "PyTorch", "with weights"),
        ("ONNX reference evaluator, onnxruntime", "ONNX reference"),
        ("ONNX reference evaluator, onnxruntime", "ONNX Runtime"),
        ("transformers: its eager formula, called by itself", "Transformers"),
    ):
        widths = (f"16 features of {size}" for size in (100, 150))
        yield [name, *(answers(library, width, *conditions) for width in widths)]


def test_the_table_of_03_says_what_overflows():
    for row in half_rows():
        assert_row(row, "03")


@pytest.mark.parametrize(
    ("number", "sentence", "library", "conditions", "expected"),
    [
        ("05", "come together: `eval()`, no gradients recorded, `batch_first=True`",
         "PyTorch", ("layer", "all hidden", "boolean", *FAST), {"NaN"}),
        ("05", "and a batch axis, an even number of heads, biases, one tensor as query",
         "PyTorch", ("layer", "left out"), {"output bias"}),
        ("05", "None of these libraries keeps hidden values of NaN out", None,
         ("NaN in a hidden value",), {"NaN"}),
        ("05", "| True means *hidden* | PyTorch layer (`attn_mask`, `key_padding_mask`) |",
         "PyTorch", ("layer", "True means"), {"hidden"}),
        ("05", "an error in PyTorch and JAX;", "PyTorch", ("integer mask",), {"error"}),
        ("05", "an error in PyTorch and JAX;", "JAX", ("integer mask",), {"error"}),
        ("05", "taken as boolean in Keras |", "Keras on jax", ("integer mask",), {"as boolean"}),
        ("06", "PyTorch, JAX and ONNX have the same order", "PyTorch", ("grouped",),
         {"h0 h0 h1 h1"}),
        ("08", "and ONNX unless told otherwise turn features half the width apart",
         "ONNX reference", ("rotary",), {"features 0 and 4 of 8"}),
        ("08", "Hugging Face's Llama, GPT-NeoX", "Transformers", ("rotary",),
         {"features 0 and 4 of 8"}),
        ("08", "Hugging Face's Marian puts all sines before all cosines", "Transformers",
         ("sinusoids",), {"sines first, d/2"}),
        ("02", "\"PyTorch's layer for attention\": (2 * 384) ** -0.5", "PyTorch",
         ("layer", "entries at first"), {"0.71 / √384"}),
        ("02", "\"PyTorch's linear layer\": (3 * 384) ** -0.5", "PyTorch",
         ("linear", "entries at first"), {"0.58 / √384"}),
        ("99", "the same, but NaN from a layer that returns weights, or takes its fast path",
         "PyTorch", ("layer", "all hidden", "boolean", "with weights"), {"NaN"}),
        ("99", "integers 0 and 1 are refused", "PyTorch", ("integer mask",), {"error"}),
        ("99", "its `in_proj_weight`, (3 · d_model, d_model)", "PyTorch", ("layer", "parameters"),
         {"in_proj_weight (36, 12), in_proj_bias (36,), "
          "out_proj.weight (12, 12), out_proj.bias (12,)"}),
        ("99", "averaged over heads unless `average_attn_weights=False`", "PyTorch",
         ("weights returned",), {"(2, 3, 3), each head's (2, 2, 3, 3)"}),
        ("99", "`np.repeat(~mask, n_heads, axis=0)`", "PyTorch", ("a mask for each sentence",),
         {"np.repeat(mask, n_heads, axis=0)"}),
        ("99", "`dim` must be given", "PyTorch", ("softmax without dim",), {"error"}),
        ("99", "the classes stand on axis 1", "PyTorch", ("cross_entropy",),
         {"axis 1, loss (), 1.609"}),
        ("99", "gradients are added to those of an earlier call", "PyTorch", ("called twice",),
         {"added"}),
        ("99", "it changes `w` in place", "PyTorch", ("SGD",), {"in place"}),
    ],
)  # fmt: skip
def test_a_sentence_on_a_library_is_what_it_answered(
    number, sentence, library, conditions, expected
):
    assert sentence in prose(number), f"lesson {number} says it no more: take this line out"
    for name in [library] if library else RECORD:
        assert record_probes.found(RECORD, name, *conditions) == expected, name


def test_pytorchs_gradients_stand_in_the_lesson_as_recorded():
    (recorded,) = record_probes.found(RECORD, "PyTorch", "three words")
    (told,) = (lesson.prose for lesson in SERIES.values() if "by_pytorch = (" in lesson.prose)
    assert re.findall(r"-?\d\.\d{12}\b", told) == recorded.split()


@pytest.mark.parametrize("number", ["03", "05", "06", "99"])
def test_versions_that_lessons_name_are_recorded(number):
    recorded = {pair for places in RECORD.values() for pair in re.findall(
        r"(\w+) ([\d.]+\d)", " ".join(places[-1]["versions"]))}  # fmt: skip
    named = re.findall(r"(?i)\b(?:py)?(torch|jax|keras|onnx|onnxruntime|transformers) "
                       r"(\d+\.[\d.]*\d)(?: and (\d+\.[\d.]*\d))?", prose(number))  # fmt: skip
    assert named
    for library, *versions in named:
        assert {(library.lower(), version) for version in versions if version} <= recorded


def test_the_record_is_of_every_library():
    assert set(RECORD) == set(MODULES)
    for places in RECORD.values():
        assert all(place["versions"] for place in places)


@pytest.mark.needs("torch")
def test_pytorch_still_answers_as_recorded():
    answer = record_probes.ask_apart("PyTorch")
    if (version := record_probes.version_of(answer)) not in RECORD["PyTorch"][-1]["versions"]:
        pytest.skip(f"{version} is not recorded")
    assert answer["answers"] == RECORD["PyTorch"][-1]["answers"]


def of(version, **answers):
    return {"versions": {"some": version}, "answers": answers}


def test_versions_that_agree_share_a_place_and_a_change_begins_another():
    record = {}
    for answer in (of("1.0+cpu", a="0"), of("1.1", a="0"), of("2.0", a="NaN"), of("1.1", a="mean")):
        record_probes.keep(record, "Some", answer)
    places = [(list(place["versions"]), place["answers"]["a"]) for place in record["Some"]]
    assert places == [(["some 1.0"], "0"), (["some 2.0"], "NaN"), (["some 1.1"], "mean")]


def test_what_changed_is_reported_and_nothing_is_recorded(capsys, monkeypatch):
    monkeypatch.setattr(record_probes, "read", lambda: {"JAX": [{"versions": {"jax 1": "…"},
        "answers": {"a": "0", "b": "error", "gone": "0"}}]})  # fmt: skip
    monkeypatch.setattr(record_probes, "MODULES", {"JAX": "", "Keras on jax": ""})
    monkeypatch.setattr(
        record_probes,
        "ask_apart",
        lambda name: {"versions": {"jax": "2"}, "answers": {"a": "NaN", "b": "error"}}
        if name == "JAX" else None,
    )  # fmt: skip
    before = record_probes.RECORDED.read_bytes()
    record_probes.main(["--compare"])
    told = capsys.readouterr().out
    assert "**JAX**, jax 2, recorded jax 1: 2 changes" in told
    assert "| a | 0 | NaN |" in told
    assert "| gone | 0 | not asked |" in told
    assert "| b |" not in told
    assert record_probes.RECORDED.read_bytes() == before


def test_a_library_that_is_not_here_is_told_and_left_as_it_was(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(record_probes, "RECORDED", tmp_path / "probes.json")
    failed = subprocess.CompletedProcess([], 1, "", "Traceback\nModuleNotFoundError: no jax\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    record_probes.main(["JAX"])
    assert capsys.readouterr().out == "JAX: not asked, ModuleNotFoundError: no jax\n"
    assert json.loads(record_probes.RECORDED.read_text()) == {}


def test_an_unknown_library_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        record_probes.main(["Torch"])
    assert "'Torch' is none of PyTorch, JAX" in capsys.readouterr().err
