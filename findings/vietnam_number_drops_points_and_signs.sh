#!/usr/bin/env bash
# Guess: a number in Vietnamese words has its sign and its decimals, or is an error.
# Behaviour: words that are no digits are skipped, and all others that are left are one number: three point five (ba phẩy năm) is 35, minus five
# (âm năm) 5, one half (một phần hai) 12, two or three people (hai ba người) 23. The same holds the other way round: 3.5 and 1,5 are written as 35
# and 15, 0.305 as three hundred and five, -5 as five.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile vietnam_number==1.0.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from vietnam_number import n2w, w2n

print("vietnam_number", version("vietnam_number"))
if w2n("hai triệu rưỡi") != 2_500_000 or any(w2n(n2w(str(number))) != number for number in range(2000)):
    sys.exit("not as expected")
read = {
    "ba phẩy năm": (35, "3.5"),
    "mười hai phẩy ba": (123, "12.3"),
    "âm năm": (5, "-5"),
    "một phần hai": (12, "1/2"),
    "hai ba người": (23, "2 or 3 people"),
}
for words, (expected, right) in read.items():
    seen = w2n(words)
    print(f"{words} is {seen} (right: {right})")
    if seen != expected:
        sys.exit("vietnam_number changed")
for number, expected in {"3.5": 35, "1,5": 15, "0.305": 305, "-5": 5}.items():
    words = n2w(number)
    print(f"{number} in words: {words}, which is {w2n(words)}")
    if w2n(words) != expected:
        sys.exit("vietnam_number changed")
PY
