// Who may look at whom, the weights that follow, and who notices what is hidden all the same.

import { Component } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { alignment, mask as shared } from "../../pictures/shared.json";
import { useAfresh, useAfreshRef } from "./afresh.js";
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
import OWN from "./mask.css";
import MORE from "./more.css";
import { More } from "./more.jsx";
import { useWidth } from "./mount.jsx";
import { Announcement, Choice, NumberField, Sentence, Verdict, WordChoice, answered, asked, called, format, named, spoken } from "./parts.jsx";
import { shade } from "./shades.js";

export const style = OWN + MORE;
export const traits = ["query", "key", "value", "words", "mask", "when", "changed"];

// A change up to NOTHING is none; LISTED words of a list are named, the others counted.
const { NOTHING, LISTED } = shared;
const { MOST_TOLD } = alignment; // weights of a row, where there is room for no more
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const amount = (x) => (x > NOTHING && x < 0.005 ? x.toExponential(0).replace("-", "−") : format(x));
const noticed = (change) => (Number.isNaN(change) ? "is nan" : change <= NOTHING ? "untouched" : "changes");
const wrongSum = (sum) => !(Math.abs(sum - 1) < 1e-6);
const sameRow = (a, b) => a.length === b.length && a.every((x, j) => Object.is(x, b[j]));
const sameMask = (a, b) => a.length === b.length && a.every((row, i) => sameRow(row, b[i]));

export const measured = ({ query, key, value, mask, when, changed }) => {
  const hide = when === "after" ? weightsMaskedAfter : maskedWeights;
  const attend = (keys, values) => {
    const weights = hide(attentionScores(query, keys), mask);
    return { weights, output: mix(weights, values) };
  };
  const { weights, output } = attend(key, value);
  const other = attend(raised(key, changed), raised(value, changed));
  return { weights, row_sums: rowSums(weights), output, changes: rowChanges(other.output, output) };
};

export const missing = ({ name, place: [i, j], is, least, most, state: { words } }) => {
  const what = {
    weights: () => `gives ${format(is)} to ${spoken(named(words, j))}`,
    row_sums: () => `has weights that sum to ${format(is)}`,
    output: () => `gets ${format(is)} in feature ${j}`,
    changes: () => `changes by ${format(is)}`,
  }[name]();
  return `${spoken(named(words, i))} ${what}; ${asked(least, most)} is asked`;
};

/** Rows of which one is raised by 1 in every feature. */
const raised = (rows, changed) => rows.map((row, j) => (j === changed ? row.map((x) => x + 1) : row));

export function View(props) {
  const { words, mask, when, changed, theme, set } = props;
  const own = answered(props);
  const computed = useNumbers(props);
  const { weights, changes } = own ? ownNumbers(own) : computed;
  const sums = weights && rowSums(weights);
  const stroke = useRef(null); // the mask as painted so far, what is painted, and where the hand is
  const shown = { props, mask, when, weights: own?.late ? null : weights };
  const earlier = useEarlier(shown, stroke.current);
  const was = earlier ?? { mask: fullMask(words.length), when, weights: own ? null : computed.unmasked };
  const story = told(words, shown, was, !earlier);
  const reason = useMemo(() => why(mask), [mask]);
  const [opened, setOpened] = useState(false);
  const leaking = when === "after" || own !== null;
  const asked = opened || leaking; // whose output notices
  const [frame, width] = useWidth(838);
  const size = sized(width, words.length, asked);
  const presets = useMemo(() => <Presets mask={mask} n={words.length} set={set} />, [mask, words.length, set]);
  const choice = useMemo(
    () => (
      <Changing
        label="change this word (key and value, every feature by +1): whose output notices?"
        many={size.many}
        words={words}
        value={changed}
        onChange={(j) => set({ changed: j })}
      />
    ),
    [words, changed, set, size.many],
  );
  return (
    <div ref={frame} class={`masking ${size.cell < 38 ? "upright" : ""} ${size.many ? "many" : ""} ${size.many && size.cell < 12 ? "thin" : ""}`} style={{ "--cell": `${size.cell}px`, "--row": `${size.row}px` }}>
      <p class="story"><Sentence parts={story.said} /></p>
      <Sides {...{ words, mask, when, weights, sums, changes, changed, size, theme, asked, stroke, reason, presets, set, was }} scores={own ? null : computed.scores} row={story.row} earlier={earlier?.mask} />
      <Verdict {...props} />
      <More title="change a word: whose output notices? hide after the softmax?" needed={leaking} onOpen={setOpened}>
        <div class="below">
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
          <div>
            {choice}
            {!own?.late && <Finding {...{ words, mask, weights, changes, changed, late: !own && when === "after" }} />}
          </div>
        </div>
        <p class="note">
          {mask.flat().filter(Boolean).length} of {words.length ** 2} pairs may look. Keys: arrows move, Space or Enter toggles.
        </p>
      </More>
      <Announcement text={`${spoken(story.said)}${story.also} If ${plainly(words, changed)} changes: ${words.map((_, i) => `${plainly(words, i)} ${noticed(changes[i])}`).join(", ")}.`} />
    </div>
  );
}

