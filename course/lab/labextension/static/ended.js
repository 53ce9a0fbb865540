// Where several write in one notebook its server remembers it as it was last shown, live widgets
// of a kernel that has ended included. Of these is shown what the file holds: each as it was left.

const TYPE = "application/vnd.attnlib.widget+json";
const LIVE = "application/vnd.jupyter.widget-view+json";

export default ({ INotebookTracker }) => ({
  id: "attnlib:ended",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, tracker) => {
    tracker.widgetAdded.connect(async (_, { content, context }) => {
      await context.ready;
      if (!liveOnes(content).length || content.model.getMetadata("widgets")) return;
      await context.sessionContext.ready;
      const kernel = context.sessionContext.session?.kernel;
      const answer = await kernel?.requestCommInfo({ target_name: "jupyter.widget" });
      const alive = answer?.content.comms ?? {};
      const ended = liveOnes(content).filter(({ model_id }) => !(model_id in alive));
      if (!ended.length) return;
      const saved = await app.serviceManager.contents.get(context.localPath);
      for (const { cell, id, outputs, place } of ended) {
        const { [cell]: left } = saved.content.cells;
        const output = (left?.id === id && left.outputs?.[place]) || outputs.get(place).toJSON();
        delete output.data?.[LIVE];
        outputs.set(place, output);
      }
    });
  },
});

/** The outputs that name a live widget, and have its record as well. */
const liveOnes = (notebook) =>
  notebook.widgets.flatMap(({ model, outputArea }, cell) =>
    Array.from(outputArea?.widgets ?? [], (_, place) => {
      const outputs = outputArea.model;
      const { [TYPE]: record, [LIVE]: live } = outputs.get(place)?.data ?? {};
      return record && live && { cell, id: model.id, outputs, place, model_id: live.model_id };
    }).filter(Boolean),
  );
