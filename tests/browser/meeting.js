// Which words of a widget run into each other, or out of it, where its place is so many pixels wide.
async ([recorded, widths, large]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const place = document.createElement("div");
  if (large) place.className = "attnlib-large";
  document.body.replaceChildren(place);
  bundle.revive(recorded, place);
  const root = place.shadowRoot.querySelector(".widget");
  const ROOM = 2; // pixels that lie between two words
  const own = "p, label, button, td, th, dt, dd, li, legend, text, .story";

  function lineOf(one) {
    while (getComputedStyle(one).display === "inline" && !(one instanceof SVGElement)) one = one.parentElement;
    return one.closest(own) ?? one;
  }

  /** The letters' height, and of their width what no parent cuts off. */
  function ink(words) {
    const parent = words.parentElement;
    const { fontSize, writingMode } = getComputedStyle(parent);
    const range = document.createRange();
    range.selectNodeContents(words);
    const matrix = parent.getScreenCTM?.();
    if (matrix?.b || writingMode !== "horizontal-tb") return []; // turned words
    const high = 0.36 * parseFloat(fontSize) * (matrix?.a ?? 1);
    let [left, right] = [-Infinity, Infinity];
    for (let one = parent; one !== root; one = one.parentElement) {
      const { overflowX, clipPath } = getComputedStyle(one);
      if (clipPath !== "none") return [];
      if (one instanceof SVGElement || overflowX === "visible") continue;
      const box = one.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
    }
    return [...range.getClientRects()].map((box) => ({
      words: words.data.trim(),
      line: lineOf(parent),
      left: Math.max(left, box.left),
      right: Math.min(right, box.right),
      top: (box.top + box.bottom) / 2 - high,
      bottom: (box.top + box.bottom) / 2 + high,
    })).filter((box) => box.right - box.left > 1);
  }

  function met() {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const all = [];
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      const seen = parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (data.trim() && seen) all.push(...ink(texts.currentNode));
    }
    const beyond = root.getBoundingClientRect().right;
    const out = all.filter(({ right }) => right > beyond).map(({ words }) => `${words} | `);
    all.sort((a, b) => a.left - b.left);
    const boxed = (a, b) => a.line.matches("label, button") && b.line.matches("label, button"); // a border between
    const pairs = all.flatMap((a, k) => all.slice(k + 1).filter((b) =>
      a.line !== b.line &&
      b.left < a.right + (boxed(a, b) ? 0 : ROOM) &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.3 * Math.min(a.bottom - a.top, b.bottom - b.top)
    ).map((b) => `${a.words} | ${b.words}`));
    return [...out, ...pairs];
  }

  const found = {};
  for (const width of widths) {
    place.style.width = `${width}px`;
    for (let k = 0; k < 4; k += 1) await frame(); // it measures its place, and draws anew
    const those = met();
    if (those.length) found[width] = those;
  }
  return found;
};
