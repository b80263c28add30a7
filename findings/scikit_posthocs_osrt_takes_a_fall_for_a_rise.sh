#!/usr/bin/env bash
# Guess: `test_osrt`, Hayter's one-sided test of an ordered alternative, has a small p-value where means rise from group to group, and a large one where
# they fall.
# Behaviour: the absolute differences count: three groups that fall by one standard deviation from each to the next have the same p < 0.000001 as
# three that rise. Beside it, the one-sided tests of Jonckheere and Mack and Wolfe tell them apart.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile scikit-posthocs==0.17.1 pandas==3.1.1 statsmodels==0.15.0 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import scikit_posthocs

print({name: version(name) for name in ("scikit-posthocs", "pandas", "scipy", "numpy")})
SIZE, DRAWS = 20, 20000
rng = np.random.default_rng(0)
rising = [rng.normal(mean, 1, SIZE).tolist() for mean in (0, 1, 2)]


def find_statistic(groups):
    """Hayter's statistic: the largest of the differences of a later and an earlier mean, by their pooled standard error."""
    groups = np.asarray(groups)
    means, spread = groups.mean(-1), np.sqrt(groups.var(-1, ddof=1).mean(-1) / groups.shape[-1])
    later, earlier = np.tril_indices(groups.shape[-2], -1)
    return np.max(means[..., later] - means[..., earlier], -1) / spread


drawn = find_statistic(rng.normal(size=(DRAWS, 3, SIZE)))
seen = {}
for name, groups in (("rising", rising), ("falling", rising[::-1])):
    p, statistic, _ = scikit_posthocs.test_osrt(groups)
    jonckheere = scikit_posthocs.test_jonckheere(groups, alternative="greater")[0]
    peak = scikit_posthocs.test_mackwolfe(groups, p=2)[0]
    share = np.mean(drawn >= find_statistic(groups))
    seen[name] = p, share
    print(f"{name} means: statistic {statistic:.2f}, p {p:.6f}, of {DRAWS} simulations {share:.4f}; by Jonckheere {jonckheere:.4f}, by Mack and Wolfe {peak:.4f}")
    if (max(share, jonckheere, peak) > 0.01) if name == "rising" else (min(share, jonckheere, peak) < 0.9):
        sys.exit("not as expected")
if seen["rising"][0] > 0.001:
    sys.exit("not as expected")
if seen["falling"][0] > 0.001:
    sys.exit("scikit-posthocs changed")
PY
