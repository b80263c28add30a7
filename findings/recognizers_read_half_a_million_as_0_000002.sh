#!/usr/bin/env bash
# Guess: numbers in words that are found have the value that the words say, or are not found.
# Behaviour: half before million divides one by the other: half a million is 0.000002, two and a half million 2.0000005, dos millones y medio
# 1,000,000. Two hundred and three hundred are 500, ½ is 0, −5 with the sign of typography is 5, as are "moins cinq" and "menos cinco". French
# hundreds with an s are lost, "cinq cents" is 5, "un million cinq cent mille" 100,000,500,000; in Japanese, 120 million (一億二千万) are 100,002,000,
# the year 二〇二六 is 6. The culture German is there, but has English rules: 10.000 is 10 and 1.234,56 is 1.794.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @microsoft/recognizers-text-suite@1.3.1
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import recognizers from "@microsoft/recognizers-text-suite";

const { version } = JSON.parse(readFileSync("node_modules/@microsoft/recognizers-text-suite/package.json"));
console.log(`@microsoft/recognizers-text-suite ${version}, node ${process.version}`);
function see(culture, text, expected, right) {
  const seen = recognizers.recognizeNumber(text, recognizers.Culture[culture]).map((each) => each.resolution.value).join(" and ");
  console.log(`${culture}: ${text} is ${seen || "nothing"}` + (right ? ` (right: ${right})` : ""));
  return seen === expected;
}
const controls = [
  ["English", "1.5 million", "1500000"],
  ["English", "two and a half", "2.5"],
  ["English", "-5 and 1/2", "-5 and 0.5"],
  ["English", "fifty and sixty", "50 and 60"],
  ["French", "deux cent mille", "200000"],
  ["Spanish", "10.000", "10000"],
  ["Japanese", "二千万", "20000000"],
];
const wrong = [
  ["English", "half a million dollars", "2E-06", "500000"],
  ["English", "a quarter million", "2.5E-07", "250000"],
  ["English", "two and a half million", "2.0000005", "2500000"],
  ["English", "between two hundred and three hundred people", "500", "200 and 300"],
  ["English", "½ cup", "0", "0.5"],
  ["English", "\u22125 degrees", "5", "-5"],
  ["French", "cinq cents personnes", "5", "500"],
  ["French", "un million cinq cent mille", "100000500000", "1500000"],
  ["French", "moins cinq", "5", "-5"],
  ["Spanish", "medio millón", "2E-06", "500000"],
  ["Spanish", "dos millones y medio", "1000000", "2500000"],
  ["Spanish", "menos cinco", "5", "-5"],
  ["Portuguese", "dois milhões e meio", "1000000", "2500000"],
  ["Japanese", "一億二千万", "100002000", "120000000"],
  ["Japanese", "二〇二六年", "6", "2026"],
  ["German", "10.000", "10", "10000"],
  ["German", "1.234,56", "1.794", "1234.56"],
];
const isRight = (list) => list.map((each) => see(...each)).every(Boolean);
if (!isRight(controls)) {
  console.error("not as expected");
  process.exit(1);
}
if (!isRight(wrong)) {
  console.error("the recognizers changed");
  process.exit(1);
}
JS
node run.mjs
