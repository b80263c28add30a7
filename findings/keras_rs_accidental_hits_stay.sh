#!/usr/bin/env bash
# Guess: `RemoveAccidentalHits` takes the candidates that are the right item itself, at another place of the batch, out of the softmax: their logits
# become zero, as its documentation says, or extremely small, as it says in its code.
# Behaviour: it adds 1.2e-40 to them, the smallest positive number of float32 divided by 100 where the largest negative one is meant: all logits stay as
# they are. Where one item is that of 5 of 8 queries of a batch, a model that is always right has a loss of 1.61 in these 5 rows instead of 0, and
# learns to move a query away from its own item. `SamplingProbabilityCorrection` and `HardNegativeMining` do what they say.
# Pull request 206 of keras-team/keras-rs, open since September 2026, would mend it; no release has it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-rs==0.4.0 keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from keras import ops
from keras_rs import layers

print(*(f"{name} {version(name)}" for name in ("keras-rs", "keras", "jax")))
IDS = np.array([7, 7, 7, 3, 7, 4, 7, 5])  # the item of each query, and the candidates of all of them
SAME = IDS[:, None] == IDS[None, :]
LABELS = np.eye(len(IDS), dtype="float32")
LOGITS = np.where(SAME, 20, 0).astype("float32")  # of a model that is always right


def read(logits):
    return ops.convert_to_numpy(logits).astype("float64")


def read_losses(logits):
    """The cross-entropy of each row."""
    return np.log(np.exp(logits - logits.max(1, keepdims=True)).sum(1)) + logits.max(1) - np.diag(logits)


found = read(layers.RemoveAccidentalHits()(LOGITS, LABELS, IDS))
removed = np.where(SAME & (LABELS == 0), -1e30, LOGITS.astype("float64"))
losses = {name: read_losses(logits).round(3) for name, logits in {"before": LOGITS.astype("float64"), "after the layer": found, "without the hits": removed}.items()}
for name, values in losses.items():
    print(f"losses {name}: {values.tolist()}")
hits = found[SAME & (LABELS == 0)]
print(f"logits of the {len(hits)} accidental hits: {sorted(set(hits.tolist()))}")
zeros = read(layers.RemoveAccidentalHits()(np.zeros_like(LOGITS), LABELS, IDS))
print(f"of logits that are all 0: from {zeros.min()} to {zeros.max()}")
corrected = read(layers.SamplingProbabilityCorrection()(LOGITS, np.full(LOGITS.shape, 0.5, "float32")))
mined, labels = map(read, layers.HardNegativeMining(num_hard_negatives=2)(LOGITS, LABELS))
if not np.allclose(corrected, LOGITS - np.log(0.5)) or mined.shape != (8, 3) or not (labels.sum(1) == 1).all():
    sys.exit("not as expected")
if not np.allclose(losses["without the hits"], 0, atol=1e-3) or not np.allclose(losses["before"], np.where(IDS == 7, np.log(5), 0), atol=1e-3):
    sys.exit("not as expected")
if not np.array_equal(found, LOGITS) or np.abs(zeros).max() > 1e-38:
    sys.exit("keras-rs changed")
PY
