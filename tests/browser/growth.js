// Touch a recorded widget, which `show` has put into the page: n touches of one kind.
globalThis.show = async (recorded) => {
  globalThis.undo?.();
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  globalThis.undo = bundle.revive(recorded, place);
  globalThis.root = place.shadowRoot;
  root.querySelectorAll("details:not([open]) > summary").forEach((one) => one.click());
};

let seed = 1;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
const draw = (all) => all[Math.floor(random() * all.length)];
const some = (kind) => draw([...root.querySelectorAll(kind)].filter((one) => one.getClientRects().length));
const tell = (one, ...events) => events.forEach(([kind, Kind, about]) => one.dispatchEvent(new Kind(kind, { bubbles: true, composed: true, ...about })));
const CELLS = "td, path, rect, [data-cell], [role=slider], button:not(.moments *, .foot *)";
const STOPS = "[tabindex='0'], input, select, button";
const KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
const TOUCH = {
  moments: () => some(".moments button")?.click(),
  choices: () => {
    const one = some("[type=radio], [type=checkbox], select");
    if (one?.localName !== "select") return one?.click();
    one.value = draw([...one.options]).value;
    return tell(one, ["change", Event]);
  },
  sliders: () => {
    const one = some("[type=range], [type=number]");
    if (!one) return;
    one.value = Number(one.min) + random() * (one.max - one.min);
    tell(one, ["input", Event]);
  },
  keys: () => {
    const one = some(STOPS);
    one.focus();
    tell(one, ["keydown", KeyboardEvent, { key: draw(KEYS), cancelable: true }]);
  },
  cells: () => {
    const one = some(CELLS);
    if (!one) return;
    const { left, top, width, height } = one.getBoundingClientRect();
    const at = { clientX: left + width / 2, clientY: top + height / 2, pointerType: "mouse", detail: 1 };
    tell(one, ["pointermove", PointerEvent, at], ["click", MouseEvent, at]);
  },
};
const KINDS = Object.keys(TOUCH);

// Nothing waits for a screen: a frame is there as soon as what was going on is done.
const soon = (then) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => (port1.close(), then(performance.now()));
  port2.postMessage(0);
};
globalThis.requestAnimationFrame = (draw) => (soon(draw), 0);
const drawn = async () => {
  await new Promise(soon);
  await new Promise(soon);
};

/** Touch it, n times; of kinds in turn where none is named. It is left as it was at first. */
globalThis.touch = async (n, kind) => {
  for (let k = 0; k < n; k += 1) {
    TOUCH[kind ?? KINDS[k % KINDS.length]]();
    await drawn();
  }
  root.activeElement?.blur();
  root.querySelector(".moments button").click();
  await new Promise((then) => setTimeout(then, 500)); // what waits for the hand to rest
};
