// What a query may not look at, and whether it notices all the same.

import { useRef, useState } from "preact/hooks";
import {
  attentionScores,
  causalMask,
  fullMask,
  maskedWeights,
  mix,
  packedMask,
  paddingMask,
  rowChanges,
  rowSums,
  weightsMaskedAfter,
  windowMask,
} from "./arithmetic.js";
import { Announcement, Choice, NumberField, Verdict, WordChoice, answered, format, shade } from "./parts.jsx";

export { default as style } from "./mask.css";
export const traits = ["query", "key", "value", "words", "mask", "when", "changed"];

const NOTHING = 1e-9; // no change is as large
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const amount = (x) => (x > NOTHING && x < 0.005 ? x.toExponential(0).replace("-", "−") : format(x));
const noticed = (change) => (Number.isNaN(change) ? "is nan" : change <= NOTHING ? "untouched" : "changes");
const wrongSum = (sum) => !(Math.abs(sum - 1) < 1e-6);

export function View(props) {
  const { words, mask, when, changed, theme, set } = props;
  const own = answered(props);
  const { weights, changes } = own ? ownNumbers(own) : numbers(props);
  const sums = weights && rowSums(weights);
  const told = words.map((word, i) => `${word}: ${sums ? `sum ${format(sums[i])}, ` : ""}${noticed(changes[i])}`);
  return (
    <>
      <Presets mask={mask} n={words.length} set={set} />
      <div class="masking">
        <div class="scroll">
          <Grid {...{ words, mask, weights, sums, changes, changed, theme, set }} />
        </div>
        <div class="side">
          {own ? (
            <p class="note">Whether it hides before or after the softmax is decided inside {own.name}.</p>
          ) : (
            <Choice
              label="hide"
              options={["before", "after"]}
              names={["before the softmax", "after the softmax"]}
              value={when}
              onChange={(chosen) => set({ when: chosen })}
            />
          )}
          <WordChoice
            label="change this word: its key and its value, every feature by +1"
            words={words}
            value={changed}
            onChange={(j) => set({ changed: j })}
          />
          {!own?.late && <Finding {...{ words, mask, weights, changes, changed, late: !own && when === "after" }} />}
          <p class="note">
            {mask.flat().filter(Boolean).length} of {words.length ** 2} pairs may look; hatched: may not look.
            Press a cell, or drag over several. Keys: arrows move, Space or Enter toggles.
          </p>
        </div>
      </div>
      <Verdict {...props} />
      <Announcement text={`If ${words[changed]} changes. ${told.join("; ")}.`} />
    </>
  );
}

/** Weights, and how far each output moves when the changed word's key and value are raised by 1. */
function numbers({ query, key, value, mask, when, changed }) {
  const hide = when === "after" ? weightsMaskedAfter : maskedWeights;
  const raise = (rows) => rows.map((row, j) => (j === changed ? row.map((x) => x + 1) : row));
  const weights = hide(attentionScores(query, key), mask);
  const others = hide(attentionScores(query, raise(key)), mask);
  return { weights, changes: rowChanges(mix(others, raise(value)), mix(weights, value)) };
}

const ownNumbers = ({ weights, changes }) => ({
  weights: weights?.map((row) => row.map(Number)),
  changes: changes.map(Number),
});

/** The masks that have names, each with the number it needs. */
function Presets({ mask, n, set }) {
  const [sizes, setSizes] = useState({ padding: Math.max(1, n - 1), window: Math.min(1, n - 1), packed: Math.ceil(n / 2) });
  const presets = [
    { name: "all", make: () => fullMask(n) },
    { name: "causal", make: () => causalMask(n) },
    { name: "padding", make: (k) => paddingMask(n, k), label: "real words", most: n },
    { name: "window", make: (width) => windowMask(n, width), label: "to either side", most: n - 1 },
    { name: "packed", make: (k) => packedMask(n, k), label: "words in sentence 1", most: n },
  ];
  return (
    <div class="controls presets" role="group" aria-label="masks to start from">
      {presets.map(({ name, make, label, most }) => {
        const made = make(sizes[name]);
        return (
          <span class="preset" key={name}>
            <button
              type="button"
              aria-pressed={made.every((row, i) => row.every((may, j) => may === mask[i][j]))}
              onClick={() => set({ mask: made })}
            >
              {name}
            </button>
            {label && (
              <NumberField
                label={label}
                min={0}
                max={most}
                step={1}
                value={sizes[name]}
                onChange={(typed) => {
                  const size = Math.round(typed);
                  setSizes({ ...sizes, [name]: size });
                  set({ mask: make(size) });
                }}
              />
            )}
          </span>
        );
      })}
    </div>
  );
}

