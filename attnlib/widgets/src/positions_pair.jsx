// The two columns of `Positions` beside each other, and how alike they are, number by number.

import { positions } from "../shared.json";
import { dot } from "./arithmetic.js";
import { format } from "./parts.jsx";
import { shade } from "./shades.js";

const { ENDS, PRODUCTS } = positions;
const HEAD = 24; // the height of the columns' names
const HIGHEST = 20; // of a number
const [READABLE, LEGIBLE] = [11, 17]; // less has no room for digits; on a slide

/**
 * The numbers of two places, their products, and what becomes of these; `most` has the full colour.
 * `nearby` is how alike the second would be a step nearer to the first, and a step farther.
 */
export function Pair({ rows, places, most, value, nearby, d, y, room, width, narrow, asked, colors, theme, large }) {
  const [left, wide, gap] = narrow ? [2, 44, 16] : [76, 84, 26];
  const n = rows[0].length;
  const high = Math.min(HIGHEST, (room - HEAD) / n);
  const names = asked ? ["query", "key", "product"] : [`place ${places[0]}`, `place ${places[1]}`, "product"];
  const columns = [...rows, rows[0].map((x, k) => x * rows[1][k])];
  const x = (c) => left + c * (wide + gap);
  const lengths = rows.map((row) => format(Math.sqrt(dot(row, row)))).join(" × ");
  const whole = n === d; // of a wide table only the first numbers are known
  const told = [
    whole ? `added up: ${format(dot(...rows))}` : PRODUCTS.replace("{}", d),
    asked ? "" : whole ? `÷ lengths ${lengths}` : "÷ both lengths",
  ];
  const others = Object.entries(nearby).flatMap(([where, alike]) => (alike === undefined ? [] : `${narrow ? "" : "a step "}${where}: ${format(alike)}`));
  const aside = x(3) + (narrow ? -2 : 6);
  const top = y + HEAD;
  return (
    <g class="pair">
      {columns.map((numbers, c) => (
        <g key={c} class={c < 2 ? `end ${colors[c]} ${c ? "dashed" : "solid"}` : ""}>
          <text x={x(c) + wide / 2} y={top - 8} text-anchor="middle">{names[c]}</text>
          {c > 0 && <text class="sign" x={x(c) - gap / 2} y={top + (n * high) / 2 + 6} text-anchor="middle">{c === 1 ? "×" : "="}</text>}
          {numbers.map((number, k) => {
            const { background, color } = shade(number / (c < 2 ? most : most * most), { theme, twoSided: true });
            return (
              <g key={k}>
                <rect class="cell" x={x(c)} y={top + k * high} width={wide} height={high} style={{ fill: background }} />
                {high >= (large ? LEGIBLE : READABLE) && <text class="digits" x={x(c) + wide / 2} y={top + (k + 0.5) * high + 4} text-anchor="middle" style={{ fill: color }}>{format(number)}</text>}
              </g>
            );
          })}
          {c < 2 && <rect x={x(c) - 1.5} y={top - 1.5} width={wide + 3} height={n * high + 3} />}
        </g>
      ))}
      {told.map((words, k) => <text key={k} x={aside} y={top + 12 + 18 * k}>{words}</text>)}
      <text class="large" x={aside} y={top + 64}><tspan class="value">{format(value)}</tspan> {asked ? "query · key" : "alike"}</text>
      <text class="large" x={aside} y={top + 90}>{Math.abs(places[1] - places[0])} apart</text>
      {!asked && <text x={aside} y={top + 112}>{others.join(", ")}</text>}
      {!asked && Object.entries(ENDS).map(([end, words]) => <text key={end} class="soft" x={aside} y={top + 150 - 18 * end}>{words}</text>)}
      {[-1, -0.5, 0, 0.5, 1].map((share, k) => (
        <g key={k}>
          <rect class="cell" x={aside + 26 * k} y={top + 162} width={26} height={12} style={{ fill: shade(share, { theme, twoSided: true }).background }} />
          {k % 2 === 0 && <text class="soft" x={aside + 26 * k + 13} y={top + 190} text-anchor="middle">{`${Number((share * most).toPrecision(2))}`.replace("-", "−")}</text>}
        </g>
      ))}
    </g>
  );
}
