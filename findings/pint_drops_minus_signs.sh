#!/usr/bin/env bash
# Guess: a string that the parser of quantities does not understand is an error, as "five m" and "20 °C" are.
# Behaviour: characters that are no tokens of Python (here 3.11) are skipped, and what stands side by side is multiplied. So the minus sign of
# typography vanishes: −5 m is 5 m, 3 m − 5 m are 15 square metres; 5 ÷ 2 m are 10 m, 5 m ∕ s are 5 m·s, 5½ km are 5 km, (5 ± 1) m are 5 m, and
# 20 ℃ has no unit. 10 000 km, the way of the SI to write thousands, are 10 times 000: 0 km, 10 500 km are 5,000, 2 1/2 km are 1 km, 3 ft 5 in are
# 15 ft·in. Babel writes such a space in the numbers of French.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pint==0.25.3 babel==2.19.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import pint
from babel.numbers import format_decimal

print(*(f"{name} {version(name)}" for name in ("pint", "babel")), f"python {sys.version.split()[0]}")
units = pint.UnitRegistry()


def see(text: str, expected: str, right: str = "") -> bool:
    seen = f"{units.Quantity(text)}"
    print(f"{text} is {seen}" + (f" (right: {right})" if right else ""))
    return seen == expected


controls = (("-5 m", "-5 meter"), ("10_000 km", "10000 kilometer"), ("5 / 2 m", "2.5 meter"), ("5 m²", "5 meter ** 2"), ("5×10³ m", "5000 meter"))
if not all([see(*each) for each in controls]):
    sys.exit("not as expected")
wrong = (
    ("\N{MINUS SIGN}5 m", "5 meter", "-5 meter"),
    ("3 m \N{MINUS SIGN} 5 m", "15 meter ** 2", "-2 meter"),
    ("5 ÷ 2 m", "10 meter", "2.5 meter"),
    ("5 m \N{DIVISION SLASH} s", "5 meter * second", "5 meter / second"),
    ("5½ km", "5 kilometer", "5.5 kilometer"),
    ("(5 ± 1) m", "5 meter", "5 with an uncertainty of 1"),
    ("20 ℃", "20 dimensionless", "20 degree_Celsius"),
    ("10 000 km", "0 kilometer", "10000 kilometer"),
    ("10 500 km", "5000 kilometer", "10500 kilometer"),
    ("2 1/2 km", "1.0 kilometer", "2.5 kilometer"),
    ("3 ft 5 in", "15 foot * inch", "41 inch"),
    (format_decimal(12000, locale="fr") + " m", "0 meter", "12000 meter"),
)
if not all([see(*each) for each in wrong]):
    sys.exit("pint changed")
PY
