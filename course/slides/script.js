// The deck's behaviour: reveal.js does nearly all of it.

const CLICKERS = new Set(["PageUp", "PageDown", "Escape", "F5"]); // what one in the hand sends
// Controls in which a hand types, so that letters are theirs.
const TYPED_IN = "select, input:not([type=range], [type=radio], [type=checkbox])";

const inWidget = (event) =>
  event.composedPath().some((element) => element.classList?.contains("attnlib-live"));
/** Whether a key is the deck's, and not that of a button or a widget in which it is pressed. */
function isDecks(event) {
  const [pressed] = event.composedPath();
  if (CLICKERS.has(event.key)) return true;
  if (pressed.matches("button") && " Enter".includes(event.key)) return false;
  const isSign = event.key.length === 1 && event.key !== " "; // arrows move its sliders
  return !inWidget(event) || (isSign && !pressed.matches(TYPED_IN));
}
/** Whether a key is the browser's: Ctrl with C copies. What Ctrl and Alt write together is not. */
const isBrowsers = (event) => (event.ctrlKey || event.metaKey) && !event.altKey;

// The speaker's window holds two decks in frames. What a hand does in one of them is done in the
// deck that opened it, which tells both; keys are pressed there alone.
const inFrame = new URLSearchParams(location.search).has("receiver"); // as reveal.js calls it
const others = new Set(inFrame ? [parent.opener] : []);
const tell = (news) => {
  for (const other of others) other.postMessage(news, "*");
};

/** Hand the keys of a window on to the deck. The speaker's window is given this as it stands here. */
function handOn(deck, takes) {
  addEventListener("keydown", (event) => {
    const { key, code, keyCode, shiftKey, ctrlKey, altKey, metaKey } = event;
    if (takes(event) || ((ctrlKey || metaKey) && !altKey)) return;
    event.preventDefault(); // else it would scroll as well
    const pressed = { key, code, keyCode, shiftKey, ctrlKey, altKey };
    // A browser fills the screen for a hand in the same window, or where this is handed on as well.
    const fills = ["f", "F5"].includes(key) && !parent.opener;
    deck.postMessage({ pressed }, fills ? { targetOrigin: "/", delegate: "fullscreen" } : "*");
  }, true);
}

const words = JSON.parse(document.querySelector("script[data-words]")?.textContent ?? "{}");
/** A sentence with named places, in the deck's language. */
const say = (template, places = {}) =>
  (words[template] ?? template).replace(/\{(\w+)\}/g, (_, name) => places[name]);

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
  // What a frame shows follows the deck, and never leads it: it would lead it back to where it was.
  postMessage: inFrame,
  touch: !inFrame,
  keyboardCondition: (event) => !inFrame && isDecks(event), // a frame is told a bare code, too
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

const ofSlide = (selector) => Reveal.getCurrentSlide().querySelector(selector);

