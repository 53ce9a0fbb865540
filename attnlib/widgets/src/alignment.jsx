// One sentence reads another: one word of it, and where it looks; the others stand back.

import { useCallback, useMemo, useState } from "preact/hooks";
import { alignment } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import { keptWeights, rowSums, sharedOut } from "./arithmetic.js";
import { More } from "./more.jsx";
import { useWidth } from "./mount.jsx";
import { Announcement, Sentence, Slider, WordChoice, format, named, spoken } from "./parts.jsx";
import { shade } from "./shades.js";

export { default as style } from "./alignment.css";
export const traits = ["weights", "targets", "sources", "target", "threshold", "mask"];

const WORD = 60; // pixels that a word needs in a row; where there are fewer, words stand in columns
const { MOST_TOLD, MOST_IN_ROWS, PALE } = alignment; // of more words, so many sources are drawn
const LINE = 34; // of height that a word in a column gets
const DEPTH = 150; // between the two rows
const WIDEST = 28; // a ribbon of weight 1
const ASKS = "this word reads (target, query) – press another";
const MOVES = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** The weights under the mask; `drawn` has -1 for what is hidden, to which leads no link, even at 0. */
function seen(weights, mask) {
  const reads = sharedOut(weights, mask);
  return { reads, drawn: reads.map((row) => row.map((w, j) => (mask[j] ? w : -1))) };
}

export const measured = ({ weights, mask, threshold }) => {
  const { reads, drawn } = seen(weights, mask);
  return { reads, kept: keptWeights(drawn, threshold) };
};

export const missing = ({ name, place: [i, j], is, least, most, state: { targets, sources } }) => {
  const ends = least === null ? `${format(most)} at most` : most === null || most >= 1 ? `at least ${format(least)}` : `${format(least)} to ${format(most)}`;
  const what = name === "reads" ? `gives ${format(is)} to ${spoken(named(sources, j))}` : `shows ${format(is)} of its weight`;
  return `${spoken(named(targets, i))} ${what}; ${ends} is asked`;
};

export function View({ weights, targets, sources, target, threshold, mask, theme, set }) {
  const [element, width] = useWidth();
  const [hovered, setHovered] = useAfresh(null); // looked at while the pointer rests on it
  const looked = hovered !== null && hovered < targets.length ? hovered : target;
  const choose = useCallback((i) => {
    setHovered(null);
    set({ target: i });
  }, [set]);
  const hide = (j) => set({ mask: mask.map((may, k) => (k === j ? !may : may)) });
  const { reads, drawn } = useMemo(() => seen(weights, mask), [weights, mask]);
  const kept = keptWeights(drawn, threshold);
  const nLinks = drawn.reduce((n, row) => n + count(row, threshold), 0);
  const said = told({ row: drawn[looked], targets, sources, threshold, looked });
  const rest = remainder({ row: reads[looked], drawn: drawn[looked], threshold, mask, kept: kept[looked] });
  const n = Math.max(targets.length, sources.length);
  const dense = n > MOST_IN_ROWS;
  const fanned = dense || width / n < WORD;
  const shared = { drawn, targets, sources, threshold, mask, target, looked, choose, hide, onHover: setHovered, nLinks };
  const table = (
    <Weights {...{ reads, drawn, targets, sources, threshold, looked, choose, kept, theme, dense }} onHover={setHovered} />
  );
  return (
    <div ref={element}>
      <p class="story"><Sentence parts={said} /></p>
      <div class={dense ? "pictures dense" : fanned ? "pictures fanned" : "pictures"} onPointerLeave={() => setHovered(null)}>
        {fanned ? <Fan {...shared} /> : <Rows {...shared} />}
        {dense && table /* of many words it alone shows them all */}
      </div>
      <p class="note rest">{rest}</p>
      <More title={dense ? "thin links" : "thin links, and all weights in numbers"}>
        <div class="controls">
          <Slider label="draw links of at least" value={threshold} min={0} max={1} step={0.01} onInput={(x) => set({ threshold: x })} />
          <span class="count">{nLinks} of {targets.length * sources.length} links drawn</span>
        </div>
        {!dense && <div onPointerLeave={() => setHovered(null)}>{table}</div>}
      </More>
      <Announcement text={`${spoken(said)} ${rest}`} />
    </div>
  );
}

const count = (row, threshold) => row.reduce((n, w) => n + (w >= threshold), 0);

// What is looked at, in words

