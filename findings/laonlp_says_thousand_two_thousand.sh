#!/usr/bin/env bash
# Guess: numbers in Lao words are those numbers, the words of a text put together are the text, and the dot in 10.000 ends no sentence.
# Behaviour: where the digit of the hundreds is 0, a word for thousand (ພັນ) too much is written before the thousands or, where there are none,
# behind what is above them: 2,000 is "thousand two thousand", though 2,500 is right, 100,000 "one hundred thousand thousand", 1,000,000 "one
# million thousand". The words of a text have no slash: 1/2 is 1, two empty words and 2. And each dot ends a sentence, also in 10.000 kip, the
# way numbers are written in Laos.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile laonlp==1.3.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from laonlp.tokenize import sent_tokenize, word_tokenize
from laonlp.util import num_to_laoword

print(*(f"{name} {version(name)}" for name in ("laonlp", "pythainlp")))
thousand = "ພັນ"
numbers = {
    2500: "ສອງພັນຫ້າຮ້ອຍ", 2034: "ພັນສອງພັນສາມສິບສີ່", 2000: "ພັນສອງພັນ", 100_000: "ນຶ່ງແສນພັນ", 1_000_000: "ນຶ່ງລ້ານພັນ",
}
for number, words in numbers.items():
    seen = num_to_laoword(number)
    print(f"{number:,}: {seen}, with {thousand} {seen.count(thousand)} times")
    if seen != words:
        sys.exit("laonlp changed")
twice = sum(num_to_laoword(number).count(thousand) > 1 for number in range(1000, 10_000))
print(f"of 9,000 numbers of four digits, {twice} have it twice")
for text, words in (("ລາຄາ 1,5 ກີບ", ["ລາຄາ", " ", "1,5", " ", "ກີບ"]), ("5 km/h", ["5", " ", "km", "", "", "h"]), ("1/2", ["1", "", "", "2"])):
    seen = word_tokenize(text)
    print(f"the words of {text}: {seen}, together: {''.join(seen)}")
    if seen != words:
        sys.exit("laonlp changed")
sentences = sent_tokenize("ລາຄາ 10.000 ກີບ.")
print("sentences:", sentences)
if sentences != ["ລາຄາ 10.", "000 ກີບ."] or twice != 900:
    sys.exit("laonlp changed")
PY
