// One word asks, and five steps lead to what it takes home.

import {
  attentionScores,
  dot,
  entropy,
  mix,
  naiveExponentials,
  rowChanges,
  softmax,
} from "./arithmetic.js";
import { Announcement, Choice, Facts, Matrix, Verdict, WordChoice, answered, format, shade } from "./parts.jsx";

export { default as style } from "./self_attention.css";
export const traits = ["query", "key", "value", "words", "x", "word", "step"];

const STEPS = ["project", "score", "scale", "softmax", "mix"];
const WIDE = 8; // longer vectors are strips of colours, with their numbers in a table below

export function View(props) {
  const { query, key, value, words, word, step, set } = props;
  const names = words.map((name, i) => {
    const once = name.trim() && words.indexOf(name) === words.lastIndexOf(name);
    return once ? name : `${name} (${i})`.trim();
  });
  const scores = attentionScores([query[word]], key)[0];
  const weights = softmax(scores);
  const answer = answered(props);
  const own = answer && {
    weights: answer.weights?.map((row) => row.map(Number)),
    output: answer.output.map((row) => row.map(Number)),
  };
  const shown = {
    ...props,
    own,
    names,
    who: names[word],
    sums: key.map((k) => dot(query[word], k)),
    scores,
    weights,
    output: mix([weights], value)[0],
  };
  const Step = { project: Project, score: Score, scale: Scale, softmax: Weigh, mix: Mix }[step];
  const at = STEPS.indexOf(step);
  const go = (to) => STEPS[to] && set({ step: STEPS[to] });
  return (
    <>
      <WordChoice label="the word that asks" words={names} value={word} onChange={(i) => set({ word: i })} />
      <div class="steps">
        <Choice
          label="step"
          options={STEPS}
          names={STEPS.map((name, i) => `${i + 1} ${name}`)}
          value={step}
          onChange={(name) => set({ step: name })}
        />
        <button type="button" aria-disabled={at === 0} onClick={() => go(at - 1)}>Back</button>
        <button type="button" aria-disabled={at === STEPS.length - 1} onClick={() => go(at + 1)}>Next</button>
      </div>
      <Step {...shown} />
      <Verdict {...props} />
      <Announcement text={announced(shown)} />
    </>
  );
}

// The five steps

function Project({ query, key, value, x, word, names, who, theme }) {
  const keyScale = largest([query, key]);
  const valueScale = largest([value]);
  const wide = key[0].length > WIDE || value[0].length > WIDE;
  return (
    <>
      <p>
        <bdi>{who}</bdi> asks with its <b>query</b>. Every word, <bdi>{who}</bdi> too, is matched by its <b>key</b> and
        hands over its <b>value</b>.
      </p>
      <Ledger
        said={`${x ? "x and query" : "query"} of ${who}`}
        names={[who]}
        columns={[
          x && { head: `x (${x[0].length} features)`, cell: () => <Strip numbers={x[word]} scale={largest([x])} theme={theme} numbered /> },
          { head: `query (${query[0].length})`, role: "query", cell: () => <Strip numbers={query[word]} scale={keyScale} role="query" theme={theme} /> },
        ]}
        wide={query[0].length > WIDE}
      />
      <Ledger
        said="keys and values of all words"
        names={names}
        marked={word}
        columns={[
          { head: `key (${key[0].length})`, role: "key", cell: (j) => <Strip numbers={key[j]} scale={keyScale} role="key" theme={theme} /> },
          { head: `value (${value[0].length})`, role: "value", cell: (j) => <Strip numbers={value[j]} scale={valueScale} role="value" theme={theme} /> },
        ]}
        wide={wide}
      />
      {key[0].length > WIDE && (
        <Numbers
          said={`the numbers of the query of ${who} and of all keys`}
          rows={[`query: ${who}`, ...names.map((name) => `key: ${name}`)]}
          values={[query[word], ...key]}
          theme={theme}
        />
      )}
      {value[0].length > WIDE && (
        <Numbers said="the numbers of all values" rows={names.map((name) => `value: ${name}`)} values={value} theme={theme} />
      )}
    </>
  );
}

