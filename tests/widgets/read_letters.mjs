// What the site's page computes of texts, without a browser: node read_letters.mjs SOURCES < asked > answered.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { amongLikeliest, countedAfter, logitsAfter, modelOf } = await import(pathToFileURL(`${process.argv[2]}/letters.js`));
const { script, texts } = JSON.parse(readFileSync(0, "utf8"));
const { letters, learned, model: sent } = (0, eval)(`${script} LETTERS`);
const model = modelOf(sent);
const answered = texts.map((text) => {
  const logits = logitsAfter(model, [...text].map((letter) => letters.indexOf(letter)));
  return { logits, counted: countedAfter(learned, letters, text), few: [...amongLikeliest(logits, 0.5, 3)] };
});
process.stdout.write(JSON.stringify(answered));
