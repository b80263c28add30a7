#!/usr/bin/env bash
# Guess: the Hungarian stemmer takes off the case endings -ból and -ből (out of), -tól and -től (from), -ról and -ről (off), one for words with back
# vowels, one for words with front vowels; "kertből" (out of the garden) has the stem of "kertben" (in the garden), "kert".
# Behaviour: in its tables, ő and ű are õ and û, the letters that have the same bytes in Latin-1. Endings with ő are never taken off: "kertből",
# "kerttől" and "kertről" stay as they are, and so do short words with ő or ű, which count as consonants: "nők" (women) is not "nő". Typed with the
# wrong letters, "kertbõl" is "kert". In Romanian, ț and ș of the official spelling (with a comma) are no letters of the endings, only ţ and ş (with a
# cedilla): "informație" has the stem "informaț", "informaţie" "inform". Snowball's own stemmer has all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile nltk==3.10.4 PyStemmer==3.1.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import Stemmer
from nltk.stem.snowball import SnowballStemmer

print(*(f"{name} {version(name)}" for name in ("nltk", "PyStemmer")))
FRONT = ["kertből", "kerttől", "kertről", "könyvből", "könyvtől", "könyvről", "erdőből", "időkből", "nők", "nőnek", "fűben"]
BACK = ["házból", "háztól", "házról", "kertben", "kertek", "könyvben", "erdőben"]
ROMANIAN = ["informație", "informații", "informațiilor", "mergeți"]
hungarian, romanian = SnowballStemmer("hungarian"), SnowballStemmer("romanian")
snowball = {language: Stemmer.Stemmer(language) for language in ("hungarian", "romanian")}
latin, cedilla = str.maketrans("őű", "õû"), str.maketrans("țș", "ţş")
for word in FRONT + BACK:
    print(f"{word}: {hungarian.stem(word)}, in Snowball {snowball['hungarian'].stemWord(word)}, typed {word.translate(latin)}: {hungarian.stem(word.translate(latin))}")
for word in ROMANIAN:
    print(f"{word}: {romanian.stem(word)}, in Snowball {snowball['romanian'].stemWord(word)}, with cedilla: {romanian.stem(word.translate(cedilla))}")
if [hungarian.stem(word) for word in BACK] != snowball["hungarian"].stemWords(BACK):
    sys.exit("not as expected")
if snowball["hungarian"].stemWords(FRONT) != ["kert"] * 3 + ["könyv"] * 3 + ["erdő", "idő", "nő", "nő", "fű"]:
    sys.exit("not as expected")
if [hungarian.stem(word.translate(latin)) for word in FRONT] != [word.translate(latin) for word in snowball["hungarian"].stemWords(FRONT)]:
    sys.exit("not as expected")
if [romanian.stem(word.translate(cedilla)) for word in ROMANIAN] != snowball["romanian"].stemWords(ROMANIAN):
    sys.exit("not as expected")
if [hungarian.stem(word) for word in FRONT] != FRONT or [romanian.stem(word) for word in ROMANIAN] != ["informaț"] * 3 + ["mergeț"]:
    sys.exit("NLTK changed")
PY
