#!/usr/bin/env bash
# Guess: `contractions.fix` writes out "don't" and "I'm", and leaves words alone that are no contractions.
# Behaviour: it also knows each contraction without its apostrophe: "the cause" becomes "the because", "a shed" is "a she would", and the
# "U" of "U.S." is a slang "you": "YOU.S.". `slang=False` mends these three. "he'd gone" is "he would gone" in either case.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile contractions==0.1.73
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import contractions

print("contractions", version("contractions"))
cases = {
    "The cause of the fire is unknown.": "The because of the fire is unknown.",
    "We found a shed behind the house.": "We found a she would behind the house.",
    "The U.S. economy grew.": "The YOU.S. economy grew.",
    "I don't know.": "I do not know.",
    "Smoke will cause cancer.": "Smoke will cause cancer.",
    "He'd gone.": "He would gone.",
}
for text in cases:
    print(f"{text} -> {contractions.fix(text)} -> without slang: {contractions.fix(text, slang=False)}")
without = [contractions.fix(text, slang=False) == text for text in list(cases)[:3]]
if [contractions.fix(text) for text in cases] != list(cases.values()) or not all(without):
    sys.exit("contractions changed")
PY
