"""How long a key keeps each widget's script busy, beside an empty widget and beside `interact`.

``python -m experiments.benchmarks.bench_frames`` (``make bench``) prints it. It needs Chromium.

A key is pressed on a widget's first control that arrow keys move; where a hand drags what it sees,
a pointer drags it, too, a few pixels at a time. *Script* runs from the key's, or the pointer's,
dispatch to the last change of the page before the frame, its layout included, without the wait for
the frame where a widget that moves goes on within it; *frame* from the same moment until that frame
is drawn. Each widget is made of 12 and of 40 tokens where it has tokens, and stands at the end of a
lesson, once on its page and once in JupyterLab. The empty widget is a slider and its number, the
least that anywidget can do. `interact` draws the same numbers in the kernel, by the plainest
Matplotlib: its script time runs until the new picture is there.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

import nbformat
from playwright.sync_api import expect, sync_playwright

from course.html.page import page as html_page
from tests.browser.lessons import n_widgets
from tests.browser.visit import RUN_ALL, Chromium, JupyterLab
from tests.lessons import SERIES

LESSON = "06_multi_head"  # the widgets stand below all of it
N_KEYS, N_REDRAWN = 120, 24
PATIENCE = 300_000  # ms, until the lesson and all that stands below it has run
STRIDE = 4  # keys in one direction before it goes back

START = """
import anywidget, traitlets
import matplotlib.pyplot as plt, numpy as np
from attnlib import softmax, widgets
from ipywidgets import IntSlider, interact

rng = np.random.default_rng(0)
ROWS = {n: rng.normal(size=(3, n, 3)).round(3) for n in (12, 40)}
TABLES = {n: softmax(3 * rng.normal(size=(12, n, n))).round(5) for n in ROWS}
WORDS = {n: [f"word{i}" for i in range(n)] for n in ROWS}
SCORES = {n: rng.normal(size=n).round(2) for n in ROWS}
LEARNED = {n: rng.normal(size=(n, 16)).round(3) for n in ROWS}


def training(n, steps=(*range(0, 400, 10), 500)):
    sentence, shape = " ".join(WORDS[n]), (1, len(steps), n)
    return {
        "steps": steps, "models": ["a"], "sentences": [sentence],
        f"truth/{sentence}": np.arange(n) % 2,
        f"weights/a/{sentence}": softmax(rng.normal(size=(*shape, n))),
        f"verb/a/{sentence}": rng.random(shape), f"votes/a/{sentence}": rng.random(shape),
        "loss/a": rng.random((1, len(steps))), "accuracy/a": rng.random((1, len(steps))),
    }


class Empty(anywidget.AnyWidget):
    value = traitlets.Int(20).tag(sync=True)
    _esm = \"\"\"
    export default { render({ model, el }) {
      const root = el.attachShadow({ mode: "open" });
      root.innerHTML = '<input type="range" min="0" max="39"> <output></output>';
      const [slider, output] = root.children;
      el.classList.add("empty");
      el.dataset.lmSuppressShortcuts = "true"; // else notebooks take the arrow keys
      slider.value = model.get("value");
      slider.oninput = () => { model.set("value", slider.valueAsNumber); model.save_changes(); };
      model.on("change:value", () => { output.textContent = model.get("value"); });
    } };
    \"\"\"


