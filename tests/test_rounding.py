"""The real encoder rounded for the site: how far, into which scripts, and when anew."""

import base64
import json
import re

import numpy as np
import pytest

from attnlib import encoder
from course import BuildError
from course.site import model as room
from course.site import rounding
from tests.test_encoder import toy


def test_rounding_stays_within_half_a_step_and_scales_fit_two_bytes():
    x = np.random.default_rng(0).standard_normal((5, 96)).astype(np.float32)
    x[2, 32:64] = 0
    counts, scales = rounding.rounded(x)
    assert counts.dtype == np.int8
    assert scales.shape == (5, 3)
    assert not (scales.view(np.uint32) & 0xFFFF).any()
    assert np.abs(counts.astype(int)).max() == rounding.LARGEST
    found = rounding.widened(counts, scales)
    half = np.repeat(scales, rounding.GROUP, axis=-1) / 2
    assert (np.abs(found - x) <= half * (1 + 1e-6)).all()
    assert not found[2, 32:64].any()


def test_scripts_hand_over_what_was_rounded_and_what_was_not(tmp_path):
    small = encoder.read_model(toy(tmp_path, d=64, n_pieces=12))
    page = rounding.write_scripts(small, tmp_path)["page"]
    handed = {}
    for part in page["parts"]:
        script = (tmp_path / f"{part['name']}.js").read_text(encoding="utf-8")
        said = json.loads(re.fullmatch(r"attnlibModel\((.*)\);\n", script)[1])
        assert (said["name"], said["build"]) == (part["name"], page["build"])
        assert part["address"] == f"model/{part['name']}.js"
        assert part["size"] == len(said.get("data") or said["pieces"])
        handed[part["name"]] = arrays_of(said)
    assert handed["pieces"] == list(small["vocabulary"])
    less, layer = rounding.as_rounded(small), small["layers"][0]
    words = np.concatenate([handed[f"words_{k}"]["words"] for k in range(rounding.FILES)])
    np.testing.assert_array_equal(words, less["words"].astype(np.float32))
    np.testing.assert_array_equal(
        handed["layer_0"]["w_up"].T, less["layers"][0]["w_up"].astype(np.float32)
    )
    np.testing.assert_array_equal(handed["layer_0"]["b_up"][0], layer["b_up"])
    np.testing.assert_array_equal(
        handed["places"]["places"], small["positions"] + small["segments"][0]
    )


def arrays_of(part):
    if "pieces" in part:
        return part["pieces"].split("\n")
    data, found = base64.b64decode(part["data"]), {}
    for array in part["arrays"]:
        shape = array["rows"], array["columns"]
        n = shape[0] * shape[1]
        if array["rounded"]:
            counts = np.frombuffer(data[:n], np.int8).reshape(shape)
            halves = np.frombuffer(data[n : n + n // 16], "<u2").astype(np.uint32) << 16
            scales = halves.view(np.float32).reshape(shape[0], -1)
            found[array["name"]] = rounding.widened(counts, scales)
            data = data[n + n // 16 :]
        else:
            found[array["name"]] = np.frombuffer(data[: 4 * n], "<f4").reshape(shape)
            data = data[4 * n :]
    assert data == b""
    return found


def test_a_model_is_rounded_once_and_what_was_damaged_anew(tmp_path, monkeypatch):
    runs = []

    def run(command, **_):
        runs.append(command)
        folder = tmp_path / "model"
        (folder / "places.js").write_text("1")
        (folder / "LICENSE.txt").write_text("2")
        (folder / "facts.json").write_text('{"costs": 3}')
        return type("Done", (), {"returncode": 0})

    monkeypatch.setattr(room.subprocess, "run", run)
    for _ in range(2):
        files, facts = room.round_model(tmp_path)
        assert sorted(files) == ["model/LICENSE.txt", "model/places.js"]
        assert facts == {"costs": 3}
    assert len(runs) == 1
    (tmp_path / "model" / "places.js").write_text("")
    room.round_model(tmp_path)
    assert len(runs) == 2


def test_without_the_package_a_sentence_says_what_brings_it(tmp_path, monkeypatch):
    said = "Traceback …\nFileNotFoundError: the whole model is an option of the set-up"
    done = type("Done", (), {"returncode": 1, "stderr": said})
    monkeypatch.setattr(room.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(BuildError, match=r"^rounding the model: .*an option of the set-up"):
        room.round_model(tmp_path)


def test_page_and_javascript_agree_with_what_was_rounded():
    sources = room.ROOT / "attnlib" / "widgets" / "src"
    script = (sources / "encoder.js").read_text(encoding="utf-8")
    assert f"const GROUP = {rounding.GROUP};" in script
    program = (sources / "product.ts").read_text(encoding="utf-8")
    assert f"const GROUP: u32 = {rounding.GROUP};" in program
    assert f"const N_HEADS = {encoder.N_HEADS};" in script
