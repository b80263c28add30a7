#!/usr/bin/env bash
# Guess: a number that is written in Latin letters is the same number in the digits of another script, and one that the library romanised comes back.
# Behaviour: each full stop becomes the mark that ends sentences or parts of them, also between two digits: 3.14 is ३।१४ in Devanagari, ৩।১৪ in
# Bengali, ៣។១៤ in Khmer and ၃၊၁၄ in Burmese, which read as 3 and 14, and ๓ฯ๑๔ in Thai, with the sign of verses and abbreviations. १०.५ (10.5) is
# romanised as 10.5, and comes back as १०।५, with all four romanisations that were tried. In Gujarati, Telugu or Tamil, the point stays, as it does
# from Devanagari to Bengali.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile aksharamukha==2.3
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from aksharamukha import transliterate

print("aksharamukha", version("aksharamukha"))
numbers = {script: transliterate.process("ISO", script, "3.14") for script in "Devanagari Bengali Khmer Burmese Thai Gujarati Telugu Tamil".split()}
print("3.14 is", numbers)
back = {}
for romanised in ("ISO", "IAST", "HK", "Itrans"):
    latin = transliterate.process("Devanagari", romanised, "मूल्य १०.५")
    back[romanised] = transliterate.process(romanised, "Devanagari", latin)
    print(f"मूल्य १०.५ (price 10.5) is {latin} in {romanised}, and back {back[romanised]}")
if transliterate.process("Devanagari", "Bengali", "१०.५") != "১০.৫" or numbers["Gujarati"] != "૩.૧૪" or numbers["Telugu"] != "3.14":
    sys.exit("not as expected")
if list(numbers.values())[:5] != ["३।१४", "৩।১৪", "៣។១៤", "၃၊၁၄", "๓ฯ๑๔"] or any(not each.endswith("१०।५") for each in back.values()):
    sys.exit("aksharamukha changed")
PY
