// Every head's matrix at a glance, and the lines along which one word looks in each of them.

import { Component } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { heads } from "../shared.json";
import { disagreements, entropy, unpacked } from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Toggle, format, short } from "./parts.jsx";
import { HEADS, INKS, bytes, shade, tint } from "./shades.js";

export { default as style } from "./heads.css";
export const traits = ["weights", "words", "layer", "head", "other", "word", "shown"];

// From the ninth head on colours come again, in broken lines.
const BROKEN = [[], [8, 4], [2, 3], [9, 3, 2, 3]];
const EDGES = ["solid", "dashed", "dotted", "double"];

const TALLEST = 352; // pixels of the words, before they scroll
const { LEAST_LINE } = heads; // a smaller weight draws no line
const LEAST_OF_ALL = 0.05; // … where all words' lines are drawn
const MOST_LINES = 4000;
const NARROWEST = 240; // pixels, until the page says how many there are
const SMALLEST = 8; // pixels of a head's map

const colorOf = (head, theme) => HEADS[theme][head % HEADS[theme].length];
const patternOf = (head) => Math.floor(head / HEADS.light.length) % BROKEN.length;
const range = (n) => Array.from({ length: n }, (_, i) => i);

export function View({ weights: packed, words, layer, head, other, word, shown: given, theme, set }) {
  const numbers = useMemo(() => unpacked(packed), [packed]);
  const shape = useMemo(() => [1, ...packed.shape].slice(-4), [packed]);
  const [nLayers, nHeads, n] = shape;
  const [hovered, setHovered] = useState(null); // a query or a key on which the pointer rests
  const [lone, setLone] = useState(null); // a head whose lines alone are looked at
  const [all, setAll] = useState(false);
  const shown = useMemo(() => (given ?? range(nHeads)).filter((h) => h < nHeads), [given, nHeads]);
  const rows = useMemo(() => rowsOf(numbers, shape, layer), [numbers, layer]);
  const apart = useMemo(() => (shown.length ? disagreements(shown.map((h) => rows[h])) : Array(n).fill(0)), [rows, shown]);
  const matrix = useMemo(
    () => (other === null ? rows[head] : rows[head].map((row, i) => row.map((w, j) => w - rows[other][i][j]))),
    [rows, head, other],
  );
  const leave = () => setHovered(null);
  const looked = hovered?.query < n ? hovered.query : word;
  const choose = (patch) => {
    leave(); // a pointer that rests on a word must not hide what the keys choose
    const alone = given?.length === 1 && given[0] === head && patch.head !== undefined;
    set(alone ? { ...patch, shown: [patch.head] } : patch);
  };
  const nameOf = (l, h) => (nLayers > 1 ? `layer ${l}, head ${h}` : `head ${h}`);
  const name = nameOf(layer, head);
  const shared = { words, rows, head, looked, theme, shown };
  return (
    <div class="heads halves">
      <Lines
        {...shared}
        {...{ word, layer, nLayers, hovered, lone, all, apart, choose, setHovered, setLone, setAll, leave, set }}
      />
      <div class="maps">
        <div>
          <BirdsEye {...{ numbers, shape, layer, head, theme, choose, nameOf }} />
          <Told {...shared} {...{ matrix, other, hovered, set }} />
        </div>
        <Full {...{ matrix, words, looked, hovered, theme, name, other, choose, setHovered, leave }} />
      </div>
      <Announcement text={summary({ words, row: matrix[word], word, name, other, apart: apart[word] })} />
    </div>
  );
}

/** The rows of a layer's heads: [head][query] is an array of the keys' weights. */
function rowsOf(numbers, [, nHeads, n], layer) {
  return range(nHeads).map((h) =>
    range(n).map((i) => {
      const start = ((layer * nHeads + h) * n + i) * n;
      return numbers.subarray(start, start + n);
    }),
  );
}

function placeOfMost(row) {
  let most = 0;
  for (let j = 1; j < row.length; j += 1) if (row[j] > row[most]) most = j;
  return most;
}

function looksMost(row, words, say = format) {
  const most = placeOfMost(row);
  return row[most] > 0 ? `${words[most]} ${say(row[most])}` : "nothing";
}

function summary({ words, row, word, name, other, apart }) {
  const looks = other === null ? `${words[word]} looks most at ${looksMost(row, words)}. ` : "";
  const minus = other === null ? "" : ` minus head ${other}`;
  return `${name}${minus}. ${looks}Disagreement of the shown heads about ${words[word]}: ${format(apart)}.`;
}

