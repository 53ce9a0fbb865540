// How scores become weights.

import { useRef } from "preact/hooks";
import { naiveExponentials, naiveSoftmax, softmax, entropy } from "./arithmetic.js";
import { Announcement, Facts, Slider, Toggle, Verdict, answered, format } from "./parts.jsx";

export { default as style } from "./softmax.css";
export const traits = ["scores", "names", "temperature", "shift", "naive"];

const REACH = 10; // of a dragged score
const FARTHEST = 800; // shift: exp of it overflows, and of its negative vanishes

export function View(props) {
  const { scores, names, temperature, shift, naive, set } = props;
  const reach = useRef([-REACH, REACH]); // grows with what is set, but not under the hand
  reach.current = [
    Math.min(reach.current[0], Math.floor(Math.min(...scores))),
    Math.max(reach.current[1], Math.ceil(Math.max(...scores))),
  ];
  const shifted = scores.map((score) => score + shift);
  const own = answered(props);
  const weights = own?.weights.map(Number)
    ?? (naive ? naiveSoftmax(shifted, temperature) : softmax(shifted, temperature));
  const exponentials = naiveExponentials(shifted, temperature);
  const broken = weights.some(Number.isNaN);
  const sum = weights.reduce((total, w) => total + w, 0);
  const setScore = (i, score) => set({ scores: scores.map((old, k) => (k === i ? score : old)) });
  const exponential = temperature === 1 ? "exp(score)" : "exp(score / temperature)";
  const told = names.map((name, i) => `${name} ${format(weights[i])}`).join(", ");
  return (
    <>
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
          label="naive formula (no shift by the maximum)"
          checked={naive}
          onChange={(on) => set({ naive: on })}
        />
      </div>
      <div class={naive ? "ledger naive" : "ledger"}>
        <div class="heads" aria-hidden="true">
          <span />
          <span><span class="role-scores">score</span></span>
          <span />
          {naive && <span>{exponential}</span>}
          <span>weight</span>
        </div>
        {names.map((name, i) => (
          <div class="row" key={i} role="group" aria-label={name}>
            <bdi class="name" title={name}>{name}</bdi>
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
            <span class="score">
              {format(scores[i], 1)}
              {shift !== 0 && ` ${shift > 0 ? "+" : "−"} ${Math.abs(shift)}`}
            </span>
            {naive && (
              <span class={inRange(exponentials[i]) ? "exponential" : "exponential wrong"} title={exponential}>
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
          ["sum of the weights", format(sum), Math.abs(sum - 1) < 1e-6 ? "" : "wrong"],
          ["entropy (nats)", broken ? "nan" : format(entropy(weights))],
          ["largest possible entropy", format(Math.log(weights.length))],
        ]}
      />
      {naive && !own && (broken || sum === 0) && <p class="wrong">{explain(exponentials)}</p>}
      <Verdict {...props} />
      <Announcement text={`${told}. ${broken && naive && !own ? explain(exponentials) : `Entropy ${format(entropy(weights))}.`}`} />
    </>
  );
}

const inRange = (x) => Number.isFinite(x) && x !== 0;

const scientific = (x) =>
  inRange(x) && (x >= 1e5 || x < 0.01) ? x.toExponential(1).replace("-", "−") : format(x);

function explain(exponentials) {
  if (exponentials.every(Number.isFinite) && exponentials.some((x) => x > 0)) {
    return "The sum of the exponentials is beyond the largest float: it is inf, and each weight is 0.";
  }
  return exponentials.some((x) => x === Infinity)
    ? "An exponential is beyond the largest float, about 1.8e308: it is inf, and inf / inf is not a number."
    : "Every exponential is below the smallest float: the sum is 0, and 0 / 0 is not a number.";
}
