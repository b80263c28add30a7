#!/usr/bin/env bash
# Guess: numbers that are written in Arabic words are those numbers, and words in either spelling are read as the same number.
# Behaviour: -5 is written as zero, 1.05 as "one point five", as is 1.5. Read, "five point three" is 8, the sum, and "minus five" is 5. Of the two
# spellings of two hundred, مائتان is unknown, so that ثلاثة آلاف ومائتان (3,200) is 3,000; in the other hundreds, both are known. Twelve beside a
# feminine noun (اثنتا عشرة) is 10, three hundred in two words (ثلاث مئة) 103, "five or six" 11.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pyarabic==0.6.15
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from pyarabic.number import number2text, text2number

print("pyarabic", version("pyarabic"))
right = {"ثلاثة آلاف ومئتان": 3200, "ستمائة": 600, "ستمئة": 600, "اثني عشر": 12, "مليون وخمسمائة ألف": 1_500_000}
if {words: text2number(words) for words in right} != right or any(text2number(number2text(str(number))) != number for number in range(2000)):
    sys.exit("not as expected")
written = {"-5": "صفر", "1.5": "واحد فاصلة خمس", "1.05": "واحد فاصلة خمس"}
for number, words in written.items():
    seen = number2text(number)
    print(f"{number} in words: {seen}")
    if seen != words:
        sys.exit("pyarabic changed")
read = {
    "خمسة فاصلة ثلاثة": (8, "5.3"),
    "ناقص خمسة": (5, "-5"),
    "مائتان": (0, "200"),
    "ثلاثة آلاف ومائتان": (3000, "3200"),
    "اثنتا عشرة": (10, "12"),
    "ثلاث مئة": (103, "300"),
    "خمسة أو ستة": (11, "5 or 6"),
}
for words, (expected, meant) in read.items():
    seen = text2number(words)
    print(f"{words} is {seen} (right: {meant})")
    if seen != expected:
        sys.exit("pyarabic changed")
PY
