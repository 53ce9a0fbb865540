// What JupyterLab 4 and Notebook 7 take for an extension, written by hand: a container with `init`
// and `get`. Their own classes come from the page, so nothing is bundled. It acts only on working
// copies of lessons, which say so in their metadata (course/lab/copy.py).
"use strict";
{
  const ANSWER = "The answer";
  const CODE = ".jp-InputPlaceholder .jp-Placeholder-content"; // where code is hidden
  let shared;

  const fromPage = async (name) => {
    const versions = Object.values(shared[name]);
    const entry = versions.find(({ from }) => from === "CORE_FEDERATION") ?? versions[0];
    return (await entry.get())();
  };

  const isOurs = (notebook) => Boolean(notebook?.model?.getMetadata("attnlib")?.folded);

  const folds = async () => {
    const { INotebookTracker, NotebookActions } = await fromPage("@jupyterlab/notebook");
    return {
      id: "attnlib:folds",
      autoStart: true,
      requires: [INotebookTracker],
      activate: (app, tracker) => {
        tracker.widgetAdded.connect((_, { content, context }) => {
          context.ready.then(() => {
            if (!isOurs(content)) return;
            whenever(content, nameCode);
            whenever(content, tellPictures);
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
    };
  };

  /** A cell that ran has told; the prose below it, up to the next code cell, says why. */
  const answer = (notebook, cell) => {
    for (const { model, node } of notebook.widgets.slice(notebook.widgets.indexOf(cell) + 1)) {
      if (model.type === "code") break;
      for (const details of node.querySelectorAll(".jp-RenderedMarkdown details")) {
        if (details.querySelector("summary").textContent === ANSWER) details.open = true;
      }
    }
  };

  /** Dress a notebook, now and whenever something in it is drawn anew. */
  const whenever = (notebook, dress) => {
    const again = () => dress(notebook);
    again();
    new MutationObserver(again).observe(notebook.node, { childList: true, subtree: true });
  };

  /** Make buttons of what stands for hidden code. */
  const nameCode = ({ node }) => {
    node.classList.add("attnlib-folds");
    for (const place of node.querySelectorAll(`${CODE}:not([role])`)) {
      place.setAttribute("role", "button");
      place.setAttribute("aria-expanded", "false"); // opened, it gives way to the code
      place.setAttribute("aria-label", place.textContent.replace(/^# |: click to open$/g, ""));
      place.tabIndex = 0;
    }
  };

  /** Give pictures their alt texts: JupyterLab keeps them with the outputs, and shows none. */
  const tellPictures = (notebook) => {
    for (const { outputArea } of notebook.widgets) {
      outputArea?.widgets.forEach(({ node }, place) => {
        const alt = outputArea.model.get(place)?.metadata["image/png"]?.alt;
        const picture = node.querySelector(".jp-RenderedImage img:not([alt])");
        if (alt && picture) picture.alt = alt;
      });
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

  const style = document.createElement("style");
  style.textContent = ".attnlib-folds details { margin-block-end: 1em; }";
  document.head.append(style);

  (window._JUPYTERLAB ??= {}).attnlib = {
    init: (scope) => {
      shared = scope;
    },
    get: async () => {
      const plugin = await folds();
      return () => ({ __esModule: true, default: plugin });
    },
  };
}
