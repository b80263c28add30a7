#!/usr/bin/env bash
# Guess: a translation that equals its reference has RIBES 1.
# Behaviour: a line of one word that equals its reference has RIBES 0, because one word has no pair whose order could be compared. As
# the RIBES of a corpus is the mean over lines, right one-word lines ("Yes", "Stop") count like wrong ones.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q nltk==3.10.4
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from nltk.translate.ribes_score import corpus_ribes, sentence_ribes

print("nltk", version("nltk"))
lines = ["Yes", "Yes sir", "the same old story"]
seen = [sentence_ribes([line.split()], line.split()) for line in lines]
for line, score in zip(lines, seen, strict=True):
    print(f"RIBES of {line!r} against itself: {score}")
wrong = sentence_ribes([["No"]], ["Yes"])
corpus = [line.split() for line in ["Stop", "Yes", "the same old story"]]
mean = corpus_ribes([[line] for line in corpus], corpus)
print(f"RIBES of 'Yes' against 'No': {wrong}; of three right lines, two of one word: {mean:.4f}")
if seen != [0.0, 1.0, 1.0] or wrong != 0.0 or round(mean, 4) != 0.3333:
    sys.exit(f"NLTK changed: {seen}, {mean}")
PY
