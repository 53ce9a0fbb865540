// A row of scores that is read block by block, and the few numbers that are kept of it.

import { tiles } from "../../pictures/shared.json";
import { useAfreshRef } from "./afresh.js";
import { mix, softmax } from "./arithmetic.js";
import BARS from "./bars.css";
import { Announcement, ScoreBar, Slider, Toggle, Verdict, answered, asked, filled, format, unhidden } from "./parts.jsx";
import OWN from "./tiles.css";

export const style = OWN + BARS;
export const traits = ["scores", "value", "size", "read", "rescale"];

const { CLOSE, BLOCK, HEADS, ROWS, LEFT_OUT, HELD, STORY, ENDS } = tiles;
const FAR = 5; // of a dragged score

const sum = (numbers) => numbers.reduce((all, x) => all + x, 0);

/** The keys of each block. */
function blocksOf({ scores, size }) {
  const keys = scores.map((_, key) => key);
  return keys.filter((key) => key % size === 0).map((from) => keys.slice(from, from + size));
}

/** The last block that is read: top, total and output, in a row, before it, what it adds, and after it. */
function lastOf({ scores, value, size, read, rescale }) {
  const nothing = [-Infinity, 0, ...value[0].map(() => 0)];
  let step = { before: nothing, factor: 1, added: nothing, now: nothing };
  for (const keys of blocksOf({ scores, size }).slice(0, read)) {
    const before = step.now;
    const tile = unhidden(keys.map((key) => scores[key]));
    const largest = Math.max(...tile);
    const top = Math.max(before[0], largest);
    const factor = top > before[0] ? Math.exp(before[0] - top) : 1;
    const exponentials = tile.map((score) => exponential(score, top));
    const gained = [sum(exponentials), ...mix([exponentials], keys.map((key) => value[key]))[0]];
    const now = [top, ...gained.map((x, k) => before[k + 1] * (rescale ? factor : 1) + x)];
    step = { before, factor, added: [largest, ...gained], now };
  }
  return step;
}

const exponential = (score, top) => Math.exp(score - (top === -Infinity ? 0 : top)); // -inf - -inf is nan

/** What a goal can ask about. */
export function measured(state) {
  const { scores, value, size, rescale } = state;
  const { factor, now: [top, total, ...output] } = lastOf(state);
  const n_blocks = blocksOf(state).length;
  const read = Math.min(state.read, n_blocks);
  const result = output.map((x) => x / (total || 1));
  const [exact] = mix([softmax(unhidden(scores))], value);
  const difference = read < n_blocks ? NaN : Math.max(...result.map((x, f) => Math.abs(x - exact[f])));
  const held = Math.min(size, scores.length) + 2 + output.length;
  return { top, total, output, factor, result, exact, difference, held, n_blocks, size, read, rescale: Number(rescale) };
}

const NAMES = { factor: "The factor", read: "The number of blocks that are read", top: "The top", size: "The size of a block" };

/** What is missing, in the widget's own words. */
export function missing({ name, place, is, least, most }) {
  if (name === "rescale") return most < 1 ? "The rescale is to be left out." : "The rescale is not to be left out.";
  if (name === "difference" && Number.isNaN(is)) return "All blocks are to be read.";
  const counted = ["read", "size", "held", "n_blocks"].includes(name);
  const what = NAMES[name] ?? [name, ...place].join(" ");
  return `${what} is ${format(is, counted ? 0 : 2)}; ${asked(least, most, { counted })} is asked.`;
}

/** What the last block changes, and in the end what has come out: Tiles._told. */
function told({ before, factor, added, now }, { read, n_blocks, difference, rescale }) {
  let kind = rescale ? "LARGER" : "LEFT_OUT";
  if (!read) kind = "REST";
  else if (added[0] === -Infinity) kind = "HIDDEN";
  else if (before[0] === -Infinity) kind = "FIRST";
  else if (factor === 1) kind = "SAME";
  const said = filled(STORY[kind], { before: format(before[0]), top: format(now[0]), factor: format(factor), block: read, n: n_blocks });
  return read < n_blocks ? said : `${said} ${filled(ENDS[Number(difference >= CLOSE)], { difference: format(difference, 4) })}`;
}

