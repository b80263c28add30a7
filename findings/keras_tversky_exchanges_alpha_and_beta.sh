#!/usr/bin/env bash
# Guess: `Tversky(alpha=0.3, beta=0.7)` weighs false positives by 0.3 and false negatives by 0.7, as the paper does (alpha for false positives) and as
# the documentation of `alpha` and `beta` says, so that a model which misses things loses more than one which sees too many.
# Behaviour: the two are exchanged: what is called false positives in the sum is where the label is 1 and the prediction is not. One missed of
# two has a loss of 0.23 instead of 0.41, two of four too many 0.41 instead of 0.23: a training that is to find more finds less. With 0.5 for both,
# the default, it is the Dice loss, where nothing shows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras", "jax", "numpy")))


def tversky(labels, predictions, false_positive, false_negative):
    """The loss by the paper: 1 - hits / (hits + weighted false positives + weighted false negatives)."""
    hits = np.sum(labels * predictions)
    too_many, missed = np.sum((1 - labels) * predictions), np.sum(labels * (1 - predictions))
    return float(1 - hits / (hits + false_positive * too_many + false_negative * missed))


CASES = {
    "one of two is missed": ([1, 1, 0, 0], [1, 0, 0, 0]),
    "two of four are too many": ([1, 1, 0, 0], [1, 1, 1, 1]),
    "probabilities": ([1, 1, 1, 0, 0, 0, 0, 0], [0.9, 0.6, 0.2, 0.4, 0.1, 0.3, 0.0, 0.1]),
}
for name, case in CASES.items():
    labels, predictions = np.array(case, "float32")
    found = {}
    for alpha, beta in ((0.3, 0.7), (0.7, 0.3), (0.5, 0.5)):
        loss = keras.losses.Tversky(alpha=alpha, beta=beta)(labels[None], predictions[None])
        found[alpha] = float(loss), tversky(labels, predictions, alpha, beta), tversky(labels, predictions, beta, alpha)
    (loss, right, exchanged), (other_loss, other_right, _) = found[0.3], found[0.7]
    print(f"{name}: alpha 0.3, beta 0.7: {loss:.3f}, by the paper {right:.3f}; alpha 0.7, beta 0.3: {other_loss:.3f}, by the paper {other_right:.3f}")
    dice = float(keras.losses.Dice()(labels[None], predictions[None]))
    if abs(found[0.5][0] - found[0.5][1]) > 1e-4 or abs(found[0.5][0] - dice) > 1e-4 or abs(right - other_right) < 0.01:
        sys.exit("not as expected")
    if abs(loss - exchanged) > 1e-4 or abs(loss - right) < 0.01 or abs(other_loss - right) > 1e-4:
        sys.exit("Keras changed")
PY
