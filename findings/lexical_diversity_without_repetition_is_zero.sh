#!/usr/bin/env bash
# Guess: the measure of lexical diversity of a text (MTLD) grows with its diversity: it is largest where no word occurs twice.
# Behaviour: MTLD counts how often the share of new words falls below 0.72; a text where it never does has a part of one such fall, and one
# without any repetition has none at all. Both libraries divide nothing and return 0, which is less than for the same word 40 times. One repeated
# word changes 0 to 101. HD-D of a text of fewer than 42 words is 0, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile lexical-diversity==0.1.1 taaled==0.32
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from lexical_diversity import lex_div
from taaled import ld

print(*(f"{name} {version(name)}" for name in ("lexical-diversity", "taaled")))
different = "the quick brown fox jumps over lazy dogs while nine wizards vex my old jolly sphinx of black quartz".split()
texts = {"no word twice": different, "one word twice": [*different[:-1], "the"], "one word, 40 times": ["a"] * 40}
seen = {}
for name, words in texts.items():
    mtld = (lex_div.mtld(words), ld.lexdiv(words).mtld)
    hdd = lex_div.hdd(words)
    seen[name] = mtld
    print(f"{name}: MTLD {mtld[0]:.2f}, taaled {mtld[1]:.2f}; HD-D {hdd:.2f}")
    if hdd != 0:
        sys.exit("lexical-diversity changed")
if seen["no word twice"] != (0, 0):
    sys.exit("a library changed")
if min(seen["one word twice"]) < 50 or min(seen["one word, 40 times"]) <= 0:
    sys.exit("a library changed")
PY
