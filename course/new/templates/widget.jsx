// A number and its square. OPEN: the view; its arithmetic belongs into arithmetic.js.

import { useWidth } from "./mount.jsx";
import { Announcement, Facts, Slider, format } from "./parts.jsx";

export { default as style } from "./my_name.css";
export const traits = ["x"];

/** What a goal can ask, by the names that it has in Python. OPEN: all that follows from the inputs. */
export const measured = ({ x }) => ({ square: x ** 2 });

const LIMIT = 3;

export function View({ x, set }) {
  const square = x ** 2;
  const said = `${format(x)} squared is ${format(square)}`;
  return (
    <>
      <p class="title headline">{said}</p>
      <div class="controls">
        <Slider label="x" value={x} min={-LIMIT} max={LIMIT} step={0.25} onInput={(moved) => set({ x: moved })} />
      </div>
      <Curve x={x} square={square} said={said} />
      <Facts facts={[["x", format(x)], ["its square", format(square)]]} />
      <Announcement text={said} />
    </>
  );
}

/** The curve of all squares, and a dot where this one is. OPEN: the picture, with what it shows in words. */
function Curve({ x, square, said }) {
  const [element, width] = useWidth(480);
  const [floor, ceiling] = [190, 10];
  const across = (at) => 20 + ((at + LIMIT) / (2 * LIMIT)) * (width - 40);
  const up = (at) => floor - (at / LIMIT ** 2) * (floor - ceiling);
  const places = Array.from({ length: 61 }, (_, k) => (k / 30 - 1) * LIMIT);
  return (
    <div ref={element}>
      <svg class="curve" viewBox={`0 0 ${width} 200`} role="img" aria-label={`The curve of squares, and a dot on it: ${said}`}>
        <polyline points={places.map((at) => `${across(at)},${up(at ** 2)}`).join(" ")} />
        <circle cx={across(x)} cy={up(square)} r={7} />
      </svg>
    </div>
  );
}
