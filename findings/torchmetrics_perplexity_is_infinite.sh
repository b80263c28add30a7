#!/usr/bin/env bash
# Guess: a perplexity of logits is computed from the logarithm of their softmax, as each loss is, and is finite.
# Behaviour: torchmetrics takes the softmax first, then its logarithm, both in the type of the logits, and sums there. In float32, one token
# whose logit is 110 below the best makes the perplexity of a whole corpus infinite; so does, in float16, one with a probability below 3e-8,
# or a batch whose tokens have more than 65,504 nats together: nine lines of 1,024 tokens have a perplexity of 998 where all 1,000 tokens are
# equally likely, ten lines have inf. In bfloat16, the sum is rounded to 0.2%: 985 or 1,009. `cross_entropy` of the same logits is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile torchmetrics==1.9.0 torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import math
import sys
from importlib.metadata import version

import torch
from torch.nn.functional import cross_entropy
from torchmetrics.text import Perplexity

print(*(f"{name} {version(name)}" for name in ("torchmetrics", "torch")))


def perplexity(name, logits):
    """The perplexity of token 0 everywhere, by torchmetrics and from the mean of PyTorch's losses."""
    target = torch.zeros(logits.shape[:2], dtype=torch.int64)
    metric = Perplexity()
    metric.update(logits, target)
    losses = cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1), reduction="none")
    values = float(metric.compute()), float(losses.float().mean().exp())
    print(f"{name}: torchmetrics {values[0]:.1f}, from losses {values[1]:.1f}")
    return values


def with_one_unlikely_token(distance, dtype):
    logits = torch.zeros(1, 1000, 1000)
    logits[0, 0, 1] = distance
    return logits.to(dtype)


f32 = perplexity("float32, a logit of one token in 1,000 is 110 below the best", with_one_unlikely_token(110, torch.float32))
f16 = perplexity("float16, a logit of one token in 1,000 is 25 below the best", with_one_unlikely_token(25, torch.float16))
nine = perplexity("float16, 9 lines of 1,024 tokens, all equally likely", torch.zeros(9, 1024, 1000, dtype=torch.float16))
ten = perplexity("float16, 10 lines", torch.zeros(10, 1024, 1000, dtype=torch.float16))
bf16 = [
    perplexity(f"bfloat16, {lines} lines", torch.zeros(lines, 1024, 1000, dtype=torch.bfloat16))[0] for lines in range(7, 11)
]
if not all(900 < value[1] < 1200 for value in (f32, f16, nine, ten)) or not 950 < nine[0] < 1050:
    sys.exit("not as expected")
if any(not math.isinf(value[0]) for value in (f32, f16, ten)):
    sys.exit("torchmetrics changed")
if max(bf16) - min(bf16) < 5:
    sys.exit("the sum in bfloat16 changed")
PY
