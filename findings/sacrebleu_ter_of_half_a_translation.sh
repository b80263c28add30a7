#!/usr/bin/env bash
# Guess: a translation that lacks half of its reference and is right otherwise has a TER of 50, at any length: half of the words are inserted.
# Behaviour: so it is of 40 words. Of 120 words, one that stops half way has 67, and one that begins half way 80; of 200 words, 88, although
# 100 insertions, half of the reference, make them equal. With as many wrong words in place of the missing ones, TER is 50 at all three
# lengths: of 200 words, leaving half of them out is worse than getting them wrong. Edits are only searched near the diagonal (25 words).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile sacrebleu==2.6.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys

import sacrebleu
from sacrebleu.metrics import TER

print("sacrebleu", sacrebleu.__version__)
metric = TER()


def count_edits(ours, right):
    """Counts insertions, deletions and substitutions without shifts, which can only make less of them: Levenshtein's distance."""
    row = list(range(len(right) + 1))
    for i, word in enumerate(ours, 1):
        before, row = row, [i]
        for j, other in enumerate(right, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (word != other)))
    return row[-1]


seen = {}
for length in (40, 120, 200):
    words = [f"word{number}" for number in range(length)]
    half = length // 2
    for name, ours in (("stops half way", words[:half]), ("begins half way", words[half:]), ("second half wrong", words[:half] + ["other"] * half)):
        score = round(metric.sentence_score(" ".join(ours), [" ".join(words)]).score)
        bound = round(100 * count_edits(ours, words) / length)
        seen[length, name] = score, bound
        print(f"{length} words, {name}: TER {score}, without shifts {bound}")
if any(bound != 50 for _, bound in seen.values()) or any(score != 50 for (length, _), (score, _) in seen.items() if length == 40):
    sys.exit("not as expected: half of the words are wrong, and of short lines TER is 50")
if [seen[length, name][0] for length in (120, 200) for name in ("stops half way", "begins half way", "second half wrong")] != [67, 80, 50, 88, 88, 50]:
    sys.exit("sacrebleu changed")
PY
