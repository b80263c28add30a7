#!/usr/bin/env bash
# Guess: `UnicodeIndicTransliterator` writes a word of one Indic script in letters of another, as multilingual systems use it to share subwords.
# Behaviour: it adds the distance of the two blocks of Unicode, also where the other script has no letter at that place: in Bengali, "office"
# (ऑफ़िस) begins with a code point that is no character, in Tamil, ऋषि (sage) does; Tamil ழ, a letter of the language's own name, is one only
# in Devanagari, Telugu and Malayalam. What lies behind the common part stays in the old script: the sign that doubles consonants in Punjabi, and
# the final consonants of Malayalam.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps indic-nlp-library==0.92 pandas==3.1.1 numpy==2.4.6 python-dateutil==2.9.0.post0 six==1.17.0
"$folder/venv/bin/python" - <<'PY'
import sys
import unicodedata
from importlib.metadata import version

from indicnlp.transliterate.unicode_transliterate import UnicodeIndicTransliterator

print("indic-nlp-library", version("indic-nlp-library"), "Unicode", unicodedata.unidata_version)
SCRIPTS = {"hi": "DEVANAGARI", "bn": "BENGALI", "gu": "GUJARATI", "pa": "GURMUKHI", "or": "ORIYA", "ta": "TAMIL"}
SCRIPTS |= {"te": "TELUGU", "kn": "KANNADA", "ml": "MALAYALAM"}


def transliterated(word, source, target):
    """Returns the word in the other script, and which of its characters are none or of another script."""
    text = UnicodeIndicTransliterator.transliterate(word, source, target)
    names = [unicodedata.name(character, f"U+{ord(character):04X}, no character") for character in text]
    return text, [name for name in names if not name.startswith(SCRIPTS[target])]


cases = [
    ("hi", "bn", "ऑफ़िस", ["U+0991, no character"]),
    ("hi", "ta", "ऋषि", ["U+0B8B, no character"]),
    ("hi", "te", "ऑफ़िस", ["U+0C11, no character"]),
    ("ta", "bn", "தமிழ்", ["U+09B4, no character"]),
    ("pa", "hi", "ਸਿੱਖ", ["GURMUKHI ADDAK"]),
    ("ml", "hi", "അവൻ", ["MALAYALAM LETTER CHILLU N"]),
    ("hi", "bn", "भारत", []),
]
changed = False
for source, target, word, expected in cases:
    text, foreign = transliterated(word, source, target)
    print(f"{word} from {source} to {target}: {ascii(text)}", *(foreign or ["right"]))
    changed |= foreign != expected
without = [target for target in SCRIPTS if target != "ta" and transliterated("தமிழ்", "ta", target)[1]]
print("no ழ in:", *without)
if changed or without != ["bn", "gu", "pa", "or", "kn"]:
    sys.exit("indic-nlp-library changed")
PY