function Score({ query, key, word, names, who, sums, theme }) {
  const q = query[word];
  const products = key.map((k) => k.map((x, f) => x * q[f]));
  const scale = largest([query, key]);
  const productScale = largest([products]);
  const wide = q.length > WIDE;
  return (
    <>
      <p>
        The query of <bdi>{who}</bdi> times each key, feature by feature; the products are added up. This is the dot
        product <b>query · key</b>.
      </p>
      <Ledger
        said={`query of ${who} times every key`}
        first={["query", <Strip numbers={q} scale={scale} role="query" theme={theme} />]}
        names={names}
        marked={word}
        columns={[
          { head: "key", role: "key", cell: (j) => <Strip numbers={key[j]} scale={scale} role="key" theme={theme} /> },
          { head: "query × key", cell: (j) => <Strip numbers={products[j]} scale={productScale} theme={theme} /> },
          { head: "sum", digits: true, cell: (j) => <b>{format(sums[j])}</b> },
        ]}
        wide={wide}
      />
      {wide && (
        <Numbers
          said={`the numbers of the query of ${who}, the keys and their products`}
          rows={[`query: ${who}`, ...names.flatMap((name) => [`key: ${name}`, "query × key"])]}
          values={[q, ...key.flatMap((k, j) => [k, products[j]])]}
          extra={{ name: "sum", values: [null, ...sums.flatMap((sum) => [null, sum])], say: (sum) => (sum === null ? "" : format(sum)) }}
          theme={theme}
        />
      )}
    </>
  );
}

function Scale({ key, word, names, who, sums, scores }) {
  const d = key[0].length;
  const reach = largest([[sums]]);
  return (
    <>
      <p>
        Each sum is divided by the square root of d_key: √{d} = {format(Math.sqrt(d), 3)}. The frame is the sum, the
        filled bar the score.
      </p>
      <Ledger
        said={`scores of ${who}`}
        names={names}
        marked={word}
        columns={[
          { head: "query · key", digits: true, cell: (j) => format(sums[j]) },
          { head: `÷ ${format(Math.sqrt(d), 3)}`, cell: (j) => <Bar role="scores" value={scores[j]} before={sums[j]} reach={reach} signed={sums.some((x) => x < 0)} /> },
          { head: "score", role: "scores", digits: true, cell: (j) => <b>{format(scores[j])}</b> },
        ]}
      />
      <Facts facts={[["d_key", d], ["square root of d_key", format(Math.sqrt(d), 3)]]} />
    </>
  );
}

function Weigh({ word, names, who, scores, weights, own }) {
  const top = Math.max(...scores);
  const exponentials = naiveExponentials(scores.map((score) => score - top));
  const sum = exponentials.reduce((total, x) => total + x, 0);
  const yours = own?.weights?.[word];
  const yourSum = yours?.reduce((total, w) => total + w, 0);
  const right = Math.abs(yourSum - 1) < 1e-6;
  const drawn = yours ?? weights;
  return (
    <>
      <p>
        exp(score − the largest score), divided by the sum of all of them, {format(sum)}: how much <bdi>{who}</bdi> looks
        at each word.
      </p>
      <Ledger
        said={`weights of ${who}`}
        names={names}
        marked={word}
        columns={[
          { head: "score", role: "scores", digits: true, cell: (j) => format(scores[j]) },
          { head: "exp(score − largest)", digits: true, cell: (j) => format(exponentials[j]) },
          { head: yours ? "your weight as a bar" : "weight as a bar", cell: (j) => <Bar value={drawn[j]} reach={Math.max(1, largest([[drawn]]))} signed={drawn.some((w) => w < 0)} /> },
          { head: "weight", digits: true, cell: (j) => <b>{format(weights[j])}</b> },
          yours && { head: "yours", digits: true, cell: (j) => <b>{format(yours[j])}</b> },
        ]}
      />
      <Facts
        facts={[
          ["largest score", format(top)],
          ["sum of exp", format(sum)],
          ["sum of the weights", format(weights.reduce((total, w) => total + w, 0))],
          ["entropy (nats)", format(entropy(weights))],
          yours && ["sum of your weights", right ? "1.00" : `${format(yourSum)}, not 1`, right ? "" : "wrong"],
          yours && ["yours differ at most by", differs([yours], [weights])],
        ]}
      />
    </>
  );
}

