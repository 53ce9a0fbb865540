// How scores become weights.

import { useRef } from "preact/hooks";
import { naiveExponentials, naiveSoftmax, softmax, entropy } from "./arithmetic.js";
import { Announcement, Facts, Slider, Toggle, Verdict, answered, format, unhidden } from "./parts.jsx";

export { default as style } from "./softmax.css";
export const traits = ["scores", "names", "temperature", "shift", "naive"];

export const measured = ({ scores, temperature, shift, naive }) => {
  const shifted = unhidden(scores).map((score) => score + shift);
  const weights = naive ? naiveSoftmax(shifted, temperature) : softmax(shifted, temperature);
  return { weights, entropy: entropy(weights) };
};

const REACH = 10; // of a dragged score
const FARTHEST = 800; // shift: exp of it overflows, and of its negative vanishes

export function View(props) {
  const { names, temperature, shift, naive, set } = props;
  const scores = unhidden(props.scores);
  const hidden = scores.map((score) => score === -Infinity);
  const seen = useRef([]); // the score that each key had, or will have, when it is not hidden
  seen.current = scores.map((score, i) => (hidden[i] ? (seen.current[i] ?? 0) : score));
  const reach = useRef([-REACH, REACH]); // grows with what is set, but not under the hand
  reach.current = [
    Math.min(reach.current[0], Math.floor(Math.min(...seen.current))),
    Math.max(reach.current[1], Math.ceil(Math.max(...seen.current))),
  ];
  const hides = useRef(false); // a widget that has once hidden a key lets the hand hide others
  hides.current ||= hidden.includes(true);
  const shifted = scores.map((score) => score + shift);
  const own = answered(props);
  const weights = own?.weights.map(Number)
    ?? (naive ? naiveSoftmax(shifted, temperature) : softmax(shifted, temperature));
  const exponentials = naiveExponentials(shifted, temperature);
  const broken = weights.some(Number.isNaN);
  const sum = weights.reduce((total, w) => total + w, 0);
  const nothing = !hidden.includes(false) && !broken && sum === 0;
  const setScore = (i, score) => set({ scores: scores.map((old, k) => (k === i ? score : old)) });
  const exponential = temperature === 1 ? "exp(score)" : "exp(score / temperature)";
  const said = headline({ names, weights, broken, nothing });
  const told = names.map((name, i) => `${name} ${format(weights[i])}${hidden[i] ? ", hidden" : ""}`).join(", ");
  return (
    <>
      <p class="title headline">{said}</p>
      <div class="controls">
        <Slider
          label="temperature"
          value={Math.log10(temperature)}
          min={-1.5}
          max={1.5}
          step={0.01}
          say={(log) => format(10 ** log)}
          onInput={(log) => set({ temperature: Number((10 ** log).toPrecision(3)) })}
        />
        <Slider
          label="add to every score"
          value={shift}
          min={-FARTHEST}
          max={FARTHEST}
          step={5}
          say={(x) => format(x, 0)}
          onInput={(x) => set({ shift: x })}
        />
        <Toggle
          label="naive formula: exp(score) ÷ the sum of all"
          checked={naive}
          onChange={(on) => set({ naive: on })}
        />
      </div>
      <div class={`ledger ${naive ? "naive" : ""} ${hides.current ? "hides" : ""}`}>
        <div class="heads" aria-hidden="true">
          <span />
          {hides.current && <span />}
          <span class="drag"><span class="role-scores">scores</span>: drag them</span>
          <span />
          {naive && <span>{exponential}</span>}
          <span class="share">their weights</span>
        </div>
        {names.map((name, i) => (
          <div class={hidden[i] ? "row hidden" : "row"} key={i} role="group" aria-label={name}>
            <bdi class="name" title={name}>{name}</bdi>
            {hides.current && (
              <Toggle
                label="hidden"
                checked={hidden[i]}
                onChange={(on) => setScore(i, on ? -Infinity : seen.current[i])}
              />
            )}
            {hidden[i] ? <span class="crossed" /> : (
              <input
                type="range"
                min={reach.current[0]}
                max={reach.current[1]}
                step={0.1}
                value={scores[i]}
                aria-label={`score of ${name}`}
                aria-valuetext={format(scores[i], 1)}
                onInput={(event) => setScore(i, event.currentTarget.valueAsNumber)}
              />
            )}
            <span class="score">
              {format(scores[i], 1)}
              {shift !== 0 && !hidden[i] && ` ${shift > 0 ? "+" : "−"} ${Math.abs(shift)}`}
            </span>
            {naive && (
              <span class={inRange(exponentials[i]) || hidden[i] ? "exponential" : "exponential wrong"} title={exponential}>
                {scientific(exponentials[i])}
              </span>
            )}
            <span class="bar">
              <span style={{ width: `${100 * Math.max(0, Math.min(1, weights[i] || 0))}%` }} />
            </span>
            <span class={Number.isNaN(weights[i]) ? "weight wrong" : "weight"}>{format(weights[i])}</span>
          </div>
        ))}
      </div>
      <Facts
        facts={[
          ["sum of the weights", format(sum), nothing || Math.abs(sum - 1) < 1e-6 ? "" : "wrong"],
          ["entropy (0: one takes all)", broken ? "nan" : format(entropy(weights))],
          ["entropy if all were equal", format(Math.log(weights.length))],
        ]}
      />
      {naive && !own && !nothing && (broken || sum === 0) && <p class="wrong">{explain(exponentials, hidden)}</p>}
      <Verdict {...props} />
      <Announcement text={`${told}. ${broken && naive && !own ? explain(exponentials, hidden) : `Entropy ${format(entropy(weights))}.`}`} />
    </>
  );
}

/** What is seen, in a sentence. */
function headline({ names, weights, broken, nothing }) {
  if (broken) return "The weights are not numbers";
  if (nothing) return "Every key is hidden: all weights are 0";
  const most = Math.max(...weights);
  if (most <= 0) return "All weights are 0";
  const first = weights.indexOf(most);
  const tied = weights.filter((w) => most - w < 1e-9).length;
  if (tied === weights.length && tied > 1) return `Equal scores: ${tied} equal weights of ${format(most)}`;
  return `${names[first]}${tied > 1 ? ` and ${tied - 1} more get` : " gets"} the largest weight, ${format(most)}`;
}

const inRange = (x) => Number.isFinite(x) && x !== 0;

const scientific = (x) =>
  inRange(x) && (x >= 1e5 || x < 0.01) ? x.toExponential(1).replace("-", "−") : format(x);

function explain(exponentials, hidden) {
  if (!hidden.includes(false)) return "Every score is −inf, so every exponential and their sum is 0, and 0 / 0 is not a number.";
  if (exponentials.every(Number.isFinite) && exponentials.some((x) => x > 0)) {
    return "The sum of the exponentials is beyond the largest float: it is inf, and each weight is 0.";
  }
  return exponentials.some((x) => x === Infinity)
    ? "An exponential is beyond the largest float, about 1.8e308: it is inf, and inf / inf is not a number."
    : "Every exponential is below the smallest float: the sum is 0, and 0 / 0 is not a number.";
}
