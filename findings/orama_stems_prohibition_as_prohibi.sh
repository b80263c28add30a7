#!/usr/bin/env bash
# Guess: the English stemmer gives a verb and its noun in -ion one stem, as Porter's algorithm does: step 4 takes off "ion" behind s or t, where what
# is left, with that letter, is long enough.
# Behaviour: the letter before "ion" is lost with it, and is not counted: "prohibition" is "prohibi" and "prohibit" "prohibit", so that a search for
# one does not find the other; so are "subtraction", "insertion" and "exhibition"; "explosion" and "abrasion", whose stems are too short without the
# s, stay as they are. Other endings are as in Porter's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @orama/stemmers@3.1.18 stemmer@2.0.1 >/dev/null
cat >"$folder/check.mjs" <<'JS'
import { readFileSync } from "node:fs";
import { stemmer as orama } from "@orama/stemmers/english";
import { stemmer as porter } from "stemmer";

const read = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
console.log(...["@orama/stemmers", "stemmer"].map((name) => `${name} ${read(name)}`));
// A noun, and its verb or its stem by the rules of Porter.
const PAIRS = [["prohibition", "prohibit"], ["subtraction", "subtract"], ["insertion", "insert"], ["exhibition", "exhibit"], ["assertion", "assert"]];
const SHORT = [["explosion", "explos"], ["abrasion", "abras"], ["completion", "complet"]];
const RIGHT = ["adoptable", "relational", "houses", "happy", "adjustment", "hopefulness", "running", "agreed", "revival", "controlling", "nation", "lion"];
const stop = (words) => {
  console.error(words);
  process.exit(1);
};
for (const [noun, verb] of PAIRS) console.log(`${noun}: ${orama(noun)}, ${verb}: ${orama(verb)}; by Porter ${porter(noun)}, ${porter(verb)}`);
for (const [noun] of SHORT) console.log(`${noun}: ${orama(noun)}; by Porter ${porter(noun)}`);
if (PAIRS.some(([noun, verb]) => porter(noun) !== porter(verb)) || SHORT.some(([noun, stem]) => porter(noun) !== stem)) stop("not as expected");
if (RIGHT.some((word) => orama(word) !== porter(word))) stop("not as expected");
if (PAIRS.some(([noun, verb]) => orama(noun) === orama(verb) || orama(verb) !== porter(verb) || orama(noun) !== porter(noun).slice(0, -1))) stop("Orama changed");
if (SHORT.some(([noun]) => orama(noun) !== noun)) stop("Orama changed");
JS
node "$folder/check.mjs"
