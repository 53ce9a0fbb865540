// Go through a deck, everything shown. Return what does not fit, [{ line, problem }], and of each slide
// its smallest letters, [{ line, size, what }].
async () => {
  const FRAMES = 3; // until a slide that is shown has been fitted twice
  const LEAST_PICTURE = 200; // pixels of height, on a slide of 720
  const LEAST_LETTERS = 12; // of a grid
  const LEAST_SIZE = 0.7; // of a widget
  const BLURRED = 1.01; // pixels of the screen for one of a picture
  const found = [];
  const letters = [];
  const report = (element, problem) =>
    found.push({ line: Number(element.closest("[data-line]").dataset.line), problem });
  const scrolls = (element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    return (
      (element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(overflowX)) ||
      (element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(overflowY))
    );
  };
  const here = Reveal.getIndices();
  for (const slide of document.querySelectorAll(".slides > section")) {
    Reveal.slide([...slide.parentElement.children].indexOf(slide), 0, Infinity);
    const frames = slide.querySelector(".attnlib-widget") ? FRAMES : 0;
    for (let k = 0; k < frames; k += 1) await new Promise(requestAnimationFrame);
    const scale = Reveal.getScale();
    const beyond = (inner, outer) => {
      const [a, b] = [inner.getBoundingClientRect(), outer.getBoundingClientRect()];
      const out = Math.max(b.top - a.top, a.bottom - b.bottom, b.left - a.left, a.right - b.right);
      return a.width > 0 && out / scale > 1 ? Math.round(out / scale) : 0;
    };
    const overlap = (one, other) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      return Math.min(wide, high) / scale > 1;
    };
    const body = slide.querySelector(".body");
    for (const part of slide.querySelectorAll(".part")) {
      if (beyond(part, body)) report(part, `${beyond(part, body)} px too many`);
    }
    const parts = [...slide.querySelectorAll(".part")];
    for (const [place, part] of parts.entries()) {
      const under = parts.slice(0, place).find((other) => overlap(part, other));
      if (under) report(part, `it lies on what line ${under.dataset.line} shows`);
    }
    for (const element of slide.querySelectorAll("header, header *, .body *")) {
      const { clientWidth, scrollWidth } = element;
      if (element.matches("merror")) report(element, "a formula that no browser knows");
      if (element.matches("math:not(.goes-on)") && !element.getBoundingClientRect().width) {
        report(element, "a formula that is not drawn");
      }
      if (element.matches("img") && element.checkVisibility() && !element.naturalWidth) {
        report(element, "a picture that is not there");
      }
      if (element.matches('img[src^="data:image/png"]') && element.checkVisibility()) {
        const { width, height } = element.getBoundingClientRect();
        const much = Math.min(width / element.naturalWidth, height / element.naturalHeight);
        if (much > BLURRED) report(element, `a picture at ${much.toFixed(1)} times its size is blurred`);
      }
      if (beyond(element, slide)) report(element, `${beyond(element, slide)} px outside the slide`);
      if (clientWidth && scrolls(element)) report(element, "it scrolls");
      else if (clientWidth && scrollWidth > clientWidth + 1 && element.matches(".part, header")) {
        report(element, `${scrollWidth - clientWidth} px too wide`);
      }
    }
    for (const picture of slide.querySelectorAll(".part.picture")) {
      const grid = picture.querySelector(".attnlib-grid table");
      if (grid) {
        const size = Math.round(Number.parseFloat(getComputedStyle(grid).fontSize));
        if (size < LEAST_LETTERS) report(picture, `a grid with letters of ${size} px`);
        continue;
      }
      const { clientHeight } = picture;
      if (clientHeight < LEAST_PICTURE) report(picture, `a picture only ${clientHeight} px high`);
    }
    for (const widget of slide.querySelectorAll(".attnlib-widget")) {
      const size = Number(widget.style.getPropertyValue("--size"));
      const much = beyond(widget, widget.closest(".part"));
      if (much) report(widget, `a widget ${much} px too large`);
      if (size < LEAST_SIZE) report(widget, `a widget at ${size} of its size`);
      const inside = widget.querySelector(".attnlib-live")?.shadowRoot.querySelectorAll("*") ?? [];
      if ([...inside].some((part) => part.checkVisibility() && scrolls(part))) report(widget, "a part of the widget scrolls");
    }
    const solution = slide.querySelector(".solution");
    if (solution) solution.hidden = false;
    letters.push({ line: Number(slide.dataset.line), ...smallestLetters(slide) });
    if (solution) solution.hidden = true;
  }
  Reveal.slide(here.h, here.v, here.f);
  const texts = [...new Set(found.map((each) => JSON.stringify(each)))];
  return { found: texts.map((text) => JSON.parse(text)), letters };
}
