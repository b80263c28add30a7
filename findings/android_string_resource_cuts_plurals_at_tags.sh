#!/usr/bin/env bash
# Guess: texts of an Android file of strings are read as they are shown: quantities with <b> or a placeholder like other texts, and escapes by
# Android's rules.
# Behaviour: of an item of `plurals`, what stands before the first tag is read: "%d files were <b>not</b> saved" is "%d files were "; an item that
# begins with a tag has no value and is missing in the JSON. Its escapes \n and \" are not read. Without plurals, one CDATA section takes the tags
# of all other texts of a file away. \u00e9 is u00e9 and \t is t, without their backslashes: "été" is "u00e9tu00e9". Written, a backslash is not
# escaped: C:\new is on two lines on a phone. Apostrophes, quotation marks, \n and \\ in `string` are right, and so are tags there and in lists.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" android-string-resource@2.3.10 >/dev/null
cat >"$folder/check.mjs" <<'JS'
import { readFileSync } from "node:fs";

import { asr2js, js2asr } from "android-string-resource";

console.log(`android-string-resource ${JSON.parse(readFileSync(new URL("node_modules/android-string-resource/package.json", import.meta.url))).version}`);
const read = (text) => asr2js(`<resources>\n${text}\n</resources>`);
const plural = (one, other) =>
  read(`    <plurals name="p">\n        <item quantity="one">${one}</item>\n        <item quantity="other">${other}</item>\n    </plurals>`);
const check = (name, seen, expected, text) => {
  console.log(`${name}: ${JSON.stringify(seen)}`);
  if (JSON.stringify(seen) !== JSON.stringify(expected)) {
    console.error(text);
    process.exit(1);
  }
};
const NOT = '    <string name="s">You are <b>not</b> alone</string>';
for (const [name, seen, expected] of [
  ["escapes of a string", await read(String.raw`<string name="s">Don\'t say \"no\"\nC:\\ &amp; 5 &lt; 6</string>`), { s: "Don't say \"no\"\nC:\\ & 5 < 6" }],
  ["tags of a string", await read(NOT), { s: "You are <b>not</b> alone" }],
  ["tags of a list", await read('<string-array name="a"><item>H<sub>2</sub>O</item></string-array>'), { "a.0": "H<sub>2</sub>O" }],
  ["plural forms without tags", await plural("%d file", "%d files"), { "p.one": "%d file", "p.other": "%d files" }],
])
  check(name, seen, expected, "not as expected");
const changed = "android-string-resource changed";
for (const [name, seen, expected] of [
  ["plural forms with a tag", await plural("%d file was <b>not</b> saved", "%d files were <b>not</b> saved"), { "p.one": "%d file was ", "p.other": "%d files were " }],
  ["plural forms with a tag at the beginning", await plural("%d file", "<b>%d</b> files"), { "p.one": "%d file" }],
  ["plural forms with a placeholder", await plural("One file", 'About <xliff:g id="n">%d</xliff:g> files'), { "p.one": "One file", "p.other": "About " }],
  ["escapes of plural forms", await plural(String.raw`Read\n\"%d\"`, "%d files"), { "p.one": String.raw`Read\n\"%d\"`, "p.other": "%d files" }],
  ["beside CDATA", await read(`${NOT}\n    <string name="c"><![CDATA[<i>x</i>]]></string>`), { s: "You are not alone", c: "<i>x</i>" }],
  ["other escapes", await read(String.raw`<string name="s">\u00e9t\u00e9\tici</string>`), { s: "u00e9tu00e9tici" }],
])
  check(name, seen, expected, changed);
const written = await js2asr({ s: "C:\\new" });
check("written", written.match(/<string.*<\/string>/)[0], String.raw`<string name="s">C:\new</string>`, changed);
check("written and read", await asr2js(written), { s: "C:\new" }, changed);
JS
node "$folder/check.mjs"
