#!/usr/bin/env bash
# Guess: the normaliser of Indic text leaves times and numbers as they are; a text that is split into tokens and put together again has its numbers.
# Behaviour: a colon behind any character of the script becomes a visarga, the sign of a breath, which is documented for letters that were typed
# so. But digits are characters of the script, too: 10:30 in Hindi digits, or the verse 3:16, have a letter in them, in nine scripts. A label
# such as "name:" gets one, too. And numbers in these digits are parted at points and commas, and put together with a space behind: 10,000
# becomes "10, 000". Of ASCII digits, the normaliser changes none, and the tokeniser parts only a number that begins the text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile indic-nlp-library==0.92
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from indicnlp.normalize.indic_normalize import IndicNormalizerFactory
from indicnlp.tokenize.indic_detokenize import trivial_detokenize
from indicnlp.tokenize.indic_tokenize import trivial_tokenize

print("indic-nlp-library", version("indic-nlp-library"))
ZEROS = {"hi": "०", "bn": "০", "pa": "੦", "gu": "૦", "or": "୦", "ta": "௦", "te": "౦", "kn": "೦", "ml": "൦"}
VISARGA = {"hi": "ः", "bn": "ঃ", "pa": "ਃ", "gu": "ઃ", "or": "ଃ", "ta": "ஃ", "te": "ః", "kn": "ಃ", "ml": "ഃ"}
changed = False
for language, zero in ZEROS.items():
    time = "".join(c if c == ":" else chr(ord(zero) + int(c)) for c in "10:30")
    normalizer = IndicNormalizerFactory().get_normalizer(language)
    found = normalizer.normalize(time)
    print(f"{language}: {time} becomes {found}, 10:30 becomes {normalizer.normalize('10:30')}")
    changed |= found != time.replace(":", VISARGA[language]) or normalizer.normalize("10:30") != "10:30"
label = IndicNormalizerFactory().get_normalizer("hi").normalize("नाम: राम")
print(f"hi: नाम: राम becomes {label}")
numbers = {
    "यह 10,000 है": "यह 10,000 है",  # it is 10,000
    "यह १०,००० है": "यह १०, ००० है",
    "यह १०.५ है": "यह १०. ५ है",
    "10,000 है": "10, 000 है",
}
again = {text: trivial_detokenize(" ".join(trivial_tokenize(text, "hi")), "hi") for text in numbers}
print("tokens put together:", again)
if changed or label != "नामः राम" or again != numbers:
    sys.exit("indic-nlp-library changed")
PY