// [ and ] step through the moments of the slide's widget, and digits count the hands of its poll.
// Which keys these are is up to the keyboard, so they are known by what they write.
document.addEventListener("keydown", (event) => {
  if (inFrame || isBrowsers(event) || !isDecks(event) || event.target.matches("input")) return;
  if ("[]".includes(event.key)) {
    const asked = new CustomEvent("attnlib-moment", { detail: { key: event.key } });
    ofSlide(".attnlib-live[data-moments]")?.dispatchEvent(asked);
  } else if ("012345".includes(event.key)) vote(Number(event.key));
});
Reveal.registerKeyboardShortcut("[ and ]", say("Moments of the widget"));
Reveal.registerKeyboardShortcut("1 to 5, 0", say("Poll: a hand for a choice; no hands"));
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
  if (!inFrame) {
    history.replaceState(null, "", `${core ? "?core" : location.pathname}${location.hash}`);
  }
  Reveal.sync();
  Reveal.slide(to, 0, following === inOrder[here] ? f : undefined);
  // Who follows the slides, as the speaker's window does, is told even if the number stays.
  if (to === h) Reveal.dispatchEvent({ type: "slidechanged", data: { currentSlide: slides.children[to] } });
}
/** Have the core alone, or the whole, here and in the speaker's window. */
function haveCore(core) {
  choosePart(core);
  tell({ core });
}
for (const button of document.querySelectorAll("[data-plan]")) {
  button.addEventListener("click", () => haveCore(button.dataset.plan === "core"));
}
const widgets = () => [...document.querySelectorAll(".attnlib-live")];
/** Do here what was done in another window: one thing, by its name. */
function redo(news) {
  if (news.core !== undefined) choosePart(news.core);
  if (news.theme) document.documentElement.dataset.theme = news.theme;
  if (news.hands) show(polls[news.poll], news.hands);
  if (news.ends !== undefined) time(timers[news.timer], news.ends);
  if (news.solved !== undefined) solutions[news.solution].hidden = !news.solved;
  if (news.says !== undefined) told.textContent = news.says;
  for (const [name, value] of Object.entries(news.state ?? {})) {
    widgets()[news.widget]?.shows.set(name, value);
  }
}
/** Go through all that a frame has to be told that asks later than it was done. */
function* standing() {
  yield { core: isCore };
  yield { theme: document.documentElement.dataset.theme };
  for (const [poll, buttons] of polls.entries()) yield { poll, hands: counted(buttons) };
  for (const [timer, button] of timers.entries()) yield { timer, ends: Number(button.dataset.ends ?? 0) };
  for (const [solution, { hidden }] of solutions.entries()) yield { solution, solved: !hidden };
  for (const [widget, { shows }] of widgets().entries()) {
    const names = [...Object.keys(shows.get("_untouched")), "_untouched", "_moves", "_reached"];
    yield { widget, state: Object.fromEntries(names.map((name) => [name, shows.get(name)])) };
  }
}
addEventListener("message", ({ data, source }) => {
  if (!data) return; // an extension of the browser may send anything
  if (typeof data === "string") {
    if (data.includes('"type":"connected"')) helpSpeaker(source.document); // reveal.js's own, now whole
  } else if (data.pressed) {
    press(data.pressed);
  } else if (data.follows) {
    if (others.has(source)) return;
    others.add(source);
    for (const news of standing()) source.postMessage(news, "*");
  } else {
    redo(data);
    if (!inFrame) for (const other of others) if (other !== source) other.postMessage(data, "*");
  }
});
/** Press a key here that was pressed in the speaker's window. */
function press(key) {
  if (key.keyCode === 71) remark(say("A slide's number is typed in the hall's own window: press G there."));
  else document.body.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
}
document.addEventListener("attnlib:moved", ({ target, detail: state }) => {
  tell({ widget: widgets().indexOf(target), state });
});
if (inFrame) {
  handOn(parent.opener, (event) => !isDecks(event));
  // When widgets are alive; and again, for a deck that was loaded anew knows nobody.
  addEventListener("load", () => setInterval(tell, 500, { follows: true }));
  Reveal.on("ready", () => {
    const arrows = document.querySelector(".controls");
    const turn = (event) => {
      event.preventDefault();
      event.stopPropagation();
      const keyCode = event.target.closest(".navigate-left") ? 37 : 39;
      tell({ pressed: { keyCode, key: keyCode === 37 ? "ArrowLeft" : "ArrowRight" } });
    };
    for (const kind of ["click", "touchstart"]) arrows.addEventListener(kind, turn, true);
    document.querySelector(".slide-number").inert = true; // it is a link
    document.querySelector("main").inert = !Reveal.getConfig().controls; // what comes next is to look at
  });
}

/** Let reveal.js's window for the speaker hand on its keys, and begin each slide's notes at the top. */
function helpSpeaker(page) {
  const script = page.createElement("script");
  const takes = ({ key, target }) => key === "Tab" || (target.matches("select") && !key.startsWith("Page"));
  const begin = () => {
    const notes = document.querySelector(".speaker-controls-notes");
    let said = "";
    const anew = () => {
      if (notes.textContent !== said) notes.scrollTo(0, 0);
      said = notes.textContent;
    };
    new MutationObserver(anew).observe(notes, { childList: true, subtree: true });
    document.querySelector("select").addEventListener("change", ({ target }) => target.blur());
  };
  script.textContent = `(${handOn})(opener, ${takes}); (${begin})();`;
  page.body.append(script);
}

