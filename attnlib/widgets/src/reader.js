// The worker of the page on which one types a sentence: it holds the model, and reads.

import { Model } from "./encoder.js";
import { UNKNOWN, tokenize } from "./pieces.js";

const FINE = 50_000; // steps, of two bytes each: attnlib/widgets/_packing.py
let model = null;
let latest = null;

onmessage = ({ data }) => (data.program ? begin(data.program) : data.part ? hold(data.part) : read(data));

function begin(program) {
  try {
    model = new Model(program);
    postMessage({ began: true });
  } catch (error) {
    postMessage({ unable: error.message });
  }
}

function hold(part) {
  try {
    model.take(part);
    postMessage({ held: part.name });
  } catch (error) {
    if (error.isOfMemory) throw error; // the worker ends by it, and the page begins with another
    postMessage({ unheld: part.name, error: `${error}` });
  }
}

/** Read a sentence and tell of it, unless a newer one comes meanwhile. */
async function read({ asked, sentence, most }) {
  latest = asked;
  const began = performance.now();
  try {
    const pieces = tokenize(sentence, model.vocabulary);
    const unknown = pieces.filter((piece) => piece === UNKNOWN).length;
    if (pieces.length > most) return postMessage({ asked, tooMany: pieces.length });
    const steps = model.read(pieces);
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      await new Promise((rest) => setTimeout(rest)); // what was typed meanwhile is heard now
      if (latest !== asked) return;
    }
    const told = forWidgets(step.value, pieces);
    postMessage({ asked, pieces, unknown, milliseconds: performance.now() - began, ...told });
  } catch (error) {
    postMessage({ asked, error: `${error}` });
  }
}

/** What was read, as widgets are sent it; vectors of a head stand side by side in their layer's rows. */
function forWidgets({ states, query, key, value, weights }, pieces) {
  const [nLayers, n, nHeads] = [weights.length, pieces.length, weights[0].length / pieces.length ** 2];
  const width = value[0].length / n / nHeads;
  let largest = 0;
  for (const rows of value) for (const x of rows) largest = Math.max(largest, Math.abs(x));
  const most = 2 ** (Math.floor(Math.log2(largest)) + 1);
  return {
    states: states.map((x) => new Float32Array(x)),
    query, key, value, nHeads,
    weights: packed([nLayers, nHeads, n, n], weights, (w) => w),
    values: { ...packed([nLayers, nHeads, n, width], value.map((rows) => byHead(rows, nHeads, width)), (x) => (x / most + 1) / 2), most },
  };
}

/** Rows of all heads side by side as the rows of one head after those of another. */
function byHead(rows, nHeads, width) {
  const turned = new Float64Array(rows.length);
  const n = rows.length / nHeads / width;
  for (let head = 0, at = 0; head < nHeads; head += 1) {
    for (let i = 0; i < n; i += 1, at += width) {
      const first = (i * nHeads + head) * width;
      turned.set(rows.subarray(first, first + width), at);
    }
  }
  return turned;
}

/** Numbers from 0 to 1 in two bytes each, as text. */
function packed(shape, parts, share) {
  const counts = new Uint16Array(shape.reduce((a, b) => a * b));
  let at = 0;
  for (const part of parts) for (const x of part) counts[at++] = Math.round(share(x) * FINE);
  const bytes = new Uint8Array(counts.buffer);
  let text = "";
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return { shape, data: btoa(text) };
}
