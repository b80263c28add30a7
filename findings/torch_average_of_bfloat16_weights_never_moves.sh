#!/usr/bin/env bash
# Guess: after 10,000 updates, an exponential moving average of weights with the decay 0.999 has followed a change of the weights.
# Behaviour: `AveragedModel` keeps its averages in the type of the model. In bfloat16, each update is smaller than half of the last bit and is rounded
# away: where weights go from 1 to 2, the average stays 1 for good; in float16, it stops half way, at 1.51. The mean of all weights (SWA), whose
# steps become smaller with the number of updates, is 1 instead of 1.5 for a weight that rises from 1 to 2 in 4,000 updates, in both types.
# Neither warns, and the documentation of `torch.optim.swa_utils` says nothing of types. It is right with float32.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" -W error - <<'PY'
import sys

import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

print("torch", torch.__version__)
ema, mean = {}, {}
for kind in (torch.float32, torch.float16, torch.bfloat16):
    model = torch.nn.Linear(4, 4, bias=False).to(kind)
    torch.nn.init.constant_(model.weight, 1.0)
    averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.999))
    averaged.update_parameters(model)
    torch.nn.init.constant_(model.weight, 2.0)
    for _ in range(10_000):
        averaged.update_parameters(model)
    ema[kind] = float(averaged.module.weight.detach()[0, 0])
    averaged = AveragedModel(model)
    for i in range(4000):
        torch.nn.init.constant_(model.weight, 1 + i / 4000)
        averaged.update_parameters(model)
    mean[kind] = float(averaged.module.weight.detach()[0, 0])
    print(f"{kind}: moving average {ema[kind]:.3f} (right: 2.000), mean {mean[kind]:.3f} (right: 1.500)")
if abs(ema[torch.float32] - 2) > 1e-3 or abs(mean[torch.float32] - 1.5) > 1e-3:
    sys.exit("not as expected")
if ema[torch.bfloat16] != 1 or ema[torch.float16] > 1.6 or mean[torch.bfloat16] > 1.1 or mean[torch.float16] > 1.1:
    sys.exit("torch changed")
PY
