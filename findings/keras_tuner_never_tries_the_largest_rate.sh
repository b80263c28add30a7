#!/usr/bin/env bash
# Guess: `hp.Float("dropout", 0, 0.5, step=0.1)` can be 0.5, and a seed makes a search repeatable: the documentation gives 0, 0.2, ..., 1.0 as the
# values from 0 to 1 by 0.2.
# Behaviour: the number of steps is rounded down after a division of floats, and 0.5 // 0.1 is 4: 0.5 is never tried, by random search or by
# the search of the whole grid; so it is with 1.0 of the documentation's example, but not with 0 to 0.5 by 0.25.
# Seed 0 is no seed: two searches with it try other values, two with seed 1 the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-tuner==1.4.8 keras==3.15.1 jax==0.10.2 six==1.17.0
cd "$folder"
KERAS_BACKEND=jax venv/bin/python -W ignore - <<'PY'
import sys
import tempfile
from importlib.metadata import version

import keras_tuner

print(*(f"{name} {version(name)}" for name in ("keras-tuner", "keras", "jax")))


def tried(kind, low, high, step, **options):
    """Returns the values that a search for the largest value tries, in their order."""
    values = []

    class Tuner(kind):
        def run_trial(self, trial, **_):
            values.append(round(trial.hyperparameters.Float("rate", low, high, step=step), 4))
            return -values[-1]

    Tuner(directory=tempfile.mkdtemp(), **options).search(verbose=0)
    return values


seen = {}
for name, low, high, step in (("dropout", 0, 0.5, 0.1), ("documentation", 0, 1, 0.2), ("quarters", 0, 0.5, 0.25)):
    found = {"random": sorted(tried(keras_tuner.RandomSearch, low, high, step, max_trials=40, seed=1))}
    found["grid"] = sorted(tried(keras_tuner.GridSearch, low, high, step))
    seen[name] = {tuple(values) for values in found.values()}
    print(f"{name}, from {low} to {high} by {step}:", found)
seeds = {seed: [tried(keras_tuner.RandomSearch, 0, 1, None, max_trials=3, seed=seed) for _ in range(2)] for seed in (0, 1)}
for seed, (first, second) in seeds.items():
    print("seed", seed, "tries", first, "and", second)
if seen["quarters"] != {(0, 0.25, 0.5)} or seeds[1][0] != seeds[1][1]:
    sys.exit("not as expected")
if seen["dropout"] != {(0, 0.1, 0.2, 0.3, 0.4)} or seen["documentation"] != {(0, 0.2, 0.4, 0.6, 0.8)} or seeds[0][0] == seeds[0][1]:
    sys.exit("keras-tuner changed")
PY
