// One word asks: five steps build up one picture, from its query to what it gets.

import { useId, useMemo, useRef } from "preact/hooks";
import { self_attention } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import {
  attentionScores,
  dot,
  entropy,
  mix,
  naiveExponentials,
  rowChanges,
  softmax,
} from "./arithmetic.js";
import MORE from "./more.css";
import { More } from "./more.jsx";
import { useWidth } from "./mount.jsx";
import { Announcement, Choice, Toggle, Verdict, answered, asked, called, format, widest } from "./parts.jsx";
import OWN from "./self_attention.css";
import { FAR, InHand, Vector, bar, bars, between, columns, frames, grips, largest, pixels, stepOf, tallest } from "./vectors.jsx";

export const style = OWN + MORE;
export const traits = ["query", "key", "value", "words", "x", "key_features", "value_features", "word", "step", "_untouched"];

const { STEPS, LARGEST, MOST_ROWS, LARGEST_ROWS, SAYS } = self_attention; // SAYS what a column holds
const ROLES = ["query", "key", "value"];
const LONGEST = 40; // letters: a sentence that is told as one
const FEW = 4; // longer vectors are told by their ends
const TALLEST = 360; // pixels, of all rows: with what stands around them, a screen
const LEAST_FAN = 24; // pixels that ribbons need to part in, where names stand above bars
const BROAD = 32; // pixels at most: a bar of the output

/** What a goal can ask about. */
export function measured({ query, key, value }) {
  const scores = attentionScores(query, key);
  const weights = scores.map((row) => softmax(row));
  return { scores, weights, output: mix(weights, value) };
}

/** What is not there yet, in the words of this picture. */
export function missing({ name, place: [i, j], is, least, most, state: { words, query, key } }) {
  const names = called(words);
  const ends = asked(least, most);
  if (name === "output") return `number ${j + 1} of what ${names[i]} gets is ${format(is)}; ${ends} is asked`;
  if (name === "scores") return `${names[i]} scores ${names[j]} ${format(is)}; ${ends} is asked`;
  const weights = measured({ query: [query[i]], key, value: key }).weights[0];
  const alike = names.filter((_, k) => Math.abs(weights[k] - is) < 1e-9);
  const each = alike.length > 1 && is >= Math.max(...weights) - 1e-9;
  const whom = each ? `${alike.slice(0, -1).join(", ")} and ${alike.at(-1)} each` : names[j];
  return `${names[i]} takes ${format(is)} from ${whom}; ${ends} is asked`;
}

export function View(props) {
  const { words, word, step, set } = props;
  const [over, setOver] = useAfresh(null); // the row below the pointer
  const [kept, setKept] = useAfresh(null); // the row that was clicked
  const [hand, setHand] = useAfresh({ role: "query", f: null }); // the bar that was touched last; at first, the longest
  const [all, setAll] = useAfresh(false);
  const [unfolded, setUnfolded] = useAfresh(false);
  const field = useRef(null);
  const names = useMemo(() => called(words), [words]);
  const shown = { ...computed(props), names, who: names[word] };
  const there = (j) => (j !== null && j < words.length ? j : null);
  const marked = Math.max(0, there(kept) ?? shown.drawn.indexOf(Math.max(...shown.drawn.filter(Number.isFinite))));
  const row = there(over) ?? marked;
  const at = STEPS.indexOf(step);
  const go = (to) => STEPS[to] && set({ step: STEPS[to] });
  const before = beginnings(props);
  const held = useRef(false); // while a pointer holds a bar
  const lines = useLines({ ...shown, kept: there(kept) }, unfolded, held.current);
  const move = (role, j, f, x) => set({ [role]: props[role].map((v, k) => (k === j ? v.map((old, g) => (g === f ? x : old)) : v)) });
  const choose = (role, j, f) => {
    if (hand.role !== role || hand.f !== f) setHand({ role, f });
    if (role !== "query") setKept(j);
  };
  const type = () => {
    const input = field.current.querySelector("input");
    input.focus();
    input.select();
  };
  const { role } = hand;
  const j = role === "query" ? word : marked;
  const f = Math.min(hand.f ?? longest(props[role][j]), props[role][j].length - 1);
  const hold = (on) => { held.current = on; };
  const hands = { hand: { role, f }, touched: hand.f !== null, move, choose, hold, type };
  return (
    <div>
      {words.length > MOST_ROWS && (
        <div class="steps">
          <Select label="who asks" names={names} value={word} onChange={(i) => set({ word: i })} />
          <Select label="closer at" names={names} value={marked} onChange={setKept} />
          <Toggle label={`all ${words.length} words`} checked={unfolded} onChange={setUnfolded} />
        </div>
      )}
      <p class="caption">{caption(shown)[step]}</p>
      <Flow {...shown} {...{ at, row, marked, lines, before, hands, set }} onOver={setOver} onKeep={setKept} />
      <div ref={field}>
        <InHand
          role={role}
          name={names[j]}
          f={f}
          numbers={props[role][j]}
          before={before[role][j]}
          step={stepOf(scales(before)[role])}
          most={LARGEST}
          touched={hand.f !== null}
          onMove={(x) => move(role, j, f, x)}
          onBack={() => set({ [role]: props[role].map((v, k) => (k === j ? before[role][j] : v)) })}
        />
      </div>
      <More title="how it is computed, in five steps" needed={step !== "mix"}>
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
        <Closer {...shown} {...{ at, row, all }} />
        {all && <Numbers {...tables(shown)[step]()} said={`${step}: all numbers of ${shown.who}`} />}
      </More>
      <Difference {...shown} />
      <Verdict {...props} />
      <Announcement text={announced(shown)[step]() + (there(kept) === null ? "" : ` ${told(shown, kept)[at][1]}.`)} />
    </div>
  );
}

