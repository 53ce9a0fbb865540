// Three networks side by side, and the news of one word that goes through them: a lane has the words
// from above, and its steps from left to right. What arrives of the word at last is folded.

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { reach } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import { causalMask, convolutionWeights, fullMask, maskedWeights, mix, normals, sigmoid, windowMask } from "./arithmetic.js";
import FOLDED from "./more.css";
import { More } from "./more.jsx";
import { calm } from "./motion.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Choice, Slider, asked, format, widest } from "./parts.jsx";
import OWN from "./reach.css";

export const style = FOLDED + OWN;
export const traits = ["words", "word", "kind", "width", "depth", "gate_bias", "sharpness", "scores"];

const { KINDS, DECAY, SEED, MOST_DEPTH, MOST_WIDTH, MOST_BIAS, MOST_SHARP, FEW } = reach;
const NAMES = Object.keys(KINDS);
const CHAINS = ["recurrent", "gated"];
const LOCAL = ["convolution", "windowed"]; // kinds of which a layer sees only so far
const BACK = ["recurrent", "gated", "causal"]; // kinds that hear only what comes before
const LOOKS = ["attention", "causal", "windowed"];
const LANES = [CHAINS, ["convolution"], LOOKS];
const HANDED_ON = "One state is handed on from word to word: each step waits for the one before.";
const PASSED = "drag: each layer is a step, and passes on what it heard";
const HINTS = {
  recurrent: HANDED_ON,
  gated: HANDED_ON,
  convolution: PASSED,
  windowed: PASSED,
  attention: "Every word looks at every word, all at once.",
  causal: "Every word looks at all that came before it, all at once.",
};
const PACE = 350; // milliseconds that the news takes for a step

const upTo = (n) => Array.from({ length: n }, (_, i) => i);
const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

export const measured = (state) => ({ shares: sharesOf(state), waits: waitsOf(state) });

export const missing = ({ name, place: [i, j], is, least, most, state: { words, kind } }) => {
  if (name === "waits") {
    // How many it takes would be the answer.
    const then = most !== null && is > most ? "fewer will do" : LOCAL.includes(kind) ? "more are asked" : "choose a kind that has layers to add";
    return `${counted(is, "step")} one after another: ${then}`;
  }
  const ends = is < least && least < FEW ? "more" : asked(least, most, { share: true });
  const [to, from] = [i, j].map((k) => `“${named(words[k], k, words)}”`);
  return is > 0 ? `${to} has ${brief(is)} of ${from}; ${ends} is asked` : `${to} does not hear of ${from} yet`;
};

export function View(props) {
  const { words, word, kind, width, depth, gate_bias, sharpness, scores } = props;
  const n = words.length;
  const [stopped, setStopped] = useAfresh(null); // the step that is shown; null: all are done
  const [playing, setPlaying] = useAfresh(false);
  const names = useMemo(() => words.map((name, i) => named(name, i, words)), [words]);
  const lanes = LANES.map((kinds) => {
    const lane = { ...props, n, kind: kinds.includes(kind) ? kind : kinds[0] };
    return { ...lane, waits: waitsOf(lane) };
  });
  const most = Math.max(...lanes.map(({ waits }) => waits));
  const at = Math.min(stopped ?? most, most);
  const go = (step) => setStopped(step < most ? step : null);
  useLayoutEffect(() => { // at once: a step that fell due after Pause would still be taken
    if (!playing) return undefined;
    if (at === most) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => go(at + 1), PACE);
    return () => clearTimeout(timer);
  }, [playing, at]);
  const set = (patch) => { // what the hand changes shows at once
    setPlaying(false);
    setStopped(null);
    props.set(patch);
  };
  const send = () => {
    setStopped(0);
    setPlaying(true);
  };
  const press = (j) => {
    if (j !== word) props.set({ word: j });
    if (calm()) setStopped(null);
    else send();
  };
  const play = () => (playing ? setPlaying(false) : at === most ? send() : setPlaying(true));
  const shares = useMemo(() => lanes.map((lane) => sharesOf(lane).map((row) => row[word])), [words, word, kind, width, depth, gate_bias, sharpness, scores]);
  const shown = { names, n, word, at, lanes };
  const lane = lanes.find((one) => one.kind === kind);
  const said = told(lane, names);
  return (
    <div class="reaching">
      <p class="story">{said}</p>
      <div class="controls knobs">
        <button type="button" onClick={play}><span aria-hidden="true">{playing ? "❚❚ " : "▸ "}</span>{playing ? "Pause" : "Play"}</button>
        <Slider
          label="step"
          value={at}
          min={0}
          max={most}
          say={String}
          onInput={(step) => {
            setPlaying(false);
            go(step);
          }}
        />
        {LOCAL.includes(kind) && (
          <Slider label="layers (depth)" value={depth} min={1} max={MOST_DEPTH} say={String} onInput={(x) => set({ depth: x })} />
        )}
        <p class="note">{HINTS[kind]}</p>
      </div>
      <Lanes {...shown} kind={kind} choose={(chosen) => set({ kind: chosen })} press={press} />
      <More title="how much arrives, other kinds, width">
        <p>{amount(lane, names, shares[lanes.indexOf(lane)])}</p>
        <Amounts {...shown} shares={shares} />
        <div class="controls">
          {kind === "gated" && (
            <Slider label="gate bias" value={gate_bias} min={0} max={MOST_BIAS} step={0.25} onInput={(x) => set({ gate_bias: x })} />
          )}
          {LOOKS.includes(kind) && (
            <Slider label="sharpness" value={sharpness} min={0} max={MOST_SHARP} step={0.5} say={(x) => format(x, 1)} onInput={(x) => set({ sharpness: x })} />
          )}
          <Choice label="kind" options={NAMES} names={Object.values(KINDS)} value={kind} onChange={(chosen) => set({ kind: chosen })} />
          <Slider label="width" value={width} min={3} max={MOST_WIDTH} step={2} say={String} onInput={(x) => set({ width: x })} />
        </div>
      </More>
      <Announcement text={at < most ? lanes.map((one) => heading(one, at).join(": ")).join(". ") : said} />
    </div>
  );
}

