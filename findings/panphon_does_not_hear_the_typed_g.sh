#!/usr/bin/env bash
# Guess: the distance of two pronunciations counts every sound in them, or says which it does not know.
# Behaviour: what is not in the table of segments is left out without a word. The letter g of keyboards (U+0067) is not in it, only the ɡ of the
# phonetic alphabet (U+0261), nor are the r-coloured vowels ɚ and ɝ of American English: “gato” and “ato” have the distance 0, “ɚ” is
# empty, and the colon that stands for ː goes, too. The plain edit distance of letters in the same class is 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile panphon==0.22.2
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import panphon
import panphon.distance

print("panphon", version("panphon"))
table, distance = panphon.FeatureTable(), panphon.distance.Distance()
words = {"ɡato": 4, "gato": 3, "bɝd": 2, "ɚ": 0, "maːl": 3, "ma:l": 3}
for word, number in words.items():
    print(f"{word} {ascii(word)} has the segments {table.ipa_segs(word)}")
pairs = {("gato", "ato"): 0, ("ɡato", "ato"): None, ("bɝd", "bd"): 0, ("big", "bi"): 0}
seen = {}
for first, second in pairs:
    seen[first, second] = distance.feature_edit_distance(first, second)
    print(f"{first}, {second}: feature distance {seen[first, second]:.3f}, of letters {distance.levenshtein_distance(first, second)}")
if any(len(table.ipa_segs(word)) != number for word, number in words.items()):
    sys.exit("panphon changed")
if seen["ɡato", "ato"] == 0 or any(seen[pair] != 0 for pair, expected in pairs.items() if expected == 0):
    sys.exit("panphon changed")
PY
