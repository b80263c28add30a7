#!/usr/bin/env bash
# Guess: the ordinal of 1,200 is that of 1,000 with that of 200.
# Behaviour: in Spanish, the 1,200th is "Mil Sexcentésimo", the 1,600th; in Russian "Тысяча Шестисотый", the 1,600th, too; so also in Portuguese,
# Polish, Ukrainian, Czech, Bulgarian, Hungarian and Finnish. The 2,100th is the 2,700th, and the 1,300th, 1,700th and 1,900th are all the 1,100th.
# The 200th and the cardinal number 1,200 are right. English, German and French have other rules and are not concerned.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund to-words@5.7.0
cat >run.cjs <<'JS'
const { ToWords } = require("to-words");
const { version } = require("./node_modules/to-words/package.json");
console.log(`to-words ${version}, node ${process.version}`);
const languages = ["es-ES", "pt-BR", "ru-RU", "pl-PL", "uk-UA", "cs-CZ", "bg-BG", "hu-HU", "fi-FI"];
const wrong = languages.filter((localeCode) => {
  const words = new ToWords({ localeCode });
  const name = (number) => words.toOrdinal(number);
  const rest = (number, thousand) => name(number).slice(words.convert(thousand).length + 1).toLowerCase();
  console.log(
    `${localeCode}: 200th ${name(200)}, 600th ${name(600)}; 1,200 ${words.convert(1200)}; ` +
      `1,200th ${name(1200)}; 2,100th ${name(2100)}; 1,100th ${name(1100)}, 1,300th ${name(1300)}`,
  );
  const as600 = rest(1200, 1000) === name(600).toLowerCase() && name(200) !== name(600);
  return as600 && name(1300) === name(1100) && name(1900) === name(1100) && rest(2100, 2000) === name(700).toLowerCase();
});
console.log(`${wrong.length} of ${languages.length} languages call the 1,200th the 1,600th`);
const english = new ToWords({ localeCode: "en-US" });
if (english.toOrdinal(1200) !== "One Thousand Two Hundredth") throw new Error("not as expected");
if (wrong.length !== languages.length) {
  console.error("to-words changed");
  process.exit(1);
}
JS
node run.cjs