/** A word as it is called here: with its place, where it stands twice or is empty. */
function named(name, i, words) {
  const once = name.trim() && words.indexOf(name) === words.lastIndexOf(name);
  return once ? name : `${name} (${i})`.trim();
}

// The networks

/** How many steps of a network must wait one for another. */
const waitsOf = ({ words, kind, depth }) => (CHAINS.includes(kind) ? words.length : LOCAL.includes(kind) ? depth : 1);

/** How much of each word a layer gives to each; a recurrence is one layer. */
function layerOf({ words, kind, width, gate_bias, sharpness, scores }) {
  const n = words.length;
  if (kind === "convolution") return convolutionWeights(n, width);
  if (CHAINS.includes(kind)) {
    const noise = normals(n, SEED);
    const gates = upTo(n).map((i) => (kind === "gated" ? sigmoid(gate_bias + noise[i]) : DECAY));
    let held = Array(n).fill(0);
    return gates.map((gate, i) => (held = held.map((share, j) => (j === i ? 1 - gate : share * gate))));
  }
  const drawn = scores ? null : normals(n * n, SEED + 1);
  const sharp = upTo(n).map((i) => upTo(n).map((j) => sharpness * (scores ? scores[i][j] : drawn[i * n + j])));
  const mask = { causal: causalMask, windowed: () => windowMask(n, (width - 1) / 2), attention: fullMask }[kind](n);
  return maskedWeights(sharp, mask);
}

/** In row i, the share of word i's output that comes from each word. */
function sharesOf(state) {
  const layer = layerOf(state);
  let through = layer;
  if (LOCAL.includes(state.kind)) for (let k = 1; k < state.depth; k += 1) through = mix(layer, through);
  return through.map((row) => {
    const whole = row.reduce((sum, x) => sum + x, 0);
    return row.map((x) => x / whole);
  });
}

/** Whether word i has heard of word j after so many steps. */
function hears({ kind, width }, i, j, after) {
  if (CHAINS.includes(kind)) return j <= i && i < after;
  if (LOCAL.includes(kind)) return Math.abs(i - j) <= ((width - 1) / 2) * after;
  return i === j || (after > 0 && (kind !== "causal" || j < i));
}

/** The place of a word's state, or of its number after so many layers: steps from the left. */
const stepOf = ({ kind }, i, after) => (CHAINS.includes(kind) ? i + 1 : after);

// What is said

/** A share in a column's width; one that is there is never written as nothing. */
const brief = (share) => (share < FEW ? "<0.01" : format(share));

/** The word of whom it is told: the one that is farthest. */
const farthest = ({ kind, word, n }) => (BACK.includes(kind) || word <= (n - 1) / 2 ? n - 1 : 0);

