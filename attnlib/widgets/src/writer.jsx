// A small model writes: the story so far, what it expects next beside what its world knows, and the
// word that it looked at. A hand lets it write, writes itself, or takes parts of it out.

import { useMemo } from "preact/hooks";
import { writer } from "../../pictures/shared.json";
import { useAfresh } from "./afresh.js";
import { uniform } from "./arithmetic.js";
import { kept } from "./kept.js";
import FOLDED from "./more.css";
import { More } from "./more.jsx";
import { useWidth } from "./mount.jsx";
import { Announcement, Bar, Choice, Slider, Toggle, asked, format, ticks } from "./parts.jsx";
import { shade } from "./shades.js";
import STORY from "./story.css";
import OWN from "./writer.css";
import { MOST, N_HEADS, VOCABULARY, modelIn, nextWord, readStory, worldOf } from "./writing.js";

export const style = STORY + FOLDED + OWN;
export const traits = ["words", "models", "model", "off", "temperature", "seed", "drawn", "training"];

const { ROWS, DECIDES, FEW, RULE, UNMASKED } = writer;
const LAST = 1; // the last block, of which a head may decide
const HEADS = Array.from({ length: 2 * N_HEADS }, (_, k) => `block ${Math.floor(k / N_HEADS) + 1}, head ${k % N_HEADS}`);
const OTHERS = ["network of block 1", "network of block 2", "how far back"]; // parts, behind the heads

/** What a state says of the next word. */
const reading = kept(["models", "words", "model", "off", "temperature"], ({ models, words, model, off, temperature }) => {
  const ids = words.map((word) => VOCABULARY.indexOf(word));
  const read = readStory(modelIn(models[model]), ids, off, models[model].name !== UNMASKED, temperature);
  return { ids, ...read, ...worldOf(ids), ...deciding(read) };
});

/** The likeliest word, and the head of the last layer without which it would lose most. */
function deciding({ chances, without }) {
  const top = chances.indexOf(Math.max(...chances));
  const left = without.map((each) => each[top]);
  const least = Math.min(...left);
  return { top, left: least, head: left.indexOf(least), decides: chances[top] - least >= DECIDES };
}

export const measured = (state) => {
  const { chances, exact } = reading(state);
  return { chances: [...chances], exact };
};

export const missing = ({ name, place: [id], is, least, most, state }) => {
  const word = `“${VOCABULARY[id]}”`;
  const { wrong } = reading(state);
  if (wrong >= 0) return `“${state.words[wrong]}” could not come by the rules: take words back to there`;
  if (state.words.length >= MOST) return `the story is full, and ${word} need not come next: take words back, and write others`;
  if (name === "exact" && is < least) return is ? `by the rules ${word} may come next (${format(is)}), and need not` : `${word} cannot come next here`;
  return `the ${name === "exact" ? "rules give" : "model gives"} ${word} ${format(is)}; ${asked(least, most, { share: true })} is asked`;
};

