#!/usr/bin/env bash
# Guess: a system that repeats its output pays for it in precision, as in the ROUGE of the paper and in rouge-score.
# Behaviour: each n-gram counts once, however often it stands there, also for ROUGE-L: the reference three times over has ROUGE-1 and ROUGE-L 1
# (rouge-score: 0.5), and the word "the" twenty times has precision 1 instead of 0.15. A hypothesis with the reference's words in another order
# has ROUGE-L 0.33 instead of 0.45. The argument for the usual counts, `exclusive=False`, is not in the documentation.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile rouge==1.0.1 rouge-score==0.1.2
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

print(*(f"{name} {version(name)}" for name in ("rouge", "rouge-score")))
reference = "the cat sat on the mat and looked at the dog"
hypotheses = {
    "the reference": reference,
    "three times the reference": " ".join([reference] * 3),
    "twenty times the": " ".join(["the"] * 20),
    "another order": "the dog looked at the mat and sat on the cat",
}
seen = {}
for name, hypothesis in hypotheses.items():
    here = Rouge().get_scores(hypothesis, reference)[0]
    other = RougeScorer(["rouge1", "rougeL"]).score(reference, hypothesis)
    seen[name] = [
        round(here["rouge-1"]["p"], 2),
        round(here["rouge-1"]["f"], 2),
        round(here["rouge-l"]["f"], 2),
        round(other["rouge1"].precision, 2),
        round(other["rouge1"].fmeasure, 2),
        round(other["rougeL"].fmeasure, 2),
    ]
    print(f"{name}: precision 1, F 1, F L: rouge", *seen[name][:3], "- rouge-score", *seen[name][3:])
if seen != {
    "the reference": [1, 1, 1, 1, 1, 1],
    "three times the reference": [1, 1, 1, 0.33, 0.5, 0.5],
    "twenty times the": [1, 0.2, 0.2, 0.15, 0.19, 0.19],
    "another order": [1, 1, 0.33, 1, 1, 0.45],
}:
    sys.exit("rouge or rouge-score changed")
PY
