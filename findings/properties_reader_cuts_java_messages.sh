#!/usr/bin/env bash
# Guess: a reader of .properties files reads the messages that Java reads from them.
# Behaviour: a message that goes on in the next line is cut at the backslash, and its rest becomes a key. Escapes of letters stay, "caf\u00e9".
# What stands behind a colon or a space instead of an equals sign is no value: "title: Prices" is a key. C:\\new has a line break for \n, and an
# escaped equals sign keeps its backslash. `get` makes 7 of 007, which is documented; `getRaw` does not. dot-properties reads all as Java.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund properties-reader@3.0.1 dot-properties@1.1.2
cat >messages.properties <<'TEXT'
plain=Good morning
long=The shop is not \
     open today
letter=caf\u00e9
title: Prices
path=C:\\new
sum=1 \= 1
TEXT
cat >run.cjs <<'JS'
const { readFileSync } = require("node:fs");
const { parse } = require("dot-properties");
const { propertiesReader } = require("properties-reader");

for (const name of ["properties-reader", "dot-properties"]) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version);
}
const java = parse(readFileSync("messages.properties", "utf8"));
const reader = propertiesReader({ sourceFile: "messages.properties" });
const expected = {
  plain: "Good morning", long: "The shop is not \\", letter: "caf\\u00e9", title: null, path: "C:\\\new", sum: "1 \\= 1",
};
const right = { plain: "Good morning", long: "The shop is not open today", letter: "café", title: "Prices", path: "C:\\new", sum: "1 = 1" };
for (const [key, due] of Object.entries(expected)) {
  const seen = reader.get(key);
  console.log(`${key}: ${JSON.stringify(seen)} instead of ${JSON.stringify(java[key])}`);
  if (java[key] !== right[key]) throw new Error("dot-properties changed");
  if (seen !== due) throw new Error("properties-reader changed");
}
JS
node run.cjs
