#!/usr/bin/env bash
# Guess: `BM25L` and `BM25Plus` are those of Lv and Zhai (2011), as their names and constants say: documents with a word of the query are lifted over those
# without it, however long they are, and a word that is repeated counts less and less.
# Behaviour: `BM25L` multiplies by the number of occurrences once more: a word that stands 20 times has 37 times the score of once, instead of 1.9, so that
# a page of one word of the query comes before one with both. `BM25Plus` adds delta for each word of the query to all documents, with or without
# it: no delta changes the order, documents without any word have scores above 0, and a long document with both words stays behind a short one with
# one. `BM25Okapi` saturates as it should.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile rank-bm25==0.2.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version
from math import log

import numpy as np
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

print(*(f"{name} {version(name)}" for name in ("rank-bm25", "numpy")))
K1, B = 1.5, 0.75
QUERY = ["red", "house"]
EVEN = [["red", "house"] + ["x"] * 18, ["red"] * 20, ["red"] + ["x"] * 19, *([["x"] * 20] * 9)]  # all of 20 words
LONG = [["red", "house"] + ["x"] * 398, ["house"] + ["x"] * 9, *([["x"] * 10] * 10)]


def define(documents, name, delta):
    """The scores by Lv and Zhai: sums over the words of the query that stand in the document."""
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score, norm = 0, 1 - B + B * len(document) / mean
        for word in QUERY:
            number, found = document.count(word), sum(word in other for other in documents)
            if number and name == "L":
                score += log((len(documents) + 1) / (found + 0.5)) * (K1 + 1) * (number / norm + delta) / (K1 + number / norm + delta)
            elif number:
                score += log((len(documents) + 1) / found) * (delta + (K1 + 1) * number / (K1 * norm + number))
        scores.append(score)
    return np.array(scores)


def show(name, scores, right):
    print(f"{name}: {scores[:4].round(2).tolist()}, by the definition {right[:4].round(2).tolist()}")


large, right = BM25L(EVEN, k1=K1, b=B, delta=0.5).get_scores(QUERY), define(EVEN, "L", 0.5)
show("BM25L of both words, 20 times one, once one, none", large, right)
okapi = BM25Okapi(EVEN, k1=K1, b=B).get_scores(["red"])
print(f"a word 20 times has the score of once times {large[1] / large[2]:.1f} in BM25L, {right[1] / right[2]:.2f} by the definition, {okapi[1] / okapi[2]:.2f} in BM25Okapi")
plus = {}
for delta in (0, 1, 5):
    plus[delta] = BM25Plus(LONG, k1=K1, b=B, delta=delta).get_scores(QUERY), define(LONG, "plus", delta)
    show(f"BM25Plus with delta={delta} of a long one with both words, a short one with one, none", *plus[delta])
if not right[0] > right[1] > right[2] > right[3] == 0 or not 1.7 < right[1] / right[2] < 2 or not okapi[1] / okapi[2] < 2.5:
    sys.exit("not as expected")
if not np.allclose(*plus[0]) or not plus[1][1][0] > plus[1][1][1] or not plus[5][1][0] > plus[5][1][1] or plus[0][1][0] > plus[0][1][1]:
    sys.exit("not as expected")
if not np.allclose(large[:4], right[:4] * [1, 20, 1, 1]) or not large[1] > large[0]:
    sys.exit("rank-bm25 changed")
shifts = [plus[delta][0] - plus[0][0] for delta in (1, 5)]
if any(np.ptp(shift) > 1e-9 or shift[0] < 1 for shift in shifts) or plus[5][0][0] > plus[5][0][1]:
    sys.exit("rank-bm25 changed")
PY
