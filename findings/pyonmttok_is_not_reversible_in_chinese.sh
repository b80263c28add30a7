#!/usr/bin/env bash
# Guess: the tokenizer that OpenNMT trains and serves with is reversible, as its joiners promise: detokenized tokens are the text.
# Behaviour: the full-width colon, percent and number signs, which Chinese and Japanese write, become ASCII ones, so that a model never
# sees them and never writes them; other full-width signs stay. `no_substitution=True` keeps them. With `case_markup=True`, the first letter
# of Istanbul in Turkish loses its dot, which makes it another letter.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pyonmttok==1.38.1
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import pyonmttok

print("pyonmttok", version("pyonmttok"))
texts = ("注意：增长50％。", "電話番号＃１２！", "İstanbul'da")
seen = {}
for options in ({}, {"no_substitution": True}, {"case_markup": True}):
    tokenizer = pyonmttok.Tokenizer("aggressive", joiner_annotate=True, **options)
    for text in texts:
        tokens, _ = tokenizer.tokenize(text)
        seen[(*options, text)] = tokenizer.detokenize(tokens)
        print(f"{options}: {text} -> {tokens} -> {seen[*options, text]}")
expected = {
    (texts[0],): "注意:增长50%。",
    (texts[1],): "電話番号#１２！",
    (texts[2],): texts[2],
    **{("no_substitution", text): text for text in texts},
    ("case_markup", texts[0]): "注意:增长50%。",
    ("case_markup", texts[1]): "電話番号#１２！",
    ("case_markup", texts[2]): "Istanbul'da",
}
if seen != expected:
    sys.exit("pyonmttok changed")
PY
