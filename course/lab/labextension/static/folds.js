// An answer opens when the cell above it has run, and what is folded opens by key. It acts only on
// working copies of lessons, which say so in their metadata (course/lab/copy.py).

const ANSWER = "The answer"; // where the notebook does not say what its answers are called
const CODE = ".jp-InputPlaceholder .jp-Placeholder-content"; // where code is hidden

export default ({ INotebookTracker, NotebookActions }) => ({
  id: "attnlib:folds",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, tracker) => {
    const style = document.createElement("style");
    style.textContent = ".attnlib-folds details { margin-block-end: 1em; }";
    document.head.append(style);
    tracker.widgetAdded.connect((_, { content, context }) => {
      context.ready.then(() => {
        if (!isOurs(content)) return;
        nameCode(content);
        const again = new MutationObserver(() => nameCode(content));
        again.observe(content.node, { childList: true, subtree: true });
      });
    });
    NotebookActions.executed.connect((_, { notebook, cell, success }) => {
      if (success && cell.model.type === "code" && isOurs(notebook)) answer(notebook, cell);
    });
    // On the window, on the way down: Notebook 7 takes keys at the document already.
    const listen = (type, act) =>
      window.addEventListener(
        type,
        (event) => {
          const notebook = tracker.currentWidget?.content;
          if (!isOurs(notebook) || !notebook.node.contains(event.target)) return;
          if (act(event, notebook)) {
            event.preventDefault();
            event.stopImmediatePropagation();
          }
        },
        true,
      );
    listen("keydown", pressed);
    // Two clicks that open and close an answer would begin to edit it.
    listen("dblclick", ({ target }) => target.closest("summary"));
  },
});

const isOurs = (notebook) => Boolean(notebook?.model?.getMetadata("attnlib")?.folded);

/** A cell that ran has told; the prose below it, up to the next code cell, says why. */
const answer = (notebook, cell) => {
  const title = notebook.model.getMetadata("attnlib").answer ?? ANSWER;
  for (const { model, node } of notebook.widgets.slice(notebook.widgets.indexOf(cell) + 1)) {
    if (model.type === "code") break;
    for (const details of node.querySelectorAll(".jp-RenderedMarkdown details")) {
      if (details.querySelector("summary").textContent === title) details.open = true;
    }
  }
};

/** Make buttons of what stands for hidden code, now and whenever something is drawn anew. */
const nameCode = ({ node }) => {
  node.classList.add("attnlib-folds");
  for (const place of node.querySelectorAll(`${CODE}:not([role])`)) {
    place.setAttribute("role", "button");
    place.setAttribute("aria-expanded", "false"); // opened, it gives way to the code
    place.setAttribute("aria-label", place.textContent.replace(/^# |: [^:]+$/g, ""));
    place.tabIndex = 0;
  }
};

/** Act on a key, and tell whether that was all it is for. */
const pressed = ({ key, target, altKey, ctrlKey, metaKey, shiftKey }, notebook) => {
  if (altKey || ctrlKey || metaKey || shiftKey) return false;
  const code = target.closest(CODE);
  if (code && (key === "Enter" || key === " ")) {
    code.click();
    notebook.activeCell?.node.focus();
    return true;
  }
  // Enter would bare the Markdown of the chosen cell, and in it what is still folded.
  const { activeCell, mode } = notebook;
  if (key !== "Enter" || mode !== "command" || target.closest("summary, a, button")) return false;
  const closed = activeCell?.node.querySelector(".jp-RenderedMarkdown details:not([open])");
  closed?.querySelector("summary").focus();
  return Boolean(closed);
};
