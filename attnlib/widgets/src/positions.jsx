// Two places to move, and what four schemes know about them: each is a column of a table of all
// places, and below it, on the same axis, stands how alike the two are.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { positions } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import { alibiSlopes, cosine, dot, normals, rotate, sinusoidalPositions, wavelengths } from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import FOLDED from "./more.css";
import { More } from "./more.jsx";
import OWN from "./positions.css";
import { Clocks, Numbers } from "./positions_more.jsx";
import { Pair } from "./positions_pair.jsx";
import STAGE from "./stage.css";
import { Announcement, Choice, Heat, Toggle, format, ticks } from "./parts.jsx";

export const style = STAGE + FOLDED + OWN;
export const traits = ["learned", "n_positions", "d_model", "first", "second", "scheme", "head", "pairs"];

const { N_HEADS, SEED, ALIKE, HIGHEST, HIGHEST_ROW, WHY, ENDS } = positions;
const HEADS = Array.from({ length: N_HEADS }, (_, h) => h);
const SLOPES = alibiSlopes(N_HEADS);
const SCHEMES = { sinusoidal: "sinusoidal", learned: "learned", rotary: "rotary", alibi: "ALiBi" };

const numbersOf = (row) => row.split(" ").map(Number);

/** The learned table as Python reduced it: in strings, the cosines in ten-thousandths. */
const unpacked = (table) =>
  table && {
    d: table.d,
    features: table.features.map(numbersOf),
    cosines: table.cosines.map((row) => numbersOf(row).map((x) => x / 10000)),
  };

const upTo = (n, make) => Array.from({ length: n }, (_, p) => make(p));
const biasAt = (head, distance) => -SLOPES[head] * Math.abs(distance) + 0;

/** A scheme's table, the rows of two positions, and the number that it has for two positions. */
const MADE = {
  sinusoidal({ n_positions, d_model }) {
    const table = sinusoidalPositions(n_positions, d_model);
    return { table, ends: (a, b) => [table[a], table[b]], pair: (a, b) => cosine(table[a], table[b]) };
  },
  learned({ learned: { features, cosines }, n_positions }) {
    const pair = (a, b) => cosines[Math.max(a, b)][Math.min(a, b)];
    return { table: features.slice(0, n_positions), ends: (a, b) => [features[a], features[b]], pair };
  },
  rotary({ n_positions, d_model }) {
    const numbers = Array.from(normals(2 * d_model, SEED));
    const queries = upTo(n_positions, (p) => rotate(numbers.slice(0, d_model), p));
    const table = upTo(n_positions, (p) => rotate(numbers.slice(d_model), p)); // the keys
    return { table, ends: (a, b) => [queries[a], table[b]], pair: (a, b) => dot(queries[a], table[b]) };
  },
  alibi: ({ head }) => ({ table: null, ends: () => null, pair: (a, b) => biasAt(head, b - a) }),
};

export function measured(state) {
  const { n_positions, d_model, first, second, scheme, head } = state;
  const { pair } = MADE[scheme]({ learned: unpacked(state.learned), n_positions, d_model, head });
  return { first, second, similarity: pair(first, second) };
}

export function missing({ name, is, least, most, state }) {
  const asked = least === most ? format(least, 0) : [least, most].filter((end) => end !== null).map((end) => format(end)).join(" to ");
  if (name !== "similarity") return `the ${name} is at ${is}; ${asked} is asked`;
  const cosines = state.scheme === "sinusoidal" || state.scheme === "learned";
  return `${state.first} and ${state.second} ${cosines ? `are ${format(is)} alike` : `have ${format(is)}`}; ${format((least + most) / 2)} is asked`;
}

