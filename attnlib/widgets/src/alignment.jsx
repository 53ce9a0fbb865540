// One sentence reads another: each word of the one scores all words of the other, on its own.

import { useCallback, useId, useMemo } from "preact/hooks";
import { alignment } from "../../pictures/shared.json";
import { useAfreshRef } from "./afresh.js";
import OWN from "./alignment.css";
import { softmax } from "./arithmetic.js";
import BARS from "./bars.css";
import { Announcement, ScoreBar, Sentence, asked, called, format, named, parted, spoken, unhidden } from "./parts.jsx";
import { shade } from "./shades.js";

export const style = OWN + BARS;
export const traits = ["scores", "targets", "sources", "target"];

const { MOST_TOLD, LEAST_TOLD, MANY, REACH, READS, NO_WORD } = alignment;

export const measured = ({ scores }) => ({ weights: unhidden(scores).map((row) => softmax(row)) });

export const missing = ({ place: [i, j], is, least, most, state: { targets, sources } }) => {
  return `${spoken(named(targets, i))} reads ${spoken(named(sources, j))}: ${format(is)}; ${asked(least, most, { share: true })} is asked`;
};

export function View({ scores, targets, sources, target, theme, set }) {
  const group = useId();
  const row = unhidden(scores[target]);
  const reach = useAfreshRef(REACH); // grows with what is set, but not under the hand
  reach.current = Math.max(reach.current, ...row.filter(Number.isFinite).map((score) => Math.ceil(Math.abs(score))));
  const written = useAfreshRef(0); // the last word that has read: rows stay that are once there
  written.current = Math.max(written.current, target);
  const many = Math.max(targets.length, sources.length) > MANY;
  const choose = useCallback((i) => set({ target: i }), [set]);
  const drag = (j, score) => set({ scores: scores.map((old, i) => (i === target ? old.with(j, score) : old)) });
  const said = told({ weights: softmax(row), targets, sources, target });
  return (
    <>
      <p class="story"><Sentence parts={said} /></p>
      <fieldset>
        <legend>Press the word that reads. Drag its scores: softmax turns them into its row of weights.</legend>
        <div class="scroll" tabindex={0} role="region" aria-label="scores of one word, and weights: each row a target word (query), each column a source word (key)">
          <table class={many ? "matrix dense" : "matrix"} style={{ "--columns": sources.length }}>
            <thead>
              <tr class="scores">
                <th scope="row"><span class="role-scores">scores</span> of <bdi title={targets[target]}><b>{targets[target]}</b></bdi></th>
                {row.map((score, j) => (
                  <td key={j}>
                    <span class="number">{score === -Infinity ? "hidden" : format(score, 1)}</span>
                    {score > -Infinity && (
                      <ScoreBar
                        label={`score of ${spoken(named(sources, j)).replaceAll(/[“”]/g, "")}`}
                        far={reach.current}
                        score={score}
                        onInput={(to) => drag(j, to)}
                      />
                    )}
                  </td>
                ))}
              </tr>
              <tr>
                <th scope="col" class="corner">key →<br />query ↓</th>
                {called(sources).map((name, j) => <th scope="col" key={j}><bdi title={name}>{name}</bdi></th>)}
              </tr>
            </thead>
            <tbody>
              {targets.map((name, i) => (
                <Row key={i} {...{ i, name, group, choose, many, theme, sources }} chosen={i === target} scores={i <= written.current ? scores[i] : null} />
              ))}
            </tbody>
          </table>
        </div>
      </fieldset>
      <Announcement text={spoken(said)} />
    </>
  );
}

/** What the word reads, in parts of a sentence: Alignment._told. */
function told({ weights, targets, sources, target }) {
  const largest = sources.map((_, j) => j).sort((j, k) => weights[k] - weights[j]).slice(0, MOST_TOLD);
  const listed = largest.filter((j) => weights[j] >= LEAST_TOLD).map((j) => [", ", ...named(sources, j), `: ${format(weights[j])}`]);
  const who = named(targets, target);
  return listed.length ? parted(READS, { who, words: listed.flat().slice(1) }) : parted(NO_WORD, { who, least: format(LEAST_TOLD) });
}

/** The weights of one target word, below its name, which lets it read; none where it has not yet. */
function Row({ i, name, scores, chosen, group, choose, many, theme, sources }) {
  return useMemo(() => (
    <tr class={chosen ? "marked" : ""}>
      <th scope="row" class="choice">
        <label class={chosen ? "chosen" : ""}>
          <input class="over" type="radio" name={group} checked={chosen} onChange={() => choose(i)} />
          <bdi title={name}>{name}</bdi>
        </label>
      </th>
      {scores ? softmax(unhidden(scores)).map((w, j) => (
        <td key={j} title={many ? `${sources[j]}: ${format(w)}` : undefined} style={shade(w, { theme })}>{many ? <span>{format(w)}</span> : format(w)}</td>
      )) : <td class="ahead" colspan={sources.length}>has not read yet</td>}
    </tr>
  ), [i, name, scores, chosen, group, choose, many, theme, sources]);
}
