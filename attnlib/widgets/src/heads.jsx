/** @jsxRuntime classic @jsx createElement @jsxFrag Fragment */ // is shorter; it takes no trait called "key"
// One head's weights for a word as ribbons, all heads as small maps, and what each of them brings.

import { Component, Fragment, createElement } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { heads } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import { mergedShares, unpacked } from "./arithmetic.js";
import OWN from "./heads.css";
import FOLDED from "./more.css";
import { More } from "./more.jsx";
import { useWidth } from "./mount.jsx";
import { Announcement, Sentence, Verdict, WordChoice, asked, format, spoken, widest } from "./parts.jsx";
import { HEADS, INKS, bytes, shade, tint } from "./shades.js";

export const style = OWN + FOLDED;
export const traits = ["weights", "words", "values", "sentence", "layer", "head", "word", "off"];

// A smaller weight draws no line; more keys are folded; a smaller fall is not told.
const { LEAST_LINE, MOST_ROWS, FEW, LISTED, LONGEST } = heads;
const REST = 300; // milliseconds for which a hand that types has rested
const BROKEN = ["none", "8 4", "2 3", "9 3 2 3"]; // from the ninth head on colours come again
const EDGES = ["solid", "dashed", "dotted", "double"];
const FULL = 24; // pixels of a ribbon that has all the weight
const BAR = 52; // pixels of the highest bar
const [SMALLEST, NAMED, LARGEST, HIGHEST] = [8, 48, 72, 300]; // pixels of a head's map; of all of them together

const colorOf = (head, theme) => HEADS[theme][head % HEADS[theme].length];
/** A head's own colour: of all where all are drawn, of one alone where one is looked at. */
const shownIn = (h, head, theme) => (head === null || h === head ? colorOf(h, theme) : INKS[theme].line);
const patternOf = (head) => Math.floor(head / HEADS.light.length) % BROKEN.length;
const range = (n) => Array.from({ length: n }, (_, i) => i);
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

export function View(props) {
  const { weights: packed, words, values, layer, head: chosen, off, theme, large, set } = props;
  const shape = shapeOf(packed);
  const [pointed, setPointed] = useAfresh({}); // a head or a word on which the pointer rests
  const [over, setAsked] = useAfresh(null); // a key
  const asks = Math.min(props.word, words.length - 1); // the sentence may just have become shorter
  const head = pointed.head ?? chosen;
  const word = pointed.word < words.length ? pointed.word : asks;
  const asked = over < words.length ? over : null;
  const rows = rowsOf(packed, layer);
  const shares = sharesOf(rows, values, layer);
  const look = useMemo(() => lookOf({ rows, off, head, word, asked }), [rows, off, head, word, asked]);
  const own = shares?.map((of) => of[word]);
  const [sentence, wide] = useWidth();
  useLayoutEffect(() => keepInView(sentence.current, sentence.current.querySelector(".chosen")), [words, asks, wide]);
  const choose = (patch) => {
    setPointed({}); // a pointer that rests on a word must not hide what the keys choose
    setAsked(null);
    set(patch);
  };
  const nameOf = (l, h) => (shape[0] > 1 ? `layer ${l}, head ${h}` : `head ${h}`);
  const both = [told({ look, words, word, head, off, nHeads: rows.length, name: nameOf(layer, head) }), lossOf({ look, words, word, off, own, nHeads: rows.length })];
  const [story, loss] = head === null && off.length && asked === null ? both.reverse() : both; // of all heads, some off, the loss is said large
  return (
    <>
      {props._plugged && !large && <Typed {...props} ask={(sentence) => choose({ sentence, word: asks, words, weights: packed, values })} />}
      <div class="heads">
        <p class="story"><Sentence parts={story} /></p>
        <div class="sentence" ref={sentence} onPointerLeave={() => setPointed({})}>
          <WordChoice
            label="word that asks (query)"
            words={words}
            value={asks}
            onChange={(place) => choose({ word: place })}
            onHover={(place) => place !== word && setPointed({ word: place })}
          />
        </div>
        <div class="columns">
          <Look {...{ look, words, word, head, off, theme, large, setAsked }} />
          <Maps {...{ numbers: numbersOf(packed), shape, layer, head: chosen, own: look.own, words, word, off, theme, large, choose, setPointed, nameOf }} />
        </div>
        <More title={`turn heads off: what does “${words[word]}” lose?`} needed={off.length > 0}>
          <Parts {...{ rows, words, word, head: chosen, own, off, theme, set, setPointed }} />
          <p class="loss"><Sentence parts={loss} /></p>
        </More>
        <Announcement text={`${spoken(story)} ${spoken(loss)}`} />
      </div>
    </>
  );
}

