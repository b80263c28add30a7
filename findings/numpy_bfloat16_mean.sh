#!/usr/bin/env bash
# Guess: the mean of a thousand ones in bfloat16 is 1, as it is in float16, where NumPy adds in float32.
# Behaviour: NumPy does not know the bfloat16 of ml_dtypes (which JAX, TensorFlow and Keras hand out) as a half precision: sums, means,
# variances and cumulative sums add in bfloat16, without pairs, and stop at 256. The mean of 1,000 ones is 0.256, of 100,000 ones 0.0026;
# the dot product is right, float8 ends at 16. Statistics of a checkpoint's weights are wrong in silence.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0
"$folder/venv/bin/python" - <<'PY'
import sys

import ml_dtypes
import numpy as np

print("numpy", np.__version__, "ml_dtypes", ml_dtypes.__version__)
seen = {}
for dtype in (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
    ones = np.ones(1000, dtype)
    row = {"sum": ones.sum(), "mean": ones.mean(), "cumsum": ones.cumsum()[-1], "dot": ones @ ones, "var": ones.var()}
    seen[dtype.__name__] = {name: float(value) for name, value in row.items() if name != "dot" or dtype is not ml_dtypes.float8_e4m3fn}
    print(f"1,000 ones in {dtype.__name__}:", seen[dtype.__name__])
weights = np.abs(np.random.default_rng(0).normal(size=100_000)).astype(ml_dtypes.bfloat16)
means = float(weights.mean()), float(weights.astype(np.float32).mean())
print("mean of 100,000 absolute normal values in bfloat16:", means[0], "in float32:", means[1])
half, bfloat16 = seen["float16"], seen["bfloat16"]
if (half["sum"], half["mean"], half["var"]) != (1000.0, 1.0, 0.0):
    sys.exit("float16 changed")
if (bfloat16["sum"], bfloat16["mean"], bfloat16["cumsum"], bfloat16["dot"]) != (256.0, 0.255859375, 256.0, 1000.0):
    sys.exit("bfloat16 changed")
if seen["float8_e4m3fn"]["sum"] != 16.0 or not means[0] < 0.1 < 0.79 < means[1] < 0.81:
    sys.exit("float8 or the mean of many values changed")
PY
