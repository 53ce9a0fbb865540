// One sentence reads another.

import { useState } from "preact/hooks";
import { keptWeights, links, rowSums } from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Facts, Matrix, Slider, WordChoice, format } from "./parts.jsx";

export { default as style } from "./alignment.css";
export const traits = ["weights", "targets", "sources", "target", "threshold"];

const WORD = 60; // pixels that a word needs in a row; where there are fewer, words stand in columns
const LINE = 32; // of height that a word in a column gets
const DEPTH = 150; // between the two rows
const WIDEST = 24; // a ribbon of weight 1
const MOST_TOLD = 5;

export function View({ weights, targets, sources, target, threshold, theme, set }) {
  const [hovered, setHovered] = useState(null); // looked at while the pointer rests on it
  const looked = hovered !== null && hovered < targets.length ? hovered : target;
  const choose = (i) => {
    setHovered(null);
    set({ target: i });
  };
  const linked = links(weights, threshold);
  const kept = keptWeights(weights, threshold);
  const total = rowSums(weights);
  const own = linked.filter(([i]) => i === looked);
  const hidden = weights.map((row) => row.map((w) => w < threshold));
  const nHidden = sources.length - own.length;
  const strongest = own.map(([, j]) => j).sort((j, k) => weights[looked][k] - weights[looked][j]);
  const reading = {
    word: [targets, looked],
    read: strongest.slice(0, MOST_TOLD).map((j) => [[sources, j], format(weights[looked][j])]),
    more: Math.max(0, strongest.length - MOST_TOLD),
    rest: nHidden === 0
      ? "None of its weights is hidden."
      : `Hidden, since below ${format(threshold)}: ${nHidden} of its ${sources.length} weights, ` +
        `${format(total[looked] - kept[looked])} together. They are hatched in the table.`,
  };
  const few = Math.max(targets.length, sources.length) <= 6;
  const clicked = (event) => {
    const row = event.target.closest("tbody tr");
    if (row) choose(row.sectionRowIndex);
  };
  const table = (
    // A click on a row is a shorter way to what the words' radio buttons do.
    <div key="table" class="table" onClick={clicked}>
      <Matrix
        said="weights: each row a target word (query), each column a source word (key)"
        corner={<>key →<br />query ↓</>}
        values={weights}
        rows={targets}
        columns={sources}
        row={looked}
        hidden={hidden}
        theme={theme}
        onRow={setHovered}
        extra={{ name: "shown", values: kept, say: format }}
      />
    </div>
  );
  const told = (
    <div key="told">
      <p class="sentence"><Reading {...reading} /></p>
      <Facts
        facts={[
          ["all links shown", `${linked.length} of ${targets.length * sources.length}`],
          ["this word's links", `${own.length} of ${sources.length}`],
          ["this word's weight", `${format(kept[looked])} of ${format(total[looked])}`],
        ]}
      />
    </div>
  );
  return (
    <>
      <div class="controls">
        <Slider
          label="hide weights below"
          value={threshold}
          min={0}
          max={1}
          step={0.01}
          onInput={(x) => set({ threshold: x })}
        />
      </div>
      <div class={few ? "columns even" : "columns one"} onPointerLeave={() => setHovered(null)}>
        <div>
          <Arcs {...{ weights, targets, sources, linked, target, looked, choose }} onHover={setHovered} />
        </div>
        <div>{few ? [table, told] : [told, table]}</div>
      </div>
      <Announcement text={inWords(reading)} />
    </>
  );
}

/** A word, with its place where the sentence has it more than once. */
function Word({ of: [words, place] }) {
  return <><bdi title={words[place]}>{words[place]}</bdi>{nth(words, place)}</>;
}

const nth = (words, place) =>
  words.indexOf(words[place]) === words.lastIndexOf(words[place]) ? "" : ` (${place})`;

function Reading({ word, read, more, rest }) {
  return (
    <>
      <strong><Word of={word} /></strong> {read.length === 0 ? "has no link left" : "reads "}
      {read.map(([source, weight], k) => (
        <span key={k}>{k > 0 && ", "}<Word of={source} /> {weight}</span>
      ))}
      {more > 0 && ` and ${more} more`}. {rest}
    </>
  );
}

function inWords({ word, read, more, rest }) {
  const name = ([words, place]) => words[place] + nth(words, place);
  const list = read.map(([source, weight]) => `${name(source)} ${weight}`).join(", ");
  const reads = list ? `reads ${list}` : "has no link left";
  return `${name(word)} ${reads}${more > 0 ? ` and ${more} more` : ""}. ${rest}`;
}

/** Target words, source words, and between them a ribbon for each link, as wide as its weight. */
function Arcs({ weights, targets, sources, linked, target, looked, choose, onHover }) {
  const [element, width] = useWidth();
  const n = Math.max(targets.length, sources.length);
  const inRows = width / n >= WORD;
  const across = inRows ? width : n * LINE; // along the words
  const [broad, high] = inRows ? [width, DEPTH] : [100, across];
  const widest = Math.min(WIDEST, 0.8 * (across / n));
  const curve = ([i, j]) => {
    const from = ((i + 0.5) * across) / targets.length;
    const to = ((j + 0.5) * across) / sources.length;
    return inRows
      ? `M${from},0 C${from},${DEPTH / 2} ${to},${DEPTH / 2} ${to},${DEPTH}`
      : `M0,${from} C50,${from} 50,${to} 100,${to}`;
  };
  // What is looked at is drawn last, over the others.
  const ordered = [...linked.filter(([i]) => i !== looked), ...linked.filter(([i]) => i === looked)];
  const strong = new Set(linked.filter(([i]) => i === looked).map(([, j]) => j));
  return (
    <div class={inRows ? "arcs in-rows" : "arcs in-columns"} ref={element} style={{ "--across": `${across}px`, "--depth": `${DEPTH}px` }}>
      <div class="side asking">
        <WordChoice label="target word (query)" words={targets} value={target} onChange={choose} onHover={onHover} />
      </div>
      <svg
        viewBox={`0 0 ${broad} ${high}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`ribbons for ${linked.length} links; the table has their weights`}
      >
        {ordered.map(([i, j]) => (
          <path
            key={`${i} ${j}`}
            class={i === looked ? "ribbon strong" : "ribbon"}
            d={curve([i, j])}
            vector-effect="non-scaling-stroke"
            stroke-width={widest * weights[i][j]}
          />
        ))}
      </svg>
      <div class="side answering">
        <p class="head" aria-hidden="true">source word (key)</p>
        <ul aria-label="source words (keys)">
          {sources.map((word, j) => (
            <li key={j} class={strong.has(j) ? "read" : ""}>
              <bdi title={word}>{word}</bdi> <span class="weight">{strong.has(j) && format(weights[looked][j])}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