/**
 * The sentence, to be typed anew. The reader's function is asked once the hand rests, and about one at
 * a time. What is shown goes along, so that *Reset* brings it back where nobody can be asked.
 */
function Typed({ ask, ...props }) {
  const { sentence, word, _kernel, _ended, _answer, _asked } = props;
  const [text, setText] = useAfresh(sentence);
  const waiting = _answer.asked !== _asked;
  useEffect(() => setText(sentence), [sentence]);
  useEffect(() => {
    if (text === sentence || waiting) return undefined;
    const timer = setTimeout(() => ask(text), REST);
    return () => clearTimeout(timer);
  }, [text, sentence, waiting, word]);
  return (
    <>
      <label class="typed">
        sentence <input value={text} maxlength={LONGEST} disabled={!_kernel || _ended} onKeyDown={(event) => event.stopPropagation()} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <Verdict {...props} reads />
    </>
  );
}

/** Scroll a box, and nothing around it, to where one of its parts is seen. */
function keepInView(box, { offsetTop, offsetHeight }) {
  const hidden = offsetTop < box.scrollTop || offsetTop + offsetHeight > box.scrollTop + box.clientHeight;
  if (hidden) box.scrollTop = offsetTop - (box.clientHeight - offsetHeight) / 2;
}

/** What a goal can ask about. */
export function measured({ weights, values, layer, word, off }) {
  const rows = rowsOf(weights, layer);
  const { seen } = lookOf({ rows, off, head: null, word, asked: null });
  const shares = sharesOf(rows, values, layer);
  const lost = shares && rows[0].map((_, i) => sum(off.map((h) => shares[h][i])));
  return { seen, n_off: off.length, ...(lost && { lost }) };
}

export function missing({ name, place: [place], is, least, most, state: { words } }) {
  const word = `“${words[place]}”`;
  if (name === "n_off") return `${is} heads are off; ${asked(least, most, { counted: true })} are asked.`;
  return `${word} ${name === "lost" ? "loses" : "gets up to"} ${format(is)}; ${asked(least, most, { share: true })} is asked.`;
}

// What follows from the weights. Computed once: they are many, and each key and move asks anew.

const kept = new WeakMap();

function once(of, name, make) {
  if (!kept.has(of)) kept.set(of, new Map());
  if (!kept.get(of).has(name)) kept.get(of).set(name, make());
  return kept.get(of).get(name);
}

const shapeOf = ({ shape }) => [1, ...shape].slice(-4);
const numbersOf = (packed) => once(packed, "numbers", () => unpacked(packed));

/** The rows of a layer's heads: [head][query] is an array of numbers. */
function rowsOf(packed, layer) {
  const [, nHeads, n, wide] = shapeOf(packed);
  const row = (h, i) => numbersOf(packed).subarray(((layer * nHeads + h) * n + i) * wide).subarray(0, wide);
  return once(packed, layer, () => range(nHeads).map((h) => range(n).map((i) => row(h, i))));
}

/** How much of each word's merged output each head brings, [head][word], or null without values. */
function sharesOf(rows, values, layer) {
  if (!values) return null;
  const handed = () => rowsOf(values, layer).map((of) => of.map((row) => row.map((x) => (2 * x - 1) * values.most)));
  return once(rows, values, () => mergedShares(rows, handed()));
}

function placeOfMost(row) {
  let most = 0;
  for (let j = 1; j < row.length; j += 1) if (row[j] > row[most]) most = j;
  return most;
}