export function View(state) {
  const { n_positions: n, d_model, scheme, head, pairs, theme, large, set } = state;
  const slide = useSlide(state);
  const [first, second] = [state.first + slide.by, state.second + slide.by];
  const learned = useMemo(() => unpacked(state.learned), [state.learned]);
  const made = useMemo(() => MADE[scheme]({ learned, n_positions: n, d_model, head }), [learned, n, d_model, scheme, head]);
  const { table, pair } = made;
  const rows = made.ends(first, second);
  const curve = useMemo(() => upTo(n, (p) => pair(first, p)), [pair, first, n]);
  const range = useMemo(() => reach(pair, scheme, n), [pair, scheme, n]);
  const apart = second - first;
  const start = Math.max(0, -apart); // of the first of all pairs that stand so
  const elsewhere = useMemo(() => upTo(n - Math.abs(apart), (k) => pair(start + k, start + k + apart)), [pair, apart, n]);
  const asked = scheme === "rotary" || scheme === "alibi"; // a query at the first, a key at the second
  const names = asked ? ["query", "key"] : ["first", "second"];
  const what = asked ? (scheme === "rotary" ? "query · key" : `bias of head ${head}`) : "cosine";
  const [traced, setTraced] = useAfresh(false); // whether the curve is drawn, too
  const d = scheme === "learned" ? learned.d : d_model;
  const shown = Object.keys(SCHEMES).filter((name) => name !== "learned" || learned);
  const inside = (by) => Math.min(first, second) + by >= 0 && Math.max(first, second) + by < n;
  const together = (by) => set({ first: state.first + by, second: state.second + by });
  const moved = (by) => inside(by) && together(by);
  const such = named({ apart, n: elsewhere.length, asked });
  const told = result({
    ...{ scheme, first, second, apart, head, such, elsewhere },
    value: curve[second],
    mirrored: pair(Math.max(0, apart), Math.max(0, -apart)),
    all: pairs && !slide.on,
  });
  const alone = elsewhere.length === 1;
  const dots = pairs && elsewhere.map((value, k) => [start + k + apart, value]).filter(([p]) => slide.passed(p - state.second));
  return (
    <div class="arranged">
      <p class="story">{told}</p>
      <p class="note why">{WHY[scheme]}</p>
      <div class="controls">
        {scheme === "alibi" && (
          <Choice label="head" options={HEADS} value={head} onChange={(chosen) => set({ head: chosen })} />
        )}
        <div class="both">
          <button type="button" class={pairs ? "" : "asks"} aria-disabled={alone} onClick={() => alone || slide.go()}><span aria-hidden="true">▸ </span>slide both along{pairs || alone ? "" : `: does ${format(curve[second])} stay?`}</button>
        </div>
      </div>
      <Stage
        {...{ table, rows, d, curve, range, names, what, first, second, asked, such, dots, together, theme, large, set }}
        charted={!table || traced || (pairs && !slide.on)}
        others={scheme === "alibi"}
        traced={traced || scheme === "alibi"}
        hint={!pairs}
      />
      <More title="other ways to number the places, the same as clocks, as a curve, in numbers">
        <div class="controls">
          <Choice
            label="scheme"
            options={shown}
            names={shown.map((name) => SCHEMES[name])}
            value={scheme}
            onChange={(chosen) => set({ scheme: chosen })}
          />
          {scheme !== "alibi" && <Toggle label={`draw the curve: ${names[0]} with every place`} checked={traced} onChange={setTraced} />}
          <div role="group" aria-label="move both positions">
            <button type="button" aria-disabled={!inside(-1)} onClick={() => moved(-1)}>both one back</button>{" "}
            <button type="button" aria-disabled={!inside(1)} onClick={() => moved(1)}>both one on</button>
          </div>
        </div>
        <p class="seen">{seen({ scheme, d, d_model, table, head })}</p>
        {(scheme === "sinusoidal" || scheme === "rotary") && (
          <Clocks rows={rows} names={names} rounds={wavelengths(d_model)} roles={asked} scheme={scheme} />
        )}
        <Numbers {...{ rows, names, first, second, d, scheme, theme }} biases={HEADS.map((h) => biasAt(h, apart))} />
      </More>
      <Announcement text={told} />
    </div>
  );
}

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const SLOWEST = 60; // milliseconds for a step of a slide
const LONGEST = 2500; // for all of it
const STANDING = { on: false, by: 0, low: 0, high: 0 };

/**
 * Once the other pairs are to be seen, the two slide to all their places, and back to their own.
 * `by` is how far from there they are; `low` and `high` how far they have been.
 */