export function View(props) {
  const { models, words, model, off, temperature, seed, drawn, training, theme, set } = props;
  const now = reading(props);
  const { chances, looks, exact, wrong, top, head, left, decides } = now;
  const [near, setNear] = useAfresh(null); // the head that the pointer or the focus is on
  const said = told(props, now);
  const shown = near ?? LAST * N_HEADS + head;
  const row = looks[Math.floor(shown / N_HEADS)][shown % N_HEADS];
  const full = words.length >= MOST;
  const write = (id) => full || set({ words: [...words, VOCABULARY[id]] });
  const [last, setLast] = useAfresh(null); // what was drawn, and from what
  const draw = (whole) => {
    if (full) return;
    const draws = [];
    let story = words;
    do {
      const { chances: pieces } = reading({ ...props, words: story });
      const u = uniform(drawn + draws.length + 1, seed);
      const id = nextWord(pieces, u);
      draws.push({ pieces, u, id });
      story = [...story, VOCABULARY[id]];
    } while (whole && story.at(-1) !== "." && story.length < MOST);
    setLast({ draws, from: drawn + 1, at: placeOf({ ...props, words: story }) });
    set({ words: story, drawn: drawn + draws.length });
  };
  const turn = (part) => set({ off: off.includes(part) ? off.filter((k) => k !== part) : [...off, part].sort((a, b) => a - b) });
  const listed = inRows(chances, exact);
  const others = VOCABULARY.map((_, id) => id).filter((id) => !listed.includes(id));
  const rest = others.reduce((sum, id) => sum + chances[id], 0);
  const pointed = (part) => ({ onPointerEnter: () => setNear(part), onPointerLeave: () => setNear(null), onFocusIn: () => setNear(part), onFocusOut: () => setNear(null) });
  return (
    <div class="writer">
      <p class="story">{said}</p>
      <div class="tale" role="group" aria-label="the story so far">
        {words.map((word, k) => (
          <span key={k} class={`${k === placeOfMost(row) ? "most" : ""} ${wrong >= 0 && k >= wrong ? "astray" : ""}`} style={shade(row[k], { theme })}>
            {k === wrong ? <s>{word}</s> : word}
            {k === wrong && <span class="unseen"> (impossible)</span>}
          </span>
        ))}
        {!full && <span class="next" aria-hidden="true">?</span>}
      </div>
      <p class="note">Coloured: where {near === null ? "one head of the model looks to know the next word" : `${HEADS[shown]} looks`}.</p>
      <div class="hands">
        <button type="button" class="asks" aria-disabled={full} onClick={() => draw(false)}>Write a word</button>
        <button type="button" aria-disabled={full} onClick={() => draw(true)}>Finish the sentence</button>
        <button type="button" aria-disabled={words.length < 2} onClick={() => words.length > 1 && set({ words: words.slice(0, -1) })}>Take a word back</button>
        <span class="note">{full ? `${MOST} words: the story is full` : "or press a word below, to write it yourself"}</span>
      </div>
      <Draw {...(last?.at === placeOf(props) ? last : { pieces: chances })} seed={seed} />
      <Slider label="temperature" value={Math.log10(temperature)} min={-1} max={1} step={0.02} say={(log) => format(10 ** log)} onInput={(log) => set({ temperature: Number((10 ** log).toPrecision(3)) })} />
      <p class="heads" aria-hidden="true"><b>next word</b><b>its chance in the model</b><b>its chance by the rules</b></p>
      <ol class="chances" aria-label="next words: write one">
        {listed.map((id) => (
          <li key={id}>
            <button type="button" class={wrong < 0 && !exact[id] && chances[id] >= FEW ? "odd" : ""} aria-disabled={full} aria-label={`${VOCABULARY[id]}: the model gives it ${format(chances[id])}, the rules ${ofWorld(exact[id], wrong)}`} onClick={() => write(id)}>
              <span>{VOCABULARY[id]}</span>
              <Bar share={chances[id]} />
              <span>{format(chances[id])}</span>
              {exact[id] > 0 && <Bar share={exact[id]} kind="exact" />}
              <span class={exact[id] ? "" : "none"}>{ofWorld(exact[id], wrong)}</span>
            </button>
          </li>
        ))}
      </ol>
      <div class="others" role="group" aria-label="other words">
        <span class="note">{others.length} others, together {format(rest)}:</span>
        {others.map((id) => <button key={id} type="button" aria-disabled={full} onClick={() => write(id)}>{VOCABULARY[id]}</button>)}
      </div>
      <More title={`where each head looks, ${training ? "the training, " : ""}other models, other parts`} needed={off.length > 0}>
        <fieldset class="looks">
          <legend>each head looks at … (untick one: it is taken out)</legend>
          {HEADS.map((name, k) => {
            const each = looks[Math.floor(k / N_HEADS)][k % N_HEADS];
            const most = placeOfMost(each);
            return (
              <label key={k} class={k === LAST * N_HEADS + head && decides ? "decides" : ""} {...pointed(k)}>
                <input type="checkbox" checked={!off.includes(k)} onChange={() => turn(k)} />
                <span>{name}</span>
                <span class="number" style={shade(each[most], { theme })}>{format(each[most])}</span>
                <span>{whom(words, most)}</span>
              </label>
            );
          })}
        </fieldset>
        <p class="note">Coloured above: {HEADS[LAST * N_HEADS + head]}. {decides ? `Without it, “${VOCABULARY[top]}” would have ${format(left)}.` : `No head of block ${LAST + 1} matters alone.`}</p>
        <div class="controls">
          <Choice label="model" options={models.map((_, k) => k)} names={models.map(({ name }) => name)} value={model} onChange={(m) => set({ model: m })} />
          {OTHERS.map((name, k) => <Toggle key={name} label={name} checked={!off.includes(2 * N_HEADS + k)} onChange={() => turn(2 * N_HEADS + k)} />)}
        </div>
        {training && <Course {...training} names={models.map(({ name }) => name)} chosen={model} />}
      </More>
      <Announcement text={said} />
    </div>
  );
}

/** What a draw was made for; where anything of it is other, it is another's. */
const placeOf = ({ words, model, off, temperature }) => [...words, model, off, temperature].join(" ");

/** The chances end to end; and of what was drawn, the draw that had most to choose from. */
function Draw({ pieces, draws = [], from, seed }) {
  const [frame, width] = useWidth(600);
  const drawn = draws.reduce((least, draw) => (least && least.pieces[least.id] <= draw.pieces[draw.id] ? least : draw), null);
  const line = drawn ? drawn.pieces : pieces;
  const word = drawn && `“${VOCABULARY[drawn.id]}”`;
  const said = !drawn
    ? "The chances, end to end: a random number from 0 to 1 falls on one of them, and that word is written."
    : draws.length === 1
      ? `Draw ${from} of seed ${seed} is ${format(drawn.u)}: it falls on the piece of ${word}.`
      : `Draws ${from} to ${from + draws.length - 1} of seed ${seed}: the one with most to choose from is ${format(drawn.u)}, on the piece of ${word}.`;
  return (
    <div class="draw">
      <div class="line" ref={frame} aria-hidden="true">
        {[...line].map((chance, id) => (
          <span key={id} class={id === drawn?.id ? "fell" : chance < FEW ? "few" : ""} style={{ width: `${100 * chance}%` }}>{chance * width > 9 * VOCABULARY[id].length + 6 && VOCABULARY[id]}</span>
        ))}
        {drawn && <i style={{ left: `${100 * drawn.u}%` }} />}
      </div>
      <p class="note">{said}</p>
      <Announcement text={drawn ? said : ""} />
    </div>
  );
}

