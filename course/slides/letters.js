// Find the smallest letters of a slide as they are rendered: { size, what }, in pixels.
//
// What scaling makes of them counts, in widgets and in pictures too: a PNG says in a chunk of its
// own, and a drawing in an attribute, how high its smallest letters are. A sign above or below the
// line is judged by what it belongs to.
globalThis.smallestLetters = (() => {
  const RAISED = "sub, sup, msub > :not(:first-child), msup > :not(:first-child), " +
    "msubsup > :not(:first-child), munder > :not(:first-child), mover > :not(:first-child), " +
    "munderover > :not(:first-child), mroot > :nth-child(2)";
  const above = (element) => element.parentElement ?? element.getRootNode().host;
  const determinant = ({ a, b, c, d }) => Math.sqrt(Math.abs(a * d - b * c));

  /** How many pixels of the screen one of an element's own pixels has. */
  function scaleOf(element) {
    let scale = element.currentCSSZoom ?? 1;
    if (element.ownerSVGElement) {
      scale *= determinant(element.getCTM());
      element = element.ownerSVGElement;
    }
    for (let node = element; node; node = above(node)) {
      const style = getComputedStyle(node);
      if (style.transform !== "none") scale *= determinant(new DOMMatrix(style.transform));
      if (style.scale !== "none") {
        const [x, y = x] = style.scale.split(" ").map(Number);
        scale *= Math.sqrt(Math.abs(x * y));
      }
    }
    return scale;
  }

  /** The element whose letters count for a text: of an index, what it stands at. */
  function base(element) {
    for (let raised; (raised = element.closest(RAISED)); ) element = raised.parentElement;
    return element;
  }

  const sizeOf = (element) => Number.parseFloat(getComputedStyle(element).fontSize) * scaleOf(element);
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const ways = { opacityProperty: true, visibilityProperty: true };
    return width > 1 && height > 1 && element.checkVisibility(ways);
  };

  function* everything(root) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      if (element.shadowRoot) yield* everything(element.shadowRoot);
    }
  }

  /** The letters that an element has itself, each { size, what }. */
  function* lettersOf(element) {
    if (element.matches("img")) {
      const shown = Math.min(element.width / element.naturalWidth, element.height / element.naturalHeight);
      const told = /Letters(?:\0|=")([\d.]+)/.exec(atob(element.src.replace(/^.*base64,/, "")));
      if (told) yield { size: told[1] * shown * scaleOf(element), what: `picture: ${element.alt.slice(0, 40)}` };
    } else if (element.matches("canvas")) {
      for (const [words, size] of globalThis.writtenOn?.get(element) ?? []) {
        yield { size: size * scaleOf(element), what: words };
      }
    } else if (element.matches("input[type=number], input[type=text], select")) {
      yield { size: sizeOf(element), what: element.value };
    } else {
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const words = own.map((node) => node.data).join("").trim();
      if (words && !element.matches("script, style, option")) yield { size: sizeOf(base(element)), what: words };
    }
  }

  return (slide) => {
    let least = { size: Infinity, what: "" };
    for (const element of everything(slide)) {
      if (element.closest(".notes, .unseen") || !isSeen(element)) continue;
      for (const found of lettersOf(element)) {
        if (found.size > 0 && found.size < least.size) least = found;
      }
    }
    return { size: Math.round(10 * least.size) / 10, what: least.what.replace(/\s+/g, " ").slice(0, 40) };
  };
})();
