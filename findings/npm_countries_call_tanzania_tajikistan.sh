#!/usr/bin/env bash
# Guess: names of countries and languages in packages of npm that many forms show are those of the country or language that was asked for.
# Behaviour: in world-countries, Tanzania is Tajikistan in Hungarian, South Sudan Sudan and Cameroon the Ivory Coast in Polish, French Guiana
# Guyana in Slovak, the British territory in the Indian Ocean India in Korean. In i18n-iso-countries, Iraq is Iran in Turkmen. In
# @cospired/i18n-iso-languages, Indonesian is Malay in Hungarian, Sardinian Sanskrit in Romanian, Marshallese Malagasy in Icelandic. Each has
# the name of the other, by the same package or by the CLDR of Node itself; France, Japan, French and Japanese are as guessed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund world-countries@5.1.0 i18n-iso-countries@7.14.0 @cospired/i18n-iso-languages@4.2.0
cat > names.js <<'JS'
const { version } = require("node:process");
const list = require("world-countries");
const countries = require("i18n-iso-countries");
const languages = require("@cospired/i18n-iso-languages");

const installed = (name) => JSON.parse(require("node:fs").readFileSync(`node_modules/${name}/package.json`)).version;
const packages = ["world-countries", "i18n-iso-countries", "@cospired/i18n-iso-languages"];
console.log("node", version, packages.map((name) => `${name} ${installed(name)}`).join(", "));
for (const code of ["tk"]) countries.registerLocale(require(`i18n-iso-countries/langs/${code}.json`));
for (const code of ["hu", "ro", "is"]) languages.registerLocale(require(`@cospired/i18n-iso-languages/langs/${code}.json`));

const THREE = { hu: "hun", pl: "pol", sk: "slk", ko: "kor" };
const find = {
  "world-countries": (code, language) => list.find((country) => country.cca2 === code).translations[THREE[language]].common,
  "i18n-iso-countries": (code, language) => countries.getName(code, language),
  "@cospired/i18n-iso-languages": (code, language) => languages.getName(code, language),
};
const cldr = (name, code, language) => new Intl.DisplayNames([language], { type: name.endsWith("languages") ? "language" : "region" }).of(code);
const same = (one, other) => one.toLowerCase() === other.toLowerCase();
// Package, language of the name, code, and the code whose name it has.
const WRONG = [
  ["world-countries", "hu", "TZ", "TJ"],
  ["world-countries", "pl", "SS", "SD"],
  ["world-countries", "pl", "CM", "CI"],
  ["world-countries", "sk", "GF", "GY"],
  ["world-countries", "ko", "IO", "IN"],
  ["i18n-iso-countries", "tk", "IQ", "IR"],
  ["@cospired/i18n-iso-languages", "hu", "id", "ms"],
  ["@cospired/i18n-iso-languages", "ro", "sc", "sa"],
  ["@cospired/i18n-iso-languages", "is", "mh", "mg"],
];
let changed = false;
for (const [name, language, code, other] of WRONG) {
  const found = find[name](code, language);
  console.log(`${name}, ${language}: ${code} is ${found}; in CLDR, it is ${cldr(name, code, language)}, and ${other} is ${cldr(name, other, language)}`);
  if (!(same(found, find[name](other, language)) || same(found, cldr(name, other, language))) || same(found, cldr(name, code, language))) changed = true;
  for (const control of name.endsWith("languages") ? ["fr", "ja"] : ["FR", "JP"]) {
    if (!same(find[name](control, language), cldr(name, control, language))) {
      console.error(`not as expected: ${name}, ${language}: ${control} is ${find[name](control, language)}`);
      process.exit(1);
    }
  }
}
if (changed) {
  console.error("a package changed");
  process.exit(1);
}
JS
node names.js
