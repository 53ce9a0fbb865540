/** @jsxRuntime classic @jsx createElement @jsxFrag Fragment */ // is shorter; it takes no trait called "key"
// The way of one word through both blocks of a model, to the chances of the next word. A hand leaves parts
// out; what comes after them is computed anew.

import { Fragment, createElement } from "preact";
import { useId } from "preact/hooks";
import { block } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import { softmax } from "./arithmetic.js";
import OWN from "./block.css";
import { kept } from "./kept.js";
import { Announcement, Bar, Heat, Verdict, answered, asked, filled, format } from "./parts.jsx";
import { shade } from "./shades.js";
import STORY from "./story.css";
import { N_HEADS, VOCABULARY, modelIn, readStory, scoresOf, vectorOf } from "./writing.js";

export const style = STORY + OWN;
export const traits = ["words", "model", "at", "off"];

const { PARTS, SHORT, HEADINGS, LOOK, SELF, WHOLE, SAME, KEPT, OTHER, SEVERAL, LEFT_OUT, LEGEND, ROW, ADDED } = block;
const NETWORKS = 2 * N_HEADS; // where these stand among the parts
const FAR = NETWORKS + 2;
const WAYS = FAR + 1;
const [ROWS, FEW] = [5, 0.005]; // words that have a bar; a share that has no colour
const topOf = (x) => x.indexOf(Math.max(...x));

/** What the model makes of the word that is followed, and what with all parts. */
const reading = kept(traits, ({ model, words, at, off }) => {
  const arrays = modelIn(model);
  const ids = words.slice(0, at + 1).map((word) => VOCABULARY.indexOf(word));
  const now = readStory(arrays, ids, off);
  const whole = off.length ? readStory(arrays, ids).chances : now.chances;
  return { ...now, arrays, whole, word: vectorOf(ids[at], arrays) };
});

const nHeads = (off) => NETWORKS - off.filter((part) => part < NETWORKS).length;

export const measured = (state) => ({ chances: [...reading(state).chances], n_heads: nHeads(state.off), at: state.at });

export const missing = ({ name, place: [id], is, least, most, state }) => {
  const word = least === most && state.words[least];
  if (name === "at" && word) return `“${word}” is meant, word ${least + 1} of the story: press it.`;
  if (name === "at") return `Word ${is + 1} is followed; ${asked(...[least, most].map((x) => (x === null ? x : x + 1)), { counted: true })} is asked.`;
  if (name === "n_heads") return `There are ${is} heads; ${asked(least, most, { counted: true })} are asked.`;
  return `“${VOCABULARY[id]}” has ${format(is)}; ${asked(least, most, { share: true })} is asked.`;
};

export function View(props) {
  const { words, at, off, theme, set } = props;
  const { whole, looks, steps, word, arrays, ...now } = reading(props);
  const own = answered(props);
  const chances = own && !own.late ? own.chances.map(Number) : [...now.chances];
  const expected = topOf(whole);
  const [watched, watch] = useAfresh(null); // a next word that was pressed, and where
  const [near, setNear] = useAfresh(null); // the head that the pointer or the focus is on
  const toward = watched?.at === at ? watched.id : expected;
  const scores = (x) => scoresOf(x, arrays);
  const added = reaching(word, steps).map((step) => step.map((x) => scores(x)[toward]));
  const sums = [word, ...steps.map(({ sum }) => sum)].map(scores);
  const said = told(props, now.chances, whole); // of the model, as in Python: what is wrong in one's own block is its verdict's
  const turn = (part) => set({ off: off.includes(part) ? off.filter((k) => k !== part) : [...off, part].sort((a, b) => a - b) });
  const row = looks.flat()[near] ?? [];
  const partOf = (part, short, adds, more) => <Part key={part} {...{ part, short, adds, out: off.includes(part), turn, ...more }} />;
  const point = ({ target }) => setNear(target.closest("[data-head]")?.dataset.head ?? null);
  const leave = () => setNear(null);
  return (
    <>
      <p class="story">{said}</p>
      <Tale {...{ words, at, row, theme, set }} />
      <div class="flow" onPointerOver={point} onFocusIn={point} onPointerLeave={leave} onFocusOut={leave}>
        <div class="step">
          <p class="of">{HEADINGS[0]}</p>
          <div class="parts">{partOf(FAR, SHORT.places)}</div>
          <p class="word">{words[at]}</p>
          <Reading scores={sums[0]} />
        </div>
        {steps.map((_, step) => {
          const [i, network] = [step >> 1, step % 2];
          return (
            <div key={step} class={network ? "step" : "step heads"}>
              <p class="of">{network ? "" : HEADINGS[1 + i]}</p>
              <div class="parts">
                {added[step + 1].map((adds, h) => {
                  const part = network ? NETWORKS + i : i * N_HEADS + h;
                  return partOf(part, network ? SHORT.network : filled(SHORT.head, { nth: h }), signed(adds), !network && { look: looks[i][h], at, words, theme });
                })}
              </div>
              <div class={off.includes(WAYS + step) ? "way cut" : "way"}>
                {partOf(WAYS + step, SHORT[network ? "past network" : "past heads"])}
                <span class="plus" aria-hidden="true">+</span>
              </div>
              <Reading scores={sums[step + 1]} />
            </div>
          );
        })}
        <div class="next">
          <p class="of">{HEADINGS[3]}</p>
          <ol class="chances">
            {rowsOf(whole, chances).map((id) => (
              <li key={id}>
                <button type="button" aria-pressed={id === toward} onClick={() => watch({ at, id })} aria-label={filled(ROW, { word: VOCABULARY[id], chance: format(chances[id]), whole: format(whole[id]) })}>
                  <span>{VOCABULARY[id]}</span>
                  <Bar share={chances[id]} />
                  <span>{format(chances[id])}</span>
                  <Bar share={whole[id]} kind="before" />
                  <span class="before">{format(whole[id])}</span>
                </button>
              </li>
            ))}
          </ol>
          <p class="note">{LEGEND}</p>
        </div>
      </div>
      <p class="note">{filled(ADDED, { word: VOCABULARY[toward], sum: format(sums[4][toward]) })}</p>
      <Verdict {...props} />
      <Announcement text={said} />
    </>
  );
}

