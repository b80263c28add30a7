#!/usr/bin/env bash
# Guess: a sentence splitter with clean=False returns every character of its input in one of the sentences.
# Behaviour: pysbd marks punctuation by rare characters while it works, and takes them for its own where the text has them: what precedes
# a music flat, the sign of the sun or a contour integral is lost, up to the whole sentence, in every language and with char_span=True, too.
# Twelve characters do so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pysbd==0.3.4
"$folder/venv/bin/python" - <<'PY'
import sys
import unicodedata
import warnings
from importlib.metadata import version

warnings.simplefilter("ignore")
import pysbd

print("pysbd", version("pysbd"), "python", sys.version.split()[0])
texts = {
    "The Prelude in B♭ major is short. It has two pages.": ["It has two pages."],
    "Its mass is 1.99 M☉ today. It is a star.": ["today. ", "It is a star."],
}
changed = False
for text, expected in texts.items():
    for language in ("en", "de", "fr"):
        plain = pysbd.Segmenter(language=language, clean=False).segment(text)
        spans = [span.sent for span in pysbd.Segmenter(language=language, clean=False, char_span=True).segment(text)]
        print(f"{language}: {text!r} -> {plain}")
        changed |= plain != expected or spans != expected
segmenter = pysbd.Segmenter(language="en", clean=False)
lost = []
for code in range(0x21, 0x3000):
    character = chr(code)
    if unicodedata.category(character)[0] in "LS" and character not in "".join(segmenter.segment(f"A {character} b. C d.")):
        lost.append(character)
print("lost before a full stop:", " ".join(lost))
changed |= len(lost) != 12
if changed:
    sys.exit("the sentences changed")
PY
