// All arithmetic of the widgets. Each function does what attnlib's function of that name does, and
// a test holds the two against each other. Matrices are arrays of rows; a row is a token. What a
// small model writes, and what its world knows of it, stands in writing.js.

// Vectors

export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

export const length = (a) => Math.hypot(...a);

/** 0 where one of the vectors is zero. */
export function cosine(a, b) {
  const lengths = length(a) * length(b);
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot(a, b) / lengths));
}

/** In degrees; NaN where one of the vectors is zero. */
export function angle(a, b) {
  if (length(a) === 0 || length(b) === 0) return NaN;
  return (Math.acos(cosine(a, b)) * 180) / Math.PI;
}

/** The component of a along `onto`; NaNs where that is zero. */
export function projection(a, onto) {
  const factor = dot(a, onto) / dot(onto, onto);
  return onto.map((x) => factor * x);
}

// Scores and weights

/** A row of -Infinity alone gives zeros. */
export function softmax(scores, temperature = 1) {
  const top = Math.max(...scores);
  if (top === -Infinity) return scores.map(() => 0);
  return normalised(scores.map((score) => Math.exp((score - top) / temperature)));
}

/** The numerators of the formula as it is written, without the shift by the maximum. */
export const naiveExponentials = (scores, temperature = 1) =>
  scores.map((score) => Math.exp(score / temperature));

/** The formula as it is written: NaN once an exponential is Infinity or all are 0. */
export const naiveSoftmax = (scores, temperature = 1) =>
  normalised(naiveExponentials(scores, temperature));

function normalised(numbers) {
  const sum = numbers.reduce((total, x) => total + x, 0);
  return numbers.map((x) => x / sum);
}

/** In nats. */
export const entropy = (weights) =>
  weights.reduce((sum, w) => (w > 0 ? sum - w * Math.log(w) : sum), 0);

export const attentionScores = (query, key, scale = 1 / Math.sqrt(query[0].length)) =>
  query.map((q) => key.map((k) => dot(q, k) * scale));

/** Where the mask is false, a score counts as -Infinity. */
export const maskedWeights = (scores, mask) =>
  scores.map((row, i) => softmax(row.map((score, j) => (mask[i][j] ? score : -Infinity))));

/** A mistake: softmax first, then zero what is hidden. */
export const weightsMaskedAfter = (scores, mask) =>
  scores.map((row, i) => softmax(row).map((weight, j) => (mask[i][j] ? weight : 0)));

/** Each row's weighted sum of the values; a value of weight 0 counts for nothing. */
export const mix = (weights, value) =>
  weights.map((row) => value[0].map((_, c) => row.reduce((sum, w, j) => (w === 0 ? sum : sum + w * value[j][c]), 0)));

export const rowSums = (rows) => rows.map((row) => row.reduce((sum, x) => sum + x, 0));

export const difference = (a, b) => a.map((row, i) => row.map((x, j) => x - b[i][j]));

/** The largest absolute change of each row. */
export const rowChanges = (a, b) =>
  difference(a, b).map((row) => row.reduce((most, x) => Math.max(most, Math.abs(x)), 0));

/** Numbers as they are recorded: two bytes of each, which count steps of 1/50000, or one, of 1/255. */
export function unpacked({ shape, data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  if (bytes.length === shape.reduce((size, n) => size * n, 1)) return Float64Array.from(bytes, (x) => x / 255);
  const numbers = new Float64Array(bytes.length / 2);
  for (let i = 0; i < numbers.length; i += 1) numbers[i] = (bytes[2 * i] + 256 * bytes[2 * i + 1]) / 50000;
  return numbers;
}

/** The share of each word's merged output that each head brings, by squared length: [head][word]. */
export function mergedShares(heads, values) {
  const squares = heads.map((rows, h) =>
    rows.map((row) => {
      const brought = new Float64Array(values[h][0].length);
      for (let j = 0; j < row.length; j += 1) {
        if (row[j]) for (let f = 0; f < brought.length; f += 1) brought[f] += row[j] * values[h][j][f];
      }
      return dot(brought, brought);
    }),
  );
  const totals = heads[0].map((_, i) => squares.reduce((total, of) => total + of[i], 0));
  return squares.map((of) => of.map((x, i) => (totals[i] ? x / totals[i] : 0)));
}

// The way back: how fast each number of a layer moves the next layer, and at last the loss

/** Row j: how fast each weight grows with score j. */
export const softmaxSlopes = (weights) => weights.map((w, j) => weights.map((other, k) => other * ((j === k) - w)));

/** Of local slopes, a row for each number, and the slopes where they lead: multiplied along a route, added up. */
export const slopesBack = (local, slopes) => local.map((row) => dot(row, slopes));

/** -log of the probability that logits give to the right one. */
export function surprise(logits, right) {
  const top = Math.max(...logits);
  return top + Math.log(logits.reduce((sum, x) => sum + Math.exp(x - top), 0)) - logits[right];
}

// Masks, true where a query may look

const square = (n, rule) =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => rule(i, j)));

