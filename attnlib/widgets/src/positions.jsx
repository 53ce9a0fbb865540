// What four schemes know about two positions.

import { useMemo, useRef } from "preact/hooks";
import { alibiSlopes, cosine, dot, normals, rotate, sinusoidalPositions, wavelengths } from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Choice, Facts, Matrix, Slider, format } from "./parts.jsx";

export { default as style } from "./positions.css";
export const traits = ["learned", "n_positions", "d_model", "first", "second", "scheme", "head"];

const N_HEADS = 8;
const SEED = 8; // of the query and the key that rotary turns
const HEADS = Array.from({ length: N_HEADS }, (_, h) => h);
const SLOPES = alibiSlopes(N_HEADS);
const SCHEMES = { sinusoidal: "sinusoidal", learned: "learned", rotary: "rotary", alibi: "ALiBi" };
const NOTES = {
  sinusoidal: "Move both by one, and compare the numbers under the clocks, and the cosine.",
  learned: "A learned table has no clocks. Move both by one, and compare the cosine.",
  rotary: "Move both by one, and compare query · key. Then let the key stand behind the query.",
  alibi: "ALiBi has no clocks and no rows: each head adds −slope × distance to its scores. Steep heads look nearby.",
};

const numbersOf = (row) => row.split(" ").map(Number);

/** The learned table as Python reduced it: in strings, the cosines in ten-thousandths. */
const unpacked = (table) =>
  table && {
    d: table.d,
    features: table.features.map(numbersOf),
    cosines: table.cosines.map((row) => numbersOf(row).map((x) => x / 10000)),
  };

/** A scheme's numbers: two rows (or none), and how the first position goes with any position. */
const MEASURES = {
  sinusoidal({ n_positions, d_model, first, second }) {
    const table = sinusoidalPositions(n_positions, d_model);
    return { rows: [table[first], table[second]], at: (p) => cosine(table[first], table[p]) };
  },
  learned({ learned: { features, cosines }, first, second }) {
    const at = (p) => cosines[Math.max(first, p)][Math.min(first, p)];
    return { rows: [features[first], features[second]], at };
  },
  rotary({ d_model, first, second }) {
    const numbers = Array.from(normals(2 * d_model, SEED));
    const query = rotate(numbers.slice(0, d_model), first);
    const keyAt = (p) => rotate(numbers.slice(d_model), p);
    return { rows: [query, keyAt(second)], at: (p) => dot(query, keyAt(p)) };
  },
  alibi: ({ first, head }) => ({ rows: null, at: (p) => biasAt(head, p - first) }),
};

const biasAt = (head, distance) => -SLOPES[head] * Math.abs(distance);

export function View(state) {
  const { n_positions: n, d_model, first, second, scheme, head, theme, set } = state;
  const learned = useMemo(() => unpacked(state.learned), [state.learned]);
  const numbers = { ...state, learned };
  const { rows, at } = MEASURES[scheme](numbers);
  const curve = Array.from({ length: n }, (_, p) => at(p));
  const asked = scheme === "rotary" || scheme === "alibi"; // a query at the first, a key at the second
  const names = asked ? ["query", "key"] : ["first", "second"];
  const what = asked ? (scheme === "rotary" ? "query · key" : `bias of head ${head}`) : "cosine";
  const apart = Math.abs(second - first);
  const side = second === first ? "" : second > first ? " ahead" : " behind";
  const moved = (by) => set({ first: first + by, second: second + by });
  const inside = (by) => Math.min(first, second) + by >= 0 && Math.max(first, second) + by < n;
  const range = useMemo(() => reach(numbers), [learned, n, d_model, scheme]);
  const marks = { names, what, first, second };
  return (
    <>
      <div class="halves">
        <div>
          <div class="controls">
            <Choice
              label="scheme"
              options={Object.keys(SCHEMES).filter((name) => name !== "learned" || learned)}
              names={Object.keys(SCHEMES).filter((name) => name !== "learned" || learned).map((name) => SCHEMES[name])}
              value={scheme}
              onChange={(chosen) => set({ scheme: chosen })}
            />
            {scheme === "alibi" && (
              <Choice label="head" options={HEADS} value={head} onChange={(chosen) => set({ head: chosen })} />
            )}
          </div>
          <div class="controls">
            {["first", "second"].map((input, i) => (
              <Slider
                key={input}
                label={asked ? `${names[i]}'s position` : `${names[i]} position`}
                role={asked ? names[i] : `end ${input}`}
                value={state[input]}
                min={0}
                max={n - 1}
                say={String}
                onInput={(place) => set({ [input]: place })}
              />
            ))}
          </div>
          {(scheme === "sinusoidal" || scheme === "rotary") && (
            <Clocks rows={rows} names={names} rounds={wavelengths(d_model)} roles={asked} scheme={scheme} />
          )}
        </div>
        <div>
          <div class="columns">
            <div>
              <Curve {...marks} curve={curve} range={range} others={scheme === "alibi" && first} set={set} />
            </div>
            <div>
              <Facts
                facts={[
                  [what, format(curve[second])],
                  [asked ? "the key stands" : "the second stands", `${apart}${side}`],
                  scheme === "rotary" && [`with the key ${Math.abs(second - first)} ${second < first ? "ahead" : "behind"} instead`, format(at(2 * first - second))],
                  scheme === "alibi" && ["slope of the head", format(SLOPES[head], 4)],
                ]}
              />
              <div class="both" role="group" aria-label="move both positions">
                <button aria-disabled={!inside(-1)} onClick={() => inside(-1) && moved(-1)}>both one back</button>
                <button aria-disabled={!inside(1)} onClick={() => inside(1) && moved(1)}>both one on</button>
              </div>
              <p>{NOTES[scheme]}</p>
            </div>
          </div>
          {rows ? (
            <Rows rows={rows} names={names} marks={marks} d={scheme === "learned" ? learned.d : d_model} scheme={scheme} theme={theme} />
          ) : (
            <Biases distance={second - first} theme={theme} />
          )}
        </div>
      </div>
      <Announcement
        text={`${names[0]} at ${first}, ${names[1]} at ${second}, ${apart}${side}: ${what} ${format(curve[second])}.`}
      />
    </>
  );
}

