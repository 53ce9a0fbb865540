"""What the page *Let it write your text* loads and says: the model of lesson 14, and its text."""

import base64
import json

import numpy as np

from course.files import ROOT

DATA = ROOT / "attnlib" / "data"


def script() -> bytes:
    """Make the script with the model, its letters, and the part of the text that was learned.

    A page that is opened from a folder may load scripts and nothing else. This one comes as soon as
    the page is opened, which has nothing else to show. Each array of the model is said by its
    number of rows and by its float16, in letters that `atob` reads.
    """
    text = (DATA / "prose.txt").read_text(encoding="utf-8")
    with np.load(DATA / "letters.npz", allow_pickle=False) as arrays:
        model = {
            name: {
                "rows": len(np.atleast_2d(arrays[name])),
                "data": base64.b64encode(arrays[name].astype("<f2").tobytes()).decode(),
            }
            for name in arrays
        }
    told = {"letters": sorted(set(text)), "learned": text[: len(text) * 9 // 10], "model": model}
    return f"const LETTERS = {json.dumps(told)};\n".encode()


def facts() -> dict:
    """Say what model and counts of five letters lose on what was held out, and their colours."""
    record = json.loads((DATA / "letters.json").read_text(encoding="utf-8"))
    shared = json.loads((ROOT / "attnlib" / "pictures" / "shared.json").read_text(encoding="utf-8"))
    return {
        "read": record["letters"] * 9 // 10,
        "counts": record["counts"]["whole"][4],
        "model": record["runs"]["whole:0"]["held out"][-1],
        "colors": shared["colors"]["roles"],
    }
