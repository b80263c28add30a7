#!/usr/bin/env bash
# Guess: with `gradient_accumulation_steps=4`, a schedule of the learning rate and the averages of `use_ema` count updates of the weights, as
# `optimizer.iterations` does.
# Behaviour: they count batches. A warm-up of 12 steps ends within the third update instead of the twelfth, and a decay of 60 in all is over in the
# fifteenth: later updates have the rate that is meant for the end, here 0. The average of the weights moves in each batch: a momentum of 0.9 is 0.656
# in an update. The rates of a schedule of four times the length are nearly those without accumulation.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jax
import jax.numpy as jnp
import keras
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras", "jax", "numpy")))
UPDATES, SHOWN = 20, (1, 2, 3, 6, 12, 15, 20)


def train(accumulated, length=1):
    """Rates of the updates of a weight whose gradient is always 1, and its values and their averages after the updates."""
    schedule = keras.optimizers.schedules.CosineDecay(0.0, 48 * length, warmup_target=1.0, warmup_steps=12 * length)
    optimizer = keras.optimizers.SGD(schedule, use_ema=True, ema_momentum=0.9, gradient_accumulation_steps=accumulated)
    weight = keras.Variable(np.full(1, 5, "float32"))
    optimizer.build([weight])
    apply = jax.jit(optimizer.stateless_apply)
    place = next(index for index, variable in enumerate(optimizer.variables) if variable is optimizer._model_variables_moving_average[0])
    state, weights, gradient = [variable.value for variable in optimizer.variables], [weight.value], jnp.ones(1)
    values, averages = [5.0], []
    for batch in range((accumulated or 1) * UPDATES):
        weights, state = apply(state, [gradient], weights)
        if (batch + 1) % (accumulated or 1) == 0:
            values.append(float(weights[0][0]))
            averages.append(float(state[place][0]))
    return -np.diff(values), np.array(values[1:]), np.array(averages)


def expected(steps):
    """Rates of the schedule, without Keras."""
    steps = np.minimum(np.asarray(steps, float), 60)
    return np.where(steps < 12, steps / 12, (1 + np.cos(np.pi * (steps - 12) / 48)) / 2)


def average(values, momentum, times):
    """Average of values, started at the first, that moves TIMES in each update."""
    result = []
    for update, value in enumerate(values):
        for part in range(times):
            before = values[max(update - 1, 0)] if part < times - 1 else value
            result.append(before if not result else momentum * result[-1] + (1 - momentum) * before)
    return np.array(result[times - 1 :: times])


cases = {"no accumulation": (None,), "4 batches": (4,), "4 batches, schedule of 4 times the length": (4, 4)}
seen = {name: train(*arguments) for name, arguments in cases.items()}
for name, (rates, _, _) in seen.items():
    shown = ", ".join(f"{rates[update - 1]:.3f}" for update in SHOWN)
    print(f"{name}: rates of the updates {SHOWN}: {shown}")
plain, four, longer = seen.values()
if not np.allclose(plain[0], expected(np.arange(UPDATES)), atol=1e-3) or not np.allclose(longer[0], plain[0], atol=0.07):
    sys.exit("not as expected")
if not np.allclose(four[0], expected(4 * np.arange(UPDATES) + 3), atol=1e-3):
    sys.exit("Keras changed")
moved = {"no accumulation": (plain, 1), "4 batches": (four, 4)}
for name, ((_, values, averages), times) in moved.items():
    once, each = average(values, 0.9, 1)[-1], average(values, 0.9, times)[-1]
    print(f"{name}: average in the end {averages[-1]:.3f}; moved once in an update {once:.3f}, in each batch {each:.3f}")
if not np.allclose(plain[2], average(plain[1], 0.9, 1), atol=1e-3):
    sys.exit("not as expected")
if not np.allclose(four[2], average(four[1], 0.9, 4), atol=1e-3) or np.allclose(four[2], average(four[1], 0.9, 1), atol=0.1):
    sys.exit("Keras changed")
PY
