// How scores become weights.

import { useRef } from "preact/hooks";
import { softmax as shared } from "../../pictures/shared.json";
import { useAfresh, useAfreshRef } from "./afresh.js";
import { naiveExponentials, naiveSoftmax, softmax, entropy } from "./arithmetic.js";
import BARS from "./bars.css";
import MORE from "./more.css";
import { More } from "./more.jsx";
import { calm } from "./motion.js";
import { Announcement, Bar, Facts, ScoreBar, Slider, Toggle, Verdict, answered, asked, format, unhidden } from "./parts.jsx";
import OWN from "./softmax.css";

export const style = OWN + BARS + MORE;
export const traits = ["scores", "names", "temperature", "shift", "naive"];

const { MOST, LARGEST } = shared; // rows that are shown, and of more keys the largest
const REACH = 5; // of a dragged score
const FARTHEST = 800; // shift: exp of it overflows, and of its negative vanishes

const weighed = ({ scores, temperature, shift, naive }) => {
  const shifted = unhidden(scores).map((score) => score + shift);
  return naive ? naiveSoftmax(shifted, temperature) : softmax(shifted, temperature);
};

/** What a goal can ask about. */
export function measured(state) {
  const weights = weighed(state);
  return { weights, entropy: weights.some(Number.isNaN) ? NaN : entropy(weights) };
}

/** What is missing, in the widget's own words. */
export function missing({ name, place, is, least, most, state }) {
  const what = name === "weights" ? `${state.names[place[0]]} gets ${format(is)} of the weight` : `The entropy is ${format(is)}`;
  return `${what}; ${asked(least, most)} is asked.`;
}

