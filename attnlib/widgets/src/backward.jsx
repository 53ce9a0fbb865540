/** @jsxRuntime classic @jsx createElement @jsxFrag Fragment */ // is shorter; it takes no trait called "key"
// A nudge on its way to the loss, and the slopes that come back along the same routes.

import { Fragment, createElement } from "preact";
import { useId } from "preact/hooks";
import { backward } from "../../pictures/shared.json";
import { mix, slopesBack, softmax, softmaxSlopes, surprise } from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Verdict, answered, asked, filled, format, ticks, unhidden } from "./parts.jsx";

export { default as style } from "./backward.css";
export const traits = ["scores", "value", "words", "votes", "right", "number", "nudge"];

const { FARTHEST, HEADS, AXES, NUMBERS, SLOPE, STORY, REST, HIDDEN } = backward;
const STEP = 0.05; // of the nudge
const signed = (slope) => (Math.abs(slope) < 1e-9 ? "" : slope < 0 ? "falls" : "rises"); // sums round

/** The layer of the number that is nudged, from the scores on, and its row there. */
function placeOf({ words, number }) {
  const layer = Math.min(2, Math.floor(number / words.length));
  return [layer, number - layer * words.length];
}

/** Scores, weights and votes, and in a row of its own the loss, after such a nudge. */
function layersOf({ scores, value, words, right, number }, nudge = 0) {
  const [at, row] = placeOf({ words, number });
  const steps = [softmax, (weights) => mix([weights], value)[0], (output) => [surprise(output, right)]];
  const layers = [unhidden(scores)];
  steps.forEach((step, layer) => {
    if (layer === at) layers[layer] = layers[layer].map((x, i) => (i === row ? x + nudge : x));
    layers.push(step(layers[layer]));
  });
  return layers;
}

/** Where nothing is nudged: the layers, the local slopes from each to the next, and the slopes of each. */
function graphOf(state) {
  const layers = layersOf(state);
  const [, weights, output] = layers;
  const gradOutput = softmax(output).map((p, c) => p - (c === state.right));
  const local = [softmaxSlopes(weights), state.value, gradOutput.map((slope) => [slope])];
  const gradWeights = slopesBack(local[1], gradOutput);
  return { layers, local, slopes: [slopesBack(local[0], gradWeights), gradWeights, gradOutput, [1]] };
}

/** What a goal can ask about: all that follows, and what is nudged by how much. */
export function measured(state) {
  const { number, nudge } = state;
  const { layers, slopes } = graphOf(state);
  const [at, row] = placeOf(state);
  const [, weights, output, [loss]] = layers;
  const [grad_scores, grad_weights, grad_output] = slopes;
  const slope = slopes[at][row];
  const change = layersOf(state, nudge)[3][0] - loss;
  return { weights, output, grad_output, grad_weights, grad_scores, loss, slope, promised: slope * nudge, change, number, nudge };
}

/** What is missing, in the widget's own words. */
export function missing({ name, place, is, least, most }) {
  if (name === "number") return "Another number is to be nudged: press it.";
  const what = { change: "The loss moves by", nudge: "The nudge is" }[name] ?? `${[name, ...place].join(" ")} is`;
  return `${what} ${format(is)}; ${asked(least, most)} is asked.`;
}

export function View(props) {
  const { scores, words, votes, right, number, nudge, large, set } = props;
  const { layers, local, slopes } = graphOf(props);
  const own = answered(props)?.grad_scores.map(Number);
  const shown = own ? [own, ...slopes.slice(1)] : slopes;
  const now = layersOf(props, nudge);
  const [at, row] = placeOf(props);
  const names = [words, words, votes, [""]];
  const [slope, loss, moved] = [shown[at][row], layers[3][0], now[3][0]];
  const word = names[at][row];
  const [change, promised] = [moved - loss, slope * nudge];
  const numbers = { nudge, change, slope, promised, loss, miss: Math.abs(promised - change) };
  const told = { word, ...Object.fromEntries(Object.entries(numbers).map(([name, x]) => [name, format(x)])) };
  const hidden = at === 0 && scores[row] === null;
  const said = filled(hidden ? HIDDEN : nudge ? STORY[at] : REST, told);
  const back = () => {
    const next = at === 0 ? 2 * words.length + right : (at - 1) * words.length + Math.min(row, words.length - 1);
    set({ number: next });
  };
  return (
    <>
      <p class="story">{said}</p>
      <div class="backward">
        <div>
          <Graph {...{ names, layers, now, local, shown, at, row, number, large, set }} />
          <p class="note">
            <button type="button" onClick={back}>{at ? "← one step back" : "begin again at the loss"}</button>
            Press a number to nudge it. Below it stands its slope.
          </p>
        </div>
        <Curve {...{ loss, slope, moved, nudge, set }} lossAt={(by) => layersOf(props, by)[3][0]} />
        <Routes {...{ names, local, slopes, at, row, own }} />
      </div>
      <Verdict {...props} />
      <Announcement text={said} />
    </>
  );
}

