#!/usr/bin/env bash
# Guess: a `CheckpointManager` that keeps the best two checkpoints by a metric keeps the best two, also where the metric of another is NaN.
# Behaviour: checkpoints are sorted by the metric, and numbers on both sides of a NaN are not compared: of BLEU 10, 50, NaN, 30, 20, 40, those with
# 30 and 40 are kept, 40 is said to be the best, and 50 is deleted. Of a training that diverges, with BLEU 10, 30, 50 and then NaN, the last two NaN
# are kept, and no other. With the loss and "min", it is the same, as with `preservation_policy=BestN`. Without NaN, it is right. NaN is stored as
# such, and the documentation of `best_fn` does not name it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile orbax-checkpoint==0.12.8 jax==0.10.2 numpy==2.4.6
cat >"$folder/run.py" <<'PY'
import os
import sys
import tempfile
from importlib.metadata import version

import numpy as np
import orbax.checkpoint as ocp

print(*(f"{name} {version(name)}" for name in ("orbax-checkpoint", "jax")))
nan = float("nan")


def kept(values, mode, policy):
    """Returns the values of the two checkpoints that are kept, and that of the best."""
    choice = {"best_fn": lambda metrics: metrics["value"], "best_mode": mode}
    if policy:
        choice["preservation_policy"] = ocp.checkpoint_managers.BestN(
            get_metric_fn=choice["best_fn"], reverse=mode == "min", n=2
        )
    else:
        choice["max_to_keep"] = 2
    folder = tempfile.mkdtemp(dir=os.environ["FOLDER"])
    with ocp.CheckpointManager(folder, options=ocp.CheckpointManagerOptions(**choice)) as manager:
        for step, value in enumerate(values):
            manager.save(step, args=ocp.args.StandardSave({"weights": np.full(3, step)}), metrics={"value": value})
        manager.wait_until_finished()
        steps = list(manager.all_steps())
        stored = {step: manager.restore(step, args=ocp.args.StandardRestore())["weights"][0] for step in steps}
        if stored != {step: step for step in steps}:
            sys.exit("not as expected")
        return [values[step] for step in steps], values[manager.best_step()]


CASES = {
    "numbers": ("max", [10.0, 50.0, 5.0, 30.0, 20.0, 40.0]),
    "one NaN": ("max", [10.0, 50.0, nan, 30.0, 20.0, 40.0]),
    "NaN at the end": ("max", [10.0, 30.0, 50.0, nan, nan, nan]),
    "numbers of a loss": ("min", [5.0, 1.0, 6.0, 3.0, 4.0, 2.0]),
    "a loss with one NaN": ("min", [5.0, 1.0, nan, 3.0, 4.0, 2.0]),
    "a loss with NaN at the end": ("min", [5.0, 3.0, 1.0, nan, nan, nan]),
}
seen = {}
for name, (mode, values) in CASES.items():
    for policy in (False, True):
        seen[name, policy] = kept(values, mode, policy)
    print(f"{name}: of {values}, {mode}: kept {seen[name, False][0]}, with BestN {seen[name, True][0]}, best {seen[name, False][1]}")
for policy in (False, True):
    if seen["numbers", policy] != ([50.0, 40.0], 50.0) or seen["numbers of a loss", policy] != ([1.0, 2.0], 1.0):
        sys.exit("not as expected")
    if seen["one NaN", policy] != ([30.0, 40.0], 40.0) or seen["a loss with one NaN", policy] != ([3.0, 2.0], 2.0):
        sys.exit("orbax changed")
    if any(value == value for name in ("NaN at the end", "a loss with NaN at the end") for value in seen[name, policy][0]):
        sys.exit("orbax changed")
PY
FOLDER=$folder "$folder/venv/bin/python" -W ignore "$folder/run.py"