export function View(props) {
  const { names, temperature, shift, naive, _goal, set } = props;
  const scores = unhidden(props.scores);
  const hidden = scores.map((score) => score === -Infinity);
  const seen = useAfreshRef([]); // the score that each key had, or will have, when it is not hidden
  seen.current = scores.map((score, i) => (hidden[i] ? (seen.current[i] ?? 0) : score));
  const reach = useAfreshRef(REACH); // grows with what is set, but not under the hand
  reach.current = Math.max(reach.current, ...seen.current.map((score) => Math.ceil(Math.abs(score))));
  const far = reach.current + (Math.abs(shift) <= 2 * REACH ? Math.abs(shift) : 0); // so that what is added is seen
  const hides = useAfreshRef(false); // a widget that has once hidden a key lets the hand hide others
  hides.current ||= hidden.includes(true);
  const [all, setAll] = useAfresh(false);
  const ledger = useRef(null);
  const own = answered(props);
  const weights = own?.weights.map(Number) ?? weighed(props);
  const shifted = scores.map((score) => score + shift);
  const [exponentials, lowered] = exponentialsOf(shifted, temperature, naive);
  const most = Math.max(...exponentials);
  const broken = weights.some(Number.isNaN);
  const sum = total(weights);
  const nothing = !hidden.includes(false) && !broken && sum === 0;
  const { shown, touch } = useShown(scores, _goal, all);
  const others = scores.map((_, i) => i).filter((i) => !shown.includes(i));
  const setScore = (i, score) => {
    const changed = scores.map((old, k) => (k === i ? score : old));
    touch(i, changed);
    set({ scores: changed });
  };
  const said = headline({ names, weights, broken, nothing, shift: own || naive ? 0 : shift });
  const told = names.map((name, i) => `${name} ${format(weights[i])}${hidden[i] ? ", hidden" : ""}`).join(", ");
  const exponential = <>e<sup>{powerOf(temperature, lowered)}</sup></>;
  const wrong = (x) => (naive && !inRange(x) ? "wrong" : "");
  return (
    <>
      <p class="title headline">{said}</p>
      <div
        ref={ledger}
        class={`ledger ${own ? "own" : ""} ${hides.current ? "hides" : ""} ${all ? "all" : ""}`}
      >
        <div class="heads" aria-hidden="true">
          <span />
          {hides.current && <span />}
          <span class="drag"><span class="role-scores">scores</span>: drag them</span>
          {!own && <span class="power">{exponential}</span>}
          <span class="share">{own ? "their weights" : "÷ the sum: weights"}</span>
        </div>
        <div class="rows" {...(all && { tabindex: 0, role: "region", "aria-label": "all keys" })}>
          {shown.map((i) => (
            <div class={hidden[i] ? "row hidden" : "row"} key={i} role="group" aria-label={names[i]}>
              <bdi class="name" title={names[i]}>{names[i]}</bdi>
              {hides.current && (
                <Toggle label="hidden" checked={hidden[i]} onChange={(on) => setScore(i, on ? -Infinity : seen.current[i])} />
              )}
              {hidden[i] ? <span class="crossed" /> : (
                <ScoreBar label={`score of ${names[i]}`} score={scores[i]} far={far} onInput={(score) => setScore(i, score)}>
                  {shift !== 0 && <span class="added" style={between(scores[i] / far, shifted[i] / far)} />}
                </ScoreBar>
              )}
              <span class="score">
                {format(scores[i], 1)}
                {shift !== 0 && !hidden[i] && ` ${shift > 0 ? "+" : "−"} ${Math.abs(shift)}`}
              </span>
              {!own && <Bar kind="power" share={hidden[i] ? 0 : exponentials[i] / most} />}
              {!own && <span class={`exponential ${hidden[i] ? "" : wrong(exponentials[i])}`}>{scientific(exponentials[i])}</span>}
              <Bar share={weights[i]} />
              <span class={Number.isNaN(weights[i]) ? "weight wrong" : "weight"}>{format(weights[i])}</span>
            </div>
          ))}
        </div>
        {others.length > 0 && (
          <div class="row others" role="group" aria-label={`${others.length} other keys`}>
            <span class="name">others</span>
            <span class="rest">{others.length} keys with lower scores</span>
            {!own && <Bar kind="power" share={pick(exponentials, others) / most} />}
            {!own && <span class="exponential">{scientific(pick(exponentials, others))}</span>}
            <Bar share={pick(weights, others)} />
            <span class="together">{format(pick(weights, others))}</span>
          </div>
        )}
        <div class="row sums" role="group" aria-label="sum">
          <span class="name">sum</span>
          {!own && <span class={`exponential ${nothing ? "" : wrong(total(exponentials))}`}>{scientific(total(exponentials))}</span>}
          <span class={nothing || Math.abs(sum - 1) < 1e-6 ? "sum" : "sum wrong"}>{format(sum)}</span>
        </div>
      </div>
      <div class="controls">
        <Slider
          label="temperature: divides every score"
          value={Math.log10(temperature)}
          min={-1.5}
          max={1.5}
          step={0.01}
          say={(log) => format(10 ** log)}
          onInput={(log) => set({ temperature: Number((10 ** log).toPrecision(3)) })}
        />
        {!own && <button type="button" class="go" onClick={() => grow(ledger.current)}>▶ from scores to weights</button>}
      </div>
      {scores.length > MOST && (
        <button type="button" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? `the ${LARGEST} largest` : `all ${scores.length} keys`}
        </button>
      )}
      {naive && !own && !nothing && (broken || sum === 0) && <p class="wrong">{explain(exponentials, hidden)}</p>}
      <Verdict {...props} />
      <More title="add to every score, naive formula, entropy" needed={shift !== 0 || naive}>
        <div class="controls">
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
        <Facts
          facts={[
            ["entropy (0: one takes all)", broken ? "nan" : format(entropy(weights))],
            ["entropy if all were equal", format(Math.log(weights.length))],
          ]}
        />
      </More>
      <Announcement text={`${told}. ${broken && naive && !own ? explain(exponentials, hidden) : `Entropy ${format(entropy(weights))}.`}`} />
    </>
  );
}

