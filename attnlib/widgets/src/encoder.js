// The real encoder, as attnlib.encoder has it, on numbers rounded to one byte each. It runs in a worker.

const D = 384;
const N_HEADS = 12;
const WIDTH = D / N_HEADS;
const GROUP = 32; // numbers that share a scale
const AT_ONCE = 4; // rows of x that product.ts takes together

/** The model as its files bring it, part by part; what is rounded stays so, in the memory of product.ts. */
export class Model {
  vocabulary = null; // a Map of pieces to their rows
  words = []; // of the vocabulary, in several parts
  layers = [];
  #program; // product.ts, as WebAssembly
  #end = 0; // of what is kept in its memory: it computes behind that

  /** Begin without any part; program is product.ts as build.mjs makes it, in letters. */
  constructor(program) {
    this.#program = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(program))).exports;
  }

  /** Take a part of the model; its arrays follow each other in the bytes, as course/site/rounding.py wrote them. */
  take({ name, pieces, arrays = [], data = "" }) {
    const bytes = bytesOf(data);
    const kept = this.#keep(bytes);
    const named = {};
    let start = 0;
    for (const { name, rows, columns, rounded } of arrays) {
      const size = rows * columns;
      const end = start + (rounded ? size + (2 * size) / GROUP : 4 * size);
      if (rounded) named[name] = { rows, columns, counts: kept + start, scales: kept + start + size };
      else named[name] = new Float64Array(new Float32Array(bytes.slice(start, end).buffer));
      start = end;
    }
    const [kind, nth] = name.split("_");
    if (kind === "pieces") this.vocabulary = new Map(pieces.split("\n").map((piece, row) => [piece, row]));
    else if (kind === "words") this.words[nth] = named.words;
    else if (kind === "layer") this.layers[nth] = named;
    else Object.assign(this, named); // places, gain and bias
  }

  /** Run the model on pieces, and rest after each layer: whoever drives it may leave it there. */
  *read(pieces) {
    const n = pieces.length;
    let x = this.#embed(pieces);
    const read = { states: [x.subarray(0, n * D)], query: [], key: [], value: [], weights: [] };
    for (const layer of this.layers) {
      const [query, key, value] = ["query", "key", "value"].map((role) => this.#product(x, layer[`w_${role}`], layer[`b_${role}`]));
      const weights = weightsOf(query, key, n);
      const brought = add(x, this.#product(mix(weights, value, n, x.length), layer.w_output, layer.b_output));
      x = normalised(brought, layer.gain_attention, layer.bias_attention);
      const hidden = this.#product(x, layer.w_up, layer.b_up).map(gelu);
      x = normalised(add(x, this.#product(hidden, layer.w_down, layer.b_down)), layer.gain_network, layer.bias_network);
      read.weights.push(weights);
      read.states.push(x.subarray(0, n * D));
      for (const [role, rows] of Object.entries({ query, key, value })) read[role].push(rows.subarray(0, n * D));
      yield;
    }
    return read;
  }

  /** Word and place of each piece, normalised; rows of zeros are added until `AT_ONCE` divides them. */
  #embed(pieces) {
    const x = new Float64Array(Math.ceil(pieces.length / AT_ONCE) * AT_ONCE * D);
    const perPart = this.words[0].rows;
    pieces.forEach((piece, i) => {
      const row = this.vocabulary.get(piece);
      const word = this.#row(this.words[Math.floor(row / perPart)], row % perPart);
      for (let f = 0; f < D; f += 1) x[i * D + f] = word[f] + this.places[i * D + f];
    });
    return normalised(x, this.gain, this.bias);
  }

  /** A row of a rounded matrix, until the next is asked for. */
  #row({ columns, counts, scales }, row) {
    const buffer = this.#memory(this.#end + 4 * columns);
    const first = row * columns;
    this.#program.unpack(counts + first, scales + (2 * first) / GROUP, columns, this.#end);
    return new Float32Array(buffer, this.#end, columns);
  }

  /** Rows of x times a matrix, whose rows make a column each of what comes out, and a bias. */
  #product(x, { rows: wide, columns: d, counts, scales }, bias) {
    const n = x.length / d;
    const from = this.#end + 2 * 4 * d; // two rows of the matrix stand before it
    const to = from + 4 * x.length;
    const buffer = this.#memory(to + 4 * n * wide);
    new Float32Array(buffer, from, x.length).set(x);
    this.#program.product(from, n, d, counts, scales, wide, this.#end, to);
    const y = new Float64Array(new Float32Array(buffer, to, n * wide));
    for (let i = 0; i < n; i += 1) for (let c = 0; c < wide; c += 1) y[i * wide + c] += bias[c];
    return y;
  }

  /** Keep bytes in the program's memory; return where. */
  #keep(bytes) {
    const start = this.#end;
    const end = start + Math.ceil(bytes.length / 16) * 16;
    new Uint8Array(this.#memory(end), start).set(bytes);
    this.#end = end;
    return start;
  }

  /** The program's memory, which has at least so many bytes. */
  #memory(size) {
    const { memory } = this.#program;
    const missing = size - memory.buffer.byteLength;
    try {
      if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
    } catch (error) {
      throw Object.assign(error, { isOfMemory: true });
    }
    return memory.buffer;
  }
}

export function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k += 1) bytes[k] = letters.charCodeAt(k); // in Chromium, Uint8Array.from takes 28 times as long
  return bytes;
}

