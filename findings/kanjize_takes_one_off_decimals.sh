#!/usr/bin/env bash
# Guess: 2.3億, as Japanese newspapers write 230,000,000, is read as that number: the library takes decimals before 万, 億 and 兆.
# Behaviour: 2.3億 is 229,999,999. The number is multiplied as a float and cut off instead of rounded: with one decimal, 87 of the 999 numbers below 100億
# are one too small, with two decimals 698 of 9,999. 1.5 alone is 1, 三百.五 300. Numbers without a point, in figures or in kanji, are right, and so
# is what the library writes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile kanjize==1.6.1
"$folder/venv/bin/python" - <<'PY'
import sys
from fractions import Fraction
from importlib.metadata import version

from kanjize import KanjizeConfiguration, KanjizeStyle, kanji2number, number2kanji

print("kanjize", version("kanjize"))
UNITS = {"万": 10**4, "億": 10**8, "兆": 10**12}
mixed = KanjizeConfiguration(style=KanjizeStyle.MIXED)
for number in (*range(1, 2000, 7), 230_000_000, 123_456_789, 4 * 10**12 + 10**11):
    if any(kanji2number(text) != number for text in (number2kanji(number), number2kanji(number, config=mixed))):
        sys.exit("not as expected")
if kanji2number("2.5億") != 250_000_000 or kanji2number("2億3千万") != 230_000_000:
    sys.exit("not as expected")
for decimals in (1, 2):
    texts = [f"{n // 10**decimals}.{n % 10**decimals:0{decimals}d}億" for n in range(1, 100 * 10**decimals)]
    errors = {text: kanji2number(text) - int(Fraction(text[:-1]) * UNITS["億"]) for text in texts}
    wrong = [text for text, error in errors.items() if error]
    print(f"{decimals} decimals: {len(wrong)} of {len(texts)} are wrong, such as {wrong[:8]}")
    if {errors[text] for text in wrong} != {-1} or not len(texts) / 20 < len(wrong) < len(texts) / 6:
        sys.exit("kanjize changed")
seen = {text: kanji2number(text) for text in ("2.3億", "0.57万", "4.1兆", "8.2億", "1.5", "三百.五")}
print(seen)
if list(seen.values()) != [229_999_999, 5_699, 4_099_999_999_999, 819_999_999, 1, 300]:
    sys.exit("kanjize changed")
PY
