// The two columns of `Positions` beside each other, and how alike they are, number by number.

import { positions } from "../shared.json";
import { format } from "./parts.jsx";
import { shade } from "./shades.js";

const { ENDS } = positions;
const HEAD = 24; // the height of the columns' names
const HIGHEST = 9; // of a number

/**
 * The numbers of two places as colours, their products, and the one number that these make; `most`
 * has the full colour. `nearby` is how alike the second would be a step nearer to the first, and a
 * step farther.
 */
export function Pair({ rows, places, most, value, nearby, d, y, room, narrow, asked, colors, theme }) {
  const [left, wide, gap] = narrow ? [2, 44, 16] : [76, 84, 26];
  const n = rows[0].length;
  const high = Math.min(HIGHEST, (room - HEAD) / n);
  const names = asked ? ["query", "key", "product"] : [`place ${places[0]}`, `place ${places[1]}`, "product"];
  const columns = [...rows, rows[0].map((x, k) => x * rows[1][k])];
  const x = (c) => left + c * (wide + gap);
  const others = Object.entries(nearby).flatMap(([where, alike]) => (alike === undefined ? [] : `${narrow ? "" : "a step "}${where}: ${format(alike)}`));
  const aside = x(3) + (narrow ? -2 : 6);
  const top = y + HEAD;
  return (
    <g class="pair">
      {columns.map((numbers, c) => (
        <g key={c} class={c < 2 ? `end ${colors[c]} ${c ? "dashed" : "solid"}` : ""}>
          <text x={x(c) + wide / 2} y={top - 8} text-anchor="middle">{names[c]}</text>
          {c > 0 && <text class="sign" x={x(c) - gap / 2} y={top + (n * high) / 2 + 6} text-anchor="middle">{c === 1 ? "×" : "="}</text>}
          <g>
            {numbers.map((number, k) => (
              <rect key={k} class="cell" x={x(c)} y={top + k * high} width={wide} height={high} style={{ fill: shade(number / (c < 2 ? most : most * most), { theme, twoSided: true }).background }} />
            ))}
          </g>
          {c < 2 && <rect x={x(c) - 1.5} y={top - 1.5} width={wide + 3} height={n * high + 3} />}
        </g>
      ))}
      <text x={aside} y={top + 12}>{n < d && `all ${d} `}added up{!asked && ", ÷ both lengths"}:</text>
      <text class="large" x={aside} y={top + 44}><tspan class="value">{format(value)}</tspan> {asked ? "query · key" : "alike"}</text>
      {!asked && <text x={aside} y={top + 104}>{others.join(", ")}</text>}
      {!asked && Object.entries(ENDS).map(([end, words]) => <text key={end} class="soft" x={aside} y={top + 82 - 18 * end}>{words}</text>)}
      {[-1, -0.5, 0, 0.5, 1].map((share, k) => (
        <g key={k}>
          <rect class="cell" x={aside + 26 * k} y={top + 120} width={26} height={12} style={{ fill: shade(share, { theme, twoSided: true }).background }} />
          {k % 2 === 0 && <text class="soft" x={aside + 26 * k + 13} y={top + 148} text-anchor="middle">{`${Number((share * most).toPrecision(2))}`.replace("-", "−")}</text>}
        </g>
      ))}
    </g>
  );
}