/** The story; its words are chosen, and have the colour of where a head looks. */
function Tale({ words, at, row, theme, set }) {
  const group = useId();
  return (
    <fieldset class="tale">
      <legend class="unseen">{HEADINGS[0]}</legend>
      {words.map((word, k) => (
        <label key={k} class={k === at ? "chosen" : k > at ? "after" : ""} style={row[k] > FEW ? shade(row[k], { theme }) : undefined}>
          <input class="over" type="radio" name={group} checked={k === at} onChange={() => set({ at: k })} />
          {word}
        </label>
      ))}
    </fieldset>
  );
}

/** A part that can be left out: a head with where it looks, a network, a way past them. */
function Part({ part, short, adds, out, turn, look, at, words, theme }) {
  const seen = look && lookOf(look, words, at);
  const said = out ? LEFT_OUT : adds;
  return (
    <label class={out ? "part out" : "part"} data-head={look && part}>
      <input class="over" type="checkbox" checked={!out} onChange={() => turn(part)} aria-label={[PARTS[part], seen, said].filter(Boolean).join(", ")} />
      <span class="name">{short}</span>
      {adds && <span class="adds">{said}</span>}
      {look && <Heat table={[...look].map((w) => [w])} theme={theme} scale={1} />}
      {look && <span class="look">{seen}</span>}
    </label>
  );
}

const Reading = ({ scores }) => <p class="read">{VOCABULARY[topOf(scores)]} {format(Math.max(...softmax(scores)))}</p>;

/** What of the word itself, and of what each step adds, reaches the end: a way that is cut ends it. */
const reaching = (word, steps) =>
  steps.reduce((before, { kept, added }) => [...(kept ? before : before.map((all) => all.map((x) => x.map(() => 0)))), added], [[word]]);

/** The words that have a bar: the likeliest with all parts, and as it is now. */
function rowsOf(whole, chances) {
  const [before, now] = [whole, chances].map((x) => [...x.keys()].sort((a, b) => x[b] - x[a] || a - b));
  const shown = [...new Set([...before.slice(0, ROWS - 2), ...now])].slice(0, ROWS);
  return before.filter((id) => shown.includes(id));
}

// In words, as Block has them

function signed(x) {
  const text = format(x);
  return x > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

function lookOf(row, words, at) {
  const place = topOf(row);
  return filled(place === at ? SELF : LOOK, { share: format(row[place]), word: words[place], far: at - place });
}

function told({ words, at, off }, chances, whole) {
  const [expected, other] = [topOf(whole), topOf(chances)];
  const next = { next: VOCABULARY[expected], chance: format(chances[expected]) };
  if (!off.length) return filled(WHOLE, { word: words[at], ...next });
  const parts = off.length > 1 ? filled(SEVERAL, { n: off.length }) : PARTS[off[0]];
  const all = { ...next, parts, before: format(whole[expected]), other: VOCABULARY[other], others: format(chances[other]) };
  if (all.chance === all.before) return filled(SAME, all);
  return filled(other === expected ? KEPT : OTHER, all);
}
