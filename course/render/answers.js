// What answers a question waits behind a button. Without this script it stands open; a search in the
// page opens it, and so does an address that leads into it; print has all of it.
{
  const groups = new Map();
  for (const piece of document.querySelectorAll(".answer, [class*=tag_answer-] > .cell_output")) {
    const cell = piece.closest("[class*=tag_answer-]");
    const number = piece.dataset.answer ?? cell.className.match(/tag_answer-(\d+)/)[1];
    groups.set(number, [...(groups.get(number) ?? []), piece]);
  }
  for (const [number, pieces] of groups) {
    const button = document.createElement("button");
    const show = (open) => {
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "Hide the answer" : "Show the answer";
      for (const piece of pieces) {
        if (open) piece.removeAttribute("hidden");
        else piece.setAttribute("hidden", "until-found");
        for (const text of piece.querySelectorAll("pre")) {
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
}
