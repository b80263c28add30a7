#!/usr/bin/env bash
# Guess: numbers in German, French and Spanish words, by the packages for these languages, are the numbers in figures.
# Behaviour: German words are put together from those up to 19,000 and those of whole hundreds of thousands: 20,000 is "eintausend" (1,000), 21,000
# "zweitausend" (2,000), 30,000 "nineteen thousand eleven thousand", 1,000,000 "neunhunderttausend" (900,000). In French, 101,000 is "cent mille
# mille". In all three, the value of 3,5 is 35; in German, that of 1.000 is 1 and "zweieinhalb" (2.5) is 3; "deux cents et trois cents" are 500 and
# 80 years (quatre-vingts ans) 4-vingts. The packages are early ones (0.x), and the German one calls itself work in progress.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund de-compromise@0.0.10 fr-compromise@0.2.8 es-compromise@0.2.11
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import de from "de-compromise";
import es from "es-compromise";
import fr from "fr-compromise";

const languages = { de, fr, es };
for (const language of Object.keys(languages)) {
  const { name, version } = JSON.parse(readFileSync(`node_modules/${language}-compromise/package.json`));
  console.log(name, version);
}
console.log("node", process.version);
const ways = {
  words: (document) => (document.numbers().toText(), document.text()),
  figures: (document) => (document.numbers().toNumber(), document.text()),
  value: (document) => document.numbers().json().map((each) => each.number.num).join(" and "),
};
function see(language, way, text, expected, right) {
  const seen = ways[way](languages[language](text));
  console.log(`${language}: ${way} of “${text}”: ${seen}` + (right ? ` (right: ${right})` : ""));
  return seen === expected;
}
const controls = [
  ["de", "words", "12345 Leute", "zwölftausenddreihundertfünfundvierzig Leute"],
  ["de", "figures", "einundzwanzig Leute", "21 Leute"],
  ["fr", "words", "21000 personnes", "vingt et un mille personnes"],
  ["fr", "figures", "deux cents à trois cents personnes", "200 à 300 personnes"],
  ["es", "figures", "dos mil veintiséis", "2026"],
];
const wrong = [
  ["de", "words", "20000 Leute", "eintausend Leute", "zwanzigtausend"],
  ["de", "words", "21000 Leute", "zweitausend Leute", "einundzwanzigtausend"],
  ["de", "words", "30000 Leute", "neunzehntausendelftausend Leute", "dreißigtausend"],
  ["de", "words", "1000000 Leute", "neunhunderttausend Leute", "eine Million"],
  ["de", "figures", "zweieinhalb Kilometer", "3 Kilometer", "2,5 Kilometer"],
  ["de", "value", "3,5 Prozent", "35", "3.5"],
  ["de", "value", "1.000 Euro", "1", "1000"],
  ["fr", "words", "101000 personnes", "cent mille mille personnes", "cent un mille personnes"],
  ["fr", "figures", "deux cents et trois cents", "500", "200 et 300"],
  ["fr", "figures", "quatre-vingts ans", "4-vingts ans", "80 ans"],
  ["fr", "value", "3,5 %", "35", "3.5"],
  ["es", "figures", "doscientos y trescientos", "500", "200 y 300"],
  ["es", "value", "3,5 %", "35", "3.5"],
];
const isRight = (list) => list.map((each) => see(...each)).every(Boolean);
if (!isRight(controls)) {
  console.error("not as expected");
  process.exit(1);
}
if (!isRight(wrong)) {
  console.error("a package changed");
  process.exit(1);
}
JS
node run.mjs
