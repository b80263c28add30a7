#!/usr/bin/env bash
# Guess: a date that date-fns wrote in a language is read by it, with the same format and language, as the same date, or as invalid.
# Behaviour: in Kazakh, June is read as May, and September to November as January, in Armenian, June and July as January, in West Frisian,
# May as March, in Sorani, January and September to November as December; of short names, in Scottish Gaelic, December as October,
# in Mongolian, October to December as January. In Serbian, Azerbaijani and Sorani, the afternoon is read as the morning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund date-fns@4.4.0
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { format, isValid, parse } from "date-fns";
import * as locales from "date-fns/locale";

const { version } = JSON.parse(readFileSync("node_modules/date-fns/package.json"));
console.log(`date-fns ${version}, node ${process.version}`);
const months = [...Array(12).keys()].map((month) => new Date(2026, month, 3));
const dates = { "d MMMM yyyy": months, "d MMM yyyy": months, "h:mm a": [new Date(2026, 0, 1, 9, 30), new Date(2026, 0, 1, 15, 30)] };
const wrong = {};
for (const [name, locale] of Object.entries(locales)) {
  for (const [pattern, written] of Object.entries(dates)) {
    for (const date of written) {
      const text = format(date, pattern, { locale });
      const read = parse(text, pattern, new Date(2026, 0, 1), { locale });
      if (!isValid(read)) continue;
      const again = format(read, pattern, { locale });
      if (again === text) continue;
      console.log(`${name}, ${pattern}: "${text}" is read as "${again}"`);
      wrong[`${name} ${pattern}`] = (wrong[`${name} ${pattern}`] ?? 0) + 1;
    }
  }
}
const expected = {
  "az h:mm a": 1, "ckb d MMMM yyyy": 4, "ckb h:mm a": 2, "fy d MMMM yyyy": 1, "fy d MMM yyyy": 1, "gd d MMM yyyy": 1,
  "hy d MMMM yyyy": 2, "hy d MMM yyyy": 1, "kk d MMMM yyyy": 4, "mn d MMM yyyy": 3, "sr h:mm a": 1,
};
if (JSON.stringify(wrong) !== JSON.stringify(expected)) throw new Error(`date-fns changed: ${JSON.stringify(wrong)}`);
JS
node run.mjs