/** Where the pointer is in an element, in the element's own pixels: a slide may be scaled. */
function within({ currentTarget, clientX, clientY }) {
  const box = currentTarget.getBoundingClientRect();
  const scale = box.width / currentTarget.offsetWidth;
  return { x: (clientX - box.left) / scale, y: (clientY - box.top) / scale };
}

/** Draw on a canvas, sharp on any screen, whenever what it shows has changed. */
function Canvas({ width, height, draw, on, ...others }) {
  const element = useRef(null);
  useLayoutEffect(() => {
    const canvas = element.current;
    const dense = globalThis.devicePixelRatio || 1;
    const size = [Math.round(width * dense), Math.round(height * dense)];
    if (canvas.width !== size[0]) canvas.width = size[0];
    if (canvas.height !== size[1]) canvas.height = size[1];
    const pen = canvas.getContext("2d");
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.textBaseline = "middle";
    draw(pen, lettersOf(canvas));
  }, [width, height, ...on]);
  return <canvas ref={element} style={{ width: `${width}px`, height: `${height}px` }} {...others} />;
}

const lettersOf = (element) => getComputedStyle(element).fontFamily;

/** What is drawn anew only if one of `by` has changed. */
class Kept extends Component {
  shouldComponentUpdate({ by }) {
    return by.some((x, i) => x !== this.props.by[i]);
  }

  render({ draw }) {
    return draw();
  }
}

// Lines from the word that asks to the words it looks at, and its weights in every head

/** Where everything stands, given the width. */
function places(width, words, nHeads) {
  const n = words.length;
  const narrow = width < 560;
  const row = COARSE.matches ? 26 : Math.max(12, Math.min(23, Math.floor(TALLEST / n)));
  const letters = words.reduce((most, one) => Math.max(most, one.length), 1);
  const name = Math.max(52, Math.min(row * 0.36 * letters + 22, width * (narrow ? 0.21 : 0.14)));
  const bar = narrow || nHeads === 1 ? 0 : 44; // of the disagreements
  const free = width - bar - 2 * name - (narrow ? 74 : 190);
  const cell = nHeads === 1 ? 0 : Math.min(30, Math.floor(free / nHeads));
  const told = cell >= 24 && row >= 16; // the weights of every head
  const number = told ? 0 : 34; // those of the chosen one
  const strip = cell - (told ? 0 : 34 / nHeads) >= 3 ? Math.floor(told ? cell : Math.min(cell, (free - 34) / nHeads)) : 0;
  const from = bar + name;
  const to = width - name - number - strip * nHeads - 6;
  return { row, name, bar, cell: strip, told, number, from, to, height: Math.min(n * row, TALLEST) };
}

const COARSE = matchMedia("(pointer: coarse)");