/** The numbers, each with its slope as far as one is back, and the routes between them; one is pressed. */
function Graph({ names, layers, now, local, shown, at, row, number, large, set }) {
  const [element, width] = useWidth(560);
  const group = useId();
  const [high, head] = [large ? 70 : 62, 24];
  const box = Math.max(60, Math.min(100, Math.round(0.17 * width)));
  const left = (layer) => (layer * (width - box)) / 3;
  const most = Math.max(...names.map((of) => of.length));
  const middle = (layer, i) => head + high * ((most - names[layer].length) / 2 + i + 0.5);
  const first = [0, names[0].length, 2 * names[0].length];
  const sized = (layer, i) => ({ left: `${left(layer)}px`, top: `${middle(layer, i) - high / 2 + 3}px`, width: `${box}px`, height: `${high - 6}px` });
  const steepest = Math.max(...local[at][row].map(Math.abs), 1e-9);
  const roomy = width >= 440;
  return (
    <fieldset ref={element} class="graph" style={{ height: `${head + high * most}px` }}>
      <legend class="unseen">the number to nudge</legend>
      <svg style={{ height: `${head + high * most}px` }} aria-hidden="true">
        {local.flatMap((rows, layer) => rows.flatMap((slopes, i) => slopes.map((slope, j) => {
          const lit = layer === at && i === row;
          const kind = lit ? signed(slope) : layer > at ? "after" : "";
          const ends = { x1: left(layer) + box, y1: middle(layer, i), x2: left(layer + 1), y2: middle(layer + 1, j) };
          return <line key={`${layer} ${i} ${j}`} class={kind} {...ends} stroke-width={lit ? 1 + (5 * Math.abs(slope)) / steepest : 1} />;
        })))}
        {roomy && local[at][row].map((slope, j) => (
          <text key={j} class="halo" x={left(at + 1) - 6} y={middle(at + 1, j) + 4} text-anchor="end">{format(slope)}</text>
        ))}
      </svg>
      {HEADS.map((name, layer) => <span key={name} class="head" style={{ left: `${left(layer)}px`, width: `${box}px` }} aria-hidden="true">{name}</span>)}
      {first.flatMap((from, layer) => names[layer].map((name, i) => {
        const told = layer < at ? "" : filled(SLOPE, { slope: format(shown[layer][i]) });
        const place = from + i;
        const changed = now[layer][i] - layers[layer][i] || 0; // of what is hidden it is nan
        return (
          <label key={place} class={place === number ? "chosen" : ""} style={sized(layer, i)}>
            <input
              class="over"
              type="radio"
              name={group}
              checked={place === number}
              aria-label={[filled(NUMBERS[layer], { word: name }), format(now[layer][i]), told].filter(Boolean).join(", ")}
              onChange={() => set({ number: place })}
            />
            <bdi title={name}>{name}</bdi>
            <span class={Math.abs(changed) > 0.005 ? "moved" : ""}>{format(now[layer][i])}</span>
            <span class={`slope ${signed(shown[layer][i])}`}>{roomy || layer < at ? told : format(shown[layer][i])}</span>
          </label>
        );
      }))}
      <p class="loss" style={sized(3, 0)}><span class="unseen">{HEADS[3]}</span>{format(now[3][0])}</p>
    </fieldset>
  );
}

