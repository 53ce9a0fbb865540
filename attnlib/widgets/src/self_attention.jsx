// One word asks: five steps build up one picture, from its query to what it gets.

import { useMemo, useRef, useState } from "preact/hooks";
import { self_attention } from "../shared.json";
import {
  attentionScores,
  dot,
  entropy,
  mix,
  naiveExponentials,
  rowChanges,
  softmax,
} from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Choice, Toggle, Verdict, answered, format } from "./parts.jsx";

export { default as style } from "./self_attention.css";
export const traits = ["query", "key", "value", "words", "x", "word", "step"];

const { STEPS } = self_attention;
const SMOOTH = 16; // the ribbons of more words do not glide: a slow machine would stutter
const FEW = 4; // longer vectors are told by their ends
const DIGITS = 30; // pixels: a bar that has so much room stands above its number

export function View(props) {
  const { words, word, step, set } = props;
  const [over, setOver] = useState(null); // the row below the pointer
  const [kept, setKept] = useState(null); // the row that was clicked
  const [moved, setMoved] = useState(false); // nothing glides before a hand is there
  const [all, setAll] = useState(false);
  const names = useMemo(() => words.map((name, i) => named(name, i, words)), [words]);
  const shown = { ...computed(props), names, who: names[word] };
  const there = (j) => (j !== null && j < words.length ? j : null);
  const marked = there(kept) ?? shown.drawn.indexOf(Math.max(...shown.drawn.filter(Number.isFinite)));
  const row = there(over) ?? Math.max(0, marked);
  const at = STEPS.indexOf(step);
  const go = (to) => STEPS[to] && set({ step: STEPS[to] });
  return (
    <div onPointerDown={() => setMoved(true)} onKeyDown={() => setMoved(true)}>
      <div class="steps">
        <Choice
          label="step"
          options={STEPS}
          names={STEPS.map((name, i) => `${i + 1} ${name}`)}
          value={step}
          onChange={(name) => set({ step: name })}
        />
        <button type="button" aria-disabled={at === 0} onClick={() => go(at - 1)}>Back</button>
        <button type="button" aria-disabled={at === STEPS.length - 1} onClick={() => go(at + 1)}>Next</button>
        <Toggle label="all numbers" checked={all} onChange={setAll} />
      </div>
      <p class="caption">{caption(shown)[step]}</p>
      <Flow {...shown} at={at} row={row} marked={Math.max(0, marked)} moved={moved} set={set} onOver={setOver} onKeep={setKept} />
      <Closer {...shown} at={at} row={row} />
      <Difference {...shown} />
      <Verdict {...props} />
      {all && <Numbers {...tables(shown)[step]()} said={`${step}: all numbers of ${shown.who}`} />}
      <Announcement text={announced(shown)[step]() + (there(kept) === null ? "" : ` ${told(shown, kept)[at][1]}.`)} />
    </div>
  );
}

/** A word as it is called here: with its row, where it stands twice or is empty. */
function named(name, i, words) {
  const once = name.trim() && words.indexOf(name) === words.lastIndexOf(name);
  return once ? name : `${name} (${i})`.trim();
}

/** Everything that follows for the word that asks; `own` is what the reader's function answers. */
function computed(props) {
  const { query, key, value, word } = props;
  const scores = attentionScores([query[word]], key)[0];
  const top = Math.max(...scores);
  const exponentials = naiveExponentials(scores.map((score) => score - top));
  const weights = softmax(scores);
  const answer = answered(props);
  const own = answer && {
    weights: answer.weights?.[word].map(Number),
    output: answer.output[word].map(Number),
  };
  const drawn = own?.weights ?? weights;
  const output = mix([weights], value)[0];
  return {
    ...props,
    d: key[0].length,
    sums: key.map((k) => dot(query[word], k)),
    scores,
    top,
    exponentials,
    total: total(exponentials),
    weights,
    own,
    drawn,
    output,
    taken: own?.output ?? output,
  };
}

/** Each value times its weight. */
const parts = ({ value, drawn }, rows = value.keys()) =>
  [...rows].map((j) => value[j].map((number) => drawn[j] * number));

