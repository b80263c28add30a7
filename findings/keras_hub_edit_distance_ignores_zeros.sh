#!/usr/bin/env bash
# Guess: the distance of [0, 6, 7, 8] and [6, 7, 8, 0] is two edits, and `EditDistance` gives 0.5 for them.
# Behaviour: tokens 0, and empty strings, are left out of both texts, because these become sparse tensors, which hold no zeros: the distance is 0. The
# length by which edits are divided counts them. So a digit or a token with number 0 has no errors, and in a padded batch the errors of
# texts are divided by the length of the longest: a text of 2 tokens with one error, beside one of 4 with one, gives 0.25 instead of 0.33, as the
# ragged batch does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 tensorflow==2.21.0 jiwer==4.0.0
TF_CPP_MIN_LOG_LEVEL=3 "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import jiwer
from keras import ops
from keras_hub.metrics import EditDistance

print(*(f"{name} {version(name)}" for name in ("keras-hub", "keras", "tensorflow", "jiwer")))
CASES = {
    "without zeros": ([5, 6, 7, 8], [5, 6, 9, 8]),
    "a zero moved": ([0, 6, 7, 8], [6, 7, 8, 0]),
    "a zero left out": ([1, 0, 0], [1, 0]),
    "a zero read as 6": ([5, 0, 7, 8], [5, 6, 7, 8]),
}


def compute(true, predicted):
    return round(float(ops.convert_to_numpy(EditDistance()(true, predicted))), 4)


def compute_rate(true, predicted):
    """The same by jiwer, of whose words none is empty."""
    return round(jiwer.wer(*(" ".join(f"w{token}" for token in tokens) for tokens in (true, predicted))), 4)


seen = {name: (compute(*case), compute_rate(*case)) for name, case in CASES.items()}
for name, (true, predicted) in CASES.items():
    print(f"{name}: {true} and {predicted}: {seen[name][0]}, jiwer: {seen[name][1]}")
words = compute(["it", "is", "cold"], ["it", "was", "cold"]), compute(["it", "", "cold"], ["it", "was", "cold"]), compute(["", "it"], ["it", ""])
print("words:", words[0], "with an empty one:", words[1], "an empty one moved:", words[2])
ragged = compute([[5, 6, 7, 8], [5, 6]], [[5, 6, 9, 8], [5, 9]])
padded = compute([[5, 6, 7, 8], [5, 6, 0, 0]], [[5, 6, 9, 8], [5, 9, 0, 0]])
print("two texts, ragged:", ragged, "padded with 0:", padded)
if seen["without zeros"] != (0.25, 0.25) or ragged != 0.3333 or words[0] != 0.3333:
    sys.exit("not as expected")
if [rate for _, rate in seen.values()] != [0.25, 0.5, 0.3333, 0.25]:
    sys.exit("not as expected")
if seen["a zero moved"][0] or seen["a zero left out"][0] or words[2] or padded != 0.25:
    sys.exit("keras-hub changed")
PY
