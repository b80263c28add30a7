#!/usr/bin/env bash
# Guess: numbers found in English text have the values that the text says, with their signs, and writing them in figures or words changes none.
# Behaviour: two round numbers joined by "and" are one of value 0: "between two hundred and three hundred people" becomes "between 0 people";
# two and a half million are 2,000,000, while two and a half are right. The value of -5 is 5, so that one more is -6, and with the marks of
# thousands, the sign is gone. 1/2 is 1, one more 2/2. In words, 0.5 is "point five", which is read as 5, and 1234567.89 loses its fraction. The
# normal form of ß is b, so that Weiß (white, a name) has that of Weib (woman).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund compromise@14.17.0
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import nlp from "compromise";

const { version } = JSON.parse(readFileSync("node_modules/compromise/package.json"));
console.log(`compromise ${version}, node ${process.version}`);
const ways = {
  value: (text) => nlp(text).numbers().get().join(" and "),
  figures: (text) => change(text, (numbers) => numbers.toNumber()),
  words: (text) => change(text, (numbers) => numbers.toText()),
  marks: (text) => change(text, (numbers) => numbers.toLocaleString()),
  more: (text) => change(text, (numbers) => numbers.increment()),
  normal: (text) => nlp(text).text("normal"),
};
function change(text, way) {
  const document = nlp(text);
  way(document.numbers());
  return document.text();
}
function see(way, text, expected, right) {
  const seen = ways[way](text);
  console.log(`${way} of “${text}”: ${seen}` + (right ? ` (right: ${right})` : ""));
  return seen === expected;
}
const controls = [
  ["figures", "from two hundred to three hundred people", "from 200 to 300 people"],
  ["figures", "two and a half hours", "2.5 hours"],
  ["figures", "half a million people", "500000 people"],
  ["value", "minus five degrees", "-5"],
  ["words", "1234.5", "one thousand two hundred and thirty four point five"],
];
const wrong = [
  ["figures", "between two hundred and three hundred people", "between 0 people", "between 200 and 300 people"],
  ["figures", "two thousand and three thousand", "0", "2000 and 3000"],
  ["figures", "two and a half million people", "2000000 people", "2500000 people"],
  ["value", "It was -5 degrees.", "5", "-5"],
  ["more", "It was -5 degrees.", "It was -6 degrees.", "It was -4 degrees."],
  ["marks", "It was -5 degrees.", "It was 5 degrees.", "It was -5 degrees."],
  ["value", "1/2 cup", "1", "0.5"],
  ["more", "1/2 cup", "2/2 cup", "3/2 cup"],
  ["value", "point five", "5", "0.5"],
  ["words", "0.5", "point five"],
  ["words", "1234567.89", "one million two hundred thousand thirty four thousand five hundred and sixty seven", "… point eight nine"],
  ["normal", "Weiß", "weib", "weiss"],
];
const isRight = (list) => list.map((each) => see(...each)).every(Boolean);
if (!isRight(controls)) {
  console.error("not as expected");
  process.exit(1);
}
if (!isRight(wrong)) {
  console.error("compromise changed");
  process.exit(1);
}
JS
node run.mjs
