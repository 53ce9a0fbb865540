// Motion where a number becomes another, and none for those who ask for none.

import { useLayoutEffect, useRef } from "preact/hooks";

const LONG = 450; // milliseconds

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Numbers on their way to these, all at once. `draw` writes where they are into the page, frame by
 * frame, past Preact: nothing but them changes. It is told whether they are there.
 */
export function useSliding(numbers, draw) {
  const drawn = useRef(numbers);
  const latest = useRef(null);
  latest.current = draw;
  useLayoutEffect(() => {
    if (calm() || drawn.current.length !== numbers.length) drawn.current = numbers;
    const from = drawn.current; // a hand that moves on turns them where they are
    if (from === numbers) return undefined;
    let [frame, begun] = [0, null];
    const step = (now) => {
      begun ??= now;
      const t = Math.min(1, (now - begun) / LONG);
      const share = t * t * (3 - 2 * t);
      drawn.current = t < 1 ? from.map((x, i) => x + share * (numbers[i] - x)) : numbers;
      if (t > 0) latest.current(drawn.current);
      if (t < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [numbers]);
  useLayoutEffect(() => draw(drawn.current)); // in a picture that is drawn anew
}
