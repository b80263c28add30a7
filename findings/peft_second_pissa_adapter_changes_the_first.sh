#!/usr/bin/env bash
# Guess: a second adapter, or one merged from others by `add_weighted_adapter`, leaves the outputs with the first adapter as they are.
# Behaviour: with `init_lora_weights="pissa"` or "olora", each new adapter takes its first values out of the base weights, which all adapters
# share: the outputs with the first one change when a second is added, by half (pissa) or a third (olora) of their size here, and again when
# the two are merged. Nothing warns. With LoRA's own first values they stay as they are.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile peft==0.21.2 transformers==5.24.0 accelerate==1.15.0 torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
import warnings

import peft
import torch
from peft import LoraConfig, get_peft_model

print("peft", peft.__version__, "torch", torch.__version__)
torch.manual_seed(1)
inputs = torch.randn(16, 64)


def measure_distances(start):
    """Returns how far the outputs with the first adapter are from the base model's: alone, beside a second one, beside both merged."""
    torch.manual_seed(2)
    base = torch.nn.Sequential(torch.nn.Linear(64, 32))
    plain = base(inputs).detach()
    config = LoraConfig(r=8, lora_alpha=8, target_modules=["0"], init_lora_weights=start)
    model = get_peft_model(base, config, adapter_name="news")
    steps = [
        lambda: None,
        lambda: model.add_adapter("law", config),
        lambda: model.add_weighted_adapter(["news", "law"], [0.5, 0.5], "merged", combination_type="cat"),
    ]
    distances = []
    for step in steps:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            step()
        model.set_adapter("news")
        distances.append(round(float((model(inputs).detach() - plain).norm() / plain.norm()), 2))
    return distances


seen = {}
for start in (True, "pissa", "olora"):
    seen[start] = alone, beside, merged = measure_distances(start)
    print(f"init_lora_weights={start}: distance of the outputs with the first adapter: alone {alone}, beside a second {beside}, beside both merged {merged}")
if seen[True] != [0, 0, 0] or seen["pissa"][0] or seen["olora"][0]:
    sys.exit("not as expected: the first adapter changes nothing, and with LoRA's first values no adapter changes another")
if not all(0.2 < seen[start][1] < seen[start][2] for start in ("pissa", "olora")):
    sys.exit("peft changed")
PY
