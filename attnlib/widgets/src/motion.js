// Motion where a number becomes another, and none for those who ask for none.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

const LONG = 450; // milliseconds

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Numbers on their way to these, all at once: what to draw now. The array is another one where they are. */
export function useSliding(numbers) {
  const drawn = useRef(numbers);
  const [, draw] = useState(0);
  if (calm() || drawn.current.length !== numbers.length) drawn.current = numbers;
  useLayoutEffect(() => {
    const from = drawn.current; // a hand that moves on turns them where they are
    if (from === numbers) return undefined;
    let [frame, begun] = [0, null];
    const step = (now) => {
      begun ??= now;
      const t = Math.min(1, (now - begun) / LONG);
      const share = t * t * (3 - 2 * t);
      drawn.current = t < 1 ? from.map((x, i) => x + share * (numbers[i] - x)) : numbers;
      draw(now);
      if (t < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [numbers]);
  return drawn.current;
}
