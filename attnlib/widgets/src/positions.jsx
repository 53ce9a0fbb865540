// Two places to move, and what a scheme makes of them: hands on clocks, or a line over all places.

import { useMemo } from "preact/hooks";
import { positions } from "../../pictures/shared.json";
import { alibiSlopes, dot, normals, rotate, wavelengths } from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import OWN from "./positions.css";
import STAGE from "./stage.css";
import { Announcement, Choice, asked, filled, format, ticks } from "./parts.jsx";

export const style = STAGE + OWN;
export const traits = ["learned", "n_positions", "d_model", "first", "second", "scheme", "head"];

const { N_HEADS, SEED, STORY, WHY, ROUND, CLOCK } = positions;
const HEADS = Array.from({ length: N_HEADS }, (_, h) => h);
const SLOPES = alibiSlopes(N_HEADS);

const upTo = (n, make) => Array.from({ length: n }, (_, k) => make(k));
const biasAt = (head, distance) => -SLOPES[head] * Math.abs(distance) + 0;

/** The two features of each clock. */
const pairsOf = (row) => upTo(row.length / 2, (i) => row.slice(2 * i, 2 * i + 2));

/** Hands before their places turn them, those of the first and of the second; `way` is clockwise or -1. */
function turning(ends, way, share) {
  const products = (a, b) => {
    const [first, second] = [a, b].map((place, nth) => pairsOf(rotate(ends[nth], -way * place)));
    return first.map((hand, i) => dot(hand, second[i]));
  };
  return { ends, way, products, pair: (a, b) => share * products(a, b).reduce((sum, x) => sum + x, 0) };
}

/** Of a scheme: the number that it has for two places, and its hands, where it has some. */
const MADE = {
  sinusoidal({ d_model: d }) {
    const up = upTo(d, (f) => f % 2);
    return turning([up, up], 1, 2 / d);
  },
  rotary({ d_model: d }) {
    const numbers = Array.from(normals(2 * d, SEED));
    return turning([numbers.slice(0, d), numbers.slice(d)], -1, 1);
  },
  learned({ learned }) {
    const cosines = learned.map((row) => row.split(" ").map((x) => x / 10000));
    return { pair: (a, b) => cosines[Math.max(a, b)][Math.min(a, b)] };
  },
  alibi: ({ head }) => ({ pair: (a, b) => biasAt(head, b - a) }),
};

export function measured(state) {
  const { first, second, scheme } = state;
  return { first, second, similarity: MADE[scheme](state).pair(first, second) };
}

export function missing({ name, is, least, most, state: { first, second } }) {
  if (name === "similarity") return `at ${first} and ${second} it is ${format(is)}; ${asked(least, most)} is asked`;
  return `the ${name} is at ${is}; ${asked(least, most, { counted: true })} is asked`;
}

const EDGE = { left: 76, right: 18 };
const RAIL = 30; // the height of a rail
const THUMB = 26;

export function View(state) {
  const { learned, n_positions: n, d_model, scheme, head, first, second, set } = state;
  const made = useMemo(() => MADE[scheme]({ learned, d_model, head }), [learned, d_model, scheme, head]);
  const [frame, width] = useWidth(838);
  const plot = width - EDGE.left - EDGE.right;
  const x = (p) => EDGE.left + ((p + 0.5) * plot) / n;
  const asked = scheme === "rotary" || scheme === "alibi"; // a query at the first, a key at the second
  const roles = asked ? ["query", "key"] : ["first", "second"];
  const [low, apart] = [Math.min(first, second), Math.abs(second - first)];
  const told = filled(STORY[scheme], { first, second, apart, head, value: format(made.pair(first, second)) });
  const rails = [
    { name: roles[0], at: first, most: n - 1, move: (place) => ({ first: place }) },
    { name: roles[1], at: second, most: n - 1, move: (place) => ({ second: place }) },
    { name: "both", at: low, most: n - 1 - apart, move: (place) => ({ first: first + place - low, second: second + place - low }) },
  ];
  return (
    <>
      <p class="story">{told}</p>
      <p class="note">{WHY[scheme]}</p>
      {scheme === "alibi" && <Choice label="head" options={HEADS} value={head} onChange={(chosen) => set({ head: chosen })} />}
      <div ref={frame} class="stage" style={{ height: `${RAIL * rails.length}px` }}>
        <span class="bar" style={{ top: `${2.5 * RAIL - 6}px`, left: `${x(low)}px`, width: `${x(low + apart) - x(low)}px` }} />
        {rails.map(({ name, at, most, move }, nth) => {
          const by = nth === 2 ? apart / 2 : 0; // both are held in the middle
          return (
            <div key={nth} class={`rail of-${name}`} style={{ top: `${nth * RAIL}px` }}>
              <span class="name" aria-hidden="true">{name}</span>
              <input
                type="range"
                aria-label={name}
                aria-valuetext={nth === 2 ? `${first}, ${second}` : `${at}`}
                style={{ left: `${x(by) - THUMB / 2}px`, width: `${x(by + most) - x(by) + THUMB}px` }}
                min={0}
                max={most}
                value={at}
                onInput={(event) => set(move(event.currentTarget.valueAsNumber))}
              />
              <span class="bubble" aria-hidden="true" style={{ left: `${x(by + at)}px` }}>{nth === 2 ? "↔" : at}</span>
            </div>
          );
        })}
      </div>
      {made.ends ? <Clocks {...{ made, scheme, roles, rounds: wavelengths(d_model) }} places={[first, second]} /> : <Line {...{ made, n, scheme, first, second, width, x, role: roles[1] }} />}
      <Announcement text={told} />
    </>
  );
}

