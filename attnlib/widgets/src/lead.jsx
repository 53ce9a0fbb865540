// What stands above a picture: the steps that lead through it, and what it asks of the hand.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { met, open, changed, tooMany } from "./goals.js";
import { Announcement, format } from "./parts.jsx";

/** The moments as numbered steps; the one that is seen is marked. */
export function Moments({ moments, now, step }) {
  if (!moments.length) return null;
  return (
    <ol class="moments" aria-label="what to see">
      {moments.map(({ title, slug }, k) => (
        <li key={slug}>
          <button type="button" aria-pressed={k === now} onClick={() => step(k)}>
            <b aria-hidden="true">{k + 1}</b> {title}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The task, and below it what is missing, or that it is done: whoever reaches it, it is noticed here. */
export function Goal({ model, goal, moves, reached, state, measured, missing }) {
  const told = useRef(null);
  useEffect(() => {
    if (!goal || !measured || reached !== null || !met(goal, measured(state), state)) return;
    model.set("_reached", moves);
    model.save_changes();
  });
  useLayoutEffect(() => keepHigh(told.current));
  if (!goal) return null;
  const done = reached !== null;
  const said = done ? `Done in ${counted(reached, "move")}.` : measured ? whatIsMissing(goal, state, measured, missing) : "";
  return (
    <div class={done ? "goal done" : "goal"}>
      <p class="task">{goal.words}</p>
      <p class="missing" ref={told}>
        {said}
        {!done && moves > 0 && <span class="moves">{counted(moves, "move")}</span>}
      </p>
      <Announcement text={said} />
    </div>
  );
}

/** Nothing below jumps when shorter words follow: at one width, a line stays as high as it once was. */
function keepHigh(element) {
  if (!element) return;
  const { style, dataset, clientWidth } = element;
  if (dataset.wide !== `${clientWidth}`) style.minHeight = "";
  dataset.wide = clientWidth;
  style.minHeight = `${element.offsetHeight}px`;
}

function whatIsMissing(goal, state, measured, missing = plainly) {
  const moved = tooMany(goal, state);
  if (moved) return `${counted(moved, "number")} differ from the start, and ${goal.changing} may: move back what is too much, or reset.`;
  const all = open(goal, measured(state));
  if (!all.length) return "";
  const one = missing({ ...all[0], state });
  return all.length > 1 ? `${one} (and ${all.length - 1} more)` : one;
}

function plainly({ name, place, is, least, most }) {
  const ends = most === null ? `${format(least)} or more` : least === null ? `${format(most)} or less` : `${format(least)} to ${format(most)}`;
  const where = place.length ? `${name} [${place.join(", ")}]` : name;
  return `${where} is ${typeof is === "number" ? format(is) : "none"}; ${ends} is asked`;
}

const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

/**
 * Counts moves: a change of a number by the hand. All that one press of a pointer does is one move,
 * and so are changes of one number by keys until another follows; each turn of a switch is one.
 */
export function useMoves(place, model) {
  const hand = useRef({ press: 0, down: false, last: null });
  useEffect(() => {
    const press = () => Object.assign(hand.current, { press: hand.current.press + 1, down: true });
    const lift = () => Object.assign(hand.current, { down: false });
    const leave = () => hand.current.down || Object.assign(hand.current, { press: hand.current.press + 1 });
    place.addEventListener("pointerdown", press, true);
    place.addEventListener("focusin", leave);
    for (const event of ["pointerup", "pointercancel"]) addEventListener(event, lift, true);
    return () => {
      place.removeEventListener("pointerdown", press, true);
      place.removeEventListener("focusin", leave);
      for (const event of ["pointerup", "pointercancel"]) removeEventListener(event, lift, true);
    };
  }, [place]);
  return (patch) => {
    const goal = model.get("_goal");
    if (!goal || model.get("_reached") != null) return {};
    const names = Object.keys(goal.start).filter((name) => name in patch);
    const places = names.flatMap((name) => changed(model.get(name), patch[name]).map((k) => `${name} ${k}`));
    if (!places.length) return {};
    const { press, down, last } = hand.current;
    const switched = !down && names.some((name) => [patch[name]].flat(Infinity).some((x) => typeof x === "boolean"));
    const move = down ? `${press}` : `${press} ${places}`;
    hand.current.last = move;
    return move === last && !switched ? {} : { _moves: (model.get("_moves") ?? 0) + 1 };
  };
}

/** The moment that is seen, if one is: its inputs are as it says, and the others as at the start. */
export function seen(model, moments) {
  const untouched = model.get("_untouched") ?? {};
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  return moments.findIndex(({ state }) =>
    Object.entries({ ...untouched, ...state }).every(([name, value]) => same(model.get(name), value)),
  );
}

/** Steps through the moments by [ and ], and to one that a link or a slide asks for. */
export function useSteps(place, moments, now, step) {
  const latest = useRef(null);
  latest.current = { moments, now, step };
  useEffect(() => {
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
  useEffect(() => {
    place.getRootNode().host.dataset.moments = moments.map(({ slug }) => slug).join(" ");
  }, [moments]);
}

const STEPS = { "[": -1, "]": 1 };