const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

/** What happens in each step, in a line. */
const caption = ({ who, d }) => ({
  project: <><bdi>{who}</bdi> asks with its <b>query</b>. Every word has a <b>key</b>, to be found by, and a <b>value</b>, to hand over. Press another word, and it asks.</>,
  score: <>The query meets every key: <b>query · key</b> is one number for each word.</>,
  scale: <>Each of them is divided by √d_key = √{d} = {format(Math.sqrt(d), 3)}: the <b>score</b>. The frame is what it was.</>,
  softmax: <>The scores become <b>weights</b>, which sum to 1. Each ribbon is as wide as its weight.</>,
  mix: <>Each value is multiplied by its weight. Their sum is the <b>output</b>.</>,
});

// The picture

/** Where everything stands, in pixels, for n words in so much width. */
function layout(n, width) {
  const row = between(14, 480 / n, 56);
  const full = between(46, 2 * n, 80); // how wide the ribbons are together, where weights sum to 1
  const box = between(38, 0.12 * width, 124);
  const name = between(58, 0.13 * width, 130);
  const middle = between(46, 0.14 * width, 130);
  const fan = Math.max(10, (width - name - 4 * box - middle) / 2);
  const height = Math.max(208, n * row);
  const key = box + fan;
  const inner = key + name + box;
  const y = (j) => (height - n * row) / 2 + (j + 0.5) * row;
  const tall = row > 30 ? row - 8 : row - 2; // a box in a row
  const styles = (left, width, high) =>
    Array.from({ length: n }, (_, j) => pixels({ left, width, top: y(j) - high / 2, height: high }));
  return {
    row, full, box, name, middle, height, y, width, key, inner,
    value: inner + middle,
    end: inner + middle + box,
    output: inner + middle + box + fan,
    centre: height / 2,
    tall,
    large: full + 14, // query and output
    asks: styles(key + 3, name - 6, Math.min(tall - 2, 28)),
    number: styles(inner, middle, tall),
  };
}

const between = (least, x, most) => Math.max(least, Math.min(most, x));

const pixels = (sizes) =>
  Object.entries(sizes).map(([name, size]) => `${name}:${size}px`).join(";");

function Flow(shown) {
  const { names, word, step, at, row, marked, moved, own, who, set, onOver, onKeep } = shown;
  const [element, width] = useWidth();
  const held = useRef(null); // the word that is pressed: drag it over others, and they ask
  const place = useMemo(() => layout(names.length, width), [names.length, width]);
  const { box, key, inner, value, end, output, centre, height, y, tall, large } = place;
  const above = height - centre + large / 2 + 3;
  const rowOf = ({ target }) => target.closest?.("[data-row]")?.dataset.row;
  const point = (event) => {
    if (event.pointerType !== "touch") onOver(rowOf(event) === undefined ? null : Number(rowOf(event)));
    if (event.buttons && held.current && event.target.closest(".asks label")) set({ word: Number(rowOf(event)) });
  };
  const click = (event) => {
    if (event.target.matches?.("path, rect") && rowOf(event) !== undefined) onKeep(Number(rowOf(event)));
  };
  const thin = place.row < 22 ? "thin" : "";
  const numbers = shownNumbers(shown);
  const head = (role, from, to, words = role, since = 0) => (
    <span class={`head ${at >= since ? role : ""}`} style={pixels({ left: from, width: to - from })}>{words}</span>
  );
  return (
    <div class="frame" ref={element}>
      <div class="heads" aria-hidden="true">
        {head("query", 0, box)}
        {head("key", key, inner)}
        {head("scores", inner, value, middleHead(shown), 1)}
        {head("value", value, end)}
        {head("output", output, output + box, own ? "your output" : "output", 4)}
      </div>
      <div
        class={`flow ${step} ${moved && names.length <= SMOOTH ? "moved" : ""} ${thin}`}
        style={pixels({ height })}
        onPointerDown={(event) => { held.current = event.target.closest(".asks label"); }}
        onPointerUp={() => { held.current = null; }}
        onPointerOver={point}
        onPointerLeave={() => { held.current = null; onOver(null); }}
        onClick={click}
      >
        <svg viewBox={`0 0 ${width} ${height}`} style={pixels({ height })} role="img" aria-label={drawing(shown)}>
          <Boxes shown={shown} place={place} />
          <rect class="marked" x={key - 2} y={y(row) - tall / 2 - 2} width={end - key + 4} height={tall + 4} rx={6} />
          <Ribbons shown={shown} place={place} />
          {at > 0 && at < 3 && <Bars shown={shown} place={place} />}
        </svg>
        <span class="who" style={pixels({ left: 0, width: box, bottom: above })}><bdi title={who}>{who}</bdi> asks</span>
        <Under numbers={shown.query[word]} left={0} place={place} />
        {shown.x && <span class="from" style={pixels({ left: 0, width: box, top: centre + large / 2 + 19 })}>↑ from x</span>}
        <Radios
          legend="the word that asks"
          kind="asks"
          names={names}
          value={word}
          styles={place.asks}
          onChange={(j) => set({ word: j })}
        />
        <Radios
          legend="look closer at"
          kind="number"
          names={names}
          texts={numbers}
          value={marked}
          styles={place.number}
          onChange={onKeep}
        />
        <span class="who late" style={pixels({ left: output, width: box, bottom: above })}><bdi title={who}>{who}</bdi> gets</span>
        {at === 4 && <Under numbers={shown.taken} left={output} place={place} />}
      </div>
    </div>
  );
}

