#!/usr/bin/env bash
# Guess: RR and RR@10 of one run rank documents with equal scores in the same way, so that RR@10 is at most RR, and RR@1 of a query with one relevant
# document is P@1.
# Behaviour: RR, P, AP and nDCG rank equal scores from the last name of a document to the first (trec_eval), RR@k and Judged@k from the first to the last.
# A model that gives all ten documents the same score has RR 0.1, P@1 0 and nDCG@1 0, and RR@10 1 and RR@1 1, where the relevant one has the first
# name; exchanged where it has the last one. Of scores from 0 to 3, RR@10 is 1 and RR 0.39 (0.63 in an order at random). Without ties, all agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import random
import sys
from importlib.metadata import version

import ir_measures
from ir_measures import RR, P, nDCG

print(*(f"{name} {version(name)}" for name in ("ir-measures", "pytrec-eval-terrier")))
NAMES = [f"d{i:02}" for i in range(10)]
MEASURES = [RR, RR @ 10, RR @ 1, P @ 1, nDCG @ 1]
random.seed(1)


def measure(relevant, scores):
    """The means over queries with one relevant document each."""
    qrels = {str(i): {name: 1} for i, name in enumerate(relevant)}
    run = {str(i): dict(zip(NAMES, map(float, row))) for i, row in enumerate(scores)}
    values = ir_measures.calc_aggregate(MEASURES, qrels, run)
    return [round(values[m], 4) for m in MEASURES]


def expect(relevant, scores):
    """The mean reciprocal rank where documents with equal scores are put in an order at random."""
    total = 0
    for name, row in zip(relevant, scores):
        mine = row[NAMES.index(name)]
        above, equal = sum(s > mine for s in row), sum(s == mine for s in row)
        total += sum(1 / (above + place) for place in range(1, equal + 1)) / equal
    return total / len(relevant)


many = 200
graded = [[random.randint(0, 3) for _ in NAMES] for _ in range(many)]
for row in graded:
    row[0] = 3
cases = {
    "all equal, the first is relevant": ([NAMES[0]], [[1] * 10]),
    "all equal, the last is relevant": ([NAMES[-1]], [[1] * 10]),
    "scores from 0 to 3, the first is relevant": ([NAMES[0]] * many, graded),
    "no ties": ([random.choice(NAMES) for _ in range(many)], [random.sample(range(100), 10) for _ in range(many)]),
}
print("", *MEASURES, "RR of an order at random", sep=" | ")
seen = {}
for name, (relevant, scores) in cases.items():
    seen[name] = [*measure(relevant, scores), round(expect(relevant, scores), 4)]
    print(name, *seen[name], sep=" | ")
rr, rr10, rr1, p1, ndcg1, right = seen["no ties"]
if abs(rr - right) > 1e-3 or abs(rr10 - right) > 1e-3 or not rr1 == p1 == ndcg1:
    sys.exit("not as expected")
first, last, some = (seen[name] for name in list(cases)[:3])
if first[:5] != [0.1, 1, 1, 0, 0] or last[:5] != [1, 0.1, 0, 1, 1] or not some[0] < some[5] - 0.1 < some[5] + 0.1 < some[1]:
    sys.exit("ir-measures changed")
PY