/** Where the word looks, in parts of a sentence: Alignment._told. */
function told({ row, targets, sources, threshold, looked }) {
  const links = sources.map((_, j) => j).filter((j) => row[j] >= threshold).sort((j, k) => row[k] - row[j]);
  const who = named(targets, looked);
  if (!links.length) return [...who, " has no link left."];
  const listed = links.slice(0, MOST_TOLD).flatMap((j, k) => {
    const joint = k === 0 ? "" : k + 1 === links.length ? " and " : ", ";
    return [`${joint}${format(row[j])}${k === 0 ? " of its attention" : ""} to `, ...named(sources, j)];
  });
  const more = links.length - MOST_TOLD;
  return [...who, " gives ", ...listed, more > 0 ? ` and less to ${more} more.` : "."];
}

/** What of the word's weights is not drawn, and why. */
function remainder({ row, drawn, threshold, mask, kept }) {
  const nHidden = mask.filter((may) => !may).length;
  const nBelow = row.length - nHidden - count(drawn, threshold);
  const by = nHidden ? `Hidden: ${nHidden} of ${row.length} words; what they had goes to the others. ` : "";
  if (nBelow === 0) return nHidden ? by.trim() : "All of its weights are drawn.";
  const total = rowSums([row])[0];
  return `${by}Too thin to be drawn, since below ${format(threshold)}: ${nBelow} of its ${row.length} links, ${format(total - kept)} together.`;
}

// Ribbons

/** Where ribbons of these widths begin, side by side around 0. */
function beside(widths) {
  let edge = -widths.reduce((sum, wide) => sum + wide, 0) / 2;
  return widths.map((wide) => (edge += wide) - wide / 2);
}

/** Target words, source words, and between them a ribbon for each link, as wide as its weight. */
function Rows({ drawn, targets, sources, threshold, mask, target, looked, choose, hide, onHover, nLinks }) {
  const [element, width] = useWidth();
  const widest = Math.min(WIDEST, 0.8 * (width / Math.max(targets.length, sources.length)));
  const [nTargets, nSources] = [targets.length, sources.length];
  const curve = useCallback((i, j, aside) => {
    const from = ((i + 0.5) * width) / nTargets + aside;
    const to = ((j + 0.5) * width) / nSources;
    return `M${from},0 C${from},${DEPTH / 2} ${to},${DEPTH / 2} ${to},${DEPTH}`;
  }, [width, nTargets, nSources]);
  return (
    <div class="arcs in-rows" ref={element} style={{ "--depth": `${DEPTH}px` }}>
      <WordChoice label={ASKS} words={targets} value={target} onChange={choose} onHover={onHover} />
      <svg viewBox={`0 0 ${width} ${DEPTH}`} preserveAspectRatio="none" role="img" aria-label={`ribbons for ${nLinks} links; the table has their weights`}>
        {targets.map((_, i) => i !== looked && <Ribbons key={i} {...{ i, curve, widest, threshold }} row={drawn[i]} />)}
        {/* What is looked at is drawn last, over the others. */}
        <Ribbons key="looked" {...{ curve, widest, threshold }} i={looked} row={drawn[looked]} strong />
      </svg>
      <Sources {...{ sources, mask, threshold, hide }} row={drawn[looked]} places={sources.map((_, j) => j)} />
    </div>
  );
}

/** The ribbons of one target word. Its drawing is kept while the same of its links are shown. */
function Ribbons({ i, row, curve, widest, threshold, strong = false }) {
  const shown = count(row, threshold); // of a row, so many are always the same ones
  return useMemo(() => {
    const links = row.map((_, j) => j).filter((j) => row[j] >= threshold);
    const widths = links.map((j) => widest * row[j]);
    const starts = beside(widths);
    return (
      <g>
        {links.map((j, k) => (
          <path key={j} class={strong ? "ribbon strong" : "ribbon"} d={curve(i, j, starts[k])} stroke-width={widths[k]} />
        ))}
      </g>
    );
  }, [i, row, curve, widest, strong, shown]);
}

/** Of many words the one that is looked at, and those that it gives most to; what is hidden stays. */
function Fan({ drawn, targets, sources, threshold, mask, target, looked, choose, hide, onHover, nLinks }) {
  const row = drawn[looked];
  const largest = sources.map((_, j) => j).sort((j, k) => row[k] - row[j]).slice(0, MOST_TOLD);
  const places = sources.map((_, j) => j).filter((j) => !mask[j] || largest.includes(j));
  const high = LINE * places.length;
  const links = places.filter((j) => row[j] >= threshold);
  const widths = links.map((j) => WIDEST * row[j]);
  const starts = beside(widths);
  const choice = useMemo(() => (
    <WordChoice label={ASKS} words={targets} value={target} onChange={choose} onHover={onHover} />
  ), [targets, target, choose, onHover]);
  return (
    <div class="arcs">
      {choice}
      <div class="fan" style={{ "--high": `${high}px` }}>
        <p class="asker"><bdi title={targets[looked]}>{targets[looked]}</bdi></p>
        <svg viewBox={`0 0 100 ${high}`} preserveAspectRatio="none" role="img" aria-label={`ribbons for ${links.length} of ${nLinks} links; the table has their weights`}>
          {links.map((j, k) => {
            const [from, to] = [high / 2 + starts[k], (places.indexOf(j) + 0.5) * LINE];
            return <path key={j} class="ribbon strong" vector-effect="non-scaling-stroke" d={`M0,${from} C50,${from} 50,${to} 100,${to}`} stroke-width={widths[k]} />;
          })}
        </svg>
        <Sources {...{ sources, mask, threshold, hide, row, places }} />
      </div>
    </div>
  );
}

