// Colours: those of shared.json, which the stills read too, and what is mixed of them.

import { colors } from "../../pictures/shared.json";
import { dot } from "./arithmetic.js";

const { light, dark, ramp, sides } = colors;

export const INKS = { light, dark };
export const HEADS = colors.heads;

/** A colour's red, green and blue, from 0 to 255. */
export const bytes = (color) => [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));

const hex = (parts) => `#${parts.map((x) => Math.round(x).toString(16).padStart(2, "0")).join("")}`;

const linear = (byte) => (byte <= 10 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4);

const encoded = (x) => 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);

// Linear red, green and blue to XYZ and back, with the white of D50.
const WHITE = [0.96422, 1, 0.82521];
const TO_XYZ = [[0.4360747, 0.3850649, 0.1430804], [0.2225045, 0.7168786, 0.0606169], [0.0139322, 0.0971045, 0.7141733]];
const TO_RGB = [[3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.033454], [0.0719453, -0.2289914, 1.4052427]];

/** What CIELAB makes of X, Y and Z: its three numbers are sums of these, so mixing these mixes it. */
const sensed = (t) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);

const unsensed = (f) => (f > 6 / 29 ? f ** 3 : 3 * (6 / 29) ** 2 * (f - 4 / 29));

/** The colour at a share of the way from one to another, as an eye would mix them: in CIELAB. */
export function between(from, to, share) {
  const ends = [from, to].map((color) => {
    const parts = bytes(color).map(linear);
    return TO_XYZ.map((row, k) => sensed(dot(row, parts) / WHITE[k]));
  });
  const xyz = WHITE.map((white, k) => white * unsensed(ends[0][k] + share * (ends[1][k] - ends[0][k])));
  return hex(TO_RGB.map((row) => encoded(Math.max(0, Math.min(1, dot(row, xyz))))));
}

/** A cell's paper, with the ink that is read better on it. */
function inked(paper) {
  const [red, green, blue] = bytes(paper).map(linear);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue; // WCAG's
  // At 0.179 black and white are equally far from it, 4.58 to 1.
  return { background: paper, color: luminance > 0.179 ? "#000000" : "#ffffff" };
}

const mixed = {}; // each cell's colours once: large tables must follow a pointer

/** Paper and ink of a cell for a share from 0 to 1 (or, two-sided, from -1 to 1), to a thousandth. */
export function shade(share, { theme = "light", twoSided = false } = {}) {
  const t = Number.isFinite(share) ? share : 0;
  const place = Math.round(1000 * Math.max(0, Math.min(1, twoSided ? (t + 1) / 2 : t)));
  return (mixed[`${theme} ${twoSided} ${place}`] ??= inked(stopped((twoSided ? sides : ramp)[theme], place / 1000)));
}

/** The colour at a place from 0 to 1 of a ramp's stops. */
function stopped(stops, place) {
  const at = place * (stops.length - 1);
  const k = Math.min(Math.floor(at), stops.length - 2);
  return between(stops[k], stops[k + 1], at - k);
}

/** Paper and ink of a cell in a colour of its own: as much of it as the share, to a hundredth. */
export function tint(color, share, theme = "light") {
  const part = Math.round(100 * Math.max(0, Math.min(1, share)));
  return (mixed[`${theme} ${color} ${part}`] ??= inked(thinned(color, part / 100, INKS[theme].paper)));
}

function thinned(color, share, paper) {
  const below = bytes(paper);
  return hex(bytes(color).map((x, k) => below[k] + (x - below[k]) * share));
}
