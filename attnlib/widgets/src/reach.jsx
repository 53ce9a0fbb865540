// Who reaches a picked word, in how many steps, and how strongly: every network as what it is, a sum
// of words, drawn step above step. The bars below say what is left of each word.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { reach } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import {
  causalMask,
  convolutionWeights,
  flowsFrom,
  flowsTo,
  fullMask,
  layeredEdges,
  maskedWeights,
  normals,
  recurrentEdges,
  sigmoid,
  widestPath,
  windowMask,
} from "./arithmetic.js";
import { More } from "./more.jsx";
import { useWidth } from "./mount.jsx";
import { Announcement, Choice, Facts, Slider, format, short } from "./parts.jsx";

export { default as style } from "./reach.css";
export const traits = ["words", "word", "kind", "width", "depth", "gate_bias", "sharpness", "scores", "way"];

const { KINDS, DECAY, SEED, MOST_DEPTH, MOST_WIDTH, MOST_BIAS, MOST_SHARP, HEIGHT, BAR, FULL, FEW } = reach;
const NAMES = Object.keys(KINDS);
const CHAINS = ["recurrent", "gated"];
const LOCAL = ["convolution", "windowed"]; // kinds of which a layer sees only so far
const BACK = ["recurrent", "gated", "causal"]; // kinds that hear only what comes before
const LOOKS = ["attention", "causal", "windowed"];
const PASSED = "drag: each layer is a step, and passes on what it heard from below";
const SHARES = "drag: at 0 every word that is seen gets an even share";
const HINTS = {
  recurrent: "At each word the state keeps half of what it held, and takes as much from the word.",
  gated: "drag: how much of its state the network keeps at each word",
  convolution: PASSED,
  windowed: PASSED,
  attention: SHARES,
  causal: SHARES,
};
const TOP = 28; // pixels above the highest step
const NARROWEST = 24; // pixels of a word's column
const ROOMY = 48; // pixels of a column in which a word stands upright

const upTo = (n) => Array.from({ length: n }, (_, i) => i);
const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

export const measured = (state) => {
  const { net, waits } = network(state);
  return { shares: state.words.map((_, i) => flowing({ net }, net.n, i, i, "in").shares), waits };
};

export const missing = ({ name, place: [i, j], is, least, most, state: { words, kind } }) => {
  if (name === "waits") {
    // How many it takes would be the answer.
    const then = most !== null && is > most ? "fewer will do" : LOCAL.includes(kind) ? "more are asked" : "choose a kind that has layers to add";
    return `${counted(is, "step")} one after another: ${then}`;
  }
  const ends = most === null ? `${least < FEW ? "more" : `at least ${format(least)}`}` : `${format(least ?? 0)} to ${format(most)}`;
  const [to, from] = [i, j].map((k) => `“${named(words[k], k, words)}”`);
  return is > 0 ? `${to} has ${brief(is)} of ${from}; ${ends} is asked` : `${to} does not hear of ${from} yet`;
};

