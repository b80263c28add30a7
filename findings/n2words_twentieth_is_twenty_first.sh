#!/usr/bin/env bash
# Guess: two numbers have two names.
# Behaviour: the Hebrew 20th is "twenty and first", the word of the 21st; so are the 30th to the 90th, and each number that ends in such a ten.
# In Romanian, the 200th to the 900th are all "al sutălea", the 100th. In Spanish, the 1,000,000,000th begins with "undefined"; in
# Greek, it is a millionth, as is the 2,000,000,000th. Cardinal numbers of these languages are right. The README says that all of
# its languages support all forms, for numbers of any size.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund n2words@4.0.0
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { toCardinal as cardinalHe, toOrdinal as he } from "n2words/he-IL";
import { toOrdinal as ro } from "n2words/ro-RO";
import { toOrdinal as es } from "n2words/es-ES";
import { toOrdinal as el } from "n2words/el-GR";

const { version } = JSON.parse(readFileSync("node_modules/n2words/package.json"));
console.log(`n2words ${version}, node ${process.version}`);
console.log(`Hebrew: 20 ${cardinalHe(20)}, 21 ${cardinalHe(21)}; 20th ${he(20)}, 21st ${he(21)}`);
const same = { Hebrew: [], Romanian: [] };
for (const [name, ordinal] of [["Hebrew", he], ["Romanian", ro]]) {
  const seen = new Map();
  for (let number = 1; number < 1000; number++) {
    const words = ordinal(number);
    if (seen.has(words)) same[name].push([seen.get(words), number]);
    else seen.set(words, number);
  }
  console.log(`${name}: ${same[name].length} of the ordinals to 999 are those of a smaller number, such as`, same[name].slice(0, 3));
}
console.log(`Romanian: 100th ${ro(100)}, 200th ${ro(200)}, 900th ${ro(900)}`);
console.log(`Spanish: 1,000,000,000th ${es(1e9)}`);
console.log(`Greek: 1,000,000,000th ${el(1e9)}, 2,000,000,000th ${el(2e9)}`);
const changed =
  cardinalHe(20) === cardinalHe(21) || he(20) !== he(21) || he(90) !== he(91) || same.Hebrew.length !== 80 ||
  ro(100) !== ro(200) || ro(100) !== ro(900) || same.Romanian.length !== 8 ||
  !es(1e9).includes("undefined") || el(1e9) !== el(2e9);
if (changed) {
  console.error("n2words changed");
  process.exit(1);
}
JS
node run.mjs