/** Source words, each a switch that hides it; one of them stands in the order of Tab. */
function Sources({ sources, places, row, mask, threshold, hide }) {
  const [at, setAt] = useState(0);
  const press = (event) => {
    const by = MOVES[event.key];
    const to = event.currentTarget.querySelectorAll("button")[Math.min(at, places.length - 1) + by];
    if (!by) return;
    event.preventDefault();
    to?.focus();
  };
  const strong = (j) => row[j] >= threshold;
  return (
    <div class="answering">
      <p class="head" aria-hidden="true">it reads these (source, keys) <span>– press one to hide it</span></p>
      <ul aria-label="source words (keys)" onKeyDown={press}>
        {places.map((j, k) => (
          <li key={j} class={`${strong(j) ? "read" : ""} ${mask[j] ? "" : "out"}`}>
            <button
              type="button"
              aria-label={`hide ${spoken(named(sources, j)).replaceAll(/[“”]/g, "")}`}
              aria-pressed={!mask[j]}
              tabIndex={k === Math.min(at, places.length - 1) ? 0 : -1}
              onFocus={() => setAt(k)}
              onClick={() => hide(j)}
            >
              <bdi title={sources[j]}>{sources[j]}</bdi>
            </button>{" "}
            <span class="weight">{mask[j] ? strong(j) && format(row[j]) : "hidden"}</span>
          </li>
        ))}
      </ul>
      {places.length < sources.length && <p class="note">and {sources.length - places.length} more</p>}
    </div>
  );
}

// The table

/** All weights. In a dense one colours say how large they are, and each number waits for the pointer. */
function Weights({ reads, drawn, targets, sources, threshold, looked, choose, onHover, kept, dense, theme }) {
  const most = useMemo(() => (dense ? Math.max(...reads.flat()) || 1 : 1), [reads, dense]);
  const head = useMemo(() => (
    <thead>
      <tr>
        <th scope="col" class="corner">key →<br />query ↓</th>
        {sources.map((name, j) => <th scope="col" key={j}><bdi title={name}>{name}</bdi></th>)}
        {!dense && <th scope="col" class="extra">sum drawn</th>}
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
        class="scroll"
        tabindex={0}
        role="region"
        aria-label="weights: each row a target word (query), each column a source word (key)"
      >
        <table class={dense ? "matrix dense" : "matrix"} style={{ "--columns": sources.length }}>
          {head}
          <tbody>
            {reads.map((row, i) => (
              <Row
                key={i}
                {...{ i, row, sources, threshold, most, dense, theme, onHover }}
                drawn={drawn[i]}
                name={targets[i]}
                marked={i === looked}
                kept={format(kept[i])}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="note legend">
        {dense ? `Darkest: ${format(most)}. Blank: not drawn.` : "Hatched: not drawn."}
      </p>
    </div>
  );
}

/** A row of the table. Each cell is made thrice, shown, pale and hidden; what stays is not compared again. */
function Row({ i, name, row, drawn, sources, threshold, most, dense, theme, onHover, marked, kept }) {
  const cells = useMemo(() => row.map((w, j) => {
    const told = dense ? { title: `${name}, ${sources[j]}: ${format(w)}` } : {};
    const text = dense ? <span>{format(w)}</span> : format(w);
    return {
      shown: <td key={j} {...told} style={shade(w / most, { theme })}>{text}</td>,
      pale: <td key={j} {...told} style={shade((PALE * w) / most, { theme })}>{text}</td>,
      hidden: <td key={j} {...told} class="hidden">{text}</td>,
    };
  }), [row, name, sources, most, dense, theme]);
  const nShown = count(drawn, threshold); // of a row, so many are always the same ones
  return useMemo(() => (
    <tr class={marked ? "marked" : ""} onPointerEnter={() => onHover(i)}>
      <th scope="row"><bdi title={name}>{name}</bdi></th>
      {cells.map((cell, j) => (drawn[j] < threshold ? cell.hidden : marked ? cell.shown : cell.pale))}
      {!dense && <td class="extra">{kept}</td>}
    </tr>
  ), [i, cells, nShown, marked, kept]);
}
