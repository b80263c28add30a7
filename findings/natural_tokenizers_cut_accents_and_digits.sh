#!/usr/bin/env bash
# Guess: the tokenisers that are named after a language know its letters, and digits.
# Behaviour: those of Italian and Dutch know ASCII alone: perché is perch, città citt, België Belgi, ideeën "idee n". Those of Spanish and Portuguese
# drop all numbers. German, Polish, Russian and Vietnamese are right. `TfIdf` knows ASCII and Cyrillic unless it gets another
# tokeniser: a query for Zürich finds "a rich man".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund natural@8.1.1
cat >run.cjs <<'JS'
const { readFileSync } = require("node:fs");
const natural = require("natural");

console.log("natural", JSON.parse(readFileSync("node_modules/natural/package.json")).version);
const expected = [
  ["De", "Größe 3", "Größe 3"], ["Pl", "źródło 3", "źródło 3"], ["Vi", "nước 3", "nước 3"], ["It", "perché 3 città", "perch 3 citt"],
  ["Nl", "ideeën in België", "idee n in Belgi"], ["Es", "El año 2026 tiene 365 días", "El año tiene días"],
  ["Pt", "O ano 2026 tem 365 dias", "O ano tem dias"],
];
for (const [language, text, due] of expected) {
  const seen = new natural[`AggressiveTokenizer${language}`]().tokenize(text).join(" ");
  console.log(`${language}: "${text}" is "${seen}"`);
  if (seen !== due) throw new Error("natural changed");
}
const index = new natural.TfIdf();
const texts = ["Bern ist klein", "a rich man", "дом большой"];
texts.forEach((text) => index.addDocument(text));
const terms = texts.map((_, i) => index.listTerms(i).map(({ term }) => term));
console.log("terms of the index:", JSON.stringify(terms));
const score = index.tfidfs("Zürich");
console.log("scores of Zürich:", JSON.stringify(score));
if (score[1] <= 0 || score[0] !== 0 || terms[2].length !== 2) throw new Error("natural changed");
process.exit(0);
JS
node run.cjs