const longest = (numbers) => numbers.findIndex((x) => Math.abs(x) === Math.max(...numbers.map(Math.abs)));

/** The vectors as the matrices made them, before a hand moved their numbers. */
const beginnings = ({ _untouched, ...props }) =>
  Object.fromEntries(ROLES.map((role) => [role, _untouched[role] ?? props[role]]));

/** What the longest bar of each role stands for: queries and keys meet, so they share it. */
function scales({ query, key, value }) {
  const both = largest([query, key]);
  return { query: both, key: both, value: largest([value]) };
}

/**
 * The rows of the picture: every word of a short sentence. Of a long one who asks, the largest, what
 * was clicked and what is asked about; all others are one row. They stay while a pointer is down.
 */
function useLines(shown, unfolded, still) {
  const { names, word, kept, drawn, value, sums, scores, _goal } = shown;
  const rows = names.map((_, j) => j);
  const folds = names.length > MOST_ROWS && !unfolded;
  if (folds) {
    const asked = (_goal?.asked ?? []).flatMap(([name, [i, j]]) => (name === "output" ? [i] : [i, j]));
    const top = [...rows].sort((a, b) => (drawn[b] || 0) - (drawn[a] || 0)).slice(0, LARGEST_ROWS);
    const some = new Set([word, ...asked, ...top, ...(kept === null ? [] : [kept])]);
    rows.splice(0, Infinity, ...rows.filter((j) => some.has(j)));
  }
  const last = useRef(rows);
  if (!still) last.current = rows;
  const each = last.current.map((j) => ({ j, name: names[j], sum: sums[j], score: scores[j], weight: drawn[j], part: parts(shown, [j])[0] }));
  if (!folds) return each;
  const others = names.map((_, j) => j).filter((j) => !last.current.includes(j));
  if (!others.length) return each;
  const rest = parts(shown, others);
  return [...each, {
    j: null,
    name: `${others.length} others`,
    sum: Math.max(...others.map((j) => sums[j])),
    score: Math.max(...others.map((j) => scores[j])),
    weight: total(others.map((j) => drawn[j])),
    part: value[0].map((_, f) => total(rest.map((numbers) => numbers[f]))),
  }];
}

