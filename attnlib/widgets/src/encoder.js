// The real encoder, as attnlib.encoder has it, on numbers rounded to one byte each. It runs in a worker.

const D = 384;
const N_HEADS = 12;
const WIDTH = D / N_HEADS;
const GROUP = 32; // numbers that share a scale
const AT_ONCE = 4; // rows of x that share what is unpacked of a matrix

/** The model as its files bring it, part by part. */
export class Model {
  vocabulary = null; // a Map of pieces to their rows
  words = []; // of the vocabulary, in several parts
  layers = [];

  /** Take a part of the model; its arrays follow each other in the bytes, as course/site/rounding.py wrote them. */
  take({ name, pieces, arrays = [], data = "" }) {
    const letters = atob(data);
    const bytes = new Uint8Array(letters.length);
    for (let k = 0; k < bytes.length; k += 1) bytes[k] = letters.charCodeAt(k); // in Chromium, Uint8Array.from takes 28 times as long
    let start = 0;
    const next = (Type, n) => {
      const taken = new Type(bytes.slice(start, start + n * Type.BYTES_PER_ELEMENT).buffer);
      start += n * Type.BYTES_PER_ELEMENT;
      return taken;
    };
    const named = {};
    for (const { name, rows, columns, rounded } of arrays) {
      const size = rows * columns;
      if (!rounded) named[name] = Float64Array.from(next(Float32Array, size));
      else named[name] = { rows, columns, counts: next(Int8Array, size), scales: widened(next(Uint16Array, size / GROUP)) };
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
      const [query, key, value] = ["query", "key", "value"].map((role) => product(x, layer[`w_${role}`], layer[`b_${role}`]));
      const weights = weightsOf(query, key, n);
      const brought = add(x, product(mix(weights, value, n, x.length), layer.w_output, layer.b_output));
      x = normalised(brought, layer.gain_attention, layer.bias_attention);
      const hidden = product(x, layer.w_up, layer.b_up).map(gelu);
      x = normalised(add(x, product(hidden, layer.w_down, layer.b_down)), layer.gain_network, layer.bias_network);
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
      const to = x.subarray(i * D, (i + 1) * D);
      unpack(this.words[Math.floor(row / perPart)], row % perPart, to);
      for (let f = 0; f < D; f += 1) to[f] += this.places[i * D + f];
    });
    return normalised(x, this.gain, this.bias);
  }
}

/** Scales are the upper halves of numbers of four bytes. */
const widened = (halves) => new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer);

/** Write a row of a rounded matrix as numbers. */
function unpack({ columns, counts, scales }, row, to) {
  const first = row * columns;
  for (let group = 0; group < columns; group += GROUP) {
    const scale = scales[(first + group) / GROUP];
    for (let f = group; f < group + GROUP; f += 1) to[f] = counts[first + f] * scale;
  }
}

/** Rows of x times a matrix, whose rows make a column each of what comes out, and a bias. */
function product(x, matrix, bias) {
  const { rows: wide, columns: d } = matrix;
  const y = new Float64Array((x.length / d) * wide);
  const [one, two] = [new Float64Array(d), new Float64Array(d)];
  for (let c = 0; c < wide; c += 2) {
    unpack(matrix, c, one);
    unpack(matrix, c + 1, two);
    // Eight sums at a time: each number is fetched once for several of them.
    for (let i = 0; i < x.length / d; i += AT_ONCE) {
      const [p, q, r, s] = [i * d, (i + 1) * d, (i + 2) * d, (i + 3) * d];
      let [p1, q1, r1, s1, p2, q2, r2, s2] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let f = 0; f < d; f += 1) {
        const a = one[f];
        const b = two[f];
        p1 += x[p + f] * a;
        p2 += x[p + f] * b;
        q1 += x[q + f] * a;
        q2 += x[q + f] * b;
        r1 += x[r + f] * a;
        r2 += x[r + f] * b;
        s1 += x[s + f] * a;
        s2 += x[s + f] * b;
      }
      const to = i * wide + c;
      y[to] = p1 + bias[c];
      y[to + 1] = p2 + bias[c + 1];
      y[to + wide] = q1 + bias[c];
      y[to + wide + 1] = q2 + bias[c + 1];
      y[to + 2 * wide] = r1 + bias[c];
      y[to + 2 * wide + 1] = r2 + bias[c + 1];
      y[to + 3 * wide] = s1 + bias[c];
      y[to + 3 * wide + 1] = s2 + bias[c + 1];
    }
  }
  return y;
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
  weights.forEach((w, place) => {
    const [head, i, j] = [Math.floor(place / (n * n)), Math.floor(place / n) % n, place % n];
    for (let f = head * WIDTH; f < (head + 1) * WIDTH; f += 1) brought[i * D + f] += w * value[j * D + f];
  });
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
