#!/usr/bin/env bash
# Guess: in ASCII, a text may lose accents, not its sense.
# Behaviour: AnyAscii takes the stroke of a negated sign for an accent: "a ≠ b" becomes "a = b", ≮ (not less) becomes <, ∉ (not in) and ∈ (in)
# become the same E, and so on for 38 signs. Ten and a half, 10½, is 101/2, and 5‰ is 5%0,
# of Unidecode, too. Unidecode deletes all of these signs, and the root of √2, which is 2 then.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile anyascii==0.3.3 unidecode==1.4.0
"$folder/venv/bin/python" - <<'PY'
import sys
import unicodedata
from importlib.metadata import version

from anyascii import anyascii
from unidecode import unidecode

print(*(f"{name} {version(name)}" for name in ("anyascii", "unidecode")))
for text in ("a ≠ b", "a ≮ b", "x ∉ M", "x ∈ M", "10½", "5‰", "√2"):
    print(repr(text), "anyascii", repr(anyascii(text)), "unidecode", repr(unidecode(text)))
signs = [chr(i) for i in range(0x2190, 0x2300) if "\u0338" in unicodedata.normalize("NFD", chr(i))]
same = [x for x in signs if anyascii(x) == anyascii(unicodedata.normalize("NFD", x)[0]) != ""]
print(len(same), "of", len(signs), "signs with a stroke are written as those without:", *same)
if anyascii("a ≠ b") != "a = b" or anyascii("x ∉ M") != anyascii("x ∈ M") or len(same) != 38:
    sys.exit("anyascii changed")
if anyascii("10½") != "101/2" or anyascii("5‰") != "5%0" or unidecode("5‰") != "5%0" or unidecode("√2") != "2":
    sys.exit("anyascii or unidecode changed")
PY
