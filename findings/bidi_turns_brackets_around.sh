#!/usr/bin/env bash
# Guess: `bidi.get_display` gives the order in which Hebrew and Arabic text is shown, as `bidi.algorithm.get_display` of the same package does.
# Behaviour: the function of the package, in Rust, does not mirror brackets: “שלום (עולם)” is shown as )םלוע( םולש, and < as >. Of several
# lines, a line break at the end of a Hebrew line moves to its begin: the next line follows in the same line. The slower function, in
# Python, is right in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile python-bidi==0.6.12
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import bidi
import bidi.algorithm

print("python-bidi", version("python-bidi"))
cases = [
    ("שלום (עולם)", ")םלוע( םולש", "(םלוע) םולש"),
    ("קובץ [1]", "]1[ ץבוק", "[1] ץבוק"),
    ("א < ב", "ב < א", "ב > א"),
    ("שלום\nabc", "\nםולשabc", "םולש\nabc"),
    ("abc (def)", "abc (def)", "abc (def)"),
]
changed = False
for text, rust, python in cases:
    seen = bidi.get_display(text), bidi.algorithm.get_display(text)
    print(f"{ascii(text)}: Rust {ascii(seen[0])}, Python {ascii(seen[1])}")
    changed |= seen != (rust, python)
if changed:
    sys.exit("python-bidi changed")
PY