export const fullMask = (n) => square(n, () => true);

export const causalMask = (n) => square(n, (i, j) => j <= i);

export const windowMask = (n, width) => square(n, (i, j) => Math.abs(i - j) <= width);

export const paddingMask = (n, length) => square(n, (i, j) => j < length);

/** Two sentences packed into one row: the first `n_first` words and the others. */
export const packedMask = (n, nFirst) => square(n, (i, j) => i < nFirst === j < nFirst);

/** A layer of a convolution of equal weights; beyond the ends stands nothing. */
export const convolutionWeights = (n, width) => square(n, (i, j) => (2 * Math.abs(i - j) < width ? 1 / width : 0));

export const sigmoid = (x) => 1 / (1 + Math.exp(-x));

// Positions

/** The positions that each clock's hand, a pair of features, needs for one round. */
export const wavelengths = (dModel, base = 10000) =>
  Array.from({ length: dModel / 2 }, (_, i) => 2 * Math.PI * base ** ((2 * i) / dModel));

/** Rotary: turn the feature pairs (0, 1), (2, 3), … of a vector at this position. */
export function rotate(x, position, base = 10000) {
  const turned = [];
  for (let f = 0; f < x.length; f += 2) {
    const by = position * base ** (-f / x.length);
    const [sin, cos] = [Math.sin(by), Math.cos(by)];
    turned.push(x[f] * cos - x[f + 1] * sin, x[f] * sin + x[f + 1] * cos);
  }
  return turned;
}

/** ALiBi's slope of each head; the first half of a geometric sequence where n is a power of two. */
export function alibiSlopes(nHeads) {
  const power = 2 ** Math.floor(Math.log2(nHeads));
  const sequence = (n) => Array.from({ length: n }, (_, h) => 2 ** ((-8 * (h + 1)) / n));
  const others = sequence(2 * power).filter((_, h) => h % 2 === 0);
  return [...sequence(power), ...others.slice(0, nHeads - power)];
}

// Samples

export function mean(numbers) {
  return numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
}

/** The standard deviation of all of them, as np.std has it. */
export function spread(numbers) {
  const centre = mean(numbers);
  return Math.sqrt(mean(numbers.map((x) => (x - centre) ** 2)));
}

/** How many numbers fall into each of n equal bins from -limit to limit; the rest fall outside. */
export function histogram(numbers, limit, nBins) {
  const counts = Array(nBins).fill(0);
  for (const x of numbers) {
    const bin = Math.floor(((x + limit) / (2 * limit)) * nBins);
    if (bin >= 0 && bin < nBins) counts[bin] += 1;
  }
  return counts;
}

/** The 32 bits that a counter and a seed are mixed to. */
function mixed(counter, seed) {
  let x = (counter + Math.imul(seed, 0x9e3779b9)) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** The one of a seed's numbers that has this place; each is above 0 and below 1. */
export const uniform = (place, seed) => (mixed(place, seed) + 0.5) / 2 ** 32;

/** n numbers of a standard normal distribution (Box and Muller), the same for the same seed. */
export function normals(n, seed) {
  const numbers = new Float64Array(n);
  for (let i = 0; i < n; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform(i, seed)));
    const turn = 2 * Math.PI * uniform(i + 1, seed);
    numbers[i] = radius * Math.cos(turn);
    if (i + 1 < n) numbers[i + 1] = radius * Math.sin(turn);
  }
  return numbers;
}

/** What the scores are divided by. */
export const DIVISORS = {
  none: () => 1,
  "sqrt d": (d) => Math.sqrt(d),
  d: (d) => d,
  "sqrt n": (d, nKeys) => Math.sqrt(nKeys),
};

/** The spread of infinitely many such scores: Scaling.expected. */
export const expectedSpread = (d, nKeys, divisor) => Math.sqrt(d) / DIVISORS[divisor](d, nKeys);

/** The scores of n_queries queries with n_keys keys each, of the first d of their d_most features. */
export function sampledScores(numbers, { d, dMost, nQueries, nKeys, divisor }) {
  const by = DIVISORS[divisor](d, nKeys);
  return Array.from({ length: nQueries }, (_, i) => {
    const query = i * (nKeys + 1) * dMost; // then the keys that it meets
    return Array.from({ length: nKeys }, (_, j) => {
      const key = query + (j + 1) * dMost;
      let sum = 0;
      for (let f = 0; f < d; f += 1) sum += numbers[query + f] * numbers[key + f];
      return sum / by;
    });
  });
}
