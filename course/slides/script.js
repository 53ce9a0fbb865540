// The deck's behaviour: reveal.js does nearly all of it.

const inWidget = (event) =>
  event.composedPath().some((element) => element.classList?.contains("attnlib-live"));
const presses = (event) => " Enter".includes(event.key) && event.target.matches("button");
const TURNS_ALWAYS = new Set(["PageUp", "PageDown", "Escape"]); // what a clicker in the hand sends

// The core is a lecture by itself; what stands outside it is kept, unseen, until all is asked for.
const slides = document.querySelector(".slides");
const inOrder = [...slides.children];
const leftOut = document.createElement("div");
let isCore = new URLSearchParams(location.search).has("core");
leftOut.hidden = true;
slides.parentElement.after(leftOut);

/** Leave the extra slides out, or have them all, and say what follows from it. */
function choose(core) {
  isCore = core;
  for (const [place, slide] of inOrder.entries()) {
    if (core && slide.classList.contains("extra")) leftOut.append(slide);
    else if (slide.parentElement === leftOut) inOrder[place - 1].after(slide); // the first never is
  }
  for (const minute of document.querySelectorAll(".notes [data-core]")) {
    minute.dataset.whole ??= minute.textContent;
    minute.textContent = minute.dataset[core ? "core" : "whole"];
  }
  const chosen = core ? "core" : "whole";
  for (const button of document.querySelectorAll("[data-plan]")) {
    button.setAttribute("aria-pressed", String(button.dataset.plan === chosen));
  }
}
choose(isCore);

for (const widget of document.querySelectorAll(".attnlib-widget")) {
  widget.dataset.preventSwipe = ""; // dragging in it turns no page
}

Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0,
  center: false,
  display: "flex",
  hash: true,
  slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none",
  pdfSeparateFragments: false,
  scrollActivationWidth: null,
  totalTime: 60 * Number(document.querySelector(".reveal").dataset.minutes),
  // Arrow keys that move a slider turn no page. A clicker turns pages wherever the focus is.
  keyboardCondition: (event) =>
    TURNS_ALWAYS.has(event.key) || !(inWidget(event) || presses(event)),
  plugins: [RevealNotes],
});

const LEGIBLE = 18; // pixels of letters that are read without an effort

/** Let grids stand where their letters are large: beside the rest or below it, their cells closer. */
function place(slide) {
  const grids = [...slide.querySelectorAll(".part.picture .attnlib-grid")];
  if (!grids.length) return;
  slide.dataset.wide ??= String(slide.classList.contains("wide"));
  const choose = (way) => {
    slide.classList.toggle("wide", slide.dataset.wide === "true" || way.includes("wide"));
    slide.classList.toggle("close", way.includes("close"));
    return Math.min(...grids.map((grid) => Number.parseFloat(getComputedStyle(grid).fontSize)));
  };
  const ways = ["", "close", "wide", "wide close"];
  const sizes = ways.map(choose);
  const good = sizes.findIndex((size) => size >= LEGIBLE);
  choose(ways[good < 0 ? sizes.indexOf(Math.max(...sizes)) : good]);
}

/** Give widgets and formulas of a slide the largest size at which they fit. */
function fit(slide) {
  place(slide);
  for (const formula of slide.querySelectorAll('.body math[display="block"]')) {
    const room = formula.closest(".part");
    for (let size = 1.3; size >= 0.8; size -= 0.1) {
      formula.style.fontSize = `${size}em`;
      if (room.scrollWidth <= room.clientWidth) break;
    }
  }
  for (const widget of slide.querySelectorAll(".attnlib-widget")) {
    const room = widget.closest(".part");
    for (let percent = 140; percent >= 60; percent -= 5) {
      const size = percent / 100;
      widget.style.setProperty("--size", size);
      // What is scaled keeps its place as it was: what is below would stand too far away, or in it.
      widget.style.setProperty("--taller", `${(size - 1) * widget.offsetHeight}px`);
      if (room.scrollHeight <= room.clientHeight && room.scrollWidth <= room.clientWidth) break;
    }
  }
}

/** Fit a slide, and again: a widget that was hidden measures its place only now, and draws anew. */
async function settle(slide) {
  fit(slide);
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  fit(slide);
}

// What a widget unfolds has room as well; folded again, it is as large as before.
document.addEventListener("attnlib:unfolded", ({ target, detail: unfolded }) => {
  const widget = target.closest(".attnlib-widget");
  if (unfolded) {
    widget.dataset.size ??= widget.style.cssText;
    settle(widget.closest("section"));
  } else if (widget.dataset.size) {
    widget.style.cssText = widget.dataset.size;
    delete widget.dataset.size;
  }
});

