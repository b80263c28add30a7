#!/usr/bin/env bash
# Guess: a function of NumPy that numba compiles, without `fastmath` or `parallel`, gives the numbers that it gives without numba, but for the last digits.
# Behaviour: `sum`, `mean` and `std` of float32 add one number after the other in float32, where NumPy adds in pairs: the sum of 20,000,000 times 0.1
# is 2,097,152 instead of 2,000,000, the mean 0.105, the standard deviation 0.005; of 0.7, it is 14.29 million instead of 14. And `median` of numbers
# with NaN among them may be a number: 2 of 3, NaN, 1, 2, NaN and 5 (2.5 without the NaN), 25 of NaN, 10, 20 and 30. In float64, sums are right, as are
# `max`, `percentile` and `nanmedian` with NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile numba==0.68.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import numba
import numpy as np

print(*(f"{name} {version(name)}" for name in ("numba", "numpy")))


def sums(array):
    return np.sum(array), np.mean(array), np.std(array)


def places(array):
    return np.median(array), np.nanmedian(array), np.max(array), np.percentile(array, 50)


fast_sums, fast_places = numba.njit(sums), numba.njit(places)
seen = {}
for value in (0.1, 0.7):
    for kind in (np.float32, np.float64):
        array = np.full(20_000_000, value, kind)
        seen[value, kind] = [float(number) for number in fast_sums(array)], [float(number) for number in sums(array)]
        print(f"{value} in {kind.__name__}: sum, mean and standard deviation {seen[value, kind][0]}, without numba {seen[value, kind][1]}")
nan = float("nan")
for numbers in ([3, nan, 1, 2, nan, 5], [1, 2, nan, 4, 5], [nan, 10, 20, 30], [1, 2, 3, 4]):
    array = np.array(numbers, float)
    seen[str(numbers)] = [float(number) for number in fast_places(array)], [float(number) for number in places(array)]
    print(f"{numbers}: median, nanmedian, maximum, percentile {seen[str(numbers)][0]}, without numba {seen[str(numbers)][1]}")
for value in (0.1, 0.7):
    if not np.allclose(seen[value, np.float64][0], seen[value, np.float64][1], atol=1e-8) or abs(seen[value, np.float32][1][1] - value) > 1e-5:
        sys.exit("not as expected")
    if abs(seen[value, np.float32][0][1] / value - 1) < 0.02 or seen[value, np.float32][0][2] < 0.004:
        sys.exit("numba changed")
lists = [pair for name, pair in seen.items() if isinstance(name, str)]
if any(not np.array_equal(compiled[1:], plain[1:], equal_nan=True) for compiled, plain in lists) or lists[-1][0] != lists[-1][1]:
    sys.exit("not as expected")
if [lists[0][0][0], lists[2][0][0]] != [2.0, 25.0]:
    sys.exit("numba changed")
PY