const placeOfMost = (row) => row.indexOf(Math.max(...row));

const ofWorld = (chance, wrong) => (wrong >= 0 ? "–" : chance ? format(chance) : "impossible");

/** The words that have a bar, the likeliest first: those that can come are there. */
function inRows(chances, exact) {
  const byChance = [...chances.keys()].sort((a, b) => chances[b] - chances[a] || a - b);
  const possible = byChance.filter((id) => exact[id]);
  const others = byChance.filter((id) => !exact[id]).slice(0, Math.max(0, ROWS - possible.length));
  return byChance.filter((id) => possible.includes(id) || others.includes(id));
}

// In words, as Writer._told has them

function told({ models, words, model, off, temperature }, { chances, exact, wrong, top }) {
  const sentence = words.slice(words.lastIndexOf(".") + 1).join(" ");
  const less = off.length ? ` less ${off.length} part${off.length > 1 ? "s" : ""}` : "";
  const word = `“${VOCABULARY[top]}”`;
  const start = `${sentence ? `After “${sentence}”` : "At the start of a sentence"}, the model${model || less ? ` (${models[model].name}${less})` : ""}${temperature === 1 ? "" : ` at temperature ${format(temperature)}`} expects ${word} (${format(chances[top])})`;
  return `${RULE} ${start}${beside(words, exact, wrong, top)}`;
}

/** What the world gives the likeliest word. */
function beside(words, exact, wrong, top) {
  if (wrong >= 0) return `. “${words[wrong]}” could not come by the rules.`;
  if (exact[top] > 1 - 1e-9) return ", and by the rules nothing else can come.";
  if (exact[top]) return `; the rules give it ${format(exact[top])}.`;
  const can = VOCABULARY.filter((_, id) => exact[id]).map((word) => `“${word}”`);
  const listed = can.length > 1 ? `${can.slice(0, -1).join(", ")} or ${can.at(-1)}` : can[0];
  return `, but only ${listed} can come.`;
}

/** Which word a look meets, and how far back it lies. */
function whom(words, place) {
  const far = words.length - 1 - place;
  return far ? `“${words[place]}”, ${far} word${far > 1 ? "s" : ""} back` : "the last word itself";
}

// The training

const TOP = 22;
const TALL = 96;

/** The loss step by step, from twice the floor on: the first ones are higher, and fall at once. A dot for each model that was kept. */
function Course({ steps, loss, floor, stages, names, chosen }) {
  const [frame, width] = useWidth(838);
  const [left, right] = [64, width - 12];
  const last = steps.at(-1);
  const x = (step) => left + ((right - left) * step) / last;
  const low = floor ?? Math.min(...loss);
  const y = (value) => TOP + TALL * (1 - Math.max(-0.1, Math.min(1, value / low - 1)) / 1.1);
  const at = (step) => loss[steps.findLastIndex((each) => each <= step)] ?? loss[0];
  const line = useMemo(() => steps.map((step, k) => `${k ? "L" : "M"}${x(step).toFixed(1)} ${y(loss[k]).toFixed(1)}`).join(""), [steps, width]);
  return (
    <div ref={frame}>
      <svg class="course" viewBox={`0 0 ${width} ${TOP + TALL + 40}`} role="img" aria-label={`The loss of the training over ${last} steps: from ${format(loss[0])} to ${format(loss.at(-1))} nats a word${floor === null ? "" : `; no writer can have less than ${format(floor, 3)}`}.`}>
        <path class="floor" d={`M${left} ${y(low)}H${right}`} />
        <text class="soft" x={left - 6} y={y(low) + 4} text-anchor="end">{format(low)}</text>
        <text class="soft" x={left - 6} y={TOP + 4} text-anchor="end">loss {format(2 * low)}</text>
        {floor !== null && <text class="soft" x={right} y={y(low) + 18} text-anchor="end">the floor: no writer can do better</text>}
        <path class="loss" d={line} />
        {Object.entries(stages).filter(([stage]) => names.includes(stage)).map(([stage, step]) => (
          <g key={stage} class={stage === names[chosen] ? "chosen" : ""}>
            <circle cx={x(step)} cy={y(at(step))} r={6} />
            <text x={x(step)} y={y(at(step)) - 10} text-anchor={step > 0.8 * last ? "end" : step ? "middle" : "start"}>{stage}</text>
          </g>
        ))}
        {ticks(0, last, width < 500 ? 4 : 8).map((step) => <text key={step} class="soft" x={x(step)} y={TOP + TALL + 34} text-anchor={step === last ? "end" : "middle"}>{step}</text>)}
      </svg>
    </div>
  );
}
