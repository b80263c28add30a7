#!/usr/bin/env bash
# Guess: English numbers in words, as another library writes them, come back as the same numbers in figures.
# Behaviour: of two words before "thousand" or "million", the last alone is multiplied, the others are added: twenty-five thousand is 5,020,
# twenty-five million 5,000,020, one hundred ten thousand 10,100; whole tens and hundreds of thousands are right. Of the numbers from 20,000 to
# 999,999, 98 of 100 come back as others. Two numbers joined by "and" are added: "between two hundred and three hundred" is 500. "Minus" is left.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund words-to-numbers@1.5.1 number-to-words@1.2.4
cat >run.cjs <<'JS'
const { readFileSync } = require("node:fs");
const { toWords } = require("number-to-words");
const { wordsToNumbers } = require("words-to-numbers");

for (const name of ["words-to-numbers", "number-to-words"]) console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version);
console.log("node", process.version);
function see(text, expected, right) {
  const seen = wordsToNumbers(text);
  console.log(`${text}: ${seen}` + (right ? ` (right: ${right})` : ""));
  return String(seen) === expected;
}
const controls = [
  ["fifty thousand", "50000"],
  ["five hundred thousand", "500000"],
  ["thirteen thousand two hundred", "13200"],
  ["one point five metres", "1.5 metres"],
];
const wrong = [
  ["twenty-five thousand", "5020", "25000"],
  ["twenty five million", "5000020", "25000000"],
  ["one hundred and ten thousand", "10100", "110000"],
  ["three hundred and fifty thousand people", "50300 people", "350000 people"],
  ["between two hundred and three hundred people", "between 500 people", "between 200 and 300 people"],
  ["minus five", "minus 5", "-5"],
];
const isRight = (list) => list.map((each) => see(...each)).every(Boolean);
if (!isRight(controls)) {
  console.error("not as expected");
  process.exit(1);
}
let [small, large, all] = [0, 0, 0];
const comesBack = (number) => wordsToNumbers(toWords(number).replaceAll(",", "")) === number;
for (let number = 0; number < 20000; number += 7) small += !comesBack(number);
for (let number = 20000; number < 1000000; number += 97, all++) large += !comesBack(number);
console.log(`below 20,000, ${small} do not come back; from there to 1,000,000, ${large} of ${all}`);
if (!isRight(wrong) || small || large < 0.85 * all) {
  console.error("words-to-numbers changed");
  process.exit(1);
}
JS
node run.cjs
