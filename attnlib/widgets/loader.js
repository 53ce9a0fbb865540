// A widget's own module in a notebook. The bundle has come once, in a model of its own; whoever
// needs it first makes the page's module of it.

const modules = (globalThis.attnlibModules ??= new Map());

async function bundle(model) {
  const held = await model.widget_manager.get_model(model.get("_bundle").replace("IPY_MODEL_", ""));
  const digest = held.get("digest");
  if (!modules.has(digest)) {
    const url = URL.createObjectURL(new Blob([held.get("code")], { type: "text/javascript" }));
    modules.set(digest, import(url));
  }
  return (await modules.get(digest)).default;
}

async function render({ model, el }) {
  let widgets;
  try {
    widgets = await bundle(model);
  } catch {
    model.send({ asks: "bundle" }); // a front end that shows a widget no other model
    return;
  }
  return widgets.render({ model, el });
}

export default { render };
