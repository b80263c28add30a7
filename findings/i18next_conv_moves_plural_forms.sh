#!/usr/bin/env bash
# Guess: a PO file that is converted for i18next has, for each number, the form that the file's header chooses.
# Behaviour: the header is not read; the forms get names from a list of the converter, in its order. With their usual headers,
# Slovenian has the dual for 1 and the singular for 5, and Welsh has the form of 8 for 5. Hebrew from 3 on, Welsh at 3, Latvian at 2 to 9, French and
# Spanish at a million have the text of the source, because no form has the name that i18next asks for. Polish is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund i18next-conv@17.0.0 gettext-converter@1.3.4 i18next@26.7.2
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import i18next from "i18next";
import { gettextToI18next } from "i18next-conv";

for (const name of ["i18next-conv", "gettext-converter", "i18next"]) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version);
}
const slavic = "n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2";
const languages = {
  pl: [`n==1 ? 0 : ${slavic}`, ["gwiazda", "gwiazdy", "gwiazd"]],
  lv: ["n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2", ["zvaigzne", "zvaigznes", "zvaigžņu"]],
  sl: ["n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3", ["zvezda", "zvezdi", "zvezde", "zvezd"]],
  cy: ["n==1 ? 0 : n==2 ? 1 : n != 8 && n != 11 ? 2 : 3", ["diwrnod", "ddiwrnod", "diwrnod", "niwrnod"]],
  he: ["n != 1", ["כוכב", "כוכבים"]],
  fr: ["n > 1", ["étoile", "étoiles"]],
  es: ["n != 1", ["estrella", "estrellas"]],
};
const wrong = {};
for (const [language, [rule, forms]] of Object.entries(languages)) {
  const po = [
    'msgid ""', 'msgstr ""', '"Content-Type: text/plain; charset=UTF-8\\n"', `"Language: ${language}\\n"`,
    `"Plural-Forms: nplurals=${forms.length}; plural=${rule};\\n"`, "", 'msgid "{{count}} star"', 'msgid_plural "{{count}} stars"',
    ...forms.map((form, i) => `msgstr[${i}] "{{count}} ${form}"`), "",
  ];
  const translation = JSON.parse(await gettextToI18next(language, po.join("\n"), { compatibilityJSON: "v4" }));
  const i18n = i18next.createInstance();
  await i18n.init({ lng: language, resources: { [language]: { translation } }, showSupportNotice: false });
  const chosen = new Function("n", `return Number(${rule})`);
  for (const n of [1, 2, 3, 5, 1000000]) {
    const text = i18n.t("{{count}} star", { count: n });
    const due = `${n} ${forms[chosen(n)]}`;
    if (text === due) continue;
    console.log(`${language}: "${text}" instead of "${due}"`);
    (wrong[language] ??= []).push(text);
  }
}
const expected = {
  lv: ["2 star", "3 star", "5 star", "1000000 zvaigžņu"],
  sl: ["1 zvezdi", "2 zvezde", "3 zvezd", "5 zvezda", "1000000 zvezda"],
  cy: ["3 star", "5 niwrnod", "1000000 niwrnod"],
  he: ["3 star", "5 star", "1000000 star"],
  fr: ["1000000 star"],
  es: ["1000000 star"],
};
if (JSON.stringify(wrong) !== JSON.stringify(expected)) throw new Error(`i18next-conv changed: ${JSON.stringify(wrong)}`);
JS
node run.mjs
