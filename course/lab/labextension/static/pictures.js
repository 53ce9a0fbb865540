// A picture tells its alt text: JupyterLab keeps it with the output, and shows none.

export default ({ INotebookTracker }) => ({
  id: "attnlib:pictures",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, tracker) => {
    tracker.widgetAdded.connect((_, { content, context }) => {
      context.ready.then(() => {
        tell(content);
        const again = new MutationObserver((changes) => {
          if (changes.some(({ addedNodes }) => [...addedNodes].some(holdsPicture))) tell(content);
        });
        again.observe(content.node, { childList: true, subtree: true });
      });
    });
  },
});

const holdsPicture = (node) => node.matches?.("img") || Boolean(node.querySelector?.("img"));

const tell = (notebook) => {
  for (const { outputArea } of notebook.widgets) {
    outputArea?.widgets.forEach(({ node }, place) => {
      const alt = outputArea.model.get(place)?.metadata["image/png"]?.alt;
      const picture = node.querySelector(".jp-RenderedImage img:not([alt])");
      if (alt && picture) picture.alt = alt;
    });
  }
};
