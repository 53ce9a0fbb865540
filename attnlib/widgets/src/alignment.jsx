// One sentence reads another.

import { useCallback, useMemo, useState } from "preact/hooks";
import { alignment } from "../shared.json";
import { keptWeights, rowSums } from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Slider, WordChoice, format } from "./parts.jsx";
import { shade } from "./shades.js";

export { default as style } from "./alignment.css";
export const traits = ["weights", "targets", "sources", "target", "threshold"];

const WORD = 60; // pixels that a word needs in a row; where there are fewer, words stand in columns
const FEW = 6; // words whose table has room beside the ribbons
const MOST_IN_ROWS = 12; // more of them, above their table, would not fit on a screen
const WIDE = 600; // pixels, from which ribbons and table stand side by side
const [LEAST_LINE, LINE] = [15, 28]; // of height that a word in a column gets
const COLUMN = 600; // pixels of height for all words in a column, where a mouse points at them
const DEPTH = 150; // between the two rows
const WIDEST = 24; // a ribbon of weight 1
const { MOST_TOLD } = alignment;
const FINGER = matchMedia("(pointer: coarse)");

export function View({ weights, targets, sources, target, threshold, theme, set }) {
  const [element, width] = useWidth();
  const [hovered, setHovered] = useState(null); // looked at while the pointer rests on it
  const looked = hovered !== null && hovered < targets.length ? hovered : target;
  const choose = useCallback((i) => {
    setHovered(null);
    set({ target: i });
  }, [set]);
  const total = useMemo(() => rowSums(weights), [weights]);
  const nLinks = weights.reduce((n, row) => n + count(row, threshold), 0);
  const kept = keptWeights(weights, threshold);
  const reading = useReading({ weights, targets, sources, threshold, looked, kept, total });
  const n = Math.max(targets.length, sources.length);
  const layout = n <= FEW ? "few" : n <= MOST_IN_ROWS && width / n >= WORD ? "many" : "dense";
  const shared = { weights, targets, sources, threshold, looked, choose, onHover: setHovered };
  return (
    <div ref={element}>
      <p class="title sentence"><Reading {...reading} /></p>
      <div class="controls">
        <Slider
          label="hide weights below"
          value={threshold}
          min={0}
          max={1}
          step={0.01}
          onInput={(x) => set({ threshold: x })}
        />
        <span class="count">{nLinks} of {targets.length * sources.length} links shown</span>
      </div>
      <div class={`pictures ${layout}`} onPointerLeave={() => setHovered(null)}>
        <Arcs {...shared} target={target} nLinks={nLinks} room={layout === "dense" && width < WIDE ? 0 : COLUMN} />
        <Weights {...shared} kept={kept} dense={layout === "dense"} theme={theme} />
      </div>
      <p class="note rest">{reading.rest}</p>
      <Announcement text={inWords(reading)} />
    </div>
  );
}

// What is looked at, in words

function useReading({ weights, targets, sources, threshold, looked, kept, total }) {
  const row = weights[looked];
  const strongest = sources.map((_, j) => j).filter((j) => row[j] >= threshold).sort((j, k) => row[k] - row[j]);
  const nHidden = sources.length - strongest.length;
  return {
    word: [targets, looked],
    read: strongest.slice(0, MOST_TOLD).map((j) => [[sources, j], format(row[j])]),
    more: Math.max(0, strongest.length - MOST_TOLD),
    rest: nHidden === 0
      ? "None of its weights is hidden."
      : `Hidden, since below ${format(threshold)}: ${nHidden} of its ${sources.length} weights, ` +
        `${format(total[looked] - kept[looked])} together.`,
  };
}

/** A word, with its place where the sentence has it more than once. */
function Word({ of: [words, place] }) {
  return <><bdi title={words[place]}>{words[place]}</bdi>{nth(words, place)}</>;
}

const nth = (words, place) =>
  words.indexOf(words[place]) === words.lastIndexOf(words[place]) ? "" : ` (${place})`;

