/** @jsxRuntime classic @jsx createElement @jsxFrag Fragment */ // is shorter; it takes no trait called "key"
// How far scores spread, and what brings them back.

import { Fragment, createElement } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { scaling } from "../../pictures/shared.json";
import { entropy, expectedSpread, histogram, mean, normals, sampledScores, softmax, spread } from "./arithmetic.js";
import MORE from "./more.css";
import { More } from "./more.jsx";
import { useSliding } from "./motion.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Bar, Choice, Facts, Heat, NumberField, Slider, asked, format } from "./parts.jsx";
import OWN from "./scaling.css";

export const style = OWN + MORE;
export const traits = ["d", "divisor", "seed"];

// The histogram's axis never moves from its LIMIT, so that the eye sees the scores spread.
const { N_QUERIES, N_KEYS, D_MOST, LIMIT, DIVIDED, EXPECTED } = scaling;
const SEED_MOST = 2 ** 32 - 1;
const BINS = 2 * LIMIT; // one unit wide
const HEIGHTS = [20, 30, 50, 100, 200, 400, 800]; // of the other axis: it steps, and does not tremble
const DIVISORS = {
  none: { name: "1 (none)", score: "score = q · k" },
  "sqrt d": { name: "√d", score: "score = q · k / √d" },
  d: { name: "d", score: "score = q · k / d" },
  "sqrt n": { name: `√n (n = ${N_KEYS} keys)`, score: "score = q · k / √n" },
};

const ALL = Object.keys(DIVISORS);

// The slider's stops grow by a quarter of an octave, so small widths are within reach.
const STOPS = [...new Set(Array.from({ length: 37 }, (_, k) => Math.round(2 ** (k / 4))))];

/** The stop nearest to a width that may have been typed. */
const stopOf = (d) =>
  STOPS.reduce((best, stop, i) => (Math.abs(Math.log(stop / d)) < Math.abs(Math.log(STOPS[best] / d)) ? i : best), 0);

let draw = { seed: null }; // the numbers of a seed, made once: a goal asks for them again and again

function numbersOf(seed) {
  if (draw.seed !== seed) draw = { seed, numbers: normals(N_QUERIES * (1 + N_KEYS) * D_MOST, seed) };
  return draw.numbers;
}

/** Query 0 as a column of single numbers, or the first key that it meets. */
const vectorOf = (seed, nth, d) => Array.from(numbersOf(seed).slice(nth * D_MOST, nth * D_MOST + d), (x) => [x]);

const scoresOf = ({ d, divisor, seed }) =>
  sampledScores(numbersOf(seed), { d, dMost: D_MOST, nQueries: N_QUERIES, nKeys: N_KEYS, divisor });

/** What a goal can ask about: all that follows, and the width. */
export function measured({ d, divisor, seed }) {
  const rows = scoresOf({ d, divisor, seed });
  const weights = rows.map((row) => softmax(row));
  return {
    d,
    scores: rows,
    weights: weights[0],
    spread: spread(rows.flat()),
    expected: expectedSpread(d, N_KEYS, divisor),
    entropy: entropy(weights[0]),
    mean_entropy: mean(weights.map(entropy)),
  };
}

/** What is missing, in the widget's own words. */
export function missing({ name, is, least, most }) {
  if (name === "d") return `d is ${is}; ${asked(least, most, { counted: true })} is asked.`;
  return `The ${name.replace("_", " ")} is ${format(is)}; ${asked(least, most)} is asked.`;
}

