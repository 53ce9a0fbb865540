// What stands around a picture: the steps that lead through it, and what it asks of the hand.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { changed, open, tooMany } from "./goals.js";
import { Announcement, asked, format } from "./parts.jsx";

const REST = 500; // milliseconds; *Play* takes less for a step

/** The moments as steps; the one that is seen is marked. */
export function Moments({ moments, now, step }) {
  if (!moments.length) return null;
  return (
    <ol class="moments" aria-label="what to see">
      {moments.map(({ title, slug }, k) => (
        <li key={slug}>
          <button type="button" aria-pressed={k === now} onClick={() => step(k)}>
            {title}
          </button>
        </li>
      ))}
    </ol>
  );
}

/**
 * The task, and below it what is missing, or that it is done. Whoever reaches it, it is noticed here,
 * once the hand has let go and all rests: whoever sweeps over an answer, or plays, has not found it.
 */
export function Goal({ place, model, goal, moves, reached, state, measured, missing = plainly }) {
  const told = useRef(null);
  const held = useHeld(place);
  const asks = goal && measured && reached === null;
  const over = asks ? tooMany(goal, state) : 0;
  const all = asks ? open(goal, measured(state)) : [];
  const there = asks && !over && !all.length;
  useEffect(() => {
    if (!there || held) return undefined;
    const notice = () => {
      model.set("_reached", moves);
      model.save_changes();
    };
    const timer = setTimeout(notice, REST);
    return () => clearTimeout(timer);
  }, [there, held, state]);
  let said = "";
  if (reached !== null) said = reached ? `Done in ${counted(reached, "move")}.` : "Done."; // by code
  else if (over) said = `${counted(over, "number")} differ from the start, and ${goal.changing} may: move back what is too much, or reset.`;
  else if (there) said = held ? "There: let go." : "There: stay here.";
  else if (asks) said = missing({ ...all[0], state }); // what else is missing is told when this is there
  useEffect(() => keepHigh(told.current), [said]); // not before: a host measures 0 until it is in the page
  if (!goal) return null;
  return (
    <div class={reached === null ? "goal" : "goal done"}>
      <p class="task"><span>Try it.</span> {goal.words}</p>
      <p class="missing" ref={told}>
        <span>{said}</span>
        {reached === null && moves > 0 && <span class="moves">{counted(moves, "move")}</span>}
      </p>
      <Announcement text={said} />
    </div>
  );
}

/** Whether a pointer or a key is down in a place; the goal alone is drawn anew for it. */
function useHeld(place) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    const [down, up] = [true, false].map((is) => () => setHeld(is));
    return listen([["pointerdown", "keydown"].map((event) => [place, event, down]), ["pointerup", "pointercancel", "keyup", "blur"].map((event) => [window, event, up])].flat());
  }, [place]);
  return held;
}

/** Hear events on their way down. Returns what undoes it. */
function listen(heard) {
  for (const [who, event, hear] of heard) who.addEventListener(event, hear, true);
  return () => heard.forEach(([who, event, hear]) => who.removeEventListener(event, hear, true));
}

/** Nothing below jumps when shorter words follow: at one width, a line stays as high as it once was. */
function keepHigh(element) {
  if (!element?.offsetHeight) return; // on a slide that is still to come, say
  const { style, dataset, clientWidth } = element;
  if (dataset.wide !== `${clientWidth}`) style.minHeight = "";
  dataset.wide = clientWidth;
  style.minHeight = `${element.offsetHeight}px`;
}

export function plainly({ name, place, is, least, most }) {
  const where = place.length ? `${name} [${place.join(", ")}]` : name;
  return `${where} is ${typeof is === "number" ? format(is) : "none"}; ${asked(least, most)} is asked`;
}

const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

/**
 * Counts moves: changes of a number by the hand. All that follows one press of a pointer is one move,
 * and so are changes of one number by keys until another follows; each turn of a switch is one.
 * Returns what counts them.
 */
export function useMoves(place, model) {
  const hand = useRef({ turn: 0, pointer: false, last: null });
  useEffect(() => {
    const begin = (pointer) => Object.assign(hand.current, { turn: hand.current.turn + 1, pointer });
    const down = () => begin(true);
    const key = () => hand.current.pointer && begin(false);
    return listen([[place, "pointerdown", down], [place, "keydown", key]]);
  }, [place]);
  const count = (patch) => {
    const goal = model.get("_goal");
    if (!goal || model.get("_reached") != null) return {};
    const names = Object.keys(goal.start).filter((name) => name in patch);
    const places = names.flatMap((name) => changed(model.get(name), patch[name]).map((k) => `${name} ${k}`));
    if (!places.length) return {};
    const { turn, pointer, last } = hand.current;
    const switched = !pointer && names.some((name) => [patch[name]].flat(Infinity).some((x) => typeof x === "boolean"));
    hand.current.last = pointer ? `${turn}` : `${turn}: ${places}`;
    return hand.current.last === last && !switched ? {} : { _moves: model.get("_moves") + 1 };
  };
  return count;
}

/** The moment that is seen, if one is: its inputs are as it says, and the others as at the start. */
export function seen(model, moments) {
  const untouched = model.get("_untouched");
  return moments.findIndex(({ state }) =>
    Object.entries({ ...untouched, ...state }).every(([name, value]) => same(model.get(name), value)),
  );
}

const same = (a, b) =>
  a === b ||
  (Array.isArray(a) ? a.length === b?.length && a.every((x, k) => same(x, b[k])) : isRecord(a) && JSON.stringify(a) === JSON.stringify(b));

const isRecord = (x) => typeof x === "object" && x !== null; // numbers that were packed, say

/** Steps through the moments by [ and ], and to one that a link or a slide asks for. */
export function useSteps(place, moments, now, step) {
  const latest = useRef(null);
  latest.current = { moments, now, step };
  useLayoutEffect(() => {
    const host = place.getRootNode().host;
    const by = (n) => {
      const { moments, now, step } = latest.current;
      // From no moment at all one steps to the first or to the last.
      const next = now >= 0 ? now + n : n > 0 ? 0 : moments.length - 1;
      step(Math.max(0, Math.min(moments.length - 1, next)));
    };
    const press = (event) => {
      const n = STEPS[event.key];
      // Some keyboards have the brackets behind AltGr, which is Ctrl and Alt together.
      if (!n || !latest.current.moments.length || event.metaKey || event.ctrlKey !== event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      by(n);
    };
    const asked = ({ detail }) =>
      detail.slug ? latest.current.step(latest.current.moments.findIndex(({ slug }) => slug === detail.slug)) : by(STEPS[detail.key]);
    place.addEventListener("keydown", press);
    host.addEventListener("attnlib-moment", asked);
    return () => {
      place.removeEventListener("keydown", press);
      host.removeEventListener("attnlib-moment", asked);
    };
  }, [place]);
  useLayoutEffect(() => {
    const { dataset } = place.getRootNode().host;
    if (moments.length) dataset.moments = moments.map(({ slug }) => slug).join(" ");
    else delete dataset.moments;
  }, [moments]);
}

const STEPS = { "[": -1, "]": 1 };
