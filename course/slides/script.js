// The deck's behaviour: reveal.js does nearly all of it.

const inWidget = (event) =>
  event.composedPath().some((element) => element.classList?.contains("attnlib-live"));
const TURNS_ALWAYS = new Set(["PageUp", "PageDown", "Escape"]); // what a clicker in the hand sends

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
  keyboardCondition: (event) => TURNS_ALWAYS.has(event.key) || !inWidget(event),
  plugins: [RevealNotes],
});

/** Give widgets and formulas of a slide the largest size at which they fit. */
function fit(slide) {
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
      widget.style.zoom = `${percent}%`;
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
  const { h, v } = Reveal.getIndices(target.closest("section"));
  Reveal.slide(h, v);
});

Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or light" }, () => {
  const page = document.documentElement;
  page.dataset.theme = page.dataset.theme === "dark" ? "light" : "dark";
});
