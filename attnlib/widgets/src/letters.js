// The model of lesson 14, which expects the next letter, as the lesson has it, and counts of letters beside it.

import { attentionScores, causalMask, dot, maskedWeights, mean, mix, softmax, spread } from "./arithmetic.js";
import { bytesOf } from "./encoder.js";

const PARTS = ["heads_0", "network_0", "heads_1", "network_1"];
const N_HEADS = 4;
const EPS = 1e-5;
const LOOKS_BACK = 4; // letters before the one that is counted
const KEPT_BACK = 0.75;

/** The model's parts, each array in rows. Two bytes of what is sent are a number, as float16 has it. */
export function modelOf(sent) {
  const model = {};
  for (const [name, { rows, data }] of Object.entries(sent)) {
    const halves = new Uint16Array(bytesOf(data).buffer);
    const bits = Uint32Array.from(halves, (half) => ((half & 0x8000) << 16) | ((half & 0x7fff) << 13));
    const numbers = Float64Array.from(new Float32Array(bits.buffer), (x) => x * 2 ** 112); // their exponents begin elsewhere
    const [part, own = "rows"] = name.split("/");
    const wide = numbers.length / rows;
    (model[part] ??= {})[own] = Array.from({ length: rows }, (_, i) => numbers.subarray(i * wide, (i + 1) * wide));
  }
  return model;
}

/** The logit of each letter to come next, after the last of these that the model can read at once. */
export function logitsAfter(model, ids) {
  const { letters, places } = model;
  let x = ids.slice(-places.rows.length).map((id, i) => sum(letters.rows[id], places.rows[i]));
  for (const part of PARTS) {
    if (part === PARTS.at(-1)) x = x.slice(-1); // no other row is asked of any more
    const made = (part.startsWith("heads") ? heads : network)(normalised(x, model[part]), model[part]);
    x = x.map((row, i) => sum(row, made[i]));
  }
  const [last] = normalised(x.slice(-1), model.end);
  return letters.rows.map((row) => dot(row, last));
}

const sum = (a, b) => a.map((number, f) => number + b[f]);

function normalised(x, { gain, bias }) {
  return x.map((row) => {
    const [centre, size] = [mean(row), Math.sqrt(spread(row) ** 2 + EPS)];
    return row.map((number, f) => ((number - centre) / size) * gain[0][f] + bias[0][f]);
  });
}

function heads(x, p) {
  const wide = x[0].length / N_HEADS;
  const apart = [p.w_query, p.w_key, p.w_value].map((w) => product(x, w));
  const brought = Array.from({ length: N_HEADS }, (_, h) => {
    const [query, key, value] = apart.map((rows) => rows.map((row) => row.subarray(h * wide, (h + 1) * wide)));
    return mix(maskedWeights(attentionScores(query, key), causalMask(x.length)), value);
  });
  return product(x.map((_, i) => brought.flatMap((rows) => [...rows[i]])), p.w_output);
}

const network = (x, p) => product(product(x, p.w_up).map((row) => sum(row, p.b_up[0]).map((number) => Math.max(0, number))), p.w_down);

/** Rows times a matrix, in rows: `mix` takes ten times as long. */
function product(x, w) {
  return x.map((row) => {
    const y = new Float64Array(w[0].length);
    for (let i = 0; i < w.length; i += 1) if (row[i]) for (let f = 0; f < y.length; f += 1) y[f] += row[i] * w[i][f];
    return y;
  });
}

/** How likely counts hold each letter after these; where fewer letters are asked, the text is counted for them. */
export function countedAfter(text, letters, before) {
  const asked = before.slice(-LOOKS_BACK);
  const shorter = asked ? countedAfter(text, letters, asked.slice(1)) : letters.map(() => 1 / letters.length);
  const times = new Map();
  for (let at = text.indexOf(asked); at >= 0 && at + asked.length < text.length; at = text.indexOf(asked, at + 1)) {
    const next = text[at + asked.length];
    times.set(next, (times.get(next) ?? 0) + 1);
  }
  const begun = [...times.values()].reduce((a, b) => a + b, 0);
  if (!begun) return shorter; // never met
  const keptBack = KEPT_BACK * times.size;
  return letters.map((letter, i) => (Math.max((times.get(letter) ?? 0) - KEPT_BACK, 0) + keptBack * shorter[i]) / begun);
}

/** Chances at a temperature, shared out among the k likeliest. */
export function amongLikeliest(logits, temperature, k) {
  const least = [...logits].sort((a, b) => b - a)[k - 1];
  return softmax(logits.map((logit) => (logit >= least ? logit : -Infinity)), temperature);
}
