// The two columns of `Positions` beside each other, and how alike they are, number by number.

import { positions } from "../../pictures/shared.json";
import { format } from "./parts.jsx";
import { shade } from "./shades.js";

const { ENDS } = positions;
const HEAD = 24; // the height of the columns' names
const HIGHEST = 9; // of a number

/**
 * The numbers of two places as colours, their products, and the one number that these make; `most`
 * has the full colour. Below the number stands where it lies from the `least` that two places have to 1.
 */
export function Pair({ rows, places, most, value, least, width, d, y, room, narrow, large, asked, colors, theme }) {
  const [left, wide, gap] = narrow ? (large ? [2, 60, 26] : [2, 44, 16]) : [76, 84, 26];
  const n = rows[0].length;
  const high = Math.min(HIGHEST, (room - HEAD) / n);
  const names = asked ? ["query", "key", "product"] : [`place ${places[0]}`, `place ${places[1]}`, "product"];
  const columns = [...rows, rows[0].map((x, k) => x * rows[1][k])];
  const x = (c) => left + c * (wide + gap);
  const aside = x(3) + (narrow ? -2 : 6);
  const top = y + HEAD;
  const line = top + 70;
  const at = (alike) => aside + 8 + ((alike - least) / (1 - least)) * Math.min(300, width - aside - 20);
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
            <path class="minus" d={numbers.map((number, k) => (number < 0 ? `M${x(c) + 10} ${top + (k + 0.5) * high}h8` : "")).join("")} />
          </g>
          {c < 2 && <rect x={x(c) - 1.5} y={top - 1.5} width={wide + 3} height={n * high + 3} />}
        </g>
      ))}
      <text x={aside} y={top + 12}>{n < d ? `all ${d}` : narrow ? "" : "products"} added up{!asked && ", as a cosine"}:</text>
      <text class="large" x={aside} y={top + 44}><tspan class="value">{format(value)}</tspan> {asked ? "query · key" : "alike"}</text>
      {!asked && (
        <g class={`gauge ${colors[1]}`}>
          <path d={`M${at(least)} ${line}H${at(1)}M${at(0)} ${line - 6}v12M${at(1)} ${line - 6}v12`} />
          <circle class={`mark ${colors[1]}`} cx={at(value)} cy={line} r={7} />
          <text class="soft" x={at(0) - 8} y={line + 22}>{ENDS[0]}</text>
          <text class="soft" x={at(1) + 8} y={line + (narrow || large || least < 0 ? 39 : 22)} text-anchor="end">{ENDS[1]}</text>
        </g>
      )}
      {["positive (adds)", "negative (takes away)"].map((words, k) => (
        <g key={words} transform={`translate(0 ${22 * k - 8})`}>
          <rect x={aside} y={top + 124} width={14} height={14} style={{ fill: shade(k ? -0.8 : 0.8, { theme, twoSided: true }).background }} />
          {k > 0 && <path class="minus" d={`M${aside + 3} ${top + 131}h8`} />}
          <text class="soft" x={aside + 20} y={top + 135}>{words}</text>
        </g>
      ))}
    </g>
  );
}
