// One number for two arrows.

import { useRef } from "preact/hooks";
import { dot_product } from "../../pictures/shared.json";
import { angle, cosine, dot, length, projection } from "./arithmetic.js";
import { useWidth } from "./mount.jsx";
import { Announcement, Facts, NumberField, Toggle, asked, format } from "./parts.jsx";
import { shade } from "./shades.js";

export { default as style } from "./dot_product.css";
export const traits = ["a", "b", "snap"];

const { LIMIT, MEANING, TINT, SIDES, BETWEEN } = dot_product; // the plane reaches from -LIMIT to LIMIT
const AFAR = 368; // pixels of the plane on a slide
const UNIT = 40; // pixels of the drawing
const SIZE = 2 * (LIMIT + 1.05) * UNIT; // as far as the shadow of the longest arrow reaches
const MIDDLE = SIZE / 2;
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const onScreen = ([x, y]) => [MIDDLE + x * UNIT, MIDDLE - y * UNIT];
const clamp = (x) => Math.max(-LIMIT, Math.min(LIMIT, x));
const point = (v) => `(${format(v[0], 1)}, ${format(v[1], 1)})`;
const factor = (x) => {
  const told = format(x, Math.abs(10 * x - Math.round(10 * x)) < 1e-9 ? 1 : 2);
  return x < 0 ? `(${told})` : told;
};

export const measured = ({ a, b }) => ({
  ...{ a, b, dot: dot(a, b), length_a: length(a), length_b: length(b) },
  ...{ cosine: cosine(a, b), angle: angle(a, b), projection: projection(a, b) },
});

const NAMES = { dot: "a · b", length_a: "the length of a", length_b: "the length of b", cosine: "the cosine", angle: "the angle" };

export function missing({ name, place, is, least, most }) {
  const what = NAMES[name] ?? `${name} ${"xy"[place[0]]}`;
  return `${what} is ${format(is)}; ${asked(least, most)} is asked`;
}

export function View({ a, b, snap, theme, large, set }) {
  const product = dot(a, b);
  const shadow = projection(a, b);
  const nothing = length(a) === 0 || length(b) === 0;
  const sign = Math.abs(product) < 1e-9 ? "zero" : product > 0 ? "positive" : "negative";
  const meaning = MEANING[nothing ? "none" : sign];
  const along = product / length(b); // negative, where the shadow falls behind
  const facts = [
    ["length of a", format(length(a))],
    ["length of b", format(length(b))],
    ["angle", nothing ? "none" : `${format(angle(a, b), 1)}°`],
    ["cosine", nothing ? "0.00, by convention" : format(cosine(a, b))],
  ];
  return (
    <>
      <p class="title headline">a · b = {format(product)}: {meaning}</p>
      <div class="columns">
        <div>
          <Plane {...{ a, b, shadow, sign, snap, theme, large, set }} />
        </div>
        <div>
          <p class="note hint">Drag the round heads of <span class="name first">a</span> and <span class="name second">b</span>, or move them with the arrow keys.</p>
          <dl class="ways">
            <dt>number by number</dt>
            <dd>{a.map((x, k) => `${k ? " + " : ""}${factor(x)} × ${factor(b[k])}`)} = <b>{format(product)}</b></dd>
            <dt><span class={`sample ${sign}`} /> shadow of a × length of b</dt>
            <dd>{length(b) === 0 ? "none: b is zero" : <>{factor(along)} × {factor(length(b))} = <b>{format(product)}</b></>}</dd>
          </dl>
          <Facts facts={facts} />
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
      <Announcement text={`a · b = ${format(product)}: ${meaning}. Cosine ${format(cosine(a, b))}.`} />
    </>
  );
}

/** The arrows, the shadow of a on the line of b, and the heads to take hold of. */
function Plane({ a, b, shadow, sign, snap, theme, large, set }) {
  const drawing = useRef(null);
  const [element, width] = useWidth(SIZE);
  const letters = large ? (16 * SIZE) / Math.min(width, AFAR) : Math.max(13, Math.min(17, (13 * SIZE) / width)); // the drawing shrinks, its words do not
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
  const labels = namesApart({ a, b, shadow: casts && length(shadow) > 0.2 ? shadow : null }, letters);
  return (
    <div ref={element}>
      <svg
        class="plane"
        ref={drawing}
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        role="group"
        aria-label="plane with the arrows a and b"
        style={{ "--letters": `${letters}px` }}
      >
        <clipPath id="frame"><rect width={SIZE} height={SIZE} /></clipPath>
        {casts && <Sides b={b} theme={theme} />}
        {line.map((z) => (
          <g key={z} class={z === 0 ? "axis" : "grid"}>
            <line x1={onScreen([z, 0])[0]} x2={onScreen([z, 0])[0]} y1={0} y2={SIZE} />
            <line y1={onScreen([0, z])[1]} y2={onScreen([0, z])[1]} x1={0} x2={SIZE} />
          </g>
        ))}
        {TICKS.map((z) => (
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
              <circle class="ring" cx={x} cy={y} r={RING} />
              <circle class="grip" cx={x} cy={y} r={6} />
            </g>
          );
        })}
        {labels.map(({ words, x, y, kind }) => (
          <text key={kind} class={`halo label ${kind}`} x={x} y={y} text-anchor="middle" dominant-baseline="central">{words}</text>
        ))}
      </svg>
    </div>
  );
}

