#!/usr/bin/env bash
# Guess: `NGram` is Kondrak's n-gram distance, the same in both directions, and grows with each word that is repeated. The distance of optimal
# string alignment of an empty text is the length of the other, as in `Levenshtein`.
# Behaviour: in each row, the first cell is computed from the last one of the row before: what is longer in the second text may be matched
# again with all of the first. "yes" and "yes, yes, yes" have the distance 0.23, exchanged 0.77, which is right. An empty text has the
# distance 0 from each text in `OptimalStringAlignment`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile strsimpy==0.2.1
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from strsimpy.levenshtein import Levenshtein
from strsimpy.ngram import NGram
from strsimpy.optimal_string_alignment import OptimalStringAlignment

print("strsimpy", version("strsimpy"))


def distance(first, second, n=2):
    """Kondrak's: the costs of edits of n-grams, in which a pair costs the share of the places that differ, without those before the text."""
    x, y = "\n" * (n - 1) + first, "\n" * (n - 1) + second
    costs = [[float(i + j) if i == 0 or j == 0 else 0.0 for j in range(len(second) + 1)] for i in range(len(first) + 1)]
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            pairs = list(zip(x[i - 1 : i - 1 + n], y[j - 1 : j - 1 + n]))
            pair_cost = sum(a != b for a, b in pairs) / (n - pairs.count(("\n", "\n")))
            costs[i][j] = min(costs[i - 1][j] + 1, costs[i][j - 1] + 1, costs[i - 1][j - 1] + pair_cost)
    return costs[-1][-1] / max(len(first), len(second))


ngram, wrong = NGram(2), []
for first, second in (("ABCD", "ABTUIO"), ("yes", "yes, yes, yes"), ("haha", "hahahahahaha"), ("the cat", "the cat sat on the mat")):
    found, turned, right = ngram.distance(first, second), ngram.distance(second, first), distance(first, second)
    print(f"{first!r} and {second!r}: {found:.2f}, exchanged {turned:.2f}, by the recurrence {right:.2f}")
    if abs(turned - right) > 1e-9:
        sys.exit("not as expected")
    wrong.append(right - found)
alignment, edits = OptimalStringAlignment(), Levenshtein()
empty = alignment.distance("", "Shanghai")
print("'' and 'Shanghai':", empty, "by Levenshtein:", edits.distance("", "Shanghai"), "; 'S':", alignment.distance("S", "Shanghai"))
if abs(wrong[0]) > 1e-9 or edits.distance("", "Shanghai") != 8 or alignment.distance("S", "Shanghai") != 7:
    sys.exit("not as expected")
if min(wrong[1:]) < 0.2 or empty != 0:
    sys.exit("strsimpy changed")
PY