function useSlide({ pairs, first, second, n_positions: n, d_model, scheme, head, set }) {
  const [way, setWay] = useState(STANDING);
  const [asked, setAsked] = useState(0);
  const known = useRef(pairs);
  useEffect(() => {
    const due = pairs && !known.current && !CALM.matches;
    known.current = pairs;
    if (!due) return undefined;
    const [back, on] = [-Math.min(first, second), n - 1 - Math.max(first, second)];
    const steps = 2 * (on - back);
    const lasts = Math.min(LONGEST, SLOWEST * steps);
    const began = performance.now();
    const go = (now) => {
      const at = Math.round((steps * Math.max(0, now - began)) / lasts);
      if (at >= steps) return setWay(STANDING);
      const by = at < on ? at : at < 2 * on - back ? 2 * on - at : at - steps;
      setWay((old) => (old.on && old.by === by ? old : { on: true, by, low: Math.min(old.low, by), high: Math.max(old.high, by) }));
      frame = requestAnimationFrame(go);
    };
    let frame = requestAnimationFrame(go);
    setWay({ ...STANDING, on: true });
    return () => {
      cancelAnimationFrame(frame);
      setWay(STANDING);
    };
  }, [pairs, asked, first, second, n, d_model, scheme, head]);
  return {
    ...way,
    passed: (by) => !way.on || (by >= way.low && by <= way.high),
    go: () => {
      known.current = false;
      setAsked(asked + 1);
      set({ pairs: true });
    },
  };
}

/** What one sees of a scheme, in its numbers. */
function seen({ scheme, d, d_model, table, head }) {
  if (scheme === "alibi") return `No rows: for each step between query and key, head ${head} takes ${format(SLOPES[head], 4).replace(/0+$/, "")} off the score.`;
  if (scheme === "learned") {
    const part = table[0].length < d ? ` (the first ${table[0].length} are shown)` : "";
    const all = table.flat();
    return `Each position is a column of ${d} learned numbers${part}, from ${format(Math.min(...all))} to ${format(Math.max(...all))}.`;
  }
  const rounds = wavelengths(d_model);
  const last = rounds[rounds.length - 1];
  const slow = rounds.length > 1 ? `, the slowest after ${format(last, last < 100 ? 1 : 0)}` : "";
  const waves = `the fastest repeats after ${format(rounds[0], 1)} positions${slow}.`;
  return scheme === "rotary"
    ? `One key, turned by its position: its ${d} numbers are waves; ${waves}`
    : `Each position is a column of ${d} numbers, each a wave: ${waves}`;
}

/** All pairs that stand as the two do. */
function named({ apart, n, asked }) {
  const far = Math.abs(apart);
  if (!asked) return `${n} pairs that are ${far} apart`;
  return far ? `${n} pairs with the key ${far} ${apart < 0 ? "behind" : "ahead"}` : `${n} pairs at one place`;
}

/** What the two positions have, and, once that is to be seen, whether others that stand so have it too. */
function result({ scheme, first, second, apart, head, value, elsewhere, such, mirrored, all }) {
  const [low, high] = [Math.min(...elsewhere), Math.max(...elsewhere)];
  const others = high - low < ALIKE ? `, as for all ${such}.` : `; the ${such} have ${format(low)} to ${format(high)}.`;
  const end = elsewhere.length === 1 ? "; no other two stand so." : all ? others : ".";
  const far = Math.abs(apart);
  if (scheme === "sinusoidal" || scheme === "learned") return `Places ${first} and ${second} are ${far} apart: their columns are ${format(value)} alike${end}`;
  const placed = `Query at ${first}, key at ${second}: `;
  if (scheme === "alibi") return `${placed}head ${head} adds ${format(value)} to the score${end}`;
  const back = far && all ? ` With the key ${far} ${apart < 0 ? "ahead" : "behind"}, it is ${format(mirrored)}.` : "";
  return `${placed}query · key is ${format(value)}${end}${back}`;
}

/** The least and the largest number that any two positions can have, for an axis that stays. */
function reach(pair, scheme, n) {
  if (scheme === "alibi") return [biasAt(0, n - 1), 0];
  const all = scheme === "learned" ? upTo(n, (a) => upTo(n, (b) => pair(a, b))).flat() : upTo(n, (p) => [pair(0, p), pair(p, 0)]).flat();
  return [Math.min(0, ...all), Math.max(...all)];
}

// The picture

const EDGE = { left: 76, right: 18 };
const RAIL = 30; // the height of a position's rail
const APART = 50; // of the table's places and the bracket between table and curve
const CURVE = 116;
const COLUMN = 180; // the two columns, one number below another, with their names
const AXIS = 38;
const THUMB = 26;

