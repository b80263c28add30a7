#!/usr/bin/env bash
# Guess: `posthoc_tukey_hsd` compares the groups that a column names, whatever the index of the frame.
# Behaviour: the values of a group are looked for by the labels of its rows. In a frame that `pandas.concat` joined of one frame for each system, each
# label is there once for each system, so that each group has all values: all p-values are 1, also of systems that are three standard deviations
# apart. With groups of different sizes, they are between: 0.03 instead of 0.0000. With `ignore_index=True`, and in `posthoc_tukey`, they are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile scikit-posthocs==0.17.1 pandas==3.1.1 statsmodels==0.15.0 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
import scikit_posthocs
from scipy import stats

print({name: version(name) for name in ("scikit-posthocs", "pandas", "scipy", "numpy")})
seen = {}
for name, sizes in (("groups of 30", (30, 30, 30)), ("groups of 40, 20 and 10", (40, 20, 10))):
    rng = np.random.default_rng(0)
    scores = [rng.normal(mean, 1, size) for mean, size in zip((0, 0.1, 3), sizes)]
    frames = [pd.DataFrame({"system": system, "score": values}) for system, values in zip("ABC", scores)]
    right = stats.tukey_hsd(*scores).pvalue
    joined, numbered = pd.concat(frames), pd.concat(frames, ignore_index=True)
    found = scikit_posthocs.posthoc_tukey_hsd(joined, "score", "system").to_numpy()
    seen[name] = found, right
    for kind, values in (("joined", found), ("by the definition", right)):
        print(f"{name}, {kind}: A and B {values[0, 1]:.4f}, A and C {values[0, 2]:.4f}, B and C {values[1, 2]:.4f}")
    for control in (scikit_posthocs.posthoc_tukey_hsd(numbered, "score", "system"), scikit_posthocs.posthoc_tukey(joined, "score", "system")):
        if not np.allclose(control, right, atol=1e-6):
            sys.exit("not as expected")
    if right[0, 2] > 1e-6 or right[1, 2] > 1e-6:
        sys.exit("not as expected")
if not np.allclose(seen["groups of 30"][0], 1) or np.allclose(*seen["groups of 40, 20 and 10"], atol=1e-4):
    sys.exit("scikit-posthocs changed")
PY