/** Where one head looks from the word, or all that are on: what is told of it, and which keys are in view. */
function lookOf({ rows, off, head, word, asked }) {
  const own = rows.map((of) => of[word]);
  const n = own[0].length;
  const on = range(own.length).filter((h) => !off.includes(h));
  const lookers = range(n).map(() => []); // of each key: the heads that look most at it
  for (const h of on) if (own[h].some((w) => w > 0)) lookers[placeOfMost(own[h])].push(h);
  const amounts = head === null ? lookers.map((of) => of.length) : own[head];
  const key = asked ?? (amounts.some((x) => x > 0) ? placeOfMost(amounts) : null);
  const most = (of) => range(n).map((j) => of.reduce((all, h) => Math.max(all, own[h][j]), 0));
  const seen = most(on);
  const falls = most(range(own.length)).map((w, j) => w - seen[j]);
  const missed = on.length && falls[placeOfMost(falls)] >= FEW ? placeOfMost(falls) : null;
  const named = [key, missed].filter((j) => j !== null);
  const bySize = range(n).filter((j) => !named.includes(j)).sort((a, b) => amounts[b] - amounts[a]);
  const kept = n > MOST_ROWS ? [...new Set(named), ...bySize].slice(0, 5).sort((a, b) => a - b) : range(n);
  return { own, on, lookers, key, asked, seen, missed, kept, beyond: n - kept.length };
}

/** The story: where the word looks. */
function told({ look: { own, on, lookers, key, asked }, words, word, head, off, nHeads, name }) {
  const asks = { word: words[word] };
  if (head !== null) {
    const of = `In ${name}${off.includes(head) ? " (off)" : ""}, `;
    if (key === null) return [of, asks, " looks at nothing."];
    return [of, asks, " gives ", { word: words[key] }, ` ${format(own[head][key])} of its attention.`];
  }
  if (key === null) return ["No head that is on looks anywhere from ", asks, "."];
  const count = lookers[key].length;
  const of = on.length === nHeads ? "heads" : "heads that are on";
  if (count === 1 && on.length > 1 && asked === null) return ["From ", asks, `, each of the ${on.length} ${of} looks most at another word.`];
  return [`${count} of ${on.length} ${of} ${count === 1 ? "looks" : "look"} from `, asks, " most at ", { word: words[key] }, "."];
}

/** What the word's merged output loses without the heads that are off. */
function lossOf({ look: { seen, missed }, words, word, off, own, nHeads }) {
  const asks = { word: words[word] };
  if (!off.length) return ["All heads are on. Turn one off: what does ", asks, " lose?"];
  if (off.length === nHeads) return ["Without any head, the merged output of ", asks, " is all zeros."];
  const without = `Without ${listed(off)}, `;
  const lost = own && format(sum(off.map((h) => own[h])));
  const zeros = `${off.length} of ${nHeads} parts of the merged output ${off.length === 1 ? "is" : "are"} all zeros.`;
  const said = own ? [without, asks, ` loses ${lost} of what all heads bring it.`] : [without + zeros];
  if (missed === null) return said;
  return [...said, " No other head gives ", { word: words[missed] }, ` more than ${format(seen[missed])}.`];
}

function listed(few) {
  if (few.length > LISTED) return `these ${few.length} heads`;
  return few.length === 1 ? `head ${few[0]}` : `heads ${few.slice(0, -1).join(", ")} and ${few.at(-1)}`;
}

// Ribbons from the word to the keys

const COARSE = matchMedia("(pointer: coarse)");

