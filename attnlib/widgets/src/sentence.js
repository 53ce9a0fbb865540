// The page on which one types a sentence: it loads the model when asked, and feeds the page's widgets.

import PROGRAM from "./product.ts"; // as letters, and the worker's script as text: build.mjs
import READER from "worker:./reader.js";

const WAIT = 150; // milliseconds after the last key
const place = document.querySelector(".own-sentence");
const { most, build, parts } = JSON.parse(place.dataset.model);
const [load, field, told, bar] = ["button", "input", "[role=status]", "progress"].map((one) => place.querySelector(one));
const held = new Set();
let reader = null;
let awaited = null; // the part that is on its way, and its script
let asked = 0;
let sentence = ""; // the one that is being read
let read = null; // what the widgets show
let typing = null;

const tell = (...lines) => told.replaceChildren(...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })));

// Loading

load.addEventListener("click", () => {
  load.disabled = true;
  bar.hidden = false;
  tell("Loading the model …");
  if (reader) return bring();
  try {
    reader = begin();
  } catch (error) {
    failed(`A sentence is read in a worker, a program beside the page: this browser started none, and said “${error.message}”. Another browser may.`);
  }
});

function begin() {
  const worker = new Worker(URL.createObjectURL(new Blob([READER], { type: "text/javascript" })));
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = (event) => {
    event.preventDefault();
    ended(`A sentence is read in a worker, a program beside the page: it ended, and the browser said “${event.message ?? "nothing"}”. Load the model again; if it ends again, this device may have too little memory.`);
  };
  worker.postMessage({ program: PROGRAM });
  return worker;
}

/** Nothing is read until all parts are held again, by another worker. */
function ended(why) {
  reader?.terminate();
  reader = awaited = null;
  held.clear();
  clearTimeout(typing);
  field.disabled = true;
  delete place.dataset.ready;
  failed(why);
}

/** Load the next part that is missing; each is a script that hands it over, since a page in a folder may fetch nothing. */
function bring() {
  bar.value = held.size;
  const part = parts.find(({ name }) => !held.has(name));
  if (!part) return ready();
  const script = document.createElement("script");
  script.src = part.address;
  const without = (why) => () => {
    script.remove();
    if (awaited?.script === script) unheld(part, why);
  };
  script.onload = without("it holds something else");
  script.onerror = without("it did not load");
  awaited = { part, script };
  document.head.append(script);
}

window.attnlibModel = (part) => {
  if (document.currentScript !== awaited?.script || part.name !== awaited.part.name) return; // nobody waits for it
  const { address, size } = awaited.part;
  const letters = (part.data ?? part.pieces).length;
  awaited = null;
  if (part.build !== build) unheld({ address }, `it is of build ${part.build}, the page of ${build}`);
  else if (letters !== size) unheld({ address }, `it has ${letters} letters of ${size}`);
  else reader.postMessage({ part });
};

function unheld({ address }, why) {
  awaited = null;
  failed(
    `The model has ${parts.length} files, all of one build, and all must be there: ${address} is not as it should be, ` +
      `for ${why}, and so ${held.size} of ${parts.length} are loaded. Copy the whole site anew, or build it with make site MODEL=1.`,
  );
}

function failed(why) {
  tell(why);
  bar.hidden = true;
  load.disabled = false;
  load.textContent = "Try again";
  load.hidden = false;
}

function ready() {
  place.querySelector(".before").hidden = bar.hidden = load.hidden = true;
  field.disabled = false;
  field.focus({ preventScroll: true });
  place.dataset.ready = "true";
  ask();
}

// Reading

field.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(ask, WAIT);
});

function ask() {
  sentence = field.value;
  asked += 1; // what is still being read is overtaken
  if (sentence.trim()) reader.postMessage({ asked, sentence, most });
  else tell(`Nothing is typed.${stillShown()}`);
}

const stillShown = () => (read ? ` The pictures still show “${read.sentence}”.` : "");

function heard(data) {
  if (data.began) return bring();
  if (data.unable) {
    return ended(`A sentence is read by WebAssembly, four numbers at a time: this browser does not run that, and said “${data.unable}”. Chromium runs it from 91, Firefox from 89 and Safari from 16.4 on.`);
  }
  if (data.held) return held.add(data.held) && bring();
  if (data.unheld) return unheld(parts.find(({ name }) => name === data.unheld), data.error);
  if (data.asked !== asked) return;
  if (data.error) return tell(`A sentence could not be read: ${data.error}.${stillShown()}`);
  if (data.tooMany) {
    return tell(`A sentence may have ${most} pieces here, and this one has more: ${data.tooMany} > ${most}. Take some words out.${stillShown()}`);
  }
  read = { ...data, sentence };
  const lines = [`${data.pieces.length} pieces, read in ${Math.round(data.milliseconds)} ms.`];
  if (data.unknown) lines.push(`[UNK] stands where the model does not know a word: ${data.unknown} of the ${data.pieces.length} pieces.`);
  tell(...lines);
  show();
  place.read = read; // for whoever measures
  place.dispatchEvent(new CustomEvent("attnlib:read", { bubbles: true }));
}

// Showing: the first widget has all heads, the second the queries, keys and values of the one that is chosen in it

const widgets = () => [...document.querySelectorAll(".attnlib-live")].map(({ shows }) => shows);

function show() {
  const [heads, flow] = widgets();
  const { pieces, weights, values } = read;
  const chosen = heads.get("word");
  const word = chosen < pieces.length ? chosen : Math.max(0, pieces.length - 2); // the chosen place, or the last word
  put(heads, { words: pieces, weights, values, word, _untouched: {} });
  follow(flow, heads);
  if (!heads.followed) {
    heads.followed = true;
    for (const name of ["layer", "head", "word"]) heads.on(`change:${name}`, () => follow(flow, heads));
    flow.on("change:word", () => put(heads, { word: flow.get("word") }));
  }
}

let head = 0; // where all are shown at once, the one that was chosen before

function follow(flow, heads) {
  const [layer, word] = ["layer", "word"].map((name) => heads.get(name));
  head = heads.get("head") ?? head;
  const { pieces, nHeads } = read;
  if (word >= pieces.length) return; // the widget is being given a shorter sentence
  const rowsOf = (layers) => {
    const wide = layers[layer].length / pieces.length;
    const first = (head * wide) / nHeads;
    return pieces.map((_, i) => [...layers[layer].subarray(i * wide + first, i * wide + first + wide / nHeads)].map((x) => Number(x.toPrecision(6))));
  };
  const [query, key, value] = [read.query, read.key, read.value].map(rowsOf);
  put(flow, { query, key, value, words: pieces, word, _untouched: {} });
}

const put = (model, traits) => Object.entries(traits).forEach(([name, x]) => model.set(name, x));
