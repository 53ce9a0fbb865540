// A tagger's training, step by step: where a word looks, what it is taken for, how often that is right.

import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { alignment, learning } from "../shared.json";
import { unpacked } from "./arithmetic.js";
import OWN from "./learning.css";
import { useWidth } from "./mount.jsx";
import { Announcement, Choice, Heat, Matrix, Sentence, format, named, short, spoken, ticks } from "./parts.jsx";
import { shade } from "./shades.js";
import STAGE from "./stage.css";

export const style = STAGE + OWN;
export const traits = ["record", "model", "seed", "sentence", "word", "step"];

const { LEAST_LINE } = learning; // a smaller weight draws no line
const { MOST_TOLD } = alignment;
const MOST_LISTED = 16; // words; of more, those that are asked or looked at
const TITLE = 280; // pixels that the whole title of the accuracy needs, in a wide font
const WHOLE = 6000; // milliseconds that playing all steps takes

const range = (n) => Array.from({ length: n }, (_, i) => i);
const placeOfMost = (row) => row.reduce((most, x, j) => (x > row[most] ? j : most), 0);

export const measured = ({ record, model, seed, sentence, step }) => {
  const { steps, models, sentences } = record;
  const [name, at] = [models[model], steps.indexOf(step)];
  const weights = rowsOf(unpacked(record.weights[name][sentence]), record.weights[name][sentence].shape, seed);
  const votes = rowsOf(unpacked(record.votes[name][sentence]), record.votes[name][sentence].shape, seed);
  return {
    weights: sentences[sentence].map((_, i) => weights(at, i)),
    votes: votes(at),
    loss: record.loss[name][seed][at],
    accuracy: record.accuracy[name][seed][at],
  };
};

export const missing = ({ name, place, is, least, most, state: { record, sentence } }) => {
  const words = record.sentences[sentence];
  const ends = most === null || most >= 1 ? `at least ${format(least)}` : least === null || least <= 0 ? `at most ${format(most)}` : `${format(least)} to ${format(most)}`;
  if (!place.length) return `the ${name} is ${format(is)}; ${ends} is asked`;
  const who = spoken(named(words, place[0]));
  const what = name === "votes" ? `votes for a verb with ${format(is)}` : `gives ${format(is)} to ${spoken(named(words, place[1]))}`;
  return `${who} ${what}; ${ends} is asked`;
};

export function View({ record, model, seed, sentence, word, step, theme, set }) {
  const { steps, models, sentences } = record;
  const name = models[model];
  const words = sentences[sentence];
  const truth = record.truth[sentence];
  const at = steps.indexOf(step);
  const weights = useTable(record.weights[name][sentence], seed);
  const verbs = useTable(record.verb[name][sentence], seed);
  const votes = useTable(record.votes[name][sentence], seed);
  const history = useMemo(() => steps.map((_, k) => weights(k, word)), [weights, steps, word]);
  const rows = useMemo(() => words.map((_, i) => weights(at, i)), [weights, words, at]);
  const story = told({ words, truth, word, step, steps, row: rows[word], first: at > 0 ? history[0] : null, verb: verbs(at)[word] });
  const go = (k) => steps[k] !== step && set({ step: steps[k] });
  const curves = { loss: record.loss[name], accuracy: record.accuracy[name] };
  const number = useId();
  const controls = useMemo(() => (
    <div class="controls">
      <Choice label="model" options={range(models.length)} names={models} value={model} onChange={(m) => set({ model: m })} />
      <Choice label="seed" options={range(curves.loss.length)} value={seed} onChange={(s) => set({ seed: s })} />
      <div class="sentence">
        <label for={number}>sentence</label>
        <select
          id={number}
          value={sentence}
          onChange={(event) => {
            const chosen = Number(event.currentTarget.value);
            const last = record.truth[chosen].findLastIndex((right) => right >= 0);
            set({ sentence: chosen, word: Math.max(0, last) });
          }}
        >
          {sentences.map((one, s) => <option key={s} value={s}>{one.join(" ")}</option>)}
        </select>
      </div>
    </div>
  ), [record, model, seed, sentence, set]);
  return (
    <div class="learning">
      {controls}
      <p class="story"><Sentence parts={story} /></p>
      <div class="blocks">
        <Sight {...{ words, truth, word, step, theme, set }} row={rows[word]} verb={verbs(at)} votes={votes(at)} />
        <Course {...{ record, words, word, steps, at, seed, history, curves, theme, go }} />
        <All {...{ words, word, step, rows, theme }} />
      </div>
      <Announcement text={spoken(story)} />
    </div>
  );
}