/** One of many words, from a list that opens. */
function Select({ label, names, value, onChange }) {
  const id = useId();
  return (
    <span class="number">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {names.map((name, j) => <option key={j} value={j}>{name}</option>)}
      </select>
    </span>
  );
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

/** What happens in each step, in a line; in the last, what came of it. */
const caption = ({ who, d, names, words, drawn }) => ({
  project: <>{sentence(words)}“<bdi>{who}</bdi>” asks with its <b>query</b>. Every word has a <b>key</b>, to be found by, and a <b>value</b>, to hand over. Press a word to let it ask.</>,
  score: <>The query meets every key: <b>query · key</b> is one number for each word.</>,
  scale: <>Each of them is divided by √d_key = √{d} = {format(Math.sqrt(d), 3)}: the <b>score</b>. The frame is what it was.</>,
  softmax: <>The scores become <b>weights</b>, which sum to 1. Each ribbon is as wide as its weight.</>,
  mix: <>{sentence(words)}<b>“<bdi>{who}</bdi>”</b> asks. {answer(names, drawn)}</>,
});

const sentence = (words) => words.join(" ").length <= LONGEST && <>In “{words.join(" ")}”, </>;

/** Who gives most, and how much of what it has. */
function answer(names, weights) {
  const most = Math.max(...weights);
  const best = names.filter((_, j) => most - weights[j] < 1e-9);
  const share = <b>{format(most)}</b>;
  if (best.length === names.length) return <>All words answer alike: it takes {share} of what each gives.</>;
  if (best.length > 1) return <><b>{best.map((name) => `“${name}”`).join(" and ")}</b> answer best: it takes {share} of what each gives.</>;
  return <><b>“<bdi>{best[0]}</bdi>”</b> answers best: it takes {share} of what this word gives.</>;
}

// The picture

/**
 * Where everything stands, in pixels, for n rows in so much width, with room for the names of
 * features above the bars, `long` for those of a key and of a value, if that can be had: `told`.
 */
function layout(n, width, long, told = true) {
  const row = between(14, TALLEST / n, 56);
  const full = between(46, 2 * n, 80); // how wide the ribbons are together, where weights sum to 1
  const [keys, values] = told ? long : [0, 0];
  const box = Math.max(between(38, 0.12 * width, 124), keys);
  const gives = Math.max(box, values);
  const name = between(58, (keys ? 0.11 : 0.13) * width, 130);
  const middle = between(54, (keys ? 0.1 : 0.14) * width, 130);
  const broad = Math.max(1.5 * box, values); // of the output: there the parts stand side by side
  const spare = (width - name - 2 * box - gives - broad - middle) / 2;
  if (keys + values && spare < LEAST_FAN) return layout(n, width, long, false);
  const fan = Math.max(10, spare);
  const height = Math.max(228, n * row);
  const key = box + fan;
  const inner = key + name + box;
  const y = (k) => (height - n * row) / 2 + (k + 0.5) * row;
  const tall = row > 30 ? row - 8 : row - 2; // a box in a row
  const styles = (left, wide, high) =>
    Array.from({ length: n }, (_, k) => pixels({ left, width: wide, top: y(k) - high / 2, height: high }));
  return {
    row, full, box, gives, broad, name, middle, height, y, width, key, inner, told,
    value: inner + middle,
    end: inner + middle + gives,
    output: inner + middle + gives + fan,
    centre: height / 2,
    tall,
    large: full + 38, // of the query
    sum: Math.max(full + 38, 0.56 * height), // of the output: small parts add up in it
    asks: styles(key + 3, name - 6, Math.min(tall - 2, 34)),
    number: styles(inner, middle, tall),
  };
}

/**
 * How the picture comes to what it shows now: it glides when another word asks or another step is
 * there, and on coming to *mix* the values arrive one by one; a bar under the hand has no delay.
 */
function useGlide({ word, step, query, key, value }) {
  const last = useRef(null);
  const { word: oldWord, step: oldStep, query: q, key: k, value: v, glide } = last.current ?? { word, step, query, key, value, glide: "" };
  let now = glide;
  if (step !== oldStep) now = step === "mix" ? "glides arrives" : "glides";
  else if (word !== oldWord) now = "glides";
  else if (query !== q || key !== k || value !== v) now = "";
  last.current = { word, step, query, key, value, glide: now };
  return now;
}

function Flow(shown) {
  const { word, d, step, at, row, marked, lines, before, hands, own, who, set, onOver, onKeep } = shown;
  const [element, width] = useWidth(960.5); // no whole number: once its width is known, letters are measured, too
  const held = useRef(null); // the word that is pressed: drag it over others, and they ask
  const n = lines.length;
  const down = shown.large ? 18 : 13;
  const wide = (told) => widest(told, element.current, shown.large ? 16 : 12) + 6;
  const [keys, values] = [shown.key_features, shown.value_features].map((told) => told && told.length * (wide(told) - 2) + 8);
  const place = useMemo(() => layout(n, width, [keys ?? 0, values ?? 0]), [n, width, keys, values]);
  const { box, gives, broad, key, inner, value, end, output, centre, height, y, tall, large, sum } = place;
  const glide = useGlide(shown);
  const unit = scales(before);
  const scale = scales(grown(before, shown));
  const above = (high, names) => height - centre + high / 2 + 3 + (names ? down + 2 : 0);
  const rowOf = ({ target }) => target.closest?.("[data-row]")?.dataset.row;
  const point = (event) => {
    if (event.pointerType !== "touch") onOver(rowOf(event) === undefined ? null : Number(rowOf(event)));
    if (event.buttons && held.current && event.target.closest(".asks label")) set({ word: Number(rowOf(event)) });
  };
  const click = (event) => {
    if (event.target.matches?.("path, rect") && rowOf(event) !== undefined) onKeep(Number(rowOf(event)));
  };
  const thin = place.row < 22 ? "thin" : tall < 36 ? "" : "roomy";
  const head = (role, from, to, words = role, since = 0) => (
    <span class={`head ${at >= since ? role : ""}`} style={pixels({ left: from, width: to - from })}>{words}{SAYS[words] && <small>{SAYS[words]}</small>}</span>
  );
  const featureNames = (told, left, wide) => {
    const cell = (wide - 8) / told?.length;
    return place.told && told?.map((name, f) => (
      <span key={f} class="under names" style={`${pixels({ left: left + 4 + f * cell, width: cell })};top:100%`}>{name}</span>
    ));
  };
  const items = (texts, styles) => lines.map(({ j, name }, k) => ({ j, name, text: texts?.[k], style: styles[k] }));
  const words = lines.filter(({ j }) => j !== null);
  const vector = (role, j, name, numbers, left, middle, high, keyed, wide = box) => (
    <Vector
      key={`${role} ${j}`}
      {...{ role, name, numbers, keyed }}
      features={role === "value" ? shown.value_features : shown.key_features}
      row={j}
      scale={scale[role]}
      reach={FAR * unit[role]}
      step={stepOf(unit[role])}
      place={{ left, top: middle - high / 2, width: wide, height: high }}
      onMove={hands.move}
      onChoose={hands.choose}
      onHold={hands.hold}
      onType={hands.type}
    />
  );
  return (
    <div class="frame" ref={element}>
      <div class="heads" aria-hidden="true">
        {head("query", 0, box)}
        {head("key", key, inner)}
        {head("scores", inner, value, middleHead(shown), 1)}
        {head("value", value, end)}
        {featureNames(shown.key_features, key + place.name, box)}
        {place.told && shown.key_features && <span class="under names" style={`${pixels({ left: key, width: place.name - 4 })};top:100%;text-align:end`}>features:</span>}
        {featureNames(shown.value_features, value, gives)}
        {head("output", output, output + broad, own ? "your output" : "output", 4)}
      </div>
      <div
        class={`flow ${step} ${thin} ${glide}`}
        style={pixels({ height })}
        onPointerDown={(event) => { held.current = event.target.closest(".asks label"); }}
        onPointerUp={() => { held.current = null; }}
        onPointerOver={point}
        onPointerLeave={() => { held.current = null; onOver(null); }}
        onClick={click}
      >
        <svg viewBox={`0 0 ${width} ${height}`} style={pixels({ height })} role="img" aria-label={drawing(shown)}>
          <Boxes shown={shown} place={place} scale={scale} />
          <rect class="marked" x={key - 2} y={y(lines.findIndex(({ j }) => j === row)) - tall / 2 - 2} width={end - key + 4} height={tall + 4} rx={6} />
          <Ribbons shown={shown} place={place} />
          <Arriving shown={shown} place={place} scale={scale.value} />
          {at > 0 && at < 3 && <Bars shown={shown} place={place} />}
        </svg>
        <span class="who" style={pixels({ left: 0, width: box < 60 ? key - 6 : box, bottom: above(large, shown.key_features) })}><bdi title={who}>{who}</bdi> asks</span>
        <Under words={fitting(shown.query[word], wide, box)} left={0} place={place} />
        {place.told && <Under names words={shown.key_features} left={0} place={place} up={down} />}
        {shown.x && <span class="from" style={pixels({ left: 0, width: box, top: centre + large / 2 + 28 })}>↑ from x</span>}
        {vector("query", word, who, shown.query[word], 0, centre, large, true)}
        <Radios
          legend="the word that asks"
          kind="asks"
          items={items(null, place.asks)}
          value={word}
          onChange={(j) => set({ word: j })}
        />
        {words.map(({ j, name }, k) => vector("key", j, name, shown.key[j], key + place.name, y(k), tall, j === marked))}
        <Radios
          legend="look closer at"
          kind="number"
          items={items(shownNumbers(shown), place.number)}
          value={marked}
          onChange={onKeep}
        />
        {words.map(({ j, name }, k) => vector("value", j, name, shown.value[j], value, y(k), tall, j === marked, gives))}
        <span class="who late" style={pixels({ left: output, width: broad, bottom: above(sum, shown.value_features) })}><bdi title={who}>{who}</bdi> gets</span>
        {at === 4 && <Under words={fitting(shown.taken, wide, broad)} left={output} place={place} wide={broad} high={sum} />}
        {at === 4 && place.told && <Under names words={shown.value_features} left={output} place={place} wide={broad} high={sum} up={down} />}
      </div>
      {!(place.told && d * wide(["0.00"]) <= box) && <Lines {...{ shown, marked, hands }} />}
    </div>
  );
}

/** The vectors before and after the hand moved them: no bar leaves its box, and none grows when another shrinks. */
const grown = (before, now) =>
  Object.fromEntries(ROLES.map((role) => [role, [...before[role], ...now[role]]]));

/** What the numbers in the middle of the rows are. */
function middleHead({ at, own }) {
  const weight = own?.weights ? "your weight" : "weight";
  return ["", "query · key", "score", weight, weight][at];
}

/** The number that stands in the middle of each row; of the others together, the largest score. */
const shownNumbers = ({ at, lines }) =>
  lines.map(({ j, sum, score, weight }) => {
    if (at === 0) return "";
    return j === null && at < 3 ? `≤ ${format([sum, score][at - 1])}` : format([sum, score, weight, weight][at - 1]);
  });

/** One of the rows, chosen in the picture itself. */
function Radios({ legend, kind, items, value, onChange }) {
  const shown = (name, text) => (kind === "number" ? <span>{text}</span> : <bdi title={name}>{name}</bdi>);
  return (
    <fieldset class={`choice rows ${kind}`}>
      <legend class="unseen">{legend}</legend>
      {items.map(({ j, name, text = "", style }) => j === null ? (
        <span key="others" class="others" style={style}>{shown(name, text)}</span>
      ) : (
        <label key={j} class={j === value ? "chosen" : ""} style={style} data-row={j}>
          <input
            class="over"
            type="radio"
            name={kind}
            aria-label={kind === "number" ? `${name} ${text}`.trim() : undefined}
            checked={j === value}
            onChange={() => onChange(j)}
          />
          {shown(name, text)}
        </label>
      ))}
    </fieldset>
  );
}

/** Numbers with as many decimals as have room side by side: two, or one; else none are shown. */
function fitting(numbers, wide, room) {
  const written = [2, 1].map((digits) => numbers.map((x) => format(x, digits)));
  return written.find((words) => words.length * wide(words) <= room);
}

/** The numbers of a short vector, each below its bar, or what they stand for, above it. */
function Under({ words, left, place: { box, centre, large }, wide = box, high = large, up = 0, names = false }) {
  const cell = wide / words?.length;
  return words?.map((told, f) => (
    <span key={f} class={`under ${names ? "names" : ""}`} style={pixels({ left: left + f * cell, width: cell, top: up ? centre - high / 2 - up - 3 : centre + high / 2 + 1 })}>{told}</span>
  ));
}

/** Where they have no room in the picture: the short vectors in a line each; a press takes a number in hand. */
function Lines({ shown, marked, hands: { hand, touched, choose } }) {
  const { word, names, at, key_features, value_features, taken, d } = shown;
  if (Math.max(d, taken.length) > FEW) return null;
  const roles = at < 4 ? ROLES : [...ROLES, "output"];
  return (
    <dl class="lines">
      {roles.map((role, k) => {
        const j = k % 3 ? marked : word;
        const told = (x, f) => `${(k < 2 ? key_features : value_features)?.[f] ?? ""} ${format(x)}`;
        return (
          <div key={role}>
            <dt class={`role-${role}`}>{role} of <bdi title={names[j]}>{names[j]}</bdi></dt>
            <dd>{k === 3 ? taken.map(told).join(", ") : shown[role][j].map((x, f) => (
              <button type="button" key={f} aria-pressed={touched && hand.role === role && hand.f === f} onClick={() => choose(role, j, f)}>{told(x, f)}</button>
            ))}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Boxes with the vectors in them. What no word that asks changes is kept. */
function Boxes({ shown, place, scale }) {
  const { query, key, value, x, word, before, drawn, at, lines } = shown;
  const { box, gives, broad, name, tall, large, sum, y, centre, output } = place;
  const rows = lines.filter(({ j }) => j !== null).map(({ j }) => j);
  const others = rows.length < lines.length ? y(rows.length) : null;
  const kept = useMemo(() => {
    const all = (draw) => rows.map((j, k) => draw(j, y(k))).join("");
    const boxes = (left, width) => all((j, middle) => framed(left, middle, width, tall));
    return {
      each: rows.map((j) => bars(value[j], place.value, 0, gives, tall, scale.value)),
      drawn: (
        <>
          <path class="box key" d={boxes(place.key, name + box)} />
          <path class="box value" d={boxes(place.value, gives)} />
          <path class="bars key" d={all((j, middle) => bars(key[j], place.key + name, middle, box, tall, scale.key))} />
          <path class="before key" d={all((j, middle) => frames(key[j], before.key[j], place.key + name, middle, box, tall, scale.key))} />
          <path class="before value" d={all((j, middle) => frames(value[j], before.value[j], place.value, middle, gives, tall, scale.value))} />
          <path class="grips" d={all((j, middle) => grips(key[j], place.key + name, middle, box, tall, scale.key) + grips(value[j], place.value, middle, gives, tall, scale.value))} />
          {others && <path class="box beyond" d={framed(place.key, others, name + box, tall) + framed(place.value, others, gives, tall)} />}
        </>
      ),
    };
  }, [key, value, before.key, before.value, rows.join(), place, scale.key, scale.value]);
  return (
    <>
      {kept.drawn}
      <g class="bars value whole">
        {kept.each.map((d, k) => <path key={k} d={d} transform={`translate(0 ${y(k)})`} />)}
      </g>
      {at === 4 && (
        <g class="bars output">
          {kept.each.map((d, k) => <path key={k} d={d} transform={`translate(0 ${y(k)}) scale(1 ${between(-1, drawn[rows[k]] || 0, 1)})`} />)}
        </g>
      )}
      <path class="box query" d={framed(0, centre, box, large)} />
      <path class="bars query" d={bars(query[word], 0, centre, box, large, scale.query)} />
      <path class="before query" d={frames(query[word], before.query[word], 0, centre, box, large, scale.query)} />
      <path class="grips" d={grips(query[word], 0, centre, box, large, scale.query)} />
      {x && <path class="box from" d={framed(0, centre + large / 2 + 57, box, 30)} />}
      {x && <path class="bars from" d={bars(x[word], 0, centre + large / 2 + 57, box, 30, largest([x]))} />}
      <path class="box output" d={framed(output, centre, broad, sum)} />
    </>
  );
}

/**
 * What each word hands over, its value times its weight. In *mix* these parts leave the values and
 * pile up in the output, each begins where the one before ends; then the sum fills their outlines.
 */
function Arriving({ shown: { at, lines, taken, row }, place, scale }) {
  const { value, output, gives, broad, tall, sum, y, centre } = place;
  const n = lines.length;
  const { wide, left } = columns(taken.length, gives);
  const { wide: piled, left: piles } = columns(taken.length, broad, BROAD);
  const high = (x, of) => tallest(of) * between(-1, x / scale || 0, 1);
  const sums = taken.map(() => 0);
  const here = at === 4;
  const pile = (f, from, to) => bar(output + piles(f), centre, high(from, sum), high(to, sum), piled);
  return (
    <g style={`--all:${n}`}>
      <path class="bars output" d={taken.map((x, f) => pile(f, 0, here ? x : 0)).join("")} />
      {lines.map(({ j, part }, k) => {
        const d = part.map((x, f) => {
          if (!x) return ""; // no outline of nothing
          if (!here) return bar(value + left(f), y(k), 0, high(x, tall), wide);
          const from = sums[f];
          sums[f] += x;
          return pile(f, from, sums[f]);
        });
        return <path key={j} class={`part ${j === row ? "near" : ""}`} style={`--nth:${k}`} d={d.join("")} />;
      })}
      <path class="bars output" d={`M${output + 4} ${centre.toFixed(1)}h${broad - 8}v.6h${8 - broad}z`} />
    </g>
  );
}

const framed = (left, middle, width, height) =>
  `M${left + 0.5} ${(middle - height / 2).toFixed(1)}h${width - 1}v${height}h${1 - width}z`;

/** The three ribbons of each row: query to key, key to value, value to output. */
function Ribbons({ shown: { at, lines, row }, place }) {
  const { full, box, key, inner, value, end, output, y, centre, tall } = place;
  const n = lines.length;
  const weights = lines.map(({ weight }) => weight);
  const widths = at < 3 ? weights.map(() => (at ? 2 : 0.6)) : shares(weights).map((share) => full * share);
  const all = at < 3 ? full : total(widths);
  let sum = centre - all / 2;
  const fan = widths.map((width) => {
    const room = at < 3 ? full / n : width;
    sum += room;
    return sum - room / 2;
  });
  return lines.map(({ j, weight }, k) => {
    const kind = `${j === row ? "near" : ""} ${at > 2 && weight < 0 ? "negative" : ""}`;
    const [w, middle] = [widths[k], y(k)];
    return (
      <g key={j} data-row={j ?? undefined} class={kind}>
        <rect class="hit" x={key} y={middle - tall / 2} width={end - key} height={tall} />
        <path class="ribbon query" d={ribbon(box, fan[k], key, middle, w)} />
        <path class="ribbon key" d={ribbon(inner, middle, value, middle, at < 3 ? 0 : w)} />
        <path class="ribbon value" d={ribbon(end, middle, output, fan[k], at < 4 ? 0.6 : w)} />
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
function Bars({ shown: { at, sums, lines }, place }) {
  const { inner, middle, row, y } = place;
  const beside = row < 34; // else below the number
  const width = beside ? middle - 52 : middle - 16;
  if (width < 12) return null;
  const low = sums.some((sum) => sum < 0) ? 0.5 : 0;
  const reach = largest([[sums]]);
  const left = inner + (beside ? 4 : 8);
  const height = beside ? Math.min(10, row - 7) : 8;
  return lines.filter(({ j }) => j !== null).map(({ j, sum, score }, k) => {
    const top = y(k) + (beside ? -height / 2 : 6);
    const length = (x, kind) => {
      const share = between(-1, x / reach || 0, 1) * (1 - low);
      return <rect class={kind} x={left + width * (low + Math.min(0, share))} y={top} width={width * Math.abs(share)} height={height} />;
    };
    return (
      <g key={j} data-row={j} class="score">
        <rect class="zero" x={left + width * low - 0.5} y={top - 2} width={1} height={height + 4} />
        {at === 2 && length(sum, "before")}
        {length(at === 1 ? sum : score, "bar")}
      </g>
    );
  });
}

const drawing = ({ who, step }) =>
  `The query of ${who}, ribbons to the keys of all words, through to their values, and into the output; step ${step}`;

// Numbers on demand

/** The arithmetic between the word that asks and one other: this step, or all up to it. */
function Closer(shown) {
  const { who, names, row, at, all } = shown;
  return (
    <div class={all ? "closer all" : "closer"} role="group" aria-label={`${who} looks at ${names[row]}`}>
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
