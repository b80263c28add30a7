#!/usr/bin/env bash
# Guess: in the plain text of a page, words and numbers that stand in boxes of their own are apart; tables lose their borders only.
# Behaviour: cells of a table, terms and descriptions of a list (<dl>), options, buttons, <summary>, <address> and captions follow each other without
# a space: two columns "10" and "20" are 1020, the rows below go on in the same line. The README says that a table needs `dataTable` to be laid
# out, which also keeps its numbers apart; for the other elements there is nothing but a selector for each.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund html-to-text@10.0.1
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { convert } from "html-to-text";

console.log("html-to-text", JSON.parse(readFileSync("node_modules/html-to-text/package.json")).version);
const pages = [
  ["<p>10</p><p>20</p>", "10\n\n20"],
  ["<table><tr><td>10</td><td>20</td></tr><tr><td>30</td><td>40</td></tr></table>", "10203040"],
  ["<dl><dt>Level</dt><dd>5</dd><dt>Age</dt><dd>60</dd></dl>", "Level5Age60"],
  ["<select><option>5</option><option>10</option></select>", "510"],
  ["<details><summary>Room 5</summary>60 people</details>", "Room 560 people"],
  ["<figure><img src='a'><figcaption>Figure 1</figcaption></figure>2 men", "Figure 12 men"],
];
for (const [html, due] of pages) {
  const seen = convert(html, { selectors: [{ selector: "img", format: "skip" }] });
  console.log(`${html} is ${JSON.stringify(seen)}`);
  if (seen !== due) throw new Error("html-to-text changed");
}
const table = convert(pages[1][0], { selectors: [{ selector: "table", format: "dataTable" }] });
if (table !== "10   20\n30   40") throw new Error("html-to-text changed");
JS
node run.mjs