export function View({ d, divisor, seed, theme, set }) {
  const rows = useMemo(() => scoresOf({ d, divisor, seed }), [d, divisor, seed]);
  const scores = useMemo(() => rows.flat(), [rows]);
  const [query, key] = useMemo(() => [0, 1].map((nth) => vectorOf(seed, nth, d)), [d, seed]);
  const vectors = `Vectors of d = ${d} number${d === 1 ? "" : "s"}`;
  const measured = spread(scores);
  const expected = expectedSpread(d, N_KEYS, divisor);
  const [first, ...others] = rows.map((row) => softmax(row));
  const largest = Math.max(...first);
  const meanEntropy = mean([first, ...others].map(entropy));
  return (
    <>
      <p class="title headline">
        {vectors}: scores spread ± {format(measured)} ({DIVIDED[divisor]}), so the best of {N_KEYS} keys gets a share of {format(largest)}.
      </p>
      <div class="chain">
        <div class="vectors">
          <p class="title">{vectors} …</p>
          <Strip label="query" role="query" numbers={query} theme={theme} />
          <Strip label="key" role="key" numbers={key} theme={theme} />
          <Slider
            label={<>drag <b>d</b>, how many numbers</>}
            value={stopOf(d)}
            min={0}
            max={STOPS.length - 1}
            say={() => format(d, 0)}
            onInput={(stop) => set({ d: STOPS[stop] })}
          />
          <Choice
            label="divide every score by"
            options={ALL}
            names={ALL.map((name) => DIVISORS[name].name)}
            value={divisor}
            onChange={(chosen) => set({ divisor: chosen })}
          />
        </div>
        <div class="scores">
          <p class="title">→ have scores this large …</p>
          <Histogram scores={scores} measured={measured} label={DIVISORS[divisor].score} />
          <p class="note">{scores.length} scores, each of a random query and key</p>
        </div>
        <div class="shares">
          <p class="title">→ which become shares of 1</p>
          <p class="note">one query, its {N_KEYS} keys</p>
          <table class="keys">
            <thead>
              <tr>
                <th scope="col" class="role-key">key</th>
                <th scope="col" class="role-scores">score</th>
                <th scope="col" colSpan={2}>share</th>
              </tr>
            </thead>
            <tbody>
              {first.map((weight, j) => (
                <tr key={j}>
                  <th scope="row">{j}</th>
                  <td>{format(rows[0][j])}</td>
                  <td>{format(weight)}</td>
                  <td><Bar share={weight} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <More title="any d, another draw, entropy">
        <div class="controls">
          <NumberField
            label={`any d, 1 to ${D_MOST}`}
            min={1}
            max={D_MOST}
            step={1}
            value={d}
            onChange={(x) => set({ d: Math.round(x) })}
          />
          <NumberField label="draw" min={0} max={SEED_MOST} step={1} value={seed} onChange={(x) => set({ seed: Math.round(x) })} />
          <button type="button" onClick={() => set({ seed: (seed + 1) >>> 0 })}>another draw</button>
        </div>
        <Facts
          facts={[
            ["spread that is expected", `${EXPECTED[divisor]} = ${format(expected)}`],
            ["entropy (0: one takes all)", format(entropy(first))],
            [`mean entropy, ${N_QUERIES} queries`, format(meanEntropy)],
            ["entropy if all were equal", format(Math.log(N_KEYS))],
          ]}
        />
      </More>
      <Announcement
        text={
          `d = ${d}, divided by ${DIVISORS[divisor].name}: spread ${format(measured)}, expected ${format(expected)}. ` +
          `Query 0: largest weight ${format(largest)}, entropy ${format(entropy(first))}.`
        }
      />
    </>
  );
}

/** The numbers of a vector as colours, as long as it is wide. */
const Strip = ({ label, role, numbers, theme }) => (
  <div class="vector">
    <span class={`role-${role}`}>{label}</span>
    <div class="strip">
      <Heat table={numbers} theme={theme} scale={2} twoSided style={{ width: `${(100 * numbers.length) / D_MOST}%` }} />
    </div>
  </div>
);

/** Bars of one unit each, which slide to their places; a bracket reaches one spread to either side of 0. */
function Histogram({ scores, measured, label }) {
  const [element, width] = useWidth(480);
  const [bars, bracket] = [useRef(null), useRef(null)];
  const most = Math.max(...histogram(scores, LIMIT, BINS));
  const top = HEIGHTS.find((height) => height >= most);
  const below = scores.filter((score) => score < -LIMIT).length;
  const above = scores.filter((score) => score >= LIMIT).length;
  const [left, right, ceiling, floor] = [32, width - 10, 62, 220];
  const x = (score) => left + ((score + LIMIT) / (2 * LIMIT)) * (right - left);
  const y = (count, tallest = top) => floor - (count / tallest) * (floor - ceiling);
  useSliding(scores, (now) => {
    const counts = histogram(now, LIMIT, BINS);
    // While they slide, columns that are higher than their axis are drawn lower, all alike.
    const tallest = Math.max(top, ...counts);
    const outline = counts.map((count, bin) => `V${y(count, tallest)}H${x(bin + 1 - LIMIT)}`).join("");
    const reach = Math.min(spread(now), LIMIT);
    bars.current.setAttribute("d", `M${left},${floor}${outline}V${floor}Z`);
    bracket.current.setAttribute("d", `M${x(-reach)},42v10M${x(-reach)},47H${x(reach)}M${x(reach)},42v10`);
  });
  const said =
    `Histogram of ${scores.length} scores from −${LIMIT} to ${LIMIT}, spread ${format(measured)}; ` +
    `the fullest bin holds ${most}; ${below} lie below −${LIMIT}, ${above} above ${LIMIT}`;
  return (
    <div ref={element}>
      <svg class="histogram" viewBox={`0 0 ${width} 258`} role="img" aria-label={said}>
        {[top / 2, top].map((count) => (
          <g key={count}>
            <line class="grid" x1={left} x2={right} y1={y(count)} y2={y(count)} />
            <text class="soft" x={left - 6} y={y(count) + 4} text-anchor="end">{count}</text>
          </g>
        ))}
        <path class="bars" ref={bars} />
        <line class="axis" x1={left} x2={right} y1={floor} y2={floor} />
        {[-30, -20, -10, 0, 10, 20, 30].map((score) => (
          <g key={score}>
            <line class="axis" x1={x(score)} x2={x(score)} y1={floor} y2={floor + 5} />
            <text class="soft" x={x(score)} y={floor + 19} text-anchor="middle">{format(score, 0)}</text>
          </g>
        ))}
        <text class="soft" x={(left + right) / 2} y={floor + 36} text-anchor="middle">{label}</text>
        <path class="bracket" ref={bracket} />
        <text class="measured" x={x(0)} y={32} text-anchor="middle">spread ± {format(measured)}</text>
        {below > 0 && <text class="soft" x={left} y={16}>{below} below −{LIMIT}</text>}
        {above > 0 && <text class="soft" x={right} y={16} text-anchor="end">{above} above {LIMIT}</text>}
      </svg>
    </div>
  );
}