/** After how many steps the farthest word hears of the pressed one. */
function told(lane, names) {
  const { kind, word, n, waits } = lane;
  const far = farthest(lane);
  const [first, last] = [`“${names[word]}”`, `“${names[far]}”`];
  if (!hears(lane, far, word, waits)) {
    return waits === 1 ? `${last} does not hear of ${first}: 1 layer does not reach so far.` : `${last} does not hear of ${first}: ${waits} layers do not reach so far.`;
  }
  if (!CHAINS.includes(kind)) return `${last} hears of ${first} after ${counted(waits, "step")}.`;
  const after = counted(n - word, "step");
  return word ? `${last} hears of ${first} after ${after}, one after another; before that ${first} waits for ${counted(word, "step")}.` : `${last} hears of ${first} after ${after}, one after another.`;
}

/** How much of the pressed word has arrived there. */
function amount(lane, names, shares) {
  const far = farthest(lane);
  const [first, last] = [`“${names[lane.word]}”`, `“${names[far]}”`];
  if (!hears(lane, far, lane.word, lane.waits)) return `Nothing of ${first} arrives at ${last}.`;
  const share = shares[far] < 0.00005 ? "less than 0.0001" : format(shares[far], 4);
  return `${first} is ${share} of the output of ${last}. An even share would be ${format(1 / lane.n, 4)}.`;
}

/** What stands above a lane: its kind, how far it is, and how many have heard. */
function heading(lane, at) {
  const { kind, word, n, waits } = lane;
  const after = Math.min(at, waits);
  const heard = upTo(n).filter((i) => hears(lane, i, word, after)).length;
  const waiting = CHAINS.includes(kind) && after <= word;
  return [KINDS[kind], `step ${after} of ${waits}`, waiting ? "waits for its turn" : `${heard} of ${counted(n, "word")} heard`];
}

// The picture

function Lanes({ names, n, word, at, lanes, kind, choose, press }) {
  const [frame, room] = useWidth(838);
  const held = useRef(false); // the words are pressed: drag over others, and they are picked
  const narrow = room < 600;
  const row = n > 12 ? 24 : 26;
  const [left, gap] = narrow ? [56, 8] : [Math.min(0.25 * room, Math.max(92, widest(names, frame.current, 16) + 20)), 40];
  const wide = (room - left - 2 * gap) / 3;
  const placeAt = ({ currentTarget, clientY }) => {
    const { top, height } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(n - 1, Math.floor(((clientY - top) / height) * n)));
  };
  const drag = (event) => {
    if (!held.current || !event.buttons) return;
    if (placeAt(event) !== word) press(placeAt(event));
  };
  return (
    <div class={narrow ? "picture narrow" : "picture"} ref={frame}>
      <div class="heads" style={`grid-template-columns:${left - gap}px repeat(3, minmax(0, 1fr));column-gap:${gap}px`}>
        <p>press a word</p>
        {lanes.map((lane) => {
          const [name, step, heard] = heading(lane, at);
          return (
            <div key={name}>
              <button type="button" aria-pressed={lane.kind === kind} onClick={() => choose(lane.kind)}>{name}</button>
              <p>{step}</p>
              <p>{heard}</p>
            </div>
          );
        })}
      </div>
      <div class="reach" style={`height:${row * n}px`}>
        <svg viewBox={`0 0 ${room} ${row * n}`} style={`height:${row * n}px`}>
          <rect class="row" x={0} y={row * word} width={room} height={row} />
          {lanes.map((lane, k) => (
            <Lane key={k} {...lane} {...{ names, at, row, wide }} left={left + k * (wide + gap)} />
          ))}
        </svg>
        <fieldset
          class="choice picks"
          style={`width:${left - 8}px`}
          onPointerDown={(event) => { held.current = event.button === 0; }}
          onPointerMove={drag}
          onPointerUp={() => { held.current = false; }}
        >
          <legend class="unseen">whose news</legend>
          {names.map((name, j) => (
            <label key={j} class={j === word ? "chosen" : ""} style={`top:${row * j}px;height:${row}px`}>
              <input class="over" type="radio" name="picks" aria-label={name} checked={j === word} onClick={() => press(j)} />
              <bdi title={name} aria-hidden="true">{name.replace(/ \(\d+\)$/, "")}</bdi>
            </label>
          ))}
        </fieldset>
      </div>
    </div>
  );
}

