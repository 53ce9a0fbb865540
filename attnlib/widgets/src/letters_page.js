// The page on which one begins a text, and the model goes on. A script before this one brings LETTERS.

import { amongLikeliest, countedAfter, logitsAfter, modelOf } from "./letters.js";
import { nextWord } from "./writing.js";

const MOST = 300; // letters that it writes on
const PACE = 40; // milliseconds from one to the next
const WAIT = 600; // milliseconds after the last change, until it is told
const ASKED = 30; // hundredths that the model has to give a letter more than counts do
const { letters, learned } = LETTERS;
const model = modelOf(LETTERS.model);
const place = document.querySelector(".own-text");
const [field, temperature, k, button, told] = ["textarea", "[name=temperature]", "[name=k]", "button", "[role=status]"].map((one) => place.querySelector(one));
const lines = [...place.querySelectorAll("tbody tr")];
let drawn = null; // the model's chances, at the temperature
let left = 0; // letters that are still to be written
let timer = null;

const MARKS = { " ": "␣", "\n": "↵" };
const WORDS = { " ": "a blank", "\n": "the end of a line" };
const word = (i) => WORDS[letters[i]] ?? `“${letters[i]}”`;
const likeliest = (chances) => chances.indexOf(Math.max(...chances));
const tell = (...said) => told.replaceChildren(...said.map((line) => Object.assign(document.createElement("p"), { textContent: line })));

/** What of the text is known; nothing is the beginning of a line. */
function typed() {
  const all = [...field.value];
  const known = all.filter((letter) => letters.includes(letter));
  return { unknown: [...new Set(all)].filter((letter) => !letters.includes(letter)), known: known.length ? known : ["\n"] };
}

function show() {
  const { known, unknown } = typed();
  const ids = known.map((letter) => letters.indexOf(letter));
  const logits = [logitsAfter(model, ids), countedAfter(learned, letters, known.join("")).map(Math.log)];
  const chances = logits.map((each) => amongLikeliest(each, temperature.valueAsNumber, k.valueAsNumber));
  [drawn] = chances;
  const both = letters.map((_, i) => chances[0][i] + chances[1][i]);
  const order = letters.map((_, i) => i).sort((i, j) => both[j] - both[i]);
  lines.forEach(({ cells: [name, bars, ...figures] }, row) => {
    name.textContent = MARKS[letters[order[row]]] ?? letters[order[row]];
    chances.forEach((each, one) => {
      bars.children[one].style.width = `${100 * each[order[row]]}%`;
      figures[one].textContent = each[order[row]].toFixed(2);
    });
  });
  for (const [slider, said] of [[temperature, temperature.value], [k, k.value === k.max ? "all" : k.value]]) {
    slider.nextElementSibling.textContent = said;
    slider.setAttribute("aria-valuetext", said);
  }
  clearTimeout(timer);
  timer = left ? setTimeout(write, PACE) : setTimeout(() => tell(...found(logits, known, unknown)), WAIT);
}

/** What the text says, without temperature and k. */
function found(logits, known, unknown) {
  const [ours, counts] = logits.map((each) => amongLikeliest(each, 1, letters.length));
  const hundredths = ours.map((chance, i) => Math.round(100 * chance) - Math.round(100 * counts[i]));
  const i = likeliest(hundredths);
  const after = known.slice(-20).join("").replaceAll("\n", "↵");
  const more = `The model gives ${word(i)} ${ours[i].toFixed(2)}, counts give it ${counts[i].toFixed(2)}`;
  return [
    unknown.length ? `No letters of its text, so left out: ${unknown.slice(0, 9).join(" ")}` : "",
    `After “${after}” the model most expects ${word(likeliest(ours))}; counts most expect ${word(likeliest(counts))}.`,
    hundredths[i] < ASKED ? `${more}: nowhere is it further ahead.` : `${more}: done.`,
  ].filter(Boolean);
}

function write() {
  left -= 1;
  field.value += letters[nextWord(drawn, Math.random())];
  field.scrollTop = field.scrollHeight;
  if (left) show();
  else rest();
}

function rest() {
  left = 0;
  button.textContent = "Write on";
  show();
}

button.addEventListener("click", () => {
  if (left) return rest();
  left = MOST;
  button.textContent = "Stop";
  tell(`It writes ${MOST} letters.`);
  show();
});
field.addEventListener("input", rest);
for (const slider of [temperature, k]) slider.addEventListener("input", show);
k.max = k.value = letters.length;
button.disabled = false;
rest();
