// What one reads and hears of a widget, its folds open, and what of it a finger would miss, where its
// place is so many pixels wide.
async ([recorded, width]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const place = document.createElement("div");
  place.style.width = `${width}px`;
  document.body.replaceChildren(place);
  bundle.revive(recorded, place);
  const root = place.shadowRoot.querySelector(".widget");
  root.querySelectorAll("details").forEach((fold) => { fold.open = true; });
  for (let k = 0; k < 4; k += 1) await frame(); // it measures its place, and draws anew
  const SAID = ["aria-label", "aria-valuetext", "title"];
  const told = [...root.querySelectorAll("*")].flatMap((one) => [
    ...[...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data),
    ...SAID.map((name) => one.getAttribute(name)),
  ]);
  return { told: told.filter(Boolean), small: small() };

  /**
   * Targets of less than 24 by 24 pixels, unless none other lies within 24 pixels around their middle
   * (WCAG 2.2, 2.5.8, spacing). Of an input within a label, the label is the target.
   */
  function small() {
    const LEAST = 24;
    const bars = root.querySelector(".lines") ? ".none" : "[role=slider]"; // else a line has a button for each
    const HIT = `button, select, summary, input, ${bars}, [role=gridcell], [data-cell]`;
    const seen = [...root.querySelectorAll(HIT)].filter((one) => one.checkVisibility({ visibilityProperty: true }));
    const parts = [...new Set(seen.map((one) => one.closest("label") ?? one))];
    const all = parts.map((one) => [one, one.getBoundingClientRect()]).filter(([, { width, height }]) => width * height > 1);
    const little = ({ width, height }) => Math.min(width, height) < LEAST - 0.01;
    const middle = ({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2];
    const near = ([x, y], { left, right, top, bottom }) =>
      Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)) < LEAST / 2 - 0.01;
    const meets = (a, b) =>
      near(middle(a), b) || (little(b) && Math.hypot(...middle(a).map((z, k) => z - middle(b)[k])) < LEAST - 0.01);
    return all.filter(([one, box]) => little(box) && all.some(([other, its]) => other !== one && meets(box, its)))
      .map(([one, { width, height }]) => `${one.localName} ${one.ariaLabel ?? one.textContent}: ${Math.round(width)} × ${Math.round(height)}`);
  }
};
