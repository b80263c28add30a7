#!/usr/bin/env bash
# Guess: Nadam of Keras and NAdam of PyTorch, with equal rates, betas and epsilon, take the same steps: both name the paper of Dozat.
# Behaviour: the momentum grows with 0.96 ** (t / 250) in the paper, and in PyTorch (momentum_decay=0.004); Keras lacks the 250 and grows with
# 0.96 ** t. It is at its full momentum after 100 updates, not 25,000; the weights part from the first update on. With momentum_decay=1,
# PyTorch takes Keras' steps; Keras has no argument for PyTorch's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 numpy==2.4.6 torch==2.13.0
KERAS_BACKEND=torch "$folder/venv/bin/python" - <<'PY'
import sys

import keras
import numpy as np
import torch

print("keras", keras.__version__, "torch", torch.__version__)
gradients = np.random.default_rng(0).normal(size=(300, 5)).astype("float32")


def with_torch(momentum_decay):
    weights = torch.nn.Parameter(torch.zeros(5))
    optimizer = torch.optim.NAdam([weights], lr=0.01, betas=(0.9, 0.999), eps=1e-8, momentum_decay=momentum_decay)
    for gradient in gradients:
        weights.grad = torch.tensor(gradient)
        optimizer.step()
    return weights.detach().numpy()


weights = keras.Variable(np.zeros(5, "float32"))
optimizer = keras.optimizers.Nadam(0.01, beta_1=0.9, beta_2=0.999, epsilon=1e-8)
optimizer.build([weights])
for gradient in gradients:
    optimizer.apply([keras.ops.convert_to_tensor(gradient)])
ours = keras.ops.convert_to_numpy(weights)
differences = {decay: float(np.abs(ours - with_torch(decay)).max()) for decay in (0.004, 1.0)}
print("weights after 300 updates, Keras:", ours.round(4))
print("largest difference by PyTorch's momentum_decay:", differences)
if differences[0.004] < 0.005 or differences[1.0] > 1e-4:
    sys.exit("Keras or PyTorch changed")
PY
