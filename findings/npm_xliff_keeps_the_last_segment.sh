#!/usr/bin/env bash
# Guess: an XLIFF file that is read and written again by the npm package xliff has the same texts.
# Behaviour: of a unit of XLIFF 2 with several segments, as tools that split paragraphs into sentences write them, the last segment is read,
# and the others are lost, source and target. And what is written is indented also inside texts: H2O with an inline element around
# its 2 gets a line break and ten spaces before the 2, also in XLIFF 1.2 with xml:space="preserve". The package trims them when it reads, other
# readers of XML do not. The option {indent: ""}, which its README does not name, mends the latter.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund xliff@6.4.0
cat >run.mjs <<'JS'
import { readFileSync, writeFileSync } from "node:fs";
import xliff from "xliff";

const { version } = JSON.parse(readFileSync("node_modules/xliff/package.json"));
console.log(`xliff ${version}, node ${process.version}`);
const two = `<xliff version="2.0" srcLang="en" trgLang="de" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="a">
<unit id="1"><segment id="s1"><source>Do not open. </source><target>Nicht öffnen. </target></segment>
<segment id="s2"><source>Keep dry.</source><target>Trocken lagern.</target></segment></unit>
<unit id="2"><segment><source>H<pc id="1">2</pc>O</source><target>H<pc id="1">2</pc>O</target></segment></unit>
</file></xliff>`;
const one = `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" source-language="en" target-language="de" datatype="plaintext"><body>
<trans-unit id="2" xml:space="preserve"><source>H<g id="1">2</g>O</source><target>H<g id="1">2</g>O</target></trans-unit>
</body></file></xliff>`;
for (const [name, text, read, write] of [
  ["two", two, xliff.xliff2js, xliff.js2xliff],
  ["one", one, xliff.xliff12ToJs, xliff.jsToXliff12],
]) {
  const units = await read(text);
  console.log(`read from XLIFF ${name}: ${JSON.stringify(units.resources)}`);
  writeFileSync(`${name}.in.xlf`, text);
  writeFileSync(`${name}.out.xlf`, await write(units));
  writeFileSync(`${name}.flat.xlf`, await write(units, { indent: "" }));
}
JS
node run.mjs
python3 - <<'PY'
import sys
import xml.etree.ElementTree as ElementTree


def texts(name):
    found = ["".join(x.itertext()) for x in ElementTree.parse(name).iter() if x.tag.endswith("}target")]
    print(name, found)
    return found


if texts("two.in.xlf") != ["Nicht öffnen. ", "Trocken lagern.", "H2O"] or texts("one.in.xlf") != ["H2O"]:
    sys.exit("not as expected")
spaced = ["H\n          2O\n        "]
if texts("two.out.xlf") != ["Trocken lagern.", *spaced] or texts("one.out.xlf") != spaced:
    sys.exit("xliff changed")
if texts("two.flat.xlf") != ["Trocken lagern.", "H2O"] or texts("one.flat.xlf") != ["H2O"]:
    sys.exit("xliff changed")
PY