function Look({ look, words, word, head, off, theme, large, setAsked }) {
  const [element, width] = useWidth(480);
  const group = useId();
  const { own, on, lookers, key, kept, beyond } = look;
  const row = COARSE.matches ? 28 : large ? 26 : width > 600 ? 28 : 24;
  const height = row * (kept.length + (beyond > 0));
  const wide = (some) => Math.max(40, Math.min(1.15 * widest(some, element.current, large ? 16 : 14) + 16, 0.3 * width)); // bold is broader
  const from = wide([words[word]]);
  const to = width - wide(kept.map((j) => words[j])) - (head === null ? 110 : 43);
  const middle = (j) => row * ((kept.includes(j) ? kept.indexOf(j) : kept.length - (beyond === 0)) + 0.5);
  const start = kept.includes(word) ? middle(word) : height / 2;
  const lines =
    head === null
      ? on.map((h, slot) => [h, placeOfMost(own[h]), ((slot + 0.5) / on.length - 0.5) * (row - 4), FULL / 3])
      : kept.map((j) => [head, j, 0, FULL]);
  const drawn = lines.filter(([h, j]) => own[h][j] >= LEAST_LINE);
  const half = (from + to) / 2;
  const named = (some) => some.map((h) => <i key={h} style={tint(colorOf(h, theme), 1, theme)}>{h}</i>);
  return (
    <div class="look" ref={element} style={{ height: `${height}px` }} onPointerLeave={() => setAsked(null)}>
      <svg width={width} height={height} aria-hidden="true">
        {drawn.map(([h, j, aside, full]) => (
          <path
            key={head === null ? h : j}
            d={`M${from} ${start + aside}C${half} ${start + aside} ${half} ${middle(j)} ${to} ${middle(j)}`}
            stroke={off.includes(h) ? INKS[theme].line : colorOf(h, theme)}
            stroke-width={Math.max(0.7, full * own[h][j])}
            stroke-dasharray={head === null ? BROKEN[patternOf(h)] : "none"}
          />
        ))}
      </svg>
      <b class="asks" style={{ top: `${start - row / 2}px`, height: `${row}px`, width: `${from - 6}px` }}>
        <bdi title={words[word]}>{words[word]}</bdi>
      </b>
      <fieldset class="queries keys" style={{ left: `${to}px`, width: `${width - to}px` }}>
        <legend class="unseen">word looked at (key)</legend>
        {kept.map((j) => (
          <label
            key={j}
            class={j === key ? "chosen" : ""}
            style={{ height: `${row}px` }}
            onPointerEnter={(event) => event.pointerType !== "touch" && setAsked(j)}
          >
            <input
              class="over"
              type="radio"
              name={group}
              checked={j === key}
              aria-label={`${words[j]} ${head === null ? `heads: ${lookers[j].join(", ") || "none"}` : format(own[head][j])}`}
              onChange={() => setAsked(j)}
            />
            <bdi title={words[j]}>{words[j]}</bdi>
            {head === null ? named(lookers[j]) : j === key && <span>{format(own[head][j])}</span>}
          </label>
        ))}
        {beyond > 0 && (
          <p class="others" style={{ height: `${row}px` }}>
            {beyond} others {head === null && named(lookers.flatMap((of, j) => (kept.includes(j) ? [] : of)))}
          </p>
        )}
      </fieldset>
    </div>
  );
}

// All layers and heads, each a small map

