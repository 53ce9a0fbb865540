// What reveal.js itself says, in the language of a deck that has another: its help, and the speaker's window.
{
  const put = (page, named) => {
    for (const [selector, says] of Object.entries(named)) {
      for (const element of page.querySelectorAll(selector)) element.firstChild.data = says;
    }
  };

  const write = (page, style) => {
    const element = page.createElement("style");
    element.textContent = style;
    page.head.append(element);
  };
  const heads = JSON.stringify(say("Speaker notes")); // them, on paper
  write(document, `.reveal .speaker-notes::before { content: ${heads}; }`);

  const shortcuts = {
    "N  ,  SPACE": say("Next slide"),
    "P  ,  Shift SPACE": say("Previous slide"),
    "&#8592;  ,  H": say("Navigate left"),
    "&#8594;  ,  L": say("Navigate right"),
    "&#8593;  ,  K": say("Navigate up"),
    "&#8595;  ,  J": say("Navigate down"),
    "Alt + &#8592;/&#8593/&#8594;/&#8595;": say("Navigate without fragments"),
    "Shift + &#8592;/&#8593/&#8594;/&#8595;": say("Jump to first/last slide"),
    "B  ,  .": say("Pause"),
    F: say("Fullscreen"),
    G: say("Jump to slide"),
    "ESC, O": say("Slide overview"),
  };
  Reveal.on("ready", () => {
    for (const [keys, says] of Object.entries(shortcuts)) Reveal.registerKeyboardShortcut(keys, says);
    put(document, { ".resume-button": say("Resume presentation") });
  });
  Reveal.on("showhelp", () => {
    put(document, {
      ".r-overlay-help .title": say("Keyboard Shortcuts"),
      ".r-overlay-help th": say("KEY"),
      ".r-overlay-help th + th": say("ACTION"),
    });
  });

  // The window is another document, which has neither the deck's fonts nor its language.
  addEventListener("message", ({ data, source }) => {
    if (typeof data !== "string" || !data.includes('"type":"connected"')) return;
    const page = source.document;
    const faces = document.querySelector("style").textContent.match(/@font-face \{[^}]*\}/g);
    const family = getComputedStyle(document.body).fontFamily;
    write(page, [...faces, `body { font-family: ${family}; }`].join("\n"));
    page.documentElement.lang = document.documentElement.lang;
    put(page, {
      "#upcoming-slide .label": say("Upcoming"),
      ".speaker-controls-time .label": say("Time "),
      ".reset-button": say("Click to Reset"),
      ".pacing-title": say("Pacing – Time to finish current slide"),
      ".speaker-controls-notes .label": say("Notes"),
      "option[value=default]": say("Default"),
      "option[value=wide]": say("Wide"),
      "option[value=tall]": say("Tall"),
      "option[value=notes-only]": say("Notes only"),
    });
    const label = page.querySelector(".speaker-layout-label");
    const name = () => {
      const layout = page.querySelector("option:checked").textContent;
      label.firstChild.data = say("Layout: {layout}", { layout });
    };
    new MutationObserver(name).observe(label, { childList: true }); // reveal.js writes it anew
    name();
  });
}
