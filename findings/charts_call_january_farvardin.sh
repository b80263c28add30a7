#!/usr/bin/env bash
# Guess: where a library of charts or dates shows days of the Gregorian calendar in Persian, Arabic or Tamil, its months are those of that calendar.
# Behaviour: in Persian, 15 January 2026 is of Farvardin in plotly and apexcharts, of Bahman in echarts and of Dey in date-and-time, always beside
# the Gregorian day and year: twelve names of the Iranian calendar stand for the Gregorian months from January on, with three beginnings. By ICU,
# the day is 25 Dey 1404; Farvardin begins on 21 March, Bahman on 21 January. In Arabic, March and May are both March in plotly, in Tamil, January is
# Thai, which begins in mid-January, in jquery-ui and plotly. The language SI of echarts is Slovenian (sl), not Sinhala (si). Node and the lists of
# jquery-ui for Persian and Arabic have the Gregorian months.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts echarts@6.1.0 date-and-time@4.5.2 plotly.js-locales@3.7.0 jquery-ui@1.14.2
mkdir apexcharts
tar -xzf "$(npm pack --silent apexcharts@8.7.0)" -C apexcharts --strip-components=1
cat > months.js <<'JS'
const fs = require("node:fs");
const vm = require("node:vm");
const echarts = require("echarts");
const { format } = require("date-and-time");
const persian = require("date-and-time/locales/fa");

for (const code of ["FA", "SI"]) echarts.registerLocale(code, require(`echarts/i18n/lang${code}-obj.js`));
const version = (folder) => JSON.parse(fs.readFileSync(`${folder}/package.json`)).version;
const packages = ["echarts", "date-and-time", "plotly.js-locales", "jquery-ui"].map((name) => `${name} ${version(`node_modules/${name}`)}`);
console.log("node", process.version, packages.join(", "), "apexcharts", version("apexcharts"));

const fail = (message) => {
  console.error(message);
  process.exit(1);
};
const plotly = (code) => require(`plotly.js-locales/${code}`).format.months;
const apex = (code) => JSON.parse(fs.readFileSync(`apexcharts/dist/locales/${code}.json`)).options.months;
const jquery = (code) => {
  const regional = {};
  const source = fs.readFileSync(`node_modules/jquery-ui/ui/i18n/datepicker-${code}.js`, "utf8");
  vm.runInNewContext(source, { jQuery: { datepicker: { regional, setDefaults() {} } } });
  return regional[code].monthNames;
};
const day = (month) => new Date(Date.UTC(2026, month, 15, 12));
const all = (name) => [...Array(12).keys()].map((month) => name(day(month)));
const icu = (locale, options) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options });
const plain = (text) => text.replace(/ي/g, "ی");

// Persian: the names of ICU for the Gregorian and for the Iranian calendar.
const gregorian = all((date) => icu("fa-u-ca-gregory", { month: "long" }).format(date));
const iranian = new Map();
for (let at = Date.UTC(2025, 2, 21, 12); iranian.size < 12; at += 864e5) {
  const name = icu("fa-u-ca-persian", { month: "long" }).format(at);
  if (!iranian.has(name)) iranian.set(name, icu("en", { day: "numeric", month: "long" }).format(at));
}
console.log("15 January 2026 in ICU:", icu("en-u-ca-persian", { dateStyle: "long" }).format(day(0)));
const found = {
  plotly: plotly("fa"),
  apexcharts: apex("fa"),
  echarts: all((date) => echarts.time.format(date, "{MMMM}", true, "FA")),
  "date-and-time": all((date) => format(date, "MMMM", { locale: persian.default ?? persian })),
};
const BEGIN = { plotly: "March 21", apexcharts: "March 21", echarts: "January 21", "date-and-time": "December 22" };
let changed = false;
for (const [name, months] of Object.entries(found)) {
  const begin = iranian.get(plain(months[0]));
  console.log(`Persian, ${name}: January is ${months[0]}, which begins on ${begin}; all: ${months.join(", ")}`);
  if (begin !== BEGIN[name] || months.some((month) => !iranian.has(plain(month)))) changed = true;
}
console.log("as dates:", echarts.time.format(day(0), "{d} {MMMM} {yyyy}", true, "FA"), "|", format(day(0), "D MMMM YYYY", { locale: persian.default ?? persian }));
console.log("ICU and jquery-ui:", gregorian[0], jquery("fa")[0]);
if (jquery("fa")[0] !== gregorian[0] || iranian.size !== 12) fail("not as expected: the Gregorian months of Persian");

const arabic = plotly("ar");
const levant = all((date) => icu("ar-LB", { month: "long" }).format(date));
console.log(`Arabic, plotly: March is ${arabic[2]}, May ${arabic[4]}; in ICU, they are ${levant[2]} and ${levant[4]}`);
if (arabic[2] !== levant[2] || arabic[7] !== levant[7]) fail("not as expected: Arabic months");
const tamil = all((date) => icu("ta", { month: "long" }).format(date));
console.log(`Tamil: January is ${plotly("ta")[0]} in plotly and ${jquery("ta")[0]} in jquery-ui, ${tamil[0]} in ICU`);
const si = all((date) => echarts.time.format(date, "{MMMM}", true, "SI"));
const slovenian = all((date) => icu("sl", { month: "long" }).format(date));
console.log(`SI, echarts: ${si.slice(0, 3).join(", ")}; in ICU, sl: ${slovenian.slice(0, 3).join(", ")}, si: ${all((date) => icu("si", { month: "long" }).format(date))[0]}`);
if (arabic[4] !== arabic[2] || plotly("ta")[0] !== "தை" || jquery("ta")[0] !== "தை") changed = true;
if (si.some((month, place) => month.toLowerCase() !== slovenian[place])) changed = true;
if (changed) fail("a list of months changed");
JS
node months.js
