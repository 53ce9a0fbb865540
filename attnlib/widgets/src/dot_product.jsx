// One number for two arrows.

import { useRef } from "preact/hooks";
import { angle, cosine, dot, length, projection } from "./arithmetic.js";
import { Announcement, Facts, NumberField, Toggle, format } from "./parts.jsx";

export { default as style } from "./dot_product.css";
export const traits = ["a", "b", "snap"];

const LIMIT = 5; // the plane reaches from -LIMIT to LIMIT
const UNIT = 40; // pixels of the drawing
const SIZE = 2 * (LIMIT + 0.4) * UNIT;
const MIDDLE = SIZE / 2;
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const onScreen = ([x, y]) => [MIDDLE + x * UNIT, MIDDLE - y * UNIT];
const clamp = (x) => Math.max(-LIMIT, Math.min(LIMIT, x));
const point = (v) => `(${format(v[0], 1)}, ${format(v[1], 1)})`;

export function View({ a, b, snap, set }) {
  const product = dot(a, b);
  const shadow = projection(a, b);
  const nothing = length(a) === 0 || length(b) === 0;
  const sign = Math.abs(product) < 1e-9 ? "zero" : product > 0 ? "positive" : "negative";
  const meaning = nothing
    ? "A zero vector has no direction."
    : `The arrows ${{ zero: "stand at right angles", positive: "point to the same side, less than 90° apart", negative: "point apart, by more than 90°" }[sign]}.`;
  const facts = [
    ["dot product a · b", `${format(product)}, ${sign}`],
    ["length of a", format(length(a))],
    ["length of b", format(length(b))],
    ["angle", nothing ? "none" : `${format(angle(a, b), 1)}°`],
    ["cosine", nothing ? "0.00, by convention" : format(cosine(a, b))],
    ["a along b (signed length)", length(b) === 0 ? "none" : format(product / length(b))],
  ];
  return (
    <>
      <div class="columns">
        <div>
          <Plane a={a} b={b} shadow={shadow} sign={sign} snap={snap} set={set} />
        </div>
        <div>
          <Facts facts={facts} />
          <p>{meaning}</p>
          <div class="controls">
            {["a", "b"].map((name) =>
              ["x", "y"].map((axis, k) => (
                <NumberField
                  key={name + axis}
                  label={`${name} ${axis}`}
                  min={-LIMIT}
                  max={LIMIT}
                  step={snap ? 0.5 : 0.1}
                  value={{ a, b }[name][k]}
                  onChange={(x) => set({ [name]: { a, b }[name].map((old, i) => (i === k ? x : old)) })}
                />
              )),
            )}
            <Toggle label="snap to halves" checked={snap} onChange={(on) => set({ snap: on })} />
          </div>
        </div>
      </div>
      <Announcement
        text={`Dot product ${format(product)}, ${sign}; cosine ${format(cosine(a, b))}. ${meaning}`}
      />
    </>
  );
}

