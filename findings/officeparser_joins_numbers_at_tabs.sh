#!/usr/bin/env bash
# Guess: the plain text of a document has its words and numbers, apart where a tab, a line break or a hyphen stands between them.
# Behaviour: in Word files, tabs, line breaks and hyphens that do not break lines are left out: 12, 7 and 30 between tabs are 12730, 10‑20 people
# are 1020, "Do not" and "open" in two lines are "Do notopen". Words with a reading above them vanish in Word and OpenDocument files, here Tokyo,
# and in the latter a date that is a field. And a word that was deleted from an OpenDocument text while changes are tracked, here "not", stands at
# its beginning. Paragraphs and spaces are right, as are tabs in OpenDocument; mammoth has the tabs and hyphens.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund officeparser@7.8.0 mammoth@1.13.0
python3 - <<'PY'
import zipfile

head = '<?xml version="1.0" encoding="UTF-8"?>'
schemas = "http://schemas.openxmlformats.org"
types = "application/vnd.openxmlformats-"
word = [
    "<w:t>12</w:t><w:tab/><w:t>7</w:t><w:tab/><w:t>30</w:t>",
    "<w:t>10</w:t><w:noBreakHyphen/><w:t>20 people</w:t>",
    "<w:t>Do not</w:t><w:br/><w:t>open</w:t>",
    "<w:ruby><w:rubyPr/><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby><w:t>へ行く</w:t>",
    "<w:t>10 20</w:t>",
]
body = "".join(f"<w:p><w:r>{each}</w:r></w:p>" for each in word)
with zipfile.ZipFile("word.docx", "w") as file:
    file.writestr(
        "[Content_Types].xml",
        f'{head}<Types xmlns="{schemas}/package/2006/content-types"><Default Extension="rels" ContentType="{types}package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{types}officedocument.wordprocessingml.document.main+xml"/></Types>',
    )
    file.writestr(
        "_rels/.rels",
        f'{head}<Relationships xmlns="{schemas}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{schemas}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    )
    file.writestr("word/document.xml", f'{head}<w:document xmlns:w="{schemas}/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>')
oasis = "urn:oasis:names:tc:opendocument:xmlns"
open_text = [
    "12<text:tab/>7<text:tab/>30",
    'The shop is <text:change text:change-id="one"/>open.',
    "<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>へ行く",
    'until <text:date text:date-value="2026-05-05" text:fixed="true">5 May</text:date> at the latest',
]
deleted = (
    '<text:tracked-changes><text:changed-region xml:id="one" text:id="one"><text:deletion><office:change-info><dc:creator>A</dc:creator>'
    "<dc:date>2026-01-01T00:00:00</dc:date></office:change-info><text:p>not </text:p></text:deletion></text:changed-region></text:tracked-changes>"
)
names = " ".join(f'xmlns:{name}="{oasis}:{name}:1.0"' for name in ("office", "text")) + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
paragraphs = "".join(f"<text:p>{each}</text:p>" for each in open_text)
with zipfile.ZipFile("open.odt", "w") as file:
    file.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    file.writestr(
        "META-INF/manifest.xml",
        f'{head}<m:manifest xmlns:m="{oasis}:manifest:1.0" m:version="1.2"><m:file-entry m:full-path="/" '
        'm:media-type="application/vnd.oasis.opendocument.text"/><m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>',
    )
    file.writestr(
        "content.xml",
        f'{head}<office:document-content {names} office:version="1.2"><office:body><office:text>{deleted}{paragraphs}'
        "</office:text></office:body></office:document-content>",
    )
PY
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import mammoth from "mammoth";
import { parseOffice } from "officeparser";

for (const name of ["officeparser", "mammoth"]) console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version);
console.log("node", process.version);
const read = async (file) => (await parseOffice(file)).toText().split("\n");
const [word, open] = [await read("word.docx"), await read("open.odt")];
const oracle = (await mammoth.extractRawText({ path: "word.docx" })).value.split("\n\n");
console.log("Word, by mammoth:", JSON.stringify(oracle));
console.log("Word:", JSON.stringify(word));
console.log("OpenDocument:", JSON.stringify(open));
if (oracle[0] !== "12\t7\t30" || word[4] !== "10 20" || !open.includes("12\t7\t30")) {
  console.error("not as expected");
  process.exit(1);
}
const found = [word[0], word[1], word[2], word[3], open[0].trim(), ...open.slice(2)];
const wrong = ["12730", "1020 people", "Do notopen", "へ行く", "not", "The shop is open.", "へ行く", "until  at the latest"];
if (wrong.some((text, place) => found[place] !== text)) {
  console.error("officeparser changed");
  process.exit(1);
}
JS
node run.mjs
