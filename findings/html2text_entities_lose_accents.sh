#!/usr/bin/env bash
# Guess: &eacute; and é are the same letter, so the text of a page does not depend on which of them it was written with; ten to the sixth is
# not 106.
# Behaviour: as an entity, by name or by number, a vowel of Western Europe loses its accent, as a letter it keeps it: "p&eacute;cher" (to sin)
# and "p&ecirc;cher" (to fish) are both "pecher", "sch&ouml;n" (beautiful) is "schon" (already). Other letters (&ntilde; &szlig; &ccedil;)
# stay. Superscripts are written into the line: 10<sup>6</sup> is 106. unicode_snob = True and include_sup_sub = True mend both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile html2text==2025.4.15
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import html2text

print("html2text", version("html2text"))
mending = html2text.HTML2Text()
mending.unicode_snob = mending.include_sup_sub = True
cases = {
    "p&eacute;cher": ("pecher", "pécher"),
    "p&ecirc;cher": ("pecher", "pêcher"),
    "p&#233;cher": ("pecher", "pécher"),
    "pécher": ("pécher", "pécher"),
    "sch&ouml;n": ("schon", "schön"),
    "ni&ntilde;o &szlig; &ccedil; &scaron; &yacute;": ("niño ß ç š ý", "niño ß ç š ý"),
    "10<sup>6</sup> people": ("106 people", "10<sup>6</sup> people"),
}
seen = {text: (html2text.html2text(text).strip(), mending.handle(text).strip()) for text in cases}
for text, (default, mended) in seen.items():
    print(f"{text}: {default!r}; with unicode_snob and include_sup_sub {mended!r}")
if seen != cases:
    sys.exit(f"html2text changed: {[text for text in cases if seen[text] != cases[text]]}")
PY
