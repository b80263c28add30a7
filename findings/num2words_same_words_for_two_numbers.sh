#!/usr/bin/env bash
# Guess: different numbers have different words, so digits of a corpus can be spelled out for speech without changing what they say.
# Behaviour: in 47 of 56 languages, English too, the minus of numbers between -1 and 0 is lost: -0.5 and 0.5 are "zero point five", while
# -1.5 is "minus one point five". In Bengali, 2.05 is two point five, in Persian two and a half. In Azerbaijani, 11,000 and 10,000 are both
# ten thousand, 21,000 and 20,000 both twenty thousand, while 22,000 has words of its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile num2words==0.5.14
"$folder/venv/bin/python" - <<'PY'
import sys
from decimal import Decimal
from importlib.metadata import version

from num2words import CONVERTER_CLASSES, num2words

print("num2words", version("num2words"))


def same(language, one, other):
    return num2words(one, lang=language) == num2words(other, lang=language)


lost = [language for language in CONVERTER_CLASSES if same(language, 0.5, -0.5)]
kept = [language for language in CONVERTER_CLASSES if language not in lost]
print(f"-0.5 and 0.5 have the same words in {len(lost)} of {len(CONVERTER_CLASSES)} languages, not in {kept}")
pairs = {
    "en": [(-0.5, 0.5), (Decimal("-0.25"), Decimal("0.25"))],
    "de": [(-0.5, 0.5)],
    "ja": [(-0.5, 0.5)],
    "bn": [(2.05, 2.5), (3.014, 3.14)],
    "fa": [(2.05, 2.5)],
    "az": [(11000, 10000), (21000, 20000), (1021000, 1020000)],
}
for language, numbers in pairs.items():
    for one, two in numbers:
        print(f"{language}: {one} is {num2words(one, lang=language)!r}, {two} is {num2words(two, lang=language)!r}")
for language, number in (("en", -1.5), ("az", 22000), ("en", 2.05)):
    print(f"{language}: {number} is {num2words(number, lang=language)!r}")
if len(lost) != 47 or not all(same(language, *numbers) for language in pairs for numbers in pairs[language]):
    sys.exit("num2words changed")
if same("en", -1.5, 1.5) or same("az", 22000, 20000) or same("en", 2.05, 2.5):
    sys.exit("more numbers are the same")
PY
