"""What lesson 10 says of training is recorded, and what is quick is measured again."""

import json

import numpy as np
import pytest

from experiments import record_learning as recording

RECORD = json.loads(recording.RECORD.read_text("utf-8"))
TABLES = RECORD["tables"]


def test_every_table_is_recorded_with_all_its_rows():
    expected = {name: list(rows) for name, rows in recording.tables().items()}
    assert {name: list(table["rows"]) for name, table in TABLES.items()} == expected
    assert set(RECORD["versions"]) == {"python", "numpy"}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_tells_of_ten_seeds(name):
    table = TABLES[name]
    assert len(set(table["seeds"])) >= 10
    for row in table["rows"].values():
        columns = {name: column for name, column in row.items() if name != "seconds"}
        assert columns
        for column in columns.values():
            each = column["each"]
            assert len(each) == len(table["seeds"])
            assert (column["min"], column["max"]) == (min(each), max(each))
            assert column["mean"] == pytest.approx(np.mean(each), rel=1e-3)


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("taggers", "sinusoids"),
        ("ways back", "query's and key's 0"),
        ("library", "descent, 600 steps"),
    ],
)
def test_training_again_ends_within_the_recorded_range(table, row):
    again = recording.measure(recording.tables()[table][row], seeds=[0])
    recorded = TABLES[table]["rows"][row]
    assert again.keys() == recorded.keys()
    for name in again.keys() - {"seconds"}:  # by 0.002: one sentence more or less, rounded
        least, most = recorded[name]["min"] - 0.002, recorded[name]["max"] + 0.002
        assert least <= again[name]["mean"] <= most, name


@pytest.mark.parametrize(("rate", "rises"), [(1.0, True), (0.3, False)])
def test_long_steps_raise_the_loss_at_first(rate, rises):
    lesson, (data, unseen, _) = recording.lesson(), recording.sentences(0)
    rng, read = np.random.default_rng(0), recording.lesson().sinusoids(recording.WIDTH)
    model = lesson.start(rng)
    losses = [lesson.tagger_loss(model, *unseen, **read)[0]]
    for _ in range(5):
        options = {"steps": 1, "rate": rate} | read
        model = lesson.train(lesson.tagger_loss, model, data, rng, **options)
        losses.append(lesson.tagger_loss(model, *unseen, **read)[0])
    assert (max(losses) > 1.2 * losses[0]) == rises


def test_without_the_scale_a_smaller_start_and_rate_of_query_and_key_train_alike():
    lesson, (data, *_), d_key = recording.lesson(), recording.sentences(0), 64
    read = lesson.sinusoids(recording.WIDTH)
    asked = ("w_query", "w_key")

    def slower(model, grads, rate, longest):
        rates = {name: rate * (d_key**-0.5 if name in asked else 1) for name in model}
        return {name: w - rates[name] * grads[name] for name, w in model.items()}

    def begun(smaller):
        model = lesson.start(np.random.default_rng(0), d_key)
        return model | {name: smaller * model[name] for name in asked}

    def trained(model, **options):
        rng, options = np.random.default_rng(0), {"steps": 20, "rate": 3.0} | options | read
        return lesson.train(lesson.tagger_loss, model, data, rng, **options)

    raw_scores = {"layer": recording.by_attnlib, "scale": 1.0}
    scaled, raw = trained(begun(1)), trained(begun(d_key**-0.25), step=slower, **raw_scores)
    for name, array in scaled.items():
        smaller = d_key**-0.25 if name in asked else 1
        np.testing.assert_allclose(raw[name], smaller * array, atol=1e-10)
    start_alone = trained(begun(d_key**-0.25), **raw_scores)
    assert abs(start_alone["vectors"] - scaled["vectors"]).max() > 0.1


def test_windows_and_missing_positions_cost_what_theory_says():
    expected = TABLES["taggers"]["expected"]
    assert expected == pytest.approx(recording.expected_of_taggers(), rel=1e-3)
    for row, accuracy in expected.items():
        assert TABLES["taggers"]["rows"][row]["unseen"]["mean"] == pytest.approx(accuracy, abs=0.02)


def test_the_held_out_sentence_is_in_no_data_to_train_on():
    words, _ = recording.sentences(0)[0]
    assert recording.said("I um", words).any()
    assert not recording.said("I saw a saw", words).any()


@pytest.fixture(scope="module")
def training():
    with np.load(recording.TRAINING) as arrays:
        return dict(arrays)


def test_the_recorded_training_is_whole(training):
    steps, models, sentences = (training[name] for name in ("steps", "models", "sentences"))
    assert (np.diff(steps) > 0).all()
    shape = (3, len(steps))
    expected = {"steps": steps.shape, "models": models.shape, "sentences": sentences.shape}
    expected |= {f"truth/{sentence}": (len(sentence.split()),) for sentence in sentences}
    for model in models:
        expected |= {f"loss/{model}": shape, f"accuracy/{model}": shape}
        for sentence in sentences:
            n = len(sentence.split())
            expected[f"weights/{model}/{sentence}"] = (*shape, n, n)
            expected |= {f"{what}/{model}/{sentence}": (*shape, n) for what in ("verb", "votes")}
    assert {name: array.shape for name, array in training.items()} == expected


def test_the_recorded_weights_look_back_and_sum_to_1(training):
    for name in [name for name in training if name.startswith("weights/")]:
        weights = training[name] / 255
        assert (np.triu(weights, 1) == 0).all()
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=weights.shape[-1] / 510 + 1e-9)


def test_the_recorded_verbs_are_probabilities_of_ambiguous_words(training):
    ambiguous = recording.lesson().KINDS["ambiguous"]
    for name in [name for name in training if name.startswith("verb/")]:
        words = name.split("/")[-1].split()
        assert words[-1] in ambiguous
        is_ambiguous = np.isin(words, ambiguous)
        assert ((training[name] > 0) == is_ambiguous).all()
        assert (training[name] <= 1).all()


def test_the_recorded_training_ends_where_the_table_says(training):
    for model in training["models"]:
        each = TABLES["taggers"]["rows"][str(model)]["unseen"]["each"]
        np.testing.assert_allclose(training[f"accuracy/{model}"][:, -1], each[:3], atol=1e-3)
        assert (training[f"loss/{model}"][:, -1] < training[f"loss/{model}"][:, 0]).all()