function Lines({
  words, rows, word, head, looked, hovered, lone, all, apart, shown, theme, layer, nLayers,
  choose, setHovered, setLone, setAll, leave, set,
}) {
  const [element, width] = useWidth();
  const [top, setTop] = useState(0);
  const scroller = useRef(null);
  const group = useId();
  const at = useMemo(() => places(width, words, rows.length), [width, words, rows.length]);
  const key = hovered?.key;
  const own = rows.map((of) => of[looked]);
  useEffect(() => {
    const wanted = at.row * (word + 1) - at.height / 2; // a word far below must be seen
    if (at.row * (word + 1) > at.height) scroller.current.scrollTop = wanted;
  }, [words]);
  const aligned = at.cell >= 24; // each stands above its column
  const chips = rows.length > 1 && (
    <Chips {...{ n: rows.length, own, words, shown, head, theme, setLone, set }} cell={aligned ? at.cell : 0} />
  );
  const draw = (pen, letters) =>
    drawLines(pen, letters, { at, top, rows, words, own, looked, hovered, lone, all, apart, shown, head, theme });
  const strip = { marginInlineStart: "auto", width: `${at.cell * rows.length}px` };
  return (
    <div class="lines" ref={element}>
      <div class="bar">
        <p class="title">
          Where “<bdi>{words[looked]}</bdi>” looks{nLayers > 1 && `, layer ${layer}`}
        </p>
        {rows.length > 1 && (
          <span class="buttons">
            <button type="button" aria-pressed={shown.length === rows.length} onClick={() => set({ shown: null })}>
              all heads
            </button>
            <button
              type="button"
              aria-pressed={shown.length === 1 && shown[0] === head}
              onClick={() => set({ shown: [head] })}
            >
              only head {head}
            </button>
          </span>
        )}
        {words.length > 1 && <Toggle label="lines of all words" checked={all} onChange={setAll} />}
        {!aligned && chips}
      </div>
      <div class="names">
        <span style={{ width: `${at.bar}px` }}>{at.bar > 0 && shown.length > 1 && "disagree"}</span>
        <span style={{ width: `${at.name}px` }} class="asks">query</span>
        <span style={{ marginInlineStart: `${at.to - at.from}px`, width: `${at.name}px` }} class="answers">key</span>
        {at.number > 0 && <span>head {head}</span>}
        {aligned && chips}
      </div>
      <div
        class="sheet"
        ref={scroller}
        style={{ height: `${at.height}px`, overflowY: at.row * words.length > at.height ? "auto" : "hidden" }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onPointerMove={(event) => {
          if (event.pointerType === "touch") return;
          const { x, y } = within(event);
          const place = Math.floor((y + top) / at.row);
          const column = Math.floor((x - at.to - at.name - at.number - 4) / at.cell); // of the heads
          const side = x <= at.from ? "query" : x >= at.to && !(column >= 0) ? "key" : null;
          setLone(shown.includes(column) ? column : null);
          if (side === null || place < 0 || place >= words.length) leave();
          else if (hovered?.[side] !== place) setHovered({ [side]: place });
        }}
        onPointerLeave={() => {
          leave();
          setLone(null);
        }}
      >
        <div style={{ height: `${at.row * words.length}px` }}>
          <Canvas
            width={width}
            height={at.height}
            draw={draw}
            on={[at, top, rows, words, looked, key, lone, all, apart, shown, head, theme]}
            aria-hidden="true"
          />
          <fieldset class="queries" style={{ left: `${at.bar}px`, width: `${at.name}px` }}>
            <legend class="unseen">word that asks (query)</legend>
            {words.map((one, i) => (
              <label key={i} class={i === word ? "chosen" : ""} style={{ height: `${at.row}px`, fontSize: lettersFor(at.row) }}>
                <input type="radio" name={group} checked={i === word} onChange={() => choose({ word: i })} />
                <bdi title={one}>{one}</bdi>
              </label>
            ))}
          </fieldset>
          <ol
            class="keys"
            style={{ left: `${at.to}px`, width: `${at.name + at.number}px` }}
            aria-label={`weights of ${words[looked]} in head ${head}, by key`}
          >
            {words.map((one, j) => (
              <li key={j} class={j === key ? "chosen" : ""} style={{ height: `${at.row}px`, fontSize: lettersFor(at.row) }}>
                <bdi title={one}>{one}</bdi>
                <span class={at.number ? "number" : "unseen"}>{short(rows[head][looked][j])}</span>
              </li>
            ))}
          </ol>
        </div>
      </div>
      {at.told && (
        <div class="entropies">
          <span style={{ width: `${at.to + at.name}px` }}>entropy</span>
          <span class="of" style={strip}>
            {own.map((row, h) => <span key={h} style={{ width: `${at.cell}px` }}>{short(entropy(row))}</span>)}
          </span>
        </div>
      )}
    </div>
  );
}

const lettersFor = (row) => `${Math.min(13.5, row - 1.5)}px`;

/** A button for each head, to show and to hide its lines: one stop of Tab, then arrow keys. */
function Chips({ n, own, words, shown, head, theme, cell, setLone, set }) {
  const [at, setAt] = useState(0);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (Math.min(at, n - 1) + step + n) % n;
    setAt(next);
    event.currentTarget.children[next].focus();
  };
  const toggle = (h) => {
    const now = shown.includes(h) ? shown.filter((one) => one !== h) : [...shown, h].sort((a, b) => a - b);
    set({ shown: now.length === n ? null : now });
  };
  return (
    <div
      class={cell ? "chips aligned" : "chips"}
      role="group"
      aria-label="heads whose lines are shown"
      onKeyDown={move}
      onPointerLeave={() => setLone(null)}
    >
      {range(n).map((h) => {
        const on = shown.includes(h);
        const color = colorOf(h, theme);
        const { color: ink } = tint(color, 1, theme);
        return (
          <button
            type="button"
            key={h}
            tabindex={h === Math.min(at, n - 1) ? 0 : -1}
            aria-pressed={on}
            aria-label={`head ${h}: looks most at ${looksMost(own[h], words)}, entropy ${format(entropy(own[h]))}`}
            title={`head ${h}: ${on ? "hide" : "show"} its lines`}
            class={h === head ? "chosen" : ""}
            style={{
              width: cell ? `${cell - 2}px` : undefined,
              background: on ? color : "transparent",
              color: on ? ink : undefined,
              borderColor: color,
              borderBottom: `4px ${EDGES[patternOf(h)]} ${on && patternOf(h) ? ink : color}`,
            }}
            onFocus={() => setAt(h)}
            onPointerEnter={(event) => on && event.pointerType !== "touch" && setLone(h)}
            onClick={() => {
              setLone(null);
              toggle(h);
            }}
          >
            {h}
          </button>
        );
      })}
    </div>
  );
}

