#!/usr/bin/env bash
# Guess: i18next's `dir`, rtl-detect and `Intl.Locale` of Node tell in which direction the text of a language runs.
# Behaviour: Sindhi, Kashmiri and N'Ko, Punjabi of Pakistan and Uzbek of Afghanistan run from left to right in i18next; Kurdish of Turkey, Persian
# and Arabic in Latin letters (fa-Latn) from right to left in rtl-detect, Azerbaijani in Arabic letters (az-Arab) from left to right. In Node, so do
# Divehi, Egyptian Arabic, and Kurdish in Arabic letters. The script that CLDR gives to each, by `maximize` of the same `Intl.Locale`, tells it:
# Arabic, Hebrew, Thaana, N'Ko and Adlam run from right to left. Of Arabic, Hebrew, Persian, Urdu, German and Turkish, all are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund i18next@26.7.2 rtl-detect@1.1.2
cat > directions.js <<'JS'
const i18next = require("i18next");
const rtlDetect = require("rtl-detect");

const installed = (name) => JSON.parse(require("node:fs").readFileSync(`node_modules/${name}/package.json`)).version;
console.log("node", process.version, "CLDR", process.versions.cldr, "i18next", installed("i18next"), "rtl-detect", installed("rtl-detect"));
i18next.init({ lng: "en", resources: {} });
const FROM_THE_RIGHT = ["Arab", "Hebr", "Thaa", "Nkoo", "Adlm"];
const sources = {
  i18next: (code) => i18next.dir(code),
  "rtl-detect": (code) => rtlDetect.getLangDir(code),
  node: (code) => { const locale = new Intl.Locale(code); return (locale.getTextInfo?.() ?? locale.textInfo).direction; },
};
const WRONG = {
  i18next: ["sd", "ks", "nqo", "pa-PK", "uz-AF", "ff-Adlm"],
  "rtl-detect": ["ku-TR", "fa-Latn", "ar-Latn", "az-Arab", "ks", "pa-Arab", "ff-Adlm"],
  node: ["dv", "arz", "ku-Arab", "az-Arab", "ms-Arab"],
};
const wrong = {};
for (const code of ["ar", "he", "fa", "ur", "de", "tr", ...new Set(Object.values(WRONG).flat())]) {
  const { script } = new Intl.Locale(code).maximize();
  const direction = FROM_THE_RIGHT.includes(script) ? "rtl" : "ltr";
  const found = Object.entries(sources).map(([name, source]) => [name, source(code)]);
  for (const [name, other] of found) if (other !== direction) (wrong[name] ??= []).push(code);
  const name = new Intl.DisplayNames(["en"], { type: "language" }).of(code);
  console.log(`${code} (${name}), written in ${script}: ${direction}; ${found.map((pair) => pair.join(" ")).join(", ")}`);
}
for (const [name, codes] of Object.entries(WRONG)) {
  if (["ar", "he", "fa", "ur", "de", "tr"].some((code) => wrong[name]?.includes(code))) {
    console.error(`not as expected: ${name} knows Arabic, Hebrew, Persian, Urdu, German and Turkish`);
    process.exit(1);
  }
  if (codes.some((code) => !wrong[name]?.includes(code))) {
    console.error(`${name} changed`);
    process.exit(1);
  }
}
JS
node directions.js