/** The loss over the nudge, and the slope as a straight line that touches it; a slider lies over them. */
function Curve({ loss, slope, moved, nudge, lossAt, set }) {
  const [element, width] = useWidth(300);
  const [left, right, ceiling, floor] = [40, width - 14, 12, 176];
  const nudges = Array.from({ length: 61 }, (_, k) => (k / 30 - 1) * FARTHEST);
  const losses = nudges.map(lossAt);
  const most = FARTHEST * Math.abs(slope);
  const [low, top] = [Math.min(0, loss - most), 1.05 * Math.max(...losses, loss + most, 0.01)];
  const x = (by) => left + ((by + FARTHEST) / (2 * FARTHEST)) * (right - left);
  const y = (of) => floor - ((of - low) / (top - low)) * (floor - ceiling);
  const line = (by) => loss + slope * by;
  return (
    <div ref={element} class="curve">
      <svg viewBox={`0 0 ${width} ${floor + 46}`} style={{ height: `${floor + 46}px` }} aria-hidden="true">
        {[-3, -2, -1, 0, 1, 2, 3].map((by) => (
          <g key={by}>
            <line class="axis" x1={x(by)} x2={x(by)} y1={floor} y2={floor + 5} />
            <text class="soft" x={x(by)} y={floor + 20} text-anchor="middle">{format(by, 0)}</text>
          </g>
        ))}
        {ticks(low, top, 4).map((of) => <text key={of} class="soft" x={left - 6} y={y(of) + 4} text-anchor="end">{format(of, top - low > 4 ? 0 : 1)}</text>)}
        <path class="axis" d={`M${left},${ceiling}V${floor}H${right}M${left},${y(0)}H${right}`} />
        <line class="touches" x1={x(-FARTHEST)} y1={y(line(-FARTHEST))} x2={x(FARTHEST)} y2={y(line(FARTHEST))} />
        <polyline points={nudges.map((by, k) => `${x(by)},${y(losses[k])}`).join(" ")} />
        <line class="misses" x1={x(nudge)} x2={x(nudge)} y1={y(moved)} y2={y(line(nudge))} />
        <circle cx={x(nudge)} cy={y(moved)} r={8} />
        <text class="soft" x={(left + right) / 2} y={floor + 40} text-anchor="middle">{AXES[0]}: {format(nudge)}</text>
        <text class="soft" x={left + 6} y={ceiling + 4}>{AXES[1]}</text>
      </svg>
      <input
        type="range"
        min={-FARTHEST}
        max={FARTHEST}
        step={STEP}
        value={nudge}
        aria-label={AXES[0]}
        aria-valuetext={format(nudge)}
        style={{ left: `${left - 8}px`, width: `${right - left + 16}px`, height: `${floor}px` }}
        onInput={(event) => set({ nudge: event.currentTarget.valueAsNumber })}
      />
    </div>
  );
}

/** The routes from the number to the loss: the local slope of each, times the slope where it leads. */
const Routes = ({ names, local, slopes, at, row, own }) => (
  <div style={{ minHeight: `${1.4 * (Math.max(...names.map((of) => of.length)) + 2)}em` }}>
    <table class="routes">
      <thead>
        <tr>
          <th scope="col">route through</th>
          <th scope="col">local slope</th>
          <th scope="col">· slope there</th>
          <th scope="col">=</th>
        </tr>
      </thead>
      <tbody>
        {local[at][row].map((slope, j) => (
          <tr key={j}>
            <th scope="row"><bdi>{names[at + 1][j] || HEADS[3]}</bdi></th>
            <td>{format(slope)}</td>
            <td>{format(slopes[at + 1][j])}</td>
            <td>{format(slope * slopes[at + 1][j])}</td>
          </tr>
        ))}
        <tr class="sum">
          <th scope="row" colSpan={3}>added up: the slope</th>
          <td>{format(slopes[at][row])}</td>
        </tr>
        {own && at === 0 && (
          <tr class={Math.abs(own[row] - slopes[0][row]) < 1e-6 ? "" : "wrong"}>
            <th scope="row" colSpan={3}>your function says</th>
            <td>{format(own[row])}</td>
          </tr>
        )}
      </tbody>
    </table>
  </div>
);