/** The arrows, the shadow of a on the line of b, and the heads to take hold of. */
function Plane({ a, b, shadow, sign, snap, set }) {
  const drawing = useRef(null);
  const place = (name, [x, y]) => {
    const rounded = (z) => (snap ? Math.round(z * 2) / 2 : Math.round(z * 100) / 100);
    set({ [name]: [clamp(rounded(x)), clamp(rounded(y))] });
  };
  const drag = (name) => (event) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = drawing.current.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * SIZE - MIDDLE;
    const y = MIDDLE - ((event.clientY - box.top) / box.height) * SIZE;
    place(name, [x / UNIT, y / UNIT]);
  };
  const press = (name, v) => (event) => {
    const direction = KEYS[event.key];
    if (!direction) return;
    event.preventDefault();
    const step = event.shiftKey ? 1 : snap ? 0.5 : 0.1;
    place(name, [v[0] + step * direction[0], v[1] + step * direction[1]]);
  };
  const line = Array.from({ length: 2 * LIMIT + 1 }, (_, i) => i - LIMIT);
  const arrows = [
    ["a", a, "first"],
    ["b", b, "second"],
  ];
  const casts = shadow.every(Number.isFinite);
  const [sx, sy] = casts ? onScreen(shadow) : [0, 0];
  const [ax, ay] = onScreen(a);
  const far = casts ? onScreen(b.map((x) => (x * 20) / length(b))) : [0, 0];
  const near = casts ? onScreen(b.map((x) => (-x * 20) / length(b))) : [0, 0];
  return (
    <svg class="plane" ref={drawing} viewBox={`0 0 ${SIZE} ${SIZE}`} role="group" aria-label="plane with the arrows a and b">
      <clipPath id="frame"><rect width={SIZE} height={SIZE} /></clipPath>
      {line.map((z) => (
        <g key={z} class={z === 0 ? "axis" : "grid"}>
          <line x1={onScreen([z, 0])[0]} x2={onScreen([z, 0])[0]} y1={0} y2={SIZE} />
          <line y1={onScreen([0, z])[1]} y2={onScreen([0, z])[1]} x1={0} x2={SIZE} />
        </g>
      ))}
      {[-4, -2, 2, 4].map((z) => (
        <g key={z} aria-hidden="true">
          <text class="soft tick" x={onScreen([z, 0])[0]} y={MIDDLE + 16} text-anchor="middle">{format(z, 0)}</text>
          <text class="soft tick" x={MIDDLE - 6} y={onScreen([0, z])[1] + 4} text-anchor="end">{format(z, 0)}</text>
        </g>
      ))}
      {casts && (
        <g clip-path="url(#frame)">
          <line class="line-of-b" x1={near[0]} y1={near[1]} x2={far[0]} y2={far[1]} />
          <line class="drop" x1={ax} y1={ay} x2={sx} y2={sy} />
          <line class={`shadow ${sign}`} x1={MIDDLE} y1={MIDDLE} x2={sx} y2={sy} />
        </g>
      )}
      {arrows.map(([name, v, nth]) => <Arrow key={name} head={onScreen(v)} nth={nth} />)}
      {arrows.map(([name, v, nth]) => {
        const [x, y] = onScreen(v);
        return (
          <g
            key={name}
            class={`handle ${nth}`}
            tabindex={0}
            role="slider"
            aria-label={`head of ${name}`}
            aria-valuenow={v[0]}
            aria-valuemin={-LIMIT}
            aria-valuemax={LIMIT}
            aria-valuetext={`${name} = ${point(v)}`}
            aria-roledescription="arrow head, moved with the four arrow keys"
            onTouchStart={(event) => event.preventDefault()} // or the page scrolls
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={drag(name)}
            onKeyDown={press(name, v)}
          >
            <circle class="ring" cx={x} cy={y} r={17} />
            <circle class="grip" cx={x} cy={y} r={5} />
            <text class="halo" x={x} y={v[1] < 0 ? y + 34 : y - 22} text-anchor="middle">{name} = {point(v)}</text>
          </g>
        );
      })}
      {casts && length(shadow) > 0.2 && <text class="halo soft" x={sx} y={sy + 20} text-anchor="middle">shadow of a</text>}
    </svg>
  );
}

function Arrow({ head: [x, y], nth }) {
  const [dx, dy] = [x - MIDDLE, y - MIDDLE];
  const far = Math.hypot(dx, dy);
  if (far < 1) return null;
  const [ux, uy] = [dx / far, dy / far];
  const tip = Math.min(14, far);
  const [bx, by] = [x - tip * ux, y - tip * uy];
  return (
    <g class={`arrow ${nth}`}>
      <line x1={MIDDLE} y1={MIDDLE} x2={bx} y2={by} />
      <polygon points={`${x},${y} ${bx - 6 * uy},${by + 6 * ux} ${bx + 6 * uy},${by - 6 * ux}`} />
    </g>
  );
}