/** A network, how far the news has come in it, and who has not heard. */
function Lane(lane) {
  const { names, n, word, kind, width, waits, at, row, left, wide } = lane;
  const chain = CHAINS.includes(kind);
  const after = Math.min(at, waits);
  const x = (step) => rounded(left + 5 + ((wide - 12) * step) / waits);
  const y = (i) => row * (i + 0.5);
  const line = ([[a, i], [b, j]]) => `M${x(a)} ${y(i)}L${x(b)} ${y(j)}`;
  const edges = useMemo(() => edgesOf({ n, kind, width, waits }), [n, kind, width, waits]);
  const lattice = useMemo(() => edges.map(line).join(""), [edges, row, left, wide]);
  const lit = ([[a, i], [b, j]]) => b <= after && hears(lane, i, word, a) && hears(lane, j, word, b);
  const begins = ([[, i], [b, j]]) => i === j && i === word && b <= after;
  const carried = edges.filter(chain ? (edge) => begins(edge) || (edge[0][0] > 0 && lit(edge)) : lit);
  const nodes = chain ? upTo(n).map((i) => [i + 1, i]) : upTo(waits).flatMap((k) => upTo(n).map((i) => [k + 1, i]));
  const reached = nodes.filter(([step, i]) => step <= after && hears(lane, i, word, step));
  const front = reached.filter(([step]) => step === after);
  const turn = Math.min(after, word); // of a chain: so far the news has waited
  const dots = (places, kind, r) => places.map(([step, i]) => <circle key={`${step} ${i}`} class={kind} cx={x(step)} cy={y(i)} r={r} />);
  const [never, later] = [false, true].map((will) => ranges(upTo(n).filter((i) => !hears(lane, i, word, after) && hears(lane, i, word, waits) === will)));
  const heard = upTo(n).filter((i) => hears(lane, i, word, after)).map((i) => names[i]);
  return (
    <g role="img" aria-label={`${heading(lane, at).join(", ")}. Heard by: ${heard.join(", ") || "nobody"}.`}>
      <path class="lattice" d={lattice} />
      <path class="news" d={carried.map(line).join("")} />
      {chain && turn > 0 && <path class="wait" d={line([[0, word], [turn, word]])} />}
      {dots(nodes, "node", 2.5)}
      {dots(upTo(n).map((i) => [0, i]), "node", 2.5)}
      {dots([[0, word], ...reached], "node reached", 4)}
      {dots(front.length ? front : chain && after <= word ? [[turn, word]] : after ? [] : [[0, word]], "node front", 6)}
      {[...never, ...later].map(([from, to], k) => (
        <g key={from} class="without">
          <path d={`M${left + wide - 3} ${y(from) - 8}h5V${y(to) + 8}h-5`} />
          <text class="halo" x={left + wide - 17} y={(y(from) + y(to)) / 2 + 4} text-anchor="end">{k < never.length ? "not heard" : "not yet"}</text>
        </g>
      ))}
    </g>
  );
}

const rounded = (x) => Number(x.toFixed(1));

/** The edges of a network, each from a place to a place: [step, word]. A word comes in at step 0. */
function edgesOf({ n, kind, width, waits }) {
  if (CHAINS.includes(kind)) {
    return upTo(n).flatMap((i) => [[[0, i], [i + 1, i]], ...(i ? [[[i, i - 1], [i + 1, i]]] : [])]);
  }
  const lane = { kind, width };
  return upTo(waits).flatMap((k) => upTo(n).flatMap((i) => upTo(n).filter((j) => hears(lane, i, j, 1)).map((j) => [[k, j], [k + 1, i]])));
}

/** The first and the last of each run of places that follow one another. */
const ranges = (places) =>
  places.filter((i) => !places.includes(i - 1)).map((from) => {
    let to = from;
    while (places.includes(to + 1)) to += 1;
    return [from, to];
  });

/** What each word's output has of the pressed word. */
function Amounts({ names, word, lanes, shares }) {
  return (
    <table class="amounts">
      <caption>how much of each word's output comes from “{names[word]}”</caption>
      <thead>
        <tr>
          <td />
          {lanes.map(({ kind }) => <th key={kind} scope="col">{KINDS[kind]}</th>)}
        </tr>
      </thead>
      <tbody>
        {names.map((name, i) => (
          <tr key={i}>
            <th scope="row"><bdi title={name}>{name}</bdi></th>
            {lanes.map((lane, k) => {
              const there = hears(lane, i, word, lane.waits);
              return (
                <td key={k}>
                  <i style={`width:${there ? rounded(100 * shares[k][i]) : 0}%`} />
                  <span>{there ? brief(shares[k][i]) : "–"}</span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
