"""How long the site's page on which one types a sentence takes in three engines, and what it costs.

``python -m experiments.benchmarks.bench_sentence`` prints a table; ``make site MODEL=1`` must have
made the page, which is opened from its folder. An engine that is not installed is left out.

*Load* runs from the button until the first sentence is shown, files in the system's memory. For
sentences, *worker* is what the model takes, *shown* runs from the key until both pictures are
drawn, the page's wait for a further key included; medians. *Memory* is what the browser's processes
have in all (each page of memory counted once), before the model is loaded and after all sentences.
The last columns are the largest differences from attnlib's unrounded model over the twenty
sentences that the page's own numbers rest on, and the share of rows whose largest weight stays
where it was.
"""

import base64
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import psutil
from playwright.sync_api import sync_playwright

from attnlib import encoder
from attnlib.widgets._packing import unpacked
from course.site.build import site_of
from course.site.rounding import SENTENCES
from tests.browser.visit import Chromium
from tests.conftest import program
from tests.engines.firefox import Firefox
from tests.engines.webkit import WebKit

N_LOADS, N_TIMES = 3, 9
WORDS = "the old man who sat on the bank of the river saw a saw"
LENGTHS = 5, 12, 40
MEASURE = """async (what, sentence) => {
  const place = document.querySelector(".own-sentence");
  const field = place.querySelector("input");
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const began = performance.now();
  const shown = new Promise((done) => place.addEventListener("attnlib:read", done, { once: true }));
  if (what === "load") place.querySelector("button").click();
  else {
    field.value = sentence;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  await shown;
  await drawn();
  const { milliseconds, weights, states } = place.read;
  const times = [milliseconds, performance.now() - began];
  if (what !== "numbers") return times;
  const bytes = new Uint8Array(await new Blob(states).arrayBuffer());
  let text = "";
  for (let k = 0; k < bytes.length; k += 8192) {
    text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  }
  return [btoa(text), weights];
}"""


def main():
    """Print the table."""
    page = site_of() / "sentence.html"
    if not page.exists() or "own-sentence" not in page.read_text(encoding="utf-8"):
        sys.exit("bench_sentence needs the page and its model: make site MODEL=1")
    model = encoder.read_model()
    exact = {s: _computed(model, s) for s in SENTENCES}
    heads = [f"{n} words: worker, shown (ms)" for n in LENGTHS]
    print(
        "engine | load (s)", *heads, "memory before, after (MB)", "state, weight, same", sep=" | "
    )
    for name, measured in _engines(page.as_uri()):
        loads, times, memory, numbers = measured
        state, weight, same = _differences(numbers, exact)
        told = [", ".join(f"{x:.0f}" for x in pair) for pair in times]
        costs = f"{state:.4f}, {weight:.4f}, {100 * same:.2f} %"
        sizes = ", ".join(f"{x:.0f}" for x in memory)
        print(name, f"{statistics.median(loads) / 1000:.2f}", *told, sizes, costs, sep=" | ")


def _engines(address):
    if program("chromium"):
        with sync_playwright() as playwright:
            chromium = Chromium(playwright)
            with chromium.visit() as visit:
                page = visit.page
                ask = lambda *given: page.evaluate(f"(given) => ({MEASURE})(...given)", [*given])  # noqa: E731
                yield f"Chromium {chromium.browser.version}", _measured(page.goto, ask, address)
            chromium.close()
    for engine, needed in ((Firefox, "firefox"), (WebKit, "webkit")):
        if program(needed):
            with tempfile.TemporaryDirectory() as folder:
                window = engine(program(needed), Path(folder))
                window.resize(1280, 900)
                ask = lambda *given: window.run(f"return ({MEASURE})(...arguments)", *given)  # noqa: B023, E731
                yield f"{engine.__name__} {window.version}", _measured(window.go, ask, address)
                window.close()


def _measured(go, ask, address):
    """Return seconds to load, times by length, memory before and after, and numbers."""
    loads = []
    go(address)
    before = _memory()
    for _ in range(N_LOADS):
        go("about:blank")
        go(address)
        loads.append(ask("load", "")[1])
    times, words = [], WORDS.split()
    for n in LENGTHS:
        several = []
        for k in range(N_TIMES):  # another sentence each time, as one types
            typed = [words[(i + k) % len(words)] for i in range(n)]
            several.append(ask("time", " ".join(typed)))
        times.append([statistics.median(column) for column in zip(*several, strict=True)])
    after = _memory()
    numbers = {sentence: ask("numbers", sentence) for sentence in SENTENCES}
    return loads, times, (before, after), numbers


def _memory():
    """Return megabytes of all processes that this one has started."""
    found = 0
    for process in psutil.Process().children(recursive=True):
        try:
            found += process.memory_full_info().pss
        except psutil.Error:  # it has just ended
            continue
    return found / 1e6


def _computed(model, sentence):
    pieces = encoder.tokenize(sentence, model["vocabulary"])
    return encoder.states(model, pieces), encoder.weights(model, pieces)


def _differences(numbers, exact):
    states, weights, same = [], [], []
    for sentence, (text, packed) in numbers.items():
        ours, looks = exact[sentence]
        found = np.frombuffer(base64.b64decode(text), np.float32).reshape(ours.shape)
        states.append(np.abs(found - ours).max())
        shares = unpacked(packed)
        weights.append(np.abs(shares - looks).max())
        same += (shares.argmax(axis=-1) == looks.argmax(axis=-1)).ravel().tolist()
    return max(states), max(weights), np.mean(same)


if __name__ == "__main__":
    main()
