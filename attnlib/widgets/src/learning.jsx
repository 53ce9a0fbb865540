/** @jsxRuntime classic @jsx createElement */ // is shorter; it takes no trait called "key"
// A tagger's training, step by step: where a word looks, what it is taken for, how often that is right.

import { createElement } from "preact";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { alignment, learning } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import { unpacked } from "./arithmetic.js";
import OWN from "./learning.css";
import { AXIS, All, Curves, HEAD, MOST_LISTED, RIGHT, Ticks, Votes, isRight, range, sort } from "./learning_more.jsx";
import FOLDED from "./more.css";
import { More } from "./more.jsx";
import { useWidth } from "./mount.jsx";
import { Announcement, Choice, Heat, Sentence, asked, called, format, named, spoken } from "./parts.jsx";
import { shade } from "./shades.js";
import STAGE from "./stage.css";

export const style = STAGE + FOLDED + OWN;
export const traits = ["record", "model", "seed", "sentence", "word", "step"];

const { LEAST_LINE, SPREAD, WHY, GUESS } = learning; // a smaller weight draws no line; where all have less, it looks everywhere
const { MOST_TOLD } = alignment;
const ROOMY = 600; // pixels from which all steps stand beside what the word looks at, row by row
const SLIDE = 1200; // and from which it stands on a slide, say, whose height is given
const WHOLE = 6000; // milliseconds that playing all steps takes

const placeOfMost = (row) => row.reduce((most, x, j) => (x > row[most] ? j : most), 0);

export const measured = ({ record, model, seed, sentence, step }) => {
  const { steps, models, sentences } = record;
  const [name, at] = [models[model], steps.indexOf(step)];
  const weights = rowsOf(unpacked(record.weights[name][sentence]), record.weights[name][sentence].shape, seed);
  const [verb, votes] = ["verb", "votes"].map((what) => rowsOf(unpacked(record[what][name][sentence]), record[what][name][sentence].shape, seed)(at));
  return {
    weights: sentences[sentence].map((_, i) => weights(at, i)),
    verb: verb.map((x, i) => (record.truth[sentence][i] < 0 ? NaN : x)),
    votes,
    loss: record.loss[name][seed][at],
    accuracy: record.accuracy[name][seed][at],
  };
};

