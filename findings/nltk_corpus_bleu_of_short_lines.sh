#!/usr/bin/env bash
# Guess: on the same tokens and without smoothing, corpus BLEU of NLTK and sacreBLEU are equal: both sum counts over the corpus (Papineni).
# Behaviour: NLTK counts at least one possible n-gram in every line, also where a line is shorter than n words. Each such line lowers the
# score of the corpus: one right line of two words takes four points of this corpus, and a perfect corpus with short lines is not at 100.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q nltk==3.10.4 sacrebleu==2.6.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import sacrebleu
from nltk.translate.bleu_score import corpus_bleu

print({name: version(name) for name in ("nltk", "sacrebleu")})
long = ("the cat sat on the mat today", "the cat sat on a mat yesterday")
short = ("thank you", "thank you")
perfect = ("a b c d e", "a b c d e")
corpora = {
    "one long line": [long],
    "and a right line of two words": [long, short],
    "a perfect line and ten right lines of two words": [perfect] + 10 * [short],
}
seen = {}
for name, pairs in corpora.items():
    hypotheses, references = map(list, zip(*pairs, strict=True))
    theirs = sacrebleu.corpus_bleu(hypotheses, [references], tokenize="none", smooth_method="none").score
    nltks = 100 * corpus_bleu([[line.split()] for line in references], [line.split() for line in hypotheses])
    seen[name] = (round(nltks, 2), round(theirs, 2))
    print(f"{name}: NLTK {nltks:.2f}, sacreBLEU {theirs:.2f}")
first, second, third = seen.values()
if first != (43.47, 43.47) or second != (41.49, 45.91) and second != (41.49, 45.92):
    sys.exit("NLTK or sacreBLEU changed")
if third[0] > 60 or third[1] != 100.0:
    sys.exit("the perfect corpus changed")
PY
