// A small Transformer that writes, as attnlib.writer and attnlib/widgets/_models.py have it, and the
// world of which it writes, as attnlib.world has it. Words are places in the vocabulary.

import { writer } from "../../pictures/shared.json";
import { dot, softmax } from "./arithmetic.js";

export const VOCABULARY = writer.VOCABULARY.split(" ");
export const MOST = writer.SHAPES[5][1]; // words of a story
export const N_HEADS = writer.SHAPES[5][0];
const N_LAYERS = 2;
const [N_WORDS, D] = writer.SHAPES[0];
const SIZES = writer.SHAPES.map((shape) => shape.reduce((size, n) => size * n, 1));
const NETWORKS = N_LAYERS * N_HEADS; // where the networks stand among the parts
const FAR = NETWORKS + N_LAYERS;
const WAYS = FAR + 1; // by which a word keeps what it was: past the heads and past the network of each layer
const [DOT, FINDS, GLAD, HE, IS, LIKES, SHE, THE] = Array.from({ length: 8 }, (_, k) => 12 + k);

const decoded = new WeakMap();

/** As modelOf, once for each that is sent. */
export function modelIn(sent) {
  if (!decoded.has(sent)) decoded.set(sent, modelOf(sent));
  return decoded.get(sent);
}

/** The arrays of a model: words, and eight of each layer, flat. Two characters of base64 are a number. */
export function modelOf({ steps, data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const count = (k) => {
    const at = 3 * (k >> 1);
    const pair = k % 2 ? ((bytes[at + 1] & 15) << 8) | bytes[at + 2] : (bytes[at] << 4) | (bytes[at + 1] >> 4);
    return pair - writer.STEPS - 1;
  };
  let start = 0;
  return steps.map((step, part) => {
    const size = SIZES[part && ((part - 1) % 8) + 1];
    start += size;
    return Float64Array.from({ length: size }, (_, k) => count(start - size + k) * step);
  });
}

/**
 * What comes next after these words, where the last one looks, and what is left without each last head; and
 * of each step what it made of the last word: the sum so far, and what heads or network added, one by one.
 */
export function readStory(model, ids, off = [], masked = true, temperature = 1) {
  const n = ids.length;
  const width = D / N_HEADS;
  const [looks, steps] = [[], []];
  const kept = (way) => !off.includes(WAYS + way);
  let x = new Float64Array(n * D);
  ids.forEach((id, i) => x.set(vectorOf(id, model), i * D));
  for (let layer = 0; layer < N_LAYERS; layer += 1) {
    const [wQuery, wKey, wValue, wOutput, near, ...network] = model.slice(1 + 8 * layer, 9 + 8 * layer);
    const first = layer === N_LAYERS - 1 ? n - 1 : 0; // of the last layer the last word alone is asked
    const asking = x.subarray(first * D);
    const query = product(asking, wQuery, D);
    const [key, value] = [wKey, wValue].map((w) => product(x, w, D));
    const brought = new Float64Array(asking.length);
    looks.push([]);
    for (let head = 0; head < N_HEADS; head += 1) {
      const out = off.includes(layer * N_HEADS + head);
      for (let i = first; i < n; i += 1) {
        const row = weightsOf({ query, key, near, head, i, first, n: masked ? i + 1 : n, width, far: !off.includes(FAR) });
        if (i === n - 1) looks[layer].push(row);
        if (out) continue;
        row.forEach((w, j) => {
          for (let f = head * width; f < (head + 1) * width; f += 1) brought[(i - first) * D + f] += w * value[j * D + f];
        });
      }
    }
    const onwards = (merged) => {
      const z = sum(asking, product(merged, wOutput, D), kept(2 * layer));
      const added = through(z, off.includes(NETWORKS + layer) ? null : network);
      return { z, added, y: sum(z, added, kept(2 * layer + 1)) };
    };
    const only = (head, is) => brought.slice(-D).map((b, f) => ((Math.floor(f / width) === head) === is ? b : 0));
    const { z, added, y } = onwards(brought);
    const heads = looks[layer].map((_, head) => product(only(head, true), wOutput, D));
    steps.push({ kept: kept(2 * layer), added: heads, sum: z.slice(-D) });
    steps.push({ kept: kept(2 * layer + 1), added: [added.slice(-D)], sum: y.slice(-D) });
    if (layer === N_LAYERS - 1) {
      const chances = (last) => softmax(scoresOf(last, model), temperature);
      const without = looks[layer].map((_, head) => chances(onwards(only(head, false)).y));
      return { chances: chances(y), looks, without, steps };
    }
    x = y;
  }
  return null;
}

/** The vector of a word. */
export const vectorOf = (id, [words]) => words.subarray(id * D, (id + 1) * D);

/** How much what stands in a word's place likes each word next. */
export const scoresOf = (x, model) => Float64Array.from({ length: N_WORDS }, (_, id) => dot(x, vectorOf(id, model)) / Math.sqrt(D));

/** Rows of x times a matrix that makes rows of so many numbers. */
function product(x, w, columns) {
  const rows = w.length / columns;
  const y = new Float64Array((x.length / rows) * columns);
  for (let i = 0; i < x.length; i += 1) {
    if (x[i] === 0) continue;
    const [to, from] = [Math.floor(i / rows) * columns, (i % rows) * columns];
    for (let c = 0; c < columns; c += 1) y[to + c] += x[i] * w[from + c];
  }
  return y;
}

/** How a word shares out its attention in one head. */
function weightsOf({ query, key, near, head, i, first, n, width, far }) {
  const row = new Float64Array(n);
  for (let j = 0; j < n; j += 1) {
    let sum = 0;
    for (let f = head * width; f < (head + 1) * width; f += 1) sum += query[(i - first) * D + f] * key[j * D + f];
    row[j] = sum / Math.sqrt(width) + (far ? near[head * MOST + Math.abs(i - j)] : 0);
  }
  return softmax(row);
}

/** What was there, if it is kept, and what is added. */
const sum = (x, added, kept) => (kept ? x.map((value, k) => value + added[k]) : added);

/** What a network makes of x; without one nothing. */
function through(x, network) {
  if (!network) return x.map(() => 0);
  const [up, bias, down] = network;
  return product(product(x, up, bias.length).map((sum, k) => Math.max(0, sum + bias[k % bias.length])), down, D);
}

/** The word at which chance stops, which is a number from 0 to 1. */
export function nextWord(chances, u) {
  let sum = 0;
  const place = chances.findIndex((chance) => (sum += chance) > u);
  return place < 0 ? chances.length - 1 : place;
}

/** The exact chances of the next word, and the place of the first word that could not come, or -1. */
export function worldOf(ids) {
  let world = { animal: new Map(), friend: new Map(), people: [], glad: null, sentence: [] };
  for (let place = 0; place < ids.length; place += 1) {
    if (!nextWords(world)[ids[place]]) return { exact: Array(N_WORDS).fill(0), wrong: place };
    world = hear(world, ids[place]);
  }
  return { exact: nextWords(world), wrong: -1 };
}

function nextWords({ animal, friend, people, glad, sentence }) {
  const [first, second, third, fourth] = sentence;
  const others = (from, used) => [0, 1, 2, 3].map((k) => from + k).filter((id) => !used.includes(id));
  const told = people.length > 0;
  if (glad !== null && !sentence.length) return evenly([THE, THE, glad < 2 ? SHE : HE]);
  if (!sentence.length) return evenly([THE]);
  if (first !== THE) return evenly([[IS, GLAD, DOT][sentence.length - 1]]);
  if (sentence.length === 1) return evenly(told ? [...animal.keys()] : others(8, [...animal.keys()]));
  if (sentence.length === 2) return evenly(told ? [animal.get(second)] : others(4, [...animal.values()]));
  if (sentence.length === 3) return evenly(told ? [FINDS, LIKES] : [FINDS]);
  if (sentence.length === 5) return evenly([DOT]);
  if (fourth === LIKES) return evenly([friend.get(third)]);
  return evenly(told ? people : others(0, [...friend.values()]));
}

function evenly(ids) {
  const chances = Array(N_WORDS).fill(0);
  for (const id of ids) chances[id] += 1 / ids.length;
  return chances;
}

function hear(world, id) {
  if (id !== DOT) return { ...world, sentence: [...world.sentence, id] };
  const [, colour, animal, verb, name] = world.sentence;
  if (verb !== FINDS) return { ...world, glad: null, sentence: [] };
  const told = world.people.length > 0;
  const friend = new Map(world.friend).set(animal, name);
  const people = told || friend.size < 3 ? world.people : [...friend.values()];
  return { animal: new Map(world.animal).set(colour, animal), friend, people, glad: told ? name : null, sentence: [] };
}