/** What the numbers in the middle of the rows are. */
function middleHead({ at, own }) {
  const weight = own?.weights ? "your weight" : "weight";
  return ["", "query · key", "score", weight, weight][at];
}

/** The number that stands in the middle of each row. */
const shownNumbers = ({ at, sums, scores, drawn }) =>
  [[], sums, scores, drawn, drawn][at].map((x) => format(x));

/** One of the rows, chosen in the picture itself. */
function Radios({ legend, kind, names, texts = [], value, styles, onChange }) {
  return (
    <fieldset class={`choice rows ${kind}`}>
      <legend class="unseen">{legend}</legend>
      {names.map((name, j) => (
        <label key={j} class={j === value ? "chosen" : ""} style={styles[j]} data-row={j}>
          <input
            type="radio"
            name={`${kind}`}
            aria-label={kind === "number" ? `${name} ${texts[j] ?? ""}`.trim() : undefined}
            checked={j === value}
            onChange={() => onChange(j)}
          />
          {kind === "number" ? <span>{texts[j] ?? ""}</span> : <bdi title={name}>{name}</bdi>}
        </label>
      ))}
    </fieldset>
  );
}

/** The numbers of a short vector, each below its bar. */
function Under({ numbers, left, place: { box, centre, large } }) {
  const cell = box / numbers.length;
  if (cell < DIGITS) return null;
  return numbers.map((x, f) => (
    <span key={f} class="under" style={pixels({ left: left + f * cell, width: cell, top: centre + large / 2 + 1 })}>{format(x)}</span>
  ));
}