/** The least and the largest number that any two positions can have, for an axis that stays. */
function reach({ learned, scheme, n_positions: n, d_model }) {
  if (scheme === "alibi") return [biasAt(0, n - 1), 0];
  if (scheme === "learned") return spanned(learned.cosines.slice(0, n).flat());
  const far = Array.from({ length: 2 * n - 1 }, (_, i) => i - n + 1);
  const { at } = MEASURES[scheme]({ n_positions: n, d_model, first: 0, second: 0 });
  return spanned(scheme === "rotary" ? far.map(at) : far.slice(n - 1).map(at));
}

const spanned = (numbers) => [Math.min(0, ...numbers), Math.max(...numbers)];

/** One dial for each pair of features, with the hands of both positions. */
function Clocks({ rows, names, rounds, roles, scheme }) {
  const longest = Math.max(...rows.flatMap((row) => rounds.map((_, i) => Math.hypot(row[2 * i], row[2 * i + 1]))));
  const joint = scheme === "rotary" ? `sum is ${names[0]} · ${names[1]}` : "mean is the cosine";
  return (
    <>
      <p class="note">
        <Key nth={0} role={roles && names[0]} /> {names[0]}, <Key nth={1} role={roles && names[1]} /> {names[1]}. Below
        each clock: its two features, the positions that it needs for one round, and the dot product of its two hands.
        Their {joint}.
      </p>
      <div class="clocks">
        {rounds.map((round, i) => {
          const hands = rows.map((row) => [row[2 * i], row[2 * i + 1]]);
          return (
            <div class="clock" key={i} role="group" aria-label={`clock of features ${2 * i} and ${2 * i + 1}`}>
              <svg viewBox="-26 -26 52 52" aria-hidden="true">
                <circle class="dial" r={25} />
                {hands.map(([x, y], nth) => {
                  const [tipX, tipY] = [(24 * x) / longest, (-24 * y) / longest];
                  return (
                    <g key={nth} class={handClass(nth, roles && names[nth])}>
                      <line x1={0} y1={0} x2={tipX} y2={tipY} />
                      <circle cx={tipX} cy={tipY} r={nth ? 2 : 3} />
                    </g>
                  );
                })}
              </svg>
              <span>{2 * i}, {2 * i + 1}</span>
              <span class="note">round {format(round, round < 100 ? 1 : 0)}</span>
              <span class="product">{format(dot(...hands))}</span>
            </div>
          );
        })}
      </div>
    </>
  );
}

const handClass = (nth, role) => `hand ${["solid", "dashed"][nth]} ${role ? `of-${role}` : ["of-first", "of-second"][nth]}`;

const Key = ({ nth, role }) => (
  <svg class="sample" viewBox="0 0 30 8" aria-hidden="true">
    <g class={handClass(nth, role)}>
      <line x1={1} y1={4} x2={25} y2={4} />
      <circle cx={25} cy={4} r={nth ? 2 : 3} />
    </g>
  </svg>
);

const HEIGHT = 210;
const EDGE = { left: 40, right: 12, top: 44, bottom: 36 }; // above: the names of both ends

