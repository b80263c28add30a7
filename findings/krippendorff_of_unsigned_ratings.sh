#!/usr/bin/env bash
# Guess: the agreement of two raters does not depend on the integer type of their ratings.
# Behaviour: the distance of two ratings is their difference in the type of the array. That of unsigned integers, such as the uint8 that holds
# ratings of 0 to 100 or 1 to 5, is never negative: 1 - 2 is 255. With the default level "interval", raters who differ by 3 of 100 at most have
# an alpha of -0.04 instead of 1.00; with "ratio", -3.3. Ordinal and nominal agreement is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile krippendorff==0.9.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import krippendorff
import numpy as np

print("krippendorff", version("krippendorff"))
numbers = np.random.default_rng(0)
one = numbers.integers(0, 101, 200)
percent = np.array([one, np.clip(one + numbers.integers(-3, 4, 200), 0, 100)])
one = numbers.integers(1, 6, 200)
stars = np.array([one, np.clip(one + numbers.integers(-1, 2, 200), 1, 5)])
seen = {}
for name, ratings in (("0 to 100", percent), ("1 to 5", stars)):
    for level in ("interval", "ratio", "ordinal", "nominal"):
        for kind in ("int64", "uint8", "uint16"):
            seen[name, level, kind] = float(krippendorff.alpha(ratings.astype(kind), level_of_measurement=level))
        print(f"ratings of {name}, {level}:", ", ".join(f"{kind} {seen[name, level, kind]:.2f}" for kind in ("int64", "uint8", "uint16")))
if abs(seen["0 to 100", "interval", "int64"] - 0.998) > 0.001 or seen["1 to 5", "interval", "int64"] < 0.8:
    sys.exit("not as expected")
for (name, level, kind), value in seen.items():
    if level in ("ordinal", "nominal") and value != seen[name, level, "int64"]:
        sys.exit("not as expected")
if seen["0 to 100", "interval", "uint8"] > 0 or seen["0 to 100", "interval", "uint16"] > 0.5 or seen["0 to 100", "ratio", "uint8"] > -1:
    sys.exit("krippendorff changed")
if seen["1 to 5", "interval", "uint8"] > 0.5:
    sys.exit("krippendorff changed")
PY
