// Where every head looks from one word, and how two heads differ.

import { useState } from "preact/hooks";
import { difference, entropy, mean, rowSums } from "./arithmetic.js";
import { Announcement, Choice, Facts, Matrix, WordChoice, format } from "./parts.jsx";

export { default as style } from "./heads.css";
export const traits = ["weights", "words", "head", "other", "word"];

// Without the zero before the point, so that two tables of a sentence stand side by side.
const short = (x) => format(x).replace("0.", ".");

export function View({ weights, words, head, other, word, theme, set }) {
  const [hovered, setHovered] = useState(null);
  const shown = words[hovered] === undefined ? word : hovered; // a new sentence may be shorter
  const leave = () => setHovered(null);
  const ofWord = weights.map((rows) => rows[shown]);
  const less = difference(weights[head], weights[other]);
  const elsewhere = rowSums(less.map((row) => row.map(Math.abs))).map((sum) => sum / 2);
  const numbers = weights.map((_, h) => h);
  const tables = { theme, say: short, row: shown, rows: words, columns: words, onRow: setHovered, corner: "query ↓ key\u00a0→" };
  return (
    <div class="heads halves">
      <div>
        <div onPointerLeave={leave}>
          <WordChoice
            label="word that asks (query)"
            words={words}
            value={word}
            onChange={(i) => {
              leave(); // a pointer that rests on a word must not hide what the keys choose
              set({ word: i });
            }}
            onHover={setHovered}
          />
        </div>
        <p class="title">Weights of <bdi>{words[shown]}</bdi> in every head</p>
        <Matrix
          said={`weights of ${words[shown]}: rows are heads, columns are keys`}
          corner={"head ↓ key\u00a0→"}
          values={ofWord}
          rows={numbers.map((h) => `head ${h}`)}
          columns={words}
          row={head}
          theme={theme}
          say={short}
          extra={[
            { name: "looks most at", values: ofWord, say: (row) => <Most row={row} words={words} /> },
            { name: "entropy", values: ofWord, say: (row) => format(entropy(row)) },
          ]}
        />
      </div>
      <div>
        <div class="pickers">
          <Choice label="head shown in full" options={numbers} value={head} onChange={(h) => set({ head: h })} />
          <Choice label="minus head" options={numbers} value={other} onChange={(h) => set({ other: h })} />
        </div>
        <div class="pair" onPointerLeave={leave}>
          <div>
            <p class="title">Head {head}, all words</p>
            <Matrix said={`weights of head ${head}: rows are queries, columns are keys`} values={weights[head]} {...tables} />
          </div>
          <div>
            <p class="title">Head {head} minus head {other}</p>
            <Matrix said={`head ${head} minus head ${other}: rows are queries, columns are keys`} values={less} twoSided {...tables} />
          </div>
        </div>
        <Facts
          facts={[
            [<>elsewhere, for <bdi>{words[shown]}</bdi></>, format(elsewhere[shown])],
            ["elsewhere, mean of words", format(mean(elsewhere))],
          ]}
        />
        <p class="note">
          Elsewhere: the share of weight that head {head} places on other words than head {other} does. It is half the sum of the
          differences of a row, without their signs.
        </p>
      </div>
      <Announcement text={summary({ ofWord, words, shown, head, other, apart: elsewhere[shown] })} />
    </div>
  );
}

const largest = (row) => Math.max(...row);

const most = (row, words) =>
  largest(row) > 0 ? `${words[row.indexOf(largest(row))]} ${format(largest(row))}` : "nothing";

function Most({ row, words }) {
  if (largest(row) === 0) return "nothing";
  return <><bdi>{words[row.indexOf(largest(row))]}</bdi> {short(largest(row))}</>;
}

function summary({ ofWord, words, shown, head, other, apart }) {
  const looks = [head, other].map((h) => `head ${h} looks most at ${most(ofWord[h], words)}`).join(", ");
  return `From ${words[shown]}, ${looks}; ${format(apart)} of the weight lies elsewhere.`;
}
