#!/usr/bin/env bash
# Guess: a Fluent file that is read as JSON, for a translation service, and written again says the same.
# Behaviour: a reference is kept without its argument and without its attribute, and a string literal without its braces. In Czech,
# { -brand(case: "locative") } is { -brand }: "O Firefoxu" becomes "O Firefox"; { login.title } ("Sign in now") becomes { login } ("Login"); three
# spaces in a literal vanish, {"{"}name{"}"} is a reference to a message "name", which is not there, and {"\u0041"} is \u0041 instead of A. A
# message that selects by an attribute of a term has a selector that no reader of Fluent takes, so that it is left out. Nothing is said. Plural
# forms, functions with their options, attributes, comments and references without arguments stay.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" fluent_conv@3.3.0 @fluent/bundle@0.19.1 >/dev/null
cat >"$folder/check.mjs" <<'JS'
import { readFileSync } from "node:fs";

import { FluentBundle, FluentResource } from "@fluent/bundle";
import conv from "fluent_conv";

const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
console.log(`fluent_conv ${version("fluent_conv")}, @fluent/bundle ${version("@fluent/bundle")}`);
const FILE = `-brand = { $case ->
   *[nominative] Firefox
    [locative] Firefoxu
 }
  .gender = masculine
login = Login
  .title = Sign in now
about = O { -brand(case: "locative") }
hint = Press “{ login.title }”
updated = { -brand.gender ->
   *[masculine] aktualizován
    [feminine] aktualizována
 }
indent = {"   "}three spaces
braces = Write {"{"}name{"}"} here
escape = letter {"\\u0041"}
plain = { -brand } { login }
files = { $n ->
    [0] no files
    [one] one file
   *[other] { $n } files
 }
price = { NUMBER($n, minimumFractionDigits: 2) } EUR
`;
const read = (text) => {
  const bundle = new FluentBundle("en", { useIsolating: false });
  bundle.addResource(new FluentResource(text));
  return (name, n) => {
    const value = bundle.getMessage(name)?.value;
    return value ? bundle.formatPattern(value, { n }, []) : undefined;
  };
};
const json = conv.ftl2js(FILE);
const [before, after] = [FILE, conv.js2ftl(json)].map(read);
console.log(json);
for (const name of ["plain", "files", "price"])
  for (const n of [0, 1, 5])
    if (before(name, n) === undefined || before(name, n) !== after(name, n)) {
      console.error(`${name} is not as expected`);
      process.exit(1);
    }
const WRONG = {
  about: ["O Firefoxu", "O Firefox"],
  hint: ["Press “Sign in now”", "Press “Login”"],
  updated: ["aktualizován", undefined],
  indent: ["   three spaces", "three spaces"],
  braces: ["Write {name} here", "Write {name} here"],
  escape: ["letter A", "letter \\u0041"],
};
for (const [name, [right, wrong]] of Object.entries(WRONG)) {
  console.log(`${name}: ${JSON.stringify(before(name))}, after the round trip ${JSON.stringify(after(name))}`);
  if (before(name) !== right || after(name) !== wrong) {
    console.error("fluent_conv changed");
    process.exit(1);
  }
}
if (json.braces !== "Write {name} here") {
  console.error("fluent_conv changed");
  process.exit(1);
}
JS
node "$folder/check.mjs"
