// What JupyterLab 4 and Notebook 7 take for an extension, written by hand: a container with `init`
// and `get`. Their own classes come from the page, so nothing is bundled. Its pieces are the files
// beside this one, each a function that is given those classes and returns what Jupyter starts.
"use strict";
{
  const HERE = document.currentScript.src;
  let shared;

  const fromPage = async (name) => {
    const versions = Object.values(shared[name]);
    const entry = versions.find(({ from }) => from === "CORE_FEDERATION") ?? versions[0];
    return (await entry.get())();
  };

  const pieces = (...files) =>
    Promise.all(files.map(async (file) => (await import(new URL(file, HERE))).default));

  const EXTENSIONS = {
    "./notebooks": async () => {
      const notebook = await fromPage("@jupyterlab/notebook");
      const made = await pieces("folds.js", "pictures.js", "left.js", "ended.js");
      return made.map((make) => make(notebook));
    },
    "./recorded": async () => {
      const [make] = await pieces("recorded.js");
      return make(await fromPage("@lumino/widgets"), new URL("widgets.js", HERE));
    },
  };

  (window._JUPYTERLAB ??= {}).attnlib = {
    init: (scope) => {
      shared = scope;
    },
    get: async (name) => {
      const plugins = await EXTENSIONS[name]();
      return () => ({ __esModule: true, default: plugins });
    },
  };
}
