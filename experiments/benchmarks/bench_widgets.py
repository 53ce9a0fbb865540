"""How soon a widget shows what a hand did, beside `interact` with Matplotlib; and what it weighs.

``python -m experiments.benchmarks.bench_widgets`` (``make bench``) prints both. It needs Chromium.

A time runs from an input event (its own time stamp) to the end of the first frame after the
picture has changed. Widget and `interact` show the same numbers, in one notebook in one JupyterLab;
`interact` draws them anew in the kernel, with the functions of `attnlib.plotting`.
"""

import json
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from attnlib.widgets._bundle import BUNDLE
from course.html.page import page as html_page
from course.render import WIDGET
from tests.browser.lessons import PLACES
from tests.browser.visit import Chromium, JupyterLab
from tests.lessons import SERIES

N_EVENTS, N_REDRAWN = 60, 20
FRAME = 1000 / 60

START = """
import matplotlib.pyplot as plt, numpy as np
import attnlib
from attnlib import plotting, text, widgets
from ipywidgets import FloatSlider, IntSlider, interact

rng = np.random.default_rng(0)
words = ["I", "saw", "a", "saw"]
query, key, value = rng.normal(size=(3, 4, 3))
sentence = text.sentences()[0]
tokens = text.tokens(sentence)
layer = attnlib.MultiHeadAttention(**text.layer(0), n_heads=12)
heads = layer.weights(text.states(sentence)[0].astype(float))
learned = text.position_vectors()[:64]
record = text.trainings()
steps = record["steps"].tolist()


def tables(*values):
    names = [{title: value[k] for title, *value in values} for k in range(3)]
    display(plotting.grid(names[0], rows=names[1], columns=names[2]))


def bars(*values):
    _, axes = plt.subplots(1, len(values), figsize=(4 * len(values), 3), squeeze=False)
    for ax, (title, x, names) in zip(axes[0], values):
        plotting.bars(x, names, ax=ax).set_title(title)


def features(x):
    return [str(i) for i in range(x.shape[1])]


PICTURES = {  # first the picture that changes, which is watched
    "DotProduct": lambda w: plotting.vectors([w.a, w.b], ["a", "b"]).set_title(f"{w.dot:.2f}"),
    "Scaling": lambda w: (
        plotting.histograms([w.scores], ["scores"]).set_title(f"spread {w.spread:.2f}"),
        bars(("weights", w.weights, [f"key {j}" for j in range(8)])),
    ),
    "Softmax": lambda w: bars(("scores", w.scores, w.names), ("weights", w.weights, w.names)),
    "SelfAttention": lambda w: tables(
        (f"{w.words[w.word]} asks", w.query[[w.word]], [w.words[w.word]], features(w.query)),
        ("keys", w.key, w.words, features(w.key)),
        ("values", w.value, w.words, features(w.value)),
    ),
    "Mask": lambda w: (
        bars((f"if {w.words[w.changed]} changes", w.changes, w.words)),
        tables(("mask", w.mask, w.words, w.words)),
        tables(("weights", w.weights, w.words, w.words)),
    ),
    "Heads": lambda w: tables(
        (w.words[w.word], w.row_weights, [f"head {h}" for h in w.heads], w.words),
        (f"head {w.head}", w.weights[w.head], w.words, w.words),
        (f"minus head {w.other}", w.difference, w.words, w.words),
    ),
    "Alignment": lambda w: (
        bars((f"scores of {w.targets[w.target]}", w.scores[w.target], w.sources)),
        tables(("weights", w.weights, w.targets, w.sources)),
    ),
    "Positions": lambda w: (
        tables(("rows", w.rows, ["first", "second"], features(w.rows))),
        plotting.curves(range(w.n_positions), [w.curve], [f"from {w.first}: {w.similarity:.2f}"]),
    ),
    "Reach": lambda w: bars((f"shares of {w.words[w.word]}", w.shares[w.word], w.words)),
    "Learning": lambda w: (
        tables((f"step {w.step}", w.weights, w.words, w.words)),
        tables((w.words[w.word], w.history.T, w.words, [str(k) for k in steps])),
        plotting.curves(steps, [w.record["accuracy/ALiBi"][0]], [f"accuracy {w.accuracy:.3f}"]),
    ),
}


def compare(make, name, slider):
    def draw(x):
        with plt.style.context("attnlib.style"):
            shown = make(**{name: x})
            PICTURES[type(shown).__name__](shown)
            plt.show()
    interact(draw, x=slider)
    return make()
"""
# One line for each widget: how it is made, the trait that moves, the slider that moves it in
# `interact`; then the widget's own control by role and name, and the keys that move it to and fro.
WIDGETS = {
    "DotProduct": (
        "lambda a=(1, 3): widgets.DotProduct(a, (4, 2))",
        "a",
        "FloatSlider(min=-5, max=5, step=0.5, value=1)",
        ("slider", "head of a"),
    ),
    "Scaling": (
        "widgets.Scaling",
        "d",
        "IntSlider(min=1, max=512, value=64)",
        ("slider", "drag d: numbers in each"),
    ),
    "Softmax": (
        "lambda temperature=1.0: widgets.Softmax([2, 1, 0.5, -0.5], temperature=temperature)",
        "temperature",
        "FloatSlider(min=0.1, max=10, step=0.1, value=1)",
        ("slider", "temperature"),
    ),
    "SelfAttention": (
        "lambda word=0: widgets.SelfAttention(query, key, value, words=words, word=word)",
        "word",
        "IntSlider(min=0, max=3, value=0)",
        ("radio", "I"),
    ),
    "Mask": (
        "lambda changed=3: widgets.Mask("
        "query, key, value, words=words, changed=changed, when='after')",
        "changed",
        "IntSlider(min=0, max=3, value=0)",
        ("radio", "I"),
    ),
    "Heads": (
        "lambda word=0: widgets.Heads(heads, tokens, word=word)",
        "word",
        "IntSlider(min=0, max=3, value=0)",
        ("radio", None),
    ),
    "Alignment": (
        "lambda target=0: widgets.Alignment(np.log(heads[0]), tokens, tokens, target=target)",
        "target",
        "IntSlider(min=0, max=3, value=0)",
        ("radio", None),
    ),
    "Positions": (
        "lambda first=3: widgets.Positions(learned, first=first, second=10)",
        "first",
        "IntSlider(min=0, max=63, value=3)",
        ("slider", "first position"),
    ),
    "Reach": (
        "lambda gate_bias=4.0: widgets.Reach(kind='gated', gate_bias=gate_bias)",
        "gate_bias",
        "FloatSlider(min=0, max=8, step=0.25, value=4)",
        ("slider", "gate bias"),
    ),
    "Learning": (
        "lambda step=0: widgets.Learning(record, model=2, sentence=2, step=steps[step])",
        "step",
        "IntSlider(min=0, max=30, value=0)",
        ("slider", "step"),
    ),
}