/** How the first position goes with each; a press or a drag sets the second. */
function Curve({ curve, range, names, what, first, second, others, set }) {
  const [frame, width] = useWidth(500);
  const drawing = useRef(null);
  const last = Math.max(1, curve.length - 1);
  const [low, high] = range[1] > range[0] ? range : [range[0] - 1, range[1] + 1];
  const x = (p) => EDGE.left + (p / last) * (width - EDGE.left - EDGE.right);
  const y = (value) => EDGE.top + ((high - value) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const path = (values) => values.map((value, p) => `${x(p).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const follow = (event) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = drawing.current.getBoundingClientRect();
    const place = ((event.clientX - box.left) * (width / box.width) - EDGE.left) / (width - EDGE.left - EDGE.right);
    set({ second: Math.max(0, Math.min(curve.length - 1, Math.round(place * last))) });
  };
  const value = curve[second];
  const anchor = (at) => (at > width - 100 ? "end" : at < EDGE.left + 60 ? "start" : "middle");
  return (
    <div ref={frame}>
      <p class="title">{what}: {names[0]} at {first}, {names[1]} anywhere</p>
      <svg
        ref={drawing}
        class="curve"
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`${what} over the positions 0 to ${curve.length - 1}: ${format(value)} at ${second}, from ${format(Math.min(...curve))} to ${format(Math.max(...curve))}. The slider of the ${names[1]} moves the mark.`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          follow(event);
        }}
        onPointerMove={follow}
      >
        {ticks(low, high, 4).map((tick) => (
          <g key={tick} class="grid">
            <line x1={EDGE.left} x2={width - EDGE.right} y1={y(tick)} y2={y(tick)} />
            <text class="soft" x={EDGE.left - 6} y={y(tick) + 4} text-anchor="end">{format(tick, high - low < 3 ? 1 : 0)}</text>
          </g>
        ))}
        {ticks(0, curve.length - 1, width / 60).filter(Number.isInteger).map((tick) => (
          <text key={tick} class="soft" x={x(tick)} y={HEIGHT - EDGE.bottom + 16} text-anchor="middle">{tick}</text>
        ))}
        <text class="soft" x={(EDGE.left + width - EDGE.right) / 2} y={HEIGHT - 4} text-anchor="middle">position of the {names[1]} (press or drag)</text>
        {others !== false && HEADS.map((h) => <polyline key={h} class="other" points={path(curve.map((_, p) => biasAt(h, p - others)))} />)}
        <line class="here" x1={x(first)} x2={x(first)} y1={15} y2={HEIGHT - EDGE.bottom} />
        <line class="there" x1={x(second)} x2={x(second)} y1={32} y2={y(value)} />
        <polyline class="main" points={path(curve)} />
        {curve.length <= 64 && <path class="dots" d={curve.map((v, p) => `M${x(p).toFixed(1)} ${y(v).toFixed(1)}h0`).join("")} />}
        <circle class="mark" cx={x(second)} cy={y(value)} r={6} />
        <text class="halo soft" x={x(first)} y={11} text-anchor={anchor(x(first))}>{names[0]} {first}</text>
        <text class="halo" x={x(second)} y={28} text-anchor={anchor(x(second))}>{names[1]} {second}: {format(value)}</text>
      </svg>
    </div>
  );
}

/** Round numbers from low to high, about n of them. */
function ticks(low, high, n) {
  const rough = (high - low) / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = power * [1, 2, 5, 10].find((by) => by * power >= rough);
  const from = Math.ceil(low / step - 1e-9);
  const to = Math.floor(high / step + 1e-9);
  return Array.from({ length: to - from + 1 }, (_, i) => Number(((from + i) * step).toPrecision(6)));
}

/** The numbers of the two rows. */
function Rows({ rows, names, marks, d, scheme, theme }) {
  const shown = rows[0].length;
  const scale = Math.max(...rows.flat().map(Math.abs), 1e-9);
  const part = shown < d ? ` (the first ${shown} of ${d} features)` : "";
  const turned = scheme === "rotary" ? "The query and the key, turned by their positions" : "The rows of the two positions";
  return (
    <>
      <p class="title">{turned}{part}</p>
      <Matrix
        said={`${turned}${part}: rows are positions, columns are features`}
        values={rows}
        rows={[`${names[0]} at ${marks.first}`, `${names[1]} at ${marks.second}`]}
        columns={rows[0].map((_, f) => String(f))}
        corner="feature →"
        say={scheme === "learned" ? (x) => format(x, 3).replace("0.", ".") : format}
        scale={scale}
        twoSided
        theme={theme}
      />
    </>
  );
}

/** What each head of ALiBi adds at this distance. */
function Biases({ distance, theme }) {
  const biases = HEADS.map((h) => biasAt(h, distance));
  const scale = Math.max(...biases.map(Math.abs), 1e-9);
  return (
    <>
      <p class="title">What each head adds at this distance</p>
      <Matrix
        said="The bias of each head at this distance: one row, columns are heads"
        values={[biases]}
        rows={["bias"]}
        columns={HEADS.map(String)}
        corner="head →"
        scale={scale}
        twoSided
        theme={theme}
      />
    </>
  );
}
