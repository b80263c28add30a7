#!/usr/bin/env bash
# Guess: the Smith-Waterman score of two texts is the best alignment of any part of the one with any part of the other.
# Behaviour: the last cell of the table is returned instead of the largest: what follows the common part is charged. "Vienna" and "Vienna
# Congress 1815" score 0, "a Vienna" and "b Vienna" 7. And an empty text has a normalised similarity of 1 to every text, by Gotoh's measure, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile textdistance==4.6.3 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import textdistance

print("textdistance", version("textdistance"))


def best_local_score(first, second):
    """Returns the largest cell of the table: 1 for equal letters, 0 for others, -1 for a gap, never below 0."""
    table = np.zeros((len(first) + 1, len(second) + 1))
    for i, a in enumerate(first, 1):
        for j, b in enumerate(second, 1):
            table[i, j] = max(0, table[i - 1, j - 1] + (a == b), table[i - 1, j] - 1, table[i, j - 1] - 1)
    return table.max(), table[-1, -1]


pairs = [("Vienna", "Vienna Congress 1815"), ("a Vienna", "b Vienna"), ("Vienna", "in Vienna."), ("abc", "xyabcz"), ("same", "same")]
seen = []
for first, second in pairs:
    score = textdistance.smith_waterman(first, second)
    best, last = best_local_score(first, second)
    seen.append((float(score), float(best), float(last)))
    print(f"{first!r} and {second!r}: {score}; the best cell has {best}, the last one {last}")
empty = textdistance.smith_waterman.normalized_similarity("", "abcd"), textdistance.gotoh.normalized_similarity("", "abcd")
print("normalised similarity of an empty text to 'abcd':", *empty, "by edit distance", textdistance.levenshtein.normalized_similarity("", "abcd"))
if any(score != last for (score, _, last), (a, b) in zip(seen, pairs) if a != b) or seen[0][:2] != (0, 6) or empty != (1, 1):
    sys.exit("textdistance changed")
PY
