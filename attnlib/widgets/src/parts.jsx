// The parts that widgets are put together from. Each works from the keyboard and says its name.

import { Component } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { learning } from "../../pictures/shared.json";
import { shade } from "./shades.js";

/** A whole sentence of shared.json, with what is told at its named places. */
export const filled = (text, told) => text.replace(/{(\w+)}/g, (_, name) => told[name]);

/** The same in parts: each named place is told as a list of them. */
export const parted = (text, told) => text.split(/{(\w+)}/).flatMap((each, k) => (k % 2 ? told[each] : each));

// Numbers

/** A number as it is printed: a true minus, and no more digits than an eye can use. */
export function format(x, digits = 2) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "−inf";
  const size = Math.abs(x);
  const far = size !== 0 && (size >= 1e5 || size < 0.5 * 10 ** -digits);
  const text = far && size >= 1e5 ? x.toExponential(1) : x.toFixed(digits);
  return (/[1-9]/.test(text) ? text : text.replace("-", "")).replaceAll("-", "−");
}

/**
 * What a goal asks of a number, as exact as its ends are. Of what is `counted` these are whole as a rule;
 * a `share` lies between 0 and 1, and an end there is none.
 */
export function asked(least, most, { counted = false, share = false } = {}) {
  const loose = (digits) => [least, most].some((x) => x !== null && Math.abs(x - x.toFixed(digits)) > 1e-9);
  let digits = counted ? 0 : 2;
  while (digits < 4 && loose(digits)) digits += 1;
  const [from, to] = [least, most].map((x) => format(x, digits));
  if (least === most) return from;
  if (most === null || (share && least !== null && most >= 1)) return `at least ${from}`;
  return least === null || (share && least <= 0) ? `at most ${to}` : `${from} to ${to}`;
}

/** Round numbers from low to high, about n of them. */
export function ticks(low, high, n) {
  const rough = (high - low) / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = power * [1, 2, 5, 10].find((by) => by * power >= rough);
  const from = Math.ceil(low / step - 1e-9);
  const to = Math.floor(high / step + 1e-9);
  return Array.from({ length: to - from + 1 }, (_, i) => Number(((from + i) * step).toPrecision(6)));
}

/** Scores as they are computed with: JSON has no -inf and says null, for a key that is hidden. */
export const unhidden = (x) => (Array.isArray(x) ? x.map(unhidden) : (x ?? -Infinity));

