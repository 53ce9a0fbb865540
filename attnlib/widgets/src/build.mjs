// Bundle the widgets' front end into the one file that ships, with its libraries' licences.

import asc from "assemblyscript/asc";
import { build, transform } from "esbuild";
import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";

const LIBRARIES = ["preact"];

const notices = LIBRARIES.map((name) => {
  const folder = `node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  return `${name} ${version}\n\n${readFileSync(`${folder}/LICENSE`, "utf8").trim()}`;
});

// WebKitGTK knows some properties by a name of its own: without user-select a drag marks words there.
const PREFIXED = ["chrome120", "firefox120", "safari17"];

const styles = {
  name: "styles as text, minified",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true, target: PREFIXED });
      return { contents: code, loader: "text" };
    });
  },
};

// A widget is a file, my_name.jsx, that has a view; its class in Python is MyName.
const names = readdirSync(".")
  .filter((file) => file.endsWith(".jsx") && readFileSync(file, "utf8").includes("export function View("))
  .map((file) => file.replace(".jsx", ""))
  .sort();
const inOne = (name) => name.replace(/(^|_)(.)/g, (_, before, letter) => letter.toUpperCase());
const widgets = {
  name: "widgets, found by their files",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^widgets$/ }, ({ path }) => ({ path, namespace: "found" }));
    onLoad({ filter: /.*/, namespace: "found" }, () => ({
      contents: [
        ...names.map((name) => `import * as ${name} from "./${name}.jsx";`),
        `export default { ${names.map((name) => `${inOne(name)}: ${name}`).join(", ")} };`,
      ].join("\n"),
      resolveDir: ".",
    }));
  },
};

// What is AssemblyScript is made WebAssembly, in letters that atob reads.
const programs = {
  name: "AssemblyScript as WebAssembly",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const made = {};
      const options = ["-O3", "--runtime", "stub", "--noAssert", "--enable", "simd", "--outFile", "made"];
      const { error, stderr } = await asc.main([basename(path), ...options], { writeFile: (name, x) => void (made[name] = x) });
      if (error) throw new Error(`${stderr}`);
      return { contents: made.made, loader: "base64" };
    });
  },
};

// The site's pages on which one types have a script each; that of a sentence has in it, as text, its worker's.
const workers = {
  name: "workers as text",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^worker:/ }, ({ path }) => ({ path: path.replace("worker:", ""), namespace: "worker" }));
    onLoad({ filter: /.*/, namespace: "worker" }, async ({ path }) => {
      const { outputFiles } = await build({ ...shared, entryPoints: [path], write: false });
      return { contents: outputFiles[0].text, loader: "text" };
    });
  },
};
const shared = { bundle: true, minify: true, format: "iife", target: "es2022", charset: "utf8" };
const [toBundle = "../widgets.js", ...toPages] = process.argv.slice(2);
for (const [k, [entry, made]] of [["sentence.js", "sentence.js"], ["letters_page.js", "letters.js"]].entries()) {
  await build({
    ...shared,
    entryPoints: [entry],
    outfile: toPages[k] ?? `../../../course/site/${made}`,
    plugins: [programs, workers],
    banner: { js: '// Made by "make widgets" from attnlib/widgets/src.' },
  });
}

await build({
  entryPoints: ["index.js"],
  outfile: toBundle,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [styles, widgets],
  legalComments: "none",
  banner: { js: `/*\nMade by "make widgets" from attnlib/widgets/src.\n\n${notices.join("\n\n")}\n*/` },
});
