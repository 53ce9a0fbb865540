"""Which controls of a widget a play touches: one that it leaves alone is tried by nobody."""

import re

from attnlib import world

# Whatever can be used, by its kind and its name; radios that belong together are one. Tab uses
# nothing, it comes by. What only scrolls is left out, and so are moments, which are a lesson's.
WATCH = """(host) => {
  const root = host.shadowRoot;
  const LEFT_OUT = ":not([role=region], .moments *)";
  const CONTROLS = `:is(input, button, select, textarea, summary, [tabindex])${LEFT_OUT}`;
  const texts = (all) => [...all].map((one) => one?.textContent).join(" ");
  const name = (one) => {
    const group = one.type === "radio" && one.closest("fieldset");
    if (group) return `radio: ${group.querySelector("legend").textContent}`;
    const ids = one.getAttribute("aria-labelledby")?.split(" ") ?? [];
    const labels = texts(ids.map((id) => root.getElementById(id))) || texts(one.labels ?? []);
    const said = one.getAttribute("aria-label") || labels || one.textContent;
    return `${one.getAttribute("role") ?? one.type ?? one.localName}: ${said}`;
  };
  const there = new Set();
  const touched = new Set();
  const look = () => root.querySelectorAll(CONTROLS).forEach((one) => there.add(name(one)));
  look();
  new MutationObserver(look).observe(root, { childList: true, subtree: true });
  const touch = ({ target, key }) => {
    const one = target.closest(CONTROLS);
    if (one && key !== "Tab") touched.add(name(one));
  };
  const KINDS = ["input", "click", "keydown", "pointerdown"];
  for (const kind of KINDS) root.addEventListener(kind, touch, true);
  const WORDS = ["words", "names", "sources", "targets"];
  const words = () => WORDS.flatMap((of) => host.shows.get(of) ?? []);
  host.told = () => [[...there], [...touched], words()];
}"""
VARY = {"first", "second", "third", "query", "key", "value", *world.VOCABULARY}


def watch(visit, nth=0):
    """Begin to note what is there in a widget, and what of it is touched."""
    visit.widget(nth).evaluate(WATCH)


def untouched(visit, nth=0):
    """Return what was there since `watch` and was not touched, by kind and name.

    Of those that differ by a number, a word of the sentence or a role alone, one is enough.
    """
    there, touched, words = visit.widget(nth).evaluate("(host) => host.told()")
    vary = VARY | {part for word in words for part in word.split()}
    left = {_kind(name, vary) for name in there} - {_kind(name, vary) for name in touched}
    return sorted(left)


def _kind(name, vary):
    """Return a control's name up to what it says of its state, with … for what varies."""
    kind, _, said = name.partition(": ")
    words = re.sub("“[^”]*”", "1", re.split("[:,]", said)[0]).split()
    shown = " ".join("…" if word in vary or re.search(r"\d", word) else word for word in words)
    return f"{kind}: {re.sub('(… )+…', '…', shown)}"