export function View(props) {
  const { words, word, kind, width, depth, gate_bias, sharpness, way, set } = props;
  const n = words.length;
  const [over, setOver] = useAfresh(null); // the word that, or whose bar, is below the pointer
  const [kept, setKept] = useAfresh(null); // the word whose bar was chosen
  const names = useMemo(() => words.map((name, i) => named(name, i, words)), [words]);
  const made = useMemo(() => network(props), [words, kind, width, depth, gate_bias, sharpness, props.scores]);
  const near = [over, kept].find((j) => j !== null && j < n) ?? farthest({ kind, way, word, n });
  const tall = props.large ? 0.75 * HEIGHT : HEIGHT;
  const shown = { ...props, ...made, tall, names, n, near, ...flowing(made, n, word, near, way) };
  const said = told(shown);
  const led = props._moments?.length > 0; // then steps lead to the kinds that come first
  const kinds = (
    <Choice label="kind" options={NAMES} names={Object.values(KINDS)} value={kind} onChange={(chosen) => set({ kind: chosen })} />
  );
  return (
    <div class="reaching">
      <p class="story">{said}</p>
      {!led && <div class="controls">{kinds}</div>}
      <div class="controls knobs">
        {kind === "gated" && (
          <Slider label="gate bias" value={gate_bias} min={0} max={MOST_BIAS} step={0.25} onInput={(x) => set({ gate_bias: x })} />
        )}
        {LOCAL.includes(kind) && (
          <Slider label="layers (depth)" value={depth} min={1} max={MOST_DEPTH} say={String} onInput={(x) => set({ depth: x })} />
        )}
        {LOOKS.includes(kind) && (
          <Slider label="sharpness" value={sharpness} min={0} max={MOST_SHARP} step={0.5} say={(x) => format(x, 1)} onInput={(x) => set({ sharpness: x })} />
        )}
        <p class="note">{HINTS[kind]}</p>
      </div>
      <Stage {...shown} said={said} setOver={setOver} setKept={setKept} />
      <More title={`${led ? "other kinds, " : ""}width, whom a word reaches, counts`}>
        <div class="controls">
          {led && kinds}
          <Choice
            label="question"
            options={["in", "out"]}
            names={["who reaches it", "whom it reaches"]}
            value={way}
            onChange={(chosen) => set({ way: chosen })}
          />
          {LOCAL.includes(kind) && (
            <Slider label="width" value={width} min={3} max={MOST_WIDTH} step={2} say={String} onInput={(x) => set({ width: x })} />
          )}
        </div>
        <Facts facts={facts(shown)} />
      </More>
      <Announcement text={said} />
    </div>
  );
}

/** A word as it is called here: with its place, where it stands twice or is empty. */
function named(name, i, words) {
  const once = name.trim() && words.indexOf(name) === words.lastIndexOf(name);
  return once ? name : `${name} (${i})`.trim();
}

/** The network of a kind: its edges, and how many steps of it must wait one for another. */
function network({ words, kind, width, depth, gate_bias, sharpness, scores }) {
  const n = words.length;
  if (CHAINS.includes(kind)) {
    const noise = normals(n, SEED);
    const gates = upTo(n).map((i) => (kind === "gated" ? sigmoid(gate_bias + noise[i]) : DECAY));
    return { net: { n, nodes: 2 * n, edges: recurrentEdges(gates) }, waits: n, gates };
  }
  const layers = LOCAL.includes(kind) ? depth : 1;
  const above = (weights) => ({ net: { n, nodes: (layers + 1) * n, edges: layeredEdges(weights, layers) }, waits: layers });
  if (kind === "convolution") return above(convolutionWeights(n, width));
  const drawn = scores ? null : normals(n * n, SEED + 1);
  const sharp = upTo(n).map((i) => upTo(n).map((j) => sharpness * (scores ? scores[i][j] : drawn[i * n + j])));
  const mask = { causal: causalMask, windowed: () => windowMask(n, (width - 1) / 2), attention: fullMask }[kind](n);
  return above(maskedWeights(sharp, mask));
}

/** What flows along each edge, what of it comes from the word that is told, and the words' shares. */
function flowing({ net }, n, word, near, way) {
  const above = net.nodes - n; // where the outputs begin
  if (way === "in") {
    const flows = flowsTo(net, above + word);
    const shares = Array(n).fill(0);
    net.edges.forEach(([from], k) => from < n && (shares[from] += flows[k]));
    return { flows, traced: flowsTo(net, above + word, near), shares };
  }
  const flows = flowsFrom(net, word);
  const shares = Array(n).fill(0);
  net.edges.forEach(([, to], k) => to >= above && (shares[to - above] += flows[k]));
  return { flows, traced: flowsTo(net, above + near, word), shares };
}

/** The word that is told of, where the hand has chosen none. */
function farthest({ kind, way, word, n }) {
  if (BACK.includes(kind)) return way === "in" ? 0 : n - 1;
  return word > (n - 1) / 2 ? 0 : n - 1;
}