// Fonts decide about sizes, so all are there before anything is fitted.
addEventListener("load", async () => {
  await Promise.all([...document.fonts].map((face) => face.load()));
  await settle(Reveal.getCurrentSlide());
  document.documentElement.dataset.settled = "";
});
Reveal.on("slidechanged", ({ currentSlide }) => {
  document.activeElement?.blur();
  settle(currentSlide);
});
// On paper all slides are there at once. Reveal.js still hides all but one from screen readers, and
// what is hidden from them has neither tags nor a bookmark in the file.
Reveal.on("pdf-ready", () => {
  for (const slide of document.querySelectorAll(".pdf-page section")) {
    slide.hidden = false;
    slide.removeAttribute("aria-hidden");
  }
});

// On a phone held upright a slide is as narrow as the phone; how it is laid out there says the style.
const upright = matchMedia("(orientation: portrait) and (max-width: 600px)");
const shape = () =>
  Reveal.configure(upright.matches ? { width: "100%", height: "100%" } : { width: 1280, height: 720 });
Reveal.on("ready", shape);
upright.addEventListener("change", () => {
  shape();
  settle(Reveal.getCurrentSlide());
});
// A finger moves what is too wide, and nothing else: on all the rest it turns the page.
Reveal.on("slidechanged", ({ currentSlide }) => {
  for (const part of currentSlide.querySelectorAll(".part")) {
    const stays = upright.matches && part.scrollWidth <= part.clientWidth;
    part.style.touchAction = stays ? "pan-y" : "";
  }
});

// [ and ] step through the moments of the slide's widget. Which keys these are is up to the keyboard,
// so they are known by what they write.
document.addEventListener("keydown", (event) => {
  if (!"[]".includes(event.key) || inWidget(event)) return;
  const widget = Reveal.getCurrentSlide().querySelector(".attnlib-live[data-moments]");
  widget?.dispatchEvent(new CustomEvent("attnlib-moment", { detail: { key: event.key } }));
});
Reveal.registerKeyboardShortcut("[ and ]", "Moments of the widget");
// A link to a moment leads to the slide whose widget shows it.
document.addEventListener("attnlib-moment", ({ target }) => {
  if (leftOut.contains(target)) choosePart(false);
  const { h, v } = Reveal.getIndices(target.closest("section"));
  Reveal.slide(h, v);
});

/** Go from the core to the whole or back, and stay at the slide, or at the next one that there is. */
function choosePart(core) {
  if (core === isCore) return;
  const here = inOrder.indexOf(Reveal.getCurrentSlide());
  choose(core);
  const following = inOrder.slice(here).find((slide) => slide.parentElement === slides);
  const to = [...slides.children].indexOf(following ?? slides.lastElementChild);
  const { h, f } = Reveal.getIndices();
  if (parent === window) {
    history.replaceState(null, "", `${core ? "?core" : location.pathname}${location.hash}`);
  }
  Reveal.sync();
  Reveal.slide(to, 0, following === inOrder[here] ? f : undefined);
  // Who follows the slides, as the speaker's window does, is told even if the number stays.
  if (to === h) Reveal.dispatchEvent({ type: "slidechanged", data: { currentSlide: slides.children[to] } });
  tell({ core });
}
for (const button of document.querySelectorAll("[data-plan]")) {
  button.addEventListener("click", () => choosePart(button.dataset.plan === "core"));
}
// The two slides in the speaker's window are decks in frames: each asks the deck that opened it, is
// told what stands there, and then what changes.
const followers = new Set();
const tell = (news) => {
  for (const follower of followers) follower.postMessage(news, "*");
};
const widgets = () => [...document.querySelectorAll(".attnlib-live")];
addEventListener("message", ({ data, source }) => {
  if (data?.core !== undefined) choosePart(data.core);
  if (data?.theme) document.documentElement.dataset.theme = data.theme;
  if (data?.hands) show(polls[data.poll], data.hands);
  for (const [name, value] of Object.entries(data?.state ?? {})) {
    widgets()[data.widget]?.shows.set(name, value);
  }
  if (!data?.follows) return;
  followers.add(source);
  source.postMessage({ core: isCore, theme: document.documentElement.dataset.theme }, "*");
  for (const [poll, buttons] of polls.entries()) source.postMessage({ poll, hands: counted(buttons) }, "*");
  for (const [widget, { shows }] of widgets().entries()) {
    const names = [...Object.keys(shows.get("_untouched")), "_untouched", "_moves", "_reached"];
    const state = Object.fromEntries(names.map((name) => [name, shows.get(name)]));
    source.postMessage({ widget, state }, "*");
  }
});
document.addEventListener("attnlib:moved", ({ target, detail: state }) => {
  tell({ widget: widgets().indexOf(target), state });
});
addEventListener("load", () => {
  if (parent !== window) parent.opener?.postMessage({ follows: true }, "*"); // widgets are alive now
});
/** The overview has all slides at once, as many in a row as lets them be largest. */
function spread() {
  const [wide, high] = [1280 + 60, 720 + 60]; // of a slide, with room around it
  const shown = [...slides.children];
  const scaleFor = (columns) =>
    Math.min(innerWidth / (columns * wide), innerHeight / (Math.ceil(shown.length / columns) * high));
  const columns = shown.reduce((best, _, k) => (scaleFor(k + 1) > scaleFor(best) ? k + 1 : best), 1);
  const rows = Math.ceil(shown.length / columns);
  slides.style.setProperty("--overview", scaleFor(columns));
  for (const [k, slide] of shown.entries()) {
    slide.style.setProperty("--across", `${((k % columns) - (columns - 1) / 2) * wide}px`);
    slide.style.setProperty("--down", `${(Math.floor(k / columns) - (rows - 1) / 2) * high}px`);
  }
}
Reveal.on("overviewshown", spread);
addEventListener("resize", () => Reveal.isOverview() && spread());