def drawn(draw, most=39):
    def redraw(i):
        draw(i)
        plt.title(i)
        plt.show()
    interact(redraw, i=IntSlider(min=0, max=most, value=most // 2))


def lines(*rows):
    for row in rows:
        plt.plot(row)


def tables(i, *values):
    _, axes = plt.subplots(1, len(values), squeeze=False)
    for ax, x in zip(axes[0], values):
        ax.imshow(x)
        ax.axhline(i % len(x))
"""
# For each widget how it is made, and how `interact` draws the same: `n` tokens, and the slider's i.
WIDGETS = {
    "DotProduct": (
        "widgets.DotProduct()",
        "lambda i: plt.quiver([0, 0], [0, 0], [i / 8, 4], [3, 2])",
    ),
    "Scaling": (
        "widgets.Scaling(64)",
        "lambda i: plt.hist(rng.normal(size=(100, 8, 64))[:, :, :i].sum(axis=-1).ravel(), 40)",
    ),
    "Softmax": (
        "widgets.Softmax(SCORES[n], WORDS[n])",
        "lambda i: plt.bar(WORDS[n], softmax(SCORES[n] * (i + 1) / 20))",
    ),
    "SelfAttention": (
        "widgets.SelfAttention(*ROWS[n], words=WORDS[n])",
        "lambda i: tables(i, *ROWS[n])",
    ),
    "Mask": (
        "widgets.Mask(*ROWS[n], words=WORDS[n])",
        "lambda i: tables(i, np.tri(n), TABLES[n][0])",
    ),
    "Heads": (
        "widgets.Heads(TABLES[n], WORDS[n])",
        "lambda i: tables(i, TABLES[n][:, i % n], TABLES[n][0], TABLES[n][1])",
    ),
    "Alignment": (
        "widgets.Alignment(np.log(TABLES[n][0] + 1e-5), WORDS[n], WORDS[n])",
        "lambda i: (plt.bar(WORDS[n], TABLES[n][0][i % n]), tables(i, TABLES[n][0]))",
    ),
    "Positions": (
        "widgets.Positions(LEARNED[n])",
        "lambda i: lines(LEARNED[n][i % n], LEARNED[n] @ LEARNED[n][i % n])",
    ),
    "Reach": (  # twenty words are the most that it has
        "widgets.Reach(WORDS[n][:20], kind='windowed', depth=6)",
        "lambda i: plt.bar(WORDS[n][:20], TABLES[n][0][i % n][:20])",
    ),
    "Backward": (  # eight words are the most that it has
        "widgets.Backward(SCORES[n][:8], np.eye(8)[:, :3], WORDS[n][:8], WORDS[n][:3], number=0)",
        "lambda i: (plt.bar(WORDS[n][:8], SCORES[n][:8] * i), lines(SCORES[n], SCORES[n]))",
    ),
    "Block": (
        "widgets.Block([*'the white cat finds Eva .'.split() * 8][:n], 'trained')",
        "lambda i: (plt.bar(WORDS[n], TABLES[n][0][i % n]), tables(i, TABLES[n][0]))",
    ),
    "Learning": (
        "widgets.Learning(training(n), step=200)",
        "lambda i: (tables(i, TABLES[n][0], TABLES[n][1]), lines(SCORES[n], SCORES[n]))",
    ),
    "Tiles": (  # twelve scores are the most that it has
        "widgets.Tiles(SCORES[n][:12], np.eye(12)[:, :2], size=1, read=12)",
        "lambda i: plt.bar(WORDS[n][:12], np.exp(SCORES[n][:12]) * i)",
    ),
    "Writer": (  # forty-eight words are the most that it has
        "widgets.Writer([*'the white cat finds Eva .'.split() * 8][: n + 1])",
        "lambda i: plt.bar(WORDS[n], TABLES[n][0][i % n])",
    ),
}
PRESSED = {"Writer": ("Take a word back", "Write a word")}  # a word comes and goes
DRAGGED = {"SelfAttention": ".vector.key [role=slider]"}  # the first of these, up and down
WITHOUT_TOKENS = ("DotProduct", "Scaling")
CASES = [(name, n) for name in WIDGETS for n in ((None,) if name in WITHOUT_TOKENS else (12, 40))]

CONTROLS = """
  input[type=range], [role=slider], input[type=radio]:checked, [role=radio][aria-checked=true],
  [role=grid][tabindex], [tabindex="0"]
"""
WATCH = """
(() => {
  // What happens below `root` after the next key, or another event: script time and frame time, or
  // null if nothing. Script is what is done before the frame, and what is done within it.
  window.watch = (root, isShown, patience, event = "keydown") => new Promise((resolve) => {
    let [pressed, changed, framed] = [null, null, null];
    let [before, within] = [0, 0];
    const seen = new MutationObserver(async () => {
      if (pressed === null || !(await isShown(root))) return;
      (root.host ?? root).getBoundingClientRect(); // the layout that the change asks for
      if (changed === null) requestAnimationFrame(drawn);
      changed ??= performance.now();
      if (framed > changed) within = performance.now() - framed;
      else before = performance.now() - pressed;
    });
    const frame = () => { // first in each frame: nothing asks for one earlier than the event
      if (changed !== null && framed > changed) return seen.disconnect(); // the frame after it
      framed = performance.now();
      requestAnimationFrame(frame);
    };
    const drawn = () => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { // the frame is drawn
        seen.disconnect();
        resolve([before + within, performance.now() - pressed]);
      };
      port2.postMessage(null);
    };
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    seen.observe(root, all);
    window.addEventListener(event, () => {
      pressed = performance.now();
      requestAnimationFrame(frame);
      setTimeout(() => { if (changed === null) { seen.disconnect(); resolve(null); } }, patience);
    }, { capture: true, once: true });
  });
})()
"""
AS_WIDGET = "(e) => { window.timing = watch(e.shadowRoot ?? e, () => true, 1000); }"
AS_DRAGGED = AS_WIDGET.replace("1000)", "1000, 'pointermove')")
AS_PICTURE = """
(output) => {
  const before = output.querySelector("img")?.src;
  window.timing = watch(output, async (root) => {
    const picture = root.querySelector("img");
    if (!picture || picture.src === before) return false;
    await picture.decode();
    return true;
  }, 20_000);
}
"""
EMPTY_ON_A_PAGE = """
<div class="empty"><input type="range" max="39" value="20" aria-label="n"> <output></output></div>
<script>
  const [slider, output] = document.querySelector(".empty").children;
  slider.oninput = () => { output.textContent = slider.valueAsNumber; };
</script>
"""


class Unmoved(Exception):
    """No control of the widget answers to an arrow key."""


def press(page, element, script, key):
    """Press a key; return its script and frame times, or None if nothing changed."""
    element.evaluate(script)
    page.keyboard.press(key)
    return page.evaluate("window.timing")


def time_widget(page, element):
    """Go to and fro on the widget's first control that moves; return the pairs of times."""
    for control in element.locator(CONTROLS).all():
        if not control.is_visible():
            continue
        control.scroll_into_view_if_needed()
        control.focus()
        for there, back in (("ArrowRight", "ArrowLeft"), ("ArrowLeft", "ArrowRight")):
            warm = [press(page, element, AS_WIDGET, key) for key in STRIDE * [there, back]]
            if all(warm):
                keys = STRIDE * [there] + STRIDE * [back]
                return [press(page, element, AS_WIDGET, keys[i % len(keys)]) for i in range(N_KEYS)]
    raise Unmoved


def time_presses(page, element, names):
    """Press two buttons in turn; return the pairs of times."""
    times = []
    for i in range(N_KEYS):
        element.get_by_role("button", name=names[i % 2], exact=True).focus()
        times.append(press(page, element, AS_WIDGET, "Enter"))
    return times[STRIDE:]


def time_drag(page, handle, element):
    """Drag a handle up and down, a few pixels at a time; return the pairs of times."""
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20)  # what begins the drag is not timed
    times = []
    for i in range(N_KEYS):
        element.evaluate(AS_DRAGGED)
        page.mouse.move(x, y - 20 - 4 * abs((i + 1) % (2 * STRIDE) - STRIDE))
        times.append(page.evaluate("window.timing"))
    page.mouse.up()
    return times


