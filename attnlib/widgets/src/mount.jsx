// What every widget shares: a place of its own in the page, the theme, and traits that flow.

import { render } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Begun } from "./afresh.js";
import BOXES from "./boxes.css";
import "./forget.js";
import { usual } from "./host.js";
import { shareKeys } from "./keys.js";
import { Goal, Moments, seen, useMoves, useSteps } from "./lead.jsx";
import { Boundary } from "./parts.jsx";
import { tellUnfolded } from "./more.jsx";
import { colors, titles } from "../../pictures/shared.json";
import { INKS } from "./shades.js";
import STYLE from "./style.css";
import { useTheme } from "./theme.js";

const THEMES = Object.entries(INKS).map(([theme, inks]) => {
  const named = Object.entries({ ...colors.roles, ...inks }).map(([name, color]) => `--${name}:${color}`);
  return `.widget[data-theme="${theme}"]{${named.join(";")}}`;
});
const LEFTWARDS = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const apart = new WeakMap(); // of a list of words the one that is shown, the same each time
const ALWAYS = ["_kernel", "_plugged", "_answer", "_asked", "_goal", "_moments", "_moves", "_reached"];

/** Draw a view of the model into an element, closed to the page's styles. Returns what undoes it. */
export function mount(model, element, { View, traits, style: own, measured, missing }) {
  const shadow = element.attachShadow({ mode: "open" });
  const unshare = shareKeys(element);
  element.classList.add("attnlib-live");
  spread();
  element.shows = model; // whoever saves the page reads what the hand has left,
  element.usual = usual(model.get("_class")); // and what a record leaves out
  const style = document.createElement("style");
  style.textContent = THEMES.join("") + STYLE + own;
  const place = document.createElement("div");
  place.className = "widget";
  shadow.replaceChildren(style, place);
  const names = [...traits, ...ALWAYS];
  render(<Live {...{ place, model, View, names, measured, missing }} />, place);
  return () => {
    unshare();
    render(null, place);
  };
}

/** Tell the page, once, how widgets share a row. */
function spread() {
  const id = "attnlib-boxes";
  if (document.getElementById(id)) return;
  document.head.append(Object.assign(document.createElement("style"), { id, textContent: BOXES }));
}

/**
 * Words, each of a right-to-left script between two signs that nobody sees: a line that it stands in
 * runs from left to right, whatever stands beside it.
 */
function isolated(words) {
  if (!Array.isArray(words) || typeof words[0] !== "string" || !words.some((word) => LEFTWARDS.test(word))) return words;
  if (!apart.has(words)) apart.set(words, words.map((word) => (LEFTWARDS.test(word) ? `\u2068${word}\u2069` : word)));
  return apart.get(words);
}

function Live({ place, model, View, names, measured, missing }) {
  const read = () => Object.fromEntries(names.map((name) => [name, isolated(model.get(name))]));
  const [state, setState] = useState(read);
  const theme = useTheme(place);
  const _ended = useEnd(model);
  useEffect(() => {
    const heard = () => setState(read());
    for (const name of names) model.on(`change:${name}`, heard);
    heard(); // what changed before we listened
    return () => names.forEach((name) => model.off(`change:${name}`, heard));
  }, [model]);
  const [resets, setResets] = useState(0);
  const [begun, begin] = useState(0);
  const latest = useRef(0); // of the resets; a view of before it, with a timer still to come, moves nothing
  const { _goal: goal, _moments: moments, _moves: moves, _reached: reached } = state;
  const [moved, held] = useMoves(place, model);
  const change = useCallback(
    (patch, untouched) => {
      const asked = model.get("_plugged") ? { _asked: (model.get("_asked") ?? 0) + 1 } : {};
      const all = { ...patch, ...asked, _untouched: untouched };
      for (const [name, value] of Object.entries(all)) model.set(name, value);
      model.save_changes();
      place.dispatchEvent(new CustomEvent("attnlib:moved", { bubbles: true, composed: true, detail: all }));
    },
    [model],
  );
  // What the hand changes is kept as it was before, by name; code that sets it anew clears it there.
  const keep = useCallback(
    (patch, counted) => {
      const untouched = model.get("_untouched");
      const first = Object.keys(patch).filter((name) => !(name in untouched));
      const kept = first.map((name) => [name, model.get(name)]);
      const all = { ...patch, ...counted };
      change(all, kept.length ? { ...untouched, ...Object.fromEntries(kept) } : untouched);
    },
    [model],
  );
  const set = useCallback((patch) => resets === latest.current && keep(patch, moved(patch)), [model, resets]);
  const reset = () => {
    change({ ...model.get("_untouched"), ...(goal && { _moves: 0, _reached: null }) }, {});
    latest.current += 1;
    setResets(latest.current); // the view begins afresh: what it had open, marked or hovered is gone
    tellUnfolded(place, false);
  };
  // A moment is the start with some inputs changed, whatever the hand did before.
  const step = (k) => {
    const counted = goal && reached === null ? { _moves: 0 } : {};
    if (!moments[k]) return;
    keep({ ...model.get("_untouched"), ...moments[k].state }, counted);
    begin((times) => times + 1);
  };
  const now = seen(model, moments);
  const title = titles[model.get("_class")];
  const large = place.getRootNode().host.classList.contains("attnlib-large"); // on a slide
  useSteps(place, moments, now, step);
  return (
    <>
      {title && <p class="subject">{title}</p>}
      <Moments {...{ moments, now, step }} />
      <Boundary>
        <Begun.Provider value={begun}>
          <View key={resets} {...state} {...{ _ended, theme, large, set }} />
        </Begun.Provider>
      </Boundary>
      <Boundary>
        <Goal key={resets} {...{ model, goal, moves, reached, held, state, measured, missing }} />
      </Boundary>
      <div class="foot">
        <p class="unseen" role="status">{resets > 0 && "As it was at first."}</p>
        <button type="button" onClick={reset}>Reset</button>
      </div>
    </>
  );
}

/**
 * Whether the kernel that made the widget has ended, by a restart, say. The picture still follows
 * the hand, but nobody calls the reader's function. An answer tells that it lives after all.
 */
function useEnd(model) {
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    const end = () => setEnded(true);
    const live = () => setEnded(false);
    model.on("comm_live_update", end);
    model.on("change:_answer", live);
    return () => {
      model.off("comm_live_update", end);
      model.off("change:_answer", live);
    };
  }, [model]);
  return ended;
}

/** The width of an element, in pixels, as it changes. */
export function useWidth(initial = 640) {
  const element = useRef(null);
  const [width, setWidth] = useState(initial);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
