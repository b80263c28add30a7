#!/usr/bin/env bash
# Guess: `PearsonCorrelation` and `ConcordanceCorrelation` as metrics of a model with one output, such as an estimate of the quality of a
# translation, are the correlations of the outputs with the labels.
# Behaviour: by default, they are taken along the last axis, here of one number: NaN and 0, also for a perfect model. With `axis=0`, they are the
# means of the correlations within the batches: 0.02 instead of 0.999 where each batch of 32 is one document and the documents differ in quality,
# 0.97 with batches of 128. `R2Score` is the same for all batches.
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
SIZES = (32, 128, 640)
rng = np.random.default_rng(0)
quality = np.repeat(np.arange(20) * 5, 32)
labels, outputs = ((quality + rng.normal(0, 1, 640)).astype("float32")[:, None] for _ in range(2))
mean, variance = (labels.mean(), outputs.mean()), (labels.var(), outputs.var())
pearson = float(np.corrcoef(labels[:, 0], outputs[:, 0])[0, 1])
concordance = 2 * pearson * np.sqrt(variance[0] * variance[1]) / (sum(variance) + (mean[0] - mean[1]) ** 2)
print(f"should be: Pearson's {pearson:.4f}, concordance {concordance:.4f}")
entry = keras.Input((1,))
model = keras.Model(entry, keras.layers.Identity()(entry))


def evaluate(axis, predictions):
    """Pearson's, concordance and R2 with each size of batches."""
    kind = {} if axis is None else {"axis": axis}
    seen = []
    for size in SIZES:
        metrics = [keras.metrics.PearsonCorrelation(**kind), keras.metrics.ConcordanceCorrelation(**kind), keras.metrics.R2Score()]
        model.compile(loss="mse", metrics=metrics)
        seen.append(model.evaluate(predictions, labels, batch_size=size, verbose=0)[1:])
        print(f"axis {axis}, batches of {size}: Pearson's {seen[-1][0]:.4f}, concordance {seen[-1][1]:.4f}, R2 {seen[-1][2]:.4f}")
    return np.array(seen)


default, along = evaluate(None, outputs), evaluate(0, outputs)
print("a perfect model:")
perfect = evaluate(None, labels)
if not np.allclose([default[:, 2], along[:, 2]], default[0, 2]) or not np.allclose(perfect[:, 2], 1):
    sys.exit("not as expected")
if not np.allclose(along[2, :2], [pearson, concordance], atol=1e-3):
    sys.exit("not as expected")
if not np.isnan([default[:, 0], perfect[:, 0]]).all() or not np.allclose([default[:, 1], perfect[:, 1]], 0):
    sys.exit("Keras changed")
if along[0, 0] > 0.1 or along[0, 1] > 0.1 or not 0.95 < along[1, 0] < 0.985:
    sys.exit("Keras changed")
PY
