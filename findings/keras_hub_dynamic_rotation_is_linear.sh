#!/usr/bin/env bash
# Guess: `RotaryEmbedding(rope_type="dynamic", scaling_factor=4)` is NTK-aware scaling: it raises the base by 4^(d / (d - 2)), so that the fastest
# rotation stays as it is and the slowest is four times slower.
# Behaviour: each rotation is divided by 4^(d / (d - 2)), the fastest as well: it is the linear scaling that this was to replace, with a larger factor
# (4.88 instead of 4 with 16 dimensions), and it does not depend on the length of the text. Adjacent tokens are turned against each other by
# 0.2 radians instead of 1. "linear" and "yarn" are as transformers has them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from keras import ops
from keras_hub.layers import RotaryEmbedding

print(*(f"{name} {version(name)}" for name in ("keras-hub", "keras", "jax")))
WIDTH, FACTOR, BASE, LONG = 16, 4.0, 10000.0, 4096
exponents = np.arange(0, WIDTH, 2) / WIDTH


def read_angles(length=2, **options):
    """The angles by which the pairs of position 1 are turned in a text of this length."""
    inputs = np.zeros((1, length, WIDTH), "float32")
    inputs[:, :, : WIDTH // 2] = 1
    turned = ops.convert_to_numpy(RotaryEmbedding(max_wavelength=BASE, **options)(inputs))[0, 1]
    return np.arctan2(turned[WIDTH // 2 :], turned[: WIDTH // 2])


angles = {
    "none": read_angles(),
    "linear": read_angles(rope_type="linear", scaling_factor=FACTOR),
    "yarn": read_angles(rope_type="yarn", scaling_factor=FACTOR),
    "dynamic": read_angles(rope_type="dynamic", scaling_factor=FACTOR),
    "dynamic, long text": read_angles(LONG, rope_type="dynamic", scaling_factor=FACTOR),
}
expected = (BASE * FACTOR ** (WIDTH / (WIDTH - 2))) ** -exponents
for name, values in angles.items():
    print(f"{name}: fastest {values[0]:.4f}, slowest {values[-1]:.2e}")
print(f"NTK-aware: fastest {expected[0]:.4f}, slowest {expected[-1]:.2e}")
if not np.allclose(angles["none"], BASE**-exponents, rtol=1e-4) or not np.allclose(angles["linear"] * FACTOR, angles["none"], rtol=1e-4):
    sys.exit("not as expected")
if abs(angles["yarn"][0] - 1) > 1e-3 or abs(expected[-1] * FACTOR / angles["none"][-1] - 1) > 1e-6:
    sys.exit("not as expected")
ratio = angles["none"] / angles["dynamic"]
if not np.allclose(ratio, FACTOR ** (WIDTH / (WIDTH - 2)), rtol=1e-3) or not np.allclose(angles["dynamic"], angles["dynamic, long text"], rtol=1e-4):
    sys.exit("keras-hub changed")
PY
