#!/usr/bin/env bash
# Guess: a model trained by Keras' ScheduleFreeAdamW is evaluated, saved and served with the average of its weights: that is what replaces
# the schedule in the paper (Defazio et al., 2024), and the docstring says "`x`: The averaged sequence used for evaluation".
# Behaviour: no method puts x into the model. fit, evaluate, predict and save use y, the point between x and the last step where the
# gradients are computed; x is not even stored. Also, weight_decay shrinks y but not the last step, so that the weights are not the paper's.
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

print("keras", keras.__version__, "jax", version("jax"))
RATE, BETA_1, BETA_2, EPSILON, DECAY = 0.1, 0.9, 0.999, 1e-8, 0.1


def gradients_of(weights, samples, labels):
    return 2 * samples.T @ (samples @ weights - labels) / len(labels)


def of_the_paper(batches, decay):
    """Algorithm 1 without warm-up: z takes the steps, x is the mean of all z, gradients are computed at y."""
    z = x = y = np.zeros(20)
    squares = np.zeros(20)
    for step, batch in enumerate(batches, 1):
        gradient = gradients_of(y, *batch)
        squares = BETA_2 * squares + (1 - BETA_2) * gradient**2
        z = z - RATE * (gradient / (np.sqrt(squares / (1 - BETA_2**step)) + EPSILON) + decay * y)
        x = x + (z - x) / step
        y = (1 - BETA_1) * z + BETA_1 * x
    return x, y


def of_keras(batches, decay):
    weight = keras.Variable(np.zeros(20, "float32"))
    optimizer = keras.optimizers.ScheduleFreeAdamW(RATE, BETA_1, BETA_2, EPSILON, weight_decay=decay or None)
    for batch in batches:
        gradient = gradients_of(keras.ops.convert_to_numpy(weight), *batch).astype("float32")
        optimizer.apply([keras.ops.convert_to_tensor(gradient)], [weight])
    optimizer.finalize_variable_values([weight])  # what fit does at its end
    return keras.ops.convert_to_numpy(weight)


random = np.random.default_rng(0)
truth = random.standard_normal(20)
batches = []
for _ in range(1000):
    samples = random.standard_normal((2, 20))
    batches.append((samples, samples @ truth + random.standard_normal(2)))
seen = {}
for decay in (0.0, DECAY):
    x, y = of_the_paper(batches, decay)
    weights = of_keras(batches, decay)
    seen[decay] = [float(np.abs(weights - point).max()) for point in (x, y)]
    print(f"weight decay {decay}: Keras' weights differ from the paper's x by up to {seen[decay][0]:.4f}, from y by {seen[decay][1]:.4f};")
    distances = {name: round(float(((point - truth) ** 2).sum()), 4) for name, point in (("x", x), ("y", y), ("Keras", weights))}
    print("squared distance from the true weights:", distances)

model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(1, use_bias=False)])
model.compile(keras.optimizers.ScheduleFreeAdamW(RATE, BETA_1), "mse")
samples, labels = np.concatenate([s for s, _ in batches]), np.concatenate([t for _, t in batches])
model.fit(samples, labels, batch_size=2, epochs=1, shuffle=False, verbose=0)
y, z = (keras.ops.convert_to_numpy(v)[:, 0] for v in (model.weights[0], model.optimizer._momentums[0]))
distances = [float(((point - truth) ** 2).sum()) for point in (y, (y - (1 - BETA_1) * z) / BETA_1)]
print(f"after fit: squared distance of the model {distances[0]:.4f}, of the average x, computed from y and z, {distances[1]:.4f}")
if seen[0.0][1] > 1e-3 or seen[0.0][0] < 0.02 or seen[DECAY][1] < 0.02:
    sys.exit("the weights changed")
if distances[0] < 2 * distances[1]:
    sys.exit("the weights after fit changed")
PY
