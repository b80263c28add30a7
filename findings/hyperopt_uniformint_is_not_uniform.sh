#!/usr/bin/env bash
# Guess: `hp.uniformint(1, 3)` draws 1, 2 and 3, each in a third of the trials, and `hp.quniform(8, 128, 32)` stays between 8 and 128.
# Behaviour: a number between the bounds is drawn and rounded: of 1 to 3 layers, 2 is tried in half of the trials, 1 and 3 in a quarter each; of 1 to
# 5, the ends are half as frequent as the others, also in a random search. The bounds are not kept either: `quniform(8, 128, 32)` draws 0, for
# instance as the size of a batch, in 1 of 15 trials, and never 8. `hp.randint(1, 4)`, which ends before 4, is uniform.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile hyperopt==0.3.0 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from collections import Counter
from importlib.metadata import version

import numpy as np
from hyperopt import Trials, fmin, hp, rand
from hyperopt.pyll.stochastic import sample

print(*(f"{name} {version(name)}" for name in ("hyperopt", "numpy")))
NUMBER = 1500
SPACES = {
    "uniformint(1, 3)": hp.uniformint("a", 1, 3),
    "uniformint(1, 5)": hp.uniformint("b", 1, 5),
    "quniform(8, 128, 32)": hp.quniform("c", 8, 128, 32),
    "randint(1, 4)": hp.randint("d", 1, 4),
}
shares = {}
for name, space in SPACES.items():
    rng = np.random.default_rng(1)
    counts = Counter(int(sample(space, rng)) for _ in range(NUMBER))
    shares[name] = {value: round(counts[value] / NUMBER, 3) for value in sorted(counts)}
    print(f"{name}: {shares[name]}")
trials = Trials()
fmin(lambda value: 0.0, SPACES["uniformint(1, 3)"], rand.suggest, 300, trials=trials, rstate=np.random.default_rng(1), show_progressbar=False)
counts = Counter(int(value) for value in trials.vals["a"])
searched = {value: round(counts[value] / 300, 3) for value in sorted(counts)}
print(f"uniformint(1, 3) in a random search: {searched}")
if list(shares["randint(1, 4)"]) != [1, 2, 3] or not all(0.29 < share < 0.38 for share in shares["randint(1, 4)"].values()):
    sys.exit("not as expected")
three, five, steps = (shares[name] for name in list(SPACES)[:3])
if not (three[2] > 0.45 and searched[2] > 0.42 and max(five[1], five[5]) < 0.16 < 0.2 < min(five[2], five[3], five[4])):
    sys.exit("hyperopt changed")
if list(steps) != [0, 32, 64, 96, 128] or not 0.05 < steps[0] < 0.09:
    sys.exit("hyperopt changed")
PY
