// What `Positions` holds folded: the two places as clocks, and in numbers.

import { dot } from "./arithmetic.js";
import { Matrix, format } from "./parts.jsx";

/** One dial for each pair of features, with the hands of both positions. */
export function Clocks({ rows, names, rounds, roles, scheme }) {
  const longest = Math.max(...rows.flatMap((row) => rounds.map((_, i) => Math.hypot(row[2 * i], row[2 * i + 1]))));
  const joint = scheme === "rotary" ? `sum is ${names[0]} · ${names[1]}` : "mean is the cosine";
  return (
    <>
      <p class="note">
        As clocks, two numbers a hand: <Key nth={0} role={roles && names[0]} /> {names[0]},{" "}
        <Key nth={1} role={roles && names[1]} /> {names[1]}. Bold: the dot product of the hands; their {joint}.
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
              <span class="hands-told"><span>{2 * i}, {2 * i + 1}</span> <span class="product">{format(dot(...hands))}</span></span>
              <span class="note">turns in {format(round, round < 100 ? 1 : 0)}</span>
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

/** The numbers of the two rows, or of all heads at this distance. */
export function Numbers({ rows, biases, names, first, second, d, scheme, theme }) {
  const values = rows ?? [biases];
  const part = rows && rows[0].length < d ? ` (the first ${rows[0].length} of ${d})` : "";
  const said = rows ? `the two places in numbers${part}` : "what each head adds at this distance";
  return (
    <>
      <p class="note">{said[0].toUpperCase() + said.slice(1)}:</p>
      <Matrix
        said={said}
        values={values}
        rows={rows ? [`${names[0]} at ${first}`, `${names[1]} at ${second}`] : ["bias"]}
        columns={values[0].map((_, f) => String(f))}
        corner={rows ? "feature →" : "head →"}
        say={scheme === "learned" ? (x) => format(x, 3) : format}
        scale={Math.max(...values.flat().map(Math.abs), 1e-9)}
        twoSided
        theme={theme}
      />
    </>
  );
}