export function View(props) {
  const { value, size, rescale, set } = props;
  const scores = unhidden(props.scores);
  const n = scores.length;
  const step = lastOf(props);
  const all = measured(props);
  const { read, n_blocks, held, output } = all;
  const said = told(step, all);
  const tile = Math.min(size, n);
  const memory = filled(HELD, { tile, running: held - tile, held, n });
  const far = useAfreshRef(FAR); // grows with what is set, but not under the hand
  far.current = Math.max(far.current, ...scores.filter(Number.isFinite).map((score) => Math.ceil(Math.abs(score))));
  const go = (to) => to >= 0 && to <= n_blocks && set({ read: to });
  const resize = (to) => set({ size: to, read: read === n_blocks ? Math.ceil(n / to) : Math.floor((read * size) / to) });
  return (
    <>
      <p class="story">{said}</p>
      <div class="controls">
        <span>
          <button type="button" aria-disabled={read === 0} onClick={() => go(read - 1)}>← back</button>{" "}
          <button type="button" aria-disabled={read === n_blocks} onClick={() => go(read + 1)}>read a block →</button>
        </span>
        <Slider label="keys in a block" value={tile} min={1} max={n} say={(x) => format(x, 0)} onInput={resize} />
        <Toggle label="leave out the rescale" checked={!rescale} onChange={(out) => set({ rescale: !out })} />
      </div>
      <div class="tiles" style={{ "--features": output.length }}>
        <div>
          <div class="heads" aria-hidden="true">
            <span>key</span>
            <span class="drag"><span class="role-scores">score</span>: drag it</span>
            <span>{BLOCK}</span>
            <span class="role-value">value</span>
          </div>
          {blocksOf(props).map((keys, block) => (
            <div key={block} class={block === read - 1 ? "block held" : "block"} role="group" aria-label={`block ${block + 1}, ${block === read - 1 ? "held" : "not held"}`}>
              {keys.map((key) => (
                <div key={key} class="row">
                  <span>{key}</span>
                  {scores[key] === -Infinity ? <span class="soft">hidden</span> : (
                    <ScoreBar
                      label={`score of key ${key}`}
                      score={scores[key]}
                      far={far.current}
                      onInput={(to) => set({ scores: props.scores.with(key, to) })}
                    />
                  )}
                  <span class="score">{scores[key] > -Infinity && format(scores[key], 1)}</span>
                  <span class="cell">{block === read - 1 && format(exponential(scores[key], step.now[0]))}</span>
                  {value[key].map((x, f) => <span key={f}>{format(x, 1)}</span>)}
                </div>
              ))}
            </div>
          ))}
        </div>
        <div>
          <Running {...{ step, all, rescale }} own={answered(props)?.now.map(Number)} />
          <Squares label="held" tile={tile} running={held - tile} />
          <Squares label="the whole row" tile={n} running={0} />
          <p class="note">{memory}</p>
        </div>
      </div>
      <Verdict {...props} />
      <Announcement text={`${said} ${memory}`} />
    </>
  );
}

/** As many squares as numbers are held: those of scores, and the running ones. */
const Squares = ({ label, tile, running }) => (
  <p class="squares" aria-hidden="true">
    <span>{label}</span>
    {Array.from({ length: tile + running }, (_, k) => <i key={k} class={k < tile ? "" : "running"} />)}
  </p>
);

/** The running numbers, before and after the last block, and what comes of them: Tiles._shown. */
function Running({ step, all, rescale, own }) {
  const { before, factor, added, now } = step;
  const blank = now.map(() => "");
  const rows = all.read ? [before, ["", ...before.slice(1).map((x) => x * (rescale ? factor : 1))], added] : [blank, blank, blank];
  rows.push(now, ["", "", ...all.result], ["", "", ...all.exact]);
  const names = [ROWS[0], rescale ? ROWS[1] : LEFT_OUT, ...ROWS.slice(2)];
  const wrong = !rescale && factor > 0 && factor < 1;
  return (
    <table>
      <thead>
        <tr>
          <td />
          {[...HEADS, ...all.output.map((_, f) => `output ${f}`)].map((head) => <th key={head} scope="col">{head}</th>)}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i} class={i === 3 ? "now" : i === 1 && wrong ? "wrong" : ""}>
            <th scope="row">{filled(names[i], { factor: format(factor) })}</th>
            {row.map((x, k) => <td key={k}>{x === "" ? x : format(x)}</td>)}
          </tr>
        ))}
        {own && (
          <tr>
            <th scope="row">function handed in</th>
            {own.map((x, k) => <td key={k}>{format(x)}</td>)}
          </tr>
        )}
      </tbody>
    </table>
  );
}
