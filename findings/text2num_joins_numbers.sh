#!/usr/bin/env bash
# Guess: where two numbers stand in a sentence in words, with "and" between them, they become two numbers in digits.
# Behaviour: words go on belonging to a number as long as a number could be made of them, so that two numbers lend each other words: "between
# two hundred and three hundred people" becomes "between 203 100 people", "between fifty and one hundred people" is 5100 people. So it is in
# French with "entre deux cents et trois cents", in Spanish and Portuguese with thousands. "from two hundred to three hundred" is right.
# number-parser finds a Ukrainian number with an apostrophe only where that is U+02BC: двадцять п'ять (25) becomes "20 п'ять".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile text2num==3.1.0 number-parser==0.3.2
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import number_parser
from text_to_num import alpha2digit

print(*(f"{name} {version(name)}" for name in ("text2num", "number-parser")))
both = {"en", "es"}  # languages that number-parser reads, too
sentences = [
    ("en", "between two hundred and three hundred people", "between 203 100 people"),
    ("en", "between fifty and one hundred people", "between 5100 people"),
    ("en", "between one thousand and one million people", "between 1001000000 people"),
    ("es", "entre mil y dos mil personas", "entre 1002 1000 personas"),
    ("fr", "entre deux cents et trois cents personnes", "entre 203 100 personnes"),
    ("pt", "entre mil e dois mil pessoas", "entre 1002 1000 pessoas"),
    ("en", "from two hundred to three hundred people", "from 200 to 300 people"),
    ("es", "entre veinte y treinta personas", "entre 20 y 30 personas"),
    ("en", "two hundred and three people", "203 people"),
]
for language, sentence, expected in sentences:
    results = {"text2num": alpha2digit(sentence, language)}
    if language in both:
        results["number-parser"] = number_parser.parse(sentence, language=language)
    print(f"{language}: {sentence!r}:", ", ".join(f"{name} {result!r}" for name, result in results.items()))
    if set(results.values()) != {expected}:
        sys.exit(f"changed: {expected!r} was expected")
words = {mark: f"двадцять п{mark}ять" for mark in ("\N{APOSTROPHE}", "\N{RIGHT SINGLE QUOTATION MARK}", "\N{MODIFIER LETTER APOSTROPHE}")}
digits = {mark: number_parser.parse(number, language="uk") for mark, number in words.items()}
print("number-parser:", ", ".join(f"{words[mark]!r} with U+{ord(mark):04X} {digits[mark]!r}" for mark in words))
if list(digits.values()) != ["20 п'ять", "20 п’ять", "25"]:
    sys.exit("number-parser changed")
PY
