#!/usr/bin/env bash
# Guess: the words of a text hold all its letters, digits and signs; the tokeniser is said to follow NLTK's, but for hyphens.
# Behaviour: `text_to_words` drops characters that came to Unicode since 2005: the signs of the rupee, the rouble and the lira (of ₹500, 500
# is left), the capital ẞ, the last letters of words in Malayalam and Bengali, the zero of Tamil. Burmese words are torn at their signs, Persian words
# at zero-width joiners. The caret is dropped at any age, so that 10^3 is "10 3". `text_to_sentences` keeps all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile blingfire==0.1.8 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import blingfire

print("blingfire", version("blingfire"))
cases = {
    "It costs ₹500 or ₽900 or ₺30.": "It costs 500 or 900 or 30 .",
    "It costs €500 or £900.": "It costs € 500 or £ 900 .",
    "GROẞE": "GRO E",
    "അവൻ വന്നു": "അവ വന്നു",  # he came
    "হঠাৎ": "হঠা",  # suddenly
    "௧௦": "௧",  # ten
    "မြန်မာ": "မ န မာ",  # Myanmar
    "می\u200cروم": "می روم",  # I go
    "10^3": "10 3",
}
for text in cases:
    print(f"{text} -> {blingfire.text_to_words(text)}; sentences: {blingfire.text_to_sentences(text)}")
if any(blingfire.text_to_words(text) != words or blingfire.text_to_sentences(text) != text for text, words in cases.items()):
    sys.exit("blingfire changed")
PY