/** After how many steps word j arrives at the output of word i; 0 where it does not. */
function stepsTo({ kind, width, waits }, i, j) {
  if (CHAINS.includes(kind)) return Math.max(0, i - j + 1);
  if (LOCAL.includes(kind)) return Math.abs(i - j) <= ((width - 1) / 2) * waits ? waits : 0;
  return kind === "causal" && j > i ? 0 : 1;
}

/** From which word to which one, for any word and the picked one. */
const endsOf = ({ way, word }, j) => (way === "in" ? [j, word] : [word, j]);

const steps = (shown, j) => {
  const [from, to] = endsOf(shown, j);
  return stepsTo(shown, to, from);
};

const layersFor = ({ width }, distance) => Math.max(1, Math.ceil(Math.abs(distance) / ((width - 1) / 2)));

/** A share in a column's width; one that is there is never written as nothing. */
const brief = (share, least = "<.01") => (share < FEW ? least : short(share));

/** How one word reaches the other. */
function told(shown) {
  const { names, n, kind, waits, near, shares } = shown;
  const [from, to] = endsOf(shown, near);
  const [first, last] = [`“${names[from]}”`, `“${names[to]}”`];
  const after = steps(shown, near);
  if (!after) {
    if (BACK.includes(kind)) return `${last} does not hear of ${first}, which comes later.`;
    return `${last} does not hear of ${first}: ${counted(waits, "layer")} ${waits === 1 ? "does" : "do"} not reach so far.`;
  }
  const share = shares[near] < 0.00005 ? "less than 0.0001" : format(shares[near], 4);
  return `${last} hears of ${first} after ${counted(after, "step")}: ${first} is ${share} of its output. An even share would be ${format(1 / n, 4)}.`;
}

function facts(shown) {
  const { n, way, kind, waits, gates } = shown;
  const all = upTo(n).map((j) => steps(shown, j));
  const needed = LOCAL.includes(kind) && layersFor(shown, n - 1);
  return [
    [way === "in" ? "is reached by" : "reaches", `${all.filter(Boolean).length} of ${counted(n, "word")}`],
    ["longest path", counted(Math.max(...all), "step")],
    ["one after another", counted(waits, "step")],
    gates && ["the state keeps", [...new Set([Math.min(...gates), Math.max(...gates)].map((x) => format(x, 3)))].join(" to ")],
    needed && ["from end to end", needed > waits ? `more than ${counted(waits, "layer")}` : counted(needed, "layer")],
  ];
}

// The picture

