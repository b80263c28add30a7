#!/usr/bin/env bash
# Guess: a date is found where a text has one, and "the day after tomorrow" is not tomorrow.
# Behaviour: words end for the parsers before a letter with an accent, or anywhere in Cyrillic. So German breakfast (Frühstück), spring
# (Frühling) and early (früh) begin with "Fr", a Friday, a diet is a Tuesday, a sauce (Soße) a Sunday; French tide (marée) is a Tuesday, Russian
# major (майор) the month of May. And where a word stands before "tomorrow" or "yesterday" that changes it, it is left out: après-demain, pasado
# mañana and depois de amanhã are tomorrow, 一昨日 is yesterday, 来週の月曜日 (Monday of next week) is today, a Monday. By the README,
# French, Japanese and Russian are supported, German, Spanish and Portuguese in part.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund chrono-node@2.10.3
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import * as chrono from "chrono-node";

const { version } = JSON.parse(readFileSync("node_modules/chrono-node/package.json"));
console.log(`chrono-node ${version}, node ${process.version}`);
const monday = new Date(2026, 4, 4, 12);
let changed = false;
function see(language, text, found, expected) {
  const results = chrono[language].parse(text, monday);
  const seen = results.map((x) => `${x.text}: ${x.start.get("month")}/${x.start.get("day")}`).join(", ");
  console.log(`${language}: ${text} => ${seen} (right: ${expected})`);
  changed ||= seen !== found;
}
see("de", "Das Frühstück ist gut.", "Fr: 5/1", "no date");
see("de", "Er war immer fröhlich.", "fr: 5/1", "no date");
see("de", "Eine Diät hilft.", "Di: 5/5", "no date");
see("de", "die Soße", "So: 5/3", "no date");
see("de", "Frühling 2026", "Fr: 5/1", "spring");
see("fr", "la marée haute", "mar: 5/5", "no date");
see("ru", "майор", "май: 5/1", "no date");
see("en", "the day after tomorrow", "the day after tomorrow: 5/6", "5/6");
see("fr", "après-demain", "demain: 5/5", "5/6");
see("es", "pasado mañana", "mañana: 5/5", "5/6");
see("pt", "depois de amanhã", "amanhã: 5/5", "5/6");
see("ja", "一昨日", "昨日: 5/3", "5/2");
see("ja", "来週の月曜日", "月曜日: 5/4", "5/11");
if (changed) {
  console.error("chrono-node changed");
  process.exit(1);
}
JS
node run.mjs
