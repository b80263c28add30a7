#!/usr/bin/env bash
# Guess: `decodeS` reads Chinese numbers as they are written, or says that it cannot: years in single digits, 两 for two, a last digit without its
# place as in 一千二 (1,200).
# Behaviour: zeros between single digits vanish, so that 二零二六, the year 2026, is 226, and 二零零八 28. 一千二 is 1,002. A sign that is not in its
# table makes the whole number zero: 两万 (20,000), 廿 (20), also what follows a comma. What nzh itself wrote is read back right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund nzh@1.0.14
cat >run.cjs <<'JS'
const { readFileSync } = require("node:fs");
const Nzh = require("nzh");

console.log("nzh", JSON.parse(readFileSync("node_modules/nzh/package.json")).version);
const expected = { "一千零二": 1002, "一千二": 1002, "二零二六": 226, "二零零八": 28, "两万": 0, "廿": 0, "二万": 20000 };
for (const [text, due] of Object.entries(expected)) {
  const seen = Nzh.cn.decodeS(text);
  console.log(`${text} is ${seen}`);
  if (seen !== due) throw new Error("nzh changed");
}
for (const n of [7, 20, 305, 1002, 1200, 20000, 1000050, -3.05]) {
  if (Nzh.cn.decodeS(Nzh.cn.encodeS(n)) !== n) throw new Error("nzh changed");
}
JS
node run.cjs
