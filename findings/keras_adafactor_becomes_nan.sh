#!/usr/bin/env bash
# Guess: Keras' Adafactor needs less memory than Adam, as its docstring says; with relative_step=False the learning rate is the one given;
# a gradient with zeros in it is harmless.
# Behaviour: it stores the factors and, beside them, the whole matrix that they stand for. relative_step=False changes nothing: the rate is
# never above 1 / sqrt(step). Where a row and a column of a gradient are zero, the product of both factors is below the smallest number:
# 0 / 0 makes the whole matrix NaN. One batch in which a unit of a ReLU layer and one of the next are silent suffices. Adafactor of PyTorch
# goes on training.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 torch==2.13.0 numpy==2.4.6
KERAS_BACKEND=torch "$folder/venv/bin/python" - <<'PY'
import sys

import keras
import numpy as np
import torch

print("keras", keras.__version__, "torch", torch.__version__)
weight = keras.Variable(np.ones((1000, 500), "float32"))
memory = {}
for kind in (keras.optimizers.Adafactor, keras.optimizers.Adam):
    optimizer = kind()
    optimizer.build([weight])
    memory[kind.__name__] = round(sum(float(np.prod(variable.shape)) for variable in optimizer.variables) / 500000, 2)
print("values that the optimizer keeps for each weight of a matrix of 1000 x 500:", memory)


def relative_changes(**options):
    weight = keras.Variable(np.ones((4, 3), "float32"))
    optimizer = keras.optimizers.Adafactor(**options)
    sizes = []
    for _ in range(900):
        before = keras.ops.convert_to_numpy(weight).copy()
        optimizer.apply([keras.ops.ones((4, 3))], [weight])
        sizes.append(float(np.abs(keras.ops.convert_to_numpy(weight) / before - 1).mean()))
    return [round(sizes[step - 1], 4) for step in (1, 100, 400, 900)]


changes = [relative_changes(learning_rate=0.1, relative_step=relative) for relative in (True, False)]
print("rate 0.1, relative change of a weight at the updates 1, 100, 400, 900:")
print(f"relative_step=True {changes[0]}, relative_step=False {changes[1]}")

gradient = np.full((3, 3), 0.01, "float32")
gradient[1], gradient[:, 2] = 0, 0
weight = keras.Variable(np.ones((3, 3), "float32"))
keras.optimizers.Adafactor(0.01).apply([keras.ops.convert_to_tensor(gradient)], [weight])
seen = keras.ops.convert_to_numpy(weight)
of_torch = torch.nn.Parameter(torch.ones(3, 3))
of_torch.grad = torch.tensor(gradient)
torch.optim.Adafactor([of_torch], lr=0.01).step()
print(f"a gradient of 0.01 with one row and one column of zeros makes of ones: Keras {seen.tolist()}")
print(f"PyTorch {[[round(value, 2) for value in row] for row in of_torch.tolist()]}")

samples = np.random.default_rng(0).standard_normal((64, 32)).astype("float32")
losses = {}
for kind in (keras.optimizers.Adafactor, keras.optimizers.Adam):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((32,)), *(keras.layers.Dense(256, "relu") for _ in "12"), keras.layers.Dense(1)])
    model.compile(kind(0.01), "mse")
    losses[kind.__name__] = model.fit(samples, samples[:, :1] ** 2, batch_size=4, verbose=0).history["loss"][0]
print("loss of two ReLU layers of 256 units after an epoch in batches of 4:", losses)
if memory != {"Adafactor": 1.0, "Adam": 2.0} or changes != [[0.1, 0.1, 0.05, 0.0333]] * 2:
    sys.exit("memory or rates changed")
if not np.isnan(seen).all() or not of_torch.isfinite().all() or np.isfinite(list(losses.values())).tolist() != [False, True]:
    sys.exit("zeros in a gradient changed")
PY
