#!/usr/bin/env bash
# Guess: for the locale of a language that Polyglot has plural rules for, it uses them; its table names Slovenian, Serbian, Bosnian, French.
# Behaviour: rules belong to the exact names of a table. Slovenian is sl-SL there, with the country code of Sierra Leone: sl and sl-SI have English
# rules. Serbian has its own as sr-RS, but not as sr or sr-Latn, Brazilian Portuguese as pt-br, but not as pt-BR. Belarusian, Latvian, Irish and
# Welsh have English rules, too. Nothing is said; forms of a phrase that English does not have are never shown.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-polyglot@2.6.0
cat >run.cjs <<'JS'
const { readFileSync } = require("node:fs");
const Polyglot = require("node-polyglot");

console.log("node-polyglot", JSON.parse(readFileSync("node_modules/node-polyglot/package.json")).version);
const forms = {
  sl: "ura |||| uri |||| ure |||| ur", sr: "сат |||| сата |||| сати", ru: "час |||| часа |||| часов", be: "гадзіна |||| гадзіны |||| гадзін",
  pt: "hora |||| horas", lv: "stunda |||| stundas",
};
const expected = {
  "sl-SL": "1 ura, 2 uri, 3 ure, 5 ur, 21 ur", "sl-SI": "1 ura, 2 uri, 3 uri, 5 uri, 21 uri", sl: "1 ura, 2 uri, 3 uri, 5 uri, 21 uri",
  "sr-RS": "1 сат, 2 сата, 3 сата, 5 сати, 21 сат", sr: "1 сат, 2 сата, 3 сата, 5 сата, 21 сата",
  "sr-Latn": "1 сат, 2 сата, 3 сата, 5 сата, 21 сата", ru: "1 час, 2 часа, 3 часа, 5 часов, 21 час",
  be: "1 гадзіна, 2 гадзіны, 3 гадзіны, 5 гадзіны, 21 гадзіны", lv: "1 stunda, 2 stundas, 3 stundas, 5 stundas, 21 stundas",
};
for (const [locale, due] of Object.entries(expected)) {
  const polyglot = new Polyglot({ locale, phrases: { hours: forms[locale.slice(0, 2)].replaceAll(/\p{L}+/gu, "%{smart_count} $&") } });
  const seen = [1, 2, 3, 5, 21].map((n) => polyglot.t("hours", n)).join(", ");
  console.log(`${locale}: ${seen}`);
  if (seen !== due) throw new Error("node-polyglot changed");
}
const none = ["pt-br", "pt-BR"].map((locale) => new Polyglot({ locale, phrases: { hours: forms.pt } }).t("hours", 0));
console.log("none in Brazil:", none);
if (none.join() !== "hora,horas") throw new Error("node-polyglot changed");
JS
node run.cjs
