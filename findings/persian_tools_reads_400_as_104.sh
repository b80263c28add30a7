#!/usr/bin/env bash
# Guess: numbers that the library writes in Persian words come back from them.
# Behaviour: 400 is written as two words (چهار صد), which are read as four and hundred and added: 104, 400,000 is 104,000. So a tenth of all numbers
# below 10,000 become others; in one word (چهارصد), 400 is right. Fractions are added or left out: three point five (سه ممیز پنج) is 8, one and a
# half (یک و نیم) 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @persian-tools/persian-tools@4.0.4
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { numberToWords, wordsToNumber } from "@persian-tools/persian-tools";

const { version } = JSON.parse(readFileSync("node_modules/@persian-tools/persian-tools/package.json"));
console.log(`@persian-tools/persian-tools ${version}, node ${process.version}`);
function see(words, expected, right) {
  const seen = wordsToNumber(words);
  console.log(`${words} is ${seen} (right: ${right})`);
  return seen === expected;
}
if (!see("چهارصد", 400, 400) || !see(numberToWords(3500), 3500, 3500) || !see("منفی پنج", -5, -5)) {
  console.error("not as expected");
  process.exit(1);
}
const wrong = [
  [numberToWords(400), 104, 400],
  [numberToWords(1404), 1108, 1404],
  [numberToWords(400000), 104000, 400000],
  ["سه ممیز پنج", 8, 3.5],
  ["یک و نیم", 1, 1.5],
];
const lost = [...Array(10000).keys()].filter((number) => wordsToNumber(numberToWords(number)) !== number);
console.log(`of the numbers below 10,000, ${lost.length} come back as others, the first is ${lost[0]}`);
if (!wrong.map((each) => see(...each)).every(Boolean) || lost.length !== 1000) {
  console.error("persian-tools changed");
  process.exit(1);
}
JS
node run.mjs