/** The table and what stands beside it: when the hand goes on to another cell, nothing else is drawn again. */
function Sides({ reason, presets, ...shown }) {
  const [at, goTo] = useAfresh([0, 0]);
  const [pointed, setPointed] = useAfresh(false);
  const setAt = (cell) => (goTo(cell), setPointed(true));
  const { words, weights, size } = shown;
  return (
    <div class="sides">
      <div>
        <p class="title">Press a cell to hide or show it <span class="note">(or drag over several)</span></p>
        <div class="scroll">
          <Grid {...shown} {...{ at, setAt }} />
        </div>
      </div>
      <div class="aside">
        <p>Each row is a word that asks. It shares its weight, 1 in all, among the words that it may look at.</p>
        <p class="why"><b>Why?</b> {reason}</p>
        {weights && size.narrow && <Largest {...shown} row={Math.min(at[0], words.length - 1)} />}
        <Reading {...shown} {...{ at, pointed }} />
        {presets}
      </div>
    </div>
  );
}

/** Weights, and how far each output moves when the changed word's key and value are raised by 1. */
function useNumbers({ query, key, value, mask, when, changed }) {
  const scores = useMemo(() => attentionScores(query, key), [query, key]);
  const unmasked = useMemo(() => maskedWeights(scores, fullMask(scores.length)), [scores]);
  const other = useMemo(() => {
    const column = attentionScores(query, [raised(key, changed)[changed]]); // the others stay
    return {
      scores: scores.map((row, i) => row.map((x, j) => (j === changed ? column[i][0] : x))),
      value: raised(value, changed),
    };
  }, [query, key, value, scores, changed]);
  const hide = when === "after" ? weightsMaskedAfter : maskedWeights;
  const attend = (at, values, i) => {
    const weights = hide([at[i]], [mask[i]]);
    return { weights: weights[0], output: mix(weights, values)[0] };
  };
  const rows = useRows(mask, [scores, value, hide], (i) => attend(scores, value, i));
  const others = useRows(mask, [other, hide], (i) => attend(other.scores, other.value, i));
  const changes = rowChanges(others.map(({ output }) => output), rows.map(({ output }) => output));
  return { scores, weights: rows.map(({ weights }) => weights), unmasked, changes };
}

/** What `compute` makes of each row of the mask; again only where the row, or what it needs, changed. */
function useRows(mask, needed, compute) {
  const kept = useRef({ needed: [], mask: [] });
  const { needed: before, mask: rows, made } = kept.current;
  const alive = sameRow(needed, before) && rows.length === mask.length;
  const next = mask.map((row, i) => (alive && sameRow(row, rows[i]) ? made[i] : compute(i)));
  kept.current = { needed, mask, made: next };
  return next;
}

const ownNumbers = ({ weights, changes }) => ({
  weights: weights?.map((row) => row.map(Number)),
  changes: changes.map(Number),
});

/** What was shown before the last change, or null; all of a stroke is one change. */
function useEarlier(now, stroke) {
  const kept = useAfreshRef({ now, was: null });
  const { now: last, was, by } = kept.current;
  const others = ["query", "key", "value", "words"].some((name) => now.props[name] !== last.props[name]);
  if (others) {
    kept.current = { now, was: null };
  } else if (now.when !== last.when || !sameMask(now.mask, last.mask)) {
    kept.current = { now, was: stroke && stroke === by ? was : last, by: stroke };
  } else if (now.weights) {
    kept.current.now = now;
  }
  return kept.current.was;
}

