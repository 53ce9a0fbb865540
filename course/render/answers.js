// What a reader shall find out waits behind a button. Without this script it stands open; a search in
// the page opens it, and so does an address that leads into it; print has all of it.
{
  const waiting = ".answer, [class*=tag_answer-] > .cell_output, [class*=tag_fold-] > .cell_input";
  const groups = new Map();
  const words = JSON.parse(document.querySelector("script[data-words]")?.textContent ?? "{}");
  for (const piece of document.querySelectorAll(waiting)) {
    const [number, title] = nameOf(piece);
    const group = groups.get(number) ?? { title: title ?? say("The answer"), pieces: [] };
    groups.set(number, group);
    group.pieces.push(piece);
  }
  for (const [number, { title, pieces }] of groups) {
    const button = document.createElement("button");
    const show = (open) => {
      button.setAttribute("aria-expanded", String(open));
      const named = { title: title[0].toLowerCase() + title.slice(1) };
      button.textContent = open ? say("Hide {title}", named) : say("Show {title}", named);
      for (const piece of pieces) {
        if (open) piece.removeAttribute("hidden");
        else piece.setAttribute("hidden", "until-found");
        for (const text of [piece, ...piece.querySelectorAll("pre")]) {
          if (text.scrollWidth > text.clientWidth) text.tabIndex = 0; // so that keys can scroll it
        }
      }
    };
    pieces.forEach((piece, place) => {
      piece.classList.add("folds");
      piece.id ||= `answer-${number}-${place + 1}`;
      piece.addEventListener("beforematch", () => show(true));
    });
    button.type = "button";
    button.className = "ask";
    button.setAttribute("aria-controls", pieces.map((piece) => piece.id).join(" "));
    button.addEventListener("click", () => show(button.getAttribute("aria-expanded") !== "true"));
    pieces[0].before(button);
    show(false);
  }

  /** A sentence with named places, in the language of the page. */
  function say(template, places = {}) {
    return (words[template] ?? template).replace(/\{(\w+)\}/g, (_, name) => places[name]);
  }

  /** The number of the answer that a piece belongs to, and what it is called; on the site a cell's
   * class has both. */
  function nameOf({ dataset, classList, parentElement }) {
    if (dataset.answer) return [dataset.answer, dataset.title];
    const kind = classList.contains("cell_input") ? "fold" : "answer";
    const found = parentElement.className.match(new RegExp(`tag_${kind}-(\\d+)-?(\\S*)`));
    return [found[1], found[2] ? decodeURIComponent(found[2]) : undefined];
  }
}
