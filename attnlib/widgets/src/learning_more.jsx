/** @jsxRuntime classic @jsx createElement @jsxFrag Fragment */ // is shorter; it takes no trait called "key"
// What `Learning` holds folded: the votes, the curves, and the weights of all words.

import { Fragment, createElement } from "preact";
import { useMemo } from "preact/hooks";
import { learning } from "../../pictures/shared.json";
import { useWidth } from "./mount.jsx";
import { Matrix, format, ticks } from "./parts.jsx";

export const MOST_LISTED = 16; // words; of more, those that are asked or looked at
export const HEAD = 26; // what stands above the words, and a curve's name
export const AXIS = 38; // the numbers of the steps
export const RIGHT = 16;
const CURVE = 58;
const { WIDER } = learning; // where later steps lie farther apart than they are drawn
const TITLE = 280; // pixels that the whole title of the accuracy needs, in a wide font

export const range = (n) => Array.from({ length: n }, (_, i) => i);
export const sort = (verb) => (verb > 0.5 ? "verb" : "noun");
export const isRight = (truth, verb) => verb !== 0.5 && verb > 0.5 === (truth === 1);

/** Some of the steps, by their numbers, and below them what they are. */
export function Ticks({ steps, axis: { left, right, n, x }, y }) {
  return (
    <>
      {apart(n, (right - left) / 52).map((k) => (
        <text key={k} class="soft" x={x(k)} y={y} text-anchor="middle">{steps[k]}</text>
      ))}
      <text class="soft" x={right} y={y + 16} text-anchor="end">training step{n > 2 && steps[1] - steps[0] < steps[n - 1] - steps[n - 2] && WIDER}</text>
    </>
  );
}

// Whether it gets better

export function Curves({ record, steps, at, seed, curves }) {
  const [frame, width] = useWidth(440);
  const [left, right, n] = [74, width - RIGHT, steps.length];
  const axis = { left, right, n, x: (k) => left + ((k + 0.5) * (right - left)) / n };
  const tops = { accuracy: HEAD, loss: 2 * HEAD + CURVE };
  const low = tops.loss + CURVE;
  const bounds = useMemo(() => reach(record), [record]);
  const said = `loss ${format(curves.loss[seed][at])}, accuracy on unseen sentences ${format(curves.accuracy[seed][at], 3)}`;
  return (
    <div class="curves" ref={frame}>
      <svg class="curve" viewBox={`0 0 ${width} ${low + AXIS}`} role="img" aria-label={`Curves of accuracy and loss over ${n} steps, of all seeds. At step ${steps[at]}: ${said}.`}>
        {Object.entries(tops).map(([what, top]) => (
          <Curve key={what} {...{ what, top, left, right, seed, at }} x={axis.x} bounds={bounds[what]} seeds={curves[what]} />
        ))}
        <Ticks {...{ steps, axis }} y={low + 18} />
        <path class="cursor" d={`M${axis.x(at)} ${tops.accuracy}V${low}`} />
      </svg>
    </div>
  );
}

/** Axes that stay, whichever model is chosen: accuracy from chance, loss from 0. */
function reach({ accuracy, loss }) {
  const all = (curves) => Object.values(curves).flat(2);
  return { accuracy: [Math.min(0.5, ...all(accuracy)), 1], loss: [0, Math.max(...all(loss)) || 1] };
}

function Curve({ what, top, left, right, x, seed, seeds, at, bounds: [low, high] }) {
  const y = (value) => top + ((high - value) / (high - low)) * CURVE;
  const path = (values) => values.map((value, k) => `${x(k).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const value = seeds[seed][at];
  const unseen = right - left < TITLE ? "(unseen)" : "on unseen sentences";
  const marks = what === "accuracy" ? [0.5, 0.75, 1] : ticks(low, high, 3);
  const lines = useMemo(() => (
    <>
      {marks.map((mark) => (
        <g key={mark} class="grid">
          <line x1={left} x2={right} y1={y(mark)} y2={y(mark)} />
          <text class="soft" x={left - 8} y={y(mark) + 4} text-anchor="end">{what === "accuracy" && mark === 0.5 ? "chance 0.5" : mark}</text>
        </g>
      ))}
      {seeds.map((values, s) => s !== seed && <polyline key={s} class="other" points={path(values)} />)}
      <polyline points={path(seeds[seed])} />
    </>
  ), [seeds, seed, left, right, top, low, high]);
  return (
    <>
      {lines}
      <text class="halo name" x={left} y={top - 9}>{what === "accuracy" ? `accuracy ${format(value, 3)} ${unseen}` : `loss ${format(value)}`}</text>
      <circle class="mark" cx={x(at)} cy={y(value)} r={5} />
    </>
  );
}

/** At most so many of n places, as far apart from the first on; between the last two lies more where that is left. */
function apart(n, most) {
  const by = Math.max(1, Math.ceil((n - 1) / Math.max(1, Math.floor(most) - 1)));
  return [...range(n).filter((k) => k % by === 0 && k + by < n), n - 1];
}

// What each word votes for, and what comes of it

export function Votes({ words, truth, word, seen, step, verb, votes }) {
  return (
    <div class="votes">
      <p class="title">At step {step}, from <span class="as-verb">verb</span> to <span class="as-noun">noun</span></p>
      <ul aria-label="what each word votes for">
        {seen.map((j) => (
          <li key={j}>
            <bdi>{words[j]}</bdi>
            <span class="split" aria-hidden="true"><span style={{ width: `${100 * votes[j]}%` }} /></span>
            <span>votes {votes[j] === 0.5 ? "neither" : sort(votes[j])} {format(Math.max(votes[j], 1 - votes[j]))}</span>
          </li>
        ))}
      </ul>
      <ul aria-label="what each ambiguous word is taken for">
        {seen.filter((i) => truth[i] >= 0).map((i) => (
          <li key={i} class={`${i === word ? "chosen" : ""} ${isRight(truth[i], verb[i]) ? "" : "wrong"}`}>
            <bdi>{words[i]}</bdi>
            <span class="unseen">, word {i}: </span>
            <span class="split" aria-hidden="true"><span style={{ width: `${100 * verb[i]}%` }} /></span>
            <span>is taken for {verb[i] === 0.5 ? "none" : sort(verb[i])} {format(Math.max(verb[i], 1 - verb[i]))}</span>
            <span aria-hidden="true">{isRight(truth[i], verb[i]) ? "✓" : "✗"}</span>
            <span class="unseen">{isRight(truth[i], verb[i]) ? "right" : "wrong"}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

// The weights of all words

export function All({ words, word, step, rows, theme }) {
  const [frame, width] = useWidth(380);
  const letters = Math.min(12, Math.max(...words.map((one) => one.length)));
  const cell = Math.floor((width - Math.max(70, 6.5 * letters + 24)) / words.length) - 1;
  return (
    <div class={words.length > MOST_LISTED ? "all tight" : "all"} ref={frame} style={{ "--cell": `${Math.min(38, cell)}px` }}>
      <p class="title">All words at step {step}</p>
      <Matrix
        said="weights: rows are queries, columns are keys"
        values={rows}
        rows={words}
        columns={words}
        corner={<>query ↓<br />key →</>}
        row={word}
        theme={theme}
        dense={cell < 24}
        say={(x) => (x > 0 ? format(x, cell < 28 ? 1 : 2) : "")}
      />
    </div>
  );
}