/** How wide the widest of some words is, in pixels, in the letters of an element, as soon as it is there. */
export function widest(words, element, size) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${size}px ${element ? getComputedStyle(element).fontFamily : "sans-serif"}`;
  return Math.max(0, ...words.map((word) => pen.measureText(word).width));
}

// Controls

/** A slider with its name and its value in words. `say` turns the value into text. */
export function Slider({ label, value, min, max, step = 1, say = format, onInput, role }) {
  const id = useId();
  return (
    <div class="control">
      <label for={id} class={role && `role-${role}`}>{label}</label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={say(value)}
        onInput={(event) => onInput(event.currentTarget.valueAsNumber)}
      />
      <span class="reading" aria-hidden="true">{say(value)}</span>
    </div>
  );
}

let lie;
/** Whether sliders lie where a style has them stand, as in WebKitGTK: what stands is turned there. */
function slidersLie() {
  if (lie === undefined) {
    const input = Object.assign(document.createElement("input"), { type: "range", style: "writing-mode: vertical-lr" });
    document.body.append(input);
    lie = getComputedStyle(input).writingMode !== "vertical-lr";
    input.remove();
  }
  return lie;
}

/** A share of 1 as a bar. */
export const Bar = ({ share, kind = "" }) => (
  <span class={`bar ${kind}`}><i style={{ width: `${100 * Math.max(0, Math.min(1, share || 0))}%` }} /></span>
);

/** A score as a bar from 0 in the middle; its end is the thumb of a slider. */
export const ScoreBar = ({ label, score, far, onInput, children }) => (
  <span class="from-zero">
    <span class="lane"><span class="grown" style={{ insetInlineStart: `${50 + 50 * Math.min(0, score / far)}%`, inlineSize: `${50 * Math.abs(score / far)}%` }} />{children}</span>
    <input
      class={slidersLie() ? "lies" : ""}
      type="range"
      min={-far}
      max={far}
      step={0.1}
      value={score}
      aria-label={label}
      aria-valuetext={format(score, 1)}
      onInput={(event) => onInput(event.currentTarget.valueAsNumber)}
      onKeyDown={(event) => {
        const step = { ArrowLeft: "stepDown", ArrowRight: "stepUp" }[event.key]; // Firefox turns them round where a bar stands
        if (!step) return;
        event.preventDefault();
        event.currentTarget[step]();
        onInput(event.currentTarget.valueAsNumber);
      }}
    />
  </span>
);

/** One of several, as native radio buttons: Tab reaches them, arrow keys choose. */
export function Choice({ label, options, value, onChange, onHover, names = options, words = false }) {
  const group = useId();
  return (
    <fieldset class={words ? "choice words" : "choice"}>
      <legend>{label}</legend>
      <div class="options">
        {options.map((option, i) => (
          <label key={i} class={option === value ? "chosen" : ""} onPointerEnter={onHover && (() => onHover(option))}>
            <input
              class="over"
              type="radio"
              name={group}
              checked={option === value}
              onChange={() => onChange(option)}
            />
            <bdi title={names[i]}>{names[i]}</bdi>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** One word of a sentence, chosen by its index. */
export const WordChoice = ({ label, words, value, onChange, onHover }) => (
  <Choice
    words
    label={label}
    options={words.map((_, i) => i)}
    names={words}
    value={value}
    onChange={onChange}
    onHover={onHover}
  />
);

export function Toggle({ label, checked, onChange }) {
  return (
    <label class="toggle">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

/** A number to type, or to step through with the arrow keys. */
export function NumberField({ label, value, min, max, step, onChange }) {
  const id = useId();
  const shown = `${Number(value.toFixed(6))}`;
  return (
    <span class="number">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={min}
        max={max}
        step={step}
        value={shown} // a number would be written anew, over the point of "3."
        onInput={(event) => {
          const { value: text, valueAsNumber: typed } = event.currentTarget;
          const begun = typed === value || (typed === 0 && text.startsWith("-")); // 3. and -0.5
          if (Number.isFinite(typed) && !begun) onChange(Math.max(min, Math.min(max, typed)));
        }}
        onBlur={(event) => { event.currentTarget.value = shown; }} // one that was emptied, too
      />
    </span>
  );
}

// What is shown

/** A matrix as a table of coloured numbers. Rows and columns carry words; `said` names the table. */
export function Matrix({
  said,
  values,
  rows,
  columns,
  corner = "",
  digits = 2,
  scale = 1,
  twoSided = false,
  dense = false,
  theme,
  row = null,
  column = null,
  hidden = null,
  extra = null,
  say = (x) => format(x, digits),
  onRow,
}) {
  const extras = [].concat(extra ?? []);
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={said}>
      <table class={dense ? "matrix dense" : "matrix"} style={{ "--columns": columns.length }}>
        <thead>
          <tr>
            <th scope="col" class="corner">{corner}</th>
            {columns.map((name, j) => (
              <th scope="col" key={j} class={j === column ? "marked" : ""}><bdi title={name}>{name}</bdi></th>
            ))}
            {extras.map(({ name }) => <th scope="col" class="extra" key={name}>{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {values.map((numbers, i) => (
            <tr key={i} class={i === row ? "marked" : ""} onPointerEnter={onRow && (() => onRow(i))}>
              <th scope="row"><bdi title={rows[i]}>{rows[i]}</bdi></th>
              {numbers.map((x, j) => (
                <td
                  key={j}
                  class={hidden?.[i][j] ? "hidden" : ""}
                  style={hidden?.[i][j] ? undefined : shade(x / scale, { theme, twoSided })}
                >
                  {dense ? <span>{say(x)}</span> : say(x)}
                </td>
              ))}
              {extras.map((one) => (
                <td class={`extra ${one.wrong?.(one.values[i]) ? "wrong" : ""}`} key={one.name}>{one.say(one.values[i])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A table as colours, a column for each of its rows. A pixel is a number; the browser makes it larger. */
export function Heat({ table, theme, scale, twoSided = false, style }) {
  const canvas = useRef(null);
  const most = useMemo(() => scale ?? Math.max(...table.map((row) => Math.max(...row.map(Math.abs))), 1e-9), [table, scale]);
  useEffect(() => {
    const pen = canvas.current.getContext("2d");
    table.forEach((row, p) =>
      row.forEach((number, f) => {
        pen.fillStyle = shade(number / most, { theme, twoSided }).background;
        pen.fillRect(p, f, 1, 1);
      }),
    );
  }, [table, most, theme]);
  return <canvas ref={canvas} class="heat" width={table.length} height={table[0].length} style={style} aria-hidden="true" />;
}

/** A sentence in parts; those that are words of the text are `{ word }`. */
export const Sentence = ({ parts }) => parts.map((part, k) => (part.word === undefined ? part : <b key={k}><bdi>{part.word}</bdi></b>));

/** Which of those that are written alike a word is: "first", or nothing where it stands alone. */
function which(words, i) {
  if (words.indexOf(words[i]) === words.lastIndexOf(words[i])) return "";
  const nth = words.slice(0, i).filter((one) => one === words[i]).length;
  return learning.NTH[nth] ?? `${nth + 1}th`;
}

/** A word in parts of a sentence; one that stands there more than once by which of them it is. */
export function named(words, i) {
  const nth = which(words, i);
  return nth ? [`the ${nth} `, { word: words[i] }] : [{ word: words[i] }];
}

/** Words as headings call them: which of them, where one stands twice, and by their row where empty. */
export const called = (words) =>
  words.map((word, i) => (word.trim() ? `${which(words, i)} ${word}`.trimStart() : `(${i})`));

export const spoken = (parts) => parts.map((part) => (part.word === undefined ? part : `“${part.word}”`)).join("");

/** Named numbers, as a list of pairs. */
export const Facts = ({ facts }) => (
  <dl class="facts">
    {facts.filter(Boolean).map(([name, value, kind]) => (
      <div key={name} class={kind ?? ""}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Tells a screen reader, once the hand rests, what the eye sees. */
export function Announcement({ text }) {
  const [said, setSaid] = useState("");
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return undefined;
    }
    const waiting = setTimeout(() => setSaid(text), 400);
    return () => clearTimeout(waiting);
  }, [text]);
  return <p class="unseen" role="status">{said}</p>;
}

// The reader's own function

const PATIENCE = 2000; // milliseconds

/** What became of the reader's function: its answer, its failure in words, or that it still runs. */
export function Verdict({ _plugged, _kernel, _ended, _answer, _asked, reads }) {
  const waiting = _plugged && _kernel && (_answer?.asked ?? 0) !== (_asked ?? 0);
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!waiting) return undefined;
    const timer = setTimeout(() => setSlow(true), PATIENCE);
    return () => clearTimeout(timer);
  }, [waiting, _asked]);
  if (!_plugged) return null;
  let text = _answer.error ?? _answer.said;
  if (!_kernel) {
    text = `Run in a notebook, this ${reads ? "field asks" : "picture follows"} your own ${_answer.name}; on a page it ${reads ? "can ask nobody" : "follows attnlib's"}.`;
  } else if (_ended) {
    text = `The kernel that ran ${_answer.name} has ended: run this cell again.${reads ? "" : " Until then the picture is drawn by attnlib's own function."}`;
  } else if (slow) {
    text = `${_answer.name} is still running; if it never ends, interrupt the kernel.`;
  }
  return (
    <p class={_answer.error && _kernel ? "verdict broken" : "verdict"} role={_kernel ? "status" : undefined}>
      {text}
    </p>
  );
}

/** The answer of the reader's function to draw, `late` while it answers an older question; or null. */
export const answered = ({ _plugged, _kernel, _ended, _answer, _asked }) =>
  _plugged && _kernel && !_ended && _answer?.name && !_answer.error
    ? { ..._answer, late: _answer.asked !== _asked }
    : null;

/** Keeps one widget's failure from taking the page along. */
export class Boundary extends Component {
  state = { failed: null };

  componentDidCatch(error) {
    console.error(error);
    this.setState({ failed: error, at: this.props.children });
  }

  render({ children }, { failed, at }) {
    if (!failed || at !== children) return children; // other numbers may well be drawn
    return <p class="verdict broken" role="alert">This widget could not be drawn: {failed.message}</p>;
  }
}
