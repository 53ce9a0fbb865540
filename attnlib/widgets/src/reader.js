// The worker of the page on which one types a sentence: it holds the model, and reads.

import { Model } from "./encoder.js";
import { UNKNOWN, tokenize } from "./pieces.js";

const FINE = 50_000; // steps, of two bytes each: attnlib/widgets/_packing.py
const model = new Model();
let latest = null;

onmessage = ({ data }) => (data.part ? hold(data.part) : read(data));

function hold(part) {
  try {
    model.take(part);
    postMessage({ held: part.name });
  } catch (error) {
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
  const byHead = value.map((rows) => {
    const at = (k) => rows[(Math.floor(k / width) % n) * nHeads * width + Math.floor(k / width / n) * width + (k % width)];
    return Float64Array.from(rows, (_, k) => at(k));
  });
  const most = 2 ** (Math.floor(Math.log2(byHead.flatMap((x) => [...x]).reduce((a, x) => Math.max(a, Math.abs(x)), 0))) + 1);
  return {
    states: states.map((x) => Float32Array.from(x)),
    query, key, value, nHeads,
    weights: packed([nLayers, nHeads, n, n], weights, (w) => w),
    values: { ...packed([nLayers, nHeads, n, width], byHead, (x) => (x / most + 1) / 2), most },
  };
}

/** Numbers from 0 to 1 in two bytes each, as text. */
function packed(shape, parts, share) {
  const counts = Uint16Array.from(parts.flatMap((x) => [...x]), (x) => Math.round(share(x) * FINE));
  const bytes = new Uint8Array(counts.buffer);
  let text = "";
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return { shape, data: btoa(text) };
}