/** How large a cell is, and what fits into it; beside the cells stand sums, outputs where asked, and words. */
function sized(width, n, asked) {
  const narrow = width < 560;
  const outputs = n > 12 ? 50 : narrow ? 75 : 120;
  const beside = 65 + (asked && outputs) + (width < 800 || n > 12 ? 0 : 250);
  const room = (width - (narrow ? 84 : 104) - beside) / n - 2;
  if (room >= (narrow ? 22 : 27)) return { cell: Math.floor(Math.min(72, room)), row: Math.floor(Math.min(46, room)), many: false };
  // Many words: all of the table is seen, or of narrow ones a part, where a finger scrolls.
  const cell = narrow ? 22 : Math.floor(Math.max(5, room));
  return { cell, row: narrow ? 22 : Math.max(12, Math.min(cell, Math.floor(500 / n))), many: true, narrow };
}

// The sentence

/** What has changed and what follows, in words; and the row of which it is told. Words are objects. */
function told(words, now, was, first) {
  const differs = (i) => now.mask[i].some((may, j) => may !== was.mask[i][j]);
  const moved = (i) =>
    now.weights && was.weights ? now.weights[i].reduce((sum, w, j) => sum + (Math.abs(w - was.weights[i][j]) || 0), 0) : 0;
  const rows = words.map((_, i) => i).filter((i) => differs(i) || moved(i) > NOTHING);
  if (!rows.length) {
    const open = now.mask.every((row) => row.every(Boolean));
    return { row: null, also: "", said: [open ? "Nothing is hidden: every word may look at every word." : "No weight has moved."] };
  }
  const row = rows.reduce((best, i) => (moved(i) > moved(best) + NOTHING ? i : best));
  const others = rows.length - 1;
  const also = others ? ` ${others} other ${others === 1 ? "row changes" : "rows change"} as well.` : "";
  const cause = now.when === was.when ? causeOf(words, now.mask[row], was.mask[row], row, first) : [
    `Hidden ${now.when} the softmax now, look at `, ...named(words, row), ": ",
  ];
  return { row, also, said: [...cause, ...effectOf(words, now, was, row, first)] };
}

/** A word as a control is called. */
const plainly = (words, i) => named(words, i).map((part) => part.word ?? part).join("");

const places = (row, rule) => row.map((_, j) => j).filter(rule);

/** Whether a row sees a few words and not the most: then these are named, and not what is hidden. */
const fewer = (row) => row.some(Boolean) && 2 * places(row, (j) => row[j]).length < row.length;

function causeOf(words, mask, was, row, first) {
  const query = named(words, row);
  const hidden = places(mask, (j) => was[j] && !mask[j]);
  const open = places(mask, (j) => !was[j] && mask[j]);
  const seen = places(mask, (j) => mask[j]);
  if (first && fewer(mask)) return [...query, " may look at ", ...listed(words, seen), " alone: "];
  if (!open.length) return [...query, first ? " may not look at " : " may no longer look at ", ...listed(words, hidden), ": "];
  if (!hidden.length) return [...query, " may now look at ", ...listed(words, open), ": "];
  return [...query, " may now look at ", ...listed(words, open), ", but not at ", ...listed(words, hidden), ": "];
}

/** Where the weight of a row has gone. */
function effectOf(words, now, was, row, first) {
  if (!now.weights || !was.weights) return ["it has other weights now."];
  const [mask, weights, before] = [now.mask[row], now.weights[row], was.weights[row]];
  const sum = rowSums([weights])[0];
  const more = sum - rowSums([before])[0];
  const sums = `Its row sums to ${format(sum)}${wrongSum(sum) ? ", not 1" : ""}.`;
  if (!mask.some(Boolean) && sum === 0) return ["it sees nothing now, so its weights are 0, and its output is 0."];
  if (more < -1e-6) return [`it loses ${format(-more)} of weight, which no other word gets. ${sums}`];
  if (more > 1e-6) return [`it gives ${format(more)} more than before. ${sums}`];
  const change = (j) => weights[j] - before[j];
  const gone = places(weights, (j) => change(j) < -NOTHING);
  const come = places(weights, (j) => change(j) > NOTHING);
  const much = format(come.reduce((all, j) => all + change(j), 0));
  if (!come.length) return [`it ${first ? "would give" : "gave"} nothing there, and no weight moves.`];
  if (gone.every((j) => mask[j])) return [`the ${much} it gives there comes from `, ...listed(words, gone), "."];
  if (gone.some((j) => mask[j])) return [`it moves ${much} of its weight, most of it to `, ...listed(words, come), "."];
  if (first && fewer(mask) && mask.every((may, j) => may || !weights[j])) {
    const seen = places(mask, (j) => mask[j]);
    return [...(seen.length > 1 ? ["they"] : named(words, seen[0])), ` ${seen.length > 1 ? "share" : "gets"} all of its weight, and the others get none.`];
  }
  return [`the ${much} it ${first ? "would give" : "gave"} there goes to `, ...listed(words, come), "."];
}

