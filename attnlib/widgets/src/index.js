// The bundle's entry. To a notebook it is an anywidget module; in a page without a kernel it finds
// the widgets' recorded states and brings them to life.

import { enliven, revive as reviveBy } from "./host.js";
import * as goals from "./goals.js";
import { plainly } from "./lead.jsx";
import { mount } from "./mount.jsx";
import * as sums from "./arithmetic.js";
import { asked, format } from "./parts.jsx";
import { obeyLinks } from "./moments.js";
import * as shades from "./shades.js";
import * as writing from "./writing.js";
import WIDGETS from "widgets"; // all that have a view, by class: build.mjs finds them

/** Show the model in an element; `_class` says which widget it is. Returns what undoes it. */
function render({ model, el }) {
  return mount(model, el, WIDGETS[model.get("_class")]);
}

/** Do what a page without a kernel needs; in a notebook nothing is recorded, and links alone are obeyed. */
function begin() {
  enliven(document, render);
  obeyLinks(document);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();

/** All that is computed, for whoever holds it against Python. */
const arithmetic = { ...sums, ...writing };

/** What a goal can ask of a widget in a state, by name. */
const measured = (name, state) => WIDGETS[name].measured?.(state);

/** What it says of one of them that is not there. */
const missing = (name, of) => (WIDGETS[name].missing ?? plainly)(of);

/** Show what is recorded of a widget in an element, alive. Returns what undoes it. */
const revive = (recorded, element) => reviveBy(recorded, element, render);

export { arithmetic, asked, enliven, format, goals, measured, missing, revive, shades };
export default { render };
