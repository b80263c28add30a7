#!/usr/bin/env bash
# Guess: an amount is shown with the decimals of its currency, and the library reads what it wrote.
# Behaviour: of what it writes for 1,234.56, it reads the dirhams, dinars and pounds of eleven Arab countries as 0, Peruvian soles as 0.1234 and Vietnamese
# dong as 1.235. Amounts in Bangladesh, Sri Lanka, Turkmenistan, Mozambique, Cambodia and Brunei are rounded to whole units: 0.40 taka are 0; in
# Bhutan and the Maldives, they have one decimal. By ISO 4217, as currency-codes has it, and in ICU, these eight have two; the francs of Africa
# and the Pacific, Paraguay and Uganda have none, and are shown with two. The minus sign that ICU writes in Swedish is not read: −5 is 5. Dollars
# of the USA, euros, yen and rupees of India are as guessed, and so is -5 with a hyphen.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund currency-formatter@1.5.9 currency-codes@2.2.0
cat > amounts.js <<'JS'
const formatter = require("currency-formatter");
const iso = require("currency-codes");

const version = (name) => JSON.parse(require("node:fs").readFileSync(`node_modules/${name}/package.json`)).version;
console.log("node", process.version, ["currency-formatter", "currency-codes"].map((name) => `${name} ${version(name)}`).join(", "));
const fail = (message) => {
  console.error(message);
  process.exit(1);
};
const icu = (code, amount) => new Intl.NumberFormat("en", { style: "currency", currency: code }).format(amount);
const digits = (code) => new Intl.NumberFormat("en", { style: "currency", currency: code }).resolvedOptions().maximumFractionDigits;
const again = (code) => formatter.unformat(formatter.format(1234.56, { code }), { code });
const shown = (code) => formatter.findCurrency(code).decimalDigits;
for (const code of ["USD", "EUR", "GBP", "JPY", "INR"]) {
  const right = Number((1234.56).toFixed(digits(code)));
  if (shown(code) !== iso.code(code).digits || shown(code) !== digits(code) || again(code) !== right) fail(`not as expected: ${code}`);
}
if (formatter.unformat("-5 kr", { code: "SEK" }) !== -5) fail("not as expected: -5");
const wrong = formatter.currencies.map(({ code }) => code).filter((code) => iso.code(code) && iso.code(code).digits === digits(code) && shown(code) !== digits(code));
for (const code of wrong) {
  console.log(`${code} (${iso.code(code).currency}), decimals: ${shown(code)}, in ISO 4217 and ICU ${digits(code)}: ${formatter.format(1234.56, { code })}; in ICU: ${icu(code, 1234.56)}`);
}
console.log(`others than in ISO 4217 and ICU: ${wrong.length} of ${formatter.currencies.length}`);
const few = formatter.format(0.4, { code: "BDT" }).replace(/\s/g, " ");
const swedish = new Intl.NumberFormat("sv", { style: "currency", currency: "SEK" }).format(-5);
const read = formatter.unformat(swedish, { code: "SEK" });
console.log(`0.40 taka: ${few}; in ICU: ${icu("BDT", 0.4)}; ${swedish} of ICU is read as ${read}`);
const others = formatter.currencies.map(({ code }) => code).filter((code) => again(code) < 1200);
for (const code of others) console.log(`${code}: ${formatter.format(1234.56, { code })} is read as ${again(code)}`);
const expected = "BDT,BND,BTN,KHR,KMF,LKR,MVR,MZN,PYG,RWF,TMT,UGX,XAF,XOF,XPF";
if ([...wrong].sort().join() !== expected || few !== "৳ 0" || read !== 5) fail("decimals or signs changed");
if (others.filter((code) => again(code) === 0).length !== 11 || again("PEN") !== 0.1234 || again("VND") !== 1.235) fail("amounts changed");
JS
node amounts.js