/** The mask as buttons that carry the weights, one of them in the order of Tab. */
function Grid({ words, mask, weights, sums, changes, changed, theme, set }) {
  const [[row, column], setAt] = useState([0, 0]);
  const stroke = useRef(null); // the mask as painted so far, what is painted, and where the hand is

  const paint = (to) => {
    const { painted, may, at } = stroke.current;
    // A fast hand skips cells: paint the straight line to where it is now.
    const steps = Math.max(1, ...to.map((x, k) => Math.abs(x - at[k])));
    for (let step = 0; step <= steps; step += 1) {
      const [i, j] = at.map((x, k) => Math.round(x + ((to[k] - x) * step) / steps));
      painted[i][j] = may;
    }
    stroke.current.at = to;
    set({ mask: painted.map((cells) => [...cells]) });
  };
  const down = (i, j) => (event) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    stroke.current = { painted: mask.map((cells) => [...cells]), may: !mask[i][j], at: [i, j], going: true };
    paint([i, j]);
  };
  const move = (event) => {
    if (!stroke.current?.going) return;
    const under = event.currentTarget.getRootNode().elementFromPoint(event.clientX, event.clientY);
    const place = under?.closest?.("[data-cell]")?.dataset.cell.split(" ").map(Number);
    if (place && String(place) !== String(stroke.current.at)) paint(place);
  };
  const up = () => {
    if (stroke.current) stroke.current.going = false;
  };
  const click = (i, j) => (event) => {
    // A key's click has no detail; a pointer's has painted already, unless assistive technology made it.
    const painted = event.detail > 0 && stroke.current;
    stroke.current = null;
    if (!painted) set({ mask: mask.map((cells, k) => cells.map((may, l) => (k === i && l === j ? !may : may))) });
  };
  const press = (i, j) => (event) => {
    const ends = { Home: [i, 0], End: [i, words.length - 1] };
    const [di, dj] = MOVES[event.key] ?? [];
    const to = ends[event.key] ?? (di === undefined ? null : [i + di, j + dj]);
    if (!to) return;
    event.preventDefault();
    event.currentTarget.closest("table").querySelector(`[data-cell="${to[0]} ${to[1]}"]`)?.focus();
  };

  return (
    <table class={words.length > 8 ? "matrix paint many" : "matrix paint"} aria-label="mask and weights: rows are queries, columns are keys">
      <thead>
        <tr>
          <th scope="col" class="corner">query ↓<br />key →</th>
          {words.map((word, j) => (
            <th scope="col" key={j} class={j === changed ? "by-key marked" : "by-key"}><bdi title={word}>{word}</bdi></th>
          ))}
          {sums && <th scope="col" class="extra">row sum</th>}
          <th scope="col" class="extra by-output">output, if <bdi>{words[changed]}</bdi> changes</th>
        </tr>
      </thead>
      <tbody>
        {words.map((word, i) => (
          <tr key={i}>
            <th scope="row" class="by-query"><bdi title={word}>{word}</bdi></th>
            {words.map((other, j) => {
              const weight = weights?.[i][j];
              const may = mask[i][j];
              const leak = !may && weights && weight !== 0;
              return (
                <td key={j}>
                  <button
                    type="button"
                    class={may ? "" : leak ? "hidden leak" : "hidden"}
                    style={may ? shade(weight ?? 0, { theme }) : undefined}
                    data-cell={`${i} ${j}`}
                    tabIndex={i === row && j === column ? 0 : -1}
                    aria-pressed={may}
                    aria-label={`${word} may look at ${other}${weights ? `, weight ${format(weight)}` : ""}`}
                    onFocus={() => setAt([i, j])}
                    onPointerDown={down(i, j)}
                    onPointerMove={move}
                    onPointerUp={up}
                    onPointerCancel={up}
                    onClick={click(i, j)}
                    onKeyDown={press(i, j)}
                  >
                    {weights ? format(weight) : may ? "●" : "×"}
                  </button>
                </td>
              );
            })}
            {sums && (
              <td class={wrongSum(sums[i]) ? "extra sum wrong" : "extra sum"}>
                {format(sums[i])}{wrongSum(sums[i]) && <>, <span>{mask[i].some(Boolean) ? "not 1" : "sees nothing"}</span></>}
              </td>
            )}
            <td class={leaks(mask, changes, changed, i) || Number.isNaN(changes[i]) ? "extra change wrong" : "extra change"}>
              <span>{noticed(changes[i])}</span> {changes[i] > NOTHING && <span>by {amount(changes[i])}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Whether this row's output changes though it may not look at the word that does. */
const leaks = (mask, changes, changed, i) => !mask[i][changed] && changes[i] > NOTHING;

/** Who may not look at the changed word, and whether that helps, in a sentence. */
function Finding({ words, mask, weights, changes, changed, late }) {
  const blind = words.map((_, i) => i).filter((i) => !mask[i][changed]);
  const leaking = blind.filter((i) => leaks(mask, changes, changed, i));
  const safe = blind.filter((i) => changes[i] <= NOTHING);
  const carried = weights?.flat().filter((weight, at) => weight !== 0 && !mask.flat()[at]).length ?? 0;
  const word = <bdi>{words[changed]}</bdi>;
  return (
    <div class="finding">
      {blind.length === 0 && <p>Everybody may look at {word}.</p>}
      {safe.length > 0 && (
        <p><Listed words={words} places={safe} /> may not look at {word}: untouched.</p>
      )}
      {leaking.length > 0 && (
        <p class="wrong">
          <Listed words={words} places={leaking} /> may not look at {word}, and {leaking.length === 1 ? "changes" : "change"} all
          the same: {late ? "the softmax divided by a sum that had seen it." : "it leaks."}
        </p>
      )}
      {carried > 0 && <p class="wrong">{carried} hidden {carried === 1 ? "cell is" : "cells are"} not 0.</p>}
    </div>
  );
}

const Listed = ({ words, places }) =>
  places.map((i, k) => <span key={i}>{k > 0 && ", "}<bdi>{words[i]}</bdi></span>);