Reveal.addKeyBinding({ keyCode: 67, key: "C", description: "Core or whole" }, () =>
  choosePart(!isCore),
);

const ofSlide = (selector) => Reveal.getCurrentSlide().querySelector(selector);

/** Show a slide's solution over its exercise, or take it away. */
function solve() {
  const solution = ofSlide(".solution");
  if (solution) solution.hidden = !solution.hidden;
}
Reveal.addKeyBinding({ keyCode: 65, key: "A", description: "Answer: the exercise's solution" }, solve);
Reveal.on("slidechanged", ({ previousSlide }) => {
  const left = previousSlide?.querySelector(".solution");
  if (left) left.hidden = true;
});

/** Count the minutes of a slide's exercise down, and begin anew when asked again. */
function time(button) {
  button.dataset.says ??= button.textContent;
  const ends = Date.now() + 60000 * button.dataset.minutes;
  clearInterval(Number(button.dataset.ticks));
  if (button.dataset.ticks) {
    delete button.dataset.ticks;
    button.textContent = button.dataset.says;
    return;
  }
  const tick = () => {
    const left = Math.max(0, Math.round((ends - Date.now()) / 1000));
    const seconds = String(left % 60).padStart(2, "0");
    button.textContent = left ? `${Math.floor(left / 60)}:${seconds} left` : "Time";
  };
  button.dataset.ticks = setInterval(tick, 1000);
  tick();
}
for (const button of document.querySelectorAll(".timer")) {
  button.addEventListener("click", () => time(button));
}
Reveal.addKeyBinding({ keyCode: 84, key: "T", description: "Timer of the exercise" }, () =>
  ofSlide(".timer")?.click(),
);

// A poll counts hands: a click or its number adds one to a choice, 0 takes all away.
const polls = [...document.querySelectorAll(".part.poll")].map((poll) => [...poll.querySelectorAll("button")]);
const counted = (buttons) => buttons.map((button) => Number(button.dataset.hands ?? 0));
const show = (buttons, hands) => {
  const most = Math.max(1, ...hands);
  for (const [place, button] of buttons.entries()) {
    button.dataset.hands = hands[place];
    if (Math.max(...hands) === 0) delete button.dataset.hands;
    button.style.setProperty("--share", hands[place] / most);
  }
};
/** Let a poll have these hands, here and in the speaker's window. */
function count(poll, hands) {
  show(polls[poll], hands);
  tell({ poll, hands });
}
for (const [poll, buttons] of polls.entries()) {
  for (const [place, button] of buttons.entries()) {
    button.addEventListener("click", () =>
      count(poll, counted(buttons).map((hands, k) => hands + (k === place))),
    );
  }
}
for (const digit of "012345") {
  const press = () => {
    const poll = polls.findIndex((buttons) => ofSlide(".part.poll")?.contains(buttons[0]));
    if (poll < 0) return;
    if (digit === "0") count(poll, polls[poll].map(() => 0));
    else polls[poll][digit - 1]?.click();
  };
  Reveal.addKeyBinding(digit.charCodeAt(), press);
}
Reveal.registerKeyboardShortcut("1 to 5, 0", "Poll: a hand for a choice; no hands");

Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or light" }, () => {
  const page = document.documentElement;
  page.dataset.theme = page.dataset.theme === "dark" ? "light" : "dark";
  tell({ theme: page.dataset.theme });
});