/** What is recorded of a seed, as a function of the step's place: the numbers, or a row of them. */
function useTable(packed, seed) {
  const numbers = useMemo(() => unpacked(packed), [packed]);
  return useMemo(() => rowsOf(numbers, packed.shape, seed), [numbers, seed]);
}

function rowsOf(numbers, shape, seed) {
  const [, nSteps, n] = shape;
  const size = shape.slice(2).reduce((product, k) => product * k, 1);
  return (at, i = 0) => {
    const start = (seed * nSteps + at) * size + i * n;
    return Array.from(numbers.subarray(start, start + n));
  };
}

// In words

/** Where the word looks and what follows, in parts of a sentence: Learning._told. */
function told({ words, truth, word: i, step, steps, row, first, verb }) {
  const most = placeOfMost(row);
  const start = [`At step ${step}, `, ...named(words, i)];
  const then = `. ${answered(truth[i], verb)}`;
  if (!(row[most] > 0)) return [...start, " looks at nothing", then];
  const far = Math.abs(i - most);
  const whom = most === i ? ["itself"] : [{ word: words[most] }, `, ${far} ${far === 1 ? "word" : "words"} ${most < i ? "back" : "on"}`];
  const before = first ? ` (${format(first[most])} at step ${steps[0]})` : "";
  return [...start, ` gives ${format(row[most])} of its attention to `, ...whom, before, then];
}

const sort = (verb) => (verb > 0.5 ? "verb" : "noun");

function answered(truth, verb) {
  if (truth < 0) return "It is not ambiguous, so nothing is asked of it.";
  if (verb === 0.5) return "It is taken for neither: verb and noun have 0.50 each.";
  const verdict = isRight(truth, verb) ? "right" : `wrong: it is a ${sort(truth)}`;
  return `It is taken for a ${sort(verb)} with ${format(Math.max(verb, 1 - verb))}, which is ${verdict}.`;
}

const isRight = (truth, verb) => verb !== 0.5 && verb > 0.5 === (truth === 1);

// Where the chosen word looks, and what each ambiguous word is taken for

