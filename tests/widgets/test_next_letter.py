"""The page that goes on with a text, in JavaScript, beside the functions of lesson 14."""

import json
import subprocess

import numpy as np
import pytest

from attnlib import softmax, text
from course.files import ROOT
from course.site import letters
from experiments import record_letters
from tests.widgets.test_bundle import SOURCES

DRIVER = ROOT / "tests" / "widgets" / "read_letters.mjs"
TEXTS = ["The weight", "\n", "zqxj", "(the", text.text_of()[1000:1100]]  # the last, longer than 64


@pytest.mark.full
@pytest.mark.needs("npm")
def test_model_and_counts_expect_what_they_do_in_the_lesson():
    names, model = record_letters.lesson(), text.letters()
    counts = names["count"](names["prose"][: names["cut"]], 5)
    asked = json.dumps({"script": letters.script().decode(), "texts": TEXTS})
    command = ["node", str(DRIVER), str(SOURCES)]
    done = subprocess.run(command, input=asked, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    for told, found in zip(TEXTS, json.loads(done.stdout), strict=True):
        ids = np.array([names["number"][letter] for letter in told[-64:]])
        logits = names["read"](model, ids)[0][-1] @ model["letters"].T
        np.testing.assert_allclose(found["logits"], logits, rtol=0, atol=1e-9, err_msg=told)
        expected = [names["chance"](letter, told[-4:], counts) for letter in names["letters"]]
        np.testing.assert_allclose(found["counted"], expected, rtol=0, atol=1e-12, err_msg=told)
        few = softmax(np.where(logits < np.sort(logits)[-3], -np.inf, logits) / 0.5)
        np.testing.assert_allclose(found["few"], few, rtol=0, atol=1e-9, err_msg=told)