function listed(words, list) {
  const first = list.slice(0, list.length > LISTED + 1 ? LISTED : LISTED + 1);
  const parts = first.flatMap((j, k) => [k ? ", " : "", ...named(words, j)]);
  return list.length > first.length ? [...parts, ` and ${list.length - first.length} more`] : parts;
}

/** Query, key, score and weight of the cell under the hand. */
function Reading({ words, mask, when, weights, scores, pointed, at: [i, j] }) {
  if (i >= words.length || j >= words.length) return null;
  const may = mask[i][j];
  const score = may || when === "after" ? scores && format(scores[i][j]) : scores && "−inf";
  return (
    <p class="reading" style={{ visibility: pointed ? "visible" : "hidden" }}>
      <span class="role-query"><b><bdi>{words[i]}</bdi></b> asks</span>{" "}
      <span class="role-key"><b><bdi>{words[j]}</bdi></b> is looked at</span>{" "}
      {may ? "may look" : "hidden"}{score && <>, score {score}</>}{weights && <>, weight {format(weights[i][j])}</>}
    </p>
  );
}

// Controls

/** What a mask is good for, if it is one that has a name. */
function why(mask) {
  const n = mask.length;
  const sizes = Array.from({ length: n + 1 }, (_, k) => k);
  if (sameMask(mask, fullMask(n))) return "Nobody has to be kept from looking: the whole sentence is there.";
  if (sameMask(mask, causalMask(n))) return "A model that guesses the next word must not see it.";
  if (sizes.some((k) => sameMask(mask, paddingMask(n, k)))) return "What fills a row up to its length is no word.";
  if (sizes.some((k) => sameMask(mask, windowMask(n, k)))) return "In a long text, looking at neighbours alone is cheaper.";
  if (sizes.some((k) => sameMask(mask, packedMask(n, k)))) return "Two sentences share a row, and are strangers.";
  return "That is yours to say: this mask has no name.";
}