function Stage(shown) {
  const { words, names, n, word, near, way, kind, waits, shares, said, tall, large, set, setOver, setKept } = shown;
  const [frame, room] = useWidth(838);
  const view = useRef(null);
  const held = useRef(false); // the words are pressed: drag over others, and they are picked
  const [left, right] = room < 600 ? [33, 1] : [58, 10];
  const column = Math.max(NARROWEST, Math.min(90, (room - left - right) / n));
  const upright = column >= ROOMY;
  const high = upright ? 30 : 84; // of the words
  const size = { left, column, width: left + column * n + right };
  const bars = TOP + tall + 12 + high + 26; // where the bars' highest stands
  const floor = bars + BAR + 16;
  const whole = floor + 24;
  const x = (j) => left + column * (j + 0.5);
  useEffect(() => {
    view.current.scrollLeft = x(word) - room / 2; // a long sentence on a narrow screen
  }, [word, room]);
  const placeAt = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) * (size.width / box.width) - left) / column);
    return Math.max(0, Math.min(n - 1, place));
  };
  const pick = (event) => placeAt(event) !== word && set({ word: placeAt(event) });
  const press = (event) => {
    held.current = event.button === 0 && event.target.closest(".picks label") !== null;
    if (held.current) pick(event);
  };
  const move = (event) => {
    if (held.current && event.buttons) pick(event);
    const row = event.target.closest?.("[data-row]");
    const picked = row?.closest(".picks") && Number(row.dataset.row) === word; // it tells of others
    if (event.pointerType !== "touch") setOver(row && !picked ? Number(row.dataset.row) : null);
  };
  const even = floor - BAR / n;
  const roomy = column * n > (large ? 800 : 600);
  const gap = tall / waits;
  return (
    <div class="picture" ref={frame}>
      <div class="scroll" ref={view} {...(column === NARROWEST && { tabindex: 0, role: "region", "aria-label": "the picture" })}>
        <div
          class={upright ? "reach" : "reach turned"}
          style={`width:${size.width}px;height:${whole}px`}
          onPointerDown={press}
          onPointerMove={move}
          onPointerLeave={() => setOver(null)}
        >
          <svg viewBox={`0 0 ${size.width} ${whole}`} style={`width:${size.width}px;height:${whole}px`} role="img" aria-label={`${KINDS[kind]}, ${counted(waits, "step")} above each other. ${said}`}>
            {upTo(waits).filter((k) => gap > (large ? 18 : 13) || k % 2 === 0 || k === waits - 1).map((k) => (
              <text key={k} class="soft" x={left - 12} y={TOP + tall - gap * (k + 1) + 4} text-anchor="end">{k || left < 50 ? k + 1 : "step 1"}</text>
            ))}
            <Drawn {...shown} {...size} />
            <text class="soft" x={left} y={bars - 4}>{way === "in" ? `how much of the output of “${names[word]}” comes from each word` : `how much of each word's output comes from “${names[word]}”`}{roomy && " (dashed: an even share)"}</text>
            {roomy && <text class="soft" x={left + column * n} y={bars - 4} text-anchor="end">press a word, or a bar</text>}
            {column >= ROOMY + (large ? 28 : 8) && !steps(shown, near) && <text class="soft" x={x(near)} y={floor - BAR / 2} text-anchor="middle">not heard</text>}
            <path class="floor" d={`M${left} ${floor}h${column * n}`} />
            {upTo(n).filter((j) => steps(shown, j)).map((j) => (
              <rect key={j} class="bar" x={x(j) - column / 4} width={column / 2} y={floor - BAR * shares[j]} height={BAR * shares[j]} />
            ))}
            <path class="even" d={`M${left} ${even}h${column * n}`} />
            <text class="soft" x={left - 5} y={even + 4} text-anchor="end">1/{n}</text>
            <text class="soft" x={left - 5} y={floor + 17} text-anchor="end">steps</text>
            {upTo(n).map((j) => {
              const after = steps(shown, j);
              return (
                <g key={j} class="number">
                  {after > 0 && <text class="halo" x={x(j)} y={floor - BAR * shares[j] - 5} text-anchor="middle">{brief(shares[j], column < 30 ? "≈0" : "<.01")}</text>}
                  <text x={x(j)} y={floor + 17} text-anchor="middle">{after || "–"}</text>
                </g>
              );
            })}
          </svg>
          <Radios
            legend="the picked word"
            kind="picks"
            names={names}
            value={word}
            style={(j) => `left:${x(j) - column / 2}px;width:${column + 1}px;top:${TOP + tall + 12}px;height:${high}px`}
            onChoose={(j) => j !== word && set({ word: j })}
          />
          <Radios
            legend={way === "in" ? "look closer at what comes from" : "look closer at what goes to"}
            kind="closer"
            names={names}
            say={(j) => `${names[j]}: ${steps(shown, j) ? `${brief(shares[j])}, ${counted(steps(shown, j), "step")}` : "not reached"}`}
            value={near}
            style={(j) => `left:${x(j) - column / 2}px;width:${column + 1}px;top:${bars}px;height:${whole - bars}px`}
            onChoose={(j) => {
              setOver(null); // a pointer that rests on a bar must not hide what the keys choose
              setKept(j);
            }}
          />
        </div>
      </div>
    </div>
  );
}

