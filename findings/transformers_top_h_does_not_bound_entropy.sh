#!/usr/bin/env bash
# Guess: generate(top_h=0.4) keeps the most likely tokens as long as the entropy of what is kept, with its probabilities made to sum to one
# again, is at most 0.4 of the entropy of all tokens. So say the paper (Top-H decoding, 2025) and the documentation of `GenerationConfig`.
# Behaviour: it adds up the terms -p log p of the tokens and does not make the probabilities sum to one: of 100 equally likely tokens, it
# keeps 40 with 0.80 of the entropy, where 6 tokens are allowed. It also looks at the first 100 tokens only, as if there were no others:
# where 32,000 tokens have the probabilities of words (1 / rank), it keeps 10 instead of 33, and with top_h=1, 100 instead of all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile transformers==5.24.0 torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys

import numpy as np
import torch
import transformers
from transformers.generation.logits_process import TopHLogitsWarper

print("transformers", transformers.__version__, "torch", torch.__version__)


def entropy(probabilities):
    probabilities = probabilities / probabilities.sum()
    return float(-(probabilities * np.log(probabilities)).sum())


def allowed(probabilities, top_h):
    number = 1
    while number < len(probabilities) and entropy(probabilities[: number + 1]) <= top_h * entropy(probabilities) + 1e-9:
        number += 1
    return number


def kept(probabilities, top_h):
    scores = torch.tensor(np.log(probabilities), dtype=torch.float32)[None]
    return int(torch.isfinite(TopHLogitsWarper(top_h)(None, scores)).sum())


ranks = np.arange(1.0, 32001)
cases = {
    "100 equal tokens": np.full(100, 0.01),
    "each 0.9 of the one before": 0.9 ** np.arange(60) / (0.9 ** np.arange(60)).sum(),
    "32,000 tokens, 1 / rank": 1 / ranks / (1 / ranks).sum(),
}
seen = {}
for name, probabilities in cases.items():
    for top_h in (0.4, 1.0):
        numbers = [function(probabilities, top_h) for function in (kept, allowed)]
        shares = [round(entropy(probabilities[:number]) / entropy(probabilities), 2) for number in numbers]
        seen[name, top_h] = numbers
        print(f"{name}, top_h {top_h}: kept {numbers[0]} with {shares[0]} of the entropy, allowed {numbers[1]} with {shares[1]}")
expected = {
    ("100 equal tokens", 0.4): [40, 6],
    ("100 equal tokens", 1.0): [100, 100],
    ("each 0.9 of the one before", 0.4): [6, 3],
    ("each 0.9 of the one before", 1.0): [60, 60],
    ("32,000 tokens, 1 / rank", 0.4): [10, 33],
    ("32,000 tokens, 1 / rank", 1.0): [100, 32000],
}
if any(abs(seen[case][side] - expected[case][side]) > 1 for case in expected for side in (0, 1)):
    sys.exit(f"transformers changed: {seen}")
PY