function Sight({ words, truth, word, step, row, verb, votes, theme, set }) {
  const group = useId();
  const seen = useMemo(() => inView(words, truth, word, row), [words, truth, word, row]);
  const n = seen.length;
  const high = n <= 12 ? 24 : 20;
  const y = (i) => (seen.indexOf(i) + 0.5) * high;
  const ribbon = (j) => {
    const half = (row[j] * (high - 5)) / 2;
    const side = (sign) => [y(word) + sign * half, y(j) + sign * half];
    const [[a, b], [c, d]] = [side(-1), side(1)];
    return `M0 ${a}C50 ${a} 50 ${b} 100 ${b}L100 ${d}C50 ${d} 50 ${c} 0 ${c}Z`;
  };
  return (
    <div class="sight" style={{ "--row": `${high}px` }}>
      <p class="title">
        Where “<bdi>{words[word]}</bdi>” looks at step {step}
        {n < words.length && <span class="note"> ({words.length - n} words folded)</span>}
      </p>
      {n < words.length && (
        <div class="listed">
          <label for={group}>word</label>
          <select id={group} value={word} onChange={(event) => set({ word: Number(event.currentTarget.value) })}>
            {words.map((_, i) => <option key={i} value={i}>{i}: {words[i]}</option>)}
          </select>
        </div>
      )}
      <div class="sides">
        <div class="answers">
          <p class="head"><span class="as-verb">verb</span> <span class="as-noun">noun</span></p>
          <ol aria-label="what each ambiguous word is taken for">
            {seen.map((i) => (truth[i] < 0 ? <li key={i} aria-hidden="true" /> : (
              <li key={i} class={`${i === word ? "chosen" : ""} ${isRight(truth[i], verb[i]) ? "" : "wrong"}`}>
                <span class="unseen">{words[i]}, word {i}: </span>
                <span class="split" aria-hidden="true"><span style={{ width: `${100 * verb[i]}%` }} /></span>
                <span>{verb[i] === 0.5 ? "none" : sort(verb[i])} {format(Math.max(verb[i], 1 - verb[i]))}</span>
                <span aria-hidden="true">{isRight(truth[i], verb[i]) ? "✓" : "✗"}</span>
                <span class="unseen">{isRight(truth[i], verb[i]) ? "right" : "wrong"}</span>
              </li>
            )))}
          </ol>
        </div>
        <div>
          <p class="head by-query">query</p>
          <fieldset class="queries">
            <legend class="unseen">word that looks (query)</legend>
            {seen.map((i) => (
              <label key={i} class={i === word ? "chosen" : ""}>
                <input type="radio" name={group} checked={i === word} onChange={() => set({ word: i })} />
                <bdi title={words[i]}>{words[i]}</bdi>
              </label>
            ))}
          </fieldset>
        </div>
        <svg class="ribbons" viewBox={`0 0 100 ${n * high}`} style={{ height: `${n * high}px` }} preserveAspectRatio="none" aria-hidden="true">
          {seen.filter((j) => row[j] >= LEAST_LINE).map((j) => (
            <path key={j} d={ribbon(j)} style={{ opacity: 0.25 + 0.7 * row[j] }} />
          ))}
        </svg>
        <div>
          <p class="head both"><span class="by-key">key</span> <span>votes</span></p>
          <ol class="keys" aria-label={`weights of ${words[word]}, by key`}>
            {seen.map((j) => (
              <li key={j}>
                <bdi>{words[j]}</bdi>
                <span class="number" style={shade(row[j], { theme })}>{format(row[j])}</span>
                <span class="split" aria-hidden="true"><span style={{ width: `${100 * votes[j]}%` }} /></span>
                <span class="unseen">votes for {votes[j] === 0.5 ? "neither" : sort(votes[j])} with {format(Math.max(votes[j], 1 - votes[j]))}</span>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </div>
  );
}

/** The words that are listed: all, or of many the chosen one, five that are asked and five that it looks at. */
function inView(words, truth, word, row) {
  const all = range(words.length);
  if (words.length <= MOST_LISTED) return all;
  const largest = [...all].sort((j, k) => row[k] - row[j]).slice(0, MOST_TOLD);
  const asked = all.filter((i) => truth[i] >= 0).sort((i, j) => Math.abs(i - word) - Math.abs(j - word)).slice(0, MOST_TOLD);
  return all.filter((i) => i === word || largest.includes(i) || asked.includes(i));
}

// All steps of the chosen word, and the curves, on one axis

const RAIL = 36; // the height of the slider, and what stands below it
const CURVE = 58;
const HEAD = 26; // a curve's name
const RIGHT = 16;
const THUMB = 26;

function Course({ record, words, word, steps, at, seed, history, curves, theme, go }) {
  const [frame, width] = useWidth(440);
  const n = steps.length;
  const letters = Math.min(12, Math.max(...words.map((one) => one.length)));
  const left = Math.max(74, 7.5 * letters + 16);
  const plot = width - left - RIGHT;
  const column = plot / n;
  const row = 200 / words.length; // as high for every sentence: nothing jumps, a slide stays full
  const heat = row * words.length;
  const tops = { accuracy: RAIL + heat + HEAD, loss: RAIL + heat + 2 * HEAD + CURVE };
  const height = tops.loss + CURVE + 38;
  const x = (k) => left + (k + 0.5) * column;
  const bounds = useMemo(() => reach(record), [record]);
  const follow = (event) => {
    const drawing = event.currentTarget;
    if (!drawing.hasPointerCapture(event.pointerId)) return;
    const box = drawing.getBoundingClientRect();
    const place = ((event.clientX - box.left) * (width / box.width) - left) / column;
    go(Math.max(0, Math.min(n - 1, Math.floor(place))));
  };
  const take = (event) => {
    if (event.button) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    follow(event);
  };
  const said = `loss ${format(curves.loss[seed][at])}, accuracy on unseen sentences ${format(curves.accuracy[seed][at], 3)}`;
  return (
    <div class="course">
      <p class="title">How it came to look there</p>
      <div class="stage" ref={frame} style={{ height: `${height}px` }}>
        <Heat table={history} scale={1} theme={theme} style={{ left: `${left}px`, top: `${RAIL}px`, width: `${plot}px`, height: `${heat}px` }} />
        <svg
          class="curve"
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`weights of ${words[word]} at ${n} steps from ${steps[0]} to ${steps[n - 1]}, with the curves of accuracy and loss. At step ${steps[at]}: ${said}. The slider chooses the step.`}
          onPointerDown={take}
          onPointerMove={follow}
        >
          {words.map((one, j) => j % Math.ceil(12 / row) === 0 && (
            <text key={j} x={left - 8} y={RAIL + (j + 0.5) * row + 4.5} text-anchor="end">{one.length > 12 ? `${one.slice(0, 11)}…` : one}</text>
          ))}
          {Object.entries(tops).map(([what, top]) => (
            <Curve key={what} {...{ what, top, left, x, seed, at }} right={width - RIGHT} bounds={bounds[what]} seeds={curves[what]} />
          ))}
          {apart(n, plot / 52).map((k) => (
            <text key={k} class="soft" x={x(k)} y={tops.loss + CURVE + 18} text-anchor="middle">{steps[k]}</text>
          ))}
          <text class="soft" x={left - 8} y={tops.loss + CURVE + 18} text-anchor="end">step</text>
          <path class="cursor" d={`M${x(at)} ${RAIL - 8}V${RAIL}M${x(at)} ${RAIL + heat}V${tops.loss + CURVE}`} />
          {["rim", ""].map((kind) => (
            <rect key={kind} class={kind} x={x(at) - column / 2 - 2} y={RAIL - 2} width={column + 4} height={heat + 4} />
          ))}
        </svg>
        <div class="rail">
          <Player n={n} at={at} go={go} />
          <input
            type="range"
            aria-label="step"
            style={{ left: `${x(0) - THUMB / 2}px`, width: `${plot - column + THUMB}px` }}
            min={0}
            max={n - 1}
            value={at}
            aria-valuetext={String(steps[at])}
            onInput={(event) => go(event.currentTarget.valueAsNumber)}
          />
          <span class="bubble" aria-hidden="true" style={{ left: `${x(at)}px` }}>{steps[at]}</span>
        </div>
      </div>
    </div>
  );
}

/** Plays the steps that are left, or all of them again. */
function Player({ n, at, go }) {
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return undefined;
    if (at === n - 1) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => go(at + 1), Math.max(60, Math.min(350, WHOLE / n)));
    return () => clearTimeout(timer);
  }, [playing, at]);
  const press = () => {
    if (!playing && at === n - 1) go(0);
    setPlaying(!playing && n > 1);
  };
  return <button type="button" onClick={press}>{playing ? "Pause" : "Play"}</button>;
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
          <text class="soft" x={left - 8} y={y(mark) + 4} text-anchor="end">{what === "accuracy" && mark === 0.5 ? "chance .5" : mark}</text>
        </g>
      ))}
      {seeds.map((values, s) => s !== seed && <polyline key={s} class="other" points={path(values)} />)}
      <polyline class="main" points={path(seeds[seed])} />
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

/** At most so many of n places, evenly spaced from the first to the last. */
function apart(n, most) {
  const k = Math.max(1, Math.min(n, Math.floor(most)));
  return [...new Set(range(k).map((i) => Math.round((i * (n - 1)) / Math.max(1, k - 1))))];
}

// The weights of all words

function All({ words, word, step, rows, theme }) {
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
        say={(x) => (x > 0 ? short(x) : "")}
      />
    </div>
  );
}
