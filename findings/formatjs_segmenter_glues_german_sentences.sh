#!/usr/bin/env bash
# Guess: the polyfill of `Intl.Segmenter`, which is said to comply fully with ECMA-402, ends sentences where Node does.
# Behaviour: CLDR's lists of abbreviations (without lists, Node uses none) are compared with the end of the text before a break, not with its last
# word. The German list has b., d., r., s., u. and z.: each sentence that ends in such a letter goes on in the next, "Er sah den Bruder. Sie ging." is one
# sentence; so in Portuguese "Ela mora no Brasil.", in French "les travaux.", in Russian "Он хотел." (тел. is telephone), in English
# "It is an app." and "the U.S.", also before an empty line. And a number before a small letter begins a sentence: "It stopped. 10 km
# were left." is two, against rule SB8 of Unicode. With other ends of words, and for words, the polyfill is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @formatjs/intl-segmenter@12.2.15 >/dev/null
cat >"$folder/check.mjs" <<'JS'
import { readFileSync } from "node:fs";

import { Segmenter } from "@formatjs/intl-segmenter";

const { version } = JSON.parse(readFileSync(new URL("node_modules/@formatjs/intl-segmenter/package.json", import.meta.url)));
console.log(`@formatjs/intl-segmenter ${version}, Node ${process.versions.node} (CLDR ${process.versions.cldr})`);
const parts = (library, locale, text, granularity = "sentence") =>
  [...new library(locale, { granularity }).segment(text)].map(({ segment }) => segment);
const stop = (text) => {
  console.error(text);
  process.exit(1);
};
const check = (locale, text, here, there, message) => {
  const seen = [Segmenter, Intl.Segmenter].map((library) => parts(library, locale, text).length);
  console.log(`${locale}: ${JSON.stringify(text)} ${seen[0]} instead of ${seen[1]}`);
  if (seen[0] !== here || seen[1] !== there) stop(message);
};
for (const [locale, text] of [
  ["de", "Er sah die Katze. Sie ging."],
  ["pt", "Ela mora na casa. Depois saiu."],
  ["fr", "Il est parti. Elle reste."],
  ["ru", "Он купил дом. Она ушла."],
  ["en", "I was there. She left."],
])
  check(locale, text, 2, 2, "not as expected");
if (parts(Segmenter, "de", "3,5 km, o'clock", "word").join("|") !== parts(Intl.Segmenter, "de", "3,5 km, o'clock", "word").join("|")) stop("not as expected");
const changed = "@formatjs/intl-segmenter changed";
for (const [locale, text] of [
  ["de", "Er sah den Bruder. Sie ging."],
  ["de", "Sie kaufte ein Haus. Er nicht."],
  ["de", "Nimm bitte Platz. Er kommt."],
  ["pt", "Ela mora no Brasil. Depois saiu."],
  ["fr", "Voici les travaux. Elle reste."],
  ["ru", "Он хотел. Она ушла."],
  ["en", "It is an app. Then we left."],
  ["en", "We live in the U.S. Then we left."],
])
  check(locale, text, 1, 2, changed);
check("en", "We live in the U.S.\n\nNext paragraph.", 1, 3, changed);
check("en", "It stopped. 10 km were left.", 2, 1, changed);
const ends = [..."abcdefghijklmnopqrstuvwxyz"].filter((letter) => parts(Segmenter, "de", `Das ist ein Oo${letter}. Er kam.`).length === 1).join("");
const native = [..."abcdefghijklmnopqrstuvwxyz"].every((letter) => parts(Intl.Segmenter, "de", `Das ist ein Oo${letter}. Er kam.`).length === 2);
console.log(`last letters that glue German sentences: ${ends}`);
if (ends !== "bdrsuz" || !native) stop(changed);
JS
node "$folder/check.mjs"
