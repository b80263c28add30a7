#!/usr/bin/env bash
# Guess: of a text with numbers in words, all words are left, the numbers in digits, wherever they stand.
# Behaviour: a number of one word at the end of a text is dropped: "I have two" becomes "I have", "house number five" and "two times three" have
# no five and no three; with a word or a space behind it, or of two words (twenty), it is right. Numbers between -1 and 0, which the library
# itself writes, are refused. And of the engines for words, "longest" writes Latin letters small: iPhone USA is iphone usa.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PYTHAINLP_DATA="$folder/data"
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pythainlp==5.4.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from pythainlp.tokenize import word_tokenize
from pythainlp.util import num_to_thaiword, num_to_thaiword_float, text_to_num

print("pythainlp", version("pythainlp"))
texts = {
    "ฉันมีสองคน": ["ฉัน", "มี", "2", "คน"],
    "ฉันมีสอง": ["ฉัน", "มี"],
    "บ้านเลขที่ห้า": ["บ้าน", "เลขที่"],
    "สองคูณสาม": ["2", "คูณ"],
    "ราคาสิบ": ["ราคา"],
    "ราคายี่สิบ": ["ราคา", "20"],
}
for text, words in texts.items():
    seen = text_to_num(text)
    print(text, "=>", *seen)
    if seen != words:
        sys.exit("pythainlp changed")
lost = [number for number in range(1, 101) if str(number) not in text_to_num("ราคา" + num_to_thaiword(number))]
print("behind the word price, these of the numbers up to 100 are lost:", *lost)
half = num_to_thaiword_float(-0.5)
try:
    seen = text_to_num(half)
except ValueError as error:
    seen = str(error)
print(f"-0.5 is {half}, back: {seen}")
words = word_tokenize("ใช้ iPhone ใน USA", engine="longest")
print("words of the engine longest:", *words)
if "iPhone" not in word_tokenize("ใช้ iPhone ใน USA"):
    sys.exit("not as expected")
if lost != [*range(1, 11)] or "not a valid" not in seen or not {"iphone", "usa"} <= {*words}:
    sys.exit("pythainlp changed")
PY