/** The masks that have names, each with the number it needs. */
function Presets({ mask, n, set }) {
  const [sizes, setSizes] = useAfresh({ padding: Math.max(1, n - 1), window: Math.min(1, n - 1), packed: Math.ceil(n / 2) });
  const presets = [
    { name: "all", says: "all", make: () => fullMask(n) },
    { name: "causal", says: "no looking ahead (causal)", make: () => causalMask(n) },
    { name: "padding", says: "no filling (padding)", make: (k) => paddingMask(n, k), label: "real words", most: n },
    { name: "window", says: "neighbours (window)", make: (width) => windowMask(n, width), label: "to either side", most: n - 1 },
    { name: "packed", says: "two sentences (packed)", make: (k) => packedMask(n, k), label: "words in sentence 1", most: n },
  ];
  return (
    <div class="controls presets" role="group" aria-label="masks to start from">
      <span class="note">start from</span>
      {presets.map(({ name, says, make, label, most }) => {
        const made = make(sizes[name]);
        return (
          <span class="preset" key={name}>
            <button type="button" aria-pressed={sameMask(made, mask)} onClick={() => set({ mask: made })}>
              {says}
            </button>
            {label && sameMask(made, mask) && (
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

/** One word of a few is seen at once; many are a list. */
function Changing({ many, ...choice }) {
  const id = useId();
  if (!many) return <WordChoice {...choice} />;
  const { label, words, value, onChange } = choice;
  return (
    <div class="listed">
      <label for={id}>{label.replace(/ \(.*\)/, "")}</label>
      <select id={id} value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {words.map((_, j) => <option key={j} value={j}>{plainly(words, j)}</option>)}
      </select>
    </div>
  );
}

/** The mask as buttons, one of them in the order of Tab. */
function Grid({ words, mask, weights, was, earlier, sums, changes, changed, size, theme, asked, row, stroke, at, setAt, set }) {
  const cellOf = (element) => element?.closest?.("[data-cell]")?.dataset.cell.split(" ").map(Number);
  const toggled = (i, j) => mask.map((cells, k) => (k === i ? cells.map((may, l) => (l === j ? !may : may)) : cells));
  const paint = (to) => {
    const { painted, may, at: from } = stroke.current;
    // A fast hand skips cells: paint the straight line to where it is now.
    const steps = Math.max(1, ...to.map((x, k) => Math.abs(x - from[k])));
    for (let step = 0; step <= steps; step += 1) {
      const [i, j] = from.map((x, k) => Math.round(x + ((to[k] - x) * step) / steps));
      painted[i][j] = may;
    }
    stroke.current.at = to;
    setAt(to);
    set({ mask: painted.map((cells) => [...cells]) });
  };
  const down = (event) => {
    const to = cellOf(event.target);
    // Among small cells a finger scrolls; its tap is a click.
    if (!to || event.button !== 0 || (event.pointerType === "touch" && words.length > 12)) return;
    event.target.setPointerCapture(event.pointerId);
    const [i, j] = to;
    stroke.current = { painted: mask.map((cells) => [...cells]), may: !mask[i][j], at: to, going: true };
    paint(to);
  };
  const move = (event) => {
    const painting = stroke.current?.going;
    const under = painting ? event.currentTarget.getRootNode().elementFromPoint(event.clientX, event.clientY) : event.target;
    const to = cellOf(under);
    if (!to || String(to) === String(painting ? stroke.current.at : at)) return;
    if (painting) paint(to);
    else if (event.pointerType === "mouse") setAt(to);
  };
  const up = () => {
    if (stroke.current) stroke.current.going = false;
  };
  const click = (event) => {
    const to = cellOf(event.target);
    if (!to) return;
    // A key's click has no detail; a pointer's has painted already, unless assistive technology made it.
    const painted = event.detail > 0 && stroke.current;
    stroke.current = null;
    if (!painted) set({ mask: toggled(...to) });
  };
  const press = (event) => {
    const [i, j] = cellOf(event.target) ?? [];
    const ends = { Home: [i, 0], End: [i, words.length - 1] };
    const [di, dj] = MOVES[event.key] ?? [];
    const to = ends[event.key] ?? (di === undefined || i === undefined ? null : [i + di, j + dj]);
    if (!to) return;
    event.preventDefault();
    event.currentTarget.querySelector(`[data-cell="${to[0]} ${to[1]}"]`)?.focus();
  };
  const [names, heads] = useMemo(() => [words.map((_, i) => plainly(words, i)), called(words)], [words]);
  return (
    <table
      class="matrix paint"
      aria-label="rows are queries, columns are keys"
      onFocusIn={(event) => setAt(cellOf(event.target) ?? at)}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      onClick={click}
      onKeyDown={press}
    >
      <thead>
        <tr>
          <th scope="col" class="corner">asks ↓<br />is looked at →</th>
          {heads.map((word, j) => (
            <th scope="col" key={j} class={j === at[1] ? "by-key marked" : "by-key"}><bdi title={word}>{word}</bdi></th>
          ))}
          {weights && !size.narrow && <th scope="col" class="extra total">sum</th>}
          {asked && !size.narrow && (
            <th scope="col" class="extra by-output">
              {size.many ? "moves by" : <>output, if <bdi>{plainly(words, changed)}</bdi> changes</>}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {heads.map((word, i) => (
          <Row
            key={i}
            {...{ i, word, words: names, mask: mask[i], before: earlier ? earlier[i] : mask[i], weights: weights?.[i], sum: sums?.[i], theme }}
            {...size}
            change={asked ? changes[i] : null}
            leak={leaks(mask, changes, changed, i)}
            was={i === row ? was.weights?.[i] : null}
            told={i === row}
            active={i === Math.min(at[0], words.length - 1) ? Math.min(at[1], words.length - 1) : null}
          />
        ))}
      </tbody>
    </table>
  );
}

class Still extends Component {
  shouldComponentUpdate(next) {
    return Object.keys(next).some((name) => {
      const [a, b] = [this.props[name], next[name]];
      return !(Array.isArray(a) && Array.isArray(b) ? sameRow(a, b) : Object.is(a, b));
    });
  }
}

/** A row is drawn again only if something in it differs: forty rows must follow a key. */
class Row extends Still {
  render({ i, word, words, mask, before, weights, was, sum, change, leak, theme, cell, many, narrow, told, active }) {
    const blind = sum === 0 && !mask.some(Boolean) && !(change > NOTHING);
    const say = (x) => (many ? "" : format(x, cell < 34 ? 1 : 2));
    const kind = (j) => (mask[j] ? "" : weights?.[j] ? "hidden leak" : "hidden");
    return (
      <tr class={told ? "told" : ""}>
        <th scope="row" class="by-query"><bdi title={word}>{word}</bdi></th>
        {words.map((other, j) => (
          <td key={j}>
            <button
              type="button"
              class={`${kind(j)} ${weights ? "" : "unweighed"} ${mask[j] === before[j] ? "" : "new"}`}
              style={mask[j] && weights ? shade(weights[j], { theme }) : undefined}
              data-cell={`${i} ${j}`}
              tabIndex={j === active ? 0 : -1}
              aria-pressed={mask[j]}
              aria-label={`${words[i]} may look at ${other}${weights ? `, weight ${format(weights[j])}` : ""}`}
            >
              {weights && <span>{say(weights[j])}</span>}
              {was && cell >= 38 && Math.abs(weights[j] - was[j]) > 0.005 && <small>was {format(was[j])}</small>}
            </button>
          </td>
        ))}
        {narrow ? null : blind ? (
          <td class="extra blind" colSpan={change === null ? 1 : 2}>sees nothing: weights 0, output 0</td>
        ) : (
          <>
            {weights && <td class={wrongSum(sum) ? "extra sum wrong" : "extra sum"}>{format(sum)}{wrongSum(sum) && !many && ", not 1"}</td>}
            {change !== null && <Change change={change} leak={leak} short={many} />}
          </>
        )}
      </tr>
    );
  }
}

const Change = ({ change, leak, short }) => (
  <td class={leak || Number.isNaN(change) ? "extra change wrong" : "extra change"}>
    {!(short && change > NOTHING) && <span>{short ? "0" : noticed(change)}</span>}
    {change > NOTHING && <span>{short ? "" : " by "}{amount(change)}</span>}
  </td>
);

/** Where a row has no room: of the row under the hand the five largest weights. */
function Largest({ words, weights, sums, changes, changed, row, theme, asked }) {
  const largest = words.map((_, j) => j).sort((j, k) => weights[row][k] - weights[row][j]).slice(0, MOST_TOLD);
  return (
    <div class="largest">
      <p>
        <b><bdi>{plainly(words, row)}</bdi></b> gives most to
      </p>
      <ol>
        {largest.map((j) => (
          <li key={j}>
            <bdi>{words[j]}</bdi> <span class="number" style={shade(weights[row][j], { theme })}>{format(weights[row][j])}</span>
          </li>
        ))}
      </ol>
      <p>
        Its row sums to {format(sums[row])}{asked && `; if ${plainly(words, changed)} changes, its output ${noticed(changes[row]) === "changes" ? `changes by ${amount(changes[row])}` : `is ${noticed(changes[row])}`}`}.
      </p>
    </div>
  );
}

/** Whether this row's output changes though it may not look at the word that does. */
const leaks = (mask, changes, changed, i) => !mask[i][changed] && changes[i] > NOTHING;

/** Who may not look at the changed word, and whether that helps, in a sentence. */
function Finding({ words, mask, weights, changes, changed, late }) {
  const blind = words.map((_, i) => i).filter((i) => !mask[i][changed]);
  const leaking = blind.filter((i) => leaks(mask, changes, changed, i));
  const safe = blind.filter((i) => changes[i] <= NOTHING);
  const carried = weights?.flatMap((row, i) => row.filter((weight, j) => weight !== 0 && !mask[i][j])).length ?? 0;
  const word = named(words, changed);
  const all = leaking.length === 1 ? "changes" : "change";
  const why = late ? "the softmax divided by a sum that had seen it." : "it leaks.";
  return (
    <div class="finding">
      {blind.length === 0 && <p><Sentence parts={["Everybody may look at ", ...word, "."]} /></p>}
      {safe.length > 0 && <p><Sentence parts={[...listed(words, safe), " may not look at ", ...word, ": untouched."]} /></p>}
      {leaking.length > 0 && (
        <p class="wrong">
          <Sentence parts={[...listed(words, leaking), " may not look at ", ...word, `, and ${all} all the same: ${why}`]} />
        </p>
      )}
      {carried > 0 && <p class="wrong">{carried} hidden {carried === 1 ? "cell is" : "cells are"} not 0.</p>}
    </div>
  );
}
