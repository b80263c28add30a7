#!/usr/bin/env bash
# Guess: `proportion_difference` is the test that its documentation describes: the hypothesis that two models have the same accuracy is rejected if z
# is more than 1.96 (two-sided), with the variance of both accuracies pooled. Which model is named first does not matter.
# Behaviour: the p-value is that of "the first is worse", without a word of it: accuracies of 0.84 and 0.92 on 100 lines, the example of the
# documentation, have p = 0.040 and are called significantly different, though z is -1.75; the two-sided value is 0.08. Named the other way round, p
# is 0.96, and a model with 0.95 does not differ from one with 0.70: p = 0.999999. The variance is not pooled either. `mcnemar` and `permutation_test`
# give the same value both ways round.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile mlxtend==0.25.0 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 scikit-learn==1.9.1 matplotlib==3.11.2 joblib==1.6.0
OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import math
import sys
from importlib.metadata import version

import numpy as np
from mlxtend.evaluate import mcnemar, permutation_test, proportion_difference

print(*(f"{name} {version(name)}" for name in ("mlxtend", "scipy")))
SIZE = 100


def test(first, second):
    """z with the pooled accuracy, as the documentation has it, and the probability of a difference as large in either direction."""
    pooled = (first + second) / 2
    z = (first - second) / math.sqrt(2 * pooled * (1 - pooled) / SIZE)
    return z, math.erfc(abs(z) / math.sqrt(2))


seen = {}
for first, second in ((0.84, 0.92), (0.92, 0.84), (0.95, 0.70), (0.70, 0.95), (0.80, 0.80)):
    (z, p), (right_z, right_p) = proportion_difference(first, second, n_1=SIZE), test(first, second)
    seen[first, second] = z, p, right_z, right_p
    print(f"{first:.2f} and {second:.2f}: z {z:.2f}, p {p:.6f}; by the definition z {right_z:.2f}, p {right_p:.6f}")
tables = np.array([[70, 14], [6, 10]]), np.array([[70, 6], [14, 10]])
scores = [1.0, 0.0, 1.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.0, 0.5, 1.0]
others = [mcnemar(table)[1] for table in tables], [permutation_test(*scores, method="exact", paired=True), permutation_test(*scores[::-1], method="exact", paired=True)]
print(f"mcnemar both ways {np.round(others[0], 4)}, permutation_test both ways {np.round(others[1], 4)}")
if any(abs(a - b) > 1e-9 for a, b in others) or any(abs(z - right_z) > 0.3 for z, _, right_z, _ in seen.values()):
    sys.exit("not as expected")
if not (0.03 < seen[0.84, 0.92][1] < 0.05 < seen[0.84, 0.92][3] and seen[0.92, 0.84][1] > 0.95 and seen[0.95, 0.70][1] > 0.999 and seen[0.70, 0.95][1] < 0.001):
    sys.exit("mlxtend changed")
if abs(seen[0.84, 0.92][1] + seen[0.92, 0.84][1] - 1) > 1e-9 or abs(seen[0.80, 0.80][1] - 0.5) > 1e-9:
    sys.exit("mlxtend changed")
PY