def time_interact(page, output):
    """Move the slider of `interact` to and fro."""
    handle = output.locator(".noUi-handle")
    handle.scroll_into_view_if_needed()
    handle.focus()
    keys = ["ArrowRight", "ArrowLeft"]
    return [press(page, output, AS_PICTURE, keys[i % 2]) for i in range(N_REDRAWN + 2)][2:]


def made():
    """Make every widget here; return its recorded state by its case, or None if it refuses."""
    names = {}
    exec(START, names)
    states = {}
    for name, n in CASES:
        try:
            states[name, n] = eval(WIDGETS[name][0], names | {"n": n}).recorded()
        except ValueError:
            states[name, n] = None
    return states


def bench_page(folder, chromium, states, report):
    """Time all widgets at the end of a lesson's page."""
    scripts = [
        '<div class="attnlib-widget">'
        f'<script type="application/vnd.attnlib.widget+json">{json.dumps(state)}</script></div>'
        for state in states.values()
        if state
    ]
    text = html_page(SERIES[LESSON])
    before, after = text.rsplit("</main>", 1)
    text = "".join([before, EMPTY_ON_A_PAGE, *scripts, "</main>", after])
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    with chromium.visit() as visit:
        visit.page.goto(path.as_uri())
        visit.page.evaluate(WATCH)
        _bench("page", visit, states, report, {})