const told = document.querySelector(".told");
/** Tell the speaker something, here and in their window, until the page turns. */
function remark(says) {
  told.textContent = says;
  tell({ says });
}
Reveal.on("slidechanged", () => told.replaceChildren());

/** Open the speaker's window. Where a browser opens none, reveal.js fails at writing into it. */
function openNotes() {
  try {
    Reveal.getPlugin("notes").open();
  } catch {
    remark(
      say(
        "The browser has opened no window for the speaker. Let this page open windows (the sign at the " +
          "right of the address, or “Allow pop-ups” in its settings), and press S again.",
      ),
    );
  }
}
const fill = () =>
  document.documentElement
    .requestFullscreen()
    .catch(() =>
      remark(say("This browser fills the screen only where F is pressed: press it in the hall's own window.")),
    );
Reveal.on("ready", () => {
  Reveal.addKeyBinding({ keyCode: 83, key: "S", description: say("Speaker notes view") }, openNotes);
});
for (const code of [70, 116]) Reveal.addKeyBinding(code, fill); // F, and F5 of a clicker

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
    slide.style.setProperty("--overview-x", `${((k % columns) - (columns - 1) / 2) * wide}px`);
    slide.style.setProperty("--overview-y", `${(Math.floor(k / columns) - (rows - 1) / 2) * high}px`);
  }
}
Reveal.on("overviewshown", () => {
  spread();
  for (const slide of slides.children) settle(slide); // most were never shown
});
addEventListener("resize", () => Reveal.isOverview() && spread());

Reveal.addKeyBinding({ keyCode: 67, key: "C", description: say("Core or whole") }, () => haveCore(!isCore));

const solutions = [...document.querySelectorAll(".solution")];
/** Show a slide's solution over its exercise, or take it away. */
function solve() {
  const solution = ofSlide(".solution");
  if (!solution) return;
  solution.hidden = !solution.hidden;
  tell({ solution: solutions.indexOf(solution), solved: !solution.hidden });
}
Reveal.addKeyBinding({ keyCode: 65, key: "A", description: say("Answer: the exercise's solution") }, solve);
Reveal.on("slidechanged", ({ previousSlide }) => {
  const left = previousSlide?.querySelector(".solution");
  if (left) left.hidden = true;
});

const timers = [...document.querySelectorAll(".timer")];
/** Count the minutes of a slide's exercise down until it ends; 0 ends it now. */
function time(button, ends) {
  button.dataset.says ??= button.textContent;
  clearInterval(Number(button.dataset.ticks));
  delete button.dataset.ticks;
  button.dataset.ends = ends;
  button.textContent = button.dataset.says;
  if (!ends) return;
  const tick = () => {
    const left = Math.max(0, Math.round((ends - Date.now()) / 1000));
    const seconds = String(left % 60).padStart(2, "0");
    const time = `${Math.floor(left / 60)}:${seconds}`;
    button.textContent = left ? say("{time} left", { time }) : say("Time");
  };
  button.dataset.ticks = setInterval(tick, 1000);
  tick();
}
for (const [timer, button] of timers.entries()) {
  button.addEventListener("click", () => {
    const ends = button.dataset.ticks ? 0 : Date.now() + 60000 * button.dataset.minutes;
    time(button, ends);
    tell({ timer, ends });
  });
}
Reveal.addKeyBinding({ keyCode: 84, key: "T", description: say("Timer of the exercise") }, () =>
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
/** Count a hand for a choice of the slide's poll, from 1; 0 takes all away. */
function vote(choice) {
  const poll = polls.findIndex((buttons) => ofSlide(".part.poll")?.contains(buttons[0]));
  if (poll < 0) return;
  if (choice) polls[poll][choice - 1]?.click();
  else count(poll, polls[poll].map(() => 0));
}

// What the mouse has pressed is no longer what the space bar presses: it turns the page.
document.addEventListener("click", ({ target, detail }) => {
  if (detail && target.closest("button")) target.closest("button").blur();
});

Reveal.addKeyBinding({ keyCode: 68, key: "D", description: say("Dark or light") }, () => {
  const page = document.documentElement;
  page.dataset.theme = page.dataset.theme === "dark" ? "light" : "dark";
  tell({ theme: page.dataset.theme });
});
