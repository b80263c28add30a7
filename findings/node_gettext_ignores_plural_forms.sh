#!/usr/bin/env bash
# Guess: which plural form of a catalogue is shown, is decided by its header Plural-Forms, as in gettext.
# Behaviour: the header is not read, but a table in the library has one rule for each language. With the header of the Slovenian catalogues of
# GNOME, whose first form is that of 5, each number has the form of another one: 1 that of 5, 2 that of 1, 5 that of 3. With two Persian or
# Georgian forms, the table has one: 5 has the form of 1, here "one file". With three Irish ones, it has five, and 7 or 100 has the English text.
# And a number that is a text, "5", has the first form in each language. Where the table has the rule of the header, as in Polish, forms are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-gettext@3.0.1 gettext-parser@10.0.0
python3 - <<'PY'
import json
from gettext import c2py

headers = {
    "pl": "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "sl": "nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);",
    "fa": "nplurals=2; plural=(n > 1);",
    "ka": "nplurals=2; plural=(n != 1);",
    "ga": "nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);",
}
texts = {
    "pl": ["{} plik", "{} pliki", "{} plików"],
    "sl": ["{} datotek", "{} datoteka", "{} datoteki", "{} datoteke"],
    "fa": ["یک پرونده", "{} پرونده"],
    "ka": ["ერთი ფაილი", "{} ფაილი"],
    "ga": ["comhad amháin", "dhá chomhad", "{} comhad"],
}
cases = []
for language, header in headers.items():
    lines = ['msgid ""', 'msgstr ""', f'"Language: {language}\\n"', f'"Plural-Forms: {header}\\n"']
    lines += ['"Content-Type: text/plain; charset=UTF-8\\n"', "", 'msgid "{} file"', 'msgid_plural "{} files"']
    lines += [f'msgstr[{place}] "{text}"' for place, text in enumerate(texts[language])]
    form = c2py(header.split("plural=")[1].rstrip(";"))
    right = {number: texts[language][form(number)] for number in (1, 2, 3, 5, 7, 100)}
    cases.append({"language": language, "po": "\n".join(lines) + "\n", "right": right})
with open("cases.json", "w", encoding="utf-8") as file:
    json.dump(cases, file)
PY
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import Gettext from "node-gettext";
import { po } from "gettext-parser";

for (const name of ["node-gettext", "gettext-parser"]) console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version);
console.log("node", process.version);
const wrong = {};
for (const { language, po: text, right } of JSON.parse(readFileSync("cases.json"))) {
  const catalogue = new Gettext();
  const parsed = po.parse(text);
  catalogue.addTranslations(language, "messages", parsed);
  catalogue.setLocale(language);
  const show = (count) => catalogue.ngettext("{} file", "{} files", count);
  wrong[language] = Object.keys(right).filter((count) => show(Number(count)) !== right[count]);
  for (const [count, form] of Object.entries(right)) console.log(language, count, "by the header:", form, "; shown:", show(Number(count)));
  console.log(language, 'of "5":', show("5"));
  if (show("5") !== parsed.translations[""]["{} file"].msgstr[0]) {
    console.error("the form of a text changed");
    process.exit(1);
  }
}
console.log("not by the header:", JSON.stringify(wrong));
if (wrong.pl.length) {
  console.error("not as expected");
  process.exit(1);
}
const before = { pl: [], sl: ["1", "2", "3", "5", "7", "100"], fa: ["2", "3", "5", "7", "100"], ka: ["2", "3", "5", "7", "100"], ga: ["7", "100"] };
if (JSON.stringify(wrong) !== JSON.stringify(before)) {
  console.error("node-gettext changed");
  process.exit(1);
}
JS
node run.mjs