WATCH = """
(() => {
  // The end of the frame that shows the next change below `root`, counted from the next key.
  window.timeToFrame = (root, ready) => new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("nothing changed for 20 s")), 20_000);
    let pressed = null;
    const seen = new MutationObserver(async () => {
      if (pressed === null || !(await ready(root))) return;
      seen.disconnect();
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - pressed);
        port2.postMessage(null); // answered when the frame is drawn
      });
    });
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    seen.observe(root, all);
    const heard = (event) => { pressed = event.timeStamp; };
    window.addEventListener("keydown", heard, { capture: true, once: true });
  });
})()
"""
AS_WIDGET = "(host) => { window.timing = window.timeToFrame(host.shadowRoot, () => true); }"
AS_PICTURE = """
(output) => {
  const before = output.querySelector("img")?.src;
  window.timing = window.timeToFrame(output, async (root) => {
    const picture = root.querySelector("img");
    if (!picture || picture.src === before) return false;
    await picture.decode();
    return true;
  });
}
"""


def measure(page, element, script, focus, n_events):
    """Press an arrow key again and again; return the milliseconds until each was shown."""
    focus()
    times = []
    for event in range(n_events + 2):  # the first two warm up
        key = "ArrowRight" if event % 2 == 0 else "ArrowLeft"
        element.evaluate(script)
        page.keyboard.press(key)
        times.append(page.evaluate("window.timing"))
    return times[2:]


def cells():
    """Yield a cell for each widget, with the same picture by `interact` above it."""
    yield START
    for make, trait, slider, _ in WIDGETS.values():
        code = f"compare({make}, {trait!r}, {slider})"
        if trait == "a":  # interact moves one number of the arrow
            code = f"compare(lambda a=1.0: ({make})((a, 3)), 'a', {slider})"
        yield code


def bench_times(folder):
    """Print median and 95th percentile of each widget, and the ratio to `interact`."""
    lab = JupyterLab(folder)
    lab.add("bench", list(cells()))
    print(f"{N_EVENTS} key presses each; a frame of 60 Hz is {FRAME:.1f} ms")
    print(f"{'':<14}{'median':>8}{'95 %':>8}   {'interact':>9}{'ratio':>7}   (ms)")
    with sync_playwright() as playwright:
        chromium = Chromium(playwright)
        with chromium.visit() as visit:
            lab.open(visit, "bench", len(WIDGETS))
            page = visit.page
            page.evaluate(WATCH)
            for nth, (name, (*_, (role, label))) in enumerate(WIDGETS.items()):
                widget = visit.widget(nth)
                control = widget.get_by_role(role, name=label, exact=True) if label else None
                control = (control or widget.get_by_role(role)).first
                moved = measure(page, widget, AS_WIDGET, control.focus, N_EVENTS)
                cell = page.locator(".jp-Notebook .jp-CodeCell").nth(nth + 1)  # after the imports
                output = cell.locator(".jp-Cell-outputArea")
                handle = output.locator(".noUi-handle")
                handle.scroll_into_view_if_needed()
                redrawn = measure(page, output, AS_PICTURE, handle.focus, N_REDRAWN)
                median, slow = statistics.median(moved), statistics.median(redrawn)
                late = statistics.quantiles(moved, n=20)[-1]
                print(f"{name:<14}{median:8.1f}{late:8.1f}   {slow:9.1f}{slow / median:7.1f}")
        chromium.close()
    lab.close()


def bench_bytes():
    """Print what the bundle weighs, and each widget's own state in its lesson's page."""
    print(f"bundle {BUNDLE.stat().st_size / 1000:.1f} kB")
    for lesson in dict(PLACES):
        cells = SERIES[lesson].executed().cells
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        states = [o.data[WIDGET] for o in outputs if WIDGET in o.get("data", {})]
        sizes = ", ".join(f"{s['class']} {len(json.dumps(s)) / 1000:.1f}" for s in states)
        page = len(html_page(SERIES[lesson]).encode())
        print(f"{lesson}: {sizes} kB; page {page / 1000:.0f} kB, notebook", end=" ")
        print(f"{SERIES[lesson].notebook_path.stat().st_size / 1000:.0f} kB")


def main():
    """Print everything."""
    bench_bytes()
    with tempfile.TemporaryDirectory() as folder:
        bench_times(Path(folder))


if __name__ == "__main__":
    main()