function Maps({ numbers, shape, layer, head, own, words, word, off, theme, large, choose, setPointed, nameOf }) {
  const [element, width] = useWidth(300);
  const [nLayers, nHeads, n] = shape;
  const several = nLayers > 1;
  const left = several ? 26 : 2;
  const above = several ? 20 : 2; // the maps
  const below = several ? 3 : large ? 27 : 21; // each of them
  const gap = several ? 3 : 8;
  const rowsFor = (columns) => (several ? nLayers : Math.ceil(nHeads / columns));
  const sizeFor = (columns) => Math.min((width - left) / columns - gap, HIGHEST / rowsFor(columns) - below, LARGEST);
  const tried = several ? [nHeads] : [12, 6, 4, 8].map((columns) => Math.min(columns, nHeads));
  const columns = tried.reduce((best, one) => (sizeFor(one) > sizeFor(best) ? one : best));
  const nRows = rowsFor(columns);
  const size = Math.max(SMALLEST, Math.floor(sizeFor(columns)));
  const [across, down] = [size + gap, size + below];
  const grid = useRef(null);
  const latest = useRef(choose); // rows of maps are kept as they are, and must not keep an old one
  latest.current = choose;
  const at = layer * nHeads + (head ?? 0);
  const move = (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
    const first = at - (at % columns);
    const ends = { Home: first, End: Math.min(first + columns, nLayers * nHeads) - 1, Enter: at, " ": at };
    const next = ends[event.key] ?? at + (steps[event.key] ?? 0);
    if (!(event.key in steps || event.key in ends)) return;
    event.preventDefault();
    if (next < 0 || next >= nLayers * nHeads) return;
    choose({ layer: Math.floor(next / nHeads), head: next % nHeads });
    grid.current.querySelectorAll("[role=gridcell]")[next].focus();
  };
  const draw = (pen, style) => drawMaps(pen, style, { numbers, shape, theme, size, columns, left, above, below, across, down, head, named: size >= NAMED });
  const of = (place) => {
    const [l, h] = [Math.floor(place / nHeads), place % nHeads];
    const chosen = l === layer && h === head;
    return (
      <div
        key={place}
        role="gridcell"
        class={l === layer && off.includes(h) ? "off" : ""}
        aria-selected={chosen}
        aria-label={nameOf(l, h)}
        title={nameOf(l, h)}
        tabindex={place === at ? 0 : -1}
        onClick={() => latest.current({ layer: l, head: h })}
        onPointerEnter={(event) => l === layer && event.pointerType !== "touch" && setPointed({ head: h })}
      >
        {named && <span aria-hidden="true">{h} <bdi>{own[h].some((w) => w) && words[placeOfMost(own[h])]}</bdi></span>}
      </div>
    );
  };
  const thick = size / n; // of a word's row in a map
  const framed = thick >= 3;
  const named = !several && size >= NAMED; // each map by its head, and by the word at which that looks most
  const whole = { width: Math.max(left + across * columns, 40), height: above + down * nRows };
  return (
    <div class="birds-eye" ref={element}>
      <div class="bar">
        <p class="title">{several ? <>Heads <span class="soft">· each line is a layer</span></> : `All ${nHeads} heads`}{named && <>: where “<bdi>{words[word]}</bdi>” looks most</>}</p>
        {nHeads > 1 && (
          <button type="button" aria-pressed={head === null} onClick={() => choose({ head: head === null ? 0 : null })}>
            all at once
          </button>
        )}
      </div>
      <div
        class="eye"
        style={{ overflow: whole.width > width || whole.height > 400 ? "auto" : "hidden" }}
        onPointerLeave={() => setPointed({})}
      >
        <Canvas {...whole} draw={draw} on={[numbers, theme, size, columns, head]} />
        <div role="grid" aria-label="heads: choose one" class={framed ? "framed" : ""} ref={grid} style={{ left: `${left}px`, top: `${above}px`, "--top": `${thick * word}px`, "--thick": `${thick}px` }} onKeyDown={move}>
          {range(nRows).map((r) => {
            const inRow = range(Math.min(columns, nLayers * nHeads - r * columns)).map((c) => r * columns + c);
            const mine = inRow.includes(at) || inRow.some((place) => Math.floor(place / nHeads) === layer);
            return (
              <Kept
                key={r}
                by={[size, columns, numbers, named && word, mine ? `${at} ${head} ${off}` : null]}
                draw={() => (
                  <div role="row" style={{ gridTemplateColumns: `repeat(${columns}, ${size}px)`, gap: `${gap}px`, height: `${size}px`, marginBottom: `${below}px` }}>
                    {inRow.map(of)}
                  </div>
                )}
              />
            );
          })}
        </div>
      </div>
      <p class="soft reads">
        Press a map to see it. A row is a word that asks{framed && <> (framed: <b><bdi>{words[word]}</bdi></b>)</>}, a column a word it looks at. The stronger the colour, the more.{words[0] === "[CLS]" && " [CLS] and [SEP] mark both ends."}
      </p>
    </div>
  );
}

function drawMaps(pen, style, { numbers, shape, theme, size, columns, left, above, below, across, down, head, named }) {
  const [nLayers, nHeads, n] = shape;
  const several = nLayers > 1;
  const ink = INKS[theme];
  const colors = range(256).map((k) => bytes(shade(k / 255, { theme }).background));
  pen.imageSmoothingEnabled = false;
  pen.textAlign = "center";
  pen.font = `${style.fontSize} ${style.fontFamily}`;
  const side = Math.min(n, Math.round(size * (globalThis.devicePixelRatio || 1)));
  for (let place = 0; place < nLayers * nHeads; place += 1) {
    const [x, y] = [left + across * (place % columns), above + down * Math.floor(place / columns)];
    const most = pooled(n, side, numbers.subarray(place * n * n, (place + 1) * n * n));
    pen.drawImage(picture(side, colors, most), x, y, size, size);
    pen.strokeStyle = ink.faint;
    pen.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
    const [h, l] = [place % nHeads, Math.floor(place / nHeads)];
    if ((several ? l === 0 : true) && (size >= 14 || h % 2 === 0)) {
      const line = several ? 12 : y + size + below / 2 - 2.5;
      pen.fillStyle = ink.ink;
      if (several || !named) pen.fillText(h, x + size / 2, line - (several ? 4 : 0));
      pen.fillStyle = shownIn(h, head, theme);
      if (!named || head === null || h === head) pen.fillRect(x + size / 2 - 8, line + (several ? 2 : below / 2 - 1), 16, 2);
    }
    if (several && h === 0 && (size >= 12 || l % 2 === 0)) {
      pen.fillStyle = ink.soft;
      pen.fillText(l, left - 12, y + size / 2);
    }
  }
}

