#!/usr/bin/env bash
# Guess: `lr_scheduler_type="greedy"` (GreedyLR, 2025) raises the learning rate while evaluations improve and lowers it when they do not.
# Behaviour: it never lowers a rate below `min_lr`, which is 0.001 if it is not given, also where the rate was lower from the start. With the
# trainer's default rate of 0.00005, a loss that only gets worse leaves the rate as it is, and each gain raises it: where 20 evaluations that
# improve and 20 that do not follow each other, it rises to 0.001 and stays there, twenty times the rate that was asked for. With `min_lr=0`
# in `lr_scheduler_kwargs`, it falls and rises by turns. The lower bound of "reduce_lr_on_plateau" is 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile transformers==5.24.0 torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys

import torch
import transformers
from transformers import TrainingArguments, get_scheduler

print("transformers", transformers.__version__, "torch", torch.__version__)
default = TrainingArguments.__dataclass_fields__["learning_rate"].default
print("learning rate of TrainingArguments:", default)


def rate(name, losses, **options):
    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=default)
    schedule = get_scheduler(name, optimizer, scheduler_specific_kwargs=options)
    for loss in losses:
        schedule.step(loss)
    return optimizer.param_groups[0]["lr"]


worse = [float(number) for number in range(300)]
better = worse[::-1]
by_turns, loss = [], 1000.0  # 20 evaluations that improve, then 20 that do not
for number in range(4000):
    loss -= number // 20 % 2 == 0
    by_turns.append(loss)
seen = {}
for name, options in (("greedy", {}), ("greedy", {"min_lr": 0}), ("reduce_lr_on_plateau", {})):
    seen[name, *options] = [rate(name, losses, **options) for losses in (worse, better, by_turns)]
    rates = ", ".join(f"{kind} {value:.2e}" for kind, value in zip(("worse", "better", "by turns"), seen[name, *options], strict=True))
    print(f"{name} {options}: rate after evaluations that get {rates}")
expected = {("greedy",): [5e-5, 2e-4, 1e-3], ("greedy", "min_lr"): [1.25e-5, 2e-4, 5e-5], ("reduce_lr_on_plateau",): [5e-9, 5e-5, 5e-9]}
if any(abs(value / rates[place] - 1) > 0.01 for name, rates in expected.items() for place, value in enumerate(seen[name])):
    sys.exit("transformers changed")
PY