/** One of the words, chosen in the picture itself; also one that the pointer has chosen for now. */
function Radios({ legend, kind, names, say = (j) => names[j], value, style, onChoose }) {
  return (
    <fieldset class={`choice ${kind}`}>
      <legend class="unseen">{legend}</legend>
      {names.map((name, j) => (
        <label key={j} class={j === value ? "chosen" : ""} style={style(j)} data-row={j}>
          <input type="radio" name={kind} aria-label={say(j)} checked={j === value} onClick={() => onChoose(j)} />
          {kind === "picks" && <bdi title={name} aria-hidden="true">{name.replace(/ \(\d+\)$/, "")}</bdi>}
        </label>
      ))}
    </fieldset>
  );
}

/** The network, what flows in it, and on top what of it is told. */
function Drawn(shown) {
  const { net, names, n, near, way, kind, waits, flows, traced, shares, left, column, tall } = shown;
  const chain = CHAINS.includes(kind);
  const places = useMemo(
    () =>
      upTo(net.nodes).map((node) => {
        const level = chain ? (node < n ? 0 : node - n + 1) : Math.floor(node / n);
        return [left + column * ((node % n) + 0.5), TOP + tall * (1 - level / waits)];
      }),
    [net, left, column, tall],
  );
  const lattice = useMemo(() => net.edges.map(([from, to]) => `M${places[from].map(at)}L${places[to].map(at)}`).join(""), [places]);
  const full = Math.min(FULL, column);
  const widths = flows.map((share) => full * share);
  const nowhere = net.edges.map(() => 0);
  const ends = chain ? nowhere : beside(net.edges.map(([from, to]) => [to, from]), widths, places);
  const starts = chain || way === "out" ? nowhere : beside(net.edges, widths, places);
  const ribbon = (k) => {
    const [[x0, y0], [x1, y1]] = net.edges[k].slice(0, 2).map((node) => places[node]);
    if (chain) return `M${at(x0)} ${at(y0)}L${at(x1)} ${at(y1)}`;
    const middle = at((y0 + y1) / 2);
    const [from, to] = [at(x0 + starts[k]), at(x1 + ends[k])];
    return `M${from} ${at(y0)}C${from} ${middle} ${to} ${middle} ${to} ${at(y1)}`;
  };
  const [, end] = endsOf(shown, near);
  const drawn = (places, sizes, kind, least) =>
    places.map((k) => <path key={k} class={kind} d={ribbon(k)} stroke-width={at(Math.max(full * sizes[k], least))} />);
  const [x, y] = places[net.nodes - n + end];
  const [anchor, aside] = end < n / 3 ? ["start", -9] : end >= n - n / 3 ? ["end", 9] : ["middle", 0];
  return (
    <>
      <path class="lattice" d={lattice} />
      {drawn([...net.edges.keys()].filter((k) => flows[k] > 0), flows, "ribbon", 0.8)}
      {drawn(widestPath(net, traced, net.nodes - n + end), traced, shares[near] < FEW ? "path few" : "path", 1.6)}
      {places.slice(0, net.nodes - n).map(([a, b], k) => <circle key={k} class="node" cx={a} cy={b} r={3} />)}
      {places.slice(net.nodes - n).map(([a, b], i) => <circle key={i} class="node output" cx={a} cy={b} r={i === end ? 8 : 4} />)}
      <text class="halo end" x={x + aside} y={y - 14} text-anchor={anchor}>output of {names[end]}{column * n > 280 && ": all it has heard"}</text>
    </>
  );
}

const at = (x) => Number(x.toFixed(1));

/** How far each edge is moved at its first node, so that all stand side by side there. */
function beside(edges, widths, places) {
  const here = new Map();
  edges.forEach(([node], k) => here.set(node, [...(here.get(node) ?? []), k]));
  const moved = Array(edges.length).fill(0);
  for (const all of here.values()) {
    let edge = -all.reduce((total, k) => total + widths[k], 0) / 2;
    for (const k of all.sort((a, b) => places[edges[a][1]][0] - places[edges[b][1]][0])) {
      moved[k] = edge + widths[k] / 2;
      edge += widths[k];
    }
  }
  return moved;
}
