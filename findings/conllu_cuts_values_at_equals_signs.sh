#!/usr/bin/env bash
# Guess: a CoNLL-U file that is parsed and serialised again has the same fields.
# Behaviour: of a field Key=Value, only what stands between the first and the second equals sign is kept: a link with a query
# loses the query, a gloss "x=y" is "x". This holds for MISC, where any value is allowed; comments, which are split only once, are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile conllu==6.0.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import conllu

print("conllu", version("conllu"))
MISC = "Ref=https://example.org/word?id=7&language=de|Gloss=1=one|SpaceAfter=No"
text = f"# source = https://example.org/text?id=3\n1\tAmt\tAmt\tNOUN\t_\tGender=Neut|Number=Sing\t0\troot\t_\t{MISC}\n\n"
sentence = conllu.parse(text)[0]
print("written:", MISC)
print("read:   ", sentence[0]["misc"])
again = sentence.serialize()
print("serialised:", again.splitlines()[1])
if sentence.metadata != {"source": "https://example.org/text?id=3"} or sentence[0]["feats"] != {"Gender": "Neut", "Number": "Sing"}:
    sys.exit("not as expected")
if "\tRef=https://example.org/word?id|Gloss=1|SpaceAfter=No\n" not in again:
    sys.exit("conllu changed")
PY
