#!/usr/bin/env bash
# Guess: "half a million dollars" are 500,000, "one point five metres" 1.5 m, and the unit of a quantity is the one that stands behind its number.
# Behaviour: half is added, not multiplied: half a million dollars are 1,500,000, while "two and a half million" is right. "Point" in words is not
# known, so that what is behind it is the quantity: "one point five metres" is 5 metres, "zero point five" as well. 10^6 m are 6 metres, and
# 10⁶ m nothing, though 5×10^3 m and 10 m² are right. Units in the forms of CJK texts and the micrometre after NFKC, which has a Greek mu in it,
# have no unit. Without the optional classifier.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile quantulum3==0.10.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
import unicodedata
from importlib.metadata import version

from quantulum3 import parser

print("quantulum3", version("quantulum3"))
changed = False


def see(text: str, expected: list[tuple[float, str]], right: str = "") -> bool:
    seen = [(quantity.value, quantity.unit.name) for quantity in parser.parse(text)]
    print(f"{text}: {', '.join(f'{value:g} {unit}' for value, unit in seen) or 'nothing'}" + (f" (right: {right})" if right else ""))
    return seen == expected


controls = (
    ("two and a half million dollars", [(2_500_000, "dollar")]),
    ("1.5 metres", [(1.5, "metre")]),
    ("5×10^3 m", [(5000, "metre")]),
    ("10 m²", [(10, "square metre")]),
    ("2 µm", [(2, "micrometre")]),
    ("20 °C", [(20, "degree Celsius")]),
)
if not all([see(text, expected) for text, expected in controls]):
    sys.exit("not as expected")
wrong = (
    ("half a million dollars", [(1_500_000, "dollar")], "500,000 dollars"),
    ("zero point five metres", [(0, "dimensionless"), (5, "metre")], "0.5 metre"),
    ("The wall is one point five metres high.", [(5, "metre")], "1.5 metre"),
    ("10^6 m", [(10, "dimensionless"), (6, "metre")], "1,000,000 metre"),
    ("10⁶ m", [], "1,000,000 metre"),
    (unicodedata.normalize("NFKC", "2 µm"), [(2, "unk")], "2 micrometre"),
    ("20 ℃", [(20, "dimensionless")], "20 degree Celsius"),
    ("5 ㎞", [(5, "dimensionless")], "5 kilometre"),
)
if not all([see(*each) for each in wrong]):
    sys.exit("quantulum3 changed")
PY
