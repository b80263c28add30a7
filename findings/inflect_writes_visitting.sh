#!/usr/bin/env bash
# Guess: a library for English grammar knows the participle of "visits" and the article before 8, and turns texts of numbers into words, or refuses.
# Behaviour: a consonant after one vowel is doubled wherever the stress is, so that "visitting", "openning" and "developping" come out, but not
# where it must be: "quiting", "refering". The article of all digits is "a": "a 8-bit", "a 11th", "a 18". Of several passers-by, "passer-bies"
# come. And of a text, all but digits and points is left out: 1/2 is twelve, 10-20 one thousand and twenty, 1e6 sixteen, −5 (with the
# sign U+2212) five.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile inflect==7.6.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import inflect

print("inflect", version("inflect"))
engine = inflect.engine()
verbs = {verb: engine.present_participle(verb) for verb in ("runs", "stops", "visits", "opens", "happens", "develops", "quits", "refers")}
articles = [engine.a(text) for text in ("hour", "8-bit", "11th", "18", "eight")]
numbers = {text: engine.number_to_words(text) for text in ("-5", "1,000", "1/2", "10-20", "1e6", "−5")}
print(verbs, articles, engine.plural("passer-by"), numbers, sep="\n")
if verbs["runs"] != "running" or articles[0] != "an hour" or numbers["-5"] != "minus five":
    sys.exit("not as expected")
if [verbs[x] for x in ("visits", "opens", "happens", "develops")] != ["visitting", "openning", "happenning", "developping"]:
    sys.exit("inflect changed")
if [verbs[x] for x in ("quits", "refers")] != ["quiting", "refering"]:
    sys.exit("inflect changed")
if articles[1:4] != ["a 8-bit", "a 11th", "a 18"] or engine.plural("passer-by") != "passer-bies":
    sys.exit("inflect changed")
if [numbers[x] for x in ("1/2", "10-20", "1e6", "−5")] != ["twelve", "one thousand and twenty", "sixteen", "five"]:
    sys.exit("inflect changed")
PY
