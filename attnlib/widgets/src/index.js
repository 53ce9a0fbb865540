// The bundle's entry. To a notebook it is an anywidget module; in a page without a kernel it finds
// the widgets' recorded states and brings them to life.

import { enliven } from "./host.js";
import { mount } from "./mount.jsx";
import * as arithmetic from "./arithmetic.js";
import * as alignment from "./alignment.jsx";
import * as dot_product from "./dot_product.jsx";
import * as heads from "./heads.jsx";
import * as learning from "./learning.jsx";
import * as mask from "./mask.jsx";
import * as positions from "./positions.jsx";
import * as scaling from "./scaling.jsx";
import * as self_attention from "./self_attention.jsx";
import * as softmax from "./softmax.jsx";
import { format } from "./parts.jsx";
import * as shades from "./shades.js";

const WIDGETS = {
  Alignment: alignment,
  DotProduct: dot_product,
  Heads: heads,
  Learning: learning,
  Mask: mask,
  Positions: positions,
  Scaling: scaling,
  SelfAttention: self_attention,
  Softmax: softmax,
};

/** Show the model in an element; `_class` says which widget it is. Returns what undoes it. */
function render({ model, el }) {
  return mount(model, el, WIDGETS[model.get("_class")]);
}

if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", () => enliven(document, render));
} else {
  enliven(document, render);
}

export { arithmetic, enliven, format, shades };
export default { render };
