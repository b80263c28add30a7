#!/usr/bin/env bash
# Guess: the top-k accuracy of a model whose outputs have become NaN is 0, or near to that of chance, as its accuracy is.
# Behaviour: on JAX, it is 1, for each k, in `TopKCategoricalAccuracy` and `SparseTopKCategoricalAccuracy`: no output is larger than one that is NaN.
# A training that diverges ends with the best top-5 accuracy there is, and `ModelCheckpoint(save_best_only=True)` keeps the weights that are NaN.
# One label whose output is NaN beside numbers is not counted. On NumPy, PyTorch and TensorFlow, the outputs of NaN have 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 numpy==2.4.6
cat >"$folder/run.py" <<'PY'
import json
import os
import sys

import keras
import numpy as np

backend = keras.backend.backend()
CLASSES = 1000
labels = np.arange(1, 201)
nan = np.full((200, CLASSES), np.nan, "float32")
one = np.random.default_rng(1).normal(size=(200, CLASSES)).astype("float32")
one[np.arange(200), labels] = np.nan
seen = {}
for name, logits in (("all", nan), ("label", one)):
    for k in (1, 5):
        metric = keras.metrics.SparseTopKCategoricalAccuracy(k=k)
        metric.update_state(labels, logits)
        seen[f"{name} {k}"] = float(metric.result())
metric = keras.metrics.TopKCategoricalAccuracy(k=5)
metric.update_state(np.eye(CLASSES, dtype="float32")[labels], nan)
seen["one-hot"] = float(metric.result())
metric = keras.metrics.SparseCategoricalAccuracy()
metric.update_state(labels, nan)
seen["accuracy"] = float(metric.result())
print(f"keras {keras.__version__}, {backend}: {seen}")
if backend == "numpy":
    sys.exit(0 if not any(seen.values()) else "not as expected")
keras.utils.set_random_seed(1)
model = keras.Sequential([keras.layers.Input([8]), keras.layers.Dense(64, "relu"), keras.layers.Dense(CLASSES)])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.SGD(0.1), loss, metrics=[keras.metrics.SparseTopKCategoricalAccuracy(k=5, name="top5")])
path = os.path.join(os.environ["FOLDER"], "best.weights.h5")
best = keras.callbacks.ModelCheckpoint(path, monitor="top5", mode="max", save_best_only=True, save_weights_only=True)
x = np.random.default_rng(2).normal(size=(200, 8)).astype("float32")
raising = keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 if epoch < 3 else 1e30)
history = model.fit(x, labels, epochs=6, verbose=0, callbacks=[best, raising]).history
print("top-5 accuracy of a training that diverges:", json.dumps([round(value, 3) for value in history["top5"]]), "loss:", history["loss"])
model.load_weights(path)
lost = not np.isfinite(model.predict(x, verbose=0)).any()
print("the outputs of the best model are NaN:", lost)
if seen["accuracy"] or seen["label 1"] or seen["label 5"] or not np.isnan(history["loss"][-1]) or history["top5"][0] > 0.5:
    sys.exit("not as expected")
if [seen["all 1"], seen["all 5"], seen["one-hot"], history["top5"][-1], lost] != [1, 1, 1, 1, True]:
    sys.exit("keras changed")
PY
for backend in numpy jax; do
  FOLDER=$folder KERAS_BACKEND=$backend "$folder/venv/bin/python" -W ignore "$folder/run.py"
done
