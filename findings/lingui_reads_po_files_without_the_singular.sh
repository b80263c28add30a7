#!/usr/bin/env bash
# Guess: Lingui's reader of PO files with plural forms gives each number its form by the header Plural-Forms, and its writer puts each form in its place.
# Behaviour: the reader asks the header for the first example of each CLDR category. That of "one" is 0 where 0 is singular in CLDR, in Hindi, Bengali,
# Gujarati, Punjabi, Kannada, Armenian, Zulu and Portuguese; by the header plural=(n != 1), which GNU gettext has for Portuguese and Django for
# Hindi, 0 has the form of "other", so that msgstr[0] is dropped: one file is "1 ficheiros". In Welsh, the form for 8 and 11 is. In Latvian, 10
# to 20 have the form of 0. The writer writes the forms in the order of the message: "other" before "one" makes the plural msgstr[0], and one with
# =0 shifts all by one. With n > 1, and in German, Russian and Slovenian, the reader is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @lingui/format-po-gettext@5.9.0 @lingui/core@5.9.5 @lingui/message-utils@5.9.5 >/dev/null
cat >"$folder/check.mjs" <<'JS'
import { readFileSync } from "node:fs";

import { setupI18n } from "@lingui/core";
import { formatter } from "@lingui/format-po-gettext";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import { generateMessageId } from "@lingui/message-utils/generateMessageId";

const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
console.log(["@lingui/format-po-gettext", "@lingui/core"].map((name) => `${name} ${version(name)}`).join(", "));
const stop = (text) => {
  console.error(text);
  process.exit(1);
};
const MESSAGE = "{count, plural, one {# file} other {# files}}";
const NUMBERS = Array.from({ length: 131 }, (_, n) => n);
const format = formatter({ lineNumbers: false });
/** The number of the form that Lingui shows for each of the numbers 0 to 130, read from a PO file whose forms are their numbers. */
const shown = async (locale, header) => {
  const count = Number(header.match(/nplurals=(\d)/)[1]);
  const file = [
    'msgid ""',
    'msgstr ""',
    `"Language: ${locale}\\n"`,
    `"Plural-Forms: ${header}\\n"`,
    "",
    `#. js-lingui:${new URLSearchParams({ icu: MESSAGE, pluralize_on: "count" })}`,
    'msgid "# file"',
    'msgid_plural "# files"',
    ...Array.from({ length: count }, (_, form) => `msgstr[${form}] "form ${form}"`),
    "",
  ].join("\n");
  const [{ translation }] = Object.values(await format.parse(file, { locale, sourceLocale: "en", filename: "messages.po" }));
  const i18n = setupI18n({ locale, messages: { [locale]: { files: compileMessage(translation) } } });
  return { translation, forms: NUMBERS.map((n) => Number(i18n._("files", { count: n }).slice(5))) };
};
const asked = (header) => {
  const plural = new Function("n", `return Number(${header.match(/plural=(.*);/)[1]});`);
  return NUMBERS.map(plural);
};
const GERMAN = "nplurals=2; plural=(n != 1);";
const RUSSIAN = "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);";
const SLOVENIAN = "nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);";
const LATVIAN = "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);";
const WELSH = "nplurals=4; plural=(n==1 ? 0 : n==2 ? 1 : n != 8 && n != 11 ? 2 : 3);";
const wrong = async (locale, header) => {
  const { translation, forms } = await shown(locale, header);
  const right = asked(header);
  const numbers = NUMBERS.filter((n) => forms[n] !== right[n]).join(" ");
  console.log(`${locale}: ${translation}, other forms than by the header: ${numbers || "none"}`);
  return numbers;
};
for (const [locale, header] of [["de", GERMAN], ["ru", RUSSIAN], ["sl", SLOVENIAN], ["pt", "nplurals=2; plural=(n > 1);"], ["hi", "nplurals=2; plural=(n > 1);"]])
  if (await wrong(locale, header)) stop("not as expected");
for (const locale of ["pt", "hi", "bn", "gu", "pa", "kn", "hy", "zu"]) if ((await wrong(locale, GERMAN)) !== "1") stop("format-po-gettext changed");
if ((await wrong("cy", WELSH)) !== "8 11") stop("format-po-gettext changed");
if (!(await wrong("lv", LATVIAN)).startsWith("10 11 12 13 14 15 16 17 18 19 20 30")) stop("format-po-gettext changed");
const written = async (translation) => {
  const entry = { message: MESSAGE, translation, origin: [] };
  const text = await format.serialize({ [generateMessageId(MESSAGE)]: entry }, { locale: "de", sourceLocale: "en", existing: null });
  const forms = [...text.matchAll(/msgstr\[\d\] "(.*)"/g)].map(([, form]) => form).join(", ");
  console.log(`written from ${translation}: ${forms}`);
  return forms;
};
if ((await written("{count, plural, one {Datei} other {Dateien}}")) !== "Datei, Dateien") stop("not as expected");
if ((await written("{count, plural, other {Dateien} one {Datei}}")) !== "Dateien, Datei") stop("format-po-gettext changed");
if ((await written("{count, plural, =0 {keine} one {Datei} other {Dateien}}")) !== "keine, Datei, Dateien") stop("format-po-gettext changed");
JS
node "$folder/check.mjs"
