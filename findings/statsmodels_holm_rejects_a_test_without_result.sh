#!/usr/bin/env bash
# Guess: a test without a result, such as the paired t test of two equal systems, has a p-value of NaN; corrected for several tests, it is
# NaN and not rejected, and the other tests are corrected as without it.
# Behaviour: NaN is sorted behind all p-values. Where Holm's and Holm and Sidak's (the default) methods reject all others, they reject it
# too: a system that equals the baseline is said to differ from it. It also counts as a test. By the methods that go from the largest p-value
# down (Benjamini-Hochberg, Benjamini-Yekutieli, Simes-Hochberg), every corrected p-value is NaN, beside decisions that are right; Hommel's
# rejects nothing. `false_discovery_control` of SciPy refuses NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile statsmodels==0.15.0 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from scipy.stats import false_discovery_control, ttest_rel
from statsmodels.stats.multitest import multipletests

print(*(f"{name} {version(name)}" for name in ("statsmodels", "scipy")))
numbers = np.random.default_rng(0)
baseline = numbers.normal(30, 10, 200)  # scores of 200 sentences
systems = {"better": baseline + numbers.normal(2, 5, 200), "a copy": baseline.copy(), "worse": baseline - numbers.normal(3, 5, 200)}
pvalues = [float(ttest_rel(system, baseline).pvalue) for system in systems.values()]
print("paired t test:", dict(zip(systems, pvalues, strict=True)))
seen = {}
for method in ("holm-sidak", "holm", "bonferroni", "fdr_bh", "fdr_by", "simes-hochberg", "hommel"):
    rejected, corrected = multipletests(pvalues, method=method)[:2]
    seen[method] = (rejected.tolist(), int(np.isnan(corrected).sum()))
    print(f"{method}: differ from the baseline {dict(zip(systems, rejected.tolist(), strict=True))}, corrected {corrected.tolist()}")
try:
    control = false_discovery_control(pvalues)
except ValueError as error:
    control = str(error)
print("false_discovery_control of SciPy:", control)
with_copy, without = (multipletests([0.02, *rest], method="holm")[1][0] for rest in ([np.nan], []))
print(f"one test of 0.02, corrected by Holm beside a NaN: {with_copy}, alone: {without}")
right, none = [True, False, True], [False, False, False]
expected = {"holm-sidak": ([True] * 3, 1), "holm": ([True] * 3, 1), "bonferroni": (right, 1), "hommel": (none, 3)}
if seen != {**expected, **dict.fromkeys(("fdr_bh", "fdr_by", "simes-hochberg"), (right, 3))} or (with_copy, without) != (0.04, 0.02):
    sys.exit("statsmodels changed")
PY