function drawLines(pen, letters, { at, top, rows, words, own, looked, hovered, lone, all, apart, shown, head, theme }) {
  const { row, from, to, bar, name, number, cell, told, height } = at;
  const n = words.length;
  const ink = INKS[theme];
  const middle = (i) => row * (i + 0.5) - top;
  const key = hovered?.key;
  pen.fillStyle = ink.faint; // behind the word that is looked at
  if (key === undefined) pen.fillRect(bar, row * looked - top, name, row);
  else pen.fillRect(to, row * key - top, name + number, row);
  if (bar > 0 && shown.length > 1) {
    pen.fillStyle = ink.line;
    for (let i = 0; i < n; i += 1) {
      const broad = Math.max(1, apart[i] * (bar - 6));
      pen.fillRect(bar - 3 - broad, row * i - top + row * 0.25, broad, row * 0.5);
    }
  }
  const broad = Math.max(3, (row - 4) / Math.sqrt(Math.max(1, shown.length)));
  const curve = (i, j, h, weight, faint) => {
    const slot = shown.indexOf(h);
    const aside = ((slot + 0.5) / shown.length - 0.5) * (row - 5);
    const [y, end, half] = [middle(i) + aside, middle(j) + aside, (from + to) / 2];
    pen.globalAlpha = faint * Math.min(0.95, 0.08 + 2.2 * weight);
    pen.lineWidth = Math.max(0.6, broad * weight);
    pen.strokeStyle = colorOf(h, theme);
    pen.setLineDash(BROKEN[patternOf(h)]);
    pen.beginPath();
    pen.moveTo(from + 4, y);
    pen.bezierCurveTo(half, y, half, end, to - 4, end);
    pen.stroke();
  };
  for (const [i, j, h, weight, faint] of linesOf({ rows, shown, looked, key, lone, all, n })) {
    curve(i, j, h, weight, faint);
  }
  pen.globalAlpha = 1;
  pen.setLineDash([]);
  if (cell === 0) return;
  const left = to + name + number + 4;
  const most = own.map(placeOfMost);
  pen.font = `11px ${letters}`;
  pen.textAlign = "center";
  const first = Math.max(0, Math.floor(top / row));
  const last = Math.min(n, Math.ceil((top + height) / row));
  for (let h = 0; h < rows.length; h += 1) {
    for (let j = first; j < last; j += 1) {
      const { background, color } = tint(colorOf(h, theme), own[h][j], theme);
      const [x, y] = [left + cell * h, row * j - top];
      pen.fillStyle = background;
      const gap = cell > 6 ? 1 : 0;
      pen.fillRect(x, y, cell - gap, row - 1);
      if (told) {
        pen.fillStyle = color;
        pen.fillText(short(own[h][j]), x + (cell - 1) / 2, y + row / 2);
      }
      if (j === most[h] && own[h][j] > 0 && cell > 8) {
        pen.strokeStyle = ink.ink;
        pen.lineWidth = 1.5;
        pen.strokeRect(x + 0.75, y + 0.75, cell - 2.5, row - 2.5);
      }
    }
  }
}

