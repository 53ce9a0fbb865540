// Vectors as bars up and down from a line, which a hand drags, types, and steps by keys.

import { useLayoutEffect, useRef } from "preact/hooks";
import { NumberField, format } from "./parts.jsx";

const DEAD = 3; // pixels: a press that moves less chooses a bar, and leaves it as it is
const LEAST_REACH = 20; // pixels of the hand's way that the largest number is worth, at least
export const FAR = 5; // times the largest number: as far as a bar goes by keys and by dragging

export const between = (least, x, most) => Math.max(least, Math.min(most, x));

/** The largest size among the finite numbers of some matrices; 1 where all are zero. */
export const largest = (matrices) =>
  matrices.flat(2).reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0) || 1;

export const pixels = (sizes) =>
  Object.entries(sizes).map(([name, size]) => `${name}:${size}px`).join(";");

/** How high a bar of the largest number is, in a box of this height. */
export const tallest = (height) => height / 2 - (height > 20 ? 3 : 1);

/** Where the bars of d numbers stand in a box: how wide each is, and how far from the box's edge. */
export function columns(d, width, most = 16) {
  const cell = (width - 8) / d;
  const wide = Math.min(most, 0.72 * cell);
  return { cell, wide, left: (f) => 4 + (f + 0.5) * cell - wide / 2 };
}

/** A bar from one height to another, in pixels above the middle line. */
export const bar = (x, middle, from, to, wide) =>
  `M${x.toFixed(1)} ${(middle - from).toFixed(1)}v${(from - to).toFixed(1)}h${wide.toFixed(1)}v${(to - from).toFixed(1)}z`;

/** A vector as bars; `scale` is what the longest of all stands for. */
export function bars(numbers, left, middle, width, height, scale) {
  const { wide, left: at } = columns(numbers.length, width);
  const line = `M${left + 4} ${middle.toFixed(1)}h${width - 8}v.6h${8 - width}z`;
  return numbers.reduce((path, x, f) => {
    const share = between(-1, x / scale, 1) || 0;
    return path + bar(left + at(f), middle, 0, tallest(height) * share, wide);
  }, line);
}

/** The end of each bar that a hand takes: of a zero, too. */
export function grips(numbers, left, middle, width, height, scale) {
  const { wide, left: at } = columns(numbers.length, width);
  if (wide < 4) return "";
  return numbers.map((x, f) => `M${(left + at(f) - 1).toFixed(1)} ${(middle - tallest(height) * between(-1, x / scale, 1)).toFixed(1)}h${(wide + 2).toFixed(1)}`).join("");
}

/** Frames where bars stood before the hand moved them. */
export function frames(numbers, before, left, middle, width, height, scale) {
  const { wide, left: at } = columns(numbers.length, width);
  return numbers
    .map((x, f) => (x === before[f] ? "" : bar(left + at(f), middle, 0, tallest(height) * between(-1, before[f] / scale, 1), wide)))
    .join("");
}

/** By how much a key moves a number of such a size: a power of ten, a twentieth of it or less. */
export const stepOf = (scale) => 10 ** Math.floor(Math.log10(scale / 10) + 1e-9);

const BY = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity }; // a clicker has the page keys
const exact = (x) => Number(x.toPrecision(6)); // as Python keeps it

/** A vector in the picture, to be dragged. The one that the keys move has a slider for each number. */
export function Vector({ role, row, name, features, numbers, scale, reach, step, place, keyed, onMove, onChoose, onHold, onType }) {
  const element = useRef(null);
  const hand = useRef(null);
  const wanted = useRef(null); // the bar that was pressed: keys go on where the pointer was
  useLayoutEffect(() => {
    if (!keyed || wanted.current === null) return;
    element.current.children[wanted.current].focus({ preventScroll: true });
    wanted.current = null;
  });
  const { left, top, width, height } = place;
  const { cell } = columns(numbers.length, width);
  const to = (f, x) => {
    const end = Math.max(reach, Math.abs(numbers[f])); // what was typed may lie beyond
    const next = exact(between(-end, x, end));
    if (next !== numbers[f]) onMove(role, row, f, next);
  };
  const take = (event) => {
    if (event.button) return;
    event.preventDefault(); // the focus goes to the bar
    const box = event.currentTarget.getBoundingClientRect();
    const across = ((event.clientX - box.left) / box.width) * width;
    const f = between(0, Math.floor((across - 4) / cell), numbers.length - 1);
    const worth = (scale / Math.max(LEAST_REACH, tallest(height))) * (height / box.height); // a slide may be scaled
    hand.current = { f, y: event.clientY, from: numbers[f], worth, moves: false };
    event.currentTarget.setPointerCapture(event.pointerId);
    wanted.current = f;
    onHold(true);
    onChoose(role, row, f);
  };
  const drag = (event) => {
    const held = hand.current;
    if (!held) return;
    const up = held.y - event.clientY;
    held.moves ||= Math.abs(up) >= DEAD;
    if (held.moves) to(held.f, Math.round((held.from + up * held.worth) / step) * step);
  };
  const press = (f) => (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = BY[event.key] * (event.shiftKey ? 10 : 1);
    if (by) to(f, numbers[f] + by * step);
    else if (event.key === "Enter" || /^[-\d.]$/.test(event.key)) onType();
    if (by || event.key === "Enter") event.preventDefault();
  };
  return (
    <div
      ref={element}
      class={`vector ${role}`}
      data-row={row}
      role={keyed ? "group" : undefined}
      aria-label={keyed ? `${role} of ${name}` : undefined}
      style={pixels({ left, top, width, height })}
      onPointerDown={take}
      onPointerMove={drag}
      onLostPointerCapture={() => { hand.current = null; onHold(false); }}
    >
      {keyed && numbers.map((x, f) => (
        <span
          key={f}
          role="slider"
          tabindex={0}
          aria-label={features ? `${role} of ${name}, ${features[f]}` : `${role} of ${name}, number ${f + 1}`}
          aria-orientation="vertical"
          aria-valuenow={x}
          aria-valuemin={-Math.max(reach, Math.abs(x))}
          aria-valuemax={Math.max(reach, Math.abs(x))}
          aria-valuetext={format(x)}
          style={pixels({ left: 4 + f * cell, width: cell })}
          onFocus={() => onChoose(role, row, f)}
          onKeyDown={press(f)}
        >
          <span class="reading" aria-hidden="true">{format(x)}</span>
        </span>
      ))}
    </div>
  );
}

/** The number in hand, to be typed; and what brings its vector back. */
export function InHand({ role, name, f, numbers, before, step, most, touched, onMove, onBack }) {
  const same = numbers.every((x, k) => x === before[k]);
  return (
    <div class={touched || !same ? "in-hand" : "in-hand idle"}>
      <span class="how">Press a word, or drag a bar: the output follows.</span>
      <span class={`role-${role}`}>
        <NumberField
          label={<>number {f + 1} of the <b>{role}</b> of <bdi title={name}>{name}</bdi></>}
          value={numbers[f]}
          min={-most}
          max={most}
          step={step}
          onChange={(x) => onMove(exact(x))}
        />
      </span>
      <button type="button" tabIndex={same ? -1 : 0} aria-disabled={same} onClick={() => same || onBack()}>as the matrices say</button>
    </div>
  );
}
