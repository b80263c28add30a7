#!/usr/bin/env bash
# Guess: Latin letters that a library makes of Japanese kana are read by it as these kana again, at least in the best known words.
# Behaviour: jaconv and romkan read "konnichiwa" as こんいちわ, kon-i-chi-wa, and "onna" (woman) as おんあ: they take nn for ん, as one types, while
# jaconv itself writes こんにちは with "nn". It also writes 原因 (げんいん, cause) as "genin", without the apostrophe, and reads げにん, a servant.
# wanakana and romkan read "matcha" as まtちゃ, with a Latin t inside; wanakana itself writes まっちゃ so. Its ファイル (file) is "fuairu".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund wanakana@5.3.1
python3 -m venv venv
venv/bin/pip install -q --no-compile jaconv==0.5.0 romkan==0.2.1
cat >run.cjs <<'JS'
const { toRomaji, toKana } = require("wanakana");
const { version } = require("./node_modules/wanakana/package.json");
console.log(`wanakana ${version}, node ${process.version}`);
for (const kana of ["こんにちは", "まっちゃ", "しんいち"]) console.log(`${kana} => ${toRomaji(kana)} => ${toKana(toRomaji(kana))}`);
console.log(`ファイル => ${toRomaji("ファイル")}`);
if (toRomaji("まっちゃ") !== "matcha" || toKana("matcha") !== "まtちゃ" || toRomaji("ファイル") !== "fuairu") {
  console.error("wanakana changed");
  process.exit(1);
}
JS
node run.cjs
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version

import jaconv
import romkan

print(*(f"{name} {version(name)}" for name in ("jaconv", "romkan")))
read = {}
for kana in ("こんにちは", "おんな", "げんいん", "まっちゃ"):
    romaji = jaconv.kana2alphabet(kana)
    read[kana] = jaconv.alphabet2kana(romaji)
    print("jaconv", kana, "=>", romaji, "=>", read[kana])
for romaji in ("konnichiwa", "onna", "matcha"):
    read[romaji] = romkan.to_hiragana(romaji)
    print("romkan", romaji, "=>", read[romaji])
if list(read.values()) != ["こんいちは", "おんあ", "げにん", "まっちゃ", "こんいちわ", "おんあ", "まtちゃ"]:
    sys.exit("jaconv or romkan changed")
PY