export const missing = ({ name, place, is, least, most, state: { record, sentence } }) => {
  const words = record.sentences[sentence];
  const ends = asked(least, most, { share: name !== "loss" });
  if (place.length && !(is >= 0)) return "the task is about another sentence";
  if (!place.length) return `the ${name} is ${format(is)}; ${ends} is asked`;
  const who = spoken(named(words, place[0]));
  if (name === "verb") return `${who} is taken for a verb with ${format(is)}; ${ends} is asked`;
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
  const seen = useMemo(() => inView(words, truth, word, rows[word]), [words, truth, word, rows]);
  const [frame, width] = useWidth(838);
  const roomy = width >= ROOMY;
  const side = roomy ? Math.min(340, Math.round(0.42 * width)) : 0; // what stands left of all steps
  const aligned = roomy && seen.length === words.length; // then a row of words is one of the picture, too
  const usual = seen.length <= 12 ? 24 : 20;
  const high = width < SLIDE ? usual : Math.min(usual, Math.floor(216 / seen.length)); // as high for every sentence
  const left = aligned ? 12 : lettersOf(words);
  const plot = width - side - left - RIGHT;
  const axis = { left, right: left + plot, n: steps.length, x: (k) => left + ((k + 0.5) * plot) / steps.length };
  return (
    <div class="learning">
      <p class="story"><Sentence parts={story} /></p>
      <p class="note">{WHY[truth[word] < 0 ? 0 : 1].replaceAll("{}", words[word])}</p>
      <div ref={frame} class="picture" style={roomy && { gridTemplateColumns: `${side}px 1fr` }}>
        <Steps {...{ steps, at, go, axis, side }} />
        <Sight {...{ words, word, seen, high, theme, set }} row={rows[word]} />
        <Course {...{ words, word, steps, at, history, axis, aligned, theme, go }} row={aligned ? high : 200 / words.length} />
      </div>
      <More title="what the words vote for, all words, accuracy and loss, other models and sentences">
        {controls}
        <div class="blocks">
          <Votes {...{ words, truth, word, seen, step }} verb={verbs(at)} votes={votes(at)} />
          <Curves {...{ record, steps, at, seed, curves }} />
          <All {...{ words, word, step, rows, theme }} />
        </div>
      </More>
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
  const then = `. ${step || truth[i] < 0 ? answered(truth[i], verb) : GUESS}`;
  if (!(row[most] > 0)) return [...start, " looks at nothing", then];
  if (row[most] < SPREAD) return [...start, ` looks everywhere: no word gets more than ${format(row[most])} of its attention`, then];
  const far = Math.abs(i - most);
  const whom = most === i ? ["itself"] : [{ word: words[most] }, `, ${far} ${far === 1 ? "word" : "words"} ${most < i ? "back" : "on"}`];
  const before = first ? ` (${format(first[most])} at step ${steps[0]})` : "";
  return [...start, ` gives ${format(row[most])} of its attention to `, ...whom, before, then];
}

function answered(truth, verb) {
  if (truth < 0) return "It is not ambiguous, so nothing is asked of it.";
  if (verb === 0.5) return "It is taken for neither: verb and noun have 0.50 each.";
  const verdict = isRight(truth, verb) ? "right" : `wrong, it is a ${sort(truth)}`;
  return `It is taken for a ${sort(verb)} (${format(Math.max(verb, 1 - verb))}): ${verdict}.`;
}

// Where the chosen word looks

function Sight({ words, word, seen, high, row, theme, set }) {
  const group = useId();
  const names = called(words);
  const n = seen.length;
  const y = (i) => (seen.indexOf(i) + 0.5) * high;
  const ribbon = (j) => {
    const half = (row[j] * (high - 5)) / 2;
    const side = (sign) => [y(word) + sign * half, y(j) + sign * half];
    const [[a, b], [c, d]] = [side(-1), side(1)];
    return `M0 ${a}C50 ${a} 50 ${b} 100 ${b}L100 ${d}C50 ${d} 50 ${c} 0 ${c}Z`;
  };
  return (
    <div class="sight" style={{ "--row": `${high}px` }}>
      {n < words.length && (
        <div class="listed">
          <label for={group}>word</label>
          <select id={group} value={word} onChange={(event) => set({ word: Number(event.currentTarget.value) })}>
            {words.map((_, i) => <option key={i} value={i}>{i}: {words[i]}</option>)}
          </select>
          <span class="note">({words.length - n} words folded)</span>
        </div>
      )}
      <div class="sides">
        <div>
          <p class="head by-query">who looks</p>
          <fieldset class="queries">
            <legend class="unseen">word that looks (query)</legend>
            {seen.map((i) => (
              <label key={i} class={i === word ? "chosen" : ""}>
                <input class="over" type="radio" name={group} aria-label={names[i]} checked={i === word} onChange={() => set({ word: i })} />
                <bdi title={names[i]}>{words[i]}</bdi>
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
          <p class="head by-key">at whom</p>
          <ol class="keys" aria-label={`weights of ${names[word]}, by key`}>
            {seen.map((j) => (
              <li key={j}>
                <bdi>{words[j]}</bdi>
                <span class="number" style={shade(row[j], { theme })}>{format(row[j])}</span>
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

// All steps of the chosen word

const THUMB = 26;

/** Room for the words beside the picture, on its left; *Play* stands above them. */
const lettersOf = (words) => Math.max(104, 7.5 * Math.min(12, Math.max(...words.map((one) => one.length))) + 16);

/** *Play*, and the slider of the steps above the picture of all of them. */
function Steps({ steps, at, go, axis: { left, n, x }, side }) {
  const start = side + left;
  return (
    <div class="rail">
      <Player n={n} at={at} go={go} />
      <span class="name" aria-hidden="true" style={side ? { right: `calc(100% - ${start - 20}px)` } : { left: `${x(0) - THUMB / 2}px`, top: "100%" }}>training step</span>
      <input
        type="range"
        aria-label="step"
        style={{ left: `${side + x(0) - THUMB / 2}px`, width: `${x(n - 1) - x(0) + THUMB}px` }}
        min={0}
        max={n - 1}
        value={at}
        aria-valuetext={String(steps[at])}
        onInput={(event) => go(event.currentTarget.valueAsNumber)}
      />
      <span class="bubble" aria-hidden="true" style={{ left: `${side + x(at)}px` }}>{steps[at]}</span>
      {at === 0 && n > 1 && <span class="hint" aria-hidden="true" style={{ left: `${side + x(0) + 20}px` }}>drag me</span>}
    </div>
  );
}

function Course({ words, word, steps, at, history, axis, aligned, row, theme, go }) {
  const { left, right, n, x } = axis;
  const plot = right - left;
  const column = plot / n;
  const heat = row * words.length;
  const height = heat + AXIS;
  const drawing = useRef(null);
  const follow = (event) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = drawing.current.getBoundingClientRect(); // scaled, on a slide
    const place = ((event.clientX - box.left) * ((right + RIGHT) / box.width) - left) / column;
    go(Math.max(0, Math.min(n - 1, Math.floor(place))));
  };
  const take = (event) => {
    if (event.button) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    follow(event);
  };
  return (
    <div class="course" ref={drawing}>
      <p class="head" style={{ marginInlineStart: `${x(0) + 20}px` }}>more colour: more attention</p>
      <div class="stage" style={{ height: `${height}px` }}>
        <Heat table={history} scale={1} theme={theme} style={{ left: `${left}px`, top: 0, width: `${plot}px`, height: `${heat}px` }} />
        <svg
          class="curve"
          viewBox={`0 0 ${right + RIGHT} ${height}`}
          role="img"
          aria-label={`weights of ${words[word]} at ${n} steps from ${steps[0]} to ${steps[n - 1]}. The slider chooses the step.`}
          onPointerDown={take}
          onPointerMove={follow}
        >
          {!aligned && words.map((one, j) => j % Math.ceil(12 / row) === 0 && (
            <text key={j} x={left - 8} y={(j + 0.5) * row + 4.5} text-anchor="end">{one.length > 12 ? `${one.slice(0, 11)}…` : one}</text>
          ))}
          <Ticks {...{ steps, axis }} y={heat + 18} />
          <path class="cursor" d={`M${x(at)} ${-HEAD - 6}V0`} />
          {["rim", ""].map((kind) => (
            <rect key={kind} class={kind} x={x(at) - column / 2 - 2} y={-2} width={column + 4} height={heat + 4} />
          ))}
        </svg>
      </div>
    </div>
  );
}

/** Plays the steps that are left, or all of them again. */
function Player({ n, at, go }) {
  const [playing, setPlaying] = useAfresh(false);
  useLayoutEffect(() => { // at once: a step that fell due after Pause would still be taken
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
  return <button type="button" class={playing ? "" : "asks"} onClick={press}><span aria-hidden="true">{playing ? "❚❚ " : "▸ "}</span>{playing ? "Pause" : "Play"}</button>;
}
