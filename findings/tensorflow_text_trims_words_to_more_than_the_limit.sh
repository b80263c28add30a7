#!/usr/bin/env bash
# Guess: `RoundRobinTrimmer(4)` leaves each pair of texts at most four words, two and two where both are longer, whatever else is in the batch.
# Behaviour: of words that are lists of word pieces (`axis=1`), a pair of five and five words keeps three and three beside a pair whose first
# text is one word; alone it keeps two and two. All pairs of a batch get words until the last one has its four. `WaterfallTrimmer` and
# `ShrinkLongestTrimmer` keep four, and so does `RoundRobinTrimmer` of words without pieces.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 tensorflow-text==2.21.1
TF_CPP_MIN_LOG_LEVEL=3 "$folder/venv/bin/python" - 2> "$folder/messages" <<'PY' || { tail -n 3 "$folder/messages" >&2; exit 1; }
import sys
from importlib.metadata import version

import tensorflow as tf
import tensorflow_text as text

print("tensorflow", tf.__version__, "tensorflow-text", version("tensorflow-text"))
LIMIT = 4


def count_words(trimmer, pairs, has_pieces):
    """Trims pairs of texts with these numbers of words, and returns the numbers of words that are left of each pair."""
    word = (lambda number: [f"{number}", "##s"]) if has_pieces else str
    sides = [tf.ragged.constant([[word(number) for number in range(pair[side])] for pair in pairs]) for side in (0, 1)]
    kept = [side.row_lengths(axis=1).numpy().tolist() for side in trimmer(LIMIT, axis=1).trim(sides)]
    return list(zip(*kept, strict=True))


seen = {}
for trimmer in (text.RoundRobinTrimmer, text.WaterfallTrimmer, text.ShrinkLongestTrimmer):
    for has_pieces in (False, True):
        for pairs in ([(5, 5)], [(1, 5), (5, 5)], [(3, 3), (1, 9)]):
            key = trimmer.__name__, has_pieces, tuple(pairs)
            seen[key] = count_words(trimmer, pairs, has_pieces)
            print(f"{key[0]}, {'word pieces' if has_pieces else 'words'}: of {pairs} words, {seen[key]} are left")
over = {key for key, kept in seen.items() if any(sum(pair) > LIMIT for pair in kept)}
alone = seen["RoundRobinTrimmer", True, ((5, 5),)]
if any(key[0] != "RoundRobinTrimmer" or not key[1] for key in over) or alone != [(2, 2)]:
    sys.exit("not as expected: other trimmers, words without pieces and a pair alone keep the limit")
if seen["RoundRobinTrimmer", True, ((1, 5), (5, 5))] != [(1, 3), (3, 3)] or len(over) != 2:
    sys.exit("tensorflow-text changed")
PY