/** The n × n weights as side × side: of those that share a place the largest. */
function pooled(n, side, weights) {
  const most = new Float64Array(side * side);
  for (let i = 0; i < n; i += 1) {
    const line = Math.floor((i * side) / n) * side;
    for (let j = 0; j < n; j += 1) {
      const place = line + Math.floor((j * side) / n);
      most[place] = Math.max(most[place], weights[i * n + j]);
    }
  }
  return most;
}

/** A picture of side × side pixels, on a canvas of its own; of the root, since most weights are small. */
function picture(side, colors, weights) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [side, side];
  const image = new ImageData(side, side);
  weights.forEach((w, k) => image.data.set([...colors[Math.min(255, Math.round(255 * Math.sqrt(w)))], 255], 4 * k));
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Draw on a canvas, sharp on any screen, whenever what it shows has changed. */
function Canvas({ width, height, draw, on }) {
  const element = useRef(null);
  useLayoutEffect(() => {
    const canvas = element.current;
    const dense = globalThis.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(width * dense), Math.round(height * dense)];
    const pen = canvas.getContext("2d");
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.textBaseline = "middle";
    draw(pen, getComputedStyle(canvas));
  }, [width, height, ...on]);
  return <canvas ref={element} style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true" />;
}

/** What is drawn anew only if one of `by` has changed. */
class Kept extends Component {
  shouldComponentUpdate({ by }) {
    return by.some((x, i) => x !== this.props.by[i]);
  }

  render({ draw }) {
    return draw();
  }
}

// What each head brings: a bar above the switch that turns it off. One stop of Tab, then arrow keys.

function Parts({ rows, words, word, head, own, off, theme, set, setPointed }) {
  const [at, setAt] = useState(0);
  const n = rows.length;
  const most = own && Math.max(...own, 1e-300);
  const move = (event) => {
    const now = Math.min(at, n - 1);
    const places = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1, Home: 0, End: n - 1 };
    if (!(event.key in places)) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll("button")[(places[event.key] + n) % n].focus();
  };
  const turn = (h) => set({ off: off.includes(h) ? off.filter((one) => one !== h) : [...off, h].sort((a, b) => a - b) });
  return (
    <div class="brought">
      <div class="bar">
        <p class="title">
          {own ? <>Of what “<bdi>{words[word]}</bdi>” gets (in all 1), each head brings</> : <>The heads that look from “<bdi>{words[word]}</bdi>”</>} <span class="soft hint">· press a switch to turn a head off</span>
        </p>
        <button type="button" aria-disabled={!off.length} onClick={() => off.length && set({ off: [] })}>all on</button>
      </div>
      <div class="parts" style={{ "--n": n }} role="group" aria-label="heads that are on" onKeyDown={move} onPointerLeave={() => setPointed({})}>
        {range(n).map((h) => {
          const on = !off.includes(h);
          const color = shownIn(h, head, theme);
          const lit = color !== INKS[theme].line;
          const { background, color: ink } = tint(color, lit ? 1 : 0.2, theme);
          const pattern = head === null ? patternOf(h) : 0;
          const share = own && { height: `${Math.max(1.5, (BAR * own[h]) / most)}px` };
          return (
            <div key={h} class={on ? "part" : "part off"} style={{ minHeight: own ? `${BAR + 48}px` : undefined }}>
              {own && <span class="share">{format(own[h])}</span>}
              {own && <div class="high" style={{ ...share, background: on ? color : "none" }} />}
              <button
                type="button"
                tabindex={h === Math.min(at, n - 1) ? 0 : -1}
                aria-pressed={on}
                aria-label={`head ${h}${own ? `, brings ${format(own[h])}` : ""}`}
                title={`turn head ${h} ${on ? "off" : "on"}`}
                class={h === head ? "chosen" : ""}
                style={{
                  background: on ? background : "transparent",
                  color: on ? ink : undefined,
                  borderColor: `${color} ${color} ${on && pattern ? ink : color}`,
                  borderBottomStyle: EDGES[pattern],
                  borderBottomWidth: "4px",
                }}
                onFocus={() => setAt(h)}
                onClick={() => turn(h)}
              >
                {h} <small aria-hidden="true">{on ? "on" : "off"}</small>
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
