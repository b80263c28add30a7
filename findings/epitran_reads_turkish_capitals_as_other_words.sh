#!/usr/bin/env bash
# Guess: a Turkish word sounds the same in capitals.
# Behaviour: text is lowered by Python's `str.lower`, which knows no language: I becomes i instead of ı, and İ an i with a combining dot. KIZ
# (girl) and SIR (secret) are read with [i] instead of [ɯ], ILIK (lukewarm) as "ilik" (marrow), and so is Isparta, a town, in any sentence. İzmir
# keeps the dot among its sounds, as a symbol of its own, so that it differs from "izmir". Unicode's SpecialCasing has the rule for Turkish, and
# Node's `toLocaleLowerCase("tr")` follows it; words that it lowered are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile epitran==1.35.3 panphon==0.22.2
words="KIZ SIR ILIK Isparta IŞIK İzmir İstanbul"
lowered=$(node -e 'console.log(process.argv[1].toLocaleLowerCase("tr"))' "$words")
"$folder/venv/bin/python" -W ignore - "$words" "$lowered" <<'PY'
import sys
from importlib.metadata import version

from epitran import Epitran

print("epitran", version("epitran"))
turkish = Epitran("tur-Latn")
for word, lower in zip(*(argument.split() for argument in sys.argv[1:]), strict=True):
    seen, right = turkish.trans_list(word), turkish.trans_list(lower)
    print(f"{word}: {' '.join(map(ascii, seen)) if word[0] == 'İ' else ' '.join(seen)}; {lower}: {' '.join(right)}")
    if seen == right or ("ɯ" not in right) != (word[0] == "İ"):
        sys.exit("epitran changed")
if turkish.transliterate("ILIK") != turkish.transliterate("ilik") or turkish.trans_list("İzmir")[1] != "\u0307":
    sys.exit("epitran changed")
PY