function Reading({ word, read, more }) {
  return (
    <>
      <span class="asker"><Word of={word} /></span> {read.length === 0 ? "has no link left" : "reads "}
      {read.map(([source, weight], k) => (
        <span key={k}>{k > 0 && ", "}<Word of={source} /> {weight}</span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}

function inWords({ word, read, more, rest }) {
  const name = ([words, place]) => words[place] + nth(words, place);
  const list = read.map(([source, weight]) => `${name(source)} ${weight}`).join(", ");
  const reads = list ? `reads ${list}` : "has no link left";
  return `${name(word)} ${reads}${more > 0 ? ` and ${more} more` : ""}. ${rest}`;
}

const count = (row, threshold) => row.reduce((n, w) => n + (w >= threshold), 0);

// Ribbons

/** Target words, source words, and between them a ribbon for each link, as wide as its weight. */
function Arcs({ weights, targets, sources, threshold, target, looked, choose, onHover, nLinks, room }) {
  const [element, width] = useWidth();
  const n = Math.max(targets.length, sources.length);
  const inRows = n <= MOST_IN_ROWS && width / n >= WORD;
  const line = FINGER.matches ? LINE : Math.max(LEAST_LINE, Math.min(LINE, Math.floor(room / n) || LINE));
  const across = inRows ? width : n * line; // along the words
  const [broad, high] = inRows ? [width, DEPTH] : [100, across];
  const widest = Math.min(WIDEST, 0.8 * (across / n));
  const [nTargets, nSources] = [targets.length, sources.length];
  const curve = useCallback((i, j) => {
    const from = ((i + 0.5) * across) / nTargets;
    const to = ((j + 0.5) * across) / nSources;
    return inRows
      ? `M${from},0 C${from},${DEPTH / 2} ${to},${DEPTH / 2} ${to},${DEPTH}`
      : `M0,${from} C50,${from} 50,${to} 100,${to}`;
  }, [across, inRows, nTargets, nSources]);
  const strong = (j) => weights[looked][j] >= threshold;
  const shape = inRows ? "in-rows" : line < LINE ? "in-columns tight" : "in-columns";
  return (
    <div class="bounded" ref={element}>
      <div class={`arcs ${shape}`} style={{ "--across": `${across}px`, "--depth": `${DEPTH}px` }}>
        <div class="side asking">
          <WordChoice label="target word (query)" words={targets} value={target} onChange={choose} onHover={onHover} />
        </div>
        <svg
          viewBox={`0 0 ${broad} ${high}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`ribbons for ${nLinks} links; the table has their weights`}
        >
          {targets.map((_, i) => (
            <Ribbons key={i} {...{ i, curve, widest, threshold }} row={weights[i]} skip={i === looked} />
          ))}
          {/* What is looked at is drawn last, over the others. */}
          <Ribbons key="looked" {...{ curve, widest, threshold }} i={looked} row={weights[looked]} strong />
        </svg>
        <div class="side answering">
          <p class="head" aria-hidden="true">source word (key)</p>
          <ul aria-label="source words (keys)">
            {sources.map((word, j) => (
              <li key={j} class={strong(j) ? "read" : ""}>
                <bdi title={word}>{word}</bdi> <span class="weight">{strong(j) && format(weights[looked][j])}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </div>
  );
}

/** The ribbons of one target word. Its drawing is kept while the same of its links are shown. */
function Ribbons({ i, row, curve, widest, threshold, strong = false, skip = false }) {
  const paths = useMemo(() => row.map((w, j) => (
    <path
      key={j}
      class={strong ? "ribbon strong" : "ribbon"}
      d={curve(i, j)}
      vector-effect="non-scaling-stroke"
      stroke-width={widest * w}
    />
  )), [i, row, curve, widest, strong]);
  const shown = skip ? 0 : count(row, threshold);
  return useMemo(() => shown > 0 && <g>{paths.map((path, j) => row[j] >= threshold && path)}</g>, [paths, shown]);
}

// The table

/** All weights. In a dense one colours say how large they are, and each number waits for the pointer. */
function Weights({ weights, targets, sources, threshold, looked, choose, onHover, kept, dense, theme }) {
  const most = useMemo(() => (dense ? Math.max(...weights.flat()) : 1), [weights, dense]);
  const head = useMemo(() => (
    <thead>
      <tr>
        <th scope="col" class="corner">key →<br />query ↓</th>
        {sources.map((name, j) => <th scope="col" key={j}><bdi title={name}>{name}</bdi></th>)}
        {!dense && <th scope="col" class="extra">sum shown</th>}
      </tr>
    </thead>
  ), [sources, dense]);
  const clicked = (event) => {
    const row = event.target.closest("tbody tr");
    if (row) choose(row.sectionRowIndex);
  };
  return (
    // A click on a row is a shorter way to what the words' radio buttons do.
    <div class="table" onClick={clicked}>
      <div
        class="scroll bounded"
        tabindex={0}
        role="region"
        aria-label="weights: each row a target word (query), each column a source word (key)"
      >
        <table class={dense ? "matrix dense" : "matrix"} style={{ "--columns": sources.length }}>
          {head}
          <tbody>
            {weights.map((row, i) => (
              <Row
                key={i}
                {...{ i, row, sources, threshold, most, dense, theme, onHover }}
                name={targets[i]}
                marked={i === looked}
                kept={format(kept[i])}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="note legend">
        {dense ? `Darkest: ${format(most)}. Blank: hidden.` : "Hatched: hidden."}
      </p>
    </div>
  );
}

/** A row of the table. Each cell is made twice, shown and hidden; what stays is not compared again. */
function Row({ i, name, row, sources, threshold, most, dense, theme, onHover, marked, kept }) {
  const cells = useMemo(() => row.map((w, j) => {
    const told = dense ? { title: `${name}, ${sources[j]}: ${format(w)}` } : {};
    const text = dense ? <span>{format(w)}</span> : format(w);
    return {
      shown: <td key={j} {...told} style={shade(w / most, { theme })}>{text}</td>,
      hidden: <td key={j} {...told} class="hidden">{text}</td>,
    };
  }), [row, name, sources, most, dense, theme]);
  const nShown = count(row, threshold); // of a row, so many are always the same ones
  return useMemo(() => (
    <tr class={marked ? "marked" : ""} onPointerEnter={() => onHover(i)}>
      <th scope="row"><bdi title={name}>{name}</bdi></th>
      {cells.map(({ shown, hidden }, j) => (row[j] >= threshold ? shown : hidden))}
      {!dense && <td class="extra">{kept}</td>}
    </tr>
  ), [i, cells, nShown, marked, kept]);
}