/** Where the head of a makes the dot product positive, where negative, and between them 0: there its shadow turns. */
function Sides({ b, theme }) {
  const turn = (Math.atan2(-b[1], b[0]) * 180) / Math.PI;
  const color = (share) => shade(share, { theme, twoSided: true }).background;
  return (
    <g clip-path="url(#frame)">
      <g transform={`translate(${MIDDLE} ${MIDDLE}) rotate(${turn})`}>
        <rect y={-SIZE} width={SIZE} height={2 * SIZE} fill={color(TINT)} />
        <rect x={-SIZE} y={-SIZE} width={SIZE} height={2 * SIZE} fill={color(-TINT)} />
        <line class="between" y1={-SIZE} y2={SIZE} />
      </g>
    </g>
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

// Where the names stand

const RING = 17; // pixels around a head
const TICKS = [-4, -2, 2, 4];
const CLEAR = 6; // pixels around a name that are enough
const WAYS = [
  [0, -1], [0, 1], [1, 0], [-1, 0], [0.7, -1], [-0.7, -1], [0.7, 1], [-0.7, 1], [1, 1], [-1, 1],
  [0, -2], [0, 2], [1, -2], [-1, -2], [1, 2], [-1, 2], [1.7, 0], [-1.7, 0],
];

/**
 * The names of the arrows, of the shadow, and of the plane's parts. Each stands where it is clearest of all that is drawn
 * and of the names before it; the first such place of WAYS, so that it does not tremble.
 */
function namesApart({ a, b, shadow }, letters) {
  const heads = [a, b].map(onScreen);
  const along = (from, to) =>
    Array.from({ length: 30 }, (_, k) => from.map((z, axis) => z + ((to[axis] - z) * k) / 29));
  const drawn = heads.flatMap((head) => along([MIDDLE, MIDDLE], head));
  if (shadow) drawn.push(...along([MIDDLE, MIDDLE], onScreen(shadow)), ...along(onScreen(shadow), heads[0]));
  drawn.push(...TICKS.flatMap((z) => [[onScreen([z, 0])[0], MIDDLE + 12], [MIDDLE - 12, onScreen([0, z])[1]]]));
  const border = (turn, share = 1) => {
    const at = Math.atan2(b[1], b[0]) + (turn * Math.PI) / 180;
    const way = [Math.cos(at), Math.sin(at)];
    return onScreen(way.map((x) => (share * LIMIT * x) / Math.max(...way.map(Math.abs))));
  };
  const line = along(border(90), border(-90));
  const names = [
    ...(shadow ? [{ words: "shadow of a", at: onScreen(shadow.map((x) => x / 2)), kind: "of-shadow soft" }] : []),
    { words: `a = ${point(a)}`, at: heads[0], kind: "of-a" },
    { words: `b = ${point(b)}`, at: heads[1], kind: "of-b" },
    ...(length(b) > 0
      ? [
          { words: BETWEEN[0], middles: BETWEEN[1].map((share) => border(90, share)), on: true, kind: "of-line" },
          ...SIDES.map(([words, turns], k) => ({ words, middles: turns.map((turn) => border(turn)), kind: `of-side-${k}` })),
        ]
      : []),
  ];
  const taken = [];
  for (const { words, at, kind, middles, on } of names) {
    const half = [0.29 * letters * words.length, 0.65 * letters];
    const gap = kind.startsWith("of-shadow") ? CLEAR : RING + CLEAR;
    const inside = (z, axis) => Math.max(half[axis] + 2, Math.min(SIZE - half[axis] - 2, z));
    const clearance = (middle) => {
      const apart = (other, room = [0, 0]) =>
        Math.max(...[0, 1].map((axis) => Math.abs(middle[axis] - other[axis]) - half[axis] - room[axis]));
      return Math.min(
        ...[...drawn, ...(on ? [] : line)].map((other) => apart(other)),
        ...heads.map((head) => apart(head, [RING, RING])),
        ...taken.map(({ x, y, room }) => 9 * apart([x, y], room)), // a name on a name is worse than one on a line
      );
    };
    let best = null;
    const beside = (far) => WAYS.map((way) => way.map((w, axis) => at[axis] + w * (half[axis] + far)));
    for (const place of middles ?? [...beside(gap), ...beside(3 * gap)]) {
      const middle = place.map(inside);
      const clear = Math.min(CLEAR, clearance(middle));
      if (!best || clear > best.clear) best = { clear, words, kind, x: middle[0], y: middle[1], room: half };
    }
    taken.push(best);
  }
  return taken;
}
