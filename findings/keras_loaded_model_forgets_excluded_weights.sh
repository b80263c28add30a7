#!/usr/bin/env bash
# Guess: a model that was saved with its optimizer and loaded again goes on learning as if it had never been saved.
# Behaviour: which weights `exclude_from_weight_decay` excluded is not saved. The loaded optimizer decays them, without a warning: a bias that
# training had brought to 10 falls to 8.9, and the loss of a model that had learned its data rises from 0 to 1.1. Both optimizers have the
# same configuration. An optimizer that is made by `from_config` has forgotten it, too. Excluding the weights again after loading helps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 jaxlib==0.10.2 ml_dtypes==0.6.0 numpy==2.4.6
cd "$folder"
KERAS_BACKEND=jax venv/bin/python - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras", "jax")))
inputs = np.random.default_rng(0).standard_normal((256, 4)).astype("float32")
targets = np.full((256, 1), 10, "float32")
keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.AdamW(0.05, weight_decay=0.05)
optimizer.exclude_from_weight_decay(var_names=["bias"])
model.compile(optimizer, "mse")
model.fit(inputs, targets, batch_size=32, epochs=100, verbose=0)
model.save("model.keras")
loaded = keras.models.load_model("model.keras")
seen = {}
for name, trained in (("the model", model), ("the loaded model", loaded)):
    trained.fit(inputs, targets, batch_size=32, epochs=20, verbose=0, shuffle=False)
    seen[name] = [float(trained.get_weights()[1][0]), float(trained.evaluate(inputs, targets, verbose=0))]
    print(f"{name} after 20 more epochs: bias {seen[name][0]:.4f}, loss {seen[name][1]:.6f}")
same = all(loaded.optimizer.get_config()[key] == value for key, value in model.optimizer.get_config().items())
print("both optimizers have the same configuration:", same)
remade = keras.optimizers.AdamW.from_config(optimizer.get_config())
excluded = [not one._use_weight_decay(model.layers[0].bias) for one in (optimizer, remade)]
print("the bias is excluded from weight decay: by the optimizer {}, by one of its configuration {}".format(*excluded))
again = keras.models.load_model("model.keras")
again.optimizer.exclude_from_weight_decay(var_names=["bias"])
again.fit(inputs, targets, batch_size=32, epochs=20, verbose=0, shuffle=False)
mended = float(again.get_weights()[1][0])
print(f"loaded, and the bias excluded again: bias {mended:.4f}")
right, wrong = seen["the model"], seen["the loaded model"]
if abs(right[0] - 10) > 0.001 or wrong[0] > 9.99 or wrong[1] < 0.5 or not same or abs(mended - 10) > 0.001:
    sys.exit("Keras changed")
if excluded != [True, False]:
    sys.exit("from_config changed")
PY
