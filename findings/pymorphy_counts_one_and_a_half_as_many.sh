#!/usr/bin/env bash
# Guess: `make_agree_with_number` puts a Russian noun into the form that belongs to a number, as for 1, 2 and 5.
# Behaviour: fractions fall through the rules for the last digit: 1.5 and 0.5 take the plural of 5 (“1,5 рублей”), 2.5 the form of 2 and 5.5
# that of 5; with a fraction, Russian has the genitive singular: “1,5 рубля”, “5,5 рубля”. -1 is taken for 9: “-1 рублей”, -2 for 8. And the
# nouns that change their stem when they are counted do not: 5 is “5 годов” and “5 людей” instead of “5 лет” and “5 человек”.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pymorphy3==2.0.6 pymorphy3-dicts-ru==2.4.417150.4580142 babel==2.19.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import pymorphy3
from babel import Locale

print(*(f"{name} {version(name)}" for name in ("pymorphy3", "pymorphy3-dicts-ru", "babel")))
rule = Locale("ru").plural_form
nouns = pymorphy3.MorphAnalyzer()
rouble = {"one": "рубль", "few": "рубля", "many": "рублей", "other": "рубля"}  # of CLDR's categories; other: fractions
seen = {}
for number in (1, 2, 5, 11, 21, 0.5, 1.5, 2.5, 5.5, -1, -2):
    seen[number] = nouns.parse("рубль")[0].make_agree_with_number(number).word
    print(f"{number} {seen[number]}; CLDR has the form {rule(number)}: {rouble[rule(number)]}")
wrong = [number for number in seen if seen[number] != rouble[rule(number)]]
counted = [nouns.parse(noun)[0].make_agree_with_number(5).word for noun in ("год", "человек")]
print("wrong:", wrong, "5", counted)
if wrong != [0.5, 1.5, 5.5, -1, -2] or counted != ["годов", "людей"]:
    sys.exit("pymorphy3 changed")
PY
