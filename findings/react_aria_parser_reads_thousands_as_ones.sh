#!/usr/bin/env bash
# Guess: `NumberParser(locale, options)` reads the text that `NumberFormatter` writes with the same locale and options, or says NaN.
# Behaviour: with `notation: "compact"`, the sign of thousands is skipped: "1.2K" is 1.2, "12K" 12, in Japanese "123万" (1,230,000) 123; "1.2M" is NaN.
# A number field with this format, which shows 12,345 as "12K", has the value 12 once its text is read. With `notation: "scientific"`, -5 ("-5E0") is
# 5, 1.5 ("1.5E0") is 0.5. Nothing warns, and `isValidPartialNumber` takes these texts. Numbers, percentages, currencies and units come back in all of
# these languages.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @internationalized/number@3.6.9 >/dev/null
cat >"$folder/check.mjs" <<'JS'
import { readFileSync } from "node:fs";
import { NumberFormatter, NumberParser } from "@internationalized/number";

const version = JSON.parse(readFileSync(new URL("node_modules/@internationalized/number/package.json", import.meta.url))).version;
console.log(`@internationalized/number ${version}, Node ${process.version}, CLDR ${process.versions.cldr}`);
const LOCALES = ["en", "de", "fr", "es", "ru", "ja", "zh", "ko", "hi", "ar-EG"];
const read = (locale, options, number) => {
  const text = new NumberFormatter(locale, options).format(number);
  const parser = new NumberParser(locale, options);
  return { text, number: parser.parse(text), valid: parser.isValidPartialNumber(text) };
};
let good = true;
for (const options of [{}, { style: "percent" }, { style: "currency", currency: "EUR" }, { style: "unit", unit: "kilogram" }])
  for (const locale of LOCALES) for (const number of [0, 5, -5, 1234, 12345, -1234567]) good &&= read(locale, options, number).number === number;
const show = (options, locale, number) => {
  const seen = read(locale, options, number);
  console.log(`${locale}, ${options.notation}: ${number} is written "${seen.text}" and read as ${seen.number}${seen.valid ? "" : " (not valid)"}`);
  return seen;
};
const compact = { notation: "compact" };
const thousands = ["en", "fr", "es", "ru", "hi", "ar-EG"].map((locale) => show(compact, locale, 12345));
const myriads = ["ja", "zh", "ko"].map((locale) => show(compact, locale, 1230000));
const long = show({ notation: "compact", compactDisplay: "long" }, "en", 1200);
const million = show(compact, "en", 1200000);
const scientific = { notation: "scientific" };
const minus = show(scientific, "en", -5);
const half = show(scientific, "en", 1.5);
if (!good || read("en", compact, 999).number !== 999) {
  console.error("not as expected");
  process.exit(1);
}
const wrong = thousands.every((seen) => seen.number === 12 && seen.valid) && myriads.every((seen) => seen.number === 123 && seen.valid);
if (!wrong || minus.number !== 5 || half.number !== 0.5) {
  console.error("@internationalized/number changed");
  process.exit(1);
}
JS
node "$folder/check.mjs"
