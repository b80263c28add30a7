#!/usr/bin/env bash
# Guess: a date that the library itself writes in a language, with the name of the month, is read back with the same format.
# Behaviour: with Moment, each month but January is read as January in Catalan and Lengadocian Occitan, nine of the twelve in Croatian: the parser
# looks for the forms of names that stand alone (febrer), and written was "de febrer"; nothing says that no name fitted, unless the strict mode is
# asked for. With Day.js, December of 2026 is read as that of 2027 in Russian, Ukrainian, Polish, Croatian, Lithuanian and Belarusian, and in Arabic,
# noon is written with the sign of the morning (ص), so that it is midnight, also for readers. Open issues name Croatian (Moment 5600) and
# Russian (Day.js 2249).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund moment@2.31.0 dayjs@1.11.23
cat >run.cjs <<'JS'
const moment = require("moment");
const dayjs = require("dayjs");
dayjs.extend(require("dayjs/plugin/customParseFormat"));
const { version } = require("dayjs/package.json");
console.log(`moment ${moment.version}, dayjs ${version}, node ${process.version}`);
const wrong = {};
for (const language of ["ca", "oc-lnc", "hr", "de", "pl", "ru"]) {
  require(`moment/locale/${language}`);
  wrong[language] = [];
  for (let month = 0; month < 12; month++) {
    const text = moment(new Date(2026, month, 3)).locale(language).format("D MMMM YYYY");
    const read = moment(text, "D MMMM YYYY", language);
    if (!read.isValid() || read.month() !== month) wrong[language].push(`${text} => month ${read.month() + 1}`);
  }
  console.log(`moment, ${language}: ${wrong[language].length} of 12 months are read as others`, wrong[language].slice(0, 2));
}
const strict = moment("3 de febrer 2026", "D MMMM YYYY", "ca", true).isValid();
console.log("moment, ca, strict:", strict);
const years = ["ru", "uk", "pl", "hr", "lt", "be", "cs", "de"].map((language) => {
  require(`dayjs/locale/${language}`);
  const text = dayjs(new Date(2026, 11, 3)).locale(language).format("D MMMM YYYY");
  const read = dayjs(text, "D MMMM YYYY", language);
  console.log(`dayjs, ${language}: ${text} =>`, read.locale("en").format("YYYY-MM-DD"));
  return read.year();
});
require("dayjs/locale/ar");
const [noon, midnight] = [12, 0].map((hour) => dayjs(new Date(2026, 0, 5, hour)).locale("ar").format("h:mm A"));
console.log(`dayjs, ar: noon ${noon}, midnight ${midnight}`);
const counts = ["ca", "oc-lnc", "hr", "de", "pl", "ru"].map((language) => wrong[language].length).join();
const january = wrong.ca.concat(wrong["oc-lnc"], wrong.hr).every((text) => text.endsWith("month 1"));
if (counts !== "11,11,9,0,0,0" || !january || strict || years.join() !== "2027,2027,2027,2027,2027,2027,2026,2026" || noon !== midnight) {
  console.error("moment or dayjs changed");
  process.exit(1);
}
JS
node run.cjs