const FULL = 2 * Math.PI;

/** A clock for each pair of features, with a hand of either place; fast ones first. */
function Clocks({ made: { ends, way, products }, places, scheme, roles, rounds }) {
  const hands = ends.map(pairsOf);
  const longest = Math.max(...hands.flat().map(([right, up]) => Math.hypot(right, up)));
  const values = products(...places);
  return (
    <ol class="clocks" aria-label="clocks">
      {rounds.map((round, i) => {
        const turns = places.map((place, nth) => Math.atan2(...hands[nth][i]) + (way * FULL * place) / round);
        const between = turns[1] - turns[0] - FULL * Math.round((turns[1] - turns[0]) / FULL);
        const turned = (nth) => ({ transform: `rotate(${turns[nth].toFixed(4)}rad)` });
        return (
          <li key={i}>
            <span class="note">{filled(ROUND, { places: format(round, round < 100 ? 1 : 0) })}</span>
            <svg viewBox="-26 -26 52 52" aria-hidden="true">
              <circle class="dial" r={25} />
              <path class="between" style={turned(0)} d={`M0 0V-13A13 13 0 0 ${between > 0 ? 1 : 0} ${(13 * Math.sin(between)).toFixed(2)} ${(-13 * Math.cos(between)).toFixed(2)}Z`} />
              {hands.map((of, nth) => {
                const tip = (-23 * Math.hypot(...of[i])) / longest;
                return (
                  <g key={nth} class={`hand of-${roles[nth]}`} style={turned(nth)}>
                    <line y2={tip} />
                    <circle cy={tip} r={nth ? 2 : 3} />
                  </g>
                );
              })}
            </svg>
            <b>{filled(CLOCK[scheme], { value: format(values[i]) })}</b>
          </li>
        );
      })}
    </ol>
  );
}

const [TOP, HIGH, AXIS] = [20, 150, 38];

/** What the first place has with each place, below the rails of both; the second has its mark. */
function Line({ made: { pair }, n, scheme, first, second, width, x, role }) {
  const [low, high] = useMemo(() => reach(pair, scheme, n), [pair, scheme, n]);
  const y = (value) => TOP + ((high - value) / (high - low || 1)) * HIGH;
  const path = (of) => upTo(n, (p) => `${x(p).toFixed(1)},${y(of(p)).toFixed(1)}`).join(" ");
  return (
    <svg class="curve" viewBox={`0 0 ${width} ${TOP + HIGH + AXIS}`} aria-hidden="true">
      {ticks(low, high, 4).map((tick) => (
        <g key={tick} class="grid">
          <line x1={EDGE.left} x2={width - EDGE.right} y1={y(tick)} y2={y(tick)} />
          <text class="soft" x={EDGE.left - 10} y={y(tick) + 4} text-anchor="end">{format(tick, high - low < 3 ? 1 : 0)}</text>
        </g>
      ))}
      {ticks(0, n - 1, width / 60).filter(Number.isInteger).map((tick) => (
        <text key={tick} class="soft" x={x(tick)} y={TOP + HIGH + 20} text-anchor="middle">{tick}</text>
      ))}
      <text class="soft" x={x((n - 1) / 2)} y={TOP + HIGH + 36} text-anchor="middle">place</text>
      {scheme === "alibi" && HEADS.map((h) => <polyline key={h} class="other" points={path((p) => biasAt(h, p - first))} />)}
      <polyline points={path((p) => pair(first, p))} />
      <circle class={`of-${role}`} cx={x(second)} cy={y(pair(first, second))} r={7} />
    </svg>
  );
}

/** The least and the largest number that any two places can have, for an axis that stays. */
function reach(pair, scheme, n) {
  if (scheme === "alibi") return [biasAt(0, n - 1), 0];
  const all = upTo(n, (a) => upTo(a + 1, (b) => pair(a, b))).flat();
  return [Math.min(0, ...all), Math.max(...all)];
}
