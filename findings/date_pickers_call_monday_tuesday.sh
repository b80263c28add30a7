#!/usr/bin/env bash
# Guess: the names that pickers of dates and charts show for weekdays and months in a language are those of the day shown.
# Behaviour: in flatpickr, each weekday has the Mongolian name of the next one, Monday that of Tuesday; in apexcharts, it has the Hungarian name
# of the next one, in pickadate the Nepali one: their lists begin with Monday, those of German and Korean with Sunday. In
# primelocale, Saturday and Sunday have one name in Central Kurdish. In vanillajs-datepicker and bootstrap-datepicker, Mongolian January is the
# mouse (Хулгана), May the dragon (Луу), December the pig (Гахай): the animals of the years. German and Korean weekdays and months are as in ICU.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts flatpickr@4.6.13 pickadate@3.6.4 primelocale@2.5.0 vanillajs-datepicker@1.3.4
for name in apexcharts@8.7.0 bootstrap-datepicker@1.10.1; do
  mkdir "${name%@*}"
  tar -xzf "$(npm pack --silent "$name")" -C "${name%@*}" --strip-components=1
done
cat > days.mjs <<'JS'
import fs from "node:fs";
import vm from "node:vm";
import flatpickr from "flatpickr";
import lists from "flatpickr/dist/l10n/index.js";

const read = (path) => fs.readFileSync(path, "utf8");
const version = (folder) => JSON.parse(read(`${folder}/package.json`)).version;
const packages = ["flatpickr", "pickadate", "primelocale", "vanillajs-datepicker"].map((name) => `${name} ${version(`node_modules/${name}`)}`);
console.log("node", process.version, packages.join(", "), ["apexcharts", "bootstrap-datepicker"].map((name) => `${name} ${version(name)}`).join(", "));

const numbers = (count) => [...Array(count).keys()];
const SUNDAY = Date.UTC(2026, 10, 29, 12);
const days = (code) => numbers(7).map((day) => new Intl.DateTimeFormat(code, { weekday: "long", timeZone: "UTC" }).format(SUNDAY + day * 864e5));
const months = (code) =>
  numbers(12).map((month) => new Intl.DateTimeFormat(code, { month: "long", timeZone: "UTC" }).format(Date.UTC(2026, month, 15)));
const LISTS = {
  flatpickr: (code) => {
    const { weekdays, months } = (lists.default ?? lists)[code];
    return { days: weekdays.longhand, months: months.longhand };
  },
  apexcharts: (code) => JSON.parse(read(`apexcharts/dist/locales/${code}.json`)).options,
  pickadate: (code) => {
    const found = {};
    const extend = (_, texts) => Object.assign(found, texts);
    const file = fs.readdirSync("node_modules/pickadate/lib/translations").find((name) => name.startsWith(`${code}_`));
    const jQuery = { extend, fn: { pickadate: { defaults: {} }, pickatime: { defaults: {} } } };
    vm.runInNewContext(read(`node_modules/pickadate/lib/translations/${file}`), { jQuery });
    return { days: found.weekdaysFull, months: found.monthsFull };
  },
  primelocale: (code) => {
    const { dayNames, monthNames } = JSON.parse(read(`node_modules/primelocale/${code}.json`))[code];
    return { days: dayNames, months: monthNames };
  },
  "vanillajs-datepicker": (code) => vanilla[code],
  "bootstrap-datepicker": (code) => {
    const jQuery = { fn: { datepicker: { dates: {} } } };
    vm.runInNewContext(read(`bootstrap-datepicker/dist/locales/bootstrap-datepicker.${code}.min.js`), { jQuery });
    return jQuery.fn.datepicker.dates[code];
  },
};
const vanilla = {};
for (const code of ["de", "ko", "mn"]) Object.assign(vanilla, (await import(`vanillajs-datepicker/locales/${code}`)).default);
const fold = (text) => text.toLowerCase().replace(/\s/g, "");
const same = (some, others) => some.every((text, place) => fold(text) === fold(others[place]));
const fail = (message) => {
  console.error(message);
  process.exit(1);
};

for (const [name, list] of Object.entries(LISTS)) {
  for (const code of ["de", "ko"]) {
    const found = list(code);
    if (!same(found.days.slice(0, 7), days(code)) || !same(found.months, months(code))) fail(`not as expected: ${name}, ${code}: ${found.days}, ${found.months}`);
  }
}
let changed = false;
const monday = new Date(2026, 10, 30);
const shown = flatpickr.formatDate(monday, "l", (lists.default ?? lists).mn);
console.log(`flatpickr: ${flatpickr.formatDate(monday, "l")} is ${shown} in Mongolian; in ICU, it is ${days("mn")[1]}, and ${shown} is Tuesday`);
if (fold(shown) !== fold(days("mn")[2])) changed = true;
for (const [name, code, places] of [["flatpickr", "mn", 7], ["apexcharts", "hu", 7], ["pickadate", "ne", 4]]) {
  const found = LISTS[name](code).days;
  const next = [...days(code).slice(1), days(code)[0]];
  const equal = found.filter((day, place) => fold(day) === fold(next[place])).length;
  console.log(`${name}, ${code}, from Sunday on: ${found.join(", ")}; in ICU: ${days(code).join(", ")}; ${equal} are ICU's names of the next day`);
  if (equal < places) changed = true;
}
const kurdish = LISTS.primelocale("ckb").days;
console.log(`primelocale, ckb, from Sunday on: ${kurdish.join(", ")}; in ICU, Saturday is ${days("ckb")[6]}`);
if (kurdish[0] !== kurdish[6] || kurdish[6] !== days("ckb")[0]) changed = true;
for (const name of ["vanillajs-datepicker", "bootstrap-datepicker"]) {
  const found = LISTS[name]("mn").months;
  console.log(`${name}, mn: ${found.join(", ")}; in ICU: ${months("mn").slice(0, 2).join(", ")}`);
  if (found[0] !== "Хулгана" || found[11] !== "Гахай" || found.some((month) => months("mn").map(fold).includes(fold(month)))) changed = true;
}
if (changed) fail("a list of names changed");
JS
node days.mjs