/** A share of a whole, from the left. */
/** What was added to a score, from it on; it ends where the lane does. */
function between(share, moved) {
  const [low, high] = [share, moved].map((x) => Math.max(-1, Math.min(1, x))).sort((a, b) => a - b);
  return { left: `${50 + 50 * low}%`, width: `${50 * (high - low)}%` };
}

/** The exponentials as the formula is written or, where these are no easy numbers, of scores less the largest. */
function exponentialsOf(scores, temperature, naive) {
  const written = naiveExponentials(scores, temperature);
  const largest = Math.max(...written);
  const top = Math.max(...scores);
  if (naive || top === -Infinity || (largest < 1e5 && largest > 0.01)) return [written, false];
  return [scores.map((score) => Math.exp((score - top) / temperature)), true];
}

function powerOf(temperature, lowered) {
  const score = lowered ? "score − largest" : "score";
  if (temperature === 1) return score;
  return `${lowered ? `(${score})` : score} / ${format(temperature)}`;
}

const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);
const pick = (numbers, places) => total(places.map((i) => numbers[i]));

/**
 * The keys that are shown: where they are many, those of the largest scores, what a goal asks about
 * and what the hand has touched. While the hand drags, no row comes or goes.
 */
function useShown(scores, goal, all) {
  const kept = useAfreshRef({ scores: null, largest: [], touched: [] });
  const { current } = kept;
  if (current.scores?.join() !== scores.join()) {
    const ranked = scores.map((_, i) => i).sort((a, b) => (scores[b] === scores[a] ? a - b : scores[b] - scores[a]));
    Object.assign(current, { scores, largest: ranked.slice(0, LARGEST) });
  }
  const asked = (goal?.asked ?? []).flatMap(([name, place]) => (name === "weights" ? place : []));
  const few = new Set([...current.largest, ...asked, ...current.touched]);
  const shown = scores.map((_, i) => i).filter((i) => all || scores.length <= MOST || few.has(i));
  const touch = (i, changed) => {
    current.scores = changed;
    if (!current.touched.includes(i)) current.touched = [...current.touched.slice(1 - LARGEST), i];
  };
  return { shown, touch };
}

/** Each score's bar flies to its exponential and grows or shrinks to it, and that to its weight. */
function grow(ledger) {
  if (calm()) return;
  for (const row of ledger.querySelectorAll(".row:not(.hidden)")) {
    const bars = [".grown", ".power i", ".bar:not(.power) i"].map((name) => row.querySelector(name));
    bars.slice(1).forEach((bar, k) => bar && fly(bars[k] ?? bar, bar, 700 * k));
  }
}

function fly(from, to, delay) {
  const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  const scale = b.width / to.offsetWidth || 1; // of a slide
  const [across, down] = [(a.left - b.left) / scale, (a.top - b.top) / scale];
  const size = b.width > 0.5 ? Math.min(50, a.width / b.width) : 1;
  const { backgroundColor } = getComputedStyle(from);
  to.animate(
    [
      { transform: `translate(${across}px, ${down}px) scaleX(${size})`, transformOrigin: "0 0", opacity: 0, backgroundColor },
      { transform: `translate(${across}px, ${down}px) scaleX(${size})`, transformOrigin: "0 0", opacity: 1, backgroundColor, offset: 0.01 },
      { transform: "none", transformOrigin: "0 0" },
    ],
    { duration: 900, delay, easing: "ease-in-out", fill: "backwards" },
  );
}

/** What is seen, in a sentence. */
function headline({ names, weights, broken, nothing, shift }) {
  if (broken) return "The weights are not numbers";
  if (nothing) return "Every key is hidden: all weights are 0";
  const most = Math.max(...weights);
  if (most <= 0) return "All weights are 0";
  if (shift > 0) return `${shift} added to every score: no weight changes, the largest is still ${format(most)}`;
  if (shift < 0) return `${-shift} taken off every score: no weight changes, the largest is still ${format(most)}`;
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
