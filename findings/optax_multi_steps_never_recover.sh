#!/usr/bin/env bash
# Guess: an optimizer that survives a gradient of NaN or infinity by itself survives it where `MultiSteps` collects gradients for it.
# Behaviour: `MultiSteps` clears its sum by a product with zero, which leaves NaN, and makes NaN of infinity. One bad gradient is in the sum for
# good. With `apply_if_finite` inside, no update is made any more, and once it gives up, the weights that were hit are NaN; with `zero_nans`
# inside, these weights never move again, without a sign of it. Outside, or without `MultiSteps`, both work, and so does
# `should_skip_update_fn=optax.skip_not_finite`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile optax==0.2.8 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jax
import numpy as np
import optax

print(*(f"{name} {version(name)}" for name in ("optax", "jax")))


def train(optimizer, bad):
    """Two weights after 160 gradients towards 3 and 5, of which the sixth is BAD in the first weight."""
    if isinstance(optimizer, optax.MultiSteps):
        optimizer = optimizer.gradient_transformation()
    weights = np.zeros(2, "float32")
    state, update = optimizer.init(weights), jax.jit(optimizer.update)
    for step in range(160):
        gradient = weights - np.array([3, 5], "float32")
        if step == 5:
            gradient[0] = bad
        updates, state = update(gradient, state, weights)
        weights = np.asarray(weights + updates)
    return weights.tolist()


def careful(patience):
    return optax.apply_if_finite(optax.sgd(0.3), patience)


cases = {
    "apply_if_finite": careful(1000),
    "apply_if_finite around MultiSteps": optax.apply_if_finite(optax.MultiSteps(optax.sgd(0.3), 4).gradient_transformation(), 1000),
    "MultiSteps with skip_not_finite": optax.MultiSteps(optax.sgd(0.3), 4, should_skip_update_fn=optax.skip_not_finite),
    "zero_nans": optax.chain(optax.zero_nans(), optax.sgd(0.3)),
    "MultiSteps around apply_if_finite": optax.MultiSteps(careful(1000), 4),
    "MultiSteps around apply_if_finite, gives up after 10": optax.MultiSteps(careful(10), 4),
    "MultiSteps around zero_nans": optax.MultiSteps(optax.chain(optax.zero_nans(), optax.sgd(0.3)), 4),
}
seen = {name: train(optimizer, np.nan) for name, optimizer in cases.items()}
infinite = "MultiSteps around apply_if_finite, infinity"
seen[infinite] = train(cases["MultiSteps around apply_if_finite"], np.inf)
for name, weights in seen.items():
    print(f"{name}: weights {weights[0]:.3f}, {weights[1]:.3f}, should be 3.000, 5.000")
first, last, nans, zeroed = list(cases)[:4], "MultiSteps around apply_if_finite", list(cases)[5], list(cases)[6]
if any(not np.allclose(seen[name], [3, 5], atol=0.01) for name in first):
    sys.exit("not as expected")
if any(not np.allclose(seen[name], [0.9, 1.5]) for name in (last, infinite)) or not np.isnan(seen[nans][0]):
    sys.exit("MultiSteps changed")
if not np.allclose(seen[zeroed], [0.9, 5], atol=0.01):
    sys.exit("MultiSteps changed")
PY
