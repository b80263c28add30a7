#!/usr/bin/env bash
# Guess: `add_weighted_adapter` merges adapters by "cat" or "svd" precisely, as its documentation says: what the new adapter adds to the outputs
# is the weighted mean of what the others add.
# Behaviour: of two rsLoRA adapters (`use_rslora=True`) of rank 8, the merged one of rank 16 adds four times their mean, and one that is "merged"
# alone, with the weight 1, adds 2.8 times as much: the square root of the rank. Of DoRA adapters (`use_dora=True`), the trained magnitudes are
# lost: one alone has other outputs after it was merged. Nothing warns. LoRA adapters are merged as guessed.
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
RANK = 8
torch.manual_seed(1)
inputs = torch.randn(16, 64)


def merge(method, names, **options):
    """Compares what a merged adapter adds to the outputs with the mean of what the others add: the factor, and what it does not explain."""
    torch.manual_seed(2)
    base = torch.nn.Sequential(torch.nn.Linear(64, 32))
    plain = base(inputs).detach()
    config = LoraConfig(r=RANK, lora_alpha=RANK, target_modules=["0"], **options)
    model = get_peft_model(base, config, adapter_name="news")
    model.add_adapter("law", config)
    with torch.no_grad():  # as training does, all weights of the adapters change
        for name, weight in model.named_parameters():
            if "lora_" in name:
                weight += 0.1 * torch.randn_like(weight)
    rank = {"svd_rank": RANK * len(names)} if method == "svd" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.add_weighted_adapter(names, [1 / len(names)] * len(names), "merged", combination_type=method, **rank)
    added = {}
    for name in ("merged", *names):
        model.set_adapter(name)
        added[name] = model(inputs).detach() - plain
    mean = sum(added[name] for name in names) / len(names)
    factor = float((added["merged"] * mean).sum() / (mean * mean).sum())
    return round(factor, 2), round(float((added["merged"] - factor * mean).norm() / added["merged"].norm()), 2)


seen = {}
for kind, options in (("LoRA", {}), ("rsLoRA", {"use_rslora": True}), ("DoRA", {"use_dora": True})):
    for method, names in (("cat", ["news", "law"]), ("svd", ["news", "law"]), ("linear", ["news"])):
        factor, rest = seen[kind, method] = merge(method, names, **options)
        print(f"{kind}, {len(names)} by {method}: adds {factor} times the mean of what each adds, and {rest} of it is something else")
if any(seen["LoRA", method] != (1, 0) for method in ("cat", "svd", "linear")):
    sys.exit("not as expected: LoRA adapters are merged precisely")
if [seen["rsLoRA", method] for method in ("cat", "svd", "linear")] != [(4, 0), (4, 0), (2.83, 0)] or seen["DoRA", "linear"][1] < 0.2:
    sys.exit("peft changed")
PY
