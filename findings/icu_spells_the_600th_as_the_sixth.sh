#!/usr/bin/env bash
# Guess: the numbers that ICU writes in words, behind translated messages in many programs, are those numbers, in the letters of the language.
# Behaviour: the Croatian 600th is the sixth (šesti), the 1,600th the 1,006th; the Russian 200th to 900th are no ordinals, двести for двухсотый.
# One in Belarusian (адзiн) has a Latin i, hundreds and thousands in Lao are in Thai letters, so that a search for the words finds nothing. In
# figures, the third is ৩nd in Bengali and ३nd in Marathi, the first 1th in Urdu, Telugu, Kannada, Basque and others. And `{n, spellout,
# %spellout-ordinal}` has the cardinal "twenty-one": only without a space before the name of the rules, it is "twenty-first".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile icu4py==1.2.0
"$folder/venv/bin/python" - <<'PY'
import sys
import unicodedata
from importlib.metadata import version

import icu4py
from icu4py.messageformat import MessageFormat

print("icu4py", version("icu4py"), "icu", icu4py.icu_version)


def write(language: str, number: int, form: str) -> str:
    text = MessageFormat(f"{{n, {form}}}", language).format({"n": number})
    return text.replace("\N{SOFT HYPHEN}", "").replace("\N{ZERO WIDTH SPACE}", "")


def see(language: str, number: int, form: str, expected: str, right: str = "") -> bool:
    seen = write(language, number, form)
    scripts = sorted({unicodedata.name(letter).split()[0].capitalize() for letter in seen if letter.isalpha()})
    print(f"{language}, {number:,}, {form}: {seen} ({' and '.join(scripts)})" + (f", right: {right}" if right else ""))
    return seen == expected


masculine = "spellout,%spellout-ordinal-masculine"
controls = (
    ("hr", 500, masculine, "petsti"),
    ("ru", 100, masculine, "сотый"),
    ("be", 11, "spellout", "адзінаццаць"),
    ("lo", 5, "spellout", "ຫ້າ"),
    ("en", 3, "ordinal", "3rd"),
    ("en", 21, "spellout,%spellout-ordinal", "twenty-first"),
)
if not all([see(*each) for each in controls]):
    sys.exit("not as expected")
wrong = (
    ("hr", 6, masculine, "šesti", "šesti"),
    ("hr", 600, masculine, "šesti", "šeststoti"),
    ("hr", 1600, masculine, "tisuću šesti", "tisuću šeststoti"),
    ("ru", 200, masculine, "двести", "двухсотый"),
    ("ru", 900, masculine, "девятьсот", "девятисотый"),
    ("be", 1, "spellout", "адз\N{LATIN SMALL LETTER I}н", "адзін"),
    ("lo", 200, "spellout", "ສອງร้อย", "ສອງຮ້ອຍ"),
    ("lo", 2000, "spellout", "ສອງพัน", "ສອງພັນ"),
    ("bn", 3, "ordinal", "৩nd", "৩য়"),
    ("mr", 3, "ordinal", "३nd", "३रा"),
    ("ur", 1, "ordinal", "1th"),
    ("te", 1, "ordinal", "1th"),
    ("kn", 1, "ordinal", "1th"),
    ("eu", 1, "ordinal", "1th"),
    ("en", 21, "spellout, %spellout-ordinal", "twenty-one", "twenty-first"),
)
if not all([see(*each) for each in wrong]):
    sys.exit("ICU changed")
PY