def bench_lab(folder, chromium, states, report):
    """Time all widgets, and `interact`, at the end of a lesson in JupyterLab."""
    lab = JupyterLab(folder)
    file = lab.checkout / "my" / f"{LESSON}.ipynb"
    notebook = nbformat.read(file, as_version=4)
    cells = [START, "Empty()"]
    for (name, n), state in states.items():
        widget, picture = WIDGETS[name]
        cells += [f"n = {n}", widget] if state else []
        cells += [f"(lambda n: drawn({picture}))({n})"]
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in cells]
    nbformat.write(notebook, file)
    try:
        with chromium.visit() as visit:
            lab.look(visit, LESSON)
            visit.page.get_by_role("menuitem", name="Run", exact=True).click()
            visit.page.locator(RUN_ALL).click()
            handles = visit.page.locator(".noUi-handle")
            expect(handles).to_have_count(len(states), timeout=PATIENCE)
            expect(visit.page.get_by_text("[*]:")).to_have_count(0, timeout=PATIENCE)
            visit.page.evaluate(WATCH)
            outputs = visit.page.locator(".jp-OutputArea-child").filter(
                has=visit.page.locator(".noUi-handle")
            )
            drawn = {case: outputs.nth(i) for i, case in enumerate(states)}
            _bench("JupyterLab", visit, states, report, drawn)
    finally:
        lab.close()


def _bench(place, visit, states, report, drawn):
    empty = visit.page.locator(".empty")
    floor = time_widget(visit.page, empty)
    report.row(place, "empty widget", floor)
    nth = n_widgets(LESSON)
    for case, state in states.items():
        name = case[0] if case[1] is None else f"{case[0]}, {case[1]}"
        times = interact = None
        if state:
            try:
                element, names = visit.widget(nth), PRESSED.get(case[0])
                way = (time_presses, names) if names else (time_widget,)
                times = way[0](visit.page, element, *way[1:])
            except Unmoved:
                times = []
            nth += 1
        dragged = None
        if state and case[0] in DRAGGED:
            element = visit.widget(nth - 1)
            dragged = time_drag(visit.page, element.locator(DRAGGED[case[0]]).first, element)
        if case in drawn:
            interact = time_interact(visit.page, drawn[case])
        report.row(place, name, times, floor, interact)
        if dragged:
            report.row(place, f"{name}, dragged", dragged, floor)
    report.row(place, "empty, at the end", time_widget(visit.page, empty))


PLACES = {"page": bench_page, "lab": bench_lab}


class Report:
    """A table that grows line by line."""

    def __init__(self):
        columns = "script   p95   frame   p95   ×empty   interact   ×script  ×frame"
        print(f"{N_KEYS} keys each ({N_REDRAWN} of interact); milliseconds, medians and p95")
        print(f"{'place':<12}{'widget':<26}  {columns}")

    def row(self, place, name, times, floor=None, interact=None):
        """Print a line."""
        line = f"{place:<12}{name:<26}"
        if not times:
            line += "  refused" if times is None else "  no key moves it"
            print(line, flush=True)
            return
        script, frame = _columns(times)
        line += (
            f"{_median(script):8.1f}{_late(script):6.1f}{_median(frame):8.1f}{_late(frame):6.1f}"
        )
        if floor:
            line += f"{_median(script) / _median(_columns(floor)[0]):9.1f}"
        if interact:
            round_trip = [_median(x) for x in _columns(interact)]
            ratios = (round_trip[0] / _median(script), round_trip[1] / _median(frame))
            line += f"{round_trip[0]:11.1f}{ratios[0]:10.1f}{ratios[1]:8.1f}"
        print(line, flush=True)


def _columns(times):
    return list(zip(*(pair for pair in times if pair), strict=True))


_median = statistics.median


def _late(times):
    return statistics.quantiles(times, n=20)[-1]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=WIDGETS, nargs="+", help="time these widgets alone")
    parser.add_argument("--place", choices=PLACES, nargs="+", default=list(PLACES))
    asked = parser.parse_args()
    only = asked.only or WIDGETS
    states = {case: state for case, state in made().items() if case[0] in only}
    report = Report()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = Chromium(playwright)
        for place in asked.place:
            PLACES[place](Path(folder), chromium, states, report)
        chromium.close()


if __name__ == "__main__":
    main()
