// What the worker of the site's page answers, without a browser: node read_sentences.mjs SOURCES SCRIPT MODEL < asked > answered.

import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [sources, script, model] = process.argv.slice(2);
const { lines, asked } = JSON.parse(readFileSync(0, "utf8"));
const told = [];
Object.assign(globalThis, { onmessage: null, postMessage: (data) => told.push(data) });
await import(pathToFileURL(`${sources}/reader.js`));
const { tokenize } = await import(pathToFileURL(`${sources}/pieces.js`));

const [program] = readFileSync(script, "utf8").match(/(?<=")AGFzbQ[^"]+/); // the page's script has it in letters
for (const one of ["AGFzbQ", program]) onmessage({ data: { program: one } }); // the first is cut short
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = () => { throw new RangeError("no room"); };
let ended;
try {
  onmessage({ data: { part: { name: "words_0", data: btoa("0".repeat(99_999)) } } });
} catch (error) {
  ended = error.message;
}
WebAssembly.Memory.prototype.grow = grow;
globalThis.attnlibModel = (part) => onmessage({ data: { part } });
let vocabulary;
for (const name of readdirSync(model).filter((name) => name.endsWith(".js"))) {
  (0, eval)(readFileSync(`${model}/${name}`, "utf8"));
  if (name === "pieces.js") (0, eval)(readFileSync(`${model}/${name}`, "utf8").replace("attnlibModel", "globalThis.kept ="));
}
vocabulary = new Set(globalThis.kept.pieces.split("\n"));

// Groups of sentences; of each, all are asked for at once.
for (const group of asked) await Promise.all(group.map((one) => onmessage({ data: one })));

const numbers = (x) => Buffer.from(Float32Array.from(x).buffer).toString("base64");
const plain = (key, x) => (["states", "query", "key", "value"].includes(key) ? x.map(numbers) : x);
const answered = told.filter((one) => one.asked).map((one) => Object.fromEntries(Object.entries(one).map(([key, x]) => [key, plain(key, x)])));
const begun = told.flatMap((one) => one.unable ?? one.began ?? []);
const held = told.flatMap((one) => one.held ?? one.error ?? []);
process.stdout.write(JSON.stringify({ begun, ended, held, answered, pieces: lines.map((line) => tokenize(line, vocabulary)) }));
