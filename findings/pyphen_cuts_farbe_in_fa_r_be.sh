#!/usr/bin/env bash
# Guess: words are hyphenated as the dictionary says, as in LibreOffice, whose dictionaries and format these are: "Far-be" (colour), "be-ar-bei-ten"
# (to edit).
# Behaviour: the German dictionary has two levels, separated by NEXTLEVEL: first a word is cut into the parts of a compound, then each part by the
# rest. All patterns are mixed into one level, so that those of compounds cut inside of words: "Fa-r-be", "be-a-r-bei-ten", "Eu-r-o-pa", "Sa-lz":
# parts without a vowel, which no German word has, in 6 of 100 words of a dictionary. The limits of a dictionary are not read either: the English ones
# ask for three letters behind a hyphen, and "ungodly" is "un-god-ly", "crappy" "crap-py" (an argument of `Pyphen` sets them). Languages of one level
# are as in LibreOffice's library.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pyphen==0.18.1 PyHyphen==4.0.4
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version
from pathlib import Path

import pyphen
from hyphen.hnj import hyphenator_

print(*(f"{name} {version(name)}" for name in ("pyphen", "PyHyphen")))
FOLDER = Path(pyphen.__file__).parent / "dictionaries"
WORDS = {
    "de_DE": ["farbe", "bearbeiten", "übergabe", "europa", "balz", "molekularverstärker", "leibarzt", "pluralform", "fortsetzen", "terminalemulation"],
    "en_US": ["ungodly", "crappy", "calcify", "lecturer"],
    "hu_HU": ["asszonnyal", "könyvtár", "szeretet"],
    "es": ["amigo", "ferrocarril", "palabra"],
    "fr": ["bibliothèque", "garçon", "liberté"],
}
PLAIN = ["garten", "wasser", "königin", "straßenbahn"]


def hyphenate(language, words):
    """The words by pyphen and by the library of LibreOffice, from the same file."""
    path = FOLDER / f"hyph_{language}.dic"
    library = hyphenator_(str(path), 2, 2, 2, 2)
    return [(pyphen.Pyphen(lang=language).inserted(word), library.apply(word, 0).replace("=", "-")) for word in words]


def has_bare_part(word):
    return any(not set(part) & set("aeiouyäöü") for part in word.split("-"))


seen = {language: hyphenate(language, words) for language, words in WORDS.items()}
for language, pairs in seen.items():
    print(f"{language}:", *(f"{first} (LibreOffice: {second})" for first, second in pairs), sep="\n  ")
if any(first != second for language in ("hu_HU", "es", "fr") for first, second in seen[language]) or any(first != second for first, second in hyphenate("de_DE", PLAIN)):
    sys.exit("not as expected")
if any(has_bare_part(second) for _, second in seen["de_DE"]) or any(len(second.rpartition("-")[2]) < 3 for _, second in seen["en_US"]):
    sys.exit("not as expected")
text = (FOLDER / "hyph_de_DE.dic").read_text("iso8859-1")
if "\nNEXTLEVEL" not in text or "\nRIGHTHYPHENMIN 3" not in (FOLDER / "hyph_en_US.dic").read_text("utf-8"):
    sys.exit("not as expected")
narrow = pyphen.Pyphen(lang="en_US", right=3)
if [narrow.inserted(word) for word in WORDS["en_US"]] != [second for _, second in seen["en_US"]]:
    sys.exit("not as expected")
if not all(has_bare_part(first) for first, _ in seen["de_DE"]) or not all(len(first.rpartition("-")[2]) == 2 for first, _ in seen["en_US"]):
    sys.exit("pyphen changed")
PY
