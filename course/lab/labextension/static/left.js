// What the hand has left in widgets goes along when a notebook is saved: by cell and place, in the
// notebook's metadata, from where the server puts it into the outputs (attnlib/jupyter/saving.py).

const TYPE = "application/vnd.attnlib.widget+json";
const OURS = "attnlib";
const BESIDES = ["_untouched", "_moves", "_reached"]; // what the hand leaves besides a widget's inputs

export default ({ INotebookTracker }) => ({
  id: "attnlib:left",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, tracker) => {
    tracker.widgetAdded.connect((_, { content, context }) => {
      context.saveState.connect((_, state) => {
        if (state === "started") handOver(content, context.model); // before its cells are read
      });
      // So that it is saved by itself, as what is typed, and asked for when the notebook is closed.
      content.node.addEventListener("attnlib:moved", () => (context.model.dirty = true));
    });
  },
});

const handOver = (notebook, model) => {
  const { states: before, ...others } = model.getMetadata(OURS) ?? {};
  const states = notebook.widgets.flatMap(({ outputArea }, cell) =>
    (outputArea?.widgets ?? []).flatMap(({ node }, output) => {
      const recorded = outputArea.model.get(output)?.data[TYPE]?.traits;
      const live = node.querySelector(".attnlib-live");
      const traits = recorded && live ? changed({ ...live.usual, ...recorded }, live.shows) : [];
      return traits.length ? [{ cell, output, traits: Object.fromEntries(traits) }] : [];
    }),
  );
  if (states.length) model.setMetadata(OURS, { ...others, states });
  else if (before && Object.keys(others).length) model.setMetadata(OURS, others);
  else if (before) model.deleteMetadata(OURS);
};

/** The traits that are others than they were recorded, as pairs of name and value. */
const changed = (before, shown) =>
  Object.keys(before)
    .filter((name) => BESIDES.includes(name) || !name.startsWith("_"))
    .map((name) => [name, shown.get(name)])
    .filter(([, value]) => value !== undefined) // another version's widget has none
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