/** Boxes with the vectors in them, as bars up and down. What no word that asks changes is kept. */
function Boxes({ shown, place }) {
  const { query, key, value, x, word, drawn, taken, at } = shown;
  const { box, name, tall, large, y, centre, output } = place;
  const kept = useMemo(() => {
    const [keys, values] = [largest([query, key]), largest([value])];
    const frames = (left, width) => key.map((_, j) => framed(left, y(j), width, tall)).join("");
    const each = value.map((v) => bars(v, place.value, 0, box, tall, values));
    return {
      keys,
      values,
      each,
      rows: (
        <>
          <path class="box key" d={frames(place.key, name + box)} />
          <path class="box value" d={frames(place.value, box)} />
          <path class="bars key" d={key.map((k, j) => bars(k, place.key + name, y(j), box, tall, keys)).join("")} />
          <g class="bars value whole">
            {each.map((d, j) => <path key={j} d={d} transform={`translate(0 ${y(j)})`} />)}
          </g>
        </>
      ),
    };
  }, [query, key, value, place]);
  return (
    <>
      {kept.rows}
      {at === 4 && (
        <g class="bars value">
          {kept.each.map((d, j) => <path key={j} d={d} transform={`translate(0 ${y(j)}) scale(1 ${between(-1, drawn[j] || 0, 1)})`} />)}
        </g>
      )}
      <path class="box query" d={framed(0, centre, box, large)} />
      <path class="bars query" d={bars(query[word], 0, centre, box, large, kept.keys)} />
      {x && <path class="box from" d={framed(0, centre + large / 2 + 54, box, 34)} />}
      {x && <path class="bars from" d={bars(x[word], 0, centre + large / 2 + 54, box, 34, largest([x]))} />}
      <path class="box output" d={framed(output, centre, box, large)} />
      {at === 4 && <path class="bars output" d={bars(taken, output, centre, box, large, kept.values)} />}
    </>
  );
}

const framed = (left, middle, width, height) =>
  `M${left + 0.5} ${(middle - height / 2).toFixed(1)}h${width - 1}v${height}h${1 - width}z`;

/** A vector as bars up and down from a line; `scale` is what the longest of all stands for. */
function bars(numbers, left, middle, width, height, scale) {
  const cell = (width - 8) / numbers.length;
  const wide = Math.min(16, 0.72 * cell);
  const line = `M${left + 4} ${middle.toFixed(1)}h${width - 8}v.6h${8 - width}z`;
  return numbers.reduce((path, x, f) => {
    const share = between(-1, x / scale, 1) || 0;
    const from = left + 4 + (f + 0.5) * cell - wide / 2;
    const up = ((height / 2 - (height > 20 ? 3 : 1)) * share).toFixed(1);
    return `${path}M${from.toFixed(1)} ${middle.toFixed(1)}v${-up}h${wide.toFixed(1)}v${up}z`;
  }, line);
}

/** The three ribbons of each row: query to key, key to value, value to output. */
function Ribbons({ shown: { at, drawn, row }, place }) {
  const { full, box, key, inner, value, end, output, y, centre, tall } = place;
  const n = drawn.length;
  const widths = at < 3 ? drawn.map(() => (at ? 2 : 0.6)) : shares(drawn).map((share) => full * share);
  const all = at < 3 ? full : total(widths);
  let sum = centre - all / 2;
  const fan = widths.map((width) => {
    const room = at < 3 ? full / n : width;
    sum += room;
    return sum - room / 2;
  });
  return drawn.map((weight, j) => {
    const kind = `${j === row ? "near" : ""} ${at > 2 && weight < 0 ? "negative" : ""}`;
    const [w, middle] = [widths[j], y(j)];
    return (
      <g key={j} data-row={j} class={kind}>
        <rect class="hit" x={key} y={middle - tall / 2} width={end - key} height={tall} />
        <path class="ribbon query" d={ribbon(box, fan[j], key, middle, w)} />
        <path class="ribbon key" d={ribbon(inner, middle, value, middle, at < 3 ? 0 : w)} />
        <path class="ribbon value" d={ribbon(end, middle, output, fan[j], at < 4 ? 0.6 : w)} />
      </g>
    );
  });
}

/** How much of all ribbons' width each weight has: itself, where they sum to 1, and to 2 at most. */
function shares(weights) {
  const sizes = weights.map((w) => (Number.isFinite(w) ? Math.abs(w) : 0));
  const most = Math.max(1, total(sizes) / 2);
  return sizes.map((size) => size / most);
}

function ribbon(x0, y0, x1, y1, width) {
  const bend = ((x0 + x1) / 2).toFixed(1);
  const [a, b, half] = [y0, y1, Math.max(width, 0.3) / 2];
  const at = (y) => y.toFixed(2);
  return (
    `M${x0} ${at(a - half)}C${bend} ${at(a - half)} ${bend} ${at(b - half)} ${x1} ${at(b - half)}` +
    `V${at(b + half)}C${bend} ${at(b + half)} ${bend} ${at(a + half)} ${x0} ${at(a + half)}Z`
  );
}