/** The lines to be drawn, the chosen head's last: query, key, head, weight, and how strong. */
function linesOf({ rows, shown, looked, key, lone, all, n }) {
  const lines = [];
  const several = key !== undefined || all;
  for (const h of shown) {
    const faint = (lone === null || lone === h ? 1 : 0.08) * (all && key === undefined ? 0.6 : 1);
    const queries = several ? range(n) : [looked];
    for (const i of queries) {
      const row = rows[h][i];
      const least = several ? LEAST_OF_ALL : LEAST_LINE;
      if (key !== undefined) {
        if (row[key] >= least) lines.push([i, key, h, row[key], faint]);
      } else {
        for (let j = 0; j < n; j += 1) if (row[j] >= least) lines.push([i, j, h, row[j], faint]);
      }
    }
  }
  if (lines.length <= MOST_LINES) return lines;
  return lines.sort((a, b) => b[3] - a[3]).slice(0, MOST_LINES);
}

// All layers and heads, each a small map

function BirdsEye({ numbers, shape, layer, head, theme, choose, nameOf }) {
  const [element, width] = useWidth(NARROWEST);
  const [nLayers, nHeads, n] = shape;
  const several = nLayers > 1;
  const columns = several ? nHeads : Math.min(nHeads, width < 520 ? 6 : 12);
  const nRows = several ? nLayers : Math.ceil(nHeads / columns);
  const left = several ? 26 : 2;
  const above = several ? 20 : 2; // the maps
  const below = several ? 3 : 17; // each of them
  const fits = Math.min((width - left) / columns - 3, 280 / nRows - below, 64);
  const size = Math.max(SMALLEST, Math.floor(fits));
  const [across, down] = [size + 3, size + below];
  const grid = useRef(null);
  const latest = useRef(choose); // rows of maps are kept as they are, and must not keep an old one
  latest.current = choose;
  const move = (event) => {
    const place = layer * nHeads + head;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
    const ends = { Home: place - (place % columns), End: Math.min(place - (place % columns) + columns, nLayers * nHeads) - 1 };
    const next = ends[event.key] ?? place + (steps[event.key] ?? 0);
    if (!(event.key in steps || event.key in ends)) return;
    event.preventDefault();
    if (next < 0 || next >= nLayers * nHeads || next === place) return;
    choose({ layer: Math.floor(next / nHeads), head: next % nHeads });
    grid.current.querySelectorAll("[role=gridcell]")[next].focus();
  };
  const draw = (pen, letters) => {
    const ink = INKS[theme];
    const colors = ramp(theme);
    pen.imageSmoothingEnabled = false;
    pen.textAlign = "center";
    pen.font = `10px ${letters}`;
    const side = Math.min(n, Math.round(size * (globalThis.devicePixelRatio || 1)));
    for (let place = 0; place < nLayers * nHeads; place += 1) {
      const [x, y] = [left + across * (place % columns), above + down * Math.floor(place / columns)];
      const most = pooled(n, side, (i, j) => numbers[(place * n + i) * n + j]);
      const root = (k) => Math.sqrt(most[k]); // since most weights are small
      pen.drawImage(picture(side, colors, root), x, y, size, size);
      pen.strokeStyle = ink.faint;
      pen.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
      const [h, l] = [place % nHeads, Math.floor(place / nHeads)];
      if ((several ? l === 0 : true) && (size >= 14 || h % 2 === 0)) {
        const line = several ? 12 : y + size + 7;
        pen.fillStyle = ink.ink;
        pen.fillText(h, x + size / 2, line - (several ? 4 : 0));
        pen.fillStyle = colorOf(h, theme);
        pen.fillRect(x + size / 2 - 8, line + (several ? 2 : 6), 16, 2);
      }
      if (several && h === 0 && (size >= 12 || l % 2 === 0)) {
        pen.fillStyle = ink.soft;
        pen.fillText(l, left - 12, y + size / 2);
      }
    }
  };
  const of = (place) => {
    const [l, h] = [Math.floor(place / nHeads), place % nHeads];
    const chosen = l === layer && h === head;
    return (
      <div
        key={place}
        role="gridcell"
        aria-selected={chosen}
        aria-label={nameOf(l, h)}
        title={nameOf(l, h)}
        tabindex={chosen ? 0 : -1}
        onClick={() => latest.current({ layer: l, head: h })}
      />
    );
  };
  return (
    <div class="birds-eye" ref={element}>
      <p class="title">{several ? <>All heads <span class="soft">(a row is a layer)</span></> : "All heads"}</p>
      <div class="eye" style={{ overflow: left + across * columns > width || above + down * nRows > 400 ? "auto" : "hidden" }}>
        <Canvas
          width={Math.max(left + across * columns, 40)}
          height={above + down * nRows}
          draw={draw}
          on={[numbers, theme, size]}
          aria-hidden="true"
        />
        <div
          role="grid"
          aria-label="all heads: choose one"
          ref={grid}
          style={{ left: `${left}px`, top: `${above}px` }}
          onKeyDown={move}
        >
          {range(nRows).map((r) => {
            const inRow = range(Math.min(columns, nLayers * nHeads - r * columns)).map((c) => r * columns + c);
            const chosen = inRow.includes(layer * nHeads + head) ? head : null;
            return (
              <Kept
                key={r}
                by={[size, columns, numbers, chosen]}
                draw={() => (
                  <div role="row" style={{ gridTemplateColumns: `repeat(${columns}, ${size}px)`, height: `${size}px`, marginBottom: `${below}px` }}>
                    {inRow.map(of)}
                  </div>
                )}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const ramps = {};

/** 256 colours, of shares from 0 to 1 (or, two-sided, from -1 to 1), as red, green and blue. */
function ramp(theme, twoSided = false) {
  return (ramps[`${theme} ${twoSided}`] ??= range(256).map((k) => {
    const share = twoSided ? (2 * k) / 255 - 1 : k / 255;
    return bytes(shade(share, { theme, twoSided }).background);
  }));
}

/** A picture of side × side pixels, on a canvas of its own; `at` says which of the ramp each is. */
function picture(side, colors, at) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [side, side];
  const image = new ImageData(side, side);
  for (let k = 0; k < side * side; k += 1) {
    const [red, green, blue] = colors[Math.max(0, Math.min(255, Math.round(255 * at(k))))];
    image.data[4 * k] = red;
    image.data[4 * k + 1] = green;
    image.data[4 * k + 2] = blue;
    image.data[4 * k + 3] = 255;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** The n × n numbers as side × side: of those that share a place the largest, by size. */
function pooled(n, side, at) {
  const most = new Float64Array(side * side);
  for (let i = 0; i < n; i += 1) {
    const line = Math.floor((i * side) / n) * side;
    for (let j = 0; j < n; j += 1) {
      const place = line + Math.floor((j * side) / n);
      const x = at(i, j);
      if (Math.abs(x) > Math.abs(most[place])) most[place] = x;
    }
  }
  return most;
}

/** What the chosen head does with the word, and what another head may take from it. */
function Told({ words, rows, head, looked, matrix, other, hovered, set }) {
  const id = useId();
  const key = hovered?.cell ?? placeOfMost(rows[head][looked]);
  const weight = rows[head][looked][key];
  const elsewhere = (i) => matrix[i].reduce((sum, x) => sum + Math.abs(x), 0) / 2;
  const mean = matrix.reduce((sum, _, i) => sum + elsewhere(i), 0) / words.length;
  return (
    <div class="told">
      <p>
        In head {head}, “<bdi>{words[looked]}</bdi>” looks {hovered?.cell === undefined && "most "}at “
        <bdi>{words[key]}</bdi>”: <strong>{format(weight)}</strong>
        {other !== null && <> (in head {other}: {format(rows[other][looked][key])})</>}
      </p>
      {rows.length > 1 && (
        <p class="minus">
          <label for={id}>minus head</label>{" "}
          <select
            id={id}
            value={other ?? "none"}
            onChange={(event) => set({ other: event.currentTarget.value === "none" ? null : Number(event.currentTarget.value) })}
          >
            <option value="none">none</option>
            {rows.map((_, h) => <option key={h} value={h}>{h}</option>)}
          </select>
        </p>
      )}
      {other !== null && (
        <p class="note">
          Elsewhere than in head {other} lies <strong>{format(elsewhere(looked))}</strong> of this word's weight; the mean
          of all words is <strong>{format(mean)}</strong>.
        </p>
      )}
    </div>
  );
}

// One head in full

function Full({ matrix, words, looked, hovered, theme, name, other, choose, setHovered, leave }) {
  const [element, width] = useWidth(NARROWEST);
  const n = words.length;
  const letters = Math.min(12, words.reduce((most, one) => Math.max(most, one.length), 1));
  const label = Math.max(50, Math.min(30 + 6 * letters, 92)); // and what rows and columns are
  const above = Math.max(40, Math.min(24 + 6 * letters, 80));
  const cell = Math.min((width - label - 2) / n, 30);
  const row = Math.min(cell, 21, 270 / n);
  const twoSided = other !== null;
  const place = (event) => {
    const { x, y } = within(event);
    const i = Math.floor((y - above) / row);
    const j = Math.floor((x - label) / cell);
    return i >= 0 && i < n && j < n ? { query: i, cell: j >= 0 ? j : undefined } : null;
  };
  const draw = (pen, font) => drawMatrix(pen, font, { matrix, words, label, above, cell, row, theme, twoSided });
  const mark = { left: `${label}px`, top: `${above + row * looked}px`, width: `${cell * n}px`, height: `${row}px` };
  const minus = twoSided ? ` minus head ${other}` : "";
  const column = hovered?.cell;
  return (
    <div class="full" ref={element}>
      <p class="title">{name[0].toUpperCase() + name.slice(1)}{minus}</p>
      <div class="matrix-of">
        <Canvas
          width={Math.ceil(label + cell * n) + 1}
          height={Math.ceil(above + row * n) + 1}
          draw={draw}
          on={[matrix, words, label, cell, theme]}
          role="img"
          aria-label={`weights of ${name}${minus}: rows are queries, columns are keys`}
          onPointerMove={(event) => {
            if (event.pointerType === "touch") return;
            const at = place(event);
            if (at === null) leave();
            else if (at.query !== hovered?.query || at.cell !== hovered?.cell) setHovered(at);
          }}
          onPointerLeave={leave}
          onClick={(event) => place(event) && choose({ word: place(event).query })}
        />
        <div class="mark" style={mark} />
        {column !== undefined && (
          <div class="mark" style={{ ...mark, left: `${label + cell * column}px`, width: `${cell}px` }} />
        )}
      </div>
    </div>
  );
}

function drawMatrix(pen, letters, { matrix, words, label, above, cell, row, theme, twoSided }) {
  const n = words.length;
  const ink = INKS[theme];
  const told = cell >= (twoSided ? 24 : 20) && row >= 12;
  pen.font = `10px ${letters}`;
  pen.textAlign = "center";
  if (cell < 6) {
    const side = Math.min(n, Math.round(row * n));
    const most = pooled(n, side, (i, j) => matrix[i][j]);
    const share = (k) => (most[k] + twoSided) / (1 + twoSided);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(picture(side, ramp(theme, twoSided), share), label, above, cell * n, row * n);
  }
  for (let i = 0; i < n && cell >= 6; i += 1) {
    for (let j = 0; j < n; j += 1) {
      const { background, color } = shade(matrix[i][j], { theme, twoSided });
      const [x, y] = [label + cell * j, above + row * i];
      pen.fillStyle = background;
      pen.fillRect(x, y, cell - 1, row - (row > 6 ? 1 : 0));
      if (!told) continue;
      pen.fillStyle = color;
      pen.fillText(short(matrix[i][j]), x + (cell - 1) / 2, y + row / 2);
    }
  }
  pen.strokeStyle = ink.faint;
  pen.strokeRect(label - 0.5, above - 0.5, cell * n + 1, row * n + 1);
  pen.fillStyle = ink.ink;
  pen.font = `${Math.min(12, Math.max(10, row))}px ${letters}`;
  const step = Math.ceil(11 / row); // names that have no room are left out
  const aside = Math.ceil(12 / cell);
  pen.textAlign = "right";
  for (let i = 0; i < n; i += step) pen.fillText(cut(pen, words[i], label - 8), label - 5, above + row * (i + 0.5));
  pen.textAlign = "left";
  for (let j = 0; j < n; j += aside) {
    pen.save();
    pen.translate(label + cell * (j + 0.5), above - 5);
    pen.rotate(-Math.PI / 2);
    pen.fillText(cut(pen, words[j], above - 8), 0, 0);
    pen.restore();
  }
  pen.fillStyle = ink.soft;
  pen.font = `10px ${letters}`;
  pen.textAlign = "right";
  pen.fillText("key →", label - 5, above - 26);
  pen.fillText("query ↓", label - 5, above - 14);
}

/** A word as far as there is room for it. */
function cut(pen, word, room) {
  if (pen.measureText(word).width <= room) return word;
  let length = Math.min(word.length, 30);
  while (length > 1 && pen.measureText(`${word.slice(0, length)}…`).width > room) length -= 1;
  return `${word.slice(0, length)}…`;
}