/** How each head shares out each word's attention, (n_heads, n, n). */
function weightsOf(query, key, n) {
  const weights = new Float64Array(N_HEADS * n * n);
  for (let head = 0; head < N_HEADS; head += 1) {
    for (let i = 0; i < n; i += 1) {
      const row = weights.subarray((head * n + i) * n, (head * n + i + 1) * n);
      for (let j = 0; j < n; j += 1) {
        let sum = 0;
        for (let f = head * WIDTH; f < (head + 1) * WIDTH; f += 1) sum += query[i * D + f] * key[j * D + f];
        row[j] = sum / Math.sqrt(WIDTH);
      }
      softmax(row);
    }
  }
  return weights;
}

/** Turn a row of scores into weights, in its place. */
function softmax(row) {
  const most = row.reduce((a, b) => Math.max(a, b));
  let sum = 0;
  for (let j = 0; j < row.length; j += 1) sum += row[j] = Math.exp(row[j] - most);
  for (let j = 0; j < row.length; j += 1) row[j] /= sum;
}

/** What all heads bring to each word, side by side. */
function mix(weights, value, n, size) {
  const brought = new Float64Array(size);
  for (let place = 0; place < weights.length; place += 1) {
    const [head, i, j] = [Math.floor(place / (n * n)), Math.floor(place / n) % n, place % n];
    const w = weights[place];
    for (let f = head * WIDTH; f < (head + 1) * WIDTH; f += 1) brought[i * D + f] += w * value[j * D + f];
  }
  return brought;
}

const add = (x, y) => x.map((number, k) => number + y[k]);

function normalised(x, gain, bias) {
  const y = new Float64Array(x.length);
  for (let first = 0; first < x.length; first += D) {
    let [sum, squares] = [0, 0];
    for (let k = first; k < first + D; k += 1) sum += x[k];
    const mean = sum / D;
    for (let k = first; k < first + D; k += 1) squares += (x[k] - mean) ** 2;
    const deviation = Math.sqrt(squares / D + 1e-12);
    for (let f = 0; f < D; f += 1) y[first + f] = ((x[first + f] - mean) / deviation) * gain[f] + bias[f];
  }
  return y;
}

const gelu = (x) => x * (0.5 + 0.5 * erf(x / Math.SQRT2));

/** The error function to 1.5e-7: Abramowitz and Stegun, 7.1.26. */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}