function Mix({ value, word, names, who, weights, output, own, theme }) {
  const used = own?.weights?.[word] ?? weights;
  const parts = value.map((v, j) => v.map((x) => used[j] * x));
  const scale = largest([value]);
  const wide = value[0].length > WIDE;
  const results = own ? [["your output", own.output[word]], ["attnlib's output", output]] : [["output", output]];
  const strip = (numbers, role) => <Strip numbers={numbers} scale={scale} role={role} theme={theme} />;
  return (
    <>
      <p>
        Each value times its {own?.weights ? "weight, by your function" : "weight"}; the sum of these rows is the{" "}
        <b>output</b>, what <bdi>{who}</bdi> takes home.
      </p>
      <Ledger
        said={`values mixed for ${who}`}
        names={names}
        marked={word}
        columns={[
          { head: "weight", digits: true, cell: (j) => format(used[j]) },
          { head: "value", role: "value", cell: (j) => strip(value[j], "value") },
          { head: "weight × value", cell: (j) => strip(parts[j]) },
        ]}
        last={results.map(([name, numbers]) => [name, strip(numbers, "output")])}
        wide={wide}
      />
      {own && <Facts facts={[["yours differs at most by", differs([own.output[word]], [output])]]} />}
      {wide && (
        <Numbers
          said={`the numbers of weight × value and of the output of ${who}`}
          rows={[...names.map((name, j) => `${format(used[j])} × ${name}`), ...results.map(([name]) => name)]}
          values={[...parts, ...results.map(([, numbers]) => numbers)]}
          theme={theme}
        />
      )}
    </>
  );
}

// What they are drawn with

/** A table of one row for each word. `first` stands above the column of keys, `last` below the last. */
function Ledger({ said, names, columns, marked = null, first = null, last = [], wide = false }) {
  const shown = columns.filter(Boolean);
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={said}>
      <table class={wide ? "ledger wide" : "ledger"}>
        <thead>
          <tr>
            <th scope="col">word</th>
            {shown.map(({ head, role, digits }, c) => (
              <th scope="col" key={c} class={digits ? "digits" : ""}>
                <span class={role && `role-${role}`}>{head}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first && (
            <tr>
              <th scope="row">{first[0]}</th>
              <td>{first[1]}</td>
              <td colSpan={shown.length - 1} />
            </tr>
          )}
          {names.map((name, j) => (
            <tr key={j} class={j === marked ? "marked" : ""}>
              <th scope="row"><bdi title={name}>{name}</bdi></th>
              {shown.map(({ cell, digits }, c) => <td key={c} class={digits ? "digits" : ""}>{cell(j)}</td>)}
            </tr>
          ))}
          {last.map(([name, strip]) => (
            <tr key={name} class="sum">
              <th scope="row">{name}</th>
              <td colSpan={shown.length - 1} />
              <td>{strip}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A vector: its numbers in coloured cells, or where it is wide the colours alone. */
function Strip({ numbers, scale, role, theme, numbered = false }) {
  const wide = numbers.length > WIDE && !numbered;
  const said = wide
    ? `${numbers.length} numbers from ${format(Math.min(...numbers))} to ${format(Math.max(...numbers))}`
    : undefined;
  return (
    <span class={`strip ${wide ? "wide" : ""} ${role ? `role-${role}` : ""}`} role={wide ? "img" : undefined} aria-label={said}>
      {numbers.map((x, f) => (
        <span key={f} style={shade(x / scale, { theme, twoSided: true })}>{wide ? "" : `${format(x)} `}</span>
      ))}
    </span>
  );
}

const Numbers = ({ values, ...rest }) => (
  <Matrix {...rest} values={values} columns={values[0].map((_, f) => `${f}`)} corner="feature" scale={largest([values])} twoSided />
);

/** A number as a bar from zero, which is in the middle where some are `signed`; `before` is a frame. */
function Bar({ value, before = 0, reach, signed = false, role = "" }) {
  const place = (x) => {
    const share = Math.max(-1, Math.min(1, x / reach || 0)) * (signed ? 50 : 100);
    const zero = signed ? 50 : 0;
    return { left: `${zero + Math.min(0, share)}%`, width: `${Math.abs(share)}%` };
  };
  return (
    <span class={`bar ${role}`}>
      {before !== 0 && <span class="before" style={place(before)} />}
      <span style={place(value)} />
      {signed && <i style={{ left: "50%" }} />}
    </span>
  );
}

/** The largest size among the numbers of some matrices; 1 where all are zero. */
const largest = (matrices) => Math.max(...matrices.flat(2).map(Math.abs)) || 1;

const differs = (yours, ours) => format(rowChanges(yours, ours)[0], 6);

function announced({ step, who, word, names, query, sums, scores, weights, output, own }) {
  const told = (numbers) => names.map((name, j) => `${name} ${format(numbers[j])}`).join(", ");
  const listed = (v) => (v.length > WIDE ? `${v.length} numbers` : v.map((x) => format(x)).join(", "));
  return {
    project: `Query of ${who}: ${listed(query[word])}.`,
    score: `Query of ${who} times key: ${told(sums)}.`,
    scale: `Scores of ${who}: ${told(scores)}.`,
    softmax: `Weights of ${who}: ${told(own?.weights?.[word] ?? weights)}.`,
    mix: `Output of ${who}: ${listed(own?.output[word] ?? output)}.`,
  }[step];
}