/** All positions side by side; below them the two that are chosen, or how the first goes with each. */
function Stage({ table, rows, charted, d, curve, range, names, what, first, second, asked, such, dots, together, others, traced, hint, theme, large, set }) {
  const [frame, width] = useWidth(838);
  const drawing = useRef(null);
  const n = curve.length;
  const plot = width - EDGE.left - EDGE.right;
  const narrow = plot < 640; // no room for all that is said in a line
  const features = table ? table[0].length : 0;
  const heat = Math.round(Math.min(HIGHEST_ROW * features, HIGHEST) / (large ? 2 : 1));
  const top = 2 * RAIL + 4;
  const below = top + heat + APART; // where the curve begins
  const tall = table ? COLUMN - AXIS : CURVE; // as high with the columns as with the curve
  const height = below + tall + AXIS;
  const [low, high] = range[1] > range[0] ? range : [range[0] - 1, range[1] + 1];
  const column = plot / n;
  const most = useMemo(() => Math.max(...(table ?? []).flat().map(Math.abs), 1e-9), [table]);
  const x = (p) => EDGE.left + (p + 0.5) * column;
  const y = (value) => below + 16 + ((high - value) / (high - low)) * (tall - 16);
  const path = (values) => values.map((value, p) => `${x(p).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const axis = ticks(0, n - 1, width / 60).filter(Number.isInteger);
  const held = useRef(null); // what the hand has taken hold of, and where
  const placeOf = (event) => {
    const box = drawing.current.getBoundingClientRect();
    return ((event.clientX - box.left) * (width / box.width) - EDGE.left) / column - 0.5;
  };
  const kept = (place) => Math.max(0, Math.min(n - 1, Math.round(place)));
  const follow = (event) => {
    if (!held.current) return;
    const place = placeOf(event);
    if (held.current.both) {
      const [a, b] = held.current.both;
      const by = Math.max(-Math.min(a, b), Math.min(n - 1 - Math.max(a, b), Math.round(place - held.current.from)));
      if (a + by !== first) together(a + by - first);
    } else if (kept(place) !== (held.current.input === "first" ? first : second)) {
      set({ [held.current.input]: kept(place) });
    }
  };
  const take = (event) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const place = placeOf(event);
    const near = Math.abs(place - first) * column < 9 && Math.abs(place - first) < Math.abs(place - second);
    const both = event.target.closest?.(".apart") && [first, second];
    held.current = both ? { both, from: place } : { input: near ? "first" : "second" };
    follow(event);
  };
  const drop = () => (held.current = null);
  const value = curve[second];
  const late = x(second) > width - 130; // no room for words to its right
  const beyond = x(second) > width / 2; // the mark stands where these words would
  const [start, end] = [x(Math.min(first, second)), x(Math.max(first, second))];
  const tight = end - start < 84; // too near for the label between them
  const [beside, anchor] = !tight ? [(start + end) / 2, "middle"] : end < width - 90 ? [end + 8, "start"] : [start - 8, "end"];
  const colors = asked ? ["of-query", "of-key"] : ["of-first", "of-second"];
  const bar = top + heat + (table ? 40 : 24);
  const label = `↔ ${Math.abs(second - first)} apart${hint ? " · drag both" : ""}`;
  const framed = (nth) => table && (nth === 1 || !asked); // rotary's table holds keys
  return (
    <div ref={frame} class="stage" style={{ height: `${height}px` }}>
      {table && <Heat {...{ table, theme }} twoSided style={{ left: `${EDGE.left}px`, top: `${top}px`, width: `${plot}px`, height: `${heat}px` }} />}
      <svg
        ref={drawing}
        class="curve"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${what} over the places 0 to ${n - 1}: ${format(value)} at ${second}, from ${format(Math.min(...curve))} to ${format(Math.max(...curve))}. The sliders move the marks.`}
        onPointerDown={take}
        onPointerMove={follow}
        onPointerUp={drop}
        onPointerCancel={drop}
      >
        {table && [`${features < d ? `${features} of ` : ""}${d}`, "numbers", "a column"].map((words, k) => (
          <text key={k} class="soft" x={EDGE.left - 8} y={top + heat / 2 + 17 * k - 12} text-anchor="end">{words}</text>
        ))}
        {table && axis.map((tick) => (
          <text key={tick} class="soft" x={x(tick)} y={top + heat + 17} text-anchor="middle">{tick}</text>
        ))}
        {charted ? (
          <>
            {ticks(low, high, 4).map((tick) => (
              <g key={tick} class="grid">
                <line x1={EDGE.left} x2={width - EDGE.right} y1={y(tick)} y2={y(tick)} />
                <text class="soft" x={EDGE.left - 10} y={y(tick) + 4} text-anchor="end">{format(tick, high - low < 3 ? 1 : 0)}</text>
              </g>
            ))}
            {axis.map((tick) => (
              <text key={tick} class="soft" x={x(tick)} y={below + tall + 18} text-anchor="middle">{tick}</text>
            ))}
            <text class="soft" x={narrow ? EDGE.left : EDGE.left + plot / 2} y={below + tall + 34} text-anchor={narrow ? "start" : "middle"}>{narrow && dots ? "place" : "place in the sentence"}</text>
            {dots && (
              <text class="soft" x={width - EDGE.right} y={below + tall + 34} text-anchor="end"><tspan class={`bullet ${colors[1]}`}>● </tspan>{such}</text>
            )}
          </>
        ) : (
          <Pair {...{ rows, d, narrow, large, asked, colors, theme }} places={[first, second]} {...{ most, value, width }} least={Math.min(0, low)} y={below} room={COLUMN} />
        )}
        {others && HEADS.map((h) => <polyline key={h} class="other" points={path(curve.map((_, p) => biasAt(h, p - first)))} />)}
        {[first, second].map((place, nth) => (
          <g key={nth} class={`end ${colors[nth]} ${nth ? "dashed" : "solid"}`}>
            {framed(nth) && <rect class="rim" x={x(place) - column / 2 - 1.5} y={top - 1.5} width={column + 3} height={heat + 3} />}
            {framed(nth) && <rect x={x(place) - column / 2 - 1.5} y={top - 1.5} width={column + 3} height={heat + 3} />}
            <path
              d={`M${x(place)} ${RAIL * (nth + 0.5)}V${framed(nth) ? top - 1 : below}${framed(nth) ? `M${x(place)} ${top + heat + 1}` : ""}${charted ? `V${nth ? y(value) : below + tall}` : ""}`}
            />
          </g>
        ))}
        {charted && traced && <polyline class="main" points={path(curve)} />}
        {charted && dots && <path class={`dots ${colors[1]}`} d={dots.map(([p, v]) => `M${x(p).toFixed(1)} ${y(v).toFixed(1)}h.01`).join("")} />}
        {charted && (
          <>
            {!asked && Object.entries(ENDS).map(([end, words]) => (
              <text key={end} class="halo soft" x={beyond ? EDGE.left + 6 : width - EDGE.right} y={y(Number(end)) - 5} text-anchor={beyond ? "start" : "end"}>{words}</text>
            ))}
            <text class="soft" x={4} y={below + 4}>{asked ? what.split(" of ")[0] : "how alike"}</text>
            <circle class={`mark ${colors[1]}`} cx={x(second)} cy={y(value)} r={7} />
            <text class="halo result" x={x(second) + (late ? -13 : 13)} y={y(value) + (y(value) > below + 42 ? -11 : 26)} text-anchor={late ? "end" : "start"}><tspan class="value">{format(value)}</tspan>{!asked && " alike"}</text>
          </>
        )}
        <g class="apart">
          <rect x={start - 22} y={bar - 20} width={end - start + 44} height={28} />
          <path d={`M${x(first)} ${bar - 6}V${bar + 6}M${x(second)} ${bar - 6}V${bar + 6}M${x(first)} ${bar}H${x(second)}`} />
          <text class="halo" x={beside} y={tight ? bar + 4 : bar - 8} text-anchor={anchor}>{label}</text>
        </g>
      </svg>
      {["first", "second"].map((input, nth) => (
        <div key={input} class={`rail ${colors[nth]}`} style={{ top: `${nth * RAIL}px` }}>
          <span class="name" aria-hidden="true">{names[nth]}</span>
          <input
            type="range"
            aria-label={asked ? `${names[nth]}'s position` : `${names[nth]} position`}
            style={{ left: `${x(0) - THUMB / 2}px`, width: `${plot - column + THUMB}px` }}
            min={0}
            max={n - 1}
            value={nth ? second : first}
            aria-valuetext={String(nth ? second : first)}
            onInput={(event) => set({ [input]: event.currentTarget.valueAsNumber })}
          />
          <span class="bubble" aria-hidden="true" style={{ left: `${x(nth ? second : first)}px` }}>{nth ? second : first}</span>
        </div>
      ))}
    </div>
  );
}