/** Scores as bars from zero; in the step that scales them a frame shows what each was. */
function Bars({ shown: { at, sums, scores }, place }) {
  const { inner, middle, row, y } = place;
  const beside = row < 34; // else below the number
  const width = beside ? middle - 52 : middle - 16;
  if (width < 12) return null;
  const low = sums.some((sum) => sum < 0) ? 0.5 : 0;
  const reach = largest([[sums]]);
  const left = inner + (beside ? 4 : 8);
  const height = beside ? Math.min(10, row - 7) : 8;
  return sums.map((sum, j) => {
    const top = y(j) + (beside ? -height / 2 : 6);
    const bar = (x, kind) => {
      const share = between(-1, x / reach || 0, 1) * (1 - low);
      return <rect class={kind} x={left + width * (low + Math.min(0, share))} y={top} width={width * Math.abs(share)} height={height} />;
    };
    return (
      <g key={j} data-row={j} class="score">
        <rect class="zero" x={left + width * low - 0.5} y={top - 2} width={1} height={height + 4} />
        {at === 2 && bar(sum, "before")}
        {bar(at === 1 ? sum : scores[j], "bar")}
      </g>
    );
  });
}

/** The largest size among the finite numbers of some matrices; 1 where all are zero. */
const largest = (matrices) =>
  matrices.flat(2).reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0) || 1;

const drawing = ({ who, step }) =>
  `The query of ${who}, ribbons to the keys of all words, through to their values, and into the output; step ${step}`;

// Numbers on demand

/** The arithmetic between the word that asks and one other, step by step up to this one. */
function Closer(shown) {
  const { who, names, row, at } = shown;
  return (
    <div class="closer" role="group" aria-label={`${who} looks at ${names[row]}`}>
      <p class="title"><bdi title={who}>{who}</bdi> → <bdi title={names[row]}>{names[row]}</bdi></p>
      <dl>
        {told(shown, row).map(([name, words, formula], i) => (
          <div key={name} class={i > at ? "later" : i === at ? "now" : ""}>
            <dt>{name}</dt>
            <dd>{i > at ? formula : words}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Each step of one pair of words: [name, in numbers, as a formula]. */
function told(shown, j) {
  const { query, key, value, word, d, sums, scores, top, exponentials, total: sum, weights, own } = shown;
  const q = query[word];
  const yours = own?.weights ? `; yours ${format(own.weights[j])}` : "";
  const products = some(q.map((x, f) => `${format(x)} × ${format(key[j][f])}`)).join(" + ");
  const root = format(Math.sqrt(d), 3);
  return [
    ["project", `key ${listed(key[j])}, value ${listed(value[j])}`],
    ["score", `query · key = ${products} = ${format(sums[j])}`, "query · key"],
    ["scale", `${format(sums[j])} ÷ √${d} = ${format(sums[j])} ÷ ${root} = ${format(scores[j])}`, "÷ √d_key"],
    ["softmax", `exp(${format(scores[j])} − largest ${format(top)}) ÷ sum = ${format(exponentials[j])} ÷ ${format(sum)} = ${format(weights[j])}${yours}`, "exp, ÷ the sum of all"],
    ["mix", `${format(shown.drawn[j])} × value = ${listed(parts(shown, [j])[0])}, one part of the output ${listed(shown.taken)}`, "× value, summed over all words"],
  ];
}

/** All of a few, or the first two and the last. */
const some = (items) => (items.length > FEW ? [...items.slice(0, 2), "…", items.at(-1)] : items);

const listed = (numbers) => `(${some(numbers.map((x) => format(x))).join(", ")})`;

/** How far the reader's numbers are from attnlib's. */
function Difference({ own, weights, output }) {
  if (!own) return null;
  const most = `at most ${differs(own.output, output)}`;
  if (!own.weights) return <p class="difference">Your output is drawn. It differs from attnlib's by {most}.</p>;
  const sum = total(own.weights);
  return (
    <p class="difference">
      Your weights and your output are drawn. The weights differ from attnlib's by at most {differs(own.weights, weights)}
      {!(Math.abs(sum - 1) < 1e-6) && <b class="wrong"> and sum to {format(sum)}, not 1</b>}; the output differs by {most}.
    </p>
  );
}

const differs = (yours, ours) => format(rowChanges([yours], [ours])[0], 6);

/** The table of each step: heads, rows and sums, all as text. */
function tables(shown) {
  const { query, key, value, x, word, names, who, d, sums, scores, top, exponentials, weights, own, output } = shown;
  const rows = (...columns) => names.map((name, j) => [name, ...columns.map((column) => column[j])]);
  const one = (numbers) => numbers.map((number) => format(number));
  const yours = own?.weights;
  return {
    project: () => {
      const [asks, ...keys] = aligned([query[word], ...key]);
      const made = x ? [[`x of ${who}`, aligned([x[word]])[0], ""]] : [];
      return {
        heads: ["word", "key", "value"],
        rows: [...made, [`query of ${who}`, asks, ""], ...rows(keys, aligned(value))],
      };
    },
    score: () => ({
      heads: ["word", `query of ${who} × key`, "sum"],
      rows: rows(aligned(key.map((k) => k.map((number, f) => query[word][f] * number))), one(sums)),
    }),
    scale: () => ({
      heads: ["word", "query · key", `÷ √${d} = ${format(Math.sqrt(d), 3)}`],
      rows: rows(one(sums), one(scores)),
    }),
    softmax: () => ({
      heads: ["word", "score", `exp(score − ${format(top)})`, "weight", ...(yours ? ["yours"] : [])],
      rows: rows(one(scores), one(exponentials), one(weights), ...(yours ? [one(yours)] : [])),
      sums: [
        ["sum", "", format(total(exponentials)), format(total(weights)), ...(yours ? [format(total(yours))] : [])],
        ["entropy (nats)", "", "", format(entropy(weights)), ...(yours ? [""] : [])],
      ],
    }),
    mix: () => {
      const [ours, theirs, ...result] = aligned([output, shown.taken, ...parts(shown)]);
      return {
        heads: ["word", yours ? "your weight" : "weight", "weight × value"],
        rows: rows(one(shown.drawn), result),
        sums: own
          ? [["your output", "", theirs], ["attnlib's output", "", ours]]
          : [["output", "", ours]],
      };
    },
  };
}

/** Vectors as lines of text whose columns stand below each other. */
function aligned(vectors) {
  const texts = vectors.map((numbers) => numbers.map((x) => format(x)));
  const wide = Math.max(...texts.flat().map((text) => text.length));
  return texts.map((numbers) => numbers.map((text) => text.padStart(wide)).join("  "));
}

function Numbers({ said, heads, rows, sums = [] }) {
  const line = (kind) => ([name, ...cells], i) => (
    <tr key={i} class={kind}>
      <th scope="row"><bdi title={name}>{name}</bdi></th>
      {cells.map((cell, c) => <td key={c}>{cell}</td>)}
    </tr>
  );
  return (
    <div class="scroll numbers" tabIndex={0} role="region" aria-label={said}>
      <table>
        <thead>
          <tr>{heads.map((head) => <th scope="col" key={head}>{head}</th>)}</tr>
        </thead>
        <tbody>{rows.map(line(""))}</tbody>
        {sums.length > 0 && <tfoot>{sums.map(line("sum"))}</tfoot>}
      </table>
    </div>
  );
}

/** What a screen reader hears of each step. */
function announced({ who, word, names, query, sums, scores, drawn, taken }) {
  const each = (numbers) => names.map((name, j) => `${name} ${format(numbers[j])}`).join(", ");
  return {
    project: () => `Query of ${who}: ${listed(query[word])}.`,
    score: () => `Query of ${who} times key: ${each(sums)}.`,
    scale: () => `Scores of ${who}: ${each(scores)}.`,
    softmax: () => `Weights of ${who}: ${each(drawn)}.`,
    mix: () => `Output of ${who}: ${listed(taken)}.`,
  };
}
